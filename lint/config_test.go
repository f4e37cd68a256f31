package lint

import (
	"slices"
	"testing"
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
		unused, unknown := o.Arguments([]string{word})
		if on, said := o.Checks[want]; len(unused)+len(unknown) > 0 || !said || on || len(o.Checks) != 1 {
			t.Errorf("%s: %v, %v, %v", word, o.Checks, unused, unknown)
		}
	}
	var o Options
	_, unknown := o.Arguments([]string{"--no-manifest", "--80chars-check", "--only-checks", "hard_tabs,nix", "--relat",
		"x"})
	if !slices.Equal(unknown, []string{"--no-manifest", "there is no check nix", "x"}) || !o.Relative ||
		o.Checks["80chars"] ||
		!o.Checks["hard_tabs"] {
		t.Errorf("%v: %+v", unknown, o)
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
