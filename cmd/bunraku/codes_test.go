package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bunraku/report"
)

var write = flag.Bool("write", false, "write docs/codes.md, and the outputs in the docs, instead of comparing them")

// families are the sections of docs/codes.md, by the letter that codes begin with.
var families = []struct{ letter, title, intro string }{
	{"P", "Syntax",
		"What the parser and the validator say about a manifest or a template. What needs the file is not compiled before " +
			"they are gone; everything else is."},
	{"E", "Evaluation", "Why a catalog could not be compiled, in Puppet's words where it has some."},
	{"U", "Code and templates that no node may reach",
		"What `check` can tell without running it. Nothing of this is an error before somebody comes there."},
	{"W", "Warnings", "Said once; the compile goes on."},
	{"H", "Hiera and data files", "hiera.yaml, data files, and lookups."},
	{"T", "Templates", ""},
	{"R", "Ruby", "The Ruby of templates and of module code."},
	{"N", "Environments", "environment.conf, modules and their metadata."},
	{"F", "Facts", ""},
	{"K", "Mocks", "The file that `--mock` names."},
	{"C", "Catalogs", "What makes a catalog useless although it compiles."},
	{"V", "Verification", "What `check` and `verify` find. [verify.md](verify.md) explains them."},
	{"D", "Differences", "What `diff` finds, in formats that show problems with places. [diff.md](diff.md) explains them."},
	{"A", "Assertions", "The file that `--assert` names, or bunraku.assert in an environment."},
	{"L", "Lint", "The options and control comments of `check --lint`; its findings have the names of puppet-lint's " +
		"checks. [lint.md](lint.md) explains it."},
	{"M", "µPuppet", "`bunraku mupuppet` only."},
	{"S", "SmartFrog", "`bunraku smartfrog` only."},
}

// TestCodes keeps docs/codes.md true: it is made from the codes that the program's source has, with what is said with
// them there. Write it with: go test ./cmd/bunraku -run TestCodes -write
func TestCodes(t *testing.T) {
	root := filepath.Join("..", "..")
	said, explained := map[string][]string{}, map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		if strings.HasSuffix(filepath.ToSlash(path), "report/code.go") {
			codesOf(f, explained)
		} else {
			codesOf(f, said)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for c := range explained {
		if said[c] == nil {
			t.Errorf("report/code.go explains %s, which nothing says", c)
		}
	}
	page := codesPage(t, said)
	file := filepath.Join(root, "docs", "codes.md")
	if *write {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != page {
		t.Error("docs/codes.md is not what the source says; write it with: go test ./cmd/bunraku -run TestCodes -write")
	}
}

func codesPage(t *testing.T, said map[string][]string) string {
	var b strings.Builder
	b.WriteString("# Every code that a message can have\n\nThis page is made from the program's source, and a test " +
		"compares them. `…` stands for what differs. A code never changes its meaning.\n")
	left := len(said)
	for _, f := range families {
		var codes []string
		for c := range said {
			if strings.HasPrefix(c, f.letter) {
				codes = append(codes, c)
			}
		}
		slices.Sort(codes)
		left -= len(codes)
		fmt.Fprintf(&b, "\n## %s: %s\n\n", f.letter, f.title)
		if f.intro != "" {
			b.WriteString(f.intro + "\n\n")
		}
		b.WriteString("| code | what it says |\n|---|---|\n")
		for _, c := range codes {
			text := report.Meaning(c)
			if text == "" {
				text = clearest(said[c])
			}
			if text == "" {
				t.Errorf("%s: nothing says what it means; add it to report/code.go", c)
			}
			fmt.Fprintf(&b, "| %s | %s |\n", c, strings.ReplaceAll(text, "|", `\|`))
		}
	}
	if left != 0 {
		t.Errorf("%d codes belong to no family", left)
	}
	return b.String()
}

// clearest joins what is said with a code: at most three different texts.
func clearest(texts []string) string {
	var out []string
	for _, s := range texts {
		if strings.Trim(s, "… :'.,") != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	if len(out) > 3 {
		out = append(out[:3], "…")
	}
	return strings.Join(out, "<br>")
}

var codeText = regexp.MustCompile(`^(V[0-9]{3}|[A-Z][0-9]{4})$`)

// codesOf collects the codes of a file with the texts that stand beside them.
func codesOf(f *ast.File, said map[string][]string) {
	var up []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			up = up[:len(up)-1]
			return true
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if code, err := strconv.Unquote(lit.Value); err == nil && codeText.MatchString(code) {
				said[code] = append(said[code], beside(lit, up))
			}
		}
		up = append(up, n)
		return true
	})
}

// beside is the text that goes with a code: its comment, the rest of its row, the summary of its diagnostic, or the
// next argument.
func beside(lit *ast.BasicLit, up []ast.Node) string {
	texts := func(list []ast.Expr, after bool) string {
		out := ""
		for _, e := range list {
			if after {
				if e == ast.Expr(lit) {
					after = false
				}
				continue
			}
			if s := shownText(e); strings.Trim(s, "…") != "" {
				out = s
				if _, ok := e.(*ast.BasicLit); !ok {
					return out
				}
			}
		}
		return out
	}
	for i := len(up) - 1; i >= 0 && i >= len(up)-3; i-- {
		switch p := up[i].(type) {
		case *ast.ValueSpec:
			return strings.TrimSpace(p.Comment.Text())
		case *ast.CallExpr:
			for k, a := range p.Args {
				if a == ast.Expr(lit) {
					for _, e := range p.Args[k+1:] {
						if s := shownText(e); strings.Trim(s, "… ") != "" {
							return s
						}
					}
				}
			}
			return ""
		case *ast.CompositeLit:
			for _, e := range p.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Summary" {
						return shownText(kv.Value)
					}
				}
			}
			return texts(p.Elts, true)
		}
	}
	return ""
}

var verb = regexp.MustCompile(`%[-+#0-9.]*[a-zA-Z]`)

// shownText is a text as far as the source has it.
func shownText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		if err != nil || e.Kind != token.STRING {
			return ""
		}
		s = strings.TrimPrefix(strings.TrimPrefix(s, "Evaluation Error: "), "Error while evaluating ")
		return strings.Join(strings.Fields(strings.ReplaceAll(verb.ReplaceAllString(s, "…"), "%%", "%")), " ")
	case *ast.BinaryExpr:
		x, y := shownText(e.X), shownText(e.Y)
		gap := ""
		if strings.HasSuffix(quotedEnd(e.X), " ") || strings.HasPrefix(quotedEnd(e.Y), " ") {
			gap = " "
		}
		return strings.ReplaceAll(x+gap+y, "……", "…")
	case *ast.CallExpr:
		if sel, ok := e.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sprintf" && len(e.Args) > 0 {
			return shownText(e.Args[0])
		}
		return "…"
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		return "…"
	}
	return ""
}

// quotedEnd is the raw text of a literal, for the blanks at its ends.
func quotedEnd(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok {
		s, _ := strconv.Unquote(lit.Value)
		return s
	}
	if b, ok := e.(*ast.BinaryExpr); ok {
		return quotedEnd(b.Y)
	}
	return ""
}
