package functions

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// scanfFunction is scanf. Ruby has its scanf in a gem that Debian's Puppet lacks; this follows the gem's manual.
func scanfFunction() *eval.Function {
	return &eval.Function{Name: "scanf", Doc: "Reads values out of a string by a format, as C's scanf does.",
		Dispatches: []eval.Dispatch{
			{Signature: "Callable[String, String, Optional[Callable]]", Names: []string{"data", "format"},
				Run: func(c *eval.Call) (value.Value, error) {
					found := value.NewArray(scanf(string(c.Args[0].(value.String)), string(c.Args[1].(value.String)))...)
					if c.Block == nil {
						return found, nil
					}
					return yieldOne(c, found)
				}},
		}}
}

// A directive is one % of a scanf format.
type directive struct {
	skip  bool // %*: read, but not kept
	width int  // 0 for any
	verb  byte
	set   string // of %[…]
}

// scanf reads until a directive does not fit; it yields what it has by then.
func scanf(s, format string) []value.Value {
	var out []value.Value
	for format != "" {
		switch c := format[0]; {
		case isBlank(c):
			format, s = strings.TrimLeft(format, scanBlanks), strings.TrimLeft(s, scanBlanks)
		case c != '%' || strings.HasPrefix(format, "%%"):
			if c == '%' {
				format = format[1:]
				s = strings.TrimLeft(s, scanBlanks)
			}
			if s == "" || s[0] != c {
				return out
			}
			format, s = format[1:], s[1:]
		default:
			d, rest, ok := readDirective(format[1:])
			if !ok {
				return out
			}
			format = rest
			v, n := d.scan(s)
			if v == nil {
				return out
			}
			s = s[n:]
			if !d.skip {
				out = append(out, v)
			}
		}
	}
	return out
}

const scanBlanks = " \t\n\v\f\r"

func isBlank(c byte) bool { return strings.IndexByte(scanBlanks, c) >= 0 }

func readDirective(f string) (d directive, rest string, ok bool) {
	if strings.HasPrefix(f, "*") {
		d.skip, f = true, f[1:]
	}
	i := 0
	for i < len(f) && f[i] >= '0' && f[i] <= '9' {
		i++
	}
	d.width, _ = strconv.Atoi(f[:i])
	f = strings.TrimLeft(f[i:], "hlL")
	if f == "" {
		return d, f, false
	}
	d.verb, f = f[0], f[1:]
	if d.verb == '[' {
		end := strings.IndexByte(f, ']')
		if end == 0 || strings.HasPrefix(f, "^]") {
			if end = strings.IndexByte(f[end+1:], ']'); end >= 0 {
				end += strings.IndexByte(f, ']') + 1
			}
		}
		if end < 0 {
			return d, f, false
		}
		d.set, f = f[:end], f[end+1:]
	}
	return d, f, strings.IndexByte("diuxXopaefgAEFGsc[", d.verb) >= 0
}

// scan reads one value and says how many bytes it took; nil when the text does not fit.
func (d directive) scan(s string) (value.Value, int) {
	blanks := 0
	if d.verb != 'c' && d.verb != '[' {
		blanks = len(s) - len(strings.TrimLeft(s, scanBlanks))
	}
	text := s[blanks:]
	if d.width > 0 {
		text = firstChars(text, d.width)
	}
	var v value.Value
	var n int
	switch d.verb {
	case 'c':
		n = len(firstChars(text, max(d.width, 1)))
		v = value.String(text[:n])
	case 's':
		if n = strings.IndexAny(text, scanBlanks); n < 0 {
			n = len(text)
		}
		v = value.String(text[:n])
	case '[':
		n = d.setLength(text)
		v = value.String(text[:n])
	case 'd', 'u':
		v, n = scanInteger(text, 10)
	case 'i':
		v, n = scanInteger(text, 0)
	case 'x', 'X', 'p':
		v, n = scanInteger(text, 16)
	case 'o':
		v, n = scanInteger(text, 8)
	default:
		m := floatPrefix.FindString(text)
		if n = len(m); n > 0 {
			v = value.Float(leadingFloat(m))
		}
	}
	if n == 0 {
		return nil, 0
	}
	return v, blanks + n
}

func firstChars(s string, n int) string {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at]
}

func (d directive) setLength(s string) int {
	set, not := strings.CutPrefix(d.set, "^")
	chars := []rune(set)
	in := func(r rune) bool {
		for i := 0; i < len(chars); i++ {
			if i+2 < len(chars) && chars[i+1] == '-' {
				if chars[i] <= r && r <= chars[i+2] {
					return true
				}
				i += 2
			} else if chars[i] == r {
				return true
			}
		}
		return false
	}
	for i, r := range s {
		if in(r) == not {
			return i
		}
	}
	return len(s)
}

// scanInteger reads an integer in a base; base 0 takes it from the prefix.
func scanInteger(s string, base int) (value.Value, int) {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	start := i
	hex := strings.HasPrefix(s[i:], "0x") || strings.HasPrefix(s[i:], "0X")
	switch {
	case base == 0 && hex, base == 16 && hex:
		base, start = 16, i+2
	case base == 0 && strings.HasPrefix(s[i:], "0"):
		base = 8
	case base == 0:
		base = 10
	}
	end := start
	for end < len(s) {
		c := s[end] | 0x20
		digit := 99
		switch {
		case s[end] >= '0' && s[end] <= '9':
			digit = int(s[end] - '0')
		case c >= 'a' && c <= 'f':
			digit = int(c-'a') + 10
		}
		if digit >= base {
			break
		}
		end++
	}
	if end == start {
		return nil, 0
	}
	n, _ := new(big.Int).SetString(s[start:end], base)
	if s[0] == '-' {
		n.Neg(n)
	}
	if !n.IsInt64() {
		return nil, 0
	}
	return value.Int(n.Int64()), end
}
