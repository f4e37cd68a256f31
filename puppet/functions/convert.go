package functions

import (
	"errors"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/outline"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// typeFunctions ask for and change the types of values, and call functions by name.
func typeFunctions() []*eval.Function {
	fidelity := func(signature string, names []string, of func(value.Value) value.Type) eval.Dispatch {
		return eval.Dispatch{Signature: signature, Names: names,
			Run: func(c *eval.Call) (value.Value, error) { return of(c.Args[0]), nil }}
	}
	vm := []string{"value", "inference_method"}
	return []*eval.Function{
		{Name: "type", Doc: "The type of a value: detailed, reduced to common types, or generalized.",
			Dispatches: []eval.Dispatch{
				fidelity("Callable[Any, Enum['detailed'], 1, 2]", vm, func(v value.Value) value.Type { return types.InferSet(v) }),
				fidelity("Callable[Any, Enum['reduced']]", vm, func(v value.Value) value.Type { return types.Infer(v) }),
				fidelity("Callable[Any, Enum['generalized']]", vm,
					func(v value.Value) value.Type { return types.Generalize(types.Infer(v)) }),
			}},
		{Name: "assert_type",
			Doc:  "Gives back a value that is of a type. For another the compile fails, or a block makes a replacement.",
			Flow: eval.Observer, Dispatches: []eval.Dispatch{
				{Signature: "Callable[Type, Any, Optional[Callable[Type, Type]]]", Names: []string{"type", "value"},
					Run: func(c *eval.Call) (value.Value, error) {
						return assertType(c, c.Args[0].(value.Type))
					}},
				{Signature: "Callable[String, Any, Optional[Callable[Type, Type]]]", Names: []string{"type_string", "value"},
					Run: func(c *eval.Call) (value.Value, error) {
						t, err := c.Eval.ParseType(string(c.Args[0].(value.String)))
						if err != nil {
							return nil, err
						}
						return assertType(c, t)
					}},
			}},
		{Name: "new", Doc: "Makes an instance of a type, converting what it is given.", Dispatches: []eval.Dispatch{
			{Signature: "Callable[Type, Any, 1, Optional[Callable]]", Names: []string{"type", "args"},
				Run: func(c *eval.Call) (value.Value, error) {
					t, args := c.Args[0].(value.Type), c.Args[1:]
					v, err := convert(c, t, args)
					if err != nil || c.Block == nil {
						return v, err
					}
					if _, init := t.(*types.Init); len(args) == 1 && !init && c.Judge().IsInstance(t, args[0]) {
						return v, nil // what is an instance already is given back without a look at the block
					}
					return yieldOne(c, v)
				}},
		}},
		{Name: "convert_to", Doc: "Converts a value to a type, as new does with the arguments the other way round.",
			Dispatches: []eval.Dispatch{
				{Signature: "Callable[Any, Type, Any, 2, Optional[Callable[1, 1]]]", Names: []string{"value", "type", "args"},
					Run: func(c *eval.Call) (value.Value, error) {
						v, err := convert(c, c.Args[1].(value.Type), append([]value.Value{c.Args[0]}, c.Args[2:]...))
						if err != nil || c.Block == nil {
							return v, err
						}
						return yieldOne(c, v)
					}},
			}},
		{Name: "unwrap", Doc: "What a Sensitive hides; with a block, the block gets to see it.", Flow: eval.Observer,
			Dispatches: []eval.Dispatch{
				{Signature: "Callable[Sensitive, Optional[Callable]]", Names: []string{"arg"}, Run: unwrap},
				{Signature: "Callable[Any, Optional[Callable]]", Names: []string{"arg"}, Run: unwrap},
			}},
		{Name: "call", Doc: "Calls a function by name, or makes the call that a Deferred describes.", Flow: eval.Observer,
			Does: outline.Calls, Seeks: true, Dispatches: []eval.Dispatch{
				{Signature: "Callable[String, Any, 1, Optional[Callable]]", Names: []string{"function_name", "arguments"},
					Run: func(c *eval.Call) (value.Value, error) {
						return byName(c, c.Scope, string(c.Args[0].(value.String)), c.Args[1:], c.Refs[min(1, len(c.Refs)):], c.Block)
					}},
				{Signature: "Callable[Deferred]", Names: []string{"deferred"}, Run: func(c *eval.Call) (value.Value, error) {
					c.Ref = wholly(c, 0)
					return resolve(c, c.Args[0])
				}},
			}},
		withLocals("annotate",
			"Annotates a value with an instance of a subtype of Annotation. Bunraku has no annotations and says so.",
			eval.Observer,
			[]local{{name: "Annotation"}, {name: "Pcore"}, {name: "Pcore::MemberName"}},
			form{signature: "Callable[Type[Annotation], Any, Optional[Callable[0, 0]]]", names: []string{"type", "value"},
				run: unannotated},
			form{signature: "Callable[Type[Annotation], Any, Variant[Enum['clear'], Hash[Pcore::MemberName, Any]]]",
				names: []string{"type", "value", "annotation_hash"}, run: unannotated},
			form{signature: "Callable[Type[Pcore], Any, Hash[Type[Annotation], Hash[Pcore::MemberName, Any]]]",
				names: []string{"type", "value", "annotations"}, run: unannotated},
		),
	}
}

func unannotated(*eval.Call) (value.Value, error) {
	return &value.Opaque{Why: "annotate(): annotations of Pcore objects are not supported"}, nil
}

// yieldOne gives a made value to the block.
func yieldOne(c *eval.Call, v value.Value) (value.Value, error) {
	v, err := c.Block.Call([]value.Value{v}, refs(c, computed(c, everything(c))))
	c.Ref = c.Block.LastRef()
	return v, err
}

func convert(c *eval.Call, t value.Type, args []value.Value) (value.Value, error) {
	v, err := c.Eval.Converter().New(t, args...)
	if _, is := t.(*types.Type); is && err != nil && strings.HasPrefix(err.Error(), "Syntax error") {
		c.Fail("E0630", err.Error()) // Puppet lets the parser's errors through as they are
	}
	return v, err
}

func assertType(c *eval.Call, t value.Type) (value.Value, error) {
	v := c.Args[1]
	c.Ref = c.Trace().With(c.ArgRef(1), c.ArgRef(0))
	if c.Judge().IsInstance(t, v) {
		return v, nil
	}
	actual := types.InferSet(v)
	if c.Block == nil {
		return nil, errors.New(c.Judge().DescribeMismatch("assert_type():", t, actual))
	}
	v, err := c.Block.Call([]value.Value{t, actual}, refs(c, c.ArgRef(0), wholly(c, 1)))
	c.Ref = c.Trace().With(c.Block.LastRef(), wholly(c, 1))
	return v, err
}

func unwrap(c *eval.Call) (value.Value, error) {
	v := c.Args[0]
	if s, is := v.(*value.Sensitive); is {
		c.Unwrapped(s)
		v = s.Value
	}
	if c.Block == nil {
		c.Ref = c.ArgRef(0)
		return v, nil
	}
	v, err := c.Block.Call([]value.Value{v}, refs(c, c.ArgRef(0)))
	c.Ref = c.Block.LastRef()
	return v, err
}

// resolve makes the calls that Deferred values describe, inner ones first.
func resolve(c *eval.Call, v value.Value) (value.Value, error) {
	switch v := v.(type) {
	case *value.Array:
		out := value.NewArrayBuilder(v.Len())
		for i, e := range v.Elems {
			x, err := resolve(c, e)
			if err != nil {
				return nil, err
			}
			out.AddRef(x, v.Ref(i))
		}
		return out.Array(), nil
	case *value.Hash:
		out := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			x, err := resolve(c, e.Value)
			if err != nil {
				return nil, err
			}
			e.Value = x
			out.SetEntry(e)
		}
		return out.Hash(), nil
	case *value.Sensitive:
		x, err := resolve(c, v.Value)
		if err != nil {
			return nil, err
		}
		return &value.Sensitive{Value: x}, nil
	case *value.Deferred:
		name, args := v.Name, []value.Value(nil)
		if strings.HasPrefix(name, "$") {
			x, _, _ := c.Eval.Top().Variable(name[1:])
			name, args = "dig", append(args, value.OrUndef(x))
		}
		if v.Args != nil {
			list, err := resolve(c, v.Args)
			if err != nil {
				return nil, err
			}
			args = append(args, list.(*value.Array).Elems...)
		}
		var refs []provenance.Ref
		if c.Trace() != nil { // each argument may be anything of what the Deferred was made of
			refs = slices.Repeat([]provenance.Ref{wholly(c, 0)}, len(args))
		}
		before := c.Ref
		x, err := byName(c, c.Eval.Top(), name, args, refs, nil)
		c.Ref = c.Trace().With(c.Ref, before)
		return x, err
	}
	return v, nil
}

// byName calls a function that an argument names. What it gives comes from where it says, and from the name.
func byName(c *eval.Call, sc *eval.Scope, name string, args []value.Value, refs []provenance.Ref,
	block *eval.Lambda) (value.Value, error) {
	v, ref, err := c.Eval.CallTraced(sc, name, args, refs, block, c.Place)
	c.Ref = c.Trace().With(ref, c.ArgRef(0))
	return v, err
}

func digSignature() types.Signature {
	return types.Signature{Type: types.MustParse("Callable[Optional[Collection], Any, 1]").(*types.Callable),
		Names: []string{"data", "arg"}}
}
