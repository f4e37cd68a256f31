package smartfrog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bunraku/source"
)

// The promises of provenance, as properties of random specifications.

// slotsOf lists the paths of slots below sfConfig, at most limit of them.
func slotsOf(r *Result, limit int) [][]target {
	var list [][]target
	var visit func(sc *scope, path []target)
	visit = func(sc *scope, path []target) {
		for i := range sc.store.slots {
			if len(list) >= limit {
				return
			}
			p := append(slices.Clip(path), target{sc, i})
			list = append(list, p)
			if sub, ok := sc.store.slots[i].value.(*Store); ok {
				visit(&scope{up: sc, name: sc.store.slots[i].name, depth: sc.depth + 1, store: sub, pos: i}, p)
			}
		}
	}
	root := &scope{store: r.root}
	pos := r.root.position("sfConfig")
	visit(&scope{up: root, name: "sfConfig", depth: 1, store: r.Config, pos: pos}, []target{{root, pos}})
	return list
}

func referenceOf(path []target) Reference {
	var r Reference
	for _, t := range path {
		r = append(r, t.name())
	}
	return r
}

// randomSpec returns a random specification, parsed, with its text.
func randomSpec(seed uint64, extended bool) (*Spec, string) {
	g := &generator{chooser: seeded{rand.New(rand.NewPCG(seed, 11))}, extended: extended}
	text := specText(g.specification())
	spec, diags := Parse(source.NewFile("random.sf", text), Options{Extended: extended})
	if diags.HasErrors() {
		panic(fmt.Sprint(diags, text))
	}
	return spec, text
}

// assignmentsIn lists all assignments of a body, with the body that each stands in.
func assignmentsIn(body *[]Statement, visit func(body *[]Statement, i int)) {
	for i, s := range *body {
		visit(body, i)
		if x, ok := s.(*Assignment).Value.(*Extends); ok {
			for _, p := range x.Protos {
				if b, ok := p.(*Block); ok {
					assignmentsIn(&b.Body, visit)
				}
			}
		}
	}
}

// everyName is a component that has every name of a specification: put in place of a value, it answers every search.
func everyName(text string) Expr {
	spec, _ := Parse(source.NewFile("names", text), Options{})
	b := &Block{}
	seen := map[string]bool{"sfConfig": true}
	assignmentsIn(&spec.Body, func(body *[]Statement, i int) {
		for _, name := range (*body)[i].(*Assignment).Target.Path {
			if !seen[name] {
				seen[name] = true
				b.Body = append(b.Body, &Assignment{Target: &Ref{Path: Reference{name}}, Value: &NumLit{Text: "0"}})
			}
		}
	})
	return &Extends{Protos: []Prototype{b}}
}

// TestDependency changes each assignment of random specifications, in three ways: it is removed, its value becomes
// NULL, or its value becomes a component that has every name. No attribute may change whose dependencies do not list
// the assignment, not even when the specification is wrong after the change: errors spoil nothing that they do not
// touch.
func TestDependency(t *testing.T) {
	for _, extended := range []bool{false, true} {
		t.Run(fmt.Sprintf("extended=%t", extended), func(t *testing.T) {
			checked, kept := 0, 0
			for seed := range runs(120, 4_000) {
				c, k := checkDependency(t, uint64(seed), extended)
				checked += c
				kept += k
			}
			t.Logf("%d attributes compared after a change, %d of them with nothing in common with it", checked, kept)
			if kept == 0 {
				t.Error("every attribute depends on everything")
			}
		})
	}
}

func checkDependency(t *testing.T, seed uint64, extended bool) (checked, kept int) {
	opt := Options{Extended: extended}
	spec, text := randomSpec(seed, extended)
	before, diags := evaluate(spec, nil, opt)
	if before == nil || diags.HasErrors() {
		return 0, 0
	}
	type attribute struct {
		path  Reference
		text  string
		stmts map[Statement]bool
	}
	var attributes []attribute
	for _, path := range slotsOf(before, 60) {
		a := attribute{referenceOf(path), storeText(path[len(path)-1].value()), map[Statement]bool{}}
		for act := range dependenciesOf(path).acts {
			a.stmts[act.stmt] = true
		}
		attributes = append(attributes, a)
	}
	wide := everyName(text)
	check := func(s Statement, how string) {
		after, diags := evaluate(spec, nil, opt)
		if extended && diags.HasErrors() {
			return // a circle of links spoils all of them, wherever it is closed
		}
		for _, a := range attributes {
			checked++
			if a.stmts[s] {
				continue
			}
			kept++
			got := "nothing"
			if after != nil {
				if v := after.root.Find(a.path); v != nil {
					got = storeText(v)
				}
			}
			if got != a.text {
				t.Fatalf("seed %d: %s does not depend on `%s`, but with that %s it becomes\n%s\nand was\n%s\nin\n%s",
					seed, a.path, text[s.Span().Start:s.Span().End], how, got, a.text, text)
			}
		}
	}
	assignmentsIn(&spec.Body, func(body *[]Statement, i int) {
		whole := *body
		s := whole[i].(*Assignment)
		*body = slices.Delete(slices.Clone(whole), i, i+1)
		check(s, "removed")
		*body = whole
		value := s.Value
		s.Value = &NullLit{}
		check(s, "made NULL")
		s.Value = wide
		check(s, "made a component with every name")
		s.Value = value
	})
	return checked, kept
}

// TestWhere changes each literal of random specifications. Exactly the attributes change whose value was written down
// there, and they all become the new literal.
func TestWhere(t *testing.T) {
	for _, extended := range []bool{false, true} {
		changed := 0
		for seed := range runs(150, 4_000) {
			changed += checkWhere(t, uint64(seed), extended)
		}
		t.Logf("extended=%t: %d attributes changed with the literal they come from", extended, changed)
		if changed == 0 {
			t.Error("no attribute comes from a literal")
		}
	}
}

func checkWhere(t *testing.T, seed uint64, extended bool) (changed int) {
	opt := Options{Extended: extended}
	spec, text := randomSpec(seed, extended)
	before, diags := evaluate(spec, nil, opt)
	if before == nil || diags.HasErrors() {
		return 0
	}
	type attribute struct {
		path  Reference
		text  string
		where Expr
	}
	var attributes []attribute
	for _, path := range slotsOf(before, 200) {
		last := path[len(path)-1]
		if _, ok := last.value().(*Store); !ok {
			attributes = append(attributes, attribute{referenceOf(path), storeText(last.value()),
				last.origin().root().act.stmt.Value})
		}
	}
	assignmentsIn(&spec.Body, func(body *[]Statement, i int) {
		s := (*body)[i].(*Assignment)
		old, ok := s.Value.(Basic)
		if !ok {
			return
		}
		s.Value = &StrLit{Value: "changed"}
		after, _ := evaluate(spec, nil, opt)
		s.Value = old
		for _, a := range attributes {
			want := a.text
			if a.where == old {
				want = storeText(String("changed"))
				changed++
			}
			if got := storeText(after.root.Find(a.path)); got != want {
				t.Fatalf("seed %d: with %s changed, %s is %s and should be %s in\n%s", seed, literalText(old), a.path, got, want,
					text)
			}
		}
	})
	return changed
}

// TestExplainEverything asks for every attribute of random results: each has a way back to a place where it was
// written, and the places that decide it contain the steps of that way.
func TestExplainEverything(t *testing.T) {
	for seed := range runs(60, 1_000) {
		spec, text := randomSpec(uint64(seed), false)
		r, diags := evaluate(spec, nil, Options{})
		if r == nil || diags.HasErrors() {
			continue
		}
		for _, path := range slotsOf(r, 60) {
			ref := referenceOf(path)[1:]
			x, problem := r.Explain(ref)
			if problem != nil {
				t.Fatalf("%s: %v\n%s", ref, problem, text)
			}
			last := x.Steps[len(x.Steps)-1]
			if last.Kind != StepSet && last.Kind != StepPlaced {
				t.Fatalf("%s ends with %q in\n%s", ref, last.Kind, text)
			}
			for _, s := range x.Steps {
				if !slices.ContainsFunc(x.Dependency, func(p source.Place) bool {
					return p.File == s.Place.File &&
						p.Span.Contains(s.Place.Span)
				}) {
					t.Fatalf("%s passes %s, which is not among its dependencies, in\n%s", ref, s.Place, text)
				}
				if s.From != nil && strings.Contains(s.From.String(), "::") {
					t.Fatalf("%s comes from %q", ref, s.From)
				}
			}
		}
	}
}
