package types

import (
	"fmt"
	"strings"

	"bunraku/puppet/value"
)

// A TypeSet is a named and versioned set of types: TypeSet[{pcore_version => …, types => {…}}].
type TypeSet struct {
	value.TypeMark
	Of            string
	NameAuthority string
	PcoreURI      string
	PcoreVersion  *value.SemVer
	Version       *value.SemVer
	Order         []string // names in the order of definition
	Types         map[string]T
	Refs          []TypeSetRef
}

// A TypeSetRef is another set under a local name.
type TypeSetRef struct {
	Alias, Of string
	Range     *value.SemVerRange
	Set       *TypeSet
}

// TypeSetT is the type of all type sets.
var TypeSetT = &TypeSet{Of: "DefaultTypeSet", NameAuthority: runtimeAuthority,
	PcoreURI:     "http://puppet.com/2016.1/pcore",
	PcoreVersion: &value.SemVer{Major: 1}, Version: &value.SemVer{}}

const runtimeAuthority = "http://puppet.com/2016.1/runtime"

// EqualType compares name, authority and version.
func (t *TypeSet) EqualType(o T) bool {
	p, is := o.(*TypeSet)
	if !is || t.Of != p.Of || t.NameAuthority != p.NameAuthority || (t.Version == nil) != (p.Version == nil) {
		return false
	}
	return t.Version == nil || t.Version.Equal(p.Version)
}

// Lookup finds a type of the set by name, in any case, through references too; nil when there is none.
func (t *TypeSet) Lookup(name string) T {
	for _, n := range t.Order {
		if strings.EqualFold(n, name) {
			return t.Types[n]
		}
	}
	first, rest, qualified := strings.Cut(name, "::")
	for _, r := range t.Refs {
		if strings.EqualFold(r.Alias, first) && r.Set != nil {
			if !qualified {
				return r.Set
			}
			return r.Set.Lookup(rest)
		}
	}
	return nil
}

// nameOf is the local name of a type of the set.
func (t *TypeSet) nameOf(x T) (string, bool) {
	for _, n := range t.Order {
		if t.Types[n] == x {
			return n, true
		}
	}
	return "", false
}

// NewTypeSet fills a set from its hash. make turns an entry of `types` (a type, or a hash for an object) into a type of
// the full name; it may be nil when the entries are types already.
func NewTypeSet(name string, init *value.Hash, make_ func(fullName string, v value.Value) (T, error)) (*TypeSet,
	error) {
	if init.Len() == 0 {
		return TypeSetT, nil
	}
	if err := AssertInstance("TypeSet initializer", typeSetInitType(), init); err != nil {
		return nil, err
	}
	t := &TypeSet{Of: name, Types: map[string]T{}, NameAuthority: runtimeAuthority}
	str := func(key string, dst *string) {
		if s, is := init.At(key).(value.String); is && (*dst == "" || key == "name_authority") {
			*dst = string(s)
		}
	}
	str("name", &t.Of)
	str("name_authority", &t.NameAuthority)
	str("pcore_uri", &t.PcoreURI)
	var err error
	if t.PcoreVersion, err = asSemVer(init.At("pcore_version")); err != nil {
		return nil, err
	}
	if t.PcoreVersion != nil && t.PcoreVersion.Major != 1 {
		return nil,
			fmt.Errorf("The pcore version for TypeSet '%s' is not understood by this runtime. Expected range 1.x, got %s", t.Of,
				t.PcoreVersion)
	}
	if t.Version, err = asSemVer(init.At("version")); err != nil {
		return nil, err
	}
	if h, is := init.At("types").(*value.Hash); is {
		for _, e := range h.Entries() {
			n := value.ToString(e.Key)
			x, is := e.Value.(T)
			if !is || make_ != nil {
				if make_ == nil {
					o := &Object{Of: t.Of + "::" + n}
					if err := o.Define(e.Value.(*value.Hash)); err != nil {
						return nil, err
					}
					x = o
				} else if x, err = make_(t.Of+"::"+n, e.Value); err != nil {
					return nil, err
				}
			}
			t.Order = append(t.Order, n)
			t.Types[n] = x
		}
	}
	if h, is := init.At("references").(*value.Hash); is {
		for _, e := range h.Entries() {
			r := TypeSetRef{Alias: value.ToString(e.Key)}
			spec := e.Value.(*value.Hash)
			r.Of = value.ToString(spec.At("name"))
			switch x := spec.At("version_range").(type) {
			case *value.SemVerRange:
				r.Range = x
			case value.String:
				if r.Range, err = value.ParseSemVerRange(string(x)); err != nil {
					return nil, err
				}
			}
			if _, has := t.Types[r.Alias]; has {
				return nil,
					fmt.Errorf("TypeSet '%s' references a TypeSet using alias '%s'. The alias collides with the name of a declared type", t.Of, r.Alias)
			}
			t.Refs = append(t.Refs, r)
		}
	}
	return t, nil
}

func asSemVer(v value.Value) (*value.SemVer, error) {
	switch v := v.(type) {
	case *value.SemVer:
		return v, nil
	case value.String:
		return value.ParseSemVer(string(v))
	}
	return nil, nil
}

func typeSetInitType() *Struct {
	version := &Variant{Types: []T{NonEmpty, SemVerT}}
	simple := mustPattern(`\A[A-Z]\w*\z`)
	ref := &Struct{Elems: []Element{
		reqKey("name", qualifiedRef()),
		reqKey("version_range", &Variant{Types: []T{NonEmpty, SemVerRangeT}}),
		optKey("name_authority", NonEmpty),
		optKey("annotations", annotationsT()),
	}}
	return &Struct{Elems: []Element{
		optKey("pcore_uri", NonEmpty),
		reqKey("pcore_version", version),
		optKey("name_authority", NonEmpty),
		optKey("name", qualifiedRef()),
		optKey("version", version),
		optKey("types", &Hash{Key: simple, Val: &Variant{Types: []T{TypeT, objectInitType()}}, Size: Range(1, NoMax)}),
		optKey("references", &Hash{Key: simple, Val: ref, Size: Range(1, NoMax)}),
		optKey("annotations", annotationsT()),
	}}
}

func (f *formatter) typeSet(t *TypeSet) {
	f.b.WriteString("TypeSet[{")
	n := 0
	put := func(key string, write func()) {
		if n > 0 {
			f.b.WriteString(", ")
		}
		n++
		f.b.WriteString(key + " => ")
		write()
	}
	text := func(s string) func() { return func() { f.b.WriteString(value.Quote(s)) } }
	if t.PcoreURI != "" {
		put("pcore_uri", text(t.PcoreURI))
	}
	if t.PcoreVersion != nil {
		put("pcore_version", text(t.PcoreVersion.String()))
	}
	if t.NameAuthority != "" {
		put("name_authority", text(t.NameAuthority))
	}
	put("name", text(t.Of))
	if t.Version != nil {
		put("version", text(t.Version.String()))
	}
	if len(t.Order) > 0 {
		put("types", func() {
			old := f.set
			f.set = t
			f.b.WriteByte('{')
			for i, name := range t.Order {
				if i > 0 {
					f.b.WriteString(", ")
				}
				f.b.WriteString(name + " => ")
				f.typ(t.Types[name])
			}
			f.b.WriteByte('}')
			f.set = old
		})
	}
	if len(t.Refs) > 0 {
		put("references", func() {
			f.b.WriteByte('{')
			for i, r := range t.Refs {
				if i > 0 {
					f.b.WriteString(", ")
				}
				f.b.WriteString(r.Alias + " => {'name' => " + value.Quote(r.Of) + ", 'version_range' => " +
					value.Quote(r.Range.String()) + "}")
			}
			f.b.WriteByte('}')
		})
	}
	f.b.WriteString("}]")
}
