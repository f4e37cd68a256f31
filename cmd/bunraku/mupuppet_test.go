package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The commands on docs/mupuppet.md are run again, in a folder with the page's manifests, and must print what the page
// says.

func runIn(t *testing.T, dir, command string) (string, int) {
	t.Helper()
	t.Chdir(dir)
	args := strings.Fields(command)
	if args[0] != "bunraku" {
		t.Fatalf("not a command of ours: %s", command)
	}
	var out bytes.Buffer
	code := run(args[1:], strings.NewReader(""), &out, &out)
	return out.String(), code
}

func mupuppetPage(t *testing.T) (page, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "mupuppet.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, m := range regexp.MustCompile("(?s)```puppet file=([^\n]*)\n(.*?)```\n").FindAllStringSubmatch(string(text),
		-1) {
		if err := os.WriteFile(filepath.Join(dir, m[1]), []byte(m[2]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return string(text), dir
}

func TestMupuppetPage(t *testing.T) {
	page, dir := mupuppetPage(t)
	consoles := regexp.MustCompile("(?s)```console\n\\$ ([^\n]*)\n(.*?)```\n").FindAllStringSubmatch(page, -1)
	if len(consoles) < 2 {
		t.Fatalf("found %d transcripts", len(consoles))
	}
	for _, m := range consoles {
		got, _ := runIn(t, dir, m[1])
		if diff := cmp.Diff(m[2], got); diff != "" {
			t.Errorf("%s: the page (-) and the program (+) differ:\n%s", m[1], diff)
		}
	}
}

// The walk through Figure 2 is the trace, in pieces.
func TestMupuppetWalk(t *testing.T) {
	page, dir := mupuppetPage(t)
	var walk strings.Builder
	for _, m := range regexp.MustCompile("(?s)```trace\n(.*?)```\n").FindAllStringSubmatch(page, -1) {
		walk.WriteString(m[1])
	}
	got, code := runIn(t, dir, "bunraku mupuppet figure2.pp --trace")
	if diff := cmp.Diff(walk.String(), got); diff != "" || code != exitFine {
		t.Errorf("exit code %d; the page (-) and the program (+) differ:\n%s", code, diff)
	}
	for _, line := range strings.Split(got, "\n") {
		if n := len([]rune(line)); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// --trace=json: one object a line, with the derivation, and the catalog as the last.
func TestMupuppetTraceJSON(t *testing.T) {
	page, dir := mupuppetPage(t)
	m := regexp.MustCompile("```derivation step=26\n(.*)\n```").FindStringSubmatch(page)
	if m == nil {
		t.Fatal("no derivation on the page")
	}
	got, _ := runIn(t, dir, "bunraku mupuppet figure2.pp --trace=json")
	lines := strings.Split(strings.TrimSpace(got), "\n")
	for i, line := range lines[:len(lines)-1] {
		var s struct {
			Step       int
			Rule       string
			Derivation []string
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil || s.Step != i+1 {
			t.Fatalf("line %d: %v: %s", i+1, err, line)
		}
		if s.Step == 26 {
			if d := strings.Join(append(s.Derivation, s.Rule), " "); d != m[1] {
				t.Errorf("step 26: the page says\n%s\nit is\n%s", m[1], d)
			}
		}
	}
	var last struct{ Resources []struct{ Title string } }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || len(last.Resources) != 3 {
		t.Errorf("%v: %s", err, lines[len(lines)-1])
	}
}

func TestMupuppetFlags(t *testing.T) {
	_, dir := mupuppetPage(t)
	for command, want := range map[string]string{
		"bunraku mupuppet":                                 "say what to run",
		"bunraku mupuppet nosuch.pp":                       "nosuch.pp",
		"bunraku mupuppet figure2.pp --format yaml":        `unknown format "yaml": json or text`,
		"bunraku mupuppet figure2.pp --trace=xml":          `unknown trace "xml"`,
		"bunraku mupuppet lazy-define.pp":                  "error[M0002]",
		"bunraku mupuppet missing-element.pp --provenance": "error[M0014]",
	} {
		got, code := runIn(t, dir, command)
		if code != exitFailed || !strings.Contains(got, want) {
			t.Errorf("%s: exit code %d, %s; want %d, %s", command, code, got, exitFailed, want)
		}
	}
	got, code := runIn(t, dir, "bunraku mupuppet unknown-node.pp --node elsewhere --format json")
	var catalog struct {
		Node      string
		Resources []struct {
			Type, Title string
			Parameters  map[string]any
		}
	}
	if err := json.Unmarshal([]byte(got), &catalog); err != nil || code != exitFine || catalog.Node != "elsewhere" ||
		len(catalog.Resources) != 2 {
		t.Errorf("--node elsewhere: exit code %d, %v: %s", code, err, got)
	}
}
