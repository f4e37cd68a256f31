package smartfrog

// A scope is a component whose body is being evaluated, or was when a reference was resolved there. The scopes form the
// namespace in which references are looked up: from a scope to the one around it, up to the root.
type scope struct {
	up    *scope
	name  string // in the scope around it; "" for the root
	depth int    // number of scopes around it
	store *Store
	pos   int  // where name stands in up.store
	loose bool // the names in store are not in the table of names; see scopes
}

// path returns the reference of the scope's component.
func (s *scope) path() Reference {
	r := make(Reference, s.depth)
	for ; s.up != nil; s = s.up {
		r[s.depth-1] = s.name
	}
	return r
}

// scopes is the stack of open components, the root first, with a table that says which of them have a given name.
//
// Definition 16 (SmartFrog) tries the namespaces from the innermost to the root. In a deep specification nearly all of
// these have nothing of the name that is looked for, so resolving would take time proportional to the depth. The table
// leads from a name to the innermost open store that has it, and slot.outer from there to the next. It holds because an
// open store starts empty, gets its names one by one through put, and never loses one; and because while a body is
// evaluated, only the innermost open store, and closed stores below it, are written to.
//
// Some scopes are loose: their names are not in the table, and they are asked directly. The outermost ones are, since
// few are asked faster than a table is kept. So are those that a placement opens on its way (a and b in `a:b:c extends
// { … }`), which are not empty at first: entering all their names would make a thousand placements into a component of
// a thousand attributes take a million steps.
type scopes struct {
	open      []*scope
	innermost map[string]int32 // one more than the position in open
	loose     []int            // positions of the loose scopes
	// shallow is how many of the outermost scopes are loose.
	shallow int
	// owned is the number of stores, from the root on, that are known to be shared with nobody.
	owned int
	// deepest is the largest number of components that were open, and copied whether a component was ever shared.
	deepest int
	copied  bool
	// cloned counts the attributes that had to be copied because their store was shared.
	cloned int
}

func newScopes(shallow int) *scopes {
	root := &scope{store: &Store{level: 1}, loose: true}
	return &scopes{open: []*scope{root}, loose: []int{0}, innermost: map[string]int32{}, shallow: shallow, owned: 1}
}

func (s *scopes) top() *scope { return s.open[len(s.open)-1] }

// enter opens the component at r below the innermost one; bind has just made it, empty.
func (s *scopes) enter(r Reference) {
	for i, name := range r {
		up := s.top()
		pos := up.store.position(name)
		store := up.store.slots[pos].value.(*Store)
		loose := i < len(r)-1 || len(s.open) < s.shallow
		if loose {
			s.loose = append(s.loose, len(s.open))
		}
		s.open = append(s.open, &scope{up, name, up.depth + 1, store, pos, loose})
		store.level = int32(len(s.open))
	}
	s.owned = len(s.open)
	s.deepest = max(s.deepest, len(s.open))
}

// leave closes the n innermost components.
func (s *scopes) leave(n int) {
	for range n {
		top := s.top()
		top.store.level = 0
		if top.loose {
			s.loose = s.loose[:len(s.loose)-1]
		} else {
			for i := range top.store.slots {
				if sl := &top.store.slots[i]; sl.outer == 0 {
					delete(s.innermost, sl.name)
				} else {
					s.innermost[sl.name] = sl.outer
				}
			}
		}
		s.open = s.open[:len(s.open)-1]
	}
	s.owned = min(s.owned, len(s.open))
}

// declare enters a name into the table that the innermost open store has just got.
func (s *scopes) declare(pos int) {
	top := s.top()
	if top.loose {
		return
	}
	sl := &top.store.slots[pos]
	sl.outer = s.innermost[sl.name]
	s.innermost[sl.name] = int32(len(s.open))
}

// share marks a value as about to be copied. Sharing an open store also shares those inside it that are open.
func (s *scopes) share(v Value) {
	if store, ok := v.(*Store); ok {
		store.shared = true
		s.copied = true
		if store.level > 0 {
			s.owned = min(s.owned, int(store.level)-1)
		}
	}
}

// writable returns the innermost open store after making sure that writing to it changes no copy of it.
func (s *scopes) writable() *Store {
	for i := s.owned; i < len(s.open); i++ {
		sc := s.open[i]
		if !sc.store.shared {
			continue
		}
		old := sc.store
		sc.store = old.clone()
		s.cloned += len(sc.store.slots)
		old.level, sc.store.level = 0, int32(i)+1
		if sc.up != nil {
			sc.up.store.slots[sc.pos].value = sc.store
		}
	}
	s.owned = len(s.open)
	return s.top().store
}

// candidates calls try, from the innermost to the root, for each open scope at or around from that has the name, until
// try returns true.
func (s *scopes) candidates(from *scope, name string, try func(*scope) bool) {
	next := int(s.innermost[name]) - 1
	loose := len(s.loose) - 1
	for {
		depth := next
		if loose >= 0 && s.loose[loose] > next {
			depth = s.loose[loose]
			loose--
		}
		if depth < 0 {
			return
		}
		sc := s.open[depth]
		pos := sc.store.position(name)
		if depth == next {
			next = int(sc.store.slots[pos].outer) - 1
		}
		if depth <= from.depth && pos >= 0 && try(sc) {
			return
		}
	}
}
