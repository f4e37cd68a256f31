package syntax

import (
	"math/big"
	"strconv"
	"strings"
)

// AppendPN appends the file in PN ("Puppet notation"), the s-expressions of `puppet parser dump --format pn`, byte for
// byte what Puppet 7.23's PNTransformer prints. Where that code raises an exception there is no answer to agree with: a
// parameter that takes the rest gets `:splat true`, a parameter whose name is no PN key is printed all the same, and
// `apply` prints as a call of that name.
func AppendPN(dst []byte, f *File) []byte {
	p := pn{dst, f}
	switch {
	case f.Epp != nil:
		p.expr(f.Epp)
	case len(f.Body.Stmts) == 0:
		p.str("(nop)")
	default:
		p.oneOrBlock(f.Body.Stmts)
	}
	return p.b
}

// pn is a buffer that knows how PN is spelt.
type pn struct {
	b []byte
	f *File
}

func (p *pn) str(s string) { p.b = append(p.b, s...) }

// call prints `(name arg arg)`.
func (p *pn) call(name string, args ...Expr) {
	p.str("(")
	p.str(name)
	for _, a := range args {
		p.str(" ")
		p.expr(a)
	}
	p.str(")")
}

// named prints `(name "text")`.
func (p *pn) named(name, text string) {
	p.str("(")
	p.str(name)
	p.str(" ")
	p.quote(text)
	p.str(")")
}

// list prints `[a b]`.
func (p *pn) list(es []Expr) {
	p.str("[")
	for i, e := range es {
		if i > 0 {
			p.str(" ")
		}
		p.expr(e)
	}
	p.str("]")
}

// quote prints a string in PN's double quotes. Puppet goes by code points; all that it escapes is ASCII, so bytes do.
func (p *pn) quote(s string) {
	p.str(`"`)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\t':
			p.str(`\t`)
		case c == '\n':
			p.str(`\n`)
		case c == '\r':
			p.str(`\r`)
		case c == '"' || c == '\\':
			p.b = append(p.b, '\\', c)
		case c < 0x20:
			p.b = append(p.b, '\\', 'o', '0', '0'+c>>3, '0'+c&7)
		default:
			p.b = append(p.b, c)
		}
	}
	p.str(`"`)
}

// oneOrBlock is Factory.block_or_expression: a single statement stands for itself.
func (p *pn) oneOrBlock(stmts []Expr) {
	if len(stmts) == 1 {
		p.expr(stmts[0])
		return
	}
	p.call("block", stmts...)
}

// branch is the list of a branch of an if. Puppet builds it by block_or_expression, so a single Block is taken apart.
func (p *pn) branch(b Body) {
	if len(b.Stmts) == 1 {
		if block, ok := b.Stmts[0].(*Block); ok {
			p.list(block.Stmts)
			return
		}
	}
	p.list(b.Stmts)
}

func (p *pn) expr(e Expr) {
	switch e := e.(type) {
	case *Undef:
		p.str("nil")
	case *Default:
		p.str("(default)")
	case *Bool:
		p.b = strconv.AppendBool(p.b, e.Value)
	case *Int:
		p.integer(e)
	case *Float:
		p.b = appendRubyFloat(p.b, e.Value)
	case *Str:
		p.quote(e.Value)
	case *Interpolated:
		p.call("concat", e.Parts...)
	case *Text:
		p.call("str", e.X)
	case *Heredoc:
		p.str("(heredoc {")
		if e.Syntax != "" {
			p.str(":syntax ")
			p.quote(e.Syntax)
			p.str(" ")
		}
		p.str(":text ")
		p.expr(e.X)
		p.str("})")
	case *Regexp:
		p.named("regexp", e.Source)
	case *List:
		p.call("array", e.Elems...)
	case *Hash:
		p.str("(hash")
		for _, entry := range e.Entries {
			p.str(" ")
			p.call("=>", entry.Key, entry.Value)
		}
		p.str(")")
	case *Name:
		p.named("qn", e.Value)
	case *Ref:
		p.named("qr", e.Value)
	case *Var:
		if e.Word { // the variable's name is a Ruby boolean, not a string
			p.str("(var " + e.Name + ")")
			return
		}
		p.named("var", e.Name)
	case *Reserved:
		p.named("reserved", e.Word)
	case *Nop:
		p.str("(nop)")
	case *Binary:
		p.call(e.Op.String(), e.Left, e.Right)
	case *Unary:
		p.unary(e)
	case *Paren:
		p.call("paren", e.X)
	case *Assign:
		p.call(e.Op.String(), e.Left, e.Right)
	case *Relation:
		p.call(e.Op.String(), e.Left, e.Right)
	case *Access:
		p.str("(access ")
		p.expr(e.Left)
		for _, k := range e.Keys {
			p.str(" ")
			p.expr(k)
		}
		p.str(")")
	case *NamedAccess:
		p.call(".", e.Left, e.Name)
	case *Call:
		if e.Value {
			p.callMap("call", e.Functor, e.Args, e.Lambda)
		} else {
			p.callMap("invoke", e.Functor, e.Args, e.Lambda)
		}
	case *MethodCall:
		p.callMap("call-method", e.Functor, e.Args, e.Lambda)
	case *Lambda:
		p.lambda(e)
	case *If:
		p.ifElse(e)
	case *Case:
		p.caseOf(e)
	case *Selector:
		p.str("(? ")
		p.expr(e.Left)
		p.str(" [")
		for i, entry := range e.Entries {
			if i > 0 {
				p.str(" ")
			}
			p.call("=>", entry.Key, entry.Value)
		}
		p.str("])")
	case *Block:
		p.call("block", e.Stmts...)
	case *Resource:
		p.resource(e)
	case *Defaults:
		p.attributes("(resource-defaults {:type ", e.Type, e.Ops, e.Form)
	case *Override:
		p.attributes("(resource-override {:resources ", e.Target, e.Ops, e.Form)
	case *Collect:
		p.collect(e)
	default:
		p.definition(e)
	}
}

// integer prints the value, and the radix when it is not ten.
func (p *pn) integer(n *Int) {
	if n.Radix == 10 {
		p.str(decimal(p.f, n))
		return
	}
	p.str("(int {:radix " + strconv.Itoa(int(n.Radix)) + " :value " + decimal(p.f, n) + "})")
}

// decimal gives an integer's value in base ten. A Big one has only its digits in the source.
func decimal(f *File, n *Int) string {
	if !n.Big {
		return strconv.FormatInt(n.Value, 10)
	}
	text := strings.TrimLeft(f.Source.Slice(n.Where), "0xX")
	v, ok := new(big.Int).SetString(text, int(n.Radix))
	if !ok {
		return "0"
	}
	return v.String()
}

// unary folds the sign into a number, whose radix is lost by it.
func (p *pn) unary(u *Unary) {
	switch u.Op {
	case OpMinus:
		switch x := u.X.(type) {
		case *Int:
			digits := decimal(p.f, x)
			if digits != "0" {
				p.str("-")
			}
			p.str(digits)
		case *Float:
			p.b = appendRubyFloat(p.b, -x.Value)
		default:
			p.call("-", u.X)
		}
	case OpSplat:
		p.call("unfold", u.X)
	default:
		p.call("!", u.X)
	}
}

func (p *pn) callMap(name string, functor Expr, args []Expr, lambda *Lambda) {
	p.str("(" + name + " {:functor ")
	p.expr(functor)
	p.str(" :args ")
	p.list(args)
	if lambda != nil {
		p.str(" :block ")
		p.expr(lambda)
	}
	p.str("})")
}

func (p *pn) ifElse(e *If) {
	if e.Unless {
		p.str("(unless {:test ")
	} else {
		p.str("(if {:test ")
	}
	p.expr(e.Test)
	if len(e.Then.Stmts) > 0 {
		p.str(" :then ")
		p.branch(e.Then)
	}
	if len(e.Else.Stmts) > 0 {
		p.str(" :else ")
		p.branch(e.Else)
	}
	p.str("})")
}

func (p *pn) caseOf(e *Case) {
	p.str("(case ")
	p.expr(e.Test)
	p.str(" [")
	for i, o := range e.Options {
		if i > 0 {
			p.str(" ")
		}
		p.str("{:when ")
		p.list(o.Values)
		p.str(" :then ")
		if len(o.Then.Stmts) == 0 {
			p.str("[(nop)]")
		} else {
			p.list(o.Then.Stmts)
		}
		p.str("}")
	}
	p.str("])")
}

func (p *pn) ops(ops []*AttrOp) {
	p.str("[")
	for i, o := range ops {
		if i > 0 {
			p.str(" ")
		}
		switch {
		case o.Splat:
			p.call("splat-hash", o.Value)
			continue
		case o.Append:
			p.str("(+> ")
		default:
			p.str("(=> ")
		}
		p.quote(o.Name)
		p.str(" ")
		p.expr(o.Value)
		p.str(")")
	}
	p.str("]")
}

// attributes prints a resource default or override, whose head is open to the subject.
func (p *pn) attributes(head string, subject Expr, ops []*AttrOp, form Form) {
	p.str(head)
	p.expr(subject)
	p.str(" :ops ")
	p.ops(ops)
	p.form(form)
	p.str("})")
}

func (p *pn) form(form Form) {
	if form != Regular {
		p.str(" :form ")
		p.quote(form.String())
	}
}

func (p *pn) resource(e *Resource) {
	p.str("(resource {:type ")
	p.expr(e.Type)
	p.str(" :bodies [")
	for i, b := range e.Bodies {
		if i > 0 {
			p.str(" ")
		}
		p.str("{:title ")
		p.expr(b.Title)
		p.str(" :ops ")
		p.ops(b.Ops)
		p.str("}")
	}
	p.str("]")
	p.form(e.Form)
	p.str("})")
}

func (p *pn) collect(e *Collect) {
	p.str("(collect {:type ")
	p.expr(e.Type)
	p.str(" :query ")
	name := "virtual-query"
	if e.Exported {
		name = "exported-query"
	}
	if e.Query == nil {
		p.call(name)
	} else {
		p.call(name, e.Query)
	}
	if len(e.Ops) > 0 {
		p.str(" :ops ")
		p.ops(e.Ops)
	}
	p.str("})")
}
