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

// What is known of packages has three degrees (verify-claims §2): of some there are lists; of others the index of the
// whole archive says that they bring programs and data only, no configuration, unit or account; of the rest nothing is
// known. Where there is such an index, and nothing in the catalog adds a source or does what nobody has read, what is
// not there can be told from what is not known.

// isForeign reports whether nothing is known of what a package brings.
func (pk *packages) isForeign(name string) bool {
	if pk.known[name] != nil {
		return false
	}
	st, whole := pk.b.opt.Listing.Standing(name)
	return !whole || st != listing.Bounded
}

// debianName is how packages are called.
var debianName = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+$`)

// nonesuch reports whether there is no package of a name, in any source that the machine has.
func (pk *packages) nonesuch(it *item) bool {
	if it.r.Get("source") != nil || pk.known[it.name] != nil || !debianName.MatchString(it.name) ||
		pk.b.opt.Packages != Dpkg {
		return false
	}
	st, whole := pk.b.opt.Listing.Standing(it.name)
	return whole && st == listing.Foreign && !pk.b.addsSources() && pk.b.opt.Image.OtherSource() == "" &&
		!pk.b.grants("Package", it.name, "package "+it.name+" is in the archive")
}

// missing is how the package manager refuses it.
func (pk *packages) missing(name string) fs.Expr {
	why := "there is no package " + name
	if like := pk.b.opt.Listing.Like(name); like != "" {
		why += "; did you mean " + like + "?"
	}
	return fs.Fail{Why: why}
}

// addsSources reports whether something in the catalog may bring packages from elsewhere: a file of the package
// manager, a package that was fetched as a file, one that brings sources itself, a command or a type that nobody has
// read.
func (b *builder) addsSources() bool {
	return slices.ContainsFunc(b.items, func(it *item) bool {
		if it == nil || sleeps(it) {
			return false
		}
		switch it.r.Type {
		case "File", "Concat_file":
			return strings.HasPrefix(it.name, "/etc/apt/") || it.name == "/etc/apt"
		case "Package":
			return it.r.Get("source") != nil || strings.HasSuffix(it.name, "-release") || strings.Contains(it.name, "-apt-")
		case "Exec":
			command := it.or("command", it.name)
			s := b.readExec(it).shell
			return len(s.unread) > 0 || strings.Contains(command, "apt") || strings.Contains(command, "dpkg")
		}
		return it.rec.Build == nil && (it.rec.Line == nil || strings.Contains(it.r.Type, "setting"))
	})
}

// noUnit reports whether no fresh machine has a unit or script of a service, and nothing in the catalog can bring one:
// no package that has a unit, since units go by other names, too; nothing of which is not known what it brings.
func (b *builder) noUnit(name string) bool {
	return b.newUnit(name) && !b.bringsUnits() && !b.grants("Service", name, "service "+name+" is there")
}

// newUnit reports whether no fresh machine has a unit or script of a service.
func (b *builder) newUnit(name string) bool {
	if !b.baseKnown || b.baseBlind || slices.Contains(baseAliases, name) || strings.Contains(name, "@") {
		return false
	}
	return !slices.ContainsFunc(unitPlaces(name), func(p string) bool { return b.onBase(b.path(p)) })
}

// bringsUnits reports whether something in the catalog may bring a unit of a name that nobody knows.
func (b *builder) bringsUnits() bool {
	if b.units == verify.Unknown {
		b.units = verify.Yes // for commands that ask while this is found out
		if !b.findBringers() {
			b.units = verify.No
		}
	}
	return b.units == verify.Yes
}

func (b *builder) findBringers() bool {
	for _, pkg := range b.pk.order {
		if p := b.pk.known[pkg]; b.basis[pkg] == nil && (b.pk.isForeign(pkg) || p != nil && len(p.Services()) > 0) {
			return true
		}
	}
	for p := range b.files {
		if strings.HasPrefix(string(p), "/etc/systemd/") || strings.HasPrefix(string(p), "/usr/lib/systemd/") ||
			p.Parent() == "/etc/init.d" || path.Ext(string(p)) == ".service" {
			return true
		}
	}
	return slices.ContainsFunc(b.items, func(it *item) bool {
		if it == nil || sleeps(it) {
			return false
		}
		if it.r.Type == "Exec" {
			s := b.readExec(it).shell
			return len(s.unread)+len(s.beside) > 0
		}
		return it.rec.Build == nil && it.rec.Line == nil || it.r.Type == "Archive" || it.r.Type == "Vcsrepo" ||
			it.r.Type == "File" && it.or("recurse", "false") != "false"
	})
}

// baseAliases are other names of units of the base system.
var baseAliases = []string{"syslog", "dbus", "kmod", "procps", "hwclock", "udev", "autovt@", "ctrl-alt-del", "default",
	"runlevel", "dbus-org.freedesktop.login1",
	"dbus-org.freedesktop.hostname1", "dbus-org.freedesktop.timedate1", "dbus-org.freedesktop.locale1",
	"dbus-org.freedesktop.timesync1", "puppet", "pxp-agent", "mcollective"}

// unitPlaces are where a service's unit or script may be.
func unitPlaces(name string) []string {
	var out []string
	for _, place := range []string{"/etc/systemd/system/%.service", "/lib/systemd/system/%.service",
		"/usr/lib/systemd/system/%.service", "/etc/init.d/%", "/etc/rc.d/init.d/%"} {
		out = append(out, strings.ReplaceAll(place, "%", name))
	}
	return out
}

// inArchive reports whether the machine's own archive has a package.
func (b *builder) inArchive(name string) bool {
	st, _ := b.opt.Listing.Standing(name)
	return st != listing.Foreign
}

// kin reports whether a package and a path are called alike, so that the package's scripts may well make it: some part
// of the one name is a part of the other, or the beginning of one with at least four letters (verify-claims §2).
func kin(pkg string, p fs.Path) bool {
	parts := func(s string) []string {
		return slices.DeleteFunc(strings.FieldsFunc(s,
			func(r rune) bool { return strings.ContainsRune("/-_.+0123456789", r) }),
			func(x string) bool { return slices.Contains(commonParts, x) })
	}
	for _, a := range parts(pkg) {
		for _, b := range parts(string(p)) {
			if a == b || len(b) >= 4 && strings.HasPrefix(a, b) || len(a) >= 4 && strings.HasPrefix(b, a) {
				return true
			}
		}
	}
	return false
}

// commonParts say nothing about who somebody is.
var commonParts = []string{"lib", "common", "server", "client", "core", "tools", "data", "conf", "etc", "agent", "usr",
	"var", "opt", "bin", "sbin", "default", "local", "share", "d"}

// mayMake reports whether a package of the catalog may make a file that no list has: one of which nothing is known, or
// one that is called like it, whose scripts no list shows.
func (pk *packages) mayMake(p fs.Path) bool {
	return packageLand(p) && (pk.b.baseBlind || slices.ContainsFunc(pk.order, func(n string) bool {
		return pk.b.basis[n] == nil && (pk.isForeign(n) || kin(n, p))
	}))
}

// guessFiles deals with files that somebody edits, and that neither the base system nor a list has. Packages make files
// with their scripts, too: /etc/default/sysstat is written from answers to questions. Such a file is taken to come with
// the package of the catalog that is called like it, as an open point: whether it does or not, who edits the file
// without waiting for the package fails. Nothing is taken where something else may have brought it before.
func (pk *packages) guessFiles(u *paths) {
	b := pk.b
	if !b.baseKnown || b.baseBlind {
		return
	}
	for _, p := range b.edited {
		if b.made(p) || u.new[p] || b.onBase(p) || !packageLand(p) || !b.base(p.Parent()) ||
			b.accepts("%s is there", p) {
			continue
		}
		var from []string
		for _, it := range b.ofType("Package") {
			if b.adds(it) && systemProvider(it) && kin(it.name, p) && !slices.Contains(from, it.name) {
				from = append(from, it.name)
			}
		}
		if slices.Contains(from, path.Base(string(p))) {
			from = []string{path.Base(string(p))} // called just like it
		}
		if len(from) == 0 || b.othersBefore(p) {
			continue
		}
		for _, name := range from {
			if !slices.Contains(pk.scripts[name], p) {
				pk.scripts[name] = append(pk.scripts[name], p)
			}
		}
	}
}

// othersBefore reports whether a package of which nothing is known, and that is not called like a file, is installed
// before somebody edits that.
func (b *builder) othersBefore(p fs.Path) bool {
	return slices.ContainsFunc(b.ofType("Package"), func(pkg *item) bool {
		return b.basis[pkg.name] == nil && b.pk.isForeign(pkg.name) && !kin(pkg.name, p) &&
			slices.ContainsFunc(b.ofType("File_line"), func(it *item) bool {
				return b.path(it.or("path", "")) == p && b.cg.Path(pkg.r, it.r, false) != nil
			})
	})
}

// guessed reports whether a file is taken to come with a package.
func (pk *packages) guessed(p fs.Path) bool {
	for _, made := range pk.scripts {
		if slices.Contains(made, p) {
			return true
		}
	}
	return false
}
