package lookup

import (
	"errors"
	"path/filepath"
	"syscall"

	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/source"
)

// A format says how a data file is read.
type format uint8

const (
	yamlFormat format = iota
	jsonFormat
	hoconFormat
)

// fileKey is a file that is read as data of a format.
type fileKey struct {
	path   string
	format format
}

// dataKey is what a parsed data file depends on.
type dataKey struct {
	digest source.Digest
	name   string
	format format
}

type cached struct {
	file *datafile.File
	err  error
}

// dataCost is about how many bytes parsed data takes for each of its text.
const dataCost = 20

// load reads a file, or takes what an earlier compile read. A file that is not there is an error of fs.ErrNotExist.
func (l *Lookup) load(path string, f format) (*datafile.File, error) {
	k := fileKey{filepath.Clean(path), f}
	if c, known := l.read.Load(k); known {
		return c.(*cached).file, c.(*cached).err
	}
	c, err := l.opt.Files.Read(k.path)
	if err != nil {
		return nil, l.trouble(path, err)
	}
	first, _ := l.read.LoadOrStore(k, parsed(l.opt.Cache, l.opt.Name(k.path), c, f))
	return first.(*cached).file, first.(*cached).err
}

// Parse reads data by the end of their file's name, or takes what was read of the same content before.
func Parse(cache *source.Cache, name string, c source.Content) (*datafile.File, error) {
	f := yamlFormat
	switch filepath.Ext(name) {
	case ".json":
		f = jsonFormat
	case ".conf", ".hocon":
		f = hoconFormat
	}
	made := parsed(cache, name, c, f)
	return made.file, made.err
}

func parsed(cache *source.Cache, name string, c source.Content, f format) *cached {
	return cache.Get(dataKey{c.Digest, name, f}, int64(dataCost*len(c.Text)+1000), func() any {
		return parseData(source.NewFile(name, c.Text), f)
	}).(*cached)
}

func parseData(src *source.File, f format) *cached {
	var root *datafile.Node
	c := &cached{}
	switch f {
	case jsonFormat:
		root, c.err = datafile.ReadJSON(src)
	case hoconFormat:
		root, c.err = datafile.ReadHOCON(src)
	default:
		c.file, c.err = datafile.YAMLFile(src)
		return c
	}
	if c.err == nil {
		c.file = datafile.NewFile(src, root)
	}
	return c
}

// trouble words what is wrong with a file that could not be read.
func (l *Lookup) trouble(path string, err error) error {
	var no *source.Refused
	switch {
	case errors.Is(err, syscall.EISDIR):
		return source.InRuby(err, path)
	case errors.As(err, &no):
		d := &source.Diagnostic{Code: "H0106", Summary: "(" + path + "): the file " + no.Why,
			About: []source.Subject{{Kind: source.UnreadFile, Name: path}}}
		if no.Flag != "" {
			d.Summary += "; allow it with " + no.Flag
			d.Help = "say " + no.Flag + " if it may be read, or --allow-outside if you vouch for the tree"
		}
		return d
	}
	return err
}

// exists reports whether a file is there. One that may not be read is: who asks for it is told.
func (l *Lookup) exists(path string) bool {
	_, err := l.opt.Files.Stat(filepath.Clean(path))
	return err == nil || refused(err)
}

func refused(err error) bool {
	var no *source.Refused
	return errors.As(err, &no)
}

// exists is the same, but for files that may not be read and that the session goes on without.
func (s *Session) exists(path string) bool {
	path = filepath.Clean(path)
	_, err := s.l.opt.Files.Stat(path)
	return err == nil || refused(err) && (s.without == nil || !s.without(path))
}

// readKey reads a key. What cannot be read is no key, and secrets stay closed.
func (l *Lookup) readKey(path string) ([]byte, error) {
	c, err := l.opt.Files.Read(keyPath(path))
	return []byte(c.Text), err
}

// loaded is a data file as one session sees it: it is looked at once.
type loaded struct {
	path string
	name string         // as questions call it
	file *datafile.File // nil when it does not hold a hash
	err  error

	traced map[string]item           // its values with their provenance, as far as they were asked for
	noKeys map[string]provenance.Ref // the places of keys that it has not got

	concealed map[*datafile.Node]bool // what is Sensitive under some key, once somebody has asked
}

// data is the file of a location, read as the backend function wants it.
func (s *Session) data(loc *location, f format) *loaded {
	if loc.data != nil {
		s.asksData(loc.data)
		return loc.data
	}
	clean := filepath.Clean(loc.path)
	d := s.files[clean]
	if d == nil {
		d = &loaded{path: loc.path, name: dataName(loc.path, f)}
		d.file, d.err = s.l.load(loc.path, f)
		s.files[clean] = d
		if d.file != nil && s.bytes != nil {
			if list := d.file.Root.Bytes(); list != nil {
				s.bytes(list)
			}
		}
	}
	loc.data = d
	s.asksData(d)
	return d
}
