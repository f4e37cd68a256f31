package compiler_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/source"
)

// Real control repos. What is asked is made outside of this repository and stays there, below $BUNRAKU_FETCHED: a
// directory sites/heldout with one for each node, its environment.conf, hiera.yaml, facts.json and node.txt, what
// Puppet 7.23 compiled (expected.json) and what functions answered it that ask the world (impure.json), which are
// replayed. Nothing else is given, and no Ruby but our own runs.

// TestAcceptRealSites counts the nodes that are Puppet's, in all that its catalogs say.
func TestAcceptRealSites(t *testing.T) {
	live.Accept(t)
	dirs, err := filepath.Glob(filepath.Join(live.Fetched(t, "sites"), "heldout", "*", "expected.json"))
	if err != nil || len(dirs) == 0 {
		t.Skip("no nodes of real sites are here")
	}
	equal, all := map[string]int{}, map[string]int{}
	for _, expected := range dirs {
		dir := filepath.Dir(expected)
		repo, _, _ := strings.Cut(filepath.Base(dir), "_")
		all[repo]++
		diffs := realSite(t, dir)
		if len(diffs) == 0 {
			equal[repo]++
			continue
		}
		t.Errorf("%s: %d differences, the first: %s", filepath.Base(dir), len(diffs), diffs[0])
	}
	for repo, n := range all {
		t.Logf("real sites, %s: %d of %d nodes equal (bar: all)", repo, equal[repo], n)
	}
}

// realSite compiles one node and says in what it differs from Puppet's.
func realSite(t *testing.T, dir string) []string {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	opt := compiler.Options{Language: 7, Outside: true, ServerFacts: serverFacts(filepath.Base(dir))}
	if _, err := os.Stat(filepath.Join(dir, "impure.json")); err == nil {
		if opt.Mocks, err = compiler.ReadMocks(live.Mocks(t, filepath.Join(dir, "impure.json"))); err != nil {
			t.Fatal(err)
		}
	}
	c, err := compiler.NewWorkspace(dir, opt).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSpace(read("node.txt"))
	known, err := facts.Parse(source.NewFile("facts.json", read("facts.json")), name)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Compile(context.Background(), compiler.Node{Name: name, Facts: known})
	if err != nil {
		t.Fatal(err)
	}
	if res.Failure != nil {
		return []string{res.Failure.String()}
	}
	want, err := catalog.Read([]byte(read("expected.json")))
	if err != nil {
		t.Fatal(err)
	}
	return catalog.Diff(wired(t, res.Catalog), want)
}
