package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// What rests on something that was invented, on a module that is not there or on what nobody here knows is not said of
// a tree as it was cloned; what does not is.
func TestCheckUnsure(t *testing.T) {
	debian := `{"name": "me-m", "operatingsystem_support": [{"operatingsystem": "Debian", "operatingsystemrelease": ["12"]}]}`
	for _, c := range []struct {
		name  string
		files map[string]string
		not   []string // that is not said
		want  []string // that is
	}{
		{"a class that is called like the invented machine", map[string]string{"environment.conf": "",
			"modules/role/manifests/x.pp": `class role::x { include "role::x::${facts['networking']['hostname']}" }`,
		}, []string{"error["}, []string{"Unknown, since it may hang on facts"}},
		{"a selector for other releases", map[string]string{"environment.conf": "",
			"modules/role/manifests/x.pp": "class role::x { $p = $facts['os']['release']['major'] ? { '12' => 'a', '13' => 'b' } }\n# debian",
		}, []string{"error["}, []string{"1 of 1 public class"}},
		{"a selector for releases that are gone", map[string]string{"environment.conf": "",
			"modules/role/manifests/x.pp": "class role::x { $p = $facts['os']['release']['major'] ? { '13' => 'b' } }\n# debian",
		}, []string{"error["}, []string{"Unknown, since it may hang on facts"}},
		{"a class that is missing on one of the systems", map[string]string{"environment.conf": "",
			"modules/role/manifests/x.pp": "class role::x { case $facts['os']['family'] { 'Debian': { include role::gone }\n" +
				"'RedHat': { notify { 'x': } } } }\n# debian redhat",
		}, nil, []string{"Could not find class ::role::gone"}},
		{"a selector for systems that the module is for", map[string]string{"metadata.json": debian,
			"manifests/init.pp": "class m { $p = $facts['os']['release']['major'] ? { '7' => 'a' } }",
		}, nil, []string{"error[E0230]"}},
		{"a file of the invented release", map[string]string{"environment.conf": "", "modules/role/files/7/x": "",
			"modules/role/manifests/x.pp": `class role::x { file { '/x': source => "puppet:///modules/role/${facts['os']['release']['major']}/x" } }`,
		}, []string{"C0004"}, nil},
		{"a file of a release that the module is for", map[string]string{"metadata.json": debian, "files/7/x": "",
			"manifests/init.pp": `class m { file { '/x': source => "puppet:///modules/m/${facts['os']['release']['major']}/x" } }`,
		}, nil, []string{"C0004"}},
		{"a file that git passes over", map[string]string{"environment.conf": "", ".gitignore": "*.pem\n/modules/role/files/private\n",
			"modules/role/files/a": "",
			"modules/role/manifests/x.pp": "class role::x { file { '/x': source => 'puppet:///modules/role/a.pem' }\n" +
				"file { '/y': source => 'puppet:///modules/role/private/y' } }",
			"modules/role/manifests/y.pp": "class role::y { file { '/z': source => 'puppet:///modules/role/z' } }",
		}, []string{"a.pem", "private/y"}, []string{"modules/role/z"}},
		{"a file in a directory that git passes over and that is there", map[string]string{"environment.conf": "",
			".gitignore": "modules/\n", "modules/role/files/a": "",
			"modules/role/manifests/y.pp": "class role::y { file { '/z': source => 'puppet:///modules/role/z' } }",
		}, nil, []string{"modules/role/z"}},
		{"a node statement that asks for a fact", map[string]string{"environment.conf": "",
			"manifests/site.pp": "node default { if $facts['role'] != undef { include $facts['role'] } }",
		}, []string{"V904"}, []string{"Unknown, since it may hang on facts"}},
		{"a node statement that leaves open how names end", map[string]string{"environment.conf": "",
			"manifests/site.pp": "node /^web\\d\\.east\\./ { unless $facts['networking']['domain'] =~ /\\.com$/ {\n" +
				"include here::gone } }",
			"modules/here/manifests/init.pp": "class here { }",
		}, []string{"error["}, []string{"Unknown, since it may hang on facts"}},
		{"a node statement that leaves open how names end, and what is so of all", map[string]string{"environment.conf": "",
			"manifests/site.pp":              "node /^web\\d\\.east\\./ { include here }",
			"modules/here/manifests/init.pp": "class here { include here::gone }",
		}, nil, []string{"Could not find class ::here::gone"}},
		{"an old name of a fact that no invented value helps", map[string]string{"environment.conf": "",
			"manifests/site.pp": "$site = $facts['ipaddress'] ? { /^192\\.0\\./ => 'a', default => undef }\n" +
				"node 'a' { if $site == undef { include here::gone } }",
			"modules/here/manifests/init.pp": "class here { }",
		}, []string{"error["}, []string{"Unknown, since it may hang on facts"}},
		{"a node statement with nothing in it", map[string]string{"environment.conf": "",
			"manifests/site.pp": "node 'a' { notice('x') }",
		}, nil, []string{"V904"}},
		{"a parameter that users give", map[string]string{"environment.conf": "",
			"modules/role/manifests/x.pp": "class role::x($servers = '') { $x = inline_template('<% @servers.each do |s| %><% end %>') }",
			"modules/role/manifests/y.pp": "class role::y($key = '') { file { \"${key}\": path => \"/x/${key}\" } }",
		}, []string{"error["}, []string{"$servers must be given", "$key must be given"}},
		{"a function of a module that is not there, in a template", map[string]string{"metadata.json": `{"name": "me-m"}`,
			"manifests/init.pp": "class m { $x = template('m/x.erb') }",
			"templates/x.erb":   "<%= scope.function_nowhere_to_be_seen(['x']) %>",
		}, []string{"error["}, []string{"for want of the module that brings nowhere_to_be_seen"}},
		{"a new function that a template calls as an old one", map[string]string{"metadata.json": `{"name": "me-m"}`,
			"manifests/init.pp":            "class m { $x = template('m/x.erb') }",
			"templates/x.erb":              "<%= scope.function_mine(['x']) %>",
			"lib/puppet/functions/mine.rb": "Puppet::Functions.create_function(:mine) do\n def mine(x)\n x\n end\nend\n",
		}, nil, []string{"error[E0401]"}},
		{"main manifests that are applied one at a time", map[string]string{
			"manifests/a.pp": "node default { notify { 'a': } }", "manifests/b.pp": "node default { notify { 'b': } }",
		}, []string{"error["}, []string{"each main manifest is one of its own"}},
		{"main manifests of an environment", map[string]string{"environment.conf": "",
			"manifests/a.pp": "node default { notify { 'a': } }", "manifests/b.pp": "node default { notify { 'b': } }",
		}, nil, []string{"error[E0101]"}},
		{"a node that one file has twice", map[string]string{
			"manifests/a.pp": "node default { notify { 'a': } }\nnode default { notify { 'b': } }",
		}, nil, []string{"error[E0101]"}},
		{"a global hiera.yaml", map[string]string{"hiera.yaml": "---\n:backends:\n  - yaml\n:hierarchy:\n  - common\n",
			"manifests/site.pp": "node default { notify { hiera('x'): } }",
		}, []string{"error["}, []string{"one for all environments"}},
		{"a global hiera.yaml, met through a parameter", map[string]string{"hiera.yaml": "---\n:backends: yaml\n",
			"manifests/site.pp": "node default { include web }", "modules/web/manifests/init.pp": "class web($x = 1) { }",
		}, []string{"error["}, []string{"one for all environments"}},
		{"a hiera.yaml of a module that no module can have", map[string]string{
			"modules/web/hiera.yaml": "---\n:backends: yaml\n",
			"manifests/site.pp":      "node default { include web }", "modules/web/manifests/init.pp": "class web($x = 1) { }",
		}, nil, []string{"error["}},
		{"a registry of images", map[string]string{"environment.conf": "",
			"modules/web/manifests/init.pp": "class web { $registry_host = 1 $registry_port = 2 $registry_user = 3 }",
		}, []string{"windows"}, []string{"on debian-12"}},
		{"lists of modules that name none", map[string]string{"metadata.json": `{"name": "me-m", "dependencies": []}`,
			".fixtures.yml":     "fixtures:\n  symlinks:\n    m: '#{source_dir}'\n",
			"manifests/init.pp": "class m { if $facts['never'] { vcsrepo { '/x': } $y = ip_of_all('x') } }",
		}, []string{"U0102", "U0104"}, nil},
		{"no modules, and nobody says which", map[string]string{
			"manifests/site.pp": "node default { vcsrepo { '/x': } }",
		}, []string{"error["}, []string{"stand-ins for the module that brings vcsrepo"}},
		{"a command that installs what a line is added to", map[string]string{"metadata.json": debian,
			"manifests/init.pp": "class m { exec { '/usr/bin/apt-get -y install jenkins': creates => '/etc/default/jenkins' }\n" +
				"-> file_line { 'x': path => '/etc/default/jenkins', line => 'x' } }",
		}, []string{"V102"}, nil},
		{"a package that goes", map[string]string{"metadata.json": debian,
			"manifests/init.pp": "class m { package { 'bird': ensure => absent } file { '/etc/bird': ensure => directory }\n" +
				"file { '/etc/bird/x': ensure => directory } }",
		}, []string{"V101"}, nil},
		{"names as Puppet 3 took them", map[string]string{"environment.conf": "", "manifests/site.pp": "node default { include users }",
			"modules/users/manifests/init.pp":  "class users { local { 'x': } }",
			"modules/users/manifests/local.pp": "define users::local { part { 'x': } }",
			"modules/users/manifests/part.pp":  "define users::part { }",
			"modules/users/manifests/old.pp":   "define users::old { }",
		}, []string{"the define users::local", "the define users::part"}, []string{"uses the define users::old"}},
		{"a variable that is read beside another", map[string]string{"environment.conf": "",
			"modules/role/manifests/c.pp": "class role::c { $password = 'x' }",
			"modules/role/manifests/x.pp": "class role::x { if $facts['never'] { $a = $role::c::password $b = $role::c::passwords } }",
		}, []string{"did you mean password?"}, []string{"sets no variable passwords"}},
		{"a title that one class has twice", map[string]string{"environment.conf": "",
			"modules/role/manifests/x.pp": "class role::x { package { 'n': provider => 'pip' }\npackage { 'n': provider => 'pip3' } }",
		}, []string{"both include"}, []string{"give one of them another title"}},
		{"an if with braces in a template", map[string]string{"environment.conf": "",
			"modules/role/templates/x.erb": "a\n<% if @x { -%>\nb\n<% } -%>\n",
			"modules/role/manifests/x.pp":  "class role::x { $x = template('role/x.erb') }",
		}, []string{"a hash's key"}, []string{"x.erb:2:"}},
		{"a full stop, and a ( that is a {", map[string]string{"environment.conf": "",
			"modules/role/manifests/x.pp": "class role::x { }\nsudo createrepo -d .\n",
			"modules/role/manifests/y.pp": "class role::y { notice{\"x\" ) }\n",
		}, []string{"follows the dot", "followed by a colon"}, []string{"in ( )"}},
		{"modules in the root", map[string]string{"a/manifests/init.pp": "class a { }", "b/manifests/init.pp": "class b { }",
			"boot/modules/c/manifests/init.pp": "class c { }", "boot/manifests/site.pp": "",
		}, []string{"the modules of boot"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, out, errs := call("check", writeRepo(t, c.files))
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
				t.Log(out + errs)
			}
		})
	}
}

// A tool that asks for JSON gets it, also of a tree of which nothing can be said.
func TestCheckJSONAlways(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a manifest elsewhere": {"environment.conf": "manifest = /etc/nowhere/manifests\n", "modules/a/manifests/init.pp": "class a { }"},
		"nothing to compile":   {"metadata.json": `{"name": "me-m"}`, "spec/fixtures/x.pp": ""},
	} {
		code, out, errs := call("check", "--format", "json", writeRepo(t, files))
		var answer answerJSON
		if err := json.Unmarshal([]byte(out), &answer); err != nil || code != exitFailed {
			t.Errorf("%s: exit %d, %v\n%s%s", name, code, err, out, errs)
		}
	}
}
