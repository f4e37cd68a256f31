package web

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPages asks what the other pages ask, about the shop.
func TestPages(t *testing.T) {
	b := open(t, options(shop))
	web2 := url.Values{"node": {"web2.shop.example"}}
	with := func(more ...string) url.Values {
		q := url.Values{"node": web2["node"]}
		for i := 0; i < len(more); i += 2 {
			q.Set(more[i], more[i+1])
		}
		return q
	}
	all := b.ask("findings", nil)
	for _, x := range []struct{ code, patch, failed string }{
		{"V101", "+    require => Package['nginx'],", "/etc/nginx does not exist"},
		{"V201", "+    creates => '/var/lib/baskets',", "/var/lib/baskets is there already"},
	} {
		id := ""
		for _, p := range all["problems"].([]any) {
			if at(p, "code") == x.code {
				id = at(p, "id").(string)
			}
		}
		f := b.ask("finding", url.Values{"id": {id}})
		patch, _ := f["patch"].(string)
		if !strings.Contains(strings.Join(strings.Fields(patch), " "), strings.Join(strings.Fields(x.patch), " ")) {
			t.Errorf("%s: the patch is %s", x.code, patch)
		}
		lanes := f["lanes"].([]any)
		if len(lanes) != 2 || at(lanes, 0, "failed") != nil || at(lanes, 1, "failed") != true {
			t.Fatalf("%s: %v", x.code, lanes)
		}
		steps := at(lanes, 1, "steps").([]any)
		if last := steps[len(steps)-1]; at(last, "failed") != x.failed {
			t.Errorf("%s fails by %v", x.code, last)
		}
		if !strings.Contains(text(t, at(lanes, 0, "steps")), `"before":"nothing"`) {
			t.Errorf("%s: no state in %v", x.code, lanes[0])
		}
	}

	f := b.ask("file", with("ref", "File[/etc/nginx/conf.d/shop.example.conf]", "attribute", "content"))
	whole := ""
	for _, p := range f["pieces"].([]any) {
		whole += at(p, "text").(string)
		if at(p, "text") == "8443" {
			if s := at(f, "sources", int(at(p, "from", 0).(float64)), "title"); s != "profile::nginx::port" {
				t.Errorf("8443 comes from %v", s)
			}
		}
	}
	v := b.ask("value", with("ref", "File[/etc/nginx/conf.d/shop.example.conf]", "attribute", "content"))
	if whole != v["shown"] || !strings.Contains(whole, "listen *:8443;") {
		t.Errorf("the pieces are %q", whole)
	}

	o := b.ask("order", with("a", "Service[nginx]", "b", "Package[nginx]"))
	if o["says"] != "Package[nginx] comes before Service[nginx]" || len(o["why"].([]any)) != 1 ||
		len(o["order"].([]any)) < 15 {
		t.Errorf("order: %v %v", o["says"], o["why"])
	}
	if o = b.ask("order", with("a", "Package[nginx]", "b", "File[/etc/nginx/conf.d/status.conf]")); !strings.HasPrefix(
		o["says"].(string), "Nothing orders") {
		t.Errorf("order: %v", o["says"])
	}

	h := b.ask("hiera", with("key", "profile::nginx::conf_mode"))
	found := false
	for _, k := range h["keys"].([]any) {
		if at(k, "key") == "profile::nginx::conf_mode" {
			found = at(k, "cells", 0, "used") == true && at(k, "cells", 0, "value") == "'0640'" &&
				at(k, "cells", 1, "used") == nil &&
				at(k, "cells", 1, "value") == "'0644'"
		}
	}
	if !found || at(h, "others", 0, "value") != "'0640'" || len(h["places"].([]any)) != 2 {
		t.Errorf("hiera: %v", h)
	}

	list := b.ask("code", nil)
	if len(list["files"].([]any)) < 10 {
		t.Errorf("code: %v", list)
	}
	grey, warm := 0, 0
	c := b.ask("code", url.Values{"file": {"../examples/shop/site-modules/profile/functions/listen.pp"}})
	if len(c["lines"].([]any)) == 0 {
		t.Errorf("code: %v", c)
	}
	for _, name := range []string{"nginx.pp", "base.pp", "database.pp", "web/shop.pp"} {
		c := b.ask("code", url.Values{"file": {"../examples/shop/site-modules/profile/manifests/" + name}})
		for _, l := range c["lines"].([]any) {
			if at(l, "g") == true {
				grey++
			}
			if at(l, "n") != nil {
				warm++
			}
		}
	}
	if warm < 50 {
		t.Errorf("%d lines have nodes, %d none", warm, grey)
	}
	data := b.ask("code", url.Values{"file": {"../examples/shop/data/common.yaml"}})
	if data["lines"] != nil || len(data["keys"].([]any)) < 5 {
		t.Errorf("a data file is shown: %v", data)
	}
	for _, file := range []string{"/etc/passwd", "../examples/shop/../../go.mod",
		"../examples/shop/facts/web1.shop.example.json",
		"../examples/shop/hiera.yaml", "web.go"} {
		if code, text := b.get("/api/code?file=" + url.QueryEscape(file)); code != 404 || strings.Contains(text, `"lines"`) {
			t.Errorf("%s: %d %s", file, code, clip(text, 200))
		}
	}
}

// TestGrey: what no node comes to is grey, and nothing else.
func TestGrey(t *testing.T) {
	b := open(t, options(write(t, map[string]string{
		"manifests/site.pp": "if $facts['os']['family'] == 'Debian' {\n  notify { 'yes': }\n} else {\n  notify { 'no': }\n " +
			" notify { 'never': }\n}\n" +
			"class unused {\n  notify { 'u': }\n}\n",
		"facts/n.json": `{"fqdn": "n.example", "os": {"family": "Debian"}}`})))
	files := b.ask("code", nil)
	c := b.ask("code", url.Values{"file": {at(files, "files", 0, "file").(string)}})
	got := ""
	for _, l := range c["lines"].([]any) {
		switch {
		case at(l, "g") == true:
			got += "g"
		case at(l, "n") != nil:
			got += "n"
		default:
			got += "."
		}
	}
	if !strings.HasPrefix(got, ".n.gg.ggg") {
		t.Errorf("lines are %s", got)
	}
}

// TestRubyTemplates: templates in ERB are among the files, those that no node renders in grey.
func TestRubyTemplates(t *testing.T) {
	b := open(t, options(write(t, map[string]string{"environment.conf": "modulepath = modules\n",
		"manifests/site.pp":            "file { '/a': content => template('m/used.erb') }\n",
		"modules/m/templates/used.erb": "one\n<%= @nodename %>\n", "modules/m/templates/idle.erb": "x\n",
		"facts/n.json": `{"fqdn": "n", "nodename": "n"}`, "facts/o.json": `{"fqdn": "o", "nodename": "o"}`})))
	pages := map[string]map[string]any{}
	for _, f := range b.ask("code", nil)["files"].([]any) {
		name := at(f, "file").(string)
		pages[path.Base(name)] = b.ask("code", url.Values{"file": {name}})
		if idle := at(f, "grey") != 0.0; idle != (path.Base(name) == "idle.erb") {
			t.Errorf("%v", f)
		}
	}
	used, idle := pages["used.erb"], pages["idle.erb"]
	if at(used, "lines", 0, "t") != "one" || at(used, "lines", 0, "g") != nil || at(idle, "lines", 0, "g") != true {
		t.Errorf("%v\n%v", used, idle)
	}
	found := fmt.Sprint(b.ask("search", url.Values{"q": {"used.erb"}}))
	if !strings.Contains(found, "templates/used.erb") {
		t.Error(found)
	}
}

// TestNeverRun: code outside of classes that no environment begins with is never run, and of a file of functions or
// types nobody says that all of it was reached.
func TestNeverRun(t *testing.T) {
	b := open(t, options(write(t, map[string]string{
		"manifests/site.pp":               "include web\n",
		"modules/web/manifests/init.pp":   "class web {\n  notify { 'a': }\n}\n",
		"modules/web/examples/init.pp":    "# how to\ninclude web\nnotify { 'example': }\n",
		"modules/web/functions/double.pp": "function web::double($a) {\n  2 * $a\n}\n",
		"facts/n.json":                    `{"fqdn": "n.example"}`})))
	reached, names := map[string]string{}, map[string]string{}
	for _, f := range b.ask("code", nil)["files"].([]any) {
		name := at(f, "file").(string)
		base := path.Base(path.Dir(name)) + "/" + path.Base(name)
		reached[base], names[base] = fmt.Sprint(at(f, "grey"), " ", at(f, "uncounted") == true), name
	}
	want := map[string]string{"manifests/site.pp": "0 false", "manifests/init.pp": "0 false",
		"examples/init.pp": "2 false", "functions/double.pp": "0 true"}
	if !maps.Equal(reached, want) {
		t.Errorf("reached %v, want %v", reached, want)
	}
	lines := b.ask("code", url.Values{"file": {names["examples/init.pp"]}})["lines"]
	if at(lines, 0, "g") == true || at(lines, 1, "g") != true || at(lines, 2, "g") != true {
		t.Errorf("lines are %v", lines)
	}
}

// TestFacets: nodes are told apart by what only some have, of those that compile; by a fact of many values, too, as
// long as many nodes share each; and what is not listed is said and can be found by a part of it.
func TestFacets(t *testing.T) {
	files := map[string]string{"manifests/site.pp": "include all\ninclude \"role${facts['role']}\"\n" +
		"class all { }\nnode broken { fail('no') }\nnode default { }\n",
		"facts/broken.json": `{"fqdn": "broken", "role": "0"}`}
	for i := range 45 {
		files["manifests/site.pp"] += fmt.Sprintf("class role%d { }\n", i)
		for k := range 3 {
			files[fmt.Sprintf("facts/n%d-%d.json", i, k)] = fmt.Sprintf(`{"fqdn": "n%d-%d", "role": "%d", "virtual": "v%d-%d"}`,
				i, k, i, i, k)
		}
	}
	b := open(t, options(write(t, files)))
	facets := func(q url.Values) map[string]map[string]any {
		q.Set("facets", "1")
		out := map[string]map[string]any{}
		for _, f := range b.ask("fleet", q)["facets"].([]any) {
			out[at(f, "name").(string)] = f.(map[string]any)
		}
		return out
	}
	all := facets(url.Values{})
	if role := all["fact:role"]; role == nil || at(role, "more") != 45.0-maxFacet {
		t.Errorf("of 45 roles with three nodes each there is %v", role)
	}
	if all["fact:virtual"] != nil {
		t.Error("a fact that is another one on every node tells nobody apart")
	}
	if class := all["class"]; at(class, "values", 0, "value") == "all" || at(class, "more") != 45.0-maxFacet {
		t.Errorf("classes are %v", class)
	}
	found := facets(url.Values{"facet": {"ROLE44"}})
	if len(found) != 1 || at(found["class"], "values", 0, "value") != "role44" || at(found["class"], "more") != nil {
		t.Errorf("role44 finds %v", found)
	}
	if again := facets(url.Values{}); len(again) != len(all) {
		t.Errorf("afterwards there are %v", again)
	}
}

// TestMupuppet: a manifest of the subset is derived step by step, and what is not in it is refused by name.
func TestMupuppet(t *testing.T) {
	dir := write(t, map[string]string{
		"manifests/site.pp": "class b {\n  $x = 1 + 2\n  if $x > 2 {\n    file { 'a': mode => $x }\n  }\n}\nnode 'a' {\n  " +
			"include b\n}\n",
		"manifests/z.pp": "notify { \"${facts}\": }\n", "facts/a.json": `{"fqdn": "a"}`})
	b := open(t, options(dir))
	d := b.ask("mupuppet", url.Values{"file": {dir + "/manifests/site.pp"}, "node": {"a"}})
	steps := d["steps"].([]any)
	if len(steps) < 8 || d["total"] != float64(len(steps)) || at(steps, 0, "rule") == "" ||
		!strings.Contains(d["catalog"].(string), "mode") {
		t.Errorf("%v", d)
	}
	d = b.ask("mupuppet", url.Values{"file": {dir + "/manifests/z.pp"}})
	if at(d, "refused", 0, "code") != "M0001" {
		t.Errorf("%v", d)
	}
}

// TestSmartfrog: a specification is derived equation by equation, a value knows its way, and nothing but specifications
// is read.
func TestSmartfrog(t *testing.T) {
	dir := write(t, map[string]string{
		"frogs/site.sf": "#include \"base.sf\";\nsfConfig extends {\n  web extends Service, { port 81; }\n  same " +
			"web:port;\n}\n",
		"frogs/base.sf": "Service extends { port 80; running true; }\n",
		"frogs/bad.sf":  "#include \"secret.yaml\";\nsfConfig extends { a b; }\n", "frogs/secret.yaml": "hunter2: hunter3\n",
		"manifests/site.pp": "notify { 'a': }\n", "facts/a.json": `{"fqdn": "a"}`})
	b := open(t, options(dir))
	if l := b.ask("smartfrog", nil); len(l["files"].([]any)) != 3 {
		t.Errorf("specifications: %v", l)
	}
	if c := b.ask("code", nil); len(c["frogs"].([]any)) != 3 {
		t.Errorf("code: %v", c["frogs"])
	}
	d := b.ask("smartfrog", url.Values{"file": {dir + "/frogs/site.sf"}, "ref": {"same"}})
	steps := d["steps"].([]any)
	if d["total"] != 12.0 || len(steps) != 12 || at(steps, 0, "rule") != "Definition 26 B" ||
		at(steps, 11, "says") != "a copy of web:port: 81" || len(d["sources"].([]any)) != 2 || at(steps, 1, "source") != 1.0 {
		t.Errorf("%v", d)
	}
	if d["result"] != "web:\n  port: 81\n  running: true\nsame: 81\n" || at(d, "value", "steps", 0, "kind") != "link" ||
		at(d, "value", "hides") == nil || at(d, "value", "where", "line") != 3.0 {
		t.Errorf("%v %v", d["result"], d["value"])
	}
	d = b.ask("smartfrog", url.Values{"file": {dir + "/frogs/site.sf"}, "ref": {"web:prot"}})
	if m, _ := d["missing"].(string); m == "" || d["value"] != nil {
		t.Errorf("%v", d)
	}
	d = b.ask("smartfrog", url.Values{"file": {dir + "/frogs/bad.sf"}})
	if len(d["refused"].([]any)) == 0 || strings.Contains(text(t, d), "hunter") {
		t.Errorf("%v", d)
	}
	for _, file := range []string{"/etc/passwd", dir + "/manifests/site.pp", dir + "/frogs/../frogs/site.sf"} {
		if code, _ := b.get("/api/smartfrog?file=" + url.QueryEscape(file)); code != 404 {
			t.Errorf("%s: %d", file, code)
		}
	}
}

// TestHieraKinds: keys that nobody asks for, values that never count, keys that nothing takes; and one key level by
// level on every node.
func TestHieraKinds(t *testing.T) {
	b := open(t, options(write(t, map[string]string{
		"hiera.yaml": "version: 5\nhierarchy:\n  - { name: Node, path: 'nodes/%{trusted.certname}.yaml' }\n" +
			"  - { name: Role, path: 'role/%{facts.role}.yaml' }\n  - { name: Common, path: common.yaml }\n",
		"data/nodes/a.yaml":           "m::port: 1\n",
		"data/role/web.yaml":          "m::port: 2\nm::host: 'web'\n",
		"data/common.yaml":            "m::port: 3\nm::host: 'common'\nm::prot: 4\nold::key: 5\n",
		"manifests/site.pp":           "node 'd' { }\nnode default { include m }\n",
		"facts/d.json":                `{"fqdn": "d"}`,
		"modules/m/manifests/init.pp": "class m(Integer $port, String $host) { notify { \"${host}:${port}\": } }\n",
		"facts/a.json":                `{"fqdn": "a", "role": "web"}`, "facts/b.json": `{"fqdn": "b", "role": "web"}`,
		"facts/c.json": `{"fqdn": "c", "role": "web"}`})))
	h := b.ask("hiera", url.Values{"key": {"m::port"}})
	if at(h, "counts", "dead") != 2.0 || at(h, "counts", "shadowed") != 2.0 || at(h, "counts", "misspelt") != 1.0 {
		t.Errorf("counts: %v", h["counts"])
	}
	m := h["matrix"]
	got := ""
	for _, r := range at(m, "rows").([]any) {
		got += at(r, "node").(string) + ":"
		for _, c := range at(r, "cells").([]any) {
			got += at(m, "levels", int(at(c, "level").(float64))).(string) + "=" + at(c, "value").(string)
			if at(c, "used") == true {
				got += "!"
			}
			got += " "
		}
	}
	if want := "a:Node=1! Role=2 Common=3 b:Role=2! Common=3 c:Role=2! Common=3 d:Common=3! "; got != want ||
		at(m, "nodes") != 4.0 ||
		at(m, "rows", 3, "idle") != true || at(m, "rows", 2, "idle") != nil {
		t.Errorf("the matrix is %s, want %s", got, want)
	}
	for only, want := range map[string]string{"dead": "m::prot old::key ", "shadowed": "m::host m::port ",
		"misspelt": "m::prot "} {
		got := ""
		for _, k := range b.ask("hiera", url.Values{"only": {only}})["keys"].([]any) {
			got += at(k, "key").(string) + " "
		}
		if got != want {
			t.Errorf("%s: %s, want %s", only, got, want)
		}
	}
	if k := b.ask("hiera", url.Values{"only": {"misspelt"}}); !strings.Contains(at(k, "keys", 0, "misspelt").(string),
		"port") {
		t.Errorf("what was meant is not said: %v", at(k, "keys", 0))
	}
}

// TestManyNodes: the page of data can be seen by each node of a large fleet, also by those that are not listed.
func TestManyNodes(t *testing.T) {
	files := map[string]string{"manifests/site.pp": "notify { lookup('a'): }\n", "data/common.yaml": "a: b\n",
		"hiera.yaml": "version: 5\nhierarchy:\n  - { name: Common, path: common.yaml }\n"}
	for i := range mostNodes + 1 {
		files[fmt.Sprintf("facts/n%03d.json", i)] = fmt.Sprintf(`{"fqdn": "n%03d.example"}`, i)
	}
	b := open(t, options(write(t, files)))
	last := fmt.Sprintf("n%03d.example", mostNodes)
	page := b.ask("hiera", url.Values{"node": {last}})
	if page["node"] != last || page["all"] != false || len(page["nodes"].([]any)) != mostNodes {
		t.Errorf("as %v sees it, of %d nodes, all: %v", page["node"], len(page["nodes"].([]any)), page["all"])
	}
	delete(files, "facts/n000.json")
	b = open(t, options(write(t, files)))
	if page := b.ask("hiera", nil); page["all"] != true || len(page["nodes"].([]any)) != mostNodes {
		t.Errorf("of %d nodes, all: %v", len(page["nodes"].([]any)), page["all"])
	}
}

// TestBrokenCode: a manifest that does not parse is not called reached; and a search finds files by the names that
// people of the tree call them, also those of data.
func TestBrokenCode(t *testing.T) {
	dir := write(t, map[string]string{"manifests/site.pp": "notify { lookup('a'): }\n", "data/common.yaml": "a: b\n",
		"hiera.yaml":   "version: 5\nhierarchy:\n  - { name: Common, path: common.yaml }\n",
		"facts/n.json": `{"fqdn": "n.example"}`, "manifests/broken.pp": "class {{{\n"})
	b := open(t, options(dir))
	broken := map[string]bool{}
	for _, f := range b.ask("code", nil)["files"].([]any) {
		if f := f.(map[string]any); f["broken"] == true {
			broken[filepath.Base(f["file"].(string))] = true
		}
	}
	if !broken["broken.pp"] || len(broken) != 1 {
		t.Errorf("broken are %v", broken)
	}
	files := func(words string) (titles []string) {
		for _, r := range b.ask("search", url.Values{"q": {words}})["results"].([]any) {
			if r := r.(map[string]any); r["kind"] == "file" {
				titles = append(titles, r["title"].(string))
			}
		}
		slices.Sort(titles)
		return titles
	}
	for words, want := range map[string][]string{filepath.Base(filepath.Dir(dir)): nil,
		"common.yaml": {"data/common.yaml"}, "manifests/": {"manifests/broken.pp", "manifests/site.pp"}} {
		if got := files(words); !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", words, got, want)
		}
	}
}
