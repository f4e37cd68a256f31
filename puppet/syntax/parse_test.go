package syntax

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/source"
)

func readText(name, text string) (*File, source.Diagnostics) {
	f := source.NewFile(name, text)
	if filepath.Ext(name) == ".epp" {
		return ParseEPP(f, Options{})
	}
	return Parse(f, Options{})
}

// accepted is what decides whether Puppet takes a file: the parser and the validator find no error.
func accepted(name, text string) bool {
	tree, ds := readText(name, text)
	return !ds.HasErrors() && !Validate(tree, Options{}).HasErrors()
}

// Several mistakes are reported at once, each where it is, and what lies between them is still read.
func TestRecovery(t *testing.T) {
	text := strings.Join([]string{
		"class a {",
		"  file { '/a' ensure => file }", // no colon
		"  notice('fine')",
		"}",
		"class b {",
		"  $x = [1, 2",
		"  service { 'x': ensure => running }",
		"}",
		"class c { notify { 'ok': } }",
		"class d { $y = 3 + }",
	}, "\n")
	tree, ds := readText("r.pp", text)
	var lines []int
	for _, d := range ds {
		lines = append(lines, d.Place.Line())
	}
	if got, want := fmt.Sprint(lines), "[2 7 10]"; got != want {
		t.Errorf("errors at lines %s, want %s\n%v", got, want, ds)
	}
	found := false
	for _, d := range tree.Defs {
		if c, ok := d.(*Class); ok && c.Name == "c" {
			found = true
		}
	}
	if !found {
		t.Error("class c, between two broken ones, was not read")
	}
}

// An error says what is wrong, where, and what to do.
func TestErrorTexts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"class a {\n  notify { 'x': }\n",
			"error[P0001]: Syntax error at end of input\n   e.pp:3:1\n   3 | \n     | ^\n   e.pp:1:9\n   1 | class a {\n     " +
				"|         ^ this { is never closed\n"},
		{"$a = 'x\n",
			"error[P0102]: Unclosed quote after \"'\" followed by 'x\\n...'\n   e.pp:1:6\n   1 | $a = 'x\n     |      ^ the " +
				"string begins here and never ends\n   help: close it with '\n"},
		{"notice(1]\n",
			"error[P0001]: Syntax error at ']'\n   e.pp:1:9\n   1 | notice(1]\n     |         ^\n   e.pp:1:7\n   1 | " +
				"notice(1]\n     |       ^ this ( is still open\n"},
		{"$mode = 0899\n",
			"error[P0104]: Not a valid octal number 0899\n   e.pp:1:9\n   1 | $mode = 0899\n     |         ^^^^\n   help: a " +
				"number that begins with 0 is octal; write it without the 0, or in quotes if it is text (a file mode, a zip code)\n"},
	} {
		_, ds := readText("e.pp", c.text)
		if len(ds) == 0 {
			t.Errorf("%q: no error", c.text)
			continue
		}
		if got := ds[0].String(); got != c.want {
			t.Errorf("%q:\n%swant\n%s", c.text, got, c.want)
		}
	}
}

// nestings are texts that grow without bound in one direction each.
func nestings(n int) map[string]string {
	deep := func(open, middle, close string) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(close, n)
	}
	return map[string]string{
		"lists":           "$a = " + deep("[", "1", "]"),
		"parentheses":     "$a = " + deep("(", "1", ")"),
		"hashes":          "$a = " + deep("{a => ", "1", "}"),
		"accesses":        "$a = $b" + deep("[$b", "", "]"),
		"calls":           "$a = " + deep("f(", "1", ")"),
		"not":             "$a = " + strings.Repeat("! ", n) + "true",
		"minus":           "$a = " + strings.Repeat("- ", n) + "1",
		"ifs":             deep("if true { ", "notice(1)", " }"),
		"elsifs":          "if true { }" + strings.Repeat(" elsif true { }", n),
		"cases":           deep("case 1 { default: { ", "notice(1)", " } }"),
		"selectors":       "$a = " + strings.Repeat("1 ? { default => ", n) + "1" + strings.Repeat(" }", n),
		"lone selectors":  "$a = " + strings.Repeat("1 ? 1 => ", n) + "1",
		"interpolations":  "$a = " + deep(`"${`, "1", `}"`),
		"lambdas":         deep("f() || { ", "1", " }"),
		"classes":         deep("class a { ", "", " }"),
		"assignments":     strings.Repeat("$a = ", n) + "1",
		"sums":            "$a = 1" + strings.Repeat(" + 1", n),
		"chains":          "$a" + strings.Repeat(" -> $a", n),
		"methods":         "$a = $b" + strings.Repeat(".f", n),
		"subscripts":      "$a = $b" + strings.Repeat("[0]", n),
		"virtual":         strings.Repeat("@", n) + "a { 'x': }",
		"open braces":     strings.Repeat("{", n),
		"close braces":    strings.Repeat("}", n),
		"heredocs":        strings.Repeat("@(\"A\")\n${", n) + "1" + strings.Repeat("}\nA\n", n),
		"quotes":          strings.Repeat(`"`, n),
		"braced resource": "a { 'x': }" + strings.Repeat("{ 'x': }", n),
	}
}

// A hundred thousand levels of nesting, or links of a chain, give a diagnostic or a tree: never a stack overflow, never
// a long wait.
func TestNesting(t *testing.T) {
	for name, text := range nestings(100_000) {
		t.Run(name, func(t *testing.T) {
			began := live.CPU()
			for _, file := range []string{"n.pp", "n.epp"} {
				src := text
				if file == "n.epp" {
					src = "<% " + text + " %>"
				}
				tree, ds := readText(file, src)
				ds = append(ds, Validate(tree, Options{})...)
				if !ds.HasErrors() {
					AppendPN(nil, tree)
					Print(tree)
				}
			}
			if spent := live.CPU() - began; spent > 20*time.Second {
				t.Errorf("took %v", spent)
			}
		})
	}
}

// Time grows no faster than the text: twice the text may not take four times as long. Only the time of computing
// counts.
func TestLinear(t *testing.T) {
	timeOf := func(text string) time.Duration {
		best := time.Hour
		for range 3 {
			began := live.CPU()
			tree, ds := readText("l.pp", text)
			if !ds.HasErrors() {
				Validate(tree, Options{})
			}
			best = min(best, live.CPU()-began)
		}
		return best
	}
	small, big := nestings(4_000), nestings(64_000)
	for name := range small {
		a, b := timeOf(small[name]), timeOf(big[name])
		if a < 200*time.Microsecond {
			a = 200 * time.Microsecond
		}
		if b > 16*8*a && b > 100*time.Millisecond {
			t.Errorf("%s: 4,000 take %v, 64,000 take %v", name, a, b)
		}
	}
}

// mutants breaks a manifest in one place: cut it short, take out a token, change a bracket.
func mutants(text string, rng *rand.Rand) []string {
	var spans []source.Span
	f := source.NewFile("m.pp", text)
	s := scanner{file: f, src: text, diags: new(source.Diagnostics)}
	for {
		t := s.next()
		if t.kind == tEOF || t.kind == tFail {
			break
		}
		if t.kind == tDQPre { // what is in a string is left alone
			p := parser{s: s, tok: t, file: f}
			p.skipString()
			s = p.s
			continue
		}
		spans = append(spans, t.span())
	}
	if len(spans) < 3 {
		return nil
	}
	pick := func() source.Span { return spans[rng.IntN(len(spans))] }
	cut, gone := pick(), pick()
	out := []string{text[:cut.Start], text[:gone.Start] + text[gone.End:]}
	var brackets []int
	for i, c := range []byte(text) {
		if strings.IndexByte("{}[]()", c) >= 0 {
			brackets = append(brackets, i)
		}
	}
	if len(brackets) > 0 {
		i := brackets[rng.IntN(len(brackets))]
		out = append(out, text[:i]+string("}{][)("[strings.IndexByte("{}[]()", text[i])])+text[i+1:])
	}
	return out
}

// compareMutants asks Puppet about broken manifests and reports where we decide otherwise.
func compareMutants(t *testing.T, n int, seed uint64) (equal, rejected int) {
	files := live.Files(t, ".pp")
	rng := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	texts := map[string]string{}
	var names []string
	for len(names) < n {
		text, err := os.ReadFile(files[rng.IntN(len(files))])
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mutants(string(text), rng) {
			name := filepath.Join(dir, fmt.Sprintf("m%05d.pp", len(names)))
			if err := os.WriteFile(name, []byte(m), 0o644); err != nil {
				t.Fatal(err)
			}
			texts[name] = m
			names = append(names, name)
		}
	}
	out := live.Ruby(t, filepath.Join("testdata", "accept.rb"), strings.Join(names, "\n"))
	for line := range strings.Lines(out) {
		name, answer, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		takes := !strings.HasPrefix(answer, "!")
		if !takes {
			rejected++
		}
		if accepted(name, texts[name]) == takes {
			equal++
			continue
		}
		_, ds := readText(name, texts[name])
		t.Errorf("Puppet says %q, we say %v\n%s", answer, ds, texts[name])
	}
	if equal+len(names) == 0 {
		t.Fatal("no answers")
	}
	return equal, rejected
}

func TestScoreMutants(t *testing.T) {
	equal, rejected := compareMutants(t, 300, 7)
	t.Logf("score: mutants %d/%d", equal, 300)
	if rejected < 200 {
		t.Errorf("only %d of the mutants are broken", rejected)
	}
}

// A key twice is a warning, an error or nothing, by the setting `strict`.
func TestStrictKeys(t *testing.T) {
	tree, _ := parseText("k.pp", "$a = { 'x' => 1, 'x' => 2 }\n")
	for strict, want := range map[source.Strictness]string{source.StrictWarning: "[warning]",
		source.StrictError: "[error]", source.StrictOff: "[]"} {
		var got []string
		for _, d := range Validate(tree, Options{Strict: strict}) {
			got = append(got, d.Severity.String())
		}
		if fmt.Sprint(got) != want {
			t.Errorf("strict %d gives %v, want %s", strict, got, want)
		}
	}
}
