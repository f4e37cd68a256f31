//go:build unix

package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"bunraku/internal/live"
	"bunraku/serve"
)

// oddSite shows what a request can change: the names that server and facts compete for, rich data, files of all kinds.
const oddSite = `
-- production/environment.conf --
modulepath = modules
-- production/manifests/site.pp --
node default {
  notify { "server ${serverversion} ${server_facts['environment']} ${environment}": }
  notify { "trusted ${trusted['certname']} ${trusted['authenticated']} ${trusted['hostname']} ${trusted['domain']}": }
  notify { "facts ${facts['kernel']} ${facts['clientcert']} ${facts['environment']} ${facts['trusted']} ${facts['servername']}": }
  notify { "more ${facts['list']} ${facts['deep']} ${facts['empty']} ${facts['text']} ${facts['number']} ${facts['big']}": }
  notify { "top ${::kernel} ${::list}": }
  if $facts['rich'] { notify { 'rich': message => Sensitive('hush') } }
}
-- production/modules/m/files/a --
a
-- production/modules/m/files/d/one --
1
-- production/modules/m/files/d/deep/two --
2
-- production/modules/m/files/d/.hidden --
h
-- production/modules/m/lib/facter/x.rb --
x
-- production/modules/m/tasks/t.sh --
#!/bin/sh
-- production/modules/m/scripts/s.sh --
#!/bin/sh
-- broken/manifests/site.pp --
notify { 'x' }
-- failing/manifests/site.pp --
fail('no')
`

// oddFiles adds links and pipes to a module: l has links, b a link that leads nowhere, p a pipe.
func oddFiles(t *testing.T, module string) {
	t.Helper()
	for _, dir := range []string{"l", "b", "p"} {
		if err := os.MkdirAll(filepath.Join(module, "files", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"l/inside": "../a", "l/dir": "../d", "l/up": "../../files/d/one", "b/broken": "none"} {
		if err := os.Symlink(to, filepath.Join(module, "files", from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(module, "files/p/pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestAcceptServeOdd sends requests as no agent of today sends them to us and to puppetserver: the answers have the
// same status, and where they are good the same content. What differs on purpose is named here.
func TestAcceptServeOdd(t *testing.T) {
	live.Accept(t)
	modules := t.TempDir()
	r := start(t, oddSite, func(o *serve.Options) {
		o.Log, o.Compile.BaseModulePath = textLog(&lockedBuffer{}), []string{modules}
	})
	oddFiles(t, filepath.Join(r.code, "production/modules/m"))
	x := startRival(t, r, modules)
	c := r.client(r.sign("agent.example"))
	nobody := r.client()
	type odd struct {
		method, path, kind, body string
		header                   []string
		anonymous                bool
	}
	var list []odd
	get := func(paths ...string) {
		for _, p := range paths {
			list = append(list, odd{method: "GET", path: p, header: []string{"Accept", "application/json, */*"}})
		}
	}
	form := func(change func(url.Values), header ...string) {
		v, err := url.ParseQuery(catalogForm("agent.example", "production", map[string]any{"kernel": "Linux"}))
		if err != nil {
			t.Fatal(err)
		}
		change(v)
		if len(header) == 0 {
			header = []string{"Accept", accept}
		}
		list = append(list, odd{method: "POST", path: "/puppet/v3/catalog/agent.example?environment=production",
			kind: formType, body: v.Encode(), header: header})
	}
	facts := func(values string) func(url.Values) {
		return func(v url.Values) {
			v.Set("facts", url.QueryEscape(`{"name":"agent.example","values":`+values+`,"timestamp":"2026-11-16T10:00:00Z"}`))
		}
	}
	same := func(url.Values) {}
	form(same)
	for _, values := range []string{`{"kernel":"x","environment":"evil","servername":"evil","serverversion":"0","server_facts":{"a":1},
		"trusted":{"certname":"root"},"clientcert":"other"}`, `{"list":[1,null,"x",{"a":[]}],"deep":{"a":{"b":{"c":true}}},"empty":{},
		"text":"ä ✓ \u0000","number":1.50,"big":12345678901234567890}`, `{"list":"","number":1e3,"text":"a\nb","empty":null}`,
		`{"rich":true}`, `{"KERNEL":"upper","with space":1,"a-b":2,"é":3}`, `[]`, `null`, `"x"`, `{"a":1,"a":2}`} {
		form(facts(values))
	}
	form(func(v url.Values) { v.Set("facts_format", "pson") })
	form(func(v url.Values) { v.Set("facts_format", "yaml") })
	form(func(v url.Values) { v.Del("facts_format") })
	form(func(v url.Values) { v.Set("facts", "nonsense") })
	form(func(v url.Values) { v.Set("facts", url.QueryEscape(`{"name":"other.example","values":{}}`)) })
	form(func(v url.Values) { v.Set("facts", url.QueryEscape(`{"values":{}}`)) })
	for _, e := range []string{"nowhere", "failing", "broken", "a-b", ""} {
		form(func(v url.Values) { v.Set("environment", e); v.Set("configured_environment", e) })
		list[len(list)-1].path = "/puppet/v3/catalog/agent.example?environment=" + e
	}
	form(func(v url.Values) { v.Del("transaction_uuid"); v.Del("static_catalog"); v.Del("checksum_type") })
	form(func(v url.Values) { v.Set("checksum_type", "nonsense") })
	form(func(v url.Values) { v.Set("check_environment", "true") })
	form(func(v url.Values) { v.Add("unknown", "x") })
	for _, h := range []string{"*/*", "application/json", "text/pson", "application/vnd.puppet.rich+json", "text/html", "application/*",
		"application/json;q=0.5, text/pson;q=0.9", "", "application/vnd.puppet.rich+json, */*"} {
		form(same, "Accept", h)
		form(facts(`{"rich":true}`), "Accept", h)
	}
	form(same, "Accept", accept, "X-Client-DN", "/CN=other.example", "X-Client-Verify", "SUCCESS", "X-SSL-Subject", "CN=other")
	e := "?environment=production"
	get("/puppet/v3/node/agent.example"+e, "/puppet/v3/node/agent.example", "/puppet/v3/node/agent.example?environment=nowhere",
		"/puppet/v3/node/agent.example?environment=a-b", "/puppet/v3/node/other.example"+e, "/puppet/v3/node/"+e,
		"/puppet/v3/node/AGENT.example"+e, "/puppet/v3//node/agent.example"+e, "/puppet/v3/nodes/agent.example"+e,
		"/puppet/v3/catalog/agent.example?environment=failing")
	for _, p := range []string{"modules/m/a", "modules/m/d", "modules/m/d/", "modules/m//a", "modules/m", "modules/m/none",
		"modules/none/a", "modules", "plugins", "plugins/facter/x.rb", "plugins/none", "pluginfacts", "locales", "tasks/m/t.sh",
		"scripts/m/s.sh", "tasks/m/none", "nomount/x", "m/a", "modules/M/a", "modules/m/d/.hidden", "modules/m/a/b", ""} {
		for _, kind := range []string{"file_metadata", "file_content", "file_metadatas"} {
			get("/puppet/v3/" + kind + "/" + p + e)
		}
	}
	for _, p := range []string{"l/inside", "l/dir", "l/up", "l/none", "p/pipe", "p", "b", "b/broken", "l", "l/dir/one"} {
		for _, links := range []string{"manage", "follow"} {
			get("/puppet/v3/file_metadata/modules/m/"+p+e+"&links="+links,
				"/puppet/v3/file_metadatas/modules/m/"+p+e+"&recurse=true&links="+links)
		}
		if p != "p/pipe" { // puppetserver would wait for somebody to write
			get("/puppet/v3/file_content/modules/m/" + p + e)
		}
	}
	for _, q := range []string{"links=follow", "links=manage", "links=ignore", "links=x", "checksum_type=md5", "checksum_type=sha512",
		"checksum_type=sha1", "checksum_type=mtime", "checksum_type=none", "checksum_type=md5lite", "checksum_type=x",
		"source_permissions=use", "source_permissions=ignore", "source_permissions=x", "recurse=true", "recurse=false", "recurse=remote",
		"recurse=true&recurselimit=1", "recurse=true&recurselimit=0", "recurse=true&max_files=1", "recurse=true&max_files=100",
		"recurse=true&ignore=one", "recurse=true&ignore=d*&ignore=.h*", "recurse=true&ignore=*", "recurse=true&recurselimit=x"} {
		get("/puppet/v3/file_metadata/modules/m/a"+e+"&"+q, "/puppet/v3/file_metadatas/modules/m/d"+e+"&"+q)
	}
	get("/puppet/v3/file_metadata/modules/m/a", "/puppet/v3/file_metadata/modules/m/a?environment=nowhere",
		"/puppet/v3/file_content/modules/m/a", "/puppet/v3/environments", "/puppet/v3/environments/x",
		"/puppet/v3/unknown/x"+e,
		"/puppet/v3/", "/puppet/v3", "/puppet/v2/catalog/agent.example"+e, "/puppet/v4/catalog", "/", "/x", "/puppet-admin-api/v1/x",
		"/status/v1/simple", "/status/v1/simple/server", "/puppet/v3/static_file_content/modules/m/files/a"+e+"&code_id=x",
		"/puppet/v3/file_bucket_file/md5/d41d8cd98f00b204e9800998ecf8427e"+e,
		"/puppet/v3/file_bucket_file/md5/zz"+e, "/puppet/v3/file_bucket_file/x/y"+e)
	for _, m := range []string{"HEAD", "DELETE", "PATCH", "OPTIONS", "PUT"} {
		for _, p := range []string{"catalog/agent.example", "file_content/modules/m/a", "node/agent.example",
			"environments"} {
			list = append(list, odd{method: m, path: "/puppet/v3/" + p + e, kind: "application/json", body: "{}"})
		}
	}
	for _, kind := range []string{"application/json", "text/pson", "text/yaml", "application/x-yaml", "", "text/plain", "application/json; x=y"} {
		list = append(list, odd{method: "PUT", path: "/puppet/v3/report/agent.example" + e, kind: kind, body: oddReport},
			odd{method: "PUT", path: "/puppet/v3/facts/agent.example" + e, kind: kind, body: `{"name":"agent.example","values":{"a":1}}`})
	}
	for _, body := range []string{"", "{", "[]", `{"host":"other.example"}`, strings.Replace(oddReport, "agent.example", "other.example", 1)} {
		list = append(list, odd{method: "PUT", path: "/puppet/v3/report/agent.example" + e, kind: "application/json",
			body: body})
	}
	for _, p := range []string{"/status/v1/simple", "/puppet/v3/node/agent.example" + e, "/puppet/v3/file_content/modules/m/a" + e,
		"/puppet/v3/environments", "/", "/puppet/v4/catalog"} {
		list = append(list, odd{method: "GET", path: p, anonymous: true})
	}
	// What differs on purpose.
	const node, file, files = "GET /puppet/v3/node/", "GET /puppet/v3/file_content/", "GET /puppet/v3/file_metadata"
	meant := []string{
		// The facts from before, at which agents do not look; the internal entry of puppetserver's search path.
		node + "agent.example" + e, "GET /puppet/v3//node/agent.example" + e, "GET /puppet/v3/environments",
		// A directory has no content, and its path is said without a slash.
		file + "modules/m/d" + e, file + "modules/m/d/" + e, file + "modules/m" + e, file + "plugins" + e,
		files + "/modules/m/d/" + e, file + "modules/m/l" + e, file + "modules/m/l/dir" + e, file + "modules/m/p" + e,
		file + "modules/m/b" + e,
		// ignore is manage; no number is no number.
		files + "s/modules/m/d" + e + "&links=ignore", files + "/modules/m/a" + e + "&recurse=true&recurselimit=x",
	}
	plain := func(a answer) string {
		text := plainCatalog(a.body)
		text = regexp.MustCompile(`\{(c|m)time\}[^"]*`).ReplaceAllString(text, "{time}")
		text = regexp.MustCompile(`"(timestamp|expiration)":"[^"]*"`).ReplaceAllString(text, "")
		var v any
		if json.Unmarshal([]byte(text), &v) == nil { // the order of keys says nothing
			if list, is := v.([]any); is { // nor does that of files: it is the disk's
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			out, _ := json.Marshal(v)
			return string(out)
		}
		return text
	}
	equal, statuses := 0, map[string]int{}
	for _, q := range list {
		who := c
		if q.anonymous {
			who = nobody
		}
		ours, err := r.try(who, q.method, q.path, q.kind, q.body, q.header...)
		if err != nil {
			t.Errorf("%s %s: %v", q.method, q.path, err)
			continue
		}
		theirs, err := x.try(who, q.method, q.path, q.kind, q.body, q.header...)
		if err != nil {
			t.Errorf("%s %s: puppetserver: %v", q.method, q.path, err)
			continue
		}
		what := fmt.Sprintf("%s %s %s %.120s %v", q.method, q.path, q.kind, q.body, q.header)
		good := ours.status == theirs.status && (ours.status != http.StatusOK || plain(ours) == plain(theirs))
		switch {
		case good:
			equal++
		case ours.status >= 400 && theirs.status >= 400 || strings.Contains(ours.body, "does not fit into 64 bits") ||
			slices.Contains(meant, q.method+" "+q.path):
			statuses[fmt.Sprintf("%d for %d", ours.status, theirs.status)]++
			t.Logf("refused in other words: %s\nours %d %.300s\ntheirs %d %.300s", what, ours.status, ours.body, theirs.status,
				theirs.body)
		default:
			a, b := plain(ours), plain(theirs)
			at := 0
			for at < min(len(a), len(b)) && a[at] == b[at] {
				at++
			}
			at = max(0, at-200)
			t.Errorf("%s\nours %d …%.500s\ntheirs %d …%.500s", what, ours.status, a[at:], theirs.status, b[min(at, len(b)):])
		}
	}
	t.Logf("odd requests answered as puppetserver answers them: %d of %d; refused with another status: %v", equal, len(list),
		statuses)
}
