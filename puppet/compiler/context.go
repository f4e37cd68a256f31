package compiler

import (
	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/lookup"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// contextOf makes the object of type Puppet::LookupContext that a data provider gets, which asks and tells Hiera.
func (w *world) contextOf(c *lookup.Context) *value.Object {
	if o := w.contexts[c]; o != nil {
		return o
	}
	attrs, init := value.NewHashBuilder(2), value.NewHashBuilder(1)
	attrs.SetString("environment_name", value.String(w.called))
	attrs.SetString("module_name", c.ModuleName())
	if module, is := c.ModuleName().(value.String); is {
		init.SetString("module_name", module)
	}
	o := &value.Object{Type: types.LookupContextT, Attrs: attrs.Hash(), Init: init.Hash(),
		Host: &dataContext{c, map[string]*eval.Function{}}}
	if w.contexts == nil {
		w.contexts = map[*lookup.Context]*value.Object{}
	}
	w.contexts[c] = o
	return o
}

// A dataContext has the methods of Puppet::LookupContext.
type dataContext struct {
	*lookup.Context
	methods map[string]*eval.Function // made so far
}

// Method implements eval.Host.
func (d *dataContext) Method(name string) *eval.Function {
	f, known := d.methods[name]
	if !known {
		f = d.method(name)
		d.methods[name] = f
	}
	return f
}

func (d *dataContext) method(name string) *eval.Function {
	one := []string{""}
	switch name {
	case "not_found":
		return method(name, eval.Dispatch{Signature: "Callable[0, 0]", Run: d.notFound})
	case "explain":
		return method(name, eval.Dispatch{Signature: "Callable[0, 0, Callable[0, 0]]", Run: d.explain})
	case "interpolate":
		return method(name, eval.Dispatch{Signature: "Callable[1, 1]", Names: one, Run: d.interpolate})
	case "cache":
		return method(name, eval.Dispatch{Signature: "Callable[Optional[Scalar], Any]", Names: []string{"", ""}, Run: d.keep})
	case "cache_all":
		return method(name, eval.Dispatch{Signature: "Callable[Hash[Optional[Scalar], Any]]", Names: one, Run: d.keepAll})
	case "cache_has_key":
		return method(name, eval.Dispatch{Signature: "Callable[Optional[Scalar]]", Names: one, Run: d.hasKey})
	case "cached_value":
		return method(name, eval.Dispatch{Signature: "Callable[Optional[Scalar]]", Names: one, Run: d.cached})
	case "cached_entries":
		return method(name, eval.Dispatch{Signature: "Callable[0, 0, Callable[1, 1]]", Run: d.eachPair},
			eval.Dispatch{Signature: "Callable[0, 0, Callable[2, 2]]", Run: d.eachPair},
			eval.Dispatch{Signature: "Callable[0, 0]", Run: d.entries})
	case "cached_file_data":
		return method(name, eval.Dispatch{Signature: "Callable[String, Optional[Callable]]", Names: one, Run: d.fileData})
	}
	return nil
}

func method(name string, ways ...eval.Dispatch) *eval.Function {
	return &eval.Function{Name: "function Puppet::LookupContext[" + name + "]", Flow: eval.Effect, Dispatches: ways}
}

func (d *dataContext) notFound(c *eval.Call) (value.Value, error) {
	c.Throw(lookup.ErrNotFound)
	return nil, nil
}

func (d *dataContext) explain(c *eval.Call) (value.Value, error) {
	var failed error
	d.Explain(func() string {
		v, err := c.Block.Call(nil, nil)
		if failed = err; err != nil {
			return ""
		}
		return value.ToString(v)
	})
	return nil, failed
}

func (d *dataContext) interpolate(c *eval.Call) (value.Value, error) {
	v, ref, err := d.Interpolate(c.Args[0], c.ArgRef(0))
	c.Ref = ref
	return v, err
}

func (d *dataContext) keep(c *eval.Call) (value.Value, error) {
	d.Cache(c.Args[0], c.Args[1], c.ArgRef(1), c.Trace().Join(c.ArgRef(0), c.Control()))
	c.Ref = c.ArgRef(1)
	return c.Args[1], nil
}

func (d *dataContext) keepAll(c *eval.Call) (value.Value, error) {
	why := c.Trace().Join(c.ArgRef(0), c.Control())
	for _, e := range c.Args[0].(*value.Hash).Entries() {
		d.Cache(e.Key, e.Value, e.Ref, c.Trace().With(e.KeyRef, why))
	}
	return nil, nil
}

func (d *dataContext) hasKey(c *eval.Call) (value.Value, error) {
	_, ref, has := d.Cached(c.Args[0])
	c.Ref = c.Trace().With(ref, c.ArgRef(0))
	return value.Bool(has), nil
}

func (d *dataContext) cached(c *eval.Call) (value.Value, error) {
	v, ref, _ := d.Cached(c.Args[0])
	c.Ref = c.Trace().With(ref, c.ArgRef(0))
	return v, nil
}

func (d *dataContext) entries(c *eval.Call) (value.Value, error) {
	all, why := d.CachedEntries()
	c.Ref = why
	for _, e := range all.Entries() {
		c.Ref = c.Trace().With(c.Ref, e.Ref)
	}
	elem := &types.Tuple{Types: []types.T{types.UnitT, types.UnitT}}
	return &value.Iterator{Elem: elem, General: elem, Pairs: true, Seq: func(yield func(value.Value) bool) {
		for _, e := range all.Entries() {
			if !yield(value.NewArray(e.Key, e.Value)) {
				return
			}
		}
	}}, nil
}

func (d *dataContext) eachPair(c *eval.Call) (value.Value, error) {
	all, why := d.CachedEntries()
	for _, e := range all.Entries() {
		args, refs := []value.Value{e.Key, e.Value}, []provenance.Ref{c.Trace().With(e.KeyRef, why),
			c.Trace().With(e.Ref, why)}
		if n, _ := c.Block.Arity(); n != 2 {
			args, refs = []value.Value{value.NewArray(e.Key, e.Value)}, []provenance.Ref{c.Trace().With(e.Ref, e.KeyRef, why)}
		}
		if _, err := c.Block.Call(args, refs); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func (d *dataContext) fileData(c *eval.Call) (value.Value, error) {
	path := string(c.Args[0].(value.String))
	text, err := d.FileData(path)
	if err != nil {
		return nil, err
	}
	c.Ref = c.Trace().With(c.Trace().Leaf(provenance.Label{Kind: provenance.World, Path: "file " + path}), c.ArgRef(0))
	if c.Block == nil {
		return value.String(text), nil
	}
	v, err := c.Block.Call([]value.Value{value.String(text)}, []provenance.Ref{c.Ref})
	c.Ref = c.Block.LastRef()
	return v, err
}
