package eval

import (
	"fmt"
	"strconv"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What code that is written in another language than Puppet needs of a compile: it calls functions, with blocks of its
// own; it may rescue what goes wrong in them; it asks what has been declared.

// Invoke calls a function by name on behalf of this call. refs, one per argument or nil, say where the arguments come
// from. known is false when there is no such function.
func (c *Call) Invoke(sc *Scope, name string, args []value.Value, refs []provenance.Ref, block *Lambda) (v value.Value,
	r provenance.Ref, known bool, err error) {
	v, r, err = c.Eval.invoke(name, args, refs, block, c.Place, sc)
	return v, r, err != errUnknown, err
}

// InvokeFunction is Invoke for a function that is at hand: a method of an object that Puppet itself made.
func (c *Call) InvokeFunction(sc *Scope, f *Function, args []value.Value, refs []provenance.Ref) (value.Value,
	provenance.Ref, error) {
	return c.Eval.callBuiltin(f, args, refs, nil, c.Place, sc)
}

// Attempt runs body. If that ends early, by an error of the program or by next, return or break, what was under way is
// given up and the reason returned: call Resume, or, if it may be rescued, let the program go on.
func (c *Call) Attempt(body func()) (why *Interruption) {
	ev := c.Eval
	s := ev.save(c.Scope)
	asking := ev.asking
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		switch p := p.(type) {
		case *failure:
			why = &Interruption{Text: p.diagnostic.Summary, Failure: true, cause: p, ev: ev}
		case *jump:
			why = &Interruption{Text: jumpText(p.kind) + " from context where this is illegal", Break: p.kind == jumpBreak,
				Jump: true, cause: p, ev: ev}
		default:
			why = &Interruption{Text: "the compile has ended", cause: p, ev: ev}
		}
		ev.jumping, ev.unread = nil, nil
		ev.restoreTo(s)
		ev.asking = asking
	}()
	body()
	return nil
}

// An Interruption is what ended an Attempt.
type Interruption struct {
	Text    string
	Failure bool // an error, that would end the compile
	Break   bool // the function break
	Jump    bool // that or another jump
	cause   any
	ev      *Evaluator
}

// Resume goes on with what was interrupted.
func (i *Interruption) Resume() {
	switch cause := i.cause.(type) {
	case *jump:
		i.ev.jump(cause)
	case *unevaluated:
		i.ev.unread = cause
	}
	panic(i.cause)
}

// NewBlock makes a block of Go code, with least to most parameters; most is -1 for any number. run tells where its
// result comes from.
func (c *Call) NewBlock(least, most int, run func([]value.Value, []provenance.Ref) (value.Value, provenance.Ref,
	error)) *Lambda {
	def := &syntax.Lambda{}
	for i := 0; i < max(least, most); i++ {
		p := &syntax.Param{Name: "p" + strconv.Itoa(i)}
		if i >= least {
			p.Default = &syntax.Undef{}
		}
		def.Params = append(def.Params, p)
	}
	if most < 0 {
		def.Params = append(def.Params, &syntax.Param{Name: "rest", Splat: true})
	}
	return &Lambda{ev: c.Eval, def: def, scope: c.Scope, file: c.Eval.file, ctl: c.Eval.ctl, frame: c.Scope.frame,
		native: run}
}

// ParamNames are the names of a block's parameters.
func (l *Lambda) ParamNames() []string {
	names := make([]string, len(l.def.Params))
	for i, p := range l.def.Params {
		names[i] = p.Name
	}
	return names
}

// Parameters are the attributes that are set, and where they come from.
func (r *Resource) Parameters() (*value.Hash, []provenance.Ref) {
	r.scope.ev.bringUp(r)
	b := value.NewHashBuilder(len(r.params))
	refs := []provenance.Ref{r.existence, r.titleRef}
	for _, p := range r.params {
		b.SetEntry(value.Entry{Key: value.String(p.name), Value: p.value, Ref: p.ref})
		refs = append(refs, p.ref)
	}
	return b.Hash(), refs
}

// Defaults are the resource defaults of a type, by its capitalized name, that are in force in this scope.
func (sc *Scope) Defaults(typ string) *value.Hash {
	var merged []*param
	for _, s := range sc.dynamicChain() {
		if d := s.defaults[typ]; d != nil {
			merged = mergeParams(merged, d.params)
		}
	}
	b := value.NewHashBuilder(len(merged))
	for _, p := range merged {
		b.SetEntry(value.Entry{Key: value.String(p.name), Value: p.value, Ref: p.ref})
	}
	return b.Hash()
}

// dynamicChain is the scopes around, outermost first.
func (sc *Scope) dynamicChain() []*Scope {
	if sc == nil {
		return nil
	}
	return append(sc.parent.dynamicChain(), sc)
}

// Bound reports whether a variable of that name can no more be set in this scope.
func (sc *Scope) Bound(name string) bool { return sc.bound(name) }

// Source is the name of the class, define or node whose code the scope runs, "" at top level.
func (sc *Scope) Source() string {
	if sc.source == nil {
		return ""
	}
	return sc.source.Name
}

// Around is the scope that Puppet calls the parent of another; nil for the top scope.
func (sc *Scope) Around() *Scope { return sc.parent }

// SourceKind is what Puppet calls the kind of that code: hostclass, definition or node.
func (sc *Scope) SourceKind() string {
	if sc.source != nil {
		switch sc.source.Kind {
		case DefineKind:
			return "definition"
		case NodeKind:
			return "node"
		}
	}
	return "hostclass"
}

// Places are where the calls under way stand, innermost first.
func (c *Call) Places() []source.Place {
	places := []source.Place{c.Place}
	for i := len(c.Eval.stack) - 1; i >= 0; i-- {
		if p := c.Eval.stack[i].place; p.Known() {
			places = append(places, p)
		}
	}
	return places
}

// Pass has another function answer the call: f, or the function of the call's name that is written in Puppet when f is
// nil.
func (c *Call) Pass(f *Function) (value.Value, error) {
	var v value.Value
	var err error
	if f != nil {
		c.MustSay(f.Does)
		v, c.Ref, err = c.Eval.callBuiltin(f, c.Args, c.Refs, c.Block, c.Place, c.Scope)
		return v, err
	}
	u := c.Eval.userFunction(c.Name)
	if u == nil {
		return nil, fmt.Errorf("Unknown function: '%s'.", c.Name)
	}
	v, c.Ref, err = c.Eval.callUser(u, c.Args, c.Refs, c.Block, c.Place)
	return v, err
}
