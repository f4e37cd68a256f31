package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a link in the files of a module is on a machine was asked of an agent (7.23): the link itself, with the text
// that it has, whatever it leads to; or with links => follow what it leads to, directories with all that is in them.
func TestDiffLinksInSources(t *testing.T) {
	const (
		made     = "file { '/d': ensure => directory, recurse => true, source => 'puppet:///modules/m/d' }\n"
		followed = "file { '/d': ensure => directory, recurse => true, links => follow,\n" +
			"  source => 'puppet:///modules/m/d' }\n"
		top     = "file { '/t': source => 'puppet:///modules/m/t' }\n"
		through = "file { '/t': source => 'puppet:///modules/m/t', links => 'follow' }\n"
		other   = "concat_fragment { 'c': target => '/t', source => 'puppet:///modules/m/t' }\n"
	)
	type change struct {
		file, link string // what is written, or linked
		text       string
	}
	for name, c := range map[string]struct {
		site   string
		change change
		want   string // of the answer; "" if nothing changes
	}{
		"the file behind a link":                   {made, change{file: "o/b", text: "new\n"}, ""},
		"the file behind a link that is followed":  {followed, change{file: "o/b", text: "new\n"}, "content of dir/b"},
		"a new file behind a followed link":        {followed, change{file: "o/e", text: "new\n"}, "content of dir/e"},
		"a link to an equal file":                  {made, change{link: "d/file", text: "../o/same"}, "content of file"},
		"a link to an equal file that is followed": {followed, change{link: "d/file", text: "../o/same"}, ""},
		"a link that was a file":                   {made, change{link: "d/a", text: "../o/b"}, "content of a"},
		"a followed link that was an equal file":   {followed, change{link: "d/a", text: "../o/b"}, ""},
		"a link to another directory":              {made, change{link: "d/dir", text: "../p"}, "content of dir"},
		"a followed link to another directory":     {followed, change{link: "d/dir", text: "../p"}, "content of dir/b"},
		"a link that leads nowhere, elsewhere":     {made, change{link: "d/broken", text: "nowhere-else"}, "content of broken"},
		"what the source leads to":                 {top, change{file: "d/a", text: "new\n"}, ""},
		"where the source leads":                   {top, change{link: "t", text: "o/b"}, "File[/t]"},
		"what the followed source leads to":        {through, change{file: "d/a", text: "new\n"}, "File[/t]"},
		"where the followed source leads":          {through, change{link: "t", text: "o/b"}, ""},
		"what the source of another type leads to": {other, change{file: "d/a", text: "new\n"}, "Concat_fragment[c]"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": c.site,
				"modules/m/lib/puppet/type/concat_fragment.rb": "Puppet::Type.newtype(:concat_fragment) do\n" +
					"  newparam(:name) { isnamevar }\n  newparam(:target)\n  newparam(:source)\nend\n",
				"modules/m/files/d/a": "one\n", "modules/m/files/d/sub/c": "c\n", "modules/m/files/o/b": "one\n",
				"modules/m/files/o/same": "one\n", "modules/m/files/p/other": "p\n"})
			at := func(name string) string { return filepath.Join(s.dir, "modules", "m", "files", name) }
			link := func(to, name string) {
				t.Helper()
				if err := os.RemoveAll(at(name)); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(to, at(name)); err != nil {
					t.Fatal(err)
				}
			}
			link("a", "d/file")
			link("../o", "d/dir")
			if c.site == made {
				link("nowhere", "d/broken")
			}
			link("d/a", "t")
			s.commit("links")
			if c.change.link != "" {
				link(c.change.text, c.change.link)
			} else {
				s.put("modules/m/files/"+c.change.file, c.change.text)
			}
			check := func(args ...string) {
				t.Helper()
				code, out := s.diff(args...)
				if c.want == "" && code != 0 || c.want != "" && (code != 2 || !strings.Contains(out, c.want) ||
					!strings.Contains(out, "from  modules/m/files/")) {
					t.Errorf("%v: %d, %q wanted\n%s", args, code, c.want, out)
				}
				if code, out, errs := call(append([]string{"impact", s.dir, "--facts", filepath.Join(s.dir, "facts")},
					args...)...); c.want != "" && code != 2 {
					t.Errorf("impact %v: %d\n%s%s", args, code, out, errs)
				}
			}
			check("--from", "HEAD")
			s.commit("changed")
			check("--from", "HEAD~1", "--to", "HEAD")
			store := filepath.Join(t.TempDir(), "store")
			check("--from", "HEAD~1", "--to", "HEAD", "--store", store)
			check("--from", "HEAD~1", "--to", "HEAD", "--store", store)
		})
	}
}
