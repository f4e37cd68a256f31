package fleet

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"bunraku/diff"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/exported"
	"bunraku/puppet/trace"
	"bunraku/source"
)

// Which lines of a commit make a change? Hunks are applied to the old state one by one, and a node that has the change
// is compiled in each of the states between. A hunk after which the change is there, exactly as it is in the new state,
// is its cause. Where no hunk is enough by itself, hunks are taken away from all of them as long as the change stays
// (delta debugging): what is left is needed together. So a cause is never a guess, and code, data, templates, functions
// and configuration are all the same to it.
//
// Most hunks do not reach a node: its trace holds in the state with the hunk, and nothing is compiled. Nodes that have
// the same changes share one of them that is looked at. If a commit has very many hunks, those of one file are first
// tried together.

// Bounds of the search: hunks that are tried one by one, compiles for one change and for all of them together among the
// hunks of a file, and nodes that are looked at, for causes and for hunks that seem to have no effect. Of changes that
// only further nodes have, no cause is told.
const (
	mostHunks     = 60
	mostTries     = 80
	mostRefined   = 400
	mostWitnesses = 50
	mostLooked    = 500
	mostStill     = 20 // of those that cannot change
)

// A search finds causes.
type search struct {
	*Comparing
	ctx   context.Context
	ws    *compiler.Workspace
	patch *diff.Patch
	at    map[*diff.Hunk]int // in the patch
	nodes []Node
	base  *compiler.Snapshot // the old state
	far   *far               // what other nodes export; nil if it is the same on both sides

	refined int // how many states were tried within files

	mu     sync.Mutex
	states map[string]*state
	err    error
}

// A state is the old one with some hunks.
type state struct {
	once     sync.Once
	snapshot *compiler.Snapshot
	contents *diff.Contents // compared with the old one
	until    *diff.Contents // and with the new one; nil as long as nobody has asked
	err      error

	farOnce sync.Once
	exports exported.Importer // that nodes are told in this state
	through []moved           // the nodes that export something else than in the old one
}

// A witness is a node that is looked at, with its old catalog.
type witness struct {
	node  int
	was   *eval.Result
	trace *trace.Trace
	mu    sync.Mutex
	seen  map[string]outcome
	open  bool // something in the new state hangs on what is not known
}

// An outcome is what a node has in a state: the changes, by key and by slot, compared with the old state.
type outcome struct {
	keys, slots map[string]bool
	unknown     map[string]bool // what is not known to have changed or not, by key
	ignored     bool            // it has others, which the options leave out
	held        bool            // the node asks nothing that the hunks change
	failed      bool
}

// has reports whether a change is there as it is in the new state.
func (o outcome) has(q *question) bool {
	if q.unknown {
		return o.unknown[q.key]
	}
	return o.keys[q.key]
}

// Causes finds what makes each change and each failure of a report. ws compiles states between the two.
func (c *Comparing) Causes(ctx context.Context, r *diff.Report, nodes []Node, patch *diff.Patch,
	ws *compiler.Workspace) error {
	nodes = slices.Clone(nodes)
	for i := range nodes {
		nodes[i] = nodes[i].Importing(c.OldExports)
	}
	s := &search{Comparing: c, ctx: ctx, ws: ws, patch: patch, nodes: nodes, states: map[string]*state{}, base: c.From}
	defer s.close()
	s.at = map[*diff.Hunk]int{}
	for i, h := range patch.Hunks {
		s.at[h] = i
	}
	if c.Traced != nil { // changes are told by what is not a node's own
		var err error
		if s.base, _, err = c.Traced(ctx); err != nil {
			return err
		}
	}
	s.far = s.findFar()
	r.Hunks = patch.Hunks
	todo := map[int][]*question{}
	var order []int
	passed := 0
	add := func(among []int, q *question) {
		at := among[0]
		for _, n := range among { // one that is looked at anyway
			if todo[n] != nil {
				at = n
				break
			}
		}
		if todo[at] == nil {
			if len(order) == mostWitnesses {
				passed++
				return
			}
			order = append(order, at)
		}
		todo[at] = append(todo[at], q)
	}
	for _, it := range r.All() {
		add(it.Nodes, &question{key: it.Key(), slot: it.Slot(), unknown: it.Kind == diff.NotKnown, cause: &it.Cause})
	}
	for _, f := range r.Failures {
		switch {
		case f.State == diff.Fails || f.State == diff.Gone || f.Was != nil:
			add(f.Nodes, &question{key: failureKey(f.Diagnostic), slot: failureSlot, cause: &f.Cause})
		case f.State == diff.Mended || f.State == diff.Comes:
			add(f.Nodes, &question{key: mendedKey, slot: failureSlot, cause: &f.Cause})
		}
	}
	if passed > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Causes were looked for on %d nodes; those of %d more changes are not known.",
			len(order), passed))
	}
	witnesses := make([]*witness, len(order))
	source.Each(ctx, len(order), func(i int) { witnesses[i] = s.witness(order[i]) })
	units := s.units(patch.Hunks)
	for i, w := range witnesses {
		if w == nil {
			continue
		}
		source.Each(ctx, len(units), func(u int) { s.try(w, units[u]) })
		for _, q := range todo[order[i]] {
			*q.cause = s.through(w, q, s.cause(w, q, units))
		}
	}
	witnesses = s.everywhere(r, witnesses, units)
	used, unsure := usedBy(r)
	if s.ctx.Err() == nil {
		if !unsure && r.Compared() {
			s.effects(r, witnesses, units, used)
		}
		used, unsure = usedBy(r)
		for _, h := range patch.Hunks {
			if !used[h] && h.Effect == "" && h.Unseen == "" {
				h.Unseen = untold(r, unsure)
			}
		}
	}
	return s.err
}

// A question is a change whose cause is looked for.
type question struct {
	key, slot string
	unknown   bool // whether it is a change at all
	cause     **diff.Cause
}

const (
	failureSlot = "the compile"
	mendedKey   = "compiles"
)

func failureKey(d *source.Diagnostic) string { return "fails: " + d.Code + d.Summary }

// units are the sets of hunks that are tried first.
func (s *search) units(hunks []*diff.Hunk) (units [][]*diff.Hunk) {
	if len(hunks) <= mostHunks {
		for _, h := range hunks {
			units = append(units, []*diff.Hunk{h})
		}
		return units
	}
	for i := 0; i < len(hunks); {
		j := i
		for j < len(hunks) && hunks[j].Path == hunks[i].Path {
			j++
		}
		units = append(units, hunks[i:j])
		i = j
	}
	return units
}

// cause answers a question about a witness.
func (s *search) cause(w *witness, q *question, units [][]*diff.Hunk) *diff.Cause {
	switch again := s.again(w); {
	case q.unknown && again.has(q):
		return &diff.Cause{Other: "no hunk: it is known on neither side", Sure: true}
	case again.slots[q.slot]:
		return &diff.Cause{Other: "no hunk: it is another one each time", Sure: true}
	}
	var enough, some [][]*diff.Hunk
	for _, u := range units {
		o := s.try(w, u)
		switch {
		case o.has(q):
			enough = append(enough, u)
		case o.slots[q.slot] || o.failed:
			some = append(some, u)
		}
	}
	tries := 0
	test := func(units [][]*diff.Hunk) bool {
		tries++
		return s.try(w, join(units)).has(q)
	}
	switch {
	case len(enough) == 1:
		return s.refine(w, q, enough[0])
	case len(enough) > 1:
		c := &diff.Cause{Either: true, Sure: true}
		var first *diff.Cause
		for _, u := range enough {
			x := s.refine(w, q, u)
			if first == nil {
				first = x
			}
			if len(x.Hunks) == 1 { // of several of a file none is enough by itself
				c.Hunks = append(c.Hunks, x.Hunks...)
			}
		}
		if len(c.Hunks) < 2 {
			return first
		}
		return c
	case len(some) > 1 && test(some):
		return s.refine(w, q, join(least(some, test, &tries)))
	}
	if test(units) {
		return s.refine(w, q, join(least(units, test, &tries)))
	}
	if s.far != nil && s.far.many && len(w.was.Asked) > 0 {
		return &diff.Cause{Other: fmt.Sprintf("no hunk by itself: more than %d nodes export something else, and it was not "+
			"looked for what makes them do so", mostMovers)}
	}
	// Not even all hunks bring it about: what they are compared by must have changed meanwhile.
	return nil
}

// refine finds the hunks among those of whole files that are needed.
func (s *search) refine(w *witness, q *question, hunks []*diff.Hunk) *diff.Cause {
	if len(hunks) == 1 {
		return &diff.Cause{Hunks: hunks, Sure: true}
	}
	var single [][]*diff.Hunk
	for _, h := range hunks {
		single = append(single, []*diff.Hunk{h})
	}
	tries := 0
	found := least(single, func(units [][]*diff.Hunk) bool {
		tries++
		if !w.tried(s.name(join(units))) {
			if s.refined == mostRefined {
				tries = mostTries
				return false
			}
			s.refined++
		}
		return s.try(w, join(units)).has(q)
	}, &tries)
	return &diff.Cause{Hunks: join(found), Sure: tries < mostTries}
}

// least takes units away as long as the test holds, halves first, then smaller parts.
func least(units [][]*diff.Hunk, test func([][]*diff.Hunk) bool, tries *int) [][]*diff.Hunk {
	for n := 2; len(units) > 1 && *tries < mostTries; {
		size := (len(units) + n - 1) / n
		smaller := false
		for at := 0; at < len(units) && *tries < mostTries; at += size {
			end := min(at+size, len(units))
			part, rest := units[at:end:end], slices.Concat(units[:at], units[end:])
			if n == 2 && test(part) {
				units, n, smaller = part, 2, true
				break
			}
			if len(rest) > 0 && test(rest) {
				units, n, smaller = rest, max(n-1, 2), true
				break
			}
		}
		if !smaller {
			if size == 1 {
				break
			}
			n = min(2*n, len(units))
		}
	}
	return units
}

func join(units [][]*diff.Hunk) []*diff.Hunk { return slices.Concat(units...) }

// witness compiles a node in the old state.
func (s *search) witness(node int) *witness {
	was, err := s.compile(s.ctx, s.base, s.nodes[node].Node)
	if err != nil {
		s.fail(err)
		return nil
	}
	w := &witness{node: node, was: was, seen: map[string]outcome{}}
	if was.Questions != nil {
		w.trace = was.Questions()
	}
	return w
}

func (s *search) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.ctx.Err() == nil {
		s.err = err
	}
}

// again is what two compiles of the old state differ in: the clock, random numbers.
func (s *search) again(w *witness) outcome {
	w.mu.Lock()
	o, done := w.seen["again"]
	w.mu.Unlock()
	if done {
		return o
	}
	is, err := s.compile(s.ctx, s.base, s.nodes[w.node].Node)
	if err != nil {
		s.fail(err)
		return outcome{}
	}
	o = s.outcome(w, is, s.base, nil, s.nodes[w.node].Node)
	w.keep("again", o)
	return o
}

func (w *witness) keep(name string, o outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[name] = o
}

// tried reports whether it is known what the node has with some hunks.
func (w *witness) tried(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, done := w.seen[name]
	return done
}

// try is what a node has with some hunks.
func (s *search) try(w *witness, hunks []*diff.Hunk) outcome {
	name := s.name(hunks)
	w.mu.Lock()
	o, done := w.seen[name]
	w.mu.Unlock()
	if done || s.ctx.Err() != nil {
		return o
	}
	st := s.state(name, hunks)
	if st.err != nil { // no such tree can be: an environment.conf that makes no sense, say
		o = outcome{failed: true}
		w.keep(name, o)
		return o
	}
	n := s.nodes[w.node].Importing(s.told(st)).Node
	if w.trace != nil {
		holds, _, err := st.snapshot.Holds(s.ctx, w.trace, n)
		if err != nil {
			s.fail(err)
			return outcome{}
		}
		if holds {
			o = outcome{held: true}
			if w.was.Catalog != nil && st.contents != nil {
				o = keysOf(st.contents.Compare(s.side(s.base, w.was), s.Options))
				o.held = len(o.keys)+len(o.unknown) == 0
				if o.ignored = o.held && st.contents.Ignored(s.side(s.base, w.was), s.Options); o.ignored {
					o.held = false
				}
			}
			w.keep(name, o)
			return o
		}
	}
	is, err := s.compile(s.ctx, st.snapshot, n)
	if err != nil {
		s.fail(err)
		return outcome{}
	}
	s.Watch(is)
	o = s.outcome(w, is, st.snapshot, st.contents, n)
	w.keep(name, o)
	return o
}

// outcome compares a compile with the old one; as is the node as it was compiled.
func (s *search) outcome(w *witness, is *eval.Result, c *compiler.Snapshot, contents *diff.Contents,
	as compiler.Node) outcome {
	n := s.nodes[w.node]
	switch {
	case is.Failure != nil && w.was.Failure != nil:
		if failureKey(n.reason(is.Failure)) == failureKey(n.reason(w.was.Failure)) {
			return outcome{}
		}
		fallthrough
	case is.Failure != nil:
		return outcome{failed: true, keys: map[string]bool{failureKey(n.reason(is.Failure)): true},
			slots: map[string]bool{failureSlot: true}}
	case w.was.Failure != nil:
		return outcome{keys: map[string]bool{mendedKey: true}, slots: map[string]bool{failureSlot: true}}
	}
	opt := s.Options
	opt.Contents = contents
	before, after := s.side(s.base, w.was), s.side(c, is)
	changes, _, err := s.between(s.ctx, twins{s.base, c, n.Node, as, w.was, is, opt})
	if err != nil {
		s.fail(err)
		return outcome{}
	}
	o := keysOf(changes)
	o.ignored = len(o.keys)+len(o.unknown) == 0 && diff.Ignored(before, after, opt)
	return o
}

func keysOf(changes []*diff.Change) outcome {
	o := outcome{keys: map[string]bool{}, slots: map[string]bool{}, unknown: map[string]bool{}}
	for _, c := range changes {
		if c.Kind == diff.NotKnown {
			o.unknown[c.Key()] = true
		} else {
			o.keys[c.Key()], o.slots[c.Slot()] = true, true
		}
	}
	return o
}

// name identifies a set of hunks.
func (s *search) name(hunks []*diff.Hunk) string {
	var b strings.Builder
	var at []int
	for _, h := range hunks {
		at = append(at, s.at[h])
	}
	sort.Ints(at)
	for _, i := range at {
		b.WriteRune(rune(i + 1))
	}
	return b.String()
}

// state makes one, once.
func (s *search) state(name string, hunks []*diff.Hunk) *state {
	s.mu.Lock()
	st := s.states[name]
	if st == nil {
		st = &state{}
		s.states[name] = st
	}
	s.mu.Unlock()
	st.once.Do(func() {
		files, err := s.patch.Apply(hunks)
		if err == nil {
			st.snapshot, err = s.ws.Snapshot(s.ctx, files)
		}
		if st.err = err; err == nil && s.Options.Contents != nil {
			st.contents = s.Options.Contents.Between(s.base.Environment(), st.snapshot.Environment())
		}
	})
	return st
}

func (s *search) close() {
	for _, st := range s.states {
		if st.snapshot != nil {
			st.snapshot.Close()
		}
	}
}

// Reasons why a hunk makes no change.
const (
	nobodyAsks = "no node asks for it"
	sameAnswer = "nodes read it, and come to the same"
	leftOut    = "what it changes is ignored"
	undone     = "other hunks undo or hide what it does"
)

// needed is said of a hunk that does nothing to the old state, and without which the new one would be another: it puts
// back what others take away, or gives them what they ask for.
const needed = "by itself; without it other hunks would do something else"

// together is said of hunks that were not tried one by one: what is told of them is told of all of them.
func together(unit []*diff.Hunk) string {
	if len(unit) < 2 {
		return ""
	}
	return fmt.Sprintf("; the %d hunks of the file taken together", len(unit))
}

// unfetched is said of a Puppetfile, whatever else of it is used.
const unfetched = "modules are not fetched: what other versions of them do was not looked at"

// onInvented is said of what only nodes were asked about that nobody has.
const onInvented = "on the invented nodes: "

// invented reports whether the nodes are.
func (s *search) invented() bool {
	return slices.ContainsFunc(s.nodes, func(n Node) bool { return n.Invented != nil })
}

// alike is said of what the sides do not read as it is on either of them.
const alike = "both sides read it from one place: how it changed was not looked at"

// alike reports whether a file is such a one.
func (s *search) alike(p string) bool {
	return slices.ContainsFunc(s.Alike, func(at string) bool { return p == at || strings.HasPrefix(p, at+"/") })
}

// neitherSide is said of what nodes read that have no catalog in which it could be seen.
func neitherSide(nodes int) string {
	if nodes == 1 {
		return "1 node that reads it compiles on neither side"
	}
	return fmt.Sprintf("%d nodes that read it compile on neither side", nodes)
}

// lean finds the units without which a node would have something else, if all other hunks were applied. Each is left
// out by itself: two of them may need one another. Where a node has something else each time, that says nothing.
func (s *search) lean(w *witness, units [][]*diff.Hunk) []bool {
	leans := make([]bool, len(units))
	hunks := s.patch.Hunks
	all := s.state(s.name(hunks), hunks)
	if len(hunks) < 2 || all.err != nil {
		return leans
	}
	is := s.now(w, all)
	if is == nil {
		return leans
	}
	w.open = is.Open != ""
	for i, u := range units {
		rest := slices.DeleteFunc(slices.Clone(hunks), func(h *diff.Hunk) bool { return slices.Contains(u, h) })
		st := s.state(s.name(rest), rest)
		leans[i] = st.err != nil || s.moves(w, is, st) && !s.comesTo(w, is, all, rest, st) ||
			is.Catalog != nil && s.Options.Contents != nil &&
				len(s.until(st, all).Compare(diff.Side{Catalog: is.Catalog}, s.Options)) > 0 // of files that only it has
	}
	if slices.Contains(leans, true) && len(s.again(w).slots) > 0 {
		clear(leans)
	}
	return leans
}

// comesTo reports whether a node has with some hunks what it has with all of them. Of one that did not compile in the
// old state, outcomes tell no more than that it does now: there the catalogs are compared.
func (s *search) comesTo(w *witness, is *eval.Result, all *state, rest []*diff.Hunk, st *state) bool {
	if !s.try(w, rest).same(s.try(w, s.patch.Hunks)) {
		return false
	}
	if w.was.Failure == nil || is.Failure != nil {
		return true
	}
	less, err := s.compile(s.ctx, st.snapshot, s.nodes[w.node].Importing(s.told(st)).Node)
	if err != nil {
		s.fail(err)
		return false
	}
	s.Watch(less)
	opt := s.Options
	opt.Contents = nil // of files, the caller asks
	return less.Failure == nil && len(diff.Compare(s.side(all.snapshot, is), s.side(st.snapshot, less), opt)) == 0
}

// now is what a node has with all hunks; nil if that could not be found out.
func (s *search) now(w *witness, all *state) *eval.Result {
	if !s.moves(w, w.was, all) {
		return w.was
	}
	n := s.nodes[w.node].Importing(s.told(all)).Node
	is, err := s.compile(s.ctx, all.snapshot, n)
	if err != nil {
		s.fail(err)
		return nil
	}
	s.Watch(is)
	w.keep(s.name(s.patch.Hunks), s.outcome(w, is, all.snapshot, all.contents, n))
	return is
}

// moves reports whether something that a compile of a node asked has another answer in a state.
func (s *search) moves(w *witness, is *eval.Result, st *state) bool {
	if is.Questions == nil {
		return true
	}
	holds, _, err := st.snapshot.Holds(s.ctx, is.Questions(), s.nodes[w.node].Importing(s.told(st)).Node)
	if err != nil {
		s.fail(err)
	}
	return !holds
}

// until compares the files of modules of a state with those of the new one.
func (s *search) until(st, all *state) *diff.Contents {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.until == nil {
		st.until = s.Options.Contents.Between(st.snapshot.Environment(), all.snapshot.Environment())
	}
	return st.until
}

// same reports whether two states have the same changes.
func (o outcome) same(p outcome) bool {
	return o.failed == p.failed && maps.Equal(o.keys, p.keys) && maps.Equal(o.unknown, p.unknown)
}

// doubts reports whether something is not known in a state that is known in the old one.
func (s *search) doubts(w *witness, o outcome) bool {
	for key := range o.unknown {
		if !s.again(w).unknown[key] {
			return true
		}
	}
	return false
}

// elsewhere finds the nodes that have a change from these hunks which others have from other ones: the same key of two
// roles' data, say. They are told apart from now on.
func (s *search) elsewhere(r *diff.Report, witnesses []*witness, u []*diff.Hunk) (found bool) {
	nodes := map[*diff.Item][]int{}
	causes := map[*diff.Item]*diff.Cause{}
	var order []*diff.Item
	for _, w := range witnesses {
		o := s.try(w, u)
		for _, it := range r.Nodes[w.node].Changes {
			if it.Kind == diff.NotKnown || !o.keys[it.Key()] || it.Cause == nil || len(it.Cause.Hunks) == 0 ||
				it.Cause.Either || s.try(w, it.Cause.Hunks).keys[it.Key()] {
				continue
			}
			if nodes[it] == nil {
				q := &question{key: it.Key(), slot: it.Slot()}
				order, causes[it] = append(order, it), s.through(w, q, s.refine(w, q, u))
			}
			nodes[it] = append(nodes[it], w.node)
		}
	}
	for _, it := range order {
		r.Split(it, nodes[it]).Cause = causes[it]
	}
	return len(order) > 0
}

// untold is said of a hunk of which nothing else is known.
func untold(r *diff.Report, unsure bool) string {
	switch {
	case r.Missed() > 0:
		return notCompared(r)
	case unsure:
		return "what makes some of the changes is not known: it may be this"
	}
	return "it was not looked at by itself"
}

func notCompared(r *diff.Report) string {
	missed := r.Missed()
	return fmt.Sprintf("%d of the %d nodes %s not compared", missed, len(r.Nodes),
		map[bool]string{true: "was", false: "were"}[missed == 1])
}

// usedBy are the hunks that are causes; unsure tells that others may be.
func usedBy(r *diff.Report) (used map[*diff.Hunk]bool, unsure bool) {
	used = map[*diff.Hunk]bool{}
	note := func(c *diff.Cause) {
		if c != nil {
			for _, h := range c.Hunks {
				used[h] = true
			}
		}
	}
	for _, it := range r.All() {
		note(it.Cause)
		unsure = unsure || it.Cause == nil || !it.Cause.Sure
	}
	for _, f := range r.Failures {
		note(f.Cause)
		unsure = unsure || (f.State != diff.FailsBoth || f.Was != nil) && f.Cause == nil
	}
	return used, unsure // who knows which of the others is a part of that
}

// effects says of every hunk that is no cause why it is none. Nodes that cannot change ask for none of them.
func (s *search) effects(r *diff.Report, witnesses []*witness, units [][]*diff.Hunk, used map[*diff.Hunk]bool) {
	witnesses = slices.DeleteFunc(slices.Clone(witnesses), func(w *witness) bool { return w == nil })
	units, left := idle(units, used)
	if left > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("Whether %d more hunks have an effect was not looked at, since there are so many.",
			left))
	}
	if len(units) == 0 {
		return
	}
	witnesses, leans, asked, looked := s.reached(r, witnesses, units)
	why, open, failing := make([]string, len(units)), make([]int, len(units)), make([]int, len(units))
	for i, u := range units {
		if s.elsewhere(r, witnesses, u) {
			continue
		}
		why[i] = nobodyAsks
		for _, w := range witnesses {
			o := s.try(w, u)
			if w.was.Open != "" || w.open || !o.held && len(o.unknown) > 0 || len(o.slots) > 0 && len(s.again(w).slots) > 0 {
				open[i]++ // it may come to something else, or does so each time
			}
			if r.Nodes[w.node].State == diff.FailsBoth && !o.held {
				failing[i]++ // there is no catalog in which it could be seen
			}
			switch {
			case len(o.keys) > 0 || o.failed || s.doubts(w, o):
				why[i] = undone
			case o.ignored && why[i] != undone:
				why[i] = leftOut
			case !o.held && why[i] == nobodyAsks:
				why[i] = sameAnswer
			}
		}
	}
	missed := r.Missed()
	agents := s.fetchedByAgents()
	for i, u := range units {
		for _, h := range u {
			switch {
			case why[i] == "":
			case strings.HasPrefix(filepath.Base(h.Path), "Puppetfile"):
				h.Unseen = unfetched
			case agents(h.Path) && (why[i] == nobodyAsks || why[i] == sameAnswer):
				h.Unseen = onAgents
			case s.alike(h.Path):
				h.Unseen = alike
			case missed > 0:
				h.Unseen = notCompared(r)
			case failing[i] > 0:
				h.Unseen = neitherSide(failing[i])
			case looked < asked:
				h.Unseen = fmt.Sprintf("%d of the %d nodes that may change were looked at", looked, asked)
			case open[i] > 0:
				h.Unseen = fmt.Sprintf("of %d of the %d nodes that were looked at something is not known", open[i],
					len(witnesses))
			case leans[i] && why[i] == undone:
				h.Unseen = why[i] + ", and would do something else without it" + together(u)
			case leans[i]:
				h.Unseen = needed + together(u)
			case s.invented():
				h.Unseen = onInvented + why[i] + together(u)
			default:
				h.Effect = why[i] + together(u)
			}
		}
	}
}

// idle are the units none of whose hunks is a cause, and the hunks by themselves that are none in a file which has one.
// left is how many are too many to be looked at.
func idle(units [][]*diff.Hunk, used map[*diff.Hunk]bool) (out [][]*diff.Hunk, left int) {
	var single [][]*diff.Hunk
	for _, u := range units {
		if !slices.ContainsFunc(u, func(h *diff.Hunk) bool { return used[h] }) {
			out = append(out, u)
			continue
		}
		for _, h := range u {
			if !used[h] {
				single = append(single, []*diff.Hunk{h})
			}
		}
	}
	if len(single) > mostHunks {
		return out, len(single)
	}
	return append(out, single...), 0
}

// reached adds to the witnesses the other nodes that may change: all of them, or as many as there is time for. One that
// asks for nothing of a unit may do so once other hunks are there. Nodes that cannot change ask for none, unless
// several hunks come to the same together: some of them are looked at. leans says of each unit whether one of the nodes
// would have something else without it.
func (s *search) reached(r *diff.Report, witnesses []*witness, units [][]*diff.Hunk) (all []*witness, leans []bool,
	asked, looked int) {
	is := map[int]bool{}
	for _, w := range witnesses {
		is[w.node] = true
	}
	var more, unmoved []int
	for i, n := range r.Nodes {
		if n.State == diff.CannotChange && len(s.patch.Hunks) > 1 {
			unmoved = append(unmoved, i)
		}
		if n.State == diff.CannotChange || n.State == diff.Excused {
			continue
		}
		if asked++; !is[i] && len(witnesses)+len(more) < mostLooked {
			more = append(more, i)
		}
	}
	looked = len(witnesses) + len(more)
	if len(unmoved) > mostStill {
		r.Notes = append(r.Notes, fmt.Sprintf("Whether hunks undo one another on nodes that cannot change was looked at on "+
			"%d of %d.", mostStill, len(unmoved)))
	}
	for i := range min(len(unmoved), mostStill) { // what one hunk does to them another one may undo
		more = append(more, unmoved[i*len(unmoved)/min(len(unmoved), mostStill)])
	}
	found := make([]*witness, len(more))
	leans = make([]bool, len(units))
	lean := func(w *witness) {
		on := s.lean(w, units)
		s.mu.Lock()
		defer s.mu.Unlock()
		for i := range on {
			leans[i] = leans[i] || on[i]
		}
	}
	source.Each(s.ctx, len(witnesses), func(i int) { lean(witnesses[i]) })
	source.Each(s.ctx, len(more), func(i int) {
		w := s.witness(more[i])
		if w == nil {
			return
		}
		lean(w)
		moved := w.was.Open != "" || w.open
		for _, u := range units { // on all processors; what follows finds it done
			moved = !s.try(w, u).held || moved
		}
		if moved || len(witnesses)+i < mostWitnesses { // others are not kept: catalogs are large
			found[i] = w
		}
	})
	return slices.DeleteFunc(slices.Concat(witnesses, found), func(w *witness) bool { return w == nil }), leans,
		asked, looked
}
