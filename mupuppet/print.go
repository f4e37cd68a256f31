package mupuppet

import (
	"strings"
	"unicode/utf8"
)

// Terms as text, on one line, in the paper's notation: ␣ between statements, scope α {s}, e^{+β} as e +β. A printer
// stops when it has written its limit, so that showing a redex costs the same however long the manifest is.

type printer struct {
	b     strings.Builder
	limit int // in characters
	n     int
}

// show writes a term in at most limit characters; a cut is marked by an ellipsis.
func show(t term, limit int) string {
	p := printer{limit: limit}
	p.term(t)
	return clip(p.b.String(), limit)
}

// clip cuts a text to limit characters, the last an ellipsis if something was lost.
func clip(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	r := []rune(s)
	return strings.TrimRight(string(r[:limit-1]), " ") + "…"
}

func (p *printer) full() bool { return p.n > p.limit }

func (p *printer) put(ss ...string) {
	for _, s := range ss {
		if p.full() {
			return
		}
		p.b.WriteString(s)
		p.n += utf8.RuneCountInString(s)
	}
}

func (p *printer) term(t term) {
	if p.full() {
		return
	}
	switch t := t.(type) {
	case Expr:
		p.expr(t)
	case Stmt:
		p.stmt(t)
	case Manifest:
		p.manifest(t)
	case *Elem:
		p.elems(t)
	case *Entry:
		p.entries(t)
	case *Attr:
		p.attrs(t)
	case *Body:
		p.body(t)
	default:
		panic("mupuppet: print: unknown term")
	}
}

func (p *printer) value(v Value) {
	switch v := v.(type) {
	case Int:
		p.put(itoa(int64(v)))
	case Str:
		p.put(quote(string(v)))
	case Bool:
		if v {
			p.put("true")
		} else {
			p.put("false")
		}
	case ArrayValue:
		p.put("[")
		for i, x := range v {
			if i > 0 {
				p.put(", ")
			}
			p.value(x)
		}
		p.put("]")
	case HashValue:
		p.put("{")
		for i, x := range v {
			if i > 0 {
				p.put(", ")
			}
			p.value(x.Key)
			p.put(" => ")
			p.value(x.Value)
		}
		p.put("}")
	case RefValue:
		p.put(v.Type, "[")
		p.value(v.Title)
		p.put("]")
	default:
		panic("mupuppet: print: unknown value")
	}
}

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *Lit:
		p.value(e.Value)
	case *Var:
		switch e.Kind {
		case Local:
			p.put("$", e.Name)
		case TopVar:
			p.put("$::", e.Name)
		default:
			p.put("$::", e.Class, "::", e.Name)
		}
	case *Arith:
		p.binary(e.L, string(e.Op), e.R)
	case *Comp:
		p.binary(e.L, string(e.Op), e.R)
	case *And:
		p.binary(e.L, "and", e.R)
	case *Or:
		p.binary(e.L, "or", e.R)
	case *Not:
		p.put("!")
		p.operand(e.X)
	case *Array:
		p.put("[")
		p.elems(e.A)
		p.put("]")
	case *Hash:
		p.put("{")
		p.entries(e.H)
		p.put("}")
	case *Selector:
		p.operand(e.E)
		p.put(" ? {")
		for m := e.M; m != nil && !p.full(); m = m.Rest {
			if m != e.M {
				p.put(", ")
			}
			p.pattern(m.C)
			p.put(" => ")
			p.expr(m.E)
		}
		p.put("}")
	case *Deref:
		p.operand(e.D)
		p.put("[")
		p.expr(e.E)
		p.put("]")
	case *Ref:
		p.put(e.Type, "[")
		p.expr(e.E)
		p.put("]")
	case *OuterExpr:
		p.operand(e.E)
		p.put("^+", e.B.String())
	default:
		panic("mupuppet: print: unknown expression")
	}
}

func (p *printer) binary(l Expr, op string, r Expr) {
	p.operand(l)
	p.put(" ", op, " ")
	p.operand(r)
}

func (p *printer) operand(e Expr) {
	switch e.(type) {
	case *Arith, *Comp, *And, *Or, *Selector:
		p.put("(")
		p.expr(e)
		p.put(")")
	default:
		p.expr(e)
	}
}

func (p *printer) pattern(c Expr) {
	if c == nil {
		p.put("default")
		return
	}
	p.expr(c)
}

func (p *printer) elems(a *Elem) {
	for first := true; a != nil && !p.full(); a, first = a.Rest, false {
		if !first {
			p.put(", ")
		}
		p.expr(a.E)
	}
}

func (p *printer) entries(h *Entry) {
	for first := true; h != nil && !p.full(); h, first = h.Rest, false {
		if !first {
			p.put(", ")
		}
		p.value(h.Key)
		p.put(" => ")
		p.expr(h.E)
	}
}

func (p *printer) attrs(h *Attr) {
	for first := true; h != nil && !p.full(); h, first = h.Rest, false {
		if !first {
			p.put(", ")
		}
		p.put(h.Name, " => ")
		p.expr(h.E)
	}
}

func (p *printer) body(r *Body) {
	p.expr(r.Title)
	p.put(":")
	if r.H != nil {
		p.put(" ")
		p.attrs(r.H)
	}
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *ExprStmt:
		p.expr(s.E)
	case *Skip:
		p.put("skip")
	case *Seq:
		var rest Stmt = s
		for {
			seq, ok := rest.(*Seq)
			if !ok || p.full() {
				break
			}
			if _, nested := seq.S1.(*Seq); nested {
				p.put("{")
				p.stmt(seq.S1)
				p.put("}")
			} else {
				p.stmt(seq.S1)
			}
			p.put(" ␣ ")
			rest = seq.S2
		}
		if !p.full() {
			p.stmt(rest)
		}
	case *Assign:
		p.put("$", s.Name, " = ")
		p.expr(s.E)
	case *If:
		p.put("if ")
		p.expr(s.E)
		p.block(s.S1)
		p.put(" else")
		p.block(s.S2)
	case *Unless:
		p.put("unless ")
		p.expr(s.E)
		p.block(s.S)
	case *Case:
		p.put("case ")
		p.expr(s.E)
		p.put(" {")
		for c := s.C; c != nil && !p.full(); c = c.Rest {
			if c != s.C {
				p.put(" ␣ ")
			}
			p.pattern(c.C)
			p.put(":")
			p.block(c.S)
		}
		p.put("}")
	case *Native:
		p.put(strings.ToLower(s.Type), " {")
		p.body(s.R)
		p.put("}")
	case *Defined:
		p.put(s.Name, " {")
		p.body(s.R)
		p.put("}")
	case *ClassDecl:
		p.put("class {", s.Name, ":")
		if s.H != nil {
			p.put(" ")
			p.attrs(s.H)
		}
		p.put("}")
	case *Include:
		p.put("include ", s.Name)
	case *ScopeStmt:
		p.put("scope (", s.Scope.String(), ")")
		p.block(s.S)
	case *OuterStmt:
		p.put("(")
		p.stmt(s.S)
		p.put(")^+", s.B.String())
	default:
		panic("mupuppet: print: unknown statement")
	}
}

func (p *printer) block(s Stmt) {
	p.put(" {")
	p.stmt(s)
	p.put("}")
}

func (p *printer) manifest(m Manifest) {
	for {
		seq, ok := m.(*MSeq)
		if !ok || p.full() {
			break
		}
		p.manifest(seq.M1)
		p.put(" ␣ ")
		m = seq.M2
	}
	switch m := m.(type) {
	case *Top:
		p.stmt(m.S)
	case *Node:
		p.put("node ", m.Q.String())
		p.block(m.S)
	case *Define:
		p.put("define ", m.Name)
		p.params(m.Params)
		p.block(m.S)
	case *Class:
		p.put("class ", m.Name)
		p.params(m.Params)
		if m.Parent != "" {
			p.put(" inherits ", m.Parent)
		}
		p.block(m.S)
	}
}

func (p *printer) params(ρ *Param) {
	if ρ == nil {
		return
	}
	p.put(" (")
	for first := true; ρ != nil && !p.full(); ρ, first = ρ.Rest, false {
		if !first {
			p.put(", ")
		}
		p.put("$", ρ.Name)
		if ρ.E != nil {
			p.put(" = ")
			p.expr(ρ.E)
		}
	}
	p.put(")")
}

func (q NodeSpec) String() string {
	var parts []string
	for _, n := range q.Names {
		parts = append(parts, quote(n))
	}
	if q.Default {
		parts = append(parts, "default")
	}
	return strings.Join(parts, ", ")
}

// String writes a definition as the paper does, its body left out.
func (d *Definition) String() string {
	p := printer{limit: 120}
	if d.Kind == DeclaredClass {
		return "DeclaredClass(" + d.Scope.String() + ")"
	}
	parent := "⊥"
	if d.Parent != "" {
		parent = d.Parent
	}
	ρ := "ε"
	if d.Params != nil {
		p.params(d.Params)
		ρ = strings.TrimSuffix(strings.TrimPrefix(p.b.String(), " ("), ")")
	}
	if d.Kind == ResourceDef {
		return "ResourceDef(" + ρ + ", …)"
	}
	return "ClassDef(" + parent + ", " + ρ + ", …)"
}

// source writes a resource value as the paper does.
func (r *Resource) source() string {
	p := printer{limit: 120}
	p.put(strings.ToLower(r.Type), " {")
	p.value(r.Title.Value)
	p.put(":")
	for i, a := range r.Attrs {
		if i > 0 {
			p.put(",")
		}
		p.put(" ", a.Name, " => ")
		p.value(a.Value.Value)
	}
	p.put("}")
	return p.b.String()
}
