package listing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An Import says what to read and where to put it.
type Import struct {
	Sources  []string // see Kind; what each is, is found out
	Platform string   // "" for what the sources say
	Store    string   // is made if it is not there
	Replace  bool     // drop what the store has of the platform
	Now      time.Time
	Progress func(done, total int64) // may be nil
}

// stale is the age at which what a killed import has left is removed.
const stale = 24 * time.Hour

// Run reads the sources and puts them into the store, all or nothing. It returns the layers that it made.
func (im Import) Run(ctx context.Context) ([]Layer, error) {
	if im.Platform != "" {
		if err := checkPlatform(im.Platform); err != nil {
			return nil, err
		}
	}
	groups, err := im.groups()
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(im.Store)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	sweep(dir)
	meter := &meter{tell: im.Progress}
	for _, g := range groups {
		for _, f := range g.sources {
			for _, name := range f.files() {
				info, err := os.Stat(name)
				if err != nil {
					return nil, err
				}
				meter.bytes += info.Size()
			}
		}
	}
	for _, g := range groups {
		if g.b, err = newBuilder(ctx, dir); err != nil {
			return nil, err
		}
		defer g.b.close()
		g.b.progress = meter.wrote
		for _, f := range g.sources {
			if err := f.read(g.b, meter.read); err != nil {
				return nil, err
			}
		}
		if len(g.b.entries) == 0 {
			return nil, fmt.Errorf("%s: there is no package in it", strings.Join(g.names(), ", "))
		}
	}
	return im.write(groups)
}

// write makes the new store.
func (im Import) write(groups []*group) ([]Layer, error) {
	w, err := newRewrite(im.Store, groups[0].b.dir)
	if err != nil {
		return nil, err
	}
	err = im.keep(w, groups)
	var out []Layer
	for _, g := range groups {
		if err != nil {
			break
		}
		w.at(g.platform, g.key())
		if err = g.b.write(w); err == nil {
			l := Layer{Platform: g.platform, Kind: g.kind, Sources: g.names(), Date: im.Now.UTC().Truncate(time.Second),
				Packages: len(g.b.entries), Files: g.b.count, Skipped: g.b.skipped}
			for _, f := range g.sources {
				l.Notes = append(l.Notes, f.notes...)
			}
			out = append(out, l)
			err = w.info(l)
		}
	}
	if err != nil {
		w.abort()
		return nil, err
	}
	return out, w.finish()
}

// keep copies what stays of the old store.
func (im Import) keep(w *rewrite, groups []*group) error {
	if w.was == nil {
		return nil
	}
	old, err := OpenStore(im.Store)
	if err != nil {
		return fmt.Errorf("%w (or remove the file)", err)
	}
	defer old.Close()
	return w.copy(old, func(l Layer, key string) bool {
		return slices.ContainsFunc(groups, func(g *group) bool {
			return g.platform == l.Platform &&
				(im.Replace || g.key() == key)
		})
	})
}

// A group is the sources of one kind: they become one layer.
type group struct {
	kind     Kind
	platform string
	sources  []*found
	b        *builder
}

func (g *group) names() (out []string) {
	for _, f := range g.sources {
		out = append(out, f.source)
	}
	return out
}

func (g *group) key() string { return layerKey(g.kind, g.names()) }

func (im Import) groups() ([]*group, error) {
	var out []*group
	for _, source := range im.Sources {
		source, err := filepath.Abs(source) // the store is read from anywhere
		if err != nil {
			return nil, err
		}
		f, err := detect(source)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(out, func(g *group) bool { return g.kind == f.kind })
		if i < 0 {
			i = len(out)
			out = append(out, &group{kind: f.kind, platform: im.Platform})
		}
		g := out[i]
		g.sources = append(g.sources, f)
		switch {
		case im.Platform != "" || f.platform == "":
		case g.platform == "":
			g.platform = f.platform
		case g.platform != f.platform:
			return nil, fmt.Errorf("%s is of %s, and other sources of %s: import them one by one", source, f.platform,
				g.platform)
		}
	}
	for _, g := range out {
		if g.platform == "" {
			return nil, fmt.Errorf("%s: it does not say what it is for; say it with --platform, such as debian-12",
				strings.Join(g.names(), ", "))
		}
	}
	if len(out) == 0 {
		return nil, errors.New("nothing to import")
	}
	return out, nil
}

// meter adds up progress: reading is the longer part.
type meter struct {
	tell        func(done, total int64)
	bytes, seen int64
}

const readShare = 60

func (m *meter) read(n int) {
	m.seen += int64(n)
	if m.tell != nil {
		m.tell(readShare*min(m.seen, m.bytes)/max(m.bytes, 1), 100)
	}
}

func (m *meter) wrote(done, total int) {
	if m.tell != nil {
		m.tell(readShare+int64(100-readShare)*int64(done)/int64(max(total, 1)), 100)
	}
}

// sweep removes what killed imports have left.
func sweep(dir string) {
	old, err := filepath.Glob(filepath.Join(dir, ".import-*"))
	if err != nil {
		return
	}
	for _, d := range old {
		if info, err := os.Stat(d); err == nil && time.Since(info.ModTime()) > stale {
			os.RemoveAll(d)
		}
	}
}

// read reads a source.
func (f *found) read(b *builder, count func(int)) error {
	switch f.kind {
	case Folder:
		return readFolder(b, f.dir)
	case Dpkg:
		return readDpkg(b, f.dir, count)
	case RPM:
		return readRPM(b, f.repo, count)
	}
	for _, file := range f.packages {
		if err := readPackagesFile(b, file, count); err != nil {
			return err
		}
	}
	for _, file := range f.contents {
		if err := readContentsFile(b, file, count); err != nil {
			return err
		}
	}
	return nil
}

func readPackagesFile(b *builder, file string, count func(int)) error {
	in, err := open(file, count)
	if err != nil {
		return err
	}
	defer in.Close()
	return readStanzas(newLines(file, in), packageFields, func(s stanza) error {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		e := s.entry()
		if e == nil {
			return nil
		}
		e.noEmpty = true
		_, _, err := b.add(e)
		return err
	})
}

func readContentsFile(b *builder, file string, count func(int)) error {
	in, err := open(file, count)
	if err != nil {
		return err
	}
	defer in.Close()
	return readContents(newLines(file, in), func(path string, packages [][]byte) error {
		for _, name := range packages {
			id, ok, err := b.named(name)
			if err == nil && ok {
				err = b.file(id, path, 0)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}, func() { b.skipped++ })
}

func readRPM(b *builder, repo *repodata, count func(int)) error {
	for _, file := range []string{repo.primary, repo.filelists} {
		if err := repo.check(file); err != nil {
			return err
		}
	}
	in, err := open(repo.primary, count)
	if err != nil {
		return err
	}
	defer in.Close()
	err = readPrimary(newMarkup(repo.primary, in), func(e *entry) error {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		_, _, err := b.add(e)
		return err
	})
	if err != nil {
		return err
	}
	lists, err := open(repo.filelists, count)
	if err != nil {
		return err
	}
	defer lists.Close()
	var present uint32
	pick := func(name string, file uint64) bool {
		id, ok := b.byName[name]
		present = id
		return ok && b.entries[id].file == file
	}
	each := func(path string, mark byte) error { return b.file(present, path, mark) }
	return readFilelists(newMarkup(repo.filelists, lists), pick, each, func() { b.skipped++ })
}

// readFolder reads a folder of plain lists.
func readFolder(b *builder, dir string) error {
	f, err := openFolder(dir)
	if err != nil {
		return err
	}
	names, err := f.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		e := &entry{name: name, rank: optional}
		for _, d := range f.depends(name) {
			e.needs = append(e.needs, []string{d})
		}
		id, kept, err := b.add(e)
		if err != nil {
			return err
		}
		if kept {
			if err := readList(b, id, filepath.Join(dir, name), nil, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// readList reads a plain list: one path a line, a slash at the end of directories.
func readList(b *builder, id uint32, file string, isDir func(string) bool, conffiles map[string]bool) error {
	in, err := open(file, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	l := newLines(file, in)
	for {
		line, ok := l.next()
		if !ok {
			return l.err
		}
		text := strings.TrimRight(string(line), "\r")
		if !strings.HasPrefix(text, "/") {
			if strings.TrimSpace(text) != "" {
				b.skipped++
			}
			continue
		}
		path, err := cleanPath(text)
		if err != nil {
			return l.trouble("%v", err)
		}
		if path == "" { // the root, which dpkg lists first
			continue
		}
		var mark byte
		switch {
		case strings.HasSuffix(text, "/") || isDir != nil && isDir(path):
			mark = markDir
		case conffiles[path]:
			mark = markConf
		}
		if err := b.file(id, path, mark); err != nil {
			return err
		}
	}
}
