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
	plain     bool // it leads to no alias that mentions itself
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

// Plain reports whether the alias is whole, and leads to none that mentions itself: nothing changes it again.
func (a *Alias) Plain() bool { return a.plain }

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
	if g.visits > maxVisits {
		a.To, a.recursive = nil, false
		return fmt.Errorf("Type alias '%s' has more than %d parts", a.Of, maxVisits)
	}
	if !real {
		a.To = nil
		return fmt.Errorf("Type alias '%s' cannot be resolved to a real type", a.Of)
	}
	a.recursive = g.isRecursiveThis(a)
	a.plain = !a.recursive && isPlain(a.To)
	if a.recursive {
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
	if _, ref := a.To.(*TypeReference); a.recursive || a.plain || ref || a.To == nil {
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

// maxVisits is how many types an alias may lead to, counted as often as they are met on different ways.
const maxVisits = 200_000

// accept calls visit for t and all types in it; what a plain alias stands for is visited once.
func accept(t T, g *guard, visit func(T)) {
	if t == nil || g.visits > maxVisits {
		return
	}
	g.visits++
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
		if t.plain {
			m := g.remembering().memo
			if m.plain[t] {
				return
			}
			if m.plain == nil {
				m.plain = map[T]bool{}
			}
			m.plain[t] = true
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
	children(t, func(t T) { accept(t, g, visit) })
}

// children calls f for the types that a type is directly made of; those of aliases, objects and type sets are the
// caller's concern.
func children(t T, f func(T)) {
	size := func(i *Integer) {
		if i != nil {
			f(i)
		}
	}
	switch t := t.(type) {
	case *NotUndef:
		f(t.T)
	case *Optional:
		f(t.T)
	case *Type:
		f(t.T)
	case *Iterable:
		f(t.T)
	case *Iterator:
		f(t.T)
	case *Sensitive:
		f(t.T)
	case *Init:
		f(t.T)
	case *Collection:
		size(t.Size)
	case *String:
		size(t.Size)
	case *Array:
		size(t.Size)
		f(t.Elem)
	case *Hash:
		size(t.Size)
		f(t.Key)
		f(t.Val)
	case *Tuple:
		size(t.Size)
		for _, e := range t.Types {
			f(e)
		}
	case *Struct:
		for i := range t.Elems {
			f(t.Elems[i].Key)
			f(t.Elems[i].Val)
		}
	case *Variant:
		for _, e := range t.Types {
			f(e)
		}
	case *Pattern:
		for _, r := range t.Regexps {
			f(r)
		}
	case *Callable:
		if t.Params != nil {
			f(t.Params)
		}
		f(t.Block)
		f(t.Return)
	}
}
