package lookup

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"bunraku/provenance"
)

// A path such as nodes/%{facts.role}.yaml led to a file that has not got the key, or to none. Had the fact another value, another file would
// have been asked; but that matters only if there is one that has the key. So what the path was made of counts only then. Values that climb out
// of their directory with dots are not thought of.

// elsewhere is what a key's absence from the file of one path depends on. It is worked out when somebody asks.
type elsewhere struct {
	s    *Session
	loc  *location
	f    format
	root string
}

// EachRef visits what the path was made of, if another path would have found the key.
func (e *elsewhere) EachRef(visit func(provenance.Ref)) {
	if e.s.otherHas(e.loc, e.f, e.root) {
		visit(e.loc.ref)
	}
}

const mostFiles = 500 // that one path may lead to: among more the key is taken to be somewhere

// missedAt notes that a location has not got a key.
func (inv *invocation) missedAt(lv *level, loc *location, root string) {
	t := inv.s.trace
	if t == nil || loc.ref == 0 {
		return
	}
	f, ours := fileFunctions[lv.function]
	if lv.function == "eyaml_lookup_key" {
		f, ours = yamlFormat, true
	}
	if loc.pattern == "" || !ours {
		inv.depend(loc.ref)
		return
	}
	inv.depend(loc.fixed)
	if !strings.Contains(loc.pattern, "%{") {
		return
	}
	inv.depend(t.Deep(0, &elsewhere{inv.s, loc, f, root}))
}

// otherHas reports whether a file that the location's path could have led to has a key.
func (s *Session) otherHas(loc *location, f format, root string) bool {
	if !loc.searched {
		loc.searched = true
		loc.others, loc.tooMany = others(loc)
	}
	if loc.tooMany {
		return true
	}
	for _, path := range loc.others {
		d, err := s.l.files.load(path, f)
		if err != nil || d == nil || d.Hash() != nil && d.Entry(root) != nil {
			return true
		}
	}
	return false
}

var interpolation = regexp.MustCompile(`%\{[^}]*\}`)

// others lists the files that a location's path could lead to, the one that it led to left out.
func others(loc *location) (found []string, tooMany bool) {
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
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // there is no such directory, or nobody may look into it
		}
		if seen++; seen > 20*mostFiles || len(found) > mostFiles {
			tooMany = true
			return filepath.SkipAll
		}
		if !d.IsDir() && path != filepath.Clean(loc.path) && like.MatchString(path) {
			found = append(found, path)
		}
		return nil
	})
	return found, tooMany || err != nil
}
