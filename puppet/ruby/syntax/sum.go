package syntax

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"reflect"

	"bunraku/source"
)

// Sum is a digest of what a program says: of its tree, without places, so that comments and blanks do not count.
func Sum(p *Program) [sha256.Size]byte {
	s := summer{sha256.New()}
	s.value(reflect.ValueOf(p.Body))
	var out [sha256.Size]byte
	copy(out[:], s.h.Sum(nil))
	return out
}

type summer struct{ h hash.Hash }

var (
	atType   = reflect.TypeOf(At{})
	spanType = reflect.TypeOf(source.Span{})
)

// derived are fields that follow from others, from where a node stands, or from a comment.
var derived = map[string]bool{"Re": true, "Shape": true, "Jumps": true, "Outer": true, "Slots": true, "Frozen": true}

func (s summer) text(t string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(t)))
	s.h.Write(n[:])
	s.h.Write([]byte(t))
}

func (s summer) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			s.text("nil")
			return
		}
		if n, ok := v.Interface().(fmt.Stringer); ok && v.Elem().Kind() == reflect.Struct &&
			v.Elem().Type().PkgPath() != atType.PkgPath() {
			s.text(n.String()) // a number of any size
			return
		}
		s.value(v.Elem())
	case reflect.Struct:
		t := v.Type()
		s.text(t.Name())
		for i := range v.NumField() {
			f := t.Field(i)
			if f.Type == atType || f.Type == spanType || derived[f.Name] || !f.IsExported() {
				continue
			}
			s.text(f.Name)
			s.value(v.Field(i))
		}
	case reflect.Slice:
		s.text(fmt.Sprint("list ", v.Len()))
		for i := range v.Len() {
			s.value(v.Index(i))
		}
	default:
		s.text(fmt.Sprint(v.Interface()))
	}
}

// Requires lists the libraries that a program requires by a plain name, in its order.
func Requires(p *Program) (names []string) {
	Walk(p.Body, func(n Node) bool {
		if c, ok := n.(*Call); ok && c.Recv == nil && len(c.Args) == 1 &&
			(c.Name == "require" || c.Name == "require_relative") {
			if s, ok := c.Args[0].(*StrLit); ok {
				name := s.Value
				if c.Name == "require_relative" {
					name = "./" + name
				}
				names = append(names, name)
			}
		}
		return true
	})
	return names
}
