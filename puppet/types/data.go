package types

import (
	"errors"

	"bunraku/puppet/value"
)

// ToData turns a value into what a catalog's JSON can hold: undef, booleans, numbers, strings, arrays and hashes with
// string keys. Rich values become hashes with __ptype; a hash with other keys than strings is spelled out as pairs.
// References to resources and classes stay types here: the catalog writes them as plain strings before. A type that
// mentions itself has no such form.
func ToData(v value.Value) (data value.Value, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case endlessData:
			data, err = nil, errors.New("Endless recursion detected when attempting to serialize value of class "+string(r))
		default:
			panic(r)
		}
	}()
	return toData(v), nil
}

type endlessData string

func toData(v value.Value) value.Value {
	switch v := v.(type) {
	case nil:
		return value.Undef{}
	case value.Undef, value.Bool, value.Int, value.Float, value.String:
		return v
	case value.Default:
		return ptype("Default")
	case *value.Array:
		return arrayData(v)
	case *value.Hash:
		return hashData(v)
	case *value.Sensitive:
		return ptype("Sensitive", "__pvalue", toData(v.Value))
	case *value.Regexp:
		return ptype("Regexp", "__pvalue", value.String(v.Source))
	case value.Binary:
		return ptype("Binary", "__pvalue", value.String(v.Base64()))
	case *value.SemVer:
		return ptype("SemVer", "__pvalue", value.String(v.String()))
	case *value.SemVerRange:
		return ptype("SemVerRange", "__pvalue", value.String(v.String()))
	case value.Timespan:
		return ptype("Timespan", "__pvalue", value.String(v.String()))
	case value.Timestamp:
		return ptype("Timestamp", "__pvalue", value.String(v.String()))
	case *value.URI:
		return ptype("URI", "__pvalue", value.String(v.String()))
	case *value.Deferred:
		b := ptypeBuilder("Deferred")
		b.SetString("name", value.String(v.Name))
		if v.Args != nil {
			b.SetString("arguments", toData(v.Args))
		}
		return b.Hash()
	case *value.Iterator:
		return toData(v.Array())
	case *value.Object:
		return objectData(v)
	case *value.Opaque:
		return v
	case T:
		return typeData(v)
	}
	panic("types: ToData: unknown value")
}

func ptypeBuilder(name string) *value.HashBuilder {
	b := value.NewHashBuilder(3)
	b.SetString("__ptype", value.String(name))
	return b
}

// ptype is a hash with __ptype and further entries.
func ptype(name string, rest ...any) *value.Hash {
	b := ptypeBuilder(name)
	for i := 0; i+1 < len(rest); i += 2 {
		b.SetString(rest[i].(string), rest[i+1].(value.Value))
	}
	return b.Hash()
}

// arrayData keeps the array itself when nothing in it needs conversion.
func arrayData(a *value.Array) value.Value {
	var b *value.ArrayBuilder
	for i, e := range a.Elems {
		d := toData(e)
		if b == nil {
			if same(d, e) {
				continue
			}
			b = value.NewArrayBuilder(a.Len())
			b.AddAll(a.Slice(0, i))
		}
		b.AddRef(d, a.Ref(i))
	}
	if b == nil {
		return a
	}
	return b.Array()
}

// same is identity of the Go value.
func same(a, b value.Value) bool { return a == b }

func hashData(h *value.Hash) value.Value {
	plain, changed := true, false
	for _, e := range h.Entries() {
		k, is := e.Key.(value.String)
		if !is || k == "__ptype" {
			plain = false
			break
		}
	}
	if !plain {
		b := value.NewArrayBuilder(2 * h.Len())
		for _, e := range h.Entries() {
			b.AddRef(toData(e.Key), e.KeyRef)
			b.AddRef(toData(e.Value), e.Ref)
		}
		return ptype("Hash", "__pvalue", b.Array())
	}
	out := value.NewHashBuilder(h.Len())
	for _, e := range h.Entries() {
		d := toData(e.Value)
		changed = changed || !same(d, e.Value)
		e.Value = d
		out.SetEntry(e)
	}
	if !changed {
		return h
	}
	return out.Hash()
}

// typeData is a type as an object of Pcore's own types.
func typeData(t T) value.Value {
	kind := func(name string, rest ...any) value.Value { return ptype("Pcore::"+name+"Type", rest...) }
	one := func(name string, t T) value.Value {
		if t == nil {
			return kind(name)
		}
		return kind(name, "type", toData(t))
	}
	withSize := func(b *value.HashBuilder, size *Integer) value.Value {
		if size != nil {
			b.SetString("size_type", toData(size))
		}
		return b.Hash()
	}
	switch t := t.(type) {
	case *Integer:
		to := value.Value(value.Int(t.To))
		if t.open() {
			to = nil
		}
		return rangeData("Integer", lowest(t.From), to)
	case *Float:
		return rangeData("Float", floatBound(t.From), floatBound(t.To))
	case *String:
		switch {
		case t.Val != nil:
			return kind("String", "size_type_or_value", value.String(*t.Val))
		case t.Size != nil:
			return kind("String", "size_type_or_value", toData(t.Size))
		}
		return kind("String")
	case *Boolean:
		return kind("Boolean")
	case *Enum:
		if t.Fold {
			return kind("Enum", "values", value.Strings(t.Values...), "case_insensitive", value.Bool(true))
		}
		return kind("Enum", "values", value.Strings(t.Values...))
	case *Pattern:
		b := value.NewArrayBuilder(len(t.Regexps))
		for _, r := range t.Regexps {
			b.Add(toData(r))
		}
		return kind("Pattern", "patterns", b.Array())
	case *Regexp:
		if t.Re == nil {
			return kind("Regexp")
		}
		return kind("Regexp", "pattern", value.String(t.Re.Source))
	case *Collection:
		return withSize(ptypeBuilder("Pcore::CollectionType"), t.Size)
	case *Array:
		b := ptypeBuilder("Pcore::ArrayType")
		if !isA[*Any](t.Elem) || t.Size != nil {
			b.SetString("element_type", toData(t.Elem))
		}
		return withSize(b, t.Size)
	case *Hash:
		b := ptypeBuilder("Pcore::HashType")
		if !t.EqualType(HashT) {
			b.SetString("key_type", toData(t.Key))
		}
		if !isA[*Any](t.Val) || t.Size != nil {
			b.SetString("value_type", toData(t.Val))
		}
		return withSize(b, t.Size)
	case *Tuple:
		b := ptypeBuilder("Pcore::TupleType")
		b.SetString("types", typesData(t.Types))
		return withSize(b, t.Size)
	case *Struct:
		b := value.NewArrayBuilder(len(t.Elems))
		for _, e := range t.Elems {
			b.Add(ptype("Pcore::StructElement", "key_type", toData(e.Key), "value_type", toData(e.Val)))
		}
		return kind("Struct", "elements", b.Array())
	case *Variant:
		return kind("Variant", "types", typesData(t.Types))
	case *Callable:
		// A missing return type is not the default that is declared for it, so nothing is ever left out.
		return kind("Callable", "param_types", orNull(t.Params == nil, t.Params), "block_type",
			orNull(t.Block == nil, t.Block), "return_type", orNull(t.Return == nil, t.Return))
	case *Optional, *NotUndef, *Type, *Iterable, *Iterator:
		return one(t.Name(), contained(t))
	case *Sensitive:
		return kind("Sensitive")
	case *Init:
		b := ptypeBuilder("Pcore::InitType")
		if t.T != nil {
			b.SetString("type", toData(t.T))
		}
		if len(t.Args) > 0 {
			b.SetString("init_args", toData(value.NewArray(t.Args...)))
		}
		return b.Hash()
	case *SemVer:
		b := value.NewArrayBuilder(len(t.Ranges))
		for _, r := range t.Ranges {
			b.Add(toData(r))
		}
		if len(t.Ranges) == 0 {
			return kind("SemVer")
		}
		return kind("SemVer", "ranges", b.Array())
	case *Timespan:
		return rangeData("Timespan", ptrData(t.From), ptrData(t.To))
	case *Timestamp:
		return rangeData("Timestamp", ptrData(t.From), ptrData(t.To))
	case *URI:
		if t.Params == nil {
			return kind("URI")
		}
		return kind("URI", "parameters", toData(t.Params))
	case *Class:
		if t.Of == "" {
			return kind("Class")
		}
		return kind("Class", "class_name", value.String(t.Of))
	case *Resource:
		b := ptypeBuilder("Pcore::ResourceType")
		if t.Type != "" {
			b.SetString("type_name", value.String(t.Type))
		}
		if t.HasTitle {
			b.SetString("title", value.String(t.Title))
		}
		return b.Hash()
	case *Runtime:
		b := ptypeBuilder("Pcore::RuntimeType")
		if t.Runtime != "" {
			b.SetString("runtime", value.String(t.Runtime))
		}
		if t.Of != "" {
			b.SetString("name_or_pattern", value.String(t.Of))
		}
		return b.Hash()
	case *TypeReference:
		return kind("TypeReference", "type_string", value.String(t.Text))
	case *Alias:
		if t.recursive {
			panic(endlessData("Puppet::Pops::Types::PTypeAliasType"))
		}
		return kind("TypeAlias", "name", value.String(t.Of), "type_expr", value.Undef{}, "resolved_type", toData(t.To))
	case *Object:
		return kind("Object", "_pcore_init_hash", toData(t.InitHash(true)))
	case *ObjectExt:
		var params value.Value = t.Params
		if ps := t.positional(); ps != nil {
			params = value.NewArray(ps...)
		}
		return kind("ObjectTypeExten", "base_type", toData(t.Base), "init_parameters", toData(params)) // the name is Puppet's
	case *TypeSet:
		return kind("TypeSet", "name", value.String(t.Of))
	}
	return kind(t.Name())
}

func orNull(missing bool, t T) value.Value {
	if missing {
		return value.Undef{}
	}
	return toData(t)
}

// objectData is an instance: the attributes in the order of its constructor, up to the last that is no default.
func objectData(v *value.Object) value.Value {
	b := ptypeBuilder(v.Type.Name())
	o, is := v.Type.(*Object)
	if !is {
		return b.Hash()
	}
	names := o.signatures()[1].Names
	last := len(names)
	for last > 0 {
		if _, given := v.Init.GetString(names[last-1]); given {
			break
		}
		last--
	}
	for _, n := range names[:last] {
		b.SetString(n, toData(v.Attrs.At(n)))
	}
	return b.Hash()
}

func typesData(ts []T) value.Value {
	b := value.NewArrayBuilder(len(ts))
	for _, t := range ts {
		b.Add(toData(t))
	}
	return b.Array()
}

func rangeData(name string, from, to value.Value) value.Value {
	b := ptypeBuilder("Pcore::" + name + "Type")
	if from != nil || to != nil {
		b.SetString("from", value.OrUndef(from))
	}
	if to != nil {
		b.SetString("to", to)
	}
	return b.Hash()
}

func lowest(n int64) value.Value {
	if n == NoMin {
		return nil
	}
	return value.Int(n)
}

func floatBound(f float64) value.Value {
	if f-f != 0 {
		return nil
	}
	return value.Float(f)
}

func ptrData[V value.Value](p *V) value.Value {
	if p == nil {
		return nil
	}
	return toData(*p)
}
