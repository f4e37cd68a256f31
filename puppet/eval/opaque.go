package eval

import (
	"fmt"
	"slices"

	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// An opaque value stands for one that could not be computed: a function written in Ruby, a secret without its key. What is made of it
// is opaque too; what would be decided by it is said to be undecided. Nothing is guessed in silence.

// opaque is the first opaque value among some.
func opaque(vs ...value.Value) *value.Opaque {
	for _, v := range vs {
		if o, ok := v.(*value.Opaque); ok {
			return o
		}
	}
	return nil
}

// undecided reports a decision that hangs on an opaque value; the code goes on as if it were false, or nothing had matched.
func (ev *Evaluator) undecided(v value.Value, e syntax.Expr) bool {
	o := opaque(v)
	if o == nil {
		return false
	}
	ev.warn("E0701", e.Span(), "This decision hangs on a value that is not known: "+o.Why)
	return true
}

// notDone reports an effect that could not be had because an argument is opaque.
func (ev *Evaluator) notDone(name string, o *value.Opaque, at source.Place) {
	key := "E0702" + at.String() + name
	if ev.warned[key] {
		return
	}
	ev.warned[key] = true
	ev.warnings = append(ev.warnings, &source.Diagnostic{Code: "E0702", Severity: source.Warning, Place: at,
		Summary: fmt.Sprintf("%s was left out, because its argument is not known: %s", name, o.Why)})
}

// An Unknown is a value that could not be computed.
type Unknown struct {
	Why        string
	Function   string       // whose result it is; "" for one that comes from data
	Place      source.Place // of the call
	Attributes int          // of the catalog, in which it is, or a part of it

	value *value.Opaque
}

// unknown notes the result of a function that could not be computed. One that was handed on is no news.
func (ev *Evaluator) unknown(o *value.Opaque, function string, at source.Place) {
	for _, u := range ev.unknowns {
		if u.value == o || u.Function == function && u.Place == at && u.Why == o.Why {
			return
		}
	}
	ev.unknowns = append(ev.unknowns, &Unknown{Why: o.Why, Function: function, Place: at, value: o})
}

// Unknowns are the values that a compile could not compute: those that functions gave, in the order of the calls, and those of the
// catalog's that come from data.
func (res *Result) Unknowns() []Unknown {
	var all []*Unknown
	for _, u := range res.unknowns {
		n := *u
		all = append(all, &n)
	}
	if res.Catalog != nil {
		for _, r := range res.Catalog.Resources {
			for _, p := range r.Params {
				for _, o := range opaquesIn(p.Value, nil) {
					at := slices.IndexFunc(all, func(u *Unknown) bool { return u.value == o || u.Why == o.Why })
					if at < 0 {
						at = len(all)
						all = append(all, &Unknown{Why: o.Why, value: o})
					}
					all[at].Attributes++
				}
			}
		}
	}
	out := make([]Unknown, len(all))
	for i, u := range all {
		out[i] = *u
	}
	return out
}

// opaquesIn are the different opaque values in a value.
func opaquesIn(v value.Value, found []*value.Opaque) []*value.Opaque {
	switch v := v.(type) {
	case *value.Opaque:
		if !slices.Contains(found, v) {
			found = append(found, v)
		}
	case *value.Array:
		for _, e := range v.Elems {
			found = opaquesIn(e, found)
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			found = opaquesIn(e.Value, opaquesIn(e.Key, found))
		}
	case *value.Sensitive:
		return opaquesIn(v.Value, found)
	}
	return found
}
