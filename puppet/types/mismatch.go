package types

import (
	"reflect"
	"strconv"
	"strings"
)

// A pathElem is one step from the subject of a mismatch down to the offending part.
type pathElem struct {
	kind pathKind
	key  string
	n    int
}

type pathKind uint8

const (
	atSubject pathKind = iota
	atEntry
	atEntryKey
	atParameter
	atReturn
	atBlock
	atIndex
	atVariant
	atSignature
)

func (e pathElem) String() string {
	switch e.kind {
	case atEntry:
		return "entry '" + e.key + "'"
	case atEntryKey:
		return "key of entry '" + e.key + "'"
	case atParameter:
		return "parameter '" + e.key + "'"
	case atIndex:
		return "index " + strconv.Itoa(e.n)
	case atVariant:
		return "variant " + strconv.Itoa(e.n)
	case atSignature:
		return strconv.Itoa(e.n+1) + "."
	}
	return e.key
}

type path []pathElem

// plus is the path with one more step; the original is left alone.
func (p path) plus(e pathElem) path { return append(p[:len(p):len(p)], e) }

// canonical is the path without the choice of a variant or signature.
func (p path) canonical() path {
	out := make(path, 0, len(p))
	for _, e := range p {
		if e.kind != atVariant && e.kind != atSignature {
			out = append(out, e)
		}
	}
	return out
}

func (p path) equal(q path) bool {
	if len(p) != len(q) {
		return false
	}
	for i := range p {
		if p[i] != q[i] {
			return false
		}
	}
	return true
}

// A mismatch is one thing that is wrong.
type mismatch struct {
	kind             mismatchKind
	path             path
	key              string // of a missing or unknown key, or of an unresolved type
	expected, actual T
}

type mismatchKind uint8

const (
	missingKey mismatchKind = iota
	missingParameter
	unknownKey
	unknownParameter
	unexpectedBlock
	missingBlock
	unresolvedType
	wrongType
	wrongPattern // a wrongType too
	wrongSize
	wrongCount // a wrongSize too
)

func (m *mismatch) is(k mismatchKind) bool {
	return m.kind == k || k == wrongType && m.kind == wrongPattern || k == wrongSize && m.kind == wrongCount
}

func typeMismatch(p path, expected, actual T) *mismatch {
	return &mismatch{kind: wrongType, path: p, expected: Normalize(expected), actual: Normalize(actual)}
}

func sizeMismatch(k mismatchKind, p path, expected, actual *Integer) *mismatch {
	return &mismatch{kind: k, path: p, expected: expected, actual: actual}
}

// merge makes one mismatch of two at the same place.
func (m *mismatch) merge(o *mismatch) *mismatch {
	n := *m
	switch m.kind {
	case wrongType, wrongPattern:
		n.expected = Normalize(NewVariant(m.expected, o.expected))
	case wrongSize, wrongCount:
		a, b := m.expected.(*Integer), o.expected.(*Integer)
		n.expected = Range(min(max(a.From, 0), max(b.From, 0)), max(a.To, b.To))
	}
	return &n
}

func (m *mismatch) chop(i int) *mismatch {
	if i >= len(m.path) {
		return m
	}
	n := *m
	n.path = append(append(path(nil), m.path[:i]...), m.path[i+1:]...)
	return &n
}

// String is the message, led by a space unless it has neither signature nor place.
func (m *mismatch) String() string {
	p := m.path
	var at strings.Builder
	if len(p) > 0 && p[0].kind == atSignature {
		at.WriteString(" " + p[0].String())
		p = p[1:]
	}
	for _, e := range p {
		at.WriteString(" " + e.String())
	}
	return at.String() + m.message()
}

func (m *mismatch) message() string {
	switch m.kind {
	case missingKey:
		return " expects a value for key '" + m.key + "'"
	case missingParameter:
		return " expects a value for parameter '" + m.key + "'"
	case unknownKey:
		return " unrecognized key '" + m.key + "'"
	case unknownParameter:
		return " has no parameter named '" + m.key + "'"
	case unexpectedBlock:
		return " does not expect a block"
	case missingBlock:
		return " expects a block"
	case unresolvedType:
		return " references an unresolved type '" + m.key + "'"
	case wrongPattern:
		return m.patternMessage()
	case wrongSize:
		return " expects size to be " + sizeText(m.expected.(*Integer), "0") + ", got " + sizeText(m.actual.(*Integer), "0")
	case wrongCount:
		e := m.expected.(*Integer)
		lo := max(e.From, 0)
		s := "s"
		if lo == 1 && (e.To == 1 || e.open()) || lo == 0 && e.To == 1 {
			s = ""
		}
		return " expects " + sizeText(e, "no") + " argument" + s + ", got " + sizeText(m.actual.(*Integer), "none")
	}
	return m.typeMessage()
}

func sizeText(i *Integer, zero string) string {
	lo := max(i.From, 0)
	n := func(x int64) string { return strconv.FormatInt(x, 10) }
	switch {
	case lo == i.To && lo == 0:
		return zero
	case lo == i.To:
		return n(lo)
	case lo == 0 && i.open():
		return "unlimited"
	case lo == 0:
		return "at most " + n(i.To)
	case i.open():
		return "at least " + n(lo)
	}
	return "between " + n(lo) + " and " + n(i.To)
}

func (m *mismatch) patternMessage() string {
	e, lead := m.expected, ""
	if o, is := e.(*Optional); is {
		e, lead = o.T, "an undef value or "
	}
	got := shortName(m.actual)
	if s, is := m.actual.(*String); is && s.Val != nil {
		got = "'" + *s.Val + "'"
	}
	return " expects " + lead + "a match for " + Expanded(e) + ", got " + got
}

func (m *mismatch) typeMessage() string {
	e, optional := m.expected, false
	if o, is := e.(*Optional); is {
		e, optional = o.T, true
	}
	es, many := []T{e}, false
	if v, is := e.(*Variant); is {
		es, many = v.Types, true
	}
	var names []string
	got := ""
	if detailed(es, m.actual) {
		got = detailedActual(es, m.actual)
		for _, t := range es {
			names = append(names, Expanded(orUndef(t)))
		}
	} else {
		for _, t := range es {
			name := shortName(t)
			if !many || !containsString(names, name) {
				names = append(names, name)
			}
		}
		got = shortName(m.actual)
	}
	if optional {
		names = append([]string{"Undef"}, names...)
	}
	switch n := len(names); n {
	case 1:
		return " expects " + AAn(names[0]) + " value, got " + got
	case 2:
		return " expects a value of type " + names[0] + " or " + names[1] + ", got " + got
	default:
		return " expects a value of type " + strings.Join(names[:n-1], ", ") + ", or " + names[n-1] + ", got " + got
	}
}

func containsString(ss []string, s string) bool {
	for _, x := range ss {
		if x == s {
			return true
		}
	}
	return false
}

// AAn puts the indefinite article before a word, with Puppet's idea of a vowel (y is one).
func AAn(s string) string {
	i := 0
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') {
		i = 1
	}
	if i < len(s) && strings.IndexByte("aeiouyAEIOUY", s[i]) >= 0 {
		return "an " + s
	}
	return "a " + s
}

// contained is the type inside of a type around one other, or nil.
func contained(t T) T {
	switch t := t.(type) {
	case *NotUndef:
		return t.T
	case *Optional:
		return t.T
	case *Type:
		return t.T
	case *Iterable:
		return t.T
	case *Iterator:
		return t.T
	case *Sensitive:
		return t.T
	case *Init:
		return t.T
	}
	return nil
}

// shortName names a type, with the name of the type inside if it has one.
func shortName(t T) string {
	if c := contained(t); c != nil {
		if _, any := c.(*Any); !any {
			return t.Name() + "[" + c.Name() + "]"
		}
	}
	if n := t.Name(); n != "" {
		return n
	}
	return "Object"
}

func sameClass(a, b T) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

func fullyDetailed(es []T, a T) bool {
	for _, e := range es {
		if sameClass(e, a) || isA[*Alias](e) || isA[*Alias](a) || isA[*Struct](e) && isA[*Hash](a) || isA[*Tuple](e) &&
			isA[*Array](a) {
			return true
		}
	}
	return false
}

// detailed decides whether the message shows whole types or only their names.
func detailed(es []T, a T) bool {
	if fullyDetailed(es, a) {
		return true
	}
	for _, e := range es {
		if al, is := e.(*Alias); is {
			e = al.To
		}
		if Assignable(bare(e), a) {
			return true
		}
	}
	return false
}

func detailedActual(es []T, a T) string {
	rs := make([]T, len(es))
	for i, e := range es {
		rs[i] = Resolved(e)
	}
	if fullyDetailed(rs, a) {
		return Expanded(a)
	}
	general := Generalize(a)
	for _, e := range rs {
		if Assignable(e, general) {
			return Expanded(a)
		}
	}
	return simpleName(a)
}

func simpleName(t T) string {
	switch t := t.(type) {
	case *Alias:
		return "TypeAlias"
	case *Object:
		return t.simpleName()
	case *ObjectExt:
		return t.Base.simpleName()
	case *TypeSet:
		return "TypeSet"
	}
	return t.Name()
}

// bare is the type of the same kind without parameters.
func bare(t T) T {
	switch t.(type) {
	case *NotUndef:
		return NotUndefT
	case *Optional:
		return OptionalT
	case *Type:
		return TypeT
	case *Iterable:
		return IterableT
	case *Iterator:
		return IteratorT
	case *Sensitive:
		return SensitiveT
	case *Integer:
		return IntegerT
	case *Float:
		return FloatT
	case *String:
		return StringT
	case *Enum:
		return EnumT
	case *Pattern:
		return PatternT
	case *Regexp:
		return RegexpT
	case *Boolean:
		return BooleanT
	case *Collection:
		return CollectionT
	case *Array:
		return ArrayT
	case *Hash:
		return HashT
	case *Tuple:
		return TupleT
	case *Struct:
		return StructT
	case *Variant:
		return VariantT
	case *Callable:
		return CallableT
	case *SemVer:
		return SemVerT
	case *Timespan:
		return TimespanT
	case *Timestamp:
		return TimestampT
	case *URI:
		return URIT
	case *Class:
		return ClassT
	case *Resource:
		return ResourceT
	case *Runtime:
		return RuntimeT
	case *Init:
		return InitT
	case *TypeReference:
		return TypeRefT
	case *Alias:
		return aliasT
	case *Object:
		return ObjectT
	case *TypeSet:
		return TypeSetT
	}
	return t
}
