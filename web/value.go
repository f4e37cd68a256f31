package web

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"bunraku/diff"
	"bunraku/explain"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// A value: what it is, the graph of what made it, the lines in place, the levels that lost, and what the same slot
// holds on other nodes.

type valuePage struct {
	Node      string          `json:"node"`
	Ref       string          `json:"ref"` // the question, as a link has it
	Attribute string          `json:"attribute,omitempty"`
	Kind      string          `json:"kind"`
	Shown     string          `json:"shown"`
	Sensitive bool            `json:"sensitive,omitempty"`
	Answer    *explain.Answer `json:"answer"`
	Graph     *graph          `json:"graph,omitempty"`
	Lines     []sourceLine    `json:"lines"`  // of the places in the graph, with what is around them
	Others    []otherValue    `json:"others"` // on other nodes
	Rendered  bool            `json:"rendered,omitempty"`
}

// An otherValue is what a slot is on some nodes.
type otherValue struct {
	Value  string   `json:"value"`
	Nodes  []string `json:"nodes"`
	Count  int      `json:"count"`
	Here   bool     `json:"here,omitempty"`   // the node that was asked about has it, too
	Absent bool     `json:"absent,omitempty"` // the resource or the attribute is not there
}

// A sourceLine is a line of the tree, with the number of its place in the graph.
type sourceLine struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Text  string `json:"text"`
	Role  string `json:"role"`
	Level string `json:"level,omitempty"`
}

func (st *state) valuePage(ctx context.Context, q url.Values) (any, error) {
	rec, err := st.record(ctx, q.Get("node"))
	if err != nil {
		return nil, err
	}
	ref, attribute := q.Get("ref"), q.Get("attribute")
	if r := resource(rec.Catalog, ref); r != nil {
		ref = r.Ref()
	}
	a, err := rec.Explain(ref, attribute)
	if err != nil {
		return nil, err
	}
	page := &valuePage{Node: rec.Catalog.Name, Ref: clip(ref, clipTitle), Attribute: attribute, Kind: a.Kind,
		Sensitive: a.Sensitive, Answer: a, Lines: []sourceLine{}, Others: []otherValue{}}
	if n, _, err := st.node(q.Get("node")); err == nil {
		page.Node = n.name
	}
	if r := resource(rec.Catalog, a.Resource); r != nil && a.Attribute != "" {
		page.Attribute = a.Attribute
		page.Shown = shownWhole(r, a.Attribute)
		page.Others = st.others(clip(r.Ref(), clipTitle), a.Attribute, page.Node)
		text, is := r.Get(a.Attribute).(value.String)
		page.Rendered = is && !a.Sensitive && strings.Contains(string(text), "\n")
	} else if a.Value != nil {
		page.Shown = clip(jsonText(a.Value), clipValue)
	}
	if a.Sensitive {
		page.Shown = catalog.Redacted
	}
	page.Graph = newValueGraph(page, a)
	page.Lines = lines(a)
	clipAnswer(a)
	return page, nil
}

// shownWhole is an attribute in full, as far as anybody reads.
func shownWhole(r *catalog.Resource, attribute string) string {
	if r.IsSensitive(attribute) {
		return catalog.Redacted
	}
	return clip(valueText(r.Get(attribute)), clipValue)
}

// valueText is a value for people: as Puppet code writes it, without secrets; a text of several lines as it is.
func valueText(v value.Value) string {
	if text, is := v.(value.String); is && strings.Contains(string(text), "\n") {
		return string(text)
	}
	return diff.Shown(v)
}

// jsonText is JSON for people.
func jsonText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return value.Quote(s)
	}
	return string(raw)
}

// others are the values of a slot on all nodes, most frequent first.
func (st *state) others(ref, attribute, here string) []otherValue {
	out := []otherValue{}
	at := map[string]int{}
	for i, thing := range st.table.having(ref, len(st.nodes)) {
		n := &st.nodes[i]
		if !n.compiles {
			continue
		}
		text, there := "", false
		if thing >= 0 {
			text, there = st.table.things[thing].text(attribute)
		}
		key := text
		if !there {
			key = "\x00"
		}
		j, seen := at[key]
		if !seen {
			j = len(out)
			at[key] = j
			out = append(out, otherValue{Value: text, Nodes: []string{}, Absent: !there})
		}
		o := &out[j]
		o.Count++
		if n.name == here {
			o.Here = true
		} else if len(o.Nodes) < 50 {
			o.Nodes = append(o.Nodes, n.name)
		}
	}
	slices.SortStableFunc(out, func(a, b otherValue) int {
		if a.Absent != b.Absent {
			return cmp.Compare(b2i(a.Absent), b2i(b.Absent))
		}
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value))
	})
	return out
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// clipAnswer bounds the texts of an answer.
func clipAnswer(a *explain.Answer) {
	if len(a.Value) > clipValue {
		a.Value = nil
	}
	a.EachSpot(true, func(s *explain.Spot) { s.Text = clip(s.Text, clipLine) })
	for _, list := range [][]explain.Leaf{a.Data, a.Depends} {
		for i := range list {
			clipLeaf(&list[i])
		}
	}
	clipLeaf(a.Where)
	for i := range a.Pieces {
		a.Pieces[i].Text = clip(a.Pieces[i].Text, clipLine)
		for j := range a.Pieces[i].From {
			clipLeaf(&a.Pieces[i].From[j])
		}
	}
	for i := range a.Attributes {
		if len(a.Attributes[i].Value) > clipCell {
			text, _ := json.Marshal(clip(jsonText(a.Attributes[i].Value), clipCell)) // a text can always be written
			a.Attributes[i].Value = text
		}
		clipLeaf(a.Attributes[i].From)
	}
	for i := range a.Levels {
		if len(a.Levels[i].Value) > clipLine {
			text, _ := json.Marshal(clip(jsonText(a.Levels[i].Value), clipLine))
			a.Levels[i].Value = text
		}
	}
	if len(a.Depends) > 400 {
		a.Depends = a.Depends[:400]
	}
}

func clipLeaf(l *explain.Leaf) {
	if l == nil {
		return
	}
	l.Text = clip(l.Text, clipCell)
	if l.At != nil {
		l.At.Text = clip(l.At.Text, clipLine)
	}
	for i := range l.Hides {
		if h := &l.Hides[i]; len(h.Value) > clipCell {
			text, _ := json.Marshal(clip(jsonText(h.Value), clipCell))
			h.Value = text
		}
	}
}

// lines are the places of an answer that people want to see in place, each line once.
func lines(a *explain.Answer) []sourceLine {
	out := []sourceLine{}
	seen := map[string]bool{}
	add := func(s *explain.Spot, role, level string) {
		if s == nil || s.Text == "" || seen[s.String()] || len(out) >= 60 {
			return
		}
		seen[s.String()] = true
		out = append(out, sourceLine{s.File, s.Line, clip(s.Text, clipLine), role, level})
	}
	add(a.Set, "set", "")
	for _, s := range a.Steps {
		add(s.At, s.Kind, "")
	}
	leaf := func(l *explain.Leaf) {
		add(l.At, l.Kind, l.Level)
		for _, h := range l.Hides {
			add(h.At, "hidden", h.Level)
		}
	}
	if a.Where != nil {
		leaf(a.Where)
	}
	for i := range a.Data {
		leaf(&a.Data[i])
	}
	add(a.Parameter, "parameter", "")
	for _, c := range a.Conditions {
		add(c.At, c.Statement, "")
	}
	for _, s := range a.Via {
		add(s.At, "via", "")
	}
	return out
}
