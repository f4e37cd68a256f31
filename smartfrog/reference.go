package smartfrog

import "strings"

// A Reference is the path to an attribute, outermost name first. The empty reference is the root. Definition 5
// (SmartFrog): the domain 𝓡 = (𝕀)*. Definition 4 (SmartFrog): its lists are slices here.
type Reference []string

// ParseReference reads `a:b:c`, as it is written in a specification or on the command line; blanks around `:` do not
// matter.
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
