package explain

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// A resource has more names than its title: aliases, and what it is called on the machine (a service's name, a file's
// path, an exec's command). Any of them will do in a question, and so will a pattern.

// namesOf are the names of a resource other than its title.
func (rec *Record) namesOf(r *catalog.Resource) (out []string) {
	attrs := []string{"name", "alias"}
	if r.Kind == catalog.CompilableType {
		if t := rec.types().Type(value.Downcase(r.Type)); t != nil && t.Namevar() != "name" {
			attrs = append(attrs, t.Namevar())
		}
	}
	for _, attr := range attrs {
		p := r.Param(attr)
		if p == nil || r.IsSensitive(attr) || rec.secrets().hides(rec, p.Ref) {
			continue
		}
		switch v := p.Value.(type) {
		case value.String:
			out = append(out, string(v))
		case *value.Array:
			for _, e := range v.Elems {
				if s, ok := e.(value.String); ok {
					out = append(out, string(s))
				}
			}
		}
	}
	return out
}

// called are the resources that have a name: those whose title it is, or else those that have it otherwise. An empty
// type is any.
func (rec *Record) called(typ, name string) (list []*catalog.Resource) {
	name = strings.TrimPrefix(name, "::")
	other := []*catalog.Resource{}
	for _, r := range rec.Catalog.Resources {
		switch {
		case typ != "" && r.Type != typ:
		case strings.EqualFold(r.Title, name), typ != "" && strings.TrimRight(name, "/") == r.Title:
			list = append(list, r)
		case slices.Contains(rec.namesOf(r), name):
			other = append(other, r)
		}
	}
	if list == nil {
		return other
	}
	return list
}

// isPattern reports whether a name has signs of a pattern in it.
func isPattern(name string) bool { return strings.ContainsAny(name, "*?") }

// matching are the resources whose title, or another name, fits a pattern: * is any text, ? any character.
func (rec *Record) matching(typ, pattern string) (list []*catalog.Resource) {
	fits := func(name string) bool { return fits(strings.ToLower(pattern), strings.ToLower(name)) }
	for _, r := range rec.Catalog.Resources {
		if (typ == "" || r.Type == typ) && (fits(r.Title) || slices.ContainsFunc(rec.namesOf(r), fits)) {
			list = append(list, r)
		}
	}
	return list
}

// fits reports whether a text is what a pattern describes.
func fits(pattern, text string) bool {
	for i := 0; ; i++ {
		switch {
		case i == len(pattern):
			return i == len(text)
		case pattern[i] == '*':
			for j := i; j <= len(text); j++ {
				if fits(pattern[i+1:], text[j:]) {
					return true
				}
			}
			return false
		case i == len(text) || pattern[i] != '?' && pattern[i] != text[i]:
			return false
		}
	}
}

// A Listed is a resource among several that a question names.
type Listed struct {
	Resource string `json:"resource"`
	At       *Spot  `json:"at,omitempty"`
	Why      string `json:"why,omitempty"` // of a tag: where the resource has it from
}

// explainList answers with several resources.
func (rec *Record) explainList(a *Answer, list []*catalog.Resource, why func(*catalog.Resource) string) {
	a.Kind = "list"
	for _, r := range list {
		l := Listed{Resource: r.Ref(), At: rec.declared(r)}
		if why != nil {
			l.Why = why(r)
		}
		a.Listed = append(a.Listed, l)
	}
}

// explainTag lists the resources that have a tag.
func (rec *Record) explainTag(a *Answer, tag string) error {
	tag = strings.ToLower(tag)
	var list []*catalog.Resource
	all := map[string]bool{}
	for _, r := range rec.Catalog.Resources {
		for _, t := range r.Tags {
			all[t] = true
		}
		if slices.Contains(r.Tags, tag) {
			list = append(list, r)
		}
	}
	if list == nil {
		m := &NotFound{Message: "no resource in the catalog of " + rec.Catalog.Name + " has the tag " + tag}
		for _, t := range nearOf(tag, all) {
			m.Suggestions = append(m.Suggestions, "tag:"+t)
		}
		return m
	}
	rec.explainList(a, list, func(r *catalog.Resource) string { return rec.tagFrom(r, tag) })
	return nil
}

// explainTags says which tags a resource has, and where from.
func (rec *Record) explainTags(a *Answer, r *catalog.Resource) {
	a.Kind, a.Attribute = "tags", "tags"
	a.Set = rec.declared(r)
	tags := slices.Clone(r.Tags)
	slices.Sort(tags)
	a.value, a.Value = value.Strings(tags...), dataOf(value.Strings(tags...))
	for _, t := range tags {
		a.Tags = append(a.Tags, Tag{t, rec.tagFrom(r, t)})
	}
	rec.decide(a, r.TagsRef, r.Existence)
	a.Via = rec.via(r)
}

// A Tag is one of a resource's, and where it is from.
type Tag struct {
	Name string `json:"name"`
	From string `json:"from"`
}

// tagFrom says where a resource has a tag from: its type or title, the attribute, a class or define around it.
func (rec *Record) tagFrom(r *catalog.Resource, tag string) string {
	if slices.Contains(parts(r.Type), tag) {
		return "its type"
	}
	if slices.Contains(parts(r.Title), tag) {
		return "its title"
	}
	if p := r.Param("tag"); p != nil {
		for _, s := range strings.Fields(strings.Trim(value.ToString(p.Value), "[]")) {
			if strings.EqualFold(strings.Trim(s, ","), tag) {
				return "its attribute tag"
			}
		}
	}
	via := rec.Via(r)
	for i := len(via) - 1; i >= 0; i-- {
		name := via[i].Text
		n, ok := catalog.ParseRef(name)
		switch {
		case ok && (slices.Contains(parts(n.Type), tag) || slices.Contains(parts(n.Title), tag)):
			return "in " + name
		case !ok && slices.Contains(parts(name), tag):
			return "in class " + name
		}
	}
	switch {
	case tag == "class":
		return "it is in a class"
	case tag == "node" || tag == "default" || strings.EqualFold(tag, rec.Catalog.Name) ||
		strings.HasPrefix(tag, "__node_"):
		return "the node"
	}
	for _, stage := range via { // the outermost that has it
		ref := stage.Text
		if _, ok := catalog.ParseRef(ref); !ok {
			ref = "Class[" + ref + "]"
		}
		if o := rec.Catalog.Find(ref); o != nil && slices.Contains(o.Tags, tag) {
			return "a tag of " + o.Ref()
		}
	}
	return "a call of tag(), or a collector"
}

// parts are a name in lower case and its segments.
func parts(name string) []string {
	name = strings.ToLower(strings.TrimPrefix(name, "::"))
	return append([]string{name}, strings.Split(name, "::")...)
}

// nearOf are the names of a set that contain a text or are contained in it.
func nearOf(text string, set map[string]bool) (out []string) {
	for t := range set {
		if strings.Contains(t, text) || len(t) > 3 && strings.Contains(text, t) {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxSuggestions)]
}

// ambiguous names the resources of a list.
func ambiguous(what string, list []*catalog.Resource) error {
	m := &NotFound{Message: fmt.Sprintf("%q is ambiguous", what)}
	for _, r := range list {
		m.Suggestions = append(m.Suggestions, r.Ref())
	}
	return m
}
