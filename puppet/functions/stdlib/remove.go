package stdlib

import (
	"fmt"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// How delete and its kin take elements out of arrays, entries out of hashes, and texts out of strings.

func remove(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 2 {
		return nil, parseErrorf("delete(): Wrong number of arguments given %d for 2", len(c.Args))
	}
	out := c.Args[0]
	for _, item := range listed(c.Args[1]).Elems {
		switch v := out.(type) {
		case *value.Array:
			out = keep(v, func(e value.Value) bool { return !functions.RubyEqual(e, item) })
		case *value.Hash:
			b := v.From(0)
			b.Delete(item)
			out = b.Hash()
		case value.String:
			s, is := item.(value.String)
			if !is {
				return nil, fmt.Errorf("wrong argument type %s (expected Regexp)", rubyName(item))
			}
			if s != "" {
				out = value.String(strings.ReplaceAll(string(v), string(s), ""))
			}
		default:
			return nil, fmt.Errorf("delete(): First argument must be an Array, String, or Hash. Given an argument of class %s.",
				class(v))
		}
	}
	return out, nil
}

// rubyName is a value in a TypeError: nil, true and false by themselves, others by class.
func rubyName(v value.Value) string {
	switch v.(type) {
	case value.Undef, value.Bool:
		return inspect(v)
	}
	return class(v)
}

func keep(a *value.Array, wanted func(value.Value) bool) *value.Array {
	b := value.NewArrayBuilder(a.Len())
	for i, e := range a.Elems {
		if wanted(e) {
			b.AddRef(e, a.Ref(i))
		}
	}
	return b.Array()
}

func deleteAt(c *eval.Call) (value.Value, error) {
	if len(c.Args) < 2 {
		return nil, given(c, "2")
	}
	a, is := c.Args[0].(*value.Array)
	if !is {
		return nil, parseErrorf("delete_at(): Requires array to work with")
	}
	if s, is := c.Args[1].(value.String); is && !matches(digitLine, string(s)) {
		return nil, parseErrorf("delete_at(): You must provide non-negative numeric index")
	}
	n, err := toInt(c.Args[1])
	if err != nil {
		return nil, err
	}
	if !n.IsInt64() || n.Int64() > int64(a.Len()-1) {
		if n.Sign() > 0 || a.Len() == 0 && n.Sign() == 0 {
			return nil, parseErrorf("delete_at(): Given index exceeds size of array given")
		}
		return a, nil
	}
	i := int(n.Int64())
	if i < 0 {
		i += a.Len()
	}
	b := value.NewArrayBuilder(a.Len())
	for j, e := range a.Elems {
		if j != i {
			b.AddRef(e, a.Ref(j))
		}
	}
	return b.Array(), nil
}

func deleteRegex(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 2 {
		return nil, parseErrorf("delete_regex(): Wrong number of arguments given %d for 2", len(c.Args))
	}
	out := c.Args[0]
	for _, item := range listed(c.Args[1]).Elems {
		var re *onigmo.Regexp
		var fault error
		fits := func(v value.Value) bool {
			if re == nil && fault == nil {
				re, fault = onigmo.Compile(`\b`+text(item)+`\b`, 0)
			}
			if fault != nil {
				return false
			}
			s, is := symbolOrString(v)
			if !is {
				return false
			}
			ok, err := re.Match(s)
			fault = err
			return ok
		}
		switch v := out.(type) {
		case *value.Array:
			out = keep(v, func(e value.Value) bool { return !fits(e) })
		case *value.Hash:
			b := value.NewHashBuilder(v.Len())
			for _, e := range v.Entries() {
				if !fits(e.Key) {
					b.SetEntry(e)
				}
			}
			out = b.Hash()
		case value.String:
			return nil, noMethod("reject!", v)
		default:
			return nil,
				fmt.Errorf("delete_regex(): First argument must be an Array, Hash, or String. Given an argument of class %s.",
					class(v))
		}
		if fault != nil {
			return nil, fault
		}
	}
	return out, nil
}

// symbolOrString is what Ruby's =~ looks at in a value.
func symbolOrString(v value.Value) (string, bool) {
	switch v := v.(type) {
	case value.String:
		return string(v), true
	case value.Default:
		return "default", true
	}
	return "", false
}

func deleteUndef(c *eval.Call) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, parseErrorf("delete_undef_values(): Wrong number of arguments given (0)")
	}
	switch v := c.Args[0].(type) {
	case *value.Array:
		return keep(v, func(e value.Value) bool { return !value.IsUndef(e) }), nil
	case *value.Hash:
		b := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			if !value.IsUndef(e.Value) {
				b.SetEntry(e)
			}
		}
		return b.Hash(), nil
	}
	return nil, parseErrorf("delete_undef_values(): expected an array or hash, got %s type  %s ", text(c.Args[0]),
		class(c.Args[0]))
}

func deleteValues(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 2 {
		return nil, parseErrorf("delete_values(): Wrong number of arguments given (%d of 2)", len(c.Args))
	}
	h, is := c.Args[0].(*value.Hash)
	if !is {
		return nil, fmt.Errorf("delete_values(): First argument must be a Hash. Given an argument of class %s.",
			class(c.Args[0]))
	}
	b := value.NewHashBuilder(h.Len())
	for _, e := range h.Entries() {
		if !functions.RubyEqual(c.Args[1], e.Value) {
			b.SetEntry(e)
		}
	}
	return b.Hash(), nil
}
