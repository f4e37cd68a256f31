package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// asProgram, set in the environment, makes a test's child process the program itself.
const asProgram = "BUNRAKU_AS_PROGRAM"

// TestMain keeps the user's own package store out of the tests. What Go has built stays at hand for those that build
// the program.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	if what := os.Getenv(asNATS); what != "" {
		serveNATS(what)
	}
	dir, err := os.MkdirTemp("", "cache")
	if err != nil {
		panic(err)
	}
	if users, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		os.Setenv("GOCACHE", filepath.Join(users, "go-build"))
	}
	os.Setenv("XDG_CACHE_HOME", dir)
	os.Setenv("LocalAppData", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func writeIn(t *testing.T, dir string) func(name, text string) string {
	return func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
}

func TestPackages(t *testing.T) {
	dir := t.TempDir()
	write := writeIn(t, dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	write("lists/web", "/etc/web/web.conf\n/etc/web/conf.d/\n/lib/systemd/system/web.service\n")
	write("lists/DEPENDS", "web\tlibweb\n")
	write("other/x", "/opt/x\n")
	lists, other := filepath.Join(dir, "lists"), filepath.Join(dir, "other")
	store := filepath.Join(dir, "cache", "bunraku", "packages.db")
	for _, x := range []struct {
		args string
		code int
		want []string
	}{
		{"show", exitFine, []string{"debian-12", "built in",
			"`bunraku packages import` brings the lists of other platforms"}},
		{"show nginx-common", exitFine, []string{"nginx-common   built-in lists of debian-12", "services   nginx",
			"/etc/nginx/nginx.conf   conffile", "    /etc/nginx/conf.d/"}},
		{"show /etc/nginx/nginx.conf", exitFine, []string{"/etc/nginx/nginx.conf comes with nginx-common"}},
		{"show /etc/nginx/none.conf", exitFailed, []string{"no list has /etc/nginx/none.conf"}},
		{"show none", exitFailed, []string{"no list has a package none"}},
		{"show nginx --platform ubuntu-22.04", exitFine,
			[]string{"note: no package lists of ubuntu-22.04: the built-in ones of debian-12 are used"}},
		{"show nginx --format xml", exitFailed, []string{"text or json"}},
		{"show nginx --store " + dir + "/none", exitFailed, []string{"there is no file or directory "}},
		{"import", exitFailed, []string{"say what to "}},
		{"import " + lists, exitFailed, []string{"say it with --platform"}},
		{"import " + lists + " --platform Debian12!", exitFailed, []string{"is not a name such as debian-12"}},
		{"import " + dir + "/none --platform debian-12", exitFailed, []string{"there is no file or directory "}},
		{"import " + lists + " --platform debian-12", exitFine, []string{"debian-12: 1 package, 3 paths from " + lists +
			" (folder)", store}},
		{"show web", exitFine, []string{"web   " + store + " (debian-12, folder)", "pulls in   libweb",
			"2 files, 6 directories", "/etc/web/web.conf   conffile", "web.service   service web"}},
		{"show nginx", exitFine, []string{"built-in lists"}},
		{"import " + other + " --platform rocky-9", exitFine, []string{"rocky-9: 1 package"}},
		{"show", exitFine, []string{"rocky-9     20", "1 packages", lists}},
		{"show web", exitFailed, []string{"say whose packages with --platform: debian-12, rocky-9"}},
		{"show x --platform rocky-9", exitFine, []string{"/opt/x"}},
		{"show /opt --platform rocky-9", exitFine, []string{"/opt comes with x"}},
	} {
		args := append([]string{"packages"}, strings.Fields(x.args)...)
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
	var p packageJSON
	_, out, _ := call("packages", "show", "web", "--platform", "debian-12", "--format", "json")
	if err := json.Unmarshal([]byte(out), &p); err != nil || p.Name != "web" ||
		!slices.Equal(p.Services, []string{"web"}) || len(p.Files) != 2 || !p.Files[0].Conffile || !p.AllFiles {
		t.Errorf("%v\n%s", err, out)
	}
	var o ownersJSON
	_, out, _ = call("packages", "show", "/etc/web/web.conf", "--platform", "debian-12", "--format", "json")
	if err := json.Unmarshal([]byte(out), &o); err != nil || !slices.Equal(o.Packages, []string{"web"}) {
		t.Errorf("%v\n%s", err, out)
	}
	var l layersJSON
	_, out, _ = call("packages", "show", "--format", "json")
	if err := json.Unmarshal([]byte(out), &l); err != nil || len(l.Lists) != 2 || l.BuiltIn.Platform != "debian-12" ||
		l.Store != store {
		t.Errorf("%v\n%s", err, out)
	}
}

// Without any list of the user's, the built-in index finds the missing orders; the user's store is asked before it,
// --packages before that.
func TestVerifyWithoutLists(t *testing.T) {
	dir := t.TempDir()
	write := writeIn(t, dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	bad := write("bad.pp",
		"package { 'nginx': ensure => installed }\nfile { '/etc/nginx/nginx.conf':\n  content => 'x',\n}\nservice { "+
			"'nginx': ensure => running }\n")
	verify := func(platform string, more ...string) (int, string, string) {
		return call(append([]string{"verify", "--node", "web", "--platform", platform, bad}, more...)...)
	}
	code, out, errText := verify("debian-12")
	for _, w := range []string{"3 modelled exactly", "Package[nginx] and File[/etc/nginx/nginx.conf]",
		"fails: /etc/nginx does not exist", "Package[nginx] and Service[nginx]",
		"fails: there is no service nginx yet", "require => Package['nginx'],   verified"} {
		if code != exitNo || !strings.Contains(out, w) || errText != "" {
			t.Errorf("exit %d, no %q in\n%s%s", code, w, out, errText)
		}
	}
	if code, _, errText = verify("ubuntu-24.04"); code != exitNo ||
		!strings.Contains(errText, "the built-in ones of debian-12 are used") {
		t.Errorf("exit %d\n%s", code, errText)
	}
	if _, _, errText = verify("rocky-9"); !strings.Contains(errText, "no package lists of rocky-9") {
		t.Errorf("%s", errText)
	}
	if _, out, errText = verify("rocky-9", "--format", "json"); !strings.Contains(out, "no package lists of rocky-9") {
		t.Errorf("%s%s", out, errText)
	}
	// A list of the user's in which nginx has neither file nor service.
	write("empty/nginx", "/opt/nginx\n")
	if code, out, errText = verify("debian-12", "--packages", filepath.Join(dir, "empty")); strings.Contains(out,
		"Package[nginx] and Service[nginx]") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	if code, out, errText = call("packages", "import", filepath.Join(dir, "empty"), "--platform",
		"debian-12"); code != exitFine {
		t.Fatal(out, errText)
	}
	if code, out, errText = verify("debian-12"); strings.Contains(out, "Package[nginx] and Service[nginx]") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
	// A store that is broken is said, not passed over.
	write("cache/bunraku/packages.db", "nonsense")
	if code, out, errText = verify("debian-12"); code != exitFailed ||
		!strings.Contains(errText, "not a store of package lists") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
}
