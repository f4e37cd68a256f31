package explain

import (
	"strings"
	"testing"
)

// Who owns a file is what git's patterns say, and the last line that matches.
func TestOwners(t *testing.T) {
	owners := ParseOwners("# comment\n* @all\n*.epp @web\n/data/ @data # theirs\ndocs/* @docs\nprofile/ " +
		"@profile\n/data/nodes/**/secret.yaml @sec\n/free.pp\n")
	for path, want := range map[string]string{
		"manifests/site.pp":                       "@all",
		"modules/a/templates/x.epp":               "@web",
		"data/common.yaml":                        "@data",
		"x/data/common.yaml":                      "@all",
		"docs/a.md":                               "@docs",
		"docs/b/a.md":                             "@all",
		"site-modules/profile/manifests/nginx.pp": "@profile",
		"profile":                                 "@all",
		"data/nodes/a/b/secret.yaml":              "@sec",
		"data/nodes/secret.yaml":                  "@sec",
		"free.pp":                                 "",
	} {
		if got := strings.Join(owners(path), " "); got != want {
			t.Errorf("%s is owned by %q, want %q", path, got, want)
		}
	}
}

func TestWorldReadable(t *testing.T) {
	for mode, want := range map[string]bool{"": true, "0644": true, "0640": false, "600": false, "u=rw,g=r": false,
		"a+r":       true,
		"u=rw,go=r": true, "o=r,o-r": false, "+r": true, "ug=r": false} {
		if worldReadable(mode) != want {
			t.Errorf("mode %q: %v", mode, !want)
		}
	}
}
