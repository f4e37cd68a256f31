package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Facts in every shape that people have become files that check finds.
func TestFactsImport(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("facter.json", `{"os": {"family": "Debian"}, "networking": {"fqdn": "a.example"}}`)
	write("facter.yaml", "os:\n  family: RedHat\nfqdn: b.example\n")
	write("find.json", `{"name": "c.example", "values": {"os": {"family": "Debian"}}, "timestamp": "x"}`)
	write("foreman.json", `{"total": 3, "results": {"d.example": {"os": null, "os::family": "Debian", "os::release": null,
		"os::release::major": "12", "processors": null, "processors::count": "4", "is_virtual": "true", "own": "7"}}}`)
	write("hammer.json", `[{"Host": "e.example", "Fact": "os::family", "Value": "Suse", "Origin": "Puppet"}]`)
	write("db/debian-12-x86_64.facts", `{"os": {"family": "Debian"}, "networking": {"fqdn": "foo.example.com"}}`)
	write("db/redhat-9-x86_64.facts", `{"os": {"family": "RedHat"}, "networking": {"fqdn": "foo.example.com"}}`)
	write("spec/onceover.yaml", "classes: [role::web]\nnodes: [mine, Debian-12-64, Solaris-9]\ntest_matrix:\n- "+
		"all_nodes: {classes: all_classes, tests: spec}\n")
	write("spec/factsets/mine.json", `{"name": "x", "values": {"os": {"family": "Debian"}, "fqdn": "x.example"}}`)
	write("site.pp", "notify { \"${facts['os']['family']}\": }\n")
	code, out, errs := call("facts", "import", "facter.json", "facter.yaml", "find.json", "foreman.json", "hammer.json",
		"db",
		"spec/onceover.yaml")
	want := "facts/a.example.json\nfacts/b.example.json\nfacts/c.example.json\nfacts/d.example.json\n" +
		"facts/debian-12-64.json\nfacts/debian-12-x86_64.json\nfacts/e.example.json\nfacts/mine.json\nfacts/redhat-9-x86_64.json\n"
	if code != 0 || out != want {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	if !strings.Contains(errs, "no facts of Solaris-9") || !strings.Contains(errs, "bunraku check --classes role::web") {
		t.Errorf("said %s", errs)
	}
	text, err := os.ReadFile("facts/d.example.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"major": "12"`, `"count": 4`, `"is_virtual": true`, `"own": "7"`,
		`"name": "d.example"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	for node, family := range map[string]string{"a.example": "Debian", "e.example": "Suse", "redhat-9-x86_64": "RedHat"} {
		code, out, errs := call("compile", "site.pp", "--facts", "facts/"+node+".json", "--format", "text")
		if code != 0 || !strings.Contains(out, "Notify["+family+"]") && !strings.Contains(out, family) {
			t.Errorf("%s: exit %d\n%s%s", node, code, out, errs)
		}
	}
	if code, _, errs := call("facts", "import", "site.pp"); code != exitFailed {
		t.Errorf("exit %d\n%s", code, errs)
	}
}

// Facts of one node in two files are no business of whichever comes last: nothing is written, and both are named.
func TestFactsImportTwice(t *testing.T) {
	t.Chdir(writeRepo(t, map[string]string{
		"one.json":   `{"name": "dup", "values": {"os": {"family": "Debian"}}}`,
		"two.json":   `{"name": "dup", "values": {"os": {"family": "RedHat"}}}`,
		"again.json": `{"name": "Dup", "values": {"os": {"family": "Suse"}}}`,
		"same.json":  `{"values": {"os": {"family": "Debian"}}, "name": "dup"}`,
	}))
	for _, other := range []string{"two.json", "again.json"} {
		code, out, errs := call("facts", "import", "--into", "out-"+other, "one.json", other)
		if code != 1 || out != "" || !strings.Contains(errs, "one.json and "+other+" have different facts of one node, ") {
			t.Errorf("exit %d\n%s%s", code, out, errs)
		}
		if files, err := os.ReadDir("out-" + other); err == nil && len(files) > 0 {
			t.Errorf("%s has files", other)
		}
	}
	if code, out, errs := call("facts", "import", "--into", "out", "one.json", "same.json"); code != 0 ||
		out != "out/dup.json\n" {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// What a certificate says can be in a file of facts, or in one of its own; classes can be given as a classifier would.
func TestTrustedAndClasses(t *testing.T) {
	repo := writeRepo(t, map[string]string{
		"environment.conf":           "",
		"facts/a.json":               `{"os": {"family": "Debian", "name": "Debian", "release": {"major": "12"}}, "fqdn": "a.example", "trusted": {"extensions": {"pp_role": "web"}}}`,
		"manifests/site.pp":          "notify { \"role ${trusted['extensions']['pp_role']} of ${trusted['certname']}\": }\n",
		"modules/r/manifests/web.pp": "class r::web { notify { 'web': } }",
		"modules/r/manifests/db.pp":  "class r::db { notify { 'db': } }",
		"all.yaml":                   "extensions:\n  pp_role: db\n",
		"each.yaml":                  "a.example:\n  extensions:\n    pp_role: mail\n",
	})
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "role web of a.example"},
		{[]string{"--trusted", filepath.Join(repo, "all.yaml")}, "role db of a.example"},
		{[]string{"--trusted", filepath.Join(repo, "each.yaml")}, "role mail of a.example"},
		{[]string{"--classes", "r::web,r::db"}, "notify { 'db'"},
	} {
		code, out, errs := call(append([]string{"compile", repo, "--format", "text"}, c.args...)...)
		if code != 0 || !strings.Contains(out, c.want) {
			t.Errorf("%v: exit %d, no %q\n%s%s", c.args, code, c.want, out, errs)
		}
	}
	code, out, errs := call("check", repo, "--classes", "r::web", "--coverage")
	if code != 0 || !strings.Contains(out, "1 of 2 classes") {
		t.Errorf("check: exit %d\n%s%s", code, out, errs)
	}
	if code, _, errs := call("check", repo, "--classes", "r::wbe"); code != exitFailed ||
		!strings.Contains(errs, "r::web") {
		t.Errorf("a class that is not there: exit %d\n%s", code, errs)
	}
	if err := os.RemoveAll(filepath.Join(repo, "facts")); err != nil {
		t.Fatal(err)
	}
	code, out, errs = call("check", repo, "--classes", "r::web")
	if !strings.Contains(out, "r::web on debian-12 (invented)") || strings.Contains(out, "r::db") {
		t.Errorf("invented: exit %d\n%s%s", code, out, errs)
	}
}
