package lookup

import (
	"strings"

	"bunraku/provenance"
	"bunraku/value"
)

// keyOptions is one merged lookup_options hash: options of single keys, and of patterns, in order.
type keyOptions struct {
	keys     map[string]*foundOptions
	patterns []patternOptions
	ref      provenance.Ref // of the merged hash, and of every place it was missed at
	err      error
}

type patternOptions struct {
	pattern *value.Regexp
	options *foundOptions
}

// foundOptions are the options of one key.
type foundOptions struct {
	hash *value.Hash
	ref  provenance.Ref
}

// optionsFor gives the lookup_options of a key. The result is never nil when tracing, so that their absence counts.
func (inv *invocation) optionsFor(key *Key) (*foundOptions, error) {
	o, known := inv.s.options[optionsName(key)]
	if !known {
		o = inv.retrieveOptions(key)
		inv.s.options[optionsName(key)] = o
	}
	if o.err != nil {
		delete(inv.s.options, optionsName(key)) // Puppet forgets too, and fails again
		return nil, o.err
	}
	found := o.extract(key.Root)
	if inv.s.trace == nil {
		return found, nil
	}
	if found == nil {
		return &foundOptions{value.EmptyHash, o.ref}, nil
	}
	return &foundOptions{found.hash, inv.s.trace.Join(o.ref, found.ref)}, nil
}

// optionsName tells "no module" from a module.
func optionsName(key *Key) string {
	if !key.qualified {
		return ""
	}
	return "::" + key.Module
}

func (o *keyOptions) extract(root string) *foundOptions {
	if o == nil {
		return nil
	}
	if h := o.keys[root]; h != nil {
		return h
	}
	for _, p := range o.patterns {
		if ok, _ := p.pattern.Re.Match(root); ok {
			return p.options
		}
	}
	return nil
}

func (inv *invocation) retrieveOptions(key *Key) *keyOptions {
	meta := inv.meta()
	k := &Key{Text: lookupOptions, Root: lookupOptions}
	defer meta.begin(k, inv.module)()
	defer meta.explain.push(&Event{Kind: Searching, Name: lookupOptions})()
	var it item
	var err error
	if meta.isGlobalOnly() {
		it, err = meta.globalLookupOptions(k)
	} else {
		it, err = meta.environmentLookupOptions(k)
		if err == nil && key.qualified {
			if _, known := inv.s.options[""]; !known {
				if o := meta.compileOptions(it); o.err == nil {
					inv.s.options[""] = o
				}
			}
			var mod item
			mod, err = meta.moduleLookupOptions(k, key.Module)
			switch {
			case err != nil:
			case it.v == nil:
				it = item{mod.v, inv.s.trace.With(mod.ref, it.ref)}
			case mod.v != nil:
				it, err = meta.mergeModuleOptions(key.Module, it, mod)
			default:
				it.ref = inv.s.trace.With(it.ref, mod.ref)
			}
		}
	}
	if err != nil {
		return &keyOptions{err: err}
	}
	return meta.compileOptions(it)
}

// mergeModuleOptions puts a module's own options below those of the upper layers.
func (inv *invocation) mergeModuleOptions(module string, upper, own item) (item, error) {
	it, _, err := hashStrategy.lookup(inv, 2, func(i int) (item, bool, error) {
		name, it := "Global and Environment", upper
		if i == 1 {
			name, it = "Module "+module, own
		}
		defer inv.explain.push(&Event{Kind: Scoped, Name: name})()
		inv.explain.found(lookupOptions, it.v)
		return it, true, nil
	})
	return it, err
}

// A layer's lookup_options are an item without a value when there are none; its provenance is then where they were missed.

func (inv *invocation) globalLookupOptions(k *Key) (item, error) {
	if inv.s.globalOptions == nil {
		it, err := inv.layerOptions(func() (item, bool, error) { return inv.lookupGlobal(k, hashStrategy) }, "")
		if err != nil {
			return item{}, err
		}
		inv.s.globalOptions = &it
	}
	return *inv.s.globalOptions, nil
}

func (inv *invocation) environmentLookupOptions(k *Key) (item, error) {
	if inv.s.envOptions != nil {
		return *inv.s.envOptions, nil
	}
	global, err := inv.globalLookupOptions(k)
	if err != nil {
		return item{}, err
	}
	it, err := inv.layerOptions(func() (item, bool, error) { return inv.lookupEnvironment(k, hashStrategy) }, "")
	if err != nil {
		return item{}, err
	}
	switch {
	case global.v == nil:
		it.ref = inv.s.trace.With(it.ref, global.ref)
	case it.v == nil:
		it = item{global.v, inv.s.trace.With(global.ref, it.ref)}
	default:
		if it, err = hashMerge(inv, global, it); err != nil {
			return item{}, err
		}
	}
	inv.s.envOptions = &it
	return it, nil
}

func (inv *invocation) moduleLookupOptions(k *Key, module string) (item, error) {
	return inv.layerOptions(func() (item, bool, error) { return inv.lookupModule(k, hashStrategy) }, module)
}

func (inv *invocation) layerOptions(look func() (item, bool, error), module string) (item, error) {
	saved := inv.deps
	inv.deps = nil
	it, found, err := look()
	it.ref = inv.conclude(it.ref)
	inv.deps = saved
	if err != nil {
		return item{}, err
	}
	if _, opaque := it.v.(*value.Opaque); !found || opaque {
		return item{ref: it.ref}, nil
	}
	return it, validateOptions(it.v, module)
}

func validateOptions(v value.Value, module string) error {
	h, is := v.(*value.Hash)
	if !is {
		return fail("H0207", "value of lookup_options must be a hash")
	}
	if module == "" {
		return nil
	}
	for _, e := range h.Entries() {
		key := value.ToString(e.Key)
		if rest, pattern := strings.CutPrefix(key, "^"); pattern {
			if !strings.HasPrefix(rest, module+"::") {
				return fail("H0208", "all lookup_options patterns must match a key starting with module name '"+module+"'")
			}
		} else if !strings.HasPrefix(key, module+"::") {
			return fail("H0208", "all lookup_options keys must start with module name '"+module+"'")
		}
	}
	return nil
}

func (inv *invocation) compileOptions(it item) *keyOptions {
	o := &keyOptions{keys: map[string]*foundOptions{}, ref: it.ref}
	h, is := it.v.(*value.Hash)
	if !is {
		return o
	}
	for _, e := range h.Entries() {
		options, is := e.Value.(*value.Hash)
		if !is {
			options = value.EmptyHash
		}
		found := &foundOptions{options, inv.s.deep(item{e.Value, e.Ref})}
		key := value.ToString(e.Key)
		if !strings.HasPrefix(key, "^") {
			o.keys[key] = found
			continue
		}
		re, err := value.NewRegexp(key)
		if err != nil {
			o.err = fail("H0402", message(err))
			return o
		}
		o.patterns = append(o.patterns, patternOptions{re, found})
	}
	return o
}

// defaultHierarchy asks the default_hierarchy of the key's module.
func (inv *invocation) defaultHierarchy(key *Key) (item, bool, error) {
	if !key.qualified {
		return item{}, false, nil
	}
	mod, err := inv.moduleLayer(key.Module)
	if err != nil || mod == nil || mod.config.defaultHierarchy == nil {
		return item{}, false, err
	}
	defer inv.explain.push(&Event{Kind: Scoped, Name: "Searching default_hierarchy of module \"" + key.Module + "\""})()
	opts, known := inv.s.defaultOptions[key.Module]
	if !known {
		if opts, err = inv.defaultHierarchyOptions(mod, key.Module); err != nil {
			return item{}, false, err
		}
		inv.s.defaultOptions[key.Module] = opts
	}
	inv.depend(opts.ref)
	var merge value.Value
	if found := opts.extract(key.Root); found != nil {
		inv.depend(found.ref)
		merge, _ = found.hash.GetString("merge")
		if value.IsUndef(merge) {
			merge = nil
		}
	}
	strategy, err := newStrategy(merge)
	if err != nil {
		return item{}, false, err
	}
	defer inv.explain.push(&Event{Kind: Scoped, Name: "Searching for \"" + key.Text + "\""})()
	return inv.lookupInDefault(mod, key, strategy)
}

func (inv *invocation) defaultHierarchyOptions(mod *layer, module string) (*keyOptions, error) {
	meta := inv.meta()
	k := &Key{Text: lookupOptions, Root: lookupOptions}
	defer meta.begin(k, module)()
	defer inv.explain.push(&Event{Kind: Scoped, Name: "Searching for \"lookup_options\""})()
	it, err := meta.layerOptions(func() (item, bool, error) { return meta.lookupInDefault(mod, k, hashStrategy) }, module)
	if err != nil {
		return nil, err
	}
	o := meta.compileOptions(it)
	return o, o.err
}
