package main

import (
	"strings"
	"testing"
)

// TestRefusedOnAgents: what compiles and yet no agent takes is told at its place, once for all nodes, beside all that
// verify finds.
func TestRefusedOnAgents(t *testing.T) {
	repo := writeRepo(t, map[string]string{
		"manifests/site.pp": `service { 'x': ensure => up }
file { '/a': source => 'puppet:///modules/app/ap.conf' }
file { '/b': source => ['puppet:///modules/app/none', 'puppet:///modules/app/app.conf'] }
file { '/c': source => 'puppet:///modules/app/dir', recurse => true }
file { '/d': ensure => absent, source => 'puppet:///modules/app/none' }
file { '/e': source => 'puppet:///modules/nope/x' }
file { '/f': source => 'puppet:///other/x', mode => '0644' }
exec { 'run': command => Sensitive('foo secret') }
exec { '/bin/mkdir /srv/a': }
`,
		"modules/app/files/app.conf": "x", "modules/app/files/dir/x": "x",
		"facts/a.json": strings.Replace(facts12, "NAME", "a", 1), "facts/b.json": strings.Replace(facts12, "NAME", "b", 1),
	})
	t.Chdir(repo)
	code, out, errText := call("check")
	for _, want := range []string{
		"error[C0003]: Parameter ensure failed on Service[x]: Invalid value \"up\". Valid values are stopped, running.\n   " +
			"manifests/site.pp:1:16\n",
		"error[C0004]: File[/a]: no module has puppet:///modules/app/ap.conf\n   manifests/site.pp:2:14\n",
		"did you mean puppet:///modules/app/app.conf?",
		"File[/d]: no module has puppet:///modules/app/none", // which agents ask for all the same
		"File[/e]: no module has puppet:///modules/nope/x", "; there is no module nope", "on 2 nodes",
		"V201 not idempotent: Exec[/bin/mkdir /srv/a]", "6 problems on 2 of 2 nodes",
	} {
		if !strings.Contains(out+errText, want) {
			t.Errorf("no %q", want)
		}
	}
	if code != exitNo || strings.Contains(out, "Every node is") || strings.Count(errText, "error[C000") != 4 {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	if code, out, _ := call("verify", ".", "--node", "a"); code != exitNo ||
		!strings.Contains(out, "No agent applies this catalog") {
		t.Errorf("exit %d\n%s", code, out)
	}
}
