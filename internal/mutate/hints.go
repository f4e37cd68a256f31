package mutate

import (
	"slices"
	"strings"
	"unicode"

	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
)

// Hints are what is likely to flip a decision of the program that is changed, or to be of the right type: a fresh
// string rarely is either.
type Hints struct {
	Pool    []string                       // strings to try everywhere
	Classes []string                       // names of classes
	Values  map[string][]value.Value       // what variables hold, by their names without the class; facts by their paths
	Takes   map[string][]value.Value       // some of what each type takes, by its text
	Class   func(name string) []string     // literals of classes that can stand in for another; may be nil
	File    func(function string) []string // literals of files that a function such as template can read; may be nil

	types    map[string]string        // of parameters: "class parameter"
	compared map[string][]value.Value // what a variable or fact is compared with, by the same names as Values
	words    []value.Value            // the words of the program's types
	looked   map[string]bool          // strings that something is looked up by
}

// Survey reads programs for what they compare with what, and for the types of parameters. Values and Takes are the
// caller's to fill.
func Survey(trees []*syntax.File) *Hints {
	h := &Hints{Values: map[string][]value.Value{}, Takes: map[string][]value.Value{}, types: map[string]string{},
		compared: map[string][]value.Value{}, looked: map[string]bool{}}
	for _, tree := range trees {
		params := func(of string, list []*syntax.Param) {
			for _, p := range list {
				if p.Type != nil {
					h.types[of+" "+p.Name] = tree.Source.Slice(p.Type.Span())
					h.wordsOf(p.Type)
				}
			}
		}
		eachNode(tree, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Class:
				params(n.Name, n.Params)
			case *syntax.Define:
				params(n.Name, n.Params)
			case *syntax.TypeAlias:
				h.wordsOf(n.X)
			case *syntax.Access:
				for _, k := range n.Keys {
					if v, ok := datum(k); ok {
						h.looked[value.ToString(v)] = true
					}
				}
			}
			comparisons(n, func(name string, with syntax.Expr) {
				if v, ok := datum(with); ok {
					h.compared[name] = addNew(h.compared[name], v)
				}
			})
			return true
		})
	}
	return h
}

func (h *Hints) wordsOf(e syntax.Expr) {
	syntax.Walk(e, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Str:
			h.words = addNew(h.words, value.String(n.Value))
		case *syntax.Regexp: // its alternatives, if they are words
			for _, w := range strings.FieldsFunc(n.Source, func(r rune) bool {
				return !unicode.IsLetter(r) &&
					!unicode.IsDigit(r)
			}) {
				h.words = addNew(h.words, value.String(w))
			}
		}
		return true
	})
}

func eachNode(tree *syntax.File, visit func(syntax.Node) bool) {
	for _, s := range tree.Body.Stmts {
		syntax.Walk(s, visit)
	}
	if tree.Epp != nil {
		syntax.Walk(tree.Epp, visit)
	}
}

func addNew(list []value.Value, v value.Value) []value.Value {
	if slices.ContainsFunc(list, func(o value.Value) bool { return value.Same(o, v) }) {
		return list
	}
	return append(list, v)
}

// Types are the texts of all parameters' types.
func (h *Hints) Types() []string {
	seen := map[string]bool{}
	var out []string
	for _, t := range h.types {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}

// samples are values of many types; a type is asked which of them it takes.
var samples = func() []value.Value {
	var out []value.Value
	for _, s := range strings.Fields("fresh present absent running stopped /fresh 0600 fresh.example.com 192.0.2.7 " +
		"http://fresh.example.com/ puppet:///modules/fresh 7 1.2.3 7M UTC") {
		out = append(out, value.String(s))
	}
	fresh := value.String("fresh")
	return append(out, value.Bool(true), value.Bool(false), value.Int(7), value.Int(0), value.Int(8081), value.Float(7.5),
		value.Undef{},
		value.Strings("fresh"), value.Strings("/fresh"), value.Strings("192.0.2.7"), value.Strings("7"),
		value.NewArray(value.Int(7)), value.EmptyArray,
		value.NewHash(fresh, fresh), value.NewHash(fresh, value.Int(7)),
		value.NewHash(fresh, value.NewHash(value.String("ensure"), value.String("present"))), value.EmptyHash)
}()

// Samples are values to ask a type for: some of every kind, and the words that the program's types are made of.
func (h *Hints) Samples() []value.Value {
	return append(samples[:len(samples):len(samples)], h.words...)
}

const takes = 7 // values of a type that are tried

// Take notes which of the samples a type takes, the words of its own first.
func (h *Hints) Take(typ string, accepted []value.Value) {
	own := func(v value.Value) bool {
		s, ok := v.(value.String)
		return ok && (strings.Contains(typ, "'"+string(s)+"'") || strings.Contains(typ, `"`+string(s)+`"`))
	}
	var first, rest []value.Value
	for _, v := range accepted {
		if own(v) {
			first = append(first, v)
		} else {
			rest = append(rest, v)
		}
	}
	list := append(first, rest...)
	h.Takes[typ] = list[:min(takes, len(list))]
}

// Parameter is some of what a parameter of a class or define takes.
func (h *Hints) Parameter(of, name string) []value.Value {
	return h.Takes[h.types[strings.TrimPrefix(strings.ToLower(of), "::")+" "+name]]
}

// comparisons visits what a node compares: a variable or fact by its name, and the expression that it is held against.
func comparisons(n syntax.Node, visit func(name string, with syntax.Expr)) {
	against := func(list ...syntax.Expr) {
		for i, a := range list {
			name := nameOf(a)
			for j := 0; name != "" && j < len(list); j++ {
				if i != j {
					visit(name, list[j])
				}
			}
		}
	}
	switch n := n.(type) {
	case *syntax.Binary:
		if n.Op >= syntax.OpEq && n.Op <= syntax.OpIn {
			against(n.Left, n.Right)
			for i, e := range elements(n.Right) {
				if n.Op == syntax.OpIn && i < 20 {
					against(n.Left, e)
				}
			}
		}
	case *syntax.Case:
		for _, o := range n.Options {
			for _, v := range o.Values {
				against(n.Test, v)
			}
		}
	case *syntax.Selector:
		for _, e := range n.Entries {
			against(n.Left, e.Key)
		}
	case *syntax.Call: // such as versioncmp
		against(n.Args...)
	case *syntax.MethodCall:
		against(append([]syntax.Expr{n.Functor.Left}, n.Args...)...)
	}
}

func elements(e syntax.Expr) []syntax.Expr {
	if l, ok := e.(*syntax.List); ok {
		return l.Elems
	}
	return nil
}

// nameOf is the name of a variable or of something in it: a fact's is its path. A function of one argument is taken for
// its argument.
func nameOf(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Paren:
		return nameOf(e.X)
	case *syntax.Var:
		return e.Name[strings.LastIndex(e.Name, ":")+1:]
	case *syntax.Access:
		name := nameOf(e.Left)
		for _, k := range e.Keys {
			v, ok := datum(k)
			if !ok || name == "" {
				return ""
			}
			if name += "." + value.ToString(v); strings.HasPrefix(name, "facts.") {
				name = strings.TrimPrefix(name, "facts.")
			}
		}
		return name
	case *syntax.Call:
		if len(e.Args) == 1 {
			return nameOf(e.Args[0])
		}
	case *syntax.MethodCall:
		if len(e.Args) == 0 {
			return nameOf(e.Functor.Left)
		}
	case *syntax.Interpolated:
		if len(e.Parts) == 1 {
			if t, ok := e.Parts[0].(*syntax.Text); ok {
				return nameOf(t.X)
			}
		}
	}
	return ""
}

// datum is the value of a literal.
func datum(e syntax.Expr) (value.Value, bool) {
	switch e := e.(type) {
	case *syntax.Str:
		return value.String(e.Value), true
	case *syntax.Name:
		return value.String(e.Value), true
	case *syntax.Int:
		return value.Int(e.Value), true
	case *syntax.Bool:
		return value.Bool(e.Value), true
	case *syntax.Undef:
		return value.Undef{}, true
	}
	return nil, false
}

// Holds notes what a variable holds, and what is in it.
func (h *Hints) Holds(name string, v value.Value) {
	list := h.Values[name]
	if len(list) < 4 {
		h.Values[name] = addNew(list, v)
	}
	if hash, ok := v.(*value.Hash); ok && strings.Count(name, ".") < 4 {
		for i, e := range hash.Entries() {
			if i < 40 {
				h.Holds(name+"."+value.ToString(e.Key), e.Value)
			}
		}
	}
}

// held are the scalars that a variable holds, as literals.
func (h *Hints) held(name string) (texts []string) {
	var walk func(v value.Value)
	walk = func(v value.Value) {
		switch v := v.(type) {
		case *value.Array:
			for i, e := range v.Elems {
				if i < 3 {
					walk(e)
				}
			}
		case value.String, value.Bool, value.Int:
			texts = append(texts, literals1(v)...)
		}
	}
	for _, v := range h.Values[name] {
		walk(v)
	}
	return texts
}

// literals1 writes those values as code that are one literal each.
func literals1(list ...value.Value) (texts []string) {
	for _, v := range list {
		if a, ok := v.(*value.Array); ok && a.Len() != 1 {
			continue
		}
		if _, ok := v.(*value.Hash); ok {
			continue
		}
		if s, ok := v.(value.String); ok && (len(s) > 80 || strings.ContainsAny(string(s), "\n")) {
			continue
		}
		if text, why := literal(v); why == "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// Compare notes that something is compared with a value outside of the programs.
func (h *Hints) Compare(name string, with value.Value) {
	h.compared[name] = addNew(h.compared[name], with)
}

// Compared is what a fact is compared with.
func (h *Hints) Compared(name string) []value.Value { return h.compared[name] }
