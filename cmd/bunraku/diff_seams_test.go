package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a commit does is not called nothing where it only may do nothing, or where Puppet does not compile any more. The
// answers about metadata.json are those of Puppet 7.23, as are those about a file of the machine, capitals, and data
// that leads to itself; about other mounts and servers nobody was asked: they are not known.
func TestDiffSeams(t *testing.T) {
	const (
		files    = "site-modules/profile/files/"
		site     = "manifests/site.pp"
		metadata = "site-modules/profile/metadata.json"
		whole    = `"source":"s","author":"a","version":"1","license":"l"`
	)
	from := func(sources string) string { return "file { '/srv/f': source => [" + sources + "] }\n" }
	const a, b = "'puppet:///modules/profile/a'", "'puppet:///modules/profile/b'"
	type tree map[string]string
	for _, x := range []struct {
		name     string
		old, new tree // "" takes a file away, what begins with -> is a link
		args     []string
		code     int
		want     string
	}{
		{name: "a file of the machine behind it", old: tree{site: from(a + ", '/srv/x'"), files + "a": "1"},
			new: tree{files + "a": "2"}, code: exitNo, want: "File[/srv/f] content of its source"},
		{name: "before it", old: tree{site: from("'/srv/x', " + a), files + "a": "1"}, new: tree{files + "a": "2"},
			code: exitUnknown, want: "whether a machine takes /srv/x in place of it"},
		{name: "another mount before it", old: tree{site: from("'puppet:///private/x', " + a), files + "a": "1"},
			new: tree{files + "a": "2"}, code: exitUnknown, want: "whether a machine takes puppet:///private/x"},
		{name: "the module's comes, before another", old: tree{site: from(a + ", '/srv/x'"), files + "b": "1"},
			new: tree{files + "a": "2"}, code: exitUnknown, want: "whether a machine takes /srv/x"},
		{name: "another server", old: tree{site: from("'puppet://far/modules/profile/a'"), files + "a": "1"},
			new: tree{files + "a": "2"}, code: exitUnknown, want: "whether far has these modules"},
		{name: "capitals", old: tree{site: from("'PUPPET:///modules/profile/a'"), files + "a": "1"},
			new: tree{files + "a": "2"}, code: exitNo, want: "File[/srv/f] content of its source"},
		{name: "what is never reached", old: tree{site: from(a + ", '/srv/x', " + b), files + "a": "1", files + "b": "1"},
			new: tree{files + "b": "2"}, code: exitFine, want: "No differences."},

		{name: "metadata that is null", old: tree{metadata: ""}, new: tree{metadata: "null"}, code: exitFailed,
			want: "is no object"},
		{name: "a number", old: tree{metadata: ""}, new: tree{metadata: "5"}, code: exitFailed, want: "is no object"},
		{name: "a list", old: tree{metadata: ""}, new: tree{metadata: "[1]"}, code: exitFailed, want: "is no object"},
		{name: "an empty list", old: tree{metadata: ""}, new: tree{metadata: "[ ]"}, code: exitFine,
			want: "No differences."},
		{name: "a text, without which there is no such module", old: tree{metadata: ""},
			new: tree{metadata: `"abc"`, site: "include profile::base\n"}, code: exitFailed,
			want: "Could not find class ::profile::base"},
		{name: "a name that is a number", old: tree{metadata: ""},
			new: tree{metadata: `{"name":5,"dependencies":[],` + whole + `}`}, code: exitFailed, want: "is no text"},
		{name: "a dependency that is a text", old: tree{metadata: ""},
			new: tree{metadata: `{"dependencies":["x"],` + whole + `}`}, code: exitFailed, want: "a dependency without"},
		{name: "a dependency that says nothing", old: tree{metadata: ""},
			new: tree{metadata: `{"dependencies":[{}],` + whole + `}`}, code: exitFine, want: "No differences."},

		{name: "data that leads to itself", old: tree{"data/nodes/web1.shop.example.yaml": "{}\n"},
			new: tree{"data/nodes/web1.shop.example.yaml": "->web1.shop.example.yaml"}, code: exitFine,
			want: "No differences."},

		{name: "mended", old: tree{site: "fail('old')\n"}, new: tree{site: "notify { 'new': }\n"},
			args: []string{"--assert", "none"}, code: exitNo, want: "compiles again"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			s, states := newRepository(t), 0
			put := func(all tree) {
				for name, text := range all {
					at := filepath.Join(s.dir, name)
					if err := os.RemoveAll(at); err != nil {
						t.Fatal(err)
					}
					target, link := strings.CutPrefix(text, "->")
					switch {
					case link:
						if err := os.Symlink(target, at); err != nil {
							t.Fatal(err)
						}
					case text != "":
						s.put(name, text)
					}
				}
				states++
				s.put("README", fmt.Sprint("state ", states)) // some are the same otherwise
				s.commit("a state")
			}
			put(x.old)
			put(x.new)
			for _, more := range [][]string{nil, {"--store", filepath.Join(t.TempDir(), "store")}} {
				args := append([]string{"--from", "HEAD~1", "--to", "HEAD", "--nodes", "web1*"}, x.args...)
				for range 1 + len(more)/2 {
					code, out := s.diff(append(args, more...)...)
					if code != x.code || !strings.Contains(out, x.want) {
						t.Errorf("%v: %d, want %d and %q\n%s", more, code, x.code, x.want, out)
					}
				}
			}
		})
	}
}
