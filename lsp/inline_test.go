package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestInlineTexts: what is wrong with a text that is a template is told in the manifest that renders it. No editor can
// open the text.
func TestInlineTexts(t *testing.T) {
	const site = "manifests/site.pp"
	for text, want := range map[string]string{
		"  $z = inline_epp('<%= fail(\"x\") %>')\n":      "2:3-2:38 E0401 Evaluation Error: Error while evaluating",
		"  $z = inline_epp('<%= $nope + 1 %>')\n":        "2:3-2:38 E0301 Evaluation Error: Unknown variable: 'nope'",
		"  $z = inline_template('<%= raise \"x\" %>')\n": "2:8-2:43 E0401 Evaluation Error: Error while evaluating",
		"  $z = inline_template('<%= { %>')\n":           "2:8-2:35 E0401 Evaluation Error: Error while evaluating",
	} {
		n := navigate(t, map[string]string{"environment.conf": "", "facts/a.json": `{"fqdn": "a"}`,
			site: "node default {\n" + text + "}\n"})
		n.rest()
		n.mu.Lock()
		for uri := range n.shown {
			if uri != n.uri(site) {
				t.Errorf("%s: told of %s", text, uri)
			}
		}
		if got := n.told(filepath.Join(n.dir, site)); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%s: %q", text, got)
		}
		n.mu.Unlock()
		if strings.Contains(n.all.String(), `inline%20`) {
			t.Errorf("%s: there is a way into the text", text)
		}
		n.bye()
	}
}
