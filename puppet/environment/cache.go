package environment

import (
	"strings"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// parseKey is what a parsed file depends on. Two environments may show the same file under two names.
type parseKey struct {
	digest     source.Digest
	path, name string
	opt        syntax.Options
}

type parsed struct {
	tree  *syntax.File
	diags source.Diagnostics
}

// treeCost is about how many bytes a syntax tree takes for each of its text.
const treeCost = 12

// parse parses a file once for all environments that share the cache. Within one environment a path is always the same
// tree.
func (e *Environment) parse(path string) (*syntax.File, source.Diagnostics, error) {
	if p, known := e.parsed.Load(path); known {
		return p.(*parsed).tree, p.(*parsed).diags, nil
	}
	c, err := e.files.Read(path)
	if err != nil {
		if d := refused(err, e.Display(path), flagOf(err), nil); d != nil {
			d.Severity = source.Error
			return nil, nil, d
		}
		return nil, nil, err
	}
	p := parseOnce(e.cache, c, parseKey{c.Digest, path, e.Display(path), e.opt.Syntax})
	first, _ := e.parsed.LoadOrStore(path, p)
	p = first.(*parsed)
	e.paths.Store(p.tree.Source, path)
	return p.tree, p.diags, nil
}

// ParseFile parses and validates a file of a view, unless somebody has done so before. name is how the file is shown to
// people.
func ParseFile(cache *source.Cache, files source.Files, path, name string, opt syntax.Options) (*syntax.File,
	source.Diagnostics, error) {
	c, err := files.Read(path)
	if err != nil {
		return nil, nil, err
	}
	p := parseOnce(cache, c, parseKey{c.Digest, path, name, opt})
	return p.tree, p.diags, nil
}

func parseOnce(cache *source.Cache, c source.Content, k parseKey) *parsed {
	return cache.Get(k, int64(treeCost*len(c.Text)+1000), func() any { return parseNow(k, c.Text) }).(*parsed)
}

func parseNow(k parseKey, text string) *parsed {
	f := source.NewFile(k.name, text)
	p := &parsed{}
	if strings.HasSuffix(k.path, ".epp") {
		p.tree, p.diags = syntax.ParseEPP(f, k.opt)
	} else {
		p.tree, p.diags = syntax.Parse(f, k.opt)
	}
	if !p.diags.HasErrors() {
		p.diags = append(p.diags, syntax.Validate(p.tree, k.opt)...)
	}
	return p
}
