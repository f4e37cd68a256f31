package lsp

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"bunraku/source"
)

// A file that links lead to has several names, and each may mean something else: a template is that of who renders it
// by either name. So the index has it under each of them. But it is one text, which is edited once, by its real path;
// and a word that is another thing's under another name keeps a rename away.

// oneOf tells of each file that an index has by several names the one by which it is edited: its real path, if the
// index has that.
func oneOf(links map[string]string, byPath map[string]*entry) map[string]string {
	out, named := map[string]string{}, map[string][]string{} // by real path
	for _, p := range slices.Sorted(maps.Keys(links)) {
		if byPath[p] != nil {
			named[links[p]] = append(named[links[p]], p)
		}
	}
	for real, names := range named {
		if byPath[real] != nil {
			names = append([]string{real}, names...)
		}
		for _, p := range names {
			if len(names) > 1 {
				out[p] = names[0]
			}
		}
	}
	return out
}

// realOf is where a path leads that may have links in it; "" if nobody may follow them.
func (f *folder) realOf(p string) string {
	f.mu.Lock()
	disk := f.disk
	f.mu.Unlock()
	if disk == nil {
		return ""
	}
	real, err := disk.Real(p)
	if err != nil {
		return ""
	}
	return real
}

// linked is a path by way of the link that leads to a directory around it; the path itself if none does. A module is
// called by that name.
func (f *folder) linked(p string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	by := ""
	for link, real := range f.links {
		if strings.HasPrefix(p, real+"/") && (by == "" || link < by) {
			by = link + p[len(real):]
		}
	}
	return cmp.Or(by, p)
}

// openURI is the URI of a file as the client calls it, also if it has that open by way of a link.
func (at *spot) openURI(p string) string {
	s := at.server
	s.mu.Lock()
	docs := slices.SortedFunc(maps.Values(s.docs), func(a, b *document) int { return strings.Compare(a.uri, b.uri) })
	s.mu.Unlock()
	for _, d := range docs {
		if d.path != p && at.byPath[d.path] == nil && at.folder.holds(d.path) && at.folder.realOf(d.path) == p {
			return d.uri
		}
	}
	return s.uriOf(p)
}

// real is the name of a file by which it is edited.
func (x *index) real(p string) string {
	if one := x.one[p]; one != "" {
		return one
	}
	return p
}

// once makes the edits of files that have several names one.
func (r *renaming) once(c *change) error {
	for _, p := range slices.Sorted(maps.Keys(r.one)) {
		if c.moves[p] != "" {
			return refused("%s is the same file as another one that is looked at, and cannot be moved alone", r.short(p))
		}
		one := r.one[p]
		for _, x := range c.edits[p] {
			if !slices.ContainsFunc(c.edits[one], func(y source.Edit) bool { return x.Place.Span == y.Place.Span }) {
				return r.otherwiseIn(p, one, x)
			}
		}
		for _, x := range c.edits[one] {
			if !slices.ContainsFunc(c.edits[p], func(y source.Edit) bool { return x.Place.Span == y.Place.Span }) {
				return r.otherwiseIn(one, p, x)
			}
		}
	}
	maps.DeleteFunc(c.edits, func(p string, _ []source.Edit) bool { return r.real(p) != p })
	return nil
}

// otherwiseIn refuses an edit of a file which is none under another name of it.
func (r *renaming) otherwiseIn(p, other string, x source.Edit) error {
	return refused("%s:%d is also %s, where the same word means something else", r.short(p), x.Place.Line(),
		r.short(other))
}
