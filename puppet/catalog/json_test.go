package catalog_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// plain makes values that JSON has.
func plain(depth int) *rapid.Generator[value.Value] {
	text := rapid.OneOf(rapid.String(),
		rapid.StringOf(rapid.RuneFrom([]rune("ab/\"\\\n\t\r\b\f\x00\x1f\x7f\u0085é\u2028😀\ufffe"))))
	scalars := []*rapid.Generator[value.Value]{
		rapid.Map(text, func(s string) value.Value { return value.String(s) }),
		rapid.Map(rapid.Int64(), func(n int64) value.Value { return value.Int(n) }),
		rapid.Map(rapid.Float64(), func(f float64) value.Value {
			// Between 1e15 and 1e16 Ruby's choice of form depends on the digits; that is package value's affair.
			if math.IsInf(f, 0) || math.IsNaN(f) || math.Abs(f) >= 1e15 && math.Abs(f) < 1e16 {
				f = 0
			}
			return value.Float(f)
		}),
		rapid.SampledFrom([]value.Value{value.Undef{}, value.Bool(true), value.Bool(false), value.Float(1e15),
			value.Float(1e16), value.Float(1e-4), value.Float(0.00001), value.Float(100)}),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	inner := plain(depth - 1)
	array := rapid.Map(rapid.SliceOfN(inner, 0, 4), func(vs []value.Value) value.Value { return value.NewArray(vs...) })
	hash := rapid.Custom(func(t *rapid.T) value.Value {
		b := &value.HashBuilder{}
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			b.SetString(text.Draw(t, "key"), inner.Draw(t, "value"))
		}
		return b.Hash()
	})
	return rapid.OneOf(append(scalars, array, hash, hash)...)
}

// Ruby prints what we print, byte by byte, compact and indented.
func TestJSONAsRuby(t *testing.T) {
	gen := rapid.Map(rapid.SliceOfN(plain(3), 0, 4), func(vs []value.Value) value.Value { return value.NewArray(vs...) })
	var values []value.Value
	var in strings.Builder
	for i := range 1000 {
		v := gen.Example(i)
		text, err := catalog.JSON{}.AppendValue(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
		in.Write(text)
		in.WriteByte('\n')
	}
	lines := strings.Split(strings.TrimSpace(live.Ruby(t, "testdata/json.rb", in.String())), "\n")
	for i, v := range values {
		var want [2]string
		if err := json.Unmarshal([]byte(lines[i]), &want); err != nil {
			t.Fatal(err)
		}
		compact, _ := catalog.JSON{}.AppendValue(nil, v)
		pretty, _ := catalog.JSON{Indent: true}.AppendValue(nil, v)
		if string(compact) != want[0] || string(pretty) != want[1] {
			t.Fatalf("ours\n%s\n%s\nRuby's\n%s\n%s", compact, pretty, want[0], want[1])
		}
		back, err := catalog.ReadJSON(compact)
		if err != nil || !value.Same(back, v) {
			t.Fatalf("%s reads back as %s: %v", compact, value.Inspect(back), err)
		}
	}
}

// Every byte is written as itself or escaped wherever it stands in a text.
func TestJSONEveryByte(t *testing.T) {
	for b := range 0x80 {
		for at := range 20 {
			text := []byte("some plain text, long")
			text[at] = byte(b)
			out, err := catalog.JSON{}.AppendValue(nil, value.String(text))
			if err != nil {
				t.Fatal(err)
			}
			var back string
			if err := json.Unmarshal(out, &back); err != nil || back != string(text) {
				t.Errorf("%q at %d: %s gives %q, %v", byte(b), at, out, back, err)
			}
		}
	}
}
