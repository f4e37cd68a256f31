package serve_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/serve"
)

// script writes a program for the server to run.
func script(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestClassified: a classifier decides on classes, variables and the environment, anew for every request.
func TestClassified(t *testing.T) {
	answer := filepath.Join(t.TempDir(), "answer")
	say := func(text string) {
		t.Helper()
		if err := os.WriteFile(answer, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := start(t, small, func(o *serve.Options) {
		o.Classifier = script(t, "cat "+answer+"; echo '# '$1\n")
		o.TrustedExternal = script(t, `echo "{\"role\": \"of $1\"}"`)
	})
	unpack(t, r.code, `
-- staging/manifests/site.pp --
notify { "in ${environment} ${site} ${trusted['external']['role']}": }
-- staging/modules/extra/manifests/init.pp --
class extra($x = 0) { notify { "extra ${x}": } }
`)
	c := r.client(r.sign("agent.example"))
	say("environment: staging\nclasses:\n  extra:\n    x: 3\nparameters:\n  site: here\n")
	a := r.catalog(c, "agent.example", "production", nil)
	for _, want := range []string{`"in staging here of agent.example"`, `"extra 3"`, `"environment":"staging"`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("no %s in %d %s", want, a.status, a.body)
		}
	}
	if a := r.get(c, "/puppet/v3/node/agent.example?environment=production"); a.body !=
		`{"name":"agent.example","classes":{"extra":{"x":3}},"parameters":{"site":"here"},"environment":"staging"}` {
		t.Error(a.body)
	}
	// An agent that wants to know first whether it is in the right environment gets nothing to apply.
	a = r.do(c, "POST", "/puppet/v3/catalog/agent.example?environment=production", formType,
		catalogForm("agent.example", "production", nil)+"&check_environment=true", "Accept", accept)
	if !strings.Contains(a.body, `"environment":"staging","resources":[],"edges":[],"classes":[]`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	say("environment: staging\nclasses: []\nparameters:\n  site: there\n")
	if a := r.catalog(c, "agent.example", "staging", nil); !strings.Contains(a.body, `"in staging there `) ||
		strings.Contains(a.body, "extra") {
		t.Errorf("%d %s", a.status, a.body)
	}
	say("environment: nowhere\nclasses: []\n")
	if a := r.catalog(c, "agent.example", "staging", nil); a.status != 404 {
		t.Errorf("%d %s", a.status, a.body)
	}
	say("")
	if a := r.catalog(c, "agent.example", "staging", nil); a.status != 500 ||
		!strings.Contains(a.body, "Failed when searching for node agent.example") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestV4: a service that a rule allows gets catalogs on behalf of nodes.
func TestV4(t *testing.T) {
	file := filepath.Join(t.TempDir(), "auth.conf")
	unpack(t, filepath.Dir(file), `
-- auth.conf --
authorization: { version: 1, rules: [
  { match-request: { path: "^/puppet/v4/catalog/?$", type: regex, method: post }, allow: service.example, sort-order: 500,
    name: v4 },
  { match-request: { path: "^/puppet/v3/catalog/([^/]+)$", type: regex }, allow: "$1", sort-order: 500, name: v3 },
] }
`)
	r := start(t, small, func(o *serve.Options) { o.Auth = file })
	post := func(who, body string) answer {
		t.Helper()
		return r.do(r.client(r.sign(who)), "POST", "/puppet/v4/catalog", "application/json", body)
	}
	const whole = `{"certname":"agent.example","persistence":{"facts":true,"catalog":false},"environment":"production",
		"facts":{"values":{"kernel":"Linux"}},"trusted_facts":{"values":{"certname":"agent.example","authenticated":"remote",
		"extensions":{"pp_role":"asked"}}},"options":{"capture_logs":true}}`
	if a := post("agent.example", whole); a.status != 403 {
		t.Errorf("%d %s", a.status, a.body)
	}
	a := post("service.example", whole)
	var got struct {
		Catalog struct{ Name, Environment string }
		Logs    []any
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || got.Catalog.Name != "agent.example" || got.Logs == nil ||
		!strings.Contains(a.body, "trusted agent.example asked remote") {
		t.Errorf("%v %d %s", err, a.status, a.body)
	}
	// What is known of the node may be left out.
	if a := post("service.example", `{"certname":"agent.example","persistence":{"facts":false,"catalog":false},
		"environment":"production"}`); !strings.Contains(a.body, "trusted agent.example asked remote") {
		t.Errorf("%d %s", a.status, a.body)
	}
	// The environment that a classifier says counts, unless the one that is asked for is preferred.
	enc := filepath.Join(t.TempDir(), "enc")
	if err := os.WriteFile(enc, []byte("#!/bin/sh\necho '{classes: {}, environment: broken}'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	moved := start(t, small, func(o *serve.Options) { o.Auth, o.Classifier = file, enc })
	for prefer, status := range map[string]int{"true": 200, "false": 500} {
		if a := moved.do(moved.client(moved.sign("service.example")), "POST", "/puppet/v4/catalog", "application/json",
			strings.Replace(whole, `"capture_logs":true`, `"prefer_requested_environment":`+prefer, 1)); a.status != status {
			t.Errorf("%s: %d %s", prefer, a.status, a.body)
		}
	}
	for body, status := range map[string]int{`{}`: 400, `[]`: 400, `{"certname":"../x","persistence":{}}`: 400,
		`{"certname":"other.example","persistence":{},"environment":"production","facts":{"values":{}}}`: 400} {
		if a := post("service.example", body); a.status != status {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
}

const staticSite = `
-- production/manifests/site.pp --
file { '/tmp/one': source => 'puppet:///modules/demo/one' }
file { '/tmp/tree': ensure => directory, recurse => true, source => 'puppet:///modules/demo/tree' }
file { '/tmp/second': source => ['puppet:///modules/demo/none', 'puppet:///modules/demo/one'], checksum => 'md5' }
file { '/tmp/away': source => 'puppet://other.example/modules/demo/one' }
file { '/tmp/gone': ensure => absent, source => 'puppet:///modules/demo/one' }
file { '/tmp/text': content => 'text' }
file { '/tmp/odd': source => 'puppet:///modules/demo/ö+ä %41' }
-- production/modules/demo/files/ö+ä %41 --
odd
-- production/modules/demo/files/one --
first
-- production/modules/demo/files/tree/a/b --
b
-- production/modules/demo/manifests/init.pp --
class demo { }
-- versions/v1/modules/demo/files/one --
first
`

func versioned(t testing.TB) func(*serve.Options) {
	return func(o *serve.Options) {
		o.CodeID = script(t, "echo v1:$1\n")
		o.CodeContent = script(t, "test \"$2\" = v1:$1 || exit 1\ncat "+o.Environments[0]+"/versions/v1/$3\n")
	}
}

// TestStatic: with ids of code, catalogs hold the metadata of their files, and files are served by the id.
func TestStatic(t *testing.T) {
	r := start(t, staticSite, versioned(t))
	c := r.client(r.sign("agent.example"))
	a := r.catalog(c, "agent.example", "production", nil)
	var got struct {
		Code_id            string
		Metadata           map[string]map[string]any
		Recursive_metadata map[string]map[string][]map[string]any
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || got.Code_id != "v1:production" {
		t.Fatalf("%v %d %s", err, a.status, a.body)
	}
	if len(got.Metadata) != 4 || got.Metadata["/tmp/odd"]["content_uri"] != "puppet:///modules/demo/files/ö+ä %41" ||
		got.Metadata["/tmp/away"]["content_uri"] != "puppet://other.example/modules/demo/files/one" ||
		got.Metadata["/tmp/one"]["content_uri"] != "puppet:///modules/demo/files/one" ||
		got.Metadata["/tmp/second"]["source"] != "puppet:///modules/demo/one" {
		t.Errorf("%v", got.Metadata)
	}
	if tree := got.Recursive_metadata["/tmp/tree"]["puppet:///modules/demo/tree"]; len(tree) != 3 ||
		tree[2]["content_uri"] != "puppet:///modules/demo/files/tree/a/b" {
		t.Errorf("%v", got.Recursive_metadata)
	}
	if err := os.WriteFile(filepath.Join(r.code, "production/modules/demo/files/one"), []byte("second\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	at := "/puppet/v3/static_file_content/modules/demo/files/one?environment=production&code_id="
	if a := r.get(c, at+"v1:production"); a.body != "first\n" {
		t.Errorf("%d %s", a.status, a.body)
	}
	for path, status := range map[string]int{at: 400, at + "v2:production": 500, at + "v1/x": 400,
		"/puppet/v3/static_file_content/modules/demo/manifests/init.pp?environment=production&code_id=v1:production": 403,
		"/puppet/v3/static_file_content/one?environment=production&code_id=v1:production":                            403} {
		if a := r.get(c, path); a.status != status {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// TestAcceptServeStatic compares a static catalog with puppetserver's.
func TestAcceptServeStatic(t *testing.T) {
	live.Accept(t)
	r := start(t, staticSite, versioned(t))
	c := r.client(r.sign("agent.example"))
	x := startRival(t, r, "")
	ours, theirs := r.catalog(c, "agent.example", "production", nil), x.catalog(c, "agent.example", "production", nil)
	plain := func(body string) string {
		return strings.ReplaceAll(plainCatalog(body), " UTC\"", " +0000\"") // JRuby's way to write a time
	}
	if plain(ours.body) != plain(theirs.body) {
		t.Errorf("ours %s\ntheirs %s", ours.body, theirs.body)
	}
	for _, path := range []string{"modules/demo/files/one", "modules/demo/manifests/init.pp"} {
		path = fmt.Sprintf("/puppet/v3/static_file_content/%s?environment=production&code_id=v1:production", path)
		if a, b := r.get(c, path), x.get(c, path); a.status != b.status || a.status == 200 && a.body != b.body {
			t.Errorf("%s: %d %s, puppetserver %d %s", path, a.status, a.body, b.status, b.body)
		}
	}
}

// TestClassifierSlow: a classifier that takes its time for some nodes keeps no other waiting.
func TestClassifierSlow(t *testing.T) {
	free := filepath.Join(t.TempDir(), "free")
	r := start(t, small, func(o *serve.Options) {
		o.Classifier = script(t, "case $1 in slow*) while test ! -e "+free+
			"; do sleep 0.02; done;; esac\necho 'classes: []'\n")
	})
	c := r.client(r.sign("agent.example"))
	done := make(chan int)
	slow := runtime.GOMAXPROCS(0) + 2
	for i := range slow {
		name := fmt.Sprintf("slow%d.example", i)
		client := r.client(r.sign(name))
		go func() { done <- r.catalog(client, name, "production", nil).status }()
	}
	for range 3 {
		if a := r.catalog(c, "agent.example", "production", nil); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if err := os.WriteFile(free, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range slow {
		if status := <-done; status != 200 {
			t.Error(status)
		}
	}
}
