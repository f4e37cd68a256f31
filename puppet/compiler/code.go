package compiler

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"bunraku/puppet/environment"
	"bunraku/puppet/outline"
	"bunraku/puppet/record"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Code is the environment's manifests, parsed as they are wanted.
func (c *Snapshot) Code() record.Code { return &codeOf{c} }

// codeOf implements record.Code.
type codeOf struct{ c *Snapshot }

// Source implements record.Code.
func (o *codeOf) Source(url string) *source.File {
	name, ok := strings.CutPrefix(url, "puppet:///modules/")
	if !ok {
		return nil
	}
	env := o.c.Environment()
	path, ok := env.ContentFile(name)
	if !ok {
		return nil
	}
	text, err := env.Read(path)
	if err != nil {
		return nil
	}
	return source.NewFile(env.Display(path), text)
}

// Types implements record.Code.
func (o *codeOf) Types() resource.Lookup { return o.c }

// Main implements record.Code.
func (o *codeOf) Main() (out []*syntax.File) {
	paths, _ := o.c.Environment().Manifests()
	return o.parse(paths)
}

// Manifest implements record.Code.
func (o *codeOf) Manifest(name string) *syntax.File {
	module, rest, _ := strings.Cut(name, "::")
	env := o.c.Environment()
	for _, r := range []string{rest, ""} { // a module's init.pp may hold all of it
		if path, ok := env.ManifestFile(module, r); ok {
			if list := o.parse([]string{path}); len(list) > 0 {
				return list[0]
			}
		}
	}
	return nil
}

// Effect implements record.Code.
func (o *codeOf) Effect(function string) outline.Effect {
	f := o.c.functions[function]
	if f == nil {
		f = o.c.moduleFunction(function, nil)
	}
	if f == nil {
		return 0
	}
	return f.Does
}

// Containing implements record.Code.
func (o *codeOf) Containing(text string, modules map[string]bool) []*syntax.File {
	env := o.c.Environment()
	paths, _ := env.Manifests()
	for _, m := range env.Modules() {
		if modules == nil || modules[m.Name] {
			if list, _, err := environment.PuppetFiles(o.c.Files(), filepath.Join(m.Dir, "manifests")); err == nil {
				paths = append(paths, list...)
			}
		}
	}
	has := make([]bool, len(paths))
	source.Each(context.Background(), len(paths), func(i int) {
		content, err := o.c.Files().Read(paths[i])
		has[i] = err == nil && containsFold([]byte(content.Text), text)
	})
	var found []string
	for i, path := range paths {
		if has[i] {
			found = append(found, path)
		}
	}
	return o.parse(found)
}

// containsFold reports whether a text is in the content, whatever the case of its letters.
func containsFold(content []byte, text string) bool {
	if text == "" {
		return true
	}
	first := []byte{text[0]}
	if c := text[0] | 0x20; c >= 'a' && c <= 'z' {
		first = []byte{c, c &^ 0x20}
	}
	for _, b := range first {
		for rest := content; len(rest) >= len(text); {
			i := bytes.IndexByte(rest, b)
			if i < 0 || len(rest)-i < len(text) {
				break
			}
			if bytes.EqualFold(rest[i:i+len(text)], []byte(text)) {
				return true
			}
			rest = rest[i+1:]
		}
	}
	return false
}

// parse leaves out what cannot be parsed.
func (o *codeOf) parse(paths []string) (out []*syntax.File) {
	for _, p := range paths {
		if filepath.Ext(p) != ".pp" {
			continue
		}
		if f, ds, err := o.c.Environment().Parse(p); err == nil && f != nil && !ds.HasErrors() {
			out = append(out, f)
		}
	}
	return out
}

// Collects reports whether a manifest of the environment collects what nodes export.
func (c *Snapshot) Collects() bool {
	c.collectsOnce.Do(func() {
		for _, f := range c.Code().Containing("<<|", nil) {
			for _, s := range f.Body.Stmts {
				syntax.Walk(s, func(n syntax.Node) bool {
					if e, is := n.(*syntax.Collect); is && e.Exported {
						c.collects = true
					}
					return !c.collects
				})
			}
		}
	})
	return c.collects
}
