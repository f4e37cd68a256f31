package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bunraku/source"
)

// TestArguments: options may be shortened, and be written with dashes and capitals, as with puppet-lint.
func TestArguments(t *testing.T) {
	for word, want := range map[string]string{
		"--no-140chars-check": "140chars", "--no-140chars": "140chars",
		"--no-trailing-whitespace-check": "trailing_whitespace",
		"--no-Documentation-check":       "documentation", "--no-docu": "documentation",
		"--no-legacy_facts-check": "legacy_facts",
	} {
		var o Options
		unused, refused := o.Arguments([]string{word})
		if on, said := o.Checks[want]; len(unused)+len(refused) > 0 || !said || on || len(o.Checks) != 1 {
			t.Errorf("%s: %v, %v, %v", word, o.Checks, unused, refused)
		}
	}
	for _, x := range []struct{ words, refused, is string }{
		{"--no-manifest --80chars-check --only-checks hard_tabs,nix --relat x",
			`puppet-lint has no option --no-manifest; there is no check nix; "x" is no option: those begin with --`,
			"[hard_tabs] relative"},
		{"--only-checks", "--only-checks has no value", "none"},
		{"--only-checks=", "", "[]"},
		{"--only-checks= metadata_json", "\"metadata_json\" is no option: those begin with --", "[]"},
		{"--no-hard_tabs-check=false", "--no-hard_tabs-check takes no value", "none"},
		{"--error-level=err", "", "none error"},
		{"--error-level=W", "", "none warning"},
		{"--error-level=none", `--error-level is all, warning or error, not "none"`, "none"},
		{"--error-level=", `--error-level is all, warning or error, not ""`, "none"},
	} {
		var o Options
		_, refused := o.Arguments(strings.Fields(x.words))
		var why []string
		for _, r := range refused {
			why = append(why, r.Why)
		}
		is := "none"
		if o.Checks != nil {
			var on []string
			for name, is := range o.Checks {
				if is {
					on = append(on, name)
				}
			}
			is = fmt.Sprint(on)
		}
		if o.Relative {
			is += " relative"
		}
		if o.ErrorLevel != "" {
			is += " " + o.ErrorLevel
		}
		if got := strings.Join(why, "; "); got != x.refused || is != x.is {
			t.Errorf("%s: refuses %q, is %q", x.words, got, is)
		}
	}
}

// TestReadConfig: a line of a .puppet-lint.rc is an option, whose value may have blanks in it or be the next line.
func TestReadConfig(t *testing.T) {
	var o Options
	var told []string
	for _, d := range o.ReadConfig(source.NewFile(".puppet-lint.rc", `# ours
--log-format=%{path}:%{line} - %{KIND} %{message}
--log-format %{path} # %{message}
--no-140chars-check   # too short for us
--no-80chars-check --relative

--ignore-paths
vendor/**/*.pp,my modules/*
--top-scope-variables=location, role
--no-nosuch-check
  --no-hard_tabs-check
no-hard_tabs-check
--
--no-arrow_alignment-check
`)) {
		told = append(told, fmt.Sprintf("%s %d", d.Code, d.Place.Line()))
	}
	if want := "L0002 2 L0002 3 L0001 10 L0001 11 L0001 12"; strings.Join(told, " ") != want {
		t.Errorf("%s, not %s", told, want)
	}
	_, tabs := o.Checks["hard_tabs"]
	_, arrows := o.Checks["arrow_alignment"]
	if tabs || arrows || !o.Relative || o.Checks["140chars"] || !slices.Equal(o.IgnorePaths, []string{"vendor/**/*.pp", "my modules/*"}) ||
		len(o.TopScopeVariables) != 2 {
		t.Errorf("%+v", o)
	}
}

// TestIgnores: patterns are those of Ruby's File.fnmatch without flags.
func TestIgnores(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		ignored       bool
	}{
		{"vendor/**/*.pp", "vendor/a/b.pp", true}, {"vendor/**/*.pp", "vendor/b.pp", false}, {"vendor/*.pp",
			"vendor/a/b.pp", true},
		{"./spec/*", "spec/a.pp", true}, {"*.pp", "a/b.pp", true}, {"*", "x", true}, {"a?.pp", "ab.pp", true},
		{"[ab].pp", "a.pp", true}, {"[!ab].pp", "a.pp", false}, {"[!ab].pp", "c.pp", true}, {"{a,b}.pp", "a.pp", false},
		{"a", "ab", false},
		{"**/*/*.pp", "a/b/c.pp", true},
	} {
		if o := (Options{IgnorePaths: []string{c.pattern}}); o.Ignores(c.name) != c.ignored {
			t.Errorf("%s and %s: not %v", c.pattern, c.name, c.ignored)
		}
	}
}
