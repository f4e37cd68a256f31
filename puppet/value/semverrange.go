package value

import (
	"fmt"
	"strings"
)

// A SemVerRange is a set of versions: an "or" of simple ranges, written like ">=1.0.0 <2.0.0 || 3.x".
type SemVerRange struct {
	ranges []verRange
	text   string
}

// A verRange is an interval of versions. A nil bound is open.
type verRange struct {
	min, max       *SemVer
	exMin, exMax   bool
	eq, all, never bool
}

func gtEq(v *SemVer) verRange { return verRange{min: v} }
func gt(v *SemVer) verRange   { return verRange{min: v, exMin: true} }
func lt(v *SemVer) verRange   { return verRange{max: v, exMax: true} }
func ltEq(v *SemVer) verRange { return verRange{max: v} }
func exactly(v *SemVer) verRange {
	return verRange{min: v, max: v, eq: true}
}

func (r verRange) begin() *SemVer {
	if r.min == nil {
		return semVerMin()
	}
	return r.min
}

func (r verRange) end() *SemVer {
	if r.max == nil {
		return semVerMax()
	}
	return r.max
}

func (r verRange) lower() bool { return r.min != nil && (r.exMin || !r.min.Equal(semVerMin())) }
func (r verRange) upper() bool { return r.max != nil && (r.exMax || !r.max.Infinite) }

func (r verRange) includes(v *SemVer) bool {
	if r.eq {
		return r.min.Equal(v)
	}
	if r.min != nil {
		if c := v.Compare(r.min); c < 0 || c == 0 && r.exMin {
			return false
		}
	}
	if r.max != nil {
		if c := v.Compare(r.max); c > 0 || c == 0 && r.exMax {
			return false
		}
	}
	return true
}

// testPrerelease: a pre-release only belongs to a range that names one of the same version.
func (r verRange) testPrerelease(v *SemVer) bool {
	if r.all {
		return true
	}
	for _, b := range [...]*SemVer{r.min, r.max} {
		if b != nil && !b.Stable() && b.Major == v.Major && b.Minor == v.Minor && b.Patch == v.Patch {
			return true
		}
	}
	return false
}

func (r verRange) intersection(o verRange) (verRange, bool) {
	if r.all {
		return o, true
	}
	switch c := r.begin().Compare(o.end()); {
	case c > 0:
		return verRange{}, false
	case c == 0:
		if r.exMin || o.exMax {
			return verRange{}, false
		}
		return exactly(r.begin()), true
	}
	switch c := o.begin().Compare(r.end()); {
	case c > 0:
		return verRange{}, false
	case c == 0:
		if o.exMin || r.exMax {
			return verRange{}, false
		}
		return exactly(o.begin()), true
	}
	lo := o
	if c := r.begin().Compare(o.begin()); c > 0 || c == 0 && r.exMin {
		lo = r
	}
	hi := o
	if c := r.end().Compare(o.end()); c < 0 || c == 0 && r.exMax {
		hi = r
	}
	switch {
	case !hi.upper():
		return lo, true
	case !lo.lower():
		return hi, true
	}
	return verRange{min: lo.min, exMin: lo.exMin, max: hi.max, exMax: hi.exMax}, true
}

func (r verRange) merge(o verRange) (verRange, bool) {
	switch {
	case r.all:
		return r, true
	case r.includes(o.begin()) || o.includes(r.begin()):
		m := verRange{}
		switch c := r.begin().Compare(o.begin()); {
		case c < 0:
			m.min, m.exMin = r.begin(), r.exMin
		case c > 0:
			m.min, m.exMin = o.begin(), o.exMin
		default:
			m.min, m.exMin = r.begin(), r.exMin && o.exMin
		}
		switch c := r.end().Compare(o.end()); {
		case c > 0:
			m.max, m.exMax = r.end(), r.exMax
		case c < 0:
			m.max, m.exMax = o.end(), o.exMax
		default:
			m.max, m.exMax = r.end(), r.exMax && o.exMax
		}
		return m.tidy(), true
	case r.exMax && !o.exMin && r.end().Equal(o.begin()), !r.exMax && !o.exMin && nextPatch(r.end()).Equal(o.begin()):
		return verRange{min: r.begin(), exMin: r.exMin, max: o.end(), exMax: o.exMax}.tidy(), true
	case o.exMax && !r.exMin && o.end().Equal(r.begin()), !o.exMax && !r.exMin && nextPatch(o.end()).Equal(r.begin()):
		return verRange{min: o.begin(), exMin: o.exMin, max: r.end(), exMax: r.exMax}.tidy(), true
	}
	return verRange{}, false
}

// tidy drops bounds that bound nothing.
func (r verRange) tidy() verRange {
	if r.min != nil && !r.lower() {
		r.min = nil
	}
	if r.max != nil && !r.upper() && r.min != nil {
		r.max = nil
	}
	return r
}

func nextPatch(v *SemVer) *SemVer {
	if v.Infinite {
		return v
	}
	return &SemVer{Major: v.Major, Minor: v.Minor, Patch: v.Patch + 1}
}

func (r verRange) String() string {
	switch {
	case r.all:
		return "*"
	case r.never:
		return "<0.0.0"
	case r.eq:
		return r.min.String()
	}
	var parts []string
	if r.min != nil {
		op := ">="
		if r.exMin {
			op = ">"
		}
		parts = append(parts, op+r.min.String())
	}
	if r.max != nil {
		op := "<="
		if r.exMax {
			op = "<"
		}
		parts = append(parts, op+r.max.String())
	}
	return strings.Join(parts, " ")
}

func (r verRange) equal(o verRange) bool {
	same := func(a, b *SemVer) bool {
		if a == nil || b == nil {
			return a == b
		}
		return a.Equal(b)
	}
	return r.all == o.all && r.eq == o.eq && r.exMin == o.exMin && r.exMax == o.exMax && same(r.min, o.min) &&
		same(r.max, o.max)
}

func newRange(rs []verRange, text string, hasText bool) *SemVerRange {
	for merged := true; len(rs) > 1 && merged; {
		merged = false
		var result []verRange
		for len(rs) > 0 {
			x := rs[len(rs)-1]
			rs = rs[:len(rs)-1]
			var rest []verRange
			for _, y := range rs {
				if m, ok := x.merge(y); ok {
					merged = true
					x = m
				} else {
					rest = append(rest, y)
				}
			}
			result = append(result, x)
			rs = rest
		}
		for i, j := 0, len(result)-1; i < j; i, j = i+1, j-1 {
			result[i], result[j] = result[j], result[i]
		}
		rs = result
	}
	if len(rs) == 0 {
		rs = []verRange{{max: semVerMin(), exMax: true, never: true}}
	}
	r := &SemVerRange{ranges: rs, text: text}
	if !hasText {
		r.text = r.Inspect()
	}
	return r
}

// NewSemVerRange is the range from lo to hi; a nil bound is open. Its text has the bounds swapped, a slip of Puppet's
// that reaches users and is kept.
func NewSemVerRange(lo, hi *SemVer, excludeMax bool) *SemVerRange {
	if lo == nil {
		lo = semVerMin()
	}
	if hi == nil {
		hi = semVerMax()
	}
	a, b, text := gtEq(lo), ltEq(hi), hi.String()+" - "+lo.String()
	if excludeMax {
		b, text = lt(hi), ">="+hi.String()+" <"+lo.String()
	}
	var rs []verRange
	if r, ok := a.intersection(b); ok {
		rs = append(rs, r)
	}
	return newRange(rs, text, true)
}

// ExactSemVer is the range that holds v alone, as the type of a version value has it.
func ExactSemVer(v *SemVer) *SemVerRange { return NewSemVerRange(v, v, false) }

// Equal compares the sets, not the texts.
func (r *SemVerRange) Equal(o *SemVerRange) bool {
	if len(r.ranges) != len(o.ranges) {
		return false
	}
	for i := range r.ranges {
		if !r.ranges[i].equal(o.ranges[i]) {
			return false
		}
	}
	return true
}

// Includes reports whether v is in the range.
func (r *SemVerRange) Includes(v *SemVer) bool {
	for _, x := range r.ranges {
		if x.includes(v) && (v.Stable() || x.testPrerelease(v)) {
			return true
		}
	}
	return false
}

// String is the range as it was written.
func (r *SemVerRange) String() string { return r.text }

// Inspect is the range in normal form.
func (r *SemVerRange) Inspect() string {
	s := make([]string, len(r.ranges))
	for i, x := range r.ranges {
		s[i] = x.String()
	}
	return strings.Join(s, " || ")
}

// CoveredBy reports whether every version of r is in o, judged by their ends; ranges of several parts have none.
func (r *SemVerRange) CoveredBy(o *SemVerRange) bool {
	if len(r.ranges) != 1 || len(o.ranges) != 1 {
		return false
	}
	a, b := r.ranges[0], o.ranges[0]
	c := b.end().Compare(a.end())
	return b.begin().Compare(a.begin()) <= 0 && (c > 0 || c == 0 && (!b.exMax || a.exMax))
}

// Merge is the union of two ranges that overlap or touch; ok is false when they are apart.
func (r *SemVerRange) Merge(o *SemVerRange) (*SemVerRange, bool) {
	if len(r.ranges) != 1 || len(o.ranges) != 1 {
		return nil, false
	}
	a, b := r.ranges[0], o.ranges[0]
	switch {
	case r.Includes(b.begin()) || o.Includes(a.begin()):
		lo, hi := a.begin(), a.end()
		if b.begin().Compare(lo) < 0 {
			lo = b.begin()
		}
		c := a.end().Compare(b.end())
		if c < 0 {
			hi = b.end()
		}
		ex := false
		if a.exMax {
			ex = c > 0 || c == 0 && b.exMax
		} else if b.exMax {
			ex = c < 0
		}
		return NewSemVerRange(lo, hi, ex), true
	case a.exMax && a.end().Compare(b.begin()) == 0:
		return NewSemVerRange(a.begin(), b.end(), b.exMax), true
	case b.exMax && b.end().Compare(a.begin()) == 0:
		return NewSemVerRange(b.begin(), a.end(), a.exMax), true
	}
	return nil, false
}

// ParseSemVerRange reads a range in npm's notation: hyphens, x-ranges, tildes, carets, comparators, and ||.
func ParseSemVerRange(s string) (*SemVerRange, error) {
	parts := strings.Split(closeOperators(s), "||")
	for len(parts) > 0 && strings.TrimSpace(parts[len(parts)-1]) == "" {
		parts = parts[:len(parts)-1] // Ruby's split drops trailing empty fields
	}
	if len(parts) == 0 {
		return newRange([]verRange{{all: true}}, "*", true), nil
	}
	var rs []verRange
	for _, p := range parts {
		r, keep, err := parseRangePart(strings.TrimSpace(p), s)
		if err != nil {
			return nil, err
		}
		if !keep {
			continue
		}
		dup := false
		for _, x := range rs {
			dup = dup || x.equal(r)
		}
		if !dup {
			rs = append(rs, r)
		}
	}
	return newRange(rs, s, true), nil
}

// closeOperators removes blanks (or a v) between an operator and its version.
func closeOperators(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		b.WriteByte(c)
		if strings.IndexByte("><=~^", c) < 0 {
			continue
		}
		j := i + 1
		for j < len(s) && strings.IndexByte(" \t\n\r\f\v", s[j]) >= 0 {
			j++
		}
		if j < len(s) && s[j] == 'v' {
			j++
		}
		i = j - 1
	}
	return b.String()
}

func parseRangePart(p, whole string) (r verRange, keep bool, err error) {
	bad := fmt.Errorf("Unparsable version range: \"%s\"", whole)
	fields := strings.Fields(p)
	if len(fields) == 3 && fields[1] == "-" {
		lo, ok1 := scanPartial(fields[0])
		hi, ok2 := scanPartial(fields[2])
		if ok1 && ok2 {
			a, err := lo.version()
			if err != nil {
				return r, false, err
			}
			b, err := hi.version()
			if err != nil {
				return r, false, err
			}
			r, keep = gtEq(a).intersection(ltEq(b))
			return r, keep, nil
		}
	}
	if len(fields) == 0 {
		return r, false, nil
	}
	for i, f := range fields {
		x, err := parseSimple(f, bad)
		if err != nil {
			return r, false, err
		}
		if i == 0 {
			r, keep = x, true
		} else if keep {
			r, keep = r.intersection(x)
		}
	}
	return r, keep, nil
}

func parseSimple(f string, bad error) (verRange, error) {
	op := ""
	for _, o := range [...]string{"<=", ">=", "~>", "~=", "<", ">", "=", "~", "^"} {
		if strings.HasPrefix(f, o) {
			op = o
			break
		}
	}
	p, ok := scanPartial(f[len(op):])
	if !ok {
		return verRange{}, bad
	}
	v, err := p.version()
	if err != nil {
		return verRange{}, err
	}
	next := func(major, minor int64) *SemVer { return &SemVer{Major: major, Minor: minor} }
	switch op {
	case "~", "~>", "~=", "^", "", "=":
		switch {
		case p.n == 0:
			return verRange{all: true}, nil
		case p.n == 1:
			return verRange{min: next(v.Major, 0), max: next(v.Major+1, 0), exMax: true}, nil
		case op == "^" && v.Major > 0 && p.n == 2:
			return verRange{min: next(v.Major, v.Minor), max: next(v.Major+1, 0), exMax: true}, nil
		case op == "^" && v.Major > 0:
			if v.Pre == nil {
				v.Build = nil
			}
			return verRange{min: v, max: next(v.Major+1, 0), exMax: true}, nil
		case p.n == 2:
			return verRange{min: next(v.Major, v.Minor), max: next(v.Major, v.Minor+1), exMax: true}, nil
		case op == "" || op == "=":
			return exactly(v), nil
		}
		return verRange{min: v, max: next(v.Major, v.Minor+1), exMax: true}, nil
	case ">":
		switch p.n {
		case 0:
			return verRange{max: semVerMin(), exMax: true, never: true}, nil
		case 1:
			return gtEq(next(v.Major+1, 0)), nil
		case 2:
			return gtEq(next(v.Major, v.Minor+1)), nil
		}
		return gt(v), nil
	case ">=":
		return gtEq(v), nil
	case "<":
		return lt(v), nil
	}
	switch p.n { // <=
	case 0:
		return verRange{all: true}, nil
	case 1:
		return lt(next(v.Major+1, 0)), nil
	case 2:
		return lt(next(v.Major, v.Minor+1)), nil
	}
	return ltEq(v), nil
}

// A partial is a version of which parts may be missing or x; n counts the leading numbers.
type partial struct {
	nums       [3]int64
	n          int
	pre, build string
}

func scanPartial(s string) (p partial, ok bool) {
	rest := s
	if i := strings.IndexByte(rest, '+'); i >= 0 {
		p.build, rest = rest[i+1:], rest[:i]
		if _, ok := scanParts(p.build); !ok {
			return p, false
		}
	}
	if i := strings.IndexByte(rest, '-'); i >= 0 {
		p.pre, rest = rest[i+1:], rest[:i]
		if _, ok := scanParts(p.pre); !ok {
			return p, false
		}
	}
	parts := strings.Split(rest, ".")
	if len(parts) > 3 || len(parts) < 3 && (p.pre != "" || p.build != "") {
		return p, false
	}
	open := false
	for i, x := range parts {
		if x == "x" || x == "X" || x == "*" {
			open = true
			continue
		}
		n, ok := plainNumber(x)
		if !ok {
			return p, false
		}
		if !open {
			p.n = i + 1
		}
		p.nums[i] = n
	}
	return p, true
}

func (p partial) version() (*SemVer, error) {
	v := &SemVer{Major: p.nums[0], Minor: p.nums[1], Patch: p.nums[2]}
	if p.pre != "" {
		parts, _ := scanParts(p.pre)
		ids, err := preIDs(parts)
		if err != nil {
			return nil, err
		}
		v.Pre = ids
	}
	if p.build != "" {
		v.Build, _ = scanParts(p.build)
	}
	return v, nil
}
