package report

import (
	"strings"
	"unicode/utf8"

	"bunraku/puppet/catalog"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// AddAttribute is the edit that gives a resource an attribute where it is declared. An attribute that holds references
// and is there already gets one more. It gives up (false) when the words that declare the resource are not those of a
// manifest (create_resources), or when the attribute would hide one that comes from somewhere else.
func AddAttribute(r *catalog.Resource, attr, val string) (source.Edit, bool) {
	spot, ok := findSpot(r)
	if !ok || hidden(r, attr) {
		return source.Edit{}, false
	}
	return spot.edit(r.Place.File, attr, val)
}

// Declare is the edit that puts statements before the one that declares a resource. It gives up as AddAttribute does.
func Declare(r *catalog.Resource, statements []string) (source.Edit, bool) {
	spot, ok := findSpot(r)
	if !ok {
		return source.Edit{}, false
	}
	return spot.declare(r.Place.File, statements)
}

// A spot is the body of a resource expression, by its number among those of the file: edits move bytes, but keep it.
type spot struct{ number, body int }

// findSpot finds the words that declare a resource.
func findSpot(r *catalog.Resource) (spot, bool) {
	if !r.Place.Known() {
		return spot{}, false
	}
	found, n := spot{number: -1}, -1
	for x := range resources(r.Place.File) {
		n++
		if x.Where.Start == r.Place.Span.Start {
			found = spot{n, bodyOf(x, r.Title)}
		}
	}
	return found, found.number >= 0 && found.body >= 0
}

// resources goes through the resource expressions of a manifest in source order.
func resources(f *source.File) func(yield func(*syntax.Resource) bool) {
	return func(yield func(*syntax.Resource) bool) {
		tree, ds := syntax.Parse(f, syntax.Options{})
		if tree == nil || ds.HasErrors() {
			return
		}
		going := true
		for _, st := range tree.Body.Stmts {
			syntax.Walk(st, func(n syntax.Node) bool {
				if x, ok := n.(*syntax.Resource); ok && going {
					going = yield(x)
				}
				return going
			})
		}
	}
}

// bodyOf is the body with a title; the only one, whatever its title is. -1 if it cannot be told.
func bodyOf(x *syntax.Resource, title string) int {
	if len(x.Bodies) == 1 {
		return 0
	}
	for i, b := range x.Bodies {
		has := false
		syntax.Walk(b.Title, func(n syntax.Node) bool {
			if s, ok := n.(*syntax.Str); ok && s.Value == title {
				has = true
			}
			return true
		})
		if has {
			return i
		}
	}
	return -1
}

// hidden reports whether a resource has the attribute from a default, an override or a collector, which an attribute of
// its own would replace. Arrows add to what is there.
func hidden(r *catalog.Resource, attr string) bool {
	p := r.Param(attr)
	if p == nil || !p.Place.Known() {
		return false
	}
	tree, ds := syntax.Parse(p.Place.File, syntax.Options{})
	if tree == nil || ds.HasErrors() {
		return true
	}
	elsewhere := false
	for _, st := range tree.Body.Stmts {
		syntax.Walk(st, func(n syntax.Node) bool {
			switch n.(type) {
			case *syntax.Defaults, *syntax.Override, *syntax.Collect:
				elsewhere = elsewhere || n.Span().Contains(p.Place.Span)
			}
			return true
		})
	}
	return elsewhere
}

// edit makes the edit in a text, and parses the result to be sure of it.
func (s spot) edit(f *source.File, attr, val string) (source.Edit, bool) {
	n := -1
	for x := range resources(f) {
		if n++; n != s.number {
			continue
		}
		if s.body >= len(x.Bodies) {
			break
		}
		e, ok := editBody(f, x.Bodies[s.body], attr, val)
		if !ok {
			break
		}
		_, ds := syntax.Parse(source.NewFile(f.Name, apply(f.Text, e)), syntax.Options{})
		return e, !ds.HasErrors()
	}
	return source.Edit{}, false
}

// declare makes the edit that puts statements before the one that a resource expression is in or is, above the comment
// that stands over it, and parses the result to be sure of it. A comment that begins the file is about the file.
func (s spot) declare(f *source.File, statements []string) (source.Edit, bool) {
	var at *syntax.Resource
	n := -1
	for x := range resources(f) {
		if n++; n == s.number {
			at = x
		}
	}
	if at == nil {
		return source.Edit{}, false
	}
	start, ok := statementAt(f, at.Where)
	if !ok {
		return source.Edit{}, false
	}
	before, gap := indent(f, start), " "
	line := f.LineOf(start)
	if strings.TrimSpace(f.Text[lineStart(f, line):start]) == "" {
		gap = "\n" + before
		above := line
		for above > 1 && strings.HasPrefix(strings.TrimSpace(f.Line(above-1)), "#") {
			above--
		}
		if above > 1 && above < line {
			start = lineStart(f, above)
			start += uint32(len(indent(f, start)))
			gap = "\n" + indent(f, start)
		}
	}
	e := source.Edit{Place: source.Place{File: f, Span: source.Span{Start: start, End: start}},
		Text: strings.Join(statements, gap) + gap}
	_, ds := syntax.Parse(source.NewFile(f.Name, apply(f.Text, e)), syntax.Options{})
	return e, !ds.HasErrors()
}

// statementAt is where the statement begins that a resource expression is, alone or as part of a chain of arrows; false
// if it is part of something else.
func statementAt(f *source.File, at source.Span) (start uint32, ok bool) {
	tree, _ := syntax.Parse(f, syntax.Options{})
	if tree == nil {
		return 0, false
	}
	ok = true // whether what is around it is the file, or something that holds statements
	chain := false
	for _, st := range tree.Body.Stmts {
		syntax.Walk(st, func(n syntax.Node) bool {
			if !n.Span().Contains(at) {
				return false
			}
			switch n.(type) {
			case *syntax.Relation:
				if !chain {
					start = n.Span().Start
				}
				chain = true
			case *syntax.Resource:
				if n.Span() != at {
					ok = false
				} else if !chain {
					start = at.Start
				}
			case *syntax.Class, *syntax.Define, *syntax.NodeDef, *syntax.Function, *syntax.Lambda, *syntax.If,
				*syntax.Option, *syntax.Block:
				ok, chain = true, false
			default:
				ok, chain = false, false
			}
			return n.Span() != at
		})
	}
	return start, ok
}

func editBody(f *source.File, b *syntax.ResourceBody, attr, val string) (source.Edit, bool) {
	insert := func(at uint32, text string) (source.Edit, bool) {
		return source.Edit{Place: source.Place{File: f, Span: source.Span{Start: at, End: at}}, Text: text}, true
	}
	width, heredoc := 0, false
	for _, op := range b.Ops {
		if op.Splat {
			return source.Edit{}, false // what is in the hash cannot be seen from here
		}
		if op.Name == attr {
			return oneMore(f, op, val)
		}
		width = max(width, int(f.Position(op.Value.Span().Start).Column)-f.Position(op.Where.Start).Column-len("=> "))
		syntax.Walk(op.Value, func(n syntax.Node) bool {
			_, is := n.(*syntax.Heredoc)
			heredoc = heredoc || is
			return true
		})
	}
	line := attr + strings.Repeat(" ", max(1, width-utf8.RuneCountInString(attr))) + "=> " + val
	if len(b.Ops) == 0 {
		at := b.Title.Span().End
		colon := strings.IndexByte(f.Text[at:], ':')
		if colon < 0 {
			return source.Edit{}, false
		}
		at += uint32(colon) + 1
		if rest := f.Text[at:]; strings.HasPrefix(rest, "\n") {
			return insert(at, "\n"+indent(f, b.Title.Span().Start)+"  "+attr+" => "+val+",")
		}
		return insert(at, " "+attr+" => "+val)
	}
	first, last := b.Ops[0], b.Ops[len(b.Ops)-1]
	lines := f.LineOf(first.Where.Start) != f.LineOf(b.Title.Span().Start)
	if heredoc {
		// The lines of its text come after the line that the last attribute is in.
		if lines {
			return insert(first.Where.Start, line+",\n"+indent(f, first.Where.Start))
		}
		return insert(first.Where.Start, attr+" => "+val+", ")
	}
	end, comma := last.Where.End, ""
	if k, ok := commaAfter(f.Text, end); ok {
		end = k
	} else {
		comma = ","
	}
	if lines {
		return insert(end, comma+"\n"+indent(f, last.Where.Start)+line+",")
	}
	if comma == "" {
		return insert(end, " "+attr+" => "+val+",")
	}
	return insert(end, ", "+attr+" => "+val)
}

// oneMore adds a reference to an attribute that may hold several.
func oneMore(f *source.File, op *syntax.AttrOp, val string) (source.Edit, bool) {
	switch op.Name {
	case "require", "before", "notify", "subscribe":
	default:
		return source.Edit{}, false
	}
	span := op.Value.Span()
	text := "[" + f.Slice(span) + ", " + val + "]"
	if l, ok := op.Value.(*syntax.List); ok && len(l.Elems) > 0 {
		end := l.Elems[len(l.Elems)-1].Span().End
		span, text = source.Span{Start: end, End: end}, ", "+val
	}
	return source.Edit{Place: source.Place{File: f, Span: span}, Text: text}, true
}

// commaAfter finds a comma behind an attribute, past blanks and comments, and the offset after it.
func commaAfter(text string, at uint32) (uint32, bool) {
	for i := int(at); i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\n', '\r':
		case ',':
			return uint32(i) + 1, true
		case '#':
			n := strings.IndexByte(text[i:], '\n')
			if n < 0 {
				return 0, false
			}
			i += n
		default:
			return 0, false
		}
	}
	return 0, false
}

// lineStart is the offset at which a line begins.
func lineStart(f *source.File, line int) uint32 {
	return f.Offset(source.Position{Line: line, Column: 1})
}

// indent is the white space at the beginning of the line of an offset.
func indent(f *source.File, at uint32) string {
	line := f.Line(f.LineOf(at))
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// apply makes one edit.
func apply(text string, e source.Edit) string {
	return text[:e.Place.Span.Start] + e.Text + text[e.Place.Span.End:]
}
