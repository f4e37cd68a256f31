package explain

import (
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/record"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// parameterOf is the class parameter that a variable is, nil when it is none.
func (rec *Record) parameterOf(v *record.Variable) *catalog.Param {
	if v.Class == "" {
		return nil
	}
	r := rec.Catalog.Find("Class[" + v.Class + "]")
	if r == nil {
		return nil
	}
	return r.Parameter(v.Name)
}

// steps are the variables, parameters, functions, templates and overrides that a value passed through as it was copied,
// nearest first. self is the slot that was asked about.
func (rec *Record) steps(r provenance.Ref, self string) (out []Step) {
	for _, n := range rec.Trace.Path(r) {
		if s, ok := rec.stepAt(n); ok && s.Name+s.In != self {
			out = addStep(out, s)
		}
	}
	return out
}

// addStep leaves out what says the same once more: a variable that is read twice is one step.
func addStep(list []Step, s Step) []Step {
	if n := len(list); n > 0 && list[n-1].Name == s.Name && list[n-1].In == s.In && list[n-1].Kind == s.Kind {
		return list
	}
	return append(list, s)
}

// stepAt is the step that a node of the trace names; decisions are no steps of a value.
func (rec *Record) stepAt(r provenance.Ref) (s Step, ok bool) {
	note, ok := rec.Trace.NoteAt(r)
	if !ok || note.Kind.IsDecision() {
		return s, false
	}
	s = Step{Kind: note.Kind.String(), Name: note.Name, In: note.In, At: rec.spot(note.Place),
		Value: rec.shortNote(note, r)}
	switch note.Kind {
	case provenance.Variable, provenance.Parameter, provenance.Defaulted:
		s.Name = noteName(note)
	case provenance.Called:
		s.Name += "()"
	}
	return s, true
}

// noteName is a variable's name as it can be read anywhere: qualified when it belongs to a class.
func noteName(n provenance.Note) string {
	if class, ok := strings.CutPrefix(n.In, "Class["); ok {
		return "$" + strings.ToLower(strings.TrimSuffix(class, "]")) + "::" + n.Name
	}
	return "$" + n.Name
}

// shortNote is the value of a step in a few characters, "" when there is none to show.
func (rec *Record) shortNote(n provenance.Note, r provenance.Ref) string {
	switch v := n.Value.(type) {
	case string: // of a side file
		return v
	case value.Value:
		if !value.HasSensitive(v) && !rec.secrets().hidesIn(rec, v, r) {
			return short(v)
		}
	}
	return ""
}

// short is a value in a few characters: a container that has much in it is only counted.
func short(v value.Value) string {
	const most = 60
	switch c := v.(type) {
	case *value.Array:
		if c.Len() > 8 {
			return fmt.Sprintf("an array of %d", c.Len())
		}
	case *value.Hash:
		if c.Len() > 8 {
			return fmt.Sprintf("a hash of %d", c.Len())
		}
	case value.String:
		if len(c) > 4*most {
			v = c[:4*most]
		}
	}
	return oneLine(value.Literal(v), most)
}

// A way is how a walk came to a node: the copies that it passed, and the way to the operation before.
type way struct {
	from   *way
	copies []provenance.Ref
}

// steps names the steps of a way, the first one first.
func (rec *Record) stepsOf(w *way) (out []Step) {
	if w == nil {
		return nil
	}
	out = rec.stepsOf(w.from)
	for _, n := range w.copies {
		if s, ok := rec.stepAt(n); ok {
			out = addStep(out, s)
		}
	}
	return out
}

// ways finds, for some leaves of a value that was computed, how the value came from each: the shortest way counts.
func (rec *Record) ways(r provenance.Ref, leaves []Leaf) map[provenance.LabelKey]*way {
	wanted := map[provenance.LabelKey]bool{}
	for i := range leaves {
		wanted[leaves[i].label.Key()] = true
	}
	type visit struct {
		ref  provenance.Ref
		from *way
	}
	const most = 10_000
	out := map[provenance.LabelKey]*way{}
	seen := map[provenance.Ref]bool{}
	queue := []visit{{ref: r}}
	for len(queue) > 0 && len(seen) < most && len(out) < len(wanted) {
		v := queue[0]
		queue = queue[1:]
		path := rec.Trace.Path(v.ref)
		if len(path) == 0 || seen[path[len(path)-1]] {
			continue
		}
		last := path[len(path)-1]
		seen[last] = true
		w := &way{v.from, path}
		for _, n := range path { // elements hang on the containers along the way
			if l, ok := rec.Trace.Label(n); ok {
				if k := l.Key(); out[k] == nil && wanted[k] {
					out[k] = w
				}
			} else if n == last || rec.Trace.Spine(n) != n {
				for _, a := range rec.Trace.Operands(n) {
					queue = append(queue, visit{a, w})
				}
			}
		}
	}
	return out
}

// conditions are the decisions that a value depends on, nearest first.
func (rec *Record) conditions(roots ...provenance.Ref) (out []Condition) {
	type spot struct {
		file  *source.File
		start uint32
	}
	seen := map[spot]int{}
	rec.Trace.Near(func(r provenance.Ref) bool {
		note, ok := rec.Trace.NoteAt(r)
		if !ok || !note.Kind.IsDecision() || note.Place.File == nil {
			return true
		}
		at := spot{note.Place.File, note.Place.Span.Start}
		if i, known := seen[at]; known {
			out[i].refs = append(out[i].refs, r)
			return true
		}
		c := Condition{Statement: "if", At: rec.spot(note.Place), Value: rec.shortNote(note, r), refs: []provenance.Ref{r}}
		switch note.Kind {
		case provenance.IfTrue:
			c.Outcome = "true"
		case provenance.IfFalse:
			c.Outcome = "false"
		default:
			if c.Statement, c.Outcome = note.Kind.String(), oneLine(note.Name, 60); c.Outcome == "" {
				c.Outcome = "none"
			}
		}
		if c.Statement == "if" && note.Name != "" {
			c.Statement = note.Name
		}
		if !rec.hidesText(note.Place) {
			c.Text = oneLine(note.Place.Text(), 120)
		}
		seen[at] = len(out)
		out = append(out, c)
		return true
	}, roots...)
	return out
}

// lookInto adds to conditions the facts and Hiera data that they look at. That takes a walk through the trace for each,
// so that only those are looked into that are shown.
func (rec *Record) lookInto(list []Condition, most int) {
	for i := range list[:min(len(list), most)] {
		list[i].Data = rec.looksAt(list[i].refs)
	}
}

// looksAt are the facts and Hiera data that decisions look at.
func (rec *Record) looksAt(refs []provenance.Ref) (out []Leaf) {
	if len(refs) == 0 {
		return nil
	}
	add := func(r provenance.Ref) {
		switch l, _ := rec.Trace.Label(r); l.Kind {
		case provenance.Datum:
			if l.Place.File != nil && isConfig(l.Place.File.Name) || RootKey(l.Path) == "lookup_options" {
				return
			}
			out = append(out, rec.leaf(r))
		case provenance.Fact:
			if v, ok := rec.Fact(l.Path); !ok || !isContainer(v) {
				out = append(out, rec.leaf(r))
			}
		case provenance.World:
			if v, ok := rec.trusted(l); ok && !isContainer(v) {
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

// writtenBy says what kind of statement set an attribute, when it is not the resource's own declaration.
func (rec *Record) writtenBy(p source.Place, r *catalog.Resource) (by string) {
	t := rec.Tree(p.File)
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
