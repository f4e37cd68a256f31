package value

import "strings"

// versionParts cuts a version into dots, dashes, numbers and what is between them.
func versionParts(s string) []string {
	kind := func(c byte) int {
		switch {
		case c == '-' || c == '.':
			return 0
		case c >= '0' && c <= '9':
			return 1
		}
		return 2
	}
	parts := make([]string, 0, 8)
	for from := 0; from < len(s); {
		to := from + 1
		for k := kind(s[from]); k != 0 && to < len(s) && kind(s[to]) == k; {
			to++
		}
		parts = append(parts, s[from:to])
		from = to
	}
	return parts
}

// VersionCompare compares two versions as Puppet's package type does: part by part, digits as numbers unless one has a
// leading zero.
func VersionCompare(a, b string) int {
	as, bs := versionParts(a), versionParts(b)
	for i := 0; i < len(as) && i < len(bs); i++ {
		x, y := as[i], bs[i]
		switch {
		case x == y:
			continue
		case x == "-":
			return -1
		case y == "-":
			return 1
		case x == ".":
			return -1
		case y == ".":
			return 1
		case digits(x) && digits(y) && x[0] != '0' && y[0] != '0':
			if len(x) != len(y) {
				return cmpLen(x, y)
			}
			return strings.Compare(x, y)
		}
		return strings.Compare(Upcase(x), Upcase(y))
	}
	return strings.Compare(a, b)
}

func digits(s string) bool { return s[0] >= '0' && s[0] <= '9' }

func cmpLen(x, y string) int {
	if len(x) < len(y) {
		return -1
	}
	return 1
}
