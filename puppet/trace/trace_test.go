package trace

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

func parse(t *testing.T, text string) *syntax.File {
	t.Helper()
	f, ds := syntax.Parse(source.NewFile("a.pp", text), syntax.Options{})
	if ds.HasErrors() {
		t.Fatal(ds[0].Summary)
	}
	return f
}

// digests are the pieces of a text by name.
func digests(t *testing.T, text string) map[string]string {
	out := map[string]string{}
	for name, p := range PiecesOf(parse(t, text)).named {
		out[name] = string(p.Digest())
		var tests Text
		for _, x := range p.Tests() {
			tests.Value(LiteralValue(x))
		}
		out["tests of "+name] = string(tests)
	}
	return out
}

const piecesText = `class a(String $x = 'd', $y = undef) {
  if $x == 'e' and $y { notify { 'then': } } else { }
  case $x { 'a': { notify { 'one': } } default: { } }
  $z = $x ? { 'a' => 'sel', default => 'other' }
  [1, 2].each |$i| { notify { "n${i}": } $v = 'in' }
  $w = 'set'
  notify { lookup('k', { 'default_value' => ['d'] }): message => lookup('k', String, 'first', 'four') }
  File <| tag == 'q' and title == 'r' |> { mode => '0644' }
}
define b { notify { 'in b': } }
notify { 'top': }
`

// A change is seen in the piece that it stands in, and in no other; in the outline only if it is about names and types.
func TestPieces(t *testing.T) {
	was := digests(t, piecesText)
	outline := string(Outline([]*syntax.File{parse(t, piecesText)}, true))
	for _, c := range []struct{ from, to, piece string }{
		{"# ", "# ", ""},
		{"class a(", "# comment\n\nclass a(", ""},
		{"'then'", "'THEN'", "class a/2"},
		{"and $y", "and $x", "class a/1"},
		{"$x == 'e'", "$x == 'f'", "tests of class a"},
		{"'a': {", "'b': {", "tests of class a"},
		{"{ 'a' => 'sel'", "{ undef => 'sel'", "tests of class a"},
		{"$w = 'set'", "$w = 'SET'", "class a/9"},
		{"$w = 'set'", "$w = { 1 => [2] }", "class a/9"},
		{"['d']", "['D']", "class a/10"},
		{"['d']", "[$x]", "class a, class a/10"},
		{"'four'", "'FOUR'", "class a/11"},
		{"lookup('k', {", "lookup('K', {", "class a"},
		{"$v = 'in'", "$v = 'IN'", "class a/8"},
		{"'one'", "'ONE'", "class a/4"},
		{"'sel'", "'SEL'", "class a/6"},
		{`"n${i}"`, `"m${i}"`, "class a/8"},
		{"tag == 'q'", "tag == 'p'", "class a"},
		{"title == 'r'", "title == 's'", "class a"},
		{"'in b'", "'in B'", "define b"},
		{"'top'", "'TOP'", "main"},
		{"= 'd'", "= 'D'", "class a $x"},
		{"else { }", "else { notify { 'more': } }", "class a"},
		{"String $x", "Integer $x", "outline"},
		{"define b {", "define b($p) {", "outline"},
		{"define b {", "define c {", "outline"},
	} {
		text := strings.Replace(piecesText, c.from, c.to, 1)
		is := digests(t, text)
		var changed []string
		for _, name := range slices.Sorted(maps.Keys(was)) {
			if _, there := is[name]; there && is[name] != was[name] {
				changed = append(changed, name)
			}
		}
		if string(Outline([]*syntax.File{parse(t, text)}, true)) != outline {
			changed = append(changed, "outline")
		}
		if c.to == "define c {" { // and what is named by it
			changed = []string{"outline"}
		}
		if strings.Join(changed, ", ") != c.piece {
			t.Errorf("%s → %s changes %q, not %q", c.from, c.to, changed, c.piece)
		}
	}
}

// All of a parameter's type counts, also an expression in it.
func TestOutlineTypes(t *testing.T) {
	const text = "class a(Integer[0, (1 == 2) ? { true => 1, default => 2 }] $x) { }"
	was := string(Outline([]*syntax.File{parse(t, text)}, true))
	for _, c := range [][2]string{{"== 2", "== 1"}, {"=> 1", "=> 3"}, {"true", "false"}} {
		if string(Outline([]*syntax.File{parse(t, strings.Replace(text, c[0], c[1], 1))}, true)) == was {
			t.Errorf("%s → %s does not count", c[0], c[1])
		}
	}
}

// The order of definitions in a file does not matter, that of node statements does.
func TestOutlineOrder(t *testing.T) {
	outline := func(text string) string { return string(Outline([]*syntax.File{parse(t, text)}, true)) }
	if outline("class a { } class b { }") != outline("class b { }\n# moved\nclass a { }") {
		t.Error("the order of classes matters")
	}
	if outline("class a { } class a { }") == outline("class a { }") {
		t.Error("a class that is there twice is as good as one")
	}
}

// Every field of a node that could hold a place is left out, and every other one is written: what a new field is must
// be decided.
func TestPlacesAreCut(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(typ.Elem())
		case reflect.Struct:
			if seen[typ] || typ == spanType {
				return
			}
			seen[typ] = true
			for _, i := range planOf(typ).fields {
				f := typ.Field(i)
				if k := f.Type.Kind(); k == reflect.Uint32 || k == reflect.Int || k == reflect.Map || k == reflect.Func {
					t.Errorf("%s.%s is a %s: is it a place?", typ, f.Name, f.Type)
				}
				walk(f.Type)
			}
		}
	}
	for _, n := range []any{syntax.Class{}, syntax.Define{}, syntax.Function{}, syntax.NodeDef{}, syntax.TypeAlias{},
		syntax.Epp{}, syntax.If{}, syntax.Case{}, syntax.Selector{}, syntax.Call{}, syntax.MethodCall{}, syntax.Resource{},
		syntax.Defaults{}, syntax.Override{}, syntax.Collect{}, syntax.Binary{}, syntax.Unary{}, syntax.Assign{},
		syntax.Relation{}, syntax.Access{}, syntax.Interpolated{}, syntax.Heredoc{}, syntax.Hash{}, syntax.List{},
		syntax.Int{}, syntax.Float{}, syntax.Str{}, syntax.Var{}, syntax.Ref{}, syntax.Regexp{}, syntax.Render{},
		syntax.RenderString{}} {
		walk(reflect.TypeOf(n))
	}
}

// A stored trace is the same one; what is no trace is an error, never a panic.
func TestStored(t *testing.T) {
	k := Key("k")
	var text Text
	list := value.NewArray(value.Int(1), value.Bool(true), value.Undef{}, value.Float(1.5))
	text.Value(value.NewHash(value.String("a"), list))
	tr := &Trace{Failed: true, Entries: []*Entry{
		{Question{Datum, "/e/data/common.yaml", "b"}, k.Sum(text)}, {Question{Datum, "/e/data/common.yaml", "a"}, k.Sum(nil)},
		{Question{Kind: Program}, Answer{1}}, {Question{Fact, "facts\x00os\x00family\x00", ""}, Answer{2}}}}
	stored, err := tr.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back Trace
	if err := back.UnmarshalBinary(stored); err != nil || !back.Failed || !reflect.DeepEqual(back.Entries, tr.Sorted()) {
		t.Errorf("came back as %v, %v", back, err)
	}
	for i := range stored {
		cut, bent := append([]byte(nil), stored[:i]...), append([]byte(nil), stored...)
		bent[i] ^= 0x81
		var no Trace
		if err := no.UnmarshalBinary(cut); err == nil {
			t.Errorf("%d bytes of it are a trace", i)
		}
		no.UnmarshalBinary(bent) // it may be another one
	}
	if k.Sum(text) == Key("other").Sum(text) {
		t.Error("digests do not depend on the key")
	}
}

// The kinds have names.
func TestKinds(t *testing.T) {
	if len(kindNames) != int(lastKind) {
		t.Errorf("%d kinds, %d names", lastKind, len(kindNames))
	}
}
