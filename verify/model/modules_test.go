package model_test

import (
	"slices"
	"testing"

	"bunraku/verify/model"
)

// added adds a source, and modes looks after one that is there.
const added = "file { '/etc/apt/sources.list.d/influxdb.list': content => 'deb http://x y z' } ~> " +
	"exec { '/usr/bin/apt-get update': refreshonly => true }\n"
const modes = "file { '/etc/apt/sources.list': owner => 'root' }\n"

// download runs a program of a package, and then what it has brought.
const download = "exec { 'get': command => '/usr/bin/aws s3 cp s3://x/install .', cwd => '/tmp', creates => '/tmp/install' } ->\n" +
	"exec { '/tmp/install auto': refreshonly => true }\n"

const byCommands = "exec { 'add': command => '/bin/sh -c \"echo deb http://x y z >> /etc/apt/sources.list.d/frob.list\"', " +
	"creates => '/etc/apt/sources.list.d/frob.list' }\n" +
	"exec { 'install': command => '/usr/bin/apt-get update && /usr/bin/apt-get install -y frobnicate', provider => 'shell' }\n"

// Rules that faults of public modules asked for (fsmove_test.go has the modules), each in its smallest form: what is
// found, and what is not once it is mended.
func TestFaultsOfModules(t *testing.T) {
	for _, x := range []struct {
		name, text, code string
		want             []string
	}{
		{"an init script is a unit",
			"file { '/etc/init.d/frob': mode => '0755', content => 'x' } -> service { 'frob': ensure => running }", "V203",
			[]string{"File[/etc/init.d/frob] Service[frob] notify => Service['frob'], +"}},
		{"its service is told",
			"file { '/etc/init.d/frob': mode => '0755', content => 'x' } ~> service { 'frob': ensure => running }", "V203", nil},
		{"an init script of another service",
			"file { '/etc/init.d/grob': mode => '0755', content => 'x' } -> service { 'frob': ensure => running }", "V203", nil},
		{"an init script that a unit hides",
			"file { ['/etc/init.d/frob', '/etc/systemd/system/frob.service']: mode => '0755', content => 'x' }\n" +
				"File['/etc/init.d/frob'] -> service { 'frob': ensure => running }\n" +
				"File['/etc/systemd/system/frob.service'] ~> Service['frob']", "V203", nil},
		{"options with which a service is started that notices its own files",
			"package { 'cron': } -> file { '/etc/default/cron': content => 'x' } -> service { 'cron': ensure => running }", "V203",
			[]string{"File[/etc/default/cron] Service[cron] notify => Service['cron'], +"}},
		{"a file that a package's script makes is edited before it is there",
			"package { 'sysstat': } file_line { 'on': path => '/etc/default/sysstat', line => 'ENABLED=true' }", "V101",
			[]string{"Package[sysstat] File_line[on] require => Package['sysstat'], +"}},
		{"it is there", "package { 'sysstat': } -> file_line { 'on': path => '/etc/default/sysstat', line => 'ENABLED=true' }",
			"V101", nil},
		{"one of several makes it", "package { ['nova-api', 'nova-scheduler']: } ->\n" +
			"file_line { 'on': path => '/etc/default/nova-proxy', line => 'ENABLED=true' }", "V101", nil},
		{"another package may have made it", "package { 'sysstat': } package { 'frobnicate': }\n" +
			"file { '/etc/apt/sources.list.d/x.list': content => 'deb x y z' }\n" +
			"Package['frobnicate'] -> file_line { 'on': path => '/etc/default/sysstat', line => 'ENABLED=true' }", "V101", nil},
		{"a source's owner and mode are looked after, which adds no source", modes +
			"package { 'frobnicate': }\n" + added, "V101",
			[]string{"Package[frobnicate] Exec[/usr/bin/apt-get update] require => Exec['/usr/bin/apt-get update'], +"}},
		{"the archive has an older one", "package { 'influxdb': }\n" + added, "V101",
			[]string{"Package[influxdb] Exec[/usr/bin/apt-get update] require => Exec['/usr/bin/apt-get update'], +"}},
		{"the source comes first", added + "Exec['/usr/bin/apt-get update'] -> package { 'influxdb': }", "V101", nil},
		{"a source of somebody else", "package { 'nginx': }\n" + added, "V101", nil},
		{"a program that is called like a package", "package { 'awscli': }\n" + download, "V101",
			[]string{"Package[awscli] Exec[get] require => Package['awscli'], +"}},
		{"it is waited for", "package { 'awscli': } -> Exec['get']\n" + download, "V101", nil},
		{"another package comes before, and may pull it in", "package { 'awscli': } package { 'groff': } -> Exec['get']\n" +
			download, "V101", nil},
		{"commands add the source, and install", byCommands, "V101", []string{"Exec[add] Exec[install] require => Exec['add'], +"}},
		{"in this order", byCommands + "Exec['add'] -> Exec['install']", "V101", nil},
		{"a package leaves the directories of the base system", "package { 'libpam-ccreds': ensure => absent }\n" +
			"file { '/usr/share/pam-configs/x': content => 'x' }", "V101", nil},
		{"a package overwrites what is no configuration of its own", "package { 'libpam-passwdqc': }\n" +
			"file { '/usr/share/pam-configs/passwdqc': content => 'x' }", "V101",
			[]string{"Package[libpam-passwdqc] File[/usr/share/pam-configs/passwdqc] require => Package['libpam-passwdqc'], +"}},
	} {
		opt := model.Options{Platform: "debian-12", Listing: builtIn(t, "debian-12")}
		got, _ := findings(t, withLines(t, x.text), opt, x.code)
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q\n%s", x.name, got, x.want, x.text)
		}
	}
}
