package verify

import (
	"container/heap"
)

// A bitset is a set of resources.
type bitset []uint64

func newBitset(n int) bitset    { return make(bitset, (n+63)/64) }
func (b bitset) has(i int) bool { return b[i>>6]&(1<<(i&63)) != 0 }
func (b bitset) add(i int)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) addAll(c bitset) {
	for i := range b {
		b[i] |= c[i]
	}
}

// A partial order on resources: before[i] holds all that must be applied before i.
type partial struct {
	n      int
	before []bitset
}

func (p *partial) precedes(i, j int) bool   { return p.before[j].has(i) }
func (p *partial) comparable(i, j int) bool { return p.before[j].has(i) || p.before[i].has(j) }

// Precedes reports whether the dependencies put i before j.
func (a *Analysis) Precedes(i, j int) bool { return a.part.precedes(i, j) }

// newPartial closes the edges transitively. order is any order that respects them.
func newPartial(n int, edges []Edge, order []int) *partial {
	p := &partial{n: n, before: make([]bitset, n)}
	into := make([][]int, n)
	for _, e := range edges {
		into[e.To] = append(into[e.To], e.From)
	}
	for _, i := range order {
		p.before[i] = newBitset(n)
		for _, j := range into[i] {
			p.before[i].add(j)
			p.before[i].addAll(p.before[j])
		}
	}
	return p
}

type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// catalogOrder is what the agent does: Kahn's algorithm with the earliest ready resource first. It fails on a cycle.
func (g *Graph) catalogOrder(added []Edge) ([]int, error) {
	edges := append(g.Edges[:len(g.Edges):len(g.Edges)], added...)
	if cycle := findCycle(len(g.Resources), edges); cycle != nil {
		return nil, &CycleError{g, cycle}
	}
	if g.Order != nil {
		return g.Order(added)
	}
	return kahn(len(g.Resources), edges, func(i int) int { return i }), nil
}

// kahn sorts topologically; among those that are ready, the one with the smallest key is next. Keys are distinct.
func kahn(n int, edges []Edge, key func(int) int) []int {
	missing := make([]int, n)
	out := make([][]int, n)
	for _, e := range edges {
		missing[e.To]++
		out[e.From] = append(out[e.From], e.To)
	}
	byKey := map[int]int{}
	var ready intHeap
	push := func(i int) {
		byKey[key(i)] = i
		heap.Push(&ready, key(i))
	}
	for i := range n {
		if missing[i] == 0 {
			push(i)
		}
	}
	order := make([]int, 0, n)
	for ready.Len() > 0 {
		i := byKey[heap.Pop(&ready).(int)]
		order = append(order, i)
		for _, j := range out[i] {
			if missing[j]--; missing[j] == 0 {
				push(j)
			}
		}
	}
	return order
}

// findCycle returns the edges of some cycle, or nil.
func findCycle(n int, edges []Edge) []Edge {
	out := make([][]Edge, n)
	for _, e := range edges {
		out[e.From] = append(out[e.From], e)
	}
	const (
		fresh = iota
		open
		done
	)
	colour := make([]uint8, n)
	var path []Edge
	var visit func(i int) []Edge
	visit = func(i int) []Edge {
		colour[i] = open
		for _, e := range out[i] {
			switch colour[e.To] {
			case open:
				path = append(path, e)
				for k := len(path) - 1; ; k-- {
					if path[k].From == e.To {
						return append([]Edge(nil), path[k:]...)
					}
				}
			case fresh:
				path = append(path, e)
				if c := visit(e.To); c != nil {
					return c
				}
				path = path[:len(path)-1]
			}
		}
		colour[i] = done
		return nil
	}
	for i := range n {
		if colour[i] == fresh {
			path = path[:0]
			if c := visit(i); c != nil {
				return c
			}
		}
	}
	return nil
}

// extend completes an order of some resources to one of all that respects the dependencies: the given ones keep their
// relative order, the others go as early as they can in catalog order. The given order must respect the dependencies.
func (a *Analysis) extend(some []int) []int {
	key := make([]int, a.n())
	for pos, i := range a.order {
		key[i] = pos
	}
	edges := a.edges[:len(a.edges):len(a.edges)]
	for k := 1; k < len(some); k++ {
		edges = append(edges, Edge{From: some[k-1], To: some[k]})
	}
	return kahn(a.n(), edges, func(i int) int { return key[i] })
}
