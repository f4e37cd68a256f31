package functions

import (
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// collectionFunctions look into arrays and hashes, and make new ones of their elements.
func collectionFunctions() []*eval.Function {
	one := func(name, doc, signature, param string, run func(*eval.Call) (value.Value, error)) *eval.Function {
		return &eval.Function{Name: name, Doc: doc,
			Dispatches: []eval.Dispatch{{Signature: signature, Names: []string{param}, Run: run}}}
	}
	return []*eval.Function{
		{Name: "empty", Doc: "Reports whether a collection, string or binary has nothing in it; undef has not.",
			Dispatches: []eval.Dispatch{
				{Signature: "Callable[Collection]", Names: []string{"coll"}, Run: empty},
				{Signature: "Callable[Sensitive[String]]", Names: []string{"str"}, Run: empty},
				{Signature: "Callable[String]", Names: []string{"str"}, Run: empty},
				{Signature: "Callable[Numeric]", Names: []string{"num"}, Run: empty},
				{Signature: "Callable[Binary]", Names: []string{"bin"}, Run: empty},
				{Signature: "Callable[Undef]", Names: []string{"x"}, Run: empty},
			}},
		{Name: "length", Doc: "The number of elements, characters or bytes.", Dispatches: []eval.Dispatch{
			{Signature: "Callable[Collection]", Names: []string{"arg"}, Run: length},
			{Signature: "Callable[String]", Names: []string{"arg"}, Run: length},
			{Signature: "Callable[Binary]", Names: []string{"arg"}, Run: length},
		}},
		one("size", "The same as length.", "Callable[Variant[Collection, String, Binary]]", "arg", length),
		one("keys", "The keys of a hash.", "Callable[Hash]", "hsh", func(c *eval.Call) (value.Value, error) {
			return column(c, func(e value.Entry) (value.Value, provenance.Ref) { return e.Key, e.KeyRef })
		}),
		one("values", "The values of a hash.", "Callable[Hash]", "hsh", func(c *eval.Call) (value.Value, error) {
			return column(c, func(e value.Entry) (value.Value, provenance.Ref) { return e.Value, e.Ref })
		}),
		one("flatten", "One array of all arguments, nested arrays dissolved.", "Callable[Any, 0]", "args",
			func(c *eval.Call) (value.Value, error) {
				c.Ref = c.Trace().Join(c.Refs...)
				return value.Flatten(&value.Array{Elems: c.Args, Refs: c.Refs}), nil
			}),
		{Name: "sort", Doc: "Sorts an array, or the characters of a string; a block may compare.",
			Dispatches: []eval.Dispatch{
				{Signature: "Callable[String, Optional[Callable[2, 2]]]", Names: []string{"string_value"}, Run: sortText},
				{Signature: "Callable[Array, Optional[Callable[2, 2]]]", Names: []string{"array_value"}, Run: sortArray},
			}},
		{Name: "unique", Doc: "Keeps the first of equal elements; of a hash, joins the keys that have equal values.",
			Dispatches: []eval.Dispatch{
				{Signature: "Callable[String, Optional[Callable[String]]]", Names: []string{"string"}, Run: uniqueText},
				{Signature: "Callable[Hash, Optional[Callable[Any]]]", Names: []string{"hash"}, Run: uniqueHash},
				{Signature: "Callable[Array, Optional[Callable[Any]]]", Names: []string{"array"}, Run: uniqueElements},
				{Signature: "Callable[Iterable, Optional[Callable[Any]]]", Names: []string{"iterable"}, Run: uniqueElements},
			}},
		{Name: "group_by", Doc: "Groups elements by what a block yields for them.", Dispatches: sorters("Hash", groupBy)},
		{Name: "partition", Doc: "Two arrays: the elements for which a block yields something true, and the others.",
			Dispatches: sorters("Tuple[Array, Array]", partition)},
	}
}

func empty(c *eval.Call) (value.Value, error) {
	switch v := c.Args[0].(type) {
	case value.Int, value.Float:
		c.Warn("W0610", "Calling function empty() with Numeric value is deprecated.")
		return value.Bool(false), nil
	case *value.Sensitive:
		return value.Bool(v.Value == value.String("")), nil
	case value.Undef:
		return value.Bool(true), nil
	}
	n, err := length(c)
	return value.Bool(n == value.Int(0)), err
}

// length depends on which elements there are, not on what they are.
func length(c *eval.Call) (value.Value, error) {
	c.Ref = computed(c, c.ArgRef(0))
	switch v := c.Args[0].(type) {
	case *value.Array:
		return value.Int(v.Len()), nil
	case *value.Hash:
		for _, e := range v.Entries() { // two keys could have been one
			c.Ref = c.Trace().Join(c.Ref, e.KeyRef)
		}
		return value.Int(v.Len()), nil
	case value.String:
		return value.Int(value.CharLen(string(v))), nil
	case value.Binary:
		return value.Int(len(v)), nil
	}
	return nil, noMethod("size", c.Args[0])
}

func column(c *eval.Call, pick func(value.Entry) (value.Value, provenance.Ref)) (value.Value, error) {
	c.Ref = c.ArgRef(0)
	h := c.Args[0].(*value.Hash)
	out := value.NewArrayBuilder(h.Len())
	for _, e := range h.Entries() {
		out.AddRef(pick(e))
	}
	return out.Array(), nil
}

// ---- sort

func sortText(c *eval.Call) (value.Value, error) {
	chars := characters(string(c.Args[0].(value.String)))
	cmp := comparison(byNumber)
	if c.Block != nil {
		cmp = byBlock
	}
	if err := mergeSort(chars, func(a, b value.Value) (int, error) { return cmp(c, a, b) }); err != nil {
		return nil, err
	}
	return value.String(joinRuby(chars, "")), nil
}

// sortArray moves elements; where each ends up depends on all of them.
func sortArray(c *eval.Call) (value.Value, error) {
	list := c.Args[0].(*value.Array)
	type slot struct {
		v value.Value
		r provenance.Ref
	}
	slots := make([]slot, list.Len())
	for i, v := range list.Elems {
		slots[i] = slot{v, list.Ref(i)}
	}
	cmp := comparison(byNumber)
	if c.Block != nil {
		cmp = byBlock
	}
	if err := mergeSort(slots, func(a, b slot) (int, error) { return cmp(c, a.v, b.v) }); err != nil {
		return nil, err
	}
	c.Ref = wholly(c, 0)
	if c.Block != nil {
		c.Ref = c.Trace().Join(c.Ref, c.Block.LastRef())
	}
	out := value.NewArrayBuilder(len(slots))
	for _, s := range slots {
		out.AddRef(s.v, s.r)
	}
	return out.Array(), nil
}

func characters(s string) []value.Value {
	var out []value.Value
	for c := range types.IterableOn(value.String(s)).Seq {
		out = append(out, c)
	}
	return out
}

// ---- unique

// distinct remembers what it has seen, by Ruby's eql?.
type distinct struct{ seen *value.HashBuilder }

func newDistinct() distinct { return distinct{value.NewHashBuilder(8)} }

func (d distinct) first(v value.Value) bool {
	if _, has := d.seen.Get(v); has {
		return false
	}
	d.seen.Set(v, value.Undef{})
	return true
}

// keyOf is what decides whether two elements are one: the element, or what the block yields for it.
func keyOf(c *eval.Call, v value.Value, r provenance.Ref) (value.Value, error) {
	if c.Block == nil {
		return v, nil
	}
	return c.Block.Call([]value.Value{v}, refs(c, r))
}

func uniqueText(c *eval.Call) (value.Value, error) {
	d := newDistinct()
	var b strings.Builder
	for _, ch := range characters(string(c.Args[0].(value.String))) {
		k, err := keyOf(c, ch, c.ArgRef(0))
		if err != nil {
			return nil, err
		}
		if d.first(k) {
			b.WriteString(value.ToString(ch))
		}
	}
	return value.String(b.String()), nil
}

func uniqueElements(c *eval.Call) (value.Value, error) {
	d := newDistinct()
	out := value.NewArrayBuilder(8)
	if types.IterableOn(c.Args[0]) == nil {
		return nil, noMethod("uniq", value.Undef{})
	}
	err := elements(c.Args[0], func(v value.Value, r provenance.Ref) error {
		k, err := keyOf(c, v, r)
		if err == nil && d.first(k) {
			out.AddRef(v, r)
		}
		return err
	})
	c.Ref = wholly(c, 0)
	return finish(out, err)
}

// uniqueHash makes {[keys] => [values]} of the entries whose values count as one.
func uniqueHash(c *eval.Call) (value.Value, error) {
	type group struct {
		keys, values *value.ArrayBuilder
		seen         distinct
	}
	var groups []group
	places := value.NewHashBuilder(8)
	for _, e := range c.Args[0].(*value.Hash).Entries() {
		k, err := keyOf(c, e.Value, e.Ref)
		if err != nil {
			return nil, err
		}
		at, has := places.Get(k)
		if !has {
			at = value.Int(len(groups))
			places.Set(k, at)
			groups = append(groups, group{value.NewArrayBuilder(2), value.NewArrayBuilder(1), newDistinct()})
		}
		g := groups[at.(value.Int)]
		g.keys.AddRef(e.Key, e.KeyRef)
		if g.seen.first(e.Value) {
			g.values.AddRef(e.Value, e.Ref)
		}
	}
	c.Ref = wholly(c, 0)
	out := value.NewHashBuilder(len(groups))
	for _, g := range groups {
		out.SetEntry(value.Entry{Key: g.keys.Array(), Value: g.values.Array(), KeyRef: c.Ref, Ref: c.Ref})
	}
	return out.Hash(), nil
}

// ---- group_by and partition

// sorters are the signatures of functions that sort elements into groups. A block with two parameters gets the index or
// key first.
func sorters(result string, run func(*eval.Call, func(visit func(it item, verdict value.Value)) error) (value.Value,
	error)) []eval.Dispatch {
	with := func(pairs bool) func(*eval.Call) (value.Value, error) {
		return func(c *eval.Call) (value.Value, error) {
			c.Ref = wholly(c, 0)
			return run(c, func(visit func(item, value.Value)) error {
				return items(c, func(it item) error {
					args, rs := []value.Value{it.one}, refs(c, it.oneRef)
					if pairs {
						args, rs = []value.Value{it.first, it.second}, refs(c, it.firstRef, it.secondRef)
					}
					v, err := c.Block.Call(args, rs)
					if err == nil {
						c.Ref = c.Trace().Join(c.Ref, c.Block.LastRef())
						visit(it, v)
					}
					return err
				})
			})
		}
	}
	return []eval.Dispatch{
		{Signature: "Callable[[Collection, Callable[1, 1]], " + result + "]", Names: []string{"collection"},
			Run: with(false)},
		{Signature: "Callable[[Array, Callable[2, 2]], " + result + "]", Names: []string{"array"}, Run: with(true)},
		{Signature: "Callable[[Collection, Callable[2, 2]], " + result + "]", Names: []string{"collection"}, Run: with(true)},
	}
}

func groupBy(c *eval.Call, walk func(func(item, value.Value)) error) (value.Value, error) {
	var keys []value.Value
	var groups []*value.ArrayBuilder
	places := value.NewHashBuilder(8)
	err := walk(func(it item, key value.Value) {
		at, has := places.Get(key)
		if !has {
			at = value.Int(len(groups))
			places.Set(key, at)
			keys, groups = append(keys, key), append(groups, value.NewArrayBuilder(2))
		}
		groups[at.(value.Int)].AddRef(it.one, it.oneRef)
	})
	if err != nil {
		return nil, err
	}
	out := value.NewHashBuilder(len(groups))
	for i, g := range groups {
		out.SetEntry(value.Entry{Key: keys[i], Value: g.Array(), KeyRef: c.Ref, Ref: c.Ref})
	}
	return out.Hash(), nil
}

func partition(c *eval.Call, walk func(func(item, value.Value)) error) (value.Value, error) {
	yes, no := value.NewArrayBuilder(4), value.NewArrayBuilder(4)
	err := walk(func(it item, v value.Value) {
		if value.Truthy(v) {
			yes.AddRef(it.one, it.oneRef)
		} else {
			no.AddRef(it.one, it.oneRef)
		}
	})
	if err != nil {
		return nil, err
	}
	out := value.NewArrayBuilder(2)
	out.AddRef(yes.Array(), c.Ref)
	out.AddRef(no.Array(), c.Ref)
	return out.Array(), nil
}
