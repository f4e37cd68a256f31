package types

import (
	"bunraku/budget"
	"bunraku/puppet/value"
)

// Aliases make a small text stand for a huge type: with `type T1 = Variant[T0, Array[T0], Tuple[T0, T0]]` and so on,
// T39 written out would have more parts than a machine can visit, and Puppet itself does not come back from it. Here a
// question about an alias and a container, or about two types, is answered once in a walk and remembered. That is sound
// only for aliases whose answer does not depend on where the walk came from: those that lead to no alias of themselves.
// They are called plain. Walks through others are guarded as Puppet guards them; what they cost is counted.

// A memo is what one walk has found out.
type memo struct {
	budget *budget.Budget
	holds  map[instanceKey]bool
	takes  map[[2]T]bool
	plain  map[T]bool
	level  int // of aliases that mention themselves
}

// enter goes into an alias that mentions itself. Two of them can lead to each other forever without any guard of
// Puppet's noticing, and Puppet runs out of stack. Within a budget that is the end; without one, false says that
// nothing spoke against it so far.
func (m *memo) enter() bool {
	m.budget.Enter(comparing)
	m.level++
	return m.budget != nil || m.level <= maxLevel
}

const maxLevel = 1000

func (m *memo) leave() {
	m.budget.Leave()
	m.level--
}

type instanceKey struct {
	t *Alias
	v value.Value
}

const comparing = "comparing types"

// spend counts a step of a walk.
func (g *guard) spend() {
	if g != nil && g.memo != nil {
		g.memo.budget.Spend(int64(1+len(g.this)+len(g.that)), comparing)
	}
}

// remembering is g, or a new guard, with a memo.
func (g *guard) remembering() *guard {
	switch {
	case g == nil:
		return &guard{memo: &memo{}}
	case g.memo == nil:
		g.memo = &memo{}
	}
	return g
}

// instanceOfPlain is whether a container is of a plain alias.
func instanceOfPlain(t *Alias, v value.Value, g *guard) bool {
	g = g.remembering()
	k := instanceKey{t, v}
	if ok, known := g.memo.holds[k]; known {
		return ok
	}
	ok := reallyInstance(t.To, v, g) == 1
	if g.memo.holds == nil {
		g.memo.holds = map[instanceKey]bool{}
	}
	g.memo.holds[k] = ok
	return ok
}

// assignablePlain is assignable where one side is a plain alias; ok is false when the answer cannot be remembered.
func assignablePlain(a, b T, g *guard, answer func(*guard) bool) bool {
	g = g.remembering()
	if !g.memo.isPlain(a) || !g.memo.isPlain(b) {
		return answer(g)
	}
	k := [2]T{a, b}
	if ok, known := g.memo.takes[k]; known {
		return ok
	}
	ok := answer(g)
	if g.memo.takes == nil {
		g.memo.takes = map[[2]T]bool{}
	}
	g.memo.takes[k] = ok
	return ok
}

// isPlain reports whether a type leads to no alias of itself.
func (m *memo) isPlain(t T) bool {
	if a, is := t.(*Alias); is {
		return a.plain
	}
	if plain, known := m.plain[t]; known {
		return plain
	}
	plain := isPlain(t)
	if m.plain == nil {
		m.plain = map[T]bool{}
	}
	m.plain[t] = plain
	return plain
}

// isPlain goes through a type as far as its aliases, which know it of themselves.
func isPlain(t T) bool {
	switch t := t.(type) {
	case nil:
		return true
	case *Alias:
		return t.plain
	case *Object, *ObjectExt, *TypeSet, *TypeReference, *Init:
		return false
	}
	plain := true
	children(t, func(t T) { plain = plain && isPlain(t) })
	return plain
}

// A Judge compares types and values within a budget. A nil Judge does so without one. It belongs to one goroutine.
type Judge struct{ guard guard }

// NewJudge makes a judge that draws on a budget.
func NewJudge(b *budget.Budget) *Judge { return &Judge{guard{memo: &memo{budget: b}}} }

// begin is the guard of a new walk.
func (j *Judge) begin() *guard {
	if j == nil {
		return nil
	}
	clear(j.guard.memo.holds)
	clear(j.guard.memo.takes)
	clear(j.guard.memo.plain)
	j.guard.memo.level = 0
	return &j.guard
}

// IsInstance reports whether v is of type t.
func (j *Judge) IsInstance(t T, v value.Value) bool { return isInstance(t, v, j.begin()) }

// Assignable reports whether every instance of b is an instance of a, as far as Puppet can tell.
func (j *Judge) Assignable(a, b T) bool { return assignable(a, b, j.begin()) }
