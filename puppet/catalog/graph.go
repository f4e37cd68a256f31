package catalog

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Relation orders two resources: From comes before To.
type Relation struct {
	From, To *Resource
	Kind     resource.Relation // how By put it
	Auto     bool              // nobody wrote it: the type asks for it
	By       *Resource         // From or To: the one that has the attribute
	Attr     string            // the metaparameter, or the attribute that names the other one
	Ref      provenance.Ref
	Place    source.Place
}

// Missing is a relationship to a resource that is not in the catalog.
type Missing struct {
	Resource  *Resource
	Attr, Ref string
	Place     source.Place
	Open      bool // which resource is meant is not known
}

// Message is Puppet's text.
func (m Missing) Message() string {
	return fmt.Sprintf("Could not find dependency %s for %s", m.Ref, m.Resource.Ref())
}

// Unread is an automatic relation of a module's type that could not be worked out: its Ruby asks for what only the
// agent has.
type Unread struct {
	Resource *Resource
	Kind     resource.Relation
	Target   string // the type that it may relate to
	Why      string
}

// A Graph is a catalog with all its relations, as the agent builds it (Puppet::Graph::RelationshipGraph).
type Graph struct {
	Catalog   *Catalog
	Relations []Relation // those written first, then the automatic ones
	Skipped   []Relation // automatic relations that were left out, since a relation the other way round is there
	Missing   []Missing
	Unread    []Unread // automatic relations that could not be worked out

	lookup   resource.Lookup
	extra    []Relation
	types    []*resource.Type // by position in the catalog; nil for containers and types that are not known
	position map[*Resource]int
	names    map[string]int
	seed     maphash.Seed
	// the titles in names by hash: whoever asks for all directories above a path learns quickly of most that they are not
	// there
	titled   map[uint64]bool
	joined   map[[2]int]bool
	perType  map[string][]int
	expanded *expansion
}

// NewGraph builds the relationship graph. Automatic relations are those of the types that the lookup knows.
func NewGraph(c *Catalog, types resource.Lookup) *Graph {
	g := &Graph{
		Catalog:  c,
		lookup:   types,
		types:    make([]*resource.Type, len(c.Resources)),
		position: make(map[*Resource]int, len(c.Resources)),
		names:    make(map[string]int, len(c.Resources)*2),
		perType:  map[string][]int{},
		seed:     maphash.MakeSeed(),
		titled:   make(map[uint64]bool, len(c.Resources)*2),
	}
	for i, r := range c.Resources {
		g.position[r] = i
		if r.Kind == CompilableType || r.Kind == NoKind {
			g.types[i] = types.Type(value.Downcase(r.Type))
		}
		if t := g.types[i]; t != nil {
			g.perType[t.Name] = append(g.perType[t.Name], i)
		}
	}
	g.name()
	g.build()
	return g
}

// With is the graph that a few more written relations would make. Automatic relations that they contradict go, as they
// would on the agent.
func (g *Graph) With(extra ...Relation) *Graph {
	n := *g
	n.Relations, n.Skipped, n.Missing, n.Unread = nil, nil, nil, nil
	n.extra = append(slices.Clip(g.extra), extra...)
	n.build()
	return &n
}

func (g *Graph) build() {
	g.joined = map[[2]int]bool{}
	g.manual()
	for _, rel := range g.extra {
		g.joined[[2]int{g.position[rel.From], g.position[rel.To]}] = true
		g.Relations = append(g.Relations, rel)
	}
	g.automatic(g.lookup)
	g.expanded = expand(g)
}

// container reports whether a resource is replaced by its two ends: stages, classes, nodes, and defined types.
func (g *Graph) container(i int) bool {
	r := g.Catalog.Resources[i]
	if r.Kind == NoKind {
		return g.types[i] == nil || r.Type == "Stage"
	}
	return r.IsContainer()
}

// name indexes the resources by title, then by alias and key, as the agent sees them: with names munged.
func (g *Graph) name() {
	for i, r := range g.Catalog.Resources {
		g.bind(titleKey(r.Name()), i)
	}
	for i, r := range g.Catalog.Resources {
		if v := r.Get("alias"); v != nil {
			for _, a := range elements(v) {
				g.bind(titleKey(Name{r.Type, value.ToString(a)}), i)
			}
		}
		t := g.types[i]
		if t == nil || !t.Isomorphic {
			continue
		}
		key, err := resource.Key(t, r.Title, r.Get)
		if err != nil {
			continue
		}
		if len(key) == 1 {
			if s, ok := key[0].(value.String); ok {
				key[0] = value.String(t.Munge(t.Namevar(), string(s)))
			}
		}
		g.bind(valueKey(r.Type, key), i)
	}
}

func (g *Graph) bind(key string, i int) {
	if _, taken := g.names[key]; !taken {
		g.names[key] = i
		if _, title, ok := strings.Cut(key, titleMark); ok {
			g.titled[maphash.String(g.seed, title)] = true
		}
	}
}

// find is the agent's catalog.resource: by title or alias, then by the key that the title stands for.
func (g *Graph) find(t *resource.Type, n Name) (int, bool) {
	if i, ok := g.names[titleKey(n)]; ok || t == nil {
		return i, ok
	}
	key, err := resource.Key(t, n.Title, func(string) value.Value { return nil })
	if err != nil {
		return 0, false
	}
	i, ok := g.names[valueKey(n.Type, key)]
	return i, ok
}

func elements(v value.Value) []value.Value {
	switch v := v.(type) {
	case nil, value.Undef:
		return nil
	case *value.Array:
		return value.Flatten(v).Elems
	}
	return []value.Value{v}
}

// refText is a reference as an attribute has it: a reference, or its text.
func refText(v value.Value) string {
	if r, ok := v.(Reference); ok {
		if s, ok := r.Reference(); ok {
			return s
		}
	}
	return value.ToString(v)
}

// manual adds what is written in the four metaparameters (RelationshipMetaparam#to_edges), in Puppet's order.
func (g *Graph) manual() {
	for i, r := range g.Catalog.Resources {
		for kind := resource.Require; kind <= resource.Notify; kind++ {
			p := r.Param(kind.String())
			if p == nil {
				continue
			}
			refs := p.Value
			if a, ok := refs.(*value.Array); ok {
				refs = value.Flatten(a)
			}
			for j, v := range elements(refs) {
				if value.IsUndef(v) {
					continue
				}
				rel := Relation{Kind: kind, By: r, Attr: p.Name, Ref: p.Ref, Place: p.Place}
				if a, ok := refs.(*value.Array); ok && a.Ref(j) != 0 {
					rel.Ref = a.Ref(j)
				}
				text := refText(v)
				_, open := v.(*value.Opaque)
				n, ok := ParseRef(text)
				other := -1
				if ok {
					var t *resource.Type
					if k := g.perType[value.Downcase(n.Type)]; len(k) > 0 {
						t = g.types[k[0]]
					}
					if k, found := g.find(t, n); found {
						other = k
					}
				}
				if other < 0 {
					g.Missing = append(g.Missing, Missing{r, p.Name, text, p.Place, open})
					continue
				}
				g.relate(rel, i, other)
			}
		}
	}
}

// relate adds a relation of resource i to another.
func (g *Graph) relate(rel Relation, i, other int) {
	from, to := i, other
	if rel.Kind.Incoming() {
		from, to = other, i
	}
	rel.From, rel.To = g.Catalog.Resources[from], g.Catalog.Resources[to]
	if rel.Auto && (g.joined[[2]int{from, to}] || g.joined[[2]int{to, from}]) {
		// An automatic relation never contradicts one that is there.
		if !g.joined[[2]int{from, to}] {
			g.Skipped = append(g.Skipped, rel)
		}
		return
	}
	g.joined[[2]int{from, to}] = true
	g.Relations = append(g.Relations, rel)
}

// automatic adds what the types ask for (Puppet::Type#autorelation). The table lists require and subscribe before
// before and notify, as Puppet goes through them.
func (g *Graph) automatic(types resource.Lookup) {
	for i, r := range g.Catalog.Resources {
		t := g.types[i]
		if t == nil {
			continue
		}
		for _, a := range t.Autos {
			target := types.Type(a.Target)
			if target == nil || len(g.perType[a.Target]) == 0 {
				continue
			}
			related, err := a.Related(instance{g, i}, instances{g})
			if err != nil {
				g.Unread = append(g.Unread, Unread{r, a.Relation, a.Target, err.Error()})
			}
			for _, named := range related {
				other, ok := g.find(target, Name{value.CapitalizeSegments(a.Target), named.Title})
				if !ok {
					continue
				}
				rel := Relation{Kind: a.Relation, Auto: true, By: r, Attr: named.Attr, Place: r.Place, Ref: r.Existence}
				if p := r.Param(named.Attr); p != nil {
					rel.Place, rel.Ref = p.Place, p.Ref
				}
				g.relate(rel, i, other)
			}
		}
	}
}

// instance is a resource as package resource sees it.
type instance struct {
	g *Graph
	i int
}

func (x instance) Type() string                { return value.Downcase(x.g.Catalog.Resources[x.i].Type) }
func (x instance) Title() string               { return x.g.Catalog.Resources[x.i].Title }
func (x instance) Get(attr string) value.Value { return x.g.Catalog.Resources[x.i].Get(attr) }

func (x instance) Attributes() []string {
	params := x.g.Catalog.Resources[x.i].Params
	names := make([]string, len(params))
	for i := range params {
		names[i] = params[i].Name
	}
	return names
}

func (x instance) Name() string {
	t := x.g.types[x.i]
	key := t.Namevar()
	s, ok := x.Get(key).(value.String)
	if !ok {
		attrs, _ := resource.ParseTitle(t, x.Title())
		for _, a := range attrs {
			if a.Name == key {
				s, _ = a.Value.(value.String)
			}
		}
	}
	return t.Munge(key, string(s))
}

// instances are all resources.
type instances struct{ g *Graph }

func (all instances) Has(typ, title string) bool {
	k := all.g.perType[typ]
	if len(k) == 0 || !all.g.titled[maphash.String(all.g.seed, title)] {
		return false
	}
	_, ok := all.g.find(all.g.types[k[0]], Name{value.CapitalizeSegments(typ), title})
	return ok
}

func (all instances) Find(typ, title string) resource.Instance {
	var t *resource.Type
	if k := all.g.perType[typ]; len(k) > 0 {
		t = all.g.types[k[0]]
	}
	if i, ok := all.g.find(t, Name{value.CapitalizeSegments(typ), title}); ok {
		return instance{all.g, i}
	}
	return nil
}

func (all instances) Each(typ string, f func(resource.Instance)) {
	if typ == "" {
		for i := range all.g.Catalog.Resources {
			f(instance{all.g, i})
		}
		return
	}
	for _, i := range all.g.perType[typ] {
		f(instance{all.g, i})
	}
}

// String says who put it and how: "File[/a] requires User[u] (owner, automatic)".
func (rel Relation) String() string {
	other := rel.To
	if rel.By == rel.To {
		other = rel.From
	}
	verb := [...]string{"requires", "subscribes to", "comes before", "notifies"}[rel.Kind]
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", rel.By.Ref(), verb, other.Ref())
	if rel.Auto {
		fmt.Fprintf(&b, " (automatic, by its %s)", rel.Attr)
	}
	return b.String()
}
