package listing

import "strings"

// compareVersions orders versions as dpkg and rpm do: [epoch:]version[-revision], where runs of digits count as numbers
// and "~" sorts before everything, even the end (Debian Policy §5.6.12; rpmvercmp differs only for letters against
// digits, where rpm has the digits last).
func compareVersions(a, b string) int {
	ea, a := splitEpoch(a)
	eb, b := splitEpoch(b)
	if c := compareRuns(ea, eb); c != 0 {
		return c
	}
	va, ra := splitRevision(a)
	vb, rb := splitRevision(b)
	if c := compareRuns(va, vb); c != 0 {
		return c
	}
	return compareRuns(ra, rb)
}

func splitEpoch(v string) (epoch, rest string) {
	if e, r, ok := strings.Cut(v, ":"); ok {
		return e, r
	}
	return "0", v
}

func splitRevision(v string) (version, revision string) {
	if i := strings.LastIndexByte(v, '-'); i >= 0 {
		return v[:i], v[i+1:]
	}
	return v, ""
}

// compareRuns compares alternating runs of other characters and digits.
func compareRuns(a, b string) int {
	digit := func(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }
	order := func(s string, i int) int {
		switch {
		case i >= len(s) || digit(s, i):
			return 0
		case s[i] == '~':
			return -1
		case s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z':
			return int(s[i])
		}
		return int(s[i]) + 256
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		for i < len(a) && !digit(a, i) || j < len(b) && !digit(b, j) {
			if x, y := order(a, i), order(b, j); x != y {
				if x < y {
					return -1
				}
				return 1
			}
			i, j = min(i+1, len(a)), min(j+1, len(b))
		}
		ai, bj := i, j
		for digit(a, i) {
			i++
		}
		for digit(b, j) {
			j++
		}
		na, nb := strings.TrimLeft(a[ai:i], "0"), strings.TrimLeft(b[bj:j], "0")
		if len(na) != len(nb) {
			if len(na) < len(nb) {
				return -1
			}
			return 1
		}
		if c := strings.Compare(na, nb); c != 0 {
			return c
		}
	}
	return 0
}
