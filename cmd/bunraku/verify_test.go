package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("lists/nginx", "/etc/nginx/nginx.conf\n/etc/nginx/conf.d/\n/usr/sbin/nginx\n")
	lists := filepath.Join(dir, "lists")
	bad := write("bad.pp",
		"package { 'nginx': ensure => installed }\nfile { '/etc/nginx/conf.d/shop.conf':\n  content => 'x',\n}\n")
	good := write("good.pp",
		"package { 'nginx': ensure => installed }\nfile { '/etc/nginx/conf.d/shop.conf':\n  require => Package['nginx'],\n "+
			" content => 'x',\n}\n")
	cycle := write("cycle.pp", "notify { 'a': require => Notify['b'] }\nnotify { 'b': require => Notify['a'] }\n")
	never := write("never.pp", "file { '/srv/a/b': content => 'x' }\n")
	twice := write("twice.pp", "file { '/srv/b': source => '/srv/a' } -> file { '/srv/a': ensure => absent }\n")
	unread := write("unread.pp", "exec { '/opt/setup': creates => '/opt/done' }\n")
	for _, x := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{bad}, exitNo,
			[]string{"V101 order missing (safe only by catalog order): Package[nginx] and File[/etc/nginx/conf.d/shop.conf]",
				"bad.pp:2:1", "on a fresh machine", "package, then file   works",
				"file, then package   fails: /etc/nginx does not exist   replayed",
				"require => Package['nginx'],   verified", "1 finding. Deterministic otherwise; idempotent; can succeed"}},
		{[]string{good}, exitFine, []string{"2 resources, 2 modelled exactly, 0 approximately, 0 not",
			"No findings. Deterministic; idempotent; can succeed"}},
		{[]string{cycle}, exitNo, []string{"dependency cycle: Notify[a] => Notify[b] => Notify[a]",
			"No agent applies this catalog"}},
		{[]string{never}, exitNo, []string{"V102 cannot succeed from a fresh machine: File[/srv/a/b]",
			"fails: /srv/a does not exist"}},
		{[]string{twice}, exitNo, []string{"V201 not idempotent: File[/srv/b]", "second run   fails: /srv/a does not exist"}},
		{[]string{unread}, exitUnknown, []string{"V301 undecided", "Exec[/opt/setup]: the command is not read: /opt/setup"}},
		{[]string{good, "--catalog", bad}, exitFailed, []string{"not both"}},
		{nil, exitFailed, []string{"say what to verify"}},
		{[]string{good, "--format", "xml"}, exitFailed, []string{"text, json, sarif"}},
		{[]string{good, "--fail-on", "never"}, exitFailed, []string{"error, warning or unknown"}},
		{[]string{good, "--package-model", "snap"}, exitFailed, []string{"dpkg, rpm or paper"}},
		{[]string{good, "--solver", "dice"}, exitFailed, []string{"dice"}},
		{[]string{"--catalog", filepath.Join(dir, "none.json")}, exitFailed, []string{"there is no file or directory "}},
	} {
		args := append([]string{"verify", "--node", "web", "--packages", lists}, x.args...)
		code, out, err := call(args...)
		if code != x.code {
			t.Errorf("bunraku %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, x.code, out, err)
		}
		for _, w := range x.want {
			if !strings.Contains(out+err, w) {
				t.Errorf("bunraku %s: no %q in\n%s%s", strings.Join(args, " "), w, out, err)
			}
		}
	}

	// A catalog that was written gives the same findings when it is read.
	code, out, errText := call("compile", "--node", "web", bad)
	if code != exitFine {
		t.Fatal(errText)
	}
	catalog := write("catalog.json", out)
	code, out, errText = call("verify", "--catalog", catalog, "--packages", lists, "--platform", "debian-12", "--format",
		"json")
	var doc verifyJSON
	if err := json.Unmarshal([]byte(out), &doc); err != nil || code != exitNo {
		t.Fatal(code, err, out, errText)
	}
	if len(doc.Findings) != 1 || doc.Findings[0].Code != "V101" || doc.Findings[0].Fix == nil ||
		!doc.Findings[0].Fix.Verified || doc.Deterministic != "no" {
		t.Errorf("%s", out)
	}
}

// An automatic relation whose Ruby asks for what only an agent has is told, and is a reason to doubt a missing order.
func TestVerifyUnread(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"manifests/site.pp": "vendor_thing { ['a', 'b']: }\nfile { '/srv/x': content => 'x' }\n",
		"modules/vendor/lib/puppet/type/vendor_thing.rb": `Puppet::Type.newtype(:vendor_thing) do
  newparam(:name, namevar: true)
  autorequire(:file) { [Facter.value(:path)] }
end
`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, out, errText := call("verify", "--node", "web", "--platform", "debian-12", dir)
	if want := "   not known: the automatic require of 2 Vendor_thing on file (it takes an agent: the system (Facter))\n"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s%s", want, out, errText)
	}
	_, out, errText = call("verify", "--node", "web", "--platform", "debian-12", dir, "--format", "json")
	var doc verifyJSON
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err, out, errText)
	}
	want := unreadJSON{"Vendor_thing[a]", "require", "file", "refused: the system (Facter)"}
	if len(doc.Unread) != 2 || doc.Unread[0] != want {
		t.Errorf("%v", doc.Unread)
	}
}

// A fix in a module from elsewhere comes with a statement for one's own code; who does not say which node is told which
// there are.
func TestVerifyForeignModule(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"env/manifests/site.pp": "include vendor\n",
		"env/environment.conf":  "modulepath = ../elsewhere\n",
		"env/facts/a.json":      `{"fqdn": "a.example"}`,
		"elsewhere/vendor/manifests/init.pp": "class vendor {\n  package { 'nginx': }\n  file { '/etc/nginx/x': content => " +
			"'x' }\n}\n",
		"lists/nginx": "/etc/nginx/nginx.conf\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := filepath.Join(dir, "env")
	verifyIt := func() (int, string) {
		code, out, errText := call("verify", env, "--root", filepath.Join(dir, "elsewhere"), "--platform", "debian-12",
			"--packages", filepath.Join(dir, "lists"))
		return code, out + errText
	}
	code, out := verifyIt() // there is only one node
	if want := "   fix  in your own code   Package['nginx'] -> File['/etc/nginx/x']   verified\n"; code != exitNo ||
		!strings.Contains(out, want) {
		t.Errorf("exit %d, no %q in\n%s", code, want, out)
	}
	if err := os.WriteFile(filepath.Join(env, "facts", "b.json"), []byte(`{"fqdn": "b.example"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out = verifyIt()
	if want := "say which node: --node a.example, --node b.example; "; code != exitFailed ||
		!strings.Contains(out, want) || !strings.Contains(out, "`bunraku check "+env+"` verifies them all") {
		t.Errorf("exit %d, no %q in\n%s", code, want, out)
	}
}

// TestNodesOfFacts: every command finds the facts of a node by its name where check does, whichever file they are in;
// --facts may name a directory; who misspells a name is told.
func TestNodesOfFacts(t *testing.T) {
	const both = `[{"certname": "b.example", "facts": {"kernel": "Bsd", "os": {"name": "Debian", "release": {"major": "12"}}}},
 {"certname": "c.example", "facts": {"kernel": "Csd"}}]`
	repo := writeRepo(t, map[string]string{
		"manifests/site.pp":      "notify { \"runs ${facts['kernel']}\": }\n",
		"facts/a.example.yaml":   "kernel: Asd\nnetworking: {fqdn: a.example}\n",
		"facts/others.json":      both,
		"more/x.json":            `{"kernel": "Xsd", "fqdn": "x.example"}`,
		"lone/manifests/site.pp": "notify { \"runs ${facts['kernel']}\": }\n",
		"lone/facts/z.json":      `{"kernel": "Zsd", "fqdn": "z.example"}`,
	})
	more := filepath.Join(repo, "more")
	for _, x := range []struct {
		args []string // after the environment
		want string
		code int
	}{
		{[]string{"--node", "a.example"}, "runs Asd", exitFine},
		{[]string{"--node", "b.example"}, "runs Bsd", exitFine},
		{[]string{"--node", "B.Example"}, "runs Bsd", exitFine},
		{[]string{"--node", "c.example", "--facts", "facts"}, "runs Csd", exitFine}, // relative to the environment
		{[]string{"--facts", more}, "runs Xsd", exitFine},
		{[]string{"--facts", filepath.Join(more, "x.json"), "--node", "other"}, "runs Xsd", exitFine},
		{nil, "say which node: --node a.example, --node b.example, --node c.example", exitFailed},
		{[]string{"--facts", "facts/others.json"}, "say which node: --node b.example, --node c.example", exitFailed},
		{[]string{"--facts", "facts/others.json", "--node", "nowhere"},
			"no facts of a node named nowhere in facts/others.json; there is --node b.example", exitFailed},
		{[]string{"--node", "a.exampel"}, "note: going on without facts: there are no facts of a node named a.exampel in " +
			filepath.Join(repo, "facts") + "; did you mean a.example?", exitFine},
	} {
		code, out, errText := call(append([]string{"compile", repo, "--format", "text"}, x.args...)...)
		if code != x.code || !strings.Contains(out+errText, x.want) {
			t.Errorf("compile %v: exit %d, want %d with %q\n%s%s", x.args, code, x.code, x.want, out, errText)
		}
		if !strings.HasPrefix(x.want, "runs ") {
			continue
		}
		if code, out, errText := call(append([]string{"explain", repo, x.want}, x.args...)...); code != exitFine ||
			!strings.Contains(out, "Notify["+x.want+"]") {
			t.Errorf("explain %v: exit %d\n%s%s", x.args, code, out, errText)
		}
		if code, out, errText := call(append([]string{"verify", repo}, x.args...)...); code != exitFine ||
			!strings.Contains(out, ": 1 resource, 1 modelled exactly") {
			t.Errorf("verify %v: exit %d\n%s%s", x.args, code, out, errText)
		}
	}
	if code, out, errText := call("compile", filepath.Join(repo, "lone"), "--format", "text"); code != exitFine ||
		!strings.Contains(out, "runs Zsd") {
		t.Errorf("the only node: exit %d\n%s%s", code, out, errText)
	}
	if _, out, errText := call("verify", repo, "--node", "b.example"); !strings.Contains(out, "from a fresh debian-12") {
		t.Errorf("the platform of the facts is not used:\n%s%s", out, errText)
	}
	if _, out, errText := call("explain", repo, "--reaches", "fact:kernel"); strings.Count(out,
		"fact:kernel reaches 3 of") != 3 {
		t.Errorf("not every node was asked:\n%s%s", out, errText)
	}
	if code, _, errText := call("check", repo, "--node", "a.exampel"); code != exitFailed ||
		!strings.Contains(errText, "did you mean a.example?") {
		t.Errorf("exit %d\n%s", code, errText)
	}
}
