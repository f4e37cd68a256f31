package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// A module and a control repo as they are cloned, without facts: what is compiled, what is not and why, and nothing is
// called fine that was not looked at.
func TestCheckWithoutFacts(t *testing.T) {
	module := map[string]string{
		"metadata.json": `{"name": "me-m", "version": "1.0.0", "author": "me", "license": "x", "source": "x",
			"dependencies": [{"name": "puppetlabs-other"}],
			"operatingsystem_support": [{"operatingsystem": "Debian", "operatingsystemrelease": ["11", "12"]},
				{"operatingsystem": "RedHat", "operatingsystemrelease": ["9"]}, {"operatingsystem": "AIX", "operatingsystemrelease": ["7.1"]}]}`,
		"manifests/init.pp":   "class m { file { \"/etc/m.${facts['os']['family']}\": content => 'x' } }",
		"manifests/needs.pp":  "class m::needs(String $port) { notify { $port: } }",
		"manifests/part.pp":   "class m::part { file { '/etc/m.d': ensure => directory, require => Class['m'] } }",
		"manifests/other.pp":  "class m::other { include other::thing }",
		"manifests/hidden.pp": "# Not for you.\n#\n# @api private\nclass m::hidden { fail('private') }",
		"manifests/only.pp":   "class m::only { if $facts['os']['family'] != 'RedHat' { fail('not here') } notify { 'x': } }",
		"manifests/fact.pp":   "class m::fact { if $facts['own'] == undef { file { '/x': ensure => $facts['own']['x'] } } }",
		"manifests/wrong.pp":  "class m::wrong { file { '/x': nosuch => 1 } }",
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		args  []string
		exit  int
		want  []string
		not   []string
	}{
		{"module", module, nil, 1, []string{
			"m on debian-12 (invented)", "m on redhat-9 (invented)", "m::part on debian-12 (invented)",
			"No facts were found: the nodes are invented, on debian-12, redhat-9.",
			"1 module is named and not there: other.",
			"Not looked at, without built-in facts: AIX 7.1.",
			"m::other on debian-12 (invented)      5 resources  compiles with stand-ins for other",
			"2 nodes were compiled with stand-ins for what is not there (other): ",
			"4 of 7 public classes compiled on at least one system, 1 of them only with stand-ins.",
			"Not looked at, since $port must be given: m::needs.",
			"since the code refuses (not here): m::only on debian-12.",
			"Unknown, since it may hang on facts that were invented, or that only real nodes have (own): m::fact on debian-12",
			"no parameter named 'nosuch'", "only compiled, not verified",
		}, []string{"m::hidden", "debian-11", "Every node is"}},
		{"all systems", module, []string{"--all-systems"}, 1, []string{"m on debian-11 (invented)"},
			[]string{"only compiled"}},
		{"a fine module", map[string]string{"metadata.json": module["metadata.json"],
			"manifests/init.pp": module["manifests/init.pp"]}, []string{"--all-systems"}, 0,
			[]string{"Every node that was compiled is deterministic", "1 of 1 public class compiled"}, nil},
		{"nodes that a site names", map[string]string{
			"environment.conf":              "",
			"hiera.yaml":                    "version: 5\nhierarchy:\n  - {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n",
			"data/nodes/b.example.yaml":     "k: 1\n",
			"manifests/site.pp":             "node 'a.example', /re/ { notify { 'a': } } node default { notify { 'd': } }",
			"modules/role/manifests/web.pp": "class role::web { notify { 'web': } }",
		}, nil, 0, []string{"a.example on debian-12 (invented)", "b.example on debian-12 (invented)",
			"role::web on debian-12 (invented)"}, nil},
		{"a site for another system", map[string]string{
			"environment.conf": "", "manifests/site.pp": "",
			"modules/role/manifests/web.pp": "class role::web { yumrepo { 'x': } package { 'centos-release': } }",
		}, nil, 0, []string{"role::web on redhat-9 (invented)"}, []string{"debian"}},
		{"a classifier's variable", map[string]string{
			"environment.conf": "", "manifests/site.pp": "notify { $tier: }",
			"modules/role/manifests/web.pp": "class role::web { }",
		}, nil, 0, []string{"Not looked at, since nobody sets $tier, as a classifier would: role::web"},
			[]string{"fine", "Every node"}},
		{"modules that a Puppetfile brings", map[string]string{
			"environment.conf": "", "manifests/site.pp": "",
			"Puppetfile":                    "forge 'x'\nmod 'puppetlabs/stdlib', '9.0.0'\nmod 'concat'\n",
			"modules/role/manifests/web.pp": "class role::web { concat { 'x': } }",
		}, nil, 0, []string{"2 modules are named and not there: concat, stdlib.",
			"role::web on debian-12 (invented)      5 resources  compiles with stand-ins for concat"},
			[]string{"fine", "Every node"}},
		{"what only another system has", map[string]string{
			"environment.conf": "", "manifests/site.pp": "",
			"modules/role/manifests/mac.pp": "class role::mac { case $facts['os']['name'] { 'Darwin': { notify { 'x': } } " +
				"default: { fail('no') } } }",
			"modules/role/manifests/osx.pp": "class role::osx { notify { $facts['os']['macosx']['version']['major']: } }\n# darwin",
			"modules/role/manifests/win.pp": "class role::win { file { 'c:/windows/win_x': } }",
		}, nil, 0, []string{"role::mac on macos-14 (invented)", "role::osx on macos-14 (invented)",
			"role::win on windows-2022 (invented)"}, []string{"E0240"}},
		{"facter's old names", map[string]string{
			"environment.conf": "", "manifests/site.pp": "",
			"modules/role/manifests/old.pp": "class role::old { notify { $::fqdn: } }",
		}, nil, 0, []string{"1 node reads facts by facter's old names"}, []string{"E0301"}},
		{"a node statement with a regular expression", map[string]string{
			"environment.conf": "",
			"manifests/site.pp": "node /^web[0-9]+\\.(eqiad|codfw)\\.example$/ { notify { 'w': } } node default { notify { " +
				"'d': } }",
		}, nil, 0, []string{"web1.eqiad.example on debian-12 (invented)", "any-other.invented on debian-12 (invented)"}, nil},
		{"defines", map[string]string{
			"metadata.json":     module["metadata.json"],
			"manifests/init.pp": "class m { $dir = '/etc/m' }",
			"manifests/part.pp": "define m::part(String[1] $a, Enum['x', 'y'] $b, Integer[5] $c, Stdlib::Absolutepath $p) { " +
				"file { \"${m::dir}.${title}.${a}${b}${c}\": } }",
			"manifests/path.pp": "define m::path { file { $title: } if $title !~ /^\\// { fail('a path') } }",
			"manifests/bad.pp":  "define m::bad { include m::nosuch }",
			"manifests/odd.pp":  "define m::odd { if $title != 'odd' { notify { ['a', 'a']: } } }",
			"manifests/own.pp":  "# @api private\ndefine m::own { nosuch() }",
		}, nil, 1, []string{"2 of 4 public defines compiled with an invented use.", "m::part on debian-12 (invented)",
			"m::path on redhat-9 (invented)", "Could not find class ::m::nosuch\n", "1 problem on 2 of 8 nodes",
			"Unknown, since it may hang on the invented use"}, []string{"m::own"}},
		{"a module for Puppet before 8", map[string]string{
			"metadata.json": strings.Replace(module["metadata.json"], `"dependencies"`,
				`"requirements": [{"name": "puppet", "version_requirement": ">= 4.10.0 < 8.0.0"}], "dependencies"`, 1),
			"manifests/init.pp": "class m { notify { $::osfamily: } }",
		}, nil, 0, []string{"metadata.json wants Puppet >= 4.10.0 < 8.0.0: the language of Puppet 7 was used"},
			[]string{"old names"}},
		{"an edit for a class that is only compiled elsewhere", map[string]string{
			"metadata.json":     module["metadata.json"],
			"manifests/init.pp": "class m { package { 'nginx': } file { '/etc/nginx/conf.d/x.conf': content => 'x' } }",
		}, nil, 2, []string{"V101 order missing", "m on redhat-9 (invented)"}, []string{"bug"}},
		{"facts that stdlib brings", map[string]string{
			"metadata.json":     strings.Replace(module["metadata.json"], "puppetlabs-other", "puppetlabs-stdlib", 1),
			"manifests/init.pp": "class m { notify { \"${facts['service_provider']} ${facts['root_home']}\": } }",
		}, nil, 0, []string{"1 of 1 public class"}, []string{"Unknown"}},
		{"facts that nothing brings", map[string]string{
			"metadata.json":     module["metadata.json"],
			"manifests/init.pp": "class m { service { 'x': provider => $facts['service_provider']['x'] } }",
		}, nil, 0, []string{"Unknown, since it may hang on facts"}, nil},
		{"a name that is made of what a node lacks", map[string]string{
			"environment.conf": "", "modules/role/manifests/web.pp": "class role::web { }",
			"manifests/site.pp": "node default { include \"::role::${trusted['extensions']['pp_role']}\" }",
		}, nil, 0, []string{"Unknown, since it may hang on facts that were invented", "Could not find class ::role::"},
			[]string{"error["}},
		{"data that a module would give", map[string]string{
			"environment.conf": "", "modules/role/manifests/web.pp": "class role::web { lookup('x') }",
			"manifests/site.pp": "", "Puppetfile": "forge 'x'\nmod 'me/vault'\nmod 'me/hieradata'\n",
			"hiera.yaml": "version: 5\nhierarchy:\n  - {name: v, data_hash: vault_data, uri: 'x'}\n  - {name: c, path: " +
				"c.yaml}\n" +
				"  - {name: h, datadir: modules/hieradata/data, path: c.yaml}\n",
			"data/c.yaml": "x: \"%{lookup('y')}\"\n",
		}, nil, 0, []string{"Not looked at, for want of the module that brings vault_data: role::web"},
			[]string{"error[", "H0507", "H0506"}},
		{"an interpolation in a module's data", map[string]string{
			"metadata.json": module["metadata.json"], "manifests/init.pp": "class m($x) { }",
			"hiera.yaml":  "version: 5\nhierarchy:\n  - {name: c, path: c.yaml}\n",
			"data/c.yaml": "m::x: \"%{hiera('m::y')}\"\n",
		}, nil, 0, nil, []string{"H0507"}},
		{"what only a server or a stdlib would say", map[string]string{
			"metadata.json":     module["metadata.json"],
			"manifests/init.pp": "class m { @@notify { 'a': } Notify <<| |>>\n ensure_packages(['curl']) }",
		}, nil, 0, []string{"1 of 1 public class"}, []string{"E0501", "E0540", "W0650"}},
		{"what an agent refuses of an invented use, or on another system", map[string]string{
			"metadata.json":     module["metadata.json"],
			"manifests/init.pp": "define m { file { '/a': require => File['/b'] } file { '/b': require => File['/a'] } }",
			"manifests/win.pp":  "class m::win { file { 'C:\\\\x': ensure => file } }",
			"manifests/odd.pp":  "class m::odd { file { 'relative': } }",
		}, nil, 2, []string{"File paths must be fully qualified, not 'relative'",
			"m on debian-12 (invented)           6 resources  compiles"},
			[]string{"C0001", "not 'C:"}},
		{"what a missing module's metadata says", map[string]string{
			"metadata.json":     module["metadata.json"],
			"manifests/init.pp": "class m { $v = load_module_metadata('other')['version'] if $v == '1' { notify { 'x': } } }",
		}, nil, 0, []string{"compiles with stand-ins for other"}, nil},
		{"a function that fails is no refusal", map[string]string{
			"environment.conf": "", "manifests/site.pp": "",
			"modules/role/manifests/bad.pp": "class role::bad { notify { 'x': message => Integer('y') } }",
		}, nil, 1, []string{"role::bad on debian-12 (invented)   no catalog"}, []string{"refuses"}},
		{"real facts", map[string]string{
			"environment.conf": "", "manifests/site.pp": "notify { 'x': }", "facts/a.json": `{"os": {"family": "Debian"}}`,
		}, nil, 0, []string{"Every node is deterministic"}, []string{"invented"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := writeRepo(t, c.files)
			exit, out, errs := call(append([]string{"check", dir}, c.args...)...)
			text := out + errs
			if exit != c.exit {
				t.Errorf("exit %d, want %d", exit, c.exit)
			}
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("%q is not there", w)
				}
			}
			for _, w := range c.not {
				if strings.Contains(text, w) {
					t.Errorf("%q is there", w)
				}
			}
			if t.Failed() {
				t.Log(text)
			}
		})
	}
}

// What modules would bring that are not there is stood in for, and nothing is claimed that hangs on it; what has
// nothing to do with it is told all the same.
func TestCheckWithStandIns(t *testing.T) {
	site := func(code string) map[string]string {
		return map[string]string{"environment.conf": "", "Puppetfile": "forge 'x'\nmod 'concat'\nmod 'me/other'\n",
			"facts/n.json": strings.Replace(facts12, "NAME", "n", 1), "manifests/site.pp": code,
			"modules/role/manifests/web.pp": "class role::web { }"}
	}
	for _, c := range []struct {
		name, code string
		exit       int
		want, not  []string
	}{
		{"a class", "include other\nnotify { 'n': require => Class['other'] }", 3,
			[]string{"compiles with stand-ins for other",
				"warning[V906]: 1 node was not verified, for want of modules: other"}, []string{"fine", "E0"}},
		{"a class with parameters", "class { 'other::x': port => 80 } -> notify { 'n': }", 3, []string{"stand-ins for other"},
			[]string{"E0"}},
		{"its variables", "include other\nfile { $other::dir: }\nif $other::on { fail('no') }\nnotify { \"${other::a}\": }",
			3,
			[]string{"stand-ins for other"}, []string{"E0", "W0"}},
		{"a define", "other::part { 'x': a => 1 }\nOther::Part['x'] -> notify { 'n': require => File['/made/by/it'] }", 3,
			[]string{"stand-ins for other"}, []string{"E0"}},
		{"a plain name", "concat { '/x': mode => '0644' }\nConcat['/x'] -> notify { 'n': }\nConcat <| |> -> notify { 'm': }",
			3,
			[]string{"stand-ins for concat"}, []string{"E0"}},
		{"a plain name of any of them", "thing { 'x': }", 3, []string{"stand-ins for the module that brings thing"}, nil},
		{"functions", "file { '/x': content => other::text(1) }\nother::acts() |$x| { notify { $x: } }\nnotify { " +
			"thing('x'): }", 3,
			[]string{"stand-ins for other, the module that brings thing"}, []string{"E0"}},
		{"a type", "function f(Other::Port $p) { $p }\nnotify { 'n': message => f(1) }", 3,
			[]string{"stand-ins for other"}, []string{"fine"}},
		{"a plain type of any of them, or of none", "case 'RedHat' { RedHat: { notify { 'n': } } default: { notify { 'm': } } }", 3,
			[]string{"stand-ins for the module that brings redhat"}, []string{"fine"}},
		{"a decision on a type", "if 1 =~ Other::Port { notify { 'a': } } else { notify { 'b': } }\n" +
			"case 1 { Other::Port: { notify { 'c': } } default: { } }\nother { 'x': }", 3, []string{"stand-ins for other"},
			[]string{"E0"}},
		{"what is asked for", "if defined('other::x') or defined(Other::Y) { fail('no') }\nnotify { 'n': }", 3,
			[]string{"stand-ins for other"},
			[]string{"E0"}},
		{"another module's parent", "class a inherits other::params { notify { $port: } }\ninclude a", 3,
			[]string{"stand-ins for other"}, []string{"E0"}},
		{"what has nothing to do with it", "include other\nfile { '/x': nosuch => 1 }", 1,
			[]string{"error[E0580]: no parameter named 'nosuch'"}, nil},
		{"a module that nobody names", "include nowhere::x", 1, []string{"Could not find class ::nowhere::x"},
			[]string{"stand-ins"}},
		{"a slip", "include rle::web", 1, []string{"Could not find class ::rle::web"}, []string{"stand-ins"}},
		{"a slip in a type", "pakage { 'x': }", 1, []string{"Unknown resource type: 'pakage'"}, []string{"stand-ins"}},
		{"a slip in a data type", "if 3 =~ Intger { notify { 'n': } }", 1, []string{"Resource type not found: Intger"},
			[]string{"stand-ins"}},
		{"a slip in a function", "notify { tempalte('x'): }", 1, []string{"Unknown function: 'tempalte'"},
			[]string{"stand-ins"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			exit, out, errs := call("check", writeRepo(t, site(c.code)))
			holdsWords(t, out+errs, c.want, c.not)
			if exit != c.exit || t.Failed() {
				t.Errorf("exit %d, want %d\n%s%s", exit, c.exit, out, errs)
			}
		})
	}
}

// An invented node goes on where Hiera has no data, and where only a server has a file; a real node fails, as with
// Puppet.
func TestCheckWithoutData(t *testing.T) {
	for _, c := range []struct {
		name, code string
		want, not  []string
	}{
		{"a key", "notify { lookup('site::url'): }", []string{"stand-ins for data", "no value of site::url."}, nil},
		{"keys of which the first is as good as any", "notify { lookup(['site::a', 'site::b']): }",
			[]string{"no value of site::a."}, nil},
		{"a key with a type", "notify { 'n': message => lookup('site::url', Integer) + 1 }", []string{"stand-ins for data"},
			nil},
		{"a key with a default", "notify { lookup('site::url', undef, undef, 'x'): }", []string{"resources  fine"}, nil},
		{"a key of Hiera 3", "notify { hiera('site::url'): }", []string{"no value of site::url."}, nil},
		{"a decision", "if lookup('site::on') { fail('no') } else { notify { 'n': } }", []string{"stand-ins for data"},
			nil},
		{"a parameter of another class", "include m::other", []string{"no value of m::other::port."}, nil},
		{"a file of a server", "notify { 'n': message => split(file('/etc/puppet/private/x'), ',')[0] }",
			[]string{"stand-ins for files", "Only a server has /etc/puppet/private/x."}, nil},
		{"a template of a server", "notify { 'n': message => template('/etc/puppet/private/x.erb') }",
			[]string{"stand-ins for files"}, nil},
		{"an order", "include m::other\nnotify { 'q': }\nClass['m::other'] -> Notify['q']", []string{"no value of m::other::port."}, nil},
		{"a parameter that is asked for", "include m::other\nnotify { 'q': message => Class['m::other']['port'] + 1 }",
			[]string{"no value of m::other::port."}, nil},
		{"an assignment of several", "[$a, [$b]] = split(lookup('site::url'), ':')\nnotify { \"x${b}\": }",
			[]string{"stand-ins for data"}, []string{"E0212", "may hang"}},
		{"an override", "$d = lookup('site::url')\nfile { $d: }\nFile[$d] { mode => '0755' }",
			[]string{"stand-ins for data"}, []string{"E0521", "may hang"}},
		{"a failure after a way out", "$u = lookup('site::name')\nif lookup('site::url') { return() }\nnotify { [1, 1 + 'a']: }",
			[]string{"data, files or facts that were not found (", "; without site::url): m."}, []string{"site::name, ", "without site::name"}},
		{"a failure after a decision", "if lookup('site::url') { notify { 'x': } }\nnotify { [1, 1 + 'a']: }",
			[]string{"error[E0224]", "cannot be converted"}, []string{"may hang"}},
		{"a failure that nothing leads to", "$u = lookup('site::url')\nnotify { [1, 1 + 'a']: }",
			[]string{"error[E0224]", "cannot be converted"}, []string{"may hang"}},
		{"a class after a decision", "if $facts['my_version'] { notify { 'x': } }\ninclude m::nosuch",
			[]string{"error[E0401]", "Could not find class ::m::nosuch"}, []string{"may hang"}},
		{"a title that another branch takes", "case lookup('site::url') {\n  'a': { notify { 'm': } }\n" +
			"  default: { notify { 'n': } }\n}\nnotify { 'n': }", []string{"may hang on data", "without site::url"}, []string{"error[E0510]"}},
		{"a variable that another branch sets", "if lookup('site::url') { $x = 1 }\n$x = 2",
			[]string{"may hang on data", "without site::url"}, []string{"error[E0211]"}},
		{"a failure on a fact", "$u = lookup('site::url')\nnotify { versioncmp($facts['my_version'], '1'): }",
			[]string{"facts that were invented", "my_version"}, []string{"may hang on data"}},
		{"a refusal", "$u = lookup('site::url')\nfail('not for you')", []string{"the code refuses (not for you)"},
			[]string{"may hang on data"}},
		{"a title that is taken", "$u = lookup('site::url')\nnotify { 'n': }\nnotify { 'n': message => $u }",
			[]string{"Duplicate declaration: Notify[n]"}, []string{"may hang on data"}},
		{"a title that is not known twice", "$u = lookup('site::url')\nnotify { 'n': }\nif $u { notify { 'm': } }\n" +
			"notify { 'm': }", []string{"stand-ins for data"}, []string{"Duplicate"}},
		{"a branch that a list decides", "$v = lookup('site::url')\nif [$v] != [1] { fail('no') }",
			[]string{"stand-ins for data"}, []string{"refuses"}},
		{"a template of Puppet on a server", "notify { 'n': message => epp('/etc/puppet/private/x.epp') }",
			[]string{"stand-ins for files"}, nil},
		{"bytes of a server", "file { '/n': content => binary_file('/etc/krb5.keytab') }",
			[]string{"stand-ins for files"}, nil},
		{"a path that is none", "notify { 'n': message => file('~/x') }", []string{"only a server has '~/x': m."}, nil},
		{"a function in Ruby", "notify { 'n': message => m::same(lookup('site::url')) }", []string{"stand-ins for data"},
			[]string{"E0702", "E0703"}},
		{"what has nothing to do with it", "notify { lookup('site::url'): }\nfile { '/x': nosuch => 1 }",
			[]string{"no parameter named 'nosuch'"}, []string{"fine"}},
		{"a file of the module", "notify { 'n': message => file('m/x') }", []string{"Could not find any files from m/x"},
			nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"metadata.json": `{"name": "me-m", "version": "1.0.0", "author": "me",
				"license": "x", "source": "x", "dependencies": []}`,
				"manifests/init.pp": "class m { " + c.code + " }",
				"lib/puppet/functions/m/same.rb": "Puppet::Functions.create_function(:'m::same') do\n  def same(x)\n" +
					"    call_function('inline_template', '<%= @title %>') + x\n  end\nend\n",
				"manifests/other.pp": "# @api private\nclass m::other(Integer $port) { notify { \"${port}\": } }"}
			_, out, errs := call("check", writeRepo(t, files))
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
			for _, w := range []string{"E0401", "E0412", "E0602"} {
				if strings.Contains(out+errs, "error["+w) && !strings.Contains(strings.Join(c.want, ""), "Could not") {
					t.Errorf("%q is there", w)
				}
			}
			real := map[string]string{"environment.conf": "", "manifests/site.pp": "include m",
				"facts/n.json": strings.Replace(facts12, "NAME", "n", 1)}
			for name, text := range files {
				real["modules/m/"+name] = text
			}
			exit, out, errs := call("check", writeRepo(t, real))
			if fails := c.name != "a key with a default"; (exit == 1) != fails || strings.Contains(out, "stand-ins") {
				t.Errorf("a real node: exit %d\n%s%s", exit, out, errs)
			}
		})
	}
}

// What was compiled with stand-ins is not called fine or passed in any format, and types of modules that are not there
// are a condition of what is said.
func TestStandInsInFormats(t *testing.T) {
	files := map[string]string{"environment.conf": "", "data/common.yaml": "a: 1\n",
		"hiera.yaml": "version: 5\nhierarchy:\n  - {name: secret, datadir: /etc/puppet/nowhere/secret, path: x.yaml}\n" +
			"  - {name: common, path: common.yaml}\n",
		"manifests/site.pp": "node 'n' { notify { 'n': message => \"${lookup('a')}\" } }\n"}
	level := writeRepo(t, files)
	files["hiera.yaml"] = "version: 5\nhierarchy:\n  - {name: common, path: common.yaml}\n"
	files["manifests/site.pp"] = "node 'n' { notify { 'n': message => lookup('nobody::has') } }\n"
	key := writeRepo(t, files)
	delete(files, "hiera.yaml")
	files["Puppetfile"] = "mod 'x-other', '1.0.0'\n"
	files["manifests/site.pp"] = "node 'n' { include m }\n"
	files["modules/m/manifests/init.pp"] = "class m(Other::Port $p = 80) { notify { 'n': } }\n"
	types := writeRepo(t, files)
	for _, c := range []struct {
		name, dir string
		args      []string
		exit      int
		want, not []string
	}{
		{"a level of a server", level, nil, exitFine, []string{"compiles with stand-ins for files",
			"Only a server has /etc/puppet/nowhere/secret/x.yaml."}, []string{"fine", "error["}},
		{"JUnit", key, []string{"--format", "junit"}, exitFine,
			[]string{`<skipped message="not verified: it compiles with stand-ins for data">`, `skipped="1"`}, nil},
		{"all is to be known", key, []string{"--fail-on", "unknown"}, exitUnknown, nil, nil},
		{"types", types, nil, exitFine, []string{"nothing found, if values are of the types of other"},
			[]string{"fine", "Every node"}},
		{"types in JSON", types, []string{"--format", "json"}, exitFine, []string{`"kind": "data_type"`}, nil},
		{"types are to be known", types, []string{"--fail-on", "unknown"}, exitUnknown, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			exit, out, errs := call(append([]string{"check", c.dir}, c.args...)...)
			holdsWords(t, out+errs, c.want, c.not)
			if exit != c.exit || t.Failed() {
				t.Errorf("exit %d, want %d\n%s%s", exit, c.exit, out, errs)
			}
		})
	}
}

// A fact that a module brings is one that every machine has and nobody knows here; no classifier sets it.
func TestCheckFactsOfModules(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a symbol":         {"lib/facter/cores.rb": "Facter.add(:zcores) do\n  setcode { 4 }\nend\n"},
		"a text":           {"lib/facter/all.rb": "require 'facter'\nFacter.add 'zcores', :timeout => 1 do\nend\n"},
		"a list":           {"facts.d/a.txt": "zcores=4\n"},
		"a hash":           {"facts.d/a.yaml": "---\nzcores: 4\n"},
		"JSON":             {"facts.d/a.json": "{ \"zcores\": 4 }"},
		"a program prints": {"facts.d/a.sh": "#!/bin/sh\necho \"zcores=$(nproc)\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			files["metadata.json"] = `{"name": "me-m", "version": "1.0.0", "author": "me", "license": "x", "source": "x",
				"dependencies": []}`
			files["manifests/init.pp"] = "class m { if $::zcores > 2 { notify { \"${zcores}\": } }\nfile { '/x': nosuch => 1 } }"
			_, out, errs := call("check", writeRepo(t, files))
			holdsWords(t, out+errs, []string{"no parameter named 'nosuch'"}, []string{"as a classifier would", "E0301"})
			files["manifests/init.pp"] = "class m { $n = $zcores * 2 notify { \"n ${n}\": } }"
			_, out, errs = call("check", writeRepo(t, files))
			holdsWords(t, out+errs, []string{"compiles with stand-ins for facts",
				"Only machines have the facts zcores, which modules bring."}, []string{"as a classifier would", "E0301", "fine"})
			files["manifests/init.pp"] = "class m { $n = $zcore * 2 notify { \"n ${n}\": } }"
			_, out, errs = call("check", writeRepo(t, files))
			holdsWords(t, out+errs, []string{"nobody sets $zcore, as a classifier would"}, nil)
			real := map[string]string{"environment.conf": "", "manifests/site.pp": "include m",
				"facts/n.json": strings.Replace(facts12, "NAME", "n", 1)}
			files["manifests/init.pp"] = "class m { $n = $zcores * 2 notify { \"n ${n}\": } }"
			for name, text := range files {
				real["modules/m/"+name] = text
			}
			_, out, errs = call("check", writeRepo(t, real))
			holdsWords(t, out+errs, []string{"error[E0301]"}, []string{"stand-ins"})
		})
	}
}

// Of hundreds of nodes that a tree names and that all want what is not here, some are tried. Nodes that the code
// refuses, each for itself, have nothing in common: all are tried.
func TestCheckManyNamed(t *testing.T) {
	site := func(body string) (all string) {
		for i := range 200 {
			all += fmt.Sprintf("node 'n%d.example.com' { %s }\n", i, strings.ReplaceAll(body, "N", fmt.Sprint(i)))
		}
		return all
	}
	for _, c := range []struct {
		name, code string
		want, not  []string
	}{
		{"a module", site("notice(template('absent/x.erb'))"), []string{"none of 64 invented nodes compiles with what is here; 136 " +
			"more were not tried", "Not looked at, since none of the others that were tried compiles (most for absent)"},
			[]string{"200 invented"}},
		{"one that compiles", strings.Replace(site("notice(template('absent/x.erb'))"), "{ notice(template('absent/x.erb')) }",
			"{ notify { 'here': } }", 1), []string{"and 196 more"}, []string{"none of the others"}},
		{"each refused by itself", strings.Replace(site("fail('retired: nN')"), "{ fail('retired: n199') }", "{ $x = 'abc' + 1 }", 1),
			[]string{"error[E0224]", "'abc' cannot be converted"}, []string{"none of the others", "V903"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, out, errs := call("check", writeRepo(t, map[string]string{"environment.conf": "", "manifests/site.pp": c.code}))
			holdsWords(t, out+errs, c.want, c.not)
			if t.Failed() {
				t.Log(out + errs)
			}
		})
	}
}

// Of many hundreds of classes of which the main manifest ends the compile some are tried, from all over. Where one of
// them compiles all are.
func TestCheckManyClasses(t *testing.T) {
	for site, want := range map[string]string{
		"notice(template('absent/x.erb'))": "none of 64 invented nodes compiles with what is here; 236 more were not tried",
		"":                                 "Reached by 300 invented nodes: 300 of 300 classes",
		"if $facts['networking']['hostname'] != 'many-c0' { notice(template('absent/x.erb')) }": "1 of 300 classes",
	} {
		files := map[string]string{"environment.conf": "", "manifests/site.pp": site}
		for i := range 300 {
			files[fmt.Sprintf("modules/many/manifests/c%d.pp", i)] = fmt.Sprintf("class many::c%d { notify { 'x': } }", i)
		}
		_, out, errs := call("check", writeRepo(t, files))
		holdsWords(t, out+errs, []string{want}, nil)
		if t.Failed() {
			t.Log(out + errs)
		}
	}
}

// A module needs no metadata.json: its code says what it is called.
func TestCheckModuleWithoutMetadata(t *testing.T) {
	for _, file := range []string{"manifests/init.pp", "manifests/a/b.pp"} {
		name := map[string]string{"manifests/init.pp": "me", "manifests/a/b.pp": "me::a::b"}[file]
		exit, out, errs := call("check", writeRepo(t,
			map[string]string{file: "# class other\nclass " + name + " { notify { 'x': } }"}))
		if exit != exitFine || !strings.Contains(out, name+" on debian-12 (invented)") ||
			!strings.Contains(out, "1 of 1 public class") {
			t.Errorf("%s: exit %d\n%s%s", file, exit, out, errs)
		}
	}
	exit, out, errs := call("check", writeRepo(t, map[string]string{"manifests/a.pp": "class me::a { notify { 'x': } }",
		"manifests/b.pp": "define me::b { }", "manifests/all.pp": "include me::a", "site.pp": "node 'x' { }",
		"Puppetfile": "mod 'puppetlabs/stdlib'\n"}))
	if exit != exitFine || !strings.Contains(out, "1 of 1 public class") {
		t.Errorf("a Puppetfile and a site.pp beside a module: exit %d\n%s%s", exit, out, errs)
	}
	_, out, _ = call("check", writeRepo(t, map[string]string{"manifests/nodes.pp": "class me::nodes { }",
		"manifests/other.pp": "node default { include me::nodes }"}))
	if strings.Contains(out, "public class") {
		t.Errorf("one class does not make a module of a site\n%s", out)
	}
	exit, _, errs = call("check", writeRepo(t, map[string]string{"metadata.json": "{}", "lib/x.rb": ""}))
	if exit != exitFailed || !strings.Contains(errs, "there is nothing to compile") {
		t.Errorf("exit %d\n%s", exit, errs)
	}
}

// Without stdlib what is built in of it is used, and that is said; a compile refuses, as Puppet does.
func TestCheckWithoutStdlib(t *testing.T) {
	dir := writeRepo(t, map[string]string{
		"environment.conf": "", "manifests/site.pp": "node default { } node 'n' { include role::web }",
		"modules/role/manifests/web.pp": "class role::web(Stdlib::Port $p = 80, Stdlib::Absolutepath $f = '/etc/x') {\n" +
			"include stdlib\n anchor { 'a': }\n stdlib::ensure_packages(['curl'])\n" +
			"file { $f: content => stdlib::to_json({'p' => $p}) }\n file { '/etc/y': ensure => file } -> file_line { 'x': " +
			"path => '/etc/y', line => 'y' } }",
	})
	code, out, errs := call("check", dir)
	if code != exitFine || !strings.Contains(out, "role::web on debian-12 (invented)") ||
		!strings.Contains(out, "The module stdlib is not there: what is built in of it (as of ") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, _, errs := call("compile", dir, "--node", "n"); code != exitFailed {
		t.Errorf("exit %d\n%s", code, errs)
	}
}

// Tools are told which nodes are invented, and what was not looked at.
func TestCheckWithoutFactsJSON(t *testing.T) {
	dir := writeRepo(t, map[string]string{"environment.conf": "", "manifests/site.pp": "",
		"modules/role/manifests/web.pp": "class role::web { notify { 'x': } }",
		"modules/role/manifests/db.pp":  "class role::db { include gone::x }",
		"modules/role/manifests/lb.pp":  "class role::lb($x) { }"})
	_, text, _ := call("check", dir, "--format", "json")
	var answer answerJSON
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(answer.Nodes) != 2 || answer.Nodes[1].Kind != "invented" || answer.Nodes[1].Origin != "a role" ||
		answer.Nodes[1].Name != "role::web on debian-12 (invented)" || answer.Nodes[1].StandIns != nil {
		t.Errorf("nodes %+v", answer.Nodes)
	}
	if s := answer.Nodes[0].StandIns; len(s) != 1 || s[0] != (standInJSON{"gone", "class", "gone::x"}) ||
		answer.Nodes[0].Deterministic != "" {
		t.Errorf("nodes %+v", answer.Nodes)
	}
	if len(answer.NotDone) != 1 || answer.NotDone[0].Reason != "needs_parameters" || answer.NotDone[0].Detail != "$x" {
		t.Errorf("not looked at %+v", answer.NotDone)
	}
}

// The facts of a system are a file that a node can be compiled with.
func TestFactsShow(t *testing.T) {
	exit, text, _ := call("facts", "show", "debian-12", "--node", "web.example")
	if exit != 0 || !strings.Contains(text, `"fqdn": "web.example"`) {
		t.Fatalf("exit %d\n%s", exit, text)
	}
	dir := writeRepo(t, map[string]string{"environment.conf": "", "facts/web.json": text,
		"manifests/site.pp": "notify { $facts['os']['distro']['codename']: }"})
	if exit, text, _ := call("compile", dir, "--format", "text"); exit != 0 || !strings.Contains(text, "bookworm") {
		t.Errorf("exit %d\n%s", exit, text)
	}
	if exit, _, text := call("facts", "show", "debain-12"); exit != 1 ||
		!strings.Contains(text, "did you mean debian-12?") {
		t.Errorf("exit %d\n%s", exit, text)
	}
	if _, text, _ := call("facts", "show"); !strings.Contains(text, "windows-2025") ||
		!strings.Contains(text, "not compared with a real machine's") {
		t.Errorf("%s", text)
	}
}

// TestCheckRolesByFacts: where the main manifest makes the name of a class of what a machine says of itself, invented
// nodes say it: in a fact or in their certificate, directly or through variables. What the classes have wrong is told.
func TestCheckRolesByFacts(t *testing.T) {
	for name, c := range map[string]struct{ site, said string }{
		"a fact":          {`node default { include "role::${facts['role']}" }`, "$facts['role']"},
		"an old variable": {`include "::role::${::role}"`, "$facts['role']"},
		"an extension": {`node default { $r = $trusted['extensions']['pp_role'] include "role::${r}" }`,
			"$trusted['extensions']['pp_role']"},
		"a method": {`$role = $trusted['extensions'].get('pp_role') "role::${role}".include`,
			"$trusted['extensions']['pp_role']"},
		"a choice":     {`node default { $role = pick($facts['role'], 'none') include "role::$role" }`, "$facts['role']"},
		"a whole name": {`if $facts['kind'] { include $facts['kind'] } else { fail('no kind') }`, "$facts['kind']"},
	} {
		code, out, errText := call("check", writeRepo(t, map[string]string{"manifests/site.pp": c.site,
			"hiera.yaml": "version: 5\nhierarchy:\n  - name: r\n    paths: ['%{trusted.extensions.pp_role}.yaml', " +
				"'%{facts.role}.yaml', '%{facts.kind}.yaml']\n",
			"data/db.yaml": "role::db::port: 5432\n", "data/role::db.yaml": "role::db::port: 5432\n",
			"modules/role/manifests/db.pp":   "class role::db(Integer $port) { notify { \"port ${port}\": } }\n",
			"modules/role/manifests/none.pp": "class role::none { }\n",
			"modules/role/manifests/web.pp":  "class role::web { file { '/x': nosuch => 1 } }\n"}))
		if code != exitFailed || !regexp.MustCompile(`role::db on \S+ \(invented\) +\d+ resources  fine`).MatchString(out) ||
			!regexp.MustCompile(`role::web on \S+ \(invented\) +no catalog`).MatchString(out) ||
			!strings.Contains(errText, "no parameter named 'nosuch'") ||
			!strings.Contains(out, "what the main manifests ask for, so that it gets its class: "+c.said+".") {
			t.Errorf("%s: exit %d\n%s%s", name, code, out, errText)
		}
	}
	// What systems have as it is stays so, and a fact cannot be called like a variable that is set for all nodes.
	for _, site := range []string{`include "role::${facts['kernel']}"`, `$role = $facts['role'] include "role::${role}"`} {
		_, out, errText := call("check", writeRepo(t, map[string]string{"manifests/site.pp": site,
			"modules/role/manifests/db.pp": "class role::db { }\n"}))
		if strings.Contains(out, "Each says of itself") {
			t.Errorf("%s: it was invented:\n%s%s", site, out, errText)
		}
	}
}

// Where the hierarchy has levels for what machines say of themselves, a node that does not compile says what a level
// has a file for. What hangs on that is no error of the tree's.
func TestCheckSaysWhatLevelsHave(t *testing.T) {
	refuses := "unless $trusted['extensions']['pp_dc'] { fail('no data centre') }\n"
	byDC := "    path: dc/%{trusted.extensions.pp_dc}.yaml\n"
	for _, c := range []struct {
		name, site, level, code string
		want, not               string
	}{
		{"an extension", refuses, byDC, "notify { $port: }", "$trusted['extensions']['pp_dc'] is 'east'.", "refuses"},
		{"what hangs on it", refuses, byDC,
			"if $trusted['extensions']['pp_dc'] == 'east' { file { '/x': nosuch => 1 } }", "may hang on facts", "error["},
		{"what does not", refuses, byDC, "file { '/x': nosuch => 1 }", "no parameter named 'nosuch'", "may hang"},
		{"two directories", "unless $facts['site'] and $facts['tier'] { fail('no site') }\n",
			"    paths: ['%{facts.os.family}/x.yaml', 'at/%{facts.site}/tier-%{tier}.yaml']\n", "notify { $port: }",
			"$facts['site'] is 'north', $facts['tier'] is '2'.", "refuses"},
		{"facter's old names", refuses, byDC, "notify { \"${::operatingsystem} ${port}\": }",
			"is 'east'.", "error["},
		{"no files", refuses, "    path: none/%{trusted.extensions.pp_dc}.yaml\n", "notify { $port: }",
			"refuses (no data centre)", "say what the hierarchy"},
		{"a variable of the site", "$dc = $facts['dc']\nunless $dc { fail('no data centre') }\n", "    path: dc/%{dc}.yaml\n",
			"notify { $port: }", "refuses (no data centre)", "say what the hierarchy"},
		{"one that does without", "", byDC, "notify { pick($port, 'x'): }", "stand-ins", "say what the hierarchy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, out, errs := call("check", writeRepo(t, map[string]string{
				"manifests/site.pp":             c.site + "node 'web1.example.com', 'web2.example.com' { include role::web }\n",
				"hiera.yaml":                    "version: 5\nhierarchy:\n  - name: l\n" + c.level,
				"data/dc/common.yaml":           "{}\n",
				"data/dc/east.yaml":             "role::web::port: eighty\n",
				"data/dc/west.yaml":             "role::web::port: ninety\n",
				"data/at/north/tier-2.yaml":     "role::web::port: eighty\n",
				"data/at/south/tier-1.yaml":     "role::web::port: eighty\n",
				"modules/role/manifests/web.pp": "class role::web($port = lookup('role::web::port')) {\n" + c.code + "\n}\n",
			}), "--language", "8")
			if !strings.Contains(out+errs, c.want) || strings.Contains(out+errs, c.not) {
				t.Errorf("%q or not %q\n%s%s", c.want, c.not, out, errs)
			}
		})
	}
}

// holdsWords holds a text to words that it is to have, and others that it is not.
func holdsWords(t *testing.T, text string, want, not []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not there", w)
		}
	}
	for _, w := range not {
		if strings.Contains(text, w) {
			t.Errorf("%q is there", w)
		}
	}
}

// What other machines would have, by their facts, names and certificates, is no reason for an error; what fails on all
// of them is one, wherever it stands.
func TestCheckOnOtherMachines(t *testing.T) {
	for _, c := range []struct {
		name, code string
		want, not  string
	}{
		{"a trusted extension", "class { 'given': port => $trusted['extensions']['pp_port'] }", "(trusted.extensions)", "error["},
		{"a fact that every machine has", "if $facts['kernelrelease'] =~ /amd64$/ { include given::nosuch }", "(kernelrelease)", "error["},
		{"data by a fact", "notify { [1 + lookup('by_role')]: }", "(role)", "error["},
		{"data by a name", "notify { [1 + lookup('by_name')]: }", "(networking.fqdn)", "error["},
		{"data that all have", "notify { [1 + lookup('common')]: }", "error[E0224]", "may hang"},
		{"data by the system", "notify { [1 + lookup('by_system')]: }", "error[E0224]", "may hang"},
		{"a fact that decides something else", "if $facts['kernelrelease'] == '1' { notify { 'x': } }\nnotify { [1 + 'a']: }",
			"error[E0224]", "may hang"},
		{"a fact that leads away", "if $facts['kernelrelease'] == '1' { return() }\nnotify { [1 + 'a']: }",
			"(kernelrelease)", "error["},
		{"a variable that a template asks for", "notify { inline_template(\"<%= scope.lookupvar('role::late::x') %>\"): }",
			"since something must be declared beside it", "error["},
		{"the class of another module's", "include apt\nif $apt::on { return() }\nnotify { [1 + 'a']: }", "want of the module apt", "error["},
		{"a fact that a template takes out of all", "notify { template('role/fact.erb'): }", "real nodes have (nope)",
			"error["},
		{"a fact that an inline template takes out of all", "notify { inline_template('<%= @facts.dig(\"nope\", :x).upcase %>'): }",
			"may hang on facts", "error["},
		{"a template that fails in any case", "notify { template('role/fails.erb'): }", "error[E0401]", "may hang"},
		{"a class around it", "include role::part", "error[E0401]", "facts that were invented"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := writeRepo(t, map[string]string{
				"manifests/site.pp": "node default { }\n", "environment.conf": "", "Puppetfile": "mod 'puppetlabs/apt', '1.0.0'\n",
				"modules/role/manifests/web.pp":    "class role::web {\n" + c.code + "\n}\n",
				"modules/role/manifests/init.pp":   "class role { $dir = '/etc/m' }\n",
				"modules/role/manifests/part.pp":   "# @api private\nclass role::part { notify { \"x${role::dir}\": }\n include role::nosuch }\n",
				"modules/role/manifests/late.pp":   "# @api private\nclass role::late { $x = 1 }\n",
				"modules/role/templates/fact.erb":  "a\n<%= @facts['nope']['x'] %>\n",
				"modules/role/templates/fails.erb": "<%= @facts['kernel'] %><%= 'nope'.nosuch %>\n",
				"modules/given/manifests/init.pp":  "class given(Integer $port) { notify { \"${port}\": } }\n",
				"hiera.yaml": "version: 5\nhierarchy:\n- name: x\n  paths: ['nodes/%{facts.networking.fqdn}.yaml', 'role/%{facts.role}.yaml', " +
					"'os/%{facts.os.family}.yaml', common.yaml]\n",
				"data/nodes/web.example.com.yaml": "by_name: 1\n", "data/role/web.yaml": "by_role: 1\n",
				"data/os/Debian.yaml": "by_system: a\n", "data/common.yaml": "by_name: a\nby_role: a\nby_system: b\ncommon: a\n",
			})
			_, out, errs := call("check", dir, "--classes", "role::web")
			if !strings.Contains(out+errs, c.want) || strings.Contains(out+errs, c.not) {
				t.Errorf("%q or not %q\n%s%s", c.want, c.not, out, errs)
			}
		})
	}
}

// What has a default that is no value is given one where it is used: no error hangs on that. What a default's own type
// refuses, and what a class does to itself, is an error for everybody.
func TestCheckGivenValues(t *testing.T) {
	for _, c := range []struct {
		name, params, code string
		want, not          string
	}{
		{"a comparison", "$port = undef, $other = undef", "if $other { notify { 'o': } }\nif $port > 1024 { notify { 'x': } }",
			"since $port must be given", "error["},
		{"an option", "$opts = {}", "notify { 'x': message => $opts['a']['b'] }", "since $opts must be given", "error["},
		{"a template", "$t = ''", "notify { 'x': message => epp(\"role/${t}.epp\") }", "since $t must be given", "error["},
		{"two of them", "$a = undef, $b = undef", "notify { 'x': message => 1 + $a + $b }", "since $a", "error["},
		{"a default of a default", "$a = undef, $b = $a", "notify { 'x': message => 1 + $b }", "since $a must be given", "error["},
		{"another class's", "", "include role::part", "Hiera has no value of 'role::part::port'", "error["},
		{"a lookup", "", "notify { 'x': message => 1 + lookup('p::q', default_value => undef) }",
			"Hiera has no value of 'p::q'", "error["},
		{"a lookup with options", "", "notify { 'x': message => 1 + lookup('p::q', {default_value => undef}) }",
			"Hiera has no value of 'p::q'", "error["},
		{"the environment", "", "notify { 'x': message => 1 + { 'production' => 1 }[$environment] }", "may hang on facts", "error["},
		{"a default where data are missing", "", "include gone", "Hiera has no value of 'gone::port'", "error["},
		{"a default that is a value", "$port = 'eighty'", "if $port > 1024 { notify { 'x': } }", "error[E0221]", "must be given"},
		{"a default that its type refuses", "Integer $port = undef", "", "error[E0412]", "must be given"},
		{"a parameter that has nothing to do with it", "$port = undef", "if 'a' > 1024 { notify { \"x${port}\": } }",
			"error[E0221]", "must be given"},
		{"a class that declares itself", "", "class { 'role::web': }", "error[E0510]", "beside it"},
		{"a class of its own", "", "notify { 'x': }", "1 of 1 public class compiled", "Not looked at"},
	} {
		t.Run(c.name, func(t *testing.T) {
			site := "node default { }\n"
			if c.name == "a class of its own" {
				site = "node 'web1.example.com' { include role::web }\n"
			}
			dir := writeRepo(t, map[string]string{
				"manifests/site.pp":              site,
				"environment.conf":               "",
				"modules/role/manifests/web.pp":  "class role::web(" + c.params + ") {\n" + c.code + "\n}\n",
				"modules/role/manifests/part.pp": "# @api private\nclass role::part($port = undef) { if $port > 1024 { notify { 'x': } } }\n",
				"modules/role/manifests/ok.pp":   "# @api private\nclass role::ok { }\n",
				"modules/gone/hiera.yaml":        "version: 5\ndefaults:\n  datadir: dat\n  data_hash: yaml_data\n",
				"modules/gone/manifests/init.pp": "# @api private\nclass gone($port = $gone::port) { }\n",
			})
			_, out, errs := call("check", dir)
			if !strings.Contains(out+errs, c.want) || strings.Contains(out+errs, c.not) {
				t.Errorf("%q or not %q\n%s%s", c.want, c.not, out, errs)
			}
		})
	}
}

// A list of modules that nobody can read names none: that is said, since what is not there goes by it.
func TestCheckListsUnread(t *testing.T) {
	for _, c := range []struct {
		name, file, text, not string
		want                  []string
	}{
		{"fixtures", ".fixtures.yml", "fixtures:\n  repositories:\n    apache: \"x\n   b: [\n", "",
			[]string{"warning[N0206]: .fixtures.yml cannot be read, and may name more modules than are known of: ", ".fixtures.yml:3:"}},
		{"fixtures that are a template", ".fixtures.yml", "fixtures:\n  <% if true %>\n  x: [\n", "N0206", nil},
		{"fixtures that name one", ".fixtures.yml", "fixtures:\n  repositories:\n    apache: x\n", "N0206",
			[]string{"1 module is named and not there: apache."}},
		{"metadata", "metadata.json", `{"name": "me-m", `, "N0206", []string{"warning[N0201]: m has an invalid"}},
		{"Puppetfile", "Puppetfile", "mod 'puppetlabs/apache', '1.0'\nmod 'x\n", "",
			[]string{"warning[N0206]: Puppetfile cannot be read", "Puppetfile:2:"}},
		{"a Puppetfile with more than modules", "Puppetfile",
			"forge 'https://x'\n%w[a b].each { |m| mod \"x/#{m}\", :latest }\nmod 'apache', git: 'x', ref: 'y'\n", "N0206", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"manifests/init.pp": "class m { include apache }\n",
				"metadata.json": `{"name": "me-m", "version": "1.0.0", "author": "me", "license": "x", "source": "x", "dependencies": []}`}
			if c.file == "Puppetfile" {
				files = map[string]string{"manifests/site.pp": "node default { include apache }\n"}
			}
			files[c.file] = c.text
			_, out, errs := call("check", writeRepo(t, files))
			not := []string{"error["}
			if c.not != "" {
				not = append(not, c.not)
			}
			holdsWords(t, out+errs, c.want, not)
			if t.Failed() {
				t.Log(out, errs)
			}
		})
	}
}

// Where all modules of the tree's lists are there, one that is used and on no list is told, with what it nearly is; it
// may come from elsewhere, so nothing fails.
func TestCheckUnlistedModules(t *testing.T) {
	const told = "are there; the code uses 1 module that is on no list, and not there: "
	for _, c := range []struct {
		name, list string
		want, not  []string
	}{
		{"a slip", "mod 'puppet/nginx', '1.0.0'\n", []string{"note[V908]", "Puppetfile", told + "nginxx", "did you mean nginx?"},
			[]string{"error["}},
		{"one that is not there", "mod 'puppet/nginx', '1.0.0'\nmod 'puppetlabs/apt', '1.0.0'\n", nil, []string{"V908", "error["}},
		{"one that is listed", "mod 'puppet/nginx', '1.0.0'\nmod 'me/nginxx', '1.0.0'\n", nil, []string{"V908", "error["}},
		{"no list", "", nil, []string{"V908"}},
		{"a list of none", "forge 'https://forge.puppet.com'\n", nil, []string{"V908"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"modules/nginx/manifests/init.pp": "class nginx { }\n",
				"manifests/site.pp": "node 'a.example.com' {\n  include nginx\n  include nginxx\n  nginxx::y { 'a': }\n}\n"}
			if c.list != "" {
				files["Puppetfile"] = c.list
			}
			_, out, errs := call("check", writeRepo(t, files))
			holdsWords(t, out+errs, c.want, c.not)
			if t.Failed() {
				t.Log(out, errs)
			}
		})
	}
}

// The first line counts what was compiled, and why a node was not verified is told as it is.
func TestCheckCountsWhatCompiled(t *testing.T) {
	_, out, errs := call("check", writeRepo(t, map[string]string{
		"metadata.json": `{"name": "me-m", "version": "1.0.0", "author": "me", "license": "x", "source": "x",
			"dependencies": [], "operatingsystem_support": [{"operatingsystem": "Debian", "operatingsystemrelease": ["12"]},
			{"operatingsystem": "RedHat", "operatingsystemrelease": ["9"]}]}`,
		"hiera.yaml":       "version: 5\nhierarchy:\n- {name: os, path: '%{facts.os.family}.yaml'}\n",
		"data/Debian.yaml": "m::n: 1\n",
		"manifests/init.pp": "class m(Integer $n) {\n  file { '/a': ensure => directory, require => File['/b'] }\n" +
			"  file { '/b': ensure => directory, require => File['/a'] }\n}\n",
	}), "--all-systems")
	holdsWords(t, out+errs, []string{"1 node on 1 platform,", "error[C0001]",
		"1 node was compiled, not verified: no agent applies a catalog with a cycle"}, []string{"only compiled"})
}

// A variable that a match sets is no fact.
func TestCheckSaysNoMatch(t *testing.T) {
	dir := writeRepo(t, map[string]string{
		"manifests/site.pp": "if $facts['role'] =~ /^role::(.*)$/ { include \"role::${1}\" }\ninclude \"role::${facts['what']}\"\nnode default { }\n",
		"environment.conf":  "", "modules/role/manifests/web.pp": "class role::web { }\n",
	})
	_, out, errs := call("check", dir)
	if !strings.Contains(out, "$facts['what']") || strings.Contains(out+errs, "$facts['1']") {
		t.Error(out, errs)
	}
}
