package main

import (
	"strings"
	"testing"
)

// check --language 7,8 says what stands in the way, with edits that hold.
func TestCheckMigrates(t *testing.T) {
	files := map[string]string{"manifests/site.pp": "notify { 'os': message => \"runs ${::osfamily}\" }\n",
		"facts/web01.example.json": `{"fqdn": "web01.example", "osfamily": "Debian", "os": {"family": "Debian"}, "networking": {"fqdn": "web01.example"}}`}
	code, out, errText := call("check", "--language", "7,8", writeRepo(t, files))
	if code != exitNo ||
		!strings.Contains(out, "web01.example compiles under Puppet 8 to the same catalog after 1 edit") ||
		!strings.Contains(errText, "Unknown variable: '::osfamily'") ||
		!strings.Contains(errText, "write `facts['os']['family']`") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	if code, out, _ := call("check", "--language", "7,8", "--fix", writeRepo(t, files)); code != exitNo ||
		!strings.Contains(out, "+notify { 'os': message => \"runs ${facts['os']['family']}\" }\n") ||
		strings.Contains(out, "compiles under") {
		t.Errorf("exit %d\n%s", code, out)
	}
	files["manifests/site.pp"] = "notify { 'os': message => $facts['os']['family'] }\n"
	if code, out, errText := call("check", "--language", "7,8", writeRepo(t, files)); code != exitFine ||
		!strings.Contains(out, "1 node: 1 the same under Puppet 8") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	if code, _, errText := call("compile", "--language", "7,8", writeRepo(t, files)); code != exitFailed ||
		!strings.Contains(errText, "--language cannot be") {
		t.Errorf("exit %d\n%s", code, errText)
	}
}
