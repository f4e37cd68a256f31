package stdlib

import (
	"fmt"
	"math/big"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// conversions are the functions between booleans, numbers and texts.
func conversions() []old {
	return []old{
		{"any2bool", "Makes a boolean of anything: numbers above zero and texts such as yes are true.", eval.Pure, -1,
			any2bool},
		{"bool2num", "Makes 1 or 0 of a boolean or a text that stands for one.", eval.Pure, -1,
			func(c *eval.Call) (value.Value, error) {
				if len(c.Args) == 0 {
					return nil, given(c, "1")
				}
				yes, err := str2bool(c.Args[0])
				if err != nil {
					return nil, err
				}
				if yes {
					return value.Int(1), nil
				}
				return value.Int(0), nil
			}},
		{"bool2str", "Makes a text of a boolean: true and false, or two given ones.", eval.Pure, -1, bool2str},
		{"num2bool", "Reports whether a number is above zero.", eval.Pure, -1, num2bool},
		{"str2bool", "Makes a boolean of a text such as yes, 0 or true.", eval.Pure, -1,
			func(c *eval.Call) (value.Value, error) {
				if len(c.Args) == 0 {
					return nil, given(c, "1")
				}
				return bool1(str2bool(c.Args[0]))
			}},
		{"clamp", "The number in the middle of three.", eval.Pure, -2, clamp},
		{"convert_base", "Writes a number in another base.", eval.Pure, 2, convertBase},
		{"to_bytes", "Makes a number of bytes of a text such as 4 kB.", eval.Pure, -1, toBytes},
		{"type3x", "The name of a value's type as Puppet 3 had it.", eval.Pure, -1, type3x},
	}
}

var (
	emptyLine  = onigmo.MustCompile(`^$`)
	yesLine    = onigmo.MustCompile(`(?i:^(1|t|y|true|yes)$)`)
	noLine     = onigmo.MustCompile(`(?i:^(0|f|n|false|no)$)`)
	undefLine  = onigmo.MustCompile(`^(undef|undefined)$`)
	baseDigits = onigmo.MustCompile(`^[0-9]+$`)
	bytesText  = onigmo.MustCompile(`([0-9.e+-]*)\s*([^bB]?)`)
)

func str2bool(v value.Value) (bool, error) { return str2boolFor(v, "str2bool()") }

func str2boolFor(v value.Value, who string) (bool, error) {
	switch v := v.(type) {
	case value.Bool:
		return bool(v), nil
	case value.String:
		s := string(v)
		switch {
		case matches(emptyLine, s) || s == "":
			return false, nil
		case matches(yesLine, s):
			return true, nil
		case matches(noLine, s), matches(undefLine, s):
			return false, nil
		}
		return false, parseErrorf("%s: Unknown type of boolean given", who)
	}
	return false, parseErrorf("str2bool(): Requires string to work with")
}

func any2bool(c *eval.Call) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, given(c, "1")
	}
	switch v := c.Args[0].(type) {
	case value.Bool:
		return v, nil
	case value.Undef:
		return value.Bool(false), nil
	case value.Int, value.Float:
		return num2bool(of(c, "num2bool", v))
	case value.String:
		if _, err := value.ParseRubyFloat(string(v)); err == nil {
			return num2bool(of(c, "num2bool", v))
		}
		return bool1(str2bool(v))
	}
	return value.Bool(true), nil
}

func num2bool(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 1 {
		return nil, given(c, "1")
	}
	var f float64
	switch v := c.Args[0].(type) {
	case value.Int:
		return value.Bool(v > 0), nil
	case value.Float:
		f = float64(v)
	case value.String:
		var err error
		if f, err = value.ParseRubyFloat(string(v)); err != nil {
			return nil, parseErrorf("num2bool(): '%s' does not look like a number: invalid value for Float(): %s", v,
				inspectBytes(string(v)))
		}
	default:
		return value.Bool(functions.LeadingInt(text(v)).Sign() > 0), nil
	}
	if f >= 1 && f < 1e300 {
		return value.Bool(true), nil
	}
	n, err := functions.FloatToInt(f)
	if err != nil {
		if f > 1e300 || f < -1e300 {
			if f-f == 0 { // finite
				return value.Bool(f > 0), nil
			}
		}
		return nil, err
	}
	return value.Bool(n.(value.Int) > 0), nil
}

// inspectBytes is Ruby's inspect of a string whose encoding it has forgotten.
func inspectBytes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] < 0x80 {
			b.WriteString(s[i : i+1])
		} else {
			fmt.Fprintf(&b, "\x00%02X", s[i])
		}
	}
	return strings.ReplaceAll(inspect(value.String(b.String())), `\u0000`, `\x`)
}

func bool2str(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 1 && len(c.Args) != 3 {
		return nil, given(c, "3")
	}
	yes, no := value.Value(value.String("true")), value.Value(value.String("false"))
	if truthy(c, 1) {
		yes = c.Args[1]
	}
	if truthy(c, 2) {
		no = c.Args[2]
	}
	b, is := c.Args[0].(value.Bool)
	if !is {
		return nil, parseErrorf("bool2str(): Requires a boolean to work with")
	}
	_, x := yes.(value.String)
	_, y := no.(value.String)
	if !x || !y {
		return nil, parseErrorf("bool2str(): Requires strings to convert to")
	}
	if b {
		return yes, nil
	}
	return no, nil
}

func clamp(c *eval.Call) (value.Value, error) {
	list := value.Flatten(value.NewArray(c.Args...)).Elems
	if len(list) != 3 {
		return nil, parseErrorf("clamp(): Wrong number of arguments, need three to clamp")
	}
	for _, v := range list {
		switch v := v.(type) {
		case value.String:
			if !matches(digitLine, string(v)) {
				return nil, parseErrorf("clamp(): Required explicit numeric (%s:String)", v)
			}
		case *value.Hash:
			return nil, parseErrorf("clamp(): The Hash type is not allowed (%s)", text(v))
		}
	}
	var ns [3]*big.Int
	for i, v := range list {
		n, err := toInt(v)
		if err != nil {
			return nil, err
		}
		ns[i] = n
	}
	if ns[0].Cmp(ns[1]) > 0 {
		ns[0], ns[1] = ns[1], ns[0]
	}
	if ns[1].Cmp(ns[2]) > 0 {
		ns[1] = ns[2]
	}
	if ns[0].Cmp(ns[1]) > 0 {
		ns[1] = ns[0]
	}
	return functions.Integer(ns[1])
}

// toInt is Ruby's to_i.
func toInt(v value.Value) (*big.Int, error) {
	switch v := v.(type) {
	case value.Int:
		return big.NewInt(int64(v)), nil
	case value.Float:
		return floatInt(float64(v))
	case value.String:
		return functions.LeadingInt(string(v)), nil
	case value.Undef:
		return new(big.Int), nil
	case value.Timespan, value.Timestamp:
		return seconds(v), nil
	}
	return nil, noMethod("to_i", v)
}

// seconds is what Ruby makes of a time as a number.
func seconds(v value.Value) *big.Int {
	if t, is := v.(value.Timestamp); is {
		return big.NewInt(t.Sec)
	}
	return big.NewInt(v.(value.Timespan).Seconds())
}

func floatInt(f float64) (*big.Int, error) {
	if f-f != 0 {
		return nil, fmt.Errorf("%s", value.FormatFloat(f))
	}
	n, _ := big.NewFloat(f).Int(nil)
	return n, nil
}

// strictInt is Ruby's Integer(v).
func strictInt(v value.Value) (*big.Int, error) {
	switch v := v.(type) {
	case value.Int:
		return big.NewInt(int64(v)), nil
	case value.Float:
		return floatInt(float64(v))
	case value.String:
		n, err := value.ParseRubyInt(string(v), 0)
		if err != nil {
			return nil, argumentError(err.Error())
		}
		return n, nil
	case value.Undef:
		return nil, fmt.Errorf("can't convert nil into Integer")
	case value.Timespan, value.Timestamp:
		return seconds(v), nil
	}
	return nil, fmt.Errorf("can't convert %s into Integer", rubyName(v))
}

func convertBase(c *eval.Call) (value.Value, error) {
	for i, v := range c.Args {
		switch v.(type) {
		case value.Int, value.String:
		default:
			return nil, parseErrorf("convert_base(): %s argument must be either a string or an integer",
				[...]string{"First", "Second"}[i])
		}
	}
	for _, v := range c.Args {
		if s, is := v.(value.String); is && !matches(baseDigits, string(s)) {
			return nil,
				parseErrorf("convert_base(): First argument must be an integer or a string corresponding to an integer in base 10")
		}
	}
	n, err := toInt(c.Args[0])
	if err != nil {
		return nil, err
	}
	base, err := toInt(c.Args[1])
	if err != nil {
		return nil, err
	}
	if base.Cmp(big.NewInt(2)) < 0 || base.Cmp(big.NewInt(36)) > 0 {
		return nil, parseErrorf("convert_base(): base must be at least 2 and must not be greater than 36")
	}
	return value.String(n.Text(int(base.Int64()))), nil
}

func toBytes(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 1 {
		return nil, given(c, "1")
	}
	s, is := symbolOrString(c.Args[0])
	if !is {
		switch v := c.Args[0].(type) {
		case value.Int, value.Float:
			return v, nil
		}
		return nil, noConversion(c.Args[0], "String")
	}
	m := groups(bytesText, s)
	f := functions.LeadingFloat(m[1])
	if m[2] == "" {
		return functions.FloatToInt(f)
	}
	power := strings.Index("kMGTPE", m[2])
	if power < 0 {
		return nil, parseErrorf("to_bytes(): Unknown prefix %s", m[2])
	}
	return functions.FloatToInt(f * float64(uint64(1)<<(10*(power+1))))
}

func type3x(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 1 {
		return nil, given(c, "1")
	}
	name := ""
	switch v := c.Args[0].(type) {
	case value.Bool:
		name = "boolean"
	case *value.Array:
		name = "array"
	case *value.Hash:
		name = "hash"
	case value.Int:
		name = "integer"
	case value.Float:
		name = "float"
	case value.String:
		switch s := string(v); {
		case s == functions.LeadingInt(s).String():
			name = "integer"
		case s == value.FormatFloat(functions.LeadingFloat(s)):
			name = "float"
		default:
			name = "string"
		}
	default:
		return nil, parseErrorf("type3x(): Unknown type")
	}
	return value.String(name), nil
}
