package listing

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A folder has one file per package, named after it, with one path a line. A line that ends in a slash is a directory.
// The file DEPENDS, if there is one, has lines with a package, a tab, and the packages that it pulls in, separated by
// blanks.
type folder struct {
	dir   string
	pulls map[string][]string
}

const dependsFile = "DEPENDS"

func openFolder(dir string) (*folder, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	f := &folder{dir: dir, pulls: map[string][]string{}}
	in, err := os.Open(filepath.Join(dir, dependsFile))
	if errors.Is(err, os.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	lines, err := readLines(in)
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		if name, list, ok := strings.Cut(l, "\t"); ok {
			f.pulls[name] = append(f.pulls[name], strings.Fields(list)...)
		}
	}
	return f, nil
}

func readLines(in io.Reader) ([]string, error) {
	var lines []string
	s := bufio.NewScanner(in)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	return lines, s.Err()
}

func (f *folder) find(name string) (*Package, error) {
	if !plainName(name) {
		return nil, nil
	}
	path := filepath.Join(f.dir, name)
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return newPackage(name, path, strings.Split(string(text), "\n"), nil), nil
}

// plainName reports whether a name can be the name of a list and of nothing outside the folder.
func plainName(name string) bool {
	return name != "" && name != dependsFile && name != "README" && name[0] != '.' && !strings.ContainsAny(name, "/\\\x00")
}

func (f *folder) depends(name string) []string { return f.pulls[name] }

func (f *folder) names() ([]string, error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() && plainName(e.Name()) && !strings.HasSuffix(e.Name(), "~") {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

func (f *folder) owners(file string) ([]string, bool, error) { return scanOwners(f, file) }
