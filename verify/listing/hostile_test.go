package listing

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// refused imports one source and expects it to be refused with a reason, and nothing to be left.
func refused(t *testing.T, why, reason string, sources ...string) {
	t.Helper()
	dir := t.TempDir()
	_, err := Import{Sources: sources, Platform: "debian-12", Store: dir + "/s.db", Now: someDay}.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("%s: %v, want %q", why, err, reason)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%s: left %v", why, left)
	}
}

func TestHostile(t *testing.T) {
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		write(t, path, text)
		return path
	}
	refused(t, "a path out of the tree", `:2: the path "/../../etc/passwd" leads out of the tree`,
		file("Contents-amd64", "a/b net/x\n../../etc/passwd net/x\n"))
	refused(t, "a path out of the middle", "leads out of the tree", file("Contents-amd64", "usr/../../etc/passwd net/x\n"))
	refused(t, "a long path", ": 4096 is the most", file("Contents-amd64", strings.Repeat("a/", 3000)+" net/x\n"))
	refused(t, "a long line", "longer than", file("Contents-amd64", strings.Repeat("a", maxLine+10)+" net/x\n"))
	refused(t, "no packages", "there is no package in it", file("Contents-amd64", "nothing\nto\nsee\n"))
	refused(t, "not a list", "neither a Packages nor a Contents file", file("x", "\x7fELF"))
	refused(t, "an empty file", "neither a Packages nor a Contents file", file("x", ""))
	refused(t, "a field that is none", ":2: \"nonsense\" is neither a field", file("Packages", "Package: x\nnonsense\n"))
	refused(t, "endless fields", "of fields", file("Packages", "Package: x\nDepends: a\n"+
		strings.Repeat(" "+strings.Repeat("b", 1000)+",\n", 6000)))
	refused(t, "half a gzip", "cannot unpack it", file("Contents-amd64.gz", pack(t, ".gz", someContents)[:40]))
	refused(t, "half an xz", "cannot unpack it", file("Contents-amd64.xz", pack(t, ".xz", someContents)[:40]))
	refused(t, "half a zst", "cannot unpack it", file("Contents-amd64.zst", pack(t, ".zst", someContents)[:40]))
	refused(t, "half an lz4", "cannot unpack it", file("Contents-amd64.lz4", lz4Plain(someContents)[:40]))
	refused(t, "no folder", "no such file", filepath.Join(t.TempDir(), "none"))
	refused(t, "an empty folder", "no package lists found", t.TempDir())
	refused(t, "a part of a repository", "name the repository", file("primary.xml", somePrimary))

	xz := []byte(pack(t, ".xz", someContents))
	at := bytes.IndexByte(xz[14:], 0x21) + 14
	xz[at+2] = 40
	refused(t, "an xz that takes 4 GB", "MB of memory", file("Contents-amd64.xz", string(xz)))

	refused(t, "a zst that takes 128 MB", "window size exceeded",
		file("Contents-amd64.zst", "\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00"))
}

// A bomb is refused by what it unpacks to, whatever packs it.
func TestBomb(t *testing.T) {
	var gz, zst bytes.Buffer
	g := gzip.NewWriter(&gz)
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(strings.Repeat("usr/share/x net/x\n", 1<<12))
	for range bombSlack / 4 * 5 / len(line) {
		g.Write(line)
		z.Write(line)
	}
	g.Close()
	z.Close()
	for ending, text := range map[string]string{".gz": gz.String(), ".zst": zst.String()} {
		path := filepath.Join(t.TempDir(), "Contents-amd64"+ending)
		write(t, path, text)
		refused(t, "a bomb"+ending, "this is no package list", path)
	}
}

func TestHostileRepository(t *testing.T) {
	change := func(name, from, to string) string {
		dir := t.TempDir()
		repository(t, dir, "")
		file := dir + "/repodata/" + name
		text, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(text, []byte(from)) {
			t.Fatal(err, from)
		}
		write(t, file, strings.Replace(string(text), from, to, 1))
		return dir
	}
	refused(t, "a place out of the repository", "leads out of the repository", change("repomd.xml", "repodata/primary.xml",
		"../../../etc/passwd"))
	refused(t, "an absolute place", "leads out of the repository", change("repomd.xml", "repodata/primary.xml",
		"/etc/passwd"))
	refused(t, "a place elsewhere", "bring it here first", change("repomd.xml", "repodata/primary.xml",
		"http://x/primary.xml"))
	refused(t, "another file than described", "not the file that repomd.xml describes",
		change("primary.xml", "httpd", "nginx"))
	refused(t, "no lists named", "no primary and filelists", change("repomd.xml", `type="filelists"`, `type="other"`))
	refused(t, "entities", "a document type", change("filelists.xml", "<filelists",
		`<!DOCTYPE x [<!ENTITY a "aaaa">]><filelists`))
	refused(t, "an unknown entity", "is no entity of XML", change("filelists.xml", "/old", "/&a;/"+strings.Repeat("x", 5)))
	refused(t, "a path out of the tree", "leads out of the tree", change("filelists.xml", "/var/www", "/var/../../www"))
	refused(t, "a long tag", "a tag of more than", change("filelists.xml", "<filelists", "<filelists x='"+
		strings.Repeat("a", maxToken)+"'"))
	refused(t, "a long text", "has more than", change("filelists.xml", "/etc/httpd/conf/httpd.conf",
		strings.Repeat("<![CDATA["+strings.Repeat("a", maxToken/2)+"]]>", 3)))
	refused(t, "half a document", "the document ends", change("filelists.xml", someFilelists[len(someFilelists)-30:],
		"<file"))
	refused(t, "a tag in a path", "in <", change("filelists.xml", "/var/www", "<b/>"))
}

// Names and paths with control characters could change what a terminal shows; they are passed over and counted.
func TestControlCharacters(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/Contents-amd64", "etc/\x1b[31mred net/x\netc/fine net/x\netc/y net/\x07bell\nusr/bin/only-a-path\n")
	layers, err := Import{Sources: []string{dir + "/Contents-amd64"}, Platform: "debian-12", Store: dir + "/s.db",
		Now: someDay}.Run(context.Background())
	if err != nil || layers[0].Skipped != 3 || layers[0].Packages != 1 || layers[0].Files != 1 {
		t.Errorf("%+v %v", layers, err)
	}
}

// A store that is damaged is an error, never a crash.
func TestDamagedStore(t *testing.T) {
	dir := t.TempDir()
	store := dir + "/s.db"
	write(t, dir+"/Contents-amd64", someContents)
	if _, err := (Import{Sources: []string{dir + "/Contents-amd64"}, Platform: "debian-12", Store: store,
		Now: someDay}).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(store)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(file string) error {
		s, err := Open("debian-12", file)
		if err != nil {
			return err
		}
		defer s.Close()
		if _, err := s.Package("web"); err != nil {
			return err
		}
		if _, err := s.Names(); err != nil {
			return err
		}
		_, _, err = s.Owners("/etc/web/web.conf")
		return err
	}
	if err := ask(store); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for at := 0; at < len(good); at += 61 {
		bad := bytes.Clone(good)
		for i := at; i < min(at+16, len(bad)); i++ {
			bad[i] ^= 0xa5
		}
		write(t, dir+"/bad.db", string(bad))
		if ask(dir+"/bad.db") != nil {
			failed++
		}
		if at%(61*16) == 0 && at < len(good)/2 {
			write(t, dir+"/bad.db", string(good[:at]))
			if ask(dir+"/bad.db") == nil {
				t.Errorf("%d of %d bytes are no store", at, len(good))
			}
		}
	}
	if failed == 0 {
		t.Error("no damage was noticed")
	}
	// A store that is not ours to understand.
	write(t, dir+"/not.db", strings.Repeat("x", 5000))
	if err := ask(dir + "/not.db"); err == nil ||
		!strings.Contains(err.Error(), "package lists are in a folder or in a store") {
		t.Error(err)
	}
}

func FuzzContents(f *testing.F) {
	f.Add([]byte(someContents))
	f.Add([]byte("This file maps each\nFILE LOCATION\na b/c\n"))
	f.Add([]byte("../x y/z\n ,\n, ,\n\x00 a\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		readContents(newLines("f", bytes.NewReader(text)), func(path string, packages [][]byte) error {
			checkPath(t, path)
			return nil
		}, func() {})
	})
}

// checkPath fails for a path that must not get in.
func checkPath(t *testing.T, p string) {
	if p == "/" || !strings.HasPrefix(p, "/") || p != filepath.Clean(p) || strings.ContainsAny(p, "\x00\n\x1b") ||
		len(p) > maxPath+1 {
		t.Errorf("the path %q got in", p)
	}
}

func FuzzPackages(f *testing.F) {
	f.Add([]byte(somePackages))
	f.Add([]byte("Package: a\nStatus: install ok installed\nConffiles:\n /etc/a 0\n"))
	f.Add([]byte("Package:\n\n:\n x\nDepends: ,|, (,) :\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var all []*entry
		names := map[string]uint32{}
		readStanzas(newLines("f", bytes.NewReader(text)), packageFields, func(s stanza) error {
			s.conffiles()
			if e := s.entry(); e != nil {
				names[e.name] = uint32(len(all))
				all = append(all, e)
			}
			return nil
		})
		r := newResolver(all, names)
		for _, e := range all {
			for _, d := range r.depends(e) {
				if d == e.name {
					t.Errorf("%q needs itself", d)
				}
			}
		}
	})
}

func FuzzRepository(f *testing.F) {
	f.Add([]byte(somePrimary))
	f.Add([]byte(someFilelists))
	f.Add([]byte("<package><name>x</name><file><![CDATA[/a]]></file><!-- x --></package>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		readPrimary(newMarkup("f", bytes.NewReader(text)), func(*entry) error { return nil })
		readFilelists(newMarkup("f", bytes.NewReader(text)), func(string, uint64) bool { return true },
			func(path string, _ byte) error {
				checkPath(t, path)
				return nil
			}, func() {})
	})
}

func FuzzLZ4(f *testing.F) {
	f.Add([]byte(lz4Plain("hello")))
	f.Add([]byte("\x04\x22\x4d\x18\x60\x40\x82\x08\x00\x00\x00\x1fa\x01\x00\xff\x10\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		z := newLZ4(bytes.NewReader(text))
		buf := make([]byte, 1<<16)
		for out := 0; out < 64<<20; {
			n, err := z.Read(buf)
			if out += n; err != nil {
				return
			}
		}
	})
}

func FuzzRecord(f *testing.F) {
	r := (&Package{Name: "x", Version: "1", Files: []string{"/a/b", "/a/c"}, Dirs: []string{"/d"},
		Depends: []string{"y"}}).toRecord()
	f.Add(r.append(nil))
	f.Add(binary.AppendUvarint(nil, 1<<62))
	f.Fuzz(func(t *testing.T, text []byte) {
		if r, err := parseRecord(text); err == nil {
			r.toPackage("")
		}
		openIndex(text)
	})
}
