package datafile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/provenance"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Documents that show one idea each.
var documents = []string{
	"", "# only a comment\n", "---\n", "--- \n...\n", "--- a\n--- b\n", "a: 1\na: 2\nb: 3\na: 4\n",
	"x: &x {a: 1, b: 2}\ny:\n  <<: *x\n  b: 3\n", "x: &x {a: 1, b: 2}\ny:\n  b: 3\n  <<: *x\n",
	"x: &x {a: 1}\nz: &z {a: 2, c: 3}\ny:\n  <<: [*x, *z]\n",
	"x: &x [1,2]\ny:\n  <<: *x\n", "y:\n  <<: 5\n", "y:\n  <<: [5]\n", "y:\n  \"<<\": {a: 1}\n",
	"y:\n  !!str <<: {a: 1}\n", "x: &x 5\ny: {<<: *x}\n", "y:\n  <<: {a: 1}\n  a: 2\n",
	"a: &a [1, 2]\nb: *a\nc: [*a, *a]\n", "a: *nope\n", ":a: 1\n:b: :c\n'd': :default\n:default: 3\n",
	"1: a\n1.5: b\ntrue: c\n~: d\n[1,2]: e\n? {a: b}\n: f\n",
	"a: |\n  line one\n  line two\nb: >\n  folded\n  text\n\n  para\nc: |-\n  strip\nd: |+\n  keep\n\ne: x\n",
	"- a\n-\n  - b\n  - c\n- - d\n  - e\n", "a: 'it''s'\nb: \"tab\\t\\u00e9\\x41\"\nc: 'x\n  y'\n",
	"{a: [1, 2, {b: c}], 'd': \"e\", f}\n", "[a, b: c, {d}]\n", "a:\n- 1\n- 2\nb: {}\nc: []\nd:\n",
	"!ruby/object:Foo\na: 1\n", "a: !ruby/regexp /x/\n", "a: !!set {b, c}\n", "a: !!omap [b: 1, c: 2]\n",
	"a: !!omap {b: 1}\n",
	"a: !ruby/sym foo\n", "a: !ruby/symbol foo\n", "a: !!binary aGVsbG8=\n", "a: !foo bar\nb: !foo [1]\nc: !foo {d: 1}\n",
	"a: !ruby/array:Foo [1]\n", "a: !ruby/hash:Foo {b: 1}\n", "a: !ruby/struct:Foo {b: 1}\n",
	"a: !ruby/exception {b: 1}\n",
	"a: !!str\n", "a: !!null\nb: !!null x\n", "a: !!bool yes\nb: !!bool 'yes'\nc: !!int '10'\n", "a: \"b\" c\n",
	"a: b: c\n", "a:\n\tb: c\n", "a: [1, 2\n", "a: {b: 1\n", "a: 'x\n", "a: \"\\q\"\n", " a: 1\nb: 2\n", "a: 1\n b: 2\n",
	"- a\nb: c\n", "a: @x\n", "a: `x\n", "a: %x\n", "%YAML 1.1\n---\na: 1\n", "a: b # c\nd: e#f\n",
	"a: \"multi\n  line\n\n  text\"\n",
	"a: plain\n  over lines\n  here\nb: 1\n", "a: &anchor\n  b: 1\nc: *anchor\n", "a: &x !!str 5\nb: *x\n", "a: é\nü: ß\n",
	"\ufeffa: 1\n", "\ufeffa: 1\nb: 2\n", "\ufeff---\na: 1\n", "\ufeff# c\n---\na: 1\nb: 2\n", "\ufeff\na: 1\nb: 2\n",
	"\ufeff- a\n- b\n", "\ufeff{a: 1,\nb: *x}\n", "a: 1\r\nb: 2\r\n", "a: !!float nope\n", "? a\n? b\n", "? a\n: b\n", "a: -\n", "a: - b\n",
	"a:  \n  - b\n", "--- >\n  x\n", "--- [a]\n", "a: \"%{lookup('x')}\"\n\"%{k}\": 1\n", "a: ''\nb: \"\"\nc: ' '\n",
	"a: [a,b,]\n", "a: [,]\n", "a: {b: 1,}\n", "a: &a\n", "x: {y: &q [1, &r {z: 1}], w: *r}\nv: *q\n", "a: |2\n    x\n",
	"a: |\n", "a: >-\n\n  x\n\n\n  y\n   z\n", `{"a": "x\/y\/", b: c\/d, 'e\/': 'f\/', "g": "\\\/h"}`,
	"a: \"\\/\\\n  \\/\"\nb: |\n  \\/\n",
	`{"a\/": "x\/y", "b": "\q"}`, `a: "b\/" c`, `[http://a.example/?x, "\/?"]`, `{a: 'C:\', "b": "\/"}`,
	"a: \"\\/\"\nb: *nope\n", "a: \"\ue000\\/\\\\/\"\n",
	`a: "it\'s"`, `{b: 'x\', c: x\', "d\\'": "it\\'s"}`, `{b: [1, "it\'s"], a:}`, `{"it\'s": 1}`,
	`a: &x !!str "\'"`, `a: "\'\/"`,
}

// randomDocument writes a document with anchors, merges, flow and block style, quotes and comments.
func randomDocument(rng *rand.Rand) string {
	var b strings.Builder
	anchors := 0
	scalars := []string{"a", "yes", "12", "0x1f", "'q: x'", "\"d\\n\"", "~", "1:30", ":sym", "é", "%{x}",
		"\"%{lookup('y')}\"", "plain text", "1.5", "-", "'-'", "|\n%s  block\n%s  more\n", ">-\n%s  folded\n%s  text\n"}
	var flow func(depth int) string
	flow = func(depth int) string {
		if anchors > 0 && rng.IntN(8) == 0 {
			return fmt.Sprintf("*a%d ", 1+rng.IntN(anchors))
		}
		switch n := rng.IntN(6); {
		case n == 0 && depth < 3:
			return "[" + flow(depth+1) + ", " + flow(depth+1) + "]"
		case n == 1 && depth < 3:
			return "{k1: " + flow(depth+1) + ", k2: " + flow(depth+1) + "}"
		}
		s := scalars[rng.IntN(14)]
		if s == "-" {
			s = "x"
		}
		return s
	}
	var block func(indent string, depth int)
	block = func(indent string, depth int) {
		list := rng.IntN(3) == 0
		for i := range 1 + rng.IntN(4) {
			b.WriteString(indent)
			if list {
				b.WriteString("-")
			} else if rng.IntN(10) == 0 && anchors > 0 {
				fmt.Fprintf(&b, "<<: *a%d\n", 1+rng.IntN(anchors))
				continue
			} else {
				fmt.Fprintf(&b, "%s%d:", []string{"k", "key ", "'q", "K"}[i%4], rng.IntN(4))
				if i%4 == 2 {
					s := b.String()
					b.Reset()
					b.WriteString(s[:len(s)-1] + "':")
				}
			}
			if rng.IntN(5) == 0 {
				anchors++
				fmt.Fprintf(&b, " &a%d", anchors)
			}
			switch n := rng.IntN(5); {
			case n == 0 && depth < 3:
				b.WriteString("\n")
				block(indent+"  ", depth+1)
			case n == 1:
				b.WriteString(" " + flow(0) + []string{"", " # comment", "   "}[rng.IntN(3)] + "\n")
			default:
				s := scalars[rng.IntN(len(scalars))]
				if strings.Contains(s, "%s") {
					s = fmt.Sprintf(s, indent, indent)
				} else {
					s += "\n"
				}
				b.WriteString(" " + s)
			}
		}
	}
	block("", 0)
	return b.String()
}

// moduleFiles are the texts of some of the files in Debian's modules.
func moduleFiles(t *testing.T, endings ...string) []string {
	var texts []string
	for i, path := range live.Files(t, endings...) {
		if text, err := os.ReadFile(path); err == nil && len(text) < 20000 && i%8 == 0 {
			texts = append(texts, string(text))
		}
	}
	return texts
}

var jsonTexts = []string{
	"", "{}", "[]", "1", "-1", "-0", "1.5", "1e3", "1E+3", "1.5e-3", "01", "-", "1.", ".5", "+1", "NaN", "Infinity",
	"-Infinity", "null", "true", "false", "nul", `"a"`, `"\u00e9\ud83d\ude00\n\/\q"`, `"\ud83d"`, "\"a\tb\"", "\"a\nb\"",
	`"abc`, `{"a":1,"a":2}`, `{"a":1,}`, `[1,]`, `[1 2]`, `{"a" 1}`, `{a:1}`, "/* c */ {\"a\": // x\n 1}",
	"99999999999999999999999", "1 2", "[", "{", `{"a":`, `{"a":[1,{"b":null}],"c":"%{x}"}`,
	strings.Repeat("[", 100) + strings.Repeat("]", 100), strings.Repeat("[", 101) + strings.Repeat("]", 101),
	`{"a":{"b":{"c":[]}}}`, `[{"a":nul}]`, `{"a":[nul]}`, `["a`, `"\ud83d\u0041"`, "1e400", `"\u00"`, "  [ 1 , 2 ]  ",
	"\xef\xbb\xbf{}",
}

func TestJSONAgainstRuby(t *testing.T) {
	live.Puppet(t)
	compare(t, "json", append(moduleFiles(t, ".json"), jsonTexts...), ReadJSON,
		func(ours, theirs string) bool { return ours == theirs })
}

func TestPlaces(t *testing.T) {
	text := "a: &x 12   # c\nlong:\n  - 'one'\n  - {k: \"v\", w: [1, 2] }\nblock: |\n  one\n  two\n\nplain: some\n  " +
		"words\nref: *x\nlast: é✓ z\n"
	f := source.NewFile("d.yaml", text)
	n, err := ReadYAML(f)
	if err != nil {
		t.Fatal(err)
	}
	at := func(n *Node) string { return n.Place(f).Text() }
	for key, want := range map[string]string{"a": "12", "block": "|\n  one\n  two", "plain": "some\n  words", "ref": "12",
		"last": "é✓ z", "long": "- 'one'\n  - {k: \"v\", w: [1, 2] }"} {
		if got := at(n.Entry(key)); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	item := n.Entry("long").Kids[1].Node
	if got := at(item); got != `{k: "v", w: [1, 2] }` {
		t.Errorf("flow: %q", got)
	}
	if got := at(item.Entry("w")); got != "[1, 2]" {
		t.Errorf("flow list: %q", got)
	}
	tr := provenance.NewTrace()
	v, ref := n.Traced(tr, provenance.Datum, f, "")
	if l, ok := tr.Where(ref); !ok || l.Kind != provenance.Datum {
		t.Errorf("the whole file has no place")
	}
	list := v.(*value.Hash).At("long").(*value.Array)
	leaf := list.Elems[1].(*value.Hash).At("w").(*value.Array)
	if l, _ := tr.Where(leaf.Ref(1)); l.Place.Text() != "2" || l.Path != "long.1.w.1" {
		t.Errorf("leaf: %q at %q", l.Path, l.Place.Text())
	}
}

// A document whose aliases multiply is refused, quickly and without building it.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	if _, err := ReadYAML(source.NewFile("bomb.yaml", b.String())); err == nil ||
		!strings.Contains(err.Error(), "aliases make this value larger") {
		t.Fatalf("got %v", err)
	}
	if _, err := ReadYAML(source.NewFile("self.yaml", "a: &a [*a]\n")); err == nil ||
		!strings.Contains(err.Error(), "contains itself") {
		t.Fatalf("got %v", err)
	}
}

func FuzzYAML(f *testing.F) {
	for _, d := range documents {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := source.NewFile("f.yaml", text)
		n, err := ReadYAML(file)
		if err != nil || n == nil {
			return
		}
		checkSpans(t, file, n, map[*Node]bool{})
	})
}

func FuzzJSON(f *testing.F) {
	for _, d := range jsonTexts {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := source.NewFile("f.json", text)
		if n, err := ReadJSON(file); err == nil {
			checkSpans(t, file, n, map[*Node]bool{})
		}
	})
}

func checkSpans(t *testing.T, f *source.File, n *Node, seen map[*Node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	if n.Span.Start > n.Span.End || int(n.Span.End) > len(f.Text) {
		t.Fatalf("span %v of %d bytes", n.Span, len(f.Text))
	}
	for _, k := range n.Kids {
		checkSpans(t, f, k.Node, seen)
	}
}

// Puppet reads data as UTF-8 and nothing else; the YAML library would take UTF-16 as well.
func TestUTF16(t *testing.T) {
	for _, text := range []string{"\xff\xfea\x00:\x00 \x00b\x00\n\x00", "\xfe\xff\x00a\x00:\x00 \x00b\x00\n"} {
		_, err := ReadYAML(source.NewFile("d.yaml", text))
		var d *source.Diagnostic
		if !errors.As(err, &d) || !strings.HasSuffix(d.Summary, ": invalid leading UTF-8 octet at line 1 column 1") ||
			!strings.Contains(d.Help, "UTF-16") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
