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
	op    string // of what is no leaf
	datum bool   // the text is what is written in Hiera's data
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
	var out []Piece
	if !rec.cut(whole, term, func(pos, end int, atoms []atom) { out = rec.addPiece(out, whole[:end], pos, atoms) }) {
		return nil
	}
	return out
}

// cut finds the part of a text that each atom of a term stands for, atoms that cannot be told apart together. It gives
// up if that is not certain; then some parts may have been visited.
func (rec *Record) cut(whole string, term *provenance.Term, visit func(pos, end int, atoms []atom)) bool {
	atoms := rec.atoms(term, nil)
	if len(atoms) > 20_000 {
		return false
	}
	if !placeable(whole, atoms) { // a datum that means something else than it says, a number in other digits
		for i := range atoms {
			atoms[i].known = atoms[i].known && !atoms[i].datum
		}
	}
	left, ok := place(whole, atoms)
	if !ok {
		return false
	}
	right, ok := placeRight(whole, atoms)
	if !ok {
		return false
	}
	pos := 0
	for i := 0; i < len(atoms); {
		if atoms[i].known {
			if left[i] != right[i] || left[i] != pos {
				return false
			}
			end := pos + len(atoms[i].text)
			visit(pos, end, atoms[i:i+1])
			pos = end
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
		visit(pos, end, atoms[i:j])
		pos, i = end, j
	}
	return pos == len(whole)
}

// A Part is a part of a text with the places that its characters are copied or computed from.
type Part struct {
	Text string
	From []Origin
	Op   string // what made it, "call join"; "" for a copy, and for what several operations made
}

// An Origin is a place that a value comes from, and its text if that is known.
type Origin struct {
	provenance.Label
	Text  string
	Known bool
}

// Parts cuts a text where its origin changes. It is all in one part if that cannot be told.
func (rec *Record) Parts(whole string, r provenance.Ref) (out []Part) {
	term := rec.Trace.Expression(r)
	if term == nil {
		return []Part{{Text: whole, Op: "unknown"}}
	}
	if term.Op != "concat" && term.Op != "text" {
		return []Part{{whole, rec.Origins(r), term.Op}}
	}
	if !rec.cut(whole, term, func(pos, end int, atoms []atom) {
		p := Part{Text: whole[pos:end]}
		for _, a := range atoms {
			p.From = append(p.From, rec.Origins(a.ref)...)
		}
		if len(atoms) == 1 {
			p.Op = atoms[0].op
		} else {
			p.Op = term.Op
		}
		out = append(out, p)
	}) {
		return []Part{{whole, rec.Origins(r), term.Op}}
	}
	return out
}

// Origins are the places that a value is copied or computed from.
func (rec *Record) Origins(r provenance.Ref) (out []Origin) {
	for _, leaf := range rec.Trace.Flows(r) {
		if l, ok := rec.Trace.Label(leaf); ok {
			text, known := rec.plainText(leaf)
			out = append(out, Origin{l, text, known})
		}
	}
	return out
}

// addPiece adds what stands in a text from pos to its end.
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
		if ok && out == nil && (l.Kind.InData() && l.Place.File != nil && !isConfig(l.Place.File.Name) ||
			l.Kind == provenance.Fact) {
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
		return append(out, atom{ref: t.Ref, text: text, known: known, datum: t.Leaf.Kind == provenance.Datum})
	}
	return append(out, atom{ref: t.Ref, op: t.Op})
}

// plainText is what a leaf is in a text.
func (rec *Record) plainText(r provenance.Ref) (string, bool) {
	l, _ := rec.Trace.Label(r)
	switch l.Kind {
	case provenance.Literal:
		return rec.literalValue(l)
	case provenance.Fact:
		if v, ok := rec.Fact(l.Path); ok {
			switch v.(type) {
			case *value.Hash, *value.Array:
				return "", false
			}
			return value.ToString(v), true
		}
	case provenance.NodeName:
		return provenance.NamePart(rec.Catalog.Name, l.Path), true
	case provenance.Datum:
		return plainDatum(l.Place.Text())
	}
	return "", false
}

// plainDatum is the text of a datum that is written as it is meant: without escapes and interpolation.
func plainDatum(text string) (string, bool) {
	if n := len(text); n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		text = text[1 : n-1]
	} else if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-: ") != "" {
		return "", false
	}
	return text, !strings.ContainsAny(text, "\\'\"%\n")
}

// literalValue is the text of a string or bare word of a manifest, or of a piece of a template.
func (rec *Record) literalValue(l provenance.Label) (string, bool) {
	f := l.Place.File
	texts := once(&rec.memo.mu, &rec.memo.literals, f, func() map[int]string {
		texts := map[int]string{}
		if t := rec.Tree(f); t != nil {
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
	if text, ok := texts[l.Ordinal]; ok || rec.Tree(f) != nil {
		return text, ok
	}
	return l.Place.Text(), true // the text of a template in Ruby, as it stands there
}

// placeable reports whether there is one way to place the anchors.
func placeable(whole string, atoms []atom) bool {
	left, ok := place(whole, atoms)
	if !ok {
		return false
	}
	right, ok := placeRight(whole, atoms)
	if !ok {
		return false
	}
	for i := range atoms {
		if atoms[i].known && left[i] != right[i] {
			return false
		}
	}
	return true
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
