package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBlameless: what public trees do and are right to do is not called wrong, and what is said of it instead is so.
// Each tree is one of a kind that check was wrong about (testdata/judged.txt has the places).
func TestBlameless(t *testing.T) {
	metadata := `{"name": "me-m", "version": "1.0.0", "author": "me", "license": "x", "source": "x", "dependencies": [],
		"operatingsystem_support": [{"operatingsystem": "Debian", "operatingsystemrelease": ["12"]}]}`
	for _, c := range []struct {
		name      string
		files     map[string]string // one that ends in / is an empty directory
		want, not []string
	}{
		{"submodules that nobody has fetched", map[string]string{
			"environment.conf": "", "modules/nginx/": "", "modules/stdlib/": "", "modules/own/files/applet/": "",
			"manifests/site.pp": "node default { include own }",
			"modules/own/manifests/init.pp": "class own {\n  include nginx::mod\n  nginx::vhost { 'a': }\n  ini_setting { 'x': }\n" +
				"  $x = prefixed(['a'])\n  file { '/a': source => 'puppet:///modules/nginx/a' }\n" +
				"  file { '/b': source => 'puppet:///modules/own/applet/package', recurse => true }\n}",
		}, []string{"2 modules are named and not there: nginx, stdlib. `git submodule update --init` brings them"},
			[]string{"U01", "C0004"}},
		{"a module that says nowhere what it needs", map[string]string{
			"manifests/init.pp": "class m { firewall { '1': } vcsrepo { '/x': } $x = prefixed(['a']) }",
		}, []string{"stand-ins"}, []string{"U01", "E0508"}},
		{"commands without a path, which a site may set for all", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { exec { 'x': command => 'true', unless => '/bin/true' } }",
		}, []string{"warning[C0003]", "unless the site has a default: Exec { path => … }"}, []string{"error[C0003]"}},
		{"policies of SELinux", map[string]string{"environment.conf": "", "manifests/site.pp": "node default { }",
			"modules/own/files/slurm.pp": "\x8f\xff\x7c\xf9", "modules/own/manifests/init.pp": "class own { }",
		}, nil, []string{"P0100"}},
		{"a file of another module", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { file { '/x': source => 'puppet:///modules/site/x' } }",
		}, nil, []string{"C0004"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, empty := map[string]string{}, []string(nil)
			for name, text := range c.files {
				if dir, is := strings.CutSuffix(name, "/"); is {
					empty = append(empty, dir)
					continue
				}
				files[name] = text
			}
			dir := writeRepo(t, files)
			for _, name := range empty {
				must(t, os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o755))
			}
			t.Chdir(dir)
			_, out, errs := call("check")
			for _, w := range c.want {
				if !strings.Contains(out+errs, w) {
					t.Errorf("%q is not there", w)
				}
			}
			for _, w := range c.not {
				if strings.Contains(out+errs, w) {
					t.Errorf("%q is there", w)
				}
			}
			if t.Failed() {
				t.Logf("%s%s", out, errs)
			}
		})
	}
}
