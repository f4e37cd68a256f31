package bridge

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/outline"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// A function is what Ruby has told about one that it has loaded.
type function struct {
	name, path string
	kind       Kind
	old        bool
	dispatches []dispatch
	own        bool              // it chooses its signature itself
	local      map[string]string // types that only this function knows: texts by name

	ev       *eval.Evaluator // whose aliases the signatures were read with
	callable []*types.Callable
}

// A dispatch is one signature, as Ruby tells it.
type dispatch struct {
	types, names  []string
	least, most   int // most is -1 for any number
	block         string
	blockOptional bool
	returns       string
	method        string
	mismatch      bool // it only words what is wrong with the arguments
}

// How the causes begin of what is not known because of Ruby code, and of what real Ruby would not know either.
const (
	inRuby    = "is written in Ruby"
	needsMore = "needs more of Puppet than there is: "
)

// RubyHelps reports whether what is not known for a cause may be known to real Ruby.
func RubyHelps(why string) bool {
	return (strings.Contains(why, inRuby) || strings.Contains(why, "supported without Ruby")) &&
		!strings.Contains(why, needsMore)
}

// A Kind is how a function that is written in Ruby is made and called.
type Kind uint8

// The kinds: of the 4.x API; of the 3.x API, which get what Puppet 3 had in the place of newer values; and the latter
// as templates and other 3.x functions call them, scope.function_NAME([…]): those may define methods in their files,
// and get their arguments as they are.
const (
	Modern Kind = iota
	Old
	Legacy
)

// Function is the record of a function that is written in Ruby. bridge finds the Bridge of the compile that calls it.
func Function(name, path string, kind Kind, bridge func(*eval.Call) *Bridge) *eval.Function {
	return &eval.Function{Name: name, Flow: eval.Observer, Does: outline.Anything,
		Raw: func(c *eval.Call) (value.Value, error) { return bridge(c).call(c, name, path, kind) }}
}

// Function is the record of a function that this bridge runs.
func (b *Bridge) Function(name, path string, kind Kind) *eval.Function {
	return Function(name, path, kind, func(*eval.Call) *Bridge { return b })
}

// call runs a function.
func (b *Bridge) call(c *eval.Call, name, path string, kind Kind) (value.Value, error) {
	if o := unknown(value.NewArray(c.Args...)); o != nil {
		return o, nil
	}
	v, f, err := b.run(c, fmt.Sprintf("the function %s (%s)", name, path), func(f *frame) (v value.Value, err error) {
		if b.own != nil {
			if o := b.own.spoiltFor(path, c.Block); o != nil {
				return o, nil
			}
			if err := b.own.boot(c); err != nil {
				return nil, err
			}
			turn := b.own.in.Begin()
			defer func() { f.sofar = b.own.in.Finish(turn) }()
		}
		fn, err := b.load(name, path, kind)
		if err != nil {
			return nil, err
		}
		if b.own != nil { // it may have required what another one has left something in
			if o := b.own.spoiltFor(path, c.Block); o != nil {
				return o, nil
			}
		}
		return b.dispatch(f, fn)
	})
	if tr := c.Trace(); tr != nil {
		c.Ref = tr.Call(name, f.sofar, tr.Leaf(provenance.Label{Kind: provenance.World, Path: "file " + path}))
	}
	if b.own == nil && err == nil { // nobody has seen what it did
		c.Eval.Remade(f.told, v)
	}
	return b.settle(c, name, path, v, err)
}

// settle turns what went wrong into what a caller can use: a diagnostic, an error as Puppet words it, or an opaque
// value where our runtime lacks what the code needs of Puppet.
func (b *Bridge) settle(c *eval.Call, name, path string, v value.Value, err error) (value.Value, error) {
	if b.own != nil {
		if v, err = b.own.settle(c, name, path, v, err); err == nil {
			return v, nil
		}
	}
	var t *trouble
	var r *raised
	var o *opaque
	switch {
	case errors.As(err, &t):
		c.Fail(t.code, t.text)
	case errors.As(err, &o):
		return o.value, nil
	case errors.As(err, &r) && r.grave && len(b.frames) == 0:
		c.Fail("E0401", r.text)
	case errors.As(err, &r) && r.missing:
		return &value.Opaque{Why: fmt.Sprintf("%s, called at %s, %s%s", name, c.Place, needsMore, r.text)}, nil
	}
	return v, err
}

// unknown finds a value that is not known, however deep it is.
func unknown(v value.Value) *value.Opaque {
	switch v := v.(type) {
	case *value.Opaque:
		return v
	case *value.Array:
		for _, e := range v.Elems {
			if o := unknown(e); o != nil {
				return o
			}
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			if o := unknown(e.Key); o != nil {
				return o
			}
			if o := unknown(e.Value); o != nil {
				return o
			}
		}
	case *value.Sensitive:
		return unknown(v.Value)
	}
	return nil
}

// load has Ruby read a function's file, once per process.
func (b *Bridge) load(name, path string, kind Kind) (*function, error) {
	if err := b.start(); err != nil {
		return nil, err
	}
	key := path
	if kind == Legacy {
		key += " as templates call it"
	}
	if fn := b.loaded[key]; fn != nil {
		return fn, nil
	}
	var v value.Value
	var err error
	if b.own != nil {
		v, err = b.own.load(name, path, kind)
	} else {
		v, err = b.do(do("load").set("name", value.String(name)).set("path", value.String(path)).set("kind", value.Int(kind)))
	}
	if err != nil {
		return nil, err
	}
	fn := &function{name: name, path: path, kind: kind, old: kind != Modern, local: map[string]string{}}
	h, is := v.(*value.Hash)
	if !is {
		return nil, b.garbage("no signatures")
	}
	own, _ := h.At("calls_itself").(value.Bool)
	fn.own = bool(own)
	list, _ := h.At("dispatches").(*value.Array)
	if list == nil {
		return nil, b.garbage("no signatures")
	}
	for _, e := range list.Elems {
		d, is := e.(*value.Hash)
		if !is {
			return nil, b.garbage("no signature")
		}
		fn.dispatches = append(fn.dispatches, readDispatch(d))
	}
	local, _ := h.At("local_types").(*value.Array)
	for _, t := range textsOf(local) {
		name, text, ok := strings.Cut(t, "=")
		if !ok {
			return nil, fmt.Errorf("Expected a type alias assignment on the form 'AliasType = T', got '%s'.", t)
		}
		fn.local[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(text)
	}
	b.loaded[key] = fn
	return fn, nil
}

func readDispatch(h *value.Hash) dispatch {
	text := func(key string) string {
		s, _ := h.At(key).(value.String)
		return string(s)
	}
	flag := func(key string) bool {
		b, _ := h.At(key).(value.Bool)
		return bool(b)
	}
	list := func(key string) []string {
		a, _ := h.At(key).(*value.Array)
		return textsOf(a)
	}
	d := dispatch{types: list("types"), names: list("names"), block: text("block"), blockOptional: flag("block_optional"),
		returns: text("returns"),
		method:  text("method"), mismatch: flag("mismatch"), most: -1}
	if n, is := h.At("least").(value.Int); is {
		d.least = int(n)
	}
	if n, is := h.At("most").(value.Int); is {
		d.most = int(n)
	}
	return d
}

func textsOf(a *value.Array) []string {
	if a == nil {
		return nil
	}
	out := make([]string, a.Len())
	for i, e := range a.Elems {
		out[i] = value.ToString(e)
	}
	return out
}

// dispatch finds the signature that fits and calls its method.
func (b *Bridge) dispatch(f *frame, fn *function) (value.Value, error) {
	c := f.call
	if err := fn.prepare(c.Eval); err != nil {
		return nil, err
	}
	chosen := -1
	if !fn.own {
		var err error
		if chosen, err = fn.choose(c.Args, c.Block); err != nil {
			return nil, err
		}
	}
	v, err := b.invoke(f, fn, chosen)
	if err != nil {
		return nil, err
	}
	if _, open := v.(*value.Opaque); open {
		return v, nil
	}
	if fn.own {
		return v, nil
	}
	d := &fn.dispatches[chosen]
	if d.mismatch {
		return nil, fmt.Errorf("'%s' %s", fn.name, value.ToString(v))
	}
	if want := fn.callable[chosen].Return; want != nil && !types.IsInstance(want, v) {
		return nil, errors.New(types.DescribeMismatch(fmt.Sprintf("value returned from function '%s' has wrong type,",
			d.method), want, types.InferSet(v)))
	}
	return v, nil
}

// invoke has Ruby call the method of a signature.
func (b *Bridge) invoke(f *frame, fn *function, chosen int) (value.Value, error) {
	if b.own != nil {
		return b.own.call(f, fn, chosen)
	}
	c := f.call
	m := do("call").set("name", value.String(fn.name)).set("path", value.String(fn.path)).set("kind",
		value.Int(fn.kind)).set("dispatch", value.Int(chosen)).
		set("arguments", value.NewArray(c.Args...)).set("scope", value.Int(len(b.frames)-1))
	if c.Block != nil && !fn.old {
		m.set("block", shape(c.Block))
	}
	v, err := b.do(m)
	if err != nil {
		return nil, err
	}
	return b.reader(f).value(v)
}

// choose finds the first signature that accepts arguments. A 3.x function counts its arguments itself.
func (fn *function) choose(args []value.Value, given *eval.Lambda) (int, error) {
	var block *types.Callable
	if given != nil {
		block = given.Type()
	}
	for i, t := range fn.callable {
		if fn.old || t.Accepts(args, block) {
			return i, nil
		}
	}
	return 0, fn.mismatch(args, block)
}

// shape is what Ruby code can know about a block.
func shape(l *eval.Lambda) value.Value {
	least, most := l.Arity()
	b := value.NewHashBuilder(3)
	b.SetString("least", value.Int(least))
	b.SetString("most", value.Undef{})
	if most >= 0 {
		b.SetString("most", value.Int(most))
	}
	b.SetString("names", value.Strings(l.ParamNames()...))
	return b.Hash()
}

// mismatch words that no signature fits. Those that only word mismatches themselves are not listed.
func (fn *function) mismatch(args []value.Value, block *types.Callable) error {
	var list []types.Signature
	for i, d := range fn.dispatches {
		if !d.mismatch {
			list = append(list, types.Signature{Type: fn.callable[i], Names: d.names})
		}
	}
	return errors.New(types.DescribeSignatures(fn.name, list, args, block))
}

// prepare reads the signatures with the aliases that a compile knows.
func (fn *function) prepare(ev *eval.Evaluator) error {
	if fn.ev == ev {
		return nil
	}
	aliases := map[string]*types.Alias{}
	var load types.Load
	load = func(name string) (types.T, error) {
		key := strings.ToLower(name)
		text, local := fn.local[key]
		if !local {
			return ev.TypeNamed(name)
		}
		a := aliases[key]
		if a == nil {
			a = &types.Alias{Of: name}
			aliases[key] = a
			if err := a.Resolve(func() (types.T, error) { return types.Parse(text, load) }); err != nil {
				return nil, err
			}
		}
		return a, nil
	}
	read := func(text string) (types.T, error) {
		t, err := types.Parse(text, load)
		if err != nil {
			err = fmt.Errorf("Function Load Error for function '%s': Parsing of type string '\"%s\"' failed with message: <%w>.\n", fn.name, text, err)
		}
		return t, err
	}
	fn.callable = nil
	for _, d := range fn.dispatches {
		t, err := d.callable(read)
		if err != nil {
			return err
		}
		fn.callable = append(fn.callable, t)
	}
	fn.ev = ev
	return nil
}

func (d *dispatch) callable(read func(string) (types.T, error)) (*types.Callable, error) {
	ts := make([]types.T, len(d.types))
	for i, text := range d.types {
		var err error
		if ts[i], err = read(text); err != nil {
			return nil, err
		}
	}
	size := types.Range(int64(d.least), types.NoMax)
	if d.most >= 0 {
		size = types.Range(int64(d.least), int64(d.most))
		if d.least > 0 && d.least == d.most && len(ts) == d.most {
			size = nil
		}
	}
	var block, returns types.T
	var err error
	if d.block != "" {
		if block, err = read(d.block); err != nil {
			return nil, err
		}
		if d.blockOptional {
			block = types.NewOptional(block)
		}
	}
	if d.returns != "" {
		if returns, err = read(d.returns); err != nil {
			return nil, err
		}
	}
	return types.NewCallable(types.NewTuple(ts, size), block, returns), nil
}

// reader makes values of what Ruby sends.
func (b *Bridge) reader(f *frame) reader {
	return reader{parseType: f.call.Eval.ParseType, function: f.name}
}
