package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/report/redact"
	"bunraku/source"
)

// exportSite is a tree with two nodes that export to each other and one that does not care.
func exportSite(t *testing.T, key, title string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	for name, text := range map[string]string{
		"manifests/site.pp": "node 'other' { }\nnode 'db1' {\n  @@notify { " + title + ":\n    message => '" + key +
			"',\n    tag => 'keys',\n  }\n}\n" +
			"node default {\n  Notify <<| tag == 'keys' |>>\n}\n",
		"facts/db1.json":   `{"name": "db1", "values": {}}`,
		"facts/web1.json":  `{"name": "web1", "values": {}}`,
		"facts/other.json": `{"name": "other", "values": {}}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestDiffCrossesNodes changes what one node exports: the node that collects it changes as well, and nobody else.
func TestDiffCrossesNodes(t *testing.T) {
	from, to := exportSite(t, "old", "'k'"), exportSite(t, "new", "'k'")
	code, out, errs := call("diff", to, "--from", from)
	if code != exitNo || !strings.Contains(out, "web1") || strings.Contains(out, "other ") ||
		!strings.Contains(out, "'old'") || !strings.Contains(out, "'new'") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	// What it comes from is a line that only another node reads.
	if !strings.Contains(out, "/manifests/site.pp:4, through what db1 exports\n") {
		t.Errorf("the cause is missing\n%s", out)
	}
	// Who is asked for alone is told what the others export.
	if code, out, errs = call("diff", to, "--from", from, "--nodes", "web*"); code != exitNo ||
		!strings.Contains(out, "1 node: 1 changed") ||
		!strings.Contains(out, "site.pp:4, through what db1 exports\n") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = call("impact", to, "--from", from)
	if code != exitNo || !strings.Contains(out, "what other nodes export: Notify") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs = call("diff", from, "--from", from); code != exitFine {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = call("diff", to, "--from", from, "--exported", "none", "--ignore", "@@*[*]")
	if code != exitFine {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// A node that fails goes on exporting what it did: PuppetDB keeps its last catalog.
func TestDiffExporterFails(t *testing.T) {
	from, to := exportSite(t, "old", "'k'"), exportSite(t, "old", "'k'")
	site := filepath.Join(to, "manifests", "site.pp")
	text, err := os.ReadFile(site)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), "node 'db1' {", "node 'db1' {\n  fail('no')", 1))
	if err := os.WriteFile(site, text, 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := call("diff", to, "--from", from)
	if code != 1 || strings.Contains(out, "Notify[k]") || !strings.Contains(out, "1 newly failing") ||
		!strings.Contains(out, "db1 does not compile any more: others go on collecting what it exported") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	// Mended, it exports again; what it exported before it failed is not known.
	if _, out, errs = call("diff", from, "--from", to); !strings.Contains(out, "+ Notify[k]") {
		t.Errorf("%s%s", out, errs)
	}
}

// TestExportedTwice collects what two nodes export under one title: both are named, with their places.
func TestExportedTwice(t *testing.T) {
	dir := exportSite(t, "x", "'k'")
	site := filepath.Join(dir, "manifests", "site.pp")
	text, err := os.ReadFile(site)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "node 'other' { }", "node 'other' { @@notify { 'k': tag => 'keys' } }", 1)
	if err := os.WriteFile(site, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := call("compile", dir, "--node", "web1")
	for _, want := range []string{"error[E0543]", "site.pp:1:16", "exported by other", "site.pp:3:3", "exported by db1",
		"site.pp:9:"} {
		if code != exitFailed || !strings.Contains(errs, want) {
			t.Fatalf("exit %d, no %q\n%s%s", code, want, out, errs)
		}
	}
	// A node alone is told so.
	if code, out, errs = call("compile", exportSite(t, "x", "'k'"), "--node", "web1", "--exported",
		"some"); code != exitFailed {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// Two nodes that export and collect one title fail, both of them, whoever would come first in production; and a site
// that comes to rest there is not called restless.
func TestExportedTwiceByCollectors(t *testing.T) {
	dir := exportSite(t, "x", "'k'")
	if err := os.WriteFile(filepath.Join(dir, "manifests", "site.pp"),
		[]byte("node 'other' { }\nnode default {\n  @@notify { 'k': }\n  Notify <<| |>>\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := call("check", dir)
	if code != exitFailed || !strings.Contains(errs, "error[E0543]") || !strings.Contains(errs, "exported by web1") ||
		!strings.Contains(errs, "on 2 nodes") || strings.Contains(out+errs, "V907") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// One node of a check is told what all others export, and exporting is no mistake where nobody collects.
func TestCheckOneTold(t *testing.T) {
	dir := exportSite(t, "x", "'k'")
	code, out, errs := call("check", dir, "--node", "web1", "--format", "json")
	if code != exitFine || !strings.Contains(out, `"resources": 5`) || strings.Contains(out, "E05") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if err := os.WriteFile(filepath.Join(dir, "manifests", "site.pp"), []byte("@@notify { 'k': }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", dir}, {"compile", dir, "--node", "web1"}} {
		if code, out, errs := call(args...); code != exitFine || strings.Contains(out+errs, "E0501") {
			t.Errorf("%v: exit %d\n%s%s", args, code, out, errs)
		}
	}
}

// A classifier puts nodes into environments. On a server, nodes of other environments than the one that is named are
// neither checked nor compared, but what they export is known; a checkout is called what the classifier calls it.
func TestClassifiedElsewhere(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []string{"web1", "web2", "st1", "lost"} {
		put("facts/"+n+".json", `{"name": "`+n+`", "values": {}}`)
	}
	put("nodes.yaml", "web1: {environment: production}\nweb2: {classes: {}}\nst1: {environment: staging}\n"+
		"lost: {environment: gone}\n")
	code := func(word string) string {
		return "@@host { $trusted['certname']: ip => '" + word + "' }\nHost <<| |>>\n" +
			"notify { 'code': message => \"" + word + " in ${environment} ${settings::environment} ${lookup('k')}\" }\n"
	}
	for _, tree := range []string{"environments/production", "environments/staging", "old/production", "checkout"} {
		put(tree+"/hiera.yaml", "version: 5\nhierarchy:\n  - name: all\n    paths: ['%{environment}.yaml', common.yaml]\n")
		put(tree+"/data/staging.yaml", "k: of staging\n")
		put(tree+"/data/common.yaml", "k: common\n")
		put(tree+"/manifests/site.pp", code(filepath.Base(tree)))
	}
	put("old/production/manifests/site.pp", code("before"))
	with := func(command, tree string, more ...string) []string {
		return append([]string{command, filepath.Join(dir, tree), "--facts", filepath.Join(dir, "facts"), "--enc",
			filepath.Join(dir, "nodes.yaml")}, more...)
	}
	old := []string{"--from", filepath.Join(dir, "old/production")}
	here := []string{"--node", "web1", "--format", "text"}
	for _, x := range []struct {
		args  []string
		code  int
		wants []string
		not   []string
	}{
		{with("check", "environments/production"), exitFine, []string{"2 nodes on", "note[N0110]: the classifier puts 1 node " +
			"into the environment 'staging' (st1): they are not looked at here", "warning[N0111]: the classifier puts 1 node " +
			"into the environment 'gone' (lost), which is not there", "3 resources of 3 nodes"}, nil},
		{with("check", "environments/production", "--node", "st1"), exitFailed,
			[]string{"no node belongs to this environment: the classifier puts 1 node into the environment 'staging' (st1)"}, nil},
		{with("diff", "environments/production", old...), exitNo, []string{"2 nodes: 2 changed",
			"Left out: the classifier puts 1 node into the environment 'staging' (st1).", "3 resources before, 3 after",
			"Nodes of other environments export what those are on disk, on both sides: 'staging'."}, nil},
		{with("impact", "environments/production", old...), exitNo, []string{"2 of 2 nodes can change",
			"(st1)"}, []string{"Host   3 nodes"}},
		{with("compile", "environments/production", here...), exitFine, []string{
			"production in production production common", "host { 'st1':\n  ip => 'staging'", "host { 'web2':\n  ip => 'production'"},
			[]string{"lost"}},
		{with("compile", "environments/staging", here...), exitFine, []string{"production in production production"}, nil},
		{with("diff", "checkout", old...), exitNo, []string{"4 nodes: 4 changed", "checkout in staging staging of staging",
			"checkout in gone gone common", "checkout in production production common", "checkout in checkout checkout common",
			"4 resources before, 4 after"}, []string{"Left out"}},
		{with("diff", "checkout", append(old, "--store", filepath.Join(dir, "store"))...), exitNo,
			[]string{"4 nodes: 4 changed", "checkout in staging staging of staging", "checkout in production production common"},
			nil},
		{with("check", "checkout"), exitFine, []string{"4 nodes on"}, []string{"N011"}},
	} {
		code, out, errs := call(x.args...)
		if code != x.code {
			t.Errorf("%v: exit %d\n%s%s", x.args, code, out, errs)
		}
		for _, want := range x.wants {
			if !strings.Contains(out+errs, want) {
				t.Errorf("%v does not say %q\n%s%s", x.args, want, out, errs)
			}
		}
		for _, not := range x.not {
			if strings.Contains(out+errs, not) {
				t.Errorf("%v says %q\n%s%s", x.args, not, out, errs)
			}
		}
	}
}

// What --trusted says of certificates counts on both sides of a diff.
func TestDiffTrusted(t *testing.T) {
	site := func(role string) string {
		dir := exportSite(t, "x", "'k'")
		if err := os.WriteFile(filepath.Join(dir, "manifests", "site.pp"),
			[]byte("if $trusted['extensions']['pp_role'] == '"+role+"' {\n  notify { 'role': }\n}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	from, to := site("db"), site("web")
	trusted := filepath.Join(t.TempDir(), "trusted.yaml")
	if err := os.WriteFile(trusted, []byte("web1:\n  extensions: {pp_role: web}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := call("diff", to, "--from", from, "--trusted", trusted)
	if code != exitNo || !strings.Contains(out, "+ Notify[role]") || !strings.Contains(out, "on    web1") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// Finding out what others export compiles the node; nobody compiles it once more, and what was found is what that would
// give.
func TestOpenedCompilesOnce(t *testing.T) {
	dir := exportSite(t, "key", "'k'")
	for _, name := range []string{"other", "web1", "db1"} {
		var out, errs strings.Builder
		a := &app{in: strings.NewReader(""), secrets: &redact.Secrets{}}
		a.out, a.err = redact.NewScreen(&out, a.secrets, false), redact.NewScreen(&errs, a.secrets, false)
		flags := &compileFlags{exported: "fleet", node: name}
		o, err := a.open(t.Context(), flags, dir, compiler.Options{Language: source.Puppet8})
		if err != nil {
			t.Fatal(err)
		}
		if o.done == nil || o.done.Catalog == nil {
			t.Errorf("%s has no catalog", name)
			continue
		}
		again, err := o.Compile(t.Context(), o.node)
		if err != nil {
			t.Fatal(err)
		}
		had, _ := catalog.JSON{}.Append(nil, o.done.Catalog)
		has, _ := catalog.JSON{}.Append(nil, again.Catalog)
		if string(had) != string(has) {
			t.Errorf("%s: %s\nanew: %s", name, had, has)
		}
		if name == "web1" && again.Catalog.Resource("Notify", "k") == nil {
			t.Error("web1 was not told what db1 exports")
		}
	}
}
