package lint

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// strictIndent works out how far each line should be indented: two blanks for every line with brackets that are still
// open, and for the body behind a title. It goes from end of line to end of line; what the line before leaves open
// adds to the indent, and what the line behind closes takes from it.
func strictIndent(f *file) {
	partner := f.brackets()
	perIndent := f.opt.CharsPerIndent
	if perIndent == 0 {
		perIndent = 2
	}
	level := 0
	body := 0 // the line of the colon that a body stands behind; 0 for none
	for _, t := range f.tokens {
		if t.kind != newline || t.next == nil {
			continue
		}
		once := 0 // for this line alone
		opened := 0
		var lines []int // on which brackets of the line before are closed
		for u := t.prev; u != nil && u.kind != newline; u = u.prev {
			f.spend(1)
			if u.kind == heredocOpen {
				once++
			}
			if !u.is(lbrace, lbrack, lparen) {
				continue
			}
			if p := partner[u]; p == nil {
				opened++
			} else if p.line > u.line && !slices.Contains(lines, p.line) {
				opened++
				lines = append(lines, p.line)
			}
		}
		level += opened
		last := t.prev
		for last.is(whitespace, comment) {
			last = last.prev
		}
		switch {
		case last.is(colon) && opened == 0 && body == 0:
			body = last.line
			level++
		case last.is(semic) && body != 0:
			body = 0
			level--
		case last.is(equals, farrow):
			once++
		}
		lines = lines[:0]
		for u := t.next; u != nil && u.kind != newline; u = u.next {
			f.spend(1)
			switch {
			case u.is(rbrace, rbrack, rparen):
				p := partner[u]
				if p != nil && p.line < u.line && !slices.Contains(lines, p.line) {
					level--
					lines = append(lines, p.line)
				}
				if u.kind == rbrace && body != 0 && p != nil && p.line < body {
					level--
					body = 0
				}
			case u.kind == semic && body != 0 && u.prev.is(indent, newline) && (u.next == nil || u.next.kind == newline):
				once--
			}
		}
		if level < 0 {
			f.fail(t.next, "Error calculating indent. Please file an issue at "+
				"https://github.com/relud/puppet-lint-indent-check/issues")
			return
		}
		first := t.next
		actual, expected := indentOf(first), (level+once)*perIndent
		if actual == expected || first.is(comment, newline) {
			continue
		}
		f.warn(first, fmt.Sprintf("indent should be %d chars and is %d", expected, actual)).fix = func() bool {
			return f.reindent(first, expected, actual)
		}
	}
}

// brackets pairs each kind of bracket on its own.
func (f *file) brackets() map[*token]*token {
	partner := map[*token]*token{}
	var open [3][]*token
	for _, t := range f.tokens {
		switch t.kind {
		case lbrace, lbrack, lparen:
			i := (t.kind - lbrack) / 2
			open[i] = append(open[i], t)
		case rbrace, rbrack, rparen:
			i := (t.kind - rbrack) / 2
			if n := len(open[i]); n > 0 {
				p := open[i][n-1]
				open[i] = open[i][:n-1]
				partner[t], partner[p] = p, t
			}
		}
	}
	return partner
}

// indentOf is how far a line is indented that begins with this token. The text of a heredoc has its indent in its
// last line, before the bar.
func indentOf(t *token) int {
	lastLine := func(s string) int {
		lines := split(s, "\n")
		if len(lines) == 0 {
			return 0
		}
		return utf8.RuneCountInString(lines[len(lines)-1])
	}
	switch t.kind {
	case indent:
		return utf8.RuneCountInString(t.value)
	case heredoc:
		if strings.HasSuffix(t.value, "\n") {
			return 0
		}
		return lastLine(t.value)
	case heredocPre:
		for t != nil && !t.is(newline, heredocPost) {
			t = t.next
		}
		if t.is(heredocPost) {
			return lastLine(t.value)
		}
	}
	return 0
}

// reindent moves a line, or all lines of a heredoc.
func (f *file) reindent(t *token, expected, actual int) bool {
	change := expected - actual
	switch t.kind {
	case indent, whitespace:
		t.value = strings.Repeat(" ", max(expected, 0))
	case heredoc:
		t.raw = shift(t.raw, change, false)
	case heredocPre:
		t.value = shift(t.value, change, false)
		for t = t.next; t != nil && t.kind != heredocPost; t = t.next {
			if t.kind == heredocMid {
				t.value = shift(t.value, change, true)
			}
		}
		if t != nil {
			t.raw = shift(t.raw, change, true)
		}
	default:
		i := f.indexOf(t)
		if i < 0 || expected < 0 {
			return false
		}
		f.slip(i, &token{kind: indent, value: strings.Repeat(" ", expected), line: t.line, col: t.col})
	}
	return true
}

// shift moves the lines of a text; skip leaves the first one where it is, since it begins within a line.
func shift(s string, change int, skip bool) string {
	lines := split(s, "\n")
	for i, line := range lines {
		switch {
		case skip || line == "":
			skip = false
		case change < 0:
			runes := []rune(line)
			lines[i] = string(runes[min(-change, len(runes)):])
		default:
			lines[i] = strings.Repeat(" ", change) + line
		}
	}
	return strings.Join(lines, "\n")
}
