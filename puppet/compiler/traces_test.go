package compiler_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/internal/random"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/trace"
	"bunraku/puppet/types"
	"bunraku/source"
)

// A field is a node's compile whose trace is tried with mutants.
type field struct {
	name    string
	ws      *compiler.Workspace
	base    *compiler.Snapshot
	files   source.Files
	node    compiler.Node
	trace   *trace.Trace
	is      outcome
	anchors map[string]compiler.Anchor
	garden  *garden
}

// openField compiles a node; nil if that fails.
func openField(t testing.TB, name, dir string, files source.Files, opt compiler.Options, node compiler.Node) *field {
	t.Helper()
	opt.Questions, opt.Key = true, trace.Key("test")
	f := &field{name: name, files: files, node: node, ws: compiler.NewWorkspace(dir, opt),
		anchors: map[string]compiler.Anchor{}}
	if f.files == nil {
		f.files = f.ws.Disk()
	}
	var err error
	if f.base, err = f.ws.Snapshot(context.Background(), &edited{Files: f.files}); err != nil {
		t.Fatal(err)
	}
	r, err := f.base.Compile(context.Background(), node)
	if err != nil {
		t.Fatal(err)
	}
	if r.Failure != nil {
		t.Logf("%s: %s %s", name, r.Failure.Place, r.Failure.Summary)
		return nil
	}
	f.trace = r.Questions()
	for _, x := range r.Catalog.Resources {
		if a, ok := f.base.Anchor(x.Place); ok && x.File != "" {
			f.anchors[x.Ref()] = a
		}
	}
	f.is = outcomeOf(t, r)
	f.garden = newGarden(dir, &edited{Files: f.files}, node, f.trace, f.base)
	return f
}

// An outcome is what a trace promises about: a catalog without file and line, or why there is none.
type outcome struct {
	text  string
	lines map[string]string // file and line of resources
}

var calledAt = regexp.MustCompile(`called at [^ ]+,`)

func outcomeOf(t testing.TB, r *eval.Result) outcome {
	if r.Failure != nil {
		return outcome{text: "failed: " + r.Failure.Code}
	}
	o := outcome{lines: map[string]string{}}
	for _, x := range r.Catalog.Resources {
		if x.File != "" {
			o.lines[x.Ref()] = x.File + ":" + strconv.Itoa(x.Line)
		}
		x.File, x.Line = "", 0
	}
	r.Catalog.Name = ""
	text, err := catalog.JSON{Types: types.ToData}.Append(nil, r.Catalog)
	if err != nil {
		t.Fatal(err)
	}
	o.text = calledAt.ReplaceAllString(string(text), "called,")
	return o
}

// A tally counts the mutants of one kind.
type tally struct{ mutants, changed, held, missed, violations int }

// A trial holds traces against mutants.
type trial struct {
	testing.TB
	kinds map[string]*tally
	whys  map[string]int // the kinds of questions that failed though nothing changed
}

// try grows one mutant of a field and looks whether the trace holds, and what compiling gives.
func (tr *trial) try(f *field, seed uint64) {
	ctx := context.Background()
	m := f.garden.grow(seed)
	if m == nil || !strings.Contains(m.kind, os.Getenv("BUNRAKU_KIND")) {
		return
	}
	files, err := edit(f.files, m)
	if err != nil {
		return // it would lie outside of what may be read
	}
	snap, err := f.ws.Snapshot(ctx, files)
	if err != nil {
		return // the environment cannot be opened: there is nothing to ask
	}
	holds, why, err := snap.Holds(ctx, f.trace, m.node)
	if err != nil {
		tr.Fatal(f.name, seed, m.what, err)
	}
	r, err := snap.Compile(ctx, m.node)
	n := tr.kinds[m.kind]
	if n == nil {
		n = &tally{}
		tr.kinds[m.kind] = n
	}
	n.mutants++
	bad := func(format string, args ...any) {
		n.violations++
		tr.Errorf("%s, mutant %d (%s: %s): %s", f.name, seed, m.kind, m.what, fmt.Sprintf(format, args...))
	}
	if err != nil {
		if holds {
			bad("the trace holds, and compiling says %v", err)
		}
		n.changed++
		return
	}
	var back *trace.Trace
	if r.Questions != nil {
		back = r.Questions()
	}
	is := outcomeOf(tr, r)
	same := is.text == f.is.text
	switch {
	case holds && !same:
		bad("the trace holds, and the catalog is another one: %s", difference(f.is.text, is.text))
	case holds:
		n.held++
		for ref, a := range f.anchors {
			at := snap.Place(a)
			if got := fmt.Sprintf("%s:%d", a.File, at.Line()); got != is.lines[ref] {
				bad("%s stands at %s, and is found anew at %s", ref, is.lines[ref], got)
				break
			}
		}
	case !same:
		n.changed++
	default:
		n.missed++
		tr.whys[m.kind+": "+why.Kind.String()]++
		if testing.Verbose() && os.Getenv("BUNRAKU_MISSED") != "" {
			tr.Logf("missed: %s %d %s %s: %s", f.name, seed, m.kind, m.what, why)
		}
	}
	// The same the other way round: what the mutant asked holds for itself, and for what it was made from only if it is
	// the same.
	if back != nil {
		if ok, why, _ := snap.Holds(ctx, back, m.node); !ok && why.Kind != trace.Clock {
			bad("its own trace does not hold: %s", why)
		}
		if ok, _, _ := f.base.Holds(ctx, back, f.node); ok && !same {
			bad("its trace holds before the change, and the catalog is another one: %s", difference(f.is.text, is.text))
		}
	}
}

// difference is where two texts begin to differ.
func difference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	cut := func(s string) string { return s[max(0, min(i-60, len(s))):min(len(s), i+60)] }
	return fmt.Sprintf("…%s… became …%s…", cut(a), cut(b))
}

// report prints the counts, and gives the sums.
func (tr *trial) report() (all, loud tally, worst float64, which string) {
	worst = 1
	for _, kind := range slices.Sorted(mapsKeys(tr.kinds)) {
		n := tr.kinds[kind]
		share := 1.0
		if n.held+n.missed > 0 {
			share = float64(n.held) / float64(n.held+n.missed)
		}
		tr.Logf("%-42s %6d mutants, %6d change the catalog, %6d do not, of which %6d are recognised (%.1f %%), %d violations",
			kind, n.mutants, n.changed, n.held+n.missed, n.held, 100*share, n.violations)
		for sum, counts := range map[*tally]bool{&all: true, &loud: sharp(kind)} {
			if counts {
				sum.mutants, sum.changed, sum.held = sum.mutants+n.mutants, sum.changed+n.changed, sum.held+n.held
				sum.missed, sum.violations = sum.missed+n.missed, sum.violations+n.violations
			}
		}
		if sharp(kind) && share < worst && n.held+n.missed >= 20 {
			worst, which = share, kind
		}
	}
	for _, why := range slices.Sorted(mapsKeys(tr.whys)) {
		tr.Logf("  not recognised: %s %d", why, tr.whys[why])
	}
	return all, loud, worst, which
}

func mapsKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// inMemory opens an environment that is only texts.
func inMemory(t testing.TB, name string, texts map[string]string, node, factsText string, opt compiler.Options) *field {
	dir := "/srv/" + name
	files := map[string]string{}
	for p, text := range texts {
		files[dir+"/"+p] = text
	}
	f, err := facts.Parse(source.NewFile("facts.json", factsText), node)
	if err != nil {
		t.Fatal(err)
	}
	f.Name = node
	view := source.NewMemory([]string{dir}, files, nil)
	return openField(t, name+" "+node, dir, view, opt, compiler.Node{Name: node, Facts: f})
}

// scopedSite is an environment in which what Hiera sees hangs on where it is asked, with bodies that are empty.
var scopedSite = map[string]string{
	"hiera.yaml": "version: 5\nhierarchy:\n- {name: own, path: 'env/%{environment}.yaml'}\n" +
		"- {name: rack, path: 'rack/%{facts.place.rack.row}.yaml'}\n- {name: hall, path: 'hall/%{facts.place.hall}.yaml'}\n" +
		"- {name: all, paths: [all.yaml]}\n",
	"data/all.yaml": "k: all\nm: {a: 1}\nlookup_options: {m: {merge: deep}, a.b: {merge: unique}}\nlocal::p: 1\na.b: [x]\n" +
		"u: [[a, a], '%{facts.place.hall}']\n",
	"data/env/mine.yaml":  "k: mine\nm: {b: 2}\nlocal::p: 2\nlookup_options: {k: {convert_to: Array}}\n",
	"data/env/other.yaml": "k: other\n",
	"data/rack/r1.yaml":   "k: r1\nm: {c: 3}\na.b: [y]\n",
	"data/hall/h1.yaml":   "n: h1\n",
	"manifests/site.pp": "node 'n1.example.com' { include local }\nnode /^n2/ { $environment = 'other' include local include empty }\n" +
		"node default { }\n",
	"modules/local/manifests/init.pp": "class local($p = 0, $environment = 'mine') {\n  notify { \"k ${p}\": message => lookup('k') }\n" +
		"  local::d { 'd': }\n  if $p == 1 { } else { notify { 'else': } }\n  [1].each |$environment| { }\n  local::f('other')\n}\n",
	"modules/local/manifests/d.pp":    "define local::d($environment = 'other') { notify { 'd': message => String(lookup('m')) } }\n",
	"modules/local/functions/f.pp":    "function local::f($environment) { notify { 'f': message => lookup(['n', 'k']) } }\n",
	"modules/empty/manifests/init.pp": "class empty { empty::typed { 'x': p => 'Debian' } }\n",
	"modules/empty/manifests/typed.pp": "define empty::typed(Enum[$facts['os']['family'], 'z'] $p) {\n" +
		"  notify { 'u': message => String(lookup('u', { 'merge' => 'unique' })) }\n" +
		"  notify { 'ab': message => String(lookup(\"'a.b'\")) }\n}\n",
}

// fields are what traces are tried on: an environment that asks everything, random ones, and the sites where there are
// modules.
func fields(t testing.TB, randoms int, sites bool) []*field {
	var all []*field
	add := func(f *field) {
		if f != nil {
			all = append(all, f)
		}
	}
	texts, facts := tracedSite(t)
	for _, node := range slices.Sorted(mapsKeys(facts)) {
		f := inMemory(t, "traced", texts, node, facts[node], compiler.Options{})
		if f == nil {
			t.Errorf("the environment that asks everything does not compile for %s", node)
		}
		add(f)
	}
	for _, node := range []string{"n1.example.com", "n2.example.com", "n3.example.com"} {
		add(inMemory(t, "scoped", scopedSite, node, `{"os": {"family": "Debian"}, "place": {"rack": {"row": "r1"}, "hall": "h1"}}`,
			compiler.Options{}))
	}
	for seed := range randoms {
		texts, name := random.Site(seed), fmt.Sprintf("random%d", seed)
		add(inMemory(t, name, texts, "n1.example.com", texts["facts.json"], compiler.Options{Language: 7}))
	}
	if !sites {
		return all
	}
	for _, dir := range live.Sites(t) {
		s, _ := asking(t, dir, true)
		opt := compiler.Options{Language: 7, Roots: []string{live.ModulesDir}, ServerFacts: serverFacts(filepath.Base(dir))}
		add(openField(t, s.name, dir, nil, opt, compiler.Node{Name: s.f.Name, Facts: s.f}))
	}
	return all
}

// No mutant whose trace holds has another catalog. This is a sample; TestAcceptTraces is the long form.
func TestTracesSound(t *testing.T) {
	tr := &trial{t, map[string]*tally{}, map[string]int{}}
	all := fields(t, 6, false)
	per := 60
	if testing.Short() {
		per = 20
	}
	for _, f := range all {
		for i := range per {
			tr.try(f, uint64(i))
		}
	}
	tr.report()
}

// TestScoreTraces counts, of mutants that change nothing, those that are recognised without compiling.
func TestScoreTraces(t *testing.T) {
	tr := &trial{t, map[string]*tally{}, map[string]int{}}
	for _, f := range fields(t, 4, false) {
		for i := range 40 {
			tr.try(f, uint64(1000+i))
		}
	}
	all, _, _, _ := tr.report()
	t.Logf("score: traces, mutants without effect that are recognised %d/%d, violations %d",
		all.held, all.held+all.missed, all.violations)
}

// TestAcceptTraces is the long form: BUNRAKU_MUTANTS of them (10⁵ unless said), from the number BUNRAKU_FIRST on, so
// that a run that was stopped can go on. What it asks has a name each: a diff needs no more than that traces hold and
// are sharp over all.
func TestAcceptTraces(t *testing.T) {
	live.Accept(t)
	count, first := number("BUNRAKU_MUTANTS", 100_000), number("BUNRAKU_FIRST", 0)
	tr := &trial{t, map[string]*tally{}, map[string]int{}}
	all := fields(t, 40, true)
	if only := os.Getenv("BUNRAKU_SUBJECT"); only != "" {
		all = slices.DeleteFunc(all, func(f *field) bool { return !strings.Contains(f.name, only) })
	}
	for i := range count {
		n := first + i
		h := fnv.New32a()
		fmt.Fprint(h, n)
		tr.try(all[int(h.Sum32())%len(all)], uint64(n))
		if n%5000 == 4999 {
			fmt.Fprintf(os.Stderr, "%d mutants, the next has the number %d\n", i+1, n+1)
		}
	}
	sums, loud, worst, which := tr.report()
	share := float64(loud.held) / float64(max(1, loud.held+loud.missed))
	t.Run("sound", func(t *testing.T) {
		t.Logf("%d mutants on %d nodes: %d violations (bar: 0)", sums.mutants, len(all), sums.violations)
		if sums.violations > 0 {
			t.Error("a trace held, and another catalog came")
		}
	})
	t.Run("sharp", func(t *testing.T) {
		t.Logf("without effect, comments and blanks apart: %d, recognised %.1f %% (bar: 90)", loud.held+loud.missed,
			100*share)
		if share < 0.9 {
			t.Error("traces are not sharp enough")
		}
	})
	t.Run("each kind", func(t *testing.T) {
		t.Logf("of the worst kind, %s, %.1f %% are recognised (bar: 80)", which, 100*worst)
		if worst < 0.8 {
			t.Error("traces are not sharp enough")
		}
	})
}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}
