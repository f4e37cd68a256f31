package resource

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/value"
)

// A TitlePattern reads a title into attributes. Match gives one text per attribute, or nil when the title does not fit;
// Source is the Ruby regexp it stands for.
type TitlePattern struct {
	Source string
	Attrs  []string
	Match  func(title string) []string
	// Values is set in place of Match for types of modules, whose patterns may compute: one value per attribute.
	Values func(title string) (values []value.Value, fits bool)
}

// An Attr is an attribute that a title gives.
type Attr struct {
	Name  string
	Value value.Value // undef where an optional part of the pattern took no part
}

// ParseTitle reads a title into attributes (Puppet::Resource#parse_title). t is nil for classes and defined types.
func ParseTitle(t *Type, title string) ([]Attr, error) {
	if t == nil {
		return []Attr{{"name", value.String(title)}}, nil
	}
	if t.Titles == nil {
		if len(t.Namevars) == 0 {
			return nil, noPattern(title)
		}
		return []Attr{{t.Namevars[0], value.String(title)}}, nil
	}
	for i := range t.Titles {
		p := &t.Titles[i]
		if p.Values != nil {
			if values, fits := p.Values(title); fits {
				return named(p.Attrs, values), nil
			}
			continue
		}
		parts := p.Match(title)
		if parts == nil {
			continue
		}
		attrs := make([]Attr, len(p.Attrs))
		for j, name := range p.Attrs {
			attrs[j] = Attr{name, value.Undef{}}
			if j < len(parts) {
				attrs[j].Value = value.String(parts[j])
			}
		}
		return attrs, nil
	}
	return nil, noPattern(title)
}

// named pairs attributes with their values. An attribute that stands twice in a pattern has the later value, in the
// earlier place.
func named(names []string, values []value.Value) []Attr {
	attrs := make([]Attr, 0, len(names))
next:
	for i, name := range names {
		for j := range attrs {
			if attrs[j].Name == name {
				attrs[j].Value = values[i]
				continue next
			}
		}
		attrs = append(attrs, Attr{name, values[i]})
	}
	return attrs
}

func noPattern(title string) error {
	return fmt.Errorf("No set of title patterns matched the title \"%s\".", title) //lint:ignore ST1005 Puppet's wording
}

// Key is a resource's uniqueness key (Puppet::Resource#uniqueness_key): the values of its key attributes, sorted by
// attribute name. get gives the attributes that were declared, nil for those that were not.
func Key(t *Type, title string, get func(attr string) value.Value) ([]value.Value, error) {
	var attrs []Attr
	var one [1]Attr
	if t != nil && t.Titles == nil && len(t.Namevars) > 0 { // as most are; ParseTitle would make a list of it
		one[0] = Attr{t.Namevars[0], value.String(title)}
		attrs = one[:]
	} else {
		var err error
		if attrs, err = ParseTitle(t, title); err != nil {
			return nil, err
		}
	}
	at := func(name string) value.Value {
		if v := get(name); !value.IsUndef(v) {
			return v
		}
		for _, a := range attrs {
			if a.Name == name && !value.IsUndef(a.Value) {
				return a.Value
			}
		}
		return nil
	}
	namevar := t.Namevar()
	name := at(namevar)
	if name == nil {
		name = at("name")
	}
	if name == nil {
		name = value.String(title)
	}
	if t == nil || len(t.Namevars) == 1 {
		return []value.Value{name}, nil
	}
	sorted := t.Namevars
	if !slices.IsSorted(sorted) {
		sorted = slices.Sorted(slices.Values(sorted))
	}
	key := make([]value.Value, len(sorted))
	for i, attr := range sorted {
		v := at(attr)
		if v == nil && attr == "name" {
			v = name
		}
		key[i] = value.OrUndef(v)
	}
	return key, nil
}

// matchFile is file's ^(/|.+:/|.*[^/])/*\Z: slashes at the end go, but a root (/ or C:/) keeps one.
func matchFile(title string) []string {
	body := strings.TrimSuffix(title, "\n") // \Z also stands before a final line end
	bare := strings.TrimRight(body, "/")
	switch {
	case bare == "" && body != "":
		return []string{"/"}
	case bare != body && len(bare) > 1 && strings.HasSuffix(bare, ":"):
		return []string{bare + "/"}
	}
	if path := strings.TrimRight(title, "/"); path != "" {
		return []string{path}
	}
	return nil
}

// matchBeforeAt is sshkey's ^(.*?)@(.*)$: name@type, on the first line that has an @.
func matchBeforeAt(title string) []string {
	for line := range strings.SplitSeq(title, "\n") {
		if name, kind, ok := strings.Cut(line, "@"); ok {
			return []string{name, kind}
		}
	}
	return nil
}

// matchWithoutAt is sshkey's ^([^@]+)$. It is only asked about titles without an @.
func matchWithoutAt(title string) []string {
	if title == "" || strings.Contains(title, "@") {
		return nil
	}
	return []string{title}
}
