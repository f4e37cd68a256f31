package lookup

import (
	"strconv"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Key is a parsed lookup key: the root key that data files are asked for, and the segments to dig into what they
// answer.
type Key struct {
	Text      string
	Root      string
	Segments  []value.Value // strings, and integers that index arrays
	Module    string        // the first part of a qualified root, "" for none
	qualified bool
}

// ParseKey splits a key at its dots. A segment in quotes may contain dots; one of digits is an index.
func ParseKey(text string) (*Key, error) {
	if !strings.ContainsAny(text, `'".`) {
		return rootKey(text), nil
	}
	segments, ok := splitKey(text)
	if !ok {
		return nil, fail("H0201", "Syntax error in key: '"+text+"'")
	}
	root, is := segments[0].(value.String)
	if !is {
		return nil, fail("H0201", "undefined method `index' for "+value.ToString(segments[0])+":Integer")
	}
	k := &Key{Text: text, Root: string(root), Segments: segments[1:]}
	k.setModule()
	return k, nil
}

// rootKey is a key without steps, whatever its text holds.
func rootKey(root string) *Key {
	k := &Key{Text: root, Root: root}
	k.setModule()
	return k
}

func (k *Key) setModule() { k.Module, k.qualified = moduleOf(k.Root) }

// Codes H02 are lookup errors, H03 are lookup errors to which Puppet gives an issue code of its own, H04 are other
// errors. The difference shows in the global layer, which words only the first kind anew.
func fail(code, text string) error { return &source.Diagnostic{Code: code, Summary: text} }

// splitKey follows Puppet's SubLookup#split_key, including what it takes for a syntax error.
func splitKey(key string) (segments []value.Value, ok bool) {
	if !strings.ContainsAny(key, `'".`) {
		return []value.Value{value.String(key)}, true
	}
	// Tokens and the text between them alternate; between two tokens there must be exactly one dot, and nothing before the
	// first.
	at := 0
	for {
		token, end := keyToken(key, at)
		if end < 0 || end == at {
			return nil, false
		}
		segments = append(segments, token)
		if at = end; at == len(key) {
			return segments, true
		}
		if key[at] != '.' {
			return nil, false
		}
		if at++; at == len(key) { // Ruby's split drops a trailing empty field, and the dot before it counts as none
			return nil, false
		}
	}
}

// keyToken reads a quoted or a plain segment; blanks around it do not count.
func keyToken(key string, at int) (value.Value, int) {
	i := at
	for i < len(key) && isSpace(key[i]) {
		i++
	}
	if i < len(key) && (key[i] == '"' || key[i] == '\'') {
		quote := key[i]
		end := strings.IndexByte(key[i+1:], quote)
		if end > 0 {
			text := key[i+1 : i+1+end]
			for i += end + 2; i < len(key) && isSpace(key[i]); i++ {
			}
			return value.String(text), i
		}
	}
	end := at
	for end < len(key) && key[end] != '.' && key[end] != '"' && key[end] != '\'' {
		end++
	}
	text := value.Strip(key[at:end])
	if n, is := indexSegment(text); is {
		return n, end
	}
	return value.String(text), end
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// indexSegment: Puppet's pattern is (:?[+-]?[0-9]+), whose colon looks like a slip; ":1".to_i is 0.
func indexSegment(s string) (value.Int, bool) {
	colon := strings.HasPrefix(s, ":")
	digits := strings.TrimPrefix(s, ":")
	if len(digits) > 0 && (digits[0] == '+' || digits[0] == '-') {
		digits = digits[1:]
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	if colon {
		return 0, true
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return value.Int(n), err == nil
}

// dig follows segments into a value. found is false when one of them is not there.
func (inv *invocation) dig(key string, segments []value.Value, it item) (item, bool, error) {
	if len(segments) == 0 {
		return it, true, nil
	}
	defer inv.explain.push(&Event{Kind: SubKey, Name: joinSegments(segments)})()
	for _, s := range segments {
		next, found, err := inv.digOne(key, s, it)
		if err != nil || !found {
			return item{ref: it.ref}, false, err // what was dug so far decides that it ends here
		}
		it = next
	}
	return it, true, nil
}

func joinSegments(segments []value.Value) string {
	texts := make([]string, len(segments))
	for i, s := range segments {
		texts[i] = value.ToString(s)
	}
	return strings.Join(texts, ".")
}

func (inv *invocation) digOne(key string, segment value.Value, it item) (item, bool, error) {
	defer inv.explain.push(&Event{Kind: Segment})()
	missing := func() (item, bool, error) {
		inv.depend(it.ref)
		inv.explain.notFound(value.ToString(segment))
		return item{}, false, nil
	}
	t := inv.s.trace
	found := func(v value.Value, ref provenance.Ref, key provenance.Ref) (item, bool, error) {
		inv.explain.found(value.ToString(segment), v)
		return item{v, t.With(ref, it.ref, key)}, true, nil
	}
	switch v := it.v.(type) {
	case value.Undef:
		return missing()
	case *value.Opaque:
		return it, true, nil
	case *value.Array:
		if n, is := segment.(value.Int); is {
			if n < 0 || int(n) >= v.Len() {
				return missing()
			}
			return found(v.Elems[n], v.Ref(int(n)), 0)
		}
	case *value.Hash:
		if e := v.Entry(segment); e != nil {
			return found(e.Value, e.Ref, inv.s.keyRef(v, e))
		}
		return missing()
	}
	return item{}, false, fail("H0202", "Data Provider type mismatch: Got "+types.RubyClass(it.v)+
		" when a hash-like object was expected to access value using '"+value.ToString(segment)+"' from key '"+key+"'")
}

// keyRef is what makes the key of an entry the last of its name: its place, and those of the keys behind it.
func (s *Session) keyRef(h *value.Hash, e *value.Entry) provenance.Ref {
	if s.trace == nil {
		return 0
	}
	refs := []provenance.Ref{e.KeyRef}
	entries := h.Entries()
	for i := len(entries) - 1; i >= 0 && &entries[i] != e; i-- {
		if !s.trace.IsKey(entries[i].KeyRef) {
			refs = append(refs, entries[i].KeyRef)
		}
	}
	return s.trace.Join(refs...)
}

// undig wraps a value so that digging by the key's segments finds it again.
func (k *Key) undig(it item) item {
	for i := len(k.Segments) - 1; i >= 0; i-- {
		if n, is := k.Segments[i].(value.Int); is {
			b := value.NewArrayBuilder(int(n) + 1)
			for range n {
				b.Add(value.Undef{})
			}
			b.AddRef(it.v, it.ref)
			it = item{b.Array(), it.ref}
		} else {
			b := value.NewHashBuilder(1)
			b.SetEntry(value.Entry{Key: k.Segments[i], Value: it.v, Ref: it.ref})
			it = item{b.Hash(), it.ref}
		}
	}
	return it
}
