package catalog

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"bunraku/puppet/value"
)

// Redacted is what human output shows instead of a secret.
const Redacted = "Sensitive [value redacted]"

// JSON says how a catalog is written. The zero JSON is Puppet's wire format: compact, secrets in clear, as the agent
// needs them.
type JSON struct {
	Indent bool // as Ruby's JSON.pretty_generate
	Redact bool // hide what is sensitive

	// Types turns a type into data, hashes with the key __ptype: types.ToData. Without it a type is written as a reference
	// by name, which Puppet reads too, but writes only for types that it does not know.
	Types func(value.Value) (value.Value, error)
}

// Append appends the catalog. It fails only on what JSON cannot say: text that is not UTF-8, numbers that are not
// finite. The bytes are then still whole, with the character U+FFFD or null in their place.
func (o JSON) Append(dst []byte, c *Catalog) ([]byte, error) {
	w := &writer{dst: slices.Grow(dst, c.size()), JSON: o}
	w.catalog(c)
	return w.dst, errors.Join(w.errs...)
}

// size guesses how many bytes a catalog takes, a little too many rather than too few.
func (c *Catalog) size() int {
	n := 1024 + 16*len(c.Classes)
	for _, r := range c.Resources {
		n += 100 + len(r.Type) + len(r.Title) + len(r.File) + 14*len(r.Tags)
		for i := range r.Params {
			n += 8 + len(r.Params[i].Name)
			switch v := r.Params[i].Value.(type) {
			case value.String:
				n += len(v) + len(v)/32
			case *value.Array:
				n += 24 * len(v.Elems)
			case *value.Hash:
				n += 48 * v.Len()
			default:
				n += 24
			}
		}
	}
	for _, e := range c.Edges {
		n += 40 + len(e.Source.Type) + len(e.Source.Title) + len(e.Target.Type) + len(e.Target.Title)
	}
	return n
}

// AppendResource appends one resource.
func (o JSON) AppendResource(dst []byte, r *Resource) ([]byte, error) {
	w := &writer{dst: dst, JSON: o}
	w.resource(r)
	return w.dst, errors.Join(w.errs...)
}

// AppendValue appends one value as rich data.
func (o JSON) AppendValue(dst []byte, v value.Value) ([]byte, error) {
	w := &writer{dst: dst, JSON: o}
	w.value(v)
	return w.dst, errors.Join(w.errs...)
}

// writer appends JSON. Containers are written as open, then next before each item, then close.
type writer struct {
	JSON
	dst   []byte
	depth int
	first bool      // no item of the innermost container was written yet
	at    *Resource // what is being written, for errors
	param string
	errs  []error
}

const blanks = "                                                                "

func (w *writer) line() {
	w.dst = append(w.dst, '\n')
	for n := 2 * w.depth; n > 0; n -= len(blanks) {
		w.dst = append(w.dst, blanks[:min(n, len(blanks))]...)
	}
}

func (w *writer) open(c byte) {
	w.dst = append(w.dst, c)
	w.depth++
	w.first = true
}

func (w *writer) next() {
	if !w.first {
		w.dst = append(w.dst, ',')
	}
	w.first = false
	if w.Indent {
		w.line()
	}
}

// close ends a container. An empty one looks odd when indented: so does Ruby's.
func (w *writer) close(c byte) {
	w.depth--
	if w.Indent {
		if w.first && c == ']' {
			w.dst = append(w.dst, '\n')
		}
		w.line()
	}
	w.first = false
	w.dst = append(w.dst, c)
}

func (w *writer) key(k string) {
	w.next()
	w.string(k)
	w.dst = append(w.dst, ':')
	if w.Indent {
		w.dst = append(w.dst, ' ')
	}
}

// field is key for a name that needs no quoting.
func (w *writer) field(k string) {
	w.next()
	w.dst = append(w.dst, '"')
	w.dst = append(w.dst, k...)
	w.dst = append(w.dst, '"', ':')
	if w.Indent {
		w.dst = append(w.dst, ' ')
	}
}

func (w *writer) strings(list []string) {
	w.open('[')
	for _, s := range list {
		w.next()
		w.string(s)
	}
	w.close(']')
}

// quoted says what to do with each byte of a string: 0 it stands for itself (so do / and DEL in Ruby), 1 it becomes
// \u00XX, 2 it belongs to a character beyond ASCII, any other value is the letter behind a backslash.
var quoted = func() (t [256]byte) {
	for c := range 0x20 {
		t[c] = 1
	}
	for c := 0x80; c < 0x100; c++ {
		t[c] = 2
	}
	t['"'], t['\\'], t['\n'], t['\t'], t['\r'], t['\b'], t['\f'] = '"', '\\', 'n', 't', 'r', 'b', 'f'
	return t
}()

// plain reports whether eight bytes all stand for themselves. It looks at them at once: a byte of a word is below 0x20,
// or equal to another, if subtracting makes it borrow.
func plain(s string) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	_ = s[7]
	w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(
		s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	quote, backslash := w^'"'*ones, w^'\\'*ones
	return (w|(w-0x20*ones)|(quote-ones)&^quote|(backslash-ones)&^backslash)&tops == 0
}

// stands reports whether a text is all characters that stand for themselves, as most texts are.
func stands(s string) bool {
	if len(s) < 8 {
		for i := range len(s) {
			if quoted[s[i]] != 0 {
				return false
			}
		}
		return true
	}
	for i := 0; i+8 <= len(s); i += 8 {
		if !plain(s[i : i+8]) {
			return false
		}
	}
	return plain(s[len(s)-8:])
}

func (w *writer) string(s string) {
	dst := append(w.dst, '"')
	if stands(s) {
		dst = append(dst, s...)
	} else {
		w.dst = dst
		w.text(s)
		dst = w.dst
	}
	w.dst = append(dst, '"')
}

func (w *writer) text(s string) {
	start, checked := 0, false
	for i := 0; i < len(s); i++ {
		for i+8 <= len(s) && plain(s[i:i+8]) {
			i += 8
		}
		if i == len(s) {
			break
		}
		q := quoted[s[i]]
		switch {
		case q == 0:
			continue
		case q == 2:
			if !checked && !utf8.ValidString(s[i:]) {
				w.fail("source sequence is illegal/malformed utf-8")
				w.dst = append(w.dst, s[start:i]...)
				w.text(string([]rune(s[i:])))
				return
			}
			checked = true
			continue
		}
		w.dst = append(w.dst, s[start:i]...)
		start = i + 1
		if q == 1 {
			const hex = "0123456789abcdef"
			w.dst = append(w.dst, '\\', 'u', '0', '0', hex[s[i]>>4], hex[s[i]&15])
		} else {
			w.dst = append(w.dst, '\\', q)
		}
	}
	w.dst = append(w.dst, s[start:]...)
}

func (w *writer) fail(msg string) {
	if w.at != nil {
		msg = fmt.Sprintf("%s %s: %s", w.at.Ref(), w.param, msg)
	}
	w.errs = append(w.errs, errors.New(msg))
}

func (w *writer) null() { w.dst = append(w.dst, "null"...) }

func (w *writer) bool(b bool) { w.dst = strconv.AppendBool(w.dst, b) }

func (w *writer) float(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.fail(value.FormatFloat(f) + " not allowed in JSON")
		w.null()
		return
	}
	w.dst = append(w.dst, value.FormatFloat(f)...)
}

// catalog follows Puppet::Resource::Catalog#to_data_hash.
func (w *writer) catalog(c *Catalog) {
	w.open('{')
	w.field("tags")
	w.strings(c.Tags)
	w.field("name")
	w.string(c.Name)
	w.field("version")
	w.plain(value.OrUndef(c.Version))
	w.field("code_id")
	if c.CodeID == "" {
		w.null()
	} else {
		w.string(c.CodeID)
	}
	if c.UUID != "" {
		w.field("catalog_uuid")
		w.string(c.UUID)
	}
	w.field("catalog_format")
	w.dst = strconv.AppendInt(w.dst, int64(c.Format), 10)
	w.field("environment")
	w.string(c.Environment)
	w.field("resources")
	w.open('[')
	for _, r := range c.Resources {
		w.next()
		w.resource(r)
	}
	w.close(']')
	w.field("edges")
	w.open('[')
	for _, e := range c.Edges {
		w.next()
		w.edge(e)
	}
	w.close(']')
	w.field("classes")
	w.strings(c.Classes)
	for _, m := range []struct {
		key  string
		hash *value.Hash
	}{{"metadata", c.Metadata}, {"recursive_metadata", c.RecursiveMetadata}} {
		if m.hash != nil {
			w.field(m.key)
			w.plain(m.hash)
		}
	}
	w.close('}')
}

// resource follows Puppet::Resource#to_data_hash.
func (w *writer) resource(r *Resource) {
	w.at, w.param = r, ""
	w.open('{')
	w.field("type")
	w.string(r.Type)
	w.field("title")
	w.string(r.Title)
	w.field("tags")
	w.strings(r.Tags)
	if r.File != "" {
		w.field("file")
		w.string(r.File)
	}
	if r.Line != 0 {
		w.field("line")
		w.dst = strconv.AppendInt(w.dst, int64(r.Line), 10)
	}
	if !r.ExportedLast {
		w.field("exported")
		w.bool(r.Exported)
	}
	if r.Kind != NoKind {
		w.field("kind")
		w.string(string(r.Kind))
	}
	if r.ExportedLast {
		w.field("exported")
		w.bool(r.Exported)
	}
	if len(r.Params) > 0 {
		w.field("parameters")
		w.open('{')
		for i := range r.Params {
			p := &r.Params[i]
			w.key(p.Name)
			w.param = p.Name
			if w.Redact && r.IsSensitive(p.Name) {
				w.string(Redacted)
				continue
			}
			w.value(p.Value)
		}
		w.close('}')
	}
	if len(r.Sensitive) > 0 {
		w.field("sensitive_parameters")
		w.strings(r.Sensitive)
	}
	w.close('}')
	w.at = nil
}

func (w *writer) edge(e Edge) {
	w.open('{')
	w.field("source")
	w.ref(e.Source)
	w.field("target")
	w.ref(e.Target)
	if e.Label != nil {
		for _, l := range e.Label.Entries() {
			w.key(value.ToString(l.Key))
			w.value(l.Value)
		}
	}
	w.close('}')
}

func (w *writer) ref(r *Resource) {
	if stands(r.Type) && stands(r.Title) {
		dst := append(w.dst, '"')
		dst = append(dst, r.Type...)
		dst = append(dst, '[')
		dst = append(dst, r.Title...)
		w.dst = append(dst, ']', '"')
		return
	}
	w.dst = append(w.dst, '"')
	w.text(r.Type)
	w.dst = append(w.dst, '[')
	w.text(r.Title)
	w.dst = append(w.dst, ']', '"')
}
