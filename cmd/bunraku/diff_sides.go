package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"bunraku/budget"
	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/fleet/store"
	"bunraku/judge"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/exported"
	"bunraku/source"
	"bunraku/source/git"
	"bunraku/verify/model"

	"github.com/spf13/cobra"
)

// A noRepository says that a tree has no history to compare it with.
type noRepository struct{ error }

// A diffing is two states of a tree that are compared, and the nodes.
type diffing struct {
	root, name       string
	revs             *fleet.Revisions
	old, new         *fleet.Revision
	oldSide, newSide pair
	nodes            []fleet.Node
	everybody        []fleet.Node    // also those that are not compared: they may export something
	invented         bool            // the nodes are
	restless         []string        // nodes that would still be told something else by others
	unsure           []string        // nodes of which it is not known whether they have the class
	abroad           []*fleet.Abroad // nodes that belong to other environments
	beside           []string        // environments beside this one whose nodes export, too
	c                *fleet.Comparing
	judge            *judge.Judge    // of consequences; nil until they are asked for
	dirs             []string        // of which it counts how they changed
	paths            []string        // of files that are not the same
	looked           []*source.Noted // what nodes that change look at, on both sides
	disk             []string        // digests of what both sides have from the disk; nil until they are asked for
	alike            []string        // what is to be said of files that changed, and that both sides have from one place
}

// openDiff opens the sides that the flags name.
func (a *app) openDiff(ctx context.Context, cmd *cobra.Command, root string, f *diffFlags,
	compare diff.Options) (_ *diffing, err error) {
	own := slices.Clone(f.partDirs) // what we write is no part of the tree, and must not change it under our eyes
	if f.store != "" {
		if err := os.MkdirAll(f.store, 0o700); err != nil {
			return nil, err
		}
		own = append(own, f.store)
	}
	for _, dir := range f.with {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, fail("--with %s: there is no such directory, so nothing of it would lie under the sides", dir)
		}
	}
	opt := a.options(cmd, &f.compileFlags)
	opt.StandIn, opt.Questions = true, true
	opt.ListsExports = f.format != "octocatalog" // which never shows them
	opt.Inputs = append(opt.Inputs, f.with...)
	name := filepath.Base(source.Absolute(root))
	root = withoutLinks(root)
	d := &diffing{root: root, name: name, oldSide: newPair(root, opt)}
	defer func() {
		if err = d.confirm(err); err != nil {
			d.close()
		}
	}()
	d.c = &fleet.Comparing{Questions: true, Options: compare, Want: &fleet.Want{},
		Watch: func(r *eval.Result) { a.keep(r) }}
	d.newSide = d.oldSide
	if f.later != 0 && f.later != f.language {
		opt.Language, d.c.Questions = f.later, false
		d.newSide = newPair(root, opt)
	}
	if d.revs, err = fleet.NewRevisions(root, d.newSide.plain.Disk(),
		environment.Options{ModulePath: opt.ModulePath, BaseModulePath: opt.BaseModulePath, Outside: opt.Outside,
			Roots: opt.Roots}, givenBy(opt, f.with)); err != nil {
		return nil, err
	}
	if d.revs.Repo != nil {
		f.top = d.revs.Repo.WorkTree()
	}
	from, note := f.from, ""
	switch {
	case f.fork:
		if from, err = d.revs.Fork(ctx, f.from, cmp.Or(f.to, "HEAD")); err != nil {
			return nil, &noRevision{f.from, err}
		}
		note = f.from
	case from == "" && !d.c.Questions: // another language is the change
		from = f.to
	case from == "":
		if from, note, err = d.revs.Base(ctx, f.to); err != nil && d.revs.Repo == nil {
			err = &noRepository{err}
		}
		if err != nil {
			return nil, err
		}
	}
	if opt.Ruby == compiler.RubySystem && from != f.to {
		return nil, fail("--ruby=system reads the files that lie on the disk, and not those of two sides: " +
			"leave it out, then what our own interpreter cannot run is told as not known")
	}
	if d.old, err = d.revs.Open(from); err != nil {
		return nil, &noRevision{from, err}
	}
	if d.new, err = d.revs.Open(f.to); err != nil {
		return nil, &noRevision{f.to, err}
	}
	if err = d.there(own); err != nil {
		return nil, err
	}
	d.revs.Lend(d.old, d.new)
	if err = f.missing(a.err, func(name string) bool {
		at := source.Absolute(name)
		return source.Exists(d.old.Files, at) || source.Exists(d.new.Files, at) || isThere(name)
	}); err != nil {
		return nil, err
	}
	if note != "" {
		d.old.Title += " (" + note + ")"
	}
	if f.later != 0 {
		d.old.Title, d.new.Title = f.language.Title(), f.later.Title()
	}
	if d.everybody, d.nodes, d.invented, err = a.diffNodes(ctx, d.newSide.plain, d.old, d.new, root, f); err != nil {
		return nil, err
	}
	if err = a.keepIn(d, f, opt); err != nil {
		return nil, err
	}
	if d.c.From, err = d.oldSide.plain.Snapshot(ctx, d.old.Files); err != nil {
		return nil, fmt.Errorf("%s: %w", d.old.Title, err)
	}
	if d.c.To, err = d.newSide.plain.Snapshot(ctx, d.new.Files); err != nil {
		return nil, fmt.Errorf("%s: %w", d.new.Title, err)
	}
	d.c.Moved = d.revs.Moved(d.old, d.new, d.c.From.Environment(), d.c.To.Environment())
	if err = d.readAlike(); err != nil {
		return nil, err
	}
	if err = d.leaveOut(ctx); err != nil {
		return nil, err
	}
	stored, err := f.stored(ctx)
	if err != nil {
		return nil, err
	}
	if stored != nil && !d.invented {
		d.c.OldExports, d.c.NewExports = stored, stored
	}
	if on, err := f.exchanges(); err != nil {
		return nil, err
	} else if on && !d.invented {
		if d.restless, err = d.c.Exchange(ctx, d.everybody); err != nil {
			return nil, err
		}
	}
	if d.nodes, d.unsure, err = d.c.Having(ctx, d.nodes, f.having); err != nil {
		return nil, err
	}
	if len(d.nodes) == 0 {
		return nil, fail("no node has the class %s on either side", strings.Join(f.having, " or "))
	}
	dirs, linked := d.reached(f.hiera)
	d.dirs = dirs
	if d.paths, err = d.revs.Changed(ctx, d.old, d.new, dirs); err != nil {
		return nil, err
	}
	for i, dir := range own {
		own[i] = source.Absolute(dir)
	}
	d.paths = slices.DeleteFunc(d.paths, func(p string) bool { return inside(p, own) })
	if err = d.findAlike(ctx, f); err != nil {
		return nil, err
	}
	d.c.OtherData = slices.ContainsFunc(d.paths, d.isData)
	maybeNamed := func(p string) bool { return maybeModuleFile(p, linked) }
	if slices.ContainsFunc(d.paths, maybeNamed) || d.otherModules() {
		d.c.Options.Contents = diff.NewContents(d.c.From.Environment(), d.c.To.Environment(), d.revs.Modes(d.old, d.new))
	}
	return d, nil
}

// isData reports whether Hiera may read a file: of the environment, or of a module.
func (d *diffing) isData(p string) bool {
	if strings.Contains(p, "/data/") {
		return true
	}
	config := filepath.Join(source.Absolute(d.root), "hiera.yaml")
	return inside(p, fleet.DataPlaces(d.old.Files, config)) || inside(p, fleet.DataPlaces(d.new.Files, config))
}

// givenBy is what flags name besides the environment.
func givenBy(opt compiler.Options, with []string) fleet.Given {
	out := fleet.Given{With: with, Hiera: opt.GlobalHiera}
	for _, d := range opt.DataDirs {
		out.Data = append(out.Data, d.To)
	}
	return out
}

// withoutLinks is a directory by the path that git has it at: links may lead to it by the one that it was given by. One
// that is a link of the repository itself is what each side's says.
func withoutLinks(root string) string {
	whole, err := filepath.EvalSymlinks(source.Absolute(root))
	if err == nil {
		if repo, err := git.Open(whole, git.Options{}); err == nil {
			defer repo.Close()
			if inside(source.Absolute(root), []string{repo.WorkTree()}) {
				return root
			}
			view := source.NewDir(source.DirOptions{Roots: []string{root}})
			whole = cmp.Or(view.Enters(repo.WorkTree(), source.Absolute(root)), whole)
		}
	}
	if err != nil || source.Absolute(root) == filepath.ToSlash(whole) {
		return root // or it is told when it is read
	}
	if real, err := filepath.EvalSymlinks(root); err == nil && source.Absolute(real) == filepath.ToSlash(whole) {
		return real // as short as it was given
	}
	return whole
}

// confirm is the error of what was made of the two sides. Where something of these could not be had, as in a clone
// without the contents of files, it is that: nothing that was made of them counts.
func (d *diffing) confirm(err error) error {
	for _, side := range []*fleet.Revision{d.old, d.new} {
		if side == nil || side.Tree == nil {
			continue
		}
		if why := side.Tree.Confirm(); why != nil {
			return fmt.Errorf("%s: %w", side.Title, why)
		}
	}
	return err
}

// there reports an error if a side has not got the environment at all, or if what we write would lie among its files:
// those would not be looked at.
func (d *diffing) there(own []string) error {
	root := source.Absolute(d.root)
	for _, side := range []*fleet.Revision{d.old, d.new} {
		if _, err := side.Files.Stat(root); errors.Is(err, fs.ErrNotExist) {
			return fail("there is no %s in %s: name one that both sides have, or another revision with --from and --to",
				d.root, side.Title)
		}
	}
	for _, dir := range own {
		if at := d.revs.Home(source.Absolute(dir)); inside(root, []string{at}) || d.old.Commits(at) || d.new.Commits(at) {
			return fail("%s holds files of the tree: --store, --out of --shard and parts need a directory of their own", dir)
		}
	}
	return nil
}

// readAlike reports an error if modules may be read on one side only: a revision has the whole repository, the work
// tree what the user named. What is missing there would be taken for removed.
func (d *diffing) readAlike() error {
	for _, dir := range d.c.From.Environment().ModulePath {
		if !slices.Contains(d.c.To.Environment().ModulePath, dir) {
			continue
		}
		var no *source.Refused
		_, was := d.old.Files.Stat(dir)
		_, is := d.new.Files.Stat(dir)
		if errors.As(was, &no) != errors.As(is, &no) {
			return fail("the module path %s %s on one side; allow it with %s", dir, no.Why, cmp.Or(no.Flag, "--root "+dir))
		}
	}
	return nil
}

// leaveOut takes the nodes from those that are compared which belong to other environments. They go on exporting.
func (d *diffing) leaveOut(ctx context.Context) (err error) {
	if d.invented {
		return nil
	}
	d.nodes, d.abroad, err = fleet.AtHome(ctx, d.c.To, d.nodes)
	if err != nil {
		return err
	}
	if len(d.nodes) == 0 {
		return nobodyHere(d.abroad)
	}
	here, others, err := fleet.AtHome(ctx, d.c.To, d.everybody)
	d.everybody = append(here, fleet.Exporters(others)...)
	for _, a := range others {
		if a.There {
			d.beside = append(d.beside, "'"+a.Environment+"'")
		}
	}
	return err
}

// A noRevision says that a state cannot be opened.
type noRevision struct {
	name string
	error
}

func (n *noRevision) Unwrap() error { return n.error }

// otherModules reports whether a module is in another directory on the new side, or on one side only: then a source
// leads elsewhere though no file is different.
func (d *diffing) otherModules() bool {
	return !slices.EqualFunc(d.c.From.Environment().Modules(), d.c.To.Environment().Modules(),
		func(a, b *environment.Module) bool { return a.Name == b.Name && a.Dir == b.Dir })
}

// manyNodes is from how many nodes on a store pays even if it is thrown away afterwards: many of them are alike.
const manyNodes = 100

// veryManyNodes is from how many on more memory pays.
const veryManyNodes = 1000

// keepIn opens the store that the flags name, or one for this run only if there are many nodes. The sides are then
// compiled with its key.
func (a *app) keepIn(d *diffing, f *diffFlags, opt compiler.Options) (err error) {
	if f.merging || f.format == "octocatalog" || f.store == "" && len(d.nodes) < manyNodes {
		return nil
	}
	if len(d.nodes) >= veryManyNodes {
		budget.Roomier()
	}
	if f.store != "" {
		d.c.Store, err = store.Open(f.store)
	} else {
		d.c.Store, err = store.Temporary()
	}
	if errors.Is(err, store.ErrLocked) {
		fmt.Fprintf(a.err, "note: another process uses the store %s: going on without it\n", f.store)
		return nil
	}
	if errors.Is(err, syscall.ENOSPC) {
		fmt.Fprintf(a.err, "note: there is no room for the store %s: going on without it\n", cmp.Or(f.store, os.TempDir()))
		return nil
	}
	if err != nil {
		return err
	}
	if d.c.Store.Aside != "" {
		fmt.Fprintf(a.err, "note: %s\n", d.c.Store.Aside)
	}
	opt.Key = d.c.Store.Key()
	opt.Decrypted = func(text string) {
		a.secrets.Add(text)
		d.c.Store.Decrypted(text)
	}
	language := opt.Language
	opt.Language = f.language
	d.oldSide = newPair(d.root, opt)
	if d.newSide = d.oldSide; language != f.language {
		opt.Language = language
		d.newSide = newPair(d.root, opt)
	}
	return nil
}

// close gives back what the sides hold.
func (d *diffing) close() {
	if d.c.Store != nil {
		defer d.c.Store.Close()
	}
	if d.judge != nil {
		d.judge.Close()
	}
	for _, s := range []*compiler.Snapshot{d.c.From, d.c.To} {
		if s != nil {
			s.Close()
		}
	}
	if d.revs != nil {
		d.revs.Close()
	}
}

// diffRevisions compares two states of a tree.
func (a *app) diffRevisions(ctx context.Context, d *diffing, f *diffFlags) (*diff.Report, error) {
	r, err := a.compareNodes(ctx, d, f, d.nodes)
	if err != nil {
		return nil, err
	}
	return r, d.conclude(ctx, r)
}

// compareNodes compares some nodes, one by one.
func (a *app) compareNodes(ctx context.Context, d *diffing, f *diffFlags, nodes []fleet.Node) (*diff.Report, error) {
	d.explains(f)
	if d.judge == nil && !d.c.Options.Exact {
		d.judge = judge.New(judge.Options{Budget: model.DefaultUnits, Hide: a.secrets.Hide})
		d.c.Consequences = &fleet.Consequences{Judge: d.judge}
	}
	bar := a.progress("comparing nodes", len(nodes))
	d.c.Step = bar.step
	r, err := d.c.Compare(ctx, nodes)
	bar.stop()
	if d.c.Store != nil && d.c.Store.Err() != nil {
		fmt.Fprintf(a.err, "note: the nodes were compared without the store: %v\n", d.c.Store.Err())
	}
	return r, d.confirm(err)
}

// explains makes nodes that change be compiled with provenance, unless the format has no room for what it says.
func (d *diffing) explains(f *diffFlags) {
	if d.c.Options.Exact = f.format == "octocatalog"; !d.c.Options.Exact && d.c.Traced == nil {
		d.looked = []*source.Noted{source.NewNoted(d.old.Files), source.NewNoted(d.new.Files)}
		d.c.Traced = traced(d.oldSide, d.newSide, d.looked[0], d.looked[1])
	}
}

// conclude finds what can only be found when all nodes are compared: causes, and what is to be said of all.
func (d *diffing) conclude(ctx context.Context, r *diff.Report) error {
	c := d.c
	if c.Questions && !c.Options.Exact && ctx.Err() == nil {
		if err := d.causes(ctx, r); err != nil && ctx.Err() == nil {
			return d.confirm(err)
		}
	}
	r.Name, r.From, r.To, r.Invented = d.name, d.old.Title, d.new.Title, d.invented
	r.Notes = append(r.Notes, d.notes()...)
	return d.confirm(nil)
}

// notes are what is to be said of the sides, whatever is told of the nodes: what was not looked at, and what was taken
// for the same.
func (d *diffing) notes() (out []string) {
	add := func(text ...string) { out = append(out, text...) }
	if d.invented {
		add("The nodes are invented: facts, classification, environment or data of real machines may make a difference.")
	}
	if list := d.revs.Ignored(d.old, d.new); len(list) > 0 && (d.old.Tree != nil || d.new.Tree != nil) {
		add(fmt.Sprintf("The same on both sides, since git ignores them: %s.", some(list)))
	}
	if list := d.revs.Untracked(); len(list) > 0 {
		add(fmt.Sprintf("The same on both sides, since flags name them and git does not have them: %s.", some(list)))
	}
	if d.revs.Repo != nil && d.revs.Repo.Sparse() && (d.old.Title == fleet.WorkTree || d.new.Title == fleet.WorkTree) {
		add("The work tree is a sparse checkout: files that it leaves out count as removed. Compare commits (--to HEAD), or " +
			"check all of them out: git sparse-checkout disable.")
	}
	add(d.unread()...)
	if len(d.c.Moved) > 0 {
		var names []string
		for _, m := range d.c.Moved {
			names = append(names, m.Title())
		}
		add("Not looked at: what other versions of these do, which are wanted and not here: " + some(names) + ".")
	}
	if list := d.c.Want.Modules(); len(list) > 0 {
		add("Modules that are not there: " + some(list) + ". What they do was not looked at, and may hang on what changes. " +
			"bunraku check names the commands that get them.")
	}
	if len(d.unsure) > 0 {
		add("Left out, since they compile on neither side and may have the class: " + some(d.unsure) + ".")
	}
	for _, a := range d.abroad {
		add("Left out: " + a.Text() + ".")
	}
	if len(d.c.Kept) > 0 {
		does, it := "does", "it"
		if len(d.c.Kept) > 1 {
			does, it = "do", "they"
		}
		add(fmt.Sprintf("%s %s not compile any more: others go on collecting what %s exported, until %s %s "+
			"or PuppetDB forgets.", some(d.c.Kept), does, it, it, does))
	}
	if len(d.restless) > 0 {
		add("What nodes export does not come to rest; still told something else: " + some(d.restless) + ".")
	}
	if old, is := d.c.OldExports.(*exported.Set); is {
		add(fmt.Sprintf("What nodes export is that of the nodes at hand: %s before, %d after.",
			plural(old.Len(), "resource"), d.c.NewExports.(*exported.Set).Len()))
		if len(d.beside) > 0 {
			add("Nodes of other environments export what those are on disk, on both sides: " + some(d.beside) + ".")
		}
	} else if d.c.From.Collects() || d.c.To.Collects() {
		if d.c.OldExports != nil {
			add("What nodes export is what PuppetDB has of them, on both sides: what they will export is not looked at.")
		} else {
			add("What other nodes export is not looked at: nobody collects anything of it here.")
		}
	}
	if d.c.From.Current().StoodIn() || d.c.To.Current().StoodIn() {
		add(standInText)
	}
	return out
}

// unread says what the tree names and what is not there or may not be read, on either side: what hangs on it is not
// compared.
func (d *diffing) unread() (notes []string) {
	add := func(text string) {
		if note := "Not looked at: " + text + "."; !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	for i, s := range []*compiler.Snapshot{d.c.From, d.c.To} {
		env, side := s.Current().Environment(), []*fleet.Revision{d.old, d.new}[i]
		env.Modules() // they have problems, too
		for _, p := range env.Problems {
			if p.Code == environment.CodeUnread {
				add(p.Summary)
			}
		}
		for _, dir := range side.Lent {
			rel := strings.TrimPrefix(dir, source.Absolute(d.root)+"/")
			add("how " + rel + " changed, a submodule: its files are those of the work tree on both sides")
		}
		for _, dir := range env.ModulePath {
			list, _ := side.Files.List(dir) // none if it is not there
			for _, x := range list {
				if text := side.Submodule(filepath.Join(dir, x.Name)); text != "" {
					add(strings.ReplaceAll(text, source.Absolute(d.root)+"/", ""))
				}
			}
		}
	}
	return notes
}

// A pair is two workspaces of one environment: one that compiles fast, and one that knows where values come from, for
// nodes that change.
type pair struct{ plain, traced *compiler.Workspace }

func newPair(root string, opt compiler.Options) pair {
	plain := compiler.NewWorkspace(root, opt)
	opt.Trace = true
	opt.Limits = eval.Limits() // keeping a trace costs steps and bytes as well
	opt.Limits.Steps, opt.Limits.Bytes = 8*opt.Limits.Steps, 4*opt.Limits.Bytes
	return pair{plain, compiler.NewWorkspace(root, opt)}
}

// traced opens both sides with provenance when the first node changes.
func traced(oldSide, newSide pair, old, new source.Files) func(context.Context) (from, to *compiler.Snapshot,
	err error) {
	var once sync.Once
	var from, to *compiler.Snapshot
	var err error
	return func(ctx context.Context) (*compiler.Snapshot, *compiler.Snapshot, error) {
		once.Do(func() {
			if from, err = oldSide.traced.Snapshot(ctx, old); err == nil {
				to, err = newSide.traced.Snapshot(ctx, new)
			}
		})
		return from, to, err
	}
}

// causes finds which lines make each change, and who wrote them.
func (d *diffing) causes(ctx context.Context, r *diff.Report) error {
	paths, notes := d.withoutFacts()
	r.Notes = append(r.Notes, notes...)
	more, err := d.noted(ctx)
	if err != nil {
		return err
	}
	paths = slices.Concat(paths, more)
	slices.Sort(paths)
	paths = slices.DeleteFunc(paths, func(p string) bool { return d.old.Submodule(p) != "" || d.new.Submodule(p) != "" })
	var converted []string
	for _, p := range paths {
		if fleet.Converted(d.old, d.new, p) {
			converted = append(converted, d.shown(p))
		}
	}
	if len(converted) > 0 {
		r.Notes = append(r.Notes, "What git stores is the same on both sides, and a changed .gitattributes has it checked out "+
			"with other bytes: "+some(converted)+".")
		paths = slices.DeleteFunc(paths, func(p string) bool { return filepath.Base(p) == ".gitattributes" })
	}
	modes := d.revs.Modes(d.old, d.new)
	patch, err := diff.NewPatch(ctx, d.old.Files, d.new.Files, paths, modes, d.shown)
	if err != nil {
		return err
	}
	if err := d.c.Causes(ctx, r, d.nodes, patch, d.oldSide.traced); err != nil {
		return err
	}
	d.revs.Blame(ctx, r, d.old, d.new)
	return nil
}

// shown is how a file of either side is named: as everywhere, and what lies beside an environment that was not named by
// an absolute path as seen from the current directory, if it is in the same repository.
func (d *diffing) shown(p string) string {
	name := d.c.To.Environment().Display(p)
	if d.revs == nil || d.revs.Repo == nil || name != p || filepath.IsAbs(d.root) {
		return name
	}
	if rel, err := filepath.Rel(source.Absolute("."), p); err == nil && inside(p, []string{d.revs.Repo.WorkTree()}) {
		return filepath.ToSlash(rel)
	}
	return name
}

// withoutFacts are the files that are not the same on both sides and count, with what is to be said of the others.
func (d *diffing) withoutFacts() (paths, notes []string) {
	facts := d.revs.Facts(d.old, d.new)
	paths = slices.DeleteFunc(slices.Clone(d.paths), func(p string) bool { return inside(p, facts) })
	changed, known := d.revs.FactsChanged(d.old, d.new)
	switch {
	case changed:
		notes = append(notes, "Facts are those of the new side, on both sides: how they changed does not count.")
	case !known:
		notes = append(notes, "Facts are those of the new side, on both sides: whether they changed was not looked at.")
	}
	return paths, append(notes, d.alike...)
}

// findAlike finds what both sides have from one place, and what the commits that are compared have, too: how that
// changed is not looked at.
func (d *diffing) findAlike(ctx context.Context, f *diffFlags) error {
	type input struct{ flag, path string }
	inputs := []input{{"--facts", f.facts}, {"--trusted", f.trusted}, {"--mock", f.unknown.mock},
		{"--enc", f.enc.String()}}
	for _, dir := range f.with {
		inputs = append(inputs, input{"--with", dir})
	}
	for _, in := range inputs {
		at := source.Absolute(in.path)
		if in.path == "" || at == source.Absolute(fleet.FactsDir(d.root)) {
			continue
		}
		at = d.revs.Home(at)
		d.c.Alike = append(d.c.Alike, at)
		if !d.old.Commits(at) && !d.new.Commits(at) {
			continue
		}
		if list, err := d.revs.Changed(ctx, d.old, d.new, []string{at}); err != nil {
			return err
		} else if len(list) > 0 {
			d.alike = append(d.alike, fmt.Sprintf("What %s %s holds is the same on both sides: how it changed does not "+
				"count.", in.flag, in.path))
		}
	}
	return nil
}

// inside reports whether a path is, or lies in, one of some directories.
func inside(p string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") })
}

// few is how many names are listed.
const few = 6

// some lists names, a few of them.
func some(list []string) string {
	if len(list) > few {
		return strings.Join(list[:few], ", ") + fmt.Sprintf(" and %d more", len(list)-few)
	}
	return strings.Join(list, ", ")
}

// diffNodes are all nodes, those that have facts on the new side or, if it has none, on the old one, else invented
// ones; and those of them that the flags choose.
func (a *app) diffNodes(ctx context.Context, ws *compiler.Workspace, old, new *fleet.Revision, root string,
	f *diffFlags) (nodes, chosen []fleet.Node, invented bool, err error) {
	views := []source.Files{new.Files, old.Files}
	if f.facts != "" { // a side may be a directory that has none
		views = append(views, ws.Disk())
		there := func(v source.Files) bool { return fleet.Exists(v, fleet.Within(v, root, f.facts)) }
		if at := slices.IndexFunc(views, there); at >= 0 {
			views = views[at:]
		}
	}
	for _, view := range views {
		real, err := fleet.LightNodes(view, root, f.facts)
		if err != nil {
			return nil, nil, false, err
		}
		if nodes = fleet.Real(real); len(nodes) > 0 {
			break
		}
	}
	for i := range nodes {
		if err := f.assign(ws.Disk(), &nodes[i].Node); err != nil {
			return nil, nil, false, err
		}
	}
	if len(nodes) == 0 && f.facts != "" {
		return nil, nil, false, fail("there are no facts in %s: files that end in .json, .yaml or .yml are looked for",
			f.facts)
	}
	patterns := f.nodes
	if f.node != "" {
		patterns = append(patterns, f.node)
	}
	var where []*fleet.Where
	for _, text := range f.where {
		w, err := fleet.ParseWhere(text)
		if err != nil {
			return nil, nil, false, fail("--where: %v", err)
		}
		where = append(where, w)
	}
	if len(nodes) > 0 {
		if chosen, err = fleet.Pick(nodes, patterns); err != nil {
			return nil, nil, false, err
		}
		if chosen = fleet.Filter(chosen, where); len(chosen) == 0 {
			return nil, nil, false, fail("of no node it holds that %s", strings.Join(f.where, " and "))
		}
		return nodes, chosen, false, nil
	}
	seen := map[string]bool{}
	var sides []*compiler.Snapshot
	for _, rev := range []*fleet.Revision{new, old} {
		c, err := ws.Snapshot(ctx, rev.Files)
		if err != nil {
			continue // it is told when it is compiled
		}
		defer c.Close()
		sides = append(sides, c)
		certified, err := f.certified(ws.Disk())
		if err != nil {
			return nil, nil, true, err
		}
		plan := fleet.Invent(c.Environment(), fleet.InventOptions{Legacy: f.language == 7, Certificate: certified})
		for i := range plan.Nodes {
			n := fleet.Node{Node: plan.Nodes[i].Node, Invented: &plan.Nodes[i]}
			if !seen[n.Title()] {
				seen[n.Title()] = true
				nodes = append(nodes, n)
			}
		}
	}
	if nodes, err = fleet.Settle(ctx, nodes, sides...); err != nil {
		return nil, nil, true, err
	}
	if len(nodes) == 0 {
		return nil, nil, true, fail("there are no nodes to compare: put their facts into %s, or give --facts DIR",
			fleet.FactsDir(root))
	}
	chosen, err = fleet.Pick(fleet.Filter(nodes, where), patterns)
	return nodes, chosen, true, err
}
