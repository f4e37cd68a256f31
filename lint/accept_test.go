package lint

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bunraku/internal/live"
)

// deviations are the manifests about which we knowingly say something else than puppet-lint, by the end of their
// path, with the reason. Each has a case among the snippets.
var deviations = map[string]string{}

// manifestsBelow lists the manifests below a directory.
func manifestsBelow(t *testing.T, dirs ...string) (files []string) {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Ext(path) == ".pp" {
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
					files = append(files, path)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// A tally is what came of comparing many files.
type tally struct {
	sync.Mutex
	files, findings, differ, stopped, fixed, fixedDiffer int
	theirs, ours                                         time.Duration
}

// TestAcceptLint compares every manifest of Debian's modules and of the modern ones in $BUNRAKU_FETCHED/lint-modules
// with live puppet-lint and the plugins: the same findings by check, level, line, column and words. With
// BUNRAKU_LINT_SITES it takes the big sites as well.
func TestAcceptLint(t *testing.T) {
	live.Accept(t)
	dir := fetched(t)
	modern, err := filepath.Glob(filepath.Join(dir, "lint-modules", "*"))
	if err != nil || len(modern) < 80 {
		t.Fatalf("%d of 80 modern modules are in $BUNRAKU_FETCHED/lint-modules", len(modern))
	}
	debian := "/usr/share/puppet/modules.available"
	if _, err := os.Stat(debian); err != nil {
		debian = "/usr/share/puppet/modules"
	}
	groups := map[string][]string{"Debian's modules": {debian}, "modern modules": modern}
	order := []string{"Debian's modules", "modern modules"}
	if os.Getenv("BUNRAKU_LINT_SITES") != "" {
		for _, site := range []string{"wikimedia_operations-puppet", "miraheze_puppet", "mozilla-platform-ops_ronin_puppet"} {
			groups[site] = []string{filepath.Join(dir, site)}
			order = append(order, site)
		}
	}
	var all tally
	for _, group := range order {
		var sum tally
		compareAll(t, manifestsBelow(t, groups[group]...), &sum)
		t.Logf("%s: %d manifests, %d findings, %d differ; puppet-lint stops at %d; --fix: %d files, %d differ; %.1f s "+
			"there, %.2f s here",
			group, sum.files, sum.findings, sum.differ, sum.stopped, sum.fixed, sum.fixedDiffer, sum.theirs.Seconds(),
			sum.ours.Seconds())
		all.files += sum.files
		all.findings += sum.findings
		all.differ += sum.differ
		all.stopped += sum.stopped
		all.fixedDiffer += sum.fixedDiffer
		all.theirs += sum.theirs
		all.ours += sum.ours
	}
	ratio := all.theirs.Seconds() / all.ours.Seconds()
	t.Logf("together: %d manifests, %d findings, %d differ (bar: 0.1 %%); deviations: %d (bar: 20); %.0f times as fast "+
		"(bar: 30)",
		all.files, all.findings, all.differ, len(deviations), ratio)
	if all.differ*1000 > all.findings || len(deviations) > 20 || ratio < 30 || all.files < 3000 || all.fixedDiffer > 0 {
		t.Error("a bar is missed")
	}
}

// compareAll compares files, with two puppet-lints at a time.
func compareAll(t *testing.T, files []string, sum *tally) {
	var wg sync.WaitGroup
	for worker := range 2 {
		o := startOracle(t)
		wg.Go(func() {
			l := New(Options{})
			for i := worker; i < len(files); i += 2 {
				compareFile(t, o, l, files[i], i%8 == 0, sum)
			}
		})
	}
	wg.Wait()
}

func compareFile(t *testing.T, o *oracle, l *Linter, path string, fix bool, sum *tally) {
	code, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	began := time.Now()
	a := o.ask(request{Path: path})
	theirs := time.Since(began)
	began = time.Now()
	res, err := l.File(context.Background(), path, string(code))
	ours := time.Since(began)
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	want, got := a.lines(), linesOf(res)
	sum.Lock()
	defer sum.Unlock()
	sum.files++
	sum.theirs += theirs
	sum.ours += ours
	if a.Crash != "" {
		sum.stopped++
		t.Logf("puppet-lint stops at %s: %s", path, a.Crash)
		return
	}
	sum.findings += len(want)
	for suffix := range deviations {
		if strings.HasSuffix(path, suffix) {
			return
		}
	}
	shown := 0
	for _, list := range []struct {
		what    string
		in, out []string
	}{{"only puppet-lint says", want, got}, {"only we say", got, want}} {
		for _, line := range list.in {
			if slices.Contains(list.out, line) {
				continue
			}
			sum.differ++
			if shown++; shown <= 3 {
				t.Logf("%s: %s %s", path, list.what, line)
			}
		}
	}
	if !fix || slices.ContainsFunc(want, func(s string) bool { return strings.Contains(s, " syntax: ") }) {
		return
	}
	if b := o.ask(request{Path: path, Args: []string{"--fix"}}); b.Crash == "" {
		sum.fixed++
		text, _, _, err := l.Fix(context.Background(), path, string(code))
		whole := (&file{tokens: tokenise(string(code), nil)}).written() == string(code)
		if err != nil || whole && strings.ReplaceAll(text, "\r\n", "\n") != *b.Fixed {
			sum.fixedDiffer++
			t.Logf("%s: --fix makes something else of it", path)
		}
	}
}

// TestAcceptMetadata compares every metadata.json of the same modules with live metadata-json-lint.
func TestAcceptMetadata(t *testing.T) {
	live.Accept(t)
	dir := fetched(t)
	var texts, names []string
	for _, pattern := range []string{"/usr/share/puppet/modules.available/*/metadata.json",
		filepath.Join(dir, "lint-modules", "*", "metadata.json"), filepath.Join(dir, "metadata-json-lint", "tests", "*",
			"metadata.json")} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts, names = append(texts, string(text)), append(names, name)
		}
	}
	findings, differ := 0, 0
	for i, want := range askMetadata(t, texts) {
		got := slices.Compact(ourMetadata(texts[i]))
		findings += len(want)
		if !slices.Equal(parserWords(got), parserWords(want)) {
			differ++
			t.Logf("%s\n--- we say\n%s\n--- metadata-json-lint says\n%s", names[i], strings.Join(got, "\n"), strings.Join(want,
				"\n"))
		}
	}
	t.Logf("%d files, %d findings, %d files differ (bar: 0)", len(texts), findings, differ)
	if differ > 0 || len(texts) < 100 {
		t.Error("a bar is missed")
	}
}
