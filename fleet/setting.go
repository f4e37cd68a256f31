package fleet

import (
	"path/filepath"
	"slices"
	"strings"

	"bunraku/puppet/environment"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Variables that the tree sets. One that nobody has set where it is read may be a classifier's, unless the tree sets it
// later in the same scope: then it is read too early.

// sets reports whether a manifest assigns a variable: for all nodes, then no fact can be called so, or anywhere.
func sets(env *environment.Environment, file, name string, forAll bool) (is bool) {
	tree, ds, err := env.Parse(file)
	if err != nil || ds.HasErrors() {
		return true
	}
	for _, s := range tree.Body.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if set, assigns := n.(*syntax.Assign); assigns {
				v, plain := set.Left.(*syntax.Var)
				is = is || plain && v.Name == name && (!forAll || n == s)
			}
			return !is
		})
	}
	return is
}

// setAtTop is the main manifest that sets a variable for all nodes; "" for none. A classifier cannot have set it
// before: Puppet would refuse the assignment.
func setAtTop(env *environment.Environment, name string) string {
	files, _ := env.Manifests()
	for _, file := range files {
		tree, ds, err := env.Parse(file)
		if err == nil && !ds.HasErrors() && slices.ContainsFunc(tree.Body.Stmts, func(s syntax.Expr) bool {
			return assigns(s, name)
		}) {
			return env.Display(file)
		}
	}
	return ""
}

// setLater reports whether the body that a failure is in, be it in a block there, sets a variable after that place.
func setLater(env *environment.Environment, d *source.Diagnostic, name string) bool {
	if d.Place.File == nil || filepath.Ext(d.Place.File.Name) != ".pp" {
		return false
	}
	tree, ds, err := env.Parse(env.Path(d.Place.File))
	if err != nil || ds.HasErrors() {
		return false
	}
	var in syntax.Body // the innermost
	at := d.Place.Span
	for _, def := range tree.Defs {
		var body syntax.Body
		switch def := def.(type) {
		case *syntax.Class:
			body = def.Body
		case *syntax.Define:
			body = def.Body
		case *syntax.NodeDef:
			body = def.Body
		case *syntax.Function:
			body = def.Body
		}
		if body.Braces.Start < at.Start && at.End <= body.Braces.End && (len(in.Stmts) == 0 ||
			in.Braces.Start < body.Braces.Start) {
			in = body
		}
	}
	return slices.ContainsFunc(in.Stmts, func(s syntax.Expr) bool {
		return s.Span().Start >= at.End && assigns(s, name)
	})
}

// assigns reports whether a statement is an assignment of a variable.
func assigns(s syntax.Expr, name string) bool {
	set, is := s.(*syntax.Assign)
	if !is {
		return false
	}
	of := func(x syntax.Expr) bool {
		v, plain := x.(*syntax.Var)
		return plain && v.Name == name
	}
	list, several := set.Left.(*syntax.List)
	return of(set.Left) || several && slices.ContainsFunc(list.Elems, of)
}

// tooEarly reports whether the tree sets what a failure misses, later; and why it may all the same be none of its
// faults.
func tooEarly(env *environment.Environment, d *source.Diagnostic, name string) (is bool, x *Excuse) {
	plain := strings.TrimPrefix(name, "::")
	if strings.Contains(plain, "::") {
		return false, nil
	}
	file := setAtTop(env, plain)
	if file == "" {
		return name == plain && setLater(env, d, name), nil
	}
	if main, _ := env.Manifests(); len(main) > 1 && !saysEnvironment(env) && d.Place.File != nil &&
		d.Place.File.Name != file {
		return true, &Excuse{NoEnvironment, eachAlone(file, d.Place.File.Name)}
	}
	return true, nil
}
