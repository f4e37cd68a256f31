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
//	@@*[*]                                   what nodes export and do not have themselves, of all types
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

// AttributeRules makes rules of attributes' names, for resources of any kind; several may stand in one text, separated
// by commas.
func AttributeRules(texts []string) (rules []*Rule, err error) {
	for _, text := range texts {
		for one := range strings.SplitSeq(text, ",") {
			r := &Rule{text: one, typ: "*", title: "*"}
			if err := r.attribute(one); err != nil {
				return nil, err
			}
			rules = append(rules, r)
		}
	}
	return rules, nil
}

var nextRule = regexp.MustCompile(`,\s*[\w:*@]+\[`)

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
	return r, r.attribute(rest)
}

// attribute reads what stands behind the title.
func (r *Rule) attribute(rest string) error {
	if rest == "" || rest == "*" {
		return nil
	}
	if strings.Trim(rest, "+-~!") == "" {
		r.kinds = rest
		return nil
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
				return fmt.Errorf("%s: %v", r.text, err)
			}
			r.match = x
		case "=s>":
			if r.want != "=" {
				return fmt.Errorf("%s: behind =s> stands =", r.text)
			}
		}
	}
	rest = strings.ReplaceAll(rest, `\f`, "::")
	r.anchored = strings.HasPrefix(rest, "::")
	for strings.HasPrefix(rest, "::") {
		rest = rest[2:]
	}
	r.path = strings.Split(rest, "::")
	return nil
}

// opened is an attribute and an operator, or an index: what brackets come then belong to them.
var opened = regexp.MustCompile(`^[^\[\]]*(=[-+~&s]?>|\[)`)

// titleEnd finds the bracket that ends a title: the first behind which something begins that may stand there, or else
// the last. Behind it there may be brackets, too.
func titleEnd(s string) int {
	for i := 1; i < len(s); i++ {
		if s[i] != ']' {
			continue
		}
		rest := s[i+1:]
		if rest == "" || strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, `\f`) ||
			strings.ContainsRune("+-~!*", rune(rest[0])) || opened.MatchString(rest) {
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

// A part is one place of a value at which something changes: the keys down to it, and what was and is there.
type part struct {
	path     []string
	old, new value.Value
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

// leave leaves out what the user does not want to see, and marks what was not expected.
func (o *Options) leave(changes []*Change) []*Change {
	if len(o.Ignore)+len(o.IgnoreTags)+len(o.Filters) == 0 && o.Expected == nil {
		return changes
	}
	var left []*entry
	all := make(map[*Change][]*entry, len(changes))
	for _, c := range changes {
		all[c] = c.entries()
		left = append(left, all[c]...)
	}
	left = slices.DeleteFunc(left, func(e *entry) bool {
		return e.taken(o.Ignore) || e.r != nil && tagged(e.r, o.IgnoreTags)
	})
	for _, f := range o.Filters {
		left = slices.DeleteFunc(left, f(left))
	}
	of := map[*Change][]*entry{}
	for _, e := range left {
		of[e.c] = append(of[e.c], e)
	}
	return slices.DeleteFunc(changes, func(c *Change) bool {
		c.keep(all[c], of[c])
		c.Unexpected = o.Expected != nil &&
			slices.ContainsFunc(of[c], func(e *entry) bool { return !e.taken(o.Expected) })
		return len(of[c]) == 0
	})
}

// leavesOut reports whether a resource that comes (+) or goes (-) is left out.
func (o *Options) leavesOut(r *catalog.Resource, kind byte) bool {
	return (&entry{name: r.Name(), r: r, kind: kind}).taken(o.Ignore)
}

// taken reports whether one of the rules is about an entry.
func (e *entry) taken(rules []*Rule) bool {
	return slices.ContainsFunc(rules, func(r *Rule) bool { return r.takes(e) })
}

// takes reports whether a rule is about an entry, and its values are as it wants.
func (r *Rule) takes(e *entry) bool {
	if r.typ != "*" && !strings.EqualFold(r.typ, e.name.Type) &&
		(r.typ != catalog.ForOthers+"*" || !strings.HasPrefix(e.name.Type, catalog.ForOthers)) ||
		!slices.ContainsFunc(e.titles(), func(t string) bool { return like(r.title, t) }) {
		return false
	}
	if len(r.path) == 0 {
		return r.kinds == "" || strings.IndexByte(r.kinds, e.kind) >= 0
	}
	if r.side == '+' && !missing(e.old) || r.side == '-' && !missing(e.new) || !r.leads(e.path) {
		return false
	}
	is := func(v value.Value) bool { s, text := v.(value.String); return text && string(s) == r.want }
	switch r.op {
	case "=>":
		return is(e.old) || is(e.new)
	case "=+>":
		return is(e.new)
	case "=->":
		return is(e.old)
	case "=s>":
		return sameSet(e.old, e.new)
	case "=~>", "=&>":
		lines := changedLines(e.old, e.new)
		if r.op == "=~>" {
			return slices.ContainsFunc(lines, r.matches)
		}
		ends := func(l string) bool { return l == noNewline }
		if first := slices.IndexFunc(lines, ends); first >= 0 && slices.ContainsFunc(lines[first+1:], ends) {
			lines = slices.DeleteFunc(lines, ends) // neither text has an end
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

// noNewline is what diff says of a last line without an end.
const noNewline = `\ No newline at end of file`

// changedLines are the lines that are not the same, each with the sign of the side that has it. Behind a text's last
// line that has no end stands a line that says so.
func changedLines(a, b value.Value) (out []string) {
	text := func(v value.Value) string {
		if s, is := v.(value.String); is {
			return string(s)
		}
		if missing(v) {
			return ""
		}
		return value.Inspect(v)
	}
	x, y := text(a), text(b)
	if !isText(x) || !isText(y) {
		return []string{"Binary files differ"}
	}
	for _, x := range blocks(x, y) {
		for _, l := range x.Old {
			out = append(out, "-"+l)
		}
		if x.OldNoEnd {
			out = append(out, noNewline)
		}
		for _, l := range x.New {
			out = append(out, "+"+l)
		}
		if x.NewNoEnd {
			out = append(out, noNewline)
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
