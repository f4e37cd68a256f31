package fs

import (
	"maps"
	"math/bits"
	"slices"
	"strings"

	"bunraku/budget"
)

// A Cell is one independent part of a state: the kind of a path, its content, owner, group or mode, whether a
// directory has children nobody names, or a variable. Splitting the kind from the content is what makes a dead write
// provable (analysis §1).
type Cell int32

type field uint8

const (
	fieldKind field = iota
	fieldContent
	fieldOwner
	fieldGroup
	fieldMode
	fieldRest
	fieldVar
)

func cellName(f field, subject string) string {
	switch f {
	case fieldKind:
		return subject
	case fieldVar:
		return subject
	case fieldRest:
		return "other children of " + subject
	}
	return [...]string{"", "content", "owner", "group", "mode"}[f] + " of " + subject
}

// An ID is an interned Value. Some are fixed, so that kinds and emptiness are values like any other.
type ID int32

const (
	idAbsent ID = iota
	idNone
	idDir
	idFile
	idLink
	idEmpty
	idFull
	idOther // in a domain: any value that is not in it
	firstID
)

func kindID(k Kind) ID { return idNone + ID(k) }

type cellInfo struct {
	field field
	path  Path
	name  string // of a variable
	// kind cells: the parent's kind; other path cells: the kind of their own path; -1 at the root and for variables
	above  Cell
	domain []ID   // the values worth telling apart; at most 64
	other  int    // position in domain that stands for every value outside it; -1 if there is none outside
	mask   uint64 // of domain: those that the initial state may have at all
	below  []Cell // kind cells: the kinds of named children
	rest   Cell   // kind cells: the rest cell, or -1
	own    [5]Cell
	hidden bool // not observed
}

// Init says which initial states there are. The zero Init is every well-formed tree.
type Init struct {
	// Assume must hold when the first run starts: /etc is a directory, an installed package has its files.
	Assume []Pred
	// Closed gives variables that start with one of the given values; others are open.
	Closed map[string][]Value
	// Transient variables start each run with the given value and are not part of the outcome: events.
	Transient map[string]Value
	// Unobserved paths are not part of the outcome: *.dpkg-dist.
	Unobserved []Path
	// ClosedContents limits initial contents to the constants that programs mention.
	//
	// Erratum: Rehearsal did this, and so found that copying a file and deleting the source is idempotent.
	ClosedContents bool
}

// A Space is the set of cells that some programs speak about, each with the initial values that they can tell apart,
// and the formulas over these cells. It is not safe for concurrent use.
type Space struct {
	Formulas
	Init  Init
	cells []cellInfo
	index map[cellKey]Cell
	ids   map[Value]ID
	vals  []Value
	first Bool // conjunction of Init.Assume that masks do not say

	// permanent is what holds at every moment of every number of runs: the initial state says so of a single cell, and no
	// program can change it.
	permanent map[Cell]uint64

	// Truncated says that a cell is compared with more constants than can be told apart here, so that "no" answers are
	// not proofs.
	Truncated bool
}

type cellKey struct {
	f       field
	subject string
}

// NewSpace finds the cells of the given programs and predicates. Attributes are tracked only where some program
// mentions them: an attribute that nobody manages is not part of an outcome. The budget, which may be nil, counts this
// and all that is done with the space.
func NewSpace(b *budget.Budget, init Init, programs []Expr, preds []Pred) *Space {
	sp := &Space{Init: init, index: map[cellKey]Cell{}, ids: map[Value]ID{}}
	sp.Formulas.init(sp)
	sp.budget = b
	sp.vals = make([]Value, firstID)
	for id := idNone; id < firstID; id++ {
		sp.vals[id] = Value{"#" + [...]string{"none", "dir", "file", "link", "empty", "full", "other"}[id-idNone]}
	}
	for id, v := range sp.vals {
		sp.ids[v] = ID(id)
	}
	sp.kind("/")
	m := &mention{sp: sp, kinds: map[Cell]uint64{}, changed: map[Cell]bool{}}
	for _, e := range programs {
		m.expr(e)
	}
	for _, p := range preds {
		m.pred(p)
	}
	for _, p := range init.Assume {
		m.pred(p)
	}
	m.domains()
	for _, p := range init.Unobserved {
		for c := range sp.cells {
			if in := &sp.cells[c]; in.field != fieldVar && (in.path == p || in.path.Under(p)) {
				in.hidden = true
			}
		}
	}
	sp.first = Top
	e := encoder{sp: sp}
	for _, p := range init.Assume {
		sp.assume(e.pred(p))
	}
	sp.permanent = m.permanent()
	return sp
}

// assume narrows the masks by what f says of single cells, and remembers the rest.
func (sp *Space) assume(f Bool) {
	for _, k := range sp.Conjuncts(f) {
		if c, mask, ok := sp.isAtom(k); ok {
			sp.narrow(c, mask)
			continue
		}
		sp.first = sp.And(sp.first, k)
	}
}

// narrow limits the initial values of a cell, and of those above it that this says something about. If nothing is left,
// there are no initial states.
func (sp *Space) narrow(c Cell, mask uint64) {
	in := &sp.cells[c]
	if in.mask&mask == 0 {
		sp.first = Bottom
		return
	}
	in.mask &= mask
	exists := sp.existsUnder(in.field)
	switch {
	case in.above < 0:
	case in.mask&1 == 0: // it is there, so what it hangs from is
		sp.narrow(in.above, exists)
	case in.mask == 1 && in.field != fieldKind && in.field != fieldRest: // it is missing
		sp.narrow(in.above, ^exists)
	}
}

// existsUnder selects the kinds of the cell above under which a cell has a value other than "missing".
func (sp *Space) existsUnder(f field) uint64 {
	switch f {
	case fieldKind, fieldRest:
		return bitOf(Dir)
	case fieldContent:
		return bitOf(File) | bitOf(Link)
	}
	return bitOf(Dir) | bitOf(File) | bitOf(Link)
}

func bitOf[T ID | Kind | int](i T) uint64 { return 1 << uint(i) }

// Cells is the number of cells.
func (sp *Space) Cells() int { return len(sp.cells) }

// Name describes a cell for people.
func (sp *Space) Name(c Cell) string {
	in := &sp.cells[c]
	if in.field == fieldVar {
		return in.name
	}
	return cellName(in.field, string(in.path))
}

// Path is the path that a cell is about, or "" for a variable.
func (sp *Space) Path(c Cell) Path { return sp.cells[c].path }

// Observed reports whether a cell is part of an outcome.
func (sp *Space) Observed(c Cell) bool { return !sp.cells[c].hidden }

// Transient returns the value with which each run starts a cell, if it has one.
func (sp *Space) Transient(c Cell) (Val, bool) {
	in := &sp.cells[c]
	if in.field != fieldVar {
		return 0, false
	}
	v, ok := sp.Init.Transient[in.name]
	if !ok {
		return 0, false
	}
	return sp.Const(sp.intern(v)), true
}

// Show describes a value of a cell.
func (sp *Space) Show(c Cell, v Value) string {
	switch id := sp.ids[v]; {
	case v == Absent:
	case id >= idNone && id <= idLink:
		return Kind(id - idNone).String()
	case id == idEmpty:
		return "none"
	case id == idFull:
		return "some"
	}
	return v.String()
}

func (sp *Space) intern(v Value) ID {
	if id, ok := sp.ids[v]; ok {
		return id
	}
	id := ID(len(sp.vals))
	sp.vals = append(sp.vals, v)
	sp.ids[v] = id
	return id
}

// Lookup reads a cell of a concrete state.
func (sp *Space) Lookup(s *State, c Cell) Value { return sp.lookup(s, c, nil) }

// lookup is Lookup, where crowded may say which directories have children that no cell is about.
func (sp *Space) lookup(s *State, c Cell, crowded map[Path]bool) Value {
	in := &sp.cells[c]
	if in.field == fieldVar {
		return s.Var(in.name)
	}
	n := s.At(in.path)
	switch in.field {
	case fieldKind:
		return sp.vals[kindID(n.Kind)]
	case fieldContent:
		return n.Content
	case fieldRest:
		if n.Others || crowded[in.path] || crowded == nil && s.hasChild(in.path, sp.unnamed) {
			return sp.vals[idFull]
		}
		return sp.vals[idEmpty]
	}
	return n.Attrs[in.field-fieldOwner]
}

func (sp *Space) unnamed(p Path) bool {
	_, named := sp.index[cellKey{fieldKind, string(p)}]
	return !named
}

// crowded lists the directories of a state that have children which no cell is about, for who looks up many cells.
func (sp *Space) crowded(s *State) map[Path]bool {
	out := map[Path]bool{}
	for p, n := range s.Nodes {
		if n.Kind != None && !p.IsRoot() && sp.unnamed(p) {
			out[p.Parent()] = true
		}
	}
	return out
}

// Satisfies reports whether a concrete state is one of the initial states.
func (sp *Space) Satisfies(s *State) bool {
	if !s.WellFormed() {
		return false
	}
	for _, p := range sp.Init.Assume {
		if !s.Eval(p) {
			return false
		}
	}
	for name, v := range sp.Init.Transient {
		if got, ok := s.Vars[name]; ok && got != v {
			return false
		}
	}
	for name, vs := range sp.Init.Closed {
		if got, ok := s.Vars[name]; ok && !slices.Contains(vs, got) {
			return false
		}
	}
	return true
}

// Restart returns the state in which a second run finds the machine: the same, with the transient variables reset.
func (sp *Space) Restart(s *State) *State {
	if len(sp.Init.Transient) == 0 {
		return s
	}
	return sp.Begin(s)
}

// Begin is a copy of Restart's state, for who goes on to change it. What no program names is left out, but for whether
// a directory has such children: a machine has hundreds of directories, and a run looks at few.
func (sp *Space) Begin(s *State) *State {
	c := &State{Nodes: make(map[Path]Node, min(len(s.Nodes), 64)), Vars: maps.Clone(s.Vars), Oracle: s.Oracle}
	var crowded []Path
	for p, n := range s.Nodes {
		if p.IsRoot() || !sp.unnamed(p) {
			c.Nodes[p] = n
		} else if d := p.Parent(); n.Kind != None && (len(crowded) == 0 || crowded[len(crowded)-1] != d) {
			crowded = append(crowded, d)
		}
	}
	for _, d := range crowded {
		if n := c.At(d); n.Kind == Dir {
			n.Others = true
			c.Nodes[d] = n
		}
	}
	for name, v := range sp.Init.Transient {
		c.Vars[name] = v
	}
	return c
}

// cell finds or adds a cell, with the kind cells above it.
func (sp *Space) cell(f field, subject string) Cell {
	key := cellKey{f, subject}
	if c, ok := sp.index[key]; ok {
		return c
	}
	in := cellInfo{field: f, above: -1, rest: -1, own: [5]Cell{-1, -1, -1, -1, -1}}
	if f == fieldVar {
		in.name = subject
	} else {
		in.path = Path(subject)
		if f != fieldKind {
			in.above = sp.kind(in.path)
		} else if !in.path.IsRoot() {
			in.above = sp.kind(in.path.Parent())
		}
	}
	sp.budget.Keep(300, "cells")
	c := Cell(len(sp.cells))
	sp.cells = append(sp.cells, in)
	sp.index[key] = c
	switch {
	case f == fieldKind && in.above >= 0:
		sp.cells[in.above].below = append(sp.cells[in.above].below, c)
	case f == fieldRest:
		sp.cells[in.above].rest = c
	case f != fieldKind && f != fieldVar:
		sp.cells[in.above].own[f] = c
	}
	return c
}

func (sp *Space) kind(p Path) Cell { return sp.cell(fieldKind, string(p)) }

// descendants lists the kind cells of named paths below that of p.
func (sp *Space) descendants(c Cell) []Cell {
	var out []Cell
	for _, b := range sp.cells[c].below {
		out = append(out, b)
		out = append(out, sp.descendants(b)...)
	}
	return out
}

// full is the mask of a cell's whole domain.
func (sp *Space) full(c Cell) uint64 {
	n := len(sp.cells[c].domain)
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<uint(n) - 1
}

// position finds a value in a cell's domain.
func (sp *Space) position(c Cell, v ID) (int, bool) {
	d := sp.cells[c].domain
	if sp.cells[c].field == fieldKind {
		i := int(v - idNone)
		return i, i >= 0 && i < 4
	}
	i := slices.Index(d, v)
	return i, i >= 0
}

func single(mask uint64) bool { return bits.OnesCount64(mask) == 1 }

// ValueOf is the value that a settled Open stands for; an open one is Absent.
func (sp *Space) ValueOf(v Open) Value {
	if v < 0 {
		return Absent
	}
	return sp.vals[v]
}

// InitialFact is what the initial state says of one cell; it says nothing if the mask is that of the whole domain.
func (sp *Space) InitialFact(c Cell) (f Fact, says bool) {
	in := &sp.cells[c]
	return Fact{c, in.mask}, in.mask != sp.full(c)
}

// Remaining is what the initial state says beyond single cells, as one formula.
func (sp *Space) Remaining() Bool { return sp.first }

// A Shape is what an encoding needs to know of a cell: the initial values it may have and the kind cell it hangs from.
type Shape struct {
	Values  []Val  // constants, in the order of the domain
	Mask    uint64 // which of them the cell may have initially
	Above   Cell   // or -1
	Exists  uint64 // which kinds of Above go with a value other than Missing
	Missing Val    // the value under other kinds; meaningful if Above >= 0
	Only    bool   // a value other than Missing is certain under those kinds
}

// Above is the kind cell from which a cell hangs, or -1.
func (sp *Space) Above(c Cell) Cell { return sp.cells[c].above }

// Shape describes a cell.
func (sp *Space) Shape(c Cell) Shape {
	in := &sp.cells[c]
	s := Shape{Mask: in.mask, Above: in.above}
	for _, id := range in.domain {
		s.Values = append(s.Values, sp.Const(id))
	}
	if in.above >= 0 {
		s.Missing = s.Values[0]
	}
	s.Exists = sp.existsUnder(in.field)
	s.Only = in.field != fieldKind && in.field != fieldRest
	return s
}

// IsInitial reports whether a value is what some cell was at first, whatever that is.
func (sp *Space) IsInitial(id ID) bool { return strings.HasPrefix(sp.vals[id].term, Initial("").term) }

// Elsewhere says that a cell had a value at first that is none of those it is told apart from.
func (sp *Space) Elsewhere(c Cell) Bool {
	if sp.cells[c].other < 0 {
		return Bottom
	}
	return sp.Atom(c, bitOf(sp.cells[c].other))
}

// MaskOf selects one value of a cell's domain. A value outside it is the domain's "other" one; then exact is false,
// since others are too.
func (sp *Space) MaskOf(c Cell, v ID) (mask uint64, exact bool) {
	if i, ok := sp.position(c, v); ok {
		return bitOf(i), true
	}
	return bitOf(max(sp.cells[c].other, 0)), false
}

// Changed reports whether a program that touched t, and left s, changed an observed cell.
func (sp *Space) Changed(t Touched, s *State) bool {
	if len(t.Nodes) == 0 && len(t.Vars) == 0 {
		return false
	}
	before := &State{Nodes: t.Nodes, Vars: t.Vars}
	differ := func(f field, subject string) bool {
		c, ok := sp.index[cellKey{f, subject}]
		return ok && sp.Observed(c) && sp.Lookup(before, c) != sp.Lookup(s, c)
	}
	for p, n := range t.Nodes {
		for f := fieldKind; f < fieldRest; f++ {
			if differ(f, string(p)) {
				return true
			}
		}
		if c, ok := sp.index[cellKey{fieldRest, string(p)}]; ok && sp.Observed(c) && n.Others != s.At(p).Others {
			return true
		}
	}
	for v := range t.Vars {
		if differ(fieldVar, v) {
			return true
		}
	}
	return false
}

// Start is the initial value of a cell: a constant if it can only be one.
func (sp *Space) Start(c Cell) Val {
	in := &sp.cells[c]
	if single(in.mask) {
		return sp.Const(in.domain[bits.TrailingZeros64(in.mask)])
	}
	return sp.Read(c)
}
