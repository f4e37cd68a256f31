package stdlib_test

import (
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"

	"bunraku/internal/ask"
	"bunraku/internal/live"

	"github.com/rogpeppe/go-internal/txtar"
)

const (
	goldenFile    = "testdata/golden.txtar"
	manifestsFile = "testdata/manifests.txtar"
	cornersFile   = "testdata/corners.txt"
)

// ofModules are the functions whose calls need the module itself: its types, or the function's own file.
var ofModules = map[string]bool{
	"stdlib::ensure": true, "archive::parse_artifactory_url": true,
	"stdlib::has_ip_address": true, "stdlib::has_ip_network": true, "has_ip_address": true, "has_ip_network": true,
	"stdlib::has_function":         true,
	"stdlib::validate_domain_name": true, "stdlib::validate_email_address": true, "validate_domain_name": true,
	"validate_email_address": true,
}

func manifests(t *testing.T) (names []string, qs []question) {
	a, err := txtar.ParseFile(manifestsFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		names = append(names, f.Name)
		qs = append(qs, question(ask.ManifestMark+string(f.Data)))
	}
	return names, qs
}

func corners(t *testing.T) (qs []question) {
	text, err := os.ReadFile(cornersFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "#") {
			qs = append(qs, question(line))
		}
	}
	return qs
}

// TestCorners compares single calls that someone thought of with the installed Puppet's.
func TestCorners(t *testing.T) {
	qs := corners(t)
	for i, want := range askPuppet(t, qs, environmentDir) {
		if got := askUs(qs[i], ""); got != want {
			t.Errorf("%s\nPuppet: %s\nours:   %s", qs[i], want, got)
		}
	}
}

// TestManifests compares whole catalogs with the installed Puppet's.
func TestManifests(t *testing.T) {
	names, qs := manifests(t)
	for i, want := range askPuppet(t, qs, environmentDir) {
		if got := askUs(qs[i], ""); got != want {
			t.Errorf("%s\n%s\nPuppet: %s\nours:   %s", names[i], qs[i], want, got)
		}
	}
}

// TestRecorded compares with answers that real Puppet gave once: `go test -record` asks it again.
func TestRecorded(t *testing.T) {
	if *record {
		names, qs := manifests(t)
		for _, q := range corners(t) {
			names, qs = append(names, "corners"), append(qs, q)
		}
		all := maps.Clone(shapes)
		maps.Copy(all, shadowed)
		write(t, all, names, qs, environmentDir, goldenFile)
	}
	replay(t, goldenFile, "")
}

func replay(t *testing.T, golden, nine string) {
	a, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	modules := live.ModulesDir
	if nine != "" {
		modules = nine
	}
	_, absent := os.Stat(modules)
	n := 0
	for _, f := range a.Files {
		if absent != nil && ofModules[f.Name] {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n")
		for i := 0; i+1 < len(lines); i += 2 {
			q, want := unquote(t, lines[i]), unquote(t, strings.TrimPrefix(lines[i+1], "\t"))
			n++
			got := askUs(question(q), nine)
			if strings.HasPrefix(q, "function_") {
				got, want = withoutCall.Replace(got), withoutCall.Replace(want)
			}
			if got == want {
				continue
			}
			t.Errorf("%s\n\tPuppet: %s\n\tours:   %s", q, want, got)
		}
	}
	t.Logf("%d recorded answers", n)
}

// write records the first few calls of each function, and all manifests.
func write(t *testing.T, shapes map[string]shape, manifests []string, ms []question, environment, golden string) {
	var qs []question
	var whose []string
	for _, name := range names(shapes) {
		for _, q := range generator.Calls(shapes[name], name, 12) {
			qs, whose = append(qs, q), append(whose, name)
		}
	}
	qs, whose = append(qs, ms...), append(whose, manifests...)
	out := &txtar.Archive{Comment: []byte("What Puppet 7.23 answers: a call, and below it the answer. Written by `go " +
		"test -record`.\n")}
	for i, answer := range askPuppet(t, qs, environment) {
		if strings.Contains(answer, ":0x0000") || len(answer) > 4000 {
			continue
		}
		if strings.HasPrefix(answer, "Log(") {
			answer = "undef"
		}
		if n := len(out.Files); n == 0 || out.Files[n-1].Name != whose[i] {
			out.Files = append(out.Files, txtar.File{Name: whose[i]})
		}
		f := &out.Files[len(out.Files)-1]
		f.Data = append(f.Data, quote(string(qs[i]))+"\n\t"+quote(answer)+"\n"...)
	}
	if err := os.WriteFile(golden, txtar.Format(out), 0o666); err != nil {
		t.Fatal(err)
	}
}

// quote keeps a text on one line.
func quote(s string) string {
	if strings.ContainsAny(s, "\n\r") || strings.HasPrefix(s, `"`) {
		return "go" + strconv.Quote(s)
	}
	return s
}

func unquote(t *testing.T, s string) string {
	q, quoted := strings.CutPrefix(s, `go"`)
	if !quoted {
		return s
	}
	out, err := strconv.Unquote(`"` + q)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return out
}
