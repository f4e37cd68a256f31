package template

import (
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"bunraku/puppet/onigmo"
	"bunraku/puppet/ruby/syntax"
	"bunraku/source"
)

// A trace (package trace) asks for that part of a template which ran: branches that were not taken, and blocks that
// were never called, do not matter. A Coverage is what ran; a pattern says it in words that mean the same for another
// text, as long as what ran is equal: for each branch and block that is come to, in the order of the syntax, whether it
// ran.

// A Coverage is what has run of a template, in all renderings of a compile.
type Coverage struct {
	ran   map[syntax.Node]bool
	whole bool // all of it matters, since rendering failed
}

func (c *Coverage) mark(n syntax.Node) {
	if c.ran == nil {
		c.ran = map[syntax.Node]bool{}
	}
	c.ran[n] = true
}

// whole is the pattern of a template of which everything matters.
const whole = "*"

// Pattern is what ran, in words. Code that asks on which line something went wrong sees all lines before it.
func (t *Template) Pattern(c *Coverage) string {
	if c.whole || len(t.trouble) > 0 || strings.Contains(t.File.Text, "backtrace") {
		return whole
	}
	w := &coveredText{t: t, ran: func(n syntax.Node, _ int) bool { return c.ran[n] }}
	w.node(reflect.ValueOf(t.program.Body))
	return "ran " + string(w.pattern)
}

// Covered is the part of a template that a pattern speaks of.
func (t *Template) Covered(pattern string) string {
	if pattern == whole || len(t.trouble) > 0 || len(pattern) < len("ran ") {
		return t.File.Text
	}
	bits := pattern[len("ran "):]
	w := &coveredText{t: t, ran: func(_ syntax.Node, i int) bool { return i < len(bits) && bits[i] == '1' }}
	w.node(reflect.ValueOf(t.program.Body))
	return string(w.out)
}

// A coveredText writes syntax without places, and without what did not run.
type coveredText struct {
	t       *Template
	ran     func(n syntax.Node, i int) bool
	pattern []byte
	out     []byte
}

var (
	spanType   = reflect.TypeFor[source.Span]()
	regexpType = reflect.TypeFor[*onigmo.Regexp]()
	bigType    = reflect.TypeFor[*big.Int]()
	fieldsOf   sync.Map // type → []int: the fields that count
)

func (w *coveredText) text(s string) {
	w.out = strconv.AppendInt(w.out, int64(len(s)), 10)
	w.out = append(append(w.out, ' '), s...)
}

// hole writes a branch or the body of a block, if it ran.
func (w *coveredText) hole(n syntax.Node) {
	if n == nil || syntax.IsNone(n) {
		w.text("none")
		return
	}
	if !w.ran(n, len(w.pattern)) {
		w.pattern = append(w.pattern, '0')
		w.text("hole")
		return
	}
	w.pattern = append(w.pattern, '1')
	w.node(reflect.ValueOf(n))
}

func (w *coveredText) node(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		switch {
		case v.IsNil():
			w.text("")
		case v.Type() == regexpType: // made of the parts beside it
		case v.Type() == bigType:
			w.text(v.Interface().(*big.Int).String())
		default:
			w.node(v.Elem())
		}
	case reflect.Struct:
		w.structure(v)
	case reflect.Slice:
		w.text(strconv.Itoa(v.Len()))
		for i := range v.Len() {
			w.node(v.Index(i))
		}
	case reflect.String:
		w.text(v.String())
	case reflect.Bool:
		w.text(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.text(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.text(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float64:
		w.text(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	default: // the tree has nothing else; what it may have one day counts as the whole text
		w.text(w.t.File.Text)
	}
}

func (w *coveredText) structure(v reflect.Value) {
	t := v.Type()
	w.text(t.Name())
	if v.CanAddr() {
		switch n := v.Addr().Interface().(type) {
		case *syntax.If:
			w.node(reflect.ValueOf(n.Cond))
			w.hole(n.Then)
			w.hole(n.Else)
			return
		case *syntax.Block:
			for _, i := range fields(t) {
				if t.Field(i).Name == "Body" {
					w.hole(n.Body)
				} else {
					w.node(v.Field(i))
				}
			}
			return
		}
	}
	for _, i := range fields(t) {
		w.node(v.Field(i))
	}
}

// fields are those of a type that say something else than where it stands.
func fields(t reflect.Type) []int {
	if list, known := fieldsOf.Load(t); known {
		return list.([]int)
	}
	var list []int
	for i := range t.NumField() {
		f := t.Field(i)
		if f.IsExported() && f.Type != spanType && !(f.Anonymous && f.Name == "At") {
			list = append(list, i)
		}
	}
	fieldsOf.Store(t, list)
	return list
}
