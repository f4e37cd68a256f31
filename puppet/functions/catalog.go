package functions

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/outline"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// catalogFunctions declare classes and resources, or ask what has been declared.
func catalogFunctions() []*eval.Function {
	classes := func(name, doc string, does outline.Effect, then func(*eval.Call, []*eval.Resource)) *eval.Function {
		return &eval.Function{Name: name, Doc: doc, Flow: eval.Effect, Does: outline.Includes | does,
			Dispatches: []eval.Dispatch{{
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
					c.Ref = computed(c, everything(c))
					list := eval.ClassRefs(names)
					if c.Ref != 0 {
						list.Refs = repeat(c.Ref, len(names))
					}
					return list, nil
				},
			}}}
	}
	return []*eval.Function{
		classes("include", "Declares classes, each once, and evaluates them here.", 0, nil),
		classes("contain", "Declares classes and keeps them within the class or define that calls it.", outline.Contains,
			(*eval.Call).Contain),
		classes("require", "Declares classes and makes the class or define that calls it require them.", outline.Requires,
			(*eval.Call).Require),
		does(outline.Realizes, legacy("realize", "Makes virtual resources real.", eval.Effect, -2,
			func(c *eval.Call) (value.Value, error) {
				refs := make([]value.Value, 0, len(c.Args))
				for _, a := range value.Flatten(value.NewArray(c.Args...)).Elems {
					refs = append(refs, restore(a))
				}
				c.Realize(refs)
				return value.Undef{}, nil
			})),
		does(outline.Makes, legacy("create_resources", "Declares resources from a hash of title to attributes.", eval.Effect,
			-3, createResources)),
		does(outline.Tags, legacy("tag", "Adds tags to the class or define that calls it, and so to everything in it.",
			eval.Effect, -2, func(c *eval.Call) (value.Value, error) {
				for _, a := range value.Flatten(value.NewArray(c.Args...)).Elems {
					name := value.Downcase(rubyString(a))
					if !eval.ValidTag(name) {
						return nil, fmt.Errorf("Invalid tag '%s'", name)
					}
					c.Tag(value.String(name))
				}
				return value.Undef{}, nil
			})),
		seeking(legacy("tagged", "Reports whether the container, or the catalog, has all the tags.", eval.Reader, -2,
			func(c *eval.Call) (value.Value, error) {
				for _, a := range c.Args {
					tag := value.ToString(a)
					r := c.Scope.Resource()
					if !c.Eval.CatalogTagged(tag) && (r == nil || !r.Tagged(tag)) {
						return value.Bool(false), nil
					}
				}
				return value.Bool(true), nil
			})),
		{Name: "defined", Doc: "Reports whether a class, type, function or variable is known, or a resource declared.",
			Flow: eval.Observer, Seeks: true, Dispatches: []eval.Dispatch{{
				Signature: "Callable[Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]], 1]", Names: []string{"vals"},
				Run: defined,
			}}},
	}
}

// does says in a record what the function does to the catalog.
func does(e outline.Effect, f *eval.Function) *eval.Function {
	f.Does = e
	return f
}

// seeking says in a record that the function looks for what its arguments name.
func seeking(f *eval.Function) *eval.Function {
	f.Seeks = true
	return f
}

func createResources(c *eval.Call) (value.Value, error) {
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
	kind, is := c.Args[0].(value.String)
	if !is {
		return nil, noMethod("sub", c.Args[0])
	}
	typeName := value.Downcase(string(kind))
	if typeName == "@class" || typeName == "@@class" {
		c.Fail("E0507", "Evaluation Error: Classes are not virtualizable")
	}
	spine := c.Trace().Join(c.Refs...)
	c.Eval.MayBeOf(c.ArgRef(0))
	entries := instances.Entries()
	for i := range entries {
		e := &entries[i]
		if o, is := e.Value.(*value.Opaque); is {
			if !o.Absent {
				c.Warn("E0702", "create_resources() left out "+value.ToString(e.Key)+", whose attributes are not known: "+o.Why)
			}
			continue
		}
		params, ok := e.Value.(*value.Hash)
		if !ok {
			return nil, noConversion(e.Value, "Hash")
		}
		exists := c.Trace().Join(spine, e.KeyRef)
		why := c.Eval.Found(instances, e, spine)
		merged := defaults.From(params.Len())
		for _, p := range params.Entries() {
			if c.Trace() != nil && merged.Entry(p.Key) != nil { // the key could have hidden another default
				why = c.Trace().Join(why, p.KeyRef)
			}
			merged.SetEntry(p)
		}
		titles := []value.Value{e.Key}
		if a, ok := e.Key.(*value.Array); ok {
			titles = a.Elems
		}
		for _, t := range titles {
			_, err := c.Declare(typeName, t, restore(merged.Hash()).(*value.Hash), e.KeyRef, exists, c.Trace().Join(why))
			if err != nil {
				return nil, err
			}
		}
	}
	return value.Undef{}, nil
}

// defined: a class or type by name, a resource by reference, a variable by $name. The first that is defined decides.
func defined(c *eval.Call) (value.Value, error) {
	for _, a := range c.Args {
		asked(c, a)
		if o := unsure(c, a); o != nil {
			return o, nil
		}
		if yes, err := definedOne(c, a); yes || err != nil {
			return value.Bool(yes), err
		}
	}
	return value.Bool(false), nil
}

// unsure is the answer for a class or type that a module may have which is not there; nil if it is known.
func unsure(c *eval.Call, a value.Value) value.Value {
	name := ""
	switch a := a.(type) {
	case value.String:
		if name = string(a); name == "" || name[0] == '$' || name == "main" {
			return nil
		}
	case *types.Resource:
		if name = a.Type; name == "" || a.HasTitle {
			return nil
		}
	case *types.Type:
		switch t := a.T.(type) {
		case *types.Resource:
			return unsure(c, t)
		case *types.Class:
			if name = t.Of; name == "" {
				return nil
			}
		default:
			return nil
		}
	default:
		return nil
	}
	if o := c.Eval.Unsure(name); o != nil {
		return o
	}
	return nil
}

// asked joins what the answer for one argument depends on.
func asked(c *eval.Call, a value.Value) {
	if c.Trace() == nil {
		return
	}
	if c.Ref == 0 {
		c.Ref = computed(c, everything(c))
	}
	switch a := a.(type) {
	case value.String:
		if len(a) > 1 && a[0] == '$' {
			name, _, _ := strings.Cut(string(a[1:]), "\n")
			ref, _ := c.Scope.Exists(name)
			c.Ref = computed(c, c.Ref, ref)
		}
	case *types.Resource:
		if a.HasTitle {
			c.Ref = computed(c, c.Ref, c.Eval.Asked(a.Type, a.Title))
		}
	case *types.Class:
		c.Ref = computed(c, c.Ref, c.Eval.Asked("Class", a.Of))
	}
}

func definedOne(c *eval.Call, a value.Value) (bool, error) {
	ev := c.Eval
	switch a := a.(type) {
	case value.String:
		s := string(a)
		switch {
		case len(s) > 1 && s[0] == '$' && s[1] != '\n':
			name, _, _ := strings.Cut(s[1:], "\n")
			_, yes := c.Scope.Exists(name)
			return yes, nil
		case s == "":
			return false, nil
		case s == "main":
			return true, nil
		}
		return ev.KnownType(s) || ev.KnownClass(s), nil
	case *types.Resource:
		switch {
		case a.Type == "":
			return false, errors.New("The given resource type is a reference to all kind of types")
		case !a.HasTitle:
			return ev.KnownType(a.Type), nil
		}
		_ = ev.KnownType(a.Type) // asked, as by Puppet; what stands in for a resource may be of a type that is not there
		return ev.Find(a.Type, a.Title) != nil, nil
	case *types.Class:
		if a.Of == "" {
			return false, errors.New("The given class type is a reference to all classes")
		}
		return ev.Find("Class", a.Of) != nil, nil
	case *types.Type:
		switch t := a.T.(type) {
		case *types.Resource:
			return definedOne(c, t)
		case *types.Class:
			if t.Of == "" {
				return false, errors.New("The given class type is a reference to all classes")
			}
			return ev.KnownClass(t.Of), nil
		}
	}
	return false, nil
}
