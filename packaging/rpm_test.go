package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
)

// A package that we write is one for rpm itself: it has the digests that it says, the files and what is known of them,
// and it installs, verifies and goes again.
func TestRPM(t *testing.T) {
	live.Tool(t, "rpm")
	when := time.Unix(1700000000, 0).UTC()
	files := installed([]byte("#!/bin/sh\necho bunraku runs\n"), []file{{"LICENSE", []byte("free\n"), 0o644},
		{"README.md", []byte("read\n"), 0o644}}, []file{{"man/bunraku.1", []byte(".TH\n"), 0o644},
		{"completions/bunraku.bash", []byte("x\n"), 0o644}})
	text, err := rpm(files, "0.2.0-dev", "amd64", when)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := rpm(files, "0.2.0-dev", "amd64", when); err != nil || !bytes.Equal(text, again) {
		t.Errorf("two runs write different packages (%v)", err)
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "bunraku.rpm")
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.Command("rpm", append([]string{"--dbpath", filepath.Join(dir, "db")}, args...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("rpm %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	if out := run("-Kv", name); strings.Count(out, ": OK") != 4 || strings.Contains(out, "BAD") {
		t.Errorf("the digests are not those of the package:\n%s", out)
	}
	out := run("-qp", "--qf", "%{NAME} %{VERSION} %{RELEASE} %{ARCH} %{OS} %{BUILDTIME} %{SIZE}\n", name)
	if want := "bunraku 0.2.0~dev 1 x86_64 linux 1700000000 44\n"; out != want {
		t.Errorf("it says of itself %q, want %q", out, want)
	}
	out = run("-qp", "--qf", "[%{FILENAMES} %{FILEMODES:perms} %{FILEUSERNAME} %{FILESIZES}\n]", name)
	if want := "/usr/bin/bunraku -rwxr-xr-x root 28\n" +
		"/usr/share/bash-completion/completions/bunraku -rw-r--r-- root 2\n" +
		"/usr/share/doc/bunraku/README.md -rw-r--r-- root 5\n/usr/share/doc/bunraku/copyright -rw-r--r-- root 5\n" +
		"/usr/share/man/man1/bunraku.1 -rw-r--r-- root 4\n"; out != want {
		t.Errorf("its files are\n%swant\n%s", out, want)
	}
	text[len(text)-20] ^= 1
	if err := os.WriteFile(name+".bad", text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("rpm", "--dbpath", filepath.Join(dir, "db"), "-K", name+".bad").Run(); err == nil {
		t.Error("a byte was changed, and rpm finds the package in order: it was asked nothing")
	}
	if os.Getuid() != 0 {
		t.Log("to install it needs root")
		return
	}
	root := filepath.Join(dir, "root")
	run("--root", root, "--noscripts", "-i", name)
	if got, err := os.ReadFile(filepath.Join(root, "usr/share/doc/bunraku/copyright")); err != nil || string(got) != "free\n" {
		t.Errorf("installed: %q, %v", got, err)
	}
	run("--root", root, "-V", "bunraku")
	run("--root", root, "-e", "bunraku")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/bunraku")); err == nil {
		t.Error("it was taken away, and the program is still there")
	}
}
