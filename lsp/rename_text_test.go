package lsp_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// unreached is a tree with one thing of each kind, and every way to name it in code that no node reaches. uses has, by
// file, the usage that stands there.
func unreached() (files map[string]string, all map[string]thing, uses map[string]string) {
	files = map[string]string{
		"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"hiera.yaml":                    "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"data/common.yaml":              "some_key: 1\nweb::x::size: 3\n",
		"manifests/site.pp":             "include web::x\nweb::y { 't': size => 2 }\nnotify { web::z(lookup('some_key')): }\n",
		"modules/web/manifests/x.pp":    "class web::x (Web::W $size) {\n  notify { \"x ${size}\": }\n}\n",
		"modules/web/manifests/y.pp":    "define web::y ($size = 1) {\n  notify { \"y ${size}\": }\n}\n",
		"modules/web/functions/z.pp":    "function web::z($v) {\n  \"z ${v}\"\n}\n",
		"modules/web/types/w.pp":        "type Web::W = Integer\n",
		"modules/web/templates/e.epp":   "<%- | $size = 1, $x = 1 | -%>\n<%= $size %>\n",
		"modules/web/manifests/uses.pp": "class web::uses {\n  $x = template('web/a')\n  $y = file('web/a')\n}\n",
	}
	all = map[string]thing{
		"class":         {kind: "class", file: "modules/web/manifests/x.pp", name: "web::x"},
		"parameter":     {kind: "parameter", file: "modules/web/manifests/x.pp", name: "web::x::size"},
		"define":        {kind: "define", file: "modules/web/manifests/y.pp", name: "web::y"},
		"attribute":     {kind: "attribute", file: "modules/web/manifests/y.pp", name: "web::y::size"},
		"function":      {kind: "function", file: "modules/web/functions/z.pp", name: "web::z"},
		"alias":         {kind: "alias", file: "modules/web/types/w.pp", name: "web::w"},
		"Hiera key":     {kind: "Hiera key", file: "data/common.yaml", name: "some_key"},
		"EPP parameter": {kind: "EPP parameter", file: "modules/web/templates/e.epp", name: "web/e.epp size"},
	}
	uses = map[string]string{}
	i := 0
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		for _, use := range usages[kind] {
			if strings.Contains(use, "^") {
				continue // a pattern
			}
			file, text, _ := planted(use, all[kind], i)
			files[file], uses[file] = text, kind+" "+use
			i++
		}
	}
	return files, all, uses
}

// TestRenameUnreached renames things that code names in every way there is, where no node comes: nothing is left
// behind, and nothing else changes.
func TestRenameUnreached(t *testing.T) {
	files, all, uses := unreached()
	n := navigate(t, files)
	for _, x := range []struct{ kind, word, to, name string }{
		{"class", "web::x", "web::xx", "web::xx"}, {"define", "web::y", "web::yy", "web::yy"},
		{"parameter", "size", "width", "web::x::width"}, {"attribute", "size", "width", "web::y::width"},
		{"function", "web::z", "web::zz", "web::zz"}, {"alias", "Web::W", "Web::Ww", "web::ww"},
		{"Hiera key", "some_key", "other_key", "other_key"}, {"EPP parameter", "size", "width", "web/e.epp width"},
	} {
		was := all[x.kind]
		edit, why := n.renameIn(was.file, x.word, 1, x.to)
		if why != "" {
			t.Errorf("%s: %s", x.kind, why)
			continue
		}
		after := n.written(edit)
		is := was
		is.name = x.name
		i := 0
		for _, kind := range slices.Sorted(maps.Keys(all)) {
			for _, use := range usages[kind] {
				if strings.Contains(use, "^") {
					continue
				}
				name := all[kind]
				switch {
				case kind == x.kind:
					name = is
				case kind == "parameter" && x.kind == "class":
					name.name = "web::xx::size"
				case kind == "attribute" && x.kind == "define":
					name.name = "web::yy::size"
				}
				file, want, _ := planted(use, name, i)
				i++
				if after[file] != want {
					t.Errorf("%s renamed, %s:\n%s\nwant\n%s", x.kind, uses[file], after[file], want)
				}
			}
		}
	}
	n.bye()
}

// TestRenameTextRefused: what cannot be renamed because of how code writes it.
func TestRenameTextRefused(t *testing.T) {
	base, _, _ := unreached()
	for _, x := range []struct{ file, text, kind, why string }{
		{"modules/web/manifests/n.pp", "class web::n {\n  include \"web::\\u{78}\"\n}\n", "class", "n.pp:2 writes it as"},
		{"modules/web/manifests/n.pp", "class web::n {\n  $x = getvar(\"web::x::si\\u{7a}e\")\n}\n", "class",
			"n.pp:2 writes web::x::size"},
		{"modules/web/manifests/n.pp", "class web::n {\n  $x = getvar(\"web::x::si\\u{7a}e\")\n}\n", "parameter",
			"n.pp:2 writes it as"},
		{"modules/web/manifests/n.pp", "class web::n {\n  $h = { 'size' => 1 }\n  web::y { 't': * => $h }\n" +
			"  class { 'web::x': * => $h }\n}\n", "parameter", "n.pp:2 names web::y::size by the same word"},
		{"modules/web/manifests/n.pp", "class web::n {\n  $h = { 'size' => 1 }\n  web::y { 't': * => $h }\n" +
			"  elsewhere { 't': * => $h }\n}\n", "attribute", "n.pp:2 names elsewhere::size by the same word"},
		{"data/common.yaml", base["data/common.yaml"] + "lookup_options:\n  '^web::x::size$':\n    merge: first\n",
			"parameter", "common.yaml:4 speaks of web::x::size by a pattern"},
		{"data/common.yaml", base["data/common.yaml"] + "lookup_options:\n  ^web::x::.*:\n    merge: first\n", "class",
			"common.yaml:4 speaks of web::x::size by a pattern"},
		{"data/common.yaml", base["data/common.yaml"] + "lookup_options:\n  ^web::x::.*:\n    merge: first\n", "parameter",
			""},
		{"modules/web/manifests/n.pp", "class web::n {\n  $y = 'x'\n  include \"web::${y}\"\n}\n", "class",
			"n.pp:3 writes it as"},
		{"modules/web/manifests/n.pp", "class web::n {\n  include \"web::${y}\"\n}\n", "class", "n.pp:2 may put the name web::x"},
		{"modules/web/manifests/n.pp", "class web::n {\n  $x = getvar(\"web::x::${y}\")\n}\n", "parameter",
			"n.pp:2 may put the name web::x"},
		{"modules/web/manifests/n.pp", "class web::n {\n  $x = lookup(\"web::x::${y}\")\n}\n", "parameter",
			"n.pp:2 may put the name web::x"},
		{"modules/web/manifests/n.pp", "class web::n {\n  include \"web::${y}::z\"\n  include \"${y}::${z}\"\n}\n", "class", ""},
		{"modules/web/manifests/n.pp", "class web::n {\n  $x = getvar(\"${module_name}::x::size\")\n}\n", "class",
			"n.pp:2 writes web::x::size as"},
		{"modules/web/manifests/n.pp", "class web::n {\n  $x = getvar(\"${module_name}::x::size\")\n}\n", "parameter", ""},
		{"modules/web/manifests/uses.pp", base["modules/web/manifests/uses.pp"], "template", "called like its file"},
		{"modules/web/manifests/uses.pp", base["modules/web/manifests/uses.pp"], "file", "move that"},
	} {
		files := maps.Clone(base)
		maps.DeleteFunc(files, func(p, _ string) bool { return strings.Contains(p, "unreached") })
		files[x.file] = x.text
		n := navigate(t, files)
		file, word, nth, to := "modules/web/manifests/x.pp", "web::x", 1, "web::renamed"
		switch x.kind {
		case "parameter":
			word, to = "size", "width"
		case "attribute":
			file, word, to = "modules/web/manifests/y.pp", "size", "width"
		case "template":
			file, word = x.file, "web/a"
		case "file":
			file, word, nth = x.file, "web/a", 2
		}
		if _, why := n.renameIn(file, word, nth, to); x.why == "" && why != "" || !strings.Contains(why, x.why) {
			t.Errorf("%s of\n%s: %q, want %q", x.kind, x.text, why, x.why)
		}
		n.bye()
	}
}

// TestRenameModuleName: what code names after its module is renamed, too.
func TestRenameModuleName(t *testing.T) {
	files, _, _ := unreached()
	maps.DeleteFunc(files, func(p, _ string) bool { return strings.Contains(p, "unreached") })
	const at = "modules/web/manifests/n.pp"
	files[at] = "class web::n {\n  include \"${module_name}::x\"\n  $x = getvar(\"${module_name}::x::size\")\n" +
		"  $kept = 1\n  $y = template(\"${module_name}/t.erb\")\n}\n"
	files["modules/web/templates/t.erb"] = "<%= @kept %>\n"
	n := navigate(t, files)
	for _, x := range []struct{ file, word, to, in, want string }{
		{"modules/web/manifests/x.pp", "size", "width", at, `getvar("${module_name}::x::width")`},
		{at, "kept", "left", "modules/web/templates/t.erb", "@left"},
	} {
		edit, why := n.renameIn(x.file, x.word, 1, x.to)
		if why != "" {
			t.Error(why)
		} else if text := n.written(edit)[x.in]; !strings.Contains(text, x.want) {
			t.Errorf("%s has no %s:\n%s", x.in, x.want, text)
		}
	}
	n.bye()
}

// TestRenameManyUses renames what one file names tens of thousands of times: it takes seconds, as often as it is named.
func TestRenameManyUses(t *testing.T) {
	const uses = 60_000
	body := strings.Repeat("  include web::x\n  $a = defined('web::x')\n", uses/2)
	n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"modules/web/manifests/x.pp": "class web::x {\n}\n", "modules/web/manifests/many.pp": "class web::many {\n" + body + "}\n"})
	began := time.Now()
	edit, why := n.renameIn("modules/web/manifests/x.pp", "web::x", 1, "web::xx")
	if why != "" {
		t.Fatal(why)
	}
	if is := strings.Count(fmt.Sprint(edit), "newText:web::xx"); is != uses+1 {
		t.Errorf("%d of %d uses have the new name", is, uses+1)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	n.bye()
}

// TestRenameMentioned: a text that is a thing's whole name and goes who knows where keeps it from being renamed, where
// no node comes; a comment, a message and a title that is no name do not.
func TestRenameMentioned(t *testing.T) {
	for _, x := range []struct{ file, text, why string }{
		{"modules/web/manifests/n.pp", "class web::n {\n  web::inc('web::x')\n}\n", "n.pp:2 has web::x as a text"},
		{"modules/web/manifests/n.pp", "class web::n {\n  $m = { 'a' => \"::web::x\" }\n  include $m['a']\n}\n",
			"n.pp:2 has web::x as a text"},
		{"data/common.yaml", "some_key: 1\nlists:\n  - web::x\n", "common.yaml:3 has web::x as a text"},
		{"data/common.yaml", "some_key: 1\nlists: ['web::x']\n", "common.yaml:2 has web::x as a text"},
		{"modules/web/functions/d.pp", "function web::d() {\n  { 'web::x::size' => 1 }\n}\n",
			"d.pp:2 has web::x::size as a text"},
		{"modules/web/lib/puppet/functions/web/r.rb", "Puppet::Functions.create_function(:'web::r') do\n  def r\n" +
			"    closure_scope['web::x::size']\n  end\nend\n", "r.rb:3 has web::x::size as a text"},
		{"data/common.yaml", "some_key: 1\nkeys: ['web::x::size']\n", "common.yaml:2 has web::x::size as a text"},
		{"modules/web/manifests/n.pp", "class web::n ($k) {\n  $v = getvar(\"web::x::${k}\")\n}\n",
			"n.pp:2 writes web::x::… as"},
		{"modules/web/manifests/n.pp", "class web::n {\n  # 'web::x' is old\n  notice('web::x is old')\n}\n", ""},
	} {
		files, _, _ := unreached()
		files[x.file] = x.text
		n := navigate(t, files)
		_, why := n.renameIn("modules/web/manifests/x.pp", "web::x", 1, "web::xx")
		if x.why == "" && why != "" || !strings.Contains(why, x.why) {
			t.Errorf("%q: %s", x.text, why)
		}
		n.bye()
	}
}

// TestRenameKept: names that Puppet keeps for itself are given to nothing, also where no node comes.
func TestRenameKept(t *testing.T) {
	n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"modules/web/manifests/d.pp":                "define web::d ($port = 1) {\n  $own = 1\n  notify { \"x ${port} ${own}\": }\n}\n",
		"modules/web/functions/f.pp":                "function web::f() {\n  1\n}\n",
		"modules/web/lib/puppet/functions/web/g.rb": "Puppet::Functions.create_function(:'web::g') { def g() 2 end }\n"})
	for _, x := range []struct{ file, word, to, why string }{
		{"modules/web/manifests/d.pp", "port", "facts", "a variable of Puppet's own"},
		{"modules/web/manifests/d.pp", "port", "require", "a metaparameter"},
		{"modules/web/manifests/d.pp", "own", "title", "a variable of Puppet's own"},
		{"modules/web/manifests/d.pp", "own", "require", ""},
		{"modules/web/functions/f.pp", "web::f", "web::g", "a function that there is"},
	} {
		_, why := n.renameIn(x.file, x.word, 1, x.to)
		if x.why == "" && why != "" || !strings.Contains(why, x.why) {
			t.Errorf("%s as %s: %s", x.word, x.to, why)
		}
	}
	n.bye()
}

// TestRenameTaken: a name that Puppet or something of another kind has is given to nothing, also where no node comes.
func TestRenameTaken(t *testing.T) {
	n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"manifests/site.pp":                        "class top {\n}\ndefine made() {\n}\ntype Alias = Integer\nfunction own() {\n  1\n}\n",
		"hiera.yaml":                               "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"data/common.yaml":                         "free: 1\nlookup_options:\n  free: {merge: first}\n",
		"modules/web/manifests/c.pp":               "class web::c {\n}\n",
		"modules/web/manifests/d.pp":               "define web::d () {\n}\n",
		"modules/web/types/t.pp":                   "type Web::T = Integer\n",
		"modules/web/hiera.yaml":                   "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"modules/web/data/common.yaml":             "web::list: 1\nunseen: 1\n",
		"modules/web/lib/puppet/type/gadget.rb":    "Puppet::Type.newtype(:gadget) do\n  newparam(:name)\nend\n",
		"modules/web/lib/puppet/functions/spin.rb": "Puppet::Functions.create_function(:spin) { def spin() 2 end }\n"})
	for _, x := range []struct{ file, word, to, why string }{
		{"manifests/site.pp", "top", "main", "main is a class of Puppet's own"},
		{"manifests/site.pp", "top", "settings", "settings is a class of Puppet's own"},
		{"manifests/site.pp", "top", "made", "site.pp:3 has that name already"},
		{"manifests/site.pp", "top", "gadget", ""},
		{"manifests/site.pp", "made", "top", "site.pp:1 has that name already"},
		{"manifests/site.pp", "made", "gadget", "gadget is a resource type"},
		{"manifests/site.pp", "made", "cron", "cron is a resource type"},
		{"manifests/site.pp", "made", "file", "file is a type of Puppet's own"},
		{"manifests/site.pp", "Alias", "String", "String is a type of Puppet's own"},
		{"manifests/site.pp", "Alias", "Gadget", "Gadget is a resource type"},
		{"manifests/site.pp", "Alias", "Richdata", "Richdata is a type of Puppet's own"},
		{"manifests/site.pp", "Alias", "Top", ""},
		{"manifests/site.pp", "own", "spin", "spin is a function that there is"},
		{"manifests/site.pp", "own", "split", "split is a function that there is"},
		{"modules/web/manifests/c.pp", "web::c", "web::d", "d.pp:1 has that name already"},
		{"modules/web/manifests/d.pp", "web::d", "web::c", "c.pp:1 has that name already"},
		{"modules/web/manifests/c.pp", "web::c", "web::main", ""},
		{"modules/web/types/t.pp", "Web::T", "Web::String", ""},
		{"data/common.yaml", "free", "lookup_options", "lookup_options is what Hiera keeps its options in"},
		{"data/common.yaml", "lookup_options", "other", "lookup_options is what Hiera keeps its options in"},
		{"data/common.yaml", "free", "loose", ""},
		{"modules/web/data/common.yaml", "web::list", "list", "is data of the module web, whose keys begin with web::"},
		{"modules/web/data/common.yaml", "web::list", "web::many", ""},
		{"modules/web/data/common.yaml", "unseen", "hidden", ""},
	} {
		_, why := n.renameIn(x.file, x.word, 1, x.to)
		if x.why == "" && why != "" || !strings.Contains(why, x.why) {
			t.Errorf("%s as %s: %q, want %q", x.word, x.to, why, x.why)
		}
	}
	n.bye()
}

// TestRenameExported: a rename is tried on nodes that collect what others export.
func TestRenameExported(t *testing.T) {
	n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n",
		"facts/a.json": `{"fqdn": "a"}`, "facts/b.json": `{"fqdn": "b"}`,
		"hiera.yaml":       "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"data/common.yaml": "more: PORT\n",
		"manifests/site.pp": "node 'a' { @@web::v { 'x': } }\nnode 'b' {\n" +
			"  Web::V <<| |>> { * => { downcase(lookup('more')) => 3 } }\n}\n",
		"modules/web/manifests/v.pp": "define web::v ($port = 1) {\n  notify { \"${port}\": }\n}\n"})
	_, why := n.renameIn("modules/web/manifests/v.pp", "port", 1, "zz")
	if !strings.Contains(why, "b would fail") {
		t.Error(why)
	}
	n.bye()
}

// TestRenameSeenByEPP: a file in EPP sees the top scope, not the class that renders it.
func TestRenameSeenByEPP(t *testing.T) {
	n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"manifests/site.pp":           "$port = 'top'\n",
		"modules/web/manifests/d.pp":  "class web::d ($port = 80) {\n  notice(epp('web/x.epp'), $port)\n}\n",
		"modules/web/templates/x.epp": "<%= $port %>\n"})
	for file, want := range map[string]string{"modules/web/manifests/d.pp": "<%= $port %>\n",
		"manifests/site.pp": "<%= $zz %>\n"} {
		edit, why := n.renameIn(file, "port", 1, "zz")
		if is := n.written(edit)["modules/web/templates/x.epp"]; why != "" || is != want {
			t.Errorf("%s: %q %s", file, is, why)
		}
	}
	n.bye()
}

// TestRenameInClone: a module is called as it calls itself, not as its clone is: its files move, and its templates are
// found.
func TestRenameInClone(t *testing.T) {
	n := navigate(t, map[string]string{ // a directory that is called by a number
		"metadata.json": `{"name": "me-web", "version": "1.0.0"}`, "manifests/init.pp": "class web {\n}\n",
		"manifests/a.pp":  "class web::a {\n  $tv = 1\n  if $facts['never'] {\n    notice(template('web/z.erb'))\n  }\n}\n",
		"functions/f.pp":  "function web::f() {\n  1\n}\n",
		"templates/z.erb": "<%= @tv %>\n"})
	edit, why := n.renameIn("manifests/a.pp", "tv", 1, "zz")
	if is := n.written(edit)["templates/z.erb"]; why != "" || is != "<%= @zz %>\n" {
		t.Errorf("%q %s", is, why)
	}
	for file, x := range map[string][3]string{"manifests/a.pp": {"web::a", "web::q", "manifests/q.pp"},
		"functions/f.pp": {"web::f", "web::g", "functions/g.pp"}} {
		edit, why := n.renameIn(file, x[0], 1, x[1])
		if why != "" || !strings.Contains(fmt.Sprint(edit), x[2]) {
			t.Errorf("%v: %v %s", x, edit, why)
		}
	}
	n.bye()
}
