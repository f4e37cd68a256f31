package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"bunraku/diff"
	"bunraku/explain"
	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/facts"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
	"bunraku/source/git"

	"github.com/spf13/cobra"
)

// Questions that need a second compile: another node, another revision, a datum or a fact that were another.

// compareRecords says why a slot is not the same in two records.
func (a *app) compareRecords(f *explainFlags, left, right *explain.Record, leftOf, rightOf string,
	args []string) error {
	attribute := ""
	if len(args) == 3 {
		attribute = args[2]
	}
	answer, err := explain.Compare(left, right, leftOf, rightOf, args[1], attribute)
	if err != nil {
		return a.notFound(f, err)
	}
	return a.showAgainst(f, answer)
}

func (a *app) showAgainst(f *explainFlags, answer *explain.Against) error {
	return a.answer(f, answer, func() { answer.Text(a.out, explain.Show{Style: a.out.Style(), All: f.all}) })
}

// explainAgainst compares with another node, or with the same node at another revision.
func (a *app) explainAgainst(cmd *cobra.Command, f *explainFlags, args []string) error {
	opt := a.options(cmd, &f.compileFlags)
	opt.Trace = true
	o, err := a.open(cmd.Context(), &f.compileFlags, args[0], opt)
	if err != nil {
		return err
	}
	left, err := a.openedRecord(cmd.Context(), o)
	if err != nil {
		return err
	}
	other, err := fleet.Named(o.Files(), f.against, args[0], "")
	if err == nil && other != nil {
		right, err := a.compileRecord(cmd.Context(), o.Snapshot, compiler.Node{Facts: other, Name: f.against})
		if err != nil {
			return err
		}
		return a.compareRecords(f, left, right, left.Catalog.Name, right.Catalog.Name, args)
	}
	revs, rev, err := a.revision(cmd, f, args[0], f.against)
	if err != nil {
		return fail("%s is neither a node whose facts are known nor a revision: %v", f.against, err)
	}
	defer revs.Close()
	d, err := compiler.NewWorkspace(args[0], opt).Snapshot(cmd.Context(), rev.Files)
	if err != nil {
		return err
	}
	right, err := a.compileRecord(cmd.Context(), d, o.node)
	if err != nil {
		return err
	}
	return a.compareRecords(f, left, right, fleet.WorkTree, rev.Title, args)
}

// revision opens a state of the tree by its name.
func (a *app) revision(cmd *cobra.Command, f *explainFlags, env, name string) (*fleet.Revisions, *fleet.Revision,
	error) {
	opt := a.options(cmd, &f.compileFlags)
	revs, err := fleet.NewRevisions(env, compiler.NewWorkspace(env, opt).Disk(),
		environment.Options{ModulePath: opt.ModulePath, BaseModulePath: opt.BaseModulePath, Outside: opt.Outside,
			Roots: opt.Roots}, givenBy(opt, nil))
	if err != nil {
		return nil, nil, err
	}
	rev, err := revs.Open(name)
	if err != nil {
		revs.Close()
		return nil, nil, err
	}
	return revs, rev, nil
}

// whatIf compiles with another datum or fact, and says what would differ: of one slot why, else what on the node.
func (a *app) whatIf(cmd *cobra.Command, f *explainFlags, args []string) error {
	opt := a.options(cmd, &f.compileFlags)
	opt.Trace = true
	ws := compiler.NewWorkspace(args[0], opt)
	view := ws.Disk()
	var nodes []compiler.Node
	if f.node == "" && f.facts == "" && len(args) == 1 {
		all, err := fleet.Nodes(view, args[0], "")
		if err != nil {
			return err
		}
		for _, n := range all {
			nodes = append(nodes, compiler.Node{Facts: n})
		}
	}
	if len(nodes) == 0 {
		node, err := a.node(&f.compileFlags, view, args[0])
		if err != nil {
			return err
		}
		nodes = append(nodes, node)
	}
	before, err := ws.Snapshot(cmd.Context(), view)
	if err != nil {
		return err
	}
	title := ""
	names := make([]string, len(nodes))
	var changes [][]*diff.Change
	for i, node := range nodes {
		left, err := a.compileRecord(cmd.Context(), before, node)
		if err != nil {
			return err
		}
		names[i] = left.Catalog.Name
		title = f.supposed(left)
		after := before
		if len(f.set) > 0 {
			changed, err := a.withData(f, left, view)
			if err != nil {
				return err
			}
			if after, err = ws.Snapshot(cmd.Context(), changed); err != nil {
				return err
			}
		}
		other := node
		for _, set := range f.fact {
			if other.Facts, err = withFact(other.Facts, set, names[i]); err != nil {
				return err
			}
		}
		right, err := a.compileRecord(cmd.Context(), after, other)
		if err != nil {
			return err
		}
		if len(args) > 1 {
			return a.compareRecords(f, left, right, "now", "with "+title, args)
		}
		changes = append(changes, diff.Compare(
			diff.Side{Catalog: left.Catalog, Types: before, Modules: before.Environment(), Record: left.Record},
			diff.Side{Catalog: right.Catalog, Types: after, Modules: after.Environment(), Record: right.Record}, diff.Options{}))
	}
	r := diff.NewReport(names)
	for i, list := range changes {
		r.Add(i, list)
	}
	r.Fail()
	r.Gather()
	r.Name, r.From, r.To = args[0], "now", "with "+title
	return a.showDiff(r, &diffFlags{format: f.format}, diff.Show{Style: a.out.Style(), Full: f.all}, view)
}

// supposed is what --set and --fact say, without the values of secrets.
func (f *explainFlags) supposed(rec *explain.Record) string {
	list := append([]string{}, f.fact...)
	for _, set := range f.set {
		if key, _, _ := strings.Cut(set, "="); rec.SecretKey(key) {
			set = key + "=(sensitive)"
		}
		list = append(list, set)
	}
	return strings.Join(list, ", ")
}

// withData lays data over a view in which keys have other values. VALUE is YAML; without a level it goes where the
// value comes from now, else to the first level that has a file.
func (a *app) withData(f *explainFlags, rec *explain.Record, view source.Files) (source.Files, error) {
	texts := map[string]string{}
	for _, set := range f.set {
		key, rest, ok := strings.Cut(set, "=")
		if !ok || key == "" {
			return nil, fail("--set takes KEY=VALUE or KEY=VALUE@LEVEL, not %q", set)
		}
		text, level := rest, ""
		if i := strings.LastIndexByte(rest, '@'); i >= 0 && !strings.ContainsAny(rest[i:], `'"`) { // not within quotes
			text, level = rest[:i], rest[i+1:]
		}
		file, err := rec.LevelFile(key, level)
		if err != nil {
			return nil, fail("%v", err)
		}
		path := source.Absolute(file)
		old, known := texts[path]
		if !known {
			if content, err := view.Read(path); err == nil {
				old = content.Text
			}
		}
		if texts[path], err = datafile.Set(source.NewFile(file, old), key, text); err != nil {
			return nil, fail("--set %s: %v", set, err)
		}
	}
	return source.NewOverlay(view, texts)
}

// withFact is facts of which one, by its dotted path, is another.
func withFact(old *facts.Facts, set, node string) (*facts.Facts, error) {
	name, text, ok := strings.Cut(set, "=")
	if !ok || name == "" {
		return nil, fail("--fact takes NAME=VALUE, not %q", set)
	}
	n, err := datafile.ReadYAML(source.NewFile("--fact", text))
	if err != nil {
		return nil, fail("--fact %s: %v", set, err)
	}
	var v value.Value = value.String("")
	if n != nil {
		v = n.Value
	}
	f := facts.Facts{Name: node, Values: value.EmptyHash}
	if old != nil {
		f = *old
	}
	f.Values = setPath(f.Values, strings.Split(strings.TrimPrefix(name, "facts."), "."), v)
	return &f, nil
}

// setPath is a hash in which the value at the end of a way is another.
func setPath(h *value.Hash, way []string, v value.Value) *value.Hash {
	b := h.From(1)
	if len(way) > 1 {
		inner, _ := h.At(way[0]).(*value.Hash)
		if inner == nil {
			inner = value.EmptyHash
		}
		v = setPath(inner, way[1:], v)
	}
	b.SetString(way[0], v)
	return b.Hash()
}

// explainSince finds the newest commit that changed a slot. It goes back along first parents; commits in which no
// answer that the compile asked for is another are passed over without compiling. A value may change and come back, so
// that nothing is searched by halves.
func (a *app) explainSince(cmd *cobra.Command, f *explainFlags, args []string) error {
	revs, since, err := a.revision(cmd, f, args[0], f.since)
	if err != nil {
		return fail("%v", err)
	}
	defer revs.Close()
	if since.Tree == nil {
		return fail("--since takes a revision of git, and %s is none", f.since)
	}
	opt := a.options(cmd, &f.compileFlags)
	opt.Questions = true
	w := &walker{a: a, cmd: cmd, f: f, revs: revs, ws: compiler.NewWorkspace(args[0], opt), args: args,
		stop: since.Tree.Commit()}
	if w.node, err = a.node(&f.compileFlags, w.ws.Disk(), args[0]); err != nil {
		return err
	}
	now, err := w.at("")
	if err != nil {
		return err
	}
	if now.failed {
		return fail("the work tree does not compile; nothing can be said about the value")
	}
	head, err := revs.Repo.Resolve("HEAD")
	if err != nil {
		return err
	}
	found, err := w.walk(cmd.Context(), now, "", head)
	if err != nil {
		return err
	}
	if found == nil {
		return a.notFound(f, &explain.NotFound{Message: fmt.Sprintf(
			"no commit since %s changed %s (%s looked at, %s compiled)",
			since.Title, strings.Join(args[1:], " "), plural(w.looked, "commit"), plural(w.compiled, "commit"))})
	}
	return w.tell(found)
}

// A walker goes back through history.
type walker struct {
	a    *app
	cmd  *cobra.Command
	f    *explainFlags
	revs *fleet.Revisions
	ws   *compiler.Workspace
	node compiler.Node
	args []string
	stop git.ID

	looked, compiled int
}

// A state is the slot at one commit.
type state struct {
	rev    string // "" is the work tree
	text   string
	there  bool
	failed bool // it does not compile
	holds  func(*compiler.Snapshot) (bool, error)
}

func (s *state) same(o *state) bool { return s.there == o.there && s.text == o.text }

// at compiles the slot at a commit.
func (w *walker) at(rev string) (*state, error) {
	r, err := w.revs.Open(rev)
	if err != nil {
		return nil, err
	}
	return w.compile(rev, r)
}

func (w *walker) compile(rev string, r *fleet.Revision) (*state, error) {
	s := &state{rev: rev}
	c, err := w.ws.Snapshot(w.cmd.Context(), r.Files)
	if err != nil {
		s.failed = true
		return s, nil
	}
	defer c.Close()
	w.compiled++
	res, err := c.Compile(w.cmd.Context(), w.node)
	if err != nil {
		return nil, err
	}
	w.a.keep(res)
	if s.failed = res.Failure != nil; s.failed {
		return s, nil
	}
	attribute := ""
	if len(w.args) == 3 {
		attribute = w.args[2]
	}
	if s.text, s.there, err = explain.Of(res.Record()).Slot(w.args[1], attribute); err != nil {
		return nil, err
	}
	if res.Questions != nil {
		questions := res.Questions()
		s.holds = func(c *compiler.Snapshot) (bool, error) {
			holds, _, err := c.Holds(w.cmd.Context(), questions, w.node)
			return holds, err
		}
	}
	return s, nil
}

// A turned is two commits next to each other between which a slot changed: those between do not compile.
type turned struct {
	new, old string // revisions; "" for the work tree
	gap      bool
}

// walk goes back from a state to where the slot was another.
func (w *walker) walk(ctx context.Context, s *state, newer string, id git.ID) (*turned, error) {
	gap := false
	for ; ; w.looked++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rev := id.String()
		r, err := w.revs.Open(rev)
		if err != nil {
			return nil, err
		}
		next := &state{rev: rev, text: s.text, there: s.there, holds: s.holds}
		held := false
		if s.holds != nil {
			if c, err := w.ws.Snapshot(ctx, r.Files); err == nil {
				held, err = s.holds(c)
				c.Close()
				if err != nil {
					return nil, err
				}
			}
		}
		if !held {
			if next, err = w.compile(rev, r); err != nil {
				return nil, err
			}
		}
		switch {
		case next.failed:
			gap = true
		case !next.same(s):
			return w.merged(ctx, s, newer, rev, gap, next)
		default:
			s, newer, gap = next, rev, false
		}
		commit, err := w.revs.Repo.Commit(id)
		if err != nil {
			return nil, err
		}
		if id == w.stop || len(commit.Parents) == 0 {
			return nil, nil
		}
		id = commit.Parents[0]
	}
}

// merged is the answer, or what a branch says that the newer commit merged.
func (w *walker) merged(ctx context.Context, s *state, newer, older string, gap bool, was *state) (*turned, error) {
	out := &turned{newer, older, gap}
	if newer == "" {
		return out, nil
	}
	id, err := w.revs.Repo.Resolve(newer)
	if err != nil {
		return nil, err
	}
	commit, err := w.revs.Repo.Commit(id)
	if err != nil || len(commit.Parents) < 2 || gap {
		return out, err
	}
	branch, err := w.at(commit.Parents[1].String())
	if err != nil || branch.failed || !branch.same(s) {
		return out, err
	}
	stop := w.stop
	defer func() { w.stop = stop }()
	if bases, err := w.revs.Repo.MergeBase(ctx, commit.Parents[0], commit.Parents[1]); err == nil && len(bases) > 0 {
		w.stop = bases[0]
	}
	found, err := w.walk(ctx, branch, commit.Parents[1].String(), commit.Parents[1])
	if found == nil || err != nil {
		return out, err
	}
	return found, nil
}

// tell says which commit it was and what differs at it.
func (w *walker) tell(c *turned) error {
	opt := w.a.options(w.cmd, &w.f.compileFlags)
	opt.Trace = true
	ws := compiler.NewWorkspace(w.args[0], opt)
	record := func(rev string) (*explain.Record, string, error) {
		r, err := w.revs.Open(rev)
		if err != nil {
			return nil, "", err
		}
		s, err := ws.Snapshot(w.cmd.Context(), r.Files)
		if err != nil {
			return nil, "", err
		}
		rec, err := w.a.compileRecord(w.cmd.Context(), s, w.node)
		return rec, r.Title, err
	}
	old, oldTitle, err := record(c.old)
	if err != nil {
		return err
	}
	new, newTitle, err := record(c.new)
	if err != nil {
		return err
	}
	attribute := ""
	if len(w.args) == 3 {
		attribute = w.args[2]
	}
	answer, err := explain.Compare(old, new, oldTitle, newTitle, w.args[1], attribute)
	if err != nil {
		return w.a.notFound(w.f, err)
	}
	if c.new == "" {
		answer.Note = "It is not committed yet."
	} else {
		id, err := w.revs.Repo.Resolve(c.new)
		if err != nil {
			return err
		}
		commit, err := w.revs.Repo.Commit(id)
		if err != nil {
			return err
		}
		answer.Commit = &explain.Change{Commit: id.String()[:9], Author: commit.Author.Name,
			Date: time.Unix(commit.Author.Time, 0).UTC().Format(time.DateOnly), Summary: commit.Summary}
	}
	if c.gap {
		answer.Note = strings.TrimSpace(answer.Note +
			" Commits between the two do not compile: it may have been one of them.")
	}
	return w.a.showAgainst(w.f, answer)
}
