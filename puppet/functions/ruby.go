package functions

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"bunraku/puppet/onigmo"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// What Ruby itself does with values: Puppet's functions lean on it, and its error messages reach the user.

// rubyClass is what Ruby calls the class of a value.
func rubyClass(v value.Value) string {
	if _, is := v.(*puppetResource); is {
		return "Puppet::Resource"
	}
	return types.RubyClass(v)
}

// rubyName is how "no implicit conversion of …" names a value: by itself when it is one of the three that are alone in
// their class.
func rubyName(v value.Value) string {
	switch v := v.(type) {
	case nil, value.Undef:
		return "nil"
	case value.Bool:
		return value.ToString(v)
	}
	return rubyClass(v)
}

// noConversion is Ruby's TypeError of a value given where another class is needed.
func noConversion(v value.Value, into string) error {
	return fmt.Errorf("no implicit conversion of %s into %s", rubyName(v), into)
}

// noMethod is Ruby's NoMethodError.
func noMethod(method string, v value.Value) error {
	if r, is := v.(*puppetResource); is {
		return fmt.Errorf("undefined method `%s' for %s", method, r.receiver())
	}
	text := rubyInspect(v)
	switch v.(type) {
	case value.Type, *value.Object, *value.Deferred, *value.Iterator:
		text = "#"
	}
	switch {
	case text == "#":
		return fmt.Errorf("undefined method `%s' for #<%s>", method, rubyClass(v))
	case text[0] == '#':
		return fmt.Errorf("undefined method `%s' for %s", method, text)
	}
	return fmt.Errorf("undefined method `%s' for %s:%s", method, text, rubyClass(v))
}

// rubyString is Ruby's to_s.
func rubyString(v value.Value) string {
	switch v := v.(type) {
	case nil, value.Undef:
		return ""
	case *value.Array, *value.Hash:
		return rubyInspect(v)
	case *value.Regexp:
		return rubyRegexp(v)
	case *puppetResource:
		return v.text
	}
	return value.ToString(v)
}

func rubyRegexp(v *value.Regexp) string {
	return strings.ReplaceAll(onigmo.Embed(v.Source, 0), "\n", `\n`)
}

// rubyInspect is Ruby's inspect.
func rubyInspect(v value.Value) string {
	switch v := v.(type) {
	case *puppetResource:
		return v.inspect()
	case value.Type:
		return "#<" + rubyClass(v) + ">"
	case *value.Array:
		parts := make([]string, len(v.Elems))
		for i, e := range v.Elems {
			parts[i] = rubyInspect(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *value.Hash:
		parts := make([]string, v.Len())
		for i, e := range v.Entries() {
			parts[i] = rubyInspect(e.Key) + "=>" + rubyInspect(e.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return value.Inspect(v)
}

// rubyCompare is Ruby's <=>; ok is false where it answers nil.
func rubyCompare(a, b value.Value) (order int, ok bool) {
	switch x := a.(type) {
	case value.Int:
		switch y := b.(type) {
		case value.Int:
			return compare(x, y), true
		case value.Float:
			return compareFloat(float64(x), int64(x), float64(y)), true
		}
	case value.Float:
		switch y := b.(type) {
		case value.Int:
			return -compareFloat(float64(y), int64(y), float64(x)), true
		case value.Float:
			return compare(x, y), true
		}
	case value.String:
		if y, is := b.(value.String); is {
			return strings.Compare(string(x), string(y)), true
		}
	case *value.Array:
		y, is := b.(*value.Array)
		if !is {
			return 0, false
		}
		for i := range min(x.Len(), y.Len()) {
			if o, ok := rubyCompare(x.Elems[i], y.Elems[i]); !ok || o != 0 {
				return o, ok
			}
		}
		return compare(x.Len(), y.Len()), true
	case *value.SemVer:
		if y, is := b.(*value.SemVer); is {
			return x.Compare(y), true
		}
	case value.Timestamp, value.Timespan:
		o, err := value.Compare(a, b)
		return o, err == nil
	case *puppetResource:
		return 0, false
	}
	if rubyClass(a) == rubyClass(b) && value.Same(a, b) {
		return 0, true
	}
	return 0, false
}

func compare[N int | value.Int | value.Float](a, b N) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// compareFloat compares an integer (given as float too) with a float, without loss.
func compareFloat(f float64, n int64, g float64) int {
	if -1<<53 <= n && n <= 1<<53 {
		return compare(value.Float(f), value.Float(g))
	}
	return new(big.Float).SetInt64(n).Cmp(big.NewFloat(g))
}

// rubyEqual is Ruby's ==: strings exactly, numbers by amount, containers element by element.
func rubyEqual(a, b value.Value) bool {
	switch x := a.(type) {
	case value.Int, value.Float:
		o, ok := rubyCompare(a, b)
		return ok && o == 0
	case *value.Array:
		y, is := b.(*value.Array)
		if !is || x.Len() != y.Len() {
			return false
		}
		for i := range x.Elems {
			if !rubyEqual(x.Elems[i], y.Elems[i]) {
				return false
			}
		}
		return true
	case *value.Hash:
		y, is := b.(*value.Hash)
		if !is || x.Len() != y.Len() {
			return false
		}
		for _, e := range x.Entries() {
			v, has := y.Get(e.Key)
			if !has || !rubyEqual(e.Value, v) {
				return false
			}
		}
		return true
	case value.Timestamp, value.Timespan:
		return value.Equal(a, b)
	}
	return value.Same(a, b)
}

// notComparable is the error of Ruby's sort when <=> answers nil.
func notComparable(a, b value.Value) error {
	return fmt.Errorf("comparison of %s with %s failed", rubyClass(a), special(b))
}

// special is a value as comparison errors show it: immediate values by themselves, others by class.
func special(v value.Value) string {
	switch v.(type) {
	case nil, value.Undef, value.Bool, value.Int, value.Float, value.Default:
		return rubyInspect(v)
	}
	return rubyClass(v)
}

// verdict makes a number of what a comparing block answered.
func verdict(answer, a, b value.Value) (int, error) {
	switch v := answer.(type) {
	case value.Int:
		return compare(v, 0), nil
	case value.Float:
		return compare(v, 0), nil
	case nil, value.Undef:
		return 0, notComparable(a, b)
	case value.String:
		return 0, errors.New("comparison of String with 0 failed")
	case *value.SemVer, value.Timestamp:
		return 0, fmt.Errorf("comparison of %s with 0 failed", rubyClass(v))
	case value.Timespan:
		return compare(value.Int(v), 0), nil
	}
	return 0, noMethod(">", answer)
}

// mergeSort is the sort that Ruby has on Debian: the C library's. Which pairs it compares, and when, can be seen by
// blocks and in errors, so it is kept to the letter.
func mergeSort[E any](list []E, cmp func(a, b E) (int, error)) error {
	if len(list) < 2 {
		return nil
	}
	half := len(list) / 2
	if err := mergeSort(list[:half], cmp); err != nil {
		return err
	}
	if err := mergeSort(list[half:], cmp); err != nil {
		return err
	}
	left := append([]E(nil), list[:half]...)
	right := list[half:]
	out := list[:0]
	for len(left) > 0 && len(right) > 0 {
		o, err := cmp(left[0], right[0])
		if err != nil {
			return err
		}
		if o <= 0 {
			out, left = append(out, left[0]), left[1:]
		} else {
			out, right = append(out, right[0]), right[1:]
		}
	}
	_ = append(out, left...)
	return nil
}
