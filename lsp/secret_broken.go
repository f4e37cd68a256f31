package lsp

import (
	"iter"
	"slices"
	"strings"

	"bunraku/report/redact"
	"bunraku/source"
)

// While somebody types, code is broken most of the time: a quote is missing, and what stood in strings stands outside
// of them. What a file made Sensitive when it could last be read stays so until it can be again.

// andBefore are all files, and those that cannot be read also as they were.
func (x *index) andBefore() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for _, e := range x.entries {
			if !yield(e) || e.before != nil && !yield(e.before) {
				return
			}
		}
	}
}

// itself is what makes something Sensitive as long as nobody has asked what files do.
var itself = newWraps(typeNames{"sensitive": true})

// hushed is what is said of code that is broken, without words of what the file made Sensitive when it was not. Such a
// message quotes what stands at a place.
func (f *folder) hushed(d *source.Diagnostic, text string) string {
	if f == nil || !strings.HasPrefix(d.Code, "P") || !d.Place.Known() || !strings.Contains(text, "'") {
		return text
	}
	f.mu.Lock()
	e, base := f.entries[f.path(d.Place.File)], f.base
	f.mu.Unlock()
	if e != nil && !e.whole {
		e = e.before
	}
	if e == nil || e.tree == nil {
		return text
	}
	by := itself
	if base != nil && base.meant.found.Load() {
		by = base.meant.wraps
	}
	var secrets []string
	for _, s := range e.hiddenBy(by) {
		secrets = append(secrets, e.file.Slice(s))
	}
	if len(secrets) == 0 {
		return text
	}
	from, to := strings.Index(text, "'")+1, strings.LastIndex(text, "'")
	var out strings.Builder
	for from < to {
		end := from + strings.IndexFunc(text[from:to]+"'", noLetter)
		if word := text[from:end]; len(word) >= leastQuoted &&
			slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(s, word) }) {
			out.WriteString(redact.Blot)
		} else {
			out.WriteString(word)
		}
		if from = end; from < to {
			out.WriteByte(text[from])
			from++
		}
	}
	return text[:strings.Index(text, "'")+1] + out.String() + text[to:]
}

// leastQuoted is how many letters of a secret are too many to be told.
const leastQuoted = 3

// noLetter reports whether a letter stands in no word.
func noLetter(c rune) bool { return c < 0x80 && !isWord(byte(c)) }
