package lookup_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bunraku/provenance"
	"bunraku/puppet/lookup"
	"bunraku/puppet/value"
	"bunraku/source"
)

// bigSite has eight levels whose paths depend on facts, four of them without a file, and 2,000 keys.
func bigSite(t testing.TB) (*lookup.Lookup, *testScope) {
	t.Helper()
	dir := t.TempDir()
	var hiera strings.Builder
	hiera.WriteString("version: 5\nhierarchy:\n")
	for i := range 8 {
		fmt.Fprintf(&hiera, "  - name: L%d\n    path: \"%%{trusted.certname}/%%{facts.os.family}/l%d.yaml\"\n", i, i)
	}
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("hiera.yaml", hiera.String())
	for i := 0; i < 8; i += 2 {
		var b strings.Builder
		for k := range 500 {
			fmt.Fprintf(&b, "mod%d::key%d:\n  a: value %d\n  b: [1, 2, \"%%{facts.os.family}\"]\n", k%50, k*8+i, k)
		}
		write(fmt.Sprintf("data/n1/Debian/l%d.yaml", i), b.String())
	}
	scope := &testScope{functions: value.EmptyHash, vars: map[string]value.Value{
		"trusted": value.NewHash(value.String("certname"), value.String("n1")),
		"facts":   value.NewHash(value.String("os"), value.NewHash(value.String("family"), value.String("Debian"))),
	}}
	return lookup.New(lookup.Site{Environment: "production", Dir: dir,
		Module: func(string) (string, string, bool) { return "", "", false }},
		lookup.Options{Files: source.NewDir(source.DirOptions{Roots: []string{dir}})}), scope
}

// BenchmarkAutomatic is what a compile of a real site asks: 4,000 class parameters, of which one in eight has data.
func BenchmarkAutomatic(b *testing.B) {
	for _, traced := range []bool{false, true} {
		b.Run(fmt.Sprintf("traced=%v", traced), func(b *testing.B) {
			l, scope := bigSite(b)
			b.ReportAllocs()
			for b.Loop() {
				var tr *provenance.Trace
				if traced {
					tr = provenance.NewTrace()
				}
				s := l.Session(tr, nil)
				found := 0
				for k := range 4000 {
					res, err := s.Find(fmt.Sprintf("mod%d::key%d", (k/8)%50, k), scope, lookup.Query{})
					if err != nil {
						b.Fatal(err)
					}
					if res.Found {
						found++
					}
				}
				if found != 2000 {
					b.Fatalf("%d found", found)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4000, "ns/lookup")
		})
	}
}

// Many compiles at once share the files.
func TestConcurrent(t *testing.T) {
	l, scope := bigSite(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := l.Session(provenance.NewTrace(), nil)
			for k := range 200 {
				res, err := s.Find(fmt.Sprintf("mod%d::key%d", (k/8)%50, k), scope, lookup.Query{})
				if err != nil || res.Found != (k%2 == 0) {
					t.Errorf("key %d: %v %v", k, res.Found, err)
					return
				}
			}
		}()
	}
	wg.Wait()
}

// FuzzInterpolation: no text in data makes a lookup panic, hang, or answer differently with tracing on.
func FuzzInterpolation(f *testing.F) {
	for _, s := range []string{"%{role}", "%{facts.os.family}", "%{lookup('b')}", "%{alias('h')}", "x %{literal('%')}{y}",
		"%{h.a.'b.c'.0}", "%{}", "%{a..b}", "%{'", "%{lookup(\"a\")}", "%{alias('x')}%{", "%{scope('h')} %{ h }",
		"%{h.list.1}"} {
		f.Add(s, "h.list.0")
	}
	dir := f.TempDir()
	os.MkdirAll(filepath.Join(dir, "data"), 0o755)
	os.WriteFile(filepath.Join(dir, "hiera.yaml"), []byte("version: 5\nhierarchy:\n  - name: F\n    data_hash: fuzz\n"),
		0o644)
	f.Fuzz(func(t *testing.T, text, key string) {
		data := value.NewHash(value.String("a"), value.String(text), value.String("b"), value.String("%{a} "+text),
			value.String("h"), value.NewHash(value.String("list"), value.Strings("x", text)))
		scope := &testScope{vars: map[string]value.Value{"role": value.String("web"), "h": data, "facts": data},
			functions: value.NewHash(value.String("fuzz"), data)}
		l := lookup.New(lookup.Site{Environment: "e", Dir: dir},
			lookup.Options{Files: source.NewDir(source.DirOptions{Roots: []string{dir}})})
		for _, k := range []string{"a", "b", "h", key} {
			plain, err1 := l.Session(nil, nil).Find(k, scope, lookup.Query{})
			traced, err2 := l.Session(provenance.NewTrace(), nil).Find(k, scope, lookup.Query{})
			if (err1 == nil) != (err2 == nil) || plain.Found != traced.Found || err1 == nil &&
				!value.Same(plain.Value, traced.Value) {
				t.Fatalf("%q: %v %v, traced %v %v", k, plain, err1, traced, err2)
			}
		}
	})
}
