package datafile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/value"
	"bunraku/source"
)

// ReadJSON reads a JSON text as Ruby's parser does: comments are allowed, NaN is not, a key given twice takes the last
// value.
func ReadJSON(f *source.File) (*Node, error) {
	r := &jsonReader{file: f, text: f.Text}
	r.blank()
	start := r.at
	n, err := r.value(0)
	if err == errUnexpected {
		return nil, r.unexpected("859", start)
	}
	if err != nil {
		return nil, err
	}
	r.blank()
	if r.at < len(r.text) || r.stuck {
		return nil, r.unexpected("859", r.at)
	}
	return n, nil
}

// errUnexpected is a syntax error whose place is the nearest list or, without one, the document: that is how Ruby's
// parser reports it, with a line number of its own source in front.
var errUnexpected = errors.New("unexpected token")

const maxJSONDepth = 100 // Ruby's max_nesting

type jsonReader struct {
	file  *source.File
	text  string
	at    int
	stuck bool // in what began as a comment: nothing can follow
}

func (r *jsonReader) fail(at int, text string) error {
	at = min(at, len(r.text))
	return &source.Diagnostic{Code: "H0110", Summary: text,
		Place: source.Place{File: r.file, Span: source.Span{Start: uint32(at), End: uint32(min(at+1, len(r.text)))}}}
}

func (r *jsonReader) unexpected(line string, at int) error {
	at = min(at, len(r.text))
	return r.fail(at, line+": unexpected token at '"+r.text[at:]+"'")
}

// blank skips white space and comments. A slash that begins no comment is passed, and a comment without an end too: the
// error is behind.
func (r *jsonReader) blank() {
	for r.at < len(r.text) && !r.stuck {
		rest := r.text[r.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			r.at++
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				r.at, r.stuck = len(r.text), true
				return
			}
			r.at += end + 4
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				r.at, r.stuck = len(r.text), true
				return
			}
			r.at += end + 1
		case rest[0] == '/':
			r.at, r.stuck = r.at+1, true
		default:
			return
		}
	}
}

func (r *jsonReader) span(start int) source.Span {
	return source.Span{Start: uint32(start), End: uint32(r.at)}
}

func (r *jsonReader) value(depth int) (*Node, error) {
	start := r.at
	if r.at >= len(r.text) || r.stuck {
		return nil, errUnexpected
	}
	rest := r.text[r.at:]
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "NaN"):
		return nil, r.unexpected("225", r.at)
	case strings.HasPrefix(rest, "Infinity"):
		return nil, r.unexpected("232", r.at+8)
	case strings.HasPrefix(rest, "-Infinity"):
		return nil, r.unexpected("249", r.at)
	case c == '{':
		return r.object(depth + 1)
	case c == '[':
		return r.list(depth + 1)
	case c == '"':
		s, err := r.string()
		if err != nil {
			return nil, err
		}
		return scalar(value.String(s), r.span(start)), nil
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	}
	for _, w := range [...]struct {
		text string
		v    value.Value
	}{{"null", value.Undef{}}, {"true", value.Bool(true)}, {"false", value.Bool(false)}} {
		if strings.HasPrefix(r.text[r.at:], w.text) {
			r.at += len(w.text)
			return scalar(w.v, r.span(start)), nil
		}
	}
	return nil, errUnexpected
}

func (r *jsonReader) tooDeep(at, depth int) error {
	return r.fail(at, fmt.Sprintf("nesting of %d is too deep", depth))
}

func (r *jsonReader) list(depth int) (*Node, error) {
	start := r.at
	if depth > maxJSONDepth {
		return nil, r.tooDeep(start, depth)
	}
	r.at++
	r.blank()
	var kids []Kid
	if r.take(']') {
		return array(nil, r.span(start)), nil
	}
	for {
		at := r.at
		n, err := r.value(depth)
		if err == errUnexpected {
			return nil, r.unexpected("451", at)
		}
		if err != nil {
			return nil, err
		}
		kids = append(kids, Kid{Node: n})
		r.blank()
		if r.take(']') {
			return array(kids, r.span(start)), nil
		}
		if !r.take(',') {
			return nil, r.unexpected("451", r.at)
		}
		r.blank()
	}
}

func (r *jsonReader) take(c byte) bool {
	if r.at < len(r.text) && r.text[r.at] == c && !r.stuck {
		r.at++
		return true
	}
	return false
}

func (r *jsonReader) object(depth int) (*Node, error) {
	start := r.at
	if depth > maxJSONDepth {
		return nil, r.tooDeep(start, depth)
	}
	r.at++
	r.blank()
	m := &hashMaker{}
	if r.take('}') {
		return m.node(r.span(start)), nil
	}
	for {
		keyStart := r.at
		if r.at >= len(r.text) || r.text[r.at] != '"' || r.stuck {
			return nil, errUnexpected
		}
		key, err := r.string()
		if err != nil {
			return nil, err
		}
		keySpan := r.span(keyStart)
		r.blank()
		if !r.take(':') {
			return nil, errUnexpected
		}
		r.blank()
		n, err := r.value(depth)
		if err != nil {
			return nil, err
		}
		m.set(value.String(key), Kid{Key: keySpan, Node: n})
		r.blank()
		if r.take('}') {
			return m.node(r.span(start)), nil
		}
		if !r.take(',') {
			return nil, errUnexpected
		}
		r.blank()
	}
}

func (r *jsonReader) number() (*Node, error) {
	start := r.at
	digits := func() bool {
		from := r.at
		for r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
			r.at++
		}
		return r.at > from
	}
	r.take('-')
	if r.at < len(r.text) && r.text[r.at] == '0' {
		r.at++
		if r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
			return nil, errUnexpected
		}
	} else if !digits() {
		return nil, errUnexpected
	}
	whole, float := r.at, false
	if r.take('.') {
		float = digits()
	}
	if (float || r.at == whole) && (r.take('e') || r.take('E')) {
		if !r.take('+') {
			r.take('-')
		}
		float = digits()
	}
	// what goes on like a number makes Ruby take the integer alone
	if !float || r.at < len(r.text) && strings.IndexByte(".-eE", r.text[r.at]) >= 0 {
		r.at, float = whole, false
	}
	text := r.text[start:r.at]
	if float {
		f, _ := strconv.ParseFloat(text, 64)
		if math.IsNaN(f) {
			return nil, errUnexpected
		}
		return scalar(value.Float(f), r.span(start)), nil
	}
	n, _ := new(big.Int).SetString(text, 10)
	return scalar(bigValue(n), r.span(start)), nil
}

func (r *jsonReader) string() (string, error) {
	start := r.at
	r.at++
	from := r.at
	for r.at < len(r.text) && r.text[r.at] != '"' && r.text[r.at] != '\\' && r.text[r.at] >= ' ' {
		r.at++
	}
	if r.take('"') {
		return r.text[from : r.at-1], nil
	}
	var b strings.Builder
	b.WriteString(r.text[from:r.at])
	for r.at < len(r.text) {
		c := r.text[r.at]
		r.at++
		switch {
		case c == '"':
			return b.String(), nil
		case c < ' ':
			return "", errUnexpected
		case c != '\\':
			b.WriteByte(c)
		default:
			if err := r.escape(&b, start); err != nil {
				return "", err
			}
		}
	}
	return "", errUnexpected
}

func (r *jsonReader) escape(b *strings.Builder, start int) error {
	if r.at >= len(r.text) || r.text[r.at] < ' ' {
		return errUnexpected
	}
	c := r.text[r.at]
	r.at++
	if i := strings.IndexByte("bfnrt", c); i >= 0 {
		b.WriteByte("\b\f\n\r\t"[i])
		return nil
	}
	if c != 'u' {
		b.WriteByte(c)
		return nil
	}
	code, ok := r.hex4()
	if !ok {
		return errUnexpected
	}
	if code >= 0xD800 && code < 0xDC00 { // Ruby takes whatever escape follows for the second half
		mark, second := r.at, strings.HasPrefix(r.text[r.at:], `\u`)
		r.at += 2
		low, ok := r.hex4()
		if !second || !ok {
			return r.fail(mark-6, "521: incomplete surrogate pair at '"+r.text[mark-6:]+"'")
		}
		code = 0x10000 + (code-0xD800)<<10 + low&0x3FF
	}
	if code >= 0xD800 && code < 0xE000 { // a lone surrogate has no UTF-8 form; Ruby writes its three bytes all the same
		b.Write([]byte{0xE0 | byte(code>>12), 0x80 | byte(code>>6)&0x3F, 0x80 | byte(code)&0x3F})
		return nil
	}
	b.Write(utf8.AppendRune(nil, rune(code)))
	return nil
}

func (r *jsonReader) hex4() (int, bool) {
	if r.at+4 > len(r.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(r.text[r.at:r.at+4], 16, 32)
	if err != nil {
		return 0, false
	}
	r.at += 4
	return int(n), true
}

// BrokenJSON says what is wrong with a text and where. Ruby's parser, which Puppet's message is from, tells where the
// outermost object begins, and quotes all that follows; who knows what secrets that holds.
func BrokenJSON(text string) (string, source.Span) {
	const what = "cannot be read as JSON"
	var at *json.SyntaxError
	if err := json.Unmarshal([]byte(text), new(any)); !errors.As(err, &at) {
		return what, source.Span{}
	}
	from := max(int(at.Offset)-1, 0)
	if from >= len(text) || at.Error() == "unexpected end of JSON input" {
		return what + ": it ends too early", source.Span{Start: uint32(len(text)), End: uint32(len(text))}
	}
	return what + ": " + at.Error(), source.Span{Start: uint32(from), End: uint32(from + 1)}
}
