package sat

import (
	"math"
	"slices"

	"bunraku/budget"
)

// This file is a solver by conflict-driven clause learning, after MiniSat (Eén and Sörensson, SAT 2003) with the
// measure of clauses of Glucose (Audemard and Simon, IJCAI 2009).
//
// The solver guesses a literal, follows what the clauses then force (propagate), and goes on until every variable has a
// value or a clause is false. A false clause is a conflict: analyze resolves it with the reasons of its literals, in
// the opposite order of their assignment, until a single literal of the present level is left. The clause that comes
// out holds whatever was guessed; it is learned, the guesses since the second highest level in it are taken back, and
// it forces the opposite of the single literal. When a conflict depends on no guess, there is no model.
//
// Four heuristics make it fast and decide nothing: which variable is guessed (that of recent conflicts, order.go), with
// which value (its last one), when all guesses are given up (Luby's sequence), and which learned clauses are forgotten
// (those whose literals come from many levels).
//
// Nothing here is random or looks at a clock: the same problem takes the same steps on every machine. The steps are
// counted on the budget. Clauses may be added between two questions, and what was learned from the old ones stays.

// A code is a literal inside the solver: twice the variable, plus one for its negation.
type code uint32

func encode(l Lit) code {
	if l < 0 {
		return code(-l)<<1 | 1
	}
	return code(l) << 1
}

func (c code) lit() Lit {
	if c&1 != 0 {
		return -Lit(c >> 1)
	}
	return Lit(c >> 1)
}

func (c code) variable() uint32 { return uint32(c >> 1) }

// A ref is the place of a clause in the store: its length, the number of levels of its literals if it was learned, then
// its literals.
type ref uint32

const none ref = math.MaxUint32

const (
	headWords = 2
	forgotten = 1 << 31 // in the header
	lenMask   = forgotten - 1
)

// A watcher waits in the list of a literal for that literal to become false. If other is true, the clause is, too.
type watcher struct {
	clause ref
	other  code
}

const (
	unset int8 = iota
	isTrue
	isFalse
)

type cdcl struct {
	store   []code
	watches [][]watcher // by code
	learned []ref
	wasted  int // words of forgotten clauses

	value  []int8 // by code
	level  []int32
	reason []ref
	phase  []bool // last value by variable
	trail  []code
	limits []int // where levels begin in the trail
	head   int   // of the trail: what has not been propagated

	order order
	seen  []bool
	stamp []uint32 // by level, for counting levels of a clause
	mark  uint32
	stack []code
	undo  []uint32

	added     int // clauses of the builder that are in
	broken    bool
	model     []bool // by variable, after Sat
	maxLearnt int
	work      int64                          // steps since they were last counted
	proof     func(drop bool, clause []code) // told of every clause that is learned or forgotten; may be nil
}

func newCDCL() *cdcl { return &cdcl{maxLearnt: 4000} }

func (s *cdcl) grow(vars int32) {
	for v := len(s.level); v <= int(vars); v++ {
		s.level = append(s.level, 0)
		s.reason = append(s.reason, none)
		s.phase = append(s.phase, false)
		s.seen = append(s.seen, false)
		s.stamp = append(s.stamp, 0)
		s.value = append(s.value, unset, unset)
		s.watches = append(s.watches, nil, nil)
		s.order.grow()
		if v > 0 {
			s.order.push(uint32(v))
		}
	}
}

func (s *cdcl) lits(r ref) []code {
	return s.store[r+headWords : r+headWords+ref(s.store[r]&lenMask)]
}

// add takes a clause of the problem. All guesses have been given up.
func (s *cdcl) add(clause []Lit) {
	if s.broken {
		return
	}
	in := make([]code, 0, len(clause))
	for _, l := range clause {
		in = append(in, encode(l))
	}
	slices.Sort(in)
	in = slices.Compact(in)
	out := in[:0]
	for i, c := range in {
		if s.value[c] == isTrue || i > 0 && in[i-1] == c^1 {
			return
		}
		if s.value[c] != isFalse {
			out = append(out, c)
		}
	}
	if len(out) < len(clause) && s.proof != nil {
		s.proof(false, out)
	}
	switch len(out) {
	case 0:
		s.broken = true
	case 1:
		s.assign(out[0], none)
		if s.propagate() != none {
			s.conclude()
		}
	default:
		s.attach(s.keep(out, false, 0))
	}
}

// conclude notes that there is no model.
func (s *cdcl) conclude() {
	s.broken = true
	if s.proof != nil {
		s.proof(false, nil)
	}
}

func (s *cdcl) keep(lits []code, learned bool, levels uint32) ref {
	r := ref(len(s.store))
	s.store = append(append(s.store, code(len(lits)), code(levels)), lits...)
	if learned {
		s.learned = append(s.learned, r)
	}
	return r
}

func (s *cdcl) attach(r ref) {
	c := s.lits(r)
	s.watches[c[0]] = append(s.watches[c[0]], watcher{r, c[1]})
	s.watches[c[1]] = append(s.watches[c[1]], watcher{r, c[0]})
}

func (s *cdcl) assign(c code, why ref) {
	s.value[c], s.value[c^1] = isTrue, isFalse
	v := c.variable()
	s.level[v], s.reason[v] = int32(len(s.limits)), why
	s.trail = append(s.trail, c)
}

// propagate follows what is forced and returns a false clause, or none.
func (s *cdcl) propagate() ref {
	for s.head < len(s.trail) {
		p := s.trail[s.head] ^ 1 // has become false
		s.head++
		list := s.watches[p]
		s.work += int64(len(list)) + 1
		keep := 0
	next:
		for i := 0; i < len(list); i++ {
			w := list[i]
			if s.value[w.other] == isTrue {
				list[keep] = w
				keep++
				continue
			}
			c := s.lits(w.clause)
			if c[0] == p {
				c[0], c[1] = c[1], p
			}
			first := c[0]
			w.other = first
			if s.value[first] == isTrue {
				list[keep] = w
				keep++
				continue
			}
			for k := 2; k < len(c); k++ {
				if s.value[c[k]] != isFalse {
					c[1], c[k] = c[k], p
					s.watches[c[1]] = append(s.watches[c[1]], w)
					s.work += int64(k) >> 2
					continue next
				}
			}
			s.work += int64(len(c)) >> 2
			list[keep] = w
			keep++
			if s.value[first] == isFalse {
				keep += copy(list[keep:], list[i+1:])
				s.watches[p] = list[:keep]
				s.head = len(s.trail)
				return w.clause
			}
			s.assign(first, w.clause)
		}
		s.watches[p] = list[:keep]
	}
	return none
}

// back gives up the guesses above a level.
func (s *cdcl) back(level int) {
	if len(s.limits) <= level {
		return
	}
	for i := len(s.trail) - 1; i >= s.limits[level]; i-- {
		c := s.trail[i]
		v := c.variable()
		s.value[c], s.value[c^1] = unset, unset
		s.phase[v] = c&1 == 0
		s.reason[v] = none
		s.order.push(v)
	}
	s.trail = s.trail[:s.limits[level]]
	s.limits = s.limits[:level]
	s.head = len(s.trail)
}

// analyze learns from a conflict: a clause whose first literal is the only one of the present level, and the level to
// go back to.
func (s *cdcl) analyze(conflict ref) (clause []code, level int) {
	clause = append(clause, 0)
	open, at := 0, len(s.trail)-1
	now := int32(len(s.limits))
	p := code(0)
	for r := conflict; ; {
		lits := s.lits(r)
		s.work += int64(len(lits))
		if p != 0 {
			lits = lits[1:] // the first one is what it forced
		}
		for _, q := range lits {
			v := q.variable()
			if s.seen[v] || s.level[v] == 0 {
				continue
			}
			s.seen[v] = true
			s.order.bump(v)
			if s.level[v] >= now {
				open++
			} else {
				clause = append(clause, q)
			}
		}
		for !s.seen[s.trail[at].variable()] {
			at--
		}
		p = s.trail[at]
		at--
		s.seen[p.variable()] = false
		if open--; open == 0 {
			break
		}
		r = s.reason[p.variable()]
	}
	clause[0] = p ^ 1
	s.undo = s.undo[:0]
	for _, c := range clause[1:] {
		s.undo = append(s.undo, c.variable())
	}
	out := clause[:1]
	for _, c := range clause[1:] { // what others of the clause imply goes
		if s.reason[c.variable()] == none || !s.implied(c) {
			out = append(out, c)
		}
	}
	for _, v := range s.undo {
		s.seen[v] = false
	}
	for i := 2; i < len(out); i++ { // the literal of the second highest level is watched, too
		if s.level[out[i].variable()] > s.level[out[1].variable()] {
			out[1], out[i] = out[i], out[1]
		}
	}
	if len(out) > 1 {
		level = int(s.level[out[1].variable()])
	}
	return out, level
}

// implied reports whether the negation of a literal follows from those of marked ones.
func (s *cdcl) implied(c code) bool {
	s.stack = append(s.stack[:0], c)
	top := len(s.undo)
	for len(s.stack) > 0 {
		q := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		why := s.lits(s.reason[q.variable()])
		s.work += int64(len(why))
		for _, x := range why[1:] {
			v := x.variable()
			if s.seen[v] || s.level[v] == 0 {
				continue
			}
			if s.reason[v] == none {
				for _, u := range s.undo[top:] {
					s.seen[u] = false
				}
				s.undo = s.undo[:top]
				return false
			}
			s.seen[v] = true
			s.undo = append(s.undo, v)
			s.stack = append(s.stack, x)
		}
	}
	return true
}

// levels counts the levels of a clause's literals.
func (s *cdcl) levels(clause []code) uint32 {
	s.mark++
	n := uint32(0)
	for _, c := range clause {
		if l := s.level[c.variable()]; l > 0 && s.stamp[l] != s.mark {
			s.stamp[l] = s.mark
			n++
		}
	}
	return n
}

// forget drops half of the learned clauses, those with the most levels first.
func (s *cdcl) forget() {
	var candidates []ref
	for _, r := range s.learned {
		if s.store[r+1] > 2 && s.reason[s.lits(r)[0].variable()] != r {
			candidates = append(candidates, r)
		}
	}
	slices.SortStableFunc(candidates, func(x, y ref) int {
		if d := int64(s.store[y+1]) - int64(s.store[x+1]); d != 0 {
			return int(d)
		}
		return int(s.store[y]&lenMask) - int(s.store[x]&lenMask)
	})
	for _, r := range candidates[:len(candidates)/2] {
		if s.proof != nil {
			s.proof(true, s.lits(r))
		}
		s.store[r] |= forgotten
		s.wasted += int(s.store[r]&lenMask) + headWords
	}
	s.work += int64(len(s.learned)) * 4
	s.learned = slices.DeleteFunc(s.learned, func(r ref) bool { return s.store[r]&forgotten != 0 })
	for p, list := range s.watches {
		s.work += int64(len(list)) >> 2
		s.watches[p] = slices.DeleteFunc(list, func(w watcher) bool { return s.store[w.clause]&forgotten != 0 })
	}
	if s.wasted*2 > len(s.store) {
		s.compact()
	}
}

// compact moves the clauses together. Their old headers tell where they have gone.
func (s *cdcl) compact() {
	s.work += int64(len(s.store)) >> 2
	fresh := make([]code, 0, len(s.store)-s.wasted)
	for r := 0; r < len(s.store); {
		n := int(s.store[r]&lenMask) + headWords
		if s.store[r]&forgotten == 0 {
			to := code(len(fresh))
			fresh = append(fresh, s.store[r:r+n]...)
			s.store[r+1] = to
		}
		r += n
	}
	moved := func(r ref) ref { return ref(s.store[r+1]) }
	for _, list := range s.watches {
		for i := range list {
			list[i].clause = moved(list[i].clause)
		}
	}
	for i, r := range s.learned {
		s.learned[i] = moved(r)
	}
	for v, r := range s.reason {
		if r != none {
			s.reason[v] = moved(r)
		}
	}
	s.store, s.wasted = fresh, 0
}

// luby is the sequence 1 1 2 1 1 2 4 1 1 2 …
func luby(i int64) int64 {
	size, seq := int64(1), 0
	for size < i+1 {
		seq++
		size = 2*size + 1
	}
	for size-1 != i {
		size = (size - 1) >> 1
		seq--
		i %= size
	}
	return 1 << seq
}

// restartUnit is the number of conflicts for which Luby's 1 stands.
const restartUnit = 64

// solve looks for a model in which the assumptions hold. Unknown says that more than the given steps would be needed.
func (s *cdcl) solve(b *budget.Budget, assume []code, most int64) Status {
	defer s.back(0)
	if s.broken {
		return Unsat
	}
	for len(s.stamp) <= len(s.level)+len(assume) {
		s.stamp = append(s.stamp, 0)
	}
	left := most
	pay := func() bool {
		n := s.work
		s.work = 0
		left -= n
		b.Spend(n, "solving")
		return most <= 0 || left >= 0
	}
	for round := int64(0); ; round++ {
		patience := luby(round) * restartUnit
		for {
			conflict := s.propagate()
			if conflict != none {
				if len(s.limits) == 0 {
					s.conclude()
					return Unsat
				}
				s.learn(s.analyze(conflict))
				s.order.decay()
				patience--
				if s.work > 1<<12 && !pay() {
					return Unknown
				}
				continue
			}
			if s.work > 1<<12 && !pay() {
				return Unknown
			}
			if patience <= 0 {
				break
			}
			if len(s.learned)-len(s.trail) >= s.maxLearnt {
				s.forget()
				s.maxLearnt += s.maxLearnt / 10
			}
			next, done := s.guess(assume)
			if done != Unknown {
				pay()
				if done == Sat {
					s.model = make([]bool, len(s.level))
					for v := range s.model {
						s.model[v] = s.value[v<<1] == isTrue
					}
				}
				return done
			}
			s.limits = append(s.limits, len(s.trail))
			if next != 0 {
				s.assign(next, none)
			}
		}
		s.back(0)
		if !pay() {
			return Unknown
		}
	}
}

// guess is the next literal to try: an assumption, or an open variable. It is 0 for an assumption that holds already.
func (s *cdcl) guess(assume []code) (code, Status) {
	if n := len(s.limits); n < len(assume) {
		switch s.value[assume[n]] {
		case isTrue:
			return 0, Unknown
		case isFalse:
			return 0, Unsat
		}
		return assume[n], Unknown
	}
	for s.order.len() > 0 {
		v := s.order.pop()
		s.work++
		if s.value[code(v)<<1] == unset {
			c := code(v) << 1
			if !s.phase[v] {
				c |= 1
			}
			return c, Unknown
		}
	}
	return 0, Sat
}

func (s *cdcl) learn(clause []code, level int) {
	levels := s.levels(clause)
	s.back(level)
	if s.proof != nil {
		s.proof(false, clause)
	}
	why := none
	if len(clause) > 1 {
		why = s.keep(clause, true, levels)
		s.attach(why)
	}
	s.assign(clause[0], why)
}
