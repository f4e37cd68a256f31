package lsp

import (
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
)

// Which keys of Hiera hold names of classes is told by the code that looks them up: lookup('roles').include. A value is
// followed within a file, by the names of variables alone: through what keeps or leaves out elements of a list, through
// variables, parameters of blocks, and parameters of classes, which Hiera gives.

// handing finds the keys whose values the code of a file hands to include and its like.
type handing struct {
	effects func(function string) outline.Effect
	vars    map[string][]syntax.Expr // what variables are set to
	params  map[string][]string      // the keys of classes' parameters
	loose   map[string]bool          // parameters of defines and functions: anybody gives them
	keys    []string
	unsaid  bool // it declares classes of which it does not say where their names come from
}

// lookups are the functions that look up the key that is their first argument.
var lookups = map[string]bool{"lookup": true, "hiera": true, "hiera_array": true, "hiera_include": true}

// keeping are functions whose result has the elements of their first argument, or some of them.
var keeping = map[string]bool{"unique": true, "flatten": true, "sort": true, "reverse": true, "filter": true,
	"delete": true, "compact": true, "any2array": true, "each": true, "reverse_each": true, "delete_undef_values": true,
	"unwrap": true}

// handed are the keys whose values the code of a file hands to include; unsaid tells that there may be others.
func handed(tree *syntax.File, effects func(string) outline.Effect) (keys []string, unsaid bool) {
	h := &handing{effects: effects, vars: map[string][]syntax.Expr{}, params: map[string][]string{},
		loose: map[string]bool{}}
	all := slices.Concat(tree.Body.Stmts, eppBody(tree))
	for _, visit := range []func(syntax.Node) bool{h.sets, h.declares} {
		for _, x := range all {
			syntax.Walk(x, visit)
		}
	}
	slices.Sort(h.keys)
	return slices.Compact(h.keys), h.unsaid
}

// call is what a function is called with, whichever way it is written.
func call(n syntax.Node) (function string, args []syntax.Expr, block *syntax.Lambda) {
	switch n := n.(type) {
	case *syntax.Call:
		if name, is := n.Functor.(*syntax.Name); is {
			return strings.TrimPrefix(name.Value, "::"), n.Args, n.Lambda
		}
	case *syntax.MethodCall:
		return strings.TrimPrefix(n.Functor.Name.Value, "::"), slices.Concat([]syntax.Expr{n.Functor.Left}, n.Args), n.Lambda
	}
	return "", nil, nil
}

// sets notes what gives variables their values.
func (h *handing) sets(n syntax.Node) bool {
	loose := func(params []*syntax.Param) {
		for _, p := range params {
			h.loose[p.Name] = true
		}
	}
	switch n := n.(type) {
	case *syntax.Assign:
		if v, is := n.Left.(*syntax.Var); is {
			h.vars[v.Name] = append(h.vars[v.Name], n.Right)
		}
	case *syntax.Class:
		for _, p := range n.Params {
			h.params[p.Name] = append(h.params[p.Name], outline.Class(n.Name)+"::"+p.Name)
		}
	case *syntax.Define:
		loose(n.Params)
	case *syntax.Function:
		loose(n.Params)
	case *syntax.Call, *syntax.MethodCall:
		function, args, block := call(n)
		switch {
		case block == nil:
		case len(args) > 0 && keeping[function] && len(block.Params) == 1:
			h.vars[block.Params[0].Name] = append(h.vars[block.Params[0].Name], args[0])
		default:
			loose(block.Params)
		}
	}
	return true
}

// declares notes what the names of classes that a node declares come from.
func (h *handing) declares(n syntax.Node) bool {
	from := func(list ...syntax.Expr) {
		for _, x := range list {
			if !h.from(x, 0) {
				h.unsaid = true
			}
		}
	}
	switch n := n.(type) {
	case *syntax.Call, *syntax.MethodCall:
		const includes = outline.Includes | outline.Contains | outline.Requires
		switch function, args, _ := call(n); {
		case function == "hiera_include" && len(args) > 0:
			if !h.key(args[0]) {
				h.unsaid = true
			}
		case function == "create_resources" && len(args) > 1:
			_, written := args[1].(*syntax.Hash)
			h.unsaid = h.unsaid || !written && slices.Contains(syntax.StaticNames(args[0]), "class")
		case h.effects(function)&includes != 0 && h.effects(function)&outline.Anything == 0:
			from(args...)
		}
	case *syntax.Resource:
		if name, is := n.Type.(*syntax.Name); is && name.Value == "class" {
			for _, b := range n.Bodies {
				from(b.Title)
			}
		}
	case *syntax.Access:
		if r, is := n.Left.(*syntax.Ref); is && r.Value == "Class" {
			from(n.Keys...)
		}
	}
	return true
}

// key notes a key that is written out.
func (h *handing) key(e syntax.Expr) bool {
	s, is := e.(*syntax.Str)
	if is {
		h.keys = append(h.keys, strings.TrimPrefix(s.Value, "::"))
	}
	return is
}

// from notes the keys whose values an expression comes to, and reports whether it says all that it comes to.
func (h *handing) from(e syntax.Expr, depth int) (all bool) {
	const deep = 20
	if depth++; depth > deep {
		return false
	}
	every := func(list ...syntax.Expr) bool {
		all := true
		for _, x := range list {
			all = h.from(x, depth) && all
		}
		return all
	}
	switch e := e.(type) {
	case *syntax.Name, *syntax.Str, *syntax.Interpolated, *syntax.Undef, *syntax.Default, *syntax.Ref:
		return true
	case *syntax.Paren:
		return h.from(e.X, depth)
	case *syntax.Unary:
		return h.from(e.X, depth)
	case *syntax.List:
		return every(e.Elems...)
	case *syntax.Binary:
		switch e.Op {
		case syntax.OpAdd, syntax.OpShl:
			return every(e.Left, e.Right)
		case syntax.OpSub:
			return h.from(e.Left, depth)
		}
	case *syntax.Access:
		r, is := e.Left.(*syntax.Ref)
		return is && r.Value == "Class" && every(e.Keys...)
	case *syntax.Selector:
		all = true
		for _, x := range e.Entries {
			all = h.from(x.Value, depth) && all
		}
		return all
	case *syntax.Call, *syntax.MethodCall:
		switch function, args, _ := call(e); {
		case len(args) == 0:
		case lookups[function]:
			return h.key(args[0])
		case keeping[function]:
			return h.from(args[0], depth)
		}
	case *syntax.Var:
		name := strings.TrimPrefix(e.Name, "::")
		if strings.Contains(name, "::") { // that of a class: a parameter perhaps
			h.keys = append(h.keys, name)
			return false
		}
		h.keys = append(h.keys, h.params[name]...)
		return every(h.vars[name]...) && !h.loose[name] && len(h.vars[name])+len(h.params[name]) > 0
	}
	return false
}

// className is a text that can be the name of a class.
var className = regexp.MustCompile(`^[a-zA-Z]\w*(?:::\w+)*$`)

// classesOf are the classes that the value of a key names: a text, or a list of texts.
func classesOf(e *entry, n *datafile.Node) (names []outline.Name) {
	switch v := n.Value.(type) {
	case value.String:
		name := strings.TrimPrefix(string(v), "::")
		if className.MatchString(name) {
			names = append(names, outline.Name{Kind: outline.ClassName, Name: outline.Class(name), Text: true,
				Span: within(e.file, n.Span, name)})
		}
	case *value.Array:
		for _, kid := range n.Kids {
			if _, deep := kid.Node.Value.(*value.Hash); !deep {
				names = append(names, classesOf(e, kid.Node)...)
			}
		}
	}
	return names
}
