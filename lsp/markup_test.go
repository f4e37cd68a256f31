package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestForms: a client that says what it shows gets that: words without marks, and a list for an outline.
func TestForms(t *testing.T) {
	const page = "modules/web/manifests/init.pp"
	for _, x := range []struct {
		forms []string
		trees bool
	}{{[]string{"plaintext"}, false}, {[]string{"plaintext", "markdown"}, true}} {
		dir := tree(t, helped)
		c := dial(t, nil)
		c.ask("initialize", map[string]any{"processId": nil, "rootUri": "file://" + dir, "capabilities": map[string]any{
			"textDocument": map[string]any{"hover": map[string]any{"contentFormat": x.forms},
				"signatureHelp": map[string]any{"signatureInformation": map[string]any{
					"documentationFormat": x.forms}},
				"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": x.trees}}}})
		c.notify("initialized", map[string]any{})
		const text = "# Says <b>.\n# ---\nfunction web::say($x) {\n}\nclass web::own ($y = web::say(1)) {\n}\n"
		open := filepath.Join(dir, "modules/web/manifests/own.pp")
		c.open(open, text)
		c.rest()
		n := &nav{client: c, dir: dir}
		ask := func(method string, line, character int) map[string]any {
			return c.ask(method, map[string]any{"textDocument": map[string]any{"uri": "file://" + open},
				"position": map[string]any{"line": line, "character": character}}).(map[string]any)
		}
		hover := n.hover(page, "port,", 1)
		said := ask("textDocument/hover", 2, 12)["contents"].(map[string]any)["value"].(string)
		help := ask("textDocument/signatureHelp", 4, 30)["signatures"].([]any)[0].(map[string]any)["documentation"]
		symbols := c.ask("textDocument/documentSymbol", n.doc(page)).([]any)
		_, listed := symbols[0].(map[string]any)["location"]
		if listed == x.trees {
			t.Errorf("%v", symbols)
		}
		if marked := strings.Contains(hover, "```"); marked != x.trees || !strings.Contains(hover, "Integer $port") ||
			!strings.Contains(hover, "where it listens\n\n") || !strings.Contains(hover, "on b.example\n\n") ||
			!x.trees && (strings.Contains(hover, "---") || strings.Contains(hover, "\n\n\n")) {
			t.Errorf("%v: %s", x.forms, hover)
		}
		if plain := strings.Contains(said, "Says <b>."); plain == x.trees {
			t.Errorf("%v: %s", x.forms, said)
		}
		if kind := help.(map[string]any)["kind"]; (kind == "markdown") != x.trees {
			t.Errorf("%v: %v", x.forms, help)
		}
		if !x.trees {
			if in := symbols[1].(map[string]any); in["containerName"] != "web" || in["name"] != "$port" {
				t.Errorf("%v", in)
			}
		}
		c.bye()
	}
}
