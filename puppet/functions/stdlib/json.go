package stdlib

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"bunraku/puppet/functions"
	"bunraku/puppet/value"
)

// jsonText is Ruby's to_json or JSON.pretty_generate of a value of Puppet.
func jsonText(st value.JSONStyle, v value.Value) (string, error) {
	w := jsonWriter{style: st}
	w.write(v, 0)
	return w.b.String(), w.err
}

// A jsonWriter keeps the first error; what is written after it does not matter.
type jsonWriter struct {
	b     strings.Builder
	style value.JSONStyle
	err   error
}

func (w *jsonWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *jsonWriter) text(s string) {
	if !value.JSONText(&w.b, s) {
		w.fail(errors.New(value.NotUTF8))
	}
}

func (w *jsonWriter) write(v value.Value, depth int) {
	if w.err != nil {
		return
	}
	switch v := v.(type) {
	case nil, value.Undef:
		w.b.WriteString("null")
	case value.Bool, value.Int:
		w.b.WriteString(value.ToString(v))
	case value.Float:
		if f := float64(v); !w.style.NaN && (math.IsNaN(f) || math.IsInf(f, 0)) {
			w.fail(fmt.Errorf("859: %s not allowed in JSON", value.FormatFloat(f)))
		}
		w.b.WriteString(value.FormatFloat(float64(v)))
	case value.String:
		w.text(string(v))
	case *value.Array:
		if w.deep(depth) {
			return
		}
		w.style.Array(&w.b, len(v.Elems), depth, func(i int) { w.write(v.Elems[i], depth+1) })
	case *value.Hash:
		if w.deep(depth) {
			return
		}
		es := v.Entries()
		w.style.Object(&w.b, len(es), depth, func(i int) { w.text(functions.RubyString(es[i].Key)) },
			func(i int) { w.write(es[i].Value, depth+1) })
	case *value.Iterator:
		w.text(v.String())
	default:
		w.text(functions.RubyString(v))
	}
}

func (w *jsonWriter) deep(depth int) bool {
	why := w.style.TooDeep(depth)
	if why != "" {
		w.fail(errors.New(why))
	}
	return why != ""
}
