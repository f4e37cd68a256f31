package datafile

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/value"
	"bunraku/source"
)

// encode writes a value as testdata/psych.rb does.
func encode(n *Node) any {
	if n == nil {
		return []any{"undef"}
	}
	if n.Symbol != "" {
		return []any{"symbol", n.Symbol}
	}
	switch v := n.Value.(type) {
	case value.Undef:
		return []any{"undef"}
	case value.Default:
		return []any{"symbol", "default"}
	case value.Bool:
		return []any{"bool", bool(v)}
	case *value.Array:
		list := []any{}
		for _, k := range n.Kids {
			list = append(list, encode(k.Node))
		}
		return []any{"array", list}
	case *value.Hash:
		list := []any{}
		for i, e := range v.Entries() {
			list = append(list, []any{encodeValue(e.Key), encode(n.Kids[i].Node)})
		}
		return []any{"hash", list}
	}
	return encodeValue(n.Value)
}

func encodeValue(v value.Value) any {
	switch v := v.(type) {
	case value.Undef:
		return []any{"undef"}
	case value.Bool:
		return []any{"bool", bool(v)}
	case value.Int:
		return []any{"int", fmt.Sprint(int64(v))}
	case value.Float:
		f := float64(v)
		if math.IsNaN(f) {
			return []any{"float", "7ff8000000000000"}
		}
		return []any{"float", fmt.Sprintf("%016x", math.Float64bits(f))}
	case value.String:
		return []any{"string", hex.EncodeToString([]byte(v))}
	case *value.Opaque:
		var n string
		fmt.Sscanf(v.Why, "the integer %s", &n)
		return []any{"int", strings.TrimSuffix(n, ",")}
	case *value.Array:
		list := []any{}
		for _, e := range v.Elems {
			list = append(list, encodeValue(e))
		}
		return []any{"array", list}
	case *value.Hash:
		list := []any{}
		for _, e := range v.Entries() {
			list = append(list, []any{encodeValue(e.Key), encodeValue(e.Value)})
		}
		return []any{"hash", list}
	}
	return []any{"other", fmt.Sprintf("%T", v)}
}

func ask(t *testing.T, kind string, texts []string) []any {
	t.Helper()
	hexes := make([]string, len(texts))
	for i, s := range texts {
		hexes[i] = hex.EncodeToString([]byte(s))
	}
	in, _ := json.Marshal(hexes)
	var answers []any
	if err := json.Unmarshal([]byte(live.Ruby(t, "testdata/psych.rb", string(in), kind)), &answers); err != nil {
		t.Fatal(err)
	}
	if len(answers) != len(texts) {
		t.Fatalf("%d answers for %d texts", len(answers), len(texts))
	}
	return answers
}

// compare asks Ruby about every text and reports where we differ. Errors must be errors on both sides; sameError says
// whether their texts agree.
func compare(t *testing.T, kind string, texts []string, read func(*source.File) (*Node, error),
	sameError func(ours, theirs string) bool) {
	t.Helper()
	answers := ask(t, kind, texts)
	bad := 0
	for i, text := range texts {
		if bad > 20 {
			t.Fatal("too many differences")
		}
		n, err := read(source.NewFile("f.yaml", text))
		theirs := answers[i].([]any)
		if err != nil && strings.Contains(err.Error(), "contains itself") {
			continue // Ruby builds a value without an end, which nothing in Puppet survives
		}
		if theirs[0] == "error" {
			raw, _ := hex.DecodeString(theirs[1].(string))
			switch {
			case err == nil:
				bad++
				t.Errorf("%q\n ours   %s\n theirs error %s", text, jsonText(encode(n)), raw)
			case !sameError(errorText(err), string(raw)):
				bad++
				t.Errorf("%q\n our error %s\n theirs    %s", text, errorText(err), raw)
			}
			continue
		}
		if err != nil {
			bad++
			t.Errorf("%q\n our error %v\n theirs %s", text, err, jsonText(theirs))
			continue
		}
		if ours := jsonText(encode(n)); ours != jsonText(theirs) {
			bad++
			t.Errorf("%q\n ours   %s\n theirs %s", text, ours, jsonText(theirs))
		}
	}
}

func errorText(err error) string {
	if d, is := err.(*source.Diagnostic); is {
		return d.Summary
	}
	return err.Error()
}

func jsonText(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

var scalarSeeds = strings.Fields(`yes Yes YES y Y n N no No off OFF Off on On true True TRUE false ~ null Null NULL nul 0 00 010 0o17 08 09 0x1F 0X1f 0b101 0b 0x 1e3 1E3 1.5e3 1.5e+3 1.e+3 .5 -.5 +.5 5. . .. +. -. .e+3 .inf -.inf +.inf .INF .nan .NaN
	1:30 1:30:15 -1:30 +1:30 1:60 1:30.5 1_0:30 1__0:30 1:30: 1_000 1__000 1,000 1,,000 _1 1_ -1_000 +12 -12 0,1 0_ 0, -0 +0 -010 -0x1f 0b_ 0x_ 1_000.5 1,000.5 1__0.5 2020-01-01 2020-1-1 2020-13-01 2020-02-30 20200101 2020-01-01T00:00:00Z
	:foo :"foo" :'a' :a:b : :: ::foo :1 foo:bar é ñ éa 1é +a +1a -a -- --- ... @@ 1.2.3 1.2.3.4 10.0.0.1 0.0 -0.0 1.0 1e-3 1.0e-3 1.0E-3 1.0e308 1.0e+309 99999999999999999999 9223372036854775807 9223372036854775808 -9223372036854775808 0x7fffffffffffffff 0777 0888 0644 '0644' "0644" yeſ falſe on! =1 <1 <2 ~1 ~~ 12e03 685_230.15 190:20:30 190:20:30.15 0b1010_0111 0x_0A 02472256 +685230 -0b1 null1 Nullx tRuE oN`)

// Scalars, documents, and the YAML files of Debian's modules, in one Ruby process.
func TestYAMLAgainstPsych(t *testing.T) {
	live.Puppet(t)
	var texts []string
	for _, s := range scalarSeeds {
		texts = append(texts, "k: "+s+"\n", s+": v\n", "- !!str "+s+"\n", "- !!float "+s+"\n", "- !!int "+s+"\n")
	}
	texts = append(texts, "a: 2020-01-01 00:00:00\n", "a: 2020-01-01 00:00:00 +2\n", "a: 2020-1-1t1:00:00.5-01:30\n",
		"a: 2020-1-1\n", "a: n\n\n no\n", "a: x\n\n no\n", "a: no\n\n n\n", "- ! 10\n- ! \"10\"\n- !foo \"10\"\n")
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"0", "1", "7", "8", "9", "0x", "0b", "0o", "_", ",", ".", "e", "E", "+", "-", ":", "30", "59",
		"60", "a", "f", "y", "n", "no", "yes", "inf", "T", "Z", "2020-", "01-", " ", "12", "x", "~", "é"}
	for len(texts) < 5000 {
		var b strings.Builder
		for range 1 + rng.IntN(6) {
			b.WriteString(alphabet[rng.IntN(len(alphabet))])
		}
		s := strings.TrimSpace(b.String())
		if s == "" || strings.HasPrefix(s, "- ") || s == "-" || strings.Contains(s, ": ") || strings.HasSuffix(s, ":") {
			continue
		}
		texts = append(texts, "k: "+s+"\n")
	}
	texts = append(texts, documents...)
	for range 400 { // colons in flow collections, of which the libraries think differently
		items := []string{"a", "a:", "a: b", "a:b", "'c':", "'c': d", "a::", "[a:]", "{a:}", "[a: b]", "é:", "a :", "1:2",
			"a?", "x?y: 1", "http://h/?q=1&b", "a ? b", "a?? "}
		entries := make([]string, 1+rng.IntN(3))
		for i := range entries {
			entries[i] = items[rng.IntN(len(items))]
		}
		text := strings.Join(entries, []string{",", ", ", " ,", ",\n "}[rng.IntN(4)])
		texts = append(texts, []string{"[" + text + "]\n", "{" + text + "}\n", "k: [" + text + "]\n", "- {" + text +
			"}\n"}[rng.IntN(4)])
	}
	texts = append(texts, "{a:, b: 1}\n", "[a:, b]\n", "{\"a\":, b: 1}\n", "{a:}\n", "{a::, b: 1}\n", "{a:b, c: 1}\n",
		"k: {x: [a:]}\n", "k:\n  - {é:, b: 1}\n", "k: a:,\n",
		"[a?]\n", "{a? : 1}\n", "k: [é?é, \"a?b\", 'c?']\nx: y?\n", "? a\n: [b?c]\n", "k: [a?b, # what? [\n c]\n")
	for range 700 {
		texts = append(texts, randomDocument(rng))
	}
	texts = append(texts, moduleFiles(t, ".yaml", ".yml")...)
	compare(t, "yaml", texts, ReadYAML, sameYAMLError)
	t.Logf("%d texts read alike", len(texts))
}

func sameYAMLError(ours, theirs string) bool {
	return ours == theirs || strings.HasPrefix(theirs, "invalid value for Float") &&
		strings.HasPrefix(ours, "invalid value for Float")
}
