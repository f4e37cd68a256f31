package eval

import (
	"strings"
	"unsafe"

	"bunraku/puppet/value"
)

// Some functions of Ruby give strings of bytes: crypt, and whatever decodes. To the language such a string is a String
// like any other, but it remembers its encoding (ASCII-8BIT), and a catalog carries it as Binary
// (Puppet::Pops::Serialization::ToDataConverter). So do strings that are made of it, where Ruby gives them the encoding
// of what they begin with.
//
// Hardly any program has one, so strings bear no mark. The evaluator knows where the texts of those strings lie in
// memory: whatever is a copy or a part of one lies there too.

// Bytes makes a string that a catalog carries as Binary.
func (ev *Evaluator) Bytes(s string) value.String {
	s = strings.Clone(s)
	if s != "" {
		ev.bytes = append(ev.bytes, s)
	}
	return value.String(s)
}

// TakesBytes tells of strings from outside that a catalog carries as Binary: those that data has with the tag !!binary.
// Each must have its own memory.
func (ev *Evaluator) TakesBytes(list []string) {
	for _, s := range list {
		if s != "" {
			ev.bytes = append(ev.bytes, s)
		}
	}
}

// Bytes makes a string that a catalog carries as Binary, for built-ins.
func (c *Call) Bytes(s string) value.String { return c.Eval.Bytes(s) }

func (ev *Evaluator) isBytes(s value.String) bool {
	if len(ev.bytes) == 0 || s == "" {
		return false
	}
	at := uintptr(unsafe.Pointer(unsafe.StringData(string(s))))
	for _, b := range ev.bytes {
		from := uintptr(unsafe.Pointer(unsafe.StringData(b)))
		if at >= from && at < from+uintptr(len(b)) {
			return true
		}
	}
	return false
}

// An encoding is that of a string which is put together from others: that of the first one, until one comes that has
// more than ASCII. Strings of bytes and others do not go together if both have more.
type encoding struct{ begun, bytes, wide bool }

// add takes in the next string; it reports false if that does not fit.
func (c *encoding) add(s string, bytes bool) bool {
	wide := strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) >= 0
	switch {
	case !c.begun, wide && !c.wide:
		c.begun, c.bytes, c.wide = true, bytes, wide
	case wide && bytes != c.bytes:
		return false
	}
	return true
}

// misfit are Ruby's words for strings that do not go together.
func (c *encoding) misfit() string {
	if c.bytes {
		return "incompatible character encodings: ASCII-8BIT and UTF-8"
	}
	return "incompatible character encodings: UTF-8 and ASCII-8BIT"
}

// keepsBytes are the functions whose result is a new string in the encoding of their first argument, or of its
// elements. Those that give back a part of it are covered anyway.
var keepsBytes = map[string]bool{
	"upcase": true, "downcase": true, "capitalize": true, "swapcase": true, "camelcase": true, "reverse": true,
	"regsubst": true, "squeeze": true,
	"delete": true, "shell_escape": true, "stdlib::shell_escape": true, "shell_join": true, "join": true, "suffix": true,
	"new": true,
}

// likeArgument gives a function's result the encoding of its argument.
func (ev *Evaluator) likeArgument(name string, args []value.Value, v value.Value) value.Value {
	if !keepsBytes[name] || len(args) == 0 {
		return v
	}
	subject := args[0]
	if name == "new" && len(args) > 1 {
		subject = args[1] // String.new($x)
	}
	switch v := v.(type) {
	case value.String:
		if a, ok := subject.(*value.Array); ok && a.Len() > 0 {
			subject = a.Elems[0]
		}
		if s, ok := subject.(value.String); ok && ev.isBytes(s) && !ev.isBytes(v) {
			return ev.Bytes(string(v))
		}
	case *value.Array:
		a, ok := subject.(*value.Array)
		if !ok || a.Len() != v.Len() {
			return v
		}
		out := &value.Array{Elems: append([]value.Value(nil), v.Elems...), Refs: v.Refs}
		for i, e := range out.Elems {
			s, isString := a.Elems[i].(value.String)
			t, both := e.(value.String)
			if isString && both && ev.isBytes(s) && !ev.isBytes(t) {
				out.Elems[i] = ev.Bytes(string(t))
			}
		}
		return out
	}
	return v
}

// wire is a value as the catalog carries it: strings of bytes become Binary. The keys of hashes stay strings.
func (ev *Evaluator) wire(v value.Value) value.Value {
	if w, changed := ev.toBinary(v); changed {
		return w
	}
	return v
}

func (ev *Evaluator) toBinary(v value.Value) (w value.Value, changed bool) {
	switch v := v.(type) {
	case value.String:
		if ev.isBytes(v) {
			return value.Binary(v), true
		}
	case *value.Sensitive:
		if w, changed := ev.toBinary(v.Value); changed {
			return &value.Sensitive{Value: w}, true
		}
	case *value.Array:
		out := &value.Array{Elems: append([]value.Value(nil), v.Elems...), Refs: v.Refs}
		for i, e := range v.Elems {
			if w, c := ev.toBinary(e); c {
				out.Elems[i], changed = w, true
			}
		}
		return out, changed
	case *value.Hash:
		b := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			if w, c := ev.toBinary(e.Value); c {
				e.Value, changed = w, true
			}
			b.SetEntry(e)
		}
		if changed {
			return b.Hash(), true
		}
	}
	return v, false
}
