package catalog_test

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

var record = flag.Bool("record", false, "ask real Puppet for the catalogs of testdata/*/*.txtar")

// goldens are archives with site.pp, and catalog.json as JSON.pretty_generate prints what Puppet compiles of it.
func goldens(t *testing.T) map[string]*txtar.Archive {
	t.Helper()
	files, _ := filepath.Glob("testdata/*/*.txtar")
	archives := map[string]*txtar.Archive{}
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		archives[f] = a
	}
	if !*record {
		return archives
	}
	var in strings.Builder
	for _, f := range files {
		line, _ := json.Marshal(string(archives[f].Files[0].Data))
		in.Write(append(line, '\n'))
	}
	for i, line := range strings.Split(strings.TrimSpace(live.Ruby(t, "testdata/compile.rb", in.String(), "--pretty")),
		"\n") {
		a := archives[files[i]]
		var text string
		if err := json.Unmarshal([]byte(line), &text); err != nil {
			t.Fatalf("%s: %s", files[i], line)
		}
		a.Files = append(a.Files[:1], txtar.File{Name: "catalog.json", Data: []byte(text + "\n")})
		if err := os.WriteFile(files[i], txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return archives
}

func TestGoldenCatalogsRoundTrip(t *testing.T) {
	for f, a := range goldens(t) {
		want := strings.TrimSpace(string(a.Files[1].Data))
		c, err := catalog.Read([]byte(want))
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if got, err := (catalog.JSON{Indent: true}).Append(nil, c); err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s", f, err, got)
		}
	}
}

// A value that was made here is written as Puppet writes the one its manifest makes.
func TestRichValuesAsPuppet(t *testing.T) {
	a := goldens(t)["testdata/rich/values.txtar"]
	c, err := catalog.Read(a.Files[1].Data)
	if err != nil {
		t.Fatal(err)
	}
	re, _ := value.NewRegexp("a.b/c")
	ver, _ := value.ParseSemVer("1.2.3-rc1+b")
	rng, _ := value.ParseSemVerRange(">=1.0.0 <2.0.0")
	ts, _ := value.ParseTimestamp("2016-01-02T03:04:05.5 UTC", nil, false, "")
	span, _ := value.ParseTimespan("1-02:03:04.5", value.DefaultSpanFormats, true)
	uri, _ := value.ParseURI("http://a/b?c#d")
	x, _ := value.NewRegexp("x")
	values := map[string]value.Value{
		"regexp": re, "default": value.Default{}, "semver": ver, "range": rng, "ts": ts, "span": span, "uri": uri,
		"bin":  value.Binary("hello"),
		"sens": value.NewArray(&value.Sensitive{Value: value.String("x")}),
		"def": &value.Deferred{Name: "join", Args: value.NewArray(value.NewArray(value.Int(1), value.Int(2)),
			value.String(","))},
		"hash": value.NewHash(value.Int(1), value.Int(2), value.String("a"),
			value.NewHash(value.String("__ptype"), value.String("x")), value.Undef{}, value.Int(3), value.Default{}, x),
		"float": value.NewArray(value.Float(1), value.Float(1e20), value.Float(1e-7), value.Float(123456789.123)),
		"str":   value.String("tab\t\u0001 \u007f é 😀 / \\ \" \u2028 "),
	}
	for title, v := range values {
		want, _ := catalog.JSON{}.AppendValue(nil, c.Find("D["+title+"]").Get("v"))
		if got, err := (catalog.JSON{}).AppendValue(nil, v); err != nil || string(got) != string(want) {
			t.Errorf("%s: %s, want %s (%v)", title, got, want, err)
		}
	}
}

// declaration is a resource as a manifest has it.
type declaration struct {
	typ, title string
	params     []catalog.Param
}

func str(name, v string) catalog.Param { return catalog.Param{Name: name, Value: value.String(v)} }

// Duplicates, aliases and the attributes that titles leave are those that Puppet reports and sends.
func TestDeclarationsAsPuppet(t *testing.T) {
	undef := func(name string) catalog.Param { return catalog.Param{Name: name, Value: value.Undef{}} }
	cases := [][]declaration{
		{{"file", "/tmp/foo/", []catalog.Param{str("ensure", "directory")}}},
		{{"file", "/a", nil}, {"file", "/a/", nil}},
		{{"file", "/a/", nil}, {"file", "/a", nil}},
		{{"file", "x", []catalog.Param{str("path", "/a")}}, {"file", "/a", nil}},
		{{"file", "/a", nil}, {"file", "x", []catalog.Param{str("path", "/a")}}},
		{{"file", "/a", nil}, {"file", "/a", nil}},
		{{"file", "x", []catalog.Param{str("mode", "1"), str("name", "/a"), undef("owner")}}},
		{{"file", "x", []catalog.Param{str("name", "/a")}}, {"file", "/a", nil}},
		{{"file", "x", []catalog.Param{str("path", "x")}}},
		{{"package", "p", []catalog.Param{str("name", "p")}}},
		{{"package", "p", nil}, {"package", "q", []catalog.Param{str("name", "p")}}},
		{{"package", "p", nil}, {"package", "q", []catalog.Param{str("name", "p"), str("provider", "gem")}}},
		{{"package", "p", []catalog.Param{str("provider", "gem")}},
			{"package", "q", []catalog.Param{str("name", "p"), str("provider", "gem")}}},
		{{"exec", "/bin/a", nil}, {"exec", "b", []catalog.Param{str("command", "/bin/a")}}},
		{{"notify", "a", []catalog.Param{str("alias", "b")}}, {"notify", "b", nil}},
		{{"notify", "b", nil}, {"notify", "a", []catalog.Param{str("alias", "b")}}},
		{{"notify", "a", []catalog.Param{str("alias", "a")}}},
		{{"notify", "a", []catalog.Param{{Name: "alias", Value: value.Strings("b", "c")}}},
			{"notify", "d", []catalog.Param{str("alias", "c")}}},
		{{"service", "s", []catalog.Param{str("name", "t")}}, {"service", "t", nil}},
		{{"user", "u", []catalog.Param{{Name: "groups", Value: value.NewArray(value.Undef{}, value.String("a"))}}}},
		{{"sshkey", "h@ssh-rsa", []catalog.Param{str("key", "x")}}, {"sshkey", "h", []catalog.Param{str("type", "ssh-rsa")}}},
		{{"mount", "/m/", []catalog.Param{str("device", "d")}}, {"mount", "/m", nil}},
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	one := func(of ...string) string { return of[rnd.IntN(len(of))] }
	random := 80
	if thorough() {
		random = 2000
	}
	for range random {
		var decls []declaration
		for range 1 + rnd.IntN(3) {
			d := declaration{typ: one("file", "file", "package", "notify", "service", "exec", "sshkey", "cron")}
			names := []string{"/a", "/a/", "/b", "/a//", "/", "C:/"}
			if d.typ != "file" && d.typ != "exec" {
				names = []string{"a", "b", "a@b", "A"}
			}
			d.title = one(names...)
			for _, attr := range []string{"alias", "name", resource.Known(d.typ).Namevar(), "provider", "tag"} {
				if rnd.IntN(4) == 0 && resource.Known(d.typ).Accepts(attr) &&
					(&catalog.Resource{Params: d.params}).Param(attr) == nil {
					d.params = append(d.params, str(attr, one(names...)))
				}
			}
			d.params = slices.DeleteFunc(d.params, func(p catalog.Param) bool {
				return p.Name == "tag" &&
					!strings.Contains("ab", value.ToString(p.Value))
			})
			decls = append(decls, d)
		}
		cases = append(cases, decls)
	}
	var in strings.Builder
	for _, decls := range cases {
		var src strings.Builder
		for _, d := range decls {
			src.WriteString(d.typ + " { " + value.Quote(d.title) + ":")
			for i, p := range d.params {
				if i > 0 {
					src.WriteString(",")
				}
				src.WriteString(" " + p.Name + " => " + value.Literal(p.Value))
			}
			src.WriteString(" }\n")
		}
		line, _ := json.Marshal(src.String())
		in.Write(append(line, '\n'))
	}
	for i, line := range strings.Split(strings.TrimSpace(live.Ruby(t, "testdata/compile.rb", in.String())), "\n") {
		got := declare(cases[i])
		var failed struct{ Error string }
		if json.Unmarshal([]byte(line), &failed); failed.Error != "" {
			if !strings.Contains(failed.Error, got) || got == "" || strings.HasPrefix(got, "{") {
				t.Errorf("case %d: %v\n%s\nPuppet says %s", i, cases[i], got, failed.Error)
			}
			continue
		}
		c, err := catalog.Read([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		var want []byte
		for _, r := range c.Resources {
			if r.Kind == catalog.CompilableType && r.Type != "Stage" {
				want, _ = catalog.JSON{}.AppendResource(append(want, '\n'), &catalog.Resource{Type: r.Type, Title: r.Title,
					Params: r.Params})
			}
		}
		if got != strings.TrimSpace(string(want)) {
			t.Errorf("case %d: %v\nours\n%s\nPuppet's%s", i, cases[i], got, want)
		}
	}
}

// declare gives the resources as JSON, or the first error.
func declare(decls []declaration) string {
	var index catalog.Index[int]
	var out []byte
	for i, d := range decls {
		typ := resource.Known(d.typ)
		n := catalog.Name{Type: value.CapitalizeSegments(d.typ), Title: d.title}
		r := &catalog.Resource{Type: n.Type, Title: n.Title, Params: d.params}
		clash, err := index.Declare(typ, n, i, r.Get)
		if err != nil {
			return err.Error()
		}
		if clash != nil {
			place := func(i int) string { return "(file: site.pp, line: " + string(rune('1'+i)) + ")" }
			return clash.Message(n.String(), place(i), place(clash.Existing))
		}
		if r.Params, err = catalog.WireParams(typ, n, d.params); err != nil {
			return err.Error()
		}
		out, _ = catalog.JSON{}.AppendResource(append(out, '\n'), r)
	}
	return strings.TrimSpace(string(out))
}
