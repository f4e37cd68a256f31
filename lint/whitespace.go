package lint

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Checks of blanks, lines and the alignment of arrows.

// longLines finds lines with too many characters; addresses and templates are let off.
func longLines(limit int) func(*file) {
	return func(f *file) {
		for i, line := range f.lines {
			if len(line) > limit && utf8.RuneCountInString(line) > limit && !strings.Contains(line, "://") &&
				!strings.Contains(line, "template(") {
				f.say(false, i+1, limit, fmt.Sprintf("line has more than %d characters", limit))
			}
		}
	}
}

func softTabs(f *file) {
	for _, t := range f.tokens {
		if t.kind == indent && utf8.RuneCountInString(t.value)%2 != 0 {
			f.fail(t, "two-space soft tabs not used")
		}
	}
}

func hardTabs(f *file) {
	for _, t := range f.tokens {
		if t.is(indent, whitespace) && strings.Contains(t.value, "\t") {
			f.fail(t, "tab character found").fix = func() bool {
				t.value = strings.ReplaceAll(t.value, "\t", "  ")
				return true
			}
		}
	}
}

func trailingWhitespace(f *file) {
	for _, t := range f.tokens {
		if t.is(whitespace, indent) && (t.next == nil || t.next.kind == newline) {
			f.fail(t, "trailing whitespace found").fix = func() bool {
				if t.prev != nil {
					t.prev.next = t.next
				}
				if t.next != nil {
					t.next.prev = t.prev
				}
				f.drop(t)
				return true
			}
		}
	}
}

// arrowEnds are the first and the last arrow of a resource.
func (r *resource) arrowEnds(f *file) (first, last *token) {
	r.within(f, func(t *token) bool {
		if t.kind == farrow {
			if last = t; first == nil {
				first = t
			}
		}
		return true
	})
	return first, last
}

// A rank is one level of arrows. puppet-lint keeps the levels in lists, where a level below the first is the last one.
type rank struct {
	arrows []*token
	lines  map[int]bool // on which there are arrows
	column int
	param  int
	known  bool
}

// arrowAlignment wants the arrows of a hash or a resource's body below each other, one blank behind the longest name.
// An opening brace begins a level; a brace or a semicolon ends one.
func arrowAlignment(f *file) {
	for _, r := range f.indexResources() {
		first, last := r.arrowEnds(f)
		if first == nil || first.line == last.line {
			continue
		}
		levels := []rank{{}}
		depth := 0
		level := func() *rank {
			i := depth
			if i < 0 {
				i += len(levels)
			}
			return &levels[min(max(i, 0), len(levels)-1)]
		}
		r.within(f, func(t *token) bool {
			switch t.kind {
			case farrow:
				f.arrow(level(), t)
			case lbrace:
				levels = append(levels, rank{})
				depth++
			case rbrace, semic:
				l := level()
				f.misaligned(l)
				*l = rank{}
				depth--
			}
			return true
		})
	}
}

// arrow takes an arrow into its level.
func (f *file) arrow(l *rank, t *token) {
	param := t.prevCode
	if param == nil {
		return
	}
	length, start := param.width(), param
	if param.kind == dqpost {
		for start.kind != dqpre && start.prev != nil {
			f.spend(1)
			start = start.prev
			length += start.width()
		}
	}
	if !l.known {
		l.known, l.param = true, start.col
	}
	column := param.col + param.width() + 1
	if l.lines[t.line] {
		column = l.param + length + 1
	}
	if l.lines == nil {
		l.lines = map[int]bool{}
	}
	l.lines[t.line] = true
	l.column = max(l.column, column)
	l.arrows = append(l.arrows, t)
}

// misaligned reports the arrows of a level that are not where they should be.
func (f *file) misaligned(l *rank) {
	if len(l.lines) < 2 {
		return
	}
	seen := map[int]bool{}
	for _, t := range l.arrows {
		second := seen[t.line] // not the first arrow of its line
		seen[t.line] = true
		if t.col == l.column {
			continue
		}
		column, newIndent := l.column, l.param-1
		f.warn(t, fmt.Sprintf("indentation of => is not properly aligned (expected in column %d, but found it in column %d)",
			column, t.col)).fix = func() bool { return f.alignArrow(t, column, newIndent, second) }
	}
}

// alignArrow moves an arrow. One that is not the first of its line gets a line of its own, with its name.
func (f *file) alignArrow(t *token, column, newIndent int, second bool) bool {
	blanks := column - t.col
	if second {
		name := t.prevCode
		i := f.indexOf(name.prev)
		if i < 0 {
			return false
		}
		f.slip(i, &token{kind: newline, value: "\n"})
		name.prev.kind, name.prev.value = indent, strings.Repeat(" ", max(newIndent, 0))
		end := f.indexOf(name)
		start := t.prev
		for start != nil && !start.is(indent, newline) {
			start = start.prev
		}
		from := f.indexOf(start)
		if start == nil || from < 0 || end < from {
			return false
		}
		length := 1
		for _, u := range f.tokens[from : end+1] {
			length += u.width()
		}
		blanks = column - length
	} else if t.prev.is(whitespace) {
		blanks += t.prev.width()
	}
	if blanks < 0 {
		return false
	}
	text := strings.Repeat(" ", blanks)
	if t.prev.is(whitespace) {
		t.prev.value = text
	} else {
		f.slip(f.indexOf(t.prev)+1, &token{kind: whitespace, value: text})
	}
	return true
}

// spaceBeforeArrow is about resources with arrows in one line only.
func spaceBeforeArrow(f *file) {
	for _, r := range f.indexResources() {
		first, last := r.arrowEnds(f)
		if first == nil || first.line != last.line {
			continue
		}
		r.within(f, func(t *token) bool {
			p := t.prev
			if t.kind != farrow || p == nil || p.value == " " {
				return true
			}
			f.warn(p, fmt.Sprintf("there should be a single space before '=>' on line %d, column %d", p.line, p.col)).fix =
				func() bool {
					if p.kind == whitespace {
						p.value = " "
					} else {
						f.insert(f.indexOf(p), &token{kind: whitespace, value: " "})
					}
					return true
				}
			return true
		})
	}
}

// trailingComma wants a comma behind the last element of what goes over several lines.
func trailingComma(f *file) {
	last := func(end *token, except kind) {
		if end == nil {
			return
		}
		t := end.prevCode
		if t.is(heredoc, heredocPost) {
			for t != nil && t.kind != heredocOpen {
				f.spend(1)
				t = t.prevCode
			}
		}
		if t == nil || t.kind == except || end.kind == semic || t.kind == comma || !t.next.is(newline) {
			return
		}
		line := t.next
		f.warn(line, "missing trailing comma after last element").fix = func() bool {
			i := f.indexOf(line)
			if i < 0 {
				return false
			}
			f.slip(i, &token{kind: comma, value: ",", line: line.line, col: line.col})
			return true
		}
	}
	for _, r := range f.indexResources() {
		last(r.end, colon)
	}
	n := len(f.tokens)
	// where the next bracket or brace closes, seen from each token; the last token where none does
	brackets, braces := make([]*token, n), make([]*token, n)
	for i := n - 2; i >= 0; i-- {
		brackets[i], braces[i] = brackets[i+1], braces[i+1]
		if t := f.tokens[i+1]; brackets[i] == nil || t.kind == rbrack {
			brackets[i] = t
		}
		if t := f.tokens[i+1]; braces[i] == nil || t.kind == rbrace {
			braces[i] = t
		}
	}
	for i, t := range f.tokens {
		if t.kind == lbrack && !t.prevCode.is(classRef, typeName) {
			last(brackets[i], lbrack)
		}
	}
	for i, t := range f.tokens {
		if t.kind == lbrace && t.prevCode.is(equals, isEqual, farrow, lparen) {
			level := 0
			var end *token
			for _, u := range f.tokens[i+1:] {
				f.spend(1)
				end = u
				if u.kind == lbrace {
					level++
				} else if u.kind == rbrace {
					if level--; level < 0 {
						break
					}
				}
			}
			last(end, lbrace)
		}
	}
	for i, t := range f.tokens {
		if t.kind == classRef && t.nextCode.is(lbrace) && t.prevCode != nil && !t.prevCode.is(rshift, match, noMatch) {
			last(braces[i], lbrace)
		}
	}
}
