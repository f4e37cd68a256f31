package functions

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// numberFunctions compute with numbers and compare scalars.
func numberFunctions(l source.Language) []*eval.Function {
	val := []string{"val"}
	return []*eval.Function{
		{Name: "abs", Doc: "The absolute value of a number.", Dispatches: []eval.Dispatch{
			{Signature: "Callable[Numeric]", Names: val,
				Run: func(c *eval.Call) (value.Value, error) { return absolute(c.Args[0]) }},
			{Signature: "Callable[String]", Names: val, Run: absoluteText},
		}},
		rounding("ceiling", "The least integer that is not less than a number.", math.Ceil),
		rounding("floor", "The greatest integer that is not greater than a number.", math.Floor),
		{Name: "round", Doc: "The integer nearest to a number; halves go away from zero.", Dispatches: []eval.Dispatch{
			{Signature: "Callable[Numeric]", Names: val, Run: round},
		}},
		extreme("max", "The greatest of its arguments, or of the elements of an array; a block may compare them.", 1, l),
		extreme("min", "The least of its arguments, or of the elements of an array; a block may compare them.", -1, l),
		compareFunction(),
		{Name: "versioncmp", Doc: "Compares two version numbers: -1, 0 or 1.", Dispatches: []eval.Dispatch{
			{Signature: "Callable[String, String, Boolean, 2, 3]", Names: []string{"a", "b", "ignore_trailing_zeroes"},
				Run: func(c *eval.Call) (value.Value, error) {
					return versionCompare(string(c.Args[0].(value.String)), string(c.Args[1].(value.String)), value.Truthy(c.Arg(2)))
				}},
		}},
	}
}

func absolute(v value.Value) (value.Value, error) {
	switch v := v.(type) {
	case value.Int:
		if v == math.MinInt64 {
			return outOfRange(new(big.Int).Neg(big.NewInt(math.MinInt64)))
		}
		return max(v, -v), nil
	case value.Float:
		return value.Float(math.Abs(float64(v))), nil
	}
	return v, nil
}

// outOfRange is the error of a result that is no Puppet integer.
func outOfRange(n *big.Int) (value.Value, error) {
	if n.IsInt64() {
		return value.Int(n.Int64()), nil
	}
	end := "max"
	if n.Sign() < 0 {
		end = "min"
	}
	return nil, fmt.Errorf("Use of a Ruby Integer outside of Puppet Integer %s range, got '0x%x'", end, n)
}

var (
	decimalLine = regexp.MustCompile(`(?m)^-?(?:\d+)(?:\.\d+){1}$`)
	integerLine = regexp.MustCompile(`(?m)^-?\d+$`)
)

// coerces warns that a function made a number, or a text, of what it was given.
func coerces(c *eval.Call, from, to, instead string) {
	c.Warn("W0613",
		fmt.Sprintf("The %s() function's auto conversion of %s to %s is deprecated - change to convert input before "+
			"calling%s", c.Name, from, to, instead))
}

func absoluteText(c *eval.Call) (value.Value, error) {
	coerces(c, "String", "Numeric", "")
	s := string(c.Args[0].(value.String))
	switch {
	case decimalLine.MatchString(s):
		return value.Float(math.Abs(leadingFloat(s))), nil
	case integerLine.MatchString(s):
		n := leadingInt(s)
		return outOfRange(n.Abs(n))
	}
	return nil, errors.New("abs(): Requires float or integer to work with - was given non decimal string")
}

var (
	intPrefix   = regexp.MustCompile(`^[\s\v]*([-+]?\d+(?:_\d+)*)`)
	floatPrefix = regexp.MustCompile(`^[\s\v]*([-+]?\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?(?:[eE][-+]?\d+(?:_\d+)*)?)`)
)

// leadingInt is Ruby's String#to_i: the number that a text begins with.
func leadingInt(s string) *big.Int {
	n := new(big.Int)
	if m := intPrefix.FindStringSubmatch(s); m != nil {
		n.SetString(strings.TrimPrefix(strings.ReplaceAll(m[1], "_", ""), "+"), 10)
	}
	return n
}

// leadingFloat is Ruby's String#to_f.
func leadingFloat(s string) float64 {
	m := floatPrefix.FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	f, _ := strconv.ParseFloat(strings.ReplaceAll(m[1], "_", ""), 64)
	return f
}

func rounding(name, doc string, f func(float64) float64) *eval.Function {
	return &eval.Function{Name: name, Doc: doc, Dispatches: []eval.Dispatch{
		{Signature: "Callable[Numeric]", Names: []string{"val"}, Run: func(c *eval.Call) (value.Value, error) {
			if v, is := c.Args[0].(value.Float); is {
				return floatToInt(f(float64(v)))
			}
			return c.Args[0], nil
		}},
		{Signature: "Callable[String]", Names: []string{"val"}, Run: func(c *eval.Call) (value.Value, error) {
			coerces(c, "String", "Float", "")
			v, err := value.ParseRubyFloat(string(c.Args[0].(value.String)))
			if err != nil {
				return nil, errors.New(name + "(): cannot convert given value to a floating point value.")
			}
			return floatToInt(f(v))
		}},
	}}
}

func floatToInt(f float64) (value.Value, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, errors.New(value.FormatFloat(f))
	}
	n, _ := big.NewFloat(f).Int(nil)
	return outOfRange(n)
}

func round(c *eval.Call) (value.Value, error) {
	var f float64
	switch v := c.Args[0].(type) {
	case value.Int:
		f = float64(v)
	case value.Float:
		f = float64(v)
	}
	if f > 0 {
		return floatToInt(math.Trunc(f + 0.5))
	}
	return floatToInt(math.Trunc(f - 0.5))
}

// ---- max and min

// A comparison orders two values on behalf of a call.
type comparison func(c *eval.Call, a, b value.Value) (int, error)

// extreme makes max (sign 1) or min (sign -1). Puppet 8 compares versions, spans and points of time by what they are; 7
// by their texts.
func extreme(name, doc string, sign int, l source.Language) *eval.Function {
	values := []string{"values"}
	// pick is the winner by a comparison. The first of equals stays. The value is a copy, and everything given had a say.
	pick := func(c *eval.Call, list []value.Value, refs []provenance.Ref, cmp comparison) (value.Value, error) {
		best := 0
		for i, v := range list {
			if i == 0 {
				continue
			}
			o, err := cmp(c, v, list[best])
			if err != nil {
				return nil, err
			}
			if o*sign > 0 {
				best = i
			}
		}
		if len(list) == 0 {
			return value.Undef{}, nil
		}
		if best < len(refs) {
			c.Ref = c.Trace().With(refs[best], everything(c))
		}
		return list[best], nil
	}
	plain := func(c *eval.Call, list []value.Value, refs []provenance.Ref, cmp comparison) (value.Value, error) {
		if len(list) == 0 {
			return nil, errors.New(name + "(): Wrong number of arguments need at least one")
		}
		return pick(c, list, refs, cmp)
	}
	one := func(cmp comparison) func(*eval.Call) (value.Value, error) {
		return func(c *eval.Call) (value.Value, error) {
			list := c.Args[0].(*value.Array)
			if c.Block != nil {
				return pick(c, list.Elems, list.Refs, byBlock)
			}
			return plain(c, list.Elems, list.Refs, cmp)
		}
	}
	all := func(cmp comparison) func(*eval.Call) (value.Value, error) {
		return func(c *eval.Call) (value.Value, error) { return plain(c, c.Args, c.Refs, cmp) }
	}
	f := &eval.Function{Name: name, Doc: doc}
	add := func(signature string, run func(*eval.Call) (value.Value, error)) {
		f.Dispatches = append(f.Dispatches, eval.Dispatch{Signature: signature, Names: values, Run: run})
	}
	var measured []string
	if l.Eight() {
		measured = []string{"SemVer", "Timespan", "Timestamp"}
	}
	add("Callable[Numeric, 0]", all(byNumber))
	add("Callable[String, 0]", all(byText))
	for _, t := range measured {
		add("Callable["+t+", 0]", all(byValue))
	}
	add("Callable[Array[Numeric], Optional[Callable[2, 2]]]", one(byNumber))
	for _, t := range measured {
		add("Callable[Array["+t+"], Optional[Callable[2, 2]]]", one(byValue))
	}
	add("Callable[Array[String], Optional[Callable[2, 2]]]", one(byText))
	add("Callable[Array, Optional[Callable[2, 2]]]", one(byText))
	add("Callable[Any, 0, Callable[2, 2]]", func(c *eval.Call) (value.Value,
		error) {
		return pick(c, c.Args, c.Refs, byBlock)
	})
	add("Callable[Any, 0]", all(byText))
	return f
}

// byValue compares as the operators do.
func byValue(_ *eval.Call, a, b value.Value) (int, error) { return value.Compare(a, b) }

func byNumber(_ *eval.Call, a, b value.Value) (int, error) {
	o, ok := rubyCompare(a, b)
	if !ok {
		return 0, notComparable(a, b)
	}
	return o, nil
}

var numberText = regexp.MustCompile(`\A-?\d+([._eE]\d+)?\z`)

// byText compares texts, those that look like numbers as numbers.
func byText(c *eval.Call, a, b value.Value) (int, error) {
	s, t := rubyString(a), rubyString(b)
	if numberText.MatchString(s) && numberText.MatchString(t) {
		coerces(c, "String", "Numeric", ", or use lambda")
		return compare(value.Float(leadingFloat(s)), value.Float(leadingFloat(t))), nil
	}
	if !isText(a) || !isText(b) {
		coerces(c, "Any", "String", ", or use lambda")
	}
	return strings.Compare(s, t), nil
}

func isText(v value.Value) bool {
	_, is := v.(value.String)
	return is
}

// byBlock compares as the block of a call does.
func byBlock(c *eval.Call, a, b value.Value) (int, error) {
	v, err := c.Block.Call([]value.Value{a, b}, nil)
	if err != nil {
		return 0, err
	}
	return verdict(v, a, b)
}

// ---- compare

func compareFunction() *eval.Function {
	ab := []string{"a", "b"}
	order := func(c *eval.Call) (value.Value, error) {
		o, err := value.Compare(c.Args[0], c.Args[1])
		return value.Int(o), err
	}
	return withLocals("compare",
		"Compares two values: -1, 0 or 1. Strings are compared without regard to case unless told otherwise.", eval.Pure,
		[]local{{"TimeComparable", "Variant[Numeric, Timespan, Timestamp]"},
			{"Comparable", "Variant[String, SemVer, TimeComparable]"}},
		form{signature: "Callable[Numeric, Numeric]", names: ab, run: order},
		form{signature: "Callable[String, String, Boolean, 2, 3]", names: []string{"a", "b", "ignore_case"},
			run: func(c *eval.Call) (value.Value, error) {
				if len(c.Args) == 3 && c.Args[2] == value.Bool(false) {
					return value.Int(strings.Compare(string(c.Args[0].(value.String)), string(c.Args[1].(value.String)))), nil
				}
				return order(c)
			}},
		form{signature: "Callable[SemVer, SemVer]", names: ab, run: order},
		form{signature: "Callable[Numeric, Variant[Timespan, Timestamp]]", names: ab, run: order},
		form{signature: "Callable[Timestamp, Variant[Timestamp, Numeric]]", names: ab, run: order},
		form{signature: "Callable[Timespan, Variant[Timespan, Numeric]]", names: ab, run: order},
		form{signature: "Callable[Comparable, Comparable, Any, 2]", names: []string{"a", "b", "ignore_case"},
			mismatch: compareMismatch},
		form{signature: "Callable[Any, Any, Any, 2]", names: []string{"a", "b", "ignore_case"},
			mismatch: func(c *eval.Call) string {
				return fmt.Sprintf("compare(): Non comparable type. Only values of the types Numeric, String, Semver, Timestamp "+
					"and Timestamp can be compared. Got %s and %s",
					types.Label(c.Args[0]), types.Label(c.Args[1]))
			}},
	)
}

func compareMismatch(c *eval.Call) string {
	a, b := c.Args[0], c.Args[1]
	_, text := a.(value.String)
	_, texts := b.(value.String)
	if n := len(c.Args); n > 2 {
		switch {
		case !text || !texts:
			return "compare(): The third argument (ignore case) can only be used when comparing strings"
		case n > 3:
			return fmt.Sprintf("compare(): Accepts at most 3 arguments, got %d", n)
		}
		if _, is := c.Args[2].(value.Bool); !is {
			return "compare(): The third argument (ignore case) must be a Boolean. Got " + types.Label(c.Args[2])
		}
	}
	if rubyClass(a) != rubyClass(b) {
		return fmt.Sprintf("compare(): Can only compare values of the same type (or for Timestamp/Timespan also against "+
			"Numeric). Got %s and %s", types.Label(a), types.Label(b))
	}
	return ""
}

// ---- versions

// versionCompare is the function versioncmp.
func versionCompare(a, b string, ignoreZeroes bool) (value.Value, error) {
	if ignoreZeroes {
		var err error
		if a, err = withoutZeroes(a); err != nil {
			return nil, err
		}
		if b, err = withoutZeroes(b); err != nil {
			return nil, err
		}
	}
	return value.Int(value.VersionCompare(a, b)), nil
}

var trailingZeroes = regexp.MustCompile(`(?m)([\.0]+)$`)

// withoutZeroes drops dots and zeroes at the end of the part before the first minus.
func withoutZeroes(version string) (string, error) {
	parts := splitText(version, "-")
	if len(parts) == 0 {
		return "", noMethod("sub!", value.Undef{})
	}
	if loc := trailingZeroes.FindStringIndex(parts[0]); loc != nil {
		parts[0] = parts[0][:loc[0]] + parts[0][loc[1]:]
	}
	return strings.Join(parts, "-"), nil
}

// splitText is Ruby's split by a string: empty parts at the end are dropped.
func splitText(s, sep string) []string {
	if s == "" {
		return nil
	}
	parts := strings.Split(s, sep)
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}
