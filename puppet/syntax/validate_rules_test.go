package syntax

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/source"
)

// Every rule has its own code and a recorded case that breaks it.
func TestValidateRules(t *testing.T) {
	recorded := map[string]bool{}
	for _, g := range readGoldens(t) {
		for _, i := range parseIssues(t, g.want) {
			recorded[i.Code] = true
		}
	}
	codes := map[string]bool{}
	for r, rule := range rules {
		if rule.code != fmt.Sprintf("P%d", 1001+r) || codes[rule.code] {
			t.Errorf("rule %d has the code %q", r, rule.code)
		}
		codes[rule.code] = true
		if rule.doc == "" {
			t.Errorf("%s has no line of documentation", rule.code)
		}
		// only Puppet 8 raises it: puppet/compiler/testdata/languages
		if rule.issue != "" && !recorded[rule.issue] && rule.issue != "ILLEGAL_NONLITERAL_PARAMETER_TYPE" {
			t.Errorf("%s (%s) has no case in testdata/validate", rule.code, rule.issue)
		}
	}
}

// Every issue that Puppet's checker can raise is a rule here, or on the list of those that no text can raise.
func TestValidateKnowsEveryIssueLive(t *testing.T) {
	const dir = "/usr/lib/ruby/vendor_ruby/puppet/pops/validation/"
	unreachable := map[string]bool{
		"MISSING_INDEX": true, "ILLEGAL_CLASSREF": true, "UNSUPPORTED_OPERATOR": true,
		"UNSUPPORTED_OPERATOR_IN_CONTEXT": true,
		"ILLEGAL_ASSIGNMENT_VIA_INDEX":    true,
		// two constants with one issue code
		"ILLEGAL_SINGLE_TYPE_MAPPING": true, "ILLEGAL_REGEXP_TYPE_MAPPING": true,
	}
	known := map[string]bool{}
	for _, r := range rules {
		known[r.issue] = true
	}
	for _, name := range []string{"checker4_0.rb", "tasks_checker.rb"} {
		text, err := os.ReadFile(dir + name)
		if err != nil {
			t.Skip("no sources of Puppet here: " + err.Error())
		}
		for _, m := range regexp.MustCompile(`Issues::([A-Z_]+)`).FindAllStringSubmatch(string(text), -1) {
			if !known[m[1]] && !unreachable[m[1]] {
				t.Errorf("%s raises %s, for which there is no rule", name, m[1])
			}
		}
	}
}

// The hand-written name checks are those of Puppet's regular expressions.
func TestValidateNames(t *testing.T) {
	checks := []struct {
		name    string
		ours    func(string) bool
		pattern string
	}{
		{"isVarName", isVarName, `\A(?:::)?(?:[a-z]\w*::)*[a-z_]\w*\z`},
		{"isNumericVarName", isNumericVarName, `\A(?:0|(?:[1-9][0-9]*))\z`},
		{"isNumericParamName", isNumericParamName, `\A(?:0x)?[0-9]+\z`},
		{"isParamName", isParamName, `\A[a-z_]\w*\z`},
		{"isDefinitionName", isDefinitionName, `\A[a-z][\w]*(?:::[a-z][\w]*)*\z`},
		{"isTypeName", isTypeName, `\A[A-Z][\w]*(?:::[A-Z][\w]*)*\z`},
		{"isHostname", isHostname, `\A[-\w.]*\z`},
	}
	// All texts of up to five of these pieces.
	pieces := []string{"a", "B", "_", "0", "1", "x", ":", "::", "-", ".", "é"}
	texts := []string{""}
	for from, n := 0, 0; n < 5; n++ {
		to := len(texts)
		for _, t := range texts[from:to] {
			for _, p := range pieces {
				texts = append(texts, t+p)
			}
		}
		from = to
	}
	for _, c := range checks {
		re := regexp.MustCompile(c.pattern)
		for _, text := range texts {
			if got := c.ours(text); got != re.MatchString(text) {
				t.Errorf("%s(%q) = %v", c.name, text, got)
			}
		}
	}
}

func TestCheckJSON(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, good := range []string{`1`, ` "a" `, `null`, `{}`, `[]`, `{"a":{"b":[1,-2,3.5,1e5,-0.1E-3]}}`, `"\q\/\u00e9"`,
		"/* a */[//b\n1/**/]", `"é` + "\x7f" + `"`, deep(100)} {
		if at := checkJSON(good); at != -1 {
			t.Errorf("%.40q is refused at %d", good, at)
		}
	}
	for _, bad := range []string{``, ` `, `a`, `{a:1}`, `[1,]`, `{"a":1,}`, `01`, `-`, `1.`, `1e`, `.5`, `"`, `"\u12g4"`,
		"\"\n\"", "\"\\\n\"", `NaN`, `-Infinity`, `1 2`, `[1 2]`, `/*`, `1 // a`, "\x00", deep(101)} {
		if checkJSON(bad) == -1 {
			t.Errorf("%.40q is accepted", bad)
		}
	}
}

func TestCheckBase64(t *testing.T) {
	for _, good := range []string{"", "aGVsbG8=", "aGVs\r\n bG8=", "a?G?Vs", "QQ==", "a b\tc\u00a0d"} {
		if why := checkBase64(good); why != "" {
			t.Errorf("%q is refused: %s", good, why)
		}
	}
	for _, bad := range []string{"a", "ab", "abc", "aGVsbG9=", "a-_b", "QQ=", "QQ===", "=QQ=", "ab\vcd", "é"} {
		if checkBase64(bad) == "" {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// A broken tree is not the validator's concern, but an editor may hand it one.
func TestValidateSurvivesBrokenTrees(t *testing.T) {
	for _, g := range readGoldens(t) {
		for cut := 0; cut < len(g.text); cut += 1 + len(g.text)/40 {
			f := source.NewFile(g.name, g.text[:cut])
			parse := Parse
			if strings.HasSuffix(g.name, ".epp") {
				parse = ParseEPP
			}
			tree, _ := parse(f, Options{Tasks: g.tasks})
			Validate(tree, Options{Tasks: g.tasks})
			ValidatePlacement(tree, g.name, Site{ModulePath: []string{"modules"}})
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	var text strings.Builder
	for _, name := range live.Files(b, ".pp") {
		data, _ := os.ReadFile(name)
		text.Write(data)
		text.WriteByte('\n')
	}
	f, diags := Parse(source.NewFile("all.pp", text.String()), Options{})
	if diags.HasErrors() {
		b.Fatal(diags[0])
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		Validate(f, Options{})
	}
}
