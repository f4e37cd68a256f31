package listing

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/ntp", "/etc/ntp.conf\n/usr/sbin/ntpd\n/var/lib/ntp/\n")
	write(t, dir+"/centos-6/ntp", "/etc/ntp\n/etc/ntp/keys\n")
	write(t, dir+"/DEPENDS", "ntp\tlibopts tzdata\n")
	s, err := Open("", dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Package("ntp")
	if err != nil || p == nil {
		t.Fatal(p, err)
	}
	if want := []string{"/etc/ntp.conf", "/usr/sbin/ntpd"}; !slices.Equal(p.Files, want) {
		t.Errorf("files %v, want %v", p.Files, want)
	}
	if !slices.Contains(p.Dirs, "/var/lib/ntp") || !slices.Contains(p.Dirs, "/usr") || slices.Contains(p.Dirs, "/") {
		t.Errorf("directories %v", p.Dirs)
	}
	if !p.Config("/etc/ntp.conf") || p.Config("/usr/sbin/ntpd") {
		t.Error("files below /etc are configuration, others are not")
	}
	if want := []string{"libopts", "tzdata"}; !slices.Equal(p.Depends, want) {
		t.Errorf("depends %v, want %v", p.Depends, want)
	}
	if p, err := s.Package("../ntp"); p != nil || err != nil {
		t.Errorf("a name with a slash found %v, %v", p, err)
	}
	s, err = Open("centos-6", dir)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := s.Package("ntp"); err != nil || !slices.Equal(p.Files, []string{"/etc/ntp/keys"}) {
		t.Errorf("the platform's own list should win: %v %v", p, err)
	}
}

func TestDpkg(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/status",
		"Package: ntp\nDepends: libc6 (>= 2.34), debconf (>= 0.5) | debconf-2.0, perl:any\n\nPackage: x\n")
	write(t, dir+"/info/ntp.list", "/.\n/etc\n/etc/ntp.conf\n/etc/init.d\n/etc/init.d/ntp\n")
	write(t, dir+"/info/ntp.conffiles", "/etc/ntp.conf\n")
	write(t, dir+"/info/libc6:amd64.list", "/.\n/lib\n/lib/libc.so.6\n")
	s, err := Open("debian-12", dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Package("ntp")
	if err != nil || p == nil {
		t.Fatal(p, err)
	}
	if want := []string{"/etc/init.d/ntp", "/etc/ntp.conf"}; !slices.Equal(p.Files, want) {
		t.Errorf("files %v, want %v", p.Files, want)
	}
	if !p.Config("/etc/ntp.conf") || p.Config("/etc/init.d/ntp") {
		t.Errorf("conffiles %v", p.Conffiles)
	}
	if want := []string{"debconf", "libc6", "perl"}; !slices.Equal(p.Depends, want) {
		t.Errorf("depends %v, want %v", p.Depends, want)
	}
	names, err := s.Names()
	if want := []string{"libc6", "ntp"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("names %v %v", names, err)
	}
	if p, err := s.Package("libc6"); err != nil || p == nil || !slices.Equal(p.Files, []string{"/lib/libc.so.6"}) {
		t.Errorf("%v %v", p, err)
	}
}

// Which accounts a package makes is in its scripts, where they say it plainly.
func TestScripts(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/status", "Package: a\nStatus: install ok installed\n\n")
	for name, script := range map[string]string{
		"redis": "#!/bin/sh\n# adduser is called below\ngetent passwd redis >/dev/null || adduser --system \\\n --group " +
			"--home /x redis\n",
		"plain": "", "pool": "groupadd -r pool || true\nadduser www-data pool\n",
		"odd": "adduser --system \"$NAME\"\n", "users": "systemd-sysusers users.conf\n",
	} {
		write(t, dir+"/info/"+name+".list", "/.\n/etc\n")
		if script != "" {
			write(t, dir+"/info/"+name+".postinst", script)
		}
	}
	s, err := Open("", dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{"redis": {"group redis", "user redis"}, "plain": nil,
		"pool": {"group pool"}} {
		if got, err := s.Accounts(name); err != nil || !slices.Equal(got, want) || !s.Scripted(name) {
			t.Errorf("%s makes %q, want %q (%v)", name, got, want, err)
		}
	}
	for _, name := range []string{"odd", "users", "none"} {
		if s.Scripted(name) {
			t.Errorf("what %s makes is not known", name)
		}
	}
}
