package model

import (
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// A Fix is what a person can write so that a finding is gone: an attribute, Resource gets Attr => Value, or
// declarations beside that of Resource, of what it lacks.
type Fix struct {
	Resource *catalog.Resource
	Attr     string              // "require"
	Value    string              // as manifests write it: "Package['nginx']"
	Target   *catalog.Resource   // what Value refers to, if it is a reference
	Declares []*catalog.Resource // instead of an attribute
	Verified bool                // together with all other fixes: deterministic, can succeed, no less idempotent

	literal value.Value // what Value stands for, if it is no reference

	// Value names Target by the words of its title, so that the edit is right for whatever else these words declare
	worded bool
	single bool     // and these cannot stand for several titles
	pairs  []couple // all that the edit relates, in the catalog it was made for
}

// String is the line to add, or the declarations.
func (f *Fix) String() string {
	if len(f.Declares) > 0 {
		return strings.Join(f.Declarations(), " ")
	}
	return f.Attr + " => " + f.Value + ","
}

// Declarations are the statements that declare what is lacking, each on one line. What has the same attributes is
// declared by one.
func (f *Fix) Declarations() (out []string) {
	for i := 0; i < len(f.Declares); {
		typ, attrs := f.Declares[i].Type, attributesOf(f.Declares[i])
		var titles []string
		for ; i < len(f.Declares) && f.Declares[i].Type == typ && attributesOf(f.Declares[i]) == attrs; i++ {
			titles = append(titles, quoted(f.Declares[i].Title))
		}
		title := strings.Join(titles, ", ")
		if len(titles) > 1 {
			title = "[" + title + "]"
		}
		out = append(out, strings.ToLower(typ)+" { "+title+": "+attrs+" }")
	}
	return out
}

// attributesOf are the attributes of a resource that is to be declared, as manifests write them: words and references.
func attributesOf(r *catalog.Resource) string {
	var out []string
	for _, p := range r.Params {
		text := value.ToString(p.Value)
		if list, ok := p.Value.(*value.Array); ok {
			var refs []string
			for _, x := range list.Elems {
				n, _ := catalog.ParseRef(value.ToString(x))
				refs = append(refs, n.Type+"["+quoted(n.Title)+"]")
			}
			if text = strings.Join(refs, ", "); len(refs) > 1 {
				text = "[" + text + "]"
			}
		}
		out = append(out, p.Name+" => "+text)
	}
	return strings.Join(out, ", ")
}

// Statement is the same as a statement of its own, for code that may not be edited: "Package['nginx'] ->
// File['/etc/x']". One for each pair if the words of the edit would mean another resource each time.
func (f *Fix) Statement() string {
	if len(f.Declares) > 0 {
		return f.String()
	}
	if f.Target == nil {
		return f.Resource.Type + " <| title == " + quoted(f.Resource.Title) + " |> { " + f.Attr + " => " + f.Value + " }"
	}
	var all, each []string
	for _, p := range f.pairs {
		all = append(all, reference(p.in))
		each = append(each, f.arrow(reference(p.of), reference(p.in)))
	}
	switch {
	case f.worded:
		return strings.Join(each, "; ")
	case len(all) > 1:
		return f.arrow(reference(f.Target), "["+strings.Join(all, ", ")+"]")
	}
	return f.arrow(reference(f.Target), reference(f.Resource))
}

func (f *Fix) arrow(of, in string) string {
	if f.Attr == "notify" {
		return in + " ~> " + of
	}
	return of + " -> " + in
}

// Relations are those that the edit makes in any catalog, with whatever its words declare there, or those that the
// statement makes. It reports false if these would refer to what is not there, or leave somebody out, or if it cannot
// be told to what they refer.
func (f *Fix) Relations(c *catalog.Catalog, statement bool) ([]catalog.Relation, bool) {
	pairs, ok := f.couples(c)
	if statement && ok && len(pairs) > 0 {
		ok = slices.EqualFunc(pairs, f.pairs, func(x, y couple) bool {
			return x.of.Name() == y.of.Name() &&
				x.in.Name() == y.in.Name()
		})
	}
	var out []catalog.Relation
	for _, p := range pairs {
		rel := catalog.Relation{From: p.of, To: p.in, By: p.in, Attr: f.Attr, Kind: resource.Require}
		if f.Attr == "notify" {
			rel.From, rel.To, rel.Kind = p.in, p.of, resource.Notify
		}
		out = append(out, rel)
	}
	return out, ok
}

// A couple is a resource and one in whose declaration it is named.
type couple struct{ of, in *catalog.Resource }

// couples finds who is named in whom by an edit.
func (f *Fix) couples(c *catalog.Catalog) (out []couple, ok bool) {
	those, these := declaredBy(c, f.Target), declaredBy(c, f.Resource)
	if !f.worded {
		target := c.Resource(f.Target.Type, f.Target.Title)
		for _, r := range these {
			if r != target {
				out = append(out, couple{target, r})
			}
		}
		return out, target != nil || len(these) == 0
	}
	if len(those) != len(these) {
		return nil, false
	}
	// Of one container each, if each has but two, or else in turn, if every turn of a loop declares a single one of
	// either.
	around := containers(c, append(those[:len(those):len(those)], these...))
	in := map[*catalog.Resource]*catalog.Resource{}
	for _, r := range these {
		in[around[r]] = r
	}
	for _, r := range those {
		if x := in[around[r]]; x != nil {
			out = append(out, couple{r, x})
			delete(in, around[r])
		}
	}
	if len(out) == len(these) {
		return out, true
	}
	out = nil
	for k := range these {
		out = append(out, couple{those[k], these[k]})
	}
	return out, f.single
}

// Beside lists what the words declare, in any catalog, that a fix edits or is written before.
func (f *Fix) Beside(c *catalog.Catalog) []*catalog.Resource { return declaredBy(c, f.Resource) }

// declaredBy lists what the words declare that declare a resource, itself included, in the order of declaration.
func declaredBy(c *catalog.Catalog, r *catalog.Resource) (out []*catalog.Resource) {
	for _, x := range c.Resources {
		if x.Name() == r.Name() || r.Place.Known() && x.Place == r.Place && x.Type == r.Type {
			out = append(out, x)
		}
	}
	return out
}

// containers are the classes and defines that resources are declared in.
func containers(c *catalog.Catalog, of []*catalog.Resource) map[*catalog.Resource]*catalog.Resource {
	out := make(map[*catalog.Resource]*catalog.Resource, len(of))
	for _, r := range of {
		out[r] = nil
	}
	for _, e := range c.Edges {
		if have, asked := out[e.Target]; asked && have == nil {
			out[e.Target] = e.Source
		}
	}
	return out
}
