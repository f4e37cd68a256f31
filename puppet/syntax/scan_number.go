package syntax

import (
	"unicode"
	"unicode/utf8"
)

func (s *scanner) number() token {
	from := s.pos
	if end := numberEnd(s.src, from); end > 0 {
		s.pos = end
		t := s.emit(tNumber, from)
		if why := numberFault(t.text); why != "" {
			s.errorAt(from, end, codeNumber, why, numberHelp(t.text))
		}
		return t
	}
	end := from
	for end < len(s.src) && (isWord(s.src[end]) || s.src[end] >= utf8.RuneSelf) {
		end++
	}
	s.pos = end
	text := s.src[from:end]
	why := numberFault(text)
	if why == "" {
		why = "Illegal number '" + text + "'"
	}
	s.errorAt(from, end, codeNumber, why, numberHelp(text))
	return s.emit(tNumber, from)
}

// wordBoundary reports \b at i behind a word character.
func wordBoundary(src string, i int) bool {
	if i >= len(src) {
		return true
	}
	if src[i] < utf8.RuneSelf {
		return !isWord(src[i])
	}
	r, _ := utf8.DecodeRuneInString(src[i:])
	return !(unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Pc, r))
}

// numberEnd matches PATTERN_NUMBER with its backtracking: hex, or digits with fraction and exponent, each part given up
// when what follows is no word boundary.
func numberEnd(src string, i int) int {
	digits := func(j int) int {
		for j < len(src) && isDigit(src[j]) {
			j++
		}
		return j
	}
	if src[i] == '0' && i+1 < len(src) && (src[i+1] == 'x' || src[i+1] == 'X') {
		j := i + 2
		for j < len(src) && isHex(src[j]) {
			j++
		}
		if j > i+2 && wordBoundary(src, j) {
			return j
		}
		return 0
	}
	whole := digits(i)
	exponent := func(j int) int {
		if j < len(src) && (src[j] == 'e' || src[j] == 'E') {
			k := j + 1
			if k < len(src) && src[k] == '-' {
				k++
			}
			if e := digits(k); e > k && wordBoundary(src, e) {
				return e
			}
		}
		return 0
	}
	if whole+1 < len(src) && src[whole] == '.' {
		if frac := digits(whole + 1); frac > whole+1 {
			if e := exponent(frac); e > 0 {
				return e
			}
			if wordBoundary(src, frac) {
				return frac
			}
		}
	}
	if e := exponent(whole); e > 0 {
		return e
	}
	if wordBoundary(src, whole) {
		return whole
	}
	return 0
}

// numberFault applies Puppet's assert_numeric and gives its complaint, or "".
func numberFault(v string) string {
	all := func(s string, ok func(byte) bool) bool {
		for i := 0; i < len(s); i++ {
			if !ok(s[i]) {
				return false
			}
		}
		return s != ""
	}
	switch {
	case len(v) > 1 && v[0] == '0' && (v[1] == 'x' || v[1] == 'X'):
		if !all(v[2:], isHex) {
			return "Not a valid hex number " + v
		}
	case len(v) > 1 && v[0] == '0' && v[1] != '.':
		if !all(v[1:], func(c byte) bool { return c >= '0' && c <= '7' }) {
			return "Not a valid octal number " + v
		}
	default:
		i := 0
		for i < len(v) && isDigit(v[i]) {
			i++
		}
		if i < len(v) && (v[i] == '.' || v[i] == 'e' || v[i] == 'E') {
			if numberEnd(v, 0) != len(v) {
				return "Not a valid decimal number " + v
			}
		} else if i < len(v) || v == "" {
			return "Illegal number '" + v + "'"
		}
	}
	return ""
}

func numberHelp(v string) string {
	if len(v) > 1 && v[0] == '0' && isDigit(v[1]) {
		return "a number that begins with 0 is octal; write it without the 0, or in quotes if it is text (a file mode, a " +
			"zip code)"
	}
	if v != "" && isDigit(v[0]) {
		return "a name cannot begin with a digit; if this is text, put it in quotes"
	}
	return ""
}
