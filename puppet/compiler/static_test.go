package compiler_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bunraku/puppet/compiler"
)

// TestCalleeOften: the files of a function that is not there are looked for once, however often code calls it.
func TestCalleeOften(t *testing.T) {
	dir := t.TempDir()
	for _, module := range []string{"a", "b", "c"} {
		if err := os.MkdirAll(filepath.Join(dir, "modules", module, "manifests"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c, err := compiler.NewWorkspace(dir, compiler.Options{}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for range 200_000 {
		if c.Callee("nowhere", nil).Known {
			t.Fatal("it is known")
		}
	}
	if took := time.Since(began); took > time.Second { // looking each time takes more than twice that
		t.Errorf("it takes %v", took)
	}
}
