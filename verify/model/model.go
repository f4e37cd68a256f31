// Package model says what Puppet's resources do to a machine: it turns a catalog into programs of package fs with their
// order, which package verify then reasons about (Rehearsal, §3.3 and §3.4). Every resource is modelled exactly,
// approximately or not at all, and what a model leaves out is noted: nothing is ignored silently.
//
// One file holds the models of related types:
//
//	file.go       file, concat_file: what is at one path
//	recurse.go    what file does below a directory; tidy
//	tree.go       archive, vcsrepo: trees from elsewhere
//	package.go    package: the paper's model and dpkg's, with file lists and dependencies
//	account.go    user and group
//	service.go    service
//	line.go       what lives in a file beside others: host, mount, cron, keys, settings; setting.go lists types of
//
// settings
//
//	exec.go       exec: guards and events; shell.go reads its commands, guard.go tests, command.go and product.go what
//
// commands do
//
//	              to files, outside.go what they do to everything else
//	other.go      containers, notify, and types that only talk to a service
//	record.go     what is known of each type: which model, which attributes need none, what it requires by itself
//	world.go      what every machine has, and what a fresh one has
//	order.go      relations, containers and automatic relations as edges
//
// and what is asked of it:
//
//	finding.go    all questions, and the findings about order
//	rerun.go      what a second run changes, and guards against it
//	notify.go     services that are not restarted
//	assert.go     what people want to hold at the end
//	after.go      what a run does to a machine that has another catalog
//
// It may import catalog, resource, value, provenance, source, verify, verify/fs and verify/listing. Start reading at
// Build.
package model

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/budget"
	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
	"bunraku/verify"
	"bunraku/verify/fs"
	"bunraku/verify/listing"
)

// Packages is a model of what installing a package over existing files does.
type Packages uint8

// The models. Dpkg keeps configuration files that are there and overwrites other files, and so does RPM for
// %config(noreplace); Paper fails on any file that is there (Rehearsal §3.3), which no package manager does.
const (
	Dpkg Packages = iota
	RPM
	Paper
)

// ParsePackages reads the name of a model.
func ParsePackages(s string) (Packages, error) {
	i := slices.Index([]string{"dpkg", "rpm", "paper"}, s)
	if i < 0 {
		return 0, fmt.Errorf("unknown package model %q: dpkg, rpm or paper", s)
	}
	return Packages(i), nil
}

func (p Packages) String() string { return [...]string{"dpkg", "rpm", "paper"}[p] }

// Options say what the machine is like.
type Options struct {
	Packages Packages
	Listing  *listing.Set   // nil for no file lists
	Image    *listing.Image // what machines have before their first run; nil for the platform's base system
	Shown    []string       // directories that the node's facts show: where something is mounted
	Platform string         // "debian-12"; "" for any
	Types    resource.Lookup
	Assert   []Assertion // what people want to hold at the end
	// Source is what a source of a file has, nil if that is not known; nil if nobody can say.
	Source func(url string) *Served
	// Recover asks whether later runs mend what a run leaves that was cut off.
	Recover bool
	// Accept are answers to open points that people have given.
	Accept Accepted
	// Budget counts the reading of commands and of trees of files; nil for none. Build catches its end.
	Budget *budget.Budget
	// Words are those by which the declaration of one resource can name another that is declared beside it, whatever title
	// that has at the time: File["/srv/${name}"]; "" if there are none. single says that they cannot name several. May be
	// nil.
	Words func(of, in *catalog.Resource) (words string, single bool)

	base *base // what a model that this one is made of found; nil at first
	// named is what somebody else speaks of: packages may bring it, and what goes through a tree may meet it.
	named []fs.Path
	// lines are those of files that somebody else looks after.
	lines map[fs.Path][]line
	// lived are type and name of what the catalog that the machine has brings to be; nil for none.
	lived map[[2]string]bool
}

// A Model is a catalog as the verifier sees it.
type Model struct {
	Graph   *verify.Graph
	Catalog *catalog.Graph
	// Resources are those of Graph, by index; nil for the ends of containers that were kept as nodes.
	Resources []*catalog.Resource
	// Notes say what is not modelled exactly, in catalog order.
	Notes []Note
	// Assumed is what was taken for granted about the fresh machine, for people.
	Assumed []string
	// Open are points about the fresh machine that nothing known decides; on Graph.Fresh each has the favourable answer.
	Open []Point
	// Lacks are what the fresh machine is known not to have, and Graph.Fresh has all the same: what needs it cannot
	// succeed, which is asked apart, so that it hides nothing else.
	Lacks []Point
	// Accepted are the points of Options.Accept that the model met.
	Accepted []string
	// Exact, Approximate and Unmodelled count the resources. Containers do nothing and are not counted.
	Exact, Approximate, Unmodelled int

	from   *builder // what it was made with, for questions that are asked later
	wanted []wanted // assertions about this node
}

// A Note says what a model leaves out.
type Note struct {
	Resource *catalog.Resource
	Exact    verify.Exactness
	Text     string
}

// An item is what one resource becomes.
type item struct {
	r       *catalog.Resource
	rec     *record // what is known of its type
	name    string  // the resource's own name: path, package, user …
	program fs.Expr
	post    fs.Pred // holds if and only if the resource has nothing to do; nil if there is no such test
	exact   verify.Exactness
	notes   []string
	used    map[string]bool // attributes that a model has read
	passive bool            // does nothing and never sends events
	sweep   *sweep          // what it does to a tree, or nil
}

// note lowers the exactness and says why.
func (it *item) note(e verify.Exactness, format string, args ...any) {
	it.exact = max(it.exact, e)
	it.notes = append(it.notes, fmt.Sprintf(format, args...))
}

// noteOnce is note for what may be found several times.
func (it *item) noteOnce(e verify.Exactness, format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(it.notes, text) {
		it.note(e, "%s", text)
	}
}

// builder is the state of one Build.
type builder struct {
	opt       Options
	cg        *catalog.Graph
	m         *Model
	items     []*item // by position in the catalog; nil for containers
	lines     map[fs.Path][]line
	links     fs.Links
	files     map[fs.Path]*item // managed by file resources
	users     map[string]bool   // managed
	groups    map[string]bool
	accounts  map[string][]string // accounts that packages are taken to bring, by cell
	makers    verify.Verdict      // whether something may make accounts that it does not name, if that was asked
	units     verify.Verdict      // whether something may bring units that it does not name, if that was asked
	nobody    map[string]bool     // accounts that no machine has at first and nobody brings
	closed    map[string][]fs.Value
	events    map[string]fs.Value
	assume    []fs.Pred
	fresh     *fs.State
	edited    []fs.Path          // files that lines are looked for in
	sources   []fs.Path          // local files that are assumed to be there
	folders   []fs.Path          // local directories that are assumed to be there
	programs  []program          // that no fresh machine has
	needed    []fs.Path          // directories that lines need
	removed   []fs.Path          // what commands remove as a file
	present   []fs.Path          // directories that are assumed to be there
	based     map[fs.Path]bool   // directories that are on every machine; nil when that has to be found out again
	types     map[string][]*item // by type, made when asked for
	names     map[[2]string]bool // type and name of what the catalog manages, made when asked for
	pk        *packages
	now       *item                       // that is being modelled
	spoken    map[fs.Path]bool            // named by commands; nil until somebody asks
	basis     map[string]*listing.Package // of the base system
	baseFiles map[fs.Path]bool            // that they bring
	baseKnown bool                        // they are all that a fresh machine has
	baseBlind bool                        // of some of them nobody knows what they bring

	basePrograms bool // it is known which programs a fresh machine has
	err          error

	sourcesKnown, sourcesPlain bool      // aptSources has been asked; its second answer
	sourceFiles                []fs.Path // its first
}

// Build models a catalog. The error is a *budget.Exceeded if that is more work than the budget allows; there is then a
// model that says nothing.
func Build(cg *catalog.Graph, opt Options) (m *Model, err error) {
	if opt.Types == nil {
		opt.Types = Types{}
	}
	m = &Model{Catalog: cg}
	defer budget.Catch(&err)
	b := &builder{opt: opt, cg: cg, m: m, lines: map[fs.Path][]line{}, links: fs.Links{}, files: map[fs.Path]*item{},
		users: map[string]bool{}, groups: map[string]bool{}, closed: map[string][]fs.Value{}, events: map[string]fs.Value{},
		accounts: map[string][]string{}, nobody: map[string]bool{}, fresh: fs.NewState()}
	b.baseLinks()
	for _, r := range cg.Catalog.Resources {
		var it *item
		if !b.container(r) {
			it = &item{r: r, rec: recordOf(r.Type), used: map[string]bool{}, program: fs.Skip{}}
			it.name = b.nameOf(r)
			it.read("name", b.namevar(r))
		}
		b.items = append(b.items, it)
	}
	b.imageLinks()
	b.survey()
	b.baseSystem()
	for _, d := range b.opt.Shown {
		b.present = append(b.present, b.path(d))
	}
	b.present = append(b.present, b.acceptedDirs()...)
	b.pk = newPackages(b)
	b.surveyLines()
	for _, it := range b.items {
		if it != nil && !it.rec.Late {
			b.model(it)
			b.idle(it)
		}
	}
	b.pk.track()
	for _, it := range b.items {
		if it != nil && it.rec.Late {
			b.model(it)
			b.idle(it)
		}
	}
	b.pk.close()
	b.sweeps()
	for _, it := range b.items {
		if it != nil {
			b.attributes(it)
		}
	}
	b.assertions()
	b.machine()
	b.order()
	b.count()
	return b.m, b.err
}

// container reports whether a resource only holds others.
func (b *builder) container(r *catalog.Resource) bool {
	if r.Kind == catalog.NoKind {
		return r.Type == "Class" || r.Type == "Stage" || r.Type == "Node" || strings.Contains(r.Type, "::")
	}
	return r.IsContainer()
}

func (b *builder) namevar(r *catalog.Resource) string {
	if t := b.opt.Types.Type(value.Downcase(r.Type)); t != nil {
		return t.Namevar()
	}
	return recordOf(r.Type).Namevar
}

// nameOf is the namevar's value: the path of a file, the name of a package.
func (b *builder) nameOf(r *catalog.Resource) string {
	t := b.opt.Types.Type(value.Downcase(r.Type))
	namevar := b.namevar(r)
	for _, attr := range []string{namevar, "name"} {
		if s, ok := r.Get(attr).(value.String); ok {
			return t.Munge(namevar, string(s))
		}
	}
	return t.Munge(namevar, r.Title)
}

// survey lets every resource tell what the models of others need: links, accounts, managed files.
func (b *builder) survey() {
	for _, it := range b.items {
		if it != nil {
			b.surveyLink(it)
		}
	}
	for _, it := range b.items {
		if it != nil && it.rec.Survey != nil {
			it.rec.Survey(b, it)
		}
	}
}

// surveyLines finds the parts of files that resources look after or ask for.
func (b *builder) surveyLines() {
	for _, it := range b.items {
		if it != nil {
			b.declareLine(it)
		}
	}
	for p, lines := range b.opt.lines {
		for _, l := range lines {
			b.addLine(p, l, absent, l.value, "other")
		}
	}
	for _, it := range b.items {
		if it != nil && it.r.Type == "Exec" {
			b.readExec(it) // its searches and edits are lines of files
		}
	}
}

// path is the place that a path leads to, with known links to directories followed.
func (b *builder) path(p string) fs.Path {
	b.opt.Budget.Spend(int64(1+len(p)*strings.Count(p, "/")>>7), "paths") // each directory above it is looked for
	raw := fs.Clean(p)
	q, _ := b.links.Resolve(raw, false)
	if q != raw && b.now != nil {
		for d := raw.Parent(); !d.IsRoot(); d = d.Parent() {
			if _, link := b.links[d]; link && b.files[d] != nil {
				b.now.noteOnce(verify.Approximate, "%s is taken for the link that leads to %s", d, b.links[d])
			}
		}
	}
	return q
}

// model finds the model of a resource.
func (b *builder) model(it *item) {
	b.now = it
	defer func() { b.now = nil }()
	if it.rec.Build != nil {
		it.rec.Build(b, it)
	} else if !b.lineResource(it) {
		b.other(it)
	}
}

// idle takes away what a resource would do if it is told to do nothing: an agent with noop reports, and with a schedule
// of that name never comes to it. Those who depend on it run all the same.
func (b *builder) idle(it *item) {
	schedule, given := it.text("schedule")
	if it.truth("noop", false) || schedule == "never" {
		it.program, it.post, it.passive, it.sweep, it.exact, it.notes = fs.Skip{}, nil, true, nil, verify.Exact, nil
		for _, p := range it.r.Params {
			it.read(p.Name)
		}
	} else if b.rations(it) {
		it.note(verify.Approximate, "it is taken to be applied, and not again in a second run, whatever time its schedule %s "+
			"says", schedule)
	} else if given && schedule != "" {
		it.note(verify.Approximate, "it is taken to be applied in every run, whatever its schedule %s says", schedule)
	}
}

// sleeps reports whether a resource does nothing, because of idle.
func sleeps(it *item) bool {
	schedule, _ := it.text("schedule")
	return it.truth("noop", false) || schedule == "never"
}

// rations reports whether a resource's schedule lets it be applied only so often: one that has a period, as all have
// that an agent brings.
func (b *builder) rations(it *item) bool {
	schedule, _ := it.text("schedule")
	if r := b.cg.Catalog.Resource("Schedule", schedule); r != nil {
		return r.Get("period") != nil
	}
	return slices.Contains([]string{"puppet", "hourly", "daily", "weekly", "monthly"}, schedule)
}

// attributes reports what no model has read.
func (b *builder) attributes(it *item) {
	if it.exact == verify.Opaque && len(it.used) == 0 {
		return
	}
	var left []string
	for _, p := range it.r.Params {
		if !it.used[p.Name] && !it.rec.harmless(p.Name) {
			left = append(left, p.Name)
		}
	}
	if len(left) > 0 {
		it.note(verify.Approximate, "no model of %s", strings.Join(left, ", "))
	}
}

// count fills in the notes and figures of the model.
func (b *builder) count() {
	for _, it := range b.items {
		if it == nil {
			continue
		}
		switch it.exact {
		case verify.Exact:
			b.m.Exact++
		case verify.Approximate:
			b.m.Approximate++
		default:
			b.m.Unmodelled++
		}
		for _, n := range it.notes {
			b.m.Notes = append(b.m.Notes, Note{it.r, it.exact, n})
		}
	}
}

// text is an attribute as text; reading it marks it as modelled.
func (it *item) text(attr string) (string, bool) {
	it.read(attr)
	switch v := it.r.Get(attr).(type) {
	case nil, value.Undef:
		return "", false
	case value.String:
		return string(v), true
	case *value.Array, *value.Hash:
		return "", false
	default:
		return value.ToString(v), true
	}
}

func (it *item) read(attrs ...string) {
	for _, a := range attrs {
		it.used[a] = true
	}
}

// list is an attribute as a list of texts.
func (it *item) list(attr string) []string {
	it.read(attr)
	switch v := it.r.Get(attr).(type) {
	case nil, value.Undef:
		return nil
	case *value.Array:
		var out []string
		for _, e := range value.Flatten(v).Elems {
			out = append(out, value.ToString(e))
		}
		return out
	default:
		return []string{value.ToString(v)}
	}
}

// truth is an attribute as Puppet's types read booleans.
func (it *item) truth(attr string, unset bool) bool {
	s, ok := it.text(attr)
	if !ok {
		return unset
	}
	return s == "true" || s == "yes"
}

// variable makes a variable with the values that it may have at first and the one that it has on a fresh machine, which
// is the first of them.
func (b *builder) variable(name string, values ...string) {
	have := b.closed[name]
	for _, v := range values {
		if x := fs.Text(v); !slices.Contains(have, x) {
			have = append(have, x)
		}
	}
	b.closed[name] = have
	if _, ok := b.fresh.Vars[name]; !ok {
		b.fresh.Vars[name] = fs.Text(values[0])
	}
}

// set is a program that gives a variable a value, with its test.
func set(name, v string) (fs.Expr, fs.Pred) {
	return fs.Assign{Var: name, Value: fs.Str(v)}, fs.VarIs(name, v)
}

func exists(p fs.Path) fs.Pred { return fs.Not{P: fs.Is{Path: p, Kind: fs.None}} }
