package types

import (
	"fmt"

	"bunraku/puppet/value"
)

func mustPattern(src string) *Pattern {
	re, err := value.NewRegexp(src)
	if err != nil {
		panic(err)
	}
	return &Pattern{Regexps: []*Regexp{{Re: re}}}
}

func optKey(name string, t T) Element { return Element{&Optional{T: Literal(name)}, t} }
func reqKey(name string, t T) Element { return Element{Literal(name), t} }

func memberName() T     { return mustPattern(`\A[a-z_]\w*\z`) }
func qualifiedRef() T   { return mustPattern(`\A[A-Z][\w]*(?:::[A-Z][\w]*)*\z`) }
func annotationsT() T   { return &Optional{T: &Hash{Key: AnyT, Val: AnyT}} }
func memberHash() *Hash { return &Hash{Key: memberName(), Val: NotUndefT} }

// objectInitType is what Object[{…}] accepts.
func objectInitType() *Struct {
	return &Struct{Elems: []Element{
		optKey("name", qualifiedRef()),
		optKey("parent", TypeT),
		optKey("type_parameters", memberHash()),
		optKey("attributes", memberHash()),
		optKey("constants", &Hash{Key: memberName(), Val: AnyT}),
		optKey("functions", &Hash{Key: &Variant{Types: []T{memberName(), Literal("[]")}}, Val: NotUndefT}),
		optKey("equality", &Variant{Types: []T{memberName(), &Array{Elem: memberName()}}}),
		optKey("equality_include_type", BooleanT),
		optKey("checks", AnyT),
		optKey("annotations", annotationsT()),
	}}
}

// attributeInitType is what an attribute's hash accepts.
func attributeInitType() *Struct {
	return &Struct{Elems: []Element{
		reqKey("type", TypeT),
		optKey("final", BooleanT),
		optKey("override", BooleanT),
		optKey("kind", NewEnum([]string{kindConstant, kindDerived, kindGivenOrDerived, kindReference}, false)),
		optKey("value", AnyT),
		optKey("annotations", annotationsT()),
	}}
}

// initType is the Struct of the attributes that `new` takes.
func (o *Object) initType() *Struct {
	s := &Struct{}
	for _, a := range o.Attributes() {
		switch {
		case a.Kind == kindConstant || a.Kind == kindDerived:
		case a.Value != nil:
			s.Elems = append(s.Elems, optKey(a.Name, a.Type))
		case Assignable(a.Type, UndefT):
			// A plain name whose value may be undef is an optional key, as in any Struct.
			s.Elems = append(s.Elems, optKey(a.Name, a.Type))
		default:
			s.Elems = append(s.Elems, reqKey(a.Name, a.Type))
		}
	}
	return s
}

// signatures are the two ways to make an instance: from a hash, or from positional arguments, required ones first.
func (o *Object) signatures() []Signature {
	init := o.initType()
	var names []string
	var ts []T
	required := int64(0)
	for _, opt := range [...]bool{false, true} {
		for i := range init.Elems {
			e := &init.Elems[i]
			if isA[*Optional](e.Key) == opt {
				names, ts = append(names, e.Name()), append(ts, e.Val)
				if !opt {
					required++
				}
			}
		}
	}
	return []Signature{
		{Type: NewCallable(NewTuple([]T{init}, Range(1, 1)), nil, nil), Names: []string{"hash"}},
		{Type: NewCallable(NewTuple(ts, Range(required, int64(len(ts)))), nil, nil), Names: names},
	}
}

// instance makes an object of checked attribute values.
func (o *Object) instance(given map[string]value.Value) *value.Object {
	attrs, init := value.NewHashBuilder(4), value.NewHashBuilder(4)
	for _, a := range o.Attributes() {
		v, has := given[a.Name]
		switch {
		case a.Kind == kindConstant:
			v = a.Value
		case !has && a.Value != nil:
			v = a.Value
		case !has:
			v = value.Undef{}
		}
		attrs.SetString(a.Name, v)
		if a.Kind != kindConstant && a.Kind != kindDerived && (a.Value == nil || !value.Same(a.Value, v)) {
			init.SetString(a.Name, v)
		}
	}
	return &value.Object{Type: o, Attrs: attrs.Hash(), Init: init.Hash()}
}

// newInstance is New for object types.
func (o *Object) newInstance(args []value.Value) (value.Value, error) {
	if o == ObjectT {
		return nil, fmt.Errorf("Creation of new instance of type 'Object' is not supported")
	}
	sigs := o.signatures()
	given := map[string]value.Value{}
	switch {
	case sigs[0].Type.Accepts(args, nil):
		for _, e := range args[0].(*value.Hash).Entries() {
			given[value.ToString(e.Key)] = e.Value
		}
	case sigs[1].Type.Accepts(args, nil):
		for i, v := range args {
			given[sigs[1].Names[i]] = v
		}
	default:
		return nil, fmt.Errorf("%s", DescribeSignatures("new_"+o.Of, sigs, args, nil))
	}
	if o == DeferredT {
		d := &value.Deferred{Name: value.ToString(given["name"])}
		d.Args, _ = given["arguments"].(*value.Array)
		return d, nil
	}
	return o.instance(given), nil
}

// newObjectExt is MyType[params].
func newObjectExt(o *Object, args []value.Value) (T, error) {
	ps := o.typeParams()
	if len(ps) == 0 {
		return nil, fmt.Errorf("The %s-Type cannot be parameterized using []", o.label())
	}
	b := value.NewHashBuilder(len(ps))
	set := func(p *Attribute, v value.Value) error {
		if _, def := v.(value.Default); def {
			return nil
		}
		if err := AssertInstance(p.label(), p.Type, v); err != nil {
			return err
		}
		b.SetString(p.Name, v)
		return nil
	}
	if h, is := single(args); is && !IsInstance(ps[0].Type, h) {
		for _, e := range h.Entries() {
			name := value.ToString(e.Key)
			var p *Attribute
			for _, q := range ps {
				if q.Name == name {
					p = q
				}
			}
			if p == nil {
				return nil, fmt.Errorf("'%s' is not a known type parameter for %s-Type", name, o.label())
			}
			if err := set(p, e.Value); err != nil {
				return nil, err
			}
		}
	} else {
		for i, p := range ps {
			if i < len(args) {
				if err := set(p, args[i]); err != nil {
					return nil, err
				}
			}
		}
	}
	if b.Len() == 0 {
		return nil, fmt.Errorf("The %s-Type cannot be parameterized using an empty parameter list", o.label())
	}
	return &ObjectExt{Base: o, Params: b.Hash()}, nil
}

func single(args []value.Value) (*value.Hash, bool) {
	if len(args) != 1 {
		return nil, false
	}
	h, is := args[0].(*value.Hash)
	return h, is
}

// InitHash is the object type as the hash that defines it.
func (o *Object) InitHash(withName bool) *value.Hash {
	b := value.NewHashBuilder(6)
	if withName && o.Of != "" {
		b.SetString("name", value.String(o.Of))
	}
	if o.Parent != nil {
		b.SetString("parent", o.Parent)
	}
	if len(o.TypeParams) > 0 {
		b.SetString("type_parameters", attributesHash(o.TypeParams))
	}
	var consts, others []*Attribute
	for _, a := range o.Attrs {
		if a.Kind == kindConstant && a.Type.EqualType(Generalize(Infer(a.Value))) {
			consts = append(consts, a)
		} else {
			others = append(others, a)
		}
	}
	if len(others) > 0 {
		b.SetString("attributes", attributesHash(others))
	}
	if len(consts) > 0 {
		c := value.NewHashBuilder(len(consts))
		for _, a := range consts {
			c.SetString(a.Name, a.Value)
		}
		b.SetString("constants", c.Hash())
	}
	if len(o.Funcs) > 0 {
		f := value.NewHashBuilder(len(o.Funcs))
		for _, x := range o.Funcs {
			h := value.NewHashBuilder(3)
			h.SetString("type", x.Type)
			if x.Final {
				h.SetString("final", value.Bool(true))
			}
			if x.Override {
				h.SetString("override", value.Bool(true))
			}
			f.SetString(x.Name, compressed(h))
		}
		b.SetString("functions", f.Hash())
	}
	if o.HasEquality {
		b.SetString("equality", value.Strings(o.Equality...))
	}
	if o.Checks != nil {
		b.SetString("checks", o.Checks)
	}
	return b.Hash()
}

func compressed(h *value.HashBuilder) value.Value {
	if h.Len() == 1 {
		t, _ := h.Get(value.String("type"))
		return t
	}
	return h.Hash()
}

func attributesHash(as []*Attribute) *value.Hash {
	b := value.NewHashBuilder(len(as))
	for _, a := range as {
		h := value.NewHashBuilder(4)
		t := a.Type
		if o, is := t.(*Optional); is && a.param {
			t = o.T
		}
		h.SetString("type", t)
		if a.Final && a.Kind != kindConstant {
			h.SetString("final", value.Bool(true))
		}
		if a.Override {
			h.SetString("override", value.Bool(true))
		}
		if a.Kind != "" {
			h.SetString("kind", value.String(a.Kind))
		}
		if a.Value != nil && !(a.param && value.IsUndef(a.Value)) {
			h.SetString("value", a.Value)
		}
		b.SetString(a.Name, compressed(h))
	}
	return b.Hash()
}

// object prints an object type: its name, or written out when expanded.
func (f *formatter) object(o *Object) {
	name, own := o.label(), false
	if f.set != nil {
		if n, is := f.set.nameOf(o); is {
			name, own = n, true
		}
	}
	if !f.expanded {
		f.b.WriteString(name)
		return
	}
	f.objectHash(o.InitHash(f.set == nil || !own))
}

func (f *formatter) objectHash(h *value.Hash) {
	f.expanded = false
	f.b.WriteString("Object[{")
	for i, e := range h.Entries() {
		if i > 0 {
			f.b.WriteString(", ")
		}
		key := value.ToString(e.Key)
		f.b.WriteString(key + " => ")
		members, is := e.Value.(*value.Hash)
		if !is || key != "attributes" && key != "functions" {
			f.value(e.Value)
			continue
		}
		f.b.WriteByte('{')
		for j, m := range members.Entries() {
			if j > 0 {
				f.b.WriteString(", ")
			}
			f.value(m.Key)
			f.b.WriteString(" => ")
			spec, is := m.Value.(*value.Hash)
			if !is {
				f.value(m.Value)
				continue
			}
			f.b.WriteByte('{')
			for k, s := range spec.Entries() {
				if k > 0 {
					f.b.WriteString(", ")
				}
				name := value.ToString(s.Key)
				f.b.WriteString(name + " => ")
				if name == "kind" {
					f.b.WriteString(value.ToString(s.Value))
				} else {
					f.value(s.Value)
				}
			}
			f.b.WriteByte('}')
		}
		f.b.WriteByte('}')
	}
	f.b.WriteString("}]")
	f.expanded = true
}

func (f *formatter) objectExt(e *ObjectExt) {
	ps := e.positional()
	if ps == nil {
		f.list(e.Base.label(), e.Params)
		return
	}
	parts := make([]any, len(ps))
	for i, p := range ps {
		parts[i] = p
	}
	f.list(e.Base.label(), parts...)
}

// positional are the parameters in order, default for a missing one; nil when there are too many to be written that
// way.
func (e *ObjectExt) positional() []value.Value {
	ps := e.Base.typeParams()
	if len(ps) > 2 {
		return nil
	}
	out := make([]value.Value, 0, 2)
	for _, p := range ps {
		if v, has := e.Params.GetString(p.Name); has {
			out = append(out, v)
		} else {
			out = append(out, value.Default{})
		}
	}
	for len(out) > 0 && isOf[value.Default](out[len(out)-1]) {
		out = out[:len(out)-1]
	}
	return out
}
