package explain

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/record"
	"bunraku/puppet/value"
	"bunraku/source"
)

// NotFound says that the question names nothing, or more than one thing, and what it may have meant.
type NotFound struct {
	Message     string
	Suggestions []string
	Unknown     bool // it is not even known whether there is one
}

func (e *NotFound) Error() string { return e.Message }

const maxSuggestions = 8

// find is the resource that a reference names. `File['/etc/motd']`, another of its names, a pattern and a bare title
// that is the only one of its name will do, too.
func (rec *Record) find(ref string) (*catalog.Resource, error) {
	if n, ok := parseRef(ref); ok {
		if r := rec.Catalog.Resource(n.Type, n.Title); r != nil {
			return r, nil
		}
		list := rec.called(n.Type, n.Title)
		if list == nil && isPattern(n.Title) {
			list = rec.matching(n.Type, n.Title)
		}
		switch len(list) {
		case 0:
			return nil, &NotFound{Message: n.String() + " is not in the catalog of " + rec.Catalog.Name,
				Suggestions: rec.similar(n)}
		case 1:
			return list[0], nil
		}
		return nil, ambiguous(ref, list)
	}
	if strings.ContainsAny(ref, "[]") {
		return nil, fmt.Errorf("%q is no reference: write Type[title], $variable, hiera:KEY, or 'A -> B'", ref)
	}
	list := rec.called("", ref)
	if list == nil && isPattern(ref) {
		list = rec.matching("", ref)
	}
	switch len(list) {
	case 1:
		return list[0], nil
	case 0:
		return nil, &NotFound{Message: fmt.Sprintf("%q names nothing in the catalog of %s", ref, rec.Catalog.Name),
			Suggestions: rec.byText(ref)}
	}
	return nil, ambiguous(ref, list)
}

// parseRef reads Type[title]; quotes around the title are what Puppet code has there.
func parseRef(ref string) (catalog.Name, bool) {
	if typ, title, ok := strings.Cut(ref, "["); ok && strings.HasSuffix(title, "]") {
		title = strings.TrimSuffix(title, "]")
		if n := len(title); n > 2 && (title[0] == '\'' || title[0] == '"') && title[n-1] == title[0] {
			ref = typ + "[" + title[1:n-1] + "]"
		}
		ref = strings.TrimPrefix(ref, "::")
	}
	n, ok := catalog.ParseRef(ref)
	if ok && n.Type == "Class" {
		n.Title = value.CapitalizeSegments(strings.TrimPrefix(strings.ToLower(n.Title), "::"))
		if n.Title == "Main" {
			n.Title = "main"
		}
	}
	return n, ok
}

// similar lists what a reference that names nothing may have meant: nearest spelling first, then the same title
// elsewhere, then titles of the type that contain it.
func (rec *Record) similar(n catalog.Name) (out []string) {
	add := func(ref string) {
		if len(out) < maxSuggestions && !slices.Contains(out, ref) {
			out = append(out, ref)
		}
	}
	var titles []string
	for _, r := range rec.Catalog.Resources {
		if r.Type == n.Type {
			titles = append(titles, r.Title)
		}
	}
	if near := source.Nearest(n.Title, titles); near != "" {
		add(n.Type + "[" + near + "]")
	}
	low := strings.ToLower(n.Title)
	for _, r := range rec.Catalog.Resources {
		if strings.EqualFold(r.Title, n.Title) || r.Type == n.Type && strings.Contains(strings.ToLower(r.Title), low) {
			add(r.Ref())
		}
	}
	if len(out) == 0 { // the type may be misspelt
		for _, r := range rec.Catalog.Resources {
			if r.Title == n.Title && source.Nearest(n.Type, []string{r.Type}) != "" {
				add(r.Ref())
			}
		}
	}
	return out
}

// byText lists resources whose title contains a text, then attributes that have it as their value or in it.
func (rec *Record) byText(text string) (out []string) {
	low := strings.ToLower(text)
	add := func(s string) bool {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
		return len(out) < maxSuggestions
	}
	for _, r := range rec.Catalog.Resources {
		if strings.Contains(strings.ToLower(r.Title), low) && !add("'"+r.Ref()+"'") {
			return out
		}
	}
	secret := rec.secrets()
	for _, whole := range []bool{true, false} {
		for _, r := range rec.Catalog.Resources {
			for _, p := range r.Params {
				if r.IsSensitive(p.Name) || value.HasSensitive(p.Value) {
					continue
				}
				s := value.ToString(p.Value)
				if (whole && s == text || !whole && strings.Contains(s, text)) && !secret.hides(rec, p.Ref) &&
					!add("'"+r.Ref()+"' "+p.Name) {
					return out
				}
			}
		}
	}
	if len(out) == 0 {
		var titles []string
		for _, r := range rec.Catalog.Resources {
			titles = append(titles, r.Title)
		}
		if near := source.Nearest(text, titles); near != "" {
			for _, r := range rec.Catalog.Resources {
				if r.Title == near {
					add("'" + r.Ref() + "'")
				}
			}
		}
	}
	return out
}

// variable finds a variable by name. As in code, $::x is that of the top scope, and $x the node's if that sets one; who
// says no more than the last part of a name means the one that ends so.
func (rec *Record) variable(name string) (*record.Variable, error) {
	name, top := strings.CutPrefix(strings.ToLower(strings.TrimPrefix(name, "$")), "::")
	var found *record.Variable
	var names []string
	var same []*record.Variable
	for i := range rec.Variables {
		v := &rec.Variables[i]
		full := strings.TrimPrefix(v.Qualified(), "$")
		if full == name && !(top && v.Node) && (found == nil || v.Node) {
			found = v
		}
		if v.Name == name && !top {
			same = append(same, v)
		}
		names = append(names, full)
	}
	if found != nil {
		return found, nil
	}
	if len(same) == 1 {
		return same[0], nil
	}
	e := &NotFound{Message: "no variable $" + name + " was set for " + rec.Catalog.Name}
	for _, v := range same {
		e.Message = "$" + name + " is ambiguous"
		e.Suggestions = append(e.Suggestions, "'"+v.Qualified()+"'")
	}
	if len(same) == 0 {
		if near := source.Nearest(name, names); near != "" {
			e.Suggestions = []string{"'$" + near + "'"}
		}
	}
	return nil, e
}
