package value

import (
	"math"
	"strconv"
	"strings"
)

// FormatFloat is Ruby's Float#to_s: the shortest digits that read back the same, with an exponent outside of 1e-4 …
// 1e15 (beyond that too, as long as there are digits behind the point).
func FormatFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		if math.Signbit(f) {
			return "-0.0"
		}
		return "0.0"
	}
	var buf [32]byte
	e := strconv.AppendFloat(buf[:0], f, 'e', -1, 64) // d.ddde±dd
	s := string(e)
	mark := strings.IndexByte(s, 'e')
	exp, _ := strconv.Atoi(s[mark+1:])
	digits := mark
	if mark > 2 || mark == 2 && s[0] == '-' {
		digits-- // the point
	}
	if f < 0 {
		digits--
	}
	if exp >= -4 && (exp < 15 || exp+1 < digits) {
		s = strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	mant := s[:mark]
	if !strings.Contains(mant, ".") {
		mant += ".0"
	}
	return mant + s[mark:]
}

// ToNumber reads a string as Puppet reads numbers in data and arithmetic: decimal, octal (leading 0), hexadecimal, or
// floating point, with an optional sign and blanks around. ok is false when s is no number. A leading :: is ignored.
func ToNumber(s string) (v Value, ok bool) {
	v, _, ok = ToNumberRadix(s)
	return v, ok
}

// ToNumberRadix is ToNumber that also says in which base the number was written.
func ToNumberRadix(s string) (v Value, radix int, ok bool) {
	s = strings.TrimPrefix(s, "::")
	s = strings.Trim(s, " \t")
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = strings.TrimLeft(s[1:], " \t")
	}
	if s == "" || s[0] < '0' || s[0] > '9' {
		return nil, 0, false
	}
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		for i := 2; i < len(s); i++ {
			if !isHex(s[i]) {
				return nil, 0, false
			}
		}
		return toInt(s[2:], 16, neg)
	}
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == len(s) {
		if len(s) > 1 && s[0] == '0' {
			for j := 1; j < len(s); j++ {
				if s[j] > '7' {
					return nil, 0, false
				}
			}
			return toInt(s[1:], 8, neg)
		}
		return toInt(s, 10, neg)
	}
	whole := s[:i]
	if s[i] == '.' {
		j := i + 1
		for j < len(s) && isDigit(s[j]) {
			j++
		}
		if j == i+1 {
			return nil, 0, false
		}
		i = j
	}
	frac := s[len(whole):i]
	hasExp := false
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		hasExp = true
		j := i + 1
		if j < len(s) && s[j] == '-' {
			j++
		}
		if j == len(s) {
			return nil, 0, false
		}
		for ; j < len(s); j++ {
			if !isDigit(s[j]) {
				return nil, 0, false
			}
		}
		i = j
	}
	if i != len(s) {
		return nil, 0, false
	}
	if len(whole) > 1 && whole[0] == '0' {
		// Puppet asks Ruby's Integer() about the whole part, which reads it as octal.
		for j := 1; j < len(whole); j++ {
			if whole[j] > '7' {
				return nil, 0, false
			}
		}
	}
	if hasExp && strings.Trim(whole, "0") == "" && strings.Trim(strings.TrimPrefix(frac, "."), "0") == "" {
		return nil, 0, false // zero times a power of ten: Puppet says it is no float
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && math.IsInf(f, 0) {
		return nil, 0, false
	}
	if neg {
		f = -f
	}
	return Float(f), 10, true
}

func toInt(digits string, base int, neg bool) (Value, int, bool) {
	if neg {
		digits = "-" + digits
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if err != nil {
		// Ruby would make a big integer; the nearest thing we have is a float of the same amount.
		f, ferr := strconv.ParseFloat(digits, 64)
		if ferr != nil || base != 10 {
			return nil, 0, false
		}
		return Float(f), base, true
	}
	return Int(n), base, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }
