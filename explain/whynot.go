package explain

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/outline"
	"bunraku/puppet/record"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// A WhyNot says why a resource is not in the catalog.
type WhyNot struct {
	Version  int    `json:"version"`
	Node     string `json:"node"`
	Resource string `json:"resource"`
	Present  bool   `json:"present,omitempty"` // it is in the catalog after all
	Key      string `json:"key,omitempty"`     // of a Hiera key, in place of a resource
	Virtual  *Spot  `json:"virtual,omitempty"` // declared there, virtually, and never realized
	Missed   []Spot `json:"missed,omitempty"`  // collectors and calls of realize that ran and did not ask for it
	Defined  *Spot  `json:"defined,omitempty"` // a class, or the define of a resource, that no code declares
	// data that another node reads, or another level hides, and that names it
	Data    []Lead      `json:"data,omitempty"`
	Passed  []Branch    `json:"passed,omitempty"`  // branches that were not taken
	Code    []Near      `json:"code,omitempty"`    // declarations that this node does not reach
	Levels  []LevelSpot `json:"levels,omitempty"`  // of a Hiera key: where it was looked for
	Similar []string    `json:"similar,omitempty"` // in the catalog, spelt alike
	// from a side file: files that have changed since, whose code is not known any more
	Changed []string `json:"changed,omitempty"`

	relation bool // Resource is an arrow between two
}

// A Branch was not taken and leads to the declaration.
type Branch struct {
	At         *Spot       `json:"at"`
	In         string      `json:"in,omitempty"`
	Others     int         `json:"others,omitempty"` // how many more times it was passed over, in other instances
	Sure       bool        `json:"sure"`             // false: a name on the way is computed
	Ended      bool        `json:"ended,omitempty"`  // no branch: a jump ended the code before the declaration
	Conditions []Condition `json:"conditions,omitempty"`
	Hops       []Step      `json:"hops"` // the last is the declaration
	Data       []Leaf      `json:"data,omitempty"`
}

// A Near is a declaration in code that was not run.
type Near struct {
	At    *Spot  `json:"at"`
	In    string `json:"in,omitempty"`
	Sure  bool   `json:"sure"`
	State string `json:"state,omitempty"` // of the class or define around it
	// of a statement that ran: the titles that it had, and where they come from
	Ran    []string `json:"ran,omitempty"`
	Titles []Leaf   `json:"titles,omitempty"`

	likely bool // a part of the title is written out, or a title that it had is like the one that is missing
	nearby bool // its file has the title that is missing as a string, and no branch that might declare it stands nearer
	away   int  // how far from that string it stands
	like   int  // how much the title that is most like the one that is missing has in common with it, in percent
}

// A Lead is a datum that names what is missing, and what keeps this node from reading it.
type Lead struct {
	At     *Spot         `json:"at"`
	Path   string        `json:"path"`
	Level  string        `json:"level"`
	Needs  []record.Need `json:"needs,omitempty"`  // facts that would have to be others
	Hidden *Spot         `json:"hidden,omitempty"` // by the datum of a level further up
}

// WhyNot answers for Type[title].
func (rec *Record) WhyNot(ref string) (w *WhyNot, err error) {
	defer source.Catch(&err)
	if key, ok := strings.CutPrefix(strings.TrimSpace(ref), "hiera:"); ok {
		return rec.whyNotKey(key)
	}
	if from, to, refresh, arrow := splitArrow(ref); arrow {
		return rec.whyNotRelation(from, to, refresh)
	}
	n, ok := parseRef(strings.TrimSpace(ref))
	if !ok {
		return nil, &NotFound{Message: "\"" + ref + "\": --why-not takes a reference, Type[title]",
			Suggestions: rec.byText(ref)}
	}
	w = &WhyNot{Version: 1, Node: rec.Catalog.Name, Resource: n.String()}
	if r, err := rec.find(ref); err == nil {
		w.Resource, w.Present = r.Ref(), true
		return w, nil
	}
	w.Similar = rec.similar(n)
	virtual, passed, code := rec.missing(n)
	w.Virtual, w.Changed = rec.spot(virtual), rec.Changed
	if w.Virtual != nil {
		w.Missed = rec.missed(n)
	}
	for i, p := range passed {
		w.Passed = append(w.Passed, rec.branch(p, i < rec.most(shownBranches)))
	}
	sure := slices.ContainsFunc(code, func(d Declaration) bool { return d.Sure })
	nearest := nowhere
	for _, p := range passed {
		nearest = min(nearest, away(p.Branch, n.Title), away(p.Hops[0].Place, n.Title))
	}
	for _, d := range code {
		near := Near{At: rec.spot(d.Place), In: d.In, Sure: d.Sure, State: rec.stateOf(d.In), away: away(d.Place, n.Title)}
		near.nearby = near.away < nearest
		rec.ran(&near, n, d.Place)
		near.likely = d.Written || near.like > 0
		if !rec.inHops(w, &near) && (d.Sure || !sure || len(near.Ran) > 0 && near.nearby) {
			w.Code = append(w.Code, near)
		}
	}
	if len(w.Passed) == 0 && len(w.Code) == 0 && w.Virtual == nil && rec.Code != nil {
		name := n.Type
		if name == "Class" {
			name = n.Title
		}
		if d, f := rec.definition(outline.Class(name)); d != nil {
			w.Defined = rec.spot(source.Place{File: f, Span: d.Span()})
		}
	}
	slices.SortStableFunc(w.Code, func(a, b Near) int { // what ran with other titles is nearest
		return cmp.Or(cmp.Compare(a.far(), b.far()), -cmp.Compare(a.like, b.like), cmp.Compare(a.away, b.away))
	})
	w.Data = rec.leads(n)
	return w, nil
}

// far is how far a statement is from declaring what is missing.
func (n *Near) far() int {
	switch {
	case n.Sure && n.State == "evaluated":
		return 0
	case n.Sure && n.In == "":
		return 0
	case len(n.Ran) > 0 && n.nearby && !n.Sure:
		return 1
	case n.Sure:
		return 2
	case len(n.Ran) > 0 && n.likely:
		return farthestLikely
	case len(n.Ran) > 0:
		return 4
	case n.State == "evaluated":
		return 5
	}
	return 6
}

// farthestLikely is how far a statement is at most that is nearer than a branch which only might declare it.
const farthestLikely = 3

// branch is a branch as answers have it; its conditions are looked into if it is shown.
func (rec *Record) branch(p Passed, shown bool) Branch {
	b := Branch{At: rec.spot(p.Branch), In: p.In, Others: p.Others, Sure: p.Sure, Ended: p.Ended}
	if shown {
		b.Conditions = rec.conditions(p.Why)
		rec.lookInto(b.Conditions, rec.most(shownConditions))
	}
	for _, h := range p.Hops {
		b.Hops = append(b.Hops, Step{Kind: "hop", Name: h.Text, At: rec.spot(h.Place)})
	}
	return b
}

// nowhere is how far something is that is not there.
const nowhere = 1 << 30

// away is how many bytes lie between a statement and the nearest string in its file that is a title.
func away(p source.Place, title string) int {
	out := nowhere
	if p.File == nil {
		return out
	}
	for _, quoted := range []string{"'" + title + "'", `"` + title + `"`} {
		for from := 0; ; {
			i := strings.Index(p.File.Text[from:], quoted)
			if i < 0 {
				break
			}
			at := from + i
			out = min(out, max(int(p.Span.Start)-at, at-int(p.Span.End), 0))
			from = at + len(quoted)
		}
	}
	return out
}

// alike is how much two titles have in common at the beginning and the end, in percent; 0 if that is not half of them.
func alike(a, b string) int {
	most, n, m := min(len(a), len(b)), 0, 0
	for n < most && a[n] == b[n] {
		n++
	}
	for m < most-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	if all := max(len(a), len(b)); 2*(n+m) >= all && all > 0 {
		return 100 * (n + m) / all
	}
	return 0
}

// ran adds the titles that a statement had, if it ran, those first that are most like the one that is missing.
func (rec *Record) ran(n *Near, want catalog.Name, at source.Place) {
	const most = 5
	inside := func(p source.Place) bool {
		return p.File != nil && p.File.Name == at.File.Name && (at.Span.Contains(p.Span) || p.Span.Contains(at.Span))
	}
	type title struct {
		text string
		ref  provenance.Ref
		like int
	}
	var titles []title
	for _, r := range rec.Catalog.Resources {
		if r.Type == want.Type && inside(r.Place) {
			titles = append(titles, title{r.Title, r.TitleRef, alike(r.Title, want.Title)})
		}
	}
	for _, v := range rec.Unrealized {
		if v.Name.Type == want.Type && inside(v.Place) {
			titles = append(titles, title{v.Name.Title, 0, alike(v.Name.Title, want.Title)})
		}
	}
	slices.SortStableFunc(titles, func(a, b title) int { return -cmp.Compare(a.like, b.like) })
	seen := map[provenance.LabelKey]bool{}
	for _, t := range titles {
		n.Ran, n.like = append(n.Ran, t.text), max(n.like, t.like)
		for _, r := range rec.Trace.Flows(t.ref) {
			if l, ok := rec.Trace.Label(r); ok && !seen[l.Key()] && len(n.Titles) < most && !at.Span.Contains(l.Place.Span) {
				seen[l.Key()] = true
				n.Titles = append(n.Titles, rec.leaf(r))
			}
		}
	}
}

// leads are data that name a resource: in files that this node does not read, or of a level that another hides. Only
// keys count that the node asks for.
func (rec *Record) leads(n catalog.Name) (out []Lead) {
	if rec.Data == nil {
		return nil
	}
	title := n.Title
	if n.Type == "Class" {
		title = strings.ToLower(title)
	}
	asked := rec.askedKeys()
	for _, m := range rec.Data.Mentions(title) {
		root := RootKey(m.Path)
		if !asked[root] {
			continue
		}
		if lead, ok := rec.lead(m, root); ok {
			out = append(out, lead)
		}
	}
	slices.SortStableFunc(out, func(a, b Lead) int { return cmp.Compare(len(a.Needs), len(b.Needs)) })
	return out
}

func (rec *Record) lead(m record.Mention, root string) (lead Lead, ok bool) {
	lead = Lead{At: rec.spot(m.Place), Path: m.Path, Level: m.Level, Needs: m.Needs}
	if rec.secrets().keys[root] {
		lead.At.Text = ""
	}
	if !m.Here {
		return lead, len(m.Needs) > 0
	}
	h := rec.hieraOf(root)
	if h == nil || h.Merge != "first" {
		return lead, false
	}
	for _, lv := range h.Levels {
		if lv.Found {
			lead.Hidden = rec.spot(lv.Place)
			return lead, lv.Place.File != nil && lv.Place.File.Name != m.Place.File.Name
		}
	}
	return lead, false
}

// askedKeys are the keys that Hiera was asked for, found or not.
func (rec *Record) askedKeys() map[string]bool {
	out := map[string]bool{}
	rec.Trace.EachLeaf(func(_ provenance.Ref, l provenance.Label) {
		switch {
		case l.Kind.InData():
			out[RootKey(l.Path)] = true
		case l.Kind == provenance.Absence:
			if key, is := strings.CutPrefix(l.Path, "key "); is {
				key, _, _ = strings.Cut(key, " in file ")
				out[RootKey(key)] = true
			}
		}
	})
	return out
}

// whyNotKey says why Hiera has no value for a key: where it was looked for, and who else has it.
func (rec *Record) whyNotKey(key string) (*WhyNot, error) {
	if rec.Data == nil {
		return nil, &NotFound{Message: "this record does not say what Hiera has for " + key}
	}
	w := &WhyNot{Version: 1, Node: rec.Catalog.Name, Key: key}
	h := rec.hieraOf(key)
	if w.Present = h != nil && h.Found; w.Present {
		return w, nil
	}
	if h != nil {
		for _, lv := range h.Levels {
			w.Levels = append(w.Levels, rec.levelSpot(h, lv, false))
		}
	}
	var keys []string
	for k := range rec.askedKeys() {
		keys = append(keys, k)
	}
	for _, m := range rec.Data.Mentions(RootKey(key)) {
		if RootKey(m.Path) == m.Path && strings.EqualFold(m.Path, RootKey(key)) && !m.Here {
			lead, _ := rec.lead(m, m.Path)
			w.Data = append(w.Data, lead)
		}
	}
	slices.Sort(keys)
	if near := source.Nearest(key, keys); near != "" && near != key {
		w.Similar = []string{"hiera:" + near}
	}
	return w, nil
}

// Text shows why something is not there, nearest reason first.
func (n *WhyNot) Text(w io.Writer, show Show) {
	p := &page{w: w, Show: show}
	what, where := n.Resource, "in the catalog of "+n.Node
	if n.Key != "" {
		what, where = "Hiera key "+n.Key, "there for "+n.Node
	}
	is, not := "is "+where, "is not "+where
	if n.relation {
		is, not = "holds for "+n.Node, "does not hold for "+n.Node
	}
	if n.Present {
		fmt.Fprintf(w, "%s %s\n", what, is)
		return
	}
	fmt.Fprintf(w, "%s %s\n", what, not)
	if n.Virtual != nil {
		remark := "declared as a virtual resource; no collector and no realize() asked for it"
		if len(n.Passed) > 0 {
			remark = "declared as a virtual resource; what would realize it was passed over"
		}
		p.add("virtual", n.Virtual, n.Virtual.Text, remark)
	}
	certain := len(n.Passed) > 0 && (n.Passed[0].Sure || n.Virtual != nil)
	if certain {
		n.passed(p, shownBranches)
	}
	for i := range n.Missed {
		if p.enough(i, 3) {
			p.add("", nil, fmt.Sprintf("… %d more (--all lists them)", len(n.Missed)-i))
			break
		}
		p.add("missed", &n.Missed[i], n.Missed[i].Text, "this asks for others")
	}
	if n.Defined != nil {
		what := "this is what declares it, and no code of this environment asks for that"
		if strings.HasPrefix(n.Resource, "Class[") {
			what = "this is the class, and no code of this environment asks for it"
		}
		p.add("defined", n.Defined, n.Defined.Text, what)
	}
	for i := range n.Data {
		if p.enough(i, 5) {
			p.add("", nil, fmt.Sprintf("… %d more (--all lists them)", len(n.Data)-i))
			break
		}
		n.Data[i].row(p)
	}
	sure := n.Virtual != nil || certain || len(n.Data) > 0 ||
		slices.ContainsFunc(n.Code, func(c Near) bool { return c.Sure })
	if !sure && len(n.Similar) > 0 {
		fmt.Fprintf(w, "did you mean %s?\n", strings.Join(n.Similar, ", "))
	}
	most := 1
	likely := slices.IndexFunc(n.Code, func(c Near) bool { return c.far() > farthestLikely }) // branches come before
	if likely < 0 {
		likely = len(n.Code)
	}
	if !sure {
		most = shownBranches
	}
	for i := range n.Code {
		c := &n.Code[i]
		if i == likely && !certain {
			n.passed(p, most)
		}
		if p.enough(i, 5) {
			p.add("", nil, fmt.Sprintf("… %d more (--all lists them)", len(n.Code)-i))
			break
		}
		label := "code"
		if len(c.Ran) > 0 {
			label = "ran"
		}
		p.add(label, c.At, c.At.Text, c.remark())
		for j := range c.Titles {
			p.leaf("titles", &c.Titles[j])
		}
	}
	if !certain && likely >= len(n.Code) {
		n.passed(p, most)
	}
	for i := range n.Levels {
		l := &n.Levels[i]
		text := "level \"" + l.Level + "\": no such key"
		if l.NoFile {
			text = "level \"" + l.Level + "\": no such file"
		}
		p.rows = append(p.rows, row{label: "-", place: l.File, text: text})
	}
	p.flush()
	if n.Key == "" && n.Virtual == nil && n.Defined == nil && len(n.Passed) == 0 && len(n.Code) == 0 && len(n.Data) == 0 {
		if n.relation {
			fmt.Fprintf(w, "No branch that was passed over orders them.\n")
		} else {
			fmt.Fprintf(w, "No code in this environment declares it.\n")
		}
	}
	if n.Key != "" && len(n.Data) == 0 {
		fmt.Fprintf(w, "No data file that this environment's levels could lead to has the key.\n")
	}
	if len(n.Changed) > 0 {
		fmt.Fprintf(w, "%s changed since the side file was written; what did not run there is not known: %s\n",
			plural(len(n.Changed), "file"), clip(strings.Join(n.Changed, ", "), 200))
	}
	if sure && len(n.Similar) > 0 {
		fmt.Fprintf(w, "The catalog has %s\n", strings.Join(n.Similar, ", "))
	}
}

// row shows a datum that names what is missing.
func (l *Lead) row(p *page) {
	remarks := []string{"Hiera key " + l.Path + ", level \"" + l.Level + "\""}
	for _, need := range l.Needs {
		remarks = append(remarks, fmt.Sprintf("read where %s is '%s'; here it is '%s'", need.Variable, need.Wants, need.Is))
	}
	if l.Hidden != nil {
		remarks = append(remarks, "hidden by "+l.Hidden.String())
	}
	p.add("data", l.At, l.At.Text, remarks...)
}

// remark says what is to be known of a statement.
func (c *Near) remark() (remark string) {
	switch {
	case len(c.Ran) > 0:
		return "this ran, with the " + plural(len(c.Ran), "title") + " " + clip(strings.Join(c.Ran, ", "), 120)
	case c.In != "" && c.State == "not declared":
		remark = "in " + c.In + ", which this node does not have (--why-not 'Class[" + c.In + "]' goes on from there)"
	case c.State == "another node":
		remark = "in the statement of another node: " + c.In
	case c.In != "" && c.State == "evaluated":
		remark = "in " + c.In + ", which this node has, in code that did not run"
	case c.In != "":
		remark = "in " + c.In + ", " + c.State
	default:
		remark = "in code that did not run for this node"
	}
	if !c.Sure {
		remark += "; its title is computed"
	}
	return remark
}

// passed shows branches that were not taken.
func (n *WhyNot) passed(p *page, most int) {
	for i := range n.Passed {
		if p.enough(i, most) {
			p.add("", nil, fmt.Sprintf("… %d more branches like these (--all lists them)", len(n.Passed)-i))
			break
		}
		b := &n.Passed[i]
		last := b.Hops[len(b.Hops)-1]
		word := "would be declared"
		switch {
		case n.relation:
			word = "would be written"
		case n.Virtual != nil && b.Sure:
			word = "would be realized"
		case n.Virtual != nil:
			word = "might be realized (a name is computed, or a query)"
		case !b.Sure:
			word = "might be declared (a name is computed)"
		}
		label, by := "skipped", " by the branch that begins here"
		if b.Ended {
			label, by = "ended", " further down, but this ended the code here (return, next or break)"
		}
		p.add(label, b.At, "", word+by)
		if b.At.Text != "" {
			p.rows[len(p.rows)-1].text = b.At.Text
		}
		p.conditions(b.Conditions, 2)
		switch {
		case b.In != "" && b.Others > 0:
			p.add("in", nil, fmt.Sprintf("%s, and in %d others", b.In, b.Others))
		case b.In != "":
			p.add("in", nil, b.In)
		}
		for _, h := range b.Hops[:len(b.Hops)-1] {
			p.add("then", h.At, h.Name)
		}
		if last.At != nil && (last.At.File != b.At.File || last.At.Line != b.At.Line) {
			p.add("then", last.At, last.Name)
		}
	}
}

// inHops reports whether a declaration was named already. What a branch leads to by way of a class or define may have
// run elsewhere, which says more.
func (rec *Record) inHops(w *WhyNot, n *Near) bool {
	at := n.At
	for _, b := range w.Passed {
		if len(n.Ran) > 0 && len(b.Hops) > 1 {
			continue
		}
		for _, h := range b.Hops {
			if h.At != nil && at != nil && h.At.File == at.File && h.At.Line == at.Line {
				return true
			}
		}
	}
	return false
}

// stateOf says whether the class around a declaration is in the catalog.
func (rec *Record) stateOf(class string) string {
	if class == "" {
		return ""
	}
	if strings.HasPrefix(class, "node ") {
		return "another node"
	}
	if r := rec.Catalog.Find("Class[" + class + "]"); r != nil {
		return "evaluated"
	}
	typ, _ := catalog.ParseRef(class + "[x]")
	for _, r := range rec.Catalog.Resources {
		if r.Type == typ.Type {
			return "declared with other titles"
		}
	}
	return "not declared"
}

// declarations finds the statements that declare a resource, or a class, in parsed files.
func (rec *Record) declarations(files []*syntax.File, typ, title string) (out []Declaration) {
	for _, f := range files {
		look := func(in string, stmts []syntax.Expr) {
			for u := range outline.Uses(stmts, rec.Code.Effect) {
				if u.Kind != outline.Declares || u.Collected || u.Type != typ {
					continue
				}
				sure := u.Name == title || typ == "Class" && sameClass(u.Name, title)
				if sure || u.Name == "" && (u.Verb == "" || u.Verb == "class" || typ != "Class") && mayBe(f.Source, u, title) {
					out = append(out, Declaration{Place: source.Place{File: f.Source, Span: u.At.Span()}, In: in, Sure: sure,
						Written: writtenIn(f.Source, u) != ""})
				}
			}
		}
		look("", f.Body.Stmts)
		for _, d := range f.Defs {
			switch d := d.(type) {
			case *syntax.Class:
				look(d.Name, d.Body.Stmts)
			case *syntax.Define:
				look(d.Name, d.Body.Stmts)
			case *syntax.NodeDef:
				var hosts []string
				for _, h := range d.Hosts {
					hosts = append(hosts, f.Source.Slice(h.Span()))
				}
				look("node "+strings.Join(hosts, ", "), d.Body.Stmts)
			}
		}
	}
	return out
}

var interpolated = regexp.MustCompile(`\$\{[^}]*\}|\$[a-z0-9_:]+`)

// mayBe reports whether a computed title can be a text: the parts of it that are written out must fit.
func mayBe(f *source.File, u outline.Use, text string) bool {
	pattern := writtenIn(f, u)
	return pattern == "" || fits(pattern, text)
}

// writtenIn is a pattern of the parts of a computed title that are written out, "" if there are none.
func writtenIn(f *source.File, u outline.Use) string {
	if u.By == nil || u.Verb != "" && u.Verb != "class" { // what a call names is a type
		return ""
	}
	written := f.Slice(u.By.Span())
	if n := len(written); n < 2 || written[0] != '"' || written[n-1] != '"' || strings.ContainsAny(written, "\\*?") {
		return ""
	}
	pattern := interpolated.ReplaceAllString(written[1:len(written)-1], "*")
	if strings.Trim(pattern, "*") == "" {
		return ""
	}
	return pattern
}

func sameClass(a, b string) bool {
	return strings.EqualFold(strings.TrimPrefix(a, "::"), strings.TrimPrefix(b, "::"))
}
