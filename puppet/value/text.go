package value

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ToString is the text of v in an interpolation, "${v}".
func ToString(v Value) string {
	switch v := v.(type) {
	case String:
		return string(v)
	case Int:
		return strconv.FormatInt(int64(v), 10)
	case Undef, nil:
		return ""
	case Bool:
		return strconv.FormatBool(bool(v))
	case Float:
		return FormatFloat(float64(v))
	}
	var b strings.Builder
	writeString(&b, v)
	return b.String()
}

// AppendString appends ToString(v) to dst.
func AppendString(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case String:
		return append(dst, v...)
	case Int:
		return strconv.AppendInt(dst, int64(v), 10)
	}
	return append(dst, ToString(v)...)
}

func writeString(b *strings.Builder, v Value) {
	switch v := v.(type) {
	case String:
		b.WriteString(string(v))
	case Int, Undef, nil, Bool, Float:
		b.WriteString(ToString(v))
	case Default:
		b.WriteString("default")
	case *Array, *Hash:
		writeContents(b, v, " => ", writeString)
	case *Regexp:
		b.WriteString(v.Delimited())
	case *Sensitive:
		b.WriteString("Sensitive [value redacted]")
	case Binary:
		b.WriteString(v.Base64())
	case *SemVer:
		b.WriteString(v.String())
	case *SemVerRange:
		b.WriteString(v.String())
	case Timespan:
		b.WriteString(v.String())
	case Timestamp:
		b.WriteString(v.String())
	case *URI:
		b.WriteString(v.String())
	case *Iterator:
		b.WriteString(v.String())
	case *Deferred, *Object:
		writeLiteral(b, v)
	case *Opaque:
		b.WriteString("(unknown: " + v.Why + ")")
	case Type:
		b.WriteString(v.String())
	default:
		panic(fmt.Sprintf("value: no text for %T", v))
	}
}

// Base64 is the strict base64 of the bytes, without line ends.
func (v Binary) Base64() string { return base64.StdEncoding.EncodeToString([]byte(v)) }

// Delimited is /source/ with slashes escaped, as Ruby's inspect prints a regexp.
func (v *Regexp) Delimited() string {
	s := v.Source
	if !strings.Contains(s, "/") && !strings.ContainsAny(s, "\n\t\r") {
		return "/" + s + "/"
	}
	var b strings.Builder
	b.WriteByte('/')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			b.WriteByte(c)
			i++
			b.WriteByte(s[i])
		case c == '/':
			b.WriteString(`\/`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('/')
	return b.String()
}

// Literal is v as Puppet prints it inside types, objects and messages: strings quoted, undef spelled out.
func Literal(v Value) string {
	var b strings.Builder
	writeLiteral(&b, v)
	return b.String()
}

// writeContents writes an array or a hash, what is in it by write.
func writeContents(b *strings.Builder, v Value, arrow string, write func(*strings.Builder, Value)) {
	switch v := v.(type) {
	case *Array:
		b.WriteByte('[')
		for i, e := range v.Elems {
			if i > 0 {
				b.WriteString(", ")
			}
			write(b, e)
		}
		b.WriteByte(']')
	case *Hash:
		b.WriteByte('{')
		for i := range v.entries {
			if i > 0 {
				b.WriteString(", ")
			}
			write(b, v.entries[i].Key)
			b.WriteString(arrow)
			write(b, v.entries[i].Value)
		}
		b.WriteByte('}')
	}
}

func writeLiteral(b *strings.Builder, v Value) {
	switch v := v.(type) {
	case String:
		b.WriteString(Quote(string(v)))
	case Undef, nil:
		b.WriteString("undef")
	case *Array, *Hash:
		writeContents(b, v, " => ", writeLiteral)
	case *SemVer, *SemVerRange, Timespan, Timestamp:
		b.WriteByte('\'')
		writeString(b, v)
		b.WriteByte('\'')
	case *URI:
		b.WriteString("URI(" + Quote(v.String()) + ")")
	case *Deferred:
		b.WriteString("Deferred({'name' => " + Quote(v.Name))
		if v.Args != nil {
			b.WriteString(", 'arguments' => ")
			writeLiteral(b, v.Args)
		}
		b.WriteString("})")
	case *Object:
		b.WriteString(v.Type.Name() + "(")
		writeLiteral(b, v.Init)
		b.WriteByte(')')
	case Binary:
		b.WriteString("Instance of Binary")
	case *Sensitive:
		b.WriteString("Instance of Sensitive") // package types, which can name the type inside, says more
	case interface{ Label() string }:
		b.WriteString(v.Label()) // an alias or object type inside of something: its name alone
	default:
		writeString(b, v)
	}
}

// Quote writes s as a Puppet string: in single quotes when it has no control characters, otherwise in double quotes.
// It follows Puppet's puppet_quote to the letter, which leaves a backslash before any other character alone.
func Quote(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 {
			return QuoteDouble(s)
		} else if c == '\'' || c == '\\' {
			plain = false
		}
	}
	if plain {
		return "'" + s + "'"
	}
	b := make([]byte, 0, len(s)+4)
	b = append(b, '\'')
	escaped := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case escaped:
			b = append(b, '\\', c)
			escaped = false
		case c == '\'':
			b = append(b, '\\', c)
		case c == '\\':
			escaped = true
		default:
			b = append(b, c)
		}
	}
	if escaped {
		b = append(b, '\\')
	}
	return string(append(b, '\''))
}

// QuoteDouble writes s as a double-quoted Puppet string.
func QuoteDouble(s string) string {
	b := make([]byte, 0, len(s)+4)
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\t':
			b = append(b, `\t`...)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '"', '$', '\\':
			b = append(b, '\\', c)
		default:
			if c < 0x20 {
				b = fmt.Appendf(b, `\u{%X}`, c)
			} else {
				b = append(b, c)
			}
		}
	}
	return string(append(b, '"'))
}

// CharLen is the number of characters of s, Ruby's String#size.
func CharLen(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return i + utf8.RuneCountInString(s[i:])
		}
	}
	return len(s)
}
