package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Two compiles of one slot, of two nodes, of two revisions, or with and without a change that was only thought of: why
// do they differ? The places that decide the one or the other and whose data are not the same, or that only one of them
// has, are what can make the difference. First comes the earliest decision that went another way, with those of them
// that it looks at; then the data that are in the values; then facts; then the rest, which is counted.

// An Against says why a slot is not the same in two records.
type Against struct {
	Version int     `json:"version"`
	Query   string  `json:"query"`
	Left    Half    `json:"left"`
	Right   Half    `json:"right"`
	Same    bool    `json:"same"`
	Causes  []Cause `json:"causes,omitempty"`
	Rest    int     `json:"rest,omitempty"` // further places that differ
	Commit  *Change `json:"commit,omitempty"`
	Note    string  `json:"note,omitempty"`
}

// A Half is the slot in one of the records.
type Half struct {
	Of        string          `json:"of"` // the node, the revision, or what was thought of
	Present   bool            `json:"present"`
	Sensitive bool            `json:"sensitive,omitempty"`
	Value     json.RawMessage `json:"value,omitempty"`
	Set       *Spot           `json:"set,omitempty"`

	value value.Value
}

// A Cause is a decision or a place that is not the same on both sides.
type Cause struct {
	Kind      string  `json:"kind"` // decision, fact, data, code, node name
	Text      string  `json:"text"`
	Left      string  `json:"left,omitempty"`
	Right     string  `json:"right,omitempty"`
	LeftAt    *Spot   `json:"left_at,omitempty"`
	RightAt   *Spot   `json:"right_at,omitempty"`
	OnlyLeft  bool    `json:"only_left,omitempty"`
	OnlyRight bool    `json:"only_right,omitempty"`
	Facts     []Cause `json:"facts,omitempty"` // of a decision: what differs of what it looks at
}

// asked is a slot of a record: the answer, and what it is asked of. A slot that is not there has none.
func (rec *Record) asked(ref, attribute, of string) (*Answer, Half, error) {
	h := Half{Of: of}
	a, err := rec.Explain(ref, attribute)
	if err != nil {
		if n, is := err.(*NotFound); is && !strings.Contains(n.Message, "ambiguous") {
			return nil, h, nil
		}
		return nil, h, err
	}
	h.Present, h.Sensitive, h.Value, h.Set, h.value = a.Kind != "absent", a.Sensitive, a.Value, a.Set, a.value
	return a, h, nil
}

// Slot is a slot as a text that is the same when the slot is; ok is false when it is not there.
func (rec *Record) Slot(ref, attribute string) (text string, ok bool, err error) {
	if key, is := strings.CutPrefix(ref, "hiera:"); is {
		h := rec.hieraOf(key)
		if h == nil || !h.Found {
			return "", false, nil
		}
		return string(plainOf(h.Value)), true, nil
	}
	if strings.HasPrefix(ref, "$") {
		name, path := ref, ""
		if i := strings.IndexByte(ref, '['); i > 0 {
			name, path = ref[:i], ref[i:]
		}
		v, err := rec.variable(name)
		if err != nil {
			return "", false, nil
		}
		_, x, _, ok := rec.within(v.Value, v.Ref, path)
		if !ok {
			return "", false, nil
		}
		return string(plainOf(x)), true, nil
	}
	if _, _, _, arrow := splitArrow(ref); arrow {
		_, err := rec.Explain(ref, "")
		return "related", err == nil, nil
	}
	r, err := rec.find(ref)
	if err != nil {
		if _, is := err.(*NotFound); is {
			return "", false, nil
		}
		return "", false, err
	}
	if attribute == "" {
		return "there", true, nil
	}
	if p := r.Param(attribute); p != nil {
		return string(plainOf(p.Value)), true, nil
	}
	return "", false, nil
}

// plainOf is a value as a text that tells it from others, secrets included: it is compared and never shown.
func plainOf(v value.Value) []byte { return []byte(value.Inspect(value.OrUndef(v))) }

// Compare says why a slot is not the same in two records.
func Compare(left, right *Record, leftOf, rightOf, ref, attribute string) (out *Against, err error) {
	defer source.Catch(&err)
	left.All, right.All = true, true
	out = &Against{Version: 1, Query: strings.TrimSpace(ref + " " + attribute)}
	l, lh, err := left.asked(ref, attribute, leftOf)
	if err != nil {
		return nil, err
	}
	r, rh, err := right.asked(ref, attribute, rightOf)
	if err != nil {
		return nil, err
	}
	out.Left, out.Right = lh, rh
	if l == nil && r == nil {
		return nil, &NotFound{Message: fmt.Sprintf("neither %s nor %s has %s", leftOf, rightOf, out.Query)}
	}
	a, aThere, _ := left.Slot(ref, attribute)
	b, bThere, _ := right.Slot(ref, attribute)
	if out.Same = aThere == bThere && a == b; out.Same {
		return out, nil
	}
	if l == nil {
		l = left.absentAnswer(ref)
	}
	if r == nil {
		r = right.absentAnswer(ref)
	}
	c := &contrast{left: index(left, l), right: index(right, r)}
	c.decisions(out, l, r, left, right)
	c.values(out, l, r)
	c.rest(out)
	return out, nil
}

// absentAnswer is what is known of a resource that is not there: the branches that would have declared it, and what
// decided against them.
func (rec *Record) absentAnswer(ref string) *Answer {
	a := &Answer{}
	n, ok := parseRef(ref)
	if !ok {
		return a
	}
	_, passed, _ := rec.missing(n)
	var why []provenance.Ref
	for _, p := range passed {
		if p.Sure {
			why = append(why, p.Why)
		}
	}
	if why != nil {
		rec.decide(a, why...)
	}
	return a
}

// contrast collects what differs, each place once.
type contrast struct {
	left, right map[provenance.LabelKey]*Leaf
	told        map[provenance.LabelKey]bool
}

func index(rec *Record, a *Answer) map[provenance.LabelKey]*Leaf {
	out := map[provenance.LabelKey]*Leaf{}
	for i := range a.Depends {
		l := &a.Depends[i]
		out[l.label.Key()] = l
	}
	return out
}

// datum is what stands at a place, for comparing.
func (l *Leaf) datum() string {
	if l.Kind == "fact" || l.Kind == "node name" {
		return l.Text
	}
	return l.label.Place.Text()
}

// differs reports whether a place is not the same on both sides.
func (c *contrast) differs(k provenance.LabelKey) bool {
	l, r := c.left[k], c.right[k]
	return l == nil || r == nil || l.datum() != r.datum()
}

// cause is one place that differs.
func (c *contrast) cause(k provenance.LabelKey, kind string) Cause {
	if c.told == nil {
		c.told = map[provenance.LabelKey]bool{}
	}
	c.told[k] = true
	l, r := c.left[k], c.right[k]
	out := Cause{Kind: kind, OnlyLeft: r == nil, OnlyRight: l == nil}
	for _, x := range []*Leaf{l, r} {
		if x == nil {
			continue
		}
		shown := clip(oneLine(x.Text, 60), 60)
		if x.Sensitive {
			shown = "(sensitive)"
		}
		what := x.describe()
		if x.At != nil {
			what = strings.TrimPrefix(strings.TrimPrefix(what, x.At.String()), " ")
		}
		out.Text = strings.TrimSuffix(strings.TrimPrefix(what, "("), ")")
		if x == l {
			out.Left, out.LeftAt = shown, x.At
		} else {
			out.Right, out.RightAt = shown, x.At
		}
	}
	return out
}

// decisions adds the earliest decision that went another way.
func (c *contrast) decisions(out *Against, l, r *Answer, left, right *Record) {
	other := map[string]*Condition{}
	key := func(x *Condition) string { return x.Statement + x.Text + x.At.String() }
	for i := range r.Conditions {
		other[key(&r.Conditions[i])] = &r.Conditions[i]
	}
	var first *Condition
	for i := range l.Conditions {
		x := &l.Conditions[i]
		if o := other[key(x)]; o != nil && (o.Outcome != x.Outcome || o.Value != x.Value) &&
			(first == nil || slices.Min(x.refs) < slices.Min(first.refs)) {
			first = x
		}
	}
	if first == nil {
		return
	}
	o := other[key(first)]
	cause := Cause{Kind: "decision", Text: first.Statement + " " + oneLine(first.Text, 70), Left: outcome(first),
		Right: outcome(o), LeftAt: first.At, RightAt: o.At}
	seen := map[provenance.LabelKey]bool{}
	add := func(rec *Record, refs []provenance.Ref) {
		for _, label := range rec.Trace.Depends(refs...) {
			k := label.Key()
			if seen[k] || (c.left[k] == nil && c.right[k] == nil) || !c.differs(k) || label.Kind == provenance.Absence {
				continue
			}
			seen[k] = true
			cause.Facts = append(cause.Facts, c.cause(k, kindOf(label.Kind)))
		}
	}
	add(left, first.refs)
	add(right, o.refs)
	cause.Facts = slices.DeleteFunc(cause.Facts, func(x Cause) bool { // a part of a fact says more than the whole
		return x.Kind == "fact" && slices.ContainsFunc(cause.Facts, func(o Cause) bool {
			return strings.HasPrefix(o.Text, x.Text+".")
		})
	})
	slices.SortStableFunc(cause.Facts, func(a, b Cause) int { return cmp.Compare(weight(a.Kind), weight(b.Kind)) })
	out.Causes = append(out.Causes, cause)
}

func outcome(c *Condition) string {
	if c.Outcome != "" {
		return c.Outcome
	}
	return c.Value
}

// values adds the data that are in the values.
func (c *contrast) values(out *Against, l, r *Answer) {
	for _, a := range []*Answer{l, r} {
		list := a.Data
		if a.Where != nil {
			list = []Leaf{*a.Where}
		}
		for i := range list {
			k := list[i].label.Key()
			if (c.left[k] != nil || c.right[k] != nil) && !c.told[k] && c.differs(k) {
				out.Causes = append(out.Causes, c.cause(k, kindOf(k.Kind)))
			}
		}
	}
}

// rest adds facts that both look at and that differ; of other places it counts how many.
func (c *contrast) rest(out *Against) {
	var facts, others []provenance.LabelKey
	for _, side := range []map[provenance.LabelKey]*Leaf{c.left, c.right} {
		for k := range side {
			if c.told[k] || !c.differs(k) || slices.Contains(facts, k) || slices.Contains(others, k) {
				continue
			}
			if k.Kind == provenance.Fact && c.left[k] != nil && c.right[k] != nil {
				facts = append(facts, k)
			} else if k.Kind != provenance.Absence {
				others = append(others, k)
			}
		}
	}
	order := func(a, b provenance.LabelKey) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Ordinal, b.Ordinal))
	}
	facts = slices.DeleteFunc(facts, func(k provenance.LabelKey) bool { // a part of it says more
		return slices.ContainsFunc(facts, func(o provenance.LabelKey) bool { return strings.HasPrefix(o.Path, k.Path+".") })
	})
	slices.SortFunc(facts, order)
	slices.SortFunc(others, func(a, b provenance.LabelKey) int {
		return cmp.Or(cmp.Compare(weight(kindOf(a.Kind)), weight(kindOf(b.Kind))), order(a, b))
	})
	for _, k := range facts {
		out.Causes = append(out.Causes, c.cause(k, "fact"))
	}
	if len(out.Causes) == 0 { // what there is
		n := min(len(others), 3)
		for _, k := range others[:n] {
			out.Causes = append(out.Causes, c.cause(k, kindOf(k.Kind)))
		}
		others = others[n:]
	}
	out.Rest = len(others)
}

func kindOf(k provenance.LabelKind) string {
	switch {
	case k == provenance.Fact:
		return "fact"
	case k.InData():
		return "data"
	case k == provenance.NodeName:
		return "node name"
	}
	return "code"
}

// weight sorts causes: facts, then data, then code.
func weight(kind string) int {
	return slices.Index([]string{"fact", "data", "code", "node name"}, kind)
}

// Text shows why two records differ.
func (g *Against) Text(w io.Writer, show Show) {
	fmt.Fprintln(w, paint(show.Style.Place, g.Query))
	wide := max(len(g.Left.Of), len(g.Right.Of))
	for _, h := range []*Half{&g.Left, &g.Right} {
		text := "is not there"
		switch {
		case h.Sensitive:
			text = "(sensitive)"
		case h.Present && h.value != nil:
			text = cut(oneLine(value.Literal(h.value), 160), 160)
		case h.Present:
			text = "is there"
		}
		fmt.Fprintf(w, "  %-*s  %s\n", wide, h.Of, text)
	}
	if g.Commit != nil {
		fmt.Fprintln(w, g.Commit)
	}
	if g.Note != "" {
		fmt.Fprintln(w, g.Note)
	}
	if g.Same {
		fmt.Fprintln(w, "It is the same.")
		return
	}
	if len(g.Causes) > 0 {
		fmt.Fprintln(w, "because")
	}
	p := &page{w: w, Show: show}
	for i := range g.Causes {
		if p.enough(i, 8) {
			p.add("", nil, fmt.Sprintf("… %d more (--all lists them)", len(g.Causes)-i))
			break
		}
		c := &g.Causes[i]
		c.row(p, g, c.Kind)
		for j := range c.Facts {
			c.Facts[j].row(p, g, "")
		}
	}
	p.flush()
	switch {
	case g.Rest > 0:
		fmt.Fprintf(w, "and %s that decide it differ, too\n", plural(g.Rest, "other place"))
	case len(g.Causes) == 0:
		fmt.Fprintln(w, "No datum that decides it differs: the code does.")
	}
}

// row shows a cause with what it is on either side.
func (c *Cause) row(p *page, g *Against, label string) {
	at := c.LeftAt
	if at == nil {
		at = c.RightAt
	}
	what := c.Text
	if what == "" && at != nil {
		what = at.Text
	}
	if c.Kind == "decision" {
		label = ""
	}
	var remarks []string
	switch {
	case c.OnlyLeft:
		remarks = append(remarks, g.Left.Of+": "+c.Left+", only there")
	case c.OnlyRight:
		remarks = append(remarks, g.Right.Of+": "+c.Right+", only there")
	default:
		remarks = append(remarks, g.Left.Of+": "+c.Left, g.Right.Of+": "+c.Right)
	}
	if c.RightAt != nil && c.LeftAt != nil && c.RightAt.String() != c.LeftAt.String() {
		remarks = append(remarks, "there at "+c.RightAt.String())
	}
	p.add(label, at, what, remarks...)
}
