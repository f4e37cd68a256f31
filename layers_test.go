// Package bunraku_test holds the tests that look at the repository as a whole.
package bunraku_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// layers says which packages of this module a package may import directly. docs/architecture.md explains the order.
// A package that is not listed may not exist.
var layers = map[string]string{
	"source":                  "",
	"onigmo":                  "",
	"provenance":              "source",
	"syntax":                  "source onigmo",
	"value":                   "provenance onigmo",
	"types":                   "syntax source value provenance onigmo",
	"resource":                "source onigmo syntax value ruby",
	"resource/generate":       "",
	"facts":                   "source provenance value lookup/datafile",
	"catalog":                 "source provenance value resource",
	"eval":                    "source provenance onigmo syntax value types resource catalog",
	"environment":             "source syntax",
	"lookup":                  "source provenance onigmo value types lookup/datafile",
	"lookup/datafile":         "source provenance value onigmo",
	"functions":               "source provenance onigmo syntax value types resource catalog eval",
	"ruby":                    "source provenance value onigmo",
	"template":                "source provenance onigmo syntax value types resource catalog eval ruby",
	"functions/stdlib":        "source provenance onigmo syntax value types resource catalog eval functions lookup/datafile",
	"bridge":                  "source provenance value types eval",
	"compiler":                "source provenance syntax value types facts resource catalog eval environment lookup functions functions/stdlib template lookup/datafile bridge",
	"explain":                 "source provenance syntax value catalog",
	"mupuppet":                "source syntax",
	"smartfrog":               "source provenance",
	"verify":                  "verify/fs verify/sat",
	"verify/fs":               "",
	"verify/sat":              "",
	"verify/listing":          "",
	"verify/listing/generate": "verify/listing",
	"verify/model":            "source provenance value resource catalog verify verify/fs verify/listing",
	"bench/smartfrog":         "smartfrog bench/smartfrog/shape",
	"bench/smartfrog/shape":   "",
	"verify/fs/fstest":        "verify/fs",
	"cmd/bunraku":             "*",
	"report":                  "source syntax catalog verify/model",

	"internal/live":   "",                                                                                 // tests only
	"internal/ask":    "source syntax value catalog eval lookup/datafile internal/live",                   // tests only
	"internal/random": "",                                                                                 // tests only
	"internal/mutate": "source provenance syntax value types facts catalog eval template lookup/datafile", // tests only
}

func TestLayers(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		seen[pkg] = true
		allowed, listed := layers[pkg]
		if !listed {
			t.Errorf("%s: package %s is not in the layers table", path, pkg)
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range f.Imports {
			name, _ := strconv.Unquote(imp.Path.Value)
			room, ours := strings.CutPrefix(name, "bunraku/")
			if (room == "internal/live" || room == "internal/ask") && pkg != "internal/ask" {
				t.Errorf("%s: %s is for tests", path, room)
			}
			if ours && allowed != "*" && !contains(strings.Fields(allowed), room) {
				t.Errorf("%s: %s may not import %s (it may import: %s)", path, pkg, room, allowed)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 3 {
		t.Fatalf("only %d packages found: is the test run from the repository's root?", len(seen))
	}
}

// The table itself must have a bottom: no package may reach itself.
func TestLayersHaveNoCycle(t *testing.T) {
	var names []string
	for name := range layers {
		names = append(names, name)
	}
	sort.Strings(names)
	var visit func(name string, path []string)
	visit = func(name string, path []string) {
		if contains(path, name) {
			t.Fatalf("cycle: %s", strings.Join(append(path, name), " -> "))
		}
		for _, next := range strings.Fields(layers[name]) {
			if next != "*" {
				visit(next, append(path, name))
			}
		}
	}
	for _, name := range names {
		visit(name, nil)
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
