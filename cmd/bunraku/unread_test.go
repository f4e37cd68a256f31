package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOneFileUnread: a manifest or a directory that cannot be read costs what needs it and is told of, and what editors
// lay beside the files that somebody writes at (Emacs: a link to nowhere that begins with a dot) costs nothing.
func TestOneFileUnread(t *testing.T) {
	const web = "modules/web/manifests/"
	repo := writeRepo(t, map[string]string{
		"hiera.yaml":        "version: 5\nhierarchy:\n  - {name: all, glob: '*.yaml'}\n",
		"data/common.yaml":  "web::port: 80\n",
		"manifests/site.pp": "node default { include web }\n",
		web + "init.pp":     "# @summary A web server\nclass web (Integer $port) {\n  notify { \"port ${port}\": }\n}\n",
		web + "other.pp":    "# @summary Another\nclass web::other {\n  notify { 'x': }\n}\n",
		"facts/a.json":      strings.Replace(facts12, "NAME", "a", 1),
	})
	t.Chdir(repo)
	must(t, os.WriteFile(web+".hidden.pp", []byte("class {"), 0o644))
	for link, to := range map[string]string{web + ".#init.pp": "me@host.1:2", "manifests/.#site.pp": "me@host.1:2",
		"data/.#common.yaml": "me@host.1:2", web + "nowhere.pp": "gone.pp", web + "outside.pp": "/etc/hostname"} {
		must(t, os.Symlink(to, link))
	}
	must(t, syscall.Mkfifo(filepath.Join(web, "fifo.pp"), 0o644))
	want := []string{
		"error[E0001]: " + web + "fifo.pp is no regular file, and is not read",
		"warning[E0001]: " + web + "nowhere.pp is a link that leads nowhere",
		"error[E0001]: " + web + "outside.pp leads to /etc/hostname, outside of what may be read, and is not read",
		"help: say --root /etc if it may be read",
	}
	for _, x := range []struct {
		args []string
		code int
		want []string
	}{{[]string{"check"}, exitFailed, want}, {[]string{"check", "--lint"}, exitFailed, want},
		{[]string{"check", "--lint=only"}, exitNo, want[:2]}} { // what leads outside is not the user's to lint
		code, out, errText := call(x.args...)
		all := out + errText
		for _, w := range x.want {
			if strings.Count(all, w) != 1 {
				t.Errorf("%v: %d times %q", x.args, strings.Count(all, w), w)
			}
		}
		if code != x.code || strings.Contains(all, ".#") || strings.Contains(all, ".hidden") || strings.Contains(all, repo) {
			t.Errorf("%v: exit %d\n%s", x.args, code, all)
		}
		if len(x.args) == 1 && !strings.Contains(out, "3 manifests") {
			t.Errorf("%s", out)
		}
	}
}
