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

// A Violation is a slot that a rule forbids, with the place and the way between them.
type Violation struct {
	Rule      string `json:"rule"`
	RuleAt    *Spot  `json:"rule_at"`
	Node      string `json:"node"`
	Resource  string `json:"resource"`
	Attribute string `json:"attribute,omitempty"` // "" for the title
	Flow      string `json:"flow"`                // explicit, decisive, or code
	Place     Leaf   `json:"place"`
	Path      []Step `json:"path,omitempty"` // from the slot to the place: what the datum, or the decision, passed through

	At  source.Place      `json:"-"` // of the rule
	Of  *catalog.Resource `json:"-"`
	Why string            `json:"-"` // what is wrong, in a sentence without lines and columns: it names the violation
}

// Check holds a record against the policy.
func (p *Policy) Check(rec *Record) (out []Violation, err error) {
	defer source.Catch(&err)
	c := &policing{p: p, rec: rec}
	if slices.ContainsFunc(p.rules, func(r rule) bool { return slices.Contains(r.places, "secret") }) {
		c.wrapped = rec.wrapped()
	}
	for _, list := range [][]*catalog.Resource{rec.Catalog.Resources, rec.Catalog.Exports} {
		for _, res := range list {
			if res.IsContainer() {
				continue
			}
			c.slot(res, "", res.Place, res.TitleRef)
			for _, a := range res.Params {
				c.slot(res, a.Name, a.Place, a.Ref)
			}
			for _, name := range c.unset(res) {
				c.slot(res, name, source.Place{}, rec.Absent(res, name)...)
			}
		}
	}
	return c.out, nil
}

// policing is one record that is held against a policy.
type policing struct {
	p   *Policy
	rec *Record
	out []Violation
	// wrapped are the places whose datum, as it is, is a Sensitive value somewhere: also those of which the catalog has a
	// copy in the clear, which is what there is to find.
	wrapped map[provenance.LabelKey]bool
}

func (rec *Record) wrapped() map[provenance.LabelKey]bool {
	out := map[provenance.LabelKey]bool{}
	add := func(r provenance.Ref) {
		if flows := uniqueLeaves(rec, rec.Trace.Flows(r)); len(flows) == 1 {
			l, _ := rec.Trace.Label(flows[0])
			out[l.Key()] = true
		}
	}
	for _, r := range slices.Concat(rec.Catalog.Resources, rec.Catalog.Exports) {
		for _, p := range r.Params {
			if r.IsSensitive(p.Name) || value.HasSensitive(p.Value) {
				add(p.Ref)
			}
		}
	}
	for _, v := range rec.Variables {
		if value.HasSensitive(v.Value) {
			add(v.Ref)
		}
	}
	return out
}

// unset are the attributes that a resource has not got, of those that a rule may mean: what keeps them away decides
// them.
func (c *policing) unset(res *catalog.Resource) (out []string) {
	t := c.rec.types().Type(value.Downcase(res.Type))
	if t == nil {
		return nil
	}
	for i := range c.p.rules {
		r := &c.p.rules[i]
		if r.verb == mayReach {
			continue
		}
		for j := range r.slots {
			s := &r.slots[j]
			if s.word == "" && s.typ == res.Type && fits(s.title, res.Title) {
				for _, name := range t.AttributeNames() {
					if fits(s.attr, name) && res.Param(name) == nil && name != t.Namevar() && !slices.Contains(out, name) {
						out = append(out, name)
					}
				}
			}
		}
	}
	return out
}

// slot holds one slot against all rules; attr is "" for the title. own is what it depends on beside what the resource
// does.
func (c *policing) slot(res *catalog.Resource, attr string, at source.Place, own ...provenance.Ref) {
	rec := c.rec
	set := attr == "" || res.Param(attr) != nil
	var flows, decides []provenance.Ref
	var files []source.Place
	for k := range c.p.rules {
		r := &c.p.rules[k]
		in := slices.ContainsFunc(r.slots, func(s slotPattern) bool { return s.matches(rec, res, attr) })
		switch {
		case r.verb == mayReach && !in && set:
			if flows == nil {
				roots := append(slices.Clone(own), res.TitleRef)
				for _, name := range rec.nameAttributes(res) {
					roots = append(roots, res.Param(name).Ref)
				}
				stop := func(f string) bool { return c.p.declassified[f] }
				if len(c.p.declassified) == 0 {
					stop = nil
				}
				flows = uniqueLeaves(rec, rec.Trace.FlowsPast(stop, roots...))
			}
			for _, leaf := range flows {
				if c.among(leaf, r.places) {
					c.hit(r, res, attr, "explicit", leaf, append(own[:len(own):len(own)], res.TitleRef)...)
				}
			}
		case r.verb != mayReach && in:
			if decides == nil {
				roots := append(own[:len(own):len(own)], res.Existence, res.TitleRef)
				if decides = uniqueLeaves(rec, rec.leavesOf(roots...)); set {
					files = rec.codeOf(res, at, roots...)
				} else { // what decides that there is the resource is told with its title
					known := map[provenance.Ref]bool{}
					for _, leaf := range rec.leavesOf(res.Existence, res.TitleRef) {
						known[leaf] = true
					}
					decides = slices.DeleteFunc(decides, func(leaf provenance.Ref) bool { return known[leaf] })
				}
			}
			for _, leaf := range decides {
				l, _ := rec.Trace.Label(leaf)
				named := c.among(leaf, r.places)
				if r.verb == neverDecide && named ||
					r.verb == decidedOnly && !named && !(r.absencesOK && l.Kind == provenance.Absence) {
					c.hit(r, res, attr, "decisive", leaf, append(own[:len(own):len(own)], res.Existence, res.TitleRef)...)
				}
			}
			if r.codeOK || r.verb == neverDecide {
				continue
			}
			for _, at := range files {
				if !c.fileAmong(at.File.Name, r.places) {
					c.add(r, res, attr, "code", Leaf{Kind: "code", At: rec.spot(at), Path: at.File.Name}, nil)
				}
			}
		}
	}
}

// hit adds a violation with the way from the slot to the place.
func (c *policing) hit(r *rule, res *catalog.Resource, attr, flow string, leaf provenance.Ref,
	roots ...provenance.Ref) {
	l := c.rec.leaf(leaf)
	var path []Step
	if flow == "explicit" {
		for _, root := range roots {
			if w := c.rec.ways(root, []Leaf{l})[l.label.Key()]; w != nil {
				path = c.rec.stepsOf(w)
				break
			}
		}
	} else {
		path = c.rec.wayTo(leaf, roots...)
	}
	c.add(r, res, attr, flow, l, path)
}

func (c *policing) add(r *rule, res *catalog.Resource, attr, flow string, l Leaf, path []Step) {
	slot := strings.TrimSpace(res.Ref() + " " + attr)
	switch {
	case attr == "":
		slot = "the title of " + res.Ref()
	case res.Param(attr) == nil:
		slot = "that " + attr + " of " + res.Ref() + " is not set"
	}
	if res.Exported {
		slot += ", which is exported,"
	}
	name, why := l.name(), ""
	_, rest, _ := strings.Cut(r.text, " "+r.verb+" ")
	switch r.verb {
	case mayReach:
		if rest == "nothing" {
			why = slot + " is made of " + name + ", which may reach nothing"
		} else {
			why = slot + " is made of " + name + ", which may reach " + rest + " only"
		}
	case decidedOnly:
		why = slot + " is decided by " + name + ", and is to be decided only by " + rest
	default:
		why = slot + " is decided by " + name + ", which never may"
	}
	at := c.p.place(r.line)
	c.out = append(c.out, Violation{Rule: r.text, RuleAt: &Spot{File: c.p.File.Name, Line: r.line, Column: 1},
		Node: c.rec.Catalog.Name, Resource: res.Ref(), Attribute: attr, Flow: flow, Place: l, Path: path, At: at, Of: res,
		Why: why})
}

// name is a place without lines and columns.
func (l *Leaf) name() string {
	file := ""
	if l.At != nil {
		file = l.At.File
	}
	switch l.Kind {
	case "fact":
		return "fact:" + l.Path
	case "datum", "key", "alias":
		if isConfig(file) {
			return file
		}
		return "hiera:" + RootKey(l.Path) + " in " + file
	case "literal", "code":
		return file
	case "node name":
		return "the node's name"
	case "absence":
		return "no " + l.Path
	}
	return l.Path
}

// codeOf is the code that brought a slot there: the files of its declaration, of what led to it, and of the steps and
// decisions on the way, each once.
func (rec *Record) codeOf(res *catalog.Resource, at source.Place, roots ...provenance.Ref) (out []source.Place) {
	seen := map[string]bool{}
	add := func(p source.Place) {
		if p = p.Outer(); p.File != nil && !seen[p.File.Name] && isCode(p.File.Name) {
			seen[p.File.Name] = true
			out = append(out, p)
		}
	}
	add(at)
	add(res.Place)
	for _, s := range rec.Via(res) {
		add(s.Place)
	}
	rec.Trace.Near(func(r provenance.Ref) bool {
		if n, ok := rec.Trace.NoteAt(r); ok {
			add(n.Place)
		}
		return true
	}, roots...)
	return out
}

func isCode(file string) bool {
	for _, ext := range []string{".pp", ".epp", ".erb", ".rb"} {
		if strings.HasSuffix(file, ext) {
			return true
		}
	}
	return false
}

// wayTo is a shortest way from a slot to a place that decides it: the named steps and decisions along it.
func (rec *Record) wayTo(leaf provenance.Ref, roots ...provenance.Ref) (out []Step) {
	from := map[provenance.Ref]provenance.Ref{}
	queue := slices.DeleteFunc(slices.Clone(roots), func(r provenance.Ref) bool { return r == 0 })
	for _, r := range queue {
		from[r] = 0
	}
	for len(queue) > 0 {
		r := queue[0]
		if queue = queue[1:]; r == leaf {
			break
		}
		for _, a := range rec.Trace.Operands(r) {
			if _, seen := from[a]; !seen && a != 0 {
				from[a] = r
				queue = append(queue, a)
			}
		}
	}
	for r := leaf; r != 0; r = from[r] {
		if s, ok := rec.stepAt(r); ok {
			out = addStep(out, s)
		} else if n, ok := rec.Trace.NoteAt(r); ok && n.Place.File != nil && !rec.hidesText(n.Place) {
			out = addStep(out, Step{Kind: "decision", Name: oneLine(n.Place.Text(), 60), In: n.In, At: rec.spot(n.Place)})
		}
	}
	slices.Reverse(out)
	return out
}

// nameAttributes are those of a resource's attributes that name it.
func (rec *Record) nameAttributes(r *catalog.Resource) (out []string) {
	attrs := []string{"name"}
	if r.Kind == catalog.CompilableType {
		if t := rec.types().Type(value.Downcase(r.Type)); t != nil && t.Namevar() != "name" {
			attrs = append(attrs, t.Namevar())
		}
	}
	return slices.DeleteFunc(attrs, func(a string) bool { return r.Param(a) == nil })
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
func uniqueLeaves(rec *Record, list []provenance.Ref) []provenance.Ref {
	out := []provenance.Ref{}
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
	case "name":
		return attr != "" && slices.Contains(rec.nameAttributes(r), attr)
	case "exported":
		return r.Exported
	case "clear":
		return attr == "" || !r.IsSensitive(attr) && !value.HasSensitive(r.Get(attr))
	case "world-readable":
		return r.Type == "File" && attr == "content" && worldReadable(textOf(r.Get("mode")))
	}
	return r.Type == s.typ && fits(s.title, r.Title) && fits(s.attr, attr)
}

// worldReadable reports whether a mode lets everybody read; none at all is what the agent's umask makes of it.
func worldReadable(mode string) bool {
	if mode == "" {
		return true
	}
	if strings.Trim(mode, "01234567") == "" {
		return strings.ContainsAny(mode[len(mode)-1:], "4567")
	}
	open := false
	for clause := range strings.SplitSeq(mode, ",") { // u=rw,go=r
		i := strings.IndexAny(clause, "+-=")
		if i < 0 {
			continue
		}
		who, op, what := clause[:i], clause[i], clause[i+1:]
		if who != "" && !strings.ContainsAny(who, "oa") {
			continue
		}
		switch reads := strings.Contains(what, "r"); {
		case op == '-' && reads:
			open = false
		case op == '=':
			open = reads
		case op == '+' && reads:
			open = true
		}
	}
	return open
}

// fileOf is the file that a place stands in, or that something was missed in; "" for none.
func fileOf(l provenance.Label) string {
	if l.Place.File != nil {
		return l.Place.Outer().File.Name
	}
	if l.Kind == provenance.Absence {
		if _, in, ok := strings.Cut(l.Path, " in file "); ok {
			return in
		}
		if in, ok := strings.CutPrefix(l.Path, "file "); ok {
			return in
		}
	}
	return ""
}

// among reports whether a place is one of those that a rule names.
func (c *policing) among(leaf provenance.Ref, places []string) bool {
	l, _ := c.rec.Trace.Label(leaf)
	file := fileOf(l)
	for _, p := range places {
		key, isKey := strings.CutPrefix(p, "hiera:")
		fact, isFact := strings.CutPrefix(p, "fact:")
		switch {
		case p == "secret":
			if c.wrapped[l.Key()] || c.rec.secrets().leaves[leaf] {
				return true
			}
		case isKey:
			if l.Kind.InData() && !isConfig(file) && (fits(key, RootKey(l.Path)) || inside(key, l.Path)) {
				return true
			}
		case isFact:
			name, absent := strings.CutPrefix(l.Path, "fact ")
			if (l.Kind == provenance.Fact || l.Kind == provenance.Absence && absent) &&
				(fits(fact, name) || inside(fact, name)) {
				return true
			}
		case file != "" && l.Kind != provenance.Fact && c.fileAmong(file, []string{p}):
			return true
		}
	}
	return false
}

// fileAmong reports whether a file is one of those that a rule names, by its path below the environment or by its
// owner.
func (c *policing) fileAmong(file string, places []string) bool {
	below, inside := strings.CutPrefix(file, strings.TrimSuffix(c.p.Root, "/")+"/")
	if c.p.Root == "." {
		below, inside = file, !strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "../")
	}
	for _, p := range places {
		team, isOwner := strings.CutPrefix(p, "owner:")
		switch {
		case strings.HasPrefix(p, "hiera:") || strings.HasPrefix(p, "fact:") || p == "secret":
		case isOwner:
			if c.p.Owners != nil && inside && slices.Contains(c.p.Owners(below), team) {
				return true
			}
		case fits(p, file) || inside && fits(strings.TrimPrefix(p, "/"), below) || c.p.Root == "" && fits("*/"+p, file):
			return true
		}
	}
	return false
}

// PathText is a way in a few words.
func PathText(path []Step) string {
	const most = 6
	var names []string
	for i := range path {
		s := &path[i]
		name := s.short()
		if s.Kind == "decision" {
			name = "`" + s.Name + "`"
		}
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	if n := len(names); n > most {
		names = append(append(names[:most-1:most-1], "…"), names[n-1])
	}
	return strings.Join(names, ", ")
}

// Describe is a place in one phrase, with its line.
func (l *Leaf) Describe() string {
	if l.Kind == "code" {
		return l.At.String() + " (code)"
	}
	return l.describe()
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
		key := v.Rule + "\x00" + v.Flow + "\x00" + v.Place.Describe()
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
	slices.SortStableFunc(order, func(a, b string) int {
		return groups[a].first.RuleAt.Line - groups[b].first.RuleAt.Line
	})
	rule := ""
	for _, key := range order {
		g := groups[key]
		if g.first.Rule != rule {
			rule = g.first.Rule
			fmt.Fprintf(w, "%s   %s\n", paint(show.Style.Place, g.first.RuleAt.String()), rule)
		}
		verb := "reaches"
		if g.first.Flow != "explicit" {
			verb = "decides"
		}
		shown := g.slots
		if len(shown) > 5 && !show.All {
			shown = append(slices.Clone(shown[:5]), fmt.Sprintf("%d more", len(g.slots)-5))
		}
		fmt.Fprintf(w, "  %s\n    %s %s\n", g.first.Place.Describe(), verb, strings.Join(shown, ", "))
		if path := PathText(g.first.Path); path != "" {
			fmt.Fprintf(w, "    through %s\n", path)
		}
	}
}
