package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/docs"
	"bunraku/report"
)

// TestCodePages: every code of docs/codes.md, and every check of metadata.json, has a page that is there when it is
// linked to, says what `explain CODE` says, and is made right if somebody broke it. What no message has gets none.
func TestCodePages(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	codes := []string{"metadata_json_license", "metadata_json_dependencies"}
	for line := range strings.Lines(docs.Codes) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "|" && report.IsCode(words[1]) {
			codes = append(codes, words[1])
		}
	}
	if len(codes) < 300 {
		t.Fatalf("%d codes", len(codes))
	}
	for _, code := range codes {
		path := codePage(code)
		text, err := os.ReadFile(path)
		must(t, err)
		if !strings.HasPrefix(string(text), "# "+code) {
			t.Errorf("%s: %s", code, text)
		}
		if !report.IsCode(code) {
			continue
		}
		for line := range strings.Lines(told(t, "explain", code)) {
			line = strings.TrimLeft(strings.TrimPrefix(strings.TrimSpace(line), "| "), " ")
			line = strings.TrimSpace(strings.TrimPrefix(line, code))
			if line != "" && !strings.Contains(strings.ToLower(string(text)), strings.ToLower(line)) {
				t.Errorf("the page of %s lacks %q", code, line)
			}
		}
	}
	must(t, os.WriteFile(codePage("V101"), []byte("broken"), 0o600))
	if text, err := os.ReadFile(codePage("V101")); err != nil || !strings.Contains(string(text), "require => Package") {
		t.Errorf("a broken page stays: %s", text)
	}
	for _, none := range []string{"V999", "", "../../x", "E0412/../x"} {
		if path := codePage(none); path != "" {
			t.Errorf("%q has a page: %s", none, path)
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(codePage("V101")), "*"))
	if err != nil || len(left) != len(slices.Compact(slices.Sorted(slices.Values(codes)))) {
		t.Errorf("%d files for %d codes", len(left), len(codes))
	}
	t.Setenv("XDG_CACHE_HOME", "/proc/none")
	if path := codePage("V101"); path != "" {
		t.Errorf("a page that cannot be written is linked to: %s", path)
	}
}

func told(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := call(args...)
	if code != exitFine {
		t.Fatalf("%v: %d %s", args, code, errs)
	}
	return out
}
