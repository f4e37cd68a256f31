package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/fleet"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// renameIn asks for a rename; the second is why there is none.
func (n *nav) renameIn(file, text string, nth int, to string) (edit map[string]any, why string) {
	n.t.Helper()
	ask := n.pos(file, text, nth)
	ask["newName"] = to
	m := n.answer(n.send("textDocument/rename", ask))
	if e, is := m["error"].(map[string]any); is {
		return nil, e["message"].(string)
	}
	return m["result"].(map[string]any), ""
}

// written are the files of a tree after an edit, and moved files.
func (n *nav) written(edit map[string]any) map[string]string {
	n.t.Helper()
	files := filesOf(n.t, n.dir)
	file := func(uri string) string {
		name, err := url.PathUnescape(strings.TrimPrefix(uri, "file://"+n.dir+"/"))
		if err != nil {
			n.t.Fatal(err)
		}
		return name
	}
	apply := func(uri string, list []any) {
		name := file(uri)
		slices.SortFunc(list, func(a, b any) int { return -comparePlaces(a, b) })
		for _, x := range list {
			e := x.(map[string]any)
			files[name] = spliced(files[name], e["range"], e["newText"].(string))
		}
	}
	changes, _ := edit["changes"].(map[string]any)
	for uri, list := range changes {
		apply(uri, list.([]any))
	}
	ordered, _ := edit["documentChanges"].([]any)
	for _, x := range ordered {
		c := x.(map[string]any)
		if c["kind"] == "rename" {
			from := file(c["oldUri"].(string))
			files[file(c["newUri"].(string))] = files[from]
			delete(files, from)
			continue
		}
		apply(c["textDocument"].(map[string]any)["uri"].(string), c["edits"].([]any))
	}
	return files
}

// changesOf are the edits of an edit's files, by URI.
func changesOf(edit any) map[string][]any {
	out := map[string][]any{}
	changes, _ := edit.(map[string]any)["changes"].(map[string]any)
	for uri, list := range changes {
		out[uri] = list.([]any)
	}
	ordered, _ := edit.(map[string]any)["documentChanges"].([]any)
	for _, x := range ordered {
		if c := x.(map[string]any); c["kind"] == nil {
			out[c["textDocument"].(map[string]any)["uri"].(string)] = c["edits"].([]any)
		}
	}
	return out
}

func comparePlaces(a, b any) int {
	at := func(x any) int {
		p := x.(map[string]any)["range"].(map[string]any)["start"].(map[string]any)
		return int(p["line"].(float64))*100000 + int(p["character"].(float64))
	}
	return at(a) - at(b)
}

// spliced is a text with a range of bytes replaced.
func spliced(text string, where any, by string) string {
	at := func(end string) int {
		p := where.(map[string]any)[end].(map[string]any)
		from := 0
		for range int(p["line"].(float64)) {
			from += strings.Index(text[from:], "\n") + 1
		}
		return from + int(p["character"].(float64))
	}
	return text[:at("start")] + by + text[at("end"):]
}

func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		name, _ := filepath.Rel(dir, p)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestRename: what is renamed, where, and what is refused with which reason.
func TestRename(t *testing.T) {
	files := maps.Clone(named)
	files["manifests/dynamic.pp"] = "node 'b' {\n  $which = ['moved', 'web'].reverse.join('::')\n  include $which\n}\n"
	files["modules/web/manifests/moved.pp"] = "class web::moved {\n  notify { 'moved': }\n}\n"
	files["modules/web/manifests/named.pp"] = "class web::named {\n  $lone = 1\n  notify { 'n': message => " +
		"\"it is ${Class['web::named']}${lone}\" }\n}\n"
	files["modules/web/manifests/told.pp"] = "# Of size.\n#\n# @param size\n#   size counts\n# @param sizes\n#   no\n" +
		"# @param [Hash[String, Integer]] many how\nclass web::told (\n  Integer $size = 1,\n  Integer $sizes = 1,\n" +
		"  Hash $many = {},\n) {\n  notify { \"${size}${many}\": }\n}\n"
	files["facts/b.json"] = `{"fqdn": "b"}`
	files["manifests/site.pp"] = strings.Replace(files["manifests/site.pp"], "include web\n",
		"include web\n  include web::named\n", 1)
	n := navigate(t, files)
	for _, x := range []struct {
		file, text string
		nth        int
		to         string
		want       map[string][2]string // by file: what stood there and what stands there now
		why        string
	}{
		{"modules/web/manifests/init.pp", "port,", 1, "puerto", map[string][2]string{
			"modules/web/manifests/init.pp":  {"Integer $port", "Integer $puerto"},
			"data/common.yaml":               {"  web::port:", "  web::puerto:"},
			"modules/web/manifests/child.pp": {"${web::port}", "${web::puerto}"},
			"modules/web/templates/a.erb":    {"<%= @port %>", "<%= @puerto %>"}}, ""},
		{"data/common.yaml", "web::port", 1, "web::puerto", map[string][2]string{
			"modules/web/manifests/init.pp": {"{ 'port' => $port }", "{ 'port' => $puerto }"}}, ""},
		{"modules/web/manifests/vhost.pp", "web::vhost", 1, "web::host", map[string][2]string{
			"manifests/site.pp": {"web::vhost { 'one'", "web::host { 'one'"}}, ""},
		{"modules/web/types/mode.pp", "Web::Mode", 1, "Web::Bits", map[string][2]string{
			"modules/web/manifests/init.pp": {"Web::Mode $mode", "Web::Bits $mode"}}, ""},
		{"modules/web/functions/greet.pp", "web::greet", 1, "web::hello", map[string][2]string{
			"modules/web/manifests/init.pp": {"web::greet($root)", "web::hello($root)"}}, ""},
		{"modules/web/manifests/child.pp", "web::child", 1, "web::kid", map[string][2]string{
			"manifests/site.pp": {"class { 'web::child'", "class { 'web::kid'"}}, ""},
		{"data/common.yaml", "greeting: hi", 1, "welcome", map[string][2]string{
			"data/common.yaml": {"lookup('greeting')", "lookup('welcome')"}}, ""},
		{"manifests/site.pp", "docroot", 1, "base", map[string][2]string{
			"modules/web/manifests/vhost.pp": {"String $docroot", "String $base"}}, ""},

		{"modules/web/manifests/told.pp", "size =", 1, "height", map[string][2]string{
			"modules/web/manifests/told.pp": {"@param size\n", "# Of size.\n#\n# @param height\n#   size counts\n# @param sizes\n"}}, ""},
		{"modules/web/manifests/told.pp", "many =", 1, "rows", map[string][2]string{
			"modules/web/manifests/told.pp": {"Integer]] many how", "# @param [Hash[String, Integer]] rows how\n"}}, ""},

		{"modules/web/manifests/init.pp", "port,", 1, "mode", nil, "would be no program"},
		{"modules/web/manifests/init.pp", "port,", 1, "9x", nil, "no name that it could have"},
		{"modules/web/manifests/init.pp", "/etc/web", 1, "/etc/www", nil, "another resource"},
		{"modules/web/manifests/init.pp", "web (", 1, "www", nil, "belongs to the module web"},
		{"modules/web/manifests/moved.pp", "web::moved", 1, "web::elsewhere", nil, "b would fail"},
		{"modules/web/manifests/named.pp", "web::named", 1, "web::called", nil, "more than a name"},
		{"manifests/site.pp", "notify", 1, "shout", nil, "nothing in this folder defines"},
	} {
		edit, why := n.renameIn(x.file, x.text, x.nth, x.to)
		if x.why != "" {
			if !strings.Contains(why, x.why) {
				t.Errorf("%s %q to %q: %q, want %q", x.file, x.text, x.to, why, x.why)
			}
			continue
		}
		if why != "" {
			t.Errorf("%s %q to %q is refused: %s", x.file, x.text, x.to, why)
			continue
		}
		after := n.written(edit)
		for file, w := range x.want {
			if strings.Contains(after[file], w[0]) || !strings.Contains(after[file], w[1]) {
				t.Errorf("%s %q to %q: %s is now\n%s", x.file, x.text, x.to, file, after[file])
			}
		}
	}
	at := n.pos("modules/web/manifests/child.pp", "web::port", 1)
	prepared := n.ask("textDocument/prepareRename", at).(map[string]any)
	if prepared["placeholder"] != "port" || rangeText(prepared["range"]) != "2:34-2:38" {
		t.Errorf("prepared: %v", prepared)
	}
	n.bye()
}

// TestWhyNot: why a node would fail is what it fails for, and not what it warned of before.
func TestWhyNot(t *testing.T) {
	n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"manifests/site.pp":             "warning('by the way')\n$x = downcase('LATE')\ninclude \"web::${x}\"\n",
		"modules/web/manifests/init.pp": "class web {\n}\n", "modules/web/manifests/late.pp": "class web::late {\n}\n"})
	n.rest()
	if _, why := n.renameIn("modules/web/manifests/late.pp", "web::late", 1, "web::soon"); !strings.Contains(why, "late") {
		t.Error(why)
	}
	n.bye()
}

// TestRenameFailing: nodes that do not compile have no catalogs to compare. What they say is compared, and whoever
// renames is told; where they would say something else there is no rename.
func TestRenameFailing(t *testing.T) {
	n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"manifests/site.pp": "include web\n$x = ['late', 'web'].reverse.join('::')\ninclude $x\n" +
			"web::d { 'x': size => 'large' }\ninclude nowhere\n",
		"modules/web/manifests/init.pp": "class web {\n}\n", "modules/web/manifests/late.pp": "class web::late {\n}\n",
		"modules/web/manifests/d.pp": "define web::d (Integer $size) {\n}\n"})
	n.rest()
	_, why := n.renameIn("modules/web/manifests/late.pp", "web::late", 1, "web::soon")
	if !strings.Contains(why, "a does not compile, and would say something else") || !strings.Contains(why, "web::late") {
		t.Error(why)
	}
	n.renameFine("modules/web/manifests/d.pp", "web::d", "web::e") // the node fails for another reason
	n.wait("a word about it", func() bool { return strings.Contains(n.all.String(), "there was no catalog to compare") })
	n.bye()

	n = navigate(t, map[string]string{"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"manifests/site.pp":          "web::d { 'x': size => 'large' }\n",
		"modules/web/manifests/d.pp": "define web::d (Integer $size) {\n}\n"})
	n.renameFine("modules/web/manifests/d.pp", "size", "width") // the mistake is told with the name
	n.renameFine("modules/web/manifests/d.pp", "web::d", "web::deep::e")
	n.bye()
}

// renameFine renames something that nothing keeps from it.
func (n *nav) renameFine(file, text, to string) {
	n.t.Helper()
	if _, why := n.renameIn(file, text, 1, to); why != "" {
		n.t.Errorf("%s to %s: %s", text, to, why)
	}
}

// TestRenameAll renames everything that the example defines, to a name that nobody has, and compiles every node anew:
// the catalogs are those from before with the one name in place of the other.
func TestRenameAll(t *testing.T) {
	done, no := renameAll(t, "../examples/shop")
	t.Logf("%d renamed, refused: %q", done, no)
	// Two parameters get their values by name, from a hash in the data.
	if slices.Sort(no); done < 25 || len(no) != 2 || !strings.HasPrefix(no[0], "profile::admin::shell: ") ||
		!strings.HasPrefix(no[1], "profile::admin::uid: ") {
		t.Errorf("%d renamed, refused: %q", done, no)
	}
}

func renameAll(t *testing.T, from string) (done int, no []string) {
	t.Helper()
	n := navigate(t, filesOf(t, from))
	before := compileAll(t, n.dir)
	type target struct {
		file string
		name outline.Name
		text string
	}
	var all []target
	for file, text := range filesOf(t, n.dir) {
		if filepath.Ext(file) != ".pp" {
			continue
		}
		tree, _ := syntax.Parse(source.NewFile(file, text), syntax.Options{})
		for _, x := range outline.Names(tree, func(string) outline.Effect { return 0 }) {
			if x.Defines && x.Kind != outline.ResourceName {
				all = append(all, target{file, x, text})
			}
		}
	}
	slices.SortFunc(all, func(a, b target) int {
		if a.file != b.file {
			return strings.Compare(a.file, b.file)
		}
		return int(a.name.Span.Start) - int(b.name.Span.Start)
	})
	for _, x := range all {
		start := x.text[:x.name.Span.Start]
		ask := map[string]any{"textDocument": map[string]any{"uri": n.uri(x.file)}, "position": map[string]any{
			"line": strings.Count(start, "\n"), "character": len(start) - strings.LastIndex(start, "\n") - 1}}
		old := x.name.Name
		owner := old[:strings.LastIndex(old, ":")+1]
		to := "zz_renamed"
		if x.name.Kind != outline.VariableName && x.name.Kind != outline.LocalName {
			to = owner + to
		}
		ask["newName"] = to
		m := n.answer(n.send("textDocument/rename", ask))
		if e, is := m["error"].(map[string]any); is {
			no = append(no, old+": "+e["message"].(string))
			continue
		}
		done++
		dir := tree(t, n.written(m["result"].(map[string]any)))
		last := old[strings.LastIndex(old, ":")+1:]
		word := regexp.MustCompile(`(?i)\b` + last + `\b`)
		after := compileAll(t, dir)
		for node, was := range before {
			is := after[node]
			a, b := alike(t, word, was), alike(t, word, is)
			for i := range a {
				if i >= len(b) || a[i] != b[i] {
					t.Errorf("%s: %s to %s changes %s at\n%s", x.file, old, to, node, a[i])
					break
				}
			}
		}
	}
	n.bye()
	return done, no
}

// alike are the resources and edges of a catalog with one name in place of another, without places and tags.
func alike(t *testing.T, word *regexp.Regexp, text string) (lines []string) {
	t.Helper()
	var c struct{ Resources, Edges []map[string]any }
	if err := json.Unmarshal([]byte(word.ReplaceAllString(text, "zz_renamed")), &c); err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Resources {
		delete(r, "file")
		delete(r, "line")
		delete(r, "tags")
		lines = append(lines, strings.ToLower(fmt.Sprint(r)))
	}
	for _, e := range c.Edges {
		lines = append(lines, strings.ToLower(fmt.Sprint(e)))
	}
	slices.Sort(lines)
	return lines
}

// compileAll are the catalogs of all nodes of a tree.
func compileAll(t *testing.T, dir string) map[string]string {
	t.Helper()
	ws := compiler.NewWorkspace(dir, compiler.Options{Language: source.Puppet8})
	snap, err := ws.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	real, err := fleet.Nodes(ws.Disk(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, node := range fleet.Real(real) {
		result, err := snap.Compile(context.Background(), node.Node)
		if err != nil {
			t.Fatal(err)
		}
		if result.Catalog == nil {
			t.Fatalf("%s does not compile", node.Node.Name)
		}
		text, err := catalog.JSON{}.Append(nil, result.Catalog)
		if err != nil {
			t.Fatal(err)
		}
		out[result.Catalog.Name] = string(text)
	}
	return out
}

// TestByteOrderMark: editors show a file without the mark at its beginning, so it counts in no position; an editor that
// has it in its text counts it.
func TestByteOrderMark(t *testing.T) {
	const mark = "\ufeff"
	files := maps.Clone(named)
	for _, f := range []string{"data/common.yaml", "modules/web/templates/a.erb"} {
		files[f] = mark + files[f]
	}
	n := navigate(t, files)
	edit, why := n.renameIn("modules/web/manifests/init.pp", "port,", 1, "gate")
	if why != "" {
		t.Fatal(why)
	}
	at := func(uri string) map[string]any {
		list := changesOf(edit)[uri]
		if len(list) == 0 {
			t.Fatalf("nothing changes in %s: %v", uri, edit)
		}
		return slices.MinFunc(list, comparePlaces).(map[string]any)["range"].(map[string]any)
	}
	column := func(r map[string]any) float64 { return r["start"].(map[string]any)["character"].(float64) }
	if got := column(at(n.uri("data/common.yaml"))); got != 0 && got != 5 {
		t.Errorf("the key is changed at %v", got)
	}
	if got, want := column(at(n.uri("modules/web/templates/a.erb"))), strings.Index(named["modules/web/templates/a.erb"],
		"@port %> at")+1; got != float64(want) {
		t.Errorf("the template is changed at %v, want %d", got, want)
	}
	n.open(filepath.Join(n.dir, "data/common.yaml"), files["data/common.yaml"])
	if edit, why = n.renameIn("modules/web/manifests/init.pp", "port,", 1, "gate"); why != "" {
		t.Fatal(why)
	}
	if got := column(at(n.uri("data/common.yaml"))); got != 3 && got != 8 {
		t.Errorf("of a text with the mark, the key is changed at %v", got)
	}
	n.bye()
}

// TestEditsAreVersioned: a client that can refuse an edit which is for another text is told which text it is for.
func TestEditsAreVersioned(t *testing.T) {
	const open = "modules/web/manifests/init.pp"
	files := maps.Clone(named)
	files[open] = strings.Replace(files[open], "  Integer $port,\n", "  Integer $port,\n  Integer $size = 3,\n", 1)
	for _, knows := range []bool{true, false} {
		n := &nav{dial(t, nil), tree(t, files)}
		n.ask("initialize", map[string]any{"processId": nil, "rootUri": "file://" + n.dir, "capabilities": map[string]any{
			"general":   map[string]any{"positionEncodings": []string{"utf-8"}},
			"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": knows}}}})
		n.notify("initialized", map[string]any{})
		n.open(filepath.Join(n.dir, open), files[open])
		n.edit(filepath.Join(n.dir, open), 7, nil, files[open]+"# more\n")
		n.rest()
		edit, why := n.renameIn(open, "port,", 1, "gate")
		if why != "" {
			t.Fatal(why)
		}
		if !knows {
			if edit["documentChanges"] != nil || edit["changes"] == nil {
				t.Errorf("a client that knows nothing of versions gets %v", edit)
			}
			n.bye()
			continue
		}
		list, _ := edit["documentChanges"].([]any)
		if edit["changes"] != nil || len(list) < 3 {
			t.Errorf("%v", edit)
		}
		check := func(list []any) {
			for _, x := range list {
				id := x.(map[string]any)["textDocument"].(map[string]any)
				var want any
				if id["uri"] == n.uri(open) {
					want = 7.0
				}
				if version, has := id["version"]; !has || version != want {
					t.Errorf("%v, want %v", id, want)
				}
			}
		}
		check(list)
		ask := n.pos(open, "3,", 1)
		actions := n.ask("textDocument/codeAction", map[string]any{"textDocument": ask["textDocument"],
			"range":   map[string]any{"start": ask["position"], "end": ask["position"]},
			"context": map[string]any{"diagnostics": []any{}}}).([]any)
		for _, a := range actions {
			list, _ := a.(map[string]any)["edit"].(map[string]any)["documentChanges"].([]any)
			if len(list) == 0 {
				t.Errorf("%v", a)
			}
			check(list)
		}
		if len(actions) == 0 {
			t.Error("no action is offered")
		}
		n.bye()
	}
}
