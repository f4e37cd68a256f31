package mupuppet

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bunraku/puppet/syntax"
	"bunraku/source"

	"pgregory.net/rapid"
)

// The metatheory of the paper (§4; thesis, §3.4) as properties of random programs.

const testBound = 20_000

// randomProgram draws a program and reads it as a manifest.
func randomProgram(t *rapid.T, opt GenerateOptions) (*source.File, Manifest, []Datum) {
	seed := rapid.Uint64().Draw(t, "seed")
	p := Generate(rand.New(rand.NewPCG(seed, 1)), opt)
	file := source.NewFile("random.pp", p.Source)
	m, data := mustRead(t, file, opt.Annotated)
	return file, m, data
}

func mustRead(t interface{ Fatalf(string, ...any) }, file *source.File, provenance bool) (Manifest, []Datum) {
	tree, ds := syntax.Parse(file, syntax.Options{})
	if ds.HasErrors() {
		t.Fatalf("%s\n%s", ds[0], file.Text)
	}
	m, data, ds := Translate(tree, provenance)
	if ds.HasErrors() {
		t.Fatalf("%s\n%s", ds[0], file.Text)
	}
	return m, data
}

// Theorem 3.4.1 (Determinism; Theorem 1 in the paper): every judgement rewrites a term in at most one way. The paper's
// proof is by induction on derivations; its only interesting part is that no two rules apply to one term, which is what
// this checks, for every term that a run meets and every rule there is.
func TestDeterminism(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		opt := GenerateOptions{Risky: true, Annotated: rapid.Bool().Draw(t, "annotated")}
		file, m, _ := randomProgram(t, opt)
		machine := NewMachine(m, "default")
		machine.probe = func(x term) {
			var applied []string
			for _, r := range Rules() {
				if v := r.apply(&machine.Config, x); v.kind == contract || v.kind == descend {
					applied = append(applied, r.Name)
				}
			}
			for _, name := range applied {
				seen[name]++
			}
			if len(applied) > 1 {
				t.Fatalf("%v all apply to %s\n%s", applied, show(x, 200), file.Text)
			}
			for _, judgement := range [...][]func(*Definitions, Scope) (Scope, bool){{pNode, pDefRes, pClass},
				{bTop, bNode, bDefRes, bClass}} {
				n := 0
				for _, rule := range judgement {
					if _, ok := rule(machine.Definitions, machine.scope); ok {
						n++
					}
				}
				if n > 1 {
					t.Fatalf("%d rules give a parent or base of %s\n%s", n, machine.scope, file.Text)
				}
			}
		}
		machine.Run(testBound, nil)
	})
	for _, r := range Rules() {
		if seen[r.Name] == 0 {
			t.Logf("no random program used rule %s", r.Name)
		}
	}
}

// Steps do not depend on how the machine keeps m: stepping from the whole term, rebuilt, with no memory of earlier
// premises, gives the same derivation, change and term. So the contexts are only a fast way to write →N_m.
func TestContextsAreTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opt := GenerateOptions{Risky: true, Annotated: rapid.Bool().Draw(t, "annotated")}
		file, m, _ := randomProgram(t, opt)
		machine := NewMachine(m, "default")
		for machine.steps < 400 {
			afresh := &Machine{Config: machine.Config, focus: machine.Term(), steps: machine.steps}
			afresh.scope = TopScope()
			afresh.Store, afresh.Definitions, afresh.Catalog = machine.Store.clone(), machine.Definitions.clone(),
				machine.Catalog.clone()
			var a, b Step
			o1, _ := machine.Step(&a)
			o2, _ := afresh.Step(&b)
			if o1 != o2 {
				t.Fatalf("outcomes %d and %d\n%s", o1, o2, file.Text)
			}
			if o1 != Stepped {
				return
			}
			if fmt.Sprint(a.Derivation, a.Rule, a.Change) != fmt.Sprint(b.Derivation, b.Rule, b.Change) {
				t.Fatalf("step %d:\n%v %s %s\n%v %s %s\n%s", a.Number, a.Derivation, a.Rule, a.Change, b.Derivation, b.Rule,
					b.Change, file.Text)
			}
			if x, y := whole(machine), whole(afresh); x != y {
				t.Fatalf("step %d (%s):\n%s\n%s\n%s", a.Number, a.Rule, x, y, file.Text)
			}
		}
	})
}

func whole(m *Machine) string { return show(m.Term(), 1<<30) }

func (σ *Store) clone() *Store {
	out := newStore()
	for α, vars := range σ.scopes {
		for x, b := range vars {
			out.update(α, x, b)
		}
	}
	return out
}

func (κ *Definitions) clone() *Definitions {
	out := newDefinitions()
	for a, d := range κ.entries {
		out.entries[a] = d
	}
	return out
}

func (c *Catalog) clone() *Catalog {
	out := newCatalog()
	for _, r := range c.Resources {
		out.append(r)
	}
	return out
}

// Theorem 3.4.2 (Monotonicity; Theorem 2 in the paper): (σ, κ, v_C) ⊑ (σ', κ', v_C') for every step, by Definition
// 3.4.1.
func TestMonotonicity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file, m, _ := randomProgram(t, GenerateOptions{Risky: true})
		machine := NewMachine(m, "default")
		for machine.steps < testBound {
			σ, κ, v := machine.Store.clone(), machine.Definitions.clone(), machine.Catalog.clone()
			if outcome, _ := machine.Step(nil); outcome != Stepped {
				return
			}
			if why := below(σ, κ, v, &machine.Config); why != "" {
				t.Fatalf("step %d: %s\n%s", machine.steps, why, file.Text)
			}
		}
	})
}

// below is Definition 3.4.1; "" when it holds.
func below(σ *Store, κ *Definitions, v *Catalog, c *Config) string {
	for α, vars := range σ.scopes {
		for x, b := range vars {
			now, ok := c.Store.lookup(α, x)
			switch {
			case ok && identical(now.Value.Value, b.Value.Value):
			case !ok && α.defs > 0:
			default:
				return fmt.Sprintf("σ: $%s of %s changed", x, α)
			}
		}
	}
	for a, d := range κ.entries {
		now := c.Definitions.lookup(a)
		switch {
		case now == d:
		case now != nil && d.Kind == ClassDef && now.Kind == DeclaredClass:
		default:
			return "κ: " + a + " changed"
		}
	}
	if len(c.Catalog.Resources) < len(v.Resources) {
		return "v_C shrank"
	}
	for i, r := range v.Resources {
		if now := c.Catalog.Resources[i]; now != r || now.source() != r.source() {
			return "v_C: " + r.String() + " changed"
		}
	}
	return ""
}

// A divergent program is stopped and said to be one.
func TestEndless(t *testing.T) {
	for _, src := range []string{
		"class a inherits b { }\nclass b inherits a { }\ninclude a\n",
		"define d { d { $title: } }\nd { 'x': }\n",
	} {
		_, ds := Compile(source.NewFile("endless.pp", src), Options{})
		if len(ds) != 1 || ds[0].Code != "M0013" || !strings.Contains(ds[0].Summary, "no end") {
			t.Errorf("%q: %v", src, ds)
		}
	}
}
