package functions

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/outline"
	"bunraku/puppet/value"
	"bunraku/source"
)

// lookupFunctions ask Hiera.
func lookupFunctions() []*eval.Function {
	out := []*eval.Function{
		lookupFunction(),
		hiera("hiera", "The value of a key in Hiera; lookup does the same and more.", "first", nil),
		hiera("hiera_array", "All values of a key in Hiera, as one flat array.", "unique", nil),
		hiera("hiera_hash", "All hashes that Hiera has for a key, merged.", "hash", nil),
		does(outline.DeclaresAny, hiera("hiera_include", "Includes the classes that Hiera has for a key.", "unique",
			includeFound)),
	}
	for _, name := range []string{"yaml_data", "json_data", "hocon_data"} {
		out = append(out, provider(name, "Callable[Struct[{'path' => String[1]}], Puppet::LookupContext]",
			[]string{"options", "context"}))
	}
	return append(out, provider("eyaml_lookup_key", "Callable[String[1], Hash[String[1], Any], Puppet::LookupContext]",
		[]string{"key", "options", "context"}))
}

// provider is a function that only Hiera calls. A program has no context to give it, so that every call of it is a
// mismatch.
func provider(name, signature string, names []string) *eval.Function {
	return withLocals(name, "Reads data for Hiera, which alone can call it.", eval.Observer,
		[]local{{name: "Puppet::LookupContext"}},
		form{signature: signature, names: names, run: func(*eval.Call) (value.Value, error) {
			return &value.Opaque{Why: name + "() can only be called by Hiera"}, nil
		}},
	)
}

// A question is one call of lookup, in whichever form.
type question struct {
	names              []string
	given              value.Value // the names as they were given: a block gets them so
	typ                value.Type
	merge              value.Value
	otherwise          value.Value // nil for no default
	otherwiseRef       provenance.Ref
	override, defaults *value.Hash
	unknown            map[int]*value.Opaque // names that are not known, by their place
	unsure             *value.Opaque         // an option that is not known; nil if all are
}

func lookupFunction() *eval.Function {
	const options = `value_type => Optional[ValueType], default_value => Optional[DefaultValueType], override => Optional[Hash[String,Any]], ` +
		`default_values_hash => Optional[Hash[String,Any]], merge => Optional[MergeType]`
	plain := []string{"name", "value_type", "merge"}
	return seeking(withLocals("lookup",
		"The value of a key in Hiera, with defaults, a type it must have, and a way to merge.", eval.Observer,
		[]local{
			{"NameType", "Variant[String, Array[String]]"},
			{"ValueType", "Type"},
			{"DefaultValueType", "Any"},
			{"MergeType", "Variant[String[1], Hash[String, Scalar]]"},
			{"BlockType", "Callable[NameType]"},
			{"OptionsWithName", "Struct[{name => NameType, " + options + "}]"},
			{"OptionsWithoutName", "Struct[{" + options + "}]"},
		},
		form{signature: "Callable[NameType, ValueType, MergeType, 1, 3]", names: plain, run: lookupArgs},
		form{signature: "Callable[NameType, Optional[ValueType], Optional[MergeType], DefaultValueType]",
			names: append(plain, "default_value"), run: lookupArgs},
		form{signature: "Callable[NameType, ValueType, MergeType, 1, 3, BlockType]", names: plain, run: lookupArgs},
		form{signature: "Callable[OptionsWithName, Optional[BlockType]]", names: []string{"options_hash"},
			run: func(c *eval.Call) (value.Value, error) {
				h := c.Args[0].(*value.Hash)
				return ask(c, optioned(h, h.At("name")))
			}},
		form{signature: "Callable[Variant[String, Array[String]], OptionsWithoutName, Optional[BlockType]]",
			names: []string{"name", "options_hash"}, run: func(c *eval.Call) (value.Value, error) {
				return ask(c, optioned(c.Args[1].(*value.Hash), c.Args[0]))
			}},
	))
}

func lookupArgs(c *eval.Call) (value.Value, error) {
	q := named(c.Args[0])
	q.typ, _ = c.Arg(1).(value.Type)
	if m := c.Arg(2); !value.IsUndef(m) {
		q.merge = m
	}
	if len(c.Args) > 3 {
		q.otherwise, q.otherwiseRef = c.Args[3], c.ArgRef(3)
	}
	return ask(c, q)
}

func named(names value.Value) question {
	q := question{given: names, override: value.EmptyHash, defaults: value.EmptyHash}
	switch n := names.(type) {
	case value.String:
		q.names = []string{string(n)}
	case *value.Array:
		for i, e := range n.Elems {
			q.names = append(q.names, value.ToString(e))
			if o, is := e.(*value.Opaque); is {
				if q.unknown == nil {
					q.unknown = map[int]*value.Opaque{}
				}
				q.unknown[i] = o
			}
		}
	}
	return q
}

func optioned(h *value.Hash, names value.Value) question {
	q := named(names)
	q.typ, _ = h.At("value_type").(value.Type)
	if m := h.At("merge"); !value.IsUndef(m) {
		q.merge = m
	}
	if e := h.EntryString("default_value"); e != nil {
		q.otherwise, q.otherwiseRef = e.Value, e.Ref
	}
	for _, part := range []string{"override", "default_values_hash", "merge", "value_type"} {
		if o, is := h.At(part).(*value.Opaque); is {
			q.unsure = o
		}
	}
	if o, is := h.At("override").(*value.Hash); is {
		q.override = o
	}
	if o, is := h.At("default_values_hash").(*value.Hash); is {
		q.defaults = o
	}
	return q
}

// check is an error unless the value has the type that the caller asked for.
func (q question) check(c *eval.Call, subject string, v value.Value) error {
	if q.typ == nil {
		return nil
	}
	return c.Judge().AssertInstance(subject, q.typ, v)
}

// ask goes through overrides, Hiera, default values, block and default, in that order.
func ask(c *eval.Call, q question) (value.Value, error) {
	why := []provenance.Ref{everything(c)}
	if q.unsure != nil {
		return q.unsure, nil
	}
	for i, name := range q.names {
		if o := q.unknown[i]; o != nil { // whether it has a value, and which
			return o, nil
		}
		if e := q.override.EntryString(name); e != nil {
			c.Ref = c.Trace().With(e.Ref, why...)
			return e.Value, q.check(c, fmt.Sprintf("Value found for key '%s' in override hash", name), e.Value)
		}
		a, err := c.Lookup(name, eval.LookupOptions{Merge: q.merge, Override: q.override, Defaults: q.defaults})
		if err != nil {
			// What code in Ruby that gives data raised is the error of this call.
			if raised := interface{ RaisedInRuby() bool }(nil); errors.As(err, &raised) && raised.RaisedInRuby() {
				return nil, err
			}
			c.FailLookup("E0601", err)
		}
		if a.Found {
			c.Ref = c.Trace().With(a.Ref, why...)
			c.Eval.IdleDefault(true)
			return a.Value, q.check(c, "Found value", a.Value)
		}
		why = append(why, a.Ref)
	}
	c.Eval.IdleDefault(false)
	for _, name := range q.names {
		if e := q.defaults.EntryString(name); e != nil {
			c.Ref = c.Trace().With(e.Ref, why...)
			return e.Value, q.check(c, fmt.Sprintf("Value found for key '%s' in default values hash", name), e.Value)
		}
	}
	switch {
	case c.Block != nil:
		v, err := c.Block.Call([]value.Value{q.given}, refs(c, c.ArgRef(0)))
		if err != nil {
			return nil, err
		}
		c.Ref = c.Trace().With(c.Block.LastRef(), why...)
		return v, q.check(c, "Value returned from default block", v)
	case q.otherwise != nil:
		c.Ref = c.Trace().With(q.otherwiseRef, why...)
		if o := c.Eval.Elsewhere(q.names[0], q.otherwise); o != nil {
			return o, nil
		}
		return q.otherwise, q.check(c, "Default value", q.otherwise)
	}
	for _, name := range q.names {
		if o := c.Eval.NoData(name); o != nil {
			c.Ref = c.Trace().With(c.ArgRef(0), why...)
			return o, nil
		}
	}
	notFound(c, q.names)
	return nil, nil
}

func notFound(c *eval.Call, names []string) {
	var about []source.Subject
	for _, n := range names {
		about = append(about, source.Subject{Kind: source.MissingKey, Name: n})
	}
	if len(names) == 1 {
		c.FailAround("E0602", "Function lookup() did not find a value for the name '"+names[0]+"'", about...)
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "'" + n + "'"
	}
	c.FailAround("E0602", "Function lookup() did not find a value for any of the names ["+strings.Join(quoted, ", ")+"]",
		about...)
}

// ---- the functions of Hiera 3

func hiera(name, doc, merge string, then func(*eval.Call, string, value.Value) (value.Value, error)) *eval.Function {
	run := func(c *eval.Call, key, otherwise value.Value) (value.Value, error) {
		if c.Eval.Settings().Strict != eval.StrictOff {
			c.Warn("W0611", "The function '"+name+"' is deprecated in favor of using 'lookup'. See "+
				c.Eval.Settings().Language.Docs()+"/deprecated_language.html")
		}
		q := named(key)
		q.merge, q.otherwise, q.otherwiseRef = value.String(merge), otherwise, c.ArgRef(1)
		v, err := ask(c, q)
		if err == nil && then != nil {
			return then(c, q.names[0], v)
		}
		return v, err
	}
	plain := func(c *eval.Call) (value.Value, error) { return run(c, c.Args[0], nil) }
	f := withLocals(name, doc, eval.Observer, nil,
		form{signature: "Callable[Tuple[String, Any, Any, 1, 3]]", names: []string{"args"},
			run: func(*eval.Call) (value.Value, error) {
				return nil, fmt.Errorf("undefined method `hiera' for #<Puppet::Functions::%s>", name) // a slip of Puppet's
			}},
		form{signature: "Callable[String]", names: []string{"key"}, run: plain},
		form{signature: "Callable[String, Any, Any, 2, 3]", names: []string{"key", "default", "override"},
			run: func(c *eval.Call) (value.Value, error) {
				return run(c, c.Args[0], c.Args[1])
			}},
		form{signature: "Callable[String, Callable[1, 1]]", names: []string{"key"}, block: "default_block", run: plain},
		form{signature: "Callable[String, Any, Callable[1, 1]]", names: []string{"key", "override"}, block: "default_block",
			run: plain},
	)
	return seeking(f)
}

func includeFound(c *eval.Call, key string, found value.Value) (value.Value, error) {
	switch v := found.(type) {
	case value.Undef:
		return nil, fmt.Errorf("Could not find data item %s", key)
	case value.String:
		if v == "" {
			return value.Undef{}, nil
		}
	case *value.Array:
		if v.Len() == 0 {
			return value.Undef{}, nil
		}
	case *value.Hash:
		if v.Len() == 0 {
			return value.Undef{}, nil
		}
	case *value.Opaque: // what it has certainly is included
	default:
		return nil, noMethod("empty?", found)
	}
	names, err := c.ClassNames([]value.Value{found})
	if err != nil {
		return nil, err
	}
	if c.Trace() != nil { // which classes there are depends on what was found
		c.Args, c.Refs = append(c.Args[:len(c.Args):len(c.Args)], found), append(c.Refs[:len(c.Refs):len(c.Refs)], c.Ref)
	}
	if _, err := c.Include(names); err != nil {
		return nil, err
	}
	return eval.ClassRefs(names), nil
}
