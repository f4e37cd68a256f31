package mupuppet

import (
	"fmt"
	"strings"
)

// Statements and expressions of random programs.

func (g *generator) statements(b *block, n int) {
	for range n {
		g.statement(b)
	}
}

// inner is a block under a condition: what it assigns is not certain outside.
func (b *block) inner() *block {
	in := *b
	in.vars = append([]variableInfo{}, b.vars...)
	in.attrs = append([]attrInfo{}, b.attrs...)
	in.depth++
	in.certain = false
	return &in
}

func (g *generator) statement(b *block) {
	switch n := g.IntN(100); {
	case n < 30:
		g.assignment(b)
	case n < 62:
		g.resource(b)
	case n < 74 && b.depth < 2:
		g.conditional(b)
	case n < 82 && b.depth < 2:
		g.caseOf(b)
	case n < 93 && len(g.classes) > 0 && (!b.inDefine || g.target == LazyDefine):
		g.declareClass(b)
	case len(g.defines) > 0 && !b.inDefine:
		g.declareDefined(b)
	default:
		g.resource(b)
	}
}

func (g *generator) assignment(b *block) {
	k := kind(g.IntN(3))
	if !g.opt.Annotated && g.chance(20) {
		k = arrayKind + kind(g.IntN(2))
	}
	name := g.fresh([]string{"i", "s", "b", "l", "h"}[k], b.taken)
	v := variableInfo{name: name, kind: k}
	switch k {
	case arrayKind:
		v.size = 1 + g.IntN(3)
		elems := make([]string, v.size)
		for i := range elems {
			elems[i] = g.expr(b, intKind, 1)
		}
		g.line("$%s = [%s]", name, strings.Join(elems, ", "))
	case hashKind:
		g.line("$%s = { 'x' => %s, y => %s }", name, g.expr(b, strKind, 1), g.expr(b, strKind, 1))
	default:
		g.line("$%s = %s", name, g.expr(b, k, 2))
	}
	b.taken[name] = true
	b.vars = append(b.vars, v)
	if b.top && b.certain {
		v.name = "::" + name
		b.vars = append(b.vars, v)
	}
	if b.class != "" && b.certain && g.chance(50) {
		v.name = "::" + b.class + "::" + name
		b.vars = append(b.vars, v)
	}
}

func (g *generator) resource(b *block) {
	types := []struct {
		name  string
		attrs []string
	}{{"file", []string{"owner", "group", "content"}}, {"user", []string{"comment", "shell"}},
		{"notify", []string{"message"}}}
	t := types[g.IntN(len(types))]
	title := fmt.Sprintf("'r%d'", g.title())
	switch {
	case b.inDefine && g.chance(95):
		if b.taken[t.name] && !g.chance(5) {
			g.assignment(b)
			return
		}
		b.taken[t.name] = true
		title = "$title"
	case g.chance(3) && g.titles > 2:
		title = fmt.Sprintf("'r%d'", 1+g.IntN(g.titles-1)) // maybe a duplicate
	case g.chance(5):
		title = g.expr(b, strKind, 1)
	}
	var parts []string
	var made []attrInfo
	for _, a := range t.attrs {
		if !g.chance(60) {
			continue
		}
		k := kind(g.IntN(3))
		if !g.opt.Annotated && g.chance(15) {
			k = arrayKind + kind(g.IntN(2))
		}
		parts = append(parts, a+" => "+g.expr(b, k, 2))
		if title[0] == '\'' {
			made = append(made, attrInfo{strings.ToUpper(t.name[:1]) + t.name[1:] + "[" + title + "]", a, k})
		}
	}
	if !g.opt.Annotated && g.chance(5) && len(b.attrs) > 0 {
		parts = append(parts, "require => "+b.attrs[g.IntN(len(b.attrs))].ref)
	}
	g.line("%s { %s: %s }", t.name, title, strings.Join(parts, ", "))
	b.attrs = append(b.attrs, made...)
}

func (g *generator) nest(b *block, n int) {
	g.indent++
	g.statements(b.inner(), n)
	g.indent--
}

func (g *generator) condition(b *block) string {
	if g.may(Truthiness, 30) {
		return g.expr(b, kind(g.IntN(2)), 1)
	}
	return g.expr(b, boolKind, 2)
}

func (g *generator) conditional(b *block) {
	word := "if"
	if g.chance(30) {
		word = "unless"
	}
	g.line("%s %s {", word, g.condition(b))
	g.nest(b, 1+g.IntN(2))
	if word == "if" && g.chance(20) {
		g.line("} elsif %s {", g.condition(b))
		g.nest(b, 1)
	}
	if g.chance(50) {
		g.line("} else {")
		g.nest(b, 1+g.IntN(2))
	}
	g.line("}")
}

func (g *generator) caseOf(b *block) {
	k := kind(g.IntN(2))
	g.line("case %s {", g.expr(b, k, 1))
	g.indent++
	first := g.may(DefaultFirst, 40)
	if first {
		g.line("default: {")
		g.nest(b, 1)
		g.line("}")
	}
	for range 1 + g.IntN(3) {
		values := g.expr(b, k, 1)
		if g.chance(20) {
			values += ", " + g.expr(b, k, 0)
		}
		g.line("%s: {", values)
		g.nest(b, 1)
		g.line("}")
	}
	if !first && g.chance(50) {
		g.line("default: {")
		g.nest(b, 1)
		g.line("}")
	}
	g.indent--
	g.line("}")
}

func (g *generator) declareClass(b *block) {
	i := g.IntN(len(g.classes))
	if g.declared[i] && (g.opt.Independent || g.classes[i].required > 0 && !g.chance(10)) || g.opt.Independent &&
		b.class != "" {
		g.resource(b)
		return
	}
	if b.class != "" && g.childInParent(b.index, i) {
		if !g.may(ChildInParent, 100) {
			g.resource(b)
			return
		}
		g.line("class { '%s': %s}", g.classes[i].name, g.arguments(b, g.classes[i]))
		return
	}
	again := g.declared[i] && !g.chance(10) // a second class { … } fails
	g.declared[i] = true
	if b.class != "" {
		g.classes[b.index].declares = append(g.classes[b.index].declares, i)
	}
	if b.inDefine {
		g.risky = true
	}
	c := g.classes[i]
	if (again || g.chance(60)) && c.required == 0 || g.chance(2) {
		g.line("include %s", c.name)
	} else {
		g.line("class { '%s': %s}", c.name, g.arguments(b, c))
	}
	if b.certain {
		b.vars = append(b.vars, c.vars...)
	}
}

// childInParent reports whether declaring class i in the body of class current might, on the way, declare a class that
// inherits from current. Bodies are generated from the last class to the first, so those before current are not known
// yet.
func (g *generator) childInParent(current, i int) bool {
	parent := false
	for _, c := range g.classes {
		parent = parent || c.parent == current
	}
	if !parent {
		return false
	}
	seen := map[int]bool{}
	var reach func(int) bool
	reach = func(i int) bool {
		if i <= current {
			return true
		}
		if seen[i] {
			return false
		}
		seen[i] = true
		for p := g.classes[i].parent; p >= 0; p = g.classes[p].parent {
			if p <= current || reach(p) {
				return true
			}
		}
		for _, d := range g.classes[i].declares {
			if reach(d) {
				return true
			}
		}
		return false
	}
	return reach(i)
}

func (g *generator) declareDefined(b *block) {
	if g.may(DuplicateDefine, 50) {
		g.line("dd { 'same': }")
		return
	}
	d := g.defines[g.IntN(len(g.defines))]
	title := fmt.Sprintf("t%d", g.title())
	g.line("%s { '%s': %s}", d.name, title, g.arguments(b, d))
	if g.target == LazyDefine && b.class == "" && b.certain && !b.taken["late"] {
		b.taken["late"] = true
		g.line("$late = %s", g.constant(intKind))
	}
}

// expr is an expression of a kind, with operators nested at most depth deep.
func (g *generator) expr(b *block, k kind, depth int) string {
	if g.chance(45) || depth == 0 {
		if v, ok := g.read(b, k); ok {
			return v
		}
		return g.constant(k)
	}
	if g.chance(12) {
		return g.choose(b, k, depth-1)
	}
	e := func(k kind) string { return g.expr(b, k, depth-1) }
	switch k {
	case intKind:
		op := []string{"+", "-", "*", "/", "%", "<<", ">>", "+", "-"}[g.IntN(9)]
		if op == "<<" || op == ">>" || strings.Contains("/%", op) && g.chance(90) {
			return fmt.Sprintf("(%s %s %d)", e(intKind), op, 1+g.IntN(4))
		}
		return fmt.Sprintf("(%s %s %s)", e(intKind), op, e(intKind))
	case boolKind:
		switch g.IntN(5) {
		case 0:
			return fmt.Sprintf("(%s and %s)", e(boolKind), e(boolKind))
		case 1:
			return fmt.Sprintf("(%s or %s)", e(boolKind), e(boolKind))
		case 2:
			return "!" + e(boolKind)
		case 3:
			op := []string{"<", "<=", ">", ">="}[g.IntN(4)]
			if g.may(StringOrder, 30) {
				return fmt.Sprintf("(%s %s %s)", e(strKind), op, e(strKind))
			}
			return fmt.Sprintf("(%s %s %s)", e(intKind), op, e(intKind))
		}
		ek := kind(g.IntN(3))
		return fmt.Sprintf("(%s %s %s)", e(ek), []string{"==", "!="}[g.IntN(2)], e(ek))
	}
	return g.constant(k)
}

// choose is a selector.
func (g *generator) choose(b *block, k kind, depth int) string {
	on := kind(g.IntN(3))
	parts := []string{}
	last := g.chance(97)
	if g.may(DefaultFirst, 40) {
		parts = append(parts, "default => "+g.expr(b, k, depth))
		last = false
	}
	for range 1 + g.IntN(2) {
		parts = append(parts, g.expr(b, on, depth)+" => "+g.expr(b, k, depth))
	}
	if last {
		parts = append(parts, "default => "+g.expr(b, k, depth))
	}
	return fmt.Sprintf("(%s ? { %s })", g.expr(b, on, depth), strings.Join(parts, ", "))
}

// read is a way to read a variable, an element or an attribute of the kind.
func (g *generator) read(b *block, k kind) (string, bool) {
	if g.IntN(500) == 0 {
		return "$unset", true
	}
	if b.inDefine && g.may(LazyDefine, 15) {
		if k == intKind {
			return "$late", true
		}
		return fmt.Sprintf("$%s%d", []string{"i", "s", "b", "l", "h"}[k], g.IntN(4)), true
	}
	if b.node && k == strKind && g.may(NodeLast, 15) {
		return "$after", true
	}
	var found []string
	for _, v := range b.vars {
		switch {
		case v.kind == k:
			found = append(found, "$"+v.name)
		case v.kind == arrayKind && k == intKind:
			n := g.IntN(v.size)
			if g.may(MissingElement, 30) {
				n = v.size
			}
			found = append(found, fmt.Sprintf("$%s[%d]", v.name, n))
		case v.kind == hashKind && k == strKind:
			found = append(found, fmt.Sprintf("$%s['%s']", v.name, []string{"x", "y"}[g.IntN(2)]))
		}
	}
	if !g.opt.Annotated && len(b.attrs) > 0 && g.chance(10) {
		if a := b.attrs[g.IntN(len(b.attrs))]; a.kind == k {
			found = append(found, fmt.Sprintf("%s['%s']", a.ref, a.attr))
		}
	}
	if len(found) == 0 {
		return "", false
	}
	return found[g.IntN(len(found))], true
}

func (g *generator) constant(k kind) string {
	switch k {
	case intKind:
		return fmt.Sprint(g.IntN(12) - 2)
	case boolKind:
		return []string{"true", "false"}[g.IntN(2)]
	case arrayKind:
		return fmt.Sprintf("[%d, 'e%d']", g.IntN(9), g.IntN(9))
	case hashKind:
		return fmt.Sprintf("{ 'k%d' => %d }", g.IntN(3), g.IntN(9))
	}
	return []string{"'Red'", "'red'", "'green'", "blue", `"Yellow"`, "'x y'", "'1'"}[g.IntN(7)]
}
