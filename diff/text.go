package diff

import (
	"context"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/value"
	"bunraku/source/git"
)

// A Block is a place where two texts differ: lines of the one became lines of the other.
type Block struct {
	Old, New         []string
	OldLine, NewLine int // of the first line, from 1; where there is none, of the line before which it would stand
	// NoEnd tells that the last line of Old, or of New, is the text's last and has no end.
	OldNoEnd, NewNoEnd bool
}

// isText reports whether a text is for people, and not bytes.
func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// textBlocks compares two values line by line if they are texts of several lines; nil if they are not.
func textBlocks(a, b value.Value) []Block {
	x, isX := a.(value.String)
	y, isY := b.(value.String)
	if !isX && a != nil || !isY && b != nil || !isX && !isY {
		return nil
	}
	several := func(s value.String) bool { return strings.Contains(strings.TrimSuffix(string(s), "\n"), "\n") }
	if !several(x) && !several(y) {
		return nil
	}
	return blocks(string(x), string(y))
}

// blocks compares two texts.
func blocks(x, y string) (out []Block) {
	if !isText(x) || !isText(y) {
		return nil
	}
	hunks, err := git.Lines(context.Background(), x, y)
	if err != nil { // nobody ends the context
		return nil
	}
	old, new := lines(x), lines(y)
	for _, h := range hunks {
		b := Block{Old: old[h.Old:h.OldEnd], New: new[h.New:h.NewEnd], OldLine: h.Old + 1, NewLine: h.New + 1}
		b.OldNoEnd = h.OldEnd == len(old) && len(b.Old) > 0 && !strings.HasSuffix(x, "\n")
		b.NewNoEnd = h.NewEnd == len(new) && len(b.New) > 0 && !strings.HasSuffix(y, "\n")
		out = append(out, b)
	}
	return out
}

// lines cuts a text into lines without their ends.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
