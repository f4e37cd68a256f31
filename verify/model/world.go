package model

import (
	"maps"
	"slices"
	"strings"

	"bunraku/verify/fs"
)

// baseDirs are on every machine, in every state: a machine without /etc is none.
var baseDirs = []fs.Path{
	"/boot", "/dev", "/etc", "/etc/cron.d", "/etc/cron.daily", "/etc/cron.hourly", "/etc/cron.monthly", "/etc/cron.weekly",
	"/etc/default",
	"/etc/init.d", "/etc/logrotate.d", "/etc/modprobe.d", "/etc/modules-load.d", "/etc/pam.d", "/etc/profile.d",
	"/etc/security", "/etc/skel",
	"/etc/ssl", "/etc/ssl/certs", "/etc/sysctl.d", "/etc/systemd", "/etc/systemd/system", "/etc/tmpfiles.d", "/etc/udev",
	"/etc/udev/rules.d",
	"/home", "/media", "/mnt", "/opt", "/proc", "/root", "/run", "/run/lock", "/srv", "/sys", "/tmp", "/usr", "/usr/bin",
	"/usr/include",
	"/usr/lib", "/usr/lib/systemd", "/usr/lib/systemd/system", "/usr/libexec", "/usr/local", "/usr/local/bin",
	"/usr/local/etc", "/usr/local/lib",
	"/usr/local/sbin", "/usr/local/share", "/usr/local/src", "/usr/sbin", "/usr/share", "/usr/share/doc",
	"/usr/share/info", "/usr/share/lintian",
	"/usr/share/lintian/overrides", "/usr/share/locale", "/usr/share/man", "/usr/share/man/man1", "/usr/share/man/man5",
	"/usr/share/man/man8",
	"/usr/src", "/var", "/var/cache", "/var/lib", "/var/log", "/var/mail", "/var/spool", "/var/spool/cron", "/var/tmp",
}

var debianDirs = []fs.Path{
	"/etc/apt", "/etc/apt/apt.conf.d", "/etc/apt/preferences.d", "/etc/apt/sources.list.d", "/etc/apt/trusted.gpg.d",
	"/etc/apt/keyrings", "/etc/dpkg",
	"/etc/network", "/usr/share/keyrings", "/var/lib/apt", "/var/lib/dpkg", "/var/spool/cron/crontabs",
}

var redHatDirs = []fs.Path{
	"/etc/pki", "/etc/pki/rpm-gpg", "/etc/pki/tls", "/etc/pki/tls/certs", "/etc/pki/tls/private", "/etc/rc.d",
	"/etc/rc.d/init.d",
	"/etc/sysconfig", "/etc/sysconfig/network-scripts", "/etc/yum.repos.d", "/usr/lib64", "/var/lib/rpm",
}

// baseFiles are on every fresh machine, with contents that nobody knows.
var baseFiles = []fs.Path{
	"/etc/fstab", "/etc/group", "/etc/hostname", "/etc/hosts", "/etc/passwd", "/etc/profile", "/etc/resolv.conf",
	"/etc/shadow", "/etc/bash.bashrc",
	"/etc/nsswitch.conf", "/etc/securetty", "/etc/login.defs", "/etc/services", "/etc/protocols", "/etc/environment",
	"/etc/sysctl.conf",
}

// baseUsers need no resource.
var baseUsers = []string{"root", "daemon", "bin", "sys", "sync", "games", "man", "lp", "mail", "news", "uucp", "proxy",
	"www-data", "backup",
	"list", "irc", "gnats", "nobody", "adm", "tty", "disk", "sudo", "audio", "video", "staff", "users", "utmp", "shadow",
	"nogroup", "wheel", "0", "cron"}

// agentUsers come with an agent.
var agentUsers = []string{"puppet", "pe-puppet"}

// debianUsers and debianGroups are those of a fresh Debian with its base system, as debootstrap leaves it.
var (
	debianUsers = strings.Fields(`root daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc _apt nobody
		systemd-network systemd-timesync messagebus sshd`)
	debianGroups = strings.Fields(`root daemon bin sys adm tty disk lp mail news uucp man proxy kmem dialout fax voice cdrom floppy tape sudo
		audio dip www-data backup operator list irc src shadow utmp video sasl plugdev staff games users nogroup systemd-journal
		systemd-network crontab input sgx kvm render netdev systemd-timesync messagebus ssh _ssh`)
)

// baseAccount reports whether a fresh machine has an account: known is false if nothing says so.
func (b *builder) baseAccount(kind, name string) (has, known bool) {
	image := b.opt.Image
	switch account := kind + " " + name; {
	case image.Account(account):
		return true, true
	case image.Whole():
		return name == "0", true
	case slices.ContainsFunc(image.Packages(), func(pkg string) bool { return b.pk.makes(pkg, account) }):
		return true, true
	case !b.baseKnown:
		return slices.Contains(baseUsers, name), false
	}
	list := debianUsers
	if kind == "group" {
		list = debianGroups
	}
	return slices.Contains(list, name) || name == "0", !b.baseBlind
}

// oldLayout reports whether /bin, /sbin and /lib are directories of their own.
func (b *builder) oldLayout() bool {
	for _, p := range []string{"ubuntu-14", "ubuntu-trusty", "ubuntu-12", "ubuntu-16", "ubuntu-18", "centos-6", "centos-5",
		"redhat-6", "debian-7", "debian-8", "debian-9"} {
		if strings.HasPrefix(b.opt.Platform, p) {
			return true
		}
	}
	return false
}

// redHat reports whether the platform is of Red Hat's family.
func (b *builder) redHat() bool {
	for _, p := range []string{"redhat", "centos", "fedora", "rocky", "almalinux", "oraclelinux", "amazon", "scientific"} {
		if strings.HasPrefix(b.opt.Platform, p) {
			return true
		}
	}
	return b.opt.Packages == RPM
}

// baseLinks are links that every machine of today has.
func (b *builder) baseLinks() {
	b.links["/var/run"] = "/run"
	b.links["/var/lock"] = "/run/lock"
	if b.oldLayout() {
		return
	}
	for _, d := range []string{"bin", "sbin", "lib"} {
		b.links[fs.Path("/"+d)] = "/usr/" + d
	}
	if b.redHat() {
		b.links["/lib64"] = "/usr/lib64"
		b.links["/etc/init.d"] = "/etc/rc.d/init.d"
	}
}

// base reports whether a directory is on every machine.
func (b *builder) base(d fs.Path) bool {
	if b.based == nil {
		b.based = map[fs.Path]bool{}
		for _, d := range b.baseDirs() {
			b.based[d] = true
		}
	}
	_, link := b.links[d]
	return link || b.based[d] || b.onImage(d) == fs.Dir
}

func (b *builder) baseDirs() []fs.Path {
	dirs := slices.Clone(baseDirs)
	if b.redHat() {
		dirs = append(dirs, redHatDirs...)
	} else {
		dirs = append(dirs, debianDirs...)
	}
	for _, name := range slices.Sorted(maps.Keys(b.basis)) {
		for _, d := range b.basis[name].Dirs {
			dirs = append(dirs, fs.Path(d))
		}
	}
	if b.oldLayout() {
		dirs = append(dirs, "/bin", "/sbin", "/lib", "/lib/systemd", "/lib/systemd/system")
	}
	return append(dirs, b.present...)
}

// machine makes the initial states and the fresh machine from what the models have said.
func (b *builder) machine() {
	used := newPaths()
	for _, it := range b.items {
		if it != nil {
			used.expr(it.program)
			used.pred(it.post)
		}
	}
	for _, d := range b.baseDirs() {
		if d, _ = b.links.Resolve(d, true); b.fresh.At(d).Kind == fs.None {
			b.fresh.Put(d, fs.Dir)
		}
		// A directory that nobody looks at needs no word; one that a file resource manages may be anything at first.
		if used.kind[d] && b.files[d] == nil {
			b.assume = append(b.assume, fs.Is{Path: d, Kind: fs.Dir})
		}
	}
	for _, d := range b.acceptedDirs() {
		if used.kind[d] {
			b.accepts("%s is there", d)
		}
	}
	for _, p := range b.removed {
		// Who removes a file has seen one there; that it might be a directory is nobody's worry.
		if !used.made[p] {
			b.assume = append(b.assume, fs.Not{P: fs.Is{Path: p, Kind: fs.Dir}})
		}
	}
	for _, f := range append(slices.Clone(baseFiles), "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom") {
		b.fresh.Put(f, fs.File)
	}
	for _, f := range slices.Sorted(maps.Keys(used.kind)) {
		if b.fresh.At(f).Kind != fs.None {
			continue
		}
		switch k := b.onImage(f); {
		case k == fs.Dir:
			b.fresh.Put(f, fs.Dir)
			if b.files[f] == nil {
				b.assume = append(b.assume, fs.Is{Path: f, Kind: fs.Dir})
			}
		case k != fs.None:
			b.fresh.Put(f, k)
		case b.baseFiles[f]:
			b.fresh.Put(f, fs.File)
		}
	}
	b.pk.baseInstalled()
	source := func(p fs.Path, k fs.Kind) {
		if b.opt.Image.Whole() && !b.pk.mayMake(p) && !b.accepts("%s is there", p) {
			return // it was looked for
		}
		if !b.made(p) && !used.new[p] && b.fresh.At(p).Kind == fs.None {
			b.fresh.Put(p, k)
			b.m.Assumed = append(b.m.Assumed, string(p)+" is there: a source")
			if !b.accepts("%s is there", p) {
				b.open(there(p, k), "%s is there", p)
			}
		}
	}
	b.lackPrograms(used)
	for _, p := range b.sources {
		source(p, fs.File)
	}
	for _, p := range b.folders {
		source(p, fs.Dir)
	}
	for _, p := range b.edited {
		if b.made(p) || used.new[p] || b.fresh.At(p).Kind != fs.None || b.pk.guessed(p) {
			continue
		}
		if b.accepts("%s is there", p) {
			b.fresh.Put(p, fs.File)
		} else if !b.baseKnown || b.pk.mayMake(p) {
			b.fresh.Put(p, fs.File)
			b.m.Assumed = append(b.m.Assumed, string(p)+" is there: no package list says who brings it")
			b.open(there(p, fs.File), "%s is there", p)
		}
	}
	slices.Sort(b.m.Assumed)
	for p, lines := range b.lines {
		if b.private(p) {
			continue
		}
		for _, l := range lines {
			// What is not there has no lines.
			b.assume = append(b.assume, fs.Or{exists(p), fs.VarIs(l.variable, absent)})
		}
	}
	sortPreds(b.assume)
	b.m.Graph = &verifyGraph{Fresh: b.fresh, Init: fs.Init{Assume: b.assume, Closed: b.closed, Transient: b.events}}
}

// made reports whether some resource creates a path.
func (b *builder) made(p fs.Path) bool {
	it := b.files[p]
	if it == nil {
		return b.pk.lists(p)
	}
	ensure, _ := it.text("ensure")
	return ensure != "absent"
}
