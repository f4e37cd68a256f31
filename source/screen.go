package source

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a stranger has written comes back in what we print: titles, messages, names of files. Two readers of our output
// take orders from it. A terminal obeys control characters, and a viewer of text obeys those that turn the direction of
// writing. The log of a CI server obeys lines: GitHub's those that begin with "::" after blanks, and, as those of Azure
// and TeamCity, "##[" or "##name[" wherever it stands. Escape writes a text so that neither finds anything to obey, in
// the spelling of the format that it is part of.

// Form is how a format spells a character that must not stand there as it is.
type Form uint8

const (
	Plain  Form = iota // for people: \u{1b}, as Puppet's own strings have it
	Quoted             // inside of quotes, in JSON, YAML and SmartFrog: \u001b
	Markup             // XML: &#x1b;
)

// Commanding reports whether a character may act on whoever shows it: controls but the ends of lines and tabs, and what
// turns or ends the direction of writing.
func Commanding(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return true
	case r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 ||
		r == 0xfeff:
		return true
	}
	return false
}

// Harmless reports whether a text can be shown as it is: neither a terminal nor the log of a CI server finds an order
// in it.
func Harmless(s string) bool { return len(Escape(nil, s, Plain, true)) == len(s) }

// Escape appends a text, spelt so that it is only read. start says whether it begins a line, or comes behind nothing
// but blanks.
func Escape(dst []byte, s string, form Form, start bool) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= ' ' && c < 0x7f && c != ':' && c != '#':
			start = start && c == ' '
			dst = append(dst, c)
			i++
			continue
		case c == '\n':
			start = true
			dst = append(dst, c)
			i++
			continue
		case c == ':' && start && strings.HasPrefix(s[i:], "::"):
			dst = spell(dst, ':', form)
		case c == '#' && logCommand(s[i:]):
			dst = spell(append(dst, '#'), '#', form)
			i++
		case c < utf8.RuneSelf:
			if Commanding(rune(c)) {
				dst = spell(dst, rune(c), form)
			} else {
				dst = append(dst, c)
			}
			start = start && (c == '\t')
			i++
			continue
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && n == 1 && form == Plain:
				dst = fmt.Appendf(dst, `\x%02x`, c)
			case r == utf8.RuneError && n == 1:
				dst = spell(dst, utf8.RuneError, form)
			case Commanding(r):
				dst = spell(dst, r, form)
			default:
				dst = append(dst, s[i:i+n]...)
			}
			start = start && unicode.IsSpace(r) && !Commanding(r)
			i += n
			continue
		}
		start = false
		i++
	}
	return dst
}

// logCommand reports whether a text begins like ##[ or ##name[.
func logCommand(s string) bool {
	rest, ok := strings.CutPrefix(s, "##")
	if !ok {
		return false
	}
	rest = strings.TrimLeftFunc(rest, func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) })
	return strings.HasPrefix(rest, "[")
}

func spell(dst []byte, r rune, form Form) []byte {
	switch form {
	case Quoted:
		return fmt.Appendf(dst, `\u%04x`, r)
	case Markup:
		return fmt.Appendf(dst, "&#x%x;", r)
	}
	return fmt.Appendf(dst, `\u{%x}`, r)
}
