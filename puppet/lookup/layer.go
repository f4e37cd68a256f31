package lookup

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A layer is one of the three places data comes from: global, environment, or a module.
type layer struct {
	who      owner
	module   string
	config   *config
	resolved *resolved
}

// name is how explanations call the layer.
func (ly *layer) name() string {
	n := [...]string{"Global ", "Environment ", "Module "}[ly.who]
	if ly.who == moduleLayer {
		n += "\"" + ly.module + "\" "
	}
	return n + "Data Provider (hiera configuration version " + string(rune('0'+ly.config.version)) + ")"
}

// lookupGlobal asks the global layer. Plain lookup errors in it are reported as failures of the key that was asked for
// at the top.
func (inv *invocation) lookupGlobal(key *Key, s *strategy) (item, bool, error) {
	it, found, err := inv.global(key, s)
	if d, is := err.(*source.Diagnostic); is && d.Code >= "H01" && d.Code < "H03" {
		top := key.Text
		if inv.key != nil {
			top = inv.key.Text
		}
		e := *d
		e.Code, e.Summary = "H0230", "Lookup of key '"+top+"' failed: "+d.Summary
		err = &e
	}
	return it, found, err
}

func (inv *invocation) global(key *Key, s *strategy) (item, bool, error) {
	ly, err := inv.globalLayer()
	defer inv.s.leaveLayer(inv.asksLayer(globalData, ly, err, key, s))
	if err != nil || ly == nil {
		return item{}, false, err
	}
	if err := inv.enter(key.Text); err != nil {
		return item{}, false, err
	}
	defer inv.leave()
	if ly.config.version == 3 {
		return inv.global3(ly, key, s)
	}
	return inv.lookupLayer(ly, key, s)
}

func (inv *invocation) globalLayer() (*layer, error) {
	s := inv.s
	if s.global == nil {
		if s.l.site.GlobalConfig == "" {
			return nil, nil
		}
		c, err := s.configAt(s.l.site.GlobalConfig, globalLayer)
		if err != nil {
			return nil, err
		}
		if c.version == 4 {
			return nil, c.fail("H0331", "hiera.yaml version 4 cannot be used in the global layer", 0)
		}
		s.global = &layer{who: globalLayer, config: c}
	}
	return s.global, nil
}

// lookupEnvironment asks the environment's own data.
func (inv *invocation) lookupEnvironment(key *Key, s *strategy) (item, bool, error) {
	ly, err := inv.environmentLayer()
	defer inv.s.leaveLayer(inv.asksLayer(environmentData, ly, err, key, s))
	if err != nil || ly == nil {
		inv.noConfig(inv.s.l.site.Dir)
		return item{}, false, err
	}
	if err := inv.enter(key.Text); err != nil {
		return item{}, false, err
	}
	defer inv.leave()
	return inv.lookupLayer(ly, key, s)
}

func (inv *invocation) environmentLayer() (*layer, error) {
	s := inv.s
	if s.envDone {
		return s.env, nil
	}
	if s.l.site.Dir == "" {
		s.envDone = true
		return nil, nil
	}
	c, err := inv.placeConfig(s.l.site.Dir, s.l.site.DataProvider, environmentLayer, "environment::data")
	if err != nil {
		if d, is := err.(*providerError); is {
			err = fail("H0413", "Environment '"+s.l.site.Environment+"', cannot find environment_data_provider '"+d.name+"'")
		}
		return nil, err
	}
	if s.envDone = true; c != nil {
		s.env = &layer{who: environmentLayer, config: c}
	}
	return s.env, nil
}

type providerError struct{ name string }

func (e *providerError) Error() string { return "no data provider " + e.name }

// placeConfig is the configuration of an environment or module: its hiera.yaml of version 5, or what the old setting
// data_provider says.
func (inv *invocation) placeConfig(dir, provider string, who owner, function string) (*config, error) {
	s := inv.s
	path := filepath.Join(dir, "hiera.yaml")
	var c *config
	if s.l.exists(path) {
		var err error
		if c, err = s.configAt(path, who); err != nil {
			return nil, err
		}
		if c.version == 3 {
			where := [...]string{"", "an environment", "a module"}[who]
			if s.l.opt.Strict == source.StrictError {
				return nil, c.fail("H0332", "hiera.yaml version 3 cannot be used in "+where, 0)
			}
			s.warning("H0332", "hiera.yaml version 3 found at "+[...]string{"", "the environment", "module"}[who]+
				" root was ignored", source.Place{File: c.file.Source})
			c = nil
		} else if c.version >= 5 {
			provider = ""
		}
	}
	switch provider {
	case "":
		return c, nil
	case "none":
		return nil, nil
	case "hiera":
		if c == nil {
			c = defaultConfig(dir)
		}
		return c, nil
	case "function":
		return &config{version: 5, root: dir, defaults: value.EmptyHash, hierarchy: []*value.Hash{
			value.NewHash(value.String("name"), value.String("Legacy function '"+function+"'"), value.String("v4_data_hash"),
				value.String(function))}}, nil
	}
	return nil, &providerError{provider}
}

// hasEnvironmentData reports whether the environment has a version 5 configuration.
func (s *Session) hasEnvironmentData(inv *invocation) bool {
	s.asksConfig(filepath.Join(s.l.site.Dir, "hiera.yaml"))
	ly, err := inv.environmentLayer()
	return err == nil && ly != nil && ly.config.version >= 5
}

// lookupModule asks the module that a qualified key names.
func (inv *invocation) lookupModule(key *Key, s *strategy) (item, bool, error) {
	if inv.module == "" {
		return item{}, false, nil
	}
	ly, err := inv.moduleLayer(inv.module)
	defer inv.s.leaveLayer(inv.asksLayer(inv.module, ly, err, key, s))
	if err != nil {
		return item{}, false, err
	}
	if ly == nil {
		if inv.explain != nil || inv.s.trace != nil {
			kind := NoModule
			if dir, _, exists := inv.s.l.moduleDir(inv.module); exists {
				kind = NoModuleData
				inv.noConfig(dir)
			}
			inv.explain.add(&Event{Kind: kind, Name: inv.module})
		}
		return item{}, false, nil
	}
	if err := inv.enter(key.Text); err != nil {
		return item{}, false, err
	}
	defer inv.leave()
	return inv.lookupLayer(ly, key, s)
}

// noConfig notes that a place has no hiera.yaml.
func (inv *invocation) noConfig(dir string) {
	if inv.s.trace != nil && dir != "" {
		s := inv.s
		ref := s.noConfigs[dir]
		if ref == 0 {
			ref = s.noFile(filepath.Join(dir, "hiera.yaml"))
			s.noConfigs[dir] = ref
		}
		inv.depend(ref)
	}
}

func (l *Lookup) moduleDir(name string) (dir, provider string, ok bool) {
	if l.site.Module == nil {
		return "", "", false
	}
	return l.site.Module(name)
}

// moduleLayer is a module's data, nil when there is none.
func (inv *invocation) moduleLayer(name string) (*layer, error) {
	s := inv.s
	if ly, known := s.modules[name]; known {
		return ly, nil
	}
	s.log.Ask(trace.Question{Kind: trace.Directory, Of: name})
	dir, provider, ok := s.l.moduleDir(name)
	if !ok {
		s.modules[name] = nil
		return nil, nil
	}
	c, err := inv.placeConfig(dir, provider, moduleLayer, name+"::data")
	if err != nil {
		if d, is := err.(*providerError); is {
			err = fail("H0413", "Environment '"+s.l.site.Environment+"', cannot find module_data_provider '"+d.name+"'")
		}
		return nil, err
	}
	var ly *layer
	if c != nil {
		ly = &layer{who: moduleLayer, module: name, config: c}
	}
	s.modules[name] = ly
	return ly, nil
}

// lookupLayer searches the hierarchy of a layer.
func (inv *invocation) lookupLayer(ly *layer, key *Key, s *strategy) (item, bool, error) {
	if inv.explain != nil {
		defer inv.explain.push(&Event{Kind: Layer, Name: ly.name(), Path: ly.config.path})()
	}
	r, err := inv.hierarchy(ly)
	if err != nil {
		return item{}, false, err
	}
	inv.depend(r.ref)
	return inv.lookupLevels(ly, r.levels, key, s)
}

// lookupInDefault searches the default hierarchy of a module.
func (inv *invocation) lookupInDefault(ly *layer, key *Key, s *strategy) (item, bool, error) {
	defer inv.s.leaveLayer(inv.asksLayer(defaultData+ly.module, ly, nil, key, s))
	r, err := inv.hierarchy(ly)
	if err != nil {
		return item{}, false, err
	}
	inv.depend(r.ref)
	if len(r.defaults) == 0 {
		inv.explain.notFound(key.Text)
		return item{}, false, nil
	}
	if err := inv.enter(key.Text); err != nil {
		return item{}, false, err
	}
	defer inv.leave()
	if inv.explain != nil {
		defer inv.explain.push(&Event{Kind: Layer, Name: ly.name(), Path: ly.config.path})()
	}
	return inv.lookupLevels(ly, r.defaults, key, s)
}

func (inv *invocation) lookupLevels(ly *layer, levels []*level, key *Key, s *strategy) (item, bool, error) {
	if len(levels) == 0 {
		inv.explain.notFound(key.Text)
		return item{}, false, nil
	}
	return s.lookup(inv, len(levels), func(i int) (item, bool, error) { return inv.lookupLevel(ly, levels[i], key, s) })
}

// lookupLevel asks one entry of a hierarchy, at each of its locations.
func (inv *invocation) lookupLevel(ly *layer, lv *level, key *Key, s *strategy) (item, bool, error) {
	if inv.explain != nil {
		defer inv.explain.push(&Event{Kind: Level, Name: lv.title()})()
	}
	inv.depend(lv.ref)
	inv.depend(lv.how)
	locations := lv.locations
	if lv.v3 && len(inv.extraPaths) > 0 {
		extra, err := inv.extraLocations(ly, lv)
		if err != nil {
			return item{}, false, err
		}
		locations = append(extra, locations...)
	}
	return s.lookup(inv, len(locations), func(i int) (item, bool, error) {
		return inv.lookupLocation(ly, lv, locations[i],
			key, s)
	})
}

func (inv *invocation) lookupLocation(ly *layer, lv *level, loc *location, key *Key, s *strategy) (item, bool, error) {
	inv.s.budget.Spend(locationSteps, searching)
	if loc.hole != nil {
		return inv.elsewhereHas(lv, loc, key)
	}
	if inv.explain != nil && loc.kind != noLocation {
		defer inv.explain.push(&Event{Kind: Location, Path: loc.path, Original: loc.original, URI: loc.kind == uriLocation})()
	}
	if loc.kind == pathLocation && !loc.exists {
		inv.explain.outcome(LocationNotFound, "", nil)
		if inv.s.trace != nil {
			if loc.gone == 0 {
				loc.gone = inv.s.noFile(loc.path)
			}
			inv.depend(loc.gone)
			inv.missedAt(lv, loc, key.Root)
		}
		return item{}, false, nil
	}
	it, found, err := inv.ask(ly, lv, loc, key, s)
	if found && loc.kind == pathLocation {
		inv.s.cover.Key(filepath.Clean(loc.path), key.Root)
	}
	if found || err != nil {
		inv.depend(loc.ref)
		if found && s.isFirst() {
			inv.foundAt(lv, loc, key.Root)
		}
	} else {
		inv.missedAt(lv, loc, key.Root)
	}
	return it, found, err
}

// elsewhereHas says of a key that it is not known if other machines read it in a file that lies here.
func (inv *invocation) elsewhereHas(lv *level, loc *location, key *Key) (item, bool, error) {
	f, ours := lv.filesOf()
	if ours && inv.s.l.otherHas(missedPath{loc.wider, loc.ref, f, lv.function}, key.Root, "") {
		return item{loc.hole, loc.ref}, true, nil
	}
	return item{}, false, nil
}

// configAt reads a configuration once for all compiles, as long as the file does not change.
func (s *Session) configAt(path string, who owner) (*config, error) {
	file, _ := s.l.load(path, yamlFormat)
	k := configKey{path, who, s.l.opt.Strict}
	s.l.mu.Lock()
	done := s.l.configs[k]
	s.l.mu.Unlock()
	if done != nil && file != nil && done.config != nil && done.config.file == file {
		s.warnOf(done.config)
		if done.err != nil {
			s.readAll(file)
		}
		return done.config, done.err
	}
	c, err := s.readConfig(path, who)
	s.l.mu.Lock()
	s.l.configs[k] = &readConfig{c, err}
	s.l.mu.Unlock()
	if c != nil {
		s.warnOf(c)
	}
	if err != nil {
		s.readAll(file)
		return nil, err
	}
	return c, nil
}

// readAll notes that all of a hiera.yaml was read: any of it may be why it is refused.
func (s *Session) readAll(file *datafile.File) {
	if s.trace != nil && file != nil && file.Root != nil {
		file.Root.Traced(s.trace, provenance.Datum, file.Source, "")
	}
}

// warnOf warns of a hiera.yaml that holds no hash, or is of an old version: in every compile, whoever read it, and
// before anything is refused.
func (s *Session) warnOf(c *config) {
	if c.noHash {
		s.warning("H0320", c.path+
			": File exists but does not contain a valid YAML hash. Falling back to Hiera version 3 default config",
			source.Place{File: c.file.Source})
	}
	if (c.version == 3 || c.version == 4) && s.l.opt.Strict != source.StrictOff && c.file != nil && !s.old {
		s.old = true
		text := fmt.Sprintf("%s: Use of 'hiera.yaml' version %d is deprecated. It should be converted to version 5", c.path,
			c.version)
		s.warning("H0338", text, source.Place{File: c.file.Source})
	}
}

type configKey struct {
	path   string
	who    owner
	strict source.Strictness
}

type readConfig struct {
	config *config
	err    error
}

// leafAt is the place of a value of a hiera.yaml, by its way from the top; none when nobody wrote one there.
func (inv *invocation) leafAt(c *config, way ...string) provenance.Ref {
	if inv.s.trace == nil || c.file == nil {
		return 0
	}
	n := c.nodeAt(way...)
	if n == nil {
		return 0
	}
	return inv.s.trace.Leaf(provenance.Label{Kind: provenance.Datum, Place: n.Place(c.file.Source),
		Path: strings.Join(way, ".")})
}

// leavesAt are the places of the texts of a value of a hiera.yaml, and of which there are, if it is a list of them.
func (inv *invocation) leavesAt(c *config, n int, way ...string) (each []provenance.Ref) {
	each = make([]provenance.Ref, n)
	if inv.s.trace == nil || c.file == nil {
		return each
	}
	all := inv.leafAt(c, way...)
	for i := range each {
		if each[i] = all; n > 1 || inv.leafAt(c, append(way[:len(way):len(way)], "0")...) != 0 {
			each[i] = inv.s.trace.Join(all, inv.leafAt(c, append(way[:len(way):len(way)], strconv.Itoa(i))...))
		}
	}
	return each
}
