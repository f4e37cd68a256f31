package types

import (
	"strconv"
	"strings"

	"bunraku/puppet/value"
)

// A formatter prints types as Puppet's TypeFormatter does. expanded writes aliases out: Name = meaning.
type formatter struct {
	b        strings.Builder
	expanded bool
	limit    int // bytes from which on nothing more is written
	set      *TypeSet
	guard    *guard
}

// Where writing a type out ends: as a value beyond what the evaluator takes for a text (32 MiB), so that it is refused
// there; in a message beyond what anybody reads.
const (
	maxTypeText    = 32 << 20
	maxTypeMessage = 64 << 10
)

// Expanded is t with all aliases written out, as mismatch messages show it.
func Expanded(t T) string { return expandedUpTo(t, maxTypeMessage) }

func expandedUpTo(t T, limit int) string {
	f := &formatter{expanded: true, limit: limit}
	f.typ(t)
	return f.b.String()
}

func plain(t T) string {
	f := &formatter{limit: maxTypeText}
	f.typ(t)
	return f.b.String()
}

func (*Any) String() string             { return "Any" }
func (*Undef) String() string           { return "Undef" }
func (*Unit) String() string            { return "Unit" }
func (*Default) String() string         { return "Default" }
func (*Scalar) String() string          { return "Scalar" }
func (*ScalarData) String() string      { return "ScalarData" }
func (*Numeric) String() string         { return "Numeric" }
func (*Binary) String() string          { return "Binary" }
func (*SemVerRange) String() string     { return "SemVerRange" }
func (*CatalogEntry) String() string    { return "CatalogEntry" }
func (t *NotUndef) String() string      { return plain(t) }
func (t *Optional) String() string      { return plain(t) }
func (t *Type) String() string          { return plain(t) }
func (t *Iterable) String() string      { return plain(t) }
func (t *Iterator) String() string      { return plain(t) }
func (t *Sensitive) String() string     { return plain(t) }
func (t *Integer) String() string       { return plain(t) }
func (t *Float) String() string         { return plain(t) }
func (t *String) String() string        { return plain(t) }
func (t *Enum) String() string          { return plain(t) }
func (t *Pattern) String() string       { return plain(t) }
func (t *Regexp) String() string        { return plain(t) }
func (t *Boolean) String() string       { return plain(t) }
func (t *Collection) String() string    { return plain(t) }
func (t *Array) String() string         { return plain(t) }
func (t *Hash) String() string          { return plain(t) }
func (t *Tuple) String() string         { return plain(t) }
func (t *Struct) String() string        { return plain(t) }
func (t *Variant) String() string       { return plain(t) }
func (t *Callable) String() string      { return plain(t) }
func (t *SemVer) String() string        { return plain(t) }
func (t *Timespan) String() string      { return plain(t) }
func (t *Timestamp) String() string     { return plain(t) }
func (t *URI) String() string           { return plain(t) }
func (t *Class) String() string         { return plain(t) }
func (t *Resource) String() string      { return plain(t) }
func (t *Runtime) String() string       { return plain(t) }
func (t *TypeReference) String() string { return plain(t) }
func (t *Init) String() string          { return plain(t) }
func (a *Alias) String() string         { return expandedUpTo(a, maxTypeText) }
func (o *Object) String() string        { return expandedUpTo(o, maxTypeText) }
func (e *ObjectExt) String() string     { return plain(e) }
func (t *TypeSet) String() string       { return expandedUpTo(t, maxTypeText) }

// list writes name[parts], or the name alone without parts. A part is a type, a value, or text ready to be written.
func (f *formatter) list(name string, parts ...any) {
	f.b.WriteString(name)
	if len(parts) == 0 {
		return
	}
	f.b.WriteByte('[')
	f.parts(parts)
	f.b.WriteByte(']')
}

func (f *formatter) parts(parts []any) {
	for i, p := range parts {
		if i > 0 {
			f.b.WriteString(", ")
		}
		switch p := p.(type) {
		case string:
			f.b.WriteString(p)
		case T:
			f.typ(p)
		case value.Value:
			f.value(p)
		case func():
			p()
		}
	}
}

func typeParts(ts []T) []any {
	out := make([]any, len(ts))
	for i, t := range ts {
		out[i] = t
	}
	return out
}

// rangeParts are the bounds of a size or range as they are written; none when unbounded.
func rangeParts(i *Integer) []any {
	if i == nil || i.unbounded() {
		return nil
	}
	from := "default"
	if i.From != NoMin {
		from = strconv.FormatInt(i.From, 10)
	}
	if i.open() {
		return []any{from}
	}
	return []any{from, strconv.FormatInt(i.To, 10)}
}

// of writes name[t], or the name alone for nil.
func (f *formatter) of(name string, t T) {
	if t == nil {
		f.b.WriteString(name)
		return
	}
	f.list(name, t)
}

// literalOf is of, with a literal string type written as the string.
func (f *formatter) literalOf(name string, t T) {
	if s, is := t.(*String); is && s.Val != nil {
		f.list(name, value.String(*s.Val))
		return
	}
	f.of(name, t)
}

func (f *formatter) typ(t T) {
	if f.b.Len() > f.limit {
		return
	}
	switch t := t.(type) {
	case *Integer:
		f.list("Integer", rangeParts(t)...)
	case *Float:
		f.list("Float", floatParts(t)...)
	case *String:
		f.list("String", rangeParts(t.Size)...)
	case *Boolean:
		if t.Val == nil {
			f.b.WriteString("Boolean")
		} else {
			f.list("Boolean", strconv.FormatBool(*t.Val))
		}
	case *Enum:
		var parts []any
		for _, v := range t.Values {
			parts = append(parts, value.Quote(v))
		}
		if t.Fold && len(parts) > 0 {
			parts = append(parts, "true")
		}
		f.list("Enum", parts...)
	case *Pattern:
		var parts []any
		for _, r := range t.Regexps {
			parts = append(parts, regexpText(r))
		}
		f.list("Pattern", parts...)
	case *Regexp:
		if t.Re == nil {
			f.b.WriteString("Regexp")
		} else {
			f.list("Regexp", regexpText(t))
		}
	case *Collection:
		f.list("Collection", rangeParts(t.Size)...)
	case *Array:
		switch {
		case t.Size != nil && t.Size.From == 0 && t.Size.To == 0:
			f.b.WriteString("Array[0, 0]")
		case t.EqualType(ArrayT):
			f.b.WriteString("Array")
		default:
			f.list("Array", append([]any{t.Elem}, rangeParts(t.Size)...)...)
		}
	case *Hash:
		switch {
		case t.Size != nil && t.Size.From == 0 && t.Size.To == 0:
			f.b.WriteString("Hash[0, 0]")
		case t.EqualType(HashT):
			f.b.WriteString("Hash")
		default:
			f.list("Hash", append([]any{t.Key, t.Val}, rangeParts(t.Size)...)...)
		}
	case *Tuple:
		if len(t.Types) == 0 {
			f.b.WriteString("Tuple")
		} else {
			f.list("Tuple", append(typeParts(t.Types), rangeParts(t.Size)...)...)
		}
	case *Struct:
		f.structType(t)
	case *Variant:
		f.list("Variant", typeParts(t.Types)...)
	case *Callable:
		f.callable(t)
	case *NotUndef:
		f.literalOf("NotUndef", t.T)
	case *Optional:
		f.literalOf("Optional", t.T)
	case *Type:
		f.of("Type", t.T)
	case *Iterable:
		f.of("Iterable", t.T)
	case *Iterator:
		f.of("Iterator", t.T)
	case *Sensitive:
		if _, any := t.T.(*Any); any {
			f.b.WriteString("Sensitive")
		} else {
			f.of("Sensitive", t.T)
		}
	case *Init:
		if t.T == nil {
			f.b.WriteString("Init")
			return
		}
		parts := []any{t.T}
		for _, a := range t.Args {
			parts = append(parts, a)
		}
		f.list("Init", parts...)
	case *SemVer:
		var parts []any
		for _, r := range t.Ranges {
			parts = append(parts, r)
		}
		f.list("SemVer", parts...)
	case *Timespan:
		f.list("Timespan", timeParts(t.From, t.To)...)
	case *Timestamp:
		f.list("Timestamp", timeParts(t.From, t.To)...)
	case *URI:
		if t.Params == nil {
			f.b.WriteString("URI")
		} else {
			f.list("URI", t.Params)
		}
	case *Class:
		if t.Of == "" {
			f.b.WriteString("Class")
		} else if t.Declared {
			f.b.WriteString("Class[" + value.CapitalizeSegments(t.Of) + "]")
		} else {
			f.list("Class", t.Of)
		}
	case *Resource:
		switch {
		case t.Type == "":
			f.b.WriteString("Resource")
		case !t.HasTitle:
			f.b.WriteString(value.CapitalizeSegments(t.Type))
		case t.Declared:
			f.b.WriteString(value.CapitalizeSegments(t.Type) + "[" + t.Title + "]")
		default:
			f.list(value.CapitalizeSegments(t.Type), value.String(t.Title))
		}
	case *Runtime:
		f.runtime(t)
	case *TypeReference:
		f.list("TypeReference", value.String(t.Text))
	case *Alias:
		f.alias(t)
	case *Object:
		f.object(t)
	case *ObjectExt:
		f.objectExt(t)
	case *TypeSet:
		f.typeSet(t)
	case nil:
		f.b.WriteString("undef")
	default:
		f.b.WriteString(t.Name())
	}
}

func regexpText(r *Regexp) string {
	if r.Re == nil {
		return "//"
	}
	return r.Re.Delimited()
}

func floatParts(t *Float) []any {
	inf := func(x float64) bool { return x-x != 0 }
	if inf(t.From) && inf(t.To) {
		return nil
	}
	from := "default"
	if !inf(t.From) {
		from = value.FormatFloat(t.From)
	}
	if inf(t.To) {
		return []any{from}
	}
	return []any{from, value.FormatFloat(t.To)}
}

func timeParts[V interface {
	comparable
	value.Value
}](from, to *V) []any {
	if from == nil && to == nil {
		return nil
	}
	parts := []any{"default"}
	if from != nil {
		parts[0] = value.Value(*from)
	}
	if to != nil && (from == nil || *from != *to) {
		parts = append(parts, value.Value(*to))
	}
	return parts
}

func (f *formatter) structType(t *Struct) {
	if len(t.Elems) == 0 {
		f.b.WriteString("Struct")
		return
	}
	f.b.WriteString("Struct[{")
	for i := range t.Elems {
		e := &t.Elems[i]
		if i > 0 {
			f.b.WriteString(", ")
		}
		optVal := Assignable(e.Val, UndefT)
		_, optKey := e.Key.(*Optional)
		switch {
		case optKey == optVal: // says what the value type says already
			f.b.WriteString(value.Quote(e.Name()))
		case optKey:
			f.typ(e.Key)
		default:
			f.typ(&NotUndef{T: e.Key})
		}
		f.b.WriteString(" => ")
		f.typ(e.Val)
	}
	f.b.WriteString("}]")
}

func (f *formatter) callable(t *Callable) {
	switch {
	case t.Return == nil && t.Params == nil:
		f.b.WriteString("Callable")
	case t.Return == nil:
		f.list("Callable", callableParts(t)...)
		if len(callableParts(t)) == 0 {
			f.b.WriteString("[]")
		}
	case t.Params == nil:
		f.list("Callable", "[]", t.Return)
	default:
		f.list("Callable", func() {
			f.b.WriteByte('[')
			f.parts(callableParts(t))
			f.b.WriteByte(']')
		}, t.Return)
	}
}

func callableParts(t *Callable) []any {
	var parts []any
	for _, p := range t.Params.Types {
		if _, unit := p.(*Unit); !unit {
			parts = append(parts, p)
		}
	}
	if len(t.Params.Types) == 0 {
		parts = append(parts, "0", "0")
	} else {
		parts = append(parts, rangeParts(t.Params.Size)...)
	}
	if t.Block != nil {
		parts = append(parts, t.Block)
	}
	return parts
}

func (f *formatter) runtime(t *Runtime) {
	if t.Runtime == "" && t.Of == "" && t.Pattern == nil {
		f.b.WriteString("Runtime")
		return
	}
	name := any(value.Value(value.Undef{}))
	if t.Of != "" {
		name = value.String(t.Of)
	} else if t.Pattern != nil {
		name = t.Pattern
	}
	f.list("Runtime", t.Runtime, name)
}

func (f *formatter) alias(a *Alias) {
	expand := f.expanded
	if expand && a.recursive {
		if f.guard == nil {
			f.guard = &guard{}
		}
		state, added := f.guard.enterThis(a)
		f.aliasName(a, state&inThis == 0)
		f.guard.leaveThis(a, added)
		return
	}
	f.aliasName(a, expand)
}

func (f *formatter) aliasName(a *Alias, expand bool) {
	if f.set != nil {
		if name, own := f.set.nameOf(a); own && expand {
			f.typ(a.To)
		} else if own {
			f.b.WriteString(name)
		} else {
			f.b.WriteString(a.Of)
		}
		return
	}
	f.b.WriteString(a.Of)
	if expand && !isBuiltinAlias(a.Of) && a.To != nil {
		f.b.WriteString(" = ")
		f.typ(a.To)
	}
}

func isBuiltinAlias(name string) bool {
	switch name {
	case "Data", "RichDataKey", "RichData", "Puppet::LookupKey", "Puppet::LookupValue":
		return true
	}
	return false
}

// value writes a value as it appears in a type's parameters.
func (f *formatter) value(v value.Value) {
	switch v := v.(type) {
	case T:
		f.typ(v)
	case *value.Array:
		f.b.WriteByte('[')
		for i, e := range v.Elems {
			if i > 0 {
				f.b.WriteString(", ")
			}
			f.value(e)
		}
		f.b.WriteByte(']')
	case *value.Hash:
		f.b.WriteByte('{')
		for i, e := range v.Entries() {
			if i > 0 {
				f.b.WriteString(", ")
			}
			f.value(e.Key)
			f.b.WriteString(" => ")
			f.value(e.Value)
		}
		f.b.WriteByte('}')
	case *value.Sensitive:
		f.b.WriteString("Instance of ")
		f.typ(Infer(v))
	case *value.Object:
		f.b.WriteString(v.Type.Name() + "(")
		f.value(v.Init)
		f.b.WriteByte(')')
	case nil:
		f.b.WriteString("undef")
	default:
		f.b.WriteString(value.Literal(v))
	}
}

// LiteralOf is v as Puppet prints it inside types and messages: strings quoted, undef spelled out.
func LiteralOf(v value.Value) string {
	f := &formatter{limit: maxTypeText}
	f.value(v)
	return f.b.String()
}

// Label is the alias's name alone, as it stands inside of other types.
func (a *Alias) Label() string { return a.Of }

// Label is the type's name alone, as it stands inside of other types.
func (o *Object) Label() string { return o.label() }
