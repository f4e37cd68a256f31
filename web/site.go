package web

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"bunraku/audit"
	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/judge"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/report"
	"bunraku/source"
	"bunraku/verify/model"
)

// A site is the tree that is served. What pages show is a state of it: made once, never changed, and replaced by
// another when the tree is no longer what was read.
type site struct {
	opt    Options
	plain  *compiler.Workspace // compiles all nodes
	traced *compiler.Workspace // knows where values come from; for nodes that somebody asks about
	legacy bool
	cover  *source.Cover

	disk  *source.Dir
	judge *judge.Judge
	own   func(file string) bool
	rules string // what the judge has read of the tree

	progress progress

	marks    sync.Mutex // held by who writes the file of marks
	mu       sync.Mutex
	state    *state
	edit     int // of the state, or of what was learnt about it since
	waiting  map[chan struct{}]bool
	stopDiff context.CancelFunc
}

// A state is everything about a tree at one moment.
type state struct {
	site    *site
	began   time.Time
	took    time.Duration
	trouble error // why there is nothing else: the tree cannot be read
	files   []string
	ruby    []string        // templates in ERB
	main    map[string]bool // the manifests that every compile begins with, as they are displayed
	snap    *compiler.Snapshot
	nodes   []row
	table   *table
	excused []fleet.Checked
	plan    *fleet.Plan // of invented nodes; nil if there are real ones
	run     *report.Run
	cover   *audit.Coverage
	judge   *judge.Judge // that has judged it
	// reports are what findings are replayed with, as many as are kept
	reports map[*model.Finding]*model.Report

	byName   map[string]int
	change   *change
	records  records
	matrices matrices
	lists    struct {
		mu sync.Mutex
		by map[string]*fleetList
	}
}

// A change is what the tree changes against another state of it.
type change struct {
	pending bool
	report  *diff.Report
	err     error

	once     sync.Once
	readable map[string]any // the document, as far as people read
	ids      map[string]*marked
	wrong    error // why there is no document
}

func newSite(opt Options) *site {
	s := &site{opt: opt, waiting: map[chan struct{}]bool{}, cover: &source.Cover{}}
	s.open(opt.Compile.Language)
	if !opt.LanguageGiven && fleet.OnlyBefore8(s.plain.Disk(), opt.Root) != "" {
		s.open(source.Puppet7)
	}
	return s
}

// open makes the workspaces.
func (s *site) open(language source.Language) {
	opt := s.opt.Compile
	opt.Language, opt.StandIn, opt.Cover = language, true, s.cover
	s.legacy = language == source.Puppet7
	s.plain = compiler.NewWorkspace(s.opt.Root, opt)
	opt.Cover, opt.Trace = nil, true
	if opt.Limits == (compiler.Options{}).Limits {
		opt.Limits = eval.Limits()
	}
	opt.Limits.Steps, opt.Limits.Bytes = 8*opt.Limits.Steps, 4*opt.Limits.Bytes // keeping a trace costs both
	s.traced = compiler.NewWorkspace(s.opt.Root, opt)
}

// now is the state that answers are about.
func (s *site) now() *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// edition counts what pages could show anew.
func (s *site) edition() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.edit
}

// listen gives a channel on which something comes when there is news.
func (s *site) listen() (news chan struct{}, leave func()) {
	news = make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[news] = true
	return news, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.waiting, news)
	}
}

// publish lets pages see a state, in place of another: what was found out about one that is no longer shown comes too
// late. nil stands for whichever is shown.
func (s *site) publish(st, instead *state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if instead != nil && s.state != instead {
		return
	}
	s.state = st
	s.edit++
	for news := range s.waiting {
		select {
		case news <- struct{}{}:
		default: // it has not come to the last one yet
		}
	}
}

// watch looks at the tree again whenever it is no longer what was read, until the context ends.
func (s *site) watch(ctx context.Context) {
	tick := time.NewTicker(s.opt.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !s.disk.Stale() {
			continue
		}
		// What is being written is looked at again, and what was seen before is shown until then.
		if err := s.look(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, source.ErrChanged) {
			s.publish(&state{site: s, trouble: err, run: &report.Run{Name: s.name()}, change: &change{}, table: &table{}}, nil)
		}
	}
}

// name is what the tree is called.
func (s *site) name() string { return filepath.Base(source.Absolute(s.opt.Root)) }

// look reads, compiles and verifies the tree as it is now, lets pages see it, and begins to compare it.
func (s *site) look(ctx context.Context) (err error) {
	defer source.Catch(&err)
	s.progress.begin()
	defer s.progress.end()
	if s.stopDiff != nil {
		s.stopDiff()
	}
	if s.disk == nil {
		s.disk = s.plain.Disk()
	} else if next, is := s.disk.Fresh().(*source.Dir); is {
		s.disk = next // what has not changed is not read again
	}
	st, err := s.check(ctx)
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	st.change = &change{pending: s.opt.Diff != nil}
	s.publish(st, nil)
	s.settle()
	if s.opt.Diff == nil {
		return nil
	}
	ctx, s.stopDiff = context.WithCancel(ctx)
	go func() {
		c := &change{}
		func() {
			defer source.Catch(&c.err)
			if c.report, c.err = s.opt.Diff(ctx); c.err == nil && c.report != nil && ctx.Err() == nil {
				c.err = c.document(s.opt.Secrets.HideJSON)
			}
		}()
		if ctx.Err() == nil {
			s.publish(st.with(c), st)
			s.settle()
		}
	}()
	return nil
}

func (s *site) settle() {
	if s.opt.Settled != nil {
		s.opt.Settled()
	}
}

// with is a state with what was found out about the change since.
func (st *state) with(c *change) *state {
	return &state{site: st.site, began: st.began, took: st.took, files: st.files, ruby: st.ruby, main: st.main,
		snap: st.snap, nodes: st.nodes, table: st.table, excused: st.excused, plan: st.plan, run: st.run, cover: st.cover,
		reports: st.reports, judge: st.judge, byName: st.byName, change: c}
}

// check does what the command does.
func (s *site) check(ctx context.Context) (*state, error) {
	st := &state{site: s, began: time.Now(), byName: map[string]int{}}
	if err := s.judges(); err != nil {
		return nil, err
	}
	s.cover.Reset()
	c := &fleet.Check{Workspace: s.plain, View: s.disk, Root: s.opt.Root, Facts: s.opt.Facts, Judge: s.judge,
		Invent: fleet.InventOptions{Legacy: s.legacy, Own: s.own}, Watch: s.opt.Watch, Cover: s.cover,
		Assign: s.opt.Assign, Certified: s.opt.Certified, Exchange: s.opt.Exchange, Progress: s.progress.step}
	if s.now() == nil && s.opt.Progress != nil {
		c.Progress = s.opt.Progress
	}
	if err := c.Do(ctx); err != nil {
		return nil, err
	}
	st.files, st.snap, st.plan, st.cover = c.Files, c.Snapshot, c.Plan, c.Coverage
	for _, p := range audit.Templates(st.snap.Environment()) {
		if filepath.Ext(p) == ".erb" {
			st.ruby = append(st.ruby, p)
		}
	}
	st.excused, st.judge = c.Excused, s.judge
	if manifests, err := st.snap.Environment().Manifests(); err == nil { // without them no node has compiled
		st.main = map[string]bool{}
		for _, p := range manifests {
			st.main[st.display(p)] = true
		}
	}
	st.run = &report.Run{Command: "check", Version: s.opt.Version, Name: s.name(), Own: s.own,
		Hide: s.opt.Secrets.Hide}
	for _, d := range c.UnusedMocks {
		st.run.Add(nil, d)
	}
	c.Tell(st.run)
	st.run.Ignore(c.Sources)
	g := newGatherer(c.Given, definitions(c.Coverage))
	for i := range c.Checked {
		st.byName[c.Checked[i].Name] = i
		g.add(&c.Checked[i], c.Given[i])
	}
	st.nodes, st.table, st.reports = g.rows, g.finish(), g.replayable(st.run)
	st.took = time.Since(st.began)
	return st, nil
}

// judges makes the judge anew when what it reads of the tree has changed.
func (s *site) judges() error {
	rules := "."
	for _, name := range []string{"bunraku.assert", "bunraku.assume"} {
		if text, err := s.disk.Read(source.Absolute(filepath.Join(s.opt.Root, name))); err == nil {
			rules += text.Text + "\x00"
		}
	}
	if rules == s.rules {
		return nil
	}
	j, own, err := s.opt.Judge()
	if err != nil {
		return err
	}
	if s.judge != nil {
		s.judge.Close()
	}
	s.judge, s.own, s.rules = j, own, rules
	return nil
}

// ofTree is a question that nothing is known about while the tree cannot be read.
func ofTree(ask question) question {
	return func(st *state, ctx context.Context, q url.Values) (any, error) {
		if st.trouble != nil {
			return nil, notFound("the tree cannot be read: %s", clip(st.trouble.Error(), clipLine))
		}
		return ask(st, ctx, q)
	}
}

// node finds one by its name, as pages spell it.
func (st *state) node(name string) (*row, int, error) {
	if i, there := st.byName[name]; there {
		return &st.nodes[i], i, nil
	}
	var names []string
	for i := range st.nodes {
		if spelt(st.nodes[i].name) == name {
			return &st.nodes[i], i, nil
		}
		names = append(names, st.nodes[i].name)
	}
	for _, x := range st.excused {
		if x.Name == name {
			return nil, 0, notFound("%s was not looked at: %s", name, excuseText(x.Excuse))
		}
	}
	m := &missing{"there is no node named " + clip(name, clipTitle), []string{}}
	if name == "" {
		m.Message = "say which node"
	}
	if near := source.Nearest(name, names); near != "" {
		m.Suggestions = append(m.Suggestions, near)
	} else {
		slices.Sort(names)
		m.Suggestions = append(m.Suggestions, names[:min(5, len(names))]...)
	}
	return nil, 0, m
}
