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
			".gitmodules":       "[submodule \"applet\"]\n\tpath = modules/own/files/applet\n\turl = ../applet\n",
			"manifests/site.pp": "node default { include own }",
			"modules/own/manifests/init.pp": "class own {\n  include nginx::mod\n  nginx::vhost { 'a': }\n  ini_setting { 'x': }\n" +
				"  $x = prefixed(['a'])\n  file { '/a': source => 'puppet:///modules/nginx/a' }\n" +
				"  file { '/b': source => 'puppet:///modules/own/applet/package', recurse => true }\n}",
		}, []string{"2 modules are named and not there: nginx, stdlib. `git submodule update --init` brings them"},
			[]string{"U01", "C0004"}},
		{"a directory whose only file is gone is no submodule", map[string]string{"environment.conf": "",
			"modules/own/files/a/": "", "manifests/site.pp": "node default { include own }",
			"modules/own/manifests/init.pp": "class own { file { '/b': source => 'puppet:///modules/own/a/b' } }",
		}, []string{"own/files/a/b"}, nil},
		{"a module that says nowhere what it needs", map[string]string{
			"manifests/init.pp": "class m { firewall { '1': } vcsrepo { '/x': } $x = prefixed(['a']) }",
		}, []string{"stand-ins"}, []string{"U01", "E0508"}},
		{"commands without a path, which a site may set for all", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { exec { 'x': command => 'true', unless => '/bin/true' } }",
		}, []string{"warning[C0003]", "the agent refuses the catalog unless the site has a default: Exec { path => … }"}, []string{"error[C0003]"}},
		{"policies of SELinux", map[string]string{"environment.conf": "", "manifests/site.pp": "node default { }",
			"modules/own/files/slurm.pp": "\x8f\xff\x7c\xf9", "modules/own/manifests/init.pp": "class own { }",
		}, nil, []string{"P0100"}},
		{"a file of another module", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { file { '/x': source => 'puppet:///modules/site/x' } }",
		}, nil, []string{"C0004"}},
		{"a parameter whose value others are made of", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m(String $domain, String $host = \"mail.${domain}\") { notify { $host: } }",
		}, []string{"since $domain must be given: m"}, []string{"E0254"}},
		{"a key that a template asks for", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { file { '/x': content => template('m/x.erb') } }",
			"templates/x.erb":   "<%= scope.call_function('lookup', ['site::url']) %>\n",
		}, []string{"compiles with stand-ins for data", "Hiera has no value of site::url."}, []string{"E0401", "fine"}},
		{"templates and files of another module", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { file { '/x': content => template('site/x.erb') } }",
			"manifests/b.pp":    "class m::b { file { '/x': content => epp('site/x') } }",
			"manifests/c.pp":    "class m::c { file { '/x': content => file('site/x') } }",
		}, []string{"for want of the module site: m, m::b, m::c"}, []string{"E0401"}},
		{"an empty title that a default makes", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m(Optional[String] $dir = undef) { class { 'm::sub': dir => $dir } }",
			"manifests/sub.pp":  "# @api private\nclass m::sub($dir = '') { file { $dir: ensure => directory } }",
		}, []string{"since $dir must be given: m"}, []string{"E0503"}},
		{"facts in a hierarchy that only real nodes have", map[string]string{"environment.conf": "",
			"hiera.yaml":  "version: 5\nhierarchy:\n  - {name: a, path: '%{::deployment}.yaml'}\n  - {name: b, path: b.yaml}\n",
			"data/b.yaml": "k: 1\n", "manifests/site.pp": "node 'a' { notify { 'x': message => lookup('k') } }",
		}, nil, []string{"H0402"}},
		{"the facts that a class writes, with the class around it", map[string]string{"metadata.json": metadata,
			"manifests/init.pp":  "class m { $home = '/opt' }",
			"manifests/facts.pp": "class m::facts {\n  file { '/etc/facter/facts.d/m.yaml': content => \"home: ${m::home}\\n\" }\n}",
		}, []string{"m::facts on debian-12 (invented)"}, []string{"V207"}},
		{"a file that Puppet does not look into", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { }", "manifests/app/init.pp": "class m::app { }", "manifests/lihgt.pp": "define m::light() { }",
			"manifests/both.pp": "class m::both { }\nclass m::both::inner { }",
		}, []string{"U0101", "Puppet does not find the class m::app in this file", "it looks for it in manifests/app.pp",
			"Puppet does not find the define m::light in this file", "it looks for it in manifests/light.pp"},
			[]string{"E0508", "E0509", "m::both in this", "m::both::inner in this"}},
		{"the end of a file whose beginning is wrong", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m {\n  if $a {\n    if $b {\n    }\n    else {\n    }\n  else {\n  }\n}\n",
		}, []string{"Syntax error at 'else'"}, []string{"end of input"}},
		{"how many arguments lookup takes", map[string]string{"environment.conf": "", "manifests/site.pp": "node 'a' { }",
			"modules/own/manifests/init.pp": "class own { $x = lookup('a', undef, undef, 1, 2) }",
		}, []string{"lookup() takes 1 to 4 arguments, and gets 5"}, nil},
		{"a Variant of nothing", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { }", "manifests/d.pp": "define m::d(Variant $x = undef) { }",
		}, []string{"Variant alone takes no value at all"}, []string{"Optional[Variant]"}},
		{"functions that stdlib once had", map[string]string{"environment.conf": "", "manifests/site.pp": "node 'a' { }",
			"modules/own/manifests/init.pp": "class own { if has_key({}, 'a') { notice(has_kye({}, 'a')) } }",
		}, []string{"there is no function has_kye"}, []string{"there is no function has_key"}},
		{"a system that is not nearly another", map[string]string{"environment.conf": "", "manifests/site.pp": "node 'a' { }",
			"modules/own/manifests/init.pp": "class own { include own::openbsd }", "modules/own/manifests/freebsd.pp": "class own::freebsd { }",
		}, []string{"there is no class own::openbsd"}, []string{"did you mean"}},
		{"a hiera.yaml that is given to Puppet by hand", map[string]string{"environment.conf": "",
			"manifests/site.pp": "node 'a' { }", "hiera/hiera.yaml": "version: 5\n", "hiera/common.yaml": "a: 1\n",
			"modules/own/hiera.yaml": "version: 5\n", "modules/own/manifests/init.pp": "class own { }",
		}, []string{"the root has no hiera.yaml: as it is, nothing reads the data in hiera", "try --hiera hiera/hiera.yaml"},
			[]string{"modules/own/hiera.yaml"}},
		{"what tests name, and tools look for", map[string]string{"environment.conf": "",
			"manifests/site.pp": "node 'a' { include own }", "modules/own/manifests/init.pp": "class own { }",
			"modules/own/functions/f.pp": "function own::f() { 1 }", "modules/own/spec/functions/f_spec.rb": "describe 'own::f' do\nend\n",
			"modules/own/files/pyproject.toml": "[tool.black]\n",
		}, []string{"nothing in this tree uses the function own::f", "take it away with the tests and pages that speak of"},
			[]string{"pyproject"}},
		{"an order that is right in the catalog", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m {\n  package { 'apache2': ensure => installed }\n" +
				"  service { 'apache2': ensure => running, require => Package['apache2'] }\n  exec { '/usr/sbin/a2enmod ssl':\n" +
				"    creates => '/etc/apache2/mods-enabled/ssl.load', notify => Service['apache2'] }\n}",
		}, []string{"V101 order missing (whether catalog order is enough is not known)"}, []string{"broken even"}},
		{"a file where a directory is wanted", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m {\n  file { '/root/.ssh': ensure => directory, mode => '0700' }\n" +
				"  ssh_authorized_key { 'k': user => 'root', type => 'ssh-rsa', key => 'AAAA', target => '/root/.ssh/authorized_keys' }\n}",
		}, []string{"m on debian-12 (invented)"}, []string{"V101"}},
		{"a guard that asks a shell", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m {\n  exec { '/bin/mkdir -p /srv/a': creates => '/srv/a' }\n" +
				"  exec { '/bin/chown bin /srv/a': onlyif => \"/usr/bin/[ \\$(/usr/bin/stat -c '%U' /srv/a) != 'bin' ]\" }\n}",
		}, []string{"m on debian-12 (invented)"}, []string{"V101"}},
		{"a directory that wget makes", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m {\n  package { 'wget': }\n  exec { '/bin/mkdir -p /srv/a': creates => '/srv/a' }\n" +
				"  exec { '/usr/bin/wget -P /srv/a https://e.example/f': creates => '/srv/a/f', require => Package['wget'] }\n}",
		}, []string{"m on debian-12 (invented)"}, []string{"V101"}},
		{"what a command does that is only guessed at", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m {\n  file { '/etc/hook.py': content => 'x' }\n  file { '/etc/list': content => 'x', notify => " +
				"Exec['issue'] }\n  exec { 'issue': command => '/usr/bin/certbot certonly --manual-auth-hook /etc/hook.py', " +
				"refreshonly => true }\n}",
			"manifests/link.pp": "class m::link {\n  exec { '/usr/bin/git clone https://e.example/r /srv/r': creates => '/srv/r' }\n" +
				"  -> exec { '/bin/ln -s /srv/r/a.py /usr/local/a.py': unless => '/usr/bin/test -f /usr/local/a.py' }\n}",
		}, []string{"m on debian-12 (invented)"}, []string{"V201"}},
		{"a class that is only called after another system", map[string]string{"environment.conf": "",
			"manifests/site.pp":                  "if Integer($facts['os']['release']['major']) > 10 { notify { 'debian': } }",
			"modules/mirror/manifests/init.pp":   "# debian, debian, debian, debian\nclass mirror { include mirror::ubuntu }",
			"modules/mirror/manifests/ubuntu.pp": "class mirror::ubuntu { notify { 'ubuntu': } }",
		}, []string{"mirror::ubuntu on debian-12 (invented)"}, []string{"E0401"}},
		{"a module that says that it needs nothing", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { ini_setting { 'x': } Zypprepo['y'] -> Ini_setting['x'] }",
		}, nil, []string{"E0508", "E0206", "U0102"}},
		{"a class that another declares", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m { class { 'm::part': port => 1 } }", "manifests/part.pp": "class m::part($port = 0) { include m }",
		}, []string{"m on debian-12 (invented)"}, []string{"E0510"}},
		{"a template of a manifest", map[string]string{"metadata.json": metadata, "manifests/init.pp": "class m { }",
			"templates/site.pp": "<% if @x %>node default { }<% end %>\n",
		}, nil, []string{"P0001"}},
		{"a fact by its old name", map[string]string{"metadata.json": metadata,
			"manifests/init.pp":      "class m { file { '/x': content => template(\"m/${facts['lsbdistcodename']}.erb\") } }",
			"templates/bookworm.erb": "x\n",
		}, []string{"1 of 1 public class compiled"}, []string{"E0401"}},
		{"a command that makes true what another asks for", map[string]string{"metadata.json": metadata,
			"manifests/init.pp": "class m {\n  exec { '/usr/sbin/locale-gen a': unless => '/bin/grep -q a /etc/default/locale' }\n" +
				"  ~> exec { '/usr/sbin/update-locale LANG=a': refreshonly => true }\n}",
		}, []string{"m on debian-12 (invented)"}, []string{"V206"}},
		{"a module in a directory of another name", map[string]string{"environment.conf": "", "manifests/site.pp": "node 'a' { }",
			"modules/config/manifests/init.pp":        "class our_config { file { '/x': content => template('our_config/squid_list.erb') } }",
			"modules/config/templates/squid_list.erb": "x\n", "modules/config/manifests/params.pp": "class our_config::params { $server1 = 1 }",
			"modules/config/manifests/use.pp": "class our_config::use { notify { $our_config::params::server2: } }",
		}, []string{"Puppet does not find the class our_config in this file"}, []string{"U0305", "did you mean"}},
		{"a class that is not there on any system", map[string]string{"environment.conf": "", "manifests/site.pp": "node default { }",
			"modules/role/manifests/web.pp": "# debian, debian, debian, debian, debian, debian, debian\nclass role::web { }",
			"modules/role/manifests/osx.pp": "class role::osx { # macos, macos, macos\n  include role::nowhere\n}",
		}, []string{"role::osx on macos-14 (invented)", "Could not find class ::role::nowhere"}, nil},
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
