package model

import (
	"crypto/sha256"
	"fmt"
	"maps"
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

// PairLikeness is Likeness of two catalogs, of which one follows the other: equal texts are equal on both sides, those
// that sources hold, too. The functions say what that is (Side.Source).
func PairLikeness(old, new *catalog.Catalog, was, is func(url string) *Served) (*catalog.Catalog, *catalog.Catalog) {
	a, b := newTexts(old), newTexts(new)
	a.source, b.source, b.numbers = was, is, a.numbers
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
			if p.Name == "source" && r.Type == "File" && texts.source != nil {
				x.Params = append(x.Params, catalog.Param{Name: "held", Value: texts.held(r)})
			}
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
	said    []string                 // every text that other resources have
	source  func(url string) *Served // nil if nobody can say, and for one catalog alone, where it does not matter
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

// held is what the sources of a file have: the texts themselves, and which others they equal.
func (t *texts) held(r *catalog.Resource) value.Value {
	var out strings.Builder
	tell := func(name string, s Served) {
		fmt.Fprintf(&out, "%s %d %x %s\n", name, s.Kind, sha256.Sum256([]byte(s.Text)),
			value.ToString(t.number(value.String(s.Text))))
	}
	for _, url := range itemOf(r).list("source") {
		s := t.source(url)
		if s == nil {
			continue
		}
		tell(url, *s)
		for _, name := range slices.Sorted(maps.Keys(s.Below)) {
			tell(name, s.Below[name])
		}
	}
	return value.String(out.String())
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
