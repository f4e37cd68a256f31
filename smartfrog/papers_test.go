package smartfrog

import (
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// citations returns, for each definition of the paper, the functions and types whose comments cite it.
func citations(t *testing.T) (cited map[int][]string, all map[string]bool) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	cited, all = map[int][]string{}, map[string]bool{}
	// The literal semantics, whose names start with lit, cites by saying what it is.
	inCompiler := regexp.MustCompile(`Definitions? (\d+)(?: to (\d+))? \(SmartFrog\)`)
	inLiteral := regexp.MustCompile(`^lit\w+ is Definition (\d+)()|, with Definition (\d+)`)
	add := func(name string, doc *ast.CommentGroup) {
		all[name] = true
		if doc == nil {
			return
		}
		text := strings.Join(strings.Fields(doc.Text()), " ")
		cites := func(n int) {
			if !slices.Contains(cited[n], name) {
				cited[n] = append(cited[n], name)
			}
		}
		for _, m := range inCompiler.FindAllStringSubmatch(text, -1) {
			first, _ := strconv.Atoi(m[1])
			last := first
			if m[2] != "" {
				last, _ = strconv.Atoi(m[2])
			}
			for n := first; n <= last; n++ {
				cites(n)
			}
		}
		for _, m := range inLiteral.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(m[1] + m[3])
			cites(n)
		}
	}
	for _, file := range files {
		f, err := goparser.ParseFile(gotoken.NewFileSet(), file, nil, goparser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				add(d.Name.Name, d.Doc)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						doc := s.Doc
						if doc == nil && len(d.Specs) == 1 {
							doc = d.Doc
						}
						add(s.Name.Name, doc)
					}
				}
			}
		}
	}
	return cited, all
}

// TestPapers checks the table of definitions against the code, both ways.
func TestPapers(t *testing.T) {
	text, err := os.ReadFile("../docs/papers/smartfrog.md")
	if err != nil {
		if text, err = os.ReadFile("../docs/papers.md"); err != nil {
			t.Fatal(err)
		}
	}
	cited, all := citations(t)
	row := regexp.MustCompile(`(?m)^\| SmartFrog (\d+) \|[^|]*\|([^|]*)\|([^|]*)\|`)
	quoted := regexp.MustCompile("`([A-Za-z]+)`")
	listed := map[int][]string{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		n, _ := strconv.Atoi(m[1])
		for _, q := range quoted.FindAllStringSubmatch(m[2], -1) {
			listed[n] = append(listed[n], q[1])
		}
		for _, q := range quoted.FindAllStringSubmatch(m[2]+m[3], -1) {
			if !all[q[1]] {
				t.Errorf("Definition %d: there is no %s", n, q[1])
			}
		}
	}
	for n := 1; n <= 27; n++ {
		if len(listed[n]) == 0 {
			t.Errorf("Definition %d is not in the table", n)
		}
		if len(cited[n]) == 0 {
			t.Errorf("no comment cites Definition %d", n)
		}
		for _, name := range cited[n] {
			if !slices.Contains(listed[n], name) {
				t.Errorf("%s cites Definition %d, but is not in its row", name, n)
			}
		}
		for _, name := range listed[n] {
			if !slices.Contains(cited[n], name) {
				t.Errorf("%s is in the row of Definition %d, but does not cite it", name, n)
			}
		}
	}
}
