package smartfrog

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"
)

// The printers write a component in the order of its attributes, which is part of its meaning.
//
// Indentation makes the size of the output quadratic in the depth, so what is nested deeper than maxIndent is written
// on one line.

const maxIndent = 40

// A printer is what the formats share.
type printer struct {
	w *bufio.Writer
}

func newPrinter(w io.Writer) printer { return printer{bufio.NewWriterSize(w, 64<<10)} }

func (p printer) str(s string) { p.w.WriteString(s) }

// line starts a new line at a level.
func (p printer) line(level int) {
	const blanks = "\n                                                                                "
	p.w.WriteString(blanks[:1+2*level])
}

// quote writes a string as JSON does. YAML's double-quoted strings, and our own, read it the same.
func (p printer) quote(s string) {
	p.w.WriteByte('"')
	start := 0
	for i, r := range s {
		escape := ""
		switch {
		case r == '"':
			escape = `\"`
		case r == '\\':
			escape = `\\`
		case r == '\n':
			escape = `\n`
		case r == '\r':
			escape = `\r`
		case r == '\t':
			escape = `\t`
		case r < ' ' || r == 0x7f || r == '\u0085' || r == '\u2028' || r == '\u2029' || r == '\uFEFF' || r == '\uFFFE' ||
			r == '\uFFFF':
			// Some of these are legal in JSON but not in YAML, or end a line for some readers.
			const hex = "0123456789abcdef"
			escape = `\u` + string([]byte{hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]})
		default:
			continue
		}
		p.w.WriteString(s[start:i])
		p.w.WriteString(escape)
		start = i + utf8.RuneLen(r)
	}
	p.w.WriteString(s[start:])
	p.w.WriteByte('"')
}

// basic writes a basic value in JSON, which is YAML too.
func (p printer) basic(v Value) {
	switch v := v.(type) {
	case Bool:
		if v {
			p.str("true")
		} else {
			p.str("false")
		}
	case Null:
		p.str("null")
	case Number:
		p.str(string(v))
	case String:
		p.quote(string(v))
	case DataRef:
		p.quote("$." + Reference(v).String())
	case LazyRef:
		p.quote("@." + Reference(v).String())
	case TBD:
		p.quote("TBD")
	case Vector:
		p.str("[")
		for i, elem := range v {
			if i > 0 {
				p.str(", ")
			}
			p.basic(elem)
		}
		p.str("]")
	default:
		p.str("null") // poison, in a result that is shown in spite of errors
	}
}

// WriteJSON writes the configuration as JSON. A data reference a:b is the string "$.a:b".
func (r *Result) WriteJSON(w io.Writer) error {
	p := newPrinter(w)
	p.json(r.Config, 0)
	p.str("\n")
	return p.w.Flush()
}

func (p printer) json(v Value, level int) {
	s, ok := v.(*Store)
	if !ok {
		p.basic(v)
		return
	}
	if len(s.slots) == 0 || level == maxIndent {
		p.flow(v)
		return
	}
	p.str("{")
	for i := range s.slots {
		if i > 0 {
			p.str(",")
		}
		p.line(level + 1)
		p.quote(s.slots[i].name)
		p.str(": ")
		p.json(s.slots[i].value, level+1)
	}
	p.line(level)
	p.str("}")
}

// flow writes a value as JSON on one line.
func (p printer) flow(v Value) {
	s, ok := v.(*Store)
	if !ok {
		p.basic(v)
		return
	}
	p.str("{")
	for i := range s.slots {
		if i > 0 {
			p.str(", ")
		}
		p.quote(s.slots[i].name)
		p.str(": ")
		p.flow(s.slots[i].value)
	}
	p.str("}")
}

// WriteYAML writes the configuration as YAML, for readers of version 1.1 and of 1.2.
func (r *Result) WriteYAML(w io.Writer) error {
	p := newPrinter(w)
	if r.Config.Len() == 0 {
		p.str("{}\n")
	} else {
		p.yaml(r.Config, 0)
	}
	return p.w.Flush()
}

func (p printer) yaml(s *Store, level int) {
	for i := range s.slots {
		if level > 0 || i > 0 {
			p.line(level)
		}
		p.yamlKey(s.slots[i].name)
		sub, ok := s.slots[i].value.(*Store)
		if !ok || len(sub.slots) == 0 || level == maxIndent {
			p.str(": ")
			p.flow(s.slots[i].value)
			continue
		}
		p.str(":")
		p.yaml(sub, level+1)
	}
	if level == 0 {
		p.str("\n")
	}
}

// yamlKey writes a name. A name has no character that YAML gives a meaning to where we write it, but some names are
// words that YAML takes for a boolean or null.
func (p printer) yamlKey(name string) {
	switch strings.ToLower(name) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		p.quote(name)
	default:
		p.str(name)
	}
}

// WriteSF writes the configuration as the body of a component, in SmartFrog. Under --extended it is, byte for byte,
// what HP's compiler writes.
func (r *Result) WriteSF(w io.Writer) error {
	p := newPrinter(w)
	p.sf(r.Config, 0, r.extended)
	return p.w.Flush()
}

func (p printer) sf(s *Store, level int, hp bool) {
	for i := range s.slots {
		if level > maxIndent {
			p.str(" ")
		} else if level > 0 || i > 0 {
			p.line(level)
		}
		p.str(s.slots[i].name)
		sub, ok := s.slots[i].value.(*Store)
		if !ok {
			p.str(" ")
			p.sfBasic(s.slots[i].value, hp)
			p.str(";")
			continue
		}
		p.str(" extends ")
		if hp {
			p.str(" ")
		}
		p.str("{")
		if len(sub.slots) > 0 {
			p.sf(sub, level+1, hp)
			if level < maxIndent {
				p.line(level)
			}
		}
		p.str("}")
	}
	if level == 0 && len(s.slots) > 0 {
		p.str("\n")
	}
}

func (p printer) sfBasic(v Value, hp bool) {
	switch v := v.(type) {
	case Null:
		p.str("NULL")
	case DataRef:
		p.str("DATA " + Reference(v).String())
	case LazyRef:
		p.str("LAZY " + Reference(v).String())
	case TBD:
		p.str("TBD")
	case Vector:
		open, closer := "[", "]"
		if hp {
			open, closer = "[|", "|]"
		}
		p.str(open)
		for i, elem := range v {
			if i > 0 {
				p.str(", ")
			}
			p.sfBasic(elem, hp)
		}
		p.str(closer)
	default:
		p.basic(v)
	}
}
