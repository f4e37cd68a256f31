package compiler_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"bunraku/internal/live"
	"bunraku/puppet/compiler"
)

// TestSmallSites compiles the environments of testdata/sites here and with real Puppet. Each is about one thing that
// modules bring; Ruby may run in those whose names begin with ruby_.
func TestSmallSites(t *testing.T) {
	live.Puppet(t)
	live.Files(t, ".rb")
	archives, err := filepath.Glob(filepath.Join("testdata", "sites", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatal("no sites", err)
	}
	root := t.TempDir()
	var dirs []string
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(root, strings.TrimSuffix(filepath.Base(name), ".txtar"))
		for _, f := range a.Files {
			path := filepath.Join(dir, f.Name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		dirs = append(dirs, dir)
	}
	answers := live.Compile(t, dirs)
	equal := 0
	for i, dir := range dirs {
		ruby := compiler.RubyOwn // as the program has it
		if strings.HasPrefix(filepath.Base(dir), "ruby_") {
			ruby = compiler.RubySystem
		}
		why, failed := compareAnswer(t, dir, answers[i], compiler.Options{Ruby: ruby})
		if why != "" {
			t.Errorf("%s: %s", filepath.Base(dir), why)
			continue
		}
		if failed {
			t.Logf("%s is refused by both: %s", filepath.Base(dir), answers[i])
		}
		equal++
	}
	t.Logf("score: small sites %d/%d", equal, len(dirs))
}
