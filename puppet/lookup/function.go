package lookup

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/trace"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What Scope.Call may say instead of a value.
var (
	ErrNoFunction = errors.New("no such function")
	ErrRuby       = errors.New("the function is written in Ruby")
	ErrNotFound   = errors.New("the function has no value for the key")
)

// A FunctionCall is a call of a data provider function.
type FunctionCall struct {
	Kind     string // data_hash, lookup_key, data_dig, v4_data_hash
	Name     string
	Key      string        // of lookup_key
	Segments []value.Value // of data_dig: the root key and the segments behind it
	Options  *value.Hash   // with path or uri of the location
	Context  *Context
	Module   string // whose hierarchy it is, "" for none
	Unknown  string // set by Scope.Call with ErrRuby: why nobody knows what the function gives
}

// An Asker is a scope that knows what decided that it asks. What functions keep in their context depends on all
// questions so far.
type Asker interface{ Asking() provenance.Ref }

// A Context is what a data provider function sees as its argument of type Puppet::LookupContext. It lives as long as
// the hierarchy.
type Context struct {
	inv    *invocation
	module string
	cache  *value.HashBuilder
	filled provenance.Ref   // what decided that the cache has what it has
	hash   *item            // what data_hash returned
	keys   map[string]*item // what lookup_key and data_dig returned; an item without a value is "not found"
}

// ModuleName is context.module_name, undef outside of modules.
func (c *Context) ModuleName() value.Value {
	if c.module == "" {
		return value.Undef{}
	}
	return value.String(c.module)
}

// Interpolate is context.interpolate.
func (c *Context) Interpolate(v value.Value, ref provenance.Ref) (value.Value, provenance.Ref, error) {
	it, err := c.inv.interpolate(item{v, ref}, true)
	return it.v, it.ref, err
}

// Cache is context.cache and, called for each entry, context.cache_all. why is what decided that it is called.
func (c *Context) Cache(key, v value.Value, ref, why provenance.Ref) {
	c.cache.SetEntry(value.Entry{Key: key, Value: v, Ref: ref})
	c.filled = c.inv.s.trace.With(c.filled, why)
}

// Cached is context.cached_value and context.cache_has_key.
func (c *Context) Cached(key value.Value) (v value.Value, ref provenance.Ref, ok bool) {
	if e := c.cache.Entry(key); e != nil {
		return e.Value, c.inv.s.trace.With(e.Ref, c.filled), true
	}
	return value.Undef{}, c.filled, false
}

// CachedEntries is context.cached_entries.
func (c *Context) CachedEntries() (*value.Hash, provenance.Ref) {
	b := value.NewHashBuilder(c.cache.Len())
	for _, e := range c.cache.Hash().Entries() {
		b.SetEntry(e)
	}
	c.cache = b.Hash().From(0)
	return b.Hash(), c.filled
}

// FileData is context.cached_file_data.
func (c *Context) FileData(path string) (string, error) {
	c.inv.s.log.Ask(trace.Question{Kind: trace.Content, Of: filepath.Clean(path)})
	text, err := c.inv.s.l.opt.Files.Read(filepath.Clean(path))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("No such file or directory @ rb_file_s_stat - %s", path) //lint:ignore ST1005 Ruby's wording
	}
	return text.Text, err
}

// Explain is context.explain.
func (c *Context) Explain(text func() string) { c.inv.explain.text(text) }

// ask calls a level's function for a key at a location.
func (inv *invocation) ask(ly *layer, lv *level, loc *location, key *Key, s *strategy) (item, bool, error) {
	switch lv.kind {
	case "data_hash", "v4_data_hash":
		return inv.askHash(ly, lv, loc, key.Root)
	case "lookup_key":
		return inv.askKey(ly, lv, loc, key)
	case "data_dig":
		return inv.askDig(ly, lv, loc, key)
	}
	return inv.unknown(lv, key.Root, "")
}

// format is that of the files which a level's function reads, if it is a built-in one that returns all data at once.
func (lv *level) format() (f format, ours bool) {
	switch lv.function {
	case "yaml_data":
		return yamlFormat, true
	case "json_data":
		return jsonFormat, true
	case "hocon_data":
		return hoconFormat, true
	}
	return 0, false
}

// entry is what a file of data has for a key; nil if it has none, or if it cannot be asked.
func (inv *invocation) entry(ly *layer, lv *level, loc *location, root string, f format) (*loaded, *datafile.Kid,
	error) {
	d := inv.s.data(loc, f)
	if d.err != nil {
		return nil, nil, inv.badFile(d.err, loc.path, f)
	}
	if d.file.Hash() == nil {
		if err := inv.noHash(ly, lv, loc, d, f); err != nil {
			return nil, nil, err
		}
	}
	inv.s.asksKey(d, root)
	entry := d.file.Kid(root)
	if entry == nil {
		inv.missing(d, root)
	}
	return d, entry, nil
}

// askHash is a level whose function returns all its data at once.
func (inv *invocation) askHash(ly *layer, lv *level, loc *location, root string) (item, bool, error) {
	f, ours := lv.format()
	if !ours {
		return inv.askHashFunction(ly, lv, loc, root)
	}
	if err := lv.checkFileOptions(loc); err != nil {
		return item{}, false, err
	}
	d, entry, err := inv.entry(ly, lv, loc, root, f)
	if entry == nil {
		return item{}, false, err
	}
	n := entry.Node
	if n.Has&datafile.Symbols != 0 {
		return item{}, false, inv.wrongType(lv, loc, root, ", in hash returned from ", symbolType(n), n.Place(d.file.Source))
	}
	if n.Has&datafile.OddKeys != 0 {
		return item{}, false, inv.wrongType(lv, loc, root, ", in hash returned from ", types.Infer(n.Value).String(),
			n.Place(d.file.Source))
	}
	it := inv.leaf(d, entry, root)
	if n.Has&datafile.Interpolation != 0 {
		if it, err = inv.interpolate(it, true); err != nil {
			return item{}, false, inv.placed(err, n.Place(d.file.Source))
		}
	}
	inv.explain.found(root, it.v)
	inv.explain.at(n.Place(d.file.Source))
	return it, true, nil
}

// missing notes that a file has not got a key.
func (inv *invocation) missing(d *loaded, root string) {
	inv.explain.notFound(root)
	if inv.s.trace != nil {
		inv.depend(inv.s.noKey(d, root))
	}
}

// noKey is the place of a key that a file has not got; it is put into words when somebody asks.
func (s *Session) noKey(d *loaded, root string) provenance.Ref {
	r := d.noKeys[root]
	if r == 0 {
		file := d.file.Source // a trace outlives the session
		r = s.trace.Leaves(1, func(int) provenance.Label {
			return provenance.Label{Kind: provenance.Absence, Path: "key " + datafile.Quoted(root) + " in file " + file.Name}
		})
		if d.noKeys == nil {
			d.noKeys = map[string]provenance.Ref{}
		}
		d.noKeys[root] = r
	}
	return r
}

// leaf is a value of a data file with its provenance, made once per session.
func (inv *invocation) leaf(d *loaded, entry *datafile.Kid, root string) item {
	if inv.s.trace == nil {
		return item{v: entry.Node.Value}
	}
	it, known := d.traced[root]
	if !known {
		it.v, it.ref = entry.Traced(inv.s.trace, d.file.Source, datafile.Quoted(root))
		if d.traced == nil {
			d.traced = make(map[string]item, min(d.file.Hash().Len(), 32))
		}
		d.traced[root] = it
	}
	return it
}

// placed adds the place of the data to an error that has none.
func (inv *invocation) placed(err error, p source.Place) error {
	if d, is := err.(*source.Diagnostic); is && !d.Place.Known() {
		e := *d
		e.Place = p
		return &e
	}
	return err
}

// checkFileOptions: the built-in functions take a path and nothing else.
func (lv *level) checkFileOptions(loc *location) error {
	if loc.kind == pathLocation && (lv.options == nil || lv.options.Len() == 0) {
		return nil
	}
	return fail("H0416", "'"+lv.function+
		"' one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this "+
		"data_hash function")
}

// badFile words trouble with reading a file.
func (inv *invocation) badFile(err error, path string, f format) error {
	d, is := err.(*source.Diagnostic)
	if !is {
		return fail("H0417", message(err))
	}
	e := *d
	text := strings.Replace(d.Summary, "("+inv.s.shown(path)+")", "("+path+")", 1)
	if f != yamlFormat {
		text = "(" + path + "): " + text
	}
	e.Code, e.Summary = "H0209", "Unable to parse "+text
	return &e
}

// noHash is a data file that holds something else, or nothing.
func (inv *invocation) noHash(ly *layer, lv *level, loc *location, d *loaded, f format) error {
	place := source.Place{File: d.file.Source}
	if f == yamlFormat {
		text := inv.s.shown(loc.path) + ": file does not contain a valid yaml hash"
		if empty := d.file.Root == nil || value.IsUndef(d.file.Root.Value) ||
			d.file.Root.Value == value.Value(value.Bool(false)); inv.s.l.opt.Strict == source.StrictError && !empty {
			return &source.Diagnostic{Code: "H0210", Summary: text, Place: place}
		}
		inv.s.warning("H0210", text, place)
		return nil
	}
	var v value.Value = value.Undef{}
	if d.file.Root != nil {
		v = d.file.Root.Value
	}
	return inv.notHash(lv, loc, v, place)
}

func (inv *invocation) notHash(lv *level, loc *location, v value.Value, place source.Place) error {
	err := types.AssertInstance("Value returned from "+lv.fullName()+loc.using(), types.Builtin("Hash"), v)
	if err == nil {
		return nil
	}
	return &source.Diagnostic{Code: "H0222", Summary: message(err), Place: place}
}

func (loc *location) using() string {
	if loc.kind == noLocation {
		return ""
	}
	return ", when using location '" + loc.path + "',"
}

func (inv *invocation) wrongType(lv *level, loc *location, key, how, actual string, place source.Place) error {
	return &source.Diagnostic{Code: "H0223", Place: place,
		Summary: "Value for key '" + key + "'" + how + lv.fullName() + loc.using() +
			" has wrong type, expects Puppet::LookupValue, got " + actual}
}

// symbolType is the type that Puppet infers for data with a Ruby symbol in it.
func symbolType(n *datafile.Node) string {
	if n.Symbol != "" {
		return "Runtime[ruby, 'Symbol']"
	}
	elem := ""
	for _, k := range n.Kids {
		t := "Any"
		if k.Node.Has&datafile.Symbols != 0 {
			t = symbolType(k.Node)
		}
		if elem != "" && elem != t {
			t = "Any"
		}
		elem = t
	}
	size := value.ToString(value.Int(len(n.Kids)))
	if h, is := n.Value.(*value.Hash); is {
		return "Hash[" + types.Infer(h.Keys()).(*types.Array).Elem.String() + ", " + elem + ", " + size + ", " + size + "]"
	}
	return "Array[" + elem + ", " + size + ", " + size + "]"
}

// contextAt is the context of a location, made at its first use.
func (inv *invocation) contextAt(ly *layer, loc *location) *Context {
	if loc.context == nil {
		loc.context = &Context{module: ly.module, cache: value.NewHashBuilder(0), keys: map[string]*item{}}
	}
	c := loc.context
	c.inv = inv
	if a, is := inv.scope.(Asker); is && inv.s.trace != nil {
		c.filled = inv.s.trace.With(c.filled, a.Asking())
	}
	return c
}

// callOptions are a level's options with the location added.
func (lv *level) callOptions(loc *location) *value.Hash {
	o := lv.options
	if o == nil {
		o = value.EmptyHash
	}
	switch loc.kind {
	case pathLocation:
		b := o.From(1)
		b.SetEntry(value.Entry{Key: value.String("path"), Value: value.String(loc.path), Ref: loc.ref})
		return b.Hash()
	case uriLocation:
		b := o.From(1)
		b.SetEntry(value.Entry{Key: value.String("uri"), Value: value.String(loc.path), Ref: loc.ref})
		return b.Hash()
	}
	return o
}

func (inv *invocation) run(ly *layer, lv *level, c *FunctionCall) (item, error) {
	v, ref, err := inv.scope.Call(c)
	switch {
	case errors.Is(err, ErrNoFunction):
		err := ly.config.fail("H0335", "Unable to find '"+lv.kind+"' function named '"+lv.function+"'", 0)
		if d, is := err.(*source.Diagnostic); is {
			d.About = []source.Subject{{Kind: source.MissingFunction, Name: lv.function}}
		}
		return item{}, err
	case err != nil:
		return item{ref: ref}, err
	}
	return item{value.OrUndef(v), ref}, nil
}

func (inv *invocation) askHashFunction(ly *layer, lv *level, loc *location, root string) (item, bool, error) {
	ctx := inv.contextAt(ly, loc)
	if ctx.hash == nil {
		call := &FunctionCall{Kind: lv.kind, Name: lv.function, Options: lv.callOptions(loc), Context: ctx, Module: ly.module}
		it, err := inv.run(ly, lv, call)
		if errors.Is(err, ErrRuby) {
			return inv.unknown(lv, root, call.Unknown)
		}
		if errors.Is(err, ErrNotFound) {
			inv.depend(it.ref)
			return item{}, false, nil
		}
		if err != nil {
			return item{}, false, err
		}
		if _, is := it.v.(*value.Hash); !is {
			return item{}, false, inv.notHash(lv, loc, it.v, source.Place{})
		}
		ctx.hash = &it
	}
	e := ctx.hash.v.(*value.Hash).EntryString(root)
	if e == nil {
		inv.explain.notFound(root)
		inv.depend(ctx.hash.ref)
		for _, other := range ctx.hash.v.(*value.Hash).Entries() { // any of its keys could have been this one
			inv.depend(other.KeyRef)
		}
		return item{}, false, nil
	}
	it, err := inv.interpolate(item{e.Value,
		inv.s.trace.With(e.Ref, ctx.hash.ref, inv.s.keyRef(ctx.hash.v.(*value.Hash), e))}, true)
	if err != nil {
		return item{}, false, err
	}
	inv.explain.found(root, it.v)
	return it, true, nil
}

func (inv *invocation) askKey(ly *layer, lv *level, loc *location, key *Key) (item, bool, error) {
	if lv.function == "eyaml_lookup_key" {
		return inv.askEyaml(ly, lv, loc, key.Root)
	}
	return inv.askOnce(ly, lv, loc, key.Root, &FunctionCall{Kind: lv.kind, Name: lv.function, Key: key.Root},
		func(it item) item { return it })
}

func (inv *invocation) askDig(ly *layer, lv *level, loc *location, key *Key) (item, bool, error) {
	segments := append([]value.Value{value.String(key.Root)}, key.Segments...)
	return inv.askOnce(ly, lv, loc, key.Text, &FunctionCall{Kind: lv.kind, Name: lv.function, Segments: segments},
		key.undig)
}

// askOnce calls a function for one key, and remembers what it said.
func (inv *invocation) askOnce(ly *layer, lv *level, loc *location, name string, c *FunctionCall,
	wrap func(item) item) (item, bool, error) {
	ctx := inv.contextAt(ly, loc)
	it := ctx.keys[name]
	if it == nil {
		c.Options, c.Context, c.Module = lv.callOptions(loc), ctx, ly.module
		got, err := inv.run(ly, lv, c)
		if errors.Is(err, ErrRuby) {
			return inv.unknown(lv, strings.SplitN(name, ".", 2)[0], c.Unknown)
		}
		if errors.Is(err, ErrNotFound) {
			inv.explain.notFound(name)
			inv.depend(got.ref)
			return item{}, false, nil
		}
		if err != nil {
			return item{}, false, err
		}
		if !types.IsInstance(types.LookupValueT, got.v) {
			return item{}, false, inv.wrongType(lv, loc, name, ", returned from ", types.Infer(got.v).String(), source.Place{})
		}
		it = &got
		ctx.keys[name] = it
	}
	inv.explain.found(name, it.v)
	return wrap(*it), true, nil
}

// unknown is what a level answers whose function we cannot run: something that says so. Two questions have a safe
// answer: for lookup_options, which such functions hardly ever have, and for keys that the level's option
// confine_to_keys excludes.
func (inv *invocation) unknown(lv *level, root, why string) (item, bool, error) {
	what := "Hiera's " + lv.fullName() + ", which is written in Ruby"
	if lv.kind == "hiera3_backend" {
		what = "Hiera's " + lv.fullName()
	}
	if why != "" {
		what += " (" + why + ")"
	}
	inv.s.warning("H0340", "The data of level \""+lv.name+"\" is unknown: it comes from "+what, source.Place{})
	if root == lookupOptions || inv.s.l.opt.SkipRuby || !lv.confinedTo(root) {
		inv.explain.notFound(root)
		return item{}, false, nil
	}
	v := &value.Opaque{Why: "key " + root + " of " + what}
	inv.explain.found(root, v)
	return item{v, inv.s.trace.Leaf(provenance.Label{Kind: provenance.World, Path: v.Why})}, true, nil
}

func (lv *level) confinedTo(root string) bool {
	patterns, is := value.Value(nil), false
	if lv.options != nil {
		patterns, is = lv.options.GetString("confine_to_keys")
	}
	if !is {
		return true
	}
	for _, p := range stringList(patterns) {
		re, err := value.NewRegexp(p)
		if err != nil {
			return true
		}
		if ok, err := re.Re.Match(root); ok || err != nil {
			return true
		}
	}
	return false
}
