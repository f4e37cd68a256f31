package model

import (
	"maps"
	"path"
	"slices"

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
}

// baseSystem reads the lists of the base system. A model that is made of another one with an attribute more has the same.
func (b *builder) baseSystem() {
	if old := b.opt.base; old != nil && maps.Equal(old.links, b.links) {
		b.basis, b.baseFiles = old.basis, old.files
		return
	}
	b.basis, b.baseFiles = map[string]*listing.Package{}, map[fs.Path]bool{}
	if b.opt.Packages != Dpkg || b.opt.Listing == nil {
		return
	}
	for _, name := range slices.Concat(basePackages, agentPackages) {
		find := b.opt.Listing.Base
		if slices.Contains(agentPackages, name) {
			find = b.opt.Listing.Peek
		}
		p, err := find(name)
		if err != nil && b.err == nil {
			b.err = err
		}
		if p == nil {
			continue
		}
		b.basis[name] = p
		last, at := "", fs.Path("")
		for _, f := range p.Files {
			if dir := path.Dir(f); dir != last { // files come sorted, so that most share it with the one before
				last = dir
				at, _ = b.links.Resolve(b.path(dir), true)
			}
			b.baseFiles[fs.Clean(string(at)+"/"+path.Base(f))] = true
		}
	}
	b.opt.base = &base{maps.Clone(b.links), b.basis, b.baseFiles}
}

// onBase reports whether the base system has a file.
func (b *builder) onBase(p fs.Path) bool { return b.baseFiles[p] }
