package functions

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/ruby"
	"bunraku/puppet/value"
)

// digestFunctions compute check sums, and numbers that look random but are a node's own.
func digestFunctions() []*eval.Function {
	sum := func(name, doc string, sum func([]byte) []byte) *eval.Function {
		return legacy(name, doc, eval.Pure, 1, func(c *eval.Call) (value.Value, error) {
			s, is := c.Args[0].(value.String)
			if !is {
				return nil, noConversion(c.Args[0], "String")
			}
			return value.String(hex.EncodeToString(sum([]byte(s)))), nil
		})
	}
	sha := func(b []byte) []byte { s := sha256.Sum256(b); return s[:] }
	return []*eval.Function{
		sum("md5", "The MD5 sum of a string, in hexadecimal.", func(b []byte) []byte { s := md5.Sum(b); return s[:] }),
		sum("sha1", "The SHA-1 sum of a string, in hexadecimal.", func(b []byte) []byte { s := sha1.Sum(b); return s[:] }),
		sum("sha256", "The SHA-256 sum of a string, in hexadecimal.", sha),
		sum("digest",
			"The sum of a string by the algorithm of the setting digest_algorithm; here always its default, SHA-256.", sha),
		legacy("fqdn_rand",
			"A number below a maximum that depends on the node's fqdn and a seed only: the same in every compile.",
			eval.Observer, -2, fqdnRand),
	}
}

// fqdnRand seeds Ruby's generator with the MD5 of fqdn, maximum and seed.
func fqdnRand(c *eval.Call) (value.Value, error) {
	most, err := toInt(c.Args[0])
	if err != nil {
		return nil, err
	}
	facts, ref, _ := c.Scope.Variable("facts")
	h, is := facts.(*value.Hash)
	if !is {
		return nil, noMethod("dig", facts)
	}
	var fqdn value.Value = value.Undef{}
	if e := h.EntryString("networking"); e != nil {
		ref = c.Trace().With(e.Ref, ref)
		switch n := e.Value.(type) {
		case *value.Hash:
			if e := n.EntryString("fqdn"); e != nil {
				fqdn, ref = e.Value, c.Trace().With(e.Ref, ref)
			}
		case value.Undef:
		default:
			return nil, noConversion(e.Value, "Integer") // as close as it matters: a fact that is no hash
		}
	}
	if len(c.Args) > 2 && value.Truthy(c.Args[2]) {
		s, is := fqdn.(value.String)
		if !is {
			return nil, noMethod("downcase", fqdn)
		}
		fqdn = value.String(value.Downcase(string(s)))
	}
	parts := []value.Value{fqdn, most}
	if len(c.Args) > 1 {
		parts = append(parts, c.Args[1])
	} else {
		parts = append(parts, value.Undef{})
	}
	c.Ref = computed(c, ref, everything(c))
	sum := md5.Sum([]byte(joinRuby(parts, ":")))
	n, err := ruby.NewRandom(new(big.Int).SetBytes(sum[:])).Below(int64(most))
	return value.Int(n), err
}

// toInt is Ruby's to_i on what a 3.x function may be given.
func toInt(v value.Value) (value.Int, error) {
	switch v := v.(type) {
	case value.Int:
		return v, nil
	case value.Float:
		n, err := floatToInt(float64(v))
		if err != nil {
			return 0, err
		}
		return n.(value.Int), nil
	case value.String:
		n, err := outOfRange(leadingInt(strings.TrimLeft(string(v), " \t\n\v\f\r")))
		if err != nil {
			return 0, err
		}
		return n.(value.Int), nil
	case value.Undef:
		return 0, nil
	}
	return 0, noMethod("to_i", v)
}
