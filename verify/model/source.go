package model

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/verify"
	"bunraku/verify/fs"
	"bunraku/verify/listing"
)

// A package that the machine's own archive does not have comes from a source that the catalog adds, and apt sees it
// only when its index has been brought up to date after that (verify-claims §4): the source, the update, then the
// package. Each source has a cell, its index, that an update sets; installing such a package needs one of them. This
// needs the names of the whole archive, and sources that are plain files.

// aptSources are the files of the catalog that are sources of apt; plain is false if something else may add more.
func (b *builder) aptSources() (sources []fs.Path, plain bool) {
	if b.sourcesKnown {
		return b.sourceFiles, b.sourcesPlain
	}
	b.sourcesKnown, b.sourcesPlain = true, b.opt.Image.OtherSource() == ""
	for _, it := range b.items {
		if it == nil || sleeps(it) {
			continue
		}
		switch it.r.Type {
		case "File", "Concat_file":
			if it.aptSource() {
				b.sourceFiles = append(b.sourceFiles, b.path(it.name))
			}
		case "Package":
			if it.r.Get("source") != nil || strings.HasSuffix(it.name, "-release") || strings.Contains(it.name, "-apt-") {
				b.sourcesPlain = false
			}
		case "Exec":
			command := it.or("command", it.name)
			written := writtenSource.FindAllStringSubmatch(command, -1)
			for _, m := range written {
				if p := b.path(m[1]); !slices.Contains(b.sourceFiles, p) {
					b.sourceFiles = append(b.sourceFiles, p)
				}
			}
			if strings.Contains(command, "add-apt") || strings.Contains(command, "dpkg") ||
				strings.Count(command, "/etc/apt/sources") > len(written) {
				b.sourcesPlain = false
			}
		default:
			if it.rec.Build == nil && !isRemote(it.r.Type) &&
				(it.rec.Line == nil || strings.Contains(it.r.Type, "setting")) {
				b.sourcesPlain = false
			}
		}
	}
	return b.sourceFiles, b.sourcesPlain
}

// writtenSource is a source that a command writes.
var writtenSource = regexp.MustCompile(`(?:>|\btee(?:\s+-a)?)\s*(/etc/apt/sources\.list\.d/[\w.-]+\.(?:list|sources))\b`)

// aptSource reports whether a resource writes a source of apt. One that only looks after owner and mode of such a file
// adds nothing to what the machine has.
func (it *item) aptSource() bool {
	if e := it.or("ensure", "file"); e == absent || e == "directory" || e == "link" {
		return false
	}
	if it.r.Type == "File" && it.r.Get("content") == nil && it.r.Get("source") == nil {
		return false
	}
	ext := path.Ext(it.name)
	return path.Dir(it.name) == "/etc/apt/sources.list.d" && (ext == ".list" || ext == ".sources") ||
		it.name == "/etc/apt/sources.list"
}

// namesakes are the sources of the catalog that are called like a package which the machine's own archive has as well:
// influxdb.list beside influxdb, or one whose address names it, as https://example.com/rabbitmq-server/debian. Who adds
// such a source wants the package from there (convention C5), and which one is installed hangs on whether apt has seen
// it by then.
func (b *builder) namesakes(it *item) (out []fs.Path) {
	st, whole := b.opt.Listing.Standing(it.name)
	if it.r.Get("source") != nil || b.opt.Packages != Dpkg || !whole || st == listing.Foreign || !systemProvider(it) ||
		b.basis[it.name] != nil || b.removes(it.name) {
		return nil
	}
	sources, plain := b.aptSources()
	if !plain {
		return nil
	}
	for _, s := range sources {
		stem := strings.TrimSuffix(path.Base(string(s)), path.Ext(string(s)))
		parts := strings.FieldsFunc(stem, func(r rune) bool { return strings.ContainsRune("-_.", r) })
		if stem == it.name || slices.Contains(parts, it.name) || b.addressNames(s, it.name) {
			out = append(out, s)
		}
	}
	return out
}

// addressOf is where a source is, in a line of a list or in a field of deb822.
var addressOf = regexp.MustCompile(`(?im)^(?:deb\s+(?:\[[^\]]*\]\s+)?|URIs:\s*)\w+://[^/\s]+(/\S*)`)

// addressNames reports whether a part of the address of a source is the name of a package.
func (b *builder) addressNames(source fs.Path, pkg string) bool {
	it := b.files[source]
	if it == nil {
		return false
	}
	for _, m := range addressOf.FindAllStringSubmatch(it.or("content", ""), -1) {
		if slices.Contains(strings.Split(m[1], "/"), pkg) {
			return true
		}
	}
	return false
}

// The cell of a package's origin, and what it says of one that comes from the machine's own archive.
const originOf, archived = "origin of package ", "the archive"

// misses reports whether an agent that applies a graph to a fresh machine installs a package from the archive although
// the catalog has a source for it.
func (v *verifier) misses(a *verify.Analysis) bool {
	out := a.Replay(a.Order(), v.m.Graph.Fresh)
	if out.State == nil { // it fails
		return false
	}
	for cell, is := range out.State.Vars {
		if strings.HasPrefix(cell, originOf) && is == fs.Text(archived) {
			return true
		}
	}
	return false
}

// origin remembers, as part of the outcome, where a package comes from that the archive and a source both have.
func (b *builder) origin(it *item, there fs.Pred) {
	from := b.namesakes(it)
	if len(from) == 0 {
		return
	}
	cell := originOf + it.name
	pick := fs.Expr(fs.Assign{Var: cell, Value: fs.Str(archived)})
	for _, s := range from {
		pick = fs.If{Cond: fs.VarIs(b.indexOf(s), "yes"), Then: fs.Assign{Var: cell, Value: fs.Str(string(s))}, Else: pick}
	}
	it.program = fs.If{Cond: there, Then: it.program, Else: fs.Seq{pick, it.program}}
}

// fromElsewhere reports whether a package can only come from a source that the catalog adds.
func (b *builder) fromElsewhere(it *item) bool {
	return it.r.Get("source") == nil && b.pk.known[it.name] == nil && b.onlyAdded(it.name)
}

// onlyAdded reports whether a source that the catalog adds, and no other, can have a package of a name.
func (b *builder) onlyAdded(name string) bool {
	if b.opt.Packages != Dpkg || !debianName.MatchString(name) {
		return false
	}
	st, whole := b.opt.Listing.Standing(name)
	if !whole || st != listing.Foreign {
		return false
	}
	sources, plain := b.aptSources()
	return plain && len(sources) > 0 && !b.accepts("package %s is in the archive", name)
}

// installing is a command that installs packages.
var installing = regexp.MustCompile(`\b(?:apt-get|apt|aptitude)\b[^|&;]*\sinstall\s`)

// indexOf is the cell of a source's index. It is forgotten after a run, like events: nobody minds in which state an
// index is left, and whoever wants a package that is not there has to bring the index up to date in the same run.
func (b *builder) indexOf(source fs.Path) string {
	cell := "index of " + string(source)
	b.events[cell] = fs.Text("no")
	return cell
}

// indexed says that some source has been looked through.
func (b *builder) indexed() fs.Pred {
	var out fs.Or
	sources, _ := b.aptSources()
	for _, s := range sources {
		out = append(out, fs.VarIs(b.indexOf(s), "yes"))
	}
	return out
}

// update is apt-get update: the index of every source that is there, and of no other.
func (b *builder) update() fs.Seq {
	out := fs.Seq{fs.Act{}}
	sources, plain := b.aptSources()
	if b.opt.Packages != Dpkg || !plain {
		return out
	}
	if !slices.ContainsFunc(b.ofType("Package"),
		func(it *item) bool { return b.fromElsewhere(it) || len(b.namesakes(it)) > 0 }) &&
		!slices.ContainsFunc(b.ofType("Exec"),
			func(it *item) bool { return installing.MatchString(it.or("command", it.name)) }) {
		return out
	}
	for _, s := range sources {
		cell := b.indexOf(s)
		ready := fs.And{fs.Is{Path: s, Kind: fs.File}}
		for _, key := range b.keysOf(s) {
			ready = append(ready, fs.Is{Path: key, Kind: fs.File})
		}
		out = append(out, fs.If{Cond: ready, Then: fs.Assign{Var: cell, Value: fs.Str("yes")},
			Else: fs.Assign{Var: cell, Value: fs.Str("no")}})
	}
	return out
}

// signedBy is how a source names the file of its key, in a line of a list or in a field of deb822.
var signedBy = regexp.MustCompile(`(?i)\bsigned-by\s*[=:]\s*(/[^\s\],]+)`)

// keysOf are the files of keys that a source names and that the catalog makes: apt passes over a source whose key is
// not there. Of others it is taken that they are there.
func (b *builder) keysOf(source fs.Path) (out []fs.Path) {
	it := b.files[source]
	if it == nil {
		return nil
	}
	for _, m := range signedBy.FindAllStringSubmatch(it.or("content", ""), -1) {
		p := b.path(m[1])
		if made := b.files[p]; made != nil && made.or("ensure", "file") != absent && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// sourceSettled reports whether the model itself says where a package comes from: there is one source, or one that is
// called like it and is ready.
func (b *builder) sourceSettled(it *item, ready func(fs.Path) bool) bool {
	if !b.fromElsewhere(it) {
		return false
	}
	sources, _ := b.aptSources()
	return len(sources) == 1 || slices.ContainsFunc(sources,
		func(s fs.Path) bool { return kin(it.name, fs.Path(path.Base(string(s)))) && ready(s) })
}
