package fs

import "slices"

// Programs as formulas. A program is run symbolically, once, on a state of which every cell holds its own name. A cell
// is a part of the machine that programs can tell apart: what kind of thing is at a path, what it holds, its owner,
// group and mode, whether a directory has children that nobody names, a variable. The result (Effect) says what the
// program needs to succeed and what it leaves in each cell, as functions of what the cells held before. Two programs
// one after the other are a substitution; two programs are equal if their formulas are.
//
// Finite domains. A cell can hold infinitely many things, but programs only compare it: with constants that they name,
// and with each other's cells. So a cell's domain is the constants that anybody compares it with or writes to it, and
// one position that stands for every value outside of them (cellInfo.other). With at most 64 positions a set of values
// is a machine word (Fact, mask), and "the value is one of these" is the only atom that there is, besides equality of
// two values and tests that nobody has read (opHolds). A space whose cells need more says so (Truncated), and then "no"
// is no proof.
//
// Clauses come last. The circuit of package verify gives each cell that is mentioned a literal per position, exactly
// one of them true, and each shared node of a formula one gate; what was simplified away costs nothing. That what
// exists has a directory above it is said there, too, cell by cell: a cell comes in with the one that it hangs from, so
// every model of the clauses is a machine.

// A Conj is one condition for a program to succeed.
type Conj struct {
	F       Bool
	Path    Bool // the branch conditions on the way
	Ensures Cell // the kind cell of a directory that a guarded mkdir ensures here, or -1
}

// A CellVal is what a program leaves in a cell if it succeeds.
type CellVal struct {
	Cell Cell
	Val  Val
}

// An Effect is a program as formulas over the state before it: Φ of Figure 7. The program succeeds iff every condition
// in OK holds; then each cell in Out has the given value and all others are as before. Values mean nothing on failure.
type Effect struct {
	OK    []Conj
	Out   []CellVal // sorted by cell; only cells that may change
	Acted Bool      // an Act was done
	wrote []Cell    // kind cells written other than by a guarded mkdir, sorted
}

// Writes finds the value left in c.
func (e *Effect) Writes(c Cell) (Val, bool) {
	i, ok := slices.BinarySearchFunc(e.Out, c, func(o CellVal, c Cell) int { return int(o.Cell) - int(c) })
	if !ok {
		return 0, false
	}
	return e.Out[i].Val, true
}

// Fact narrows the values of one cell: those of its domain that mask selects.
type Fact struct {
	Cell Cell
	Mask uint64
}

// Encode computes the effect of e in states where the given facts hold, and, if lasting is set, what the space says is
// permanent.
//
// Differs from Figure 7: conditions are kept apart, each under its path condition, instead of nesting ok(e); what a
// test has found out about a cell is used in the branch it guards; a branch that always fails leaves no trace in the
// values.
func (sp *Space) Encode(e Expr, lasting bool, facts []Fact) *Effect {
	x := encoder{sp: sp, cur: map[Cell]Val{}, know: map[Cell]uint64{}, path: Top, acted: Bottom, wrote: map[Cell]bool{}}
	if lasting {
		x.lasting = sp.permanent
	}
	for _, f := range facts {
		x.know[f.Cell] = f.Mask
	}
	x.run(e)
	eff := &Effect{OK: x.ok, Acted: x.acted}
	for c, v := range x.cur {
		if v != sp.Read(c) {
			eff.Out = append(eff.Out, CellVal{c, v})
		}
	}
	slices.SortFunc(eff.Out, func(a, b CellVal) int { return int(a.Cell) - int(b.Cell) })
	for c := range x.wrote {
		eff.wrote = append(eff.wrote, c)
	}
	slices.Sort(eff.wrote)
	return eff
}

// EncodePred is a predicate as a formula.
func (sp *Space) EncodePred(p Pred) Bool {
	x := encoder{sp: sp}
	return x.pred(p)
}

type encoder struct {
	sp      *Space
	cur     map[Cell]Val    // cells that were written on this path
	know    map[Cell]uint64 // what tests on this path say of cells' initial values
	lasting map[Cell]uint64 // what is known anyway; not changed here
	undo    []undo
	path    Bool // condition under which control is here
	ok      []Conj
	acted   Bool
	wrote   map[Cell]bool
	dead    bool // control cannot be here: the path has failed
}

type undo struct {
	cell    Cell
	val     Val
	mask    uint64
	was     bool
	isKnown bool
}

func (x *encoder) set(c Cell, v Val) {
	old, was := x.cur[c]
	x.undo = append(x.undo, undo{cell: c, val: old, was: was})
	x.cur[c] = v
}

func (x *encoder) learn(c Cell, mask uint64) {
	old, was := x.know[c]
	if !was {
		old, _ = x.known(c)
	}
	if old&mask == old {
		return
	}
	x.undo = append(x.undo, undo{cell: c, mask: old, was: was, isKnown: true})
	x.know[c] = old & mask
}

// known is what is known of the initial value of c.
func (x *encoder) known(c Cell) (mask uint64, says bool) {
	if m, ok := x.know[c]; ok {
		return m, true
	}
	if m, ok := x.lasting[c]; ok {
		return m, true
	}
	return x.sp.full(c), false
}

func (x *encoder) rewind(mark int) {
	for len(x.undo) > mark {
		u := x.undo[len(x.undo)-1]
		x.undo = x.undo[:len(x.undo)-1]
		switch {
		case u.isKnown && u.was:
			x.know[u.cell] = u.mask
		case u.isKnown:
			delete(x.know, u.cell)
		case u.was:
			x.cur[u.cell] = u.val
		default:
			delete(x.cur, u.cell)
		}
	}
}

// read is the value of a cell here: what was written, or what tests have found out, or its initial value.
func (x *encoder) read(c Cell) Val {
	if v, ok := x.cur[c]; ok {
		return v
	}
	if mask, ok := x.known(c); ok && single(mask) {
		for j, id := range x.sp.cells[c].domain {
			if mask == bitOf(j) && j != x.sp.cells[c].other {
				return x.sp.Const(id)
			}
		}
	}
	return x.sp.Read(c)
}

// isKind tests the kind of a path here, with what is known.
func (x *encoder) isKind(c Cell, mask uint64) Bool {
	if _, written := x.cur[c]; !written {
		if known, ok := x.known(c); ok {
			if known&mask == 0 {
				return Bottom
			}
			if known&^mask == 0 {
				return Top
			}
		}
		return x.sp.Atom(c, mask)
	}
	return x.sp.member(x.cur[c], c, mask)
}

// require adds a condition for success and uses it from here on.
func (x *encoder) require(f Bool) { x.requireAs(f, -1) }

func (x *encoder) requireAs(f Bool, ensures Cell) {
	f2 := x.sp.Or(x.sp.Not(x.path), f)
	if f2 != Top {
		x.ok = append(x.ok, Conj{f2, x.path, ensures})
	}
	if f == Bottom {
		x.dead = true
	}
	if ensures < 0 {
		x.refine(f)
	}
}

// refine uses a formula over the initial state that is known to hold here.
func (x *encoder) refine(f Bool) {
	for _, k := range x.sp.Conjuncts(f) {
		if c, mask, ok := x.sp.isAtom(k); ok {
			x.learn(c, mask)
		}
	}
}

func (x *encoder) run(e Expr) {
	sp := x.sp
	if x.dead {
		return
	}
	sp.budget.Spend(1, "programs")
	switch e := e.(type) {
	case nil, Skip:
	case Fail:
		x.require(Bottom)
	case Act:
		x.acted = sp.Or(x.acted, x.path)
	case Seq:
		for _, s := range e {
			x.run(s)
		}
	case If:
		if p, ok := ensured(e); ok && x.ensure(p) {
			return
		}
		x.branch(x.pred(e.Cond), e.Then, e.Else)
	case Mkdir:
		x.create(e.Path, Dir, 0)
	case Creat:
		x.create(e.Path, File, x.term(e.Content))
	case Ln:
		x.create(e.Path, Link, x.term(e.Target))
	case Cp:
		x.require(x.isKind(sp.kind(e.From), bitOf(File)))
		x.create(e.To, File, x.term(ContentOf{e.From}))
	case Rm:
		x.remove(e.Path)
	case Write:
		x.require(x.isKind(sp.kind(e.Path), bitOf(File)))
		x.set(sp.cell(fieldContent, string(e.Path)), x.term(e.Content))
	case SetAttr:
		x.require(x.isKind(sp.kind(e.Path), ^bitOf(None)))
		x.set(sp.cell(fieldOwner+field(e.Attr), string(e.Path)), x.term(e.Value))
	case Clear:
		x.clear(e)
	case Assign:
		x.set(sp.cell(fieldVar, e.Var), x.term(e.Value))
	default:
		panic("fs: unknown expression")
	}
}

func (x *encoder) create(p Path, k Kind, content Val) {
	sp := x.sp
	if p.IsRoot() {
		x.require(Bottom)
		return
	}
	c := sp.kind(p)
	x.require(x.isKind(sp.cells[c].above, bitOf(Dir)))
	x.require(x.isKind(c, bitOf(None)))
	if x.dead {
		return
	}
	x.wrote[c] = true
	x.made(c, k)
	if own := sp.cells[c].own[fieldContent]; own >= 0 && k != Dir {
		x.set(own, content)
	}
}

// made sets the cells of a path where nothing was.
func (x *encoder) made(c Cell, k Kind) {
	sp := x.sp
	x.set(c, sp.Const(kindID(k)))
	for a := Owner; a <= Mode; a++ {
		if own := sp.cells[c].own[fieldOwner+field(a)]; own >= 0 {
			x.set(own, sp.Const(sp.intern(a.initial(k))))
		}
	}
}

// ensure is the guarded mkdir on a cell that this path has not written. Its condition is marked, so that a footprint
// can tell "reads p, then ensures p" from "ensures p" (§4.3).
func (x *encoder) ensure(p Path) bool {
	sp := x.sp
	c := sp.kind(p)
	if _, written := x.cur[c]; written || p.IsRoot() {
		return false
	}
	known, _ := x.known(c)
	if known == bitOf(Dir) {
		return true
	}
	if known != sp.full(c) {
		return false
	}
	above := x.isKind(sp.cells[c].above, bitOf(Dir))
	x.requireAs(sp.Or(sp.Atom(c, bitOf(Dir)), sp.And(sp.Atom(c, bitOf(None)), above)), c)
	none := sp.Atom(c, bitOf(None))
	for a := Owner; a <= Mode; a++ {
		if own := sp.cells[c].own[fieldOwner+field(a)]; own >= 0 {
			x.set(own, sp.Ite(none, sp.Const(sp.intern(a.initial(Dir))), x.read(own)))
		}
	}
	x.set(c, sp.Const(idDir))
	if up := sp.cells[c].above; up >= 0 { // a directory has a directory above it
		if _, written := x.cur[up]; !written {
			x.learn(up, bitOf(Dir))
		}
	}
	return true
}

func (x *encoder) remove(p Path) {
	sp := x.sp
	if p.IsRoot() {
		x.require(Bottom)
		return
	}
	c := sp.kind(p)
	x.require(sp.Or(x.isKind(c, bitOf(File)|bitOf(Link)), x.emptyDir(c)))
	x.wrote[c] = true
	x.gone(c)
}

// gone sets the cells of a path to those of nothing.
func (x *encoder) gone(c Cell) {
	sp := x.sp
	x.set(c, sp.Const(idNone))
	for _, own := range sp.cells[c].own {
		if own >= 0 {
			x.set(own, sp.Const(idAbsent))
		}
	}
}

func (x *encoder) emptyDir(c Cell) Bool {
	sp := x.sp
	f := x.isKind(c, bitOf(Dir))
	if f == Bottom {
		return f
	}
	if r := sp.cells[c].rest; r >= 0 {
		f = sp.And(f, sp.among(x.read(r), idEmpty))
	}
	all := []Bool{f}
	for _, b := range sp.cells[c].below {
		all = append(all, x.isKind(b, bitOf(None)))
	}
	return sp.And(all...)
}

func (x *encoder) clear(e Clear) {
	sp := x.sp
	top := sp.kind(e.Path)
	if r := sp.cells[top].rest; r >= 0 && !kept(e.Path, e.Keep) {
		x.set(r, sp.Const(idEmpty))
	}
	below := sp.descendants(top)
	sp.budget.Spend(int64(len(below)*(1+len(e.Keep))), "programs")
	for _, c := range below {
		p := sp.cells[c].path
		if kept(p, e.Keep) {
			continue
		}
		if r := sp.cells[c].rest; r >= 0 {
			x.set(r, sp.Const(idEmpty))
		}
		if !leadsTo(p, e.Keep) {
			x.wrote[c] = true
			x.gone(c)
		}
	}
}

// branch runs both branches and joins what they leave.
func (x *encoder) branch(cond Bool, then, els Expr) {
	switch cond {
	case Top:
		x.run(then)
		return
	case Bottom:
		x.run(els)
		return
	}
	sp := x.sp
	path, mark := x.path, len(x.undo)

	side := func(cond Bool, e Expr) (vals map[Cell]Val, know map[Cell]uint64, dead bool) {
		x.path, x.dead = sp.And(path, cond), false
		x.refine(cond)
		x.run(e)
		vals, know = map[Cell]Val{}, map[Cell]uint64{}
		for _, u := range x.undo[mark:] {
			if u.isKnown {
				know[u.cell] = x.know[u.cell]
			} else {
				vals[u.cell] = x.cur[u.cell]
			}
		}
		return vals, know, x.dead
	}
	// The value of a cell that only the other branch wrote must be read while this branch's knowledge is at hand.
	wanted := func(cells map[Cell]Val, into map[Cell]Val) {
		for c := range cells {
			if _, ok := into[c]; !ok {
				into[c] = x.read(c)
			}
		}
	}
	thenVals, thenKnow, thenDead := side(cond, then)
	x.rewind(mark)
	elseVals, elseKnow, elseDead := side(sp.Not(cond), els)
	wanted(thenVals, elseVals)
	x.rewind(mark)
	if len(elseVals) > len(thenVals) {
		// Values that only the else branch wrote, as the then branch sees them.
		for c, mask := range thenKnow {
			x.learn(c, mask)
		}
		wanted(elseVals, thenVals)
		x.rewind(mark)
	}
	x.path, x.dead = path, thenDead && elseDead
	switch {
	case thenDead && elseDead:
		return
	case thenDead:
		x.adopt(elseVals, elseKnow)
		return
	case elseDead:
		x.adopt(thenVals, thenKnow)
		return
	}
	for _, c := range sortedKeys(thenVals) {
		a, b := thenVals[c], elseVals[c]
		if before, was := x.cur[c]; was && a == b && a == before || !was && a == b && a == sp.Read(c) {
			continue
		}
		x.set(c, sp.Ite(cond, a, b))
	}
	for c, a := range thenKnow {
		if b, ok := elseKnow[c]; ok {
			x.learn(c, a|b)
		}
	}
}

func (x *encoder) adopt(vals map[Cell]Val, know map[Cell]uint64) {
	for _, c := range sortedKeys(vals) {
		x.set(c, vals[c])
	}
	for c, mask := range know {
		x.learn(c, mask)
	}
}

func sortedKeys[V any](m map[Cell]V) []Cell {
	keys := make([]Cell, 0, len(m))
	for c := range m {
		keys = append(keys, c)
	}
	slices.Sort(keys)
	return keys
}

// term is the value of a term here.
func (x *encoder) term(t Term) Val {
	sp := x.sp
	switch t := t.(type) {
	case Const:
		return sp.Const(sp.intern(t.Value))
	case ContentOf:
		return x.read(sp.cell(fieldContent, string(t.Path)))
	case AttrOf:
		return x.read(sp.cell(fieldOwner+field(t.Attr), string(t.Path)))
	case VarOf:
		return x.read(sp.cell(fieldVar, t.Name))
	case Apply:
		return sp.App(t.Func, x.terms(t.Args))
	}
	panic("fs: unknown term")
}

func (x *encoder) terms(ts []Term) []Val {
	out := make([]Val, len(ts))
	for i, t := range ts {
		out[i] = x.term(t)
	}
	return out
}

// pred is the truth of a predicate here.
func (x *encoder) pred(p Pred) Bool {
	sp := x.sp
	switch p := p.(type) {
	case nil, True:
		return Top
	case Is:
		return x.isKind(sp.kind(p.Path), bitOf(p.Kind))
	case EmptyDir:
		return x.emptyDir(sp.kind(p.Path))
	case Equal:
		return sp.Eq(x.term(p.A), x.term(p.B))
	case Holds:
		return sp.Holds(p.Name, x.terms(p.Args))
	case Not:
		return sp.Not(x.pred(p.P))
	case And:
		out := Top
		for _, q := range p {
			out = sp.And(out, x.pred(q))
		}
		return out
	case Or:
		out := Bottom
		for _, q := range p {
			out = sp.Or(out, x.pred(q))
		}
		return out
	}
	panic("fs: unknown predicate")
}
