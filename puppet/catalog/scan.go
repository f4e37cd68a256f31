package catalog

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"bunraku/puppet/value"
)

// ReadJSON reads any JSON text into values: objects become hashes in the order of their keys (a key given twice keeps
// its place and takes the last value), numbers with a point or an exponent floats, integers of more than 64 bits opaque
// (value.Opaque.Digits). Catalogs are large and read by the thousand, hence a reader of its own.
func ReadJSON(text []byte) (value.Value, error) { return read(&scanner{text: string(text)}) }

// ReadExact is ReadJSON for what a catalog is made of: an integer that is not exactly ours is an error, a
// *LongNumber.
func ReadExact(text []byte) (value.Value, error) {
	return read(&scanner{text: string(text), exact: true})
}

// A LongNumber is an integer that 64 bits cannot hold. Ruby has such numbers.
type LongNumber struct{ Digits string }

func (e *LongNumber) Error() string {
	return "the number " + e.Digits + ", which does not fit into 64 bits"
}

func read(s *scanner) (value.Value, error) {
	if !utf8.ValidString(s.text) {
		return nil, errors.New("the text is not UTF-8")
	}
	v, err := s.value()
	if err != nil {
		return nil, err
	}
	if s.blank(); s.at < len(s.text) {
		return nil, s.fail("text after the end")
	}
	return v, nil
}

const maxDepth = 1000

type scanner struct {
	text  string
	at    int
	depth int
	exact bool
	keys  map[string]value.Value // keys repeat; each is kept once
}

func (s *scanner) fail(msg string) error {
	line := 1
	for i := 0; i < s.at && i < len(s.text); i++ {
		if s.text[i] == '\n' {
			line++
		}
	}
	return fmt.Errorf("%s, at byte %d (line %d)", msg, s.at, line)
}

func (s *scanner) blank() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// peek is the next byte that is no blank, 0 at the end.
func (s *scanner) peek() byte {
	s.blank()
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

func (s *scanner) value() (value.Value, error) {
	switch c := s.peek(); {
	case c == '"':
		t, err := s.string()
		return value.String(t), err
	case c == '{':
		return s.object()
	case c == '[':
		return s.array()
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	case c == 0 && s.at == len(s.text):
		return nil, s.fail("the text ends too early")
	}
	for _, w := range []struct {
		text string
		v    value.Value
	}{{"null", value.Undef{}}, {"true", value.Bool(true)}, {"false", value.Bool(false)}} {
		if len(s.text)-s.at >= len(w.text) && s.text[s.at:s.at+len(w.text)] == w.text {
			s.at += len(w.text)
			return w.v, nil
		}
	}
	return nil, s.fail("no value")
}

func (s *scanner) enter() error {
	s.at++
	if s.depth++; s.depth > maxDepth {
		return s.fail(fmt.Sprintf("nested more than %d deep", maxDepth))
	}
	return nil
}

// more steps over a comma; done is true when the container ends.
func (s *scanner) more(first bool, end byte) (done bool, err error) {
	c := s.peek()
	switch {
	case c == end:
		s.at++
		s.depth--
		return true, nil
	case first:
		return false, nil
	case c == ',':
		s.at++
		return false, nil
	case c == 0 && s.at == len(s.text):
		return false, s.fail("the text ends too early")
	}
	return false, s.fail("a comma is missing")
}

func (s *scanner) array() (value.Value, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	var elems []value.Value
	for {
		done, err := s.more(elems == nil, ']')
		if err != nil {
			return nil, err
		}
		if done {
			return value.NewArray(elems...), nil
		}
		v, err := s.value()
		if err != nil {
			return nil, err
		}
		elems = append(elems, v)
	}
}

func (s *scanner) object() (value.Value, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	b := &value.HashBuilder{}
	for first := true; ; first = false {
		done, err := s.more(first, '}')
		if err != nil {
			return nil, err
		}
		if done {
			return b.Hash(), nil
		}
		if s.peek() != '"' {
			return nil, s.fail("a key is no string")
		}
		k, err := s.key()
		if err != nil {
			return nil, err
		}
		if s.peek() != ':' {
			return nil, s.fail("a colon is missing")
		}
		s.at++
		v, err := s.value()
		if err != nil {
			return nil, err
		}
		b.Set(k, v)
	}
}

func (s *scanner) key() (value.Value, error) {
	t, err := s.string()
	if err != nil {
		return nil, err
	}
	if v, ok := s.keys[t]; ok {
		return v, nil
	}
	if s.keys == nil {
		s.keys = map[string]value.Value{}
	}
	s.keys[t] = value.String(t)
	return s.keys[t], nil
}

// string reads a string; s.at is on its quote. Text without escapes is shared with the input.
func (s *scanner) string() (string, error) {
	s.at++
	start := s.at
	var out []byte
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == '"':
			t := s.text[start:s.at]
			s.at++
			if out != nil {
				t = string(append(out, t...))
			}
			return t, nil
		case c == '\\':
			out = append(out, s.text[start:s.at]...)
			var err error
			if out, err = s.escape(out); err != nil {
				return "", err
			}
			start = s.at
		case c < 0x20:
			return "", s.fail("a control character in a string")
		default:
			s.at++
		}
	}
	return "", s.fail("a string has no end")
}

func (s *scanner) escape(out []byte) ([]byte, error) {
	if s.at+1 >= len(s.text) {
		return nil, s.fail("a string has no end")
	}
	c := s.text[s.at+1]
	s.at += 2
	switch c {
	case '"', '\\', '/':
		return append(out, c), nil
	case 'b':
		return append(out, '\b'), nil
	case 'f':
		return append(out, '\f'), nil
	case 'n':
		return append(out, '\n'), nil
	case 'r':
		return append(out, '\r'), nil
	case 't':
		return append(out, '\t'), nil
	case 'u':
		r, err := s.hex4()
		if err != nil {
			return nil, err
		}
		if utf16.IsSurrogate(r) && s.at+1 < len(s.text) && s.text[s.at] == '\\' && s.text[s.at+1] == 'u' {
			back := s.at
			s.at += 2
			low, err := s.hex4()
			if err != nil {
				return nil, err
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				s.at = back
			}
		}
		return utf8.AppendRune(out, r), nil
	}
	return nil, s.fail("no such escape")
}

func (s *scanner) hex4() (rune, error) {
	if s.at+4 > len(s.text) {
		return 0, s.fail("a string has no end")
	}
	n, err := strconv.ParseUint(s.text[s.at:s.at+4], 16, 32)
	if err != nil {
		return 0, s.fail("four hexadecimal digits are missing")
	}
	s.at += 4
	return rune(n), nil
}

func (s *scanner) digits() bool {
	from := s.at
	for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}

func (s *scanner) number() (value.Value, error) {
	from := s.at
	if s.text[s.at] == '-' {
		s.at++
	}
	first := s.at
	if !s.digits() || s.text[first] == '0' && s.at > first+1 {
		return nil, s.fail("no number")
	}
	whole := true
	if s.at < len(s.text) && s.text[s.at] == '.' {
		whole = false
		if s.at++; !s.digits() {
			return nil, s.fail("no number")
		}
	}
	if s.at < len(s.text) && (s.text[s.at] == 'e' || s.text[s.at] == 'E') {
		whole = false
		if s.at++; s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		if !s.digits() {
			return nil, s.fail("no number")
		}
	}
	text := s.text[from:s.at]
	if whole {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return value.Int(n), nil
		}
		if s.exact {
			return nil, &LongNumber{text}
		}
		return &value.Opaque{Why: "the integer " + text, Digits: text}, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, s.fail("the number " + text + " is too large")
	}
	return value.Float(f), nil
}
