package listing

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The built-in index answers for what people manage most.
func TestEmbedded(t *testing.T) {
	s, err := Select(Choice{Platform: "debian-12", Embedded: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, x := range []struct{ name, owner, file, service string }{
		{"nginx", "nginx-common", "/etc/nginx/nginx.conf", "nginx"},
		{"apache2", "apache2", "/etc/apache2/apache2.conf", "apache2"},
		{"openssh-server", "openssh-server", "/etc/pam.d/sshd", "ssh"},
		{"postgresql", "postgresql-common", "/etc/init.d/postgresql", "postgresql"},
		{"default-mysql-server", "mariadb-server", "/etc/mysql/mariadb.conf.d/50-server.cnf", "mariadb"},
		{"redis", "redis-server", "/etc/default/redis-server", "redis-server"},
		{"haproxy", "haproxy", "/etc/haproxy/haproxy.cfg", "haproxy"},
		{"bind9", "bind9", "/etc/bind/named.conf.options", "named"},
		{"chrony", "chrony", "/etc/chrony/conf.d/README", "chrony"},
		{"rsyslog", "rsyslog", "/etc/logrotate.d/rsyslog", "rsyslog"},
		{"cron", "cron", "/etc/default/cron", "cron"},
		{"docker.io", "docker.io", "/etc/default/docker", "docker"},
		{"fail2ban", "fail2ban", "/etc/fail2ban/fail2ban.conf", "fail2ban"},
		{"prometheus-node-exporter", "prometheus-node-exporter", "/etc/default/prometheus-node-exporter",
			"prometheus-node-exporter"},
	} {
		// The package pulls in the owner of the file and of the service.
		seen, work := map[string]bool{x.name: true}, []string{x.name}
		services, found := []string{}, false
		for len(work) > 0 {
			p := get(t, s, work[0])
			work = work[1:]
			services = append(services, p.Services()...)
			if p.Name == x.owner {
				found = slices.Contains(p.Files, x.file) && p.Config(x.file)
			}
			for _, d := range p.Depends {
				if !seen[d] {
					seen[d] = true
					work = append(work, d)
				}
			}
		}
		if !found {
			t.Errorf("%s does not bring %s as a configuration file of %s", x.name, x.file, x.owner)
		}
		if !slices.Contains(services, x.service) {
			t.Errorf("%s does not bring the service %s", x.name, x.service)
		}
		if got := owners(t, s, x.file); !slices.Contains(got, x.owner) {
			t.Errorf("%s: owners %v, want %s", x.file, got, x.owner)
		}
	}
	// Directories without files, and files below /etc that are no configuration files, come from the packages themselves.
	if p := get(t, s, "nginx-common"); !slices.Contains(p.Dirs, "/etc/nginx/conf.d") || p.NoEmpty || !p.Known ||
		!p.Partial {
		t.Errorf("nginx-common: %+v", p)
	}
	// What installation scripts make.
	for name, file := range map[string]string{"chrony": "/etc/chrony/chrony.conf",
		"postgresql-15": "/etc/postgresql/15/main/pg_hba.conf", "openssh-server": "/etc/ssh/sshd_config",
		"nfs-kernel-server": "/etc/exports"} {
		if p := get(t, s, name); !slices.Contains(p.Files, file) || !p.Config(file) {
			t.Errorf("%s does not bring %s", name, file)
		}
	}
	// Timers are units too.
	if p := get(t, s, "certbot"); !slices.Contains(p.Files, "/lib/systemd/system/certbot.timer") {
		t.Errorf("certbot: %v", p.Files)
	}
	if notes := s.Notes(); len(notes) > 0 {
		t.Errorf("%q", notes)
	}
	info, err := Embedded()
	names, err2 := s.Names()
	if err != nil || err2 != nil || info.Packages != len(names) || info.Platform != "debian-12" {
		t.Errorf("%+v %d %v %v", info, len(names), err, err2)
	}
	if len(embeddedIndex) > 500_000 {
		t.Errorf("the index has %d bytes", len(embeddedIndex))
	}
	for _, name := range names {
		for _, d := range get(t, s, name).Depends {
			if _, ok := slices.BinarySearch(names, d); !ok {
				t.Errorf("%s needs %s, of which nothing is known", name, d)
			}
		}
	}
}

func TestIndexRoundTrip(t *testing.T) {
	var want []*Package
	for _, name := range []string{"c", "a", "b"} {
		want = append(want, &Package{Name: name, Version: "1" + name, Files: []string{"/etc/" + name, "/usr/bin/" + name},
			Conffiles: []string{"/etc/" + name},
			Dirs:      []string{"/etc", "/usr", "/usr/bin", "/var", "/var/" + name}, Known: true, Base: name == "a",
			Partial: true,
			NoEmpty: name == "b", Depends: []string{"x", "y"}})
	}
	for _, size := range []int{1, 1000} {
		text, err := WriteIndex("x-1", someDay, want, size)
		if err != nil {
			t.Fatal(err)
		}
		x, err := openIndex(text)
		if err != nil {
			t.Fatal(err)
		}
		if x.Platform != "x-1" || x.Date.Format(time.DateOnly) != "2026-07-01" || x.Packages != 3 || x.Files != 9 {
			t.Errorf("%+v", x.Layer)
		}
		for _, w := range want {
			p, err := x.find(w.Name)
			if err != nil || p == nil {
				t.Fatal(p, err)
			}
			same(t, "files", p.Files, w.Files...)
			same(t, "dirs", p.Dirs, w.Dirs...)
			same(t, "conffiles", p.Conffiles, w.Conffiles...)
			same(t, "depends", p.Depends, w.Depends...)
			if p.Version != w.Version || p.Known != w.Known || p.Base != w.Base || p.Partial != w.Partial ||
				p.NoEmpty != w.NoEmpty {
				t.Errorf("%+v, want %+v", p, w)
			}
		}
		for _, none := range []string{"", "0", "aa", "d"} {
			if p, err := x.find(none); p != nil || err != nil {
				t.Errorf("%q: %v %v", none, p, err)
			}
		}
	}
}

// Who has no lists of a platform gets those of a relative, and is told, but only if they were used.
func TestSelect(t *testing.T) {
	store := filepath.Join(t.TempDir(), "s.db")
	dir := t.TempDir()
	write(t, dir+"/httpd", "/etc/httpd/conf/httpd.conf\n")
	for _, p := range []string{"rocky-8", "rocky-9", "ubuntu-20.04"} {
		if _, err := (Import{Sources: []string{dir}, Platform: p, Store: store, Now: someDay}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct{ platform, store, pkg, note string }{
		{"debian-12", "", "nginx", ""},
		{"debian-11", "", "nginx", "no package lists of debian-11: the built-in ones of debian-12 are used"},
		{"ubuntu-22.04", "", "nginx", "no package lists of ubuntu-22.04: the built-in ones of debian-12"},
		{"rocky-9", "", "httpd", "no package lists of rocky-9: what its packages bring is guessed"},
		{"", "", "nginx", "the platform is not known"},
		{"", "", "none", ""},
		{"rocky-9", store, "httpd", ""},
		{"rocky-9", store, "nginx", ""},
		{"almalinux-8", store, "httpd", "those of rocky-8 are used"},
		{"rocky-7", store, "httpd", "those of rocky-8 are used"},
		{"fedora-40", store, "httpd", "those of rocky-9 are used"},
		{"ubuntu-22.04", store, "httpd", "those of ubuntu-20.04 are used"},
		{"debian-12", store, "nginx", ""},
		{"windows-2019", store, "httpd", "no package lists of windows-2019"},
	} {
		s, err := Select(Choice{Platform: x.platform, Store: x.store, Embedded: true})
		if err != nil {
			t.Fatal(err)
		}
		if notes := s.Notes(); len(notes) > 0 {
			t.Errorf("%s: %q before anything was asked", x.platform, notes)
		}
		if _, err := s.Package(x.pkg); err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(s.Notes(), "\n")
		if x.note == "" && notes != "" || !strings.Contains(notes, x.note) {
			t.Errorf("%s %s: notes %q, want %q", x.platform, x.pkg, notes, x.note)
		}
		s.Close()
	}
	// The user's store need not be there; what is named must be.
	if s, err := Select(Choice{Platform: "debian-12", Store: filepath.Join(dir, "none"), Embedded: true}); err != nil {
		t.Error(err)
	} else {
		s.Close()
	}
	if _, err := Select(Choice{Platform: "debian-12", Places: []string{filepath.Join(dir, "none")}}); !os.IsNotExist(err) {
		t.Error(err)
	}
}

func TestVersions(t *testing.T) {
	// Each is before the next: `dpkg --compare-versions` says so.
	order := []string{"0~~", "0~", "0", "0.1~rc1", "0.1", "0.1-1", "0.1-1+b1", "0.1-2", "0.1a", "0.1+x", "0.2", "0.10",
		"1.0-9+deb12u9", "1.0-9+deb12u10", "1.1-1", "1:0"}
	for i, a := range order {
		for j, b := range order {
			if got, want := compareVersions(a, b), compareInts(i, j); got != want {
				t.Errorf("%s and %s: %d, want %d", a, b, got, want)
			}
		}
	}
}

func compareInts(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestPlatformNames(t *testing.T) {
	for _, x := range [][3]string{{"Debian", "12", "debian-12"}, {"Debian", "12.9", "debian-12"},
		{"Ubuntu", "22.04", "ubuntu-22.04"}, {"Rocky", "9.3", "rocky-9"}, {"Fedora", "", "fedora"}, {"", "1", ""}} {
		if got := PlatformName(x[0], x[1]); got != x[2] {
			t.Errorf("%s %s: %s, want %s", x[0], x[1], got, x[2])
		}
	}
	for text, want := range map[string]string{"ID=rhel\nVERSION_ID=\"9.3\"\n": "redhat-9",
		"ID='ubuntu'\nVERSION_ID='24.04'": "ubuntu-24.04", "ID=debian\n": "debian"} {
		if got := osRelease(strings.NewReader(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestServices(t *testing.T) {
	for file, want := range map[string]string{"/lib/systemd/system/nginx.service": "nginx",
		"/usr/lib/systemd/system/ssh@.service": "ssh@", "/etc/init.d/cron": "cron",
		"/etc/rc.d/init.d/httpd": "httpd", "/etc/init.d/README": "", "/lib/systemd/system/x.timer": "",
		"/lib/systemd/system/x.service.d/y.service": "", "/etc/cron.d/x": ""} {
		if got := Service(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// Names are found in whichever chunk they are, the first and the last of one too; what is like none is foreign.
func TestNamesRoundTrip(t *testing.T) {
	marks := []string{"", " +", " ="}
	var rows strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&rows, "a-package-%05d%s\n", i*2, marks[i%3])
	}
	text, err := WriteNames("x-1", rows.String())
	if err != nil {
		t.Fatal(err)
	}
	n, err := openNames(text)
	if err != nil {
		t.Fatal(err)
	}
	if n.platform != "x-1" || len(n.packed) < 4 {
		t.Errorf("%s in %d chunks", n.platform, len(n.packed))
	}
	for i := 0; i < 9000; i += 7 {
		if got, want := n.find(fmt.Sprintf("a-package-%05d", i*2)), []Standing{Bounded, Unbounded,
			Virtual}[i%3]; got != want {
			t.Fatalf("package %d: %v, want %v", i*2, got, want)
		}
		if got := n.find(fmt.Sprintf("a-package-%05d", i*2+1)); got != Foreign {
			t.Fatalf("package %d: %v", i*2+1, got)
		}
	}
	for _, name := range []string{"", "a", "a-package-0000", "a-package-00000 +", "a-package-99999", "b", "\n"} {
		if got := n.find(name); got != Foreign {
			t.Errorf("%q: %v", name, got)
		}
	}
	s := &Set{archive: n}
	for name, want := range map[string]string{"a-pakage-00002": "a-package-00002", "a-package-17994x": "a-package-17994",
		"b-package-00002": "", "abc": ""} {
		if got := s.Like(name); got != want {
			t.Errorf("like %s: %q, want %q", name, got, want)
		}
	}
}

// The base system lies apart, and everything is found all the same; all chunks of what is built in can be read.
func TestBuiltInChunks(t *testing.T) {
	x, err := builtInIndex()
	if err != nil {
		t.Fatal(err)
	}
	if err := x.each(func(b []byte) error {
		p, err := x.find(recordName(b))
		if p == nil || err != nil {
			t.Errorf("%s: %v", recordName(b), err)
			return err
		}
		if base, _ := x.findIn(0, x.rest, p.Name); (base != nil) != p.Base {
			t.Errorf("%s: base %v, but lies elsewhere", p.Name, p.Base)
		}
		return nil
	}); err != nil || x.rest == 0 {
		t.Error(err, x.rest)
	}
	n, err := builtInNames()
	if err != nil {
		t.Fatal(err)
	}
	count, last := 0, ""
	for i := range n.packed {
		n.each(i, func(name string, _ Standing) bool {
			if name <= last {
				t.Errorf("%s after %s", name, last)
			}
			count, last = count+1, name
			return true
		})
	}
	if count != 71666 {
		t.Errorf("%d names", count)
	}
}

// Units go by the names that they have once their package has enabled them.
func TestEmbeddedAliases(t *testing.T) {
	s, err := Select(Choice{Platform: "debian-12", Embedded: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for alias, unit := range map[string]string{"sshd": "ssh", "redis": "redis-server", "ntpd": "ntpsec", "ntp": "ntpsec",
		"chronyd": "chrony", "smartd": "smartmontools", "bind9": "named"} {
		if got := s.Units(alias); !slices.Equal(got, []string{unit}) {
			t.Errorf("%s is %q, not %s", alias, got, unit)
		}
	}
	if got := s.Units("ssh"); got != nil { // it is the unit itself
		t.Errorf("ssh is %q", got)
	}
	other, err := Select(Choice{Platform: "almalinux-9", Embedded: true})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if got := other.Units("sshd"); got != nil {
		t.Errorf("on another system sshd is %q", got)
	}
}
