package explain

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"bunraku/provenance"
	"bunraku/source"
)

// The core of an answer. A dependency set is what no change outside of it can alter the value; a reader wants to know
// which of its places matter. A place is confirmed when some change of it was seen to alter the value: alone, or
// together with a place outside of the set that takes its part else. What is confirmed cannot be left out, so the
// confirmed places and those that nothing is known of are a set that suffices, and whose confirmed part is irredundant.
// Two sources confirm: the expression of the value, without a compile (flowing), and trials (package trial).

// How a place decides a value.
const (
	Alone     = "alone"        // a change of it alone alters the value
	WithOther = "with another" // a change of it alters the value if another place changes, too
	Stops     = "stops"        // after all changes that were tried nothing compiles
)

// A Core is what confirming came to.
type Core struct {
	Confirmed int `json:"confirmed"`       // places and absences that decide the value, alone or with another
	Stops     int `json:"stops,omitempty"` // those that a change of stops the compile
	Idle      int `json:"idle,omitempty"`  // those that changes were tried of, and none altered the value
	Left      int `json:"left,omitempty"`  // those that were not tried
}

// Confirm confirms what needs no compile.
func (a *Answer) Confirm() {
	switch a.Kind {
	case "hiera", "fact", "list", "tags", "line":
		return
	}
	if len(a.Depends) == 0 {
		return
	}
	for _, l := range a.flowing() {
		l.Decides = Alone
	}
	a.Count()
}

// Count counts the verdicts of an answer's places.
func (a *Answer) Count() {
	c := &Core{}
	for i := range a.Depends {
		switch l := &a.Depends[i]; {
		case l.Decides == Stops:
			c.Stops++
		case l.Decides != "":
			c.Confirmed++
		case l.Tried:
			c.Idle++
		default:
			c.Left++
		}
	}
	a.Core = c
}

// Label is the place as the trace has it.
func (l *Leaf) Label() provenance.Label { return l.label }

// flowing are the places of the answer whose data stand in the value as they are: in a copy, in a part of a text, in an
// element. A change of such a place is a change of the value; nothing needs to be tried.
func (a *Answer) flowing() (out []*Leaf) {
	if a.Expression == nil || a.Kind == "resource" || a.Kind == "edge" || a.Kind == "absent" {
		return nil
	}
	in := map[int]bool{}
	var walk func(n *Node)
	walk = func(n *Node) {
		switch {
		case n == nil:
		case n.Leaf != nil:
			in[*n.Leaf] = true
		case n.Op == "concat" || n.Op == "text" || n.Op == "container":
			for _, x := range n.Args {
				walk(x)
			}
		}
	}
	walk(a.Expression)
	for i := range a.Depends {
		l := &a.Depends[i]
		for j := range in {
			if a.Data[j].label.Key() == l.label.Key() && (l.Kind != "datum" || !l.Entries) {
				out = append(out, l)
				break
			}
		}
	}
	return out
}

// core lists the confirmed places, file by file in the order of their nearness.
func (p *page) core(a *Answer) {
	c := a.Core
	if c == nil || c.Confirmed == 0 {
		return
	}
	var files, alone, with []string
	spots := map[string][]string{}
	for i := range a.Depends {
		l := &a.Depends[i]
		switch {
		case l.Decides == WithOther:
			with = append(with, l.describe()+" together with "+l.With[0].describe())
		case l.Decides != Alone:
		case l.At == nil || l.Kind == "absence":
			alone = append(alone, l.describe())
		default:
			if spots[l.At.File] == nil {
				files = append(files, l.At.File)
			}
			if at := (source.Position{Line: l.At.Line, Column: l.At.Column}).String(); !slices.Contains(spots[l.At.File], at) {
				spots[l.At.File] = append(spots[l.At.File], at)
			}
		}
	}
	label := "decided"
	list := func(texts []string, most int, what string) {
		for i, text := range texts {
			if p.enough(i, most) {
				text = fmt.Sprintf("… %s more (--all lists them)", plural(len(texts)-i, what))
			}
			p.add(label, nil, text)
			if label = ""; p.enough(i, most) {
				break
			}
		}
	}
	wide := 0
	for _, f := range files {
		wide = max(wide, utf8.RuneCountInString(f))
	}
	rows := make([]string, len(files))
	for i, f := range files {
		at, more := spots[f], ""
		if n := len(at); n > 6 && !p.All {
			at, more = at[:6], fmt.Sprintf(" … %d more", n-6)
		}
		rows[i] = paint(p.Style.Place, f) + strings.Repeat(" ", wide-utf8.RuneCountInString(f)) + "   " +
			strings.Join(at, " ") + more
	}
	list(rows, 8, "file")
	list(alone, 4, "place")
	list(with, 2, "pair")
	p.flush()
}

// phrase is what the verdicts come to, for the last line of an answer.
func (c *Core) phrase() string {
	if c == nil || c.Confirmed+c.Stops+c.Idle == 0 {
		return ""
	}
	parts := []string{fmt.Sprintf("%d confirmed", c.Confirmed)}
	if c.Stops > 0 {
		parts = append(parts, fmt.Sprintf("%d without which nothing compiles", c.Stops))
	}
	if c.Idle > 0 {
		parts = append(parts, fmt.Sprintf("%d of which no change was found that alters it", c.Idle))
	}
	if c.Left > 0 {
		parts = append(parts, fmt.Sprintf("%d open (--confirm tries them)", c.Left))
	}
	return strings.Join(parts, ", ")
}
