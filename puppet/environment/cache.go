package environment

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// A Cache keeps parsed files. Several environments, and compiles at the same time, can share it.
type Cache struct {
	mu    sync.RWMutex
	files map[cacheKey]*parsed
	paths sync.Map // *source.File -> absolute path
}

type cacheKey struct {
	path string
	name string // two environments may show the same file under two names
	opt  syntax.Options
}

type parsed struct {
	mu    sync.Mutex
	valid bool
	time  time.Time
	size  int64
	tree  *syntax.File
	diags source.Diagnostics
}

// NewCache makes an empty cache.
func NewCache() *Cache { return &Cache{files: map[cacheKey]*parsed{}} }

func (c *Cache) path(f *source.File) (string, bool) {
	p, known := c.paths.Load(f)
	if !known {
		return "", false
	}
	return p.(string), true
}

func (c *Cache) parse(path string, display func(string) string, opt syntax.Options) (*syntax.File, source.Diagnostics, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return nil, nil, err
	}
	k := cacheKey{abs, display(abs), opt}
	c.mu.RLock()
	p := c.files[k]
	c.mu.RUnlock()
	if p == nil {
		c.mu.Lock()
		if p = c.files[k]; p == nil {
			p = &parsed{}
			c.files[k] = p
		}
		c.mu.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.valid && p.time.Equal(info.ModTime()) && p.size == info.Size() {
		return p.tree, p.diags, nil
	}
	text, err := os.ReadFile(abs)
	if err != nil {
		return nil, nil, err
	}
	f := source.NewFile(k.name, string(text))
	c.paths.Store(f, abs)
	if strings.HasSuffix(abs, ".epp") {
		p.tree, p.diags = syntax.ParseEPP(f, opt)
	} else {
		p.tree, p.diags = syntax.Parse(f, opt)
	}
	if !p.diags.HasErrors() {
		p.diags = append(p.diags, syntax.Validate(p.tree, opt)...)
	}
	p.time, p.size, p.valid = info.ModTime(), info.Size(), true
	return p.tree, p.diags, nil
}
