package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/judge"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/source"
	"bunraku/verify/model"

	"github.com/spf13/cobra"
)

// diffFlags are the switches of diff.
type diffFlags struct {
	compileFlags
	later                   source.Language // of the new side; 0 for the same as the old one's
	from, to                string
	fromCatalog, toCatalog  string
	nodes, with             []string
	by, format, out, assert string
	ignore, ignoreAttr      []string
	ignoreTags, filters     []string
	full                    bool
}

func (a *app) diffCommand() *cobra.Command {
	var f diffFlags
	c := &cobra.Command{
		Use:   "diff [ENV]",
		Short: "Say what a change does on every node, and why",
		Long: `Compares the catalogs of all nodes between two states of ENV (the current directory by default): resources that come, go or
are renamed, attributes, rendered texts and files of modules line by line, relations and cycles. What the same nodes have for the
same reason is one group. Nodes that ask nothing which has another answer now cannot change, and are not compiled again.

By default the work tree is compared with the commit at which its branch left the main branch. A side is a revision of git, a
directory, or the work tree; git is read in process, and nothing is checked out. The facts are ENV/facts, or those of --facts,
the same for both sides; without facts nodes are invented, as check does.

Exits with 0 if nothing differs, 2 if something does, 3 if nothing is sure to differ and something is not known, and 1 if a node
does not compile on the new side or something else fails.`,
		Example: `  bunraku diff                               what this branch changes, on every node
  bunraku diff --from HEAD~1 --to HEAD       what the last commit changed
  bunraku diff --language 7,8                what another Puppet makes of the same code
  bunraku diff --from-catalog old.json --to-catalog new.json`,
		Args: arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := "."
			if len(args) == 1 {
				root = args[0]
			}
			ctx, stop := untilSignal()
			defer stop()
			return a.diff(ctx, cmd, root, &f)
		},
	}
	f.add(c)
	fs := c.Flags()
	language := fs.Lookup("language")
	language.Value = &languagesFlag{&f.language, &f.later}
	language.Usage += "; two of them, such as 7,8, are the old and the new side's"
	fs.StringVar(&f.from, "from", "", "the old side: a revision (`REV`) or a directory; by default where the branch left main")
	fs.StringVar(&f.to, "to", "", "the new side: a revision (`REV`) or a directory; by default the work tree")
	fs.StringVar(&f.fromCatalog, "from-catalog", "", "the old side: a catalog in a `FILE`, or a directory of them")
	fs.StringVar(&f.toCatalog, "to-catalog", "", "the new side: a catalog in a `FILE`, or a directory of them")
	fs.StringSliceVar(&f.nodes, "nodes", nil, "only nodes whose names match a `GLOB`, such as web*; several, separated by commas")
	fs.StringArrayVar(&f.with, "with", nil,
		"a `DIR` whose files lie under ENV on both sides where it has none itself: modules that are not in git; may be repeated")
	fs.StringVar(&f.by, "by", "change", "how to put changes together: by `change`, node or cause")
	fs.BoolVar(&f.full, "full", false, "show everything, however long it gets")
	fs.StringVar(&f.format, "format", "text", diffFormats)
	fs.StringVar(&f.out, "out", "", "write the answer to a `FILE`, and not to standard output")
	fs.StringArrayVar(&f.ignore, "ignore", nil,
		"leave changes out, by an `EXPRESSION` as octocatalog-diff has them: File[/tmp/*]::parameters::owner; may be repeated")
	fs.StringArrayVar(&f.ignoreAttr, "ignore-attr", nil, "leave out changes of an attribute; may be repeated")
	fs.StringSliceVar(&f.ignoreTags, "ignore-tags", nil, "leave out resources with a `TAG`, or with TAG__type")
	fs.StringSliceVar(&f.filters, "filters", nil,
		"leave out what makes no difference: AbsentFile, EquivalentArrayNoDatatypes, JSON, SingleItemArray, YAML")
	fs.StringVar(&f.assert, "assert", "",
		"what may change: `none`, or only=EXPRESSION; exits with 2 if something else does, and with 0 if not")
	return c
}

func (a *app) diff(ctx context.Context, cmd *cobra.Command, root string, f *diffFlags) error {
	began := time.Now()
	by, ok := map[string]diff.By{"change": diff.ByChange, "node": diff.ByNode, "cause": diff.ByCause}[f.by]
	if !ok {
		return fail("--by cannot be %q: change, node or cause", f.by)
	}
	if !slices.Contains(strings.FieldsFunc(diffFormats, func(r rune) bool { return r == ',' || r == ' ' }), f.format) ||
		f.format == "or" {
		return fail("unknown format %q: %s", f.format, diffFormats)
	}
	opt, err := f.options()
	if err != nil {
		return fail("%v", err)
	}
	var r *diff.Report
	var files source.Files
	if f.fromCatalog != "" || f.toCatalog != "" {
		r, err = a.diffCatalogs(f, opt)
	} else {
		r, files, err = a.diffRevisions(ctx, cmd, root, f, opt)
	}
	if err != nil {
		return err
	}
	r.Gather()
	show := diff.Show{Style: a.out.Style(), Full: f.full, By: by, Time: time.Since(began)}
	if f.out != "" {
		show.Style = source.Style{}
		err = a.into(f.out, func() error { return a.showDiff(r, f, show, files) })
	} else {
		err = a.showDiff(r, f, show, files)
	}
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fail("interrupted: %d of %s were compared", len(r.Nodes)-r.Count(diff.NotDone), plural(len(r.Nodes), "node"))
	}
	if code := diffCode(r, opt.Expected != nil); code != exitFine {
		return &exitError{code: code}
	}
	return nil
}

// diffCode is the exit code: the gravest of all.
func diffCode(r *diff.Report, asserted bool) int {
	switch {
	case r.Count(diff.Fails)+r.Count(diff.FailsBoth) > 0:
		return exitFailed
	case asserted && r.Unexpected() > 0:
		return exitNo
	case asserted && len(r.Unknown) > 0:
		return exitUnknown
	case asserted:
		return exitFine
	case r.Count(diff.Changed)+r.Count(diff.Mended) > 0:
		return exitNo
	case r.Count(diff.Unknown) > 0:
		return exitUnknown
	}
	return exitFine
}

// options are what the flags say about comparing.
func (f *diffFlags) options() (opt diff.Options, err error) {
	if opt.Ignore, err = diff.ParseRules(f.ignore); err != nil {
		return opt, err
	}
	more, err := diff.AttributeRules(f.ignoreAttr)
	if err != nil {
		return opt, err
	}
	opt.Ignore, opt.IgnoreTags = append(opt.Ignore, more...), f.ignoreTags
	if opt.Filters, err = diff.ParseFilters(f.filters); err != nil {
		return opt, err
	}
	expected, only := strings.CutPrefix(f.assert, "only=")
	switch {
	case f.assert == "":
	case f.assert == "none":
		opt.Expected = []*diff.Rule{}
	case only:
		opt.Expected, err = diff.ParseRules([]string{expected})
	default:
		err = fmt.Errorf("--assert cannot be %q: none, or only=EXPRESSION", f.assert)
	}
	return opt, err
}

// diffRevisions compares two states of a tree. files is the new one.
func (a *app) diffRevisions(ctx context.Context, cmd *cobra.Command, root string, f *diffFlags,
	compare diff.Options) (_ *diff.Report, files source.Files, err error) {
	opt := a.options(cmd, &f.compileFlags)
	opt.StandIn, opt.Questions = true, true
	opt.Inputs = append(opt.Inputs, f.with...)
	oldWorkspace := newPair(root, opt)
	newWorkspace, questions := oldWorkspace, true
	if f.later != 0 && f.later != f.language {
		opt.Language, questions = f.later, false
		newWorkspace = newPair(root, opt)
	}
	revs, err := fleet.NewRevisions(root, newWorkspace.plain.Disk(),
		environment.Options{ModulePath: opt.ModulePath, BaseModulePath: opt.BaseModulePath, Outside: opt.Outside,
			Roots: opt.Roots}, f.with)
	if err != nil {
		return nil, nil, err
	}
	defer revs.Close()
	from, note := f.from, ""
	switch {
	case from == "" && !questions: // another language is the change
		from = f.to
	case from == "":
		base, main, err := revs.Base(ctx, f.to)
		if err != nil {
			return nil, nil, err
		}
		from, note = base, main
	}
	old, err := revs.Open(from)
	if err != nil {
		return nil, nil, err
	}
	new, err := revs.Open(f.to)
	if err != nil {
		return nil, nil, err
	}
	if note != "" {
		old.Title += " (" + note + ")"
	}
	if f.later != 0 {
		old.Title, new.Title = f.language.Title(), f.later.Title()
	}
	nodes, invented, err := a.diffNodes(ctx, newWorkspace.plain, old, new, root, f)
	if err != nil {
		return nil, nil, err
	}
	c := &fleet.Comparing{Questions: questions, Options: compare, Watch: func(r *eval.Result) { a.keep(r) }}
	if c.From, err = oldWorkspace.plain.Snapshot(ctx, old.Files); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", old.Title, err)
	}
	defer c.From.Close()
	if c.To, err = newWorkspace.plain.Snapshot(ctx, new.Files); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", new.Title, err)
	}
	defer c.To.Close()
	if c.Options.Exact = f.format == "octocatalog"; !c.Options.Exact {
		c.Traced = traced(oldWorkspace, newWorkspace, old, new)
	}
	c.Options.Contents = diff.NewContents(c.From.Environment(), c.To.Environment())
	if !c.Options.Exact {
		j := judge.New(judge.Options{Budget: model.DefaultUnits, Hide: a.secrets.Hide})
		defer j.Close()
		c.Consequences = &fleet.Consequences{Judge: j}
	}
	bar := a.progress("comparing nodes", len(nodes))
	c.Step = bar.step
	r, err := c.Compare(ctx, nodes)
	bar.stop()
	if err != nil {
		return nil, nil, err
	}
	if questions && !c.Options.Exact && ctx.Err() == nil {
		if err := a.diffCauses(ctx, c, revs, old, new, r, nodes, oldWorkspace.traced, root); err != nil {
			return nil, nil, err
		}
	}
	r.Name, r.From, r.To, r.Invented = filepath.Base(source.Absolute(root)), old.Title, new.Title, invented
	if list := revs.Ignored(); len(list) > 0 && (old.Tree != nil || new.Tree != nil) {
		r.Notes = append(r.Notes, fmt.Sprintf("The same on both sides, since git ignores them: %s.", some(list)))
	}
	if c.From.Current().StoodIn() || c.To.Current().StoodIn() {
		r.Notes = append(r.Notes, standInText)
	}
	return r, new.Files, nil
}

// A pair is two workspaces of one environment: one that compiles fast, and one that knows where values come from, for
// nodes that change.
type pair struct{ plain, traced *compiler.Workspace }

func newPair(root string, opt compiler.Options) pair {
	plain := compiler.NewWorkspace(root, opt)
	opt.Trace = true
	return pair{plain, compiler.NewWorkspace(root, opt)}
}

// traced opens both sides with provenance when the first node changes.
func traced(oldSide, newSide pair, old, new *fleet.Revision) func(context.Context) (from, to *compiler.Snapshot, err error) {
	var once sync.Once
	var from, to *compiler.Snapshot
	var err error
	return func(ctx context.Context) (*compiler.Snapshot, *compiler.Snapshot, error) {
		once.Do(func() {
			if from, err = oldSide.traced.Snapshot(ctx, old.Files); err == nil {
				to, err = newSide.traced.Snapshot(ctx, new.Files)
			}
		})
		return from, to, err
	}
}

// diffCauses finds which lines make each change, and who wrote them.
func (a *app) diffCauses(ctx context.Context, c *fleet.Comparing, revs *fleet.Revisions, old, new *fleet.Revision,
	r *diff.Report, nodes []fleet.Node, ws *compiler.Workspace, root string) error {
	dirs := []string{source.Absolute(root)}
	for _, s := range []*compiler.Snapshot{c.From, c.To} {
		for _, dir := range s.Environment().ModulePath {
			if !inside(dir, dirs) && (old.Commits(dir) || new.Commits(dir)) {
				dirs = append(dirs, dir)
			}
		}
	}
	paths, err := revs.Changed(ctx, old, new, dirs)
	if err != nil {
		return err
	}
	facts := source.Absolute(fleet.FactsDir(root))
	n := len(paths)
	paths = slices.DeleteFunc(paths, func(p string) bool { return inside(p, []string{facts}) })
	if len(paths) < n {
		r.Notes = append(r.Notes, "Facts are those of the new side, on both sides: how they changed does not count.")
	}
	patch, err := diff.NewPatch(ctx, old.Files, new.Files, paths, c.To.Environment().Display)
	if err != nil {
		return err
	}
	if err := c.Causes(ctx, r, nodes, patch, ws); err != nil {
		return err
	}
	revs.Blame(ctx, r, old, new)
	return nil
}

// inside reports whether a path is, or lies in, one of some directories.
func inside(p string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") })
}

// some lists names, a few of them.
func some(list []string) string {
	const few = 6
	if len(list) > few {
		return strings.Join(list[:few], ", ") + fmt.Sprintf(" and %d more", len(list)-few)
	}
	return strings.Join(list, ", ")
}

// diffNodes are the nodes to compare: those that have facts on the new side or, if it has none, on the old one; else
// invented ones.
func (a *app) diffNodes(ctx context.Context, ws *compiler.Workspace, old, new *fleet.Revision, root string,
	f *diffFlags) (nodes []fleet.Node, invented bool, err error) {
	for _, rev := range []*fleet.Revision{new, old} {
		real, err := fleet.Nodes(rev.Files, root, f.facts)
		if err != nil {
			return nil, false, err
		}
		if nodes = fleet.Real(real); len(nodes) > 0 {
			break
		}
	}
	if len(nodes) == 0 && f.facts != "" {
		return nil, false, fail("there are no facts in %s: files that end in .json, .yaml or .yml are looked for", f.facts)
	}
	patterns := f.nodes
	if f.node != "" {
		patterns = append(patterns, f.node)
	}
	if len(nodes) > 0 {
		nodes, err = fleet.Pick(nodes, patterns)
		return nodes, false, err
	}
	seen := map[string]bool{}
	for _, rev := range []*fleet.Revision{new, old} {
		c, err := ws.Snapshot(ctx, rev.Files)
		if err != nil {
			continue // it is told when it is compiled
		}
		plan := fleet.Invent(c.Environment(), fleet.InventOptions{Legacy: f.language == 7})
		for i := range plan.Nodes {
			n := fleet.Node{Node: plan.Nodes[i].Node, Invented: &plan.Nodes[i]}
			if !seen[n.Title()] {
				seen[n.Title()] = true
				nodes = append(nodes, n)
			}
		}
		c.Close()
	}
	if len(nodes) == 0 {
		return nil, true, fail("there are no nodes to compare: put their facts into %s, or give --facts DIR", fleet.FactsDir(root))
	}
	nodes, err = fleet.Pick(nodes, patterns)
	return nodes, true, err
}

// diffCatalogs compares catalogs that somebody else has compiled: two files, or those of two directories by their names.
func (a *app) diffCatalogs(f *diffFlags, opt diff.Options) (*diff.Report, error) {
	if f.fromCatalog == "" || f.toCatalog == "" {
		return nil, fail("--from-catalog and --to-catalog belong together")
	}
	if f.from != "" || f.to != "" {
		return nil, fail("--from-catalog and --to-catalog leave no room for --from and --to")
	}
	old, err := a.readCatalogs(f.fromCatalog)
	if err != nil {
		return nil, err
	}
	new, err := a.readCatalogs(f.toCatalog)
	if err != nil {
		return nil, err
	}
	var names []string
	if len(old) == 1 && len(new) == 1 {
		for _, x := range old {
			for name, y := range new {
				names, old, new = []string{name}, map[string]*catalog.Catalog{name: x}, map[string]*catalog.Catalog{name: y}
			}
		}
	} else {
		for name := range old {
			names = append(names, name)
		}
		for name := range new {
			if old[name] == nil {
				names = append(names, name)
			}
		}
		slices.Sort(names)
	}
	var before, after []*catalog.Catalog
	for _, name := range names {
		before, after = append(before, old[name]), append(after, new[name])
	}
	r := fleet.CompareCatalogs(before, after, names, opt)
	r.Name, r.From, r.To = "catalogs", f.fromCatalog, f.toCatalog
	r.Notes = append(r.Notes, "Catalogs only name files of modules (puppet:///modules/…): their contents are not compared.")
	return r, nil
}

// readCatalogs reads a catalog, or all that end in .json in a directory, by the names of their nodes.
func (a *app) readCatalogs(name string) (map[string]*catalog.Catalog, error) {
	view := source.NewDir(source.DirOptions{Roots: []string{name}})
	at := source.Absolute(name)
	info, err := view.Stat(at)
	if err != nil {
		return nil, source.Named(err, at, name)
	}
	files := []string{at}
	if info.IsDir() {
		files = nil
		list, err := view.List(at)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if strings.HasSuffix(e.Name, ".json") && !e.IsDir() {
				files = append(files, filepath.Join(at, e.Name))
			}
		}
		if len(files) == 0 {
			return nil, fail("there are no catalogs in %s: files that end in .json are looked for", name)
		}
	}
	out := map[string]*catalog.Catalog{}
	for _, file := range files {
		text, err := view.Read(file)
		if err != nil {
			return nil, err
		}
		c, err := catalog.Read([]byte(text.Text))
		if err != nil {
			return nil, fail("%s is no catalog: %v", file, err)
		}
		a.secrets.AddCatalog(c)
		out[c.Name] = c
	}
	return out, nil
}
