package listing

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// An Image is what machines have before their first run: a golden image, in place of the platform's base system. It is
// put together from places, each of which is one of these:
//
//   - the root of a machine: a mounted image, a chroot, what a container's file system was unpacked to. It has every
//
// path
//
//	  and every account, and where dpkg's database is, the packages;
//	- dpkg's database alone (var/lib/dpkg): the packages, with their files;
//	- a file with one thing a line: the name of a package (or what `dpkg-query -W` and `rpm -qa --qf '%{NAME}\n'`
//
// print), a
//
//	path, with a slash at the end for a directory, `user NAME` or `group NAME`. It adds to what is there anyway.
//
// Links are followed as the machine itself would, so that none leads out of the root.
type Image struct {
	places    []string
	names     []string // of packages, sorted
	bases     []*dpkg
	roots     []string
	paths     map[string]Thing // that a list names, and what is above them
	accounts  map[string]bool  // "user deploy"
	elsewhere string           // a source of packages that is not the platform's own; "" for none
}

// A Thing is what is at a path.
type Thing uint8

// The things.
const (
	Nothing Thing = iota
	Directory
	Plain // a file, or what is used like one
	Link
)

// OpenImage reads what is at some places.
func OpenImage(places ...string) (*Image, error) {
	im := &Image{places: places, paths: map[string]Thing{}, accounts: map[string]bool{}}
	for _, place := range places {
		if err := im.open(place); err != nil {
			return nil, err
		}
	}
	if len(im.roots) > 0 && len(im.names) == 0 {
		return nil, fmt.Errorf("%s: there is no dpkg database, so that nothing says which packages are installed; "+
			"name a file with their names too, one a line, as `rpm -qa --qf '%%{NAME}\\n'` prints them", im.roots[0])
	}
	slices.Sort(im.names)
	im.names = slices.Compact(im.names)
	return im, nil
}

func (im *Image) open(place string) error {
	info, err := os.Stat(place)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return im.readList(place)
	}
	there := func(parts ...string) bool {
		_, err := os.Lstat(filepath.Join(append([]string{place}, parts...)...))
		return err == nil
	}
	base := ""
	switch {
	case there("status") && there("info"):
		base = place
	case there("etc", "passwd"):
		if there("var", "lib", "dpkg", "status") {
			base = filepath.Join(place, "var", "lib", "dpkg")
		}
		im.roots = append(im.roots, place)
		if err := im.readRoot(place); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%s: neither the root of a machine (etc/passwd) nor dpkg's database (status, info); "+
			"a file may list packages, paths and accounts, one a line", place)
	}
	if base == "" {
		return nil
	}
	d, err := openDpkg(base)
	if err != nil {
		return err
	}
	im.bases = append(im.bases, d)
	for _, e := range d.entries {
		im.names = append(im.names, e.name)
	}
	return nil
}

// maxImageLine is longer than any path.
const maxImageLine = 1 << 16

// readList reads a file with one thing a line.
func (im *Image) readList(file string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxImageLine)
	for n := 1; s.Scan(); n++ {
		line, _, _ := strings.Cut(s.Text(), "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case strings.HasPrefix(words[0], "/") && len(words) == 1:
			im.addPath(words[0])
		case len(words) == 2 && (words[0] == "user" || words[0] == "group") && !strings.Contains(line, "\t"):
			im.accounts[words[0]+" "+words[1]] = true
		case len(words) == 1 || len(words) == 2 && strings.Contains(line, "\t"): // dpkg-query writes a version behind it
			name, _, _ := strings.Cut(words[0], ":")
			if !validName(name) {
				return fmt.Errorf("%s:%d: %s is no name of a package", file, n, quote(words[0]))
			}
			im.names = append(im.names, name)
		default:
			return fmt.Errorf("%s:%d: %s is no package, no path, no user NAME and no group NAME", file, n,
				quote(strings.TrimSpace(line)))
		}
	}
	return s.Err()
}

// addPath notes a path that a list names. Where it is, there are directories above it.
func (im *Image) addPath(p string) {
	thing := Plain
	if strings.HasSuffix(p, "/") {
		thing = Directory
	}
	p = path.Clean(p)
	if im.paths[p] != Directory {
		im.paths[p] = thing
	}
	for d := path.Dir(p); d != "/"; d = path.Dir(d) {
		im.paths[d] = Directory
	}
}

// readRoot reads the accounts of a machine, and where its packages come from.
func (im *Image) readRoot(root string) error {
	for _, kind := range []string{"user", "group"} {
		file := map[string]string{"user": "/etc/passwd", "group": "/etc/group"}[kind]
		text, err := readSmall(root, file)
		if err != nil {
			return err
		}
		for line := range strings.SplitSeq(text, "\n") {
			if name, _, ok := strings.Cut(line, ":"); ok && name != "" && !strings.HasPrefix(name, "#") {
				im.accounts[kind+" "+name] = true
			}
		}
	}
	text, err := readSmall(root, "/etc/apt/sources.list")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for line := range strings.SplitSeq(text, "\n") {
		// Mirrors of Debian and Ubuntu are called after them, whoever has them.
		words := strings.Fields(line)
		if len(words) > 2 && strings.HasPrefix(words[0], "deb") && !strings.Contains(line, "debian") &&
			!strings.Contains(line, "ubuntu") {
			im.elsewhere = "/etc/apt/sources.list"
		}
	}
	dir, _, ok := follow(root, "/etc/apt/sources.list.d")
	if !ok {
		return nil
	}
	files, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return err
	}
	for _, f := range files {
		if ext := path.Ext(f.Name()); (ext == ".list" || ext == ".sources") && f.Name() != "debian.sources" &&
			f.Name() != "ubuntu.sources" {
			im.elsewhere = path.Join("/etc/apt/sources.list.d", f.Name())
		}
	}
	return nil
}

// maxSmall bounds the files of an image that are read.
const maxSmall = 16 << 20

// readSmall reads a file of a machine.
func readSmall(root, name string) (string, error) {
	real, thing, _ := follow(root, name)
	if thing == Link {
		real, thing, _ = follow(root, real)
	}
	if thing != Plain {
		return "", fmt.Errorf("%s: %w", filepath.Join(root, filepath.FromSlash(name)), fs.ErrNotExist)
	}
	in, err := os.Open(filepath.Join(root, filepath.FromSlash(real)))
	if err != nil {
		return "", err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxSmall))
	return string(text), err
}

// maxHops is how many links a path may lead through.
const maxHops = 40

// follow finds what is at a path of a machine whose root is a directory here, without a look outside of it. Links on
// the way are followed, one at the end is not: its answer is then Link, with where it leads to as the place. ok is
// false if there is nothing.
func follow(root, name string) (place string, thing Thing, ok bool) {
	rest := strings.Split(strings.Trim(path.Clean("/"+name), "/"), "/")
	at := "/"
	for hops := 0; len(rest) > 0; {
		next := path.Join(at, rest[0])
		rest = rest[1:]
		info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(next)))
		if err != nil {
			return next, Nothing, false
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if thing = Plain; info.IsDir() {
				thing = Directory
			} else if len(rest) > 0 {
				return next, Nothing, false
			}
			at = next
			continue
		}
		to, err := os.Readlink(filepath.Join(root, filepath.FromSlash(next)))
		if hops++; err != nil || hops > maxHops {
			return next, Nothing, false
		}
		to = filepath.ToSlash(to)
		if !path.IsAbs(to) {
			to = path.Join(at, to)
		}
		if to = path.Clean("/" + to); len(rest) == 0 {
			return to, Link, true
		}
		if to != "/" {
			rest = append(strings.Split(strings.Trim(to, "/"), "/"), rest...)
		}
		at = "/"
	}
	if at == "/" {
		thing = Directory
	}
	return at, thing, true
}

// Packages are the names of what is installed, sorted.
func (im *Image) Packages() []string {
	if im == nil {
		return nil
	}
	return im.names
}

// Package is what an installed package has put there; nil if only its name is known.
func (im *Image) Package(name string) (*Package, error) {
	if im == nil {
		return nil, nil
	}
	for _, d := range im.bases {
		if _, installed := d.byName[name]; !installed {
			continue
		}
		p, err := d.find(name)
		if p != nil {
			p.Depends = d.depends(name)
		}
		return p, err
	}
	return nil, nil
}

// Whole reports whether the image says of every path and every account whether it is there.
func (im *Image) Whole() bool { return im != nil && len(im.roots) > 0 }

// Replaces reports whether the image says which packages are installed, so that the platform's base system does not.
func (im *Image) Replaces() bool { return im != nil && (len(im.bases) > 0 || len(im.roots) > 0) }

// At is what is at a path. Links on the way are followed, one at the path itself is not.
func (im *Image) At(p string) Thing {
	if im == nil {
		return Nothing
	}
	for _, root := range im.roots {
		if _, thing, ok := follow(root, p); ok {
			return thing
		}
	}
	return im.paths[path.Clean(p)]
}

// Leads is where a link leads to, if that is a directory.
func (im *Image) Leads(p string) (to string, ok bool) {
	if im == nil {
		return "", false
	}
	for _, root := range im.roots {
		to, thing, _ := follow(root, p)
		for hops := 0; thing == Link && hops < maxHops; hops++ {
			if to, thing, _ = follow(root, to); thing == Directory {
				return to, true
			}
		}
	}
	return "", false
}

// Account reports whether there is an account: "user deploy".
func (im *Image) Account(name string) bool { return im != nil && im.accounts[name] }

// OtherSource is a file of the image that names a source of packages other than the platform's own archive; "" for
// none.
func (im *Image) OtherSource() string {
	if im == nil {
		return ""
	}
	return im.elsewhere
}

// String names the places.
func (im *Image) String() string { return strings.Join(im.places, " and ") }
