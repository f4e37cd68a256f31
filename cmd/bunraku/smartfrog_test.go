package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// smartfrogRun runs the command and returns what it writes, both streams in one, and its exit code.
func smartfrogRun(args ...string) (string, int) {
	var out bytes.Buffer
	code := run(append([]string{"smartfrog"}, args...), strings.NewReader(""), &out, &out)
	return out.String(), code
}

// TestSmartfrogPage runs every transcript of docs/smartfrog.md again.
func TestSmartfrogPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "smartfrog.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	transcripts := 0
	for i, block := range strings.Split(string(page), "\n```") {
		if i%2 == 0 {
			continue // between two blocks
		}
		kind, text, _ := strings.Cut(block, "\n")
		if file, ok := strings.CutPrefix(kind, "smartfrog file="); ok {
			if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		command, want, _ := strings.Cut(text, "\n")
		args, ok := strings.CutPrefix(command, "$ bunraku smartfrog ")
		if kind != "console" || !ok {
			t.Fatalf("a block of kind %q with the command %q", kind, command)
		}
		transcripts++
		if got, _ := smartfrogRun(strings.Fields(args)...); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s\n got %s\nwant %s", command, got, want)
		}
	}
	if transcripts == 0 {
		t.Error("no transcript")
	}
}

// writeFiles makes files in the current directory.
func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSmartfrogExitCodes(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, map[string]string{
		"fine.sf":    "sfConfig extends { a 1; }",
		"wrong.sf":   "sfConfig extends { a b; }",
		"warning.sf": "p extends { a 1; b 2; } sfConfig extends p, { b 1; a 2; }",
	})
	tests := []struct {
		args string
		code int
		want string // part of what is written
	}{
		{"fine.sf", exitFine, `"a": 1`},
		{"fine.sf --format yaml", exitFine, "a: 1"},
		{"fine.sf --format sf", exitFine, "a 1;"},
		{"fine.sf --format xml", exitFailed, "unknown format"},
		{"fine.sf --explain a", exitFine, "fine.sf:1:20"},
		{"fine.sf --explain a --format yaml", exitFailed, "unknown format"},
		{"fine.sf --explain b", exitFailed, "S0401"},
		{"fine.sf --explain a::b", exitFailed, "no reference"},
		{"wrong.sf", exitFailed, "wrong.sf:1:22"},
		{"wrong.sf --explain a", exitFailed, "1 error"},
		{"warning.sf", exitFine, "S0201"},
		{"missing.sf", exitFailed, "no such file"},
		{"", exitFailed, "say what to compile"},
	}
	for _, test := range tests {
		got, code := smartfrogRun(strings.Fields(test.args)...)
		if code != test.code || !strings.Contains(got, test.want) {
			t.Errorf("smartfrog %s: exit %d\n%s", test.args, code, got)
		}
	}
}

func TestSmartfrogExplainJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, map[string]string{"x.sf": "A extends { v 1; }\nsfConfig extends { a extends A }"})
	got, code := smartfrogRun("x.sf", "--explain", "a:v", "--format", "json")
	var x struct {
		Reference string
		Value     int
		Where     struct {
			File         string
			Line, Column int
		}
		Steps []struct {
			Kind, From string
			Line       int
		}
		Dependency []struct{ Text string }
	}
	if err := json.Unmarshal([]byte(got), &x); err != nil || code != exitFine {
		t.Fatal(err, got)
	}
	if x.Value != 1 || x.Where.Line != 1 || x.Where.Column != 15 || len(x.Steps) != 2 || x.Steps[0].From != "A:v" ||
		len(x.Dependency) != 4 {
		t.Errorf("%+v", x)
	}
}

// TestSmartfrogIncludes tries which files may be read.
func TestSmartfrogIncludes(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, map[string]string{
		"sf/main.sf":    "sfConfig extends {\n#include \"../lib/base.sf\";\n}",
		"sf/secret.sf":  "sfConfig extends {\n#include \"link.sf\";\n}",
		"lib/base.sf":   "a 1;",
		"outside/it.sf": "b 2;",
	})
	if err := os.Symlink("/etc/passwd", "sf/link.sf"); err != nil {
		t.Fatal(err)
	}
	if got, code := smartfrogRun("sf/main.sf", "--include-root", "."); code != exitFine {
		t.Errorf("a file below the directory that the user named is not read: %s", got)
	}
	if got, _ := smartfrogRun("sf/main.sf"); !strings.Contains(got, "S0113") {
		t.Errorf("a file outside the directory of the specification is read: %s", got)
	}
	if got, _ := smartfrogRun("sf/secret.sf"); !strings.Contains(got, "S0111") || strings.Contains(got, "root:") {
		t.Errorf("a link to a file outside is followed: %s", got)
	}
	if got, _ := smartfrogRun("sf/main.sf", "--include-root", "sf"); !strings.Contains(got, "S0113") {
		t.Errorf("a file outside the root is read: %s", got)
	}
	t.Chdir("outside")
	if got, _ := smartfrogRun("../sf/main.sf"); !strings.Contains(got, "S0113") {
		t.Errorf("a file outside the directory of the specification is read: %s", got)
	}
	if got, code := smartfrogRun("../sf/main.sf", "--include-root", ".."); code != exitFine {
		t.Errorf("--include-root has no effect: %s", got)
	}
}
