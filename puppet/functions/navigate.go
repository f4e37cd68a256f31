package functions

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// navigationFunctions read one value out of nested data.
func navigationFunctions() []*eval.Function {
	const variable = `Pattern[/\A(?:::)?(?:[a-z]\w*::)*[a-z_]\w*(?:\.|\Z)/]`
	return []*eval.Function{
		{Name: "dig", Doc: "The value at a path of keys and indexes; undef when the path ends early.", Flow: eval.Observer,
			Dispatches: []eval.Dispatch{
				{Signature: "Callable[Optional[Collection], Any, 1]", Names: []string{"data", "arg"},
					Run: func(c *eval.Call) (value.Value, error) {
						v, r, err := dig(c, c.Args[0], c.ArgRef(0), c.Args[1:], refsFrom(c, 1))
						c.Ref = r
						return v, err
					}},
			}},
		{Name: "get",
			Doc:  "The value at a dotted path in data, or a default; a block may handle a path that does not fit the data.",
			Flow: eval.Observer, Dispatches: []eval.Dispatch{
				{Signature: "Callable[Any, String, Any, 2, 3, Optional[Callable[1, 1]]]", Names: []string{"value", "dotted_string",
					"default_value"}, Run: func(c *eval.Call) (value.Value, error) {
					v, r, err := get(c, c.Args[0], c.ArgRef(0), string(c.Args[1].(value.String)), c.ArgRef(1), c.Arg(2), c.ArgRef(2))
					c.Ref = r
					return v, err
				}},
			}},
		seeking(withLocals("getvar", "The value of a variable by name, or of a dotted path in it, or a default.", eval.Observer,
			nil, form{signature: "Callable[" + variable + ", Any, 1, 2, Optional[Callable[1, 1]]]",
				names: []string{"get_string", "default_value"}, run: getvar},
			form{signature: "Callable[String, Any, 1, 2, Optional[Callable]]", names: []string{"get_string", "default_value"},
				mismatch: func(*eval.Call) string {
					return "The given string does not start with a valid variable name"
				}},
		)),
	}
}

func refsFrom(c *eval.Call, i int) []provenance.Ref {
	if i < len(c.Refs) {
		return c.Refs[i:]
	}
	return nil
}

// digError is data that a path does not fit; get's block may see it.
type digError struct{ data *value.Object }

func (e *digError) Error() string { return value.ToString(e.data.Attrs.At("msg")) }

func newDigError(msg string, walked []value.Value, detail string, t value.Type, code string) error {
	path := value.NewArray(append([]value.Value(nil), walked...)...)
	attrs := value.NewHash(value.String("msg"), value.String(msg), value.String("kind"), value.String("SLICE_ERROR"),
		value.String("details"), value.NewHash(value.String("walked_path"), path, value.String(detail), t),
		value.String("issue_code"), value.String(code))
	return &digError{&value.Object{Type: types.ErrorT, Attrs: attrs, Init: attrs}}
}

// dig follows keys. What it finds is a copy that depends on the containers passed and on the keys.
func dig(c *eval.Call, data value.Value, ref provenance.Ref, keys []value.Value, keyRefs []provenance.Ref) (value.Value,
	provenance.Ref, error) {
	tr := c.Trace()
	why, last := []provenance.Ref{ref}, ref // the last is the value itself, when it is found
	for i, k := range keys {
		if i < len(keyRefs) {
			why = append(why, keyRefs[i])
		}
		if value.IsUndef(data) || value.IsUndef(k) {
			return value.Undef{}, tr.Join(why...), nil
		}
		walked := keys[:i+1]
		switch d := data.(type) {
		case *value.Array:
			n, is := k.(value.Int)
			if !is {
				t := types.Infer(k)
				return nil, 0, newDigError(fmt.Sprintf("The given data requires an Integer index at %s, got '%s'",
					rubyInspect(value.NewArray(walked...)), t),
					walked, "index_type", t, "EXPECTED_INTEGER_INDEX")
			}
			if n < 0 {
				n += value.Int(d.Len())
			}
			data, last = value.Undef{}, 0
			if n >= 0 && n < value.Int(d.Len()) {
				data, last = d.Elems[n], d.Ref(int(n))
				why = append(why, last)
			}
		case *value.Hash:
			if e := d.Entry(k); e != nil {
				data, last = e.Value, c.Eval.Found(d, e)
				why = append(why, last)
			} else {
				why = c.Eval.Missed(d, last, k, why)
				data, last = value.Undef{}, 0
			}
		default:
			t := types.Infer(data)
			return nil, 0, newDigError(fmt.Sprintf("The given data does not contain a Collection at %s, got '%s'",
				rubyInspect(value.NewArray(keys[:i]...)), t),
				keys[:i], "value_type", t, "EXPECTED_COLLECTION")
		}
	}
	return data, tr.With(last, why...), nil
}

func get(c *eval.Call, data value.Value, ref provenance.Ref, path string, pathRef provenance.Ref, otherwise value.Value,
	otherwiseRef provenance.Ref) (value.Value, provenance.Ref, error) {
	tr := c.Trace()
	if value.IsUndef(data) {
		return otherwise, tr.With(otherwiseRef, ref), nil
	}
	if path == "" {
		return data, tr.With(ref, pathRef), nil
	}
	keys, ok := pathKeys("x." + path)
	if !ok {
		return nil, 0, errors.New("Syntax error in dotted-navigation string")
	}
	keys = keys[1:]
	switch data.(type) {
	case *value.Array, *value.Hash:
	default:
		return nil, 0, errors.New(types.DescribeSignatures("dig", []types.Signature{digSignature()},
			append([]value.Value{data}, keys...), nil))
	}
	v, r, err := dig(c, data, ref, keys, nil)
	r = tr.With(r, pathRef)
	var bad *digError
	if errors.As(err, &bad) && c.Block != nil {
		v, err = c.Block.Call([]value.Value{bad.data}, refs(c, tr.Join(ref, pathRef)))
		return v, c.Block.LastRef(), err
	}
	if err == nil && value.IsUndef(v) {
		return otherwise, tr.With(otherwiseRef, r), nil
	}
	return v, r, err
}

var (
	pathSegment  = regexp.MustCompile(`(\s*"[^"]+"\s*|\s*'[^']+'\s*|[^'".]+)`)
	indexSegment = regexp.MustCompile(`(?m)^(:?[+-]?[0-9]+)$`)
	variableName = regexp.MustCompile(`^((::)?(\w+::)*\w+)(.*)$`)
)

// pathKeys splits a dotted path: names, quoted names, and numbers between dots.
func pathKeys(path string) (keys []value.Value, ok bool) {
	var parts []string
	at := 0
	for _, loc := range pathSegment.FindAllStringIndex(path, -1) {
		parts = append(parts, path[at:loc[0]], path[loc[0]:loc[1]])
		at = loc[1]
	}
	parts = append(parts, path[at:])
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	if len(parts) < 2 || parts[0] != "" {
		return nil, false
	}
	for _, p := range parts[1:] {
		if p == "." {
			continue
		}
		p = value.Strip(p)
		switch {
		case strings.HasPrefix(p, `"`) || strings.HasPrefix(p, "'"):
			keys = append(keys, value.String(p[1:max(1, len(p)-1)]))
		case indexSegment.MatchString(p):
			n := leadingInt(p)
			if !n.IsInt64() {
				n = big.NewInt(0)
			}
			keys = append(keys, value.Int(n.Int64()))
		default:
			keys = append(keys, value.String(p))
		}
	}
	return keys, len(keys)*2 == len(parts)
}

func getvar(c *eval.Call) (value.Value, error) {
	m := variableName.FindStringSubmatch(string(c.Args[0].(value.String)))
	if m == nil {
		return nil, noMethod("[]", value.Undef{})
	}
	path := m[4]
	if path != "" {
		if path[0] != '.' {
			first := path[:charLen(path, 0)]
			return nil, fmt.Errorf("First character after var name in get string must be a '.' - got %s", first)
		}
		path = path[1:]
	}
	v, ref, found := c.Scope.Variable(strings.TrimPrefix(m[1], "::"))
	ref = c.Trace().With(ref, c.ArgRef(0))
	if !found {
		v = value.Undef{}
	}
	v, r, err := get(c, v, ref, path, 0, c.Arg(1), c.ArgRef(1))
	c.Ref = r
	return v, err
}
