package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A fault in a loop or in a define is one finding, with a fix that its other resources can share; the patch mends all
// of them.
func TestVerifyRepeated(t *testing.T) {
	for name, text := range map[string]string{
		"loop": "Integer[1, 9].each |$i| {\n  file { \"/srv/app${i}\": ensure => directory }\n" +
			"  exec { \"/usr/bin/touch /srv/app${i}/done\": creates => \"/srv/app${i}/done\" }\n}\n",
		"define": "define app {\n  file { $title: ensure => directory }\n  exec { \"/usr/bin/touch ${title}/done\":\n    " +
			"creates => \"${title}/done\",\n  }\n}\n" +
			"app { ['/srv/a', '/srv/b', '/srv/c']: }\n",
		"notify": "define app {\n  file { \"/etc/systemd/system/${name}.service\": content => $name, before => " +
			"Service[$name] }\n  service { $name: ensure => running }\n}\napp { ['crm', 'shop']: }\n",
		"parameter": "define app($dir) {\n  file { $dir: ensure => directory }\n  exec { \"/usr/bin/touch ${dir}/done\":\n " +
			"   creates => \"${dir}/done\",\n  }\n}\n" +
			"app { 'a': dir => '/srv/a' }\napp { 'b': dir => '/srv/b' }\n",
		"titles": "$dirs = ['/srv/a', '/srv/b']\nfile { $dirs: ensure => directory }\nexec { '/usr/bin/touch /srv/a/x " +
			"/srv/b/x': creates => '/srv/b/x' }\n",
	} {
		dir := writeRepo(t, map[string]string{"manifests/site.pp": text, "facts/web.json": strings.Replace(facts12, "NAME",
			"web", 1)})
		_, out, _ := call("verify", dir, "--facts", filepath.Join(dir, "facts", "web.json"))
		want := map[string][]string{
			"loop":   {"and 8 more that the same lines declare", "require => File[\"/srv/app${i}\"],   verified", "1 finding."},
			"define": {"and 2 more that the same lines declare", "require => File[$title],   verified", "1 finding."},
			"notify": {"and 1 more that the same lines declare", "notify => Service[$name],   verified", "1 finding."},
			"titles": {"require => File['/srv/a'],   verified", "require => File['/srv/b'],   verified", "2 findings."},
		}[name]
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: no %q in\n%s", name, w, out)
			}
		}
		_, patch, _ := call("check", "--fix", dir)
		applyPatch(t, dir, patch)
		if code, out, err := call("check", dir); code != exitFine ||
			!strings.Contains(out, "Nothing found. Every node is deterministic, idempotent") {
			t.Errorf("%s, after the fix: exit %d\n%s%s\n%s", name, code, out, err, patch)
		}
	}
}

// More faults than a person reads at once are cut off, and that is said.
func TestVerifyPartial(t *testing.T) {
	var site strings.Builder
	for i := range 25 {
		fmt.Fprintf(&site,
			"file { '/srv/%d': ensure => directory }\nexec { '/usr/bin/touch /srv/%d/x': creates => '/srv/%d/x' }\n", i, i, i)
	}
	dir := writeRepo(t, map[string]string{"manifests/site.pp": site.String(), "facts/web.json": strings.Replace(facts12,
		"NAME", "web", 1)})
	for _, x := range []struct{ command, format, want string }{
		{"verify", "text", "20 findings, and there is more than is shown. Not deterministic; idempotent"},
		{"verify", "json", `"partial": true`},
		{"check", "text",
			"20 problems on 1 of 1 node. `--fix` prints the edits as a patch.\nThere is more than is shown on 1 of 1 node: " +
				"mend this first."},
		{"check", "json", `"partial": true`},
	} {
		code, out, errText := call(x.command, dir, "--format", x.format, "--facts", filepath.Join(dir, "facts", "web.json"))
		if code != exitNo || !strings.Contains(out, x.want) {
			t.Errorf("%s --format %s: exit %d, no %q in\n%s%s", x.command, x.format, code, x.want, out, errText)
		}
	}
}

// A cycle whose links are all written somewhere is told beside the code, each link once.
func TestVerifyCycleOnce(t *testing.T) {
	dir := writeRepo(t, map[string]string{"facts/web.json": strings.Replace(facts12, "NAME", "web", 1),
		"manifests/site.pp": "notify { 'a': require => Notify['b'] }\nnotify { 'b': require => Notify['a'] }\n"})
	for _, command := range []string{"verify", "check"} {
		_, out, errText := call(command, dir, "--node", "web")
		for _, link := range []string{"Notify[a] requires Notify[b]", "Notify[b] requires Notify[a]"} {
			if n := strings.Count(out+errText, link); n != 1 {
				t.Errorf("%s: %d times %q in\n%s%s", command, n, link, out, errText)
			}
		}
	}
}
