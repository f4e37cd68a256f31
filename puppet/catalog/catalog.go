// Package catalog is the result of a compile: resources in order, their attributes, what contains what, classes and
// tags; and what can be said about it without the code that made it. It writes Puppet's wire JSON (json.go), YAML,
// Puppet-like text and DOT, reads catalogs back (read.go), compares two (diff.go), and builds the relationship graph
// with the agent's automatic relations, its order and its cycles (graph.go, expand.go, cycle.go).
//
// Everything here is plain data. A slot (an attribute, an edge, a resource's existence) carries the provenance.Ref it
// was made with.
//
// It may import source, provenance, value and resource. Start reading at Catalog.
package catalog

import (
	"slices"
	"strings"
	"sync"

	"bunraku/provenance"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Catalog is what one node is to become.
type Catalog struct {
	Name        string // of the node
	Environment string
	Version     value.Value // an Int or a String
	CodeID      string      // "" is null on the wire
	UUID        string      // "" leaves it out
	Format      int         // 2 since Puppet 6
	Tags        []string
	Classes     []string // as evaluated, duplicates kept
	Resources   []*Resource
	Edges       []Edge // containment only
	// Exports are the resources for other nodes that this one has not got itself. They are not on the wire.
	Exports []*Resource

	// Metadata of files that the server looked up, as it came; nil for none. RecursiveMetadata likewise.
	Metadata, RecursiveMetadata *value.Hash

	index *index
}

// A Name is type and title: what identifies a resource.
type Name struct{ Type, Title string }

// String is Type[title].
func (n Name) String() string { return n.Type + "[" + n.Title + "]" }

// ForOthers stands before the type of what a node exports and does not have itself, where catalogs list that.
const ForOthers = "@@"

// ListExports adds what agents do not get, since it is exported only: so it is compared with the rest.
func (c *Catalog) ListExports() {
	for _, r := range c.Exports {
		own := *r
		own.Type = ForOthers + r.Type
		c.Resources = append(c.Resources, &own)
	}
}

// Own is the catalog without what it lists for others.
func (c *Catalog) Own() *Catalog {
	isOthers := func(r *Resource) bool { return strings.HasPrefix(r.Type, ForOthers) }
	if c == nil || !slices.ContainsFunc(c.Resources, isOthers) {
		return c
	}
	own := *c
	own.Resources = slices.DeleteFunc(slices.Clone(c.Resources), isOthers)
	own.Seal()
	return &own
}

// A Kind is what sort of thing a resource's type is, in Puppet's words.
type Kind string

// The kinds. NoKind is a catalog from before Puppet 6, or from PuppetDB.
const (
	NoKind         Kind = ""
	CompilableType Kind = "compilable_type" // written in Ruby
	DefinedType    Kind = "defined_type"
	Class          Kind = "class"   // declared like a resource
	Unknown        Kind = "unknown" // included classes, nodes
)

// A Resource is one resource of a catalog.
type Resource struct {
	Type  string // "File", "Class", "Apache::Vhost"
	Title string
	Kind  Kind
	File  string // as Puppet writes it; "" for none
	Line  int

	Exported bool
	Virtual  bool
	// ExportedBy is the node that exports it, if this one has only collected it. It is not on the wire.
	ExportedBy string
	// ExportedLast: create_resources leaves `exported` unset, and Puppet then writes it behind `kind`.
	ExportedLast bool

	Tags      []string // each once, in the order in which they were given
	Params    []Param
	Sensitive []string // attributes whose whole value is secret

	Place source.Place

	// Possible is why it is not known whether the resource is there at all; "" if it is.
	Possible string

	// Provenance of what is no attribute.
	Existence, TitleRef, Position, TagsRef provenance.Ref

	position int // among the others, while edges are being ordered
}

// A Param is one attribute with its value.
type Param struct {
	Name  string
	Value value.Value
	Ref   provenance.Ref
	Place source.Place
}

// An Edge says that Source contains Target.
type Edge struct {
	Source, Target *Resource
	Ref            provenance.Ref
	// Label is nil, or what a catalog that was read says of the edge (event, callback).
	Label *value.Hash
}

// Name is the resource's identity.
func (r *Resource) Name() Name { return Name{r.Type, r.Title} }

// Ref is Type[title].
func (r *Resource) Ref() string { return r.Type + "[" + r.Title + "]" }

// Param finds an attribute, nil when it has none of that name.
func (r *Resource) Param(name string) *Param {
	for i := range r.Params {
		if r.Params[i].Name == name {
			return &r.Params[i]
		}
	}
	return nil
}

// Get is the value of an attribute, nil when it has none.
func (r *Resource) Get(name string) value.Value {
	if p := r.Param(name); p != nil {
		return p.Value
	}
	return nil
}

// IsSensitive reports whether the whole value of an attribute is secret. Puppet lists parameters here as they were
// declared, capitals and all; the attributes themselves are in small letters.
func (r *Resource) IsSensitive(param string) bool {
	for _, s := range r.Sensitive {
		if strings.EqualFold(s, param) {
			return true
		}
	}
	return false
}

// Parameter is the attribute that a parameter of that name has become, nil if there is none: catalogs have the
// parameters of classes and defined types in small letters.
func (r *Resource) Parameter(name string) *Param {
	if p := r.Param(name); p != nil {
		return p
	}
	if low := strings.ToLower(name); low != name && r.IsContainer() {
		return r.Param(low)
	}
	return nil
}

// IsContainer reports whether the resource is a class, a node, a stage or an instance of a defined type: it only holds
// others.
func (r *Resource) IsContainer() bool {
	return r.Kind != CompilableType || r.Type == "Stage"
}

// Seal builds the index; call it when Resources is complete. Resources are found by type and title only: aliases are
// the compiler's and the agent's business.
func (c *Catalog) Seal() {
	c.index = &index{once: sync.OnceValue(func() map[Name]*Resource {
		m := make(map[Name]*Resource, len(c.Resources))
		for _, r := range c.Resources {
			if _, ok := m[r.Name()]; !ok {
				m[r.Name()] = r
			}
		}
		return m
	})}
}

// An index is made when it is first needed.
type index struct{ once func() map[Name]*Resource }

// Resource finds a resource, nil when there is none.
func (c *Catalog) Resource(typ, title string) *Resource {
	if c.index != nil {
		return c.index.once()[Name{typ, title}]
	}
	for _, r := range c.Resources {
		if r.Type == typ && r.Title == title {
			return r
		}
	}
	return nil
}

// Find is Resource for a reference, "File[/etc/motd]".
func (c *Catalog) Find(ref string) *Resource {
	n, ok := ParseRef(ref)
	if !ok {
		return nil
	}
	return c.Resource(n.Type, n.Title)
}

// ParseRef splits "Type[title]" and gives the type (and the title of a class) the capitals that Puppet gives it.
func ParseRef(ref string) (Name, bool) {
	for i := 0; i < len(ref); i++ {
		switch ref[i] {
		case ']':
			return Name{}, false
		case '[':
			if i == 0 || ref[len(ref)-1] != ']' || len(ref)-1 == i+1 {
				return Name{}, false
			}
			typ, others := strings.CutPrefix(ref[:i], ForOthers)
			n := Name{value.CapitalizeSegments(typ), ref[i+1 : len(ref)-1]}
			if others {
				n.Type = ForOthers + n.Type
			}
			if n.Type == "Class" && n.Title != "main" {
				n.Title = value.CapitalizeSegments(n.Title)
			}
			return n, true
		}
	}
	return Name{}, false
}

// OrderEdges puts the edges in Puppet's order: by the position of the target among the resources; edges to one target
// stay in the order in which their sources were first joined to it.
func (c *Catalog) OrderEdges() {
	for i, r := range c.Resources {
		r.position = i
	}
	slices.SortStableFunc(c.Edges, func(a, b Edge) int { return a.Target.position - b.Target.position })
	out := make([]Edge, 0, len(c.Edges))
	for from := 0; from < len(c.Edges); {
		to := from + 1
		for to < len(c.Edges) && c.Edges[to].Target == c.Edges[from].Target {
			to++
		}
		edges := c.Edges[from:to]
		from = to
		for i := range edges {
			first := true
			for j := range i {
				first = first && edges[j].Source != edges[i].Source
			}
			if !first {
				continue
			}
			for _, e := range edges[i:] {
				if e.Source == edges[i].Source {
					out = append(out, e)
				}
			}
		}
	}
	c.Edges = out
}

// Containers are the resources that contain r, nearest first. A class that is contained in several goes up the first
// edge.
func (c *Catalog) Containers(r *Resource) []*Resource {
	var out []*Resource
	seen := map[*Resource]bool{r: true}
	for {
		var up *Resource
		for _, e := range c.Edges {
			if e.Target == r {
				up = e.Source
				break
			}
		}
		if up == nil || seen[up] {
			return out
		}
		seen[up] = true
		out = append(out, up)
		r = up
	}
}

// A Rest is what agents do not get of a catalog: resources that are still virtual because they are exported only, and
// the edges to them.
type Rest struct {
	Resources []*Resource
	Edges     []Edge
}

// DropVirtual leaves out what agents do not get, and gives it back.
func (c *Catalog) DropVirtual() (rest Rest) {
	kept, edges := c.Resources[:0:0], c.Edges[:0:0]
	for _, r := range c.Resources {
		if r.Virtual {
			rest.Resources = append(rest.Resources, r)
		}
	}
	if rest.Resources == nil {
		return rest
	}
	for _, r := range c.Resources {
		if !r.Virtual {
			kept = append(kept, r)
		}
	}
	for _, e := range c.Edges {
		if e.Source.Virtual || e.Target.Virtual {
			rest.Edges = append(rest.Edges, e)
		} else {
			edges = append(edges, e)
		}
	}
	c.Resources, c.Edges, c.Exports = kept, edges, rest.Resources
	c.Seal()
	return rest
}
