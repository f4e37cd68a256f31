package compiler_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/source"
)

var (
	errorLine = regexp.MustCompile(`\(file: ([^,)]*), line: (\d+)`)
	rubyClass = regexp.MustCompile(`^Puppet::[\w:]+: |^\w+Error: `)
)

// TestScoreRefusals compiles sites that real Puppet refuses: with the same words, at a place that Puppet's message
// names.
func TestScoreRefusals(t *testing.T) {
	wants := live.Refusals(t)
	good := 0
	for _, dir := range wants {
		text, err := os.ReadFile(filepath.Join(dir, "error.txt"))
		if err != nil {
			t.Fatal(err)
		}
		why := compareRefusal(t, dir, rubyClass.ReplaceAllString(string(text), ""))
		if why == "" {
			good++
		} else if testing.Verbose() {
			t.Logf("%s: %s", filepath.Base(dir), why)
		}
	}
	t.Logf("score: refusals %d/%d", good, len(wants))
	if good < len(wants) {
		t.Errorf("only %d of %d are refused for Puppet's reason", good, len(wants))
	}
}

func compareRefusal(t *testing.T, dir, puppet string) string {
	res, err := compileCase(t, dir, false)
	if err != nil {
		return err.Error()
	}
	if res.Failure == nil {
		return "compiles, but Puppet says: " + strings.TrimSpace(puppet)
	}
	if why := sameMessage(res.Failure, puppet); why != "" {
		return why
	}
	return samePlace(res.Failure, puppet)
}

// samePlace looks for an error's place among those that Puppet's message names.
func samePlace(d *source.Diagnostic, puppet string) string {
	places := errorLine.FindAllStringSubmatch(puppet, -1)
	if len(places) == 0 {
		return ""
	}
	if !d.Place.Known() {
		return "has no place; Puppet names " + places[0][0]
	}
	for _, p := range places {
		if filepath.Base(p[1]) == filepath.Base(d.Place.File.Name) && p[2] == fmt.Sprint(d.Place.Line()) {
			return ""
		}
	}
	return fmt.Sprintf("is at %s; Puppet names %s", d.Place, places[len(places)-1][0])
}
