package compiler_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/puppet/classifier"
	"bunraku/puppet/compiler"
)

// What a classifier says is a question of the compile: as long as it says the same, in whatever form, a trace holds,
// and not when it says something else of the node.
func TestClassifierIsAsked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "environments", "production")
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("manifests/site.pp", "class a($p = 1) { notify { 'a': message => $p } }\nclass b { }\n")
	open := func(answer string) *compiler.Snapshot {
		t.Helper()
		enc, err := classifier.Open(put("enc.yaml", answer))
		if err != nil {
			t.Fatal(err)
		}
		c, err := compiler.NewWorkspace(dir, compiler.Options{Classifier: enc, Questions: true}).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	node := compiler.Node{Name: "web1"}
	first := open("web1: {classes: {a: {p: 2}}, environment: staging}\nweb2: {classes: [b]}\n")
	r, err := first.Compile(context.Background(), node)
	if err != nil || r.Failure != nil {
		t.Fatal(err, r.Failure)
	}
	if len(r.Warnings) != 1 || r.Warnings[0].Code != "N0110" {
		t.Error("nobody says that the node is in another environment:", r.Warnings)
	}
	said, err := first.Classified(context.Background(), node)
	if err != nil || said == "" {
		t.Fatal(said, err)
	}
	for _, x := range []struct {
		answer string
		holds  bool
	}{
		{"# another comment\nweb1:\n  classes:\n    a: {p: 2}\n", true},
		{"web1: {classes: {a: {p: 3}}}\n", false},
		{"web1: {classes: {a: {p: 2}, b: }}\n", false},
		{"web1: {classes: {a: {p: 2}}, parameters: {x: 1}}\n", false},
		{"web2: {classes: {a: {p: 2}}}\n", false},
	} {
		c := open(x.answer)
		holds, why, err := c.Holds(context.Background(), r.Questions(), node)
		if err != nil || holds != x.holds {
			t.Errorf("%s holds: %v (%v), %v", x.answer, holds, why, err)
		}
		if now, err := c.Classified(context.Background(), node); err != nil || (now == said) != x.holds {
			t.Errorf("%s: the digest is the same: %v, %v", x.answer, now == said, err)
		}
	}
	// A node that the classifier does not know has no catalog, and costs nobody else theirs.
	r, err = first.Compile(context.Background(), compiler.Node{Name: "web3"})
	if err != nil || r.Failure == nil || !strings.Contains(r.Failure.Summary, "Could not find node 'web3'") {
		t.Error(r, err)
	}
	if r, err = first.Compile(context.Background(), compiler.Node{Name: "web3", Unclassified: true}); err != nil ||
		r.Failure != nil {
		t.Error(r.Failure, err)
	}
}

// A checkout is called what the classifier calls the node's environment, also for functions that provide data.
func TestContextEnvironment(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "checkout")
	for name, text := range map[string]string{
		"manifests/site.pp": "notify { \"${environment} ${lookup('k')}\": }\n",
		"hiera.yaml":        "version: 5\nhierarchy: [{name: f, data_hash: m::data}]\n",
		"modules/m/functions/data.pp": "function m::data(Hash $o, Puppet::LookupContext $c) >> Hash {\n" +
			"  { 'k' => $c.environment_name }\n}\n",
		"enc.yaml": "web1: {classes: [], environment: qa}\nweb2: {classes: []}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	enc, err := classifier.Open(filepath.Join(dir, "enc.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := compiler.NewWorkspace(dir, compiler.Options{Classifier: enc}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for name, want := range map[string]string{"web1": "qa qa", "web2": "checkout checkout"} {
		r, err := c.Compile(context.Background(), compiler.Node{Name: name})
		if err != nil || r.Failure != nil {
			t.Fatal(err, r.Failure)
		}
		found := false
		for _, x := range r.Catalog.Resources {
			found = found || x.Ref() == "Notify["+want+"]"
		}
		if !found {
			t.Errorf("%s has not %s", name, want)
		}
	}
}
