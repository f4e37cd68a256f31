package facts

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bunraku/puppet/value"
	"bunraku/source"
)

// FuzzNameIn: a name that is found without reading the facts is the one that reading them finds.
func FuzzNameIn(f *testing.F) {
	for _, text := range []string{
		`{"networking":{"fqdn":"x.y","hostname":"x"},"fqdn":"a.b","clientcert":"c","hostname":"h"}`,
		`{"networking":{"hostname":"x"},"hostname":"h"}`, `{"fqdn":"a.b"}`, `{"fqdn":"","clientcert":"c"}`, `{"fqdn":1}`,
		`{"fqdn":null,"hostname":"h","os":{"fqdn":"no"},"list":[{"fqdn":"no"}]}`, ` { "fqdn" : "a.b" } `, `{}`, `{"a":1,}`,
		`{"values":{"fqdn":"a"},"name":"n"}`, `{"facts":{"fqdn":"a"}}`, `{"fqdn":"a","trusted":{"certname":"b"}}`,
		`{"fqdn":"a\"b"}`, `{"\u0066qdn":"a"}`, `{"fqdn":a.b}`, `{"networking":{fqdn: a}}`, `{"networking":"none","fqdn":"a"}`,
		`{"networking":{"fqdn":"a"},"networking":{"hostname":"b"}}`, `[{"certname":"a"}]`, "fqdn: a.b\n", `{"fqdn":"a"}}`,
		`{"x":"}\",{","fqdn":"a"}`, `{"fqdn":"a" "hostname":"b"}`, "{\"fqdn\":\"a\tb\"}", `{"fqdn":"a`, `{"a":{"b":[1}],"fqdn":"a"}`,
		`{"fqdn":"a"#}` + "\n}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, known := nameIn(text)
		all, err := ParseAll(source.NewFile("f.json", text), "stem")
		if !known || err != nil {
			return
		}
		if name == "" {
			name = "stem"
		}
		if len(all) != 1 || all[0].Name != name {
			t.Errorf("%q: %q, but read: %q", text, name, all[0].Name)
		}
	})
}

// TestLight: light facts are those of their file, or trouble.
func TestLight(t *testing.T) {
	dir := t.TempDir()
	view := func() source.Files { return source.NewDir(source.DirOptions{Roots: []string{dir}}) }
	at := filepath.Join(dir, "web1.json")
	write := func(text string) {
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	light := func() *Facts {
		t.Helper()
		all, err := ReadLight(view, at)
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		return all[0]
	}
	for text, want := range map[string]string{
		`{"fqdn":"a.b","x":1}`:                 "a.b",
		`{"x":1}`:                              "web1",
		"fqdn: c\nx: 1\n":                      "c",
		`{"name":"d","values":{"x":1}}`:        "d",
		`{"fqdn":"\u0061","x":1}`:              "a",
		`{"facts":{"fqdn":"e.f","x":1}}`:       "e.f",
		`{"fqdn":"g","x":1,"trusted":{"y":2}}`: "g",
	} {
		write(text)
		x := light()
		if _, is := x.Light(); !is || x.Values != nil || x.Name != want {
			t.Errorf("%s: %q, values %v", text, x.Name, x.Values)
		}
		if full := x.Loaded(); full.Name != want || full.Values.At("x") != value.Value(value.Int(1)) || full.Trouble != nil {
			t.Errorf("%s: loaded %q %v", text, full.Name, full.Values)
		}
	}
	x := light()
	write(`{"fqdn":"a.b","x":2}`)
	if got := x.Loaded(); got.Trouble == nil || got.Trouble.Code != "F0103" || got.Values.Len() != 0 {
		t.Errorf("facts that have changed: %v", got.Trouble)
	}
	x = light()
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if got := x.Loaded(); got.Trouble == nil || !strings.Contains(got.Trouble.Summary, "web1.json") {
		t.Errorf("facts that are gone: %v", got.Trouble)
	}
	write(`{"fqdn":"a.b","x":[1,}`)
	if all, err := ReadLight(view, at); err == nil {
		if got := all[0].Loaded(); got.Trouble == nil || got.Trouble.Code != "F0102" || got.Name != all[0].Name {
			t.Errorf("broken facts: %v", got.Trouble)
		}
	}
	write(`[{"certname":"a","facts":{"x":1}},{"certname":"b","facts":{"x":2}}]`)
	if all, err := ReadLight(view, at); err != nil || len(all) != 2 || all[1].Values.At("x") != value.Value(value.Int(2)) {
		t.Errorf("facts of two nodes: %v %v", all, err)
	}
}

// TestLightIsLight: of a file whose facts are not read, nothing stays in memory but the name.
func TestLightIsLight(t *testing.T) {
	dir := t.TempDir()
	view := func() source.Files { return source.NewDir(source.DirOptions{Roots: []string{dir}}) }
	at := filepath.Join(dir, "web1.json")
	const size, nodes = 1 << 19, 64
	text := `{"networking":{"fqdn":"a.b"},"x":"` + strings.Repeat("x", size) + `"}`
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var all []*Facts
	before := live()
	for range nodes {
		x, err := ReadLight(view, at)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, x...)
	}
	if more := int64(live()) - int64(before); more > nodes*size/8 {
		t.Errorf("%d nodes of %d bytes of facts keep %d bytes", nodes, size, more)
	}
	runtime.KeepAlive(all)
}
