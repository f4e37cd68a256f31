package stdlib

import (
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// resources are the functions that ask what has been declared, or declare what has not.
//
// Their answers depend on the resource that is there and its attributes or, when there is none, on all that could have
// been it: the other resources of its type, and every branch that might have declared it (rule 6).
func resources() []old {
	return []old{
		{"defined_with_params", "Reports whether a resource is declared, with attributes of given values.", eval.Observer, -1,
			definedWithParams},
		{"ensure_resource", "Declares resources unless they are declared with these attributes.", statement, -1,
			ensureResource},
		{"ensure_resources", "Declares resources of a hash unless they are declared with these attributes.", statement, -1,
			ensureResources},
		{"getparam", "The value of an attribute of a declared resource, or the empty text.", eval.Observer, -1, getparam},
		{"assert_private", "Ends the compile when code of another module declares this class or define.", statement, -1,
			assertPrivate},
		{"private", "An old name of assert_private.", statement, -1, func(c *eval.Call) (value.Value, error) {
			c.Log("warning",
				"private() DEPRECATED: This function will cease to function on Puppet 4; please use assert_private() before "+
					"upgrading to puppet 4 for backwards-compatibility, or migrate to the new parser's typing system.")
			return assertPrivate(of(c, "assert_private", c.Arg(0)))
		}},
	}
}

var referenceText = onigmo.MustCompile(`(?m:^([^\[\]]+)\[(.+)\]$)`)

// typeAndTitle is Puppet::Resource.type_and_title.
func typeAndTitle(ref string) (typ, title string, err error) {
	m := groups(referenceText, ref)
	if m == nil {
		return "", "", argumentError("No title provided and " + inspect(value.String(ref)) +
			" is not a valid resource reference")
	}
	typ, title = capitalized(m[1]), m[2]
	if typ == "Class" {
		title = capitalized(title)
	}
	return typ, title, nil
}

// capitalized is a type's name as references write it.
func capitalized(name string) string {
	parts := strings.Split(strings.TrimPrefix(strings.ToLower(name), "::"), "::")
	for i, p := range parts {
		parts[i] = value.Capitalize(p)
	}
	return strings.Join(parts, "::")
}

// declared is the provenance of an answer about what has been declared so far.
func declared(c *eval.Call, typ, title string, attrs ...string) provenance.Ref {
	if c.Trace() == nil {
		return 0
	}
	refs := []provenance.Ref{functions.Everything(c)}
	if title == "" { // any of the type will do
		refs = append(refs, c.Trace().Everything())
	} else {
		refs = append(refs, c.Eval.Asked(typ, title))
		if r := c.Eval.Find(typ, title); r != nil {
			for _, name := range attrs {
				refs = append(refs, r.Attribute(name))
			}
		}
	}
	return functions.Computed(c, refs...)
}

func definedWithParams(c *eval.Call) (value.Value, error) {
	if !truthy(c, 0) {
		return nil, argumentError("Must specify a reference")
	}
	params := value.Value(value.EmptyHash)
	if truthy(c, 1) && c.Args[1] != value.Value(value.String("")) {
		params = c.Args[1]
	}
	var typ, title string
	if s, is := c.Args[0].(value.String); is {
		var err error
		if typ, title, err = typeAndTitle(string(s)); err != nil {
			return nil, err
		}
		// Asked, as by Puppet; what stands in for a resource may be of a type that is not there.
		_ = typ == "Class" || c.Eval.KnownType(strings.ToLower(typ)) || c.Eval.KnownClass(strings.ToLower(typ))
	} else if s, is := functions.Reference(c.Args[0]); is {
		typ, title, _ = strings.Cut(s, "[")
		title = strings.TrimSuffix(title, "]")
	} else {
		return nil, argumentError("Reference is not understood: '" + class(c.Args[0]) + "'")
	}
	var attrs []string
	if h, is := params.(*value.Hash); is {
		for _, e := range h.Entries() {
			attrs = append(attrs, value.ToString(e.Key))
		}
	}
	c.Ref = declared(c, typ, title, attrs...)
	var found []*eval.Resource
	if title == "" {
		for _, r := range c.Eval.Resources() {
			if r.Type == typ {
				found = append(found, r)
			}
		}
	} else if r := c.Eval.Find(typ, title); r != nil {
		found = []*eval.Resource{r}
	}
	for _, r := range found {
		if me := c.Scope.Resource(); me != nil && r.Ref() == me.Ref() {
			continue
		}
		h, is := params.(*value.Hash)
		if !is {
			return nil, noMethod("map", params)
		}
		all := true
		for _, e := range h.Entries() {
			same, err := attributeIs(r, e.Key, e.Value)
			if err != nil {
				return nil, err
			}
			all = all && same
		}
		if all {
			return value.Bool(true), nil
		}
	}
	return value.Bool(false), nil
}

// attribute is what Puppet's resource[name] gives; undef for one that is not set.
func attribute(r *eval.Resource, name string) value.Value {
	if name == "title" {
		return value.String(r.Title)
	}
	if v, set := r.Param(name); set {
		return value.OrUndef(v)
	}
	return value.Undef{}
}

func attributeIs(r *eval.Resource, key, wanted value.Value) (bool, error) {
	name, is := symbolOrString(key)
	if !is {
		return false, noMethod("intern", key)
	}
	return functions.RubyEqual(attribute(r, name), functions.AsAttribute(wanted)), nil
}

func ensureResource(c *eval.Call) (value.Value, error) {
	if !truthy(c, 0) {
		return nil, argumentError("Must specify a type")
	}
	if !truthy(c, 1) {
		return nil, argumentError("Must specify a title")
	}
	params := value.Value(value.EmptyHash)
	if truthy(c, 2) {
		params = c.Args[2]
	}
	titles := value.Flatten(&value.Array{Elems: []value.Value{c.Args[1]}, Refs: one(c.Refs, 1)})
	for i, title := range titles.Elems {
		asked := of(c, "defined_with_params", value.String(text(c.Args[0])+"["+text(title)+"]"), params)
		there, err := definedWithParams(asked)
		if err != nil {
			return nil, err
		}
		if value.Truthy(there) {
			continue
		}
		kind, is := c.Args[0].(value.String)
		if !is {
			return nil, noMethod("capitalize", c.Args[0])
		}
		why := c.Trace().Join(titles.Ref(i), asked.Ref)
		h := value.NewHashBuilder(1)
		h.SetEntry(value.Entry{Key: title, Value: params, KeyRef: why, Ref: c.ArgRef(2)})
		d := of(c, "create_resources", value.String(value.Capitalize(string(kind))), h.Hash())
		if c.Refs != nil {
			d.Refs = []provenance.Ref{c.ArgRef(0), why}
		}
		if _, err := functions.CreateResources(d); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func one(refs []provenance.Ref, i int) []provenance.Ref {
	if i >= len(refs) {
		return nil
	}
	return refs[i : i+1]
}

func ensureResources(c *eval.Call) (value.Value, error) {
	if !truthy(c, 0) {
		return nil, argumentError("Must specify a type")
	}
	if !truthy(c, 1) {
		return nil, argumentError("Must specify a title")
	}
	params := value.Value(value.EmptyHash)
	if truthy(c, 2) {
		params = c.Args[2]
	}
	h, is := c.Args[1].(*value.Hash)
	if !is {
		return nil, parseErrorf("ensure_resources(): Requires second argument to be a Hash")
	}
	for _, e := range h.Entries() {
		merged := params
		if value.Truthy(e.Value) {
			under, is := params.(*value.Hash)
			if !is {
				return nil, noMethod("merge", params)
			}
			over, is := e.Value.(*value.Hash)
			if !is {
				return nil, noConversion(e.Value, "Hash")
			}
			b := under.From(over.Len())
			for _, p := range over.Entries() {
				b.SetEntry(p)
			}
			merged = b.Hash()
		}
		d := of(c, "ensure_resource", c.Args[0], e.Key, merged)
		if c.Refs != nil {
			d.Refs = []provenance.Ref{c.ArgRef(0), c.Trace().Join(e.KeyRef, c.ArgRef(1)),
				c.Trace().Join(e.Ref, c.ArgRef(1), c.ArgRef(2))}
		}
		if _, err := ensureResource(d); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// ensurePackages is the 8.x one.
func ensurePackages() *eval.Function {
	return new4("ensure_packages", "Declares packages unless they are declared with these attributes.", statement,
		"Callable[[Variant[String[1], Array[String[1]], Hash[String[1], Any]], Hash, 1, 2], Undef]",
		[]string{"packages", "default_attributes"}, func(c *eval.Call) (value.Value, error) {
			return installPackages(c, "installed", "present")
		})
}

// installPackages declares the packages of the first argument with the attributes of the second. Of the two words for
// an installed package it always takes one. An empty name gets as far as here in old versions only.
func installPackages(c *eval.Call, word, instead string) (value.Value, error) {
	b := value.NewHashBuilder(2)
	b.SetString("ensure", value.String(word))
	if given, is := c.Arg(1).(*value.Hash); is {
		for _, e := range given.Entries() {
			if e.Key == value.Value(value.String("ensure")) && e.Value == value.Value(value.String(instead)) {
				e.Value, e.Ref = value.String(word), functions.Computed(c, e.Ref)
			}
			if old := b.Entry(e.Key); old != nil {
				old.KeyRef = e.KeyRef // the default gives way because of this key
			}
			b.SetEntry(e)
		}
	}
	defaults := b.Hash()
	if h, is := c.Args[0].(*value.Hash); is {
		return ensureNow(c, "ensure_resources", h, c.ArgRef(0), defaults)
	}
	list := listed(c.Args[0])
	for i, p := range list.Elems {
		if p == value.Value(value.String("")) {
			return nil, parseErrorf("ensure_packages(): Empty String provided for package name")
		}
		if _, err := ensureNow(c, "ensure_resource", p, c.Trace().Join(list.Ref(i), c.ArgRef(0)), defaults); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// ensureNow calls ensure_resource or ensure_resources for packages, as Puppet code would.
func ensureNow(c *eval.Call, name string, titles value.Value, why provenance.Ref, defaults *value.Hash) (value.Value,
	error) {
	args := []value.Value{value.String("package"), titles, defaults}
	done, err := functions.ToLegacy(c, args)
	defer done()
	if err != nil {
		return nil, err
	}
	d := of(c, name, args...)
	if c.Refs != nil {
		d.Refs = []provenance.Ref{0, why, c.ArgRef(1)}
	}
	if name == "ensure_resource" {
		return ensureResource(d)
	}
	return ensureResources(d)
}

// ensurePackages9 looks how a package is declared already: present and installed mean the same.
func ensurePackages9() *eval.Function {
	one := func(c *eval.Call, name value.Value, why provenance.Ref, given *value.Hash) error {
		b := value.NewHashBuilder(2)
		b.SetString("ensure", value.String("installed"))
		for _, e := range given.Entries() {
			b.SetEntry(e)
		}
		if v, _ := b.Get(value.String("ensure")); v == value.Value(value.String("present")) ||
			v == value.Value(value.String("installed")) {
			asked := of(c, "defined_with_params", value.String("Package["+text(name)+"]"),
				value.NewHash(value.String("ensure"), value.String("present")))
			there, err := definedWithParams(asked)
			if err != nil {
				return err
			}
			ensure := value.String("installed")
			if value.Truthy(there) {
				ensure = "present"
			}
			b.SetEntry(value.Entry{Key: value.String("ensure"), Value: ensure, Ref: asked.Ref})
		}
		_, err := ensureNow(c, "ensure_resource", name, why, b.Hash())
		return err
	}
	defaults := func(c *eval.Call) *value.Hash {
		if h, is := c.Arg(1).(*value.Hash); is {
			return h
		}
		return value.EmptyHash
	}
	names := []string{"packages", "default_attributes"}
	return &eval.Function{Name: "stdlib::ensure_packages",
		Doc: "Declares packages unless they are declared with these attributes.", Flow: statement,
		Dispatches: []eval.Dispatch{
			{Signature: "Callable[[Variant[String[1], Array[String[1]]], Hash, 1, 2], Undef]", Names: names,
				Run: func(c *eval.Call) (value.Value, error) {
					list := listed(c.Args[0])
					for i, p := range list.Elems {
						if err := one(c, p, c.Trace().Join(list.Ref(i), c.ArgRef(0)), defaults(c)); err != nil {
							return nil, err
						}
					}
					return nil, nil
				}},
			{Signature: "Callable[[Hash[String[1], Any], Hash, 1, 2], Undef]", Names: names,
				Run: func(c *eval.Call) (value.Value, error) {
					for _, e := range c.Args[0].(*value.Hash).Entries() {
						over, is := e.Value.(*value.Hash)
						if !is {
							return nil, noConversion(e.Value, "Hash")
						}
						b := defaults(c).From(over.Len())
						for _, p := range over.Entries() {
							b.SetEntry(p)
						}
						if err := one(c, e.Key, c.Trace().Join(e.KeyRef, e.Ref, c.ArgRef(0)), b.Hash()); err != nil {
							return nil, err
						}
					}
					return nil, nil
				}},
		}}
}

func getparam(c *eval.Call) (value.Value, error) {
	if !truthy(c, 0) {
		return nil, argumentError("Must specify a reference")
	}
	param, is := c.Arg(1).(value.String)
	if !is {
		return nil, argumentError("Must specify name of a parameter")
	}
	if param == "" {
		return value.String(""), nil
	}
	typ, title, err := typeAndTitle(text(c.Args[0]))
	if err != nil {
		return nil, err
	}
	c.Ref = declared(c, typ, title, string(param))
	if r := c.Eval.Find(typ, title); r != nil {
		if v := attribute(r, string(param)); !value.IsUndef(v) {
			return v, nil
		}
	}
	return value.String(""), nil
}

func str2resource() *eval.Function {
	return new4("stdlib::str2resource",
		"The reference that a text such as File[/etc/motd] stands for; the resource must be declared already.", eval.Observer,
		"Callable[[String], Any]", []string{"res_string"}, func(c *eval.Call) (value.Value, error) {
			typ, title, err := typeAndTitle(text(c.Args[0]))
			if err != nil {
				return nil, err
			}
			c.Ref = declared(c, typ, title)
			if c.Eval.Find(typ, title) == nil {
				return nil,
					fmt.Errorf("stdlib::str2resource(): could not find %s[%s], this is parse order dependent and values should not "+
						"be quoted", typ, title)
			}
			if typ == "Class" {
				return &types.Class{Of: strings.ToLower(title)}, nil
			}
			return types.Ref(typ, title), nil
		})
}

func assertPrivate(c *eval.Call) (value.Value, error) {
	if len(c.Args) > 1 {
		return nil, parseErrorf("assert_private(): Wrong number of arguments given (%d}) for 0 or 1)", len(c.Args))
	}
	mine, _, _ := variable(c, "module_name")
	caller, _, _ := variable(c, "caller_module_name")
	if value.Same(value.OrUndef(mine), value.OrUndef(caller)) {
		return nil, nil
	}
	if s, is := c.Arg(0).(value.String); is && (len(c.Args) > 0) {
		return nil, parseErrorf("%s", s)
	}
	what := "Class "
	if r := c.Scope.Resource(); r != nil {
		switch r.Type {
		case "Class":
			if r.Title != "main" {
				what += strings.ToLower(r.Title)
			}
		case "Node":
			what = "Definition " + r.Title
		default:
			what = "Definition " + strings.ToLower(r.Type)
		}
	}
	return nil, parseErrorf("%s is private", what)
}
