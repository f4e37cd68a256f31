package exported

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/value"
)

// A Query is what an exported collector asks PuppetDB: a type, and what its resources must be like.
type Query struct {
	Type   string // capitalized
	Filter *Filter
}

// A Filter is one operator of a query; nil lets everything through.
type Filter struct {
	Op          string // "and", "or", "==", "!="
	Left, Right *Filter
	Field       string // of a comparison: tag, title, or an attribute
	Value       value.Value
}

// Text is the filter as Puppet's terminus writes it: equal texts ask the same. An error is one that Ruby would raise.
func (q *Query) Text() (string, error) {
	if q.Filter == nil {
		return "", nil
	}
	t, err := q.Filter.ast()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(t)
	return string(text), err
}

// ast is the filter in PuppetDB's query language.
func (f *Filter) ast() (any, error) {
	if f.Op == "and" || f.Op == "or" {
		l, err := f.Left.ast()
		if err != nil {
			return nil, err
		}
		r, err := f.Right.ast()
		return []any{f.Op, l, r}, err
	}
	var e any
	switch f.Field {
	case "tag":
		s, is := f.Value.(value.String)
		if !is {
			return nil, fmt.Errorf("undefined method `downcase' for %s", value.Inspect(f.Value))
		}
		e = []any{"=", "tag", value.Downcase(string(s))}
	case "title":
		e = []any{"=", "title", plain(data(f.Value))}
	default:
		e = []any{"=", []any{"parameter", f.Field}, plain(data(f.Value))}
	}
	if f.Op == "!=" {
		e = []any{"not", e}
	}
	return e, nil
}

// JSON is a value as PuppetDB reads it.
func JSON(v value.Value) string {
	text, err := json.Marshal(plain(data(v)))
	if err != nil { // a number that JSON does not have
		return ""
	}
	return string(text)
}

// plain is a value as encoding/json takes it. Keys of hashes are sorted there, as PuppetDB does it before it compares.
func plain(v value.Value) any {
	switch v := v.(type) {
	case value.String:
		return string(v)
	case value.Int:
		return int64(v)
	case value.Float:
		return float64(v)
	case value.Bool:
		return bool(v)
	case *value.Array:
		out := make([]any, v.Len())
		for i, e := range v.Elems {
			out[i] = plain(e)
		}
		return out
	case *value.Hash:
		out := map[string]any{}
		for _, e := range v.Entries() {
			out[value.ToString(e.Key)] = plain(e.Value)
		}
		return out
	}
	return nil
}

// Matches reports whether PuppetDB would find a resource of the right type.
func (q *Query) Matches(r *Resource) (bool, error) {
	if _, err := q.Text(); err != nil {
		return false, err
	}
	return q.Filter == nil || q.Filter.matches(r), nil
}

func (f *Filter) matches(r *Resource) bool {
	switch f.Op {
	case "and":
		return f.Left.matches(r) && f.Right.matches(r)
	case "or":
		return f.Left.matches(r) || f.Right.matches(r)
	}
	hit := false
	switch f.Field {
	case "tag":
		hit = slices.Contains(r.Tags, value.Downcase(value.ToString(f.Value)))
	case "title":
		hit = value.Value(value.String(r.Title)) == f.Value
	default:
		v := r.Param(f.Field)
		hit = v != nil && sameJSON(v, f.Value)
	}
	return hit == (f.Op == "==")
}

// each visits the fields that a filter tests.
func (f *Filter) each(visit func(field string)) {
	switch {
	case f == nil:
	case f.Op == "and" || f.Op == "or":
		f.Left.each(visit)
		f.Right.each(visit)
	default:
		visit(f.Field)
	}
}

// sameJSON reports whether two values are written alike.
func sameJSON(a, b value.Value) bool {
	x, errX := json.Marshal(plain(data(a)))
	y, errY := json.Marshal(plain(data(b)))
	return errX == nil && errY == nil && string(x) == string(y)
}

// Parse reads what Text has written, for a type.
func Parse(typ, text string) (*Query, error) {
	q := &Query{Type: typ}
	if text == "" {
		return q, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	if err == nil {
		q.Filter, err = parse(v, false)
	}
	return q, err
}

func parse(v any, not bool) (*Filter, error) {
	bad := fmt.Errorf("%v is no query of a collector", v)
	list, _ := v.([]any)
	if len(list) < 2 {
		return nil, bad
	}
	f := &Filter{}
	switch f.Op, _ = list[0].(string); f.Op {
	case "and", "or":
		if len(list) != 3 || not {
			return nil, bad
		}
		var err error
		if f.Left, err = parse(list[1], false); err == nil {
			f.Right, err = parse(list[2], false)
		}
		return f, err
	case "not":
		return parse(list[1], true)
	case "=":
		if len(list) != 3 {
			return nil, bad
		}
		if f.Op = "=="; not {
			f.Op = "!="
		}
		switch x := list[1].(type) {
		case string:
			f.Field = x
		case []any:
			if len(x) != 2 {
				return nil, bad
			}
			f.Field, _ = x[1].(string)
		}
		f.Value = FromJSON(list[2])
		return f, nil
	}
	return nil, bad
}

// FromJSON is a value that encoding/json has read, with numbers as they are written.
func FromJSON(v any) value.Value {
	switch v := v.(type) {
	case string:
		return value.String(v)
	case bool:
		return value.Bool(v)
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return value.Int(i)
		}
		f, err := v.Float64()
		if err != nil {
			return value.String(v)
		}
		return value.Float(f)
	case []any:
		b := value.NewArrayBuilder(len(v))
		for _, e := range v {
			b.Add(FromJSON(e))
		}
		return b.Array()
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		b := value.NewHashBuilder(len(v))
		for _, k := range keys {
			b.SetString(k, FromJSON(v[k]))
		}
		return b.Hash()
	}
	return value.Undef{}
}

// Digest is the same for resources that a collector cannot tell apart. Where they stand does not count.
func Digest(all []*Resource) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, r := range all {
		params := map[string]any{}
		for _, p := range r.Params {
			params[p.Name] = plain(p.Value)
		}
		enc.Encode([]any{r.Certname, r.Type, r.Title, r.Tags, params}) // a hash takes everything, and this is all JSON
	}
	return string(h.Sum(nil))
}
