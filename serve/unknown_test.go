package serve_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bunraku/serve"
)

// tooLarge is a number that Ruby has and we have not.
const tooLarge = "123456789012345678901234567890"

// TestUnknownData: what is not known need not be the answer of a function. Wherever data has it, deep inside of a hash
// or among a classifier's parameters, there is no catalog, and none in which a resource is missing above all.
func TestUnknownData(t *testing.T) {
	enc := filepath.Join(t.TempDir(), "enc")
	external := filepath.Join(t.TempDir(), "external")
	script := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("#!/bin/sh\ncat <<'END'\n"+text+"\nEND\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script(enc, "classes: {}")
	script(external, "{}")
	r := start(t, small, func(o *serve.Options) { o.Classifier, o.TrustedExternal = enc, external })
	unpack(t, r.code, "-- production/hiera.yaml --\nversion: 5\nhierarchy: [{ name: all, path: all.yaml }]\n"+
		"-- production/data/all.yaml --\nwide: { n: "+tooLarge+" }\nlist: [1, "+tooLarge+"]\n")
	c := r.client(r.sign("agent.example"))
	for _, x := range []struct{ code, enc, external string }{
		{`notify { "n=${lookup('wide')['n']}": }`, "classes: {}", "{}"},
		{`if lookup('wide')['n'] > 4 { notify { 'n': } }`, "classes: {}", "{}"},
		{`lookup('list').each |$n| { if $n > 4 { notify { 'n': } } }`, "classes: {}", "{}"},
		{`notify { "n=${p}": }`, "classes: {}\nparameters: { p: " + tooLarge + " }", "{}"},
		{`notify { "n=${p['n']}": }`, "classes: {}\nparameters: { p: { n: " + tooLarge + " } }", "{}"},
		{`notify { "n=${trusted['external']['n']}": }`, "classes: {}", `{ "n": ` + tooLarge + ` }`},
	} {
		unpack(t, r.code, "-- production/manifests/site.pp --\n"+x.code+"\n")
		script(enc, x.enc)
		script(external, x.external)
		time.Sleep(5 * time.Millisecond)
		a := r.catalog(c, "agent.example", "production", nil)
		if a.status != 500 || !strings.Contains(a.body, tooLarge) {
			t.Errorf("%v: %d %s", x, a.status, a.body)
		}
	}
}

// TestV4Body: what puppetserver takes as a request is taken, and nothing else (master_core.clj, CatalogRequestV4). What
// somebody has sent is never passed over in favour of what is known or usual.
func TestV4Body(t *testing.T) {
	file := filepath.Join(t.TempDir(), "auth.conf")
	if err := os.WriteFile(file, []byte(`authorization: { version: 1, rules: [ { match-request: { path: /, type: path }
		allow: "*", sort-order: 500, name: all } ] }`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, small, func(o *serve.Options) { o.Auth = file })
	c := r.client(r.sign("boss.example"))
	agent := r.client(r.sign("agent.example"))
	if a := r.catalog(agent, "agent.example", "production", nil); a.status != 200 { // its facts are known then
		t.Fatal(a)
	}
	ask := func(change map[string]string) answer {
		t.Helper()
		body := map[string]json.RawMessage{"certname": []byte(`"agent.example"`), "environment": []byte(`"production"`),
			"persistence":   []byte(`{ "facts": false, "catalog": false }`),
			"facts":         []byte(`{ "values": { "kernel": "Linux" } }`),
			"trusted_facts": []byte(`{ "values": { "certname": "agent.example", "extensions": {} } }`)}
		for k, v := range change {
			if body[k] = json.RawMessage(v); v == "" {
				delete(body, k)
			}
		}
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return r.do(c, "POST", "/puppet/v4/catalog", "application/json", string(text))
	}
	for _, good := range []map[string]string{{}, {"facts": "", "trusted_facts": ""}, {"job_id": `"7"`},
		{"transaction_uuid": `"7"`}, {"options": `{}`},
		{"options": `{ "capture_logs": true, "log_level": "err", "prefer_requested_environment": false }`}} {
		if a := ask(good); a.status != 200 {
			t.Errorf("%v: %d %s", good, a.status, a.body)
		}
	}
	for _, bad := range []map[string]string{{"facts": "5"}, {"facts": "{}"}, {"facts": `{ "values": [1] }`}, {"facts": "null"},
		{"facts": `{ "values": {}, "more": 1 }`}, {"trusted_facts": "7"}, {"trusted_facts": "{}"}, {"environment": "5"},
		{"environment": ""}, {"environment": `""`}, {"certname": "5"}, {"certname": ""}, {"persistence": "{}"}, {"persistence": ""},
		{"persistence": `{ "facts": "true", "catalog": false }`}, {"persistence": `{ "facts": true }`}, {"options": "7"},
		{"options": `{ "log_level": "loud" }`}, {"options": `{ "capture_logs": "true" }`}, {"options": `{ "more": 1 }`},
		{"transaction_uuid": "5"}, {"job_id": "5"}, {"more": "1"}} {
		if a := ask(bad); a.status != 400 {
			t.Errorf("%v: %d %s", bad, a.status, a.body)
		}
	}
	for _, unknown := range []map[string]string{{"facts": `{ "values": { "n": ` + tooLarge + ` } }`},
		{"trusted_facts": `{ "values": { "extensions": {}, "n": ` + tooLarge + ` } }`}} {
		if a := ask(unknown); a.status != 500 || !strings.Contains(a.body, tooLarge) {
			t.Errorf("%v: %d %s", unknown, a.status, a.body)
		}
	}
}

// TestProgramsBounded: a program that prints without end is ended at once and costs no memory, and what a program has
// started is ended with it.
func TestProgramsBounded(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	mark := filepath.Join(t.TempDir(), "mark")
	set := func(text string) {
		t.Helper()
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := start(t, small, func(o *serve.Options) { o.TrustedExternal = program })
	c := r.client(r.sign("agent.example"))
	set("exec yes")
	began := time.Now()
	a := r.catalog(c, "agent.example", "production", nil)
	if a.status != 500 || !strings.Contains(a.body, "prints more than") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if took := time.Since(began); took > 20*time.Second { // it would be ended after 30
		t.Errorf("after %v", took)
	}
	set("(sleep 3; touch " + mark + ") & echo '{}'")
	if a := r.catalog(c, "agent.example", "production", nil); a.status != 500 {
		t.Errorf("a program that goes on: %d %s", a.status, a.body)
	}
	set("(sleep 3; touch " + mark + ") >/dev/null 2>&1 & echo '{}'")
	if a := r.catalog(c, "agent.example", "production", nil); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	time.Sleep(4 * time.Second)
	if _, err := os.Stat(mark); err == nil {
		t.Error("what it has started goes on")
	}
}

// TestEncodedBody: a body that is packed is refused as what it is.
func TestEncodedBody(t *testing.T) {
	r := start(t, small)
	c := r.client(r.sign("agent.example"))
	a := r.do(c, "POST", "/puppet/v3/catalog/agent.example?environment=production", formType,
		catalogForm("agent.example", "production", nil), "Accept", accept, "Content-Encoding", "gzip")
	if a.status != 415 || !strings.Contains(a.body, "gzip") {
		t.Errorf("%d %s", a.status, a.body)
	}
}
