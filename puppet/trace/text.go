package trace

import (
	"encoding/binary"
	"fmt"
	"math"

	"bunraku/puppet/value"
)

// A Text is what an answer's digest is made of: a sequence of things that can be read back in one way only.
type Text []byte

// Number adds a number.
func (t *Text) Number(n int) { *t = binary.AppendVarint(*t, int64(n)) }

// String adds a string.
func (t *Text) String(s string) {
	*t = binary.AppendUvarint(*t, uint64(len(s)))
	*t = append(*t, s...)
}

// Flag adds a decision.
func (t *Text) Flag(b bool) {
	if b {
		*t = append(*t, 1)
	} else {
		*t = append(*t, 0)
	}
}

// Value adds a value of data or facts, its order included, which code can see. Nil is the absence of a value.
func (t *Text) Value(v value.Value) {
	switch v := v.(type) {
	case nil:
		*t = append(*t, 'n')
	case value.Undef:
		*t = append(*t, 'u')
	case value.Bool:
		*t = append(*t, 'b')
		t.Flag(bool(v))
	case value.Int:
		*t = append(*t, 'i')
		*t = binary.AppendVarint(*t, int64(v))
	case value.Float:
		*t = append(*t, 'f')
		*t = binary.AppendUvarint(*t, math.Float64bits(float64(v)))
	case value.String:
		*t = append(*t, 's')
		t.String(string(v))
	case *value.Array:
		*t = append(*t, 'a')
		t.Number(len(v.Elems))
		for _, e := range v.Elems {
			t.Value(e)
		}
	case *value.Hash:
		*t = append(*t, 'h')
		t.Number(v.Len())
		for _, e := range v.Entries() {
			t.Value(e.Key)
			t.Value(e.Value)
		}
	case *value.Sensitive:
		*t = append(*t, 'S')
		t.Value(v.Value)
	case *value.Opaque:
		*t = append(*t, 'o')
		t.String(v.Why)
	default:
		*t = append(*t, 'x')
		t.String(fmt.Sprintf("%T", v))
		t.String(value.Literal(v))
	}
}
