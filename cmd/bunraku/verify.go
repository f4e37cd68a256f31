package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
	"unicode/utf8"

	"bunraku/catalog"
	"bunraku/facts"
	"bunraku/source"
	"bunraku/value"
	"bunraku/verify"
	"bunraku/verify/listing"
	"bunraku/verify/model"
	"bunraku/verify/sat"

	"github.com/spf13/cobra"
)

// verifyFlags are the switches of verify beyond those of every command that compiles.
type verifyFlags struct {
	compileFlags
	catalog, platform, packageModel, solver, failOn, format string
	packages                                                []string
}

func (a *app) verifyCommand() *cobra.Command {
	flags := verifyFlags{failOn: "error", format: "text"}
	c := &cobra.Command{
		Use:   "verify ENV|--catalog FILE",
		Short: "Prove that a catalog is deterministic, idempotent and able to succeed, or show why not",
		Long: `Compiles a node's catalog, or reads one, and proves that it ends alike in every order that its dependencies allow, that it can
succeed from a fresh machine, that a second run changes nothing, and that what is declared holds at the end. Where it cannot, it
shows a machine and two orders that end differently, and an edge to add, each tried out before it is shown.

Exits with 0 when all is proved, 2 when something was found, 3 when something stayed unknown.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			defer stop()
			return a.verify(ctx, cmd, &flags, args)
		},
	}
	flags.add(c)
	f := c.Flags()
	f.StringVar(&flags.catalog, "catalog", "", "a catalog to read in place of compiling one: `FILE` in Puppet's JSON")
	f.StringVar(&flags.platform, "platform", "", "what the node runs, such as debian-12; by default what its facts say")
	f.StringArrayVar(&flags.packages, "packages", nil, "a `DIR` with package file lists, or dpkg's database (/var/lib/dpkg); may be repeated")
	f.StringVar(&flags.packageModel, "package-model", "", "what installing over existing files does: dpkg, rpm or paper (Rehearsal's); by default the platform's")
	f.StringVar(&flags.solver, "solver", "gophersat", "gophersat, minisat, cadical or z3")
	f.StringVar(&flags.failOn, "fail-on", flags.failOn, "error or warning: what makes the exit code 2")
	f.StringVar(&flags.format, "format", flags.format, "text or json")
	return c
}

func (a *app) verify(ctx context.Context, cmd *cobra.Command, flags *verifyFlags, args []string) error {
	began := time.Now()
	if flags.format != "text" && flags.format != "json" {
		return fail("unknown format %q: text or json", flags.format)
	}
	if flags.failOn != "error" && flags.failOn != "warning" {
		return fail("--fail-on is error or warning, not %q", flags.failOn)
	}
	solver, err := sat.Named(flags.solver)
	if err != nil {
		return err
	}
	cat, platform, err := a.subject(cmd, flags, args)
	if err != nil {
		return err
	}
	packages := model.Dpkg
	if flags.packageModel != "" {
		if packages, err = model.ParsePackages(flags.packageModel); err != nil {
			return err
		}
	} else if isRedHat(platform) {
		packages = model.RPM
	}
	lists, err := listing.Open(platform, flags.packages...)
	if err != nil {
		return err
	}
	out := &verification{name: cat.Name, platform: platform, flags: flags, began: began, style: styleFor(a.out)}
	graph := catalog.NewGraph(cat, model.Types{})
	for _, m := range graph.Missing {
		return fail("%s", m.Message())
	}
	if out.cycles = graph.Cycles(); len(out.cycles) == 0 {
		m, err := model.Build(graph, model.Options{Packages: packages, Listing: lists, Platform: platform})
		if err != nil {
			return err
		}
		opt := verify.DefaultOptions()
		opt.Solver = solver
		if out.report, err = m.Verify(ctx, opt); err != nil {
			return err
		}
	}
	if flags.format == "json" {
		err = out.json(a.out)
	} else {
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

// subject is the catalog that is asked about, and the platform that it is for.
func (a *app) subject(cmd *cobra.Command, flags *verifyFlags, args []string) (*catalog.Catalog, string, error) {
	switch {
	case flags.catalog != "" && len(args) > 0:
		return nil, "", fail("give an environment or --catalog, not both")
	case flags.catalog == "" && len(args) == 0:
		return nil, "", fail("say what to verify: an environment, or --catalog FILE")
	}
	env := ""
	if len(args) > 0 {
		env = args[0]
	}
	platform := flags.platform
	if platform == "" && flags.facts != "" {
		n, err := flags.readNode(env)
		if err != nil {
			return nil, "", err
		}
		platform = platformOf(n.Facts)
	}
	if flags.catalog == "" {
		r, err := a.compileOne(cmd, &flags.compileFlags, env)
		if err != nil {
			return nil, "", err
		}
		return r.Catalog, platform, nil
	}
	text, err := os.ReadFile(flags.catalog)
	if err != nil {
		return nil, "", err
	}
	c, err := catalog.Read(text)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", flags.catalog, err)
	}
	return c, platform, nil
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

// A verification is the answer for one node, ready to be shown.
type verification struct {
	name, platform string
	flags          *verifyFlags
	began          time.Time
	style          source.Style
	cycles         []catalog.Cycle
	report         *model.Report // nil if there are cycles
}

// code is the exit code.
func (v *verification) code() int {
	if len(v.cycles) > 0 {
		return exitNo
	}
	for _, f := range v.report.Findings {
		if !f.Warning || v.flags.failOn == "warning" {
			return exitNo
		}
	}
	if len(v.report.Unknown) > 0 {
		return exitUnknown
	}
	return exitFine
}

func (v *verification) text(w io.Writer) {
	if len(v.cycles) > 0 {
		for _, c := range v.cycles {
			c.Diagnostic().Render(w, v.style)
		}
		fmt.Fprintf(w, "\n%s: %s. No agent applies this catalog.%s\n", v.name, plural(len(v.cycles), "dependency cycle"), v.took())
		return
	}
	r := v.report
	m := r.Model
	fmt.Fprintf(w, "%s: %s, %d modelled exactly, %d approximately, %d not%s\n", v.name, plural(m.Exact+m.Approximate+m.Unmodelled, "resource"),
		m.Exact, m.Approximate, m.Unmodelled, v.unmodelled())
	for _, f := range r.Findings {
		fmt.Fprintln(w)
		v.finding(w, f)
	}
	if len(r.Unknown) > 0 {
		fmt.Fprintf(w, "\nV301 undecided\n")
		for _, u := range r.Unknown {
			fmt.Fprintf(w, "   %s\n", u)
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
	fmt.Fprintf(w, "\n%s%s\n", v.summary(), v.took())
}

func (v *verification) took() string { return "   " + seconds(time.Since(v.began)) }

// unmodelled names the first resources without a model.
func (v *verification) unmodelled() string {
	var names []string
	var last *catalog.Resource
	for _, n := range v.report.Model.Notes {
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

func (v *verification) finding(w io.Writer, f model.Finding) {
	title := f.Title
	if f.Grade != "" {
		title += " (" + f.Grade + ")"
	}
	var refs []string
	for _, r := range f.Resources {
		refs = append(refs, r.Ref())
	}
	if len(refs) > 0 {
		title += ": " + strings.Join(refs, " and ")
	}
	fmt.Fprintf(w, "%s %s\n", paintCode(v.style, f), title)
	width := 0
	for _, r := range f.Resources {
		width = max(width, len(declaredAt(r)))
	}
	for _, r := range f.Resources {
		if at := declaredAt(r); at != "" {
			fmt.Fprintf(w, "   %-*s   %s\n", width, at, strings.TrimSpace(firstLine(r)))
		}
	}
	if f.Note != "" {
		fmt.Fprintf(w, "   %s\n", f.Note)
	}
	if f.Code == "V101" || f.Code == "V102" || len(f.Initial) > 0 {
		start := "on a fresh machine"
		if len(f.Initial) > 0 {
			start = "on a machine where " + strings.Join(f.Initial, ", ")
		}
		fmt.Fprintf(w, "   %s\n", start)
	}
	width = 0
	var heads []string
	for i, r := range f.Runs {
		h := orderText(r.Order)
		if h == "" {
			h = []string{"first run", "second run", "", ""}[min(i, 3)]
		}
		heads = append(heads, h)
		width = max(width, utf8.RuneCountInString(h))
	}
	for i, r := range f.Runs {
		replayed := ""
		if i == len(f.Runs)-1 {
			replayed = "   replayed"
		}
		fmt.Fprintf(w, "     %s%s   %s%s\n", heads[i], strings.Repeat(" ", width-utf8.RuneCountInString(heads[i])), r.Result, replayed)
	}
	if f.Fix != nil {
		verified := ""
		if f.Fix.Verified {
			verified = "   verified"
		}
		at := declaredAt(f.Fix.Resource)
		if at == "" {
			at = f.Fix.Resource.Ref()
		}
		fmt.Fprintf(w, "   fix  %s   %s%s\n", at, f.Fix, verified)
	}
}

func paintCode(style source.Style, f model.Finding) string {
	paint := style.Error
	if f.Warning {
		paint = style.Warning
	}
	if paint == nil {
		return f.Code
	}
	return paint(f.Code)
}

// orderText names the resources of an order: by type if that is enough.
func orderText(order []*catalog.Resource) string {
	var names []string
	types := map[string]bool{}
	for _, r := range order {
		types[r.Type] = true
	}
	for _, r := range order {
		if len(types) == len(order) {
			names = append(names, strings.ToLower(r.Type))
		} else {
			names = append(names, r.Ref())
		}
	}
	return strings.Join(names, ", then ")
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
	r := v.report
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
	case r.Deterministic == verify.No && otherwise != "" && fixed(r):
		parts = append(parts, "deterministic otherwise")
	case r.Deterministic == verify.No:
		parts = append(parts, "not deterministic")
	default:
		parts = append(parts, "not known to be deterministic")
	}
	parts = append(parts, map[verify.Verdict]string{verify.Yes: "idempotent", verify.No: "not idempotent", verify.Unknown: "not known to be idempotent"}[r.Idempotent])
	fresh := "a fresh machine"
	if v.platform != "" {
		fresh = "a fresh " + v.platform
	}
	parts = append(parts, map[verify.Chance]string{verify.Always: "can succeed from " + fresh, verify.Sometimes: "can succeed from " + fresh,
		verify.Never: "cannot succeed from " + fresh, verify.ChanceUnknown: "not known to succeed from " + fresh}[r.Success])
	text := strings.Join(parts, "; ") + "."
	text = strings.ToUpper(text[:1]) + text[1:]
	count := "No findings"
	if n := len(r.Findings); n > 0 {
		count = plural(n, "finding")
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

type findingJSON struct {
	Code      string         `json:"code"`
	Severity  string         `json:"severity"`
	Title     string         `json:"title"`
	Grade     string         `json:"grade,omitempty"`
	Note      string         `json:"note,omitempty"`
	Resources []resourceJSON `json:"resources"`
	Initial   []string       `json:"initial,omitempty"`
	Runs      []runJSON      `json:"runs,omitempty"`
	Fix       *fixJSON       `json:"fix,omitempty"`
}

type resourceJSON struct {
	Ref   string `json:"ref"`
	Place string `json:"place,omitempty"`
}

type runJSON struct {
	Order  []string `json:"order,omitempty"`
	Result string   `json:"result"`
}

type fixJSON struct {
	Resource resourceJSON `json:"resource"`
	Text     string       `json:"text"`
	Verified bool         `json:"verified"`
}

type noteJSON struct {
	Resource string `json:"resource"`
	Model    string `json:"model"`
	Text     string `json:"text"`
}

type verifyJSON struct {
	Node          string         `json:"node"`
	Platform      string         `json:"platform,omitempty"`
	Resources     map[string]int `json:"resources,omitempty"`
	Deterministic string         `json:"deterministic,omitempty"`
	Success       string         `json:"succeeds,omitempty"`
	Idempotent    string         `json:"idempotent,omitempty"`
	Quiet         string         `json:"quiet,omitempty"`
	Cycles        []string       `json:"cycles,omitempty"`
	Findings      []findingJSON  `json:"findings"`
	Unknown       []string       `json:"unknown,omitempty"`
	Assumed       []string       `json:"assumed,omitempty"`
	Notes         []noteJSON     `json:"notes,omitempty"`
}

func (v *verification) json(w io.Writer) error {
	doc := verifyJSON{Node: v.name, Platform: v.platform, Findings: []findingJSON{}}
	for _, c := range v.cycles {
		doc.Cycles = append(doc.Cycles, c.Diagnostic().Summary)
	}
	if r := v.report; r != nil {
		m := r.Model
		doc.Resources = map[string]int{"exact": m.Exact, "approximate": m.Approximate, "unmodelled": m.Unmodelled}
		doc.Deterministic, doc.Success = r.Deterministic.String(), r.Success.String()
		doc.Idempotent, doc.Quiet = r.Idempotent.String(), r.Quiet.String()
		doc.Unknown, doc.Assumed = r.Unknown, m.Assumed
		for _, n := range m.Notes {
			doc.Notes = append(doc.Notes, noteJSON{n.Resource.Ref(), n.Exact.String(), n.Text})
		}
		for _, f := range r.Findings {
			doc.Findings = append(doc.Findings, toFindingJSON(f))
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(doc)
}

func toFindingJSON(f model.Finding) findingJSON {
	resource := func(r *catalog.Resource) resourceJSON { return resourceJSON{r.Ref(), declaredAt(r)} }
	out := findingJSON{Code: f.Code, Severity: "error", Title: f.Title, Grade: f.Grade, Note: f.Note, Initial: f.Initial, Resources: []resourceJSON{}}
	if f.Warning {
		out.Severity = "warning"
	}
	for _, r := range f.Resources {
		out.Resources = append(out.Resources, resource(r))
	}
	for _, r := range f.Runs {
		run := runJSON{Result: r.Result}
		for _, x := range r.Order {
			run.Order = append(run.Order, x.Ref())
		}
		out.Runs = append(out.Runs, run)
	}
	if f.Fix != nil {
		out.Fix = &fixJSON{resource(f.Fix.Resource), f.Fix.String(), f.Fix.Verified}
	}
	return out
}
