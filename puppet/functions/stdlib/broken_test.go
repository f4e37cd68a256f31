package stdlib_test

import (
	"flag"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

var texted = flag.Int("texts", 300, "how many texts of each format TestScoreBroken makes")

// pieces are what texts of a format are made of: most of them are broken, each in its own way.
var pieces = map[string][]string{
	"parsejson": {"{", "}", "[", "]", ":", ",", `"a"`, `"b"`, "1", "-", "2.5", "1e", "true", "nul", "null", "/", "/*",
		"*/", "//", "\n", " ", "x", `"`, `\`, "{}", "[]", "é", "0", "01", "NaN", "-Infinity", `"\u00e9"`, `"\q"`},
	"parsepson": {"{", "}", "[", "]", ":", ",", `"a"`, `"b"`, "1", "-", "2.5", "true", "nul", "null", "/", "/*", "*/",
		"//", "\n", " ", "x", `"`, "{}", "[]", "é"},
	"parseyaml": {"a", "b", ": ", ":", "- ", "-", "\n", "\n  ", "\n ", "[", "]", "{", "}", ", ", ",", "'", `"`, "|", ">",
		"|2", "\n   x", "&x ", "*x", "*y", "!t ", "%", "@", "`", "? ", "#", " # c", "\t", "---", "...", "\n---\n", "é", `\`,
		"x y", "1", "<<", "!", "%YAML 1.1", "!<a>", "!<", "%TAG ! x\n"},
	"parsehocon": {"a", "b", " = ", "=", ":", "{", "}", "[", "]", ",", "\n", " ", `"q"`, `"`, `"""`, "1", "-", "1.", "2.5",
		"true", ".", "${a}", "${", "${?b}", "+=", "+", "#c", "//", "/", "é", "$", "@", "include ", "null", "\\", "`", "x y"},
}

// broken makes texts of pieces, always the same ones.
func broken(format string, n int) []string {
	seed := uint64(0)
	for _, c := range format {
		seed = seed*31 + uint64(c)
	}
	r := rand.New(rand.NewPCG(21, seed))
	seen := map[string]bool{}
	var out []string
	for len(out) < n {
		var b strings.Builder
		for range 1 + r.IntN(8) {
			b.WriteString(pieces[format][r.IntN(len(pieces[format]))])
		}
		if s := b.String(); !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

var doubleQuoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "\n", `\n`, "\t", `\t`)

// rubySymbol is our word for what only Ruby has.
var rubySymbol = regexp.MustCompile(`Opaque\(a Ruby symbol, :(.*)\)`)

// TestScoreBroken compares what the parsers say of texts that are mostly wrong with the installed Puppet's words.
func TestScoreBroken(t *testing.T) {
	for _, format := range []string{"parsejson", "parsepson", "parseyaml", "parsehocon"} {
		if *only != "" && *only != format {
			continue
		}
		var qs []question
		for _, s := range broken(format, *texted) {
			qs = append(qs, question(format+`("`+doubleQuoted.Replace(s)+`")`))
		}
		differ := 0
		for i, want := range askPuppet(t, qs, environmentDir) {
			got := rubySymbol.ReplaceAllString(askUs(qs[i], ""), "Symbol($1)")
			if got != want {
				if differ++; differ <= *shown {
					t.Logf("%s\n\tPuppet: %s\n\tours:   %s", qs[i], want, got)
				}
			}
		}
		t.Logf("score: %s %d/%d", format, len(qs)-differ, len(qs))
	}
}
