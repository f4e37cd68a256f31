package bridge

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// How values travel: runtime/wire.rb is the other end.

// appendValue writes a value as JSON; what JSON does not have is an object with the key __ptype.
func appendValue(dst []byte, v value.Value) []byte {
	switch v := v.(type) {
	case nil, value.Undef:
		return append(dst, "null"...)
	case value.Bool:
		return strconv.AppendBool(dst, bool(v))
	case value.Int:
		return strconv.AppendInt(dst, int64(v), 10)
	case value.Float:
		return appendFloat(dst, float64(v))
	case value.String:
		return appendText(dst, string(v))
	case *value.Array:
		return appendList(dst, v.Elems)
	case *value.Hash:
		return appendHash(dst, v)
	case value.Default:
		return append(dst, `{"__ptype":"Default"}`...)
	case *value.Sensitive:
		return append(appendValue(open(dst, "Sensitive"), v.Value), '}')
	case *value.Regexp:
		return appendRich(dst, "Regexp", v.Source)
	case value.Binary:
		return appendRich(dst, "Binary", v.Base64())
	case value.Timestamp:
		return appendTime(dst, "Timestamp", v.Sec*1e9+int64(v.Nsec), v.String())
	case value.Timespan:
		return appendTime(dst, "Timespan", int64(v), v.String())
	case *value.SemVer:
		return appendRich(dst, "SemVer", v.String())
	case *value.SemVerRange:
		return appendRich(dst, "SemVerRange", v.String())
	case *value.URI:
		return appendRich(dst, "URI", v.String())
	case *value.Deferred:
		dst = appendText(append(dst, `{"__ptype":"Deferred","name":`...), v.Name)
		dst = append(dst, `,"arguments":`...)
		if v.Args == nil {
			return append(dst, "null}"...)
		}
		return append(appendValue(dst, v.Args), '}')
	case *value.Iterator:
		return append(appendValue(open(dst, "Iterator"), v.Array()), '}')
	case *value.Object:
		dst = appendText(append(dst, `{"__ptype":`...), v.Type.Name())
		return append(appendValue(append(dst, `,"attributes":`...), v.Attrs), '}')
	case value.Type:
		return appendType(dst, v)
	}
	return appendText(dst, value.ToString(v))
}

func open(dst []byte, ptype string) []byte {
	return append(append(append(dst, `{"__ptype":"`...), ptype...), `","__pvalue":`...)
}

func appendRich(dst []byte, ptype, text string) []byte {
	return append(appendText(open(dst, ptype), text), '}')
}

func appendTime(dst []byte, ptype string, nanos int64, text string) []byte {
	dst = strconv.AppendInt(open(dst, ptype), nanos, 10)
	return append(appendText(append(dst, `,"text":`...), text), '}')
}

func appendType(dst []byte, t value.Type) []byte {
	if a, is := t.(*types.Alias); is {
		dst = appendText(open(dst, "Type"), a.Of)
		return append(appendText(append(dst, `,"alias":`...), a.String()), '}')
	}
	dst = appendText(open(dst, "Type"), t.String())
	switch t := t.(type) {
	case *types.Class:
		dst = append(dst, `,"class_name":`...)
		if t.Of == "" {
			dst = append(dst, "null"...)
		} else {
			dst = appendText(dst, t.Of)
		}
	case *types.Resource:
		dst = appendText(append(dst, `,"type_name":`...), t.Type)
		if t.HasTitle {
			dst = appendText(append(dst, `,"title":`...), t.Title)
		}
	}
	return append(dst, '}')
}

func appendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return appendRich(dst, "Float", "NaN")
	case math.IsInf(f, 1):
		return appendRich(dst, "Float", "Infinity")
	case math.IsInf(f, -1):
		return appendRich(dst, "Float", "-Infinity")
	}
	n := len(dst)
	dst = strconv.AppendFloat(dst, f, 'g', -1, 64)
	if !bytes.ContainsAny(dst[n:], ".e") {
		dst = append(dst, ".0"...)
	}
	return dst
}

// appendText writes a string; one that is not UTF-8 goes as bytes.
func appendText(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		return append(append(open(dst, "Bytes"), '"'), append(base64.StdEncoding.AppendEncode(nil, []byte(s)), `"}`...)...)
	}
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < 0x20 || c == 0x7f:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

func appendList(dst []byte, vs []value.Value) []byte {
	dst = append(dst, '[')
	for i, e := range vs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendValue(dst, e)
	}
	return append(dst, ']')
}

func appendHash(dst []byte, h *value.Hash) []byte {
	plain := true
	for _, e := range h.Entries() {
		k, is := e.Key.(value.String)
		plain = plain && is && k != "__ptype" && utf8.ValidString(string(k))
	}
	if !plain {
		var all []value.Value
		for _, e := range h.Entries() {
			all = append(all, e.Key, e.Value)
		}
		return append(appendList(open(dst, "Hash"), all), '}')
	}
	dst = append(dst, '{')
	for i, e := range h.Entries() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, string(e.Key.(value.String))), ':')
		dst = appendValue(dst, e.Value)
	}
	return append(dst, '}')
}

// parse reads a line of JSON; what travels as an object with __ptype stays one.
func parse(line []byte) (value.Value, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	v, err := parseNext(d, 0)
	if err == nil && d.More() {
		err = errors.New("more than one value")
	}
	return v, err
}

// maxNesting bounds how deep values may be nested that Ruby sends.
const maxNesting = 2000

func parseNext(d *json.Decoder, depth int) (value.Value, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("a value nests deeper than %d", maxNesting)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case bool:
		return value.Bool(t), nil
	case string:
		return value.String(t), nil
	case json.Number:
		if !strings.ContainsAny(string(t), ".eE") {
			n, err := t.Int64()
			return value.Int(n), err
		}
		f, err := t.Float64()
		return value.Float(f), err
	case json.Delim:
		if t == '[' {
			return parseArray(d, depth+1)
		}
		return parseObject(d, depth+1)
	}
	return value.Undef{}, nil
}

func parseArray(d *json.Decoder, depth int) (value.Value, error) {
	var out []value.Value
	for d.More() {
		v, err := parseNext(d, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	_, err := d.Token()
	return value.NewArray(out...), err
}

func parseObject(d *json.Decoder, depth int) (value.Value, error) {
	b := &value.HashBuilder{}
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := parseNext(d, depth)
		if err != nil {
			return nil, err
		}
		b.SetString(k.(string), v)
	}
	_, err := d.Token()
	return b.Hash(), err
}

// A reader turns what travelled into values. Types need the program's aliases.
type reader struct {
	parseType func(string) (value.Type, error)
	function  string // for messages
}

func (r reader) value(v value.Value) (value.Value, error) {
	switch v := v.(type) {
	case *value.Array:
		out := make([]value.Value, v.Len())
		for i, e := range v.Elems {
			var err error
			if out[i], err = r.value(e); err != nil {
				return nil, err
			}
		}
		return value.NewArray(out...), nil
	case *value.Hash:
		if ptype, is := v.At("__ptype").(value.String); is {
			return r.rich(string(ptype), v)
		}
		b := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			x, err := r.value(e.Value)
			if err != nil {
				return nil, err
			}
			b.Set(e.Key, x)
		}
		return b.Hash(), nil
	}
	return v, nil
}

func (r reader) rich(ptype string, h *value.Hash) (value.Value, error) {
	inner := h.At("__pvalue")
	text := ""
	if s, is := inner.(value.String); is {
		text = string(s)
	}
	switch ptype {
	case "Default":
		return value.Default{}, nil
	case "Hash":
		return r.pairs(inner)
	case "Float":
		return value.Float(map[string]float64{"NaN": math.NaN(),
			"Infinity": math.Inf(1)}[text] + map[string]float64{"-Infinity": math.Inf(-1)}[text]), nil
	case "Bytes":
		raw, err := base64.StdEncoding.DecodeString(text)
		return value.String(raw), err
	case "Sensitive":
		x, err := r.value(inner)
		return &value.Sensitive{Value: x}, err
	case "Regexp":
		return value.NewRegexp(text)
	case "Binary":
		raw, err := base64.StdEncoding.DecodeString(text)
		return value.Binary(raw), err
	case "Timestamp":
		n, _ := inner.(value.Int)
		return value.Timestamp{}.Add(value.Timespan(n)), nil
	case "Timespan":
		n, _ := inner.(value.Int)
		return value.Timespan(n), nil
	case "SemVer":
		return value.ParseSemVer(text)
	case "SemVerRange":
		return value.ParseSemVerRange(text)
	case "URI":
		return value.ParseURI(text)
	case "Type":
		return r.parseType(text)
	case "Reference":
		a, is := inner.(*value.Array)
		if !is || a.Len() != 2 {
			return nil, errors.New("a reference without type or title")
		}
		typ, title := value.ToString(a.Elems[0]), value.ToString(a.Elems[1])
		if typ == "Class" {
			return &types.Class{Of: strings.ToLower(title)}, nil
		}
		return types.Ref(typ, title), nil
	case "Deferred":
		args, err := r.value(h.At("arguments"))
		list, _ := args.(*value.Array)
		return &value.Deferred{Name: value.ToString(h.At("name")), Args: list}, err
	case "BigInteger":
		end := "max"
		if strings.HasPrefix(text, "-") {
			end = "min"
		}
		return nil, fmt.Errorf("Use of a Ruby Integer outside of Puppet Integer %s range, got '%s'", end, text)
	case "Ruby":
		return &value.Opaque{Why: fmt.Sprintf("%s gives a Ruby object of class %s", r.function, text)}, nil
	}
	return nil, fmt.Errorf("a value of an unknown kind, %s", ptype)
}

func (r reader) pairs(inner value.Value) (value.Value, error) {
	a, is := inner.(*value.Array)
	if !is || a.Len()%2 != 0 {
		return nil, errors.New("a hash without pairs")
	}
	b := value.NewHashBuilder(a.Len() / 2)
	for i := 0; i < a.Len(); i += 2 {
		k, err := r.value(a.Elems[i])
		if err != nil {
			return nil, err
		}
		v, err := r.value(a.Elems[i+1])
		if err != nil {
			return nil, err
		}
		b.Set(k, v)
	}
	return b.Hash(), nil
}
