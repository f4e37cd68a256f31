package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"bunraku/diff"
	"bunraku/report"
	"bunraku/source"
)

// TestStatic: a report is one file whose policy allows the style and the script in it and nothing else; whatever names
// hold stays text.
func TestStatic(t *testing.T) {
	hostile := "</style><script>alert(1)</script>\u202e\x1b[31m\"'<img src=x onerror=alert(2)>"
	f := source.NewFile(hostile+".pp", "notify { '"+hostile+"': }\n")
	run := &report.Run{Command: "check", Name: hostile}
	n := &report.Node{Name: hostile}
	run.Nodes = append(run.Nodes, n)
	run.Add(n, &source.Diagnostic{Code: "E0001", Summary: hostile, Detail: hostile, Help: hostile, Label: hostile,
		Place: source.Place{File: f, Span: source.Span{Start: 0, End: 6}}})
	r := diff.NewReport([]string{hostile})
	r.Name, r.From, r.To, r.Notes = hostile, hostile, hostile, []string{hostile}
	r.Consequences = append(r.Consequences,
		&diff.Consequence{Effect: diff.Effect{Kind: diff.EffectRestarts, Text: hostile}, Nodes: []int{0}})
	for name, write := range map[string]func(Page) error{
		"check": func(p Page) error { return CheckReport(p, run, []string{hostile}) },
		"diff":  func(p Page) error { return DiffReport(p, r) },
	} {
		var out bytes.Buffer
		if err := write(Page{Raw: func(s string) error { out.WriteString(s); return nil }, Text: &out}); err != nil {
			t.Fatal(err)
		}
		page := out.String()
		for tag, policy := range map[string]string{"style": "style-src", "script": "script-src"} {
			found := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
			if len(found) != 1 {
				t.Fatalf("%s: %d elements %s", name, len(found), tag)
			}
			sum := sha256.Sum256([]byte(found[0][1]))
			if want := policy + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(page, want) {
				t.Errorf("%s: the policy does not have %s", name, want)
			}
		}
		for _, bad := range []string{"<img", "alert(1)</script>", "\u202e", "\x1b", "http://", "https://",
			" onerror=alert(2)>", "style=", "&#x202e;"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s holds %q", name, bad)
			}
		}
		if strings.Count(page, "alert(1)") < 4 || !strings.Contains(page, `\u202e`) {
			t.Errorf("%s does not show the names", name)
		}
	}
}
