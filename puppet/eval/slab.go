package eval

import (
	"unsafe"

	"bunraku/puppet/value"
)

// A slab hands out room for many small things of a compile, of which each by itself would be a piece of memory to find,
// to note and to clean up. A piece lasts for as long as anything in it is used.
type slab[T any] struct {
	room []T
	used int // so far
	like int // how many the compile before has used
	last int // how many there were in the piece before
}

// slabBytes is how large a piece becomes at most.
const slabBytes = 8 << 10

func (s *slab[T]) grow(n int) {
	var one T
	size := s.like - s.used
	if size <= 0 { // more than last time
		size = max(4, 2*s.last)
	}
	s.last = max(min(size, slabBytes/int(unsafe.Sizeof(one))), n)
	s.room = make([]T, s.last)
}

// one is room for one more.
func (s *slab[T]) one() *T {
	if len(s.room) == 0 {
		s.grow(1)
	}
	p := &s.room[0]
	s.room = s.room[1:]
	s.used++
	return p
}

// list is an empty list with room for n. One that becomes longer moves elsewhere.
func (s *slab[T]) list(n int) []T {
	if n > len(s.room) {
		if n > slabBytes/64 {
			return make([]T, 0, n)
		}
		s.grow(n)
	}
	list := s.room[:0:n]
	s.room = s.room[n:]
	s.used += n
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

// A roomSize is how much of each a compile has used, and how much is in its catalog.
type roomSize struct {
	resources, params, lists, contained, bodies, calls, args, scopes, frames, tags int
	list, edges                                                                    int
}

// mostRoom is for how many resources a compile makes room before there are any: the next node may have few.
const mostRoom = 4096

func (r *rooms) like(s roomSize) {
	r.resources.like, r.params.like, r.lists.like, r.contained.like = s.resources, s.params, s.lists, s.contained
	r.bodies.like, r.calls.like, r.args.like, r.scopes.like = s.bodies, s.calls, s.args, s.scopes
	r.frames.like, r.tags.like = s.frames, s.tags
}

func (ev *Evaluator) roomSize() roomSize {
	r := &ev.rooms
	return roomSize{resources: r.resources.used, params: r.params.used, lists: r.lists.used, contained: r.contained.used,
		bodies: r.bodies.used, calls: r.calls.used, args: r.args.used, scopes: r.scopes.used, frames: r.frames.used,
		tags: r.tags.used, list: min(len(ev.table.list), mostRoom), edges: min(len(ev.table.edges), mostRoom)}
}
