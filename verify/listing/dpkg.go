package listing

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// dpkg is the database of a Debian system: info/NAME.list, info/NAME.conffiles, and the fields of status.
type dpkg struct {
	dir       string
	pulls     map[string][]string
	conffiles map[string][]string
	entries   []*entry // that are installed
	byName    map[string]uint32
	scripted  bool   // the scripts of its packages are there too
	root      string // of the machine, if its files are there too: they can be asked what is a directory
}

func openDpkg(dir string) (*dpkg, error) {
	d, err := readStatus(dir, nil)
	if err != nil {
		return nil, err
	}
	d.scripted = hasScripts(dir)
	resolve := newResolver(d.entries, d.byName)
	for _, e := range d.entries {
		d.pulls[e.name] = resolve.depends(e)
	}
	return d, nil
}

func readStatus(dir string, count func(int)) (*dpkg, error) {
	d := &dpkg{dir: dir, pulls: map[string][]string{}, conffiles: map[string][]string{}, byName: map[string]uint32{},
		root: rootOf(dir)}
	status := filepath.Join(dir, "status")
	in, err := open(status, count)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	err = readStanzas(newLines(status, in), packageFields, func(s stanza) error {
		if e := s.entry(); e != nil && validName(e.name) {
			d.byName[e.name] = uint32(len(d.entries))
			d.entries = append(d.entries, e)
			d.conffiles[e.name] = append(d.conffiles[e.name], s.conffiles()...)
		}
		return nil
	})
	return d, err
}

// file finds info/NAME.list, or info/NAME:ARCH.list as multi-arch packages have it; "" if there is none.
func (d *dpkg) file(name, ending string) (string, error) {
	if !plainName(name) {
		return "", nil
	}
	more, err := filepath.Glob(filepath.Join(globQuote(d.dir), "info", globQuote(name)+":*"+ending))
	if err != nil {
		return "", err
	}
	for _, path := range append([]string{filepath.Join(d.dir, "info", name+ending)}, more...) {
		switch _, err := os.Stat(path); {
		case err == nil:
			return path, nil
		case !errors.Is(err, os.ErrNotExist):
			return "", err
		}
	}
	return "", nil
}

func globQuote(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

func (d *dpkg) isDir(p string) bool {
	if d.root == "" {
		return false
	}
	info, err := os.Lstat(filepath.Join(d.root, p))
	return err == nil && info.IsDir()
}

// config lists the configuration files of a package, sorted: those of status, and of info while dpkg has not written
// them there.
func (d *dpkg) config(name string) ([]string, error) {
	out := slices.Clone(d.conffiles[name])
	path, err := d.file(name, ".conffiles")
	if err != nil {
		return nil, err
	}
	if path != "" {
		text, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer text.Close()
		s := bufio.NewScanner(text)
		for s.Scan() {
			// dpkg writes flags such as remove-on-upgrade in front of the path; a file so marked is no longer in the package.
			if strings.HasPrefix(s.Text(), "/") {
				out = append(out, strings.TrimSpace(s.Text()))
			}
		}
		if err := s.Err(); err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (d *dpkg) find(name string) (*Package, error) {
	path, err := d.file(name, ".list")
	if path == "" || err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := newPackage(name, path, strings.Split(string(text), "\n"), d.isDir)
	p.Known = true
	p.Conffiles, err = d.config(name)
	if i, ok := d.byName[name]; ok {
		p.Version, p.Base = d.entries[i].version, d.entries[i].base
	}
	return p, err
}

func (d *dpkg) depends(name string) []string { return d.pulls[name] }

func (d *dpkg) names() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(globQuote(d.dir), "info", "*.list"))
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

func (d *dpkg) owners(file string) ([]string, bool, error) { return scanOwners(d, file) }

// readDpkg imports a database of dpkg.
func readDpkg(b *builder, dir string, count func(int)) error {
	d, err := readStatus(dir, count)
	if err != nil {
		return err
	}
	for _, e := range d.entries {
		e.known = true
		id, kept, err := b.add(e)
		if err != nil {
			return err
		}
		list, err := d.file(e.name, ".list")
		if err != nil {
			return err
		}
		if !kept || list == "" {
			continue
		}
		config, err := d.config(e.name)
		if err != nil {
			return err
		}
		conf := make(map[string]bool, len(config))
		for _, c := range config {
			conf[c] = true
		}
		if err := readList(b, id, list, d.isDir, conf); err != nil {
			return err
		}
	}
	return nil
}
