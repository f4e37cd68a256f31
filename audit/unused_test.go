package audit_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/audit"
	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// thingOf is what a diagnostic calls unused: "class a::b".
func thingOf(d *source.Diagnostic) string {
	_, thing, _ := strings.Cut(d.Summary, "s the ") // nothing in this tree names the …, uses the …
	return thing
}

// unused are the things that nothing names, without the advice.
func unused(said []string) (out []string) {
	for _, s := range said {
		if rest, is := strings.CutPrefix(s, "U03"); is {
			rest, _, _ = strings.Cut(rest[3:], " (")
			_, thing, _ := strings.Cut(rest, " the ")
			out = append(out, thing)
		}
	}
	slices.Sort(out)
	return out
}

// What nothing names is told; what something can name is not, however it does.
func TestUnused(t *testing.T) {
	files := maps.Clone(site)
	for name, text := range map[string]string{
		// Named by nobody, or by nobody but itself, or in a comment.
		"modules/old/manifests/init.pp":     "class old($x = $old::y) { include old::also }\n",
		"modules/old/manifests/also.pp":     "# include old::thing\nclass old::also { }\n",
		"modules/old/manifests/thing.pp":    "define old::thing { old::thing { \"${title}x\": } }\n",
		"modules/old/functions/sum.pp":      "function old::sum($n) { old::sum($n - 1) }\n",
		"modules/old/types/port.pp":         "type Old::Port = Variant[Integer, Array[Old::Port]]\n",
		"modules/old/templates/gone.erb":    "x\n",
		"modules/old/files/gone.txt":        "x\n",
		"modules/old/files/.gitkeep":        "",
		"modules/old/files/FROM-ELSEWHERE":  "", // a note to people
		"modules/old/files/examples/x.conf": "x\n",
		"modules/old/files/x.conf.example":  "x\n",
		"modules/old/files/tool_test.py":    "import unittest\n", // pytest finds it
		// Somebody else's.
		"modules/other/Modulefile":           "name 'somebody-other'\nsource 'git://git.example/somebody/other'\n",
		"modules/other/manifests/init.pp":    "class other { }\n",
		"modules/other/manifests/thing.pp":   "define other::thing { }\n",
		"modules/other/files/gone.txt":       "x\n",
		"modules/web/templates/gone.txt.epp": "x\n",
		// Named in ways of which each is another one.
		"modules/web/manifests/named_at_server.pp": "define web::named_at_server { }\n",
		"server-1.pp":                           "node 'a' { web::named_at_server { 'x': } }\n",
		"modules/web/manifests/named_beside.pp": "define web::named_beside { }\n",
		"modules/not-one/manifests/x.pp":        "class x { web::named_beside { 'x': } }\n",
		"modules/web/manifests/by_path.pp":      "class web::by_path($at = \"/etc/${environment}/modules/web/files/keys\") { include web::by_data }\n",
		"data/by_path.yaml":                     "x: web::by_path\n",
		"modules/web/files/keys/a.pub":          "x\n",
		"modules/web/manifests/by_pieces.pp":    "define web::by_pieces { file(\"/e/${environment}/modules/web/templates/t/${title}.pem\") }\n",
		"modules/web/manifests/by_npm.pp":       "class web::by_npm { exec { \"ls ${x}/node_modules/${title}\": } }\n",
		"data/by_npm.yaml":                      "x: [web::by_npm, gone]\n", // a piece of no path
		"data/by_pieces.yaml":                   "x: web::by_pieces\n",
		"run.sh":                                "cd modules/web/templates\n", // not every file there
		"modules/web/templates/t/a.pem":         "x\n",
		"data/roles.yaml":                       "classes: [web::by_data]\n",
		"modules/web/manifests/by_data.pp":      "class web::by_data { include \"web::by_${facts['kernel']}\" }\n",
		"modules/web/manifests/by_linux.pp":     "class web::by_linux inherits web::parent { }\n",
		"modules/web/manifests/parent.pp":       "class web::parent { notify { $web::params::x: } }\n",
		"modules/web/manifests/params.pp":       "class web::params { $x = 1 create_resources('web::made', {}) }\n",
		"modules/web/manifests/made.pp":         "define web::made { Web::Collected <| |> }\n",
		"modules/web/manifests/collected.pp":    "define web::collected { realize(Class['web::realized']) }\n",
		"modules/web/manifests/realized.pp":     "class web::realized { $s = \"puppet:///modules/${module_name}/${x}.conf\" }\n",
		"modules/web/functions/erb.pp":          "function web::erb() { Web::Text }\n",
		"modules/web/types/text.pp":             "type Web::Text = Web::Piece\n",
		"modules/web/types/piece.pp":            "type Web::Piece = String\n",
		"modules/web/templates/caller.erb":      "<%= scope.call_function('web::erb', []) %><%= scope.function_template(['web/part.erb']) %>\n",
		"modules/web/templates/part.erb":        "x\n",
		"modules/web/files/one.conf":            "x\n",
		"modules/web/files/tree/deep/two.txt":   "x\n",
		"modules/web/files/by_ruby.json":        "x\n",
		"modules/web/lib/facter/web.rb":         "Facter.add(:web) { setcode { File.read(File.join(dir, 'by_ruby.json')) } }\n",
		"modules/web/manifests/sub.pp": "class web::sub inherits web { notify { \"${port} ${web::conf}\": }\n" +
			"file { '/x': source => 'puppet:///modules/web/tree', recurse => true, content => template('web/caller.erb') } }\n",
	} {
		files[name] = text
	}
	files["manifests/site.pp"] = "$tier = 'x'\nnode 'a' { include web, web::sub }\n" +
		"node default { $o = lookup('other') lookup('classes', {default_value => []}).include }\n"
	files["hiera.yaml"] += "  - {name: roles, path: roles.yaml}\n"
	want := []string{"class old", "define old::thing", "file modules/old/files/gone.txt", "function old::sum",
		"template modules/old/templates/gone.erb", "template modules/web/templates/gone.txt.epp", "type old::port"}
	if got := unused(check(t, files)); !slices.Equal(got, want) {
		t.Errorf("unused:\n  got  %q\n  want %q", got, want)
	}
	t.Run("a link", func(t *testing.T) {
		for to, names := range map[string]bool{"gone.txt": true, "": true, "gone": false, "..": false} {
			other := maps.Clone(files)
			other["pages/x"] = "-> ../modules/old/files/" + to
			if named := !slices.Contains(unused(check(t, other)), "file modules/old/files/gone.txt"); named != names {
				t.Errorf("a link to %q names the file: %t", to, named)
			}
		}
	})
	t.Run("classifier", func(t *testing.T) {
		for name, text := range map[string]string{
			"no classes in the main manifest": "$tier = 'x'\n",
			"a fact names the class":          "$tier = 'x'\ninclude web, $facts['role']\n",
			"a part of the data is not here":  "",
		} {
			other := maps.Clone(files)
			if text != "" {
				other["manifests/site.pp"] = text
			} else {
				delete(other, "data/roles.yaml")
			}
			if got := unused(check(t, other)); slices.Contains(got, "class old") {
				t.Errorf("%s: and yet class old is called unused", name)
			}
		}
	})
	t.Run("modules of another kind", func(t *testing.T) {
		for dir, named := range map[string]bool{"node_modules": false, "modules": true, "site-modules": true} {
			other := maps.Clone(files)
			delete(other, "modules/web/manifests/realized.pp")
			other["modules/web/manifests/collected.pp"] = "define web::collected { $f = ['/etc/gone.txt', " +
				"\"${title}/" + dir + "/${title}\"] }\n"
			if !slices.Contains(unused(check(t, other)), "file modules/old/files/gone.txt") != named {
				t.Errorf("${title}/%s/${title} may be any file of a module: want %t", dir, named)
			}
		}
	})
	t.Run("broken", func(t *testing.T) {
		other := maps.Clone(files)
		other["modules/web/manifests/broken.pp"] = "class web::broken {"
		if got := unused(check(t, other)); len(got) > 0 {
			t.Errorf("a file cannot be read, and yet it is known to name nothing of %q", got)
		}
	})
	t.Run("wanting", func(t *testing.T) {
		other := maps.Clone(files)
		other["Puppetfile"] = "mod 'someone-gone', '1.0.0'\n"
		if got := unused(checkWanting(t, other, true)); !slices.Equal(got, want) {
			t.Errorf("beside a module of somebody else's that is not there %q are unused, not %q", got, want)
		}
		other["Puppetfile"] += "mod 'ours', :git => 'x'\n"
		if got := unused(checkWanting(t, other, true)); slices.Contains(got, "class old") {
			t.Errorf("a module of the site's own is not there, and yet class old is called unused")
		}
	})
	t.Run("unknown function", func(t *testing.T) {
		other := maps.Clone(files)
		other["modules/old/manifests/also.pp"] = "class old::also { $x = own_template('gone') }\n"
		if got := unused(check(t, other)); slices.Contains(got, "template modules/old/templates/gone.erb") {
			t.Errorf("a function that is not here may read it, and yet it is called unused")
		}
		if got := unused(check(t, other)); !slices.Contains(got, "file modules/old/files/gone.txt") &&
			!slices.Contains(got, "template modules/web/templates/gone.txt.epp") {
			t.Errorf("a function that is not here cannot read what no text names a part of; but only %q are unused", got)
		}
	})
	t.Run("a name that Puppet does not take", func(t *testing.T) {
		other := maps.Clone(files)
		other["modules/web/manifests/b_ad.pp"] = "class web::b-ad { include old }\n"
		got := unused(check(t, other))
		if !slices.Contains(got, "define old::thing") || slices.Contains(got, "class old") {
			t.Errorf("its file can be read, and %q are unused", got)
		}
	})
}

// A realNode is a node of a real control repo: the workspace that compiles it, and the node.
type realNode struct {
	dir   string
	ws    *compiler.Workspace
	cover *source.Cover
	node  compiler.Node
}

func readNode(t *testing.T, dir string) realNode {
	n := realNode{dir: dir, cover: new(source.Cover)}
	opt := compiler.Options{Language: 7, Outside: true, Cover: n.cover}
	recorded := filepath.Join(dir, "impure.json")
	if _, err := os.Stat(recorded); err == nil {
		if opt.Mocks, err = compiler.ReadMocks(live.Mocks(t, recorded)); err != nil {
			t.Fatal(err)
		}
	}
	n.ws = compiler.NewWorkspace(dir, opt)
	name, err := os.ReadFile(filepath.Join(dir, "node.txt"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	n.node.Name = strings.TrimSpace(string(name))
	if n.node.Facts, err = facts.Parse(source.NewFile("facts.json", string(text)), n.node.Name); err != nil {
		t.Fatal(err)
	}
	return n
}

// without takes everything away that is called unused: files are gone, and definitions are blanks in theirs. It says of
// how many things.
func (n realNode) without(t *testing.T, snap *compiler.Snapshot, said source.Diagnostics) (*source.Overlay, int) {
	texts := map[string]string{}
	var gone []string
	for _, d := range said {
		kind, name, _ := strings.Cut(thingOf(d), " ")
		if kind == "template" || kind == "file" {
			if !filepath.IsAbs(name) {
				if _, err := os.Stat(name); err != nil {
					name = filepath.Join(n.dir, name)
				}
			}
			if _, err := os.Stat(name); err != nil {
				t.Fatal(err)
			}
			gone = append(gone, source.Absolute(name))
			continue
		}
		path := snap.Environment().Path(d.Place.File)
		if texts[path] == "" {
			texts[path] = d.Place.File.Text
		}
		tree, _ := syntax.Parse(d.Place.File, syntax.Options{})
		found := false
		for _, def := range tree.Defs {
			if at := def.Span(); at.Contains(d.Place.Span) {
				blank := strings.Map(func(c rune) rune {
					if c == '\n' {
						return c
					}
					return ' '
				}, texts[path][at.Start:at.End])
				texts[path], found = texts[path][:at.Start]+blank+texts[path][at.End:], len(blank) == at.Len()
			}
		}
		if !found {
			t.Fatalf("%s is no definition", name)
		}
	}
	over, err := source.NewOverlay(n.ws.Disk(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return over.Without(gone...), len(texts) + len(gone)
}

// TestAcceptUnused holds against what Puppet compiled for the nodes of real control repos: nothing that is called
// unused is in a catalog, is served to a node, or was rendered; and when all of it is taken away every catalog is the
// same.
func TestAcceptUnused(t *testing.T) {
	live.Accept(t)
	nodes, err := filepath.Glob(filepath.Join(live.Fetched(t, "sites"), "heldout", "*", "expected.json"))
	if err != nil || len(nodes) == 0 {
		t.Skip("no nodes of real sites are here")
	}
	ctx := context.Background()
	said := map[string]source.Diagnostics{} // by repository
	wrong, things, count, changed, away := 0, 0, 0, 0, 0
	for _, expected := range nodes {
		dir := filepath.Dir(expected)
		repo, _, _ := strings.Cut(filepath.Base(dir), "_")
		n := readNode(t, dir)
		snap, err := n.ws.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if said[repo] == nil {
			said[repo] = slices.DeleteFunc(audit.New(snap, nil, false).Check(), func(d *source.Diagnostic) bool {
				return !strings.HasPrefix(d.Code, "U03")
			})
			things += len(said[repo])
		}
		before, err := snap.Compile(ctx, n.node)
		if err != nil {
			t.Fatal(err)
		}
		count++
		over, taken := n.without(t, snap, said[repo])
		away = max(away, taken)
		rest, err := n.ws.Snapshot(ctx, over)
		if err != nil {
			t.Fatal(err)
		}
		after, err := rest.Compile(ctx, n.node)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case before.Catalog == nil || after.Catalog == nil:
			changed++
			t.Errorf("%s: no catalog, before %v, after %v", filepath.Base(dir), before.Failure, after.Failure)
		default:
			if diffs := catalog.Diff(before.Catalog, after.Catalog); len(diffs) > 0 {
				changed++
				t.Errorf("%s: without what is unused there are %d differences, the first: %s", filepath.Base(dir), len(diffs),
					diffs[0])
			}
		}
		text, err := os.ReadFile(expected)
		if err != nil {
			t.Fatal(err)
		}
		var real struct {
			Resources []struct {
				Type, Title string
				Parameters  struct{ Source any }
			}
		}
		if err := json.Unmarshal(text, &real); err != nil {
			t.Fatal(err)
		}
		for _, d := range said[repo] {
			kind, name, _ := strings.Cut(thingOf(d), " ")
			found := false
			switch kind {
			case "template":
				found = n.cover.HasKey(filepath.Join(dir, name), "") || n.cover.HasKey(name, "")
			default:
				for _, r := range real.Resources {
					found = found || kind == "class" && r.Type == "Class" && strings.EqualFold(r.Title, name) ||
						kind == "define" && strings.EqualFold(r.Type, name)
					if from, ok := r.Parameters.Source.(string); ok && kind == "file" {
						rest, is := strings.CutPrefix(from, "puppet:///modules/")
						module, file, _ := strings.Cut(rest, "/")
						found = found || is && strings.Contains(name+"/", "/"+module+"/files/"+file+"/")
					}
				}
			}
			if found {
				wrong++
				t.Errorf("%s: %s is called unused, and is used", filepath.Base(dir), thingOf(d))
			}
		}
	}
	t.Logf("unused: %d things of %d control repos, %d used by one of %d nodes (bar: 0)", things, len(said), wrong, count)
	t.Logf("unused: all of it taken away, %d of %d catalogs differ (bar: 0)", changed, count)
	if things == 0 || away == 0 {
		t.Error("nothing was called unused, so nothing was asked")
	}
}
