package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// TestAcceptDist: two runs of make dist write the same bytes; the package installs and runs in a bare Debian; what is
// for Windows says there what is said here.
func TestAcceptDist(t *testing.T) {
	live.Accept(t)
	root, err := filepath.Abs(live.Root())
	if err != nil {
		t.Fatal(err)
	}
	var sums [2]string
	dirs := [2]string{t.TempDir(), t.TempDir()}
	for i, dir := range dirs {
		if out, err := script(t, root, nil, "go", "run", "./packaging", "-out", dir); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		text, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = string(text)
	}
	lines := strings.Count(sums[0], "\n")
	t.Logf("two runs: %d files, the same checksums: %v (bar: the same)", lines, sums[0] == sums[1])
	if sums[0] != sums[1] || lines != 11 {
		t.Errorf("%s\n%s", sums[0], sums[1])
	}
	if out, err := script(t, dirs[0], nil, "sha256sum", "-c", "SHA256SUMS"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Run("Debian", func(t *testing.T) { distOnDebian(t, root, dirs[0]) })
	t.Run("Windows", func(t *testing.T) { distOnWindows(t, root, dirs[0]) })
}

// made is the one file of a distribution that a pattern names.
func made(t *testing.T, dir, pattern string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %v %v", pattern, list, err)
	}
	return list[0]
}

// distOnDebian installs the package where nothing else is, checks the example, and takes the package away again.
func distOnDebian(t *testing.T, root, dir string) {
	deb := made(t, dir, "*_amd64.deb")
	if out, err := script(t, dir, nil, "dpkg-deb", "--info", deb); err != nil ||
		!strings.Contains(out, "Package: bunraku") {
		t.Errorf("%v\n%s", err, out)
	}
	bare := filepath.Join(os.Getenv("BUNRAKU_FETCHED"), "bare")
	if _, err := os.Stat(filepath.Join(bare, "etc", "debian_version")); err != nil || os.Getuid() != 0 {
		t.Skip("there is no bare Debian to install in: as root, " +
			"debootstrap --variant=minbase bookworm $BUNRAKU_FETCHED/bare")
	}
	into, err := os.MkdirTemp(filepath.Join(bare, "tmp"), "dist")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(into)
	text, err := os.ReadFile(deb)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(into, "bunraku.deb"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(into, "shop"), os.DirFS(filepath.Join(root, "examples", "shop"))); err != nil {
		t.Fatal(err)
	}
	out, err := script(t, root, nil, "chroot", bare, "sh", "-ec", `cd "$1"
dpkg -i bunraku.deb
bunraku --version
bunraku facts show debian-12 >/dev/null
status=0
bunraku check shop || status=$?
echo "check ends with $status"
dpkg -V bunraku
dpkg -P bunraku
[ ! -e /usr/bin/bunraku ]`, "sh", "/tmp/"+filepath.Base(into))
	t.Logf("in a bare Debian 12: %v", err)
	for _, want := range []string{"speaks Puppet 8", "3 problems on 2 of 3 nodes", "check ends with 2"} {
		if err != nil || !strings.Contains(out, want) {
			t.Fatalf("%q is not there: %v\n%s", want, err, out)
		}
	}
}

// took is what differs from run to run.
var took = regexp.MustCompile(` +[0-9.]+ m?s\b`)

// distOnWindows runs the program for Windows under wine: what it says is what the program for Linux says, but for the
// way in which paths are written.
func distOnWindows(t *testing.T, root, dir string) {
	if _, err := exec.LookPath("wine"); err != nil {
		t.Skip("what is for Windows is not tested: wine is not installed (Debian's packages wine and wine64)")
	}
	dirs := [2]string{t.TempDir(), t.TempDir()}
	unpack(t, made(t, dir, "*-linux-amd64.tar.gz"), dirs[0])
	unpack(t, made(t, dir, "*-windows-amd64.zip"), dirs[1])
	linux, windows := made(t, dirs[0], "*/bunraku"), made(t, dirs[1], "*/bunraku.exe")
	prefix := t.TempDir()
	env := []string{"WINEPREFIX=" + prefix, "WINEDEBUG=-all", "DISPLAY="}
	if out, err := script(t, root, env, "wineboot", "--init"); err != nil {
		t.Skipf("wine does not start here: %v\n%s", err, out)
	}
	defer script(t, root, env, "wineserver", "--kill") // its own of this prefix, which goes away now
	// Since Go 1.22, programs want a library that Windows has had since 2012, and wine since its version 9.
	library := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(library); errors.Is(err, os.ErrNotExist) {
		if err := os.WriteFile(library, forwarder("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	shown := func(out string) string {
		return took.ReplaceAllString(strings.NewReplacer("\r\n", "\n", `\`, "/").Replace(out), "")
	}
	for _, args := range [][]string{{"check", "examples/shop"}, {"check", "docs/examples/unreached"},
		{"check", "examples/shop", "--coverage"}, {"facts", "show", "windows-2022"}, {"explain", "V101"},
		{"verify", "examples/shop", "--facts", "examples/shop/facts/web2.json"}, {"lint", "examples/shop"},
		{"explain", "examples/shop", "--facts", "examples/shop/facts/web2.json", "File[/etc/nginx/conf.d/gzip.conf]",
			"content"}} {
		want, wantErr := script(t, root, nil, linux, args...)
		got, gotErr := script(t, root, env, "wine", append([]string{windows}, args...)...)
		if shown(got) != shown(want) || code(gotErr) != code(wantErr) {
			t.Errorf("%s ends with %d on Windows, and with %d here:\n%s\n%s", strings.Join(args, " "), code(gotErr),
				code(wantErr), got, want)
		}
	}
}

// code is what a program ended with.
func code(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case asExit(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// unpack writes the files of an archive below a directory.
func unpack(t *testing.T, archive, to string) {
	t.Helper()
	put := func(name string, r io.Reader) {
		at := filepath.Join(to, filepath.FromSlash(name))
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if strings.HasSuffix(archive, ".zip") {
		z, err := zip.OpenReader(archive)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			put(f.Name, r)
			r.Close()
		}
		return
	}
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			put(h.Name, r)
		}
	}
}

// forwarder is a library for Windows on amd64 that has one function, which is another one of another library: the
// headers, and a section with nothing but the table of what it exports.
func forwarder(name, function, to string) []byte {
	const at, aligned, header = 0x1000, 0x200, 0x40
	put := func(b *bytes.Buffer, values ...any) {
		for _, v := range values {
			binary.Write(b, binary.LittleEndian, v) // into memory: it cannot fail
		}
	}
	var table bytes.Buffer // IMAGE_EXPORT_DIRECTORY, then what it points to
	functions := uint32(at + 40)
	names, ordinals, texts := functions+4, functions+8, functions+12
	nameAt := texts
	functionAt := nameAt + uint32(len(name)) + 1
	toAt := functionAt + uint32(len(function)) + 1
	put(&table, uint32(0), uint32(0), uint32(0), nameAt, uint32(1), uint32(1), uint32(1), functions, names, ordinals)
	put(&table, toAt, functionAt, uint32(0))
	table.WriteString(name + "\x00" + function + "\x00" + to + "\x00")
	var b bytes.Buffer
	b.WriteString("MZ" + strings.Repeat("\x00", header-6))
	put(&b, uint32(header))
	b.WriteString("PE\x00\x00")
	put(&b, uint16(0x8664), uint16(1), uint32(0), uint32(0), uint32(0), uint16(240), uint16(0x2022)) // a library
	put(&b, uint16(0x20b), uint16(14), uint32(0), uint32(aligned), uint32(0), uint32(0), uint32(0))
	put(&b, uint64(0x180000000), uint32(at), uint32(aligned), uint16(6), uint16(0), uint32(0), uint16(6), uint16(0),
		uint32(0), uint32(2*at), uint32(aligned), uint32(0), uint16(3), uint16(0x100))
	put(&b, uint64(1<<20), uint64(1<<12), uint64(1<<20), uint64(1<<12), uint32(0), uint32(16))
	put(&b, uint32(at), uint32(table.Len()), [30]uint32{}) // the directories: what is exported, and 15 others
	b.WriteString(".edata\x00\x00")
	put(&b, uint32(table.Len()), uint32(at), uint32(aligned), uint32(aligned), [12]byte{}, uint32(0x40000040))
	b.Write(make([]byte, aligned-b.Len()))
	b.Write(table.Bytes())
	b.Write(make([]byte, 2*aligned-b.Len()))
	return b.Bytes()
}
