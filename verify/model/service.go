package model

import (
	"strings"

	"bunraku/verify"
	"bunraku/verify/fs"
)

// service is the service type: it runs or not, it starts with the machine or not. A service whose unit or script some
// package or file of the catalog brings cannot be started or enabled before that is there. The paper's model has no
// such rule.
func (b *builder) service(it *item) {
	for _, a := range []string{"start", "stop", "restart", "status"} {
		if c, ok := it.text(a); ok {
			it.note(verify.Approximate, "its own command to %s is taken to do no more: %s",
				map[string]string{"status": "ask"}[a]+strings.TrimPrefix(a, "status"), shorten(c))
		}
	}
	name := strings.TrimSuffix(it.name, ".service")
	program, post := fs.Seq{}, fs.And{}
	ensure, _ := it.text("ensure")
	starts := false
	running := "service " + name
	switch ensure {
	case "running", "true":
		b.variable(running, "stopped", "running")
		starts = true
		put, done := set(running, "running")
		program, post = append(program, put), append(post, done)
	case "stopped", "false":
		b.variable(running, "stopped", "running")
		put, done := set(running, "stopped")
		program, post = append(program, put), append(post, done)
	case "":
	default:
		it.note(verify.Opaque, "ensure => %s has no model", ensure)
		return
	}
	enabled := "start of service " + name
	switch enable, given := it.text("enable"); {
	case !given:
	case enable == "true" || enable == "false" || enable == "manual" || enable == "mask" || enable == "delayed":
		b.variable(enabled, "false", "true")
		starts = starts || enable == "true"
		put, done := set(enabled, enable)
		program, post = append(program, put), append(post, done)
	default:
		it.note(verify.Approximate, "enable => %s has no model", enable)
	}
	if starts && b.opt.Packages != Paper {
		there, why := b.unitThere(name)
		if text := "service " + name + " is there"; there == nil && b.newUnit(name) && !b.grants("Service", name, text) {
			there, why = b.point(text), b.noService(name) // a unit that something brings may go by this name, too
		}
		if there != nil {
			// What runs is not started, whatever has become of its unit.
			program = fs.Seq{fs.If{Cond: post, Else: append(fs.Seq{fs.If{Cond: there, Else: fs.Fail{Why: why}}}, program...)}}
		}
	}
	it.program, it.post = program, post
}

// unitThere says that the unit or script of a service is there, and how it is told that it is not; nil if that is not
// asked, because nothing in the catalog brings it and the base system may.
func (b *builder) unitThere(name string) (there fs.Pred, why string) {
	why = "there is no service " + name + " yet"
	if units := b.unitsOf(name); len(units) > 0 {
		var any fs.Or
		for _, u := range units {
			any = append(any, fs.Is{Path: u, Kind: fs.File}, fs.Is{Path: u, Kind: fs.Link})
		}
		return any, why
	}
	if list, asked := b.pk.known[name]; asked && list == nil && b.manages("Package", name) && !b.removes(name) {
		// At least the unit that is called like the package is the package's.
		return fs.And{b.pk.installed(name), b.brings(name, "service "+name)}, why
	}
	if b.noUnit(name) {
		// One place stands for all: nobody speaks about any of them.
		return fs.Is{Path: b.path(unitPlaces(name)[0]), Kind: fs.File}, b.noService(name)
	}
	return nil, ""
}

// noService says that there is none, and what might have been meant.
func (b *builder) noService(name string) string {
	why := "there is no service " + name
	if like := b.opt.Listing.Like(name); like != "" {
		why += "; did you mean " + like + "?"
	}
	return why
}

// unitsOf are the places of a service's unit or script that something in the catalog puts there. A service may be
// called by another name of its unit.
func (b *builder) unitsOf(name string) []fs.Path {
	var out []fs.Path
	seen := map[fs.Path]bool{}
	instance, _, isInstance := strings.Cut(name, "@")
	names := append([]string{name}, b.opt.Listing.Units(name)...)
	if isInstance {
		names = append(names, instance+"@")
	}
	for _, n := range names {
		for _, place := range unitPlaces(n) {
			p := b.path(place)
			if !seen[p] && b.made(p) {
				seen[p] = true
				out = append(out, p)
			}
		}
	}
	return out
}
