package lsp

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/puppet/outline"
)

// Folders of a workspace may lie beside one another: a control repo and a module that it gets from elsewhere, or
// modules that use each other. A compile of one folder says nothing of the others, so a rename is not given that would
// leave behind what they call by the old name.

// leaves refuses a rename of what a folder beside names. One that has a module of that name itself means its own, as
// two clones of one tree do.
func (r *renaming) leaves(beside []*folder) error {
	module, _, qualified := strings.Cut(r.full, "::")
	want := r.meanings(r.entry, r.spot.name)
	switch {
	case r.kind == outline.ClassName:
		want, qualified = append(want, r.owned(r.full)...), true
	case r.kind == outline.LocalName: // a parameter of a template is named by who renders it
		want = slices.DeleteFunc(want, func(id identity) bool { return id.local != 0 || path.IsAbs(id.file) })
		if len(want) > 0 {
			module, _, qualified = strings.Cut(want[0].file, "/")
		}
	}
	if !qualified || len(want) == 0 { // Each tree has a top scope and keys of its own.
		return nil
	}
	for _, f := range beside {
		view, _, err := f.view()
		if err != nil {
			return err
		}
		x, err := f.reindex(view)
		if err != nil {
			return err
		}
		if x.has(module) {
			continue
		}
		if list := x.meaning(want, nil); len(list) > 0 {
			o := list[0]
			return refused("%s:%d names it, too, and is in another folder of the workspace: open a folder that has both",
				filepath.Join(path.Base(f.dir), f.short(o.path)), o.file.LineOf(o.Span.Start))
		}
	}
	return nil
}

// takenBy is the module whose class may take a key that only data name, if nothing of that module is here; "" if that
// is not so.
func (r *renaming) takenBy() string {
	module, _, qualified := strings.Cut(r.full, "::")
	if r.kind != outline.KeyName || !qualified || r.index.has(module) ||
		slices.ContainsFunc(r.uses, func(o occurrence) bool { return !o.isData }) {
		return ""
	}
	return module
}

// has reports whether files define something of a module's.
func (x *index) has(module string) bool {
	return slices.ContainsFunc(x.entries, func(e *entry) bool {
		return slices.ContainsFunc(e.defs, func(d outline.Name) bool {
			return (d.Kind == outline.ClassName || d.Kind == outline.TypeName || d.Kind == outline.FunctionName) &&
				(d.Name == module || strings.HasPrefix(d.Name, module+"::"))
		})
	})
}
