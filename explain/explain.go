package explain

import (
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Explain answers a question: a resource, with or without one of its attributes, a variable, a relation `A -> B`,
// hiera:KEY or fact:NAME. A *NotFound says that there is no such thing.
func (rec *Record) Explain(ref, attribute string) (a *Answer, err error) {
	defer source.Catch(&err)
	a = &Answer{Version: 1, Node: rec.Catalog.Name, Query: strings.TrimSpace(ref + " " + attribute)}
	ref = strings.TrimSpace(ref)
	switch {
	case strings.HasPrefix(ref, "hiera:"):
		return a, rec.explainHiera(a, strings.TrimPrefix(ref, "hiera:"))
	case strings.HasPrefix(ref, "fact:"):
		return a, rec.explainFact(a, strings.TrimPrefix(ref, "fact:"))
	case strings.HasPrefix(ref, "tag:"):
		return a, rec.explainTag(a, strings.TrimPrefix(ref, "tag:"))
	case strings.HasPrefix(ref, "$"):
		return a, rec.explainVariable(a, ref)
	}
	if m := renderedLine.FindStringSubmatch(ref); m != nil && attribute == "" {
		if n, ok := number(m[2]); ok && n > 0 {
			return a, rec.explainLine(a, m[1], n)
		}
	}
	if from, to, refresh, ok := splitArrow(ref); ok {
		return a, rec.explainEdge(a, from, to, refresh)
	}
	if n, ok := parseRef(ref); attribute == "" && (ok && isPattern(n.Title) || !ok && isPattern(ref)) {
		pattern := n.Title
		if !ok {
			pattern = ref
		}
		if list := rec.matching(n.Type, pattern); len(list) > 1 && (!ok || rec.Catalog.Resource(n.Type, n.Title) == nil) {
			rec.explainList(a, list, nil)
			return a, nil
		}
	}
	r, err := rec.find(ref)
	if err != nil {
		return nil, err
	}
	a.Resource = r.Ref()
	switch attribute {
	case "":
		rec.explainResource(a, r)
		return a, nil
	case "tags":
		if r.Param("tags") == nil {
			rec.explainTags(a, r)
			return a, nil
		}
	}
	if p := r.Parameter(attribute); p != nil {
		rec.explainAttribute(a, r, p)
		return a, nil
	}
	return a, rec.explainAbsent(a, r, attribute)
}

// show puts a value into the answer, unless it is secret.
func (rec *Record) show(a *Answer, v value.Value, r provenance.Ref, sensitive bool) {
	if a.Sensitive = sensitive || value.HasSensitive(v) || rec.secrets().hides(rec, r); !a.Sensitive {
		a.value, a.Value = v, dataOf(v)
	}
}

// derive fills in everything that is a reading of the trace. The first root is the value's own.
func (rec *Record) derive(a *Answer, v value.Value, self string, roots ...provenance.Ref) {
	r := roots[0]
	a.Steps = rec.steps(r, self)
	way := rec.Trace.Path(r)
	if n := len(way); n > 0 {
		if l, ok := rec.Trace.Label(way[n-1]); ok && (l.Kind != provenance.Literal || !isContainer(v)) {
			leaf := rec.leaf(way[n-1])
			a.Where = &leaf
		}
	}
	a.Expression, a.Data = rec.term(r)
	if a.Where == nil {
		through := rec.ways(r, a.Data)
		for i := range a.Data {
			l := &a.Data[i]
			l.Through = withoutPrefix(rec.stepsOf(through[l.label.Key()]), a.Steps)
		}
	}
	if s, ok := v.(value.String); ok && !a.Sensitive {
		a.Pieces = rec.pieces(string(s), r)
	}
	rec.decide(a, roots...)
}

// decide fills in the decisions and places that the roots depend on.
func (rec *Record) decide(a *Answer, roots ...provenance.Ref) {
	a.Conditions = rec.conditions(roots...)
	rec.lookInto(a.Conditions, rec.most(shownConditions))
	a.Depends = rec.depends(roots...)
}

// most is how many of something are looked into: what is shown, or everything that one would read.
func (rec *Record) most(shown int) int {
	if rec.All {
		return 1000
	}
	return shown
}

// withoutPrefix leaves out the steps that were shown already.
func withoutPrefix(steps, shown []Step) []Step {
	for len(steps) > 0 && len(shown) > 0 && steps[0].Kind == shown[0].Kind && steps[0].Name == shown[0].Name {
		steps, shown = steps[1:], shown[1:]
	}
	return steps
}

func isContainer(v value.Value) bool {
	switch v.(type) {
	case *value.Array, *value.Hash:
		return true
	}
	return false
}

// depends are the places outside which no change of data alters the slot, nearest first; one place that was read twice
// is one.
func (rec *Record) depends(roots ...provenance.Ref) (out []Leaf) {
	seen := map[provenance.LabelKey]bool{}
	rec.Trace.Near(func(r provenance.Ref) bool {
		if l, ok := rec.Trace.Label(r); ok && !seen[l.Key()] {
			seen[l.Key()] = true
			out = append(out, rec.leaf(r))
		}
		return true
	}, roots...)
	return out
}

func (rec *Record) explainAttribute(a *Answer, r *catalog.Resource, p *catalog.Param) {
	a.Kind, a.Attribute = "attribute", p.Name
	rec.show(a, p.Value, p.Ref, r.IsSensitive(p.Name))
	a.Set, a.ExportedBy = rec.spot(p.Place), r.ExportedBy
	if p.Place.Known() {
		a.By = rec.writtenBy(p.Place, r)
	}
	rec.declaration(a, r)
	rec.derive(a, p.Value, "", p.Ref, r.Existence, r.TitleRef)
	a.Via = rec.via(r)
}

// declaration adds where a parameter of a class or define is declared.
func (rec *Record) declaration(a *Answer, r *catalog.Resource) {
	if r.Kind != catalog.CompilableType {
		a.Parameter = rec.spot(rec.Parameter(r, a.Attribute))
	}
}

func (rec *Record) via(r *catalog.Resource) (out []Step) {
	for _, s := range rec.Via(r) {
		out = append(out, Step{Kind: "via", Name: s.Text, At: rec.spot(s.Place)})
	}
	return out
}

// declared is where a resource was declared; of an included class, where the first call stands that asked for it.
func (rec *Record) declared(r *catalog.Resource) *Spot {
	if r.Place.Known() {
		return rec.spot(r.Place)
	}
	return rec.spot(rec.Asked(r))
}

func (rec *Record) explainResource(a *Answer, r *catalog.Resource) {
	a.Kind = "resource"
	a.Set, a.ExportedBy = rec.declared(r), r.ExportedBy
	for _, at := range rec.Again(r) {
		if s := rec.spot(at); s != nil {
			a.Again = append(a.Again, *s)
		}
	}
	rec.derive(a, nil, "", r.TitleRef, r.Existence)
	if r.TitleRef == 0 {
		a.Where = nil
	}
	a.Via = rec.via(r)
	secret := rec.secrets()
	for i := range r.Params {
		p := &r.Params[i]
		s := Summary{Name: p.Name, Set: rec.spot(p.Place)}
		if s.Sensitive = r.IsSensitive(p.Name) || value.HasSensitive(p.Value) || secret.hides(rec, p.Ref); !s.Sensitive {
			s.value, s.Value = p.Value, dataOf(p.Value)
		}
		if way := rec.Trace.Path(p.Ref); len(way) > 0 {
			last := way[len(way)-1]
			if l, ok := rec.Trace.Label(last); ok && (l.Kind != provenance.Literal || !isContainer(p.Value)) {
				leaf := rec.leaf(last)
				s.From = &leaf
			} else {
				s.Places = len(rec.Trace.Flows(p.Ref))
			}
		}
		a.Attributes = append(a.Attributes, s)
	}
}

// explainAbsent says what the absence of an attribute depends on.
func (rec *Record) explainAbsent(a *Answer, r *catalog.Resource, attribute string) error {
	if _, ok := number(attribute); ok || attribute == "" || strings.ContainsAny(attribute, " []$") {
		return &NotFound{Message: attribute + " is no attribute's name"}
	}
	low := strings.ToLower(attribute)
	if r.Param(low) != nil {
		return &NotFound{Message: r.Ref() + " has no attribute " + attribute, Suggestions: []string{"'" + r.Ref() + "' " +
			low}}
	}
	if near := rec.nearAttribute(r, attribute); near != "" {
		return &NotFound{Message: r.Ref() + " has no attribute " + attribute, Suggestions: []string{"'" + r.Ref() + "' " +
			near}}
	}
	a.Kind, a.Attribute = "absent", attribute
	a.Set = rec.declared(r)
	a.Via = rec.via(r)
	rec.decide(a, append(rec.Absent(r, attribute), r.Existence, r.TitleRef)...)
	rec.unset(a.Conditions, r, low)
	rec.lookInto(a.Conditions, rec.most(shownConditions))
	return nil
}

func (rec *Record) explainVariable(a *Answer, ref string) error {
	name, path := ref, ""
	if i := strings.IndexByte(ref, '['); i > 0 {
		name, path = ref[:i], ref[i:]
	}
	v, err := rec.variable(name)
	if err != nil {
		return err
	}
	rec, val, roots, ok := rec.within(v.Value, v.Ref, path)
	if !ok {
		return &NotFound{Message: v.Qualified() + " has no element " + path}
	}
	a.Kind, a.Variable = "variable", v.Qualified()+path
	rec.show(a, val, roots[0], value.HasSensitive(v.Value))
	self := ""
	if p := rec.parameterOf(v); p != nil {
		class := rec.Catalog.Find("Class[" + v.Class + "]")
		self = v.Qualified() + class.Ref()
		a.Resource, a.Attribute = class.Ref(), p.Name
		rec.declaration(a, class)
		a.Set = rec.spot(p.Place)
		if p.Place.Known() {
			a.By = rec.writtenBy(p.Place, class)
		}
		a.Via = append(rec.via(class), Step{Kind: "via", Name: v.Class})
	} else if v.Class != "" {
		if class := rec.Catalog.Find("Class[" + v.Class + "]"); class != nil {
			a.Via = append(rec.via(class), Step{Kind: "via", Name: v.Class})
		}
	}
	rec.derive(a, val, self, roots...)
	if n := len(a.Steps); a.Set == nil && n > 0 && a.Steps[0].Kind == "variable" && a.Steps[0].Name == v.Qualified() {
		a.Set, a.Steps = a.Steps[0].At, a.Steps[1:]
	}
	return nil
}

// within follows `['a'][0]` into a container. An element depends on what decides which elements there are, too: the
// spines. Where elements have no provenance of their own, that of the whole stands for it. An element that is a
// container is no node of the trace: what is asked about it is asked of a copy that has one more.
func (rec *Record) within(v value.Value, r provenance.Ref, path string) (_ *Record, _ value.Value,
	roots []provenance.Ref, ok bool) {
	roots = []provenance.Ref{r}
	copied := false
	for path != "" {
		end := strings.IndexByte(path, ']')
		if path[0] != '[' || end < 0 {
			return nil, nil, nil, false
		}
		key := strings.Trim(path[1:end], `'"`)
		path = path[end+1:]
		var inner provenance.Ref
		switch c := v.(type) {
		case *value.Hash:
			e := c.EntryString(key)
			if e == nil {
				return nil, nil, nil, false
			}
			v, inner = e.Value, e.Ref
		case *value.Array:
			n, ok := number(key)
			if !ok || n >= c.Len() {
				return nil, nil, nil, false
			}
			v, inner = c.Elems[n], c.Ref(n)
		default:
			return nil, nil, nil, false
		}
		if inner == 0 {
			continue
		}
		if c, ok := v.(provenance.Contents); ok {
			if !copied {
				more := *rec.Record
				more.Trace = rec.Trace.Copy()
				rec, copied = &Record{Record: &more, All: rec.All, memo: rec.memo}, true
			}
			inner = rec.Trace.Deep(inner, c)
		}
		roots[0] = rec.Trace.Spine(roots[0])
		roots = append([]provenance.Ref{inner}, roots...)
	}
	return rec, v, roots, true
}
