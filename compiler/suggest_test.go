package compiler

import (
	"os"
	"path/filepath"
	"testing"
)

// A misspelt function is answered with the one that was meant.
func TestFunctionSuggestion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "site.pp")
	if err := os.WriteFile(path, []byte("$x = versioncmpp('1', '2')\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Compile(Node{Name: "n"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Failure == nil || res.Failure.Help != "did you mean versioncmp?" {
		t.Errorf("%v", res.Failure)
	}
}
