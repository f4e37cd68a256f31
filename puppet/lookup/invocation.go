package lookup

import (
	"path/filepath"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/value"
)

// An invocation is one lookup on its way: where it was asked, what it may use, and what it has depended on so far. A
// lookup inside a lookup (an interpolation, a data function that looks something up) has its own, which shares the
// stack of names that finds endless recursion.
type invocation struct {
	s                  *Session
	scope              Scope
	override, defaults *value.Hash
	explain            *explainer
	key                *Key
	module             string
	stack              []string  // of the names being looked up
	names              [2]string // room for it
	globalOnly         bool
	hiera              bool // called by hiera() and its kin
	v3Merge            bool // a version 3 hiera.yaml decides how to merge
	extraPaths         []string
	reads              *[]scopeRead // remembers the variables read, when a hierarchy is resolved
	deps               []provenance.Ref
	missed             *elsewhere        // among deps: paths that led to no value, so far
	room               [8]provenance.Ref // for deps, which mostly are few
}

// A scopeRead is a variable that a hierarchy's paths depend on.
type scopeRead struct {
	key, root string
	segments  []value.Value
	v         value.Value
	ref       provenance.Ref
}

func (s *Session) newInvocation(scope Scope, q Query) *invocation {
	inv := &invocation{s: s, scope: scope, override: q.Override, defaults: q.Defaults}
	inv.deps = inv.room[:0]
	if p := s.current; p != nil {
		inv.inherit(p)
	} else if q.Explain != nil {
		inv.explain = &explainer{top: q.Explain}
	}
	if q.Hiera {
		inv.hiera = true
		if !s.hasEnvironmentData(inv) {
			inv.globalOnly = true
		}
		inv.extraPaths = q.ExtraPaths
	}
	return inv
}

func (inv *invocation) inherit(p *invocation) {
	inv.stack = slices.Clone(p.stack)
	inv.hiera, inv.v3Merge, inv.globalOnly, inv.extraPaths = p.hiera, p.v3Merge, p.globalOnly, p.extraPaths
	inv.explain = p.explain
}

// child is an invocation in another scope, for a lookup that this one needs.
func (inv *invocation) child(scope Scope) *invocation {
	c := &invocation{s: inv.s, scope: scope, override: inv.override, defaults: inv.defaults}
	if inv.s.current != nil {
		c.inherit(inv.s.current)
	} else {
		c.inherit(inv)
	}
	return c
}

// meta is an invocation without overrides or explanation, for lookup_options.
func (inv *invocation) meta() *invocation {
	c := &invocation{s: inv.s, scope: inv.scope}
	c.inherit(inv)
	return c
}

// begin makes the invocation the current one until the returned function is called.
func (inv *invocation) begin(k *Key, module string) func() {
	inv.key, inv.module = k, module
	saved := inv.s.current
	inv.s.current = inv
	return func() { inv.s.current = saved }
}

func (inv *invocation) isGlobalOnly() bool { return inv.globalOnly }

// enter pushes a name on the stack; finding it there already is an endless recursion.
func (inv *invocation) enter(name string) error {
	if slices.Contains(inv.stack, name) {
		return fail("H0204", "Recursive lookup detected in ["+strings.Join(inv.stack, ", ")+"]")
	}
	inv.s.budget.Enter(searching)
	if inv.stack == nil {
		inv.stack = inv.names[:0]
	}
	inv.stack = append(inv.stack, name)
	return nil
}

func (inv *invocation) leave() {
	inv.s.budget.Leave()
	inv.stack = inv.stack[:len(inv.stack)-1]
}

// depend notes that the outcome depends on r.
func (inv *invocation) depend(r provenance.Ref) {
	if r != 0 {
		inv.deps = append(inv.deps, r)
	}
}

// conclude is the provenance of a result: its own, and everything that had to be missed or read to come to it.
func (inv *invocation) conclude(ref provenance.Ref) provenance.Ref {
	if inv.s.trace == nil {
		return 0
	}
	deps := inv.deps
	inv.deps, inv.missed = nil, nil
	return inv.s.trace.With(ref, deps...)
}

// deep is the provenance of a value with everything in it, for operations that use all of it.
func (s *Session) deep(it item) provenance.Ref {
	if s.trace == nil {
		return 0
	}
	switch v := it.v.(type) {
	case *value.Array:
		if v.Len() > 0 {
			return s.trace.Deep(it.ref, v)
		}
	case *value.Hash:
		return s.trace.Deep(it.ref, v)
	}
	return it.ref
}

// shown is how a path is shown to people; one file has one name.
func (s *Session) shown(path string) string {
	if name, known := s.l.names.Load(path); known {
		return name.(string)
	}
	name := s.l.opt.Name(filepath.Clean(path))
	s.l.names.Store(path, name)
	return name
}

// noFile is the place of a file that is not there.
func (s *Session) noFile(path string) provenance.Ref {
	r := s.noFiles[path]
	if r == 0 {
		r = s.absence(s.shown(path), "file ")
		s.noFiles[path] = r
	}
	return r
}

// absence is the place of something that was looked for in vain; each is one node of the trace.
func (s *Session) absence(file, what string) provenance.Ref {
	if s.trace == nil {
		return 0
	}
	l := provenance.Label{Kind: provenance.Absence, Path: what + file}
	k := l.Key()
	if r := s.absent[k]; r != 0 {
		return r
	}
	r := s.trace.Leaf(l)
	s.absent[k] = r
	return r
}

const lookupOptions = "lookup_options"

// search is the lookup of one key with its lookup_options: LookupAdapter#lookup.
func (inv *invocation) search(name string, merge value.Value) (item, bool, error) {
	if name == lookupOptions || strings.HasPrefix(name, lookupOptions+".") {
		inv.explain.add(&Event{Kind: InvalidKey, Name: lookupOptions})
		return item{}, false, nil
	}
	inv.s.budget.Spend(int64(searchSteps+len(inv.stack)>>2+len(name)>>6), searching)
	key, err := ParseKey(name)
	if err != nil {
		return item{}, false, err
	}
	defer inv.begin(key, key.Module)()
	opts, err := inv.optionsFor(key)
	if err != nil {
		return item{}, false, err
	}
	var convert value.Value
	if opts != nil {
		inv.depend(opts.ref)
		if merge == nil {
			if m, given := opts.hash.GetString("merge"); given && !value.IsUndef(m) {
				merge = m
				inv.explain.add(&Event{Kind: MergeSource, Name: lookupOptions})
			}
		}
		if c, given := opts.hash.GetString("convert_to"); given && !value.IsUndef(c) {
			convert = c
		}
	}
	it, found, err := inv.searchLayers(key, merge)
	if err != nil || !found || convert == nil {
		return it, found, err
	}
	it, err = inv.convert(key.Text, convert, it)
	return it, err == nil, err
}

// searchLayers asks the three layers and then, for a key of a module, that module's default hierarchy.
func (inv *invocation) searchLayers(key *Key, merge value.Value) (item, bool, error) {
	if inv.explain != nil {
		defer inv.explain.push(&Event{Kind: Searching, Name: key.Text})()
	}
	it, found, err := inv.layers(key, merge)
	if err != nil || found || inv.isGlobalOnly() {
		return it, found, err
	}
	it, found, err = inv.defaultHierarchy(key)
	if err != nil || !found {
		return item{}, false, err
	}
	return inv.dig(key.Text, key.Segments, it)
}

func (inv *invocation) layers(key *Key, merge value.Value) (item, bool, error) {
	strategy, err := newStrategy(merge)
	if err != nil {
		return item{}, false, err
	}
	var it item
	var found bool
	if inv.isGlobalOnly() {
		it, found, err = inv.lookupGlobal(key, strategy)
	} else {
		it, found, err = strategy.lookup(inv, 3, func(i int) (item, bool, error) {
			switch i {
			case 0:
				return inv.lookupGlobal(key, strategy)
			case 1:
				return inv.lookupEnvironment(key, strategy)
			}
			return inv.lookupModule(key, strategy)
		})
	}
	if err != nil || !found {
		return item{}, false, err
	}
	return inv.dig(key.Text, key.Segments, it)
}

// convert applies the lookup option convert_to: new(type, value, args…).
func (inv *invocation) convert(key string, to value.Value, it item) (item, error) {
	args := []value.Value{to}
	if list, is := to.(*value.Array); is {
		args = list.Elems
	}
	if len(args) == 0 {
		args = []value.Value{value.Undef{}}
	}
	if _, is := it.v.(*value.Opaque); is {
		// What it is nobody knows, but that nobody may see it, nor what lies below it in other levels.
		if name, _, _ := strings.Cut(value.ToString(args[0]), "["); name == "Sensitive" {
			it = item{&value.Sensitive{Value: it.v}, inv.s.trace.Op(provenance.Conceal, it.ref)}
		}
		return it, nil
	}
	v, err := inv.scope.New(args[0], append([]value.Value{it.v}, args[1:]...))
	if bad, is := err.(*BadTypeError); is {
		return item{}, fail("H0205", "Invalid data type in lookup_options for key '"+key+"' could not parse '"+
			rubyText(args[0])+"', error: '"+bad.Reason)
	}
	if err != nil {
		return item{}, fail("H0206", "The convert_to lookup_option for key '"+key+"' raised error: "+message(err))
	}
	inv.explain.text(func() string {
		return "Applying convert_to lookup_option with arguments " + value.Literal(value.NewArray(args...))
	})
	made := "convert_to"
	if value.HasSensitive(v) {
		made = provenance.Conceal
	}
	return item{v, inv.s.trace.Op(made, inv.s.deep(it))}, nil
}

// A BadTypeError is what Scope.New returns for a type that cannot be parsed.
type BadTypeError struct{ Reason string }

func (e *BadTypeError) Error() string { return e.Reason }
