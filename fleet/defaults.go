package fleet

import (
	"sync"

	"bunraku/puppet/environment"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
)

// A treeDefaults is which attributes a tree has defaults of, anywhere in it: Exec { path => … }. A class that is alone
// on an invented node has those that its own code sets. Whoever uses it may set others around it, in a main manifest,
// be it one that no environment names, or in the class that includes it. It may be nil.
type treeDefaults struct {
	env  *environment.Environment
	once sync.Once
	set  map[string]bool // by type and attribute
}

// defaulted reports whether somebody sets a default of an attribute.
func (t *treeDefaults) defaulted(typ, attr string) bool {
	if t == nil || t.env.Dir == "" { // what the site of a module sets is not known
		return false
	}
	t.once.Do(func() {
		t.set = map[string]bool{}
		files, _, err := environment.PuppetFiles(t.env.Files(), t.env.Dir)
		if err != nil {
			return // whoever reads it tells
		}
		for _, path := range files {
			tree, _, err := t.env.Parse(path)
			if err != nil || tree == nil {
				continue
			}
			t.take(tree)
		}
	})
	return t.set[outline.Class(typ)+" "+attr]
}

// take notes the defaults of a file.
func (t *treeDefaults) take(tree *syntax.File) {
	note := func(n syntax.Node) bool {
		if d, is := n.(*syntax.Defaults); is {
			if r, is := d.Type.(*syntax.Ref); is {
				for _, op := range d.Ops {
					t.set[outline.Class(r.Value)+" "+op.Name] = true
				}
			}
		}
		return true
	}
	for _, s := range tree.Body.Stmts {
		syntax.Walk(s, note)
	}
	for _, d := range tree.Defs {
		syntax.Walk(d, note)
	}
}
