package git

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestRealRepository compares blame with git's on files of a repository that is at hand, and tells what both take:
// BUNRAKU_REPOSITORY=DIR [BUNRAKU_FILES=30] go test -run TestRealRepository -v ./source/git
func TestRealRepository(t *testing.T) {
	dir := os.Getenv("BUNRAKU_REPOSITORY")
	if dir == "" {
		t.Skip("set BUNRAKU_REPOSITORY to the work tree of a repository")
	}
	count, _ := strconv.Atoi(os.Getenv("BUNRAKU_FILES"))
	p := newProgram(t)
	names := strings.Split(p.run(dir, "ls-tree", "-r", "--name-only", "HEAD"), "\n")
	random := rand.New(rand.NewPCG(1, 1))
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var ours, theirs time.Duration
	lines, wrong := 0, 0
	for _, name := range names[:min(len(names), max(count, 10))] {
		begin := time.Now()
		out, err := exec.Command("git", "-C", dir, "blame", "--porcelain", "HEAD", "--", name).Output()
		theirs += time.Since(begin)
		if err != nil {
			t.Fatal(err)
		}
		want := porcelain(string(out))
		all := make([]int, len(want))
		for i := range all {
			all[i] = i + 1
		}
		begin = time.Now()
		repo, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := repo.Blame(context.Background(), "HEAD", name, all)
		took := time.Since(begin)
		ours += took
		repo.Close()
		if err != nil && len(want) > 0 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		bad := 0
		for n := range want {
			if got[n].Commit != want[n].Commit || got[n].Author != want[n].Author {
				if bad++; bad == 1 {
					t.Errorf("%s:%d %s %s, want %s %s", name, n, got[n].Commit, got[n].Author, want[n].Commit, want[n].Author)
				}
			}
		}
		lines, wrong = lines+len(want), wrong+bad
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d lines, %d unequal; git %v, ours %v; %d MiB from the system", lines, wrong, theirs, ours, m.Sys>>20)
}
