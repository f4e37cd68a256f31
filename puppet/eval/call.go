package eval

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// signatures are the parsed dispatches of a built-in, made at its first call.
type signatures struct {
	once source.Once
	list []*types.Callable
	err  error
}

// A userFunction is a function written in Puppet.
type userFunction struct {
	def    *syntax.Function
	file   *syntax.File
	module string
	source *Definition // what its scopes say that they belong to
}

// decidesBy are the functions whose result hangs on whether their block's is true, or on how it compares.
var decidesBy = map[string]bool{"filter": true, "any": true, "all": true, "partition": true, "group_by": true,
	"index": true, "unique": true,
	"sort": true, "max": true, "min": true}

// moves are functions that only pass the parts of their arguments on, whatever they are.
var moves = map[string]bool{"keys": true, "values": true, "length": true, "size": true, "empty": true,
	"dig": true, "get": true,
	"merge": true, "concat": true, "with": true, "slice": true, "reverse_each": true, "step": true}

// draws are functions whose result depends on their arguments and the node, and on nothing else: a seed may be a
// secret.
var draws = map[string]bool{"fqdn_rand": true, "fqdn_rand_string": true, "fqdn_rotate": true, "shuffle": true,
	"str2saltedsha512": true, "stdlib::fqdn_rand_string": true, "stdlib::fqdn_rotate": true}

// walks are functions that hand the parts of their first argument to their block, one by one or together.
var walks = map[string]bool{"each": true, "map": true, "reduce": true, "then": true, "lest": true, "tree_each": true}

// handsOn reports whether what is not known in an argument decides nothing that a function does: it gives its parts on,
// to a block, a resource or somebody who reads, or gives a value of which as little is known.
func (f *Function) handsOn(block *Lambda) bool {
	switch {
	case f.Seeks || f.Does == outline.Anything:
		return false
	case f.Unknown || moves[f.Name] || f.Name == "create_resources":
		return true
	case block != nil:
		return walks[f.Name] || decidesBy[f.Name]
	}
	return f.Flow == Pure
}

// A Lambda is a block given to a call: code with the scope it was written in.
type Lambda struct {
	unknown *value.Opaque // that it gave, if it did
	ev      *Evaluator
	def     *syntax.Lambda
	scope   *Scope
	file    *syntax.File
	ctl     provenance.Ref
	frame   *frame
	sig     *types.Callable
	ref     provenance.Ref // of the last call's result
	why     provenance.Ref // what decides whether, and how often, it is called
	jumps   provenance.Ref // what kept it from ending the iteration
	ran     bool
	// native is the body of a block that is not written in Puppet
	native func([]value.Value, []provenance.Ref) (value.Value, provenance.Ref, error)
}

// call is `name(args) |…| {…}` and the bare statement form; a type that is called makes a new value.
func (ev *Evaluator) call(e *syntax.Call, sc *Scope) (value.Value, provenance.Ref) {
	switch f := e.Functor.(type) {
	case *syntax.Name:
		args, refs, spine := ev.unfold(ev.rooms.args.list(len(e.Args)), nil, e.Args, sc)
		return ev.callNamed(f.Value, args, refs, spine, e.Lambda, e, sc)
	case *syntax.Ref:
		return ev.callType(f, e, sc)
	case *syntax.Access:
		if _, ok := f.Left.(*syntax.Ref); ok {
			return ev.callType(f, e, sc)
		}
	case *syntax.RenderString:
		ev.fail("E0250", e.Where,
			"Evaluation Error: Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading "+
				"whitespace")
	}
	ev.failf("E0251", e.Functor.Span(),
		"Evaluation Error: Illegal expression. %s is unacceptable as function name in a Function Call",
		articleUp(label(e.Functor)))
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
	args, refs, spine := ev.unfold(ev.rooms.args.list(1+len(e.Args)), nil, []syntax.Expr{e.Functor.Left}, sc)
	name := e.Functor.Name.Value
	if len(args) > 0 {
		if v, r, ok := ev.member(args[0], name, refs); ok {
			if o, is := args[0].(*value.Object); is && len(e.Args) > 0 {
				ev.runtime(e, fmt.Sprintf("'attribute %s[%s]' expects no arguments, got %d", o.Type.Name(), name,
					len(e.Args)))
			}
			_, _, more := ev.unfold(nil, nil, e.Args, sc) // those of a URI's part are let pass
			return v, ev.trace.With(r, more)
		}
		if f := methodOf(args[0], name); f != nil {
			own, ownRefs, more := ev.unfold(nil, nil, e.Args, sc)
			v, r, err := ev.callBuiltin(f, own, ownRefs, ev.lambda(e.Lambda, sc), ev.place(callSpan(e)), sc)
			if err != nil {
				ev.runtimeError(e, err)
			}
			return v, ev.trace.With(r, spine, more, refs1(refs))
		}
	}
	args, refs, more := ev.unfold(args, refs, e.Args, sc)
	return ev.callNamed(name, args, refs, ev.trace.Join(spine, more), e.Lambda, e, sc)
}

// A Host has the methods of an object that Puppet itself made.
type Host interface {
	// Method is nil if there is none of the name.
	Method(name string) *Function
}

func methodOf(x value.Value, name string) *Function {
	if o, is := x.(*value.Object); is {
		if h, is := o.Host.(Host); is {
			return h.Method(name)
		}
	}
	return nil
}

// member reads an attribute of a Pcore object, or a part of a URI.
func (ev *Evaluator) member(x value.Value, name string, refs []provenance.Ref) (value.Value, provenance.Ref, bool) {
	if u, is := x.(*value.URI); is {
		part, known := u.Part(name)
		return part, refs1(refs), known
	}
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
func (ev *Evaluator) callNamed(name string, args []value.Value, refs []provenance.Ref, spine provenance.Ref,
	lambda *syntax.Lambda, e syntax.Expr, sc *Scope) (value.Value, provenance.Ref) {
	at := ev.place(callSpan(e))
	block := ev.lambda(lambda, sc)
	if ev.log != nil && name == "lookup" {
		defer ev.asksDefault(e)()
	}
	v, r, err := ev.invoke(name, args, refs, block, at, sc)
	if _, method := e.(*syntax.MethodCall); err == errUnknown && method && len(args) > 0 && opaque(args[0]) != nil {
		return args[0], ev.trace.With(refs1(refs), spine) // it may be a method, or an attribute, of what is not known
	}
	if err == errUnknown {
		d := &source.Diagnostic{Code: "E0252", Summary: "Evaluation Error: Unknown function: '" + name + "'.", Place: at,
			About: about(source.MissingFunction, name)}
		if near := source.Nearest(name, ev.functionNames()); near != "" {
			d.Help = "did you mean " + near + "?"
		}
		ev.failAt(d)
	}
	if err != nil {
		ev.runtimeError(e, err)
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
func (ev *Evaluator) invoke(name string, args []value.Value, refs []provenance.Ref, block *Lambda, at source.Place,
	sc *Scope) (value.Value, provenance.Ref, error) {
	name = strings.TrimPrefix(name, "::")
	ev.allLatest(args, refs)
	f := ev.functions[name] // the manifest may hide a built-in
	if f == nil {
		if b := ev.builtin(name, at.File); b != nil {
			return ev.callBuiltin(b, args, refs, block, at, sc)
		}
		if f = ev.userFunction(name); f == nil {
			if module := ev.lacks(source.MissingFunction, name); module != "" {
				return ev.standsIn(module, source.MissingFunction, name), ev.trace.Call(name, refs...), nil
			}
			return nil, 0, errUnknown
		}
	}
	return ev.callUser(f, args, refs, block, at)
}

// builtin is the function that code in a file sees by a name, nil for one that is written in Puppet.
func (ev *Evaluator) builtin(name string, from *source.File) *Function {
	if v, is := ev.world.(Viewer); is {
		return v.FunctionFrom(name, from)
	}
	return ev.world.Function(name)
}

// CallFunction lets built-ins and templates call a function by name.
func (ev *Evaluator) CallFunction(sc *Scope, name string, args []value.Value, block *Lambda,
	at source.Place) (value.Value, error) {
	v, _, err := ev.CallTraced(sc, name, args, nil, block, at)
	return v, err
}

// CallTraced is CallFunction with the provenance of the arguments and of the result.
func (ev *Evaluator) CallTraced(sc *Scope, name string, args []value.Value, refs []provenance.Ref, block *Lambda,
	at source.Place) (value.Value, provenance.Ref, error) {
	v, r, err := ev.invoke(name, args, refs, block, at, sc)
	if err == errUnknown {
		return nil, 0, fmt.Errorf("%w '%s'", ErrUnknownFunction, name)
	}
	return v, r, err
}

// Asking is what decided the question that Hiera is looking up.
func (ev *Evaluator) Asking() provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	refs := []provenance.Ref{ev.ctl}
	if ev.asker != nil {
		refs = append(refs, ev.asker.deepRefs()...)
	}
	return ev.trace.Join(refs...)
}

// Provide calls a function of the program that provides data, and catches what it throws: the error, and what it
// depends on. asking is what decided that it is called.
func (ev *Evaluator) Provide(sc *Scope, name string, args []value.Value, asking provenance.Ref) (v value.Value,
	r provenance.Ref, err error) {
	s, jumps := ev.save(sc), ev.jumps
	defer func(before provenance.Ref) { ev.ctl = before }(ev.decide(asking))
	defer func() {
		j := ev.jumping
		if j == nil || j.kind != jumpThrow || recover() == nil {
			return
		}
		ev.jumping = nil
		ev.restoreTo(s)
		v, r, err = nil, ev.trace.With(j.ctl, ev.jumps), j.err
		ev.jumps = jumps
	}()
	var refs []provenance.Ref
	if ev.trace != nil {
		refs = make([]provenance.Ref, len(args))
	}
	return ev.invoke(name, args, refs, nil, source.Place{}, sc)
}

// ErrUnknownFunction is the error of CallFunction when there is no function of the name.
var ErrUnknownFunction = errors.New("Unknown function") //lint:ignore ST1005 Puppet's wording

// CallBuiltin calls a function that is not found by its name: a 3.x function that a newer one hides.
func (ev *Evaluator) CallBuiltin(sc *Scope, f *Function, args []value.Value, at source.Place) (value.Value, error) {
	v, _, err := ev.callBuiltin(f, args, nil, nil, at, sc)
	return v, err
}

func (ev *Evaluator) userFunction(name string) *userFunction {
	if f := ev.functions[name]; f != nil {
		return f
	}
	if ev.tried[attempt{"function", name, ""}] {
		return nil
	}
	ev.tried[attempt{"function", name, ""}] = true
	f, ds := ev.world.FunctionFile(name)
	ev.heard(ds)
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

func (ev *Evaluator) callBuiltin(f *Function, args []value.Value, refs []provenance.Ref, block *Lambda, at source.Place,
	sc *Scope) (value.Value, provenance.Ref, error) {
	c := ev.rooms.calls.one()
	*c = Call{Eval: ev, Scope: sc, Name: f.Name, Args: args, Refs: refs, Block: block, Place: at, does: f.Does}
	if block != nil && ev.trace != nil {
		block.why = ev.trace.Join(refs...)
	}
	open := opaque(args...)
	var has []value.Value
	if open != nil {
		has = ev.certainly(f, args, block)
	}
	if has != nil {
		ev.notDone(f.Name, open, at) // for the rest
		args, c.Args = has, has
	} else if o := open; o != nil && !f.Unknown {
		if f.Flow == Effect {
			ev.notDone(f.Name, o, at)
			return value.Undef{}, 0, nil
		}
		if block != nil {
			ev.notDone(f.Name, o, at)
			if ev.rendering != nil {
				ev.rendering.unknown = o
			}
		}
		ev.mayAct(f, o, at)
		if f.Seeks || f.Does == outline.Anything { // who knows what it reads
			ev.loose(o)
		}
		return o, ev.trace.Call(f.Name, c.deepRefs()...), nil
	}
	if !f.handsOn(block) {
		ev.looksInto(args...)
	}
	if o := within(args...); o != nil && (f.Flow == Pure || decidesBy[f.Name]) && block == nil && !f.Unknown &&
		!moves[f.Name] {
		return o, ev.trace.Call(f.Name, c.deepRefs()...), nil // it may look into what it is given
	}
	run := f.Raw
	if run == nil {
		ev.handles(f.Name, args...) // their types are found out
		d, err := ev.dispatch(f, args, block)
		if err != nil {
			sigs, _ := f.signatures()
			return nil, 0, ev.badArgument(err, sigs, args, refs)
		}
		run = d.Run
	}
	before, jumps, changes := ev.bounds.calling, ev.jumps, len(ev.changes)
	ev.bounds.calling = at
	ev.handles(f.Name, args...)
	v, err := run(c)
	ev.bounds.calling = before
	if err != nil {
		return nil, 0, err
	}
	if block != nil && len(ev.changes) > changes {
		if o := ev.underway(f, args, at); o != nil {
			v = o
		}
	}
	v, changed := ev.latest(v, 0)
	ev.made(v, at)
	if v == nil {
		v = value.Undef{}
	}
	if _, walks := v.(*value.Iterator); len(ev.seen) > 0 &&
		(f.Flow == Pure || block != nil || walks || moves[f.Name] || draws[f.Name]) {
		ev.remade(args, v, block != nil)
	}
	if open != nil && !f.Unknown && f.Flow != Effect {
		v = open
	}
	if block != nil && block.unknown != nil && decidesBy[f.Name] {
		v = block.unknown
	}
	if o := opaque(v); o != nil {
		ev.unknown(o, f.Name, at)
		ev.mayAct(f, o, at)
	} else {
		ev.comesIn(v, f.Name, at)
	}
	ev.looseIn(v)
	if ev.bytes != nil {
		v = ev.likeArgument(f.Name, args, v)
	}
	if ev.trace == nil {
		return v, 0, nil
	}
	if block != nil && !block.ran {
		ev.passOver(block.def.Body.Stmts, sc, block.why)
	}
	if block != nil && ev.jumps != jumps {
		ev.leaveLambda(block, jumps)
	}
	if c.Ref == 0 && f.Flow == Pure {
		var room [8]provenance.Ref
		all := room[:0]
		for i, r := range refs {
			all = append(all, ev.deep(args[i], r))
		}
		if block != nil {
			all = append(all, block.ref)
		}
		c.Ref = ev.trace.Call(f.Name, all...)
	}
	if c.Ref == 0 && f.Flow == Reader {
		c.Ref = ev.trace.Call(f.Name, append(c.deepRefs(), ev.declared())...)
	}
	if block != nil {
		c.Ref = ev.trace.With(c.Ref, block.jumps, c.broke)
	}
	return v, ev.trace.With(c.Ref, changed), nil
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
		if ev.judge.Accepts(s, args, blockType) {
			return &f.Dispatches[i], nil
		}
	}
	return nil, ev.mismatch(f.Name, sigs, f.Dispatches, args, blockType)
}

func (ev *Evaluator) mismatch(name string, sigs []*types.Callable, ds []Dispatch, args []value.Value,
	block *types.Callable) error {
	list := make([]types.Signature, len(sigs))
	for i := range sigs {
		list[i] = types.Signature{Type: sigs[i], Names: ds[i].Names}
	}
	return fmt.Errorf("%s", ev.judge.DescribeSignatures(name, list, args, block))
}

// signatures parses the dispatches' signatures at the first call of the function.
func (f *Function) signatures() ([]*types.Callable, error) {
	f.compiled.once.Do(func() {
		for _, d := range f.Dispatches {
			t, err := types.Parse(d.Signature, nil)
			if err != nil {
				f.compiled.err = fmt.Errorf("signature of %s: %w", f.Name, err)
				return
			}
			f.compiled.list = append(f.compiled.list, t.(*types.Callable))
		}
	})
	return f.compiled.list, f.compiled.err
}

// Arity is how many arguments the function takes; most is -1 for any number. known is false for one that checks its
// arguments itself.
func (f *Function) Arity() (least, most int, known bool) {
	sigs, err := f.signatures()
	if err != nil || len(sigs) == 0 {
		return 0, -1, false
	}
	least = -1
	for _, s := range sigs {
		if s.Params == nil {
			return 0, -1, false
		}
		from, to := len(s.Params.Types), len(s.Params.Types)
		if z := s.Params.Size; z != nil {
			from = int(max(z.From, 0))
			if to = -1; z.To < 1<<20 {
				to = int(z.To)
			}
		}
		if least < 0 || from < least {
			least = from
		}
		if to < 0 || most < 0 {
			most = -1
		} else {
			most = max(most, to)
		}
	}
	return least, most, true
}

// ---- functions written in Puppet

// callUser calls a function of the program: it sees its parameters and the top scope's variables.
func (ev *Evaluator) callUser(f *userFunction, args []value.Value, refs []provenance.Ref, block *Lambda,
	at source.Place) (value.Value, provenance.Ref, error) {
	sc := ev.newScope(ev.top, nil, nil)
	sc.source = f.source
	sc.resource = ev.top.resource
	sc.function = true
	ev.push(step{kind: "function ", text: f.def.Name, place: at})
	c := ev.enterFile(f.file)
	before, jumps := ev.ctl, ev.jumps
	ev.jumps = 0
	var v value.Value
	var r provenance.Ref
	cl := closure{name: f.def.Name, params: f.def.Params, returns: f.def.Returns, body: f.def.Body.Stmts}
	err := ev.checkGiven(cl, args, block)
	if err != nil {
		err = ev.badArgument(err, []*types.Callable{ev.callableOf(cl)}, args, refs)
	} else {
		v, r, err = ev.apply(cl, sc, args, refs)
	}
	if ev.trace != nil && err == nil {
		r = ev.trace.Note(ev.trace.With(r, ev.jumps), provenance.Called, f.def.Name, 0, at, v)
	}
	ev.ctl, ev.jumps = before, jumps
	ev.leaveFile(c)
	ev.pop()
	return v, r, err
}
