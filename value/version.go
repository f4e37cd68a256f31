package value

import (
	"regexp"
	"strings"
)

var versionPart = regexp.MustCompile(`[-.]|\d+|[^-.\d]+`)

// VersionCompare compares two versions as Puppet's package type does: part by part, digits as numbers unless one has a leading zero.
func VersionCompare(a, b string) int {
	as, bs := versionPart.FindAllString(a, -1), versionPart.FindAllString(b, -1)
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
