package catalog_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// Ruby reads our YAML as the data that our JSON has.
func TestYAMLIsTheSameData(t *testing.T) {
	dir := t.TempDir()
	catalogs := []*catalog.Catalog{oddCatalog()}
	for _, file := range recorded(t) {
		catalogs = append(catalogs, read(t, file))
	}
	var names []string
	for i, c := range catalogs {
		name := filepath.Join(dir, strings.Repeat("c", i+1))
		y, err := catalog.YAML{}.Append(nil, c)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, y, 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	script := filepath.Join(dir, "yaml.rb")
	os.WriteFile(script,
		[]byte("require 'yaml'\nrequire 'json'\nSTDIN.each_line(chomp: true) { |f| puts "+
			"JSON.generate(YAML.safe_load(File.read(f))) }\n"), 0o644)
	lines := strings.Split(strings.TrimSpace(live.Ruby(t, script, strings.Join(names, "\n"))), "\n")
	for i, c := range catalogs {
		want, _ := catalog.JSON{}.Append(nil, c)
		if lines[i] != string(want) {
			t.Errorf("catalog %d: Ruby reads\n%.2000s\nwant\n%.2000s", i, lines[i], want)
		}
	}
}

// oddCatalog has a resource for every string that could be misread.
func oddCatalog() *catalog.Catalog {
	c := &catalog.Catalog{Name: "odd", Version: value.Int(1), Format: 2}
	r := &catalog.Resource{Type: "Notify", Title: "x: #y", Kind: catalog.CompilableType}
	for _, s := range []string{"", "yes", "No", "1", "1:30", "0o17", "010", "1e3", "~", "null", "2001-01-01", "a: b",
		"a #b", "- x", "[x]", "{x}", "*a", "&a", "!a", "|", ">", "%a",
		"@a", "`a", "\"q\"", "'q'", "a\nb\n", "a\nb", "\na\n", " a\nb\n", "a\n\nb\n", "a\r\nb\n",
		"\x00\x7f\u0085\u00a0\u2028\ufeff", "é😀", "tail ", "a:", ":a", "=", ".inf", "-", "?", "a\tb\n\tc\n", "x\n\n"} {
		r.Params = append(r.Params, catalog.Param{Name: s, Value: value.NewArray(value.String(s), value.NewArray(),
			value.NewHash(value.String(s), value.NewHash()))})
	}
	c.Resources = []*catalog.Resource{r}
	return c
}

func secretCatalog() *catalog.Catalog {
	secret := value.String("hunter2")
	c := &catalog.Catalog{Name: "n", Environment: "e", Version: value.Int(0), Format: 2}
	c.Resources = []*catalog.Resource{
		{Type: "Class", Title: "Main::Db", Kind: catalog.Class, File: "site.pp", Line: 3,
			Params: []catalog.Param{{Name: "password", Value: secret}}, Sensitive: []string{"password"}},
		{Type: "File", Title: "/a", Kind: catalog.CompilableType, File: "site.pp", Line: 9, Params: []catalog.Param{
			{Name: "ensure", Value: value.String("file")},
			{Name: "content", Value: value.String("one\n  two\n\nthree")},
			{Name: "require", Value: value.Strings("Class[Main::Db]", "File[/b]")},
			{Name: "other", Value: value.NewHash(value.String("k"), &value.Sensitive{Value: secret})}}},
		{Type: "File", Title: "/b", Kind: catalog.CompilableType, Exported: true},
	}
	c.Edges = []catalog.Edge{{Source: c.Resources[0], Target: c.Resources[1]}}
	c.Seal()
	return c
}

func TestTextListing(t *testing.T) {
	const want = `# Catalog of n, environment e

# site.pp:3
class { 'main::db':
  password => Sensitive [value redacted],
}

# site.pp:9, in Class[Main::Db]
file { '/a':
  ensure  => 'file',
  content => @(END),
    one
      two

    three
    |- END
  require => [Class['main::db'], File['/b']],
  other   => {'k' => Sensitive [value redacted]},
}

@@file { '/b':
}
`
	if got := string(catalog.Text{}.Append(nil, secretCatalog())); got != want {
		t.Errorf("got\n%s", got)
	}
}

// No human output shows a secret unless asked to.
func TestSecretsStayHidden(t *testing.T) {
	c := secretCatalog()
	other := secretCatalog()
	other.Resources[0].Params[0].Value = value.String("swordfish")
	other.Resources[1].Params = other.Resources[1].Params[:3]
	j, _ := catalog.JSON{Redact: true, Indent: true}.Append(nil, c)
	y, _ := catalog.YAML{Redact: true}.Append(nil, c)
	for name, out := range map[string]string{
		"text": string(catalog.Text{}.Append(nil, c)), "json": string(j), "yaml": string(y),
		"diff": strings.Join(catalog.Diff(c, other), "\n"),
		"dot":  string(catalog.NewGraph(c, resource.Core{}).AppendDOT(nil)),
	} {
		if strings.Contains(out, "hunter2") || strings.Contains(out, "swordfish") || out == "" {
			t.Errorf("%s: %s", name, out)
		}
	}
	clear, _ := catalog.JSON{}.Append(nil, c)
	if strings.Count(string(clear), "hunter2") != 2 || strings.Count(string(catalog.Text{Reveal: true}.Append(nil, c)),
		"hunter2") != 2 {
		t.Error("the agent does not get its secrets")
	}
}

func TestWriteErrorsNameTheAttribute(t *testing.T) {
	c := secretCatalog()
	c.Resources[1].Params[0].Value = value.String("a\xffb")
	out, err := catalog.JSON{}.Append(nil, c)
	if err == nil || err.Error() != "File[/a] ensure: source sequence is illegal/malformed utf-8" {
		t.Errorf("error %v", err)
	}
	var v any
	if json.Unmarshal(out, &v) != nil {
		t.Errorf("no JSON: %s", out)
	}
}

// someType stands for package types, which is above what a catalog knows.
type someType struct {
	value.TypeMark
	ref string
}

func (t someType) String() string              { return "Some['x']" }
func (t someType) Name() string                { return "Some" }
func (t someType) EqualType(o value.Type) bool { return o == value.Type(t) }
func (t someType) Reference() (string, bool)   { return t.ref, t.ref != "" }

func TestTypesOnTheWire(t *testing.T) {
	v := value.NewHash(someType{ref: "Some[x]"}, value.NewArray(someType{ref: "Some[y]"}, someType{}))
	data := func(value.Value) (value.Value, error) {
		return value.NewHash(value.String("__ptype"), value.String("Pcore::SomeType")), nil
	}
	for _, c := range []struct {
		o    catalog.JSON
		want string
	}{
		{catalog.JSON{}, `{"Some[x]":["Some[y]",{"__ptype":"Pcore::TypeReference","type_string":"Some['x']"}]}`},
		{catalog.JSON{Types: data}, `{"Some[x]":["Some[y]",{"__ptype":"Pcore::SomeType"}]}`},
	} {
		if got, err := c.o.AppendValue(nil, v); err != nil || string(got) != c.want {
			t.Errorf("%s %v, want %s", got, err, c.want)
		}
	}
	// An array with a reference anywhere in it is flattened on its way to the catalog; others are not.
	nested := value.NewArray(value.String("a"), value.NewArray(someType{ref: "Some[y]"}))
	params, err := catalog.WireParams(nil, catalog.Name{Type: "D", Title: "x"}, []catalog.Param{{Name: "p", Value: nested},
		{Name: "q", Value: value.NewArray(value.Strings("a"))}})
	if err != nil || params[0].Value.(*value.Array).Len() != 2 || params[1].Value.(*value.Array).Len() != 1 ||
		len(params) != 2 {
		t.Errorf("%v %v", params, err)
	}
}

func TestDiffNamesEveryDifference(t *testing.T) {
	a, b := secretCatalog(), secretCatalog()
	if d := catalog.Diff(a, b); len(d) != 0 {
		t.Errorf("equal catalogs differ: %v", d)
	}
	b.Classes = []string{"x"}
	b.Resources[1].Line = 10
	b.Resources[1].Params[0].Value = value.String("link")
	b.Resources[2].Title = "/c"
	b.Edges = nil
	b.Seal()
	want := []string{
		"classes: x, was nothing", "- File[/b]", "+ File[/c]", "File[/a] line: 10, was 9",
		`File[/a] ensure: "link", was "file"`, "edge: - Class[Main::Db] → File[/a]",
	}
	if d := catalog.Diff(a, b); !reflect.DeepEqual(d, want) {
		t.Errorf("got %q", d)
	}
	b = secretCatalog()
	b.Resources[0], b.Resources[2] = b.Resources[2], b.Resources[0]
	if d := catalog.Diff(a, b); len(d) != 1 || !strings.HasPrefix(d[0], "order: position 1 is File[/b]") {
		t.Errorf("got %q", d)
	}
}
