package lookup

import (
	"path/filepath"
	"regexp"
	"strings"

	"bunraku/provenance"
	"bunraku/source"
)

// A path such as nodes/%{facts.role}.yaml led to a file that has not got the key, or to none. Had the fact another value, another file would
// have been asked; but that matters only if there is one that has the key. So what the path was made of counts only then. Values that climb out
// of their directory with dots are not thought of. A file that has the key and is the one where it was found in the end gives the same value,
// wherever in the hierarchy it is asked.

// elsewhere is what a key's absence from the files of some paths depends on. It is worked out when somebody asks.
type elsewhere struct {
	s      *Session
	root   string
	places []placeOf
	room   [4]placeOf
	won    placeOf // where the one value that was wanted was found
}

type placeOf struct {
	loc *location
	lv  *level
}

// EachRef visits what the paths were made of whose others would have found the key.
func (e *elsewhere) EachRef(visit func(provenance.Ref)) {
	for _, p := range e.places {
		same := "" // the file whose value is the one that was found
		if e.won.loc != nil && e.won.lv.function == p.lv.function {
			same = filepath.Clean(e.won.loc.path)
		}
		if e.s.otherHas(p, e.root, same) {
			visit(p.loc.ref)
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
	if _, ours := lv.filesOf(); loc.pattern == "" || !ours {
		inv.depend(loc.ref)
		return
	}
	inv.depend(loc.fixed)
	if !strings.Contains(loc.pattern, "%{") {
		return
	}
	if inv.missed == nil || inv.missed.root != root { // one for all paths of a question
		e := &elsewhere{s: inv.s, root: root}
		e.places = e.room[:0]
		inv.missed = e
		inv.depend(t.Deep(0, e))
	}
	inv.missed.places = append(inv.missed.places, placeOf{loc, lv})
}

// foundAt notes where a key was found of which one value is wanted.
func (inv *invocation) foundAt(lv *level, loc *location, root string) {
	if _, plain := lv.format(); plain && loc.kind == pathLocation && inv.missed != nil && inv.missed.root == root {
		inv.missed.won = placeOf{loc, lv}
	}
}

// filesOf is the format of the files that a level has, if it has files whose keys can be told.
func (lv *level) filesOf() (f format, ours bool) {
	if lv.function == "eyaml_lookup_key" {
		return yamlFormat, true
	}
	return lv.format()
}

// otherHas reports whether a file that a location's path could have led to has a key, but for one file.
func (s *Session) otherHas(p placeOf, root, but string) bool {
	loc := p.loc
	f, _ := p.lv.filesOf()
	if !loc.searched {
		loc.searched = true
		loc.others, loc.tooMany = s.l.others(loc)
	}
	if loc.tooMany {
		return true
	}
	for _, path := range loc.others {
		if path == but {
			continue
		}
		d, err := s.l.load(path, f)
		if err != nil || d == nil || d.Hash() != nil && d.Entry(root) != nil {
			return true
		}
	}
	return false
}

var interpolation = regexp.MustCompile(`%\{[^}]*\}`)

// others lists the files that a location's path could lead to, the one that it led to left out.
func (l *Lookup) others(loc *location) (found []string, tooMany bool) {
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
		if (!d.IsDir() || d.Link) && path != filepath.Clean(loc.path) && like.MatchString(path) {
			found = append(found, path)
		}
		return true
	})
	return found, tooMany
}
