// Command packaging builds what people download: archives for every system, packages for Debian and its like and for
// Red Hat's, a list of what the program is made of, and checksums. Two runs on one revision write the same bytes: every
// time is that of the revision, every list is sorted.
//
//	make dist        writes dist/
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

// A target is a system that there is an archive for.
type target struct{ os, arch string }

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"}}

// A file is one that goes into an archive or a package.
type file struct {
	name string // inside
	text []byte
	mode int64
}

func main() {
	log.SetFlags(0)
	root := flag.String("root", ".", "the `DIR` of the repository")
	out := flag.String("out", "dist", "the `DIR` to write to")
	only := flag.String("only", "", "build for one target only, such as linux/amd64")
	flag.Parse()
	if err := build(*root, *out, *only); err != nil {
		log.Fatalf("dist: %v", err)
	}
}

func build(root, out, only string) error {
	version, err := versionOf(root)
	if err != nil {
		return err
	}
	when, err := timeOf(root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "bunraku-dist")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	host := filepath.Join(work, "host")
	if err := compile(root, host, target{}); err != nil {
		return err
	}
	shared, err := pages(host, work)
	if err != nil {
		return err
	}
	docs, err := documents(root)
	if err != nil {
		return err
	}
	var made []string
	write := func(name string, text []byte) error {
		made = append(made, name)
		return os.WriteFile(filepath.Join(out, name), text, 0o644)
	}
	for _, t := range targets {
		if only != "" && only != t.os+"/"+t.arch {
			continue
		}
		exe := "bunraku"
		if t.os == "windows" {
			exe += ".exe"
		}
		path := filepath.Join(work, t.os+"-"+t.arch)
		if err := compile(root, path, t); err != nil {
			return err
		}
		program, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dir := fmt.Sprintf("bunraku-%s-%s-%s", version, t.os, t.arch)
		files := []file{{dir + "/" + exe, program, 0o755}}
		for _, f := range append(append([]file{}, docs...), shared...) {
			files = append(files, file{dir + "/" + f.name, f.text, f.mode})
		}
		if t.os == "windows" {
			text, err := zipped(files, when)
			if err != nil {
				return err
			}
			if err := write(dir+".zip", text); err != nil {
				return err
			}
			continue
		}
		text, err := tarred(files, when)
		if err != nil {
			return err
		}
		if err := write(dir+".tar.gz", text); err != nil {
			return err
		}
		if t.os != "linux" {
			continue
		}
		if t.arch == "amd64" {
			bom, err := sbom(path, root, version)
			if err != nil {
				return err
			}
			if err := write("bunraku-"+version+".cdx.json", bom); err != nil {
				return err
			}
		}
		system := installed(program, docs, shared)
		text, err = deb(system, version, t.arch, when)
		if err != nil {
			return err
		}
		if err := write(fmt.Sprintf("bunraku_%s_%s.deb", debVersion(version), t.arch), text); err != nil {
			return err
		}
		if text, err = rpm(system, version, t.arch, when); err != nil {
			return err
		}
		name := fmt.Sprintf("bunraku-%s-1.%s.rpm", rpmVersion(version), rpmArch[t.arch])
		if err := write(name, text); err != nil {
			return err
		}
	}
	return sums(out, made)
}

var versionLine = regexp.MustCompile(`(?m)^const version = "([^"]+)"`)

// versionOf is the version that the program says it has.
func versionOf(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "cmd", "bunraku", "version.go"))
	if err != nil {
		return "", err
	}
	m := versionLine.FindSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("cmd/bunraku/version.go says no version")
	}
	return string(m[1]), nil
}

// timeOf is the time that everything gets: SOURCE_DATE_EPOCH, or that of the revision.
func timeOf(root string) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		cmd := exec.Command("git", "log", "-1", "--format=%ct")
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			return time.Unix(0, 0).UTC(), nil // no repository: a time like any other
		}
		text = strings.TrimSpace(string(out))
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(n, 0).UTC(), err
}

// compile builds the program for a target; the zero target is this machine.
func compile(root, to string, t target) error {
	abs, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", abs, "./cmd/bunraku")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if t.os != "" {
		cmd.Env = append(cmd.Env, "GOOS="+t.os, "GOARCH="+t.arch)
	}
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// pages are the completions and manual pages, as the program writes them.
func pages(program, work string) (files []file, err error) {
	for shell, name := range map[string]string{"bash": "bunraku.bash", "zsh": "_bunraku", "fish": "bunraku.fish",
		"powershell": "bunraku.ps1"} {
		text, err := exec.Command(program, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("completion %s: %w", shell, err)
		}
		files = append(files, file{"completions/" + name, text, 0o644})
	}
	dir := filepath.Join(work, "man")
	if err := exec.Command(program, "man", dir).Run(); err != nil {
		return nil, fmt.Errorf("man: %w", err)
	}
	list, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		return nil, err
	}
	for _, path := range list {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"man/" + filepath.Base(path), text, 0o644})
	}
	sort.Slice(files, func(i, j int) bool { return files[i].name < files[j].name })
	return files, nil
}

// unit is what systemd runs serve by.
const unit = "bunraku.service"

// documents are what every archive has beside the program.
func documents(root string) (files []file, err error) {
	for _, name := range []string{"README.md", "CHANGELOG.md", "LICENSE", "docs/serve.md", "packaging/" + unit} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{filepath.Base(name), text, 0o644})
	}
	return files, nil
}

// installed is where packages put what archives have.
func installed(program []byte, docs, shared []file) (files []file) {
	files = append(files, file{"usr/bin/bunraku", program, 0o755})
	for _, d := range docs {
		name := d.name
		if name == unit {
			files = append(files, file{"usr/lib/systemd/system/" + unit, d.text, 0o644})
			continue
		}
		if name == "LICENSE" {
			name = "copyright"
		}
		files = append(files, file{"usr/share/doc/bunraku/" + name, d.text, 0o644})
	}
	places := map[string]string{"completions/bunraku.bash": "usr/share/bash-completion/completions/bunraku",
		"completions/_bunraku":     "usr/share/zsh/vendor-completions/_bunraku",
		"completions/bunraku.fish": "usr/share/fish/vendor_completions.d/bunraku.fish"}
	for _, s := range shared {
		if to := places[s.name]; to != "" {
			files = append(files, file{to, s.text, 0o644})
		}
		if name, is := strings.CutPrefix(s.name, "man/"); is {
			files = append(files, file{"usr/share/man/man1/" + name, s.text, 0o644})
		}
	}
	sort.Slice(files, func(i, j int) bool { return files[i].name < files[j].name })
	return files
}

// sums writes the checksums of what was made.
func sums(out string, made []string) error {
	sort.Strings(made)
	var b strings.Builder
	for _, name := range made {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		fmt.Fprintf(&b, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(b.String()), 0o644)
}
