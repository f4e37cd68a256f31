package bunraku_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	wherePath = regexp.MustCompile("(?m)^\\| Where .*\\? \\| `([^`]+)` \\|$")
	namedCode = regexp.MustCompile("`(\\w+)\\.(\\w+)`")
)

// The page about the architecture answers a newcomer's questions by one path each, and walks values through the code by
// the names of the functions they pass: the paths and the names are there.
func TestArchitecture(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	paths := wherePath.FindAllStringSubmatch(string(text), -1)
	if len(paths) != 12 {
		t.Errorf("%d questions are answered by a path, not 12", len(paths))
	}
	for _, m := range paths {
		if _, err := os.Stat(m[1]); err != nil {
			t.Error(err)
		}
	}
	_, walks, found := strings.Cut(string(text), "\n## Four walks\n")
	if !found {
		t.Fatal("no walks")
	}
	walks, _, _ = strings.Cut(walks, "\n## ")
	names, _ := declared(t)
	named := 0
	for walk := range strings.SplitSeq(strings.TrimSpace(walks), "\n\n") {
		if n := strings.Count(walk, "\n") + 1; n > 10 {
			t.Errorf("a walk of %d lines: %.40s", n, walk)
		}
		for _, m := range namedCode.FindAllStringSubmatch(walk, -1) {
			named++
			if !names[m[1]+"."+m[2]] {
				t.Errorf("%s is not there", m[0])
			}
		}
	}
	if walks := strings.Count(strings.TrimSpace(walks), "\n\n") + 1; walks != 4 || named < 20 {
		t.Errorf("%d walks that name %d functions", walks, named)
	}
}

// The page about provenance names the code that it is about.
func TestProvenancePage(t *testing.T) {
	text, err := os.ReadFile("docs/provenance.md")
	if err != nil {
		t.Fatal(err)
	}
	names, _ := declared(t)
	named := 0
	for _, m := range namedCode.FindAllStringSubmatch(string(text), -1) {
		if m[2] == "go" || m[2] == "md" || m[2] == "trace" {
			continue
		}
		named++
		if !names[m[1]+"."+m[2]] {
			t.Errorf("%s is not there", m[0])
		}
	}
	if named < 15 {
		t.Errorf("only %d names", named)
	}
}
