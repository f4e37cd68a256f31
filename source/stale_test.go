package source_test

import (
	"os"
	"path/filepath"
	"testing"

	"bunraku/source"
)

// TestStale: a view knows whether what it has shown is still so; what nobody has looked at does not count.
func TestStale(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("read", "one")
	write("listed/a", "")
	write("other/b", "")
	look := func() *source.Dir {
		t.Helper()
		d := source.NewDir(source.DirOptions{Roots: []string{root}})
		if _, err := d.Read(at("read")); err != nil {
			t.Fatal(err)
		}
		if _, err := d.List(at("listed")); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Stat(at("absent")); err == nil {
			t.Fatal("it is there")
		}
		return d
	}
	for _, x := range []struct {
		name   string
		change func()
		stale  bool
	}{
		{"nothing", func() {}, false},
		{"what nobody looked at", func() { write("other/c", "") }, false},
		{"a file", func() { write("read", "two") }, true},
		{"a directory", func() { write("listed/c", "") }, true},
		{"what was absent", func() { write("absent", "") }, true},
	} {
		d := look()
		x.change()
		if d.Stale() != x.stale {
			t.Errorf("%s: stale is %v", x.name, !x.stale)
		}
		os.Remove(at("absent"))
	}
}
