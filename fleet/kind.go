package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"bunraku/judge"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/outline"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Node is one to compile.
type Node struct {
	compiler.Node
	// Invented is set for a node that nobody has.
	Invented *Invention
	// Brief tells that of a catalog which is not verified no more is kept than what there is in it: invented nodes are
	// many.
	Brief bool
	// Home is the directory of the environment that it belongs to, if that is another one than is looked at.
	Home string
}

// Title is how the node is shown.
func (n Node) Title() string {
	if n.Invented != nil {
		return n.Invented.Title()
	}
	return n.Facts.Name
}

// of is the class or define that the node is invented for; "" for none.
func (n Node) of() string {
	if n.Invented == nil {
		return ""
	}
	return cmp.Or(n.Invented.Class, n.Invented.Define)
}

// Real makes nodes of facts. Modules that the tree names and that are not there are stood in for.
func Real(all []*facts.Facts) []Node {
	nodes := make([]Node, len(all))
	for i, f := range all {
		nodes[i].Facts, nodes[i].Absent = f, compiler.StandInNamed
	}
	return nodes
}

// A Compiled is what became of compiling one node. It is zero if the work was ended before.
type Compiled struct {
	Name     string
	Invented *Invention
	// Excuse says why an invented node that does not compile tells nothing of the tree.
	Excuse   *Excuse
	Catalog  *catalog.Catalog // nil if it does not compile
	Problems source.Diagnostics
	Opaque   int // attributes that could not be computed
	Closed   int // those of them that hang on a secret without a key
	Ruby     int // those of them that Ruby might compute
	// StandIns are what the compile went on without, for want of modules; Partial tells that the catalog may lack
	// something of it. Such a catalog is not verified.
	StandIns []eval.StandIn
	Partial  bool
}

// A Kind is a set of nodes whose catalogs are alike.
type Kind struct {
	Suspect judge.Suspect // the first one's
	Nodes   []int
}

// Watch is told of every compile as it ends, from many goroutines.
type Watch func(*eval.Result)

// enough is how many of the nodes that a tree names are invented before it is asked whether any of them can be.
const enough = 64

// blame tells what nodes failed of, or what excuses the tree. To find that out an invented node is compiled several
// times, as other machines, so of many that meet the same failure only as many are asked as it takes: if the first
// meets it whatever it is, it is told of all, and if two have the same excuse, so have all.
func blame(ctx context.Context, c *compiler.Snapshot, results []Compiled, failures []*source.Diagnostic,
	some []int) error {
	var alike [][]int
	at := map[string]int{}
	for _, i := range some {
		d, n := failures[i], results[i].Invented
		if d == nil {
			continue
		}
		if n == nil {
			results[i].Problems = append(results[i].Problems, d)
			continue
		}
		key := n.meets(d)
		if _, is := at[key]; !is {
			at[key] = len(alike)
			alike = append(alike, nil)
		}
		alike[at[key]] = append(alike[at[key]], i)
	}
	errs := make([]error, len(alike))
	source.Each(ctx, len(alike), func(k int) {
		var x *Excuse
		told, tried := false, 0
		for _, i := range alike[k] {
			if n := results[i].Invented; !told && tried < 2 {
				res, err := c.Compile(ctx, n.Node)
				if err == nil && res.Failure != nil {
					x, err = excuse(ctx, c, n, res)
				}
				if errs[k] = err; err != nil {
					return
				}
				told, tried = x == nil, tried+1
			}
			results[i].blamed(failures[i], x)
		}
	})
	return errors.Join(errs...)
}

// blamed is a node that failed, and what excuses the tree; nil if nothing does.
func (r *Compiled) blamed(d *source.Diagnostic, x *Excuse) {
	if x != nil {
		if r.Excuse = x; x.Kind != NoEnvironment { // what was warned of is so all the same
			r.Problems = nil
		}
		return
	}
	d.Summary = strings.ReplaceAll(d.Summary, " for "+r.Invented.Name, "") // on every system it is the same one
	r.Problems = append(r.Problems, d)
}

// meets tells failures apart that may have different excuses: by what is said of what, on which system, and what the
// node is to the tree.
func (i *Invention) meets(d *source.Diagnostic) string {
	of := "a class"
	about := fmt.Sprint(d.Code, d.Place, strings.ReplaceAll(d.Summary, i.Name, "-"), d.About)
	switch {
	case i.Define != "":
		of = i.Define
	case i.Class != "" && strings.Contains(about, "Class["+outline.Capitalized(i.Class)+"]"):
		of = i.Class
	case i.Class == "":
		of = fmt.Sprint("a name ", i.nameless())
	}
	return fmt.Sprint(of, i.System.ID, i.claimed, i.guessed, i.Legacy, i.around, i.Levels(), about)
}

// A tranche is nodes that are compiled first, and invented ones of their kind that need not be tried if none of those
// compiles.
type tranche struct {
	now, later []int
	likewise   int // of ten that are tried, how many are to want the same
}

// tranches parts nodes. A tree may name hundreds that all want something which only a server has; and of each of a
// thousand classes its main manifest may end the compile.
func tranches(nodes []Node) []tranche {
	var real, named, classes tranche
	for i, n := range nodes {
		switch {
		case n.Invented == nil:
			real.now = append(real.now, i)
		case n.of() != "":
			classes.now = append(classes.now, i)
		case len(named.now) < enough:
			named.now = append(named.now, i)
		default:
			named.later = append(named.later, i)
		}
	}
	if all := classes.now; len(all) > 4*enough {
		classes = tranche{likewise: 9}
		for k, i := range all {
			if k*enough/len(all) != (k-1)*enough/len(all) || k == 0 {
				classes.now = append(classes.now, i)
			} else {
				classes.later = append(classes.later, i)
			}
		}
	}
	return []tranche{real, named, classes}
}

// barred says why none of the later nodes can be compiled; "" if one of those that were tried can, or has a problem of
// the tree's.
func (t tranche) barred(results []Compiled) (why string) {
	count, most := map[string]int{}, 0
	for _, i := range t.now {
		x := results[i].Excuse
		if x == nil || !x.Kind.shared() {
			return ""
		}
		if count[x.Detail]++; count[x.Detail] > most {
			why, most = x.Detail, count[x.Detail]
		}
	}
	if 10*most < t.likewise*len(t.now) {
		return ""
	}
	return why
}

// shared reports whether an excuse is one that nodes are likely to have in common: what no node can do without is not
// here.
func (k ExcuseKind) shared() bool {
	return k == NeedsModule || k == NeedsData || k == NeedsFiles || k == NeedsValues ||
		k == NeedsVariables || k == NeedsFacts
}

// Compile compiles nodes and finds out which are alike. The kinds come in the order of the nodes. If the context ends,
// what was finished by then is returned.
func Compile(ctx context.Context, c *compiler.Snapshot, j *judge.Judge, nodes []Node, watch Watch) (results []Compiled,
	kinds []*Kind, err error) {
	results = make([]Compiled, len(nodes))
	suspects, keys, errs := make([]judge.Suspect, len(nodes)), make([]string, len(nodes)), make([]error, len(nodes))
	var mu sync.Mutex
	first := map[string]int{}
	verified := map[string]int{} // by class and define: the first invented node of it
	extra := make([]bool, len(nodes))
	failures := make([]*source.Diagnostic, len(nodes))
	one := func(i int) {
		defer func() { // a bug costs the node that it happens on
			if p := recover(); p != nil {
				results[i] = Compiled{Name: nodes[i].Title(), Problems: append(results[i].Problems, source.Bug(p))}
			}
		}()
		res, err := c.Compile(ctx, nodes[i].Node)
		if err != nil {
			errs[i] = err
			return
		}
		node := nodes[i]
		if res.Failure != nil && node.Invented != nil {
			if res, node.Invented, errs[i] = otherwise(ctx, c, node.Invented, res); errs[i] != nil {
				return
			}
			node.Node = node.Invented.Node
		}
		watch(res)
		results[i] = Compiled{Name: node.Title(), Invented: node.Invented, Problems: append(warned(c, res, node.Invented),
			told(res, node.Invented)...)}
		if res.Failure != nil {
			failures[i] = res.Failure
			return
		}
		results[i].Catalog = res.Catalog
		results[i].Opaque, results[i].Closed, results[i].Ruby = countOpaque(res.Catalog)
		results[i].StandIns = res.StandIns
		results[i].Partial = res.Partial() || node.Invented == nil && len(res.StandIns) > 0 // Puppet would not compile it
		// What stands in may be why nothing is there.
		stoodIn := results[i].Partial && node.Invented != nil
		if Empty(res.Catalog) && len(res.Exports)+len(res.Rest.Resources) == 0 && !stoodIn {
			if node.Invented != nil && mayDeclareFor(c.Environment(), res.Catalog) { // it does on other machines
				results[i].Excuse = &Excuse{NeedsFacts, "what its node statement asks for"}
				results[i].Catalog = nil
				return
			}
			results[i].Problems = append(results[i].Problems, nothing(c.Environment(), res))
		}
		if results[i].Partial { // nothing can be said of what it does
			if node.Brief {
				results[i].Catalog = res.Catalog.Brief()
			}
			return
		}
		later, err := next(ctx, c, node, res)
		if err != nil {
			errs[i] = err
			return
		}
		if later != nil {
			results[i].Problems = append(results[i].Problems, later)
		}
		s := NewSuspect(c.Current(), res, node.Facts)
		if node.Invented != nil {
			again := traced(ctx, c, node.Node)
			s.Guessed = func(r *catalog.Resource, attr string) bool {
				if x := again().Catalog; x != nil {
					r = x.Resource(r.Type, r.Title)
				}
				p := r.Param(attr)
				return p != nil && node.Invented.guesses(again().Trace, p.Ref)
			}
		}
		if node.of() != "" {
			s.Defaulted = node.Invented.tree.defaulted
		}
		keys[i] = j.Likeness(s)
		mu.Lock()
		defer mu.Unlock()
		if of := node.of(); of != "" && node.Brief {
			if at, is := verified[of]; is && at < i { // OnceAClass would leave it out, unless it is like another
				extra[i], results[i].Catalog = true, res.Catalog.Brief()
				return
			}
			if node.Invented.System.Unix() {
				verified[of] = i
			}
			suspects[i] = s
		}
		if f, seen := first[keys[i]]; !seen || i < f {
			first[keys[i]], suspects[i] = i, s
		}
	}
	all := func(some []int) error {
		source.Each(ctx, len(some), func(i int) { one(some[i]) })
		return blame(ctx, c, results, failures, some)
	}
	parts := tranches(nodes)
	var now, later []int
	for _, p := range parts {
		now = append(now, p.now...)
	}
	if err := all(now); err != nil && ctx.Err() == nil {
		return nil, nil, err
	}
	for _, p := range parts {
		if why := p.barred(results); why != "" {
			for _, i := range p.later {
				results[i] = Compiled{Name: nodes[i].Title(), Invented: nodes[i].Invented, Excuse: &Excuse{NotTried, why}}
			}
		} else {
			later = append(later, p.later...)
		}
	}
	if err := all(later); err != nil && ctx.Err() == nil {
		return nil, nil, err
	}
	for i, err := range errs {
		if err != nil && ctx.Err() == nil {
			return nil, nil, errs[i]
		}
	}
	// Which nodes are left out does not hang on which were compiled first.
	by := map[string]*Kind{}
	for pass := range 2 {
		for i, key := range keys {
			if of := nodes[i].of(); pass == 0 && of != "" && nodes[i].Brief && key != "" {
				at, is := verified[of]
				extra[i] = is && at < i
			}
			if errs[i] != nil || results[i].Catalog == nil || key == "" || extra[i] != (pass == 1) {
				continue
			}
			switch k := by[key]; {
			case k != nil:
				k.Nodes = append(k.Nodes, i)
			case pass == 1:
				results[i].Catalog = results[i].Catalog.Brief()
			default:
				of := i
				if suspects[i].Catalog == nil { // one that is like it was kept
					of = first[key]
				}
				by[key] = &Kind{suspects[of], []int{i}}
				kinds = append(kinds, by[key])
			}
		}
	}
	for _, k := range kinds {
		slices.Sort(k.Nodes)
	}
	return results, kinds, nil
}

// nothing says that a catalog holds nothing of the site, and what may be the reason.
func nothing(env *environment.Environment, res *eval.Result) *source.Diagnostic {
	d := &source.Diagnostic{Code: "V904", Severity: source.Warning, Summary: "the catalog holds nothing of the site",
		Help: "no node statement, class or resource is meant for this node: is it classified by something else?"}
	if path := env.Lacked(); path != "" {
		d.Help = "environment.conf says that the main manifest is " + path + ", and that is not there"
	}
	if slices.ContainsFunc(res.Catalog.Resources, func(r *catalog.Resource) bool { return r.Type == "Node" }) {
		d.Help = "its node statement declares nothing here: is it classified by something else?"
	}
	if len(res.Asked) > 0 {
		d.Help = "it collects what other nodes export, and none of those that were compiled exports it"
	}
	// What is declared is in the catalog, whatever its type.
	may := slices.DeleteFunc(slices.Clone(res.StandIns), func(s eval.StandIn) bool {
		return s.OnlyType() || s.Kind == source.MissingResourceType
	})
	if lacked := Modules(may); len(lacked) > 0 {
		d.Help = "what the node gets may hang on what is not there: " + Listed(lacked)
	}
	for _, u := range res.Unknowns() {
		if u.Function != "" {
			d.Help = "what the node gets may hang on " + u.Function + "(), whose answer is not known: give answers with --mock FILE"
			if compiler.RubyHelps(u.Why) {
				d.Help += ", or run the Ruby code of modules with --ruby=system"
			}
		}
	}
	return d
}

// warned is what a compile warns of. Of an invented node some of it says nothing of the tree: that nobody keeps what is
// exported, that a variable in data or of another class has no value, that a function of a stdlib is deprecated which
// only stands in; and what is not known about an invented use of a define.
func warned(c *compiler.Snapshot, res *eval.Result, invented *Invention) source.Diagnostics {
	if invented == nil {
		return res.Warnings
	}
	return slices.DeleteFunc(slices.Clone(res.Warnings), func(d *source.Diagnostic) bool {
		switch d.Code {
		case "E0501", "E0540", "H0401", "H0402":
			return true
		case "E0301": // the class that sets it, or a classifier, is only not on this node; audit looks for what none sets
			return (invented.Class != "" || invented.Define != "") && strings.Contains(d.Summary, "::")
		case "W0650":
			return c.Environment().Module("stdlib") == nil
		}
		return invented.Define != "" && strings.HasPrefix(d.Code, "E070")
	})
}

// told is what the site's own code warns of. On an invented node it may warn of what was invented: that is no problem
// of the tree's, and no news at all about an invented use of a define.
func told(res *eval.Result, invented *Invention) (out source.Diagnostics) {
	severity := source.Warning
	if invented != nil {
		severity = source.Note
		if invented.Define != "" {
			return nil
		}
	}
	for _, l := range res.Logs {
		if strings.HasPrefix(l.Text, "(unknown") && strings.HasSuffix(l.Text, ")") {
			continue // what it says is not known
		}
		switch l.Level {
		case "warning", "err", "alert", "crit", "emerg":
			out = append(out, &source.Diagnostic{Code: "W0901", Severity: severity, Summary: l.Text, Place: l.Place})
		}
	}
	return out
}

// Empty reports whether a catalog holds only what every catalog does.
func Empty(c *catalog.Catalog) bool {
	return !slices.ContainsFunc(c.Resources, func(r *catalog.Resource) bool { return ofSite(r.Type, r.Title) })
}

// ofSite reports whether a resource is one that not every catalog has.
func ofSite(typ, title string) bool {
	return typ != "Stage" && typ != "Node" &&
		!(typ == "Class" && (title == "main" || strings.EqualFold(title, "settings")))
}

// NewSuspect is what there is to judge about a node that was compiled.
func NewSuspect(c *compiler.Snapshot, res *eval.Result, node *facts.Facts) judge.Suspect {
	return judge.Suspect{Catalog: res.Catalog.Own(), Platform: judge.PlatformOf(node), Shown: judge.ShownBy(node),
		Types: c, Modules: c.Environment(), Record: res.Record(), Unsure: res.Unsure}
}

// countOpaque counts the attributes that could not be computed, those of them that hang on a secret without a key, and
// those that Ruby might compute.
func countOpaque(c *catalog.Catalog) (n, closed, ruby int) {
	for _, r := range c.Resources {
		for _, p := range r.Params {
			all := slices.DeleteFunc(eval.OpaquesIn(p.Value, nil), func(o *value.Opaque) bool { return o.Absent })
			if len(all) == 0 {
				continue
			}
			switch n++; {
			case slices.ContainsFunc(all, func(o *value.Opaque) bool { return compiler.IsClosed(o.Why) }):
				closed++
			case slices.ContainsFunc(all, func(o *value.Opaque) bool { return compiler.RubyHelps(o.Why) }):
				ruby++
			}
		}
	}
	return n, closed, ruby
}
