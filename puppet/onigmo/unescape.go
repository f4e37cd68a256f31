package onigmo

import (
	"strings"
	"unicode/utf8"
)

// unescape is Ruby's first look at a pattern: it turns the escapes that name characters by number beyond ASCII into the
// characters themselves, and complains about malformed ones before anything else is judged.
func unescape(src string) (string, string) {
	if strings.IndexByte(src, '\\') < 0 {
		return src, ""
	}
	var b strings.Builder
	for i := 0; i < len(src); {
		if src[i] != '\\' {
			b.WriteByte(src[i])
			i++
			continue
		}
		if i+1 == len(src) {
			return "", "too short escape sequence"
		}
		c := src[i+1]
		switch c {
		case '1', '2', '3', '4', '5', '6', '7':
			n, v := octal(src[i+1:])
			if v <= 0177 {
				b.WriteString(src[i : i+2])
				i += 2
				continue
			}
			if n == 3 && v > 0377 {
				return "", "invalid escape code"
			}
			fallthrough
		case '0', 'x', 'c', 'C', 'M':
			v, n, msg := escapedByte(src[i:])
			if msg != "" {
				return "", msg
			}
			if v < 0x80 {
				b.WriteString(byteEscape(v))
				i += n
				continue
			}
			r, n, msg := escapedRune(src[i:])
			if msg != "" {
				return "", msg
			}
			b.WriteRune(r)
			i += n
		case 'u':
			if i+2 == len(src) {
				return "", "too short escape sequence"
			}
			s, n, msg := unicodeEscape(src[i+2:])
			if msg != "" {
				return "", msg
			}
			b.WriteString(s)
			i += 2 + n
		case 'p', 'P':
			b.WriteString(src[i : i+2])
			i += 2
		default:
			b.WriteByte('\\')
			_, n := utf8.DecodeRuneInString(src[i+1:])
			b.WriteString(src[i+1 : i+1+n])
			i += 1 + n
		}
	}
	return b.String(), ""
}

const hexDigits = "0123456789ABCDEF"

func byteEscape(v int) string {
	return `\x` + string(hexDigits[v>>4]) + string(hexDigits[v&15])
}

func octal(s string) (n, v int) {
	for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
		v = v*8 + int(s[n]-'0')
		n++
	}
	return n, v
}

func hexVal(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// escapedByte reads one escape that stands for a byte; s begins with the backslash.
func escapedByte(s string) (v, n int, msg string) {
	if len(s) < 2 {
		return 0, 0, "too short escaped multibyte character"
	}
	n = 2
	switch s[1] {
	case '\\':
		return '\\', n, ""
	case 'n':
		return '\n', n, ""
	case 't':
		return '\t', n, ""
	case 'r':
		return '\r', n, ""
	case 'f':
		return '\f', n, ""
	case 'v':
		return '\v', n, ""
	case 'a':
		return '\a', n, ""
	case 'e':
		return 0x1b, n, ""
	case '0', '1', '2', '3', '4', '5', '6', '7':
		k, v := octal(s[1:])
		return v & 0xff, 1 + k, ""
	case 'x':
		k := 0
		for k < 2 && n+k < len(s) && hexVal(s[n+k]) >= 0 {
			v = v*16 + hexVal(s[n+k])
			k++
		}
		if k == 0 {
			return 0, 0, "invalid hex escape"
		}
		return v, n + k, ""
	case 'c', 'C':
		if s[1] == 'C' {
			if len(s) < 3 || s[2] != '-' {
				return 0, 0, "too short control escape"
			}
			n = 3
		}
		if n >= len(s) {
			return 0, 0, "too short control escape"
		}
		if s[n] == '\\' {
			b, k, msg := escapedByte(s[n:])
			return b & 0x9f, n + k, msg
		}
		if s[n] == '?' {
			return 0x7f, n + 1, ""
		}
		return int(s[n]) & 0x9f, n + 1, ""
	case 'M':
		if len(s) < 4 || s[2] != '-' {
			return 0, 0, "too short meta escape"
		}
		if s[3] == '\\' {
			b, k, msg := escapedByte(s[3:])
			return b | 0x80, 3 + k, msg
		}
		return int(s[3]) | 0x80, 4, ""
	}
	return 0, 0, "unexpected escape sequence"
}

// escapedRune reads a character written as several byte escapes.
func escapedRune(s string) (r rune, n int, msg string) {
	first, n, msg := escapedByte(s)
	if msg != "" {
		return 0, 0, msg
	}
	want := 0
	switch {
	case first >= 0xc2 && first < 0xe0:
		want = 2
	case first >= 0xe0 && first < 0xf0:
		want = 3
	case first >= 0xf0 && first < 0xf5:
		want = 4
	default:
		return 0, 0, "invalid multibyte escape"
	}
	buf := []byte{byte(first)}
	for len(buf) < want {
		if n >= len(s) || s[n] != '\\' {
			return 0, 0, "too short escaped multibyte character"
		}
		b, k, msg := escapedByte(s[n:])
		if msg != "" {
			return 0, 0, msg
		}
		buf = append(buf, byte(b))
		n += k
	}
	r, size := utf8.DecodeRune(buf)
	if r == utf8.RuneError || size != want {
		return 0, 0, "invalid multibyte escape"
	}
	return r, n, ""
}

// unicodeEscape reads what follows \u.
func unicodeEscape(s string) (text string, n int, msg string) {
	var b strings.Builder
	put := func(v int) string {
		if v > 0x10ffff || v >= 0xd800 && v < 0xe000 {
			return "invalid Unicode range"
		}
		if v < 0x80 {
			b.WriteString(byteEscape(v))
		} else {
			b.WriteRune(rune(v))
		}
		return ""
	}
	if s[0] != '{' {
		v := 0
		for n < 4 && n < len(s) && hexVal(s[n]) >= 0 {
			v = v*16 + hexVal(s[n])
			n++
		}
		if n < 4 {
			return "", 0, "invalid Unicode escape"
		}
		if msg := put(v); msg != "" {
			return "", 0, msg
		}
		return b.String(), 4, ""
	}
	n = 1
	some := false
	for {
		for n < len(s) && (s[n] == ' ' || s[n] == '\t' || s[n] == '\n') {
			n++
		}
		v, k := 0, 0
		for n < len(s) && hexVal(s[n]) >= 0 && k < 8 {
			v = v*16 + hexVal(s[n])
			n++
			k++
		}
		if k == 0 {
			break
		}
		if k > 6 {
			return "", 0, "invalid Unicode range"
		}
		if msg := put(v); msg != "" {
			return "", 0, msg
		}
		some = true
	}
	if !some || n >= len(s) || s[n] != '}' {
		return "", 0, "invalid Unicode list"
	}
	return b.String(), n + 1, ""
}
