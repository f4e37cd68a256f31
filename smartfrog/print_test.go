package smartfrog

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestPrintRandom prints random results and reads them back.
func TestPrintRandom(t *testing.T) {
	for seed := range runs(200, 5_000) {
		g := &generator{chooser: seeded{rand.New(rand.NewPCG(uint64(seed), 17))}}
		r, diags := compileText(specText(g.specification()), Options{})
		if r == nil {
			t.Fatal(diags)
		}
		checkPrinted(t, r, Options{})
		checkYAML(t, r)
	}
}

// checkYAML reads the YAML that we print with somebody else's reader, and compares it with the JSON.
func checkYAML(t *testing.T, r *Result) {
	t.Helper()
	var b strings.Builder
	if err := r.WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(b.String()), &doc); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	var out strings.Builder
	yamlToJSON(t, &out, doc.Content[0])
	if got, want := compact(t, out.String()), compact(t, jsonOf(t, r)); got != want {
		t.Fatalf("YAML\n%s\nis read as\n%s\nand the JSON is\n%s", b.String(), got, want)
	}
}

// yamlToJSON writes a node as JSON; the order of keys is that of the text.
func yamlToJSON(t *testing.T, b *strings.Builder, n *yaml.Node) {
	t.Helper()
	str := func(s string) {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteString("{")
		for i := 0; i < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteString(",")
			}
			if tag := n.Content[i].ShortTag(); tag != "!!str" {
				t.Errorf("the name %s is read as %s", n.Content[i].Value, tag)
			}
			str(n.Content[i].Value)
			b.WriteString(":")
			yamlToJSON(t, b, n.Content[i+1])
		}
		b.WriteString("}")
	case yaml.SequenceNode:
		b.WriteString("[")
		for i, e := range n.Content {
			if i > 0 {
				b.WriteString(",")
			}
			yamlToJSON(t, b, e)
		}
		b.WriteString("]")
	default:
		if n.ShortTag() == "!!str" {
			str(n.Value)
		} else {
			b.WriteString(n.Value)
		}
	}
}

// TestPrintYAML reads the YAML of names and values that YAML would like to take for something else.
func TestPrintYAML(t *testing.T) {
	r, diags := compileText(`sfConfig extends {
  yes 1; No 2; oN 3; OFF 4; null 5; y 6; N 7; True 8; e1 9; _ 10; a' 11; été 12; x.y 13;
  s1 "yes"; s2 "1"; s3 "1e3"; s4 "~"; s5 ""; s6 "a: b"; s7 "# no"; s8 "- x"; s9 "null"; s10 "0x1F"; s11 "2026-01-01"; s12 " x ";
  n1 0x1F; n2 1e3; n3 .5; n4 -0; n5 123456789012345678901234567890; n6 1.5e-7;
  v ["no", NULL, true];
}`, Options{})
	if r == nil {
		t.Fatal(diags)
	}
	checkYAML(t, r)
}

// TestPrintHP reads what HP's compiler printed of the examples in SmartFrog's own distribution, and prints the same
// bytes.
func TestPrintHP(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedCorpus(t), "production-sf-dist", "*.sf"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, diags := compileText("sfConfig extends {\n"+string(text)+"\n}", Options{Extended: true})
		if r == nil {
			t.Errorf("%s: %v", file, diags)
			continue
		}
		var b strings.Builder
		if err := r.WriteSF(&b); err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(b.String()) != strings.TrimSpace(string(text)) {
			t.Errorf("%s:\n%s", file, b.String())
		}
	}
}

// TestPrintJSONStrings tries every character below U+0250 and some that are special to some reader.
func TestPrintJSONStrings(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r < 0x250; r++ {
		all.WriteRune(r)
	}
	all.WriteString("\u2028\u2029\uFEFF\uFFFD\uFFFE\U0001F600")
	var b strings.Builder
	p := newPrinter(&b)
	p.quote(all.String())
	if err := p.w.Flush(); err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back != all.String() {
		t.Errorf("%v: %q", err, b.String())
	}
	if again, bad := unquote(b.String()); bad != nil || again != all.String() {
		t.Errorf("%+v: %q", bad, b.String())
	}
	for _, r := range b.String() {
		if r < ' ' || r == 0x7f || r == 0x85 {
			t.Errorf("%U is written as it is", r)
		}
	}
}
