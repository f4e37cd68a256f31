package catalog

import (
	"strings"

	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// A Reference is a type that names a resource or a class, as package types has them. On the wire it is the plain text
// Type[title].
type Reference interface {
	value.Type
	Reference() (ref string, ok bool)
}

// WireParams are a resource's attributes as its catalog has them, from those that were declared: what the title gives
// comes first and is overruled by what was written; "name" is called what the type calls it; undef goes;
// relationships, and any array with a reference in it, are flattened; names are in small letters, and of two that are
// the same then the last one's value stands at the first one's place; the namevar is left out when it is the title. t
// is nil for classes and defined types.
//
// The result may share memory with what was declared.
func WireParams(t *resource.Type, n Name, declared []Param) ([]Param, error) {
	large := anyCapitals(declared)
	if simple(t) && !has(declared, "name") && !has(declared, t.Namevar()) && !bySymbol(n) && !large {
		out := declared[:0] // the title gives the name, which goes again
		for i := range declared {
			p := &declared[i]
			if value.IsUndef(p.Value) {
				continue
			}
			if a, ok := p.Value.(*value.Array); ok {
				p.Value = flatten(a, isRelation(p.Name))
			}
			if len(out) == i { // it stands there
				out = declared[:i+1]
			} else {
				out = append(out, *p)
			}
		}
		return out, nil
	}
	attrs, err := resource.ParseTitle(t, n.Title)
	if err != nil {
		return nil, err
	}
	namevar := t.Namevar()
	out := make([]Param, 0, len(declared)+len(attrs))
	for _, a := range attrs {
		if !value.IsUndef(a.Value) {
			out = append(out, Param{Name: a.Name, Value: a.Value})
		}
	}
	fromTitle := len(out)
	named := false // by "name", which beats the namevar's own name wherever it stands
declared:
	for _, p := range declared {
		if value.IsUndef(p.Value) {
			continue
		}
		switch {
		case p.Name == "name" && namevar != "name":
			p.Name, named = namevar, true
		case p.Name == namevar && named:
			continue
		}
		if a, ok := p.Value.(*value.Array); ok {
			p.Value = flatten(a, isRelation(p.Name))
		}
		for i := range out {
			if out[i].Name == p.Name && (i < fromTitle || p.Name == namevar) {
				out[i] = p
				continue declared
			}
		}
		out = append(out, p)
	}
	if large {
		out = inSmallLetters(out)
	}
	if bySymbol(n) {
		return out, nil
	}
	for i := range out {
		if out[i].Name == namevar {
			if s, ok := out[i].Value.(value.String); ok && string(s) == n.Title {
				out = append(out[:i], out[i+1:]...)
			}
			break
		}
	}
	return out, nil
}

// HasCapitals reports whether a parameter's name is another one in a catalog.
func HasCapitals(name string) bool {
	for i := range len(name) {
		if 'A' <= name[i] && name[i] <= 'Z' {
			return true
		}
	}
	return false
}

func anyCapitals(list []Param) bool {
	for i := range list {
		if HasCapitals(list[i].Name) {
			return true
		}
	}
	return false
}

func inSmallLetters(list []Param) []Param {
	out := list[:0]
next:
	for _, p := range list {
		p.Name = strings.ToLower(p.Name)
		for i := range out {
			if out[i].Name == p.Name {
				out[i] = p
				continue next
			}
		}
		out = append(out, p)
	}
	return out
}

func has(list []Param, name string) bool {
	for i := range list {
		if list[i].Name == name {
			return true
		}
	}
	return false
}

// bySymbol reports whether a resource is named by a symbol, which never equals the text: the main class and stage.
func bySymbol(n Name) bool { return n.Title == "main" && (n.Type == "Class" || n.Type == "Stage") }

// simple reports whether a title is the value of one attribute.
func simple(t *resource.Type) bool { return t == nil || t.Titles == nil && len(t.Namevars) == 1 }

func isRelation(name string) bool {
	switch name {
	case "before", "notify", "require", "subscribe":
		return true
	}
	return false
}

// flatten dissolves nested arrays where Puppet does: in relationships, from which undef goes as well, and in arrays
// that have a reference anywhere.
func flatten(a *value.Array, relation bool) *value.Array {
	nested, undef, reference := shape(a)
	if !relation {
		if nested && reference {
			return value.Flatten(a)
		}
		return a
	}
	if nested {
		a = value.Flatten(a)
	}
	if !undef {
		return a
	}
	b := value.NewArrayBuilder(a.Len())
	for i, v := range a.Elems {
		if !value.IsUndef(v) {
			b.AddRef(v, a.Ref(i))
		}
	}
	return b.Array()
}

func shape(a *value.Array) (nested, undef, reference bool) {
	for _, v := range a.Elems {
		switch v := v.(type) {
		case *value.Array:
			_, u, r := shape(v)
			nested, undef, reference = true, undef || u, reference || r
		case nil, value.Undef:
			undef = true
		case Reference:
			_, ok := v.Reference()
			reference = reference || ok
		}
	}
	return nested, undef, reference
}
