package fleet

import (
	"context"
	"testing"

	"bunraku/puppet/compiler"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Who chooses among invented nodes has facts made for those alone, and they are the ones that all would have.
func TestFactsOfChosen(t *testing.T) {
	files := map[string]string{
		"/t/environment.conf":                   "",
		"/t/manifests/site.pp":                  "node 'a.example.com' {}\nnode 'b.example.com' {}\n",
		"/t/modules/stdlib/manifests/init.pp":   "class stdlib {}\n",
		"/t/modules/stdlib/metadata.json":       `{"name":"puppetlabs-stdlib","version":"9.0.0"}`,
		"/t/modules/role/manifests/init.pp":     "class role {}\n",
		"/t/modules/role/manifests/frontend.pp": "class role::frontend {}\n",
	}
	view := source.NewMemory([]string{"/t"}, files, nil)
	ws := compiler.NewWorkspace("/t", compiler.Options{Language: source.Puppet8})
	c := &Check{Workspace: ws, View: view, Root: "/t",
		Choose: func(all []Node) ([]Node, error) { return all[1:2], nil }}
	if err := c.FindNodes(context.Background()); err != nil {
		t.Fatal(err)
	}
	every := Invent(c.Snapshot.Environment(), c.Invent).Nodes
	if len(every) != 4 || len(c.Plan.Nodes) != len(every) || len(c.Nodes) != 1 {
		t.Fatalf("%d invented, %d planned, %d chosen", len(every), len(c.Plan.Nodes), len(c.Nodes))
	}
	for i, n := range every {
		planned := c.Plan.Nodes[i]
		if made := planned.Facts.Values != nil; made != (i == 1) {
			t.Errorf("%s: made: %v", n.Title(), made)
		}
		if planned.Facts.Name != n.Facts.Name {
			t.Errorf("%s: %q, and once it is made %q", n.Title(), planned.Facts.Name, n.Facts.Name)
		}
		if got := planned.Facts.Loaded(); n.Facts.Values.Len() < 20 || !value.Same(got.Values, n.Facts.Values) {
			t.Errorf("%s: other facts", n.Title())
		}
	}
	if n := c.Nodes[0]; n.Facts != n.Invented.Facts || n.Facts.Values == nil || n.Name != every[1].Name {
		t.Errorf("%s was chosen, and has %v", n.Title(), n.Facts)
	}
}
