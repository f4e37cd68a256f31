// Package verify proves that a set of resources does the same in every order that its dependencies allow, that doing it
// twice is doing it once, that it can succeed at all and keeps what it declares; or it gives a counter-example: an
// initial state and two orders, replayed by the concrete interpreter. It follows Rehearsal (Shambaugh, Weiss and Guha,
// PLDI 2016, §§3.4–5) with its errata repaired.
//
// It works on abstract graphs: a resource is a name and a program of package fs. Models of Puppet's resource types are
// made elsewhere. One file holds one analysis:
//
//	determinism.go   Definition 1, by the stages of commute.go (§4.3), dead.go, component.go, witness.go, explicit.go
//	                 (§4.1, small graphs) and orders.go (§4.2, by SAT)
//	severity.go      is catalog order enough?
//	claim.go         from which state does a run do this or that? By what stands near it, by walking or by SAT
//	success.go       always, in some orders, never
//	idempotence.go   §5, and quiet: the second run does nothing; settled.go says who has no part in it
//	invariant.go     §5: what is declared holds at the end
//	repair.go        fewest edges that make it deterministic
//
// Every shortcut can be switched off in Options; verdicts must not change, and tests check that they do not.
// The package imports budget, fs and sat. Start reading at Graph, Prepare and Analysis.Determinism.
package verify

import (
	"context"
	"fmt"
	"strings"

	"bunraku/budget"
	"bunraku/verify/fs"
	"bunraku/verify/sat"
)

// Exactness says how well a program describes its resource.
type Exactness uint8

const (
	Exact       Exactness = iota
	Approximate           // sound for what it says, but coarser or finer than the truth
	Opaque                // may write what nobody has listed: a proof that includes it is none
)

func (e Exactness) String() string { return [...]string{"exact", "approximate", "opaque"}[e] }

// A Resource is an opaque item that does something to a machine.
type Resource struct {
	Name    string  // unique: File[/etc/motd]
	Program fs.Expr // what applying it does
	Post    fs.Pred // the declared state, which should hold when all is done; nil if there is none
	Exact   Exactness
	Class   string // what contains it, for repairs that order whole classes; may be empty
	Anchor  bool   // the beginning or end of a container: it does nothing, and nobody can write an edge to it
}

// An Edge says that From is applied before To. Both are indices into Graph.Resources.
type Edge struct {
	From, To int
	Why      string // for people: "require at site.pp:3"
}

// A Graph is a set of resources with their dependencies: G = (V, E, L) of Figure 6.
type Graph struct {
	Resources []Resource // in catalog order
	Edges     []Edge
	Init      fs.Init   // which machines there are
	Fresh     *fs.State // the fresh machine, for Success; nil for an empty one

	Assertions []Assertion // beside the declared states of resources

	// Order gives the order in which the agent applies the resources when some edges are added. nil stands for Kahn's
	// algorithm that prefers the earliest in catalog order, which is what agents do on graphs without containers.
	Order func(added []Edge) ([]int, error)
}

// Options switch the shortcuts and bound the work. The zero Options is slow; see DefaultOptions.
type Options struct {
	Facts         bool // use what ancestors and the initial state make certain (Lemma 2)
	Commutativity bool // look at pairs first
	DeadWrites    bool // differences that are always overwritten unseen do not count (Lemma 3)
	Components    bool // decide interfering components on their own (Lemma 4)
	Nearby        bool // what could differ is excluded by the conditions on its own cells where they do
	Witness       bool // try likely counter-examples before an exact search
	Explicit      bool // search small components by walking through states and sets of applied resources
	Merge         bool // … merging equal states
	FixedOrder    bool // by SAT, compare one open order with catalog order instead of two open orders
	EagerOrder    bool // by SAT, state transitivity at once instead of when a cycle shows up

	Solver sat.Solver // nil for that of package sat
	Limit  int        // states walked through per question; 0 for a default

	// Budget counts all work; nil for none. When it is spent, it unwinds the stack (see package budget): nothing that was
	// being computed may be used.
	Budget *budget.Budget
	// Question is the number of steps after which the solver gives up one question; 0 for no bound. It keeps a single hard
	// question from taking the budget of all the others.
	Question int64

	fault fault // planted by tests
}

// DefaultOptions has every shortcut on.
func DefaultOptions() Options {
	return Options{Facts: true, Commutativity: true, DeadWrites: true, Components: true, Nearby: true, Witness: true,
		Explicit: true, Merge: true, FixedOrder: true, EagerOrder: true, Question: 200_000_000}
}

func (o *Options) limit(n int) int {
	if o.Limit > 0 {
		return o.Limit
	}
	return n
}

func (o *Options) solver() sat.Solver {
	if o.Solver == nil {
		return sat.Own{}
	}
	return o.Solver
}

// fault is a mistake that tests plant to see whether they would notice it (analysis §2.3).
type fault uint8

const (
	noFault             fault = iota
	faultMaskErrors           // errors ignored in Lemma 3
	faultMayOverwrite         // a may-write taken for an overwrite
	faultMaskReaders          // readers ignored in Lemma 3
	faultUnstableFacts        // facts that others may destroy
	faultReadEnsure           // "read p, then ensure p" taken for "ensure p"
	faultEliminate            // Rehearsal §4.4: a resource that commutes with its successors dropped
	faultClosedContents       // initial contents limited to the manifest's
	faultUnsettled            // what a resource needs to rest taken to last, whoever else writes it
	faultSilent               // that a command runs is no act
	faultEvents               // events of the first run heard in the second
	faultAnswers              // success asked of the fresh machine, whatever the answer to a point
	faultOutside              // what is certain on machines of Init taken for certain on another
	faultFirst                // a condition taken to hold at first, whoever writes its cells
	faultSwaps                // pairs that differ only in what they leave taken to commute
	faultCoincide             // a content that nobody asks for taken to be none that somebody writes
)

// A Verdict answers a yes-or-no question.
type Verdict uint8

const (
	Unknown Verdict = iota
	Yes
	No
)

func (v Verdict) String() string { return [...]string{"unknown", "yes", "no"}[v] }

// A CycleError says that the dependencies are circular.
type CycleError struct {
	Graph *Graph
	Cycle []Edge // each edge starts where the one before ends, the first where the last ends
}

func (e *CycleError) Error() string {
	var b strings.Builder
	b.WriteString("dependency cycle: ")
	for _, x := range e.Cycle {
		b.WriteString(e.Graph.Resources[x.From].Name + " → ")
	}
	b.WriteString(e.Graph.Resources[e.Cycle[0].From].Name)
	return b.String()
}

// TooMuch is why a question stays open: Options.Question.
const TooMuch = "a question took more steps than it may"

// Allow gives a part of the budget away: the result reports whether less than the given number of steps has been taken
// since. Without a budget it always has.
func (o *Options) Allow(steps int64) (more func() bool) {
	start, _ := o.Budget.Spent()
	return func() bool {
		now, _ := o.Budget.Spent()
		return now-start < steps
	}
}

// solve asks the solver, within the steps of a question.
func (a *Analysis) solve(ctx context.Context, b *sat.Builder) (sat.Result, error) {
	a.Stats.Solved++
	a.Stats.Clauses = max(a.Stats.Clauses, b.Clauses())
	r, err := a.opt.solver().Solve(ctx, b, a.opt.Question)
	if err != nil {
		return r, fmt.Errorf("solver: %w", err)
	}
	return r, nil
}
