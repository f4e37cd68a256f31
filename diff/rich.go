package diff

import (
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// With `rich_data = false` in environment.conf a server makes texts of all values that JSON has not got when it hands
// a catalog to an agent, also of a Deferred. The catalog that it compiled is the same.

// rich tells of values that servers hand on in another way on one side.
func (c *comparison) rich(r, s *catalog.Resource) {
	if !c.opt.Contents.otherRich() {
		return
	}
	for i := range s.Params {
		p := &s.Params[i]
		v := p.Value
		if hidden, is := v.(*value.Sensitive); is { // that it is one is said beside the values
			v = hidden.Value
		}
		if !plain(v) {
			c.add(&Change{Kind: NotKnown, Name: s.Name(), Attribute: p.Name, old: r, new: s,
				Text: "servers hand it to agents in another way, since rich_data of environment.conf is another one"})
		}
	}
}

// otherRich reports whether servers hand on rich data on one side only.
func (c *Contents) otherRich() bool {
	return c.from != nil && c.to != nil && (c.from.Given["rich_data"] == "false") != (c.to.Given["rich_data"] == "false")
}

// plain reports whether a value is one that JSON has.
func plain(v value.Value) bool {
	switch v := v.(type) {
	case nil, value.Undef, value.String, value.Int, value.Float, value.Bool:
		return true
	case value.Type: // a reference is a text in catalogs
		r, is := v.(catalog.Reference)
		if is {
			_, is = r.Reference()
		}
		return is
	case *value.Array:
		return !slices.ContainsFunc(v.Elems, func(e value.Value) bool { return !plain(e) })
	case *value.Hash:
		for _, e := range v.Entries() {
			key, isText := e.Key.(value.String)
			if !isText || strings.HasPrefix(string(key), "__p") || !plain(e.Value) {
				return false
			}
		}
		return true
	}
	return false
}
