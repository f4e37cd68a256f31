package mupuppet

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

// docs/mupuppet.md is tested: the differences between µPuppet and Puppet here, against both; the commands and the trace
// in cmd/bunraku.

func readDoc(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(live.Root(), "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

type docDifference struct{ name, manifest, mu, puppet string }

var differencePattern = regexp.MustCompile("(?s)### ([a-z-]+)( \\*)?\n\nPaper: .*?\nPuppet: .*?\n\n" +
	"```puppet file=[^\n]*\n(.*?)```\n\n```answers\nµPuppet: ([^\n]*)\nPuppet:  ([^\n]*)\n```\n")

func docDifferences(t testing.TB) []docDifference {
	t.Helper()
	var out []docDifference
	for _, m := range differencePattern.FindAllStringSubmatch(readDoc(t, "mupuppet.md"), -1) {
		out = append(out, docDifference{m[1], m[3], m[4], m[5]})
	}
	return out
}

func TestListedDifferences(t *testing.T) {
	ds := docDifferences(t)
	listed := map[Difference]bool{}
	for _, d := range ds {
		listed[Difference(d.name)] = true
		r, diags := Compile(source.NewFile(d.name+".pp", d.manifest), Options{})
		got := ""
		if r == nil {
			got = fmt.Sprintf("stuck[%s]: %s", diags[0].Code, diags[0].Summary)
		} else {
			got = answer(r.Fingerprint())
		}
		if got != d.mu {
			t.Errorf("%s: the page says µPuppet answers\n%s\nit answers\n%s", d.name, d.mu, got)
		}
		if d.mu == d.puppet {
			t.Errorf("%s: no difference", d.name)
		}
	}
	for _, d := range Differences() {
		if !listed[d] {
			t.Errorf("%s is not on the page", d)
		}
	}
	if n := strings.Count(readDoc(t, "mupuppet.md"), "\n### "); n != len(ds) {
		t.Errorf("%d entries, of which %d could be read", n, len(ds))
	}
}

// The same with real Puppet.
func TestListedDifferencesLive(t *testing.T) {
	ds := docDifferences(t)
	var sources []string
	for _, d := range ds {
		sources = append(sources, d.manifest)
	}
	for i, a := range askPuppet(t, sources) {
		got := ""
		if a.OK {
			κ := newDefinitions()
			κ.entries["d"] = &Definition{Kind: ResourceDef} // the one defined type on the page
			got = answer(native(a.Resources, κ))
		} else {
			got = "error: " + puppetMessage(a.Error)
		}
		if got != ds[i].puppet {
			t.Errorf("%s: the page says Puppet answers\n%s\nit answers\n%s", ds[i].name, ds[i].puppet, got)
		}
	}
}

func answer(fingerprint []string) string {
	if len(fingerprint) == 0 {
		return "no resources"
	}
	return strings.TrimSpace(strings.Join(fingerprint, "; "))
}

var (
	puppetPlaces = regexp.MustCompile(` \(file: .*| on node default$`)
	puppetFrames = regexp.MustCompile(`^(Evaluation Error: )?(Error while evaluating a Resource Statement, )?`)
)

// puppetMessage is Puppet's message without places and what led there.
func puppetMessage(s string) string {
	return puppetFrames.ReplaceAllString(puppetPlaces.ReplaceAllString(s, ""), "")
}

// Every code that can be reported is in the page's table, and the other way round.
func TestDocumentedCodes(t *testing.T) {
	code := regexp.MustCompile(`\bM\d{4}\b`)
	documented := map[string]bool{}
	for _, line := range strings.Split(readDoc(t, "mupuppet.md"), "\n") {
		if strings.HasPrefix(line, "| M") {
			documented[code.FindString(line)] = true
		}
	}
	used := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range regexp.MustCompile(`"(M\d{4})"`).FindAllStringSubmatch(string(text), -1) {
			used[c[1]] = true
		}
	}
	for c := range used {
		if !documented[c] {
			t.Errorf("%s is used and not documented", c)
		}
	}
	for c := range documented {
		if !used[c] {
			t.Errorf("%s is documented and not used", c)
		}
	}
}
