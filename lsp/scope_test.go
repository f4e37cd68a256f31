package lsp_test

import (
	"slices"
	"strings"
	"testing"
)

// scoped is a site whose variables have one name in several scopes. What they come to is what Puppet says.
var scoped = map[string]string{
	"environment.conf": "modulepath = modules\n",
	"facts/n1.json":    `{"fqdn": "n1", "port": "FACT"}`,
	"manifests/site.pp": "if $fqdn == '' { notice($late) }\n$late = 'S'\n$x = 1\n$low = 'top'\n" + // 4
		"node default {\n  $y = $low\n  $x = 2\n  notify { \"n ${x} ${::x}\": }\n  $low = 'node'\n  include m\n}\n" + // 11
		"node other {\n  $x = 3\n  notify { \"o ${x} ${low}\": }\n}\n",
	"modules/m/manifests/init.pp": "class m ($port = 1) {\n  $a = $::port\n  $b = \"${::port}\"\n  $c = \"$::port\"\n" + // 4
		"  $d = getvar('::port')\n  $e = $low\n  $low = 5\n  notify { \"m ${x} ${::x} ${low}\": }\n" + // 8
		"  $g = m::f()\n  notify { 'e': message => template('m/t.erb') }\n  include m::b\n  $v = template('m/u.erb')\n  $late = 6\n  if $port == 2 { notice($lone) }\n}\n",
	"modules/m/templates/u.erb": "<%= @late %> <%= @low %>\n",
	"modules/m/manifests/b.pp":  "class m::b {\n  $lone = 7\n}\n",
	"modules/m/functions/f.pp":  "function m::f() { $x }\n",
	"modules/m/templates/t.erb": "<%= @port %> <%= scope[\"::port\"] %> <%= scope.lookupvar(\"::port\") %> <%= @x %>\n",
}

// TestScopes: of variables with one name the value of the right one is shown, and none where it is not certain.
func TestScopes(t *testing.T) {
	n := navigate(t, scoped)
	const site, init, erb = "manifests/site.pp", "modules/m/manifests/init.pp", "modules/m/templates/t.erb"
	n.ready(site, "x = 1", "```text")
	for _, x := range []struct {
		file, text string
		at         string // the word that is asked at, the last such of the text
		want       string // "" for no value
	}{
		{init, "$a = $::port", "port", "'FACT'"},
		{init, "${::port}", "port", "'FACT'"},
		{init, "\"$::port", "port", "'FACT'"},
		{init, "getvar('::port", "port", "'FACT'"},
		{init, "($port", "port", "1"},
		{erb, "@port", "port", "1"},
		{erb, "scope[\"::port", "port", "'FACT'"},
		{erb, "lookupvar(\"::port", "port", "'FACT'"},
		{erb, "@x", "x", "2"},
		{site, "$x = 1", "x", "1"},
		{site, "$x = 2", "x", "2"},
		{site, "$x = 3", "x", ""},
		{site, "n ${x", "x", "2"},
		{site, "n ${x} ${::x", "x", "1"},
		{site, "o ${x", "x", ""},
		{site, "$y = $low", "low", "'top'"},
		{site, "notice($late", "late", ""},
		{init, "m ${x", "x", "2"},
		{init, "m ${x} ${::x", "x", "1"},
		{init, "$e = $low", "low", "'node'"},
		{init, "${low", "low", "5"},
		{init, "notice($lone", "lone", ""},
		{"modules/m/functions/f.pp", "{ $x", "x", "1"},
		{"modules/m/templates/u.erb", "@low", "low", "5"},
		{"modules/m/templates/u.erb", "@late", "late", "'S'"}, // it is rendered before the class sets it
	} {
		at := strings.Index(scoped[x.file], x.text) + strings.LastIndex(x.text, x.at)
		text := scoped[x.file][at:]
		said := n.hover(x.file, text, 1)
		got := ""
		if _, rest, is := strings.Cut(said, "```text\n"); is {
			got, _, _ = strings.Cut(rest, "\n")
		}
		if got != x.want {
			t.Errorf("%s %s: %q of %s", x.file, x.text, got, said)
		}
	}
	n.bye()
}

// TestScopeReferences: the variables of a node block are its own; a class may see those of the top scope or of a node.
func TestScopeReferences(t *testing.T) {
	n := navigate(t, scoped)
	const site, init = "manifests/site.pp", "modules/m/manifests/init.pp"
	const open, fn, erb = init + ":8:17", "modules/m/functions/f.pp:1:20", "modules/m/templates/t.erb:1:75"
	for _, x := range []struct {
		file, text string
		want       []string
	}{
		{site, "x = 1", []string{site + ":3:2", site + ":8:24", open, init + ":8:24", fn, erb}},
		{site, "x = 2", []string{site + ":7:4", site + ":8:17", open, erb}},
		{site, "x = 3", []string{site + ":13:4", site + ":14:17", open, erb}},
		// What reads a variable before its own scope has one, reads another's.
		{init, "low = 5", []string{init + ":7:4", init + ":8:29", "modules/m/templates/u.erb:1:19"}},
		{site, "low = 'top'", []string{site + ":4:2", site + ":6:9", site + ":14:22", init + ":6:9"}},
		{site, "low = 'node'", []string{site + ":9:4", init + ":6:9"}},
	} {
		p := n.pos(x.file, x.text, 1)
		p["context"] = map[string]any{"includeDeclaration": true}
		got := n.places(n.ask("textDocument/references", p))
		slices.Sort(x.want)
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: %v\nwant %v", x.text, got, x.want)
		}
	}
	for text, want := range map[string][]string{
		"port\n":         nil,
		"port')":         nil,
		"x} ${::x} ${lo": {site + ":13:4", site + ":3:2", site + ":7:4"},
		"x} ${low":       {site + ":3:2"},
		"low\n":          {site + ":4:2", site + ":9:4"},
	} {
		got := n.places(n.ask("textDocument/definition", n.pos(init, text, 1)))
		if !slices.Equal(got, want) {
			t.Errorf("definition of %q: %v", text, got)
		}
	}
	if got := n.places(n.ask("textDocument/definition", n.pos("modules/m/templates/t.erb", "port\"]", 1))); len(got) > 0 {
		t.Errorf("a template's: %v", got)
	}
	n.bye()
}

// TestScopeRename: what one word of a class may read is renamed together; a variable that only its node block reads is
// renamed alone.
func TestScopeRename(t *testing.T) {
	n := navigate(t, map[string]string{
		"environment.conf": "modulepath = modules\n",
		"facts/n1.json":    `{"fqdn": "n1"}`,
		"manifests/site.pp": "$x = 1\n$y = 1\nnode n1 {\n  $x = 2\n  $y = 2\n  notify { \"n ${x} ${y} ${::y}\": }\n" +
			"  include m\n}\nnode other {\n  $x = 3\n  $y = 3\n}\n",
		"modules/m/manifests/init.pp": "class m {\n  notify { \"m ${x}\": }\n}\n",
	})
	edit, why := n.renameIn("modules/m/manifests/init.pp", "x}", 1, "z")
	if why != "" {
		t.Fatal(why)
	}
	files := n.written(edit)
	if got, want := files["manifests/site.pp"], "$z = 1\n$y = 1\nnode n1 {\n  $z = 2\n  $y = 2\n"+
		"  notify { \"n ${z} ${y} ${::y}\": }\n  include m\n}\nnode other {\n  $z = 3\n  $y = 3\n}\n"; got != want {
		t.Errorf("it became\n%s", got)
	}
	if edit, why = n.renameIn("manifests/site.pp", "y = 2", 1, "own"); why != "" {
		t.Fatal(why)
	}
	if got, want := n.written(edit)["manifests/site.pp"], "$x = 1\n$y = 1\nnode n1 {\n  $x = 2\n  $own = 2\n"+
		"  notify { \"n ${x} ${own} ${::y}\": }\n  include m\n}\nnode other {\n  $x = 3\n  $y = 3\n}\n"; got != want {
		t.Errorf("it became\n%s", got)
	}
	n.bye()
}

// TestEarlyRename: a variable that code reads before its class sets it is another one, and is not renamed with that of
// the class, also where no node comes by.
func TestEarlyRename(t *testing.T) {
	const p, c = "modules/m/manifests/p.pp", "modules/m/manifests/c.pp"
	n := navigate(t, map[string]string{
		"environment.conf": "modulepath = modules\n", "facts/n1.json": `{"fqdn": "n1"}`, "manifests/site.pp": "$low = 1\n",
		p: "class m::p {\n  $own = 1\n}\n",
		c: "class m::c inherits m::p {\n  $a = $low\n  $b = $own\n  $low = $low + 1\n  $own = 2\n" +
			"  notify { \"${low} ${own}\": }\n}\n",
	})
	for _, x := range []struct{ file, at, to, want string }{
		{c, "low}", "high", "class m::c inherits m::p {\n  $a = $low\n  $b = $own\n  $high = $low + 1\n  $own = 2\n" +
			"  notify { \"${high} ${own}\": }\n}\n"},
		{c, "low\n", "top", "class m::c inherits m::p {\n  $a = $top\n  $b = $own\n  $low = $top + 1\n  $own = 2\n" +
			"  notify { \"${low} ${own}\": }\n}\n"},
		{p, "own", "his", "class m::c inherits m::p {\n  $a = $low\n  $b = $his\n  $low = $low + 1\n  $own = 2\n" +
			"  notify { \"${low} ${own}\": }\n}\n"},
	} {
		edit, why := n.renameIn(x.file, x.at, 1, x.to)
		if why != "" {
			t.Errorf("%s: %s", x.at, why)
		} else if got := n.written(edit)[c]; got != x.want {
			t.Errorf("%s became\n%s", x.at, got)
		}
	}
	n.bye()
}

// TestEarlyTemplate: a template that a class renders before it sets a variable reads that of a scope farther out, also
// for definition, references and rename, and also where no node comes by.
func TestEarlyTemplate(t *testing.T) {
	const site, c = "manifests/site.pp", "modules/m/manifests/c.pp"
	const early, late, both = "modules/m/templates/e.erb", "modules/m/templates/l.erb", "modules/m/templates/b.erb"
	files := map[string]string{
		"environment.conf": "modulepath = modules\n", "facts/n1.json": `{"fqdn": "n1"}`, site: "$low = 1\n",
		c:     "class m::c {\n  $a = template('m/e.erb')\n  $low = 2\n  $b = template('m/l.erb')\n}\n",
		early: "<%= @low %>\n", late: "<%= @low %>\n"}
	n := navigate(t, files)
	got := n.places(n.ask("textDocument/definition", n.pos(early, "low", 1)))
	if !slices.Equal(got, []string{site + ":1:2"}) {
		t.Errorf("definition: %v", got)
	}
	for _, x := range []struct{ file, edited, kept string }{{site, early, late}, {c, late, early}} {
		edit, why := n.renameIn(x.file, "low", 1, "high")
		if why != "" {
			t.Errorf("%s: %s", x.file, why)
			continue
		}
		is := n.written(edit)
		if is[x.edited] != "<%= @high %>\n" || is[x.kept] != files[x.kept] && is[x.kept] != "" {
			t.Errorf("%s: %q", x.file, is)
		}
	}
	n.bye()
	files[c] = strings.Replace(files[c], "$low = 2\n",
		"$d = [template('m/b.erb')]\n  $low = 2\n  $f = template('m/b.erb')\n", 1)
	files[both] = "<%= @low %>\n"
	n = navigate(t, files)
	for _, file := range []string{site, c} {
		if _, why := n.renameIn(file, "low", 1, "high"); !strings.Contains(why, "b.erb:1 names") {
			t.Errorf("what one word of a template means twice: %q", why)
		}
	}
	n.bye()
}
