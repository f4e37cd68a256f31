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

// usages are ways to name things, by what they are. %s is the name, %S the name as references spell it, %p its last
// part, %o and %O what stands before that. They stand in a manifest, if no file is said.
var usages = map[string][]string{
	"class": {"include %s", "include 'x', %s", "contain '%s'", "require ::%s", "class { '%s': }", "class { '::%s': }",
		"class { ['x', '%s']: }", "Class['%s'] -> Notify['x']", "notify { 'n': require => Class['x', '%s'] }",
		"if defined(Class['%s']) { }", "['%s'].include", "$y ? { 1 => include('%s'), default => 2 }", "realize(Class[%s])",
		"[1].each |$i| { include %s }", "unless $a { contain(%s) }", "include ['x', ['::%s']]", "require '%s', 'x'",
		"if defined('%s') { }", "if defined('x', '::%s') { }", "if tagged('%s') { }", "if tagged('other', %s) { }",
		"Resource['class', '%s'] -> Notify['x']", "Class[['x', '%s']] -> Notify['x']", "Class['%S'] -> Notify['x']",
		"create_resources('class', { '%s' => {} })", "create_resources('class', { '%s' => { 'x' => 1 } }, {})",
		"notify { 'n': require => 'Class[%s]' }", "notify { 'n': before => ['X[y]', 'Class[::%S]'] }",
		"realize('Class[%s]')",
		"File <| tag == '%s' |>", "File <| title == 'a' or (tag == '%s') |> { mode => '1' }",
		"$list = ['x', '%s']\n  include $list", "['x', '%s'].each |$c| {\n    include $c\n  }",
		"include(if $x { '%s' } else { 'y' })", "contain case $x { 1: { '%s' } default: { 'y' } }",
		"$x = getparam(Class['%s'], 'x')", "$x = defined_with_params(Class['%s'])", "$x = call('include', '%s')",
		"$x = inline_epp('<%% include %s %>a')", "$x = inline_template(\"<%% scope.function_include(['%s']) %>\")",
		"erb:a\n<%% if classes.include?('%s') %>b<%% end %>", "erb:<%%= scope.catalog.classes.include? \"%s\" %>",
		"erb:<%% scope.call_function('include', ['%s']) -%>", "erb:<%% scope.function_contain(['%s']) -%>",
		"erb:<%%= scope.catalog.tagged?('%s') %>", "erb:<%%= all_tags.include?('%s') %>",
		"erb:<%%= scope.find_hostclass('::%s') %>", "erb:<%%= scope.findresource('Class[%s]') %>",
		"erb:<%%= scope.findresource('Class', '%s') %>", "epp:<%% include '%s' -%>", "epp:<%%= defined('%s') %>",
		"yaml:other: 1\nclasses:\n  - x\n  - %s", "yaml:classes: [\"%s\"]"},
	"define": {"%s { 't': }", "%s { ['a', 'b']: }", "@%s { 't': }", "@@%s { 't': }", "%S { x => 1 }",
		"%S <| title == 'a' |>", "%S <<| |>>", "%S['t'] -> Notify['x']", "create_resources('%s', {})",
		"create_resources(%s, $h)",
		"ensure_resource('%s', 't', {})", "if defined(%S['t']) { }", "::%s { $t: }",
		"$h.each |$k, $v| { %s { $k: * => $v } }",
		"create_resources('@@%s', $h)", "create_resources('::%s', $h)", "ensure_resources('%S', $h, {})",
		"'%s'.create_resources($h)",
		"if defined('%s') { }", "if defined('%S') { }", "if tagged('%s') { }", "Resource['%s', 't'] -> Notify['x']",
		"Resource['%s']['t'] -> Notify['x']", "Resource[%S, 't'] -> Notify['x']", "realize('%S[t]')", "realize(%S['t'])",
		"notify { 'n': subscribe => ['%S[t]'] }", "$x = defined_with_params(%S['t'])",
		"$x = defined_with_params('%S[t]', {})",
		"$x = getparam(%S['t'], 'x')", "$x = stdlib::str2resource('%S[t]')", "$type = '%s'\n  create_resources($type, $h)",
		"$x = inline_epp(@(END))\n  a\n  <%%= defined('%s') %>\n  | END", "epp:<%%= defined(%S['t']) %>",
		"erb:<%%= scope.find_definition('%s') %>", "erb:<%%= scope.findresource(\"%S[t]\") %>",
		"erb:<%% scope.function_create_resources(['%s', {}]) %>", "erb:<%%= scope.catalog.resource('%S', 't') %>"},
	"alias": {"$x = 1 =~ %S", "$x = assert_type('%S', 1)", "$x = assert_type('Array[%S]', 1)", "$x = assert_type(%S, 1)",
		"$x = Type('%S')", "$x = Type.new('Optional[%S]')", "$x = new(Type, '%S')", "[1].each |%S $i| { }",
		"validate_legacy('%S', 'validate_x', 1)", "validate_legacy(%S, 'validate_x', 1)", "epp:<%%- | %S $a | -%>"},
	"function": {"$x = %s(1)", "notice(%s('a'))", "$x = 'a'.%s", "notify { \"${%s(1)}\": }",
		"$x = [1].map |$y| { %s($y) }",
		"$x = ::%s(1)", "$x = call('%s', 1)", "$x = '%s'.call", "$x = call('call', '%s')", "$x = Deferred('%s', [1])",
		"$x = Deferred.new('%s')", "$x = new(Deferred, '%s')", "if is_function_available('%s') { }",
		"validate_legacy('X', '%s', 1)", "$x = inline_epp('<%%= %s(1) %>')", "epp:<%%= %s(1) %>",
		"$x = inline_template('<%%= scope.call_function(\"%s\", []) %>')", "erb:<%%= scope.call_function('%s', [1]) %>",
		"erb:a\n<%%= scope.call_function(:'%s', [1]) %>", "hiera:version: 5\nhierarchy:\n  - name: a\n    lookup_key: %s",
		"hiera:version: 5\nhierarchy:\n  - name: a\n    data_dig: '%s'",
		"hiera:version: 5\ndefaults:\n  data_hash: \"%s\""},
	"parameter": {"$x = $%s", "notify { \"a ${%s} b\": }", "notify { \"a ${::%s} b\": }", "notify { \"a $%s b\": }",
		"$x = $::%s", "if $%s == 1 { }", "$x = \"${%s['a']}\"", "file { '/x': content => $%s }", "$x = lookup('%s')",
		"$x = getvar('%s')", "$x = getvar('::%s')", "$x = getvar(\"%s.a.0\", 1)", "$x = '%s'.getvar",
		"if defined('$%s') { }",
		"if defined('$::%s') { }", "class { '%o': %p => 1 }", "class { '%o': * => { '%p' => 1 } }",
		"class { '::%o':\n    * => $x + {\n      %p => 1 },\n  }", "class { '%o': * => merge($x, { '%p' => 1 }) }",
		"$h = { '%p' => 1 }\n  class { '%o': * => $h }", "Class['%o'] { %p => 1 }", "Class['%o'] { * => { '%p' => 1 } }",
		"create_resources('class', { '%o' => { '%p' => 1 } })", "$x = Class['%o']['%p']",
		"$x = getparam(Class['%o'], '%p')",
		"$x = defined_with_params(Class['%o'], { '%p' => 1 })", "$x = lookup({ 'name' => '%s' })",
		"$x = lookup('a', { 'default_values_hash' => { '%s' => 1 } })", "$x = lookup(['a', '%s'])",
		"$x = inline_template('a <%%= scope[\\'%s\\'] %>')", "$x = inline_template(\"\\t<%%= scope.lookupvar('::%s') %>\")",
		"$x = inline_template(@(END))\n    a\n    <%%= scope['%s'] %>\n    | END", "$x = inline_epp('<%%= $%s %>')",
		"$x = inline_epp(@(END/))\n    a\n      <%% if $%s { %>b<%% } %>\n    |- END", "$x = hiera('%s')",
		"$x = inline_template(\"${x} <%%= scope['%s'] %> ${x}\")",
		"$t = '<%%= scope[\"%s\"] %>'\n  $x = inline_template($t)",
		"erb:a <%%= scope['%s'] %>", "erb:a\n<%%= scope.lookupvar('::%s') %>", "erb:<%%= scope.lookupvar \"%s\" %>",
		"erb:<%% if scope.exist?('%s') %>a<%% end %>", "erb:<%% if has_variable?(\"%s\") %>a<%% end %>",
		"erb:<%% if scope.include?('%s') %>a<%% end %>", "erb:<%% if scope.bound?('%s') %>a<%% end %>",
		"erb:<%%= scope.to_hash['%s'] %>", "erb:<%%= scope.call_function('getvar', ['%s']) %>",
		"erb:<%%= scope.call_function('lookup', ['%s']) %>", "erb:<%%= scope.function_getvar(['::%s']) %>",
		"conf:a\n<%%= scope['%s'] %>", "epp:<%%- | $a | -%>\nb <%%= $%s %>", "epp:<%%= getvar('%s') %>",
		"epp:<%%= $::%s %>",
		"yaml:other: 1\n%s: 2", "yaml:'%s': 2", "yaml:lookup_options:\n  %s:\n    merge: first", "yaml:a: \"%{%s}\"",
		"yaml:a: \"%{::%s}\"", "yaml:a: \"%{scope('%s')}\"", "yaml:a: \"%{lookup('%s')}\"", "yaml:a: \"%{alias('%s')}\"",
		"yaml:lookup_options:\n  ^%s$:\n    merge: first", "yaml:lookup_options:\n  '^%o::.*':\n    merge: first",
		"hiera:version: 5\nhierarchy:\n  - name: a\n    path: \"%{%s}.yaml\"",
		"hiera:version: 5\nhierarchy:\n  - name: a\n    mapped_paths: [%s, x, \"a/%{x}.yaml\"]"},
	"attribute": {"%o { 't': %p => 1 }", "%o { 't': * => { '%p' => 1 } }", "%o { default: * => { %p => 1 }; 't': }",
		"%o { 't': * => $x + { '%p' => 1 } }", "$h = { '%p' => 1 }\n  %o { 't': * => $h }", "%O { %p => 1 }",
		"%O['t'] { %p => 1 }", "%O['t'] { * => { '%p' => 1 } }", "Resource['%o', 't'] { %p => 1 }",
		"create_resources('%o', { 't' => { '%p' => 1 } })", "create_resources('%o', $h, { '%p' => 1 })",
		"create_resources('@%o', $h, { %p => 1 })", "$d = { '%p' => 1 }\n  create_resources(%o, $h, $d)",
		"create_resources('%o', { 't' => {\n    'x' => 1,\n    '%p' => 1 } })", "ensure_resource('%o', 't', { '%p' => 1 })",
		"ensure_resources('%O', { 't' => { '%p' => 1 } })", "ensure_resources('%o', $h, { '%p' => 1 })",
		"%O <| %p == 3 |>", "%O <<| %p == 3 and title != 'x' |>>", "%O <| title == 'x' or (tag == 'a' and %p != 3) |>",
		"%O <| title == 'x' |> { %p => 1 }", "%O <| |> { * => { '%p' => 1 } }", "$x = %O['t']['%p']",
		"$x = Resource['%o', 't']['%p']", "$x = getparam(%O['t'], '%p')", "$x = %O['t'].getparam('%p')",
		"$x = defined_with_params(%O['t'], { '%p' => 1 })", "$x = defined_with_params('%O[t]', { '%p' => 1 })"},
	"Hiera key": {"$x = lookup('%s')", "$x = lookup(\"%s\", String)", "$x = hiera('%s', 1)", "hiera_include('%s')",
		"$x = lookup('%s').map |$y| { $y }", "notify { \"${lookup('%s')}\": }", "$x = hiera_array('%s')",
		"$x = hiera_hash('%s')",
		"$x = lookup(['a', '%s'])", "$x = lookup({ 'name' => '%s', 'merge' => 'deep' })", "$x = '%s'.lookup",
		"$x = lookup('a', { 'override' => { '%s' => 1 } })",
		"$x = lookup({ name => a, default_values_hash => { '%s' => 1 } })",
		"$x = call('lookup', '%s')", "$x = Deferred('lookup', ['%s'])", "include(lookup('%s'))", "$x = lookup('%s.a.b')",
		"$k = '%s'\n  $x = lookup($k)", "$x = inline_epp('<%%= lookup(\"%s\") %>')", "epp:<%%= lookup('%s') %>",
		"$x = inline_template('<%%= scope.call_function(\"lookup\", [\"%s\"]) %>')",
		"erb:<%%= scope.call_function('lookup', ['%s']) %>", "erb:<%%= scope.call_function('hiera', '%s') %>",
		"erb:<%%= scope.function_hiera(['%s', 1]) %>", "conf:<%%= scope.function_lookup(['%s']) %>",
		"yaml:other: \"a %{lookup('%s')}\"", "yaml:other: 1\n%s: 2", "yaml:other: \"%{hiera('%s')}\"",
		"yaml:other: \"%{alias('%s')}\"",
		"yaml:lookup_options:\n  a: {}\n  %s: { merge: deep }", "yaml:lookup_options:\n  '^%s': { merge: deep }"},
	"EPP parameter": {"$x = epp('%o', { '%p' => 1 })", "$x = epp('%o', { 'x' => 2, %p => 1 })",
		"$h = { '%p' => 1 }\n  $x = epp('%o', $h)", "$x = epp('%o', $h + {\n    '%p' => 1 })",
		"$x = stdlib::deferrable_epp('%o', { '%p' => 1 })", "$x = '%o'.epp({ '%p' => 1 })"},
	"template": {"$x = template('%s')", "$x = template('x', '%s')", "$x = find_template('%s')", "$x = epp('%s')",
		"$x = '%s'.epp", "epp:<%%= epp('%s') %>", "erb:<%%= scope.function_template(['%s']) %>",
		"erb:<%%= scope.call_function('epp', ['%s']) %>"},
	"file": {"$x = file('%s')", "$x = file('x', '%s')", "$x = binary_file('%s')", "$x = find_file(['x', '%s'])",
		"file { '/x': source => 'puppet:///modules/%s' }", "file { '/x': source => ['x', 'puppet:///modules/%s'] }"},
}

// planted is a usage of a thing, and the line on which the thing is named.
func planted(use string, x thing, i int) (file, text string, line int) {
	last := strings.LastIndex(x.name, "::")
	owner, own := x.name, x.name
	if x.kind == "EPP parameter" {
		owner, own, _ = strings.Cut(x.name, " ")
	} else if last >= 0 {
		owner, own = x.name[:last], x.name[last+2:]
	}
	const base = "modules/zz_unreached/"
	where, text, elsewhere := strings.Cut(use, ":")
	switch {
	case elsewhere && where == "yaml":
		file = fmt.Sprintf("%sdata/d%d.yaml", base, i)
	case elsewhere && where == "rb":
		file = fmt.Sprintf("%slib/puppet/functions/f%d.rb", base, i)
	case elsewhere && where == "plan":
		file = fmt.Sprintf("%splans/p%d.yaml", base, i)
	case elsewhere && where == "hiera":
		file = fmt.Sprintf("modules/zz_unreached%d/hiera.yaml", i)
	case elsewhere && (where == "erb" || where == "epp" || where == "conf"):
		file = fmt.Sprintf("%stemplates/t%d.%s", base, i, where)
	default:
		file = fmt.Sprintf("%smanifests/c%d.pp", base, i)
		text = fmt.Sprintf("class zz_unreached::c%d {\n  # not reached\n  ", i) + use + "\n}\n"
	}
	text = strings.ReplaceAll(text, "<%%", "<\x00")
	at := max(strings.LastIndex(text, "%s"), strings.LastIndex(text, "%S"), strings.LastIndex(text, "%p"))
	if at < 0 {
		at = strings.LastIndex(text, "%o")
	}
	line = 1 + strings.Count(text[:at], "\n")
	text = strings.NewReplacer("%s", x.name, "%S", outline.Capitalized(x.name), "%p", own, "%o", owner, "%O",
		outline.Capitalized(owner), "<\x00", "<%").Replace(text)
	return file, strings.TrimSuffix(text, "\n") + "\n", line
}

// grown are things that a site has, with some planted for kinds that it has none of.
func grown(site string, files map[string]string) map[string][]thing {
	all := things(site, files)
	defined := func(kind string, x thing) bool {
		return slices.ContainsFunc(all[kind], func(c thing) bool {
			return c.name == x.name[:max(0, strings.LastIndex(x.name, "::"))]
		})
	}
	for _, x := range all["parameter"] {
		if defined("define", x) {
			x.kind = "attribute"
			all["attribute"] = append(all["attribute"], x)
		}
	}
	// Nobody else reads those of a define or function.
	all["parameter"] = slices.DeleteFunc(all["parameter"], func(x thing) bool { return !defined("class", x) })
	plant := func(kind, file, text, name, word string) {
		files["modules/zz_grown/"+file] = text
		all[kind] = append(all[kind], thing{site, kind,
			"modules/zz_grown/" + file, name, uint32(strings.Index(text, word))})
	}
	for i := range 3 {
		n := string(rune('a' + i))
		plant("alias", "types/"+n+".pp", "type Zz_grown::"+strings.ToUpper(n)+" = Integer\n", "zz_grown::"+n, "Zz")
		plant("function", "functions/"+n+".pp", "function zz_grown::"+n+"($x) {\n  $x\n}\n", "zz_grown::"+n, "zz")
		plant("define", "manifests/d"+n+".pp", "define zz_grown::d"+n+"($size = 1) {\n}\n", "zz_grown::d"+n, "zz")
		plant("attribute", "manifests/d"+n+".pp", files["modules/zz_grown/manifests/d"+n+".pp"], "zz_grown::d"+n+"::size",
			"size")
		plant("EPP parameter", "templates/"+n+".epp", "<%- | $size = 1, $x = 1 | -%>\n", "zz_grown/"+n+".epp size", "size")
		for _, f := range []string{"template", "file"} {
			plant(f, "manifests/"+f+n+".pp", "class zz_grown::"+f+n+" {\n  $x = "+f+"('zz_grown/"+n+".epp')\n}\n",
				"zz_grown/"+n+".epp", "zz_grown/")
		}
	}
	return all
}

// TestAcceptPlantedReferences plants every way to name a thing ten times, with random things of all sites, in classes,
// templates and data that no node reaches: each is a reference of its thing.
func TestAcceptPlantedReferences(t *testing.T) {
	live.Accept(t)
	sites := siteFiles(t)
	r := rand.New(rand.NewPCG(5, 500))
	names := slices.Sorted(maps.Keys(sites))
	const times = 10
	total, found, missed, done := 0, 0, map[string]int{}, map[string]int{}
	for i, site := range names {
		files := maps.Clone(sites[site])
		all := grown(site, files)
		where := map[thing]map[stand]string{}
		for _, kind := range slices.Sorted(maps.Keys(usages)) {
			for _, use := range slices.Concat(usages[kind], flows[kind]) {
				use = strings.TrimPrefix(use, "=")
				for what := kind + use; done[what] < times*(i+1)/len(names) && len(all[kind]) > 0; done[what]++ {
					x := all[kind][r.IntN(len(all[kind]))]
					file, text, line := planted(use, x, total)
					files[file] = text
					if where[x] == nil {
						where[x] = map[stand]string{}
					}
					where[x][stand{file, line}] = kind + ": " + use
					total++
				}
			}
		}
		n := everywhere(t, files)
		for x, list := range where {
			got := n.referencesOf(x, files[x.file])
			for s, use := range list {
				if got[s] {
					found++
				} else if missed[use]++; missed[use] == 1 {
					t.Errorf("%s: %s %s is used in %s:%d, which is no reference:\n%s", site, x.kind, x.name, s.file, s.line,
						files[s.file])
				}
			}
		}
		n.bye()
	}
	t.Logf("of %d uses planted in code that no node reaches, %d are references (bar all)", total, found)
	for what, n := range done {
		if n < times {
			t.Errorf("%s is planted %d times", what, n)
		}
	}
	if total < 500 || found < total {
		t.Errorf("the bar is missed: %v", missed)
	}
}
