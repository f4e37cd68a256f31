package lookup

import (
	"path/filepath"
	"regexp"
	"strings"

	"bunraku/provenance"
	"bunraku/source"
)

// A path such as nodes/%{facts.role}.yaml led to a file that has not got the key, or to none. Had the fact another
// value, another file would have been asked; but that matters only if there is one that has the key. So what the path
// was made of counts only then. Values that climb out of their directory with dots are not thought of. A file that has
// the key and is the one where it was found in the end gives the same value, wherever in the hierarchy it is asked.

// elsewhere is what a key's absence from the files of some paths depends on. It is worked out when somebody reads the
// trace, which outlives the session and may be read by many: it holds the environment's data, not the session.
type elsewhere struct {
	l      *Lookup
	root   string
	places []missedPath
	room   [4]missedPath
	won    string // the file where the one value that was wanted was found, and its level's function
	by     string
}

// A missedPath is a path that led to no value.
type missedPath struct {
	*wider
	ref      provenance.Ref // of what the path was made of
	format   format
	function string // of its level
}

// wider is the files that a path could have led to, the one that it led to left out.
type wider struct {
	path, pattern string

	once    source.Once
	others  []string
	tooMany bool
}

// EachRef visits what the paths were made of whose others would have found the key.
func (e *elsewhere) EachRef(visit func(provenance.Ref)) {
	for _, p := range e.places {
		same := "" // the file whose value is the one that was found
		if e.won != "" && e.by == p.function {
			same = e.won
		}
		if e.l.otherHas(p, e.root, same) {
			visit(p.ref)
		}
	}
}

const mostFiles = 500 // that one path may lead to: among more the key is taken to be somewhere

// missedAt notes that a location has not got a key.
func (inv *invocation) missedAt(lv *level, loc *location, root string) {
	t := inv.s.trace
	if t == nil || loc.ref == 0 {
		return
	}
	f, ours := lv.filesOf()
	if loc.pattern == "" || !ours {
		inv.depend(loc.ref)
		return
	}
	inv.depend(loc.fixed)
	if !strings.Contains(loc.pattern, "%{") {
		return
	}
	if inv.missed == nil || inv.missed.root != root { // one for all paths of a question
		e := &elsewhere{l: inv.s.l, root: root}
		e.places = e.room[:0]
		inv.missed = e
		inv.depend(t.Deep(0, e))
	}
	if loc.wider == nil {
		loc.wider = &wider{path: filepath.Clean(loc.path), pattern: loc.pattern}
	}
	inv.missed.places = append(inv.missed.places, missedPath{loc.wider, loc.ref, f, lv.function})
}

// foundAt notes where a key was found of which one value is wanted.
func (inv *invocation) foundAt(lv *level, loc *location, root string) {
	if _, plain := lv.format(); plain && loc.kind == pathLocation && inv.missed != nil && inv.missed.root == root {
		inv.missed.won, inv.missed.by = filepath.Clean(loc.path), lv.function
	}
}

// filesOf is the format of the files that a level has, if it has files whose keys can be told.
func (lv *level) filesOf() (f format, ours bool) {
	if lv.function == "eyaml_lookup_key" {
		return yamlFormat, true
	}
	return lv.format()
}

// otherHas reports whether a file that a path could have led to has a key, but for one file.
func (l *Lookup) otherHas(p missedPath, root, but string) bool {
	p.once.Do(func() { p.others, p.tooMany = l.others(p.wider) })
	if p.tooMany {
		return true
	}
	for _, path := range p.others {
		if path == but {
			continue
		}
		d, err := l.load(path, p.format)
		if err != nil || d == nil || d.Hash() != nil && d.Entry(root) != nil {
			return true
		}
	}
	return false
}

var interpolation = regexp.MustCompile(`%\{[^}]*\}`)

// others lists the files that a path could lead to, the one that it led to left out.
func (l *Lookup) others(loc *wider) (found []string, tooMany bool) {
	fixed, _, _ := strings.Cut(loc.pattern, "%{")
	dir := fixed[:strings.LastIndexByte(fixed, '/')+1]
	parts := interpolation.Split(loc.pattern, -1)
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	like, err := regexp.Compile("^" + strings.Join(parts, ".*") + "$")
	if err != nil {
		return nil, true
	}
	seen := 0
	// There may be no such directory, or nobody may look into it.
	_ = source.Walk(l.opt.Files, filepath.Clean(dir), func(path string, d source.Entry) bool {
		if seen++; seen > 20*mostFiles || len(found) > mostFiles {
			tooMany = true
			return false
		}
		if (!d.IsDir() || d.Link) && path != loc.path && like.MatchString(path) {
			found = append(found, path)
		}
		return true
	})
	return found, tooMany
}
