package model

import (
	"slices"
	"strings"

	"bunraku/verify/fs"
)

// harmlessCommands change no file that anybody manages: they show something, or make something anew from files that
// others look after.
var harmlessCommands = strings.Fields(`true : echo printf sleep sync ldconfig udevadm sysctl modprobe systemd-tmpfiles rndc newaliases which cat ls id pgrep
	hostname ifup ifdown swapon swapoff exit set export umask hash type head tail sort wc awk cut tr stat getent logger date uname
	whoami update-ca-certificates update-ca-trust update-initramfs update-grub grub-mkconfig grub2-mkconfig dracut depmod locale-gen
	restorecon fixfiles postalias makemap fc-cache mandb apachectl apache2ctl httpd nginx haproxy named-checkconf visudo augtool
	exportfs partprobe kill pkill killall initctl telinit reload read shift unset trap wait rpcinfo journalctl loginctl netfilter-persistent
	iptables-save ip6tables-save postconf debconf-show dpkg-query lsmod mountpoint findmnt blkid lsblk nc ping host dig readlink realpath basename dirname`)

// outsideState is what commands change outside the file system. What one command changes is taken to be its own: nobody
// else is known to look after it.
var outsideState = map[string]string{
	"mysql": "MySQL's data", "mysqladmin": "MySQL's data", "mariadb": "MySQL's data", "mysql_install_db": "MySQL's data",
	"mysql_upgrade":             "MySQL's data",
	"mysql_secure_installation": "MySQL's data", "mysqldump": "MySQL's data", "psql": "PostgreSQL's data",
	"createdb": "PostgreSQL's data", "createuser": "PostgreSQL's data",
	"dropdb": "PostgreSQL's data", "initdb": "PostgreSQL's data", "pg_createcluster": "PostgreSQL's data",
	"pg_ctl": "PostgreSQL's data", "pg_ctlcluster": "PostgreSQL's data",
	"mongo": "MongoDB's data", "mongosh": "MongoDB's data", "redis-cli": "Redis's data", "sqlite3": "a database",
	"ldapadd": "the directory", "ldapmodify": "the directory",
	"rabbitmqctl": "RabbitMQ's state", "rabbitmq-plugins": "RabbitMQ's plugins", "etcdctl": "etcd's data",
	"influx":   "InfluxDB's data",
	"iptables": "the firewall", "ip6tables": "the firewall", "iptables-restore": "the firewall",
	"ip6tables-restore": "the firewall", "nft": "the firewall", "ufw": "the firewall", "firewall-cmd": "the firewall",
	"ip": "the network", "ifconfig": "the network", "route": "the network", "brctl": "the network",
	"ovs-vsctl": "the virtual switch", "nmcli": "the network", "ethtool": "the network",
	"mount": "mounts", "umount": "mounts", "mkswap": "swap space", "pvcreate": "disks", "vgcreate": "disks",
	"lvcreate": "disks", "lvextend": "disks", "parted": "disks", "sgdisk": "disks",
	"resize2fs": "disks", "xfs_growfs": "disks", "losetup": "disks", "mdadm": "disks", "mkfs": "disks",
	"mkfs.ext4": "disks", "mkfs.xfs": "disks", "zfs": "disks", "zpool": "disks",
	"apt-key": "apt's keys", "rpm": "installed packages", "dpkg": "installed packages",
	"dpkg-reconfigure": "installed packages", "debconf-set-selections": "answers for packages",
	"pip": "Python packages", "pip3": "Python packages", "easy_install": "Python packages",
	"virtualenv": "Python packages", "gem": "Ruby packages", "bundle": "Ruby packages", "npm": "Node packages",
	"yarn": "Node packages", "composer": "PHP packages", "pecl": "PHP packages", "pear": "PHP packages",
	"phpenmod": "PHP's modules", "phpdismod": "PHP's modules", "cpanm": "Perl packages", "cargo": "Rust packages",
	"docker": "containers", "docker-compose": "containers", "podman": "containers", "kubectl": "a cluster",
	"kubeadm": "a cluster", "helm": "a cluster", "lxc": "containers", "crm": "a cluster", "pcs": "a cluster",
	"virsh": "virtual machines", "setsebool": "SELinux", "semanage": "SELinux", "semodule": "SELinux",
	"setenforce": "SELinux", "hostnamectl": "the machine's name", "timedatectl": "the clock", "localectl": "the locale",
	"update-locale": "the locale", "ntpdate": "the clock", "hwclock": "the clock", "chpasswd": "passwords",
	"passwd": "passwords", "chsh": "accounts", "chage": "accounts", "gpasswd": "accounts", "setfacl": "access lists",
	"setcap": "capabilities", "crontab": "cron jobs", "at": "jobs", "aws": "a cloud", "gcloud": "a cloud", "az": "a cloud",
	"openstack": "a cloud", "consul": "a cluster", "vault": "secrets", "ceph": "a cluster",
	"ceph-authtool": "a cluster", "ceph-deploy": "a cluster", "subscription-manager": "the subscription",
	"yum-config-manager": "repositories", "dnf-config-manager": "repositories", "add-apt-repository": "repositories",
	"systemd-machine-id-setup": "the machine's id", "a2query": "nothing", "snap": "snaps", "flatpak": "flatpaks",
	"update-rc.d": "", "chkconfig": "", "insserv": "",
}

// repeatable commands change nothing the second time.
var repeatable = strings.Fields(`pip pip3 gem bundle npm yarn composer pecl pear phpenmod phpdismod setsebool semodule setenforce hostnamectl timedatectl localectl update-locale ufw
	debconf-set-selections chpasswd chsh chage setfacl setcap ntpdate hwclock rabbitmq-plugins yum-config-manager dnf-config-manager add-apt-repository snap flatpak a2query apt-key mountpoint mysql_upgrade`)

// outside reads commands that change no file that anybody manages, or something outside the file system.
func (s *shell) outside(name string, args []string, text string) (action, bool) {
	act := action{do: fs.Act{}}
	switch name {
	case "systemctl", "service", "invoke-rc.d", "update-rc.d", "chkconfig":
		return s.services(name, args), true
	case "apt-get", "apt", "aptitude", "yum", "dnf", "zypper", "microdnf":
		return s.installs(name, args, text)
	case "useradd", "adduser", "groupadd", "addgroup", "userdel", "groupdel", "usermod", "deluser", "delgroup":
		return s.accounts(name, args, text)
	}
	if slices.Contains(harmlessCommands, name) {
		return act, true
	}
	what := outsideState[name]
	// OpenStack's tools all work the same way: heat-manage db_sync changes heat's database.
	if service, ok := strings.CutSuffix(name, "-manage"); ok && what == "" {
		what = "the database of " + strings.TrimSuffix(service, "-db")
	}
	if name == "manage.py" || name == "django-admin" {
		what = "the site's data"
	}
	if what == "" {
		return action{}, false
	}
	return s.changesOutside(what, text, slices.Contains(repeatable, name)), true
}

// changesOutside is an effect that has a name and no model. It may depend on the files that it names.
func (s *shell) changesOutside(what, text string, again bool) action {
	s.note("it is taken to change nothing but its own part of " + what + ": " + shorten(text))
	cell := what + ", by " + s.name + ": " + text
	args := []fs.Term{}
	for _, p := range s.b.named(text) {
		if s.b.files[p] != nil {
			args = append(args, fs.ContentOf{Path: p})
		}
	}
	s.once = s.once || !again
	return action{do: fs.Seq{fs.Assign{Var: cell, Value: fs.Apply{Func: text, Args: args}}, fs.Act{}}}
}

// services is systemctl and service: what they do to services that the catalog manages too.
func (s *shell) services(command string, args []string) action {
	out := fs.Seq{fs.Act{}}
	now := slices.Contains(args, "--now")
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") })
	if len(args) < 2 {
		return action{do: out}
	}
	verb, names := args[0], args[1:]
	if command != "systemctl" {
		verb, names = args[1], args[:1]
	}
	if command == "update-rc.d" || command == "chkconfig" {
		verb = map[string]string{"defaults": "enable", "on": "enable", "off": "disable", "remove": "disable"}[verb]
	}
	var ok fs.And
	for _, n := range names {
		n = strings.TrimSuffix(n, ".service")
		if slices.Contains(needsUnit, verb) && s.b.pk != nil && s.b.opt.Packages != Paper && !strings.Contains(n, ".") {
			if there, why := s.b.unitThere(n); there != nil {
				ok = append(ok, there)
				out = append(out, fs.If{Cond: there, Else: fs.Fail{Why: why}})
			}
		}
		if !s.b.manages("Service", n) {
			continue
		}
		set := func(cell, v string) { out = append(out, fs.Assign{Var: cell, Value: fs.Str(v)}) }
		switch verb {
		case "start", "restart", "reload-or-restart":
			set("service "+n, "running")
		case "stop":
			set("service "+n, "stopped")
		case "enable", "unmask":
			set("start of service "+n, "true")
			if now {
				set("service "+n, "running")
			}
		case "disable", "mask":
			set("start of service "+n, map[string]string{"disable": "false", "mask": "mask"}[verb])
			if now {
				set("service "+n, "stopped")
			}
		}
	}
	if len(ok) > 0 {
		return action{ok: ok, do: out}
	}
	return action{do: out}
}

// needsUnit are what systemctl and service refuse to do to a service that is not there.
var needsUnit = []string{"start", "restart", "reload", "reload-or-restart", "stop", "enable", "disable"}

// installs is apt-get and yum.
func (s *shell) installs(name string, args []string, text string) (action, bool) {
	_, rest := options(args, "otc", "--option")
	_, rest = split(rest)
	if len(rest) == 0 {
		return action{}, false
	}
	switch rest[0] {
	case "update":
		if name == "apt-get" || name == "apt" || name == "aptitude" {
			return action{do: s.b.update()}, true
		}
		return action{do: fs.Act{}}, true
	case "makecache", "clean", "autoclean", "check-update", "expire-cache", "list", "search", "info", "show", "refresh",
		"ref":
		return action{do: fs.Act{}}, true
	case "install", "groupinstall", "localinstall", "in", "reinstall", "build-dep", "upgrade", "dist-upgrade",
		"full-upgrade", "autoremove":
		out := fs.Seq{fs.Act{}}
		for _, p := range rest[1:] {
			switch {
			case s.b.manages("Package", p):
				out = append(out, fs.If{Cond: fs.VarIs(cellOf(p), absent), Then: fs.Assign{Var: cellOf(p), Value: fs.Str(present)}})
			case strings.HasPrefix(name, "apt") && s.b.onlyAdded(p):
				there := fs.Or{fs.VarIs("package "+p+", by a command", present), s.b.indexed()}
				out = append(out, fs.If{Cond: there, Else: fs.Fail{Why: "no source that has been updated has package " + p}},
					fs.Assign{Var: "package " + p + ", by a command", Value: fs.Str(present)})
			}
		}
		s.note("the files of what " + name + " installs are not modelled: " + shorten(text))
		return action{do: out}, true
	}
	return s.changesOutside("installed packages", text, false), true
}

// accounts is useradd and its kin.
func (s *shell) accounts(name string, args []string, text string) (action, bool) {
	kind := "user"
	if strings.Contains(name, "group") {
		kind = "group"
	}
	who := ""
	if len(args) > 0 {
		who = args[len(args)-1]
	}
	if managed := map[string]map[string]bool{"user": s.b.users, "group": s.b.groups}[kind]; !managed[who] {
		return s.changesOutside("accounts", text, false), true
	}
	cell := kind + " " + who
	s.note("fields of the account are not modelled: " + shorten(text))
	there, gone := fs.Not{P: fs.VarIs(cell, absent)}, fs.VarIs(cell, absent)
	want := func(ok fs.Pred, v string) action {
		return action{ok: ok, do: fs.If{Cond: ok, Then: fs.Assign{Var: cell, Value: fs.Str(v)},
			Else: fs.Fail{Why: name + " says that it cannot"}}}
	}
	switch {
	case strings.Contains(name, "del"):
		return want(there, absent), true
	case name == "usermod":
		return test(there), true
	}
	return want(gone, present), true
}
