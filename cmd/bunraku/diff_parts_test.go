package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// many is a shop with more machines, in which several things change: a secret, texts with what is a node's own, a node
// that newly fails, and one that asks the clock.
func many(t *testing.T, more int) *repository {
	t.Helper()
	s := newRepository(t)
	text, err := os.ReadFile(filepath.Join(s.dir, "facts", "web1.shop.example.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range more {
		name := fmt.Sprintf("web%d", i+10)
		s.edit("facts/"+name+".shop.example.json", "", strings.NewReplacer("web1.", name+".", `"web1"`, `"`+name+`"`,
			"192.0.2.14", fmt.Sprintf("192.0.2.%d", i+20)).Replace(string(text)))
	}
	s.commit("more machines")
	s.edit("data/common.yaml", "not-a-real-password", "another-false-one")
	s.edit("data/common.yaml", "  - rsync\n", "  - rsync\n  - htop\n")
	s.edit("site-modules/profile/templates/motd.epp", "This is <%= $host %>, role", "Here is <%= $host %>, role")
	s.edit("site-modules/role/manifests/db.pp", "", "fail('no')\n")
	s.edit("site-modules/profile/manifests/unused.pp", "", "class profile::unused { notice('x') }\n")
	s.edit("manifests/site.pp", "", "file { '/nowhere/f': ensure => file }\n") // of which verify finds something
	return s
}

// shards runs diff for each of n parts, and gives the directory.
func (s *repository) shards(n int, args ...string) string {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), "parts")
	for i := range n {
		code, out, err := call(append([]string{"diff", s.dir, "--from", "HEAD", "--shard", fmt.Sprintf("%d/%d", i+1, n),
			"--out", dir}, args...)...)
		if code != 0 || !strings.HasPrefix(out, fmt.Sprintf("part %d/%d: ", i+1, n)) {
			s.t.Fatal(code, out, err)
		}
	}
	return dir
}

// The parts of any number of shards come to what one run prints, to the byte, in every format.
func TestShards(t *testing.T) {
	s := many(t, 9)
	for _, n := range []int{1, 4} {
		dir := s.shards(n)
		if _, out := s.diff("--from", "HEAD"); !strings.Contains(out, "  new: V102 ") {
			t.Fatal("verify finds nothing\n" + out)
		}
		for _, format := range [][]string{{"--format", "json"}, {"--format", "markdown"}, {"--format", "sarif"},
			{"--format", "html"}, {"--full"},
			{"--by", "node", "--full"}} {
			wantCode, want, _ := call(append([]string{"diff", s.dir, "--from", "HEAD"}, format...)...)
			code, got, err := call(append([]string{"diff", "merge", dir, "--env", s.dir, "--from", "HEAD"}, format...)...)
			got, want = seconds_.ReplaceAllString(got, "N s"), seconds_.ReplaceAllString(want, "N s")
			if code != wantCode || got != want || len(want) < 500 {
				t.Errorf("%d parts, %v: %d %s\n%s--- want %d\n%s", n, format, code, err, got, wantCode, want)
			}
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(files) != n {
			t.Errorf("%d files of %d parts", len(files), n)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil || !json.Valid(text) || strings.Contains(string(text), "false-one") ||
				strings.Contains(string(text), "not-a-real") ||
				strings.Contains(string(text), "htop") && !strings.Contains(string(text), "Package[htop]") {
				t.Errorf("%s: %v\n%s", f, err, text)
			}
		}
	}
}

// The tree may be in another directory where parts are made: errors name files by where they are.
func TestShardsElsewhere(t *testing.T) {
	s := newRepository(t)
	s.edit("data/common.yaml", "", "broken: [\n")
	s.commit("broken data")
	elsewhere := &repository{t, filepath.Join(t.TempDir(), "other", "shop")}
	s.git("clone", "-q", "--no-hardlinks", s.dir, elsewhere.dir)
	dir := filepath.Join(t.TempDir(), "parts")
	for i, at := range []*repository{s, elsewhere} {
		if code, out, err := call("diff", at.dir, "--from", "HEAD~1", "--to", "HEAD", "--shard", fmt.Sprintf("%d/2", i+1),
			"--out", dir); code != 0 {
			t.Fatal(code, out, err)
		}
	}
	code, out, err := call("diff", "merge", dir, "--env", s.dir, "--from", "HEAD~1", "--to", "HEAD")
	if code != 1 || !strings.Contains(out, "newly failing on 3 nodes   Unable to parse ("+s.dir+"/data/common.yaml)") {
		t.Error(code, out, err)
	}
}

// Parts that are missing, or are of something else, are refused.
func TestShardsRefused(t *testing.T) {
	s := many(t, 2)
	dir := s.shards(3)
	refused := func(words string, args ...string) {
		t.Helper()
		code, out, err := call(args...)
		if code != 1 || out != "" || !strings.Contains(err, words) {
			t.Errorf("%v: %d %s%s", args, code, out, err)
		}
	}
	merge := []string{"diff", "merge", dir, "--env", s.dir, "--from", "HEAD"}
	refused("made from other files or facts, or with other flags", append(merge, "--ignore", "File[/etc/motd]")...)
	refused("made from other files or facts, or with other flags", append(merge, "--nodes", "web*")...)
	refused("must be given to diff --shard and to merge", append(merge, "--format", "octocatalog")...)
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("too short for a key", append(merge, "--seal", key)...)
	if err := os.WriteFile(key, []byte("sixteen characters, or more\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("made from other files or facts, or with other flags", append(merge, "--seal", key)...)
	keyed := s.shards(2, "--seal", key)
	if code, out, err := call("diff", "merge", keyed, "--env", s.dir, "--from", "HEAD", "--seal", key); code != 1 ||
		!strings.Contains(out, "1 newly failing") {
		t.Error(code, out, err)
	}
	s.edit("data/common.yaml", "htop", "atop")
	refused("made from other files or facts, or with other flags", merge...)
	if err := os.Remove(filepath.Join(dir, "part-2-of-3.json")); err != nil {
		t.Fatal(err)
	}
	refused("parts are missing: 2/3", merge...)
	refused("there are no parts in", "diff", "merge", t.TempDir(), "--env", s.dir)
	refused("is no part", "diff", s.dir, "--shard", "5/4", "--out", dir)
	refused("--shard needs --out DIR", "diff", s.dir, "--shard", "1/4")
	refused("is for two states of a tree", "diff", "--from-catalog", "a", "--to-catalog", "b", "--shard", "1/2")
}

// What both sides have from the disk alike is a part of what is compared: a part that says that nothing changes, and
// was made with something else there, is refused.
func TestShardsFromDisk(t *testing.T) {
	beside := t.TempDir()
	for _, x := range []struct {
		name, site, file, was, is string
		args                      []string
	}{
		{"ignored", "include local", "", "class local { notify { 'a': message => 'old' } }",
			"class local { notify { 'a': message => $facts['v'] } }", nil},
		{"with", "include local", "modules/local/manifests/init.pp", "class local { notify { 'new': } }", "class local { }",
			[]string{"--with", beside}},
		{"mock", "notify { 'a': message => answer() }", "mock.yaml", "- {function: answer, arguments: [], result: old}\n",
			"- {function: answer, arguments: [], result: other}\n", []string{"--mock", filepath.Join(beside, "mock.yaml")}},
		{"enc", "notify { 'a': message => $given }", "enc.yaml", "classes: []\nparameters: {given: old}\n",
			"classes: []\nparameters: {given: other}\n", []string{"--enc", filepath.Join(beside, "enc.yaml")}},
		{"datadir", "notify { 'a': message => lookup('k') }", "data/common.yaml", "k: old\n", "k: other\n",
			[]string{"--datadir", "/nowhere/data=" + filepath.Join(beside, "data")}},
	} {
		s := newRepository(t)
		file := filepath.Join(beside, x.file)
		if x.file == "" {
			file = filepath.Join(s.dir, "modules/local/manifests/init.pp")
			s.edit(".gitignore", "", "modules/local/\n")
		}
		put := func(text string) {
			t.Helper()
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		put(x.was)
		if x.name == "datadir" {
			s.write("hiera.yaml", "version: 5\nhierarchy:\n- {name: c, path: common.yaml, datadir: /nowhere/data, "+
				"data_hash: yaml_data}\n")
		}
		s.write("manifests/site.pp", "notify { 'a': message => 'old' }\n")
		s.commit("before")
		s.write("manifests/site.pp", x.site+"\n")
		dir := filepath.Join(t.TempDir(), "parts")
		for i, text := range []string{x.was, x.is} {
			put(text)
			if code, out, err := call(append([]string{"diff", s.dir, "--from", "HEAD", "--shard", fmt.Sprintf("%d/2", i+1),
				"--out", dir}, x.args...)...); code != 0 {
				t.Fatal(x.name, code, out, err)
			}
		}
		code, out, err := call(append([]string{"diff", "merge", dir, "--env", s.dir, "--from", "HEAD"}, x.args...)...)
		if code != 1 || out != "" || !strings.Contains(err, "part 1/2 was made from other files or facts") {
			t.Errorf("%s: %d %s%s", x.name, code, out, err)
		}
		put(x.was) // with what the first one had, the second one is the other
		code, out, err = call(append([]string{"diff", "merge", dir, "--env", s.dir, "--from", "HEAD"}, x.args...)...)
		if code != 1 || out != "" || !strings.Contains(err, "part 2/2 was made from other files or facts") {
			t.Errorf("%s: %d %s%s", x.name, code, out, err)
		}
	}
}

// Parts tell nodes by their names, of which there are no two; and one may say that it is one of very many.
func TestShardsHostile(t *testing.T) {
	s := newRepository(t)
	dir := s.shards(1)
	file := filepath.Join(dir, "part-1-of-1.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	of := strings.Replace(string(text), `"1/1"`, `"1/4000000000000000000"`, 1)
	if err := os.WriteFile(file, []byte(of), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, out, err := call("diff", "merge", dir, "--env", s.dir, "--from", "HEAD"); code != 1 || out != "" ||
		!strings.Contains(err, "parts are missing: 2/4000000000000000000, ") {
		t.Error(code, out, err)
	}
	s.write("facts/again.json", `{"name": "twice.example", "values": {}}`)
	s.write("facts/and.json", `{"name": "twice.example", "values": {"a": 1}}`)
	if code, out, err := call("diff", s.dir, "--from", "HEAD", "--shard", "1/1", "--out", dir); code != 1 || out != "" ||
		!strings.Contains(err, "facts of two nodes that are called twice.example") {
		t.Error(code, out, err)
	}
}

// What the tree names outside of the repository is the same for both sides, and must be so for all parts.
func TestDiffPartsOutside(t *testing.T) {
	for _, c := range []struct{ name, hiera, conf string }{
		{"data", "DIR", ""}, {"modules", "data", "modulepath = DIR:modules\n"}, {"manifests", "data", "manifest = DIR\n"},
	} {
		outside := t.TempDir()
		place := strings.NewReplacer("DIR", filepath.ToSlash(outside))
		s := newTree(t, 4, 0, map[string]string{"hiera.yaml": place.Replace(hieraOf(c.hiera, "c.yaml")),
			"environment.conf": place.Replace(c.conf), "modules/m/manifests/init.pp": "class m { notify { 'a': } }\n",
			"manifests/site.pp": "lookup('classes', { default_value => [] }).include\ninclude m\n"})
		s.edit("modules/m/manifests/init.pp", "'a'", "'b'")
		parts, out := t.TempDir(), &repository{t, outside}
		for i, text := range []string{"", "# other\n"} {
			out.write("c.yaml", "classes: []\n"+text)
			out.write("y/manifests/init.pp", "class y {}\n"+text)
			out.write("site.pp", "include m\n"+text)
			if code, _, errs := call("diff", s.dir, "--from", "HEAD", "--root", outside, "--shard", fmt.Sprintf("%d/2", i+1),
				"--out", parts); code != 0 {
				t.Fatalf("%s: exit %d\n%s", c.name, code, errs)
			}
		}
		code, _, errs := call("diff", "merge", parts, "--env", s.dir, "--from", "HEAD", "--root", outside)
		if code != 1 || !strings.Contains(errs, "made from other files") {
			t.Errorf("%s: exit %d\n%s", c.name, code, errs)
		}
	}
}
