package diff

import (
	"strings"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// left compares with rules and filters, and says what is left.
func left(t *testing.T, old, new *catalog.Catalog, ignore, filter []string) string {
	t.Helper()
	rules, err := ParseRules(ignore)
	if err != nil {
		t.Fatal(err)
	}
	filters, err := ParseFilters(filter)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range Compare(Side{Catalog: old}, Side{Catalog: new}, Options{Ignore: rules, Filters: filters}) {
		out = append(out, c.headline())
	}
	return strings.Join(out, "; ")
}

func hash(pairs ...any) value.Value {
	b := value.NewHashBuilder(len(pairs) / 2)
	for i := 0; i < len(pairs); i += 2 {
		v, is := pairs[i+1].(value.Value)
		if s, text := pairs[i+1].(string); text {
			v, is = value.String(s), true
		}
		if !is {
			panic("no value")
		}
		b.SetString(pairs[i].(string), v)
	}
	return b.Hash()
}

// Every kind of expression that octocatalog-diff documents (advanced-ignores.md), with what must stay.
func TestIgnore(t *testing.T) {
	old := cat(
		res("Exec[run]", "command", "/bin/a"),
		res("My::Type[one]", "foo", "x", "list", value.Strings("a", "b")),
		res("File[/etc/motd]", "mode", "0644"),
		res("File[/etc/foo/bar]", "mode", "0644"),
		res("File[/etc/x/foo]", "mode", "0644"),
		res("File[/etc/x/foo/y]", "mode", "0644"),
		res("File[/tmp/foo]", "owner", "joe", "content", "# managed\nold line\nvital\n"),
		res("File[/tmp/root]", "owner", "root"),
		res("File[/tmp/gone]"),
		res("Deep[d]", "opts", hash("a", hash("dont_care", "1", "care", "1"))),
	)
	new := cat(
		res("Exec[run]", "command", "/bin/b"),
		res("My::Type[one]", "bar", "y", "list", value.Strings("b", "a")),
		res("File[/etc/motd]", "mode", "0600"),
		res("File[/etc/foo/bar]", "mode", "0600"),
		res("File[/etc/x/foo]", "mode", "0600"),
		res("File[/etc/x/foo/y]", "mode", "0600"),
		res("File[/tmp/foo]", "owner", "root", "content", "# managed\nnew line\nvital\n"),
		res("File[/tmp/root]", "owner", "jill"),
		res("File[/tmp/came]"),
		res("Deep[d]", "opts", hash("a", hash("dont_care", "2", "care", "1"))),
	)
	const (
		deep   = "Deep[d] opts"
		exec   = "Exec[run] command"
		bar    = "My::Type[one] bar"
		foo    = "My::Type[one] foo"
		list   = "My::Type[one] list"
		motd   = "File[/etc/motd] mode"
		etcFoo = "File[/etc/foo/bar] mode"
		xFoo   = "File[/etc/x/foo] mode"
		xFooY  = "File[/etc/x/foo/y] mode"
		owner  = "File[/tmp/foo] owner"
		text   = "File[/tmp/foo] content"
		root   = "File[/tmp/root] owner"
		gone   = "- File[/tmp/gone]"
		came   = "+ File[/tmp/came]"
	)
	all := []string{deep, exec, bar, foo, list, motd, etcFoo, xFoo, xFooY, owner, text, root, gone, came}
	for _, c := range []struct {
		rule string
		out  []string // what it leaves out
	}{
		{"Nothing[*]", nil},
		{"Exec[*]", []string{exec}},
		{"exec[RUN]", []string{exec}},
		{"My::Type[*]", []string{bar, foo, list}},
		{"File[/etc/motd]", []string{motd}},
		{"File[/etc/foo/*]", []string{etcFoo}},
		{"File[*/foo]", []string{xFoo, owner, text}},
		{"File[/etc/*/foo]", []string{xFoo}},
		{"File[/etc/*/foo/*]", []string{xFooY}},
		{"File['/etc/motd']", nil},
		{"*[*]dont_care", []string{deep}},
		{"*[*]a::dont_care", []string{deep}},
		{"*[*]opts::dont_care", nil},
		{"*[*]::dont_care", nil},
		{"*[*]::parameters::opts::a::dont_care", []string{deep}},
		{"*[*]parameters::owner", []string{owner, root}},
		{"File[/tmp/foo]::parameters::owner", []string{owner}},
		{"File[/tmp/*]::parameters::owner", []string{owner, root}},
		{"File[/tmp/*]+", []string{came}},
		{"File[/tmp/*]-", []string{gone}},
		{"File[/tmp/*]+-", []string{came, gone}},
		{"File[/tmp/*]::parameters::owner=>root", []string{owner, root}},
		{"File[/tmp/*]::parameters::owner=+>root", []string{owner}},
		{"File[/tmp/*]::parameters::owner=->joe", []string{owner}},
		{`File[/tmp/*]::parameters::owner=~>^\+root$`, []string{owner}},
		{`File[/tmp/*]::parameters::owner=~>^-joe$`, []string{owner}},
		{"File[/tmp/*]::parameters::content=~>new LINE", []string{text}},
		{"File[/tmp/*]::parameters::content=~>vital", nil}, // a line that does not change
		{`File[/tmp/foo]::parameters::content=&>^(-old line)|(\+new line)$`, []string{text}},
		{`File[/tmp/foo]::parameters::content=&>^[\-\+](old|new) line$`, []string{text}},
		{`File[/tmp/foo]::parameters::content=&>^-old line$`, nil},
		{"My::Type[*]+::parameters::bar", []string{bar}},
		{"My::Type[*]-::parameters::bar", nil},
		{"My::Type[*]-::parameters::foo", []string{foo}},
		{"My::Type[*]+::parameters::bar=>y", []string{bar}},
		{"My::Type[*]+::parameters::bar=>z", nil},
		{"My::Type[*]::parameters::list=s>=", []string{list}},
		{"My::Type[*]::parameters::foo=s>=", nil},
		{"Exec[*],File[/etc/motd]", []string{exec, motd}},
	} {
		got := left(t, old, new, []string{c.rule}, nil)
		for _, x := range all {
			out := false
			for _, o := range c.out {
				out = out || o == x
			}
			if shown := strings.Contains("; "+got+";", "; "+x+";") || strings.Contains("; "+got, "; "+x+" "); shown == out {
				t.Errorf("%s: %s shown %v, want %v\n%s", c.rule, x, shown, !out, got)
			}
		}
	}
	for _, bad := range []string{"File", "[x]", "File[/a]::x=s>y", "File[/a]::x=~>("} {
		if _, err := ParseRules([]string{bad}); err == nil {
			t.Errorf("%s is no error", bad)
		}
	}
	if r, err := AttributeRules([]string{"::parameters::mode"}); err != nil ||
		!r[0].leads([]string{"parameters", "mode"}) {
		t.Error(err)
	}
}

func TestIgnoreTags(t *testing.T) {
	with := func(r *catalog.Resource, tags ...string) *catalog.Resource { r.Tags = tags; return r }
	old := cat(res("File[/a]", "mode", "1"), res("File[/b]", "mode", "1"), res("Exec[c]", "command", "1"),
		with(res("File[/d]"), "no"))
	new := cat(with(res("File[/a]", "mode", "2"), "no"), with(res("File[/b]", "mode", "2"), "no__file"),
		with(res("Exec[c]", "command", "2"), "no__file"))
	var got []string
	for _, c := range Compare(Side{Catalog: old}, Side{Catalog: new}, Options{IgnoreTags: []string{"no"}}) {
		got = append(got, c.headline())
	}
	if len(got) != 1 || !strings.HasPrefix(got[0], "Exec[c]") {
		t.Errorf("%v", got)
	}
}

// octocatalog-diff's filters, by its documentation (advanced-filter.md).
func TestFilters(t *testing.T) {
	for _, c := range []struct {
		filter   string
		old, new *catalog.Resource
		want     string
	}{
		{"AbsentFile", res("File[/f]", "ensure", "present", "owner", "root", "group", "nobody", "content", "my"),
			res("File[/f]", "ensure", "absent", "owner", "bob"), "File[/f] ensure   'present' → 'absent'"},
		{"AbsentFile", res("File[/f]", "ensure", "present", "owner", "root"),
			res("File[/f]", "ensure", "file", "owner", "root"),
			"File[/f] ensure   'present' → 'file'"},
		{"EquivalentArrayNoDatatypes", res("X[x]", "a", value.NewArray(value.Int(0), value.Int(1))),
			res("X[x]", "a", value.Strings("0", "1")), ""},
		{"EquivalentArrayNoDatatypes", res("X[x]", "a", value.NewArray(value.Float(0), value.Float(1))),
			res("X[x]", "a", value.Strings("0.0", "1.0")), ""},
		{"EquivalentArrayNoDatatypes", res("X[x]", "a", value.NewArray(value.Int(0), value.Int(1))),
			res("X[x]", "a", value.NewArray(value.Float(0), value.Float(1))), ""},
		{"EquivalentArrayNoDatatypes", res("X[x]", "a", value.Strings("0", "1")), res("X[x]", "a", value.Strings("1", "0")),
			"X[x] a   ['0', '1'] → ['1', '0']"},
		{"JSON", res("File[/f.json]", "content", `{"a": 1, "b": [2]}`), res("File[/f.json]", "content",
			"{\n  \"b\": [2],\n  \"a\": 1\n}\n"), ""},
		{"JSON", res("File[/f.txt]", "content", `{"a": 1}`), res("File[/f.txt]", "content", `{"a":1}`),
			`File[/f.txt] content   '{"a": 1}' → '{"a":1}'`},
		{"JSON", res("File[/f.json]", "content", `{"a": 1}`), res("File[/f.json]", "content", `{"a": 2}`),
			`File[/f.json] content   '{"a": 1}' → '{"a": 2}'`},
		{"JSON", res("File[/f.json]", "content", `{"a": 1}`), res("File[/f.json]", "content", `{"a": `),
			`File[/f.json] content   '{"a": 1}' → '{"a": '`},
		{"SingleItemArray", res("X[x]", "a", "b"), res("X[x]", "a", value.Strings("b")), ""},
		{"SingleItemArray", res("X[x]", "a", value.Strings("b")), res("X[x]", "a", "b"), ""},
		{"SingleItemArray", res("X[x]", "a", "b"), res("X[x]", "a", value.Strings("c")), "X[x] a   'b' → ['c']"},
		{"YAML", res("File[/f.yaml]", "content", "a: 1\nb: [2]\n"), res("File[/f.yaml]", "content",
			"# text\nb:\n  - 2\na: 1\n"), ""},
		{"YAML", res("File[/f.yml]", "content", "a: 1"), res("File[/f.yml]", "content", "a: 2"),
			"File[/f.yml] content   'a: 1' → 'a: 2'"},
	} {
		if got := left(t, cat(c.old), cat(c.new), nil, []string{c.filter}); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.filter, got, c.want)
		}
	}
	if _, err := ParseFilters([]string{"Yaml"}); err == nil || !strings.Contains(err.Error(), "YAML") {
		t.Error(err)
	}
}

// One of a pair that is renamed may be left out, and one key of a hash.
func TestIgnoreHalf(t *testing.T) {
	old := cat(res("File[/tmp/a]", "mode", "0600"), res("T[t]", "h", hash("owner", "a", "mode", "1")))
	new := cat(res("File[/tmp/b]", "mode", "0600"), res("T[t]", "h", hash("owner", "b", "mode", "2")))
	if got := left(t, old, new, []string{"File[/tmp/*]+", "T[*]"}, nil); got != "- File[/tmp/a]" {
		t.Error(got)
	}
	rules, err := AttributeRules([]string{"owner"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Compare(Side{Catalog: old}, Side{Catalog: new}, Options{Ignore: rules}) {
		if parts := c.parts(); c.Name.Type == "T" && (len(parts) != 1 || parts[0].path[2] != "mode") {
			t.Error(parts)
		}
	}
	both, err := AttributeRules([]string{"owner", "mode"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Compare(Side{Catalog: old}, Side{Catalog: new}, Options{Ignore: both}) {
		if c.Name.Type == "T" {
			t.Error(c.headline())
		}
	}
	if _, err := ParseRules([]string{"File[/tmp/a],bad"}); err == nil {
		t.Error("what stands behind a comma is no rule, and nobody says so")
	}
}
