package bunraku_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// declared lists every function, method and type of the repository by package and name, and every test by name.
func declared(t *testing.T) (names, tests map[string]bool) {
	names, tests = map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		pkg := strings.TrimSuffix(f.Name.Name, "_test")
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[pkg+"."+d.Name.Name] = true
				tests[d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[pkg+"."+s.Name.Name] = true
						if st, ok := s.Type.(*ast.StructType); ok {
							for _, field := range st.Fields.List {
								for _, n := range field.Names {
									names[pkg+"."+n.Name] = true
								}
							}
						}
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[pkg+"."+n.Name] = true
						}
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, tests
}

var (
	qualifiedName = regexp.MustCompile("`\\(?\\*?(\\w+)\\.(\\w+)\\)?(?:\\.(\\w+))?`")
	testName      = regexp.MustCompile(`\b((?:Test|Fuzz|Benchmark)\w+)`)
	citedRule     = regexp.MustCompile(`\(rules? (\d)`)
)

// TestPapers checks the pages that map papers to code: what they name exists, and what the code cites is on the page.
func TestPapers(t *testing.T) {
	names, tests := declared(t)
	member := map[string]bool{} // functions, methods and fields of verify are named by their own type there: Access.Joins
	for n := range names {
		_, short, _ := strings.Cut(n, ".")
		member[short] = true
	}
	rows := 0
	for _, page := range []string{"docs/papers/provenance.md", "docs/papers/rehearsal.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "| ") {
				continue
			}
			rows++
			for _, m := range qualifiedName.FindAllStringSubmatch(line, -1) {
				name := m[1] + "." + m[2]
				if m[3] != "" {
					name = m[1] + "." + m[3]
				}
				if m[2] == "go" { // a file
					continue
				}
				if !names[name] && !member[m[2]] {
					t.Errorf("%s names %s, which does not exist", page, m[0])
				}
			}
			for _, m := range testName.FindAllString(line, -1) {
				if !tests[m] {
					t.Errorf("%s names the test %s, which does not exist", page, m)
				}
			}
		}
	}
	if rows < 20 {
		t.Errorf("only %d rows found", rows)
	}
	page, err := os.ReadFile("docs/papers/provenance.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("puppet/eval/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range citedRule.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(string(page), "| rule "+m[1]+" |") {
				t.Errorf("%s cites rule %s, which docs/papers/provenance.md does not have", f, m[1])
			}
		}
	}
}
