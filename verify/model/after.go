package model

import (
	"context"
	"maps"
	"slices"
	"strings"

	"bunraku/budget"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// After another catalog (verify-claims §8). A machine on which OLD has come to rest gets NEW: what does the run do? OLD
// is run from the fresh machine until nothing changes any more, and NEW from where that ends, in the agent's order,
// resource by resource; events are handed on as the agent does. So what is told is what happens on that one machine:
// one that had OLD and nothing else done to it. Nothing is claimed of machines that were changed by hand.
//
// Two things about the machine are neither OLD's nor NEW's alone. What only NEW takes for granted (a directory of the
// base system that OLD never names) is as on NEW's fresh machine. And what a source of files holds is not in a catalog:
// whoever has the modules at hand says it (Side.Source), else a source with the same name holds the same on both sides.

// A Side is one of the two catalogs.
type Side struct {
	Graph *catalog.Graph
	// Source is what a source of a file has; nil if that is not known. May be nil itself.
	Source func(url string) *Served
}

// An Upgrade is what a run of the new catalog does on a machine that has the old one.
type Upgrade struct {
	// Runs is how many runs of the old catalog from the fresh machine it takes until one changes nothing; 0 if the third
	// still does: then the machine is the one that it leaves.
	Runs int
	Acts []Act // in the order of the run
	// Maybe are resources that do nothing on the machine shown, and something on others that have the old catalog.
	Maybe  []*catalog.Resource
	Failed []Failure
	// Skipped are resources that the agent passes over, because what they depend on has failed.
	Skipped []*catalog.Resource
	// Left are resources of the old catalog that the new one says nothing of any more, and that are still there.
	Left []*catalog.Resource
	// Open are points about the machine that nothing known decides; each was taken for true.
	Open []string
	// Rough are resources that differ between the two and whose effect is not, or not exactly, known.
	Rough []Note
}

// An Act is what the run does by one resource.
type Act struct {
	Resource *catalog.Resource
	Verb     Verb
	What     []string          // attributes of a file that change, what else it touches
	Told     *catalog.Resource // of a refresh: whose change it is told of
	Again    bool              // the old catalog does it in every run, too
	Always   bool              // it happens on every machine on which the old catalog has nothing to do
	Exact    verify.Exactness  // how well it is known
}

// A Failure is a resource that fails.
type Failure struct {
	Resource *catalog.Resource
	Why      string
	Again    bool // it fails in every run of the old catalog, too
}

// A Verb is what happens.
type Verb string

// The verbs.
const (
	Creates   Verb = "created"
	Changes   Verb = "changed"
	Removes   Verb = "removed"
	Purges    Verb = "purges"
	Installs  Verb = "installed"
	Upgrades  Verb = "changes version"
	Starts    Verb = "started"
	Stops     Verb = "stopped"
	Enables   Verb = "enabled"
	Disables  Verb = "disabled"
	Runs      Verb = "runs"
	Refreshes Verb = "restarted"
)

// maxRest is how many runs the old catalog gets to come to rest.
const maxRest = 3

// After runs the new catalog on a machine that has the old one. An error means that it was not done; a *budget.Exceeded
// that it is more work than the budget allows. With search it is asked too what happens on every machine that has the
// old catalog.
func After(ctx context.Context, old, new Side, opt Options, search *verify.Options) (u *Upgrade, err error) {
	defer budget.Catch(&err)
	a, err := newAfter(ctx, old, new, opt, search)
	if err != nil {
		return nil, err
	}
	return a.u, nil
}

func newAfter(ctx context.Context, old, new Side, opt Options, search *verify.Options) (*after, error) {
	if opt.Budget == nil {
		opt.Budget = budget.New(ctx, Limits(DefaultUnits))
	}
	if opt.Types == nil {
		opt.Types = Types{}
	}
	opt.Source, opt.lived = new.Source, brought(old.Graph.Catalog)
	a := &after{u: &Upgrade{}, again: map[string]bool{}}
	new.Graph, a.purged, a.u.Open = purged(old.Graph, new.Graph, opt.Types)
	n, err := Build(new.Graph, opt)
	if err != nil {
		return nil, err
	}
	opt.Source, opt.named, opt.lines = old.Source, n.paths(), n.from.fileLines()
	o, err := Build(old.Graph, opt)
	if err != nil {
		return nil, err
	}
	a.o = o
	rest, err := a.rest()
	if err != nil {
		return nil, err
	}
	opt.Source, opt.named = new.Source, slices.Sorted(maps.Keys(rest.Nodes))
	if a.n, err = Build(new.Graph, opt); err != nil {
		return nil, err
	}
	a.start = a.machine(rest)
	end, err := a.run(a.start.Clone())
	if err != nil {
		return nil, err
	}
	a.left(end)
	a.rough()
	a.open()
	if search != nil {
		err = a.everywhere(ctx, *search)
	}
	return a, err
}

// brought are the services and packages that a catalog brings to be, by type and name.
func brought(c *catalog.Catalog) map[[2]string]bool {
	out := map[[2]string]bool{}
	for _, r := range c.Resources {
		it := itemOf(r)
		if (r.Type == "Service" || r.Type == "Package") && declaresPresence(it) && !sleeps(it) {
			out[[2]string{r.Type, strings.TrimSuffix(it.or("name", r.Title), ".service")}] = true
		}
	}
	return out
}

// paths are those that the programs of a model speak of, with the directories above them.
func (m *Model) paths() []fs.Path {
	u := newPaths()
	for _, r := range m.Graph.Resources {
		u.expr(r.Program)
		u.pred(r.Post)
	}
	all := map[fs.Path]bool{}
	for p := range u.kind {
		for ; !p.IsRoot() && !all[p]; p = p.Parent() {
			all[p] = true
		}
	}
	return sortedKeys(all)
}

// fileLines are the lines that resources look after in files, as they are.
func (b *builder) fileLines() map[fs.Path][]line {
	out := map[fs.Path][]line{}
	for _, it := range b.ofType("File_line") {
		if p, l, ok := b.lineOf(it); ok {
			out[b.path(p)] = append(out[b.path(p)], l)
		}
	}
	return out
}

// open lists what was answered favourably because nothing known answers it.
func (a *after) open() {
	for _, m := range []*Model{a.o, a.n} {
		for _, p := range m.Open {
			if !slices.Contains(a.u.Open, p.Text) {
				a.u.Open = append(a.u.Open, p.Text)
			}
		}
	}
}

type after struct {
	o, n  *Model
	u     *Upgrade
	start *fs.State       // the machine on which the old catalog has come to rest
	again map[string]bool // resources of the old catalog that act, or fail, in every run

	purged map[*catalog.Resource]*catalog.Resource // resources that the agent makes, and of which resources resource
}

// rest runs the old catalog until it changes nothing.
func (a *after) rest() (*fs.State, error) {
	s := a.o.Graph.Fresh.Clone()
	for k := range maxRest {
		changed := false
		clear(a.again)
		err := apply(a.o, s, func(r *catalog.Resource, i int, was fs.Touched, why string) {
			if was.Acted || why != "" {
				a.again[r.Ref()] = true
			}
			changed = changed || differs(a.o, was, s)
		}, func(*catalog.Resource) {})
		if err != nil {
			return nil, err
		}
		if !changed {
			a.u.Runs = max(k, 1)
			break
		}
	}
	return s, nil
}

// apply applies a catalog as an agent does: in its order, and what depends on something that has failed is skipped.
// done is told of every other resource, with why it failed, "" if it did not.
func apply(m *Model, s *fs.State, done func(r *catalog.Resource, i int, was fs.Touched, why string),
	skipped func(*catalog.Resource)) error {
	order, err := m.Graph.Order(nil)
	if err != nil {
		return err
	}
	before := make([][]int, len(m.Graph.Resources)) // by resource, what it depends on
	for _, e := range m.Graph.Edges {
		before[e.To] = append(before[e.To], e.From)
	}
	begin(m, s)
	lost := make([]bool, len(m.Graph.Resources)) // failed or skipped
	for _, i := range order {
		m.from.opt.Budget.Spend(1, "running a catalog")
		r := m.Resources[i]
		if slices.ContainsFunc(before[i], func(j int) bool { return lost[j] }) {
			if lost[i] = true; r != nil {
				skipped(r)
			}
			continue
		}
		program := m.Graph.Resources[i].Program
		was, ok := fs.RunInPlace(program, s)
		if r == nil {
			continue
		}
		why := ""
		if lost[i] = !ok; !ok {
			why = reason(program, was, s)
		}
		done(r, i, was, why)
	}
	return nil
}

// begin resets what is forgotten after a run.
func begin(m *Model, s *fs.State) {
	for name, v := range m.Graph.Init.Transient {
		s.Vars[name] = v
	}
}

// differs reports whether a program changed something that lasts.
func differs(m *Model, before fs.Touched, s *fs.State) bool {
	for p, was := range before.Nodes {
		if was != s.At(p) {
			return true
		}
	}
	for name, was := range before.Vars {
		if _, forgotten := m.Graph.Init.Transient[name]; !forgotten && was != s.Var(name) {
			return true
		}
	}
	return false
}

// machine is where the new catalog begins: the old one's end, and what only the new one speaks of as on a fresh
// machine.
func (a *after) machine(rest *fs.State) *fs.State {
	s := rest.Clone()
	was, is := a.o.Graph.Fresh, a.n.Graph.Fresh
	for p, node := range is.Nodes {
		_, there := s.Nodes[p]
		_, known := was.Nodes[p]
		if !there && !known && s.At(p.Parent()).Kind == fs.Dir {
			s.Nodes[p] = node
		}
	}
	for name, v := range is.Vars {
		if _, known := s.Vars[name]; !known {
			s.Vars[name] = v
			if v == fs.Text(absent) && a.pulledIn(rest, name) {
				s.Vars[name] = fs.Text(present)
			}
		}
	}
	oracle := map[string]bool{}
	for _, from := range []map[string]bool{is.Oracle, rest.Oracle} {
		for k, v := range from {
			oracle[k] = v
		}
	}
	s.Oracle = oracle
	// Parents come before what is in them, whatever the order of the map was.
	for p, node := range is.Nodes {
		if _, known := was.Nodes[p]; !known && node.Kind != fs.None && s.At(p).Kind == fs.None {
			if _, there := rest.Nodes[p]; !there {
				s.Put(p, node.Kind)
				s.Nodes[p] = node
			}
		}
	}
	return s
}

// pulledIn reports whether a package that only the new catalog names, or an account, has come with the packages of the
// old one: another needs it, or is known to make it.
func (a *after) pulledIn(rest *fs.State, cell string) bool {
	pk := a.o.from.pk
	return slices.ContainsFunc(pk.order, func(name string) bool {
		return pk.used[name] && rest.Eval(pk.installed(name)) &&
			slices.ContainsFunc(append([]string{name}, pk.needs[name]...),
				func(p string) bool { return cell == cellOf(p) || pk.makes(p, cell) })
	})
}

// run applies the new catalog, and hands on events.
func (a *after) run(s *fs.State) (*fs.State, error) {
	m := a.n
	out := refreshes(m.Catalog)
	told := map[*catalog.Resource]*catalog.Resource{} // who is to be refreshed, because of whom
	return s, apply(m, s, func(r *catalog.Resource, i int, was fs.Touched, why string) {
		if why != "" {
			a.u.Failed = append(a.u.Failed, Failure{r, why, a.again[r.Ref()]})
			return
		}
		acted := was.Acted || differs(m, was, s)
		if acted {
			acts := a.acts(i, was, s)
			a.u.Acts = append(a.u.Acts, acts...)
			if acts[0].Verb == Starts { // a service that has just been started is not restarted
				delete(told, r)
			}
		}
		by := told[r]
		if by != nil && a.refreshed(r, s) {
			a.u.Acts = append(a.u.Acts, Act{Resource: r, Verb: refreshVerb(r), Told: by, Exact: m.Graph.Resources[i].Exact})
			acted = true
		}
		if !acted && (by == nil || !passesOn(r.Type)) {
			return
		}
		if by == nil || acted && !passesOn(r.Type) {
			by = r
		}
		for _, to := range out.next(r) {
			if told[to] == nil {
				told[to] = by
			}
		}
	}, func(r *catalog.Resource) { a.u.Skipped = append(a.u.Skipped, r) })
}

// reason says why a program fails: it is run again from where it began.
func reason(program fs.Expr, before fs.Touched, s *fs.State) string {
	start := s.Clone()
	for p, n := range before.Nodes {
		start.Nodes[p] = n
	}
	for name, v := range before.Vars {
		start.Vars[name] = v
	}
	return fs.Reason(program, start)
}

// next are the resources that a change of one refreshes, through containers.
func (out refreshing) next(r *catalog.Resource) (list []*catalog.Resource) {
	seen := map[catalog.Node]bool{}
	work := []catalog.Node{{Resource: r}}
	for len(work) > 0 {
		n := work[0]
		work = work[1:]
		for _, to := range out[n] {
			if seen[to] {
				continue
			}
			seen[to] = true
			if to.End == catalog.Whole {
				list = append(list, to.Resource)
			} else {
				work = append(work, to)
			}
		}
	}
	return list
}

// refreshed reports whether a resource does something when it is told of a change: a service that runs is restarted, a
// command runs again. A command that waits for being told has run by then.
func (a *after) refreshed(r *catalog.Resource, s *fs.State) bool {
	it := a.n.from.itemAt(r)
	if it == nil || sleeps(it) {
		return false
	}
	switch r.Type {
	case "Service":
		v, known := s.Vars["service "+serviceName(it)]
		return !known || v == fs.Text("running")
	case "Exec":
		_, given := it.text("refresh")
		return given || !it.truth("refreshonly", false)
	case "Mount":
		return true
	}
	return false
}

func refreshVerb(r *catalog.Resource) Verb {
	if r.Type == "Exec" {
		return Runs
	}
	return Refreshes
}

// acts say what a resource did: to what it is, and to what it has purged.
func (a *after) acts(i int, before fs.Touched, s *fs.State) []Act {
	r := a.n.Resources[i]
	act := Act{Resource: r, Verb: Changes, Exact: a.n.Graph.Resources[i].Exact,
		Again: r.Type == "Exec" && a.again[r.Ref()]}
	if by := a.purged[r]; by != nil {
		return []Act{{Resource: by, Verb: Purges, What: []string{r.Ref()}, Exact: act.Exact}}
	}
	it := a.n.from.itemAt(r)
	own := fs.Path("")
	if it != nil && strings.HasPrefix(it.name, "/") {
		own = a.n.from.path(it.name)
	}
	itself := len(before.Nodes) == 0
	var purged []string
	for _, p := range sortedKeys(before.Nodes) {
		was, is := before.Nodes[p], s.At(p)
		switch {
		case was == is:
		case p != own && was.Kind != fs.None && is.Kind == fs.None && r.Type == "File":
			purged = append(purged, string(p))
		case p != own:
			itself = true
		case was.Kind == fs.None:
			act.Verb, itself = Creates, true
		case is.Kind == fs.None:
			act.Verb, itself = Removes, true
		case sameButOthers(was, is): // a directory, of which only what is in it has changed
		default:
			act.What, itself = append(act.What, attributesThatDiffer(was, is)...), true
		}
	}
	for _, name := range sortedKeys(before.Vars) {
		was, is := before.Vars[name], s.Var(name)
		if _, forgotten := a.n.Graph.Init.Transient[name]; forgotten || was == is {
			continue
		}
		switch {
		case strings.HasPrefix(name, "service "):
			act.Verb = Starts
			if is == fs.Text("stopped") {
				act.Verb = Stops
			}
		case strings.HasPrefix(name, "start of service "):
			if act.Verb != Changes {
				act.What = append(act.What, "enable")
				continue
			}
			act.Verb = Enables
			if is != fs.Text("true") {
				act.Verb = Disables
			}
		}
	}
	switch r.Type {
	case "Exec":
		act.Verb, act.What = Runs, nil
	case "Package":
		act.What = nil
		act.Verb = Installs
		if e, _ := it.text("ensure"); e == absent || e == "purged" {
			act.Verb = Removes
		} else if a.had(r) {
			act.Verb = Upgrades
		}
	case "User", "Group":
		act.accounts(strings.ToLower(r.Type)+" "+it.name, before, s)
	}
	if len(purged) == 0 || act.Verb == Removes {
		return []Act{act}
	}
	out := []Act{{Resource: r, Verb: Purges, What: purged, Exact: act.Exact}}
	if itself {
		out = append([]Act{act}, out...)
	}
	return out
}

// accounts says what happens to an account whose cell is told: it comes, it goes, or attributes of it change.
func (act *Act) accounts(cell string, before fs.Touched, s *fs.State) {
	var attributes []string
	for _, name := range sortedKeys(before.Vars) {
		was, is := before.Vars[name], s.Var(name)
		attr, of, isField := strings.Cut(name, " of ")
		switch {
		case was == is:
		case name == cell && is == fs.Text(absent):
			act.Verb = Removes
		case name == cell:
			act.Verb = Creates
		case isField && of == cell:
			attributes = append(attributes, attr)
		case strings.HasPrefix(cell, "user ") && strings.HasPrefix(name, strings.TrimPrefix(cell, "user ")+" in group "):
			attributes = append(attributes, "groups")
		case strings.HasSuffix(name, " in "+cell):
			attributes = append(attributes, "members")
		}
	}
	if act.Verb == Changes {
		act.What = slices.Compact(attributes)
	}
}

func sameButOthers(a, b fs.Node) bool {
	a.Others = b.Others
	return a == b
}

// had reports whether the old catalog has a resource.
func (a *after) had(r *catalog.Resource) bool {
	return a.o.Catalog.Catalog.Resource(r.Type, r.Title) != nil
}

// attributesThatDiffer names what changes at one path.
func attributesThatDiffer(was, is fs.Node) (out []string) {
	if was.Kind != is.Kind {
		out = append(out, "ensure")
	}
	if was.Content != is.Content {
		out = append(out, "content")
	}
	for i, name := range []string{"owner", "group", "mode"} {
		if was.Attrs[i] != is.Attrs[i] {
			out = append(out, name)
		}
	}
	return out
}

// left finds what the new catalog says nothing of any more, and leaves.
func (a *after) left(end *fs.State) {
	for _, it := range a.o.from.items {
		if it == nil || it.post == nil || !declaresPresence(it) || sleeps(it) {
			continue
		}
		if !a.n.from.manages(it.r.Type, it.name) && a.n.Catalog.Catalog.Resource(it.r.Type, it.r.Title) == nil &&
			stillThere(it, a.o.from, end) {
			a.u.Left = append(a.u.Left, it.r)
		}
	}
}

// declaresPresence reports whether a resource makes something that can be left behind.
func declaresPresence(it *item) bool {
	e, _ := it.text("ensure")
	switch e {
	case absent, "purged", "stopped", "false", "unmounted":
		return false
	}
	switch it.r.Type {
	case "Exec", "Notify", "Anchor", "Schedule", "Filebucket", "Tidy", "Concat_fragment":
		return false
	case "Service":
		enable, _ := it.text("enable")
		return runs(it) || enable == "true"
	}
	return true
}

// stillThere reports whether what a resource made is there at the end.
func stillThere(it *item, b *builder, end *fs.State) bool {
	if it.r.Type == "File" || it.r.Type == "Concat_file" {
		return end.At(b.path(it.name)).Kind != fs.None
	}
	return end.Eval(it.post)
}

// rough lists what differs and is not known exactly.
func (a *after) rough() {
	for _, note := range a.n.Notes {
		if note.Exact != verify.Opaque {
			continue
		}
		if o := a.o.Catalog.Catalog.Resource(note.Resource.Type, note.Resource.Title); o == nil ||
			!sameAttributes(o, note.Resource) {
			a.u.Rough = append(a.u.Rough, note)
		}
	}
}

func sameAttributes(a, b *catalog.Resource) bool {
	return len(a.Params) == len(b.Params) && !slices.ContainsFunc(a.Params, func(p catalog.Param) bool {
		v := b.Get(p.Name)
		return v == nil || !value.Equal(p.Value, v)
	})
}
