package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// What a run does to machines that have the old catalog is more than what the changes say: services are restarted,
// commands run, what is in a directory is purged, what nobody declares any more stays. Whoever compares the catalogs
// finds that out (package fleet asks verify), and says it here in words that are the same for all nodes which have it.

// An Effect is one thing that a run does.
type Effect struct {
	Kind EffectKind
	Text string // "Service[nginx]", without the verb
}

// An EffectKind is what is done, the gravest first.
type EffectKind uint8

// The kinds of effects.
const (
	EffectFails EffectKind = iota
	EffectStops
	EffectRestarts
	EffectRemoves
	EffectPurges
	EffectRuns
	EffectStarts
	EffectInstalls
	EffectLeaves
	EffectNotKnown
	// What verify finds of one of the catalogs only is no effect of a run, and is shown apart.
	EffectFinds
	EffectMends
	// EffectTaken is what nothing known decides about the machines, and was taken for true.
	EffectTaken
)

var effectVerbs = [...]string{"fails", "stops", "restarts", "removes", "purges", "runs", "starts", "installs",
	"leaves behind", "not known", "new", "mended", "taken for true"}

// String is the verb.
func (k EffectKind) String() string { return effectVerbs[k] }

// A Consequence is an effect that some nodes have.
type Consequence struct {
	Effect
	Nodes []int // by number, ascending
}

func (c *Consequence) text() string {
	switch c.Kind {
	case EffectNotKnown, EffectFails, EffectFinds, EffectMends, EffectTaken:
		return c.Kind.String() + ": " + c.Text
	}
	return c.Kind.String() + " " + c.Text
}

// Follow takes in what a run does to a node. It may be called by many goroutines, for a node once.
func (r *Report) Follow(node int, effects []Effect) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.effects == nil {
		r.effects = map[Effect][]int{}
	}
	for _, e := range effects {
		if list := r.effects[e]; len(list) == 0 || list[len(list)-1] != node {
			r.effects[e] = append(list, node)
		}
	}
}

// conclude puts the consequences in order: the gravest first, then those of most nodes.
func (r *Report) conclude() {
	r.Consequences, r.Findings = nil, nil
	told := map[Effect][]int{} // what is the same but for secrets is told as one
	for e, nodes := range r.effects {
		if r.Hide != nil {
			e.Text = r.Hide(e.Text)
		}
		told[e] = append(told[e], nodes...)
	}
	for e, nodes := range told {
		slices.Sort(nodes)
		nodes = slices.Compact(nodes)
		list := &r.Consequences
		if e.Kind == EffectFinds || e.Kind == EffectMends {
			list = &r.Findings
		}
		*list = append(*list, &Consequence{e, nodes})
	}
	for _, list := range [][]*Consequence{r.Consequences, r.Findings} {
		slices.SortFunc(list, func(a, b *Consequence) int {
			return cmp.Or(int(a.Kind)-int(b.Kind), len(b.Nodes)-len(a.Nodes), strings.Compare(a.Text, b.Text))
		})
	}
}

// mostConsequences are shown; the rest is counted.
const mostConsequences = 8

// Told are the consequences as they are shown to people: all that was taken for true is one of them. There is much of
// that, it is the same after every change, and it must not stand in the way of what the change does.
func (r *Report) Told() []*Consequence {
	first := slices.IndexFunc(r.Consequences, func(c *Consequence) bool { return c.Kind == EffectTaken })
	if first < 0 {
		return r.Consequences
	}
	taken := r.Consequences[first:]
	one := &Consequence{Effect: taken[0].Effect}
	if len(taken) > 1 {
		one.Text += fmt.Sprintf(", and %d more", len(taken)-1)
	}
	for _, c := range taken {
		one.Nodes = append(one.Nodes, c.Nodes...)
	}
	slices.Sort(one.Nodes)
	one.Nodes = slices.Compact(one.Nodes)
	return append(r.Consequences[:first:first], one)
}

// consequences shows what a run does, and what verify finds, before anything else.
func (p *printer) consequences() {
	list := p.r.Told()
	if p.level < 0 {
		list = p.r.Consequences
	}
	p.tellings("on machines that have the old catalog, a run", list)
	p.tellings("what verify finds", p.r.Findings)
}

func (p *printer) tellings(title string, list []*Consequence) {
	if len(list) == 0 {
		return
	}
	p.line("")
	p.line("%s", paint(p.Style.Place, title))
	for i, c := range list {
		if i == mostConsequences && p.level >= 0 {
			p.line("  … and %d more (--full)", len(list)-i)
			break
		}
		text := p.cut(c.text())
		switch c.Kind {
		case EffectFails, EffectStops, EffectRestarts, EffectRemoves, EffectPurges, EffectFinds:
			text = paint(p.Style.Warning, text)
		}
		p.line("  %s   on %s", text, plural(len(c.Nodes), "node"))
	}
}

// markdownConsequences is the same as lists.
func (r *Report) markdownConsequences() string {
	return markdownTellings("On machines that have the old catalog, a run", r.Told()) +
		markdownTellings("What verify finds", r.Findings)
}

func markdownTellings(title string, list []*Consequence) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(title + "\n\n")
	for i, c := range list {
		if i == mostConsequences {
			fmt.Fprintf(&b, "- … and %d more\n", len(list)-i)
			break
		}
		fmt.Fprintf(&b, "- **%s** %s on %s\n", c.Kind, code(cutText(c.Text, 200)), plural(len(c.Nodes), "node"))
	}
	return b.String() + "\n"
}

type jsonConsequence struct {
	Verb  string   `json:"verb"`
	Text  string   `json:"text"`
	Nodes []string `json:"nodes"`
}

func (r *Report) jsonConsequences(list []*Consequence) []jsonConsequence {
	out := []jsonConsequence{}
	for _, c := range list {
		out = append(out, jsonConsequence{c.Kind.String(), c.Text, r.Names(c.Nodes)})
	}
	return out
}
