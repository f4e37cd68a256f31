package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bunraku/audit"
	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/report"
	"bunraku/source"

	"github.com/spf13/cobra"
)

// checkFlags are the switches of check.
type checkFlags struct {
	compileFlags
	judgeFlags
	lintFlags
	allSystems bool
	coverage   string
	later      source.Language // where nodes are to be moved; 0 for nowhere
}

func (a *app) checkCommand() *cobra.Command {
	var flags checkFlags
	c := &cobra.Command{
		Use:   "check [ENV]",
		Short: "Check a whole control repo: the main job",
		Long: `Reads every manifest (.pp) and template (.epp) below ENV (the current directory by default), a control repo, an
environment or a module, and reports what Puppet would reject, each with its place, the source line and advice. Then it
compiles every node whose facts it finds: in ENV/facts/*.json and *.yaml, or in the directory or file that --facts names.
Without facts it invents nodes with the built-in facts of common systems, for each public class of a module, for the nodes and
roles of a control repo, and says what they do not reach.
Each catalog is verified (see bunraku verify --help); what several nodes have in common is said once.

Exits with 1 when something does not compile, 2 when something was found, and 0 otherwise, also when a node could not be proved
in full because some of its resources have no model: the last lines say so, and --fail-on=unknown makes it 3. It is 3 as well
when the search for an answer took too long, and when modules are not there that a real node needs.`,
		Args: arguments(0, 1, ""),
		RunE: inEnvironment(func(ctx context.Context, cmd *cobra.Command, root string) error {
			if flags.later != 0 {
				return a.migrate(ctx, cmd, root, &flags)
			}
			if flags.lint == "only" {
				return a.lintOnly(ctx, root, &flags)
			}
			return a.check(ctx, cmd, root, &flags)
		}),
	}
	flags.compileFlags.add(c)
	language := c.Flags().Lookup("language")
	language.Value = &languagesFlag{&flags.language, &flags.later}
	language.Usage += "; two of them, such as 7,8, show what stands in the way of moving"
	flags.judgeFlags.add(c)
	flags.lintFlags.add(c)
	c.Flags().BoolVar(&flags.allSystems, "all-systems", false,
		"without facts: every system that metadata.json names, not only the newest of each")
	c.Flags().StringVar(&flags.coverage, "coverage", "",
		"list what no node reaches; with =`FILE` write it there instead, as LCOV, or as JSON if it ends in .json")
	c.Flags().Lookup("coverage").NoOptDefVal = "-"
	return c
}

func (a *app) check(ctx context.Context, cmd *cobra.Command, root string, flags *checkFlags) error {
	began := time.Now()
	j, err := a.newJudge(&flags.judgeFlags, root)
	if err != nil {
		return err
	}
	defer func() { a.tellLists(j.Close()) }()
	opt := a.options(cmd, &flags.compileFlags)
	opt.StandIn = true
	opt.Cover = &source.Cover{}
	ws := compiler.NewWorkspace(root, opt)
	view := ws.Disk()
	wants := ""
	if !cmd.Flags().Changed("language") {
		if wants = fleet.OnlyBefore8(view, root); wants != "" {
			flags.language, opt.Language = source.Puppet7, source.Puppet7
			ws = compiler.NewWorkspace(root, opt)
			view = ws.Disk()
		}
	}
	out := &checking{judge: j, began: began, style: a.out.Style(), language: flags.language, wants: wants,
		run: &report.Run{Command: "check", Version: version, Name: filepath.Base(source.Absolute(root)), Own: j.own,
			Hide: j.hide}}
	c := &fleet.Check{Workspace: ws, View: view, Root: root, Facts: flags.facts, Judge: j.Judge, Watch: a.keep,
		Brief: true,
		Invent: fleet.InventOptions{Legacy: flags.language == source.Puppet7, AllSystems: flags.allSystems, Own: j.own,
			Classes: flags.classes},
		Cover: opt.Cover, NodesOnly: flags.node != "", Assign: flags.assign, Exchange: a.exchanging(&flags.compileFlags)}
	c.Progress = func(what string, parts int) fleet.Progress {
		bar := a.progress(what, parts)
		return fleet.Progress{Step: bar.step, Stop: bar.stop}
	}
	c.Certified = flags.certified
	c.Choose = func(all []fleet.Node) ([]fleet.Node, error) {
		said, err := flags.certificates(view)
		if err == nil {
			err = said.meets(all)
		}
		if err != nil || flags.node == "" {
			return all, err
		}
		return chosen(all, flags, root)
	}
	if err := c.Read(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	if len(c.Files) == 0 {
		if flags.format == "json" {
			if err := a.writeJSON(out.answer()); err != nil {
				return err
			}
		}
		return nothingToCompile(view, root)
	}
	if ctx.Err() != nil {
		return fail("interrupted: %d of %d files were read", c.ReadFiles, len(c.Files))
	}
	if flags.lint != "" {
		if j.lint, err = a.lint(ctx, view, root, j, &flags.lintFlags, out.run); err != nil {
			return err
		}
	}
	if err := c.Look(ctx); err != nil && ctx.Err() == nil {
		var d *source.Diagnostic
		if flags.format != "json" || !errors.As(err, &d) {
			return err
		}
		out.run.Add(nil, d)
		return cmp.Or(a.writeJSON(out.answer()), error(&exitError{code: exitFailed}))
	}
	if len(c.Nodes) == 0 && len(c.Abroad) > 0 && ctx.Err() == nil {
		return nobodyHere(c.Abroad)
	}
	out.take(c)
	if ctx.Err() != nil {
		out.interrupted = fmt.Sprintf("interrupted: %d of %s were checked", len(out.nodes), plural(len(c.Nodes), "node"))
	}
	if flags.node == "" { // another node may be what a mock is for
		for _, d := range c.UnusedMocks {
			out.run.Add(nil, d)
		}
	}
	if len(out.nodes) == 0 && out.interrupted == "" {
		out.run.Add(nil, out.nothingCompiled())
	}
	if out.plan != nil && len(out.nodes) > 0 && flags.format != "text" && flags.format != "json" {
		out.run.Add(nil, &source.Diagnostic{Code: "V905", Severity: source.Note,
			Summary: fmt.Sprintf("there are no facts: %s invented, with the built-in facts of common systems",
				isAre(len(out.nodes), "node")),
			Help: "put the nodes' facts into facts/, or give --facts DIR"})
	}
	c.Tell(out.run)
	about := c.About()
	if err := j.suppress(out.run, c.Sources, about); err != nil {
		return err
	}
	if about == nil { // another node may be what an assumption is for
		used := out.accepted()
		j.unused(out.run, func(x string) bool { return slices.Contains(used, x) })
	}
	j.notes = append(out.inventedTexts(), out.coverageText())
	done, err := a.finish(j, out.run)
	switch {
	case err != nil || done:
	case flags.format == "json":
		err = a.writeJSON(out.answer())
	default:
		a.showCheck(out)
	}
	if err == nil && flags.coverage != "" && flags.coverage != "-" && out.coverage != nil {
		err = writeCoverage(flags.coverage, out.coverage)
	}
	if err != nil {
		return err
	}
	if flags.coverage == "-" && flags.format == "text" && out.coverage != nil {
		a.showCoverage(out)
	}
	if out.interrupted != "" {
		return fail("%s", out.interrupted)
	}
	if code := out.code(); code != exitFine {
		return &exitError{code: code}
	}
	return nil
}

// A checking is what check has found out.
type checking struct {
	judge *judging
	run   *report.Run
	files []string
	nodes []fleet.Checked
	// plan is set when there are no facts, and all nodes are invented; excused are those of them that tell nothing of the
	// tree
	plan    *fleet.Plan
	excused []fleet.Checked
	// standsIn tells that stdlib is not there, and something that is built in of it was used
	standsIn  bool
	platforms int
	began     time.Time
	style     source.Style
	language  source.Language
	coverage  *audit.Coverage
	// exchanged says what nodes export to each other; "" if nobody collects anything
	exchanged string
	// wants is the version of Puppet that metadata.json asks for, if it decided about the language
	wants string
	// interrupted says how far it got when somebody ended it; "" if it got to the end
	interrupted string
}

// nothingCompiled says that there is no catalog to speak of, and why.
func (c *checking) nothingCompiled() *source.Diagnostic {
	d := &source.Diagnostic{Code: "V903", Severity: source.Note,
		Summary: "no node was compiled or verified: there are no facts, and no public class or define on the module path to " +
			"invent a node for",
		Help: c.whereModules()}
	switch {
	case c.plan != nil && len(c.plan.Nodes) > 0:
		tried := len(c.plan.Nodes)
		for _, n := range c.excused {
			if n.Excuse.Kind == fleet.NotTried {
				tried--
			}
		}
		d.Summary = fmt.Sprintf("no node was compiled or verified: none of %s compiles with what is here",
			plural(tried, "invented node"))
		if rest := len(c.plan.Nodes) - tried; rest > 0 {
			d.Summary += fmt.Sprintf("; %d more were not tried", rest)
		}
		d.Help = "the last lines say what each lacks"
		if slices.ContainsFunc(c.excused, func(n fleet.Checked) bool {
			return n.Excuse.Kind == fleet.NeedsFacts || n.Excuse.Kind == fleet.NeedsVariables
		}) {
			d.Help += "; facts of real nodes in facts/ make up for some of it"
		}
	case c.plan != nil && c.plan.Alone: // functions and types of a module need no facts
		d.Help = ""
	}
	return d
}

// whereModules is advice where to look, if what look like modules lie elsewhere in the tree: at the environment that
// they are part of, or at the directory that holds them.
func (c *checking) whereModules() string {
	if c.coverage == nil {
		return ""
	}
	var above []string
	holds := map[string]int{}
	for _, dir := range c.coverage.Astray {
		up := path.Dir(dir)
		if holds[up]++; holds[up] == 1 {
			above = append(above, up)
		}
	}
	slices.SortStableFunc(above, func(a, b string) int { return cmp.Compare(holds[b], holds[a]) })
	if len(above) > 0 && above[0] == "." {
		above = above[:1]
	}
	for _, dir := range above {
		if home := path.Dir(dir); path.Base(dir) == "modules" && home != "." {
			return "the modules of " + home + " are not looked at from here: `bunraku check " + home + "`"
		}
	}
	if len(above) == 0 || len(above) > 3 {
		return ""
	}
	return "what looks like modules is in " + strings.Join(above, ", ") + ": `bunraku check --modulepath " +
		strings.Join(above, ":") + "`"
}

// code is the exit code: the gravest of all.
func (c *checking) code() int {
	code := exitFine
	for _, p := range c.run.Problems {
		switch {
		case p.Finding == nil && p.Severity == source.Error && !strings.HasPrefix(p.Code, "C") && !c.judge.linted(p):
			return exitFailed
		case c.judge.fails(p):
			code = exitNo
		}
	}
	if l := c.judge.lint; l != nil && l.hidden && l.levelHides() {
		code = exitNo
	}
	if code != exitFine {
		return code
	}
	strict := c.judge.flags.failOn == "unknown"
	for _, n := range c.nodes {
		open := len(n.StandIns) + len(n.Verdict.Node.Unknown)
		if n.Verdict.Undecided || n.Partial && n.Invented == nil || strict && open > 0 {
			return exitUnknown
		}
	}
	if strict && len(c.excused) > 0 {
		return exitUnknown
	}
	return code
}

// take keeps what was found out.
func (c *checking) take(from *fleet.Check) {
	c.files, c.nodes, c.plan = from.Files, from.Checked, from.Plan
	c.excused = c.notReached(from.Excused)
	c.coverage, c.standsIn = from.Coverage, from.StoodIn
	if c.plan != nil {
		c.platforms = fleet.Platforms(from.Given)
	} else {
		c.platforms = fleet.Platforms(from.Nodes)
	}
	if from.Exchanged != nil {
		c.exchanged = from.Exchanged.Told()
	}
}

// chosen is the one node that the flags name.
func chosen(all []fleet.Node, flags *checkFlags, root string) ([]fleet.Node, error) {
	var names []string
	for _, n := range all {
		switch {
		case n.Invented != nil: // it has no facts to be found by
		case strings.EqualFold(n.Facts.Name, flags.node):
			return []fleet.Node{n}, nil
		default:
			names = append(names, n.Facts.Name)
		}
	}
	return nil, noNode(flags.node, cmp.Or(flags.facts, fleet.FactsDir(root)), names)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// nothingToCompile says that a directory has neither manifests nor templates.
func nothingToCompile(view source.Files, root string) error {
	if source.Exists(view, filepath.Join(source.Absolute(root), "metadata.json")) {
		return fail("%s has no .pp and no .epp file beside those of its tests: there is nothing to compile, and a module's Ruby is "+
			"not checked by itself",
			root)
	}
	entries, _ := view.List(source.Absolute(root)) // it was listed before
	for _, e := range entries {
		if e.Link {
			return fail("%s holds no .pp and no .epp file of its own, and links are not followed out of it: check what one leads "+
				"to, as %s, or name the directory with --modulepath", root, filepath.ToSlash(filepath.Join(root, e.Name)))
		}
	}
	return fail("%s holds no .pp and no .epp file; is it a control repo?", root)
}
