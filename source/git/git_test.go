package git

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/source"
)

// shapes are the ways in which a repository's objects can lie on disk.
var shapes = []struct {
	name string
	init []string
	pack [][]string
}{
	{"as imported", nil, nil},
	{"one pack", nil, [][]string{{"gc", "-q", "--prune=now"}}},
	{"loose", nil, [][]string{{"!unpack"}}},
	{"deep deltas", nil, [][]string{{"repack", "-adfq", "--depth=250", "--window=250"}, {"pack-refs", "--all"}}},
	{"names of bases", nil, [][]string{{"-c", "repack.usedeltabaseoffset=false", "repack", "-adfq"},
		{"multi-pack-index", "write"}}},
	{"sha256", []string{"--object-format=sha256"}, [][]string{{"gc", "-q"}}},
}

func generated(t testing.TB, p *program, n int, commits int) (string, []string) {
	shape := shapes[n%len(shapes)]
	dir := filepath.Join(t.TempDir(), "repo")
	revs := generate(p, dir, uint64(n), commits, shape.init...)
	for _, args := range shape.pack {
		if args[0] == "!unpack" {
			unpack(p, dir)
			continue
		}
		p.run(dir, args...)
	}
	return dir, revs
}

// unpack makes every object a file of its own.
func unpack(p *program, dir string) {
	packs, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
	for _, name := range packs {
		data, err := os.ReadFile(name)
		if err != nil {
			p.t.Fatal(err)
		}
		os.Remove(name)
		os.Remove(strings.TrimSuffix(name, ".pack") + ".idx")
		if _, err := p.try(dir, data, "unpack-objects", "-q"); err != nil {
			p.t.Fatal(err)
		}
	}
}

// TestRevisions: a view of a revision answers as a checkout of it does.
func TestRevisions(t *testing.T) { revisions(t, 24) }

// TestAcceptRevisions is TestRevisions at full length.
func TestAcceptRevisions(t *testing.T) {
	live.Accept(t)
	revisions(t, 240)
}

func revisions(t *testing.T, want int) {
	p := newProgram(t)
	seen, texts := 0, 0
	for n := 0; seen < want; n++ {
		dir, revs := generated(t, p, n, 30)
		repo, err := Open(filepath.Join(dir, "."), Options{})
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(uint64(n), 3))
		for range 4 {
			rev := revs[random.IntN(len(revs))]
			checkout := filepath.Join(t.TempDir(), "out")
			if err := os.Mkdir(checkout, 0o755); err != nil {
				t.Fatal(err)
			}
			p.run(dir, "--work-tree="+checkout, "read-tree", rev)
			p.run(dir, "--work-tree="+checkout, "checkout-index", "-a", "-f")
			view, err := repo.Tree(rev, "/mnt/env")
			if err != nil {
				t.Fatal(err)
			}
			texts += compareTree(t, fmt.Sprintf("seed %d %s", n, rev), view, checkout, "")
			seen++
			if t.Failed() {
				t.Logf("repository %d (%s), revision %s", n, shapes[n%len(shapes)].name, rev)
				return
			}
		}
		repo.Close()
	}
	if texts < want*4 {
		t.Errorf("only %d files compared in %d revisions", texts, seen)
	}
}

// TestIdent: names of blobs are written where git writes them (attribute ident), and taken out as it takes them out.
func TestIdent(t *testing.T) {
	p := newProgram(t)
	dir := t.TempDir()
	p.run(dir, "init", "-q", "-b", "main")
	pieces := []string{"$Id$", "$Id", "$Id:", ":", "$", " ", "\n", "x", "Id", "\xff", "\r\n"}
	random := rand.New(rand.NewPCG(1, 7))
	texts := []string{"", "$Id$", "$Id:$", "$Id: x $", "$Id: x y $", "$Id:x y$", "$Id:  $", "$Id:$x$", "$Id$Id$",
		"$Id: x\n$Id$", "$Id: x\ty $", "$Id: x\t$", "$Id: x \x00y $", "$Id: x\x00 y$"}
	for range 300 {
		text := ""
		for range 2 + random.IntN(9) {
			text += pieces[random.IntN(len(pieces))]
		}
		texts = append(texts, text)
	}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range texts {
		put(fmt.Sprintf("f%d", i), text)
	}
	p.run(dir, "add", "-A")
	put(".gitattributes", "f* ident\nf?1 text eol=crlf\nf?2 text=auto\n")
	p.run(dir, "add", ".gitattributes")
	p.run(dir, "commit", "-q", "-m", "all")
	checkout := t.TempDir()
	p.run(dir, "--work-tree="+checkout, "checkout-index", "-a", "-f")
	repo, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	view, err := repo.Tree("HEAD", "/mnt/env")
	if err != nil {
		t.Fatal(err)
	}
	compareTree(t, "ident", view, checkout, "")
	for i, text := range texts {
		name := fmt.Sprintf("f%d", i)
		put("f", text)
		want := p.run(dir, "hash-object", "--path", "f", "f")
		put("f", string(conversion{ident: true}.toBlob([]byte(text), nil)))
		if got := p.run(dir, "hash-object", "--no-filters", "f"); got != want {
			t.Errorf("%s: %q is not stored so", name, text)
		}
	}
}

// compareTree compares a directory of a view with the same of a checkout, and tells how many texts it compared.
func compareTree(t *testing.T, what string, view *Tree, checkout, dir string) int {
	t.Helper()
	list, err := view.List(path.Join("/mnt/env", dir))
	if err != nil {
		t.Errorf("%s: %s: %v", what, dir, err)
		return 0
	}
	names := map[string]bool{}
	texts := 0
	for _, e := range list {
		names[e.Name] = true
		at := path.Join(dir, e.Name)
		mounted := path.Join("/mnt/env", at)
		info, err := os.Lstat(filepath.Join(checkout, at))
		isModule := errors.As(listError(view, mounted), new(*Submodule))
		if isModule {
			continue
		}
		if err != nil {
			t.Errorf("%s: %s is not in the checkout: %v", what, at, err)
			continue
		}
		if e.Link != (info.Mode()&fs.ModeSymlink != 0) {
			t.Errorf("%s: %s: link %v", what, at, e.Link)
			continue
		}
		to, _ := os.Readlink(filepath.Join(checkout, at))
		if got, err := view.Link(mounted); err != nil || got != to {
			t.Errorf("%s: %s: a link to %q %v, really to %q", what, at, got, err, to)
		}
		target, err := os.Stat(filepath.Join(checkout, at))
		real, _ := filepath.EvalSymlinks(filepath.Join(checkout, at))
		out := err != nil || !inside(real, []string{checkout})
		switch {
		case out:
			if _, err := view.Read(mounted); err == nil || e.Kind != source.Other {
				t.Errorf("%s: %s leads nowhere, and was read as %v: %v", what, at, e.Kind, err)
			}
			continue
		case target.IsDir():
			if e.Kind != source.Directory {
				t.Errorf("%s: %s is a directory, not %v", what, at, e.Kind)
			} else if !e.Link {
				texts += compareTree(t, what, view, checkout, at)
			}
			continue
		}
		want, err := os.ReadFile(filepath.Join(checkout, at))
		if err != nil {
			t.Fatal(err)
		}
		got, err := view.Read(mounted)
		stat, statErr := view.Stat(mounted)
		if errors.As(err, new(*source.Unknown)) {
			continue
		}
		if err != nil || got.Text != string(want) || got.Digest != source.Digest(sha256.Sum256(want)) {
			t.Errorf("%s: %s: %v\n%q\nwant\n%q", what, at, err, got.Text, want)
		}
		if statErr != nil || stat.Size != int64(len(want)) || stat.Kind != source.Regular {
			t.Errorf("%s: %s: %+v %v, want %d bytes", what, at, stat, statErr, len(want))
		}
		if x, err := view.Executable(mounted); err != nil || x != (target.Mode()&0o100 != 0) {
			t.Errorf("%s: %s: executable %v %v", what, at, x, err)
		}
		texts++
	}
	entries, err := os.ReadDir(filepath.Join(checkout, dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !names[e.Name()] {
			t.Errorf("%s: %s is missing", what, path.Join(dir, e.Name()))
		}
	}
	return texts
}

func listError(view *Tree, name string) error {
	_, err := view.List(name)
	return err
}

// TestBlame: the commits that are blamed are those that git blames.
func TestBlame(t *testing.T) { blameAll(t, 3, 40) }

// TestAcceptBlame is TestBlame at full length.
func TestAcceptBlame(t *testing.T) {
	live.Accept(t)
	blameAll(t, 30, 80)
}

func blameAll(t *testing.T, repositories, commits int) {
	p := newProgram(t)
	lines := 0
	for n := range repositories {
		dir, _ := generated(t, p, n, commits)
		repo, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name := range strings.SplitSeq(p.run(dir, "ls-tree", "-r", "--name-only", "main"), "\n") {
			if p.run(dir, "ls-tree", "--format=%(objectmode)", "main", "--", name) == "160000" {
				continue
			}
			if p.run(dir, "ls-tree", "--format=%(objectmode)", "main", "--", name) == "120000" {
				continue
			}
			lines += compareBlame(t, p, repo, dir, "main", name)
		}
		repo.Close()
	}
	if lines < 100*repositories {
		t.Errorf("only %d lines compared", lines)
	}
}

func compareBlame(t *testing.T, p *program, repo *Repo, dir, rev, name string) int {
	t.Helper()
	want := porcelain(p.run(dir, "blame", "--porcelain", rev, "--", name))
	all := make([]int, len(want))
	for i := range all {
		all[i] = i + 1
	}
	got, err := repo.Blame(context.Background(), rev, name, all)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for line, c := range want {
		if got[line] != c {
			t.Errorf("%s:%d\n %v %+v\nwant\n %v %+v", name, line, got[line].Commit, got[line], c.Commit, c)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d lines, want %d", name, len(got), len(want))
	}
	return len(want)
}

// porcelain reads what git blame --porcelain writes.
func porcelain(text string) map[int]Change {
	commits, out := map[ID]*Change{}, map[int]Change{}
	lines := map[int]ID{}
	var now *Change
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "\t") {
			now = nil
			continue
		}
		key, rest, _ := strings.Cut(line, " ")
		if now == nil {
			id, _ := idAfter([]byte(key), "", len(key)/2)
			if commits[id] == nil {
				commits[id] = &Change{Commit: id}
			}
			now = commits[id]
			n, _ := strconv.Atoi(strings.Fields(rest)[1])
			lines[n] = id
			continue
		}
		switch key {
		case "author":
			now.Author = rest
		case "author-time":
			now.Time, _ = strconv.ParseInt(rest, 10, 64)
		case "summary":
			now.Summary = rest
		}
	}
	for n, id := range lines {
		if out[n] = *commits[id]; strings.Trim(string(id), "\x00") == "" {
			out[n] = Change{}
		}
	}
	return out
}
