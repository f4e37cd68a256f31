package psych

import (
	"fmt"
	"strings"
)

// analysis is what libyaml finds out about a text before it chooses a style.
type analysis struct {
	multiline, plain, single, block bool
}

func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// printable is the emitter's idea of it: neither tabs nor, for libyaml, characters beyond the basic plane.
func (w *emitter) printable(r rune) bool {
	switch {
	case w.snake && (r == 0xfeff || r > 0xffff):
		return true
	case r == '\n', r >= 0x20 && r <= 0x7e:
		return true
	case r < 0xa0, r > 0xffff, r >= 0xd800 && r <= 0xdfff, r == 0xfeff, r == 0xfffe, r == 0xffff:
		return false
	}
	return true
}

func (w *emitter) analyze(s string) analysis {
	if s == "" {
		return analysis{plain: true, single: true}
	}
	rs := []rune(s)
	blank := func(i int) bool { return i >= len(rs) || rs[i] == ' ' || rs[i] == '\t' || rs[i] == 0 || isBreak(rs[i]) }
	indicators := strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...")
	var special, breaks, edge, trailingSpace, breakSpace, spaceBreak, wasSpace, wasBreak bool
	for i, r := range rs {
		first, last, next := i == 0, i == len(rs)-1, blank(i+1)
		switch {
		case first && strings.ContainsRune("#,[]{}&*!|>'\"%@`", r), first && (r == '?' || r == '-') && next, r == ':' && next,
			r == '#' && (first || blank(i-1)):
			indicators = true
		}
		if !w.printable(r) {
			special = true
		}
		switch {
		case r == ' ':
			edge = edge || first || last
			trailingSpace = trailingSpace || last
			breakSpace = breakSpace || wasBreak
			wasSpace, wasBreak = true, false
		case isBreak(r):
			breaks = true
			edge = edge || first || last
			spaceBreak = spaceBreak || wasSpace
			wasSpace, wasBreak = false, true
		default:
			wasSpace, wasBreak = false, false
		}
	}
	return analysis{
		multiline: breaks,
		plain:     !(edge || breakSpace || spaceBreak || special || breaks || indicators),
		single:    !(breakSpace || spaceBreak || special),
		block:     !(trailingSpace || spaceBreak || special),
	}
}

// scalar writes a text in the style asked for, or the nearest that can bear it.
func (w *emitter) scalar(n *Node) {
	a := w.analyze(n.Text)
	style, tag := n.Style, n.Tag
	if w.simpleKey && a.multiline {
		style = DoubleQuoted
	}
	if style == Plain && (!a.plain || n.Text == "" && w.simpleKey) {
		style = SingleQuoted
	}
	if style == SingleQuoted && !a.single {
		style = DoubleQuoted
	}
	if (style == Literal || style == Folded) && (!a.block || w.simpleKey) {
		style = DoubleQuoted
	}
	if tag == "" && !n.IsText && style != Plain {
		tag = "!"
	}
	if tag != "" {
		w.indicator(tag, true, false, false)
	}
	before := w.increase(true, false)
	rs := []rune(n.Text)
	switch style {
	case Plain:
		w.plain(rs)
	case SingleQuoted:
		w.singleQuoted(rs)
	case DoubleQuoted:
		w.doubleQuoted(rs)
	case Literal:
		w.literal(rs)
	case Folded:
		w.folded(rs)
	}
	w.indent = before
}

// breakable reports a blank at which a line that is full may end.
func (w *emitter) breakable(rs []rune, i int, spaces bool) bool {
	return !w.simpleKey && !spaces && w.column > w.width && (i+1 >= len(rs) || rs[i+1] != ' ')
}

func (w *emitter) plain(rs []rune) {
	if !w.whitespace && len(rs) > 0 {
		w.put(" ")
	}
	spaces := false
	for i, r := range rs {
		if r == ' ' {
			if w.breakable(rs, i, spaces) {
				w.writeIndent()
			} else {
				w.put(" ")
			}
			spaces = true
			continue
		}
		w.put(string(r))
		w.indention, spaces = false, false
	}
	w.whitespace, w.indention = false, false
}

// writeBreak writes a line end of the text itself.
func (w *emitter) writeBreak(r rune) {
	if r == '\n' {
		w.lineBreak()
	} else {
		w.b.WriteRune(r)
		w.column = 0
	}
	w.indention = true
}

func (w *emitter) singleQuoted(rs []rune) {
	w.indicator("'", true, false, false)
	spaces, breaks := false, false
	for i, r := range rs {
		switch {
		case r == ' ':
			if i != 0 && i != len(rs)-1 && w.breakable(rs, i, spaces) {
				w.writeIndent()
			} else {
				w.put(" ")
			}
			spaces = true
			continue
		case isBreak(r):
			if !breaks && r == '\n' {
				w.lineBreak()
			}
			w.writeBreak(r)
			breaks = true
			continue
		}
		if breaks {
			w.writeIndent()
		}
		if r == '\'' {
			w.put("'")
		}
		w.put(string(r))
		w.indention, spaces, breaks = false, false, false
	}
	if breaks {
		w.writeIndent()
	}
	w.indicator("'", false, false, false)
}

var escapes = map[rune]string{
	0: "0", 7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 0x1b: "e", '"': `"`, '\\': `\`, 0x85: "N",
	0xa0: "_", 0x2028: "L", 0x2029: "P",
}

func (w *emitter) doubleQuoted(rs []rune) {
	if w.snake {
		w.snakeQuoted(rs)
		return
	}
	w.indicator(`"`, true, false, false)
	spaces := false
	for i, r := range rs {
		switch {
		case !w.printable(r) || isBreak(r) || r == '"' || r == '\\':
			w.put(w.escaped(r))
			spaces = false
		case r == ' ':
			if !w.simpleKey && !spaces && w.column > w.width && i != 0 && i != len(rs)-1 {
				w.writeIndent()
				if rs[i+1] == ' ' {
					w.put(`\`)
				}
			} else {
				w.put(" ")
			}
			spaces = true
		default:
			w.put(string(r))
			spaces = false
		}
	}
	w.indicator(`"`, false, false, false)
}

// snakeQuoted is how SnakeYAML does it: a line may end behind everything that is no plain ASCII, too, and a blank where
// a line ends is written in the next one (Emitter.writeDoubleQuoted).
func (w *emitter) snakeQuoted(rs []rune) {
	w.indicator(`"`, true, false, false)
	start := 0
	for i := 0; i <= len(rs); i++ {
		if i == len(rs) || rs[i] < ' ' || rs[i] > '~' || rs[i] == '"' || rs[i] == '\\' {
			w.put(string(rs[start:i]))
			if start = i; i < len(rs) {
				text := string(rs[i])
				if _, known := escapes[rs[i]]; known || !w.printable(rs[i]) {
					text = w.escaped(rs[i])
				}
				w.put(text)
				start = i + 1
			}
		}
		if 0 < i && i < len(rs)-1 && (rs[i] == ' ' || start >= i) && w.column+i-start > w.width && !w.simpleKey {
			if start < i {
				w.put(string(rs[start:i]))
				start = i
			}
			w.put(`\`)
			w.writeIndent()
			w.whitespace, w.indention = false, false
			if rs[start] == ' ' {
				w.put(`\`)
			}
		}
	}
	w.indicator(`"`, false, false, false)
}

// escaped is a character as double quotes have it.
func (w *emitter) escaped(r rune) string {
	switch e, known := escapes[r]; {
	case known:
		return `\` + e
	case r <= 0xff:
		return w.hex(`\x%02X`, r)
	case r <= 0xffff:
		return w.hex(`\u%04X`, r)
	}
	return fmt.Sprintf(`\U%08X`, r)
}

// hex writes a number in the case of letters that the library has.
func (w *emitter) hex(format string, r rune) string {
	if w.snake {
		format = strings.ToLower(format)
	}
	return fmt.Sprintf(format, r)
}

// hints are the digit and the sign behind | and >. It reports whether the block keeps the line ends behind it.
func (w *emitter) hints(rs []rune) (keeps bool) {
	if rs[0] == ' ' || isBreak(rs[0]) {
		w.indicator(fmt.Sprint(w.step), false, false, false)
	}
	n := len(rs)
	switch {
	case !isBreak(rs[n-1]):
		w.indicator("-", false, false, false)
	case n == 1 || isBreak(rs[n-2]):
		w.indicator("+", false, false, false)
		return true
	}
	return false
}

func (w *emitter) literal(rs []rune) {
	w.indicator("|", true, false, false)
	keeps := w.hints(rs)
	w.lineBreak()
	w.indention, w.whitespace = true, true
	breaks := true
	for _, r := range rs {
		if isBreak(r) {
			w.writeBreak(r)
			breaks = true
			continue
		}
		if breaks {
			w.writeIndent()
		}
		w.put(string(r))
		w.indention, breaks = false, false
	}
	w.openEnded = keeps
}

func (w *emitter) folded(rs []rune) {
	w.indicator(">", true, false, false)
	keeps := w.hints(rs)
	w.lineBreak()
	w.indention, w.whitespace = true, true
	breaks, leading := true, true
	for i := 0; i < len(rs); i++ {
		r := rs[i]
		if isBreak(r) {
			if !breaks && !leading && r == '\n' {
				k := i
				for k < len(rs) && isBreak(rs[k]) {
					k++
				}
				if k < len(rs) && rs[k] != ' ' && rs[k] != '\t' {
					w.lineBreak()
				}
			}
			w.writeBreak(r)
			breaks = true
			continue
		}
		if breaks {
			w.writeIndent()
			leading = r == ' ' || r == '\t'
		}
		if !breaks && r == ' ' && (i+1 >= len(rs) || rs[i+1] != ' ') && w.column > w.width {
			w.writeIndent()
		} else {
			w.put(string(r))
		}
		w.indention, breaks = false, false
	}
	w.openEnded = keeps
}
