package value

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// ParseRubyInt is Ruby's Integer(s, radix): a strict reading with optional sign, prefix (0x, 0b, 0o, 0) and single
// underscores between digits. Radix 0 takes the base from the prefix. The error is Ruby's.
func ParseRubyInt(s string, radix int) (*big.Int, error) {
	bad := fmt.Errorf("invalid value for Integer(): %s", InspectString(s))
	t := strings.Trim(s, " \t\n\v\f\r")
	neg := false
	if t != "" && (t[0] == '+' || t[0] == '-') {
		neg = t[0] == '-'
		t = t[1:]
	}
	base := radix
	if len(t) > 1 && t[0] == '0' {
		p := 0
		switch t[1] | 0x20 {
		case 'x':
			p = 16
		case 'b':
			p = 2
		case 'o':
			p = 8
		case 'd':
			p = 10
		}
		switch {
		case p != 0 && (radix == 0 || radix == p):
			base, t = p, t[2:]
			if t == "" || t[0] == '_' {
				return nil, bad
			}
		case p == 0 && radix == 0:
			base, t = 8, strings.TrimPrefix(t[1:], "_")
		}
	}
	if base == 0 {
		base = 10
	}
	if t == "" || t[0] == '_' || t[len(t)-1] == '_' || strings.Contains(t, "__") || t[0] == '+' || t[0] == '-' {
		return nil, bad
	}
	n, ok := new(big.Int).SetString(strings.ReplaceAll(t, "_", ""), base)
	if !ok {
		return nil, bad
	}
	if neg {
		n.Neg(n)
	}
	return n, nil
}

// inspectBytes is Ruby's inspect of a text whose encoding was forgotten, as Float() forgets it.
func inspectBytes(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	from := 0
	flush := func(to int) {
		text := InspectString(s[from:to])
		b.WriteString(text[1 : len(text)-1])
		from = to + 1
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x7f || c < ' ' && strings.IndexByte("\a\b\t\n\v\f\r\x1b", c) < 0 {
			flush(i)
			fmt.Fprintf(&b, `\x%02X`, c)
		}
	}
	flush(len(s))
	b.WriteByte('"')
	return b.String()
}

// ParseRubyFloat is Ruby's Float(s), strict.
func ParseRubyFloat(s string) (float64, error) {
	bad := fmt.Errorf("invalid value for Float(): %s", inspectBytes(s))
	t := strings.Trim(s, " \t\n\v\f\r")
	u := strings.TrimLeft(t, "+-")
	if len(t)-len(u) > 1 || u == "" || !isDigit(u[0]) && u[0] != '.' || strings.Contains(u, "__") ||
		strings.HasSuffix(u, "_") {
		return 0, bad
	}
	if strings.HasSuffix(u, ".") || strings.Contains(u, "._") || strings.Contains(u, "_.") || strings.Contains(u, ".e") ||
		strings.Contains(u, ".E") {
		return 0, bad
	}
	clean := strings.ReplaceAll(t, "_", "")
	if len(u) > 1 && u[0] == '0' && u[1]|0x20 == 'x' && !strings.ContainsAny(u, "pP") {
		clean += "p0"
	}
	f, err := strconv.ParseFloat(clean, 64)
	if err != nil && !strings.Contains(err.Error(), "range") {
		return 0, bad
	}
	return f, nil
}
