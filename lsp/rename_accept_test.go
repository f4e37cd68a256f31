package lsp_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/fleet"
	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// A thing is what a site defines and somebody might want to call otherwise.
type thing struct {
	site, kind, file, name string
	at                     uint32
}

// things are those of a site, by kind: all that its own manifests and data define.
func things(site string, files map[string]string) map[string][]thing {
	out := map[string][]thing{}
	add := func(kind, file, name string, at uint32) {
		out[kind] = append(out[kind], thing{site, kind, file, name, at})
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		text := files[file]
		if ext := filepath.Ext(file); ext == ".yaml" && strings.Contains(file, "data/") && !strings.Contains(file, "spec/") {
			root, err := datafile.ReadYAML(source.NewFile(file, text))
			if err != nil || root == nil {
				continue
			}
			for _, kid := range root.Kids {
				name := strings.Trim(text[kid.Key.Start:kid.Key.End], `'"`)
				if name != "lookup_options" && name != "classes" && regexp.MustCompile(`^[a-z][\w:]*$`).MatchString(name) {
					add("Hiera key", file, name, kid.Key.Start+uint32(strings.Index(text[kid.Key.Start:kid.Key.End], name)))
				}
			}
			continue
		} else if ext != ".pp" || strings.Contains(file, "plans/") || strings.Contains(file, "spec/") {
			continue
		}
		tree, list := syntax.Parse(source.NewFile(file, text), syntax.Options{})
		if list.HasErrors() {
			continue
		}
		for _, n := range outline.Names(tree, func(string) outline.Effect { return 0 }) {
			switch {
			case !n.Defines:
			case n.Kind == outline.ClassName:
				add("class", file, n.Name, n.Span.Start)
			case n.Kind == outline.TypeName && text[n.Span.Start] >= 'a':
				add("define", file, n.Name, n.Span.Start)
			case n.Kind == outline.FunctionName:
				add("function", file, n.Name, n.Span.Start)
			case n.Kind == outline.VariableName && n.Param:
				add("parameter", file, n.Name, n.Span.Start)
			case n.Kind == outline.VariableName || n.Kind == outline.LocalName:
				add("variable", file, n.Name, n.Span.Start)
			}
		}
	}
	return out
}

// TestAcceptRename renames random things of control repos of other people, of each kind about as many, and compiles all
// nodes of the tree before and after: the catalogs are the same up to the name. It goes on until there are 200 renames
// in trees that compile, so that each was compared with a catalog; then come some in trees of which no node compiles.
func TestAcceptRename(t *testing.T) {
	live.Accept(t)
	sites := siteFiles(t)
	open, before := map[string]*nav{}, map[string]map[string]made{}
	compiling, failing := map[string][]thing{}, map[string][]thing{}
	for _, site := range slices.Sorted(maps.Keys(sites)) {
		open[site] = navigate(t, sites[site])
		before[site] = catalogsOf(t, open[site].dir, nil, nil)
		to, compile := failing, 0
		for _, m := range before[site] {
			if m.text != "" {
				to, compile = compiling, compile+1
			}
		}
		t.Logf("%s: %d of %d nodes compile", site, compile, len(before[site]))
		for kind, list := range things(site, sites[site]) {
			to[kind] = append(to[kind], list...)
		}
	}
	for _, part := range []struct {
		things  map[string][]thing
		enough  int
		compare string
	}{{compiling, 200, "the catalogs of all nodes are the same up to the name"},
		{failing, 40, "no node compiles, and all say the same up to the name"}} {
		done, seen, total, given, blind := map[string]int{}, map[string]int{}, 0, 0, 0
		var refused []string
		for _, x := range inTurn(part.things) {
			if given == part.enough {
				break
			}
			total++
			seen[x.kind]++
			why, catalogs := open[x.site].renamed(x, sites[x.site][x.file], before[x.site])
			switch {
			case why != "":
				refused = append(refused, fmt.Sprintf("%s %s %s %s: %s", x.site, x.file, x.kind, x.name, why))
			case catalogs == 0 && part.enough == 200:
				blind++ // all that compile were invented for what is renamed
			default:
				given++
				done[x.kind]++
			}
		}
		t.Logf("%d renamed, by kind %v of %v: %s; %d of %d refused (bar 10 %%), %d left no catalog to compare", given, done,
			seen, part.compare, len(refused), total, blind)
		for _, why := range refused {
			t.Log(why)
		}
		if len(refused)*10 > total || given < part.enough {
			t.Error("the bar is missed")
		}
	}
	for _, n := range open {
		n.bye()
	}
}

// inTurn are things in a random order that takes one of each kind after the other.
func inTurn(by map[string][]thing) (out []thing) {
	r := rand.New(rand.NewPCG(20, 7))
	kinds := slices.Sorted(maps.Keys(by))
	for _, kind := range kinds {
		list := by[kind]
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	for i, more := 0, true; more; i++ {
		more = false
		for _, kind := range kinds {
			if i < len(by[kind]) {
				out, more = append(out, by[kind][i]), true
			}
		}
	}
	return out
}

// renamed renames a thing and compares the catalogs; it says why it is refused, and how many catalogs there were.
func (n *nav) renamed(x thing, text string, before map[string]made) (why string, catalogs int) {
	n.t.Helper()
	start := text[:x.at]
	to := "zz_renamed"
	if i := strings.LastIndex(x.name, "::"); x.kind != "parameter" && x.kind != "variable" && i >= 0 {
		to = x.name[:i+2] + to
	}
	m := n.answer(n.send("textDocument/rename", map[string]any{"textDocument": map[string]any{"uri": n.uri(x.file)},
		"position": map[string]any{"line": strings.Count(start, "\n"), "character": len(start) -
			strings.LastIndex(start, "\n") - 1}, "newName": to}))
	if e, is := m["error"].(map[string]any); is {
		return e["message"].(string), 0
	}
	edit, is := m["result"].(map[string]any)
	if !is {
		return "nothing is known of the file", 0
	}
	dir := tree(n.t, n.written(edit))
	last := x.name[strings.LastIndex(x.name, ":")+1:]
	word := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(last) + `\b`)
	was := map[string]made{}
	for node, m := range before {
		was[word.ReplaceAllString(node, "zz_renamed")] = m
	}
	after := catalogsOf(n.t, dir, was, word)
	compared := 0
	for _, node := range slices.Sorted(maps.Keys(was)) {
		was := was[node]
		is, there := after[node]
		if !there && was.node.Invented != nil {
			continue // systems are invented for words in the code: it was invented for the name
		}
		compared++
		if !there || (was.text == "") != (is.text == "") {
			n.t.Errorf("%s: %s %s: %s compiled: %v, and now: %v", x.site, x.kind, x.name, node, was.text != "", is.text != "")
			return "", catalogs
		}
		if was.text == "" {
			a, b := word.ReplaceAllString(was.says, "zz_renamed"), word.ReplaceAllString(is.says, "zz_renamed")
			if !strings.EqualFold(a, b) {
				n.t.Errorf("%s: %s %s: %s says\n%s\nand now\n%s", x.site, x.kind, x.name, node, a, b)
			}
			continue
		}
		catalogs++
		a, b := alike(n.t, word, was.text), alike(n.t, word, is.text)
		for i := range a {
			if i >= len(b) || a[i] != b[i] {
				n.t.Errorf("%s: %s %s changes %s at\n%s\nthat is now\n%s", x.site, x.kind, x.name, node, a[i],
					b[min(i, len(b)-1)])
				return "", catalogs
			}
		}
	}
	if compared == 0 {
		n.t.Errorf("%s: %s %s: no node is left that could be compared", x.site, x.kind, x.name)
	}
	return "", catalogs
}

// made is what became of a node: its catalog, or "" if it does not compile, and what it says then.
type made struct {
	node fleet.Node
	text string
	says string
}

// catalogsOf are the catalogs of all nodes of a tree, real ones or invented, by their titles. A node that is invented
// for a class is called after it; with `before`, those of the tree before a rename by their new titles, it keeps the
// name and the facts that it had.
func catalogsOf(t *testing.T, dir string, before map[string]made, word *regexp.Regexp) map[string]made {
	t.Helper()
	ws := compiler.NewWorkspace(dir, compiler.Options{Language: source.Puppet8, StandIn: true})
	c := &fleet.Check{Workspace: ws, View: ws.Disk(), Root: dir}
	if err := c.FindNodes(context.Background()); err != nil {
		t.Fatal(err)
	}
	out := map[string]made{}
	for _, node := range c.Nodes {
		title := node.Title()
		if before != nil {
			title = word.ReplaceAllString(title, "zz_renamed")
			if was, there := before[title]; there {
				node.Name, node.Facts = was.node.Name, was.node.Facts
			}
		}
		result, err := c.Snapshot.Compile(context.Background(), node.Node)
		if err != nil {
			t.Fatal(err)
		}
		m := made{node: node}
		if result.Catalog != nil {
			text, err := catalog.JSON{}.Append(nil, result.Catalog)
			if err != nil {
				t.Fatal(err)
			}
			m.text = strings.ReplaceAll(string(text), dir, "/tree")
		}
		if d := result.Failure; d != nil {
			m.says = strings.ReplaceAll(fmt.Sprintf("%s %s", d.Code, d.Summary), dir, "/tree")
		}
		out[title] = m
	}
	return out
}
