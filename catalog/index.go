package catalog

import (
	"strings"

	"bunraku/resource"
	"bunraku/value"
)

// An Index is what a compile declares resources in: by type and title, by alias, and by uniqueness key, as Puppet's catalog does
// (resource/catalog.rb: add_one_resource, alias, resource). R is the compiler's own notion of a resource. The zero Index is ready to use.
type Index[R comparable] struct {
	entries map[string]R
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

// Declare adds a resource. t is nil for classes and defined types. get gives its attributes; the aliases it asks for are in "alias". The
// resource is in the index even when an alias clashes.
func (x *Index[R]) Declare(t *resource.Type, n Name, r R, get func(attr string) value.Value) (*Clash[R], error) {
	if x.entries == nil {
		x.entries = map[string]R{}
	}
	id := titleKey(n)
	if old, taken := x.entries[id]; taken {
		return &Clash[R]{Existing: old}, nil
	}
	x.entries[id] = r
	if v := get("alias"); !value.IsUndef(v) {
		aliases := []value.Value{v}
		if a, ok := v.(*value.Array); ok {
			aliases = value.Flatten(a).Elems
		}
		for _, a := range aliases {
			if s, ok := a.(value.String); value.IsUndef(a) || ok && string(s) == n.Title {
				continue
			}
			if c := x.alias(n.Type, value.Inspect(a), []value.Value{a}, r); c != nil {
				return c, nil
			}
		}
	}
	if t != nil && !t.Isomorphic {
		return nil, nil
	}
	key, err := resource.Key(t, n.Title, get)
	if err != nil {
		return nil, err
	}
	if len(key) == 1 {
		if s, ok := key[0].(value.String); ok && string(s) == n.Title {
			return nil, nil
		}
	}
	return x.alias(n.Type, value.Inspect(value.NewArray(key...)), key, r), nil
}

func (x *Index[R]) alias(typ, text string, key []value.Value, r R) *Clash[R] {
	id := valueKey(typ, key)
	if old, taken := x.entries[id]; taken {
		if old == r {
			return nil
		}
		full := append([]value.Value{value.String(typ)}, key...)
		return &Clash[R]{Existing: old, Alias: text, Key: value.Inspect(value.NewArray(full...))}
	}
	x.entries[id] = r
	return nil
}

// Lookup finds a resource by title, by alias, or by the key that the title stands for: File[/a/] is File[/a].
func (x *Index[R]) Lookup(t *resource.Type, n Name) (r R, ok bool) {
	if r, ok = x.entries[titleKey(n)]; ok || t == nil {
		return r, ok
	}
	key, err := resource.Key(t, n.Title, func(string) value.Value { return nil })
	if err != nil {
		return r, false
	}
	r, ok = x.entries[valueKey(n.Type, key)]
	return r, ok
}

// A title is a key of one string; keys of other shapes cannot be mistaken for it.
func titleKey(n Name) string { return n.Type + "\x00s" + n.Title }

func valueKey(typ string, key []value.Value) string {
	if len(key) == 1 {
		if s, ok := key[0].(value.String); ok {
			return titleKey(Name{typ, string(s)})
		}
	}
	var b strings.Builder
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
