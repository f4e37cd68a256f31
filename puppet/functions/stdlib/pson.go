package stdlib

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"bunraku/puppet/functions"
	"bunraku/puppet/value"
)

// A psonReader is Puppet's own JSON parser, kept for old functions: what it accepts, what it gets wrong and how it says
// so differ from Ruby's. An open bracket at the end is closed, and an escaped character beyond ASCII is an error.
type psonReader struct {
	text  string
	depth int
}

var (
	psonIgnore  = regexp.MustCompile(`^(?://[^\n\r]*[\n\r]|/\*(?:[^*/]|/[^*]|\*[^/])*/?\*/|[ \t\r\n]+)+`)
	psonFloat   = regexp.MustCompile(`^-?(?:0|[1-9]\d*)(?:\.\d+(?i:e[+-]?\d+)|\.\d+|(?i:e[+-]?\d+))`)
	psonInteger = regexp.MustCompile(`^-?(?:0|[1-9]\d*)`)
	psonString  = regexp.MustCompile(`^"((?:[^\x00-\x1f"\\]|\\[^u\x00-\x1f]|\\u[0-9A-Fa-f]{4})*)"`)
	psonEscape  = regexp.MustCompile(`(?:\\u[0-9A-Fa-f]{4})+|\\.`)
	errNoPSON   = errors.New("no value")
)

// readPSON is PSON.load.
func readPSON(s string) (value.Value, error) {
	r := &psonReader{text: s}
	var out value.Value
	for r.text != "" {
		switch {
		case (r.text[0] == '{' || r.text[0] == '[') && out == nil:
			v, err := r.value()
			if err != nil {
				return nil, err
			}
			out = v
		case r.skip():
		default:
			if c := r.text[0]; c == '{' || c == '[' {
				r.text = r.text[1:]
			}
			return nil, r.fail("source '%s' not in PSON!")
		}
	}
	if out == nil {
		return nil, errors.New("source did not contain any PSON!")
	}
	return out, nil
}

// fail words an error with the next twenty bytes.
func (r *psonReader) fail(format string) error {
	return fmt.Errorf(format, r.text[:min(20, len(r.text))])
}

func (r *psonReader) skip() bool {
	n := len(psonIgnore.FindString(r.text))
	r.text = r.text[n:]
	return n > 0
}

func (r *psonReader) take(prefix string) bool {
	rest, found := strings.CutPrefix(r.text, prefix)
	r.text = rest
	return found
}

func (r *psonReader) value() (value.Value, error) {
	if m := psonFloat.FindString(r.text); m != "" {
		r.text = r.text[len(m):]
		f, err := value.ParseRubyFloat(m)
		return value.Float(f), err
	}
	if m := psonInteger.FindString(r.text); m != "" {
		r.text = r.text[len(m):]
		return functions.Integer(functions.LeadingInt(m))
	}
	switch {
	case r.take("true"):
		return value.Bool(true), nil
	case r.take("false"):
		return value.Bool(false), nil
	case r.take("null"):
		return value.Undef{}, nil
	case strings.HasPrefix(r.text, `"`):
		s, found, err := r.string()
		if !found {
			return nil, errNoPSON
		}
		return value.String(s), err
	case r.take("["):
		return r.list()
	case r.take("{"):
		return r.object()
	case r.take("NaN"):
		return value.Float(math.NaN()), nil
	case r.take("Infinity"):
		return value.Float(math.Inf(1)), nil
	case r.take("-Infinity"):
		return value.Float(math.Inf(-1)), nil
	}
	return nil, errNoPSON
}

func (r *psonReader) string() (s string, found bool, err error) {
	m := psonString.FindStringSubmatch(r.text)
	if m == nil {
		return "", false, nil
	}
	r.text = r.text[len(m[0]):]
	s = psonEscape.ReplaceAllStringFunc(m[1], func(e string) string {
		switch e[1] {
		case 'b':
			return "\b"
		case 'f':
			return "\f"
		case 'n':
			return "\n"
		case 'r':
			return "\r"
		case 't':
			return "\t"
		case 'u':
			t, bad := psonUnicode(e)
			if bad != nil && err == nil {
				err = bad
			}
			return t
		}
		return e[1:]
	})
	return s, true, err
}

// psonUnicode decodes escapes as Puppet does: it writes the two halves of each as characters, and reads the bytes of
// those as UTF-16.
func psonUnicode(e string) (string, error) {
	var b []byte
	for i := 0; i+6 <= len(e); i += 6 {
		var hi, lo rune
		if _, err := fmt.Sscanf(e[i+2:i+6], "%02x%02x", &hi, &lo); err != nil {
			return "", err
		}
		b = utf8.AppendRune(utf8.AppendRune(b, hi), lo)
	}
	if len(b)%2 != 0 {
		return "", fmt.Errorf(`Caught Encoding::InvalidByteSequenceError: incomplete "\x%02X" on UTF-16BE`, b[len(b)-1])
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i])<<8 | uint16(b[2*i+1])
	}
	return string(utf16.Decode(units)), nil
}

const maxPSONDepth = 100

func (r *psonReader) deeper() error {
	if r.depth++; r.depth > maxPSONDepth {
		return fmt.Errorf("nesting of %d is too deep", r.depth)
	}
	return nil
}

func (r *psonReader) list() (value.Value, error) {
	if err := r.deeper(); err != nil {
		return nil, err
	}
	defer func() { r.depth-- }()
	b := value.NewArrayBuilder(4)
	more := false
	for r.text != "" {
		v, err := r.value()
		switch {
		case err == nil:
			b.Add(v)
			r.skip()
			if more = r.take(","); !more && !strings.HasPrefix(r.text, "]") {
				return nil, r.fail("expected ',' or ']' in array at '%s'!")
			}
		case !errors.Is(err, errNoPSON):
			return nil, err
		case r.take("]"):
			if more {
				return nil, r.fail("expected next element in array at '%s'!")
			}
			return b.Array(), nil
		case r.skip():
		default:
			return nil, r.fail("unexpected token in array at '%s'!")
		}
	}
	return b.Array(), nil
}

func (r *psonReader) object() (value.Value, error) {
	if err := r.deeper(); err != nil {
		return nil, err
	}
	defer func() { r.depth-- }()
	b := value.NewHashBuilder(4)
	more := false
	for r.text != "" {
		key, found, err := r.string()
		switch {
		case err != nil:
			return nil, err
		case found:
			r.skip()
			if !r.take(":") {
				return nil, r.fail("expected ':' in object at '%s'!")
			}
			r.skip()
			v, err := r.value()
			if errors.Is(err, errNoPSON) {
				return nil, r.fail("expected value in object at '%s'!")
			}
			if err != nil {
				return nil, err
			}
			b.SetString(key, v)
			r.skip()
			if more = r.take(","); !more && !strings.HasPrefix(r.text, "}") {
				return nil, r.fail("expected ',' or '}' in object at '%s'!")
			}
		case r.take("}"):
			if more {
				return nil, r.fail("expected next name, value pair in object at '%s'!")
			}
			return b.Hash(), nil
		case r.skip():
		default:
			return nil, r.fail("unexpected token in object at '%s'!")
		}
	}
	return b.Hash(), nil
}
