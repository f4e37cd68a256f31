package lsp_test

import "testing"

// TestCancelled: a request that is cancelled, before its turn or later, is answered once, with the protocol's code for
// that or as if nothing had happened.
func TestCancelled(t *testing.T) {
	n := navigate(t, named)
	var ids []int
	for range 50 {
		for _, method := range []string{"hover", "completion", "references", "definition"} {
			ask := n.pos("modules/web/manifests/init.pp", "port,", 1)
			ask["context"] = map[string]any{"includeDeclaration": true}
			ids = append(ids, n.send("textDocument/"+method, ask))
			n.notify("$/cancelRequest", map[string]any{"id": ids[len(ids)-1]})
		}
	}
	cancelled := 0
	for _, id := range ids {
		if e, is := n.answer(id)["error"].(map[string]any); is {
			cancelled++
			if e["code"] != -32800.0 {
				t.Fatalf("cancelled: %v", e)
			}
		}
	}
	if cancelled == 0 {
		t.Error("nothing was cancelled")
	}
	n.bye()
}
