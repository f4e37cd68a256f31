package onigmo

import "strings"

// Embed is Ruby's Regexp#to_s: a pattern as it stands inside of another, (?-mix:…). Options that the pattern begins
// with, and a group with options around all of it, become those of the result.
func Embed(source string, flags Flags) string {
	text, on := source, flags
	for strings.HasPrefix(text, "(?") && len(text) >= 4 {
		rest, now := text[2:], on
		for len(rest) > 0 && optionFlag(rest[0]) != 0 {
			now |= optionFlag(rest[0])
			rest = rest[1:]
		}
		if len(rest) > 1 && rest[0] == '-' {
			rest = rest[1:]
			for len(rest) > 0 && optionFlag(rest[0]) != 0 {
				now &^= optionFlag(rest[0])
				rest = rest[1:]
			}
		}
		if strings.HasPrefix(rest, ")") {
			text, on = rest[1:], now
			continue
		}
		inner, group := strings.CutPrefix(rest, ":")
		if group && strings.HasSuffix(inner, ")") {
			if _, err := Compile(inner[:len(inner)-1], now); err == nil {
				text, on = inner[:len(inner)-1], now
				break
			}
		}
		text, on = source, flags
		break
	}
	yes, no := "", ""
	for _, c := range []byte("mix") {
		if on&optionFlag(c) != 0 {
			yes += string(c)
		} else {
			no += string(c)
		}
	}
	if no != "" {
		no = "-" + no
	}
	return "(?" + yes + no + ":" + escapeSource(text) + ")"
}

func optionFlag(c byte) Flags {
	switch c {
	case 'm':
		return Multiline
	case 'i':
		return IgnoreCase
	case 'x':
		return Extended
	}
	return 0
}

// escapeSource writes a pattern so that it can stand between slashes.
func escapeSource(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			b.WriteByte(c)
			i++
			b.WriteByte(s[i])
		case c == '/':
			b.WriteString(`\/`)
		case c < 0x20 && c != '\n' && c != '\t' && c != '\r' && c != '\v' && c != '\f' || c == 0x7f:
			const hex = "0123456789ABCDEF"
			b.WriteString(`\x` + string(hex[c>>4]) + string(hex[c&15]))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Quote is Ruby's Regexp.escape: a text as a pattern that matches only it.
func Quote(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '[', ']', '{', '}', '(', ')', '|', '-', '*', '.', '\\', '?', '+', '^', '$', ' ', '#':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		case '\f':
			b.WriteString(`\f`)
		case '\v':
			b.WriteString(`\v`)
		case '\r':
			b.WriteString(`\r`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
