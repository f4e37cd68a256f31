package ruby

import "bunraku/provenance"

const fewRefs = 24 // up to these a list is as good as a set

// A refSet is a set of refs: a table with open places, since tracing asks it for every read.
type refSet struct {
	table []provenance.Ref // its length is a power of two; 0 is a place that is free
	n     int
}

// add reports whether the ref is new. The zero ref is never in it.
func (s *refSet) add(r provenance.Ref) bool {
	if 2*s.n >= len(s.table) {
		s.grow()
	}
	i := s.place(r)
	if s.table[i] == r {
		return false
	}
	s.table[i] = r
	s.n++
	return true
}

// clear empties the set, and keeps its room.
func (s *refSet) clear() {
	clear(s.table)
	s.n = 0
}

// place is where a ref is, or where it goes.
func (s *refSet) place(r provenance.Ref) uint32 {
	mask := uint32(len(s.table) - 1)
	i := uint32(r) * 0x9e3779b1 >> 7 & mask
	for s.table[i] != 0 && s.table[i] != r {
		i = (i + 1) & mask
	}
	return i
}

func (s *refSet) grow() {
	old := s.table
	s.table = make([]provenance.Ref, max(64, 2*len(old)))
	for _, r := range old {
		if r != 0 {
			s.table[s.place(r)] = r
		}
	}
}
