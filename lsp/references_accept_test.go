package lsp_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/fleet"
	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/outline"
	"bunraku/source"
)

// siteFiles are the example and the control repos of other people that are at hand, by name.
func siteFiles(t *testing.T) map[string]map[string]string {
	t.Helper()
	sites := map[string]map[string]string{"shop": filesOf(t, "../examples/shop")}
	dirs, _ := filepath.Glob(filepath.Join(os.Getenv("BUNRAKU_FETCHED"), "site_*"))
	if len(dirs) < 3 || os.Getenv("BUNRAKU_FETCHED") == "" {
		t.Skip("there are no sites in $BUNRAKU_FETCHED")
	}
	for _, dir := range dirs {
		sites[filepath.Base(dir)] = filesOf(t, dir)
		maps.DeleteFunc(sites[filepath.Base(dir)], func(p, _ string) bool { return strings.HasPrefix(p, ".git/") })
	}
	return sites
}

// A stand is a line of a file.
type stand struct {
	file string
	line int
}

// referencesOf are the lines that the server gives for a thing.
func (n *nav) referencesOf(x thing, text string) map[stand]bool {
	n.t.Helper()
	start := text[:x.at]
	list := n.ask("textDocument/references", map[string]any{"textDocument": map[string]any{"uri": n.uri(x.file)},
		"position": map[string]any{"line": strings.Count(start, "\n"), "character": len(start) -
			strings.LastIndex(start, "\n") - 1}, "context": map[string]any{"includeDeclaration": true}}).([]any)
	out := map[stand]bool{}
	for _, l := range list {
		at := l.(map[string]any)
		r := at["range"].(map[string]any)
		file, err := url.PathUnescape(strings.TrimPrefix(at["uri"].(string), "file://"+n.dir+"/"))
		if err != nil {
			n.t.Fatal(err)
		}
		from, to := r["start"].(map[string]any)["line"].(float64), r["end"].(map[string]any)["line"].(float64)
		for line := int(from); line <= int(to); line++ {
			out[stand{file, line + 1}] = true
		}
	}
	return out
}

// TestAcceptReferences compiles all nodes of the sites and asks what provenance knows: where each class was asked for,
// each define declared, and which leaf of the data each parameter could have had. All those places are references.
func TestAcceptReferences(t *testing.T) {
	live.Accept(t)
	sites := siteFiles(t)
	asked, found, computed := 0, 0, 0
	for _, site := range slices.Sorted(maps.Keys(sites)) {
		n := everywhere(t, sites[site])
		named := map[string]thing{} // by kind and name
		for _, list := range things(site, sites[site]) {
			for _, x := range list {
				named[x.kind+" "+x.name] = x
			}
		}
		answers := map[thing]map[stand]bool{}
		expect := func(kind, name string, p source.Place) {
			x, ours := named[kind+" "+name]
			if !ours || !p.Known() {
				return
			}
			file := strings.TrimPrefix(p.File.Name, n.dir+"/")
			if sites[site][file] != p.File.Text {
				return // nothing of the tree
			}
			if answers[x] == nil {
				answers[x] = n.referencesOf(x, sites[site][x.file])
			}
			asked++
			text := strings.ToLower(p.File.Slice(p.Span))
			last := p.File.LineOf(max(p.Span.Start, p.Span.End-1))
			for line := p.File.LineOf(p.Span.Start); line <= last; line++ {
				if answers[x][stand{file, line}] {
					found++
					if kind != "parameter" && !strings.Contains(text, name[strings.LastIndex(name, ":")+1:]) {
						computed++
					}
					return
				}
			}
			t.Errorf("%s: %s %s is asked for in %s:%d, which is no reference: %.80q", site, kind, name, file,
				p.File.LineOf(p.Span.Start), text)
		}
		ws := compiler.NewWorkspace(n.dir, compiler.Options{Language: source.Puppet8, StandIn: true, Trace: true})
		c := &fleet.Check{Workspace: ws, View: ws.Disk(), Root: n.dir}
		if err := c.FindNodes(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, node := range c.Nodes {
			result, err := c.Snapshot.Compile(context.Background(), node.Node)
			if err != nil {
				t.Fatal(err)
			}
			if result.Catalog == nil {
				continue
			}
			rec := result.Record()
			for _, r := range result.Catalog.Resources {
				if r.Type != "Class" {
					expect("define", outline.Class(r.Type), r.Place)
					continue
				}
				class := outline.Class(r.Title)
				expect("class", class, r.Place)
				expect("class", class, rec.Asked(r))
				for _, p := range rec.Again(r) {
					expect("class", class, p)
				}
				for _, p := range r.Params {
					if rec.Data == nil {
						break
					}
					if h := rec.Data.Levels(class + "::" + p.Name); h != nil {
						for _, l := range h.Levels {
							if l.Found {
								expect("parameter", class+"::"+p.Name, keyOf(l.Place, class+"::"+p.Name))
							}
						}
					}
				}
			}
		}
		n.bye()
	}
	t.Logf("of %d places that provenance knows over all nodes, %d are references (bar all); %d of them name the thing by a "+
		"word that is computed", asked, found, computed)
	if asked < 400 || found < asked {
		t.Error("the bar is missed")
	}
}

// keyOf is the place of the key whose value stands at a place.
func keyOf(p source.Place, key string) source.Place {
	if !p.Known() {
		return p
	}
	i := strings.LastIndex(p.File.Text[:min(int(p.Span.Start)+len(key)+2, len(p.File.Text))], key)
	if i < 0 {
		return p
	}
	p.Span = source.Span{Start: uint32(i), End: uint32(i + len(key))}
	return p
}

// everywhere is a session whose answers are about all nodes, once they have been looked at.
func everywhere(t *testing.T, files map[string]string) *nav {
	t.Helper()
	n := &nav{dial(t, nil), tree(t, files)}
	n.quick = true
	n.ask("initialize", map[string]any{"processId": nil, "rootUri": "file://" + n.dir,
		"initializationOptions": map[string]any{"nodes": []string{"*"}},
		"capabilities":          map[string]any{"general": map[string]any{"positionEncodings": []string{"utf-8"}}}})
	n.notify("initialized", map[string]any{})
	n.rest()
	return n
}

// usages are ways to name things in code; %s is the name, %S the name as references spell it.
var usages = map[string][]string{
	"class": {"include %s", "include 'x', %s", "contain '%s'", "require ::%s", "class { '%s': }", "class { '::%s': }",
		"class { ['x', '%s']: }", "Class['%s'] -> Notify['x']", "notify { 'n': require => Class['x', '%s'] }",
		"if defined(Class['%s']) { }", "['%s'].include", "$y ? { 1 => include('%s'), default => 2 }", "realize(Class[%s])",
		"[1].each |$i| { include %s }", "unless $a { contain(%s) }"},
	"define": {"%s { 't': }", "%s { ['a', 'b']: }", "@%s { 't': }", "@@%s { 't': }", "%S { x => 1 }",
		"%S <| title == 'a' |>", "%S <<| |>>", "%S['t'] -> Notify['x']", "create_resources('%s', {})", "create_resources(%s, $h)",
		"ensure_resource('%s', 't', {})", "if defined(%S['t']) { }", "::%s { $t: }", "$h.each |$k, $v| { %s { $k: * => $v } }"},
	"function": {"$x = %s(1)", "notice(%s('a'))", "$x = 'a'.%s", "notify { \"${%s(1)}\": }", "$x = [1].map |$y| { %s($y) }",
		"$x = ::%s(1)"},
	"parameter": {"$x = $%s", "notify { \"a ${%s} b\": }", "notify { \"a ${::%s} b\": }", "notify { \"a $%s b\": }",
		"$x = $::%s", "if $%s == 1 { }", "$x = \"${%s['a']}\"", "file { '/x': content => $%s }", "$x = lookup('%s')"},
	"Hiera key": {"$x = lookup('%s')", "$x = lookup(\"%s\", String)", "$x = hiera('%s', 1)", "hiera_include('%s')",
		"$x = lookup('%s').map |$y| { $y }", "notify { \"${lookup('%s')}\": }"},
}

// TestAcceptPlantedReferences plants 500 uses of random things in classes, templates and data that no node reaches:
// each is a reference of its thing.
func TestAcceptPlantedReferences(t *testing.T) {
	live.Accept(t)
	sites := siteFiles(t)
	r := rand.New(rand.NewPCG(5, 500))
	names := slices.Sorted(maps.Keys(sites))
	planted, found := 0, 0
	for i, site := range names {
		files := maps.Clone(sites[site])
		all := things(site, files)
		where := map[thing][]stand{}
		base := "modules/zz_unreached/"
		for j := 0; planted < 500*(i+1)/len(names); j++ {
			kinds := slices.DeleteFunc(slices.Sorted(maps.Keys(usages)), func(k string) bool { return len(all[k]) == 0 })
			kind := kinds[r.IntN(len(kinds))]
			x := all[kind][r.IntN(len(all[kind]))]
			if kind == "parameter" && !slices.ContainsFunc(all["class"], func(c thing) bool {
				return c.name == x.name[:max(0, strings.LastIndex(x.name, "::"))]
			}) {
				continue // nobody else reads those of a define or function
			}
			use := usages[kind][r.IntN(len(usages[kind]))]
			use = strings.ReplaceAll(strings.ReplaceAll(use, "%s", x.name), "%S", outline.Capitalized(x.name))
			file, text, line := "", "", 1
			switch k := r.IntN(8); {
			case kind == "parameter" && k == 0:
				file, text = fmt.Sprintf("%stemplates/t%d.erb", base, j), "a <%= scope['"+x.name+"'] %>\n"
			case kind == "parameter" && k == 1:
				file, text = fmt.Sprintf("%stemplates/t%d.erb", base, j), "a\n<%= scope.lookupvar('::"+x.name+"') %>\n"
				line = 2
			case kind == "parameter" && k == 2:
				file, text = fmt.Sprintf("%stemplates/t%d.epp", base, j), "<%- | $a | -%>\nb <%= $"+x.name+" %>\n"
				line = 2
			case (kind == "parameter" || kind == "Hiera key") && k == 3:
				file, text = fmt.Sprintf("%sdata/d%d.yaml", base, j), "other: 1\n"+x.name+": 2\n"
				line = 2
			case kind == "Hiera key" && k == 4:
				file, text = fmt.Sprintf("%sdata/d%d.yaml", base, j), "other: \"a %{lookup('"+x.name+"')}\"\n"
			default:
				file = fmt.Sprintf("%smanifests/c%d.pp", base, j)
				text, line = fmt.Sprintf("class zz_unreached::c%d {\n  # not reached\n  %s\n}\n", j, use), 3
			}
			files[file] = text
			where[x] = append(where[x], stand{file, line})
			planted++
		}
		n := everywhere(t, files)
		for x, list := range where {
			got := n.referencesOf(x, files[x.file])
			for _, s := range list {
				if got[s] {
					found++
				} else {
					t.Errorf("%s: %s %s is used in %s, which is no reference:\n%s", site, x.kind, x.name, s.file, files[s.file])
				}
			}
		}
		n.bye()
	}
	t.Logf("of %d uses planted in code that no node reaches, %d are references (bar all)", planted, found)
	if planted < 500 || found < planted {
		t.Error("the bar is missed")
	}
}
