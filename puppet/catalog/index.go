package catalog

import (
	"strings"

	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// An Index is what a compile declares resources in: by type and title, by alias, and by uniqueness key, as Puppet's
// catalog does (resource/catalog.rb: add_one_resource, alias, resource). R is the compiler's own notion of a resource.
// The zero Index is ready to use.
type Index[R comparable] struct {
	Room   int // for how many there is to be room, which may be set before the first comes
	titles map[Name]R
	keys   map[string]R // by keys that are not one string
}

// A Clash is why a resource cannot be declared.
type Clash[R comparable] struct {
	Existing R
	Alias    string // "" when the title is taken, else the alias as Ruby prints it: ["/a"]
	Key      string // of an alias: what is taken, ["File", "/a"]
}

// Message is Puppet's text. Places are "(file: F, line: N)", or "" where unknown.
func (c *Clash[R]) Message(ref, place, existingPlace string) string {
	if c.Alias == "" {
		if existingPlace == "" {
			return "Duplicate declaration: " + ref + " is already declared; cannot redeclare"
		}
		return "Duplicate declaration: " + ref + " is already declared at " + existingPlace + "; cannot redeclare"
	}
	msg := "Cannot alias " + ref + " to " + c.Alias
	if place != "" {
		msg += " at " + place
	}
	msg += "; resource " + c.Key + " already declared"
	if existingPlace != "" {
		msg += " " + existingPlace
	}
	return msg
}

// Declare adds a resource. t is nil for classes and defined types. get gives its attributes; the aliases it asks for
// are in "alias". The resource is in the index even when an alias clashes.
func (x *Index[R]) Declare(t *resource.Type, n Name, r R, get func(attr string) value.Value) (*Clash[R], error) {
	if x.titles == nil {
		x.titles, x.keys = make(map[Name]R, x.Room), map[string]R{}
	}
	if old, taken := x.titles[n]; taken {
		return &Clash[R]{Existing: old}, nil
	}
	x.titles[n] = r
	if v := get("alias"); !value.IsUndef(v) {
		aliases := []value.Value{v}
		if a, ok := v.(*value.Array); ok {
			aliases = value.Flatten(a).Elems
		}
		for _, a := range aliases {
			if s, ok := a.(value.String); value.IsUndef(a) || ok && string(s) == n.Title {
				continue
			}
			if c := x.alias(n.Type, a, []value.Value{a}, r); c != nil {
				return c, nil
			}
		}
	}
	if t != nil && !t.Isomorphic {
		return nil, nil
	}
	if simple(t) && value.IsUndef(get(t.Namevar())) && value.IsUndef(get("name")) {
		return nil, nil // the key is the title
	}
	key, err := resource.Key(t, n.Title, get)
	if err != nil {
		return nil, err
	}
	if s, ok := oneString(key); ok && s == n.Title {
		return nil, nil
	}
	return x.alias(n.Type, nil, key, r), nil
}

// alias adds another name of a resource: shown is what people are told of it, nil for the whole key.
func (x *Index[R]) alias(typ string, shown value.Value, key []value.Value, r R) *Clash[R] {
	var old R
	if s, ok := oneString(key); ok {
		n := Name{typ, s}
		if has, taken := x.titles[n]; taken {
			old = has
		} else {
			x.titles[n] = r
			return nil
		}
	} else {
		k := valueKey(typ, key)
		if has, taken := x.keys[k]; taken {
			old = has
		} else {
			x.keys[k] = r
			return nil
		}
	}
	if old == r {
		return nil
	}
	if shown == nil {
		shown = value.NewArray(key...)
	}
	full := append([]value.Value{value.String(typ)}, key...)
	return &Clash[R]{Existing: old, Alias: value.Inspect(shown), Key: value.Inspect(value.NewArray(full...))}
}

func (x *Index[R]) byKey(typ string, key []value.Value) (r R, ok bool) {
	if s, one := oneString(key); one {
		r, ok = x.titles[Name{typ, s}]
	} else {
		r, ok = x.keys[valueKey(typ, key)]
	}
	return r, ok
}

// Lookup finds a resource by title, by alias, or by the key that the title stands for: File[/a/] is File[/a].
func (x *Index[R]) Lookup(t *resource.Type, n Name) (r R, ok bool) {
	if r, ok = x.titles[n]; ok || t == nil {
		return r, ok
	}
	key, err := resource.Key(t, n.Title, func(string) value.Value { return nil })
	if err != nil {
		return r, false
	}
	return x.byKey(n.Type, key)
}

// oneString is a key that is a title: most are.
func oneString(key []value.Value) (string, bool) {
	if len(key) != 1 {
		return "", false
	}
	s, ok := key[0].(value.String)
	return string(s), ok
}

// titleKey is the key of a title as one text, as valueKey gives it too.
func titleKey(n Name) string { return n.Type + titleMark + n.Title }

const titleMark = "\x00s"

// valueKey is a key as one text: keys of other shapes cannot be mistaken for a title's.
func valueKey(typ string, key []value.Value) string {
	if s, ok := oneString(key); ok {
		return titleKey(Name{typ, s})
	}
	n := len(typ)
	for _, v := range key {
		if s, ok := v.(value.String); ok {
			n += len(s)
		}
		n += 12
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteString(typ)
	for _, v := range key {
		b.WriteString("\x00")
		switch v := v.(type) {
		case value.String:
			b.WriteString("s")
			b.WriteString(string(v))
		default:
			b.WriteString("v")
			b.WriteString(value.Inspect(value.OrUndef(v)))
		}
	}
	return b.String()
}
