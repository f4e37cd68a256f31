package fs

import "slices"

// mention walks programs to find the cells they speak about and, per cell, the initial values that they can tell apart.
//
// Programs copy values and compare them. If no program compares a value that may have started in cell c, one unknown
// value ?c is enough. If it is compared with constants, c may also start with any of these. If two values that may have
// started in different cells are compared with each other, those cells share their unknowns, and the constants that
// programs write to them, so that they may start equal. Cells between which values may flow form a class, found by
// union-find.
type mention struct {
	sp       *Space
	parent   map[Cell]Cell
	consts   map[Cell][]ID // by class: constants compared with
	compared map[Cell]bool // by class: compared among each other
	flows    map[Cell][]ID // by class: constants that programs put there
	written  []ID          // every constant, for ClosedContents

	kinds   map[Cell]uint64 // kinds that programs may put at a path
	changed map[Cell]bool   // other cells that programs may change
	cleared []Path
}

func (m *mention) find(c Cell) Cell {
	if m.parent == nil {
		m.parent, m.compared = map[Cell]Cell{}, map[Cell]bool{}
		m.consts, m.flows = map[Cell][]ID{}, map[Cell][]ID{}
	}
	p, ok := m.parent[c]
	if !ok || p == c {
		return c
	}
	r := m.find(p)
	m.parent[c] = r
	return r
}

func (m *mention) union(a, b Cell) Cell {
	a, b = m.find(a), m.find(b)
	if a == b {
		return a
	}
	if b < a {
		a, b = b, a
	}
	m.parent[b] = a
	m.consts[a] = append(m.consts[a], m.consts[b]...)
	m.flows[a] = append(m.flows[a], m.flows[b]...)
	m.compared[a] = m.compared[a] || m.compared[b]
	return a
}

func (m *mention) expr(e Expr) {
	sp := m.sp
	sp.budget.Spend(1, "programs")
	switch e := e.(type) {
	case nil, Skip, Fail, Act:
	case Mkdir:
		m.puts(e.Path, Dir)
	case Creat:
		m.puts(e.Path, File)
		m.flow(sp.cell(fieldContent, string(e.Path)), e.Content)
	case Write:
		m.flow(sp.cell(fieldContent, string(e.Path)), e.Content)
	case Ln:
		m.puts(e.Path, Link)
		m.flow(sp.cell(fieldContent, string(e.Path)), e.Target)
	case Cp:
		m.puts(e.To, File)
		m.flow(sp.cell(fieldContent, string(e.To)), ContentOf{e.From})
	case Rm:
		m.puts(e.Path, None)
		sp.cell(fieldRest, string(e.Path))
	case Clear:
		m.cleared = append(m.cleared, e.Path)
		m.changed[sp.cell(fieldRest, string(e.Path))] = true
		for _, k := range e.Keep {
			sp.kind(k)
		}
	case SetAttr:
		m.flow(sp.cell(fieldOwner+field(e.Attr), string(e.Path)), e.Value)
	case Assign:
		m.flow(sp.cell(fieldVar, e.Var), e.Value)
	case Seq:
		for _, x := range e {
			m.expr(x)
		}
	case If:
		m.pred(e.Cond)
		m.expr(e.Then)
		m.expr(e.Else)
	default:
		panic("fs: unknown expression")
	}
}

// puts notes that a program may leave a path as something of kind k.
func (m *mention) puts(p Path, k Kind) { m.kinds[m.sp.kind(p)] |= bitOf(k) }

// permanent lists what the initial state says of single cells and no program can change.
func (m *mention) permanent() map[Cell]uint64 {
	sp := m.sp
	for _, p := range m.cleared {
		for _, c := range sp.descendants(sp.kind(p)) {
			m.kinds[c] |= bitOf(None)
			if r := sp.cells[c].rest; r >= 0 {
				m.changed[r] = true
			}
		}
	}
	out := map[Cell]uint64{}
	for c := range sp.cells {
		in := &sp.cells[c]
		switch {
		case in.mask == sp.full(Cell(c)) || m.changed[Cell(c)]:
		case in.field == fieldVar || in.field == fieldRest:
			out[Cell(c)] = in.mask
		case in.field == fieldKind && m.kinds[Cell(c)]&^in.mask == 0:
			out[Cell(c)] = in.mask
		}
		// Content and attributes go with the path, so what is said of them lasts only as long as nothing is put there.
		if in.field != fieldKind && in.above >= 0 && in.field != fieldRest && in.mask != sp.full(Cell(c)) &&
			!m.changed[Cell(c)] && m.kinds[in.above] == 0 {
			out[Cell(c)] = in.mask
		}
	}
	return out
}

// flow notes that the value of t may end up in cell c.
func (m *mention) flow(c Cell, t Term) {
	m.changed[c] = true
	r := m.find(c)
	m.flows[r] = append(m.flows[r], m.constants(t)...)
	if f := m.sp.cells[c].field; f >= fieldOwner && f <= fieldMode {
		for k := Dir; k <= Link; k++ {
			m.flows[r] = append(m.flows[r], m.sp.intern(Attr(f-fieldOwner).initial(k)))
		}
	}
	for _, d := range m.leaves(t) {
		m.union(c, d)
	}
}

// leaves are the cells that a term reads; constants are noted on the way.
func (m *mention) leaves(t Term) []Cell {
	sp := m.sp
	switch t := t.(type) {
	case Const:
		m.written = append(m.written, sp.intern(t.Value))
		return nil
	case ContentOf:
		return []Cell{sp.cell(fieldContent, string(t.Path))}
	case AttrOf:
		return []Cell{sp.cell(fieldOwner+field(t.Attr), string(t.Path))}
	case VarOf:
		return []Cell{sp.cell(fieldVar, t.Name)}
	case Apply:
		var out []Cell
		for _, a := range t.Args {
			out = append(out, m.leaves(a)...)
		}
		return out
	}
	panic("fs: unknown term")
}

// constants lists those in a term, at any depth: comparing results compares arguments.
func (m *mention) constants(t Term) []ID {
	switch t := t.(type) {
	case Const:
		return []ID{m.sp.intern(t.Value)}
	case Apply:
		var out []ID
		for _, a := range t.Args {
			out = append(out, m.constants(a)...)
		}
		return out
	}
	return nil
}

func (m *mention) pred(p Pred) {
	m.sp.budget.Spend(1, "programs")
	switch p := p.(type) {
	case nil, True:
	case Is:
		m.sp.kind(p.Path)
	case EmptyDir:
		m.sp.cell(fieldRest, string(p.Path))
	case Equal:
		m.equal(p.A, p.B)
	case Holds:
		for _, t := range p.Args {
			m.leaves(t)
		}
	case Not:
		m.pred(p.P)
	case And:
		for _, q := range p {
			m.pred(q)
		}
	case Or:
		for _, q := range p {
			m.pred(q)
		}
	default:
		panic("fs: unknown predicate")
	}
}

func (m *mention) equal(a, b Term) {
	x, y := m.leaves(a), m.leaves(b)
	for _, side := range [2]struct {
		cells []Cell
		other Term
	}{{x, b}, {y, a}} {
		for _, c := range side.cells {
			r := m.find(c)
			m.consts[r] = append(m.consts[r], m.constants(side.other)...)
		}
	}
	if len(x) > 0 && len(y) > 0 {
		for _, c := range slices.Concat(x, y) {
			m.compared[m.union(x[0], c)] = true
		}
	}
}

// Mentioned lists the cells that a predicate speaks about. The space must know it.
func (sp *Space) Mentioned(p Pred) (out []Cell) {
	var term func(t Term)
	term = func(t Term) {
		switch t := t.(type) {
		case ContentOf:
			out = append(out, sp.cell(fieldContent, string(t.Path)))
		case AttrOf:
			out = append(out, sp.cell(fieldOwner+field(t.Attr), string(t.Path)))
		case VarOf:
			out = append(out, sp.cell(fieldVar, t.Name))
		case Apply:
			for _, a := range t.Args {
				term(a)
			}
		}
	}
	var pred func(p Pred)
	pred = func(p Pred) {
		switch p := p.(type) {
		case Is:
			out = append(out, sp.kind(p.Path))
		case EmptyDir:
			out = append(out, sp.kind(p.Path), sp.cell(fieldRest, string(p.Path)))
		case Equal:
			term(p.A)
			term(p.B)
		case Holds:
			for _, t := range p.Args {
				term(t)
			}
		case Not:
			pred(p.P)
		case And:
			for _, q := range p {
				pred(q)
			}
		case Or:
			for _, q := range p {
				pred(q)
			}
		}
	}
	pred(p)
	return out
}

// domains fills in the initial values of every cell.
func (m *mention) domains() {
	sp := m.sp
	unknowns := map[Cell][]ID{} // by compared class: one per member so far
	for i := range sp.cells {
		c, in := Cell(i), &sp.cells[i]
		switch in.field {
		case fieldKind:
			in.domain = []ID{idNone, idDir, idFile, idLink}
			in.other = -1
			in.mask = 15
			if in.path.IsRoot() {
				in.mask = bitOf(Dir)
			}
			continue
		case fieldRest:
			in.domain = []ID{idEmpty, idFull}
			in.other = -1
			in.mask = 3
			continue
		}
		in.domain = nil
		if in.field != fieldVar {
			in.domain = append(in.domain, idAbsent)
		}
		r := m.find(c)
		fresh := sp.intern(Initial(sp.Name(c)))
		other := idOther
		var extra []ID // values that tests know but the initial state does not have
		closed, isClosed := sp.Init.Closed[in.name]
		start, isTransient := sp.Init.Transient[in.name]
		switch {
		case in.field == fieldVar && isTransient:
			in.domain, in.hidden = []ID{sp.intern(start)}, true
			extra = m.consts[r]
		case in.field == fieldVar && isClosed:
			for _, v := range closed {
				in.domain = append(in.domain, sp.intern(v))
			}
			extra = slices.Concat(m.consts[r], m.flows[r])
		case in.field == fieldContent && sp.Init.ClosedContents:
			in.domain = append(in.domain, m.written...)
			extra = m.consts[r]
		case m.compared[r]:
			unknowns[r] = append(unknowns[r], fresh)
			other = fresh
			in.domain = append(in.domain, unknowns[r]...)
			in.domain = append(in.domain, idAbsent)
			in.domain = append(in.domain, m.consts[r]...)
			in.domain = append(in.domain, m.flows[r]...)
		default:
			other = fresh
			in.domain = append(in.domain, fresh)
			in.domain = append(in.domain, m.consts[r]...)
		}
		in.domain = unique(in.domain)
		if len(in.domain) > 63 {
			in.domain, sp.Truncated = in.domain[:63], true
		}
		in.mask = sp.full(c)
		in.domain = unique(append(in.domain, extra...))
		in.other = slices.Index(in.domain, other)
		if in.other < 0 {
			in.other = len(in.domain)
			in.domain = append(in.domain, idOther)
		}
	}
}

// unique removes repetitions and keeps the order.
func unique(ids []ID) []ID {
	seen := map[ID]bool{}
	out := ids[:0:0]
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
