package functions

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/eval"
	"bunraku/types"
	"bunraku/value"
)

// legacy makes a record of one of Puppet's old (3.x) functions. They count their arguments in their own words and see values as
// Puppet 3 had them. An arity of -n means n-1 arguments or more, as in Ruby. A statement yields undef whatever it computes.
func legacy(name, doc string, flow eval.Flow, arity int, run func(*eval.Call) (value.Value, error)) *eval.Function {
	return &eval.Function{Name: name, Doc: doc, Flow: flow, Raw: func(c *eval.Call) (value.Value, error) {
		old := make([]value.Value, len(c.Args))
		for i, a := range c.Args {
			v, err := toLegacy(c, a, true)
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
		return run(c)
	}}
}

// toLegacy turns a value into what a 3.x function gets: undef as an argument is the empty text, rich values are texts, references are
// resources.
func toLegacy(c *eval.Call, v value.Value, top bool) (value.Value, error) {
	switch v := v.(type) {
	case nil, value.Undef:
		if top {
			return value.String(""), nil
		}
		return value.Undef{}, nil
	case *value.Array:
		out := value.NewArrayBuilder(v.Len())
		for i, e := range v.Elems {
			x, err := toLegacy(c, e, false)
			if err != nil {
				return nil, err
			}
			out.AddRef(x, v.Ref(i))
		}
		return out.Array(), nil
	case *value.Hash:
		out := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			k, err := toLegacy(c, e.Key, false)
			if err != nil {
				return nil, err
			}
			x, err := toLegacy(c, e.Value, false)
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
		return &puppetResource{text: "Class[" + value.CapitalizeSegments(strings.TrimPrefix(v.Of, "::")) + "]", of: v}, nil
	case *types.Resource:
		if v.Type == "" {
			return nil, noMethod("include?", value.Undef{})
		}
		return &puppetResource{text: value.CapitalizeSegments(strings.ToLower(strings.TrimPrefix(v.Type, "::"))) + "[" + v.Title + "]", of: v}, nil
	}
	return v, nil
}

// A puppetResource is a reference as 3.x functions see it. It lives no longer than their call.
type puppetResource struct {
	value.TypeMark
	text string
	of   value.Type
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
		out := value.NewArrayBuilder(v.Len())
		for i, e := range v.Elems {
			out.AddRef(restore(e), v.Ref(i))
		}
		return out.Array()
	case *value.Hash:
		out := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			e.Key, e.Value = restore(e.Key), restore(e.Value)
			out.SetEntry(e)
		}
		return out.Hash()
	}
	return v
}

// namevar is the attribute that inspecting a resource shows.
func (r *puppetResource) namevar() string {
	name, title := "name", r.text[strings.IndexByte(r.text, '[')+1:len(r.text)-1]
	if strings.HasPrefix(r.text, "File[") {
		name = "path"
	}
	return "{:" + name + "=>" + value.InspectString(title) + "}"
}
