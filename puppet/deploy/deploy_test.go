package deploy

import (
	"slices"
	"testing"

	"bunraku/source"
)

// TestNames: what r10k makes of branches and of addresses, as its rules say (environment/name.rb, util/cacheable.rb).
func TestNames(t *testing.T) {
	for branch, want := range map[string]string{"production": "production", "feature/x-1": "feature_x_1", "a.b c": "a_b_c",
		"käse": "k_se", "_": "_", "a--b": "a__b"} {
		if got := Name(branch); got != want {
			t.Errorf("%s: %s", branch, got)
		}
	}
	for remote, want := range map[string][]string{
		"git@github.com:me/one.git":     {"git@github.com-me-one.git"},
		"https://git.example/me/one":    {"https---git.example-me-one"},
		"ssh://git@git.example:22/one":  {"ssh---git.example-22-one", "ssh---git@git.example-22-one"},
		"https://me:pw@git.example/a@b": {"https---b", "https---me-pw@git.example-a@b"},
		"/srv/git/one.git":              {"-srv-git-one.git"},
	} {
		if got := cacheNames(remote); !slices.Equal(got, want) {
			t.Errorf("%s: %q", remote, got)
		}
	}
}

// FuzzPuppetfile: whatever a Puppetfile is, its modules lie in the environment, or it is refused.
func FuzzPuppetfile(f *testing.F) {
	for _, seed := range []string{"mod 'a/b', '1.0.0'", "moduledir 'x'\nmod 'b', git: 'u', ref: 'r', install_path: 'y'",
		"mod('b', :git => 'u', :tag => '1')", "forge 'x'\n", "mod 'b', local: true",
		"mod 'b', {git: 'u', branch: :control_branch}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := readPuppetfile(source.NewFile("Puppetfile", text))
		for _, m := range list {
			if _, ok := inside(m.dir, m.dir != ""); err != nil || !ok || !plainTitle.MatchString(m.name) ||
				(m.release == "") == (m.remote == "") {
				t.Errorf("%q: %+v %v", text, m, err)
			}
		}
	})
}
