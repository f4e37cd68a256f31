package eval

import (
	"strings"
	"unicode"

	"bunraku/puppet/outline"
	"bunraku/puppet/value"
	"bunraku/source"
)

// tagSet is a set of tags that keeps the order in which they were added.
type tagSet struct {
	list []string
	set  map[string]struct{}
}

func (t *tagSet) has(tag string) bool {
	if t.set == nil {
		for _, x := range t.list {
			if x == tag {
				return true
			}
		}
		return false
	}
	_, ok := t.set[tag]
	return ok
}

func (t *tagSet) add(tag string) bool {
	if t.has(tag) {
		return false
	}
	t.list = append(t.list, tag)
	if t.set != nil {
		t.set[tag] = struct{}{}
	} else if len(t.list) > 16 {
		t.set = make(map[string]struct{}, 32)
		for _, x := range t.list {
			t.set[x] = struct{}{}
		}
	}
	return true
}

func (t *tagSet) merge(o *tagSet) {
	for _, x := range o.list {
		t.add(x)
	}
}

// addName adds a tag and, when it is qualified, its parts: those of Ruby's split('::'), which drops empty ones at the
// end.
func (t *tagSet) addName(name string) {
	if !t.add(name) || !strings.Contains(name, "::") {
		return
	}
	empty := false
	for part := range strings.SplitSeq(name, "::") {
		if part == "" {
			empty = true
			continue
		}
		if empty { // not at the end
			t.add("")
		}
		t.add(part)
	}
}

// validTag is Puppet's rule for tags: a letter, digit or underscore, then those and : . -
func validTag(s string) bool {
	s = strings.TrimSuffix(s, "\n")
	plain := s != ""
	for i := 0; i < len(s) && plain; i++ {
		c := s[i]
		plain = c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || i > 0 &&
			(c == ':' || c == '.' || c == '-')
		if !plain && c < 0x80 {
			return false
		}
	}
	if plain {
		return true
	}
	for i, r := range s {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r):
		case i > 0 && (r == ':' || r == '.' || r == '-'):
		default:
			return false
		}
	}
	return s != ""
}

// tagWith adds the tags of a tag attribute or of the function tag.
func (ev *Evaluator) tagWith(r *Resource, v value.Value, at source.Place) {
	for _, x := range flatKeys([]value.Value{v}) {
		if value.IsUndef(x) {
			continue
		}
		if o := opaque(x); o != nil {
			ev.notDone("A tag", o, at)
			continue
		}
		name := value.Downcase(value.ToString(x))
		if r.tags.has(name) {
			continue
		}
		ev.checkTag(name, at)
		r.tags.addName(name)
	}
}

// checkTags refuses what is no tag in an override, before it is applied.
func (ev *Evaluator) checkTags(v value.Value, at source.Place) {
	for _, x := range flatKeys([]value.Value{v}) {
		if !value.IsUndef(x) && opaque(x) == nil {
			ev.checkTag(value.Downcase(value.ToString(x)), at)
		}
	}
}

func (ev *Evaluator) checkTag(name string, at source.Place) {
	if !validTag(name) {
		ev.failAt(&source.Diagnostic{Code: "E0511", Summary: "Invalid tag '" + name + "'", Place: at})
	}
}

// Tag adds tags to the resource of the scope (the function `tag`).
func (c *Call) Tag(v value.Value) {
	c.MustSay(outline.Tags)
	if c.Scope.resource != nil {
		c.Eval.tagWith(c.Scope.resource, v, c.Place)
		c.Eval.table.tagged++
		c.Scope.resource.tagRef = c.Eval.trace.Join(append(c.deepRefs(), c.Scope.resource.tagRef, c.Eval.ctl)...)
	}
}

// Tagged reports whether the scope's resource, or one around it, has all the tags.
func (r *Resource) Tagged(tag string) bool {
	tag = value.Downcase(tag)
	for x := r; x != nil; {
		if x.tags.has(tag) {
			return true
		}
		if x.scope == nil || x.scope.resource == nil || x.scope.resource == x {
			return false
		}
		x = x.scope.resource
	}
	return false
}

// initialTags are a resource's type and, when it makes a legal tag, its title. The title main of the bookkeeping
// resources is a Ruby symbol and makes none.
func (ev *Evaluator) initialTags(r *Resource) {
	if r.tags.list == nil {
		r.tags.list = ev.rooms.tags.list(12)
	}
	for i, tag := range ev.typeName(r.Type).tags {
		if !r.tags.add(tag) && i == 0 {
			break
		}
	}
	if !r.main && !r.oddTitle && validTag(r.Title) {
		r.tags.addName(value.Downcase(r.Title))
	}
}

// scopeTags takes over the tags of the container, once.
func (ev *Evaluator) scopeTags(r *Resource) {
	if r.tagged {
		return
	}
	r.tagged = true
	if r.scope != nil && r.scope.resource != nil && r.scope.resource != r {
		ev.budget.Keep(int64(len(r.scope.resource.tags.list))*tagBytes, tagging)
		r.tags.merge(&r.scope.resource.tags)
	}
}
