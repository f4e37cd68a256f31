package types

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/value"
)

// An Object is a Pcore object type: attributes, functions, an optional parent.
type Object struct {
	value.TypeMark
	Of         string // "" for an anonymous type
	Parent     T
	TypeParams []*Attribute
	Attrs      []*Attribute
	Funcs      []*ObjectFunc
	Equality   []string // the attributes that make two instances equal; meaningful when HasEquality
	// HasEquality says that equality was given, even as an empty list.
	HasEquality bool
	// EqualityWithoutType says that instances of different types may be equal.
	EqualityWithoutType bool
	Checks              value.Value
	recursive           bool
}

// An Attribute is a named part of an object.
type Attribute struct {
	Name            string
	Type            T
	Kind            string      // "", constant, derived, given_or_derived, reference
	Value           value.Value // the default, nil for none
	Final, Override bool
	owner           *Object
	param           bool // a type parameter
}

// An ObjectFunc is a function of an object type. Puppet cannot write its body in the language; only the type is known.
type ObjectFunc struct {
	Name            string
	Type            T
	Final, Override bool
	owner           *Object
}

// An ObjectExt is an object type with some of its type parameters given: MyType['x'].
type ObjectExt struct {
	value.TypeMark
	Base   *Object
	Params *value.Hash
}

// Kinds of attributes.
const (
	kindConstant       = "constant"
	kindDerived        = "derived"
	kindGivenOrDerived = "given_or_derived"
	kindReference      = "reference"
)

// The object types that Puppet itself defines.
var (
	ObjectT   = &Object{}
	DeferredT = &Object{Of: "Deferred", Attrs: []*Attribute{
		{Name: "name", Type: deferredName()},
		{Name: "arguments", Type: &Optional{T: ArrayT}, Value: value.Undef{}},
	}}
	ErrorT         = makeError()
	LookupContextT = makeLookupContext()
)

// IsMember reports whether an object of a type that Puppet itself defines has an attribute or a function of a name.
func IsMember(name string) bool {
	for _, o := range []*Object{DeferredT, ErrorT, LookupContextT} {
		if slices.ContainsFunc(o.Attrs, func(a *Attribute) bool { return a.Name == name }) ||
			slices.ContainsFunc(o.Funcs, func(f *ObjectFunc) bool { return f.Name == name }) {
			return true
		}
	}
	_, part := (&value.URI{}).Part(name)
	return part
}

// makeError is Puppet::DataTypes' Error.
func makeError() *Object {
	match := &Optional{T: &Variant{Types: []T{StringT, RegexpT, &Type{T: EnumT}, &Type{T: PatternT}, &Type{T: NotUndefT},
		&Type{T: UndefT}}}}
	text := &Optional{T: NonEmpty}
	o := &Object{Of: "Error"}
	o.TypeParams = []*Attribute{{Name: "kind", Type: match, owner: o, param: true},
		{Name: "issue_code", Type: match, owner: o, param: true}}
	o.Attrs = []*Attribute{
		{Name: "msg", Type: NonEmpty, owner: o},
		{Name: "kind", Type: text, Value: value.Undef{}, owner: o},
		{Name: "details", Type: &Optional{T: &Hash{Key: NonEmpty, Val: DataT}}, Value: value.Undef{}, owner: o},
		{Name: "issue_code", Type: text, Value: value.Undef{}, owner: o},
	}
	o.Funcs = []*ObjectFunc{{Name: "message", Type: &Callable{Params: &Tuple{}, Return: NonEmpty}, owner: o}}
	return o
}

// makeLookupContext is what a function that provides data for Hiera gets as its context.
func makeLookupContext() *Object {
	o := &Object{Of: "Puppet::LookupContext", Parent: AnyT}
	o.Attrs = []*Attribute{
		{Name: "environment_name", Type: NonEmpty, Kind: "derived", owner: o},
		{Name: "module_name", Type: &Variant{Types: []T{NonEmpty, UndefT}}, owner: o},
	}
	return o
}

// The functions of the context count only where its type is written out: in words about arguments that do not fit.
func init() {
	for _, f := range [][2]string{
		{"not_found", "Callable[[0, 0], Undef]"},
		{"explain", "Callable[[0, 0, Callable[0, 0]], Undef]"},
		{"interpolate", "Callable[1, 1]"},
		{"cache", "Callable[Optional[Scalar], Any]"},
		{"cache_all", "Callable[[Hash[Optional[Scalar], Any]], Undef]"},
		{"cache_has_key", "Callable[[Optional[Scalar]], Boolean]"},
		{"cached_value", "Callable[Optional[Scalar]]"},
		{"cached_entries", "Variant[Callable[[0, 0, Callable[1, 1]], Undef], Callable[[0, 0, Callable[2, 2]], Undef], " +
			"Callable[[0, 0], Iterable[Tuple[Optional[Scalar], Any]]]]"},
		{"cached_file_data", "Callable[String, Optional[Callable[Array[Integer]]]]"},
	} {
		t, err := Parse(f[1], nil)
		if err != nil {
			panic(err)
		}
		LookupContextT.Funcs = append(LookupContextT.Funcs, &ObjectFunc{Name: f[0], Type: t, owner: LookupContextT})
	}
}

func deferredName() T {
	re, err := value.NewRegexp(`\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\z`)
	if err != nil {
		panic(err)
	}
	return &Pattern{Regexps: []*Regexp{{Re: re}}}
}

func (o *Object) label() string {
	if o.Of == "" {
		return "Object"
	}
	return o.Of
}

func (o *Object) simpleName() string {
	l := o.label()
	return l[strings.LastIndex(l, ":")+1:]
}

func (a *Attribute) label() string {
	kind := "attribute"
	if a.param {
		kind = "type_parameter"
	}
	return kind + " " + a.owner.label() + "[" + a.Name + "]"
}

func (f *ObjectFunc) label() string { return "function " + f.owner.label() + "[" + f.Name + "]" }

// parentObject is the parent, if it is an object type.
func (o *Object) parentObject() *Object {
	p, _ := Resolved(o.Parent).(*Object)
	return p
}

// Attributes are all attributes, the inherited ones first; an override keeps the place of what it overrides.
func (o *Object) Attributes() []*Attribute {
	p := o.parentObject()
	if o.Parent == nil || p == nil {
		return o.Attrs
	}
	return overlay(p.Attributes(), o.Attrs, func(a *Attribute) string { return a.Name })
}

func (o *Object) typeParams() []*Attribute {
	p := o.parentObject()
	if o.Parent == nil || p == nil {
		return o.TypeParams
	}
	return overlay(p.typeParams(), o.TypeParams, func(a *Attribute) string { return a.Name })
}

func overlay[V any](base, over []V, name func(V) string) []V {
	out := append([]V(nil), base...)
next:
	for _, x := range over {
		for i := range out {
			if name(out[i]) == name(x) {
				out[i] = x
				continue next
			}
		}
		out = append(out, x)
	}
	return out
}

// Attribute is the attribute of that name, own or inherited, or nil.
func (o *Object) Attribute(name string) *Attribute {
	for p := o; p != nil; p = p.parentObject() {
		for _, a := range p.Attrs {
			if a.Name == name {
				return a
			}
		}
		if p.Parent == nil {
			break
		}
	}
	return nil
}

// Func is the function of that name, own or inherited, or nil.
func (o *Object) Func(name string) *ObjectFunc {
	for p := o; p != nil; p = p.parentObject() {
		for _, f := range p.Funcs {
			if f.Name == name {
				return f
			}
		}
		if p.Parent == nil {
			break
		}
	}
	return nil
}

// EqualityAttributes are the names by which instances are compared.
func (o *Object) EqualityAttributes() (names []string, withType bool) {
	if o.Parent != nil {
		if p := o.parentObject(); p != nil {
			names, _ = p.EqualityAttributes()
		}
	}
	if o.HasEquality {
		names = append(append([]string(nil), names...), o.Equality...)
	} else {
		for _, a := range o.Attrs {
			if a.Kind != kindConstant {
				names = append(names, a.Name)
			}
		}
	}
	return names, !o.EqualityWithoutType
}

// EqualType compares by all parts.
func (o *Object) EqualType(t T) bool {
	p, is := t.(*Object)
	if !is {
		return false
	}
	if o == p {
		return true
	}
	if o.Of != p.Of || !eqT(o.Parent, p.Parent) || len(o.Attrs) != len(p.Attrs) || len(o.Funcs) != len(p.Funcs) ||
		len(o.TypeParams) != len(p.TypeParams) ||
		o.HasEquality != p.HasEquality || strings.Join(o.Equality, ",") != strings.Join(p.Equality, ",") {
		return false
	}
	for i, a := range o.Attrs {
		b := p.Attrs[i]
		if a.Name != b.Name || a.Kind != b.Kind || !eqT(a.Type, b.Type) || (a.Value == nil) != (b.Value == nil) ||
			a.Value != nil && !value.Same(a.Value, b.Value) {
			return false
		}
	}
	for i, f := range o.Funcs {
		if f.Name != p.Funcs[i].Name || !eqT(f.Type, p.Funcs[i].Type) {
			return false
		}
	}
	return true
}

// EqualType compares the base and the parameters.
func (e *ObjectExt) EqualType(t T) bool {
	p, is := t.(*ObjectExt)
	return is && e.Base.EqualType(p.Base) && value.Same(e.Params, p.Params)
}

func (o *Object) acceptsType(b T, g *guard) bool {
	switch b := b.(type) {
	case *Object:
		if o.EqualType(ObjectT) || o.EqualType(b) {
			return true
		}
		return b.Parent != nil && assignable(o, b.Parent, g)
	case *ObjectExt:
		return assignable(o, b.Base, g)
	}
	return false
}

func (e *ObjectExt) acceptsType(b T, g *guard) bool {
	if x, is := b.(*ObjectExt); is {
		return assignable(e.Base, x.Base, g) && paramsMatch(e.Params, x.Params)
	}
	return assignable(e.Base, b, g) && e.Params.Len() == 0
}

func (o *Object) holds(v value.Value, g *guard) bool {
	switch v := v.(type) {
	case *value.Object:
		return assignable(o, v.Type, g)
	case *value.Deferred:
		return assignable(o, DeferredT, g)
	case T:
		return o.EqualType(ObjectT) // types are objects of Pcore's own types
	}
	return false
}

func (e *ObjectExt) holds(v value.Value, g *guard) bool {
	x, is := v.(*value.Object)
	if !is || !assignable(e.Base, objectBase(x.Type), g) {
		return false
	}
	for _, p := range e.Params.Entries() {
		name, _ := p.Key.(value.String)
		a, has := x.Attrs.GetString(string(name))
		if !has || !Matches(a, p.Value) {
			return false
		}
	}
	return true
}

func objectBase(t T) *Object {
	switch t := t.(type) {
	case *Object:
		return t
	case *ObjectExt:
		return t.Base
	}
	return ObjectT
}

// objectTypeOf is the type of an instance: the type itself, with the values of its type parameters when it has any.
func objectTypeOf(v *value.Object) T {
	o, is := v.Type.(*Object)
	if !is {
		return v.Type
	}
	ps := o.typeParams()
	if len(ps) == 0 {
		return o
	}
	b := value.NewHashBuilder(len(ps))
	for _, p := range ps {
		if a, has := v.Attrs.GetString(p.Name); has {
			b.SetString(p.Name, a)
		}
	}
	return &ObjectExt{Base: o, Params: b.Hash()}
}

func (o *Object) acceptMembers(g *guard, visit func(T)) {
	visit(o)
	accept(o.Parent, g, visit)
	for _, a := range o.TypeParams {
		accept(a.Type, g, visit)
	}
	for _, a := range o.Attrs {
		accept(a.Type, g, visit)
	}
	for _, f := range o.Funcs {
		accept(f.Type, g, visit)
	}
}

// Define fills a new object type from its initializer hash, the argument of Object[{…}].
func (o *Object) Define(init *value.Hash) error {
	o.recursive = true
	if err := o.define(init); err != nil {
		return err
	}
	g := &guard{}
	accept(o, g, func(T) {})
	o.recursive = g.isRecursiveThis(o)
	return nil
}

// NewObject is Object[{…}].
func NewObject(init *value.Hash) (*Object, error) {
	o := &Object{}
	if init.Len() == 0 {
		return ObjectT, nil
	}
	return o, o.Define(init)
}

func (o *Object) define(init *value.Hash) error {
	if err := AssertInstance("object initializer", objectInitType(), init); err != nil {
		return err
	}
	if n, is := init.At("name").(value.String); is && o.Of == "" {
		o.Of = string(n)
	}
	if p, is := init.At("parent").(T); is {
		o.Parent = p
		r := Resolved(p)
		if ref, is := r.(*TypeReference); is {
			return fmt.Errorf("reference to unresolved type '%s'", ref.Text)
		}
		for q, _ := r.(*Object); q != nil; q = q.parentObject() {
			if q == o {
				return fmt.Errorf("The Object type '%s' inherits from itself", o.label())
			}
			if q.Parent == nil {
				break
			}
		}
	}
	if h, is := init.At("type_parameters").(*value.Hash); is {
		for _, e := range h.Entries() {
			if err := o.defineTypeParam(value.ToString(e.Key), e.Value); err != nil {
				return err
			}
		}
	}
	if err := o.defineAttributes(init); err != nil {
		return err
	}
	if h, is := init.At("functions").(*value.Hash); is {
		for _, e := range h.Entries() {
			if err := o.defineFunc(value.ToString(e.Key), e.Value); err != nil {
				return err
			}
		}
	}
	if b, is := init.At("equality_include_type").(value.Bool); is {
		o.EqualityWithoutType = !bool(b)
	}
	if c, has := init.GetString("checks"); has && !value.IsUndef(c) {
		o.Checks = c
	}
	return o.defineEquality(init.At("equality"))
}

func (o *Object) defineTypeParam(name string, spec value.Value) error {
	a := &Attribute{Name: name, owner: o, param: true}
	if h, is := spec.(*value.Hash); is {
		a.Type, _ = h.At("type").(T)
		if v, has := h.GetString("value"); has {
			a.Value = v
		}
	} else {
		if err := AssertInstance("type_parameter "+o.label()+"["+name+"]", TypeT, spec); err != nil {
			return err
		}
		a.Type = spec.(T)
	}
	if !isA[*Optional](a.Type) {
		a.Type = &Optional{T: a.Type}
	}
	o.TypeParams = append(o.TypeParams, a)
	return nil
}

func (o *Object) defineAttributes(init *value.Hash) error {
	specs := value.NewHashBuilder(4)
	if h, is := init.At("attributes").(*value.Hash); is {
		for _, e := range h.Entries() {
			specs.SetEntry(e)
		}
	}
	if h, is := init.At("constants").(*value.Hash); is {
		for _, e := range h.Entries() {
			name := value.ToString(e.Key)
			if _, has := specs.Get(e.Key); has {
				return fmt.Errorf("attribute %s[%s] is defined as both a constant and an attribute", o.label(), name)
			}
			inherited := o.inheritedAttribute(name) != nil
			specs.Set(e.Key, value.NewHash(value.String("type"), Generalize(Infer(e.Value)), value.String("value"), e.Value,
				value.String("kind"), value.String(kindConstant), value.String("override"), value.Bool(inherited)))
		}
	}
	for _, e := range specs.Hash().Entries() {
		a, err := o.newAttribute(value.ToString(e.Key), e.Value)
		if err != nil {
			return err
		}
		o.Attrs = append(o.Attrs, a)
	}
	return nil
}

func (o *Object) inheritedAttribute(name string) *Attribute {
	if o.Parent == nil {
		return nil
	}
	if p := o.parentObject(); p != nil {
		return p.Attribute(name)
	}
	return nil
}

func (o *Object) newAttribute(name string, spec value.Value) (*Attribute, error) {
	a := &Attribute{Name: name, owner: o}
	if name == "__ptype" || name == "__pvalue" {
		return nil, fmt.Errorf("The attribute '%s' is reserved and cannot be used", name)
	}
	h, is := spec.(*value.Hash)
	if !is {
		if err := AssertInstance("attribute "+o.label()+"["+name+"]", TypeT, spec); err != nil {
			return nil, err
		}
		a.Type = spec.(T)
		if isA[*Optional](a.Type) {
			a.Value = value.Undef{}
		}
		return a, o.checkOverride(a)
	}
	if err := AssertInstance("initializer for attribute "+o.label()+"["+name+"]", attributeInitType(), spec); err != nil {
		return nil, err
	}
	a.Type = h.At("type").(T)
	a.Override = value.Truthy(h.At("override"))
	a.Final = value.Truthy(h.At("final"))
	if k, is := h.At("kind").(value.String); is {
		a.Kind = string(k)
	}
	if a.Kind == kindConstant {
		if _, has := h.GetString("final"); has && !a.Final {
			return nil, fmt.Errorf("%s of kind 'constant' cannot be combined with final => false", a.label())
		}
		a.Final = true
	}
	v, has := h.GetString("value")
	switch {
	case has && (a.Kind == kindDerived || a.Kind == kindGivenOrDerived):
		return nil, fmt.Errorf("%s of kind '%s' cannot be combined with an attribute value", a.label(), a.Kind)
	case has:
		if _, def := v.(value.Default); !def {
			if err := AssertInstance(a.label()+" value", a.Type, v); err != nil {
				return nil, err
			}
		}
		a.Value = v
	case a.Kind == kindConstant:
		return nil, fmt.Errorf("%s of kind 'constant' requires a value", a.label())
	}
	return a, o.checkOverride(a)
}

func (o *Object) checkOverride(a *Attribute) error {
	p := o.inheritedAttribute(a.Name)
	if p == nil {
		if o.Parent != nil {
			if q := o.parentObject(); q != nil && q.Func(a.Name) != nil {
				return fmt.Errorf("%s attempts to override %s", a.label(), q.Func(a.Name).label())
			}
		}
		if a.Override {
			return fmt.Errorf("expected %s to override an inherited attribute, but no such attribute was found", a.label())
		}
		return nil
	}
	switch {
	case p.Final && !(p.Kind == kindConstant && a.Kind == kindConstant):
		return fmt.Errorf("%s attempts to override final %s", a.label(), p.label())
	case !a.Override:
		return fmt.Errorf("%s attempts to override %s without having override => true", a.label(), p.label())
	case !Assignable(p.Type, a.Type):
		return fmt.Errorf("%s attempts to override %s with a type that does not match", a.label(), p.label())
	}
	return nil
}

func (o *Object) defineFunc(name string, spec value.Value) error {
	f := &ObjectFunc{Name: name, owner: o}
	if h, is := spec.(*value.Hash); is {
		f.Type, _ = h.At("type").(T)
		f.Final, f.Override = value.Truthy(h.At("final")), value.Truthy(h.At("override"))
	} else {
		if err := AssertInstance("function "+o.label()+"["+name+"]", &Type{T: CallableT}, spec); err != nil {
			return err
		}
		f.Type = spec.(T)
	}
	for _, a := range o.Attrs {
		if a.Name == name {
			return fmt.Errorf("%s conflicts with attribute with the same name", f.label())
		}
	}
	var p *ObjectFunc
	if o.Parent != nil {
		if q := o.parentObject(); q != nil {
			p = q.Func(name)
			if a := q.Attribute(name); p == nil && a != nil {
				return fmt.Errorf("%s attempts to override %s", f.label(), a.label())
			}
		}
	}
	switch {
	case p == nil && f.Override:
		return fmt.Errorf("expected %s to override an inherited function, but no such function was found", f.label())
	case p == nil:
	case p.Final:
		return fmt.Errorf("%s attempts to override final %s", f.label(), p.label())
	case !f.Override:
		return fmt.Errorf("%s attempts to override %s without having override => true", f.label(), p.label())
	case !Assignable(p.Type, f.Type):
		return fmt.Errorf("%s attempts to override %s with a type that does not match", f.label(), p.label())
	}
	o.Funcs = append(o.Funcs, f)
	return nil
}

func (o *Object) defineEquality(spec value.Value) error {
	switch s := spec.(type) {
	case value.String:
		o.Equality, o.HasEquality = []string{string(s)}, true
	case *value.Array:
		o.HasEquality = true
		for _, e := range s.Elems {
			o.Equality = append(o.Equality, value.ToString(e))
		}
	default:
		return nil
	}
	if len(o.Equality) > 0 && o.EqualityWithoutType {
		return errors.New("equality_include_type = false cannot be combined with non empty equality specification")
	}
	for _, name := range o.Equality {
		a := o.Attribute(name)
		if p := o.inheritedAttribute(name); p != nil {
			inherited, _ := o.parentObject().EqualityAttributes()
			if containsString(inherited, name) {
				definer := o.parentObject()
				for definer.Parent != nil && definer.parentObject() != nil {
					up, _ := definer.parentObject().EqualityAttributes()
					if !containsString(up, name) {
						break
					}
					definer = definer.parentObject()
				}
				return fmt.Errorf("%s equality is referencing %s which is included in equality of %s", o.label(), p.label(),
					definer.label())
			}
		}
		if a == nil {
			if f := o.Func(name); f != nil {
				return fmt.Errorf("%s equality is referencing %s. Only attribute references are allowed", o.label(), f.label())
			}
			return fmt.Errorf("%s equality is referencing non existent attribute '%s'", o.label(), name)
		}
		if a.Kind == kindConstant {
			return fmt.Errorf("%s equality is referencing constant %s. Reference to constant is not allowed in equality",
				o.label(), a.label())
		}
	}
	return nil
}
