package lookup_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bunraku/puppet/lookup"
	"bunraku/puppet/value"
	"bunraku/source"
)

// TestEveryCompileIsWarned: what is to be said of a hiera.yaml is said in every compile, not only in the one that came
// to the file first, and also where the file is refused (validate_config of HieraConfigV3 and V4 warns first).
func TestEveryCompileIsWarned(t *testing.T) {
	for text, want := range map[string][]string{
		"version: 3\nhierarchy: [{a: 1}]\n": {"H0338"},
		"version: 4\nhierarchy: 1\n":        {"H0338"},
		"- a\n":                             {"H0320", "H0338"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "hiera.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		l := lookup.New(lookup.Site{Environment: "production", Dir: dir},
			lookup.Options{Files: source.NewDir(source.DirOptions{Roots: []string{dir}}), Strict: source.StrictError})
		for compile := range 3 {
			var got []string
			s := l.Session(nil, func(d *source.Diagnostic) { got = append(got, d.Code) })
			_, _ = s.Lookup([]string{"x"}, &testScope{functions: value.EmptyHash}, lookup.Query{})
			if !slices.Equal(got, want) {
				t.Errorf("%q, compile %d: %q, want %q", text, compile, got, want)
			}
		}
	}
}
