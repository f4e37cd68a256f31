package mupuppet

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random µPuppet programs, as Puppet source text. Tests use them here, against real Puppet and against the production
// evaluator.
//
// Most programs run to the end; some fail (a variable read too early, a class declared twice, a missing argument), and
// should fail everywhere. Where µPuppet and Puppet are known to differ (docs/mupuppet.md lists it), the generator keeps
// away unless it is told to go there, and then says which difference a program is exposed to.

// A Difference names one entry of the list in docs/mupuppet.md.
type Difference string

const (
	LazyDefine      Difference = "lazy-define"      // Puppet evaluates the bodies of defined types last
	NodeLast        Difference = "node-last"        // Puppet evaluates the node definition after all top-level statements
	LateDefinition  Difference = "late-definition"  // Puppet finds a definition that stands after its use
	DefaultFirst    Difference = "default-first"    // Puppet tries default last
	Truthiness      Difference = "truthiness"       // in Puppet every value is true or false
	UnknownArgument Difference = "unknown-argument" // Puppet refuses an argument that is no parameter
	StringOrder     Difference = "string-order"     // Puppet orders strings
	MissingElement  Difference = "missing-element"  // Puppet gives undef for what an array, hash or resource lacks
	DuplicateDefine Difference = "duplicate-define" // Puppet counts a defined resource as a resource
	ChildInParent   Difference = "child-in-parent"  // a class that is declared in the body of its own parent
	UnknownNode     Difference = "unknown-node"     // Puppet fails when no node definition matches
)

// Differences lists them.
func Differences() []Difference {
	return []Difference{LazyDefine, NodeLast, LateDefinition, DefaultFirst, Truthiness, UnknownArgument, StringOrder,
		MissingElement, DuplicateDefine, ChildInParent, UnknownNode}
}

// A Program is a random manifest, and the difference that it may run into, "" for none.
type Program struct {
	Source string
	Risk   Difference
}

// GenerateOptions shape random programs. The zero value gives programs on which µPuppet and Puppet must agree.
type GenerateOptions struct {
	Risky       bool // also use constructs on which they differ, those of one Difference a program
	Annotated   bool // only what the thesis's annotated rules cover: no arrays, hashes, references
	Independent bool // no variable hides another, and no class is declared in two places (see the dependency theorem)
}

// Generate makes a program.
func Generate(r *rand.Rand, opt GenerateOptions) Program {
	g := &generator{Rand: r, opt: opt, declared: map[int]bool{}}
	if all := Differences(); opt.Risky {
		g.target = all[r.IntN(len(all))]
	}
	return g.program()
}

type kind uint8

const (
	intKind kind = iota
	strKind
	boolKind
	arrayKind
	hashKind
)

// A variable that is certainly assigned, as far as the generator can see; size is an array's length.
type variableInfo struct {
	name string // as read: i0, ::i0, ::c1::s0
	kind kind
	size int
}

type attrInfo struct {
	ref, attr string
	kind      kind
}

// A block is what a sequence of statements may use.
type block struct {
	vars     []variableInfo
	attrs    []attrInfo      // attributes of resources declared before in this block
	taken    map[string]bool // names assigned in this scope; in a define, also the types with a resource $title
	class    string          // "" outside a class
	index    int             // of the class
	inDefine bool
	top      bool
	node     bool
	depth    int
	certain  bool // not under a condition
}

type classInfo struct {
	name     string
	params   []variableInfo
	required int // the first so many have no default
	parent   int
	declares []int          // the classes that its body declares
	vars     []variableInfo // assigned unconditionally, qualified
}

type generator struct {
	*rand.Rand
	opt      GenerateOptions
	b        strings.Builder
	indent   int
	classes  []classInfo
	defines  []classInfo
	titles   int
	names    int
	target   Difference   // the one that this program may use, "" for none
	risky    bool         // it did
	declared map[int]bool // classes that some statement declares or inherits
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// may decides whether to use a construct on which µPuppet and Puppet differ.
func (g *generator) may(d Difference, percent int) bool {
	if g.target != d || !g.chance(percent) {
		return false
	}
	g.risky = true
	return true
}

func (g *generator) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("  ", g.indent))
	fmt.Fprintf(&g.b, format, args...)
	g.b.WriteByte('\n')
}

func (g *generator) program() Program {
	nclasses, ndefines := g.IntN(5), g.IntN(4)
	for i := range nclasses {
		g.classes = append(g.classes, g.signature(fmt.Sprintf("c%d", i), i))
	}
	for i := range ndefines {
		g.defines = append(g.defines, g.signature(fmt.Sprintf("d%d", i), 0))
		g.defines[i].parent = -1
	}
	// A class is known to hold its variables only after its body is generated; later classes first, so that earlier ones
	// may speak of them.
	texts := make([]string, nclasses)
	for i := nclasses - 1; i >= 0; i-- {
		texts[i] = g.capture(func() { g.classDef(i) })
	}
	late := -1
	if nclasses > 0 && g.may(LateDefinition, 80) {
		late = g.IntN(nclasses)
	}
	for i, text := range texts {
		if i != late {
			g.b.WriteString(text)
		}
	}
	defs := make([]string, ndefines)
	for i := ndefines - 1; i >= 0; i-- {
		defs[i] = g.capture(func() { g.defineDef(i) })
	}
	g.b.WriteString(strings.Join(defs, ""))
	if g.target == DuplicateDefine {
		g.line("define dd {\n  $x = $title\n}")
		g.defines = append(g.defines, classInfo{name: "dd", parent: -1})
	}
	top := &block{top: true, certain: true, taken: map[string]bool{}}
	g.statements(top, 1+g.IntN(9))
	if g.chance(80) {
		g.node(top)
	}
	if late >= 0 {
		g.b.WriteString(texts[late])
	}
	p := Program{Source: g.b.String()}
	if g.risky {
		p.Risk = g.target
	}
	return p
}

// capture is what f writes.
func (g *generator) capture(f func()) string {
	saved := g.b.String()
	g.b.Reset()
	f()
	text := g.b.String()
	g.b.Reset()
	g.b.WriteString(saved)
	return text
}

func (g *generator) node(top *block) {
	host := "default"
	if g.may(UnknownNode, 60) {
		host = "'elsewhere'"
	} else if g.chance(20) {
		g.line("node 'other' {")
		g.indent++
		g.line("notify { 'n%d': }", g.title())
		g.indent--
		g.line("}")
	}
	inner := &block{node: true, vars: append([]variableInfo{}, top.vars...), certain: true, taken: map[string]bool{}}
	g.line("node %s {", host)
	g.indent++
	g.statements(inner, 1+g.IntN(9))
	g.indent--
	g.line("}")
	if g.may(NodeLast, 80) {
		g.line("$after = 'top'")
		g.statements(top, g.IntN(3))
	}
}

func (g *generator) title() int { g.titles++; return g.titles }

// signature makes the parameters of a class or defined type.
func (g *generator) signature(name string, index int) classInfo {
	c := classInfo{name: name, parent: -1}
	if index > 0 && g.chance(35) {
		p := g.IntN(index)
		if (!g.opt.Independent || !g.declared[p]) && (g.classes[p].required == 0 || g.chance(10)) {
			c.parent = p
			g.declared[p] = true
		}
	}
	if g.chance(50) {
		n := 1 + g.IntN(3)
		for range n {
			k := kind(g.IntN(3))
			c.params = append(c.params, variableInfo{name: g.fresh("p", nil), kind: k})
		}
		c.required = g.IntN(2)
	}
	return c
}

// fresh is a variable name: one of a few, so that scopes hide each other's variables, or a new one.
func (g *generator) fresh(prefix string, taken map[string]bool) string {
	if g.opt.Independent || prefix == "p" {
		g.names++
		return fmt.Sprintf("%s%d", prefix, 10+g.names)
	}
	name := fmt.Sprintf("%s%d", prefix, g.IntN(4))
	if taken[name] && !g.chance(4) { // now and then assign twice, which fails
		g.names++
		return fmt.Sprintf("%s%d", prefix, 10+g.names)
	}
	return name
}

func (g *generator) classDef(i int) {
	c := &g.classes[i]
	b := &block{class: c.name, index: i, certain: true, taken: map[string]bool{}}
	inherits := ""
	if c.parent >= 0 {
		inherits = " inherits " + g.classes[c.parent].name
	}
	params := g.paramList(c, b)
	g.line("class %s%s%s {", c.name, params, inherits)
	g.indent++
	g.statements(b, 1+g.IntN(5))
	g.indent--
	g.line("}")
	for _, v := range b.vars {
		if !strings.HasPrefix(v.name, "::") {
			v.name = "::" + c.name + "::" + v.name
			c.vars = append(c.vars, v)
		}
	}
}

func (g *generator) defineDef(i int) {
	d := &g.defines[i]
	b := &block{inDefine: true, certain: true, taken: map[string]bool{"title": true, "name": true}}
	b.vars = append(b.vars, variableInfo{"title", strKind, 0}, variableInfo{"name", strKind, 0})
	params := g.paramList(d, b)
	g.line("define %s%s {", d.name, params)
	g.indent++
	if g.chance(70) {
		g.line("file { $title: owner => %s }", g.expr(b, strKind, 1))
		b.taken["file"] = true
	}
	if i+1 < len(g.defines) && g.chance(40) {
		next := i + 1 + g.IntN(len(g.defines)-i-1)
		g.line("%s { $title: %s}", g.defines[next].name, g.arguments(b, g.defines[next]))
	}
	g.statements(b, 1+g.IntN(3))
	g.indent--
	g.line("}")
}

func (g *generator) paramList(c *classInfo, b *block) string {
	if len(c.params) == 0 {
		return ""
	}
	var parts []string
	for i, p := range c.params {
		text := "$" + p.name
		if i >= c.required {
			text += " = " + g.expr(b, p.kind, 1)
		}
		parts = append(parts, text)
		b.vars = append(b.vars, p)
		b.taken[p.name] = true
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// arguments are the attributes for a class or defined type, with a blank after them.
func (g *generator) arguments(b *block, c classInfo) string {
	var parts []string
	for i, p := range c.params {
		if i < c.required && !g.chance(3) || i >= c.required && g.chance(50) {
			parts = append(parts, p.name+" => "+g.expr(b, p.kind, 1))
		}
	}
	if g.may(UnknownArgument, 20) {
		parts = append(parts, "zz => 1")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + " "
}
