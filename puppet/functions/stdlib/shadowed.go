package stdlib

import (
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// Function3x is a 3.x function of stdlib 8.5 as templates call it, scope.function_name([…]), with arguments as they
// are. It is nil for a name that stdlib has no 3.x function of.
func Function3x(name string) *eval.Function {
	o, known := old3x(name)
	if !known {
		return nil
	}
	return &eval.Function{Name: name, Doc: o.doc, Flow: o.flow, Raw: func(c *eval.Call) (value.Value, error) {
		v, err := o.run(c)
		if err != nil || o.flow == statement {
			return value.Undef{}, err
		}
		return value.OrUndef(v), nil
	}}
}

const blanks = "\t\n\v\f\r \x00"

// shadowed are the 3.x functions of stdlib 8.5 before which Puppet code finds a newer one of the same name. Templates
// that call scope.function_name, and validate_legacy, get these.
func shadowed() []old {
	none := "%s(): Requires either array or string to work with"
	change := func(name, doc string, f func(string) string) old {
		return eachOf(name, doc, parseErrorf(none, name), f)
	}
	return []old{
		{"abs", "The absolute value of a number or of a text that is one.", eval.Pure, -1, abs3},
		{"camelcase", "Writes words_with_underscores as WordsWithUnderscores.", eval.Pure, -1,
			change("camelcase", "", func(s string) string {
				parts := functions.SplitText(s, "_")
				for i, p := range parts {
					parts[i] = value.Capitalize(p)
				}
				return strings.Join(parts, "")
			}).run},
		change("capitalize", "Makes the first letter upper case and all others lower case.", value.Capitalize),
		change("chomp", "Drops one line end.", func(s string) string {
			if t, cut := strings.CutSuffix(s, "\n"); cut {
				return strings.TrimSuffix(t, "\r")
			}
			return strings.TrimSuffix(s, "\r")
		}),
		eachOf("chop", "Drops the last character.", parseErrorf("chop(): Requires either an array or string to work with"),
			func(s string) string {
				if t, cut := strings.CutSuffix(s, "\r\n"); cut {
					return t
				}
				_, n := utf8.DecodeLastRuneInString(s)
				return s[:len(s)-n]
			}),
		change("downcase", "Makes all letters lower case.", value.Downcase),
		change("lstrip", "Drops blanks from the beginning.", func(s string) string { return strings.TrimLeft(s, blanks) }),
		change("rstrip", "Drops blanks from the end.", func(s string) string { return strings.TrimRight(s, blanks) }),
		change("strip", "Drops blanks from both ends.", func(s string) string { return strings.Trim(s, blanks) }),
		{"ceiling", "The next integer above a number.", eval.Pure, -1,
			func(c *eval.Call) (value.Value, error) { return rounded3(c, math.Ceil) }},
		{"floor", "The next integer below a number.", eval.Pure, -1,
			func(c *eval.Call) (value.Value, error) { return rounded3(c, math.Floor) }},
		{"round", "The integer nearest to a number.", eval.Pure, -1, round3},
		{"empty", "Reports whether a text or container is empty.", eval.Pure, -1, empty3},
		{"flatten", "Dissolves nested arrays.", eval.Pure, -1, func(c *eval.Call) (value.Value, error) {
			if len(c.Args) != 1 {
				return nil, given(c, "1")
			}
			a, is := c.Args[0].(*value.Array)
			if !is {
				return nil, parseErrorf("flatten(): Requires array to work with")
			}
			return value.Flatten(a), nil
		}},
		{"join", "Joins the elements of an array.", eval.Pure, -1, join3},
		{"keys", "The keys of a hash.", eval.Pure, -1,
			func(c *eval.Call) (value.Value, error) { return column3(c, (*value.Hash).Keys) }},
		{"values", "The values of a hash.", eval.Pure, -1,
			func(c *eval.Call) (value.Value, error) { return column3(c, (*value.Hash).Values) }},
		{"max", "The largest argument.", eval.Pure, -1, func(c *eval.Call) (value.Value, error) { return extreme3(c, 1) }},
		{"min", "The smallest argument.", eval.Pure, -1, func(c *eval.Call) (value.Value, error) { return extreme3(c, -1) }},
		{"size", "The length of a text or container.", eval.Pure, -1, size3},
		{"sort", "Sorts an array, or the characters of a text.", eval.Pure, -1, sort3},
		{"unique", "Each element, or character, once.", eval.Pure, -1, unique3},
		{"upcase", "Makes all letters upper case, in nested arrays and hashes too.", eval.Pure, -1, upcase3},
		{"merge", "Merges hashes; the last value wins.", eval.Pure, -1, merge3},
		{"dig", "An old name of dig44.", eval.Pure, -1,
			func(c *eval.Call) (value.Value, error) { return dig44(of(c, "dig44", c.Args...)) }},
		{"type", "An old name of type3x.", eval.Pure, -1,
			func(c *eval.Call) (value.Value, error) { return type3x(of(c, "type3x", c.Args...)) }},
		{"getvar", "The value of a variable by name.", eval.Observer, -1, func(c *eval.Call) (value.Value, error) {
			if len(c.Args) != 1 {
				return nil, parseErrorf("getvar(): wrong number of arguments (%d; must be 1)", len(c.Args))
			}
			v, r, _ := variable(c, text(c.Args[0]))
			c.Ref = c.Trace().With(r, functions.Everything(c))
			return v, nil
		}},
		{"deprecation", "Warns that something is deprecated; only where the server's environment says so.", statement, -1,
			func(c *eval.Call) (value.Value, error) {
				if len(c.Args) != 2 {
					return nil, parseErrorf("deprecation: Wrong number of arguments given (%d for 2)", len(c.Args))
				}
				return nil, nil
			}},
	}
}

var (
	decimalLine = onigmo.MustCompile(`^-?(?:\d+)(?:\.\d+){1}$`)
	wholeLine   = onigmo.MustCompile(`^-?\d+$`)
	numberLike  = onigmo.MustCompile(`\A-?\d+(.\d+)?\z`)
)

func abs3(c *eval.Call) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, given(c, "1")
	}
	switch v := c.Args[0].(type) {
	case value.Int:
		return functions.Integer(new(big.Int).Abs(big.NewInt(int64(v))))
	case value.Float:
		return value.Float(math.Abs(float64(v))), nil
	case value.String:
		switch s := string(v); {
		case matches(decimalLine, s):
			return value.Float(math.Abs(functions.LeadingFloat(s))), nil
		case matches(wholeLine, s):
			n := functions.LeadingInt(s)
			return functions.Integer(n.Abs(n))
		}
		return nil, parseErrorf("abs(): Requires float or integer to work with")
	}
	return nil, noMethod("abs", c.Args[0])
}

func rounded3(c *eval.Call, f func(float64) float64) (value.Value, error) {
	if len(c.Args) != 1 {
		return nil, given(c, "1")
	}
	switch v := c.Args[0].(type) {
	case value.Int:
		return functions.FloatToInt(f(float64(v)))
	case value.Float:
		return functions.FloatToInt(f(float64(v)))
	case value.String:
		if n, err := value.ParseRubyFloat(string(v)); err == nil {
			return functions.FloatToInt(f(n))
		}
	}
	return nil, parseErrorf("%s(): Wrong argument type given (%s for Numeric)", c.Name, text(c.Args[0]))
}

func round3(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 1 {
		return nil, parseErrorf("round(): Wrong number of arguments given %d for 1", len(c.Args))
	}
	var f float64
	switch v := c.Args[0].(type) {
	case value.Int:
		f = float64(v)
	case value.Float:
		f = float64(v)
	default:
		return nil, parseErrorf("round(): Expected a Numeric, got %s", class(v))
	}
	if f >= 0 {
		return functions.FloatToInt(f + 0.5)
	}
	return functions.FloatToInt(f - 0.5)
}

func empty3(c *eval.Call) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, given(c, "1")
	}
	switch v := c.Args[0].(type) {
	case *value.Array:
		return value.Bool(v.Len() == 0), nil
	case *value.Hash:
		return value.Bool(v.Len() == 0), nil
	case value.String:
		return value.Bool(v == ""), nil
	case value.Int, value.Float:
		return value.Bool(false), nil
	}
	return nil, parseErrorf("empty(): Requires either array, hash, string or integer to work with")
}

func join3(c *eval.Call) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, given(c, "1")
	}
	a, is := c.Args[0].(*value.Array)
	if !is {
		return nil, parseErrorf("join(): Requires array to work with")
	}
	sep := value.String("")
	if truthy(c, 1) {
		if sep, is = c.Args[1].(value.String); !is {
			return nil, parseErrorf("join(): Requires string to work with")
		}
	}
	return value.String(functions.RubyJoin(a.Elems, string(sep))), nil
}

func column3(c *eval.Call, column func(*value.Hash) *value.Array) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, given(c, "1")
	}
	h, is := c.Args[0].(*value.Hash)
	if !is {
		return nil, parseErrorf("%s(): Requires hash to work with", c.Name)
	}
	return column(h), nil
}

func extreme3(c *eval.Call, sign int) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, parseErrorf("%s(): Wrong number of arguments need at least one", c.Name)
	}
	best := c.Args[0]
	for _, v := range c.Args[1:] {
		a, b := text(v), text(best)
		o := strings.Compare(a, b)
		if matches(numberLike, a) && matches(numberLike, b) {
			x, y := functions.LeadingFloat(a), functions.LeadingFloat(b)
			switch {
			case x < y:
				o = -1
			case x > y:
				o = 1
			default:
				o = 0
			}
		}
		if o*sign > 0 {
			best = v
		}
	}
	return best, nil
}

func size3(c *eval.Call) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, given(c, "1")
	}
	switch v := c.Args[0].(type) {
	case *value.Array:
		return value.Int(v.Len()), nil
	case *value.Hash:
		return value.Int(v.Len()), nil
	case value.String:
		if _, err := value.ParseRubyFloat(string(v)); err == nil {
			return nil, parseErrorf("size(): Requires either string, array or hash to work with")
		}
		return value.Int(value.CharLen(string(v))), nil
	}
	return nil, parseErrorf("size(): Unknown type given")
}

func sort3(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 1 {
		return nil, parseErrorf("sort(): Wrong number of arguments given %d for 1", len(c.Args))
	}
	var list []value.Value
	switch v := c.Args[0].(type) {
	case *value.Array:
		list = append(list, v.Elems...)
	case value.String:
		list = value.Strings(characters(string(v))...).Elems
	default:
		return value.Undef{}, nil
	}
	err := functions.RubySort(list, func(a, b value.Value) (int, error) {
		o, ok := functions.RubyCompare(a, b)
		if !ok {
			return 0, functions.NotComparable(a, b)
		}
		return o, nil
	})
	if err != nil {
		return nil, err
	}
	if _, is := c.Args[0].(value.String); is {
		return value.String(functions.RubyJoin(list, "")), nil
	}
	return value.NewArray(list...), nil
}

func unique3(c *eval.Call) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, given(c, "1")
	}
	switch v := c.Args[0].(type) {
	case *value.Array:
		return unique(v), nil
	case value.String:
		return value.String(functions.RubyJoin(unique(value.Strings(characters(string(v))...)).Elems, "")), nil
	}
	return nil, parseErrorf("unique(): Requires either array or string to work with")
}

func upcase3(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 1 {
		return nil, given(c, "1")
	}
	var up func(value.Value) (value.Value, error)
	up = func(v value.Value) (value.Value, error) {
		switch v := v.(type) {
		case value.String:
			return value.String(value.Upcase(string(v))), nil
		case *value.Array:
			b := value.NewArrayBuilder(v.Len())
			for i, e := range v.Elems {
				x, err := up(e)
				if err != nil {
					return nil, err
				}
				b.AddRef(x, v.Ref(i))
			}
			return b.Array(), nil
		case *value.Hash:
			b := value.NewHashBuilder(v.Len())
			for _, e := range v.Entries() {
				k, err := up(e.Key)
				if err != nil {
					return nil, err
				}
				x, err := up(e.Value)
				if err != nil {
					return nil, err
				}
				e.Key, e.Value = k, x
				cover(c, b, e)
			}
			return b.Hash(), nil
		}
		return nil, parseErrorf("upcase(): Requires an array, hash or object that responds to upcase in order to work")
	}
	return up(c.Args[0])
}

func merge3(c *eval.Call) (value.Value, error) {
	if len(c.Args) < 2 {
		return nil, parseErrorf("merge(): wrong number of arguments (%d; must be at least 2)", len(c.Args))
	}
	b := value.NewHashBuilder(8)
	for _, a := range c.Args {
		if a == value.Value(value.String("")) {
			continue
		}
		h, is := a.(*value.Hash)
		if !is {
			return nil, parseErrorf("merge: unexpected argument type %s, only expects hash arguments", class(a))
		}
		for _, e := range h.Entries() {
			b.SetEntry(e)
		}
	}
	return b.Hash(), nil
}
