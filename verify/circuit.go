package verify

import (
	"bunraku/verify/fs"
	"bunraku/verify/sat"
)

// A circuit translates formulas over initial states into clauses. Each cell has one literal per value it may have, of
// which exactly one is true; cells come in when they are mentioned, with those they hang from, so that every model is a
// well-formed tree. Auxiliary cells, which stand for values at moments of a run whose order is open, have a literal per
// value that can reach them.
type circuit struct {
	a     *Analysis
	b     *sat.Builder
	bools map[int32]sat.Lit
	cells map[fs.Cell][]sat.Lit          // initial values, by position in the domain; 0 where impossible
	aux   map[fs.Cell]map[fs.Val]sat.Lit // by value: a constant or a result
	reach map[fs.Cell][]fs.Val           // values of auxiliary cells in order
	eqs   map[[2]fs.Val]sat.Lit
	asked map[string][]question
	told  map[fs.Val]bool // values whose choice is encoded
	order []fs.Cell       // cells in order of mention
	start *fs.World       // limits initial values further, if not nil
}

type question struct {
	args []fs.Val
	lit  sat.Lit
}

func newCircuit(a *Analysis) *circuit {
	b := sat.NewBuilder()
	b.Budget = a.opt.Budget
	return &circuit{a: a, b: b, bools: map[int32]sat.Lit{}, cells: map[fs.Cell][]sat.Lit{},
		aux: map[fs.Cell]map[fs.Val]sat.Lit{}, reach: map[fs.Cell][]fs.Val{}, eqs: map[[2]fs.Val]sat.Lit{},
		asked: map[string][]question{}, told: map[fs.Val]bool{}}
}

// cell gives the literals of an initial value.
func (c *circuit) cell(x fs.Cell) []sat.Lit {
	if lits, ok := c.cells[x]; ok {
		return lits
	}
	shape := c.a.Space.Shape(x)
	mask := c.mask(x)
	var above []sat.Lit
	if shape.Above >= 0 {
		above = c.cell(shape.Above)
	}
	lits := make([]sat.Lit, len(shape.Values))
	var possible []sat.Lit
	for j := range lits {
		lits[j] = c.b.False()
		if mask&(1<<j) != 0 {
			lits[j] = c.b.Var()
			possible = append(possible, lits[j])
		}
	}
	if len(possible) == 1 {
		for j := range lits {
			if lits[j] == possible[0] {
				lits[j] = c.b.True()
			}
		}
		c.b.Clause(possible[0])
	} else {
		c.b.ExactlyOne(possible...)
	}
	c.cells[x] = lits
	c.order = append(c.order, x)
	if above != nil {
		var exists []sat.Lit
		for k, l := range above {
			if shape.Exists&(1<<k) != 0 {
				exists = append(exists, l)
			}
		}
		can := c.b.Or(exists...)
		c.b.Imply(can, -lits[0]) // position 0 is "missing" for every cell that hangs from another
		if shape.Only {
			c.b.Imply(-lits[0], can)
		}
	}
	return lits
}

// declare makes an auxiliary cell that may have the given values.
func (c *circuit) declare(x fs.Cell, values []fs.Val) {
	lits := map[fs.Val]sat.Lit{}
	all := make([]sat.Lit, len(values))
	for i, v := range values {
		all[i] = c.b.Var()
		lits[v] = all[i]
	}
	c.b.ExactlyOne(all...)
	c.aux[x], c.reach[x] = lits, values
}

// bool translates a formula.
func (c *circuit) bool(f fs.Bool) sat.Lit {
	v := c.a.Space.View(f)
	lit, ok := c.bools[f.Index()]
	if !ok {
		switch v.Op {
		case fs.OpConst:
			lit = c.b.True()
		case fs.OpAtom:
			var some []sat.Lit
			for j, l := range c.cell(v.Cell) {
				if v.Mask&(1<<j) != 0 {
					some = append(some, l)
				}
			}
			lit = c.b.Or(some...)
		case fs.OpAnd:
			all := make([]sat.Lit, len(v.Kids))
			for i, k := range v.Kids {
				all[i] = c.bool(k)
			}
			lit = c.b.And(all...)
		case fs.OpEq:
			lit = c.eq(v.Args[0], v.Args[1])
		case fs.OpHolds:
			lit = c.b.Var()
			c.bools[f.Index()] = lit // first: its arguments may lead back here, off any real order
			c.ask(v, lit)
		}
		c.bools[f.Index()] = lit
	}
	if v.Negated {
		return -lit
	}
	return lit
}

// ask gives an uninterpreted predicate the same answer for equal arguments.
func (c *circuit) ask(v fs.BoolView, lit sat.Lit) {
	q := question{v.Args, lit}
	before := c.asked[v.Name]
	c.asked[v.Name] = append(before, q) // what comparing the arguments asks is compared with this one
	for _, x := range q.args {
		c.mention(x)
	}
	for _, p := range before {
		if len(p.args) != len(q.args) {
			continue
		}
		same := make([]sat.Lit, len(p.args))
		for i := range same {
			same[i] = c.eq(p.args[i], q.args[i])
		}
		all := c.b.And(same...)
		c.b.Imply(p.lit, all, q.lit)
		c.b.Imply(q.lit, all, p.lit)
	}
}

// mention brings in all that decides which value v is, so that a model tells it.
func (c *circuit) mention(v fs.Val) {
	if c.told[v] {
		return
	}
	c.told[v] = true
	view := c.a.Space.ViewVal(v)
	switch view.Op {
	case fs.ValIte:
		c.bool(view.Cond)
		c.mention(view.A)
		c.mention(view.B)
	case fs.ValApp:
		for _, x := range view.Args {
			c.mention(x)
		}
	case fs.ValCell:
		c.values(view.Cell, func(x fs.Val, _ sat.Lit) { c.mention(x) })
	}
}

// yes makes every predicate asked so far answer yes.
func (c *circuit) yes() {
	for _, qs := range c.asked {
		for _, q := range qs {
			c.b.Clause(q.lit)
		}
	}
}

// mask is what a cell may be initially.
func (c *circuit) mask(x fs.Cell) uint64 {
	if c.start != nil {
		return c.start.Now(x)
	}
	return c.a.Space.Shape(x).Mask
}

// eq says that two values are equal.
func (c *circuit) eq(x, y fs.Val) sat.Lit {
	if x == y {
		return c.b.True()
	}
	if y < x {
		x, y = y, x
	}
	if l, ok := c.eqs[[2]fs.Val{x, y}]; ok {
		return l
	}
	l := c.equal(x, y)
	c.eqs[[2]fs.Val{x, y}] = l
	return l
}

func (c *circuit) equal(x, y fs.Val) sat.Lit {
	vx, vy := c.a.Space.ViewVal(x), c.a.Space.ViewVal(y)
	if vx.Op != fs.ValIte && vy.Op == fs.ValIte {
		x, y, vx, vy = y, x, vy, vx
	}
	if vx.Op == fs.ValIte {
		return c.b.Ite(c.bool(vx.Cond), c.eq(vx.A, y), c.eq(vx.B, y))
	}
	if vx.Op != fs.ValCell && vy.Op == fs.ValCell {
		x, y, vx, vy = y, x, vy, vx
	}
	if vx.Op == fs.ValCell {
		var some []sat.Lit
		c.values(vx.Cell, func(v fs.Val, l sat.Lit) {
			some = append(some, c.b.And(l, c.eq(v, y)))
		})
		return c.b.Or(some...)
	}
	if vx.Op != fs.ValApp || vy.Op != fs.ValApp || vx.Name != vy.Name || len(vx.Args) != len(vy.Args) {
		return c.b.False()
	}
	// Results of one function: equal iff the arguments are. Arguments may lead back here through auxiliary cells, so the
	// literal comes first. Along a real order they cannot, so it is determined.
	l := c.b.Var()
	c.eqs[[2]fs.Val{min(x, y), max(x, y)}] = l
	all := make([]sat.Lit, len(vx.Args))
	for i := range all {
		all[i] = c.eq(vx.Args[i], vy.Args[i])
	}
	is := c.b.And(all...)
	c.b.Imply(is, l)
	c.b.Imply(l, is)
	return l
}

// values lists what a cell may hold.
func (c *circuit) values(x fs.Cell, yield func(fs.Val, sat.Lit)) {
	if x.IsAux() {
		for _, v := range c.reach[x] {
			yield(v, c.aux[x][v])
		}
		return
	}
	shape := c.a.Space.Shape(x)
	for j, l := range c.cell(x) {
		if l != c.b.False() {
			yield(shape.Values[j], l)
		}
	}
}

// imply demands that two values are equal under some premises.
func (c *circuit) imply(x fs.Cell, v fs.Val, premises ...sat.Lit) {
	c.a.opt.Budget.Spend(int64(1+len(premises)), "writing a formula down") // a value may be reached in many ways
	view := c.a.Space.ViewVal(v)
	if view.Op == fs.ValIte {
		cond := c.bool(view.Cond)
		c.imply(x, view.A, append(premises[:len(premises):len(premises)], cond)...)
		c.imply(x, view.B, append(premises[:len(premises):len(premises)], -cond)...)
		return
	}
	if view.Op == fs.ValCell {
		c.values(view.Cell, func(u fs.Val, l sat.Lit) {
			c.b.Imply(c.holds(x, u), append(premises[:len(premises):len(premises)], l)...)
		})
		return
	}
	c.b.Imply(c.holds(x, v), premises...)
}

// holds is the literal for an auxiliary cell having a value.
func (c *circuit) holds(x fs.Cell, v fs.Val) sat.Lit {
	if l, ok := c.aux[x][v]; ok {
		return l
	}
	return c.b.False()
}

// state reads the initial state from a model.
func (c *circuit) state(r sat.Result) *fs.State {
	w := c.a.world
	w.Forget()
	defer w.Forget()
	var facts []fs.Fact
	for _, x := range c.order {
		var mask uint64
		for j, l := range c.cells[x] {
			if l != c.b.False() && r.True(l) {
				mask |= 1 << j
			}
		}
		facts = append(facts, fs.Fact{Cell: x, Mask: mask})
	}
	w.Assume(facts)
	s := w.State()
	for name, qs := range c.asked {
		for _, q := range qs {
			args := make([]fs.Value, len(q.args))
			for i, v := range q.args {
				args[i] = c.evaluate(r, s, v, 0)
			}
			s.Oracle[fs.Ask(name, args...)] = r.True(q.lit)
		}
	}
	return s
}

// evaluate is the value of v in a model, of which s is the initial state.
func (c *circuit) evaluate(r sat.Result, s *fs.State, v fs.Val, depth int) fs.Value {
	view := c.a.Space.ViewVal(v)
	switch {
	case depth > 10000: // only off any real order
		return fs.Absent
	case view.Op == fs.ValConst:
		return c.a.Space.ValueOf(fs.Open(view.ID))
	case view.Op == fs.ValIte:
		if r.True(c.bool(view.Cond)) {
			return c.evaluate(r, s, view.A, depth+1)
		}
		return c.evaluate(r, s, view.B, depth+1)
	case view.Op == fs.ValApp:
		args := make([]fs.Value, len(view.Args))
		for i, x := range view.Args {
			args[i] = c.evaluate(r, s, x, depth+1)
		}
		return fs.Result(view.Name, args)
	case !view.Cell.IsAux():
		return c.a.Space.Lookup(s, view.Cell)
	}
	out := fs.Absent
	c.values(view.Cell, func(x fs.Val, l sat.Lit) {
		if r.True(l) {
			out = c.evaluate(r, s, x, depth+1)
		}
	})
	return out
}
