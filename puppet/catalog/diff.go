package catalog

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/value"
)

// Diff says in what two catalogs differ, one line each, empty when they are equal: name, environment, classes in order,
// tags as a set, the resources in order with everything an agent sees of them, and the set of edges. Values count as
// their JSON: 1, 1.0 and true differ, and so do hashes whose keys stand in another order. Version, code id, UUID and
// the order of tags, parameters and edges do not count. The lines show no secrets.
func Diff(a, b *Catalog) []string {
	d := &differ{}
	d.text("name", a.Name, b.Name)
	d.text("environment", a.Environment, b.Environment)
	d.text("classes", strings.Join(a.Classes, " "), strings.Join(b.Classes, " "))
	d.set("tags", a.Tags, b.Tags)

	inA, inB := byName(a), byName(b)
	var orderA, orderB []string
	for _, r := range a.Resources {
		if inB[r.Name()] == nil {
			d.add("- %s%s", r.Ref(), declaredAt(r))
		} else {
			orderA = append(orderA, r.Ref())
		}
	}
	for _, r := range b.Resources {
		if inA[r.Name()] == nil {
			d.add("+ %s%s", r.Ref(), declaredAt(r))
		} else {
			orderB = append(orderB, r.Ref())
		}
	}
	if len(orderA) == len(orderB) {
		for i := range orderA {
			if orderA[i] != orderB[i] {
				d.add("order: position %d is %s, was %s", i+1, orderB[i], orderA[i])
				break
			}
		}
	} else {
		d.add("a resource is there twice: %d and %d in common", len(orderA), len(orderB))
	}
	for _, r := range a.Resources {
		if s := inB[r.Name()]; s != nil {
			d.resource(r, s)
		}
	}
	edges := func(c *Catalog) []string {
		out := make([]string, 0, len(c.Edges))
		for _, e := range c.Edges {
			out = append(out, e.Source.Ref()+" → "+e.Target.Ref())
		}
		return out
	}
	d.set("edge", edges(a), edges(b))
	return d.lines
}

type differ struct{ lines []string }

func (d *differ) add(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *differ) text(what, a, b string) {
	if a != b {
		d.add("%s: %s, was %s", what, orNothing(b), orNothing(a))
	}
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

func (d *differ) set(what string, a, b []string) {
	inA, inB := map[string]bool{}, map[string]bool{}
	for _, s := range a {
		inA[s] = true
	}
	for _, s := range b {
		inB[s] = true
		if !inA[s] {
			d.add("%s: + %s", what, s)
			inA[s] = true
		}
	}
	for _, s := range a {
		if !inB[s] {
			d.add("%s: - %s", what, s)
			inB[s] = true
		}
	}
}

func byName(c *Catalog) map[Name]*Resource {
	m := make(map[Name]*Resource, len(c.Resources))
	for _, r := range c.Resources {
		m[r.Name()] = r
	}
	return m
}

func declaredAt(r *Resource) string {
	if r.File == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", r.File, r.Line)
}

func (d *differ) resource(a, b *Resource) {
	ref := a.Ref()
	d.text(ref+" kind", string(a.Kind), string(b.Kind))
	d.text(ref+" file", a.File, b.File)
	if a.Line != b.Line {
		d.add("%s line: %d, was %d", ref, b.Line, a.Line)
	}
	if a.Exported != b.Exported {
		d.add("%s exported: %v, was %v", ref, b.Exported, a.Exported)
	}
	d.set(ref+" tag", a.Tags, b.Tags)
	d.set(ref+" sensitive", a.Sensitive, b.Sensitive)
	for i := range a.Params {
		p := &a.Params[i]
		q := b.Param(p.Name)
		hide := a.IsSensitive(p.Name) || b.IsSensitive(p.Name)
		if q == nil {
			d.add("%s %s: gone, was %s", ref, p.Name, shown(p.Value, hide))
			continue
		}
		x, _ := JSON{}.AppendValue(nil, p.Value)
		y, _ := JSON{}.AppendValue(nil, q.Value)
		if !slices.Equal(x, y) {
			d.add("%s %s: %s, was %s", ref, p.Name, shown(q.Value, hide), shown(p.Value, hide))
		}
	}
	for i := range b.Params {
		if q := &b.Params[i]; a.Param(q.Name) == nil {
			d.add("%s %s: %s, was not there", ref, q.Name, shown(q.Value, a.IsSensitive(q.Name) || b.IsSensitive(q.Name)))
		}
	}
}

// shown is a value for people: its JSON without secrets.
func shown(v value.Value, hide bool) string {
	if hide {
		return Redacted
	}
	text, _ := JSON{Redact: true}.AppendValue(nil, v)
	return string(text)
}

// TrimPaths takes a folder off the front of every resource's file, so that catalogs compiled at different places can be
// compared.
func (c *Catalog) TrimPaths(folder string) {
	folder = strings.TrimSuffix(folder, "/") + "/"
	for _, r := range c.Resources {
		r.File = strings.TrimPrefix(r.File, folder)
	}
}
