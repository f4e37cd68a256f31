package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestExplainFinding: every finding of check can be asked for by its fingerprint, and each of its resources comes with
// the line that declares it.
func TestExplainFinding(t *testing.T) {
	code, out, err := call("check", shop, "--format", "json")
	if code != exitNo {
		t.Fatal(code, err)
	}
	var checked struct {
		Findings []struct {
			Code, Fingerprint string
			Resources         []struct{ Ref string }
		}
	}
	if err := json.Unmarshal([]byte(out), &checked); err != nil {
		t.Fatal(err)
	}
	if len(checked.Findings) < 3 {
		t.Fatalf("only %d findings", len(checked.Findings))
	}
	for _, f := range checked.Findings {
		code, out, err := call("explain", shop, "--finding", f.Fingerprint[:8], "--format", "json")
		var a findingAnswer
		if e := json.Unmarshal([]byte(out), &a); code != exitFine || e != nil {
			t.Errorf("%s %s: %d %v %s", f.Code, f.Fingerprint, code, e, err)
			continue
		}
		if len(a.Resources) != len(f.Resources) || a.Finding.Fingerprint != f.Fingerprint {
			t.Errorf("%s: %d of %d resources", f.Code, len(a.Resources), len(f.Resources))
		}
		for i, r := range a.Resources {
			if r.Resource != f.Resources[i].Ref || r.Set == nil || r.Set.Line == 0 || len(r.Depends) == 0 {
				t.Errorf("%s: %s is declared at %v and depends on %d places", f.Code, r.Resource, r.Set, len(r.Depends))
			}
		}
		if len(a.Resources) == 2 && len(a.Order) == 0 {
			t.Errorf("%s: nothing is said about the order", f.Code)
		}
		_, text, _ := call("explain", shop, "--finding", f.Fingerprint)
		if strings.Contains(text+out, "not-a-real-password") {
			t.Errorf("%s shows a secret:\n%s", f.Code, text)
		}
	}
	for _, id := range []string{"V999", "abcdef", ""} {
		if code, _, err := call("explain", shop, "--finding="+id); code == exitFine {
			t.Errorf("finding %q: exit %d, %s", id, code, err)
		}
	}
}
