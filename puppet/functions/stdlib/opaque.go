package stdlib

import (
	"slices"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// carriers only move elements about, so that a value in them that could not be computed does no harm.
const carriers = ` any2array concat deep_merge delete_undef_values dig44 has_key hash merge pick pick_default reverse stdlib::merge stdlib::nested_values union
 validate_array validate_hash values_at zip `

// guarded completes a record. It says what the function does to the catalog (does), and makes the function answer with
// the value that could not be computed, when it is given one within an array or hash: what is unknown stays unknown,
// and says why. One that is an argument itself never gets here.
func guarded(f *eval.Function) *eval.Function {
	f.Does, f.Seeks = does[f.Name], seeks[f.Name]
	deep := !slices.Contains(strings.Fields(carriers), f.Name)
	guard := func(r func(*eval.Call) (value.Value, error)) func(*eval.Call) (value.Value, error) {
		if r == nil {
			return nil
		}
		return func(c *eval.Call) (value.Value, error) {
			for _, a := range c.Args {
				if o := opaque(a, deep); o != nil {
					if f.Flow == statement && !o.Absent {
						c.Warn("W0654", f.Name+"(): nothing was done, since an argument is not known: "+o.Why)
					}
					return o, nil
				}
			}
			return r(c)
		}
	}
	f.Raw = guard(f.Raw)
	for i := range f.Dispatches {
		f.Dispatches[i].Run = guard(f.Dispatches[i].Run)
	}
	return f
}

func opaque(v value.Value, deep bool) *value.Opaque {
	switch v := v.(type) {
	case *value.Opaque:
		return v
	case *value.Array:
		if deep {
			for _, e := range v.Elems {
				if o := opaque(e, true); o != nil {
					return o
				}
			}
		}
	case *value.Hash:
		if deep {
			for _, e := range v.Entries() {
				if o := opaque(e.Value, true); o != nil {
					return o
				}
			}
		}
	case *value.Sensitive:
		return opaque(v.Value, deep)
	}
	return nil
}
