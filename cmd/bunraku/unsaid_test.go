package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// What check said of public trees and was not so, each in its smallest form: testdata/judged.txt has the places.
func TestUnsaid(t *testing.T) {
	const metadata = `{"name": "me-m", "version": "1.0.0", "author": "me", "license": "x", "source": "x", "dependencies": [],
		"operatingsystem_support": [{"operatingsystem": "Debian", "operatingsystemrelease": ["12"]}]}`
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
		not   []string
	}{
		{"a plan of the module that one stands in", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { }", "plans/init.pp": "plan m(TargetSpec $targets) { run_command('x', $targets) }"},
			nil, []string{"P0001"}},
		{"a class that is called after plans", map[string]string{"metadata.json": metadata,
			"manifests/plans/a.pp": "class m::plans::a { notify { 'x': tag => [apply, 'x'] } }"},
			nil, []string{"P0001"}},
		// A class of a module, or a define, stands alone on an invented node; its users declare more beside it.
		{"what a part lacks", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { file { '/opt/m/x': content => 'x', owner => 'm' } }",
			"manifests/d.pp":    "define m::d(Stdlib::Absolutepath $at) { file { \"${at}/x\": content => 'x' } }",
			"manifests/p.pp":    "class m::p { package { 'no-such-package': } }"},
			[]string{"m on debian-12", "m::d on debian-12", "m::p on debian-12", "3 of 3 nodes not proved in full"},
			[]string{"V102", "can succeed from a fresh machine"}},
		{"what a part makes too late", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { file { '/opt/m': ensure => directory } file { '/srv/x': content => 'x' }\n" +
				"exec { '/bin/cp /srv/x /opt/m/y': creates => '/opt/m/y', before => File['/opt/m'], require => File['/srv/x'] } }"},
			[]string{"V102", "/opt/m does not exist"}, nil},
		{"what a part waits for", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { exec { '/bin/true': refreshonly => true } }"}, nil, []string{"V209"}},
		{"what a role lacks", map[string]string{"environment.conf": "", "manifests/site.pp": "",
			"modules/role/manifests/a.pp": "class role::a { exec { '/bin/true': refreshonly => true }\n" +
				"file { '/opt/m/x': content => 'x' } }"}, []string{"V209", "V102"}, nil},
		{"what a class around a part orders", map[string]string{"metadata.json": metadata,
			"manifests/init.pp":    "class m(Boolean $old = false) { include m::install\nif $old { class { 'm::service': require => Class['m::install'] } } }",
			"manifests/install.pp": "# @api private\nclass m::install { package { 'nginx': } }",
			"manifests/service.pp": "class m::service { if $m::old == false { service { 'nginx': ensure => running } } }"},
			[]string{"m::service on debian-12"}, []string{"V101"}},
		// An edit of a module's code is right for all who use it.
		{"an edit that names what is under a condition", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m($manage = true) { if $manage { package { 'nginx': } }\n" +
				"service { 'nginx': ensure => running } }"}, []string{"V101"}, []string{"require =>"}},
		{"an edit that names an invented title", map[string]string{"metadata.json": metadata,
			"manifests/d.pp": "define m::d($a = 1) { case $a { 1: { file { \"/tmp/${title}\": ensure => directory } } default: { } }\n" +
				"exec { \"/bin/touch /tmp/${title}/y\": creates => \"/tmp/${title}/y\" } }"}, []string{"V101"}, []string{"require =>"}},
		{"an edit that fits", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m($manage = true) { package { 'nginx': }\n" +
				"if $manage { service { 'nginx': ensure => running } } }"}, []string{"V101", "require => Package['nginx']"}, nil},
		{"a sum with nothing", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m($size = undef) { notify { 'x': message => ($size + 64) * 1024 } }"},
			[]string{"$size must be given"}, []string{"E0224"}},
		{"a fact that a module brings, at the end of a path", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { $user = pick($facts.dig('of_a_module', 'user')) notify { $user: } }"},
			[]string{"of_a_module"}, []string{"E0401"}},
		{"files of a module that is not there", map[string]string{
			"metadata.json": strings.Replace(metadata, "[]", `[{"name": "puppetlabs/stdlib", "version_requirement": ">= 9.0.0"}]`, 1),
			"manifests/init.pp": "class m { notify { 'x': message => load_module_metadata('stdlib')['version'] }\n" +
				"notify { 'y': message => get_module_path('stdlib') } }"},
			[]string{"stand-ins for stdlib"}, []string{"E0401"}},
		{"a method that Ruby has", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { notify { 'x': message => m::f() } }",
			"lib/puppet/functions/m/f.rb": "Puppet::Functions.create_function(:'m::f') do\n" +
				"  def f() Dir.each_child('/x').to_a.join end\nend\n"},
			nil, []string{"E0401", "undefined method"}},
		{"a command that a schedule rations", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { schedule { 'nightly': period => daily, range => '2 - 4' }\n" +
				"exec { '/bin/touch /tmp/a': schedule => 'nightly' } exec { '/bin/touch /tmp/b': schedule => 'weekly' } }",
			"manifests/often.pp": "class m::often { schedule { 'at night': range => '2 - 4' }\n" +
				"exec { '/bin/touch /tmp/c': schedule => 'at night' } }"},
			[]string{"V206 runs every time: Exec[/bin/touch /tmp/c]"}, []string{"Exec[/bin/touch /tmp/a]", "Exec[/bin/touch /tmp/b]"}},
		{"commands of which a schedule decides how often they run", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { schedule { 'nightly': period => daily, repeat => 1 }\n" +
				"exec { '/usr/bin/pacman -Syu a': schedule => 'nightly' } exec { '/usr/bin/pacman -Syu b': } }"},
			[]string{"V201 not idempotent: Exec[/usr/bin/pacman -Syu b]"}, []string{"Exec[/usr/bin/pacman -Syu a]"}},
		{"a mount of which nobody says that it is there", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { file { '/etc/fstab': owner => root, group => root, mode => '0600' }\n" +
				"mount { '/tmp': options => 'nodev' } mount { '/var': options => 'nodev' }\n" +
				"mount { '/var/tmp': ensure => mounted, device => '/tmp', fstype => 'none', options => 'bind' } }"},
			[]string{"m on debian-12 (invented)"}, []string{"V101", "V201", "V202"}},
		{"a module that its tests call otherwise than metadata.json", map[string]string{"metadata.json": metadata,
			".fixtures.yml":         "fixtures:\n  symlinks:\n    profile: \"#{source_dir}\"\n",
			"manifests/web.pp":      "class profile::web { notify { 'x': } }",
			"manifests/db.pp":       "class profile::db { notify { 'y': } }",
			"manifests/oss.pp":      "class osg::oss { notify { 'y': } }",
			"manifests/interact.pp": "class profile::interactive { }"},
			[]string{"profile::web on debian-12 (invented)", "profile::interactive in this file",
				"looks for it in manifests/interactive.pp"}, []string{"profile::web in this", "profile/manifests", "V903"}},
		{"a module that its metadata.json calls as nothing of its code", map[string]string{"metadata.json": metadata,
			"manifests/web.pp": "class profile::web { notify { 'x': } }", "manifests/db.pp": "class profile::db { }",
			"manifests/oss.pp": "class osg::oss { notify { 'y': } }"},
			[]string{"profile::web on debian-12 (invented)"}, []string{"profile::web in this", "V903"}},
		{"a module of which one class has another name", map[string]string{"metadata.json": metadata,
			"manifests/web.pp": "class profile::web { notify { 'x': } }"}, []string{"profile::web in this file"}, nil},
		{"code that names modules which are not there", map[string]string{"environment.conf": "",
			"manifests/site.pp": "node default { include site }",
			"modules/site/manifests/init.pp": "class site { class { '::keystone': } if $facts['never'] { ini_setting { 'x': }\n" +
				"$y = hash2yaml({}) } }",
			"modules/site/manifests/b.pp": "class site::b { ini_setting { 'x': } }"},
			[]string{"stand-ins for keystone"}, []string{"U0102", "U0104", "E0401"}},
		{"code that names a module with a slip", map[string]string{"environment.conf": "",
			"modules/platform/manifests/init.pp": "class platform { include ::platfrom::params\nini_setting { 'x': } }"},
			[]string{"U0102"}, nil},
		{"code that names what the main manifest defines", map[string]string{"environment.conf": "",
			"manifests/site.pp":              "class base { $x = 1 }\nnode default { include site }",
			"modules/site/manifests/init.pp": "class site { include ::base $y = '::1' $z = $::base::x ini_setting { 'x': } }"},
			[]string{"E0508"}, nil},
		{"a node statement that declares nothing", map[string]string{"environment.conf": "", "data/nodes/a.yaml": "x: 1\n",
			"hiera.yaml":        "version: 5\nhierarchy: [{name: a, path: 'nodes/%{trusted.certname}.yaml'}]\n",
			"Puppetfile":        "mod 'puppetlabs-firewall', '1.0.0'\n",
			"manifests/site.pp": "Firewall { require => Class['x'] }\nnode default { }\n"},
			[]string{"V904", "its node statement declares nothing here"}, []string{"may hang on what is not there"}},
		{"a main manifest that is not there", map[string]string{"environment.conf": "manifest = manifest/dev.pp\n",
			"data/nodes/a.yaml": "x: 1\n", "hiera.yaml": "version: 5\nhierarchy: [{name: a, path: 'nodes/%{trusted.certname}.yaml'}]\n",
			"manifests/main.pp": "notify { 'x': }\n"},
			[]string{"V904", "environment.conf says that the main manifest is manifest/dev.pp, and that is not there"}, nil},
		{"a quote that an earlier line left open", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m {\n  notify { \"copied : }\n  file { '/x': }\n  notice(\"$::kernel not supported\")\n}\n"},
			[]string{"the string before it begins on line 2"}, []string{"is followed by a colon"}},
		{"a keyword with a slip", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "ass m (\n  $url = 'x'\n){\n  file { '/x': }\n}\n"},
			[]string{"is a word before them misspelt"}, []string{"is followed by a colon"}},
		{"a title without its colon", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { file { '/x' ensure => file } }\n"}, []string{"is followed by a colon"}, nil},
		{"an order of assignments", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { $a = 1 ? { 1 => 2 } ->\n $b = 2 }\n"},
			[]string{"-> orders resources, and an assignment is none: take it away"}, []string{"to compare"}},
		{"a template that runs a command", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { notify { 'x': message => template('m/x.erb') } }",
			"templates/x.erb":   "# a\n<%= %x(svn info) %>\n"},
			[]string{"not known: templates/x.erb:2:5: refused: running a command"}, []string{"Failed to parse"}},
		{"classes of which each is for another system", map[string]string{"metadata.json": `{"name": "me-m"}`,
			"manifests/init.pp": "class m { if $facts['os']['family'] == 'Debian' { include m::debian } }",
			// What a class is called tells which.
			"manifests/sshd/rhel.pp": "class m::sshd::rhel inherits m { package { 'openssh': } }",
			"manifests/debian.pp":    "# debian, apt\nclass m::debian { package { 'openssh': } }",
			// Nothing does, and it fails on every system.
			"manifests/twice.pp": "class m::twice inherits m::once { package { 'vim': } }",
			"manifests/once.pp":  "class m::once { package { 'vim': } }"},
			[]string{"m::sshd::rhel on redhat-9", "manifests/twice.pp:1:35"}, []string{"rhel.pp:"}},
		{"Ruby with another ending", map[string]string{"metadata.json": metadata, "manifests/init.pp": "class m { }",
			"spec/acceptance/m.pp": "require 'spec_helper'\n\ndescribe 'm' do\n  it 'runs' do\n    on master, 'puppet agent -t', :a => [2]\n" +
				"  end\nend\n"},
			[]string{"a test for rspec"}, []string{"parentheses", "2 errors"}},
		{"a default like an attribute", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m($host => '') { }"}, []string{"with ="}, []string{"a comma or a brace"}},
		{"an option of no case", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m {\n  case $x { a: { } }\n  b, c: { }\n}\n"},
			[]string{"an option of a case"}, []string{"take the comma away"}},
		// A class that does not do without a value, whatever its types say, waits for its user.
		{"undef where a value must be", map[string]string{"metadata.json": metadata,
			"manifests/title.pp":   "class m::title($host = undef, $b = undef) { host { $host: ip => '192.0.2.1', comment => $b } }",
			"manifests/asserts.pp": "class m::asserts(Optional[String] $v = undef) { assert_type(NotUndef, $v) notify { $v: } }",
			"manifests/other.pp":   "class m::other(Optional[String] $a = undef) { m::d { 'x': v => { a => $a } } }",
			"manifests/d.pp":       "# @api private\ndefine m::d(Hash[String, Scalar] $v) { notify { $title: } }"},
			[]string{"since $host must be given: m::title.", "since $v must be given: m::asserts.",
				"since $a must be given: m::other."}, []string{"E0503", "E0401", "E0412"}},
		{"undef where the type refuses it", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m(String $v = undef) { notify { $v: } }"}, []string{"E0412"}, nil},
		// Ruby brings neither a module nor a key.
		{"a template that needs a module", map[string]string{
			"metadata.json":     strings.Replace(metadata, `"dependencies": []`, `"dependencies": [{"name": "me-other"}]`, 1),
			"manifests/init.pp": "class m { file { '/etc/m': content => template('m/a.erb') } }",
			"templates/a.erb":   "<%= scope.call_function('other::f', []) %>"},
			[]string{"compiles with stand-ins for other"}, []string{"E0703", "Ruby"}},
		{"secrets without their key", map[string]string{"environment.conf": "",
			"hiera.yaml": "version: 5\nhierarchy:\n  - {name: s, path: s.yaml, lookup_key: eyaml_lookup_key, options: " +
				"{pkcs7_private_key: /nowhere/a.pem, pkcs7_public_key: /nowhere/b.pem}}\n",
			"data/s.yaml": "a: ENC[PKCS7,MIIB]\nb: ENC[PKCS7,MIIB]\n",
			"manifests/site.pp": "notify { 'a': message => lookup('a') }\nnotify { 'b': message => lookup('b') }\n" +
				"$x = lookup('a')\nnotify { 'c': message => inline_template('<%= @x.size %>') }\n" +
				"notify { 'd': message => inline_template('<%= @x.upcase %>') }\n"},
			[]string{"4 attributes unknown without the key of a secret", "help: secrets stay unknown",
				"everything else is checked", "site.pp:1:26: in 1 attribute", "site.pp:4:26: in 1 attribute", "site.pp:5:26: in 1 attribute"},
			[]string{"Ruby"}},
		{"secrets without their key, and a module that is not there", map[string]string{"environment.conf": "",
			"hiera.yaml": "version: 5\nhierarchy:\n  - {name: s, path: s.yaml, lookup_key: eyaml_lookup_key, options: " +
				"{pkcs7_private_key: /nowhere/a.pem, pkcs7_public_key: /nowhere/b.pem}}\n",
			"data/s.yaml":       "a: ENC[PKCS7,MIIB]\n",
			"Puppetfile":        "mod 'me-gone', '1.0.0'\n",
			"manifests/site.pp": "include gone\nnotify { 'a': message => lookup('a') }\n"},
			[]string{"1 attribute unknown without the key of a secret", "help: secrets stay unknown where their key is not\n"},
			[]string{"everything else is checked"}},
		{"secrets of several nodes, some of them in a hash", map[string]string{"environment.conf": "",
			"hiera.yaml": "version: 5\nhierarchy:\n  - {name: s, path: s.yaml, lookup_key: eyaml_lookup_key, options: " +
				"{pkcs7_private_key: /nowhere/a.pem, pkcs7_public_key: /nowhere/b.pem}}\n",
			"data/s.yaml":                 "s: ENC[PKCS7,MIIB]\nt: ENC[PKCS7,MIIB]\n",
			"manifests/site.pp":           "node 'a.example' { include m::a }\nnode 'b.example' { include m::b }\n",
			"modules/m/manifests/init.pp": "class m { notify { 't': message => lookup('t') } }\n",
			"modules/m/manifests/a.pp":    "class m::a { include m notify { 'a': message => { 'x' => lookup('s') } } }\n",
			"modules/m/manifests/b.pp":    "class m::b { include m notify { 'b': message => [lookup('s')] } }\n"},
			[]string{"2 attributes unknown without", "lookup() at modules/m/manifests/a.pp:1",
				"lookup() at modules/m/manifests/b.pp:1"}, nil},
		{"what Ruby does not know either", map[string]string{"environment.conf": "",
			"manifests/site.pp": "notify { 'a': message => loadyaml('/etc/elsewhere.yaml') }\n"},
			[]string{"nothing found, 1 attribute unknown\n"}, []string{"Ruby"}},
		{"resources of types that are not there, declared once", map[string]string{"environment.conf": "",
			"Puppetfile": "mod 'puppetlabs-concat', '7.0.0'\n",
			"manifests/site.pp": "concat { '/x': }\nif !defined(Concat['/x']) { concat { '/x': } }\n" +
				"ensure_resource('nginx::server', 'x', { port => 80 })\nensure_resource('nginx::server', 'x', { port => 80 })\n" +
				"if defined_with_params(\"Nginx::Server['x']\", { port => 80 }) { notify { 'found': } }\n"},
			[]string{"compiles with stand-ins for concat"}, []string{"E0510"}},
		{"problems of nodes, and others", map[string]string{"environment.conf": "",
			"facts/n.json":                 `{"fqdn": "n.example", "os": {"name": "Debian", "family": "Debian", "release": {"major": "12"}}}`,
			"manifests/site.pp":            "exec { '/bin/mkdir /srv/a': }\n",
			"modules/m/manifests/init.pp":  "class m { include m::none }\n",
			"modules/m/manifests/other.pp": "class m::other { include m::nothing }\n"},
			[]string{"3 problems, 1 of them on 1 of 1 node."}, nil},
		{"the hiera.yaml of a module is not the server's", map[string]string{"environment.conf": "",
			"hieradata/common.yaml": "a: 1\n", "manifests/site.pp": "", "modules/m/hiera.yaml": "version: 5\n",
			"modules/z/spec/hiera.yaml": "version: 5\n"},
			[]string{"H0510", "if the server has one"}, []string{"may be the server's"}},
		{"the hiera.yaml of a module's tests is not the server's", map[string]string{"environment.conf": "",
			"hieradata/common.yaml": "a: 1\n", "manifests/site.pp": "", "modules/a/vagrant/puppet/hiera.yaml": "version: 5\n",
			"modules/a/manifests/init.pp": "class a { }", "modules/p/manifests/init.pp": "class p { }",
			"modules/p/files/hiera.yaml": "version: 5\n"}, []string{"modules/p/files/hiera.yaml may be the server's"}, nil},
		{"the hiera.yaml that a module puts onto servers", map[string]string{"environment.conf": "",
			"hieradata/common.yaml": "a: 1\n", "manifests/site.pp": "", "modules/m/hiera.yaml": "version: 5\n",
			"modules/p/files/hiera.yaml": "version: 5\n"}, []string{"modules/p/files/hiera.yaml may be the server's"}, nil},
		{"a variable of a class that is not on the node", map[string]string{
			"metadata.json": strings.Replace(metadata, `"dependencies"`,
				`"requirements": [{"name": "puppet", "version_requirement": "< 8.0.0"}], "dependencies"`, 1),
			"manifests/init.pp": "class m($needed) { $x = true }",
			"manifests/part.pp": "class m::part { if $m::x { notify { $tru: } } notify { \"a${tru}\": } }"},
			[]string{"Unknown variable: 'tru'"}, []string{"Unknown variable: 'm::x'"}},
		{"data that a Puppetfile brings", map[string]string{"environment.conf": "", "manifests/site.pp": "",
			"Puppetfile": "mod 'd',\n  git: 'x',\n  install_path: '.'\n",
			"hiera.yaml": "version: 5\nhierarchy:\n  - {name: a, datadir: d, path: a.yaml}\n  - {name: b, datadir: e, path: a.yaml}\n"},
			[]string{"the directory of data e is not there"}, []string{"the directory of data d is not there"}},
		{"a link to itself", map[string]string{"environment.conf": "",
			"manifests/site.pp": "file { '/tmp/x': ensure => link, target => '/tmp/x' }"},
			[]string{"C0001", "it names itself"}, []string{"take one of these"}},
		{"files that tests, scripts and pages name", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m($at = undef) { if $at { file { '/tmp/x': source => $at } } }", "files/a/bashrc": "x",
			"files/hook": "x", "files/my-profile.xml": "x", "files/run.sh": "# my-profile is for others\n", "files/unused": "x",
			"files/old.bin": "x", "templates/t.epp": "x", "CHANGELOG.md": "took files/old.bin away\n",
			"README.md":            "There is an example of a hook. For instance. See `bashrc_source`.\n",
			"files/formats/a.yaml": "x", "files/formats.py": "for f in os.listdir('formats'): print(f)\n", "files/tool/ctl.py": "x", "files/setup.cfg": "toolctl = tool.ctl:main\n", "files/pattern-1": "x", "files/play.yml": "x", "spec/a_spec.rb": "source => 'modules/m/pattern-#{n}'\n",
			"plans/p.pp":             "plan m::p(Enum['play.yml'] $f) { out::message($f) }\n# files/unused\n",
			"spec/classes/m_spec.rb": "let(:params) { { at: 'puppet:///modules/m/a/bashrc', t: 'm/t.epp' } }\n"},
			[]string{"the file files/unused", "the file files/old.bin"}, []string{"the file files/a/bashrc",
				"ctl.py", "a.yaml", "the file files/hook",
				"the file files/my-profile.xml", "the template", "the file files/pattern-1", "the file files/play.yml"}},
		{"a class of another module is not meant by a module's data", map[string]string{"environment.conf": "",
			"manifests/site.pp": "", "modules/icinga/hiera.yaml": "version: 5\nhierarchy:\n  - {name: a, path: a.yaml}\n",
			"modules/icinga/data/a.yaml":            "icinga::globals::x: 1\n",
			"modules/icinga/manifests/init.pp":      "class icinga { }",
			"modules/icingadb/manifests/globals.pp": "class icingadb::globals($x = 1) { }"},
			[]string{"nothing takes the key icinga::globals::x"}, []string{"did you mean"}},
		{"a key that a plan or a function asks for", map[string]string{"environment.conf": "", "manifests/site.pp": "",
			"hiera.yaml":                            "version: 5\nhierarchy:\n  - {name: a, path: a.yaml}\n",
			"data/a.yaml":                           "m::pass: 1\nm::key: 2\nm::nobody: 3\n",
			"modules/m/plans/p.pp":                  "plan m::p() { $x = lookup('m::pass') }",
			"modules/m/lib/puppet/functions/m/f.rb": "Puppet::Functions.create_function(:'m::f') do\n  def f\n    call_function('lookup', 'm::key')\n  end\nend\n",
			"modules/m/manifests/init.pp":           "class m { }"},
			[]string{"m::nobody"}, []string{"key m::pass", "key m::key"}},
		// A directory is what it is by where it lies, and a module is called what its code calls it.
		{"classes below manifests/files", map[string]string{"environment.conf": "", "manifests/site.pp": "include m",
			"modules/m/manifests/init.pp":             "class m { include m::files::a include m::templates::b $x = file('m/policy.pp') }",
			"modules/m/manifests/files/a.pp":          "class m::files::a { file { '/a': content => file('m/a') } }",
			"modules/m/manifests/templates/b.pp":      "class m::templates::b { }",
			"modules/m/manifests/spec/fixtures/c.pp":  "class m::spec::fixtures::c { }",
			"modules/m/files/a":                       "x",
			"modules/m/files/policy.pp":               "\x00 not Puppet",
			"modules/m/spec/fixtures/modules/x/no.pp": "not Puppet {"},
			[]string{"5 manifests", "m::spec::fixtures::c"}, []string{"there is no class", "names the file", "error["}},
		{"a module that its clone calls otherwise", map[string]string{
			"metadata.json":     strings.Replace(metadata, `me-m`, `me/puppet-x`, 1),
			"manifests/init.pp": "class p { include p::q }", "manifests/q.pp": "class p::q { }"},
			[]string{"2 of 2 public classes"}, []string{"does not find"}},
		{"a module of old", map[string]string{"Modulefile": "name 'someone-p'\nversion '0.1.0'\n",
			"metadata.json": "{}", "manifests/init.pp": "class p { }"},
			[]string{"1 of 1 public class"}, []string{"does not find"}},
		{"modules without modulepath", map[string]string{"a/manifests/init.pp": "class a { }", "b/manifests/init.pp": "class b { }"},
			[]string{"V903", "--modulepath .`"}, []string{"facts/"}},
		{"an environment further down", map[string]string{"etc/puppet/modules/a/manifests/init.pp": "class a { }"},
			[]string{"V903", "`bunraku check etc/puppet`"}, []string{"facts/"}},
		{"names that are none", map[string]string{"manifests/a.pp": "class m::a { }", "manifests/b/1_2.pp": "class m::b::1_2 { }",
			"manifests/b/1_3.pp": "class m::b::1_3 { }"}, []string{"1 of 1 public class"}, []string{"V903"}},
		// What is not there may come from elsewhere, and what is advised must help.
		{"a decision that only sets variables", map[string]string{"environment.conf": "",
			"modules/m/lib/puppet/parser/functions/q.rb": "module Puppet::Parser::Functions\nnewfunction(:q, :type => :rvalue) { |a| `id` }\nend\n",
			"modules/m/manifests/init.pp":                "class m { if q() { $x = 1 } else { $x = 2 } file { '/a': require => User['u'] } }"},
			nil, []string{"E0706", "C0002"}},
		{"a path that another manifest sets", map[string]string{"environment.conf": "", "nodes.pp": "Exec { path => '/bin' }",
			"modules/m/manifests/init.pp": "class m { exec { 'ls': } }"}, nil, []string{"C0003"}},
		{"the module around", map[string]string{"environment.conf": "",
			"modules/m/lib/puppet/parser/functions/q.rb": "module Puppet::Parser::Functions\nnewfunction(:q, :type => :rvalue) { |a| parent_module_name }\nend\n",
			"modules/m/manifests/init.pp":                "class m inherits m::p { if q() != 'm' { warning('wrong') } }",
			"modules/m/manifests/p.pp":                   "class m::p { }"}, nil, []string{"E070", "wrong"}},
		{"names that are computed, or no slip", map[string]string{"environment.conf": "",
			"modules/m/manifests/init.pp": "class m { $r = 9 file { '/a': content => template(\"m/t${r}.erb\") } }",
			"modules/m/manifests/k.pp":    "class m::k { file { '/k': source => 'puppet:///modules/m/id_rsa' } }",
			"modules/m/manifests/u.pp":    "class m::u { if $users == 'x' { $_users = 'y' } else { $_users = $users } }",
			"modules/m/manifests/s.pp":    "class m::s { notify { \"getent $SOME_USER\": } }",
			"modules/m/manifests/c.pp":    "Class m::c { }", "modules/m/templates/t5.erb": "x", "modules/m/files/id_rsa.pub": "x"},
			[]string{"m/t9.erb", "files/id_rsa", "P1011", "class m::c"}, []string{"did you mean", "put a title"}},
		{"orchestration without attributes", map[string]string{"environment.conf": "", "manifests/site.pp": "site { }\n"},
			[]string{"P1031", "orchestration"}, []string{"a title and a colon"}},
		{"a comma behind a statement", map[string]string{"environment.conf": "", "manifests/site.pp": "$a = '80',\n$b = 1\n"},
			[]string{"P0003", "take the comma away"}, []string{"parentheses"}},
		{"a define of a module from the Forge", map[string]string{"environment.conf": "",
			"manifests/site.pp":              "notify { 'x': }\n",
			"modules/apt/metadata.json":      `{"name": "puppetlabs-apt", "version": "1.8.0"}`,
			"modules/apt/checksums.json":     "{}",
			"modules/apt/manifests/force.pp": "define apt::force() {\n}\n"}, nil, []string{"U0302"}},
		{"orchestration", map[string]string{"environment.conf": "", "manifests/site.pp": "site {\n  app { 'a':\n  }\n}\n"},
			[]string{"P0001", "orchestration"}, []string{"followed by a colon"}},
		{"functions of Puppet Enterprise", map[string]string{"environment.conf": "",
			"modules/m/manifests/init.pp": "class m { notify { 'a': message => pe_unique([1]) } pe_ini_setting { 'x': } }"},
			nil, []string{"U0104", "U0102", "E0401", "E0508"}},
		// Facts help where facts are missing.
		{"a module of functions", map[string]string{"metadata.json": metadata, "functions/f.pp": "function m::f() { 1 }"},
			[]string{"V903"}, []string{"facts/"}},
		{"a class that refuses", map[string]string{"metadata.json": metadata, "manifests/init.pp": "class m { fail('no') }"},
			[]string{"V903", "the last lines say what each lacks\n"}, []string{"make up for"}},
		{"a class that needs a fact", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { notify { $facts['own']['x']: } }"}, []string{"V903", "make up for some of it"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(writeRepo(t, c.files))
			_, out, errText := call("check")
			for _, w := range c.want {
				if !strings.Contains(out+errText, w) {
					t.Errorf("no %q", w)
				}
			}
			for _, w := range c.not {
				if strings.Contains(out+errText, w) {
					t.Errorf("there is %q", w)
				}
			}
			if t.Failed() {
				t.Log(out + errText)
			}
		})
	}
}

// Which of many systems a class is verified on does not hang on which compile ends first.
func TestCheckTwice(t *testing.T) {
	files := map[string]string{"metadata.json": `{"name": "me-m", "version": "1.0.0", "author": "me", "license": "x",
		"source": "x", "dependencies": [], "operatingsystem_support": [
		{"operatingsystem": "Debian", "operatingsystemrelease": ["12"]}, {"operatingsystem": "Ubuntu", "operatingsystemrelease": ["22.04"]},
		{"operatingsystem": "RedHat", "operatingsystemrelease": ["9"]}, {"operatingsystem": "Rocky", "operatingsystemrelease": ["9"]}]}`}
	for i := range 12 {
		files[fmt.Sprintf("manifests/c%d.pp", i)] = fmt.Sprintf("class m::c%d { $n = $facts['os']['family'] ? { 'Debian' => %d, default => 3 }\n"+
			"Integer[1, $n * 20].each |$i| { file { \"/tmp/${i}\": content => $facts['os']['name'] } } }", i, 20-i)
	}
	t.Chdir(writeRepo(t, files))
	took := regexp.MustCompile(` +[\d.]+ s\n`)
	first := ""
	for range 8 {
		_, out, _ := call("check")
		if out = took.ReplaceAllString(out, "\n"); first != "" && out != first {
			t.Fatalf("first\n%s\nand then\n%s", first, out)
		}
		first = out
	}
}
