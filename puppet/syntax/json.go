package syntax

import (
	"strconv"
	"unicode/utf8"

	"bunraku/source"
)

// AppendJSON appends the file as one JSON object for tools. docs/parse-json.md lists the fields of every kind; in
// short:
//
//	{"format":1,"file":"a.pp","body":BODY,"epp":null,"comments":[{"span":[0,5],"line":1,"col":1,"text":"# hi"}]}
//	BODY  {"span":[0,42],"statements":[NODE,…]}
//	NODE  {"kind":"Call","span":[6,15],"line":2,"col":1,…}
//
// A node's kind is the name of its Go type. Spans are half-open byte offsets; line and col are those of the span's
// start, both from 1, columns in characters. All fields of a kind are always there, in the order of the source, and
// null says that something was not written. Offsets and names of fields are stable within a format number.
func AppendJSON(dst []byte, f *File) []byte {
	j := tree{b: dst, f: f}
	j.raw(`{"format":1`)
	j.string("file", f.Source.Name)
	j.body("body", f.Body)
	if f.Epp == nil {
		j.key("epp")
		j.raw("null")
	} else {
		j.node("epp", f.Epp)
	}
	j.key("comments")
	j.raw("[")
	for i, c := range f.Comments {
		if i > 0 {
			j.raw(",")
		}
		j.raw("{")
		j.place(c.Where)
		j.string("text", f.Source.Slice(c.Where))
		j.raw("}")
	}
	j.raw("]}")
	return j.b
}

// tree is a buffer that knows how JSON is spelt. Its methods take the field's name first; fields follow others, so each
// begins with a comma.
type tree struct {
	b []byte
	f *File
}

func (j *tree) raw(s string) { j.b = append(j.b, s...) }

func (j *tree) key(name string) {
	j.b = append(j.b, ',', '"')
	j.raw(name)
	j.raw(`":`)
}

func (j *tree) string(name, value string) {
	j.key(name)
	j.b = appendJSONString(j.b, value)
}

func (j *tree) bool(name string, value bool) {
	j.key(name)
	j.b = strconv.AppendBool(j.b, value)
}

func (j *tree) number(name, value string) {
	j.key(name)
	j.raw(value)
}

func (j *tree) null(name string) {
	j.key(name)
	j.raw("null")
}

// optional writes a string, or null for an empty one.
func (j *tree) optional(name, value string) {
	if value == "" {
		j.null(name)
		return
	}
	j.string(name, value)
}

func (j *tree) span(name string, s source.Span) {
	j.key(name)
	j.pair(s)
}

func (j *tree) pair(s source.Span) {
	j.b = append(j.b, '[')
	j.b = strconv.AppendUint(j.b, uint64(s.Start), 10)
	j.b = append(j.b, ',')
	j.b = strconv.AppendUint(j.b, uint64(s.End), 10)
	j.b = append(j.b, ']')
}

// place writes the three fields that say where something is, without a comma before them.
func (j *tree) place(s source.Span) {
	at := j.f.Source.Position(s.Start)
	j.raw(`"span":`)
	j.pair(s)
	j.raw(`,"line":`)
	j.b = strconv.AppendInt(j.b, int64(at.Line), 10)
	j.raw(`,"col":`)
	j.b = strconv.AppendInt(j.b, int64(at.Column), 10)
}

// node writes a node, or null. A nil pointer in n must not come here: it is not a nil Node.
func (j *tree) node(name string, n Node) {
	j.key(name)
	if n == nil {
		j.raw("null")
		return
	}
	j.object(n)
}

func (j *tree) body(name string, b Body) {
	j.key(name)
	j.raw(`{"span":`)
	j.pair(b.Braces)
	nodes(j, "statements", b.Stmts)
	j.raw("}")
}

// nodes writes a list of nodes.
func nodes[N Node](j *tree, name string, list []N) {
	j.key(name)
	j.raw("[")
	for i, n := range list {
		if i > 0 {
			j.raw(",")
		}
		j.object(n)
	}
	j.raw("]")
}

// appendJSONString quotes a string. Bytes that are no UTF-8 become U+FFFD, since JSON has no way to say them.
func appendJSONString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, s[from:i]...)
				dst = append(dst, "\uFFFD"...)
				from = i + 1
			}
			i += size
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}
