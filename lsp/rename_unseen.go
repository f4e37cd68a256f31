package lsp

import (
	"slices"
	"strings"

	"bunraku/puppet/outline"
)

// What a name does beside naming, also in code that no node comes to: a class knows what it is called, and resources
// are tagged with every part of the names of what they are in.

// noticed refuses to rename what code uses so.
func (r *renaming) noticed(to string) error {
	define := slices.ContainsFunc(r.uses, isDefine)
	if r.kind != outline.ClassName && !define {
		return nil
	}
	was, is := strings.Split(r.full, "::"), strings.Split(outline.Class(to), "::")
	for _, e := range r.index.entries {
		for _, n := range e.names {
			switch own := r.ownName(e, n); {
			case own != "" && !define:
				return refused("%s:%d has $%s, which is the name of the class", r.short(e.path), e.file.LineOf(n.Span.Start), own)
			case n.Tag && n.Name != r.full && slices.Contains(was, n.Name) != slices.Contains(is, n.Name):
				return refused("%s:%d asks for the tag %s, which resources have of the name", r.short(e.path),
					e.file.LineOf(n.Span.Start), n.Name)
			}
		}
	}
	return nil
}

// isDefine reports whether a name is where a define is defined, and no data type.
func isDefine(o occurrence) bool {
	return o.Kind == outline.TypeName && o.Defines && strings.HasPrefix(o.file.Slice(o.Whole), "define")
}

// ownName is title or name, if a name is that variable of the class; otherwise "".
func (r *renaming) ownName(e *entry, n outline.Name) string {
	own := lastPart(n.Name)
	switch {
	case n.Kind != outline.VariableName || n.Param || own != "title" && own != "name":
	case n.Name == r.full+"::"+own,
		n.Free && n.Name == own && slices.Contains(r.callers[r.names[e.path]], r.full): // in a template
		return own
	}
	return ""
}
