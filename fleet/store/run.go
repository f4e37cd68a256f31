package store

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"time"

	"bunraku/budget"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/trace"
	"bunraku/source"

	bolt "go.etcd.io/bbolt"
)

// A Run is one revision: what of the store holds in it, and what must be compiled. It can be used by many at the same
// time. The snapshot must record questions, with the store's key (compiler.Options).
type Run struct {
	store      *Store
	snap       *compiler.Snapshot
	statements func() trace.Answer

	mu     sync.Mutex
	files  map[uint32]*verdict    // by set
	layers map[layersKey]*verdict // by set, and what the node sees of the layers
	groups []*group               // of nodes that have a result in this run
}

// A verdict is whether a set of questions has the answers that it had.
type verdict struct {
	once  sync.Once
	holds bool
	why   trace.Question
}

// layersKey is a set of questions about layers, and what a node sees of those.
type layersKey struct {
	set  uint32
	sees string
}

// A group is records of this run whose compiles asked the same of the node.
type group struct {
	asks, layers uint32
	by           map[digest]*record // by the answers, and what was seen of the layers
	begins       map[digest]bool    // the first answers of each: most groups are told by them
}

// firstAnswers is how many answers tell most nodes of different roles apart.
const firstAnswers = 8

// How much a run remembers, for nodes that are alike.
const (
	mostGroups = 256
	mostAlike  = 1 << 16
)

// Over starts a run over a revision.
func (s *Store) Over(snap *compiler.Snapshot) *Run {
	snap = snap.Current()
	return &Run{store: s, snap: snap, statements: sync.OnceValue(snap.Statements), files: map[uint32]*verdict{},
		layers: map[layersKey]*verdict{}}
}

// ErrChanged says that the files were written during a run over a live directory: the run is of two states of them.
var ErrChanged = errors.New("the files have changed since the run began")

// Confirm tells whether all that a run has said is about one state of the files, and all of it could be read; it is for
// live directories and revisions, and to be asked at the end.
func (r *Run) Confirm() error {
	if r.snap.Current() != r.snap {
		return ErrChanged
	}
	live, is := r.snap.Files().(source.Live)
	if !is {
		return nil
	}
	err := live.Confirm()
	if errors.Is(err, source.ErrChanged) {
		return ErrChanged
	}
	return err
}

// Snapshot is the revision.
func (r *Run) Snapshot() *compiler.Snapshot { return r.snap }

// Holds tells from traces alone whether a node's catalog is one that the store has, without compiling anything. why is
// the first question of the newest trace that has another answer now; it is "" when the store knows nothing of the
// node.
func (r *Run) Holds(ctx context.Context, n Node) (result *Result, why string, err error) {
	rec, why, err := r.find(ctx, n)
	if rec == nil || err != nil {
		return nil, why, err
	}
	return r.result(n, rec, Held), "", nil
}

// Result is what becomes of a node in this revision. It is compiled only if nothing in the store is known to be the
// same. An error is about our surroundings.
func (r *Run) Result(ctx context.Context, n Node) (*Result, error) {
	rec, why, err := r.find(ctx, n)
	if err != nil {
		return nil, err
	}
	if rec != nil {
		return r.result(n, rec, Held), nil
	}
	node, err := n.Load()
	if err != nil {
		return nil, err
	}
	full, err := r.snap.Asker(ctx, node)
	if err != nil {
		return nil, err
	}
	if rec := r.alike(full); rec != nil {
		own := *rec
		own.data = n.Data
		own.sketch = encodeSketch(full.Variables())
		r.keepRecord(n.Name, &own)
		return r.result(n, &own, Alike), nil
	}
	res, err := r.snap.Compile(ctx, node)
	if err != nil {
		return nil, err
	}
	if r.snap.Current() != r.snap { // what was said of other nodes was said of other files
		return nil, ErrChanged
	}
	out := &Result{Node: n.Name, How: Compiled, Why: why, Fresh: res, run: r, Failed: res.Failure != nil}
	if res.Failure != nil {
		out.Code = res.Failure.Code
	}
	r.keep(n, full, res, out)
	return out, nil
}

// Stays tells whether all that the compile of another run asked, the old revision's, has the same answer in this one.
// That does not hang on what else the store knows: it is the same for a run that goes on where one was killed, and for
// one that has another part of the nodes.
func (r *Run) Stays(ctx context.Context, old *Result, n Node) (stays bool, err error) {
	if old.rec == nil {
		return false, nil
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *budget.Aborted:
			err = p
		case *budget.Exceeded:
			stays = false
		default:
			panic(p)
		}
	}()
	ask := r.asker(ctx, n, old.rec)
	stays, _ = r.holds(old.rec, n, ask)
	return stays, ask.Err()
}

// Same reports whether two results were found by one record.
func (r *Result) Same(other *Result) bool {
	a, b := r.rec, other.rec
	return a != nil && b != nil && a.sameAs(b)
}

func (r *Run) result(n Node, rec *record, how How) *Result {
	out := &Result{Node: n.Name, How: how, run: r, rec: rec, number: rec.result, places: rec.places}
	out.describe()
	return out
}

// asker answers questions about a node. What a record has sketched of it is true as long as its data are the same.
func (r *Run) asker(ctx context.Context, n Node, rec *record) *compiler.Asker {
	var some *compiler.Sketch
	if rec.data == n.Data {
		some = sketchOf(n.Name, rec.sketch)
	}
	if some == nil {
		some = &compiler.Sketch{Name: n.Name}
	}
	return r.snap.AskerOf(ctx, some, n.Load)
}

// find looks for a record of the node that holds in this revision.
func (r *Run) find(ctx context.Context, n Node) (_ *record, why string, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *budget.Aborted:
			err = p
		case *budget.Exceeded: // a glob that goes everywhere: the compile tells of it
		default:
			panic(p)
		}
	}()
	records := r.store.recordsOf(n.Name)
	if i := slices.IndexFunc(records, func(rec *record) bool { return rec.data == n.Data }); i > 0 {
		records = slices.Concat(records[i:i+1], records[:i], records[i+1:]) // its facts need not be read
	}
	for i, rec := range records {
		ask := r.asker(ctx, n, rec)
		holds, q := r.holds(rec, n, ask)
		if err := ask.Err(); err != nil {
			return nil, "", err
		}
		if holds {
			return r.renewed(n, rec, ask), "", nil
		}
		if i == 0 {
			why = q.String()
		}
	}
	return nil, why, nil
}

// renewed is a record that holds, with the node's data of today: those that nobody asks for change every day, and next
// time it is enough that all are the same.
func (r *Run) renewed(n Node, rec *record, ask *compiler.Asker) *record {
	if rec.data == n.Data || n.Data == (digest{}) {
		return rec
	}
	own := *rec
	own.data, own.statements, own.sketch = n.Data, r.statements(), encodeSketch(ask.Variables())
	r.keepRecord(n.Name, &own)
	return &own
}

// holds tells whether all that a record's compile asked has the same answer here.
func (r *Run) holds(rec *record, n Node, ask *compiler.Asker) (bool, trace.Question) {
	if v := r.filesHold(rec.files, ask); !v.holds {
		return false, v.why
	}
	if rec.data != n.Data || n.Data == (digest{}) {
		if sum, why := r.answers(rec.asks, ask); sum != rec.answers {
			return false, why
		}
	} else if q := (trace.Question{Kind: trace.Statement}); rec.statements != r.statements() {
		if e := ask.Entry(q); e == nil || e.Answer != rec.statement {
			return false, q
		}
	}
	return r.layersHold(rec.layers, ask)
}

// filesHold tells whether a set of questions about files holds. The first node pays.
func (r *Run) filesHold(set uint32, ask *compiler.Asker) *verdict {
	r.mu.Lock()
	v := r.files[set]
	if v == nil {
		v = &verdict{}
		r.files[set] = v
	}
	r.mu.Unlock()
	v.once.Do(func() { v.holds, v.why = hold(r.store.set(set), ask) })
	return v
}

// answer is a question with its answer; nil when nobody can answer it, or the store has lost it.
func answer(ask *compiler.Asker, q trace.Question) *trace.Entry {
	if q.Kind == trace.NoKind {
		return nil
	}
	return ask.Entry(q)
}

func hold(entries []*trace.Entry, ask *compiler.Asker) (bool, trace.Question) {
	for _, e := range entries {
		if is := answer(ask, e.Question); is == nil || is.Answer != e.Answer {
			return false, e.Question
		}
	}
	return true, trace.Question{}
}

// layersHold tells whether a set of questions about layers holds for what the node sees of them.
func (r *Run) layersHold(set uint32, ask *compiler.Asker) (bool, trace.Question) {
	s := r.store.layerSet(set)
	sees, ok := seen(s, ask)
	if !ok {
		return hold(s.entries, ask)
	}
	k := layersKey{set, sees}
	r.mu.Lock()
	v := r.layers[k]
	if v == nil {
		if len(r.layers) >= mostAlike {
			clear(r.layers)
		}
		v = &verdict{}
		r.layers[k] = v
	}
	r.mu.Unlock()
	v.once.Do(func() { v.holds, v.why = hold(s.entries, ask) })
	return v.holds, v.why
}

// seen is what a node sees of layers, as a text; ok is false if that is not all that counts.
func seen(s *layerSet, ask *compiler.Asker) (string, bool) {
	out := make([]byte, 0, 2*len(s.layers))
	for i, name := range s.layers {
		n := ask.Layer(name, s.options[i])
		if n < 0 {
			return "", false
		}
		out = binary.AppendUvarint(out, uint64(n))
	}
	return string(out), true
}

// answers is a digest of what a node answers to a list of questions.
func (r *Run) answers(set uint32, ask *compiler.Asker) (d digest, why trace.Question) {
	return answersTo(r.store.set(set), ask)
}

func answersTo(questions []*trace.Entry, ask *compiler.Asker) (d digest, why trace.Question) {
	var all []byte
	for _, e := range questions {
		is := answer(ask, e.Question)
		if is == nil {
			return d, e.Question
		}
		if e.Kind == trace.Fact || why.Kind == trace.NoKind {
			why = e.Question // which one it is that differs is not kept
		}
		all = append(all, is.Answer[:]...)
	}
	return digestOf(all), why
}

// ---- nodes that are alike

// begin is what a node answers to the first of a group's questions.
func (r *Run) begin(asks uint32, ask *compiler.Asker) digest {
	questions := r.store.set(asks)
	d, _ := answersTo(questions[:min(len(questions), firstAnswers)], ask)
	return d
}

// sum is what a node answers to all of them, and what it sees of Hiera's layers.
func (r *Run) sum(answers digest, layers uint32, ask *compiler.Asker) (d digest, ok bool) {
	if answers == d {
		return d, false
	}
	sees, ok := seen(r.store.layerSet(layers), ask)
	return digestOf(append(answers[:], sees...)), ok
}

// addAlike makes a record of this run one that other nodes may be like.
func (r *Run) addAlike(rec *record, ask *compiler.Asker) {
	answers, _ := r.answers(rec.asks, ask)
	d, ok := r.sum(answers, rec.layers, ask)
	if !ok {
		return
	}
	begin := r.begin(rec.asks, ask)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.groups {
		if g.asks == rec.asks && g.layers == rec.layers {
			if len(g.by) < mostAlike {
				g.by[d], g.begins[begin] = rec, true
			}
			return
		}
	}
	if len(r.groups) < mostGroups {
		r.groups = append(r.groups, &group{rec.asks, rec.layers, map[digest]*record{d: rec}, map[digest]bool{begin: true}})
	}
}

// alike looks for another node of this run that asked the same and got the same answers.
func (r *Run) alike(ask *compiler.Asker) *record {
	r.mu.Lock()
	groups := r.groups
	r.mu.Unlock()
	// Groups differ more in what they asked of layers than in what they asked of the node, which is found out once.
	begins, answers := map[uint32]digest{}, map[uint32]digest{}
	for _, g := range groups {
		begin, known := begins[g.asks]
		if !known {
			begin = r.begin(g.asks, ask)
			begins[g.asks] = begin
		}
		r.mu.Lock()
		may := g.begins[begin]
		r.mu.Unlock()
		if !may {
			continue
		}
		all, known := answers[g.asks]
		if !known {
			all, _ = r.answers(g.asks, ask)
			answers[g.asks] = all
		}
		d, ok := r.sum(all, g.layers, ask)
		if !ok {
			continue
		}
		r.mu.Lock()
		rec := g.by[d]
		r.mu.Unlock()
		if rec != nil {
			return rec
		}
	}
	return nil
}

// ---- into the store

// keep stores a compile, if it is one that can be repeated, and has no secret in a tag or in what it asked: a key of
// Hiera's, the name of a file, a collector's query.
func (r *Run) keep(n Node, ask *compiler.Asker, res *eval.Result, out *Result) {
	if res.Questions == nil {
		return
	}
	t := res.Questions()
	var files, layers, asks []*trace.Entry
	rec := &record{data: n.Data, statements: r.statements()}
	var answers []byte
	for _, e := range t.Entries {
		switch {
		case e.Kind == trace.Clock || e.Answer == (trace.Answer{}):
			return
		case e.OfLayers():
			layers = append(layers, e)
		case e.OfNode():
			asks = append(asks, &trace.Entry{Question: e.Question})
			answers = append(answers, e.Answer[:]...)
			if e.Kind == trace.Statement {
				rec.statement = e.Answer
			}
		default:
			files = append(files, e)
		}
	}
	rec.answers = digestOf(answers)
	p := r.store.pack(r.snap, res, t)
	if p.tells {
		return
	}
	s := r.store
	if !s.view(func(tx *bolt.Tx) {
		rec.files, rec.layers, rec.asks = s.addSet(tx, files, true), s.addSet(tx, layers, true), s.addSet(tx, asks, false)
		rec.result, rec.places = s.add(tx, p)
	}) {
		return
	}
	r.addAlike(rec, ask) // it also finds what the sketch is made of
	rec.sketch = encodeSketch(ask.Variables())
	r.keepRecord(n.Name, rec)
	out.rec, out.number, out.places, out.Unknown = rec, rec.result, rec.places, p.unknown
}

func (r *Run) keepRecord(name string, rec *record) {
	s := r.store
	s.view(func(tx *bolt.Tx) { s.put(tx, name, rec) })
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size > mostWaiting || time.Since(s.flushed) > longestWait {
		s.flush()
	}
}

// addSet puts entries into the store and gives the number of their set. Order counts for questions about the node. The
// lock is held.
func (s *Store) addSet(tx *bolt.Tx, entries []*trace.Entry, sorted bool) uint32 {
	numbers := make([]uint32, len(entries))
	for i, e := range entries {
		n, known := s.numbers[e]
		if !known {
			content := encodeEntry(e)
			n = s.entries.number(tx, digestOf(content), content)
			if len(s.numbers) > mostKnown {
				clear(s.numbers)
			}
			if sorted { // the others are made for this node
				s.numbers[e] = n
			}
		}
		numbers[i] = n
	}
	if sorted {
		slices.Sort(numbers)
	}
	out := binary.AppendUvarint(nil, uint64(len(numbers))) // so that none is empty
	was := uint32(0)
	for _, n := range numbers {
		out = binary.AppendVarint(out, int64(n)-int64(was))
		was = n
	}
	return s.sets.number(tx, digestOf(out), out)
}

func encodeEntry(e *trace.Entry) []byte {
	out := append([]byte{byte(e.Kind)}, e.Answer[:]...)
	out = appendText(out, e.Of)
	return append(out, e.Part...)
}

func decodeEntry(in []byte) *trace.Entry {
	e := &trace.Entry{}
	if len(in) < 1+len(e.Answer) {
		return e // of no kind: nobody answers it
	}
	e.Kind = trace.Kind(in[0])
	copy(e.Answer[:], in[1:])
	of, part := cut(in[1+len(e.Answer):])
	e.Of, e.Part = string(of), string(part)
	return e
}

// set is the entries of a set.
func (s *Store) set(n uint32) (entries []*trace.Entry) { return s.layerSet(n).entries }

// A layerSet is a set of questions, with the layers that they are about.
type layerSet struct {
	entries []*trace.Entry
	layers  []string
	options []bool // are lookup_options of the layer wanted
}

func (s *Store) layerSet(n uint32) *layerSet {
	s.mu.Lock()
	defer s.mu.Unlock()
	if set := s.decoded[n]; set != nil {
		return set
	}
	set := &layerSet{}
	if !s.see(func(tx *bolt.Tx) {
		count, in := number(s.sets.content(tx, n))
		at := int64(0)
		for len(in) > 0 {
			d, size := binary.Varint(in)
			if size <= 0 {
				break
			}
			at, in = at+d, in[size:]
			set.entries = append(set.entries, s.entry(tx, uint32(at)))
		}
		if in == nil || len(set.entries) != int(count) { // it is not what was stored: nothing may be concluded from it
			set.entries = append(set.entries, &trace.Entry{})
		}
	}) {
		set.entries = []*trace.Entry{{}}
	}
	add := func(name string, options bool) {
		i := slices.Index(set.layers, name)
		if i < 0 {
			i = len(set.layers)
			set.layers, set.options = append(set.layers, name), append(set.options, false)
		}
		set.options[i] = set.options[i] || options
	}
	for _, e := range set.entries {
		switch e.Kind {
		case trace.LayerFirst, trace.LayerAll:
			add(e.Of, false)
		case trace.KeyOptions:
			for _, name := range compiler.OptionLayers(e.Of) {
				add(name, true)
			}
		}
	}
	if len(s.decoded) > mostSets {
		clear(s.decoded)
	}
	s.decoded[n] = set
	return set
}

// mostSets is how many sets are kept in memory.
const mostSets = 4096

// entry is a question with its answer, one for all sets. The lock is held.
func (s *Store) entry(tx *bolt.Tx, n uint32) *trace.Entry {
	if e := s.byNumber[n]; e != nil {
		return e
	}
	e := decodeEntry(s.entries.content(tx, n))
	if len(s.byNumber) > 1<<18 {
		clear(s.byNumber)
	}
	s.byNumber[n] = e
	return e
}
