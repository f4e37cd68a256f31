package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A policy says which data may reach what, and who may decide what. Two flows are told apart: a place flows into a slot
// explicitly when its datum is part of the value or of the title; it decides a slot when a change there can alter it.
// A file of rules, one a line, with # comments:
//
//	let NAME = PLACE …
//	PLACE … may reach SLOT … | nothing
//	SLOT decided only by PLACE … [or absences]
//	PLACE … never decide SLOT …
//
// A PLACE is a glob of paths, hiera:KEY, fact:PATH, secret (what flows into a Sensitive value), or a name that let gave.
// A SLOT is Type[GLOB], alone or with the glob of an attribute behind a dot (File[/etc/*].content), title, clear (any slot
// that is not Sensitive) or world-readable (the content of a file that everybody may read). Functions keep the flow:
// nothing is laundered.

// A Policy is a file of rules.
type Policy struct {
	File  string
	rules []rule
}

type rule struct {
	line       int
	text       string
	verb       string // may reach, decided only by, never decide
	places     []string
	slots      []slotPattern
	absencesOK bool
}

type slotPattern struct{ typ, title, attr, word string }

// ParsePolicy reads a policy. An error is about a line of it.
func ParsePolicy(f *source.File) (*Policy, error) {
	p := &Policy{File: f.Name}
	sets := map[string][]string{}
	for n := 1; n <= f.LineCount(); n++ {
		text, _, _ := strings.Cut(f.Line(n), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		bad := func(why string) error { return fmt.Errorf("%s:%d: %s: %s", f.Name, n, why, strings.TrimSpace(text)) }
		if words[0] == "let" {
			if len(words) < 4 || words[2] != "=" {
				return nil, bad("write let NAME = PLACE …")
			}
			list, err := places(words[3:], sets)
			if err != nil {
				return nil, bad(err.Error())
			}
			sets[words[1]] = list
			continue
		}
		r := rule{line: n, text: strings.Join(words, " ")}
		var left, right []string
		for _, verb := range []string{"may reach", "decided only by", "never decide"} {
			if a, b, ok := strings.Cut(" "+r.text+" ", " "+verb+" "); ok {
				r.verb, left, right = verb, strings.Fields(a), strings.Fields(b)
			}
		}
		if r.verb == "" || len(left) == 0 || len(right) == 0 {
			return nil, bad("a rule says `may reach`, `decided only by` or `never decide`")
		}
		from, to := left, right
		if r.verb == "decided only by" {
			if k := len(right); k > 2 && right[k-2] == "or" && right[k-1] == "absences" {
				right, r.absencesOK = right[:k-2], true
			}
			from, to = right, left
		}
		var err error
		if r.places, err = places(from, sets); err != nil {
			return nil, bad(err.Error())
		}
		if r.slots, err = slotsOf(to); err != nil {
			return nil, bad(err.Error())
		}
		p.rules = append(p.rules, r)
	}
	return p, nil
}

// places expands names that let gave.
func places(words []string, sets map[string][]string) (out []string, err error) {
	for _, w := range words {
		w = strings.TrimSuffix(w, ",")
		if list, ok := sets[w]; ok {
			out = append(out, list...)
			continue
		}
		if w != "secret" && !strings.HasPrefix(w, "hiera:") && !strings.HasPrefix(w, "fact:") && !strings.ContainsAny(w, "/.*") {
			return nil, fmt.Errorf("%s is no place: a path, hiera:KEY, fact:NAME, secret, or a name that let gives", w)
		}
		out = append(out, w)
	}
	return out, nil
}

func slotsOf(words []string) (out []slotPattern, err error) {
	for _, w := range words {
		w = strings.TrimSuffix(w, ",")
		switch w {
		case "nothing":
			continue
		case "title", "clear", "world-readable":
			out = append(out, slotPattern{word: w})
			continue
		}
		head, attr, _ := cutLast(w, "].")
		n, ok := parseRef(strings.TrimSuffix(head, "]") + "]")
		if !ok {
			return nil, fmt.Errorf("%s is no slot: Type[GLOB], Type[GLOB].attribute, title, clear, world-readable or nothing", w)
		}
		if attr == "" {
			attr = "*"
		}
		out = append(out, slotPattern{typ: n.Type, title: n.Title, attr: attr})
	}
	return out, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// A Violation is a slot that a rule forbids, with the place.
type Violation struct {
	Rule      string `json:"rule"`
	RuleAt    *Spot  `json:"rule_at"`
	Node      string `json:"node"`
	Resource  string `json:"resource"`
	Attribute string `json:"attribute,omitempty"`
	Flow      string `json:"flow"` // explicit or decisive
	Place     Leaf   `json:"place"`
}

// Check holds a record against the policy.
func (p *Policy) Check(rec *Record) (out []Violation, err error) {
	defer source.Catch(&err)
	hit := func(r *rule, res *catalog.Resource, attr, flow string, ref provenance.Ref) {
		out = append(out, Violation{Rule: r.text, RuleAt: &Spot{File: p.File, Line: r.line, Column: 1}, Node: rec.Catalog.Name,
			Resource: res.Ref(), Attribute: attr, Flow: flow, Place: rec.leaf(ref)})
	}
	for _, res := range rec.Catalog.Resources {
		if res.IsContainer() {
			continue
		}
		for i := -1; i < len(res.Params); i++ {
			attr, own := "", provenance.Ref(0) // the title first
			if i >= 0 {
				attr, own = res.Params[i].Name, res.Params[i].Ref
			}
			flows := uniqueLeaves(rec, rec.Trace.Flows(own, res.TitleRef))
			var decides []provenance.Ref
			for k := range p.rules {
				r := &p.rules[k]
				in := slices.ContainsFunc(r.slots, func(s slotPattern) bool { return s.matches(rec, res, attr) })
				switch {
				case r.verb == "may reach" && !in:
					for _, leaf := range flows {
						if rec.among(leaf, r.places) {
							hit(r, res, attr, "explicit", leaf)
						}
					}
				case r.verb != "may reach" && in:
					if decides == nil {
						decides = uniqueLeaves(rec, rec.leavesOf(own, res.Existence, res.TitleRef))
					}
					for _, leaf := range decides {
						l, _ := rec.Trace.Label(leaf)
						named := rec.among(leaf, r.places)
						if r.verb == "never decide" && named ||
							r.verb == "decided only by" && !named && !(r.absencesOK && l.Kind == provenance.Absence) {
							hit(r, res, attr, "decisive", leaf)
						}
					}
				}
			}
		}
	}
	return out, nil
}

// Opaque is how many values of the catalog could not be computed.
func (rec *Record) Opaque() (n int) {
	for _, r := range rec.Catalog.Resources {
		for _, p := range r.Params {
			if _, is := p.Value.(*value.Opaque); is {
				n++
			}
		}
	}
	return n
}

// leavesOf are the leaves that nodes depend on.
func (rec *Record) leavesOf(roots ...provenance.Ref) (out []provenance.Ref) {
	rec.Trace.Near(func(r provenance.Ref) bool {
		if _, ok := rec.Trace.Label(r); ok {
			out = append(out, r)
		}
		return true
	}, roots...)
	return out
}

// uniqueLeaves keeps each place once.
func uniqueLeaves(rec *Record, list []provenance.Ref) (out []provenance.Ref) {
	seen := map[provenance.LabelKey]bool{}
	for _, r := range list {
		if l, ok := rec.Trace.Label(r); ok && !seen[l.Key()] {
			seen[l.Key()] = true
			out = append(out, r)
		}
	}
	return out
}

// matches reports whether a slot is one that a pattern means; attr is "" for the title.
func (s *slotPattern) matches(rec *Record, r *catalog.Resource, attr string) bool {
	switch s.word {
	case "title":
		return attr == ""
	case "clear":
		return attr == "" || !r.IsSensitive(attr) && !value.HasSensitive(r.Get(attr))
	case "world-readable":
		mode := textOf(r.Get("mode"))
		open := mode == "" || strings.ContainsAny(mode[len(mode)-1:], "4567") || strings.Contains(mode, "o+r") ||
			strings.Contains(mode, "o=r") || strings.Contains(mode, "a+r")
		return r.Type == "File" && attr == "content" && open
	}
	return r.Type == s.typ && fits(s.title, r.Title) && fits(s.attr, attr)
}

// among reports whether a place is one of those that a rule names.
func (rec *Record) among(leaf provenance.Ref, places []string) bool {
	l, _ := rec.Trace.Label(leaf)
	file := ""
	switch {
	case l.Place.File != nil:
		file = l.Place.Outer().File.Name
	case l.Kind == provenance.Absence:
		if _, in, ok := strings.Cut(l.Path, " in file "); ok {
			file = in
		} else if in, ok := strings.CutPrefix(l.Path, "file "); ok {
			file = in
		}
	}
	for _, p := range places {
		key, isKey := strings.CutPrefix(p, "hiera:")
		fact, isFact := strings.CutPrefix(p, "fact:")
		switch {
		case p == "secret":
			if rec.secrets().leaves[leaf] {
				return true
			}
		case isKey:
			if l.Kind.InData() && !isConfig(file) && (fits(key, RootKey(l.Path)) || inside(key, l.Path)) {
				return true
			}
		case isFact:
			name, absent := strings.CutPrefix(l.Path, "fact ")
			if (l.Kind == provenance.Fact || l.Kind == provenance.Absence && absent) && (fits(fact, name) || inside(fact, name)) {
				return true
			}
		case file != "" && l.Kind != provenance.Fact && (fits(p, file) || fits("*/"+strings.TrimPrefix(p, "/"), file)):
			return true
		}
	}
	return false
}

// PolicyText shows violations, those of one rule and place together.
func PolicyText(w io.Writer, list []Violation, show Show) {
	type group struct {
		first *Violation
		slots []string
	}
	var order []string
	groups := map[string]*group{}
	for i := range list {
		v := &list[i]
		key := v.Rule + "\x00" + v.Place.describe()
		g := groups[key]
		if g == nil {
			g = &group{first: v}
			groups[key] = g
			order = append(order, key)
		}
		if slot := strings.TrimSpace(v.Resource + " " + v.Attribute); !slices.Contains(g.slots, slot) {
			g.slots = append(g.slots, slot)
		}
	}
	rule := ""
	for _, key := range order {
		g := groups[key]
		if g.first.Rule != rule {
			rule = g.first.Rule
			fmt.Fprintf(w, "%s   %s\n", paint(show.Style.Place, g.first.RuleAt.String()), rule)
		}
		verb := "reaches"
		if g.first.Flow == "decisive" {
			verb = "decides"
		}
		shown := g.slots
		if len(shown) > 5 && !show.All {
			shown = append(slices.Clone(shown[:5]), fmt.Sprintf("%d more", len(g.slots)-5))
		}
		fmt.Fprintf(w, "  %s\n    %s %s\n", g.first.Place.describe(), verb, strings.Join(shown, ", "))
	}
}
