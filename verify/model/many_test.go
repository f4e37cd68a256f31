package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bunraku/verify"
	"bunraku/verify/model"
)

// A catalog with hundreds of faults at as many places is judged as a whole: what is left out is said, and one fault
// does not hide another.
func TestManyFaults(t *testing.T) {
	var b strings.Builder
	const faults = 300
	for i := range faults {
		fmt.Fprintf(&b,
			"file { '/srv/%d': ensure => directory }\nexec { '/usr/bin/touch /srv/%d/x': creates => '/srv/%d/x' }\n", i, i, i)
		fmt.Fprintf(&b, "file { '/opt/%d': content => 'x' }\nuser { 'u%d': ensure => present }\n", i, i)
	}
	lines, r := findings(t, site(t, b.String()), model.Options{Platform: "debian-12"}, "V101")
	if len(lines) != 20 || !r.Partial {
		t.Errorf("%d findings, partial %v", len(lines), r.Partial)
	}
	for i, l := range lines {
		if want := fmt.Sprintf("File[/srv/%d] Exec[/usr/bin/touch /srv/%d/x] require => File['/srv/%d'], +", i, i,
			i); l != want {
			t.Errorf("%s, want %s", l, want)
		}
	}
}

// What is not idempotent and has no fix does not hide what else is not.
func TestManyReruns(t *testing.T) {
	var b strings.Builder
	for i := range 3 {
		fmt.Fprintf(&b,
			"exec { '/bin/sh -c \"echo %d >> /etc/x%d\"': }\nexec { '/bin/mkdir /srv/%d': }\nexec { '/usr/local/bin/thing "+
				"%d': }\n", i, i, i, i)
	}
	lines, r := findings(t, site(t, b.String()), model.Options{Platform: "debian-12"}, "V201")
	if len(lines) != 9 || r.Partial || r.Idempotent != verify.No {
		t.Errorf("%d findings, partial %v, idempotent %v\n%s", len(lines), r.Partial, r.Idempotent, strings.Join(lines, "\n"))
	}
	for i := range 3 {
		if want := fmt.Sprintf("Exec[/bin/mkdir /srv/%d] creates => '/srv/%d', +", i, i); !slices.Contains(lines, want) {
			t.Errorf("no %s in\n%s", want, strings.Join(lines, "\n"))
		}
	}
}
