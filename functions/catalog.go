package functions

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/eval"
	"bunraku/types"
	"bunraku/value"
)

// catalogFunctions declare classes and resources, or ask what has been declared.
func catalogFunctions() []*eval.Function {
	classes := func(name, doc string, then func(*eval.Call, []*eval.Resource)) *eval.Function {
		return &eval.Function{Name: name, Doc: doc, Flow: eval.Effect, Dispatches: []eval.Dispatch{{
			Signature: "Callable[Any, 1]", Names: []string{"names"},
			Run: func(c *eval.Call) (value.Value, error) {
				names, err := c.ClassNames(c.Args)
				if err != nil {
					return nil, err
				}
				rs, err := c.Include(names)
				if err != nil {
					return nil, err
				}
				if then != nil {
					then(c, rs)
				}
				return eval.ClassRefs(names), nil
			},
		}}}
	}
	return []*eval.Function{
		classes("include", "Declares classes, each once, and evaluates them here.", nil),
		classes("contain", "Declares classes and keeps them within the class or define that calls it.", (*eval.Call).Contain),
		classes("require", "Declares classes and makes the class or define that calls it require them.", (*eval.Call).Require),
		{Name: "realize", Doc: "Makes virtual resources real.", Flow: eval.Effect, Raw: realize},
		{Name: "create_resources", Doc: "Declares resources from a hash of title to attributes.", Flow: eval.Effect, Raw: createResources},
		{Name: "tag", Doc: "Adds tags to the class or define that calls it, and so to everything in it.", Flow: eval.Effect, Raw: func(c *eval.Call) (value.Value, error) {
			for _, a := range c.Args {
				c.Tag(a)
			}
			return value.Undef{}, nil
		}},
		{Name: "tagged", Doc: "Reports whether the container, or the catalog, has all the tags.", Flow: eval.Reader, Raw: func(c *eval.Call) (value.Value, error) {
			for _, a := range c.Args {
				tag := value.ToString(a)
				r := c.Scope.Resource()
				if !c.Eval.CatalogTagged(tag) && (r == nil || !r.Tagged(tag)) {
					return value.Bool(false), nil
				}
			}
			return value.Bool(true), nil
		}},
		{Name: "defined", Doc: "Reports whether a class, type, function or variable is known, or a resource declared.", Flow: eval.Reader, Dispatches: []eval.Dispatch{{
			Signature: "Callable[Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]], 1]", Names: []string{"vals"}, Run: defined,
		}}},
	}
}

func realize(c *eval.Call) (value.Value, error) {
	if len(c.Args) < 1 {
		return nil, arity("realize", "Expected minimum of 1", len(c.Args))
	}
	c.Realize(c.Args)
	return value.Undef{}, nil
}

func createResources(c *eval.Call) (value.Value, error) {
	if len(c.Args) < 2 {
		return nil, arity("create_resources", "minimum of 2", len(c.Args))
	}
	if len(c.Args) > 3 {
		return nil, fmt.Errorf("create_resources(): wrong number of arguments (%d; must be 2 or 3)", len(c.Args))
	}
	instances, ok := c.Args[1].(*value.Hash)
	if !ok {
		return nil, errors.New("create_resources(): second argument must be a hash")
	}
	defaults := value.EmptyHash
	if len(c.Args) == 3 {
		if defaults, ok = c.Args[2].(*value.Hash); !ok {
			return nil, errors.New("create_resources(): third argument, if provided, must be a hash")
		}
	}
	typeName := value.Downcase(value.ToString(c.Args[0]))
	if name := strings.TrimLeft(typeName, "@"); name == "class" && name != typeName {
		return nil, errors.New("Classes are not virtualizable")
	}
	spine := c.Trace().Join(c.Refs...)
	out := value.NewArrayBuilder(instances.Len())
	for _, e := range instances.Entries() {
		params, ok := e.Value.(*value.Hash)
		if !ok {
			return nil, fmt.Errorf("no implicit conversion of %s into Hash", rubyClass(e.Value))
		}
		merged := defaults.From(params.Len())
		for _, p := range params.Entries() {
			merged.SetEntry(p)
		}
		titles := []value.Value{e.Key}
		if a, ok := e.Key.(*value.Array); ok {
			titles = a.Elems
		}
		for _, t := range titles {
			r, err := c.Declare(typeName, value.ToString(t), merged.Hash(), c.Trace().Join(e.KeyRef, e.Ref, spine))
			if err != nil {
				return nil, err
			}
			out.Add(types.Ref(r.Type, r.Title))
		}
	}
	return out.Array(), nil
}

// defined: a class or type by name, a resource by reference, a variable by $name, a function by name.
func defined(c *eval.Call) (value.Value, error) {
	for _, a := range c.Args {
		if definedOne(c, a) {
			return value.Bool(true), nil
		}
	}
	return value.Bool(false), nil
}

func definedOne(c *eval.Call, a value.Value) bool {
	ev := c.Eval
	switch a := a.(type) {
	case value.String:
		s := string(a)
		if rest, ok := strings.CutPrefix(s, "$"); ok {
			_, _, found := c.Scope.Variable(rest)
			return found
		}
		if s == "" || s == "main" {
			return true
		}
		return ev.KnownType(s) || ev.KnownClass(s)
	case *types.Resource:
		switch {
		case a.Type == "":
			return false
		case !a.HasTitle:
			return ev.KnownType(a.Type)
		}
		return ev.Find(a.Type, a.Title) != nil
	case *types.Class:
		return a.Of != "" && ev.Find("Class", a.Of) != nil
	case *types.Type:
		switch t := a.T.(type) {
		case *types.Resource:
			return t.Type != "" && !t.HasTitle && ev.KnownType(t.Type)
		case *types.Class:
			return t.Of != "" && ev.KnownClass(t.Of)
		}
	}
	return false
}

// arity is the error of a 3.x function that got too few or too many arguments.
func arity(name, want string, got int) error {
	return fmt.Errorf("%s(): Wrong number of arguments given (%d for %s)", name, got, want)
}

// rubyClass is what Ruby calls the class of a value, for messages that show it.
func rubyClass(v value.Value) string {
	switch v.(type) {
	case nil, value.Undef:
		return "nil"
	case value.Bool:
		if v == value.Bool(true) {
			return "true"
		}
		return "false"
	case value.Int:
		return "Integer"
	case value.Float:
		return "Float"
	case value.String:
		return "String"
	case *value.Array:
		return "Array"
	case *value.Hash:
		return "Hash"
	}
	return "Object"
}
