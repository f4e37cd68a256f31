package fs

import (
	"fmt"
	"maps"
	"sort"
	"strings"
)

// A Node is what is at one path of a concrete state.
type Node struct {
	Kind    Kind
	Content Value    // of a file; the target of a link
	Attrs   [3]Value // by Attr
	Others  bool     // a directory has children that no program names: the cell rest(d) of the analysis
}

// A State is a concrete machine: a tree, variables, and what the predicates nobody has read say. A path without a node
// holds nothing; the root is always a directory; a variable that is not set has its unknown initial value.
type State struct {
	Nodes  map[Path]Node
	Vars   map[string]Value
	Oracle map[string]bool // answers of Holds by spelling; the default is true
}

// NewState is an empty machine.
func NewState() *State {
	return &State{Nodes: map[Path]Node{}, Vars: map[string]Value{}, Oracle: map[string]bool{}}
}

// At returns the node at p.
func (s *State) At(p Path) Node {
	if n, ok := s.Nodes[p]; ok {
		return n
	}
	if p.IsRoot() {
		return initialNode(p, Dir)
	}
	return Node{}
}

// Put places what some machine could have had at p before the run, with its parents: unknown content and attributes.
func (s *State) Put(p Path, k Kind) *State {
	for d := p.Parent(); !d.IsRoot() && s.At(d).Kind != Dir; d = d.Parent() { // what a directory is in, is one
		s.Nodes[d] = initialNode(d, Dir)
	}
	s.Nodes[p] = initialNode(p, k)
	return s
}

func initialNode(p Path, k Kind) Node {
	n := Node{Kind: k}
	if k == None {
		return n
	}
	if k != Dir {
		n.Content = Initial(cellName(fieldContent, string(p)))
	}
	for a := range n.Attrs {
		n.Attrs[a] = Value{initialAttrs[a] + string(p)}
	}
	return n
}

// initialAttrs are how unknown attributes begin, as Initial spells them.
var initialAttrs = [3]string{Initial(cellName(fieldOwner, "")).term, Initial(cellName(fieldGroup, "")).term,
	Initial(cellName(fieldMode, "")).term}

// Var returns the value of a variable.
func (s *State) Var(name string) Value {
	if v, ok := s.Vars[name]; ok {
		return v
	}
	return Initial(cellName(fieldVar, name))
}

// Clone copies the tree and the variables; the oracle never changes during a run and is shared.
func (s *State) Clone() *State {
	return &State{Nodes: maps.Clone(s.Nodes), Vars: maps.Clone(s.Vars), Oracle: s.Oracle}
}

// WellFormed reports whether the state is a tree: what exists has a directory above it.
func (s *State) WellFormed() bool {
	for p, n := range s.Nodes {
		if n.Kind != None && !p.IsRoot() && s.At(p.Parent()).Kind != Dir {
			return false
		}
		if n.Others && n.Kind != Dir {
			return false
		}
	}
	return true
}

// hasChild reports whether something exists in p that counts.
func (s *State) hasChild(p Path, counts func(Path) bool) bool {
	for q, n := range s.Nodes {
		if n.Kind != None && q.Under(p) && q.Parent() == p && counts(q) {
			return true
		}
	}
	return false
}

// A Difference is one cell in which two states differ.
type Difference struct {
	Cell string // "content of /etc/motd"
	A, B string // its two values, for people
}

// Differ reports whether two states differ in one of some cells that the space observes.
func (sp *Space) Differ(a, b *State, cells []Cell) bool {
	sp.budget.Spend(int64(1+len(cells)+len(a.Nodes)+len(b.Nodes)), "comparing states")
	inA, inB := sp.crowded(a), sp.crowded(b)
	for _, c := range cells {
		if sp.Observed(c) && sp.lookup(a, c, inA) != sp.lookup(b, c, inB) {
			return true
		}
	}
	return false
}

// Diff lists the differences of two states in the cells that the space observes, in a stable order.
func (sp *Space) Diff(a, b *State) []Difference {
	sp.budget.Spend(int64(len(sp.cells)), "comparing states")
	var out []Difference
	inA, inB := sp.crowded(a), sp.crowded(b)
	for c := range sp.cells {
		if !sp.Observed(Cell(c)) {
			continue
		}
		x, y := sp.lookup(a, Cell(c), inA), sp.lookup(b, Cell(c), inB)
		if x != y {
			out = append(out, Difference{sp.Name(Cell(c)), sp.Show(Cell(c), x), sp.Show(Cell(c), y)})
		}
	}
	return out
}

// String lists the state for people, one line per path or variable, sorted.
func (s *State) String() string {
	var lines []string
	for p, n := range s.Nodes {
		if n.Kind == None {
			continue
		}
		line := fmt.Sprintf("%s: %s", p, n.Kind)
		if n.Kind != Dir {
			line += " with " + n.Content.String()
		}
		if n.Others {
			line += " with other children"
		}
		lines = append(lines, line)
	}
	for v, x := range s.Vars {
		lines = append(lines, v+" = "+x.String())
	}
	for q, yes := range s.Oracle {
		lines = append(lines, fmt.Sprintf("%s answers %v", q, yes))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}
