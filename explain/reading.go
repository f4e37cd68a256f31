package explain

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/value"
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
			fmt.Fprintln(p.w, paint(p.Style.Place, r.place))
		}
		if r.text != "" {
			fmt.Fprintln(p.w, "  "+r.text)
		}
		for _, s := range r.remarks {
			fmt.Fprintln(p.w, "  "+paint(p.Style.Faint, s))
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
	verb := "decide"
	if len(a.Depends)-len(absent) == 1 {
		verb = "decides"
	}
	fmt.Fprintf(p.w, "%s %s %s\n", plural(len(a.Depends)-len(absent), "place"), verb, subject)
	for _, f := range files {
		fmt.Fprintln(p.w, paint(p.Style.Place, f))
		list := byFile[f]
		sort.SliceStable(list, func(i, j int) bool {
			x, y := list[i].At, list[j].At
			return x.Line < y.Line || x.Line == y.Line && x.Column < y.Column
		})
		for i := 0; i < len(list); {
			j := i
			var columns []string
			for ; j < len(list) && list[j].At.Line == list[i].At.Line; j++ {
				if c := fmt.Sprint(list[j].At.Column); len(columns) == 0 || columns[len(columns)-1] != c {
					columns = append(columns, c)
				}
			}
			l := list[i]
			text := l.At.Text
			if text != "" && l.Entries && j == i+1 {
				text = "which entries " + l.Path + " has"
			}
			if text == "" && l.Kind == "datum" {
				text = l.Path + ": (sensitive)"
			} else if text == "" {
				text = "(sensitive)"
			}
			at := fmt.Sprintf("%d:%s", l.At.Line, strings.Join(columns, ","))
			fmt.Fprintf(p.w, "  %-9s %s\n", at, oneLine(text, width-12))
			if c := l.At.Change; c != nil {
				fmt.Fprintf(p.w, "            %s\n", paint(p.Style.Faint, c.String()))
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
