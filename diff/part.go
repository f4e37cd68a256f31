package diff

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"bunraku/source"
)

// Nodes of one comparison may be compared by many processes, on many machines. What each has come to is a Part, and the
// parts together are the report, to the byte what one process would have written.
//
// A part has no values in it, only which nodes have the same change: a change is told by a keyed digest. So it is
// small, holds no secret, and is the same whoever writes it. Who puts parts together has the tree and the facts,
// compares one node of each change again (package fleet), and has its text from there.

// A Part is what a comparison of some nodes has come to. Its fields are written as JSON.
type Part struct {
	Nodes   []PartNode   `json:"nodes"`
	Changes []PartChange `json:"changes"`
	Effects []PartEffect `json:"effects"`
}

// A PartNode is what became of one node.
type PartNode struct {
	Name    string `json:"name"`
	State   State  `json:"state"`
	Empty   bool   `json:"empty,omitempty"`
	Excuse  string `json:"excuse,omitempty"`
	Ignored bool   `json:"ignored,omitempty"`
	Old     string `json:"old,omitempty"` // digest of why there is no catalog on the old side
	New     string `json:"new,omitempty"`
	Changes []int  `json:"changes,omitempty"` // numbers of Part.Changes
	Effects []int  `json:"effects,omitempty"` // numbers of Part.Effects
}

// A PartChange is a change that some nodes of the part have, as digests.
type PartChange struct {
	Key    string `json:"key"`
	Slot   string `json:"slot"`
	Exact  string `json:"exact"`
	Varied bool   `json:"varied,omitempty"`
}

// A PartEffect is something that a run does.
type PartEffect struct {
	Kind EffectKind `json:"kind"`
	Text string     `json:"text"`
}

// A Sealer makes digests of what may hold secrets.
type Sealer struct {
	Key  []byte
	Root string // where the tree is on this machine; on others it may be elsewhere
}

// Seal is the digest of a text.
func (s Sealer) Seal(text string) string {
	h := hmac.New(sha256.New, s.Key)
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// reason is the digest of why a node does not compile, wherever the tree is.
func (s Sealer) reason(d *source.Diagnostic) string {
	return s.Seal(strings.ReplaceAll(d.Code+"\x00"+d.Summary+"\x00"+d.Place.String(), s.Root, ""))
}

// Part is the report as a part. hide takes secrets out of texts that are shown.
func (r *Report) Part(seal Sealer, hide func(string) string) *Part {
	p := &Part{Nodes: []PartNode{}, Changes: []PartChange{}, Effects: []PartEffect{}}
	changes := map[*Item]int{}
	effects := r.effectsOf()
	numbers := map[Effect]int{}
	for i, n := range r.Nodes {
		out := PartNode{Name: n.Name, State: n.State, Empty: n.Empty, Excuse: hide(n.Excuse), Ignored: n.Ignored}
		if n.Old != nil {
			out.Old = seal.reason(n.Old)
		}
		if n.New != nil {
			out.New = seal.reason(n.New)
		}
		for _, it := range n.Changes {
			at, known := changes[it]
			if !known {
				at = len(p.Changes)
				changes[it] = at
				p.Changes = append(p.Changes, PartChange{seal.Seal(it.Key()), seal.Seal(it.Slot()), seal.Seal(it.exact), it.Varied})
			}
			out.Changes = append(out.Changes, at)
		}
		for _, e := range effects[i] {
			at, known := numbers[e]
			if !known {
				at = len(p.Effects)
				numbers[e] = at
				p.Effects = append(p.Effects, PartEffect{e.Kind, hide(e.Text)})
			}
			out.Effects = append(out.Effects, at)
		}
		p.Nodes = append(p.Nodes, out)
	}
	return p
}

// Split is the part as one for each of its nodes.
func (p *Part) Split() []*Part {
	out := make([]*Part, len(p.Nodes))
	for i, n := range p.Nodes {
		x := &Part{Changes: []PartChange{}, Effects: []PartEffect{}}
		changes, effects := n.Changes, n.Effects
		n.Changes, n.Effects = nil, nil
		for k, c := range changes {
			x.Changes, n.Changes = append(x.Changes, p.Changes[c]), append(n.Changes, k)
		}
		for k, e := range effects {
			x.Effects, n.Effects = append(x.Effects, p.Effects[e]), append(n.Effects, k)
		}
		x.Nodes = []PartNode{n}
		out[i] = x
	}
	return out
}

// effectsOf are the effects of each node, in one order.
func (r *Report) effectsOf() map[int][]Effect {
	r.conclude()
	out := map[int][]Effect{}
	for _, c := range slices.Concat(r.Consequences, r.Findings) {
		for _, n := range c.Nodes {
			out[n] = append(out[n], c.Effect)
		}
	}
	return out
}

// A Joined is a report that is put together from parts. Its changes have no text until they are recalled.
type Joined struct {
	*Report
	items map[string]*Item                 // by the digest of the key
	slots map[*Item]string                 // digests
	exact map[*Item]string                 // of one part
	fails map[string][]**source.Diagnostic // by the digest of the reason: where it belongs
	first map[string]int                   // a node that has the reason
}

// Join puts parts together. names are all nodes, in order; it is an error if one of them is in no part. A node that is
// in several is taken from the first.
func Join(names []string, parts []*Part) (*Joined, error) {
	j := &Joined{Report: NewReport(names), items: map[string]*Item{}, slots: map[*Item]string{}, exact: map[*Item]string{},
		fails: map[string][]**source.Diagnostic{}, first: map[string]int{}}
	type place struct {
		part *Part
		node *PartNode
	}
	of := make(map[string]place, len(names))
	for _, p := range parts {
		if err := p.check(); err != nil {
			return nil, err
		}
		for i := range p.Nodes {
			n := &p.Nodes[i]
			if was, twice := of[n.Name]; !twice || was.node.State == NotDone {
				of[n.Name] = place{p, n}
			}
		}
	}
	var missing []string
	for i, name := range names {
		at, there := of[name]
		if !there || at.node.State == NotDone {
			missing = append(missing, name)
			continue
		}
		j.take(i, at.part, at.node)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("no part has %s", plural(len(missing), "node")+", such as "+missing[0])
	}
	return j, nil
}

// check reports whether the numbers of a part lead somewhere: it comes from elsewhere.
func (p *Part) check() error {
	for _, n := range p.Nodes {
		bad := int(n.State) >= len(stateNames)
		for _, c := range n.Changes {
			bad = bad || c < 0 || c >= len(p.Changes)
		}
		for _, e := range n.Effects {
			bad = bad || e < 0 || e >= len(p.Effects) || int(p.Effects[e].Kind) >= len(effectVerbs)
		}
		if bad {
			return fmt.Errorf("what a part says of %s makes no sense", n.Name)
		}
	}
	return nil
}

// take takes in a node. Nodes come in order.
func (j *Joined) take(i int, p *Part, n *PartNode) {
	out := j.Nodes[i]
	out.State, out.Empty, out.Excuse, out.Ignored = n.State, n.Empty, n.Excuse, n.Ignored
	for _, side := range []struct {
		id string
		to **source.Diagnostic
	}{{n.Old, &out.Old}, {n.New, &out.New}} {
		if side.id == "" {
			continue
		}
		if j.fails[side.id] == nil {
			j.first[side.id] = i
		}
		j.fails[side.id] = append(j.fails[side.id], side.to)
	}
	for _, c := range n.Changes {
		x := p.Changes[c]
		it := j.items[x.Key]
		if it == nil {
			it = &Item{Varied: x.Varied}
			j.items[x.Key], j.slots[it], j.exact[it] = it, x.Slot, x.Exact
		}
		it.Varied = it.Varied || x.Varied || j.exact[it] != x.Exact
		it.Nodes = append(it.Nodes, i)
		out.Changes = append(out.Changes, it)
	}
	var effects []Effect
	for _, e := range n.Effects {
		effects = append(effects, Effect(p.Effects[e]))
	}
	j.Follow(i, effects)
}

// Wanted are the nodes that must be compared again, so that every change and every failure has its text.
func (j *Joined) Wanted() (nodes []int) {
	for _, it := range j.items {
		nodes = append(nodes, it.Nodes[0])
	}
	for _, i := range j.first {
		nodes = append(nodes, i)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// Recall takes the texts from a report about the nodes that are wanted. What differs each time that it is compiled is
// told by what it is about.
func (j *Joined) Recall(again *Report, wanted []int, seal Sealer) error {
	for k, i := range wanted {
		was, is := j.Nodes[i], again.Nodes[k]
		for _, it := range was.Changes {
			if it.Nodes[0] != i {
				continue
			}
			from := slices.IndexFunc(is.Changes, func(x *Item) bool { return j.items[seal.Seal(x.Key())] == it })
			if from < 0 {
				from = slices.IndexFunc(is.Changes, func(x *Item) bool { return seal.Seal(x.Slot()) == j.slots[it] })
			}
			if from < 0 {
				return fmt.Errorf("a change that a part has on %s is not there: was it made from other files?", was.Name)
			}
			x := is.Changes[from]
			it.exact, it.first, it.common = x.exact, x.first, x.common
			if it.Change = it.first; it.Varied && it.common != nil {
				it.Change = it.common
			}
		}
		for _, d := range []*source.Diagnostic{is.Old, is.New} {
			if d != nil {
				for _, to := range j.fails[seal.reason(d)] {
					*to = d
				}
			}
		}
	}
	for id, list := range j.fails {
		if *list[0] == nil {
			return fmt.Errorf("the error that a part has on %s is not there: was it made from other files?",
				j.Nodes[j.first[id]].Name)
		}
	}
	j.Fail()
	return nil
}
