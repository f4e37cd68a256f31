package smartfrog

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"bunraku/source"

	"pgregory.net/rapid"
)

// Random specifications, as in section 8.2 of the paper: the generator evaluates, with the literal semantics, what it
// has written so far, and picks references that lead somewhere; so nearly all specifications are valid, and full of
// copies of copies.

// A chooser decides. It is a seeded generator in long runs, and rapid, which can shrink a failure, in the others.
type chooser interface {
	choose(n int) int // one of 0 … n-1
}

type seeded struct{ *rand.Rand }

func (s seeded) choose(n int) int { return s.IntN(n) }

type drawn struct{ *rapid.T }

func (d drawn) choose(n int) int { return rapid.IntRange(0, n-1).Draw(d.T, "choice") }

// A generator writes a specification.
type generator struct {
	chooser
	// wrong is how many of a hundred references are picked without looking.
	wrong int
	store *cell // what the specification has come to so far
	left  int   // statements still to be written
	// extended writes links last, when there is everything to link to, and no prototype that contains what extends it.
	extended bool
	links    []*Assignment // with the namespaces they stand in
	spaces   [][]string
}

// maxCells bounds the store: copies of copies grow fast.
const maxCells = 1500

func (g *generator) specification() []Statement {
	g.left = 5 + g.choose(40)
	var body []Statement
	for g.left > 0 {
		body = append(body, g.statements(nil, 1+g.choose(3), 0)...)
		if g.choose(3) == 0 {
			body = g.assign(body, nil, []string{"sfConfig"}, 0)
		}
	}
	if _, ok := litFind(g.store, []string{"sfConfig"}).(*cell); !ok && g.wrong == 0 {
		a := &Assignment{Target: &Ref{Path: Reference{"sfConfig"}}, Value: &Extends{Protos: []Prototype{&Block{}}}}
		body = g.try(body, nil, a)
	}
	for i, a := range g.links {
		g.link(body, a, g.spaces[i])
	}
	return body
}

// link turns an assignment into a link, unless that makes the specification wrong and it should be right.
func (g *generator) link(body []Statement, a *Assignment, ns []string) {
	old := a.Value
	for range 3 {
		var ref *Ref
		if g.choose(100) < g.wrong {
			ref = g.anyReference()
		} else if around := ns[:g.choose(len(ns)+1)]; true {
			s, _ := litFind(g.store, around).(*cell)
			path := g.path(s, false)
			if path == nil {
				continue
			}
			for range g.choose(2) * (len(ns) - len(around)) {
				path = append([]string{"PARENT"}, path...)
			}
			if len(around) == 0 && g.choose(3) == 0 {
				path = append([]string{"ROOT"}, path...)
			}
			ref = &Ref{Path: path}
		}
		a.Value = &Link{Ref: ref}
		if g.wrong > 0 {
			return
		}
		if _, diags := evaluate(&Spec{File: source.NewFile("random.sf", ""), Body: body}, nil,
			Options{Extended: true, MaxSize: maxCells}); !diags.HasErrors() {
			return
		}
	}
	a.Value = old
}

func (g *generator) statements(ns []string, n, depth int) []Statement {
	var body []Statement
	for range n {
		if g.left <= 0 {
			break
		}
		body = g.assign(body, ns, g.target(ns), depth)
	}
	return body
}

func (g *generator) name() string {
	list := []string{"a", "b", "c", "d", "e", "order", "null", "x.y", "é'", "sfConfig"}
	return list[g.choose(len(list))]
}

// target picks the left-hand side of an assignment: a name, or a placement into a component that is there.
func (g *generator) target(ns []string) []string {
	if g.choose(4) == 0 {
		if s, ok := litFind(g.store, ns).(*cell); ok {
			if r := g.path(s, true); r != nil && (!g.extended || isCell(litFind(s, r))) {
				return append(r, g.name())
			}
		}
	}
	if g.choose(100) < g.wrong {
		return []string{g.name(), g.name()}
	}
	return []string{g.name()}
}

func isCell(v any) bool { _, ok := v.(*cell); return ok }

// path picks a path in a store, of a component when one is wanted; nil when there is none.
func (g *generator) path(s *cell, component bool) []string {
	var r []string
	for {
		var cells []*cell
		for c := s; c != nil; c = c.rest {
			_, ok := c.v.(*cell)
			if _, link := c.v.(litLink); ok || !component || link && g.wrong > 0 {
				cells = append(cells, c)
			}
		}
		if len(cells) == 0 {
			return r
		}
		c := cells[g.choose(len(cells))]
		r = append(r, c.id)
		sub, ok := c.v.(*cell)
		if !ok || g.choose(2) == 0 {
			return r
		}
		s = sub
	}
}

// reference picks a reference that leads to something from ns, or nil.
func (g *generator) reference(ns []string, component bool) *Ref {
	if g.choose(100) < g.wrong && !g.extended {
		return &Ref{Path: Reference{g.name(), g.name()}[:1+g.choose(2)]}
	}
	for range 3 {
		around := ns[:g.choose(len(ns)+1)]
		s, ok := litFind(g.store, around).(*cell)
		if !ok {
			continue
		}
		r := g.path(s, component)
		if r == nil {
			continue
		}
		_, v := litResolve(g.store, ns, r)
		_, ok = v.(*cell)
		if _, link := v.(litLink); ok || (!component || link && g.wrong > 0) && v != any(undefined{}) {
			return &Ref{Path: r}
		}
	}
	return nil
}

// try appends an assignment, unless the store would become too large.
func (g *generator) try(body []Statement, ns []string, a *Assignment) []Statement {
	s, err := litValue(a.Value, ns, litConcat(ns, a.Target.Path), g.store)
	if l, ok := a.Value.(*Link); ok && g.extended {
		s, err = litBind(g.store, litConcat(ns, a.Target.Path), litLink{l.Ref.Path})
	}
	if err == nil {
		if countCells(s, maxCells) > maxCells {
			return body
		}
		g.store = s
	} else if g.wrong == 0 {
		return body
	}
	return append(body, a)
}

func (g *generator) assign(body []Statement, ns, target []string, depth int) []Statement {
	g.left--
	a := &Assignment{Target: &Ref{Path: target}}
	switch g.choose(5) {
	case 0, 1:
		a.Value = g.literal(0)
	case 2:
		ref := g.reference(ns, false)
		if g.extended && (ref == nil || g.choose(3) > 0) {
			a.Value = &StrLit{Value: "link"}
			g.links, g.spaces = append(g.links, a), append(g.spaces, ns)
			break
		}
		if ref == nil {
			a.Value = &StrLit{Value: "noref"}
		} else {
			a.Value = &Link{Ref: ref}
		}
	default:
		return g.extend(body, ns, target, depth)
	}
	return g.try(body, ns, a)
}

// anyReference is a reference that may lead ahead, or nowhere.
func (g *generator) anyReference() *Ref {
	path := Reference{[]string{"THIS", "PARENT", "ROOT", g.name(), g.name(), g.name()}[g.choose(6)]}
	for range g.choose(3) {
		path = append(path, g.name())
	}
	return &Ref{Path: path}
}

// extend appends a component. Its body is written while its component is being evaluated, as the references in it
// demand.
func (g *generator) extend(body []Statement, ns, target []string, depth int) []Statement {
	r := litConcat(ns, target)
	before := g.store
	s, err := litBind(g.store, r, (*cell)(nil))
	if err != nil && g.wrong == 0 {
		return body
	}
	if err == nil {
		g.store = s
	}
	x := &Extends{}
	for range 1 + g.choose(3) {
		if g.choose(2) == 0 {
			if ref := g.reference(ns, true); ref != nil && !(g.extended && g.choose(100) > 0 && g.around(ns, ref.Path, r)) {
				if s, err := litInherit(g.store, ns, ref.Path, r); err == nil {
					g.store = s
				}
				x.Protos = append(x.Protos, ref)
				continue
			}
		}
		b := &Block{}
		if depth < 6 && err == nil {
			b.Body = g.statements(r, g.choose(5), depth+1)
		}
		x.Protos = append(x.Protos, b)
	}
	if countCells(g.store, maxCells) > maxCells {
		g.store = before
		return body
	}
	return append(body, &Assignment{Target: &Ref{Path: target}, Value: x})
}

// around reports whether a prototype contains the component that extends it.
func (g *generator) around(ns []string, proto, r []string) bool {
	in, _ := litResolve(g.store, ns, proto)
	return litWithin(litConcat(in, proto), r, false)
}

func countCells(s *cell, limit int) int {
	n := 0
	for ; s != nil && n <= limit; s = s.rest {
		n++
		if sub, ok := s.v.(*cell); ok {
			n += countCells(sub, limit-n)
		}
	}
	return n
}

func (g *generator) literal(depth int) Basic {
	switch g.choose(9) {
	case 0:
		return &BoolLit{Value: g.choose(2) == 0}
	case 1:
		return &NullLit{}
	case 2:
		list := []string{"0x1F", "-0o17", "010", "+5", "-0", "123456789012345678901234567890"}
		return &NumLit{Text: list[g.choose(len(list))]}
	case 3:
		list := []string{"1.5", "-2.", ".5", "1e3", "0.10E-2", "00.0"}
		return &NumLit{Text: list[g.choose(len(list))]}
	case 4:
		list := []string{"", "line\nend", "tab\t\"quoted\" \\ /", "日本 é", "\u0001\u2028", "true"}
		return &StrLit{Value: list[g.choose(len(list))]}
	case 5:
		return &DataRefLit{Ref: &Ref{Path: Reference{g.name(), g.name(), g.name()}[:1+g.choose(3)]}}
	case 6:
		v := &VecLit{}
		if depth < 3 {
			for range g.choose(4) {
				v.Elems = append(v.Elems, g.literal(depth+1))
			}
		}
		return v
	}
	return &NumLit{Text: fmt.Sprint(g.choose(1000))}
}

// specText writes a syntax tree down.
func specText(body []Statement) string {
	var b strings.Builder
	writeBody(&b, body, "")
	return b.String()
}

func writeBody(b *strings.Builder, body []Statement, indent string) {
	for _, s := range body {
		a := s.(*Assignment)
		b.WriteString(indent + a.Target.Path.String() + " ")
		switch v := a.Value.(type) {
		case Basic:
			b.WriteString(literalText(v) + ";\n")
		case *Link:
			b.WriteString(v.Ref.Path.String() + ";\n")
		case *Extends:
			b.WriteString("extends ")
			for i, p := range v.Protos {
				if i > 0 {
					b.WriteString(", ")
				}
				switch p := p.(type) {
				case *Ref:
					b.WriteString(p.Path.String())
				case *Block:
					b.WriteString("{\n")
					writeBody(b, p.Body, indent+"  ")
					b.WriteString(indent + "}")
				}
			}
			b.WriteString("\n")
		}
	}
}

func literalText(v Basic) string {
	switch v := v.(type) {
	case *BoolLit:
		return fmt.Sprint(v.Value)
	case *NullLit:
		return "NULL"
	case *NumLit:
		return v.Text
	case *StrLit:
		var b strings.Builder
		p := newPrinter(&b)
		p.quote(v.Value)
		_ = p.w.Flush()
		return b.String()
	case *DataRefLit:
		return "DATA " + v.Ref.Path.String()
	case *VecLit:
		list := make([]string, len(v.Elems))
		for i, e := range v.Elems {
			list[i] = literalText(e)
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	panic("no such literal")
}

func compileText(text string, opt Options) (*Result, source.Diagnostics) {
	return Compile(source.NewFile("random.sf", text), fstest.MapFS{}, opt)
}

// A failer is a test of either kind.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// compareWithLiteral compiles a random specification both ways.
func compareWithLiteral(t failer, c chooser, wrong int) (valid bool) {
	t.Helper()
	g := &generator{chooser: c, wrong: wrong}
	body := g.specification()
	text := specText(body)
	want, err := litSpec(body)
	r, diags := compileText(text, Options{shallow: 1 + c.choose(3)})
	if err != nil {
		if got := kindOf(diags); got != err.Error() {
			t.Fatalf("we say %q, the literal semantics %q of\n%s", got, err, text)
		}
		return false
	}
	if r == nil {
		t.Fatalf("we say %v of a specification that is right:\n%s", diags, text)
	}
	if got, want := storeText(r.Config), litText(want); got != want {
		t.Fatalf("we say\n%s\nthe literal semantics\n%s\nof\n%s", got, want, text)
	}
	checkUnique(t, r.Config)
	checkUniqueCells(t, want)
	litSubstores(want, func(s *cell) { checkUniqueCells(t, s) })
	return true
}

// checkUniqueCells is Theorem 2 (SmartFrog), for one store of the literal semantics.
func checkUniqueCells(t failer, s *cell) {
	seen := map[string]bool{}
	for ; s != nil; s = s.rest {
		if seen[s.id] {
			t.Fatalf("%q stands twice in a store of the literal semantics", s.id)
		}
		seen[s.id] = true
	}
}

// checkUnique is Theorem 2 (SmartFrog): no store has a name twice.
func checkUnique(t failer, s *Store) {
	seen := map[string]bool{}
	for name, v := range s.All() {
		if seen[name] {
			t.Fatalf("%q stands twice in %s", name, storeText(s))
		}
		seen[name] = true
		if sub, ok := v.(*Store); ok {
			checkUnique(t, sub)
		}
	}
}

// runs is how many random specifications a test tries.
func runs(few, many int) int {
	if os.Getenv("BUNRAKU_LONG") != "" {
		return many
	}
	return few
}

// TestLiteral compares the compiler with the literal semantics on random specifications. That it ends at all is Theorem
// 1 (SmartFrog): every run is bounded by the work it may do, and none of these comes near.
func TestLiteral(t *testing.T) {
	valid := compareMany(t, runs(400, 20_000), 0)
	if valid == 0 {
		t.Error("no specification was valid")
	}
}

// compareMany returns how many of n seeded specifications were valid.
func compareMany(t failer, n, wrong int) int {
	valid := 0
	for seed := range n {
		if compareWithLiteral(t, seeded{rand.New(rand.NewPCG(uint64(seed), 7))}, wrong) {
			valid++
		}
	}
	return valid
}

// TestLiteralErrors compares the first error that both report on specifications that are mostly wrong.
func TestLiteralErrors(t *testing.T) {
	n := runs(400, 20_000)
	valid := compareMany(t, n, 10)
	if valid == n {
		t.Error("no specification was wrong")
	}
}

// TestLiteralShrinks is TestLiteral with a generator that, on failure, looks for the smallest specification that fails.
func TestLiteralShrinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { compareWithLiteral(t, drawn{t}, 0) })
}
