package fleet

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/audit"
	"bunraku/judge"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/outline"
	"bunraku/puppet/value"
	"bunraku/report"
	"bunraku/source"
)

// A Check is one look at a whole tree, in the order that `check`, an editor and the browser share: all manifests and
// templates are read; the nodes are those that there are facts of, or invented ones; they are compiled; what is new
// among their catalogs is verified; and what no node may have reached is read without running it. Do takes all of these
// steps. The doors differ in which nodes they choose and in how they show what was found, not in what is found.
//
// The first fields say what to look at, and are set by whoever begins; the others are filled by the steps.
type Check struct {
	Workspace *compiler.Workspace
	View      source.Files
	Root      string
	Facts     string // where the facts of nodes are; "" for the tree's own
	Judge     *judge.Judge
	Invent    InventOptions
	Watch     Watch
	// Cover is what the workspace's compiles come to; nil if nobody asks what no node reaches.
	Cover *source.Cover
	// Brief keeps no more of catalogs than is counted, if they are not verified: whoever shows them does without.
	Brief bool
	// NodesOnly leaves out the last step: code that no node reaches is not read.
	NodesOnly bool
	// Assign gives a real node what else is said of it, Certified is what is said of the certificates of invented ones,
	// Exchange tells real nodes what others of them export, and Choose leaves some out. Each may be nil.
	Assign    func(view source.Files, nodes ...*compiler.Node) error
	Certified func(view source.Files) (func(name string) *value.Hash, error)
	Exchange  func(ctx context.Context, snap *compiler.Snapshot, nodes []Node) (*Exchange, error)
	Choose    func(all []Node) ([]Node, error)
	// Early is called when nodes are compiled and nothing is verified yet; it may be nil.
	Early func()
	// Progress begins a step of so many parts; nil if nobody watches.
	Progress func(what string, parts int) Progress

	Files     []string // all manifests and templates
	ReadFiles int      // how many of them were come to
	Sources   []*source.File
	Trouble   source.Diagnostics // what Puppet would not parse
	Snapshot  *compiler.Snapshot
	Plan      *Plan // of invented nodes; nil if there are real ones
	Nodes     []Node
	Abroad    []*Abroad // nodes that belong to other environments
	Exchanged *Exchange // nil if nobody collects anything
	// Checked are the nodes that tell something of the tree, Given what each was compiled from, and Excused are the
	// others.
	Checked, Excused []Checked
	Given            []Node
	StoodIn          bool               // stdlib is not there, and something that is built in of it was used
	Static           source.Diagnostics // of code and data that were only read
	Coverage         *audit.Coverage    // nil if nobody asked
	Policed          *Policed           // what the environment's policy says; nil if it has none
	UnusedMocks      source.Diagnostics // given answers that nobody asked for; Tell leaves them out, since others may

	everybody []Node // also those that are not chosen: they may export something
	part      bool   // some are not chosen
	compiled  []Compiled
	kinds     []*Kind
}

// Part reports whether there are nodes that were not chosen.
func (c *Check) Part() bool { return c.part }

// A Progress is told how far a step has got, from many goroutines.
type Progress struct{ Step, Stop func() }

func (c *Check) progress(what string, parts int) Progress {
	if c.Progress == nil {
		return Progress{func() {}, func() {}}
	}
	return c.Progress(what, parts)
}

// Do takes all steps. If the context ends, what was finished by then is there, and its error is returned.
func (c *Check) Do(ctx context.Context) error {
	if err := c.Read(ctx); err != nil {
		return err
	}
	return c.Look(ctx)
}

// Look takes the steps that come after Read.
func (c *Check) Look(ctx context.Context) error {
	if err := c.FindNodes(ctx); err != nil {
		return err
	}
	if err := c.compile(ctx); err != nil {
		return err
	}
	if c.Early != nil && ctx.Err() == nil {
		c.Early()
	}
	if err := c.verify(ctx); err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	if err := c.police(ctx); err != nil {
		return err
	}
	if !c.NodesOnly {
		c.audit()
	}
	return nil
}

// Read parses all manifests and templates, on all processors.
func (c *Check) Read(ctx context.Context) (err error) {
	var unread source.Diagnostics
	if c.Files, unread, err = environment.PuppetFiles(c.View, c.Root); err != nil {
		return err
	}
	c.Trouble = append(c.Trouble, unread...)
	n := len(c.Files)
	found, texts, errs, read := make([]source.Diagnostics, n), make([]*source.File, n), make([]error, n), make([]bool, n)
	bar := c.progress("reading", n)
	defer bar.Stop()
	source.Each(ctx, n, func(i int) {
		tree, list, err := c.Workspace.Parse(c.View, c.Files[i], IsPlan(c.Files[i]))
		if found[i], errs[i], read[i] = list, err, true; tree != nil {
			texts[i] = tree.Source
		}
		bar.Step()
	})
	all := c.Files
	c.Files = nil
	for i, file := range all {
		if errs[i] != nil && file == c.Root { // the one that was asked about
			return errs[i]
		}
		if errs[i] != nil { // it costs what needs it
			c.Trouble = append(c.Trouble, source.Unread(errs[i], filepath.ToSlash(file)))
			continue
		}
		c.Files = append(c.Files, file)
		if read[i] {
			c.ReadFiles++
		}
		if texts[i] != nil {
			c.Sources = append(c.Sources, texts[i])
		}
		c.Trouble = append(c.Trouble, found[i]...)
	}
	return ctx.Err()
}

// IsPlan reports whether `plan` and `apply` are keywords in a file: one below a module's plans, and not a class or a
// define that is called so.
func IsPlan(file string) bool {
	dirs := strings.Split(path.Dir(filepath.ToSlash(file)), "/")
	return slices.Contains(dirs, "plans") && !slices.Contains(dirs, "manifests")
}

// FindNodes finds the nodes: those that there are facts of or, where nobody has collected any, invented ones.
func (c *Check) FindNodes(ctx context.Context) (err error) {
	real, err := Nodes(c.View, c.Root, c.Facts)
	if err != nil {
		return err
	}
	if len(real) == 0 && c.Facts != "" {
		return fmt.Errorf("there are no facts in %s: files that end in .json, .yaml or .yml are looked for", c.Facts)
	}
	if c.Snapshot, err = c.Workspace.Snapshot(ctx, c.View); err != nil {
		return err
	}
	c.Nodes = Real(real)
	if len(c.Nodes) == 0 {
		if c.Certified != nil {
			if c.Invent.Certificate, err = c.Certified(c.View); err != nil {
				return err
			}
		}
		c.Plan = planned(c.Snapshot.Environment(), c.Invent)
		for i := range c.Plan.Nodes {
			c.Nodes = append(c.Nodes, Node{Node: c.Plan.Nodes[i].Node, Invented: &c.Plan.Nodes[i],
				Brief: c.Brief && !c.Invent.AllSystems})
		}
	}
	if c.Assign != nil && c.Plan == nil {
		for i := range c.Nodes {
			if err := c.Assign(c.View, &c.Nodes[i].Node); err != nil {
				return err
			}
		}
	}
	c.everybody = c.Nodes
	if c.Choose != nil {
		if c.Nodes, err = c.Choose(c.Nodes); err != nil {
			return err
		}
		c.part = len(c.Nodes) < len(c.everybody)
	}
	for i := range c.Nodes {
		if n := &c.Nodes[i]; n.Invented != nil { // a tree may have many, of which few are chosen
			n.Invented.Facts = n.Invented.Facts.Loaded()
			n.Facts = n.Invented.Facts
		}
	}
	if c.Plan == nil {
		c.Nodes, c.Abroad, err = AtHome(ctx, c.Snapshot, c.Nodes)
	}
	return err
}

// exchange tells the nodes what others export: all that there are facts of, also where some are chosen.
func (c *Check) exchange(ctx context.Context) error {
	if c.Exchange == nil || c.Plan != nil {
		return nil
	}
	here, others, err := AtHome(ctx, c.Snapshot, c.everybody)
	if err != nil {
		return err
	}
	all := append(slices.Clone(here), Exporters(others)...)
	if c.Exchanged, err = c.Exchange(ctx, c.Snapshot, all); err != nil {
		return err
	}
	told := map[string]Node{}
	for _, n := range all {
		told[n.certname()] = n
	}
	for i, n := range c.Nodes {
		c.Nodes[i] = told[n.certname()]
	}
	return nil
}

// compile compiles the nodes.
func (c *Check) compile(ctx context.Context) (err error) {
	if err := c.exchange(ctx); err != nil {
		return err
	}
	bar := c.progress("compiling nodes", len(c.Nodes))
	defer bar.Stop()
	c.compiled, c.kinds, err = Compile(ctx, c.Snapshot, c.Judge, c.Nodes, func(res *eval.Result) {
		c.Watch(res)
		bar.Step()
	})
	if err != nil {
		return err
	}
	c.StoodIn = c.Snapshot.Current().StoodIn()
	unverified := make([]Checked, len(c.compiled))
	for i := range c.compiled {
		unverified[i].Compiled = c.compiled[i]
	}
	c.sort(unverified)
	return nil
}

// verify judges what was compiled.
func (c *Check) verify(ctx context.Context) error {
	kinds := OnceAClass(c.kinds, c.compiled, c.Invent.AllSystems)
	bar := c.progress("verifying nodes", len(kinds))
	defer bar.Stop()
	results, err := Verify(ctx, c.Judge, c.compiled, kinds, bar.Step)
	if err != nil {
		return err
	}
	if ctx.Err() != nil { // what was not come to says nothing
		for i := range results {
			if r := &results[i]; r.Catalog != nil && r.Verdict == nil {
				*r = Checked{}
			}
		}
	}
	c.sort(results)
	failed := func(r Checked) bool { return r.Catalog == nil }
	if ctx.Err() == nil && !slices.ContainsFunc(results, failed) { // who knows what a failed compile would have called
		c.UnusedMocks = c.Snapshot.UnusedMocks()
	}
	c.Snapshot = c.Snapshot.Current()
	return nil
}

// sort tells nodes that say something of the tree from those that do not, or that were not come to.
func (c *Check) sort(results []Checked) {
	c.Checked, c.Excused, c.Given = nil, nil, nil
	for i, r := range results {
		switch n := c.Nodes[i]; {
		case r.Excuse != nil:
			c.Excused = append(c.Excused, r)
		case r.Name == "":
		default:
			if r.Invented != nil { // with other parameters than it was planned with
				n = Node{Node: r.Invented.Node, Invented: r.Invented}
			}
			c.Checked, c.Given = append(c.Checked, r), append(c.Given, n)
		}
	}
}

// audit reads what no node may have reached, and counts what was. A bug costs no more than that.
func (c *Check) audit() {
	defer func() {
		if p := recover(); p != nil {
			c.Static = append(c.Static, source.Bug(p))
		}
	}()
	tree := audit.New(c.Snapshot, c.Invent.Own, compiler.Wanting(c.Snapshot.Environment()))
	tree.Outside = c.Plan == nil && slices.ContainsFunc(c.Given, func(n Node) bool { return len(n.Classes) > 0 })
	c.Static = append(tree.Check(), compiler.Unread(c.Snapshot.Environment())...)
	if c.Cover == nil {
		return
	}
	declared := map[string]bool{}
	for _, n := range c.Checked {
		if n.Catalog == nil {
			continue
		}
		for _, r := range n.Catalog.Resources {
			name := r.Type
			if r.Type == "Class" {
				name = r.Title
			}
			declared[outline.Class(name)] = true
		}
	}
	c.Coverage = tree.Coverage(declared, c.Cover, c.Files)
}

// About tells of which lines it is known that nothing was found there: nil for all of them, else those that declare
// something on some node, because nothing, or not everything, was verified.
func (c *Check) About() func(file string, line int) bool {
	if len(c.Checked) > 0 && len(c.Checked)+len(c.Excused) == len(c.Nodes) && !c.part &&
		!slices.ContainsFunc(c.Checked, func(n Checked) bool { return n.Catalog == nil }) {
		return nil
	}
	return c.declared
}

// declared reports whether some node has a resource that is declared in a line.
func (c *Check) declared(file string, line int) bool {
	return slices.ContainsFunc(c.Checked, func(n Checked) bool {
		return n.Catalog != nil && slices.ContainsFunc(n.Catalog.Resources, func(r *catalog.Resource) bool {
			return r.Place.Known() && r.Place.Line() == line && r.Place.File.Name == file
		})
	})
}

// Tell puts what was found into a run: of all that the steps so far have looked at.
func (c *Check) Tell(run *report.Run) {
	for _, d := range c.Trouble {
		run.Add(nil, d)
	}
	for _, a := range c.Abroad {
		run.Add(nil, a.Diagnostic())
	}
	if x := c.Exchanged; x != nil && len(x.Restless) > 0 {
		run.Add(nil, &source.Diagnostic{Code: "V907", Severity: source.Warning, Summary: x.Told(),
			Help: "nodes answer each other's exports without end: a resource that is collected should not decide what is " +
				"exported"})
	}
	if d := lacking(c.Checked); d != nil {
		run.Add(nil, d)
	}
	if c.Snapshot != nil {
		if d := unlisted(c.Snapshot.Environment(), c.Checked); d != nil {
			run.Add(nil, d)
		}
	}
	for _, n := range c.Excused {
		for _, d := range n.Problems {
			run.Add(nil, d)
		}
	}
	for _, d := range Unsaid(c.Checked, c.Static) {
		run.Add(nil, d)
	}
	Gather(run, c.Checked)
	if c.Policed != nil {
		c.Policed.tell(run, c.Checked)
		run.Sort()
	}
}
