package smartfrog

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"bunraku/source"
)

// WriteText writes the explanation for people: the value, then the way back to where it was written down, the nearest
// step first, then what decides it.
func (x *Explanation) WriteText(w io.Writer) error {
	p := newPrinter(w)
	p.str(shown(x.Value) + "\n")
	rows := [][]string{}
	for _, s := range x.Steps {
		row := []string{string(s.Kind), s.Place.String(), line(s.Place)}
		if s.From != nil {
			row = append(row, "from "+s.From.String())
		}
		rows = append(rows, row)
	}
	for i, s := range x.Hides {
		if i == shownHides {
			rows = append(rows, []string{"hides", fmt.Sprintf("%d more", len(x.Hides)-i)})
			break
		}
		rows = append(rows, []string{"hides", s.Place.String(), line(s.Place)})
	}
	p.rows(rows)
	if len(x.Parts) > 0 {
		p.str("attributes\n")
		p.table(len(x.Parts), func(i int) []string {
			return []string{x.Parts[i].Name, shown(x.Parts[i].Value), x.Parts[i].Where.String()}
		})
	}
	if len(x.Dependency) == 1 {
		p.str("1 statement decides this value; changing or removing others cannot alter it:\n")
	} else {
		p.str(fmt.Sprintf("%d statements decide this value; changing or removing others cannot alter it:\n",
			len(x.Dependency)))
	}
	p.table(len(x.Dependency), func(i int) []string { return []string{x.Dependency[i].String(), line(x.Dependency[i])} })
	return p.w.Flush()
}

// shownHides is how many earlier values of an attribute people are shown.
const shownHides = 10

// shownRows is how many rows of a table people are shown.
const shownRows = 100

// table writes n rows, or the first of them.
func (p printer) table(n int, row func(int) []string) {
	rows := make([][]string, 0, min(n, shownRows))
	for i := range min(n, shownRows) {
		rows = append(rows, row(i))
	}
	p.rows(rows)
	if n > shownRows {
		p.str(fmt.Sprintf("  … and %d more\n", n-shownRows))
	}
}

// rows writes a table, two blanks from the margin.
func (p printer) rows(rows [][]string) {
	var width []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, r := range rows {
		for i, cell := range r {
			p.str("  " + cell)
			if i < len(r)-1 {
				p.str(strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)))
			}
		}
		p.str("\n")
	}
}

// line is the source line on which a place starts; of a very long line, only the part from there on.
func line(p source.Place) string {
	text, start := p.File.Text, int(p.Span.Start)
	window := max(0, start-longLine)
	if i := strings.LastIndexByte(text[window:start], '\n'); i >= 0 || window == 0 {
		start = window + i + 1
	}
	text, _, _ = strings.Cut(text[start:min(len(text), start+longLine)], "\n")
	return cut(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "), maxShown)
}

// longLine is how many bytes around a place are looked at.
const longLine = 400

// cut shortens a text to a number of characters.
func cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

// maxShown is how many characters of a line or value are shown in a table.
const maxShown = 48

// shown is a value on one line, cut when it is long.
func shown(v Value) string {
	if s, ok := v.(*Store); ok {
		if len(s.slots) == 1 {
			return "component with 1 attribute"
		}
		return fmt.Sprintf("component with %d attributes", len(s.slots))
	}
	var b strings.Builder
	p := newPrinter(&b)
	p.sfBasic(v, false)
	_ = p.w.Flush() // a strings.Builder takes all
	return cut(b.String(), 2*maxShown)
}

// WriteJSON writes the explanation for programs.
func (x *Explanation) WriteJSON(w io.Writer) error {
	p := newPrinter(w)
	p.str("{\n  \"reference\": ")
	p.quote(x.Reference.String())
	p.str(",\n  \"value\": ")
	p.json(x.Value, 1)
	p.str(",\n  \"where\": {")
	p.placeFields(x.Where)
	p.str("}")
	p.steps("steps", x.Steps)
	p.steps("hides", x.Hides)
	p.list("dependency", len(x.Dependency), func(i int) {
		p.placeFields(x.Dependency[i])
		p.field(", ", "text", line(x.Dependency[i]))
	})
	p.str("\n}\n")
	return p.w.Flush()
}

func (p printer) steps(name string, steps []Step) {
	p.list(name, len(steps), func(i int) {
		p.field("", "kind", string(steps[i].Kind))
		p.str(", ")
		p.placeFields(steps[i].Place)
		if steps[i].From != nil {
			p.field(", ", "from", steps[i].From.String())
		}
		p.field(", ", "text", line(steps[i].Place))
	})
}

// list writes an array of objects, one on a line.
func (p printer) list(name string, n int, write func(int)) {
	p.str(",\n  \"" + name + "\": [")
	for i := range n {
		if i > 0 {
			p.str(",")
		}
		p.str("\n    {")
		write(i)
		p.str("}")
	}
	if n > 0 {
		p.str("\n  ")
	}
	p.str("]")
}

func (p printer) placeFields(at source.Place) {
	pos := at.File.Position(at.Span.Start)
	p.field("", "file", at.File.Name)
	p.str(fmt.Sprintf(", \"line\": %d, \"column\": %d", pos.Line, pos.Column))
}

func (p printer) field(before, name, value string) {
	p.str(before + "\"" + name + "\": ")
	p.quote(value)
}
