package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// answers are those of a PuppetDB 7.12, by the path and the query.
var answers = map[string]string{
	`/pdb/query/v4/resources ["and",["=","type","Notify"],["=","exported",true],["=","tag","keys"]]`: `[{"tags":["keys","class","notify","node"],` +
		`"file":"/etc/puppetlabs/code/site.pp","type":"Notify","title":"r2 n2","line":15,"resource":"cc6121e5","environment":"production",` +
		`"certname":"n2.example.com","parameters":{"message": "hello", "withpath": true},"exported":true},` +
		`{"tags":["keys","class","notify","node"],"file":null,"type":"Notify","title":"mine","line":null,"resource":"cc6121e6",` +
		`"environment":"production","certname":"web1","parameters":{},"exported":true}]`,
	`/pdb/query/v4 nodes[certname]{ limit 2 }`:   `[{"certname":"n1.example.com"},{"certname":"n2.example.com"}]`,
	`/pdb/query/v4 ["from","nodes",["=","a",1]]`: `[{"b":1,"a":[true,null,1.5]}]`,
}

func fakePuppetDB(t *testing.T) (url string, asked *[]string) {
	asked = &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Path + " " + r.URL.Query().Get("query")
		*asked = append(*asked, q)
		text, known := answers[q]
		if !known {
			http.Error(w, "PQL parse error at line 1, column 10:\n\n"+q, http.StatusBadRequest)
			return
		}
		io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// TestAskPuppetDB compiles manifests that ask a PuppetDB: by collectors, in PQL, by arrays; and says what it cannot.
func TestAskPuppetDB(t *testing.T) {
	url, asked := fakePuppetDB(t)
	site := filepath.Join(t.TempDir(), "site.pp")
	compile := func(code string, args ...string) (int, string, string) {
		t.Helper()
		if err := os.WriteFile(site, []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
		return call(append([]string{"compile", site, "--node", "web1", "--format", "text"}, args...)...)
	}
	with := []string{"--puppetdb", url, "--exported", "puppetdb"}
	code, out, errs := compile("Notify <<| tag == 'keys' |>>\n", with...)
	if code != exitFine || !strings.Contains(out, "notify { 'r2 n2':\n  message  => 'hello',\n  withpath => true,") ||
		strings.Contains(out, "mine") || len(*asked) != 1 {
		t.Errorf("exit %d, asked %q\n%s%s", code, *asked, out, errs)
	}
	code, out, errs = compile("$a = puppetdb_query('nodes[certname]{ limit 2 }')\nnotify { 'x': message => $a.map |$n| "+
		"{ $n['certname'] } }\n"+
		"notify { 'y': message => puppetdb_query(['from', 'nodes', ['=', 'a', 1]]) }\n", with...)
	if code != exitFine || !strings.Contains(out, "['n1.example.com', 'n2.example.com']") ||
		!strings.Contains(out, "'b' => 1,") || strings.Index(out, "'b' => 1") > strings.Index(out, "'a' =>") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = compile("notify { 'x': message => puppetdb_query('nodes[bad') }\n", with...)
	if code != exitFailed || !strings.Contains(errs, "400 Bad Request: PQL parse error") ||
		!strings.Contains(errs, "site.pp:1:") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	// Without a PuppetDB there is no such function, as without its terminus.
	code, out, errs = compile("notify { 'x': message => puppetdb_query('nodes[certname]{ limit 2 }') }\n")
	if code != exitFailed || !strings.Contains(errs, "Unknown function: 'puppetdb_query'") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = compile("Notify <<| |>>\n", "--exported", "puppetdb")
	if code != exitFailed || !strings.Contains(errs, "needs --puppetdb") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	dir := filepath.Join(t.TempDir(), "facts")
	for _, x := range []struct {
		args []string
		says string
	}{
		{[]string{"facts", "pull", dir}, "say where PuppetDB is"},
		{[]string{"facts", "pull", dir, "--puppetdb", url}, "it answers 400 Bad Request"},
		{[]string{"facts", "pull", dir, "--puppetdb", url, "--cert", site}, "--cert and --key go together"},
		{[]string{"facts", "pull", dir, "--puppetdb", "puppetdb"}, "is no address of a PuppetDB"},
		{[]string{"facts", "pull", dir, "--puppetdb", url, "--token", os.DevNull}, "holds no token"},
	} {
		if code, _, errs := call(x.args...); code != exitFailed || !strings.Contains(errs, x.says) {
			t.Errorf("%q: exit %d\n%s", x.args, code, errs)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(left) > 0 {
		t.Errorf("a pull that failed leaves %q", left)
	}
}

// storedSite is what the catalog in testdata/stored-catalog.json was compiled from, by Puppet 7.23; PuppetDB 7.12 has
// answered with it.
const storedSite = `class motd(String $text = 'welcome') {
  file { '/etc/motd':
    content => "${text}\n",
    mode    => '0644',
  }
  file { 'secret':
    path    => '/etc/secret',
    content => Sensitive('s3cret'),
  }
}
class { 'motd': text => 'old' }
notify { 'list': message => [1, 'two', undef, Integer], require => Class['motd'] }
Notify['list'] -> notify { 'after': }
`

// TestDiffStored compares a tree with the catalog that a PuppetDB has: the tree that it was compiled from does not
// differ, and of another one what differs is told.
func TestDiffStored(t *testing.T) {
	text, err := os.ReadFile("testdata/stored-catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/pdb/query/v4/catalogs" || r.URL.Query().Get("query") != `["=","certname","web1.stored.example"]` {
			io.WriteString(w, "[]")
			return
		}
		w.Write(text)
	}))
	defer s.Close()
	dir := filepath.Join(t.TempDir(), "production")
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("facts/web1.stored.example.json", `{"name": "web1.stored.example", "values": {"os": {"family": "Debian"}}}`)
	args := []string{"diff", dir, "--from", "puppetdb", "--puppetdb", s.URL, "--language", "7"}
	put("manifests/site.pp", storedSite)
	if code, out, errs := call(args...); code != exitFine {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	put("manifests/site.pp", strings.Replace(storedSite, "text => 'old'", "text => 'new'", 1)+"notify { 'more': }\n")
	code, out, errs := call(args...)
	if code != exitNo || !strings.Contains(out, "File[/etc/motd]") || !strings.Contains(out, "Notify[more]") ||
		strings.Contains(out, "secret") || strings.Contains(out, "Notify[list]") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	// What hangs on what is not known has left nothing to see.
	put("manifests/site.pp", storedSite+"if generate('/bin/date') == 'x' { notify { 'more': } }\n")
	if code, out, errs = call(args...); code != exitUnknown || !strings.Contains(out, "1 node: 1 not known") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	// What a node collects is not known if another one does not compile, or hangs on what is not known.
	put("facts/db1.json", `{"name": "db1", "values": {}}`)
	for _, other := range []string{"fail('x')", "if generate('/bin/date') == 'x' { @@notify { 'e': } }"} {
		put("manifests/site.pp", storedSite+"if $trusted['certname'] == 'db1' { "+other+" } else { Notify <<| |>> }\n")
		if code, out, errs = call(args...); code != exitUnknown || !strings.Contains(out, "what db1 exports is not known") {
			t.Errorf("%s: exit %d\n%s%s", other, code, out, errs)
		}
	}
	put("manifests/site.pp", storedSite)
	if code, out, errs = call(args...); !strings.Contains(out, "1 not compared") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, _, errs = call(append(args, "--to", "HEAD")...); code != exitFailed ||
		!strings.Contains(errs, "--to cannot be given") {
		t.Errorf("exit %d\n%s", code, errs)
	}
}
