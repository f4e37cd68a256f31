package eval

import (
	"fmt"
	"slices"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What + and - do to arrays and hashes.

func (ev *Evaluator) concatArrays(l *value.Array, lr provenance.Ref, r value.Value, rr provenance.Ref) (value.Value,
	provenance.Ref) {
	b := value.NewArrayBuilder(len(l.Elems) + 4)
	b.AddAll(l)
	switch r := r.(type) {
	case *value.Array:
		b.AddAll(r)
	case *value.Hash:
		b.AddAll(r.Pairs())
	default:
		b.AddRef(r, rr)
		rr = 0
	}
	return b.Array(), ev.trace.Join(lr, rr)
}

func (ev *Evaluator) deleteFromArray(l *value.Array, r value.Value) value.Value {
	var gone []value.Value
	switch r := r.(type) {
	case *value.Array:
		gone = r.Elems
	case *value.Hash:
		gone = r.Pairs().Elems
	default:
		gone = []value.Value{r}
	}
	// Texts and numbers are found in a set; only the rest is compared one by one.
	plain := make(map[any]bool, len(gone))
	var rest []value.Value
	for _, g := range gone {
		if k := plainKey(g); k != nil {
			plain[k] = true
		} else {
			rest = append(rest, g)
		}
	}
	b := value.NewArrayBuilder(len(l.Elems))
	for i, x := range l.Elems {
		k := plainKey(x)
		keep := k == nil || !plain[k]
		if k == nil {
			ev.budget.Spend(int64(len(rest)), comparing)
			keep = !slices.ContainsFunc(rest, func(g value.Value) bool { return rubyEqual(x, g) })
		}
		if keep {
			b.AddRef(x, l.Ref(i))
		}
	}
	return b.Array()
}

// plainKey is the same for texts and numbers that are equal in Ruby, and nil for other values, none of which equals
// them.
func plainKey(v value.Value) any {
	if f, ok := asFloat(v); ok {
		return f
	}
	if s, ok := v.(value.String); ok {
		return string(s)
	}
	return nil
}

func (ev *Evaluator) mergeHashes(e *syntax.Binary, l *value.Hash, lr provenance.Ref, r value.Value,
	rr provenance.Ref) (value.Value, provenance.Ref) {
	var other *value.Hash
	switch r := r.(type) {
	case *value.Hash:
		other = r
	case *value.Array:
		h, err := hashFromArray(r, ev.set.Language)
		if err != "" {
			ev.runtime(e, err)
		}
		other = h
	default:
		ev.runtime(e, "Can only append Array or Hash to a Hash")
	}
	b := l.From(other.Len())
	spine := ev.trace.Join(lr, rr)
	for _, x := range other.Entries() {
		if ev.trace != nil && b.Entry(x.Key) != nil { // any other key of the left side could have been overwritten instead
			spine = ev.trace.Join(spine, x.KeyRef)
		}
		ev.put(b, x)
	}
	return b.Hash(), spine
}

// hashFromArray is Ruby's Hash[…]: of pairs when every element is an array, else of alternating keys and values. Puppet
// 8 makes pairs with Array#to_h, which wants two of everything.
func hashFromArray(a *value.Array, l source.Language) (*value.Hash, string) {
	pairs := len(a.Elems) > 0
	for _, x := range a.Elems {
		if _, ok := x.(*value.Array); !ok {
			pairs = false
		}
	}
	b := value.NewHashBuilder(len(a.Elems))
	if pairs {
		for i, x := range a.Elems {
			p := x.(*value.Array)
			if l.Eight() && len(p.Elems) != 2 {
				return nil, fmt.Sprintf("wrong array length at %d (expected 2, was %d)", i, len(p.Elems))
			}
			switch len(p.Elems) {
			case 1:
				b.SetEntry(value.Entry{Key: p.Elems[0], Value: value.Undef{}, KeyRef: p.Ref(0), Ref: a.Ref(i)})
			case 2:
				b.SetEntry(value.Entry{Key: p.Elems[0], Value: p.Elems[1], KeyRef: p.Ref(0), Ref: p.Ref(1)})
			default:
				return nil, "invalid number of elements (" + value.ToString(value.Int(len(p.Elems))) + " for 1..2)"
			}
		}
		return b.Hash(), ""
	}
	if len(a.Elems)%2 != 0 {
		return nil, "odd number of arguments for Hash"
	}
	for i := 0; i < len(a.Elems); i += 2 {
		b.SetEntry(value.Entry{Key: a.Elems[i], Value: a.Elems[i+1], KeyRef: a.Ref(i), Ref: a.Ref(i + 1)})
	}
	return b.Hash(), ""
}

func (ev *Evaluator) deleteFromHash(l *value.Hash, r value.Value) value.Value {
	gone := map[*value.Entry]bool{}
	drop := func(k value.Value) {
		if e := l.Entry(k); e != nil {
			gone[e] = true
		}
	}
	switch r := r.(type) {
	case *value.Array:
		for _, k := range r.Elems {
			drop(k)
		}
	case *value.Hash:
		for _, e := range r.Entries() {
			drop(e.Key)
		}
	default:
		drop(r)
	}
	b := value.NewHashBuilder(l.Len())
	entries := l.Entries()
	for i := range entries {
		if e := &entries[i]; !gone[e] {
			b.SetEntry(value.Entry{Key: e.Key, Value: e.Value, KeyRef: e.KeyRef, Ref: e.Ref})
		}
	}
	return b.Hash()
}

// rubyEqual is Ruby's ==: case counts, but 1 == 1.0.
func rubyEqual(a, b value.Value) bool {
	if f, ok := asFloat(a); ok {
		g, ok := asFloat(b)
		return ok && f == g
	}
	return value.Same(a, b)
}
