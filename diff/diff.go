// Package diff is what becomes of catalogs when something changes: resources that come, go or are renamed, attributes,
// texts that templates and module files put on a machine, relations and cycles; the same change of many nodes told
// once; and which lines of a commit made it.
//
//	diff.go      a Change; Compare, of two catalogs
//	value.go     when two values are the same, and how they are shown
//	text.go      texts, line by line
//	contents.go  files of modules, which catalogs only name
//	rename.go    a resource under another title
//	relation.go  relations and cycles
//	whole.go     tags, secrecy, order: what two programs may differ in
//	origin.go    the place that our side of a difference comes from
//	own.go       what is a node's own, and no difference between nodes
//	key.go       when two nodes have the same change
//	report.go    the changes of many nodes, in groups
//	entry.go     a change as octocatalog-diff takes it apart
//	ignore.go    changes that do not count, filter.go and data.go
//	hunk.go      a commit as hunks that can be applied one by one
//	show.go      the report for people
//
// Nothing is called equal that is not known to be: a value that could not be computed on either side is reported as not
// known. Secrets are compared and never shown.
//
// It may import explain, record, catalog and what is below them; it compiles nothing. Start reading at Compare.
package diff

import (
	"cmp"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/environment"
	"bunraku/puppet/record"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// A Side is one of the two states of a node that are compared.
type Side struct {
	Catalog *catalog.Catalog
	Types   resource.Lookup          // nil for Puppet's own types
	Modules *environment.Environment // where files of modules are; nil if that is not known
	Record  *record.Record           // where values come from; nil if that is not known
	Open    string                   // why the catalog may be another one, if decisions hang on what is not known
	Told    bool                     // Open is of what other nodes export
	Absent  map[string]bool          // classes and resource types of which only the names are known, in lower case
}

func (s *Side) types() resource.Lookup {
	if s.Types == nil {
		return resource.Core{}
	}
	return s.Types
}

// container reports whether a resource does nothing by itself. A catalog that does not say of which kind its resources
// are tells a define by what it holds.
func (s *Side) container(r *catalog.Resource) bool {
	if s.Absent[strings.ToLower(r.Type)] || r.Type == "Class" && s.Absent[strings.ToLower(r.Title)] {
		return false
	}
	if r.Kind != catalog.NoKind {
		return r.IsContainer()
	}
	return slices.Contains([]string{"Class", "Node", "Stage"}, r.Type) ||
		slices.ContainsFunc(s.Catalog.Edges, func(e catalog.Edge) bool { return e.Source == r })
}

// A Kind is a kind of change.
type Kind uint8

// The kinds. A change of NotKnown may be none: on some side the value is not known.
const (
	Added      Kind = iota // a resource came
	Removed                // a resource went
	Renamed                // a resource has another title, and nothing else changed
	Attribute              // an attribute of a resource came, went or changed
	ModuleFile             // a file of a module, which the catalog only names
	Relation               // resources are ordered that were not, or no longer are
	Cycle                  // resources wait for each other that did not, or no longer do
	NotKnown
)

var kindNames = [...]string{"added", "removed", "renamed", "attribute", "module file", "relation", "cycle", "not known"}

// String is the word for the kind in JSON.
func (k Kind) String() string { return kindNames[k] }

// A Change is one thing in which two catalogs differ.
type Change struct {
	Kind      Kind
	Name      catalog.Name // the resource; the new one's of a Renamed is in To
	To        catalog.Name
	Attribute string
	File      string      // of a ModuleFile: the file's path below the resource, "" for itself
	Old, New  value.Value // nil where there is none
	Secret    bool        // neither Old nor New may be shown
	Blocks    []Block     // of texts: the lines that changed
	Part      int         // of texts: which of several changes of the text it is, from 0
	Text      string      // of a relation or a cycle; of NotKnown why
	Gone      bool        // of a relation or a cycle: it is no longer there
	// Unexpected tells that it is none of the changes that there should be
	Unexpected bool
	// Example tells that Old, New and Blocks are those of one node: without what is its own nothing of them is left.
	Example   bool
	Container bool // the resource is a class or an instance of a define: it does nothing by itself
	OldAt     Spot // where it is written, on either side
	NewAt     Spot
	From      string // what brought our side of it, if Origins was asked: a place, or what only they have

	within         []*catalog.Resource // of a Removed: what it is in, innermost first
	old, new       *catalog.Resource
	left           []*entry       // what octocatalog-diff would tell, if something of it was left out
	oldRef, newRef provenance.Ref // of the values
	oldOwn, newOwn *own           // what is the node's own on either side
	known, slot    string         // the key and the slot, when they were made
	told           bool           // of NotKnown: it is what other nodes export
	dark           [2]bool        // of NotKnown: on which sides it is not known, where that is known
	exact          bool           // the key holds all of the values
}

// A Spot is a line of a file.
type Spot struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
}

// Options change what counts.
type Options struct {
	// Contents compares files of modules; nil does not.
	Contents *Contents
	// Ignore and Filters leave changes out, and so does a tag of IgnoreTags on a resource.
	Ignore     []*Rule
	Filters    []Filter
	IgnoreTags []string
	// Exact makes changes of two nodes the same only if all of the values are, what is around the change included.
	Exact bool
	// Whole compares tags and the order of resources, too.
	Whole bool
	// Expected are the only changes that there should be; nil if any may be.
	Expected []*Rule
}

// Compare says in what two catalogs of a node differ. Not compared are file and line of a resource, what catalogs say
// of themselves, such as their version, and unless the options say so tags and the order of resources.
func Compare(from, to Side, opt Options) []*Change {
	c := &comparison{from: from, to: to, opt: opt, oldOwn: ownOf(&from), newOwn: ownOf(&to)}
	old, new := resources(from.Catalog), resources(to.Catalog)
	var removed, added []*catalog.Resource
	for _, r := range from.Catalog.Resources {
		if new[r.Name()] == nil {
			removed = append(removed, r)
		}
	}
	for _, r := range to.Catalog.Resources {
		if old[r.Name()] == nil {
			added = append(added, r)
		}
	}
	removed, added = c.renamed(removed, added)
	for _, r := range removed {
		c.alone(Removed, r)
	}
	for _, r := range added {
		c.alone(Added, r)
	}
	for _, r := range from.Catalog.Resources {
		if s := new[r.Name()]; s != nil {
			c.resource(r, s)
		}
	}
	c.relations()
	if opt.Whole {
		c.whole()
	}
	c.open()
	c.changes = opt.leave(c.changes)
	slices.SortStableFunc(c.changes, before)
	return c.changes
}

// Ignored reports whether two catalogs in which Compare finds nothing differ in what the options leave out.
func Ignored(from, to Side, opt Options) bool {
	all, less := opt.all()
	return less && len(Compare(from, to, all)) > 0
}

// all are the options that leave nothing out; less tells that o may.
func (o Options) all() (all Options, less bool) {
	less = len(o.Ignore)+len(o.Filters)+len(o.IgnoreTags) > 0
	o.Ignore, o.Filters, o.IgnoreTags = nil, nil, nil
	return o, less
}

// open adds that something is not known where no attribute says so: what hangs on it has left nothing to see.
func (c *comparison) open() {
	why := cmp.Or(c.to.Open, c.from.Open)
	if why == "" || slices.ContainsFunc(c.changes, func(x *Change) bool { return x.Kind == NotKnown }) {
		return
	}
	c.add(&Change{Kind: NotKnown, Name: catalog.Name{Type: "Class", Title: "main"}, Text: why,
		dark: [2]bool{c.from.Open != "", c.to.Open != ""},
		told: c.to.Told || c.to.Open == "" && c.from.Told})
}

// before is the order in which changes are told: what does something first, then by name.
func before(a, b *Change) int {
	late := func(c *Change) int {
		switch {
		case c.Kind == NotKnown:
			return 3
		case c.Container:
			return 2
		case c.Kind == Cycle:
			return 0
		}
		return 1
	}
	return cmp.Or(late(a)-late(b), strings.Compare(a.Name.Type, b.Name.Type), strings.Compare(a.Name.Title, b.Name.Title),
		int(a.Kind)-int(b.Kind), strings.Compare(a.Attribute, b.Attribute), strings.Compare(a.File, b.File),
		strings.Compare(a.Text, b.Text), a.Part-b.Part)
}

type comparison struct {
	from, to       Side
	oldOwn, newOwn *own
	opt            Options
	changes        []*Change
	paths          map[string]bool // paths of the new catalog's files, made when asked for
}

func resources(c *catalog.Catalog) map[catalog.Name]*catalog.Resource {
	m := make(map[catalog.Name]*catalog.Resource, len(c.Resources))
	for _, r := range c.Resources {
		m[r.Name()] = r
	}
	return m
}

func (c *comparison) add(x *Change) {
	x.oldOwn, x.newOwn, x.exact = c.oldOwn, c.newOwn, c.opt.Exact
	if x.old != nil {
		x.OldAt, x.Container = spotOf(x.old), c.from.container(x.old)
	}
	if x.new != nil {
		x.NewAt, x.Container = spotOf(x.new), c.to.container(x.new)
	}
	c.changes = append(c.changes, x)
}

// alone tells of a resource that came or went.
func (c *comparison) alone(k Kind, r *catalog.Resource) {
	x := &Change{Kind: k, Name: r.Name()}
	if k == Added {
		x.new = r
	} else {
		x.old, x.within = r, c.from.Catalog.Containers(r)
	}
	if r.Possible != "" {
		x.Kind, x.Text = NotKnown, r.Possible
	}
	c.add(x)
}

// doubt makes one of a change of which it is not known whether it is one.
func (c *Change) doubt(why string, dark [2]bool) {
	if c.Kind != NotKnown {
		c.Kind, c.Text, c.dark = NotKnown, why, dark
	}
}

// Doubt tells that it hangs on a decision that was guessed on either side whether there is the change.
func (c *Change) Doubt(why string) { c.doubt(why, [2]bool{true, true}) }

// resource compares one that both catalogs have.
func (c *comparison) resource(r, s *catalog.Resource) {
	if why := cmp.Or(r.Possible, s.Possible); why != "" {
		dark, at := [2]bool{r.Possible != "", s.Possible != ""}, len(c.changes)
		defer func() { // what differs is no change if it is another branch of one decision
			for _, x := range c.changes[at:] {
				x.doubt(why, dark)
			}
			if len(c.changes) == at {
				c.add(&Change{Kind: NotKnown, Name: r.Name(), Text: why, old: r, new: s, dark: dark})
			}
		}()
	}
	if r.Exported != s.Exported {
		c.add(&Change{Kind: Attribute, Name: r.Name(), Attribute: "exported", Old: value.Bool(r.Exported),
			New: value.Bool(s.Exported), old: r, new: s})
	}
	for i := range r.Params {
		p := &r.Params[i]
		c.attribute(r, s, p, s.Param(p.Name))
	}
	for i := range s.Params {
		if q := &s.Params[i]; r.Param(q.Name) == nil {
			c.attribute(r, s, nil, q)
		}
	}
	if c.opt.Contents != nil {
		c.contents(r, s)
	}
}

// attribute compares one; either side may have none.
func (c *comparison) attribute(r, s *catalog.Resource, p, q *catalog.Param) {
	x := &Change{Kind: Attribute, Name: r.Name(), old: r, new: s}
	if p != nil {
		x.Attribute, x.Old, x.oldRef = p.Name, p.Value, p.Ref
	}
	if q != nil {
		x.Attribute, x.New, x.newRef = q.Name, q.Value, q.Ref
	}
	if was, is := unknown(x.Old), unknown(x.New); was != "" || is != "" {
		x.Kind, x.Text, x.dark = NotKnown, cmp.Or(was, is), [2]bool{was != "", is != ""}
		c.add(x)
		return
	}
	was, is := r.IsSensitive(x.Attribute), s.IsSensitive(x.Attribute)
	switch {
	case !same(x.Attribute, x.Old, x.New):
	case is && !was: // agents hide it in logs and reports
		x.Text = "is Sensitive now"
	case was && !is:
		x.Text = "is no longer Sensitive"
	default:
		return
	}
	x.Secret = was || is || x.Old != nil && value.HasSensitive(x.Old) ||
		x.New != nil && value.HasSensitive(x.New)
	var parts []Block
	if !x.Secret {
		parts = textBlocks(x.Old, x.New)
	}
	for _, x := range x.split(parts) {
		c.add(x)
		if p != nil && p.Place.Known() {
			x.OldAt = Spot{p.Place.File.Name, p.Place.Line()}
		}
		if q != nil && q.Place.Known() {
			x.NewAt = Spot{q.Place.File.Name, q.Place.Line()}
		}
	}
}

// mostParts is how many changes a text is taken apart into.
const mostParts = 30

// split makes a change of each block of a text: what one commit does to a file has often nothing to do with what
// another one does to it, and other nodes may have only one of the two.
func (c *Change) split(blocks []Block) []*Change {
	if len(blocks) < 2 || len(blocks) > mostParts {
		c.Blocks = blocks
		return []*Change{c}
	}
	var out []*Change
	for i := range blocks {
		x := *c
		x.Blocks, x.Part = blocks[i:i+1], i
		out = append(out, &x)
	}
	return out
}

func spotOf(r *catalog.Resource) Spot {
	if r.Place.Known() {
		return Spot{r.Place.File.Name, r.Place.Line()}
	}
	return Spot{r.File, r.Line}
}
