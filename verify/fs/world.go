package fs

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A World walks through the initial states that a computation can tell apart. The computation runs against cells whose
// value is still open; when a test needs to know, the world splits in two, and the computation is run again for each
// half. So a program that looks at three of ten thousand paths has a handful of initial states.
//
// Splits keep the tree well-formed: what exists has a directory above it.
type World struct {
	sp     *Space
	widest []uint64 // per cell: what it may be without Fix and Assume
	base   []uint64 // per cell: what it may be at the start of every walk
	mask   []uint64 // per cell: what it may be now
	dirty  []Cell
	fixed  []Cell // cells whose base was changed by Fix or Assume
	oracle map[string]bool
	trail  []choice
	pos    int
	apps   []openApp
	appKey map[string]Open

	// Trusting makes predicates that nobody has read answer yes, as they do in a concrete state that does not know them,
	// instead of walking through both answers.
	Trusting bool
}

// An Open is the value of a cell during a walk: an ID, or a negative number for a value that is still open.
type Open int32

const appOffset = 1 << 26

type openApp struct {
	name string
	args []Open
}

type choice struct {
	cell    Cell
	key     string // of an oracle; then the options are 1 (yes) and 0 (no)
	options [2]uint64
	next    int
	count   int
}

// NewWorld makes a world of all initial states, as far as Init speaks of single cells.
func (sp *Space) NewWorld() *World {
	return sp.newWorld(func(c Cell) uint64 { return sp.cells[c].mask })
}

// NewMidWorld makes a world of all states in which a run can be at any moment: well-formed trees.
func (sp *Space) NewMidWorld() *World {
	return sp.newWorld(func(c Cell) uint64 {
		if sp.cells[c].above < 0 && sp.cells[c].field == fieldKind {
			return bitOf(Dir)
		}
		return sp.full(c)
	})
}

func (sp *Space) newWorld(mask func(Cell) uint64) *World {
	w := &World{sp: sp, widest: make([]uint64, len(sp.cells)), oracle: map[string]bool{}, appKey: map[string]Open{}}
	for c := range sp.cells {
		w.widest[c] = mask(Cell(c))
	}
	w.base, w.mask = slices.Clone(w.widest), slices.Clone(w.widest)
	return w
}

// Fix limits the walk to states that agree with s. It reports whether s is within the domains; a value outside them
// counts as unknown.
func (w *World) Fix(s *State) bool {
	w.sp.budget.Spend(int64(len(w.sp.cells)), walking)
	within := true
	crowded := w.sp.crowded(s)
	for c := range w.sp.cells {
		v := w.sp.intern(w.sp.lookup(s, Cell(c), crowded))
		i, ok := w.sp.position(Cell(c), v)
		if !ok {
			i, within = max(w.sp.cells[c].other, 0), false
		}
		w.base[c] = bitOf(i)
		w.mask[c] = w.base[c]
		w.fixed = append(w.fixed, Cell(c))
	}
	return within
}

// Assume limits the walk to states in which the facts hold. Facts that contradict each other leave no state; Assume
// then reports false.
func (w *World) Assume(facts []Fact) bool {
	for _, f := range facts {
		for c, mask := f.Cell, f.Mask; c >= 0; {
			w.base[c] &= mask
			w.mask[c] = w.base[c]
			w.fixed = append(w.fixed, c)
			m := w.base[c]
			if m == 0 {
				return false
			}
			in := &w.sp.cells[c]
			exists := w.sp.existsUnder(in.field)
			switch {
			case in.above < 0:
				c = -1
			case m&1 == 0: // it is there, so what it hangs from is
				c, mask = in.above, exists
			case m == 1 && in.field != fieldKind && in.field != fieldRest: // it is missing
				c, mask = in.above, ^exists
			default:
				c = -1
			}
		}
	}
	return true
}

// Forget undoes Fix and Assume.
func (w *World) Forget() {
	w.reset()
	for _, c := range w.fixed {
		w.base[c] = w.widest[c]
		w.mask[c] = w.base[c]
	}
	w.fixed = w.fixed[:0]
}

// Seen lists what the present run has found out or decided about initial values.
func (w *World) Seen() []Fact {
	var out []Fact
	for _, c := range sortedCells(slices.Clone(w.dirty)) {
		out = append(out, Fact{c, w.now(c)})
	}
	return out
}

// walking is what is being done here, for the budget.
const walking = "walking through states"

// Explore runs body once for each initial state that body tells apart, until body returns false or the limit of runs is
// reached. It reports whether it has seen them all (or was told to stop).
func (w *World) Explore(limit int, body func() (more bool)) bool {
	w.trail = w.trail[:0]
	for run := 0; ; run++ {
		if run >= limit {
			return false
		}
		w.sp.budget.Spend(int64(1+len(w.dirty)), walking)
		w.reset()
		if !body() {
			return true
		}
		for len(w.trail) > 0 {
			last := &w.trail[len(w.trail)-1]
			if last.next++; last.next < last.count {
				break
			}
			w.trail = w.trail[:len(w.trail)-1]
		}
		if len(w.trail) == 0 {
			return true
		}
	}
}

func (w *World) reset() {
	for _, c := range w.dirty {
		w.mask[c] = w.base[c]
	}
	w.dirty = w.dirty[:0]
	clear(w.oracle)
	w.pos = 0
	w.apps = w.apps[:0]
	clear(w.appKey)
}

func (w *World) narrow(c Cell, mask uint64) {
	if w.mask[c]&mask != w.mask[c] {
		w.mask[c] &= mask
		w.dirty = append(w.dirty, c)
	}
}

// now is what a cell may be, given what is known of the cells above it.
func (w *World) now(c Cell) uint64 {
	in := &w.sp.cells[c]
	m := w.mask[c]
	if in.above < 0 {
		return m
	}
	up := w.now(in.above)
	switch in.field {
	case fieldKind, fieldRest:
		if up&bitOf(Dir) == 0 {
			m &= 1
		}
	case fieldContent:
		if up&(bitOf(File)|bitOf(Link)) == 0 {
			return 1
		} else if up&(bitOf(None)|bitOf(Dir)) == 0 {
			m &^= 1
		}
	default:
		if up == bitOf(None) {
			return 1
		} else if up&bitOf(None) == 0 {
			m &^= 1
		}
	}
	return m
}

// Now is what a cell may be in the present run, as a mask of its domain.
func (w *World) Now(c Cell) uint64 { return w.now(c) }

// split decides whether a cell is in sub or not, in a way that earlier runs have not tried; first tells which to try
// first. Content and attributes exist only with their path, so its kind is decided before them; then the caller must
// look again.
func (w *World) split(c Cell, sub uint64, first bool) {
	in := &w.sp.cells[c]
	if in.above >= 0 && in.field != fieldKind && in.field != fieldRest {
		has := w.sp.existsUnder(in.field)
		if up := w.now(in.above); up&has != 0 && up&^has != 0 {
			c, sub, first = in.above, has, true
			in = &w.sp.cells[c]
		}
	}
	m := w.now(c)
	yes, no := m&sub, m&^sub
	if !first {
		yes, no = no, yes
	}
	mask := w.choose(choice{cell: c, options: [2]uint64{yes, no}, count: 2})
	w.narrow(c, mask)
	if (in.field == fieldKind || in.field == fieldRest) && mask&1 == 0 {
		for a := in.above; a >= 0; a = w.sp.cells[a].above {
			w.narrow(a, bitOf(Dir))
		}
	}
}

func (w *World) choose(ch choice) uint64 {
	if w.pos == len(w.trail) {
		w.trail = append(w.trail, ch)
	}
	at := &w.trail[w.pos]
	w.pos++
	return at.options[at.next]
}

// Initial is the value of a cell before the run.
func (w *World) Initial(c Cell) Open {
	if m := w.now(c); single(m) {
		return Open(w.sp.cells[c].domain[bits.TrailingZeros64(m)])
	}
	return -Open(c) - 1
}

// Settle replaces open values that have been decided since.
func (w *World) Settle(v Open) Open {
	switch {
	case v >= 0:
		return v
	case v > -appOffset:
		return w.Initial(Cell(-v - 1))
	}
	app := w.apps[-v-appOffset]
	args := make([]Open, len(app.args))
	for i, a := range app.args {
		args[i] = w.Settle(a)
	}
	return w.app(app.name, args)
}

func (w *World) app(name string, args []Open) Open {
	closed := true
	for _, a := range args {
		closed = closed && a >= 0
	}
	if closed {
		return Open(w.sp.intern(Result(name, w.spell(args))))
	}
	spelled := []byte(name + "\x00")
	for _, a := range args {
		spelled = binary.AppendVarint(spelled, int64(a))
	}
	key := string(spelled)
	if v, ok := w.appKey[key]; ok {
		return v
	}
	v := Open(-appOffset - len(w.apps))
	w.apps = append(w.apps, openApp{name, slices.Clone(args)})
	w.appKey[key] = v
	return v
}

func (w *World) spell(args []Open) []Value {
	out := make([]Value, len(args))
	for i, a := range args {
		out[i] = w.sp.vals[a]
	}
	return out
}

// Differ compares two values, splitting as needed; the half in which they differ is tried first.
func (w *World) Differ(a, b Open) bool { return !w.equal(a, b, false) }

// equal compares two values, splitting as needed.
func (w *World) equal(a, b Open, first bool) bool {
	for {
		a, b = w.Settle(a), w.Settle(b)
		if a == b {
			return true
		}
		if a >= 0 && b >= 0 {
			return false
		}
		if a >= 0 || a <= -appOffset && b < 0 && b > -appOffset {
			a, b = b, a
		}
		if a <= -appOffset { // an open result equals only a result of the same function
			if b > -appOffset {
				return b >= 0 && w.equalClosed(a, b, first)
			}
			x, y := w.apps[-a-appOffset], w.apps[-b-appOffset]
			if x.name != y.name || len(x.args) != len(y.args) {
				return false
			}
			for i := range x.args {
				if !w.equal(x.args[i], y.args[i], first) {
					return false
				}
			}
			return true
		}
		c := Cell(-a - 1)
		m := w.now(c)
		if b >= 0 {
			i, ok := w.sp.position(c, ID(b))
			if !ok || m&bitOf(i) == 0 {
				return false
			}
			w.split(c, bitOf(i), first)
			continue
		}
		if b <= -appOffset {
			return false
		}
		w.split(c, m&-m, first)
	}
}

// equalClosed compares an open result with a settled value: settle its arguments first.
func (w *World) equalClosed(a, b Open, first bool) bool {
	if !isResult(w.sp.vals[b]) {
		return false
	}
	for a < 0 {
		for _, arg := range w.apps[-a-appOffset].args {
			w.pin(arg)
		}
		a = w.Settle(a)
	}
	return a == b
}

func isResult(v Value) bool { return len(v.term) > 0 && v.term[0] == '!' }

// pin decides a value completely.
func (w *World) pin(v Open) Open {
	for {
		v = w.Settle(v)
		switch {
		case v >= 0:
			return v
		case v <= -appOffset:
			for _, a := range w.apps[-v-appOffset].args {
				w.pin(a)
			}
		default:
			c := Cell(-v - 1)
			m := w.now(c)
			w.split(c, m&-m, false)
		}
	}
}

// An Eval evaluates formulas in one state of a walk, given by the value of each cell, and remembers what it found.
type Eval struct {
	w     *World
	at    func(Cell) Open
	bools []memoBool
	vals  []memoVal
	stamp uint32
}

type memoBool struct {
	stamp uint32
	is    bool
}

type memoVal struct {
	stamp uint32
	is    Open
}

// NewEval makes an evaluator for states of w.
func (w *World) NewEval() *Eval { return &Eval{w: w} }

// In starts the evaluation of another state.
func (e *Eval) In(at func(Cell) Open) *Eval {
	e.at = at
	e.stamp++
	if n := len(e.w.sp.bools); len(e.bools) < n {
		e.bools = append(e.bools, make([]memoBool, n-len(e.bools)+64)...)
	}
	if n := len(e.w.sp.Formulas.vals); len(e.vals) < n {
		e.vals = append(e.vals, make([]memoVal, n-len(e.vals)+64)...)
	}
	return e
}

// Bool is the truth of b; when the world has to be split, the half in which b has the wanted truth is tried first.
func (e *Eval) Bool(b Bool, want bool) bool {
	positive := b&1 == 1
	if !positive {
		want = !want
	}
	return e.node(int32(b>>1), want) == positive
}

func (e *Eval) node(i int32, want bool) bool {
	if e.bools[i].stamp == e.stamp {
		return e.bools[i].is
	}
	n := &e.w.sp.bools[i]
	e.w.sp.budget.Spend(1, walking)
	var is bool
	switch n.op {
	case opConst:
		return true
	case opAtom:
		is = e.atom(n.cell, n.mask, want)
	case opAnd:
		is = true
		for _, k := range n.kids {
			if !e.Bool(k, want) {
				is = false
				break
			}
		}
	case opEq:
		is = e.w.equal(e.Val(n.args[0]), e.Val(n.args[1]), want)
	case opHolds:
		is = e.holds(n, want)
	}
	e.bools[i] = memoBool{e.stamp, is}
	return is
}

func (e *Eval) atom(c Cell, mask uint64, want bool) bool {
	w, in := e.w, &e.w.sp.cells[c]
	v := e.at(c)
	for {
		v = w.Settle(v)
		if v >= 0 || v <= -appOffset {
			i, ok := in.other, false
			if v >= 0 {
				i, ok = w.sp.position(c, ID(v))
			}
			if !ok {
				i = in.other
			}
			return i >= 0 && mask&bitOf(i) != 0
		}
		d := Cell(-v - 1)
		m := w.now(d)
		sub := m & mask
		if d != c {
			sub = 0
			for j, id := range w.sp.cells[d].domain {
				i, ok := w.sp.position(c, id)
				if !ok {
					i = in.other
				}
				if m&bitOf(j) != 0 && mask&bitOf(i) != 0 {
					sub |= bitOf(j)
				}
			}
		}
		switch sub {
		case 0:
			return false
		case m:
			return true
		}
		w.split(d, sub, want)
	}
}

func (e *Eval) holds(n *boolNode, want bool) bool {
	args := make([]Open, len(n.args))
	for i, a := range n.args {
		args[i] = e.w.pin(e.Val(a))
	}
	key := Result(n.name, e.w.spell(args)).term[1:]
	if is, known := e.w.oracle[key]; known {
		return is
	}
	if e.w.Trusting {
		return true
	}
	options := [2]uint64{1, 0}
	if !want {
		options = [2]uint64{0, 1}
	}
	is := e.w.choose(choice{key: key, options: options, count: 2}) == 1
	e.w.oracle[key] = is
	return is
}

// Val is the value of v.
func (e *Eval) Val(v Val) Open {
	n := &e.w.sp.Formulas.vals[v]
	switch n.op {
	case opValue:
		return Open(n.id)
	case opCell:
		return e.at(n.cell)
	}
	if e.vals[v].stamp == e.stamp {
		return e.vals[v].is
	}
	e.w.sp.budget.Spend(1, walking)
	var is Open
	if n.op == opIte {
		if e.Bool(n.cond, true) {
			is = e.Val(n.a)
		} else {
			is = e.Val(n.b)
		}
	} else {
		args := make([]Open, len(n.args))
		for i, a := range n.args {
			args[i] = e.w.Settle(e.Val(a))
		}
		is = e.w.app(n.name, args)
	}
	e.vals[v] = memoVal{e.stamp, is}
	return is
}

// State completes the present choices to a concrete initial state: what nobody looked at is absent where it may be, and
// unknown otherwise. Answers of predicates that nobody asked for are yes.
func (w *World) State() *State {
	w.sp.budget.Spend(int64(len(w.sp.cells)), walking)
	s := NewState()
	for key, is := range w.oracle {
		s.Oracle[key] = is
	}
	for c := range w.sp.cells { // a cell comes after those above it
		in := &w.sp.cells[c]
		m := w.now(Cell(c))
		id := in.domain[bits.TrailingZeros64(m)]
		if in.other >= 0 && m&bitOf(in.other) != 0 {
			id = in.domain[in.other]
		}
		switch in.field {
		case fieldKind:
			w.narrowTo(Cell(c), id)
			if k := Kind(id - idNone); k != None {
				n := initialNode(in.path, k)
				s.Nodes[in.path] = n
			}
		case fieldVar:
			s.Vars[in.name] = w.sp.vals[id]
		default:
			n := s.At(in.path)
			if n.Kind == None {
				continue
			}
			switch {
			case in.field == fieldRest:
				n.Others = id == idFull
			case in.field == fieldContent:
				if n.Kind != Dir {
					n.Content = w.sp.vals[id]
				}
			default:
				n.Attrs[in.field-fieldOwner] = w.sp.vals[id]
			}
			s.Nodes[in.path] = n
		}
	}
	return s
}

func (w *World) narrowTo(c Cell, id ID) {
	if i, ok := w.sp.position(c, id); ok {
		w.narrow(c, bitOf(i))
	}
}

// Answer fixes what a predicate that nobody has read says, for this run only. The key is spelled by Ask.
func (w *World) Answer(key string, yes bool) { w.oracle[key] = yes }
