package model_test

import (
	"slices"
	"testing"

	"bunraku/verify/model"
)

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
	} {
		got, _ := findings(t, site(t, x.text), model.Options{Platform: "debian-12", Listing: builtIn(t, "debian-12")}, x.code)
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q\n%s", x.name, got, x.want, x.text)
		}
	}
}
