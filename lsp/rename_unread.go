package lsp

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/outline"
	"bunraku/source"
)

// A file that is no program, or no data, names things in places that nobody has read: behind a mistake, or everywhere.
// It may be the one that is being written. A rename that left the name there would break what is mended next, and no
// node tells: those that come to the file fail before and after.

// unread refuses to rename what such a file says outside of the places that are known.
func (r *renaming) unread(c *change) error {
	for _, e := range r.index.entries {
		if !e.isUnread() && !e.isHOCON() {
			continue
		}
		word, at := r.saidBy(e)
		for _, start := range at {
			if !slices.ContainsFunc(c.edits[r.real(e.path)], func(x source.Edit) bool {
				return x.Place.Span.Start <= start && start < x.Place.Span.End
			}) {
				if e.isHOCON() {
					return refused("%s:%d has %s, too, and who reads HOCON puts that together with the rest", r.short(e.path),
						e.file.LineOf(start), word)
				}
				return refused("%s:%d has %s, and the file cannot be read as it is: mend that first", r.short(e.path),
					e.file.LineOf(start), word)
			}
		}
	}
	return nil
}

// unreadable is a file that says what is renamed and cannot be read, that which it is looked for in before others; nil
// if there is none.
func (r *renaming) unreadable() (found *entry) {
	for _, e := range r.index.entries {
		if !e.isUnread() {
			continue
		}
		for _, name := range []string{r.full, r.owner} {
			if name != "" && slices.ContainsFunc(sorts, func(sort string) bool {
				return strings.EqualFold(r.folder.nameIn(e.path, sort), name)
			}) {
				return e
			}
		}
		if _, at := r.saidBy(e); len(at) > 0 && found == nil {
			found = e
		}
	}
	return found
}

// isUnread reports whether a file has a mistake that keeps it, or a part of it, from being read.
func (e *entry) isUnread() bool {
	if e.tree != nil {
		return !e.whole
	}
	if e.isData {
		return e.data == nil
	}
	switch path.Ext(e.path) {
	case ".yaml", ".yml", ".eyaml", ".json": // hiera.yaml, a plan, or what a task takes
		return e.data == nil
	}
	return false
}

// isHOCON reports whether a file is data in HOCON. What a key has may stand there in several entries, and be put into
// others; a reader is told of the last.
func (e *entry) isHOCON() bool {
	switch path.Ext(e.path) {
	case ".yaml", ".yml", ".eyaml", ".json":
		return false
	}
	return e.isData && e.data != nil
}

// saidBy is where a text says what is renamed, as far as words tell. A variable or parameter is meant by its own name
// only where its owner is spoken of, or a template of the owner's speaks; a local one where it is known to be.
func (r *renaming) saidBy(e *entry) (word string, at []uint32) {
	text := e.file.Text
	if e.isHOCON() && (r.kind != outline.VariableName && r.kind != outline.LocalName || r.owner != "") {
		return r.full, saidIn(text, r.full, r.kind == outline.ClassName || r.kind == outline.TypeName)
	}
	if r.kind != outline.VariableName && r.kind != outline.LocalName {
		return r.full, saidIn(text, r.full, r.kind == outline.ClassName || r.kind == outline.TypeName)
	}
	at = saidIn(text, r.own, false)
	switch {
	case slices.ContainsFunc(r.uses, func(o occurrence) bool { return o.entry == e }):
	case r.kind == outline.LocalName:
		return "", nil
	case r.owner == "":
		at = slices.DeleteFunc(at, func(start uint32) bool {
			return start == 0 || !strings.ContainsRune("$@{:'\"", rune(text[start-1]))
		})
	case len(saidIn(text, r.owner, true)) == 0 && !slices.Contains(r.callers[e.template], r.owner) &&
		!r.handsDown(text) && !(e.isData && r.takes[r.full] && r.open(r.owner)):
		return "", nil
	}
	return r.own, at
}

// handsDown reports whether a text inherits a class that has inherited the owner's variables.
func (r *renaming) handsDown(text string) bool {
	for _, m := range inherits.FindAllStringSubmatch(text, -1) {
		for class, i := outline.Class(m[1]), 0; class != "" && i < 20; class, i = r.parents[class], i+1 {
			if class == r.owner {
				return true
			}
		}
	}
	return false
}

// inherits is what a class inherits, in a text that may be no program.
var inherits = regexp.MustCompile(`\binherits\s+([\w:]+)`)

// saidIn tells where a text has a name that is no part of a longer one, other than the beginning of a qualified one; of
// a name that is not qualified itself also the end.
func saidIn(text, name string, folds bool) (at []uint32) {
	spelled := []string{name}
	if folds {
		spelled = append(spelled, outline.Capitalized(name))
	}
	for _, name := range spelled {
		for from := 0; ; {
			i := strings.Index(text[from:], name)
			if i < 0 {
				break
			}
			start, end := from+i, from+i+len(name)
			from = end
			before := text[:start]
			if strings.Contains(name, "::") {
				before = strings.TrimSuffix(before, "::")
			}
			if !inWord(before[max(0, len(before)-1):]) && !inWord(text[end:min(end+1, len(text))]) {
				at = append(at, uint32(start))
			}
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// inWord reports whether a byte, if there is one, may stand in a name that is not qualified.
func inWord(c string) bool { return c != "" && c != ":" && isWord(c[0]) }
