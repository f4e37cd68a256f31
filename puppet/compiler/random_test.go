package compiler_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/internal/random"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/source"
)

// TestScoreRandomSites compiles random environments with Hiera data here and with real Puppets: the same catalogs, or
// errors of the same words.
func TestScoreRandomSites(t *testing.T) {
	n, first := 40, 1
	if os.Getenv("BUNRAKU_ACCEPT") != "" {
		n, first = 1000, 5000
	}
	t.Run("7", func(t *testing.T) { compareRandomSites(t, live.Installed(t), source.Puppet7, first, n) })
	t.Run("8", func(t *testing.T) { compareRandomSites(t, live.Other(t, "8"), source.Puppet8, first, n/2) })
}

func compareRandomSites(t *testing.T, o *live.Oracle, l source.Language, first, n int) {
	root := t.TempDir()
	var dirs []string
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("site%d", first+i))
		for name, text := range random.Site(first + i) {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		dirs = append(dirs, dir)
	}
	answers := o.Compile(t, dirs)
	if len(answers) != n {
		t.Fatalf("%d answers for %d sites", len(answers), n)
	}
	equal, failing := 0, 0
	for i, dir := range dirs {
		why, failed := compareAnswer(t, dir, answers[i], compiler.Options{Language: l})
		if failed {
			failing++
		}
		if why == "" {
			equal++
			continue
		}
		if i-equal < 3 {
			text, _ := os.ReadFile(filepath.Join(dir, "site.pp"))
			t.Errorf("%s: %s\n%s", filepath.Base(dir), why, text)
		} else {
			t.Errorf("%s: %s", filepath.Base(dir), why)
		}
	}
	t.Logf("score: random sites, %s %d/%d (%d of them fail in both)", l.Title(), equal, n, failing)
	if failing > n*6/10 {
		t.Errorf("%d of %d sites do not compile: the generator has lost its way", failing, n)
	}
}

func compareAnswer(t *testing.T, dir, answer string, opt compiler.Options) (why string, failed bool) {
	res, err := compileWith(t, dir, opt)
	if err != nil {
		return err.Error(), false
	}
	var refused struct{ Error string }
	if err := json.Unmarshal([]byte(answer), &refused); err != nil {
		t.Fatal(err)
	}
	if refused.Error != "" {
		if res.Failure == nil {
			return "compiles, but Puppet says: " + refused.Error, true
		}
		if why := sameMessage(res.Failure, refused.Error); why != "" {
			return why, true
		}
		return samePlace(res.Failure, refused.Error), true
	}
	if res.Failure != nil {
		return "fails: " + res.Failure.String(), false
	}
	want, err := catalog.Read([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(catalog.Diff(wired(t, res.Catalog), want), "\n"), false
}

var (
	messagePlaces = regexp.MustCompile(`\s*(\(file: [^)]*\)|on node \S+$)`)
	messageSource = regexp.MustCompile(`by (#<[^>]*>|\S+)( at)?; cannot`)
)

// sameMessage compares an error's words with Puppet's, without places.
func sameMessage(d *source.Diagnostic, puppet string) string {
	plain := func(s string) string {
		return strings.TrimSpace(messageSource.ReplaceAllString(messagePlaces.ReplaceAllString(s, ""), "by X; cannot"))
	}
	if strings.Contains(plain(puppet), plain(d.Summary)) {
		return ""
	}
	if strings.Contains(puppet, "Language validation logged") && strings.HasPrefix(d.Code, "P1") {
		return "" // Puppet only counts them when there are several
	}
	return fmt.Sprintf("says %q\n  Puppet says %q", plain(d.Summary), plain(puppet))
}
