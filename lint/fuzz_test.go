package lint

import (
	"context"
	"strings"
	"testing"
	"time"
)

// FuzzLint looks for texts that make lint panic, in checking or in mending.
func FuzzLint(f *testing.F) {
	for _, s := range []string{"class a { file { 'b': mode => 0644 } }", "$a = @(\"X\")\n ${b}\n| X\n",
		"\"${\"${a}\"}\"", "// \n\"$x",
		"case $a { b: { } }", "# lint:ignore:x\n# lint:endignore", "a: b", "[", "{ {", "|$x|"} {
		f.Add(s)
	}
	l := New(Options{})
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := l.File(context.Background(), "/m/a/manifests/init.pp", text); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := l.Fix(context.Background(), "/m/a/manifests/init.pp", text); err != nil {
			t.Fatal(err)
		}
		if _, err := l.File(context.Background(), "/m/a/data/common.yaml", text); err != nil {
			t.Fatal(err)
		}
	})
}

// TestHostile gives lint texts that are made to take long. Each must end soon, with or without an answer.
func TestHostile(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 2_000
	}
	for name, text := range map[string]string{
		"braces":        strings.Repeat("{", n),
		"brackets":      strings.Repeat("([{", n),
		"classes":       strings.Repeat("class a ", n),
		"closed":        strings.Repeat("class a { ", n) + strings.Repeat("}", n),
		"colons":        strings.Repeat("a { b: c => ", n),
		"cases":         strings.Repeat("case { ", n) + strings.Repeat("}", n),
		"selectors":     strings.Repeat("? { ", n) + strings.Repeat("}", n),
		"strings":       strings.Repeat(`"${`, n),
		"nested":        strings.Repeat(`"${`, 200) + strings.Repeat(`}"`, 200),
		"lambdas":       "class a { " + strings.Repeat("|$x| {", n) + strings.Repeat("}", n) + "}",
		"includes":      strings.Repeat("include a ", n),
		"heredocs":      strings.Repeat("@(A) ", n) + "\n" + strings.Repeat("x A y\n", n),
		"blanks":        strings.Repeat(" \n", n),
		"arrows":        "a { 'b': " + strings.Repeat("c => 1, ", n) + "}",
		"params":        "class a (" + strings.Repeat("$a = 1, ", n) + ") { }",
		"controls":      strings.Repeat("# lint:ignore:a\n", n) + strings.Repeat("# lint:endignore\n", n),
		"ignored lines": strings.Repeat("# lint:ignore:hard_tabs\n# lint:endignore\n\t\n", n),
		"docs":          strings.Repeat("# @param a\n", n) + strings.Repeat("class a($a) { }\n", 200),
		"equals":        "class a {" + strings.Repeat("[$a, ", n) + strings.Repeat("] = ", n) + "}",
	} {
		began := time.Now()
		if _, err := New(Options{}).File(context.Background(), "/m/a/manifests/init.pp", text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, _, err := New(Options{}).Fix(context.Background(), "/m/a/manifests/init.pp", text); err != nil {
			t.Errorf("%s: --fix: %v", name, err)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s: %v", name, took)
		} else if took > time.Second {
			t.Logf("%s: %v", name, took)
		}
	}
}
