package facts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bunraku/source"
)

// Facts of systems that people run, so that code can be compiled before anybody has collected facts. They are those of
// a small virtual machine right after its installation: names and types are facter's, what belongs to one machine
// (addresses, keys, identifiers, sizes) is invented, from the ranges that are kept for documentation. A node that has
// them is called invented wherever it is shown.

// A System is an operating system whose facts are built in.
type System struct {
	ID      string // as the user names it: debian-12
	OS      string // os.name, as metadata.json calls it too
	Release string // os.release.major
	Full    string // os.release.full

	family, codename, description, distro, kernelRelease string
	policy                                               string // SELinux's, "" where that is off
	permissive                                           bool
	filesystem                                           string
	// Unverified tells that no facts of such a machine were there to compare with.
	Unverified bool
}

// String is the system's title.
func (s System) String() string { return s.ID }

// linux makes the record of a Linux. The distribution's id is its name unless it is given.
func linux(id, os, family, full, codename, description, kernel string, more ...func(*System)) System {
	major, _, _ := strings.Cut(full, ".")
	s := System{ID: id, OS: os, Release: major, Full: full, family: family, codename: codename, description: description,
		distro:        os,
		kernelRelease: kernel, filesystem: "ext4"}
	if family == "RedHat" {
		s.policy, s.filesystem = "33", "xfs"
	}
	if os == "Ubuntu" {
		s.Release = full
	}
	for _, m := range more {
		m(&s)
	}
	return s
}

func calledOf(distro string) func(*System) { return func(s *System) { s.distro = distro } }
func policy(version string) func(*System)  { return func(s *System) { s.policy = version } }
func permissive(s *System)                 { s.permissive = true }
func unverified(s *System)                 { s.Unverified = true }

// Systems are those whose facts are built in, by distribution, the oldest first.
var Systems = []System{
	linux("debian-11", "Debian", "Debian", "11.11", "bullseye", "Debian GNU/Linux 11 (bullseye)", "5.10.0-32-amd64"),
	linux("debian-12", "Debian", "Debian", "12.9", "bookworm", "Debian GNU/Linux 12 (bookworm)", "6.1.0-29-amd64"),
	linux("debian-13", "Debian", "Debian", "13.0", "trixie", "Debian GNU/Linux 13 (trixie)", "6.12.41+deb13-amd64"),
	linux("ubuntu-20.04", "Ubuntu", "Debian", "20.04", "focal", "Ubuntu 20.04.6 LTS", "5.4.0-205-generic"),
	linux("ubuntu-22.04", "Ubuntu", "Debian", "22.04", "jammy", "Ubuntu 22.04.5 LTS", "5.15.0-144-generic"),
	linux("ubuntu-24.04", "Ubuntu", "Debian", "24.04", "noble", "Ubuntu 24.04.2 LTS", "6.8.0-64-generic"),
	linux("redhat-8", "RedHat", "RedHat", "8.9", "Ootpa", "Red Hat Enterprise Linux release 8.9 (Ootpa)",
		"4.18.0-513.5.1.el8_9.x86_64", calledOf("RedHatEnterprise")),
	linux("redhat-9", "RedHat", "RedHat", "9.3", "Plow", "Red Hat Enterprise Linux release 9.3 (Plow)",
		"5.14.0-362.8.1.el9_3.x86_64", calledOf("RedHatEnterprise")),
	linux("redhat-10", "RedHat", "RedHat", "10.0", "Coughlan", "Red Hat Enterprise Linux release 10.0 (Coughlan)",
		"6.12.0-55.9.1.el10_0.x86_64", calledOf("RedHatEnterprise"), unverified),
	linux("almalinux-8", "AlmaLinux", "RedHat", "8.10", "Cerulean Leopard", "AlmaLinux release 8.10 (Cerulean Leopard)",
		"4.18.0-553.40.1.el8_10.x86_64"),
	linux("almalinux-9", "AlmaLinux", "RedHat", "9.6", "Sage Margay", "AlmaLinux release 9.6 (Sage Margay)",
		"5.14.0-570.12.1.el9_6.x86_64"),
	linux("almalinux-10", "AlmaLinux", "RedHat", "10.0", "Purple Lion", "AlmaLinux release 10.0 (Purple Lion)",
		"6.12.0-55.9.1.el10_0.x86_64"),
	linux("rocky-8", "Rocky", "RedHat", "8.10", "Green Obsidian", "Rocky Linux release 8.10 (Green Obsidian)",
		"4.18.0-553.63.1.el8_10.x86_64"),
	linux("rocky-9", "Rocky", "RedHat", "9.6", "Blue Onyx", "Rocky Linux release 9.6 (Blue Onyx)",
		"5.14.0-570.28.1.el9_6.x86_64"),
	linux("rocky-10", "Rocky", "RedHat", "10.0", "Red Quartz", "Rocky Linux release 10.0 (Red Quartz)",
		"6.12.0-55.29.1.el10_0.x86_64"),
	linux("oraclelinux-8", "OracleLinux", "RedHat", "8.10", "Ootpa", "Oracle Linux Server 8.10",
		"5.15.0-306.177.4.el8uek.x86_64", calledOf("Ol")),
	linux("oraclelinux-9", "OracleLinux", "RedHat", "9.5", "Plow", "Oracle Linux Server 9.5",
		"5.15.0-306.177.4.el9uek.x86_64", calledOf("Ol")),
	linux("oraclelinux-10", "OracleLinux", "RedHat", "10.0", "CentOS Stream", "Oracle Linux Server 10.0",
		"6.12.0-102.36.5.2.el10uek.x86_64", calledOf("Ol")),
	linux("centos-8", "CentOS", "RedHat", "8", "", "CentOS Stream release 8", "4.18.0-553.6.1.el8.x86_64",
		calledOf("CentOSStream"), unverified),
	linux("centos-9", "CentOS", "RedHat", "9", "", "CentOS Stream release 9", "5.14.0-446.el9.x86_64",
		calledOf("CentOSStream")),
	linux("centos-10", "CentOS", "RedHat", "10", "Coughlan", "CentOS Stream release 10 (Coughlan)",
		"6.12.0-35.el10.x86_64",
		calledOf("CentOSStream")),
	linux("amazon-2", "Amazon", "RedHat", "2", "Karoo", "Amazon Linux release 2 (Karoo)", "4.14.314-237.533.amzn2.x86_64",
		policy("")),
	linux("amazon-2023", "Amazon", "RedHat", "2023.0", "Amazon Linux",
		"Amazon Linux release 2023.9.20251020 (Amazon Linux)",
		"6.1.155-176.282.amzn2023.x86_64", permissive),
	linux("fedora-42", "Fedora", "RedHat", "42", "Adams", "Fedora release 42 (Adams)", "6.17.4-200.fc42.x86_64",
		policy("35")),
	linux("fedora-43", "Fedora", "RedHat", "43", "Forty Three", "Fedora release 43 (Forty Three)",
		"6.17.7-300.fc43.x86_64",
		policy("35")),
	linux("sles-15", "SLES", "Suse", "15.2", "n/a", "SUSE Linux Enterprise Server 15 SP2", "5.3.18-22-default",
		calledOf("SUSE")),
	{ID: "freebsd-13", OS: "FreeBSD", Release: "13", Full: "13.5-RELEASE", family: "FreeBSD",
		kernelRelease: "13.5-RELEASE"},
	{ID: "freebsd-14", OS: "FreeBSD", Release: "14", Full: "14.3-RELEASE", family: "FreeBSD",
		kernelRelease: "14.3-RELEASE"},
	{ID: "macos-13", OS: "Darwin", Release: "22", Full: "22.6.0", family: "Darwin", codename: "13.6",
		kernelRelease: "22.6.0", Unverified: true},
	{ID: "macos-14", OS: "Darwin", Release: "23", Full: "23.6.0", family: "Darwin", codename: "14.6",
		kernelRelease: "23.6.0", Unverified: true},
	{ID: "windows-2019", OS: "windows", Release: "2019", Full: "2019", family: "windows", codename: "1809",
		kernelRelease: "10.0.17763"},
	{ID: "windows-2022", OS: "windows", Release: "2022", Full: "2022", family: "windows", codename: "21H2",
		kernelRelease: "10.0.20348"},
	{ID: "windows-2025", OS: "windows", Release: "2025", Full: "2025", family: "windows", codename: "24H2",
		kernelRelease: "10.0.26100"},
}

// Unix reports whether the system is a Unix that is laid out as Linux is: neither Windows nor macOS.
func (s System) Unix() bool { return s.family != "windows" && s.family != "Darwin" }

// FindSystem finds a system by its ID.
func FindSystem(id string) (System, bool) {
	i := slices.IndexFunc(Systems, func(s System) bool { return strings.EqualFold(s.ID, id) })
	if i < 0 {
		return System{}, false
	}
	return Systems[i], true
}

// SystemOf finds the system that a module's metadata.json names: an operating system and one of its releases, "" for
// the newest.
func SystemOf(os, release string) (System, bool) {
	release = strings.TrimPrefix(strings.TrimPrefix(release, "Server "), "server ")
	if other := otherNames[strings.ToLower(os)]; other != "" {
		os = other
	}
	if minor, _, cut := strings.Cut(release, "."); cut && !strings.EqualFold(os, "Ubuntu") {
		release = minor
	}
	for i := len(Systems) - 1; i >= 0; i-- {
		if s := Systems[i]; strings.EqualFold(s.OS, os) && (release == "" || s.Release == release) {
			return s, true
		}
	}
	return System{}, false
}

// otherNames are what people call systems in metadata.json besides what facter does.
var otherNames = map[string]string{"amazonlinux": "Amazon", "macos": "Darwin", "osx": "Darwin", "suse": "SLES",
	"oel":  "OracleLinux",
	"rhel": "RedHat", "alma": "AlmaLinux"}

// Facts are those of a machine with the system and a name. legacy adds facter's old names, which Puppet 7 has.
func (s System) Facts(node string, legacy bool) *Facts {
	f, err := Parse(source.NewFile(s.ID+" (built in)", s.JSON(node, legacy)), node)
	if err != nil {
		panic("facts: the built-in facts of " + s.ID + ": " + err.Error())
	}
	return f
}

// Names are the names of all facts of a machine with the system, the old ones too.
func (s System) Names() []string {
	t := s.all("x.example.com", true)
	names := make([]string, len(t))
	for i, e := range t {
		names[i] = e.name
	}
	return names
}

// Under are the names that a structured fact has below a path, such as os.release; none if it has no structure there.
func (s System) Under(path string) (names []string) {
	if below, is := s.all("x.example.com", false).at(path).(tree); is {
		for _, e := range below {
			names = append(names, e.name)
		}
	}
	return names
}

func (s System) all(node string, legacy bool) tree {
	t := s.tree(node)
	if legacy {
		t = append(t, legacyOf(t)...)
	}
	return t
}

// JSON is the text of Facts, as facter writes it.
func (s System) JSON(node string, legacy bool) string {
	t := s.all(node, legacy)
	slices.SortFunc(t, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	var b strings.Builder
	t.write(&b, 0)
	return b.String() + "\n"
}

// A tree is a fact that has parts, in their order.
type tree []entry

type entry struct {
	name  string
	value any // a string, an int, a float64, a bool, a []any, or a tree
}

func (t tree) at(path string) any {
	name, rest, more := strings.Cut(path, ".")
	for _, e := range t {
		if e.name != name {
			continue
		}
		if !more {
			return e.value
		}
		if sub, ok := e.value.(tree); ok {
			return sub.at(rest)
		}
	}
	return nil
}

func (t tree) write(b *strings.Builder, depth int) {
	indent := strings.Repeat("  ", depth+1)
	b.WriteString("{")
	for i, e := range t {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n" + indent + strconv.Quote(e.name) + ": ")
		writeFact(b, e.value, depth+1)
	}
	if len(t) > 0 {
		b.WriteString("\n" + indent[2:])
	}
	b.WriteString("}")
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func writeFact(b *strings.Builder, v any, depth int) {
	switch v := v.(type) {
	case tree:
		v.write(b, depth)
	case string:
		b.WriteString(`"` + escaped.Replace(v) + `"`)
	case []any:
		b.WriteString("[")
		for i, x := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			writeFact(b, x, depth+1)
		}
		b.WriteString("]")
	case float64:
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0" // it stays a float
		}
		b.WriteString(text)
	default:
		fmt.Fprint(b, v)
	}
}

const (
	gib = 1 << 30
	mib = 1 << 20
)

// amount is a number of bytes in the forms that facter has for it.
func amount(bytes int) string {
	switch {
	case bytes >= gib:
		return fmt.Sprintf("%.2f GiB", float64(bytes)/gib)
	case bytes >= mib:
		return fmt.Sprintf("%.2f MiB", float64(bytes)/mib)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// room is a store of which something is used.
func room(total, used int, names [3]string) tree {
	capacity := fmt.Sprintf("%.2f%%", 100*float64(used)/float64(total))
	if used == 0 {
		capacity = "0%"
	}
	free := total - used
	return tree{
		{names[0], amount(free)}, {names[0] + "_bytes", free}, {"capacity", capacity},
		{names[1], amount(total)}, {names[1] + "_bytes", total}, {names[2], amount(used)}, {names[2] + "_bytes", used},
	}
}

var memoryNames = [3]string{"available", "total", "used"}

// mount is a mounted file system.
func mount(device, kind string, options ...any) tree {
	t := append(tree{}, room(40*gib, 2*gib, [3]string{"available", "size", "used"})...)
	return append(t, entry{"device", device}, entry{"filesystem", kind}, entry{"options", options})
}

// network is a network interface, or what networking says of the primary one.
func network(ip, netmask, net, ip6, netmask6, net6, scope string) tree {
	return tree{{"ip", ip}, {"ip6", ip6}, {"netmask", netmask}, {"netmask6", netmask6}, {"network", net},
		{"network6", net6}, {"scope6", scope}}
}

func bound(address, netmask, network string) tree {
	return tree{{"address", address}, {"netmask", netmask}, {"network", network}}
}

// networking is one interface with an address, and the loopback.
func (s System) networking(node, primary, loopback, mac string) tree {
	host, domain, _ := strings.Cut(node, ".")
	const ip, netmask, net = "192.0.2.10", "255.255.255.0", "192.0.2.0"
	const ip6, netmask6, net6 = "2001:db8::10", "ffff:ffff:ffff:ffff::", "2001:db8::"
	const all6 = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
	own := append(tree{
		{"bindings", []any{bound(ip, netmask, net)}},
		{"bindings6", []any{append(bound(ip6, netmask6, net6), entry{"scope6", "global"})}},
	}, network(ip, netmask, net, ip6, netmask6, net6, "global")...)
	own = append(own, entry{"mac", mac}, entry{"mtu", 1500})
	interfaces := tree{{primary, own}}
	if loopback != "" {
		lo := append(tree{
			{"bindings", []any{bound("127.0.0.1", "255.0.0.0", "127.0.0.0")}},
			{"bindings6", []any{append(bound("::1", all6, "::1"), entry{"scope6", "host"})}},
		}, network("127.0.0.1", "255.0.0.0", "127.0.0.0", "::1", all6, "::1", "host")...)
		interfaces = append(interfaces, entry{loopback, append(lo, entry{"mtu", 65536})})
	}
	t := tree{{"fqdn", node}, {"hostname", host}, {"interfaces", interfaces}}
	if domain != "" {
		t = append(tree{{"domain", domain}}, t...)
	}
	if s.family == "Debian" || s.family == "windows" {
		t = append(t, entry{"dhcp", "192.0.2.1"})
		for i := range own { // the interface has it, too
			if own[i].name == "ip" {
				own = slices.Insert(own, i, entry{"dhcp", "192.0.2.1"})
				interfaces[0].value = own
				break
			}
		}
	}
	t = append(t, network(ip, netmask, net, ip6, netmask6, net6, "global")...)
	return append(t, entry{"mac", mac}, entry{"mtu", 1500}, entry{"primary", primary})
}

// hostKeys are the keys of a machine's SSH server, which are none.
func hostKeys() (t tree) {
	for _, k := range [][3]string{{"ecdsa", "3", "ecdsa-sha2-nistp256"}, {"ed25519", "4", "ssh-ed25519"},
		{"rsa", "1", "ssh-rsa"}} {
		t = append(t, entry{k[0], tree{
			{"fingerprints", tree{
				{"sha1", "SSHFP " + k[1] + " 1 " + strings.Repeat("0", 40)},
				{"sha256", "SSHFP " + k[1] + " 2 " + strings.Repeat("0", 64)},
			}},
			{"key", "AAAAinvented"}, {"type", k[2]},
		}})
	}
	return t
}

// version is a release as os.release has it.
func version(full string) tree {
	major, minor, has := strings.Cut(full, ".")
	t := tree{{"full", full}, {"major", major}}
	if has {
		t = append(t, entry{"minor", minor})
	}
	return t
}

// kernelVersions are what kernelversion and kernelmajversion make of a release.
func kernelVersions(release string) (version, major string) {
	version = release
	if i := strings.IndexAny(release, "-+"); i >= 0 {
		version = release[:i]
	}
	parts := strings.Split(version, ".")
	return version, strings.Join(parts[:min(2, len(parts))], ".")
}

const agentVersion = "8.11.0"

// tree is the facts.
func (s System) tree(node string) tree {
	kernel, major := kernelVersions(s.kernelRelease)
	t := tree{
		{"clientcert", node}, {"clientnoop", false}, {"clientversion", agentVersion},
		{"facterversion", "4.11.0"}, {"is_virtual", true}, {"puppetversion", agentVersion}, {"timezone", "UTC"},
		{"system_uptime", tree{{"days", 0}, {"hours", 1}, {"seconds", 3600}, {"uptime", "1:00 hours"}}},
		{"ssh", hostKeys()},
	}
	switch s.family {
	case "FreeBSD":
		return append(t, s.freebsd(node)...)
	case "Darwin":
		return append(t, s.darwin(node)...)
	case "windows":
		return append(t, s.windows(node)...)
	}
	arch := "x86_64"
	release := version(s.Full)
	if s.family == "Debian" {
		arch = "amd64"
	}
	if s.OS == "Ubuntu" {
		release = tree{{"full", s.Full}, {"major", s.Full}}
	}
	distro := tree{{"description", s.description}, {"id", s.distro}, {"release", release}}
	if s.codename != "" {
		distro = append(tree{{"codename", s.codename}}, distro...)
	}
	selinux := tree{{"enabled", false}}
	if s.policy != "" {
		mode := "enforcing"
		if s.permissive {
			mode = "permissive"
		}
		selinux = tree{{"config_mode", mode}, {"config_policy", "targeted"}, {"current_mode", mode}, {"enabled", true},
			{"enforced", !s.permissive}, {"policy_version", s.policy}}
	}
	system := room(2*gib, 512*mib, memoryNames)
	options := []any{"rw", "relatime"}
	path := "/opt/puppetlabs/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	return append(t, tree{
		{"aio_agent_version", agentVersion},
		{"augeas", tree{{"version", "1.14.1"}}},
		{"disks", tree{{"sda", tree{{"model", "QEMU HARDDISK"}, {"size", amount(40 * gib)}, {"size_bytes", 40 * gib},
			{"type", "hdd"},
			{"vendor", "QEMU"}}}}},
		{"dmi", tree{
			{"bios", tree{{"release_date", "04/01/2014"}, {"vendor", "SeaBIOS"}, {"version", "1.16.2"}}},
			{"board", tree{{"manufacturer", "QEMU"}, {"product", "Standard PC"}, {"serial_number", "0"}}},
			{"chassis", tree{{"type", "Other"}}},
			{"manufacturer", "QEMU"},
			{"product", tree{{"name", "Standard PC (Q35 + ICH9, 2009)"}, {"serial_number", "0"},
				{"uuid", "00000000-0000-4000-8000-000000000010"}, {"version", "pc-q35-7.2"}}},
		}},
		{"filesystems", map[string]string{"ext4": "ext2,ext3,ext4", "xfs": "xfs"}[s.filesystem]},
		{"fips_enabled", false},
		{"hypervisors", tree{{"kvm", tree{}}}},
		{"identity", tree{{"gid", 0}, {"group", "root"}, {"privileged", true}, {"uid", 0}, {"user", "root"}}},
		{"kernel", "Linux"}, {"kernelmajversion", major}, {"kernelrelease", s.kernelRelease}, {"kernelversion", kernel},
		{"load_averages", tree{{"15m", 0.01}, {"1m", 0.02}, {"5m", 0.03}}},
		{"memory", tree{{"system", system}}},
		{"mountpoints", tree{
			{"/", mount("/dev/sda1", s.filesystem, options...)},
			{"/dev/shm", mount("tmpfs", "tmpfs", "rw", "nosuid", "nodev")},
			{"/run", mount("tmpfs", "tmpfs", "rw", "nosuid", "nodev", "mode=755")},
		}},
		{"networking", s.networking(node, "eth0", "lo", "02:00:00:00:00:10")},
		{"os", tree{{"architecture", arch}, {"distro", distro}, {"family", s.family}, {"hardware", "x86_64"}, {"name", s.OS},
			{"release", release}, {"selinux", selinux}}},
		{"partitions", tree{{"/dev/sda1", tree{{"filesystem", s.filesystem}, {"mount", "/"}, {"partuuid", "00000000-01"},
			{"size", amount(40 * gib)}, {"size_bytes", 40 * gib}, {"uuid", "00000000-0000-4000-8000-000000000011"}}}}},
		{"path", path},
		{"processors", tree{{"cores", 2}, {"count", 2}, {"extensions", []any{"x86_64", "x86_64-v1", "x86_64-v2"}},
			{"isa", "x86_64"},
			{"models", []any{"QEMU Virtual CPU", "QEMU Virtual CPU"}}, {"physicalcount", 1}, {"speed", "2.40 GHz"},
			{"threads", 1}}},
		{"ruby", tree{{"platform", "x86_64-linux"}, {"sitedir", "/opt/puppetlabs/puppet/lib/ruby/site_ruby/3.2.0"},
			{"version", "3.2.9"}}},
		{"virtual", "kvm"},
	}...)
}

func (s System) freebsd(node string) tree {
	number, branch, _ := strings.Cut(s.Full, "-")
	release := append(tree{{"branch", branch}}, version(number)...)
	release[1].value = s.Full
	swap := append(room(2*gib, 0, memoryNames), entry{"encrypted", false})
	return tree{
		{"augeas", tree{{"version", "1.14.0"}}},
		{"disks", tree{{"ada0", tree{{"model", "QEMU HARDDISK"}, {"serial_number", "0"}, {"size", amount(40 * gib)},
			{"size_bytes", 40 * gib}}}}},
		{"dmi", tree{
			{"bios", tree{{"release_date", "04/01/2014"}, {"vendor", "SeaBIOS"}, {"version", "1.16.2"}}},
			{"manufacturer", "QEMU"},
			{"product", tree{{"name", "Standard PC"}, {"serial_number", "0"}, {"uuid", "00000000-0000-4000-8000-000000000010"}}},
		}},
		{"identity", tree{{"gid", 0}, {"group", "wheel"}, {"privileged", true}, {"uid", 0}, {"user", "root"}}},
		{"kernel", "FreeBSD"}, {"kernelmajversion", s.Release}, {"kernelrelease", s.kernelRelease}, {"kernelversion", number},
		{"load_averages", tree{{"15m", 0.01}, {"1m", 0.02}, {"5m", 0.03}}},
		{"memory", tree{{"swap", swap}, {"system", room(2*gib, 512*mib, memoryNames)}}},
		{"mountpoints", tree{{"/", mount("zroot/ROOT/default", "zfs", "noatime", "local")},
			{"/dev", mount("devfs", "devfs")}}},
		{"networking", s.networking(node, "em0", "lo0", "02:00:00:00:00:10")},
		{"os", tree{{"architecture", "amd64"}, {"family", "FreeBSD"}, {"hardware", "amd64"}, {"name", "FreeBSD"},
			{"release", release}}},
		{"partitions", tree{{"ada0p1", tree{{"partlabel", "zfs0"}, {"partuuid", "00000000-0000-4000-8000-000000000011"},
			{"size", amount(40 * gib)}, {"size_bytes", 40 * gib}}}}},
		{"path", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		{"processors", tree{{"count", 2}, {"isa", "amd64"}, {"models", []any{"QEMU Virtual CPU", "QEMU Virtual CPU"}},
			{"speed", "2.40 GHz"}}},
		{"ruby", tree{{"platform", "amd64-freebsd" + s.Release}, {"sitedir", "/usr/local/lib/ruby/site_ruby/3.3"},
			{"version", "3.3.9"}}},
		{"virtual", "kvm"},
		{"zfs_featurenumbers", "1,2,3,4,5"}, {"zfs_version", "5"},
		{"zpool_featureflags", "async_destroy,empty_bpobj,lz4_compress"}, {"zpool_featurenumbers", "28,5000"},
		{"zpool_version", "5000"},
	}
}

func (s System) darwin(node string) tree {
	macos := s.codename
	major, minor, _ := strings.Cut(macos, ".")
	return tree{
		{"aio_agent_version", agentVersion},
		{"augeas", tree{{"version", "1.14.1"}}},
		{"dmi", tree{{"product", tree{{"name", "VirtualMac2,1"}}}}},
		{"filesystems", "apfs,autofs,devfs"},
		{"identity", tree{{"gid", 0}, {"group", "wheel"}, {"privileged", true}, {"uid", 0}, {"user", "root"}}},
		{"kernel", "Darwin"}, {"kernelmajversion", s.Release + ".6"}, {"kernelrelease", s.kernelRelease},
		{"kernelversion", s.kernelRelease},
		{"load_averages", tree{{"15m", 0.01}, {"1m", 0.02}, {"5m", 0.03}}},
		{"memory", tree{{"system", room(8*gib, 4*gib, memoryNames)}}},
		{"mountpoints", tree{{"/", mount("/dev/disk3s1", "apfs", "readonly", "local", "journaled")}}},
		{"networking", s.networking(node, "en0", "lo0", "02:00:00:00:00:10")},
		{"os", tree{{"architecture", "x86_64"}, {"family", "Darwin"}, {"hardware", "x86_64"},
			{"macosx", tree{{"build", "22G000"},
				{"product", "macOS"}, {"version", tree{{"full", macos}, {"major", major}, {"minor", minor}}}}}, {"name", "Darwin"},
			{"release", version(s.Full)}}},
		{"path", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/opt/puppetlabs/bin"},
		{"processors", tree{{"cores", 2}, {"count", 2}, {"isa", "i386"}, {"models", []any{"Virtual CPU", "Virtual CPU"}},
			{"physicalcount", 1}, {"speed", "2.40 GHz"}, {"threads", 1}}},
		{"ruby", tree{{"platform", "x86_64-darwin"}, {"sitedir", "/opt/puppetlabs/puppet/lib/ruby/site_ruby/3.2.0"},
			{"version", "3.2.9"}}},
		{"virtual", "vmware"},
	}
}

func (s System) windows(node string) tree {
	const root = `C:\Windows`
	windows := tree{{"display_version", s.codename}, {"edition_id", "ServerStandard"}, {"installation_type", "Server"},
		{"product_name", "Windows Server " + s.Release + " Standard"}, {"release_id", s.codename},
		{"system32", root + `\system32`}}
	if s.Release == "2019" { // it had only the other name of it
		windows = windows[1:]
	}
	return tree{
		{"aio_agent_version", agentVersion},
		{"dmi", tree{{"manufacturer", "QEMU"}, {"product", tree{{"name", "Standard PC"}, {"serial_number", "0"},
			{"uuid", "00000000-0000-4000-8000-000000000010"}}}}},
		{"env_windows_installdir", `C:\Program Files\Puppet Labs\Puppet`},
		{"fips_enabled", false},
		{"hypervisors", tree{{"kvm", tree{}}}},
		{"identity", tree{{"privileged", true}, {"user", `EXAMPLE\Administrator`}}},
		{"kernel", "windows"}, {"kernelmajversion", "10.0"}, {"kernelrelease", s.kernelRelease},
		{"kernelversion", s.kernelRelease},
		{"memory", tree{{"system", room(4*gib, 2*gib, memoryNames)}}},
		{"networking", s.networking(node, "Ethernet", "", "02:00:00:00:00:10")},
		{"os", tree{{"architecture", "x64"}, {"family", "windows"}, {"hardware", "x86_64"}, {"name", "windows"},
			{"release", tree{{"full", s.Release}, {"major", s.Release}}}, {"windows", windows}}},
		{"path", `C:\Program Files\Puppet Labs\Puppet\bin;` + root + `\system32;` + root + `;` + root + `\System32\Wbem`},
		{"processors", tree{{"cores", 2}, {"count", 2}, {"isa", "x64"}, {"models", []any{"QEMU Virtual CPU"}},
			{"physicalcount", 1}, {"threads", 1}}},
		{"ruby", tree{{"platform", "x64-mingw32"}, {"sitedir",
			"C:/Program Files/Puppet Labs/Puppet/puppet/lib/ruby/site_ruby/3.2.0"},
			{"version", "3.2.9"}}},
		{"virtual", "kvm"},
	}
}

// Other is another machine with the same system and name: what does not follow from the system is otherwise there. An
// error that both meet does not hang on what was invented.
func (s System) Other(node string, legacy bool) *Facts {
	t := s.tree(node).another("")
	if legacy {
		t = append(t, legacyOf(t)...)
	}
	var b strings.Builder
	t.write(&b, 0)
	f, err := Parse(source.NewFile(s.ID+" (built in, another machine)", b.String()), node)
	if err != nil {
		panic("facts: the built-in facts of another " + s.ID + ": " + err.Error())
	}
	return f
}

var otherNumbers = strings.NewReplacer("192.0.2.", "198.51.100.", "2001:db8::", "2001:db8:ff::", "02:00:00:00:00:10",
	"02:00:00:00:00:99",
	"00000000-0000-4000-8000", "ffffffff-ffff-4fff-8fff", "QEMU", "Example", "kvm", "physical")

// another makes everything other that belongs to a machine rather than to its system and its agent.
func (t tree) another(path string) tree {
	out := make(tree, 0, len(t))
	for _, e := range t {
		at := strings.TrimPrefix(path+"."+e.name, ".")
		switch top, _, _ := strings.Cut(at, "."); {
		case slices.Contains([]string{"os", "kernel", "kernelmajversion", "kernelrelease", "kernelversion", "identity",
			"path", "ruby",
			"clientcert", "clientnoop", "clientversion", "puppetversion", "facterversion", "aio_agent_version", "augeas"}, top):
		case at == "networking.interfaces":
			e.value = append(tree{}, e.value.(tree).another(at)...)
			if list := e.value.(tree); len(list) > 0 {
				list[0].name = "ens192"
			}
		case at == "networking.primary":
			e.value = "ens192"
		case at == "networking.fqdn" || at == "networking.hostname" || at == "networking.domain":
		case at == "is_virtual":
			e.value = false
		case at == "timezone":
			e.value = "CET"
		default:
			switch v := e.value.(type) {
			case tree:
				e.value = v.another(at)
			case string:
				e.value = otherNumbers.Replace(v)
			case int:
				e.value = v * 4
			case []any:
				list := slices.Clone(v)
				for i, x := range list {
					if s, ok := x.(string); ok {
						list[i] = otherNumbers.Replace(s)
					} else if sub, ok := x.(tree); ok {
						list[i] = sub.another(at)
					}
				}
				e.value = list
			}
		}
		out = append(out, e)
	}
	return out
}
