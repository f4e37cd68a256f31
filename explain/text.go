package explain

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A View says which part of an answer to show.
type View uint8

// The views: Whole is the answer with its evidence, the others are one reading each.
const (
	Whole View = iota
	WhereView
	ExpressionView
	DependencyView
)

const (
	width           = 100 // columns that an answer should fit
	shownConditions = 5   // of an answer, unless all are asked for
	shownBranches   = 3
	shownAttributes = 30
	shownItems      = 20
)

// Show is how an answer is shown: the zero Show gives people what they want to know first, in plain text.
type Show struct {
	View  View
	Style source.Style
	All   bool // nothing is left out, however long it gets
}

// enough reports whether a list has got too long to be shown on.
func (s *Show) enough(i, most int) bool { return i >= most && !s.All }

// Text shows an answer to people: the answer first, then the evidence, nearest first.
func (a *Answer) Text(w io.Writer, show Show) {
	p := &page{w: w, Show: show}
	switch show.View {
	case WhereView:
		p.where(a)
		return
	case ExpressionView:
		p.expression(a)
		return
	case DependencyView:
		p.dependency(a)
		return
	}
	p.head(a)
	switch a.Kind {
	case "hiera":
		p.levels(a)
	case "fact":
	default:
		p.evidence(a)
	}
	p.flush()
	p.foot(a)
}

// A row is one piece of evidence: what it is, where it stands, what stands there, and remarks.
type row struct {
	label, place, text string
	remarks            []string
	at                 *Spot
}

type page struct {
	Show
	w    io.Writer
	rows []row
}

func (p *page) add(label string, at *Spot, text string, remarks ...string) *row {
	r := row{label: label, text: text, remarks: remarks, at: at}
	if at != nil {
		r.place = at.String()
		if at.Change != nil {
			r.remarks = append(r.remarks, at.Change.String())
		}
	}
	p.rows = append(p.rows, r)
	return &p.rows[len(p.rows)-1]
}

// String is the change in a line.
func (c *Change) String() string {
	s := "last changed " + c.Date + " by " + c.Author + " in " + c.Commit
	if c.Summary != "" {
		s += ": " + oneLine(c.Summary, 60)
	}
	return s
}

// flush writes the rows. Texts stand beside their places when all fit, else below them.
func (p *page) flush() {
	const indent = 11
	places, beside := 0, true
	for _, r := range p.rows {
		if r.place != "" {
			places = max(places, utf8.RuneCountInString(r.place))
		}
	}
	for _, r := range p.rows {
		if r.place != "" && r.text != "" && indent+places+3+utf8.RuneCountInString(r.text) > width {
			beside = false
		}
	}
	for _, r := range p.rows {
		label := fmt.Sprintf("  %-8s ", r.label)
		switch {
		case r.place == "":
			fmt.Fprintf(p.w, "%s%s\n", label, r.text)
		case r.text == "":
			fmt.Fprintf(p.w, "%s%s\n", label, paint(p.Style.Place, r.place))
		case beside:
			pad := strings.Repeat(" ", places-utf8.RuneCountInString(r.place))
			fmt.Fprintf(p.w, "%s%s%s   %s\n", label, paint(p.Style.Place, r.place), pad, r.text)
		default:
			fmt.Fprintf(p.w, "%s%s\n%s%s\n", label, paint(p.Style.Place, r.place), strings.Repeat(" ", indent+2), r.text)
		}
		for _, s := range r.remarks {
			fmt.Fprintf(p.w, "%s%s\n", strings.Repeat(" ", indent+2), paint(p.Style.Faint, s))
		}
	}
	p.rows = nil
}

func paint(f func(string) string, s string) string {
	if f == nil || s == "" {
		return s
	}
	return f(s)
}

// head is the answer itself.
func (p *page) head(a *Answer) {
	switch a.Kind {
	case "absent":
		fmt.Fprintf(p.w, "%s is not set on %s\n", a.Attribute, a.Resource)
	case "resource":
		fmt.Fprintf(p.w, "%s\n", paint(p.Style.Place, a.Resource))
	case "edge":
		fmt.Fprintf(p.w, "%s\n", value.ToString(a.value))
	case "line":
		if a.Sensitive || a.value == nil {
			fmt.Fprintf(p.w, "%s:%d\n", a.Key, a.Line)
		} else {
			fmt.Fprintf(p.w, "%s:%d   %s\n", a.Key, a.Line, value.ToString(a.value))
		}
	case "list":
		fmt.Fprintf(p.w, "%s: %s of %s\n", a.Query, plural(len(a.Listed), "resource"), a.Node)
	case "hiera":
		p.value(a)
	default:
		p.value(a)
	}
}

func (p *page) value(a *Answer) {
	if a.Sensitive {
		fmt.Fprintf(p.w, "%s\n", catalog.Redacted)
		return
	}
	if s, ok := a.value.(value.String); ok && strings.Contains(strings.TrimSuffix(string(s), "\n"), "\n") {
		p.block(a, string(s))
		return
	}
	fmt.Fprintf(p.w, "%s\n", cut(valueText(a.Attribute, a.value), 400))
}

// isBlock reports whether the value is shown as lines with the data in them listed, so that they need not be listed
// again.
func (a *Answer) isBlock() bool {
	s, ok := a.value.(value.String)
	return ok && len(a.Pieces) > 0 && strings.Contains(strings.TrimSuffix(string(s), "\n"), "\n")
}

// valueText is a value as Puppet code has it. What a relationship attribute names are references, whether or not the
// catalog that we have still knows them as such.
func valueText(attribute string, v value.Value) string {
	switch attribute {
	case "before", "notify", "require", "subscribe":
		a, ok := v.(*value.Array)
		if !ok {
			a = value.NewArray(v)
		}
		refs := make([]string, a.Len())
		for i, e := range a.Elems {
			if t, ok := e.(catalog.Reference); ok {
				refs[i], _ = t.Reference()
			} else {
				refs[i] = value.ToString(e)
			}
		}
		return strings.Join(refs, ", ")
	}
	if t, ok := v.(catalog.Reference); ok {
		if ref, ok := t.Reference(); ok {
			return ref
		}
	}
	return value.Literal(v)
}

func cut(s string, most int) string {
	if n := utf8.RuneCountInString(s); n > most {
		return string([]rune(s)[:most]) + fmt.Sprintf("… (%d characters)", n)
	}
	return s
}

// block shows a text of several lines. The data in it are numbered, and listed below.
func (p *page) block(a *Answer, text string) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	marks := make([]string, len(lines)+1)
	number := map[provenance.LabelKey]int{}
	var notes []*Leaf
	for i := range a.Pieces {
		piece := &a.Pieces[i]
		if piece.literal {
			continue
		}
		for j := range piece.From {
			l := &piece.From[j]
			if l.Kind == "literal" && len(piece.From) > 1 && piece.better(l) {
				continue
			}
			n, known := number[l.label.Key()]
			if !known {
				l.Through = a.through(l)
				notes = append(notes, l)
				n = len(notes)
				number[l.label.Key()] = n
			}
			at := min(piece.Line, len(lines)) - 1
			if mark := fmt.Sprintf(" [%d]", n); !strings.Contains(marks[at]+" ", mark+" ") {
				marks[at] += mark
			}
		}
	}
	most := 40
	if p.All {
		most = len(lines)
	}
	wide := 0
	for i, l := range lines[:min(len(lines), most)] {
		if marks[i] != "" {
			wide = max(wide, min(utf8.RuneCountInString(l), 70))
		}
	}
	for i, l := range lines {
		if i == most {
			fmt.Fprintf(p.w, "  … %d more lines (--all shows them)\n", len(lines)-most)
			break
		}
		if marks[i] == "" {
			fmt.Fprintf(p.w, "  | %s\n", l)
			continue
		}
		fmt.Fprintf(p.w, "  | %s%s  %s\n", l, strings.Repeat(" ", max(0, wide-utf8.RuneCountInString(l))),
			paint(p.Style.Faint, marks[i]))
	}
	for i, l := range notes {
		p.leaf(fmt.Sprintf("[%d]", i+1), l)
	}
	p.flush()
}

// better reports whether a part has data that say more than a literal: such as are no literals, or stand outside of the
// template that the literal is in.
func (p *Piece) better(l *Leaf) bool {
	for i := range p.From {
		o := &p.From[i]
		if o.Kind != "literal" || o.At != nil && l.At != nil && o.At.File != l.At.File && !isManifest(l.At.File) {
			return true
		}
	}
	return false
}

func isManifest(file string) bool { return strings.HasSuffix(file, ".pp") }

// isMany reports whether a datum is a container of several lines, whose text says little when it is cut.
func (l *Leaf) isMany() bool { return strings.Contains(l.label.Place.Text(), "\n") }

// through finds the steps of a leaf that is among the data.
func (a *Answer) through(l *Leaf) []Step {
	for i := range a.Data {
		if a.Data[i].label.Key() == l.label.Key() {
			return a.Data[i].Through
		}
	}
	return nil
}

// describe is a leaf in one phrase: what it is and where.
func (l *Leaf) describe() string {
	at := ""
	if l.At != nil {
		at = l.At.String()
	}
	switch l.Kind {
	case "key", "alias":
		s := at + " (the " + l.Kind + " of " + l.Path + " in Hiera's data"
		if l.Level != "" {
			s += ", level \"" + l.Level + "\""
		}
		return s + ")"
	case "datum":
		s := at + " (Hiera key " + l.Path
		if l.Entries {
			s = at + " (which entries Hiera key " + l.Path + " has"
		}
		if l.Level != "" {
			s += ", level \"" + l.Level + "\""
		}
		return s + ")"
	case "fact":
		return "fact " + l.Path
	case "node name":
		return "the node's name"
	case "absence":
		return "no " + l.Path
	case "world":
		return l.Path
	}
	return at
}

// evidence is why the value is what it is.
func (p *page) evidence(a *Answer) {
	setText := ""
	if a.Set != nil {
		if setText = a.Set.Text; a.By != "" {
			p.add("set", a.Set, setText, "by "+a.By)
		} else {
			label := "set"
			if a.Kind == "resource" || a.Kind == "absent" {
				label = "declared"
			}
			p.add(label, a.Set, setText)
		}
	}
	if a.ExportedBy != "" {
		p.add("exported", nil, "by "+a.ExportedBy+"; this node has collected it")
	}
	p.several(a)
	answer := ""
	if a.value != nil {
		answer = short(a.value)
	}
	for _, s := range a.Steps {
		if s.Kind != "lookup" || s.At != nil { // an automatic one is told with the datum
			p.step(s, answer)
		}
	}
	switch {
	case a.Kind == "resource":
		p.title(a)
	case a.Where != nil:
		p.origin(a)
	case len(a.Data) > 0 && !a.isBlock():
		p.data(a)
	}
	if a.Parameter != nil && a.By == "" && !p.onLine(a.Parameter) {
		p.add("for", a.Parameter, a.Parameter.Text)
	}
	p.conditions(a.Conditions, shownConditions)
	p.via(a)
	if a.Kind == "resource" {
		p.flush()
		p.attributes(a)
	}
}

// several shows what an answer has many of: hops, resources, tags, further calls.
func (p *page) several(a *Answer) {
	for i := range a.Again {
		if p.enough(i, 5) {
			p.add("", nil, fmt.Sprintf("… %d more calls (--all lists them)", len(a.Again)-i))
			break
		}
		p.add("also by", &a.Again[i], a.Again[i].Text)
	}
	for i := range a.Path {
		if h := &a.Path[i]; len(a.Path) > 1 {
			line := ""
			if h.At != nil {
				line = h.At.Text
			}
			remarks := []string{h.sentence()}
			if h.Set != "" {
				remarks = append(remarks, "by "+h.Set)
			}
			p.add(fmt.Sprint(i+1), h.At, line, remarks...)
		}
	}
	for i := range a.Writers {
		w := &a.Writers[i]
		text := w.Resource
		if w.Note != "" {
			text += ": " + w.Note
		}
		p.add(w.How, w.At, text)
		if w.Written != nil {
			p.add("written", w.Written, w.Written.Text)
		}
		for j := range w.From {
			p.leaf("data", &w.From[j])
		}
	}
	for i := range a.Listed {
		if p.enough(i, 20) {
			p.add("", nil, fmt.Sprintf("… %d more (--all lists them)", len(a.Listed)-i))
			break
		}
		l := &a.Listed[i]
		var remarks []string
		if l.Why != "" {
			remarks = []string{l.Why}
		}
		p.add("", l.At, l.Resource, remarks...)
	}
	for _, t := range a.Tags {
		p.add("tag", nil, t.Name+"  ("+t.From+")")
	}
}

// via is how the declaration was reached: for a resource with the places, else in one line.
func (p *page) via(a *Answer) {
	if a.Kind != "resource" && !p.All {
		names := make([]string, len(a.Via))
		for i, v := range a.Via {
			names[i] = v.Name
		}
		if len(names) > 0 {
			p.add("via", nil, strings.Join(names, " > "))
		}
		return
	}
	label := "via"
	for _, v := range a.Via {
		p.add(label, v.At, v.Name)
		label = ""
	}
}

// step shows one step of the way: what it is, where it stands, and the value there unless it is that of the answer.
func (p *page) step(s Step, answer string) {
	text := s.describe()
	if s.Value != "" && s.Value != answer {
		text += " = " + s.Value
	}
	switch {
	case s.At != nil && p.onLine(s.At): // the line was shown just now
		p.add(s.label(), nil, text)
	case s.At == nil || s.At.Text == "":
		p.add(s.label(), s.At, text)
	default:
		p.add(s.label(), s.At, s.At.Text, text)
	}
}

// onLine reports whether the last row that has a place shows the same line.
func (p *page) onLine(at *Spot) bool {
	for i := len(p.rows) - 1; i >= 0; i-- {
		if s := p.rows[i].at; s != nil {
			return s.File == at.File && s.Line == at.Line
		}
	}
	return false
}

func (s *Step) label() string {
	switch s.Kind {
	case "override":
		return "instead"
	case "template":
		return "template"
	}
	return "from"
}

// describe is a step in one phrase.
func (s *Step) describe() string {
	switch s.Kind {
	case "parameter":
		switch {
		case s.In == "":
			return s.Name + ", a parameter of a lambda"
		case s.At == nil && strings.HasPrefix(s.In, "Class["):
			return s.Name + ", a parameter of " + s.In + ", looked up in Hiera"
		}
		return s.Name + ", a parameter of " + s.In
	case "default":
		return s.Name + ", the default of a parameter of " + s.In
	case "variable":
		if s.In != "" && !strings.HasPrefix(s.In, "Class[") {
			return "variable " + s.Name + " of " + s.In
		}
		return "variable " + s.Name
	case "lookup":
		return "Hiera key " + s.Name
	case "function":
		return "what " + s.Name + " returns"
	case "template":
		if s.Name == "" {
			return "an inline template"
		}
		return s.Name
	case "override":
		return "in place of what was set here"
	}
	return s.Name
}

// short is a step among others.
func (s *Step) short() string {
	switch s.Kind {
	case "template":
		return "template " + s.Name
	case "lookup":
		return "lookup('" + s.Name + "')"
	}
	return s.Name
}

// title shows where a resource's title comes from, unless it is written in the declaration.
func (p *page) title(a *Answer) {
	if a.Where == nil || a.Set != nil && a.Where.At != nil && a.Where.At.File == a.Set.File &&
		a.Where.At.Line == a.Set.Line {
		return
	}
	p.leaf("title", a.Where)
}

// origin shows the place that the value was copied from, unless it is the line that set it.
func (p *page) origin(a *Answer) {
	l := a.Where
	if l.Kind == "literal" && l.At != nil {
		shown := []*Spot{a.Set}
		if n := len(a.Steps); n > 0 {
			shown = append(shown, a.Steps[n-1].At)
		}
		for _, s := range shown {
			if s != nil && s.File == l.At.File && s.Line == l.At.Line {
				return
			}
		}
	}
	p.leaf("value", l)
}

func (p *page) leaf(label string, l *Leaf) {
	defer func() {
		if way := l.through(); way != "" {
			r := &p.rows[len(p.rows)-1]
			r.remarks = append(r.remarks, way)
		}
	}()
	switch l.Kind {
	case "datum", "key", "alias":
		remark := "Hiera key " + l.Path
		switch {
		case l.Kind == "key" && parentPath(l.Path) != "":
			remark = "a key of Hiera key " + parentPath(l.Path)
		case l.Kind != "datum":
			remark = "the " + l.Kind + " of " + remark
		}
		if l.Level != "" {
			remark += ", level \"" + l.Level + "\""
		}
		if l.Merge != "" {
			remark += ", merged (" + l.Merge + ")"
		}
		remarks := []string{remark}
		for _, h := range l.Hides {
			remarks = append(remarks, "hides "+h.describe())
		}
		text := ""
		if l.At != nil {
			text = l.At.Text
		}
		p.add(label, l.At, text, remarks...)
	case "literal":
		p.add(label, l.At, l.At.Text)
	case "fact":
		text := "fact " + l.Path
		if l.Text != "" {
			text += " = " + oneLine(l.Text, 60)
		}
		p.add(label, nil, text)
	default:
		p.add(label, l.At, l.describe())
	}
}

// through names the steps between a part and the whole, the part's side first.
func (l *Leaf) through() string {
	const most = 5
	var names []string
	for i := len(l.Through) - 1; i >= 0; i-- {
		s := &l.Through[i]
		if s.Kind == "lookup" && s.At == nil || s.Kind == "template" && i == 0 {
			continue
		}
		if n := s.short(); len(names) == 0 || names[len(names)-1] != n {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return ""
	}
	if n := len(names); n > most {
		names = append(append(names[:most-1:most-1], "…"), names[n-1])
	}
	return "through " + strings.Join(names, ", ")
}

func (h *LevelSpot) describe() string {
	at := h.File
	if h.At != nil {
		at = h.At.String()
	}
	v := "(sensitive)"
	if !h.Sensitive {
		v = cut(value.Literal(h.value), 40)
	}
	return at + "  " + v + ", level \"" + h.Level + "\""
}

// data lists what a computed value is made of: facts and Hiera data first, literals after them.
func (p *page) data(a *Answer) {
	most := 8
	if p.All {
		most = len(a.Data) * 2
	}
	label := "made of"
	shown, literals := 0, 0
	for _, kind := range []bool{false, true} {
		for i := range a.Data {
			l := &a.Data[i]
			if (l.Kind == "literal") != kind {
				continue
			}
			if kind && (strings.Contains(l.Text, "\n") || shown >= most/2) || shown >= most {
				literals++
				continue
			}
			if kind && (l.At == nil || a.Set != nil && l.At.File == a.Set.File && l.At.Line == a.Set.Line) {
				continue
			}
			p.leaf(label, l)
			label = ""
			shown++
		}
	}
	if literals > 0 {
		p.add(label, nil, fmt.Sprintf("… %s (--all lists them)", plural(literals, "more piece")))
	}
}

// conditions shows decisions with what they look at.
func (p *page) conditions(list []Condition, most int) {
	for i := range list {
		c := &list[i]
		if p.enough(i, most) {
			p.add("", nil, fmt.Sprintf("… %s further away (--all lists them)", plural(len(list)-i, "condition")))
			break
		}
		var remarks []string
		for j := range c.Data {
			l := &c.Data[j]
			if p.enough(j, 3) {
				remarks = append(remarks, fmt.Sprintf("… %d more", len(c.Data)-j))
				break
			}
			what := l.describe()
			if left := width - 16 - utf8.RuneCountInString(what); l.Text != "" && left > 8 && !l.isMany() {
				what += " = " + oneLine(l.Text, left)
			}
			remarks = append(remarks, what)
		}
		p.add(c.Statement, c.At, c.describe(), remarks...)
	}
}

// describe is what was tested, its value, and the way that was taken.
func (c *Condition) describe() string {
	text := c.Text
	if text == "" {
		text = "(sensitive)"
	}
	if c.Statement == "if" || c.Statement == "unless" {
		if c.Value != "" && c.Value != c.Outcome {
			text += " = " + c.Value
		}
		return text + " (" + c.Outcome + ")"
	}
	if c.Value != "" {
		text += " = " + c.Value
	}
	switch c.Outcome {
	case c.Value:
		return text
	case "none":
		return text + ", which no option matches"
	}
	return text + ", takes " + c.Outcome
}

// attributes lists a resource's attributes, each with the place it comes from.
func (p *page) attributes(a *Answer) {
	names, values := 0, 0
	list := a.Attributes
	if !p.All {
		list = list[:min(len(list), shownAttributes)]
	}
	for _, s := range list {
		names = max(names, len(s.Name))
		values = max(values, utf8.RuneCountInString(s.shown()))
	}
	for i, s := range a.Attributes {
		if p.enough(i, shownAttributes) {
			fmt.Fprintf(p.w, "  … %d more (--all lists them)\n", len(a.Attributes)-i)
			break
		}
		from := ""
		switch {
		case s.From != nil:
			from = s.From.describe()
		case s.Set != nil && s.Places == 0: // an empty array or hash is made of nothing
			from = s.Set.String()
		case s.Set != nil:
			from = s.Set.String() + " (computed)"
		case s.Places > 0:
			from = "made of " + plural(s.Places, "place")
		}
		line := fmt.Sprintf("  %-*s => %s", names, s.Name, s.shown())
		pad := max(1, names+values+8-utf8.RuneCountInString(line))
		fmt.Fprintln(p.w, strings.TrimRight(line+strings.Repeat(" ", pad)+paint(p.Style.Faint, from), " "))
	}
}

func (s *Summary) shown() string {
	if s.Sensitive {
		return catalog.Redacted
	}
	return oneLine(valueText(s.Name, s.value), 42)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// foot counts the places that decide.
func (p *page) foot(a *Answer) {
	switch a.Kind {
	case "hiera", "fact":
		if r := a.Reaches; r != nil {
			fmt.Fprintf(p.w, "%s of %s; --reaches %s lists them.\n", reachPhrase(r), r.Node, r.Of)
		}
		return
	}
	places, absences := 0, 0
	for i := range a.Depends {
		if a.Depends[i].Kind == "absence" {
			absences++
		} else {
			places++
		}
	}
	what := "this value"
	switch a.Kind {
	case "resource":
		what = "that it is there"
	case "absent":
		what = "that"
	case "edge":
		what = "this relation"
	case "list":
		return
	case "line":
		if len(a.Depends) == 0 {
			return
		}
		what = "this content"
	case "tags":
		what = "these tags"
	}
	verb := "decide"
	if places == 1 {
		verb = "decides"
	}
	list := plural(places, "place")
	if absences > 0 {
		list += " and " + plural(absences, "absence")
		verb = "decide"
	}
	p.core(a)
	fmt.Fprintf(p.w, "%s %s %s (--dependency lists them); no other data can change it.\n", list, verb, what)
	if s := a.Core.phrase(); s != "" {
		fmt.Fprintf(p.w, "By changing them: %s.\n", s)
	}
}
