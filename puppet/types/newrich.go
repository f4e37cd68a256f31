package types

import (
	"encoding/base64"
	"errors"
	"strings"

	"bunraku/puppet/value"
)

func makeBinary(_ *Converter, i int, args []value.Value) (value.Value, error) {
	switch i {
	case 1:
		return bytesOf(args[0].(*value.Array)), nil
	case 2:
		h := args[0].(*value.Hash)
		if a, is := h.At("value").(*value.Array); is {
			return bytesOf(a), nil
		}
		args = named(h, "value", "format")
	}
	s := string(args[0].(value.String))
	format, _ := arg(args, 1).(value.String)
	switch format {
	case "%b":
		return value.Binary(looseBase64(s)), nil
	case "%u":
		s = strings.NewReplacer("-", "+", "_", "/").Replace(s)
		if len(s)%4 != 0 {
			s += strings.Repeat("=", 4-len(s)%4)
		}
		return strictBase64(s)
	case "%s", "%r":
		return value.Binary(s), nil
	}
	return strictBase64(s)
}

func bytesOf(a *value.Array) value.Binary {
	b := make([]byte, a.Len())
	for i, e := range a.Elems {
		b[i] = byte(e.(value.Int))
	}
	return value.Binary(b)
}

func strictBase64(s string) (value.Value, error) {
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || strings.ContainsAny(s, "\r\n") {
		return nil, errors.New("invalid base64")
	}
	return value.Binary(b), nil
}

// looseBase64 is Ruby's unpack('m'): other characters are skipped, and the text ends at the first padding.
func looseBase64(s string) []byte {
	var digits []byte
	for i := 0; i < len(s) && s[i] != '='; i++ {
		c := s[i]
		if c == '+' || c == '/' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			digits = append(digits, c)
		}
	}
	if len(digits)%4 == 1 {
		digits = digits[:len(digits)-1]
	}
	b, _ := base64.RawStdEncoding.DecodeString(string(digits))
	return b
}

func makeSemVer(_ *Converter, i int, args []value.Value) (value.Value, error) {
	switch i {
	case 0:
		return value.ParseSemVer(string(args[0].(value.String)))
	case 2:
		args = named(args[0].(*value.Hash), "major", "minor", "patch", "prerelease", "build")
	}
	n := func(i int) int64 { x, _ := arg(args, i).(value.Int); return int64(x) }
	s := func(i int) string { x, _ := arg(args, i).(value.String); return string(x) }
	return value.NewSemVer(n(0), n(1), n(2), s(3), s(4)), nil
}

func makeSemVerRange(_ *Converter, i int, args []value.Value) (value.Value, error) {
	switch i {
	case 0:
		return value.ParseSemVerRange(string(args[0].(value.String)))
	case 2:
		args = named(args[0].(*value.Hash), "min", "max", "exclude_max")
	}
	lo, _ := arg(args, 0).(*value.SemVer)
	hi, _ := arg(args, 1).(*value.SemVer)
	return value.NewSemVerRange(lo, hi, value.Truthy(arg(args, 2))), nil
}

// formatArg is a format or a list of formats; nil when not given.
func formatArg(v value.Value) (formats []string, list bool) {
	switch v := v.(type) {
	case value.String:
		return []string{string(v)}, false
	case *value.Array:
		for _, e := range v.Elems {
			formats = append(formats, value.ToString(e))
		}
		return formats, true
	}
	return nil, true
}

func makeTimespan(_ *Converter, i int, args []value.Value) (value.Value, error) {
	switch i {
	case 0:
		return value.TimespanFromSeconds(args[0]), nil
	case 1:
		return parseSpan(args[0], arg(args, 1))
	case 2:
		var f [7]int64
		for j := range args {
			n, _ := args[j].(value.Int)
			f[j] = int64(n)
		}
		return value.TimespanFromFields(false, f[0], f[1], f[2], f[3], f[4], f[5], f[6]), nil
	}
	return timespanFromHash(args[0].(*value.Hash))
}

func parseSpan(s, format value.Value) (value.Timespan, error) {
	formats, list := formatArg(format)
	if formats == nil {
		formats = value.DefaultSpanFormats
	}
	return value.ParseTimespan(value.ToString(s), formats, list)
}

func timespanFromHash(h *value.Hash) (value.Timespan, error) {
	if s, has := h.GetString("string"); has {
		return parseSpan(s, h.At("format"))
	}
	var f [7]int64
	for i, name := range [...]string{"days", "hours", "minutes", "seconds", "milliseconds", "microseconds",
		"nanoseconds"} {
		n, _ := h.At(name).(value.Int)
		f[i] = int64(n)
	}
	return value.TimespanFromFields(value.Truthy(h.At("negative")), f[0], f[1], f[2], f[3], f[4], f[5], f[6]), nil
}

func makeTimestamp(c *Converter, i int, args []value.Value) (value.Value, error) {
	switch i {
	case 0:
		return c.now(), nil
	case 1:
		return value.TimestampFromSeconds(args[0]), nil
	case 3:
		args = named(args[0].(*value.Hash), "string", "format", "timezone")
	}
	formats, list := formatArg(arg(args, 1))
	zone, _ := arg(args, 2).(value.String)
	return value.ParseTimestamp(value.ToString(args[0]), formats, list, string(zone))
}

func makeURI(_ *Converter, i int, args []value.Value) (value.Value, error) {
	if i == 1 {
		return value.NewURI(args[0].(*value.Hash)), nil
	}
	return value.ParseURI(string(args[0].(value.String)))
}

// A tree is a hash or array under construction.
type tree struct {
	keys []value.Value
	vals []any // value.Value or *tree
	list bool
}

func (t *tree) at(k value.Value) (int, bool) {
	if t.list {
		n, is := k.(value.Int)
		return int(n), is && n >= 0 && int(n) < len(t.vals)
	}
	for i, x := range t.keys {
		if value.Same(x, k) {
			return i, true
		}
	}
	return 0, false
}

func (t *tree) set(k value.Value, v any) {
	if i, has := t.at(k); has {
		t.vals[i] = v
		return
	}
	if n, is := k.(value.Int); t.list && is {
		for len(t.vals) < int(n) {
			t.vals = append(t.vals, value.Value(value.Undef{}))
		}
	}
	t.keys, t.vals = append(t.keys, k), append(t.vals, v)
}

func (t *tree) value() value.Value {
	if t.list {
		b := value.NewArrayBuilder(len(t.vals))
		for _, v := range t.vals {
			b.Add(treeValue(v))
		}
		return b.Array()
	}
	b := value.NewHashBuilder(len(t.keys))
	for i, k := range t.keys {
		b.Set(k, treeValue(t.vals[i]))
	}
	return b.Hash()
}

func treeValue(v any) value.Value {
	if t, is := v.(*tree); is {
		return t.value()
	}
	return v.(value.Value)
}

// grow makes a container changeable.
func grow(v value.Value) (*tree, bool) {
	t := &tree{}
	switch v := v.(type) {
	case *value.Hash:
		for _, e := range v.Entries() {
			t.keys, t.vals = append(t.keys, e.Key), append(t.vals, e.Value)
		}
	case *value.Array:
		t.list = true
		for i, e := range v.Elems {
			t.keys, t.vals = append(t.keys, value.Int(i)), append(t.vals, e)
		}
	default:
		return nil, false
	}
	return t, true
}

// arraysAsHashes turns arrays into hashes by index, at every level.
func arraysAsHashes(v value.Value) value.Value {
	a, is := v.(*value.Array)
	if !is {
		return v
	}
	b := value.NewHashBuilder(a.Len())
	for i, e := range a.Elems {
		b.Set(value.Int(i), arraysAsHashes(e))
	}
	return b.Hash()
}

// hashTree builds a hash from [path, value] pairs, as tree_each lists them.
func hashTree(entries *value.Array, allHashes bool) (value.Value, error) {
	root := &tree{}
	for _, e := range entries.Elems {
		pair := e.(*value.Array)
		path, v := pair.Elems[0].(*value.Array).Elems, pair.Elems[1]
		if len(path) == 0 {
			switch v := v.(type) {
			case *value.Array:
				for i, x := range v.Elems {
					root.set(value.Int(i), x)
				}
			case *value.Hash:
				for _, x := range v.Entries() {
					root.set(x.Key, x.Value)
				}
			default:
				return nil, errors.New("no implicit conversion of " + RubyClass(v) + " into Hash")
			}
			continue
		}
		at := root
		for _, k := range path[:len(path)-1] {
			i, has := at.at(k)
			if !has {
				next := &tree{}
				at.set(k, next)
				at = next
				continue
			}
			next, is := at.vals[i].(*tree)
			if !is {
				if next, is = grow(at.vals[i].(value.Value)); !is {
					return nil, errors.New("undefined method `[]=' for " + value.Inspect(at.vals[i].(value.Value)) + ":" +
						RubyClass(at.vals[i].(value.Value)))
				}
				at.vals[i] = next
			}
			at = next
		}
		if allHashes {
			v = arraysAsHashes(v)
		}
		at.set(path[len(path)-1], v)
	}
	return root.value(), nil
}
