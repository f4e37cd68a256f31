package lint

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// pieces are put into manifests to make others of them.
var pieces = []string{" ", "\n", "\t", "  \n", "{", "}", "[", "]", "(", ")", "'", "\"", "${", "}", "$", "#", "//",
	"/*", "*/", "/", "::", ":", ";",
	",", "=>", "->", "~>", "<-", "<|", "|>", "|", "=", "==", "\\", "?", "@(X)\n", "| X\n", "\"$a", "${a}", "$a-b", "Foo",
	"File", "String", "class ",
	"define a ", "case ", "node ", "if ", "unless ", "include ::a", "default", "undef", "0644", "010", "1.5", "é",
	"\r\n", "-", "*", "!", "%",
	"# lint:ignore:hard_tabs\n", "# lint:endignore\n", "\u00a0", "@", "type ", "inherits ", "function ", "'x': ",
	"ensure => present,"}

// mutant changes a text in a few places.
func mutant(r *rand.Rand, text string) string {
	for range 1 + r.IntN(4) {
		i := r.IntN(len(text) + 1)
		for i > 0 && i < len(text) && text[i]&0xC0 == 0x80 {
			i--
		}
		switch r.IntN(3) {
		case 0: // something is taken away
			j := min(len(text), i+1+r.IntN(12))
			for j < len(text) && text[j]&0xC0 == 0x80 {
				j++
			}
			text = text[:i] + text[j:]
		default:
			text = text[:i] + pieces[r.IntN(len(pieces))] + text[i:]
		}
	}
	return text
}

// TestAcceptLintMutants compares what is said about manifests that somebody has broken: the tokens must be
// puppet-lint's where the text makes no sense, too. What puppet-lint stops at is not compared.
func TestAcceptLintMutants(t *testing.T) {
	live.Accept(t)
	o := startOracle(t)
	var texts []string
	for _, path := range manifestsBelow(t, filepath.Join(fetched(t), "lint-modules"),
		"/usr/share/puppet/modules.available") {
		if text, err := os.ReadFile(path); err == nil && len(text) > 100 && len(text) < 2500 &&
			strings.ToValidUTF8(string(text), "") == string(text) {
			texts = append(texts, string(text))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	n, findings, differ, stopped := 2000, 0, 0, 0
	l := New(Options{})
	for range n {
		code := mutant(r, texts[r.IntN(len(texts))])
		a := o.ask(request{Path: "/modules/a/manifests/init.pp", Code: &code})
		res, err := l.File(context.Background(), "/modules/a/manifests/init.pp", code)
		if err != nil {
			t.Fatal(err)
		}
		if a.Crash != "" {
			stopped++
			continue
		}
		want, got := a.lines(), linesOf(res)
		findings += len(want)
		if slices.Equal(want, got) {
			continue
		}
		differ++
		if differ <= 10 {
			var only []string
			for _, line := range want {
				if !slices.Contains(got, line) {
					only = append(only, "- "+line)
				}
			}
			for _, line := range got {
				if !slices.Contains(want, line) {
					only = append(only, "+ "+line)
				}
			}
			t.Logf("%s\n%s", code, strings.Join(only[:min(len(only), 8)], "\n"))
		}
	}
	t.Logf("%d mutants, %d findings; %d mutants differ (bar: 0); puppet-lint stops at %d", n, findings, differ, stopped)
	if differ > 0 {
		t.Error("a bar is missed")
	}
}
