// Package eval is THE semantics of Puppet: expressions, calls, lambdas, scopes, nodes, classes, defines, resources,
// defaults, overrides, collectors, relationships, and the phases of a compile. What µPuppet's rules say about a subset
// (section 3 and Appendix C of the paper; package mupuppet has them literally) this package does for the whole
// language, in the order and with the words of Puppet 7.23.
//
// Every evaluation yields a value and a provenance.Ref. All joining of provenance is in trace.go; with tracing off a
// Ref is always zero and costs nothing. The evaluator sees its surroundings through World only.
//
// Trouble with the user's program is a *source.Diagnostic, raised by fail and caught once, in Compile. Files:
// compile.go has the phases, scope.go variables, expr.go and its neighbours expressions, class.go and resource.go what
// ends up in the catalog.
//
// It may import catalog and everything below it. Start reading at Compile.
package eval

import (
	"context"

	"bunraku/budget"
	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/exported"
	"bunraku/puppet/record"
	"bunraku/puppet/syntax"
	"bunraku/puppet/trace"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Settings are the switches of Puppet that change what a program means. Language 8 is the default of the command line;
// differences that are no setting are asked of the Language.
type Settings struct {
	Language        source.Language
	Strict          source.Strictness
	StrictVariables bool
	Trace           bool
	Reads           bool // keep what reading each variable from outside depends on (record.Variable.Read)
	Storeconfigs    bool
	OlderYAML       bool // to_yaml writes as in puppetserver 7 (psych.Older)
	Certain         bool // what is not known is noted where it comes in, also if the catalog shows nothing of it
}

// The values of Settings.Strict, for functions that look at it.
const (
	StrictOff     = source.StrictOff
	StrictWarning = source.StrictWarning
	StrictError   = source.StrictError
)

// Language gives the settings that a language has by default.
func Language(l source.Language) Settings {
	if !l.Eight() {
		return Settings{Language: l, Strict: source.StrictWarning}
	}
	return Settings{Language: l, Strict: source.StrictError, StrictVariables: true}
}

// Input is what is compiled: a node with its facts, and the manifests that apply to every node.
type Input struct {
	Node        string
	Environment string
	Facts       *value.Hash
	Trusted     *value.Hash
	ServerFacts *value.Hash
	Parameters  *value.Hash // further top-scope variables: an ENC's
	Classes     []Assigned  // an ENC's classes
	Bytes       []string    // the strings of an ENC's answer that Ruby takes for bytes (TakesBytes)
	// Said is where the ENC's answer says something: "classes", "demo", "port"; nil if that is not known.
	Said func(steps ...string) source.Place
	// Imports answers exported collectors; nil where nothing is exchanged between nodes (storeconfigs is off).
	Imports  exported.Importer
	Main     []*syntax.File
	Settings Settings
	Cache    *Cache // shared with other compiles of the same environment; nil for one of its own
	// Budget bounds the work of this compile; nil for one of its own, with Limits and without an end in time.
	Budget *budget.Budget
	// Code and Levels are for the record of the compile: the environment's manifests, and what each level of Hiera has for
	// a key, as it is seen from the class whose parameter it may be. Nil for what cannot be asked. Levels is asked by one
	// goroutine at a time.
	Code   record.Code
	Levels func(key string, from Left) *record.Hiera
	// Mentions finds a text in the environment's data; asked as Levels is.
	Mentions func(text string, from Left) []record.Mention
	// Config is what $settings::NAME answers.
	Config *value.Hash
	// Log collects the questions that the compile asks of the world; nil for nobody.
	Log *trace.Log
	// Cover notes which branches are taken; nil for nobody.
	Cover *source.Cover
	// Part tells that what looks absent may be declared by whoever has what this node has.
	Part bool
	// Elsewhere tells of which keys other nodes may have values where this one has a default, whichever or one that is
	// none; nil for no key. Those may be in another environment, too.
	Elsewhere func(key string, none bool) bool
	// NoData tells of which keys the data are not there: that there is none proves nothing. nil for no key.
	NoData func(key string) bool
	// Branch is which branch decisions take that hang on what is not known, from 1; 0 is as if they were false.
	Branch int
}

// Assigned is a class that an external node classifier gives to the node.
type Assigned struct {
	Name   string
	Params *value.Hash // nil or empty for none
}

// An Evaluator is one compile in progress.
type Evaluator struct {
	world World
	cache *Cache
	in    Input
	trace *provenance.Trace
	set   Settings

	program
	top       *Scope
	nodes     *Scope // of the node statement, when there is one
	table     table
	phase     phase
	warnings  source.Diagnostics
	warned    map[string]bool
	logs      []LogLine
	unknowns  []*Unknown  // what could not be computed, in the order of the calls
	loosened  string      // why nothing can be proved by what the compile asked; see loose
	holes     bool        // some value has a part that is not known; see looksInto
	standIns  []StandIn   // of modules that are not there
	guessedOn []StandIn   // those of data and files on which something was guessed
	looseOn   []StandIn   // those on which it hangs what was asked; see loose
	doubted   []typeDoubt // while types are evaluated that others will not evaluate again
	doubting  int         // how many of those there are, one within the other
	// guess is the value that is not known on which it hangs whether the code being run runs; nil when it does for certain
	guess    *value.Opaque
	branches int           // how many other branches the decision has that was guessed and has most; see supposesIf
	elsifs   int           // the number of those that were guessed before the elsif that is to be evaluated
	guesses  int           // how many decisions were guessed, or effects left out
	mayLeave bool          // what was not run may have ended the code around it, or brought what a failure is about
	lost     int           // how many of them may have declared something
	unsure   bool          // something looks absent that may be there
	absent   int           // how many of them for want of modules
	open     *value.Opaque // on which a comparison of case or a selector just hung

	file   *syntax.File   // whose code is being evaluated
	lits   provenance.Ref // the first of its literals in the trace
	values []value.Value  // of its literals
	ctl    provenance.Ref // the decisions that led here
	asker  *Call          // the function that asks Hiera, nil for a class
	jumps  provenance.Ref // decisions that kept next, return or break from happening in the code being run
	stack  []step
	// asking is the call or expression that has classes evaluated right now: an included class has no place of its own
	asking source.Place
	budget *budget.Budget
	log    *trace.Log
	// idleDefault: the last call of lookup did not need its default
	idleDefault bool
	cursor      cursor // what has been read of the node's facts
	judge       *types.Judge
	bounds      bounds
	// jumping is the jump under way, so that what it passes need not stop it to see what it is
	jumping *jump
	unread  *unevaluated // likewise
	// suspects are the operands of the operator that is being applied, when tracing
	suspects [2]suspect
	secret   []provenance.Ref // of values that a failure is due to and that must not be shown
	bared    []suspect        // Sensitive values that the program has unwrapped, when tracing
	seen     []value.Value    // those and others that code saw in the clear, always; texts are what Hiera decrypted
	madeOf   []string         // what functions have made of those; see remade
	bare     []string         // the texts of seen
	clear    []string         // those and madeOf; see clearTexts
	cleared  int              // how many of seen are in clear

	pieces map[value.Value]bool // arrays and iterators of what functions have cut secrets into
	short  map[string]bool      // texts of those that are too short to be told

	literals  map[*syntax.File]provenance.Ref
	typed     map[syntax.Expr]bool // types that this compile has asked for, when tracing
	ghosts    ghosts
	nameRef   provenance.Ref
	facts     *value.Hash // $facts
	behind    map[*value.Hash][]provenance.Ref
	missing   map[string]provenance.Ref              // facts that were asked for and are not there
	foreign   map[provenance.LabelKey]provenance.Ref // places that values of other nodes depend on
	rendering *rendering
	// asked is what collectors asked for of what other nodes export
	asked   []*exported.Query
	bytes   []string               // strings that a catalog carries as Binary
	changes map[value.Value]change // what Ruby code has changed in place (alias.go),
	// and what decided that it did not, when tracing
	unchanged map[value.Value]provenance.Ref
	through   map[value.Value]int  // how many changes there were when a container was looked through in vain
	answers   map[value.Value]bool // arrays and hashes that Hiera has answered
	scratch   []provenance.Ref
	room      []provenance.Ref // for lists that are kept
	rooms     rooms
}

// A step is one level of the stack that error messages show.
type step struct {
	kind  string // of what text names
	text  string
	of    *Resource // whose code runs, in place of a text
	place source.Place
}

func newEvaluator(w World, in Input) *Evaluator {
	if in.Cache == nil {
		in.Cache = NewCache()
	}
	ev := &Evaluator{world: w, cache: in.Cache, in: in, log: in.Log, set: in.Settings, warned: map[string]bool{}}
	if ev.budget = in.Budget; ev.budget == nil {
		ev.budget = budget.New(context.Background(), Limits())
	}
	ev.judge = types.NewJudge(ev.budget)
	ev.TakesBytes(in.Bytes)
	ev.set.Storeconfigs = ev.set.Storeconfigs || in.Imports != nil
	if ev.set.Trace {
		ev.literals = map[*syntax.File]provenance.Ref{}
		size := ev.cache.traceSize()
		ev.trace = provenance.NewTraceLike(size.trace)
		ev.trace.Within(ev.budget)
		ev.ghosts.reserve(size)
	}
	ev.program = newProgram()
	like := ev.cache.roomSize()
	ev.rooms.like(like)
	ev.table = newTable(like)
	return ev
}

// Settings are the settings of this compile.
func (ev *Evaluator) Settings() Settings { return ev.set }

// World is what the evaluator asks.
func (ev *Evaluator) World() World { return ev.world }

// Node is the name of the node that is compiled.
func (ev *Evaluator) Node() string {
	ev.askFact(factPath(NodeName), false)
	return ev.in.Node
}

// NodeName is the way to the node's name, as questions about its facts put it.
const NodeName = "name"

// Top is the top scope.
func (ev *Evaluator) Top() *Scope { return ev.top }

// Environment is the environment's name.
func (ev *Evaluator) Environment() string { return ev.in.Environment }

// Classes are the names of the classes evaluated so far.
func (ev *Evaluator) Classes() []string { return ev.table.classes }

// A Result is a finished compile. It is sealed: plain data that any number of goroutines may read, and that holds no
// evaluator.
type Result struct {
	Catalog  *catalog.Catalog
	Trace    *provenance.Trace
	Warnings source.Diagnostics
	Logs     []LogLine
	// Failure is the error that ended the compile, nil when it succeeded; FailureRef is everything that was read until
	// then.
	Failure    *source.Diagnostic
	FailureRef provenance.Ref
	// StandIns are what the compile went on without, for want of modules that are not there.
	StandIns []StandIn
	// GuessedOn are the data, files and facts that are not there and on which a decision hung, an effect, or each answer
	// of Hiera's.
	GuessedOn []StandIn
	// LooseOn are those of them, and others, on which it hangs what the compile asked: which branch of a selector is
	// looked at, or what a template, a file, a function or a key is called.
	LooseOn []StandIn
	Guessed bool // a decision hung on something that is not known
	// Branches is how many other branches there were to guess at, of the decision with most of them (Input.Branch).
	Branches int
	// Certain tells that the compile fails so whatever the values are that are not known.
	Certain bool
	// Unsure tells that something looked absent to the compile that may be there in Puppet.
	Unsure bool
	// NotDone says that the compile was given up before it came to anything: there is neither a catalog nor a verdict.
	NotDone *budget.Aborted
	// Questions makes the trace of the compile: what it asked of the world, with digests of the answers. It is nil when
	// nobody wanted to know, or the compile has no trace.
	Questions func() *trace.Trace
	// Open is why there may be more to it than was asked and than is in the catalog: decisions and names hang on what is
	// not known. It is "" if nothing does.
	Open string
	// Exports are the resources that the node exports, as others get them; Asked is what it asked for of theirs.
	Exports []*exported.Resource
	Asked   []*exported.Query
	// Rest are exported resources that the node itself does not get: PuppetDB is sent them with the catalog.
	Rest catalog.Rest
	// Steps and Bytes are what has been drawn on the budget.
	Steps, Bytes int64

	left     *left // what is not in the catalog; nil when nothing was evaluated
	unknowns []*Unknown
	record   func() *record.Record // made once
}

// Record is what can be asked about the compile. It is made at the first question.
func (res *Result) Record() *record.Record {
	if res.record == nil { // nothing was evaluated
		return &record.Record{Catalog: res.Catalog, Trace: res.Trace, Ways: &left{}}
	}
	return res.record()
}

func (res *Result) newRecord() *record.Record {
	l := res.left
	rec := &record.Record{Catalog: res.Catalog, Trace: res.Trace, Facts: l.facts, Trusted: l.trusted,
		Unrealized: l.virtual, Ways: l, Code: l.code}
	l.eachVariable(func(class string, node bool, v *variable) {
		rec.Variables = append(rec.Variables, record.Variable{Class: class, Node: node, Name: v.name, Value: v.value,
			Ref: v.ref})
	})
	for i := range l.whole {
		rec.Variables[i].Ref = l.whole[i]
	}
	for i := range l.reads {
		rec.Variables[i].Read = l.reads[i]
	}
	type pass struct {
		branch source.Place
		in     int32
	}
	seen := make(map[pass]bool, len(l.passed))
	for _, b := range l.passed {
		if seen[pass{b.branch, b.in}] && b.in != unlisted {
			continue
		}
		seen[pass{b.branch, b.in}] = true
		branch := record.PassedBranch{Place: b.branch, Why: b.why}
		if b.in >= 0 {
			branch.In = l.text(&l.resources[b.in])
		}
		rec.Passed = append(rec.Passed, branch)
	}
	if l.levels != nil {
		rec.Data = &leftData{l: l, known: map[string]*record.Hiera{}}
	}
	return rec
}

// EachVariable visits the variables of the top scope, the node and every evaluated class, in the order of evaluation.
// Facts, settings and what every class has are left out.
func (res *Result) EachVariable(visit func(class, name string, v value.Value, r provenance.Ref)) {
	if res.left != nil {
		res.left.eachVariable(func(class string, _ bool, v *variable) { visit(class, v.name, v.value, v.ref) })
	}
}

// EachBared visits the values whose Sensitive parts the program has seen in the clear, so that they may be anywhere in
// the catalog, and the texts that functions have made of them.
func (res *Result) EachBared(visit func(v value.Value), made func(text string)) {
	if res.left != nil {
		for _, v := range res.left.seen {
			visit(v)
		}
		for _, text := range res.left.madeOf {
			made(text)
		}
	}
}

// Declared reports whether a compile that failed had declared a resource and not left it virtual. It is certain when
// all code had been evaluated: what fails after that is the catalog.
func (res *Result) Declared(typ, title string) (there, certain bool) {
	if res.left == nil {
		return false, false
	}
	return res.left.there[catalog.Name{Type: typ, Title: title}], res.left.evaluated
}

// code switches to another file's code and returns what switches back.
type code struct {
	file   *syntax.File
	lits   provenance.Ref
	values []value.Value
}

func (ev *Evaluator) enterFile(f *syntax.File) code {
	old := code{ev.file, ev.lits, ev.values}
	if f == ev.file || f == nil {
		return old
	}
	ev.file = f
	ev.lits = ev.literalsOf(f)
	ev.values = ev.cache.constants(f)
	return old
}

func (ev *Evaluator) leaveFile(c code) { ev.file, ev.lits, ev.values = c.file, c.lits, c.values }

// place is a span of the current file.
func (ev *Evaluator) place(s source.Span) source.Place {
	if ev.file == nil {
		return source.Place{}
	}
	return source.Place{File: ev.file.Source, Span: s}
}

func (ev *Evaluator) push(s step) {
	ev.stack = append(ev.stack, s)
	ev.budget.Enter(calling)
}

func (ev *Evaluator) pop() {
	ev.stack = ev.stack[:len(ev.stack)-1]
	ev.budget.Leave()
}

// typeOf evaluates a type expression, once for all compiles if it is the same in all.
func (ev *Evaluator) typeOf(e syntax.Expr, f *syntax.File) value.Type {
	if e == nil {
		return types.AnyT
	}
	here := false
	t := remember(ev.cache, ev.cache.types, e, func() (knownType, bool) {
		if varies(e) {
			return knownType{}, true
		}
		here = true
		frame, from := ev.log.Begin(), ev.beginDoubts()
		t := ev.evaluateType(e, f)
		return knownType{t, partsOf(e), ev.log.End(frame), ev.endDoubts(from)}, true
	})
	if t.Type == nil {
		return ev.evaluateType(e, f)
	}
	ev.log.Again(t.asked)
	if !here {
		ev.doubtType(t.doubts...)
	}
	if ev.trace != nil && !ev.typed[e] {
		if ev.typed == nil {
			ev.typed = map[syntax.Expr]bool{}
		}
		if ev.typed[e] = true; !here {
			ev.readType(t, f)
		}
	}
	return t.Type
}

// varies reports whether a type hangs on more than the code: on variables, or on what functions give.
func varies(e syntax.Expr) (out bool) {
	syntax.Walk(e, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.Var, *syntax.Call, *syntax.MethodCall:
			out = true
		}
		return !out
	})
	return out
}

// readType reads what a type that an earlier compile has evaluated is made of: it counts for this one as well.
func (ev *Evaluator) readType(t knownType, f *syntax.File) {
	c := ev.enterFile(f)
	for _, l := range t.literals {
		ev.lit(l)
	}
	for _, r := range t.names {
		ev.eval(r, ev.top)
	}
	ev.leaveFile(c)
}

// typeParts are what reading a type reads: its literals, and the names in it that files define.
type typeParts struct {
	literals []*syntax.Lit
	names    []*syntax.Ref
}

func partsOf(e syntax.Expr) (parts typeParts) {
	syntax.Walk(e, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Ref); ok {
			if types.Builtin(canonical(r.Value)) == nil {
				parts.names = append(parts.names, r)
			}
		} else if l := syntax.Literal(n); l != nil {
			parts.literals = append(parts.literals, l)
		}
		return true
	})
	return parts
}

func (ev *Evaluator) evaluateType(e syntax.Expr, f *syntax.File) value.Type {
	c := ev.enterFile(f)
	v, _ := ev.eval(e, ev.top)
	ev.leaveFile(c)
	if o := opaque(v); o != nil { // whatever is given may be of it
		return types.NewUnknown("Any", o.Why)
	}
	t, ok := v.(value.Type)
	if !ok {
		ev.failf("E0201", e.Span(), "A type was expected, got %s", types.Infer(v))
	}
	return t
}
