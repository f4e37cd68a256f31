package model_test

import (
	"os"
	"path/filepath"
	"testing"

	"bunraku/catalog"
	"bunraku/compiler"
	"bunraku/verify"
	"bunraku/verify/listing"
	"bunraku/verify/model"
)

// site compiles a manifest.
func site(t *testing.T, text string) *catalog.Graph {
	t.Helper()
	file := filepath.Join(t.TempDir(), "site.pp")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := compiler.Open(file, compiler.Options{Language: 8})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Compile(compiler.Node{Name: "node"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Failure != nil {
		t.Fatal(r.Failure.Summary)
	}
	return catalog.NewGraph(r.Catalog, model.Types{})
}

// small is a folder of package lists.
func small(t *testing.T, files map[string]string) *listing.Set {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := listing.Open("", dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestModels(t *testing.T) {
	set := small(t, map[string]string{
		"golang-go": "/usr/bin/go\n",
		"perl":      "/usr/bin/perl\n",
		"ntp":       "/etc/ntp.conf\n/lib/systemd/system/ntp.service\n",
		"apache2":   "/etc/apache2/apache2.conf\n/etc/apache2/sites-available/default.conf\n",
		"DEPENDS":   "golang-go\tperl\n",
	})
	const yes, no, unknown = verify.Yes, verify.No, verify.Unknown
	for _, x := range []struct {
		name          string
		site          string
		deterministic verify.Verdict
		success       verify.Chance
		idempotent    verify.Verdict
	}{
		// Erratum: §2.2 of the paper describes this one, but its tool has no dependencies and cannot find it.
		{"perl and golang", `package { 'golang-go': ensure => present } package { 'perl': ensure => absent }`, no, verify.Always, yes},
		// Erratum: without automatic relations this is reported.
		{"automatic relations", `file { '/srv/a/b': content => 'x' } file { '/srv/a': ensure => directory }`, yes, verify.Always, yes},
		{"owner", `file { '/srv/a': content => 'x', owner => 'kim' } user { 'kim': ensure => present }`, yes, verify.Always, yes},
		{"missing parent", `file { '/srv/a/b': content => 'x' }`, yes, verify.Never, yes},
		{"service without its package", `service { 'ntp': ensure => running } package { 'ntp': ensure => present }`, no, verify.Sometimes, yes},
		{"service with its package", `service { 'ntp': ensure => running, require => Package['ntp'] } package { 'ntp': ensure => present }`, yes, verify.Always, yes},
		{"conffile is kept", `file { '/etc/ntp.conf': content => 'x' } package { 'ntp': ensure => present }`, yes, verify.Always, yes},
		{"removed package leaves its conffile", `package { 'ntp': ensure => absent } file { '/etc/ntp.conf': content => 'x' }`, yes, verify.Always, yes},
		{"purged package takes its conffile", `package { 'ntp': ensure => purged } file { '/etc/ntp.conf': content => 'x' }`, no, verify.Always, yes},
		{"class order", `class a { package { 'apache2': } } class b { file { '/etc/apache2/x': content => 'x' } } include a, b  Class['a'] -> Class['b']`, yes, verify.Always, yes},
		{"no class order", `class a { package { 'apache2': } } class b { file { '/etc/apache2/x': content => 'x' } } include a, b`, no, verify.Sometimes, yes},
		{"two hosts", `host { 'a': ip => '10.0.0.1' } host { 'b': ip => '10.0.0.2' }`, yes, verify.Always, yes},
		{"host and its file", `host { 'a': ip => '10.0.0.1' } file { '/etc/hosts': content => "10.0.0.1 a\n" }`, yes, verify.Always, yes},
		{"host and another file", `host { 'a': ip => '10.0.0.1' } file { '/etc/hosts': content => "127.0.0.1 localhost\n" }`, no, verify.Always, yes},
		{"purged directory", `file { '/etc/x.d': ensure => directory, recurse => true, purge => true, force => true } file { '/etc/x.d/a': content => 'a' }`, yes, verify.Always, yes},
		{"a link and what is behind it", `file { '/srv/l': ensure => link, target => '/srv/d' } file { '/srv/d': ensure => directory } file { '/srv/l/x': content => 'x', require => File['/srv/d'] }`, yes, verify.Always, yes},
		{"unread exec", `exec { '/opt/vendor/setup': }`, unknown, verify.ChanceUnknown, no},
		{"unread exec with a guard", `exec { '/opt/vendor/setup': creates => '/opt/done' }`, unknown, verify.ChanceUnknown, unknown},
		{"no model", `scheduled_task { 'x': command => 'y' }`, unknown, verify.ChanceUnknown, unknown},
		{"skeleton", `user { 'kim': ensure => present, managehome => true } file { '/home/kim/.bashrc': content => 'x' }`, no, verify.Sometimes, yes},
		{"key of a managed user", `user { 'kim': ensure => present, managehome => true } ssh_authorized_key { 'k': user => 'kim', type => 'ssh-rsa', key => 'AAAA' }`, yes, verify.Always, yes},
		{"mount point", `mount { '/srv/data': ensure => mounted, device => '/dev/sdb', fstype => 'ext4' } file { '/srv/data': ensure => directory }`, no, verify.Sometimes, yes},
		{"file only if it is there", `file { '/srv/a/b': mode => '0600' }`, yes, verify.Always, yes},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, _ := ask(t, site(t, x.site), model.Options{Listing: set, Platform: "debian-12"})
			if got.deterministic != x.deterministic || got.success != x.success || got.idempotent != x.idempotent {
				t.Errorf("deterministic %v, succeeds %v, idempotent %v; want %v, %v, %v; pairs %v",
					got.deterministic, got.success, got.idempotent, x.deterministic, x.success, x.idempotent, got.pairs)
			}
		})
	}
}

// An attribute without a model is reported.
func TestNotes(t *testing.T) {
	m, err := model.Build(site(t, `file { '/etc/x': content => 'x', ctime => 'y', backup => false } package { 'x': } scheduled_task { 'x': command => 'y' }`), model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range m.Notes {
		got = append(got, n.Resource.Ref()+": "+n.Text)
	}
	want := []string{"File[/etc/x]: no model of ctime", "Package[x]: no file list of package x", "Scheduled_task[x]: no model of type scheduled_task"}
	if len(got) != len(want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
	if m.Exact != 0 || m.Approximate != 2 || m.Unmodelled != 1 {
		t.Errorf("%d exact, %d approximate, %d not", m.Exact, m.Approximate, m.Unmodelled)
	}
}
