package listing

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// dpkg is the database of a Debian system: info/NAME.list, info/NAME.conffiles, and Depends in status.
type dpkg struct {
	dir   string
	pulls map[string][]string
	here  bool // it is this machine's own, so the file system can be asked what is a directory
}

func openDpkg(dir string) (*dpkg, error) {
	d := &dpkg{dir: dir, pulls: map[string][]string{}, here: filepath.Clean(dir) == "/var/lib/dpkg"}
	in, err := os.Open(filepath.Join(dir, "status"))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	lines, err := readLines(in)
	if err != nil {
		return nil, err
	}
	name := ""
	for _, l := range lines {
		switch key, rest, _ := strings.Cut(l, ":"); key {
		case "Package":
			name = strings.TrimSpace(rest)
		case "Depends", "Pre-Depends":
			d.pulls[name] = append(d.pulls[name], parseDepends(rest)...)
		}
	}
	return d, nil
}

// parseDepends takes the first of each group of alternatives: "libc6 (>= 2.36), debconf | debconf-2.0" gives libc6 and debconf.
func parseDepends(s string) []string {
	var out []string
	for group := range strings.SplitSeq(s, ",") {
		first, _, _ := strings.Cut(group, "|")
		if words := strings.Fields(first); len(words) > 0 {
			name, _, _ := strings.Cut(words[0], ":")
			out = append(out, name)
		}
	}
	return out
}

// file finds info/NAME.list, or info/NAME:ARCH.list as multi-arch packages have it.
func (d *dpkg) file(name, ending string) ([]string, string, error) {
	if !plainName(name) {
		return nil, "", nil
	}
	candidates := []string{filepath.Join(d.dir, "info", name+ending)}
	more, err := filepath.Glob(filepath.Join(d.dir, "info", globQuote(name)+":*"+ending))
	if err != nil {
		return nil, "", err
	}
	for _, path := range append(candidates, more...) {
		text, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		return strings.Split(string(text), "\n"), path, nil
	}
	return nil, "", nil
}

func globQuote(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

func (d *dpkg) find(name string) (*Package, error) {
	lines, path, err := d.file(name, ".list")
	if lines == nil || err != nil {
		return nil, err
	}
	isDir := func(p string) bool {
		info, err := os.Lstat(p)
		return d.here && err == nil && info.IsDir()
	}
	p := newPackage(name, path, lines, isDir)
	p.Known = true
	lines, _, err = d.file(name, ".conffiles")
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		// dpkg writes flags such as remove-on-upgrade in front of the path.
		if words := strings.Fields(l); len(words) > 0 {
			p.Conffiles = append(p.Conffiles, words[len(words)-1])
		}
	}
	slices.Sort(p.Conffiles)
	return p, nil
}

func (d *dpkg) depends(name string) []string { return d.pulls[name] }

func (d *dpkg) names() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(d.dir, "info", "*.list"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range files {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(f), ".list"), ":")
		out = append(out, name)
	}
	return out, nil
}
