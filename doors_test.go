package bunraku_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A user's tree is read through source.Files and nothing else, so that one place decides what may be read. What is the
// user's own, and not the tree's, goes through a second door: the packages below, each with what it does there. Nobody
// else opens, lists or looks at a file, or runs a program.
var secondDoor = map[string]string{
	"source":         "the first door itself: what a live directory shows",
	"source/git":     "the objects of a repository",
	"verify/listing": "package lists, and the store that keeps them",
	"verify/sat":     "solvers that the user names",
	"puppet/bridge":  "the Ruby that the user lets run",
	"fleet/store":    "the store of a fleet's traces and results",
	"fleet/queue":    "the directory of the server that it starts: where it is, and how to log in",
	"report":         "baselines that the user names; marks that the user sets in a page",
	"serve": "certificates, rules and mounts that the user names; modules' files as agents get them; what " +
		"agents send",
	"cmd/bunraku":       "side files, stores and reports that the user names; git's blame",
	"puppetdb":          "directories of facts that the user names",
	"puppet/deploy":     "the cache of r10k that the user names",
	"puppet/classifier": "the classifier that the user names",
}

// pure are the names of os and path/filepath that touch no file.
var pure = map[string]string{
	"os": "Args Stdin Stdout Stderr Exit Getenv LookupEnv Interrupt Kill File FileInfo FileMode ErrNotExist ErrExist " +
		"ErrPermission ErrDeadlineExceeded " +
		"DevNull IsNotExist IsExist IsPermission PathError Signal Getpid Environ",
	"filepath": "Join Base Dir Ext Clean IsAbs IsLocal Rel ToSlash FromSlash Separator ListSeparator SplitList Split " +
		"Match VolumeName SkipDir SkipAll WalkFunc",
}

func TestDoors(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" ||
			d.Name() == "generate" || path == "internal" || path == "bench" || path == "packaging") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		touches := func(at token.Pos, what string) {
			used[pkg] = true
			if secondDoor[pkg] == "" {
				t.Errorf("%s: %s goes past source.Files with %s", fset.Position(at), pkg, what)
			}
		}
		names := map[string]string{} // by what the file calls a package
		for _, imp := range f.Imports {
			name, _ := strconv.Unquote(imp.Path.Value)
			switch name {
			case "os/exec", "io/ioutil", "syscall", "golang.org/x/sys/unix":
				if name == "syscall" && errnoOnly(f) {
					continue
				}
				touches(imp.Pos(), name)
			case "os", "path/filepath":
				local := filepath.Base(name)
				if imp.Name != nil {
					local = imp.Name.Name
				}
				names[local] = filepath.Base(name)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Obj == nil && names[x.Name] != "" {
				if !slices.Contains(strings.Fields(pure[names[x.Name]]), sel.Sel.Name) {
					touches(sel.Pos(), x.Name+"."+sel.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg, why := range secondDoor {
		if !used[pkg] && pkg != "source/git" {
			t.Errorf("%s touches no file any more (%s): take it off the list", pkg, why)
		}
	}
}

// errnoOnly reports whether a file uses syscall only to tell errors apart.
func errnoOnly(f *ast.File) bool {
	only := true
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "syscall" && x.Obj == nil {
				only = only && sel.Sel.Name[0] == 'E' && sel.Sel.Name == strings.ToUpper(sel.Sel.Name)
			}
		}
		return true
	})
	return only
}
