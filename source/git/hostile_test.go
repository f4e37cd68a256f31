package git

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"bunraku/source"
)

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// plant makes a repository with one commit of one file.
func plant(p *program, dir, text string) {
	p.t.Helper()
	p.run(filepath.Dir(dir), "init", "-q", "-b", "main", dir)
	write(p.t, filepath.Join(dir, "m.pp"), text)
	p.run(dir, "add", ".")
	p.run(dir, "commit", "-qm", "First")
}

// TestOutsideIsNotRead: whatever a repository says, nothing outside of it is read that the user did not name.
func TestOutsideIsNotRead(t *testing.T) {
	for name, prepare := range map[string]func(p *program, tree, outside string){
		"git file": func(p *program, tree, outside string) {
			os.RemoveAll(filepath.Join(tree, ".git"))
			write(t, filepath.Join(tree, ".git"), "gitdir: "+outside+"/.git\n")
		},
		"git file relative": func(p *program, tree, outside string) {
			os.RemoveAll(filepath.Join(tree, ".git"))
			write(t, filepath.Join(tree, ".git"), "gitdir: ../outside/.git\n")
		},
		"git link": func(p *program, tree, outside string) {
			os.RemoveAll(filepath.Join(tree, ".git"))
			if err := os.Symlink(outside+"/.git", filepath.Join(tree, ".git")); err != nil {
				t.Fatal(err)
			}
		},
		"common directory": func(p *program, tree, outside string) {
			write(t, filepath.Join(tree, ".git/commondir"), outside+"/.git\n")
			os.RemoveAll(filepath.Join(tree, ".git/objects"))
			os.RemoveAll(filepath.Join(tree, ".git/refs"))
		},
		"alternates": func(p *program, tree, outside string) {
			write(t, filepath.Join(tree, ".git/objects/info/alternates"), outside+"/.git/objects\n")
			write(t, filepath.Join(tree, ".git/refs/heads/main"), p.run(outside, "rev-parse", "HEAD")+"\n")
		},
		"objects link": func(p *program, tree, outside string) {
			os.RemoveAll(filepath.Join(tree, ".git/objects"))
			write(t, filepath.Join(tree, ".git/refs/heads/main"), p.run(outside, "rev-parse", "HEAD")+"\n")
			if err := os.Symlink(outside+"/.git/objects", filepath.Join(tree, ".git/objects")); err != nil {
				t.Fatal(err)
			}
		},
		"reference link": func(p *program, tree, outside string) {
			write(t, filepath.Join(outside, "ref"), p.run(tree, "rev-parse", "HEAD")+"\n")
			os.Remove(filepath.Join(tree, ".git/refs/heads/main"))
			if err := os.Symlink(outside+"/ref", filepath.Join(tree, ".git/refs/heads/main")); err != nil {
				t.Fatal(err)
			}
		},
		"symbolic reference": func(p *program, tree, outside string) {
			write(t, filepath.Join(outside, "ref"), p.run(tree, "rev-parse", "HEAD")+"\n")
			write(t, filepath.Join(tree, ".git/HEAD"), "ref: refs/../../../outside/ref\n")
		},
		"worktree of another": func(p *program, tree, outside string) {
			p.run(outside, "worktree", "add", "-q", "--detach", filepath.Join(filepath.Dir(outside), "linked"))
			os.RemoveAll(filepath.Join(tree, ".git"))
			write(t, filepath.Join(tree, ".git"), "gitdir: "+outside+"/.git/worktrees/linked\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t)
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			tree, outside := filepath.Join(base, "tree"), filepath.Join(base, "outside")
			plant(p, tree, "tree\n")
			plant(p, outside, "secret\n")
			prepare(p, tree, outside)
			ask := func(opt Options) error {
				repo, err := Open(tree, opt)
				if err != nil {
					return err
				}
				defer repo.Close()
				view, err := repo.Tree("HEAD", "/mnt")
				if err != nil {
					return err
				}
				content, err := view.Read("/mnt/m.pp")
				if strings.Contains(content.Text, "secret") && opt.Roots == nil {
					t.Error("the outside was read")
				}
				return err
			}
			err = ask(Options{})
			if err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("no refusal: %v", err)
			}
			var refused *source.Refused
			if errors.As(err, &refused) && refused.Flag != "" || strings.Contains(fmt.Sprint(err), "--root") {
				if err := ask(Options{Roots: []string{outside}}); err != nil {
					t.Errorf("what the user named is refused: %v", err)
				}
			}
		})
	}
}

// TestNothingRuns: none of the ways in which a repository's configuration names a program makes it run.
func TestNothingRuns(t *testing.T) {
	p := newProgram(t)
	tree := filepath.Join(t.TempDir(), "tree")
	plant(p, tree, "one\ntwo\n")
	marker := filepath.Join(t.TempDir(), "marker")
	script := filepath.Join(tree, "run.sh")
	write(t, script, "#!/bin/sh\ntouch "+marker+"\ncat\n")
	os.Chmod(script, 0o755)
	write(t, filepath.Join(t.TempDir(), "included"), "[core]\n\tfsmonitor = "+script+"\n")
	write(t, filepath.Join(tree, ".git/config"), strings.ReplaceAll(`[core]
	repositoryformatversion = 0
	fsmonitor = SCRIPT
	sshCommand = SCRIPT
	pager = SCRIPT
	editor = SCRIPT
	hooksPath = .
	gitProxy = SCRIPT
	attributesFile = /etc/passwd
	worktree = /
	alternateRefsCommand = SCRIPT
[include]
	path = /etc/passwd
[pager]
	blame = SCRIPT
[diff]
	external = SCRIPT
[diff "x"]
	textconv = SCRIPT
	command = SCRIPT
[filter "x"]
	smudge = SCRIPT
	clean = SCRIPT
	process = SCRIPT
	required = true
[merge "x"]
	driver = SCRIPT
[remote "origin"]
	url = ext::SCRIPT
	promisor = true
	uploadpack = SCRIPT
[mailmap]
	file = /etc/passwd
[blame]
	ignoreRevsFile = /etc/passwd
`, "SCRIPT", script))
	write(t, filepath.Join(tree, ".git/info/attributes"), "* diff=x filter=x merge=x\n")
	for _, hook := range []string{"post-checkout", "post-index-change", "fsmonitor-watchman"} {
		write(t, filepath.Join(tree, ".git/hooks", hook), "#!/bin/sh\ntouch "+marker+"\n")
		os.Chmod(filepath.Join(tree, ".git/hooks", hook), 0o755)
	}
	repo, err := Open(tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	changes, err := repo.BlameFile(context.Background(), filepath.Join(tree, "m.pp"), []int{1, 2, 3})
	if err != nil || len(changes) != 2 || changes[1].Summary != "First" {
		t.Errorf("%v %v", changes, err)
	}
	view, err := repo.Tree("HEAD", "/mnt")
	if err != nil {
		t.Fatal(err)
	}
	if content, err := view.Read("/mnt/m.pp"); err != nil || content.Text != "one\ntwo\n" {
		t.Errorf("%q %v", content.Text, err)
	}
	if _, err := os.Stat(marker); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a program ran")
	}
}

// TestReplaceRefs: references that replace objects are not obeyed.
func TestReplaceRefs(t *testing.T) {
	p := newProgram(t)
	tree := filepath.Join(t.TempDir(), "tree")
	plant(p, tree, "one\n")
	first := p.run(tree, "rev-parse", "HEAD")
	write(t, filepath.Join(tree, "m.pp"), "two\n")
	p.run(tree, "commit", "-qam", "Second")
	p.run(tree, "replace", first, p.run(tree, "rev-parse", "HEAD"))
	repo, err := Open(tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	view, err := repo.Tree(first, "/mnt")
	if err != nil {
		t.Fatal(err)
	}
	if content, err := view.Read("/mnt/m.pp"); err != nil || content.Text != "one\n" {
		t.Errorf("%q %v", content.Text, err)
	}
}

// TestBareRepositoryInTree: a directory that looks like a repository is just files.
func TestBareRepositoryInTree(t *testing.T) {
	p := newProgram(t)
	tree := filepath.Join(t.TempDir(), "tree")
	plant(p, tree, "one\n")
	p.run(tree, "init", "-q", "--bare", filepath.Join(tree, "manifests"))
	write(t, filepath.Join(tree, "manifests/site.pp"), "x\n")
	repo, err := Open(filepath.Join(tree, "manifests"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	if want, _ := filepath.EvalSymlinks(tree); repo.WorkTree() != want {
		t.Errorf("opened %s", repo.WorkTree())
	}
	lonely := filepath.Join(t.TempDir(), "lonely")
	p.run(filepath.Dir(lonely), "init", "-q", "--bare", lonely)
	if repo, err := Open(lonely, Options{}); err == nil {
		t.Errorf("opened %s", repo.WorkTree())
	}
}

// TestWorktreesAndSubmodules: what git itself makes is followed, since both ends point at each other.
func TestWorktreesAndSubmodules(t *testing.T) {
	p := newProgram(t)
	base := t.TempDir()
	tree, other := filepath.Join(base, "tree"), filepath.Join(base, "other")
	plant(p, tree, "one\n")
	plant(p, other, "other\n")
	p.run(tree, "worktree", "add", "-q", "-b", "side", filepath.Join(base, "linked"))
	p.run(tree, "submodule", "--quiet", "add", other, "modules/other")
	p.run(tree, "commit", "-qm", "Second")
	for dir, want := range map[string]string{filepath.Join(base, "linked"): "one\n",
		filepath.Join(tree, "modules/other"): "other\n"} {
		repo, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		view, err := repo.Tree("HEAD", "/mnt")
		if err != nil {
			t.Fatal(err)
		}
		if c, err := view.Read("/mnt/m.pp"); err != nil || c.Text != want {
			t.Errorf("%s: %q %v", dir, c.Text, err)
		}
		repo.Close()
	}
	repo, err := Open(tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	view, err := repo.Tree("HEAD", "/mnt")
	if err != nil {
		t.Fatal(err)
	}
	var sub *Submodule
	if _, err := view.Read("/mnt/modules/other/m.pp"); !errors.As(err, &sub) || sub.Path != "/mnt/modules/other" ||
		sub.Commit.String() != p.run(other, "rev-parse", "HEAD") || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestPipesDoNotHang: a pipe or a device in place of a file is refused at once.
func TestPipesDoNotHang(t *testing.T) {
	p := newProgram(t)
	for _, name := range []string{".git/HEAD", ".git/config", ".git/packed-refs", ".git/refs/heads/main", ".git/shallow",
		".git/objects/info/alternates", "m.pp", ".git"} {
		tree := filepath.Join(t.TempDir(), "tree")
		plant(p, tree, "one\n")
		at := filepath.Join(tree, name)
		os.RemoveAll(at)
		if err := syscall.Mkfifo(at, 0o644); err != nil {
			t.Skip(err)
		}
		done := make(chan error, 1)
		go func() {
			repo, err := Open(tree, Options{})
			if err == nil {
				defer repo.Close()
				_, err = repo.BlameFile(context.Background(), filepath.Join(tree, "m.pp"), []int{1})
				if err == nil {
					_, err = repo.Resolve("nothing")
				}
			}
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("%s: no error", name)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: hangs", name)
		}
	}
}

// loose writes an object of any content under any name.
func loose(t testing.TB, dir, kind, data, name string) string {
	t.Helper()
	text := fmt.Sprintf("%s %d\x00%s", kind, len(data), data)
	if name == "" {
		sum := sha1.Sum([]byte(text))
		name = hex.EncodeToString(sum[:])
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	at := filepath.Join(dir, ".git/objects", name[:2], name[2:])
	os.Remove(at)
	write(t, at, b.String())
	return name
}

// TestObjectsAreChecked: content under a name that is not its hash, and trees that would lead elsewhere, are corrupt.
func TestObjectsAreChecked(t *testing.T) {
	p := newProgram(t)
	tree := filepath.Join(t.TempDir(), "tree")
	plant(p, tree, "one\n")
	blob := p.run(tree, "rev-parse", "HEAD:m.pp")
	raw, _ := hex.DecodeString(blob)
	commitOf := func(entries string) string {
		id := loose(t, tree, "tree", entries, "")
		return loose(t, tree, "commit", "tree "+id+"\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\n\x1b[2J evil\n", "")
	}
	for _, name := range []string{"..", ".", ".git", ".GIT", "a/b"} {
		rev := commitOf("100644 " + name + "\x00" + string(raw))
		if err := readAll(tree, rev); !errors.As(err, new(*Corrupt)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	rev := commitOf("100644 m.pp\x00" + string(raw))
	if err := readAll(tree, rev); err != nil {
		t.Error(err)
	}
	repo, err := Open(tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	id, _ := repo.Resolve(rev)
	if c, err := repo.Commit(id); err != nil || c.Summary != `\x1b[2J evil` {
		t.Errorf("%q %v", c.Summary, err)
	}
	loose(t, tree, "blob", "two\n", blob)
	if err := readAll(tree, rev); !errors.As(err, new(*Corrupt)) {
		t.Errorf("a false hash: %v", err)
	}
}

func readAll(dir, rev string) error {
	repo, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	defer repo.Close()
	view, err := repo.Tree(rev, "/mnt")
	if err != nil {
		return err
	}
	list, err := view.List("/mnt")
	for _, e := range list {
		if _, err := view.Read("/mnt/" + e.Name); err != nil {
			return err
		}
	}
	return err
}

// TestBounds: large objects are refused before they are read, and unsupported repositories say why.
func TestBounds(t *testing.T) {
	p := newProgram(t)
	tree := filepath.Join(t.TempDir(), "tree")
	plant(p, tree, strings.Repeat("0123456789abcdef\n", 1<<12))
	repo, err := Open(tree, Options{MaxObject: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	view, err := repo.Tree("HEAD", "/mnt")
	if err != nil {
		t.Fatal(err)
	}
	var refused *source.Refused
	if _, err := view.Read("/mnt/m.pp"); !errors.As(err, &refused) || !strings.Contains(err.Error(), "69632 bytes") {
		t.Error(err)
	}
	if info, err := view.Stat("/mnt/m.pp"); err != nil || info.Size != 69632 {
		t.Errorf("%v %v", info, err)
	}
	for config, want := range map[string]string{
		"[core]\nrepositoryformatversion = 2\n":                                      "format 2",
		"[core]\nrepositoryformatversion = 1\n[extensions]\nrefstorage = reftable\n": "reftable",
		"[core]\nrepositoryformatversion = 1\n[extensions]\nfuture = yes\n":          "future",
		"[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = md5\n":    "md5",
	} {
		write(t, filepath.Join(tree, ".git/config"), config)
		var u *Unsupported
		if _, err := Open(tree, Options{}); !errors.As(err, &u) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", config, err)
		}
	}
}
