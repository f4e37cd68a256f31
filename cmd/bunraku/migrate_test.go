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

// Two languages are asked about the nodes that check looks at: with the classes and the trusted data that are given,
// and with invented ones where there are no facts.
func TestCheckMigratesWhatIsChecked(t *testing.T) {
	files := map[string]string{"modules/a/manifests/init.pp": "class a { notify { $trusted['extensions']['role']: } }\n",
		"modules/b/manifests/init.pp": "class b { notify { \"runs ${::osfamily}\": } }\n",
		"facts/web01.example.json":    `{"fqdn": "web01.example", "os": {"family": "Debian"}, "osfamily": "Debian"}`,
		"trusted.yaml":                "web01.example:\n  extensions:\n    role: shop\n"}
	root := writeRepo(t, files)
	code, out, errText := call("check", "--language", "7,8", "--classes", "a", "--trusted", root+"/trusted.yaml", root)
	if code != exitFine || !strings.Contains(out, "1 node: 1 the same under Puppet 8") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	code, out, errText = call("check", "--language", "7,8", "--classes", "b", root)
	if code != exitNo || !strings.Contains(errText, "write `facts['os']['family']`") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	delete(files, "facts/web01.example.json")
	files["modules/c/manifests/init.pp"] = "class c { include absent }\n"
	code, out, errText = call("check", "--language", "7,8", writeRepo(t, files))
	if code != exitNo || !strings.Contains(out, "b on debian-12 (invented) compiles under Puppet 8 to the same catalog after 1 edit") ||
		!strings.Contains(out, "; 1 not compared, for want of something that check names; 1 compared without") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	code, _, errText = call("check", "--language", "7,8", "--format", "json", root)
	if code != exitFailed || !strings.Contains(errText, "--format says nothing beside two languages") {
		t.Errorf("exit %d\n%s", code, errText)
	}
}
