package eval

import (
	"slices"
	"strings"
	"sync"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/record"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What a compile leaves behind beyond its catalog. A Result is sealed: it is plain data that holds no evaluator, no
// scope and no resource in the making, so that it is as small as what can be asked about it, and any number of
// goroutines may read it. What is cheap to keep is kept as it is (the variables of classes, the places that were asked
// for); what is put into words is put into words when somebody asks.

// left is what is left of a compile.
type left struct {
	catalog   *catalog.Catalog
	trace     *provenance.Trace
	facts     *value.Hash
	trusted   *value.Hash
	node      string
	evaluated bool // all code was; what failed after that is the catalog

	resources []leftResource // in the order of their declaration, without virtual ones; none when the compile failed
	once      source.Once
	number    map[*catalog.Resource]int32 // of them, once somebody asked
	virtual   []record.Stub
	there     map[catalog.Name]bool // of a compile that failed when all code was evaluated: what was declared

	scopes   []leftScope
	server   *value.Hash // server facts, which are variables of the top scope
	config   *value.Hash // $settings::NAME
	seen     []value.Value
	madeOf   []string         // what functions made of it
	whole    []provenance.Ref // of the variables that eachVariable visits, with all they hold, when tracing
	reads    []provenance.Ref // what reading them depends on, if that was asked for
	code     record.Code
	levels   func(key string, from Left) *record.Hiera
	mentions func(text string, from Left) []record.Mention
	passed   []leftBranch
	known    touchRefs // when tracing
	afar     map[string]*typeTouches
}

// leftResource is what is left of a resource.
type leftResource struct {
	wire  *catalog.Resource
	def   *Definition // of classes, nodes and defines
	up    int32       // the resource whose code declared it; none below 0
	asked source.Place
	again []source.Place
	main  bool
	*leftTrace
}

// leftTrace is what the absence of attributes depends on, when tracing.
type leftTrace struct {
	existence, splat provenance.Ref
	first            provenance.Ref // what decided that, and when, the class around it was evaluated
	requiring        provenance.Ref
	noted            []attrRef // what was kept of attributes that others set
	unset            []attrRef // attributes that were set, but to undef, or to what the title says already
	in               []int32   // what contains it
	looks            []leftLook
}

// A leftLook is what a collector saw of a resource.
type leftLook struct {
	collector int
	ref       provenance.Ref
	has       bool
}

// leftScope is the variables of the top scope, the node or a class.
type leftScope struct {
	class    string
	vars     []variable
	inherits string // the class whose variables it sees
	isNode   bool
	below    bool // the node's variables are seen from it
}

// leftBranch is a branch that was not taken.
type leftBranch struct {
	branch source.Place
	in     int32 // the resource whose code it is; none below 0
	why    provenance.Ref
}

// seal keeps what is left. It is the last thing that an evaluator does.
func (ev *Evaluator) seal(c *catalog.Catalog) *left {
	l := &left{catalog: c, trace: ev.trace, facts: ev.in.Facts, trusted: ev.in.Trusted, node: ev.in.Node,
		evaluated: ev.phase == phaseFinish, seen: ev.seen, madeOf: ev.madeOf,
		server: ev.in.ServerFacts, config: ev.in.Config, code: ev.in.Code, levels: ev.in.Levels, mentions: ev.in.Mentions}
	l.keepScopes(ev)
	switch {
	case c != nil:
		l.keepResources(ev)
		if ev.trace != nil {
			l.keepTrace(ev)
		}
	case l.evaluated:
		l.there = make(map[catalog.Name]bool, len(ev.table.list))
		for _, r := range ev.table.list {
			l.there[catalog.Name{Type: r.Type, Title: r.Title}] = !r.virtual
		}
	}
	for _, c := range ev.table.everCollected { // a collector is a value too, and may be in an array
		*c = collector{gathering: c.gathering, place: c.place}
	}
	ev.trace.Seal(func(o provenance.Owner) provenance.Owner {
		if r, is := o.(*Resource); is {
			if r.wire != nil {
				return r.wire
			}
			return called{"", r.Ref()}
		}
		return o
	})
	return l
}

func (l *left) keepScopes(ev *Evaluator) {
	l.scopes = make([]leftScope, 0, len(ev.table.scopes))
	kept := make(map[string]bool, len(ev.table.scopes))
	for i := -1; i < len(ev.table.classes); i++ {
		class := ""
		if i >= 0 {
			class = ev.table.classes[i]
		}
		sc := ev.table.scopes[class]
		if sc == nil || class == "settings" || kept[class] {
			continue
		}
		kept[class] = true
		for i := range sc.own.vars {
			if v := &sc.own.vars[i]; v.value != nil {
				v.value, v.ref = ev.latest(v.value, v.ref)
			}
		}
		s := leftScope{class: class, vars: sc.own.vars, isNode: sc.isNode()}
		if sc.inherits != nil && sc.inherits.source != nil {
			s.inherits = sc.inherits.source.Name
		}
		if up := sc.enclosing(); up != nil {
			s.below = up.isNode()
		}
		l.scopes = append(l.scopes, s)
	}
	if ev.trace == nil {
		return
	}
	l.eachVariable(func(class string, _ bool, v *variable) {
		ref := v.ref
		if whole, ok := v.value.(provenance.Contents); ok {
			ref = ev.trace.Deep(ref, whole)
		}
		l.whole = append(l.whole, ref)
		if ev.set.Reads {
			l.reads = append(l.reads, ev.readFromOutside(class, v.name))
		}
	})
}

// readFromOutside is what code at the end of the node statement depends on that reads a variable of a class.
func (ev *Evaluator) readFromOutside(class, name string) provenance.Ref {
	if class != "" {
		name = class + "::" + name
	}
	sc := ev.top
	if ev.nodes != nil {
		sc = ev.nodes
	}
	v, ref, _ := sc.Variable(name)
	return ev.deep(v, ref)
}

func (l *left) keepResources(ev *Evaluator) {
	n := int32(0)
	for _, r := range ev.table.list {
		if r.wire != nil {
			n++
			r.number = n
		}
	}
	l.resources = make([]leftResource, 0, n)
	for _, r := range ev.table.list {
		if r.virtual && !r.exported {
			l.virtual = append(l.virtual, record.Stub{Name: catalog.Name{Type: r.Type, Title: r.Title}, Place: r.place})
		}
		if r.wire == nil {
			continue
		}
		up := int32(-1)
		if r.scope != nil && r.scope.resource != nil && r.scope.resource != r && !r.scope.resource.main {
			up = r.scope.resource.number - 1
		}
		l.resources = append(l.resources, leftResource{wire: r.wire, def: r.def, up: up, asked: r.asked, again: r.again,
			main: r.main})
	}
}

func (l *left) keepTrace(ev *Evaluator) {
	room := make([]leftTrace, len(l.resources))
	var types []string
	i := 0
	for _, r := range ev.table.list {
		if r.wire == nil {
			continue
		}
		t := &room[i]
		l.resources[i].leftTrace = t
		i++
		*t = leftTrace{existence: r.existence, splat: r.splat, first: ev.firstOfScope(r.scope),
			requiring: ev.ghosts.requiring[r]}
		if r.memo != nil {
			t.noted = r.memo.arrows
		}
		for _, p := range r.params {
			named := p.name == "name" || p.name == r.typ.Namevar()
			if value.IsUndef(p.value) || named && r.wire.Param(p.name) == nil {
				t.unset = append(t.unset, attrRef{p.name, ev.deep(p.value, p.ref)})
			}
		}
		t.unset = append(t.unset, r.unset...)
		if len(r.in) > 0 {
			t.in = make([]int32, 0, len(r.in))
			for _, c := range r.in {
				if c.number > 0 {
					t.in = append(t.in, c.number-1)
				}
			}
		}
		if !slices.Contains(types, r.Type) {
			types = append(types, r.Type)
			ev.typeTouches(r.Type)
		}
	}
	for n, c := range ev.table.everCollected {
		for r, look := range c.looked { // in any order: each resource has one of each collector
			if r.number > 0 {
				t := l.resources[r.number-1].leftTrace
				t.looks = append(t.looks, leftLook{n, look.ref, c.has[r]})
			}
		}
	}
	l.known = ev.touchRefs()
	for _, typ := range types { // to know one may have made another state: then all are known in it
		ev.typeTouches(typ)
	}
	l.afar = ev.ghosts.afar.answer
	for _, t := range l.afar {
		t.answer = nil
	}
	l.passed = make([]leftBranch, 0, len(ev.ghosts.branches))
	for i := range ev.ghosts.passed {
		p := &ev.ghosts.passed[i]
		in, number := (*Resource)(nil), int32(-1)
		if p.scope != nil && p.scope.resource != nil && !p.scope.resource.main {
			if in, number = p.scope.resource, unlisted; in.number > 0 {
				number = in.number - 1
			}
		}
		if p.kept && p.keptFor == in { // code in loops; what comes twice all the same, newRecord drops
			continue
		}
		p.kept, p.keptFor = true, in
		l.passed = append(l.passed, leftBranch{source.Place{File: p.file.Source, Span: p.stmts[0].Span()}, number, p.why})
	}
}

// unlisted is the number of all resources that are not in the catalog.
const unlisted = -2

// numberOf is the number of a resource of the catalog.
func (l *left) numberOf(r *catalog.Resource) (int32, bool) {
	l.once.Do(func() {
		l.number = make(map[*catalog.Resource]int32, len(l.resources))
		for i := range l.resources {
			l.number[l.resources[i].wire] = int32(i)
		}
	})
	n, known := l.number[r]
	return n, known
}

// text is what a resource is called where it contains others.
func (l *left) text(r *leftResource) string {
	switch {
	case r.main:
		return "main"
	case r.wire.Type == "Class":
		return canonical(r.wire.Title)
	case r.wire.Type == "Node":
		return "node '" + l.node + "'"
	}
	return r.wire.Ref()
}

// Via implements record.Ways.
func (l *left) Via(r *catalog.Resource) (way []record.Stage) {
	n, known := l.numberOf(r)
	if !known {
		return nil
	}
	for n = l.resources[n].up; n >= 0; n = l.resources[n].up {
		c := &l.resources[n]
		stage := record.Stage{Text: l.text(c), Place: c.wire.Place}
		if !stage.Place.Known() {
			stage.Place = c.asked
		}
		if c.wire.Type == "Node" && c.def != nil && c.def.Node != nil {
			stage.Text, stage.Place = nodeText(c.def), c.def.place()
		}
		way = append(way, stage)
	}
	slices.Reverse(way)
	return way
}

// Asked implements record.Ways.
func (l *left) Asked(r *catalog.Resource) source.Place {
	if n, known := l.numberOf(r); known && r.Type == "Class" {
		return l.resources[n].asked
	}
	return source.Place{}
}

// Again implements record.Ways.
func (l *left) Again(r *catalog.Resource) []source.Place {
	if n, known := l.numberOf(r); known && r.Type == "Class" {
		return l.resources[n].again
	}
	return nil
}

// Parameter implements record.Ways.
func (l *left) Parameter(r *catalog.Resource, name string) source.Place {
	if n, known := l.numberOf(r); known && l.resources[n].def != nil {
		def := l.resources[n].def
		if p := def.param(name); p != nil {
			return source.Place{File: def.File.Source, Span: p.Where}
		}
		for _, p := range def.Params { // a catalog has it in small letters
			if strings.EqualFold(p.Name, name) {
				return source.Place{File: def.File.Source, Span: p.Where}
			}
		}
	}
	return source.Place{}
}

// Absent implements record.Ways.
func (l *left) Absent(r *catalog.Resource, attr string) []provenance.Ref {
	n, known := l.numberOf(r)
	if !known || l.trace == nil {
		return nil
	}
	refs := l.absent(nil, n, attr, map[int32]bool{})
	slices.Sort(refs)
	refs = slices.Compact(refs)
	if len(refs) > 0 && refs[0] == 0 {
		refs = refs[1:]
	}
	return refs
}

// absent adds what an attribute's absence depends on.
func (l *left) absent(refs []provenance.Ref, n int32, attr string, seen map[int32]bool) []provenance.Ref {
	if seen[n] {
		return refs
	}
	seen[n] = true
	r := &l.resources[n]
	refs = append(l.touched(refs, r, attr), r.existence, r.first, r.splat)
	for _, u := range r.unset {
		if strings.EqualFold(u.attr, attr) {
			refs = append(refs, u.ref)
		}
	}
	if isMetaparam(attr) { // might have come down from a container
		if r.wire.Type == "Class" {
			refs = append(l.touched(refs, r, container), l.known.contained)
		}
		for _, c := range r.in {
			refs = l.absent(refs, c, attr, seen)
		}
	}
	return refs
}

// touched adds what could have changed an attribute from afar (mayTouch, of a finished compile).
func (l *left) touched(refs []provenance.Ref, r *leftResource, attr string) []provenance.Ref {
	for _, a := range r.noted {
		if a.attr == attr {
			refs = append(refs, a.ref)
		}
	}
	if attr == "require" {
		refs = append(refs, r.requiring)
	}
	t := l.afar[r.wire.Type]
	if t == nil {
		return refs
	}
	m := t.of(attr, &l.known, refs)
	return m.on(m.refs, r.wire.Title, func(n int) (provenance.Ref, bool) {
		for _, look := range r.looks {
			if look.collector == n {
				return look.ref, look.has
			}
		}
		return 0, false
	})
}

// nodeText is a node statement's head as written: node /^web/, node 'a', 'b'.
func nodeText(d *Definition) string {
	n, ok := d.Node.(*syntax.NodeDef)
	if !ok {
		return "node '" + d.Name + "'"
	}
	var hosts []string
	for _, h := range n.Hosts {
		hosts = append(hosts, d.File.Source.Slice(h.Span()))
	}
	return "node " + strings.Join(hosts, ", ")
}

// eachVariable visits the variables of the top scope, the node and every evaluated class, in the order of evaluation.
// Facts, settings and what every class has are left out.
func (l *left) eachVariable(visit func(class string, node bool, v *variable)) {
	for i := range l.scopes {
		s := &l.scopes[i]
		for k := range s.vars {
			v := &s.vars[k]
			switch v.name {
			case "title", "name", "module_name", "caller_module_name", "facts", "trusted", "server_facts", "environment":
				continue
			}
			if v.value == nil || s.class == "" && l.server != nil && l.server.EntryString(v.name) != nil {
				continue
			}
			if s.isNode {
				visit("", true, v)
			} else {
				visit(s.class, false, v)
			}
		}
	}
}

// scope is the scope of an evaluated class, or else the node's or the top scope.
func (l *left) scope(class string) *leftScope {
	var other *leftScope
	for i := range l.scopes {
		s := &l.scopes[i]
		if s.class == class && class != "" {
			return s
		}
		if s.isNode || other == nil {
			other = s
		}
	}
	return other
}

func (s *leftScope) find(name string) value.Value {
	if s != nil {
		for i := len(s.vars) - 1; i >= 0; i-- {
			if s.vars[i].name == name && s.vars[i].value != nil {
				return s.vars[i].value
			}
		}
	}
	return nil
}

// top is a variable of the top scope, or a fact.
func (l *left) top(name string) value.Value {
	if len(l.scopes) > 0 && l.scopes[0].class == "" {
		if v := l.scopes[0].find(name); v != nil {
			return v
		}
	}
	if l.facts != nil {
		if e := l.facts.EntryString(name); e != nil {
			return e.Value
		}
	}
	return nil
}

// leftData asks for each key once. One goroutine at a time: what answers remembers what it has read.
type leftData struct {
	l     *left
	mu    sync.Mutex
	known map[string]*record.Hiera
}

// Levels implements record.Data.
func (d *leftData) Levels(key string) *record.Hiera {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, known := d.known[key]
	if !known {
		class := ""
		if i := strings.LastIndex(key, "::"); i > 0 {
			class = key[:i]
		}
		h = d.l.levels(key, Left{d.l, d.l.scope(class)})
		d.known[key] = h
	}
	return h
}

// Mentions implements record.Data.
func (d *leftData) Mentions(text string) []record.Mention {
	if d.l.mentions == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.l.mentions(text, Left{d.l, d.l.scope("")})
}

// A Left is the variables of a finished compile as the code of one class saw them at the end: what Hiera interpolates.
type Left struct {
	l *left
	s *leftScope
}

// CallingClass is the name of the class, "" at top level.
func (v Left) CallingClass() string {
	if v.s == nil || v.s.isNode {
		return ""
	}
	return v.s.class
}

// Variable looks a variable up by its name, qualified or not; nil when there is none. The rules are those of
// Scope.Variable.
func (v Left) Variable(name string) value.Value {
	name = strings.TrimPrefix(name, "::")
	i := strings.LastIndex(name, "::")
	if i < 0 {
		seesNode := v.s != nil && (v.s.isNode || v.s.below)
		for s := v.s; s != nil && s.class != ""; s = v.l.class(s.inherits) {
			if x := s.find(name); x != nil {
				return x
			}
			seesNode = seesNode || s.below
		}
		if node := v.l.scope(""); seesNode && node != nil && node.isNode {
			if x := node.find(name); x != nil {
				return x
			}
		}
		return v.l.top(name)
	}
	class, leaf := name[:i], name[i+2:]
	if class == "" {
		return v.l.top(leaf)
	}
	if class == "settings" && v.l.config != nil {
		if e := v.l.config.EntryString(leaf); e != nil {
			return e.Value
		}
	}
	for {
		s := v.l.class(class)
		if s != nil {
			if x := s.find(leaf); x != nil {
				return x
			}
		}
		if x := v.l.top(class + "::" + leaf); x != nil || s == nil || s.inherits == "" {
			return x
		}
		class = s.inherits
	}
}

// class is the scope of an evaluated class, nil when there is none.
func (l *left) class(name string) *leftScope {
	if name != "" {
		if s := l.scope(name); s != nil && s.class == name {
			return s
		}
	}
	return nil
}
