// Package migrate moves nodes to another language: what stands in the way of Puppet 8, and the edits that take it
// away.
//
// A node is compiled under both languages. Where the later one refuses what the earlier one takes, or makes something
// else of it, edits are looked for that say the same in words that both take (edit.go, facts.go). They are laid over
// the files and the node is compiled once more, so that all that stands in the way comes up, one after the other.
// Nothing is believed of an edit: one that does not help is dropped, and all of them together are worth something only
// if the node then compiles to the catalog that it had, under the later language and under the earlier one. What holds
// for one node is there for the next; in the end everything is tried on every node.
//
// It may import the compiler and what is below it. Start reading at Node.
package migrate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Migration moves the nodes of one tree.
type Migration struct {
	before, after *compiler.Workspace
	root          string // the tree as its user calls it
	files         source.Files
	texts         map[string]string // what edits have made of files, by absolute path
}

// New is a migration of a tree from what one workspace compiles to what the other one does.
func New(root string, before, after *compiler.Workspace, files source.Files) *Migration {
	return &Migration{before: before, after: after, root: root, files: files, texts: map[string]string{}}
}

// name is a file's name as its user writes it.
func (g *Migration) name(path string) string {
	if rest, in := strings.CutPrefix(path, source.Absolute(g.root)+"/"); in {
		return filepath.ToSlash(filepath.Join(g.root, rest))
	}
	return path
}

// A Move is what becomes of a node.
type Move struct {
	Node    string
	Failure *source.Diagnostic // under the earlier language: there is nothing to compare
	Steps   []Step             // what stands in the way, in the order in which it came up
	Done    bool               // with the edits of all steps the node compiles
	Changes []string           // in what its catalog then differs from the one that it had; none if it is the same
	Earlier []string           // in what the edits change the catalog that the earlier language makes
	Partial bool               // modules are missing: both catalogs lack what hangs on them
	edited  int                // how many files had been edited by then
}

// A Step is an error of the later language, or the change of a catalog, with the edits that take it away if some are
// known.
type Step struct {
	Trouble *source.Diagnostic
	Edits   []source.Edit
}

// Same reports whether the node compiles to the same catalog, with the edits of its steps if there are any.
func (m *Move) Same() bool {
	return m.Failure == nil && m.Done && len(m.Changes) == 0 && len(m.Earlier) == 0
}

// mostSteps bounds what is tried for one node, mostDrops how often a set of edits is made smaller.
const mostSteps, mostDrops = 100, 24

// Node tries to move a node. Facts under old names, which agents of Puppet 8 do not send, are taken away under the
// later language.
func (g *Migration) Node(ctx context.Context, n compiler.Node) (*Move, error) {
	m := &Move{Node: n.Name}
	if m.Node == "" && n.Facts != nil {
		m.Node = n.Facts.Name
	}
	was, err := g.compile(ctx, g.before, nil, n)
	if err != nil {
		return nil, err
	}
	m.Partial = was.partial
	if m.Failure = was.failure; m.Failure != nil {
		return m, nil
	}
	t := &try{Migration: g, ctx: ctx, was: was.catalog, node: n, old: n.Facts}
	t.node.Facts = withoutLegacy(n.Facts)
	state := maps.Clone(g.texts)
	now, err := t.run(state)
	if err != nil {
		return nil, err
	}
	for !now.good() && len(m.Steps) < mostSteps {
		set, next, err := t.improve(now)
		if err != nil {
			return nil, err
		}
		steps, err := t.steps(now, set)
		if err != nil {
			return nil, err
		}
		m.Steps = append(m.Steps, steps...)
		if set == nil {
			break
		}
		now = next
	}
	m.Done, m.Changes = now.failure == nil, now.changes
	if now.good() && len(m.Steps) > 0 {
		if m.Earlier, err = t.earlier(n, now.texts); err != nil {
			return nil, err
		}
	}
	if m.Same() {
		g.texts = now.texts
	}
	m.edited = len(g.texts)
	return m, nil
}

// Confirm tries all edits on a node that was moved before they were all there.
func (g *Migration) Confirm(ctx context.Context, m *Move, n compiler.Node) error {
	if !m.Same() || m.edited == len(g.texts) && len(m.Steps) > 0 {
		return nil
	}
	was, err := g.compile(ctx, g.before, nil, n)
	if err != nil {
		return err
	}
	t := &try{Migration: g, ctx: ctx, was: was.catalog, node: n, old: n.Facts}
	t.node.Facts = withoutLegacy(n.Facts)
	now, err := t.run(g.texts)
	if err != nil {
		return err
	}
	if m.Done, m.Changes = now.failure == nil, now.changes; !m.Done {
		m.Steps = append(m.Steps, Step{Trouble: now.failure})
		return nil
	}
	m.Earlier, err = t.earlier(n, g.texts)
	return err
}

// Edited are the files that the edits change, and what they make of them.
func (g *Migration) Edited() (files []*source.File, texts []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(g.texts)) {
		c, err := g.files.Read(name)
		if err != nil {
			return nil, nil, err
		}
		files, texts = append(files, source.NewFile(g.name(name), c.Text)), append(texts, g.texts[name])
	}
	return files, texts, nil
}

// An outcome is what a compile came to.
type outcome struct {
	texts   map[string]string
	failure *source.Diagnostic
	catalog *catalog.Catalog
	changes []string
	partial bool
	read    []*source.File // what it read of the tree, by name
}

func (o *outcome) good() bool { return o.failure == nil && len(o.changes) == 0 }

// better reports whether an edit has helped: the error is gone, perhaps for the next one, or the catalog has come
// closer.
func (o *outcome) better(than *outcome) bool {
	switch {
	case than.failure == nil:
		return o.failure == nil && len(o.changes) < len(than.changes)
	case o.failure == nil:
		return true
	}
	return o.failure.Summary != than.failure.Summary || o.failure.Place.String() != than.failure.Place.String()
}

// like reports whether two outcomes are the same for whoever moves a node.
func (o *outcome) like(x *outcome) bool {
	if o.failure == nil || x.failure == nil {
		return o.failure == x.failure && slices.Equal(o.changes, x.changes)
	}
	return o.failure.Summary == x.failure.Summary && o.failure.Place.File != nil && x.failure.Place.File != nil &&
		o.failure.Place.File.Name == x.failure.Place.File.Name
}

// compile makes a node's catalog of the files with texts laid over them.
func (g *Migration) compile(ctx context.Context, ws *compiler.Workspace, texts map[string]string, n compiler.Node) (
	*outcome, error) {
	view, err := source.NewOverlay(g.files, maps.Clone(texts))
	if err != nil {
		return nil, err
	}
	seen := &reading{Files: view, texts: map[string]string{}}
	snap, err := ws.Snapshot(ctx, seen)
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	res, err := snap.Compile(ctx, n)
	if err != nil {
		return nil, err
	}
	return &outcome{texts: texts, failure: res.Failure, catalog: res.Catalog, partial: res.Partial(),
		read: seen.files(g.name)}, nil
}

// A reading is a view of files that remembers what was read.
type reading struct {
	source.Files
	mu    sync.Mutex
	texts map[string]string
}

// Read implements source.Files.
func (r *reading) Read(p string) (source.Content, error) {
	c, err := r.Files.Read(p)
	if err == nil {
		r.mu.Lock()
		r.texts[p] = c.Text
		r.mu.Unlock()
	}
	return c, err
}

func (r *reading) files(called func(string) string) (out []*source.File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.texts)) {
		out = append(out, source.NewFile(called(name), r.texts[name]))
	}
	return out
}

// A try is the search for the edits of one node.
type try struct {
	*Migration
	ctx  context.Context
	was  *catalog.Catalog
	node compiler.Node // with the facts of the later language
	old  *facts.Facts  // those of the earlier one
}

// run compiles the node under the later language.
func (t *try) run(texts map[string]string) (*outcome, error) {
	o, err := t.compile(t.ctx, t.after, texts, t.node)
	if err == nil && o.failure == nil {
		o.changes, err = changes(t.was, o.catalog)
		for i, c := range o.changes {
			o.changes[i] = strings.ReplaceAll(c, source.Absolute(t.root)+"/", strings.TrimSuffix(t.root, "/")+"/")
		}
	}
	return o, err
}

// earlier says in what edits change the catalog of the earlier language.
func (t *try) earlier(n compiler.Node, texts map[string]string) ([]string, error) {
	o, err := t.compile(t.ctx, t.before, texts, n)
	if err != nil {
		return nil, err
	}
	if o.failure != nil {
		return []string{o.failure.Summary}, nil
	}
	return changes(t.was, o.catalog)
}

// An edit is one change of a file.
type edit struct {
	file *source.File // as it is with the edits so far
	at   source.Span
	text string
	why  string // what it is about, if no error says that
}

// A set is edits that are tried together. Of a loose one every edit may be left out.
type set struct {
	edits []edit
	loose bool
}

// improve looks for edits after which a compile comes further. The first set that ends the search or leads to trouble
// elsewhere is taken. One after which the catalog differs, or the edited line fails in another way, is taken only if
// no other one does better.
func (t *try) improve(now *outcome) ([]edit, *outcome, error) {
	var best set
	var came *outcome
	for s := range t.candidates(now) {
		next, err := t.with(now, s.edits)
		if err != nil {
			return nil, nil, err
		}
		if next == nil || !next.better(now) {
			continue
		}
		further := next.good() || next.failure != nil && !next.failsIn(s.edits)
		if further || came == nil || next.failure == nil && (came.failure != nil || len(next.changes) < len(came.changes)) {
			best, came = s, next
		}
		if further {
			break
		}
	}
	if came == nil || !best.loose {
		return best.edits, came, nil
	}
	return t.fewer(now, best.edits, came)
}

// failsIn reports whether a compile fails in a line that was edited.
func (o *outcome) failsIn(edits []edit) bool {
	at := o.failure.Place.Outer()
	return at.File != nil && slices.ContainsFunc(edits, func(e edit) bool {
		return source.Absolute(e.file.Name) == source.Absolute(at.File.Name) &&
			(source.Place{File: e.file, Span: e.at}).Line() == at.Line()
	})
}

// with runs with one more set of edits, nil if they make no sense.
func (t *try) with(now *outcome, set []edit) (*outcome, error) {
	texts := maps.Clone(now.texts)
	if texts == nil {
		texts = map[string]string{}
	}
	set = slices.Clone(set)
	slices.SortFunc(set, func(a, b edit) int {
		return cmp.Or(strings.Compare(a.file.Name, b.file.Name), cmp.Compare(b.at.Start, a.at.Start))
	})
	for i, e := range set {
		name := source.Absolute(e.file.Name)
		text, is := texts[name]
		if i == 0 || set[i-1].file.Name != e.file.Name {
			text, is = e.file.Text, true
		}
		if !is || int(e.at.End) > len(text) {
			return nil, nil
		}
		texts[name] = text[:e.at.Start] + e.text + text[e.at.End:]
	}
	for _, e := range set {
		if name := source.Absolute(e.file.Name); !parses(name, texts[name]) && parses(name, e.file.Text) {
			return nil, nil
		}
	}
	return t.run(texts)
}

// parses reports whether a manifest or a template is one.
func parses(name, text string) bool {
	parse := syntax.Parse
	switch path.Ext(name) {
	case ".epp":
		parse = syntax.ParseEPP
	case ".pp":
	default:
		return true
	}
	_, ds := parse(source.NewFile(name, text), syntax.Options{Language: source.Puppet7})
	return !ds.HasErrors()
}

// fewer leaves out of a set of edits what is not needed for what they came to: first whole files, then single ones.
func (t *try) fewer(now *outcome, edits []edit, next *outcome) ([]edit, *outcome, error) {
	drops := 0
	drop := func(gone func(e edit) bool) error {
		less := slices.DeleteFunc(slices.Clone(edits), gone)
		if drops++; drops > mostDrops || len(less) == 0 || len(less) == len(edits) {
			return nil
		}
		o, err := t.with(now, less)
		if err == nil && o != nil && o.like(next) {
			edits, next = less, o
		}
		return err
	}
	files := map[string]bool{}
	for _, e := range edits {
		files[e.file.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := drop(func(e edit) bool { return e.file.Name == name }); err != nil {
			return nil, nil, err
		}
	}
	for _, x := range slices.Clone(edits) {
		if err := drop(func(e edit) bool { return e == x }); err != nil {
			return nil, nil, err
		}
	}
	return edits, next, nil
}

// steps are an error, or a change, with what takes it away.
func (t *try) steps(now *outcome, edits []edit) (out []Step, err error) {
	place := func(e edit) source.Place { return source.Place{File: e.file, Span: e.at} }
	if now.failure != nil {
		s := Step{Trouble: now.failure}
		for _, e := range edits {
			s.Edits = append(s.Edits, source.Edit{Place: place(e), Text: e.text})
		}
		return []Step{s}, nil
	}
	for i, e := range edits {
		change := now.changes
		if len(edits) > 1 && i < mostDrops { // what this one alone takes away
			alone, err := t.with(now, []edit{e})
			if err != nil {
				return nil, err
			}
			if alone != nil && alone.failure == nil {
				change = slices.DeleteFunc(slices.Clone(change), func(c string) bool { return slices.Contains(alone.changes, c) })
			}
		}
		d := &source.Diagnostic{Severity: source.Warning, Place: place(e), Summary: e.why}
		if len(change) > 0 {
			d.Summary += ", which changes the catalog: " + change[0]
		}
		if len(change) > 1 {
			d.Detail = fmt.Sprintf("and %d more of its lines", len(change)-1)
		}
		out = append(out, Step{Trouble: d, Edits: []source.Edit{{Place: place(e), Text: e.text}}})
	}
	return out, nil
}

// changes compares catalogs as agents get them, without what a server says of itself.
func changes(a, b *catalog.Catalog) ([]string, error) {
	wire := func(c *catalog.Catalog) (*catalog.Catalog, error) {
		text, err := catalog.JSON{Types: types.ToData}.Append(nil, c)
		if err != nil {
			return nil, err
		}
		return catalog.Read(text)
	}
	x, err := wire(a)
	if err != nil {
		return nil, err
	}
	y, err := wire(b)
	if err != nil {
		return nil, err
	}
	return catalog.Diff(x, y), nil
}

// withoutLegacy leaves out the facts under old names, if the node has structured ones at all: somebody may have written
// down a few facts by hand.
func withoutLegacy(f *facts.Facts) *facts.Facts {
	if f == nil || f.Values == nil {
		return f
	}
	b := value.NewHashBuilder(f.Values.Len())
	for _, e := range f.Values.Entries() {
		if name, is := e.Key.(value.String); !is || !sentNoMore(string(name), f.Values) {
			b.SetEntry(e)
		}
	}
	out := *f
	out.Values = b.Hash()
	return &out
}

// sentNoMore reports whether a fact is one that agents of Puppet 8 leave out.
func sentNoMore(name string, all *value.Hash) bool {
	modern, _ := facts.Modern(name, all)
	if modern == nil {
		return false
	}
	_, structured := all.At(modern[0]).(*value.Hash)
	return structured
}
