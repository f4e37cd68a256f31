package explain

import (
	"fmt"
	"strings"

	"bunraku/catalog"
	"bunraku/provenance"
	"bunraku/source"
	"bunraku/syntax"
)

// A passage is a parameter or variable that a value passed through, known by the node of the trace that the slot has.
type passage struct {
	step     Step
	distance int
}

// passagesOf knows the parameters and variables by the nodes of their slots. A node that lies on the ways of several belongs to the
// one that is nearest to it.
func (rec *Record) passagesOf() map[provenance.Ref]passage {
	if rec.passages != nil {
		return rec.passages
	}
	m := map[provenance.Ref]passage{}
	rec.passages = m
	add := func(r provenance.Ref, s Step) {
		way := rec.Trace.Path(r)
		for d, n := range way {
			if d == len(way)-1 && d > 0 {
				break // where it ends is no passage: a literal is read by everyone who copies it
			}
			if _, leaf := rec.Trace.Label(n); leaf {
				break
			}
			if old, known := m[n]; !known || d < old.distance {
				m[n] = passage{s, d}
			}
		}
	}
	for i := range rec.Variables {
		v := &rec.Variables[i]
		if rec.parameterOf(v) == nil {
			add(v.Ref, Step{Kind: "variable", Name: v.Qualified()})
		}
	}
	for _, r := range rec.Catalog.Resources {
		if r.Kind == catalog.CompilableType {
			continue
		}
		for _, p := range r.Params {
			name := "$" + p.Name
			if r.Type == "Class" {
				name = "$" + strings.ToLower(r.Title) + "::" + p.Name
			}
			s := Step{Kind: "parameter", Name: name, In: r.Ref()}
			s.At = rec.spot(p.Place)
			add(p.Ref, s)
		}
	}
	return m
}

// parameterOf is the class parameter that a variable is, nil when it is none.
func (rec *Record) parameterOf(v *Variable) *catalog.Param {
	if v.Class == "" {
		return nil
	}
	r := rec.Catalog.Find("Class[" + v.Class + "]")
	if r == nil {
		return nil
	}
	return r.Param(v.Name)
}

// steps are the variables and parameters that a value passed through, nearest first. Notes in the trace name them; where there are none,
// slots that are known by their nodes do. self is the slot that was asked about.
func (rec *Record) steps(r provenance.Ref, self string) (out []Step) {
	known := rec.passagesOf()
	add := func(s Step) {
		if s.Name+s.In == self {
			return
		}
		if n := len(out); n > 0 && out[n-1].Name == s.Name && (out[n-1].In == s.In || s.Kind == "variable") {
			if out[n-1].At == nil {
				out[n-1].At = s.At
			}
			return
		}
		out = append(out, s)
	}
	for _, n := range rec.Trace.Path(r) {
		if note, ok := rec.Trace.NoteAt(n); ok {
			switch note.Kind {
			case provenance.Variable, provenance.Parameter:
				add(Step{Kind: note.Kind.String(), Name: noteName(note), In: note.In, At: rec.spot(note.Place)})
			case provenance.LookedUp:
				add(Step{Kind: "lookup", Name: note.Name, At: rec.spot(note.Place)})
			}
		} else if p, ok := known[n]; ok {
			add(p.step)
		}
	}
	return out
}

// noteName is a variable's name as it can be read anywhere: qualified when it belongs to a class.
func noteName(n provenance.Note) string {
	if class, ok := strings.CutPrefix(n.In, "Class["); ok {
		return "$" + strings.ToLower(strings.TrimSuffix(class, "]")) + "::" + n.Name
	}
	return "$" + n.Name
}

// conditions are the decisions that a value depends on, nearest first. Notes name them; where there are none, those around the
// statement that wrote the slot are known by the code, and literals betray the condition that they stand in.
func (rec *Record) conditions(slot source.Place, roots ...provenance.Ref) (out []Condition) {
	type spot struct {
		file  *source.File
		start uint32
	}
	seen := map[spot]int{}
	add := func(p source.Place, c Condition) {
		at := spot{p.File, p.Span.Start}
		if i, known := seen[at]; known {
			out[i].refs = append(out[i].refs, c.refs...)
			if out[i].Outcome == "" {
				out[i].Outcome = c.Outcome
			}
			return
		}
		if c.At = rec.spot(p); c.At == nil {
			return
		}
		if !rec.secrets().hidesText(p) {
			c.Text = oneLine(p.Text(), 120)
		}
		seen[at] = len(out)
		out = append(out, c)
	}
	var plain []provenance.Ref
	flows := map[provenance.Ref]bool{}
	if len(roots) > 0 {
		for _, r := range rec.Trace.Flows(roots[0]) {
			flows[r] = true
		}
	}
	rec.Trace.Near(func(r provenance.Ref) bool {
		if note, ok := rec.Trace.NoteAt(r); ok && note.Kind.IsDecision() {
			c := Condition{Statement: "if", refs: []provenance.Ref{r}}
			switch note.Kind {
			case provenance.IfTrue:
				c.Outcome = "true"
			case provenance.IfFalse:
				c.Outcome = "false"
			case provenance.Chosen:
				c.Statement, c.Outcome = "case", oneLine(note.Name, 60)
			}
			if note.Kind != provenance.Chosen && note.Name != "" {
				c.Statement = note.Name
			}
			add(note.Place, c)
		}
		if l, ok := rec.Trace.Label(r); ok && l.Kind == provenance.Literal && !flows[r] {
			plain = append(plain, r)
		}
		return true
	}, roots...)
	rec.eachAround(slot, func(test source.Place, statement, outcome string) {
		add(test, Condition{Statement: statement, Outcome: outcome})
	})
	for _, r := range plain {
		l, _ := rec.Trace.Label(r)
		if p, statement := rec.conditionAround(l.Place); p.Known() {
			add(p, Condition{Statement: statement, refs: []provenance.Ref{r}})
		}
	}
	for i := range out {
		out[i].Data = rec.looksAt(out[i].refs)
	}
	return out
}

// looksAt are the facts and Hiera data that decisions look at.
func (rec *Record) looksAt(refs []provenance.Ref) (out []Leaf) {
	if len(refs) == 0 {
		return nil
	}
	add := func(r provenance.Ref) {
		switch l, _ := rec.Trace.Label(r); l.Kind {
		case provenance.Datum:
			if l.Place.File != nil && isConfig(l.Place.File.Name) || rootKey(l.Path) == "lookup_options" {
				return
			}
			out = append(out, rec.leaf(r))
		case provenance.Fact:
			if v, ok := rec.fact(l.Path); !ok || !isContainer(v) {
				out = append(out, rec.leaf(r))
			}
		case provenance.NodeName:
			out = append(out, rec.leaf(r))
		}
	}
	for _, r := range rec.Trace.Flows(refs...) {
		add(r)
	}
	if out != nil {
		return out
	}
	rec.Trace.Near(func(r provenance.Ref) bool { // of case and selector: a comparison makes no value
		if _, ok := rec.Trace.Label(r); ok {
			add(r)
		}
		return len(out) < 4
	}, refs...)
	return out
}

// conditionAround is the test of the if, case or selector whose test or options a literal stands in.
func (rec *Record) conditionAround(p source.Place) (at source.Place, statement string) {
	t := rec.tree(p.File)
	if t == nil {
		return source.Place{}, ""
	}
	walkFile(t, func(n syntax.Node) bool {
		if !n.Span().Contains(p.Span) {
			return false
		}
		inside := func(test syntax.Expr, what string, others ...syntax.Expr) {
			for _, e := range append(others, test) {
				if e != nil && e.Span().Contains(p.Span) {
					at, statement = source.Place{File: p.File, Span: test.Span()}, what
				}
			}
		}
		switch n := n.(type) {
		case *syntax.If:
			what := "if"
			if n.Unless {
				what = "unless"
			}
			inside(n.Test, what)
		case *syntax.Case:
			for _, o := range n.Options {
				inside(n.Test, "case", o.Values...)
			}
		case *syntax.Selector:
			for _, e := range n.Entries {
				inside(n.Left, "selector", e.Key)
			}
		}
		return true
	})
	return at, statement
}

// eachAround visits the conditions around a statement that was run, innermost first: each went the way that leads to it.
func (rec *Record) eachAround(slot source.Place, visit func(test source.Place, statement, outcome string)) {
	t := rec.tree(slot.File)
	if t == nil {
		return
	}
	type found struct {
		test               syntax.Expr
		statement, outcome string
	}
	var list []found
	holds := func(b syntax.Body) bool {
		n := len(b.Stmts)
		return n > 0 && b.Stmts[0].Span().Join(b.Stmts[n-1].Span()).Contains(slot.Span)
	}
	walkFile(t, func(n syntax.Node) bool {
		if !n.Span().Contains(slot.Span) {
			return false
		}
		switch n := n.(type) {
		case *syntax.If:
			what := "if"
			if n.Unless {
				what = "unless"
			}
			if holds(n.Then) {
				list = append(list, found{n.Test, what, fmt.Sprint(!n.Unless)})
			} else if holds(n.Else) {
				list = append(list, found{n.Test, what, fmt.Sprint(n.Unless)})
			}
		case *syntax.Case:
			for _, o := range n.Options {
				if holds(o.Then) && len(o.Values) > 0 {
					list = append(list, found{n.Test, "case", oneLine(slot.File.Slice(o.Values[0].Span().Join(o.Values[len(o.Values)-1].Span())), 60)})
				}
			}
		}
		return true
	})
	for i := len(list) - 1; i >= 0; i-- {
		visit(source.Place{File: slot.File, Span: list[i].test.Span()}, list[i].statement, list[i].outcome)
	}
}

// writtenBy says what kind of statement set an attribute, when it is not the resource's own declaration.
func (rec *Record) writtenBy(p source.Place, r *catalog.Resource) (by string) {
	t := rec.tree(p.File)
	if t == nil || r.Place == p {
		return ""
	}
	walkFile(t, func(n syntax.Node) bool {
		if !n.Span().Contains(p.Span) {
			return false
		}
		switch n := n.(type) {
		case *syntax.Defaults:
			by = "resource default " + head(p.File, n.Type) + " { … }"
		case *syntax.Override:
			by = "override " + head(p.File, n.Target) + " { … }"
		case *syntax.Collect:
			by = "collector " + head(p.File, n)
		case *syntax.Relation:
			if !strings.Contains(by, "collector") {
				by = "the arrow " + oneLine(p.File.Slice(n.Where), 60)
			}
		case *syntax.Resource:
			by = ""
		case *syntax.Param:
			by = "the default of the parameter"
		}
		return true
	})
	return by
}

func head(f *source.File, n syntax.Node) string {
	text, _, _ := strings.Cut(f.Slice(n.Span()), "{")
	return oneLine(text, 60)
}
