package eval

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"bunraku/budget"
	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
	"bunraku/source"
)

// The phases of a compile. Puppet's language is mostly about order: what a statement means depends on what has been
// evaluated before it, and a catalog's order is the order in which things came up. So the phases are Puppet's own, in
// Puppet's order, and nothing runs ahead.
//
//   - Main. All site manifests are read as one class, Class[main]. Definitions are registered first, whatever file they
//     are in; then the statements run from top to bottom. include evaluates a class at once, where it stands; a
// resource
//     of a native type is entered into the table; a define is entered, too, and its body waits.
//   - The node. Its statement is chosen by name, then by the first regular expression that matches, then default, and
// its
//     body runs in a scope between the top scope and those of classes.
//   - An external classifier's classes, those with parameters first. They are declared now and evaluated with the
// defines.
//   - Generators. Collectors look at the whole table: they realize virtual resources, and override. Bodies of defines
// and
//     of classes that waited run then, one round at a time: what a round declares waits for the next. Both go on in
// turn
//     until neither finds anything new. This is why an override may come too late, and why two defines see each other's
//     resources only by collectors.
//   - Finish. Overrides that waited for their resource, arrows, defaults, metaparameters that containers hand down,
// tags,
//     checks of required parameters, and what no collector found that was asked for by name.
//   - Sealing (left.go). What the catalog and later questions need is copied out; the evaluator is gone after that.
//
// An error anywhere is one panic, *failure, which Compile alone recovers; so are the end of the budget and a jump
// (return, next, break) that nobody catches. Everything else that panics is a bug and goes on to whoever runs the
// compile, who reports it as one. With tracing on, whatever decides that code runs is in ev.ctl while it runs, across
// phases: a define's body runs under what declared the define (evaluateDefines).

// phase is how far a compile has come.
type phase uint8

const (
	phaseMain phase = iota
	phaseNode
	phaseGenerators
	phaseFinish
)

const maxRounds = 1000 // of collectors and defines, as in Puppet

// Compile makes a node's catalog. The phases are Puppet's: main, the node, an ENC's classes, then collectors and
// defines in turn until nothing new comes up, then relationships, overrides, metaparameters and checks.
func Compile(w World, in Input) (result *Result) {
	ev := newEvaluator(w, in)
	result = &Result{Trace: ev.trace}
	defer func() {
		if result.left == nil && result.NotDone == nil {
			ev.sealFailed(result)
		}
		ev.showsUnknown(result.Catalog)
		result.Open, result.LooseOn = ev.loosened, ev.looseOn
		result.unknowns, result.record = ev.unknowns, sync.OnceValue(result.newRecord)
	}()
	defer func() {
		ev.trace.Within(nil) // what is asked of the graph from now on is not the compile's work
		result.Warnings, result.Logs, result.Asked = ev.warnings, ev.logs, ev.asked
		result.StandIns, result.GuessedOn, result.Unsure = ev.standIns, ev.guessedOn, ev.unsure
		result.Guessed, result.Branches = ev.guesses > 0, ev.branches
		result.Steps, result.Bytes = ev.budget.Spent()
		switch p := recover().(type) {
		case nil:
		case *failure:
			ev.hideSecrets(p.diagnostic)
			result.Failure, result.FailureRef = p.diagnostic, ev.trace.Everything()
			result.Certain = !ev.mayLeave && !AboutUnknown(p.diagnostic)
		case *jump:
			result.Failure = &source.Diagnostic{Code: "E0904", Place: p.at, Summary: jumpText(p.kind) +
				" from context where this is illegal"}
			result.FailureRef = ev.trace.Everything()
		case *budget.Exceeded:
			result.Failure, result.FailureRef = ev.exceeded(p), ev.trace.Everything()
			ev.hideSecrets(result.Failure)
		case *budget.Aborted:
			result.NotDone = p
		case value.TooMany:
			result.Failure = &source.Diagnostic{Code: codeSize, Place: ev.bounds.calling, Summary: p.Error(),
				Stack: ev.describeStack()}
			result.FailureRef = ev.trace.Everything()
		default:
			panic(p)
		}
	}()
	ev.log.Ask(trace.Question{Kind: trace.Enc})
	ev.log.Ask(trace.Question{Kind: trace.Main})
	ev.log.Ask(trace.Question{Kind: trace.Statement}) // two for one node end the compile at once
	ev.begin()
	ev.evaluateMain()
	ev.evaluateNode()
	ev.assignedClasses()
	ev.generate()
	ev.finish()
	c := ev.catalog()
	result.left = ev.seal(c)
	result.Exports = ev.exportsOf(result.left)
	result.Catalog = c
	ev.cache.setRoomSize(ev.roomSize())
	if ev.trace != nil {
		ev.cache.setTraceSize(traceSize{ev.trace.Size(), len(ev.ghosts.branches), len(ev.ghosts.passed)})
	}
	return result
}

// sealFailed keeps what is left of a compile that failed. If there is no budget with which to see what Ruby code has
// made of the variables, they are not kept.
func (ev *Evaluator) sealFailed(result *Result) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *budget.Exceeded:
			ev.table.scopes = nil
			result.left = ev.seal(nil)
		case *budget.Aborted:
			result.NotDone = p
		default:
			panic(p)
		}
	}()
	result.left = ev.seal(nil)
}

func jumpText(k jumpKind) string {
	switch k {
	case jumpNext:
		return "next()"
	case jumpReturn:
		return "return()"
	}
	return "break()"
}

// begin sets up the top scope and the resources that every catalog has.
func (ev *Evaluator) begin() {
	main := &Definition{Kind: ClassKind, parts: ev.in.Main}
	if len(ev.in.Main) > 0 {
		main.File = ev.in.Main[0]
	}
	ev.classes[""] = main
	ev.top = ev.newScope(nil, main, nil)
	ev.table.scopes[""] = ev.top
	stage := &Resource{Type: "Stage", Title: "main", kind: "compilable_type", typ: ev.world.ResourceType("stage"),
		scope: ev.top, source: main, main: true, evaluated: true}
	ev.initialTags(stage)
	ev.enterQuietly(stage)
	for _, c := range ev.in.Classes { // each is a tag of the catalog, too
		if !validTag(c.Name) {
			ev.failAt(&source.Diagnostic{Code: "E0511", Summary: "Invalid tag '" + c.Name + "'",
				Place: ev.said("classes", c.Name),
				Help:  "write the class's name without what stands in front of it"})
		}
		ev.table.classes = append(ev.table.classes, c.Name)
	}
	ev.topVariables()
	ev.settings()
}

// enterQuietly adds a resource that the compiler itself does not walk.
func (ev *Evaluator) enterQuietly(r *Resource) {
	ev.enter(r, &syntax.Nop{})
	ev.table.added = ev.table.added[:len(ev.table.added)-1]
}

// topVariables are the node's parameters, every fact and server fact by its own name, and the structured ones.
func (ev *Evaluator) topVariables() {
	own := ev.top.own
	set := func(name string, v value.Value, r provenance.Ref) {
		if have := own.slot(name); have != nil {
			have.value, have.ref = v, r
			return
		}
		own.add(name, v, r)
	}
	facts := ev.in.Facts
	if facts == nil {
		facts = value.EmptyHash
	}
	traced := ev.traceFacts(facts)
	for _, name := range []string{"facts", "server_facts"} { // a fact called trusted is passed over
		if facts.EntryString(name) != nil {
			ev.failAt(&source.Diagnostic{Code: "E0210", Summary: assignsReserved(name)})
		}
	}
	if facts.EntryString("module_name") != nil {
		ev.failAt(&source.Diagnostic{Code: "E0211", Summary: "Cannot reassign variable '$module_name'"})
	}
	own.base = &base{Hash: traced}
	if ev.log != nil {
		own.base.ev = ev
	}
	if ev.in.ServerFacts != nil {
		for _, e := range ev.in.ServerFacts.Entries() {
			name := value.ToString(e.Key)
			switch fact := facts.EntryString(name); {
			case name == "environment":
			case fact != nil: // it comes first
				ev.hides(name, source.Place{}, fact.Value, e.Value)
			default:
				set(name, e.Value, ev.trace.Leaf(provenance.Label{Kind: provenance.World, Path: "server fact " + name}))
			}
		}
	}
	ev.nodeParameters(set)
	var environment value.Value = value.String(ev.in.Environment)
	if ev.in.Elsewhere != nil {
		environment = NoFact("environment")
	}
	set("environment", environment,
		ev.trace.Leaf(provenance.Label{Kind: provenance.World, Path: "environment"}))
	trusted := ev.in.Trusted
	if trusted == nil {
		trusted = value.EmptyHash
	}
	set("trusted", ev.traceNode(trusted), 0)
	server := ev.in.ServerFacts
	if server == nil {
		server = value.EmptyHash
	}
	set("server_facts", server, ev.trace.Leaf(provenance.Label{Kind: provenance.World, Path: "server facts"}))
	ev.facts = traced
	set("facts", traced, ev.trace.Leaf(provenance.Label{Kind: provenance.Absence, Path: "more facts"}))
}

// traceFacts gives every fact, nested ones too, a leaf named by its path.
func (ev *Evaluator) traceFacts(h *value.Hash) *value.Hash {
	if ev.trace == nil {
		return h
	}
	first := provenance.Ref(ev.trace.Len() + 1)
	f := ev.cache.tracedFacts(h, first)
	ev.trace.Leaves(f.n, func(i int) provenance.Label {
		return provenance.Label{Kind: provenance.Fact,
			Path: f.paths()[i]}
	})
	return f.hash
}

// factTree is a node's facts with a leaf for each, the first one given. Facts are the first thing that a trace has, so
// compiling a node again finds the same leaves.
type factTree struct {
	source *value.Hash
	first  provenance.Ref
	hash   *value.Hash
	n      int
	paths  func() []string
}

func newFactTree(h *value.Hash, first provenance.Ref) *factTree {
	f := &factTree{source: h, first: first}
	f.hash = traceHash(h, "", func(string) provenance.Ref {
		f.n++
		return first + provenance.Ref(f.n-1)
	}, false)
	f.paths = sync.OnceValue(func() (paths []string) { // the same walk again, now for the names
		traceHash(h, "", func(path string) provenance.Ref {
			paths = append(paths, path)
			return 0
		}, true)
		return paths
	})
	return f
}

// traceHash gives every entry of a hash, nested ones too, a leaf. Paths cost something, so they are made only when
// named.
func traceHash(h *value.Hash, prefix string, leaf func(path string) provenance.Ref, named bool) *value.Hash {
	b := value.NewHashBuilder(h.Len())
	for _, e := range h.Entries() {
		path := ""
		if named {
			path = prefix + value.ToString(e.Key)
		}
		v, r := traceValue(e.Value, path, leaf, named)
		b.SetEntry(value.Entry{Key: e.Key, Value: v, KeyRef: 0, Ref: r})
	}
	return b.Hash()
}

func traceValue(v value.Value, path string, leaf func(path string) provenance.Ref, named bool) (value.Value,
	provenance.Ref) {
	switch v := v.(type) {
	case *value.Hash:
		return traceHash(v, path+".", leaf, named), leaf(path)
	case *value.Array:
		b := value.NewArrayBuilder(len(v.Elems))
		for i, x := range v.Elems {
			at := ""
			if named {
				at = path + "." + strconv.Itoa(i)
			}
			y, r := traceValue(x, at, leaf, named)
			b.AddRef(y, r)
		}
		return b.Array(), leaf(path)
	}
	return v, leaf(path)
}

// traceNode marks what in $trusted is the node's name.
func (ev *Evaluator) traceNode(h *value.Hash) *value.Hash {
	if ev.trace == nil {
		return h
	}
	return traceHash(h, "trusted.", func(path string) provenance.Ref {
		switch at := strings.TrimPrefix(path, "trusted."); at {
		case "certname":
			return ev.nodeName()
		case "hostname", "domain":
			if e := h.EntryString(at); e != nil && value.Equal(e.Value, value.String(provenance.NamePart(ev.in.Node, at))) {
				return ev.trace.Leaf(provenance.Label{Kind: provenance.NodeName, Path: at})
			}
		}
		return ev.trace.Leaf(provenance.Label{Kind: provenance.World, Path: path})
	}, true)
}

func (ev *Evaluator) nodeName() provenance.Ref {
	if ev.trace == nil {
		return 0
	}
	if ev.nameRef == 0 {
		ev.nameRef = ev.trace.Leaf(provenance.Label{Kind: provenance.NodeName})
	}
	return ev.nameRef
}

// settings adds Class[Settings], whose variables are Puppet's settings.
func (ev *Evaluator) settings() {
	d := &Definition{Kind: ClassKind, Name: "settings"}
	ev.classes["settings"] = d
	r := &Resource{Type: "Class", Title: "Settings", kind: "unknown", def: d, scope: ev.top, source: ev.classes[""],
		evaluated: true}
	ev.initialTags(r)
	ev.enterQuietly(r)
	ev.table.classes = append(ev.table.classes, "settings")
	sc := ev.newScope(ev.top, d, r)
	ev.table.scopes["settings"] = sc
	if ev.in.Config != nil {
		sc.own.base = &base{Hash: ev.in.Config}
	}
	sc.setOnce("title", value.String("settings"), 0)
	sc.setOnce("name", value.String("settings"), 0)
	ev.stageEdge(r)
}

// setting is $settings::NAME.
func (ev *Evaluator) setting(name string) (value.Value, bool) {
	if sc := ev.table.scopes["settings"]; sc != nil {
		if v := sc.own.find(name); v != nil && v.value != nil {
			return v.value, true
		}
	}
	return nil, false
}

func (ev *Evaluator) evaluateMain() {
	main := ev.classes[""]
	ev.define(ev.in.Main...)
	r := &Resource{Type: "Class", Title: "main", kind: "unknown", def: main, scope: ev.top, source: main, main: true}
	ev.top.resource = r
	ev.initialTags(r)
	ev.addResource(r, ev.top, &syntax.Nop{})
	ev.evaluateClass(r)
}

// evaluateNode finds the node statement: the exact name first, then the first regular expression that matches, then
// default.
func (ev *Evaluator) evaluateNode() {
	if len(ev.nodeDefs) == 0 {
		return
	}
	name := strings.ToLower(ev.in.Node)
	passed := ev.trace.Join(ev.nodeName(), ev.hostLiterals())
	d := ev.nodeNames[name]
	if d != nil && d.Match != nil {
		d = nil
	}
	var groups []string
	var set []bool
	if d == nil {
		d, groups, set = ev.matchNode(name)
	}
	if d == nil {
		d = ev.nodeNames["default"]
	}
	if d == nil {
		ev.failAt(&source.Diagnostic{Code: "E0570",
			Summary: fmt.Sprintf("Could not find node statement with name 'default' or '%s'", ev.in.Node),
			Help:    "add a node statement for it, or `node default { … }`",
			About:   about(source.MissingNode, ev.in.Node)})
	}
	code := d
	if ev.set.Language == source.Puppet8 && strings.ToLower(d.Name) != d.Name {
		// Puppet 8.11 looks for the definition once more, by the node's own name in small letters: it finds the first regexp
		// that matches that, with what it matches there, or none.
		if code, groups, set = ev.matchNode(strings.ToLower(d.Name)); code == nil {
			ev.failAt(&source.Diagnostic{Code: "E0571", Summary: "Cannot find definition Node", Place: d.place(),
				Help: "Puppet 8 loses nodes whose regexps have groups such as (?:…): write the regexp without (?; Puppet 7 and " +
					"OpenVox take it"})
		}
	}
	ev.phase = phaseNode
	before := ev.decide(passed)
	r := &Resource{Type: "Node", Title: d.Name, kind: "unknown", def: d, scope: ev.top, source: d}
	r.existence = ev.trace.Join(ev.ctl)
	ev.initialTags(r)
	ev.applyDefaults(r, ev.top)
	ev.table.tags.merge(&r.tags)
	ev.addResource(r, ev.top, &syntax.Nop{})
	r.evaluated = true
	ev.scopeTags(r)
	ev.evaluateNodeCode(r, code, groups, set)
	ev.ctl = before
	ev.nodes = ev.table.scopes[code.Name]
}

// matchNode is the first node statement whose regexp matches a name, and the groups of the match; nil if there is none.
func (ev *Evaluator) matchNode(name string) (d *Definition, groups []string, set []bool) {
	for _, n := range ev.nodeDefs {
		if n.Match == nil {
			continue
		}
		found, err := n.Match.Re.Find(name, 0)
		if err != nil {
			ev.failAt(&source.Diagnostic{Code: "E0903", Summary: err.Error(), Place: n.place()})
		}
		if found == nil {
			continue
		}
		for i := 0; i < len(found); i += 2 {
			if found[i] >= 0 {
				groups, set = append(groups, name[found[i]:found[i+1]]), append(set, true)
			} else {
				groups, set = append(groups, ""), append(set, false)
			}
		}
		return n, groups, set
	}
	return nil, nil, nil
}

// hostLiterals joins the names that node statements are written with: each could be the one that matches.
func (ev *Evaluator) hostLiterals() (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	seen := map[*syntax.NodeDef]bool{}
	for _, d := range ev.nodeDefs {
		if n := d.Node.(*syntax.NodeDef); !seen[n] {
			seen[n] = true
			r = ev.trace.Join(r, ev.hostsOf(n, d.File))
		}
	}
	return r
}

// hostsOf joins the names of one node statement.
func (ev *Evaluator) hostsOf(d *syntax.NodeDef, f *syntax.File) (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	base := ev.literalsOf(f)
	mark := func(l *syntax.Lit) { r = ev.trace.Join(r, ev.trace.Read(base+provenance.Ref(l.Ord))) }
	for _, h := range d.Hosts {
		syntax.Walk(h, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Str:
				mark(&n.Lit)
			case *syntax.Regexp:
				mark(&n.Lit)
			case *syntax.Default:
				mark(&n.Lit)
			}
			return true
		})
	}
	return r
}

func (ev *Evaluator) evaluateNodeCode(r *Resource, d *Definition, groups []string, set []bool) {
	sc := ev.newScope(ev.top, d, r)
	ev.table.classes = append(ev.table.classes, d.Name)
	ev.push(step{of: r, place: d.place()})
	c := ev.enterFile(d.File)
	sc.setOnce("title", value.String(d.Name), ev.nodeName())
	sc.setOnce("name", value.String(d.Name), ev.nodeName())
	ev.table.scopes[d.Name] = sc
	sc.ctl, r.inside = ev.ctl, sc
	mark := sc.mark()
	if groups != nil {
		sc.setMatch(groups, set, ev.nodeName())
	}
	ev.runBody(d, sc)
	sc.restore(mark) // defines run later and do not see the groups
	ev.leaveFile(c)
	ev.pop()
}

// assignedClasses declares an ENC's classes, those with parameters first; they are evaluated lazily, with the defines.
func (ev *Evaluator) assignedClasses() {
	sc := ev.nodes
	if sc == nil {
		sc = ev.top
	}
	find := func(name string) *Definition {
		d := ev.wantClass(name)
		if d == nil {
			m := ev.missingClass(name)
			ev.failAt(&source.Diagnostic{Code: "E0509", Summary: m.text, Place: ev.said("classes", name), Help: m.help,
				About: m.about})
		}
		return d
	}
	before := ev.ctl
	for _, c := range ev.in.Classes {
		if c.Params == nil || c.Params.Len() == 0 {
			continue
		}
		d := find(c.Name)
		ev.ctl = before
		ev.decide(ev.assignedBy(c.Name))
		r := &Resource{Type: "Class", Title: capitalized(d.Name), kind: "unknown", def: d, scope: sc, source: d}
		r.existence, r.asked = ev.trace.Join(ev.ctl), ev.said("classes", c.Name)
		for _, e := range c.Params.Entries() {
			name := value.ToString(e.Key)
			if name == "title" { // a resource statement takes it, and passes it over
				ev.failAt(&source.Diagnostic{Code: "E0412", Place: ev.said("classes", c.Name, name),
					Summary: "Class[" + capitalized(d.Name) + "]: has no parameter named 'title'"})
			}
			v, ref := ev.saidValue(e.Value, "the classifier's parameter "+name+" of class "+c.Name, "classes", c.Name, name)
			ev.setParam(r, &param{name: name, value: v, ref: ref, source: d, place: ev.said("classes", c.Name, name)})
		}
		ev.initialTags(r)
		ev.applyDefaults(r, sc)
		ev.ensureParent(r, sc)
		ev.table.tags.merge(&r.tags)
		ev.addResource(r, sc, &syntax.Nop{})
	}
	for _, c := range ev.in.Classes {
		if c.Params != nil && c.Params.Len() > 0 {
			continue
		}
		d := find(c.Name)
		ev.ctl = before
		ev.decide(ev.assignedBy(c.Name))
		if ev.table.scopes[d.Name] == nil {
			if r := ev.ensureClass(d, sc); !r.asked.Known() {
				r.asked = ev.said("classes", c.Name)
			}
		}
	}
	ev.ctl = before
}

// generate runs collectors and evaluates defines in turn until neither finds anything new.
func (ev *Evaluator) generate() {
	ev.phase = phaseGenerators
	for round := 0; ; round++ {
		busy := ev.runCollectors()
		if ev.evaluateDefines() {
			busy = true
		}
		if !busy {
			return
		}
		if round > maxRounds {
			ev.failAt(&source.Diagnostic{Code: "E0905",
				Summary: fmt.Sprintf("Somehow looped more than %d times while evaluating host catalog", maxRounds),
				Help:    "a define declares itself again and again, each time with a new title"})
		}
	}
}

func (ev *Evaluator) runCollectors() bool {
	busy := false
	for _, c := range append([]*collector(nil), ev.table.collected...) {
		if c.run() {
			busy = true
		}
	}
	return busy
}

// evaluateDefines evaluates what has been declared and is neither native nor virtual. What these declare waits for the
// next round.
func (ev *Evaluator) evaluateDefines() bool {
	var todo []*Resource
	for _, r := range ev.table.added {
		if !r.evaluated && !r.virtual && r.typ == nil && r.absent == "" {
			todo = append(todo, r)
		}
	}
	for _, r := range todo {
		if r.evaluated {
			continue
		}
		before := ev.ctl
		ev.ctl = ev.trace.With(r.existence, ev.tooLate(r))
		if ev.guess = r.possible; ev.guess == nil {
			ev.evaluateClass(r)
		} else if _, err := ev.Rescue(r.scope, func() (value.Value, error) {
			ev.evaluateClass(r)
			return nil,
				nil
		}); err != nil && !r.possible.Absent {
			ev.warnings = append(ev.warnings, &source.Diagnostic{Code: "E0705", Severity: source.Warning, Place: r.place,
				Summary: "This is left out: it would fail, and it is not known whether Puppet comes here (" + err.Error() + ")"})
		}
		ev.guess = nil
		ev.ctl = before
	}
	return len(todo) > 0
}
