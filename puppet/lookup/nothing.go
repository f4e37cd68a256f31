package lookup

import (
	"path/filepath"
	"strings"

	"bunraku/provenance"
)

// Most modules have no data, and many environments neither. That nobody can answer a question about a module is found
// out once per compile: the next parameter of its classes is as absent as the first, and for the same reasons.

// plain reports whether a question is one that the layers alone answer, of which nobody wants an account.
func (s *Session) plain(key string, q *Query) bool {
	return s.current == nil && q.Explain == nil && !q.Hiera && q.Merge == nil && key != lookupOptions &&
		!strings.ContainsAny(key, `'".`)
}

// nobody tells whether there is nobody to ask for a key, and why.
func (s *Session) nobody(key string) (provenance.Ref, bool) {
	module, _ := moduleOf(key)
	ref, known := s.nothing[module]
	return ref, known
}

// noteNobody remembers why a key was not found, if there is no layer that could have had it.
func (s *Session) noteNobody(key string, why provenance.Ref) {
	if s.l.site.GlobalConfig != "" || !s.envDone || s.env != nil {
		return
	}
	module, qualified := moduleOf(key)
	if ly, known := s.modules[module]; qualified && (!known || ly != nil) {
		return
	}
	s.nothing[module] = why
	if s.log != nil { // nobody is asked for other keys then, and who might be would be asked for them as well
		s.asksConfig(filepath.Join(s.l.site.Dir, "hiera.yaml"))
		if dir, _, ok := s.l.moduleDir(module); ok && qualified {
			s.asksConfig(filepath.Join(dir, "hiera.yaml"))
		}
	}
}

// moduleOf is the module that a root key names: Puppet cuts "::x" at -1, which is its end.
func moduleOf(root string) (module string, qualified bool) {
	switch i := strings.Index(root, "::"); {
	case i > 0:
		return root[:i], true
	case i == 0:
		return root, true
	}
	return "", false
}
