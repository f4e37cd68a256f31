package facts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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
		files = slices.DeleteFunc(files, func(f string) bool { return number(f) < 409 }) // an old facter has other facts
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
		if ds := differences(shapeOf(t, text), shapeOf(t, []byte(s.JSON("foo.example.com", false)))); len(ds) > 0 {
			t.Errorf("%s, against %s:\n  %s", s.ID, filepath.Base(filepath.Dir(files[len(files)-1])), strings.Join(ds, "\n  "))
		} else {
			agree++
		}
	}
	t.Logf("score: built-in facts %d/%d (systems whose names and types are facterdb's)", agree, compared)
}

// number makes the version in a path comparable.
func number(path string) int {
	var major, minor int
	fmt.Sscanf(filepath.Base(filepath.Dir(path)), "%d.%d", &major, &minor)
	return major*100 + minor
}

// On Debian 12, facter itself is asked: what it says of this machine, the old names too, has the types that ours have.
// (A machine of tests may lack facts about hardware that a real one has.)
func TestSystemsAgainstFacter(t *testing.T) {
	live.Puppet(t) // which brings facter
	release, _ := os.ReadFile("/etc/os-release")
	if !strings.Contains(string(release), "VERSION_CODENAME=bookworm") {
		t.Skip("this is not Debian 12")
	}
	out, err := live.Command("facter", "--show-legacy", "--json").Output()
	if len(out) == 0 { // it may print all and still fail, for want of a program that one fact asks
		t.Fatal("facter cannot be run: ", err)
	}
	ours := shapeOf(t, []byte(mustSystem("debian-12").JSON("foo.example.com", true)))
	n := 0
	for name, typ := range shapeOf(t, out) {
		if got, has := ours[name]; has && typ != "<nil>" {
			if n++; got != typ {
				t.Errorf("%s is %s, facter has %s", name, got, typ)
			}
		}
	}
	if n < 60 {
		t.Errorf("only %d facts in common", n)
	}
}

func mustSystem(id string) System {
	s, ok := FindSystem(id)
	if !ok {
		panic(id)
	}
	return s
}
