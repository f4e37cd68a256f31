package explain

import (
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/source"
)

// splitArrow splits `A -> B` and `A ~> B`.
func splitArrow(ref string) (from, to string, ok bool) {
	for _, arrow := range []string{"->", "~>"} {
		if from, to, ok = strings.Cut(ref, arrow); ok {
			return strings.TrimSpace(from), strings.TrimSpace(to), strings.HasSuffix(strings.TrimSpace(from), "]")
		}
	}
	return "", "", false
}

// explainEdge finds what orders two resources: a relationship attribute of either, or containment.
func (rec *Record) explainEdge(a *Answer, from, to string) error {
	f, err := rec.find(from)
	if err != nil {
		return err
	}
	t, err := rec.find(to)
	if err != nil {
		return err
	}
	a.Kind = "edge"
	a.Resource = f.Ref() + " -> " + t.Ref()
	for _, try := range []struct {
		at, other *catalog.Resource
		names     []string
	}{{f, t, []string{"before", "notify"}}, {t, f, []string{"require", "subscribe"}}} {
		for _, name := range try.names {
			p := try.at.Param(name)
			if p == nil {
				continue
			}
			r, ok := names(p, try.other)
			if !ok {
				continue
			}
			a.Attribute = name
			a.Set, a.By = rec.spot(p.Place), rec.writtenBy(p.Place, try.at)
			a.value, a.Value = value.String(try.at.Ref()+" "+name+" "+try.other.Ref()), dataOf(value.String(name))
			rec.derive(a, nil, "", r, p.Ref, f.Existence, t.Existence)
			a.Via = rec.via(try.at)
			return nil
		}
	}
	for _, e := range rec.Catalog.Edges {
		if e.Source == f && e.Target == t {
			a.Attribute = "contains"
			a.value, a.Value = value.String(f.Ref()+" contains "+t.Ref()), dataOf(value.String("contains"))
			a.Set = rec.spot(t.Place)
			rec.derive(a, nil, "", e.Ref, f.Existence, t.Existence)
			a.Via = rec.via(t)
			return nil
		}
	}
	m := &NotFound{Message: "nothing in the code orders " + f.Ref() + " before " + t.Ref()}
	for _, r := range []*catalog.Resource{f, t} {
		for _, name := range []string{"before", "notify", "require", "subscribe"} {
			if r.Param(name) != nil {
				m.Suggestions = append(m.Suggestions, "'"+r.Ref()+"' "+name)
			}
		}
	}
	return m
}

// names reports whether a relationship attribute names a resource, and the provenance of the element that does.
func names(p *catalog.Param, r *catalog.Resource) (provenance.Ref, bool) {
	matches := func(v value.Value) bool {
		text := value.ToString(v)
		if t, ok := v.(catalog.Reference); ok {
			text, _ = t.Reference()
		}
		n, ok := parseRef(text)
		return ok && n.Type == r.Type && (strings.EqualFold(n.Title, r.Title) || isAlias(r, n.Title))
	}
	if a, ok := p.Value.(*value.Array); ok {
		for i, v := range a.Elems {
			if matches(v) {
				if ref := a.Ref(i); ref != 0 {
					return ref, true
				}
				return p.Ref, true
			}
		}
		return 0, false
	}
	return p.Ref, matches(p.Value)
}

func (rec *Record) nearAttribute(r *catalog.Resource, attribute string) string {
	var list []string
	for _, p := range r.Params {
		list = append(list, p.Name)
	}
	if len(attribute) < 4 {
		return ""
	}
	return source.Nearest(attribute, list)
}
