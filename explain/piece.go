package explain

import (
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
)

// A Piece is a part of a text that was put together, with the places that its characters come from.
type Piece struct {
	Text string `json:"text"`
	From []Leaf `json:"from"`
	Line int    `json:"line"` // of the text, from 1

	literal bool
}

// An atom is a part of a concatenation before it is known which characters it stands for.
type atom struct {
	ref   provenance.Ref
	text  string
	known bool
}

// pieces finds which part of a text comes from where. The texts of literals, facts and plain data are known and are
// anchors; what lies between two anchors comes from what stands between them in the term. The anchors are placed from
// the left and from the right: where both agree there is no other way to place them. It gives up (nil) when they do
// not.
func (rec *Record) pieces(whole string, r provenance.Ref) []Piece {
	term := rec.Trace.Expression(r)
	if term == nil || term.Op != "concat" {
		return nil
	}
	atoms := rec.atoms(term, nil)
	if len(atoms) > 20_000 {
		return nil
	}
	left, ok := place(whole, atoms)
	if !ok {
		return nil
	}
	right, ok := placeRight(whole, atoms)
	if !ok {
		return nil
	}
	var out []Piece
	pos := 0
	for i := 0; i < len(atoms); {
		if atoms[i].known {
			if left[i] != right[i] || left[i] != pos {
				return nil
			}
			out = rec.addPiece(out, whole, pos, atoms[i:i+1])
			pos += len(atoms[i].text)
			i++
			continue
		}
		j := i
		for j < len(atoms) && !atoms[j].known {
			j++
		}
		end := len(whole)
		if j < len(atoms) {
			end = left[j]
		}
		out = rec.addPiece(out, whole[:end], pos, atoms[i:j])
		pos, i = end, j
	}
	if pos != len(whole) {
		return nil
	}
	return out
}

func (rec *Record) addPiece(out []Piece, upTo string, pos int, atoms []atom) []Piece {
	p := Piece{Text: upTo[pos:], Line: 1 + strings.Count(upTo[:pos], "\n"), literal: atoms[0].known}
	if atoms[0].known {
		p.Text = atoms[0].text
	}
	if p.Text == "" {
		return out
	}
	for _, a := range atoms {
		for _, r := range rec.Trace.Flows(a.ref) {
			l, _ := rec.Trace.Label(r)
			p.literal = p.literal && l.Kind == provenance.Literal
			p.From = append(p.From, rec.leaf(r))
		}
	}
	if len(p.From) == 0 && !atoms[0].known {
		p.From = rec.nearest(atoms[0].ref)
	}
	return append(out, p)
}

// nearest is the datum or fact that a part hangs on which is no copy of one.
func (rec *Record) nearest(r provenance.Ref) (out []Leaf) {
	rec.Trace.Near(func(n provenance.Ref) bool {
		l, ok := rec.Trace.Label(n)
		if ok && out == nil && (l.Kind.InData() && l.Place.File != nil && !isConfig(l.Place.File.Name) || l.Kind == provenance.Fact) {
			out = []Leaf{rec.leaf(n)}
		}
		return out == nil
	}, r)
	return out
}

// atoms flattens concatenations in concatenations.
func (rec *Record) atoms(t *provenance.Term, out []atom) []atom {
	switch {
	case t == nil: // an operand whose origin is not recorded
		return append(out, atom{})
	case t.Op == "concat":
		for _, a := range t.Args {
			out = rec.atoms(a, out)
		}
		return out
	case t.Op == "text" && len(t.Args) == 1 && t.Args[0] != nil:
		return rec.atoms(t.Args[0], out)
	case t.Op == "":
		text, known := rec.plainText(t.Ref)
		return append(out, atom{t.Ref, text, known})
	}
	return append(out, atom{ref: t.Ref})
}

// plainText is what a leaf is in a text.
func (rec *Record) plainText(r provenance.Ref) (string, bool) {
	l, _ := rec.Trace.Label(r)
	switch l.Kind {
	case provenance.Literal:
		return rec.literalValue(l)
	case provenance.Fact:
		if v, ok := rec.fact(l.Path); ok {
			switch v.(type) {
			case *value.Hash, *value.Array:
				return "", false
			}
			return value.ToString(v), true
		}
	case provenance.NodeName:
		return rec.Catalog.Name, true
	}
	return "", false
}

// literalValue is the text of a string or bare word of a manifest, or of a piece of a template.
func (rec *Record) literalValue(l provenance.Label) (string, bool) {
	f := l.Place.File
	texts := once(&rec.memo.mu, &rec.memo.literals, f, func() map[int]string {
		texts := map[int]string{}
		if t := rec.tree(f); t != nil {
			walkFile(t, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.Str:
					texts[int(n.Ord)] = n.Value
				case *syntax.RenderString:
					texts[int(n.Ord)] = n.Value
				case *syntax.Name:
					texts[int(n.Ord)] = n.Value
				}
				return true
			})
		}
		return texts
	})
	text, ok := texts[l.Ordinal]
	return text, ok
}

// place puts every anchor as far left as it can stand.
func place(whole string, atoms []atom) ([]int, bool) {
	at := make([]int, len(atoms))
	pos, gap := 0, false
	for i, a := range atoms {
		switch {
		case !a.known:
			gap = true
		case !gap:
			if !strings.HasPrefix(whole[pos:], a.text) {
				return nil, false
			}
			at[i] = pos
			pos += len(a.text)
		default:
			run := anchorRun(atoms[i:])
			j := strings.Index(whole[pos:], run)
			if j < 0 {
				return nil, false
			}
			pos += j
			at[i] = pos
			pos += len(a.text)
			gap = false
		}
	}
	return at, true
}

// anchorRun is the text of the anchors that stand next to each other: together they are harder to mistake.
func anchorRun(atoms []atom) string {
	var b strings.Builder
	for _, a := range atoms {
		if !a.known {
			break
		}
		b.WriteString(a.text)
	}
	return b.String()
}

// placeRight puts every anchor as far right as it can stand.
func placeRight(whole string, atoms []atom) ([]int, bool) {
	at := make([]int, len(atoms))
	end, gap := len(whole), false
	for i := len(atoms) - 1; i >= 0; i-- {
		if !atoms[i].known {
			gap = true
			continue
		}
		first := i
		for first > 0 && atoms[first-1].known {
			first--
		}
		run := anchorRun(atoms[first : i+1])
		j := len(whole[:end]) - len(run)
		if gap {
			j = strings.LastIndex(whole[:end], run)
		} else if !strings.HasSuffix(whole[:end], run) {
			return nil, false
		}
		if j < 0 {
			return nil, false
		}
		if first == 0 && j != 0 {
			return nil, false
		}
		pos := j
		for k := first; k <= i; k++ {
			at[k] = pos
			pos += len(atoms[k].text)
		}
		end, gap, i = j, false, first
	}
	return at, true
}
