package compiler_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What nodes see of Hiera's layers is worked out once for those that are alike (package lookup, view.go). Made-up
// hierarchies are asked by many nodes of one snapshot, one after the other, and by each node in a snapshot of its own:
// the answers are the same, and nodes that are said to see the same of a layer get the same ones.
func TestViewsAsAlone(t *testing.T) {
	t.Parallel()
	answered, shared := 0, 0
	for seed := range 150 {
		g := &viewMaker{rand.New(rand.NewPCG(uint64(seed), 7))}
		files := g.site()
		open := func() *compiler.Snapshot {
			ws := compiler.NewWorkspace("/e", compiler.Options{Language: source.Language(7 + seed%2), Questions: true,
				Key: trace.Key("test")})
			snap, err := ws.Snapshot(context.Background(), source.NewMemory([]string{"/e"}, files, nil))
			if err != nil {
				t.Fatal(err)
			}
			return snap
		}
		together := open()
		seen := map[string]string{} // what is seen of a layer → what it answers
		for range 12 {
			node := compiler.Node{Facts: g.facts()}
			asker := func(s *compiler.Snapshot) *compiler.Asker {
				a, err := s.Asker(context.Background(), node)
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			one, all := asker(open()), asker(together)
			for _, layer := range []string{"::environment", "::default ::environment", "m", "::default m"} {
				answers := ""
				for _, q := range questionsOf(layer) {
					is, want := all.Entry(q), one.Entry(q)
					if (is == nil) != (want == nil) || is != nil && is.Answer != want.Answer {
						t.Fatalf("seed %d, %v: another answer than alone\n%s", seed, q, files["/e/hiera.yaml"])
					}
					if is != nil {
						answered++
					}
					if is != nil && q.Kind != trace.KeyOptions { // which are of several layers
						answers += fmt.Sprintf("%x", is.Answer)
					}
				}
				number := all.Layer(layer, true)
				if number < 0 {
					continue
				}
				key := fmt.Sprint(layer, number)
				if was, known := seen[key]; !known {
					seen[key] = answers
				} else if shared++; was != answers {
					t.Fatalf("seed %d: nodes that see the same of %q get different answers\n%s", seed, layer,
						files["/e/hiera.yaml"])
				}
			}
		}
	}
	t.Logf("%d answers; %d times a node saw what another one had seen", answered, shared)
	if answered < 10_000 || shared < 1_000 {
		t.Error("too little was asked")
	}
}

func questionsOf(layer string) (out []trace.Question) {
	for _, key := range []string{"k0", "k1", "m::k0"} {
		out = append(out, trace.Question{Kind: trace.LayerFirst, Of: layer, Part: key},
			trace.Question{Kind: trace.LayerAll, Of: layer, Part: key},
			trace.Question{Kind: trace.LayerAll, Of: layer, Part: key + "\x00hash"},
			trace.Question{Kind: trace.KeyOptions, Of: key})
	}
	return out
}

// A viewMaker makes up hierarchies, data and facts for them.
type viewMaker struct{ *rand.Rand }

func (g *viewMaker) of(list ...string) string { return list[g.IntN(len(list))] }

// Words in paths, and the facts that they come from.
var viewWords = []string{"a", "b", "c"}

func (g *viewMaker) part() string {
	return g.of("a", "b", "%{facts.x}", "%{facts.x}", "%{facts.os.y}", "%{facts.list.0}", "%{facts.none}",
		"%{trusted.certname}", "%{environment}", "%{::facts.x}")
}

func (g *viewMaker) path() string { return g.part() + g.of("", "/"+g.part()) + ".yaml" }

func (g *viewMaker) hierarchy(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n", name)
	for i := range 1 + g.IntN(4) {
		if g.IntN(30) == 0 {
			i = 0 // a name twice is an error
		}
		fmt.Fprintf(&b, "  - name: %s%d\n", name, i)
		switch g.IntN(7) {
		case 0:
			fmt.Fprintf(&b, "    paths: ['%s', '%s']\n", g.path(), g.path())
		case 1:
			fmt.Fprintf(&b, "    glob: '%s/*.yaml'\n", g.part())
		case 2:
			fmt.Fprintf(&b, "    mapped_paths: [%s, v, '%%{v}.yaml']\n", g.of("facts.list", "facts.x", "facts.os"))
		case 3:
			fmt.Fprintf(&b, "    datadir: 'data/%s'\n    path: '%s'\n", g.part(), g.path())
		case 4:
			fmt.Fprintf(&b, "    path: '%s'\n    options: { of: '%s' }\n", g.path(), g.part())
		default:
			fmt.Fprintf(&b, "    path: '%s'\n", g.path())
		}
	}
	return b.String()
}

func (g *viewMaker) site() map[string]string {
	files := map[string]string{"/e/manifests/site.pp": "", "/e/environment.conf": "",
		"/e/modules/m/manifests/init.pp": "class m {}"}
	for _, dir := range []string{"/e", "/e/modules/m"} {
		if g.IntN(8) == 0 {
			continue // without a hiera.yaml
		}
		text := "version: 5\n" + g.hierarchy("hierarchy")
		if g.IntN(3) == 0 {
			text += g.hierarchy("default_hierarchy")
		}
		files[dir+"/hiera.yaml"] = text
		for range 8 {
			name := g.of(viewWords...) + g.of("", "/"+g.of(viewWords...), "/"+g.of(viewWords...)) + ".yaml"
			key := g.of("k0", "k1", "m::k0")
			files[dir+"/data/"+name] = g.of(fmt.Sprintf("%s: {v: %d}\n", key, g.IntN(9)),
				fmt.Sprintf("%s: {v: '%s'}\nlookup_options: {%s: {merge: hash}}\n", key, g.part(), key),
				fmt.Sprintf("lookup_options: {%s: {merge: '%s'}}\n", key, g.of("deep", "%{facts.x}")), "- no hash\n")
		}
	}
	return files
}

func (g *viewMaker) facts() *facts.Facts {
	pairs := []value.Value{value.String("list"), value.NewArray(value.String(g.of(viewWords...)),
		value.String(g.of(viewWords...)))}
	if g.IntN(5) > 0 {
		pairs = append(pairs, value.String("x"), value.String(g.of(viewWords...)))
	}
	if g.IntN(5) > 0 {
		pairs = append(pairs, value.String("os"), value.NewHash(value.String("y"), value.String(g.of(viewWords...))))
	}
	return &facts.Facts{Name: g.of(viewWords...) + fmt.Sprint(g.IntN(3)), Values: value.NewHash(pairs...)}
}

// TestFunctionNamesOnce: a text may call very many functions that are not there; those that are there are listed once.
func TestFunctionNamesOnce(t *testing.T) {
	ws := compiler.NewWorkspace("/e", compiler.Options{})
	snap, err := ws.Snapshot(context.Background(), source.NewMemory([]string{"/e"}, map[string]string{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(10, func() { snap.FunctionNames() }); n > 0 {
		t.Errorf("they are listed anew each time: %v allocations", n)
	}
}
