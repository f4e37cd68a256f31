package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/report"
)

// inOrder reports whether texts are found in another, one behind the other.
func inOrder(text string, want ...string) (missing string) {
	for _, w := range want {
		i := strings.Index(text, w)
		if i < 0 {
			return w
		}
		text = text[i+len(w):]
	}
	return ""
}

// TestExplainOtherwise asks what differs for another node, and what would with other data or facts.
func TestExplainOtherwise(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{web2("--against", "web1.shop.example", "Class[profile::nginx]", "port"), 0,
			[]string{"web2.shop.example  8443", "web1.shop.example  80", "because", "data/nodes/web2.shop.example.yaml:3:23"}},
		{web2("--against", "web1.shop.example", "File[/etc/motd]", "mode"), 0, []string{"It is the same."}},
		{web2("--against", "nobody-knows", "File[/etc/motd]", "mode"), 1, []string{"neither a node", "nor a revision"}},
		{web2("--set", "profile::nginx::port=9090"), 0, []string{"listen *:8443;", "listen *:9090;", "port   8443 → 9090"}},
		{web2("--set", "profile::nginx::port=9090@Common", "Class[profile::nginx]", "port"), 0, []string{"It is the same."}},
		{web2("--set", "profile::nginx::port=9090@Nowhere"), 1, []string{"no level of Hiera is called Nowhere", "Common"}},
		{web2("--set", "profile::nginx::conf_mode='0600'", "File[/etc/nginx/conf.d/shop.example.conf]", "mode"), 0,
			[]string{"'0640'", "'0600'", "because", "data/role/web.yaml:4:"}},
		{web2("--fact", "os.family=RedHat", "File[/etc/nginx/sites-enabled/default]"), 0,
			[]string{"is there", "is not there", "if $facts['os']['family'] == 'Debian'", "fact os.family", "'Debian'",
				"'RedHat'"}},
		{web2("--fact", "os.family=RedHat"), 0, []string{"user www-data;", "user nginx;"}},
		{web2("--fact", "os.family=RedHat", "--format", "json", "File[/etc/nginx/sites-enabled/default]"), 0,
			[]string{`"present": true`, `"present": false`, `"kind": "decision"`}},
		{db1("--set", "profile::database::password=other", "File[/etc/postgresql.d/password]", "content"), 0,
			[]string{"with profile::database::password=(sensitive)", "(sensitive)"}},
		{[]string{"explain", "V101"}, 0, []string{"V101   order missing", "example", "cure", "require => Package['nginx']"}},
		{[]string{"explain", "H0209", "--format", "json"}, 0, []string{`"kind": "code"`,
			`"meaning": "a data file cannot be parsed"`}},
		{[]string{"explain", "Z9999"}, 1, []string{"no message has the code Z9999"}},
	} {
		code, out, err := call(c.args...)
		if missing := inOrder(out+err, c.want...); code != c.code || missing != "" {
			t.Errorf("%s: exit %d, want %d; %q is missing in\n%s", strings.Join(c.args, " "), code, c.code, missing, out+err)
		}
	}
}

// TestAgainstFirst: what makes the difference comes before what only follows from it.
func TestAgainstFirst(t *testing.T) {
	const levels = "version: 5\nhierarchy:\n  - {name: node, path: \"%{trusted.certname}.yaml\"}\n" +
		"  - {name: common, path: common.yaml}\n"
	const colour = `{"name": "a", "values": {"colour": "red"}}`
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
		not   string // is no cause
	}{
		{"the certificate is not the node's name", map[string]string{
			"manifests/site.pp": "if $trusted['extensions']['z'] == '1' { $v = 'x' } else { $v = 'y' }\n" +
				"notify { 'n': message => $v }\n",
			"facts/a.json": `{"name": "a", "trusted": {"extensions": {"z": "1"}}, "values": {}}`,
			"facts/b.json": `{"name": "b", "trusted": {"extensions": {"z": "2"}}, "values": {}}`,
		}, []string{"site.pp:1:4", "trusted.extensions.z", "a: '1'", "b: '2'"}, ""},
		{"the same datum in files of each node", map[string]string{
			"hiera.yaml": levels, "data/a.yaml": "k: same\n", "data/b.yaml": "k: same\n",
			"manifests/site.pp": "notify { 'n': message => \"${lookup('k')} ${facts['colour']}\" }\n",
			"facts/a.json":      colour, "facts/b.json": `{"name": "b", "values": {"colour": "blue"}}`,
		}, []string{"because", "fact colour"}, "Hiera key k"},
		{"one key in files of each node", map[string]string{
			"hiera.yaml": levels, "data/a.yaml": "k: one\n", "data/b.yaml": "---\nk: two\n",
			"manifests/site.pp": "notify { 'n': message => lookup('k') }\n", "facts/a.json": colour,
			"facts/b.json": `{"name": "b", "values": {"colour": "red"}}`,
		}, []string{"data/a.yaml:1:4", "Hiera key k", "a: one", "b: two", "there at", "data/b.yaml:2:4"}, "the key of k"},
		{"the entry of a table is chosen", map[string]string{
			"manifests/site.pp": "$t = { 'red' => 'x', 'blue' => 'y' }\nnotify { 'n': message => $t[$facts['colour']] }\n",
			"facts/a.json":      colour, "facts/b.json": `{"name": "b", "values": {"colour": "blue"}}`,
		}, []string{"because", "fact colour", "site.pp:1:"}, ""},
		{"the parameter and not the name of the class", map[string]string{
			"manifests/site.pp": "class c($p) { notify { 'n': message => $p ? { '1' => 'x', default => 'y' } } }\n" +
				"node 'a' { class { 'c': p => '1' } }\nnode 'b' { class { 'c': p => '2' } }\n",
			"facts/a.json": colour, "facts/b.json": `{"name": "b", "values": {"colour": "red"}}`,
		}, []string{"selector $p", "site.pp:2:30", "a: '1'", "site.pp:3:30", "b: '2'", "the node's name"}, "a: 'c'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, filesBelow(dir, c.files))
			_, out, errs := call("explain", dir, "--node", "a", "--against", "b", "Notify[n]", "message")
			if missing := inOrder(out, c.want...); missing != "" || c.not != "" && strings.Contains(out, c.not) {
				t.Errorf("%q is missing, or %q is not, in\n%s%s", missing, c.not, out, errs)
			}
		})
	}
}

// TestExplainSince asks a small history with a branch, a broken commit and a value that comes back.
func TestExplainSince(t *testing.T) {
	tool := live.Tool(t, "git")
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command(tool, append([]string{"-C", dir, "-c", "user.name=Ada", "-c", "user.email=a@b"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	commit := func(name, text, message string) {
		t.Helper()
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-q", "-m", message)
	}
	since := func(rev string) string {
		t.Helper()
		_, out, err := call("explain", dir, "--node", "n", "--since", rev, "Notify[n]", "message")
		return out + err
	}
	git("init", "-q", "-b", "main")
	commit("hiera.yaml", oneLevel, "hierarchy")
	commit("manifests/site.pp", "class c($p) { notify { 'n': message => \"port ${p}\" } }\ninclude c\n", "code")
	commit("data/common.yaml", "c::p: 1\n", "one")
	git("tag", "start")
	commit("data/common.yaml", "c::p: 2\n", "two")
	commit("README", "x\n", "readme")
	if out := since("start"); inOrder(out, "'port 1'", "'port 2'", "by Ada in", ": two") != "" {
		t.Errorf("a plain change: %s", out)
	}
	commit("data/common.yaml", "c::p: 3\n", "three")
	commit("data/common.yaml", "c::p: 2\n", "back")
	if out := since("start"); inOrder(out, "'port 3'", "'port 2'", ": back") != "" {
		t.Errorf("a value that came back: %s", out)
	}
	commit("data/common.yaml", "c::p: [\n", "broken")
	commit("data/common.yaml", "c::p: 4\n", "mended")
	if out := since("start"); inOrder(out, "'port 2'", "'port 4'", "do not compile") != "" {
		t.Errorf("a commit that does not compile: %s", out)
	}
	git("checkout", "-q", "-b", "side")
	commit("data/common.yaml", "c::p: 7\n", "seven")
	git("checkout", "-q", "main")
	commit("README", "y\n", "readme again")
	git("merge", "-q", "side", "-m", "merged")
	if out := since("start"); inOrder(out, "'port 4'", "'port 7'", ": seven") != "" {
		t.Errorf("a change that was merged: %s", out)
	}
	commit("README", "z\n", "readme once more")
	if out := since("HEAD~1"); !strings.Contains(out, "no commit since") {
		t.Errorf("nothing changed: %s", out)
	}
	if err := os.WriteFile(filepath.Join(dir, "data/common.yaml"), []byte("c::p: 8\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := since("start"); inOrder(out, "'port 7'", "'port 8'", "not committed yet") != "" {
		t.Errorf("what is not committed: %s", out)
	}
	if _, out, err := call("explain", dir, "--node", "n", "--against", "start", "Notify[n]", "message"); inOrder(out+err,
		"'port 8'", "'port 1'", "because", "data/common.yaml:1:7") != "" {
		t.Errorf("against a revision: %s", out+err)
	}
}

// TestLessons runs the example and the cure of every code that has them.
func TestLessons(t *testing.T) {
	for _, code := range []string{"V101", "V206", "V209", "C0001", "E0552", "E0412", "E0509", "E0510", "P0001"} {
		l, ok := report.LessonOf(code)
		if !ok {
			t.Errorf("%s has no lesson", code)
			continue
		}
		for _, x := range []struct {
			text string
			has  bool
		}{{l.Example, true}, {l.Cure, false}} {
			file := filepath.Join(t.TempDir(), "site.pp")
			if err := os.WriteFile(file, []byte(x.text), 0o644); err != nil {
				t.Fatal(err)
			}
			args := []string{"check", file}
			if code[0] == 'E' || code[0] == 'P' {
				args = []string{"compile", file, "--node", "n"}
			}
			_, out, errs := call(args...)
			if strings.Contains(out+errs, code) != x.has {
				t.Errorf("%s: is said: %v, want %v, of\n%s\n%s", code, !x.has, x.has, x.text, out+errs)
			}
		}
	}
}
