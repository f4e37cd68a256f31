package catalog

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"bunraku/puppet/value"
	"bunraku/source"
)

// YAML says how a catalog is written as YAML: the data of the JSON, in its order.
type YAML struct {
	Redact bool                                   // hide what is sensitive
	Types  func(value.Value) (value.Value, error) // as in JSON
}

// Append appends the catalog as a YAML document that every reader, Ruby's included, understands as the same data.
func (o YAML) Append(dst []byte, c *Catalog) ([]byte, error) {
	text, err := JSON{Redact: o.Redact, Types: o.Types}.Append(nil, c)
	if err != nil {
		return dst, err
	}
	data, err := ReadJSON(text)
	if err != nil {
		return dst, err
	}
	dst = append(dst, "---\n"...)
	return yamlBlock(dst, data, 0), nil
}

// yamlBlock writes a value that starts on a line of its own.
func yamlBlock(dst []byte, v value.Value, depth int) []byte {
	switch v := v.(type) {
	case *value.Hash:
		for _, e := range v.Entries() {
			dst = indent(dst, depth)
			dst = yamlScalar(dst, e.Key, inKey)
			dst = append(dst, ':')
			dst = yamlAfter(dst, e.Value, depth)
		}
	case *value.Array:
		for _, e := range v.Elems {
			dst = indent(dst, depth)
			dst = append(dst, '-')
			if h, ok := e.(*value.Hash); ok && h.Len() > 0 {
				// The first entry stands beside the dash.
				from := len(dst)
				dst = yamlBlock(dst, h, depth+1)
				dst = append(dst[:from], append([]byte{' '}, dst[from+2*(depth+1):]...)...)
				continue
			}
			dst = yamlAfter(dst, e, depth)
		}
	default:
		dst = yamlScalar(dst, v, depth)
		dst = append(dst, '\n')
	}
	return dst
}

// yamlAfter writes a value behind a key or a dash.
func yamlAfter(dst []byte, v value.Value, depth int) []byte {
	switch v := v.(type) {
	case *value.Hash:
		if v.Len() > 0 {
			return yamlBlock(append(dst, '\n'), v, depth+1)
		}
		return append(dst, " {}\n"...)
	case *value.Array:
		if v.Len() > 0 {
			return yamlBlock(append(dst, '\n'), v, depth+1)
		}
		return append(dst, " []\n"...)
	}
	dst = append(dst, ' ')
	return append(yamlScalar(dst, v, depth), '\n')
}

// inKey is the depth of a key, which must stay on its line.
const inKey = -1

func indent(dst []byte, depth int) []byte {
	for range depth {
		dst = append(dst, "  "...)
	}
	return dst
}

func yamlScalar(dst []byte, v value.Value, depth int) []byte {
	switch v := v.(type) {
	case value.String:
		return yamlString(dst, string(v), depth)
	case value.Int:
		return strconv.AppendInt(dst, int64(v), 10)
	case value.Float:
		return append(dst, value.FormatFloat(float64(v))...)
	case value.Bool:
		return strconv.AppendBool(dst, bool(v))
	}
	return append(dst, "null"...)
}

// yamlString writes a string plain where nothing else can be meant, as a block where it has lines, else in quotes.
func yamlString(dst []byte, s string, depth int) []byte {
	switch {
	case yamlPlain(s):
		return append(dst, s...)
	case depth != inKey && yamlLines(s):
		dst = append(dst, "|\n"...)
		for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
			if line != "" {
				dst = append(indent(dst, depth+1), line...)
			}
			dst = append(dst, '\n')
		}
		return dst[:len(dst)-1]
	}
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c < 0x20 || c >= 0x7f && c < 0xa0:
			dst = append(dst, '\\', 'x', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		case c == 0x2028 || c == 0x2029 || c >= 0xfff0 && c <= 0xffff || c == 0xfeff:
			dst = append(dst, `\u`...)
			dst = append(dst, strings.ToUpper(strconv.FormatInt(int64(c), 16))...)
		default:
			dst = utf8.AppendRune(dst, c)
		}
	}
	return append(dst, '"')
}

// yamlPlain reports whether s is a string without quotes under any rules, Psych's 1.1 as well as 1.2's.
func yamlPlain(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '/'
		if i == 0 && !letter {
			return false
		}
		if !letter && !(c >= '0' && c <= '9') && !strings.ContainsRune("-.[]", rune(c)) &&
			!(c == ':' && i+1 < len(s) && s[i+1] != ' ') && !(c == ' ' && i+1 < len(s) && s[i+1] != '#' && s[i+1] != ' ') {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity":
		return false
	}
	return true
}

// yamlLines reports whether s can stand as a literal block with exactly its last line end.
func yamlLines(s string) bool {
	if !strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\n\n") || len(s) < 2 || s[0] == ' ' || s[0] == '\n' ||
		s[0] == '\t' {
		return false
	}
	if !source.Harmless(s) {
		return false // in quotes what a terminal or a log would obey can be escaped
	}
	for _, c := range s {
		if c != '\n' && c != '\t' && (unicode.IsControl(c) || c == 0x2028 || c == 0x2029 || c == 0xfeff || c >= 0xfff0 &&
			c <= 0xffff) {
			return false
		}
	}
	return true
}
