package compiler_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bunraku/puppet/compiler"
	"bunraku/source"
)

// A module's file holds definitions only, and only those that its path is for: Puppet refuses it otherwise, whichever
// of them was asked for. What the environment's own manifests hold is free.
func TestPlacement(t *testing.T) {
	const fine = "class m { notify { 'm': } }\n"
	sites := map[string]map[string]string{
		"fine":                    {"m/manifests/init.pp": fine},
		"another class":           {"m/manifests/init.pp": fine + "class other { }\n"},
		"a class of another file": {"m/manifests/init.pp": fine + "class m::b { }\nclass m::a::c { }\n"},
		"a prefix that fits":      {"m/manifests/init.pp": fine + "class mother { }\n"},
		"a class inside":          {"m/manifests/init.pp": "class m {\n  class inner { }\n  notify { 'm': }\n}\n"},
		"a resource":              {"m/manifests/init.pp": fine + "notify { 'x': }\n"},
		"an untitled resource":    {"m/manifests/init.pp": fine + "Notify { message => 'x' }\n"},
		"include":                 {"m/manifests/init.pp": fine + "include m::b\n", "m/manifests/b.pp": "class m::b { }\n"},
		"an assignment":           {"m/manifests/init.pp": "$x = 1\n" + fine},
		"a node":                  {"m/manifests/init.pp": fine + "node default { }\n"},
		"a collector":             {"m/manifests/init.pp": fine + "Notify <| |>\n"},
		"an arrow":                {"m/manifests/init.pp": fine + "Notify['a'] -> Notify['b']\n"},
		"a condition":             {"m/manifests/init.pp": fine + "if true { }\n"},
		"a define elsewhere":      {"m/manifests/init.pp": fine + "define other::d() { }\n"},
		"a function there":        {"m/manifests/init.pp": fine + "function m::f() { 1 }\n"},
		"an alias there":          {"m/manifests/init.pp": fine + "type M::T = String\n"},
		"a file beside": {"m/manifests/init.pp": fine + "include m::b\n",
			"m/manifests/b.pp": "class m::b { }\nclass c { }\n"},
		"asked for another": {"m/manifests/init.pp": "class m { include m::b }\n",
			"m/manifests/b.pp": "class m::b { }\nnotify { 'x': }\n"},
		"a function's file": {"m/manifests/init.pp": "class m { notify { m::f(): } }\n",
			"m/functions/f.pp": "function m::f() { 'x' }\nfunction m::g() { 1 }\n"},
		"more in a function file": {"m/manifests/init.pp": "class m { notify { m::f(): } }\n",
			"m/functions/f.pp": "function m::f() { 'x' }\n$x = 1\n"},
		"a type's file": {"m/manifests/init.pp": "class m(M::T $x = 'a') { notify { $x: } }\n",
			"m/types/t.pp": "type M::T = String\n"},
		"a subdirectory": {"m/manifests/init.pp": "class m { include m::a::b }\n",
			"m/manifests/a/b.pp": "class m::a::b { }\nclass m::a::c { }\n"},
	}
	var lines, labels []string
	dirs := map[string]string{}
	for name, files := range sites {
		dirs[name] = filepath.Join(t.TempDir(), "production")
		site := map[string]string{"manifests/site.pp": "class free { }\ninclude m\n"}
		for path, text := range files {
			site["modules/"+path] = text
		}
		write(t, dirs[name], site)
		lines = append(lines, dirs[name]+" strict=warning")
		labels = append(labels, name)
	}
	column := regexp.MustCompile(`, column: \d+`)
	refused := 0
	for i, want := range puppetSays(t, lines) {
		t.Run(labels[i], func(t *testing.T) {
			said, _, _ := strings.Cut(column.ReplaceAllString(want.Error, ""), " on node ")
			if said != "" {
				refused++
			}
			for _, language := range []source.Language{source.Puppet7, source.Puppet8} {
				got := weSay(compileSite(t, dirs[labels[i]], compiler.Options{Language: language, Strict: "warning"}))
				if got.Error != said {
					t.Errorf("language %s: %q, Puppet says %q (%q)", language, got.Error, said, want.Warnings)
				}
			}
		})
	}
	t.Logf("%d of %d refused", refused, len(sites))
}

// A module that is opened alone may lie in a directory of any name.
func TestPlacementAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "modules", "puppet-m")
	write(t, dir,
		map[string]string{"metadata.json": `{"name": "me-m", "version": "1.0.0", "source": "s", "author": "me", "license": "l", "dependencies": []}`, "manifests/init.pp": "class m { }\n", "site.pp": "include m\n"})
	if r := compileSite(t, dir, compiler.Options{}); r.Failure != nil {
		t.Error(r.Failure)
	}
}
