package main

import (
	"strings"
	"testing"
)

// What a run states for the next one: whether that is another catalog, and whether it ends.
func TestNextCatalog(t *testing.T) {
	const dirs = "file { ['/etc/facter', '/etc/facter/facts.d']: ensure => directory }\n"
	for name, x := range map[string]struct{ site, facts, want string }{
		"text": {dirs + "file { '/etc/facter/facts.d/a.txt': content => \"role=web\\n\" }\n" +
			"if $facts['role'] == 'web' { file { '/srv': ensure => directory } notify { 'on': } }\n", "",
			"File[/etc/facter/facts.d/a.txt] states: File[/srv] comes, Notify[on] comes\n"},
		"nested": {dirs + "file { '/etc/facter/facts.d/a.yaml': content => \"app: {port: 81}\\n\" }\n" +
			"notify { 'port': message => $facts.dig('app', 'port') }\n", "", "Notify[port] changes"},
		"fails": {dirs + "file { '/etc/facter/facts.d/a.json': content => '{\"role\": \"x\"}' }\n" +
			"if $facts['role'] { fail('what now') }\n", "", "error[V207]: the next catalog does not compile"},
		"for ever": {dirs + "$count = Integer($facts['n'].lest || { 0 }) + 1\n" +
			"file { '/etc/facter/facts.d/a.txt': content => \"n=${count}\\n\" }\n", "", "differs again"},
		"settled": {dirs + "file { '/etc/facter/facts.d/a.txt': content => \"role=web\\n\" }\n" +
			"if $facts['role'] == 'web' { notify { 'on': } }\n", `"role": "web", `, ""},
		"nobody asks": {dirs + "file { '/etc/facter/facts.d/a.txt': content => \"role=web\\n\" }\n", "", ""},
		"absent": {"file { '/etc/facter/facts.d/a.txt': ensure => absent, content => 'role=web' }\n" +
			"notice($facts['role'])\n", "", ""},
		"elsewhere": {"file { '/etc/a.txt': content => 'role=web' }\nif $facts['role'] == 'web' { notify { 'on': } }\n",
			"", ""},
		"a program": {dirs + "file { '/etc/facter/facts.d/a.sh': content => 'echo role=web', mode => '0755' }\n" +
			"if $facts['role'] == 'web' { notify { 'on': } }\n", "", ""},
	} {
		repo := writeRepo(t, map[string]string{"manifests/site.pp": x.site,
			"facts/a.json": strings.Replace(strings.Replace(facts12, "NAME", "a", 1), "{", "{"+x.facts, 1)})
		_, out, errText := call("check", repo)
		if text := out + errText; x.want == "" && strings.Contains(text, "V207") || !strings.Contains(text, x.want) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
