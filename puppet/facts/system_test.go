package facts

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/value"
)

// Every system's facts can be read, with and without the old names, and say which system it is.
func TestSystems(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Systems {
		if seen[s.ID] {
			t.Errorf("%s is there twice", s.ID)
		}
		seen[s.ID] = true
		for _, legacy := range []bool{false, true} {
			f := s.Facts("web1.example.com", legacy)
			if got := dig(f, "os", "name"); got != s.OS {
				t.Errorf("%s: os.name is %q", s.ID, got)
			}
			if got := dig(f, "os", "release", "major"); got != s.Release {
				t.Errorf("%s: os.release.major is %q, not %q", s.ID, got, s.Release)
			}
			if got := dig(f, "networking", "fqdn"); got != "web1.example.com" || f.Name != got {
				t.Errorf("%s: the node is called %q, its fqdn is %q", s.ID, f.Name, got)
			}
			if got := dig(f, "osfamily"); (got == dig(f, "os", "family")) != legacy {
				t.Errorf("%s: osfamily is %q, with old names %v", s.ID, got, legacy)
			}
		}
		var names []string
		for _, e := range s.Facts("web1.example.com", true).Values.Entries() {
			names = append(names, value.ToString(e.Key))
		}
		if got := s.Names(); !slices.Equal(slices.Sorted(slices.Values(got)), names) {
			t.Errorf("%s: the names are %q, not %q", s.ID, got, names)
		}
		if other, ok := FindSystem(strings.ToUpper(s.ID)); !ok || other.ID != s.ID {
			t.Errorf("%s is not found by its name", s.ID)
		}
		if other, ok := SystemOf(s.OS, s.Full); !ok || other.Release != s.Release {
			t.Errorf("%s %s is %s", s.OS, s.Full, other.ID)
		}
	}
	for _, c := range [][3]string{{"windows", "Server 2022", "windows-2022"}, {"Windows", "2019", "windows-2019"},
		{"Debian", "", "debian-13"},
		{"CentOS", "9", "centos-9"}, {"Ubuntu", "22.04", "ubuntu-22.04"}, {"Debian", "7", ""}, {"AIX", "7.1", ""}} {
		if s, _ := SystemOf(c[0], c[1]); s.ID != c[2] {
			t.Errorf("%s %s is %q, want %q", c[0], c[1], s.ID, c[2])
		}
	}
}

func dig(f *Facts, path ...string) string {
	v := value.Value(f.Values)
	for _, p := range path {
		h, ok := v.(*value.Hash)
		if !ok {
			return ""
		}
		if v, ok = h.Get(value.String(p)); !ok {
			return ""
		}
	}
	return value.ToString(v)
}

// own are the parts of facts that belong to one machine: which there are differs from machine to machine.
var own = []string{"mountpoints", "partitions", "disks", "networking.interfaces", "ssh", "hypervisors", "memory.swap",
	"networking.dhcp",
	"os.distro.specification"} // with a program that not everybody installs

// added are facts that agents add, and facter does not have.
var added = []string{"clientcert", "clientnoop", "clientversion", "puppetversion"}

// shape lists the names of facts with the types of their values.
func shape(v any, path string, into map[string]string) {
	if slices.Contains(own, path) || slices.Contains(added, path) {
		return
	}
	if h, ok := v.(map[string]any); ok {
		for k, x := range h {
			shape(x, strings.TrimPrefix(path+"."+k, "."), into)
		}
		return
	}
	into[path] = fmt.Sprintf("%T", v)
}

func shapeOf(t *testing.T, text []byte) map[string]string {
	var v map[string]any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	shape(v, "", m)
	return m
}

func differences(want, got map[string]string) (out []string) {
	for k, w := range want {
		if g := got[k]; g != w {
			out = append(out, fmt.Sprintf("%s is %s there and %s here", k, w, g))
		}
	}
	for k, g := range got {
		if want[k] == "" {
			out = append(out, fmt.Sprintf("%s (%s) is not there", k, g))
		}
	}
	sort.Strings(out)
	return out
}

// Names and types are those of facts that were collected from such machines (facterdb, the newest of each system).
func TestSystemsAgainstFacterDB(t *testing.T) {
	dir := filepath.Join(os.Getenv("BUNRAKU_FETCHED"), "facterdb", "facts")
	if _, err := os.Stat(dir); os.Getenv("BUNRAKU_FETCHED") == "" || err != nil {
		t.Skip("facterdb is not fetched: set BUNRAKU_FETCHED (bench/fetched.txt says what belongs there)")
	}
	agree, compared := 0, 0
	for _, s := range Systems {
		files, _ := filepath.Glob(filepath.Join(dir, "*", s.ID+"-x86_64.facts"))
		if len(files) == 0 {
			if !s.Unverified {
				t.Errorf("%s: nothing to compare with, and it is not marked as unverified", s.ID)
			}
			continue
		}
		if s.Unverified {
			t.Errorf("%s is marked as unverified, and there is something to compare with", s.ID)
		}
		sort.Slice(files, func(i, j int) bool { return number(files[i]) < number(files[j]) })
		text, err := os.ReadFile(files[len(files)-1])
		if err != nil {
			t.Fatal(err)
		}
		compared++
		theirs, ours := shapeOf(t, text), shapeOf(t, []byte(s.JSON("foo.example.com", false)))
		if had := number(files[len(files)-1]); had < 408 {
			for name := range theirs { // what it lists among the others though they are old, or not facter's
				if strings.HasPrefix(name, "scope6_") || name == "gem_version" {
					delete(theirs, name)
				}
			}
			for name, first := range since {
				if had < first {
					delete(ours, name)
				}
			}
		}
		if ds := differences(theirs, ours); len(ds) > 0 {
			t.Errorf("%s, against %s:\n  %s", s.ID, filepath.Base(filepath.Dir(files[len(files)-1])), strings.Join(ds, "\n  "))
		} else {
			agree++
		}
	}
	t.Logf("score: built-in facts %d/%d (systems whose names and types are facterdb's)", agree, compared)
}

// since are facts that facter has not always had, with the version that brought them.
var since = map[string]int{"dmi.product.version": 406, "processors.extensions": 408}

// number makes the version in a path comparable.
func number(path string) int {
	var major, minor int
	fmt.Sscanf(filepath.Base(filepath.Dir(path)), "%d.%d", &major, &minor)
	return major*100 + minor
}

// On Debian 12, facter itself is asked: the names of what it says of this machine, the old ones too, are those that
// ours has, with the same types. How many disks and interfaces there are, and how they are called, differs from machine
// to machine.
func TestSystemsAgainstFacter(t *testing.T) {
	live.Puppet(t) // which brings facter
	release, _ := os.ReadFile("/etc/os-release")
	if !strings.Contains(string(release), "VERSION_CODENAME=bookworm") {
		t.Skip("this is not Debian 12")
	}
	// not those of Debian's modules, which a machine may have or not
	out, err := live.Command("facter", "--show-legacy", "--no-custom-facts", "--no-external-facts", "--json").Output()
	if len(out) == 0 { // it may print all and still fail, for want of a program that one fact asks
		t.Fatal("facter cannot be run: ", err)
	}
	theirs, ours := general(t, out), general(t, []byte(mustSystem("debian-12").JSON("foo.example.com", true)))
	n := 0
	for name, typ := range theirs {
		got, has := ours[name]
		switch {
		case !has:
			t.Errorf("facter has %s (%s), which ours lacks", name, typ)
		case typ == "<nil>": // it could not find out
		case got != typ:
			t.Errorf("%s is %s, facter has %s", name, got, typ)
		default:
			n++
		}
	}
	for name := range ours {
		if _, has := theirs[name]; !has && !slices.ContainsFunc(hardware, func(part string) bool {
			return name == part || strings.HasPrefix(name, part+".") || strings.HasPrefix(name, part+"_")
		}) {
			t.Errorf("ours has %s, which facter lacks", name)
		}
	}
	t.Logf("%d names and types are facter's", n)
	if n < 80 {
		t.Errorf("only %d facts in common", n)
	}
}

// hardware are facts that a machine of tests may lack, since it is a container, has no domain, no keys or no agent:
// what an agent's own packages, the firmware, the clock and the processor say, and the old names of that.
var hardware = append([]string{"aio_agent_version", "dmi", "bios", "boardmanufacturer", "boardproductname",
	"boardserialnumber", "chassistype", "manufacturer", "productname", "serialnumber", "uuid", "virtual", "is_virtual",
	"networking.domain", "domain", "dhcp_servers", "system_uptime", "uptime", "processors.extensions", "blockdevice",
	"sshrsakey", "sshecdsakey", "sshed25519key", "sshfp"}, append(slices.Clone(own), added...)...)

// general is shapeOf with one name for all disks, one for all interfaces but the one that every machine has, and one
// for all processors.
func general(t *testing.T, text []byte) map[string]string {
	var machine struct {
		Disks      map[string]any
		Networking struct{ Interfaces map[string]any }
	}
	if err := json.Unmarshal(text, &machine); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for name, typ := range shapeOf(t, text) {
		for disk := range machine.Disks {
			name = strings.Replace(name, "blockdevice_"+disk+"_", "blockdevice_DISK_", 1)
		}
		for i := range machine.Networking.Interfaces {
			if head, is := strings.CutSuffix(name, "_"+i); is && i != "lo" {
				name = head + "_INTERFACE"
			}
		}
		out[oldProcessor.ReplaceAllString(name, "processorN")] = typ
	}
	return out
}

// The old names of every system are those that facter's own code has for it, patterns included.
func TestLegacyAgainstFacter(t *testing.T) {
	live.Puppet(t)
	const script = `
require 'facter'
require 'json'
under = File.dirname($LOADED_FEATURES.grep(/framework.detector.os_hierarchy\.rb$/).first) + '/../..'
order = Facter::OsHierarchy.new
puts JSON.generate(ARGV.to_h { |os|
  old = {}
  order.construct_hierarchy(os.to_sym).each { |o|
    Dir["#{under}/facts/#{o.downcase}/**/*.rb"].sort.each { |f| require f }
    next unless Facts.const_defined?(o)
    look = lambda { |m|
      m.constants.map { |c| m.const_get(c) }.grep(Module).each { |x|
        if x.is_a?(Class) && x.const_defined?(:FACT_NAME, false)
          now = x::FACT_NAME
          old[now.to_s] = '' if x.const_defined?(:TYPE, false) && x::TYPE == :legacy
          [*x::ALIASES].each { |a| old[a.to_s] = now.to_s } if x.const_defined?(:ALIASES, false)
        end
        look.(x)
      }
    }
    look.(Facts.const_get(o))
  }
  [os, old]
})`
	args := append([]string{"-e", script}, slices.Sorted(maps.Values(facterName))...)
	out, err := live.Command("ruby", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var known map[string]map[string]string // by system and old name, what it is called now
	if err := json.Unmarshal(out, &known); err != nil {
		t.Fatal(err)
	}
	for _, s := range Systems {
		theirs := known[facterName[s.family]]
		if len(theirs) < 40 {
			t.Fatalf("%s: facter has %d old names", s.ID, len(theirs))
		}
		var patterns []*regexp.Regexp
		for name := range theirs {
			patterns = append(patterns, regexp.MustCompile("^"+name+"$"))
		}
		with := shapeOf(t, []byte(s.JSON("a.example.com", true)))
		without := shapeOf(t, []byte(s.JSON("a.example.com", false)))
		have := map[string]bool{}
		for name := range with {
			if _, now := without[name]; now {
				continue
			}
			name, _, _ = strings.Cut(name, ".")
			have[name] = true
			if !slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(name) }) {
				t.Errorf("%s: no facter has the old name %s there", s.ID, name)
			}
		}
		for old, now := range theirs {
			if now == "" {
				now = Legacy[old]
			}
			if _, is := without[now]; is && !strings.Contains(old, "*") && !have[old] {
				t.Errorf("%s: the old name %s of %s is not there", s.ID, old, now)
			}
		}
	}
}

// facterName is what facter's code calls the systems of a family.
var facterName = map[string]string{"Debian": "debian", "RedHat": "rhel", "Suse": "sles", "FreeBSD": "freebsd",
	"Darwin": "macosx", "windows": "windows"}

func mustSystem(id string) System {
	s, ok := FindSystem(id)
	if !ok {
		panic(id)
	}
	return s
}
