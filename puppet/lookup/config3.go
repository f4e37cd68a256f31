package lookup

import (
	"path/filepath"
	"strconv"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// This file is what is left of Hiera 3: its hiera.yaml in the global layer, and version 4, which no release documented
// for long.

// hieraScope is a scope as version 3 hierarchies see it: an empty string is nothing, and the calling class and module
// have names.
type hieraScope struct{ Scope }

func (h hieraScope) Variable(name string) (value.Value, provenance.Ref, bool) {
	var v value.Value
	var ref provenance.Ref
	known := true
	switch name {
	case "calling_class":
		v = emptyUndef(value.Downcase(h.CallingClass()))
	case "calling_class_path":
		v = emptyUndef(strings.ReplaceAll(value.Downcase(h.CallingClass()), "::", "/"))
	case "calling_module":
		v, ref, _ = h.Scope.Variable("module_name")
	default:
		v, ref, known = h.Scope.Variable(name)
	}
	if s, is := v.(value.String); is && s == "" {
		v = value.Undef{}
	}
	return value.OrUndef(v), ref, known
}

func emptyUndef(s string) value.Value {
	if s == "" {
		return value.Undef{}
	}
	return value.String(s)
}

// global3 asks a version 3 global layer.
func (inv *invocation) global3(ly *layer, key *Key, s *strategy) (item, bool, error) {
	if _, wrapped := inv.scope.(hieraScope); !wrapped {
		sub := inv.child(hieraScope{inv.scope})
		if !inv.isGlobalOnly() && !inv.s.hasEnvironmentData(inv) {
			sub.globalOnly = true
		}
		sub.reads = inv.reads
		done := sub.begin(key, inv.module)
		it, found, err := sub.global3(ly, key, s)
		done()
		inv.deps = append(inv.deps, sub.deps...)
		return it, found, err
	}
	if own := ly.config.strategy3(); own != nil && inv.hiera && s.isHash() {
		var err error
		if s, err = newStrategy(own); err != nil {
			return item{}, false, err
		}
		inv.v3Merge = true
	}
	it, found, err := inv.lookupLayer(ly, key, s)
	if err != nil || !found || !inv.hiera {
		return it, found, err
	}
	if s.isHash() || s.isDeep() {
		if err := types.AssertInstance("value", types.Builtin("Hash"), it.v); err != nil {
			return item{}, false, fail("H0224", message(err))
		}
	}
	if len(key.Segments) > 0 && (s.isHash() || s.name == "unique") {
		kind := "array"
		if s.isHash() {
			kind = "hash"
		}
		return item{}, false, fail("H0211", "Resolution type :"+kind+
			" is illegal when accessing values using dotted keys. Offending key was '"+key.Text+"'")
	}
	return it, true, nil
}

// strategy3 is the merge that a version 3 hiera.yaml asks for, nil for the native one.
func (c *config) strategy3() value.Value {
	behavior := textOf(c.v3, "merge_behavior", "native")
	if behavior == "native" {
		return nil
	}
	b := value.NewHashBuilder(2)
	b.SetString("strategy", value.String(map[string]string{"deep": "reverse_deep",
		"deeper": "unconstrained_deep"}[behavior]))
	if o, is := c.v3.At("deep_merge_options").(*value.Hash); is {
		for _, e := range o.Entries() {
			b.SetEntry(e)
		}
	}
	return b.Hash()
}

func (inv *invocation) levels3(c *config) ([]*level, error) {
	var levels []*level
	seen := map[string]bool{}
	for _, backend := range stringList(c.v3.At("backends")) {
		if seen[backend] {
			return nil, inv.multiply(c, "Backend '"+backend+"' is defined more than once.", backend)
		}
		seen[backend] = true
		options, _ := c.v3.At(backend).(*value.Hash)
		if options == nil {
			options = value.EmptyHash
		}
		it, err := inv.interpolate(item{options, 0}, false)
		if err != nil {
			return nil, err
		}
		options = it.v.(*value.Hash)
		dir := textOf(options, "datadir", "")
		if dir == "" {
			if dir, _, err = inv.text(filepath.Join(inv.s.l.site.CodeDir, "environments", "%{::environment}", "hieradata"),
				0); err != nil {
				return nil, err
			}
		}
		dir = inv.s.moved(dir)
		extension := "." + backend
		if backend == "hocon" {
			extension = ".conf"
		}
		if e := textOf(options, "extension", ""); e != "" {
			extension = "." + e
		}
		lv := &level{name: backend, kind: "data_hash", function: backend + "_data", datadir: dir, v3: true}
		switch backend {
		case "yaml", "json", "hocon":
		case "eyaml":
			lv.kind, lv.function, lv.options = "lookup_key", "eyaml_lookup_key", options
		default:
			lv.kind, lv.function = "hiera3_backend", backend
		}
		declared := stringList(c.v3.At("hierarchy"))
		refs := inv.leavesAt(c, len(declared), "hierarchy")
		if lv.locations, err = inv.paths(dir, declared, extension, refs, c.path == ""); err != nil {
			return nil, err
		}
		if lv.kind == "hiera3_backend" && len(lv.locations) == 0 {
			lv.locations = []*location{{}}
		}
		levels = append(levels, lv)
	}
	return levels, nil
}

// extraLocations are the paths that a caller of hiera() puts in front.
func (inv *invocation) extraLocations(ly *layer, lv *level) ([]*location, error) {
	return inv.paths(lv.datadir, inv.extraPaths, "."+lv.name, make([]provenance.Ref, len(inv.extraPaths)), false)
}

func (inv *invocation) levels4(c *config) ([]*level, error) {
	var levels []*level
	seen := map[string]bool{}
	for i, he := range c.hierarchy {
		lv := &level{name: textOf(he, "name", ""), kind: "data_hash"}
		if seen[lv.name] {
			return nil, inv.multiply(c, "Hierarchy name '"+lv.name+"' defined more than once.", lv.name)
		}
		seen[lv.name] = true
		at := []string{"hierarchy", strconv.Itoa(i)}
		paths, key := stringList(he.At("paths")), "paths"
		if value.IsUndef(he.At("paths")) {
			if paths, key = []string{textOf(he, "path", lv.name)}, "path"; he.EntryString("path") == nil {
				key = "name"
			}
		}
		backend := textOf(he, "backend", "")
		extension := "." + backend
		switch backend {
		case "yaml", "json":
		case "hocon":
			extension = ".conf"
		default:
			return nil, c.fail("H0336", "No data provider is registered for backend '"+backend+"'", c.findLine(backend))
		}
		lv.function = backend + "_data"
		dir := inv.s.moved(join(c.root, textOf(he, "datadir", textOf(c.defaults, "datadir", "data"))))
		directory := inv.leafAt(c, append(at, "datadir")...)
		if directory == 0 {
			directory = inv.leafAt(c, "datadir")
		}
		refs := inv.leavesAt(c, len(paths), append(at, key)...)
		for i := range refs {
			refs[i] = inv.s.trace.Join(refs[i], directory)
		}
		lv.how = inv.leafAt(c, append(at, "backend")...)
		var err error
		if lv.locations, err = inv.paths(dir, paths, extension, refs, c.path == ""); err != nil {
			return nil, err
		}
		levels = append(levels, lv)
	}
	return levels, nil
}
