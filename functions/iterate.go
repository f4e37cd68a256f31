package functions

import (
	"bunraku/eval"
	"bunraku/provenance"
	"bunraku/types"
	"bunraku/value"
)

// iterationFunctions walk everything iterable: arrays, hashes, iterators, integers, strings, ranges and enums.
func iterationFunctions() []*eval.Function {
	return []*eval.Function{
		{Name: "each", Doc: "Calls a block with every element.", Flow: eval.Observer, Dispatches: walkers(each)},
		{Name: "map", Doc: "Makes an array of what a block yields for every element.", Flow: eval.Observer, Dispatches: walkers(mapEach)},
		{Name: "filter", Doc: "Keeps the elements for which a block yields something true.", Flow: eval.Observer, Dispatches: walkers(filter)},
		{Name: "reduce", Doc: "Combines all elements, two at a time.", Flow: eval.Observer, Dispatches: []eval.Dispatch{
			{Signature: "Callable[Iterable, Callable[2, 2]]", Names: []string{"enumerable"}, Run: reduce},
			{Signature: "Callable[Iterable, Any, Callable[2, 2]]", Names: []string{"enumerable", "memo"}, Run: reduce},
		}},
		{Name: "with", Doc: "Calls a block with the arguments.", Flow: eval.Observer, Dispatches: []eval.Dispatch{{
			Signature: "Callable[Any, 0, Callable]", Names: []string{"arg"}, Run: func(c *eval.Call) (value.Value, error) {
				v, err := c.Block.Call(c.Args, c.Refs)
				c.Ref = c.Block.LastRef()
				return v, err
			},
		}}},
	}
}

// walkers are the four signatures of functions that take a block with one or two parameters.
func walkers(run func(*eval.Call) (value.Value, error)) []eval.Dispatch {
	var out []eval.Dispatch
	for _, s := range []string{"Callable[Hash, Callable[2, 2]]", "Callable[Hash, Callable[1, 1]]", "Callable[Iterable, Callable[2, 2]]", "Callable[Iterable, Callable[1, 1]]"} {
		name := "enumerable"
		if s[9] == 'H' {
			name = "hash"
		}
		out = append(out, eval.Dispatch{Signature: s, Names: []string{name, "block"}, Run: run})
	}
	return out
}

// An item is one element of an iteration as a block sees it: one argument or two.
type item struct {
	one, first, second          value.Value
	oneRef, firstRef, secondRef provenance.Ref
	entry                       *value.Entry // of a hash
}

// items walks the first argument of a call. The elements' provenance includes the spine: which elements there are.
func items(c *eval.Call, f func(item) error) error {
	spine := c.ArgRef(0)
	tr := c.Trace()
	switch v := c.Args[0].(type) {
	case *value.Hash:
		entries := v.Entries()
		for i := range entries {
			e := &entries[i]
			pair := value.NewArray(e.Key, e.Value)
			k, r := tr.With(e.KeyRef, spine), tr.With(e.Ref, spine)
			if tr != nil {
				pair.Refs = []provenance.Ref{k, r}
			}
			if err := f(item{one: pair, first: e.Key, second: e.Value, oneRef: spine, firstRef: k, secondRef: r, entry: e}); err != nil {
				return err
			}
		}
		return nil
	case *value.Array:
		for i, x := range v.Elems {
			r := tr.With(v.Ref(i), spine)
			if err := f(item{one: x, first: value.Int(i), second: x, oneRef: r, firstRef: spine, secondRef: r}); err != nil {
				return err
			}
		}
		return nil
	}
	i := 0
	for x := range types.IterableOn(c.Args[0]).Seq {
		it := item{one: x, first: value.Int(i), second: x, oneRef: spine, firstRef: spine, secondRef: spine}
		i++
		if err := f(it); err != nil {
			return err
		}
	}
	return nil
}

// call gives an item to the block, as one argument or two. A block that takes two may have a default or capture the rest.
func call(c *eval.Call, it item) (value.Value, error) {
	if two(c) {
		return c.Block.Call([]value.Value{it.first, it.second}, refs(c, it.firstRef, it.secondRef))
	}
	return c.Block.Call([]value.Value{it.one}, refs(c, it.oneRef))
}

func refs(c *eval.Call, rs ...provenance.Ref) []provenance.Ref {
	if c.Trace() == nil {
		return nil
	}
	return rs
}

func two(c *eval.Call) bool {
	_, most := c.Block.Arity()
	return most < 0 || most >= 2
}

func each(c *eval.Call) (value.Value, error) {
	c.Ref = c.ArgRef(0)
	err := c.Iterating(func() error {
		return items(c, func(it item) error {
			_, err := call(c, it)
			return err
		})
	})
	return c.Args[0], err
}

func mapEach(c *eval.Call) (value.Value, error) {
	c.Ref = c.ArgRef(0)
	b := value.NewArrayBuilder(8)
	err := c.Iterating(func() error {
		return items(c, func(it item) error {
			v, err := call(c, it)
			if err == nil {
				b.AddRef(v, c.Block.LastRef())
			}
			return err
		})
	})
	return b.Array(), err
}

// filter keeps elements; the verdicts decide which are there, so they belong to the spine.
func filter(c *eval.Call) (value.Value, error) {
	spine := c.ArgRef(0)
	a, h := value.NewArrayBuilder(8), value.NewHashBuilder(8)
	err := c.Iterating(func() error {
		return items(c, func(it item) error {
			v, err := call(c, it)
			if err != nil {
				return err
			}
			spine = c.Trace().Join(spine, c.Block.LastRef())
			if value.Truthy(v) {
				if it.entry != nil {
					h.SetEntry(*it.entry)
				} else {
					a.AddRef(it.one, it.oneRef)
				}
			}
			return nil
		})
	})
	c.Ref = spine
	if _, ok := c.Args[0].(*value.Hash); ok {
		return h.Hash(), err
	}
	return a.Array(), err
}

func reduce(c *eval.Call) (value.Value, error) {
	var memo value.Value
	var ref provenance.Ref
	if len(c.Args) > 1 {
		memo, ref = c.Args[1], c.ArgRef(1)
	}
	err := c.Iterating(func() error {
		return items(c, func(it item) error {
			if memo == nil {
				memo, ref = it.one, it.oneRef
				return nil
			}
			v, err := c.Block.Call([]value.Value{memo, it.one}, refs(c, ref, it.oneRef))
			memo, ref = v, c.Trace().With(c.Block.LastRef(), c.ArgRef(0))
			return err
		})
	})
	c.Ref = ref
	return value.OrUndef(memo), err
}
