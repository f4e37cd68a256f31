package lsp_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// ready waits until the nodes have been compiled: a hover then knows values.
func (n *nav) ready(file, text string, want string) {
	n.t.Helper()
	for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(10 * time.Millisecond) {
		if strings.Contains(n.hover(file, text, 1), want) {
			return
		}
	}
	n.t.Fatalf("no value came: %s", n.hover(file, text, 1))
}

// hover is what is said of the n-th occurrence of a text.
func (n *nav) hover(file, text string, nth int) string {
	n.t.Helper()
	h, _ := n.ask("textDocument/hover", n.pos(file, text, nth)).(map[string]any)
	if h == nil {
		return ""
	}
	return h["contents"].(map[string]any)["value"].(string)
}

var helped = map[string]string{
	"environment.conf": "modulepath = modules\n",
	"hiera.yaml": "version: 5\nhierarchy:\n  - name: Node\n    path: \"%{facts.fqdn}.yaml\"\n  - name: " +
		"Common\n    path: common.yaml\n",
	"data/common.yaml": "web::port: 8080\nweb::secret: hunter2-and-more\nlookup_options:\n  web::secret:\n    " +
		"convert_to: Sensitive\n",
	"data/b.example.yaml": "web::port: 8443\n",
	"facts/a.json":        `{"fqdn": "a.example", "os": {"name": "Debian", "release": {"major": "12"}}}`,
	"facts/b.json":        `{"fqdn": "b.example", "os": {"name": "Debian", "release": {"major": "12"}}}`,
	"manifests/site.pp":   "node default {\n  include web\n}\n",
	"modules/web/manifests/init.pp": `# Serves pages.
#
# @param port
#   where it listens
# @param secret for the door
class web (
  Integer $port,
  Sensitive[String] $secret,
) {
  $os = $facts['os']['name']
  file { '/etc/web':
    ensure  => file,
    mode    => '0644',
    content => web::render("port ${port} ${secret.unwrap}"),
  }
  $size = size([1, 2])
}
`,
	"modules/web/functions/render.pp": "# Renders.\nfunction web::render(String $text, Integer $times = 1) >> String " +
		"{\n  $text\n}\n",
	"modules/web/functions/sum.pp":   "function web::sum(Integer *$list) {\n  $list\n}\n",
	"modules/web/manifests/vhost.pp": "define web::vhost (String $docroot, Integer $port = 80) {\n}\n",
}

// TestHover: what a word is, and its value on each node with where it comes from.
func TestHover(t *testing.T) {
	n := navigate(t, helped)
	const init = "modules/web/manifests/init.pp"
	n.ready(init, "port,", "8443")
	for _, x := range []struct {
		file, text string
		nth        int
		want       []string
	}{
		{init, "port,", 1, []string{"Integer $port", "where it listens", "on a.example\n", "8080", "data/common.yaml:1:12",
			"on b.example\n", "8443", "data/b.example.yaml:1:12", `level "Node"`}},
		{"data/common.yaml", "web::port", 1, []string{"Integer $port", "on b.example", "8443"}},
		{"manifests/site.pp", "web", 1, []string{"class web (", "Serves pages.", "on a.example\n",
			"declared manifests/site.pp:2:3"}},
		{init, "mode ", 1, []string{"file mode", "'0644'", "on a.example, b.example"}},
		{init, "os']", 1, []string{"on a.example, b.example"}},
		{init, "name']", 1, []string{"'Debian'"}},
		{init, "size(", 1, []string{"size("}},
		{init, "web::render", 1, []string{"function web::render(String $text, Integer $times = 1) >> String", "Renders."}},
		{init, "file {", 1, []string{"resource type", "ensure"}},
		{init, "secret,", 1, []string{"Sensitive[String] $secret", "for the door"}},
	} {
		got := n.hover(x.file, x.text, x.nth)
		for _, want := range x.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s %q lacks %q:\n%s", x.file, x.text, want, got)
			}
		}
		if strings.Contains(got, n.dir) {
			t.Errorf("%q: the path of the folder is in it:\n%s", x.text, got)
		}
	}
	n.bye()
	if strings.Contains(n.all.String(), "hunter2") {
		t.Error("the secret is in a message")
	}
}

// TestHoverIsHarmless: what a stranger has written above a class fetches nothing and is no markup.
func TestHoverIsHarmless(t *testing.T) {
	n := navigate(t, map[string]string{
		"manifests/site.pp": "# Look ![here](https://example.com/x.png) <img src=\"https://example.com/y.png\"> 1 < " +
			"2\nclass a { }\ninclude a\n",
	})
	got := n.hover("manifests/site.pp", "a ", 1)
	if !strings.Contains(got, "Look") || strings.Contains(got, "![") || strings.Contains(got, "<img") ||
		!strings.Contains(got, "1 < 2") {
		t.Error(got)
	}
	n.bye()
}

// TestCompletion: what can stand at a place, nearest first.
func TestCompletion(t *testing.T) {
	n := navigate(t, helped)
	n.ready("modules/web/manifests/init.pp", "port,", "8443")
	file := filepath.Join(n.dir, "modules/web/manifests/new.pp")
	n.open(file, "")
	version := 1
	offered := func(path, text string) (labels []string) {
		version++
		n.edit(path, version, nil, text)
		last := text[strings.LastIndexByte(text, '\n')+1:]
		r := n.ask("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": "file://" + path},
			"position": map[string]any{"line": strings.Count(text, "\n"), "character": len(last)}})
		for _, x := range r.(map[string]any)["items"].([]any) {
			item := x.(map[string]any)
			labels = append(labels, fmt.Sprint(item["label"]))
			edit := item["textEdit"].(map[string]any)
			if end := edit["range"].(map[string]any)["end"].(map[string]any); end["character"].(float64) != float64(len(last)) {
				t.Errorf("%q: %v", text, edit)
			}
		}
		return labels
	}
	const head = "class web::new (String $first) inherits web {\n  $second = 1\n"
	for _, x := range []struct {
		text  string
		want  []string // among what is offered
		first int      // within the first so many; 0 for anywhere
	}{
		{head + "  include w", []string{"web", "web::new"}, 3},
		{head + "  $", []string{"first", "second", "port", "facts"}, 20},
		{head + "  notify { \"${fir", []string{"first"}, 1},
		{head + "  $web::po", []string{"web::port"}, 1},
		{head + "  $x = $facts['", []string{"os", "fqdn"}, 5},
		{head + "  $x = $facts['os']['", []string{"name", "release"}, 5},
		{head + "  file { '/x':\n    ens", []string{"ensure"}, 1},
		{head + "  file { '/x':\n    ensure => file,\n    mo", []string{"mode"}, 2},
		{head + "  file { '/x':\n    ensure => dir", []string{"directory"}, 1},
		{head + "  web::vhost { 'x':\n    ", []string{"docroot", "port"}, 2},
		{head + "  class { 'web':\n    po", []string{"port"}, 1},
		{head + "  class { 'we", []string{"web"}, 1},
		{head + "  web::v", []string{"web::vhost"}, 1},
		{head + "  pack", []string{"package"}, 1},
		{head + "  $x = lookup('web::", []string{"web::port", "web::secret"}, 2},
		{head + "  $x = web::r", []string{"web::render"}, 3},
		{head + "  $x = empt", []string{"empty"}, 2},
		{"class a (\n  Opt", []string{"Optional"}, 1},
		{head + "  Class['we", []string{"web"}, 1},
	} {
		got := offered(file, x.text)
		within := got
		if x.first > 0 {
			within = got[:min(x.first, len(got))]
		}
		for _, want := range x.want {
			if !slices.Contains(within, want) {
				t.Errorf("%q lacks %s: %.300q", x.text, want, got)
			}
		}
	}
	data := filepath.Join(n.dir, "data/common.yaml")
	n.open(data, helped["data/common.yaml"])
	if got := offered(data, "web::port: 1\nweb::se"); !slices.Contains(got, "web::secret") {
		t.Errorf("data: %q", got)
	}
	n.bye()
}

// TestSignatureHelp: how the function is called whose arguments are being written.
func TestSignatureHelp(t *testing.T) {
	n := navigate(t, helped)
	file := filepath.Join(n.dir, "modules/web/manifests/new.pp")
	n.open(file, "")
	for i, x := range []struct {
		text, label string
		parameter   float64
	}{
		{"$x = web::render('a', ", "web::render(String $text, Integer $times = 1) >> String", 1},
		{"$x = web::render(size([1, 2", "", 0},
		{"$x = web::render(size([1, 2]), ", "web::render(String $text, Integer $times = 1) >> String", 1},
		{"$x = split('a,b', ", "split(", 1},
		{"notify { 'x': }", "", 0},
		{"'a'.web::render(", "web::render(String $text, Integer $times = 1) >> String", 1},
		{"web::sum(1, 2, 3, ", "web::sum(Integer *$list)", 0},
		{"web::sum(size([1]), 2).web::render(", "web::render(", 1},
		{"web::render( # a, b'\n  'x', ", "web::render(", 1},
		{"web::render( # a, b'\n  ", "web::render(", 0},
		{"web::render(\"${web::sum(1, ", "web::sum(", 0},
		{"web::render(\"a, ${web::sum(1)}, ", "web::render(", 0},
		{"web::render(\"a, ${web::sum(1)}, \", ", "web::render(", 1},
		{"web::render(regsubst('a', /[(,']/, ", "regsubst(", 2},
		{"web::render(4 / 2, ", "web::render(", 1},
		{"web::render(@(\"E\"), @(F), ", "web::render(", 2},
		{"web::render(@(\"E\"), ('x'))\n a, (\n | E\nweb::sum(", "web::sum(", 0},
		{"$x = @(\"E\")\n it's ${web::render(1, ", "web::render(", 1},
		{"notice(", "notice(Any *$values) >> Undef", 0},
		{"notice(1, 2, ", "notice(Any *$values) >> Undef", 0},
	} {
		n.edit(file, i+2, nil, x.text)
		r, _ := n.ask("textDocument/signatureHelp", map[string]any{"textDocument": map[string]any{"uri": "file://" + file},
			"position": map[string]any{"line": strings.Count(x.text, "\n"),
				"character": len(x.text) - strings.LastIndexByte(x.text, '\n') - 1}}).(map[string]any)
		if (r == nil) != (x.label == "") {
			t.Errorf("%s: %v", x.text, r)
			continue
		}
		if r == nil {
			continue
		}
		s := r["signatures"].([]any)[0].(map[string]any)
		if !strings.HasPrefix(s["label"].(string), x.label) || r["activeParameter"] != x.parameter {
			t.Errorf("%s: %v", x.text, r)
		}
	}
	n.bye()
}

// TestClassesNearby: of many classes that begin alike, those come first that go with the one that includes them.
func TestClassesNearby(t *testing.T) {
	files := map[string]string{"manifests/site.pp": "include role::shop::web\n"}
	class := func(name, body string) {
		file := strings.ReplaceAll(strings.SplitN(name, "::", 2)[1], "::", "/")
		files["modules/"+strings.SplitN(name, "::", 2)[0]+"/manifests/"+file+".pp"] = "class " + name + " {\n" + body + "}\n"
	}
	for i := range 40 {
		class(fmt.Sprintf("profile::aa%d", i), "")
		class(fmt.Sprintf("role::aa%d", i), fmt.Sprintf("  include profile::base\n  include profile::logs\n  include profile::aa%d\n", i))
	}
	for _, name := range []string{"profile::base", "profile::logs", "profile::shop::web", "profile::shop::db", "profile::certs"} {
		class(name, "")
	}
	class("role::shop::db", "  include profile::base\n  include profile::certs\n  include profile::shop::db\n")
	n := navigate(t, files)
	file := filepath.Join(n.dir, "modules/role/manifests/shop/web.pp")
	n.open(file, "")
	for i, x := range []struct{ before, after, want string }{
		{"  include pro", "", "profile::shop::web profile::base"},          // what goes with its name, what all have
		{"  include profile::base\n  include pro", "", "profile::logs"},    // what comes behind it
		{"  include pro", "\n  include profile::logs\n", "profile::base"},  // what comes before it
		{"  include profile::certs\n  include pro", "", "profile::shop::"}, // as in role::shop::db
		{"  include sho", "", "profile::shop::web"},                        // a part of the name is enough
	} {
		const head = "class role::shop::web {\n"
		n.edit(file, i+2, nil, head+x.before+x.after+"}\n")
		before := head + x.before
		list := n.ask("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": "file://" + file},
			"position": map[string]any{"line": strings.Count(before, "\n"),
				"character": len(before) - strings.LastIndexByte(before, '\n') - 1}}).(map[string]any)["items"].([]any)
		first := ""
		for _, item := range list[:min(3, len(list))] {
			first += item.(map[string]any)["label"].(string) + " "
		}
		for _, want := range strings.Fields(x.want) {
			if !strings.Contains(first, want) {
				t.Errorf("%q: the first are %s", x.before, first)
			}
		}
	}
	n.bye()
}

// TestCompletionOfFailing: a tree in which no node has ever compiled has facts, too.
func TestCompletionOfFailing(t *testing.T) {
	files := maps.Clone(helped)
	files["manifests/site.pp"] = "include nowhere\n"
	n := navigate(t, files)
	n.rest()
	offers := n.labels("manifests/new.pp", "$x = $facts['os']['")
	if !slices.Contains(offers, "release") {
		t.Errorf("%q", offers)
	}
	n.bye()
}

// TestCompletionBehindText: a quote asks for what can stand in a text, and also when it ends one: nothing begins there.
func TestCompletionBehindText(t *testing.T) {
	n := navigate(t, helped)
	for _, text := range []string{"file { '/x': mode => '0644'", "notify { 'x'", "$x = \"y\"", "include 'web'"} {
		if offers := n.labels("manifests/new.pp", text); len(offers) > 0 {
			t.Errorf("%s: %d offers", text, len(offers))
		}
	}
	n.bye()
}

// labels is what is offered at the end of a text.
func (n *nav) labels(file, text string) (labels []string) {
	n.open(filepath.Join(n.dir, file), text)
	r := n.ask("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": n.uri(file)},
		"position": map[string]any{"line": strings.Count(text, "\n"), "character": 1000}})
	for _, x := range r.(map[string]any)["items"].([]any) {
		labels = append(labels, fmt.Sprint(x.(map[string]any)["label"]))
	}
	return labels
}
