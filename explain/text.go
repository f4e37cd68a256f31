package explain

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"bunraku/catalog"
	"bunraku/provenance"
	"bunraku/source"
	"bunraku/value"
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

const width = 100 // columns that an answer should fit

// Text shows an answer to people: the answer first, then the evidence, nearest first.
func (a *Answer) Text(w io.Writer, view View, style source.Style) {
	p := &page{w: w, style: style}
	switch view {
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
}

type page struct {
	w     io.Writer
	style source.Style
	rows  []row
}

func (p *page) add(label string, at *Spot, text string, remarks ...string) {
	r := row{label: label, text: text, remarks: remarks}
	if at != nil {
		r.place = at.String()
		if at.Change != nil {
			r.remarks = append(r.remarks, at.Change.String())
		}
	}
	p.rows = append(p.rows, r)
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
			fmt.Fprintf(p.w, "%s%s\n", label, paint(p.style.Place, r.place))
		case beside:
			pad := strings.Repeat(" ", places-utf8.RuneCountInString(r.place))
			fmt.Fprintf(p.w, "%s%s%s   %s\n", label, paint(p.style.Place, r.place), pad, r.text)
		default:
			fmt.Fprintf(p.w, "%s%s\n%s%s\n", label, paint(p.style.Place, r.place), strings.Repeat(" ", indent+2), r.text)
		}
		for _, s := range r.remarks {
			fmt.Fprintf(p.w, "%s%s\n", strings.Repeat(" ", indent+2), paint(p.style.Faint, s))
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
		fmt.Fprintf(p.w, "%s\n", paint(p.style.Place, a.Resource))
	case "edge":
		fmt.Fprintf(p.w, "%s\n", value.ToString(a.value))
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

// isBlock reports whether the value is shown as lines with the data in them listed, so that they need not be listed again.
func (a *Answer) isBlock() bool {
	s, ok := a.value.(value.String)
	return ok && len(a.Pieces) > 0 && strings.Contains(strings.TrimSuffix(string(s), "\n"), "\n")
}

// valueText is a value as Puppet code has it. What a relationship attribute names are references, whether or not the catalog that we
// have still knows them as such.
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
			if l.Kind == "literal" && len(piece.From) > 1 {
				continue
			}
			n, known := number[l.label.Key()]
			if !known {
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
	const most = 40
	wide := 0
	for i, l := range lines[:min(len(lines), most)] {
		if marks[i] != "" {
			wide = max(wide, min(utf8.RuneCountInString(l), 70))
		}
	}
	for i, l := range lines {
		if i == most {
			fmt.Fprintf(p.w, "  … %d more lines\n", len(lines)-most)
			break
		}
		if marks[i] == "" {
			fmt.Fprintf(p.w, "  | %s\n", l)
			continue
		}
		fmt.Fprintf(p.w, "  | %s%s  %s\n", l, strings.Repeat(" ", max(0, wide-utf8.RuneCountInString(l))), paint(p.style.Faint, marks[i]))
	}
	for i, l := range notes {
		p.leaf(fmt.Sprintf("[%d]", i+1), l)
	}
	p.flush()
}

// describe is a leaf in one phrase: what it is and where.
func (l *Leaf) describe() string {
	at := ""
	if l.At != nil {
		at = l.At.String()
	}
	switch l.Kind {
	case "datum":
		s := at + " (Hiera key " + l.Path
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
	for _, s := range a.Steps {
		p.step(s)
	}
	switch {
	case a.Kind == "resource":
		p.title(a)
	case a.Where != nil:
		p.origin(a)
	case len(a.Data) > 0 && !a.isBlock():
		p.data(a)
	}
	p.conditions(a.Conditions)
	if len(a.Via) > 0 {
		names := make([]string, len(a.Via))
		for i, v := range a.Via {
			names[i] = v.Name
		}
		p.add("via", nil, strings.Join(names, " > "))
	}
	if a.Kind == "resource" {
		p.flush()
		p.attributes(a)
	}
}

func (p *page) step(s Step) {
	var text string
	switch s.Kind {
	case "parameter":
		text = s.Name
		if s.In != "" {
			text += ", a parameter of " + s.In
		}
	case "variable":
		text = "variable " + s.Name
	case "lookup":
		text = "Hiera key " + s.Name
	default:
		text = s.Name
	}
	if s.At != nil && s.At.Text != "" {
		p.add("from", nil, text)
		p.add("", s.At, s.At.Text)
		return
	}
	p.add("from", s.At, text)
}

// title shows where a resource's title comes from, unless it is written in the declaration.
func (p *page) title(a *Answer) {
	if a.Where == nil || a.Set != nil && a.Where.At != nil && a.Where.At.File == a.Set.File && a.Where.At.Line == a.Set.Line {
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
	switch l.Kind {
	case "datum":
		remark := "Hiera key " + l.Path
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
	const most = 8
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
		p.add(label, nil, fmt.Sprintf("%s (--expression shows all)", plural(literals, "further piece")))
	}
}

// conditions shows decisions with what they look at.
func (p *page) conditions(list []Condition) {
	const most = 6
	for i, c := range list {
		if i == most {
			p.add("", nil, plural(len(list)-most, "further condition"))
			break
		}
		text := c.Text
		if text == "" {
			text = "(sensitive)"
		}
		if c.Outcome != "" {
			text += " (" + c.Outcome + ")"
		}
		var remarks []string
		for j := range c.Data {
			l := &c.Data[j]
			if j == 3 {
				remarks = append(remarks, fmt.Sprintf("… %d more", len(c.Data)-3))
				break
			}
			what := l.describe()
			if l.Text != "" {
				what += " = " + oneLine(l.Text, 40)
			}
			remarks = append(remarks, what)
		}
		p.add(c.Statement, c.At, text, remarks...)
	}
}

// attributes lists a resource's attributes, each with the place it comes from.
func (p *page) attributes(a *Answer) {
	names, values := 0, 0
	for _, s := range a.Attributes {
		names = max(names, len(s.Name))
		values = max(values, utf8.RuneCountInString(s.shown()))
	}
	for _, s := range a.Attributes {
		from := ""
		switch {
		case s.From != nil:
			from = s.From.describe()
		case s.Set != nil:
			from = s.Set.String() + " (computed)"
		case s.Places > 0:
			from = "made of " + plural(s.Places, "place")
		}
		line := fmt.Sprintf("  %-*s => %s", names, s.Name, s.shown())
		pad := max(1, names+values+8-utf8.RuneCountInString(line))
		fmt.Fprintln(p.w, strings.TrimRight(line+strings.Repeat(" ", pad)+paint(p.style.Faint, from), " "))
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
	fmt.Fprintf(p.w, "%s %s %s (--dependency lists them); no other data can change it.\n", list, verb, what)
}
