package lsp_test

import (
	"testing"

	"bunraku/lsp"
)

// TestCodeDescription: every problem that a client is shown leads to the page of its code, in the syntax, of a compile
// and beside it in the data, if the client says that it shows such links and there is a page.
func TestCodeDescription(t *testing.T) {
	dir := tree(t, map[string]string{
		"environment.conf":              "modulepath = modules\n",
		"hiera.yaml":                    "version: 5\n",
		"data/common.yaml":              "web::port: 'x'\n",
		"manifests/site.pp":             "include web\n",
		"modules/web/manifests/init.pp": "class web (Integer $port) { }\n",
		"modules/web/manifests/bad.pp":  "class web::bad {\n  notify { 'x' }\n}\n",
		"facts/a.json":                  `{"fqdn": "a"}`,
	})
	for _, supports := range []bool{true, false} {
		c := dial(t, func(o *lsp.Options) {
			o.Page = func(code string) string {
				if code == "P0001" {
					return "" // there is none
				}
				return "/pages/" + code + " ä.md"
			}
		})
		c.ask("initialize", map[string]any{"processId": nil, "rootUri": "file://" + dir, "capabilities": map[string]any{
			"textDocument": map[string]any{"publishDiagnostics": map[string]any{"codeDescriptionSupport": supports}}}})
		c.notify("initialized", map[string]any{})
		c.open(dir+"/modules/web/manifests/open.pp", "class web::open {\n  $a::b = 1\n}\n")
		c.rest()
		c.mu.Lock()
		seen := map[string]int{}
		for uri, p := range c.shown {
			for _, x := range p["diagnostics"].([]any) {
				d := x.(map[string]any)
				code := d["code"].(string)
				seen[code]++
				href := ""
				if about, is := d["codeDescription"].(map[string]any); is {
					href = about["href"].(string)
				}
				want := ""
				if supports && code != "P0001" {
					want = "file:///pages/" + code + "%20%C3%A4.md"
				}
				if href != want {
					t.Errorf("%s %v leads to %q, not %q", uri, d, href, want)
				}
			}
		}
		if seen["P0001"] == 0 || seen["P1003"] == 0 || seen["E0412"] < 2 {
			t.Errorf("shown are %v", seen)
		}
		c.mu.Unlock()
		c.bye()
	}
}
