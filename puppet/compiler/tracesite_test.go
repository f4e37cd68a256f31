package compiler_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// tracedSite is an environment that asks every kind of question: node statements, classes and defines that are found in
// several ways, functions, type aliases and types of its own, all ways to name data, templates and files. facts are
// those of its nodes, by their names.
func tracedSite(t testing.TB) (texts, facts map[string]string) {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", "traced.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	texts, facts = map[string]string{}, map[string]string{}
	for _, f := range a.Files {
		if name, is := strings.CutPrefix(f.Name, "facts/"); is {
			facts[strings.TrimSuffix(name, ".json")] = string(f.Data)
		} else {
			texts[f.Name] = string(f.Data)
		}
	}
	return texts, facts
}
