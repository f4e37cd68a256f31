package smartfrog

import (
	"slices"
	"strings"
)

// A Reference is the path to an attribute, outermost name first. The empty reference is the root. Definition 5 (SmartFrog): the
// domain 𝓡 = (𝕀)*; Definition 4's lists of identifiers are slices here.
type Reference []string

// ParseReference reads `a:b:c`, as it is written in a specification or on the command line; blanks around `:` do not matter.
func ParseReference(text string) (Reference, bool) {
	var r Reference
	for part := range strings.SplitSeq(text, ":") {
		part = strings.TrimSpace(part)
		if part == "" || identLen(part) != len(part) {
			return nil, false
		}
		r = append(r, part)
	}
	return r, true
}

// String writes the reference as the language does.
func (r Reference) String() string { return strings.Join(r, ":") }

// Join returns r followed by t. Definition 7 (SmartFrog): r ⊕ t.
func (r Reference) Join(t ...string) Reference {
	return append(append(make(Reference, 0, len(r)+len(t)), r...), t...)
}

// Trim returns r without the names that it has in common with the start of t. Definition 8 (SmartFrog): r ⊖ t.
//
// Erratum: the equations of Definition 8 are missing from the text that we have; this is the function that its sentence, and its
// use in Definition 10, describe.
func (r Reference) Trim(t Reference) Reference {
	for len(r) > 0 && len(t) > 0 && r[0] == t[0] {
		r, t = r[1:], t[1:]
	}
	return r
}

// Equal reports whether both are the same path. Definition 9 (SmartFrog): r ≡ t.
func (r Reference) Equal(t Reference) bool { return slices.Equal(r, t) }

// Within reports whether r starts with t: whether r is t or lies below it. Definition 10 (SmartFrog): t ⊆ r.
//
// Erratum: the sentence of Definition 10 calls ⊆ strict and ⊂ non-strict; its equations have it the right way round.
func (r Reference) Within(t Reference) bool { return len(t.Trim(r)) == 0 }

// Parent returns r without its last name; the root is its own parent. Definition 11 (SmartFrog): prefix.
func (r Reference) Parent() Reference {
	if len(r) == 0 {
		return r
	}
	return r[:len(r)-1]
}
