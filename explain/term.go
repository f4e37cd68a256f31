package explain

import (
	"strconv"
	"strings"

	"bunraku/provenance"
)

// A Node is a term: an operation over arguments, or a leaf, by its number in the answer's data.
type Node struct {
	Op     string  `json:"op,omitempty"`
	Args   []*Node `json:"args,omitempty"`
	Leaf   *int    `json:"leaf,omitempty"`
	Shared bool    `json:"cut,omitempty"` // too large to be written out
}

const maxTerm = 400 // nodes of a term that are written out

// term turns the trace's term into the answer's; leaves are numbered in the order in which they are met, and same
// places are one.
func (rec *Record) term(r provenance.Ref) (*Node, []Leaf) {
	var leaves []Leaf
	number := map[provenance.LabelKey]int{}
	left := maxTerm
	var read func(t *provenance.Term) *Node
	read = func(t *provenance.Term) *Node {
		if t == nil {
			return nil
		}
		if left--; left < 0 {
			return &Node{Shared: true}
		}
		if l, ok := rec.Trace.Label(t.Ref); ok {
			i, known := number[l.Key()]
			if !known {
				i = len(leaves)
				number[l.Key()] = i
				leaves = append(leaves, rec.leaf(t.Ref))
			}
			return &Node{Leaf: &i}
		}
		n := &Node{Op: t.Op}
		for _, a := range t.Args {
			if x := read(a); x != nil {
				n.Args = append(n.Args, x)
			}
		}
		return n
	}
	n := read(rec.Trace.Expression(r))
	return n, leaves
}

var infix = map[string]bool{"+": true, "-": true, "*": true, "/": true, "%": true, "<<": true, ">>": true, "==": true,
	"!=": true, "<": true, ">": true,
	"<=": true, ">=": true, "=~": true, "!~": true, "and": true, "or": true, "in": true}

// text writes a term as people write expressions. A leaf is its datum with the number under which its place is listed.
func (n *Node) text(leaves []Leaf) string {
	switch {
	case n == nil:
		return "?"
	case n.Shared:
		return "…"
	case n.Leaf != nil:
		return leaves[*n.Leaf].short(24) + " [" + strconv.Itoa(*n.Leaf+1) + "]"
	}
	args := make([]string, len(n.Args))
	for i, a := range n.Args {
		args[i] = a.text(leaves)
		if infix[n.Op] && infix[a.Op] {
			args[i] = "(" + args[i] + ")"
		}
	}
	switch {
	case infix[n.Op] && len(args) == 2:
		return args[0] + " " + n.Op + " " + args[1]
	case n.Op == "[]" && len(args) > 1: // the last is what is looked into
		return args[len(args)-1] + "[" + strings.Join(args[:len(args)-1], ", ") + "]"
	case len(n.Op) > 2 && n.Op[0] == '[' && len(args) == 1:
		return args[0] + n.Op
	case n.Op == "container":
		return "[" + strings.Join(args, ", ") + "]"
	}
	return n.Op + "(" + strings.Join(args, ", ") + ")"
}

// short is a leaf in a few characters.
func (l *Leaf) short(most int) string {
	if l.Sensitive {
		return "(sensitive)"
	}
	switch l.Kind {
	case "fact":
		return "$facts " + l.Path
	case "node name":
		return l.Text
	case "literal", "datum", "key":
		if l.Text == "" {
			return l.Path
		}
		return clip(l.Text, most)
	}
	return l.Path
}
