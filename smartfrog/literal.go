package smartfrog

import (
	"math/big"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// startsNumber reports whether text begins with a number rather than with punctuation.
func startsNumber(text string) bool {
	if text[0] == '+' || text[0] == '-' {
		text = text[1:]
	}
	if text != "" && text[0] == '.' {
		text = text[1:]
	}
	return text != "" && isDigit(text[0])
}

// numberLen returns the length of the longest text that could be meant as one number, so that 12abc is reported as a
// whole.
func numberLen(text string) int {
	i := 1 // a sign, a dot or a digit
	for i < len(text) {
		c := text[i]
		exponent := (c == '+' || c == '-') && text[i-1]|0x20 == 'e' && !strings.ContainsAny(text[:i], "xX")
		if !isLetter(c) && !isDigit(c) && c != '.' && !exponent {
			break
		}
		i++
	}
	return i
}

// maxRadixDigits bounds hexadecimal and octal numbers: turning them into decimal takes time quadratic in their length.
const maxRadixDigits = 10_000

// canonicalNumber rewrites a number in the one spelling that JSON, YAML 1.1, YAML 1.2 and SmartFrog all read as the
// same number: integers in decimal, of any size; floats with digits on both sides of the dot and a signed exponent. No
// digit is lost: the paper's numbers are the reals, and a float64 would round them. It returns false when text is no
// number.
func canonicalNumber(text string) (string, bool) {
	sign := ""
	switch text[0] {
	case '-':
		sign, text = "-", text[1:]
	case '+':
		text = text[1:]
	}
	if len(text) > 2 && text[0] == '0' {
		base := 0
		switch text[1] | 0x20 {
		case 'x':
			base = 16
		case 'o':
			base = 8
		}
		if base != 0 {
			if text[2] == '-' || text[2] == '+' || len(text) > maxRadixDigits {
				return "", false
			}
			n, ok := new(big.Int).SetString(text[2:], base)
			if !ok {
				return "", false
			}
			if n.Sign() == 0 {
				sign = ""
			}
			return sign + n.String(), true
		}
	}
	whole, rest := cutDigits(text)
	fraction, float := "", false
	if strings.HasPrefix(rest, ".") {
		fraction, rest = cutDigits(rest[1:])
		float = true
	}
	if whole == "" && fraction == "" {
		return "", false
	}
	exponent := ""
	if rest != "" && rest[0]|0x20 == 'e' {
		float = true
		rest = rest[1:]
		exponent = "e+"
		if strings.HasPrefix(rest, "-") {
			exponent = "e-"
		}
		if rest != "" && (rest[0] == '-' || rest[0] == '+') {
			rest = rest[1:]
		}
		var digits string
		digits, rest = cutDigits(rest)
		if digits == "" {
			return "", false
		}
		exponent += digits
	}
	if rest != "" {
		return "", false
	}
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if !float {
		if whole == "0" {
			sign = ""
		}
		return sign + whole, true
	}
	if fraction == "" {
		fraction = "0"
	}
	return sign + whole + "." + fraction + exponent, true
}

func cutDigits(text string) (digits, rest string) {
	i := 0
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	return text[:i], text[i:]
}

// A badEscape says what is wrong with a string literal and which bytes of it are at fault.
type badEscape struct {
	start, end int
	problem    string
}

// unquote decodes the text of a string literal, quotes included. JSON's escapes are known; under --extended, strings
// between ## and # have those of HP's compiler instead.
func unquote(text string) (string, *badEscape) {
	hp := strings.HasPrefix(text, "##")
	start, end := 1, len(text)-1
	if hp {
		start = 2
	}
	if i := invalidUTF8(text); i >= 0 {
		return "", &badEscape{i, i + 1, "this byte is not valid UTF-8"}
	}
	if strings.IndexByte(text, '\\') < 0 {
		return text[start:end], nil
	}
	var b strings.Builder
	for i := start; i < end; {
		if text[i] != '\\' {
			j := strings.IndexByte(text[i:end], '\\')
			if j < 0 {
				j = end - i
			}
			b.WriteString(text[i : i+j])
			i += j
			continue
		}
		r, n := unescape(text[i:end], hp)
		if n == 0 {
			_, width := utf8.DecodeRuneInString(text[i+1:])
			return "", &badEscape{i, i + 1 + width, "`" + text[i:i+1+width] + "` is no escape"}
		}
		if r < 0 {
			return "", &badEscape{i, i + n, "`" + text[i:i+n] + "` is half of a surrogate pair, and no character by itself"}
		}
		b.WriteRune(r)
		i += n
	}
	return b.String(), nil
}

// unescape decodes the escape at the start of text and returns its length; 0 when it is unknown. A lone surrogate gives
// -1.
func unescape(text string, hp bool) (rune, int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch c := text[1]; c {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case '\\':
		return '\\', 2
	}
	if hp {
		return unescapeHP(text)
	}
	switch text[1] {
	case '"', '/':
		return rune(text[1]), 2
	case 'u':
		high, ok := hex4(text[2:])
		if !ok {
			return 0, 0
		}
		if !utf16.IsSurrogate(high) {
			return high, 6
		}
		if strings.HasPrefix(text[6:], `\u`) {
			if low, ok := hex4(text[8:]); ok {
				if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
					return r, 12
				}
			}
		}
		return -1, 6
	}
	return 0, 0
}

// unescapeHP knows the escapes that only ##…# strings have: \' and \#, and three octal digits.
func unescapeHP(text string) (rune, int) {
	switch c := text[1]; {
	case c == '\'' || c == '#':
		return rune(c), 2
	case c >= '0' && c <= '3' && len(text) >= 4 && isOctal(text[2]) && isOctal(text[3]):
		return rune(c-'0')<<6 | rune(text[2]-'0')<<3 | rune(text[3]-'0'), 4
	}
	return 0, 0
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

func hex4(text string) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	var r rune
	for i := range 4 {
		c := text[i]
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// invalidUTF8 returns the offset of the first byte that is not valid UTF-8, or -1.
func invalidUTF8(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i, r := range text {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(text[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}
