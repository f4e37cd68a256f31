package eval

import (
	"unsafe"

	"bunraku/puppet/value"
)

// A slab hands out room for many small things of a compile, of which each by itself would be a piece of memory to find,
// to note and to clean up. A piece lasts for as long as anything in it is used.
type slab[T any] struct {
	room []T
	last int // how many there were in the piece before
}

// slabBytes is how large a piece becomes at most. A compile that needs little does not pay for the room that others need:
// the first piece is small.
const slabBytes = 8 << 10

func (s *slab[T]) grow(n int) {
	var one T
	s.last = max(min(2*s.last, slabBytes/int(unsafe.Sizeof(one))), 8, n)
	s.room = make([]T, s.last)
}

// one is room for one more.
func (s *slab[T]) one() *T {
	if len(s.room) == 0 {
		s.grow(1)
	}
	p := &s.room[0]
	s.room = s.room[1:]
	return p
}

// list is an empty list with room for n. One that becomes longer moves elsewhere.
func (s *slab[T]) list(n int) []T {
	if n > len(s.room) {
		if n > slabBytes/8 {
			return make([]T, 0, n)
		}
		s.grow(n)
	}
	list := s.room[:0:n]
	s.room = s.room[n:]
	return list
}

// rooms are the slabs of a compile.
type rooms struct {
	resources slab[Resource]
	params    slab[param]
	lists     slab[*param]
	contained slab[*Resource]
	bodies    slab[resourceBody]
	calls     slab[Call]
	args      slab[value.Value]
	scopes    slab[Scope]
	frames    slab[frame]
	tags      slab[string]
}
