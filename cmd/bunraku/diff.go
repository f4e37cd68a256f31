package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/puppet/catalog"
	"bunraku/source"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// diffFlags are the switches of diff.
type diffFlags struct {
	compileFlags
	later                   source.Language // of the new side; 0 for the same as the old one's
	from, to                string
	fork                    bool // the old side is where the new one left it
	fromCatalog, toCatalog  string
	nodes, with             []string
	having, where           []string // classes and facts that nodes must have
	by, format, out, assert string
	store, shard, seal      string
	merging                 bool     // parts of others are put together
	partDirs                []string // where parts are: they are no part of the tree
	ignore, ignoreAttr      []string
	ignoreTags, filters     []string
	full                    bool
	root                    string // the tree; "" for none
	top                     string // of the repository that the tree is in; "" for none
}

func (a *app) diffCommand() *cobra.Command {
	var f diffFlags
	c := &cobra.Command{
		Use:   "diff [ENV] [REV | REV..REV | REV...REV]",
		Short: "Say what a change does on every node, and why",
		Long: `Compares the catalogs of all nodes between two states of ENV (the current directory by default): resources that come, go or
are renamed, attributes, rendered texts and files of modules line by line, relations and cycles. What the same nodes have for the
same reason is one group. Nodes that ask nothing which has another answer now cannot change, and are not compiled again.

By default the work tree is compared with the commit at which its branch left the main branch. A side is a revision of
git, a directory, or the work tree, named with --from and --to, or as for git: REV...REV is what the second changed since it
left the first. Git is read in process, and nothing is checked out. The facts are ENV/facts, or those of --facts, the same
for both sides; without facts nodes are invented, as check does.

Exits with 0 if nothing differs, 2 if something does, 3 if nothing is sure to differ and something is not known,
compiles on neither side or was not compared, and 1 if a node newly fails or something else does.`,
		Example: `  bunraku diff                               what this branch changes, on every node
  bunraku diff HEAD~1..HEAD                  what the last commit changed
  bunraku diff main...feature                what the branch feature changed since it left main
  bunraku diff --language 7,8                what another Puppet makes of the same code
  bunraku diff --from-catalog old.json --to-catalog new.json`,
		Args: arguments(0, 3, ""),
		RunE: f.betweenSides(a.diff),
	}
	f.addDiff(c)
	fs := c.Flags()
	fs.StringVar(&f.fromCatalog, "from-catalog", "", "the old side: a catalog in a `FILE`, or a directory of them")
	fs.StringVar(&f.toCatalog, "to-catalog", "", "the new side: a catalog in a `FILE`, or a directory of them")
	fs.StringVar(&f.shard, "shard", "",
		"compare one of N equal parts of the nodes, `I/N`, and write what came of it to --out DIR, for diff merge")
	c.AddCommand(a.mergeCommand())
	return c
}

// addDiff adds the flags that diff has in all its forms.
func (f *diffFlags) addDiff(c *cobra.Command) {
	f.add(c)
	f.addSides(c)
	fs := c.Flags()
	fs.StringVar(&f.seal, "seal", "",
		"a `FILE` with a secret that all parts share: the digests in them are then of no use to who has not got it")
	fs.StringVar(&f.by, "by", "change", "how to put changes together: by `change`, node or cause")
	fs.BoolVar(&f.full, "full", false, "show everything, however long it gets")
	fs.StringVar(&f.format, "format", "text", diffFormats)
	fs.StringVar(&f.out, "out", "", "write the answer to a `FILE`, and not to standard output")
	fs.StringArrayVar(&f.ignore, "ignore", nil,
		"leave changes out, by an `EXPRESSION` as octocatalog-diff has them: File[/tmp/*]::parameters::owner; may be "+
			"repeated")
	fs.StringArrayVar(&f.ignoreAttr, "ignore-attr", nil, "leave out changes of an `ATTRIBUTE`; several, separated by commas")
	fs.StringSliceVar(&f.ignoreTags, "ignore-tags", nil, "leave out resources with a `TAG`, or with TAG__type")
	fs.StringSliceVar(&f.filters, "filters", nil,
		"leave out what makes no difference: AbsentFile, EquivalentArrayNoDatatypes, JSON, SingleItemArray, YAML")
	fs.StringVar(&f.assert, "assert", "",
		"what may change: `none`, or only=EXPRESSION; exits with 2 if something else does, and with 0 if not")
}

// addSides adds the flags that say what is compared.
func (f *diffFlags) addSides(c *cobra.Command) {
	c.PreRunE = func(*cobra.Command, []string) error { return f.unknown.prepare() } // the sides say what is there
	fs := c.Flags()
	language := fs.Lookup("language")
	language.Value = &languagesFlag{&f.language, &f.later}
	language.Usage += "; two of them, such as 7,8, are the old and the new side's"
	fs.StringVar(&f.from, "from", "",
		"the old side: a revision (`REV`), a directory, or puppetdb (the catalogs that --puppetdb has); by default where "+
			"the branch left main")
	fs.StringVar(&f.to, "to", "", "the new side: a revision (`REV`) or a directory; by default the work tree")
	fs.StringVar(&f.store, "store", "",
		"a `DIR` that keeps what compiles asked and came to: later runs compile only what may have changed")
	fs.StringSliceVar(&f.nodes, "nodes", nil,
		"only nodes whose names match a `GLOB`, such as web*; several, separated by commas")
	fs.StringSliceVar(&f.having, "class", nil,
		"only nodes that have a class on either side, by a `GLOB` of its name, such as role::web; several, separated by commas")
	fs.StringArrayVar(&f.where, "where", nil,
		"only nodes with such a fact: `FACT=GLOB`, as in os.family=RedHat or networking.domain!=*.test; may be repeated, "+
			"and then all must hold")
	fs.StringArrayVar(&f.with, "with", nil,
		"a `DIR` whose files lie under ENV on both sides where it has none itself: modules that are not in git; may be "+
			"repeated")
}

func (a *app) diff(ctx context.Context, cmd *cobra.Command, root string, f *diffFlags) error {
	began := time.Now()
	f.root = root
	show, opt, err := a.checkDiff(f)
	if err != nil {
		return err
	}
	if err = f.idle(cmd); err != nil {
		return err
	}
	var r *diff.Report
	var files source.Files // of the new side
	switch trees := f.fromCatalog == "" && f.toCatalog == "" && f.from != fromPuppetDB; {
	case !trees && f.shard != "":
		return fail("--shard is for two states of a tree")
	case f.fromCatalog != "" || f.toCatalog != "":
		r, err = a.diffCatalogs(f, opt)
	case !trees:
		r, err = a.diffStored(ctx, cmd, root, f, opt)
	default:
		var d *diffing
		if f.shard != "" && f.out != "" {
			f.partDirs = []string{f.out}
		}
		if d, err = a.openDiff(ctx, cmd, root, f, opt); err != nil {
			return err
		}
		defer d.close()
		files = d.new.Files
		if f.shard != "" {
			return a.diffShard(ctx, cmd, d, f)
		}
		r, err = a.diffRevisions(ctx, d, f)
	}
	if err != nil {
		return err
	}
	show.Time = time.Since(began)
	return a.tellDiff(ctx, r, f, show, files, opt.Expected != nil)
}

// idle refuses flags that would name something which is not used.
func (f *diffFlags) idle(cmd *cobra.Command) error {
	if f.seal != "" && f.shard == "" {
		return fail("--seal is for parts of a diff, and nothing is written that it would seal: say --shard I/N with it, or " +
			"leave it out")
	}
	if f.fromCatalog == "" && f.toCatalog == "" {
		return nil
	}
	var more []string
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Changed {
			return
		}
		switch flag.Name {
		case "from-catalog", "to-catalog", "from", "to", "shard", "by", "full", "format", "out", "ignore", "ignore-attr",
			"ignore-tags", "filters", "assert": // of which some are refused by who reads them
		default:
			more = append(more, "--"+flag.Name)
		}
	})
	if len(more) > 0 {
		return fail("catalogs are compared as they are, nothing is compiled: leave out %s", strings.Join(more, " and "))
	}
	return nil
}

// checkDiff looks at the flags that say how a report is made and shown.
func (a *app) checkDiff(f *diffFlags) (show diff.Show, opt diff.Options, err error) {
	by, ok := map[string]diff.By{"change": diff.ByChange, "node": diff.ByNode, "cause": diff.ByCause}[f.by]
	if !ok {
		return show, opt, fail("--by cannot be %q: change, node or cause", f.by)
	}
	if !slices.Contains(strings.FieldsFunc(diffFormats, func(r rune) bool { return r == ',' || r == ' ' }), f.format) ||
		f.format == "or" {
		return show, opt, fail("unknown format %q: %s", f.format, diffFormats)
	}
	if opt, err = f.options(); err != nil {
		return show, opt, fail("%v", err)
	}
	return diff.Show{Style: a.out.Style(), Full: f.full, By: by}, opt, nil
}

// tellDiff prints a report, to where the flags say, and gives the exit code.
func (a *app) tellDiff(ctx context.Context, r *diff.Report, f *diffFlags, show diff.Show, files source.Files,
	asserted bool) (err error) {
	r.Hide = a.secrets.Hide
	r.Gather()
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
	if code := diffCode(r, asserted); code != exitFine {
		return &exitError{code: code}
	}
	return nil
}

// diffCode is the exit code: the gravest of all.
func diffCode(r *diff.Report, asserted bool) int {
	whole := r.Count(diff.Mended) + r.Count(diff.Comes) + r.Count(diff.Gone) // catalogs that come or go
	switch {
	case r.Count(diff.Fails) > 0 || slices.ContainsFunc(r.Nodes, func(n *diff.Node) bool {
		return n.New != nil && n.New.Code == source.CodeBug
	}):
		return exitFailed
	case asserted && r.Unexpected()+whole > 0:
		return exitNo
	case !r.Compared():
		return exitUnknown
	case asserted && len(r.Unknown)+r.Count(diff.FailsBoth)+r.Missed() > 0:
		return exitUnknown
	case asserted:
		return exitFine
	case r.Count(diff.Changed)+whole > 0:
		return exitNo
	case r.Count(diff.Unknown)+r.Count(diff.FailsBoth)+r.Missed() > 0: // what fails was not compared
		return exitUnknown
	}
	return exitFine
}

// options are what the flags say about comparing.
func (f *diffFlags) options() (opt diff.Options, err error) {
	if opt.Ignore, err = diff.ParseRules(f.ignore); err != nil {
		return opt, fmt.Errorf("--ignore %w", err)
	}
	more, err := diff.AttributeRules(f.ignoreAttr)
	if err != nil {
		return opt, fmt.Errorf("--ignore-attr %w", err)
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
		if opt.Expected, err = diff.ParseRules([]string{expected}); err != nil {
			err = fmt.Errorf("--assert only=%w", err)
		}
	default:
		err = fmt.Errorf("--assert cannot be %q: none, or only=EXPRESSION", f.assert)
	}
	return opt, err
}

// diffCatalogs compares catalogs that somebody else has compiled: two files, or those of two directories by their
// names.
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
	r.Notes = append(r.Notes, "Catalogs only name files of modules (puppet:///modules/…): their contents are not "+
		"compared.")
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
