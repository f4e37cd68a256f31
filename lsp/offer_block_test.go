package lsp_test

import "testing"

// TestOfferedInBlocks: the variables of a block are offered in it, and nowhere else.
func TestOfferedInBlocks(t *testing.T) {
	const init = "modules/web/manifests/init.pp"
	n := navigate(t, map[string]string{"environment.conf": "modulepath = modules\n", "facts/a.json": `{"fqdn": "a"}`,
		"manifests/site.pp": "include web\n",
		init: "class web {\n  [1].each |$inner| {\n    $deep = 2\n    $w = $inn + 1\n    $v = $dee + 1\n  }\n" +
			"  $x = $inn\n  $y = $dee\n}\n"})
	n.rest()
	for _, c := range []struct {
		word, offers string
		nth          int
		is           bool
	}{{"$inn +", "inner", 1, true}, {"$dee +", "deep", 1, true}, {"$inn\n", "inner", 1, false},
		{"$dee\n", "deep", 1, false}} {
		p := n.pos(init, c.word, c.nth)
		p["position"].(map[string]any)["character"] = p["position"].(map[string]any)["character"].(int) + 4
		found := false
		for _, x := range n.ask("textDocument/completion", p).(map[string]any)["items"].([]any) {
			found = found || x.(map[string]any)["label"] == c.offers
		}
		if found != c.is {
			t.Errorf("at %q %s is offered: %v", c.word, c.offers, found)
		}
	}
	n.bye()
}
