package redact

import (
	"regexp"
	"strings"
	"unicode"
)

// Fold breaks lines for people at words so that they fit into what columns says, from now on. Terminals break them
// anywhere; what they continue stands below the beginning of the text, not of the line. Lines of source files with
// their marks are left alone, since the marks point at what is above them, and so are words that do not fit.
func (s *Screen) Fold(columns func() int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.columns = columns
}

// least is the narrowest width in which breaking lines makes them any easier to read.
const least = 30

var (
	excerpt     = regexp.MustCompile(`^ *(\d+ )?\| `)
	colourCodes = regexp.MustCompile(`\x1b\[[0-9;]*m`)
)

// fold breaks the lines of a text that has its colours already.
func fold(text string, columns int) string {
	if columns < least {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		if len(line) <= columns || shown(strings.TrimSuffix(line, "\n")) <= columns ||
			excerpt.MatchString(colourCodes.ReplaceAllString(line, "")) {
			out.WriteString(line)
			continue
		}
		foldLine(&out, line, columns)
	}
	return out.String()
}

// shown is how many columns a text takes: none for marks above letters, two for letters of East Asia and pictures.
func shown(text string) (n int) {
	for _, r := range colourCodes.ReplaceAllString(text, "") {
		switch {
		case r < 0x300:
			n++
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r < 0x3040 ||
			r >= 0xff00 && r < 0xff61 || r >= 0x1f300 && r < 0x1fb00:
			n += 2
		default:
			n++
		}
	}
	return n
}

func foldLine(out *strings.Builder, line string, columns int) {
	text, end := strings.CutSuffix(line, "\n")
	indent := len(text) - len(strings.TrimLeft(text, " "))
	hang := strings.Repeat(" ", min(indent+2, columns/2))
	at, gap := 0, ""
	for i, word := range strings.SplitAfter(text, " ") {
		bare := strings.TrimRight(word, " ")
		width := shown(bare)
		switch {
		case bare == "" || i == 0:
		case at+len(gap)+width > columns && at > len(hang):
			out.WriteString("\n" + hang)
			at, gap = len(hang), ""
		}
		if bare == "" {
			gap += word
			continue
		}
		out.WriteString(gap + bare)
		at, gap = at+len(gap)+width, word[len(bare):]
	}
	if end {
		out.WriteByte('\n')
	}
}
