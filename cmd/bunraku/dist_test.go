package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// TestAcceptDist: two runs of make dist write the same bytes; the package installs and runs in a bare Debian.
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
	debs, err := filepath.Glob(filepath.Join(dirs[0], "*_amd64.deb"))
	if err != nil || len(debs) != 1 {
		t.Fatalf("%v %v", debs, err)
	}
	if out, err := script(t, dirs[0], nil, "dpkg-deb", "--info", debs[0]); err != nil ||
		!strings.Contains(out, "Package: bunraku") {
		t.Errorf("%v\n%s", err, out)
	}
	bare := filepath.Join(os.Getenv("BUNRAKU_FETCHED"), "bare") // a bare Debian 12: debootstrap --variant=minbase bookworm
	if _, err := os.Stat(filepath.Join(bare, "etc", "debian_version")); err != nil || os.Getuid() != 0 {
		t.Log("there is no bare Debian to install in")
		return
	}
	text, err := os.ReadFile(debs[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bare, "tmp", "bunraku.deb"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(filepath.Join(bare, "tmp", "bunraku.deb"))
	out, err := script(t, root, nil, "chroot", bare, "sh", "-c",
		"dpkg -i /tmp/bunraku.deb && bunraku --version && bunraku facts show debian-12 >/dev/null && dpkg -V bunraku && "+
			"dpkg -P bunraku")
	t.Logf("in a bare Debian 12: %v", err)
	if err != nil || !strings.Contains(out, "speaks Puppet 8") {
		t.Errorf("%v\n%s", err, out)
	}
}
