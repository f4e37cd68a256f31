package model

import (
	"context"
	"errors"

	"bunraku/budget"
	"bunraku/puppet/catalog"
	"bunraku/verify"
)

// One budget bounds a verification, from reading commands to trying fixes. It counts work, not time, so that the same
// catalog gets the same answer on every machine. When it is spent, what was found is shown, and the rest is unknown.

// DefaultUnits is the budget of a verification unless somebody says otherwise: about a quarter of a minute of one core.
// A catalog of 19,000 resources with 20 faults takes 19, one with 200 guarded appends to a file some hundreds.
const DefaultUnits = 400

const (
	unitSteps = 1_000_000
	unitBytes = 2 << 20
	maxDepth  = 1_000_000 // of programs and formulas
)

// Limits are what a number of units comes to.
func Limits(units int) budget.Limits {
	return budget.Limits{Steps: int64(units) * unitSteps, Bytes: int64(units) * unitBytes, Depth: maxDepth}
}

// Within sets a budget of some units for reading a catalog and for verifying it.
func Within(ctx context.Context, units int, opt *Options, search *verify.Options) {
	opt.Budget = budget.New(ctx, Limits(units))
	search.Budget, search.Question = opt.Budget, int64(units)*unitSteps/5
}

// Verify reads a catalog and asks all questions about it, within one budget. A cyclic catalog has to be reported
// before: see catalog.Graph.Cycles. An error means that it was not done.
func Verify(ctx context.Context, cg *catalog.Graph, opt Options, search verify.Options) (*Report, error) {
	if opt.Budget == nil {
		Within(ctx, DefaultUnits, &opt, &search)
	}
	m, err := Build(cg, opt)
	var spent *budget.Exceeded
	if errors.As(err, &spent) {
		v := &verifier{r: &Report{Model: m}}
		v.spent(v.claims(), spent)
		return v.r, nil
	}
	if err != nil {
		return nil, err
	}
	return m.Verify(ctx, search)
}

// A claim is one thing that is asked about a catalog, and how it is decided.
type claim struct {
	name   string // "" if it is none, but belongs to others
	decide func() error
	open   func() bool // whether there is no answer yet
}

func (v *verifier) claims() []claim {
	always := func() bool { return true }
	list := []claim{
		{"determinism", v.determinism, func() bool { return v.r.Deterministic == verify.Unknown }},
		{"success from a fresh machine", v.success, func() bool { return v.r.Success == verify.ChanceUnknown }},
		{"", v.repositories, always},
		{"idempotence", v.idempotence, func() bool { return v.r.Idempotent == verify.Unknown }},
		{"whether declared states last", v.invariants, always},
		{"assertions", v.assertions, func() bool { return len(v.r.Model.wanted) > 0 }},
		{"", v.widen, always},
		{"what every run does again", v.again, always},
		{"", v.dead, always},
		{"whether services are restarted", v.notify, always},
	}
	if m := v.r.Model; m.from != nil && m.from.opt.Recover {
		list = append(list, claim{"recovery", v.recovery, always})
	}
	return list
}

// ask decides the claims one after the other, until the budget is spent.
func (v *verifier) ask() error {
	defer v.dropUntried()
	defer v.offer()
	claims := v.claims()
	for k, c := range claims {
		before := len(v.r.Unknown)
		err := attempt(c.decide)
		var spent *budget.Exceeded
		if errors.As(err, &spent) {
			v.r.Unknown = v.r.Unknown[:before]
			v.spent(claims[k:], spent)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropUntried takes back fixes that were not verified: one that may do harm is worse than none.
func (v *verifier) dropUntried() {
	for i := range v.r.Findings {
		if f := &v.r.Findings[i]; f.Fix != nil && !f.Fix.Verified {
			f.Fix = nil
		}
	}
}

// attempt turns the end of the budget into an error.
func attempt(f func() error) (err error) {
	defer budget.Catch(&err)
	return f()
}

// spent says what stays unknown because the budget is spent. No fix that was not tried to the end is verified.
func (v *verifier) spent(left []claim, e *budget.Exceeded) {
	v.r.Partial, v.r.TooLong = true, true
	for _, c := range left {
		if c.name != "" && c.open() {
			v.unknown(c.name, "the budget is spent: "+e.Error()+"; --budget gives more")
		}
	}
	for i := range v.r.Findings {
		if f := v.r.Findings[i].Fix; f != nil && f.Attr != "creates" {
			f.Verified = false
		}
	}
}
