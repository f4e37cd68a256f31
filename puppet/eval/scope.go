package eval

import (
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Scope is the variables of the top level, a node, a class or an instance of a define. Blocks that have variables of
// their own (lambdas, parameter defaults, matches) are frames on top of a scope.
//
// An unqualified name is looked for in the frames and the scope itself, then in the class it inherits from, else in the
// nearest node or top scope around it (rules LVar, PVar and TVar of µPuppet): a class does not see its declarer's
// variables.
type Scope struct {
	ev       *Evaluator
	parent   *Scope
	source   *Definition
	resource *Resource
	frame    *frame // the innermost; never nil, the first is the scope's own table
	own      *frame
	first    frame                  // what own points at
	defaults map[string]*defaultSet // by type name, as written in references
	inherits *Scope                 // of the class it inherits from
	function bool                   // of a function: it does not see the frames of the scopes around
	ctl      provenance.Ref         // of a class: the decisions under which its body is evaluated
	// ensured has the classes that its code has included, whatever was decided, and what named them
	ensured map[string]provenance.Ref
	done    bool           // its code has been evaluated
	during  provenance.Ref // what in it named classes, or might have
}

type frameKind uint8

const (
	ownFrame   frameKind = iota // the scope's own variables
	localFrame                  // a lambda's or function's
	paramFrame                  // parameters while their defaults are evaluated
	matchFrame                  // $0 … $9
)

type frame struct {
	outer   *frame
	vars    []variable
	shape   *shape         // of a class or define: vars[at:] begins with its parameters
	index   map[string]int // of the other variables, once there are many
	ghosts  []ghost
	haunted nameBits // by them
	base    *base    // of the top scope: the facts, which are variables too
	match   *match
	callee  string    // of a paramFrame: who is being called, for messages,
	of      *Resource // or whose parameters they are
	at      int32
	kind    frameKind
}

// base is variables that stand in a hash.
type base struct {
	*value.Hash
	ev    *Evaluator // that logs which of them are asked for; nil for none
	found variable   // the one that was asked for last
}

// A match is what $0 … $9 read.
type match struct {
	groups []string
	// matched tells $2 of a match with fewer groups or an unmatched group (undef) from the empty string.
	matched []bool
	ref     provenance.Ref
}

// A shape is where the variables of a class or define stand among each other, worked out once for all its instances:
// first the parameters, then the variables that its body assigns.
type shape struct {
	names  []string
	params int            // how many of them are parameters
	keys   []string       // of a class: what Hiera is asked for, by parameter
	title  string         // of a class: as resources have it
	said   *hearsay       // of the definition
	index  map[string]int // nil when there are few
}

func newShape(params []*syntax.Param, body []syntax.Expr) *shape {
	s := &shape{params: len(params)}
	for _, p := range params {
		s.names = append(s.names, p.Name)
	}
	// every scope's own
	seen := map[string]bool{"title": true, "name": true, "module_name": true, "caller_module_name": true}
	for _, name := range s.names {
		seen[name] = true
	}
	for _, name := range assignedIn(body) {
		if !seen[name] && !strings.Contains(name, "::") {
			seen[name] = true
			s.names = append(s.names, name)
		}
	}
	if len(s.names) > linearVars {
		s.index = make(map[string]int, len(s.names))
		for i := len(s.names) - 1; i >= 0; i-- {
			s.index[s.names[i]] = i
		}
	}
	return s
}

// assignedIn are the variables that statements assign, in the order of the text, without those of lambdas and
// definitions in it, which have their own.
func assignedIn(stmts []syntax.Expr) (names []string) {
	var target func(syntax.Expr)
	target = func(e syntax.Expr) {
		switch e := e.(type) {
		case *syntax.Var:
			names = append(names, e.Name)
		case *syntax.List:
			for _, x := range e.Elems {
				target(x)
			}
		}
	}
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Lambda, syntax.Definition:
				return false
			case *syntax.Assign:
				target(n.Left)
			}
			return true
		})
	}
	return names
}

// shapeOf is the shape of a definition.
func (c *Cache) shapeOf(d syntax.Definition, params []*syntax.Param, body []syntax.Expr) *shape {
	return remember(c, c.shapes, d, func() (*shape, bool) {
		s := newShape(params, body)
		s.said = newHearsay(d)
		if class, ok := d.(*syntax.Class); ok {
			s.title = capitalized(strings.ToLower(class.Name))
			for _, p := range params {
				s.keys = append(s.keys, strings.ToLower(class.Name)+"::"+p.Name)
			}
		}
		return s, true
	})
}

// find is the place of the variable of that name, or -1.
func (s *shape) find(name string) int {
	if s.index != nil {
		if i, ok := s.index[name]; ok {
			return i
		}
		return -1
	}
	for i, n := range s.names {
		if n == name {
			return i
		}
	}
	return -1
}

// A variable is a slot: a value and where it comes from.
type variable struct {
	name  string
	value value.Value // nil: a parameter that has no value yet
	ref   provenance.Ref
	asks  int32 // what reading it asks for (trace.Log.Later), 0 for nothing
}

// A ghost is the mark that a branch which was not taken leaves on the variables that it would have set.
type ghost struct {
	names []string
	bits  nameBits
	why   provenance.Ref
}

// nameBits tell that a name is not among others: each name sets one of the bits.
type nameBits uint64

func bitOf(name string) nameBits {
	if name == "" {
		return 1
	}
	return 1 << ((len(name) + 7*int(name[0]) + 13*int(name[len(name)-1]) + 29*int(name[len(name)/2])) % 64)
}

func bitsOf(names []string) (bits nameBits) {
	for _, n := range names {
		bits |= bitOf(n)
	}
	return bits
}

// ghostsOf joins the ghosts of a variable.
func (f *frame) ghostsOf(t *provenance.Trace, name string) (r provenance.Ref) {
	bit := bitOf(name)
	if f.haunted&bit == 0 {
		return 0
	}
	var last provenance.Ref
	for i := range f.ghosts {
		if g := &f.ghosts[i]; g.bits&bit != 0 && g.why != last && slices.Contains(g.names, name) {
			r, last = t.Join(r, g.why), g.why
		}
	}
	return r
}

const linearVars = 12

// find is the variable of a name in one table.
func (f *frame) find(name string) *variable {
	v := f.slot(name)
	if f.base != nil {
		return f.inBase(name, v)
	}
	return v
}

func (f *frame) slot(name string) *variable {
	rest := f.vars
	if f.shape != nil {
		if i := f.shape.find(name); i >= 0 {
			if i >= f.shape.params && (f.kind == paramFrame || f.vars[int(f.at)+i].value == nil) {
				return nil // not assigned yet
			}
			return &f.vars[int(f.at)+i]
		}
		rest = f.vars[int(f.at)+f.shaped():]
	}
	if f.index != nil {
		if i, ok := f.index[name]; ok {
			return &f.vars[i]
		}
	} else {
		for i := range rest {
			if rest[i].name == name {
				return &rest[i]
			}
		}
		if f.shape != nil {
			for i := range f.vars[:f.at] {
				if f.vars[i].name == name {
					return &f.vars[i]
				}
			}
		}
	}
	return nil
}

// shaped is how many variables have their places by the shape.
func (f *frame) shaped() int {
	switch {
	case f.shape == nil:
		return 0
	case f.kind == paramFrame:
		return f.shape.params
	}
	return len(f.shape.names)
}

func (f *frame) add(name string, v value.Value, r provenance.Ref) {
	if f.shape != nil && f.kind != paramFrame {
		if i := f.shape.find(name); i >= 0 {
			f.vars[int(f.at)+i] = variable{name: name, value: v, ref: r}
			return
		}
	}
	shaped := f.shaped()
	if f.index != nil {
		f.index[name] = len(f.vars)
	} else if len(f.vars)-shaped == linearVars {
		f.index = make(map[string]int, 2*linearVars)
		for i := range f.vars {
			if i < int(f.at) || i >= int(f.at)+shaped {
				f.index[f.vars[i].name] = i
			}
		}
		f.index[name] = len(f.vars)
	}
	f.vars = append(f.vars, variable{name: name, value: v, ref: r})
}

func (ev *Evaluator) newScope(parent *Scope, source *Definition, res *Resource) *Scope {
	sc := ev.rooms.scopes.one()
	sc.ev, sc.parent, sc.source, sc.resource = ev, parent, source, res
	sc.frame, sc.own = &sc.first, &sc.first
	if ev.trace != nil { // code that is passed over keeps the scope that it would have run in
		ev.budget.Keep(scopeBytes, calling)
	}
	return sc
}

func (sc *Scope) isTop() bool  { return sc == sc.ev.top }
func (sc *Scope) isNode() bool { return sc.resource != nil && sc.resource.Type == "Node" }

// enclosing is the nearest node or top scope around.
func (sc *Scope) enclosing() *Scope {
	for p := sc.parent; p != nil; p = p.parent {
		if p.isTop() || p.isNode() {
			return p
		}
	}
	return nil
}

// visible is the innermost frame of a scope that is seen from another.
func (sc *Scope) visible(from *Scope) *frame {
	if from.function && sc != from {
		return sc.own
	}
	return sc.frame
}

func (sc *Scope) next() *Scope {
	if sc.inherits != nil {
		return sc.inherits
	}
	return sc.enclosing()
}

// Module is the name of the module whose code declared this scope, "" for none.
func (sc *Scope) Module() string {
	if sc.source == nil {
		return ""
	}
	return sc.source.Module
}

// Resource is the class, node or define instance that the scope belongs to.
func (sc *Scope) Resource() *Resource { return sc.resource }

func (sc *Scope) addGhost(names []string, bits nameBits, why provenance.Ref) {
	f := sc.frame
	for f.kind == matchFrame {
		f = f.outer
	}
	f.ghosts = append(f.ghosts, ghost{names, bits, why})
	f.haunted |= bits
}

// Variable looks a variable up by its name, qualified or not. The ref joins the ghosts passed on the way (rule 4);
// found is false when there is no such variable.
func (sc *Scope) Variable(name string) (v value.Value, r provenance.Ref, found bool) {
	if strings.Contains(name, "::") {
		v, r, found, _ = sc.ev.qualified(sc, strings.TrimPrefix(name, "::"))
		return v, r, found
	}
	return sc.unqualified(name)
}

// Exists answers defined('$name'), by rules of its own: $::x is one of the top scope, and $class::x is whatever $x is
// within that class, once it is evaluated, be it a fact. The two names that every scope answers always exist.
func (sc *Scope) Exists(name string) (r provenance.Ref, found bool) {
	i := strings.LastIndex(name, "::")
	if i < 0 {
		_, r, found = sc.visibleVariable(name, unsetIsUndef)
		return r, found || builtinVariable(name)
	}
	class, leaf := strings.TrimPrefix(name[:i], "::"), name[i+2:]
	s, _ := sc.ev.classScope(class)
	if class == "" || class == "settings" || s == nil && sc.ev.ofAbsent(class) != nil {
		_, r, found, _ = sc.ev.qualified(sc, strings.TrimPrefix(name, "::"))
		return r, found || class == "" && builtinVariable(leaf)
	}
	var there provenance.Ref
	if sc.ev.trace != nil {
		there = sc.ev.readable(sc, s, class)
	}
	if s == nil {
		return there, false
	}
	_, r, found = s.visibleVariable(leaf, unsetIsUndef)
	return sc.ev.trace.Join(r, there), found || builtinVariable(leaf)
}

// WhyUnknown says why a variable of a class that is not known is not, as Puppet does after its name; "" for others.
func (sc *Scope) WhyUnknown(name string) string {
	if !strings.Contains(name, "::") {
		return ""
	}
	_, _, _, why := sc.ev.qualified(sc, strings.TrimPrefix(name, "::"))
	return why
}

// Missing is what is missing where a variable is (WhyUnknown).
func (sc *Scope) Missing(name string) []source.Subject {
	return sc.ev.missingVariable(name, sc.WhyUnknown(name))
}

func (sc *Scope) unqualified(name string) (value.Value, provenance.Ref, bool) {
	return sc.visibleVariable(name, unsetFails)
}

// Peek is a variable as Variables lists it: parameters that have no value yet are not there.
func (sc *Scope) Peek(name string) (value.Value, provenance.Ref, bool) {
	return sc.visibleVariable(name, unsetIsPassed)
}

// What is made of a parameter that has no value yet, as those that come after the one whose default is evaluated.
type unset uint8

const (
	unsetFails    unset = iota // who wants its value cannot go on
	unsetIsPassed              // it is not there; that of a scope farther out is
	unsetIsUndef               // it is there, without a value
)

func (sc *Scope) visibleVariable(name string, ifUnset unset) (value.Value, provenance.Ref, bool) {
	numeric := isNumericName(name)
	var passed provenance.Ref
	tr := sc.ev.trace
	for s := sc; s != nil; s = s.next() {
		for f := s.visible(sc); f != nil; f = f.outer {
			if f.kind == matchFrame {
				if numeric && f.match != nil && f.match.groups == nil { // a match that failed
					passed = tr.Join(passed, f.match.ref)
				} else if numeric && f.match != nil {
					v, r := f.match.group(name)
					if tr != nil {
						r = tr.With(tr.Op("$"+name, r), passed)
					}
					return v, r, true
				}
				continue
			}
			v := f.find(name)
			if len(f.ghosts) > 0 {
				passed = tr.Join(passed, f.ghostsOf(tr, name))
			}
			if v == nil || v.value == nil && ifUnset == unsetIsPassed {
				continue
			}
			if v.value == nil && ifUnset == unsetIsUndef {
				return value.Undef{}, tr.With(v.ref, passed), true
			}
			if v.value == nil {
				sc.ev.unread = &unevaluated{f, name}
				panic(sc.ev.unread)
			}
			if tr != nil && f == sc.ev.top.own {
				passed = tr.Join(passed, sc.ev.topBefore(name))
			}
			sc.ev.readsLiteral(v)
			val, r := f.latest(sc.ev, v)
			return val, tr.With(r, passed), true
		}
		if tr != nil && s.inherits != nil {
			passed = tr.Join(passed, s.inherited())
		}
		if tr != nil && s.inherits == nil && !s.isTop() && !s.isNode() && sc.ev.nodeSets(name) {
			// who declared the class first decides whether the node is around it (rule 5)
			passed = tr.Join(passed, sc.ev.firstOfScope(s))
		}
	}
	return value.Undef{}, tr.Join(passed, sc.ev.topAfter(name), sc.ev.noFact(name)), false
}

// inherited is what it depends on that the class which a class inherits from has set its variables when they are read:
// it may be what led here.
func (sc *Scope) inherited() provenance.Ref {
	if why, yes := sc.inherits.before(sc); yes {
		return why
	}
	return sc.ev.firstOfScope(sc)
}

// unevaluated is raised when a parameter's default reads a parameter that has no value yet.
type unevaluated struct {
	frame *frame
	name  string
}

// HostPanic tells interpreters inside of the evaluator that the panic is not theirs.
func (*unevaluated) HostPanic() {}

func isNumericName(name string) bool {
	if name == "" {
		return false
	}
	for i := 0; i < len(name); i++ {
		if name[i] < '0' || name[i] > '9' {
			return false
		}
	}
	return true
}

func (m *match) group(name string) (value.Value, provenance.Ref) {
	n := 0
	for i := 0; i < len(name) && n < 1000; i++ {
		n = 10*n + int(name[i]-'0')
	}
	if n < len(m.groups) && m.matched[n] {
		return value.String(m.groups[n]), m.ref
	}
	return value.Undef{}, m.ref
}

// qualified looks up class::variable, with the reason when it is not found. A fact or a parameter of the classifier may
// be called class::variable as a whole. Puppet keeps it in the same table as the variables of classes: the class's own
// comes first, if there is one by now, then that, then what the class inherits.
func (ev *Evaluator) qualified(sc *Scope, name string) (value.Value, provenance.Ref, bool, string) {
	i := strings.LastIndex(name, "::")
	if i < 0 {
		if v := ev.top.own.find(name); v != nil && v.value != nil {
			ev.readsLiteral(v)
			val, r := ev.top.own.latest(ev, v)
			return val, ev.trace.With(r, ev.top.own.ghostsOf(ev.trace, name), ev.topBefore(name)), true, ""
		}
		return value.Undef{}, ev.trace.Join(ev.top.own.ghostsOf(ev.trace, name), ev.topAfter(name), ev.noFact(name)), false,
			""
	}
	class, leaf := name[:i], name[i+2:]
	if class == "settings" {
		if v, ok := ev.setting(leaf); ok {
			return v, 0, true, ""
		}
	}
	s, why := ev.classScope(class)
	var first provenance.Ref
	if ev.trace != nil {
		first = ev.readable(sc, s, class)
	}
	var passed provenance.Ref
	for {
		if s != nil {
			if v := s.frame.findOuter(leaf); v != nil && v.value != nil {
				ev.readsLiteral(v)
				val, r := s.own.latest(ev, v)
				return val, ev.trace.With(r, passed, s.own.ghostsOf(ev.trace, leaf), first), true, ""
			}
			passed = ev.trace.Join(passed, s.own.ghostsOf(ev.trace, leaf))
		}
		if v := ev.top.own.find(name); v != nil && v.value != nil {
			val, r := ev.top.own.latest(ev, v)
			return val, ev.trace.With(r, passed, first), true, ""
		}
		passed = ev.trace.Join(passed, ev.noFact(name))
		if s == nil || s.inherits == nil {
			break
		}
		s = s.inherits
		name = s.source.Name + "::" + leaf
	}
	if o := ev.ofAbsent(class); o != nil {
		return o, ev.trace.Join(passed, first), true, ""
	}
	return value.Undef{}, ev.trace.Join(passed, first), false, why
}

// readable is what it depends on that a class's variables are there, or not, when code reads them.
func (ev *Evaluator) readable(sc, s *Scope, class string) provenance.Ref {
	if s != nil && s.resource != nil {
		if ev.phase == phaseFinish {
			return s.resource.existence
		}
		if why, always := sc.ensures(s); always {
			return why
		}
	}
	return ev.trace.Join(ev.firstOf(class), ev.moment())
}

// ensure notes classes that code includes under no decision of its own, and what names them.
func (sc *Scope) ensure(names []string, ctl, named provenance.Ref) {
	if sc.ev.trace == nil || sc.resource == nil || ctl != sc.ctl {
		return
	}
	if sc.ensured == nil {
		sc.ensured = map[string]provenance.Ref{}
	}
	for _, n := range names {
		if n = canonical(n); sc.ensured[n] == 0 {
			sc.ensured[n] = sc.ev.trace.With(sc.resource.existence, named)
		}
	}
}

// ensures reports whether a class is evaluated whenever this code is, and on what that depends: the class is the same,
// or one that it inherits from or has included. The code of a define runs after that of whatever declares it, and never
// in the middle of a class; that of a class may, so there the other class must have done nothing that could have led
// here.
func (sc *Scope) ensures(other *Scope) (why provenance.Ref, yes bool) {
	lazy := false
	for sc != nil {
		for s := sc; s != nil; s = s.inherits {
			ref, included := provenance.Ref(0), false
			if other.source != nil {
				ref, included = s.ensured[other.source.Name]
			}
			switch {
			case s == other && s == sc && !lazy && s.inherits != nil:
				return sc.ev.trace.Join(other.resource.existence, s.inherited()), true
			case s == other && s == sc && !lazy:
				return other.resource.existence, true
			case s == other && lazy:
				return other.resource.existence, true
			case included && lazy:
				return ref, true
			case s == other || included:
				if s == other {
					ref = other.resource.existence
				}
				during, settled := other.before(sc)
				return sc.ev.trace.Join(ref, during), settled
			}
		}
		if sc.source == nil || sc.source.Kind != DefineKind {
			break
		}
		sc, lazy = sc.parent, true
	}
	return 0, false
}

// before reports whether the code of a class, and of those that it inherits from, has been evaluated before other code,
// whoever came first: they are done, and nothing that they named leads there. It depends on what they named, and on the
// decisions that may have named more.
func (sc *Scope) before(other *Scope) (why provenance.Ref, yes bool) {
	for s := sc; s != nil; s = s.inherits {
		if !s.done || sc.ev.leadsTo(s.source, other.source) {
			return 0, false
		}
		why = sc.ev.trace.Join(why, s.during)
	}
	return why, true
}

// lead notes that the code which runs now names classes.
func (ev *Evaluator) lead(names ...string) {
	if r := ev.running(); r != nil && r.def != nil && r.def.Kind != DefineKind {
		if ev.table.leads == nil {
			ev.table.leads = map[string][]string{}
		}
		for _, n := range names {
			if n = canonical(n); !slices.Contains(ev.table.leads[r.def.Name], n) {
				ev.table.leads[r.def.Name] = append(ev.table.leads[r.def.Name], n)
			}
		}
	}
}

// leadsTo reports whether the code of a class names another, or some that do.
func (ev *Evaluator) leadsTo(from, to *Definition) bool {
	if from == nil || to == nil {
		return false
	}
	if len(ev.table.leads[from.Name]) == 0 {
		return false
	}
	seen := map[string]bool{from.Name: true}
	for todo := []string{from.Name}; len(todo) > 0; {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, n := range ev.table.leads[name] {
			if n == to.Name {
				return true
			}
			if !seen[n] {
				seen[n] = true
				todo = append(todo, n)
			}
		}
	}
	return false
}

// findOuter looks through all frames of one scope.
func (f *frame) findOuter(name string) *variable {
	for ; f != nil; f = f.outer {
		if v := f.find(name); v != nil {
			return v
		}
	}
	return nil
}

// classScope is the scope of an evaluated class, or the reason why there is none.
func (ev *Evaluator) classScope(name string) (*Scope, string) {
	if s := ev.table.scopes[name]; s != nil {
		return s, ""
	}
	if s := ev.table.scopes[strings.ToLower(name)]; s != nil {
		return s, ""
	}
	if ev.findClass(name) == nil {
		return nil, "class " + name + " could not be found"
	}
	return nil, "class " + name + " has not been evaluated"
}

// bound reports whether the innermost table of variables has the name already.
func (sc *Scope) bound(name string) bool {
	f := sc.frame
	for f.kind == matchFrame {
		f = f.outer
	}
	return f.find(name) != nil
}

// unsettled reports whether a variable is bound only if a decision went so that is not known.
func (sc *Scope) unsettled(name string) bool {
	f := sc.frame
	for f.kind == matchFrame {
		f = f.outer
	}
	v := f.find(name)
	return v != nil && v.value != nil && opaque(v.value) != nil
}

// Set gives a variable of the innermost table its value. The caller has checked that it is free.
func (sc *Scope) Set(name string, v value.Value, r provenance.Ref) {
	f := sc.frame
	for f.kind == matchFrame {
		f = f.outer
	}
	f.add(name, v, r)
	if sc.ev.trace != nil && f == sc.ev.top.own {
		sc.ev.topSet(name)
	}
}

// readsLiteral notes that a variable is read: what it was given counts now.
func (ev *Evaluator) readsLiteral(v *variable) {
	if v.asks != 0 {
		ev.log.Read(v.asks)
	}
}

// mark remembers the frames so that a block can be left (with_guarded_scope in Puppet).
func (sc *Scope) mark() *frame     { return sc.frame }
func (sc *Scope) restore(f *frame) { sc.frame = f }
func (sc *Scope) pushFrame(k frameKind) *frame {
	f := sc.ev.rooms.frames.one()
	f.outer, f.kind = sc.frame, k
	sc.frame = f
	return f
}

// setMatch makes the groups of a match readable as $0, $1, …
func (sc *Scope) setMatch(groups []string, matched []bool, r provenance.Ref) {
	sc.pushFrame(matchFrame).match = &match{groups, matched, r}
}

// builtinVariable names are never undefined, only undef.
func builtinVariable(name string) bool {
	return name == "module_name" || name == "caller_module_name"
}

// readVariable evaluates $name.
func (ev *Evaluator) readVariable(e *syntax.Var, sc *Scope) (value.Value, provenance.Ref) {
	return ev.readNamed(e.Name, e.Where, sc)
}

func (ev *Evaluator) readNamed(name string, at source.Span, sc *Scope) (value.Value, provenance.Ref) {
	var v value.Value
	var r provenance.Ref
	var found bool
	why := ""
	if strings.Contains(name, "::") {
		v, r, found, why = ev.qualified(sc, strings.TrimPrefix(name, "::"))
	} else {
		v, r, found = sc.unqualified(name)
	}
	if found {
		return v, r
	}
	if builtinVariable(name) || isNumericName(name) {
		return value.Undef{}, r
	}
	if o := sc.inheritsAbsent(); o != nil && !strings.Contains(name, "::") {
		return o, r
	}
	if o := ev.ofMachine(name); o != nil {
		return o, r
	}
	ev.unknownVariable(name, at, why, sc, r)
	return value.Undef{}, r
}

// missingVariable is what is missing where a variable is: it, or the class whose it would be, for which there is a
// reason.
func (ev *Evaluator) missingVariable(name, why string) []source.Subject {
	out := about(source.MissingVariable, name)
	if i := strings.LastIndex(name, "::"); i > 0 && why != "" {
		of := strings.TrimPrefix(name[:i], "::")
		if out[0].Of = of; ev.findClass(of) == nil {
			return about(source.MissingClass, of)
		}
	}
	return out
}

func (ev *Evaluator) unknownVariable(name string, at source.Span, why string, sc *Scope, r provenance.Ref) {
	summary := "Unknown variable: '" + name + "'."
	if !ev.set.StrictVariables && ev.set.Strict != source.StrictError {
		if ev.set.Strict == source.StrictWarning {
			ev.warn("E0301", at, summary)
		}
		return
	}
	d := &source.Diagnostic{Code: "E0301", Summary: "Evaluation Error: " + summary, Place: ev.place(at),
		About: ev.missingVariable(name, why), Detail: why}
	if near := source.Nearest(name, sc.names()); near != "" {
		d.Help = "did you mean $" + near + "?"
	} else {
		d.Help = "set it before it is read; Puppet 7 takes it as undef (--language 7)"
	}
	ev.failRef(d, r)
}

// Ghosts joins the branches not taken that would have set a variable which can be read here.
func (sc *Scope) Ghosts() provenance.Ref {
	if sc.ev.trace == nil {
		return 0
	}
	var refs []provenance.Ref
	for s := sc; s != nil; s = s.next() {
		for f := s.visible(sc); f != nil; f = f.outer {
			for _, g := range f.ghosts {
				refs = append(refs, g.why)
			}
		}
	}
	return sc.ev.union(refs)
}

// names lists the variables that can be read here, for suggestions.
func (sc *Scope) names() []string {
	var out []string
	for s := sc; s != nil; s = s.next() {
		for f := s.visible(sc); f != nil; f = f.outer {
			for _, v := range f.vars {
				if v.name != "" {
					out = append(out, v.name)
				}
			}
			if f.base != nil {
				for _, e := range f.base.Entries() {
					out = append(out, value.ToString(e.Key))
				}
			}
		}
	}
	return out
}

// Variables calls f for every variable that can be read in this scope without qualification, the nearest of a name
// only. Templates see them as @name.
func (sc *Scope) Variables(f func(name string, v value.Value, r provenance.Ref)) {
	sc.askAll()
	seen := map[string]bool{}
	for s := sc; s != nil; s = s.next() {
		for fr := s.visible(sc); fr != nil; fr = fr.outer {
			for i := len(fr.vars) - 1; i >= 0; i-- {
				if v := fr.vars[i]; v.value != nil && !seen[v.name] {
					seen[v.name] = true
					sc.ev.readsLiteral(&v)
					val, r := sc.ev.latest(v.value, v.ref)
					f(v.name, val, r)
				}
			}
			if fr.base == nil {
				continue
			}
			for _, e := range fr.base.Entries() {
				if name := value.ToString(e.Key); !seen[name] {
					seen[name] = true
					f(name, e.Value, e.Ref)
				}
			}
		}
	}
}
