package functions

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// iterationFunctions walk everything iterable: arrays, hashes, iterators, integers, strings, ranges and enums.
func iterationFunctions() []*eval.Function {
	block := func(name, doc, signature string, names []string, run func(*eval.Call) (value.Value, error)) *eval.Function {
		return &eval.Function{Name: name, Doc: doc, Flow: eval.Observer,
			Dispatches: []eval.Dispatch{{Signature: signature, Names: names, Run: run}}}
	}
	return []*eval.Function{
		{Name: "each", Doc: "Calls a block with every element.", Flow: eval.Observer, Dispatches: walkers(each)},
		{Name: "map", Doc: "Makes an array of what a block yields for every element.", Flow: eval.Observer,
			Dispatches: walkers(mapEach)},
		{Name: "filter", Doc: "Keeps the elements for which a block yields something true.", Flow: eval.Observer,
			Dispatches: walkers(filter)},
		{Name: "all", Doc: "Reports whether a block yields something true for every element.", Flow: eval.Observer,
			Dispatches: walkers(func(c *eval.Call) (value.Value, error) {
				return search(c, false, func(item) value.Value { return value.Bool(false) }, value.Bool(true))
			})},
		{Name: "any", Doc: "Reports whether a block yields something true for at least one element.", Flow: eval.Observer,
			Dispatches: walkers(func(c *eval.Call) (value.Value, error) {
				return search(c, true, func(item) value.Value { return value.Bool(true) }, value.Bool(false))
			})},
		{Name: "index", Doc: "The index or key of the first element that a block, a value or a pattern finds.",
			Flow: eval.Observer, Dispatches: append(walkers(index),
				eval.Dispatch{Signature: "Callable[String, Variant[String, Regexp]]", Names: []string{"str", "match"},
					Run: indexText},
				eval.Dispatch{Signature: "Callable[Iterable, Any]", Names: []string{"enumerable", "match"}, Run: indexValue},
			)},
		{Name: "reduce", Doc: "Combines all elements, two at a time.", Flow: eval.Observer, Dispatches: []eval.Dispatch{
			{Signature: "Callable[Iterable, Callable[2, 2]]", Names: []string{"enumerable"}, Run: reduce},
			{Signature: "Callable[Iterable, Any, Callable[2, 2]]", Names: []string{"enumerable", "memo"}, Run: reduce},
		}},
		{Name: "slice", Doc: "Cuts a collection into pieces of a size, which a block may take one by one.",
			Flow: eval.Observer, Dispatches: []eval.Dispatch{
				{Signature: "Callable[Hash, Integer[1], Optional[Callable]]", Names: []string{"hash", "slice_size"}, Run: slice},
				{Signature: "Callable[Iterable, Integer[1], Optional[Callable]]", Names: []string{"enumerable", "slice_size"},
					Run: slice},
			}},
		{Name: "reverse_each", Doc: "Walks a collection backwards: an iterator, or a block is called.", Flow: eval.Observer,
			Dispatches: []eval.Dispatch{
				{Signature: "Callable[Iterable]", Names: []string{"iterable"},
					Run: lazily(func(c *eval.Call) *value.Iterator { return types.ReverseEach(c.Args[0]) })},
				{Signature: "Callable[Iterable, Callable[1, 1]]", Names: []string{"iterable"},
					Run: lazily(func(c *eval.Call) *value.Iterator { return types.ReverseEach(c.Args[0]) })},
			}},
		{Name: "step", Doc: "Takes every n-th element: an iterator, or a block is called.", Flow: eval.Observer,
			Dispatches: []eval.Dispatch{
				{Signature: "Callable[Iterable, Integer[1]]", Names: []string{"iterable", "step"}, Run: lazily(stepped)},
				{Signature: "Callable[Iterable, Integer[1], Callable[1, 1]]", Names: []string{"iterable", "step"},
					Run: lazily(stepped)},
			}},
		block("with", "Calls a block with the arguments.", "Callable[Any, 0, Callable]", []string{"arg"}, yield),
		block("then", "Calls a block with a value unless it is undef.", "Callable[Any, Callable[1, 1]]", []string{"arg"},
			func(c *eval.Call) (value.Value, error) {
				if value.IsUndef(c.Args[0]) {
					return same(c)
				}
				return yield(c)
			}),
		block("lest", "Calls a block to make a value when there is none.", "Callable[Any, Callable[0, 0]]", []string{"arg"},
			func(c *eval.Call) (value.Value, error) {
				if !value.IsUndef(c.Args[0]) {
					return same(c)
				}
				v, err := c.Block.Call(nil, nil)
				c.Ref = c.Trace().With(c.Block.LastRef(), c.ArgRef(0))
				return v, err
			}),
	}
}

// yield calls the block with all arguments.
func yield(c *eval.Call) (value.Value, error) {
	v, err := serve(c, c.Args, c.Refs)
	c.Ref = c.Block.LastRef()
	return v, err
}

// serve calls the block. Arguments that it has no parameter for are dropped.
func serve(c *eval.Call, args []value.Value, refs []provenance.Ref) (value.Value, error) {
	if _, most := c.Block.Arity(); most >= 0 && len(args) > most {
		args, refs = args[:most], refs[:min(most, len(refs))]
	}
	return c.Block.Call(args, refs)
}

// walkers are the four signatures of functions that take a block with one or two parameters.
func walkers(run func(*eval.Call) (value.Value, error)) []eval.Dispatch {
	var out []eval.Dispatch
	for _, s := range []string{"Callable[Hash, Callable[2, 2]]", "Callable[Hash, Callable[1, 1]]",
		"Callable[Iterable, Callable[2, 2]]", "Callable[Iterable, Callable[1, 1]]"} {
		name := "enumerable"
		if s[9] == 'H' {
			name = "hash"
		}
		out = append(out, eval.Dispatch{Signature: s, Names: []string{name}, Run: run})
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
			k, r := tr.With(e.KeyRef, spine), c.Eval.Found(v, e, spine)
			if tr != nil {
				pair.Refs = []provenance.Ref{k, r}
			}
			if err := f(item{one: pair, first: e.Key, second: e.Value, oneRef: spine, firstRef: k, secondRef: r,
				entry: e}); err != nil {
				return err
			}
		}
		return nil
	case *value.Array:
		for i, x := range v.Elems {
			r := c.Eval.Element(v, i, spine)
			if err := f(item{one: x, first: value.Int(i), second: x, oneRef: r, firstRef: tr.Join(spine),
				secondRef: r}); err != nil {
				return err
			}
		}
		return nil
	}
	seq := types.IterableOn(c.Args[0])
	if seq == nil {
		return notIterable(c)
	}
	spine = tr.Op("element", spine) // made of the number, the text or the range, not copied
	i := 0
	for x := range seq.Seq {
		it := item{one: x, first: value.Int(i), second: x, oneRef: spine, firstRef: spine, secondRef: spine}
		if pair, is := x.(*value.Array); is && seq.Pairs && pair.Len() == 2 {
			it.first, it.second = pair.Elems[0], pair.Elems[1]
			it.entry = &value.Entry{Key: it.first, Value: it.second, KeyRef: spine, Ref: spine}
		}
		i++
		if err := f(it); err != nil {
			return err
		}
	}
	return nil
}

func notIterable(c *eval.Call) error {
	return fmt.Errorf("%s(): wrong argument type (%s; is not Iterable.", c.Name, rubyClass(c.Args[0]))
}

// call gives an item to the block, as one argument or two. A block that takes two may have a default or capture the
// rest.
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
	c.Ref = c.Trace().Join(c.ArgRef(0))
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

// filter keeps elements; the verdicts decide which are there, so they belong to the spine. A break ends the walk,
// except through a hash: there Puppet passes it on to an iteration around.
func filter(c *eval.Call) (value.Value, error) {
	spine := c.ArgRef(0)
	a, h := value.NewArrayBuilder(8), value.NewHashBuilder(8)
	_, hash := c.Args[0].(*value.Hash)
	pairs := hash
	walk := func() error {
		return items(c, func(it item) error {
			v, err := call(c, it)
			if err != nil {
				return err
			}
			spine = c.Trace().Join(spine, c.Block.LastRef())
			pairs = hash || it.entry != nil && two(c)
			if value.Truthy(v) {
				if pairs {
					h.SetEntry(*it.entry)
				} else {
					a.AddRef(it.one, it.oneRef)
				}
			}
			return nil
		})
	}
	err := unless(c, hash, walk)
	c.Ref = spine
	if pairs {
		return h.Hash(), err
	}
	return a.Array(), err
}

// unless runs an iteration that break may end, unless passOn says that a break concerns an iteration around.
func unless(c *eval.Call, passOn bool, walk func() error) error {
	if passOn {
		return walk()
	}
	return c.Iterating(walk)
}

// passesBreak reports whether Puppet's searches through a value let a break go on outwards: a slip of theirs that
// Integer ranges and stepped iterators do not share.
func passesBreak(v value.Value) bool {
	switch v.(type) {
	case value.Int, *types.Integer, *value.Iterator:
		return false
	}
	return true
}

var errFound = errors.New("found")

// search looks for the first element for which the block yields something true (or not).
func search(c *eval.Call, wanted bool, answer func(item) value.Value, otherwise value.Value) (value.Value, error) {
	found := otherwise
	why := []provenance.Ref{c.ArgRef(0)}
	err := unless(c, passesBreak(c.Args[0]), func() error {
		return items(c, func(it item) error {
			v, err := call(c, it)
			if err != nil {
				return err
			}
			why = append(why, c.Block.LastRef())
			if value.Truthy(v) == wanted {
				found = answer(it)
				return errFound
			}
			return nil
		})
	})
	if err == errFound {
		err = nil
	}
	c.Ref = computed(c, why...)
	return found, err
}

// index is search for a place. A block with one parameter gets values, also of a hash.
func index(c *eval.Call) (value.Value, error) {
	place := func(it item) value.Value { return it.first }
	if two(c) {
		return search(c, true, place, value.Undef{})
	}
	found := value.Value(value.Undef{})
	why := []provenance.Ref{c.ArgRef(0)}
	err := unless(c, passesBreak(c.Args[0]), func() error {
		return items(c, func(it item) error {
			v, err := c.Block.Call([]value.Value{it.second}, refs(c, it.secondRef))
			if err != nil {
				return err
			}
			why = append(why, c.Block.LastRef())
			if value.Truthy(v) {
				found = it.first
				return errFound
			}
			return nil
		})
	})
	if err == errFound {
		err = nil
	}
	c.Ref = computed(c, why...)
	return found, err
}

func indexText(c *eval.Call) (value.Value, error) {
	c.Ref = computed(c, c.ArgRef(0), c.ArgRef(1))
	s := string(c.Args[0].(value.String))
	at, err := -1, error(nil)
	switch m := c.Args[1].(type) {
	case value.String:
		at = strings.Index(s, string(m))
	case *value.Regexp:
		var loc []int
		if loc, err = c.Eval.FindIn(m.Re, s, 0); loc != nil {
			at = loc[0]
		}
	}
	if at < 0 || err != nil {
		return value.Undef{}, err
	}
	return value.Int(value.CharLen(s[:at])), nil
}

func indexValue(c *eval.Call) (value.Value, error) {
	c.Ref = computed(c, wholly(c, 0), wholly(c, 1))
	found := value.Value(value.Undef{})
	err := items(c, func(it item) error {
		if rubyEqual(it.second, c.Args[1]) {
			found = it.first
			return errFound
		}
		return nil
	})
	if err == errFound {
		err = nil
	}
	return found, err
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
			if err != nil {
				return err
			}
			memo, ref = v, c.Trace().With(c.Block.LastRef(), c.ArgRef(0))
			return nil
		})
	})
	c.Ref = c.Trace().With(ref, c.ArgRef(0)) // also when there is nothing to walk
	return value.OrUndef(memo), err
}

// lazily makes a function that gives an iterator, or walks it when there is a block.
func lazily(make func(*eval.Call) *value.Iterator) func(*eval.Call) (value.Value, error) {
	return func(c *eval.Call) (value.Value, error) {
		c.Ref = everything(c)
		it := make(c)
		if it == nil {
			return nil, notIterable(c)
		}
		if c.Block == nil {
			return it, nil
		}
		return value.Undef{}, c.Iterating(func() error {
			for v := range it.Seq {
				args := []value.Value{v}
				if least, most := c.Block.Arity(); least != 1 || most != 1 {
					args = splat(v)
				}
				if _, err := serve(c, args, refs(c, repeat(c.Ref, len(args))...)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// splat is Ruby's *v: a block that may take several arguments gets the elements of an array one by one, and nothing for
// undef.
func splat(v value.Value) []value.Value {
	switch v := v.(type) {
	case *value.Array:
		return v.Elems
	case *value.Hash:
		return v.Pairs().Elems
	case value.Undef:
		return nil
	}
	return []value.Value{v}
}

func repeat(r provenance.Ref, n int) []provenance.Ref {
	out := make([]provenance.Ref, n)
	for i := range out {
		out[i] = r
	}
	return out
}

func stepped(c *eval.Call) *value.Iterator {
	return types.Step(c.Args[0], int64(c.Args[1].(value.Int)))
}

// countedTo is what Puppet takes for the number of integers in a range: one too few. Ruby (since 3.1) cuts no larger
// pieces than that.
func countedTo(v value.Value) (n int, is bool) {
	switch v := v.(type) {
	case value.Int:
		return int(v) - 1, v > 0
	case *types.Integer:
		return int(v.To - v.From), v.To >= v.From
	}
	return 0, false
}

// slice cuts into pieces. A block gets a piece as one argument, or its elements as one argument each; a piece that is
// too short is then filled up.
func slice(c *eval.Call) (value.Value, error) {
	c.Ref = c.Trace().With(c.ArgRef(0), c.ArgRef(1))
	size := int(c.Args[1].(value.Int))
	serving, filler := 1, value.Value(value.Undef{})
	if _, is := c.Args[0].(*value.Hash); is {
		filler = value.EmptyArray
	}
	if c.Block != nil {
		least, most := c.Block.Arity()
		if serving = least; least != most {
			serving = size
		}
		switch {
		case serving == 0:
			return nil, errors.New("slice(): block must define at least one parameter. Block has 0.")
		case serving != 1 && serving != size:
			return nil, errors.New("undefined method `parameter_names' for #<Puppet::Pops::Evaluator::PuppetProc>")
		}
	}
	if limit, is := countedTo(c.Args[0]); is {
		size = min(size, limit)
	}
	pieces := value.NewArrayBuilder(4)
	piece := value.NewArrayBuilder(min(size, 64))
	hand := func() error {
		p := piece.Array()
		piece = value.NewArrayBuilder(min(size, 64))
		switch {
		case c.Block == nil:
			pieces.AddRef(p, c.Ref)
			return nil
		case serving == 1:
			_, err := c.Block.Call([]value.Value{p}, refs(c, c.Ref))
			return err
		}
		args, rs := append([]value.Value(nil), p.Elems...), append([]provenance.Ref(nil), p.Refs...)
		for len(args) < serving {
			args, rs = append(args, filler), append(rs, c.Ref)
		}
		_, err := serve(c, args, refs(c, rs...))
		return err
	}
	err := c.Iterating(func() error {
		err := items(c, func(it item) error {
			piece.AddRef(it.one, it.oneRef)
			if piece.Len() == size {
				return hand()
			}
			return nil
		})
		if err == nil && piece.Len() > 0 {
			err = hand()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if c.Block != nil {
		c.Ref = c.ArgRef(0)
		return c.Args[0], nil
	}
	return pieces.Array(), nil
}
