package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With source_permissions a file has the mode of its source, of which git keeps whether it may be run. Asked of an
// agent (7.23): chmod +x of the source is "mode changed '0644' to '0755'", of files below a directory, too; not where
// the resource has a mode.
func TestDiffModes(t *testing.T) {
	const one, many = "file { '/a': source => 'puppet:///modules/m/a', ", "file { '/d': recurse => true, " +
		"source => 'puppet:///modules/m', "
	const set = "'not executable' → 'executable'"
	for _, c := range []struct{ site, want string }{
		{one + "source_permissions => use }\n", "File[/a] mode of its source   " + set},
		{one + "source_permissions => use_when_creating }\n", "File[/a] mode of its source   " + set},
		{"File { source_permissions => 'use' }\n" + many + "}\n", "File[/d] mode of a   " + set},
		{one + "}\n", ""},
		{one + "source_permissions => ignore }\n", ""},
		{one + "source_permissions => use, mode => '0644' }\n", ""},
		{many + "source_permissions => use, ignore => 'a' }\n", ""},
	} {
		s := newTree(t, 2, 0, map[string]string{"manifests/site.pp": c.site, "modules/m/files/a": "a\n"})
		check := func(why string, hunk string, args ...string) {
			t.Helper()
			code, out := s.diff(args...)
			_, reached, _ := call(append([]string{"impact", s.dir}, args...)...)
			if c.want == "" {
				if code != 0 || !strings.Contains(out, "2 cannot change") || !strings.Contains(reached, "0 of 2 nodes") {
					t.Errorf("%s%s: exit %d\n%s%s", c.site, why, code, out, reached)
				}
			} else if code != 2 || !strings.Contains(out, c.want+"\n") ||
				!strings.Contains(reached, "mode of File[") || !strings.Contains(reached, "2 of 2 nodes") ||
				hunk != "" && !strings.Contains(out, "from  modules/m/files/a, executable ("+hunk+")") {
				t.Errorf("%s%s: exit %d\n%s%s", c.site, why, code, out, reached)
			}
		}
		if err := os.Chmod(filepath.Join(s.dir, "modules/m/files/a"), 0o755); err != nil {
			t.Fatal(err)
		}
		check("work tree", "not committed", "--from", "HEAD")
		s.commit("it may be run")
		s.edit("manifests/site.pp", "", "# a comment\n")
		s.commit("a comment")
		check("revisions", "HASH", "HEAD~2..HEAD")
		old, new := filepath.Join(t.TempDir(), "old"), filepath.Join(t.TempDir(), "new")
		for _, dir := range []string{old, new} {
			if err := os.CopyFS(dir, os.DirFS(s.dir)); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(filepath.Join(old, "modules/m/files/a"), 0o644); err != nil {
			t.Fatal(err)
		}
		s.dir = new
		check("directories", "", "--from", old)
	}
}

// What a file holds and whether it may be run are hunks of their own. Where git was told not to look at the modes of
// the work tree, they say nothing.
func TestDiffModesAndLines(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"modules/m/files/a": "a\n", "manifests/site.pp": "file { '/a': " +
		"source => 'puppet:///modules/m/a', source_permissions => use }\n"})
	s.edit("modules/m/files/a", "a\n", "b\n")
	if err := os.Chmod(filepath.Join(s.dir, "modules/m/files/a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if code, out := s.diff("--from", "HEAD"); code != 2 || strings.Contains(out, "without effect") ||
		!strings.Contains(out, "from  modules/m/files/a, executable (not committed)") ||
		!strings.Contains(out, "from  modules/m/files/a:1 (not committed)") {
		t.Errorf("exit %d\n%s", code, out)
	}
	s.git("config", "core.fileMode", "false")
	if code, out := s.diff("--from", "HEAD"); code != 2 || strings.Contains(out, "executable") {
		t.Errorf("exit %d\n%s", code, out)
	}
}
