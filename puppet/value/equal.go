package value

import (
	"errors"
	"math"
	"strings"
)

// Equal is Puppet's ==: strings without regard to (ASCII) case, numbers by amount, containers element by element.
func Equal(a, b Value) bool {
	switch a := a.(type) {
	case String:
		b, is := b.(String)
		return is && EqualFoldASCII(string(a), string(b))
	case Int, Float, Timespan, Timestamp:
		c, ok := compareNumbers(a, b)
		return ok && c == 0
	case *Array:
		b, is := b.(*Array)
		if !is || len(a.Elems) != len(b.Elems) {
			return false
		}
		for i := range a.Elems {
			if !Equal(a.Elems[i], b.Elems[i]) {
				return false
			}
		}
		return true
	case *Hash:
		b, is := b.(*Hash)
		if !is || a.Len() != b.Len() {
			return false
		}
		for i := range a.entries {
			// A key that b lacks counts as undef there, as in Puppet.
			other, _ := b.Get(a.entries[i].Key)
			if !Equal(OrUndef(other), a.entries[i].Value) {
				return false
			}
		}
		return true
	}
	return Same(a, b)
}

// Same is Ruby's eql?, which decides whether two hash keys (or elements of unique) are one: strings exactly, Int and
// Float apart.
func Same(a, b Value) bool {
	switch a := a.(type) {
	case String, Int, Bool, Undef, Default, Binary, Timespan, Timestamp, Float:
		return a == b
	case *Array:
		b, is := b.(*Array)
		if !is || len(a.Elems) != len(b.Elems) {
			return false
		}
		if a == b {
			return true
		}
		for i := range a.Elems {
			if !Same(a.Elems[i], b.Elems[i]) {
				return false
			}
		}
		return true
	case *Hash:
		b, is := b.(*Hash)
		if !is || a.Len() != b.Len() {
			return false
		}
		if a == b {
			return true
		}
		for i := range a.entries {
			other, has := b.Get(a.entries[i].Key)
			if !has || !Same(other, a.entries[i].Value) {
				return false
			}
		}
		return true
	case *Regexp:
		b, is := b.(*Regexp)
		return is && a.Source == b.Source
	case *Sensitive:
		b, is := b.(*Sensitive)
		return is && Same(a.Value, b.Value)
	case *Deferred:
		b, is := b.(*Deferred)
		if !is || a.Name != b.Name || (a.Args == nil) != (b.Args == nil) {
			return false
		}
		return a.Args == nil || Same(a.Args, b.Args)
	case *SemVer:
		b, is := b.(*SemVer)
		return is && a.Equal(b)
	case *SemVerRange:
		b, is := b.(*SemVerRange)
		return is && a.Equal(b)
	case *URI:
		b, is := b.(*URI)
		return is && a.Normal() == b.Normal()
	case *Object:
		b, is := b.(*Object)
		return is && a.same(b)
	case Type:
		// Variant[A, B] equals Variant[B, A], but as a key it is another one: Ruby's hash of it goes by the order.
		b, is := b.(Type)
		return is && a.EqualType(b) && a.String() == b.String()
	}
	return a == b // iterators and opaque values are only themselves
}

// EqualFoldASCII compares as Ruby's casecmp does: only A to Z are folded.
func EqualFoldASCII(a, b string) bool {
	return len(a) == len(b) && compareFoldASCII(a, b) == 0
}

func compareFoldASCII(a, b string) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i++ {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if 'A' <= x && x <= 'Z' {
			x += 'a' - 'A'
		}
		if 'A' <= y && y <= 'Z' {
			y += 'a' - 'A'
		}
		if x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	switch {
	case len(a) < len(b):
		return -1
	case len(a) > len(b):
		return 1
	}
	return 0
}

// compareNumbers orders two numeric values (integers, floats, time spans and stamps). ok is false when they cannot be
// ordered: another kind, or not a number.
func compareNumbers(a, b Value) (c int, ok bool) {
	switch a := a.(type) {
	case Int:
		switch b := b.(type) {
		case Int:
			return order(a < b, a > b), true
		case Float:
			return compareIntFloat(int64(a), float64(b))
		case Timespan, Timestamp:
			c, ok = compareNumbers(b, a)
			return -c, ok
		}
	case Float:
		switch b := b.(type) {
		case Int:
			c, ok = compareIntFloat(int64(b), float64(a))
			return -c, ok
		case Float:
			return order(a < b, a > b), a == a && b == b
		case Timespan, Timestamp:
			c, ok = compareNumbers(b, a)
			return -c, ok
		}
	case Timespan:
		switch b := b.(type) {
		case Timespan:
			return order(a < b, a > b), true
		case Int:
			s := a.Seconds()
			return order(s < int64(b), s > int64(b)), true
		case Float:
			f := a.Float()
			return order(f < float64(b), f > float64(b)), b == b
		}
	case Timestamp:
		switch b := b.(type) {
		case Timestamp:
			if a.Sec != b.Sec {
				return order(a.Sec < b.Sec, true), true
			}
			return order(a.Nsec < b.Nsec, a.Nsec > b.Nsec), true
		case Int:
			return order(a.Sec < int64(b), a.Sec > int64(b)), true
		case Float:
			f := a.Float()
			return order(f < float64(b), f > float64(b)), b == b
		}
	}
	return 0, false
}

func compareIntFloat(i int64, f float64) (int, bool) {
	if f != f {
		return 0, false
	}
	if f >= math.MaxInt64 {
		return -1, true
	}
	if f < math.MinInt64 {
		return 1, true
	}
	t := math.Trunc(f)
	if n := int64(t); n != i {
		return order(i < n, true), true
	}
	return order(t < f, t > f), true
}

func order(less, more bool) int {
	switch {
	case less:
		return -1
	case more:
		return 1
	}
	return 0
}

// Compare is the order behind < <= >= >. Only strings (without regard to case), numbers, time spans and stamps, and
// versions have one; the error is worded as Puppet does.
func Compare(a, b Value) (int, error) {
	switch a := a.(type) {
	case String:
		b, is := b.(String)
		if !is {
			return 0, errors.New("A String is not comparable to a non String")
		}
		return compareFoldASCII(string(a), string(b)), nil
	case Int, Float:
		if c, ok := compareNumbers(a, b); ok {
			return c, nil
		}
		return 0, errors.New("A Numeric is not comparable to non Numeric")
	case Timespan:
		if c, ok := compareNumbers(a, b); ok {
			return c, nil
		}
		return 0, errors.New("Timespans are only comparable to Timespans, Integers, and Floats")
	case Timestamp:
		if c, ok := compareNumbers(a, b); ok {
			return c, nil
		}
		return 0, errors.New("Timestamps are only comparable to Timestamps, Integers, and Floats")
	case *SemVer:
		b, is := b.(*SemVer)
		if !is {
			return 0, errors.New("Versions not comparable to non Versions")
		}
		return a.Compare(b), nil
	case Default:
		if _, is := b.(Default); is {
			return 0, nil
		}
		return 0, errors.New("Symbol not comparable to non Symbol")
	}
	return 0, errors.New("Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable")
}

// ContainsFold reports whether s contains sub without regard to case, as `in` does on strings.
func ContainsFold(s, sub string) bool { return strings.Contains(Downcase(s), Downcase(sub)) }
