package lookup

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

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

// fileCache keeps files that were read, for all compiles. A file is read again when its time or size has changed.
type fileCache struct {
	name   func(path string) string
	inside func(path string) bool
	mu     sync.Mutex
	read   map[fileKey]*cached
}

type fileKey struct {
	path   string
	format format
}

type cached struct {
	mu    sync.Mutex
	time  time.Time
	size  int64
	valid bool
	file  *datafile.File
	err   error
}

func newFileCache(name func(string) string, inside func(string) bool) *fileCache {
	return &fileCache{name: name, inside: inside, read: map[fileKey]*cached{}}
}

// load reads a file, or takes what an earlier compile read. A file that is not there is an error of fs.ErrNotExist.
func (c *fileCache) load(path string, f format) (*datafile.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("Is a directory @ io_fread - " + path)
	}
	path = filepath.Clean(path)
	if c.inside != nil && !c.inside(path) {
		return nil, &source.Diagnostic{Code: "H0106", Summary: "(" + path + "): the file lies outside of the environment and the module path",
			Help: "say --allow-outside if it may be read"}
	}
	k := fileKey{path, f}
	c.mu.Lock()
	e := c.read[k]
	if e == nil {
		e = &cached{}
		c.read[k] = e
	}
	c.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.valid && e.time.Equal(info.ModTime()) && e.size == info.Size() {
		return e.file, e.err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	src := source.NewFile(c.name(path), string(text))
	e.file, e.err = nil, nil
	var root *datafile.Node
	switch f {
	case jsonFormat:
		root, e.err = datafile.ReadJSON(src)
	case hoconFormat:
		root, e.err = datafile.ReadHOCON(src)
	default:
		root, e.err = datafile.ReadYAML(src)
	}
	if e.err == nil {
		e.file = datafile.NewFile(src, root)
	}
	e.time, e.size, e.valid = info.ModTime(), info.Size(), true
	return e.file, e.err
}

// loaded is a data file as one session sees it: it is looked at once.
type loaded struct {
	path string
	file *datafile.File // nil when it does not hold a hash
	err  error

	traced map[string]item           // its values with their provenance, as far as they were asked for
	noKeys map[string]provenance.Ref // the places of keys that it has not got
}

// data is the file of a location, read as the backend function wants it.
func (s *Session) data(loc *location, f format) *loaded {
	if loc.data != nil {
		return loc.data
	}
	clean := filepath.Clean(loc.path)
	d := s.files[clean]
	if d == nil {
		d = &loaded{path: loc.path}
		d.file, d.err = s.l.files.load(loc.path, f)
		s.files[clean] = d
	}
	loc.data = d
	return d
}
