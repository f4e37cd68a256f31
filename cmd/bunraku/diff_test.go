package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDiffNothing(t *testing.T) {
	s := newRepository(t)
	s.expect(0, `
shop   HASH (main) → the work tree
3 nodes: 3 cannot change   N s
No differences.
`)
	// A comment moves lines; nodes cannot change by it.
	s.edit("manifests/site.pp", "", "# the end\n")
	if code, out := s.diff(); code != 0 || !strings.Contains(out, "3 cannot change") {
		t.Errorf("%d\n%s", code, out)
	}
}

func TestDiffWorkTreeAndRevisions(t *testing.T) {
	s := newRepository(t)
	s.edit("data/common.yaml", "  - rsync\n", "  - rsync\n  - htop\n")
	s.commit("htop everywhere")
	s.edit("data/common.yaml", "Be kind", "Be nice")
	_, both := s.diff()
	_, first := s.diff("--to", "HEAD")
	_, second := s.diff("--from", "HEAD")
	for _, c := range []struct {
		out        string
		htop, nice bool
	}{{both, true, true}, {first, true, false}, {second, false, true}} {
		if strings.Contains(c.out, "+ Package[htop]") != c.htop ||
			strings.Contains(c.out, "+Property of the shop. Be nice") != c.nice {
			t.Errorf("want htop %v, nice %v:\n%s", c.htop, c.nice, c.out)
		}
	}
	if code, out := s.diff("--nodes", "db*,web1*", "--by", "node"); code != 2 ||
		!strings.Contains(out, "2 nodes: 2 changed") ||
		strings.Contains(out, "web2") {
		t.Errorf("%d\n%s", code, out)
	}
	if code, out := s.diff("--from", "nowhere"); code != 1 || !strings.Contains(out, `revision "nowhere"`) {
		t.Errorf("%d\n%s", code, out)
	}
	if code, out := s.diff("--from", "HEAD~1", "--to", "HEAD~1"); code != 0 {
		t.Errorf("%d\n%s", code, out)
	}
}

// Modules that git ignores lie under both sides.
func TestDiffIgnoredModules(t *testing.T) {
	s := newRepository(t)
	s.edit(".gitignore", "", "/modules\n")
	s.commit("modules come from r10k")
	s.git("branch", "-f", "main")
	s.edit("modules/extra/manifests/init.pp", "", "class extra { notify { 'extra': message => 'one' } }\n")
	s.edit("manifests/site.pp", "", "include extra\n")
	s.commit("use extra")
	s.edit("modules/extra/manifests/init.pp", "one", "two") // which git does not see
	code, out := s.diff("--nodes", "db1*")
	if code != 2 || !strings.Contains(out, "+ Notify[extra]") ||
		!strings.Contains(out, "git ignores them: modules/extra.") {
		t.Errorf("%d\n%s", code, out)
	}
	if code, out := s.diff("--from", "HEAD", "--to", "HEAD"); code != 0 || !strings.Contains(out, "3 cannot change") {
		t.Errorf("%d\n%s", code, out)
	}
}

// Modules outside of the tree are laid under both sides by the user.
func TestDiffWith(t *testing.T) {
	s := newRepository(t)
	s.edit("manifests/site.pp", "", "include extra\n")
	s.commit("use extra, which is elsewhere")
	if code, _ := s.diff("--from", "HEAD"); code != 3 {
		t.Errorf("without the module: %d", code)
	}
	with := &repository{t, filepath.Join(t.TempDir(), "with")}
	with.edit("modules/extra/manifests/init.pp", "", "class extra { notify { 'extra': } }\n")
	code, out := s.diff("--with", with.dir)
	if code != 2 || !strings.Contains(out, "+ Notify[extra]") {
		t.Errorf("%d\n%s", code, out)
	}
}

// What a file of a module holds is in no catalog, and changes machines all the same.
func TestDiffModuleFiles(t *testing.T) {
	s := newRepository(t)
	s.edit("site-modules/profile/files/a.conf", "", "one\ntwo\n")
	s.edit("site-modules/profile/files/d/x", "", "x\n")
	s.edit("site-modules/profile/files/d/y", "", "\x00binary")
	s.edit("manifests/site.pp", "", "file { '/a': source => 'puppet:///modules/profile/a.conf' }\n"+
		"file { '/d': ensure => directory, recurse => true, source => 'puppet:///modules/profile/d' }\n")
	s.commit("files")
	s.edit("site-modules/profile/files/a.conf", "two", "2")
	s.edit("site-modules/profile/files/d/x", "", "x2\n")
	s.edit("site-modules/profile/files/d/y", "", "more")
	s.edit("site-modules/profile/files/d/z", "", "new\n")
	s.expect(2, `
shop   HEAD (HASH) → the work tree   4 hunks
1 node: 1 changed   N s

A  on 1 node
     File[/a] content of its source
       -two
       +2
   from  site-modules/profile/files/a.conf:2 (not committed)
   on    db1.shop.example

B  on 1 node
     File[/d] content of x
       +x2
   from  site-modules/profile/files/d/x:2 (not committed)
   on    db1.shop.example

C  on 1 node
     File[/d] content of y   '{sha256}268576d50a742ae1, 7 bytes' → '{sha256}d899ed51ff065f3b, 11 bytes'
   from  site-modules/profile/files/d/y (not committed)
   on    db1.shop.example

D  on 1 node
     File[/d] content of z   comes
       +new
   from  site-modules/profile/files/d/z, new (not committed)
   on    db1.shop.example
`, "--from", "HEAD", "--nodes", "db1*")
}

func TestDiffFailures(t *testing.T) {
	s := newRepository(t)
	s.edit("site-modules/role/manifests/db.pp", "", "fail('no')\n")
	code, out := s.diff()
	if code != 1 || !strings.Contains(out, "1 newly failing") || !strings.Contains(out, "db1.shop.example") {
		t.Errorf("%d\n%s", code, out)
	}
	s.commit("broken")
	s.git("checkout", "-q", "main")
	if code, out := s.diff("--from", "feature"); code != 2 || !strings.Contains(out, "1 mended") {
		t.Errorf("%d\n%s", code, out)
	}
	if code, out := s.diff("--from", "feature", "--to", "feature"); code != 3 ||
		!strings.Contains(out, "1 failing on both sides") {
		t.Errorf("%d\n%s", code, out)
	}
}

// Errors that say the same are one only if one cause makes them; a node's name in what Puppet says of a missing class
// makes no other error of it.
func TestDiffFailuresTogether(t *testing.T) {
	s := newRepository(t)
	s.edit("site-modules/role/manifests/db.pp", "class role::db {\n", "class role::db {\n  fail('no')\n")
	s.edit("site-modules/role/manifests/web.pp", "class role::web {\n", "class role::web {\n  fail('no')\n")
	_, out := s.diff()
	for _, want := range []string{
		"newly failing on 2 nodes   Evaluation Error: Error while evaluating a Function Call, no\n" +
			"   at    site-modules/role/manifests/web.pp:3:3\n   from  site-modules/role/manifests/web.pp:3 (not committed)\n",
		"newly failing on 1 node   Evaluation Error: Error while evaluating a Function Call, no\n" +
			"   at    site-modules/role/manifests/db.pp:3:3\n   from  site-modules/role/manifests/db.pp:3 (not committed)\n",
	} {
		if !strings.Contains(out, want) || strings.Contains(out, "without effect") {
			t.Errorf("want\n%s\ngot\n%s", want, out)
		}
	}
	s.git("checkout", "-q", ".")
	s.git("rm", "-q", "site-modules/profile/manifests/base.pp")
	_, out = s.diff()
	if strings.Count(out, "newly failing on ") != 1 || !strings.Contains(out, "Could not find class ::profile::base\n") {
		t.Error(out)
	}
	s.git("reset", "-q", "--hard")
	s.git("rm", "-q", "manifests/site.pp")
	s.edit("manifests/site.pp", "", "node 'nobody' { }\n")
	_, out = s.diff()
	if !strings.Contains(out, "newly failing on 3 nodes   Could not find node statement with name 'default'\n") {
		t.Error(out)
	}
}

// A text of one line in which something is a node's own is shown, too.
func TestDiffOneLine(t *testing.T) {
	s := newRepository(t)
	s.edit("manifests/site.pp", "", "notify { 'who': message => \"I am ${facts['networking']['hostname']}\" }\n")
	s.commit("who")
	s.edit("manifests/site.pp", "I am", "This is")
	if code, out := s.diff("--from", "HEAD"); code != 2 || !strings.Contains(out, "A  on 3 nodes\n"+
		"     Notify[who] message   'I am <networking.hostname>' → 'This is <networking.hostname>'\n") {
		t.Errorf("%d\n%s", code, out)
	}
}

// A class that is contained waits for what its container waits for: that is a difference.
func TestDiffContained(t *testing.T) {
	s := newRepository(t)
	s.edit("manifests/site.pp", "", "class a { include b }\nclass b { }\ninclude a\n")
	s.commit("a includes b")
	s.edit("manifests/site.pp", "include b", "contain b")
	code, out := s.diff("--from", "HEAD")
	if code != 2 || !strings.Contains(out, "     Class[B] moved from Stage[main] to Class[A]\n") ||
		strings.Contains(out, "Only parameters") {
		t.Errorf("%d\n%s", code, out)
	}
}

// Bytes that are no text are compared as they are, also by a store.
func TestDiffBytes(t *testing.T) {
	s := newRepository(t)
	s.edit("site-modules/profile/files/b", "", "caf\xe9\n")
	s.edit("site-modules/profile/files/d", "", "th\xe9\n")
	s.edit("manifests/site.pp", "", "file { '/b': content => file('profile/b') }\n"+
		"file { '/c': content => binary_file('profile/b') }\n"+
		"file { '/d': content => Sensitive(file('profile/d')) }\n")
	s.commit("bytes")
	s.edit("site-modules/profile/files/b", "\xe9", "\xe8")
	s.edit("site-modules/profile/files/d", "\xe9", "\xe8")
	for _, args := range [][]string{nil, {"--store", filepath.Join(t.TempDir(), "store")}} {
		code, out := s.diff(append(args, "--from", "HEAD")...)
		if code != 2 || !strings.Contains(out, `File[/b] content   "caf\xe9\n" → "caf\xe8\n"`) ||
			!strings.Contains(out, "File[/c] content   {sha256}9e4efed0ff1dbcf3, 5 bytes → {sha256}") ||
			!strings.Contains(out, "File[/d] content   changes, Sensitive") {
			t.Errorf("%v: %d\n%s", args, code, out)
		}
	}
}

// The first collector of all has a cause, too: others have exported something before.
func TestDiffFirstCollector(t *testing.T) {
	s := newRepository(t)
	s.edit("manifests/site.pp", "", "@@notify { \"from ${trusted['certname']}\": }\n")
	s.commit("exports")
	s.edit("site-modules/role/manifests/db.pp", "class role::db {\n", "class role::db {\n  Notify <<| |>>\n")
	code, out := s.diff("--from", "HEAD")
	if code != 2 || !strings.Contains(out, "   from  site-modules/role/manifests/db.pp:3 (not committed)\n   on    db1") ||
		!strings.Contains(out, "3 resources before, 3 after") {
		t.Errorf("%d\n%s", code, out)
	}
}

// Modules beside the environment are in every revision, and may be read of the work tree, too: nothing has changed.
func TestDiffBeside(t *testing.T) {
	s := newRepository(t)
	s.git("mv", "site-modules", "beside")
	for _, entry := range []string{"data", "facts", "hiera.yaml", "manifests", "environment.conf"} {
		s.edit("env/.keep", "", "\n")
		s.git("mv", entry, "env/"+entry)
	}
	s.edit("env/environment.conf", "site-modules", "../beside")
	s.commit("modules beside the environment")
	env := filepath.Join(s.dir, "env")
	for _, args := range [][]string{nil, {"--root", filepath.Join(s.dir, "beside")}, {"--to", "HEAD"}} {
		if code, out, err := call(append([]string{"diff", env, "--from", "HEAD"}, args...)...); code != 0 {
			t.Error(code, out, err)
		}
	}
}

// The same change may come from one hunk on some nodes and from another one on others.
func TestDiffCausesApart(t *testing.T) {
	s := newRepository(t)
	s.edit("site-modules/role/manifests/db.pp", "class role::db {\n", "class role::db {\n  notify { 'x': }\n")
	s.edit("site-modules/role/manifests/web.pp", "class role::web {\n", "class role::web {\n  notify { 'x': }\n")
	_, out := s.diff()
	for _, want := range []string{
		"   from  site-modules/role/manifests/web.pp:3 (not committed)\n   on    web1.shop.example, web2.shop.example\n",
		"   from  site-modules/role/manifests/db.pp:3 (not committed)\n   on    db1.shop.example\n"} {
		if !strings.Contains(out, want) || strings.Contains(out, "without effect") {
			t.Errorf("want\n%s\ngot\n%s", want, out)
		}
	}
}

// Ruby that is installed reads the disk: it cannot see the old side.
func TestDiffRubySystem(t *testing.T) {
	s := newRepository(t)
	code, _, err := call("diff", s.dir, "--from", "HEAD", "--ruby", "system")
	if code != 1 || !strings.Contains(err, "--ruby=system reads the files that lie on the disk") {
		t.Errorf("%d %s", code, err)
	}
}

// A store that is damaged is put aside with a word about it, and the answer is the same.
func TestDiffDamagedStore(t *testing.T) {
	s := newRepository(t)
	s.edit("data/common.yaml", "Be kind", "Be nice")
	_, want := s.diff()
	dir := filepath.Join(t.TempDir(), "store")
	s.diff("--store", dir)
	file := filepath.Join(dir, "store.db")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 0x40
	text[4*4096+10] ^= 0x40
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	code, out := s.diff("--store", dir)
	note := strings.TrimPrefix(out, want)
	if code != 2 || note == out || !strings.Contains(note, "the store is damaged") ||
		!strings.Contains(note, "put aside") {
		t.Errorf("%d\n%s", code, out)
	}
	if _, out := s.diff("--store", dir); out != want {
		t.Error(out)
	}
}

func TestDiffCatalogs(t *testing.T) {
	s := newRepository(t)
	for i, name := range []string{"old.json", "new.json"} {
		if i == 1 {
			s.edit("data/common.yaml", "Be kind", "Be nice")
		}
		_, out, _ := call("compile", s.dir, "--node", "db1.shop.example")
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, out, _ := call("diff", "--from-catalog", filepath.Join(s.dir, "old.json"), "--to-catalog",
		filepath.Join(s.dir, "new.json"))
	if code != 2 || !strings.Contains(out, "+Property of the shop. Be nice to it.") ||
		strings.Contains(out, "not-a-real") {
		t.Errorf("%d\n%s", code, out)
	}
}

func TestDiffLanguages(t *testing.T) {
	s := newRepository(t)
	s.edit("manifests/site.pp", "", "notify { 'v': message => $facts['puppetversion'] }\nnotify { 'u': message => "+
		"$nothing }\n")
	code, out := s.diff("--language", "7,8", "--nodes", "db1*")
	if code != 1 || !strings.Contains(out, "Puppet 7 → Puppet 8") || !strings.Contains(out, "newly failing on 1 node") {
		t.Errorf("%d\n%s", code, out)
	}
}

// TestDiffPage applies the patch of docs/diff.md to the shop and runs every command of the page.
func TestDiffPage(t *testing.T) {
	for _, name := range []string{"diff.md", "fleet.md"} {
		t.Run(name, func(t *testing.T) { diffPage(t, name) })
	}
}

// diffPage runs what a page shows in the repository that docs/diff.md describes.
func diffPage(t *testing.T, name string) {
	page := filepath.Join("..", "..", "docs", name)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	told, err := os.ReadFile(filepath.Join("..", "..", "docs", "diff.md"))
	if err != nil {
		t.Fatal(err)
	}
	s := newRepository(t)
	_, patch, _ := strings.Cut(string(told), "```diff\n")
	patch, _, _ = strings.Cut(patch, "```\n")
	file := filepath.Join(t.TempDir(), "patch")
	if err := os.WriteFile(file, []byte(patch), 0o644); err != nil {
		t.Fatal(err)
	}
	s.git("apply", file)
	s.commit("Be nice")
	if page, err = filepath.Abs(page); err != nil {
		t.Fatal(err)
	}
	t.Chdir(s.dir)
	cut := func(s string) string { return hashes.ReplaceAllString(seconds_.ReplaceAllString(s, "N s"), "HASH") }
	commands := 0
	for _, block := range consoleBlocks(string(text)) {
		for _, c := range block {
			commands++
			_, out, errs := call(splitWords(c.command)...)
			out += errs
			if cut(out) != cut(c.output) && *write {
				text = []byte(strings.Replace(string(text), "$ bunraku "+c.command+"\n"+c.output, "$ bunraku "+c.command+"\n"+out,
					1))
			} else if cut(out) != cut(c.output) {
				t.Errorf("$ bunraku %s\n--- prints\n%s--- the page says\n%s", c.command, out, c.output)
			}
		}
	}
	if commands == 0 {
		t.Error("the page has no commands")
	}
	if *write {
		if err := os.WriteFile(page, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Each change is told with the lines that make it; lines that are only enough together are named together.
func TestDiffCauses(t *testing.T) {
	s := newRepository(t)
	s.edit("data/common.yaml", "profile::nginx::conf_mode: '0644'\n", "profile::nginx::conf_mode: '0644'\nextra: seven\n")
	s.edit("manifests/site.pp", "", "notify { 'extra': message => lookup('extra') }\n")
	s.commit("something extra")
	s.edit("site-modules/profile/manifests/extra.pp", "", "class profile::extra { notify { 'more': } }\n")
	s.edit("site-modules/role/manifests/db.pp", "  include profile::database\n",
		"  include profile::database\n  include profile::extra\n")
	s.edit("site-modules/profile/manifests/unused.pp", "", "class profile::unused { }\n")
	s.edit("site-modules/profile/manifests/admin.pp", "", "# the end\n")
	s.expect(2, `
shop   HASH (main) → the work tree   6 hunks
3 nodes: 3 changed   N s

A  on 3 nodes
     + Notify[extra]
       +message => 'seven'
   from  data/common.yaml:14 (HASH), manifests/site.pp:18 (HASH), together
   on    db1.shop.example, web1.shop.example, web2.shop.example

B  on 1 node
     + Notify[more]
     + Class[Profile::Extra]
   from  site-modules/profile/manifests/extra.pp, new (not committed), site-modules/role/manifests/db.pp:5 (not committed), together
   on    db1.shop.example

without effect   site-modules/profile/manifests/admin.pp:22, site-modules/profile/manifests/unused.pp, new   (no node asks for it)
`)
}

// An error, too, has lines that it comes from.
func TestDiffFailureCause(t *testing.T) {
	s := newRepository(t)
	s.edit("manifests/site.pp", "", "# the end\n")
	s.edit("data/common.yaml", "    uid: 2001\n", "    uid: many\n")
	code, out := s.diff()
	if code != 1 || !strings.Contains(out, "newly failing on 3 nodes") ||
		!strings.Contains(out, "from  data/common.yaml:8 (not committed)") {
		t.Errorf("%d\n%s", code, out)
	}
}

// What differs each time that it is compiled comes from no hunk.
func TestDiffNotFromThisChange(t *testing.T) {
	s := newRepository(t)
	s.edit("manifests/site.pp", "", "notify { 'now': message => String(Timestamp.new) }\n")
	s.commit("the time")
	s.edit("manifests/site.pp", "", "notify { 'more': }\n")
	code, out := s.diff("--from", "HEAD", "--nodes", "db1*")
	if code != 2 || !strings.Contains(out, "from  manifests/site.pp:19 (not committed)") ||
		!strings.Contains(out, "from  no hunk: it is another one each time") {
		t.Errorf("%d\n%s", code, out)
	}
}

// changed is a shop in which several things change, a secret among them.
func changed(t *testing.T) *repository {
	s := newRepository(t)
	s.edit("data/common.yaml", "not-a-real-password", "another-false-one")
	s.edit("data/common.yaml", "  - rsync\n", "  - rsync\n  - htop\n")
	s.edit("site-modules/profile/templates/motd.epp", "This is <%= $host %>, role", "Here is <%= $host %>, role")
	return s
}

// Every format says what changes and where it comes from, and none tells a secret.
func TestDiffFormats(t *testing.T) {
	s := changed(t)
	for format, wants := range map[string][]string{
		"text":        {"+ Package[htop]", "from  data/common.yaml:6"},
		"json":        {`"kind": "diff"`, `"resource": "Package[htop]"`, `"file": "data/common.yaml"`},
		"octocatalog": {`"Package\fhtop"`, `"File\f/etc/motd\fparameters\fcontent"`, "Here is web1.shop.example"},
		"markdown":    {"<details>", "+ Package[htop]", "`data/common.yaml:6 (not committed)`"},
		"html":        {"Content-Security-Policy", "<code>Package[htop]</code> added", "because of <code>data/common.yaml:6"},
		"github":      {"::notice file=data/common.yaml,line=6"},
		"gitlab":      {`"check_name": "D101"`, `"path": "data/common.yaml"`, `"begin": 6`},
		"sarif":       {`"ruleId": "D101"`, `"startLine": 6`},
		"junit":       {`<testcase name="db1.shop.example"`, "Package[htop]"},
	} {
		t.Run(format, func(t *testing.T) {
			s := &repository{t, s.dir}
			file := filepath.Join(t.TempDir(), "out")
			if code, out := s.diff("--format", format, "--out", file); code != 2 || out != "" {
				t.Errorf("%d\n%s", code, out)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(string(text), s.dir+"/", "")
			for _, want := range wants {
				if !strings.Contains(got, want) {
					t.Errorf("%s is missing in\n%s", want, got)
				}
			}
			if strings.Contains(got, "false-one") || strings.Contains(got, "not-a-real") {
				t.Errorf("a secret:\n%s", got)
			}
			switch format {
			case "json", "octocatalog", "gitlab", "sarif":
				if !json.Valid(text) {
					t.Error("no JSON")
				}
			case "junit":
				if err := xml.Unmarshal(text, new(struct{})); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if code, out := s.diff("--format", "pdf"); code != 1 || !strings.Contains(out, "unknown format") {
		t.Errorf("%d\n%s", code, out)
	}
}

// Refactorings are said to change nothing, or only what is named.
// Nodes can be chosen by their names, by classes that they have on either side, and by facts.
func TestDiffChosen(t *testing.T) {
	s := changed(t)
	s.edit("site-modules/role/manifests/db.pp", "class role::db {\n", "class role::db {\n  include new_one\n")
	s.edit("modules/new_one/manifests/init.pp", "", "class new_one { }\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "3 nodes: "},
		{[]string{"--class", "role::web"}, "2 nodes: "},
		{[]string{"--class", "Role::*"}, "3 nodes: "},
		{[]string{"--class", "::new_one"}, "1 node: "}, // which only the new side has
		{[]string{"--where", "hostname=web*"}, "2 nodes: "},
		{[]string{"--where", "networking.hostname=web*", "--where", "facts.networking.ip!=192.0.2.14"}, "1 node: "},
		{[]string{"--where", "os.family=Solaris"}, "of no node it holds that os.family=Solaris"},
		{[]string{"--where", "os.family"}, `"os.family" is no condition`},
		{[]string{"--class", "nothing"}, "no node has the class nothing on either side"},
		{[]string{"--class", "role::web", "--nodes", "db*"}, "no node has the class role::web on either side"},
	} {
		if code, out := s.diff(c.args...); !strings.Contains(out, c.want) || (code == 1) == strings.HasSuffix(c.want, ": ") {
			t.Errorf("%v: %d\n%s", c.args, code, out)
		}
	}
}

func TestDiffAssert(t *testing.T) {
	s := changed(t)
	for _, c := range []struct {
		assert string
		code   int
		want   string
	}{
		{"none", 2, "not expected"},
		{"only=Package[htop]", 2, "not expected"},
		{"only=Package[htop],File[/etc/motd],File[/etc/postgresql.d/*],Class[*]", 0, "3 changed"},
		{"nothing", 1, "--assert cannot be"},
	} {
		code, out := s.diff("--assert", c.assert)
		if code != c.code || !strings.Contains(out, c.want) || code == 0 && strings.Contains(out, "not expected") {
			t.Errorf("%s: %d\n%s", c.assert, code, out)
		}
	}
	same := newRepository(t)
	same.edit("manifests/site.pp", "", "# the end\n")
	if code, out := same.diff("--assert", "none"); code != 0 {
		t.Errorf("%d\n%s", code, out)
	}
}

func TestDiffIgnore(t *testing.T) {
	s := changed(t)
	code, out := s.diff("--ignore", "Package[*]", "--ignore-attr", "content", "--ignore", "Class[*]")
	if code != 0 || !strings.Contains(out, "3 equal") {
		t.Errorf("%d\n%s", code, out)
	}
	if code, out := s.diff("--ignore", "Package"); code != 1 || !strings.Contains(out, "write Type[title]") {
		t.Errorf("%d\n%s", code, out)
	}
	if code, out := s.diff("--filters", "Json"); code != 1 || !strings.Contains(out, "JSON") {
		t.Errorf("%d\n%s", code, out)
	}
}

// impact names all nodes that diff shows as changed, and why.
func TestImpact(t *testing.T) {
	s := newRepository(t)
	impact := func(args ...string) (int, string) {
		code, out, err := call(append([]string{"impact", s.dir}, args...)...)
		return code, strings.ReplaceAll(out+err, s.dir+"/", "")
	}
	if code, out := impact(); code != 0 || !strings.Contains(out, "0 of 3 nodes can change") {
		t.Errorf("%d\n%s", code, out)
	}
	s.edit("data/role/web.yaml", "", "nobody::asks: 1\n")
	s.edit("site-modules/profile/manifests/nginx.pp", "gzip on", "gzip off")
	code, out := impact()
	if code != 2 || !strings.Contains(out, "2 of 3 nodes can change") || !strings.Contains(out, "nginx.pp") ||
		strings.Contains(out, "db1") {
		t.Errorf("%d\n%s", code, out)
	}
	s.edit("site-modules/profile/files/f", "", "one\n")
	s.edit("manifests/site.pp", "", "file { '/f': source => 'puppet:///modules/profile/f' }\n")
	s.commit("a file")
	s.edit("site-modules/profile/files/f", "", "two\n")
	code, out = impact("--from", "HEAD", "--format", "json")
	if code != 2 || !json.Valid([]byte(out)) || strings.Count(out, "content of File[/f]") != 3 {
		t.Errorf("%d\n%s", code, out)
	}
}

// With a store, the first time and every later one, the answer is the same as without.
func TestDiffStore(t *testing.T) {
	s := changed(t)
	dir := filepath.Join(s.dir, "store") // which is no part of the tree
	_, want := s.diff("--full")
	for _, time := range []string{"first", "second"} {
		if code, out := s.diff("--full", "--store", dir); code != 2 || out != want {
			t.Errorf("the %s time: %d\n%s--- want\n%s", time, code, out, want)
		}
	}
	s.git("checkout", "-q", ".")
	if code, out := s.diff("--store", dir); code != 0 || !strings.Contains(out, "3 cannot change") {
		t.Errorf("%d\n%s", code, out)
	}
	// Code that is another one and comes to the same is compiled and equal, also when a run before has compiled it.
	s.edit("manifests/site.pp", "", "if false { notice('x') }\n")
	for _, time := range []string{"first", "second"} {
		if code, out := s.diff("--store", dir); code != 0 || !strings.Contains(out, "3 equal") {
			t.Errorf("the %s time: %d\n%s", time, code, out)
		}
	}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		if strings.Contains(string(text), "false-one") || strings.Contains(string(text), "not-a-real") {
			t.Errorf("%s holds a secret", p)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Nodes of which the same resources change, each with something of its own elsewhere, are not all compared; what is
// told of them is the same as if they were: relations, consequences, places and secrets may set them apart.
func TestDiffAlike(t *testing.T) {
	s := &repository{t, t.TempDir()}
	s.git("init", "-q", "-b", "main")
	s.edit("hiera.yaml", "", "version: 5\nhierarchy: [{ name: common, path: common.yaml }]\n")
	s.edit("data/common.yaml", "", "level: 5\nowner: root\n")
	s.edit("manifests/site.pp", "", `file { '/etc/name': content => "I am ${trusted['certname']}\n" }
$text = "level ${lookup('level')} of ${facts['team']}\n"
if $facts['place'] == 'here' {
  file { '/etc/level': content => $text, owner => lookup('owner') }
} else {
  file { '/etc/level': content => $text, owner => lookup('owner') }
}
user { $facts['user']: ensure => present }
service { 'app': ensure => running, subscribe => File[$facts['watched']] }
exec { '/bin/touch /srv/new': unless => "/bin/grep -q 6 ${facts['read']}" }
if $facts['secret'] == 'yes' { file { '/etc/secret': content => Sensitive("of ${trusted['certname']}") } }
`)
	kinds := [][3]string{{"team", "a", "b"}, {"place", "here", "there"}, {"user", "svc", "other"},
		{"watched", "/etc/level", "/etc/name"}, {"read", "/etc/level", "/etc/other"}, {"secret", "no", "yes"}}
	for i := range 96 { // with fewer than 100 nodes there is no store that nobody asked for
		text := strings.Replace(facts12, "NAME", fmt.Sprintf("n%03d", i), 1)
		for j, k := range kinds {
			text = strings.Replace(text, "{", fmt.Sprintf("{%q: %q, ", k[0], k[1+i>>j&1]), 1)
		}
		s.edit(fmt.Sprintf("facts/n%03d.json", i), "", text)
	}
	s.commit("first")
	s.edit("data/common.yaml", "level: 5\nowner: root", "level: 6\nowner: svc")
	args := []string{"--from", "HEAD", "--format", "json"}
	_, want := s.diff(args...)
	dir := filepath.Join(t.TempDir(), "store")
	for _, time := range []string{"first", "second"} {
		if _, out := s.diff(append(args, "--store", dir)...); out != want {
			t.Errorf("the %s time:\n%s--- want\n%s", time, out, want)
		}
	}
}

// Facts that are named lie where they are, also if the sides are directories beside them.
func TestDiffFactsBeside(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a/manifests/site.pp": "notify { 'a': }\n",
		"b/manifests/site.pp": "notify { 'b': }\n", "facts/n1.json": `{"name": "n1", "values": {}}`} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	code, out, log := call("diff", ".", "--from", "a", "--to", "b", "--facts", "facts")
	if code != exitNo || !strings.Contains(out, "1 node: 1 changed") {
		t.Errorf("%d\n%s%s", code, out, log)
	}
}

// Where no node could be compared nothing is known, and nothing is said of the hunks.
func TestDiffNothingCompared(t *testing.T) {
	s := newTree(t, 0, 0, map[string]string{"manifests/site.pp": "class a { }\nnode default { fail('no such host') }\n"})
	s.edit("manifests/site.pp", "class a { }", "class a { notify { 'a': } }")
	for _, args := range [][]string{{"--from", "HEAD"}, {"--from", "HEAD", "--assert", "none"}} {
		code, out := s.diff(args...)
		if code != exitUnknown || !strings.Contains(out, "not compared ") || !strings.Contains(out, "no such host") ||
			strings.Contains(out, "no node asks for it") {
			t.Errorf("%v: %d\n%s", args, code, out)
		}
	}
}
