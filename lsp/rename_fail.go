package lsp

import (
	"regexp"
	"slices"
	"strings"

	"bunraku/source"
)

// A node that does not compile has no catalog to compare. What it says instead is compared: it fails at the same place,
// with the same words but for the name. That is less than a catalog tells, since nobody knows what lies behind the
// mistake; so whoever asked is told.

// otherwise is the first thing that a node says and did not say before, or the other way round; nil if there is none.
func (r *renaming) otherwise(was, is source.Diagnostics, c *change, to string) *source.Diagnostic {
	left := slices.Clone(is)
	for _, d := range was {
		i := slices.IndexFunc(left, func(o *source.Diagnostic) bool { return r.alike(d, o, c, to) })
		if i < 0 {
			if len(left) > 0 {
				return left[0]
			}
			return d
		}
		left = slices.Delete(left, i, i+1)
	}
	if len(left) > 0 {
		return left[0]
	}
	return nil
}

// alike reports whether two problems are the same but for the name. A rename moves nothing to another line.
func (r *renaming) alike(was, is *source.Diagnostic, c *change, to string) bool {
	if was.Code != is.Code || was.Severity != is.Severity || was.Place.Known() != is.Place.Known() {
		return false
	}
	if was.Place.Known() {
		from, at := r.folder.path(was.Place.File), r.folder.path(is.Place.File)
		if next := c.moves[from]; next != "" {
			from = next
		}
		if from != at || was.Place.Line() != is.Place.Line() {
			return false
		}
	}
	return was.Summary == is.Summary || r.worded(was.Summary, c, to).MatchString(is.Summary)
}

// worded matches a text in which the old name, wherever it stands as a word, may be the new one.
func (r *renaming) worded(text string, c *change, to string) *regexp.Regexp {
	words := []struct{ was, is string }{{r.full, to}, {lastPart(r.own), lastPart(to)}}
	for from, next := range c.moves {
		words = append(words, struct{ was, is string }{r.short(from), r.short(next)})
	}
	var b strings.Builder
	b.WriteString(`(?is)^`)
	for at := 0; at < len(text); {
		found := false
		for _, w := range words {
			end := at + len(w.was)
			if !found && end <= len(text) && strings.EqualFold(text[at:end], w.was) &&
				(at == 0 || !isWord(text[at-1])) && (end == len(text) || !isWord(text[end])) {
				b.WriteString("(?:" + regexp.QuoteMeta(w.was) + "|" + regexp.QuoteMeta(w.is) + ")")
				at, found = end, true
			}
		}
		if !found {
			b.WriteString(regexp.QuoteMeta(text[at : at+1]))
			at++
		}
	}
	b.WriteString(`$`)
	re, err := regexp.Compile(b.String())
	if err != nil { // a text that is no text
		return regexp.MustCompile(`^` + regexp.QuoteMeta(text) + `$`)
	}
	return re
}
