package smartfrog

import (
	"fmt"
	"strings"

	"bunraku/source"
)

// report adds a diagnostic, with the way to the file it is about. It stops the evaluation after maxErrors errors, and
// says no more than that many warnings.
func (e *evaluator) report(d *source.Diagnostic) {
	for s := e.site; s != nil && s.via != nil; s = s.up {
		d.Stack = append([]string{"included at " + s.up.place(s.via.span).String()}, d.Stack...)
	}
	switch d.Severity {
	case source.Error:
		e.diags = append(e.diags, d)
		if e.errors++; e.errors == maxErrors {
			e.stop = true
			e.diags = append(e.diags, tooMany("errors", d.Place))
		}
	case source.Warning:
		if e.warnings++; e.warnings <= maxErrors {
			e.diags = append(e.diags, d)
		} else if e.warnings == maxErrors+1 {
			e.diags = append(e.diags, tooMany("warnings", d.Place))
		}
	}
}

// noConfig reports that the specification has no sfConfig.
func (e *evaluator) noConfig(spec *Spec, root *Store) {
	d := &source.Diagnostic{
		Code: codeNoConfig, Summary: "err7: there is no component `sfConfig` at the top level",
		Place: source.Place{File: spec.File},
		Help:  "put the configuration into `sfConfig extends { … }`",
	}
	if near := similar("sfConfig", names(root)); near != "" {
		at := root.slots[root.position(near)].origin.act
		d.Place, d.Label = at.head(), "did you mean `sfConfig`?"
	}
	e.report(d)
}

// badConfig reports that sfConfig is no component.
func (e *evaluator) badConfig(o *origin, v Value) {
	e.site = o.act.site
	e.report(&source.Diagnostic{
		Code: codeNoConfig, Summary: "err7: `sfConfig` is " + describe(v) + ", not a component",
		Place: o.act.place(), Help: "write `sfConfig extends { … }`",
	})
}

// noParent reports a placement into something that does not exist: store s has no r[i].
func (e *evaluator) noParent(r Reference, i int, s *Store) {
	target := e.act.stmt.Target
	in := e.top().path().Join(r[:i]...)
	d := &source.Diagnostic{
		Code: codeNoParent, Summary: fmt.Sprintf("err2: `%s` cannot be placed: there is no `%s` %s", r, r[i], within(in)),
		Place:  e.site.place(target.Part(i)),
		Detail: "looked for it only there: the left-hand side of an assignment is not searched upwards",
	}
	if i == 0 {
		if sc, pos := outer(e.top(), r[0]); sc != nil {
			d.Related = append(d.Related, source.Related{Place: sc.store.slots[pos].origin.act.head(), Label: "this `" + r[0] +
				"` is out of reach"})
		}
		if later, at := e.later(r[0]); later != nil {
			d.Related = append(d.Related, source.Related{Place: at, Label: "`" + r[0] + "` comes only here"})
			d.Help = "move the placement below it"
		}
	}
	if d.Help == "" {
		if isKeyword(r[i]) {
			d.Help = "`" + r[i] + "` has no meaning on the left-hand side"
		} else if near := similar(r[i], names(s)); near != "" {
			d.Help = "did you mean `" + near + "`?"
		} else {
			d.Help = "define `" + r[:i+1].String() + " extends { … }` before"
		}
	}
	e.report(d)
}

// parentBasic reports a placement into a basic value: r[:i+1] is v.
func (e *evaluator) parentBasic(r Reference, i int, v Value, o *origin) {
	e.report(&source.Diagnostic{
		Code: codeParentBasic, Summary: fmt.Sprintf("err1: `%s` cannot be placed: `%s` is %s, not a component", r, r[:i+1],
			describe(v)),
		Place:   e.site.place(e.act.stmt.Target.Part(i)),
		Related: []source.Related{{Place: o.act.head(), Label: "set here"}},
	})
}

// unresolved reports a reference that leads nowhere, and where it was looked for. What names the error and the kind of
// reference.
func (e *evaluator) unresolved(code, what string, ref *Ref, c *copied) {
	e.report(e.unresolvedAt(code, what, ref, c.from, e.site))
}

func (e *evaluator) unresolvedAt(code, what string, ref *Ref, from *scope, in *site) *source.Diagnostic {
	d := &source.Diagnostic{
		Code: code, Summary: fmt.Sprintf("%s `%s` cannot be resolved", what, ref.Path),
		Place:  in.place(ref.span),
		Detail: "looked for " + lookedIn(from),
	}
	e.nearMisses(d, ref, from, in)
	return d
}

// nearMisses adds what a reader most likely meant by a reference that leads nowhere: a component that has its first
// name but not the rest, an assignment that comes too late, or a similar name.
func (e *evaluator) nearMisses(d *source.Diagnostic, ref *Ref, from *scope, in *site) {
	var suggestions []string
	for sc := from; sc != nil; sc = sc.up {
		if sc.store.position(ref.Path[0]) < 0 {
			if len(suggestions) < 1000 {
				suggestions = append(suggestions, names(sc.store)...)
			}
			continue
		}
		m := sc.store.miss(ref.Path)
		if m.depth == len(ref.Path) {
			continue
		}
		part := sc.path().Join(ref.Path[:m.depth]...)
		label := "`" + part.String() + "` is " + describe(m.at) + ", not a component"
		if s, ok := m.at.(*Store); ok {
			label = fmt.Sprintf("`%s` has no `%s`", part, ref.Path[m.depth])
			if near := similar(ref.Path[m.depth], names(s)); near != "" && d.Help == "" {
				d.Help = "did you mean `" + ref.Path[:m.depth].Join(near).String() + "`?"
			}
		}
		if o := originAt(sc.store, ref.Path[:m.depth]); o != nil && len(d.Related) < 3 {
			d.Related = append(d.Related, source.Related{Place: o.act.head(), Label: label})
		}
	}
	if later, at := e.later(ref.Path[0]); d.Code != codeForwardLink && later != nil {
		d.Related = append(d.Related, source.Related{Place: at, Label: "`" + ref.Path[0] + "` comes only here"})
		d.Help = "move it up"
		if d.Code == codeLink {
			d.Help += ", or compile with --extended, where links may look ahead"
		}
		return
	}
	if d.Help != "" {
		return
	}
	if isKeyword(ref.Path[0]) && !e.extended {
		d.Help = "`" + ref.Path[0] + "` has a meaning only under --extended"
	} else if near := similar(ref.Path[0], suggestions); near != "" {
		d.Help = "did you mean `" + near + "`?"
	}
}

// notComponent reports a prototype that is a basic value.
func (e *evaluator) notComponent(code, kind string, p *Ref, v Value, c *copied) {
	e.report(&source.Diagnostic{
		Code: code, Summary: fmt.Sprintf("%s: prototype `%s` is %s, not a component", kind, p.Path, describe(v)),
		Place:   e.site.place(p.span),
		Related: []source.Related{{Place: c.steps[len(c.steps)-1].origin.act.head(), Label: "set here"}},
	})
}

// selfPrototype warns of `a extends a`: the paper's semantics makes the new, empty a hide the one that is meant.
func (e *evaluator) selfPrototype(ns *scope, p *Ref) {
	d := &source.Diagnostic{
		Code: codeSelfPrototype, Severity: source.Warning,
		Summary: fmt.Sprintf("prototype `%s` is the component that extends it, which has nothing to inherit yet", p.Path),
		Place:   e.site.place(p.span),
		Help:    "give the prototype another name",
	}
	if sc, pos := outer(ns, p.Path[0]); sc != nil && len(p.Path) == 1 {
		d.Related = append(d.Related, source.Related{Place: sc.store.slots[pos].origin.act.head(), Label: "this `" +
			p.Path[0] + "` is hidden by it"})
	}
	e.report(d)
}

// later finds an assignment to a name that follows the current one, in the bodies around it.
func (e *evaluator) later(name string) (*Assignment, source.Place) {
	for a := e.act; a != nil; a = a.up {
		for _, body := range bodiesAround(a) {
			for _, s := range body {
				if b, ok := s.(*Assignment); ok && b.span.Start > a.stmt.span.Start && b.Target != nil &&
					b.Target.Path[0] == name && len(b.Target.Path) == 1 {
					return b, a.site.place(b.Target.span)
				}
			}
		}
	}
	return nil, source.Place{}
}

// bodiesAround returns the bodies of the component, or the file, in which an assignment stands.
func bodiesAround(a *act) [][]Statement {
	if a.up == nil || a.up.site != a.site {
		return [][]Statement{a.site.spec.Body}
	}
	var bodies [][]Statement
	if x, ok := a.up.stmt.Value.(*Extends); ok {
		for _, p := range x.Protos {
			if b, ok := p.(*Block); ok {
				bodies = append(bodies, b.Body)
			}
		}
	}
	return bodies
}

// outer finds the next scope around s that has a name.
func outer(s *scope, name string) (*scope, int) {
	for s = s.up; s != nil; s = s.up {
		if i := s.store.position(name); i >= 0 {
			return s, i
		}
	}
	return nil, 0
}

// originAt returns the origin of the last slot of a path that exists, or nil for the empty path.
func originAt(s *Store, r Reference) *origin {
	var o *origin
	for _, name := range r {
		i := s.position(name)
		o = s.slots[i].origin
		s, _ = s.slots[i].value.(*Store)
	}
	return o
}

// similar is the name that a reader most likely meant by another, or "". Names of one or two letters are similar to too
// many.
func similar(name string, list []string) string {
	near := source.Nearest(name, list)
	if len(name) < 3 && !strings.EqualFold(name, near) {
		return ""
	}
	return near
}

func names(s *Store) []string {
	list := make([]string, len(s.slots))
	for i := range s.slots {
		list[i] = s.slots[i].name
	}
	return list
}

// within names a component as a place: "in `a:b`", or "at the top level".
func within(r Reference) string {
	if len(r) == 0 {
		return "at the top level"
	}
	return "in `" + r.String() + "`"
}

// shownScopes is how many namespaces a message lists.
const shownScopes = 4

// lookedIn lists the namespaces that a search went through.
func lookedIn(s *scope) string {
	var list []string
	for ; s != nil; s = s.up {
		if len(list) == shownScopes && s.up != nil {
			list = append(list, fmt.Sprintf("in the %d components around it", s.depth), "at the top level")
			break
		}
		list = append(list, within(s.path()))
	}
	if len(list) == 1 {
		return "it " + list[0]
	}
	return "it " + strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// describe names a value in messages.
func describe(v Value) string {
	switch v := v.(type) {
	case Bool:
		return fmt.Sprintf("%t", bool(v))
	case Number:
		return "the number " + string(v)
	case String:
		return "a string"
	case Null:
		return "NULL"
	case DataRef:
		return "a data reference"
	case LazyRef:
		return "a lazy reference"
	case Vector:
		return "a vector"
	case TBD:
		return "TBD"
	case *pending:
		return "a link"
	}
	return "a component"
}

func isKeyword(name string) bool { return name == "THIS" || name == "PARENT" || name == "ROOT" }
