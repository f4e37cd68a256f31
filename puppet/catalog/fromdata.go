package catalog

import (
	"encoding/base64"

	"bunraku/puppet/value"
)

// FromData turns rich data back into values (pops/serialization/from_data_converter.rb): a hash with the key __ptype is
// a value of that type. Objects and types become an Object that only knows its type's name and its attributes.
func FromData(v value.Value) value.Value {
	switch v := v.(type) {
	case *value.Array:
		var out []value.Value
		for i, e := range v.Elems {
			n := FromData(e)
			if out == nil && n != e {
				out = append(make([]value.Value, 0, v.Len()), v.Elems[:i]...)
			}
			if out != nil {
				out = append(out, n)
			}
		}
		if out == nil {
			return v
		}
		return value.NewArray(out...)
	case *value.Hash:
		if ptype, ok := v.At("__ptype").(value.String); ok {
			return rich(string(ptype), v)
		}
		b := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			b.Set(e.Key, FromData(e.Value))
		}
		return b.Hash()
	}
	return v
}

func rich(ptype string, h *value.Hash) value.Value {
	pvalue := h.At("__pvalue")
	text, isText := pvalue.(value.String)
	// Only what is written back the same may become a value.
	switch ptype {
	case "Default":
		if h.Len() == 1 {
			return value.Default{}
		}
	case "Sensitive":
		return &value.Sensitive{Value: FromData(pvalue)}
	case "Hash":
		if a, ok := pvalue.(*value.Array); ok && a.Len()%2 == 0 {
			b := &value.HashBuilder{}
			for i := 0; i < a.Len(); i += 2 {
				b.Set(FromData(a.Elems[i]), FromData(a.Elems[i+1]))
			}
			return b.Hash()
		}
	case "Deferred":
		if name, ok := h.At("name").(value.String); ok {
			d := &value.Deferred{Name: string(name)}
			if args, ok := FromData(h.At("arguments")).(*value.Array); ok {
				d.Args = args
			}
			return d
		}
	case "Bunraku::Opaque":
		if why, ok := h.At("why").(value.String); ok {
			return &value.Opaque{Why: string(why)}
		}
	}
	if isText {
		if v := richScalar(ptype, string(text)); v != nil {
			return v
		}
	}
	b := value.NewHashBuilder(h.Len())
	for _, e := range h.Entries() {
		if e.Key != value.Value(value.String("__ptype")) {
			b.Set(e.Key, FromData(e.Value))
		}
	}
	attrs := b.Hash()
	return &value.Object{Type: wireType{name: ptype}, Attrs: attrs, Init: attrs}
}

// richScalar reads what is stored as its text, nil when that fails.
func richScalar(ptype, text string) value.Value {
	switch ptype {
	case "Regexp":
		if re, err := value.NewRegexp(text); err == nil {
			return re
		}
	case "SemVer":
		if v, err := value.ParseSemVer(text); err == nil && v.String() == text {
			return v
		}
	case "SemVerRange":
		if v, err := value.ParseSemVerRange(text); err == nil && v.String() == text {
			return v
		}
	case "Timestamp":
		if v, err := value.ParseTimestamp(text, nil, false, ""); err == nil && v.String() == text {
			return v
		}
	case "Timespan":
		if v, err := value.ParseTimespan(text, value.DefaultSpanFormats, true); err == nil && v.String() == text {
			return v
		}
	case "URI":
		if v, err := value.ParseURI(text); err == nil && v.String() == text {
			return v
		}
	case "Binary":
		if b, err := base64.StdEncoding.DecodeString(text); err == nil && value.Binary(b).Base64() == text {
			return value.Binary(b)
		}
	}
	return nil
}

// wireType is a type of which only the name is known.
type wireType struct {
	value.TypeMark
	name string
}

func (t wireType) String() string { return t.name }
func (t wireType) Name() string   { return t.name }
func (t wireType) EqualType(o value.Type) bool {
	w, ok := o.(wireType)
	return ok && w.name == t.name
}
