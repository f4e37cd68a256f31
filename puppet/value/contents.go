package value

import "bunraku/provenance"

// EachRef calls f with the provenance of every element, nested ones included (provenance.Contents).
func (a *Array) EachRef(f func(provenance.Ref)) {
	for i, v := range a.Elems {
		f(a.Ref(i))
		eachRef(v, f)
	}
}

// EachRef calls f with the provenance of every key and value, nested ones included (provenance.Contents).
func (h *Hash) EachRef(f func(provenance.Ref)) {
	for i := range h.entries {
		e := &h.entries[i]
		f(e.KeyRef)
		f(e.Ref)
		eachRef(e.Key, f)
		eachRef(e.Value, f)
	}
}

func eachRef(v Value, f func(provenance.Ref)) {
	switch v := v.(type) {
	case *Array:
		v.EachRef(f)
	case *Hash:
		v.EachRef(f)
	case *Sensitive:
		eachRef(v.Value, f)
	}
}
