package lsp_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func (n *nav) doc(file string) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": n.uri(file)}}
}

// TestInlayHints: behind parameters and variables stands what they come to; behind what says it itself nothing does,
// and what is Sensitive or made of that is nowhere.
func TestInlayHints(t *testing.T) {
	files := maps.Clone(named)
	files["modules/web/manifests/more.pp"] = `class web::more (
  Integer $port = $web::port + 1,
  Sensitive[String] $word = Sensitive('hush hush'),
) {
  $plain = 7
  $list = [$port, $web::port]
  $bare = "${word.unwrap}!"
}
`
	files["manifests/site.pp"] = strings.Replace(files["manifests/site.pp"], "include web\n",
		"include web\n  include web::more\n", 1)
	n := navigate(t, files)
	n.ready("modules/web/manifests/more.pp", "port = ", "8081")
	ask := n.doc("modules/web/manifests/more.pp")
	ask["range"] = at(0, 0, 100, 0)
	var got []string
	for _, x := range n.ask("textDocument/inlayHint", ask).([]any) {
		h := x.(map[string]any)
		p := h["position"].(map[string]any)
		got = append(got, fmt.Sprintf("%v:%v%v", p["line"].(float64)+1, p["character"].(float64)+1, h["label"]))
	}
	if want := []string{"2:16 8081", "6:8 [8081, 8080]"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	n.bye()
	if strings.Contains(n.all.String(), "hush hush") {
		t.Error("a secret was sent")
	}
}

// TestLenses: who has a class, who sets its parameters, who names it.
func TestLenses(t *testing.T) {
	n := navigate(t, named)
	n.ready("modules/web/manifests/init.pp", "port,", "8080")
	lens := func(file string) (out []string) {
		for _, x := range n.ask("textDocument/codeLens", n.doc(file)).([]any) {
			out = append(out, x.(map[string]any)["command"].(map[string]any)["title"].(string))
		}
		return out
	}
	for file, want := range map[string]string{
		"modules/web/manifests/init.pp":  "on 1 of 1 node · 2 values in Hiera · included by 2 · named 4 times",
		"modules/web/manifests/vhost.pp": "1 resource on 1 of 1 node · named 1 time",
		"modules/web/functions/greet.pp": "named 1 time",
		"modules/web/types/mode.pp":      "named 1 time",
	} {
		if got := lens(file); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q", file, got)
		}
	}
	n.bye()
}

// TestTokens: the words of a file by what they are.
func TestTokens(t *testing.T) {
	n := navigate(t, named)
	result := n.ask("textDocument/semanticTokens/full", n.doc("modules/web/manifests/vhost.pp")).(map[string]any)
	text := strings.Split(named["modules/web/manifests/vhost.pp"], "\n")
	legend := []string{"class", "type", "function", "variable", "parameter", "property", "string"}
	var got []string
	line, column := 0, 0
	data := result["data"].([]any)
	for i := 0; i < len(data); i += 5 {
		num := func(k int) int { return int(data[i+k].(float64)) }
		if num(0) > 0 {
			column = 0
		}
		line, column = line+num(0), column+num(1)
		got = append(got, text[line][column:column+num(2)]+" "+legend[num(3)])
	}
	want := []string{"web::vhost type", "String type", "docroot parameter", "file type", "docroot variable", "File type",
		"File type", "docroot variable"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	some := n.doc("modules/web/manifests/vhost.pp")
	some["range"] = at(1, 0, 1, 50)
	if part := n.ask("textDocument/semanticTokens/range", some).(map[string]any)["data"].([]any); len(part) != 10 {
		t.Errorf("of a line: %v", part)
	}
	n.bye()
}

// TestSelectionAndLinks: what a place is in, from the word outward; the files that a file names.
func TestSelectionAndLinks(t *testing.T) {
	n := navigate(t, named)
	n.ready("modules/web/manifests/init.pp", "port,", "8080")
	ask := n.pos("modules/web/manifests/init.pp", "mode =>", 1)
	ask["positions"] = []any{ask["position"]}
	delete(ask, "position")
	var got []string
	for x := n.ask("textDocument/selectionRange", ask).([]any)[0]; x != nil; x = x.(map[string]any)["parent"] {
		got = append(got, rangeText(x.(map[string]any)["range"]))
	}
	if len(got) < 4 || got[0] != "7:17-7:21" || got[len(got)-1] != "1:1-12:1" {
		t.Errorf("%q", got)
	}
	n.open(filepath.Join(n.dir, "deep.pp"), "$x = 1"+strings.Repeat(" + 1", 5000))
	ask = n.doc("deep.pp")
	ask["positions"] = []any{map[string]any{"line": 0, "character": 6}}
	deep := 0
	for x := n.ask("textDocument/selectionRange", ask).([]any)[0]; x != nil; x = x.(map[string]any)["parent"] {
		if deep++; deep == 1 && rangeText(x.(map[string]any)["range"]) != "1:6-1:7" {
			t.Errorf("the word: %v", x.(map[string]any)["range"])
		}
	}
	if deep > 200 {
		t.Errorf("ranges lie in one another %d deep", deep)
	}
	got = nil
	for _, x := range n.ask("textDocument/documentLink", n.doc("modules/web/manifests/init.pp")).([]any) {
		l := x.(map[string]any)
		got = append(got, rangeText(l["range"])+" "+strings.TrimPrefix(l["target"].(string), "file://"+n.dir+"/"))
	}
	want := []string{"7:53-7:62 modules/web/templates/a.erb", "8:38-8:47 modules/web/templates/b.epp"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	n.bye()
}

// TestCalls: who includes whom.
func TestCalls(t *testing.T) {
	n := navigate(t, named)
	item := n.ask("textDocument/prepareCallHierarchy", n.pos("manifests/site.pp", "web\n", 1)).([]any)[0]
	if name := item.(map[string]any)["name"]; name != "web" {
		t.Fatalf("prepared: %v", item)
	}
	names := func(method, end string) (out []string) {
		for _, x := range n.ask(method, map[string]any{"item": item}).([]any) {
			c := x.(map[string]any)
			out = append(out, fmt.Sprintf("%v %d", c[end].(map[string]any)["name"], len(c["fromRanges"].([]any))))
		}
		slices.Sort(out)
		return out
	}
	got := names("callHierarchy/incomingCalls", "from")
	if len(got) != 3 || got[2] != "web::child 2" {
		t.Errorf("incoming: %q", got)
	}
	if got := names("callHierarchy/outgoingCalls", "to"); !slices.Equal(got, []string{"web::greet 1", "web::mode 1"}) {
		t.Errorf("outgoing: %q", got)
	}
	n.bye()
}
