package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// TestExplainRunsNothing: a tree cannot make explain run a program or tell what lies outside, however it says so in
// git's own words.
func TestExplainRunsNothing(t *testing.T) {
	git := live.Tool(t, "git")
	hooks := "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = SCRIPT\n\tpager = SCRIPT\n" +
		"\tsshCommand = SCRIPT\n\thooksPath = .\n[pager]\n\tblame = SCRIPT\n[include]\n\tpath = INCLUDED\n"
	drivers := "[diff \"x\"]\n\ttextconv = SCRIPT\n\tcommand = SCRIPT\n" +
		"[filter \"x\"]\n\tclean = SCRIPT\n\tsmudge = SCRIPT\n\tprocess = SCRIPT\n"
	for name, prepare := range map[string]func(w *hostileTree){
		"bare repository": func(w *hostileTree) {
			w.git("init", "-q", "--bare", filepath.Join(w.dir, "manifests"))
			w.write("manifests/config", hooks+"[core]\n\tbare = false\n\tworktree = .\n")
			w.git("--git-dir="+filepath.Join(w.dir, "manifests"), "commit", "-q", "--allow-empty", "-m", "x")
		},
		"configuration":      func(w *hostileTree) { w.write(".git/config", hooks) },
		"included":           func(w *hostileTree) { w.write(".git/config", "[include]\n\tpath = INCLUDED\n") },
		"worktree in config": func(w *hostileTree) { w.write(".git/config", hooks+"[core]\n\tworktree = /\n") },
		"drivers": func(w *hostileTree) {
			w.write(".git/config", drivers)
			w.write(".gitattributes", "* diff=x filter=x\n")
		},
		"drivers in info": func(w *hostileTree) {
			w.write(".git/config", drivers)
			w.write(".git/info/attributes", "* diff=x filter=x\n")
		},
		"configured worktree": func(w *hostileTree) {
			w.write(".git/config", "[extensions]\n\tworktreeConfig = true\n[core]\n\trepositoryformatversion = 1\n")
			w.write(".git/config.worktree", hooks)
		},
		"lazy fetch": func(w *hostileTree) {
			w.write(".git/config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"+
				"[remote \"origin\"]\n\turl = ext::SCRIPT\n\tpromisor = true\n[protocol]\n\tallow = always\n")
			os.RemoveAll(filepath.Join(w.dir, ".git/objects"))
			os.Mkdir(filepath.Join(w.dir, ".git/objects"), 0o755)
		},
		"git file": func(w *hostileTree) {
			os.RemoveAll(filepath.Join(w.dir, ".git"))
			w.write(".git", "gitdir: "+w.outside+"/.git\n")
		},
		"alternates": func(w *hostileTree) {
			w.write(".git/objects/info/alternates", w.outside+"/.git/objects\n")
			head, _ := os.ReadFile(filepath.Join(w.outside, ".git/refs/heads/main"))
			w.write(".git/refs/heads/main", string(head))
		},
		"objects": func(w *hostileTree) {
			os.RemoveAll(filepath.Join(w.dir, ".git/objects"))
			head, _ := os.ReadFile(filepath.Join(w.outside, ".git/refs/heads/main"))
			w.write(".git/refs/heads/main", string(head))
			os.Symlink(w.outside+"/.git/objects", filepath.Join(w.dir, ".git/objects"))
		},
		"hooks": func(w *hostileTree) {
			for _, hook := range []string{"post-index-change", "post-checkout", "reference-transaction", "query-watchman"} {
				w.write(".git/hooks/"+hook, "#!/bin/sh\ntouch "+w.marker+"\n")
				os.Chmod(filepath.Join(w.dir, ".git/hooks", hook), 0o755)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			w := &hostileTree{t: t, program: git, base: base, dir: filepath.Join(base, "tree"),
				outside: filepath.Join(base, "outside"),
				marker:  filepath.Join(base, "marker")}
			code := "$m = '0600'\nfile { '/x':\n  mode => $m,\n}\n"
			for _, dir := range []string{w.outside, w.dir} {
				w.git("init", "-q", "-b", "main", dir)
				if err := os.Mkdir(filepath.Join(dir, "manifests"), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "manifests/site.pp"), []byte(code), 0o644); err != nil {
					t.Fatal(err)
				}
				w.git("-C", dir, "add", ".")
				w.git("-C", dir, "commit", "-qm", map[string]string{w.outside: "OUTSIDE", w.dir: "Inside"}[dir])
			}
			w.write("run.sh", "#!/bin/sh\ntouch "+w.marker+"\necho OUTSIDE\n")
			os.Chmod(filepath.Join(w.dir, "run.sh"), 0o755)
			prepare(w)
			status, out, err := call("explain", w.dir, "--node", "n", "--blame", "File[/x]", "mode")
			if status != 0 {
				t.Errorf("exit %d: %s", status, err)
			}
			if strings.Contains(out+err, "OUTSIDE") {
				t.Errorf("the outside is told:\n%s%s", out, err)
			}
			if _, err := os.Stat(w.marker); !errors.Is(err, fs.ErrNotExist) {
				t.Error("a program of the tree ran")
			}
		})
	}
}

type hostileTree struct {
	t                                   *testing.T
	program, base, dir, outside, marker string
}

func (w *hostileTree) git(args ...string) {
	w.t.Helper()
	cmd := exec.Command(w.program, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.base, "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=a@b"}
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %s", args, out)
	}
}

// write writes a file of the tree. SCRIPT in it stands for a program that leaves a mark, INCLUDED for a configuration
// outside that names it.
func (w *hostileTree) write(name, text string) {
	w.t.Helper()
	included := filepath.Join(w.base, "included")
	script := filepath.Join(w.dir, "run.sh")
	if err := os.WriteFile(included, []byte("[core]\n\tfsmonitor = "+script+"\n"), 0o644); err != nil {
		w.t.Fatal(err)
	}
	text = strings.NewReplacer("SCRIPT", script, "INCLUDED", included).Replace(text)
	at := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}
