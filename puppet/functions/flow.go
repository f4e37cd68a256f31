package functions

import (
	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// How provenance goes through functions that do more than compute one value from all arguments.

// wholly is argument i with everything in it.
func wholly(c *eval.Call, i int) provenance.Ref {
	if in, is := c.Arg(i).(provenance.Contents); is {
		return c.Trace().Deep(c.ArgRef(i), in)
	}
	return c.ArgRef(i)
}

// everything is all arguments with everything in them.
func everything(c *eval.Call) provenance.Ref {
	if c.Trace() == nil {
		return 0
	}
	all := make([]provenance.Ref, len(c.Args))
	for i := range all {
		all[i] = wholly(c, i)
	}
	return c.Trace().Join(all...)
}

// computed is a value that a function made of others.
func computed(c *eval.Call, from ...provenance.Ref) provenance.Ref {
	if c.Trace() == nil {
		return 0
	}
	return c.Trace().Call(c.Name, from...)
}

// elements walks what is iterable in a value: each element with its own provenance.
func elements(v value.Value, f func(value.Value, provenance.Ref) error) error {
	if a, is := v.(*value.Array); is {
		for i, e := range a.Elems {
			if err := f(e, a.Ref(i)); err != nil {
				return err
			}
		}
		return nil
	}
	it := types.IterableOn(v)
	if it == nil {
		return nil
	}
	for e := range it.Seq {
		if err := f(e, 0); err != nil {
			return err
		}
	}
	return nil
}
