package eval

import (
	"fmt"
	"sort"
	"strings"

	"bunraku/provenance"
	"bunraku/source"
	"bunraku/syntax"
	"bunraku/types"
	"bunraku/value"
)

// signatures are the parsed dispatches of a built-in, made at its first call.
type signatures struct {
	list []*types.Callable
}

// A userFunction is a function written in Puppet.
type userFunction struct {
	def    *syntax.Function
	file   *syntax.File
	module string
}

// A Lambda is a block given to a call: code with the scope it was written in.
type Lambda struct {
	ev    *Evaluator
	def   *syntax.Lambda
	scope *Scope
	file  *syntax.File
	ctl   provenance.Ref
	frame *frame
	sig   *types.Callable
	ref   provenance.Ref // of the last call's result
	why   provenance.Ref // what decides whether, and how often, it is called
	ran   bool
}

// call is `name(args) |…| {…}` and the bare statement form; a type that is called makes a new value.
func (ev *Evaluator) call(e *syntax.Call, sc *Scope) (value.Value, provenance.Ref) {
	switch f := e.Functor.(type) {
	case *syntax.Name:
		args, refs, spine := ev.unfold(nil, nil, e.Args, sc)
		return ev.callNamed(f.Value, args, refs, spine, e.Lambda, e, sc)
	case *syntax.Ref:
		return ev.callType(f, e, sc)
	case *syntax.Access:
		if _, ok := f.Left.(*syntax.Ref); ok {
			return ev.callType(f, e, sc)
		}
	case *syntax.RenderString:
		ev.fail("E0250", e.Where, "Evaluation Error: Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace")
	}
	ev.failf("E0251", e.Functor.Span(), "Evaluation Error: Illegal expression. %s is unacceptable as function name in a Function Call", articleUp(label(e.Functor)))
	return nil, 0
}

func articleUp(noun string) string {
	s := article(noun)
	return strings.ToUpper(s[:1]) + s[1:]
}

func (ev *Evaluator) callType(functor syntax.Expr, e *syntax.Call, sc *Scope) (value.Value, provenance.Ref) {
	t, r := ev.eval(functor, sc)
	args := []value.Value{t}
	var refs []provenance.Ref
	if ev.trace != nil {
		refs = []provenance.Ref{r}
	}
	args, refs, spine := ev.unfold(args, refs, e.Args, sc)
	return ev.callNamed("new", args, refs, spine, e.Lambda, e, sc)
}

// method is `x.name(args)`: the function with x as its first argument.
func (ev *Evaluator) method(e *syntax.MethodCall, sc *Scope) (value.Value, provenance.Ref) {
	args, refs, spine := ev.unfold(nil, nil, []syntax.Expr{e.Functor.Left}, sc)
	name := e.Functor.Name.Value
	if len(args) > 0 {
		if v, r, ok := ev.member(args[0], name, refs); ok && len(e.Args) == 0 {
			return v, r
		}
	}
	args, refs, more := ev.unfold(args, refs, e.Args, sc)
	return ev.callNamed(name, args, refs, ev.trace.Join(spine, more), e.Lambda, e, sc)
}

// member reads an attribute of a Pcore object.
func (ev *Evaluator) member(x value.Value, name string, refs []provenance.Ref) (value.Value, provenance.Ref, bool) {
	o, ok := x.(*value.Object)
	if !ok {
		return nil, 0, false
	}
	entry := o.Attrs.EntryString(name)
	if entry == nil {
		return nil, 0, false
	}
	return entry.Value, ev.trace.With(entry.Ref, refs1(refs)), true
}

func (ev *Evaluator) lambda(l *syntax.Lambda, sc *Scope) *Lambda {
	if l == nil {
		return nil
	}
	return &Lambda{ev: ev, def: l, scope: sc, file: ev.file, ctl: ev.ctl, frame: sc.frame}
}

// callNamed finds a function by name, Puppet's own first, then the program's, and calls it.
func (ev *Evaluator) callNamed(name string, args []value.Value, refs []provenance.Ref, spine provenance.Ref, lambda *syntax.Lambda, e syntax.Expr, sc *Scope) (value.Value, provenance.Ref) {
	at := ev.place(callSpan(e))
	block := ev.lambda(lambda, sc)
	v, r, err := ev.invoke(name, args, refs, block, at, sc)
	if err == errUnknown {
		d := &source.Diagnostic{Code: "E0252", Summary: "Evaluation Error: Unknown function: '" + name + "'.", Place: ev.place(e.Span())}
		if near := source.Nearest(name, ev.functionNames()); near != "" {
			d.Help = "did you mean " + near + "?"
		}
		ev.failAt(d)
	}
	if err != nil {
		ev.runtime(e, err.Error())
	}
	return v, ev.trace.With(r, spine)
}

// callSpan is where Puppet says a call stands: a method call at its dot's name.
func callSpan(e syntax.Expr) source.Span {
	if m, ok := e.(*syntax.MethodCall); ok {
		return source.Span{Start: m.Functor.Name.Where.Start, End: m.Where.End}
	}
	return e.Span()
}

type unknownFunction struct{}

func (unknownFunction) Error() string { return "unknown function" }

var errUnknown error = unknownFunction{}

// invoke calls a function by name with evaluated arguments.
func (ev *Evaluator) invoke(name string, args []value.Value, refs []provenance.Ref, block *Lambda, at source.Place, sc *Scope) (value.Value, provenance.Ref, error) {
	name = strings.TrimPrefix(name, "::")
	if f := ev.world.Function(name); f != nil {
		return ev.callBuiltin(f, args, refs, block, at, sc)
	}
	f := ev.userFunction(name)
	if f == nil {
		return nil, 0, errUnknown
	}
	return ev.callUser(f, args, refs, at)
}

// CallFunction lets built-ins and templates call a function by name.
func (ev *Evaluator) CallFunction(sc *Scope, name string, args []value.Value, block *Lambda, at source.Place) (value.Value, error) {
	v, _, err := ev.invoke(name, args, nil, block, at, sc)
	if err == errUnknown {
		return nil, fmt.Errorf("Unknown function '%s'", name)
	}
	return v, err
}

func (ev *Evaluator) userFunction(name string) *userFunction {
	if f := ev.functions[name]; f != nil {
		return f
	}
	if ev.tried["function "+name] {
		return nil
	}
	ev.tried["function "+name] = true
	f, ds := ev.world.FunctionFile(name)
	if ds.HasErrors() {
		ev.unusable(ds)
	}
	if f != nil {
		ev.define(f)
	}
	return ev.functions[name]
}

func (ev *Evaluator) functionNames() []string {
	var names []string
	for n := range ev.functions {
		names = append(names, n)
	}
	if w, ok := ev.world.(interface{ FunctionNames() []string }); ok {
		names = append(names, w.FunctionNames()...)
	}
	sort.Strings(names)
	return names
}

func (ev *Evaluator) callBuiltin(f *Function, args []value.Value, refs []provenance.Ref, block *Lambda, at source.Place, sc *Scope) (value.Value, provenance.Ref, error) {
	c := &Call{Eval: ev, Scope: sc, Name: f.Name, Args: args, Refs: refs, Block: block, Place: at}
	if block != nil && ev.trace != nil {
		block.why = ev.trace.Join(refs...)
	}
	run := f.Raw
	if run == nil {
		d, err := ev.dispatch(f, args, block)
		if err != nil {
			return nil, 0, err
		}
		run = d.Run
	}
	v, err := run(c)
	if err != nil {
		return nil, 0, err
	}
	if v == nil {
		v = value.Undef{}
	}
	if ev.trace == nil {
		return v, 0, nil
	}
	if block != nil && !block.ran {
		ev.passOver(block.def.Body.Stmts, sc, block.why)
	}
	if c.Ref == 0 && f.Flow == Pure {
		all := make([]provenance.Ref, 0, len(refs)+1)
		for i, r := range refs {
			all = append(all, ev.deep(args[i], r))
		}
		if block != nil {
			all = append(all, block.ref)
		}
		c.Ref = ev.trace.Op("call "+f.Name, all...)
	}
	if c.Ref == 0 && f.Flow == Reader {
		c.Ref = ev.trace.Op("call "+f.Name, append(c.deepRefs(), ev.declared())...)
	}
	return v, c.Ref, nil
}

// dispatch chooses the signature that accepts the arguments, or words the mismatch as Puppet does.
func (ev *Evaluator) dispatch(f *Function, args []value.Value, block *Lambda) (*Dispatch, error) {
	sigs, err := f.signatures()
	if err != nil {
		return nil, err
	}
	var blockType *types.Callable
	if block != nil {
		blockType = block.callable()
	}
	for i, s := range sigs {
		if s.Accepts(args, blockType) {
			return &f.Dispatches[i], nil
		}
	}
	return nil, ev.mismatch(f.Name, sigs, f.Dispatches, args, blockType)
}

func (ev *Evaluator) mismatch(name string, sigs []*types.Callable, ds []Dispatch, args []value.Value, block *types.Callable) error {
	list := make([]types.Signature, len(sigs))
	for i := range sigs {
		list[i] = types.Signature{Type: sigs[i], Names: ds[i].Names}
	}
	return fmt.Errorf("%s", types.DescribeSignatures(name, list, args, block))
}

// signatures parses the dispatches' signatures at the first call of the function.
func (f *Function) signatures() ([]*types.Callable, error) {
	if f.compiled.list != nil {
		return f.compiled.list, nil
	}
	list := make([]*types.Callable, len(f.Dispatches))
	for i, d := range f.Dispatches {
		t, err := types.Parse(d.Signature, nil)
		if err != nil {
			return nil, fmt.Errorf("signature of %s: %w", f.Name, err)
		}
		list[i] = t.(*types.Callable)
	}
	f.compiled.list = list
	return list, nil
}

// ---- functions written in Puppet

// callUser calls a function of the program: it sees its parameters and the top scope's variables.
func (ev *Evaluator) callUser(f *userFunction, args []value.Value, refs []provenance.Ref, at source.Place) (value.Value, provenance.Ref, error) {
	sc := ev.newScope(ev.top, nil, nil)
	sc.source = &Definition{Kind: ClassKind, Name: "", File: f.file, Module: f.module}
	sc.resource = ev.top.resource
	ev.push("function "+f.def.Name, at)
	c := ev.enterFile(f.file)
	before, jumps := ev.ctl, ev.jumps
	ev.jumps = 0
	v, r, err := ev.apply(closure{name: f.def.Name, params: f.def.Params, returns: f.def.Returns, body: f.def.Body.Stmts}, sc, args, refs)
	r = ev.trace.With(r, ev.jumps)
	ev.ctl, ev.jumps = before, jumps
	ev.leaveFile(c)
	ev.pop()
	return v, r, err
}

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
}

type jumpKind uint8

const (
	jumpNext jumpKind = iota
	jumpReturn
	jumpBreak
)

// Next, Return and Break end a block early; they are raised by the functions of those names.
func (c *Call) Next(v value.Value, r provenance.Ref) {
	panic(&jump{jumpNext, v, r, c.Place, c.Eval.ctl})
}

// Return ends the function, class or define around.
func (c *Call) Return(v value.Value, r provenance.Ref) {
	panic(&jump{jumpReturn, v, r, c.Place, c.Eval.ctl})
}

// Break ends the iteration around.
func (c *Call) Break() {
	panic(&jump{kind: jumpBreak, value: value.Undef{}, at: c.Place, ctl: c.Eval.ctl})
}

// saved is the evaluator's state at a point that a jump may land on.
type saved struct {
	code  code
	ctl   provenance.Ref
	depth int
	frame *frame
	scope *Scope
}

func (ev *Evaluator) save(sc *Scope) saved {
	return saved{code{ev.file, ev.lits}, ev.ctl, len(ev.stack), sc.frame, sc}
}

func (ev *Evaluator) restoreTo(s saved) {
	ev.leaveFile(s.code)
	ev.ctl = s.ctl
	ev.stack = ev.stack[:s.depth]
	s.scope.restore(s.frame)
}

// catching runs body and lands the jumps that kinds names; others go on upwards.
func (ev *Evaluator) catching(sc *Scope, kinds func(jumpKind) bool, body func() (value.Value, provenance.Ref)) (v value.Value, r provenance.Ref) {
	s := ev.save(sc)
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		j, ok := p.(*jump)
		if !ok || !kinds(j.kind) {
			panic(p)
		}
		ev.restoreTo(s)
		v, r = j.value, ev.trace.With(j.ref, j.ctl)
	}()
	return body()
}

// apply binds arguments to parameters, checks types, and evaluates the body.
func (ev *Evaluator) apply(c closure, sc *Scope, args []value.Value, refs []provenance.Ref) (v value.Value, r provenance.Ref, err error) {
	mark := sc.mark()
	bound, err := ev.bind(c, sc, args, refs)
	sc.restore(mark)
	if err != nil {
		return nil, 0, err
	}
	local := sc.pushFrame(localFrame)
	local.vars = bound
	sc.pushFrame(matchFrame)
	if mayJump(c.body) {
		v, r = ev.catching(sc, func(k jumpKind) bool { return k == jumpNext || k == jumpReturn && !c.lambda }, func() (value.Value, provenance.Ref) {
			return ev.block(c.body, sc)
		})
	} else {
		v, r = ev.block(c.body, sc)
	}
	sc.restore(mark)
	if c.returns != nil {
		if t := ev.typeOf(c.returns, ev.file); !types.IsInstance(t, v) {
			return nil, 0, fmt.Errorf("%s", types.DescribeMismatch("value returned from "+c.name, t, types.InferSet(v)))
		}
	}
	return v, r, nil
}

// mayJump reports whether code holds a call of next, return or break, so that most calls need no landing place. Lambdas inside
// count: a return in a lambda ends the function around it.
func mayJump(stmts []syntax.Expr) bool {
	found := false
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.Call); ok {
				if name, ok := c.Functor.(*syntax.Name); ok {
					switch name.Value {
					case "next", "return", "break":
						found = true
					}
				}
			}
			if m, ok := n.(*syntax.MethodCall); ok {
				switch m.Functor.Name.Value {
				case "next", "return", "break":
					found = true
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
	f.formals = make([]string, len(c.params))
	for i, p := range c.params {
		f.formals[i] = p.Name
		f.vars = append(f.vars, variable{name: p.Name})
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
		switch {
		case p.Splat:
			rest := args[min(i, len(args)):]
			if p.Default != nil && (len(rest) == 0 || len(rest) == 1 && value.IsUndef(rest[0])) {
				v, r = ev.defaultOf(p, sc)
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
			v, r = ev.defaultOf(p, sc)
			given = append(given, v)
		default:
			if c.lambda {
				ev.failAt(&source.Diagnostic{Code: "E0253", Summary: "Evaluation Error: Parameter $" + p.Name + " is required but no value was given", Place: ev.place(p.Where)})
			}
			return nil, ev.argumentError(c, args)
		}
		f.vars[i].value, f.vars[i].ref = v, r
	}
	if err := ev.checkArguments(c, args, given); err != nil {
		return nil, err
	}
	return f.vars, nil
}

// checkArguments tests the final arguments against the parameters' types.
func (ev *Evaluator) checkArguments(c closure, args, given []value.Value) error {
	typed := false
	for _, p := range c.params {
		if p.Type != nil {
			typed = true
		}
	}
	splat := len(c.params) > 0 && c.params[len(c.params)-1].Splat
	if !typed && (splat || len(args) <= len(c.params)) {
		return nil
	}
	sig := ev.callableOf(c)
	if sig.Accepts(ev.finalArguments(c, args, given), nil) {
		return nil
	}
	return ev.argumentErrorFor(c, sig, ev.finalArguments(c, args, given))
}

func (ev *Evaluator) finalArguments(c closure, args, given []value.Value) []value.Value {
	if len(args) > len(given) {
		return args
	}
	return given
}

func (ev *Evaluator) argumentError(c closure, args []value.Value) error {
	return ev.argumentErrorFor(c, ev.callableOf(c), args)
}

func (ev *Evaluator) argumentErrorFor(c closure, sig *types.Callable, args []value.Value) error {
	names := make([]string, len(c.params))
	for i, p := range c.params {
		names[i] = p.Name
	}
	return fmt.Errorf("%s", types.DescribeSignatures(c.name, []types.Signature{{Type: sig, Names: names}}, args, nil))
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

// defaultOf evaluates a parameter's default; reading a parameter that has no value yet is an error.
func (ev *Evaluator) defaultOf(p *syntax.Param, sc *Scope) (v value.Value, r provenance.Ref) {
	s := ev.save(sc)
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		u, ok := e.(unevaluated)
		if !ok {
			panic(e)
		}
		ev.restoreTo(s)
		ev.failAt(&source.Diagnostic{Code: "E0254", Place: ev.place(p.Where), Summary: u.frame.parameterFault(p.Name, u.name)})
	}()
	sc.pushFrame(matchFrame)
	v, r = ev.eval(p.Default, sc)
	sc.restore(s.frame)
	return v, r
}

func (f *frame) parameterFault(from, to string) string {
	a, b := -1, -1
	for i, n := range f.formals {
		if n == from {
			a = i
		}
		if n == to {
			b = i
		}
	}
	if b < a {
		return fmt.Sprintf("%s: expects a value for parameter $%s", f.callee, to)
	}
	return fmt.Sprintf("%s: default expression for $%s tries to illegally access not yet evaluated $%s", f.callee, from, to)
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
	ev.decide(l.why)
	v, r, err := ev.apply(l.closure(), l.scope, args, refs)
	ev.restoreTo(s)
	l.ref, l.ran = ev.trace.With(r, l.why), true
	if ev.jumps != 0 { // a break passed over decides about the next round too
		l.why = ev.trace.Join(l.why, ev.jumps)
	}
	if err != nil {
		return nil, err
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
		p := recover()
		if p == nil {
			return
		}
		j, ok := p.(*jump)
		if !ok || j.kind != jumpBreak {
			panic(p)
		}
		ev.restoreTo(s)
		err = nil
	}()
	return body()
}
