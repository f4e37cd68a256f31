package value

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inspect is Ruby's inspect, which sprintf('%s') of a container and ERB show: {"a"=>1, "b"=>[1.0, nil]}.
func Inspect(v Value) string {
	var b strings.Builder
	writeInspect(&b, v)
	return b.String()
}

func writeInspect(b *strings.Builder, v Value) {
	switch v := v.(type) {
	case String:
		b.WriteString(InspectString(string(v)))
	case Undef, nil:
		b.WriteString("nil")
	case Default:
		b.WriteString(":default")
	case *Array, *Hash:
		writeContents(b, v, "=>", writeInspect)
	case *Sensitive:
		b.WriteString("#<Sensitive [value redacted]>")
	case *URI:
		b.WriteString("#<URI::" + v.rubyClass() + " " + v.String() + ">")
	case *SemVerRange:
		b.WriteString(v.Inspect())
	default:
		writeString(b, v)
	}
}

// InspectString is Ruby's String#inspect.
func InspectString(s string) string {
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && n == 1:
				b = fmt.Appendf(b, `\x%02X`, c)
			case unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) || unicode.Is(unicode.Cf, r):
				b = append(b, s[i:i+n]...)
			case r > 0xFFFF:
				b = fmt.Appendf(b, `\u{%X}`, r)
			default:
				b = fmt.Appendf(b, `\u%04X`, r)
			}
			i += n
			continue
		}
		i++
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '#':
			if i < len(s) && (s[i] == '{' || s[i] == '$' || s[i] == '@') {
				b = append(b, '\\')
			}
			b = append(b, '#')
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		case '\f':
			b = append(b, `\f`...)
		case '\v':
			b = append(b, `\v`...)
		case '\b':
			b = append(b, `\b`...)
		case '\a':
			b = append(b, `\a`...)
		case 0x1b:
			b = append(b, `\e`...)
		default:
			if c < 0x20 || c == 0x7f {
				b = fmt.Appendf(b, `\u%04X`, c)
			} else {
				b = append(b, c)
			}
		}
	}
	return string(append(b, '"'))
}
