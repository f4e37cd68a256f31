// Package listing knows which files a package installs, which of them are configuration files, and which packages it
// pulls in: what Rehearsal asked a web service for (§3.3) and what a model of the package type needs.
//
// A Set is several sources, asked in order: folders with one plain list per package (folder.go), the database of dpkg
// (dpkg.go). Lists are read when they are asked for.
//
// The package imports nothing of this module. Start reading at Package and Open.
package listing

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Package is what one package brings.
type Package struct {
	Name  string
	Files []string // clean, absolute, sorted; directories are in Dirs
	Dirs  []string // sorted; every directory above a file is there, the root is not
	// Conffiles are those of the files that an administrator may edit. If Known is false, nobody has said which they are.
	Conffiles []string
	Known     bool
	Depends   []string // packages that it pulls in, sorted
	From      string   // where the list is, for people
}

// Config reports whether a file of the package is a configuration file. Debian's tools mark all files below /etc as such, so
// that is the answer when nobody has said.
func (p *Package) Config(file string) bool {
	if p.Known {
		_, ok := slices.BinarySearch(p.Conffiles, file)
		return ok
	}
	return strings.HasPrefix(file, "/etc/")
}

// A source finds packages in one place. It returns nil for a package that it does not have.
type source interface {
	find(name string) (*Package, error)
	depends(name string) []string
	names() ([]string, error)
}

// A Set is a list of sources. The first that has a package gives its files; all of them say what it depends on. It is not safe for
// concurrent use.
type Set struct {
	sources []source
	cache   map[string]*Package
}

// Open opens the given folders for a platform such as "ubuntu-14.04". Each is a folder of plain lists, perhaps with lists that are right
// for one platform only in a folder of that name, or the database of dpkg (/var/lib/dpkg).
func Open(platform string, dirs ...string) (*Set, error) {
	s := &Set{cache: map[string]*Package{}}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("%s: package lists are in a folder", dir)
		}
		if _, err := os.Stat(filepath.Join(dir, "info")); err == nil {
			if _, err := os.Stat(filepath.Join(dir, "status")); err == nil {
				d, err := openDpkg(dir)
				if err != nil {
					return nil, err
				}
				s.sources = append(s.sources, d)
				continue
			}
		}
		for _, d := range []string{filepath.Join(dir, platform), dir} {
			if platform == "" && d != dir {
				continue
			}
			f, err := openFolder(d)
			if errors.Is(err, os.ErrNotExist) && d != dir {
				continue
			}
			if err != nil {
				return nil, err
			}
			s.sources = append(s.sources, f)
		}
	}
	return s, nil
}

// Package finds a package. It returns nil if no source has a list of it.
func (s *Set) Package(name string) (*Package, error) {
	if s == nil {
		return nil, nil
	}
	if p, ok := s.cache[name]; ok {
		return p, nil
	}
	var found *Package
	var depends []string
	for _, src := range s.sources {
		if found == nil {
			p, err := src.find(name)
			if err != nil {
				return nil, err
			}
			found = p
		}
		depends = append(depends, src.depends(name)...)
	}
	if found != nil {
		found.Depends = slices.Compact(slices.Sorted(slices.Values(append(depends, found.Depends...))))
	}
	s.cache[name] = found
	return found, nil
}

// Names lists the packages that the set knows, sorted.
func (s *Set) Names() ([]string, error) {
	var all []string
	for _, src := range s.sources {
		names, err := src.names()
		if err != nil {
			return nil, err
		}
		all = append(all, names...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// newPackage sorts a plain list of paths into files and directories. What has something below it, or is written with a slash at the end,
// is a directory; isDir, if given, decides about the rest.
func newPackage(name, from string, paths []string, isDir func(string) bool) *Package {
	p := &Package{Name: name, From: from}
	dirs := map[string]bool{}
	var leaves []string
	for _, line := range paths {
		line = strings.TrimRight(line, "\r")
		if !strings.HasPrefix(line, "/") {
			continue
		}
		clean := path.Clean(line)
		for d := path.Dir(clean); d != "/" && !dirs[d]; d = path.Dir(d) {
			dirs[d] = true
		}
		switch {
		case clean == "/":
		case strings.HasSuffix(line, "/"):
			dirs[clean] = true
		default:
			leaves = append(leaves, clean)
		}
	}
	for _, f := range leaves {
		switch {
		case dirs[f]:
		case isDir != nil && isDir(f):
			dirs[f] = true
		default:
			p.Files = append(p.Files, f)
		}
	}
	for d := range dirs {
		p.Dirs = append(p.Dirs, d)
	}
	slices.Sort(p.Dirs)
	slices.Sort(p.Files)
	p.Files = slices.Compact(p.Files)
	return p
}
