package git

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bunraku/source"
)

// repacked are ways in which others lay the objects of a repository out anew while it is read.
var repacked = [][][]string{
	{{"gc", "-q", "--prune=now"}},
	{{"!unpack"}},
	{{"repack", "-adfq", "--depth=50"}},
	{{"!unpack"}, {"repack", "-dq"}},
	{{"repack", "-adFq", "--depth=1"}},
	{{"multi-pack-index", "write"}, {"gc", "-q"}},
}

// TestRepacked: a view that was opened before a repository was packed anew reads all that it read before, whether or
// not the packs were open, also while they are exchanged; and what is really not there is missing still.
func TestRepacked(t *testing.T) {
	p := newProgram(t)
	dir := filepath.Join(t.TempDir(), "repo")
	revs := generate(p, dir, 3, 12)
	// texts are all files of a view, as far as they can be read.
	texts := func(tree *Tree) map[string]string {
		all := map[string]string{}
		var walk func(at string)
		walk = func(at string) {
			list, err := tree.List(at)
			if err != nil {
				all[at] = err.Error()
				return
			}
			for _, e := range list {
				name := path.Join(at, e.Name)
				switch e.Kind {
				case source.Directory:
					if !e.Link {
						walk(name)
					}
				case source.Regular:
					c, err := tree.Read(name)
					if all[name] = c.Text; err != nil {
						all[name] = err.Error()
					}
				}
			}
		}
		walk("/mnt")
		return all
	}
	var want []map[string]string
	for _, rev := range revs {
		repo, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		tree, err := repo.Tree(rev, "/mnt")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, texts(tree))
		repo.Close()
	}
	// Nothing is kept between questions, so that each is one to the disk.
	repo, err := Open(dir, Options{CacheBytes: 1, Lasting: true})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	var trees []*Tree
	for _, rev := range revs {
		tree, err := repo.Tree(rev, "/mnt")
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
	reads := 0
	compare := func() {
		t.Helper()
		for i, tree := range trees {
			for name, text := range texts(tree) {
				if reads++; text != want[i][name] {
					t.Errorf("%s:%s: %q, not %q", revs[i], name, text, want[i][name])
					return
				}
			}
		}
	}
	change := func(how [][]string) {
		for _, args := range how {
			if args[0] == "!unpack" {
				unpackBeside(p, dir)
			} else {
				p.run(dir, args...)
			}
		}
	}
	for _, how := range repacked {
		change(how)
		compare()
	}
	change(repacked[0])
	change(repacked[1]) // packs that were listed, and never opened
	compare()
	// Cloned anew, as who cleans a cache does.
	p.run(filepath.Dir(dir), "clone", "-q", "--mirror", dir, dir+".new")
	if err := os.Rename(filepath.Join(dir, ".git"), dir+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir+".new", filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	os.RemoveAll(dir + ".old")
	compare()
	p.run(dir, "config", "core.bare", "false")
	stop := make(chan bool)
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				compare()
			}
		}
	})
	for range 3 {
		for _, how := range repacked {
			change(how)
		}
	}
	close(stop)
	reader.Wait()
	var missing *Missing
	if _, err := repo.object(ID(strings.Repeat("x", 20)), nil); !errors.As(err, &missing) {
		t.Errorf("an object that never was: %v", err)
	}
	held, err := repo.stock()
	if err != nil {
		t.Fatal(err)
	}
	if packs, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.idx")); len(held.stores[0].packs) != len(packs) {
		t.Errorf("%d packs are held, and %d are there", len(held.stores[0].packs), len(packs))
	}
	t.Logf("%d reads while the repository was packed anew", reads)
}

// unpackBeside makes every object a file of its own before the packs are taken away, as git does.
func unpackBeside(p *program, dir string) {
	packs, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
	for _, name := range packs {
		data, err := os.ReadFile(name)
		if err != nil {
			p.t.Fatal(err)
		}
		other := p.t.TempDir() // git writes no object that a pack has already
		p.run(other, "init", "-q", "--bare", ".")
		if _, err := p.try(other, data, "unpack-objects", "-q"); err != nil {
			p.t.Fatal(err)
		}
		loose := looseOnly{os.DirFS(filepath.Join(other, "objects"))}
		if err := os.CopyFS(filepath.Join(dir, ".git/objects"), loose); err != nil {
			p.t.Fatal(err)
		}
		for _, ext := range []string{".idx", ".pack", ".rev"} {
			os.Remove(strings.TrimSuffix(name, ".pack") + ext)
		}
		os.Remove(filepath.Join(dir, ".git/objects/pack/multi-pack-index"))
	}
}

// looseOnly hides packs.
type looseOnly struct{ fs.FS }

func (l looseOnly) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(l.FS, name)
	if name != "." {
		return list, err
	}
	var out []fs.DirEntry
	for _, e := range list {
		if len(e.Name()) == 2 {
			out = append(out, e)
		}
	}
	return out, err
}
