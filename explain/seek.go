package explain

import (
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/outline"
	"bunraku/puppet/record"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// missing collects what would have declared a resource: the virtual one that stayed behind, branches that were passed
// over, and statements in code that this node does not reach.
func (rec *Record) missing(n catalog.Name) (virtual source.Place, passed []Passed, code []Declaration) {
	for _, v := range rec.Unrealized {
		if v.Name == n {
			virtual = v.Place
		}
	}
	if rec.Code == nil {
		return virtual, nil, nil
	}
	var sure, unsure []Passed
	known := map[source.Place]*seeker{} // by branch: every instance of a define passes over the same code
	barren := map[syntax.Definition]bool{}
	for _, b := range rec.Passed {
		s := known[b.Place]
		if s == nil {
			s = &seeker{rec: rec, want: n, virtual: virtual.File != nil, seen: map[syntax.Definition]bool{}, barren: barren}
			s.code(rec.statementsAt(b.Place), b.Place.File, nil)
			if known[b.Place] = s; s.best == nil { // nor has any that it looked through
				for d := range s.seen {
					barren[d] = true
				}
			}
		}
		list := &unsure
		if s.sure {
			list = &sure
		}
		if i := slices.IndexFunc(*list, func(p Passed) bool { return p.Branch == b.Place }); i >= 0 {
			(*list)[i].Others++
		} else if s.best != nil {
			*list = append(*list, Passed{Branch: b.Place, In: b.In, Why: b.Why, Hops: s.best, Sure: s.sure,
				Ended: rec.ended(b.Place, s.best[0].Place)})
		}
	}
	if passed = sure; len(sure) == 0 {
		passed = unsure
	}
	if virtual.File != nil {
		return virtual, passed, nil
	}
	for _, d := range rec.declarations(rec.Code.Containing(n.Title, nil), n.Type, n.Title) {
		if d.Sure {
			code = append(code, d)
		}
	}
	if len(sure) == 0 && n.Type != "Class" { // a title that is computed, in code near this node's
		for _, d := range rec.declarations(rec.Code.Containing(n.Type, rec.modules()), n.Type, n.Title) {
			if !d.Sure {
				code = append(code, d)
			}
		}
	}
	return virtual, passed, code
}

// modules are those that the node has classes or defines of.
func (rec *Record) modules() map[string]bool {
	out := map[string]bool{}
	add := func(name string) {
		module, _, _ := strings.Cut(name, "::")
		out[strings.ToLower(module)] = true
	}
	for _, r := range rec.Catalog.Resources {
		if r.Type == "Class" {
			add(r.Title)
		} else if r.Kind != catalog.CompilableType {
			add(r.Type)
		}
	}
	return out
}

// statementsAt is the code that was passed over and whose first statement stands at a place: a branch, or what a jump
// (return, next, break) left of a body, from the statement on that jumped.
func (rec *Record) statementsAt(p source.Place) (out []syntax.Expr) {
	t := rec.Tree(p.File)
	if t == nil {
		return nil
	}
	look := func(b syntax.Body) {
		if i := slices.IndexFunc(b.Stmts, func(s syntax.Expr) bool { return s.Span() == p.Span }); i >= 0 && out == nil {
			out = b.Stmts[i:]
		}
	}
	look(t.Body)
	walkFile(t, func(n syntax.Node) bool {
		if out != nil || !n.Span().Contains(p.Span) {
			return false
		}
		switch n := n.(type) {
		case *syntax.If:
			look(n.Then)
			look(n.Else)
		case *syntax.Case:
			for _, o := range n.Options {
				look(o.Then)
			}
		case *syntax.Lambda:
			look(n.Body)
		case *syntax.NodeDef:
			look(n.Body)
		case *syntax.Class:
			look(n.Body)
		case *syntax.Define:
			look(n.Body)
		}
		return out == nil
	})
	return out
}

// ended reports whether the statement at a place has a jump that kept code further down from running.
func (rec *Record) ended(p, declaration source.Place) (jumps bool) {
	stmts := rec.statementsAt(p)
	if len(stmts) == 0 || p.Span.Contains(declaration.Span) {
		return false
	}
	syntax.Walk(stmts[0], func(n syntax.Node) bool {
		if call, is := n.(*syntax.Call); is {
			name, _ := call.Functor.(*syntax.Name)
			jumps = jumps || name != nil && slices.Contains([]string{"return", "next", "break"}, name.Value)
		}
		return !jumps
	})
	return jumps
}

// declaresAny reports whether code may put something into a catalog, so that it is worth remembering.
func declaresAny(stmts []syntax.Expr) (found bool) {
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n.(type) {
			case syntax.Definition:
				return false
			case *syntax.Resource, *syntax.Call, *syntax.MethodCall:
				found = true
			}
			return !found
		})
	}
	return found
}

// A seeker looks through code, and the classes and defines that it declares, for the statement that declares a
// resource.
type seeker struct {
	rec  *Record
	want catalog.Name
	// the resource is there, virtually: what is looked for is what would make it real
	virtual bool
	seen    map[syntax.Definition]bool
	// barren are classes and defines that do not lead to it, as other searches know
	barren map[syntax.Definition]bool

	best []record.Stage
	sure bool
}

// found keeps the way to a declaration. One whose names are all written out is better than one that is computed.
func (s *seeker) found(way []record.Stage, last record.Stage, certain bool) {
	if s.best == nil || certain && !s.sure {
		s.best, s.sure = append(way[:len(way):len(way)], last), certain
	}
}

// code looks through statements; way is how it came to them.
func (s *seeker) code(stmts []syntax.Expr, f *source.File, way []record.Stage) {
	for u := range outline.Uses(stmts, s.rec.Code.Effect) {
		if s.sure {
			return
		}
		switch {
		case u.Kind == outline.Declares && u.Collected && s.virtual:
			s.collected(u, f, way)
		case u.Kind == outline.Declares && !u.Collected:
			s.declared(u, f, way)
		}
	}
}

// collected is a collector, or a call of realize, that may make the resource real.
func (s *seeker) collected(u outline.Use, f *source.File, way []record.Stage) {
	text := f.Slice(u.At.Span())
	stage := record.Stage{Place: source.Place{File: f, Span: u.At.Span()}, Text: oneLine(text, 60)}
	switch {
	case u.Type == s.want.Type:
		s.found(way, stage, strings.Contains(text, s.want.Title))
	case u.Type == "" && u.Verb != "" && strings.Contains(strings.ToLower(text), strings.ToLower(s.want.Type)):
		s.found(way, stage, strings.Contains(text, s.want.Title))
	}
}

// declared is a class or resource that code declares: the one that is looked for, or one whose own code may.
func (s *seeker) declared(u outline.Use, f *source.File, way []record.Stage) {
	stage := record.Stage{Place: source.Place{File: f, Span: u.At.Span()}}
	switch {
	case u.Type == "Class":
		stage.Text = strings.TrimSpace(u.Verb + " " + u.Name)
	case u.Verb != "":
		stage.Text = u.Verb + "(…)"
	case u.Name == "" && u.By != nil:
		stage.Text = u.Type + "[" + f.Slice(u.By.Span()) + "]"
	default:
		stage.Text = u.Type + "[" + u.Name + "]"
	}
	switch {
	case u.Type == "" && u.Verb == "": // the type is computed
	case u.Type == "" || u.Name == "" && u.Type == s.want.Type:
		if u.Type == "" || mayBe(f, u, s.want.Title) {
			s.found(way, stage, false)
		}
	case u.Type == s.want.Type && (u.Name == s.want.Title || u.Type == "Class" && sameClass(u.Name, s.want.Title)):
		s.found(way, stage, true)
	case u.Type == "Class":
		if u.Name != "" {
			s.follow(u.Name, stage, way)
		}
	default:
		s.follow(outline.Class(u.Type), stage, way)
	}
}

// follow looks through the class or define of a name, once.
func (s *seeker) follow(name string, stage record.Stage, way []record.Stage) {
	d, f := s.rec.definition(name)
	if d == nil || s.seen[d] || s.barren[d] || s.sure {
		return
	}
	s.seen[d] = true
	if _, class := d.(*syntax.Class); class && s.rec.Catalog.Find("Class["+name+"]") != nil {
		return // the node has it: to include it once more changes nothing
	}
	way = append(way[:len(way):len(way)], stage)
	switch d := d.(type) {
	case *syntax.Class:
		if d.Parent != "" {
			at := record.Stage{Text: "inherits " + outline.Class(d.Parent), Place: source.Place{File: f, Span: d.ParentAt}}
			if s.want.Type == "Class" && sameClass(d.Parent, s.want.Title) {
				s.found(way, at, true)
			}
			s.follow(outline.Class(d.Parent), at, way)
		}
		s.code(d.Body.Stmts, f, way)
	case *syntax.Define:
		s.code(d.Body.Stmts, f, way)
	}
}

// definition finds a class or define by name: in the manifests of the site, else in the file of its module that ought
// to hold it.
func (rec *Record) definition(name string) (syntax.Definition, *source.File) {
	m := rec.memo
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.defined == nil {
		m.defined = map[string]definedIn{}
		for _, f := range rec.Code.Main() {
			for _, d := range f.Defs {
				if name := definedName(d); name != "" && m.defined[name].def == nil {
					m.defined[name] = definedIn{d, f.Source}
				}
			}
		}
	}
	d, known := m.defined[name]
	if !known {
		if f := rec.Code.Manifest(name); f != nil {
			for _, def := range f.Defs {
				if definedName(def) == name {
					d = definedIn{def, f.Source}
					break
				}
			}
		}
		m.defined[name] = d // nothing, when it is not there
	}
	return d.def, d.file
}

type definedIn struct {
	def  syntax.Definition
	file *source.File
}

// definedName is the name of a class or define, "" of anything else.
func definedName(d syntax.Definition) string {
	switch d := d.(type) {
	case *syntax.Class:
		return outline.Class(d.Name)
	case *syntax.Define:
		return outline.Class(d.Name)
	}
	return ""
}
