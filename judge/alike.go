package judge

import (
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// Most nodes of a control repo are like others: the same resources from the same code, with another name in some files. What is proved of
// one of them holds for all, so each kind is verified once.

// Likeness is the same for catalogs of which the same can be proved: all that models look at goes into it. Of the texts of files that nobody
// else speaks about it is only which of them are equal, since nothing else about them can matter; the attributes of classes and defines
// count as far as they relate them to others.
func (j *Judge) Likeness(s Suspect) (string, error) {
	c := s.Catalog
	like := &catalog.Catalog{Format: c.Format, Edges: make([]catalog.Edge, len(c.Edges)), Resources: make([]*catalog.Resource, len(c.Resources))}
	copies := make(map[*catalog.Resource]*catalog.Resource, len(c.Resources))
	texts := newTexts(c)
	for i, r := range c.Resources {
		x := *r
		x.Tags, x.Params = nil, nil
		for _, p := range r.Params {
			if r.IsContainer() && !slices.Contains(relating, p.Name) {
				continue
			}
			if p.Name == "content" && texts.free(r) {
				p.Value = texts.number(p.Value)
			}
			x.Params = append(x.Params, p)
		}
		like.Resources[i], copies[r] = &x, &x
	}
	for i, e := range c.Edges {
		like.Edges[i] = catalog.Edge{Source: copies[e.Source], Target: copies[e.Target]}
	}
	text, err := catalog.JSON{Types: types.ToData}.Append(nil, like)
	if err != nil {
		return "", err
	}
	text = append(text, s.Platform...)
	for i, x := range j.opt.Assert {
		if x.About(c.Name) {
			text = fmt.Append(text, " ", i)
		}
	}
	sum := sha256.Sum256(text)
	return string(sum[:]), nil
}

// relating are the attributes of containers that models look at.
var relating = []string{"alias", "audit", "before", "name", "noop", "notify", "require", "schedule", "stage", "subscribe", "tag"}

// texts numbers the contents of a catalog's files.
type texts struct {
	numbers map[string]value.Int
	said    []string // every text that resources other than files have
}

func newTexts(c *catalog.Catalog) *texts {
	t := &texts{numbers: map[string]value.Int{}}
	for _, r := range c.Resources {
		if r.IsContainer() || r.Type == "File" || r.Type == "Concat_fragment" || r.Type == "Concat_file" {
			continue
		}
		t.said = append(t.said, r.Title)
		for _, p := range r.Params {
			if !slices.Contains(relating, p.Name) {
				t.said = append(t.said, value.Inspect(p.Value))
			}
		}
	}
	return t
}

// free reports whether nobody but the resource itself speaks about the file that it writes: no command, no line, no setting.
func (t *texts) free(r *catalog.Resource) bool {
	file := r.Title
	for _, name := range []string{"path", "target"} {
		if v, ok := r.Get(name).(value.String); ok {
			file = string(v)
		}
	}
	if r.Type != "File" && r.Type != "Concat_fragment" {
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
