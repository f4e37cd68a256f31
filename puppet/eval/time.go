package eval

import (
	"errors"
	"fmt"
	"math"
	"net/url"

	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

var (
	errNotApplicable     = errors.New("not applicable")
	errNotApplicableWhen = errors.New("not applicable to the right side")
	errZero              = errors.New("division by zero")
)

// timeArithmetic computes with time spans and time stamps; at least one operand is one. An error that is none of the
// above is in Puppet's words.
func timeArithmetic(op string, a, b value.Value) (value.Value, error) {
	switch x := a.(type) {
	case value.Timespan:
		return spanArithmetic(op, x, b)
	case value.Timestamp:
		return stampArithmetic(op, x, b)
	}
	// a number on the left: + and * commute, - makes a span of it
	_, span := b.(value.Timespan)
	switch {
	case op == "+" || op == "*" && span:
		return timeArithmetic(op, b, a)
	case op == "-" && span:
		return spanArithmetic(op, value.TimespanFromSeconds(a), b)
	}
	return nil, errNotApplicableWhen
}

func stampArithmetic(op string, x value.Timestamp, b value.Value) (value.Value, error) {
	sign := value.Timespan(1)
	switch op {
	case "+":
		if _, ok := b.(value.Timestamp); ok {
			return nil, errors.New("A Timestamp cannot be added to a Timestamp")
		}
	case "-":
		if y, ok := b.(value.Timestamp); ok {
			return x.Sub(y), nil
		}
		sign = -1
	default:
		return nil, errNotApplicable
	}
	if y, ok := b.(value.Timespan); ok {
		return x.Add(sign * y), nil
	}
	return x.Add(sign * value.TimespanFromSeconds(b)), nil
}

func spanArithmetic(op string, x value.Timespan, b value.Value) (value.Value, error) {
	f, number := asFloat(b)
	y, span := b.(value.Timespan)
	if number {
		y = value.TimespanFromSeconds(b)
	}
	switch op {
	case "+":
		if t, ok := b.(value.Timestamp); ok {
			return t.Add(x), nil
		}
		return x + y, nil
	case "-":
		if !number && !span {
			return nil, errors.New("A Timestamp cannot be subtracted from a Timespan")
		}
		return x - y, nil
	case "*":
		if !number {
			return nil, fmt.Errorf("A Timestamp cannot be multiplied by %s", article(types.Label(b)))
		}
		return value.Timespan(math.Trunc(float64(x) * f)), nil
	case "/":
		switch {
		case span:
			return value.Float(float64(x) / float64(y)), nil
		case !number:
			return nil, fmt.Errorf("A Timespan cannot be divided by %s", article(types.Label(b)))
		case f == 0:
			return nil, errZero
		}
		return value.Timespan(math.Floor(float64(x) / f)), nil
	case "%":
		n, ok := b.(value.Int)
		if !ok {
			return nil, fmt.Errorf("Can not do modulus on a Timespan using a %s", article(types.Label(b)))
		}
		if n == 0 {
			return nil, errZero
		}
		m := value.Int(x/value.TimespanFromSeconds(value.Int(1))) % n
		if m != 0 && (m < 0) != (n < 0) {
			m += n
		}
		return m, nil
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
	if !base.IsAbs() && !ref.IsAbs() {
		return nil, errors.New("both URI are relative")
	}
	return value.ParseURI(base.ResolveReference(ref).String())
}
