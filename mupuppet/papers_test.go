package mupuppet

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/papers/mupuppet.md maps the paper's and the thesis's rules to functions and tests. It is checked both ways:
// what it names exists and says the same, and every function that calls itself a rule is in it.

type paperRow struct {
	rule, printed, tests string
	functions            []string
}

func paperRows(t *testing.T) []paperRow {
	t.Helper()
	var rows []paperRow
	for _, line := range strings.Split(readDoc(t, "papers/mupuppet.md"), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		if len(cells) != 4 || strings.HasPrefix(line, "|---") || strings.Contains(line, "| function |") {
			continue
		}
		r := paperRow{rule: strings.TrimSpace(cells[0]), printed: strings.TrimSpace(cells[1]),
			tests: strings.TrimSpace(cells[3])}
		for _, f := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(cells[2], -1) {
			r.functions = append(r.functions, f[1])
		}
		rows = append(rows, r)
	}
	return rows
}

var ruleComment = regexp.MustCompile(`^Rule ([A-Za-z0-9]+) \(`)

// declarations are the package's functions with their comments, methods as Type.method.
func declarations(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil {
				recv := fn.Recv.List[0].Type
				if star, ok := recv.(*ast.StarExpr); ok {
					recv = star.X
				}
				name = recv.(*ast.Ident).Name + "." + name
			}
			out[name] = fn.Doc.Text()
		}
	}
	return out
}

func TestPapers(t *testing.T) {
	rows := paperRows(t)
	funcs := declarations(t)
	cases := map[string]bool{}
	for _, c := range append(append([]ruleCase{}, ruleCases...), plusCases...) {
		cases["TestRules/"+c.rule] = true
	}
	for _, c := range annotatedCases {
		cases["TestAnnotated/"+c.rule] = true
	}
	mapped := map[string]bool{}         // rule
	mappedFunction := map[string]bool{} // rule function
	for _, r := range rows {
		mapped[r.rule] = true
		if len(r.functions) == 0 || r.tests == "" || r.printed == "" {
			t.Errorf("%s: an empty cell", r.rule)
		}
		for _, f := range r.functions {
			doc, ok := funcs[f]
			if !ok {
				t.Errorf("%s: there is no function %s", r.rule, f)
			}
			if m := ruleComment.FindStringSubmatch(doc); m != nil {
				mappedFunction[f+" "+m[1]] = mappedFunction[f+" "+m[1]] || m[1] == r.rule
			}
		}
		for _, test := range strings.Split(r.tests, ", ") {
			top, sub, hasSub := strings.Cut(test, "/")
			if _, ok := funcs[top]; !ok || hasSub && !cases[test] {
				t.Errorf("%s: there is no test %s %s", r.rule, top, sub)
			}
		}
	}
	for name, doc := range funcs {
		if m := ruleComment.FindStringSubmatch(doc); m != nil && !mappedFunction[name+" "+m[1]] {
			t.Errorf("%s says that it is rule %s; the page does not", name, m[1])
		}
	}
	for _, r := range Rules() {
		if !mapped[r.Name] {
			t.Errorf("rule %s is not on the page", r.Name)
		}
	}
}
