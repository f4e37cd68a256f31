package stdlib

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/functions"
	"bunraku/puppet/value"
)

// A jsonStyle is how JSON is laid out: the options of Ruby's generator.
type jsonStyle struct {
	indent, space, spaceBefore, objectNL, arrayNL string
	nan                                           bool // NaN and infinities may be written
	depth                                         int  // most levels of nesting, 0 for any
}

var (
	compactJSON = jsonStyle{depth: 100}
	prettyJSON  = jsonStyle{indent: "  ", space: " ", objectNL: "\n", arrayNL: "\n", depth: 100}
)

// write is Ruby's to_json or JSON.pretty_generate.
func (st jsonStyle) write(v value.Value) (string, error) {
	var b strings.Builder
	err := st.value(&b, v, 0)
	return b.String(), err
}

func (st jsonStyle) value(b *strings.Builder, v value.Value, depth int) error {
	switch v := v.(type) {
	case nil, value.Undef:
		b.WriteString("null")
	case value.Bool, value.Int:
		b.WriteString(value.ToString(v))
	case value.Float:
		if f := float64(v); !st.nan && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return fmt.Errorf("859: %s not allowed in JSON", value.FormatFloat(f))
		}
		b.WriteString(value.FormatFloat(float64(v)))
	case value.String:
		return jsonString(b, string(v))
	case *value.Array:
		return st.list(b, len(v.Elems), '[', ']', st.arrayNL, depth,
			func(i int) error { return st.value(b, v.Elems[i], depth+1) })
	case *value.Hash:
		return st.list(b, v.Len(), '{', '}', st.objectNL, depth, func(i int) error {
			e := v.Entries()[i]
			if err := jsonString(b, functions.RubyString(e.Key)); err != nil {
				return err
			}
			b.WriteString(st.spaceBefore + ":" + st.space)
			return st.value(b, e.Value, depth+1)
		})
	case *value.Iterator:
		return jsonString(b, v.String())
	default:
		return jsonString(b, functions.RubyString(v))
	}
	return nil
}

// list writes what stands between brackets, with line ends and indentation.
func (st jsonStyle) list(b *strings.Builder, n int, open, shut byte, nl string, depth int, item func(int) error) error {
	if st.depth > 0 && depth >= st.depth {
		return fmt.Errorf("nesting of %d is too deep", depth)
	}
	indent := func(n int) { b.WriteString(strings.Repeat(st.indent, n)) }
	b.WriteByte(open)
	if open == '[' {
		b.WriteString(nl)
	}
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		if i > 0 || open == '{' {
			b.WriteString(nl)
		}
		indent(depth + 1)
		if err := item(i); err != nil {
			return err
		}
	}
	if nl != "" || open == '{' && n > 0 {
		b.WriteString(nl)
		indent(depth)
	}
	b.WriteByte(shut)
	return nil
}

func jsonString(b *strings.Builder, s string) error {
	if !utf8.ValidString(s) {
		return errors.New("source sequence is illegal/malformed utf-8")
	}
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch ch := s[i]; ch {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteByte(ch)
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
			if ch < 0x20 {
				fmt.Fprintf(b, `\u%04x`, ch)
			} else {
				b.WriteByte(ch)
			}
		}
	}
	b.WriteByte('"')
	return nil
}
