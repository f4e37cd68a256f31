package syntax

// A slab hands out nodes of one type from chunks that grow with the file: parsing is mostly allocating, and the nodes
// of a file live and die together.
type slab[T any] struct{ free []T }

const maxChunk = 128

func (s *slab[T]) new() *T {
	if len(s.free) == cap(s.free) {
		n := 2 * cap(s.free)
		if n == 0 {
			n = 4
		} else if n > maxChunk {
			n = maxChunk
		}
		s.free = make([]T, 0, n)
	}
	s.free = s.free[:len(s.free)+1]
	return &s.free[len(s.free)-1]
}

// A listSlab cuts exact-size slices out of larger ones.
type listSlab[T any] struct{ free []T }

func (s *listSlab[T]) copyOf(list []T) []T {
	n := len(list)
	if n == 0 {
		return nil
	}
	if n > cap(s.free)-len(s.free) {
		size := min(max(2*cap(s.free), 16), 512)
		if n > size/2 {
			return append(make([]T, 0, n), list...)
		}
		s.free = make([]T, 0, size)
	}
	from := len(s.free)
	s.free = append(s.free, list...)
	return s.free[from:len(s.free):len(s.free)]
}

// slabs are the node types that make up most of a tree; the rest is allocated one by one.
type slabs struct {
	names      slab[Name]
	refs       slab[Ref]
	strs       slab[Str]
	vars       slab[Var]
	texts      slab[Text]
	interps    slab[Interpolated]
	ops        slab[AttrOp]
	entries    slab[Entry]
	accesses   slab[Access]
	binaries   slab[Binary]
	calls      slab[Call]
	paramNodes slab[Param]
	bodies     slab[ResourceBody]
	lists      slab[List]

	exprLists  listSlab[Expr]
	opLists    listSlab[*AttrOp]
	entryLists listSlab[*Entry]
	paramLists listSlab[*Param]
}
