package eval

import (
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A compile logs what it asks of the world (package trace). Most questions go through World, which logs them itself.
// This file has the others: the node's facts, which are variables of the top scope, and what another compile asked when
// it made something that this one finds in the Cache. Which code runs is logged where it runs (block, run, defaultOf,
// selector, binary).

// A cursor follows the way from a variable with facts to what is read of them, so that $facts['os']['family'] asks for
// one fact. A value that is used in any other way than by a further step was asked for as a whole.
type cursor struct {
	under bool            // a step follows on the variable or access that is evaluated next
	path  string          // where in the facts the value lies that was evaluated last; "" for elsewhere
	few   []string        // ways that were asked for,
	asked map[string]bool // and further ones
	names []factName      // of facts that were read as variables
	done  []*value.Value  // steps of VariableAt that were asked for
}

// A factName is a fact that is a variable, and the way to it.
type factName struct{ name, path string }

// wayTo is the way to a fact that is a variable.
func (c *cursor) wayTo(name string) string {
	for i := range c.names {
		if c.names[i].name == name {
			return c.names[i].path
		}
	}
	path := factPath("facts", name)
	if len(c.names) < fewFacts {
		c.names = append(c.names, factName{name, path})
	}
	return path
}

// again reports whether a way was asked for before.
func (c *cursor) again(path string) bool {
	if slices.Contains(c.few, path) || c.asked[path] {
		return true
	}
	if len(c.few) < fewFacts {
		c.few = append(c.few, path)
		return false
	}
	if c.asked == nil {
		c.asked = map[string]bool{}
	}
	c.asked[path] = true
	return false
}

const fewFacts = 24 // as many as most compiles read

// take is where the value lies that was evaluated last.
func (c *cursor) take() string {
	path := c.path
	c.path, c.under = "", false
	return path
}

// factPath is the way to a part of the facts as questions name it.
func factPath(steps ...string) string { return strings.Join(steps, "\x00") + "\x00" }

// ask asks for what lies at a way, unless a further step does.
func (ev *Evaluator) askFact(path string, under bool) {
	if under {
		ev.cursor.path = path
		return
	}
	if !ev.log.Active() || ev.cursor.again(path) && !ev.log.Framed() {
		return
	}
	ev.log.Ask(trace.Question{Kind: trace.Fact, Of: path})
}

// inBase finds a variable of the top scope, of which v is the one that is no fact, and asks for the fact.
func (f *frame) inBase(name string, v *variable) *variable {
	ev := f.base.ev
	if ev != nil && !ev.log.Active() {
		ev = nil
	}
	switch {
	case v == nil || ev == nil || f != ev.top.own:
	case name == "facts" || name == "trusted":
		under := ev.cursor.under
		ev.cursor.under = false
		ev.askFact(name+"\x00", under)
	case name == "module_name" || name == "caller_module_name" || name == "title" || name == "name":
		ev.askFact(factPath("facts", name), false) // a fact would have come first
	}
	if v != nil {
		return v
	}
	if ev != nil {
		under := ev.cursor.under
		ev.cursor.under = false
		ev.askFact(ev.cursor.wayTo(name), under)
	}
	e := f.base.EntryString(name)
	if e == nil {
		return nil
	}
	f.base.found = variable{name: name, value: e.Value, ref: e.Ref}
	return &f.base.found
}

// askAll asks for everything that is known of the node: somebody goes through all variables.
func (sc *Scope) askAll() {
	if ev := sc.ev; ev.log != nil {
		ev.askFact(factPath("facts"), false)
		ev.askFact(factPath("trusted"), false)
	}
}

// left evaluates the left side of an access, and tells where in the facts it lies.
func (ev *Evaluator) left(e *syntax.Access, sc *Scope) (left value.Value, lr provenance.Ref, path string, under bool) {
	if ev.log == nil {
		left, lr = ev.eval(e.Left, sc)
		return left, lr, "", false
	}
	under = ev.cursor.under
	switch e.Left.(type) {
	case *syntax.Var, *syntax.Access:
		ev.cursor.under, ev.cursor.path = true, ""
	default:
		ev.cursor.take()
	}
	left, lr = ev.eval(e.Left, sc)
	switch e.Left.(type) {
	case *syntax.Var, *syntax.Access:
		path = ev.cursor.take()
	default:
		ev.cursor.take()
	}
	return left, lr, path, under
}

// accessFact is an access to something that lies in the facts.
func (ev *Evaluator) accessFact(e *syntax.Access, left value.Value, lr provenance.Ref, path string, under bool,
	sc *Scope) (value.Value, provenance.Ref) {
	var keys []value.Value
	var refs []provenance.Ref
	for _, k := range e.Keys {
		v, r := ev.eval(k, sc)
		keys = append(keys, v)
		if ev.trace != nil {
			refs = append(refs, ev.deep(v, r))
		}
	}
	ev.cursor.take()
	_, hash := left.(*value.Hash)
	if len(keys) == 1 && hash {
		if key, is := keys[0].(value.String); is {
			ev.askFact(path+string(key)+"\x00", under)
			return ev.accessAll(e, left, lr, keys, refs, sc)
		}
	}
	ev.askFact(path, false)
	return ev.accessAll(e, left, lr, keys, refs, sc)
}

// VariableAt reads a variable of which only what lies at the end of some steps is used.
func (sc *Scope) VariableAt(name string, steps []value.Value) (value.Value, provenance.Ref, bool) {
	return sc.readAt(name, steps, sc.Variable)
}

// PeekAt is VariableAt for somebody who passes over parameters that have no value yet.
func (sc *Scope) PeekAt(name string, steps []value.Value) (value.Value, provenance.Ref, bool) {
	return sc.readAt(name, steps, sc.Peek)
}

func (sc *Scope) readAt(name string, steps []value.Value, read func(string) (value.Value, provenance.Ref,
	bool)) (value.Value, provenance.Ref, bool) {
	ev := sc.ev
	if len(steps) == 0 || !ev.log.Active() {
		return read(name)
	}
	ev.cursor.under, ev.cursor.path = true, ""
	v, r, found := read(name)
	path := ev.cursor.take()
	if path == "" || slices.Contains(ev.cursor.done, &steps[0]) && !ev.log.Framed() {
		return v, r, found
	}
	if len(ev.cursor.done) < fewFacts {
		ev.cursor.done = append(ev.cursor.done, &steps[0])
	}
	in := v
	for _, s := range steps {
		h, hash := in.(*value.Hash)
		key, text := s.(value.String)
		if !hash || !text {
			break
		}
		path += string(key) + "\x00"
		in, _ = h.GetString(string(key))
	}
	ev.askFact(path, false)
	return v, r, found
}

// asksDefault asks for what a call of lookup falls back on, unless the function says that it was not needed. What it
// returns is to be called when the call is over, however that ends.
func (ev *Evaluator) asksDefault(e syntax.Expr) func() {
	call, is := e.(*syntax.Call)
	if !is {
		return func() {}
	}
	at := trace.DefaultOf(call)
	if at == nil {
		return func() {}
	}
	ev.idleDefault = false
	file := ev.file
	return func() {
		if !ev.idleDefault || ev.functions["lookup"] != nil { // the manifest may hide the function
			ev.log.Run(at, file)
		}
		ev.idleDefault = false
	}
}

// IdleDefault says whether the function lookup has come to its value without what the call gave to fall back on.
func (ev *Evaluator) IdleDefault(idle bool) { ev.idleDefault = idle }

// Log is where the questions of this compile are collected, nil for nowhere.
func (ev *Evaluator) Log() *trace.Log { return ev.log }

// ReadClock notes that the time of day was looked at: what comes of it is never the same again.
func (ev *Evaluator) ReadClock() { ev.log.Ask(trace.Question{Kind: trace.Clock}) }

// askCandidates asks once more for the files that may define a class or define, for somebody who wants to know every
// question.
func (ev *Evaluator) askCandidates(name string, found bool) {
	if !ev.log.Framed() || name == "" {
		return
	}
	segments := strings.Split(name, "::")
	for n := len(segments); n >= 1; n-- {
		for _, rest := range []string{"", strings.Join(segments[1:n], "::")} {
			if f, _ := ev.world.Manifest(segments[0], rest); f != nil && found && defines(f, name) {
				return
			}
		}
	}
}

// defines reports whether a file has a class or define of a name.
func defines(f *syntax.File, name string) bool {
	for _, d := range f.Defs {
		if n := trace.NameOf(d); n == "class "+name || n == "define "+name {
			return true
		}
	}
	return false
}

// NodeNamed reports whether a node statement of the main manifests has a name.
func NodeNamed(main []*syntax.File, name string) bool {
	for _, f := range main {
		for _, d := range f.Defs {
			if n, is := d.(*syntax.NodeDef); is &&
				slices.ContainsFunc(n.Hosts, func(h syntax.Expr) bool { return hostName(h) == name }) {
				return true
			}
		}
	}
	return false
}

// hostName is what a node statement says, in lower case; "" for a pattern.
func hostName(h syntax.Expr) string {
	switch h := h.(type) {
	case *syntax.Default:
		return "default"
	case *syntax.Str:
		return strings.ToLower(h.Value)
	case *syntax.Heredoc:
		if s, ok := h.X.(*syntax.Str); ok {
			return strings.ToLower(s.Value)
		}
	}
	return ""
}

// NodeStatement writes which node statement of the main manifests is a node's, as evaluateNode chooses it: its hosts
// and, of a regular expression, the groups. Names that are those of classes beside them, and what is wrong with the
// statements, count as well: both end compiles. Classes that are loaded later ask for themselves (NodeNamed).
func NodeStatement(main []*syntax.File, node string, l source.Language, t *trace.Text) {
	var patterns []string
	var chosen, fallback *syntax.NodeDef
	var match func() []string
	var plain []string
	seen := map[string]bool{}
	some := false
	node = strings.ToLower(node)
	classes := map[string]bool{"": true, "settings": true} // the main class has no name
	for _, f := range main {
		for _, d := range f.Defs {
			if c, is := d.(*syntax.Class); is {
				classes[strings.ToLower(c.Name)] = true
			}
		}
	}
	exact := false
	for _, f := range main {
		for _, d := range f.Defs {
			n, is := d.(*syntax.NodeDef)
			if !is {
				continue
			}
			some = true
			for _, h := range n.Hosts {
				name := hostName(h)
				if h, is := h.(*syntax.Regexp); is {
					name = "__node_regexp__" + regexpNodeName(h.Source, l)
					patterns = append(patterns, h.Source)
					re, err := value.NewRegexp(h.Source)
					if err != nil {
						t.String(err.Error())
						continue
					}
					found, err := re.Re.Find(node, 0)
					if err != nil {
						t.String(err.Error())
					}
					if found != nil && match == nil && !exact {
						chosen = n
						match = func() (groups []string) {
							groups = append(groups, name)
							for i := 0; i < len(found); i += 2 {
								if found[i] < 0 {
									groups = append(groups, "-")
								} else {
									groups = append(groups, "+"+node[found[i]:found[i+1]])
								}
							}
							return groups
						}
					}
				}
				if seen[name] {
					t.String("twice " + name)
				}
				seen[name] = true
				if classes[name] {
					plain = append(plain, name)
				}
				_, regexp := h.(*syntax.Regexp)
				if !regexp && name == "default" {
					fallback = n
				}
				if !regexp && name == node {
					chosen, exact = n, true
				}
			}
		}
	}
	t.Flag(some)
	for _, name := range plain {
		t.String(name)
	}
	name := node
	switch {
	case exact:
	case match != nil:
		groups := match()
		if groups[0] != strings.ToLower(groups[0]) { // Puppet 8 then looks through all patterns again (evaluateNode)
			groups = append(groups, patterns...)
		}
		for _, g := range groups {
			t.String(g)
		}
		name = ""
	case fallback != nil:
		chosen, name = fallback, "default"
	}
	if chosen != nil {
		t.String(name)
		t.String(trace.NameOf(chosen))
		t.Flag(len(chosen.Body.Stmts) > 0) // an empty one asks for no code
	}
}
