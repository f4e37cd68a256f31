package eval

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// closure is what a lambda and a function have in common.
type closure struct {
	name    string
	params  []*syntax.Param
	returns syntax.Expr
	body    []syntax.Expr
	lambda  bool
}

// jump is break, next or return on its way up.
type jump struct {
	kind  jumpKind
	value value.Value
	ref   provenance.Ref
	at    source.Place
	ctl   provenance.Ref
	err   error // of a throw
}

type jumpKind uint8

const (
	jumpNext jumpKind = iota
	jumpReturn
	jumpBreak
	jumpThrow
)

// Next, Return and Break end a block early; they are raised by the functions of those names.
func (c *Call) Next(v value.Value, r provenance.Ref) {
	c.Eval.jump(&jump{kind: jumpNext, value: v, ref: r, at: c.Place, ctl: c.Eval.ctl})
}

// Return ends the function, class or define around.
func (c *Call) Return(v value.Value, r provenance.Ref) {
	c.Eval.jump(&jump{kind: jumpReturn, value: v, ref: r, at: c.Place, ctl: c.Eval.ctl})
}

// Break ends the iteration around.
func (c *Call) Break() {
	c.Eval.jump(&jump{kind: jumpBreak, value: value.Undef{}, at: c.Place, ctl: c.Eval.ctl})
}

// Throw ends the function that Provide calls: with an error for who asked.
func (c *Call) Throw(err error) {
	c.Eval.jump(&jump{kind: jumpThrow, value: value.Undef{}, at: c.Place, ctl: c.Eval.ctl, err: err})
}

// jump starts a jump. Places that it may land on look at jumping before they recover: to recover and panic again, at
// every level of a deep recursion, takes very long.
func (ev *Evaluator) jump(j *jump) {
	ev.jumping = j
	panic(j)
}

// saved is the evaluator's state at a point that a jump may land on.
type saved struct {
	code  code
	ctl   provenance.Ref
	depth int // of the stack
	level int // of the budget
	frame *frame
	scope *Scope
}

func (ev *Evaluator) save(sc *Scope) saved {
	return saved{code{ev.file, ev.lits, ev.values}, ev.ctl, len(ev.stack), ev.budget.Depth(), sc.frame, sc}
}

func (ev *Evaluator) restoreTo(s saved) {
	ev.leaveFile(s.code)
	ev.ctl = s.ctl
	ev.stack = ev.stack[:s.depth]
	ev.budget.Return(s.level)
	s.scope.restore(s.frame)
}

// catching runs statements and lands the jumps that kinds names; others go on upwards.
func (ev *Evaluator) catching(stmts []syntax.Expr, sc *Scope, kinds func(jumpKind) bool) (v value.Value,
	r provenance.Ref) {
	s := ev.save(sc)
	defer func() {
		j := ev.jumping
		if j == nil || !kinds(j.kind) || recover() == nil {
			return
		}
		ev.jumping = nil
		ev.restoreTo(s)
		ev.skipped(stmts, sc, j)
		v, r = j.value, ev.trace.With(j.ref, j.ctl)
	}()
	return ev.block(stmts, sc)
}

// skipped notes the code that a jump kept from running: the statements from the one that jumped on.
func (ev *Evaluator) skipped(stmts []syntax.Expr, sc *Scope, j *jump) {
	if ev.trace == nil {
		return
	}
	from := uint32(0)
	if j.at.File == ev.file.Source {
		from = j.at.Span.Start
	}
	for len(stmts) > 0 && stmts[0].Span().End <= from {
		stmts = stmts[1:]
	}
	before := ev.jumps
	ev.passOver(stmts, sc, j.ctl)
	// nothing else in there could have ended more than this did
	if !jumpsAt(stmts, func(_ string, at uint32) bool { return at > from }) {
		ev.jumps = before
	}
}

// apply binds arguments to parameters, checks types, and evaluates the body.
func (ev *Evaluator) apply(c closure, sc *Scope, args []value.Value, refs []provenance.Ref) (v value.Value,
	r provenance.Ref, err error) {
	mark := sc.mark()
	bound, err := ev.bind(c, sc, args, refs)
	sc.restore(mark)
	if err != nil {
		return nil, 0, err
	}
	if ev.trace != nil && len(bound) > 0 {
		ev.noteArguments(c, bound, len(args))
	}
	sc.pushFrame(localFrame).vars = bound
	if ev.cache.mayJump(c.body) {
		v, r = ev.catching(c.body, sc, func(k jumpKind) bool { return k == jumpNext || k == jumpReturn && !c.lambda })
	} else {
		v, r = ev.block(c.body, sc)
	}
	sc.restore(mark)
	if c.returns != nil {
		if t := ev.typeOf(c.returns, ev.file); !ev.judge.IsInstance(t, v) {
			return nil, 0, fmt.Errorf("%s", ev.judge.DescribeMismatch("value returned from "+c.name+" has wrong type,", t,
				types.InferSet(v)))
		}
	}
	return v, r, nil
}

// mayJump reports whether code holds a call of next, return or break, so that most calls need no landing place. Lambdas
// inside count: a return in a lambda ends the function around it.
func mayJump(stmts []syntax.Expr) bool {
	return jumpsAt(stmts, func(string, uint32) bool { return true })
}

// mayReturn reports whether code holds a call of return.
func mayReturn(stmts []syntax.Expr) bool {
	return jumpsAt(stmts, func(name string, _ uint32) bool { return name == "return" })
}

// jumpsAt reports whether code holds a jump of which, by its name and where it stands, is says so.
func jumpsAt(stmts []syntax.Expr, is func(name string, at uint32) bool) bool {
	found := false
	check := func(f *syntax.Name) {
		switch f.Value {
		case "next", "return", "break":
			found = found || is(f.Value, f.Where.Start)
		}
	}
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Call:
				if name, ok := n.Functor.(*syntax.Name); ok {
					check(name)
				}
			case *syntax.MethodCall:
				check(n.Functor.Name)
				if n.Functor.Name.Value == "not_found" { // of a context, which throws
					found = found || is("not_found", n.Functor.Name.Where.Start)
				}
			}
			return !found
		})
	}
	return found
}

// bind gives each parameter its argument or its default. A default sees the parameters before it.
func (ev *Evaluator) bind(c closure, sc *Scope, args []value.Value, refs []provenance.Ref) ([]variable, error) {
	f := sc.pushFrame(paramFrame)
	f.callee = c.name
	f.vars = make([]variable, len(c.params))
	for i, p := range c.params {
		f.vars[i].name = p.Name
	}
	argRef := func(i int) provenance.Ref {
		if i < len(refs) {
			return refs[i]
		}
		return 0
	}
	var given []value.Value
	for i, p := range c.params {
		var v value.Value
		var r provenance.Ref
		var err error
		switch {
		case p.Splat:
			rest := args[min(i, len(args)):]
			if p.Default != nil && (len(rest) == 0 || len(rest) == 1 && value.IsUndef(rest[0])) {
				if v, r, err = ev.defaultOf(p, sc); err != nil {
					return nil, err
				}
				if _, ok := v.(*value.Array); !ok {
					v = value.NewArray(v)
				}
			} else {
				a := &value.Array{Elems: append([]value.Value(nil), rest...)}
				if ev.trace != nil && len(rest) > 0 {
					for j := range rest {
						a.Refs = append(a.Refs, argRef(i+j))
					}
				}
				v = a
			}
			given = append(given, v.(*value.Array).Elems...)
		case i < len(args):
			v, r = args[i], argRef(i)
			given = append(given, v)
		case p.Default != nil:
			if v, r, err = ev.defaultOf(p, sc); err != nil {
				return nil, err
			}
			given = append(given, v)
		default:
			ev.failAt(&source.Diagnostic{Code: "E0253", Summary: "Evaluation Error: Parameter $" + p.Name +
				" is required but no value was given", Place: ev.place(p.Where)})
		}
		f.vars[i].value, f.vars[i].ref = v, r
	}
	if c.typed() {
		if sig := ev.callableOf(c); !ev.judge.Accepts(sig, given, nil) {
			return nil, ev.argumentError(c, sig, given, nil)
		}
	}
	for _, p := range c.params {
		if reserved(p.Name) {
			return nil, errors.New(assignsReserved(p.Name))
		}
	}
	return f.vars, nil
}

// reserved are the variables that Puppet alone sets, in any scope.
func reserved(name string) bool {
	return name == "facts" || name == "trusted" || name == "server_facts"
}

func assignsReserved(name string) string {
	return "Attempt to assign to a reserved variable name: '" + name + "'"
}

func (c closure) typed() bool {
	for _, p := range c.params {
		if p.Type != nil {
			return true
		}
	}
	return false
}

// checkGiven tests the arguments of a function's call before its defaults are filled in. A lambda has no such test of
// its own: the function that takes it says what it may look like, and arguments that it has no parameter for are
// dropped.
func (ev *Evaluator) checkGiven(c closure, args []value.Value, block *Lambda) error {
	least, most := 0, len(c.params)
	for _, p := range c.params {
		switch {
		case p.Splat:
			most = len(args)
		case p.Default == nil:
			least++
		}
	}
	if block == nil && !c.typed() && least <= len(args) && len(args) <= most {
		return nil
	}
	var given *types.Callable
	if block != nil {
		given = block.callable()
	}
	if sig := ev.callableOf(c); !ev.judge.Accepts(sig, args, given) {
		return ev.argumentError(c, sig, args, given)
	}
	return nil
}

func (ev *Evaluator) argumentError(c closure, sig *types.Callable, args []value.Value, block *types.Callable) error {
	names := make([]string, len(c.params))
	for i, p := range c.params {
		names[i] = p.Name
	}
	return fmt.Errorf("%s", ev.judge.DescribeSignatures(c.name, []types.Signature{{Type: sig, Names: names}}, args, block))
}

// callableOf is a closure's type.
func (ev *Evaluator) callableOf(c closure) *types.Callable {
	ts := make([]types.T, len(c.params))
	var from, to int64
	for i, p := range c.params {
		t := types.T(types.AnyT)
		if p.Type != nil {
			t = ev.typeOf(p.Type, ev.file)
		}
		switch {
		case p.Splat:
			if a, ok := t.(*types.Array); ok {
				t = a.Elem
				lo, hi := int64(0), int64(types.NoMax)
				if a.Size != nil {
					lo, hi = a.Size.From, a.Size.To
				}
				from += lo
				if hi == types.NoMax {
					to = types.NoMax
				} else {
					to += hi
				}
			} else {
				to = types.NoMax
			}
		case p.Default != nil:
			if to != types.NoMax {
				to++
			}
		default:
			from++
			if to != types.NoMax {
				to++
			}
		}
		ts[i] = t
	}
	var ret types.T
	if c.returns != nil {
		ret = ev.typeOf(c.returns, ev.file)
	}
	return types.NewCallable(types.NewTuple(ts, types.Range(from, to)), nil, ret)
}

// defaultFor is the value that a resource has of a parameter that nobody gave one.
func (ev *Evaluator) defaultFor(r *Resource, i int, sc *Scope) (value.Value, provenance.Ref, error) {
	p := r.def.Params[i]
	if r.def.Kind == ClassKind {
		if o := ev.Elsewhere(r.def.shape.keys[i], nil); o != nil {
			return o, 0, nil
		}
	}
	return ev.defaultOf(p, sc)
}

// defaultOf evaluates a parameter's default; reading a parameter that has no value yet is an error.
func (ev *Evaluator) defaultOf(p *syntax.Param, sc *Scope) (v value.Value, r provenance.Ref, err error) {
	if ev.log != nil {
		ev.log.Run(&p.Default, ev.file)
	}
	if plain(p.Default) {
		v, r = ev.eval(p.Default, sc)
		return v, r, nil
	}
	s := ev.save(sc)
	defer func() {
		u := ev.unread
		if u == nil || recover() == nil {
			return
		}
		ev.unread = nil
		ev.restoreTo(s)
		err = errors.New(u.frame.parameterFault(p.Name, u.name))
	}()
	v, r = ev.eval(p.Default, sc)
	sc.restore(s.frame)
	return v, r, nil
}

// plain reports whether evaluating an expression can neither match nor read a parameter.
func plain(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Undef, *syntax.Bool, *syntax.Str, *syntax.Name, *syntax.Int, *syntax.Float, *syntax.Default:
		return true
	case *syntax.Var:
		return strings.Contains(e.Name, "::")
	case *syntax.List:
		return len(e.Elems) == 0
	case *syntax.Hash:
		return len(e.Entries) == 0
	}
	return false
}

func (f *frame) parameterFault(from, to string) string {
	a, b := -1, -1
	for i := range f.vars {
		if f.vars[i].name == from {
			a = i
		}
		if f.vars[i].name == to {
			b = i
		}
	}
	callee := f.callee
	if f.of != nil {
		callee = f.of.Ref()
	}
	if b < a {
		return fmt.Sprintf("%s: expects a value for parameter $%s", callee, to)
	}
	return fmt.Sprintf("%s: default expression for $%s tries to illegally access not yet evaluated $%s", callee, from, to)
}

// ---- lambdas

func (l *Lambda) closure() closure {
	return closure{name: "lambda", params: l.def.Params, returns: l.def.Returns, body: l.def.Body.Stmts, lambda: true}
}

// callable is the lambda's type.
func (l *Lambda) callable() *types.Callable {
	if l.sig == nil {
		c := l.ev.enterFile(l.file)
		l.sig = l.ev.callableOf(l.closure())
		l.ev.leaveFile(c)
	}
	return l.sig
}

// Type is the lambda's type.
func (l *Lambda) Type() *types.Callable { return l.callable() }

// Arity is how many parameters the lambda takes at least and at most; max is -1 when it takes any number.
func (l *Lambda) Arity() (minimum, maximum int) {
	for _, p := range l.def.Params {
		switch {
		case p.Splat:
			return minimum, -1
		case p.Default != nil:
			maximum++
		default:
			minimum++
			maximum++
		}
	}
	return minimum, maximum
}

// Params is the number of parameters, and whether the last captures the rest.
func (l *Lambda) Params() (n int, rest bool) {
	n = len(l.def.Params)
	return n, n > 0 && l.def.Params[n-1].Splat
}

// Call runs the lambda. refs may be nil. The result's provenance is in LastRef until the next call.
func (l *Lambda) Call(args []value.Value, refs []provenance.Ref) (value.Value, error) {
	ev := l.ev
	s := ev.save(l.scope)
	ev.enterFile(l.file)
	ev.budget.Spend(blockSteps, calling)
	ev.decide(l.why)
	var v value.Value
	var r provenance.Ref
	var err error
	if l.native != nil {
		v, r, err = l.native(args, refs)
	} else {
		v, r, err = ev.apply(l.closure(), l.scope, args, refs)
	}
	ev.restoreTo(s)
	l.ref, l.ran = ev.trace.With(r, l.why), true
	if ev.jumps != 0 { // a break passed over decides about the next round too
		l.why = ev.trace.Join(l.why, ev.jumps)
		l.jumps = ev.jumps
	}
	if err != nil {
		return nil, err
	}
	if o := opaque(v); o != nil {
		l.unknown = o
	}
	return v, nil
}

// LastRef is the provenance of the last call's result.
func (l *Lambda) LastRef() provenance.Ref { return l.ref }

// Iterating runs the body of an iteration; it ends early, without error, when the lambda calls break.
func (c *Call) Iterating(body func() error) (err error) {
	ev := c.Eval
	s := ev.save(c.Scope)
	defer func() {
		j := ev.jumping
		if j == nil || j.kind != jumpBreak || recover() == nil {
			return
		}
		ev.jumping = nil
		ev.restoreTo(s)
		c.broke = ev.trace.Join(c.broke, j.ctl)
		if c.Block != nil && c.Block.native == nil {
			ev.skipped(c.Block.def.Body.Stmts, c.Scope, j)
		}
		err = nil
	}()
	return body()
}
