package types

import (
	"fmt"
	"math"
	"strings"

	"bunraku/puppet/value"
)

// NewStruct is Struct[{…}]. A key may be a string, or Optional['k'] or NotUndef['k'] to say whether it must be there.
func NewStruct(h *value.Hash) (T, error) {
	s := &Struct{}
	for _, e := range h.Entries() {
		val := typeOf(e.Value)
		var key T
		switch k := e.Key.(type) {
		case value.String:
			if k == "" {
				return nil, fmt.Errorf("Struct element key cannot be an empty String")
			}
			key = Literal(string(k))
			if Assignable(val, UndefT) {
				key = &Optional{T: key}
			}
		case T:
			lit := k
			switch k := k.(type) {
			case *NotUndef:
				key, lit = k.T, k.T
			case *Optional:
				key, lit = k, k.T
			case *String:
				key = k
			case *Enum:
				lit, key = nil, k
				if len(k.Values) == 1 {
					lit = Literal(k.Values[0])
					key = lit
				}
			default:
				return nil, fmt.Errorf("Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: %s",
					RubyClass(k))
			}
			if l, is := lit.(*String); !is || l.Val == nil {
				return nil, fmt.Errorf("Unable to extract a non-empty literal string from Struct member key type %s", orUndef(key))
			}
		default:
			return nil, fmt.Errorf("Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: %s",
				RubyClass(e.Key))
		}
		s.Elems = append(s.Elems, Element{key, val})
	}
	return s, nil
}

func newRegexpType(v value.Value) (*Regexp, error) {
	switch v := v.(type) {
	case *value.Regexp:
		return &Regexp{Re: v}, nil
	case value.String:
		re, err := value.NewRegexp(string(v))
		return &Regexp{Re: re}, err
	case value.Undef:
		return RegexpT, nil
	}
	return nil, fmt.Errorf("Only String and Regexp are allowed: got '%s'", RubyClass(v))
}

func newPattern(args []value.Value) (T, error) {
	var rs []*Regexp
	for _, a := range args {
		switch a := a.(type) {
		case *Pattern:
			rs = unionRegexps(rs, a.Regexps)
		case *Regexp:
			rs = unionRegexps(rs, []*Regexp{a})
		case value.String, *value.Regexp:
			r, err := newRegexpType(a)
			if err != nil {
				return nil, err
			}
			rs = unionRegexps(rs, []*Regexp{r})
		default:
			return nil, fmt.Errorf("Only String, Regexp, Pattern-Type, and Regexp-Type are allowed: got '%s", RubyClass(a))
		}
	}
	return &Pattern{Regexps: rs}, nil
}

func newSemVerType(args []value.Value) (T, error) {
	var rs []*value.SemVerRange
	for _, a := range args {
		switch a := a.(type) {
		case *value.SemVerRange:
			rs = append(rs, a)
		case value.String:
			r, err := value.ParseSemVerRange(string(a))
			if err != nil {
				return nil, err
			}
			rs = append(rs, r)
		}
	}
	return NewSemVer(rs), nil
}

func newTimespanType(args []value.Value) (T, error) {
	t := &Timespan{}
	for i, a := range args {
		p, err := timespanBound(a)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			t.From = p
		} else {
			t.To = p
		}
	}
	if t.From != nil && t.To != nil && *t.From > *t.To {
		return nil, fmt.Errorf("'from' must be less or equal to 'to'. Got (%s, %s", t.From, t.To)
	}
	return t, nil
}

func timespanBound(v value.Value) (*value.Timespan, error) {
	switch v := v.(type) {
	case value.Timespan:
		return &v, nil
	case value.Default, value.Undef:
		return nil, nil
	case value.Int, value.Float:
		return ptr(value.TimespanFromSeconds(v)), nil
	case value.String:
		s, err := value.ParseTimespan(string(v), value.DefaultSpanFormats, true)
		return &s, err
	case *value.Hash:
		s, err := timespanFromHash(v)
		return &s, err
	}
	return nil, fmt.Errorf("Unable to create a Puppet::Pops::Time::Timespan from a %s", RubyClass(v))
}

func newTimestampType(args []value.Value) (T, error) {
	t := &Timestamp{}
	for i, a := range args {
		p, err := timestampBound(a)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			t.From = p
		} else {
			t.To = p
		}
	}
	if t.From != nil && t.To != nil && before(*t.To, *t.From) {
		return nil, fmt.Errorf("'from' must be less or equal to 'to'. Got (%s, %s", t.From, t.To)
	}
	return t, nil
}

func timestampBound(v value.Value) (*value.Timestamp, error) {
	switch v := v.(type) {
	case value.Timestamp:
		return &v, nil
	case value.Default, value.Undef:
		return nil, nil
	case value.Int, value.Float:
		return ptr(value.TimestampFromSeconds(v)), nil
	case value.String:
		s, err := value.ParseTimestamp(string(v), nil, true, "")
		return &s, err
	}
	return nil, fmt.Errorf("Unable to create a Puppet::Pops::Time::Timestamp from a %s", RubyClass(v))
}

func newURIType(v value.Value) (T, error) {
	switch v := v.(type) {
	case value.String:
		u, err := value.ParseURI(string(v))
		if err != nil {
			return nil, err
		}
		return &URI{Params: uriParams(u)}, nil
	case *value.Hash:
		if !IsInstance(uriParamType(), v) {
			break
		}
		if v.Len() == 0 {
			return URIT, nil
		}
		return &URI{Params: v}, nil
	}
	return nil, argErr(0, "URI-Type[] arguments must be types. Got %s", RubyClass(v))
}

var uriParts = []string{"scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"}

func uriParamType() T {
	text := &Optional{T: &Variant{Types: []T{NonEmpty, RegexpT, &Type{T: PatternT}, &Type{T: EnumT}, &Type{T: NotUndefT},
		&Type{T: UndefT}}}}
	port := &Optional{T: &Variant{Types: []T{Range(0, NoMax), &Type{T: NotUndefT}, &Type{T: UndefT}}}}
	s := &Struct{}
	for _, p := range uriParts {
		if p == "port" {
			s.Elems = append(s.Elems, optKey(p, port))
		} else {
			s.Elems = append(s.Elems, optKey(p, text))
		}
	}
	return &Variant{Types: []T{NonEmpty, s}}
}

// listResult is one reference, or an array of them when several were asked for.
func listResult(many bool, ts []value.Value) value.Value {
	if many {
		return value.NewArray(ts...)
	}
	return ts[0]
}

// flatTitles flattens arguments and drops undefs; many says that the answer is an array.
func flatTitles(args []value.Value) (flat []value.Value, many bool) {
	many = len(args) > 1 || len(args) == 1 && isOf[*value.Array](args[0])
	for _, a := range value.Flatten(&value.Array{Elems: args}).Elems {
		if !value.IsUndef(a) {
			flat = append(flat, a)
		}
	}
	return flat, many
}

// IsTypeName reports whether a name is a legal type reference, with each part capitalized.
func IsTypeName(s string) bool {
	// The pattern is \A((::){0,1}[A-Z][\w]*)+\z: words that begin with a capital, maybe behind ::.
	if s == "" {
		return false
	}
	for i := 0; i < len(s); {
		if strings.HasPrefix(s[i:], "::") {
			i += 2
		}
		if i >= len(s) || s[i] < 'A' || s[i] > 'Z' {
			return false
		}
		for i < len(s) && isWord(s[i]) {
			i++
		}
		if i < len(s) && s[i] != ':' {
			return false
		}
	}
	return true
}

// IsClassName reports whether a name is legal for a class: lower-case words, maybe behind ::.
func IsClassName(s string) bool {
	s = strings.TrimPrefix(s, "::")
	for _, part := range strings.Split(s, "::") {
		if part == "" || part[0] < 'a' || part[0] > 'z' {
			return false
		}
		for i := 0; i < len(part); i++ {
			if !isWord(part[i]) {
				return false
			}
		}
	}
	return true
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func accessResource(t *Resource, args []value.Value) (value.Value, error) {
	if len(args) == 0 {
		return nil, arity(t.String(), 1, math.MaxInt, 0)
	}
	name := t.Type
	if name == "" {
		switch k := args[0].(type) {
		case value.String:
			name = value.CapitalizeSegments(string(k))
		case *Resource:
			name = k.Type
		default:
			return nil, argErr(0, "First argument to Resource[] must be a resource type or a String. Got %s.",
				keyTypeName(args[0]))
		}
		args = args[1:]
	}
	if !IsTypeName(name) {
		return nil, argErr(0, "Illegal type reference. The given name '%s' does not conform to the naming rule", name)
	}
	if len(args) == 0 {
		return NewResource(name, "", false), nil
	}
	titles, many := flatTitles(args)
	if len(titles) == 0 {
		if many {
			return value.EmptyArray, nil
		}
		return value.Undef{}, nil
	}
	out := make([]value.Value, len(titles))
	for i, k := range titles {
		s, is := k.(value.String)
		if !is {
			label := t.String() + "-Type"
			if t.HasTitle {
				label = t.String() + " Resource-Reference"
			}
			return nil,
				argErr(min(i, len(args)-1),
					"Error creating type specialization of %s, Cannot use %s where a resource title String is expected", AAn(label),
					keyTypeName(k))
		}
		out[i] = NewResource(name, string(s), true)
	}
	return listResult(many, out), nil
}

func accessClass(t *Class, args []value.Value) (value.Value, error) {
	if len(args) == 0 {
		return nil, arity(t.String(), 1, math.MaxInt, 0)
	}
	names, many := flatTitles(args)
	if len(names) == 0 {
		if many {
			return value.EmptyArray, nil
		}
		return value.Undef{}, nil
	}
	out := make([]value.Value, len(names))
	for i, k := range names {
		s, is := k.(value.String)
		if !is {
			return nil,
				argErr(min(i, len(args)-1), "Illegal Class name in class reference. %s cannot be used where a String is expected",
					upFirst(AAn(Label(k))))
		}
		name := strings.TrimPrefix(value.Downcase(string(s)), "::")
		if !IsClassName(name) {
			return nil,
				argErr(min(i, len(args)-1),
					"Illegal name. The given name '%s' does not conform to the naming rule /^((::)?[a-z_]\\w*)(::[a-z]\\w*)*$/",
					string(s))
		}
		out[i] = &Class{Of: name}
	}
	return listResult(many, out), nil
}

// Label names a value in messages, as Puppet's label provider does: "Integer", "String", "File['x']
// Resource-Reference".
func Label(v value.Value) string {
	switch v := v.(type) {
	case value.Undef, nil:
		return "Undef Value"
	case value.Bool:
		return "Boolean"
	case value.Int:
		return "Integer"
	case value.Float:
		return "Float"
	case value.String:
		return "String"
	case *value.Regexp:
		return "Regexp"
	case *value.Array:
		return "Array"
	case *value.Hash:
		return "Hash"
	case value.Binary:
		return "Binary"
	case *value.Sensitive:
		return "Sensitive"
	case value.Timestamp:
		return "Timestamp"
	case value.Timespan:
		return "Timespan"
	case *value.SemVer:
		return "Semver"
	case *value.SemVerRange:
		return "SemverRange"
	case *Resource:
		if v.HasTitle {
			return v.String() + " Resource-Reference"
		}
		return v.String() + "-Type"
	case T:
		return v.String() + "-Type"
	}
	return "Object"
}
