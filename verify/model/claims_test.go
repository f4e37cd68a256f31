package model_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/verify"
	"bunraku/verify/listing"
	"bunraku/verify/model"
)

// builtIn are the lists inside the program.
func builtIn(t *testing.T, platform string) *listing.Set {
	t.Helper()
	s, err := listing.Select(listing.Choice{Platform: platform, Embedded: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// withLines is site for code that declares file_line, a type of stdlib.
func withLines(t *testing.T, text string) *catalog.Graph {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"manifests/site.pp": text,
		"modules/stdlib/lib/puppet/type/file_line.rb": "Puppet::Type.newtype(:file_line) do\n  ensurable do\n    " +
			"defaultvalues\n  end\n" +
			"  newparam(:name, :namevar => true)\n  newparam(:path)\n  newparam(:line)\n  newparam(:match)\nend\n",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := compiler.NewWorkspace(dir, compiler.Options{Language: 8}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Compile(context.Background(), compiler.Node{Name: "node"})
	if err != nil || r.Failure != nil {
		t.Fatal(err, r.Failure)
	}
	return catalog.NewGraph(r.Catalog, model.Types{})
}

// fromElsewhere is a package that Debian does not have, with its source.
const fromElsewhere = "file { '/etc/apt/sources.list.d/e.list': content => 'deb http://x y z' } ~> " +
	"exec { '/usr/bin/apt-get update': refreshonly => true } -> package { 'frobnicate': }\n"

// After a cut, later runs end where an undisturbed one does, or the cut is shown.
func TestRecover(t *testing.T) {
	for _, x := range []struct {
		text string
		want []string
	}{
		{"exec { '/bin/sh -c \"mkdir /srv/q && touch /srv/q/done\"': creates => '/srv/q' }",
			[]string{"V208 Exec[/bin/sh -c \"mkdir /srv/q && touch /srv/q/done\"] half-done"}},
		{"exec { '/bin/sh -c \"mkdir -p /srv/q && touch /srv/q/done\"': creates => '/srv/q/done' }", nil},
		{"file { '/srv/r': content => 'r' } ~> exec { '/bin/cp /srv/r /srv/seen': refreshonly => true }",
			[]string{"V208 File[/srv/r] Exec[/bin/cp /srv/r /srv/seen] lost refresh",
				"V208 Exec[/bin/cp /srv/r /srv/seen] lost refresh"}},
		{"exec { '/bin/sh -c \"echo entry >> /srv/log\"': unless => '/bin/grep -q entry /srv/log' }", nil},
		{"exec { '/bin/sh -c \"echo x > /srv/x\"': creates => '/srv/x' }",
			[]string{"V208 Exec[/bin/sh -c \"echo x > /srv/x\"] half-done"}},
		{"exec { '/bin/cp /etc/hostname /srv/x': creates => '/srv/x' }",
			[]string{"V208 Exec[/bin/cp /etc/hostname /srv/x] half-done"}},
		{"exec { '/bin/sh -c \"cp /etc/hostname /srv/.x && mv /srv/.x /srv/x\"': creates => '/srv/x' }", nil},
		{"file { '/srv/r': content => 'r' } ~> exec { '/bin/cp /srv/r /srv/seen': refreshonly => true, require => " +
			"Package['nginx'] }\npackage { 'nginx': }",
			[]string{"V208 File[/srv/r] Exec[/bin/cp /srv/r /srv/seen] lost refresh",
				"V208 Package[nginx] Exec[/bin/cp /srv/r /srv/seen] lost refresh",
				"V208 Exec[/bin/cp /srv/r /srv/seen] lost refresh"}},
		{"file { '/srv/d': ensure => directory } -> exec { '/bin/touch /srv/d/x': creates => '/srv/d/x' } -> file { " +
			"'/srv/d/y': content => 'y' }", nil},
	} {
		_, r := findings(t, site(t, x.text), model.Options{Platform: "debian-12", Listing: builtIn(t, "debian-12"),
			Recover: true}, "")
		var got []string
		for _, f := range r.Findings {
			kind, _, _ := strings.Cut(f.Note, ":")
			words := f.Code
			for _, r := range f.Resources {
				words += " " + r.Ref()
			}
			got = append(got, words+" "+kind)
		}
		if !slices.Equal(got, x.want) || r.Recovery.Cuts == 0 || (r.Recovery.Stuck > 0) != (len(x.want) > 0) {
			t.Errorf("%s:\n%q, want %q; %+v", x.text, got, x.want, r.Recovery)
		}
	}
}

// What people accept is known, is counted, and nothing else is.
func TestAccepted(t *testing.T) {
	const text = fromElsewhere +
		"file { '/etc/frobnicate/x': content => 'x', require => Package['frobnicate'], owner => 'deploy' }\n" +
		"file_line { 'l': path => '/etc/elsewhere.conf', line => 'x' }"
	points := model.Accepted{"package frobnicate brings /etc/frobnicate", "user deploy is there",
		"/etc/elsewhere.conf is there", "user else is there"}
	_, r := findings(t, withLines(t, text), model.Options{Platform: "debian-12", Listing: builtIn(t, "debian-12")}, "")
	var needed []string
	for _, p := range r.Needed {
		needed = append(needed, p.Text)
	}
	slices.Sort(needed)
	if want := slices.Sorted(slices.Values(points[:3])); !slices.Equal(needed, want) || r.Success != verify.ChanceUnknown {
		t.Errorf("succeeds %s, needed %q, want %q", r.Success, needed, want)
	}
	_, r = findings(t, withLines(t, text), model.Options{Platform: "debian-12", Listing: builtIn(t, "debian-12"),
		Accept: points}, "")
	if r.Success != verify.Always || len(r.Model.Accepted) != 3 || len(r.Unknown) > 0 {
		t.Errorf("succeeds %s, %q accepted, unknown %q", r.Success, r.Model.Accepted, r.Unknown)
	}
	for _, bad := range []string{"", "foo", "user is there", "/x is", "package x brings"} {
		if _, err := model.ParseAccepted(bad); err == nil {
			t.Errorf("%q can be assumed", bad)
		}
	}
}

// Cases in which a verdict of ours was refuted by an agent, or a finding was none, with the right answer.
func TestScoreRefutedClaims(t *testing.T) {
	all, right := 0, 0
	for _, c := range []struct {
		name, platform, text string
		want                 []string // codes with what is in the finding; nothing else may be found
		unknown              string   // in what is undecided
	}{
		{name: "a command needs its program, which a package brings", platform: "debian-12",
			text: "package { 'git': }\nexec { 'git clone https://x/y /opt/y': path => '/usr/bin', creates => '/opt/y' }",
			want: []string{"V101 Package[git] Exec[git clone https://x/y /opt/y] require => Package['git'],"}},
		{name: "a program by its whole path", platform: "debian-12",
			text: "package { 'nginx': }\nexec { '/usr/sbin/nginx -s reload': refreshonly => true, subscribe => File['/srv/x'] " +
				"}\nfile { '/srv/x': content => 'x' }",
			want: []string{"V101 Package[nginx] Exec[/usr/sbin/nginx -s reload] require => Package['nginx'],"}},
		{name: "a program that no list has, called like a package", platform: "centos-7",
			text: "package { 'frobnicate': }\nexec { '/usr/bin/frobnicate --init': creates => '/srv/done' }",
			want: []string{"V101 Package[frobnicate] Exec[/usr/bin/frobnicate --init] require => Package['frobnicate'],"}},
		{name: "a program that tries a file before it is put in place", platform: "debian-12",
			text: "file { '/srv/x': content => 'x', validate_cmd => '/usr/sbin/nginx -t -c %' }\npackage { 'nginx': }",
			want: []string{"V101 File[/srv/x] Package[nginx] require => Package['nginx'],"}},
		{name: "a program that tries a file, and nobody brings", platform: "debian-12",
			text: "file { '/srv/x': content => 'x', validate_cmd => '/usr/sbin/frobnicate %' }",
			want: []string{"V102 File[/srv/x]"}},
		{name: "a program that a package has at another place", platform: "debian-12",
			text: "package { 'nginx': } -> exec { '/usr/bin/nginx -s reload': refreshonly => true, subscribe => Package['nginx'] }",
			want: []string{"V102 Exec[/usr/bin/nginx -s reload]"}},
		{name: "a program that tries a file that is there already is not run", platform: "debian-12",
			text: "file { '/etc/passwd': content => 'x', replace => false, validate_cmd => '/usr/sbin/frobnicate %' }"},
		{name: "what creates names is left out when it is unpacked", platform: "debian-12",
			text: "file { '/srv/a-1.0.tar.gz': content => 'x' } -> exec { '/bin/tar xzf /srv/a-1.0.tar.gz --strip-components=1 -C /opt': " +
				"creates => '/opt/a-1.0' }",
			want: []string{"V206 Exec[/bin/tar xzf /srv/a-1.0.tar.gz --strip-components=1 -C /opt]"}},
		{name: "what creates names is below what is left out", platform: "debian-12",
			text: "file { '/srv/a-1.0.tar.gz': content => 'x' } -> exec { '/bin/tar xzf /srv/a-1.0.tar.gz --strip-components=1 -C /opt': " +
				"creates => '/opt/bin' }"},
		{name: "who makes what creates names makes the directories that lead there", platform: "debian-12",
			text: "file { '/srv/a.tar': content => 'x' } -> exec { '/bin/tar xf /srv/a.tar -C /opt': creates => '/opt/a/bin/x' }"},
		{name: "what is unpacked may bring directories", platform: "debian-12",
			text: "file { '/srv/b.tar': content => 'x' } -> exec { '/bin/tar xf /srv/b.tar -C /opt': creates => '/opt/b' }\n" +
				"-> file { '/opt/b/conf/x': content => 'x' }",
			unknown: "whether unpacking brings /opt/b/conf"},
		{name: "a unit beside those of packages, and a reload of the manager", platform: "debian-12",
			text: "file { '/lib/systemd/system/x.service': content => '[Service]' } -> service { 'x': ensure => running }\n" +
				"exec { '/bin/systemctl daemon-reload': refreshonly => true, " +
				"subscribe => File['/lib/systemd/system/x.service'], before => Service['x'] }",
			want: []string{"V203 File[/lib/systemd/system/x.service] Service[x] notify => Service['x'],"}},
		{name: "a source whose address names a package that the archive has, too", platform: "debian-12",
			text: "file { '/etc/apt/sources.list.d/vendor.list': content => 'deb https://x.example/rabbitmq-server/debian bookworm main' }\n" +
				"~> exec { '/usr/bin/apt-get update': refreshonly => true }\npackage { 'rabbitmq-server': }",
			want: []string{"V101 Exec[/usr/bin/apt-get update] Package[rabbitmq-server] require => Exec['/usr/bin/apt-get update'],"}},
		{name: "ordered after its program", platform: "debian-12",
			text: "package { 'git': } -> exec { 'git clone https://x/y /opt/y': path => '/usr/bin', creates => '/opt/y' }"},
		{name: "programs of the base system are there", platform: "debian-12",
			text: "package { ['tar', 'systemd']: }\nexec { '/bin/tar xf /srv/a.tar -C /srv': creates => '/srv/a', require => " +
				"Exec['/bin/touch /srv/a.tar'] }\nexec { '/bin/touch /srv/a.tar': creates => '/srv/a.tar' }\nexec { " +
				"'/bin/systemctl daemon-reload': }"},
		{name: "a service on a platform without lists", platform: "centos-7",
			text: "service { 'httpd': ensure => running }\npackage { 'httpd': }",
			want: []string{"V101 Service[httpd] Package[httpd] require => Package['httpd'],"}},
		{name: "directories of the base system", platform: "debian-12",
			text: "file { ['/etc/security/limits.d/x.conf', '/etc/update-motd.d/99-x', '/usr/lib/tmpfiles.d/x.conf']: content " +
				"=> 'x' }"},
		{name: "an account without ensure is made", platform: "debian-12",
			text: "user { 'app': comment => 'x' }\nfile { '/opt/a': ensure => directory, owner => 'app' }"},
		{name: "zero is root", platform: "debian-12",
			text: "file { '/srv/x': content => 'x', owner => '0', group => '0' }\nexec { '/bin/chown root:root /srv/x': " +
				"refreshonly => true, subscribe => File['/srv/x'] }"},
		{name: "a command that is not read undoes nothing", platform: "debian-12",
			text: "file { '/srv/a.conf': content => 'x' }\nexec { '/usr/bin/mycmd /srv/a.conf': refreshonly => true, " +
				"subscribe => File['/srv/a.conf'] }",
			unknown: "whether Exec[/usr/bin/mycmd /srv/a.conf] changes it is not known"},
		{name: "a guard looks at what the command itself makes", platform: "debian-12",
			text: "exec { 'mk': command => '/bin/mkdir /srv/app/db', require => File['/srv/app'] }\nfile { '/srv/app': ensure " +
				"=> directory }",
			want: []string{"V201 Exec[mk] creates => '/srv/app/db',"}},
		{name: "… and at the last of it", platform: "debian-12", text: "exec { '/bin/mkdir /srv/a /srv/b': }",
			want: []string{"V201 Exec[/bin/mkdir /srv/a /srv/b] creates => '/srv/b',"}},
		{name: "… whatever it makes last", platform: "debian-12",
			text: "exec { '/bin/sh -c \"mkdir /srv/q && touch /srv/q/done\"': }",
			want: []string{"V201 Exec[/bin/sh -c \"mkdir /srv/q && touch /srv/q/done\"] creates => '/srv/q/done',"}},
		{name: "… and that nobody else makes", platform: "debian-12",
			text: "exec { 'a': command => '/bin/mkdir /srv/a' }\nexec { '/bin/true': before => Exec['a'], creates => '/srv/a' " +
				"}\nexec { '/bin/mkdir -p /srv/a': require => Exec['a'], unless => '/usr/bin/test -d /srv/a' }",
			want: []string{"V201 Exec[a]"}},
		{name: "a file that nobody makes has no lines", platform: "debian-12",
			text: "file_line { 'e': path => '/etc/default/nosuchthing', line => 'A=1' }",
			want: []string{"V102 File_line[e] file { '/etc/default/nosuchthing': ensure => file, before => " +
				"File_line['e'] }"}},
		{name: "lines that replace each other", platform: "debian-12",
			text: "file_line { 'a': path => '/etc/hosts', line => 'A=1', match => '^A=' }\nfile_line { 'b': path => " +
				"'/etc/hosts', line => 'A=2', match => '^A=' }",
			want: []string{"V101 File_line[a] File_line[b] require => File_line['a'],", "V202 File_line[a] File_line[b]",
				"V205 File_line[a] File_line[b]"}},
		{name: "a purge and a command", platform: "debian-12",
			text: "file { '/srv/d': ensure => directory, recurse => true, purge => true } -> exec { '/bin/touch /srv/d/x': " +
				"creates => '/srv/d/x' }",
			want: []string{"V205 File[/srv/d] Exec[/bin/touch /srv/d/x] file { '/srv/d/x': ensure => file, require => " +
				"Exec['/bin/touch /srv/d/x'] }"}},
		{name: "reloading the manager restarts nothing", platform: "debian-12",
			text: "file { '/etc/systemd/system/foo.service': content => 'x' } ~> exec { '/bin/systemctl daemon-reload': " +
				"refreshonly => true } -> service { 'foo': ensure => running }",
			want: []string{"V203 File[/etc/systemd/system/foo.service] Service[foo] notify => Service['foo'],"}},
		{name: "a script is a unit", platform: "debian-12",
			text: "file { '/etc/init.d/foo': content => 'x', mode => '0755' }\nservice { 'foo': ensure => running }",
			want: []string{"V101 File[/etc/init.d/foo] Service[foo] require => File['/etc/init.d/foo'],",
				"V203 File[/etc/init.d/foo] Service[foo] notify => Service['foo'],"}},
		{name: "an event that never comes", platform: "debian-12", text: "exec { '/bin/touch /srv/x': refreshonly => true }",
			want: []string{"V209 Exec[/bin/touch /srv/x]"}},
		{name: "an event that comes to the class", platform: "debian-12",
			text: "class a { exec { '/bin/touch /srv/x': refreshonly => true } }\ninclude a\nfile { '/srv/y': content => 'y', " +
				"notify => Class['a'] }"},
		{name: "an account that nobody makes", platform: "debian-12",
			text: "file { '/srv/x': ensure => directory, owner => 'deploy' }",
			want: []string{"V102 File[/srv/x] user { 'deploy': ensure => present }"}},
		{name: "an account that a package might make", platform: "debian-12", text: fromElsewhere +
			"file { '/srv/x': ensure => directory, owner => 'deploy' }",
			unknown: "nothing known says whether user deploy is there"},
		{name: "a group that nobody makes", platform: "debian-12", text: "user { 'app': gid => 'nosuchgroup' }",
			want: []string{"V102 User[app] group { 'nosuchgroup': ensure => present }"}},
		{name: "a package that might bring a directory", platform: "debian-11",
			text:    "file { '/opt/app/conf/app.conf': content => 'x' }\npackage { 'frobnicate': }",
			unknown: "whether /opt/app/conf is there"},
		{name: "a package that brings programs only", platform: "debian-12",
			text: "file { '/opt/app/conf/app.conf': content => 'x' }\npackage { 'curl': }",
			want: []string{"V102 File[/opt/app/conf/app.conf]"}},
		{name: "a package that no archive has", platform: "debian-12", text: "package { 'ngnix': }",
			want: []string{"V102 Package[ngnix]"}},
		{name: "a service that nothing brings", platform: "debian-12", text: "service { 'ngnix': ensure => running }",
			want: []string{"V102 Service[ngnix]"}},
		{name: "services of the base system", platform: "debian-12",
			text: "service { ['cron', 'systemd-journald']: ensure => running }"},

		{name: "no package brings homes", platform: "debian-12", text: fromElsewhere +
			"file { '/home/frobnicate/x': content => 'x' }",
			want: []string{"V102 File[/home/frobnicate/x] file { '/home/frobnicate': ensure => directory }"}},
		{name: "commands without guards", platform: "debian-12",
			text: "exec { '/usr/bin/apt-get update': }\nexec { '/bin/systemctl restart cron': }",
			want: []string{"V206 Exec[/bin/systemctl restart cron]"}},
		{name: "a package and a source", platform: "debian-12",
			text: "file { '/etc/apt/sources.list.d/e.list': content => 'deb http://x y z' } ~> exec { '/usr/bin/apt-get " +
				"update': refreshonly => true }\npackage { 'frobnicate': }",
			want: []string{"V101 Exec[/usr/bin/apt-get update] Package[frobnicate] require => Exec['/usr/bin/apt-get update'],"}},
		{name: "a package and a source without an update", platform: "debian-12",
			text: "file { '/etc/apt/sources.list.d/e.list': content => 'deb http://x y z' } -> package { 'frobnicate': }",
			want: []string{"V102 Package[frobnicate]"}},
		{name: "a package and two sources", platform: "debian-12",
			text: "file { ['/etc/apt/sources.list.d/e.list', '/etc/apt/sources.list.d/f.list']: content => 'deb http://x y z' }\n" +
				"File['/etc/apt/sources.list.d/e.list'] ~> exec { '/usr/bin/apt-get update': refreshonly => true } -> package { " +
				"'frobnicate': }",
			unknown: "whether Package[frobnicate] comes from File[/etc/apt/sources.list.d/f.list]"},
		{name: "a package after its source", platform: "debian-12",
			text: "file { '/etc/apt/sources.list.d/e.list': content => 'deb http://x y z' } ~> exec { '/usr/bin/apt-get " +
				"update': refreshonly => true } -> package { 'frobnicate': }"},
		{name: "a key that may come after the update", platform: "debian-12",
			text: "file { '/etc/apt/keyrings/e.asc': content => 'key' }\n" +
				"file { '/etc/apt/sources.list.d/e.list': content => 'deb [arch=amd64 signed-by=/etc/apt/keyrings/e.asc] " +
				"http://x y z' } ~> " +
				"exec { '/usr/bin/apt-get update': refreshonly => true } -> package { 'frobnicate': }",
			want: []string{"V101 File[/etc/apt/keyrings/e.asc] Exec[/usr/bin/apt-get update] require => " +
				"File['/etc/apt/keyrings/e.asc'],"}},
		{name: "a key in time", platform: "debian-12",
			text: "file { '/etc/apt/keyrings/e.asc': content => 'key' } -> " +
				"file { '/etc/apt/sources.list.d/e.sources': content => \"Types: deb\\nURIs: http://x\\nSigned-By: " +
				"/etc/apt/keyrings/e.asc\\n\" } ~> " +
				"exec { '/usr/bin/apt-get update': refreshonly => true } -> package { 'frobnicate': }"},
		{name: "an enabled module and its service", platform: "debian-12",
			text: "package { 'freeradius': } -> file { '/etc/freeradius/3.0/mods-enabled/ldap': ensure => link, target => " +
				"'../mods-available/ldap' }\n" +
				"service { 'freeradius': ensure => running, require => Package['freeradius'] }",
			want: []string{"V203 File[/etc/freeradius/3.0/mods-enabled/ldap] Service[freeradius] notify => " +
				"Service['freeradius'],"}},
		{name: "symbolic modes are numbers", platform: "debian-12",
			text: "file { '/srv/x': ensure => file, mode => 'u=rw,go=r' }\nexec { '/bin/chmod 0644 /srv/x': refreshonly => " +
				"true, subscribe => File['/srv/x'] }"},
		{name: "a guard that looks at the mode", platform: "debian-12",
			text: "file { '/usr/local/bin/p': content => 'x' } -> exec { '/bin/chmod u+s /usr/local/bin/p': unless => " +
				"'/usr/bin/test -u /usr/local/bin/p' }"},
		{name: "another program's configuration", platform: "debian-12",
			text: "package { 'php8.2-fpm': } -> file { '/etc/php/8.2/cli/php.ini': content => 'x' }\n" +
				"service { 'php8.2-fpm': ensure => running, require => Package['php8.2-fpm'] }",
			unknown: "whether /etc/php/8.2/cli is there"},
		{name: "another unit's configuration", platform: "debian-12",
			text: "package { 'openvpn': } -> file { '/etc/openvpn/easy-rsa': ensure => directory }\n" +
				"file { ['/etc/default/openvpn', '/etc/openvpn/easy-rsa/openssl.cnf']: content => 'x', require => " +
				"Package['openvpn'] }\n" +
				"service { 'openvpn-server@a': ensure => running, require => Package['openvpn'] }"},
		{name: "an archive that goes", platform: "debian-12",
			text: "exec { '/usr/bin/wget -O /srv/a.tar http://x/a.tar': creates => '/srv/a.tar' } -> " +
				"exec { '/usr/bin/tar xf /srv/a.tar -C /srv': creates => '/srv/etc' } -> file { '/srv/a.tar': ensure => absent }",
			want: []string{"V102 Exec[/usr/bin/wget -O /srv/a.tar http://x/a.tar] package { 'wget': ensure => installed, " +
				"before => Exec['/usr/bin/wget -O /srv/a.tar http://x/a.tar'] }",
				"V205 Exec[/usr/bin/wget -O /srv/a.tar http://x/a.tar] File[/srv/a.tar]"}},
		{name: "a program that no fresh machine has", platform: "debian-12",
			text: "exec { '/usr/bin/curl -o /srv/x http://x/y': creates => '/srv/x' }",
			want: []string{"V102 Exec[/usr/bin/curl -o /srv/x http://x/y]"}},
		{name: "a program that some package may pull in", platform: "debian-12",
			text:    "package { 'htop': } -> exec { '/usr/bin/curl -o /srv/x http://x/y': creates => '/srv/x' }",
			unknown: "whether /usr/bin/curl is there"},
		{name: "programs of the base system that no list has", platform: "debian-12",
			text: "exec { 'awk 1 /etc/hosts > /srv/x': path => '/bin:/usr/bin', creates => '/srv/x' }\n" +
				"exec { '/usr/bin/which ls': unless => '/usr/bin/test -e /etc/hosts' }"},
		{name: "a program that another command puts there", platform: "debian-12",
			text: "exec { '/bin/cp /bin/true /usr/bin/frob': creates => '/usr/bin/frob' } -> exec { '/usr/bin/frob': " +
				"creates => '/srv/x' }",
			unknown: "some resources may do more than is known"},
		{name: "a command restarts what is not there", platform: "debian-12",
			text: "exec { '/bin/systemctl restart nginx': refreshonly => true, subscribe => File['/srv/x'] }\nfile { " +
				"'/srv/x': content => 'x' }",
			want: []string{"V102 Exec[/bin/systemctl restart nginx]"}},
		{name: "a command restarts what a package brings", platform: "debian-12",
			text: "package { 'nginx': }\nexec { '/bin/systemctl restart nginx': refreshonly => true, subscribe => " +
				"File['/srv/x'] }\nfile { '/srv/x': content => 'x' }",
			want: []string{"V101 Package[nginx] Exec[/bin/systemctl restart nginx] require => Package['nginx'],"}},
		{name: "a command restarts what is there", platform: "debian-12",
			text: "package { 'nginx': } -> exec { '/bin/systemctl restart nginx cron': refreshonly => true, subscribe => " +
				"File['/srv/x'] }\nfile { '/srv/x': content => 'x' }"},
		{name: "a command that may fail", platform: "debian-12",
			text: "exec { '/bin/sh -c \"systemctl restart nginx || true\"': refreshonly => true, subscribe => File['/srv/x'] " +
				"}\nfile { '/srv/x': content => 'x' }"},
		{name: "one thing that is missing does not hide another", platform: "debian-12",
			text: "file { '/srv/a/x': content => 'x' }\nfile { '/srv/b/x': content => 'x', owner => 'deploy' }\nuser { 'app': " +
				"gid => 'nosuch' }\n" +
				"exec { '/usr/bin/curl -o /srv/x http://x/y': creates => '/srv/x' }\nfile { '/srv/a/y': content => 'y', require " +
				"=> File['/srv/a/x'] }",
			want: []string{"V102 File[/srv/a/x] file { '/srv/a': ensure => directory }",
				"V102 File[/srv/b/x] file { '/srv/b': ensure => directory } user { 'deploy': ensure => present }",
				"V102 User[app] group { 'nosuch': ensure => present }",
				"V102 Exec[/usr/bin/curl -o /srv/x http://x/y]"}},
		{name: "a line that is appended in every run", platform: "debian-12",
			text: "exec { \"/bin/sh -c 'echo \\\"a b\\\" >> /srv/f'\": }",
			want: []string{`V201 Exec[/bin/sh -c 'echo "a b" >> /srv/f'] unless => '/bin/grep -qxF \'a b\' /srv/f',`}},
		{name: "a file that is written in every run", platform: "debian-12",
			text: "exec { 'w': command => \"/bin/sh -c 'echo v > /srv/f'\", path => '/usr/bin:/bin' }",
			want: []string{"V206 Exec[w] unless => 'echo v | cmp -s - /srv/f',"}},
		{name: "a command whose copy would be missing the original", platform: "debian-12",
			text: "exec { '/bin/cp /srv/o /srv/c': creates => '/srv/c' }",
			want: []string{"V102 Exec[/bin/cp /srv/o /srv/c]"}},
		{name: "an account that is spelt like one that is declared", platform: "debian-12",
			text: "user { 'deploy': }\nfile { '/srv/x': ensure => directory, owner => 'depoly' }",
			want: []string{"V102 File[/srv/x]"}},
		{name: "an order is missing, and something else fails in every order", platform: "debian-12",
			text: "file { '/srv/a/x': content => 'x' }\nfile { '/etc/nginx/conf.d/x': content => 'x' }\npackage { 'nginx': }\n" +
				"file { '/srv/b/x': content => 'x' }",
			want: []string{"V101 File[/etc/nginx/conf.d/x] Package[nginx] require => Package['nginx'],",
				"V102 File[/srv/a/x] file { '/srv/a': ensure => directory }",
				"V102 File[/srv/b/x] file { '/srv/b': ensure => directory }"}},
		{name: "commands that write the same file", platform: "debian-12",
			text: "exec { 'a': command => '/bin/sh -c \"echo a > /srv/f\"' }\nexec { 'b': command => '/bin/sh -c \"echo b > " +
				"/srv/f\"' }",
			want: []string{"V101 Exec[a] Exec[b] require => Exec['a'],", "V205 Exec[a] Exec[b]"}},
		{name: "a guard that is never true", platform: "debian-12", text: "exec { '/bin/touch /srv/a': creates => '/srv/b' }",
			want: []string{"V206 Exec[/bin/touch /srv/a]"}},
		{name: "an agent is there", platform: "debian-12",
			text: "package { 'puppet-agent': }\nfile { '/etc/puppet/x': content => 'x' }"},
		{name: "what a package is taken to bring proves nothing", platform: "debian-12", text: fromElsewhere +
			"file { '/etc/frobnicate/x': content => 'x', require => Package['frobnicate'] }",
			unknown: "whether package frobnicate brings /etc/frobnicate"},
		{name: "an account that a package is known to make", platform: "debian-12",
			text: "package { 'mosquitto': } -> file { '/srv/x': ensure => directory, owner => 'mosquitto' }"},
		{name: "… which is not there before", platform: "debian-12",
			text: "package { 'mosquitto': }\nfile { '/srv/x': ensure => directory, owner => 'mosquitto' }",
			want: []string{"V101 Package[mosquitto] File[/srv/x] require => Package['mosquitto'],"}},
		{name: "a service that its package is not known to bring", platform: "debian-12",
			text:    "package { 'iptables': } -> service { 'iptables': ensure => running }",
			unknown: "whether package iptables brings service iptables"},
		{name: "another name of a package's unit", platform: "debian-12",
			text: "package { 'openssh-server': } -> service { 'sshd': ensure => running }"},
		{name: "another name of a unit, and no order", platform: "debian-12",
			text: "package { 'openssh-server': }\nservice { 'sshd': ensure => running }",
			want: []string{"V101 Package[openssh-server] Service[sshd] require => Package['openssh-server'],"}},
		{name: "a service of which nobody has heard beside a package that has another", platform: "debian-12",
			text:    "package { 'nginx': }\nservice { 'frobd': ensure => running }",
			unknown: "whether service frobd is there"},
		{name: "noop never acts", platform: "debian-12",
			text: "exec { '/bin/touch /srv/n/x': noop => true, creates => '/srv/n/x' }\nfile { '/srv/n': ensure => directory }"},
		{name: "a schedule that never comes", platform: "debian-12",
			text: "file { '/srv/p': ensure => directory, schedule => 'never' }\nfile { '/srv/p/x': content => 'x' }",
			want: []string{"V102 File[/srv/p/x]"}},
	} {
		opt := model.Options{Platform: c.platform}
		if c.platform == "debian-12" {
			opt.Listing = builtIn(t, c.platform)
		}
		all++
		fine := true
		errorf := func(format string, args ...any) {
			fine = false
			t.Errorf(format, args...)
		}
		var got []string
		read := site
		if strings.Contains(c.text, "file_line") {
			read = withLines
		}
		_, r := findings(t, read(t, c.text), opt, "")
		for _, f := range r.Findings {
			words := []string{f.Code}
			for _, x := range f.Resources {
				words = append(words, x.Ref())
			}
			if f.Fix != nil {
				if words = append(words, f.Fix.String()); !f.Fix.Verified {
					errorf("%s: a fix is offered that was not verified: %s", c.name, f.Fix)
				}
			}
			got = append(got, strings.Join(words, " "))
		}
		if !slices.Equal(got, c.want) {
			errorf("%s:\n%s\nwant\n%s\nunknown: %q", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"), r.Unknown)
		}
		if c.unknown == "" && len(c.want) == 0 && len(r.Unknown) > 0 {
			errorf("%s: undecided: %q", c.name, r.Unknown)
		}
		if c.unknown != "" && !strings.Contains(strings.Join(r.Unknown, "\n"), c.unknown) {
			errorf("%s: no %q in %q", c.name, c.unknown, r.Unknown)
		}
		if fine {
			right++
		}
	}
	t.Logf("score: claims that an agent had refuted, right now %d/%d", right, all)
}

// A directory that a package is guessed to bring has parents, which the package manager makes as well: also where the
// catalog declares one of them behind the package.
func TestGuessedBelowDeclared(t *testing.T) {
	g := withLines(t, fromElsewhere+`
		file { '/etc/frobnicate': ensure => directory, require => Package['frobnicate'] }
		file { '/etc/frobnicate/x.d/y': content => '', require => Package['frobnicate'] }`)
	lines, r := findings(t, g, model.Options{Platform: "debian-12", Listing: builtIn(t, "debian-12")}, "V102")
	same(t, lines, nil)
	var needed []string
	for _, p := range r.Needed {
		needed = append(needed, p.Text)
	}
	same(t, needed, []string{"package frobnicate brings /etc/frobnicate"})
}
