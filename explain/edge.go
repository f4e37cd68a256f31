package explain

import (
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Two resources are ordered by the graph that an agent makes of a catalog: containers become two nodes, one that comes
// before all that is in them and one that comes behind; relations that are written down join them, and those that types
// ask for on their own. One comes before another when there is a way. What is shown is a shortest one, and every hop of
// it has its place: a line that says so, or the attribute that an automatic relation comes from.

// A Hop is one link on the way from a resource to another that comes behind it.
type Hop struct {
	From string `json:"from"`
	To   string `json:"to"`
	How  string `json:"how"`            // require, subscribe, before, notify, contains
	By   string `json:"by,omitempty"`   // the resource that has the attribute
	Auto string `json:"auto,omitempty"` // of an automatic relation: the attribute that it comes from
	At   *Spot  `json:"at,omitempty"`
	Set  string `json:"set_by,omitempty"` // what kind of statement wrote it, when not the resource's own declaration
}

// splitArrow splits `A -> B` and `A ~> B`.
func splitArrow(ref string) (from, to string, refresh, ok bool) {
	for _, arrow := range []string{"->", "~>"} {
		if from, to, ok = strings.Cut(ref, arrow); ok {
			from = strings.TrimSpace(from)
			return from, strings.TrimSpace(to), arrow == "~>", strings.HasSuffix(from, "]")
		}
	}
	return "", "", false, false
}

// types are the resource types that are known.
func (rec *Record) types() resource.Lookup {
	if rec.Code != nil {
		return rec.Code.Types()
	}
	return resource.Core{}
}

// graph is the catalog with its relations, made at the first question.
func (rec *Record) graph() *catalog.Graph {
	return once(&rec.memo.mu, &rec.memo.graphs, rec.Catalog, func() *catalog.Graph {
		return catalog.NewGraph(rec.Catalog, rec.types())
	})
}

// explainEdge finds what orders two resources.
func (rec *Record) explainEdge(a *Answer, from, to string, refresh bool) error {
	f, err := rec.find(from)
	if err != nil {
		return err
	}
	t, err := rec.find(to)
	if err != nil {
		return err
	}
	if f == t {
		return &NotFound{Message: f.Ref() + " is one resource: nothing can order it before itself"}
	}
	a.Kind = "edge"
	a.Resource = f.Ref() + " -> " + t.Ref()
	g := rec.graph()
	way := g.Path(f, t, refresh)
	if way == nil {
		way = g.Within(f, t)
	}
	if way == nil {
		return rec.denied(g, f, t, refresh)
	}
	roots := []provenance.Ref{0, f.Existence, t.Existence}
	var at *catalog.Resource // that the relation is an attribute of, or that is contained
	for _, l := range way {
		h := Hop{From: l.From.Resource.Ref(), To: l.To.Resource.Ref()}
		switch {
		case l.Relation != nil:
			rel := l.Relation
			h.How, h.By, h.At = rel.Kind.String(), rel.By.Ref(), rec.spot(rel.Place)
			if rel.Auto {
				h.Auto = rel.Attr
			} else {
				h.Set = rec.writtenBy(rel.Place, rel.By)
			}
			roots, at = append(roots, rel.Ref), rel.By
		case l.Contains != nil:
			inner := l.Contains.Target
			h.How, h.By, h.At = "contains", l.Contains.Source.Ref(), rec.declared(inner)
			h.From, h.To = l.Contains.Source.Ref(), inner.Ref()
			roots, at = append(roots, l.Contains.Ref), inner
		default: // the two ends of an empty container
			continue
		}
		roots = append(roots, l.From.Resource.Existence, l.To.Resource.Existence)
		a.Path = append(a.Path, h)
	}
	first := a.Path[0]
	a.Attribute = first.How
	text := f.Ref() + " comes before " + t.Ref()
	switch {
	case len(a.Path) == 1 && first.How == "contains":
		text = first.From + " contains " + first.To
	case len(a.Path) == 1 && first.Auto != "":
		text = first.sentence()
	case len(a.Path) == 1:
		other := f
		if first.By == f.Ref() {
			other = t
		}
		text = first.By + " " + first.How + " " + other.Ref()
	default:
		text += fmt.Sprintf(", in %d steps", len(a.Path))
	}
	a.value, a.Value = value.String(text), dataOf(value.String(first.How))
	if len(a.Path) == 1 {
		a.Set, a.By = first.At, first.Set
		if first.Auto != "" {
			a.By = "the type's own rule, from its " + first.Auto
		}
		a.Via = rec.via(at)
		roots[0] = roots[3]
	} else {
		a.Attribute, a.Value = "path", dataOf(value.String("path"))
	}
	rec.derive(a, nil, "", roots...)
	return nil
}

// sentence says what a hop is.
func (h *Hop) sentence() string {
	other := h.To
	if h.By == h.To {
		other = h.From
	}
	verb := map[string]string{"require": "requires", "subscribe": "subscribes to", "before": "comes before",
		"notify": "notifies", "contains": "contains"}[h.How]
	s := h.By + " " + verb + " " + other
	if h.Auto != "" {
		s += " (automatic, by its " + h.Auto + ")"
	}
	return s
}

// denied says that nothing orders two resources, and what would.
func (rec *Record) denied(g *catalog.Graph, f, t *catalog.Resource, refresh bool) error {
	m := &NotFound{Message: "nothing orders " + f.Ref() + " before " + t.Ref()}
	if refresh {
		m.Message = "nothing passes an event of " + f.Ref() + " on to " + t.Ref()
		if g.Path(f, t, false) != nil {
			m.Message += "; it comes before it, though (ask with ->)"
			return m
		}
	}
	if n := len(g.Unread); n > 0 {
		m.Unknown = true
		m.Message = fmt.Sprintf("whether %s comes before %s is not known: %s of types could not be worked out (%s: %s)",
			f.Ref(), t.Ref(), plural(n, "automatic relation"), g.Unread[0].Resource.Ref(), oneLine(g.Unread[0].Why, 80))
		return m
	}
	switch {
	case g.Path(t, f, false) != nil:
		m.Message += "; it is the other way round: " + t.Ref() + " comes before " + f.Ref() +
			", so that an arrow would close a cycle"
		m.Suggestions = []string{"'" + t.Ref() + " -> " + f.Ref() + "'"}
	case g.Within(t, f) != nil:
		m.Message += "; " + t.Ref() + " contains " + f.Ref()
	default:
		m.Message += ", nor the other way round\n  an arrow would: " + f.Ref() + " -> " + t.Ref()
	}
	return m
}

// nearAttribute is the attribute that a misspelt one may have meant, "" for an attribute that the type has.
func (rec *Record) nearAttribute(r *catalog.Resource, attribute string) string {
	if rec.hasAttribute(r, attribute) {
		return ""
	}
	var list []string
	for _, p := range r.Params {
		list = append(list, p.Name)
	}
	if len(attribute) < 4 {
		return ""
	}
	return source.Nearest(attribute, list)
}

// hasAttribute reports whether a resource could have an attribute of that name.
func (rec *Record) hasAttribute(r *catalog.Resource, name string) bool {
	if resource.IsMetaparam(name) {
		return true
	}
	if r.Kind != catalog.CompilableType {
		return rec.Parameter(r, name).Known()
	}
	t := rec.types().Type(value.Downcase(r.Type))
	return t != nil && t.Accepts(name)
}
