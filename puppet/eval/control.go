package eval

import (
	"cmp"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/trace"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// ifExpr is if, elsif, unless. Match variables set by the test live until the end of the statement.
func (ev *Evaluator) ifExpr(e *syntax.If, sc *Scope) (value.Value, provenance.Ref) {
	mark := sc.mark()
	test, r := ev.eval(e.Test, sc)
	cond := ev.deep(test, r)
	taken, passed := e.Then.Stmts, e.Else.Stmts
	open := inDoubt(test) != nil && ev.undecided(test, e.Test)
	at := ev.elsifs
	ev.elsifs = 0
	if open && !ev.supposesIf(e, at) || !open && value.Truthy(test) == e.Unless {
		taken, passed = passed, taken
	}
	cond = ev.noteTest(cond, e, test)
	ev.covers(taken)
	ev.passOver(passed, sc, cond)
	before := ev.decide(cond)
	if open && e.ElseIf {
		ev.elsifs = at + 1
	}
	v, vr := ev.blockOf(opaqueIf(open, test), taken, sc, passed)
	ev.elsifs = 0
	vr = ev.under(vr)
	ev.leaveDecision(before)
	ev.leaveBlock(sc, mark)
	return v, vr
}

// leaveBlock drops the frames of a block. A ghost or variable of the block itself belongs to the table below and stays.
func (ev *Evaluator) leaveBlock(sc *Scope, mark *frame) { sc.restore(mark) }

// caseExpr compares the control value with the options in order; default counts last, wherever it stands.
func (ev *Evaluator) caseExpr(e *syntax.Case, sc *Scope) (value.Value, provenance.Ref) {
	mark := sc.mark()
	test, r := ev.eval(e.Test, sc)
	cond := ev.deep(test, r)
	open := opaqueIf(ev.undecided(test, e.Test), test)
	var chosen, fallback *syntax.Option
	for _, o := range e.Options {
		for _, x := range o.Values {
			x = unwrapParens(x)
			if _, ok := x.(*syntax.Default); ok {
				fallback = o
				continue
			}
			var hit bool
			hit, cond = ev.option(x, test, r, cond, sc)
			if u := ev.takeOpen(); u != nil && open == nil && !hit {
				ev.undecided(u, x)
				open = u
			}
			if hit {
				chosen = o
				break
			}
		}
		if chosen != nil {
			break
		}
	}
	if chosen == nil {
		chosen = fallback
	}
	if open != nil {
		chosen = ev.supposesOption(e, chosen)
	}
	if chosen != nil {
		cond = ev.noteOption(provenance.Chosen, cond, e.Test, test,
			chosen.Values[0].Span().Join(chosen.Values[len(chosen.Values)-1].Span()))
	} else {
		cond = ev.noteOption(provenance.Chosen, cond, e.Test, test, source.Span{})
	}
	var others [][]syntax.Expr
	for _, o := range e.Options {
		if o != chosen {
			ev.passOver(o.Then.Stmts, sc, cond)
			if open != nil {
				others = append(others, o.Then.Stmts)
			}
		}
	}
	if chosen == nil {
		if open != nil {
			ev.blockOf(open, nil, sc, others...)
			ev.leaveBlock(sc, mark)
			return open, ev.trace.Join(cond)
		}
		ev.leaveBlock(sc, mark)
		ev.leaveDecision(ev.ctl)
		return value.Undef{}, ev.trace.Join(cond)
	}
	before := ev.decide(cond)
	ev.covers(chosen.Then.Stmts)
	v, vr := ev.blockOf(open, chosen.Then.Stmts, sc, others...)
	vr = ev.under(vr)
	ev.leaveDecision(before)
	ev.leaveBlock(sc, mark)
	return v, vr
}

// option compares the control value, which comes from somewhere, with one option, which may be a splat.
func (ev *Evaluator) option(x syntax.Expr, test value.Value, from, cond provenance.Ref, sc *Scope) (bool,
	provenance.Ref) {
	if u, ok := x.(*syntax.Unary); ok && u.Op == syntax.OpSplat {
		a, r := ev.splat(u, sc)
		cond = ev.trace.Join(cond, ev.deep(a, r))
		for _, v := range a.Elems {
			if ev.matches(test, v, cond, sc) {
				return true, cond
			}
		}
		return false, cond
	}
	v, r := ev.eval(x, sc)
	cond = ev.trace.Join(cond, ev.deep(v, r))
	if ev.log != nil && trace.Literal(x) {
		ev.log.Test(x, ev.file, test)
	}
	groups := cond
	if _, is := v.(*value.Regexp); is && ev.trace != nil { // what $1 is made of
		groups = ev.trace.With(ev.trace.Op("=~", from, r), cond)
	}
	return ev.matches(test, v, groups, sc), cond
}

// matches is how case and selectors compare: regexps match, types test, arrays and hashes match element by element.
func (ev *Evaluator) matches(test, option value.Value, cond provenance.Ref, sc *Scope) bool {
	if o := cmp.Or(opaque(test, option), absentType(option)); o != nil {
		ev.open = o
		return false
	}
	ev.looksInto(test, option)
	if holdsUnknown(test, option) {
		is, o := holds(test, option, func(test, option value.Value) bool { return ev.matches(test, option, cond, sc) })
		ev.open = cmp.Or(o, ev.open)
		return is
	}
	if re, ok := option.(*value.Regexp); ok {
		s, ok := test.(value.String)
		return ok && ev.matchRegexp(re, string(s), cond, sc, &syntax.Nop{})
	}
	if a, ok := option.(*value.Array); ok {
		b, ok := test.(*value.Array)
		if !ok || len(a.Elems) != len(b.Elems) {
			return false
		}
		for i := range a.Elems {
			if !ev.matches(b.Elems[i], a.Elems[i], cond, sc) {
				return false
			}
		}
		return true
	}
	if a, ok := option.(*value.Hash); ok {
		b, ok := test.(*value.Hash)
		if !ok {
			return false
		}
		for _, x := range a.Entries() {
			v, _ := b.Get(x.Key)
			if !ev.matches(value.OrUndef(v), x.Value, cond, sc) {
				return false
			}
		}
		return true
	}
	return types.Matches(test, option)
}

// selector is `x ? { match => value }`; unlike case it fails when nothing matches.
func (ev *Evaluator) selector(e *syntax.Selector, sc *Scope) (value.Value, provenance.Ref) {
	mark := sc.mark()
	test, r := ev.eval(e.Left, sc)
	cond := ev.deep(test, r)
	if ev.undecided(test, e.Left) {
		return test, cond
	}
	var chosen, fallback *syntax.Entry
	for _, o := range e.Entries {
		x := unwrapParens(o.Key)
		if _, ok := x.(*syntax.Default); ok {
			fallback = o
			continue
		}
		var hit bool
		if hit, cond = ev.option(x, test, r, cond, sc); hit {
			ev.takeOpen()
			chosen = o
			break
		}
		if u := ev.takeOpen(); u != nil {
			ev.undecided(u, x)
			return u, cond
		}
	}
	if chosen == nil {
		chosen = fallback
	}
	if chosen == nil {
		ev.failValue(&source.Diagnostic{Code: "E0230", Place: ev.place(e.Left.Span()),
			Summary: "Evaluation Error: No matching entry for selector parameter with value '" + value.ToString(test) + "'"},
			test, r)
	}
	cond = ev.noteOption(provenance.Selected, cond, e.Left, test, chosen.Key.Span())
	before := ev.decide(cond)
	if ev.log != nil {
		ev.log.Run(&chosen.Value, ev.file)
	}
	if ev.in.Cover != nil {
		ev.in.Cover.Branch(ev.file.Source.Name, chosen.Value.Span().Start)
	}
	v, vr := ev.eval(chosen.Value, sc)
	vr = ev.under(vr)
	ev.leaveDecision(before)
	ev.leaveBlock(sc, mark)
	return v, vr
}

// covers notes that a branch is taken: it is known by its first statement.
func (ev *Evaluator) covers(stmts []syntax.Expr) {
	if ev.in.Cover != nil && len(stmts) > 0 && ev.file != nil {
		ev.in.Cover.Branch(ev.file.Source.Name, stmts[0].Span().Start)
	}
}
