package serve_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/puppet/deploy"
	"bunraku/serve"
)

// gitRun runs the git program in a directory.
func gitRun(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(live.Tool(t, "git"), args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=Ada",
		"GIT_COMMITTER_EMAIL=a@example.com"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// A hosted repository is a bare one with a clone that pushes to it.
type hosted struct {
	t          testing.TB
	bare, work string
}

func host(t testing.TB) *hosted {
	t.Helper()
	h := &hosted{t, filepath.Join(t.TempDir(), "control.git"), filepath.Join(t.TempDir(), "work")}
	gitRun(t, t.TempDir(), "init", "--quiet", "--bare", h.bare)
	gitRun(t, t.TempDir(), "init", "--quiet", "-b", "start", h.work)
	gitRun(t, h.work, "remote", "add", "origin", h.bare)
	return h
}

// push commits an archive as all that a branch has, and pushes it.
func (h *hosted) push(branch, archive string) string {
	h.t.Helper()
	gitRun(h.t, h.work, "checkout", "--quiet", "-B", branch)
	entries, err := os.ReadDir(h.work)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			os.RemoveAll(filepath.Join(h.work, e.Name()))
		}
	}
	unpack(h.t, h.work, archive)
	return h.commit(branch)
}

func (h *hosted) commit(branch string) string {
	h.t.Helper()
	gitRun(h.t, h.work, "add", "--all")
	gitRun(h.t, h.work, "commit", "--quiet", "--allow-empty", "-m", "x")
	gitRun(h.t, h.work, "push", "--quiet", "--force", "origin", branch)
	return gitRun(h.t, h.work, "rev-parse", "HEAD")
}

// branches starts a server of a repository's branches.
func (h *hosted) start(cache, patterns string, change ...func(*serve.Options)) *running {
	return start(h.t, "", append([]func(*serve.Options){func(o *serve.Options) {
		o.Environments = nil
		o.Branches = &deploy.Options{Repo: h.bare, Patterns: strings.Split(patterns, ","), Cache: cache,
			At: "/code/environments"}
	}}, change...)...)
}

// TestBranches: branches that match are environments by r10k's names, a push is served, and nothing else ever is.
func TestBranches(t *testing.T) {
	h := host(t)
	site := func(text string) string {
		return "-- environment.conf --\nmodulepath = modules\n-- manifests/site.pp --\nnotify { '" + text + "': }\n" +
			"file { '/f': source => 'puppet:///modules/m/f' }\n-- modules/m/files/f --\n" + text + "\n"
	}
	secret := h.push("secret", site("the secret"))
	first := h.push("production", site("first"))
	h.push("feature/x-1", site("feature"))
	h.push("feature/deep/er", site("the secret"))
	h.push("twin-a", site("the secret"))
	h.push("twin_a", site("the secret"))
	gitRun(t, h.bare, "tag", "hidden", secret)
	r := h.start("", "production,feature/*,twin*")
	c := r.client(r.sign("agent.example"))
	ask := func(environment string) answer {
		t.Helper()
		return r.do(c, "POST", "/puppet/v3/catalog/agent.example?environment="+url.QueryEscape(environment), formType,
			catalogForm("agent.example", environment, nil), "Accept", accept)
	}
	if a := ask("production"); !strings.Contains(a.body, `"first"`) || !strings.Contains(a.body, `"code_id":"`+first+
		`"`) ||
		!strings.Contains(a.body, `"file":"/code/environments/production/manifests/site.pp"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := ask("feature_x_1"); !strings.Contains(a.body, `"feature"`) || !strings.Contains(a.body,
		`"environment":"feature_x_1"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := ask("twin_a"); a.status != 500 || !strings.Contains(a.body, "twin-a and twin_a would both be") {
		t.Errorf("%d %s", a.status, a.body)
	}
	// The twins are no environment, and that is said; it hides nobody else.
	if a := r.get(c, "/puppet/v3/environments"); a.status != 200 ||
		!strings.Contains(a.body, `"twin_a":{"error":"the branches twin-a and twin_a would both be the environment twin_a"}`) ||
		!strings.Contains(a.body, `"production":{"settings":{"modulepath"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	// Whatever an agent calls its environment, it gets nothing of a branch that does not match.
	for _, name := range []string{"secret", "feature_deep_er", "feature/deep/er", "refs/heads/secret", "heads/secret",
		"production~1", "production^", "HEAD", "@", secret, secret[:8], "hidden", "tags/hidden", "../secret", "secret/",
		"production/../secret", "twin-a", "feature/x-1", "secret\x00", "Secret", ".git", "", "*", "feature_*", "-x",
		"production:manifests", "origin/secret"} {
		for _, a := range []answer{ask(name),
			r.get(c, "/puppet/v3/file_content/modules/m/f?environment="+url.QueryEscape(name)),
			r.get(c, "/puppet/v3/static_file_content/modules/m/files/f?code_id="+secret+"&environment="+url.QueryEscape(name)),
			r.get(c, "/puppet/v3/file_metadatas/modules/m?recurse=true&environment="+url.QueryEscape(name)),
			r.get(c, "/puppet/v3/environment_classes?environment="+url.QueryEscape(name)),
			r.get(c, "/puppet/v3/node/agent.example?environment="+url.QueryEscape(name))} {
			if strings.Contains(a.body, "the secret") || a.status == 200 &&
				strings.Contains(a.body, `"environment":"`+name+`"`) {
				t.Errorf("%q: %d %s", name, a.status, a.body)
			}
		}
	}
	for _, id := range []string{secret, "hidden", "HEAD", "../production/" + first} {
		if a := r.get(c, "/puppet/v3/static_file_content/modules/m/files/f?environment=production&code_id="+
			url.QueryEscape(id)); a.status < 400 {
			t.Errorf("%s: %d %s", id, a.status, a.body)
		}
	}
	// What is pushed is served, and files of earlier code stay.
	second := h.push("production", site("second"))
	if a := ask("production"); !strings.Contains(a.body, `"second"`) || !strings.Contains(a.body, `"code_id":"`+second+
		`"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	content := func(r *running, id string) string {
		t.Helper()
		return r.get(r.client(r.sign("agent.example")),
			"/puppet/v3/static_file_content/modules/m/files/f?environment=production&code_id="+id).body
	}
	if a, b := content(r, first), content(r, second); a != "first\n" || b != "second\n" {
		t.Errorf("%q %q", a, b)
	}
	if a := r.get(c, "/puppet/v3/file_content/modules/m/f?environment=production"); a.body != "second\n" {
		t.Errorf("%d %s", a.status, a.body)
	}
	// A server that was started again knows them, too, and still nothing else.
	again := h.start("", "production", func(o *serve.Options) { o.State = r.opt.State })
	if a := content(again, first); a != "first\n" {
		t.Errorf("%q", a)
	}
	// A branch that is gone is no environment any more.
	gitRun(t, h.bare, "branch", "-D", "feature/x-1")
	if a := ask("feature_x_1"); !strings.Contains(a.body, `"environment":"production"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// tarball makes a release of the Forge in a cache of r10k's.
func tarball(t testing.TB, cache, release, archive string) string {
	t.Helper()
	dir := t.TempDir()
	unpack(t, dir, archive)
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	err := filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: release + "/" + rel, Mode: 0o644, Size: int64(len(text)),
			Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
	if err != nil || w.Close() != nil || z.Close() != nil {
		t.Fatal(err)
	}
	at := filepath.Join(cache, release, "tarball", release)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{".tar.gz": out.String(), ".sha256": fmt.Sprintf("%x",
		sha256.Sum256(out.Bytes()))} {
		if err := os.WriteFile(at+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return at
}

// TestBranchModules: modules of a Puppetfile come from r10k's cache, as they are there; one that is not is a 500.
func TestBranchModules(t *testing.T) {
	cache := t.TempDir()
	mirror := host(t)
	module := func(text string) string {
		return "-- manifests/init.pp --\nclass one { notify { 'one " + text + "': } }\n-- files/f --\n" + text + "\n"
	}
	pinned := mirror.push("main", module("pinned"))
	mirror.push("main", module("main"))
	const remote = "https://me:word@git.example/me/one.git"
	fetch := func() {
		t.Helper()
		at := filepath.Join(cache, "https---git.example-me-one.git")
		os.RemoveAll(at + ".new")
		gitRun(t, cache, "clone", "--quiet", "--mirror", mirror.bare, at+".new")
		os.RemoveAll(at)
		if err := os.Rename(at+".new", at); err != nil {
			t.Fatal(err)
		}
	}
	h := host(t)
	control := func(puppetfile string) string {
		return "-- manifests/site.pp --\ninclude one\nif $facts['two'] { include two }\n-- Puppetfile --\n" + puppetfile
	}
	h.push("production", control("forge 'https://forge.example'\nmod 'one', :git => '"+remote+"', :branch => 'main'\n"))
	r := h.start(cache, "production")
	c := r.client(r.sign("agent.example"))
	code := func(a answer) string {
		var head struct{ Code_id string }
		_ = json.Unmarshal([]byte(a.body), &head) // an error has none
		return head.Code_id
	}
	is := func(want string) string {
		t.Helper()
		a := r.catalog(c, "agent.example", "production", map[string]any{"two": true})
		if !strings.Contains(a.body, want) {
			t.Errorf("no %s: %d %s", want, a.status, a.body)
		}
		return code(a)
	}
	is("r10k's cache has no mirror https---git.example-me-one.git")
	fetch()
	two := "mod 'me/two', '1.2.0'\n"
	h.push("production", control("mod 'one', git: '"+remote+"', branch: :control_branch, default_branch: 'main'\n"+two))
	is("r10k's cache has no me-two-1.2.0.tar.gz")
	at := tarball(t, cache, "me-two-1.2.0",
		"-- manifests/init.pp --\nclass two { notify { 'two of the forge': } }\n-- spec/x --\nx\n-- files/g --\ng\n")
	before := is(`"one main"`)
	is(`"two of the forge"`)
	// The branch of the module moves, and with it the id of the code.
	mirror.push("main", module("moved"))
	fetch()
	after := is(`"one moved"`)
	if before == after || before == "" || before[:40] != after[:40] {
		t.Errorf("code ids %q and %q", before, after)
	}
	// A branch of the module that is called as the environment is comes first.
	mirror.push("production", module("for production"))
	fetch()
	is(`"one for production"`)
	for id, want := range map[string]string{before: "main\n", after: "moved\n"} {
		if a := r.get(c, "/puppet/v3/static_file_content/modules/one/files/f?environment=production&code_id="+
			id); a.body != want {
			t.Errorf("%s: %d %s", id, a.status, a.body)
		}
	}
	for path, want := range map[string]string{"modules/one/f": "for production\n", "modules/two/g": "g\n"} {
		if a := r.get(c, "/puppet/v3/file_content/"+path+"?environment=production"); a.body != want {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	h.push("production", control("moduledir 'third'\nmod 'me/one',\n  git: '"+remote+"',\n  commit: '"+pinned+
		"',\n  install_path: 'modules'\n"+two))
	is("class ::two")
	h.push("production", control("mod 'me/one', git: '"+remote+"', commit: '"+pinned+"'\n"+two))
	is(`"one pinned"`)
	// A release that is not what the Forge has told is none.
	if err := os.WriteFile(at+".sha256", []byte("00"), 0o644); err != nil {
		t.Fatal(err)
	}
	now := time.Now().Add(time.Hour)
	if err := os.Chtimes(at+".tar.gz", now, now); err != nil {
		t.Fatal(err)
	}
	for puppetfile, want := range map[string]string{
		two:                        "does not have the checksum that the Forge has told",
		"mod 'me/two', :latest\n":  "which is the latest only the Forge knows",
		"mod 'me/two'\n":           "which is the latest only the Forge knows",
		"mod '../../two', '1.0.0'": "the name of a module is NAME or OWNER/NAME",
		"mod 'one', git: '" + remote + "', ref: 'nowhere'\n":                     "is not known here",
		"mod 'one', git: '" + remote + "', ref: 'main', install_path: '../..'\n": "outside of the environment",
		"moduledir '/etc'\n":                         "moduledir is no directory of the environment",
		"moduledir '../production2'\n":               "moduledir is no directory of the environment",
		"mod 'one', git: '" + remote + "'\n":         "needs a ref, tag, commit or branch",
		"mod 'one', git: `id`, ref: 'main'\n":        "no plain text",
		"%w[one two].each { |m| mod m, '1.0.0' }\n":  "only forge, moduledir and mod are read",
		"mod 'one', svn: 'https://x', ref: 'main'\n": "neither git nor the Forge",
		"mod 'one', git: '" + remote + "', ref: 'main', install_path: 'manifests/..'\nmod 'x/one', '1.0.0'": "is there twice",
		"mod 'site', git: '" + remote + "', ref: 'main', install_path: '.'\nmod 'manifests', git: '" + remote +
			"', ref: 'main', install_path: '.'": "manifests is in the repository and in its Puppetfile",
		"mod 'one', git: '../../../../etc', ref: 'main'\n": "r10k's cache has no mirror ..-..-..-..-etc",
		"mod 'one', git: '..', ref: 'main'\n":              "r10k's cache has no mirror ..",
		"mod 'one\n":                                       "Puppetfile:1",
	} {
		h.push("production", control(puppetfile))
		a := r.catalog(c, "agent.example", "production", nil)
		if a.status != 500 || !strings.Contains(a.body, want) {
			t.Errorf("%q: %d %s, want %q", puppetfile, a.status, a.body, want)
		}
	}
}

// TestBranchFiles: files of a revision are told and given as those of a checkout of it are, but for who owns them and
// how old they are.
func TestBranchFiles(t *testing.T) {
	h := host(t)
	h.push("production", `
-- environment.conf --
modulepath = modules:site
-- modules/m/files/a --
a
-- modules/m/files/.hidden --
h
-- modules/m/files/d/one --
1
-- modules/m/files/d/deep/two --
2
-- modules/m/files/d/keep.svn --
3
-- modules/m/lib/facter/x.rb --
x
-- modules/m/facts.d/run --
#!/bin/sh
-- site/n/lib/facter/x.rb --
other
-- site/n/lib/puppet/y.rb --
y
-- site/n/tasks/t.json --
{}
-- manifests/site.pp --
file { '/f': source => ['puppet:///modules/m/none', 'puppet:///modules/m/a'] }
file { '/l': source => 'puppet:///modules/m/link', links => follow }
file { '/d': source => 'puppet:///modules/m/d', recurse => true, ignore => '*.svn' }
`)
	for name, to := range map[string]string{"link": "a", "d/up": "../a", "away": "/etc/passwd",
		"out":    strings.Repeat("../", 20) + "etc/passwd",
		"broken": "nothing", "dir": "d"} {
		if err := os.Symlink(to, filepath.Join(h.work, "modules/m/files", name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(h.work, "modules/m/facts.d/run"), 0o755); err != nil {
		t.Fatal(err)
	}
	id := h.commit("production")
	revision := h.start("", "production")
	code := t.TempDir()
	gitRun(t, code, "clone", "--quiet", h.bare, "-b", "production", "production")
	os.RemoveAll(filepath.Join(code, "production/.git"))
	disk := start(t, "", func(o *serve.Options) {
		o.Environments = []string{code}
		o.CodeID, o.CodeContent = script(t, "echo "+id+"\n"), script(t, "cat "+code+"/$1/$3\n")
	})
	plain := func(a answer) string {
		text := strings.ReplaceAll(a.body, code+"/", "/code/environments/")
		text = regexp.MustCompile(`\{ctime\}[^"]*`).ReplaceAllString(text, "{ctime}")
		text = regexp.MustCompile(`"(version|catalog_uuid)":("[^"]*"|\d+)`).ReplaceAllString(text, `"$1":0`)
		return fmt.Sprintf("%d %s", a.status, text)
	}
	one, other := revision.client(revision.sign("agent.example")), disk.client(disk.sign("agent.example"))
	n := 0
	for _, path := range []string{"modules/m/a", "modules/m/link", "modules/m/d", "modules/m/dir", "modules/m/d/up",
		"modules/m/away",
		"modules/m/out", "modules/m/broken", "modules/m/nothing", "modules/m", "modules/none/a", "modules/m/dir/one",
		"plugins", "pluginfacts", "locales", "plugins/facter/x.rb", "plugins/puppet/y.rb", "tasks/n/t.json",
		"modules/m/.hidden",
		"modules/m/d/deep/../one", "modules/m/a/b"} {
		for _, what := range []string{"file_metadata/%s?", "file_metadata/%s?links=follow&",
			"file_metadatas/%s?recurse=true&",
			"file_metadatas/%s?recurse=true&links=follow&ignore=.hidden&", "file_metadatas/%s?recurse=true&recurselimit=1&",
			"file_content/%s?", "file_metadata/%s?checksum_type=md5lite&",
			"file_metadatas/%s?recurse=true&source_permissions=use&"} {
			at := "/puppet/v3/" + fmt.Sprintf(what, path) + "environment=production"
			a, b := plain(revision.get(one, at)), plain(disk.get(other, at))
			if n++; a != b {
				t.Errorf("%s:\n%s\nof the disk\n%s", at, a, b)
			}
		}
	}
	a, b := plain(revision.catalog(one, "agent.example", "production", nil)),
		plain(disk.catalog(other, "agent.example", "production", nil))
	if a != b || !strings.Contains(a, `"recursive_metadata"`) || !strings.Contains(a, `modules/m/files/d/deep/two`) {
		t.Errorf("\n%s\nof the disk\n%s", a, b)
	}
	for _, path := range []string{"modules/m/files/a", "modules/m/files/d/deep/two", "modules/m/files/link"} {
		at := "/puppet/v3/static_file_content/" + path + "?environment=production&code_id=" + id
		if a, b := revision.get(one, at), disk.get(other, at); a.body != b.body || a.status != 200 {
			t.Errorf("%s: %d %q, %q", path, a.status, a.body, b.body)
		}
	}
	t.Logf("%d questions about files are answered as those of a checkout are", n)
}

// pushes has agents ask for catalogs and files while revision after revision is pushed and the repository is repacked.
func pushes(t *testing.T, changes int) {
	t.Helper()
	const classes = 8
	h := host(t)
	turn := func(n int) string {
		t.Helper()
		var all strings.Builder
		fmt.Fprintf(&all, "-- environment.conf --\nmodulepath = modules\n-- manifests/site.pp --\n")
		for i := range classes {
			fmt.Fprintf(&all, "include m%d\n", i)
		}
		for i := range classes {
			fmt.Fprintf(&all, "-- modules/m%d/manifests/init.pp --\nclass m%d { notify { 'm%d revision %d': }\n"+
				"file { '/m%d': source => 'puppet:///modules/m%d/f' } }\n-- modules/m%d/files/f --\nfile %d\n", i, i, i, n, i, i, i,
				n)
		}
		id := h.push("production", all.String())
		if n%10 == 9 {
			gitRun(t, h.bare, "gc", "--quiet", "--prune=now")
		}
		return id
	}
	var ids sync.Map // commit → number
	ids.Store(turn(0), 0)
	r := h.start("", "production", func(o *serve.Options) { o.Log = textLog(&lockedBuffer{}) })
	var files atomic.Int64
	load := r.load(classes, func(answer) bool { return false }, func(c *http.Client, got revised) {
		var n any
		for range 3000 { // the pusher tells the number a moment after the push
			if n, _ = ids.Load(got.Code_id); n != nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if len(got.seen) != 1 || !got.seen[fmt.Sprint(n)] {
			t.Errorf("a catalog of the revisions %v, code id %s of revision %v", got.seen, got.Code_id, n)
		}
		text := fmt.Sprintf("file %v\n", n)
		if want := fmt.Sprintf("{sha256}%x", sha256.Sum256([]byte(text))); got.Metadata["/m3"].Checksum.Value != want {
			t.Errorf("the file of revision %v has the checksum %s", n, got.Metadata["/m3"].Checksum.Value)
		}
		f := r.get(c, "/puppet/v3/static_file_content/modules/m3/files/f?environment=production&code_id="+got.Code_id)
		if files.Add(1); f.body != text {
			t.Errorf("the file of revision %v is %d %q", n, f.status, f.body)
		}
	})
	for n := 1; n <= changes; n++ {
		ids.Store(turn(n), n)
	}
	load.stop()
	t.Logf("%d pushes: %d catalogs and %d files, each of the revision that the code id names (bar: all)", changes,
		load.served.Load(), files.Load())
}

// TestRepacked: files of code that was served before the repository was packed anew are served still, by id and by
// mount.
func TestRepacked(t *testing.T) {
	h := host(t)
	site := func(text string) string {
		all := "-- environment.conf --\nmodulepath = modules\n-- manifests/site.pp --\nnotify { '" + text + "': }\n" +
			"-- modules/m/files/f --\n" + text + "\n-- modules/m/files/g --\nother " + text + "\n" +
			"-- modules/o/lib/facter/o.rb --\n# o " + text + "\n"
		for i := range 12 {
			all += fmt.Sprintf("-- modules/n/files/%d/f --\n%d %s\n-- modules/n/lib/facter/%d.rb --\n# %d %s\n", i, i, text, i, i, text)
		}
		return all
	}
	first := h.push("production", site("first"))
	r := h.start("", "production", func(o *serve.Options) { o.Recheck = time.Hour })
	c := r.client(r.sign("agent.example"))
	is := func(path, want string) {
		t.Helper()
		if a := r.get(c, path); a.body != want {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	static := "/puppet/v3/static_file_content/modules/m/files/%s?environment=production&code_id=%s"
	r.catalog(c, "agent.example", "production", nil)
	is(fmt.Sprintf(static, "f", first), "first\n")
	gitRun(t, h.bare, "gc", "--quiet", "--prune=now")
	is(fmt.Sprintf(static, "g", first), "other first\n") // of the revision that answers now
	if a := r.get(c, "/puppet/v3/file_metadata/modules/m/g?environment=production"); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	// A list that lacks files would have them removed where they are: what an agent has beyond it is not its.
	for mount, files := range map[string]int{"modules/n": 12, "plugins": 13} {
		gitRun(t, h.bare, "repack", "-a", "-d", "-f", "-q", fmt.Sprint("--depth=", files))
		a := r.get(c, "/puppet/v3/file_metadatas/"+mount+"?environment=production&recurse=true")
		if n := strings.Count(a.body, `"type":"file"`); a.status != 200 || n != files {
			t.Errorf("%s after it was packed: %d, %d files %s", mount, a.status, n, a.body)
		}
	}
	second := h.push("production", site("second"))
	a := r.do(c, "DELETE", "/puppet-admin-api/v1/environment-cache", "", "")
	if a.status != 403 { // nobody may by default; a reload does the same
		t.Errorf("%d %s", a.status, a.body)
	}
	if err := r.Reload(); err != nil {
		t.Fatal(err)
	}
	r.catalog(c, "agent.example", "production", nil)
	is(fmt.Sprintf(static, "f", first), "first\n") // of an earlier one
	gitRun(t, h.bare, "repack", "-a", "-d", "-q")
	h.push("other", site("third"))
	gitRun(t, h.bare, "gc", "--quiet", "--prune=now")
	is(fmt.Sprintf(static, "g", first), "other first\n")
	is(fmt.Sprintf(static, "g", second), "other second\n")
	is("/puppet/v3/file_content/modules/m/g?environment=production", "other second\n")
}

// TestPushes: catalogs and files of one revision each, while others are pushed.
func TestPushes(t *testing.T) { pushes(t, 20) }

// TestAcceptServePushes is the same with 500 pushes.
func TestAcceptServePushes(t *testing.T) {
	live.Accept(t)
	pushes(t, 500)
}
