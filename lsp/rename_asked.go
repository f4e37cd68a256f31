package lsp

import (
	"slices"
	"strings"

	"bunraku/puppet/outline"
)

// Hiera reads %{x} in the scope that looks up: of a class that does, it is the class's own variable, and that of the
// top scope only where the class has none. Which classes come to a key nobody knows who has not compiled all nodes
// there may be. So a variable of a class, define or block of code is kept from losing or taking a name that data ask
// for, and one of the top scope if others have the name.

// askedByData refuses to rename what data may ask for by a name that has no owner in front.
func (r *renaming) askedByData(to string) error {
	switch r.kind {
	case outline.ClassName: // it is what data see as the name of the class
		for _, own := range []string{"title", "name"} {
			if o := r.interpolated(own); o != nil {
				return refused("%s:%d asks for %%{%s}, which is the name of the class that looks it up", r.short(o.path),
					o.file.LineOf(o.Span.Start), own)
			}
		}
	case outline.VariableName, outline.LocalName:
		inner := r.kind == outline.LocalName || r.owner != ""
		if !inner && !r.hasWithin(r.own) && !r.hasWithin(to) {
			return nil
		}
		for _, name := range []string{r.own, to} {
			if o := r.interpolated(name); o != nil {
				return refused("%s:%d asks for %%{%s}, which is that of who looks it up", r.short(o.path),
					o.file.LineOf(o.Span.Start), name)
			}
		}
	}
	return nil
}

// interpolated is where data, or a hiera.yaml, ask for a variable by a name that has no owner in front; nil if none do.
func (x *index) interpolated(name string) *occurrence {
	for _, e := range x.entries {
		if !e.isData && !isSettings(e.path) {
			continue
		}
		for _, n := range e.names {
			if n.Kind == outline.VariableName && n.Name == name && !n.Top && !n.Defines {
				return &occurrence{e, n}
			}
		}
	}
	return nil
}

// hasWithin reports whether a class, define or block of code has a variable of a name.
func (x *index) hasWithin(name string) bool {
	return slices.ContainsFunc(x.entries, func(e *entry) bool {
		return slices.ContainsFunc(e.defs, func(d outline.Name) bool {
			return d.Kind == outline.LocalName && d.Name == name ||
				d.Kind == outline.VariableName && strings.HasSuffix(d.Name, "::"+name)
		})
	})
}
