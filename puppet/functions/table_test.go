package functions_test

import (
	"os"
	"strings"
	"testing"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Every function that Puppet 7.23 and 8 ship has a record (testdata/names.txt lists them), and every record can be
// used.
func TestTable(t *testing.T) {
	table := functions.Table(source.Puppet7)
	text, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(text)) {
		if table[name] == nil {
			t.Errorf("no record for %s", name)
		}
	}
	for name, f := range table {
		if f.Name != name || !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s: record %q with documentation %q", name, f.Name, f.Doc)
		}
		if f.Raw == nil && len(f.Dispatches) == 0 {
			t.Errorf("%s does nothing", name)
		}
		for _, d := range f.Dispatches {
			c, err := types.Parse(d.Signature, func(n string) (types.T, error) {
				if n == "BlockType" {
					return types.CallableT, nil
				}
				return &types.Object{Of: n}, nil
			})
			if err != nil {
				t.Errorf("%s: %s: %v", name, d.Signature, err)
				continue
			}
			if p := c.(*types.Callable).Params; p != nil && len(p.Types) != len(d.Names) {
				t.Errorf("%s: %s has %d parameters and %d names", name, d.Signature, len(p.Types), len(d.Names))
			}
		}
	}
}

// where compiles an expression with tracing on and says from which text its value (or element i of it) was copied.
func where(t *testing.T, expr string, i int) string {
	t.Helper()
	w := newTestWorld(source.Puppet7)
	var ref provenance.Ref
	w.functions["probe"] = &eval.Function{Name: "probe", Unknown: true, Raw: func(c *eval.Call) (value.Value, error) {
		ref = c.ArgRef(0)
		if a, is := c.Args[0].(*value.Array); is && i >= 0 {
			ref = a.Ref(i)
		}
		return value.Undef{}, nil
	}}
	tree, ds := syntax.Parse(source.NewFile("t.pp", "probe("+expr+")"), syntax.Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	set := eval.Language(7)
	set.Trace, set.Reads = true, true
	r := eval.Compile(w, eval.Input{Node: "n", Environment: "production", Main: []*syntax.File{tree}, Settings: set})
	if r.Failure != nil {
		t.Fatal(r.Failure)
	}
	l, ok := r.Trace.Where(ref)
	if !ok {
		return ""
	}
	return l.Place.Text()
}

// Functions that copy or select keep where their results come from; functions that compute do not claim a place.
func TestFlow(t *testing.T) {
	for _, c := range []struct {
		expr string
		elem int
		want string
	}{
		{"max('a', 'c', 'b')", -1, "'c'"},
		{"min(['b', 'a'])", -1, "'a'"},
		{"keys({'k' => 'v'})", 0, "'k'"},
		{"values({'k' => 'v'})", 0, "'v'"},
		{"flatten([['x'], 'y'])", 1, "'y'"},
		{"sort(['b', 'a'])", 0, "'a'"},
		{"unique(['x', 'y', 'x'])", 1, "'y'"},
		{"filter(['x', 'y']) |$e| { $e == 'y' }", 0, "'y'"},
		{"map(['x', 'y']) |$e| { $e }", 1, "'y'"},
		{"dig({'a' => ['x', 'y']}, 'a', 1)", -1, "'y'"},
		{"get({'a' => ['x', 'y']}, 'a.0')", -1, "'x'"},
		{"get({}, 'a', 'd')", -1, "'d'"},
		{"then('x') |$e| { $e }", -1, "'x'"},
		{"lest(undef) || { 'z' }", -1, "'z'"},
		{"with('p', 'q') |$a, $b| { $b }", -1, "'q'"},
		{"assert_type(String, 's')", -1, "'s'"},
		{"lookup('nope', undef, undef, 'd')", -1, "'d'"},
		{"lookup({'name' => 'nope', 'default_value' => 'd'})", -1, "'d'"},
		{"strip('x')", -1, ""},
		{"join(['a', 'b'])", -1, ""},
		{"upcase(['a', 'b'])", 0, ""},
	} {
		if got := where(t, c.expr, c.elem); got != c.want {
			t.Errorf("%s: copied from %q, want %q", c.expr, got, c.want)
		}
	}
}
