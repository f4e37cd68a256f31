package eval

import (
	"errors"
	"math"
	"net/url"

	"bunraku/value"
)

var errNotApplicable = errors.New("not applicable")

// timeArithmetic computes with time spans and time stamps; at least one operand is one.
func timeArithmetic(op string, a, b value.Value) (value.Value, error) {
	switch x := a.(type) {
	case value.Timespan:
		return spanArithmetic(op, x, b)
	case value.Timestamp:
		switch y := b.(type) {
		case value.Timestamp:
			if op == "-" {
				return x.Sub(y), nil
			}
		case value.Timespan:
			switch op {
			case "+":
				return x.Add(y), nil
			case "-":
				return x.Add(-y), nil
			}
		case value.Int, value.Float:
			d := value.TimespanFromSeconds(b)
			switch op {
			case "+":
				return x.Add(d), nil
			case "-":
				return x.Add(-d), nil
			}
		}
		return nil, errNotApplicable
	}
	// a number on the left: + and * commute, - makes a span of it
	switch y := b.(type) {
	case value.Timespan:
		switch op {
		case "+", "*":
			return spanArithmetic(op, y, a)
		case "-":
			return value.TimespanFromSeconds(a) - y, nil
		}
	case value.Timestamp:
		if op == "+" {
			return timeArithmetic(op, y, a)
		}
	}
	return nil, errNotApplicable
}

func spanArithmetic(op string, x value.Timespan, b value.Value) (value.Value, error) {
	switch y := b.(type) {
	case value.Timespan:
		switch op {
		case "+":
			return x + y, nil
		case "-":
			return x - y, nil
		case "/":
			return value.Float(float64(x) / float64(y)), nil
		case "%":
			if y != 0 {
				m := x % y
				if m != 0 && (m < 0) != (y < 0) {
					m += y
				}
				return m, nil
			}
		}
	case value.Timestamp:
		if op == "+" {
			return y.Add(x), nil
		}
	case value.Int, value.Float:
		f, _ := asFloat(b)
		switch op {
		case "+":
			return x + value.TimespanFromSeconds(b), nil
		case "-":
			return x - value.TimespanFromSeconds(b), nil
		case "*":
			return value.Timespan(math.Trunc(float64(x) * f)), nil
		case "/":
			if f != 0 {
				return value.Timespan(math.Floor(float64(x) / f)), nil
			}
		}
	}
	return nil, errNotApplicable
}

// joinURI resolves a reference against a URI.
func joinURI(u *value.URI, v value.Value) (value.Value, error) {
	text := ""
	switch v := v.(type) {
	case value.String:
		text = string(v)
	case *value.URI:
		text = v.String()
	default:
		return nil, errors.New("An URI can only be merged with an URI or String")
	}
	base, err := url.Parse(u.String())
	if err != nil {
		return nil, err
	}
	ref, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	return value.ParseURI(base.ResolveReference(ref).String())
}
