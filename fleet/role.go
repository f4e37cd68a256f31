package fleet

import (
	"slices"
	"strings"

	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/facts"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
)

// Many control repos let a machine say what it is: `include "role::${trusted['extensions']['pp_role']}"`. A node that
// is invented for role::web, and says nothing, would not get through the main manifest at all, and none of the data
// that hang on the role would be its. So it says `web` where the main manifests ask.

// A saying is what a node says of itself: a fact, or an extension of its certificate.
type saying struct {
	path  []string // from facts or trusted on
	value string
}

// String is how manifests ask for it.
func (s saying) String() string {
	return "$" + s.path[0] + "['" + strings.Join(s.path[1:], "']['") + "']"
}

// Said is what nodes were made to say of themselves, as manifests ask for it.
func (p *Plan) Said() (out []string) {
	for _, n := range p.Nodes {
		for _, s := range n.says {
			if !slices.Contains(out, s.String()) {
				out = append(out, s.String())
			}
		}
	}
	return out
}

// An asking is a name of a class that the main manifests make of what nodes say: before, the value at path, after.
type asking struct {
	before, after string
	path          []string // nil if it is a constant
}

// answer is what a node must say to be given a class; false if nothing makes it that class.
func (a *asking) answer(class string) (saying, bool) {
	rest, has := strings.CutPrefix(class, strings.TrimPrefix(a.before, "::"))
	rest, ends := strings.CutSuffix(rest, a.after)
	return saying{a.path, rest}, has && ends && rest != ""
}

// An asker reads what main manifests make names of.
type asker struct {
	given map[string][]syntax.Expr // what variables are set to, wherever it is
	own   map[string]bool          // those that the main manifests set for all nodes: no fact can be called so
}

// askings are those of the main manifests.
func askings(env *environment.Environment) (found []asking) {
	files, err := env.Manifests()
	if err != nil {
		return nil
	}
	a := asker{given: map[string][]syntax.Expr{}, own: map[string]bool{}}
	var classes []syntax.Expr
	for _, path := range files {
		tree, ds, err := env.Parse(path)
		if err != nil || ds.HasErrors() {
			continue
		}
		for _, s := range tree.Body.Stmts {
			if set, is := s.(*syntax.Assign); is {
				if v, is := set.Left.(*syntax.Var); is {
					a.own[v.Name] = true
				}
			}
			syntax.Walk(s, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.Assign:
					if v, is := n.Left.(*syntax.Var); is {
						a.given[v.Name] = append(a.given[v.Name], n.Right)
					}
				case *syntax.Call:
					if name, is := n.Functor.(*syntax.Name); is && including[name.Value] {
						classes = append(classes, n.Args...)
					}
				case *syntax.MethodCall:
					if including[n.Functor.Name.Value] {
						classes = append(classes, n.Functor.Left)
					}
				}
				return true
			})
		}
	}
	for _, x := range classes {
		for _, is := range a.name(x, 0) {
			if is.path != nil && !(len(is.path) == 2 && a.own[is.path[1]]) {
				found = append(found, is)
			}
		}
	}
	return found
}

var including = map[string]bool{"include": true, "contain": true, "require": true}

// deepest bounds how far variables are followed: they may be set to each other.
const deepest = 8

// name is what an expression may come to, as far as it can be read.
func (a *asker) name(x syntax.Expr, depth int) (out []asking) {
	if path := a.path(x, depth); path != nil {
		return []asking{{path: path}}
	}
	if depth++; depth > deepest {
		return nil
	}
	switch x := x.(type) {
	case *syntax.Str:
		return []asking{{before: x.Value}}
	case *syntax.Name:
		return []asking{{before: x.Value}}
	case *syntax.Text:
		return a.name(x.X, depth)
	case *syntax.Paren:
		return a.name(x.X, depth)
	case *syntax.List:
		for _, e := range x.Elems {
			out = append(out, a.name(e, depth)...)
		}
	case *syntax.Var:
		for _, e := range a.given[x.Name] {
			out = append(out, a.name(e, depth)...)
		}
	case *syntax.Call:
		if name, is := x.Functor.(*syntax.Name); is && (name.Value == "pick" || name.Value == "pick_default") {
			for _, e := range x.Args {
				out = append(out, a.name(e, depth)...)
			}
		}
	case *syntax.Interpolated:
		out = []asking{{}}
		for _, p := range x.Parts {
			out = joined(out, a.name(p, depth))
		}
	}
	return out
}

// joined is each of some names followed by each of others, if that hangs on one thing that nodes say.
func joined(left, right []asking) (out []asking) {
	for _, l := range left {
		for _, r := range right {
			switch {
			case len(out) == 16: // nobody writes that many
			case l.path == nil:
				out = append(out, asking{l.before + r.before, r.after, r.path})
			case r.path == nil:
				out = append(out, asking{l.before, l.after + r.before, l.path})
			}
		}
	}
	return out
}

// path is where the value of an expression stands in what a node says; nil if it is no such thing.
func (a *asker) path(x syntax.Expr, depth int) []string {
	if depth++; depth > deepest {
		return nil
	}
	switch x := x.(type) {
	case *syntax.Text:
		return a.path(x.X, depth)
	case *syntax.Paren:
		return a.path(x.X, depth)
	case *syntax.Var:
		name := strings.TrimPrefix(x.Name, "::")
		switch given := a.given[x.Name]; {
		case len(given) == 1:
			return a.path(given[0], depth)
		case len(given) > 1 || strings.Contains(name, "::") || name[0] < 'a' || name[0] > 'z': // no fact is called so
			return nil
		case name == "facts" || name == "trusted":
			return []string{name}
		}
		return []string{"facts", name}
	case *syntax.Access:
		return a.below(x.Left, x.Keys, depth)
	case *syntax.MethodCall:
		if name := x.Functor.Name.Value; name == "dig" || name == "get" {
			return a.below(x.Functor.Left, x.Args, depth)
		}
	}
	return nil
}

// below is the path of what lies under keys in the value of an expression.
func (a *asker) below(x syntax.Expr, keys []syntax.Expr, depth int) []string {
	path := a.path(x, depth)
	if path == nil || len(keys) == 0 {
		return nil
	}
	for _, k := range keys {
		s, is := k.(*syntax.Str)
		if !is {
			return nil
		}
		path = append(slices.Clip(path), s.Value)
	}
	return path
}

// sayings are what a node says to be given a class by the main manifests. What its system has a fact of stays.
func sayings(all []asking, class string, f *facts.Facts) (out []saying) {
	for _, a := range all {
		s, fits := a.answer(outline.Class(class))
		switch {
		case !fits || slices.ContainsFunc(out, func(o saying) bool { return slices.Equal(o.path, s.path) }):
		case len(s.path) == 2 && s.path[0] == "facts":
			if _, there := f.Loaded().Values.GetString(s.path[1]); !there {
				out = append(out, s)
			}
		case len(s.path) == 3 && s.path[0] == "trusted" && s.path[1] == "extensions":
			out = append(out, s)
		}
	}
	return out
}

// say adds what a node says of itself to its facts.
func say(f *facts.Facts, all []saying) *facts.Facts {
	values := value.NewHashBuilder(f.Values.Len() + len(all))
	for _, e := range f.Values.Entries() {
		values.SetEntry(e)
	}
	extensions, certificate := value.NewHashBuilder(len(all)), compiler.Node{Name: f.Name, Facts: f}.Trusted()
	if given, is := certificate.At("extensions").(*value.Hash); is {
		for _, e := range given.Entries() {
			extensions.SetEntry(e)
		}
	}
	said := false
	for _, s := range all {
		b := values
		if s.path[0] == "trusted" {
			b, said = extensions, true
		}
		b.SetString(s.path[len(s.path)-1], value.String(s.value))
	}
	f.Values = values.Hash()
	if said {
		*f = *f.WithTrusted(value.NewHash(value.String("extensions"), extensions.Hash()))
	}
	return f
}
