package compiler

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// dataSites are those of the small sites that have data of their own and need no module from elsewhere.
func dataSites(t *testing.T, root string, mutations int) (out []*subject) {
	archives, err := filepath.Glob(filepath.Join("testdata", "sites", "data_*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatal("no sites with data", err)
	}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, f := range a.Files {
			files[f.Name] = string(f.Data)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		s := &subject{kind: "small sites", name: name, dir: filepath.Join(root, "small", name), mutations: mutations}
		write(t, s.dir, files)
		out = append(out, s)
	}
	return out
}
