package template

import (
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/ruby"
	"bunraku/puppet/value"
)

// A Peeker is a Host that can say of one variable whether Variables would list it, and with which value.
type Peeker interface {
	Peek(name string) (v value.Value, r provenance.Ref, found bool)
}

// A view is what scope.to_hash returns. Templates ask it for one variable after the other, so the others are looked at
// only when somebody goes through them all.
type view struct {
	w      *wrapper
	undef  bool                   // it has the variables that are undef, too
	found  map[string]ruby.Object // what was asked for
	all    *ruby.Hash             // nil until all is needed
	opaque value.Value            // one of them that may be undef
}

// variables is scope.to_hash.
func (w *wrapper) variables(undef bool) ruby.Object {
	kept := &w.views[0]
	if undef {
		kept = &w.views[1]
	}
	if *kept == nil {
		*kept = &view{w: w, undef: undef}
	}
	return ruby.NewLazyHash(&ruby.Lazy{Get: (*kept).get, All: (*kept).whole})
}

// snapshot completes the views that templates hold, because variables are about to change.
func (w *wrapper) snapshot() {
	for i, v := range w.views {
		if v != nil {
			v.complete()
			w.views[i] = nil
		}
	}
}

// get finds one variable.
func (v *view) get(name string) (o ruby.Object, found, known bool) {
	p, ok := v.w.h.(Peeker)
	if !ok || v.all != nil || name == "" || name[0] < 'A' && name[0] != '_' || strings.Contains(name, "::") {
		return nil, false, false
	}
	val, ref, found := p.Peek(name)
	v.w.in.Read(ref)
	if !found || value.IsUndef(val) && !v.undef {
		return nil, false, true
	}
	if _, ok := val.(*value.Opaque); ok && !v.undef {
		return nil, false, false
	}
	if o = v.found[name]; o == nil {
		if v.found == nil {
			v.found = map[string]ruby.Object{}
		}
		o = v.w.in.FromValue(val, ref)
		v.found[name] = o
	}
	return o, true, true
}

// whole is all variables, for somebody who goes through them. Whether a variable that is unknown is undef, and so none
// of them, nobody knows.
func (v *view) whole() *ruby.Hash {
	v.complete()
	if v.opaque != nil {
		v.w.in.LookAt(v.opaque)
	}
	return v.all
}

// complete looks at all variables.
func (v *view) complete() *ruby.Hash {
	if v.all != nil {
		return v.all
	}
	v.all = ruby.NewHash()
	v.w.in.Lasting(func() {
		if m, ok := v.w.h.(interface{ Missing() provenance.Ref }); ok {
			v.w.in.Read(m.Missing())
		}
		v.w.h.Variables(func(name string, val value.Value, r provenance.Ref) {
			if value.IsUndef(val) && !v.undef {
				return
			}
			v.w.in.Read(r)
			if _, ok := val.(*value.Opaque); ok && !v.undef {
				v.opaque = val
			}
			o := v.found[name]
			if o == nil {
				o = v.w.in.FromValue(val, r)
			}
			v.all.Put(ruby.NewString(name), o)
		})
	})
	return v.all
}
