package source

import "strings"

// publicKey is how the half of a key is called that does not stand in for the other.
const publicKey = ".pub"

// Nearest returns the candidate that a reader most likely meant by a misspelt name, or "" when none is close. Distance
// is Damerau–Levenshtein (one swap of neighbours counts as one), case folded; the bound is a third of the name's
// length, and half of the shorter name must be right. Of a name of one or two letters nothing is left when one of them
// changes. What two paths or qualified names have in common in front does not count: apache::mod::ssl is not nearly
// apache::mod::dav. Nor do words that they share in front or behind: most of what is left has to be right,
// and of two mistakes none is the first letter: openbsd is not nearly freebsd.
//
// Nobody misspells a name of more than longestName letters, and when there is too much to compare, only the first
// candidates are: a suggestion is a kindness, which must not cost more than the mistake.
func Nearest(name string, candidates []string) string {
	if len(name) > longestName {
		return ""
	}
	best, bestDistance := "", len(name)
	work := mostWork
	for _, c := range candidates {
		if c == name || len(c) > longestName || strings.TrimSuffix(c, publicKey) == strings.TrimSuffix(name, publicKey) {
			continue
		}
		if work -= len(name) * len(c); work < 0 {
			break
		}
		a, b := withoutCommon(strings.ToLower(name), strings.ToLower(c))
		limit := min(len(a)/3+1, bestDistance)
		d := distance(a, b, limit)
		shorter := min(len(a), len(b))
		if d > limit || 2*d > shorter || d > 0 && shorter <= 2 && len(a) == len(name) || d > 1 && a[0] != b[0] {
			continue
		}
		if (best == "" || d < bestDistance || d == bestDistance && c < best) &&
			looksMisspelt(strings.ToLower(name), strings.ToLower(c)) && !numbered(c, name) {
			best, bestDistance = c, d
		}
	}
	return best
}

// numbered reports whether two names differ in their numbers only: es5 and es6 are two things, not one misspelt. A
// number that is only written otherwise, web1 for web01, may well be misspelt.
func numbered(a, b string) bool {
	return numberless(a, digits) == numberless(b, digits) && numberless(a, "0") != numberless(b, "0")
}

const digits = "0123456789"

// numberless leaves out of a name, where a number begins, the digits that are idle.
func numberless(name, idle string) string {
	var out strings.Builder
	within := false
	for i := range len(name) {
		digit := name[i] >= '0' && name[i] <= '9'
		if digit && !within && strings.IndexByte(idle, name[i]) >= 0 {
			continue
		}
		within = digit
		out.WriteByte(name[i])
	}
	return out.String()
}

// looksMisspelt reports whether what two names do not share, word by word, is nearly the same, or one has only
// some letters more than the other.
func looksMisspelt(a, b string) bool {
	separates := func(r rune) bool { return strings.ContainsRune(":/_-.", r) }
	x, y := strings.FieldsFunc(a, separates), strings.FieldsFunc(b, separates)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	longer := a
	if len(b) > len(a) {
		longer = b
	}
	a, b = strings.Join(x, "_"), strings.Join(y, "_")
	if a == "" || b == "" { // one has a word more, which is none if it is the ending of a file's name
		return len(a+b) <= 2 || strings.HasSuffix(longer, "."+a+b)
	}
	if len(x) > 2 || len(y) > 2 {
		return false
	}
	if strings.HasPrefix(a, b) || strings.HasPrefix(b, a) || strings.HasSuffix(a, b) || strings.HasSuffix(b, a) {
		return true
	}
	wrong, of := 2*distance(a, b, max(len(a), len(b))), min(len(a), len(b))
	return wrong < of || wrong == of && of <= 4 && a[0] == b[0]
}

const (
	longestName = 256
	mostWork    = 1 << 25 // cells of the tables that are filled
)

// withoutCommon leaves out the segments that two names begin with, up to the last : or /.
func withoutCommon(a, b string) (string, string) {
	cut := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == ':' || a[i] == '/' {
			cut = i + 1
		}
	}
	return a[cut:], b[cut:]
}

// distance stops early with a value over the limit when it is certain to exceed it.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		low := cur[0]
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
			low = min(low, cur[j])
		}
		if low > limit {
			return limit + 1
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}

// Slip reports whether two names differ by one slip of the fingers: a letter more, less, changed, or two that changed
// places.
func Slip(a, b string) bool { return nearly(a, b) && !numbered(a, b) }

// nearly is distance(a, b, 1) <= 1: of very many names few have as much as their beginning in common.
func nearly(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a) > len(b)+1 {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if len(a) > len(b) {
		return a[i+1:] == b[i:]
	}
	return i == len(a) || a[i+1:] == b[i+1:] ||
		i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
