package smartfrog

import "iter"

// A Store is a component: an ordered table from names to values. Definition 6 (SmartFrog): 𝓢 = (𝕀 × 𝓥)*.
//
// The paper copies a component by copying its list. We copy by sharing: a copied store is marked as shared and from
// then on never changes; whoever wants to write to it makes a copy of that one store first, whose inner stores are then
// shared in turn. So a copy costs nothing until it is changed, and then no more than the paper's copy would have cost.
//
// A store never loses a name, and a name never moves: overwriting keeps the first position (Definition 12).
type Store struct {
	slots []slot
	index map[string]int32 // position of each name; nil while there are few
	// shared is set when more than one slot may lead here.
	shared bool
	// level is one more than the position of this store in evaluator.open, or 0 when its body is not being evaluated.
	level int32
	// partial is set when an error has left attributes out. What is missing here may then be no mistake of its own.
	partial bool
	// extent is the size of the store written out, as the measurement of number measured has it.
	extent   extent
	measured int32
	// state is how far the second pass of the extended semantics has come.
	state uint8
	// order is the ordering constraint that holds here, if any.
	order *ordering
	// composed remembers the prototypes that were copied into this store: a name that is not here was in none of them.
	composed *composition
}

// A slot is one attribute: its name, its value and the history of the value.
type slot struct {
	name   string
	value  Value
	origin *origin
	// outer is one more than the position in evaluator.open of the next outer store that has the name too; see scope.go.
	outer int32
	// inherited is set when a prototype gave the name its position in this store.
	inherited bool
}

// manySlots is the number of attributes from which on a table is faster than looking at each.
const manySlots = 8

// Len returns the number of attributes.
func (s *Store) Len() int { return len(s.slots) }

// All lists the attributes in order.
func (s *Store) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for i := range s.slots {
			if !yield(s.slots[i].name, s.slots[i].value) {
				return
			}
		}
	}
}

// position returns where a name stands, or -1.
func (s *Store) position(name string) int {
	if s.index != nil {
		if i, ok := s.index[name]; ok {
			return int(i)
		}
		return -1
	}
	for i := range s.slots {
		if s.slots[i].name == name {
			return i
		}
	}
	return -1
}

// put sets the value of a name, in its place when the store has it and at the end when not. It returns the position and
// whether the name is new. Definition 12 (SmartFrog): put.
func (s *Store) put(name string, v Value, o *origin) (int, bool) {
	if i := s.position(name); i >= 0 {
		o.hides = s.slots[i].origin
		s.slots[i].value, s.slots[i].origin = v, o
		return i, false
	}
	i := len(s.slots)
	s.slots = append(s.slots, slot{name: name, value: v, origin: o})
	if s.index != nil {
		s.index[name] = int32(i)
	} else if len(s.slots) > manySlots {
		s.reindex()
	}
	return i, true
}

func (s *Store) reindex() {
	s.index = make(map[string]int32, 2*len(s.slots))
	for i := range s.slots {
		s.index[s.slots[i].name] = int32(i)
	}
}

// clone returns a store of its own with the same attributes. The stores below are shared by both.
func (s *Store) clone() *Store {
	c := &Store{slots: make([]slot, len(s.slots), len(s.slots)+1), partial: s.partial, order: s.order,
		composed: s.composed}
	copy(c.slots, s.slots)
	for i := range c.slots {
		if sub, ok := c.slots[i].value.(*Store); ok {
			sub.shared = true
		}
	}
	if len(c.slots) > manySlots {
		c.reindex()
	}
	return c
}

// own returns the store in a slot, ready to be written to: a shared one is cloned first.
func (s *Store) own(i int) *Store {
	sub := s.slots[i].value.(*Store)
	if sub.shared {
		sub = sub.clone()
		s.slots[i].value = sub
	}
	return sub
}

// Find returns the value of a path, or nil. Definition 14 (SmartFrog): find.
//
// Erratum: the fifth equation of Definition 14 must have ⟨id, v⟩ on its left, not ⟨id_s, v_s⟩; else no path of two
// names is found.
func (s *Store) Find(r Reference) Value {
	var v Value = s
	for _, name := range r {
		sub, ok := v.(*Store)
		if !ok {
			return nil
		}
		i := sub.position(name)
		if i < 0 {
			return nil
		}
		v = sub.slots[i].value
	}
	return v
}

// A missing says why a path leads nowhere: how many of its names were found, and what stands there.
type missing struct {
	depth int   // names found
	at    Value // the value of the path so far: a store without the next name, or no store
}

// miss returns why Find returned nil.
func (s *Store) miss(r Reference) missing {
	m := missing{0, s}
	for _, name := range r {
		sub, ok := m.at.(*Store)
		if !ok {
			return m
		}
		i := sub.position(name)
		if i < 0 {
			return m
		}
		m.depth++
		m.at = sub.slots[i].value
	}
	return m
}
