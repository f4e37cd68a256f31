package model

import (
	"iter"
	"maps"
	"path"
	"strings"

	"bunraku/puppet/value"
	"bunraku/verify/fs"
	"bunraku/verify/listing"
)

// The base system of a machine is made of packages: those that are essential, required or important. What they bring is
// there before the first run, as far as there are lists of them.

// basePackages are Debian's, by name. Which of them a platform's list calls base decides.
var basePackages = []string{"adduser", "apt", "apt-utils", "base-files", "base-passwd", "bash", "bsdutils", "coreutils",
	"cpio", "cron",
	"cron-daemon-common", "dash", "debconf", "debian-archive-keyring", "debianutils", "diffutils", "dmidecode", "dpkg",
	"e2fsprogs",
	"fdisk", "findutils", "gpgv", "grep", "groff-base", "gzip", "hostname", "ifupdown", "init", "init-system-helpers",
	"iproute2",
	"iputils-ping", "isc-dhcp-client", "isc-dhcp-common", "kmod", "less", "libc-bin", "libpam-modules",
	"libpam-modules-bin",
	"libpam-runtime", "login", "logrotate", "logsave", "man-db", "mawk", "mount", "nano", "ncurses-base", "ncurses-bin",
	"netbase",
	"nftables", "passwd", "perl-base", "procps", "readline-common", "rsyslog", "sed", "sensible-utils", "systemd",
	"systemd-sysv",
	"sysvinit-utils", "tar", "tasksel", "tzdata", "udev", "usrmerge", "util-linux", "util-linux-extra", "vim-common",
	"vim-tiny", "whiptail"}

// agentPackages are those of the agent itself: whoever applies a catalog has it.
var agentPackages = []string{"puppet-agent", "puppet", "facter"}

// A base is the base system as one Build found it; nobody changes it afterwards.
type base struct {
	links fs.Links                    // by which the paths of files were found
	basis map[string]*listing.Package // its packages
	files map[fs.Path]bool            // what they bring
	known bool                        // nothing else is on a fresh machine
	blind bool                        // of some of the packages nobody knows what they bring
	progs bool                        // it is known which programs a fresh machine has
}

// baseSystem finds out what the base system is: what an image has, or the platform's base packages as far as there are
// lists of them, with what a list of the user's adds. Of a package that is only known to be installed there is an empty
// list. A model that is made of another one with an attribute more has the same.
func (b *builder) baseSystem() {
	if old := b.opt.base; old != nil && maps.Equal(old.links, b.links) {
		b.basis, b.baseFiles, b.baseKnown = old.basis, old.files, old.known
		b.baseBlind, b.basePrograms = old.blind, old.progs
		return
	}
	b.basis, b.baseFiles = map[string]*listing.Package{}, map[fs.Path]bool{}
	take := func(name string, find func(string) (*listing.Package, error)) bool {
		p, err := find(name)
		if err != nil && b.err == nil {
			b.err = err
		}
		if p != nil {
			b.addBase(p)
		}
		return p != nil
	}
	image := b.opt.Image
	if b.opt.Packages == Dpkg && b.opt.Listing != nil {
		if !image.Replaces() {
			for _, name := range basePackages {
				take(name, b.opt.Listing.Base)
			}
			for _, p := range b.opt.Listing.Programs() {
				b.baseFiles[fs.Path(p)], b.basePrograms = true, true
			}
		}
		for _, name := range agentPackages {
			take(name, b.opt.Listing.Peek)
		}
		b.baseKnown = len(b.basis) > 0
	}
	for _, name := range image.Packages() {
		if !take(name, image.Package) && !take(name, b.opt.Listing.Peek) && b.basis[name] == nil {
			b.basis[name] = &listing.Package{Name: name}
			b.baseBlind = !image.Whole()
		}
	}
	b.baseKnown = b.baseKnown || image.Whole()
	b.basePrograms = b.basePrograms || image.Whole()
	b.opt.base = &base{maps.Clone(b.links), b.basis, b.baseFiles, b.baseKnown, b.baseBlind, b.basePrograms}
}

// addBase makes a package one of the base system.
func (b *builder) addBase(p *listing.Package) {
	b.basis[p.Name] = p
	last, at := "", fs.Path("")
	for _, f := range p.Files {
		if dir := path.Dir(f); dir != last { // files come sorted, so that most share it with the one before
			last = dir
			at, _ = b.links.Resolve(b.path(dir), true)
		}
		b.baseFiles[fs.Clean(string(at)+"/"+path.Base(f))] = true
	}
}

// imageLinks are those links of an image to directories that something in the catalog lies below.
func (b *builder) imageLinks() {
	if !b.opt.Image.Whole() {
		return
	}
	seen := map[fs.Path]bool{"/": true}
	for _, it := range b.items {
		if it == nil {
			continue
		}
		for p := range it.absolute() {
			for d := fs.Clean(p).Parent(); !seen[d]; d = d.Parent() {
				seen[d] = true
				if to, ok := b.opt.Image.Leads(string(d)); ok && fs.Path(to) != d {
					b.links[d] = to
				}
			}
		}
	}
}

// absolute are the absolute paths that a resource names, as its title or as a value.
func (it *item) absolute() iter.Seq[string] {
	return func(yield func(string) bool) {
		words := append([]string{it.name}, it.r.Title)
		for _, p := range it.r.Params {
			for word := range strings.FieldsSeq(value.ToString(p.Value)) {
				words = append(words, word)
			}
		}
		for _, w := range words {
			if strings.HasPrefix(w, "/") && !yield(w) {
				return
			}
		}
	}
}

// onImage is what an image has at a path.
func (b *builder) onImage(p fs.Path) fs.Kind {
	switch b.opt.Image.At(string(p)) {
	case listing.Directory:
		return fs.Dir
	case listing.Plain:
		return fs.File
	case listing.Link:
		return fs.Link
	}
	return fs.None
}

// onBase reports whether the base system has a file.
func (b *builder) onBase(p fs.Path) bool {
	k := b.onImage(p)
	return b.baseFiles[p] || k == fs.File || k == fs.Link
}
