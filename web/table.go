package web

import (
	"encoding/binary"
	"math"
	"path"
	"slices"
	"strings"

	"bunraku/fleet"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/outline"
	"bunraku/puppet/value"
	"bunraku/report"
	"bunraku/source"
	"bunraku/verify/model"
)

// What the server keeps of a fleet.
//
// A look at a tree leaves a catalog, a verdict and the facts of every node: half a megabyte each, and ten thousand of
// them are more than a program that stands beside an editor may take. Pages need little of it. Most nodes are like
// others, so a table has every distinct resource once, as pages show it, with the nodes that have it; and of a node the
// numbers of its resources, in the order of the containment tree. That answers all questions about many nodes: who has
// this class, what is this slot elsewhere, where does this text stand, how many nodes come to this line. Questions
// about one node compile it again, with provenance (record.go), from facts that are parsed again. Verdicts go, too,
// except those that the evidence of a finding is replayed with.

// A row is a node.
type row struct {
	name     string
	origin   string // of an invented node
	invented bool
	compiles bool
	status   string
	opaque   int // attributes that could not be computed
	classes  int
	verdicts []verdictRow
	found    *report.Node
	facts    [len(keptFacts)]string
	things   []int32 // of the table, in the order of the containment tree
	depths   []uint16
	given    compiler.Node
	file     *source.File // its facts, which are read again when they are wanted; nil if given has them
}

// keptFacts are the facts of which every row has the text: those of facets, and those that make up the system.
var keptFacts = [...]string{"os.family", "os.name", "os.release.major", "role", "datacenter", "virtual", "environment"}

// A thing is a resource as pages show it, on all nodes on which it is the same.
type thing struct {
	ref      string
	class    string // the plain name of the class that it is
	file     string
	line     int32
	possible bool // it is not known whether it is there
	params   []param
	spots    []int32
	nodes    []int32 // that have it
}

type param struct{ name, text string }

// A table has the resources of all nodes.
type table struct {
	things []thing
	byRef  map[string][]int32
	heat   heat
}

// A heat is how many nodes have something from each line, by file and line.
type heat map[string]map[int]int

// A spot is a line.
type spot struct {
	file string
	line int
}

// A gatherer makes a table.
type gatherer struct {
	*table
	rows    []row
	known   map[string]int32 // things by all that they are
	strings map[string]string
	numbers map[spot]int32 // of spots
	counts  []int          // nodes by spot
	last    []int          // the node that came to a spot last, from 1
	key     []byte
	defined map[string]source.Place // classes and defines by plain name
	sharing map[*source.File]int    // how many nodes' facts stand in a file
	// verdicts of each report in words, and which report has a finding
	verdicts map[*model.Report][]verdictRow
	owners   map[*model.Finding]*model.Report
}

func newGatherer(nodes []fleet.Node, defined map[string]source.Place) *gatherer {
	g := &gatherer{table: &table{byRef: map[string][]int32{}, heat: heat{}}, known: map[string]int32{},
		strings: map[string]string{}, numbers: map[spot]int32{}, defined: defined,
		verdicts: map[*model.Report][]verdictRow{}, owners: map[*model.Finding]*model.Report{},
		sharing: map[*source.File]int{}}
	for _, n := range nodes {
		g.sharing[factsFile(n)]++
	}
	return g
}

// once is one copy of a text, and no part of a longer one.
func (g *gatherer) once(s string) string {
	if kept, there := g.strings[s]; there {
		return kept
	}
	s = strings.Clone(s)
	g.strings[s] = s
	return s
}

// spot is the number of a place's line; -1 if it has none.
func (g *gatherer) spot(p source.Place) int32 {
	if !p.Known() {
		return -1
	}
	p = p.Outer()
	at := spot{p.File.Name, p.Line()}
	n, there := g.numbers[at]
	if !there {
		at.file = g.once(at.file)
		n = int32(len(g.counts))
		g.numbers[at] = n
		g.counts, g.last = append(g.counts, 0), append(g.last, 0)
	}
	return n
}

// thing is the number of a resource.
func (g *gatherer) thing(r *catalog.Resource) int32 {
	t := thing{ref: clip(r.Ref(), clipTitle), possible: r.Possible != ""}
	name := r.Type
	if r.Type == "Class" {
		name = r.Title
		if t.class = outline.Class(name); t.class == "settings" || t.class == "main" {
			t.class = ""
		}
	}
	at := report.LocateResource(r)
	t.file, t.line = at.File, int32(at.Line)
	g.key = g.key[:0]
	word := func(s string) {
		g.key = binary.AppendUvarint(g.key, uint64(len(s)))
		g.key = append(g.key, s...)
	}
	see := func(p source.Place) {
		n := g.spot(p)
		g.key = binary.AppendVarint(g.key, int64(n))
		if n >= 0 && !slices.Contains(t.spots, n) {
			t.spots = append(t.spots, n)
		}
	}
	word(t.ref)
	word(t.file)
	g.key = binary.AppendUvarint(g.key, uint64(at.Line))
	g.key = binary.AppendUvarint(g.key, uint64(b2i(t.possible)))
	see(r.Place)
	see(g.defined[outline.Class(name)])
	for i := range r.Params {
		p := param{r.Params[i].Name, shown(r, r.Params[i].Name)}
		word(p.name)
		word(p.text)
		see(r.Params[i].Place)
		t.params = append(t.params, p)
	}
	if n, there := g.known[string(g.key)]; there {
		return n
	}
	n := int32(len(g.things))
	g.known[string(g.key)] = n
	t.ref, t.class, t.file, t.spots = g.once(t.ref), g.once(t.class), g.once(t.file), slices.Clip(t.spots)
	t.params = slices.Clip(t.params)
	for i, p := range t.params {
		t.params[i] = param{g.once(p.name), g.once(p.text)}
	}
	g.things = append(g.things, t)
	g.byRef[t.ref] = append(g.byRef[t.ref], n)
	return n
}

// add takes in the next node: what is wanted of it goes into a row.
func (g *gatherer) add(n *fleet.Checked, given fleet.Node) {
	r := row{name: n.Name, invented: n.Invented != nil, compiles: n.Catalog != nil, status: status(n), opaque: n.Opaque,
		found: n.Verdict.Node, given: given.Node}
	r.found.Beside = nil // it has served
	if n.Invented != nil {
		r.origin = n.Invented.Origin
	}
	if given.Facts != nil {
		for i, path := range keptFacts {
			r.facts[i] = g.once(factOf(given.Facts.Values, path))
		}
	}
	if f := factsFile(given); f != nil && g.sharing[f] == 1 {
		r.given.Facts, r.file = nil, f
	}
	if x := n.Verdict.Report; x != nil {
		if g.verdicts[x] == nil {
			g.verdicts[x] = []verdictRow{{"deterministic", x.Deterministic.String()}, {"idempotent", x.Idempotent.String()},
				{"can succeed", x.Success.String()}}
			for i := range x.Findings {
				g.owners[&x.Findings[i]] = x
			}
		}
		r.verdicts = g.verdicts[x]
	}
	if n.Catalog != nil {
		r.classes = len(n.Catalog.Classes)
		g.tree(n.Catalog, &r)
	}
	g.rows = append(g.rows, r)
	for _, t := range r.things {
		for _, s := range g.things[t].spots {
			if g.last[s] != len(g.rows) {
				g.last[s] = len(g.rows)
				g.counts[s]++
			}
		}
	}
}

// tree lists the resources of a catalog, each behind what contains it.
func (g *gatherer) tree(c *catalog.Catalog, to *row) {
	inside := map[*catalog.Resource][]*catalog.Resource{}
	contained := map[*catalog.Resource]bool{}
	for _, e := range c.Edges {
		if !contained[e.Target] { // what several contain stands in the first
			contained[e.Target] = true
			inside[e.Source] = append(inside[e.Source], e.Target)
		}
	}
	to.things, to.depths = make([]int32, 0, len(c.Resources)), make([]uint16, 0, len(c.Resources))
	seen := map[*catalog.Resource]bool{}
	var visit func(r *catalog.Resource, depth int)
	visit = func(r *catalog.Resource, depth int) {
		if seen[r] {
			return
		}
		seen[r] = true
		to.things, to.depths = append(to.things, g.thing(r)), append(to.depths, uint16(min(depth, math.MaxUint16)))
		for _, x := range inside[r] {
			visit(x, depth+1)
		}
	}
	for _, r := range c.Resources {
		if !contained[r] {
			visit(r, 0)
		}
	}
	for _, r := range c.Resources { // of classes that contain each other
		visit(r, 0)
	}
}

// finish is the table, once all nodes are in it.
func (g *gatherer) finish() *table {
	sum := 0
	counts := make([]int, len(g.things))
	for i := range g.rows {
		sum += len(g.rows[i].things)
		for _, t := range g.rows[i].things {
			counts[t]++
		}
	}
	all := make([]int32, sum)
	for t := range g.things {
		g.things[t].nodes, all = all[:0:counts[t]], all[counts[t]:]
	}
	for i := range g.rows {
		for _, t := range g.rows[i].things {
			g.things[t].nodes = append(g.things[t].nodes, int32(i))
		}
	}
	for at, n := range g.numbers {
		if g.heat[at.file] == nil {
			g.heat[at.file] = map[int]int{}
		}
		g.heat[at.file][at.line] = g.counts[n]
	}
	return g.table
}

// having is which nodes have a resource, by number, each with the thing that it is there; -1 for the others.
func (t *table) having(ref string, nodes int) []int32 {
	out := make([]int32, nodes)
	for i := range out {
		out[i] = -1
	}
	for _, n := range t.byRef[ref] {
		for _, i := range t.things[n].nodes {
			out[i] = n
		}
	}
	return out
}

// text is an attribute as pages show it.
func (t *thing) text(attribute string) (text string, there bool) {
	for _, p := range t.params {
		if p.name == attribute {
			return p.text, true
		}
	}
	return "", false
}

// factOf is a fact as a text, by its path; "" if there is none.
func factOf(facts *value.Hash, path string) string {
	var v value.Value = facts
	for step := range strings.SplitSeq(path, ".") {
		h, is := v.(*value.Hash)
		if !is {
			return ""
		}
		v = h.At(step)
	}
	switch v.(type) {
	case nil, *value.Hash, *value.Array:
		return ""
	}
	return value.ToString(v)
}

// factsFile is the file that a node's facts stand in; nil if there is none.
func factsFile(n fleet.Node) *source.File {
	if n.Invented != nil || n.Facts == nil || n.Facts.Values.Len() == 0 {
		return nil
	}
	at, _ := n.Facts.Place(value.ToString(n.Facts.Values.Entries()[0].Key))
	return at.File
}

// given is what a node is compiled from.
func (st *state) given(i int) (compiler.Node, error) {
	r := &st.nodes[i]
	n := r.given
	if r.file == nil {
		return n, nil
	}
	base := path.Base(r.file.Name)
	f, err := facts.Parse(r.file, strings.TrimSuffix(base, path.Ext(base)))
	if err != nil {
		return n, err
	}
	with := compiler.Node{Facts: f}
	if st.site.opt.Assign != nil { // which may say something of $trusted
		if err := st.site.opt.Assign(st.snap.Files(), &with); err != nil {
			return n, err
		}
	}
	n.Facts = with.Facts
	return n, nil
}

// mostModelled is how many resources the models may have that are kept to replay findings with.
const mostModelled = 20_000

// replayable keeps the reports that show what the problems of a run are about, as many as there is room for.
func (g *gatherer) replayable(run *report.Run) map[*model.Finding]*model.Report {
	out := map[*model.Finding]*model.Report{}
	kept := map[*model.Report]bool{}
	size := 0
	for _, p := range run.Problems {
		x := g.owners[p.Finding]
		if p.Finding == nil || x == nil || p.Finding.Evidence == nil {
			continue
		}
		if n := len(x.Model.Resources); !kept[x] {
			if size > 0 && size+n > mostModelled {
				continue
			}
			size += n
			kept[x] = true
		}
		out[p.Finding] = x
	}
	return out
}
