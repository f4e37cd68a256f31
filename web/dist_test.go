package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// TestDist: the pages were built from the sources as they are (`make web` builds them), and hold no script of their
// own.
func TestDist(t *testing.T) {
	var names []string
	err := filepath.WalkDir("ui", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if !d.IsDir() {
			names = append(names, filepath.ToSlash(strings.TrimPrefix(path, "ui"+string(filepath.Separator))))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	all := sha256.New()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("ui", name))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(all, "%x %s\n", sha256.Sum256(text), name)
	}
	built, err := dist.ReadFile("dist/SOURCES")
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(all.Sum(nil)) + "\n"; got != string(built) {
		t.Errorf("web/ui has changed since web/dist was built: make web")
	}
	page, err := dist.ReadFile("dist/index.html")
	if err != nil {
		t.Fatal(err)
	}
	if inline := regexp.MustCompile(`<script(?:[^>]*)>[^<]|style=|<style|\son\w+=|https?://`).FindString(
		string(page)); inline != "" {
		t.Errorf("the page has %q in it", inline)
	}
}

// TestAcceptDist: a build from the sources gives the same bytes.
func TestAcceptDist(t *testing.T) {
	live.Accept(t)
	live.Tool(t, "npm")
	dir := t.TempDir()
	if out, err := exec.Command("sh", "ui/build.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		built, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := "dist/" + filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator)))
		if committed, err := dist.ReadFile(name); err != nil || string(committed) != string(built) {
			t.Errorf("%s is not what a build gives (%v)", name, err)
		}
		files++
		return nil
	})
	if err != nil || files < 4 {
		t.Errorf("%d files were built: %v", files, err)
	}
	t.Logf("%d files of a new build are the committed ones", files)
}

// TestWeight: the first load is small.
func TestWeight(t *testing.T) {
	const bar = 250 << 10
	sum := 0
	seen := map[*asset]bool{}
	for _, a := range newAssets() {
		if !seen[a] {
			seen[a] = true
			sum += len(a.small)
		}
	}
	t.Logf("score: first load of the browser's pages, KB compressed %d/%d", (sum+1023)>>10, bar>>10)
	if sum > bar {
		t.Errorf("the first load is %d bytes, the bar is %d", sum, bar)
	}
}
