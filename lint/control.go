package lint

import (
	"fmt"
	"strings"
)

// Control comments. `# lint:ignore:CHECK reason` at the end of a line is about that line. On a line of its own it
// opens a block, which `# lint:endignore` closes; several checks may be named in one comment, and one endignore
// closes all of them. Blocks nest. A block that is never closed ignores nothing.

// ignores has the lines that are ignored, by check. Of several that hold a line, the last says why.
type ignores map[string][]ignored

type ignored struct {
	from, to int
	reason   string
}

func (x ignores) reason(f *file, check string, line int) (string, bool) {
	all := x[check]
	f.spend(len(all))
	for i := len(all) - 1; i >= 0; i-- {
		if line >= all[i].from && line <= all[i].to {
			return all[i].reason, true
		}
	}
	return "", false
}

// A Note says what is wrong with a control comment.
type Note struct {
	Line int
	Text string
}

// controls reads the control comments of a file. The notes are about those that open or close nothing.
func controls(tokens []*token) (out ignores, notes []Note) {
	type block struct {
		line          int
		check, reason string
	}
	out = ignores{}
	var open [][]block
	for _, t := range tokens {
		if !t.isComment() || !strings.Contains(t.value, "lint:") {
			continue
		}
		words := strings.Fields(strings.Trim(t.value, "\x00"))
		if len(words) == 0 || !isControl(words[0]) {
			continue
		}
		commands := 0
		for commands < len(words) && (strings.HasPrefix(words[commands], "lint:ignore") ||
			strings.HasPrefix(words[commands], "lint:endignore")) {
			commands++
		}
		reason := strings.Join(words[commands:], " ")
		var opened []block
		for _, word := range words[:commands] {
			parts := strings.Split(word, ":")
			switch {
			case parts[1] == "ignore" && len(parts) > 2 && parts[2] != "":
				if t.prev != nil && !t.prev.is(newline, indent) {
					out[parts[2]] = append(out[parts[2]], ignored{t.line, t.line, reason})
				} else {
					opened = append(opened, block{t.line, parts[2], reason})
				}
			case parts[1] == "ignore": // it names no check
			case len(open) == 0:
				notes = append(notes, Note{t.line, "lint:endignore closes nothing: no lint:ignore is open"})
			default:
				for _, b := range open[len(open)-1] {
					out[b.check] = append(out[b.check], ignored{b.line, t.line, b.reason})
				}
				open = open[:len(open)-1]
			}
		}
		if len(opened) > 0 {
			open = append(open, opened)
		}
	}
	for _, blocks := range open {
		notes = append(notes, Note{blocks[0].line,
			fmt.Sprintf("lint:ignore:%s is never closed by lint:endignore, so it ignores nothing",
				blocks[0].check)})
	}
	return out, notes
}

// isControl reports whether a comment that begins with this word is a control comment.
func isControl(word string) bool {
	if strings.HasPrefix(word, "lint:endignore") {
		return true
	}
	check, ok := strings.CutPrefix(word, "lint:ignore:")
	return ok && check != "" && isWord(check[0])
}
