package eval

// ValidTag reports whether a text may be a tag.
func ValidTag(s string) bool { return validTag(s) }
