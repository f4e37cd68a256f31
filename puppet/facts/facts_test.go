package facts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/provenance"
	"bunraku/puppet/value"
	"bunraku/source"
)

func TestShapes(t *testing.T) {
	plain := `{"networking":{"fqdn":"Web1.Example.com","ip":"10.0.0.1"},"os":{"family":"Debian"},"nothing":null,"list":[1,null,{"a":null}]}`
	for name, c := range map[string]struct{ text, name string }{
		"facter json": {plain, "Web1.Example.com"},
		"facter yaml": {"networking:\n  fqdn: Web1.Example.com\n  ip: 10.0.0.1\nos: {family: Debian}\nnothing: " +
			"~\nlist: [1, ~, {a: ~}]\n", "Web1.Example.com"},
		"symbol keys": {":networking:\n  :fqdn: Web1.Example.com\n  :ip: 10.0.0.1\n:os: {family: Debian}\n:nothing: " +
			"~\n:list: [1, ~, {a: ~}]\n", "Web1.Example.com"},
		"puppet facts": {`{"name":"cert1","values":` + plain + `,"timestamp":"2026-01-01T00:00:00Z"}`, "cert1"},
		"server's yaml": {"--- !ruby/object:Puppet::Node::Facts\nname: cert2\nvalues:\n  networking: {fqdn: " +
			"Web1.Example.com, ip: 10.0.0.1}\n  os: {family: Debian}\n  nothing:\n  list: [1, ~, {a: ~}]\n", "cert2"},
		"factset":          {`{"certname":"cert3","environment":"prod","facts":{"href":"/x","data":[{"name":"networking","value":{"fqdn":"Web1.Example.com","ip":"10.0.0.1"}},{"name":"os","value":{"family":"Debian"}},{"name":"nothing","value":null},{"name":"list","value":[1,null,{"a":null}]}]}}`, "cert3"},
		"factsets":         {`[{"certname":"cert3","facts":{"data":[{"name":"networking","value":{"fqdn":"Web1.Example.com","ip":"10.0.0.1"}},{"name":"os","value":{"family":"Debian"}},{"name":"nothing","value":null},{"name":"list","value":[1,null,{"a":null}]}]}}]`, "cert3"},
		"facts of a query": {`[{"certname":"cert4","name":"networking","value":{"fqdn":"Web1.Example.com","ip":"10.0.0.1"}},{"certname":"cert4","name":"os","value":{"family":"Debian"}},{"certname":"cert4","name":"nothing","value":null},{"certname":"cert4","name":"list","value":[1,null,{"a":null}]}]`, "cert4"},
		"inventory": {`{"certname":"cert5","environment":"production","facts":` + plain +
			`,"trusted":{"certname":"cert5"}}`, "cert5"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Parse(source.NewFile("f", c.text), "file-name")
			if err != nil {
				t.Fatal(err)
			}
			if f.Name != c.name {
				t.Errorf("name %q, want %q", f.Name, c.name)
			}
			want := value.NewHash(value.String("networking"),
				value.NewHash(value.String("fqdn"), value.String("Web1.Example.com"), value.String("ip"), value.String("10.0.0.1")),
				value.String("os"), value.NewHash(value.String("family"), value.String("Debian")), value.String("nothing"),
				value.String(""),
				value.String("list"), value.NewArray(value.Int(1), value.String(""),
					value.NewHash(value.String("a"), value.String(""))))
			if !value.Same(f.Values, want) {
				t.Errorf("got  %s\nwant %s", value.Inspect(f.Values), value.Inspect(want))
			}
			if p, ok := f.Place("networking.ip"); !ok || p.Text() != `"10.0.0.1"` && p.Text() != "10.0.0.1" {
				t.Errorf("place of networking.ip: %q", p.Text())
			}
			tr := provenance.NewTrace()
			traced, _ := f.Traced(tr)
			list := traced.At("list").(*value.Array)
			if l, ok := tr.Where(list.Ref(0)); !ok || l.Path != "list.0" || l.Kind != provenance.Fact || l.Place.Text() != "1" {
				t.Errorf("provenance of list.0: %v %v", l, ok)
			}
			if !value.Same(traced, f.Values) {
				t.Error("tracing changed the facts")
			}
		})
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		`{"fqdn":"a.b"}`: "a.b", `{"networking":{"fqdn":"x.y"},"fqdn":"a.b"}`: "x.y", `{"clientcert":"c"}`: "c",
		`{"hostname":"h"}`: "h", `{"os":1}`: "web9", `{"name":"n","os":1}`: "web9", `{"values":{"a":1}}`: "web9",
	} {
		f, err := Parse(source.NewFile("f", text), "web9")
		if err != nil || f.Name != want {
			t.Errorf("%s: %v %v, want %s", text, f, err, want)
		}
	}
	for _, text := range []string{"", "[1]", "just text", `[{"certname":"a","facts":{}},{"certname":"b","facts":{}}]`, "{",
		"a: [", "a: 2020-01-01\n"} {
		if _, err := Parse(source.NewFile("f", text), "x"); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestTrusted(t *testing.T) {
	got := value.Inspect(Trusted("web1.example.com", nil, nil))
	if want := `{"authenticated"=>"remote", "certname"=>"web1.example.com", "extensions"=>{}, "hostname"=>"web1", "domain"=>"example.com", "external"=>{}}`; got != want {
		t.Errorf("got %s", got)
	}
	if Trusted("web1", nil, nil).At("domain") != value.Value(value.Undef{}) {
		t.Error("a name without dots has no domain")
	}
}

// The facts of the sites and of our example read.
func TestReadFiles(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(live.Root(), "examples/*/facts/*.json"))
	if len(paths) == 0 {
		t.Fatal("no example facts")
	}
	more, _ := filepath.Glob(filepath.Join(live.Root(), "internal/live/testdata/facts/*.json"))
	if len(more) == 0 {
		t.Fatal("no facts of the sites")
	}
	paths = append(paths, more...)
	for _, p := range paths {
		f, err := Read(view(p), p)
		if err != nil {
			t.Error(p, err)
			continue
		}
		if f.Values.Len() == 0 || f.Name == "" {
			t.Errorf("%s: %q with %d facts", p, f.Name, f.Values.Len())
		}
	}
	if _, err := Read(view("testdata"), "testdata/nowhere.json"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func view(path string) source.Files { return source.NewDir(source.DirOptions{Roots: []string{path}}) }

func FuzzParse(f *testing.F) {
	f.Add(`{"a":1}`)
	f.Add(`[{"certname":"c","name":"n","value":1}]`)
	f.Add("a: 1\n")
	f.Add(`{"certname":"c","facts":{"data":[{"name":"n","value":1}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		all, err := ParseAll(source.NewFile("f", text), "x")
		if err != nil {
			return
		}
		for _, x := range all {
			x.Traced(provenance.NewTrace())
		}
	})
}

// The structured fact of an old name is spelt as the node spells it.
func TestModern(t *testing.T) {
	f, err := Parse(source.NewFile("n.json", `{"networking": {"interfaces": {"eth0.1": {}}}, "disks": {"nvme0-1": {}}}`),
		"n")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"osfamily": "os.family true",
		"ipaddress_eth0_1": "networking.interfaces.eth0.1.ip true",
		"netmask6_lo":      "networking.interfaces.lo.netmask6 true", "processor3": "processors.models.3 true",
		"blockdevice_nvme0_1_size": "disks.nvme0-1.size_bytes true", "sshrsakey": "ssh.rsa.key true",
		"sshfp_rsa": "ssh.rsa.fingerprints false", "memorysize_mb": "memory.system.total_bytes false",
		"interfaces": "networking.interfaces false", "role": " false", "processors": " false", "kernel": " false"} {
		path, exact := Modern(name, f.Values)
		if got := fmt.Sprint(strings.Join(path, "."), " ", exact); got != want {
			t.Errorf("%s: %s, should be %s", name, got, want)
		}
	}
}
