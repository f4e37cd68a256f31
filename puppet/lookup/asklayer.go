package lookup

import (
	"path/filepath"
	"regexp"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
)

// Most hierarchies are simple: their levels are files of data, named by what is known of the node alone. What such a
// layer has under a key can be found without the evaluator, so that it is one question: the values in the order of the
// levels, or the first of them. A level, a file or a glob's match that does not have the key then does not matter, nor
// how files are called. Which lookup_options a key has is one question as well.
//
// Any other layer asks for its configuration, for each file, and for the key in each.

// simpleVariable is an interpolation that needs nothing but the node: its facts, what the certificate says, and the
// server's.
var simpleVariable = regexp.MustCompile(`^\s*(?:::)?(?:(?:facts|trusted|server_facts)(?:\.[^()]*)?|environment)\s*$`)

var interpolated = regexp.MustCompile(`%\{([^}]*)\}`)

// simple reports whether a configuration is one whose values can be found without the evaluator.
func (c *config) simple() bool {
	c.looked.Do(func() {
		c.isSimple = c.version == 5 && simpleValue(c.defaults, "")
		for _, he := range append(c.hierarchy[:len(c.hierarchy):len(c.hierarchy)], c.defaultHierarchy...) {
			local := ""
			if list := stringList(he.At("mapped_paths")); len(list) == 3 {
				local = list[1]
				c.isSimple = c.isSimple && simpleVariable.MatchString(list[0])
			}
			c.isSimple = c.isSimple && simpleValue(he, local)
			for _, k := range allFunctionKeys {
				for _, h := range []*value.Hash{he, c.defaults} {
					if f := textOf(h, k, ""); f != "" && !simpleFunctions[k+" "+f] {
						c.isSimple = false
					}
				}
			}
		}
	})
	return c.isSimple
}

// simple reports whether what a layer has is found by what is known of the node alone, wherever that may be once it is
// asked again: not from where a variable stands before the one that names the node's environment. That is the only one
// of those which a hierarchy may name that a scope can have of its own.
func (inv *invocation) simple(ly *layer) bool {
	return (ly == nil || ly.config.simple()) && !inv.hasEnvironment()
}

func (inv *invocation) hasEnvironment() bool {
	v, _, known := inv.scope.Variable("environment")
	top, _, _ := inv.scope.Variable("::environment")
	return known && !value.Same(value.OrUndef(v), value.OrUndef(top))
}

// simpleFunctions are the functions of levels that are files.
var simpleFunctions = map[string]bool{"data_hash yaml_data": true, "data_hash json_data": true,
	"data_hash hocon_data": true, "lookup_key eyaml_lookup_key": true}

// simpleValue reports whether all that is interpolated is known of the node, or is the variable of mapped_paths.
func simpleValue(v value.Value, local string) bool {
	switch v := v.(type) {
	case value.String:
		for _, m := range interpolated.FindAllStringSubmatch(string(v), -1) {
			if name := strings.TrimSpace(m[1]); !simpleVariable.MatchString(name) && (local == "" || name != local) {
				return false
			}
		}
	case *value.Array:
		for _, e := range v.Elems {
			if !simpleValue(e, local) {
				return false
			}
		}
	case *value.Hash:
		if v == nil {
			return true
		}
		for _, e := range v.Entries() {
			if !simpleValue(e.Key, local) || !simpleValue(e.Value, local) {
				return false
			}
		}
	}
	return true
}

// How questions call the layers that are not a module's.
const (
	globalData      = "::global"
	environmentData = "::environment"
	defaultData     = "::default "
)

// asksLayer notes that a key is asked of a layer, whether there is one or not. What it returns is for leaveLayer, when
// the layer has been searched.
func (inv *invocation) asksLayer(name string, ly *layer, err error, key *Key, s *strategy) (before bool) {
	session := inv.s
	before = session.coarse
	if session.log == nil {
		return before
	}
	session.coarse = err == nil && inv.simple(ly)
	switch {
	case session.coarse && s.isFirst():
		session.log.Ask(trace.Question{Kind: trace.LayerFirst, Of: name, Part: key.Root})
	case session.coarse:
		session.log.Ask(trace.Question{Kind: trace.LayerAll, Of: name, Part: key.Root + s.asked()})
	case ly != nil && ly.config.path != "":
		session.asksConfig(ly.config.path)
	case name == globalData:
		session.asksConfig(session.l.site.GlobalConfig)
	case name == environmentData:
		session.asksConfig(filepath.Join(session.l.site.Dir, "hiera.yaml"))
	default:
		if dir, _, ok := session.l.moduleDir(inv.module); ok {
			session.asksConfig(filepath.Join(dir, "hiera.yaml"))
		}
	}
	return before
}

// asked is how a question about all values of a layer says what becomes of them: what they are merged to is all that
// can be seen of them.
func (s *strategy) asked() string {
	if s.options != nil {
		return ""
	}
	return "\x00" + s.name
}

// strategyOf is what asked was made of, nil for none.
func strategyOf(part string) (key string, s *strategy) {
	key, name, merged := strings.Cut(part, "\x00")
	if merged && strategyOptions[name] != "" {
		s = &strategy{name: name}
	}
	return key, s
}

// leaveLayer goes back to the layer that was searched before.
func (s *Session) leaveLayer(before bool) { s.coarse = before }

// asksOptions notes that the lookup_options of a key are wanted. If all layers that may have some are simple, that is
// one question, and the log is paused, since what is asked on the way does not count.
func (inv *invocation) asksOptions(key *Key) (paused bool) {
	s := inv.s
	if s.log == nil {
		return false
	}
	name := optionsName(key)
	if inv.isGlobalOnly() {
		name = globalData
	}
	simple, known := s.simple[name]
	if !known {
		simple = inv.simpleLayers(key)
		if s.simple == nil {
			s.simple = map[string]simpleLayers{}
		}
		s.simple[name] = simple
	}
	if simple.all {
		s.log.Ask(trace.Question{Kind: trace.KeyOptions, Of: key.Root})
		s.log.Pause()
		return true
	}
	for _, name := range simple.some { // they may have been searched for another key
		s.log.Ask(trace.Question{Kind: trace.LayerAll, Of: name, Part: lookupOptions + hashStrategy.asked()})
	}
	return false
}

// simpleLayers are the simple ones of the layers that may have the lookup_options of a key.
type simpleLayers struct {
	all  bool // are, and there is no other reason to ask them one by one
	some []string
}

func (inv *invocation) simpleLayers(key *Key) (out simpleLayers) {
	out.all = !inv.isGlobalOnly()
	look := func(name string, ly *layer, err error) {
		simple, known := inv.s.simpleOptions[name]
		if !known { // a layer's options are those that it has from where it is asked first
			if inv.s.simpleOptions == nil {
				inv.s.simpleOptions = map[string]bool{}
			}
			simple = err == nil && inv.simple(ly)
			inv.s.simpleOptions[name] = simple
		}
		if simple {
			out.some = append(out.some, name)
		} else {
			out.all = false
		}
	}
	ly, err := inv.globalLayer()
	look(globalData, ly, err)
	if inv.isGlobalOnly() {
		return out
	}
	ly, err = inv.environmentLayer()
	look(environmentData, ly, err)
	if key.qualified {
		ly, err = inv.moduleLayer(key.Module)
		look(key.Module, ly, err)
	}
	return out
}

// A Known is what is known of a node without compiling it.
type Known struct {
	Facts, Trusted, Server *value.Hash
	Environment            string
	// Partial says that Facts and Trusted have only some of the node's variables: those for which Has is true, or none
	// without Has. More gives all of them; ok is false when they cannot be had.
	Partial bool
	Has     func(name string, steps []value.Value) bool
	More    func() (facts, trusted *value.Hash, ok bool)
}

// Answer writes the answer to a question about layers; ok is false when it takes more than what is known of the node.
func (a *Answerer) Answer(q trace.Question, t *trace.Text) (ok bool) {
	a.scope.more = false
	inv := a.session().newInvocation(a.scope, Query{})
	var err error
	switch q.Kind {
	case trace.KeyOptions:
		err = inv.answerOptions(q.Of, t)
	case trace.LayerFirst, trace.LayerAll:
		err = inv.answerKey(q.Of, q.Part, q.Kind == trace.LayerFirst, t)
	}
	if err != nil {
		t.String("failed")
		t.String(message(err))
	}
	return !a.scope.more
}

func (inv *invocation) answerOptions(name string, t *trace.Text) error {
	key := rootKey(name)
	defer inv.begin(key, key.Module)()
	o, err := inv.optionsFor(key)
	if err == nil && o != nil { // nobody looks at anything else in them
		t.Value(o.hash.At("merge"))
		t.Value(o.hash.At("convert_to"))
	}
	return err
}

// answerKey writes the values that a layer has under a key, as its files have them, or what they are merged to.
func (inv *invocation) answerKey(name, part string, first bool, t *trace.Text) error {
	root, merged := strategyOf(part)
	module, byDefault := strings.CutPrefix(name, defaultData)
	ly, err := inv.layerNamed(module)
	if err != nil || ly == nil {
		return err
	}
	if !ly.config.simple() {
		inv.scope.(*knownScope).more = true
		return nil
	}
	r, err := inv.hierarchy(ly)
	if err != nil {
		return err
	}
	levels := r.levels
	if byDefault {
		levels = r.defaults
	}
	if merged != nil && plainValues(inv, levels, root) {
		it, found, err := inv.lookupLevels(ly, levels, &Key{Text: root, Root: root}, merged)
		if err == nil && found {
			t.String("merged")
			t.Value(it.v)
		}
		return err
	}
	had := false
	for _, lv := range levels {
		some := false
		for _, loc := range lv.locations {
			if loc.kind == pathLocation && !loc.exists {
				continue
			}
			found, err := inv.answerLocation(lv, loc, root, t)
			if err != nil || found && first {
				return err
			}
			some = some || found
		}
		if some { // merged by itself, before the others; one value of one file otherwise than one of several
			t.String("level")
			t.Number(min(2, len(lv.locations)))
			had = true
		}
	}
	if had { // and one value of one level otherwise than one of several
		t.Number(min(2, len(levels)))
	}
	return nil
}

// plainValues reports whether all that levels have under a key are values in which nothing is interpolated, and which
// can be merged without asking anybody.
func plainValues(inv *invocation, levels []*level, root string) bool {
	for _, lv := range levels {
		f, plain := lv.format()
		for _, loc := range lv.locations {
			if loc.kind == pathLocation && !loc.exists {
				continue
			}
			if !plain || lv.checkFileOptions(loc) != nil {
				return false
			}
			d := inv.s.data(loc, f)
			if d.err != nil || d.file.Hash() == nil {
				return false
			}
			if n := d.file.Entry(root); n != nil && n.Has != 0 {
				return false
			}
		}
	}
	return true
}

// answerLocation writes what one file has under a key; it is an error if asking it would end the compile.
func (inv *invocation) answerLocation(lv *level, loc *location, root string, t *trace.Text) (found bool, err error) {
	f, plain := lv.format()
	if plain {
		err = lv.checkFileOptions(loc)
	} else if loc.kind != pathLocation {
		err = fail("H0416", lv.function)
	}
	if err != nil {
		return false, err
	}
	d := inv.s.data(loc, f)
	if d.err != nil || d.file.Hash() == nil { // then the whole file counts
		inv.s.l.state(d.file, d.err, loc.path, t)
		return false, nil
	}
	n := d.file.Entry(root)
	if n == nil {
		return false, nil
	}
	if !plain {
		t.String(lv.function)
		t.String(loc.path) // which its errors, and the causes of secrets that stay closed, speak of
		if lv.options != nil {
			t.Value(lv.options)
		}
	}
	if n.Has&(datafile.Symbols|datafile.OddKeys) != 0 {
		t.String(loc.path)
	}
	t.Number(int(n.Has))
	symbols(n, t)
	t.Value(n.Value)
	return true, nil
}

// A knownScope is a Scope that knows only what is known of the node.
type knownScope struct {
	known Known
	more  bool // more was wanted
}

// Variable implements Scope.
func (k *knownScope) Variable(name string) (value.Value, provenance.Ref, bool) {
	return k.variable(name, nil)
}

func (k *knownScope) variable(name string, steps []value.Value) (value.Value, provenance.Ref, bool) {
	h := (*value.Hash)(nil)
	name = strings.TrimPrefix(name, "::")
	if k.known.Partial && (name == "facts" || name == "trusted") &&
		(k.known.Has == nil || !k.known.Has(name, steps)) {
		var ok bool
		k.known.Partial = false
		if k.known.Facts, k.known.Trusted, ok = k.known.More(); !ok {
			k.more = true
		}
	}
	switch name {
	case "facts":
		h = k.known.Facts
	case "trusted":
		h = k.known.Trusted
	case "server_facts":
		h = k.known.Server
	case "environment":
		return value.String(k.known.Environment), 0, true
	default:
		k.more = true
		return value.Undef{}, 0, false
	}
	if h == nil {
		h = value.EmptyHash
	}
	return h, 0, true
}

// VariableAt implements pathScope.
func (k *knownScope) VariableAt(name string, steps []value.Value) (value.Value, provenance.Ref, bool) {
	return k.variable(name, steps)
}

// CallingClass implements Scope.
func (k *knownScope) CallingClass() string {
	k.more = true
	return ""
}

// Call implements Scope.
func (k *knownScope) Call(*FunctionCall) (value.Value, provenance.Ref, error) {
	k.more = true
	return value.Undef{}, 0, ErrRuby
}

// New implements Scope.
func (k *knownScope) New(value.Value, []value.Value) (value.Value, error) {
	k.more = true
	return value.Undef{}, nil
}
