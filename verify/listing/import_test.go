package listing

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

var someDay = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// pack packs a text as the ending of a name says.
func pack(t testing.TB, name, text string) string {
	t.Helper()
	var b bytes.Buffer
	var w interface {
		Write([]byte) (int, error)
		Close() error
	}
	var err error
	switch filepath.Ext(name) {
	case ".gz":
		w = gzip.NewWriter(&b)
	case ".xz":
		w, err = xz.NewWriter(&b)
	case ".zst":
		w, err = zstd.NewWriter(&b)
	case ".lz4":
		return lz4Plain(text)
	default:
		return text
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// lz4Plain is an LZ4 frame with one block that is not packed.
func lz4Plain(text string) string {
	n := uint32(len(text)) | 1<<31
	return "\x04\x22\x4d\x18\x60\x40\x82" + string([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}) + text +
		"\x00\x00\x00\x00"
}

// imports imports sources into a new store and opens it for a platform.
func imports(t testing.TB, platform string, sources ...string) *Set {
	t.Helper()
	store := filepath.Join(t.TempDir(), "cache", "packages.db")
	layers, err := Import{Sources: sources, Platform: platform, Store: store, Now: someDay}.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(layers[0].Platform, store)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	left, err := os.ReadDir(filepath.Dir(store))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the store there is %v %v", left, err)
	}
	return s
}

func get(t testing.TB, s *Set, name string) *Package {
	t.Helper()
	p, err := s.Package(name)
	if err != nil {
		t.Fatal(err)
	}
	if p == nil {
		t.Fatalf("no package %s", name)
	}
	return p
}

func same(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func owners(t testing.TB, s *Set, file string) []string {
	t.Helper()
	names, _, err := s.Owners(file)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

const somePackages = `Package: web
Version: 2.0-1
Priority: optional
Depends: libc6 (>= 2.36), conf | conf-2.0, virtual-mta | other-mta, awk, www-browser, unknown-thing (>= 1)
Pre-Depends: base:any
Description: serves
 pages
 .
 Package: not one

Package: web
Version: 1.0-1
Depends: old-thing

Package: base
Version: 1
Priority: required

Package: libc6
Version: 2.36

Package: conf
Version: 1

Package: exim
Version: 4
Provides: virtual-mta (= 1), mail

Package: mawk
Version: 1
Priority: required
Provides: awk

Package: gawk
Version: 1
Provides: awk

Package: lynx
Version: 1
Provides: www-browser

Package: links
Version: 1
Provides: www-browser
`

const someContents = `bin/web-start                                           net/web
etc/web/a name with blanks.conf                         net/web
etc/web/web.conf	net/web,contrib/net/web-extra
lib/systemd/system/web.service                          net/web
usr/bin/mawk                                            interpreters/mawk
usr/share/doc/web/README                                net/web
`

func TestArchive(t *testing.T) {
	for _, ending := range []string{"", ".gz", ".xz", ".zst", ".lz4"} {
		dir := t.TempDir()
		write(t, dir+"/dists/x/Release",
			"Origin: Debian\nLabel: Debian\nSuite: stable\nVersion: 12.9\nCodename: bookworm\nSHA256:\n 00 1 x\n")
		write(t, dir+"/dists/x/main/binary-amd64/Packages"+ending, pack(t, ending, somePackages))
		write(t, dir+"/dists/x/main/Contents-amd64"+ending, pack(t, ending, someContents))
		write(t, dir+"/dists/x/main/Contents-all"+ending, pack(t, ending, "usr/share/web/x net/web-data\n"))
		write(t, dir+"/dists/x/main/Contents-udeb-amd64"+ending, pack(t, ending, "usr/share/udeb net/udeb\n"))
		s := imports(t, "", dir)
		p := get(t, s, "web")
		same(t, ending+" files", p.Files, "/bin/web-start", "/etc/web/a name with blanks.conf", "/etc/web/web.conf",
			"/lib/systemd/system/web.service", "/usr/share/doc/web/README")
		same(t, "services", p.Services(), "web")
		if p.Version != "2.0-1" || p.Known || !p.NoEmpty || p.Base || !p.Config("/etc/web/web.conf") ||
			p.Config("/bin/web-start") {
			t.Errorf("%+v", p)
		}
		// base and libc6 are there, conf is the first alternative; exim alone is virtual-mta; mawk is the better awk; nobody
		// can say which browser; what is not here may be elsewhere.
		same(t, "depends", p.Depends, "base", "conf", "exim", "libc6", "mawk", "unknown-thing")
		if !get(t, s, "base").Base || get(t, s, "gawk").Base {
			t.Error("base is on every machine, gawk is not")
		}
		same(t, "owners", owners(t, s, "/etc/web/web.conf"), "web", "web-extra")
		same(t, "owners of a directory", owners(t, s, "/etc/web"), "web", "web-extra")
		same(t, "owners of /usr/share", owners(t, s, "/usr/share"), "web", "web-data")
		same(t, "owners of nothing", owners(t, s, "/etc/we"))
		names, err := s.Names()
		if err != nil || !slices.Contains(names, "web-data") || slices.Contains(names, "udeb") ||
			slices.Contains(names, "not") {
			t.Errorf("%v %v", names, err)
		}
	}
}

// Files may be named one by one; Packages and Contents belong together.
func TestArchiveFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/p.gz", pack(t, ".gz", somePackages))
	write(t, dir+"/Contents-amd64.zst", pack(t, ".zst", "This file maps each file\nblah\n\nFILE   LOCATION\n"+
		someContents))
	s := imports(t, "ubuntu-22.04", dir+"/p.gz", dir+"/Contents-amd64.zst")
	if p := get(t, s, "web"); p.Version != "2.0-1" || len(p.Files) != 5 {
		t.Errorf("%+v", p)
	}
	_, err := Import{Sources: []string{dir + "/p.gz"}, Store: dir + "/s.db", Now: someDay}.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "say it with --platform") {
		t.Errorf("%v", err)
	}
}

// What apt keeps has the archive's name in front and is packed with LZ4.
func TestAptLists(t *testing.T) {
	dir := t.TempDir()
	at := dir + "/deb.example_debian_dists_jammy_"
	write(t, at+"InRelease",
		"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nOrigin: Ubuntu\nSuite: jammy\nVersion: 22.04\n")
	write(t, at+"main_binary-"+debianArch()+"_Packages.lz4", lz4Plain(somePackages))
	write(t, at+"main_Contents-"+debianArch()+".lz4", lz4Plain(someContents))
	write(t, at+"main_binary-zzz_Packages.lz4", lz4Plain("Package: foreign\n"))
	write(t, at+"main_Contents-zzz.lz4", lz4Plain("x y/foreign\n"))
	store := dir + "/store.db"
	layers, err := Import{Sources: []string{dir}, Store: store, Now: someDay}.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if l := layers[0]; l.Platform != "ubuntu-22.04" || l.Kind != APT || len(l.Notes) != 1 ||
		!strings.Contains(l.Notes[0], "zzz passed over") || !l.Date.Equal(someDay) {
		t.Errorf("%+v", l)
	}
	os.Remove(at + "main_Contents-" + debianArch() + ".lz4")
	os.Remove(at + "main_Contents-zzz.lz4")
	if _, err = (Import{Sources: []string{dir}, Store: store, Now: someDay}).Run(context.Background()); err == nil ||
		!strings.Contains(err.Error(), "apt-file update") {
		t.Errorf("%v", err)
	}
}

func TestImportDpkg(t *testing.T) {
	root := t.TempDir()
	dir := root + "/var/lib/dpkg"
	write(t, root+"/etc/os-release", "NAME=\"Rocky Linux\"\nID=\"debian\"\nVERSION_ID=\"12\"\n")
	write(t, root+"/srv/empty/x", "")
	os.Remove(root + "/srv/empty/x")
	write(t, dir+"/status",
		"Package: ntp\nStatus: install ok installed\nVersion: 1:4\nDepends: libc6, mta | debconf\nConffiles:\n "+
			"/etc/ntp.conf 0123\n /etc/gone 0123 obsolete\n\n"+
			"Package: libc6\nStatus: install ok installed\nPriority: required\nVersion: 2\n\nPackage: mta\nStatus: deinstall "+
			"ok config-files\n\nPackage: debconf\nStatus: install ok installed\n")
	write(t, dir+"/info/ntp.list", "/.\n/etc\n/etc/ntp.conf\n/etc/init.d\n/etc/init.d/ntp\n/srv/empty\n")
	write(t, dir+"/info/libc6:amd64.list", "/.\n/lib\n/lib/libc.so.6\n")
	for _, source := range []string{root, dir} {
		s := imports(t, "", source)
		p := get(t, s, "ntp")
		same(t, "files", p.Files, "/etc/init.d/ntp", "/etc/ntp.conf")
		same(t, "conffiles", p.Conffiles, "/etc/ntp.conf")
		same(t, "directories", p.Dirs, "/etc", "/etc/init.d", "/srv", "/srv/empty")
		same(t, "depends", p.Depends, "debconf", "libc6")
		if !p.Known || p.NoEmpty || p.Version != "1:4" || p.Config("/etc/init.d/ntp") || !get(t, s, "libc6").Base {
			t.Errorf("%+v", p)
		}
		if p, err := s.Package("mta"); p != nil || err != nil {
			t.Errorf("a package that is not installed: %v %v", p, err)
		}
		same(t, "owners", owners(t, s, "/lib/libc.so.6"), "libc6")
		same(t, "owners of an empty directory", owners(t, s, "/srv/empty"), "ntp")
	}
}

func TestImportFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/ntp", "/etc/ntp.conf\n/usr/sbin/ntpd\n/var/lib/ntp/\n\nnot a path\n")
	write(t, dir+"/DEPENDS", "ntp\tlibopts tzdata\n")
	s := imports(t, "debian-12", dir)
	p := get(t, s, "ntp")
	same(t, "files", p.Files, "/etc/ntp.conf", "/usr/sbin/ntpd")
	same(t, "directories", p.Dirs, "/etc", "/usr", "/usr/sbin", "/var", "/var/lib", "/var/lib/ntp")
	same(t, "depends", p.Depends, "libopts", "tzdata")
}

const somePrimary = `<?xml version="1.0" encoding="UTF-8"?>
<metadata xmlns="http://linux.duke.edu/metadata/common" xmlns:rpm="http://linux.duke.edu/metadata/rpm" packages="4">
<package type="rpm"><name>httpd</name><arch>x86_64</arch><version epoch="0" ver="2.4.57" rel="5.el9"/><checksum type="sha256" pkgid="YES">aa2</checksum>
<summary>Apache &amp; co</summary><description>Long &lt;text&gt;</description>
<format><rpm:license>ASL</rpm:license>
<rpm:provides><rpm:entry name="httpd" flags="EQ"/><rpm:entry name="webserver"/></rpm:provides>
<rpm:requires><rpm:entry name="libc.so.6()(64bit)"/><rpm:entry name="/usr/bin/sh"/><rpm:entry name="rpmlib(X)"/><rpm:entry name="(a if b)"/><rpm:entry name="httpd-core"/><rpm:entry name="webserver"/><rpm:entry name="libnone.so()"/></rpm:requires>
<rpm:conflicts><rpm:entry name="nginx"/></rpm:conflicts>
<file>/usr/sbin/httpd</file></format></package>
<package type="rpm"><name>httpd</name><arch>x86_64</arch><version epoch="0" ver="2.4.9" rel="1.el9"/><checksum type="sha256" pkgid="YES">aa1</checksum><format/></package>
<package type="rpm"><name>glibc</name><arch>i686</arch><version epoch="0" ver="2.34" rel="1"/><checksum>bb0</checksum><format><rpm:provides><rpm:entry name="libc.so.6"/></rpm:provides></format></package>
<package type="rpm"><name>glibc</name><arch>x86_64</arch><version epoch="0" ver="2.34" rel="1"/><checksum>bb1</checksum><format><rpm:provides><rpm:entry name="libc.so.6()(64bit)"/></rpm:provides></format></package>
<package type="rpm"><name>bash</name><arch>x86_64</arch><version epoch="1" ver="5" rel="1"/><checksum>cc</checksum><format><rpm:provides/><file>/usr/bin/sh</file></format></package>
</metadata>`

const someFilelists = `<?xml version="1.0"?><filelists packages="4">
<package pkgid="aa1" name="httpd" arch="x86_64"><version epoch="0" ver="2.4.9" rel="1.el9"/><file>/old</file></package>
<package pkgid="aa2" name="httpd" arch="x86_64"><version epoch="0" ver="2.4.57" rel="5.el9"/>
<file>/etc/httpd/conf/httpd.conf</file><file type="dir">/var/www</file><file type="ghost">/var/log/httpd/x</file><file>/usr/lib/systemd/system/httpd.service</file><file>/usr/share/a &amp; b</file></package>
<package pkgid="bb0" name="glibc" arch="i686"><file>/lib/libc32.so</file></package>
<package pkgid="bb1" name="glibc" arch="x86_64"><file>/lib64/libc.so.6</file></package>
</filelists>`

func repository(t testing.TB, dir, ending string) {
	primary, lists := pack(t, ending, somePrimary), pack(t, ending, someFilelists)
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(dir+"/repodata/primary.xml"+ending, primary)
	write(dir+"/repodata/filelists.xml"+ending, lists)
	write(dir+"/repodata/repomd.xml", fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><repomd>
<data type="primary"><checksum type="sha256">%x</checksum><location href="repodata/primary.xml%s"/></data>
<data type="filelists"><location href="repodata/filelists.xml%s"/></data><data type="primary_db"><location href="repodata/none.sqlite"/></data></repomd>`, sha256.Sum256([]byte(primary)), ending, ending))
}

func TestRPM(t *testing.T) {
	for _, ending := range []string{"", ".gz", ".xz", ".zst"} {
		dir := t.TempDir()
		repository(t, dir, ending)
		for _, source := range []string{dir, dir + "/repodata", dir + "/repodata/repomd.xml"} {
			s := imports(t, "rocky-9", source)
			p := get(t, s, "httpd")
			same(t, "files", p.Files, "/etc/httpd/conf/httpd.conf", "/usr/lib/systemd/system/httpd.service", "/usr/share/a & b")
			if p.Version != "2.4.57-5.el9" || !slices.Contains(p.Dirs, "/var/www") || p.NoEmpty || p.Known {
				t.Errorf("%+v", p)
			}
			same(t, "depends", p.Depends, "bash", "glibc", "httpd-core")
			same(t, "files", get(t, s, "glibc").Files, "/lib64/libc.so.6")
			same(t, "owners", owners(t, s, "/var/www"), "httpd")
		}
	}
}

// What createrepo_c 0.17.3 wrote for three packages that rpmbuild made.
func TestRealRepository(t *testing.T) {
	for _, packed := range []string{"gz", "xz"} {
		s := imports(t, "rocky-9", "testdata/rpm/"+packed)
		p := get(t, s, "web")
		same(t, "files", p.Files, "/etc/web/web.conf", "/usr/lib/systemd/system/web.service", "/usr/share/web/a & b/c d")
		same(t, "directories", p.Dirs, "/etc", "/etc/web", "/etc/web/conf.d", "/usr", "/usr/lib", "/usr/lib/systemd",
			"/usr/lib/systemd/system", "/usr/share", "/usr/share/web",
			"/usr/share/web/a & b", "/var", "/var/lib", "/var/lib/web")
		same(t, "depends", p.Depends, "libweb")
		if lib := get(t, s, "libweb"); p.Version != "1:2.0-1" || lib.Version != "1.10-2" {
			t.Errorf("%s, libweb %s", p.Version, lib.Version)
		}
		same(t, "the newest", owners(t, s, "/usr/bin/webtool"), "libweb")
		same(t, "an older", owners(t, s, "/usr/bin/oldtool"))
	}
}

// A second import of the same sources takes the place of the first; others are kept, also of other platforms.
func TestLayers(t *testing.T) {
	dir := t.TempDir()
	store := dir + "/packages.db"
	run := func(im Import) {
		t.Helper()
		im.Store, im.Now = store, someDay
		if _, err := im.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir+"/Contents-amd64", "etc/web/web.conf net/web\nusr/bin/other net/other\n")
	write(t, dir+"/P", "Package: web\nVersion: 3\nDepends: other\n")
	repository(t, dir+"/repo", ".gz")
	run(Import{Sources: []string{dir + "/P", dir + "/Contents-amd64"}, Platform: "debian-12"})
	run(Import{Sources: []string{dir + "/repo"}, Platform: "rocky-9"})
	write(t, dir+"/hand/web", "/etc/web/web.conf\n/etc/web/conf.d/\n")
	run(Import{Sources: []string{dir + "/hand"}, Platform: "debian-12"})
	write(t, dir+"/hand/web", "/etc/web/web.conf\n/etc/web/sites.d/\n")
	run(Import{Sources: []string{dir + "/hand"}, Platform: "debian-12"})
	st, err := OpenStore(store)
	if err != nil {
		t.Fatal(err)
	}
	layers, err := st.Layers()
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, l := range layers {
		kinds = append(kinds, l.Platform+" "+l.Kind.String())
	}
	same(t, "layers", kinds, "debian-12 folder", "debian-12 apt", "rocky-9 rpm")
	st.Close()
	s, err := Open("debian-12", store)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := get(t, s, "web")
	same(t, "directories", p.Dirs, "/etc", "/etc/web", "/etc/web/sites.d")
	same(t, "depends, which the list by hand does not have", p.Depends, "other")
	same(t, "owners", owners(t, s, "/usr/bin/other"), "other")

	run(Import{Sources: []string{dir + "/hand"}, Platform: "debian-12", Replace: true})
	if s, err = Open("debian-12", store); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if p, err := s.Package("other"); p != nil || err != nil {
		t.Errorf("%v %v: it was replaced", p, err)
	}
}

func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	repository(t, dir, "")
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_, err := Import{Sources: []string{dir}, Platform: "rocky-9", Store: dir + "/cache/s.db", Now: someDay}.Run(ctx)
	left, _ := os.ReadDir(dir + "/cache")
	if err != context.Canceled || len(left) > 0 {
		t.Errorf("%v, left %v", err, left)
	}
}

// LZ4 as the program of that name packed it (lz4 1.9.4): -B4; -B4 -BD --content-size; -B4 -BX -9 --no-frame-crc. Frames
// may follow each other.
func TestLZ4(t *testing.T) {
	var b strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&b, "usr/share/doc/package-%d/file-%d.txt   net/package-%d\n", i%97, i*i%101, i%31)
	}
	var all []byte
	for _, name := range []string{"independent", "linked", "sums"} {
		packed, err := os.ReadFile("testdata/" + name + ".lz4")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, packed...)
		var out bytes.Buffer
		if _, err := out.ReadFrom(newLZ4(bytes.NewReader(packed))); err != nil || out.String() != b.String() {
			t.Errorf("%s: %d bytes, want %d; %v", name, out.Len(), b.Len(), err)
		}
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(newLZ4(bytes.NewReader(all))); err != nil || out.String() != strings.Repeat(b.String(), 3) {
		t.Errorf("all: %d bytes, want %d; %v", out.Len(), 3*b.Len(), err)
	}
}
