package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two revisions of a bare repository are compared; without a work tree there is no other side.
func TestDiffBare(t *testing.T) {
	s := newRepository(t)
	s.edit("data/common.yaml", "Be kind", "Be nice")
	s.commit("nice")
	bare := filepath.Join(t.TempDir(), "shop.git")
	s.git("clone", "-q", "--bare", s.dir, bare)
	_, want := s.diff("--from", "HEAD~1", "--to", "HEAD")
	b := &repository{t, bare}
	code, got := b.diff("--from", "HEAD~1", "--to", "HEAD")
	if got = strings.Replace(got, "shop.git", "shop", 1); code != 2 || got != want {
		t.Errorf("%d\n%s--- want\n%s", code, got, want)
	}
	if code, out := b.diff("--to", "feature"); code != 2 || !strings.Contains(out, "(main)") {
		t.Errorf("%d\n%s", code, out)
	}
	for _, args := range [][]string{nil, {"--from", "HEAD~1"}} {
		if code, out := b.diff(args...); code != 1 || !strings.Contains(out, "bare repository") ||
			!strings.Contains(out, "--to REV") {
			t.Errorf("%d\n%s", code, out)
		}
	}
	if code, out, _ := call("impact", bare, "--from", "HEAD~1", "--to", "HEAD"); code != 2 ||
		!strings.Contains(out, "3 of 3 nodes can change") {
		t.Errorf("%d\n%s", code, out)
	}
}

// What git ignores lies under every revision, as after a checkout: whole modules, parts of them, and data.
func TestDiffIgnoredParts(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{
		".gitignore":                    "/modules/vendored/\n/modules/own/files/made/\n*.local.yaml\n/modules/own/templates/x.epp\n",
		"hiera.yaml":                    "version: 5\nhierarchy: [{name: l, path: l.local.yaml}]\n",
		"modules/own/manifests/init.pp": "class own { file { '/a': source => 'puppet:///modules/own/made/a' } }\n",
		"manifests/site.pp": "include own\ninclude vendored\nnotify { 'x': message => lookup('level') }\n" +
			"file { '/t': content => epp('own/x.epp') }\n",
	})
	s.edit("modules/vendored/manifests/init.pp", "", "class vendored { notify { 'v': } }\n")
	s.edit("modules/own/files/made/a", "", "a\n")
	s.edit("modules/own/templates/x.epp", "", "x\n")
	s.edit("data/l.local.yaml", "", "level: high\n")
	for _, args := range [][]string{{"--from", "HEAD"}, {"--from", "HEAD", "--to", "HEAD"}} {
		code, out := s.diff(args...)
		if code != 0 || !strings.Contains(out, "No differences.") || !strings.Contains(out,
			"git ignores them: modules/own/files/made, modules/own/templates/x.epp, modules/vendored, data/l.local.yaml.") {
			t.Errorf("%v: %d\n%s", args, code, out)
		}
	}
	s.edit("manifests/site.pp", "", "notify { 'y': }\n")
	if code, out := s.diff("--from", "HEAD"); code != 2 || !strings.Contains(out, "+ Notify[y]") ||
		!strings.Contains(out, "from  manifests/site.pp:5") {
		t.Errorf("%d\n%s", code, out)
	}
}

// The ways to name a revision.
func TestDiffRevisionNames(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'zero': }\n"})
	s.git("tag", "-a", "-m", "x", "v0")
	s.edit("manifests/site.pp", "", "notify { 'one': }\n")
	s.commit("the first step")
	s.git("tag", "light")
	s.edit("manifests/site.pp", "", "notify { 'two': }\n")
	s.commit("the second step")
	s.git("branch", "side", "HEAD~2")
	id, err := os.ReadFile(filepath.Join(s.dir, ".git/refs/tags/light"))
	if err != nil {
		t.Fatal(err)
	}
	both, last := "+ Notify[one]", "+ Notify[two]"
	for from, want := range map[string]string{"v0": both, "HEAD~2": both, "HEAD^^": both, "v0^{}": both,
		"v0^{commit}": both,
		"side":        both, "refs/heads/side": both, "light": last, "HEAD~": last, "@~1": last, string(id[:7]): last,
		"main~1": last} {
		code, out := s.diff("--from", from, "--to", "HEAD")
		if code != 2 || !strings.Contains(out, want) || !strings.Contains(out, last) ||
			want == last && strings.Contains(out, both) {
			t.Errorf("%s: %d\n%s", from, code, out)
		}
	}
	for _, wrong := range []string{"4b825dc642cb6eb9a060e54bf8d69288fbee4904", ":/first step", "HEAD^{/first}", "main@{0}",
		"HEAD^!", "HEAD^@", "HEAD^-", "HEAD^-1", "HEAD^x", "HEAD^1x", "HEAD~x", "HEAD~1-", "HEAD^{}x", "HEAD^^!", "^HEAD",
		"nowhere", "HEAD~9", "HEAD:manifests", "v0..HEAD", ":/nobody wrote this", "0000000"} {
		if code, out := s.diff("--from", wrong, "--to", "HEAD"); code != 1 || !strings.Contains(out, wrong) {
			t.Errorf("%s: %d\n%s", wrong, code, out)
		}
	}
}

// The old side is where the branch left main, not where main is.
func TestDiffMergeBase(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'zero': }\n"})
	s.git("checkout", "-q", "-b", "feature")
	s.edit("manifests/f.pp", "", "notify { 'feature': }\n")
	s.commit("feature")
	s.git("checkout", "-q", "main")
	s.edit("manifests/m.pp", "", "notify { 'main': }\n")
	s.commit("main goes on")
	s.git("checkout", "-q", "feature")
	for _, args := range [][]string{nil, {"--to", "HEAD"}, {"--to", "feature"}} {
		if _, out := s.diff(args...); !strings.Contains(out, "+ Notify[feature]") || strings.Contains(out, "Notify[main]") {
			t.Errorf("%v\n%s", args, out)
		}
	}
	if _, out := s.diff("--from", "main"); !strings.Contains(out, "- Notify[main]") {
		t.Error(out)
	}
	s.git("merge", "-q", "-m", "main comes in", "main")
	if _, out := s.diff(); !strings.Contains(out, "+ Notify[feature]") || strings.Contains(out, "Notify[main]") {
		t.Error(out)
	}
}

// Files that are renamed, removed, no text, links, submodules, or get other line ends are hunks like others.
func TestDiffHunksOfFiles(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{
		"manifests/site.pp": "include a\ninclude c\n$s = 1\n",
		"modules/a/manifests/init.pp": "class a {\n  file { '/bin/a': source => 'puppet:///modules/a/a.bin' }\n" +
			"  file { '/t': content => file('a/t.txt') }\n  file { '/l': source => 'puppet:///modules/a/link' }\n}\n",
		"modules/a/files/a.bin":       "\x00\x01one",
		"modules/a/files/t.txt":       "first\nsecond\n",
		"modules/a/files/one":         "one\n",
		"modules/a/files/two":         "two\n",
		"modules/c/manifests/init.pp": "class c {\n  notify { 'c': message => \"a\nb\" }\n}\n",
		"modules/d/manifests/init.pp": "class d { }\n",
	})
	if err := os.Symlink("one", filepath.Join(s.dir, "modules/a/files/link")); err != nil {
		t.Fatal(err)
	}
	s.commit("a link")
	s.edit("modules/a/files/a.bin", "\x01one", "\x01two")
	s.edit("modules/a/files/t.txt", "first\nsecond\n", "first\r\nsecond\r\n")
	os.Remove(filepath.Join(s.dir, "modules/a/files/link"))
	os.Symlink("two", filepath.Join(s.dir, "modules/a/files/link"))
	s.edit("modules/c/manifests/init.pp", "class c {\n  notify { 'c': message => \"a\nb\" }\n}\n",
		"class c {\r\n  notify { 'c': message => \"a\r\nb\" }\r\n}\r\n")
	s.git("mv", "modules/d/manifests/init.pp", "modules/d/manifests/e.pp")
	s.edit("manifests/site.pp", "$s = 1\n", "")
	for _, args := range [][]string{{"--from", "HEAD"}, {"--from", "HEAD~1", "--to", "HEAD"}} {
		if len(args) > 2 {
			s.commit("all of it")
		}
		code, out := s.diff(append(args, "--full")...)
		for _, want := range []string{"from  modules/a/files/a.bin", "from  modules/a/files/t.txt", "from  modules/a/files/link",
			"from  modules/c/manifests/init.pp", "without effect"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not there (%d):\n%s", want, code, out)
			}
		}
	}
	// A submodule is a tree that is missing: what needs it is told, on each side.
	other := newTree(t, 0, 0, map[string]string{"manifests/init.pp": "class sub { notify { 'sub': } }\n"})
	s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.dir, "modules/sub")
	s.edit("manifests/site.pp", "", "include sub\n")
	s.commit("a submodule")
	if _, out := s.diff("--from", "HEAD~1", "--to", "HEAD"); strings.Contains(out, "modules/sub, new") ||
		!strings.Contains(out, "Not looked at: modules/sub is a submodule") ||
		!strings.Contains(out, "Could not find class") {
		t.Error(out)
	}
	if code, out := s.diff("--from", "HEAD~1"); code != 2 || !strings.Contains(out, "+ Notify[sub]") { // it is checked out
		t.Errorf("%d\n%s", code, out)
	}
	// A commit has no files of it, and so is compared with those that are checked out; without them, without them.
	s.edit("manifests/site.pp", "include sub\n", "include sub\nnotify { 'after': }\n")
	code, out := s.diff("--from", "HEAD")
	if code != 2 || !strings.Contains(out, "+ Notify[after]") || strings.Contains(out, "Notify[sub]") ||
		!strings.Contains(out, "Not looked at: how modules/sub changed, a submodule: its files are those of the work tree") {
		t.Errorf("%d\n%s", code, out)
	}
	s.git("submodule", "--quiet", "deinit", "-f", "modules/sub")
	s.edit("manifests/site.pp", "include sub\n", "")
	code, out = s.diff("--from", "HEAD")
	if code != 2 || !strings.Contains(out, "Not looked at: modules/sub is a submodule") {
		t.Errorf("%d\n%s", code, out)
	}
	if code, out, log := call("impact", s.dir, "--from", "HEAD"); code != 2 || log != "" {
		t.Errorf("%d\n%s%s", code, out, log)
	}
}

// What only stands in another file now was brought there by the commit that renamed it, not by whoever wrote it.
func TestDiffBlamesRenames(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'n': message => template('m/a.erb') }\n",
		"modules/m/templates/a.erb": "one\ntwo\nthree\n", "modules/m/templates/old.erb": "1\n2\n3\n4\n5\n6\n7\n8\n"})
	s.git("tag", "before")
	s.git("mv", "modules/m/templates/old.erb", "modules/m/templates/b.erb")
	s.edit("manifests/site.pp", "m/a.erb", "m/b.erb")
	s.commit("renames it")
	s.edit("README", "", "text\n")
	s.commit("goes on")
	_, out := s.diff("--from", "before", "--to", "HEAD", "--format", "json")
	var told struct {
		Groups []struct {
			Cause struct {
				Hunks []struct{ File, Title string }
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &told); err != nil || len(told.Groups) != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, h := range told.Groups[0].Cause.Hunks {
		if h.Title != "renames it" {
			t.Errorf("%s: %q\n%s", h.File, h.Title, out)
		}
	}
	if len(told.Groups[0].Cause.Hunks) < 2 {
		t.Error(out)
	}
}

// What went away was taken away by the commit that did so, also if the same lines stand elsewhere in the file, were
// edited before, or went from two places at two times: then nothing is said.
func TestDiffBlamesRemovals(t *testing.T) {
	const x, y, text = "notify { 'x':\n", "}\nnotify { 'y':\n", "  message => '1',\n"
	s := newTree(t, 1, 0, map[string]string{
		"manifests/site.pp":           x + text + "  noop => true,\n" + y + text + "}\ninclude m\n",
		"modules/m/manifests/init.pp": "class m { if defined('m::b') { include m::b } }\n",
		"modules/m/manifests/b.pp":    "class m::b { notify { 'b': } }\n"})
	s.git("tag", "before")
	s.edit("manifests/site.pp", x+text, x)
	s.commit("takes x")
	s.edit("modules/m/manifests/b.pp", "'b': ", "'b': message => 'b' ")
	s.commit("edits b")
	s.git("rm", "-q", "modules/m/manifests/b.pp")
	s.commit("removes b")
	s.edit("README", "", "text\n")
	s.commit("goes on")
	check := func(want map[string]string, args ...string) {
		t.Helper()
		_, out := s.diff(append(args, "--from", "before", "--format", "json")...)
		var told struct {
			Groups []struct {
				Changes []struct{ Resource string }
				Cause   struct {
					Hunks []struct{ Title, Commit string }
				}
			}
		}
		if err := json.Unmarshal([]byte(out), &told); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, g := range told.Groups {
			title, ok := want[g.Changes[0].Resource]
			if h := g.Cause.Hunks; !ok || len(h) != 1 || h[0].Title != title || title == "" && h[0].Commit != "" {
				t.Errorf("%s: want %q, got %+v", g.Changes[0].Resource, title, h)
			}
		}
		if len(told.Groups) != len(want) {
			t.Error(out)
		}
	}
	check(map[string]string{"Notify[x]": "takes x", "Notify[b]": "removes b"}, "--to", "HEAD")
	check(map[string]string{"Notify[x]": "takes x", "Notify[b]": "removes b"})
	s.edit("manifests/site.pp", y+text, y)
	s.commit("takes y")
	check(map[string]string{"Notify[x]": "", "Notify[y]": "", "Notify[b]": "removes b"}, "--to", "HEAD")
}

// What a side of a merge took away was taken by the side's commit, and not by the merge, unless the old state is on
// that side.
func TestDiffBlamesMerges(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'a': }\n\n\nnotify { 'b': }\n\n\n" +
		"notify { 'c': }\n"})
	s.git("branch", "-M", "main")
	s.git("tag", "before")
	for _, name := range []string{"a", "b", "c"} {
		s.git("checkout", "-q", "-b", "no-"+name, "before")
		s.edit("manifests/site.pp", "notify { '"+name+"': }\n", "")
		s.commit("takes " + name)
	}
	s.git("checkout", "-q", "main")
	s.git("merge", "-q", "-m", "the merge", "no-a", "no-b", "no-c")
	_, out := s.diff("--from", "before", "--to", "HEAD", "--format", "json")
	for _, title := range []string{"takes a", "takes b", "takes c"} {
		if !strings.Contains(out, `"title": "`+title+`"`) {
			t.Errorf("no %q\n%s", title, out)
		}
	}
	s.git("checkout", "-q", "-b", "late", "before")
	s.edit("manifests/site.pp", "notify { 'c': }\n", "notify { 'c': }\n\n\nnotify { 'd': }\n")
	s.commit("brings d")
	s.git("tag", "-f", "before")
	s.git("merge", "-q", "-s", "ours", "-m", "the merge", "main")
	s.edit("manifests/site.pp", "notify { 'd': }\n", "")
	s.git("add", "-A")
	s.git("commit", "-q", "--amend", "-m", "the merge")
	if _, out = s.diff("--from", "before", "--to", "HEAD", "--format", "json"); !strings.Contains(out,
		`"title": "the merge"`) {
		t.Error(out)
	}
}

// A Puppetfile names what is not fetched, which is said. A link to another directory is a hunk like others.
func TestDiffSaysWhatIsNoHunk(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "include m\n", "Puppetfile": "mod 'x-y', '1.0.0'\n",
		"v/1/manifests/init.pp": "class m { notify { '1': } }\n", "v/2/manifests/init.pp": "class m { notify { '2': } }\n",
		"modules/z/manifests/init.pp": "class z { }\n"})
	link := filepath.Join(s.dir, "modules", "m")
	if err := os.Symlink("../v/1", link); err != nil {
		t.Fatal(err)
	}
	s.commit("a link")
	s.edit("Puppetfile", "1.0.0", "2.0.0")
	const unfetched = "no effect seen   Puppetfile:1   (modules are not fetched"
	if _, out := s.diff("--from", "HEAD"); !strings.Contains(out, unfetched) {
		t.Error(out)
	}
	const other = "Not looked at: what other versions of these do, which are wanted and not here: y."
	if _, out, _ := call("impact", s.dir, "--from", "HEAD"); !strings.Contains(out, other) {
		t.Error(out)
	}
	if _, out, _ := call("impact", s.dir, "--from", "HEAD", "--to", "HEAD"); strings.Contains(out, other) {
		t.Error(out)
	}
	if err := errors.Join(os.Remove(link), os.Symlink("../v/2", link)); err != nil {
		t.Fatal(err)
	}
	if _, out := s.diff("--from", "HEAD"); !strings.Contains(out, "+ Notify[2]") ||
		!strings.Contains(out, "from  modules/m (not committed)\n") || strings.Contains(out, "without its cause") {
		t.Error(out)
	}
}

// What would be read as if nothing were there, or would hide the tree's own files, is refused: a directory of --with
// that is not there, an environment that a side has not got, a store or parts among the tree's files.
func TestDiffPlaces(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'a': }\n", "old/manifests/site.pp": ""})
	s.git("mv", "old", "new")
	s.edit("manifests/site.pp", "'a'", "'b'")
	s.commit("moved")
	parts := filepath.Join(t.TempDir(), "parts")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{s.dir, "--with", s.dir + "/nowhere"}, "--with " + s.dir + "/nowhere: there is no such directory"},
		{[]string{s.dir, "--with", s.dir + "/manifests/site.pp"}, "there is no such directory"},
		{[]string{s.dir + "/new"}, "there is no " + s.dir + "/new in HEAD~1 ("},
		{[]string{s.dir + "/old"}, "there is no file or directory"},
		{[]string{s.dir, "--store", s.dir}, s.dir + " holds files of the tree"},
		{[]string{s.dir, "--store", s.dir + "/manifests"}, s.dir + "/manifests holds files of the tree"},
		{[]string{s.dir, "--shard", "1/2", "--out", s.dir}, s.dir + " holds files of the tree"},
		{[]string{s.dir, "--shard", "1/2", "--out", parts}, ""},
		{[]string{s.dir, "--store", s.dir + "/store", "--with", s.dir + "/new"}, ""},
	} {
		_, out, diagnosed := call(append([]string{"diff", "--from", "HEAD~1"}, c.args...)...)
		if !strings.Contains(diagnosed, c.want) || c.want == "" && diagnosed != "" {
			t.Errorf("%v\n%s%s", c.args, out, diagnosed)
		}
	}
}

// Of a clone without the contents of files it is said that it is one, and what to do.
func TestDiffPartialClone(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "notify { 'a': }\n"})
	s.edit("manifests/site.pp", "'a'", "'b'")
	s.commit("b")
	s.git("config", "uploadpack.allowFilter", "true")
	dir := filepath.Join(t.TempDir(), "clone")
	s.git("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+s.dir, dir)
	code, out, diagnosed := call("diff", dir, "--from", "HEAD~1", "--to", "HEAD", "--facts", s.dir+"/facts")
	if code != 1 || !strings.Contains(diagnosed, "the repository is a partial clone; fetch it with git") {
		t.Errorf("exit %d\n%s%s", code, out, diagnosed)
	}
}

// So it is where single files are not at hand that nodes ask for: they are not taken for such as are not there,
// whoever asks, and whether he asks for what is in them or only whether they are.
func TestDiffPartialFiles(t *testing.T) {
	s := newTree(t, 2, 0, map[string]string{
		"hiera.yaml":                   "version: 5\nhierarchy: [{name: c, path: c.yaml}, {name: g, glob: '*/g.yaml'}]\n",
		"data/c.yaml":                  "k: v0\n",
		"data/x/g.yaml":                "l: v0\n",
		"modules/m/manifests/init.pp":  "class m { }\n# v0\n",
		"modules/m/functions/f.pp":     "function m::f() { 'v0' }\n",
		"modules/m/templates/t.epp":    "v0\n",
		"modules/m/files/f":            "v0\n",
		"modules/m/files/s":            "v0\n",
		"modules/m/lib/facter/unasked": "v0\n",
		"manifests/site.pp": "include m\nnotify { 'k': noop => lookup('k', default_value => 'd') == 'v1', message => m::f() }\n" +
			"notify { 'l': noop => lookup('l', default_value => 'd') == 'v1', message => file('m/f', '/dev/null') }\n" +
			"file { '/s': source => 'puppet:///modules/m/s' }\n" +
			"if find_template('m/t.epp') { notify { 'd3': message => epp('m/t.epp') } }\n"})
	s.git("config", "uploadpack.allowFilter", "true")
	files := []string{"data/c.yaml", "data/x/g.yaml", "modules/m/manifests/init.pp", "modules/m/functions/f.pp",
		"modules/m/templates/t.epp", "modules/m/files/f", "modules/m/files/s"}
	for _, file := range files {
		s.edit(file, "v0", "v1")
		s.commit(file)
		s.edit(file, "v1", "v2")
		s.commit("and again")
	}
	s.edit("README", "", "text\n")
	s.commit("fine")
	dir := filepath.Join(t.TempDir(), "clone")
	s.git("clone", "-q", "--filter=blob:none", "file://"+s.dir, dir)
	const why = " is missing: the repository is a partial clone; fetch it with git"
	store := filepath.Join(t.TempDir(), "store")
	for i, file := range files {
		to := fmt.Sprintf("HEAD~%d", 2*(len(files)-i)-1)
		for _, args := range [][]string{{"diff"}, {"impact"}, {"diff", "--store", store}} {
			code, out, diagnosed := call(append(args, dir, "--from", to+"~1", "--to", to)...)
			if code != 1 || !strings.Contains(diagnosed, why) {
				t.Errorf("%v %s: exit %d\n%s%s", args, file, code, out, diagnosed)
			}
		}
	}
	if code, out, diagnosed := call("diff", dir, "--from", "HEAD~1", "--to", "HEAD"); code != 0 {
		t.Errorf("exit %d\n%s%s", code, out, diagnosed)
	}
}

// A sparse checkout leaves files out, and they look as if somebody had removed them: that is told. A repository without
// a commit has nothing to compare with, and what can be done is told, too.
func TestDiffSparseAndEmpty(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "include m\n",
		"modules/m/manifests/init.pp": "class m { notify { 'a': } }\n", "modules/n/manifests/init.pp": "class n { }\n"})
	const note = "is a sparse checkout"
	if _, out := s.diff("--from", "HEAD"); strings.Contains(out, note) {
		t.Error(out)
	}
	s.git("sparse-checkout", "set", "manifests", "modules/n", "facts")
	for _, command := range []string{"diff", "impact"} {
		args := []string{command, s.dir, "--facts", filepath.Join(s.dir, "facts"), "--from", "HEAD"}
		if _, out, errs := call(args...); !strings.Contains(out+errs, note) {
			t.Errorf("%s\n%s%s", command, out, errs)
		}
		if _, out, errs := call(append(args, "--to", "HEAD")...); strings.Contains(out+errs, note) {
			t.Errorf("%s of commits\n%s%s", command, out, errs)
		}
	}
	empty := &repository{t, t.TempDir()}
	empty.git("init", "-q", "-b", "main")
	empty.put("manifests/site.pp", "notify { 'a': }\n")
	if code, _, errs := call("diff", empty.dir); code != 1 || !strings.Contains(errs, "commit the files first, or say") {
		t.Errorf("%d %s", code, errs)
	}
}

// Data lies where any side's hiera.yaml says, an environment's or a module's: what git ignores of that counts.
func TestDiffIgnoredData(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{
		".gitignore": "/secrets/\n/later/\n/beside/\n/modules/m/own/\n",
		"hiera.yaml": "version: 5\nhierarchy:\n" +
			"  - {name: s, datadir: 'secrets/%{facts.none}', path: ../c.yaml}\n" +
			"  - {name: b, path: ../beside/c.yaml}\n",
		"modules/m/hiera.yaml": "version: 5\ndefaults: {datadir: own, data_hash: yaml_data}\nhierarchy: [{name: o, path: c.yaml}]\n",
		"manifests/site.pp": "['k', 'l', 'n', 'm::k'].each |$k| { if lookup($k, default_value => false) " +
			"{ notify { \"${k} 1\": } } }\n",
	})
	for name, key := range map[string]string{"secrets/c.yaml": "k", "beside/c.yaml": "l", "later/c.yaml": "n",
		"modules/m/own/c.yaml": "m::k"} {
		s.put(name, key+": true\n")
	}
	s.edit("manifests/site.pp", "} 1\"", "} 2\"")
	check := func(want, not []string, args ...string) {
		t.Helper()
		code, out := s.diff(args...)
		for _, text := range want {
			if code != 2 || !strings.Contains(out, text) {
				t.Errorf("%v: exit %d, no %q\n%s", args, code, text, out)
			}
		}
		for _, text := range not {
			if strings.Contains(out, text) {
				t.Errorf("%v: %q\n%s", args, text, out)
			}
		}
	}
	all := []string{"Notify[k 1]", "Notify[l 1]", "Notify[m::k 1]", "git ignores them: modules/m/own, secrets, beside/c.yaml."}
	check(all, []string{"Notify[n "}, "--from", "HEAD")
	s.commit("two")
	check(all, []string{"Notify[n "}, "--from", "HEAD~1", "--to", "HEAD")
	s.edit("hiera.yaml", "../beside/", "../later/")
	late := []string{"- Notify[l 2]", "+ Notify[n 2]"}
	check(late, []string{"Notify[k "}, "--from", "HEAD")
	s.commit("later")
	check(late, []string{"Notify[k "}, "--from", "HEAD~1", "--to", "HEAD")
}

// A link may lead to what git ignores: a file, a module, data.
func TestDiffIgnoredLinks(t *testing.T) {
	s := newTree(t, 1, 0, map[string]string{".gitignore": "/cache/\n",
		"hiera.yaml":                  "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n",
		"modules/m/files/own":         "own\n",
		"modules/z/manifests/init.pp": "class z { }\n",
		"manifests/site.pp": "include v\nnotify { 'f': message => file('m/l') }\nif lookup('k') { notify { 'k': } }\n" +
			"file { '/d': source => 'puppet:///modules/m', recurse => true, links => follow }\n"})
	s.put("cache/f", "f\n")
	s.put("cache/v/manifests/init.pp", "class v { notify { 'v': } }\n")
	s.put("cache/data/c.yaml", "k: true\n")
	for link, to := range map[string]string{"modules/m/files/l": "../../../cache/f", "modules/v": "../cache/v",
		"data": filepath.Join(s.dir, "cache/data")} {
		if err := os.Symlink(to, filepath.Join(s.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	s.commit("links")
	s.edit("README", "", "text\n")
	s.commit("text")
	for _, args := range [][]string{{"--from", "HEAD"}, {"--from", "HEAD~1"}, {"--from", "HEAD~1", "--to", "HEAD"}} {
		code, out := s.diff(args...)
		if code != 0 || !strings.Contains(out, "git ignores them: cache/data, cache/f, cache/v.") {
			t.Errorf("%v: exit %d\n%s", args, code, out)
		}
	}
	s.edit("manifests/site.pp", "'k': }", "'k2': }")
	for _, args := range [][]string{{"--from", "HEAD"}, {"--from", "HEAD~1", "--to", "HEAD"}} {
		if len(args) > 2 {
			s.commit("k2")
		}
		if code, out := s.diff(args...); code != 2 || !strings.Contains(out, "+ Notify[k2]") ||
			strings.Contains(out, "Notify[v]") {
			t.Errorf("%v: exit %d\n%s", args, code, out)
		}
	}
}

// Facts that git ignores are those of both sides, between commits, too.
func TestDiffIgnoredFacts(t *testing.T) {
	for _, n := range []int{1, 70} {
		s := newTree(t, 0, 0, map[string]string{".gitignore": "facts/*.json\n", "manifests/site.pp": "notify { 'a': }\n"})
		s.edit("manifests/site.pp", "'a'", "'b'")
		s.commit("b")
		for i := range n {
			name := fmt.Sprintf("n%03d", i)
			s.put("facts/"+name+".json", fmt.Sprintf(`{"name": %q, "values": {"fqdn": %[1]q}}`, name))
		}
		code, out := s.diff("--from", "HEAD~1", "--to", "HEAD")
		if said := strings.Contains(out, "since git ignores them: facts"); code != 2 || !said ||
			strings.Contains(out, "invented") || !strings.Contains(out, fmt.Sprint(n, " changed")) {
			t.Errorf("exit %d\n%s", code, out)
		}
	}
}
