package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/judge"
	"bunraku/report"
	"bunraku/source"
	"bunraku/verify/listing"
	"bunraku/verify/model"
	"bunraku/verify/sat"
	"bunraku/web"

	"github.com/spf13/cobra"
)

// judgeFlags are the switches of every command that verifies catalogs.
type judgeFlags struct {
	platform, packageModel, solver, failOn, format string
	packages, base, assert, assume                 []string
	baseline, writeBaseline                        string
	fix, recover                                   bool
	budget                                         int
}

func (j *judgeFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&j.platform, "platform", "", "what the node runs, such as debian-12; by default what its facts say")
	f.StringArrayVar(&j.packages, "packages", nil,
		"a `DIR` with package file lists, or dpkg's database (/var/lib/dpkg); may be repeated")
	f.StringArrayVar(&j.base, "base", nil,
		"what machines have before their first run: the root of a golden image, dpkg's database, or a `PLACE` with a list; "+
			"may be repeated")
	f.StringVar(&j.packageModel, "package-model", "",
		"what installing over existing files does: dpkg, rpm or paper (Rehearsal's); by default the platform's")
	f.StringVar(&j.solver, "solver", "built-in", "built-in, minisat, cadical or z3")
	f.IntVar(&j.budget, "budget", model.DefaultUnits,
		"how much work one catalog may cost, in units of which 30 take about a second; then the rest is unknown")
	f.StringVar(&j.failOn, "fail-on", "error",
		"error, warning or unknown: what makes the exit code something other than 0")
	f.StringVar(&j.format, "format", "text", strings.Join(formats, ", "))
	f.StringArrayVar(&j.assert, "assert", nil,
		"a `FILE` of assertions that must hold at the end of every run; by default bunraku.assert in ENV")
	f.StringArrayVar(&j.assume, "assume", nil,
		"answer an open point: `'PATH is there'`, 'user NAME is there', 'service NAME is there', 'package NAME is in the "+
			"archive'; bunraku.assume in ENV has more, one a line")
	f.StringVar(&j.baseline, "baseline", "", "a `FILE` of known problems, which do not count")
	f.StringVar(&j.writeBaseline, "write-baseline", "", "write the problems that there are to a baseline `FILE`")
	f.BoolVar(&j.fix, "fix", false, "print the verified edits as a patch, and nothing else")
}

var formats = []string{"text", "json", "sarif", "github", "gitlab", "junit", "html"}

// assertFile is looked for in every environment.
const assertFile = "bunraku.assert"

// assumeFile is looked for in every environment, too.
const assumeFile = "bunraku.assume"

// A judging is a judge with what the flags say about how its verdicts are shown.
type judging struct {
	*judge.Judge
	flags *judgeFlags
	env   string                 // "" for none
	own   func(file string) bool // whether a file is the user's to edit; nil if that cannot be told
	hide  func(string) string    // blots out secrets

	accepted model.Accepted // answers to open points
	lint     *linting       // nil if nobody asked for it
	// notes are what else a report for people has to say
	notes []string
}

// page is where a report of HTML about a tree ("" for none) is written: what came from it goes through the screen.
func (a *app) page(root string) web.Page {
	return web.Page{Raw: a.out.Raw, Text: a.out.As(source.Markup), Root: root}
}

// linted reports whether lint has found a problem.
func (j *judging) linted(p *report.Problem) bool { return j.lint != nil && j.lint.mine[p] }

// newJudge checks the flags and reads the assertions that are about an environment ("" for none). Trouble with those is
// told.
func (a *app) newJudge(flags *judgeFlags, env string) (*judging, error) {
	view := source.NewDir(source.DirOptions{Roots: append(slices.Clone(flags.assert), env)})
	j, trouble, err := a.judgeBy(flags, env, view)
	if err == nil && trouble.HasErrors() {
		a.report(trouble)
		return nil, &exitError{code: exitFailed}
	}
	return j, err
}

// judgeBy is newJudge for files that some may have open. The judge does without assertions that there is trouble with.
func (a *app) judgeBy(flags *judgeFlags, env string, view source.Files) (j *judging, trouble source.Diagnostics,
	err error) {
	if !slices.Contains(formats, flags.format) {
		return nil, nil, fail("unknown format %q: %s", flags.format, strings.Join(formats, ", "))
	}
	if !slices.Contains([]string{"error", "warning", "unknown"}, flags.failOn) {
		return nil, nil, fail("--fail-on is error, warning or unknown, not %q", flags.failOn)
	}
	if flags.budget < 1 {
		return nil, nil, fail("--budget is a number of units from 1 on, not %d", flags.budget)
	}
	j = &judging{flags: flags, env: env, own: judge.OwnCode(env), hide: a.secrets.Hide}
	opt := judge.Options{Platform: flags.platform, Packages: flags.packages, Own: j.own, Hide: j.hide,
		Budget: flags.budget, Recover: flags.recover, Everywhere: true}
	if opt.Solver, err = sat.Named(flags.solver); err != nil {
		return nil, nil, err
	}
	if len(flags.base) > 0 {
		if opt.Image, err = listing.OpenImage(flags.base...); err != nil {
			return nil, nil, fail("--base %s", err)
		}
	}
	if flags.packageModel != "" {
		m, err := model.ParsePackages(flags.packageModel)
		if err != nil {
			return nil, nil, err
		}
		opt.Model = &m
	}
	files := flags.assert
	own := filepath.Join(env, assertFile)
	if info, err := view.Stat(source.Absolute(env)); len(files) == 0 && env != "" && err == nil && info.IsDir() {
		if _, err := view.Stat(source.Absolute(own)); !errors.Is(err, fs.ErrNotExist) {
			files = []string{own}
		}
	}
	for _, name := range files {
		text, err := view.Read(source.Absolute(name))
		if err != nil {
			return nil, nil, source.Named(err, source.Absolute(name), name)
		}
		list, wrong := model.ParseAssertions(source.NewFile(filepath.ToSlash(name), text.Text))
		trouble = append(trouble, wrong...)
		opt.Assert = append(opt.Assert, list...)
	}
	wrong, err := j.assume(&opt, view)
	if err != nil {
		return nil, nil, err
	}
	trouble = append(trouble, wrong...)
	j.Judge = judge.New(opt)
	return j, trouble, nil
}

// assume reads the answers to open points: those of the command line, and those of the environment's own file.
func (j *judging) assume(opt *judge.Options, view source.Files) (trouble source.Diagnostics, err error) {
	for _, row := range j.flags.assume {
		x, err := model.ParseAccepted(row)
		if err != nil {
			return nil, fail("%s", err)
		}
		opt.Accept = append(opt.Accept, x)
	}
	name := filepath.Join(j.env, assumeFile)
	if j.env != "" {
		if text, err := view.Read(source.Absolute(name)); err == nil {
			file := source.NewFile(filepath.ToSlash(name), text.Text)
			for n := 1; n <= file.LineCount(); n++ {
				row, _, _ := strings.Cut(file.Line(n), "#")
				if strings.TrimSpace(row) == "" {
					continue
				}
				x, err := model.ParseAccepted(row)
				if err == nil {
					opt.Accept = append(opt.Accept, x)
					continue
				}
				start := file.Offset(source.Position{Line: n, Column: 1})
				trouble = append(trouble, &source.Diagnostic{Code: "A0001", Summary: err.Error(),
					Place: source.Place{File: file, Span: source.Span{Start: start, End: start + uint32(len(row))}}})
			}
		}
	}
	j.accepted = opt.Accept
	return trouble, nil
}

// unused notes answers to open points that decided nothing on any node.
func (j *judging) unused(run *report.Run, used func(sentence string) bool) {
	for _, x := range j.accepted {
		if !used(x) {
			run.Add(nil, &source.Diagnostic{Code: "V902", Severity: source.Note, Summary: "assuming that " + x +
				" decides nothing",
				Help: "take it away: nothing in the catalog asks for it"})
		}
	}
}

// suppress applies comments and the baseline, and adds notes about those that have no effect. about says which lines
// declare something; nil to judge all of them.
func (j *judging) suppress(run *report.Run, files []*source.File, about func(string, int) bool) error {
	ignores := run.Ignore(files)
	if j.flags.baseline != "" {
		b, err := report.ReadBaseline(j.flags.baseline)
		if err != nil {
			return err
		}
		if gone := b.Apply(run); len(gone) > 0 && about == nil {
			run.Add(nil, &source.Diagnostic{Code: "V902", Severity: source.Note,
				Summary: fmt.Sprintf("%s in %s and no longer there", isAre(len(gone), "problem"), j.flags.baseline),
				Help:    "write it again with --write-baseline"})
		}
	}
	for _, d := range report.Unused(ignores, about) {
		run.Add(nil, d)
	}
	return nil
}

func isAre(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return fmt.Sprintf("%d %ss are", n, noun)
}

// fails reports whether a problem makes the exit code 2.
func (j *judging) fails(p *report.Problem) bool {
	if j.linted(p) {
		return j.lint.fails(p, j.flags.failOn)
	}
	return p.Suppressed.By == "" && (p.Severity == source.Error || p.Severity == source.Warning &&
		j.flags.failOn != "error" && p.Finding != nil)
}

// finish writes a run in the formats that are the same for every command, and the baseline. It reports whether the run
// was written.
func (a *app) finish(j *judging, run *report.Run) (done bool, err error) {
	if j.flags.writeBaseline != "" {
		n, err := run.WriteBaseline(j.flags.writeBaseline, j.hide)
		if err != nil {
			return true, err
		}
		fmt.Fprintf(a.err, "wrote %s to %s\n", plural(n, "problem"), j.flags.writeBaseline)
		b, err := report.ReadBaseline(j.flags.writeBaseline)
		if err != nil {
			return true, err
		}
		b.Apply(run)
	}
	if j.flags.fix {
		return true, a.mend(j, run)
	}
	switch j.flags.format {
	case "sarif":
		return true, run.SARIF(a.out.As(source.Quoted))
	case "github":
		return true, run.GitHub(a.out.GitHub())
	case "gitlab":
		return true, run.GitLab(a.out.As(source.Quoted))
	case "junit":
		return true, run.JUnit(a.out.As(source.Markup), j.fails)
	case "html":
		return true, web.CheckReport(a.page(j.env), run, j.notes)
	}
	return false, nil
}

// mend prints the patch. What cannot be part of it, since it concerns code that is not the user's own, is told beside
// it.
func (a *app) mend(j *judging, run *report.Run) error {
	base := patchBase(j.env)
	var patch bytes.Buffer
	fit := func(line string) bool { return source.Harmless(line) && j.hide(line) == line }
	files, left := run.Patch(&patch, base, fit)
	if err := a.out.Raw(patch.String()); err != nil {
		return err
	}
	for _, name := range left {
		fmt.Fprintf(a.err,
			"note: the edit of %s is not in the patch: lines beside it hold a secret, or what a terminal or the log of a CI "+
				"server would obey\n", name)
	}
	statements := run.Statements()
	if base != "" && files > 0 {
		fmt.Fprintf(a.err, "note: the patch is for %[1]s: git -C %[1]s apply, or patch -d %[1]s -p1\n", base)
	}
	for _, p := range statements {
		where := ""
		if p.Beside.Known() {
			where = ", for example beside " + p.Beside.String()
		}
		fmt.Fprintf(a.err, "note: %s is not declared in your own code, so it is not in the patch; write there%s:\n  %s\n",
			p.Finding.Fix.Resource.Ref(), where, p.Remedy.Statement)
	}
	if files == 0 && len(left) == 0 && len(statements) == 0 {
		fmt.Fprintln(a.err, "there is nothing to mend")
	}
	return nil
}

// patchBase is the directory from which a patch names files: "" for the one that the command runs in, unless the
// environment lies outside of it, since no tool applies a patch there.
func patchBase(env string) string {
	if abs := source.Absolute(env); env != "" {
		if info, err := source.NewDir(source.DirOptions{Roots: []string{env}}).Stat(abs); err == nil && !info.IsDir() {
			env = filepath.Dir(env)
		}
	}
	if env = filepath.Clean(env); filepath.IsAbs(env) || env == ".." ||
		strings.HasPrefix(env, ".."+string(filepath.Separator)) {
		return env
	}
	return ""
}
