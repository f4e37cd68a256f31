package types

import (
	"fmt"

	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Declare makes the type of `type Name = x` without looking at its meaning yet: an alias, or an object type or type set
// that takes the name itself. resolve gives it its meaning; until then others (and it itself) may already point at it.
// Call resolve once, when the type is first needed.
func Declare(name string, x syntax.Expr, file *source.File) (t T, resolve func(load Load) error) {
	switch kind, hash := definitionOf(x); kind {
	case "Object":
		o := &Object{Of: name}
		return o, func(load Load) error {
			if hash == nil {
				return nil
			}
			o.recursive = true
			in := &interpreter{file, load}
			init, err := in.any(hash)
			if err != nil {
				return err
			}
			return o.Define(init.(*value.Hash))
		}
	case "TypeSet":
		s := &TypeSet{Of: name}
		return s, func(load Load) error {
			if hash == nil {
				return nil
			}
			return s.resolve(hash, file, load)
		}
	}
	a := &Alias{Of: name}
	return a, func(load Load) error {
		return a.Resolve(func() (T, error) { return FromExpr(x, file, load) })
	}
}

// IsTypeSet reports whether a type is a type set of its own name.
func IsTypeSet(t value.Type) bool {
	_, is := t.(*TypeSet)
	return is
}

// definitionOf tells object types and type sets, written Name[{…}] or {…}, from aliases.
func definitionOf(x syntax.Expr) (kind string, hash *syntax.Hash) {
	switch x := x.(type) {
	case *syntax.Hash:
		return "Object", x
	case *syntax.Access:
		ref, is := x.Left.(*syntax.Ref)
		if !is || ref.Value != "Object" && ref.Value != "TypeSet" {
			return "", nil
		}
		if len(x.Keys) > 0 {
			hash, _ = x.Keys[0].(*syntax.Hash)
		}
		return ref.Value, hash
	}
	return "", nil
}

// resolve reads a type set. Its types see each other by their short names.
func (t *TypeSet) resolve(h *syntax.Hash, file *source.File, load Load) error {
	own := map[string]T{}
	var order []string
	resolvers := map[string]func(Load) error{}
	inside := func(name string) (T, error) {
		for n, x := range own {
			if lower(n) == lower(name) {
				return x, nil
			}
		}
		for _, r := range t.Refs {
			if r.Set != nil && len(name) > len(r.Alias)+2 && lower(name[:len(r.Alias)]) == lower(r.Alias) {
				return r.Set.Lookup(name[len(r.Alias)+2:]), nil
			}
		}
		if load == nil {
			return nil, nil
		}
		return load(name)
	}
	in := &interpreter{file, inside}
	b := value.NewHashBuilder(4)
	for _, e := range h.Entries {
		k, err := in.any(e.Key)
		if err != nil {
			return err
		}
		key := value.ToString(k)
		types, is := e.Value.(*syntax.Hash)
		if !is || key != "types" && key != "references" {
			v, err := in.any(e.Value)
			if err != nil {
				return err
			}
			b.SetString(key, v)
			continue
		}
		sub := value.NewHashBuilder(4)
		for _, te := range types.Entries {
			name := ""
			if ref, is := te.Key.(*syntax.Ref); is {
				name = ref.Value
			} else {
				k, err := in.any(te.Key)
				if err != nil {
					return err
				}
				name = value.ToString(k)
			}
			if key == "references" {
				v, err := in.any(te.Value)
				if err != nil {
					return err
				}
				sub.SetString(name, v)
				continue
			}
			x, res := Declare(t.Of+"::"+name, te.Value, file)
			own[name], resolvers[name] = x, res
			order = append(order, name)
			sub.SetString(name, x)
		}
		b.SetString(key, sub.Hash())
	}
	made, err := NewTypeSet(t.Of, b.Hash(), nil)
	if err != nil {
		return err
	}
	*t = *made
	for i := range t.Refs {
		r := &t.Refs[i]
		x, err := load(r.Of)
		if err != nil {
			return err
		}
		set, is := x.(*TypeSet)
		if !is {
			return fmt.Errorf("TypeSet '%s' reference to TypeSet named '%s' cannot be resolved", t.Of, r.Of)
		}
		if set.Version != nil && r.Range != nil && !r.Range.Includes(set.Version) {
			return fmt.Errorf("TypeSet '%s' reference to TypeSet named '%s' resolves to an incompatible version. Expected %s, got %s", t.Of, r.Of, r.Range, set.Version)
		}
		r.Set = set
	}
	for _, n := range order {
		if err := resolvers[n](inside); err != nil {
			return err
		}
	}
	return nil
}
