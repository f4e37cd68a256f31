package diff

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// Expressions that leave changes out are those of octocatalog-diff, which everybody has in scripts:
//
//	Exec[*]                                  a type, a title; * is any text, capitals do not count
//	File[/tmp/*]+   File[/tmp/*]-            resources that come, or go
//	File[/tmp/*]::parameters::owner          an attribute; `owner` alone is a key anywhere in the value
//	Foo[*]+::parameters::foo                 an attribute that comes; - one that goes
//	…=>root   …=+>root   …=->joe             its value, on either side, on the new one, on the old one
//	…=~>ice cream                            a line that changes matches a regular expression; lines begin with + or -
//	…=&>^[-+]# .*$                           every line that changes does
//	…=s>=                                    lists of the same elements in another order
//
// Differs from octocatalog-diff: a title ends where an attribute can begin, so that a regular expression may have
// brackets in it, as its documentation shows; and two colons in a value stay two colons.

// A Rule says which changes do not count.
type Rule struct {
	text       string
	typ, title string
	kinds      string   // of -, + and ~: resources that go, come, change; "" for all
	side       byte     // '+' or '-': the attribute must come or go
	path       []string // keys down to what changes; none for all
	anchored   bool     // path begins at the top
	op         string   // "" or an operator
	want       string
	match      *value.Regexp
}

// operators stand between an attribute and what its value must be.
var operators = regexp.MustCompile(`(?s)^(.+?)(=[-+~&s]?>)(.+)$`)

// ParseRules reads expressions; several may stand in one text, separated by commas.
func ParseRules(texts []string) (rules []*Rule, err error) {
	for _, text := range texts {
		for _, one := range splitRules(text) {
			r, err := parseRule(one)
			if err != nil {
				return nil, err
			}
			rules = append(rules, r)
		}
	}
	return rules, nil
}

// AttributeRules makes rules of attributes' names, for resources of any kind.
func AttributeRules(texts []string) (rules []*Rule, err error) {
	for _, text := range texts {
		r, err := parseRule("*[*]" + text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

var nextRule = regexp.MustCompile(`,\s*[\w:*]+\[`)

// splitRules cuts at commas behind which another expression begins.
func splitRules(text string) (out []string) {
	for {
		at := nextRule.FindStringIndex(text)
		if at == nil {
			return append(out, strings.TrimSpace(text))
		}
		out = append(out, strings.TrimSpace(text[:at[0]]))
		text = text[at[0]+1:]
	}
}

func parseRule(text string) (*Rule, error) {
	r := &Rule{text: text}
	typ, rest, ok := strings.Cut(text, "[")
	end := titleEnd(rest)
	if !ok || typ == "" || end < 1 {
		return nil, fmt.Errorf("%s: write Type[title], and what of it behind that: File[/tmp/*]::parameters::owner",
			text)
	}
	r.typ, r.title, rest = typ, rest[:end], rest[end+1:]
	if strings.HasPrefix(rest, ",") {
		return nil, fmt.Errorf("%s: behind the comma stands no Type[title]", text)
	}
	if rest == "" || rest == "*" {
		return r, nil
	}
	if strings.Trim(rest, "+-~!") == "" {
		r.kinds = strings.ReplaceAll(rest, "!", "~")
		return r, nil
	}
	if rest[0] == '+' || rest[0] == '-' {
		r.side, rest = rest[0], rest[1:]
	}
	if m := operators.FindStringSubmatch(rest); m != nil {
		rest, r.op, r.want = m[1], m[2], m[3]
		switch r.op {
		case "=~>", "=&>":
			x, err := value.NewRegexp("(?i:" + r.want + ")")
			if err != nil {
				return nil, fmt.Errorf("%s: %v", text, err)
			}
			r.match = x
		case "=s>":
			if r.want != "=" {
				return nil, fmt.Errorf("%s: behind =s> stands =", text)
			}
		}
	}
	r.anchored = strings.HasPrefix(rest, "::")
	r.path = strings.Split(strings.TrimLeft(strings.ReplaceAll(rest, `\f`, "::"), ":"), "::")
	return r, nil
}

// titleEnd finds the bracket that ends a title: the first behind which something begins that may stand there, or else
// the last.
func titleEnd(s string) int {
	for i := 1; i < len(s); i++ {
		if s[i] != ']' {
			continue
		}
		rest := s[i+1:]
		if rest == "" || strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, `\f`) ||
			strings.ContainsRune("+-~!*", rune(rest[0])) {
			return i
		}
	}
	return strings.LastIndexByte(s, ']')
}

// like reports whether a text is what a pattern describes; * is any text, capitals do not count.
func like(pattern, text string) bool {
	pattern, text = strings.ToLower(pattern), strings.ToLower(text)
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, first)
	for ok {
		var next string
		if next, rest, star = strings.Cut(rest, "*"); !star {
			return strings.HasSuffix(text, next)
		}
		at := strings.Index(text, next)
		if ok = at >= 0; ok {
			text = text[at+len(next):]
		}
	}
	return false
}

// A part is one place of a resource at which something changes: the keys down to it, and what was and is there.
type part struct {
	path     []string
	old, new value.Value
}

// parts takes a change apart: a hash that changes is as many parts as keys of it change.
func (c *Change) parts() []part {
	switch c.Kind {
	case Attribute, ModuleFile, NotKnown:
		if c.Attribute != "" {
			return differing([]string{"parameters", c.Attribute}, c.Old, c.New, nil)
		}
	}
	return nil
}

// hashes reports whether both values are hashes.
func hashes(a, b value.Value) bool {
	_, isA := a.(*value.Hash)
	_, isB := b.(*value.Hash)
	return isA && isB
}

// differing finds where two values are not the same: hashes are looked into, other values are compared whole.
func differing(path []string, a, b value.Value, out []part) []part {
	if !hashes(a, b) {
		return append(out, part{path, a, b})
	}
	x, y := a.(*value.Hash), b.(*value.Hash)
	var seen []string
	for _, h := range []*value.Hash{x, y} {
		for _, e := range h.Entries() {
			key := value.ToString(e.Key)
			if slices.Contains(seen, key) {
				continue
			}
			seen = append(seen, key)
			v, _ := x.Get(e.Key)
			w, _ := y.Get(e.Key)
			if !same("", v, w) {
				out = differing(append(slices.Clip(path), key), v, w, out)
			}
		}
	}
	return out
}

// ignores reports whether a rule leaves a change out.
func (r *Rule) ignores(c *Change) bool {
	if c.Kind == Renamed {
		return r.takes(c.Name, '-', nil) && r.takes(c.To, '+', nil)
	}
	kind := byte('~')
	switch {
	case c.Kind == Added || c.Kind == NotKnown && c.old == nil:
		kind = '+'
	case c.Kind == Removed || c.Kind == NotKnown && c.new == nil:
		kind = '-'
	}
	return r.takes(c.Name, kind, c.parts())
}

// leavesOut reports whether a resource that comes (+) or goes (-) is left out.
func (o *Options) leavesOut(r *catalog.Resource, kind byte) bool {
	return slices.ContainsFunc(o.Ignore, func(x *Rule) bool { return x.takes(r.Name(), kind, nil) })
}

// shorten takes the keys out of hashes that rules leave out; left is false if nothing else changes.
func (c *Change) shorten(rules []*Rule) (left bool) {
	if c.Kind != Attribute || !hashes(c.Old, c.New) {
		return true
	}
	cut := false
	for _, p := range c.parts() {
		if slices.ContainsFunc(rules, func(r *Rule) bool { return len(r.path) > 0 && r.takes(c.Name, '~', []part{p}) }) {
			keys := p.path[2:] // behind parameters and the attribute
			c.Old, c.New, cut = withoutKey(c.Old, keys), withoutKey(c.New, keys), true
		}
	}
	return !cut || len(c.parts()) > 0
}

// withoutKey is a value without what some keys lead to.
func withoutKey(v value.Value, keys []string) value.Value {
	h, is := v.(*value.Hash)
	if !is {
		return v
	}
	b := value.NewHashBuilder(h.Len())
	for _, e := range h.Entries() {
		if value.ToString(e.Key) == keys[0] {
			if len(keys) == 1 {
				continue
			}
			e.Value = withoutKey(e.Value, keys[1:])
		}
		b.SetEntry(e)
	}
	return b.Hash()
}

// takes reports whether a rule covers a resource, a kind of change and all its parts.
func (r *Rule) takes(n catalog.Name, kind byte, parts []part) bool {
	if !like(r.typ, n.Type) || !like(r.title, n.Title) || r.kinds != "" && !strings.Contains(r.kinds, string(kind)) {
		return false
	}
	if len(r.path) == 0 {
		return true
	}
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(p part) bool { return !r.covers(p) })
}

// covers reports whether a rule is about a part, and its values are as it wants.
func (r *Rule) covers(p part) bool {
	if r.side == '+' && p.old != nil || r.side == '-' && p.new != nil || !r.leads(p.path) {
		return false
	}
	is := func(v value.Value) bool { s, text := v.(value.String); return text && string(s) == r.want }
	switch r.op {
	case "=>":
		return is(p.old) || is(p.new)
	case "=+>":
		return is(p.new)
	case "=->":
		return is(p.old)
	case "=s>":
		return sameSet(p.old, p.new)
	case "=~>", "=&>":
		lines := changedLines(p.old, p.new)
		if r.op == "=~>" {
			return slices.ContainsFunc(lines, r.matches)
		}
		return !slices.ContainsFunc(lines, func(l string) bool { return !r.matches(l) })
	}
	return true
}

// matches reports whether a line is what the rule's pattern describes; one that takes too long to tell is not.
func (r *Rule) matches(line string) bool {
	ok, err := r.match.Re.Match(strings.TrimSpace(line))
	return ok && err == nil
}

// leads reports whether the rule's keys are those that lead to a part: from the top, or anywhere on the way.
func (r *Rule) leads(path []string) bool {
	for at := range path {
		if at > 0 && r.anchored || at+len(r.path) > len(path) {
			return false
		}
		if slices.EqualFunc(r.path, path[at:at+len(r.path)], strings.EqualFold) {
			return true
		}
	}
	return false
}

// changedLines are the lines that are not the same, each with the sign of the side that has it.
func changedLines(a, b value.Value) (out []string) {
	text := func(v value.Value) string {
		if v == nil {
			return ""
		}
		return value.ToString(v)
	}
	for _, x := range blocks(text(a), text(b)) {
		for _, l := range x.Old {
			out = append(out, "-"+l)
		}
		for _, l := range x.New {
			out = append(out, "+"+l)
		}
	}
	return out
}

// sameSet reports whether two lists have the same elements, in whatever order and however often.
func sameSet(a, b value.Value) bool {
	_, isA := a.(*value.Array)
	_, isB := b.(*value.Array)
	return isA && isB && slices.Equal(members(a), members(b))
}

// tagged reports whether a resource is tagged to be left out: with a tag itself, or with the tag and the type's name
// behind two underscores, which leaves alone what the resource contains.
func tagged(r *catalog.Resource, tags []string) bool {
	name := regexp.MustCompile(`\W`).ReplaceAllString(strings.ToLower(r.Type), "_")
	return slices.ContainsFunc(tags, func(t string) bool {
		return slices.Contains(r.Tags, t) || slices.Contains(r.Tags, t+"__"+name)
	})
}
