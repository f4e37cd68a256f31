package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bunraku/diff"
	"bunraku/fleet/store"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/exported"
	"bunraku/source"
)

// A Comparing compares the catalogs of many nodes between two states of a tree.
type Comparing struct {
	From, To *compiler.Snapshot
	// Questions tells that the old side collects what its compiles ask, so that nodes which cannot change need no second
	// compile.
	Questions bool
	// Traced gives both sides with provenance; nil if nobody wants to know what is a node's own.
	Traced func(context.Context) (from, to *compiler.Snapshot, err error)
	// Store keeps what compiles asked and came to, for later runs and for nodes that are alike; nil keeps nothing.
	Store *store.Store
	// OldExports and NewExports answer exported collectors on either side; nil where nothing is exchanged.
	OldExports, NewExports exported.Importer
	// Kept are nodes that do not compile any more, and go on exporting what they did.
	Kept []string
	// Consequences says what a run does to machines that have the old catalog; nil if nobody asks.
	Consequences *Consequences
	// Moved are the modules that the sides want in different versions, and have the same files of, or none.
	Moved []Moved
	// OtherData tells that data of Hiera's change.
	OtherData bool
	// Alike are files and directories that both sides have from one place, whatever they are on either side.
	Alike   []string
	Options diff.Options
	Watch   Watch  // is told of every compile
	Step    func() // is called when a node is done
	// Want is told which modules invented nodes did without; nil if nobody wants to know.
	Want *Want

	runs      *[2]*store.Run    // over both sides, of Store
	exporters []Node            // that may export something to those that are compared
	doubted   map[string]string // by name: why it is not known what a node collects that others export
}

// Compare compares all nodes, on all processors. A node whose compile on the old side asked nothing that has another
// answer on the new side has the same catalog there, and is not compiled again (package trace says why); the files of
// modules that its catalog names are compared all the same. If the context ends, what was finished by then is in the
// report. If the store breaks meanwhile, nothing that came from it counts, and nodes are compared without it.
func (c *Comparing) Compare(ctx context.Context, nodes []Node) (*diff.Report, error) {
	r, err := c.compare(ctx, nodes)
	if c.Store != nil && c.Store.Err() != nil {
		alone := *c
		alone.Store, alone.runs = nil, nil
		return alone.compare(ctx, nodes)
	}
	return r, err
}

func (c *Comparing) compare(ctx context.Context, nodes []Node) (*diff.Report, error) {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Title()
	}
	r := diff.NewReport(names)
	errs := make([]error, len(nodes))
	var u *reuse
	if c.Store != nil {
		u = newReuse(c)
	}
	source.Each(ctx, len(nodes), func(i int) {
		defer c.Step()
		defer func() { // a bug costs the node that it happens on
			if p := recover(); p != nil {
				r.Nodes[i].State, r.Nodes[i].Old, r.Nodes[i].New = diff.FailsBoth, source.Bug(p), source.Bug(p)
			}
		}()
		errs[i] = c.node(ctx, u, r, i, nodes[i])
	})
	for _, err := range errs {
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	r.Fail()
	return r, nil
}

// old and new are a node as either side compiles it: with what other nodes export there.
func (c *Comparing) old(n Node) compiler.Node { return n.Importing(c.OldExports).Node }
func (c *Comparing) new(n Node) compiler.Node { return n.Importing(c.NewExports).Node }

// Exchange finds out what nodes export to each other on both sides, if anything of it is collected there. They are more
// than those that are compared, if these are only some.
func (c *Comparing) Exchange(ctx context.Context, nodes []Node) (restless []string, err error) {
	c.exporters = nodes
	if len(nodes) == 0 || !c.From.Collects() && !c.To.Collects() {
		return nil, nil
	}
	// One side may be the first that collects anything: what the other exports is found all the same, since with some of
	// the hunks it may be collected there.
	var both []*Exchange
	var before *Exchange
	for _, side := range []struct {
		snap *compiler.Snapshot
		set  *exported.Importer
	}{{c.From, &c.OldExports}, {c.To, &c.NewExports}} {
		x, err := exchange(ctx, side.snap, nodes, before, c.Watch)
		if err != nil {
			return nil, err
		}
		*side.set, restless, both = x.Set, append(restless, x.Restless...), append(both, x)
		before = x
	}
	for i, n := range nodes {
		if r := both[1].Results[i]; r != nil && r.Failure != nil && !both[1].compiled[i] && len(both[0].exports[i]) > 0 {
			c.Kept = append(c.Kept, n.Title())
		}
	}
	for _, x := range both {
		for _, r := range x.Results {
			if r != nil && r.Open == "" { // also of one that fails: with another version it may export something
				r.Open = c.moved(r)
			}
		}
	}
	c.doubted = doubted(nodes, both)
	slices.Sort(restless)
	return slices.Compact(restless), nil
}

// compile is a node's compile on some side. What hangs on exports that are not known is not known either.
func (c *Comparing) compile(ctx context.Context, s *compiler.Snapshot, n compiler.Node) (*eval.Result, error) {
	if n.Absent == compiler.StandInAny {
		n.NoData = missingData(s.Environment())
	}
	res, err := s.Compile(ctx, n)
	if err == nil && res.Open == "" && len(res.Asked) > 0 {
		if res.Open = c.doubted[Node{Node: n}.certname()]; res.Open != "" {
			res.Questions = nil
		}
	}
	if err == nil && res.Failure == nil {
		if why := c.moved(res); why != "" {
			res.Open, res.Questions = why, nil
		}
	}
	if err == nil && res.Open == "" && n.Absent == compiler.StandInAny {
		res.Open = c.Want.unproved(res) // what it asked is the same, if the questions hold
		if lacks := Lacked(res.StandIns, source.MissingKey); res.Open == "" && c.OtherData && len(lacks) > 0 {
			res.Open = wantsData + Listed(lacks) // they may be made of what changes
		}
	}
	return res, err
}

// node compares one.
func (c *Comparing) node(ctx context.Context, u *reuse, r *diff.Report, i int, n Node) (err error) {
	var was, is *eval.Result
	var both pair
	// A store knows what was asked, and not what may come of it.
	if u != nil && len(c.Moved) == 0 && c.doubted[n.certname()] == "" && n.Invented == nil {
		var done bool
		if was, is, both, done, err = c.known(ctx, u, r, i, &n); done || err != nil {
			return err
		}
	}
	n.Facts = n.Facts.Loaded()                   // once, for all that is compiled from here on
	if both.old != both.new && c.Traced != nil { // it is sure to change: compile it once, with provenance
		if done, err := c.differs(ctx, u, r, i, n, both); done || err != nil {
			return err
		}
	}
	if was == nil {
		if was, err = c.compile(ctx, c.From, c.old(n)); err != nil {
			return err
		}
		c.Watch(was)
	}
	if both.old == 0 && c.Questions && was.Questions != nil && was.Open == "" { // no store knows
		holds, _, err := c.To.Holds(ctx, was.Questions(), c.new(n))
		if err != nil {
			return err
		}
		if holds {
			return c.held(ctx, r, i, n, was)
		}
	}
	if is == nil {
		if is, err = c.compile(ctx, c.To, c.new(n)); err != nil {
			return err
		}
		c.Watch(is)
	}
	out := r.Nodes[i]
	out.Old, out.New = n.reason(was.Failure), n.reason(is.Failure)
	switch {
	case c.unreadOn(was, is) != "":
		out.State, out.Excuse = diff.Excused, c.unreadOn(was, is)
	case was.Failure != nil && is.Failure != nil:
		if out.State = diff.FailsBoth; n.Invented != nil {
			excused(out)
		}
	case was.Failure != nil || is.Failure != nil:
		if open := c.undecided(n, was, is); len(open) > 0 {
			out.Old, out.New = nil, nil
			r.Add(i, open)
		} else if n.Invented != nil {
			return c.one(ctx, out, n, was, is)
		} else if out.State = diff.Mended; is.Failure != nil {
			out.State = diff.Fails
		}
	default:
		out.Empty = Empty(was.Catalog) || Empty(is.Catalog)
		before, after := c.side(c.From, was), c.side(c.To, is)
		t := twins{c.From, c.To, c.old(n), c.new(n), was, is, c.Options}
		changes, others, err := c.between(ctx, t)
		if err != nil {
			return err
		}
		out.Ignored = len(changes) == 0 && diff.Ignored(before, after, c.Options)
		if len(changes) > 0 && c.Traced != nil {
			better, _, err := c.traced(ctx, n)
			if err != nil {
				return err
			}
			if better != nil {
				changes = better
			}
		}
		all := len(changes)
		if changes = c.sure(changes, was, is); len(changes) < all { // nor is it sure what a run does
			r.Add(i, changes)
			return nil
		}
		r.Add(i, changes)
		effects, err := c.follow(ctx, r, i, n, append(others, t)...)
		if u != nil && err == nil {
			u.keep(both, i, effects)
		}
		return err
	}
	return nil
}

// differs compares a node whose catalogs are known to be different.
func (c *Comparing) differs(ctx context.Context, u *reuse, r *diff.Report, i int, n Node, both pair) (done bool,
	err error) {
	changes, all, err := c.traced(ctx, n)
	if err != nil || len(changes) == 0 {
		return false, err
	}
	t := all[len(all)-1]
	r.Nodes[i].Empty = Empty(t.was.Catalog) || Empty(t.is.Catalog)
	r.Add(i, changes)
	effects, err := c.follow(ctx, r, i, n, all...)
	if err == nil {
		u.keep(both, i, effects)
	}
	return true, err
}

// follow says what a run does to a node that changes: what it does whichever branches are taken, where some were
// guessed.
func (c *Comparing) follow(ctx context.Context, r *diff.Report, i int, n Node, all ...twins) (effects []diff.Effect,
	err error) {
	if c.Consequences == nil || len(r.Nodes[i].Changes) == 0 {
		return nil, nil
	}
	for k, t := range all {
		found, err := c.Consequences.Of(ctx, sides{NewSuspect(c.From, t.was, n.Facts), NewSuspect(c.To, t.is, n.Facts),
			n.Invented, t.was.Partial() || t.is.Partial()})
		if err != nil {
			return nil, err
		}
		if k > 0 {
			found = slices.DeleteFunc(slices.Clone(found), func(e diff.Effect) bool { return !slices.Contains(effects, e) })
		}
		effects = found
	}
	if len(all) > 1 && !slices.ContainsFunc(effects, func(e diff.Effect) bool { return e.Kind != diff.EffectTaken }) {
		effects = nil // nothing is left of what that was taken for true for
	}
	if t := all[len(all)-1]; t.was.Open == wantsModules || t.is.Open == wantsModules {
		effects = append(slices.Clip(effects), diff.Effect{Kind: diff.EffectNotKnown, Text: wantsModules})
	}
	r.Follow(i, effects)
	return effects, nil
}

// traced compares a node that changes once more, with provenance, so that what is its own can be told. Nothing is given
// if that takes too much: a trace counts on the budget of a compile.
// all are its compiles, those with other branches taken first.
func (c *Comparing) traced(ctx context.Context, n Node) (changes []*diff.Change, all []twins, err error) {
	from, to, err := c.Traced(ctx)
	if err != nil {
		return nil, nil, err
	}
	t := twins{from: from, to: to, old: c.old(n), new: c.new(n), opt: c.Options}
	if t.was, err = c.compile(ctx, from, t.old); err != nil {
		return nil, nil, err
	}
	if t.is, err = c.compile(ctx, to, t.new); err != nil {
		return nil, nil, err
	}
	c.Watch(t.was)
	c.Watch(t.is)
	if t.was.Catalog == nil || t.is.Catalog == nil {
		return nil, nil, nil
	}
	changes, others, err := c.between(ctx, t)
	return changes, append(others, t), err
}

// tracedFiles is traced of a node whose catalog stays the same, and names files that do not.
func (c *Comparing) tracedFiles(ctx context.Context, n Node) ([]*diff.Change, error) {
	from, _, err := c.Traced(ctx)
	if err != nil {
		return nil, err
	}
	was, err := c.compile(ctx, from, c.old(n))
	if err != nil || was.Catalog == nil {
		return nil, err
	}
	c.Watch(was)
	return c.Options.Contents.Compare(c.side(from, was), c.Options), nil
}

// held takes in a node that cannot change.
func (c *Comparing) held(ctx context.Context, r *diff.Report, i int, n Node, was *eval.Result) error {
	out := r.Nodes[i]
	if was.Failure != nil { // and so it does on the new side
		out.State, out.Old, out.New = diff.FailsBoth, n.reason(was.Failure), n.reason(was.Failure)
		if why := unread(c.From, was); why != "" {
			out.State, out.Excuse = diff.Excused, why
		} else if n.Invented != nil {
			excused(out)
		}
		return nil
	}
	out.Empty = Empty(was.Catalog)
	if c.Options.Contents != nil {
		if changes := c.Options.Contents.Compare(c.side(c.From, was), c.Options); len(changes) > 0 {
			if c.Traced != nil {
				better, err := c.tracedFiles(ctx, n)
				if err != nil {
					return err
				}
				if len(better) > 0 {
					changes = better
				}
			}
			r.Add(i, changes)
			_, err := c.follow(ctx, r, i, n, twins{was: was, is: was})
			return err
		}
		if out.Ignored = c.Options.Contents.Ignored(c.side(c.From, was), c.Options); out.Ignored {
			out.State = diff.Equal
			return nil
		}
	}
	out.State = diff.CannotChange
	return nil
}

// reason is why a node does not compile. What Puppet says of a class or a node statement that is missing ends with the
// node's name, and what code says may have it anywhere: without it, all nodes fail for one reason.
func (n Node) reason(d *source.Diagnostic) *source.Diagnostic {
	if d == nil {
		return nil
	}
	own := *d
	for _, end := range []string{" for " + n.certname(), " or '" + n.certname() + "'"} {
		own.Summary = strings.TrimSuffix(own.Summary, end)
	}
	own.Summary = diff.WithoutName(own.Summary, n.certname())
	return &own
}

func excused(n *diff.Node) {
	d := n.New
	if d == nil {
		d = n.Old
	}
	n.State, n.Excuse = diff.Excused, d.Summary
}

func (c *Comparing) side(s *compiler.Snapshot, res *eval.Result) diff.Side {
	s = s.Current()
	out := diff.Side{Catalog: res.Catalog, Types: s, Modules: s.Environment(), Open: res.Open,
		Absent: standsFor(res)}
	out.Told = res.Open != "" && res.Open == c.doubted[strings.ToLower(res.Catalog.Name)]
	if res.Trace != nil {
		out.Record = res.Record()
	}
	return out
}

// CompareCatalogs compares catalogs that were compiled elsewhere: pairs of the same number belong together, and one
// that is nil was not there.
func CompareCatalogs(from, to []*catalog.Catalog, names []string, opt diff.Options) *diff.Report {
	r := diff.NewReport(names)
	for i := range names {
		switch {
		case from[i] == nil:
			r.Nodes[i].State, r.Nodes[i].Excuse = diff.Excused, "only the new side has it"
		case to[i] == nil:
			r.Nodes[i].State, r.Nodes[i].Excuse = diff.Excused, "only the old side has it"
		default:
			r.Nodes[i].Empty = Empty(from[i]) || Empty(to[i])
			before, after := diff.Side{Catalog: from[i]}, diff.Side{Catalog: to[i]}
			changes := diff.Compare(before, after, opt)
			r.Nodes[i].Ignored = len(changes) == 0 && diff.Ignored(before, after, opt)
			r.Add(i, changes)
		}
	}
	return r
}

// Pick leaves out nodes whose names match none of the patterns; no pattern matches all. It is an error if a pattern
// matches none.
func Pick(nodes []Node, patterns []string) (out []Node, err error) {
	if len(patterns) == 0 {
		return nodes, nil
	}
	used := make([]bool, len(patterns))
	for _, n := range nodes {
		hit := false
		for i, p := range patterns {
			if Match(p, n.Title()) {
				hit, used[i] = true, true
			}
		}
		if hit {
			out = append(out, n)
		}
	}
	for i, p := range patterns {
		if !used[i] {
			return nil, fmt.Errorf("no node is named %s", p)
		}
	}
	return out, nil
}

// Match reports whether a name is the one that a pattern describes: * is any text, ? any character.
func Match(pattern, name string) bool {
	// star and mark are where to go on if what comes behind the last * does not fit.
	p, n, star, mark := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || lower(pattern[p]) == lower(name[n])):
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
