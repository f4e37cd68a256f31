package ruby

import (
	"strconv"
	"strings"

	"bunraku/puppet/ruby/syntax"
)

// looseInt is String#to_i: what can be read from the front. Base -8 is oct, which minds prefixes.
func (in *Interp) looseInt(s string, base int) Object {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if len(s) > 1 && s[0] == '0' {
		p := 0
		switch s[1] | 0x20 {
		case 'x':
			p = 16
		case 'b':
			p = 2
		case 'o':
			p = 8
		case 'd':
			p = 10
		}
		if p != 0 && (base == p || base == 0 || base == -8) {
			base = p
			s = s[2:]
			if s == "" || digitOf(s[0]) >= p {
				return Int(0)
			}
		} else if base == 0 {
			base = 8
		}
	}
	switch base {
	case -8:
		base = 8
	case 0:
		base = 10
	}
	var digits []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '_' && i > 0 && i+1 < len(s) && s[i-1] != '_' && digitOf(s[i+1]) < base {
			continue
		}
		if digitOf(s[i]) >= base {
			break
		}
		digits = append(digits, s[i])
	}
	if len(digits) == 0 {
		return Int(0)
	}
	text := string(digits)
	if neg {
		text = "-" + text
	}
	n, err := strconv.ParseInt(text, base, 64)
	if err == nil {
		return Int(n)
	}
	return in.bigFromText(text, base)
}

func digitOf(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'z':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'Z':
		return int(c-'A') + 10
	}
	return 99
}

// looseFloat is String#to_f.
func looseFloat(s string) float64 {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	i := 0
	var b []byte
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		b = append(b, s[i])
		i++
	}
	digits := func() bool {
		some := false
		for i < len(s) && (syntax.IsDigit(s[i]) || s[i] == '_' && some && i+1 < len(s) && syntax.IsDigit(s[i+1])) {
			if s[i] != '_' {
				b = append(b, s[i])
			}
			i++
			some = true
		}
		return some
	}
	if !digits() {
		if i >= len(s) || s[i] != '.' {
			return 0
		}
	}
	if i+1 < len(s) && s[i] == '.' && syntax.IsDigit(s[i+1]) {
		b = append(b, '.')
		i++
		digits()
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		e := []byte{'e'}
		if j < len(s) && (s[j] == '-' || s[j] == '+') {
			e = append(e, s[j])
			j++
		}
		if j < len(s) && syntax.IsDigit(s[j]) {
			b = append(b, e...)
			i = j
			digits()
		}
	}
	f, _ := strconv.ParseFloat(string(b), 64)
	return f
}

// succ is the next string: the rightmost letter or digit goes up, with a carry.
func succ(s string) string {
	if s == "" {
		return ""
	}
	b := []byte(s)
	alnum := func(c byte) bool { return syntax.IsDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }
	last := -1
	for i := len(b) - 1; i >= 0; i-- {
		if alnum(b[i]) {
			last = i
			break
		}
	}
	if last < 0 { // no letters: bytes go up
		for i := len(b) - 1; i >= 0; i-- {
			b[i]++
			if b[i] != 0 {
				return string(b)
			}
		}
		return "\x01" + string(b)
	}
	for i := last; ; {
		switch c := b[i]; {
		case c == '9':
			b[i] = '0'
		case c == 'z':
			b[i] = 'a'
		case c == 'Z':
			b[i] = 'A'
		default:
			b[i]++
			return string(b)
		}
		// the carry goes to the next letter or digit on the left, over at most a gap that is not the string's head
		j := i - 1
		for j >= 0 && !alnum(b[j]) {
			j--
		}
		if j < 0 {
			first := b[i]
			if first == '0' {
				first = '1'
			}
			return string(b[:i]) + string(first) + string(b[i:])
		}
		i = j
	}
}
