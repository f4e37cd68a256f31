package types

import (
	"fmt"

	"bunraku/puppet/value"
)

// An Alias is `type Name = …`. It may mention itself. An alias is made first and resolved later, so that others (and it
// itself) can point at it meanwhile.
type Alias struct {
	value.TypeMark
	Of        string
	To        T    // what it stands for; TypeRefT while being resolved
	recursive bool // it mentions itself
}

// Resolved is what the alias stands for, through any number of aliases.
func Resolved(t T) T {
	for {
		a, is := t.(*Alias)
		if !is || a.To == nil {
			return t
		}
		t = a.To
	}
}

// Resolve gives the alias its meaning. expand makes the type, and may meet the alias itself on the way.
func (a *Alias) Resolve(expand func() (T, error)) error {
	if a.To != nil {
		return nil
	}
	a.To = TypeRefT
	a.recursive = true
	t, err := expand()
	if err != nil {
		a.To, a.recursive = nil, false
		return err
	}
	return a.settle(Normalize(t))
}

func (a *Alias) settle(t T) error {
	a.To = t
	g := &guard{}
	real := false
	accept(a, g, func(t T) {
		switch t.(type) {
		case *Alias, *Variant:
		default:
			real = true
		}
	})
	if !real {
		a.To = nil
		return fmt.Errorf("Type alias '%s' cannot be resolved to a real type", a.Of)
	}
	if a.recursive = g.isRecursiveThis(a); a.recursive {
		accept(a, &guard{}, func(t T) {
			if o, is := t.(*Alias); is {
				o.recheck()
			}
		})
		a.dropUnreal()
	}
	return nil
}

// recheck finds out anew whether the alias mentions itself.
func (a *Alias) recheck() {
	if _, ref := a.To.(*TypeReference); a.recursive || ref || a.To == nil {
		return
	}
	a.recursive = true
	g := &guard{}
	accept(a, g, func(T) {})
	if a.recursive = g.isRecursiveThis(a); a.recursive {
		a.dropUnreal()
	}
}

// dropUnreal removes variants that are only aliases of aliases.
func (a *Alias) dropUnreal() {
	v, is := a.To.(*Variant)
	if !is {
		return
	}
	var keep []T
	for _, t := range v.Types {
		if o, is := t.(*Alias); is && o.Of == a.Of {
			continue
		}
		real := false
		accept(t, &guard{}, func(t T) {
			switch t.(type) {
			case *Alias, *Variant:
			default:
				real = true
			}
		})
		if real {
			keep = append(keep, t)
		}
	}
	if len(keep) == len(v.Types) {
		return
	}
	a.To = NewVariant(keep...)
	g := &guard{}
	accept(a, g, func(T) {})
	a.recursive = g.isRecursiveThis(a)
}

// accept calls visit for t and all types in it.
func accept(t T, g *guard, visit func(T)) {
	if t == nil {
		return
	}
	size := func(i *Integer) {
		if i != nil {
			visit(i)
		}
	}
	switch t := t.(type) {
	case *Alias:
		if t.recursive {
			state, added := g.enterThis(t)
			if state&inThis == 0 {
				visit(t)
				accept(t.To, g, visit)
			}
			g.leaveThis(t, added)
			return
		}
		visit(t)
		accept(t.To, g, visit)
		return
	case *Object:
		if t.recursive {
			state, added := g.enterThis(t)
			if state&inThis == 0 {
				t.acceptMembers(g, visit)
			}
			g.leaveThis(t, added)
			return
		}
		t.acceptMembers(g, visit)
		return
	case *TypeSet:
		visit(t)
		for _, n := range t.Order {
			accept(t.Types[n], g, visit)
		}
		return
	}
	visit(t)
	switch t := t.(type) {
	case *NotUndef:
		accept(t.T, g, visit)
	case *Optional:
		accept(t.T, g, visit)
	case *Type:
		accept(t.T, g, visit)
	case *Iterable:
		accept(t.T, g, visit)
	case *Iterator:
		accept(t.T, g, visit)
	case *Sensitive:
		accept(t.T, g, visit)
	case *Init:
		accept(t.T, g, visit)
	case *Collection:
		size(t.Size)
	case *String:
		size(t.Size)
	case *Array:
		size(t.Size)
		accept(t.Elem, g, visit)
	case *Hash:
		size(t.Size)
		accept(t.Key, g, visit)
		accept(t.Val, g, visit)
	case *Tuple:
		size(t.Size)
		for _, e := range t.Types {
			accept(e, g, visit)
		}
	case *Struct:
		for i := range t.Elems {
			accept(t.Elems[i].Key, g, visit)
			accept(t.Elems[i].Val, g, visit)
		}
	case *Variant:
		for _, e := range t.Types {
			accept(e, g, visit)
		}
	case *Pattern:
		for _, r := range t.Regexps {
			visit(r)
		}
	case *Callable:
		if t.Params != nil {
			accept(t.Params, g, visit)
		}
		accept(t.Block, g, visit)
		accept(t.Return, g, visit)
	}
}
