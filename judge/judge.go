// Package judge is the verdict about one node: what goes wrong on every agent although the catalog compiles, whether
// the run is deterministic, idempotent and able to succeed, which edits mend it and hold on all nodes, and which nodes
// are so alike that what is proved of one holds for the other. It holds the arguments; how a verdict is shown is the
// business of the commands.
//
//	judge.go        Judge, Suspect, Verdict
//	refused.go      values that no agent accepts, sources that no module has
//	own.go          which files are the user's to edit, and where they bring in what is declared elsewhere
//	alike.go        which catalogs are alike
//	everywhere.go   whether an edit does harm on other nodes
//	shown.go        what a node's facts show of its machine
//	changing.go     what is only declared because of a fact that a run may change
//	after.go        what a catalog does to a machine that has another one
//
// Start reading at Judge.Judge.
package judge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"bunraku/puppet/catalog"
	"bunraku/puppet/environment"
	"bunraku/puppet/facts"
	"bunraku/puppet/record"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
	"bunraku/report"
	"bunraku/source"
	"bunraku/verify"
	"bunraku/verify/listing"
	"bunraku/verify/model"
	"bunraku/verify/sat"
)

// Options say how to judge.
type Options struct {
	Platform string            // what every node runs; "" for what its facts say
	Packages []string          // places of package lists that are asked first
	Image    *listing.Image    // what machines have before their first run; nil for the platform's base system
	Model    *model.Packages   // what installing over existing files does; nil for what the platform does
	Solver   sat.Solver        // answers formulas
	Budget   int               // how much work one catalog may cost, in units of model's
	Assert   []model.Assertion // what must hold at the end of every run
	Accept   model.Accepted    // answers to open points
	// Everywhere asks of what After tells whether it happens on every machine that has the old catalog.
	Everywhere bool
	Recover    bool // ask whether later runs mend what a cut leaves
	// Own says whether a file is the user's to edit; nil if that cannot be told.
	Own func(file string) bool
	// Hide blots out secrets.
	Hide func(string) string
}

// A Judge verifies catalogs. It can be used for several nodes at the same time.
type Judge struct {
	opt Options

	mu    sync.Mutex
	lists map[string][]*listing.Set // by platform, those nobody is using
}

// New makes a judge. It is to be closed.
func New(opt Options) *Judge { return &Judge{opt: opt, lists: map[string][]*listing.Set{}} }

// A Verdict is what verifying one catalog gives.
type Verdict struct {
	Node      *report.Node
	Catalog   *catalog.Catalog
	Platform  string
	Report    *model.Report      // nil if the catalog has cycles, or relationships to nowhere
	Blocked   source.Diagnostics // those cycles and relationships
	Refused   source.Diagnostics // values that an agent does not accept
	Undecided bool               // although everything has a model, or about an assertion, or what a relationship is to

	types resource.Lookup
}

// Of is the same verdict about a catalog that is like the one it was made for.
func (v *Verdict) Of(c *catalog.Catalog) *Verdict {
	out := *v
	out.Catalog, out.Node = c, &report.Node{Name: c.Name, Unknown: v.Node.Unknown, Beside: v.Node.Beside}
	return &out
}

// A Suspect is a catalog to be judged.
type Suspect struct {
	Catalog  *catalog.Catalog
	Platform string
	Shown    []string        // directories that its facts show: ShownBy
	Types    resource.Lookup // knows the types of its modules; nil for Puppet's own
	// Modules is where its files come from; nil if somebody else has compiled it.
	Modules *environment.Environment
	// Record is the compile; nil if somebody else has compiled it.
	Record *record.Record
	// Defaulted tells whether somebody may give a resource of a type an attribute that it lacks; nil if nobody does.
	Defaulted func(typ, attr string) bool
	// Unsure tells that what looks absent may be there in Puppet.
	Unsure bool
	// Guessed tells whether a part of an attribute's value was invented; nil for a real node.
	Guessed func(r *catalog.Resource, attr string) bool
}

// Judge verifies one catalog. A bug costs this verdict only: it is what blocks the catalog then.
func (j *Judge) Judge(ctx context.Context, s Suspect) (v *Verdict, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = &Verdict{Node: &report.Node{Name: s.Catalog.Name}, Catalog: s.Catalog, Platform: s.Platform,
				Undecided: true,
				Blocked:   source.Diagnostics{source.Bug(p)}}, nil
		}
	}()
	if j.opt.Platform != "" {
		s.Platform = j.opt.Platform
	}
	cat, platform := s.Catalog, s.Platform
	v = &Verdict{Node: &report.Node{Name: cat.Name}, Catalog: cat, Platform: platform}
	types := model.Types{Lookup: s.Types}
	v.types, v.Refused = types, refused(s)
	graph := catalog.NewGraph(cat, types)
	for _, m := range graph.Missing {
		if m.Open || s.Unsure {
			v.Undecided = true
			continue
		}
		v.Blocked = append(v.Blocked, &source.Diagnostic{Code: "C0002", Summary: m.Message(), Place: m.Place,
			Help: "declare it, or take the relationship away: no agent applies this catalog"})
	}
	for _, c := range graph.Cycles() {
		v.Blocked = append(v.Blocked, c.Diagnostic())
	}
	if len(v.Blocked) > 0 || v.Undecided {
		return v, nil
	}
	lists, err := j.borrow(platform)
	if err != nil {
		return nil, err
	}
	whole := false
	defer func() {
		if whole {
			j.giveBack(platform, lists)
		} else { // a bug, and who knows in the middle of what
			lists.Close()
		}
	}()
	opt := j.modelOptions(platform, lists, types)
	opt.Shown = shownTo(s)
	search := verify.DefaultOptions()
	search.Solver = j.opt.Solver
	model.Within(ctx, j.opt.Budget, &opt, &search)
	v.Report, err = model.Verify(ctx, graph, opt, search)
	if whole = true; err != nil {
		return nil, fmt.Errorf("%s: %w", cat.Name, err)
	}
	m := v.Report.Model
	m.Assumed = append(m.Assumed, lists.Notes()...)
	v.changing(s.Record, j.opt.Accept)
	v.dropSecret(j.opt.Hide)
	v.Node.Unknown, v.Node.Beside = v.Report.Unknown, j.beside(v.Report.Findings, s.Record)
	v.Undecided = v.Report.TooLong || len(v.Report.Open) > 0
	return v, nil
}

// modelOptions say what a machine of a platform is like.
func (j *Judge) modelOptions(platform string, lists *listing.Set, types resource.Lookup) model.Options {
	opt := model.Options{Listing: lists, Image: j.opt.Image, Platform: platform, Assert: j.opt.Assert,
		Accept:  j.opt.Accept,
		Recover: j.opt.Recover, Types: types, Words: report.Words}
	switch {
	case j.opt.Model != nil:
		opt.Packages = *j.opt.Model
	case isRedHat(platform):
		opt.Packages = model.RPM
	}
	return opt
}

// dropSecret takes back fixes that would write a secret into a manifest.
func (v *Verdict) dropSecret(hide func(string) string) {
	for i := range v.Report.Findings {
		f := &v.Report.Findings[i]
		if f.Fix != nil && hide(f.Fix.Statement()+f.Fix.String()) != f.Fix.Statement()+f.Fix.String() {
			f.Fix = nil
		}
	}
}

// borrow takes package lists for a platform; one reader at a time uses each.
func (j *Judge) borrow(platform string) (*listing.Set, error) {
	j.mu.Lock()
	if free := j.lists[platform]; len(free) > 0 {
		last := free[len(free)-1]
		j.lists[platform] = free[:len(free)-1]
		j.mu.Unlock()
		return last, nil
	}
	j.mu.Unlock()
	return OpenLists(platform, "", j.opt.Packages)
}

func (j *Judge) giveBack(platform string, s *listing.Set) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lists[platform] = append(j.lists[platform], s)
}

// Close closes the package lists and returns what people should know of those that were used: that they are of another
// platform, or none.
func (j *Judge) Close() (notes []string) {
	for _, platform := range slices.Sorted(maps.Keys(j.lists)) {
		for _, s := range j.lists[platform] {
			for _, n := range s.Notes() {
				if !slices.Contains(notes, n) {
					notes = append(notes, n)
				}
			}
			s.Close() // opened to read: there is nothing to lose
		}
	}
	return notes
}

// Tell puts a verdict's problems into a run.
func (v *Verdict) Tell(run *report.Run) {
	for _, d := range slices.Concat(v.Blocked, v.Refused) {
		run.Add(v.Node, d)
	}
	if v.Report != nil {
		for i := range v.Report.Findings {
			run.AddFinding(v.Node, &v.Report.Findings[i])
		}
	}
}

// OpenLists opens the package lists for a platform: the given places first, then the user's store, then the built-in
// index. A store that is named must be there; the user's own need not.
func OpenLists(platform, store string, places []string) (*listing.Set, error) {
	named := store != ""
	if !named {
		// Who has no home has no store.
		if file, err := listing.DefaultStore(); err == nil {
			store = file
		}
	}
	return listing.Select(listing.Choice{Platform: platform, Places: places, Store: store, Named: named, Embedded: true})
}

// PlatformOf is the name of what a node runs: debian-12, ubuntu-22.04.
func PlatformOf(f *facts.Facts) string {
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
