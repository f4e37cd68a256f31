package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSixtyQuestions: the appendix of docs/explain.md has sixty questions, which TestDocs asks again. Here they are
// asked of the same site with secrets in it: the text that greets people and the addresses behind the shop are
// Sensitive. No answer shows them, in any format.
func TestSixtyQuestions(t *testing.T) {
	page, err := os.ReadFile("../../docs/explain.md")
	if err != nil {
		t.Fatal(err)
	}
	_, appendix, _ := strings.Cut(string(page), "## Appendix")
	var questions [][]string
	for _, block := range consoleBlocks(appendix) {
		for _, c := range block {
			questions = append(questions, splitWords(c.command))
		}
	}
	if len(questions) < 60 {
		t.Errorf("only %d questions", len(questions))
	}
	dir := filepath.Join(t.TempDir(), "shop")
	if err := os.CopyFS(dir, os.DirFS(shop)); err != nil {
		t.Fatal(err)
	}
	edit := func(name string, pairs ...string) {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(string(text), pairs[i]) {
				t.Fatalf("%s has no %q", name, pairs[i])
			}
			text = []byte(strings.Replace(string(text), pairs[i], pairs[i+1], 1))
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	edit("data/common.yaml", "lookup_options:\n",
		"lookup_options:\n  profile::base::motd:\n    convert_to: Sensitive\n  profile::web::shop::backends:\n    "+
			"convert_to: Sensitive\n")
	edit("site-modules/profile/manifests/base.pp", "  String   ", "  Sensitive[String]   ",
		"content => epp('profile/motd.epp', {",
		"content => Sensitive.new(epp('profile/motd.epp', {", "'text' => $motd,", "'text' => $motd.unwrap,", "    }),",
		"    })),")
	edit("site-modules/profile/manifests/web/shop.pp", "Hash[String, Pattern[/\\A[\\w.-]+:[0-9]+\\z/]] $backends = {},",
		"Sensitive[Hash] $backends,",
		"content => epp(", "content => Sensitive.new(epp(", "'backends' => $backends,", "'backends' => $backends.unwrap,",
		"      }),", "      })),")
	secrets := []string{"Property of the shop", "Be kind to it", "app1.shop.example:8080", "app2.shop.example:8080",
		"not-a-real-password"}
	asked := 0
	for _, q := range questions {
		for i := range q {
			q[i] = strings.Replace(q[i], "examples/shop", dir, 1)
		}
		for i, form := range [][]string{nil, {"--format", "json"}, {"--all"}} {
			if testing.Short() && i > 0 {
				break
			}
			code, out, errs := call(append(q[:len(q):len(q)], form...)...)
			asked++
			for _, s := range secrets {
				if strings.Contains(out+errs, s) {
					t.Errorf("%v %v shows %q:\n%s", q, form, s, out+errs)
				}
			}
			if strings.Contains(errs, "bug") || code == exitFailed && !strings.Contains(strings.Join(q, " "), "role=db") {
				t.Errorf("%v %v: exit %d, %s", q, form, code, errs)
			}
		}
	}
	t.Logf("%d questions, asked %d times", len(questions), asked)
}
