package stdlib

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// collections are the functions on arrays and hashes.
func collections() []old {
	return []old{
		{"any2array", "Makes an array of its arguments: a hash is written as keys and values, one array stays as it is.",
			eval.Pure, -1, any2array},
		{"concat", "Appends arrays and values to an array.", eval.Pure, -1, concat},
		{"count", "Counts the elements that equal a value, or those that are neither undef nor empty.", eval.Pure, -2, count},
		{"deep_merge", "Merges hashes, and the hashes in them; the last value wins.", eval.Pure, -1, deepMerge},
		{"delete", "Removes elements from an array, keys from a hash, or texts from a string.", eval.Pure, -1, remove},
		{"delete_at", "Removes the element at an index.", eval.Pure, -1, deleteAt},
		{"delete_regex", "Removes the elements or keys that match a regular expression as whole words.", eval.Pure, -1,
			deleteRegex},
		{"delete_undef_values", "Removes undef from an array, or entries whose value is undef from a hash.", eval.Pure, -1,
			deleteUndef},
		{"delete_values", "Removes the entries of a hash that have a value.", eval.Pure, -1, deleteValues},
		{"difference", "The elements of an array that another has not.", eval.Pure, -1, difference},
		{"dig44", "The value at a path of keys, or a default.", eval.Pure, -2, dig44},
		{"try_get_value", "The value at a path written with slashes, or a default.", eval.Pure, -2, tryGetValue},
		{"grep", "The elements of an array that match a regular expression.", eval.Pure, -1,
			func(c *eval.Call) (value.Value, error) { return sieve(c, true) }},
		{"reject", "The elements of an array that do not match a regular expression.", eval.Pure, -1,
			func(c *eval.Call) (value.Value, error) { return sieve(c, false) }},
		{"has_key", "Reports whether a hash has a key.", eval.Pure, -1, hasKey},
		{"hash", "Makes a hash of an array of keys and values.", eval.Pure, -1, hash},
		{"intersection", "The elements that two arrays share.", eval.Pure, -1, intersection},
		{"join_keys_to_values", "Joins each key of a hash to its value, or to each of its values.", eval.Pure, -1,
			joinKeysToValues},
		{"member", "Reports whether an array has a value, or all of several.", eval.Pure, -1, member},
		{"pick", "The first argument that is neither undef nor empty; there must be one.", eval.Observer, -1, pick},
		{"pick_default", "The first argument that is neither undef nor empty, or the last.", eval.Observer, -1, pickDefault},
		{"prefix", "Puts a text before each element or key.", eval.Pure, -1, func(c *eval.Call) (value.Value, error) {
			return affix(c, func(s, t string) string { return t + s })
		}},
		{"suffix", "Puts a text behind each element or key.", eval.Pure, -1, func(c *eval.Call) (value.Value, error) {
			return affix(c, func(s, t string) string { return s + t })
		}},
		{"reverse", "Reverses an array or a string.", eval.Pure, -1, reverse},
		{"union", "All elements of several arrays, each once.", eval.Pure, -1, union},
		{"values_at", "The elements of an array at indexes or ranges of them.", eval.Pure, -1, valuesAt},
		{"zip", "Pairs the elements of two arrays.", eval.Pure, -1, zip},
	}
}

func any2array(c *eval.Call) (value.Value, error) {
	c.Ref = spine(c)
	all := &value.Array{Elems: c.Args, Refs: c.Refs}
	if len(c.Args) != 1 {
		return all, nil
	}
	switch v := c.Args[0].(type) {
	case *value.Array:
		return v, nil
	case value.String:
		if v == "" {
			return value.EmptyArray, nil
		}
	case *value.Hash:
		b := value.NewArrayBuilder(2 * v.Len())
		for _, e := range v.Entries() {
			b.AddRef(e.Key, e.KeyRef)
			b.AddRef(e.Value, e.Ref)
		}
		return b.Array(), nil
	}
	return all, nil
}

func concat(c *eval.Call) (value.Value, error) {
	if len(c.Args) < 2 {
		return nil, given(c, "< 2")
	}
	first, is := c.Args[0].(*value.Array)
	if !is {
		return nil, parseErrorf("concat(): Requires array to work with")
	}
	c.Ref = spine(c)
	b := value.NewArrayBuilder(first.Len() + len(c.Args))
	b.AddAll(first)
	for i, a := range c.Args[1:] {
		if list, is := a.(*value.Array); is {
			b.AddAll(list)
		} else {
			b.AddRef(a, c.ArgRef(i+1))
		}
	}
	return b.Array(), nil
}

func count(c *eval.Call) (value.Value, error) {
	if len(c.Args) > 2 {
		return nil, fmt.Errorf("count(): Wrong number of arguments given %d for 1 or 2.", len(c.Args))
	}
	var list []value.Value
	switch v := c.Args[0].(type) {
	case *value.Array:
		list = v.Elems
	case *value.Hash:
		list = v.Pairs().Elems
	case value.String:
		if !truthy(c, 1) {
			return nil, errors.New("wrong number of arguments (given 0, expected 1+)")
		}
		set, is := c.Args[1].(value.String)
		if !is {
			return nil, noConversion(c.Args[1], "String")
		}
		in, err := charSet(string(set))
		n := 0
		for _, r := range string(v) {
			if err == nil && in(r) {
				n++
			}
		}
		return value.Int(n), err
	case *types.Tuple: // these types are lists of what they are made of
		list = typeList(v.Types)
	case *types.Variant:
		list = typeList(v.Types)
	case *types.Struct:
		if truthy(c, 1) {
			return value.Int(0), nil // no value is a struct's element
		}
		return value.Int(len(v.Elems)), nil
	default:
		if _, is := functions.Reference(v); !is {
			return nil, noMethod("count", v)
		}
	}
	n := 0
	for _, v := range list {
		switch {
		case truthy(c, 1):
			if functions.RubyEqual(v, c.Args[1]) {
				n++
			}
		case !value.IsUndef(v) && v != value.Value(value.String("")):
			n++
		}
	}
	return value.Int(n), nil
}

func typeList(ts []types.T) []value.Value {
	list := make([]value.Value, len(ts))
	for i, t := range ts {
		list[i] = t
	}
	return list
}

func deepMerge(c *eval.Call) (value.Value, error) {
	if len(c.Args) < 2 {
		return nil, parseErrorf("deep_merge(): wrong number of arguments (%d; must be at least 2)", len(c.Args))
	}
	c.Ref = spine(c)
	out := value.EmptyHash
	for _, a := range c.Args {
		if a == value.Value(value.String("")) {
			continue
		}
		h, is := a.(*value.Hash)
		if !is {
			return nil, parseErrorf("deep_merge: unexpected argument type %s, only expects hash arguments", class(a))
		}
		out = overlay(c, out, h)
	}
	return out, nil
}

func overlay(c *eval.Call, under, over *value.Hash) *value.Hash {
	if under.Len() == 0 {
		return over
	}
	b := under.From(over.Len())
	for _, e := range over.Entries() {
		if before := under.Entry(e.Key); before != nil {
			x, inner := before.Value.(*value.Hash)
			y, outer := e.Value.(*value.Hash)
			if inner && outer {
				e.Value, e.Ref = overlay(c, x, y), c.Trace().Join(before.Ref, e.Ref)
			}
		}
		cover(c, b, e)
	}
	return b.Hash()
}

// cover sets an entry over what may be there: the key that hides another's value decides too, for every key that it
// could have been.
func cover(c *eval.Call, b *value.HashBuilder, e value.Entry) {
	if old := b.Entry(e.Key); old != nil && c.Trace() != nil {
		old.KeyRef = c.Trace().Join(old.KeyRef, e.KeyRef)
		c.Ref = c.Trace().Join(c.Ref, e.KeyRef)
	}
	b.SetEntry(e)
}

func difference(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 2 {
		return nil, given(c, "2")
	}
	a, x := c.Args[0].(*value.Array)
	b, y := c.Args[1].(*value.Array)
	if !x || !y {
		return nil, parseErrorf("difference(): Requires 2 arrays")
	}
	return keep(a, func(e value.Value) bool { return !contains(b.Elems, e, eql) }), nil
}

func intersection(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 2 {
		return nil, given(c, "2")
	}
	a, x := c.Args[0].(*value.Array)
	b, y := c.Args[1].(*value.Array)
	if !x || !y {
		return nil, parseErrorf("intersection(): Requires 2 arrays, got %s and %s", class(c.Args[0]), class(c.Args[1]))
	}
	return unique(keep(a, func(e value.Value) bool { return contains(b.Elems, e, eql) })), nil
}

func unique(a *value.Array) *value.Array {
	b := value.NewArrayBuilder(a.Len())
	for i, e := range a.Elems {
		if !contains(a.Elems[:i], e, eql) {
			b.AddRef(e, a.Ref(i))
		}
	}
	return b.Array()
}

func union(c *eval.Call) (value.Value, error) {
	if len(c.Args) < 2 {
		return nil, given(c, "< 2")
	}
	all := value.NewArrayBuilder(8)
	for _, v := range c.Args {
		a, is := v.(*value.Array)
		if !is {
			return nil, parseErrorf("union(): Every parameter must be an array")
		}
		all.AddAll(a)
	}
	return unique(all.Array()), nil
}

func dig44(c *eval.Call) (value.Value, error) {
	if len(c.Args) < 2 {
		return nil, given(c, "at least 2")
	}
	data := c.Args[0]
	switch data.(type) {
	case *value.Array, *value.Hash:
	default:
		return nil, parseErrorf("dig44(): first argument must be a hash or an array, given %s", className(data))
	}
	path, is := c.Args[1].(*value.Array)
	if !is {
		return nil, parseErrorf("dig44(): second argument must be an array, given %s", className(c.Args[1]))
	}
	for _, key := range path.Elems {
		var next value.Value
		switch d := data.(type) {
		case *value.Array:
			if n, err := strictInt(key); err == nil && n.IsInt64() {
				i := n.Int64()
				if i < 0 {
					i += int64(d.Len())
				}
				if i >= 0 && i < int64(d.Len()) {
					next = d.Elems[i]
				}
			}
		case *value.Hash:
			next, _ = d.Get(key)
		}
		if value.IsUndef(next) {
			return c.Arg(2), nil
		}
		data = next
	}
	return data, nil
}

func tryGetValue(c *eval.Call) (value.Value, error) {
	c.Log("warning", "try_get_value() DEPRECATED: this function is deprecated, please use dig() instead.")
	data, path := c.Args[0], value.Value(value.String(""))
	if truthy(c, 1) {
		path = c.Args[1]
	}
	_, list := data.(*value.Array)
	_, table := data.(*value.Hash)
	if !list && !table || path == value.Value(value.String("")) {
		if truthy(c, 2) {
			return c.Args[2], nil
		}
		return data, nil
	}
	sep := value.Value(value.String("/"))
	if truthy(c, 3) {
		sep = c.Args[3]
	}
	s, is := path.(value.String)
	if !is {
		return nil, noMethod("split", path)
	}
	by, is := sep.(value.String)
	if !is {
		return nil, fmt.Errorf("wrong argument type %s (expected Regexp)", rubyName(sep))
	}
	var keys []value.Value
	for _, k := range rubySplit(string(s), string(by)) {
		if matches(digitLine, k) {
			n, err := functions.Integer(functions.LeadingInt(k))
			if err != nil {
				return nil, err
			}
			keys = append(keys, n)
		} else {
			keys = append(keys, value.String(k))
		}
	}
	c.Log("warning",
		"dig() DEPRECATED: This function has been replaced in Puppet 4.5.0, please use dig44() for backwards compatibility "+
			"or use the new version.")
	return dig44(of(c, "dig44", data, value.NewArray(keys...), c.Arg(2)))
}

// sieve is grep, and reject.
func sieve(c *eval.Call, wanted bool) (value.Value, error) {
	if len(c.Args) != 2 {
		return nil, parseErrorf("%s(): Wrong number of arguments given %d for 2", c.Name, len(c.Args))
	}
	pattern, is := c.Args[1].(value.String)
	if !is {
		return nil, noConversion(c.Args[1], "String")
	}
	re, err := onigmo.Compile(string(pattern), 0)
	if err != nil {
		return nil, err
	}
	fits := func(v value.Value) bool {
		s, is := symbolOrString(v)
		if !is || err != nil {
			return false
		}
		var ok bool
		ok, err = re.Match(s)
		return ok
	}
	switch v := c.Args[0].(type) {
	case *value.Array:
		out := keep(v, func(e value.Value) bool { return fits(e) == wanted })
		return out, err
	case *value.Hash:
		if wanted {
			return value.EmptyArray, nil
		}
		b := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			if !fits(e.Key) {
				b.SetEntry(e)
			}
		}
		return b.Hash(), err
	}
	method := "grep"
	if !wanted {
		method = "reject"
	} else if _, is := functions.Reference(c.Args[0]); is {
		return value.EmptyArray, nil // a resource is a list of pairs to Ruby
	}
	return nil, noMethod(method, c.Args[0])
}

func hasKey(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 2 {
		return nil, parseErrorf("has_key(): wrong number of arguments (%d; must be 2)", len(c.Args))
	}
	h, is := c.Args[0].(*value.Hash)
	if !is {
		return nil, parseErrorf("has_key(): expects the first argument to be a hash, got %s which is of type %s",
			inspect(c.Args[0]), class(c.Args[0]))
	}
	e := h.Entry(c.Args[1])
	if _, text := c.Args[1].(value.String); text && c.Trace() != nil {
		// which keys there are matters, not what they hold; and when it is there, no other key does
		keys := []provenance.Ref{c.ArgRef(0)}
		if e != nil {
			keys = append(keys, e.KeyRef)
		} else {
			for _, x := range h.Entries() {
				keys = append(keys, x.KeyRef)
			}
		}
		c.Ref = c.Trace().Op("call "+c.Name, c.Trace().Join(keys...), c.ArgRef(1))
	}
	return value.Bool(e != nil), nil
}

func hash(c *eval.Call) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, given(c, "1")
	}
	a, is := c.Args[0].(*value.Array)
	if !is {
		return nil, parseErrorf("hash(): Requires array to work with")
	}
	a = value.Flatten(a)
	if a.Len() == 1 {
		if h, is := a.Elems[0].(*value.Hash); is {
			return h, nil
		}
	}
	if a.Len()%2 != 0 {
		return nil, parseErrorf("hash(): Unable to compute hash from array given")
	}
	b := value.NewHashBuilder(a.Len() / 2)
	for i := 0; i < a.Len(); i += 2 {
		b.SetEntry(value.Entry{Key: a.Elems[i], Value: a.Elems[i+1], KeyRef: a.Ref(i), Ref: a.Ref(i + 1)})
	}
	return b.Hash(), nil
}

func joinKeysToValues(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 2 {
		return nil, parseErrorf("join_keys_to_values(): Takes exactly two arguments, but %d given.", len(c.Args))
	}
	h, is := c.Args[0].(*value.Hash)
	if !is {
		return nil, fmt.Errorf("join_keys_to_values(): The first argument must be a hash, but a %s was given.",
			class(c.Args[0]))
	}
	sep, is := c.Args[1].(value.String)
	if !is {
		return nil, fmt.Errorf("join_keys_to_values(): The second argument must be a string, but a %s was given.",
			class(c.Args[1]))
	}
	b := value.NewArrayBuilder(h.Len())
	for _, e := range h.Entries() {
		joined := func(v value.Value, r provenance.Ref) {
			b.AddRef(value.String(text(e.Key)+string(sep)+text(v)), functions.Computed(c, e.KeyRef, r, c.ArgRef(1)))
		}
		switch v := e.Value.(type) {
		case *value.Array:
			for i, x := range v.Elems {
				joined(x, v.Ref(i))
			}
		case value.String:
			if v == "undef" {
				b.AddRef(value.String(text(e.Key)), functions.Computed(c, e.KeyRef, e.Ref))
			} else {
				joined(v, e.Ref)
			}
		default:
			joined(v, e.Ref)
		}
	}
	return b.Array(), nil
}

func member(c *eval.Call) (value.Value, error) {
	if len(c.Args) < 2 {
		return nil, given(c, "2")
	}
	a, is := c.Args[0].(*value.Array)
	if !is {
		return nil, parseErrorf("member(): Requires array to work with")
	}
	var items []value.Value
	switch v := c.Args[1].(type) {
	case value.String, value.Int:
		items = []value.Value{v}
	case *value.Array:
		items = v.Elems
	default:
		return nil, parseErrorf("member(): Item to search for must be a string, fixnum, or array")
	}
	if len(items) == 0 {
		return nil, parseErrorf("member(): You must provide item to search for within array given")
	}
	for _, v := range items {
		if !contains(a.Elems, v, eql) {
			return value.Bool(false), nil
		}
	}
	return value.Bool(true), nil
}

func affix(c *eval.Call, put func(s, affix string) string) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, given(c, "1")
	}
	switch c.Args[0].(type) {
	case *value.Array, *value.Hash:
	default:
		return nil, parseErrorf("%s(): expected first argument to be an Array or a Hash, got %s", c.Name, inspect(c.Args[0]))
	}
	var with value.String
	if truthy(c, 1) {
		var is bool
		if with, is = c.Args[1].(value.String); !is {
			return nil, parseErrorf("%s(): expected second argument to be a String, got %s", c.Name, inspect(c.Args[1]))
		}
	}
	if n, is := c.Args[0].(interface{ Len() int }); is {
		if err := eval.RoomForAll(n.Len() * len(with)); err != nil {
			return nil, err
		}
	}
	c.Ref = spine(c)
	if h, is := c.Args[0].(*value.Hash); is {
		b := value.NewHashBuilder(h.Len())
		for _, e := range h.Entries() {
			e.Key, e.KeyRef = value.String(put(text(e.Key), string(with))), functions.Computed(c, whole(c, e.Key, e.KeyRef),
				c.ArgRef(1))
			b.SetEntry(e)
		}
		return b.Hash(), nil
	}
	a := c.Args[0].(*value.Array)
	b := value.NewArrayBuilder(a.Len())
	for i, e := range a.Elems {
		b.AddRef(value.String(put(text(e), string(with))), functions.Computed(c, whole(c, e, a.Ref(i)), c.ArgRef(1)))
	}
	return b.Array(), nil
}

func reverse(c *eval.Call) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, given(c, "1")
	}
	switch v := c.Args[0].(type) {
	case *value.Array:
		b := value.NewArrayBuilder(v.Len())
		for i := v.Len() - 1; i >= 0; i-- {
			b.AddRef(v.Elems[i], v.Ref(i))
		}
		return b.Array(), nil
	case value.String:
		rs := characters(string(v))
		for i, j := 0, len(rs)-1; i < j; i, j = i+1, j-1 {
			rs[i], rs[j] = rs[j], rs[i]
		}
		return value.String(strings.Join(rs, "")), nil
	}
	return nil, parseErrorf("reverse(): Requires either array or string to work with")
}

func zip(c *eval.Call) (value.Value, error) {
	if len(c.Args) < 2 {
		return nil, given(c, "2")
	}
	a, x := c.Args[0].(*value.Array)
	b, y := c.Args[1].(*value.Array)
	if !x || !y {
		return nil, parseErrorf("zip(): Requires array to work with")
	}
	flatten := false
	if truthy(c, 2) {
		var err error
		if flatten, err = str2bool(c.Args[2]); err != nil {
			return nil, err
		}
	}
	out := value.NewArrayBuilder(a.Len())
	for i, e := range a.Elems {
		pair := value.NewArrayBuilder(2)
		pair.AddRef(e, a.Ref(i))
		if i < b.Len() {
			pair.AddRef(b.Elems[i], b.Ref(i))
		} else {
			pair.Add(value.Undef{})
		}
		out.AddRef(pair.Array(), a.Ref(i))
	}
	if flatten {
		return value.Flatten(out.Array()), nil
	}
	return out.Array(), nil
}
