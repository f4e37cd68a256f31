package syntax

import "strings"

// expr prints any expression where the printer is, after the comments that stand before it.
func (p *printer) expr(e Expr) {
	at := e.Span()
	p.before(at.Start)
	p.passed(at.Start)
	switch e := e.(type) {
	case *Str:
		p.str(e)
	case *Interpolated:
		p.verbatim(p.slice(at))
		p.owe(e)
	case *Heredoc:
		p.write(p.slice(at))
		p.pending = append(p.pending, p.wholeLines(e.Lines))
	case *List:
		p.sequence(sequence{open: "[", close: "]", from: at.Start, to: at.End - 1, items: p.elements(e.Elems), comma: always})
	case *Hash:
		p.hash(e)
	case *Unary:
		p.write(e.Op.String())
		p.value(e.X)
	case *Paren:
		p.sequence(sequence{open: "(", close: ")", from: at.Start, to: at.End - 1, items: p.elements([]Expr{e.X})})
	case *Binary:
		p.binary(e.Op, e.OpAt, e.Left, e.Right, 0)
	case *Assign:
		column := p.column
		p.column = 0
		p.binary(e.Op, e.OpAt, e.Left, e.Right, column)
	case *Relation:
		p.relation(e)
	case *Access:
		p.expr(e.Left)
		p.sequence(sequence{open: "[", close: "]", from: e.Left.Span().End, to: at.End - 1, items: p.elements(e.Keys),
			comma: asIs})
	case *NamedAccess:
		p.namedAccess(e)
	case *Call:
		p.call(e)
	case *MethodCall:
		p.methodCall(e)
	case *Lambda:
		p.lambda(e)
	case *If:
		word := "if"
		if e.Unless {
			word = "unless"
		}
		p.ifElse(e, word)
	case *Case:
		p.caseOf(e)
	case *Selector:
		p.selector(e)
	case *Block: // name { a => b }
		p.expr(e.Stmts[0])
		p.write(" ")
		p.expr(e.Stmts[1])
	case *Resource:
		p.resource(e)
	case *Defaults:
		p.write(sign(e.Form))
		p.expr(e.Type)
		p.write(" ")
		p.braces(e.Type.Span().End, at.End-1, e.Ops)
	case *Override:
		p.write(sign(e.Form))
		p.expr(e.Target)
		p.write(" ")
		p.braces(e.Target.Span().End, at.End-1, e.Ops)
	case *Collect:
		p.collect(e)
	case *Undef, *Default, *Bool, *Int, *Float, *Regexp, *Name, *Ref, *Var, *Reserved, *Nop:
		p.verbatim(p.slice(at))
	default:
		p.definition(e)
	}
	p.passed(at.End)
}

// str prints a string. Double quotes become single ones when they have no effect.
func (p *printer) str(s *Str) {
	text := p.slice(s.Where)
	if n := len(text); s.Quote == Double && n >= 2 && text[1:n-1] == s.Value && !strings.ContainsAny(s.Value, `'\`) {
		text = "'" + s.Value + "'"
	}
	p.verbatim(text)
}

// owe notes the heredocs of an interpolation, whose text stands below the string.
func (p *printer) owe(n *Interpolated) {
	Walk(n, func(c Node) bool {
		if h, ok := c.(*Heredoc); ok && h.Lines.Start >= n.Where.End {
			p.pending = append(p.pending, p.wholeLines(h.Lines))
		}
		return true
	})
}

func (p *printer) hash(n *Hash) {
	if n.Unfolded { // only as an element, and elements unfolds it
		for i, e := range n.Entries {
			if i > 0 {
				p.write(", ")
			}
			p.expr(e.Key)
			p.write(" => ")
			p.value(e.Value)
		}
		return
	}
	p.sequence(sequence{open: "{", close: "}", from: n.Where.Start, to: n.Where.End - 1, items: p.entries(n.Entries),
		pad: true, loose: true, comma: always})
}

// binary prints operands around an operator. A line may end on either side of it, as in the source.
func (p *printer) binary(op Op, at uint32, left, right Expr, column int) {
	p.expr(left)
	sign := op.String()
	pad := p.padding(column, func() { p.expr(left) })
	broken := p.newlines(p.last, at) > 0
	if broken {
		p.indent++
		p.before(at)
		p.line(false)
	} else {
		p.before(at)
	}
	p.write(pad + " " + sign + " ")
	p.passed(at + uint32(len(sign)))
	p.operand(right)
	if broken {
		p.indent--
	}
}

// relation begins a line with the arrow, where the community wants it, if a line ended on either side of the arrow.
func (p *printer) relation(n *Relation) {
	p.expr(n.Left)
	if start := n.Right.Span().Start; p.newlines(n.Left.Span().End, start) > 0 {
		p.above(start)
		p.line(false)
	}
	p.write(" " + n.Op.String() + " ")
	p.expr(n.Right)
}

// call prints a call. The parenthesis must follow the function at once: at the start of a line it would not be one of a
// call.
func (p *printer) call(n *Call) {
	p.expr(n.Functor)
	if n.Bare {
		p.bareArgs(n)
	} else {
		p.args(n.Functor.Span().End, n.Args, asIs)
	}
	if n.Lambda != nil {
		p.write(" ")
		p.expr(n.Lambda)
	}
}

func (p *printer) args(from uint32, args []Expr, end comma) {
	last := from
	if n := len(args); n > 0 {
		last = args[n-1].Span().End
	}
	p.sequence(sequence{open: "(", close: ")", from: from, to: p.find(last, ')'), items: p.elements(args), comma: end})
}

// bareArgs prints arguments without parentheses. If the first one begins with a parenthesis it needs a line of its own,
// lest it be taken for the call's; if it was kept apart by a semicolon it needs that.
func (p *printer) bareArgs(n *Call) {
	first := n.Args[0].Span().Start
	if p.has(';', n.Functor.Span().End, first) {
		p.write(";")
	}
	p.write(" ")
	p.indent++
	for i, a := range n.Args {
		if i > 0 {
			p.write(", ")
		}
		if i > 0 || p.src[first] == '(' || p.commented(first) {
			p.nextLine(a)
		}
		p.expr(a)
	}
	p.indent--
}

func (p *printer) namedAccess(n *NamedAccess) {
	p.expr(n.Left)
	p.before(n.Name.Where.Start)
	p.write("." + p.slice(n.Name.Where))
}

// methodCall may begin a line with its dot, and all that follows is then one level deeper.
func (p *printer) methodCall(n *MethodCall) {
	left, name := n.Functor.Left, n.Functor.Name.Where
	p.expr(left)
	broken := p.newlines(left.Span().End, name.Start) > 0
	if broken {
		p.indent++
		p.above(name.Start)
		p.line(false)
	} else {
		p.before(name.Start)
	}
	p.write("." + p.slice(name))
	p.passed(name.End)
	if n.Parens {
		p.args(name.End, n.Args, never)
	}
	if n.Lambda != nil {
		p.write(" ")
		p.expr(n.Lambda)
	}
	if broken {
		p.indent--
	}
}

func (p *printer) lambda(n *Lambda) {
	p.params("|", n.Where.Start+1, n.Params, "|")
	p.returns(n.Returns)
	p.write(" ")
	p.body(n.Body)
}

func (p *printer) returns(t Expr) {
	if t != nil {
		p.write(" >> ")
		p.value(t)
	}
}

func (p *printer) selector(n *Selector) {
	p.expr(n.Left)
	p.write(" ? ")
	items := p.entries(n.Entries)
	if !n.Braced {
		p.element(&items[0])
		return
	}
	p.sequence(sequence{open: "{", close: "}", from: n.Left.Span().End, to: n.Where.End - 1, items: items, pad: true,
		loose: true, comma: always})
}
