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
	"budget":                   "",
	"source":                   "budget",
	"source/git":               "budget source",
	"puppet/onigmo":            "budget",
	"provenance":               "budget source",
	"puppet/syntax":            "budget source puppet/onigmo",
	"puppet/outline":           "puppet/syntax source",
	"puppet/value":             "budget provenance puppet/onigmo",
	"puppet/trace":             "source puppet/syntax puppet/value",
	"puppet/types":             "budget puppet/syntax source puppet/value provenance puppet/onigmo",
	"puppet/resource":          "budget source puppet/onigmo puppet/syntax puppet/value puppet/ruby puppet/ruby/syntax",
	"puppet/resource/generate": "",
	"puppet/facts":             "budget source provenance puppet/value puppet/lookup/datafile",
	"puppet/catalog":           "budget source provenance puppet/value puppet/resource",
	"puppet/record": "source provenance puppet/outline puppet/syntax puppet/value puppet/catalog " +
		"puppet/resource",
	"puppet/eval": "budget puppet/exported puppet/outline source provenance puppet/onigmo puppet/syntax " +
		"puppet/value puppet/types puppet/resource puppet/catalog puppet/record puppet/trace",
	"puppet/environment": "budget source puppet/syntax",
	"puppet/deploy":      "source source/git puppet/ruby/syntax",
	"puppet/lookup": "budget source provenance puppet/onigmo puppet/value puppet/types puppet/lookup/datafile " +
		"puppet/trace",
	"puppet/lookup/datafile": "budget source provenance puppet/value puppet/onigmo",
	"puppet/functions": "budget puppet/outline source provenance puppet/onigmo puppet/syntax puppet/value " +
		"puppet/types puppet/resource puppet/catalog puppet/eval puppet/ruby",
	"puppet/exported":   "source provenance puppet/value",
	"puppet/classifier": "internal/process source puppet/value puppet/lookup/datafile",
	"puppet/psych":      "puppet/lookup/datafile puppet/onigmo puppet/value",
	"puppet/ruby": "budget source provenance puppet/value puppet/onigmo puppet/psych puppet/lookup/datafile " +
		"puppet/ruby/syntax",
	"puppet/ruby/syntax": "source puppet/onigmo",
	"puppet/template": "budget puppet/outline source provenance puppet/onigmo puppet/syntax puppet/value " +
		"puppet/types puppet/resource puppet/catalog puppet/eval puppet/ruby puppet/ruby/syntax",
	"puppet/functions/stdlib": "budget puppet/outline source provenance puppet/onigmo puppet/syntax puppet/value " +
		"puppet/types puppet/resource puppet/catalog puppet/eval puppet/functions puppet/lookup/datafile puppet/psych " +
		"puppet/ruby",
	"puppet/bridge": "internal/process budget puppet/outline source provenance puppet/value puppet/types " +
		"puppet/eval puppet/ruby puppet/lookup/datafile",
	"puppet/compiler": "budget puppet/exported puppet/outline source provenance puppet/syntax puppet/value " +
		"puppet/types puppet/facts puppet/resource puppet/catalog puppet/record puppet/eval puppet/environment " +
		"puppet/lookup puppet/functions puppet/functions/stdlib puppet/template puppet/lookup/datafile puppet/bridge " +
		"puppet/classifier puppet/trace puppet/ruby puppet/ruby/syntax",
	"explain": "budget puppet/outline source provenance puppet/syntax puppet/value puppet/resource " +
		"puppet/catalog puppet/record",
	"explain/trial": "source provenance puppet/syntax puppet/value puppet/facts puppet/lookup/datafile " +
		"puppet/compiler explain",
	"mupuppet":                "budget source puppet/syntax",
	"smartfrog":               "budget source provenance",
	"verify":                  "budget verify/fs verify/sat",
	"verify/fs":               "budget",
	"verify/sat":              "budget",
	"verify/listing":          "",
	"verify/listing/generate": "verify/listing",
	"verify/model": "budget source provenance puppet/value puppet/resource puppet/catalog verify verify/fs " +
		"verify/listing",
	"bench/smartfrog":       "smartfrog bench/smartfrog/shape",
	"bench/smartfrog/shape": "",
	"verify/fs/fstest":      "verify/fs",
	"judge": "source puppet/value puppet/types puppet/facts puppet/resource puppet/catalog " +
		"puppet/record puppet/syntax puppet/environment report verify verify/listing verify/model verify/sat",
	"lint": "budget source puppet/environment puppet/value puppet/lookup/datafile",
	"diff": "source source/git provenance puppet/value puppet/types puppet/resource puppet/catalog " +
		"puppet/record puppet/environment explain",
	"fleet": "audit budget puppet/exported diff explain fleet/store report source source/git provenance " +
		"puppet/functions/stdlib puppet/resource puppet/lookup/datafile puppet/environment puppet/outline puppet/syntax " +
		"puppet/trace puppet/value puppet/types puppet/facts puppet/catalog puppet/eval puppet/compiler judge verify " +
		"verify/model",
	"fleet/migrate": "source puppet/syntax puppet/value puppet/types puppet/facts puppet/catalog puppet/compiler",
	"fleet/queue":   "diff",
	"fleet/store": "budget source provenance puppet/value puppet/types puppet/facts puppet/catalog " +
		"puppet/eval puppet/trace puppet/lookup puppet/compiler report/redact",
	"audit": "source puppet/syntax puppet/outline puppet/value puppet/facts puppet/resource " +
		"puppet/environment puppet/lookup/datafile puppet/template puppet/compiler",
	"docs":          "",
	"puppetdb":      "puppet/catalog puppet/exported puppet/resource puppet/value",
	"cmd/bunraku":   "*",
	"report":        "source puppet/syntax puppet/catalog verify/model",
	"report/redact": "source puppet/value puppet/catalog",
	"lsp": "audit explain fleet fleet/migrate judge lsp/protocol provenance puppet/catalog " +
		"puppet/compiler puppet/environment puppet/eval puppet/functions puppet/functions/stdlib puppet/lookup/datafile " +
		"puppet/outline puppet/resource puppet/syntax puppet/types puppet/value report report/redact source",
	"lsp/protocol": "",
	"serve": "internal/process puppet/psych puppet/trace judge report verify/model puppet/deploy puppetdb " +
		"puppet/exported diff explain source provenance puppet/classifier puppet/syntax puppet/value puppet/types " +
		"puppet/facts puppet/catalog puppet/eval puppet/environment puppet/compiler puppet/lookup/datafile report/redact",
	"web": "audit diff explain fleet judge mupuppet provenance puppet/catalog puppet/compiler " +
		"puppet/environment puppet/eval puppet/facts puppet/outline puppet/syntax puppet/value report report/redact " +
		"smartfrog source verify/model",
	"lsp/protocol/generate": "",

	// programs that are started
	"internal/process": "",

	// tests only
	"internal/live": "",
	// tests only
	"internal/ask": "source puppet/syntax puppet/value puppet/catalog puppet/eval puppet/lookup/datafile internal/live",
	// make test
	"internal/summary": "",
	// make dist
	"packaging": "",
	// tests only
	"internal/hostile": "",
	// tests only
	"internal/manynodes": "",
	// tests only
	"internal/random": "",
	// tests only
	"internal/mutate": "source provenance puppet/syntax puppet/value puppet/types puppet/facts puppet/catalog " +
		"puppet/record puppet/eval puppet/template puppet/lookup/datafile",
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
