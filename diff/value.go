package diff

import (
	"cmp"
	"slices"

	"bunraku/puppet/catalog"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// encode is a value as an agent gets it: values with equal texts are the same to it. It holds secrets in clear and is
// never shown.
func encode(v value.Value) string {
	if v == nil {
		return ""
	}
	text, _ := catalog.JSON{Types: types.ToData}.AppendValue(nil, v) // what JSON cannot say is still told apart
	return string(text)
}

// relationship reports whether an attribute names resources that this one is ordered with. Their order means nothing.
func relationship(attribute string) bool {
	switch attribute {
	case "before", "require", "notify", "subscribe":
		return true
	}
	return false
}

// same reports whether two values of an attribute mean the same to an agent. Nil is the absence of one.
func same(attribute string, a, b value.Value) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if x, ok := a.(value.String); ok {
		if y, ok := b.(value.String); ok {
			return x == y
		}
	}
	if relationship(attribute) || attribute == "tag" {
		return slices.Equal(members(a), members(b))
	}
	return encode(a) == encode(b)
}

// members are the elements of a list, sorted and each once; of what is no list it is the only one.
func members(v value.Value) (out []string) {
	if v == nil {
		return nil
	}
	if list, ok := v.(*value.Array); ok {
		for _, e := range list.Elems {
			out = append(out, encode(e))
		}
	} else {
		out = []string{encode(v)}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// unknown is why a value, or a part of it, is not known; "" if it is.
func unknown(v value.Value) string {
	switch v := v.(type) {
	case *value.Opaque:
		if v.Digits != "" {
			return ""
		}
		if v.Why == "" {
			return "its value could not be computed"
		}
		return v.Why
	case *value.Array:
		for _, e := range v.Elems {
			if why := unknown(e); why != "" {
				return why
			}
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			if why := unknown(e.Key); why != "" {
				return why
			}
			if why := unknown(e.Value); why != "" {
				return why
			}
		}
	case *value.Sensitive:
		return unknown(v.Value)
	case *value.Deferred:
		if v.Args != nil {
			return unknown(v.Args)
		}
	}
	return ""
}

// Shown is a value for people: as Puppet code writes it, secrets hidden. Nil is shown as "nothing".
func Shown(v value.Value) string {
	if v == nil {
		return "nothing"
	}
	if value.HasSensitive(v) {
		return catalog.Redacted
	}
	switch v := v.(type) {
	case *value.Opaque:
		return cmp.Or(v.Digits, "not known")
	case value.Binary:
		return digestText(string(v))
	}
	return value.Literal(v)
}

// attributeText is an attribute's value for people.
func attributeText(secret bool, v value.Value) string {
	if secret {
		return catalog.Redacted
	}
	return Shown(v)
}

// listDelta is what left and joined a list, in the order of the lists; ok is false if the values are no lists, or are
// lists of the same elements in another order.
func listDelta(a, b value.Value) (lost, gained []value.Value, ok bool) {
	x, isX := a.(*value.Array)
	y, isY := b.(*value.Array)
	if !isX || !isY {
		return nil, nil, false
	}
	count := map[string]int{}
	for _, e := range y.Elems {
		count[encode(e)]++
	}
	for _, e := range x.Elems {
		if k := encode(e); count[k] > 0 {
			count[k]--
		} else {
			lost = append(lost, e)
		}
	}
	for _, e := range y.Elems {
		if k := encode(e); count[k] > 0 {
			count[k]--
			gained = append(gained, e)
		}
	}
	return lost, gained, len(lost)+len(gained) > 0
}
