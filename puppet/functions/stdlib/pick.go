package stdlib

import (
	"errors"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// pick depends on what it passed over and on what it took.
func pick(c *eval.Call) (value.Value, error) {
	for i, v := range c.Args {
		if !value.IsUndef(v) && v != value.Value(value.String("")) {
			if text(v) == "" {
				break
			}
			c.Ref = chosen(c, i)
			return v, nil
		}
	}
	return nil, parseErrorf("pick(): must receive at least one non empty value")
}

func chosen(c *eval.Call, i int) provenance.Ref {
	if i >= len(c.Refs) {
		return 0
	}
	return c.Trace().With(c.Refs[i], c.Refs[:i]...)
}

func pickDefault(c *eval.Call) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("Must receive at least one argument.")
	}
	last := len(c.Args) - 1
	for i, v := range c.Args[:last] {
		if !value.IsUndef(v) && v != value.Value(value.String("")) {
			c.Ref = chosen(c, i)
			return v, nil
		}
	}
	c.Ref = chosen(c, last)
	return c.Args[last], nil
}
