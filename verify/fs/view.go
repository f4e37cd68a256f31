package fs

// This file shows formulas to those who translate them, such as into clauses.

// An Op says what a formula is made of.
type Op uint8

const (
	OpConst Op = iota // true, if not negated
	OpAtom            // the initial value of Cell is among those of its domain that Mask selects
	OpAnd             // of Kids
	OpEq              // Args[0] = Args[1]
	OpHolds           // predicate Name of Args
)

// A BoolView is the outermost layer of a formula.
type BoolView struct {
	Op      Op
	Negated bool
	Cell    Cell
	Mask    uint64
	Kids    []Bool
	Args    []Val
	Name    string
}

// View shows a formula. The slices must not be changed.
func (f *Formulas) View(b Bool) BoolView {
	n := &f.bools[b>>1]
	return BoolView{Op(n.op), b&1 == 0, n.cell, n.mask, n.kids, n.args, n.name}
}

// A ValOp says what a value is made of.
type ValOp uint8

const (
	ValConst ValOp = iota
	ValCell        // the value of Cell
	ValIte         // Cond ? A : B
	ValApp         // function Name of Args
)

// A ValView is the outermost layer of a value.
type ValView struct {
	Op   ValOp
	ID   ID
	Cell Cell
	Cond Bool
	A, B Val
	Name string
	Args []Val
}

// ViewVal shows a value. The slices must not be changed.
func (f *Formulas) ViewVal(v Val) ValView {
	n := &f.vals[v]
	return ValView{ValOp(n.op), n.id, n.cell, n.cond, n.a, n.b, n.name, n.args}
}

// Index identifies the formula without its sign.
func (b Bool) Index() int32 { return int32(b >> 1) }

// Leaves lists the constants, cells and results among which v chooses, in order of first occurrence.
func (f *Formulas) Leaves(v Val) []Val {
	var out []Val
	seen := map[Val]bool{}
	var walk func(Val)
	walk = func(v Val) {
		if seen[v] {
			return
		}
		seen[v] = true
		if n := f.vals[v]; n.op == opIte {
			walk(n.a)
			walk(n.b)
			return
		}
		out = append(out, v)
	}
	walk(v)
	return out
}

// IsAux reports whether a cell is auxiliary.
func (c Cell) IsAux() bool { return c >= auxBase }
