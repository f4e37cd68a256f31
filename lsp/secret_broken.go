package lsp

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"bunraku/lsp/protocol"
	"bunraku/puppet/outline"
	"bunraku/report/redact"
	"bunraku/source"
)

// While somebody types, code is broken most of the time: a quote is missing, and what stood in strings stands outside
// of them. What a file made Sensitive when it could last be read stays so until it can be again; one that never could
// may make so whatever it is given.

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

// itself is what makes something Sensitive as long as nobody knows what files do.
var itself = newWraps(typeNames{"sensitive": true})

// A hush is what may not be quoted of a broken file: words of what it makes Sensitive or made so when it was not
// broken; and, in a file that makes anything Sensitive or may do so, words that are new since then: nobody knows yet
// what becomes of them.
type hush struct {
	file    *source.File
	entry   *entry // what was read of it
	by      *wraps
	secrets []string
	guarded bool
	known   map[string]bool // words that it had
}

// hushOf is what may not be quoted of a file. A file may have many problems, so that the last one is kept.
func (f *folder) hushOf(file *source.File) *hush {
	h := &hush{file: file, by: itself, known: map[string]bool{}}
	if f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		h.entry = f.entries[f.path(file)]
		if h.guarded = f.base == nil || !f.base.meant.found.Load(); !h.guarded {
			h.by = f.base.meant.wraps
		}
		if was := f.hush; was != nil && was.file == file && was.entry == h.entry && was.by == h.by {
			return was
		}
		f.hush = h
	}
	h.guarded = h.guarded || h.by.spokenOf(file.Text)
	for e := h.entry; e != nil && e.tree != nil; e = e.before {
		for _, s := range e.hiddenBy(h.by) {
			h.secrets = append(h.secrets, e.file.Slice(s))
		}
		if e.whole && h.guarded {
			e.seen(h.by, h.known)
		}
	}
	return h
}

// hushed is what is said of code that is broken, without words of it that may not be quoted. Such a message quotes what
// stands at a place.
func (f *folder) hushed(d *source.Diagnostic, text string) string {
	if !strings.HasPrefix(d.Code, "P") || !d.Place.Known() || !strings.Contains(text, "'") {
		return text
	}
	h := f.hushOf(d.Place.File)
	there := d.Place.File.Slice(source.Span{Start: d.Place.Span.Start, End: max(d.Place.Span.End,
		min(d.Place.Span.Start+mostQuoted, uint32(len(d.Place.File.Text))))})
	secret := func(word string) bool {
		return slices.ContainsFunc(h.secrets, func(s string) bool { return strings.Contains(s, word) }) ||
			h.guarded && strings.Contains(there, word) && !slices.Contains(keywords, word) && !h.known[word]
	}
	from, to := strings.Index(text, "'")+1, strings.LastIndex(text, "'")
	var out strings.Builder
	for at := 0; at < len(text); {
		end := at + strings.IndexFunc(text[at:]+"'", noLetter)
		word := text[at:end]
		quoted := at >= from && at < to || strings.Contains(d.Place.File.Slice(d.Place.Span), word)
		if len(word) >= leastQuoted && quoted && secret(word) {
			word = redact.Blot
		}
		out.WriteString(word)
		if at = end; at < len(text) {
			out.WriteByte(text[at])
			at++
		}
	}
	return out.String()
}

// unhush says again of open files what was said while nobody knew what they make Sensitive.
func (f *folder) unhush() {
	s := f.server
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.docs {
		n := s.shown[d.key()]
		if s.folderOf(d.path) == f && n != nil && slices.ContainsFunc(n.syntax, func(p protocol.Diagnostic) bool {
			return strings.Contains(p.Message, redact.Blot)
		}) {
			s.syntax(d)
		}
	}
}

// seen adds the words of a file's code but for what it makes Sensitive.
func (e *entry) seen(by *wraps, words map[string]bool) {
	from := uint32(0)
	for _, s := range append(slices.Clone(e.hiddenBy(by)), source.Span{Start: uint32(len(e.file.Text))}) {
		if s.Start > from {
			for _, word := range strings.FieldsFunc(e.file.Text[from:s.Start], noLetter) {
				words[word] = true
			}
		}
		from = max(from, s.End)
	}
}

// neverRead reports whether a file of code is broken and nobody knows what it was when it was not.
func (e *entry) neverRead() bool { return e.tree != nil && !e.whole && e.before == nil }

// spokenOf reports whether a text has the name of something that makes what it is given Sensitive.
func (w *wraps) spokenOf(text string) bool {
	called := w.called
	if called == nil { // not all are known yet
		called = w.lastNames()
	}
	return slices.ContainsFunc(codeWords.FindAllString(text, -1), func(word string) bool {
		name := outline.Class(word)
		return w.types[name] || w.functions[name] != nil || called[word]
	})
}

// lastNames are what code calls parameters and variables where it names no owner.
func (w *wraps) lastNames() map[string]bool {
	out := map[string]bool{}
	for name := range w.vars {
		out[name[strings.LastIndexAny(name, ": ")+1:]] = true
	}
	return out
}

// perhapsBy is what a file that could never be read may make Sensitive: nobody knows better than all that it is given.
func perhapsBy(e *entry) *wraps {
	out := newWraps(nil)
	var params []string
	for _, m := range codeVars.FindAllStringSubmatch(e.file.Text, -1) {
		params = append(params, m[1])
		if e.template != "" {
			out.vars[e.template+" "+m[1]] = true
		}
	}
	for _, m := range codeDefines.FindAllStringSubmatch(e.file.Text, -1) {
		name := outline.Class(m[2])
		if m[1] == "function" {
			out.functions[name] = &wrapper{all: true}
			continue
		}
		for _, p := range params {
			out.vars[name+"::"+p] = true
		}
	}
	return out
}

var (
	codeWords   = regexp.MustCompile(`(?:::)?[A-Za-z_]\w*(?:::\w+)*`)
	codeVars    = regexp.MustCompile(`\$([a-z_]\w*)`)
	codeDefines = regexp.MustCompile(`\b(class|define|function)\s+((?:\w+::)*\w+)`)
)

// leastQuoted is how many letters of a secret are too many to be told, mostQuoted more than a message quotes of what
// stands behind its place.
const (
	leastQuoted = 3
	mostQuoted  = 60
)

// noLetter reports whether a letter stands in no word.
func noLetter(c rune) bool { return c < 0x80 && !isWord(byte(c)) }
