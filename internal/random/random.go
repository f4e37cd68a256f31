// Package random makes programs for tests: the same seed always gives the same program. It is for tests only.
//
// It imports nothing of this module. Start reading at Program and Site.
package random

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Program is a random manifest.
func Program(seed int) string {
	g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), 42))}
	return g.program()
}

// A generator writes random programs that are well typed and mostly legal: classes with parameters and inheritance,
// defines that declare each other, resources of several types, defaults, overrides, virtual resources, collectors,
// relationships, conditions, loops. Whatever it writes, real Puppet and we must make the same of it, errors included.
type generator struct {
	*rand.Rand
	b       strings.Builder
	depth   int
	classes []genClass
	defines []genDefine
	titles  int
	// what can be referred to here
	vars  []genVar
	refs  []string // references to resources declared so far in this body
	level int      // classes and defines above this number may be declared
	inDef bool
	data  *data // nil without Hiera
}

type genClass struct {
	name   string
	parent int // or -1
	params []genVar
	files  []string // titles of file resources declared in the body, for overrides below
}

type genDefine struct {
	name   string
	params []genVar
}

type genVar struct {
	name string
	typ  genType
}

type genType uint8

const (
	genInt genType = iota
	genStr
	genBool
	genList
	genHash
	genTypes
)

var genTypeNames = [...]string{"Integer", "String", "Boolean", "Array[String]", "Hash[String, Integer]"}

func (g *generator) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("  ", g.depth))
	fmt.Fprintf(&g.b, format, args...)
	g.b.WriteByte('\n')
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

var genWords = []string{"alpha", "Beta", "gamma", "delta", "a", "b", "10", "", "x y", "alpha::beta"}

// expr is an expression of a type.
func (g *generator) expr(t genType, deep int) string {
	var same []string
	for _, v := range g.vars {
		if v.typ == t {
			same = append(same, "$"+v.name)
		}
	}
	if len(same) > 0 && g.chance(45) {
		return pick(g, same)
	}
	if g.data != nil && g.chance(20) {
		return g.data.lookup(g, t)
	}
	if deep > 2 {
		return g.literal(t)
	}
	deep++
	sub := func(t genType) string { return g.expr(t, deep) }
	if g.chance(15) {
		return fmt.Sprintf("(%s ? { true => %s, default => %s })", sub(genBool), sub(t), sub(t))
	}
	if g.chance(8) {
		return fmt.Sprintf("if %s { %s } else { %s }", sub(genBool), sub(t), sub(t))
	}
	switch t {
	case genInt:
		switch g.IntN(6) {
		case 0:
			return fmt.Sprintf("(%s + %s)", sub(genInt), sub(genInt))
		case 1:
			return fmt.Sprintf("(%s * %s)", sub(genInt), sub(genInt))
		case 2:
			return fmt.Sprintf("(%s - %s)", sub(genInt), sub(genInt))
		case 3:
			return fmt.Sprintf("%s.reduce(0) |$m, $x| { $m + 1 }", sub(genList))
		case 4:
			return fmt.Sprintf("(%s %% 7)", sub(genInt))
		}
	case genStr:
		switch g.IntN(5) {
		case 0:
			return fmt.Sprintf(`"${%s}-${%s}"`, g.inString(genStr), g.inString(genInt))
		case 1:
			return fmt.Sprintf(`"v${%s}"`, g.inString(pick(g, []genType{genBool, genList, genHash, genInt})))
		case 2:
			return fmt.Sprintf("'%s'[0, 3]", pick(g, []string{"abcdef", "xyz"}))
		}
	case genBool:
		switch g.IntN(9) {
		case 0:
			return fmt.Sprintf("(%s == %s)", sub(genStr), sub(genStr))
		case 1:
			return fmt.Sprintf("(%s > %s)", sub(genInt), sub(genInt))
		case 2:
			return fmt.Sprintf("(%s and %s)", sub(genBool), sub(genBool))
		case 3:
			return fmt.Sprintf("(%s or ! %s)", sub(genBool), sub(genBool))
		case 4:
			return fmt.Sprintf("(%s in %s)", sub(genStr), sub(genList))
		case 5:
			return fmt.Sprintf("(%s =~ /^[a-m]/)", sub(genStr))
		case 6:
			return fmt.Sprintf("(%s =~ %s)", sub(pick(g, []genType{genStr, genInt, genList, genHash})),
				pick(g, []string{"Integer[0, 5]", "String[1]", "Array[String, 1, 2]", "Hash", "Variant[Integer, String]"}))
		}
	case genList:
		switch g.IntN(6) {
		case 0:
			return fmt.Sprintf("[%s, %s]", sub(genStr), sub(genStr))
		case 1:
			return fmt.Sprintf("(%s + %s)", sub(genList), sub(genList))
		case 2:
			return fmt.Sprintf("%s.map |$x| { \"m${x}\" }", sub(genList))
		case 3:
			return fmt.Sprintf("%s.filter |$x| { $x != %s }", sub(genList), sub(genStr))
		case 4:
			return fmt.Sprintf("[%s, *%s]", sub(genStr), sub(genList))
		}
	case genHash:
		switch g.IntN(4) {
		case 0:
			return fmt.Sprintf("{ 'a' => %s, 'b' => %s }", sub(genInt), sub(genInt))
		case 1:
			return fmt.Sprintf("(%s + %s)", sub(genHash), sub(genHash))
		case 2:
			return fmt.Sprintf("%s.filter |$k, $v| { $v > %s }", sub(genHash), sub(genInt))
		}
	}
	return g.literal(t)
}

// inString is an expression that can stand in ${…} whole.
func (g *generator) inString(t genType) string {
	for _, v := range g.vars {
		if v.typ == t && g.chance(60) {
			return v.name
		}
	}
	if t == genBool { // a lone true would be a variable's name
		return "1 == 1"
	}
	return g.literal(t)
}

func (g *generator) literal(t genType) string {
	switch t {
	case genInt:
		return strconv.Itoa(g.IntN(12))
	case genStr:
		return "'" + pick(g, genWords) + "'"
	case genBool:
		return strconv.FormatBool(g.chance(50))
	case genList:
		return pick(g, []string{"['a', 'b']", "[]", "['alpha', 'x y', 'Beta']", "['c']"})
	}
	return pick(g, []string{"{ 'a' => 1 }", "{}", "{ 'k' => 3, 'a' => 0, 'z' => 9 }"})
}

func (g *generator) title() string {
	g.titles++
	return fmt.Sprintf("/r%d", g.titles)
}

// resource declares one resource; it returns its reference, or "" when the title is computed.
func (g *generator) resource(form string) string {
	t := g.title()
	title := "'" + t + "'"
	plain := true
	if g.inDef {
		title, plain = fmt.Sprintf(`"%s-${title}"`, t), false
	}
	typ := pick(g, []string{"file", "notify", "user", "file"})
	meta := g.metaparams()
	switch typ {
	case "file":
		g.line("%sfile { %s: %s%s }", form, title, strings.Join(g.attrs([]string{"mode", "owner", "group", "content"}), ", "),
			meta)
	case "notify":
		g.line("%snotify { %s: message => %s%s }", form, title,
			g.expr(pick(g, []genType{genInt, genStr, genBool, genList, genHash}), 1), meta)
	case "user":
		g.line("%suser { %s: uid => %s, comment => %s%s }", form, title, g.expr(genInt, 1), g.expr(genStr, 1), meta)
	}
	if !plain {
		return ""
	}
	return strings.ToUpper(typ[:1]) + typ[1:] + "['" + t + "']"
}

func (g *generator) attrs(names []string) []string {
	var out []string
	for _, n := range names {
		if g.chance(50) {
			out = append(out, fmt.Sprintf("%s => %s", n, pick(g, []string{g.expr(genStr, 1), "undef", "'0644'"})))
		}
	}
	return out
}

func (g *generator) metaparams() string {
	s := ""
	if g.chance(10) {
		s += fmt.Sprintf(", tag => %s", pick(g, []string{"'t1'", "['t2', 'x::y']", "'T3'"}))
	}
	if g.chance(6) {
		s += ", noop => " + pick(g, []string{"true", "false"})
	}
	if len(g.refs) > 0 && g.chance(15) {
		s += fmt.Sprintf(", %s => %s", pick(g, []string{"require", "before", "notify", "subscribe"}),
			pick(g, []string{pick(g, g.refs), "[" + pick(g, g.refs) + "]"}))
	}
	return s
}

// body writes statements.
func (g *generator) body(n int) {
	g.depth++
	for range n {
		g.statement()
	}
	g.depth--
}

func (g *generator) statement() {
	switch g.IntN(16) {
	case 0, 1:
		t := genType(g.IntN(int(genTypes)))
		name := fmt.Sprintf("v%d", g.titles)
		g.titles++
		g.line("$%s = %s", name, g.expr(t, 0))
		g.vars = append(g.vars, genVar{name, t})
	case 2, 3, 4:
		if ref := g.resource(""); ref != "" {
			g.refs = append(g.refs, ref)
		}
	case 5:
		ref := g.resource(pick(g, []string{"@", "@", "@@"}))
		if ref != "" && g.chance(60) {
			g.line("realize(%s)", ref)
		}
	case 6:
		if g.depth > 3 {
			return
		}
		vars, refs := g.vars, g.refs
		g.line("if %s {", g.expr(genBool, 0))
		g.body(1 + g.IntN(2))
		g.vars, g.refs = vars, refs
		if g.chance(50) {
			g.line("} else {")
			g.body(1 + g.IntN(2))
			g.vars, g.refs = vars, refs
		}
		g.line("}")
	case 7:
		if g.depth > 3 {
			return
		}
		vars, refs := g.vars, g.refs
		g.line("case %s {", g.expr(genStr, 0))
		for range 1 + g.IntN(2) {
			g.line("  %s: {", pick(g, []string{"'alpha'", "'a', 'b'", "/^x/", "String[4]", "'BETA'"}))
			g.depth++
			g.body(1)
			g.depth--
			g.line("  }")
			g.vars, g.refs = vars, refs
		}
		g.line("  default: {")
		g.depth++
		g.body(1)
		g.depth--
		g.line("  }")
		g.line("}")
		g.vars, g.refs = vars, refs
	case 8:
		list := g.expr(genList, 1)
		t := g.title()
		prefix := ""
		if g.inDef {
			prefix = "${title}-"
		}
		g.line("%s.each |$i, $x| { notify { \"%s%s-${i}-${x}\": message => %s } }", list, prefix, t, g.expr(genStr, 1))
	case 9, 10:
		g.declareClass()
	case 11, 12:
		g.declareDefine()
	case 13:
		g.line("%s { %s }", pick(g, []string{"File", "User", "Notify"}),
			pick(g, []string{"noop => true", "tag => 'dflt'", "loglevel => 'info'"}))
	case 14:
		g.collector()
	case 15:
		if len(g.refs) > 1 {
			a, b := g.IntN(len(g.refs)), g.IntN(len(g.refs))
			if a < b { // no cycles; Puppet would not mind, but readers do
				g.line("%s %s %s", g.refs[a], pick(g, []string{"->", "~>"}), g.refs[b])
			}
		}
	}
}

func (g *generator) declareClass() {
	if g.level >= len(g.classes) {
		return
	}
	c := g.classes[g.level+g.IntN(len(g.classes)-g.level)]
	if g.chance(25) && len(c.params) > 0 && !g.inDef {
		g.line("class { '%s': %s => %s }", c.name, c.params[0].name, g.expr(c.params[0].typ, 1))
		return
	}
	g.line("%s %s", pick(g, []string{"include", "include", "contain", "require"}), c.name)
}

func (g *generator) declareDefine() {
	from := 0
	if g.inDef {
		from = g.level
	}
	if from >= len(g.defines) {
		return
	}
	d := g.defines[from+g.IntN(len(g.defines)-from)]
	var args []string
	for i, p := range d.params {
		if i == 0 || g.chance(50) {
			args = append(args, fmt.Sprintf("%s => %s", p.name, g.expr(p.typ, 1)))
		}
	}
	title := g.title()
	quoted := "'" + title + "'"
	if g.inDef {
		quoted = fmt.Sprintf(`"%s-${title}"`, title)
	}
	form := ""
	if g.chance(15) {
		form = "@"
	}
	g.line("%s%s { %s: %s%s }", form, d.name, quoted, strings.Join(args, ", "), g.metaparams())
}

func (g *generator) collector() {
	typ := pick(g, []string{"File", "Notify", "User"})
	query := pick(g, []string{"", "title == '/r1'", "tag == 't1'", "title != '/r2' and tag == 'file'",
		"noop == true or title == '/r3'", "mode == '0644'"})
	override := ""
	if g.chance(50) {
		override = " { " + pick(g, []string{"noop => false", "tag => 'got'", "loglevel => 'debug'"}) + " }"
	}
	g.line("%s <| %s |>%s", typ, query, override)
}

// program writes a whole program.
func (g *generator) program() string {
	for i := range 2 + g.IntN(4) {
		c := genClass{name: fmt.Sprintf("c%d", i), parent: -1}
		if g.chance(30) {
			c.name = fmt.Sprintf("c%d::sub", i)
		}
		for j := range g.IntN(3) {
			c.params = append(c.params, genVar{fmt.Sprintf("p%d", j), genType(g.IntN(int(genTypes)))})
		}
		g.classes = append(g.classes, c)
	}
	for i := range 1 + g.IntN(3) {
		d := genDefine{name: fmt.Sprintf("d%d", i)}
		for j := range 1 + g.IntN(2) {
			d.params = append(d.params, genVar{fmt.Sprintf("q%d", j), genType(g.IntN(int(genTypes)))})
		}
		g.defines = append(g.defines, d)
	}
	for i := range g.classes {
		g.class(i)
	}
	for i := range g.defines {
		g.define(i)
	}
	g.vars, g.refs, g.level, g.inDef = nil, nil, 0, false
	g.line("$top = %s", g.expr(genStr, 0))
	g.vars = []genVar{{"top", genStr}}
	g.depth--
	g.body(2 + g.IntN(4))
	g.depth++
	g.line("node default {")
	g.body(2 + g.IntN(3))
	g.line("  include c0%s", strings.TrimPrefix(g.classes[0].name, "c0"))
	g.line("}")
	return g.b.String()
}

func (g *generator) paramList(ps []genVar, firstRequired bool) string {
	var out []string
	for i, p := range ps {
		if i == 0 && firstRequired {
			out = append(out, fmt.Sprintf("%s $%s", genTypeNames[p.typ], p.name))
			continue
		}
		out = append(out, fmt.Sprintf("%s $%s = %s", genTypeNames[p.typ], p.name, g.literal(p.typ)))
	}
	if len(out) == 0 {
		return ""
	}
	return "(" + strings.Join(out, ", ") + ") "
}

func (g *generator) class(i int) {
	c := &g.classes[i]
	g.level, g.inDef, g.refs = i+1, false, nil
	g.vars = append([]genVar{{"title", genStr}}, c.params...)
	inherits := ""
	if i > 0 && g.chance(30) {
		c.parent = g.IntN(i)
		inherits = "inherits " + g.classes[c.parent].name + " "
	}
	g.line("class %s %s%s{", c.name, g.paramList(c.params, false), inherits)
	g.body(2 + g.IntN(4))
	g.depth++
	t := g.title()
	g.line("file { '%s': mode => '0600' }", t)
	c.files = append(c.files, t)
	if c.parent >= 0 && g.chance(60) {
		over := pick(g, g.classes[c.parent].files)
		g.line("File['%s'] { %s }", over, pick(g, []string{"mode => '0755'", "mode => undef", "owner => 'x'", "tag +> 'more'",
			"before +> File['" + t + "']"}))
	}
	if g.chance(30) && i > 0 {
		g.line("notify { '%s': message => \"${%s::title}\" }", g.title(), g.classes[g.IntN(i)].name)
	}
	g.depth--
	g.line("}")
}

func (g *generator) define(i int) {
	d := g.defines[i]
	g.level, g.inDef, g.refs = i+1, true, nil
	g.vars = append([]genVar{{"title", genStr}, {"name", genStr}}, d.params...)
	g.line("define %s %s{", d.name, g.paramList(d.params, true))
	classes := g.classes
	g.classes = nil // no classes from defines: whether they are there already depends on the order
	if g.chance(30) {
		g.classes = classes
	}
	g.body(1 + g.IntN(3))
	g.classes = classes
	g.line("}")
}
