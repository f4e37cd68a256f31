package model

import (
	"path"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// Likeness is what models look at of a catalog, as a catalog: two of which it is equal get the same model, so that what
// is proved of one holds for the other. Of a text that a record calls so (Text) it is only which of them are equal,
// while nobody else speaks about the file; the attributes of classes and defines count as far as they relate them to
// others; tags do not.
func Likeness(c *catalog.Catalog) *catalog.Catalog { return likeness(c, newTexts(c)) }

// PairLikeness is Likeness of two catalogs, of which one follows the other: equal texts are equal on both sides.
func PairLikeness(old, new *catalog.Catalog) (*catalog.Catalog, *catalog.Catalog) {
	a, b := newTexts(old), newTexts(new)
	b.numbers = a.numbers
	return likeness(old, a), likeness(new, b)
}

func likeness(c *catalog.Catalog, texts *texts) *catalog.Catalog {
	like := &catalog.Catalog{Format: c.Format, Edges: make([]catalog.Edge, len(c.Edges)),
		Resources: make([]*catalog.Resource, len(c.Resources))}
	copies := make(map[*catalog.Resource]*catalog.Resource, len(c.Resources))
	for i, r := range c.Resources {
		x := *r
		x.Tags, x.Params = nil, nil
		text := recordOf(r.Type).Text
		for _, p := range r.Params {
			if r.IsContainer() && !relates(p.Name) {
				continue
			}
			if text != "" && p.Name == text && texts.free(r) {
				p.Value = texts.number(p.Value)
			}
			x.Params = append(x.Params, p)
		}
		like.Resources[i], copies[r] = &x, &x
	}
	for i, e := range c.Edges {
		like.Edges[i] = catalog.Edge{Source: copies[e.Source], Target: copies[e.Target]}
	}
	return like
}

// relates reports whether an attribute of a container can matter: it names the container, or says when it is applied.
func relates(attr string) bool {
	return attr == "name" || attr != "loglevel" && resource.IsMetaparam(attr)
}

// texts numbers the contents of a catalog's files.
type texts struct {
	numbers map[string]value.Int
	said    []string // every text that other resources have
}

func newTexts(c *catalog.Catalog) *texts {
	t := &texts{numbers: map[string]value.Int{}}
	for _, r := range c.Resources {
		if rec := recordOf(r.Type); r.IsContainer() || rec.Text != "" || r.Type == "Concat_file" {
			continue
		}
		t.said = append(t.said, r.Title)
		for _, p := range r.Params {
			if !relates(p.Name) || p.Name == "name" {
				t.said = append(t.said, value.Inspect(p.Value))
			}
		}
	}
	return t
}

// free reports whether nobody but the resource itself speaks about the file that it writes: no command, no line, no
// setting. A unit of systemd speaks about files itself.
func (t *texts) free(r *catalog.Resource) bool {
	file := r.Title
	for _, name := range []string{"path", "target"} {
		if v, ok := r.Get(name).(value.String); ok {
			file = string(v)
		}
	}
	if strings.Contains(file, "/systemd/") {
		return false
	}
	name := path.Base(file)
	return !slices.ContainsFunc(t.said, func(s string) bool { return strings.Contains(s, name) })
}

// number is the same for equal texts.
func (t *texts) number(v value.Value) value.Value {
	if s, ok := v.(*value.Sensitive); ok {
		v = s.Value
	}
	s, ok := v.(value.String)
	if !ok || s == "" {
		return v
	}
	n, known := t.numbers[string(s)]
	if !known {
		n = value.Int(len(t.numbers))
		t.numbers[string(s)] = n
	}
	return n
}
