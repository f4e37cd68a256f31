package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// TestResolve: revisions name the commits that git says.
func TestResolve(t *testing.T) {
	p := newProgram(t)
	for n := range 3 {
		dir, revs := generated(t, p, n, 40)
		write(t, filepath.Join(dir, ".git/refs/remotes/origin/main"), p.run(dir, "rev-parse", "c5")+"\n")
		p.run(dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
		p.run(dir, "branch", "feature/x", "c7")
		repo, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer repo.Close()
		asked := []string{"HEAD", "@", "main~3", "main^", "main^0", "main^2", "main~2^1", "feature/x", "heads/main",
			"refs/heads/c3",
			"origin/main", "origin", "c9^{commit}", "c9^{}", "@~1", "nothing", "main~1000", "main^9", "ab", "-x", "main..c3",
			"c3...c4",
			"main@{1}", "@{upstream}", ":/Change", "main:f1.pp", "main^{/Change}", "main^{tree}", "", "refs/../HEAD", "a\x00b",
			"config", "main^!", "main^@", "main^-", "main^-1", "main^x", "main~x", "main^1x", "main~1^!", "main^{}x", "main^^!"}
		for line := range strings.SplitSeq(p.run(dir, "tag"), "\n") {
			if line != "" {
				asked = append(asked, line, line+"^{}", line+"~1")
			}
		}
		for _, rev := range revs {
			full := p.run(dir, "rev-parse", rev)
			asked = append(asked, full, full[:8], strings.ToUpper(full[:7]), "v1.0-3-g"+full[:9], full[:4])
		}
		for _, rev := range asked {
			want, failed := p.try(dir, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
			got, err := repo.Resolve(rev)
			// git reads logs, searches and paths, which this package refuses.
			refused := strings.ContainsAny(rev, ":{") && !strings.Contains(rev, "^{}") && !strings.Contains(rev, "^{commit}")
			if !refused && (err != nil) != (failed != nil) || err == nil && got.String() != strings.TrimSpace(want) {
				t.Errorf("%s: %s %v, want %s %v", rev, got, err, want, failed)
			}
			if err != nil && len(err.Error()) < 20 {
				t.Errorf("%s: %v", rev, err)
			}
		}
	}
}

// TestAmbiguous: an abbreviation that several commits share names them.
func TestAmbiguous(t *testing.T) {
	p := newProgram(t)
	dir := filepath.Join(t.TempDir(), "repo")
	plant(p, dir, "x\n")
	tree := p.run(dir, "rev-parse", "HEAD^{tree}")
	seen := map[string]string{}
	for i := range 100000 {
		text := "tree " + tree + "\nauthor A <a> " + strings.Repeat("1", 1+i%9) + " +0000\ncommitter A <a> 1 +0000\n\n" +
			strings.Repeat("x", i) + "\n"
		if i > 3000 {
			t.Fatal("no two names begin alike")
		}
		name := loose(t, dir, "commit", text, "")
		if other := seen[name[:4]]; other != "" {
			repo, err := Open(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer repo.Close()
			if _, err := repo.Resolve(name[:4]); err == nil || !strings.Contains(err.Error(), other) ||
				!strings.Contains(err.Error(), name) {
				t.Errorf("%v", err)
			}
			return
		}
		seen[name[:4]] = name
	}
}

// TestMergeBase: where histories parted, as git says.
func TestMergeBase(t *testing.T) {
	p := newProgram(t)
	for n := range 2 {
		dir, revs := generated(t, p, n, 40)
		repo, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer repo.Close()
		for i, a := range revs[:len(revs)-1] {
			b := revs[(i*7+3)%len(revs)]
			x, _ := repo.Resolve(a)
			y, _ := repo.Resolve(b)
			got, err := repo.MergeBase(context.Background(), x, y)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, id := range got {
				names = append(names, id.String())
			}
			slices.Sort(names)
			out, _ := p.try(dir, nil, "merge-base", "--all", a, b)
			want := strings.Fields(out)
			slices.Sort(want)
			if !slices.Equal(names, want) {
				t.Errorf("%s %s: %v, want %v", a, b, names, want)
			}
		}
	}
}

// TestShallow: a history that was cut off ends there.
func TestShallow(t *testing.T) {
	p := newProgram(t)
	dir, _ := generated(t, p, 0, 20)
	short := filepath.Join(t.TempDir(), "short")
	p.run(filepath.Dir(short), "clone", "-q", "--depth=2", "--no-local", dir, short)
	repo, err := Open(short, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	if _, err := repo.Resolve("HEAD~5"); err == nil || !strings.Contains(err.Error(), "shallow") {
		t.Error(err)
	}
	name := ""
	for f := range strings.SplitSeq(p.run(short, "ls-files"), "\n") {
		if strings.HasSuffix(f, ".pp") {
			name = f
		}
	}
	if name != "" {
		compareBlame(t, p, repo, short, "HEAD", name)
	}
}

// TestBlameFile: the work tree as it is, with what is not committed.
func TestBlameFile(t *testing.T) {
	p := newProgram(t)
	dir := filepath.Join(t.TempDir(), "tree")
	plant(p, dir, "one\ntwo\nthree\n")
	write(t, filepath.Join(dir, "d/w.txt"), "a\r\nb\r\n")
	write(t, filepath.Join(dir, ".gitattributes"), "*.txt text eol=crlf\n")
	write(t, filepath.Join(dir, ".mailmap"), "Ada Lovelace <ada@example.com>\n")
	p.run(dir, "add", ".")
	p.run(dir, "commit", "-qm", "Second")
	write(t, filepath.Join(dir, "m.pp"), "one\nnew\nthree\nlast")
	write(t, filepath.Join(dir, "d/w.txt"), "a\r\nb\r\nc\r\n")
	repo, err := Open(filepath.Join(dir, "d"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	for _, name := range []string{"m.pp", "d/w.txt"} {
		want := porcelain(p.run(dir, "blame", "--porcelain", "--", name))
		got, err := repo.BlameFile(context.Background(), filepath.Join(dir, name), []int{0, 1, 2, 3, 4, 5})
		if err != nil || len(got) != len(want) {
			t.Fatalf("%v %v", got, err)
		}
		for n, c := range want {
			if got[n] != c {
				t.Errorf("%s:%d %+v, want %+v", name, n, got[n], c)
			}
		}
	}
	if err := os.Symlink(filepath.Join(t.TempDir(), "nowhere"), filepath.Join(dir, "link.pp")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link.pp", "missing.pp", "../x.pp", "d"} {
		if got, err := repo.BlameFile(context.Background(), filepath.Join(dir, name), []int{1}); err == nil && len(got) > 0 &&
			got[1].Commit != "" {
			t.Errorf("%s: %v", name, got)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := repo.BlameFile(ended, filepath.Join(dir, "m.pp"), []int{1}); err == nil && got != nil {
		t.Logf("a short question may be done before it looks: %v", got)
	}
}

// TestBranches: the branches that git lists, loose and packed, of a clone and of a mirror.
func TestBranches(t *testing.T) {
	p := newProgram(t)
	dir, _ := generated(t, p, 1, 20)
	p.run(dir, "branch", "feature/x", "c7")
	p.run(dir, "branch", "feature/deep/er", "c3")
	p.run(dir, "pack-refs", "--all")
	p.run(dir, "branch", "later", "c5")
	p.run(dir, "branch", "-f", "feature/x", "c9")
	p.run(dir, "branch", "-D", "c2")
	bare := filepath.Join(t.TempDir(), "mirror")
	p.run(dir, "clone", "--quiet", "--mirror", dir, bare)
	for _, at := range []string{dir, bare} {
		repo, err := OpenAt(at, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer repo.Close()
		branches, err := repo.Branches()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for name, id := range branches {
			got = append(got, name+" "+id.String())
		}
		slices.Sort(got)
		want := strings.Split(p.run(at, "for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads"), "\n")
		slices.Sort(want)
		if !slices.Equal(got, want) || len(got) < 5 {
			t.Errorf("%s: %q, git says %q", at, got, want)
		}
	}
	if _, err := OpenAt(filepath.Join(dir, "nothing"), Options{}); err == nil {
		t.Error("a directory that is none was opened")
	}
	if _, err := OpenAt(t.TempDir(), Options{}); err == nil {
		t.Error("a directory that is no repository was opened")
	}
}

// TestBranchesArePacked: a branch is there all the time, with its newest commit, while somebody packs references as git
// does: first packed-refs is written, then the branch's own file goes.
func TestBranchesArePacked(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "HEAD"), "ref: refs/heads/production\n")
	write(t, filepath.Join(dir, "objects", "info", "x"), "")
	loose := filepath.Join(dir, "refs", "heads", "production")
	id := func(n int) string { return fmt.Sprintf("%040x", n+1) }
	write(t, loose, id(0)+"\n")
	var now atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		put := func(path, text string) {
			if err := os.WriteFile(path+".lock", []byte(text), 0o644); err != nil {
				t.Error(err)
			}
			if err := os.Rename(path+".lock", path); err != nil {
				t.Error(err)
			}
		}
		for n := 1; n <= 600; n++ {
			put(loose, id(n)+"\n")
			now.Store(int64(n))
			put(filepath.Join(dir, "packed-refs"), "# pack-refs with: peeled fully-peeled sorted \n"+id(n)+
				" refs/heads/production\n")
			if err := os.Remove(loose); err != nil {
				t.Error(err)
			}
		}
	}()
	for looked := 0; ; looked++ {
		since := now.Load()
		repo, err := OpenAt(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := repo.Branches()
		repo.Close()
		n, _ := strconv.ParseInt(all["production"].String(), 16, 64)
		if err != nil || n-1 < since {
			t.Fatalf("after %d looks: %v, %v; it is at %s", looked, all, err, id(int(since)))
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
