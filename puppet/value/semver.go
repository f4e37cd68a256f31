package value

import (
	"fmt"
	"strconv"
	"strings"
)

// A SemVer is a semantic version.
type SemVer struct {
	Major, Minor, Patch int64
	Pre                 []PreID  // pre-release identifiers; nil means a stable version, empty the least version of all
	Build               []string // nil for none
	Infinite            bool     // above every other version; only the end of open ranges
}

// A PreID is one pre-release identifier, numeric or text.
type PreID struct {
	Text    string // "" when numeric
	Num     int64
	Numeric bool
}

func (p PreID) String() string {
	if p.Numeric {
		return strconv.FormatInt(p.Num, 10)
	}
	return p.Text
}

// semVerMin and semVerMax are the ends of open ranges.
func semVerMin() *SemVer { return &SemVer{Pre: []PreID{}} }
func semVerMax() *SemVer { return &SemVer{Infinite: true} }

// ParseSemVer reads "1.2.3-pre.1+build".
func ParseSemVer(s string) (*SemVer, error) {
	v, ok, err := scanSemVer(strings.TrimSuffix(s, "\n"))
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("Unable to parse '%s' as a semantic version identifier", s)
	}
	return v, nil
}

func scanSemVer(s string) (v *SemVer, ok bool, err error) {
	v = &SemVer{}
	rest := s
	if i := strings.IndexByte(rest, '+'); i >= 0 {
		if v.Build, ok = scanParts(rest[i+1:]); !ok {
			return nil, false, nil
		}
		rest = rest[:i]
	}
	if i := strings.IndexByte(rest, '-'); i >= 0 {
		parts, ok := scanParts(rest[i+1:])
		if !ok {
			return nil, false, nil
		}
		if v.Pre, err = preIDs(parts); err != nil {
			return nil, false, err
		}
		rest = rest[:i]
	}
	nums := strings.Split(rest, ".")
	if len(nums) != 3 {
		return nil, false, nil
	}
	for i, dst := range []*int64{&v.Major, &v.Minor, &v.Patch} {
		n, ok := plainNumber(nums[i])
		if !ok {
			return nil, false, nil
		}
		*dst = n
	}
	return v, true, nil
}

func plainNumber(s string) (int64, bool) {
	if s == "" || len(s) > 1 && s[0] == '0' || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

func scanParts(s string) ([]string, bool) {
	parts := strings.Split(s, ".")
	for _, p := range parts {
		if p == "" {
			return nil, false
		}
		for i := 0; i < len(p); i++ {
			c := p[i]
			if c != '-' && !isDigit(c) && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
				return nil, false
			}
		}
	}
	return parts, true
}

func preIDs(parts []string) ([]PreID, error) {
	ids := make([]PreID, len(parts))
	for i, p := range parts {
		if strings.Trim(p, "0123456789") != "" {
			ids[i] = PreID{Text: p}
			continue
		}
		if len(p) > 1 && p[0] == '0' {
			return nil, fmt.Errorf("Numeric pre-release identifiers MUST NOT contain leading zeroes")
		}
		n, _ := strconv.ParseInt(p, 10, 64)
		ids[i] = PreID{Num: n, Numeric: true}
	}
	return ids, nil
}

// NewSemVer makes a version from its parts. The qualifiers are kept as one identifier each, as Puppet's SemVer.new
// does.
func NewSemVer(major, minor, patch int64, pre, build string) *SemVer {
	v := &SemVer{Major: major, Minor: minor, Patch: patch}
	if pre != "" {
		v.Pre = []PreID{{Text: pre}}
	}
	if build != "" {
		v.Build = []string{build}
	}
	return v
}

// String writes the version.
func (v *SemVer) String() string {
	if v.Infinite {
		return "Infinity.0.0"
	}
	b := fmt.Appendf(nil, "%d.%d.%d", v.Major, v.Minor, v.Patch)
	if v.Pre != nil {
		b = append(b, '-')
		for i, p := range v.Pre {
			if i > 0 {
				b = append(b, '.')
			}
			b = append(b, p.String()...)
		}
	}
	if v.Build != nil {
		b = append(b, '+')
		b = append(b, strings.Join(v.Build, ".")...)
	}
	return string(b)
}

// Stable reports whether v is no pre-release.
func (v *SemVer) Stable() bool { return len(v.Pre) == 0 }

// Prerelease is the text after the minus, "" for none.
func (v *SemVer) Prerelease() string {
	s := make([]string, len(v.Pre))
	for i, p := range v.Pre {
		s[i] = p.String()
	}
	return strings.Join(s, ".")
}

// Equal is equality in every part, the build included.
func (v *SemVer) Equal(o *SemVer) bool {
	if v.Compare(o) != 0 || (v.Build == nil) != (o.Build == nil) || (v.Pre == nil) != (o.Pre == nil) {
		return false
	}
	return strings.Join(v.Build, ".") == strings.Join(o.Build, ".")
}

// Compare is the precedence of versions; the build does not count.
func (v *SemVer) Compare(o *SemVer) int {
	if v.Infinite || o.Infinite {
		return order(!v.Infinite, !o.Infinite)
	}
	for _, p := range [...][2]int64{{v.Major, o.Major}, {v.Minor, o.Minor}, {v.Patch, o.Patch}} {
		if p[0] != p[1] {
			return order(p[0] < p[1], true)
		}
	}
	switch {
	case v.Pre == nil && o.Pre == nil:
		return 0
	case v.Pre == nil:
		return 1
	case o.Pre == nil:
		return -1
	}
	for i, x := range v.Pre {
		if i >= len(o.Pre) {
			return 1
		}
		y := o.Pre[i]
		switch {
		case x.Numeric && y.Numeric:
			if x.Num != y.Num {
				return order(x.Num < y.Num, true)
			}
		case x.Numeric:
			return -1
		case y.Numeric:
			return 1
		case x.Text != y.Text:
			return strings.Compare(x.Text, y.Text)
		}
	}
	return order(len(v.Pre) < len(o.Pre), false)
}
