package source

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"unicode/utf8"
)

// Severity orders diagnostics by gravity.
type Severity uint8

const (
	Error Severity = iota
	Warning
	Note
)

func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "note"
}

// A Diagnostic is one thing to tell the user about their program. There is no second error struct in this project:
// trouble with our surroundings is a plain Go error, and a bug is a panic.
type Diagnostic struct {
	Code     string   // stable, short, documented: "P0101"
	Severity Severity // Error by default
	Summary  string   // one line, without a final stop; for Puppet code, Puppet's own wording where it has one
	Detail   string   // further lines, may be empty
	Place    Place    // the tight subject
	Label    string   // what is written beside the caret, may be empty
	Hidden   bool     // the place's line may hold a secret and is not shown
	Related  []Related
	About    []Subject // what it is about, where somebody decides by that
	Stack    []string  // "how did we get here", outermost first; shown as one "by:" line
	Help     string    // what to do about it, may be empty
	Fixes    []Fix
}

// Related is another place that contributed, shown with its own source line.
type Related struct {
	Place  Place
	Label  string
	Hidden bool // its line may hold a secret and is not shown
}

// Shows reports whether one of the diagnostic's places is the given one.
func (d *Diagnostic) Shows(p Place) bool {
	if !p.Known() {
		return false
	}
	if d.Place == p {
		return true
	}
	for _, r := range d.Related {
		if r.Place == p {
			return true
		}
	}
	return false
}

// A Fix is an edit that would remove the trouble.
type Fix struct {
	Message string
	Edits   []Edit
}

// An Edit replaces a place by new text.
type Edit struct {
	Place Place
	Text  string
}

// Error makes a Diagnostic usable where Go wants an error: one line, without the source snippet.
func (d *Diagnostic) Error() string {
	if at := d.Place.String(); at != "" {
		return at + ": " + d.Summary
	}
	return d.Summary
}

// Named is the diagnostic with its files as the user calls them. Puppet's own words have absolute paths: they are
// longer than the line, and the same trouble would be another one on another machine.
func (d *Diagnostic) Named() *Diagnostic {
	summary := d.Summary
	for _, p := range append([]Related{{Place: d.Place}}, d.Related...) {
		if p.Place.File == nil || p.Place.File.Name == "" {
			continue
		}
		if abs := Absolute(p.Place.File.Name); abs != p.Place.File.Name {
			summary = strings.ReplaceAll(summary, abs, p.Place.File.Name)
		}
	}
	if summary == d.Summary {
		return d
	}
	named := *d
	named.Summary = summary
	return &named
}

// Diagnostics is a list that can be sorted and rendered.
type Diagnostics []*Diagnostic

// HasErrors reports whether any is an Error.
func (ds Diagnostics) HasErrors() bool {
	for _, d := range ds {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

// Count returns how many have the given severity.
func (ds Diagnostics) Count(s Severity) int {
	n := 0
	for _, d := range ds {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// Sort orders by file, then place, then code; stable, so equal places keep their order of discovery.
func (ds Diagnostics) Sort() {
	name := func(d *Diagnostic) string {
		if d.Place.File == nil {
			return ""
		}
		return d.Place.File.Name
	}
	sort.SliceStable(ds, func(i, j int) bool {
		a, b := ds[i], ds[j]
		if x, y := name(a), name(b); x != y {
			return x < y
		}
		if a.Place.Span.Start != b.Place.Span.Start {
			return a.Place.Span.Start < b.Place.Span.Start
		}
		return a.Code < b.Code
	})
}

// A Style wraps pieces of a rendered diagnostic in terminal colours. The zero Style is plain text.
type Style struct{ Error, Warning, Note, Place, Caret, Faint func(string) string }

func paint(f func(string) string, s string) string {
	if f == nil || s == "" {
		return s
	}
	return f(s)
}

const maxLineWidth = 160 // a longer source line is cut around the caret

// Render writes the diagnostic as people see it: the answer, the places with their source lines, the way there, the
// help.
func (d *Diagnostic) Render(w io.Writer, style Style) {
	head := d.Severity.String()
	if d.Code != "" {
		head += "[" + d.Code + "]"
	}
	switch d.Severity {
	case Error:
		head = paint(style.Error, head)
	case Warning:
		head = paint(style.Warning, head)
	default:
		head = paint(style.Note, head)
	}
	summary := strings.TrimRight(d.Named().Summary, "\n")
	fmt.Fprintf(w, "%s: %s\n", head, strings.ReplaceAll(summary, "\n", "\n   "))
	show := func(p Place, label string, hidden bool) {
		if hidden && p.Known() {
			if label != "" {
				label += "; "
			}
			fmt.Fprintf(w, "   %s\n     (%sthe line may hold a secret)\n", paint(style.Place, p.String()), label)
			return
		}
		snippet(w, style, p, label)
	}
	show(d.Place, d.Label, d.Hidden)
	for _, r := range d.Related {
		show(r.Place, r.Label, r.Hidden)
	}
	if d.Detail != "" {
		for _, line := range strings.Split(d.Detail, "\n") {
			fmt.Fprintf(w, "   %s\n", line)
		}
	}
	if len(d.Stack) > 0 {
		fmt.Fprintf(w, "   by: %s\n", strings.Join(d.Stack, " > "))
	}
	if d.Help != "" {
		fmt.Fprintf(w, "   help: %s\n", strings.ReplaceAll(d.Help, "\n", "\n         "))
	}
}

// String is Render without colour.
func (d *Diagnostic) String() string {
	var b strings.Builder
	d.Render(&b, Style{})
	return b.String()
}

// snippet shows a place, its source line and a caret line. Tabs become one blank each so that the caret stands right.
func snippet(w io.Writer, style Style, p Place, label string) {
	if p.File == nil {
		if label != "" {
			fmt.Fprintf(w, "   %s\n", label)
		}
		return
	}
	pos := p.File.Position(p.Span.Start)
	fmt.Fprintf(w, "   %s\n", paint(style.Place, p.String()))
	if p.File.Text == "" && label == "" {
		return // it is about the file, or there is nothing to show
	}
	text := visible(p.File.Line(pos.Line))
	before := pos.Column - 1
	width := utf8.RuneCountInString(p.Text())
	if i := strings.IndexByte(p.Text(), '\n'); i >= 0 {
		width = utf8.RuneCountInString(strings.TrimSuffix(p.Text()[:i], "\r"))
	}
	if n := utf8.RuneCountInString(text); before > n {
		before = n
	}
	if utf8.RuneCountInString(text) > maxLineWidth {
		text, before = window(text, before)
	}
	if rest := utf8.RuneCountInString(text) - before; width > rest {
		width = rest
	}
	if width < 1 {
		width = 1
	}
	number := itoa(pos.Line)
	fmt.Fprintf(w, "   %s %s %s\n", paint(style.Faint, number), paint(style.Faint, "|"), text)
	caret := strings.Repeat("^", width)
	if label != "" {
		caret += " " + label
	}
	fmt.Fprintf(w, "   %s %s %s%s\n", strings.Repeat(" ", len(number)), paint(style.Faint, "|"),
		strings.Repeat(" ", before), paint(style.Caret, caret))
}

// visible replaces tabs and control characters, which would shift or hide the caret, each by one blank or dot.
func visible(s string) string {
	if utf8.ValidString(s) && !strings.ContainsRune(s, '\t') && !strings.ContainsFunc(s, Commanding) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < ' ' || Commanding(r):
			return '·'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func window(text string, before int) (string, int) {
	runes := []rune(text)
	start := before - maxLineWidth/2
	if start < 0 {
		start = 0
	}
	end := start + maxLineWidth
	if end > len(runes) {
		end = len(runes)
	}
	cut := string(runes[start:end])
	shift := before - start
	if start > 0 {
		cut = "…" + cut
		shift++
	}
	if end < len(runes) {
		cut += "…"
	}
	return cut, shift
}
