package provenance

import (
	"maps"
	"math"
	"slices"

	"bunraku/budget"
	"bunraku/source"
)

// A Trace is the graph of one evaluation: every node says what it was made of. Nodes point only at older nodes.
type Trace struct {
	nodes     []node
	operands  []Ref             // of nodes with more than two
	contents  []Contents        // containers whose elements carry their own provenance
	labels    []Label           // of leaves outside the literal blocks
	blocks    []block           // literals, file by file
	read      []uint64          // which nodes were read as literals, a bit each
	names     []string          // of operations
	known     map[string]uint16 // those that the graph before it had too; shared, never written to
	nameOf    map[string]uint16 // the others
	recent    [64]recentName    // those that were asked for last
	calls     [64]recentName    // likewise, of functions that were called
	notes     [][]note          // names of steps, in blocks
	noteCount int
	// firstNotes is how large the first block of notes is, 0 for as large as the others.
	firstNotes int
	owners     []Owner // of steps
	open       [][]Ref // sets that were not complete when they were made
	foreign    []Ref   // literals that are leaves by themselves: those that another evaluation has read
	growth     growth
}

// Copy is a trace that begins with all that this one has. What is added to it this one does not get.
func (t *Trace) Copy() *Trace {
	if t == nil {
		return nil
	}
	c := &Trace{nodes: slices.Clip(t.nodes), operands: slices.Clip(t.operands), contents: slices.Clip(t.contents),
		labels: slices.Clip(t.labels),
		blocks: slices.Clip(t.blocks), read: slices.Clone(t.read), names: slices.Clip(t.names), known: t.known,
		nameOf: maps.Clone(t.nameOf),
		notes:  slices.Clone(t.notes), noteCount: t.noteCount, firstNotes: t.firstNotes, owners: slices.Clip(t.owners),
		open: slices.Clone(t.open), foreign: slices.Clip(t.foreign)}
	if n := len(c.notes); n > 0 { // which may have room for more
		c.notes[n-1] = slices.Clone(c.notes[n-1])
	}
	for i := range c.open {
		c.open[i] = slices.Clip(c.open[i])
	}
	return c
}

// Seal ends the making of a trace: from now on it is only read, by any number of goroutines. Owners, which may hold all
// that a compile has made, are replaced by what is given for them.
func (t *Trace) Seal(plain func(Owner) Owner) {
	if t == nil {
		return
	}
	for i, o := range t.owners {
		t.owners[i] = plain(o)
	}
}

// The graph grows with the work that it describes, and in places faster: a value may be joined of all that was read
// before. Its growth therefore counts on the budget of the compile. It is looked at whenever so many nodes or operands
// have come, so that adding one stays an append; the count depends on the graph alone, never on the room that happened
// to be there.
type growth struct {
	budget  *budget.Budget
	counted int64 // bytes
	look    int   // the number of nodes at which to count next
	many    int   // likewise of operands
}

const (
	countEvery   = 1 << 10
	nodeBytes    = 48 // a node, the room that grows with it, and what others keep for each (sets of those seen)
	operandBytes = 8
	noteBytes    = 80
	labelBytes   = 128
	contentBytes = 32
	growing      = "tracing where values come from"
)

// Within counts the growth of the graph from now on on a budget; nil for none.
func (t *Trace) Within(b *budget.Budget) {
	if t == nil {
		return
	}
	t.growth = growth{counted: t.size()}
	t.grown()
	t.growth.budget = b
}

// size is about how many bytes the graph takes.
func (t *Trace) size() int64 {
	return int64(len(t.nodes))*nodeBytes + int64(len(t.operands))*operandBytes + int64(t.noteCount)*noteBytes +
		int64(len(t.labels)+len(t.owners))*labelBytes + int64(len(t.contents))*contentBytes
}

// grown tells the budget of what has come since it was told last.
func (t *Trace) grown() {
	g := &t.growth
	before := g.counted
	g.counted, g.look, g.many = t.size(), len(t.nodes)+countEvery, len(t.operands)+countEvery
	g.budget.Keep(g.counted-before, growing)
}

// NewTrace returns an empty graph.
func NewTrace() *Trace { return NewTraceLike(Size{Nodes: 1000, Operands: 500}) }

// A Size is how large a graph is, and which operations it names.
type Size struct {
	Nodes, Operands, Notes, Contents, Labels, Blocks int

	names  []string
	nameOf map[string]uint16 // never written to again
}

// Size is how large the graph is now.
func (t *Trace) Size() Size {
	if t == nil {
		return Size{}
	}
	s := Size{Nodes: len(t.nodes), Operands: len(t.operands), Notes: t.noteCount, Contents: len(t.contents),
		Labels: len(t.labels), Blocks: len(t.blocks),
		names: slices.Clip(t.names), nameOf: t.known}
	if len(t.nameOf) > 0 { // there are new ones
		s.nameOf = maps.Clone(t.known)
		if s.nameOf == nil {
			s.nameOf = map[string]uint16{}
		}
		maps.Copy(s.nameOf, t.nameOf)
	}
	return s
}

// NewTraceLike returns an empty graph with room for as much as another took.
func NewTraceLike(s Size) *Trace {
	t := &Trace{nodes: make([]node, 1, s.Nodes+s.Nodes/16+1), operands: make([]Ref, 0, s.Operands+s.Operands/16),
		names: s.names, known: s.nameOf,
		contents: make([]Contents, 0, s.Contents), labels: make([]Label, 0, s.Labels), blocks: make([]block, 0, s.Blocks),
		read: make([]uint64, s.Nodes/64+1)}
	t.firstNotes = s.Notes + s.Notes/16
	return t
}

// Contents is a container whose elements have provenance of their own.
type Contents interface {
	EachRef(func(Ref)) // the refs of its elements, nested ones included
}

type shape uint8

const (
	isNone      shape = iota
	isLiteral         // first: number of the block
	isLeaf            // first: number of the label
	isBlockLeaf       // first: number of the block
	isOp              // an operation made the value
	isWith            // the value of first, which also depends on the rest
	isNote            // the value of first, copied; second: number of the note
	isDeep            // a container: first is its spine, second the number of its contents
	isOpen            // first: number of a set that newer nodes may be in
	isAll             // everything read before it: what a failure may be due to
)

// node is one step. Up to two operands stand in it; more are in Trace.operands, from first on, and count says how many.
type node struct {
	shape  shape
	many   bool
	name   uint16
	first  Ref
	second Ref
}

type block struct {
	first Ref
	n     int
	file  *source.File // of a block of literals
	span  func(i int) source.Span
	label func(i int) Label // of another
	keys  bool              // of the keys of a hash in data
}

// at is the label of the i-th leaf.
func (b *block) at(i int) Label {
	if b.label != nil {
		return b.label(i)
	}
	return Label{Kind: Literal, Place: source.Place{File: b.file, Span: b.span(i)}, Ordinal: i}
}

func (t *Trace) add(n node) Ref {
	t.nodes = append(t.nodes, n)
	if len(t.nodes) >= t.growth.look {
		t.grown()
	}
	return Ref(len(t.nodes) - 1)
}

// Literals reserves a leaf for each of a file's n literals and returns the first: literal i is the result plus i.
// Evaluating a literal then costs an addition.
func (t *Trace) Literals(f *source.File, n int, at func(ordinal int) source.Span) Ref {
	if t == nil {
		return 0
	}
	return t.block(isLiteral, n, block{file: f, span: at})
}

// Leaves adds n places at once and returns the first; label is asked only when somebody reads the trace.
func (t *Trace) Leaves(n int, label func(i int) Label) Ref {
	if t == nil {
		return 0
	}
	return t.block(isBlockLeaf, n, block{label: label})
}

// Keys is Leaves for the keys of a hash in data.
func (t *Trace) Keys(n int, label func(i int) Label) Ref {
	if t == nil {
		return 0
	}
	return t.block(isBlockLeaf, n, block{label: label, keys: true})
}

// IsKey reports whether a node is the key of an entry in data, copied or not. A key that is called otherwise changes
// the entry that it then is, so that entries beside it need not name it.
func (t *Trace) IsKey(r Ref) bool {
	if t == nil || r == 0 {
		return false
	}
	if r = t.origin(r); r == 0 {
		return false
	}
	n := t.nodes[r]
	return n.shape == isBlockLeaf && t.blocks[n.first].keys
}

func (t *Trace) block(s shape, n int, b block) Ref {
	first := Ref(len(t.nodes))
	b.first, b.n = first, n
	t.blocks = append(t.blocks, b)
	t.nodes = slices.Grow(t.nodes, n)[:len(t.nodes)+n]
	leaf, leaves := node{shape: s, first: Ref(len(t.blocks) - 1)}, t.nodes[first:]
	for i := range leaves {
		leaves[i] = leaf
	}
	if len(t.nodes) >= t.growth.look {
		t.grown()
	}
	return first
}

// Read notes that a literal was evaluated, and returns its leaf.
func (t *Trace) Read(literal Ref) Ref {
	for int(literal/64) >= len(t.read) {
		t.read = append(t.read, make([]uint64, len(t.nodes)/64+1-len(t.read))...)
	}
	t.read[literal/64] |= 1 << (literal % 64)
	return literal
}

// Everything adds the set of all that has been read so far. A run that fails depends on it: whatever came before may be
// why it got there.
func (t *Trace) Everything() Ref {
	if t == nil {
		return 0
	}
	return t.add(node{shape: isAll, first: Ref(len(t.nodes))})
}

// Leaf adds a place that is no literal.
func (t *Trace) Leaf(l Label) Ref {
	if t == nil {
		return 0
	}
	t.labels = append(t.labels, l)
	r := t.add(node{shape: isLeaf, first: Ref(len(t.labels) - 1)})
	if l.Kind == Literal {
		t.foreign = append(t.foreign, r)
	}
	return r
}

// Decrypt is the operation that makes a plain text of an encrypted one.
const Decrypt = "decrypt"

// Conceal is the operation by which data become Sensitive, because their lookup_options say so.
const Conceal = "convert_to Sensitive"

// Op adds a value that an operation made of its operands.
func (t *Trace) Op(name string, operands ...Ref) Ref {
	if t == nil {
		return 0
	}
	return t.make(isOp, t.nameNumber(name), operands)
}

// Call adds a value that a function made of its operands: the operation "call function".
func (t *Trace) Call(function string, operands ...Ref) Ref {
	if t == nil {
		return 0
	}
	r := &t.calls[recentSlot(function)]
	if r.name != function || function == "" {
		*r = recentName{function, t.findName("call " + function)}
	}
	return t.make(isOp, r.number, operands)
}

// A recentName spares the search for a name that is used again and again.
type recentName struct {
	name   string
	number uint16
}

func (t *Trace) nameNumber(name string) uint16 {
	r := &t.recent[recentSlot(name)]
	if r.name != name || name == "" {
		*r = recentName{name, t.findName(name)}
	}
	return r.number
}

func recentSlot(name string) int {
	if name == "" {
		return 0
	}
	return (len(name) + 7*int(name[0]) + 13*int(name[len(name)-1]) + 29*int(name[len(name)/2])) % 64
}

// anyOperation is the name of all operations beyond those that can be told apart: a program may define a function for
// each of a hundred thousand calls.
const anyOperation = "an operation"

func (t *Trace) findName(name string) uint16 {
	if n, ok := t.known[name]; ok {
		return n
	}
	if n, ok := t.nameOf[name]; ok {
		return n
	}
	if len(t.names) == math.MaxUint16 { // a node has no room for a larger number
		return t.findName(anyOperation)
	}
	if len(t.names) == math.MaxUint16-1 {
		name = anyOperation
	}
	n := uint16(len(t.names))
	t.names = append(t.names, name)
	if t.nameOf == nil {
		t.nameOf = map[string]uint16{}
	}
	t.nameOf[name] = n
	return n
}

// With adds a value that is the one of v, copied, and depends on more than v: on the decisions under which it was
// copied, on the index that found it, on the branches that could have hidden it.
func (t *Trace) With(v Ref, more ...Ref) Ref {
	if t == nil {
		return 0
	}
	n := 0
	var last Ref
	for _, m := range more {
		if m != 0 && m != v {
			n++
			last = m
		}
	}
	switch n {
	case 0:
		return v
	case 1:
		if v == 0 && t.isJoin(last) { // a set of one set
			return last
		}
		return t.add(node{shape: isWith, first: v, second: last})
	}
	from := Ref(len(t.operands))
	t.operands = append(t.operands, v)
	for _, m := range more {
		if m != 0 && m != v {
			t.operands = append(t.operands, m)
		}
	}
	if len(t.operands) >= t.growth.many {
		t.grown()
	}
	return t.add(node{shape: isWith, many: true, first: from, second: Ref(n + 1)})
}

// isJoin reports whether a node is a set of dependencies and no value.
func (t *Trace) isJoin(r Ref) bool {
	n := t.nodes[r]
	return n.shape == isWith && (n.many && t.operands[n.first] == 0 || !n.many && n.first == 0)
}

// Join adds a set of dependencies that is no value: a decision, a context.
func (t *Trace) Join(refs ...Ref) Ref {
	if t == nil {
		return 0
	}
	return t.With(0, refs...)
}

// Deep adds a container as a whole: its spine and everything in it.
func (t *Trace) Deep(spine Ref, c Contents) Ref {
	if t == nil {
		return 0
	}
	t.contents = append(t.contents, c)
	return t.add(node{shape: isDeep, first: spine, second: Ref(len(t.contents) - 1)})
}

func (t *Trace) make(s shape, name uint16, operands []Ref) Ref {
	switch n := len(operands); {
	case n == 0:
		return t.add(node{shape: s, name: name})
	case n == 1 && operands[0] != 0:
		return t.add(node{shape: s, name: name, first: operands[0]})
	case n == 2 && operands[1] != 0: // an operand that is not known still counts as one
		return t.add(node{shape: s, name: name, first: operands[0], second: operands[1]})
	}
	from := Ref(len(t.operands))
	t.operands = append(t.operands, operands...)
	if len(t.operands) >= t.growth.many {
		t.grown()
	}
	return t.add(node{shape: s, name: name, many: true, first: from, second: Ref(len(operands))})
}

// Len is the number of nodes.
func (t *Trace) Len() int {
	if t == nil {
		return 0
	}
	return len(t.nodes) - 1
}
