package stdlib

import (
	"errors"
	"hash/crc32"
	"strconv"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// A writer makes a text of data.
type writer func(c *eval.Call, data value.Value) (string, error)

const prettyOptions = "Struct[{indent => Optional[String], space => Optional[String], space_before => " +
	"Optional[String], object_nl => Optional[String], " +
	"array_nl => Optional[String], allow_nan => Optional[Boolean], max_nesting => Optional[Integer[-1,default]]}]"

// serializers write data in other notations. Since 9.x those below stdlib:: look into Sensitive and answer with a
// Sensitive.
func serializers(prefix string, nine bool) []*eval.Function {
	make1 := func(name, doc, signature string, names []string, write writer, wraps bool) *eval.Function {
		return new4(prefix+name, doc, eval.Pure, signature, names, func(c *eval.Call) (value.Value, error) {
			data, secret := c.Args[0], false
			if nine && wraps {
				data, secret = unwrapped(data)
			}
			s, err := write(c, data)
			var odd errNotPlain
			if errors.As(err, &odd) {
				return &value.Opaque{Why: c.Name + "(): " + odd.Error()}, nil
			}
			if err != nil {
				return nil, err
			}
			if secret {
				return &value.Sensitive{Value: value.String(s)}, nil
			}
			return value.String(s), nil
		})
	}
	returns := "String"
	if nine {
		returns = "Variant[String, Sensitive[String]]"
	}
	return []*eval.Function{
		make1("to_json", "Writes data as JSON.", "Callable[Any]", []string{"data"}, func(_ *eval.Call, v value.Value) (string,
			error) {
			return jsonText(value.CompactJSON(), v)
		}, true),
		make1("to_json_pretty", "Writes data as JSON for people.", "Callable[Variant[Hash, Array], Optional[Boolean], "+
			prettyOptions+", 1, 3]", []string{"data", "skip_undef", "opts"}, prettily, true),
		make1("to_yaml", "Writes data as YAML.", "Callable[Any, Hash, 1, 2]", []string{"data", "options"},
			func(c *eval.Call, v value.Value) (string, error) {
				options, given := c.Arg(1).(*value.Hash)
				if given {
					for _, e := range options.Entries() {
						if _, is := symbolOrString(e.Key); !is {
							return "", noMethod("to_sym", e.Key)
						}
					}
				}
				return yamlText(v, options, c.Eval.Settings().OlderYAML)
			}, true),
		make1("to_toml", "Writes a hash as TOML.", "Callable[[Hash], "+returns+"]", []string{"data"},
			func(_ *eval.Call, v value.Value) (string, error) {
				return tomlText(v.(*value.Hash))
			}, true),
		make1("to_python", "Writes data as a Python literal.", "Callable[Any]", []string{"object"},
			func(_ *eval.Call, v value.Value) (string, error) {
				d, err := plainData(v)
				return python(d), err
			}, false),
		make1("to_ruby", "Writes data as a Ruby literal.", "Callable[Any]", []string{"object"},
			func(_ *eval.Call, v value.Value) (string, error) {
				d, err := plainData(v)
				return rubyText(d), err
			}, false),
	}
}

func prettily(c *eval.Call, v value.Value) (string, error) {
	if value.Truthy(c.Arg(1)) {
		switch d := v.(type) {
		case *value.Array:
			v = keep(d, func(e value.Value) bool { return !value.IsUndef(e) })
		case *value.Hash:
			b := value.NewHashBuilder(d.Len())
			for _, e := range d.Entries() {
				if !value.IsUndef(e.Value) {
					b.SetEntry(e)
				}
			}
			v = b.Hash()
		}
	}
	st := value.PrettyJSON()
	if opts, is := c.Arg(2).(*value.Hash); is {
		for _, o := range []struct {
			name string
			to   *string
		}{{"indent", &st.Indent}, {"space", &st.Space}, {"space_before", &st.SpaceBefore}, {"object_nl", &st.ObjectNL},
			{"array_nl", &st.ArrayNL}} {
			if s, is := opts.At(o.name).(value.String); is {
				*o.to = string(s)
			}
		}
		st.NaN = value.Truthy(opts.At("allow_nan"))
		if n, is := opts.At("max_nesting").(value.Int); is {
			st.Depth = max(int(n), 0)
		}
	}
	s, err := jsonText(st, v)
	return s + "\n", err
}

// plainData is Puppet's ToDataConverter with rich data.
func plainData(v value.Value) (value.Value, error) { return types.ToData(v) }

func python(v value.Value) string {
	switch v := v.(type) {
	case value.Undef:
		return "None"
	case value.Bool:
		if v {
			return "True"
		}
		return "False"
	}
	return nested(v, ": ", python)
}

func rubyText(v value.Value) string { return nested(v, " => ", rubyText) }

func nested(v value.Value, arrow string, one func(value.Value) string) string {
	switch v := v.(type) {
	case *value.Array:
		parts := make([]string, v.Len())
		for i, e := range v.Elems {
			parts[i] = one(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *value.Hash:
		parts := make([]string, v.Len())
		for i, e := range v.Entries() {
			parts[i] = one(e.Key) + arrow + one(e.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case *types.Resource, *types.Class:
		return inspect(value.String(plainReference(v)))
	}
	return inspect(v)
}

// plainReference is a reference as a catalog has it.
func plainReference(v value.Value) string {
	switch v := v.(type) {
	case *types.Resource:
		if v.HasTitle {
			return value.CapitalizeSegments(v.Type) + "[" + v.Title + "]"
		}
	case *types.Class:
		if v.Of != "" {
			return "Class[" + value.CapitalizeSegments(v.Of) + "]"
		}
	}
	return value.ToString(v)
}

// unwrapped is a value without any Sensitive in it, and whether there was one.
func unwrapped(v value.Value) (value.Value, bool) {
	switch v := v.(type) {
	case *value.Sensitive:
		inner, _ := unwrapped(v.Value)
		return inner, true
	case *value.Array:
		b, secret := value.NewArrayBuilder(v.Len()), false
		for i, e := range v.Elems {
			x, s := unwrapped(e)
			secret = secret || s
			b.AddRef(x, v.Ref(i))
		}
		return b.Array(), secret
	case *value.Hash:
		b, secret := value.NewHashBuilder(v.Len()), false
		for _, e := range v.Entries() {
			if k, is := e.Key.(*value.Sensitive); is {
				e.Key, secret = k.Value, true
			}
			x, s := unwrapped(e.Value)
			e.Value, secret = x, secret || s
			b.SetEntry(e)
		}
		return b.Hash(), secret
	}
	return v, false
}

// rewrap is stdlib::rewrap_sensitive_data.
func rewrap() *eval.Function {
	return new4("stdlib::rewrap_sensitive_data",
		"Takes a value, or what a block makes of it, out of every Sensitive in it and wraps the whole instead.", eval.Pure,
		"Callable[[Any, Optional[Callable[Any]]], Any]", []string{"data"}, func(c *eval.Call) (value.Value, error) {
			v, secret := unwrapped(c.Args[0])
			if c.Block != nil {
				var err error
				if v, err = c.Block.Call([]value.Value{v}, nil); err != nil {
					return nil, err
				}
			}
			if secret {
				return &value.Sensitive{Value: v}, nil
			}
			return v, nil
		})
}

// sums are the check sums of 9.x.
func sums() []*eval.Function {
	const signature = "Callable[[Variant[ScalarData, Sensitive[ScalarData], Binary, Sensitive[Binary]]], String]"
	sum := func(name, doc string, sum func(string) string) *eval.Function {
		return new4(name, doc, eval.Pure, signature, []string{"my_data"}, func(c *eval.Call) (value.Value, error) {
			v := c.Args[0]
			if s, is := v.(*value.Sensitive); is {
				v = s.Value
			}
			return value.String(sum(functions.RubyString(v))), nil
		})
	}
	return []*eval.Function{
		sum("stdlib::crc32", "The CRC-32 of a value's text, in hexadecimal.", func(s string) string {
			return strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(s))), 16)
		}),
		sum("stdlib::sha256", "The SHA-256 sum of a value's text, in hexadecimal.", sha256Hex),
	}
}
