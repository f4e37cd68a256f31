package report

import (
	"slices"

	"bunraku/puppet/catalog"
	"bunraku/puppet/syntax"
)

// Words is how the declaration of one resource can name another by the words of its title: File["/srv/${name}"]. Both
// have to stand beside each other in one block, so that they come in pairs, however often the block is run: in a loop,
// in a define. It is "" if the title is no more than a word, or if nothing can be told. single is false where the words
// may stand for several titles.
func Words(of, in *catalog.Resource) (words string, single bool) {
	if !of.Place.Known() || !in.Place.Known() || of.Place.File != in.Place.File {
		return "", false
	}
	tree, ds := syntax.Parse(of.Place.File, syntax.Options{})
	if tree == nil || ds.HasErrors() {
		return "", false
	}
	title := titleIn(tree.Body.Stmts, of, in)
	for _, s := range tree.Body.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			for _, b := range blocks(n) {
				if title == nil {
					title = titleIn(b.Stmts, of, in)
				}
			}
			return title == nil
		})
	}
	switch t := title.(type) {
	case *syntax.Interpolated:
		single = true
	case *syntax.Var:
		single = t.Name == "name" || t.Name == "title" // another may be an array
	default:
		return "", false
	}
	return of.Type + "[" + of.Place.File.Slice(title.Span()) + "]", single
}

// blocks are those that a node has for its own.
func blocks(n syntax.Node) []syntax.Body {
	switch n := n.(type) {
	case *syntax.Class:
		return []syntax.Body{n.Body}
	case *syntax.Define:
		return []syntax.Body{n.Body}
	case *syntax.NodeDef:
		return []syntax.Body{n.Body}
	case *syntax.Lambda:
		return []syntax.Body{n.Body}
	case *syntax.If:
		return []syntax.Body{n.Then, n.Else}
	case *syntax.Option:
		return []syntax.Body{n.Then}
	}
	return nil
}

// titleIn is the title of one resource if both are declared by statements of a block, and nothing sets a variable of
// the title too late.
func titleIn(stmts []syntax.Expr, of, in *catalog.Resource) syntax.Expr {
	declares := func(r *catalog.Resource) int {
		return slices.IndexFunc(stmts, func(s syntax.Expr) bool {
			x, ok := s.(*syntax.Resource)
			return ok && x.Where.Start == r.Place.Span.Start
		})
	}
	i, j := declares(of), declares(in)
	if i < 0 || j < 0 || i > j && slices.ContainsFunc(stmts[j:i], assigns) {
		return nil
	}
	x := stmts[i].(*syntax.Resource)
	if k := bodyOf(x, of.Title); k >= 0 {
		return x.Bodies[k].Title
	}
	return nil
}

// assigns reports whether a statement sets a variable of the block that it stands in.
func assigns(s syntax.Expr) bool {
	_, is := s.(*syntax.Assign)
	return is
}
