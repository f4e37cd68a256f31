package template

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/ruby"
	"bunraku/puppet/value"
	"bunraku/source"
)

// scopeObject is the scope that a template's code can ask.
func (w *wrapper) scopeObject() ruby.Object {
	if w.scope == nil {
		w.scope = w.in.NewNative("Puppet::Parser::Scope", w.h.Scope(), w.scopeCall)
	}
	return w.scope
}

func (w *wrapper) scopeCall(in *ruby.Interp, name string, args []ruby.Object, block *ruby.Proc) (ruby.Object, bool) {
	need := func(least, most int) {
		if len(args) < least || len(args) > most {
			want := fmt.Sprint(least)
			if most != least {
				want = fmt.Sprintf("%d..%d", least, most)
			}
			in.Raise("ArgumentError", fmt.Sprintf("wrong number of arguments (given %d, expected %s)", len(args), want))
		}
	}
	if f, ok := strings.CutPrefix(name, "function_"); ok {
		return w.function3(f, args)
	}
	if f, ok := strings.CutPrefix(name, "respond_to? "); ok {
		if f, is := strings.CutPrefix(f, "function_"); is {
			return nil, w.h.HasFunction3(f)
		}
		switch f {
		case "[]", "lookupvar", "to_hash", "include?", "exist?", "call_function", "setvar", "catalog", "compiler":
			return nil, true
		}
		return nil, false
	}
	switch name {
	case "[]", "lookupvar":
		need(1, 2)
		return w.lookup(args[0]), true
	case "[]=", "setvar":
		need(2, 3)
		n := in.ToS(args[0])
		w.snapshot()
		w.handOver()
		if err := w.h.Set(n, in.Tie(args[1])); err != nil {
			in.Raise("Puppet::ParseError", err.Error())
		}
		if w.set == nil {
			w.set = Objects{}
		}
		w.set[n] = args[1]
		return args[1], true
	case "include?":
		need(1, 1)
		return ruby.Bool(w.known(in.ToS(args[0]))), true
	case "exist?":
		need(1, 1)
		ref, found := w.h.Exists(in.ToS(args[0]))
		in.Read(ref)
		return ruby.Bool(found), true
	case "to_hash":
		need(0, 2)
		if len(args) > 0 && args[0] == ruby.Object(ruby.Bool(false)) {
			in.Unsupported("scope.to_hash(false)")
		}
		return w.variables(len(args) > 1 && args[1] == ruby.Object(ruby.Bool(true))), true
	case "call_function":
		need(2, 2)
		if block != nil {
			in.Unsupported("scope.call_function with a block")
		}
		return w.function(in.ToS(args[0]), in.Splat(args[1]), w.h.Call), true
	case "catalog":
		return w.in.NewNative("Puppet::Resource::Catalog", "#<Puppet::Resource::Catalog>",
			func(in *ruby.Interp, name string, args []ruby.Object, _ *ruby.Proc) (ruby.Object, bool) {
				switch name {
				case "classes":
					return list(w.h.Classes()), true
				case "tags":
					return list(w.h.Tags()), true
				}
				in.Unsupported("catalog." + name + " in a template")
				return nil, false
			}), true
	case "is_a?", "to_s", "inspect", "class", "nil?":
		return nil, false
	case "compiler", "environment", "resource", "source", "parent", "known_resource_types", "find_hostclass",
		"find_definition", "findresource", "lookupdefaults",
		"is_topscope?", "is_nodescope?", "is_classscope?", "bound?", "class_scope", "ephemeral_level", "with_local_scope",
		"find_resource_type", "enclosing_scope", "inherited_scope",
		"parent_module_name", "file", "line", "qualified_scope", "define_settings", "find_global_scope",
		"transform_and_assert_classnames", "newscope":
		in.Unsupported("scope." + name)
	}
	return nil, false
}

// lookup is scope[name].
func (w *wrapper) lookup(name ruby.Object) ruby.Object {
	in := w.in
	if _, isString := name.(*ruby.String); !isString {
		in.Raise("Puppet::ParseError", fmt.Sprintf("Scope variable name %s is a %s, not a string", in.InspectOf(name),
			in.ClassName(name)))
	}
	n, _ := ruby.Text(name)
	if o, ok := w.set[n]; ok {
		return o
	}
	v, ref, found := w.h.Variable(strings.TrimPrefix(n, "::"))
	if strings.HasPrefix(n, "::") {
		v, ref, found = w.h.Variable(n)
	}
	in.Read(ref)
	if !found {
		if err := w.h.Unknown(n); err != nil {
			w.matters(err)
			in.Raise("ArgumentError", err.Error())
		}
		return ruby.Nil{}
	}
	return w.value(strings.TrimPrefix(n, "::"), v, ref)
}

// function3 is scope.function_name([args]).
func (w *wrapper) function3(name string, args []ruby.Object) (ruby.Object, bool) {
	if !w.h.HasFunction3(name) {
		w.about = []source.Subject{{Kind: source.MissingFunction, Name: name}}
		return nil, false
	}
	list, ok := []ruby.Object(nil), false
	if len(args) == 1 {
		list, ok = ruby.Elements(args[0])
	}
	if !ok {
		w.in.Raise("ArgumentError",
			"custom functions must be called with a single array that contains the arguments. For example, "+
				"function_example([1]) instead of function_example(1)")
	}
	return w.function(name, list, w.h.Call3), true
}

func (w *wrapper) function(name string, args []ruby.Object, call func(string, []value.Value) (value.Value,
	provenance.Ref, error)) ruby.Object {
	refresh := w.handOver()
	vals := make([]value.Value, len(args))
	for i, a := range args {
		vals[i] = w.in.Tie(a)
	}
	w.snapshot() // it may declare variables
	v, ref, err := call(name, vals)
	refresh()
	w.in.Read(ref)
	if err != nil {
		if NeedsRuby(err) {
			w.in.Unsupported("the function " + name)
		}
		class := "Puppet::ParseError"
		if errors.Is(err, eval.ErrUnknownFunction) {
			class = "ArgumentError"
		}
		w.matters(err)
		w.in.Raise(class, err.Error())
	}
	return w.in.FromValue(v, ref)
}

// matters keeps what an error is about that the template raises.
func (w *wrapper) matters(err error) {
	var matter *source.Matter
	if errors.As(err, &matter) {
		w.about = matter.About
	}
}
