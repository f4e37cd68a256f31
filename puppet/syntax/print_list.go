package syntax

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"bunraku/source"
)

// A sequence is elements between two marks, separated by commas: a list, a hash, arguments, parameters, attributes.
type sequence struct {
	open, close string
	from        uint32 // where the search for a line end before the first element begins: at the opening mark or earlier
	to          uint32 // the place of the closing mark
	items       []element
	pad         bool  // { a } rather than {a} on one line
	loose       bool  // several elements are kept on one line only if none of them takes several lines
	comma       comma // after the last element of a broken sequence
}

type comma uint8

const (
	never  comma = iota // the grammar does not allow one
	always              // the community asks for one
	asIs                // as in the source: either is common, or the grammar allows it in some places only
)

// An element is one item of a sequence. Those with a key have their arrows in line when the sequence is broken.
type element struct {
	at    source.Span
	node  Node
	key   func() // or nil
	keyAt source.Span
	value func()
	arrow string
	pad   int // blanks before the arrow, filled in when arrows are to be in line
}

// broken reports whether a line ends in the source between the marks and the elements, or between elements.
func (p *printer) broken(s *sequence) bool {
	from := s.from
	for _, e := range s.items {
		if p.newlines(from, e.at.Start) > 0 || s.loose && len(s.items) > 1 && p.tall(e.node) {
			return true
		}
		from = e.at.End
	}
	return p.newlines(from, s.to) > 0
}

// breaks is broken for the sequence that is printed now. A comment from farther ahead counts as well if it is still to
// be printed, for it will stand before the first element.
func (p *printer) breaks(s *sequence) bool {
	if p.broken(s) {
		return true
	}
	return len(s.items) > 0 && p.commented(s.items[0].at.Start) && p.newlines(p.last, s.items[0].at.Start) > 0
}

func (p *printer) sequence(s sequence) {
	p.write(s.open)
	switch {
	case len(s.items) == 0 && !p.commented(s.to):
	case p.breaks(&s):
		p.brokenSequence(&s)
	default:
		if s.pad {
			p.write(" ")
		}
		for i := range s.items {
			if i > 0 {
				p.write(", ")
			}
			p.element(&s.items[i])
		}
		p.before(s.to)
		if s.pad {
			p.write(" ")
		}
	}
	p.write(s.close)
	p.passed(s.to + 1)
}

func (p *printer) brokenSequence(s *sequence) {
	p.align(s.items)
	p.passed(s.from)
	p.indent++
	p.fresh = true
	for i := range s.items {
		e := &s.items[i]
		p.item(e.at.Start)
		p.element(e)
		if i < len(s.items)-1 || s.comma == always || s.comma == asIs && p.has(',', e.at.End, s.to) {
			p.write(",")
		}
	}
	p.above(s.to)
	p.indent--
	p.line(false)
}

// element prints a value, or a key with its arrow and value.
func (p *printer) element(e *element) {
	p.before(e.at.Start)
	p.passed(e.at.Start)
	if e.key != nil {
		e.key()
		p.write(blanks(e.pad) + " " + e.arrow + " ")
	}
	e.value()
	p.passed(e.at.End)
}

// align brings every key to the width of the widest. A key of several lines stays out of it.
func (p *printer) align(items []element) {
	if p.dry {
		return
	}
	widest := 0
	for i := range items {
		if items[i].key != nil && !p.crosses(items[i].keyAt) {
			items[i].pad = -p.width(items[i].key)
			widest = max(widest, -items[i].pad)
		}
	}
	for i := range items {
		if items[i].pad < 0 {
			items[i].pad += widest
		}
	}
}

// width measures what a function would print on one line, without comments; 0 for several lines.
func (p *printer) width(print func()) int {
	saved := *p
	p.bol, p.breakDue, p.next, p.pending, p.column, p.dry = false, false, len(p.comments), nil, 0, true
	print()
	text := p.out[len(saved.out):]
	n := 0
	if bytes.IndexByte(text, '\n') < 0 {
		n = utf8.RuneCount(text)
	}
	*p = saved
	return n
}

// entries are the elements of a hash or a selector.
func (p *printer) entries(es []*Entry) []element {
	items := make([]element, len(es))
	for i, e := range es {
		items[i] = element{
			at:    e.Key.Span().Join(e.Value.Span()),
			node:  e,
			key:   func() { p.expr(e.Key) },
			keyAt: e.Key.Span(),
			arrow: "=>",
			value: func() { p.value(e.Value) },
		}
	}
	return items
}

// elements are those of a list or of arguments. The entries of a hash without braces are elements themselves.
func (p *printer) elements(es []Expr) []element {
	items := make([]element, 0, len(es))
	for _, e := range es {
		if h, ok := e.(*Hash); ok && h.Unfolded {
			items = append(items, p.entries(h.Entries)...)
			continue
		}
		items = append(items, element{at: e.Span(), node: e, value: func() { p.expr(e) }})
	}
	return items
}

func (p *printer) attributes(ops []*AttrOp) []element {
	items := make([]element, len(ops))
	for i, o := range ops {
		name, arrow := o.Name, "=>"
		if o.Splat {
			name = "*"
		}
		if o.Append {
			arrow = "+>"
		}
		items[i] = element{
			at:    o.Where,
			node:  o,
			key:   func() { p.write(name); p.passed(o.NameAt.End) },
			keyAt: o.NameAt,
			arrow: arrow,
			value: func() { p.value(o.Value) },
		}
	}
	return items
}

// params prints parameters. If their names or their defaults were lined up, they still are.
func (p *printer) params(open string, from uint32, params []*Param, close string) {
	items := make([]element, len(params))
	s := sequence{open: open, close: close, from: from, items: items, loose: true, comma: always}
	end := from
	var types, prefixes int
	for i, param := range params {
		items[i] = element{at: param.Where, node: param, value: func() { p.param(param, types, prefixes) }}
		end = param.Where.End
	}
	s.to = p.find(end, close[0])
	if !p.dry && p.breaks(&s) {
		types, prefixes = p.paramColumns(params)
	}
	p.sequence(s)
}

// paramColumns gives the width of the types, and that of all that stands before a default; 0 where nothing was lined
// up.
func (p *printer) paramColumns(params []*Param) (types, prefixes int) {
	inLine := false
	for _, n := range params {
		if n.Type != nil && p.plain(n) {
			types = max(types, p.width(func() { p.expr(n.Type) }))
			inLine = inLine || p.wide(n.Type.Span().End, n.NameAt.Start)
		}
	}
	if !inLine {
		types = 0
	}
	inLine = false
	for _, n := range params {
		if n.Default != nil && p.plain(n) {
			prefixes = max(prefixes, p.width(func() { p.paramPrefix(n, types) }))
			inLine = inLine || p.wide(n.NameAt.End, p.find(n.NameAt.End, '='))
		}
	}
	if !inLine {
		prefixes = 0
	}
	return types, prefixes
}

// plain reports whether no comment is in the way of lining a parameter up with its neighbours.
func (p *printer) plain(n *Param) bool {
	end := n.NameAt.End
	if n.Default != nil {
		end = n.Default.Span().Start
	}
	return !p.commentIn(n.Where.Start, end)
}

func (p *printer) param(n *Param, types, prefixes int) {
	if !p.plain(n) {
		types, prefixes = 0, 0
	}
	p.paramPrefix(n, types)
	if n.Default != nil {
		p.write(p.padding(prefixes, func() { p.paramPrefix(n, types) }) + " = ")
		p.value(n.Default)
	}
}

// paramPrefix prints the type and the name.
func (p *printer) paramPrefix(n *Param, types int) {
	if n.Type != nil {
		p.expr(n.Type)
		p.write(p.padding(types, func() { p.expr(n.Type) }) + " ")
	}
	if n.Splat {
		p.before(p.find(p.last, '*'))
		p.write("*")
	}
	p.before(n.NameAt.Start)
	p.write(p.slice(n.NameAt))
	p.passed(n.NameAt.End)
}

// padding gives the blanks that bring what a function prints to a column; none without a column, or for several lines.
func (p *printer) padding(column int, print func()) string {
	if column == 0 {
		return ""
	}
	width := p.width(print)
	if width == 0 {
		return ""
	}
	return blanks(column - width)
}

func blanks(n int) string { return strings.Repeat(" ", max(0, n)) }
