package functions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/resource"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// legacy makes a record of one of Puppet's old (3.x) functions. They count their arguments in their own words and see
// values as Puppet 3 had them. An arity of -n means n-1 arguments or more, as in Ruby. A statement yields undef
// whatever it computes.
func legacy(name, doc string, flow eval.Flow, arity int, run func(*eval.Call) (value.Value, error)) *eval.Function {
	return &eval.Function{Name: name, Doc: doc, Flow: flow, Raw: func(c *eval.Call) (value.Value, error) {
		during := &oldCall{call: c, noted: true}
		defer func() { during.call = nil }() // what it was given may be kept, and must not keep the compile
		old := make([]value.Value, len(c.Args))
		for i, a := range c.Args {
			v, err := toOld{during}.value(a, true)
			if err != nil {
				return nil, err
			}
			old[i] = v
		}
		switch n := len(c.Args); {
		case arity >= 0 && n != arity:
			return nil, fmt.Errorf("%s(): Wrong number of arguments given (%d for %d)", name, n, arity)
		case arity < 0 && n < -arity-1:
			return nil, fmt.Errorf("%s(): Wrong number of arguments given (%d for minimum %d)", name, n, -arity-1)
		}
		c.Args = old
		v, err := run(c)
		if during.raised != nil {
			return nil, during.raised
		}
		return v, err
	}}
}

// A toOld turns values into what a 3.x function gets: undef as an argument is the empty text, rich values are texts,
// references are resources. What inspecting such a resource raises is noted in raised: in Ruby it ends the function.
type toOld struct{ *oldCall }

// An oldCall is a call of a 3.x function; call is nil once it is over.
type oldCall struct {
	call   *eval.Call
	noted  bool // what inspecting a resource raises
	raised error
}

func (t toOld) value(v value.Value, top bool) (value.Value, error) {
	switch v := v.(type) {
	case nil, value.Undef:
		if top {
			return value.String(""), nil
		}
		return value.Undef{}, nil
	case *value.Array:
		out := value.NewArrayBuilder(v.Len())
		for i, e := range v.Elems {
			x, err := t.value(e, false)
			if err != nil {
				return nil, err
			}
			out.AddRef(x, v.Ref(i))
		}
		return out.Array(), nil
	case *value.Hash:
		out := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			k, err := t.value(e.Key, false)
			if err != nil {
				return nil, err
			}
			x, err := t.value(e.Value, false)
			if err != nil {
				return nil, err
			}
			out.SetEntry(value.Entry{Key: k, Value: x, KeyRef: e.KeyRef, Ref: e.Ref})
		}
		return out.Hash(), nil
	case *value.Iterator:
		return nil, errors.New("Use of an Iterator is not supported here")
	case *value.Regexp:
		return value.String(v.Delimited()), nil
	case *value.SemVer, *value.SemVerRange, value.Binary, value.Timespan, value.Timestamp:
		return value.String(value.ToString(v)), nil
	case *types.Class:
		if v.Of == "" {
			return nil, errors.New(`No title provided and "class" is not a valid resource reference`)
		}
		return t.resource("Class", value.CapitalizeSegments(strings.TrimPrefix(v.Of, "::")), v), nil
	case *types.Resource:
		if v.Type == "" {
			return nil, noMethod("include?", value.Undef{})
		}
		return t.resource(value.CapitalizeSegments(strings.ToLower(strings.TrimPrefix(v.Type, "::"))), v.Title, v), nil
	}
	return v, nil
}

func (t toOld) resource(typ, title string, of value.Type) *puppetResource {
	return &puppetResource{typ: typ, title: title, text: typ + "[" + title + "]", of: of, to: t}
}

// A puppetResource is a reference as 3.x functions see it. It lives no longer than their call.
type puppetResource struct {
	value.TypeMark
	typ, title string
	text       string // typ[title]
	of         value.Type
	to         toOld
}

// String is the reference without quotes: File[/etc/motd].
func (r *puppetResource) String() string { return r.text }

// Name is the name of the type of references.
func (r *puppetResource) Name() string { return r.of.Name() }

// EqualType compares the references.
func (r *puppetResource) EqualType(o value.Type) bool {
	p, is := o.(*puppetResource)
	return is && p.text == r.text
}

// restore turns what a 3.x function was given back into what it stood for.
func restore(v value.Value) value.Value {
	switch v := v.(type) {
	case *puppetResource:
		return v.of
	case *value.Array:
		if !hasResource(v) {
			return v
		}
		out := value.NewArrayBuilder(v.Len())
		for i, e := range v.Elems {
			out.AddRef(restore(e), v.Ref(i))
		}
		return out.Array()
	case *value.Hash:
		if !hasResource(v) {
			return v
		}
		out := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			e.Key, e.Value = restore(e.Key), restore(e.Value)
			out.SetEntry(e)
		}
		return out.Hash()
	}
	return v
}

// hasResource reports whether there is something to restore in a value.
func hasResource(v value.Value) bool {
	switch v := v.(type) {
	case *puppetResource:
		return true
	case *value.Array:
		return slices.ContainsFunc(v.Elems, hasResource)
	case *value.Hash:
		for _, e := range v.Entries() {
			if hasResource(e.Key) || hasResource(e.Value) {
				return true
			}
		}
	}
	return false
}

// inspect is Puppet::Resource#inspect: the reference, and what its type reads in its title.
func (r *puppetResource) inspect() string {
	attrs, err := resource.ParseTitle(r.to.call.Eval.World().ResourceType(strings.ToLower(r.typ)), r.title)
	if err != nil {
		if r.to.noted && r.to.raised == nil {
			r.to.raised = err
		}
		return r.text
	}
	parts := make([]string, len(attrs))
	for i, a := range attrs {
		parts[i] = ":" + a.Name + "=>" + rubyInspect(a.Value)
	}
	return r.text + "{" + strings.Join(parts, ", ") + "}"
}

// receiver is a resource as a NoMethodError names it: without what inspecting it raised.
func (r *puppetResource) receiver() string {
	if !r.to.noted {
		return r.inspect() + ":Puppet::Resource"
	}
	before := r.to.raised
	text := r.inspect()
	if r.to.raised != before {
		r.to.raised = before
		return "#<Puppet::Resource>"
	}
	return text + ":Puppet::Resource"
}
