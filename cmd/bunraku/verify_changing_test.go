package main

import (
	"strings"
	"testing"
)

// A command that a fact guards when the catalog is compiled is not known to run again: the fact may be another one
// then.
func TestVerifyGuardedByFact(t *testing.T) {
	t.Chdir(t.TempDir())
	const grows = "exec { '/bin/sh -c \"echo x >> /srv/x\"': }"
	for _, x := range []struct {
		text string
		args []string
		code int
		want string
	}{
		{grows, nil, exitNo, "V201"},
		{"unless 'x' in $facts['apt_sources'] { " + grows + " }", nil, exitUnknown,
			"only declared because of fact apt_sources"},
		{"unless 'x' in $facts['apt_sources'] { " + grows + " }", nil, exitUnknown, "--assume 'fact apt_sources stays'"},
		{"unless 'x' in $facts['apt_sources'] { " + grows + " }", []string{"--assume", "fact apt_sources stays"}, exitNo,
			"assuming 1 accepted point"},
		{"if $apt_sources == [] { " + grows + " }", nil, exitUnknown, "because of fact apt_sources"},
		{"if $::apt_sources == [] { notice('x') }\n" + grows, nil, exitNo, "V201"},
		{"$have = $facts['apt_sources']\nif $have == [] { " + grows + " }", nil, exitUnknown, "because of fact apt_sources"},
		{"case getvar('facts.apt_sources').empty { true: { " + grows + " } default: { } }", nil, exitUnknown,
			"because of fact apt_sources"},
		{"define d { " + grows + " }\nif $facts['apt_sources'] == [] { d { 'a': } }", nil, exitUnknown,
			"because of fact apt_sources"},
		{"['x'].filter |$s| { !($s in $facts['apt_sources']) }.each |$s| { " + grows + " }", nil, exitUnknown,
			"because of fact apt_sources"},
		// Facter's own facts are what they are, and classes are how nodes get their roles.
		{"if $facts['os']['name'] == 'Debian' { " + grows + " }", nil, exitNo, "V201"},
		{"if $facts['networking']['hostname'] { " + grows + " }", nil, exitNo, "V201"},
		{"class c { " + grows + " }\nif $facts['role'] == 'web' { include c }", nil, exitNo, "V201"},
		{"if $facts['mountpoints']['/data'] =~ Undef { exec { '/bin/systemctl restart cron': } }", nil, exitUnknown,
			"because of fact mountpoints"},
		{"if $facts['apt_sources'] == [] { file { '/srv/a/b': content => 'x' } }", nil, exitNo, "V102"},
	} {
		writeFiles(t, map[string]string{"env/manifests/site.pp": x.text, "facts.json": `{"os":{"name":"Debian",
			"family":"Debian","release":{"major":"12"}},"networking":{"hostname":"a"},"role":"web","apt_sources":[],
			"mountpoints":{"/":{}}}`})
		args := append([]string{"verify", "env", "--facts", "facts.json"}, x.args...)
		if code, out, err := call(args...); code != x.code || !strings.Contains(out+err, x.want) {
			t.Errorf("%s\nexit %d, want %d and %q\n%s%s", x.text, code, x.code, x.want, out, err)
		}
	}
}
