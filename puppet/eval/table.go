package eval

import (
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// table is the catalog in the making.
type table struct {
	list          []*Resource // in catalog order, Stage[main] and Class[Settings] included
	index         catalog.Index[*Resource]
	memos         []resourceMemo // room for the next of them
	added         []*Resource    // what the compiler walks: everything declared, without the bookkeeping ones
	classes       []string       // names, in the order of evaluation
	tags          tagSet
	scopes        map[string]*Scope // of evaluated classes and nodes
	edges         []edge
	overrides     map[catalog.Name][]*Resource // of resources that are not there yet
	overOrder     []catalog.Name
	collected     []*collector
	everCollected []*collector // those with overrides stay, whatever becomes of them
	relations     []relation
	types         map[string]*typeName
	class         *typeName                  // of Class, which is asked for most
	refs          map[*syntax.Ref]value.Type // what type names in the code stand for
	ofType        map[string]provenance.Ref  // what added[:counted] of a type are called
	counted       int
	tagged        int                       // how often a resource was given tags
	circles       bool                      // containers were found to go in circles
	firsts        map[string]provenance.Ref // what decided that, and when, a class was evaluated
	since         map[string]provenance.Ref // of that, what decided that it was no later
	leads         map[string][]string       // the classes that the code of a class has named
	drawn         map[*param]provenance.Ref // what decided when the first arrow of an attribute was drawn
	common        map[*value.Array]bool     // arrays of before and notify that several resources may have
	stages        bool                      // a class is in another stage than main
	stageless     [][2]provenance.Ref       // sets that then get what decided who declared a class first
	late          map[string]provenance.Ref // what decided that overrides came too late, by type
	defaulted     map[touch]provenance.Ref  // resource defaults that were set, by type and attribute
}

type edge struct {
	from, to *Resource
	why      provenance.Ref
}

func newTable(like roomSize) table {
	return table{list: make([]*Resource, 0, like.list), added: make([]*Resource, 0, like.list),
		edges: make([]edge, 0, like.edges), index: catalog.Index[*Resource]{Room: like.list},
		scopes: map[string]*Scope{},
		types:  map[string]*typeName{},
		refs:   map[*syntax.Ref]value.Type{}}
}

// find is the resource with a type and title, or with that alias.
func (ev *Evaluator) find(typ, title string) *Resource {
	t := ev.typeName(typ)
	n := catalog.Name{Type: t.capital, Title: title}
	if n.Type == "Class" { // that of the main manifests is called main, and nobody finds it
		n.Title = capitalized(strings.TrimPrefix(title, "::"))
	}
	r, _ := ev.table.index.Lookup(t.native, n)
	return r
}

// A typeName is what a resource type's name stands for, worked out once per spelling.
type typeName struct {
	low       string // without :: in front
	capital   string // capitalized as it is
	reference string // as in references
	native    *resource.Type
	tags      []string
}

func (ev *Evaluator) typeName(name string) *typeName {
	class := name == "Class"
	if class && ev.table.class != nil {
		return ev.table.class
	}
	t := ev.table.types[name]
	if t == nil {
		t = remember(ev.cache, ev.cache.names, name, func() (*typeName, bool) {
			return ev.newTypeName(name),
				len(ev.table.types) < maxMade
		})
		if ev.log != nil && t.asks() {
			ev.world.ResourceType(t.low) // another compile may have asked
		}
		ev.table.types[name] = t
	}
	if class {
		ev.table.class = t
	}
	return t
}

func (ev *Evaluator) newTypeName(name string) *typeName {
	low := strings.ToLower(name)
	t := &typeName{low: strings.TrimPrefix(low, "::"), capital: capitalized(name)}
	t.reference = capitalized(t.low)
	if t.asks() {
		t.native = ev.world.ResourceType(t.low)
	}
	var tags tagSet
	tags.addName(value.Downcase(t.reference))
	t.tags = tags.list
	return t
}

// asks reports whether the name may be that of a native type.
func (t *typeName) asks() bool {
	return !strings.Contains(t.capital, ":") && t.low != "class" && t.low != "node"
}

// Find is the resource with a type and title that the catalog has so far, or nil.
func (ev *Evaluator) Find(typ, title string) *Resource { return ev.find(typ, title) }

// findRef finds a resource by the text of a reference: File[/etc/motd].
func (ev *Evaluator) findRef(text string) (*Resource, bool) {
	n, ok := catalog.ParseRef(text)
	if !ok {
		return nil, false
	}
	return ev.find(n.Type, n.Title), true
}

// add enters a resource; two with one title, or two names for one thing, are an error that shows both declarations.
func (ev *Evaluator) enter(r *Resource, e syntax.Expr) {
	if len(ev.table.list) >= maxResources {
		ev.failAt(&source.Diagnostic{Code: codeMany, Place: r.place,
			Summary: fmt.Sprintf("The catalog has more than %d resources", maxResources)})
	}
	clash, err := ev.table.index.Declare(r.typ, catalog.Name{Type: r.Type, Title: r.Title}, r,
		func(attr string) value.Value {
			if p := r.param(attr); p != nil {
				return p.value
			}
			return nil
		})
	if err != nil {
		ev.runtime(e, err.Error())
	}
	if clash != nil {
		ev.twice(r, clash.Existing, e, clash.Message(r.Ref(), ev.where(r), ev.where(clash.Existing)))
	}
	ev.table.list = append(ev.table.list, r)
	ev.table.added = append(ev.table.added, r)
}

// where is a resource's place in Puppet's words.
func (ev *Evaluator) where(r *Resource) string {
	if !r.hasPlace || !r.place.Known() {
		return ""
	}
	return fmt.Sprintf("(file: %s, line: %d)", ev.world.Path(r.place.File), r.place.Line())
}

// twice reports two declarations of one thing: both places, both ways there.
func (ev *Evaluator) twice(r, old *Resource, e syntax.Expr, summary string) {
	if _, ok := e.(*syntax.Nop); !ok { // not by a node classifier
		summary = fmt.Sprintf("Evaluation Error: Error while evaluating %s, %s", article(label(e)), summary)
	}
	ev.mayLeave = ev.mayLeave || r.possible != nil || old.possible != nil // one of them may not be there
	d := &source.Diagnostic{Code: "E0510", Summary: summary, Place: r.place, Label: "declared again here"}
	if !d.Place.Known() && r.asked.Known() {
		d.Place, d.Label = r.asked, "the classifier declares it again"
	}
	if old.hasPlace {
		by := "declared here first"
		if way := wayTo(old); len(way) > 0 {
			by += ", by " + strings.Join(way, " > ")
		}
		d.Related = []source.Related{{Place: old.place, Label: by}}
	}
	ev.addOriginOf(d, "title", value.String(r.Title), r.titleRef)
	ev.addOriginOf(d, "title", value.String(old.Title), old.titleRef)
	ev.failRef(d, ev.trace.Join(r.existence, old.existence))
}

// wayTo is how a resource came to be declared: the node, classes and defines around it, outermost first.
func wayTo(r *Resource) []string {
	var way []string
	for sc := r.scope; sc != nil && sc.resource != nil && !sc.resource.main; sc = sc.resource.scope {
		way = append([]string{stackText(sc.resource)}, way...)
		if sc.resource.scope == sc {
			break
		}
	}
	return way
}
