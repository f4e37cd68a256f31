package stdlib

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/ruby"
	"bunraku/puppet/value"
)

// randoms choose by a seed, by the node's name, or by chance.
func randoms() []old {
	return []old{
		{"seeded_rand", "A number below a maximum that depends on a seed only.", eval.Pure, 2, seededRand},
		{"fqdn_rand_string", "A text of random characters that depends on the node's fqdn and a seed only.", eval.Observer,
			-2, fqdnRandString},
		{"fqdn_rotate", "Rotates an array or string by a number that depends on the node's fqdn and a seed only.",
			eval.Observer, -1, fqdnRotate},
		{"fqdn_uuid", "The UUID (version 5) of a domain name.", eval.Pure, -1, fqdnUUID},
		{"shuffle",
			"Shuffles an array or string. In Puppet every compile gives another order; here it is always the same one.",
			eval.Observer, -1, shuffle},
		{"str2saltedsha512",
			"The salted SHA-512 sum of a password, for macOS. In Puppet the salt is random; here it depends on the password.",
			eval.Observer, -1, saltedSHA512},
	}
}

func seedOf(sum []byte) *big.Int { return new(big.Int).SetBytes(sum) }

func md5Seed(s string) *big.Int {
	sum := md5.Sum([]byte(s))
	return seedOf(sum[:])
}

func sha256Hex(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func seededRand(c *eval.Call) (value.Value, error) {
	most, err := positive(c, "seeded_rand(): first argument must be a positive integer")
	if err != nil {
		return nil, err
	}
	seed, is := c.Args[1].(value.String)
	if !is {
		return nil, argumentError("seeded_rand(): second argument must be a string")
	}
	return drawn(md5Seed(string(seed)), most)
}

// positive is the first argument as a number above zero.
func positive(c *eval.Call, otherwise string) (*big.Int, error) {
	if isInteger(c.Args[0]) {
		if n, err := toInt(c.Args[0]); err == nil && n.Sign() > 0 {
			return n, nil
		}
	}
	return nil, argumentError(otherwise)
}

func drawn(seed, most *big.Int) (value.Value, error) {
	if !most.IsInt64() {
		return functions.Integer(most) // only numbers outside of Puppet's range are above: an error
	}
	n, err := ruby.NewRandom(seed).Below(most.Int64())
	return value.Int(n), err
}

const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func fqdnRandString(c *eval.Call) (value.Value, error) {
	length, err := positive(c, "fqdn_rand_string(): first argument must be a positive integer")
	if err != nil {
		return nil, err
	}
	set := ""
	if len(c.Args) > 1 && !value.IsUndef(c.Args[1]) {
		s, is := c.Args[1].(value.String)
		if !is {
			return nil, argumentError("fqdn_rand_string(): second argument must be undef or a string")
		}
		set = string(s)
	}
	return fqdnString(c, length, set, c.Args[min(2, len(c.Args)):])
}

// maxRandomText bounds the length of random texts.
const maxRandomText = 1 << 16

func fqdnString(c *eval.Call, length *big.Int, set string, seeds []value.Value) (value.Value, error) {
	if length.Cmp(big.NewInt(maxRandomText)) > 0 {
		return nil, fmt.Errorf("%s(): a text of %s characters is too long", c.Name, length)
	}
	if set == "" {
		set = alphanumeric
	}
	chars := characters(set)
	var b strings.Builder
	for i := range int(length.Int64()) {
		seed := functions.RubyJoin(append(append([]value.Value(nil), seeds...), value.String(fmt.Sprint(i+1))), ":")
		d := of(c, "fqdn_rand", value.Int(len(chars)), value.String(seed))
		n, err := functions.FqdnRand(d)
		if err != nil {
			return nil, err
		}
		c.Ref = d.Ref
		b.WriteString(chars[n.(value.Int)])
	}
	c.Ref = functions.Computed(c, c.Ref, functions.Everything(c))
	return value.String(b.String()), nil
}

func fqdnRotate(c *eval.Call) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, given(c, "1")
	}
	switch c.Args[0].(type) {
	case *value.Array, value.String:
	default:
		return nil, parseErrorf("fqdn_rotate(): Requires either array or string to work with")
	}
	fqdn, ref, _ := variable(c, "::fqdn")
	return rotated(c, fqdn, ref, c.Args[1:])
}

func rotated(c *eval.Call, fqdn value.Value, ref provenance.Ref, seeds []value.Value) (value.Value, error) {
	c.Ref = functions.Computed(c, ref, functions.Everything(c))
	offset := func(n int) (int, error) {
		seed := functions.RubyJoin([]value.Value{fqdn, value.NewArray(seeds...)}, ":")
		v, err := drawn(md5Seed(seed), big.NewInt(int64(n)))
		if err != nil {
			return 0, err
		}
		return int(v.(value.Int)), nil
	}
	if s, is := c.Args[0].(value.String); is {
		chars := characters(string(s))
		if len(chars) <= 1 {
			return s, nil
		}
		n, err := offset(len(chars))
		return value.String(strings.Join(append(chars[n:len(chars):len(chars)], chars[:n]...), "")), err
	}
	a := c.Args[0].(*value.Array)
	if a.Len() <= 1 {
		return a, nil
	}
	n, err := offset(a.Len())
	if err != nil {
		return nil, err
	}
	b := value.NewArrayBuilder(a.Len())
	b.AddAll(a.Slice(n, a.Len()))
	b.AddAll(a.Slice(0, n))
	return b.Array(), nil
}

func fqdnUUID(c *eval.Call) (value.Value, error) {
	switch n := len(c.Args); {
	case n == 0:
		return nil, argumentError("fqdn_uuid: No arguments given")
	case n > 1:
		return nil, argumentError(fmt.Sprintf("fqdn_uuid: Too many arguments given (%d)", n))
	}
	s, is := c.Args[0].(value.String)
	if !is {
		return nil, noConversion(c.Args[0], "String")
	}
	dns := "\x6b\xa7\xb8\x10\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8" // RFC 4122's name space
	u := sha1.Sum([]byte(dns + string(s)))
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	return value.String(fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:16])), nil
}

func shuffle(c *eval.Call) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, given(c, "1")
	}
	var elems []value.Value
	var refs []provenance.Ref
	switch v := c.Args[0].(type) {
	case *value.Array:
		elems, refs = v.Elems, v.Refs
	case value.String:
		for _, ch := range characters(string(v)) {
			elems = append(elems, value.String(ch))
		}
	default:
		return nil, parseErrorf("shuffle(): Requires either array or string to work with")
	}
	c.Ref = randomly(c, "random numbers")
	out := &value.Array{Elems: append([]value.Value(nil), elems...), Refs: append([]provenance.Ref(nil), refs...)}
	r := ruby.NewRandom(md5Seed(inspect(c.Args[0])))
	for i := range elems {
		n, err := r.Below(int64(len(elems) - i))
		if err != nil {
			return nil, err
		}
		j := i + int(n)
		out.Elems[i], out.Elems[j] = out.Elems[j], out.Elems[i]
		if refs != nil {
			out.Refs[i], out.Refs[j] = out.Refs[j], out.Refs[i]
		}
	}
	if len(out.Refs) == 0 {
		out.Refs = nil
	}
	if _, is := c.Args[0].(value.String); is {
		return value.String(functions.RubyJoin(out.Elems, "")), nil
	}
	return out, nil
}

func saltedSHA512(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 1 {
		return nil, parseErrorf("str2saltedsha512(): Wrong number of arguments passed (%d but we require 1)", len(c.Args))
	}
	s, is := c.Args[0].(value.String)
	if !is {
		return nil, parseErrorf("str2saltedsha512(): Requires a String argument, you passed: %s", class(c.Args[0]))
	}
	c.Ref = randomly(c, "random numbers")
	n, err := ruby.NewRandom(md5Seed(string(s))).Below(1<<31 - 1)
	if err != nil {
		return nil, err
	}
	salt := binary.LittleEndian.AppendUint32(nil, uint32(n))
	sum := sha512.Sum512(append(append([]byte(nil), salt...), s...))
	return value.String(hex.EncodeToString(append(salt, sum[:]...))), nil
}

// ---- 4.x

const seededCharacters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func seededRandString(name string) *eval.Function {
	return new4(name, "A text of random characters that depends on a seed only.", eval.Pure,
		"Callable[Integer[1], String, String[2], 2, 3]", []string{"length", "seed", "charset"},
		func(c *eval.Call) (value.Value, error) {
			if c.Args[0].(value.Int) > maxRandomText {
				return nil, fmt.Errorf("%s(): a text of %d characters is too long", c.Name, c.Args[0])
			}
			chars := characters(seededCharacters)
			if len(c.Args) > 2 {
				chars = characters(text(c.Args[2]))
			}
			sum := sha256.Sum256([]byte(text(c.Args[1])))
			r := ruby.NewRandom(seedOf(sum[:]))
			var b strings.Builder
			for range int(c.Args[0].(value.Int)) {
				n, err := r.Below(int64(len(chars)))
				if err != nil {
					return nil, err
				}
				b.WriteString(chars[n])
			}
			return value.String(b.String()), nil
		})
}

// randoms9 are the random ones of 9.x.
func randoms9() []*eval.Function {
	return []*eval.Function{
		seededRandString("stdlib::seeded_rand_string"),
		new4("stdlib::seeded_rand", "A number below a maximum that depends on a seed only.", eval.Pure,
			"Callable[Integer[1], String]", []string{"max", "seed"}, func(c *eval.Call) (value.Value, error) {
				return drawn(md5Seed(text(c.Args[1])), big.NewInt(int64(c.Args[0].(value.Int))))
			}),
		new4("stdlib::fqdn_rand_string", "A text of random characters that depends on the node's fqdn and a seed only.",
			eval.Observer,
			"Callable[Integer[1], Optional[String], Any, 1]", []string{"length", "charset", "seed"},
			func(c *eval.Call) (value.Value, error) {
				return fqdnString(c, big.NewInt(int64(c.Args[0].(value.Int))), text(c.Arg(1)), c.Args[min(2, len(c.Args)):])
			}),
		{Name: "stdlib::fqdn_rotate",
			Doc: "Rotates an array or string by a number that depends on the node's fqdn and a seed only.", Flow: eval.Observer,
			Dispatches: []eval.Dispatch{
				{Signature: "Callable[[String, Variant[Integer, String], 1], String]", Names: []string{"input", "seeds"},
					Run: func(c *eval.Call) (value.Value, error) {
						return rotate9(c, value.NewArray(c.Args[1:]...))
					}},
				{Signature: "Callable[[Array, Variant[Integer, String], 1], Array]", Names: []string{"input", "seeds"},
					Run: func(c *eval.Call) (value.Value, error) { return rotate9(c, c.Args[1:]...) }},
			}},
	}
}

func rotate9(c *eval.Call, seeds ...value.Value) (value.Value, error) {
	fqdn, ref, err := factAt(c, "networking", "fqdn")
	if err != nil {
		return nil, err
	}
	return rotated(c, fqdn, ref, seeds)
}
