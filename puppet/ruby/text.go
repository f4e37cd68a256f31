package ruby

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/onigmo"
	"bunraku/puppet/ruby/syntax"
	"bunraku/puppet/value"
)

// toS is o.to_s as a Go string.
func (in *Interp) toS(o Object) string {
	switch o := o.(type) {
	case *String:
		return o.String()
	case Symbol:
		return string(o)
	case Nil, nil:
		return ""
	case Int:
		return fmt.Sprint(int64(o))
	case Bool:
		if o {
			return "true"
		}
		return "false"
	case Float:
		return value.FormatFloat(float64(o))
	case *Big:
		return o.n.String()
	case *Array, *Hash:
		if !in.redefined {
			return in.inspectOf(o)
		}
	}
	look(o)
	if s, ok := in.send(o, "to_s", nil, nil).(*String); ok {
		return s.String()
	}
	return in.anyToS(o)
}

// anyToS is #<Class:0x…>, with an address that is the same in every run.
func (in *Interp) anyToS(o Object) string {
	return fmt.Sprintf("#<%s:0x%016x>", in.classOf(o).name, in.objectID(o)*8)
}

func (in *Interp) objectID(o Object) int64 {
	switch o := o.(type) {
	case Int:
		return int64(o)*2 + 1
	case Nil, nil:
		return 8
	case Bool:
		if o {
			return 20
		}
		return 0
	}
	key := o
	if in.ids == nil {
		in.ids = map[Object]int64{}
	}
	id, ok := in.ids[key]
	if !ok {
		id = int64(len(in.ids)+1) * 8
		in.ids[key] = id
	}
	return id
}

// inspectOf is o.inspect as a Go string.
func (in *Interp) inspectOf(o Object) string {
	var b strings.Builder
	in.writeInspect(&b, o)
	return b.String()
}

func (in *Interp) writeInspect(b *strings.Builder, o Object) {
	if b.Len() > in.limits.Size {
		in.room(b.Len())
	}
	in.charge(1)
	look(o)
	switch o := o.(type) {
	case *String:
		if o.binary || o.ascii {
			b.WriteString(inspectBinary(o.String()))
			return
		}
		b.WriteString(inspectText(o.String()))
	case Symbol:
		b.WriteString(inspectSymbol(string(o)))
	case Nil, nil:
		b.WriteString("nil")
	case Int, Bool, Float, *Big:
		b.WriteString(in.toS(o))
	case *Array:
		if in.printing("inspect", o) {
			b.WriteString("[...]")
			return
		}
		in.show("inspect", o)
		defer in.shown()
		b.WriteByte('[')
		for i, e := range o.els() {
			if i > 0 {
				b.WriteString(", ")
			}
			in.writeInspect(b, e)
		}
		b.WriteByte(']')
	case *Hash:
		if in.printing("inspect", o) {
			b.WriteString("{...}")
			return
		}
		in.show("inspect", o)
		defer in.shown()
		b.WriteByte('{')
		for i, e := range o.pairs() {
			if i > 0 {
				b.WriteString(", ")
			}
			in.writeInspect(b, e.key)
			b.WriteString("=>")
			in.writeInspect(b, e.val)
		}
		b.WriteByte('}')
	case *Range:
		if !isNil(o.lo) {
			in.writeInspect(b, o.lo)
		} else if isNil(o.hi) {
			b.WriteString("nil")
		}
		b.WriteString("..")
		if o.excl {
			b.WriteByte('.')
		}
		if !isNil(o.hi) {
			in.writeInspect(b, o.hi)
		} else if isNil(o.lo) {
			b.WriteString("nil")
		}
	case *Regexp:
		b.WriteString(o.inspect())
	case *Class:
		b.WriteString(o.name)
	case *Native:
		b.WriteString(o.Text)
	default:
		if s, ok := in.send(o, "inspect", nil, nil).(*String); ok {
			b.WriteString(s.String())
			return
		}
		b.WriteString(in.anyToS(o))
	}
}

// A visit is a container that a method is in the middle of.
type visit struct {
	method string
	what   Object
}

// show goes into a container that is printed, joined or flattened; shown comes back.
func (in *Interp) show(method string, o Object) {
	in.enter()
	in.charge(len(in.inspect) >> 3)
	in.inspect = append(in.inspect, visit{method, o})
}

func (in *Interp) shown() {
	in.leave()
	in.inspect = in.inspect[:len(in.inspect)-1]
}

// printing reports whether a method is in the middle of a container already: it contains itself.
func (in *Interp) printing(method string, o Object) bool {
	for _, p := range in.inspect {
		if p.what == o && p.method == method {
			return true
		}
	}
	return false
}

func inspectText(s string) string {
	return value.InspectString(s)
}

func inspectBinary(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c == 0x7f || c < ' ' && !strings.ContainsRune("\n\r\t\f\v\b\a\x1b", rune(c)) {
			fmt.Fprintf(&b, `\x%02X`, c)
		} else {
			t := value.InspectString(s[i : i+1])
			if c == '#' && i+1 < len(s) && strings.IndexByte("{$@", s[i+1]) >= 0 {
				t = `"\#"`
			}
			b.WriteString(t[1 : len(t)-1])
		}
	}
	return `"` + b.String() + `"`
}

func inspectSymbol(s string) string {
	if plainSymbol(s) {
		return ":" + s
	}
	return ":" + inspectText(s)
}

// plainSymbol reports a name that needs no quotes.
func plainSymbol(s string) bool {
	if s == "" {
		return false
	}
	switch s {
	case "[]", "[]=", "+", "-", "*", "/", "%", "**", "==", "!=", "===", "=~", "!~", "<=>", "<", "<=", ">", ">=", "!", "~",
		"+@", "-@", "<<", ">>", "&", "|", "^", "`":
		return true
	}
	t := s
	sigil := false
	switch {
	case strings.HasPrefix(t, "@@"):
		t, sigil = t[2:], true
	case t[0] == '@' || t[0] == '$':
		t, sigil = t[1:], true
	}
	if t == "" || !syntax.IsIdentStart(t[0]) {
		return false
	}
	if !sigil {
		if c := t[len(t)-1]; c == '?' || c == '!' || c == '=' {
			t = t[:len(t)-1]
		}
	}
	for i := 0; i < len(t); i++ {
		if !syntax.IsIdent(t[i]) {
			return false
		}
	}
	return utf8.ValidString(s)
}

// inspect is /source/flags.
func (r *Regexp) inspect() string {
	var b strings.Builder
	b.WriteByte('/')
	for i := 0; i < len(r.src); i++ {
		switch c := r.src[i]; {
		case c == '\\' && i+1 < len(r.src):
			b.WriteByte(c)
			i++
			b.WriteByte(r.src[i])
		case c == '/':
			b.WriteString(`\/`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('/')
	b.WriteString(flagText(r.flags))
	return b.String()
}

func flagText(f onigmo.Flags) string {
	s := ""
	if f&onigmo.Multiline != 0 {
		s += "m"
	}
	if f&onigmo.IgnoreCase != 0 {
		s += "i"
	}
	if f&onigmo.Extended != 0 {
		s += "x"
	}
	return s
}

// embed is Regexp#to_s: the regexp as it is interpolated into another.
func (r *Regexp) embed() string { return onigmo.Embed(r.src, r.flags) }

// describe names an object as TypeErrors do: nil, true, false, or its class.
func (in *Interp) describe(o Object) string {
	switch o := o.(type) {
	case Nil, nil:
		return "nil"
	case Bool:
		return in.toS(o)
	}
	return in.classOf(o).name
}
