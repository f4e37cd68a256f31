package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What was compiled is said as n of m, what was not is listed, and tools get both.
func TestCoverage(t *testing.T) {
	repo := writeRepo(t, map[string]string{
		"environment.conf":  "",
		"hiera.yaml":        "version: 5\nhierarchy:\n  - {name: c, path: common.yaml}\n",
		"data/common.yaml":  "a::x: 1\na::y: 2\n",
		"facts/n.json":      strings.Replace(facts12, "NAME", "n", 1),
		"manifests/site.pp": "include a\n",
		"modules/a/manifests/init.pp": "class a($x = 0, $z = 0) {\n  if $x == 1 {\n    a::d { 't': }\n  } else {\n    " +
			"notify { 'no': }\n  }\n" +
			"  notify { 'm': message => $x ? { 1 => template('a/t.erb'), default => 'd' } }\n}\n",
		"modules/a/manifests/d.pp":    "define a::d { notify { $title: } }\n",
		"modules/a/manifests/e.pp":    "define a::e { notify { $title: } }\n",
		"modules/a/manifests/b.pp":    "class a::b { include a::nosuch }\n",
		"modules/a/templates/t.erb":   "<%= @x %>",
		"modules/a/templates/two.erb": "<%= @x %>",
	})
	code, out, errs := call("check", repo, "--coverage")
	for _, want := range []string{
		"Reached by 1 real node: 1 of 2 classes, 1 of 2 defines, 2 of 4 branches, 1 of 2 templates, 1 of 2 data keys.",
		"Classes that no node reaches (1 of 2):\n  a::b ", "Defines that no node reaches (1 of 2):\n  a::e ",
		"/modules/a/manifests/init.pp:5:5", "/modules/a/templates/two.erb", "  a::y ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not there", want)
		}
	}
	if code != exitFine || !strings.Contains(errs, "warning[U0101]: there is no class a::nosuch") ||
		!strings.Contains(errs, "nothing takes the key a::y") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	_, text, _ := call("check", repo, "--format", "json")
	var answer answerJSON
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	if b := answer.Coverage["branch"]; b == nil || b.Used != 2 || b.Of != 4 || len(b.Missing) != 2 {
		t.Errorf("branches %+v", b)
	}
	file := filepath.Join(t.TempDir(), "c.info")
	call("check", repo, "--coverage="+file)
	lcov, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"modules/a/manifests/init.pp\n", "FNDA:1,a\n", "FNDA:0,a::b\n", "BRF:4\nBRH:2\n",
		"BRDA:5,0,1,0\n", "end_of_record\n"} {
		if !strings.Contains(string(lcov), want) {
			t.Errorf("%q is not in\n%s", want, lcov)
		}
	}
	file = filepath.Join(t.TempDir(), "c.json")
	call("check", repo, "--coverage="+file)
	if text, err := os.ReadFile(file); err != nil || !json.Valid(text) {
		t.Errorf("%s %v", text, err)
	}
}

// What a node came to before its compile failed is not reached: nobody has a catalog of it.
func TestCoverageOfFailures(t *testing.T) {
	for _, c := range []struct{ name, end, facts string }{
		{"a refusal", "fail('x')", ""},
		{"an error", "include c::nosuch", ""},
		{"a fact that nobody has", "notify { [1 + $facts['nope']]: }", ""},
		{"a real node", "fail('x')", strings.Replace(facts12, "NAME", "c.example.com", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{
				"environment.conf":  "",
				"hiera.yaml":        "version: 5\nhierarchy:\n- {name: c, path: common.yaml}\n",
				"data/common.yaml":  "c::key: 5\n",
				"manifests/site.pp": "node 'b.example.com' { notify { 'x': } }\nnode 'c.example.com' { include c }\n",
				"modules/c/manifests/init.pp": "class c {\n  if $facts['os']['name'] == 'Debian' {\n" +
					"    file { '/x': content => template('c/x.erb') }\n    c::d { 'a': }\n    include c::e\n  }\n" +
					"  $z = lookup('c::key')\n  " + c.end + "\n}\n",
				"modules/c/manifests/d.pp": "define c::d { }\n", "modules/c/manifests/e.pp": "class c::e { }\n",
				"modules/c/templates/x.erb": "hello\n",
			}
			if c.facts != "" {
				files["facts/b.json"] = strings.Replace(facts12, "NAME", "b.example.com", 1)
				files["facts/c.json"] = c.facts
			}
			repo, file := writeRepo(t, files), filepath.Join(t.TempDir(), "c.info")
			_, out, errs := call("check", repo, "--coverage="+file)
			holdsWords(t, out+errs, []string{": 0 of 2 classes, 0 of 1 defines, 0 of 1 branches, 0 of 1 templates, " +
				"0 of 1 data keys."}, nil)
			if lcov, err := os.ReadFile(file); err != nil || strings.Contains(string(lcov), "BRH:1") {
				t.Errorf("%s %v", lcov, err)
			}
		})
	}
}

// Classes that lie where the modulepath does not lead are told: Puppet passes a directory that is not there over, and
// everything in the tree looks as if it were looked at.
func TestAstray(t *testing.T) {
	dir := writeRepo(t, map[string]string{"environment.conf": "modulepath = site:modules\n",
		"manifests/site.pp":                         "node default { notify { 'x': } }\n",
		"modules/site/profile/manifests/init.pp":    "class profile { }\n",
		"modules/site/profile/manifests/web.pp":     "class profile::web { }\n",
		"modules/site/profile/spec/manifests/a.pp":  "class a { }\n",
		"modules/known/manifests/init.pp":           "class known { }\n",
		"modules/known/examples/manifests/other.pp": "class other { }\n"})
	_, out, _ := call("check", dir)
	at := filepath.ToSlash(filepath.Join(dir, "modules", "site", "profile"))
	want := "2 classes and defines are in no module of the modulepath, so no node can have them: " + at + ".\n"
	if !strings.Contains(out, want) || !strings.Contains(out, "0 of 1 classes") {
		t.Errorf("%s\nwant %s", out, want)
	}
}
