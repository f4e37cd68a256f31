package smartfrog

import (
	"fmt"

	"bunraku/source"
)

// An evaluator turns a specification into a store. Its methods are the valuation functions of section 6.4 of the paper,
// in the paper's order from the last to the first.
//
// Differs from the paper: the paper threads the store through every function; ours is changed in place, and scopes
// keeps what the paper recovers from the root for every operation: the stores along the current namespace. The
// functions of the paper call each other as deep as components are nested; ours leave the rest of their work on a stack
// of frames, which costs less and has no limit. An error does not end the evaluation: it is reported, what it spoils is
// poison, and the rest is evaluated, so that one run shows all mistakes.
type evaluator struct {
	*scopes
	extended bool
	units    map[*Include]*Spec // the files behind the includes
	diags    source.Diagnostics
	errors   int
	warnings int

	frame *frame // the innermost body being evaluated
	act   *act   // the assignment being evaluated
	site  *site  // the file it stands in
	block *Block // the block it stands in, nil at the top of the specification
	time  int    // counts assignments and prototypes

	work   int // counts assignments, includes, and attributes copied
	limit  int // for work
	stop   bool
	unique int // the last invented name

	observe func(Equation) // nil if nobody watches
	seen    int            // equations that were told

	ordered  bool  // an order statement was seen
	measures int32 // how often the store was measured
	chase    chase
}

// A frame is a body being evaluated: of a file, or of the component whose prototypes are being composed.
type frame struct {
	body   []Statement // the statements still to come
	protos []Prototype // the prototypes still to come; body belongs to the one before them
	first  bool        // no prototype has been composed yet
	check  *Block      // the order of its attributes is to be checked at its end
	ns     *scope      // where prototypes are looked up
	opened int         // scopes that the component has opened
	// What to go back to at the end: the body, block, file and assignment around.
	up    *frame
	block *Block
	site  *site
	act   *act
}

// specification evaluates a whole specification and returns the component sfConfig, or nil. Definition 27 (SmartFrog):
// SF.
func (e *evaluator) specification(spec *Spec) *Store {
	e.site = &site{spec: spec}
	e.push(&frame{body: spec.Body})
	for e.frame != nil && !e.stop {
		e.step()
	}
	root := e.open[0].store
	if e.stop {
		return nil
	}
	i := root.position("sfConfig")
	if i < 0 {
		if !root.partial {
			e.noConfig(spec, root)
		}
		return nil
	}
	switch v := root.slots[i].value.(type) {
	case *Store:
		return v
	case poison:
		return nil
	default:
		e.badConfig(root.slots[i].origin, v)
		return nil
	}
}

func (e *evaluator) push(f *frame) {
	f.up, f.block, f.site, f.act = e.frame, e.block, e.site, e.act
	e.frame = f
}

// step evaluates the next statement of the innermost body, or its next prototype when the body is at its end, or leaves
// the component when there are no more.
func (e *evaluator) step() {
	f := e.frame
	switch {
	case len(f.body) > 0:
		s := f.body[0]
		f.body = f.body[1:]
		e.statement(s)
	case f.check != nil:
		p := f.check
		f.check = nil
		e.checkOrder(p, e.targets(p.Body, nil))
	case len(f.protos) > 0:
		e.prototype(f)
	default:
		e.leave(f.opened)
		e.frame, e.block, e.site = f.up, f.block, f.site
		if e.act = f.act; f.opened > 0 {
			e.act = e.act.up
		}
	}
}

// statement evaluates one statement in the innermost open component. Definition 26 (SmartFrog): B, together with step,
// which comes back for the rest of the body.
func (e *evaluator) statement(s Statement) {
	switch s := s.(type) {
	case *Assignment:
		e.assignment(s)
	case *Include:
		e.include(s)
	case *Order:
		e.constrain(s)
	}
}

// include evaluates the body of the included file as if it stood here.
func (e *evaluator) include(s *Include) {
	e.spend(1)
	spec := e.units[s]
	if e.observe != nil {
		e.tell("26 B", s.Span(), nil, "the statements of "+spec.File.Name+" come here")
	}
	e.push(&frame{body: spec.Body})
	e.site = &site{spec: spec, via: s, up: e.site}
}

// assignment evaluates a value and binds it to its target. Definition 25 (SmartFrog): A.
//
// Erratum: Definition 25 binds to ns ⊕ r where it means ns ⊕ R⟦R⟧. We pass R⟦R⟧ alone: the namespace is the innermost
// open scope.
func (e *evaluator) assignment(a *Assignment) {
	e.time++
	w := &struct { // both at once: every assignment has the two
		act    act
		origin origin
	}{act: act{a, e.site, e.act}, origin: origin{time: e.time}}
	w.origin.act = &w.act
	e.act = &w.act
	e.spend(1)
	var r Reference
	if a.Target != nil {
		r = a.Target.Path
	} else {
		r = Reference{e.invent()}
	}
	if !e.value(a.Value, r, &w.origin) {
		e.act = e.act.up
	}
}

// value evaluates the right-hand side of an assignment to r, whose origin is o. It returns true when a component has
// been opened whose prototypes are still to be composed. Definition 24 (SmartFrog): V.
func (e *evaluator) value(v Expr, r Reference, o *origin) (opened bool) {
	switch v := v.(type) {
	case Basic:
		value := basicValue(v)
		if e.observe != nil {
			e.tell("24 V", o.act.stmt.Span(), r, shown(value))
		}
		e.bind(r, value, o)
	case *Link:
		e.link(v.Ref, r, o)
	case *Extends:
		ns := e.top()
		if e.observe != nil {
			e.tell("24 V", o.act.stmt.Span(), r, "an empty component, into which prototypes are composed")
		}
		if e.bind(r, &Store{}, o) {
			e.push(&frame{protos: v.Protos, first: true, ns: ns, opened: len(r)})
			e.enter(r)
			return true
		}
	}
	return false
}

// link copies what a reference names to r, as it is at this moment. It is V⟦LR⟧ of Definition 24 (SmartFrog).
func (e *evaluator) link(ref *Ref, r Reference, o *origin) {
	if e.extended {
		if e.observe != nil {
			e.tell("24 V", o.act.stmt.Span(), r, "a link to "+ref.Path.String()+", followed at the end")
		}
		e.bind(r, &pending{ref}, o)
		return
	}
	v, c := e.resolve(e.top(), ref)
	switch v.(type) {
	case nil:
		e.unresolved(codeLink, "err5: link reference", ref, c)
		v = poison{}
	case poison:
	default:
		e.share(v)
		o.copy = c
		o.source = c.steps[len(c.steps)-1].origin
		if e.observe != nil {
			e.tell("24 V, 16 resolve", o.act.stmt.Span(), r, "a copy of "+ref.Path.String()+": "+shown(v))
		}
	}
	e.bind(r, v, o)
}

// prototype composes the next prototype into the innermost open component, or opens its body; references are looked up
// in f.ns. Definition 23 (SmartFrog): P, together with step, which comes back for the rest of the list.
//
// Erratum: the sentence of Definition 23 says that composition proceeds right to left; its equations, and all
// compilers, go left to right, so that the later prototype wins.
func (e *evaluator) prototype(f *frame) {
	p := f.protos[0]
	first := f.first
	f.protos, f.first = f.protos[1:], false
	e.time++
	switch p := p.(type) {
	case *Block:
		if e.observe != nil {
			e.tell("23 P", p.Span(), nil, "the component's own statements come")
		}
		e.block = p
		f.body = p.Body
		if !first {
			f.check = p
		}
	case *Ref:
		src := e.inherit(f.ns, p)
		if e.observe != nil {
			e.tellPrototype(p, src)
		}
		if !first && src != nil {
			e.checkOrder(p, names(src))
		}
	}
}

// inherit copies the attributes of a prototype into the innermost open component, and returns it. Definition 18
// (SmartFrog): inherit.
func (e *evaluator) inherit(ns *scope, p *Ref) *Store {
	v, c := e.named(ns, p)
	src, ok := v.(*Store)
	if !ok {
		e.writable().partial = true
		return nil
	}
	c.proto = true
	c.absent = src.composed
	e.copy(src, c)
	return src
}

// named resolves the name of a prototype, and reports when it is no component; then it returns poison.
func (e *evaluator) named(ns *scope, p *Ref) (Value, *copied) {
	if e.extended {
		return e.extendedPrototype(ns, p)
	}
	v, c := e.resolve(ns, p)
	switch v := v.(type) {
	case *Store:
		if v == e.top().store {
			e.selfPrototype(ns, p)
		}
		return v, c
	case poison:
	case nil:
		e.unresolved(codePrototype, "err4: prototype", p, c)
	default:
		e.notComponent(codePrototype, "err4", p, v, c)
	}
	return poison{}, nil
}

// copy copies every attribute of src into the innermost open store. Definition 17 (SmartFrog): copy.
//
// The prototype is copied as it was before the copy began, even when it contains the store it is copied into: sharing
// an open store makes the store that we write to another one.
func (e *evaluator) copy(src *Store, c *copied) {
	e.spend(len(src.slots))
	if src.level > 0 {
		e.share(src)
	}
	dst := e.writable()
	for i := range src.slots {
		from := &src.slots[i]
		e.share(from.value)
		pos, isNew := dst.put(from.name, from.value, &origin{act: e.act, time: e.time, copy: c, source: from.origin})
		if isNew {
			dst.slots[pos].inherited = true
			e.declare(pos)
		}
	}
	if src.order != nil {
		dst.order = src.order
	}
	dst.partial = dst.partial || src.partial
	dst.composed = &composition{c, dst.composed}
}

// resolve looks a reference up in a namespace, and in those around it when it is not there; the reference is looked for
// as a whole. It returns nil when it is nowhere, and poison when an error that was reported is to blame for that.
// Definition 16 (SmartFrog): resolve.
func (e *evaluator) resolve(ns *scope, ref *Ref) (Value, *copied) {
	var value Value
	c := &copied{act: e.act, site: e.site, ref: ref, time: e.time, from: ns}
	spoilt := false
	e.candidates(ns, ref.Path[0], func(sc *scope) bool {
		value = sc.store.Find(ref.Path)
		if value != nil {
			c.in = sc
			c.steps = walk(sc.store, ref.Path)
			return true
		}
		c.passed = append(c.passed, walk(sc.store, ref.Path)...)
		spoilt = spoilt || spoils(sc.store.miss(ref.Path).at)
		return false
	})
	if value == nil && e.errors > 0 && (spoilt || anyPartial(ns)) {
		value = poison{}
	}
	return value, c
}

// spoils reports whether an error is to blame for what a search did not find in v.
func spoils(v Value) bool {
	switch v := v.(type) {
	case poison:
		return true
	case *Store:
		return v.partial
	}
	return false
}

func anyPartial(s *scope) bool {
	for ; s != nil; s = s.up {
		if s.store.partial {
			return true
		}
	}
	return false
}

// bind sets the value of a path below the innermost open store. It reports and returns false when the path has no
// parent, or one that is no component. Definition 13 (SmartFrog): bind.
//
// Differs from the paper: err3, replacing the root, cannot happen, since R ::= (I)+ leaves no way to write the root.
func (e *evaluator) bind(r Reference, v Value, o *origin) bool {
	s := e.writable()
	last := len(r) - 1
	for i, name := range r[:last] {
		pos := s.position(name)
		if pos < 0 {
			if !s.partial {
				e.noParent(r, i, s)
				pos, _ := s.put(name, poison{}, o)
				if i == 0 {
					e.declare(pos)
				}
			}
			return false
		}
		switch v := s.slots[pos].value.(type) {
		case *Store:
			s = s.own(pos)
		case poison:
			return false
		default:
			e.parentBasic(r, i, v, s.slots[pos].origin)
			return false
		}
	}
	pos, isNew := s.put(r[last], v, o)
	if isNew && last == 0 {
		e.declare(pos)
	}
	return true
}

// spend counts work, and stops an evaluation that takes too much of it.
func (e *evaluator) spend(n int) {
	e.work += n + e.cloned
	e.cloned = 0
	if e.work <= e.limit || e.stop {
		return
	}
	e.stop = true
	d := &source.Diagnostic{
		Code: codeWork, Summary: fmt.Sprintf("limit: evaluation takes more than %d steps", e.limit),
		Place: source.Place{File: e.site.spec.File},
		Help:  "look for files that are included, or components that are copied, over and over",
	}
	if e.act != nil {
		d.Place, d.Label = e.act.head(), "while evaluating this"
	}
	e.report(d)
}

// invent makes a name for the HP spelling `--` that the innermost open store does not have.
func (e *evaluator) invent() string {
	for {
		name := fmt.Sprintf("unique%d", e.unique)
		e.unique++
		if e.top().store.position(name) < 0 {
			return name
		}
	}
}
