package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"bunraku/puppet/catalog"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
	"bunraku/report"
	"bunraku/source"
	"bunraku/verify"
	"bunraku/verify/listing"
	"bunraku/verify/model"
	"bunraku/verify/sat"

	"github.com/spf13/cobra"
)

// judgeFlags are the switches of every command that verifies catalogs.
type judgeFlags struct {
	platform, packageModel, solver, failOn, format string
	packages, assert                               []string
	baseline, writeBaseline                        string
	fix                                            bool
	budget                                         int
}

func (j *judgeFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&j.platform, "platform", "", "what the node runs, such as debian-12; by default what its facts say")
	f.StringArrayVar(&j.packages, "packages", nil, "a `DIR` with package file lists, or dpkg's database (/var/lib/dpkg); may be repeated")
	f.StringVar(&j.packageModel, "package-model", "", "what installing over existing files does: dpkg, rpm or paper (Rehearsal's); by default the platform's")
	f.StringVar(&j.solver, "solver", "built-in", "built-in, minisat, cadical or z3")
	f.IntVar(&j.budget, "budget", model.DefaultUnits, "how much work one catalog may cost, in units of which 30 take about a second; then the rest is unknown")
	f.StringVar(&j.failOn, "fail-on", "error", "error, warning or unknown: what makes the exit code something other than 0")
	f.StringVar(&j.format, "format", "text", strings.Join(formats, ", "))
	f.StringArrayVar(&j.assert, "assert", nil, "a `FILE` of assertions that must hold at the end of every run; by default bunraku.assert in ENV")
	f.StringVar(&j.baseline, "baseline", "", "a `FILE` of known problems, which do not count")
	f.StringVar(&j.writeBaseline, "write-baseline", "", "write the problems that there are to a baseline `FILE`")
	f.BoolVar(&j.fix, "fix", false, "print the verified edits as a patch, and nothing else")
}

var formats = []string{"text", "json", "sarif", "github", "junit"}

// assertFile is looked for in every environment.
const assertFile = "bunraku.assert"

// A judge verifies catalogs as the flags say. It can be used for several nodes at the same time.
type judge struct {
	flags     *judgeFlags
	solver    sat.Solver
	packages  model.Packages
	byDefault bool // nobody has said which package model
	assert    []model.Assertion
	env       string                 // "" for none
	own       func(file string) bool // whether a file is the user's to edit; nil if that cannot be told
	hide      func(string) string    // blots out secrets

	mu    sync.Mutex
	lists map[string][]*listing.Set // by platform, those nobody is using
}

// newJudge checks the flags and reads the assertions that are about an environment ("" for none). Trouble with those is told.
func (a *app) newJudge(flags *judgeFlags, env string) (*judge, error) {
	if !slices.Contains(formats, flags.format) {
		return nil, fail("unknown format %q: %s", flags.format, strings.Join(formats, ", "))
	}
	if !slices.Contains([]string{"error", "warning", "unknown"}, flags.failOn) {
		return nil, fail("--fail-on is error, warning or unknown, not %q", flags.failOn)
	}
	if flags.budget < 1 {
		return nil, fail("--budget is a number of units from 1 on, not %d", flags.budget)
	}
	j := &judge{flags: flags, byDefault: flags.packageModel == "", env: env, own: ownCode(env), hide: a.secrets.Hide, lists: map[string][]*listing.Set{}}
	var err error
	if j.solver, err = sat.Named(flags.solver); err != nil {
		return nil, err
	}
	if !j.byDefault {
		if j.packages, err = model.ParsePackages(flags.packageModel); err != nil {
			return nil, err
		}
	}
	files := flags.assert
	if own := filepath.Join(env, assertFile); len(files) == 0 && env != "" && exists(own) {
		files = []string{own}
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list, trouble := model.ParseAssertions(source.NewFile(filepath.ToSlash(name), string(text)))
		if trouble.HasErrors() {
			a.report(trouble)
			return nil, &exitError{code: exitFailed}
		}
		j.assert = append(j.assert, list...)
	}
	return j, nil
}

// A verdict is what verifying one catalog gives.
type verdict struct {
	node      *report.Node
	catalog   *catalog.Catalog
	platform  string
	report    *model.Report // nil if the catalog has cycles, or relationships to nowhere
	blocked   source.Diagnostics
	refused   source.Diagnostics // values that an agent does not accept
	undecided bool               // although everything has a model, or about an assertion
	types     resource.Lookup
}

// of is the same verdict about a catalog that is like the one it was made for.
func (v *verdict) of(c *catalog.Catalog) *verdict {
	out := *v
	out.catalog, out.node = c, &report.Node{Name: c.Name, Unknown: v.node.Unknown, Beside: v.node.Beside}
	return &out
}

// A suspect is a catalog to be judged.
type suspect struct {
	catalog  *catalog.Catalog
	platform string
	types    resource.Lookup // knows the types of its modules; nil for Puppet's own
	result   *eval.Result    // of the compile; nil if somebody else has compiled it
}

// judge verifies one catalog.
func (j *judge) judge(ctx context.Context, s suspect) (*verdict, error) {
	cat, platform := s.catalog, s.platform
	if j.flags.platform != "" {
		platform = j.flags.platform
	}
	v := &verdict{node: &report.Node{Name: cat.Name}, catalog: cat, platform: platform}
	types := model.Types{Lookup: s.types}
	v.types, v.refused = types, refused(suspect{cat, platform, s.types, nil})
	graph := catalog.NewGraph(cat, types)
	for _, m := range graph.Missing {
		v.blocked = append(v.blocked, &source.Diagnostic{Code: "C0002", Summary: m.Message(), Place: m.Place,
			Help: "declare it, or take the relationship away: no agent applies this catalog"})
	}
	for _, c := range graph.Cycles() {
		v.blocked = append(v.blocked, c.Diagnostic())
	}
	if len(v.blocked) > 0 {
		return v, nil
	}
	lists, err := j.borrow(platform)
	if err != nil {
		return nil, err
	}
	defer j.giveBack(platform, lists)
	opt := model.Options{Packages: j.packages, Listing: lists, Platform: platform, Assert: j.assert, Types: types, Words: report.Words}
	if j.byDefault && isRedHat(platform) {
		opt.Packages = model.RPM
	}
	search := verify.DefaultOptions()
	search.Solver = j.solver
	model.Within(ctx, j.flags.budget, &opt, &search)
	if v.report, err = model.Verify(ctx, graph, opt, search); err != nil {
		return nil, fmt.Errorf("%s: %w", cat.Name, err)
	}
	m := v.report.Model
	m.Assumed = append(m.Assumed, lists.Notes()...)
	v.dropSecret(j.hide)
	v.node.Unknown, v.node.Beside = v.report.Unknown, j.beside(v.report.Findings, s.result)
	v.undecided = v.report.TooLong || len(v.report.Open) > 0
	return v, nil
}

// dropSecret takes back fixes that would write a secret into a manifest.
func (v *verdict) dropSecret(hide func(string) string) {
	for i := range v.report.Findings {
		f := &v.report.Findings[i]
		if f.Fix != nil && hide(f.Fix.Statement()+f.Fix.String()) != f.Fix.Statement()+f.Fix.String() {
			f.Fix = nil
		}
	}
}

// borrow takes package lists for a platform; one reader at a time uses each.
func (j *judge) borrow(platform string) (*listing.Set, error) {
	j.mu.Lock()
	if free := j.lists[platform]; len(free) > 0 {
		j.lists[platform] = free[:len(free)-1]
		j.mu.Unlock()
		return free[len(free)-1], nil
	}
	j.mu.Unlock()
	return openLists(platform, "", j.flags.packages)
}

func (j *judge) giveBack(platform string, s *listing.Set) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lists[platform] = append(j.lists[platform], s)
}

// done closes the package lists and says what people should know of those that were used: that they are of another platform, or none.
func (j *judge) done(a *app) {
	said := map[string]bool{}
	for _, platform := range slices.Sorted(maps.Keys(j.lists)) {
		for _, s := range j.lists[platform] {
			a.tellLists(s, said)
			s.Close() // opened to read: there is nothing to lose
		}
	}
}

// tell puts a verdict's problems into a run.
func (v *verdict) tell(run *report.Run) {
	for _, d := range slices.Concat(v.blocked, v.refused) {
		run.Add(v.node, d)
	}
	if v.report != nil {
		for i := range v.report.Findings {
			run.AddFinding(v.node, &v.report.Findings[i])
		}
	}
}

// suppress applies comments and the baseline, and adds notes about those that have no effect. about says which lines declare something;
// nil to judge all of them.
func (j *judge) suppress(run *report.Run, files []*source.File, about func(string, int) bool) error {
	ignores := run.Ignore(files)
	if j.flags.baseline != "" {
		b, err := report.ReadBaseline(j.flags.baseline)
		if err != nil {
			return err
		}
		if gone := b.Apply(run); len(gone) > 0 && about == nil {
			run.Add(nil, &source.Diagnostic{Code: "V902", Severity: source.Note, Summary: fmt.Sprintf("%s in %s and no longer there", isAre(len(gone), "problem"), j.flags.baseline),
				Help: "write it again with --write-baseline"})
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
func (j *judge) fails(p *report.Problem) bool {
	return p.Suppressed.By == "" && (p.Severity == source.Error || p.Severity == source.Warning && j.flags.failOn != "error" && p.Finding != nil)
}

// finish writes a run in the formats that are the same for every command, and the baseline. It reports whether the run was written.
func (a *app) finish(j *judge, run *report.Run) (done bool, err error) {
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
	case "junit":
		return true, run.JUnit(a.out.As(source.Markup), j.fails)
	}
	return false, nil
}

// mend prints the patch. What cannot be part of it, since it concerns code that is not the user's own, is told beside it.
func (a *app) mend(j *judge, run *report.Run) error {
	base := patchBase(j.env)
	var patch bytes.Buffer
	fit := func(line string) bool { return source.Harmless(line) && j.hide(line) == line }
	files, left := run.Patch(&patch, base, fit)
	if err := a.out.Raw(patch.String()); err != nil {
		return err
	}
	for _, name := range left {
		fmt.Fprintf(a.err, "note: the edit of %s is not in the patch: lines beside it hold a secret, or what a terminal or the log of a CI server would obey\n", name)
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
		fmt.Fprintf(a.err, "note: %s is not declared in your own code, so it is not in the patch; write there%s:\n  %s\n", p.Finding.Fix.Resource.Ref(), where, p.Remedy.Statement)
	}
	if files == 0 && len(left) == 0 && len(statements) == 0 {
		fmt.Fprintln(a.err, "there is nothing to mend")
	}
	return nil
}

// patchBase is the directory from which a patch names files: "" for the one that the command runs in, unless the environment lies outside
// of it, since no tool applies a patch there.
func patchBase(env string) string {
	if info, err := os.Stat(env); err == nil && !info.IsDir() {
		env = filepath.Dir(env)
	}
	if env = filepath.Clean(env); filepath.IsAbs(env) || env == ".." || strings.HasPrefix(env, ".."+string(filepath.Separator)) {
		return env
	}
	return ""
}

// platformOf is the name of what a node runs: debian-12, ubuntu-22.04.
func platformOf(f *facts.Facts) string {
	if f == nil {
		return ""
	}
	osFact, _ := f.Values.At("os").(*value.Hash)
	if osFact == nil {
		return ""
	}
	name := strings.ToLower(value.ToString(osFact.At("name")))
	if release, ok := osFact.At("release").(*value.Hash); ok {
		if major := value.ToString(release.At("major")); major != "" {
			name += "-" + major
		}
	}
	return name
}

func isRedHat(platform string) bool {
	for _, p := range []string{"redhat", "centos", "fedora", "rocky", "almalinux", "oraclelinux", "amazon", "scientific"} {
		if strings.HasPrefix(platform, p) {
			return true
		}
	}
	return false
}
