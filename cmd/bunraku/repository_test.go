package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// A repository is one of git with examples/shop in its only commit.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	live.Tool(t, "git")
	s := &repository{t, filepath.Join(t.TempDir(), "shop")}
	if err := os.CopyFS(s.dir, os.DirFS(filepath.Join("..", "..", "examples", "shop"))); err != nil {
		t.Fatal(err)
	}
	s.git("init", "-q", "-b", "main")
	s.commit("the shop")
	s.git("checkout", "-q", "-b", "feature")
	return s
}

// git runs the program, with nobody's configuration and at a fixed time, so that commits have the same names each time.
func (s *repository) git(args ...string) {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@shop.example", "GIT_AUTHOR_DATE=2026-10-21T08:00:00Z",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@shop.example", "GIT_COMMITTER_DATE=2026-10-21T08:00:00Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (s *repository) commit(message string) {
	s.t.Helper()
	s.git("add", "-A")
	s.git("commit", "-q", "-m", message)
}

// edit replaces a text in a file; an empty old text appends.
func (s *repository) edit(file, old, new string) {
	s.t.Helper()
	at := filepath.Join(s.dir, file)
	text, err := os.ReadFile(at)
	if err != nil && old != "" {
		s.t.Fatal(err)
	}
	if old == "" {
		text = append(text, new...)
	} else if strings.Count(string(text), old) != 1 {
		s.t.Fatalf("%s does not hold %q once", file, old)
	}
	if old != "" {
		text = []byte(strings.Replace(string(text), old, new, 1))
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(at, text, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// write puts a text into a file, in place of all that it had.
func (s *repository) write(file, text string) {
	s.t.Helper()
	if err := os.RemoveAll(filepath.Join(s.dir, file)); err != nil {
		s.t.Fatal(err)
	}
	s.edit(file, "", text)
}

var hashes = regexp.MustCompile(`\b[0-9a-f]{9}\b`)

// diff runs the command on the shop. Times and commits are cut out of what it prints.
func (s *repository) diff(args ...string) (code int, out string) {
	s.t.Helper()
	code, out, err := call(append([]string{"diff", s.dir}, args...)...)
	out = strings.ReplaceAll(out+err, s.dir+"/", "")
	return code, hashes.ReplaceAllString(seconds_.ReplaceAllString(out, "N s"), "HASH")
}

// expect runs the command and compares all that it prints.
func (s *repository) expect(code int, want string, args ...string) {
	s.t.Helper()
	got, out := s.diff(args...)
	if got != code || out != strings.TrimPrefix(want, "\n") {
		s.t.Errorf("diff %v: exit code %d, want %d; prints\n%s--- want\n%s", args, got, code, out, want)
	}
}
