package serve_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bunraku/serve"
)

type fileMeta struct {
	Path, Links, Type string
	Relative_path     *string
	Mode              int
	Checksum          struct{ Type, Value string }
	Destination       *string
}

// TestFiles asks for files as agents do: metadata, directories, content.
func TestFiles(t *testing.T) {
	outside := t.TempDir()
	unpack(t, outside, "-- mount/x --\nmounted\n-- mount/agent/y --\nfor one\n-- secret --\nno\n")
	unpack(t, outside, "-- fileserver.conf --\n# a comment\n[extra]\n  path "+outside+"/mount # here\n  allow *\n\n"+
		"[own]\n  path "+outside+"/mount/%h\n")
	r := start(t, small, func(o *serve.Options) { o.FileServer = filepath.Join(outside, "fileserver.conf") })
	module := filepath.Join(r.code, "production/modules/demo")
	for from, to := range map[string]string{
		"files/inside":    "one",
		"files/away":      filepath.Join(outside, "secret"),
		"files/round":     "round",
		"files/dirinside": "tree",
	} {
		if err := os.Symlink(to, filepath.Join(module, from)); err != nil {
			t.Fatal(err)
		}
	}
	c := r.client(r.sign("agent.example"))
	const e, plugins = "?environment=production", ". directory, facter directory, facter/demo.rb file"
	var m fileMeta
	a := r.get(c, "/puppet/v3/file_metadata/modules/demo/one"+e+
		"&links=manage&checksum_type=sha256&source_permissions=ignore")
	if err := json.Unmarshal([]byte(a.body), &m); err != nil || m.Type != "file" || m.Mode != 0o644 ||
		m.Checksum.Value != fmt.Sprintf("{sha256}%x", sha256.Sum256([]byte("first\n"))) ||
		m.Path != module+"/files/one" || m.Relative_path != nil {
		t.Errorf("%d %s", a.status, a.body)
	}
	for path, want := range map[string]string{
		"modules/demo/one": "first\n", "modules//demo//one": "first\n", "modules/demo/inside": "first\n",
		"modules/demo/tree/a/b": "b\n", "modules/demo/dirinside/a/b": "b\n", "extra/x": "mounted\n",
		"own/y": "for one\n", "plugins/facter/demo.rb": "Facter.add(:demo) { setcode { 'first of the module path' } }\n",
	} {
		if a := r.get(c, "/puppet/v3/file_content/"+path+e); a.status != 200 || a.body != want {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for path, status := range map[string]int{
		"modules/demo/away": 500, "modules/demo/round": 404, "modules/demo/none": 404, "modules/none/one": 404,
		"modules/demo/tree": 404, "nomount/x": 500, "modules/demo/%2e%2e/manifests/init.pp": 400,
		"modules/demo/..%2fmanifests/init.pp": 400, "extra/%2e%2e/secret": 400, "extra/..%2fsecret": 400,
		"modules/demo/one%00": 400, "m%20x/one": 400, "extra//" + strings.Repeat("a/", 3000): 404, "own/x": 404,
	} {
		for _, kind := range []string{"file_content/", "file_metadata/"} {
			if (path == "modules/demo/tree" || path == "modules/demo/away") && kind == "file_metadata/" {
				continue
			}
			if a := r.get(c, "/puppet/v3/"+kind+path+e); a.status != status {
				t.Errorf("%s%s: %d %s", kind, path, a.status, a.body)
			}
		}
	}
	// A link that leads away can be seen as a link, and never followed.
	a = r.get(c, "/puppet/v3/file_metadata/modules/demo/away"+e+"&links=manage")
	m = fileMeta{}
	if err := json.Unmarshal([]byte(a.body), &m); err != nil || m.Type != "link" || m.Checksum.Value != "" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a = r.get(c, "/puppet/v3/file_metadata/modules/demo/away"+e+"&links=follow"); a.status != 500 {
		t.Errorf("%d %s", a.status, a.body)
	}
	for path, want := range map[string]string{
		"modules/demo/tree" + e + "&recurse=true":                 ". directory, a directory, a/b file",
		"modules/demo/tree" + e + "&recurse=true&recurselimit=1":  ". directory, a directory",
		"modules/demo/tree" + e + "&recurse=true&ignore=b":        ". directory, a directory",
		"modules/demo/tree" + e + "&recurse=false":                ". directory",
		"modules/demo/one" + e + "&recurse=true":                  ". file",
		"plugins" + e + "&recurse=true&max_files=-1&links=follow": plugins,
		"pluginfacts" + e + "&recurse=true&links=follow":          ". directory",
		"modules/demo" + e + "&recurse=true&links=follow&ignore=tree&ignore=dir*&ignore=away&ignore=round": ". directory, " +
			"inside file, one file",
	} {
		var list []fileMeta
		a := r.get(c, "/puppet/v3/file_metadatas/"+path)
		if err := json.Unmarshal([]byte(a.body), &list); err != nil {
			t.Errorf("%s: %d %s", path, a.status, a.body)
			continue
		}
		var got []string
		for _, m := range list {
			got = append(got, *m.Relative_path+" "+m.Type)
			if !filepath.IsAbs(m.Path) {
				t.Errorf("%s: %s", path, m.Path)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s, not %s", path, strings.Join(got, ", "), want)
		}
	}
}

// TestFilesNotTold: what is there and cannot be told of is neither left out of a list, where an agent would remove what
// it has of it, nor passed off as missing, where it would take the next source. What lies behind a link that leads away
// is told of to nobody, not even whether there is something; what --root names is served.
func TestFilesNotTold(t *testing.T) {
	outside, named := t.TempDir(), t.TempDir()
	unpack(t, outside, "-- dir/secret --\nno\n")
	unpack(t, named, "-- f --\nshared\n")
	r := start(t, small, func(o *serve.Options) { o.Compile.Roots = []string{named} })
	module := filepath.Join(r.code, "production/modules/demo")
	c := r.client(r.sign("agent.example"))
	link := func(to, from string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(module, from)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(module, from)); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(path string) answer {
		t.Helper()
		return r.get(c, "/puppet/v3/"+path+"&environment=production&links=follow")
	}
	link(filepath.Join(outside, "dir"), "files/t/away")
	there, not := ask("file_metadata/modules/demo/t/away/secret?"), ask("file_metadata/modules/demo/t/away/other?")
	if there.status != 500 || not.status != 500 || strings.ReplaceAll(there.body, "secret", "other") != not.body {
		t.Errorf("what is there: %d %s\nwhat is not: %d %s", there.status, there.body, not.status, not.body)
	}
	link(filepath.Join(named, "f"), "files/n/f")
	if a := ask("file_content/modules/demo/n/f?"); a.body != "shared\n" {
		t.Errorf("%d %s", a.status, a.body)
	}
	for dir, to := range map[string]string{"away": outside, "broken": "nothing"} {
		if a := ask("file_metadatas/plugins?recurse=true"); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
		link(to, "lib/"+dir)
		a := ask("file_metadatas/plugins?recurse=true")
		if a.status != 500 || !strings.Contains(a.body, "demo/lib/"+dir) {
			t.Errorf("a list with something %s: %d %s", dir, a.status, a.body)
		}
		os.Remove(filepath.Join(module, "lib", dir))
	}
}

// TestMountsFollow: a fileserver.conf that is deployed is in force at once; one that cannot be read changes nothing.
func TestMountsFollow(t *testing.T) {
	var log lockedBuffer
	dir := t.TempDir()
	conf := filepath.Join(dir, "fileserver.conf")
	r := start(t, small, func(o *serve.Options) { o.FileServer, o.Log = conf, textLog(&log) })
	c := r.client(r.sign("agent.example"))
	deploy := func(text string) {
		t.Helper()
		if err := os.WriteFile(conf+".new", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(conf+".new", conf); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond)
	}
	is := func(mount string, status int, body string) {
		t.Helper()
		a := r.get(c, "/puppet/v3/file_content/"+mount+"/f?environment=production")
		if a.status != status || status == 200 && a.body != body {
			t.Errorf("%s: %d %s", mount, a.status, a.body)
		}
	}
	unpack(t, dir, "-- one/f --\n1\n-- two/f --\n2\n")
	is("extra", 500, "")
	deploy("[extra]\n  path " + dir + "/one\n")
	is("extra", 200, "1\n")
	deploy("[extra]\n  path " + dir + "/two\n")
	is("extra", 200, "2\n")
	deploy("[extra]\n  path not/absolute\n")
	is("extra", 200, "2\n")
	if !strings.Contains(log.String(), "the mounts from before stay") {
		t.Error(log.String())
	}
	deploy("[other]\n  path " + dir + "/one\n")
	is("extra", 500, "")
	is("other", 200, "1\n")
	if err := os.Remove(conf); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond)
	is("other", 500, "")
}

// TestStore sends what agents send besides: reports, facts, backups.
func TestStore(t *testing.T) {
	r := start(t, small)
	c := r.client(r.sign("agent.example"))
	const e = "?environment=production"
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("first\n")))
	bucket := "/puppet/v3/file_bucket_file/sha256/" + sum
	for i, x := range []struct {
		method, path, kind, body string
		status                   int
	}{
		{"PUT", "/puppet/v3/report/agent.example" + e, "application/json", `{"host":"agent.example"}`, 200},
		{"PUT", "/puppet/v3/report/agent.example" + e, "application/json", `{"host":"other.example"}`, 400},
		{"PUT", "/puppet/v3/report/agent.example" + e, "application/json", `{"host":`, 400},
		{"PUT", "/puppet/v3/report/agent.example" + e, "text/yaml", `--- x`, 415},
		{"PUT", "/puppet/v3/report/other.example" + e, "application/json", `{"host":"other.example"}`, 403},
		{"PUT", "/puppet/v3/facts/agent.example" + e, "application/json", `{"name":"agent.example","values":{"a":1}}`, 200},
		{"PUT", "/puppet/v3/facts/agent.example" + e, "application/json", `{"name":"other","values":{"a":1}}`, 500},
		{"HEAD", bucket + e, "", "", 404},
		{"PUT", bucket + "/etc/motd" + e, "application/octet-stream", "hello\n", 400},
		{"PUT", bucket + "/etc/motd" + e, "application/octet-stream", "first\n", 200},
		{"HEAD", bucket + "/etc/motd" + e, "", "", 200},
		{"HEAD", bucket + "/etc/other" + e, "", "", 404},
		{"GET", bucket + e, "", "", 200},
		{"GET", "/puppet/v3/file_bucket_file/sha256/..%2f..%2ffacts" + e, "", "", 400},
		{"GET", "/puppet/v3/file_bucket_file/sha1/" + sum + e, "", "", 400},
		{"DELETE", bucket + e, "", "", 403},
		{"GET", "/puppet/v3/environments", "", "", 200},
		{"GET", "/puppet/v3/environment_classes" + e, "", "", 403},
		{"GET", "/puppet/v3/node/agent.example" + e, "", "", 200},
		{"GET", "/puppet/v3/node/other.example" + e, "", "", 403},
		{"GET", "/status/v1/simple/server", "", "", 200},
		{"GET", "/puppet-ca/v1/certificate/ca", "", "", 404},
		{"PUT", "/puppet-ca/v1/certificate_request/agent.example", "text/plain", "x", 404},
		{"GET", "/puppet/v3/catalog/", "", "", 403},
		{"GET", "/", "", "", 403},
		{"DELETE", "/puppet-admin-api/v1/environment-cache", "", "", 403},
	} {
		a := r.do(c, x.method, x.path, x.kind, x.body)
		if a.status != x.status {
			t.Errorf("%d: %s %s: %d %s, not %d", i, x.method, x.path, a.status, a.body, x.status)
		}
	}
	if a := r.get(c, bucket+e); a.body != "first\n" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := r.get(r.client(), "/status/v1/simple"); a.status != 200 || a.body != "running" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := r.get(r.client(), "/puppet/v3/environments"); a.status != 403 {
		t.Errorf("%d %s", a.status, a.body)
	}
}
