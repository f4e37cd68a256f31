package lookup

import (
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
)

// keyOptions is one merged lookup_options hash: options of single keys, and of patterns, in order.
type keyOptions struct {
	keys     map[string]*foundOptions
	patterns []patternOptions
	missed   provenance.Ref // where there might have been lookup_options, and how those places were found
	spine    provenance.Ref // which keys the merged hash has
	files    []string       // that have lookup_options
	more     provenance.Ref // that they have no further patterns
	none     *foundOptions  // what a key without options has, where that is the same for all keys
	err      error
}

type patternOptions struct {
	pattern *value.Regexp
	options *foundOptions
}

// foundOptions are the options of one key.
type foundOptions struct {
	hash *value.Hash
	ref  provenance.Ref // of the options with all in them
	own  provenance.Ref // of the entry alone
}

// optionsFor gives the lookup_options of a key. The result is never nil when tracing, so that their absence counts.
func (inv *invocation) optionsFor(key *Key) (*foundOptions, error) {
	o, known := inv.s.options[optionsName(key)]
	paused := inv.asksOptions(key)
	if !known {
		o = inv.retrieveOptions(key)
		inv.s.options[optionsName(key)] = o
	}
	if paused {
		inv.s.log.Resume()
	}
	if o.err != nil {
		delete(inv.s.options, optionsName(key)) // Puppet forgets too, and fails again
		return nil, o.err
	}
	return inv.extract(o, key.Root), nil
}

// extract finds the options of one key: those under its own name, else those of the first pattern that matches. A key
// that has none depends on that alone (no entry of its name and no further pattern in any file, and the patterns that
// do not match it), not on what other keys have.
func (inv *invocation) extract(o *keyOptions, root string) *foundOptions {
	t := inv.s.trace
	found := o.keys[root]
	if t == nil && found != nil {
		return found
	}
	same := found == nil && len(o.patterns) == 0 && len(o.files) == 0
	if same && o.none != nil {
		return o.none
	}
	var why []provenance.Ref
	holder := ""
	if found != nil {
		why = append(why, o.spine)
		if l, ok := t.Where(found.own); ok && l.Place.File != nil {
			holder = l.Place.File.Name
		}
	}
	for i := 0; i < len(o.patterns) && found == nil; i++ {
		p := o.patterns[i]
		if ok, _ := p.pattern.Re.Match(root); ok {
			found = p.options
			why = append(why, o.spine, o.more)
		} else if t != nil {
			why = append(why, p.options.own)
		}
	}
	if t == nil {
		return found
	}
	if found == nil {
		found = &foundOptions{hash: value.EmptyHash, ref: o.more}
	}
	for _, f := range o.files {
		if f != holder {
			why = append(why, inv.s.absence(f, "key "+lookupOptions+"."+datafile.Segment(value.String(root))+" in file "))
		}
	}
	found = &foundOptions{hash: found.hash, ref: t.Join(append(why, found.ref, o.missed)...)}
	if same {
		o.none = found
	}
	return found
}

// optionsName tells "no module" from a module.
func optionsName(key *Key) string {
	if !key.qualified {
		return ""
	}
	return "::" + key.Module
}

func (inv *invocation) retrieveOptions(key *Key) *keyOptions {
	meta := inv.meta()
	k := &Key{Text: lookupOptions, Root: lookupOptions}
	defer meta.begin(k, inv.module)()
	defer meta.explain.push(&Event{Kind: Searching, Name: lookupOptions})()
	var it layerOptions
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
			var mod layerOptions
			mod, err = meta.moduleLookupOptions(k, key.Module)
			missed := inv.s.trace.Join(it.missed, mod.missed)
			switch {
			case err != nil:
			case it.v == nil:
				it.item = mod.item
			case mod.v != nil:
				it.item, err = meta.mergeModuleOptions(key.Module, it.item, mod.item)
			}
			it.missed = missed
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

// layerOptions are the lookup_options of a layer, without a value when it has none. missed is where they might have
// been, too.
type layerOptions struct {
	item
	missed provenance.Ref
}

func (inv *invocation) globalLookupOptions(k *Key) (layerOptions, error) {
	if inv.s.globalOptions == nil {
		o, err := inv.layerOptions(func() (item, bool, error) { return inv.lookupGlobal(k, hashStrategy) }, "")
		if err != nil {
			return layerOptions{}, err
		}
		inv.s.globalOptions = &o
	}
	return *inv.s.globalOptions, nil
}

func (inv *invocation) environmentLookupOptions(k *Key) (layerOptions, error) {
	if inv.s.envOptions != nil {
		return *inv.s.envOptions, nil
	}
	global, err := inv.globalLookupOptions(k)
	if err != nil {
		return layerOptions{}, err
	}
	o, err := inv.layerOptions(func() (item, bool, error) { return inv.lookupEnvironment(k, hashStrategy) }, "")
	if err != nil {
		return layerOptions{}, err
	}
	o.missed = inv.s.trace.Join(global.missed, o.missed)
	switch {
	case global.v == nil:
	case o.v == nil:
		o.item = global.item
	default:
		if o.item, err = hashMerge(inv, global.item, o.item); err != nil {
			return layerOptions{}, err
		}
	}
	inv.s.envOptions = &o
	return o, nil
}

func (inv *invocation) moduleLookupOptions(k *Key, module string) (layerOptions, error) {
	return inv.layerOptions(func() (item, bool, error) { return inv.lookupModule(k, hashStrategy) }, module)
}

func (inv *invocation) layerOptions(look func() (item, bool, error), module string) (layerOptions, error) {
	saved, missed := inv.deps, inv.missed
	inv.deps, inv.missed = nil, nil
	it, found, err := look()
	o := layerOptions{it, inv.conclude(0)}
	inv.deps, inv.missed = saved, missed
	if err != nil {
		return layerOptions{}, err
	}
	if _, opaque := it.v.(*value.Opaque); !found || opaque {
		return layerOptions{missed: inv.s.trace.Join(o.missed, it.ref)}, nil
	}
	return o, validateOptions(it.v, module)
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

func (inv *invocation) compileOptions(it layerOptions) *keyOptions {
	o := &keyOptions{keys: map[string]*foundOptions{}, missed: it.missed, spine: it.ref}
	h, is := it.v.(*value.Hash)
	if !is {
		return o
	}
	for _, l := range inv.s.trace.Depends(it.ref) {
		if f := l.Place.File; l.Kind == provenance.Datum && f != nil && !slices.Contains(o.files, f.Name) {
			o.files = append(o.files, f.Name)
			o.more = inv.s.trace.Join(o.more, inv.s.absence(f.Name, "key "+lookupOptions+".^… in file "))
		}
	}
	for _, e := range h.Entries() {
		options, is := e.Value.(*value.Hash)
		if !is {
			options = value.EmptyHash
		}
		found := &foundOptions{options, inv.s.deep(item{e.Value, e.Ref}), e.Ref}
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
	var merge value.Value
	if found := inv.extract(opts, key.Root); found != nil {
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
