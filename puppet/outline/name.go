package outline

import (
	"strings"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Names: where code names what. An editor asks for it: what does this word mean, where else is it meant.
//
// A file is read alone, so that what was read of it can be kept as long as its text is the same. What a name means in
// other files, is left to who has all of them: a variable that is not set in the class where it stands may be that of
// the class which it inherits, or of the top scope (Free).

// A NameKind is what a name is a name of.
type NameKind uint8

const (
	ClassName    NameKind = iota
	TypeName              // a define, a resource type or a data type: names of one kind in code
	FunctionName          // without leading colons
	VariableName          // of a class or define, OWNER::NAME, also its parameters; of the top scope NAME
	LocalName             // a variable of a function, a lambda or a template
	KeyName               // of Hiera's
	TemplateName          // MODULE/FILE
	ResourceName          // Type[title]
)

// A Name is one place in code at which something is named.
type Name struct {
	Kind    NameKind
	Name    string
	Defines bool // it stands where the thing is defined; a variable where it is set, or a parameter
	// Free tells that a variable is not set where it stands: it is that of Name only if that class has it.
	Free  bool
	Local uint32      // of a LocalName: where the scope begins that has it, 0 for a template
	Of    string      // of a LocalName that a caller gives a template: the template's name
	Span  source.Span // of the name alone, without a dollar, quotes or leading colons
	Whole source.Span // of a definition: all of it
	In    string      // the class, define or function that it stands in
	Param bool        // it is a parameter of a class, define, plan, function or template, or the attribute that sets one
	Text  bool        // it stands in a string, which may happen to look like a name: a title, a key
	// Includes tells that the code there puts the class into the catalog: it is included, declared or inherited.
	Includes bool
}

// Names are all names of a file, in the order of the text. effects is what functions do, by plain name.
func Names(f *syntax.File, effects func(function string) Effect) []Name {
	n := &namer{file: f, effects: effects}
	top := &scope{}
	if f.Epp != nil {
		top = &scope{local: true}
		for _, p := range f.Epp.Params {
			n.param(p, top)
		}
		top.sets(f.Epp.Body.Stmts)
		n.all(f.Epp.Body.Stmts, top)
		return n.names
	}
	n.all(f.Body.Stmts, top)
	return n.names
}

// A scope is where variables are set.
type scope struct {
	owner  string // class or define; "" for the top scope, which nodes share
	parent string // that a class inherits
	local  bool   // a function, lambda or template
	at     uint32
	vars   map[string]bool
	outer  *scope // of a lambda
}

// own are variables that every class and define has.
const own = " title name module_name caller_module_name "

func (s *scope) has(name string) bool {
	return s.vars[name] || s.owner != "" && strings.Contains(own, " "+name+" ")
}

func (s *scope) set(name string) {
	if s.vars == nil {
		s.vars = map[string]bool{}
	}
	s.vars[name] = true
}

// sets finds the variables that statements set in their own scope.
func (s *scope) sets(stmts []syntax.Expr) {
	for _, x := range stmts {
		syntax.Walk(x, func(n syntax.Node) bool {
			switch n := n.(type) {
			case syntax.Definition, *syntax.Lambda:
				return false
			case *syntax.Assign:
				syntax.Walk(n.Left, func(l syntax.Node) bool {
					if v, is := l.(*syntax.Var); is {
						s.set(v.Name)
					}
					return true
				})
			}
			return true
		})
	}
}

type namer struct {
	file    *syntax.File
	effects func(string) Effect
	names   []Name
	in      string
}

func (n *namer) add(x Name) {
	x.In = n.in
	n.names = append(n.names, x)
}

func (n *namer) all(list []syntax.Expr, s *scope) {
	for _, x := range list {
		n.node(x, s)
	}
}

// plain is a span without leading colons.
func (n *namer) plain(s source.Span) source.Span {
	if strings.HasPrefix(n.file.Source.Slice(s), "::") {
		s.Start += 2
	}
	return s
}

// inside is where the text of a literal stands, if it is written as it is.
func (n *namer) inside(x syntax.Expr, value string) (source.Span, bool) {
	s := x.Span()
	text := n.file.Source.Slice(s)
	i := strings.Index(text, value)
	if i < 0 || i > 1 || len(text) > len(value)+2 || value == "" {
		return s, false
	}
	return n.plain(source.Span{Start: s.Start + uint32(i), End: s.Start + uint32(i+len(value))}), true
}

// literals calls f for every name that an expression writes out.
func (n *namer) literals(e syntax.Expr, f func(text string, at source.Span)) {
	switch e := e.(type) {
	case *syntax.Name:
		f(e.Value, n.plain(e.Span()))
	case *syntax.Str:
		if at, ok := n.inside(e, e.Value); ok {
			f(e.Value, at)
		}
	case *syntax.List:
		for _, x := range e.Elems {
			n.literals(x, f)
		}
	case *syntax.Paren:
		n.literals(e.X, f)
	case *syntax.Selector:
		for _, x := range e.Entries {
			n.literals(x.Value, f)
		}
	}
}

func (n *namer) classes(e syntax.Expr, includes bool) {
	n.literals(e, func(text string, at source.Span) {
		n.add(Name{Kind: ClassName, Name: Class(text), Span: at, Text: true, Includes: includes})
	})
}

// definition adds a definition's name and visits its body in a scope of its own.
func (n *namer) definition(kind NameKind, name string, at, whole source.Span, params []*syntax.Param, body syntax.Body,
	s *scope, returns ...syntax.Expr) {
	around := n.in
	n.in = Class(name)
	n.add(Name{Kind: kind, Name: Class(name), Defines: true, Span: n.plain(at), Whole: whole})
	for _, p := range params {
		s.set(p.Name)
	}
	s.sets(body.Stmts)
	for _, p := range params {
		n.param(p, s)
	}
	for _, r := range returns {
		if r != nil {
			n.node(r, s)
		}
	}
	n.all(body.Stmts, s)
	n.in = around
}

func (n *namer) param(p *syntax.Param, s *scope) {
	s.set(p.Name)
	if p.Type != nil {
		n.node(p.Type, s)
	}
	n.variable(p.Name, p.NameAt, s, Name{Defines: true, Param: true, Whole: p.Span()})
	if p.Default != nil {
		n.node(p.Default, s)
	}
}

// variable adds a variable as a scope sees it; at may hold the dollar, and braces.
func (n *namer) variable(name string, at source.Span, s *scope, x Name) {
	text := n.file.Source.Slice(at)
	i := strings.Index(text, name)
	if i < 0 || name == "" || name[0] >= '0' && name[0] <= '9' {
		return
	}
	x.Span = n.plain(source.Span{Start: at.Start + uint32(i), End: at.Start + uint32(i+len(name))})
	x.Kind = VariableName
	if strings.Contains(name, "::") {
		x.Name = strings.TrimPrefix(name, "::")
		n.add(x)
		return
	}
	for ; s.outer != nil && !s.has(name); s = s.outer {
	}
	switch {
	case s.local && s.has(name):
		x.Kind, x.Name, x.Local = LocalName, name, s.at
	case s.local:
		x.Name, x.Free = name, true
	case s.owner != "" && s.has(name):
		x.Name = s.owner + "::" + name
	case s.parent != "":
		x.Name, x.Free = s.parent+"::"+name, true
	default:
		x.Name = name
		x.Free = !s.has(name)
	}
	n.add(x)
}

func (n *namer) node(x syntax.Node, s *scope) {
	switch x := x.(type) {
	case *syntax.Class:
		in := &scope{owner: Class(x.Name), parent: Class(x.Parent)}
		n.definition(ClassName, x.Name, x.NameAt, x.Span(), x.Params, x.Body, in)
		if x.Parent != "" {
			around := n.in
			n.in = Class(x.Name)
			n.add(Name{Kind: ClassName, Name: Class(x.Parent), Span: n.plain(x.ParentAt), Includes: true})
			n.in = around
		}
		return
	case *syntax.Define:
		n.definition(TypeName, x.Name, x.NameAt, x.Span(), x.Params, x.Body, &scope{owner: Class(x.Name)})
		return
	case *syntax.Function:
		n.definition(FunctionName, x.Name, x.NameAt, x.Span(), x.Params, x.Body,
			&scope{local: true, at: x.Span().Start}, x.Returns)
		return
	case *syntax.Plan:
		n.definition(FunctionName, x.Name, x.NameAt, x.Span(), x.Params, x.Body, &scope{local: true, at: x.Span().Start})
		return
	case *syntax.TypeAlias:
		n.add(Name{Kind: TypeName, Name: Class(x.Name), Defines: true, Span: n.plain(x.NameAt), Whole: x.Span()})
		if x.X != nil {
			n.node(x.X, s)
		}
		return
	case *syntax.NodeDef:
		in := &scope{}
		in.sets(x.Body.Stmts)
		n.all(x.Body.Stmts, in)
		return
	case *syntax.Lambda:
		in := &scope{local: true, at: x.Span().Start, outer: s}
		for _, p := range x.Params {
			in.set(p.Name)
		}
		in.sets(x.Body.Stmts)
		for _, p := range x.Params {
			n.param(p, in)
		}
		n.all(x.Body.Stmts, in)
		return
	case *syntax.Assign:
		n.node(x.Right, s)
		syntax.Walk(x.Left, func(l syntax.Node) bool {
			if v, is := l.(*syntax.Var); is {
				n.variable(v.Name, v.Span(), s, Name{Defines: true, Whole: x.Span()})
			}
			return true
		})
		return
	case *syntax.Var:
		if !x.Word {
			n.variable(x.Name, x.Span(), s, Name{})
		}
		return
	case *syntax.Ref:
		n.add(Name{Kind: TypeName, Name: Class(x.Value), Span: n.plain(x.Span())})
		return
	case *syntax.Resource:
		n.resource(x, s)
		return
	case *syntax.Access:
		n.reference(x, s)
		return
	case *syntax.Override:
		n.node(x.Target, s)
		owner := ""
		if a, is := x.Target.(*syntax.Access); is {
			owner = ownerOf(a)
		}
		n.attributes(owner, x.Ops, s)
		return
	case *syntax.Defaults:
		n.node(x.Type, s)
		n.attributes(typeOf(x.Type), x.Ops, s)
		return
	case *syntax.Collect:
		n.node(x.Type, s)
		if x.Query != nil {
			n.node(x.Query, s)
		}
		n.attributes(typeOf(x.Type), x.Ops, s)
		return
	case *syntax.Call:
		if f, is := x.Functor.(*syntax.Name); is {
			n.call(f, x.Args)
		} else {
			n.node(x.Functor, s)
		}
		n.all(x.Args, s)
		if x.Lambda != nil {
			n.node(x.Lambda, s)
		}
		return
	case *syntax.MethodCall:
		n.node(x.Functor.Left, s)
		n.call(x.Functor.Name, append([]syntax.Expr{x.Functor.Left}, x.Args...))
		n.all(x.Args, s)
		if x.Lambda != nil {
			n.node(x.Lambda, s)
		}
		return
	}
	syntax.Children(x, func(c syntax.Node) { n.node(c, s) })
}

// call adds a function's name, and what its arguments name.
func (n *namer) call(f *syntax.Name, args []syntax.Expr) {
	name := strings.TrimPrefix(f.Value, "::")
	n.add(Name{Kind: FunctionName, Name: name, Span: n.plain(f.Span())})
	if len(args) == 0 {
		return
	}
	e := n.effects(name)
	first := func(kind NameKind) {
		n.literals(args[0], func(text string, at source.Span) {
			n.add(Name{Kind: kind, Name: strings.TrimPrefix(text, "::"), Span: at, Text: true})
		})
	}
	switch {
	case e&(Includes|Contains|Requires) != 0 && e&Anything == 0:
		for _, a := range args {
			n.classes(a, true)
		}
	case e&Makes != 0:
		n.literals(args[0], func(text string, at source.Span) {
			n.add(Name{Kind: TypeName, Name: Class(strings.TrimLeft(text, "@")), Span: at, Text: true})
		})
	}
	switch name {
	case "lookup", "hiera", "hiera_array", "hiera_hash", "hiera_include":
		first(KeyName)
	case "template", "epp":
		for _, a := range args {
			if name == "template" || a == args[0] {
				n.literals(a, func(text string, at source.Span) {
					n.add(Name{Kind: TemplateName, Name: text, Span: at, Text: true})
					if name == "epp" && len(args) > 1 {
						n.given(text, args[1])
					}
				})
			}
		}
	}
}

// given adds the parameters that a call gives a template.
func (n *namer) given(template string, args syntax.Expr) {
	hash, is := args.(*syntax.Hash)
	if !is {
		return
	}
	for _, e := range hash.Entries {
		n.literals(e.Key, func(text string, at source.Span) {
			n.add(Name{Kind: LocalName, Name: text, Of: template, Span: at, Param: true, Text: true})
		})
	}
}

// resource adds what a resource expression names: its type, its titles, its attributes.
func (n *namer) resource(x *syntax.Resource, s *scope) {
	typ := ""
	if name, is := x.Type.(*syntax.Name); is {
		if typ = Class(name.Value); typ != "class" {
			n.add(Name{Kind: TypeName, Name: typ, Span: n.plain(name.Span())})
		}
	} else {
		n.node(x.Type, s)
		typ = typeOf(x.Type)
	}
	for _, b := range x.Bodies {
		owner := typ
		if typ == "class" {
			n.classes(b.Title, true)
			owner = ""
			if list := syntax.StaticNames(b.Title); len(list) == 1 && list[0] != "" {
				owner = Class(list[0])
			}
		} else if typ != "" {
			n.literals(b.Title, func(text string, at source.Span) {
				n.add(Name{Kind: ResourceName, Name: Capitalized(typ) + "[" + text + "]", Defines: true, Span: at,
					Whole: b.Span(), Text: true})
			})
		}
		if _, plain := b.Title.(*syntax.Str); !plain {
			n.node(b.Title, s)
		}
		n.attributes(owner, b.Ops, s)
	}
}

func (n *namer) attributes(owner string, ops []*syntax.AttrOp, s *scope) {
	for _, op := range ops {
		if owner != "" && !op.Splat {
			n.add(Name{Kind: VariableName, Name: owner + "::" + op.Name, Span: op.NameAt, Param: true})
		}
		if op.Value != nil {
			n.node(op.Value, s)
		}
	}
}

// reference adds Type[title], which may be a data type with parameters as well.
func (n *namer) reference(x *syntax.Access, s *scope) {
	ref, is := x.Left.(*syntax.Ref)
	if !is {
		n.node(x.Left, s)
		n.all(x.Keys, s)
		return
	}
	typ := Class(ref.Value)
	if typ != "class" {
		n.node(ref, s)
	}
	for _, k := range x.Keys {
		if typ == "class" {
			n.classes(k, false)
			continue
		}
		n.literals(k, func(text string, at source.Span) {
			n.add(Name{Kind: ResourceName, Name: Capitalized(typ) + "[" + text + "]", Span: at, Text: true})
		})
		n.node(k, s)
	}
}

// typeOf is the type that a reference names, "" for none.
func typeOf(e syntax.Expr) string {
	if r, is := e.(*syntax.Ref); is {
		return Class(r.Value)
	}
	return ""
}

// ownerOf is what the attributes of a reference's resource belong to.
func ownerOf(a *syntax.Access) string {
	typ := typeOf(a.Left)
	if typ != "class" {
		return typ
	}
	if list := syntax.StaticNames(a); len(list) == 1 {
		return Class(list[0])
	}
	return ""
}

// NamesERB are the names of an ERB template: variables of the scope that renders it, as @name, and those that it asks
// for by a qualified name. What stands outside of <% … %> is text.
func NamesERB(text string) (names []Name) {
	for from := 0; ; {
		i := strings.Index(text[from:], "<%")
		if i < 0 {
			return names
		}
		from += i + 2
		end := strings.Index(text[from:], "%>")
		if end < 0 {
			end = len(text) - from
		}
		if code := text[from : from+end]; !strings.HasPrefix(code, "#") && !strings.HasPrefix(code, "%") {
			names = append(names, rubyNames(code, uint32(from))...)
		}
		from += end
	}
}

// rubyNames are the names in a piece of a template's Ruby that begins at an offset.
func rubyNames(code string, base uint32) (names []Name) {
	word := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for i := 0; i < len(code); i++ {
		switch {
		case code[i] == '@' && (i == 0 || !word(code[i-1]) && code[i-1] != '@'):
			end := i + 1
			for end < len(code) && word(code[end]) {
				end++
			}
			if end > i+1 && code[i+1] != '_' {
				names = append(names, Name{Kind: VariableName, Name: code[i+1 : end], Free: true,
					Span: source.Span{Start: base + uint32(i) + 1, End: base + uint32(end)}})
			}
			i = end - 1
		case strings.HasPrefix(code[i:], "scope") && (i == 0 || !word(code[i-1])):
			rest := code[i+5:]
			for _, open := range []string{"['", `["`, ".lookupvar('", `.lookupvar("`, ".lookupvar '"} {
				name, is := strings.CutPrefix(rest, open)
				if !is {
					continue
				}
				end := strings.IndexAny(name, `'"`)
				if end <= 0 {
					break
				}
				at := i + 5 + len(open)
				name = name[:end]
				if plain, is := strings.CutPrefix(name, "::"); is {
					name, at = plain, at+2
				}
				names = append(names, Name{Kind: VariableName, Name: name, Free: !strings.Contains(name, "::"),
					Span: source.Span{Start: base + uint32(at), End: base + uint32(at+len(name))}})
			}
		}
	}
	return names
}
