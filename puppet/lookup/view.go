package lookup

import (
	"strings"
	"sync"

	"bunraku/budget"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
)

// Ten thousand nodes ask the same keys of the same layers. What a simple layer answers depends on the node only by way
// of which files of data it has for it, and of those only the ones that have the key: a level for nodes' own data,
// which most nodes do not have, and most of which is about other keys, does not tell them apart. So what nodes see of a
// layer is kept (a layerView), a question is answered once for all nodes that see the key in the same files, and ten
// thousand nodes get as many answers as there are different ones.
//
// Even what a node sees is mostly known: what is interpolated into the paths of a hierarchy are some variables, and
// nodes that have the same values there see the same. A hierarchy that was worked out with certain answers asks for the
// same variables again if it gets the same answers, so that the list of variables that one node's hierarchy read serves
// for all. The same goes for each level of a hierarchy: a node that is the first with its name in a path sees the other
// levels as the nodes before it did.

// views are what nodes see of the layers of a Lookup, numbered.
type views struct {
	mu        sync.RWMutex
	layers    map[string]*layerView // by what they look like
	byReads   map[string][]*viewsByReads[layerView]
	levels    map[levelKey][]*viewsByReads[levelView]
	last      int32            // number of a layerView
	places    map[string]int32 // levels, each with a file
	sequences map[string]int32 // of places that have a key
}

// A layerView is what a node sees of a layer: files of data, in order.
type layerView struct {
	number int32
	files  []viewedFile
	levels []int // where in files each level ends
	end    int   // of the levels; the default hierarchy is behind

	openOptions bool // something is interpolated in lookup_options
	// counts is whether there is one level, or several, and one file in each, there or not: one answer of one is merged
	// otherwise than one of several.
	counts trace.Text
}

// A levelKey is a level of a layer, by number.
type levelKey struct {
	layer     string
	byDefault bool
	level     int
}

// A levelView is what a node sees of a level.
type levelView struct {
	left        bool // out: a level that is as though it were not there
	locations   int  // none, one, or several
	files       []viewedFile
	openOptions bool
}

// A viewedFile is a file of a level.
type viewedFile struct {
	place int32
	file  *datafile.File
	whole bool // it is no data: all of it counts, for every key
}

// viewsByReads are views, of layers or of levels, by the values of variables.
type viewsByReads[V any] struct {
	reads []scopeRead
	known map[string]*V
}

// How many lists of variables are kept of one layer or level, and how many views of one list.
const (
	mostReads = 16
	mostViews = 1 << 14
)

// A View names what a node sees of the layers that a question is about, as far as it matters to the question: nodes
// with equal views get the same answer.
type View [3]int32

// View is what the node sees of the layers that a question is about; ok is false if that is not all that the answer
// hangs on.
func (a *Answerer) View(q trace.Question) (v View, ok bool) {
	switch q.Kind {
	case trace.LayerFirst, trace.LayerAll:
		name, byDefault := strings.CutPrefix(q.Of, defaultData)
		ly := a.layer(name)
		if ly == nil {
			return v, false
		}
		key, _ := strategyOf(q.Part)
		v[0] = a.sequence(ly, key, byDefault, q.Kind == trace.LayerFirst)
		return v, true
	case trace.KeyOptions:
		for i, name := range OptionLayers(q.Of) {
			ly := a.layer(name)
			if ly == nil || ly.openOptions {
				return v, false
			}
			v[i] = a.sequence(ly, lookupOptions, false, false)
		}
		return v, true
	}
	return v, false
}

// OptionLayers are the layers, as questions name them, that may have lookup_options for a key.
func OptionLayers(name string) []string {
	layers := []string{globalData, environmentData}
	if key := rootKey(name); key.qualified {
		layers = append(layers, key.Module)
	}
	return layers
}

// Layer is the number of all that the node sees of a layer, as questions name it; -1 if that cannot be told. With
// options, it is -1 as well if the layer's lookup_options hang on more of the node than that.
func (a *Answerer) Layer(name string, options bool) int32 {
	if ly := a.layer(strings.TrimPrefix(name, defaultData)); ly != nil && !(options && ly.openOptions) {
		return ly.number
	}
	return -1
}

// sequence is the number of the places at which a node sees a key.
func (a *Answerer) sequence(ly *layerView, key string, byDefault, first bool) int32 {
	t := a.text[:0]
	if !first {
		t = append(t, ly.counts...)
	}
	from, to, levels := 0, ly.end, ly.levels
	if byDefault {
		from, to = ly.end, len(ly.files)
	}
	some := false
	for i := from; i < to; i++ {
		for len(levels) > 0 && levels[0] <= i {
			if levels = levels[1:]; some {
				t.Number(-1)
				some = false
			}
		}
		f := &ly.files[i]
		if !f.whole && f.file.Entry(key) == nil {
			continue
		}
		t.Number(int(f.place))
		if some = true; first && !f.whole {
			break
		}
	}
	a.text = t
	return a.l.views.number(&a.l.views.sequences, t)
}

// number numbers texts.
func (v *views) number(in *map[string]int32, t trace.Text) int32 {
	v.mu.RLock()
	n, known := (*in)[string(t)]
	v.mu.RUnlock()
	if known {
		return n
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if n, known = (*in)[string(t)]; known {
		return n
	}
	if *in == nil {
		*in = map[string]int32{}
	}
	n = int32(len(*in))
	(*in)[string(t)] = n
	return n
}

// layer is what the node sees of a layer, nil if that cannot be told.
func (a *Answerer) layer(name string) *layerView {
	ly, known := a.views[name]
	if !known {
		if a.views == nil {
			a.views = map[string]*layerView{}
		}
		ly = a.findView(name)
		a.views[name] = ly
	}
	return ly
}

func (a *Answerer) findView(name string) *layerView {
	all := &a.l.views
	all.mu.RLock()
	ly, reads := knownView(a, all.byReads[name])
	all.mu.RUnlock()
	if ly == nil {
		if ly, reads = a.newView(name); ly == nil {
			return nil
		}
		all.mu.Lock()
		defer all.mu.Unlock()
		if all.byReads == nil {
			all.byReads = map[string][]*viewsByReads[layerView]{}
		}
		all.byReads[name] = keepView(a, all.byReads[name], reads, ly)
	}
	a.reads = append(a.reads, reads)
	return ly
}

// knownView is a view that another node had which has the same values, and their variables; nil if there is none.
func knownView[V any](a *Answerer, lists []*viewsByReads[V]) (*V, []scopeRead) {
	for _, list := range lists {
		if v := list.known[string(a.values(list.reads))]; v != nil {
			return v, list.reads
		}
	}
	return nil, nil
}

// keepView adds a view to the lists, for other nodes.
func keepView[V any](a *Answerer, lists []*viewsByReads[V], reads []scopeRead, v *V) []*viewsByReads[V] {
	key := string(a.values(reads))
	for _, list := range lists {
		if sameReads(list.reads, reads) {
			if len(list.known) >= mostViews {
				clear(list.known)
			}
			list.known[key] = v
			return lists
		}
	}
	if len(lists) >= mostReads {
		return lists
	}
	return append(lists[:len(lists):len(lists)], &viewsByReads[V]{reads, map[string]*V{key: v}})
}

// newView works out what the node sees of a layer, and the variables that this hangs on; nil if that cannot be told by
// files.
func (a *Answerer) newView(name string) (*layerView, []scopeRead) {
	all := &a.l.views
	a.scope.more = false
	inv := a.session().newInvocation(a.scope, Query{})
	ly, err := inv.layerNamed(name)
	if err != nil || ly != nil && !ly.config.simple() {
		return nil, nil
	}
	view := &layerView{}
	var reads []scopeRead
	var whole trace.Text
	if ly != nil {
		for _, byDefault := range []bool{false, true} {
			hierarchy := ly.config.hierarchy
			if byDefault {
				hierarchy = ly.config.defaultHierarchy
			}
			if !distinct(hierarchy) {
				return nil, nil
			}
			levels := 0
			for i := range hierarchy {
				lv, of := a.level(ly.config, levelKey{name, byDefault, i})
				if lv == nil || a.scope.more {
					return nil, nil
				}
				if reads = append(reads, of...); !lv.left {
					levels++
					view.add(lv, &whole)
				}
			}
			view.counts.Number(min(2, levels))
			if !byDefault {
				view.end = len(view.files)
				whole.Number(-2)
			}
		}
	}
	whole.String(string(view.counts))
	reads = once(reads)
	all.mu.Lock()
	defer all.mu.Unlock()
	if same := all.layers[string(whole)]; same != nil {
		return same, reads
	}
	if all.layers == nil {
		all.layers = map[string]*layerView{}
	}
	if len(all.layers) < mostViews { // what more there is has a number of its own each time
		all.layers[string(whole)] = view
	}
	all.last++
	view.number = all.last
	return view, reads
}

// distinct reports whether no two levels have the same name, which is an error.
func distinct(hierarchy []*value.Hash) bool {
	seen := map[string]bool{}
	for _, he := range hierarchy {
		seen[levelName(he)] = true
	}
	return len(seen) == len(hierarchy)
}

// add puts a level at the end of a layer.
func (v *layerView) add(lv *levelView, whole *trace.Text) {
	v.counts.Number(lv.locations)
	v.openOptions = v.openOptions || lv.openOptions
	v.files = append(v.files, lv.files...)
	v.levels = append(v.levels, len(v.files))
	for _, f := range lv.files {
		whole.Number(int(f.place))
	}
	whole.Number(-1)
}

// level is what the node sees of a level, and the variables that this hangs on; nil if that cannot be told by files.
func (a *Answerer) level(c *config, key levelKey) (*levelView, []scopeRead) {
	all := &a.l.views
	all.mu.RLock()
	v, reads := knownView(a, all.levels[key])
	all.mu.RUnlock()
	if v != nil {
		return v, reads
	}
	inv := &invocation{s: a.s, scope: a.scope, reads: &reads}
	var lv *level
	var err error
	if key.byDefault {
		lv, err = inv.level5(c, c.defaultHierarchy[key.level], "default_hierarchy", key.level)
	} else {
		lv, err = inv.level5(c, c.hierarchy[key.level], "hierarchy", key.level)
	}
	if err != nil {
		return nil, nil
	}
	if lv == nil {
		v = &levelView{left: true}
	} else if v = a.see(lv); v == nil {
		return nil, nil
	}
	if reads = once(reads); a.scope.more {
		return nil, nil
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.levels == nil {
		all.levels = map[levelKey][]*viewsByReads[levelView]{}
	}
	all.levels[key] = keepView(a, all.levels[key], reads, v)
	return v, reads
}

// see is the files of a level that are there; nil if the level asks for more than files.
func (a *Answerer) see(lv *level) *levelView {
	v := &levelView{locations: min(2, len(lv.locations))}
	f, plain := lv.format()
	for _, loc := range lv.locations {
		if loc.kind != pathLocation || plain && lv.checkFileOptions(loc) != nil {
			return nil
		}
		if !loc.exists {
			continue
		}
		var t trace.Text
		t.String(lv.name)
		t.String(lv.function)
		if lv.options != nil {
			t.Value(lv.options)
		}
		t.String(loc.path)
		d := a.s.data(loc, f)
		place := a.l.views.number(&a.l.views.places, t)
		file := viewedFile{place, d.file, d.err != nil || d.file.Hash() == nil}
		if !file.whole {
			n := d.file.Entry(lookupOptions)
			v.openOptions = v.openOptions || n != nil && n.Has&datafile.Interpolation != 0
		}
		v.files = append(v.files, file)
	}
	return v
}

func sameReads(a, b []scopeRead) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].key != b[i].key {
			return false
		}
	}
	return true
}

// values writes what the node has for variables.
func (a *Answerer) values(reads []scopeRead) trace.Text {
	t := a.text[:0]
	for i := range reads {
		v, _, known := a.scope.VariableAt(reads[i].root, reads[i].segments)
		it, fits := steps(item{v: value.OrUndef(v)}, reads[i].segments)
		t.Flag(known)
		t.Flag(fits)
		t.Value(it.v)
	}
	a.text = t
	return t
}

// layerNamed is a layer by the name that questions have for it.
func (inv *invocation) layerNamed(name string) (*layer, error) {
	switch name {
	case globalData:
		return inv.globalLayer()
	case environmentData:
		return inv.environmentLayer()
	}
	return inv.moduleLayer(name)
}

// session is made when something must be looked for.
func (a *Answerer) session() *Session {
	if a.s == nil {
		a.s = a.l.Session(nil, nil).Within(a.budget)
	}
	return a.s
}

// An Answerer answers what a compile of one node asked of simple layers. It belongs to one goroutine.
type Answerer struct {
	l      *Lookup
	budget *budget.Budget
	s      *Session
	scope  *knownScope
	views  map[string]*layerView
	reads  [][]scopeRead // of the layers
	text   trace.Text
}

// Answerer starts answering for a node; the budget bounds globs.
func (l *Lookup) Answerer(k Known, b *budget.Budget) *Answerer {
	return &Answerer{l: l, budget: b, scope: &knownScope{known: k}}
}

// A Variable is one that the paths of a hierarchy were made of, as far as the steps into it.
type Variable struct {
	Name  string
	Steps []value.Value
	Value value.Value
}

// Variables are those that what the node sees of layers hangs on, each once, as far as anything has been asked.
func (a *Answerer) Variables() (out []Variable) {
	seen := map[string]bool{}
	for _, reads := range a.reads {
		for _, r := range reads {
			if seen[r.key] {
				continue
			}
			seen[r.key] = true
			v, _, _ := a.scope.VariableAt(r.root, r.segments)
			if it, fits := steps(item{v: value.OrUndef(v)}, r.segments); fits {
				out = append(out, Variable{r.root, r.segments, it.v})
			}
		}
	}
	return out
}
