package types

import "bunraku/puppet/value"

// A guard keeps walks over recursive aliases finite. It is Puppet's RecursionGuard to the letter, because its oddities
// show: once a re-entry is noted on one side, no further one is told apart, so that
// `type A = Variant[String, B]  type B = Array[A]` has no arrays among its instances.
type guard struct {
	live      bool // false: nothing is guarded yet, only depth counts
	depth     int
	state     uint8
	this      []T
	that      []value.Value
	recurThis []T
	visits    int   // of accept
	memo      *memo // of the whole walk, whatever guards it goes through; nil for none
}

const (
	inThis uint8 = 1
	inThat uint8 = 2
	inBoth uint8 = 3
)

// maxUnguarded bounds the walks in which Puppet drops its guard, and runs out of stack.
const maxUnguarded = 100

// guarding is g, or a new guard when none is at work.
func (g *guard) guarding() *guard {
	switch {
	case g == nil:
		return &guard{live: true}
	case !g.live:
		return &guard{live: true, depth: g.depth, memo: g.memo}
	}
	return g
}

// dropped is no guard at all, but counts how often that happened.
func (g *guard) dropped() *guard {
	if g == nil {
		return &guard{depth: 1}
	}
	return &guard{depth: g.depth + 1, memo: g.memo}
}

// enterThis is the first half of with_this; done is to be called when the guarded work is over.
func (g *guard) enterThis(t T) (state uint8, added bool) {
	if g.state&inThis == 0 {
		if g.putThis(t) {
			g.state |= inThis
			return g.state, false
		}
		return g.state, true
	}
	return g.state, false
}

func (g *guard) leaveThis(t T, added bool) {
	if !added {
		return
	}
	g.state &^= inThis
	for i, x := range g.this {
		if x == t {
			g.this = append(g.this[:i], g.this[i+1:]...)
			return
		}
	}
}

// putThis reports whether t was there already.
func (g *guard) putThis(t T) bool {
	for _, x := range g.this {
		if x == t {
			g.recurThis = append(g.recurThis, t)
			return true
		}
	}
	g.this = append(g.this, t)
	return false
}

func (g *guard) isRecursiveThis(t T) bool {
	for _, x := range g.recurThis {
		if x == t {
			return true
		}
	}
	return false
}

func (g *guard) enterThat(v value.Value) (added bool) {
	if g.state&inThat == 0 {
		if g.putThat(v) {
			g.state |= inThat
			return false
		}
		return true
	}
	return false
}

func (g *guard) leaveThat(v value.Value, added bool) {
	if !added {
		return
	}
	g.state &^= inThat
	for i, x := range g.that {
		if x == v {
			g.that = append(g.that[:i], g.that[i+1:]...)
			return
		}
	}
}

func (g *guard) putThat(v value.Value) bool {
	for _, x := range g.that {
		if x == v {
			return true
		}
	}
	g.that = append(g.that, v)
	return false
}

// addThat notes v for the rest of the walk.
func (g *guard) addThat(v value.Value) uint8 {
	if g.state&inThat == 0 && g.putThat(v) {
		g.state |= inThat
	}
	return g.state
}
