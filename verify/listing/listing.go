// Package listing knows which files a package installs, which of them are configuration files, and which packages it
// pulls in: what Rehearsal asked a web service for (§3.3) and what a model of the package type needs.
//
// A Set is several sources, asked in order:
//
//	folder.go    folders with one plain list per package
//	dpkg.go      the database of dpkg; script.go which accounts its packages make
//	store.go     a store: one indexed file with the lists of many platforms (record.go and builder.go have its layout)
//	embedded.go  the built-in index of Debian's packages that have files in /etc or a service
//	names.go     the names of all of Debian's packages, and which of them bring nothing but programs and data
//
// An Image is what a machine has before its first run: image.go.
//
// An Import fills a store from any source that kind.go can tell: the first two, the archives of Debian and Ubuntu
// (control.go, contents.go), RPM repositories (rpm.go). Sources may come from anywhere: unpack.go and path.go hold what
// is refused. Select chooses the sources for a platform.
//
// The package imports nothing of this module. Start reading at Package and Select.
package listing

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Package is what one package brings.
type Package struct {
	Name    string
	Version string   // "" if nobody has said
	Files   []string // clean, absolute, sorted; directories are in Dirs
	Dirs    []string // sorted; every directory above a file is there, the root is not
	// Conffiles are those of the files that an administrator may edit, sorted. If Known is false, nobody has said which
	// they are.
	Conffiles []string
	Known     bool
	// NoEmpty says that directories without files are missing: archives do not list them.
	NoEmpty bool
	// Partial says that of what is outside of /etc and /var only programs, units and some directories are listed.
	Partial bool
	// Base says that every machine of the platform has the package.
	Base    bool
	Depends []string // packages that it pulls in, sorted
	From    string   // where the list is, for people
}

// Silent reports whether the list may leave out a directory that the package brings.
func (p *Package) Silent(dir string) bool {
	return p.NoEmpty || p.Partial && !strings.HasPrefix(dir, "/etc/") && !strings.HasPrefix(dir, "/var/")
}

// Services are the services that the package brings, sorted.
func (p *Package) Services() []string {
	var out []string
	for _, f := range p.Files {
		if s := Service(f); s != "" {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Config reports whether a file of the package is a configuration file. Debian's tools mark all files below /etc as
// such, so that is the answer when nobody has said.
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
	// owners lists the packages that have a file or directory; many says that there are more than anyone wants to read.
	owners(file string) (names []string, many bool, err error)
}

// A Set is a list of sources. The first that has a package gives its files; folders and databases all say what it
// depends on. It is not safe for concurrent use.
type Set struct {
	sources []source
	notes   []string // of each source: what to say if it was used; "" for nothing
	shut    string   // what to say of a store that may not be read
	used    []bool
	missed  []string // packages that no source has
	none    string   // what to say then
	close   []func() error
	cache   map[string]*Package
	peeked  map[string]*Package
	archive *names // of the whole archive of the platform; nil if there is no such index
}

func newSet() *Set { return &Set{cache: map[string]*Package{}} }

func (s *Set) add(src source, note string) {
	s.sources, s.notes, s.used = append(s.sources, src), append(s.notes, note), append(s.used, false)
}

// Open opens lists for a platform such as "ubuntu-14.04". Each is a folder of plain lists, perhaps with lists that are
// right for one platform only in a folder of that name, or the database of dpkg (/var/lib/dpkg), or a store.
func Open(platform string, places ...string) (*Set, error) {
	s := newSet()
	for _, place := range places {
		if err := s.open(platform, place); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

func (s *Set) open(platform, place string) error {
	info, err := os.Stat(place)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		if ok, err := isStore(place); err != nil || !ok {
			return cmpError(err,
				fmt.Errorf("%s: package lists are in a folder or in a store that `bunraku packages import` made", place))
		}
		return s.openStore(platform, place)
	}
	if f, err := detect(place); err == nil && f.kind == Dpkg {
		d, err := openDpkg(f.dir)
		if err != nil {
			return err
		}
		s.add(d, "")
		return nil
	} else if err == nil && f.kind != Folder {
		return fmt.Errorf("%s: an archive's lists (%s) have to be imported first: bunraku packages import %[1]s", place,
			f.kind)
	}
	for _, d := range []string{filepath.Join(place, platform), place} {
		if d != place {
			if info, err := os.Stat(d); platform == "" || err != nil || !info.IsDir() {
				continue
			}
		}
		f, err := openFolder(d)
		if err != nil {
			return err
		}
		s.add(f, "")
	}
	return nil
}

func cmpError(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// openStore adds the platform of a store that is nearest to the wanted one.
func (s *Set) openStore(platform, file string) error {
	store, err := OpenStore(file)
	if err != nil {
		return err
	}
	s.close = append(s.close, store.Close)
	choice, note, err := store.choose(platform)
	if err != nil || choice == "" {
		return err
	}
	s.add(&storeSource{store: store, platform: choice}, note)
	return nil
}

// Close closes the stores of a set.
func (s *Set) Close() error {
	if s == nil {
		return nil
	}
	var first error
	for _, c := range s.close {
		if err := c(); err != nil && first == nil {
			first = err
		}
	}
	s.close = nil
	return first
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
	for i, src := range s.sources {
		if found == nil {
			p, err := src.find(name)
			if err != nil {
				return nil, err
			}
			found = p
			s.used[i] = s.used[i] || p != nil
		}
		depends = append(depends, src.depends(name)...)
	}
	if found != nil {
		found.Depends = slices.Compact(slices.Sorted(slices.Values(append(depends, found.Depends...))))
	} else {
		s.missed = append(s.missed, name)
	}
	s.cache[name] = found
	return found, nil
}

// Peek is Package for who only wants to know what is usual: it does not count as a use of the lists.
func (s *Set) Peek(name string) (*Package, error) {
	if s == nil {
		return nil, nil
	}
	if p, ok := s.cache[name]; ok {
		return p, nil
	}
	if p, ok := s.peeked[name]; ok {
		return p, nil
	}
	if s.peeked == nil {
		s.peeked = map[string]*Package{}
	}
	for _, src := range s.sources {
		p, err := src.find(name)
		if err != nil {
			return nil, err
		}
		if p != nil {
			s.peeked[name] = p
			return p, nil
		}
	}
	s.peeked[name] = nil
	return nil, nil
}

// Base is Peek for packages of the base system: nil if the first source that has a list of it does not count it among
// them.
func (s *Set) Base(name string) (*Package, error) {
	for _, src := range s.sources {
		find := src.find
		if x, ok := src.(*index); ok {
			find = func(name string) (*Package, error) { return x.findIn(0, x.rest, name) }
		}
		if p, err := find(name); p != nil || err != nil {
			if p != nil && !p.Base {
				p = nil
			}
			return p, err
		}
	}
	return nil, nil
}

// Owners lists the packages that have a file or a directory, sorted. many says that there are more than these.
func (s *Set) Owners(file string) (names []string, many bool, err error) {
	for i, src := range s.sources {
		some, lots, err := src.owners(file)
		if err != nil {
			return nil, false, err
		}
		s.used[i] = s.used[i] || len(some) > 0
		names, many = append(names, some...), many || lots
	}
	slices.Sort(names)
	return slices.Compact(names), many, nil
}

// Notes are what people should know of the lists that were used so far: that they are of another platform, or that
// there are none.
func (s *Set) Notes() []string {
	if s == nil {
		return nil
	}
	var out []string
	for i, note := range s.notes {
		if s.used[i] && note != "" {
			out = append(out, note)
		}
	}
	if s.none != "" && len(s.missed) > 0 {
		out = append(out, s.none)
	}
	if s.shut != "" {
		out = append(out, s.shut)
	}
	return out
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

// scanOwners asks every package of a source: there is no index.
func scanOwners(src source, file string) (out []string, many bool, err error) {
	names, err := src.names()
	if err != nil {
		return nil, false, err
	}
	for _, name := range names {
		p, err := src.find(name)
		if err != nil {
			return nil, false, err
		}
		if p == nil {
			continue
		}
		_, isFile := slices.BinarySearch(p.Files, file)
		_, isDir := slices.BinarySearch(p.Dirs, file)
		if isFile || isDir {
			if len(out) == manyOwners {
				return out, true, nil
			}
			out = append(out, name)
		}
	}
	return out, false, nil
}

// newPackage sorts a plain list of paths into files and directories. What has something below it, or is written with a
// slash at the end, is a directory; isDir, if given, decides about the rest.
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
