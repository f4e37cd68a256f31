package serve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/explain"
	"bunraku/serve"
	"bunraku/source"
)

// TestGate: a catalog with a problem that the node's last one had not is refused; one that is as bad as it was passes.
func TestGate(t *testing.T) {
	policy, trouble := explain.ParsePolicy(source.NewFile("rules", "secret may reach nothing\n"))
	if len(trouble) > 0 {
		t.Fatal(trouble)
	}
	r := start(t, "", func(o *serve.Options) { o.Gate = &serve.GateOptions{Policy: policy} })
	c := r.client(r.sign("agent.example"))
	facts := map[string]any{"os": map[string]any{"name": "Debian", "family": "Debian",
		"release": map[string]any{"major": "12"}}}
	site := func(text string) answer {
		t.Helper()
		unpack(t, r.code, "-- production/manifests/site.pp --\n"+text+"\n")
		return r.catalog(c, "agent.example", "production", facts)
	}
	const (
		good    = "file { '/srv/a': content => 'a' }"
		refused = "file { 'relative': content => 'a' }"
		ordered = "file { '/srv/d': ensure => directory, recurse => true, purge => true, force => true }\n" +
			"exec { '/bin/sh -c \"rm -rf /srv/d; touch /srv/x\"': }\nfile { '/srv/x': ensure => absent }"
		leaks = "$s = Sensitive('hush')\nfile { '/srv/a': content => $s.unwrap }"
		cycle = "notify { 'a': require => Notify['b'] }\nnotify { 'b': require => Notify['a'] }"
	)
	if a := site(good); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for text, want := range map[string]string{good + "\n" + refused: "relative", good + "\n" + ordered: "(file: ",
		leaks: "breaks the rule 'secret may reach nothing' (file: rules, line: 1)", good + "\n" + cycle: "C0001"} {
		a := site(text)
		if a.status != 500 || !strings.Contains(a.body,
			"the catalog of agent.example has a problem that its last one had not: ") ||
			!strings.Contains(a.body, want) || strings.Contains(a.body, "hush") {
			t.Errorf("%s:\n%d %s", text, a.status, a.body)
		}
		if a := site(text); a.status != 500 { // it does not get used to it
			t.Errorf("%s, again:\n%d %s", text, a.status, a.body)
		}
		if a := site(good); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if text := watched(t, r); !strings.Contains(text, "bunraku_gated_total 8") {
		t.Error(text)
	}
	// What is known is no reason, in another catalog and at another line either.
	if err := os.Remove(filepath.Join(r.opt.State, "gate/agent.example.json")); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{refused, good + "\n\n\n" + refused} {
		if a := site(text); a.status != 200 {
			t.Errorf("%s: %d %s", text, a.status, a.body)
		}
	}
	// One that was mended and comes back is new.
	if a, b := site(good), site(good+"\n"+refused); a.status != 200 || b.status != 500 {
		t.Errorf("%d, then %d %s", a.status, b.status, b.body)
	}
}
