// Package exported is what nodes export to each other (@@ in manifests) and how collectors (<<| |>>) find it: resources
// as PuppetDB keeps them, and queries as a Puppet server asks them.
//
// What comes back is not what was exported. On its way a resource goes through JSON: what is no data becomes text, what
// is Sensitive is left behind, names that differ from titles become aliases. And a query is PuppetDB's, not that of the
// collector beside it: it compares whole values as JSON. Both are done here, once for resources that come from a
// PuppetDB and for those of catalogs that were compiled beside each other (package fleet), so that both answer alike.
//
// It may import source, provenance and value. Start reading at Resource, then Query and Set.
package exported

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Resource is one that a node exports.
type Resource struct {
	Certname    string // of the node that exports it
	Type, Title string
	Tags        []string
	Params      []Param
	File        string // as the exporter's catalog says it; "" if it does not
	Line        int
	Place       source.Place // where it is declared, if the exporter was compiled here
	// Labels are what its being there depends on, if the exporter was compiled with provenance, and TagLabels what its
	// tags do. Absent is what it depends on that it has not got an attribute; it may be nil.
	Labels, TagLabels []provenance.Label
	// Unset are attributes that it was given and that nobody gets: undef, and what is Sensitive. They have labels only.
	Unset  []Param
	Absent func(attribute string) []provenance.Label
}

// Tested is what it depends on that a query finds the resource.
func (r *Resource) Tested(q *Query) []provenance.Label {
	out := r.Labels
	q.Filter.each(func(field string) {
		switch {
		case field == "tag":
			out = append(out[:len(out):len(out)], r.TagLabels...)
		case field == "title":
		case r.Param(field) != nil:
			out = append(out[:len(out):len(out)], labelsOf(r.Params, field)...)
		default:
			if out = append(out[:len(out):len(out)], labelsOf(r.Unset, field)...); r.Absent != nil {
				out = append(out, r.Absent(field)...)
			}
		}
	})
	return out
}

// labelsOf is what an attribute depends on.
func labelsOf(params []Param, name string) (out []provenance.Label) {
	for i := range params {
		if params[i].Name == name {
			out = append(out, params[i].Labels...)
		}
	}
	return out
}

// A Param is an attribute.
type Param struct {
	Name   string
	Value  value.Value
	Place  source.Place       // likewise
	Labels []provenance.Label // what the value depends on
}

// ID is what tells two exported resources apart: Puppet calls it the collector id.
func (r *Resource) ID() string { return r.Certname + "|" + r.Type + "|" + r.Title }

// Ref is the resource's name in messages: Sshkey[db1].
func (r *Resource) Ref() string { return r.Type + "[" + r.Title + "]" }

// At says where the exporter's catalog declares it, if nothing here does.
func (r *Resource) At() string {
	if r.Place.Known() || r.File == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", r.File, r.Line)
}

// Param is the value of an attribute, or nil.
func (r *Resource) Param(name string) value.Value {
	for i := range r.Params {
		if r.Params[i].Name == name {
			return r.Params[i].Value
		}
	}
	return nil
}

// unordered are metaparameters whose arrays are sorted before they are stored.
var unordered = []string{"alias", "audit", "before", "check", "notify", "require", "subscribe", "tag"}

// Stored makes of an attribute's value what PuppetDB keeps; ok is false for what it does not keep.
func Stored(name string, v value.Value) (out value.Value, ok bool) {
	if v == nil || value.IsUndef(v) || value.HasSensitive(v) {
		return nil, false
	}
	out = data(v)
	switch name {
	case "before", "notify", "require", "subscribe":
		out = titled(out)
	}
	if a, is := out.(*value.Array); is && a.Len() > 0 && slices.Contains(unordered, name) {
		elems := slices.Clone(a.Elems)
		slices.SortStableFunc(elems, func(x, y value.Value) int { return cmp.Compare(value.ToString(x), value.ToString(y)) })
		out = value.NewArray(elems...)
	}
	return out, true
}

// Aliases are the values of the metaparameter alias as PuppetDB keeps it: those that are given, and the resource's name
// if that is not its title and the type does not take things of one name for different ones. A type with several
// namevars (not single) gets none. It is nil if there are none.
func Aliases(title string, given, name value.Value, single, isomorphic bool) value.Value {
	if !single {
		return nil
	}
	var all []value.Value
	var add func(v value.Value)
	add = func(v value.Value) {
		switch v := v.(type) {
		case nil, value.Undef:
		case *value.Array:
			for _, e := range v.Elems {
				add(e)
			}
		default:
			all = append(all, v)
		}
	}
	add(given)
	if isomorphic && name != nil && name != value.Value(value.String(title)) && !slices.Contains(all, name) {
		all = append(all, name)
	}
	if len(all) == 0 {
		return nil
	}
	v, _ := Stored("alias", value.NewArray(all...))
	return v
}

// titled spells references as Puppet writes them out: the class of all main manifests is called main where it stands
// and Main there, so that nobody finds it.
func titled(v value.Value) value.Value {
	switch v := v.(type) {
	case value.String:
		if v == "Class[main]" {
			return value.String("Class[Main]")
		}
	case *value.Array:
		b := value.NewArrayBuilder(v.Len())
		for _, e := range v.Elems {
			b.Add(titled(e))
		}
		return b.Array()
	}
	return v
}

// data is a value as JSON has it, without provenance.
func data(v value.Value) value.Value {
	switch v := v.(type) {
	case value.String, value.Int, value.Float, value.Bool, value.Undef:
		return v
	case nil:
		return value.Undef{}
	case *value.Array:
		b := value.NewArrayBuilder(v.Len())
		for _, e := range v.Elems {
			b.Add(data(e))
		}
		return b.Array()
	case *value.Hash:
		b := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			b.SetString(value.ToString(e.Key), data(e.Value))
		}
		return b.Hash()
	case interface{ Reference() (string, bool) }: // File['/x'] and Class['a'] are written as on the wire
		if ref, ok := v.Reference(); ok {
			return value.String(ref)
		}
	}
	return value.String(value.ToString(v))
}

// An Importer answers collectors.
type Importer interface {
	// Exported are the resources that nodes other than host export and that a query is about, in a fixed order.
	Exported(host string, q *Query) ([]*Resource, error)
	// Digest is the same only for importers that answer everything alike.
	Digest() string
}

// A Set is what many nodes export. It never changes.
type Set struct {
	byType map[string][]*Resource
	digest string
}

// NewSet makes a set. The resources of one node come in their order, the nodes in the order of their names.
func NewSet(all []*Resource) *Set {
	s := &Set{byType: map[string][]*Resource{}}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *Resource) int { return strings.Compare(a.Certname, b.Certname) })
	for _, r := range all {
		s.byType[r.Type] = append(s.byType[r.Type], r)
	}
	s.digest = Digest(all)
	return s
}

// Exported implements Importer.
func (s *Set) Exported(host string, q *Query) (out []*Resource, err error) {
	for _, r := range s.byType[q.Type] {
		if r.Certname == host {
			continue
		}
		hit, err := q.Matches(r)
		if err != nil {
			return nil, err
		}
		if hit {
			out = append(out, r)
		}
	}
	return out, nil
}

// Digest implements Importer.
func (s *Set) Digest() string { return s.digest }

// ByNode are the resources of each node that exports any, by its name.
func (s *Set) ByNode() map[string][]*Resource {
	out := map[string][]*Resource{}
	for _, list := range s.sorted() {
		for _, r := range list {
			out[r.Certname] = append(out[r.Certname], r)
		}
	}
	return out
}

// With is the set in which some nodes export something else.
func (s *Set) With(other map[string][]*Resource) *Set {
	var all []*Resource
	for _, list := range s.sorted() {
		for _, r := range list {
			if _, replaced := other[r.Certname]; !replaced {
				all = append(all, r)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(other)) {
		all = append(all, other[name]...)
	}
	return NewSet(all)
}

// sorted are the resources by type, in the order of the types' names.
func (s *Set) sorted() (out [][]*Resource) {
	for _, t := range slices.Sorted(maps.Keys(s.byType)) {
		out = append(out, s.byType[t])
	}
	return out
}

// Len is how many resources there are.
func (s *Set) Len() (n int) {
	for _, list := range s.byType {
		n += len(list)
	}
	return n
}
