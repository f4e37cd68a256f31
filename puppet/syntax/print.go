package syntax

import (
	"slices"
	"sort"
	"strings"

	"bunraku/source"
)

// Print gives a file back as Puppet source in the community's style: two blanks a level, arrows in line, commas after
// the last of several lines, single quotes where double ones do nothing. The program means the same and every comment
// is still there: parsing the result gives the same tree, and printing that gives the same text.
//
// There is no line width. What stood on one line stays on one line, and a list, a hash, an attribute block or a body
// that was broken somewhere between its elements gets one element per line. So the layout of the result answers the
// same questions in the same way, which is what makes printing idempotent.
//
// Strings, heredocs and numbers are copied from the source, templates altogether. A file with syntax errors has no
// complete tree, and what the tree lacks is not printed.
func Print(f *File) string {
	if f.Epp != nil {
		return f.Source.Text
	}
	p := newPrinter(f)
	p.statements(f.Body.Stmts)
	p.above(uint32(len(p.src)) + 1)
	if !p.bol {
		p.newline()
	}
	return string(p.out)
}

// A printer writes the tree in order and keeps pace with the source: comments are not in the tree, so each place that
// may have one before it asks for those not printed yet (above, before). A place that does not ask loses nothing: the
// next one gets them.
type printer struct {
	src      string
	out      []byte
	indent   int
	bol      bool          // nothing is on the current line yet, not even its indentation
	fresh    bool          // a list was just opened: a blank line here would be lost paper
	breakDue bool          // the line ends in a # comment; the next token must start another
	column   int           // the width that the left side of the next assignment is brought to
	dry      bool          // only measuring: what takes several lines need not be beautiful
	last     uint32        // the source is printed up to here
	comments []source.Span // in order, without those inside strings
	next     int           // the first comment not printed
	heredocs []source.Span // the text of every heredoc with its last line end, in order
	pending  []source.Span // texts that must follow the current line
	known    map[Node]bool // what tall said
}

func newPrinter(f *File) *printer {
	p := &printer{src: f.Source.Text, bol: true, known: map[Node]bool{}}
	var verbatim []source.Span
	for _, s := range f.Body.Stmts {
		Walk(s, func(n Node) bool {
			switch n := n.(type) {
			case *Interpolated:
				verbatim = append(verbatim, n.Where)
			case *Heredoc:
				text := p.wholeLines(n.Lines)
				p.heredocs = append(p.heredocs, text)
				verbatim = append(verbatim, text)
			}
			return true
		})
	}
	sort.Slice(p.heredocs, func(i, j int) bool { return p.heredocs[i].Start < p.heredocs[j].Start })
	sort.Slice(verbatim, func(i, j int) bool { return verbatim[i].Start < verbatim[j].Start })
	comments := slices.Clone(f.Comments) // those inside a heredoc come before the rest of its line
	sort.SliceStable(comments, func(i, j int) bool { return comments[i].Where.Start < comments[j].Where.Start })
	var covered uint32 // verbatim[:k] end here at the latest; spans may nest
	k := 0
	for _, c := range comments {
		for ; k < len(verbatim) && verbatim[k].Start <= c.Where.Start; k++ {
			covered = max(covered, verbatim[k].End)
		}
		if c.Where.Start >= covered {
			p.comments = append(p.comments, c.Where)
		}
	}
	return p
}

// wholeLines adds the line end that follows the last line of a heredoc.
func (p *printer) wholeLines(s source.Span) source.Span {
	if s.End > s.Start && p.src[s.End-1] == '\n' {
		return s
	}
	for int(s.End) < len(p.src) {
		s.End++
		if p.src[s.End-1] == '\n' {
			break
		}
	}
	return s
}

func (p *printer) slice(s source.Span) string { return p.src[s.Start:s.End] }

// newlines counts the line ends of the source between two places. A heredoc's text counts for nothing: it belongs to
// its @(…).
func (p *printer) newlines(from, to uint32) int {
	to = min(to, uint32(len(p.src)))
	n := 0
	i := sort.Search(len(p.heredocs), func(i int) bool { return p.heredocs[i].End > from })
	for from < to {
		stop, resume := to, to
		if i < len(p.heredocs) && p.heredocs[i].Start < to {
			stop, resume = max(from, p.heredocs[i].Start), p.heredocs[i].End
			i++
		}
		n += strings.Count(p.src[from:stop], "\n")
		from = max(from, resume)
	}
	return n
}

// find gives the place of the next mark at or after a place, outside comments and heredoc texts. It is for the gaps
// between nodes.
func (p *printer) find(from uint32, mark byte) uint32 {
	return p.findBefore(uint32(len(p.src)), from, mark)
}

func (p *printer) findBefore(to, from uint32, mark byte) uint32 {
	c := sort.Search(len(p.comments), func(i int) bool { return p.comments[i].End > from })
	h := sort.Search(len(p.heredocs), func(i int) bool { return p.heredocs[i].End > from })
	for from < to {
		switch {
		case c < len(p.comments) && p.comments[c].Start <= from:
			from = max(from, p.comments[c].End)
			c++
		case h < len(p.heredocs) && p.heredocs[h].Start <= from:
			from = max(from, p.heredocs[h].End)
			h++
		case p.src[from] == mark:
			return from
		default:
			from++
		}
	}
	return from
}

// wide reports whether two blanks or more follow each other between two places of one line: somebody lined things up.
func (p *printer) wide(from, to uint32) bool {
	return from < to && p.newlines(from, to) == 0 && strings.Contains(p.src[from:to], "  ")
}

// has reports whether a mark stands between two places, outside comments and heredoc texts.
func (p *printer) has(mark byte, from, to uint32) bool { return p.findBefore(to, from, mark) < to }

// passed notes that the source is printed up to a place.
func (p *printer) passed(place uint32) { p.last = max(p.last, place) }

// write puts text that has no line end. Blanks at its ends give way at line ends and beside other blanks.
func (p *printer) write(s string) {
	if p.breakDue {
		p.newline()
	}
	if p.bol {
		s = strings.TrimLeft(s, " ")
		if s == "" {
			return
		}
		for range p.indent {
			p.out = append(p.out, "  "...)
		}
		p.bol = false
	} else if s != "" && p.ends(" ") && (s[0] == ' ' || strings.IndexByte(")],;", s[0]) >= 0 && p.ends("*/ ")) {
		p.out = p.out[:len(p.out)-1]
	}
	p.fresh = false
	p.out = append(p.out, s...)
}

func (p *printer) ends(s string) bool {
	return strings.HasSuffix(string(p.out[max(0, len(p.out)-len(s)):]), s)
}

// verbatim puts source text that may span lines; a heredoc's text would be looked for at its first line end.
func (p *printer) verbatim(s string) {
	if len(p.pending) > 0 && strings.IndexByte(s, '\n') >= 0 {
		p.newline()
	}
	p.write(s)
}

// newline ends the line, and puts the heredoc texts that it owes.
func (p *printer) newline() {
	for len(p.out) > 0 && p.out[len(p.out)-1] == ' ' {
		p.out = p.out[:len(p.out)-1]
	}
	p.out = append(p.out, '\n')
	for _, text := range p.pending {
		p.out = append(p.out, p.slice(text)...)
		if p.out[len(p.out)-1] != '\n' {
			p.out = append(p.out, '\n')
		}
	}
	p.pending = p.pending[:0:0]
	p.bol, p.breakDue = true, false
}

// line makes sure that a new line begins, after an empty one if asked.
func (p *printer) line(blank bool) {
	if !p.bol {
		p.newline()
	}
	if blank && !p.fresh && len(p.out) > 0 {
		p.out = append(p.out, '\n')
	}
}

// commented reports whether a comment not printed yet stands before a place.
func (p *printer) commented(place uint32) bool {
	return p.next < len(p.comments) && p.comments[p.next].Start < place
}

// firstComment is the index of the first comment at or after a place.
func (p *printer) firstComment(place uint32) int {
	return sort.Search(len(p.comments), func(i int) bool { return p.comments[i].Start >= place })
}

// commentIn reports whether a comment stands between two places, printed or not.
func (p *printer) commentIn(from, to uint32) bool {
	i := p.firstComment(from)
	return i < len(p.comments) && p.comments[i].Start < to
}

// comment prints the next comment where the printer is.
func (p *printer) comment() {
	c := p.comments[p.next]
	p.next++
	text := p.slice(c)
	if strings.HasPrefix(text, "#") {
		p.write(strings.TrimRight(text, " \t\r"))
		p.breakDue = true
	} else {
		p.verbatim(text)
	}
	p.passed(c.End)
}

// above prints the comments before a place where a line is about to begin: at the end of the current line those that
// stand on it in the source, on lines of their own the others.
func (p *printer) above(place uint32) {
	for p.commented(place) {
		n := p.newlines(p.last, p.comments[p.next].Start)
		if n == 0 && !p.bol && !p.breakDue {
			p.write(" ")
		} else {
			p.line(n >= 2)
		}
		p.comment()
	}
}

// before prints the comments before a place in the middle of a line.
func (p *printer) before(place uint32) {
	for p.commented(place) {
		if p.newlines(p.last, p.comments[p.next].Start) > 0 {
			p.line(false)
		} else if len(p.out) > 0 && strings.IndexByte("([{|!-*", p.out[len(p.out)-1]) < 0 {
			p.write(" ")
		}
		p.comment()
		if !p.breakDue {
			p.write(" ")
		}
	}
}

// item begins a line for an element at a place: its comments first, and the blank line that was before it.
func (p *printer) item(place uint32) {
	p.above(place)
	p.line(p.newlines(p.last, place) >= 2)
}

// operand prints what follows an operator or keyword that ends at p.last. It starts a line if it did in the source.
func (p *printer) operand(e Expr) {
	start := e.Span().Start
	if p.newlines(p.last, start) == 0 {
		p.expr(e)
		return
	}
	p.onNewLine(start, e)
}

// value prints what follows an operator or keyword on the same line, unless a comment is in the way.
func (p *printer) value(e Expr) {
	start := e.Span().Start
	for i := p.next; i < len(p.comments) && p.comments[i].Start < start; i++ {
		if p.newlines(p.last, start) > 0 {
			p.onNewLine(start, e)
			return
		}
	}
	p.expr(e)
}

func (p *printer) onNewLine(start uint32, e Expr) {
	p.indent++
	p.before(start)
	p.line(false)
	p.expr(e)
	p.indent--
}
