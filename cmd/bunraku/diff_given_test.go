package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// What flags name is there on both sides, whether git ignores it, passes over it or lies elsewhere.
func TestDiffGivenIsThere(t *testing.T) {
	const site = "lookup('classes', { default_value => [] }).include\n"
	for _, c := range []struct {
		name, ignored string
		files         map[string]string // that are not in git
		known         map[string]string // that are
		flags         []string
	}{
		{"ignored data", "/hd", map[string]string{"hd/c.yaml": "classes: [m]\n"},
			map[string]string{"hiera.yaml": hieraOf("/srv/hd", "c.yaml")}, []string{"--datadir", "/srv/hd=hd"}},
		{"data not in git", "", map[string]string{"hd/c.yaml": "classes: [m]\n"},
			map[string]string{"hiera.yaml": hieraOf("/srv/hd", "c.yaml")}, []string{"--datadir", "/srv/hd=hd"}},
		{"hiera.yaml not in git", "", map[string]string{"g/hiera.yaml": hieraOf("data", "c.yaml"),
			"g/data/c.yaml": "classes: [m]\n"}, nil, []string{"--hiera", "g/hiera.yaml"}},
		{"ignored hiera.yaml", "/g", map[string]string{"g/hiera.yaml": hieraOf("../d", "c.yaml"),
			"d/c.yaml": "classes: [m]\n"}, nil, []string{"--hiera", "g/hiera.yaml"}},
		{"ignored data of hiera.yaml", "/g/data", map[string]string{"g/data/c.yaml": "classes: [m]\n"},
			map[string]string{"g/hiera.yaml": hieraOf("data", "c.yaml")}, []string{"--hiera", "g/hiera.yaml"}},
		{"modules not in git", "", map[string]string{"vendor/y/manifests/init.pp": "class y { include m }\n"},
			map[string]string{"manifests/site.pp": "if defined('y') { include y }\n"},
			[]string{"--modulepath", "vendor:modules"}},
		{"ignored functions", "/lib", map[string]string{"lib/puppet/functions/f.rb": "Puppet::Functions." +
			"create_function(:f) do\n  def f()\n    'm'\n  end\nend\n"},
			map[string]string{"manifests/site.pp": "include f()\n"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTree(t, 1, 0, map[string]string{"modules/m/manifests/init.pp": "class m { notify { 'a': } }\n"})
			if c.known["manifests/site.pp"] == "" {
				s.write("manifests/site.pp", site)
			}
			for name, text := range c.known {
				s.write(name, text)
			}
			s.write(".gitignore", c.ignored+"\n")
			s.commit("before")
			s.edit("modules/m/manifests/init.pp", "'a'", "'b'")
			s.commit("after")
			for name, text := range c.files {
				s.write(name, text)
			}
			t.Chdir(s.dir)
			for _, sides := range []string{"HEAD~1..HEAD", "HEAD~1"} {
				code, out, errs := call(append([]string{"diff", sides}, c.flags...)...)
				if code != 2 || !strings.Contains(out, "- Notify[a]") || !strings.Contains(out, "+ Notify[b]") ||
					!strings.Contains(out, "The same on both sides, since ") {
					t.Errorf("%s: exit %d\n%s%s", sides, code, out, errs)
				}
				if code, out, _ := call(append([]string{"impact", sides}, c.flags...)...); code != 2 {
					t.Errorf("impact %s: exit %d\n%s", sides, code, out)
				}
			}
		})
	}
}

// What one of the commits has is there, though it is not on the disk.
func TestDiffGivenInRevision(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { lookup('k', { default_value => 'no' }): }\n",
		"g/hiera.yaml": hieraOf("data", "c.yaml"), "g/data/c.yaml": "k: some\n"})
	s.git("rm", "-q", "-r", "g")
	s.commit("after")
	t.Chdir(s.dir)
	code, out, errs := call("diff", "HEAD~1..HEAD", "--hiera", filepath.Join("g", "hiera.yaml"))
	if code != 2 || !strings.Contains(out, "- Notify[some]") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}
