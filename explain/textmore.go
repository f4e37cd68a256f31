package explain

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"unicode/utf8"

	"bunraku/source"
	"bunraku/value"
)

// where is the one place that a value was copied from.
func (p *page) where(a *Answer) {
	switch {
	case a.Kind == "hiera":
		for _, l := range a.Levels {
			if l.Used {
				p.add("", l.At, "", "level \""+l.Level+"\"")
			}
		}
	case a.Where != nil:
		p.leaf("", a.Where)
	case len(a.Data) > 0:
		fmt.Fprintf(p.w, "It was computed, not copied from one place (--expression shows how).\n")
	default:
		fmt.Fprintf(p.w, "It has no place of its own: no data made it.\n")
	}
	for i := range p.rows {
		r := &p.rows[i]
		if r.place != "" {
			fmt.Fprintln(p.w, paint(p.style.Place, r.place))
		}
		if r.text != "" {
			fmt.Fprintln(p.w, "  "+r.text)
		}
		for _, s := range r.remarks {
			fmt.Fprintln(p.w, "  "+paint(p.style.Faint, s))
		}
	}
	p.rows = nil
}

// expression is the term, with its leaves listed below.
func (p *page) expression(a *Answer) {
	if a.Expression == nil {
		fmt.Fprintf(p.w, "No data made it.\n")
		return
	}
	text := a.Expression.text(a.Data)
	if a.Sensitive {
		for i := range a.Data {
			a.Data[i].Sensitive = true
		}
		text = a.Expression.text(a.Data)
	}
	fmt.Fprintln(p.w, wrap(text, width))
	for i := range a.Data {
		l := &a.Data[i]
		line := fmt.Sprintf("  [%d] %s", i+1, l.describe())
		if l.Kind != "node name" && l.Text != "" && !l.Sensitive {
			line += "  " + clip(l.Text, 60)
		}
		fmt.Fprintln(p.w, line)
	}
}

// wrap breaks a long term at blanks.
func wrap(s string, most int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Split(s, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > most:
			b.WriteString("\n    ")
			column = 4
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// dependency lists all places, grouped by file in the order of their names, then what is no file's.
func (p *page) dependency(a *Answer) {
	if a.Kind == "hiera" || a.Kind == "fact" {
		fmt.Fprintf(p.w, "It comes from %s alone; --reaches %s lists what depends on it.\n", a.Query, a.Query)
		return
	}
	subject := a.Variable
	if subject == "" {
		subject = strings.TrimSpace(a.Resource + " " + a.Attribute)
	}
	byFile := map[string][]*Leaf{}
	var files []string
	var rest, absent []*Leaf
	for i := range a.Depends {
		l := &a.Depends[i]
		switch {
		case l.Kind == "absence":
			absent = append(absent, l)
		case l.At == nil:
			rest = append(rest, l)
		default:
			if byFile[l.At.File] == nil {
				files = append(files, l.At.File)
			}
			byFile[l.At.File] = append(byFile[l.At.File], l)
		}
	}
	sort.Strings(files)
	fmt.Fprintf(p.w, "%s decide %s\n", plural(len(a.Depends)-len(absent), "place"), subject)
	for _, f := range files {
		fmt.Fprintln(p.w, paint(p.style.Place, f))
		list := byFile[f]
		sort.SliceStable(list, func(i, j int) bool {
			x, y := list[i].At, list[j].At
			return x.Line < y.Line || x.Line == y.Line && x.Column < y.Column
		})
		for i := 0; i < len(list); {
			j := i
			var columns []string
			for ; j < len(list) && list[j].At.Line == list[i].At.Line; j++ {
				columns = append(columns, fmt.Sprint(list[j].At.Column))
			}
			l := list[i]
			text := l.At.Text
			if text == "" && l.Kind == "datum" {
				text = l.Path + ": (sensitive)"
			} else if text == "" {
				text = "(sensitive)"
			}
			at := fmt.Sprintf("%d:%s", l.At.Line, strings.Join(columns, ","))
			fmt.Fprintf(p.w, "  %-9s %s\n", at, oneLine(text, width-12))
			if c := l.At.Change; c != nil {
				fmt.Fprintf(p.w, "            %s\n", paint(p.style.Faint, c.String()))
			}
			i = j
		}
	}
	if len(rest) > 0 {
		fmt.Fprintln(p.w, "facts and surroundings")
		for _, l := range rest {
			line := l.describe()
			if l.Text != "" {
				line += " = " + oneLine(l.Text, 60)
			}
			fmt.Fprintf(p.w, "  %s\n", line)
		}
	}
	if len(absent) > 0 {
		fmt.Fprintln(p.w, "and what is not there: a new one of these could change it, too")
		for _, l := range absent {
			fmt.Fprintf(p.w, "  %s\n", l.Path)
		}
	}
}

// levels shows what each level of Hiera has.
func (p *page) levels(a *Answer) {
	if a.Merge != "first" {
		p.add("merge", nil, a.Merge)
	}
	for i := range a.Levels {
		l := &a.Levels[i]
		text := "level \"" + l.Level + "\""
		if l.Found {
			shown := "(sensitive)"
			if !l.Sensitive {
				shown = oneLine(value.Literal(l.value), 60)
			}
			label := "value"
			if !l.Used {
				label = "hidden"
			}
			p.add(label, l.At, shown, text)
			continue
		}
		if l.NoFile {
			text += ": no such file"
		} else {
			text += ": no such key"
		}
		p.rows = append(p.rows, row{label: "-", place: l.File, text: text})
	}
}

func reachPhrase(r *ReachAnswer) string {
	if len(r.Slots) == 1 {
		return fmt.Sprintf("1 of %d slots depends on it in the catalog", r.Total)
	}
	return fmt.Sprintf("%d of %d slots depend on it in the catalog", len(r.Slots), r.Total)
}

// Text shows what a place reaches.
func (r *ReachAnswer) Text(w io.Writer, style source.Style) {
	if len(r.Slots) == 0 {
		fmt.Fprintf(w, "%s reaches nothing on %s\n", r.Of, r.Node)
		return
	}
	fmt.Fprintf(w, "%s reaches %d of %d slots on %s\n", r.Of, len(r.Slots), r.Total, r.Node)
	const most = 6
	for i := range r.Places {
		if i == most {
			fmt.Fprintf(w, "  … %d more\n", len(r.Places)-most)
			break
		}
		l := &r.Places[i]
		line := l.describe()
		if l.Text != "" {
			line += " = " + oneLine(l.Text, 50)
		}
		fmt.Fprintf(w, "  %s\n", line)
	}
	group := func(title string, keep func(*Reach) string) {
		type item struct {
			name  string
			attrs []string
		}
		var list []item
		for i := range r.Slots {
			name := keep(&r.Slots[i])
			if name == "" {
				continue
			}
			if n := len(list); n > 0 && list[n-1].name == name && r.Slots[i].Attribute != "" {
				list[n-1].attrs = append(list[n-1].attrs, r.Slots[i].Attribute)
				continue
			}
			it := item{name: name}
			if r.Slots[i].Attribute != "" {
				it.attrs = []string{r.Slots[i].Attribute}
			}
			list = append(list, it)
		}
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(w, "%s\n", title)
		for _, it := range list {
			line := "  " + paint(style.Place, it.name)
			if len(it.attrs) > 0 {
				line += " " + strings.Join(it.attrs, ", ")
			}
			fmt.Fprintln(w, line)
		}
	}
	group("its data are part of", func(s *Reach) string {
		if s.How != "value" || s.Kind == "tags" {
			return ""
		}
		if s.Kind == "resource" {
			return s.Resource + " (its title)"
		}
		return s.Resource + s.Variable
	})
	group("it decides whether there is", func(s *Reach) string {
		if s.How != "decides" || s.Kind != "resource" {
			return ""
		}
		return s.Resource
	})
	there := map[string]bool{}
	for _, s := range r.Slots {
		if s.Kind == "resource" {
			there[s.Resource] = true
		}
	}
	group("it decides, among others,", func(s *Reach) string {
		if s.How != "decides" || s.Kind != "attribute" && s.Kind != "variable" || there[s.Resource] {
			return ""
		}
		return s.Resource + s.Variable
	})
	edges, tags := 0, 0
	for _, s := range r.Slots {
		switch s.Kind {
		case "edge":
			edges++
		case "tags":
			tags++
		}
	}
	if edges+tags+r.Order > 0 {
		fmt.Fprintf(w, "and %s of containment, the tags of %s, the position of %s\n", plural(edges, "edge"), plural(tags, "resource"), plural(r.Order, "resource"))
	}
}

// Text shows why something is not there.
func (n *WhyNot) Text(w io.Writer, style source.Style) {
	p := &page{w: w, style: style}
	if n.Present {
		fmt.Fprintf(w, "%s is in the catalog of %s\n", n.Resource, n.Node)
		return
	}
	fmt.Fprintf(w, "%s is not in the catalog of %s\n", n.Resource, n.Node)
	if n.Virtual != nil {
		p.add("virtual", n.Virtual, n.Virtual.Text, "declared as a virtual resource; no collector and no realize() asked for it")
	}
	for i := range n.Passed {
		b := &n.Passed[i]
		last := b.Hops[len(b.Hops)-1]
		word := "would be declared"
		if !b.Sure {
			word = "might be declared (a name is computed)"
		}
		p.add("skipped", b.At, "", word+" by the branch that begins here")
		if b.At.Text != "" {
			p.rows[len(p.rows)-1].text = b.At.Text
		}
		p.conditions(b.Conditions)
		if b.In != "" {
			p.add("in", nil, b.In)
		}
		for _, h := range b.Hops[:len(b.Hops)-1] {
			p.add("then", h.At, h.Name)
		}
		if last.At != nil && (last.At.File != b.At.File || last.At.Line != b.At.Line) {
			p.add("then", last.At, last.Name)
		}
	}
	sure := n.Virtual != nil || len(n.Passed) > 0 || len(n.Code) > 0 && n.Code[0].Sure
	if !sure && len(n.Similar) > 0 {
		fmt.Fprintf(w, "did you mean %s?\n", strings.Join(n.Similar, ", "))
	}
	const most = 5
	for i := range n.Code {
		c := &n.Code[i]
		if i == most {
			p.add("", nil, plural(len(n.Code)-most, "further statement"))
			break
		}
		remark := ""
		switch {
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
		p.add("code", c.At, c.At.Text, remark)
	}
	p.flush()
	if n.Virtual == nil && len(n.Passed) == 0 && len(n.Code) == 0 {
		fmt.Fprintf(w, "No code in this environment declares it.\n")
	}
	if sure && len(n.Similar) > 0 {
		fmt.Fprintf(w, "The catalog has %s\n", strings.Join(n.Similar, ", "))
	}
}
