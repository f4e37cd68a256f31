package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"bunraku/source"
)

// A State is what became of a node.
type State uint8

// The states. A node that is Unknown has no difference that is sure, and something that is not known.
const (
	NotDone      State = iota // the work was ended before
	CannotChange              // it asks nothing that has another answer now: its catalog is the same, without a compile
	Equal                     // compiled on both sides, and the same
	Changed
	Unknown
	Fails     // it compiled before, and does not now
	Mended    // it did not compile before, and does now
	FailsBoth // it compiles on neither side
	Excused   // it does not compile, and is invented or may not read something: that tells nothing of the tree
	Gone      // it is invented, and what it was invented for is on the old side only
	Comes     // likewise, on the new side only
)

var stateNames = [...]string{"not done", "cannot change", "equal", "changed", "not known", "newly failing", "mended",
	"failing on both sides", "not compared", "gone", "new"}

// String is the state in words.
func (s State) String() string { return stateNames[s] }

// A Node is what became of one node.
type Node struct {
	Name    string
	State   State
	Old     *source.Diagnostic // why there is no catalog on the old side; nil if there is
	New     *source.Diagnostic // the same of the new side
	Empty   bool               // the catalogs hold nothing of the site: is it classified by something else?
	Excuse  string             // of Excused
	Ignored bool               // of Equal: it differs in what the options leave out
	Changes []*Item            // in the order of before
}

// An Item is a change that some nodes have.
type Item struct {
	*Change       // of the first node that has it
	Nodes   []int // by number, ascending
	Cause   *Cause
	Varied  bool // the nodes have it with what is their own in it: Change has words for that in its place

	exact         string  // the key to the letter
	first, common *Change // of the first node, with and without what is its own
}

// A Report is what a comparison of many nodes has come to.
type Report struct {
	Name     string // of what was compared
	From, To string // the sides, in the user's words
	Nodes    []*Node
	Items    []*Item  // sure changes
	Unknown  []*Item  // what is not known
	Groups   []*Group // the sure changes, those with the same nodes and the same cause together
	Failures []*Failure
	// Consequences are what a run does to machines that have the old catalog, besides what the changes say.
	Consequences []*Consequence
	// Findings are what verify finds of the new catalogs and not of the old ones, and the other way round.
	Findings []*Consequence
	Hunks    []*Hunk
	Notes    []string            // what was not compared, and why
	Invented bool                // there are no facts, the nodes were invented
	Hide     func(string) string // takes secrets out of texts; nil leaves them to who shows the report

	mu      sync.Mutex
	items   map[string]*Item
	effects map[Effect][]int
}

// A Group is changes that the same nodes have for the same reason.
type Group struct {
	Letter string // A, B, …
	Items  []*Item
	Nodes  []int
	Cause  *Cause
}

// A Failure is an error that some nodes have on one side or on both.
type Failure struct {
	*source.Diagnostic
	// Was is the error of the old side, of those that fail on both sides and for another reason now; nil for others.
	Was   *source.Diagnostic
	State State
	Nodes []int
	Cause *Cause
}

// told is what the error says, and on which side, where a node is on the other one only.
func (f *Failure) told() string {
	switch f.State {
	case Gone:
		return "now: " + f.Summary
	case Comes:
		return "before: " + f.Summary
	}
	return f.Summary
}

// NewReport makes an empty report about nodes.
func NewReport(names []string) *Report {
	r := &Report{items: map[string]*Item{}}
	for _, n := range names {
		r.Nodes = append(r.Nodes, &Node{Name: n})
	}
	return r
}

// Add takes in what a comparison of a node gave. It may be called by many goroutines, for a node once.
func (r *Report) Add(node int, changes []*Change) {
	keys, exact, common := make([]string, len(changes)), make([]string, len(changes)), make([]*Change, len(changes))
	for i, c := range changes {
		keys[i], exact[i] = c.Key(), c.key(nil, nil)
		if keys[i] != exact[i] {
			common[i] = c.common()
		}
	}
	for i, c := range changes { // a report must not hold the traces of all nodes
		slot := c.Slot()
		for _, x := range []*Change{c, common[i]} {
			if x != nil {
				x.known, x.slot, x.oldOwn, x.newOwn = keys[i], slot, nil, nil
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.Nodes[node]
	n.State = Equal
	for i, c := range changes {
		it := r.items[keys[i]]
		if it == nil {
			it = &Item{exact: exact[i]}
			r.items[keys[i]] = it
		}
		if k := len(it.Nodes); k > 0 && it.Nodes[k-1] == node {
			continue
		}
		at, _ := slices.BinarySearch(it.Nodes, node)
		if it.Nodes = slices.Insert(it.Nodes, at, node); at == 0 { // the first node, whoever was done first
			it.first, it.common = c, common[i]
		}
		it.Varied = it.Varied || it.exact != exact[i]
		if it.Change = it.first; it.Varied && it.common != nil {
			it.Change = it.common
		}
		n.Changes = append(n.Changes, it)
		if c.Kind != NotKnown {
			n.State = Changed
		} else if n.State == Equal {
			n.State = Unknown
		}
	}
}

// AddLike takes in a node whose catalogs are, on both sides, those of a node that was added before.
func (r *Report) AddLike(node, like int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, l := r.Nodes[node], r.Nodes[like]
	n.State, n.Empty, n.Ignored, n.Changes = l.State, l.Empty, l.Ignored, l.Changes
	for _, it := range l.Changes {
		if at, there := slices.BinarySearch(it.Nodes, node); !there {
			it.Nodes = slices.Insert(it.Nodes, at, node)
		}
	}
}

// Split makes another item of a change for some of the nodes that have it.
func (r *Report) Split(it *Item, nodes []int) *Item {
	own := *it
	own.Nodes = slices.Sorted(slices.Values(nodes))
	it.Nodes = slices.DeleteFunc(slices.Clone(it.Nodes), func(n int) bool { return slices.Contains(nodes, n) })
	for _, n := range nodes {
		changes := slices.Clone(r.Nodes[n].Changes) // nodes that are alike share them
		changes[slices.Index(changes, it)] = &own
		r.Nodes[n].Changes = changes
	}
	return &own
}

// SplitFailure makes another failure of one for some of the nodes that have it.
func (r *Report) SplitFailure(f *Failure, nodes []int) *Failure {
	own := *f
	own.Nodes = slices.Clone(nodes)
	f.Nodes = slices.DeleteFunc(slices.Clone(f.Nodes), func(n int) bool { return slices.Contains(nodes, n) })
	r.Failures = append(r.Failures, &own)
	return &own
}

// Gather puts together what belongs together, when all nodes are done and the causes are known.
func (r *Report) Gather() {
	r.Items, r.Unknown, r.Groups = nil, nil, nil
	r.conclude()
	r.joinFailures()
	for _, it := range r.All() {
		if it.Kind == NotKnown {
			r.Unknown = append(r.Unknown, it)
		} else {
			r.Items = append(r.Items, it)
		}
	}
	groups := map[string]*Group{}
	for _, it := range r.Items {
		key := fmt.Sprint(it.Nodes, it.Cause.id())
		g := groups[key]
		if g == nil {
			g = &Group{Nodes: it.Nodes, Cause: it.Cause}
			groups[key] = g
			r.Groups = append(r.Groups, g)
		}
		g.Items = append(g.Items, it)
	}
	for _, g := range r.Groups {
		slices.SortStableFunc(g.Items, func(a, b *Item) int { return before(a.Change, b.Change) })
	}
	slices.SortStableFunc(r.Groups, func(a, b *Group) int {
		return cmp.Or(len(b.Nodes)-len(a.Nodes), before(a.Items[0].Change, b.Items[0].Change), a.Nodes[0]-b.Nodes[0])
	})
	for i, g := range r.Groups {
		g.Letter = letter(i)
	}
}

// Fail puts the same errors of many nodes together, when all nodes are done. Two places may say the same for different
// reasons: only when the causes are known it is told which of them are one.
func (r *Report) Fail() {
	r.Failures = nil
	by := map[string]*Failure{}
	for i, n := range r.Nodes {
		d := n.New
		if n.State == Mended || n.State == Comes {
			d = n.Old
		}
		if d == nil || n.State == Excused {
			continue
		}
		was := n.reasonWas()
		key := fmt.Sprint(n.State, d.Code, d.Summary, d.Place, textOf(was))
		f := by[key]
		if f == nil {
			f = &Failure{Diagnostic: d, Was: was, State: n.State}
			by[key] = f
			r.Failures = append(r.Failures, f)
		}
		f.Nodes = append(f.Nodes, i)
	}
	r.sortFailures()
}

// reasonWas is why a node did not compile before, if it does not now either, and for another reason; nil if not.
func (n *Node) reasonWas() *source.Diagnostic {
	if n.State != FailsBoth || n.Old == nil || n.Old.Code == n.New.Code && n.Old.Summary == n.New.Summary {
		return nil
	}
	return n.Old
}

// textOf tells an error from others; "" is that of none.
func textOf(d *source.Diagnostic) string {
	if d == nil {
		return ""
	}
	return d.Code + d.Summary
}

// joinFailures makes one of errors that say the same and have the same cause.
func (r *Report) joinFailures() {
	by := map[string]*Failure{}
	r.Failures = slices.DeleteFunc(r.Failures, func(f *Failure) bool {
		key := fmt.Sprint(f.State, f.Code, f.Summary, textOf(f.Was), f.Cause.id())
		first := by[key]
		if first == nil {
			by[key] = f
			return false
		}
		if f.Nodes[0] < first.Nodes[0] {
			first.Diagnostic = f.Diagnostic
		}
		first.Nodes = append(first.Nodes, f.Nodes...)
		slices.Sort(first.Nodes)
		return true
	})
	for _, f := range r.Failures {
		if len(f.Nodes) == 1 { // it is nobody else's
			for _, d := range []**source.Diagnostic{&f.Diagnostic, &f.Was} {
				if *d != nil {
					own := **d
					own.Summary = strings.ReplaceAll(own.Summary, certname, strings.ToLower(r.Nodes[f.Nodes[0]].Name))
					*d = &own
				}
			}
		}
	}
	r.sortFailures()
}

// certname stands for a node's name in an error that several nodes have.
const certname = "<certname>"

// WithoutName is what an error says with a word for the node's name, where that stands by itself.
func WithoutName(text, name string) string {
	if name == "" {
		return text
	}
	var out strings.Builder
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return out.String() + text[at:]
		}
		i += at
		out.WriteString(text[at:i])
		if at = i + len(name); alone(text[:i], text[at:]) {
			out.WriteString(certname)
		} else {
			out.WriteString(name)
		}
	}
}

// alone reports whether nothing that a name could go on with is around it.
func alone(before, after string) bool {
	part := func(c byte) bool {
		return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	if n := len(before); n > 0 && (part(before[n-1]) || before[n-1] == '.' && n > 1 && part(before[n-2])) {
		return false
	}
	return after == "" || !part(after[0]) && (after[0] != '.' || len(after) == 1 || !part(after[1]))
}

func (r *Report) sortFailures() {
	slices.SortStableFunc(r.Failures, func(a, b *Failure) int {
		return cmp.Or(int(a.State)-int(b.State), len(b.Nodes)-len(a.Nodes), a.Nodes[0]-b.Nodes[0])
	})
}

// letter names a group: A to Z, then AA and so on.
func letter(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}
	return name
}

// Unexpected reports whether a change of the group is none of those that there should be.
func (g *Group) Unexpected() bool {
	return slices.ContainsFunc(g.Items, func(it *Item) bool { return it.Unexpected })
}

// Unexpected is how many groups have changes that there should not be.
func (r *Report) Unexpected() (n int) {
	for _, g := range r.Groups {
		if g.Unexpected() {
			n++
		}
	}
	return n
}

// Summary is the group in one line.
func (g *Group) Summary() string {
	text := g.Items[0].headline()
	if n := len(g.Items); n > 1 {
		text += fmt.Sprintf(", and %d more", n-1)
	}
	return text
}

// Count is how many nodes are in a state.
func (r *Report) Count(s State) (n int) {
	for _, x := range r.Nodes {
		if x.State == s {
			n++
		}
	}
	return n
}

// counts are how many nodes are in which of some states, in words.
func (r *Report) counts(states ...State) (parts []string) {
	ignored := 0
	for _, n := range r.Nodes {
		if n.Ignored {
			ignored++
		}
	}
	add := func(n int, words string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words))
		}
	}
	for _, s := range states {
		if s == Equal {
			add(r.Count(s)-ignored, r.word(s))
			add(ignored, "equal but for what is ignored")
		} else {
			add(r.Count(s), r.word(s))
		}
	}
	return parts
}

// word is a state in words. Whether real machines can change, invented nodes do not tell.
func (r *Report) word(s State) string {
	if r.Invented && s == CannotChange {
		return "not seen to change"
	}
	return s.String()
}

// verdict says that nothing differs, if nothing does and everything is known.
func (r *Report) verdict() string {
	switch {
	case !r.Same():
		return ""
	case slices.ContainsFunc(r.Nodes, func(n *Node) bool { return n.Ignored }):
		return "No differences but those that are ignored."
	}
	if r.Invented {
		return "No differences seen on the invented nodes."
	}
	return "No differences."
}

// Compared reports whether anything is known of any node.
func (r *Report) Compared() bool {
	return slices.ContainsFunc(r.Nodes, func(n *Node) bool { return n.State != Excused && n.State != NotDone })
}

// Missed counts the nodes that were not compared since they do not compile. One that only one side has is none of them.
func (r *Report) Missed() (n int) {
	for _, x := range r.Nodes {
		if x.State == Excused && (x.Old != nil || x.New != nil) {
			n++
		}
	}
	return n
}

// Names are the names of nodes by number.
func (r *Report) Names(nodes []int) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = r.Nodes[n].Name
	}
	return out
}

// All are the changes of all nodes, each once, in the order of the nodes.
func (r *Report) All() (out []*Item) {
	for i, n := range r.Nodes {
		for _, it := range n.Changes {
			if it.Nodes[0] == i {
				out = append(out, it)
			}
		}
	}
	return out
}

// Slot is what a change is about, whatever it changes to, and on whichever node.
func (c *Change) Slot() string {
	if c.slot != "" {
		return c.slot
	}
	name, text := c.oldOwn.nameOr(c.old, c.Name), ""
	if c.old == nil {
		name = c.newOwn.nameOr(c.new, c.Name)
	}
	if c.Kind == Relation || c.Kind == Cycle {
		text = c.Text
	}
	return strings.Join([]string{name, c.Attribute, c.File, text}, "\x00")
}
