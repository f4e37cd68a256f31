package source_test

import (
	"errors"
	"io/fs"
	"slices"
	"testing"

	"bunraku/source"
)

// A revision is seen in the place of the work tree, modules that it lacks lie under it, and everything else is what the
// view below has.
func TestLayers(t *testing.T) {
	disk := source.NewMemory([]string{"/"}, map[string]string{
		"/w/manifests/site.pp": "disk", "/w/modules/r10k/a.pp": "r10k", "/w/untracked.pp": "new", "/usr/m/x.pp": "shared",
	}, nil)
	rev := source.NewMemory([]string{"/"}, map[string]string{"/w/manifests/site.pp": "rev", "/w/modules/own/a.pp": "own"},
		nil)
	with := source.NewMemory([]string{"/"},
		map[string]string{"/c/modules/own/a.pp": "hidden", "/c/modules/other/a.pp": "other"}, nil)
	v := source.NewLayers(disk, source.Layer{At: "/w", Files: rev, Dir: "/w"},
		source.Layer{At: "/w/modules/r10k", Files: disk, Dir: "/w/modules/r10k"},
		source.Layer{At: "/w", Files: with, Dir: "/c"})
	for p, want := range map[string]string{"/w/manifests/site.pp": "rev", "/w/modules/r10k/a.pp": "r10k",
		"/usr/m/x.pp":         "shared",
		"/w/modules/own/a.pp": "own", "/w/modules/other/a.pp": "other"} {
		if got, err := v.Read(p); err != nil || got.Text != want {
			t.Errorf("%s: %q, %v; want %q", p, got.Text, err, want)
		}
		if real, err := v.Real(p); err != nil || real != p {
			t.Errorf("%s is really %s, %v", p, real, err)
		}
	}
	if _, err := v.Read("/w/untracked.pp"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file of the work tree shows through: %v", err)
	}
	list, err := v.List("/w/modules")
	var names []string
	for _, e := range list {
		names = append(names, e.Name)
	}
	if err != nil || !slices.Equal(names, []string{"other", "own", "r10k"}) {
		t.Errorf("modules: %v, %v", names, err)
	}
}
