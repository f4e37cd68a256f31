package smartfrog

import (
	"fmt"
	"strings"
	"testing"
)

// This file is the paper's semantics taken literally: the store is a list, every operation returns a new one, and each
// equation is one case, in the paper's order. It is slow and obvious, and shares nothing with the evaluator but the
// syntax tree and the values of literals. random_test.go compares the two.

// cell is Definition 6: a store is a list of pairs ⟨id, v⟩; nil is ∅.
type cell struct {
	id   string
	v    any // a Value, or a *cell for a component
	rest *cell
}

// undefined is ⊥.
type undefined struct{}

// A litError is one of the paper's errors: err1 … err7.
type litError string

func (e litError) Error() string { return string(e) }

// litConcat is Definition 7: r ⊕ t.
func litConcat(r, t []string) []string {
	if len(r) == 0 {
		return t
	}
	return append([]string{r[0]}, litConcat(r[1:], t)...)
}

// litMinus is Definition 8: r ⊖ t, which is r without the prefix that it has in common with t.
//
// Erratum: the equations of Definition 8 are missing from the text that we have; this is the function that its
// sentence, and its use in Definition 10, describe.
func litMinus(r, t []string) []string {
	if len(r) == 0 || len(t) == 0 || r[0] != t[0] {
		return r
	}
	return litMinus(r[1:], t[1:])
}

// litEqual is Definition 9: r ≡ t.
func litEqual(r, t []string) bool {
	if len(r) == 0 || len(t) == 0 {
		return len(r) == len(t)
	}
	return r[0] == t[0] && litEqual(r[1:], t[1:])
}

// litWithin is Definition 10: r ⊆ t; r ⊂ t when strict is set.
//
// Erratum: the sentence of Definition 10 calls ⊆ strict and ⊂ non-strict; its equations have it the right way round.
func litWithin(r, t []string, strict bool) bool {
	return len(litMinus(r, t)) == 0 && !(strict && litEqual(r, t))
}

// litPrefix is Definition 11.
func litPrefix(r []string) []string {
	if len(r) <= 1 {
		return nil
	}
	return append([]string{r[0]}, litPrefix(r[1:])...)
}

// litPut is Definition 12.
func litPut(s *cell, id string, v any) *cell {
	switch {
	case s == nil:
		return &cell{id, v, nil}
	case s.id == id:
		return &cell{id, v, s.rest}
	default:
		return &cell{s.id, s.v, litPut(s.rest, id, v)}
	}
}

// litBind is Definition 13.
func litBind(s *cell, r []string, v any) (*cell, error) {
	switch {
	case len(r) == 0:
		return nil, litError("err3")
	case len(r) == 1:
		return litPut(s, r[0], v), nil
	case s == nil:
		return nil, litError("err2")
	case s.id == r[0]:
		sub, ok := s.v.(*cell)
		if !ok {
			return nil, litError("err1")
		}
		sub, err := litBind(sub, r[1:], v)
		return &cell{s.id, sub, s.rest}, err
	default:
		rest, err := litBind(s.rest, r, v)
		return &cell{s.id, s.v, rest}, err
	}
}

// litFind is Definition 14.
func litFind(s *cell, r []string) any {
	switch {
	case len(r) == 0:
		return s
	case s == nil:
		return undefined{}
	case s.id == r[0] && len(r) == 1:
		return s.v
	case s.id == r[0]:
		if sub, ok := s.v.(*cell); ok {
			return litFind(sub, r[1:])
		}
		return undefined{}
	default:
		return litFind(s.rest, r)
	}
}

// litSubstores is Definition 15: it calls visit for every store that is ⊂ the given one.
//
// Erratum: Definition 15 gives ⊂ the type 𝓢 × 𝓡 → 𝔹; both operands are stores.
func litSubstores(s *cell, visit func(*cell)) {
	for ; s != nil; s = s.rest {
		if sub, ok := s.v.(*cell); ok {
			visit(sub)
			litSubstores(sub, visit)
		}
	}
}

// litResolve is Definition 16.
func litResolve(s *cell, ns, r []string) ([]string, any) {
	if len(ns) == 0 {
		return nil, litFind(s, r)
	}
	if v := litFind(s, litConcat(ns, r)); v != (undefined{}) {
		return ns, v
	}
	return litResolve(s, litPrefix(ns), r)
}

// litCopy is Definition 17.
func litCopy(s1, s2 *cell, pfx []string) (*cell, error) {
	if s2 == nil {
		return s1, nil
	}
	s1, err := litBind(s1, litConcat(pfx, []string{s2.id}), s2.v)
	if err != nil {
		return nil, err
	}
	return litCopy(s1, s2.rest, pfx)
}

// litInherit is Definition 18.
func litInherit(s *cell, ns, proto, r []string) (*cell, error) {
	_, v := litResolve(s, ns, proto)
	if vp, ok := v.(*cell); ok {
		return litCopy(s, vp, r)
	}
	return nil, litError("err4")
}

// litProto is Definition 23.
func litProto(p []Prototype, ns, r []string, s *cell) (*cell, error) {
	if len(p) == 0 {
		return s, nil
	}
	var err error
	switch first := p[0].(type) {
	case *Block:
		s, err = litBody(first.Body, r, s)
	case *Ref:
		s, err = litInherit(s, ns, first.Path, r)
	}
	if err != nil {
		return nil, err
	}
	return litProto(p[1:], ns, r, s)
}

// litValue is Definition 24.
func litValue(v Expr, ns, r []string, s *cell) (*cell, error) {
	switch v := v.(type) {
	case Basic:
		return litBind(s, r, basicValue(v))
	case *Extends:
		s, err := litBind(s, r, (*cell)(nil))
		if err != nil {
			return nil, err
		}
		return litProto(v.Protos, ns, r, s)
	case *Link:
		_, found := litResolve(s, ns, v.Ref.Path)
		if found == (undefined{}) {
			return nil, litError("err5")
		}
		return litBind(s, r, found)
	}
	panic("no such value")
}

// litBody is Definition 26, with Definition 25 in its loop.
func litBody(b []Statement, ns []string, s *cell) (*cell, error) {
	if len(b) == 0 {
		return s, nil
	}
	a := b[0].(*Assignment)
	s, err := litValue(a.Value, ns, litConcat(ns, a.Target.Path), s)
	if err != nil {
		return nil, err
	}
	return litBody(b[1:], ns, s)
}

// litSpec is Definition 27.
func litSpec(b []Statement) (*cell, error) {
	s, err := litBody(b, nil, nil)
	if err != nil {
		return nil, err
	}
	if v, ok := litFind(s, []string{"sfConfig"}).(*cell); ok {
		return v, nil
	}
	return nil, litError("err7")
}

// litText writes a value of the literal semantics in the form of storeText.
func litText(v any) string {
	s, ok := v.(*cell)
	if !ok {
		return fmt.Sprintf("%T(%v)", v, v)
	}
	var b strings.Builder
	b.WriteString("{")
	for ; s != nil; s = s.rest {
		b.WriteString(s.id + ":" + litText(s.v) + ";")
	}
	b.WriteString("}")
	return b.String()
}

// storeText writes a value so that two of them are the same text exactly when they are the same value, order included.
func storeText(v Value) string {
	s, ok := v.(*Store)
	if !ok {
		return fmt.Sprintf("%T(%v)", v, v)
	}
	var b strings.Builder
	b.WriteString("{")
	for name, sub := range s.All() {
		b.WriteString(name + ":" + storeText(sub) + ";")
	}
	b.WriteString("}")
	return b.String()
}

// TestReferenceOperators tries Definitions 7 to 11 on small references, by the laws that connect them.
func TestReferenceOperators(t *testing.T) {
	var all [][]string
	for _, a := range []string{"", "a", "b"} {
		for _, b := range []string{"", "a", "b"} {
			for _, c := range []string{"", "a"} {
				all = append(all, strings.Fields(a+" "+b+" "+c))
			}
		}
	}
	for _, r := range all {
		for _, s := range all {
			both := litConcat(r, s)
			if got := litMinus(both, r); !litEqual(got, s) {
				t.Errorf("(%v ⊕ %v) ⊖ %v = %v", r, s, r, got)
			}
			if !litWithin(r, both, false) || litWithin(r, both, true) != (len(s) > 0) {
				t.Errorf("%v and its prefix %v", both, r)
			}
			if len(s) > 0 && !litEqual(litPrefix(both), litConcat(r, litPrefix(s))) {
				t.Errorf("prefix of %v ⊕ %v is %v", r, s, litPrefix(both))
			}
			if got := Reference(r).Join(s...); !litEqual(got, both) {
				t.Errorf("Join gives %v for %v", got, both)
			}
		}
	}
}
