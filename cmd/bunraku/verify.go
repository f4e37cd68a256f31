package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"bunraku/fleet"
	"bunraku/judge"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/report"
	"bunraku/source"
	"bunraku/verify"
	"bunraku/verify/model"

	"github.com/spf13/cobra"
)

// verifyFlags are the switches of verify.
type verifyFlags struct {
	compileFlags
	judgeFlags
	catalog string
	after   string
}

func (a *app) verifyCommand() *cobra.Command {
	var flags verifyFlags
	c := &cobra.Command{
		Use:   "verify ENV|--catalog FILE",
		Short: "Prove that a catalog is deterministic, idempotent and able to succeed, or show why not",
		Long: `Compiles a node's catalog, or reads one, and proves that it ends alike in every order that its dependencies allow, that it can
succeed from a fresh machine, that a second run changes nothing, that what is declared and what is asserted holds at the end, and that
services are restarted when a file that they read changes. Where it cannot, it shows a machine and a run that show it, and an edit that
mends it, each tried out before it is shown. The node's facts are found in ENV/facts by the name that --node gives, or are those of --facts.

Exits with 0 when all is proved, 2 when something was found, 3 when something stayed unknown. A service that is not restarted is a
warning: it counts with --fail-on=warning.`,
		Args: arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := untilSignal()
			defer stop()
			return a.verify(ctx, cmd, &flags, args)
		},
	}
	flags.compileFlags.add(c)
	flags.judgeFlags.add(c)
	c.Flags().BoolVar(&flags.recover, "recover", false,
		"ask too whether later runs mend what a run leaves that was cut off, or in which a command failed once")
	c.Flags().StringVar(&flags.after, "after", "",
		"show too what a run does to a machine that has another catalog: `OLD`, a file in Puppet's JSON, or a revision of ENV")
	c.Flags().StringVar(&flags.catalog, "catalog", "",
		"a catalog to read in place of compiling one: `FILE` in Puppet's JSON")
	return c
}

func (a *app) verify(ctx context.Context, cmd *cobra.Command, flags *verifyFlags, args []string) error {
	began := time.Now()
	env := ""
	if len(args) > 0 {
		env = args[0]
	}
	j, err := a.newJudge(&flags.judgeFlags, env)
	if err != nil {
		return err
	}
	defer func() { a.tellLists(j.Close()) }()
	s, err := a.subject(ctx, cmd, flags, args)
	if err != nil {
		return err
	}
	v, err := j.Judge.Judge(ctx, s.Suspect)
	if err != nil {
		return err
	}
	var after *upgrade
	if flags.after != "" {
		if after, err = a.after(ctx, cmd, j, flags, s); err != nil {
			return err
		}
	}
	run := &report.Run{Command: "verify", Version: version, Name: v.Catalog.Name, Nodes: []*report.Node{v.Node},
		Own: j.own, Hide: j.hide}
	v.Tell(run)
	declared := declarations(v.Catalog)
	for _, p := range run.Problems {
		if p.Beside.Known() { // it may have a comment, and need not declare anything
			declared.files = append(declared.files, p.Beside.File)
		}
	}
	if err := j.suppress(run, declared.files, declared.at); err != nil {
		return err
	}
	if v.Report != nil {
		j.unused(run, func(x string) bool { return slices.Contains(v.Report.Model.Accepted, x) })
	}
	out := &verification{Verdict: v, after: after, run: run, judge: j, began: began, style: a.out.Style()}
	done, err := a.finish(j, run)
	switch {
	case err != nil || done:
	case flags.format == "json":
		err = a.writeJSON(out.json())
	default:
		out.text(a.out)
	}
	if err != nil {
		return err
	}
	if code := out.code(); code != exitFine {
		return &exitError{code: code}
	}
	return nil
}

// A subject is the catalog that is asked about.
type subject struct {
	judge.Suspect
	env  string        // "" for a catalog that was read
	node compiler.Node // that it was compiled for
}

// subject compiles it, or reads it.
func (a *app) subject(ctx context.Context, cmd *cobra.Command, flags *verifyFlags, args []string) (*subject, error) {
	switch {
	case flags.catalog != "" && len(args) > 0:
		return nil, fail("give an environment or --catalog, not both")
	case flags.catalog == "" && len(args) == 0:
		return nil, fail("say what to verify: an environment (`bunraku verify . --node NAME`), or --catalog FILE")
	}
	env := ""
	if len(args) > 0 {
		env = args[0]
	}
	if flags.catalog == "" {
		flags.several = "; `bunraku check " + env + "` verifies them all"
		o, err := a.open(ctx, &flags.compileFlags, env, a.options(cmd, &flags.compileFlags))
		if err != nil {
			return nil, err
		}
		r, err := a.compileNode(ctx, o)
		if err != nil {
			return nil, err
		}
		return &subject{fleet.NewSuspect(o.Current(), r, o.node.Facts), env, o.node}, nil
	}
	platform, shown := "", []string(nil)
	if flags.facts != "" {
		node, err := a.node(&flags.compileFlags, source.NewDir(source.DirOptions{Roots: []string{flags.facts}}), "")
		if err != nil {
			return nil, err
		}
		platform, shown = judge.PlatformOf(node.Facts), judge.ShownBy(node.Facts)
	}
	c, err := a.readCatalog(flags.catalog)
	if err != nil {
		return nil, err
	}
	return &subject{Suspect: judge.Suspect{Catalog: c, Platform: platform, Shown: shown}}, nil
}

// readCatalog reads a catalog in Puppet's JSON.
func (a *app) readCatalog(name string) (*catalog.Catalog, error) {
	text, err := source.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c, err := catalog.Read([]byte(text.Text))
	if err != nil {
		return nil, fail("%s is no catalog in Puppet's JSON: %s", name, strings.TrimPrefix(err.Error(), "no catalog: "))
	}
	a.secrets.AddCatalog(c)
	return c, nil
}

// declaring says where a catalog's resources are declared.
type declaring struct {
	files []*source.File
	lines map[string]map[int]bool
}

func declarations(c *catalog.Catalog) *declaring {
	d := &declaring{lines: map[string]map[int]bool{}}
	for _, r := range c.Resources {
		if !r.Place.Known() {
			continue
		}
		name := r.Place.File.Name
		if d.lines[name] == nil {
			d.lines[name] = map[int]bool{}
			d.files = append(d.files, r.Place.File)
		}
		d.lines[name][r.Place.Line()] = true
	}
	return d
}

func (d *declaring) at(file string, line int) bool { return d.lines[file][line] }

// A verification is the answer for one node, ready to be shown.
type verification struct {
	*judge.Verdict
	after *upgrade // nil if that was not asked
	run   *report.Run
	judge *judging
	began time.Time
	style source.Style
}

// code is the exit code.
func (v *verification) code() int {
	for _, p := range v.run.Problems {
		if v.judge.fails(p) {
			return exitNo
		}
	}
	if v.after != nil && v.after.Upgrade != nil && len(v.after.Failed) > 0 {
		return exitNo
	}
	if v.Report != nil && len(v.Report.Unknown) > 0 || v.after != nil && v.after.Upgrade == nil {
		return exitUnknown
	}
	return exitFine
}

func (v *verification) text(w io.Writer) {
	for _, p := range v.run.Problems {
		if p.Finding == nil {
			p.Render(w, v.style)
		}
	}
	if v.Report == nil {
		fmt.Fprintf(w, "\n%s: %s. No agent applies this catalog.%s\n", v.Catalog.Name, v.blockedBy(), v.took())
		return
	}
	r := v.Report
	m := r.Model
	fmt.Fprintf(w, "%s: %s, %d modelled exactly, %d approximately, %d not%s\n", v.Catalog.Name,
		plural(m.Exact+m.Approximate+m.Unmodelled, "resource"),
		m.Exact, m.Approximate, m.Unmodelled, v.unmodelled())
	for _, line := range unreadText(m.Catalog.Unread) {
		fmt.Fprintf(w, "   %s\n", line)
	}
	for _, p := range v.run.Problems {
		if p.Finding != nil && p.Suppressed.By == "" {
			fmt.Fprintln(w)
			showFinding(w, v.style, p)
		}
	}
	if len(r.Unknown) > 0 {
		fmt.Fprintf(w, "\n%s undecided\n", report.Undecided)
		for _, u := range r.Unknown {
			fmt.Fprintf(w, "   %s\n", u)
		}
		if len(r.Needed) > 0 {
			fmt.Fprintf(w, "   %s would decide it\n", assumeFlags(r.Needed))
		}
		shown := 0
		for _, n := range m.Notes {
			if n.Exact != verify.Opaque {
				continue
			}
			if shown++; shown > 5 {
				fmt.Fprintf(w, "   … (--format json lists all)\n")
				break
			}
			fmt.Fprintf(w, "   %s: %s\n", n.Resource.Ref(), n.Text)
		}
	}
	if v.after != nil {
		v.after.text(w)
	}
	fmt.Fprintf(w, "\n%s%s\n", v.summary(), v.took())
}

// assumeFlags are the switches that answer open points.
func assumeFlags(points []model.Point) string {
	var out []string
	for _, p := range points[:min(len(points), 3)] {
		out = append(out, "--assume '"+p.Text+"'")
	}
	if len(points) > len(out) {
		out = append(out, "…")
	}
	return strings.Join(out, " ")
}

func (v *verification) blockedBy() string {
	count := map[string]int{}
	for _, d := range v.Blocked {
		count[d.Code]++
	}
	var parts []string
	if n := count["C0001"]; n > 0 {
		parts = append(parts, plural(n, "dependency cycle"))
	}
	if n := count["C0002"]; n > 0 {
		parts = append(parts, plural(n, "relationship")+" to nowhere")
	}
	return strings.Join(parts, " and ")
}

func (v *verification) took() string { return "   " + seconds(time.Since(v.began)) }

// unmodelled names the first resources without a model.
func (v *verification) unmodelled() string {
	var names []string
	var last *catalog.Resource
	for _, n := range v.Report.Model.Notes {
		if n.Exact == verify.Opaque && n.Resource != last {
			names = append(names, n.Resource.Ref())
			last = n.Resource
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > 3:
		return " (" + strings.Join(names[:3], ", ") + ", …)"
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// showFinding prints a finding in full.
func showFinding(w io.Writer, style source.Style, p *report.Problem) {
	f := p.Finding
	fmt.Fprintf(w, "%s %s\n", paintCode(style, f), report.Headline(f))
	type row struct{ at, text string }
	var rows []row
	switch {
	case f.At.Known() && strings.HasPrefix(f.Code, "V4"): // the rule of a policy
		rows = append(rows, row{f.At.String(), strings.TrimSpace(f.At.Text())})
	case f.At.Known():
		rows = append(rows, row{f.At.String(), f.About})
	}
	for _, r := range f.Resources {
		if at := declaredAt(r); at != "" {
			rows = append(rows, row{at, strings.TrimSpace(firstLine(r))})
		}
	}
	if at := p.Beside; at.Known() {
		rows = append(rows, row{at.String(), strings.TrimSpace(at.File.Line(at.Line())) + "   brings it in"})
	}
	width := 0
	for _, r := range rows {
		width = max(width, len(r.at))
	}
	for _, r := range rows {
		fmt.Fprintf(w, "   %-*s   %s\n", width, r.at, r.text)
	}
	for _, line := range report.Evidence(f) {
		fmt.Fprintf(w, "   %s\n", line)
	}
	if p.Remedy != nil {
		verified := ""
		if f.Fix.Verified {
			verified = "   verified"
		}
		fmt.Fprintf(w, "   fix  %s   %s%s\n", remedyAt(p.Remedy, f.Fix), remedyText(p.Remedy, f.Fix), verified)
	}
}

// remedyAt says where a fix is to be written.
func remedyAt(r *report.Remedy, fix *model.Fix) string {
	if r.Statement == "" {
		if at := declaredAt(fix.Resource); at != "" {
			return at
		}
		return fix.Resource.Ref()
	}
	return "in your own code"
}

// remedyText is what is to be written.
func remedyText(r *report.Remedy, fix *model.Fix) string {
	if r.Statement != "" {
		return r.Statement
	}
	return fix.String()
}

func paintCode(style source.Style, f *model.Finding) string {
	paint := style.Error
	if f.Warning {
		paint = style.Warning
	}
	if paint == nil {
		return f.Code
	}
	return paint(f.Code)
}

func declaredAt(r *catalog.Resource) string {
	switch {
	case r.Place.Known():
		return r.Place.String()
	case r.File != "":
		return fmt.Sprintf("%s:%d", r.File, r.Line)
	}
	return ""
}

// firstLine is the source line in which a resource is declared.
func firstLine(r *catalog.Resource) string {
	if r.Place.Known() {
		return r.Place.File.Line(r.Place.Line())
	}
	return r.Ref()
}

// summary is the last line: the answer in one sentence.
func (v *verification) summary() string {
	r := v.Report
	var parts []string
	otherwise := ""
	for _, f := range r.Findings {
		if f.Code == "V101" {
			otherwise = " otherwise"
		}
	}
	switch {
	case r.Deterministic == verify.Yes:
		parts = append(parts, "deterministic")
	case r.Deterministic == verify.No && otherwise != "" && fixed(r) && !r.Partial:
		parts = append(parts, "deterministic otherwise")
	case r.Deterministic == verify.No:
		parts = append(parts, "not deterministic")
	default:
		parts = append(parts, "not known to be deterministic")
	}
	parts = append(parts, map[verify.Verdict]string{verify.Yes: "idempotent", verify.No: "not idempotent",
		verify.Unknown: "not known to be idempotent"}[r.Idempotent])
	if r.Latest && r.Idempotent == verify.Yes {
		parts[len(parts)-1] += " while repositories stand still"
	}
	fresh := "a fresh machine"
	if v.Platform != "" {
		fresh = "a fresh " + v.Platform
	}
	if len(v.judge.flags.base) > 0 {
		fresh += " with what --base has"
	}
	parts = append(parts, map[verify.Chance]string{verify.Always: "can succeed from " + fresh,
		verify.Sometimes: "can succeed from " + fresh,
		verify.Never:     "cannot succeed from " + fresh, verify.ChanceUnknown: "not known to succeed from " +
			fresh}[r.Success])
	switch rec := r.Recovery; {
	case rec.Stuck > 0:
		parts = append(parts, fmt.Sprintf("does not recover from %d of %s", rec.Stuck, plural(rec.Cuts, "cut")))
	case rec.Asked && rec.Cuts > 0:
		parts = append(parts, fmt.Sprintf("recovers from each of %s on that machine", plural(rec.Cuts, "cut")))
	}
	text := strings.Join(parts, "; ")
	if n := len(r.Model.Accepted); n > 0 {
		text += ", assuming " + plural(n, "accepted point")
	}
	text += "."
	text = strings.ToUpper(text[:1]) + text[1:]
	count := "No findings"
	if n := v.run.Count(source.Error) + v.run.Count(source.Warning); n > 0 {
		count = plural(n, "finding")
	}
	if r.Partial {
		count += ", and there is more than is shown"
	}
	if n := v.run.Suppressed(); n > 0 {
		count += fmt.Sprintf(", %d ignored", n)
	}
	if slices.ContainsFunc(v.Refused, func(d *source.Diagnostic) bool { return d.Code == "C0003" }) {
		count += ". No agent applies this catalog"
	}
	return count + ". " + text
}

// fixed reports whether every missing order has a verified fix.
func fixed(r *model.Report) bool {
	for _, f := range r.Findings {
		if f.Code == "V101" && (f.Fix == nil || !f.Fix.Verified) {
			return false
		}
	}
	return true
}
