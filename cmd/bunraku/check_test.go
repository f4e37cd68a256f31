package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// copyTree copies a directory into a new one and returns its name.
func copyTree(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

var hunkHead = regexp.MustCompile(`^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$`)

// applyPatch applies a unified diff as `patch -p1` does, without any fuzz, and returns how many files it changed.
func applyPatch(t *testing.T, dir, patch string) int {
	t.Helper()
	var file string
	var old, fresh []string
	at, files := 0, 0
	flush := func() {
		if file == "" {
			return
		}
		fresh = append(fresh, old[at:]...)
		if err := os.WriteFile(file, []byte(strings.Join(fresh, "")), 0o644); err != nil {
			t.Fatal(err)
		}
		files++
	}
	for line := range strings.Lines(patch) {
		bare := strings.TrimSuffix(line, "\n")
		m := hunkHead.FindStringSubmatch(bare)
		switch {
		case strings.HasPrefix(line, "--- "):
			flush()
			file = filepath.Join(dir, strings.TrimPrefix(bare, "--- a/"))
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			old, fresh, at = strings.SplitAfter(string(text), "\n"), nil, 0
		case strings.HasPrefix(line, "+++ "):
		case m != nil:
			start, _ := strconv.Atoi(m[1])
			fresh = append(fresh, old[at:start-1]...)
			at = start - 1
			if n, _ := strconv.Atoi(m[3]); n != len(fresh)+1 {
				t.Fatalf("%s: the hunk goes to line %d, not %s", file, len(fresh)+1, m[3])
			}
		case line[0] == '+':
			fresh = append(fresh, line[1:])
		default:
			if old[at] != line[1:] {
				t.Fatalf("%s:%d is %q; the patch has %q", file, at+1, old[at], line[1:])
			}
			if line[0] == ' ' {
				fresh = append(fresh, old[at])
			}
			at++
		}
	}
	flush()
	return files
}

// TestSeededFaults: check finds the three faults of the example, explains them, and after the suggested edits reports
// none.
func TestSeededFaults(t *testing.T) {
	shop := copyTree(t, filepath.Join("..", "..", "examples", "shop"))
	t.Chdir(filepath.Dir(shop))
	code, out, errText := call("check", "shop")
	if code != exitNo {
		t.Fatalf("exit %d\n%s%s", code, out, errText)
	}
	for _, want := range []string{
		"V101 order missing (safe only by catalog order): Package[nginx] and File[/etc/nginx/conf.d/status.conf]",
		"file, then package   fails: /etc/nginx",
		"V203 service not restarted: File[/etc/nginx/conf.d/gzip.conf] and Service[nginx]",
		"V201 not idempotent: Exec[basket store]",
		"second run   fails: /var/lib/baskets is there already",
		"3 problems on 2 of 3 nodes, 1 ignored.",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	code, patch, errText := call("check", "--fix", "shop")
	if code != exitNo {
		t.Fatalf("exit %d\n%s", code, errText)
	}
	if n := applyPatch(t, ".", patch); n != 2 {
		t.Errorf("%d files changed by\n%s", n, patch)
	}
	code, out, errText = call("check", "--fail-on", "unknown", "shop")
	if code != exitFine || !strings.Contains(out,
		"Nothing found, 1 ignored. Every node is deterministic, idempotent and can succeed") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	if code, out, errText := call("check", "--fix", "shop"); code != exitFine || out != "" ||
		!strings.Contains(errText, "nothing to mend") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
}

// The edits of the JSON, one finding at a time, do what they say too.
func TestEditsInJSON(t *testing.T) {
	shop := copyTree(t, filepath.Join("..", "..", "examples", "shop"))
	for range 3 {
		_, out, _ := call("check", "--format", "json", shop)
		var doc answerJSON
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatal(err)
		}
		edited := false
		for _, f := range doc.Findings {
			if f.Ignored != nil || edited {
				continue
			}
			for _, e := range f.Fix.Edits {
				edited = true
				text, err := os.ReadFile(e.File)
				if err != nil {
					t.Fatal(err)
				}
				lines := strings.SplitAfter(string(text), "\n")
				line := lines[e.Line-1]
				lines[e.Line-1] = line[:e.Column-1] + e.Text + line[e.EndColumn-1:]
				if err := os.WriteFile(e.File, []byte(strings.Join(lines, "")), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !edited {
			t.Fatalf("no edit in\n%s", out)
		}
	}
	if code, out, errText := call("check", shop); code != exitFine {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
}

// write makes the files of a control repo.
func writeRepo(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const facts12 = `{"networking": {"fqdn": "NAME"}, "os": {"name": "Debian", "family": "Debian", "release": {"major": "12"}}}`

func TestCheckExitCodes(t *testing.T) {
	repo := func(site string) string {
		return writeRepo(t, map[string]string{"manifests/site.pp": site, "facts/a.json": strings.Replace(facts12, "NAME", "a",
			1), "facts/b.json": strings.Replace(facts12, "NAME", "b", 1)})
	}
	const stale = "package { 'squid': } -> service { 'squid': ensure => running }\n" +
		"file { '/etc/squid/squid.conf': content => 'x', require => Package['squid'] }\n"
	for _, x := range []struct {
		site string
		args []string
		code int
		want string
	}{
		{"notify { 'x': }", nil, exitFine, "Nothing found. Every node is deterministic"},
		{"fail('no')", nil, exitFailed, "2 of 2 nodes failed to compile"},
		{"if $facts['networking']['fqdn'] == 'a' { fail('no') } exec { '/bin/mkdir /srv/a': }", nil, exitFailed,
			"V201 not idempotent"},
		{"exec { '/bin/mkdir /srv/a': }", nil, exitNo, "on   a, b"},
		{"notify { 'a': require => Notify['b'] } notify { 'b': require => Notify['a'] }", nil, exitNo, "dependency cycle"},
		{"exec { '/opt/setup': creates => '/opt/done' }", nil, exitFine,
			"2 of 2 nodes not proved in full: 2 resources have no model"},
		{"exec { '/opt/setup': creates => '/opt/done' }", []string{"--fail-on", "unknown"}, exitUnknown, "not proved"},
		{stale, nil, exitFine, "1 problem on 2 of 2 nodes"},
		{stale, []string{"--fail-on", "warning"}, exitNo, "V203"},
		{stale, []string{"--fail-on", "nothing"}, exitFailed, "error, warning or unknown"},
		{stale, []string{"--format", "xml"}, exitFailed, "text, json, sarif, github, gitlab, junit"},
	} {
		code, out, errText := call(append(append([]string{"check"}, x.args...), repo(x.site))...)
		if code != x.code || !strings.Contains(out+errText, x.want) {
			t.Errorf("%s %v: exit %d, want %d with %q\n%s%s", x.site, x.args, code, x.code, x.want, out, errText)
		}
	}
}

// A mock that no node's compile used is noted, in its file; unless there is a compile that could have used it.
func TestUnusedMocks(t *testing.T) {
	const mocks = "- function: m::a\n  result: 1\n- function: m::b\n  arguments: [x]\n  result: 2\n"
	repo := func(site string) (dir, mock string) {
		dir = writeRepo(t, map[string]string{"manifests/site.pp": site, "facts/a.json": strings.Replace(facts12, "NAME", "a",
			1), "facts/b.json": strings.Replace(facts12, "NAME", "b", 1), "mocks.yaml": mocks})
		return dir, filepath.Join(dir, "mocks.yaml")
	}
	for _, x := range []struct {
		site  string
		args  []string
		code  int
		noted bool
	}{
		{"notify { 'x': message => m::a() }", []string{"check"}, exitFine, true},
		{"notify { 'x': message => m::a() }", []string{"compile", "--node", "a"}, exitFine, true},
		{"notify { 'x': message => m::a() }", []string{"check", "--node", "a"}, exitFine, false},
		{"notify { 'x': message => [m::a(), m::b('x')] }", []string{"check"}, exitFine, false},
		{"node 'a' { notify { 'x': message => m::b('x') } }\nnode 'b' { notify { 'x': message => m::a() } }",
			[]string{"check"}, exitFine, false},
		{"notify { 'x': message => m::a() }\nif $facts['networking']['fqdn'] == 'b' { fail('no') }", []string{"check"},
			exitFailed, false},
		{"fail('no')", []string{"compile", "--node", "a"}, exitFailed, false},
	} {
		dir, mock := repo(x.site)
		code, out, errText := call(append(x.args, "--mock", mock, dir)...)
		noted := strings.Contains(out+errText, "K0102") &&
			strings.Contains(out+errText, "this mock of m::b answered no call") &&
			strings.Contains(out+errText, "mocks.yaml:3:13")
		if code != x.code || noted != x.noted {
			t.Errorf("%s %v: exit %d, want %d; noted is to be %t\n%s%s", x.site, x.args, code, x.code, x.noted, out, errText)
		}
	}
}

// An edit that is right for one node and wrong for another that has the same words is not offered.
func TestEditsForAllNodes(t *testing.T) {
	const site = `define conf($package) {
  file { "/etc/${package}/x.conf": content => 'x' }
}
define made { exec { "/bin/mkdir /srv/${title}": } }
node 'a' {
  package { 'nginx': }
  conf { 'a': package => 'nginx' }
  made { 'one': }
}
node 'b' {
  package { 'squid': }
  conf { 'b': package => 'squid' }
  made { 'two': }
}
`
	dir := writeRepo(t, map[string]string{"manifests/site.pp": site, "facts/a.json": strings.Replace(facts12, "NAME", "a",
		1), "facts/b.json": strings.Replace(facts12, "NAME", "b", 1)})
	code, out, errText := call("check", dir)
	if code != exitNo || strings.Contains(out, "verified") || !strings.Contains(out, "require => Package['nginx'],") ||
		!strings.Contains(out, "4 problems on 2 of 2 nodes.") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	if _, out, _ := call("check", "--fix", dir); out != "" {
		t.Error(out)
	}
	if _, out, _ := call("check", "--fix", "--node", "a", dir); !strings.Contains(out,
		"+  file { \"/etc/${package}/x.conf\": content => 'x', require => Package['nginx'] }") {
		t.Error(out)
	}
}

// One that names things by the words of their declaration is right for all of them.
func TestWordedEditsForAllNodes(t *testing.T) {
	const site = `define conf($package) {
  package { $package: }
  file { "/etc/${package}/x.conf": content => 'x' }
}
node 'a' { conf { 'a': package => 'nginx' } }
node 'b' { conf { 'b': package => 'squid' } }
`
	dir := writeRepo(t, map[string]string{"manifests/site.pp": site, "facts/a.json": strings.Replace(facts12, "NAME", "a",
		1), "facts/b.json": strings.Replace(facts12, "NAME", "b", 1)})
	code, out, errText := call("check", dir)
	if code != exitNo || strings.Count(out, "require => Package[$package],   verified") != 2 {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	_, out, _ = call("check", "--fix", dir)
	if want := "+  file { \"/etc/${package}/x.conf\": content => 'x', require => Package[$package] }"; strings.Count(out,
		want) != 1 || strings.Count(out, "\n+") != 2 {
		t.Error(out)
	}
}

// Of many nodes, those with the same answer are one line.
func TestManyNodes(t *testing.T) {
	files := map[string]string{"manifests/site.pp": "node 'n7' { fail('no') }\nnode default { exec { '/bin/mkdir " +
		"/srv/a': } }\n"}
	for i := range 30 {
		name := "n" + strconv.Itoa(i)
		files["facts/"+name+".json"] = strings.Replace(facts12, "NAME", name, 1)
	}
	code, out, errText := call("check", writeRepo(t, files))
	if code != exitFailed || !strings.Contains(out,
		"    29 nodes   V201: n0, n1, n10 and 26 more\n      1 node   E0401: n7\n") || !strings.Contains(out,
		"2 problems on 30 of 30 nodes. `--fix`") ||
		!strings.Contains(out, "1 of 30 nodes failed to compile.") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
}

func TestSuppressions(t *testing.T) {
	const site = `package { 'squid': } -> service { 'squid': ensure => running }
# bunraku:ignore V203 squid watches it
# This is what it reads.
file { '/etc/squid/squid.conf': content => 'x', require => Package['squid'] }
file { '/etc/squid/conf.d/debian.conf': content => 'y', require => Package['squid'] } # bunraku:ignore V203,V101
exec { '/bin/mkdir /srv/a': }
# bunraku:ignore
notify { 'a': } # bunraku:ignore V999 as ever
`
	dir := writeRepo(t, map[string]string{"manifests/site.pp": site, "facts/a.json": strings.Replace(facts12, "NAME", "a",
		1)})
	code, out, errText := call("check", dir)
	if code != exitNo || strings.Contains(out, "V203") || !strings.Contains(out, "1 problem on 1 of 1 node, 2 ignored.") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	for _, want := range []string{"note[V901]: there is no V101 here to ignore", "site.pp:5:87",
		"note[V901]: this comment ignores nothing", "there is no V999 here to ignore"} {
		if !strings.Contains(errText, want) {
			t.Errorf("no %q in\n%s", want, errText)
		}
	}

	// What is known is in the baseline, also when its lines move; what is new is not.
	base := filepath.Join(dir, "base.json")
	if code, out, errText := call("check", "--write-baseline", base, dir); code != exitFine ||
		!strings.Contains(errText, "wrote 1 problem to") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	manifest := filepath.Join(dir, "manifests", "site.pp")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(manifest, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("\n\n\n" + site)
	if code, out, errText := call("check", "--baseline", base, dir); code != exitFine ||
		!strings.Contains(out, "Nothing found, 3 ignored.\n") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	put(site + "exec { '/bin/mkdir /srv/b': }\n")
	if code, out, errText := call("check", "--baseline", base, dir); code != exitNo ||
		!strings.Contains(out, "1 problem on 1 of 1 node, 3 ignored.") || !strings.Contains(out, "/srv/b") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	put("notify { 'a': }\n")
	if code, _, errText := call("check", "--baseline", base, dir); code != exitFine ||
		!strings.Contains(errText, "note[V902]: 1 problem is in "+base+" and no longer there") {
		t.Errorf("exit %d\n%s", code, errText)
	}
	put(site)
	if code, _, errText := call("check", "--baseline", manifest, dir); code != exitFailed ||
		!strings.Contains(errText, "is no baseline") {
		t.Errorf("exit %d\n%s", code, errText)
	}
	// One node says nothing about lines that it does not have.
	if code, out, errText := call("verify", dir, "--facts", "facts/a.json"); code != exitNo ||
		!strings.Contains(out, "1 finding, 2 ignored.") || strings.Contains(errText, "names no code") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
}

func TestAssertionFiles(t *testing.T) {
	dir := writeRepo(t, map[string]string{
		"manifests/site.pp": "file { '/srv/key': content => 'x', mode => '0644' }\n",
		"facts/a.json":      strings.Replace(facts12, "NAME", "a", 1),
		"bunraku.assert":    "# secrets\nfile /srv/key not world-readable\n[b*]\nfile /srv/none exists\n",
		"other.assert":      "file /srv/key mode 0644\n",
		"bad.assert":        "file /srv/key mood 0644\n",
	})
	code, out, errText := call("check", dir)
	if code != exitNo || !strings.Contains(out, "V204 assertion does not hold: file /srv/key not world-readable") ||
		!strings.Contains(out, "bunraku.assert:2:1") ||
		!strings.Contains(out, "/srv/key is a file, mode 0644   replayed") ||
		!strings.Contains(out, "1 problem on 1 of 1 node") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	open := writeRepo(t, map[string]string{"manifests/site.pp": "file { '/srv/key': ensure => file, mode => 'g+w' }\n",
		"facts/a.json":   strings.Replace(facts12, "NAME", "a", 1),
		"bunraku.assert": "file /srv/key not world-readable\n"})
	if code, out, errText := call("check", open); code != exitUnknown ||
		!strings.Contains(out, "V301 undecided: assertion "+open+"/bunraku.assert:1:1") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	if code, out, errText := call("verify", "--facts", "facts/a.json", "--assert", filepath.Join(dir, "other.assert"),
		dir); code != exitFine {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	if code, out, errText := call("check", "--assert", filepath.Join(dir, "bad.assert"), dir); code != exitFailed ||
		!strings.Contains(errText, `error[A0001]: "mood" cannot be said of a file`) ||
		!strings.Contains(errText, "did you mean mode?") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
}

func TestGitHubFormat(t *testing.T) {
	dir := writeRepo(t, map[string]string{"manifests/site.pp": "exec { '/bin/mkdir /srv/100%': }\n",
		"facts/a.json": strings.Replace(facts12, "NAME", "a", 1)})
	t.Chdir(dir)
	code, out, _ := call("check", "--format", "github")
	const want = "::error file=manifests/site.pp,line=1,endLine=1,col=1,endColumn=33,title=V201 not idempotent::not " +
		"idempotent: Exec[/bin/mkdir /srv/100%25]" +
		"%0Aon a fresh machine%0A  first run    works%0A  second run   fails: /srv/100%25 is there already   " +
		"replayed%0Ahelp: add creates => '/srv/100%25', to Exec[/bin/mkdir /srv/100%25] (verified)%0Aon a\n"
	if code != exitNo || out != want {
		t.Errorf("exit %d\n%s", code, out)
	}
}

func TestJUnitFormat(t *testing.T) {
	dir := writeRepo(t, map[string]string{
		"manifests/site.pp": "node 'a' { exec { '/bin/mkdir /srv/<a>&\"': } }\nnode 'b' { fail('x') }\nnode 'c' { package " +
			"{ 'squid': } -> service { 'squid': ensure => running } file { '/etc/squid/squid.conf': content => 'x', require " +
			"=> Package['squid'] } }\n",
		"facts/a.json": strings.Replace(facts12, "NAME", "a", 1), "facts/b.json": strings.Replace(facts12, "NAME", "b",
			1), "facts/c.json": strings.Replace(facts12, "NAME", "c", 1)})
	code, out, errText := call("check", "--format", "junit", dir)
	var doc struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
				Text    string `xml:",chardata"`
			} `xml:"failure"`
			Error *struct {
				Message string `xml:"message,attr"`
			} `xml:"error"`
			Output string `xml:"system-out"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal([]byte(out), &doc); err != nil || code != exitFailed {
		t.Fatalf("exit %d: %v\n%s%s", code, err, out, errText)
	}
	if doc.Tests != 3 || doc.Failures != 1 || doc.Errors != 1 || len(doc.Cases) != 3 {
		t.Fatalf("%+v", doc)
	}
	a, b, c := doc.Cases[0], doc.Cases[1], doc.Cases[2]
	if a.Name != "a" || a.Failure == nil || !strings.Contains(a.Failure.Message, "V201") ||
		!strings.Contains(a.Failure.Text, `/srv/<a>&"`) {
		t.Errorf("%+v", a)
	}
	if b.Error == nil || c.Failure != nil || !strings.Contains(c.Output, "V203") {
		t.Errorf("%+v %+v", b, c)
	}
}

func TestSARIFFormat(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	code, out, errText := call("check", "--format", "sarif", "examples/shop")
	if code != exitNo {
		t.Fatalf("exit %d\n%s", code, errText)
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(out)))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	checkSARIF(t, doc)
	codes := map[string]bool{}
	results := at(doc, "runs", 0, "results").([]any)
	for _, r := range results {
		id := at(r, "ruleId").(string)
		codes[id] = true
		index, _ := at(r, "ruleIndex").(json.Number).Int64()
		if at(doc, "runs", 0, "tool", "driver", "rules", int(index), "id") != id {
			t.Errorf("rule %d is not %s", index, id)
		}
	}
	if len(results) != 4 || !codes["V101"] || !codes["V201"] || !codes["V203"] {
		t.Errorf("%d results: %v", len(results), codes)
	}
	first := results[0]
	if at(first, "fixes", 0, "artifactChanges", 0, "replacements", 0, "insertedContent",
		"text") != "\n    require => Package['nginx']," ||
		at(first, "locations", 0, "physicalLocation", "artifactLocation",
			"uri") != "examples/shop/site-modules/profile/manifests/web/shop.pp" ||
		at(first, "relatedLocations", 0, "message", "text") != "Package[nginx]" {
		t.Errorf("%v", first)
	}
	ignored := 0
	for _, r := range results {
		if at(r, "suppressions", 0, "kind") == "inSource" &&
			at(r, "suppressions", 0, "justification") == "the shop reads it, not the server" {
			ignored++
		}
	}
	if ignored != 1 {
		t.Errorf("%d results are suppressed", ignored)
	}
}

// at walks into a JSON value.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

// A shape is what the schema of SARIF 2.1.0 demands of an object: its required properties, and the shape or kind of
// those we write. A property that is not listed here may not be written: most of SARIF's objects are closed.
type shape struct {
	required []string
	// *shape, []any{*shape or kind}, or a kind: "string", "bool", "int" (at least 1), "index", "map"
	props map[string]any
}

var (
	sarifMessage  = &shape{required: []string{"text"}, props: map[string]any{"text": "string"}}
	sarifArtifact = &shape{props: map[string]any{"uri": "string"}}
	sarifRegion   = &shape{required: []string{"startLine"}, props: map[string]any{"startLine": "int", "startColumn": "int",
		"endLine": "int", "endColumn": "int"}}
	sarifPhysical = &shape{required: []string{"artifactLocation"}, props: map[string]any{"artifactLocation": sarifArtifact,
		"region": sarifRegion}}
	sarifPlace = &shape{props: map[string]any{"id": "index", "message": sarifMessage,
		"physicalLocation": sarifPhysical}}
	sarifChanges = &shape{required: []string{"artifactLocation", "replacements"},
		props: map[string]any{"artifactLocation": sarifArtifact,
			"replacements": []any{&shape{required: []string{"deletedRegion"}, props: map[string]any{"deletedRegion": sarifRegion,
				"insertedContent": &shape{props: map[string]any{"text": "string"}}}}}}}
	sarifRun = &shape{required: []string{"tool"}, props: map[string]any{
		"tool": &shape{required: []string{"driver"},
			props: map[string]any{"driver": &shape{required: []string{"name"},
				props: map[string]any{"name": "string", "version": "string",
					"rules": []any{&shape{required: []string{"id"},
						props: map[string]any{"id": "string", "shortDescription": sarifMessage,
							"defaultConfiguration": &shape{props: map[string]any{"level": "level"}}}}}}}}},
		"invocations": []any{&shape{required: []string{"executionSuccessful"},
			props: map[string]any{"executionSuccessful": "bool",
				"toolExecutionNotifications": []any{&shape{required: []string{"message"},
					props: map[string]any{"message": sarifMessage, "level": "level",
						"descriptor": &shape{props: map[string]any{"id": "string"}}}}}}}},
		"columnKind": "columnKind",
		"results": []any{&shape{required: []string{"message"}, props: map[string]any{"ruleId": "string", "ruleIndex": "index",
			"level": "level", "message": sarifMessage,
			"locations": []any{sarifPlace}, "relatedLocations": []any{sarifPlace}, "partialFingerprints": "map",
			"properties": "map",
			"fixes": []any{&shape{required: []string{"artifactChanges"},
				props: map[string]any{"description": sarifMessage, "artifactChanges": []any{sarifChanges}}}},
			"suppressions": []any{&shape{required: []string{"kind"}, props: map[string]any{"kind": "suppression",
				"justification": "string"}}}}}},
	}}
	sarifWhole = &shape{required: []string{"version", "runs"}, props: map[string]any{"$schema": "string",
		"version": "string", "runs": []any{sarifRun}}}
)

func checkSARIF(t *testing.T, doc any) {
	t.Helper()
	if at(doc, "version") != "2.1.0" {
		t.Errorf("version %v", at(doc, "version"))
	}
	fits(t, "$", doc, sarifWhole)
}

func fits(t *testing.T, where string, v any, want any) {
	t.Helper()
	words := map[string][]string{"level": {"none", "note", "warning", "error"},
		"columnKind": {"utf16CodeUnits", "unicodeCodePoints"}, "suppression": {"inSource", "external"}}
	switch want := want.(type) {
	case *shape:
		m, ok := v.(map[string]any)
		if !ok {
			t.Errorf("%s is no object", where)
			return
		}
		for _, r := range want.required {
			if _, ok := m[r]; !ok {
				t.Errorf("%s has no %s", where, r)
			}
		}
		for k, x := range m {
			if want.props[k] == nil {
				t.Errorf("%s.%s is not in the schema", where, k)
				continue
			}
			fits(t, where+"."+k, x, want.props[k])
		}
	case []any:
		l, ok := v.([]any)
		if !ok {
			t.Errorf("%s is no list", where)
		}
		for i, x := range l {
			fits(t, where+"["+strconv.Itoa(i)+"]", x, want[0])
		}
	case string:
		ok := false
		switch x := v.(type) {
		case string:
			ok = want == "string"
			for _, w := range words[want] {
				ok = ok || w == x
			}
		case bool:
			ok = want == "bool"
		case json.Number:
			n, err := x.Int64()
			ok = err == nil && (want == "int" && n >= 1 || want == "index" && n >= 0)
		case map[string]any:
			ok = want == "map"
		}
		if !ok {
			t.Errorf("%s is %v, not %s", where, v, want)
		}
	}
}

// A file of facts that cannot be read costs the node that it is called after, and no other; comments in code that only
// this one has are not called idle.
func TestCheckBrokenFacts(t *testing.T) {
	fact := func(name string) string { return strings.Replace(facts12, "NAME", name, 1) }
	site := "node 'a' {\n  exec { 'm': command => '/bin/mkdir /srv/m' } # bunraku:ignore V201 as it is\n}\n" +
		"node default {\n  exec { 'n': command => '/bin/mkdir /srv/n' }\n}\n"
	for what, broken := range map[string]string{"cut off": fact("a")[:40], "empty": "", "no facts": "[1]",
		"YAML": "a: [1", "a wrong comma": strings.Replace(fact("a"), "{", "{,", 1)} {
		repo := writeRepo(t, map[string]string{"manifests/site.pp": site, "facts/a.json": broken, "facts/b.json": fact("b")})
		code, out, errText := call("check", repo)
		if code != exitFailed || !regexp.MustCompile(`\ba +no catalog +[FH]0`).MatchString(out) ||
			!regexp.MustCompile(`\bb +5 resources +V201`).MatchString(out) || !strings.Contains(errText, "facts/a.json:") ||
			strings.Contains(out+errText, "V901") {
			t.Errorf("%s: exit %d\n%s%s", what, code, out, errText)
		}
		for _, command := range []string{"compile", "verify"} {
			if code, out, errText := call(command, repo, "--node", "a"); code == exitFine || out != "" ||
				!strings.Contains(errText, "facts/a.json") {
				t.Errorf("%s, %s: exit %d\n%s%s", what, command, code, out, errText)
			}
			if code, _, errText := call(command, repo, "--node", "b"); strings.Contains(errText, "facts/a.json") {
				t.Errorf("%s, %s of another: exit %d\n%s", what, command, code, errText)
			}
		}
	}
}

// One broken file costs what needs it, and nobody is told to add facts that are there; nothing is called fine beyond
// what was looked at.
func TestCheckSaysWhatItLookedAt(t *testing.T) {
	fact := strings.Replace(facts12, "NAME", "a", 1)
	repo := writeRepo(t, map[string]string{"manifests/site.pp": "include a\n", "facts/a.json": fact,
		"modules/a/manifests/init.pp": "class a { exec { 'm': command => '/bin/mkdir /srv/m' } warning('pp_role is not " +
			"set') }\n", "modules/a/manifests/b.pp": "class a::b { notify { 'x'\n"})
	code, out, errText := call("check", repo)
	if code != exitFailed || !strings.Contains(out, "V201") || !strings.Contains(errText, "P0001") ||
		!strings.Contains(errText, "pp_role is not set") || strings.Contains(out+errText, "put the nodes' facts") {
		t.Errorf("a broken file: exit %d\n%s%s", code, out, errText)
	}
	used := writeRepo(t, map[string]string{"manifests/site.pp": "include a\n", "facts/a.json": fact,
		"modules/a/manifests/init.pp": "class a { notify { 'x'\n"})
	code, out, errText = call("check", used)
	if code != exitFailed || strings.Count(errText, "P0001") != 1 || !strings.Contains(out, "no catalog") {
		t.Errorf("a broken file that is used: exit %d\n%s%s", code, out, errText)
	}
	empty := writeRepo(t, map[string]string{"manifests/site.pp": "node 'b' { notify { 'x': } }\nnode default { }\n",
		"facts/a.json": fact})
	code, out, errText = call("check", empty)
	if code != exitFine || strings.Contains(out, "fine") || !strings.Contains(errText, "holds nothing of the site") ||
		strings.Contains(out, "Nothing found") {
		t.Errorf("an empty catalog: exit %d\n%s%s", code, out, errText)
	}
	bare := writeRepo(t, map[string]string{"manifests/site.pp": "class a { }\n", "none/README": ""})
	for _, format := range formats {
		code, out, errText = call("check", bare, "--format", format)
		if code != exitFine || !strings.Contains(out+errText, "no node was compiled") {
			t.Errorf("no facts, %s: exit %d\n%s%s", format, code, out, errText)
		}
	}
	invented := writeRepo(t, map[string]string{"manifests/site.pp": "notify { 'x': }\n"})
	for _, format := range formats {
		code, out, errText = call("check", invented, "--format", format)
		if code != exitFine || !strings.Contains(out+errText, "invented") {
			t.Errorf("an invented node, %s: exit %d\n%s%s", format, code, out, errText)
		}
	}
	if code, _, errText := call("check", bare, "--facts", filepath.Join(bare, "none")); code != exitFailed ||
		!strings.Contains(errText, "there are no facts in") {
		t.Errorf("an empty directory: exit %d\n%s", code, errText)
	}
	unknown := writeRepo(t, map[string]string{"manifests/site.pp": "notify { 'x': message => a::f() }\n",
		"facts/a.json": fact,
		"modules/a/lib/puppet/functions/a/f.rb": "Puppet::Functions.create_function(:'a::f') do\n  def f\n    `id`\n  " +
			"end\nend\n"})
	if _, out, _ := call("check", unknown); strings.Contains(out, "is deterministic") ||
		!strings.Contains(out, "unknown without Ruby") {
		t.Errorf("an unknown value:\n%s", out)
	}
}

// A hiera.yaml over which every lookup fails is told of, whether a node looks anything up or not, and once.
func TestCheckUnreadableHiera(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		hiera, manifest string
		want            []string
	}{
		{"version: 5\nhierarchy:\n  - name: a\n   path: b\n", "notify { 'a': }\n", []string{"H0225 hiera.yaml"}},
		{"version: 5\nhierarchy:\n  - name: a\n    pth: b.yaml\n", "notify { 'a': }\n", []string{"H0221 hiera.yaml"}},
		{"version: 9\n", "notify { 'a': }\n", []string{"H0321 hiera.yaml"}},
		{"version: 9\n", "notify { 'a':\n", []string{"P0001 manifests/site.pp", "H0321 hiera.yaml"}},
		{"version: 9\n", "lookup('a')\n", nil},          // the node that fails says it
		{":hierarchy: [a]\n", "notify { 'a': }\n", nil}, // Puppet leaves it out
		{"version: 5\n", "notify { 'a': }\n", nil},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "manifests"), 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"hiera.yaml": x.hiera, "manifests/site.pp": x.manifest} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, out, _ := call("check", dir, "--format", "json")
		var answer struct {
			Problems []struct {
				Code  string
				Place struct{ File string }
			}
		}
		if err := json.Unmarshal([]byte(out), &answer); err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, p := range answer.Problems {
			if p.Code[0] != 'V' {
				said = append(said, p.Code+" "+strings.TrimPrefix(p.Place.File, dir+"/"))
			}
		}
		if !slices.Equal(said, x.want) {
			t.Errorf("of %q and %q: %q, want %q", x.hiera, x.manifest, said, x.want)
		}
	}
}

// A file of data that cannot be read is told of where it is wrong, once, also when classes fail for it.
func TestCheckUnreadableData(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"hiera.yaml":                  "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n",
		"data/c.yaml":                 "a::x: 1\na::y: *foo\n",
		"manifests/site.pp":           "include a\n",
		"modules/a/manifests/init.pp": "class a($x, $y) { }\n",
	} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, out, _ := call("check", dir, "--format", "json")
	var answer struct {
		Problems []struct {
			Code  string
			Place struct {
				File         string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatal(err)
	}
	if p := answer.Problems; len(p) != 1 || p[0].Code != "H0501" || !strings.HasSuffix(p[0].Place.File, "data/c.yaml") ||
		p[0].Place.Line != 2 || p[0].Place.Column != 7 {
		t.Errorf("said %v", answer.Problems)
	}
}
