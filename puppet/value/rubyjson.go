package value

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A JSONStyle is how Ruby's generator lays out JSON.
type JSONStyle struct {
	Indent, Space, SpaceBefore, ObjectNL, ArrayNL string
	NaN                                           bool // NaN and infinities may be written
	Depth                                         int  // most levels of nesting, 0 for any
}

// CompactJSON is to_json's style, without any blanks.
func CompactJSON() JSONStyle { return JSONStyle{Depth: 100} }

// PrettyJSON is JSON.pretty_generate's style.
func PrettyJSON() JSONStyle {
	return JSONStyle{Indent: "  ", Space: " ", ObjectNL: "\n", ArrayNL: "\n", Depth: 100}
}

// Array writes what an array holds, and the brackets, by calling item for each of its n elements. depth is how many
// containers it is in.
func (st JSONStyle) Array(b *strings.Builder, n, depth int, item func(i int)) {
	b.WriteByte('[')
	b.WriteString(st.ArrayNL)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
			b.WriteString(st.ArrayNL)
		}
		st.pad(b, depth+1)
		item(i)
	}
	if st.ArrayNL != "" {
		b.WriteString(st.ArrayNL)
		st.pad(b, depth)
	}
	b.WriteByte(']')
}

// Object writes what a hash holds, and the braces: key and item are called in turn for each of its n entries.
func (st JSONStyle) Object(b *strings.Builder, n, depth int, key, item func(i int)) {
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(st.ObjectNL)
		st.pad(b, depth+1)
		key(i)
		b.WriteString(st.SpaceBefore + ":" + st.Space)
		item(i)
	}
	if st.ObjectNL != "" {
		b.WriteString(st.ObjectNL)
		st.pad(b, depth)
	}
	b.WriteByte('}')
}

func (st JSONStyle) pad(b *strings.Builder, depth int) {
	if st.Indent != "" {
		b.WriteString(strings.Repeat(st.Indent, depth))
	}
}

// TooDeep is Ruby's message for a container at a depth, "" if it may be written.
func (st JSONStyle) TooDeep(depth int) string {
	if st.Depth == 0 || depth < st.Depth {
		return ""
	}
	return fmt.Sprintf("nesting of %d is too deep", depth)
}

// NotUTF8 is the message of Ruby's generator for a text that it does not write.
const NotUTF8 = "source sequence is illegal/malformed utf-8"

// JSONText writes a text as Ruby's generator does. It is false for one that is no UTF-8.
func JSONText(b *strings.Builder, s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case '\f':
			b.WriteString(`\f`)
		case '\b':
			b.WriteString(`\b`)
		default:
			if c < ' ' {
				fmt.Fprintf(b, `\u%04x`, c)
			} else {
				b.WriteByte(c)
			}
		}
	}
	b.WriteByte('"')
	return true
}
