package ruby

import (
	"fmt"
	"slices"
)

// A HashCode is the number that o.hash gives. Ruby's differs from run to run, so nobody can know it; but it is the same
// for objects that are eql?, and code that makes its own objects keys of hashes uses nothing else of it: it compares
// such numbers, and makes one of several. Whoever wants the number itself is refused.
type HashCode struct{ of hashKey }

func (*HashCode) object() {}

func hashMethod(c *call) Object { return &HashCode{c.in.keyOf(c.self)} }

// hashCodeTable is what can be done with such a number; whatever else an integer can do is refused.
func hashCodeTable(integer *Class) []builtin {
	var out []builtin
	self := func(c *call) *HashCode { return c.self.(*HashCode) }
	same := func(c *call) Object {
		o, is := c.arg(0).(*HashCode)
		if _, number := plainObject(c.arg(0)); number && !is {
			refuseHash(c)
		}
		return Bool(is && o.of == self(c).of)
	}
	known := map[string]bool{}
	for _, b := range []builtin{{"==", 1, 1, same}, {"eql?", 1, 1, same}, {"===", 1, 1, same}, {"equal?", 1, 1, same},
		{"!=", 1, 1, func(c *call) Object { return !same(c).(Bool) }},
		{"^", 1, 1, func(c *call) Object {
			o, is := c.arg(0).(*HashCode)
			if !is || o.of == self(c).of {
				return refuseHash(c)
			}
			return &HashCode{mixed(self(c).of, o.of)}
		}},
		{"hash", 0, 0, hashMethod}, {"nil?", 0, 0, func(*call) Object { return Bool(false) }},
		{"is_a?", 1, 1, func(c *call) Object { return Bool(c.in.isA(Int(0), c.arg(0).(*Class))) }},
		{"kind_of?", 1, 1, func(c *call) Object { return Bool(c.in.isA(Int(0), c.arg(0).(*Class))) }},
		{"class", 0, 0, func(c *call) Object { return c.in.rt.integer }},
		{"respond_to?", 1, 2, func(c *call) Object { return c.in.send(Int(0), "respond_to?", c.args, nil) }},
	} {
		known[b.name] = true
		out = append(out, b)
	}
	for _, k := range integer.chain {
		for name := range k.table {
			if !known[name] {
				known[name] = true
				out = append(out, builtin{name, 0, -1, refuseHash})
			}
		}
	}
	return out
}

func refuseHash(c *call) Object {
	c.in.refuse("the number that hash gives, which differs from run to run")
	return nil
}

// mixed is the exclusive or of some numbers; their order does not count.
func mixed(a, b hashKey) hashKey {
	var parts []string
	for _, k := range []hashKey{a, b} {
		if k.kind == keyMixed {
			parts = append(parts, splitKeys(k.s)...)
		} else {
			parts = append(parts, string(k.append(nil)))
		}
	}
	slices.Sort(parts)
	out := hashKey{kind: keyMixed}
	for _, p := range parts {
		out.s += fmt.Sprintf("%08x", len(p)) + p
	}
	return out
}

func splitKeys(s string) (out []string) {
	for len(s) > 0 {
		n := 0
		fmt.Sscanf(s[:8], "%x", &n)
		out, s = append(out, s[8:8+n]), s[8+n:]
	}
	return out
}

// objectKey is the key of an object of a program's class. A class that says itself which objects are eql?, and gives
// those the same number, has one key for all of them; any other object is only itself.
func (in *Interp) objectKey(o *Instance) hashKey {
	hash, eql := in.findMethod(o.class, "hash"), in.findMethod(o.class, "eql?")
	if hash == nil || eql == nil || hash.builtin != nil || eql.builtin != nil {
		if names, _ := in.members(o.class); names != nil {
			in.unsupported("a struct as a key")
		}
		return plainKey(o)
	}
	code := in.keyOf(in.invoke(hash, o, nil, nil))
	for _, other := range in.alike[code] {
		if other == o || truthy(in.invoke(eql, o, []Object{other}, nil)) {
			return plainKey(other)
		}
	}
	if in.alike == nil {
		in.alike = map[hashKey][]*Instance{}
	}
	in.room(64)
	in.alike[code] = append(in.alike[code], o)
	return plainKey(o)
}
