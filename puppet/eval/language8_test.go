package eval_test

import (
	"strings"
	"testing"

	"bunraku/puppet/eval"
	"bunraku/source"
)

// Puppet 8 differs from 7 by its defaults strict=error and strict_variables=true (Puppet 8.0 release notes, "strict
// mode": unknown variables, coerced strings and late overrides are errors). There is no live Puppet 8 to record these
// from; the same switches set by hand on 7.23 gave these words (testdata/log/strict.txtar).
func TestLanguage8(t *testing.T) {
	for _, c := range []struct{ idea, manifest, failure string }{
		{"an unknown variable", `notify { 'a': message => $nope }`, "Evaluation Error: Unknown variable: 'nope'."},
		{"an unknown variable in text", `notify { 'a': message => "<${nope}>" }`,
			"Evaluation Error: Unknown variable: 'nope'."},
		{"${undef} looks for a variable", `notify { 'a': message => "${undef}" }`,
			"Evaluation Error: Unknown variable: 'undef'."},
		{"a variable of a class that is not evaluated", `class a { $x = 1 } notify { 'a': message => $a::x }`,
			"Evaluation Error: Unknown variable: 'a::x'."},
		{"a string in a sum", `notify { 'a': message => '1' + 1 }`,
			"The string '1' was automatically coerced to the numerical value 1"},
		{"an octal string", `notify { 'a': message => '010' + 0 }`,
			"The string '010' was automatically coerced to the numerical value 8"},
		{"a string as an index", `$a = [1, 2] notify { 'a': message => $a['1'] }`,
			"The string '1' was automatically coerced to the numerical value 1"},
		{"an override that comes too late",
			`define d($x = 1) { late { $title: } } define late { D<| |> { x => 2 } } d { 'a': }`,
			"Attempt to override an already evaluated resource"},
		{"match variables are never unknown", `notify { 'a': message => [$1] }`, ""},
		{"a variable that is undef is known", `$u = undef notify { 'a': message => $u }`, ""},
		{"module_name is known everywhere", `notify { 'a': message => [$module_name, $caller_module_name] }`, ""},
		{"numbers are numbers", `notify { 'a': message => 1 + 1 }`, ""},
	} {
		for _, version := range []source.Language{source.Puppet7, source.Puppet8} {
			res, ds := compileText("site.pp", c.manifest, eval.Language(version))
			if ds.HasErrors() {
				t.Fatalf("%s: %s", c.idea, ds[0])
			}
			switch {
			case version == source.Puppet7 || c.failure == "":
				if res.Failure != nil {
					t.Errorf("%s, language %s: %s", c.idea, version, res.Failure)
				}
			case res.Failure == nil:
				t.Errorf("%s: compiles in language 8", c.idea)
			case !strings.Contains(res.Failure.Summary, c.failure):
				t.Errorf("%s: %s", c.idea, res.Failure)
			}
		}
	}
}
