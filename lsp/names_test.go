package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var named = map[string]string{
	"environment.conf": "modulepath = modules\n",
	"hiera.yaml":       "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
	"data/common.yaml": "web::port: 8080\n'web::mode': '0644'\nclasses:\n  - web\nbanner: " +
		"\"%{lookup('greeting')}\"\ngreeting: hi\n" +
		"lookup_options:\n  web::port:\n    merge: first\n",
	"facts/a.json": `{"fqdn": "a"}`,
	"manifests/site.pp": `$top = 1
node default {
  include web
  web::vhost { 'one': docroot => '/srv', }
  class { 'web::child': }
  notify { lookup('banner'): }
}
`,
	"modules/web/manifests/init.pp": `# A web server.
class web (
  Integer $port,
  Web::Mode $mode = '0600',
) {
  $root = "/srv/${port}"
  file { $root: mode => $mode, content => template('web/a.erb') }
  file { '/etc/web': content => epp('web/b.epp', { 'port' => $port }) }
  $list = [1, 2].map |$n| { $n + $port + $top }
  notify { web::greet($root): require => File['/etc/web'] }
}
`,
	"modules/web/manifests/child.pp": `class web::child inherits web {
  notify { "child ${root} ${web::port}": }
  Class['web'] -> Notify['x']
  notify { 'x': }
}
`,
	"modules/web/manifests/vhost.pp": "define web::vhost (String $docroot) {\n  file { $docroot: }\n  File['/etc/web'] " +
		"-> File[$docroot]\n}\n",
	"modules/web/functions/greet.pp": "function web::greet(String $who) >> String {\n  \"hello ${who}\"\n}\n",
	"modules/web/types/mode.pp":      "type Web::Mode = Pattern[/\\A0\\d+\\z/]\n",
	"modules/web/templates/a.erb":    "<%# @port %>port <%= @port %> at <%= @root -%> @port <%= scope['web::mode'] %>\n",
	"modules/web/templates/b.epp":    "<%- | Integer $port | -%>\nport <%= $port %>\n",
}

// A nav asks about places that are told by a word of a file.
type nav struct {
	*client
	dir string
}

func (n *nav) uri(file string) string { return "file://" + filepath.Join(n.dir, file) }

// pos is the position of the n-th occurrence (from 1) of a text in a file.
func (n *nav) pos(file, text string, nth int) map[string]any {
	n.t.Helper()
	body, err := os.ReadFile(filepath.Join(n.dir, file))
	if err != nil {
		n.t.Fatal(err)
	}
	at := 0
	for range nth {
		i := strings.Index(string(body)[at:], text)
		if i < 0 {
			n.t.Fatalf("%s has no %q", file, text)
		}
		at += i + 1
	}
	before := string(body)[:at-1]
	return map[string]any{"textDocument": map[string]any{"uri": n.uri(file)}, "position": map[string]any{
		"line": strings.Count(before, "\n"), "character": len(before) - strings.LastIndex(before, "\n") - 1}}
}

// places are locations as file:line:column, sorted.
func (n *nav) places(result any) (out []string) {
	for _, x := range result.([]any) {
		l := x.(map[string]any)
		from, _, _ := strings.Cut(rangeText(l["range"]), "-")
		out = append(out, strings.TrimPrefix(l["uri"].(string), "file://"+n.dir+"/")+":"+from)
	}
	slices.Sort(out)
	return out
}

func navigate(t *testing.T, files map[string]string) *nav {
	dir := tree(t, files)
	n := &nav{dial(t, nil), dir}
	n.start([]string{"utf-8"}, dir)
	return n
}

// TestReferences: all places that mean the same, in code, templates and data, and no others.
func TestReferences(t *testing.T) {
	n := navigate(t, named)
	const m = "modules/web/"
	port := []string{"data/common.yaml:1:1", "data/common.yaml:8:3", m + "manifests/child.pp:2:29",
		m + "manifests/init.pp:3:12", m + "manifests/init.pp:6:19", m + "manifests/init.pp:8:63",
		m + "manifests/init.pp:9:35", m + "templates/a.erb:1:23"}
	for _, x := range []struct {
		file, text string
		nth        int
		want       []string
	}{
		{m + "manifests/init.pp", "port,", 1, port},
		{"data/common.yaml", "web::port", 1, port},
		{m + "templates/a.erb", "@port", 2, port},
		{m + "manifests/init.pp", "root =", 1, []string{m + "manifests/child.pp:2:21", m + "manifests/init.pp:10:24",
			m + "manifests/init.pp:6:4", m + "manifests/init.pp:7:11", m + "templates/a.erb:1:39"}},
		{"manifests/site.pp", "web\n", 1, []string{"data/common.yaml:4:5", "manifests/site.pp:3:11",
			m + "manifests/child.pp:1:27", m + "manifests/child.pp:3:10", m + "manifests/init.pp:2:7"}},
		{m + "manifests/init.pp", "$n|", 1, []string{m + "manifests/init.pp:9:24", m + "manifests/init.pp:9:30"}},
		{"manifests/site.pp", "top", 1, []string{"manifests/site.pp:1:2", m + "manifests/init.pp:9:43"}},
		{"manifests/site.pp", "web::vhost", 1, []string{"manifests/site.pp:4:3", m + "manifests/vhost.pp:1:8"}},
		{"manifests/site.pp", "docroot", 1, []string{"manifests/site.pp:4:23", m + "manifests/vhost.pp:1:28",
			m + "manifests/vhost.pp:2:11", m + "manifests/vhost.pp:3:29"}},
		{m + "manifests/init.pp", "web::greet", 1, []string{m + "functions/greet.pp:1:10", m + "manifests/init.pp:10:12"}},
		{m + "types/mode.pp", "Web::Mode", 1, []string{m + "manifests/init.pp:4:3", m + "types/mode.pp:1:6"}},
		{m + "manifests/init.pp", "/etc/web", 1, []string{m + "manifests/init.pp:10:48", m + "manifests/init.pp:8:11",
			m + "manifests/vhost.pp:3:9"}},
		{"manifests/site.pp", "banner", 1, []string{"data/common.yaml:5:1", "manifests/site.pp:6:20"}},
		{"data/common.yaml", "greeting: hi", 1, []string{"data/common.yaml:5:20", "data/common.yaml:6:1"}},
		{m + "templates/b.epp", "$port", 2, []string{m + "manifests/init.pp:8:53", m + "templates/b.epp:1:16",
			m + "templates/b.epp:2:11"}},
	} {
		ask := n.pos(x.file, x.text, x.nth)
		p := ask["position"].(map[string]any)
		if x.text[0] == '@' || x.text[0] == '$' {
			p["character"] = p["character"].(int) + 1
		}
		ask["context"] = map[string]any{"includeDeclaration": true}
		slices.Sort(x.want)
		if got := n.places(n.ask("textDocument/references", ask)); !slices.Equal(got, x.want) {
			t.Errorf("%s %q:\n got %q\nwant %q", x.file, x.text, got, x.want)
		}
	}
	n.bye()
}

// TestDefinition: from uses to definitions, between parameters and data, and to files that are no Puppet code.
func TestDefinition(t *testing.T) {
	n := navigate(t, named)
	const m = "modules/web/"
	n.wait("a first look", func() bool { return n.logs == nil })
	for _, x := range []struct {
		file, text string
		nth        int
		want       []string
	}{
		{"manifests/site.pp", "web\n", 1, []string{m + "manifests/init.pp:2:7"}},
		{"data/common.yaml", "web::port", 1, []string{m + "manifests/init.pp:3:12"}},
		{m + "manifests/init.pp", "port,", 1, []string{"data/common.yaml:1:1"}},
		{m + "manifests/child.pp", "root", 1, []string{m + "manifests/init.pp:6:4"}},
		{m + "manifests/init.pp", "web::greet", 1, []string{m + "functions/greet.pp:1:10"}},
		{"manifests/site.pp", "banner", 1, []string{"data/common.yaml:5:1"}},
		{m + "manifests/vhost.pp", "/etc/web", 1, []string{m + "manifests/init.pp:8:11"}},
		{m + "manifests/init.pp", "[1,", 1, nil},
	} {
		if got := n.places(n.ask("textDocument/definition", n.pos(x.file, x.text, x.nth))); !slices.Equal(got, x.want) {
			t.Errorf("%s %q: %q, want %q", x.file, x.text, got, x.want)
		}
	}
	// What is typed counts at once: a class that is only in a buffer, and a use of it.
	file := filepath.Join(n.dir, "modules/web/manifests/new.pp")
	n.open(file, "class web::new { }\ninclude web::new\n")
	ask := map[string]any{"textDocument": map[string]any{"uri": "file://" + file},
		"position": map[string]any{"line": 1, "character": 12}}
	if got := n.places(n.ask("textDocument/definition", ask)); !slices.Equal(got, []string{m + "manifests/new.pp:1:7"}) {
		t.Errorf("a buffer: %q", got)
	}
	n.bye()
}

// TestSymbols: outlines, symbols of the workspace, highlights and folding.
func TestSymbols(t *testing.T) {
	n := navigate(t, named)
	doc := func(file string) map[string]any {
		return map[string]any{"textDocument": map[string]any{"uri": n.uri(file)}}
	}
	var show func(list []any, in string) []string
	show = func(list []any, in string) (out []string) {
		for _, x := range list {
			s := x.(map[string]any)
			out = append(out, in+s["name"].(string))
			kids, _ := s["children"].([]any)
			out = append(out, show(kids, in+"  ")...)
		}
		return out
	}
	got := show(n.ask("textDocument/documentSymbol", doc("modules/web/manifests/init.pp")).([]any), "")
	want := []string{"web", "  $port", "  $mode", "  $root", "  file $root", "  file '/etc/web'", "  $list",
		"  notify web::greet($root)"}
	if !slices.Equal(got, want) {
		t.Errorf("outline: %q", got)
	}
	got = show(n.ask("textDocument/documentSymbol", doc("data/common.yaml")).([]any), "")
	if want := []string{"web::port", "web::mode", "classes", "banner", "greeting", "lookup_options"}; !slices.Equal(got,
		want) {
		t.Errorf("keys: %q", got)
	}
	got = nil
	for _, x := range n.ask("workspace/symbol", map[string]any{"query": "vho"}).([]any) {
		got = append(got, x.(map[string]any)["name"].(string))
	}
	if !slices.Equal(got, []string{"web::vhost"}) {
		t.Errorf("symbols: %q", got)
	}
	got = nil
	at := n.pos("modules/web/manifests/init.pp", "mode =", 1)
	for _, x := range n.ask("textDocument/documentHighlight", at).([]any) {
		h := x.(map[string]any)
		got = append(got, fmt.Sprintf("%s %v", rangeText(h["range"]), h["kind"]))
	}
	if want := []string{"4:14-4:18 3", "7:26-7:30 2"}; !slices.Equal(got, want) {
		t.Errorf("highlights: %q", got)
	}
	got = nil
	for _, x := range n.ask("textDocument/foldingRange", doc("manifests/site.pp")).([]any) {
		f := x.(map[string]any)
		got = append(got, fmt.Sprintf("%v-%v", f["startLine"], f["endLine"]))
	}
	if want := []string{"1-5"}; !slices.Equal(got, want) {
		t.Errorf("folding: %q", got)
	}
	n.bye()
}

// TestAskedByData: what Hiera's data and hiera.yaml ask for are references of it: keys, with a path behind them or not,
// and variables. What stands for itself is none. All of them are renamed.
func TestAskedByData(t *testing.T) {
	n := navigate(t, map[string]string{
		"environment.conf": "modulepath = modules\n",
		"facts/a.json":     `{"fqdn": "a"}`,
		"hiera.yaml": "version: 5\nhierarchy:\n  - name: a\n" +
			"    paths: ['%{tier}.yaml', '%{::tier}/%{facts.tier}.yaml', c.yaml]\n",
		"manifests/site.pp": "$tier = 'gold'\ninclude web\n$said = lookup('tree.leaf')\n" +
			"notify { \"${said} ${lookup('all')}\": }\n",
		"modules/web/manifests/init.pp": "class web ($port = 3) {\n}\n",
		"data/c.yaml": "tree:\n  leaf: green\n" +
			"all: \"%{ lookup('tree.leaf') } %{lookup(\\\"tree\\\")} %{literal('tree')} %{tier}\"\n" +
			"never: \"%{web::port} %{scope('::web::port')} %{alias('tree')}\"\n",
	})
	n.rest()
	tree := []string{"data/c.yaml:1:1", "data/c.yaml:3:18", "data/c.yaml:3:43", "data/c.yaml:4:55",
		"manifests/site.pp:3:17"}
	for _, x := range []struct {
		file, text, to string
		want           []string
	}{
		{"manifests/site.pp", "tier", "level",
			[]string{"data/c.yaml:3:73", "hiera.yaml:4:16", "hiera.yaml:4:34", "manifests/site.pp:1:2"}},
		{"modules/web/manifests/init.pp", "port", "gate",
			[]string{"data/c.yaml:4:11", "data/c.yaml:4:33", "modules/web/manifests/init.pp:1:13"}},
		{"data/c.yaml", "tree", "wood", tree},
		{"manifests/site.pp", "tree", "wood", tree},
	} {
		ask := n.pos(x.file, x.text, 1)
		ask["context"] = map[string]any{"includeDeclaration": true}
		if got := n.places(n.ask("textDocument/references", ask)); !slices.Equal(got, x.want) {
			t.Errorf("%s:\n got %q\nwant %q", x.text, got, x.want)
		}
		edit, why := n.renameIn(x.file, x.text, 1, x.to)
		if why != "" {
			t.Errorf("%s: %s", x.text, why)
			continue
		}
		count := 0
		for _, text := range n.written(edit) {
			count += strings.Count(text, x.to)
		}
		if count != len(x.want) {
			t.Errorf("%s: %d places are %s", x.text, count, x.to)
		}
	}
	n.bye()
}

// TestDefinitionOfSource: the source of a file leads to it, also where no node comes.
func TestDefinitionOfSource(t *testing.T) {
	n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"manifests/site.pp": "include web\n", "modules/web/files/a/b.conf": "x\n", "modules/web/files/c": "x\n",
		"modules/web/manifests/init.pp": "class web {\n  file { '/x': source => 'puppet:///modules/web/a/b.conf' }\n" +
			"  if $facts['never'] {\n    file { '/y': source => [\"puppet:///modules/web/no\", 'puppet:///modules/web/c'] }\n" +
			"    file { '/z':\n      source => 'puppet:///modules/web/a', recurse => true }\n" +
			"    file { '/w': source => \"puppet:///modules/${module_name}/c\" }\n  }\n}\n"})
	n.rest()
	for _, x := range []struct {
		word string
		plus int
		want string
	}{{"web/a/b.conf", 2, "modules/web/files/a/b.conf"}, {"puppet:///modules/web/a/b.conf", 3, "modules/web/files/a/b.conf"},
		{"puppet:///modules/web/c", 9, "modules/web/files/c"}, {"web/c", 1, "modules/web/files/c"},
		{"web/a'", 1, "modules/web/files/a"}, {"${module_name}/c", 15, "modules/web/files/c"},
		{"puppet:///modules/$", 2, "modules/web/files/c"}} {
		ask := n.pos("modules/web/manifests/init.pp", x.word, 1)
		p := ask["position"].(map[string]any)
		p["character"] = p["character"].(int) + x.plus
		list := n.ask("textDocument/definition", ask).([]any)
		if len(list) != 1 || list[0].(map[string]any)["uri"] != n.uri(x.want) {
			t.Errorf("%s: %v", x.word, list)
		}
	}
	n.bye()
}

// TestNestedKeys: a plain word in a hash of data is no key of Hiera's, unless code looks up keys that it does not name.
func TestNestedKeys(t *testing.T) {
	const common = "data/common.yaml"
	for site, want := range map[string][]string{
		"notice(lookup('b'))\n":                            {common + ":1:1", "manifests/site.pp:1:16"},
		"lookup('a').each |$k, $v| { notice(lookup($k)) }": {common + ":1:1", common + ":2:5", common + ":3:4"},
	} {
		n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n", "manifests/site.pp": site,
			"hiera.yaml": "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
			common:       "b: 1\na: {b: 2}\nc: b\nlookup_options: {}\n"})
		p := n.pos(common, "b", 1)
		p["context"] = map[string]any{"includeDeclaration": true}
		if got := n.places(n.ask("textDocument/references", p)); !slices.Equal(got, want) {
			t.Errorf("%s: %v", site, got)
		}
		n.bye()
	}
}
