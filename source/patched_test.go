package source_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"bunraku/source"
)

// shown is all of a view below a directory: files with their texts, links with where they lead, empty directories.
func shown(t *testing.T, files source.Files, dir string) (out []string) {
	t.Helper()
	err := source.Walk(files, dir, func(p string, e source.Entry) bool {
		text, err := files.Read(p)
		target, linkErr := files.Link(p)
		if linkErr != nil || (target != "") != e.Link {
			t.Errorf("%s: %q, %v, %+v", p, target, linkErr, e)
		}
		line := strings.TrimPrefix(p, dir+"/")
		if e.Link {
			line += " -> " + target
		}
		switch {
		case err == nil:
			line += " = " + text.Text
		case errors.Is(err, syscall.EISDIR):
			line += "/"
		case errors.Is(err, fs.ErrNotExist):
			line += " is nowhere"
		default:
			line += " " + err.Error()
		}
		out = append(out, line)
		return true
	})
	if err != nil {
		t.Error(err)
	}
	return out
}

// In a patched view links are links: they lead to what is new, too.
func TestPatched(t *testing.T) {
	old := source.NewMemory([]string{"/r"}, map[string]string{"/r/a": "a", "/r/d/x": "x", "/r/d/y": "y", "/r/f": "f",
		"/r/only/one": "1"}, map[string]string{"/r/l": "a", "/r/dir": "d", "/r/chain": "l", "/r/out": "/etc/passwd"})
	new := source.NewMemory([]string{"/r"}, map[string]string{"/r/b": "b"}, map[string]string{"/r/l": "b"})
	text := func(s string) source.Instead {
		c := source.NewContent(s)
		return source.Instead{Text: &c}
	}
	link := func(to string) source.Instead { return source.Instead{Link: to, Files: new, From: "/r/other"} }
	for name, c := range map[string]struct {
		paths map[string]source.Instead
		less  []string // lines that the old view has
		more  []string // and lines in their place
	}{
		"nothing": {},
		"a link leads to what is not there yet": {map[string]source.Instead{"/r/l": link("b")},
			[]string{"chain -> l = a", "l -> a = a"}, []string{"chain -> l is nowhere", "l -> b is nowhere"}},
		"a link leads to what is new": {map[string]source.Instead{"/r/l": link("b"), "/r/b": text("b")},
			[]string{"chain -> l = a", "l -> a = a"}, []string{"b = b", "chain -> l = b", "l -> b = b"}},
		"a file of another view": {map[string]source.Instead{"/r/a": {Files: new, From: "/r/b"}},
			[]string{"a = a", "chain -> l = a", "l -> a = a"}, []string{"a = b", "chain -> l = b", "l -> a = b"}},
		"a link that is gone": {map[string]source.Instead{"/r/l": {}}, []string{"chain -> l = a", "l -> a = a"},
			[]string{"chain -> l is nowhere"}},
		"a file in the place of a link": {map[string]source.Instead{"/r/l": text("own")},
			[]string{"chain -> l = a", "l -> a = a"}, []string{"chain -> l = own", "l = own"}},
		"a directory in the place of a link": {map[string]source.Instead{"/r/dir/z": text("z")},
			[]string{"dir -> d/"}, []string{"dir/", "dir/z = z"}},
		"a directory in the place of a file": {map[string]source.Instead{"/r/f/z": text("z")}, []string{"f = f"},
			[]string{"f/", "f/z = z"}},
		"a link in the place of a directory": {map[string]source.Instead{"/r/only": link("d"), "/r/only/one": {}},
			[]string{"only/", "only/one = 1"}, []string{"only -> d/"}},
		"the last file of a directory goes": {map[string]source.Instead{"/r/only/one": {}},
			[]string{"only/", "only/one = 1"}, nil},
		"one of two files goes": {map[string]source.Instead{"/r/d/x": {}}, []string{"d/x = x"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			want := shown(t, old, "/r")
			want = slices.DeleteFunc(want, func(l string) bool { return slices.Contains(c.less, l) })
			want = append(want, c.more...)
			slices.Sort(want)
			p := source.NewPatched(old, c.paths)
			got := shown(t, p, "/r")
			slices.Sort(got)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%q\nwanted\n%q", got, want)
			}
			if real, err := p.Real("/r/dir"); len(c.paths) == 0 && (err != nil || real != "/r/d") {
				t.Error(real, err)
			}
			if !slices.Equal(p.Roots(), old.Roots()) {
				t.Error(p.Roots())
			}
		})
	}
}

// A layer may be a directory that lies elsewhere: then its links lead where they lead from there.
func TestPatchedLayers(t *testing.T) {
	disk := source.NewMemory([]string{"/"}, map[string]string{"/here/env/a": "a", "/here/beside/b": "wrong",
		"/there/beside/b": "right", "/there/env/a": "other"}, map[string]string{"/there/env/l": "../beside/b",
		"/there/env/k": "a"})
	layers := source.NewLayers(disk, source.Layer{At: "/here/env", Files: disk, Dir: "/there/env"})
	p := source.NewPatched(layers, map[string]source.Instead{"/here/env/a": {}})
	if c, err := p.Read("/here/env/l"); err != nil || c.Text != "right" {
		t.Errorf("%q %v", c.Text, err)
	}
	if target, err := p.Link("/here/env/l"); err != nil || target != "../beside/b" {
		t.Errorf("%q %v", target, err)
	}
	if _, err := p.Read("/here/env/k"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	moved := source.NewPatched(disk, map[string]source.Instead{
		"/here/env/l": {Link: "../beside/b", Files: layers, From: "/here/env/l"}})
	if c, err := moved.Read("/here/env/l"); err != nil || c.Text != "right" {
		t.Errorf("%q %v", c.Text, err)
	}
}
