package compiler_test

import (
	"context"
	"strings"
	"testing"

	"bunraku/puppet/compiler"
	"bunraku/source"
)

// A node statement that gets the name of a class ends every node's compile, also those of nodes that it is not for: a
// trace must know. Two classes have no definition: the main class, which has no name, and settings.
func TestTraceOfNodeNames(t *testing.T) {
	ctx := context.Background()
	const text = "class base { }\nnode 'web' { }\nnode /^db/ { include base }\nnode default { }\n"
	f := inMemory(t, "names", map[string]string{"manifests/site.pp": text}, "db1", "{}", compiler.Options{})
	for name, breaks := range map[string]bool{"": true, "settings": true, "Settings": true, "base": true, "other": false,
		"default": true, "__node_regexp__db": true} {
		changed := strings.Replace(text, "'web'", "'"+name+"'", 1)
		snap, err := f.ws.Snapshot(ctx, source.NewMemory([]string{"/srv/names"},
			map[string]string{"/srv/names/manifests/site.pp": changed}, nil))
		if err != nil {
			t.Fatal(err)
		}
		holds, _, err := snap.Holds(ctx, f.trace, f.node)
		if err != nil {
			t.Fatal(err)
		}
		res, err := snap.Compile(ctx, f.node)
		if err != nil {
			t.Fatal(err)
		}
		if fails := res.Failure != nil; fails != breaks || holds == breaks {
			t.Errorf("node '%s': it fails %v, and the trace holds %v", name, fails, holds)
		}
	}
}
