package git

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"bunraku/source"
)

func TestLines(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", "[]"},
		{"a\nb\nc\n", "a\nB\nc\n", "[{1 2 1 2}]"},
		{"a\n", "a\nb\n", "[{1 1 1 2}]"},
		{"a", "a\n", "[{0 1 0 1}]"},
		{"", "a\nb", "[{0 0 0 2}]"},
	} {
		got, err := Lines(context.Background(), c.old, c.new)
		if fmt.Sprint(got) != c.want || err != nil {
			t.Errorf("%q to %q: %v, %v; want %s", c.old, c.new, got, err, c.want)
		}
	}
}

func TestIgnored(t *testing.T) {
	files := source.NewMemory([]string{"/"}, map[string]string{
		"/w/.gitignore":         "# modules of r10k\n/modules/*\n!/modules/own\n*.log\nbuild/\n",
		"/w/modules/.gitignore": "local\n",
	}, nil)
	r := &Repo{work: "/w"}
	for name, want := range map[string]bool{
		"/w/modules/stdlib": true, "/w/modules/stdlib/manifests/init.pp": true, "/w/modules/own": false,
		"/w/modules/own/x.pp": false, "/w/modules/own/x.log": true, "/w/site/build/x": true, "/w/site/local": false,
		"/w/modules/own/local": true, "/elsewhere/x.log": false,
	} {
		if got := r.Ignored(files, name, !strings.Contains(name, ".")); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
