package diff

import (
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
)

var effectVerbs = [...]string{"fails", "stops", "restarts", "removes", "purges", "runs", "starts", "installs",
	"leaves behind",
	"not known"}

// String is the verb.
func (k EffectKind) String() string { return effectVerbs[k] }

// A Consequence is an effect that some nodes have.
type Consequence struct {
	Effect
	Nodes []int // by number, ascending
}

func (c *Consequence) text() string {
	if c.Kind == EffectNotKnown || c.Kind == EffectFails {
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
	r.Consequences = nil
	for e, nodes := range r.effects {
		slices.Sort(nodes)
		r.Consequences = append(r.Consequences, &Consequence{e, nodes})
	}
	slices.SortFunc(r.Consequences, func(a, b *Consequence) int {
		if a.Kind != b.Kind {
			return int(a.Kind) - int(b.Kind)
		}
		if len(a.Nodes) != len(b.Nodes) {
			return len(b.Nodes) - len(a.Nodes)
		}
		return strings.Compare(a.Text, b.Text)
	})
}

// mostConsequences are shown; the rest is counted.
const mostConsequences = 8

// consequences shows what a run does, before anything else.
func (p *printer) consequences() {
	if len(p.r.Consequences) == 0 {
		return
	}
	p.line("")
	p.line("%s", paint(p.Style.Place, "on machines that have the old catalog, a run"))
	for i, c := range p.r.Consequences {
		if i == mostConsequences && p.level < 2 {
			p.line("  … and %d more (--full)", len(p.r.Consequences)-i)
			break
		}
		text := p.cut(c.text())
		switch c.Kind {
		case EffectFails, EffectStops, EffectRestarts, EffectRemoves, EffectPurges:
			text = paint(p.Style.Warning, text)
		}
		p.line("  %s   on %s", text, plural(len(c.Nodes), "node"))
	}
}

// markdownConsequences is the same as a list.
func (r *Report) markdownConsequences() string {
	if len(r.Consequences) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("On machines that have the old catalog, a run\n\n")
	for i, c := range r.Consequences {
		if i == mostConsequences {
			fmt.Fprintf(&b, "- … and %d more\n", len(r.Consequences)-i)
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

func (r *Report) jsonConsequences() []jsonConsequence {
	out := []jsonConsequence{}
	for _, c := range r.Consequences {
		out = append(out, jsonConsequence{c.Kind.String(), c.Text, r.Names(c.Nodes)})
	}
	return out
}
