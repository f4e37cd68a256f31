package eval

import (
	"slices"
	"strings"

	"bunraku/catalog"
	"bunraku/provenance"
	"bunraku/source"
	"bunraku/syntax"
	"bunraku/value"
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

// A Passed is a branch that was not taken and would have led to a declaration.
type Passed struct {
	Branch source.Place // its first statement
	In     string       // the class, define or node it stands in, "" at top level
	Why    provenance.Ref
	Hops   []Hop // from the branch to the declaration, which is the last
	Sure   bool  // false when a name on the way is computed
}

// A Hop is one statement on the way from a branch to a declaration.
type Hop struct {
	Text  string // include profile::nginx, Service[nginx]
	Place source.Place
}

// PassedOver lists the branches that were not taken and would have declared a resource, those that certainly would first.
func (res *Result) PassedOver(typ, title string) (out []Passed) {
	if res.ev == nil {
		return nil
	}
	ev := res.ev
	name := catalog.Name{Type: capitalized(typ), Title: title}
	if name.Type == "Class" {
		name.Title = canonical(title)
	}
	for i := range ev.ghosts.passed {
		p := &ev.ghosts.passed[i]
		s := &seeker{ev: ev, want: name, seen: map[*Definition]bool{}}
		hops, sure := s.seek(p.stmts, p.file)
		if hops == nil {
			continue
		}
		found := Passed{Branch: source.Place{File: p.file.Source, Span: p.stmts[0].Span()}, Why: p.why, Hops: hops, Sure: sure}
		if p.scope != nil && p.scope.resource != nil && !p.scope.resource.main {
			found.In = stackText(p.scope.resource)
		}
		out = append(out, found)
	}
	slices.SortStableFunc(out, func(a, b Passed) int {
		switch {
		case a.Sure && !b.Sure:
			return -1
		case b.Sure && !a.Sure:
			return 1
		}
		return 0
	})
	return out
}

// A seeker looks through code, and the classes and defines that it declares, for the statement that declares a resource.
type seeker struct {
	ev   *Evaluator
	want catalog.Name
	seen map[*Definition]bool
}

// seek finds the way to a declaration. One whose names are all written out is better than one that is computed.
func (s *seeker) seek(stmts []syntax.Expr, f *syntax.File) (best []Hop, sure bool) {
	found := func(hops []Hop, certain bool) {
		if best == nil || certain && !sure {
			best, sure = hops, certain
		}
	}
	follow := func(d *Definition, hop Hop) {
		if d == nil || s.seen[d] || sure {
			return
		}
		s.seen[d] = true
		if d.Parent != "" {
			if hops, certain := s.seekClass(d.Parent, Hop{"inherits " + canonical(d.Parent), d.place()}); hops != nil {
				found(append([]Hop{hop}, hops...), certain)
			}
		}
		if hops, certain := s.seek(d.Body, d.File); hops != nil {
			found(append([]Hop{hop}, hops...), certain)
		}
	}
	classes := func(verb string, e syntax.Expr, at source.Span) {
		for _, name := range staticNames(e) {
			hop := Hop{strings.TrimSpace(verb + " " + canonical(name)), source.Place{File: f.Source, Span: at}}
			if name == "" {
				if s.want.Type == "Class" {
					found([]Hop{hop}, false)
				}
				continue
			}
			if s.want.Type == "Class" && canonical(name) == s.want.Title {
				found([]Hop{hop}, true)
				continue
			}
			follow(s.find(name), hop)
		}
	}
	for _, stmt := range stmts {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			switch n := n.(type) {
			case syntax.Definition:
				return false
			case *syntax.Call:
				if name, ok := n.Functor.(*syntax.Name); ok {
					switch name.Value {
					case "include", "contain", "require":
						for _, a := range n.Args {
							classes(name.Value, a, n.Where)
						}
					case "create_resources", "ensure_resource", "ensure_resources", "ensure_packages":
						found([]Hop{{name.Value + "(…)", source.Place{File: f.Source, Span: n.Where}}}, false)
					}
				}
			case *syntax.MethodCall:
				switch verb := n.Functor.Name.Value; verb {
				case "include", "contain", "require":
					classes(verb, n.Functor.Left, n.Where)
				}
			case *syntax.Resource:
				s.resource(n, f, found, follow, classes)
			}
			return true
		})
	}
	return best, sure
}

func (s *seeker) resource(n *syntax.Resource, f *syntax.File, found func([]Hop, bool), follow func(*Definition, Hop), classes func(string, syntax.Expr, source.Span)) {
	name, ok := n.Type.(*syntax.Name)
	if !ok {
		return
	}
	typ := capitalized(strings.TrimPrefix(name.Value, "::"))
	for _, b := range n.Bodies {
		at := source.Place{File: f.Source, Span: b.Where}
		if typ == "Class" {
			classes("class", b.Title, b.Where)
			continue
		}
		for _, title := range staticNames(b.Title) {
			shown := title
			if title == "" {
				shown = f.Source.Slice(b.Title.Span())
			}
			hop := Hop{typ + "[" + shown + "]", at}
			if typ == s.want.Type && (title == "" || title == s.want.Title) {
				found([]Hop{hop}, title != "")
				continue
			}
			if s.ev.world.ResourceType(strings.ToLower(typ)) == nil {
				follow(s.define(name.Value), hop)
			}
		}
	}
}

func (s *seeker) seekClass(name string, hop Hop) ([]Hop, bool) {
	d := s.find(name)
	if s.want.Type == "Class" && canonical(name) == s.want.Title {
		return []Hop{hop}, true
	}
	if d == nil || s.seen[d] {
		return nil, false
	}
	s.seen[d] = true
	hops, sure := s.seek(d.Body, d.File)
	if hops == nil {
		return nil, false
	}
	return append([]Hop{hop}, hops...), sure
}

// find is a class by name; a file that cannot be parsed is none.
func (s *seeker) find(name string) *Definition { return s.quietly(s.ev.findClass, canonical(name)) }

func (s *seeker) define(name string) *Definition { return s.quietly(s.ev.findDefine, name) }

func (s *seeker) quietly(find func(string) *Definition, name string) (d *Definition) {
	defer func() {
		if p := recover(); p != nil {
			if _, ours := p.(*failure); !ours {
				panic(p)
			}
		}
	}()
	return find(name)
}
