package compiler

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Errors say what to do about them: a misspelt function is answered with the one that was meant, what only Puppet 8
// refuses with how to compile as Puppet 7 does.
func TestAdvice(t *testing.T) {
	for code, help := range map[string]string{
		"$x = versioncmpp('1', '2')": "did you mean versioncmp?",
		"$x = 1 + '1'":               "--strict warning",
		"$port = 1 $x = $prt":        "did you mean $port?",
		"$x = $nobody_set_it":        "--language 7",
		"define d($a = 0) {} d { 'x': } D <| |> { a => 1 }": "",
	} {
		path := filepath.Join(t.TempDir(), "site.pp")
		if err := os.WriteFile(path, []byte(code+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := NewWorkspace(path, Options{}).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Compile(context.Background(), Node{Name: "n"})
		if err != nil {
			t.Fatal(err)
		}
		if help == "" && res.Failure != nil || help != "" &&
			(res.Failure == nil || !strings.Contains(res.Failure.Help, help)) {
			t.Errorf("%s: %v", code, res.Failure)
		}
	}
}
