package functions

import (
	"strings"
	"unicode/utf8"

	"bunraku/onigmo"
)

// find is the first match at or after a byte offset: offsets of the whole and of each group, nil for none.
func find(re *onigmo.Regexp, s string, from int) ([]int, error) {
	if f, is := any(re).(interface {
		Find(s string, from int) ([]int, error)
	}); is {
		return f.Find(s, from)
	}
	f := any(re).(interface {
		Find(s string) ([]int, error)
	})
	loc, err := f.Find(s[from:])
	for i := range loc {
		if loc[i] >= 0 {
			loc[i] += from
		}
	}
	return loc, err
}

// groupNames are the names of a pattern's groups by number, "" for those without.
func groupNames(re *onigmo.Regexp) []string {
	if n, is := any(re).(interface{ Names() []string }); is {
		return n.Names()
	}
	return nil
}

func indexOf(s, sub string) int { return strings.Index(s, sub) }

// charLen is the length in bytes of the character at an offset, 1 behind the end.
func charLen(s string, at int) int {
	if at >= len(s) {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s[at:])
	return n
}
