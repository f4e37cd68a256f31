package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A link in a directory that is compared may lead outside of it where the user says so, as in the work tree.
func TestDiffDirectoryLinks(t *testing.T) {
	dir := t.TempDir()
	s := &repository{t, dir}
	for _, side := range []string{"old", "new"} {
		s.put(side+"/manifests/site.pp", "notify { 'a': }\n")
	}
	s.put("facts/n.example.json", `{"fqdn": "n.example"}`)
	s.put("beside/b.pp", "notify { 'b': }\n")
	if err := os.Symlink("../../beside/b.pp", filepath.Join(dir, "new", "manifests", "b.pp")); err != nil {
		t.Fatal(err)
	}
	args := []string{"diff", filepath.Join(dir, "old"), "--from", filepath.Join(dir, "old"), "--to",
		filepath.Join(dir, "new"), "--facts", filepath.Join(dir, "facts")}
	if code, _, errs := call(args...); code != 1 || !strings.Contains(errs, "N0104") {
		t.Errorf("%d\n%s", code, errs)
	}
	for _, more := range [][]string{{"--root", filepath.Join(dir, "beside")}, {"--allow-outside"}} {
		if code, out, errs := call(append(args, more...)...); code != 2 || !strings.Contains(out, "+ Notify[b]") {
			t.Errorf("%v: %d\n%s%s", more, code, out, errs)
		}
	}
}

// A file that becomes a directory, and a directory that becomes a file, are hunks like others.
func TestDiffFileAndDirectory(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{
		"manifests/site.pp": "file { '/x': source => 'puppet:///modules/m/x', recurse => true }\n" +
			"if find_file('m/y/one') { notify { 'one': } }\nnotify { 'z': message => file('m/z') }\n",
		"modules/m/files/x":     "a file\n",
		"modules/m/files/y/one": "in a directory\n",
		"modules/m/files/z":     "a file\n",
	})
	files := filepath.Join(s.dir, "modules", "m", "files")
	swap := func(name, inside, text string) {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(files, name)); err != nil {
			t.Fatal(err)
		}
		s.put("modules/m/files/"+name+inside, text)
	}
	swap("x", "/one", "in a directory\n")
	swap("y", "", "a file\n")
	check := func(code int, want []string, args ...string) {
		t.Helper()
		got, out := s.diff(args...)
		for _, text := range want {
			if got != code || !strings.Contains(out, text) {
				t.Errorf("%v: %d, no %q\n%s", args, got, text, out)
			}
		}
	}
	there := []string{"- Notify[one]", "from  modules/m/files/y, new (", "modules/m/files/y/one, removed (", "each by itself",
		"from  modules/m/files/x/one, new"} // a file takes the place of a directory, and makes room for one
	check(2, there, "--from", "HEAD")
	s.commit("files and directories")
	check(2, there, "--from", "HEAD~1", "--to", "HEAD")
	check(2, []string{"+ Notify[one]", "from  modules/m/files/y/one, new", "modules/m/files/y, removed"},
		"--from", "HEAD", "--to", "HEAD~1")
	swap("z", "/one", "in a directory\n")
	check(1, []string{"newly failing", "Is a directory @ io_fread", "modules/m/files/z, removed"}, "--from", "HEAD")
	s.commit("one more")
	check(1, []string{"newly failing", "Is a directory @ io_fread", "modules/m/files/z, removed"},
		"--from", "HEAD~1", "--to", "HEAD")
	check(2, []string{"compiles again", "modules/m/files/z, new"}, "--from", "HEAD", "--to", "HEAD~1")
}

// Links that lead back up to the tree are followed once, not for ever; those that lead nowhere have not changed.
func TestDiffLinksInARing(t *testing.T) {
	s := newTree(t, 1, 1, map[string]string{"manifests/site.pp": "include m\n",
		"modules/m/manifests/init.pp": "class m { notify { '1': } }\n", "modules/m/files/x": "x\n",
		"modules/m/data/x.yaml": "a: 1\n"})
	for _, link := range []string{"modules/m/files/up", "modules/m/data/up", "modules/m/files/again"} {
		if err := os.Symlink("../../..", filepath.Join(s.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"nowhere": "none", "itself": "itself", "outside": "/proc/version"} {
		if err := os.Symlink(to, filepath.Join(s.dir, "modules/m/files", name)); err != nil {
			t.Fatal(err)
		}
	}
	s.commit("rings")
	s.edit("modules/m/files/x", "x", "y")
	s.commit("a file")
	s.edit("modules/m/manifests/init.pp", "'1'", "'2'")
	began := time.Now()
	for _, args := range [][]string{{"--from", "HEAD"}, {"--from", "HEAD~1", "--to", "HEAD"}} {
		if _, out := s.diff(args...); strings.Contains(out, "hunks") || strings.Contains(out, "links that lead") {
			t.Errorf("%v\n%s", args, out)
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Error(took)
	}
}

// Not a link has changed that says the same, but what it leads to, whichever the sides are.
func TestDiffLinkStays(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'm': message => file('m/l') }\n", "sh/a": "a\n",
		"modules/m/files/x": "x\n"})
	for link, to := range map[string]string{"l": "../../../sh/a", "unused": "../../../sh/a", "dir": "../../../sh",
		"whole": filepath.Join(s.dir, "sh/a")} {
		if err := os.Symlink(to, filepath.Join(s.dir, "modules/m/files", link)); err != nil {
			t.Fatal(err)
		}
	}
	s.commit("links")
	s.edit("sh/a", "a", "b")
	for _, args := range [][]string{{"--from", "HEAD"}, {"--from", "HEAD~1"}, {"--from", "HEAD~1", "--to", "HEAD"}} {
		if len(args) > 2 || args[1] != "HEAD" {
			s.git("commit", "-q", "--allow-empty", "-a", "-m", "b")
			args[1] = map[bool]string{true: "HEAD~2", false: "HEAD~1"}[len(args) > 2]
		}
		code, out := s.diff(args...)
		if code != 2 || !strings.Contains(out, "from  sh/a:1 (") || strings.Contains(out, "modules/m/files") ||
			!strings.Contains(out, "1 hunk\n") {
			t.Errorf("%v: exit %d\n%s", args, code, out)
		}
	}
}

// The environment may be named by a link, or lie below one, also as the current directory.
func TestDiffEnvironmentLinks(t *testing.T) {
	s := newTree(t, 0, 0, map[string]string{"envs/prod/manifests/site.pp": "notify { 'a': }\n",
		"envs/prod/environment.conf": "\n", "envs/prod/facts/n.json": `{"name": "n", "values": {"fqdn": "n"}}`})
	s.edit("envs/prod/manifests/site.pp", "'a'", "'b'")
	s.commit("b")
	dir := t.TempDir()
	for name, to := range map[string]string{"env": "envs/prod", "repo": "."} {
		if err := os.Symlink(filepath.Join(s.dir, to), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(env string) {
		t.Helper()
		for _, args := range [][]string{{"HEAD~1"}, {"HEAD~1..HEAD"}, {"HEAD~1..HEAD", "--allow-outside"}} {
			code, out, errs := call(append([]string{"diff", env}, args...)...)
			if code != 2 || !strings.Contains(out, "+ Notify[b]") || !strings.Contains(out, "manifests/site.pp:1 (") {
				t.Errorf("%s %v: exit %d\n%s%s", env, args, code, out, errs)
			}
		}
	}
	check(filepath.Join(dir, "env"))
	check(filepath.Join(dir, "repo/envs/prod"))
	t.Chdir(dir)
	check("env")
	check("repo/envs/prod")
	t.Chdir(filepath.Join(dir, "env"))
	check(".")
}
