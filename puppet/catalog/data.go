package catalog

import (
	"strconv"

	"bunraku/puppet/value"
)

// value writes v as Pcore rich data (pops/serialization/to_data_converter.rb, with rich_data on, type_by_reference,
// symbols as strings).
func (w *writer) value(v value.Value) {
	switch v := v.(type) {
	case nil, value.Undef:
		w.null()
	case value.String:
		w.string(string(v))
	case value.Int:
		w.dst = strconv.AppendInt(w.dst, int64(v), 10)
	case value.Bool:
		w.bool(bool(v))
	case value.Float:
		w.float(float64(v))
	case *value.Array:
		w.open('[')
		for _, e := range v.Elems {
			w.next()
			w.value(e)
		}
		w.close(']')
	case *value.Hash:
		w.hash(v)
	case value.Type:
		w.typ(v)
	case value.Default:
		w.open('{')
		w.ptype("Default")
		w.close('}')
	case *value.Regexp:
		w.scalar("Regexp", v.Source)
	case value.Binary:
		w.scalar("Binary", v.Base64())
	case *value.SemVer:
		w.scalar("SemVer", v.String())
	case *value.SemVerRange:
		w.scalar("SemVerRange", v.String())
	case value.Timestamp:
		w.scalar("Timestamp", v.String())
	case value.Timespan:
		w.scalar("Timespan", v.String())
	case *value.URI:
		w.scalar("URI", v.String())
	case *value.Sensitive:
		w.sensitive(v.Value)
	case *value.Deferred:
		w.open('{')
		w.ptype("Deferred")
		w.field("name")
		w.string(v.Name)
		if v.Args != nil {
			w.field("arguments")
			w.value(v.Args)
		}
		w.close('}')
	case *value.Object:
		w.object(v)
	case *value.Iterator:
		w.value(v.Array())
	case *value.Opaque:
		if v.Digits != "" {
			w.dst = append(w.dst, v.Digits...)
			break
		}
		// Not Puppet's: it has no such values.
		w.open('{')
		w.ptype("Bunraku::Opaque")
		w.field("why")
		w.string(v.Why)
		w.close('}')
	default:
		w.string(value.ToString(v))
	}
}

func (w *writer) ptype(name string) {
	w.field("__ptype")
	w.string(name)
}

func (w *writer) scalar(ptype, text string) {
	w.open('{')
	w.ptype(ptype)
	w.field("__pvalue")
	w.string(text)
	w.close('}')
}

func (w *writer) sensitive(v value.Value) {
	if w.Redact {
		w.string(Redacted)
		return
	}
	w.open('{')
	w.ptype("Sensitive")
	w.field("__pvalue")
	w.value(v)
	w.close('}')
}

// keyText is a hash key that JSON can have: a string, or a reference, which becomes one.
func keyText(k value.Value) (string, bool) {
	switch k := k.(type) {
	case value.String:
		return string(k), k != "__ptype"
	case Reference:
		return k.Reference()
	}
	return "", false
}

func (w *writer) hash(h *value.Hash) {
	plain := true
	for i := range h.Entries() {
		if _, plain = keyText(h.Entries()[i].Key); !plain {
			break
		}
	}
	w.open('{')
	if plain {
		w.entries(h)
		w.close('}')
		return
	}
	w.ptype("Hash")
	w.field("__pvalue")
	w.open('[')
	for i := range h.Entries() {
		e := &h.Entries()[i]
		w.next()
		w.value(e.Key)
		w.next()
		w.value(e.Value)
	}
	w.close(']')
	w.close('}')
}

func (w *writer) entries(h *value.Hash) {
	for i := range h.Entries() {
		e := &h.Entries()[i]
		k, ok := keyText(e.Key)
		if !ok {
			k = value.ToString(e.Key)
		}
		w.key(k)
		w.value(e.Value)
	}
}

func (w *writer) object(o *value.Object) {
	attrs := o.Init
	if attrs == nil {
		attrs = o.Attrs
	}
	w.open('{')
	w.ptype(o.Type.Name())
	if attrs != nil {
		w.entries(attrs)
	}
	w.close('}')
}

// typ writes a type: a reference as its text, any other type as data.
func (w *writer) typ(t value.Type) {
	if r, ok := t.(Reference); ok {
		if ref, ok := r.Reference(); ok {
			w.string(ref)
			return
		}
	}
	if w.Types != nil {
		data, err := w.Types(t)
		if err == nil {
			w.plain(data)
			return
		}
		w.fail(err.Error())
	}
	w.open('{')
	w.ptype("Pcore::TypeReference")
	w.field("type_string")
	w.string(t.String())
	w.close('}')
}

// plain writes data that is converted already: a hash with the key __ptype is a type there, not a hash of the user's.
func (w *writer) plain(v value.Value) {
	switch v := v.(type) {
	case *value.Array:
		w.open('[')
		for _, e := range v.Elems {
			w.next()
			w.plain(e)
		}
		w.close(']')
	case *value.Hash:
		w.open('{')
		for i := range v.Entries() {
			e := &v.Entries()[i]
			w.key(value.ToString(e.Key))
			w.plain(e.Value)
		}
		w.close('}')
	default:
		w.value(v)
	}
}
