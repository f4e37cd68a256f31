package explain

import (
	"strings"
	"sync"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/source"
)

// secrets are the places whose data must not be shown: what was encrypted, what Hiera has for a parameter that is
// declared Sensitive, and what flows into a Sensitive value, unless the catalog has the same datum, copied from the
// same place, in the clear as well (a port that is also part of a secret file is no secret). Such a value may be in the
// catalog or a variable; or it is one that lookup_options make of data, and that other data or a text merely quote.
type secrets struct {
	leaves map[provenance.Ref]bool
	lines  map[line]bool
	keys   map[string]bool                                                       // Hiera keys with secret data
	reach  func() (how func(provenance.Ref) provenance.How, upTo provenance.Ref) // what the leaves reach: worked out once
}

// newSecrets knows of none yet. Where they are is asked of a trace once all are known.
func newSecrets(t *provenance.Trace) *secrets {
	s := &secrets{leaves: map[provenance.Ref]bool{}, lines: map[line]bool{}, keys: map[string]bool{}}
	s.reach = sync.OnceValues(func() (func(provenance.Ref) provenance.How, provenance.Ref) {
		var leaves []provenance.Ref
		for leaf := range s.leaves {
			leaves = append(leaves, leaf)
		}
		return t.Reach(leaves), provenance.Ref(t.Len())
	})
	return s
}

type line struct {
	file string
	n    int
}

func (rec *Record) secrets() *secrets {
	m := rec.memo
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.secret == nil {
		m.secret = rec.findSecrets()
	}
	return m.secret
}

func (rec *Record) findSecrets() *secrets {
	s := newSecrets(rec.Trace)
	if made := rec.Trace.MadeBy(provenance.Decrypt); len(made) > 0 {
		for _, r := range rec.Trace.Flows(made...) {
			l, _ := rec.Trace.Label(r)
			s.hide(r, l)
		}
	}
	rec.hideShared(s)
	clear := map[provenance.LabelKey]bool{}
	roots := rec.Trace.MadeBy(provenance.Conceal)
	for _, r := range rec.resources() {
		for _, p := range r.Params {
			if r.IsSensitive(p.Name) || value.HasSensitive(p.Value) {
				roots = append(roots, p.Ref)
			} else if l, ok := rec.Trace.Where(p.Ref); ok {
				clear[l.Key()] = true
			}
		}
	}
	for _, v := range rec.Variables {
		if value.HasSensitive(v.Value) {
			roots = append(roots, v.Ref)
		}
	}
	rec.Trace.EachLeaf(func(r provenance.Ref, l provenance.Label) {
		if l.Kind == provenance.Datum && !clear[l.Key()] && rec.isDeclaredSecret(RootKey(l.Path)) {
			s.hide(r, l)
		}
	})
	if len(roots) == 0 {
		return s
	}
	for _, r := range rec.Trace.Flows(roots...) {
		l, _ := rec.Trace.Label(r)
		if clear[l.Key()] || rec.Catalog == nil && l.Kind == provenance.Fact {
			continue // what a failed compile would have had in the clear is not known; a fact is likely to be
		}
		s.hide(r, l)
	}
	return s
}

// hideShared hides data that are Sensitive under another key, which has the same by an alias of YAML. Nobody need have
// looked that one up.
func (rec *Record) hideShared(s *secrets) {
	type spot struct {
		file string
		span source.Span
	}
	shared, asked := map[spot]bool{}, map[string]bool{}
	rec.Trace.EachLeaf(func(r provenance.Ref, l provenance.Label) {
		f := l.Place.File
		if !l.Kind.InData() || f == nil || !strings.Contains(f.Text, "&") || !strings.Contains(f.Text, "*") {
			return
		}
		key := RootKey(l.Path)
		if rec.isDeclaredSecret(key) { // it is hidden by itself, or in the clear
			return
		}
		if !asked[key] {
			asked[key] = true
			if h := rec.hieraOf(key); h != nil {
				for _, lv := range h.Levels {
					for _, p := range lv.Secret {
						shared[spot{p.File.Name, p.Span}] = true
					}
				}
			}
		}
		if shared[spot{f.Name, l.Place.Span}] {
			s.hide(r, l)
		}
	})
}

// hide marks a place, and the lines and the Hiera key that it stands in.
func (s *secrets) hide(r provenance.Ref, l provenance.Label) {
	s.leaves[r] = true
	if l.Kind.InData() {
		s.keys[RootKey(l.Path)] = true
	}
	for _, p := range []source.Place{l.Place, l.Place.Outer()} {
		if f := p.File; f != nil {
			for n := f.LineOf(p.Span.Start); n <= f.LineOf(max(p.Span.Start, p.Span.End-1)); n++ {
				s.lines[line{f.Name, n}] = true
			}
		}
	}
}

// hides reports whether a value is secret because of what it is made of.
func (s *secrets) hides(rec *Record, r provenance.Ref) bool {
	if len(s.leaves) == 0 {
		return false
	}
	how, upTo := s.reach()
	if r > upTo { // a container that was put together for a question
		return s.hidesAny(rec.Trace.Flows(r))
	}
	return how(r) == provenance.Flowed
}

// hidesIn is hides for a value of which the trace has only the spine there, if it is a container.
func (s *secrets) hidesIn(rec *Record, v value.Value, r provenance.Ref) bool {
	if len(s.leaves) == 0 {
		return false
	}
	switch v := v.(type) {
	case *value.Array:
		for i, e := range v.Elems {
			if s.hidesIn(rec, e, v.Ref(i)) {
				return true
			}
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			if s.hides(rec, e.KeyRef) || s.hidesIn(rec, e.Value, e.Ref) {
				return true
			}
		}
	}
	return s.hides(rec, r)
}

// Hides reports whether a value is secret because of what it is made of.
func (rec *Record) Hides(r provenance.Ref) bool { return rec.secrets().hides(rec, r) }

// EachMade visits the texts that are made of something Sensitive: of variables, attributes and titles.
func (rec *Record) EachMade(visit func(text string)) {
	secret := rec.secrets()
	if len(secret.leaves) == 0 {
		return
	}
	see := func(v value.Value, r provenance.Ref) {
		if text, is := v.(value.String); is && secret.hides(rec, r) {
			visit(string(text))
		}
	}
	for _, v := range rec.Variables {
		see(v.Value, v.Ref)
	}
	for _, r := range rec.resources() {
		see(value.String(r.Title), r.TitleRef)
		for _, p := range r.Params {
			see(p.Value, p.Ref)
		}
	}
}

// resources are those of the catalog; none of a compile that failed, which has made variables until then.
func (rec *Record) resources() []*catalog.Resource {
	if rec.Catalog == nil {
		return nil
	}
	return rec.Catalog.Resources
}

func (s *secrets) hidesAny(leaves []provenance.Ref) bool {
	for _, leaf := range leaves {
		if s.leaves[leaf] {
			return true
		}
	}
	return false
}

// hidesLine reports whether a source line has secret data on it.
func (s *secrets) hidesLine(p source.Place) bool {
	return p.File != nil && s.lines[line{p.File.Name, p.Line()}]
}

// hidesText reports whether any line of a place has secret data on it.
func (s *secrets) hidesText(p source.Place) bool {
	if p.File == nil || len(s.lines) == 0 {
		return false
	}
	for n := p.Line(); n <= p.File.LineOf(p.Span.End); n++ {
		if s.lines[line{p.File.Name, n}] {
			return true
		}
	}
	return false
}
