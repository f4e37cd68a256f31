package compiler

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"bunraku/budget"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions/stdlib"
	"bunraku/puppet/lookup"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
	"bunraku/source"
)

// This file answers the questions of traces (package trace says what they are and why they suffice). An answer is found
// as the compile found it, by the same functions, but nothing is evaluated. It is kept: of ten thousand nodes that ask
// the same, the first pays.

// answers are what a snapshot has been asked.
type answers struct {
	entries   sync.Map     // trace.Question → *trace.Entry; none that depends on the node
	code      sync.Map     // *trace.Piece → *trace.Entry
	size      atomic.Value // trace.Size of the last compile
	types     sync.Map     // name of a resource type → []trace.Question: what is asked of it
	described sync.Map     // name of a resource type → what was read of it
	views     sync.Map     // viewed → *trace.Entry: what nodes with equal views of Hiera's layers are told
	tests     sync.Map     // testKey → *trace.Entry
	testCount atomic.Int64
}

// viewed is a question about layers, and what the node sees of them.
type viewed struct {
	q trace.Question
	v lookup.View
}

// like is how much the last compile asked.
func (a *answers) like() trace.Size {
	s, _ := a.size.Load().(trace.Size)
	return s
}

// Holds tells whether a compile of the node would come to the same result as the one that a trace is of, or else names
// the first question that has another answer now. It evaluates nothing. An error is about our surroundings: the context
// ended, or the files are being written.
func (c *Snapshot) Holds(ctx context.Context, t *trace.Trace, n Node) (holds bool, why trace.Question, err error) {
	for tries := 0; ; tries++ {
		c = c.Current()
		holds, why, err = c.holds(ctx, t, n)
		if err = confirm(c.files, err); !errors.Is(err, source.ErrChanged) {
			return holds && err == nil, why, err
		}
		files, err := again(ctx, c.files, tries)
		if err != nil {
			return false, why, err
		}
		next, err := c.ws.Snapshot(ctx, files)
		if err != nil {
			return false, why, err
		}
		c.renewed.CompareAndSwap(nil, next)
	}
}

func (c *Snapshot) holds(ctx context.Context, t *trace.Trace, n Node) (holds bool, why trace.Question, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *budget.Aborted:
			holds, err = false, p
		case *budget.Exceeded: // a glob that goes everywhere: the compile would hit the bound as well
			holds = false
		default:
			panic(p)
		}
	}()
	c.prepare()
	who, err := c.dataOf(ctx, n)
	if err != nil {
		return false, why, err
	}
	ask := &Asker{c: c, who: who, budget: budget.New(ctx, c.limits())}
	for _, e := range t.Entries {
		why = e.Question
		ask.budget.Spend(1, "a trace")
		if is := ask.Entry(why); is == nil || is.Answer != e.Answer {
			return false, why, nil
		}
	}
	return true, trace.Question{}, nil
}

// An Asker answers the questions of one node's compile. It belongs to one goroutine.
type Asker struct {
	c      *Snapshot
	who    *nodeData                 // nil until it is needed
	some   *Sketch                   // what is known before
	load   func() (*nodeData, error) // finds who
	err    error                     // of load
	budget *budget.Budget
	data   *lookup.Answerer        // made when it is needed
	facts  map[string]*trace.Entry // that were asked for
}

// A Sketch is a little of a node: enough for most questions about it, while its facts stay where they are.
type Sketch struct {
	Name           string
	Facts, Trusted *value.Hash                                 // some of them
	Has            func(name string, steps []value.Value) bool // is what lies there in Facts or Trusted; nil for never
}

// Asker answers questions about a node, as this view of the files has it. What the files are asked is bounded by one
// compile's budget.
func (c *Snapshot) Asker(ctx context.Context, n Node) (*Asker, error) {
	c.prepare()
	who, err := c.dataOf(ctx, n)
	if err != nil {
		return nil, err
	}
	return &Asker{c: c, who: who, budget: budget.New(ctx, c.limits())}, nil
}

// AskerOf answers questions about a node of which a sketch is known; the node is loaded when that does not do.
func (c *Snapshot) AskerOf(ctx context.Context, some *Sketch, load func() (Node, error)) *Asker {
	c.prepare()
	return &Asker{c: c, some: some, budget: budget.New(ctx, c.limits()), load: func() (*nodeData, error) {
		n, err := load()
		if err != nil {
			return nil, err
		}
		return c.dataOf(ctx, n)
	}}
}

// Err is why the node could not be loaded: then answers are missing.
func (a *Asker) Err() error { return a.err }

// node is all that is known of the node, nil if that cannot be had.
func (a *Asker) node() *nodeData {
	if a.who == nil && a.err == nil {
		a.who, a.err = a.load()
	}
	return a.who
}

// View is what the node sees of the layers of Hiera that a question is about; ok is false for other questions, and for
// those whose answer hangs on more of the node than that. Nodes with equal views get equal answers.
func (a *Asker) View(q trace.Question) (v lookup.View, ok bool) {
	switch q.Kind {
	case trace.LayerFirst, trace.LayerAll, trace.KeyOptions:
		return a.answerer().View(q)
	}
	return v, false
}

func (a *Asker) answerer() *lookup.Answerer {
	if a.data == nil {
		called := a.called()
		_, server := a.c.fixedFor(called)
		known := lookup.Known{Server: server, Environment: called}
		if a.who == nil && a.some != nil {
			known.Facts, known.Trusted, known.Partial, known.Has = a.some.Facts, a.some.Trusted, true, a.some.Has
			known.More = func() (facts, trusted *value.Hash, ok bool) {
				if who := a.node(); who != nil {
					return who.facts, who.trusted, true
				}
				return nil, nil, false
			}
		} else if who := a.node(); who != nil {
			known.Facts, known.Trusted = who.facts, who.trusted
		}
		a.data = a.c.lookup.Answerer(known, a.budget)
	}
	return a.data
}

// called is what the environment is called for the node.
func (a *Asker) called() string {
	if a.who == nil && a.some != nil {
		c := a.c.opt.Classifier
		if c == nil {
			return a.c.env.Name
		}
		// Whoever has got here has asked for the node before: it is not asked again.
		if said, err := c.Ask(context.Background(), strings.ToLower(a.some.Name)); err == nil {
			return a.c.called(said.Environment)
		}
	}
	if who := a.node(); who != nil {
		return who.called
	}
	return a.c.env.Name
}

// Layer is the number of all that the node sees of a layer of Hiera, as questions name it; -1 if that cannot be told.
// With options, it is -1 as well if the layer's lookup_options hang on more of the node than that.
func (a *Asker) Layer(name string, options bool) int32 { return a.answerer().Layer(name, options) }

// OptionLayers are the layers of Hiera, as questions name them, that may have lookup_options for a key.
func OptionLayers(key string) []string { return lookup.OptionLayers(key) }

// Variables are those that decide what the node sees of Hiera's layers, as far as anything has been asked.
func (a *Asker) Variables() []lookup.Variable { return a.answerer().Variables() }

// traceOf gives the questions of a compile their answers.
func (c *Snapshot) traceOf(log *trace.Log, templates func(func(name, pattern string)), who *nodeData,
	failed bool) *trace.Trace {
	asked, ran := log.Asked(), log.Ran()
	seen := make(map[trace.Question]struct{}, len(asked))
	t := &trace.Trace{Entries: make([]*trace.Entry, 0, 2+len(asked)+len(ran)), Failed: failed}
	ask := &Asker{c: c, who: who}
	add := func(q trace.Question) {
		if _, twice := seen[q]; twice {
			return
		}
		seen[q] = struct{}{}
		e := ask.Entry(q)
		if e == nil { // nobody can answer: no trace holds that has it
			e = &trace.Entry{Question: q}
		}
		t.Entries = append(t.Entries, e)
	}
	add(trace.Question{Kind: trace.Program})
	add(trace.Question{Kind: trace.Options})
	for _, q := range asked {
		add(q)
	}
	templates(func(name, pattern string) { add(trace.Question{Kind: trace.ERB, Of: name, Part: pattern}) })
	pieces := map[*syntax.File]*trace.Pieces{}
	for _, r := range ran {
		path, known := c.env.Known(r.File.Source)
		if !known { // a text that the program made
			continue
		}
		all := pieces[r.File]
		if all == nil {
			all = c.pieces(r.File)
			pieces[r.File] = all
		}
		if p := all.At(r.At); p != nil {
			t.Entries = append(t.Entries, c.codeEntry(p, path))
		}
	}
	c.addTests(t, log.Tested(), pieces)
	return t
}

// pieces divides a file once for all snapshots.
func (c *Snapshot) pieces(f *syntax.File) *trace.Pieces {
	type key struct{ f *syntax.File }
	cost := int64(4*len(f.Source.Text) + 1000)
	return c.ws.cache.Get(key{f}, cost, func() any { return trace.PiecesOf(f) }).(*trace.Pieces)
}

// mostTests is with how many values one literal is compared before it is asked for itself.
const mostTests = 16

// addTests adds how comparisons with literals came out.
func (c *Snapshot) addTests(t *trace.Trace, tested []trace.Tested, pieces map[*syntax.File]*trace.Pieces) {
	if len(tested) == 0 {
		return
	}
	count := make(map[syntax.Expr]int, len(tested))
	seen := make(map[testKey]bool, len(tested))
	for _, x := range tested {
		count[x.Literal]++
	}
	for _, x := range tested {
		k := testKey{literal: x.Literal}
		if count[x.Literal] <= mostTests {
			if k.with = trace.Comparable(x.With); len(k.with) > 256 {
				k.with = ""
			}
		}
		if seen[k] {
			continue
		}
		seen[k] = true
		if e, known := c.asked.tests.Load(k); known {
			t.Entries = append(t.Entries, e.(*trace.Entry))
			continue
		}
		path, known := c.env.Known(x.File.Source)
		if !known { // a text that the program made
			continue
		}
		all := pieces[x.File]
		if all == nil {
			all = c.pieces(x.File)
			pieces[x.File] = all
		}
		p, i := all.Test(x.Literal)
		if p == nil { // the literal is part of its piece
			continue
		}
		part := p.Name + "\x00" + strconv.Itoa(i)
		if k.with != "" {
			sum := c.summer.Sum([]byte(k.with))
			part += "\x00" + base64.RawStdEncoding.EncodeToString(sum[:])
		}
		e := &trace.Entry{Question: trace.Question{Kind: trace.Test, Of: path, Part: part}}
		e.Answer = c.summer.Sum(c.answerTest(x.Literal, k.with == "", func(with string) bool { return with == k.with }))
		if c.asked.testCount.Add(1)%mostTestEntries == 0 {
			c.asked.tests.Clear()
		}
		c.asked.tests.Store(k, e)
		t.Entries = append(t.Entries, e)
	}
}

// testKey is a literal, and what it is compared with.
type testKey struct {
	literal syntax.Expr
	with    string
}

// mostTestEntries is how many comparisons a snapshot keeps.
const mostTestEntries = 1 << 16

// answerTest writes what a literal is, or whether it equals something.
func (c *Snapshot) answerTest(x syntax.Expr, whole bool, equals func(with string) bool) (t trace.Text) {
	if whole {
		t.Value(trace.LiteralValue(x))
	} else {
		t.Flag(equals(trace.Comparable(trace.LiteralValue(x))))
	}
	return t
}

// test answers whether a literal equals what has a digest; ok is false when there is no such literal.
func (c *Snapshot) test(q trace.Question, t *trace.Text) (ok bool) {
	f, ds, err := c.env.Parse(q.Of)
	if err != nil || ds.HasErrors() {
		return false
	}
	parts := strings.Split(q.Part, "\x00")
	p := c.pieces(f).Named(parts[0])
	if p == nil || len(parts) < 2 {
		return false
	}
	i, err := strconv.Atoi(parts[1])
	if err != nil || i >= len(p.Tests()) {
		return false
	}
	*t = append(*t, c.answerTest(p.Tests()[i], len(parts) == 2, func(with string) bool {
		sum := c.summer.Sum([]byte(with))
		return base64.RawStdEncoding.EncodeToString(sum[:]) == parts[2]
	})...)
	return true
}

func (c *Snapshot) codeEntry(p *trace.Piece, path string) *trace.Entry {
	if e, known := c.asked.code.Load(p); known {
		return e.(*trace.Entry)
	}
	q := trace.Question{Kind: trace.Code, Of: path, Part: p.Name}
	e, _ := c.asked.code.LoadOrStore(p, &trace.Entry{Question: q, Answer: c.summer.Sum(p.Digest())})
	return e.(*trace.Entry)
}

// Entry is a question with its answer here; nil when nobody can answer it. Equal entries of a snapshot that do not
// depend on the node's own facts are one.
func (a *Asker) Entry(q trace.Question) *trace.Entry {
	c := a.c
	switch {
	case q.Kind == trace.Clock || c.env.Broken() != nil:
		return nil
	case q.OfLayers():
		return a.ofLayers(q)
	case q.OfNode():
		if e := a.facts[q.Of]; e != nil && q.Kind == trace.Fact {
			return e
		}
		who := a.who
		if who == nil && a.some != nil && q.Kind == trace.Statement {
			who = &nodeData{name: strings.ToLower(a.some.Name)}
		} else if who = a.node(); who == nil {
			return nil
		}
		var t trace.Text
		c.answerOf(q, who, &t)
		e := &trace.Entry{Question: q, Answer: c.summer.Sum(t)}
		if q.Kind == trace.Fact {
			if a.facts == nil {
				a.facts = map[string]*trace.Entry{}
			}
			a.facts[q.Of] = e
		}
		return e
	}
	if e, known := c.asked.entries.Load(q); known {
		return e.(*trace.Entry)
	}
	if q.Kind == trace.Code {
		if f, ds, err := c.env.Parse(q.Of); err == nil && !ds.HasErrors() {
			if p := c.pieces(f).Named(q.Part); p != nil {
				return c.codeEntry(p, q.Of)
			}
		}
	}
	var t trace.Text
	if !c.lookup.Answer(q, a.budget, &t) {
		c.answer(q, &t)
	}
	e, _ := c.asked.entries.LoadOrStore(q, &trace.Entry{Question: q, Answer: c.summer.Sum(t)})
	return e.(*trace.Entry)
}

// ofLayers answers what was asked of Hiera's layers, once for all nodes that see the same of them.
func (a *Asker) ofLayers(q trace.Question) *trace.Entry {
	c := a.c
	view, ok := a.View(q)
	if ok {
		if e, known := c.asked.views.Load(viewed{q, view}); known {
			return e.(*trace.Entry)
		}
	}
	var t trace.Text
	if !a.answerer().Answer(q, &t) {
		return nil
	}
	e := &trace.Entry{Question: q, Answer: c.summer.Sum(t)}
	if ok {
		is, _ := c.asked.views.LoadOrStore(viewed{q, view}, e)
		return is.(*trace.Entry)
	}
	return e
}

// Statements is a digest of the node statements: as long as it is the same, so is the one that a name gets.
func (c *Snapshot) Statements() trace.Answer {
	c.prepare()
	var t trace.Text
	t.Number(int(c.set.Language))
	for _, f := range c.manifest.files {
		for _, d := range f.Defs {
			if n, is := d.(*syntax.NodeDef); is {
				t.String(trace.NameOf(n))
				t.Flag(len(n.Body.Stmts) > 0)
			}
		}
	}
	return c.summer.Sum(t)
}

// classification is what an external classifier, and the command line, say of the node.
func (s *nodeData) classification() (t trace.Text) {
	if s.refused != nil {
		t.String(s.refused.Summary)
	}
	if s.parameters != nil && s.parameters.Len() > 0 {
		t.Value(s.parameters)
	}
	for _, a := range s.classes {
		t.String(a.Name)
		if a.Params != nil {
			t.Value(a.Params)
		}
	}
	for _, b := range s.bytes {
		t.String("bytes " + b)
	}
	if s.imports != nil {
		t.String("exchanges resources")
	}
	if s.renamed {
		t.String("environment " + s.called)
	}
	return t
}

// answerOf writes the answer to a question about the node.
func (c *Snapshot) answerOf(q trace.Question, who *nodeData, t *trace.Text) {
	switch q.Kind {
	case trace.Statement:
		eval.NodeStatement(c.manifest.files, who.name, c.set.Language, t)
	case trace.Enc:
		*t = append(*t, who.classification()...)
	case trace.Exports:
		who.answerExports(q, t)
	case trace.Fact:
		steps := strings.Split(strings.TrimSuffix(q.Of, "\x00"), "\x00")
		if steps[0] == eval.NodeName {
			t.String(who.name)
			return
		}
		h := who.facts
		if steps[0] == "trusted" {
			h = who.trusted
		}
		var v value.Value
		if h != nil {
			v = h
		}
		for i, s := range steps[1:] {
			in, is := v.(*value.Hash)
			if !is { // to go on from there is an error
				t.Number(i)
				break
			}
			v, _ = in.GetString(s)
		}
		t.Value(v)
	}
}

// answer writes the answer to a question about files of code, or about this run.
func (c *Snapshot) answer(q trace.Question, t *trace.Text) {
	path := func(p string, ok bool) {
		if t.Flag(ok); ok {
			t.String(p)
		}
	}
	switch q.Kind {
	case trace.Program:
		c.answerProgram(t)
	case trace.Options:
		c.answerOptions(t)
	case trace.Main:
		c.answerMain(t)
	case trace.Manifest, trace.Function, trace.TypeAlias, trace.Template:
		c.answerFile(c.file(q), t)
	case trace.Native:
		var from *environment.Module
		if q.Part != "" {
			from = c.env.Module(q.Part)
		}
		places := c.env.RubyFunctions(q.Of)
		place := environment.RubyFunction{}
		if len(places) > 0 {
			place = places[0]
		}
		if len(places) > 1 && from != nil {
			place = c.env.Seen(from, places)
		}
		_, inPuppet := c.env.FunctionFile(q.Of)
		t.Flag(inPuppet)
		c.answerRuby(q.Of, place, t)
	case trace.Native3:
		p, ok := c.env.OldFunctionFile(q.Of)
		if t.Flag(ok); ok {
			c.answerRuby(q.Of, environment.RubyFunction{Path: p, Old: true, Module: c.env.ModuleOf(p)}, t)
		}
	case trace.Query:
		c.answerQuery(q.Of, t)
	case trace.Test:
		if !c.test(q, t) {
			t.String("none")
		}
	case trace.NodeNamed:
		t.Flag(eval.NodeNamed(c.manifest.files, q.Of))
	case trace.Attributes:
		c.answerType(q.Of, t)
	case trace.Accepts:
		typ, _ := c.readType(q.Of)
		t.Flag(typ != nil && typ.Accepts(q.Part))
	case trace.Described:
		path(c.env.GeneratedTypeFile(q.Of))
	case trace.TypeFile:
		path(c.env.ResourceTypeFile(q.Of))
	case trace.Library:
		path(c.env.LibraryFile(q.Of))
	case trace.Providers:
		for _, p := range c.env.Providers(q.Of) {
			t.String(p)
		}
	case trace.FindFile:
		path(c.env.FindFile(q.Of))
	case trace.FindTemplate:
		path(c.env.FindTemplate(q.Of))
	case trace.Directory:
		if m := c.env.Module(q.Of); m != nil {
			t.String(m.Dir)
			t.String(m.DataProvider)
		}
	case trace.Content:
		c.answerContent(q.Of, t)
	case trace.ERB:
		f, p, err := c.findERB(q.Of)
		t.String(p)
		switch {
		case err != nil:
			t.String(err.Error())
		case f != nil:
			t.Flag(true)
			if q.Part != "" {
				t.String(c.templates.File(f, p).Covered(q.Part))
			}
		}
	default: // a piece of code that is not there any more
		t.String("none")
	}
}

// answerContent writes what a file holds.
func (c *Snapshot) answerContent(path string, t *trace.Text) {
	text, err := c.env.Read(path)
	if t.Flag(err == nil); err != nil {
		t.String(err.Error())
		return
	}
	t.String(text)
}

// answerFile writes what loading a file of code shows: where it is, and what it defines. What ends a compile counts
// with its whole text.
func (c *Snapshot) answerFile(f *found, t *trace.Text) {
	switch {
	case f.diags.HasErrors():
		t.String("broken")
		t.String(f.path)
		t.String(firstError(f.diags).Summary)
		if f.file != nil {
			t.String(f.file.Source.Text)
		}
	case f.file == nil:
		t.String("none")
	default:
		t.String("file")
		t.String(f.path)
		t.String(c.moduleOf(f.file.Source))
		t.String(string(trace.Outline([]*syntax.File{f.file}, true)))
	}
}

// answerMain writes what the main manifests define, all together, and which of them have code. Node statements are a
// question of their own.
func (c *Snapshot) answerMain(t *trace.Text) {
	if c.manifest.err != nil {
		t.String("broken")
		t.String(c.manifest.err.Error())
		return
	}
	if d := firstError(c.manifest.diags); d != nil {
		t.String("broken")
		t.String(d.Place.String() + d.Summary)
		return
	}
	t.String("files")
	t.String(string(trace.Outline(c.manifest.files, false)))
	for _, f := range c.manifest.files {
		for _, s := range f.Body.Stmts {
			if _, is := s.(syntax.Definition); !is {
				path, _ := c.env.Known(f.Source)
				t.String(path)
				break
			}
		}
	}
}

// answerRuby writes which function a file in Ruby stands for: one that we have in Go, or what the file says.
func (c *Snapshot) answerRuby(name string, place environment.RubyFunction, t *trace.Text) {
	t.Flag(place.Path != "")
	t.Flag(place.Old)
	if m := place.Module; m != nil {
		t.String(m.Name)
	}
	if place.Path == "" {
		return
	}
	if set := c.nativeSet(name, place); set != "" { // then nobody reads the file
		t.String(set)
		return
	}
	t.String(place.Path)
	if text, err := c.env.Read(place.Path); err == nil && place.Module != nil && !strings.Contains(text, "__LINE__") {
		if sum, ok := c.sourceSum(place.Path, place.Module); ok { // comments and places are not in it
			t.String(sum)
			return
		}
	}
	c.answerContent(place.Path, t)
}

// nativeSet says which of our functions in Go stands for a file, "" for none; functionIn and function3x choose alike.
func (c *Snapshot) nativeSet(name string, place environment.RubyFunction) string {
	if module, _, qualified := strings.Cut(name, "::"); qualified && !place.Old {
		place.Module = c.env.Module(module)
	}
	if m := place.Module; place.Old && m != nil && m.Name == "stdlib" && c.isChecked(name, "8", place) &&
		stdlib.Function3x(name) != nil {
		return "old"
	}
	for _, n := range c.natives[name] {
		if n.module == place.Module && c.isChecked(name, n.set, place) {
			return "set " + n.set
		}
	}
	return ""
}

// answerProgram writes which program this is. One that cannot be told is another one for every workspace.
func (c *Snapshot) answerProgram(t *trace.Text) {
	digest, err := source.Program()
	if err != nil {
		t.String(fmt.Sprintf("%p %v", c.ws, err))
	}
	t.String(string(digest[:]))
}

// answerOptions writes what the run was told, and what is the same for all nodes of an environment.
func (c *Snapshot) answerOptions(t *trace.Text) {
	o := c.opt
	t.String(fmt.Sprint(o.Language, c.set.Strict, c.set.StrictVariables, c.set.Storeconfigs, o.Ruby, o.StrictOpaque,
		o.OlderYAML,
		c.standsIn(), o.Limits, o.Outside, o.DataDirs, o.ListsExports))
	if o.StandIn { // what is named and not there stands in
		for _, module := range c.wanted() {
			t.String(module)
		}
	}
	t.Value(c.settings)
	t.Value(c.server)
	for _, s := range []string{c.env.Name, c.env.Dir, c.env.DataProvider, o.GlobalHiera} {
		t.String(s)
	}
	if o.Mocks != nil {
		t.String(o.Mocks.file.Text)
	}
}

// asksType is what it takes to know a resource type. A compile sees of one which attributes name it, and how titles are
// taken apart (that it has an attribute is asked when one is given); how its Ruby files come to say so is no matter of
// the catalog's. A type whose titles are taken apart by code counts with all files that this code could be in.
func (c *Snapshot) asksType(name string) []trace.Question {
	if list, known := c.asked.types.Load(name); known {
		return list.([]trace.Question)
	}
	list := []trace.Question{{Kind: trace.Attributes, Of: name}}
	if t, asked := c.readType(name); computes(t) {
		list = append(list, asked...)
	}
	is, _ := c.asked.types.LoadOrStore(name, list)
	return is.([]trace.Question)
}

// computes reports whether code of a type's own runs when resources are compiled.
func computes(t *resource.Type) bool {
	return t != nil && slices.ContainsFunc(t.Titles, func(p resource.TitlePattern) bool { return p.Values != nil })
}

// readType reads a resource type once more, in a library that has read no other, since a file that several types load
// is only read for the first; and what this asked for.
func (c *Snapshot) readType(name string) (*resource.Type, []trace.Question) {
	if t := resource.Known(name); t != nil && !c.generatedTypes(name) {
		return t, nil
	}
	type read struct {
		t     *resource.Type
		asked []trace.Question
	}
	if r, known := c.asked.described.Load(name); known {
		return r.(*read).t, r.(*read).asked
	}
	log := trace.NewLog(trace.Size{})
	defer log.Close()
	r := &read{t: resource.NewLibrary(loggedFiles{typeFiles{c.env}, log}, c.version()).Type(name)}
	r.asked = distinct(log.Asked())
	c.asked.described.Store(name, r)
	return r.t, r.asked
}

// TypeFiles are the files in Ruby that define a resource type of a module, those that they load included.
func (c *Snapshot) TypeFiles(name string) (paths []string) {
	_, asked := c.readType(name)
	for _, q := range asked {
		if q.Kind == trace.Content {
			paths = append(paths, q.Of)
		}
	}
	return paths
}

// answerType writes what a compile can see of a resource type.
func (c *Snapshot) answerType(name string, t *trace.Text) {
	typ, _ := c.readType(name)
	if t.Flag(typ != nil); typ == nil {
		return
	}
	t.Number(len(typ.Namevars))
	for _, name := range typ.Namevars {
		t.String(name)
	}
	t.Number(len(typ.Titles))
	for _, p := range typ.Titles {
		t.String(p.Source)
		t.Number(len(p.Attrs))
		for _, a := range p.Attrs {
			t.String(a)
		}
	}
	t.Flag(resource.InTable(typ)) // which are not asked for their attributes
	t.Flag(typ.Isomorphic)
}

// distinct leaves out what was asked before.
func distinct(asked []trace.Question) (out []trace.Question) {
	for _, q := range asked {
		if !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return out
}

// loggedFiles is typeFiles with a log of what is asked.
type loggedFiles struct {
	typeFiles
	log *trace.Log
}

func (f loggedFiles) Type(name string) (string, bool) {
	f.log.Ask(trace.Question{Kind: trace.TypeFile, Of: name})
	return f.typeFiles.Type(name)
}

func (f loggedFiles) Feature(name string) (string, bool) {
	f.log.Ask(trace.Question{Kind: trace.Library, Of: name})
	return f.typeFiles.Feature(name)
}

func (f loggedFiles) Providers(typ string) []string {
	f.log.Ask(trace.Question{Kind: trace.Providers, Of: typ})
	return f.typeFiles.Providers(typ)
}

func (f loggedFiles) Generated(name string) (string, bool) {
	f.log.Ask(trace.Question{Kind: trace.Described, Of: name})
	return f.typeFiles.Generated(name)
}

func (f loggedFiles) Read(path string) (string, error) {
	f.log.Ask(trace.Question{Kind: trace.Content, Of: filepath.Clean(path)})
	return f.typeFiles.Read(path)
}
