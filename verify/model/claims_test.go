package model_test

import (
	"slices"
	"strings"
	"testing"

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

// Cases in which a verdict of ours was refuted by an agent, or a finding was none, with the right answer.
func TestRefutedClaims(t *testing.T) {
	for _, c := range []struct {
		name, platform, text string
		want                 []string // codes with what is in the finding; nothing else may be found
		unknown              string   // in what is undecided
	}{
		{name: "a command needs its program, which a package brings", platform: "debian-12",
			text: "package { 'git': }\nexec { 'git clone https://x/y /opt/y': path => '/usr/bin', creates => '/opt/y' }",
			want: []string{"V101 Package[git] Exec[git clone https://x/y /opt/y] require => Package['git'],"}},
		{name: "a program by its whole path", platform: "debian-12",
			text: "package { 'nginx': }\nexec { '/usr/sbin/nginx -s reload': refreshonly => true, subscribe => File['/srv/x'] }\nfile { '/srv/x': content => 'x' }",
			want: []string{"V101 Package[nginx] Exec[/usr/sbin/nginx -s reload] require => Package['nginx'],"}},
		{name: "a program that no list has, called like a package", platform: "centos-7",
			text: "package { 'frobnicate': }\nexec { '/usr/bin/frobnicate --init': creates => '/srv/done' }",
			want: []string{"V101 Package[frobnicate] Exec[/usr/bin/frobnicate --init] require => Package['frobnicate'],"}},
		{name: "ordered after its program", platform: "debian-12",
			text: "package { 'git': } -> exec { 'git clone https://x/y /opt/y': path => '/usr/bin', creates => '/opt/y' }"},
		{name: "programs of the base system are there", platform: "debian-12",
			text: "package { ['tar', 'systemd']: }\nexec { '/bin/tar xf /srv/a.tar -C /srv': creates => '/srv/a' }\nexec { '/bin/systemctl daemon-reload': refreshonly => true }"},
		{name: "a service on a platform without lists", platform: "centos-7",
			text: "service { 'httpd': ensure => running }\npackage { 'httpd': }",
			want: []string{"V101 Service[httpd] Package[httpd] require => Package['httpd'],"}},
		{name: "directories of the base system", platform: "debian-12",
			text: "file { ['/etc/security/limits.d/x.conf', '/etc/update-motd.d/99-x', '/usr/lib/tmpfiles.d/x.conf']: content => 'x' }"},
		{name: "an account without ensure is made", platform: "debian-12",
			text: "user { 'app': comment => 'x' }\nfile { '/opt/a': ensure => directory, owner => 'app' }"},
		{name: "zero is root", platform: "debian-12",
			text: "file { '/srv/x': content => 'x', owner => '0', group => '0' }\nexec { '/bin/chown root:root /srv/x': refreshonly => true, subscribe => File['/srv/x'] }"},
		{name: "a command that is not read undoes nothing", platform: "debian-12",
			text:    "file { '/srv/a.conf': content => 'x' }\nexec { '/usr/bin/mycmd /srv/a.conf': refreshonly => true, subscribe => File['/srv/a.conf'] }",
			unknown: "whether Exec[/usr/bin/mycmd /srv/a.conf] changes it is not known"},
		{name: "a guard looks at what the command itself makes", platform: "debian-12",
			text: "exec { 'mk': command => '/bin/mkdir /srv/app/db', require => File['/srv/app'] }\nfile { '/srv/app': ensure => directory }",
			want: []string{"V201 Exec[mk] creates => '/srv/app/db',"}},
		{name: "… and at the last of it", platform: "debian-12", text: "exec { '/bin/mkdir /srv/a /srv/b': }",
			want: []string{"V201 Exec[/bin/mkdir /srv/a /srv/b] creates => '/srv/b',"}},
		{name: "… whatever it makes last", platform: "debian-12", text: "exec { '/bin/sh -c \"mkdir /srv/q && touch /srv/q/done\"': }",
			want: []string{"V201 Exec[/bin/sh -c \"mkdir /srv/q && touch /srv/q/done\"] creates => '/srv/q/done',"}},
		{name: "… and that nobody else makes", platform: "debian-12",
			text: "exec { 'a': command => '/bin/mkdir /srv/a' }\nexec { '/bin/true': before => Exec['a'], creates => '/srv/a' }\nexec { '/bin/mkdir -p /srv/a': require => Exec['a'], unless => '/usr/bin/test -d /srv/a' }",
			want: []string{"V201 Exec[a]"}},
	} {
		opt := model.Options{Platform: c.platform}
		if c.platform == "debian-12" {
			opt.Listing = builtIn(t, c.platform)
		}
		var got []string
		_, r := findings(t, site(t, c.text), opt, "")
		for _, f := range r.Findings {
			words := []string{f.Code}
			for _, x := range f.Resources {
				words = append(words, x.Ref())
			}
			if f.Fix != nil {
				if words = append(words, f.Fix.String()); !f.Fix.Verified {
					t.Errorf("%s: a fix is offered that was not verified: %s", c.name, f.Fix)
				}
			}
			got = append(got, strings.Join(words, " "))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s\nunknown: %q", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"), r.Unknown)
		}
		if c.unknown != "" && !strings.Contains(strings.Join(r.Unknown, "\n"), c.unknown) {
			t.Errorf("%s: no %q in %q", c.name, c.unknown, r.Unknown)
		}
	}
}
