package mupuppet

import (
	"context"

	"bunraku/budget"
	"bunraku/source"
)

// A Config is the environments σ, κ and v_C of a configuration, with what the arrows carry: the ambient scope α of →α
// and the node name N of →N.
type Config struct {
	Store       *Store       // σ
	Definitions *Definitions // κ
	Catalog     *Catalog     // v_C
	Node        string       // N
	specs       []NodeSpec   // every Q of the manifest; nodeMatches needs them for default
	scope       Scope        // α
	work        *budget.Budget
}

// A Machine holds a configuration (σ, κ, v_C, m) and takes steps. m is kept as the redex and the premises around it.
type Machine struct {
	Config
	focus term
	stack []frame
	steps int
	spent error      // the bound on annotations that was reached
	probe func(term) // for tests: called with every term that a rule is looked for
}

// A frame is a congruence rule whose premise is being derived: the evaluation context between two terms.
type frame struct {
	rule  string
	back  func(term) term
	scope Scope // the ambient scope outside
	once  bool
}

// NewMachine is the initial configuration (∅, ∅, ε, m) for a node.
func NewMachine(m Manifest, node string) *Machine {
	return &Machine{
		Config: Config{Store: newStore(), Definitions: newDefinitions(), Catalog: newCatalog(), Node: node,
			specs: specsOf(m)},
		focus: m,
	}
}

// specsOf collects the node specifications of a manifest.
func specsOf(m Manifest) []NodeSpec {
	var out []NodeSpec
	for m != nil {
		seq, ok := m.(*MSeq)
		if !ok {
			if n, ok := m.(*Node); ok {
				out = append(out, n.Q)
			}
			return out
		}
		out = append(out, specsOf(seq.M1)...)
		m = seq.M2
	}
	return out
}

// An Outcome is how a step ended.
type Outcome uint8

const (
	Stepped Outcome = iota
	Done            // m is skip: v_C is the catalog
	Stuck           // no rule applies
)

// A Step is one step of →N_m, as much of its derivation as there is to tell.
type Step struct {
	Number     int
	Rule       string   // the axiom at the leaf of the derivation
	Derivation []string // the congruence rules above it, the manifest's first
	Scope      Scope    // the ambient scope of the redex
	Redex      string
	Contractum string
	Change     Change
	Span       source.Span // of the redex
}

// A StuckError is a configuration that no rule applies to, though m is not skip.
type StuckError struct {
	Scope    Scope
	Redex    string
	Span     source.Span
	Rules    []string   // the rules whose form fits
	Failures []*Failure // and their failed premises, in the same order
}

// Step makes one step. It fills in record if that is not nil; writing terms out costs more than the step itself.
func (m *Machine) Step(record *Step) (Outcome, *StuckError) {
	for {
		if m.focus.normal() {
			if len(m.stack) == 0 {
				return Done, nil
			}
			m.pop(m.focus)
			continue
		}
		rule, v, stuck := m.infer()
		if stuck != nil {
			return Stuck, stuck
		}
		if v.kind == descend {
			m.stack = append(m.stack, frame{rule.Name, v.back, m.scope, v.once})
			if v.moved {
				m.scope = v.scope
			}
			m.focus = v.next
			continue
		}
		m.steps++
		if record != nil {
			*record = m.record(rule, v)
		}
		m.commit(v.change)
		m.focus = v.next
		m.settle()
		return Stepped, nil
	}
}

// infer finds the rule that applies to the focus.
func (m *Machine) infer() (Rule, verdict, *StuckError) {
	if m.probe != nil {
		m.probe(m.focus)
	}
	candidates := calculus[m.focus.form()]
	for _, r := range candidates {
		if v := r.apply(&m.Config, m.focus); v.kind == contract || v.kind == descend {
			return r, v, nil
		}
	}
	stuck := &StuckError{Scope: m.scope, Redex: show(m.focus, 200), Span: m.focus.place()}
	for _, r := range candidates {
		if v := r.apply(&m.Config, m.focus); v.kind == refuse {
			stuck.Rules = append(stuck.Rules, r.Name)
			stuck.Failures = append(stuck.Failures, v.fail)
		}
	}
	return Rule{}, verdict{}, stuck
}

// pop finishes the innermost open premise with what its subterm became.
func (m *Machine) pop(t term) {
	f := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	m.scope = f.scope
	m.focus = f.back(t)
	m.settle()
}

// settle finishes the premises that hold for one step only.
func (m *Machine) settle() {
	if n := len(m.stack); n > 0 && m.stack[n-1].once {
		m.pop(m.focus)
	}
}

// commit makes the change to σ, κ or v_C that a rule's conclusion states.
func (m *Machine) commit(c Change) {
	switch c.Kind {
	case Bound:
		m.Store.update(c.Scope, c.Name, c.Binding)
	case Cleared:
		m.Store.clear(c.Scope)
	case DefinedNew, Declared:
		m.Definitions.entries[c.Name] = c.Def
	case Appended:
		m.Catalog.append(c.Resource)
	}
}

func (m *Machine) record(rule Rule, v verdict) Step {
	s := Step{Number: m.steps, Rule: rule.Name, Scope: m.scope, Change: v.change, Span: m.focus.place(),
		Redex: show(m.focus, 200), Contractum: show(v.next, 200)}
	for _, f := range m.stack {
		s.Derivation = append(s.Derivation, f.rule)
	}
	return s
}

// Term rebuilds the whole of m: the focus put back into every open premise.
func (m *Machine) Term() Manifest {
	t := m.focus
	for i := len(m.stack) - 1; i >= 0; i-- {
		t = m.stack[i].back(t)
	}
	return t.(Manifest)
}

// Steps is how many steps were made.
func (m *Machine) Steps() int { return m.steps }

// Run steps until the manifest is skip, a configuration is stuck, or a bound on steps or depth is reached (Stepped),
// and reports each step to observe, which may be nil.
func (m *Machine) Run(bound int, observe func(Step)) (outcome Outcome, stuck *StuckError) {
	m.work = budget.New(context.Background(), budget.Limits{Bytes: maxAnnotations})
	defer func() {
		if m.spent != nil {
			outcome, stuck = Stepped, nil
		}
	}()
	defer budget.Catch(&m.spent)
	for m.steps < bound && len(m.stack) < maxDepth {
		var step *Step
		if observe != nil {
			step = new(Step)
		}
		outcome, stuck := m.Step(step)
		if outcome != Stepped {
			return outcome, stuck
		}
		if observe != nil {
			observe(*step)
		}
	}
	return Stepped, nil
}
