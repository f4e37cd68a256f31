package types

import (
	"fmt"

	"bunraku/puppet/value"
)

// An initState is what an Init type found out about the constructors of its type.
type initState struct {
	err       error
	single    T // what is accepted as the one argument
	other     T // argument lists, as tuples
	optSingle bool
}

// NewInit is Init[t, args].
func NewInit(t T, args []value.Value) (*Init, error) {
	if t == nil {
		if len(args) > 0 {
			return nil, fmt.Errorf("Init cannot be parameterized with an undefined type and additional arguments")
		}
		return InitT, nil
	}
	i := &Init{T: t, Args: args}
	i.made = i.make()
	return i, nil
}

func (i *Init) make() *initState {
	s := &initState{}
	var sigs []Signature
	switch i.T.(type) {
	case *Init, *Optional, *NotUndef:
	default:
		sigs = constructors(i.T)
	}
	if sigs == nil {
		s.err = fmt.Errorf("Creation of new instance of type '%s' is not supported", i.T)
		return s
	}
	singles := []T{i.T}
	var others []T
	if len(i.Args) == 0 {
		for _, sig := range sigs {
			p := sig.Type.Params
			if r := p.sizeRange(); r.From == 1 && r.To == 1 {
				singles = append(singles, p.Types[0])
			} else {
				others = append(others, p)
				s.optSingle = s.optSingle || r.From == 1
			}
		}
	} else {
		n := int64(1 + len(i.Args))
		found := false
		for _, sig := range sigs {
			p := sig.Type.Params
			if !p.sizeRange().contains(n) || len(p.Types) == 0 {
				continue
			}
			ts := []T{p.Types[0]}
			for _, a := range i.Args {
				ts = append(ts, InferSet(a))
			}
			if Assignable(p, &Tuple{Types: ts}) {
				found = true
				singles = append(singles, p.Types[0])
			}
		}
		if !found {
			s.err = fmt.Errorf("The type '%s' does not represent a valid set of parameters for %s.new()", i,
				Generalize(i.T).Name())
			return s
		}
	}
	s.single = NewVariant(singles...)
	if len(others) > 0 {
		s.other = NewVariant(others...)
	}
	return s
}

// Err is the reason why the Init type is of no use, nil for none.
func (i *Init) Err() error {
	if i.made == nil {
		return nil
	}
	return i.made.err
}

func (i *Init) reallyInstance(v value.Value, g *guard) int {
	if i.T == nil {
		return reallyInstance(RichDataT, v, nil)
	}
	s := i.made
	if s.err != nil {
		return -1
	}
	r := reallyInstance(i.T, v, g)
	if r < 1 && s.single != nil {
		r = max(r, reallyInstance(s.single, v, g))
	}
	if r < 1 && s.other != nil {
		o := reallyInstance(s.other, v, g)
		if o < 0 && s.optSingle {
			o = reallyInstance(s.other, value.NewArray(v), g)
		}
		r = max(r, o)
	}
	return r
}

func (i *Init) acceptsType(b T, g *guard) bool {
	if o, is := b.(*Init); is {
		return i.T == nil || o.T != nil && assignable(i.T, o.T, g)
	}
	if i.T == nil {
		return assignable(RichDataT, b, g)
	}
	s := i.made
	if s.err != nil {
		return false
	}
	return assignable(i.T, b, g) || s.single != nil && assignable(s.single, b, g) ||
		s.other != nil && (assignable(s.other, b, g) || s.optSingle && assignable(s.other, &Tuple{Types: []T{b}},
			g.dropped()))
}
