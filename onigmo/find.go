package onigmo

// Find gives the byte offsets of the first match and its groups, -1 for a group that took no part; nil for no match.
func (re *Regexp) Find(s string) ([]int, error) { return re.re.FindStringSubmatchIndex(s), nil }
