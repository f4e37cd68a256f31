package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
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
//
// Among those places one difference follows from another: a fact chooses the entry of a table, and then each side has
// an entry that the other makes no use of; the node's name chooses a file, and then all that is read there stands where
// the other side has nothing, though its own file may say the same. So data of one key in files of their own are one
// place; and what only one side makes use of while the other has it as well comes last (class).

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
	Kind      string  `json:"kind"` // decision, fact, data, code, node name, world
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
	c := newContrast(left, right, l, r)
	c.decisions(out, l, r)
	c.values(out, l, r)
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
	records [2]*Record
	places  [2]map[provenance.LabelKey]*Leaf // that decide the slot, of either side
	// other leads from a datum that only one side has to the datum of the same key that only the other has, and back
	other map[provenance.LabelKey]provenance.LabelKey
	ran   [2]map[provenance.LabelKey]bool // literals that were evaluated, made when it is asked for
	told  map[provenance.LabelKey]bool
}

func newContrast(left, right *Record, l, r *Answer) *contrast {
	c := &contrast{records: [2]*Record{left, right}, other: map[provenance.LabelKey]provenance.LabelKey{},
		told: map[provenance.LabelKey]bool{}}
	for side, a := range []*Answer{l, r} {
		c.places[side] = map[provenance.LabelKey]*Leaf{}
		for i := range a.Depends {
			leaf := &a.Depends[i]
			c.places[side][leaf.label.Key()] = leaf
		}
	}
	c.pair()
	return c
}

// pair finds data that stand in files of either side's own: one node's, one role's. That the same key is read there and
// here is one place that differs, or none at all if it is the same datum, and not two.
func (c *contrast) pair() {
	type slot struct {
		kind provenance.LabelKind
		path string
	}
	var alone [2]map[slot][]provenance.LabelKey
	for side, list := range c.places {
		alone[side] = map[slot][]provenance.LabelKey{}
		for k := range list {
			if k.Kind.InData() && c.places[1-side][k] == nil {
				alone[side][slot{k.Kind, k.Path}] = append(alone[side][slot{k.Kind, k.Path}], k)
			}
		}
	}
	for s, left := range alone[0] {
		if right := alone[1][s]; len(left) == 1 && len(right) == 1 {
			c.other[left[0]], c.other[right[0]] = right[0], left[0]
		}
	}
}

// datum is what stands at a place, for comparing.
func (l *Leaf) datum() string {
	if l.label.Place.File == nil {
		return l.Text
	}
	return l.label.Place.Text()
}

// sides are a place, or the two that are paired, as either side has it.
func (c *contrast) sides(k provenance.LabelKey) (l, r *Leaf) {
	l, r = c.places[0][k], c.places[1][k]
	if o, paired := c.other[k]; paired && l == nil {
		l = c.places[0][o]
	} else if paired {
		r = c.places[1][o]
	}
	return l, r
}

// differs reports whether a place is not the same on both sides.
func (c *contrast) differs(k provenance.LabelKey) bool {
	l, r := c.sides(k)
	return l == nil || r == nil || l.datum() != r.datum()
}

// How much a place that differs says about why. What differs makes other places differ: a fact chooses the entry of a
// table, the node's name its file of data.
const (
	isOther  = iota // it has another datum there, or a datum that the other side has not got
	isRun           // code that ran on one side only
	isNamed         // the node's name, which is always another, and what the world says
	isChosen        // both sides have it, and one makes use of it
	isSame          // code that stands on both sides, only not in one place
)

// class is how much a place that differs says.
func (c *contrast) class(k provenance.LabelKey) int {
	l, r := c.sides(k)
	side, mine := 0, l
	if l == nil {
		side, mine = 1, r
	}
	there := c.records[1-side]
	switch {
	case k.Kind == provenance.NodeName || kindOf(k) == "world":
		return isNamed
	case l != nil && r != nil:
		return isOther
	case k.Kind.InData():
		if h := there.hieraOf(RootKey(k.Path)); h != nil {
			for _, lv := range h.Levels {
				if f := lv.Place.File; lv.Found && f != nil && f.Name == k.File && sameText(f, mine.label.Place.File) {
					return isChosen
				}
			}
		}
		return isOther
	case k.Kind == provenance.Literal:
		if c.evaluated(1-side, k) {
			return isChosen
		}
		for o, x := range c.places[1-side] {
			if o.Kind == k.Kind && c.places[side][o] == nil && x.datum() == mine.datum() && !c.evaluated(side, o) {
				return isSame
			}
		}
		return isRun
	}
	return isOther
}

func sameText(a, b *source.File) bool { return a == b || a != nil && b != nil && a.Text == b.Text }

// evaluated reports whether a literal was evaluated on a side, and stands in the same text on both.
func (c *contrast) evaluated(side int, k provenance.LabelKey) bool {
	if c.ran[side] == nil {
		c.ran[side] = map[provenance.LabelKey]bool{}
		c.records[side].Trace.EachLeaf(func(_ provenance.Ref, l provenance.Label) {
			if l.Kind != provenance.Literal {
				return
			}
			key := l.Key()
			was := c.places[1-side][key]
			c.ran[side][key] = was == nil || sameText(was.label.Place.File, l.Place.File)
		})
	}
	return c.ran[side][k]
}

// ranked are places that differ, those that say most first: of such that say as much, those whose data flow on come
// before those that only had a say, facts before data before code, and nearest first.
func (c *contrast) ranked(places []provenance.LabelKey, flows map[provenance.LabelKey]bool) []provenance.LabelKey {
	type rank struct{ class, flows, kind, at int }
	ranks := map[provenance.LabelKey]rank{}
	var out []provenance.LabelKey
	for i, k := range places {
		if _, seen := ranks[k]; seen || c.told[k] || k.Kind == provenance.Absence || !c.differs(k) {
			continue
		}
		o, paired := c.other[k]
		if _, seen := ranks[o]; paired && seen {
			continue
		}
		x := rank{class: c.class(k), kind: weight(kindOf(k)), at: i}
		if !flows[k] && !(paired && flows[o]) {
			x.flows = 1
		}
		ranks[k] = x
		out = append(out, k)
	}
	known := append(slices.Collect(maps.Keys(c.told)), out...)
	out = slices.DeleteFunc(out, func(k provenance.LabelKey) bool { // a part of a fact says more than the whole
		return kindOf(k) == "fact" && slices.ContainsFunc(known, func(o provenance.LabelKey) bool {
			return o.Kind == k.Kind && strings.HasPrefix(o.Path, k.Path+".")
		})
	})
	slices.SortStableFunc(out, func(a, b provenance.LabelKey) int {
		x, y := ranks[a], ranks[b]
		return cmp.Or(cmp.Compare(x.class, y.class), cmp.Compare(x.flows, y.flows), cmp.Compare(x.kind, y.kind),
			cmp.Compare(x.at, y.at))
	})
	return out
}

// cause is one place that differs.
func (c *contrast) cause(k provenance.LabelKey) Cause {
	c.told[k] = true
	if o, paired := c.other[k]; paired {
		c.told[o] = true
	}
	l, r := c.sides(k)
	out := Cause{Kind: kindOf(k), OnlyLeft: r == nil, OnlyRight: l == nil}
	for _, x := range []*Leaf{l, r} {
		if x == nil {
			continue
		}
		shown := clip(oneLine(x.Text, 60), 60)
		if x.Sensitive {
			shown = "(sensitive)"
		}
		if out.Text == "" {
			what := x.describe()
			if x.At != nil {
				what = strings.TrimPrefix(strings.TrimPrefix(what, x.At.String()), " ")
			}
			out.Text = strings.TrimSuffix(strings.TrimPrefix(what, "("), ")")
		}
		if x == l {
			out.Left, out.LeftAt = shown, x.At
		} else {
			if l != nil && l.Level != r.Level {
				out.Text += ", there level \"" + r.Level + "\""
			}
			out.Right, out.RightAt = shown, x.At
		}
	}
	return out
}

// decisions adds the earliest decision that went another way.
func (c *contrast) decisions(out *Against, l, r *Answer) {
	other := map[string]*Condition{}
	key := func(x *Condition) string { return x.Statement + x.Text + x.At.String() }
	for i := range r.Conditions {
		other[key(&r.Conditions[i])] = &r.Conditions[i]
	}
	var first *Condition
	for i := range l.Conditions {
		x := &l.Conditions[i]
		if o := other[key(x)]; o != nil && outcome(o) != outcome(x) &&
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
	var places []provenance.LabelKey
	flows := map[provenance.LabelKey]bool{}
	for side, refs := range [][]provenance.Ref{first.refs, o.refs} {
		t := c.records[side].Trace
		for _, r := range t.Flows(refs...) {
			if label, ok := t.Label(r); ok {
				flows[label.Key()] = true
			}
		}
		t.Near(func(r provenance.Ref) bool {
			if label, ok := t.Label(r); ok && (c.places[0][label.Key()] != nil || c.places[1][label.Key()] != nil) {
				places = append(places, label.Key())
			}
			return true
		}, refs...)
	}
	for _, k := range c.ranked(places, flows) {
		if k.Kind != provenance.Key && c.class(k) != isSame {
			cause.Facts = append(cause.Facts, c.cause(k))
		}
	}
	out.Causes = append(out.Causes, cause)
}

func outcome(c *Condition) string {
	if c.Outcome != "" {
		return c.Outcome
	}
	return c.Value
}

// values adds the data that are in the values, and the facts that both look at and that differ; of other places it
// counts how many.
func (c *contrast) values(out *Against, l, r *Answer) {
	var places []provenance.LabelKey
	flows := map[provenance.LabelKey]bool{}
	for _, a := range []*Answer{l, r} {
		list := a.Data
		if a.Where != nil {
			list = []Leaf{*a.Where}
		}
		for i := range list {
			if k := list[i].label.Key(); c.places[0][k] != nil || c.places[1][k] != nil {
				flows[k] = true
				places = append(places, k)
			}
		}
	}
	for _, a := range []*Answer{l, r} {
		for i := range a.Depends {
			places = append(places, a.Depends[i].label.Key())
		}
	}
	var rest []provenance.LabelKey
	root := len(out.Causes) > 0 // something was told that does not follow from another difference
	for _, k := range c.ranked(places, flows) {
		class, flow := c.class(k), flows[k] || flows[c.other[k]]
		x, y := c.sides(k)
		switch {
		case flow && class != isSame, class == isOther && k.Kind != provenance.Key && x != nil && y != nil,
			class <= isRun && !root:
			out.Causes = append(out.Causes, c.cause(k))
			root = root || flow && class <= isRun || len(out.Causes) == 2
		default:
			rest = append(rest, k)
		}
	}
	if len(out.Causes) == 0 { // what there is
		n := min(len(rest), 3)
		for _, k := range rest[:n] {
			out.Causes = append(out.Causes, c.cause(k))
		}
		rest = rest[n:]
	}
	out.Rest = len(rest)
}

// kindOf is what sort of cause a place is. What a node's certificate says are facts, though not the node's own word.
func kindOf(k provenance.LabelKey) string {
	switch {
	case k.Kind == provenance.Fact || isTrusted(k):
		return "fact"
	case k.Kind.InData():
		return "data"
	case k.Kind == provenance.NodeName:
		return "node name"
	case k.Kind == provenance.World:
		return "world"
	}
	return "code"
}

func isTrusted(k provenance.LabelKey) bool {
	return k.Kind == provenance.World && strings.HasPrefix(k.Path, "trusted.")
}

// weight sorts causes: facts, then data, then code.
func weight(kind string) int {
	return slices.Index([]string{"fact", "data", "code", "node name", "world"}, kind)
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
