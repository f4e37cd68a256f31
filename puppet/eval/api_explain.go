package eval

import (
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What package explain's callers ask about a finished compile, beyond its catalog.

// A Stage is one container on the way to a declaration: the node, a class, an instance of a define.
type Stage struct {
	Text  string // node 'web1', role::web, Profile::Admin[ada]
	Type  string
	Title string
	Place source.Place // where it was declared; of an included class, the first call that asked for it
}

// Via is how a resource came to be declared, outermost first. It differs from containment: an included class hangs below its stage.
func (res *Result) Via(typ, title string) []Stage {
	if res.ev == nil {
		return nil
	}
	r := res.ev.find(typ, title)
	if r == nil {
		return nil
	}
	var way []Stage
	for sc := r.scope; sc != nil && sc.resource != nil && !sc.resource.main; sc = sc.resource.scope {
		c := sc.resource
		stage := Stage{stackText(c), c.Type, c.Title, c.place}
		if !c.place.Known() {
			stage.Place = c.asked
		}
		if c.Type == "Node" && c.def != nil && c.def.Node != nil {
			stage.Text, stage.Place = nodeText(c.def), c.def.place()
		}
		way = append(way, stage)
		if c.scope == sc {
			break
		}
	}
	slices.Reverse(way)
	return way
}

// Declared reports whether a compile, which may have failed, declared a resource and did not leave it virtual. It is certain when all code had been
// evaluated: what fails after that is the catalog.
func (res *Result) Declared(typ, title string) (there, certain bool) {
	if res.ev == nil {
		return false, false
	}
	r := res.ev.find(typ, title)
	return r != nil && !r.virtual, res.ev.phase == phaseFinish
}

// Asked is where the call stands that was the first to ask for a class; nowhere when it was declared otherwise.
func (res *Result) Asked(class string) source.Place {
	if res.ev == nil {
		return source.Place{}
	}
	if r := res.ev.find("Class", class); r != nil {
		return r.asked
	}
	return source.Place{}
}

// ParameterAt is where a parameter of a class or define is declared; nowhere when it has none of that name.
func (res *Result) ParameterAt(typ, title, name string) source.Place {
	if res.ev == nil {
		return source.Place{}
	}
	if r := res.ev.find(typ, title); r != nil && r.def != nil {
		if p := r.def.param(name); p != nil {
			return source.Place{File: r.def.File.Source, Span: p.Where}
		}
	}
	return source.Place{}
}

// nodeText is a node statement's head as written: node /^web/, node 'a', 'b'.
func nodeText(d *Definition) string {
	n, ok := d.Node.(*syntax.NodeDef)
	if !ok {
		return "node '" + d.Name + "'"
	}
	var hosts []string
	for _, h := range n.Hosts {
		hosts = append(hosts, d.File.Source.Slice(h.Span()))
	}
	return "node " + strings.Join(hosts, ", ")
}

// EachVariable visits the variables of the top scope, the node and every evaluated class, in the order of evaluation. Facts, settings and
// what every class has are left out.
func (res *Result) EachVariable(visit func(class, name string, v value.Value, r provenance.Ref)) {
	if res.ev == nil {
		return
	}
	seen := map[string]bool{"settings": true}
	for _, class := range append([]string{""}, res.ev.table.classes...) {
		sc := res.ev.table.scopes[class]
		if sc == nil || seen[class] {
			continue
		}
		seen[class] = true
		for _, v := range sc.own.vars {
			switch v.name {
			case "title", "name", "module_name", "caller_module_name", "facts", "trusted", "server_facts", "environment":
				continue
			}
			if v.value != nil && !(class == "" && res.ev.in.ServerFacts != nil && res.ev.in.ServerFacts.EntryString(v.name) != nil) {
				if sc.isNode() {
					visit("", v.name, v.value, v.ref)
				} else {
					visit(class, v.name, v.value, v.ref)
				}
			}
		}
	}
}

// EachBared visits the values whose Sensitive parts the program has seen in the clear, so that they may be anywhere in the catalog.
func (res *Result) EachBared(visit func(v value.Value)) {
	if res.ev == nil {
		return
	}
	for _, v := range res.ev.seen {
		visit(v)
	}
}

// ScopeOf is the scope of an evaluated class, or else the node's or the top scope: where Hiera interpolates for it.
func (res *Result) ScopeOf(class string) *Scope {
	if res.ev == nil {
		return nil
	}
	if sc := res.ev.table.scopes[class]; sc != nil {
		return sc
	}
	if res.ev.nodes != nil {
		return res.ev.nodes
	}
	return res.ev.top
}

// An Unrealized is a virtual resource that nobody realized.
type Unrealized struct {
	Type, Title string
	Place       source.Place
	Existence   provenance.Ref
}

// Unrealized lists the virtual resources that stayed behind.
func (res *Result) Unrealized() []Unrealized {
	if res.ev == nil {
		return nil
	}
	var out []Unrealized
	for _, r := range res.ev.table.list {
		if r.virtual && !r.exported {
			out = append(out, Unrealized{r.Type, r.Title, r.place, r.existence})
		}
	}
	return out
}

// A Passed is a branch that was not taken.
type Passed struct {
	Branch source.Place // its first statement
	In     string       // the class, define or node it stands in, "" at top level
	Why    provenance.Ref
}

// EachPassed visits the branches that were not taken, in the order in which evaluation came by them; one that it came by often is visited once.
func (res *Result) EachPassed(visit func(Passed)) {
	if res.ev == nil {
		return
	}
	type key struct {
		file  *source.File
		start uint32
		in    *Resource
	}
	seen := map[key]bool{}
	for i := range res.ev.ghosts.passed {
		p := &res.ev.ghosts.passed[i]
		k := key{file: p.file.Source, start: p.stmts[0].Span().Start}
		if p.scope != nil && p.scope.resource != nil && !p.scope.resource.main {
			k.in = p.scope.resource
		}
		if seen[k] {
			continue
		}
		seen[k] = true
		out := Passed{Branch: source.Place{File: p.file.Source, Span: p.stmts[0].Span()}, Why: p.why}
		if k.in != nil {
			out.In = stackText(k.in)
		}
		visit(out)
	}
}
