package syntax

import (
	"strings"

	"bunraku/source"
)

// statements prints one statement per line, with the blank lines of the source.
func (p *printer) statements(stmts []Expr) {
	columns := p.assignmentColumns(stmts)
	for i, s := range stmts {
		start := s.Span().Start
		if i > 0 && goesOn(p.src[start]) {
			p.write(";")
		}
		p.item(start)
		p.column = columns[i]
		p.expr(s)
	}
}

// assignmentColumns gives the assignments on neighbouring lines a common width, if somebody had lined them up.
func (p *printer) assignmentColumns(stmts []Expr) []int {
	columns := make([]int, len(stmts))
	for i := 0; i < len(stmts) && !p.dry; {
		width, inLine := 0, false
		from := i
		for ; i < len(stmts); i++ {
			a, ok := stmts[i].(*Assign)
			if !ok || p.commentIn(a.Where.Start, a.OpAt) || i > from && !p.neighbours(stmts[i-1].Span().End, a.Where.Start) {
				break
			}
			width = max(width, p.width(func() { p.expr(a.Left) }))
			inLine = inLine || p.wide(a.Left.Span().End, a.OpAt)
		}
		if inLine {
			for j := from; j < i; j++ {
				columns[j] = width
			}
		}
		if i == from {
			i++
		}
	}
	return columns
}

// neighbours reports whether two statements end and begin on neighbouring lines, with no comment on a line of its own
// between.
func (p *printer) neighbours(end, start uint32) bool {
	for i := p.firstComment(end); i < len(p.comments) && p.comments[i].Start < start; i++ {
		if p.newlines(end, p.comments[i].Start) > 0 {
			return false
		}
	}
	return p.newlines(end, start) <= 1
}

// goesOn reports whether a statement that begins so would be taken for the rest of the one before it: `-1`, `*$a`,
// `{…}`, `/…/`.
func goesOn(first byte) bool { return first == '-' || first == '*' || first == '{' || first == '/' }

// body prints statements between braces: on one line if it is a single statement that stood on one line.
func (p *printer) body(b Body) {
	p.write("{")
	p.passed(b.Braces.Start + 1)
	end := max(b.Braces.End, 1) - 1
	switch {
	case len(b.Stmts) == 0 && !p.commented(end):
	case p.oneLine(b):
		p.write(" ")
		p.expr(b.Stmts[0])
		p.write(" ")
	default:
		p.indent++
		p.statements(b.Stmts)
		p.above(end)
		p.indent--
		p.line(false)
	}
	p.write("}")
	p.passed(b.Braces.End)
}

// oneLine reports whether a body can be kept on one line.
func (p *printer) oneLine(b Body) bool {
	return len(b.Stmts) == 1 && !p.crosses(b.Braces) && !p.commented(b.Braces.End) && !p.tall(b.Stmts[0])
}

// crosses reports whether a line ends within a span.
func (p *printer) crosses(s source.Span) bool {
	return strings.IndexByte(p.slice(s), '\n') >= 0 && p.newlines(s.Start, s.End) > 0
}

// tall reports whether a node will take several lines: because it did, or because it has something in it that always
// does. A comment may make it so. Asked level by level of a deep tree, it would look at the same nodes again and again,
// hence the memory.
func (p *printer) tall(n Node) bool {
	tall, ok := p.known[n]
	if ok {
		return tall
	}
	tall = p.crosses(n.Span()) || p.commentIn(n.Span().Start, n.Span().End) || alwaysTall(n)
	if !tall {
		Children(n, func(c Node) { tall = tall || p.tall(c) })
	}
	p.known[n] = tall
	return tall
}

// alwaysTall reports what is never printed on one line, whatever the source.
func alwaysTall(n Node) bool {
	switch n := n.(type) {
	case *Case:
		return true
	case *Resource:
		return len(n.Bodies) > 1
	case *If:
		return len(n.Then.Stmts) > 1 || len(n.Else.Stmts) > 1
	case *Lambda:
		return len(n.Body.Stmts) > 1
	case *Class:
		return len(n.Body.Stmts) > 1
	case *Define:
		return len(n.Body.Stmts) > 1
	case *NodeDef:
		return len(n.Body.Stmts) > 1
	case *Function:
		return len(n.Body.Stmts) > 1
	case *Plan:
		return len(n.Body.Stmts) > 1
	case *Apply:
		return len(n.Body.Stmts) > 1
	case *TypeDef:
		return len(n.Body.Stmts) > 1
	}
	return false
}

func (p *printer) ifElse(n *If, word string) {
	p.write(word + " ")
	p.value(n.Test)
	p.write(" ")
	p.body(n.Then)
	if n.ElseIf {
		elsif := n.Else.Stmts[0].(*If)
		p.beforeElse(elsif.Test.Span().Start)
		p.ifElse(elsif, "elsif")
	} else if n.Else.Braces.End > 0 {
		p.beforeElse(n.Else.Braces.Start)
		p.write("else ")
		p.body(n.Else)
	}
}

// beforeElse puts comments between a branch and the next on lines of their own.
func (p *printer) beforeElse(place uint32) {
	if p.commented(place) {
		p.above(place)
		p.line(false)
		return
	}
	p.write(" ")
}

func (p *printer) caseOf(n *Case) {
	p.write("case ")
	p.value(n.Test)
	p.write(" {")
	p.indent++
	p.fresh = true
	for _, o := range n.Options {
		p.item(o.Where.Start)
		p.option(o)
	}
	p.above(n.Where.End - 1)
	p.indent--
	p.line(false)
	p.write("}")
}

func (p *printer) option(o *Option) {
	for i, v := range o.Values {
		if i > 0 {
			p.write(", ")
			p.nextLine(v)
		}
		p.expr(v)
	}
	p.write(": ")
	p.body(o.Then)
	p.passed(o.Where.End)
}

// nextLine begins a line for an expression that began one in the source.
func (p *printer) nextLine(e Expr) {
	if start := e.Span().Start; p.newlines(p.last, start) > 0 {
		p.above(start)
		p.line(false)
	}
}

func sign(f Form) string { return [...]string{Regular: "", Virtual: "@", Exported: "@@"}[f] }

// braces prints an attribute block without a title.
func (p *printer) braces(from, to uint32, ops []*AttrOp) {
	p.sequence(sequence{open: "{", close: "}", from: from, to: to, items: p.attributes(ops), pad: true, loose: true,
		comma: always})
}

// resource prints a single body after the brace, and several below it.
func (p *printer) resource(n *Resource) {
	p.write(sign(n.Form))
	p.expr(n.Type)
	end := n.Where.End - 1
	title := n.Bodies[0].Title.Span()
	if len(n.Bodies) > 1 || p.commented(title.Start) {
		p.bodies(n, end)
		return
	}
	p.write(" { ")
	p.expr(n.Bodies[0].Title)
	s := sequence{open: ":", close: "}", from: title.End, to: end, items: p.attributes(n.Bodies[0].Ops), pad: true,
		loose: true, comma: always}
	if len(s.items) > 0 && p.newlines(n.Type.Span().End, title.Start) > 0 {
		p.write(s.open) // broken before the title
		p.brokenSequence(&s)
		p.write(s.close)
		return
	}
	if len(s.items) == 0 && !p.commented(end) {
		s.close = " }"
	}
	p.sequence(s)
}

func (p *printer) bodies(n *Resource, end uint32) {
	p.write(" {")
	p.indent++
	p.fresh = true
	column := p.titleColumn(n.Bodies)
	for _, b := range n.Bodies {
		p.item(b.Title.Span().Start)
		p.resourceBody(b, column)
		p.write(";")
	}
	p.above(end)
	p.indent--
	p.line(false)
	p.write("}")
}

// titleColumn is the width of the titles whose attributes stand beside them, if somebody had lined those up; else 0.
func (p *printer) titleColumn(bodies []*ResourceBody) int {
	width, inLine := 0, false
	for _, b := range bodies {
		if !p.dry && p.beside(b) {
			width = max(width, p.width(func() { p.expr(b.Title) }))
			inLine = inLine || p.wide(b.Title.Span().End, b.Ops[0].Where.Start)
		}
	}
	if !inLine {
		return 0
	}
	return width
}

// beside reports whether the attributes of a body stand on the line of its title, with no comment between.
func (p *printer) beside(b *ResourceBody) bool {
	s := p.bodySequence(b)
	return len(b.Ops) > 0 && !p.broken(&s) && !p.commentIn(b.Title.Span().Start, b.Ops[0].Where.Start)
}

func (p *printer) bodySequence(b *ResourceBody) sequence {
	s := sequence{from: b.Title.Span().End, to: b.Title.Span().End, items: p.attributes(b.Ops), loose: true}
	if n := len(s.items); n > 0 {
		s.to = s.items[n-1].at.End
	}
	return s
}

// resourceBody prints `title: attributes` of one body among several, whose last attribute has no comma.
func (p *printer) resourceBody(b *ResourceBody, column int) {
	p.expr(b.Title)
	p.write(":")
	s := p.bodySequence(b)
	if len(s.items) == 0 {
		return
	}
	if !p.broken(&s) {
		if !p.beside(b) {
			column = 0
		}
		p.write(p.padding(column, func() { p.expr(b.Title) }) + " ")
		for i := range s.items {
			if i > 0 {
				p.write(", ")
			}
			p.element(&s.items[i])
		}
		return
	}
	p.align(s.items)
	p.indent++
	p.fresh = true
	for i := range s.items {
		if i > 0 {
			p.write(",")
		}
		p.item(s.items[i].at.Start)
		p.element(&s.items[i])
	}
	p.indent--
}

func (p *printer) collect(n *Collect) {
	open, close := " <| ", " |>"
	if n.Exported {
		open, close = " <<| ", " |>>"
	}
	p.expr(n.Type)
	p.write(open)
	if n.Query != nil {
		p.value(n.Query)
	}
	p.before(n.QueryAt.End - 1)
	p.write(close)
	p.passed(n.QueryAt.End)
	if n.Braced {
		p.write(" ")
		p.braces(n.QueryAt.End, n.Where.End-1, n.Ops)
	}
}
