package types

import "bunraku/puppet/value"

// Matches is the test of a case option or a selector entry without its effect on match variables: is v matched by
// pattern?
func Matches(v, pattern value.Value) bool {
	switch p := pattern.(type) {
	case *value.Regexp:
		s, is := v.(value.String)
		if !is {
			return false
		}
		ok, _ := p.Re.Match(string(s))
		return ok
	case T:
		return IsInstance(p, v)
	case value.Default:
		return true
	case *value.SemVer:
		switch v := v.(type) {
		case *value.SemVer:
			return p.Equal(v)
		case value.String:
			o, err := value.ParseSemVer(string(v))
			return err == nil && p.Equal(o)
		}
		return false
	case *value.SemVerRange:
		return InRange(p, v)
	case *value.Array:
		a, is := v.(*value.Array)
		if !is || a.Len() != p.Len() {
			return false
		}
		for i, e := range p.Elems {
			if !Matches(a.Elems[i], e) {
				return false
			}
		}
		return true
	case *value.Hash:
		h, is := v.(*value.Hash)
		if !is {
			return false
		}
		for _, e := range p.Entries() {
			x, _ := h.Get(e.Key)
			if !Matches(value.OrUndef(x), e.Value) {
				return false
			}
		}
		return true
	}
	return value.Equal(v, pattern)
}

// InRange reports whether v, a version or the text of one, is in the range.
func InRange(r *value.SemVerRange, v value.Value) bool {
	switch v := v.(type) {
	case *value.SemVer:
		return r.Includes(v)
	case value.String:
		o, err := value.ParseSemVer(string(v))
		return err == nil && r.Includes(o)
	}
	return false
}
