package syntax

import (
	"math"
	"strconv"
)

// definition prints what definition.go has. A body is always a block here, never a lone statement, so it needs no
// branch.
func (p *pn) definition(e Expr) {
	switch e := e.(type) {
	case *Class:
		p.open("class", e.Name)
		if e.Parent != "" {
			p.str(" :parent ")
			p.quote(e.Parent)
		}
		p.params(e.Params)
		p.body(e.Body)
		p.str("})")
	case *Define:
		p.open("define", e.Name)
		p.params(e.Params)
		p.body(e.Body)
		p.str("})")
	case *Function:
		p.open("function", e.Name)
		p.params(e.Params)
		p.body(e.Body)
		if e.Returns != nil {
			p.str(" :returns ")
			p.expr(e.Returns)
		}
		p.str("})")
	case *Plan:
		p.open("plan", e.Name)
		p.params(e.Params)
		p.body(e.Body)
		p.str("})")
	case *NodeDef:
		p.str("(node {:matches ")
		p.list(e.Hosts)
		if e.Parent != nil {
			p.str(" :parent ")
			p.expr(e.Parent)
		}
		p.body(e.Body)
		p.str("})")
	case *Apply: // Puppet's transformer does not know it
		p.str("(apply {:args ")
		p.list(e.Args)
		p.body(e.Body)
		p.str("})")
	case *TypeAlias:
		p.str("(type-alias ")
		p.quote(e.Name)
		p.str(" ")
		p.expr(e.X)
		p.str(")")
	case *TypeMapping:
		p.call("type-mapping", e.Type, e.X)
	case *TypeDef:
		p.str("(type-definition ")
		p.quote(e.Name)
		if e.Parent == "" {
			p.str(" nil ")
		} else {
			p.str(" ")
			p.quote(e.Parent)
			p.str(" ")
		}
		if len(e.Body.Stmts) == 0 {
			p.str("(nop)")
		} else {
			p.call("block", e.Body.Stmts...)
		}
		p.str(")")
	case *Epp: // Puppet makes a template the only statement of a lambda
		p.str("(lambda {")
		if len(e.Params) > 0 {
			p.paramMap(e.Params)
			p.str(" ")
		}
		p.str(":body [")
		p.call("epp", e.Body.Stmts...)
		p.str("]})")
	case *RenderString:
		p.named("render-s", e.Value)
	case *Render:
		p.str("(render ")
		p.oneOrBlock(e.X.Stmts)
		p.str(")")
	default:
		panic("syntax: AppendPN: unknown node")
	}
}

// open starts `(kind {:name "name"`.
func (p *pn) open(kind, name string) {
	p.str("(" + kind + " {:name ")
	p.quote(name)
}

func (p *pn) params(params []*Param) {
	if len(params) > 0 {
		p.str(" ")
		p.paramMap(params)
	}
}

func (p *pn) body(b Body) {
	if len(b.Stmts) > 0 {
		p.str(" :body ")
		p.list(b.Stmts)
	}
}

func (p *pn) paramMap(params []*Param) {
	p.str(":params {")
	for i, param := range params {
		if i > 0 {
			p.str(" ")
		}
		p.str(":" + param.Name + " {")
		sep := ""
		if param.Type != nil {
			p.str(":type ")
			p.expr(param.Type)
			sep = " "
		}
		if param.Splat {
			p.str(sep + ":splat true")
			sep = " "
		}
		if param.Default != nil {
			p.str(sep + ":value ")
			p.expr(param.Default)
		}
		p.str("}")
	}
	p.str("}")
}

// lambda has its return type before its body, unlike a function.
func (p *pn) lambda(e *Lambda) {
	p.str("(lambda {")
	sep := ""
	if len(e.Params) > 0 {
		p.paramMap(e.Params)
		sep = " "
	}
	if e.Returns != nil {
		p.str(sep + ":returns ")
		p.expr(e.Returns)
		sep = " "
	}
	if len(e.Body.Stmts) > 0 {
		p.str(sep + ":body ")
		p.list(e.Body.Stmts)
	}
	p.str("})")
}

// appendRubyFloat writes a float as Ruby's Float#to_s does: the shortest digits that read back as the same number,
// always with a fraction; plain while the decimal point falls within or near the digits (0.0001, 100000000000000.0),
// and with a signed exponent of two or more digits beyond (1.0e-05, 1.0e+15).
func appendRubyFloat(dst []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(v, -1):
		return append(dst, "-Infinity"...)
	}
	if math.Signbit(v) {
		dst = append(dst, '-')
		v = -v
	}
	if v == 0 {
		return append(dst, "0.0"...)
	}
	var buf [32]byte
	e := strconv.AppendFloat(buf[:0], v, 'e', -1, 64) // d.ddde±xx
	digits := make([]byte, 0, 20)
	i := 0
	for ; e[i] != 'e'; i++ {
		if e[i] != '.' {
			digits = append(digits, e[i])
		}
	}
	exp, _ := strconv.Atoi(string(e[i+1:]))
	point := exp + 1 // the value is 0.DIGITS × 10^point
	switch {
	case 0 < point && point <= 15:
		for len(digits) < point {
			digits = append(digits, '0')
		}
		dst = append(dst, digits[:point]...)
		dst = append(dst, '.')
		if len(digits) == point {
			return append(dst, '0')
		}
		return append(dst, digits[point:]...)
	case -4 < point && point <= 0:
		dst = append(dst, "0."...)
		for ; point < 0; point++ {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	dst = append(dst, digits[0], '.')
	if len(digits) == 1 {
		dst = append(dst, '0')
	} else {
		dst = append(dst, digits[1:]...)
	}
	dst = append(dst, 'e')
	if exp < 0 {
		dst = append(dst, '-')
		exp = -exp
	} else {
		dst = append(dst, '+')
	}
	if exp < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(exp), 10)
}
