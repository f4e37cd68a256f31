package lint

import (
	"slices"
	"strings"
)

// Mending is done among the tokens, one finding after the other, and the text is what the tokens are written as in
// the end. A token is written by what its neighbours are, so it matters which of them a change tells: insert and
// remove tell them, slip does not. Which of the two a fix uses is puppet-lint's choice, and what comes out with it.

// indexOf is where a token is now; -1 if it is gone.
func (f *file) indexOf(t *token) int { return slices.Index(f.tokens, t) }

// slip puts a token before the i-th and tells no neighbour.
func (f *file) slip(i int, t *token) { f.tokens = slices.Insert(f.tokens, i, t) }

// insert puts a token before the i-th, as a neighbour of those around it.
func (f *file) insert(i int, t *token) {
	if i < 1 || i > len(f.tokens) {
		return
	}
	left := f.tokens[i-1]
	t.next, t.prev = left.next, left
	if left.next != nil {
		left.next.prev = t
	}
	code := !t.kind.formatting()
	if code {
		if left.next != nil {
			left.next.prevCode = t
		}
		if k := slices.IndexFunc(f.tokens[i:], func(u *token) bool { return !u.kind.formatting() }); k >= 0 {
			t.nextCode = f.tokens[i+k]
			t.nextCode.prevCode = t
		}
	}
	if left.kind.formatting() {
		for k := i - 1; k >= 0; k-- {
			if u := f.tokens[k]; !u.kind.formatting() {
				t.prevCode, u.nextCode = u, t
				break
			}
		}
	} else {
		t.prevCode = left
	}
	left.next = t
	if code {
		left.nextCode = t
	}
	f.slip(i, t)
}

// remove takes a token out. It keeps its own neighbours, so that one may go on from it.
func (f *file) remove(t *token) {
	if t.next != nil {
		t.next.prev = t.prev
	}
	if t.prev != nil {
		t.prev.next = t.next
	}
	if !t.kind.formatting() {
		if t.prevCode != nil {
			t.prevCode.nextCode = t.nextCode
		}
		if t.nextCode != nil {
			t.nextCode.prevCode = t.prevCode
		}
	}
	f.drop(t)
}

// drop takes a token out and tells no neighbour.
func (f *file) drop(t *token) {
	if i := f.indexOf(t); i >= 0 {
		f.tokens = slices.Delete(f.tokens, i, i+1)
	}
}

// retokenise splits a piece of text that becomes code.
func (f *file) retokenise(text string) (out []*token, ok bool) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *lexError:
			out, ok = nil, false
		default:
			panic(p)
		}
	}()
	return tokenise(text, f.budget), true
}

// written is the manifest that the tokens are. Unlike puppet-lint it keeps the ends of lines as they are, and the
// slashes of comments.
func (f *file) written() string {
	var b strings.Builder
	for _, t := range f.tokens {
		before, text, after := t.parts()
		switch t.kind {
		case newline:
			text = t.value
		case slashComment:
			before = "//"
		}
		b.WriteString(before)
		b.WriteString(text)
		b.WriteString(after)
	}
	return b.String()
}
