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
	FileName              // MODULE/FILE, of a module's files
)

// A Name is one place in code at which something is named.
type Name struct {
	Kind    NameKind
	Name    string
	Defines bool // it stands where the thing is defined; a variable where it is set, or a parameter
	// Free tells that a variable is not set where it stands: it is that of Name only if that class has it.
	Free bool
	// Top tells that a variable is that of the top scope, whatever nodes set, and Node that it is set by a node block: by
	// which of the file, counted from 1. One that is neither and has no owner is that of the node or of the top scope.
	Top   bool
	Node  uint32
	Local uint32 // of a LocalName: where the scope begins that has it, 0 for a template
	// Of is, of a LocalName that a caller gives a template, the template's name; of a template that is Open, the variable
	// of a class that it has its name from, if it has it from one.
	Of      string
	Span    source.Span // of the name alone, without a dollar, quotes or leading colons
	Whole   source.Span // of a definition: all of it
	In      string      // the class, define or function that it stands in
	Param   bool        // it is a parameter of a class, define, plan, function or template, or the attribute that sets one
	Text    bool        // it stands in a string, which may happen to look like a name: a title, a key
	Tag     bool        // it is a tag, which resources have of every part of the name of their class or define
	Pattern bool        // it is any name of the kind that Name matches: a regular expression, or a text with Holes
	Keyed   bool        // a variable that may be taken out of a hash, by its key: [$port, $host] = $hash
	// Includes tells that the code there puts the class into the catalog: it is included, declared or inherited.
	Includes bool
	// By is the code that comes to the name where that stands elsewhere: of a template whose name or text is in a variable
	// the argument of the call that renders it.
	By source.Span
	// Open tells that the code there does not say which names of the kind it comes to: lookup($key). Name is empty or,
	// of the attributes of one thing, OWNER::; of a LocalName, Of says which template takes the parameters. A template is
	// Text if it is the text that nobody knows, and no name.
	Open bool
}

// From is where code comes to a name.
func (n Name) From() uint32 {
	if n.By.Len() > 0 {
		return n.By.Start
	}
	return n.Span.Start
}

// InFiles is what names have in front of templates that lie among the files of a module, and are rendered as texts:
// inline_template(file('web/t.erb')).
const InFiles = "file "

// Names are all names of a file, in the order of the text. effects is what functions do, by plain name.
func Names(f *syntax.File, effects func(function string) Effect) []Name {
	n := &namer{file: f, effects: effects}
	top := &scope{}
	if f.Epp != nil {
		n.template(&scope{local: true})
		return n.names
	}
	top.sets(f.Body.Stmts)
	n.all(f.Body.Stmts, top)
	return n.names
}

// template adds the names of an EPP template.
func (n *namer) template(top *scope) {
	for _, p := range n.file.Epp.Params {
		n.param(p, top)
	}
	top.sets(n.file.Epp.Body.Stmts)
	n.all(n.file.Epp.Body.Stmts, top)
}

// A scope is where variables are set.
type scope struct {
	owner  string // class or define; "" for the top scope and nodes
	parent string // that a class inherits
	node   uint32 // which of the file's nodes it is, from 1; 0 for none
	local  bool   // a function, lambda or template
	alone  bool   // a function, which sees nothing else but the top scope
	at     uint32
	vars   map[string]syntax.Expr // what each is set to
	loose  map[string]bool        // those that may have another value as well: parameters, and what is set twice
	outer  *scope                 // of a lambda
}

// own are variables that every class and define has.
const own = " title name module_name caller_module_name "

func (s *scope) has(name string) bool {
	_, set := s.vars[name]
	return set || s.owner != "" && strings.Contains(own, " "+name+" ")
}

func (s *scope) set(name string, to syntax.Expr) {
	if s.vars == nil {
		s.vars = map[string]syntax.Expr{}
	}
	s.vars[name] = to
}

// loosen notes that a variable may have another value than the one that is written.
func (s *scope) loosen(name string) {
	if s.loose == nil {
		s.loose = map[string]bool{}
	}
	s.loose[name] = true
}

// written is what a variable is set to, if the code of its scope says that outright; otherwise nil. only tells that it
// is set to nothing else.
func (s *scope) written(name string) (x syntax.Expr, only bool) {
	for ; s != nil; s = s.outer {
		if x, set := s.vars[name]; set {
			switch x.(type) {
			case *syntax.Str, *syntax.Name, *syntax.List, *syntax.Hash, *syntax.Heredoc, *syntax.Interpolated, *syntax.Call,
				*syntax.MethodCall:
				return x, !s.loose[name]
			}
			return nil, false
		}
	}
	return nil, false
}

// sets finds the variables that statements set in their own scope.
func (s *scope) sets(stmts []syntax.Expr) {
	for _, x := range stmts {
		syntax.Walk(x, func(n syntax.Node) bool {
			switch n := n.(type) {
			case syntax.Definition, *syntax.Lambda:
				return false
			case *syntax.Assign:
				if v, is := n.Left.(*syntax.Var); is {
					if s.has(v.Name) {
						s.loosen(v.Name)
					}
					s.set(v.Name, n.Right)
					return true
				}
				syntax.Walk(n.Left, func(l syntax.Node) bool {
					if v, is := l.(*syntax.Var); is {
						s.set(v.Name, nil)
					}
					return true
				})
			}
			return true
		})
	}
}

type namer struct {
	file      *syntax.File
	effects   func(string) Effect
	names     []Name
	in        string
	nodes     uint32      // how many there were
	at        []uint32    // of a template that stands in a string: where each byte of it stands in the file
	by        source.Span // the argument of a call that is read
	following int         // how many variables deep
	followed  int         // how many variables
}

func (n *namer) add(x Name) {
	if x.Text && strings.IndexByte(x.Name, Hole) >= 0 {
		switch x.Kind {
		case ResourceName, FileName, LocalName:
			return // nobody renames those
		}
		if !strings.ContainsFunc(x.Name, func(c rune) bool { return c >= 'a' && c <= 'z' }) {
			return // it may be anything
		}
		x.Pattern, x.Free = true, false
	}
	x.In = n.in
	if n.at != nil {
		x.Span, x.Whole = n.real(x.Span), n.real(x.Whole)
	}
	if !n.by.Contains(x.Span) {
		x.By = n.by
	}
	n.names = append(n.names, x)
}

// real is where a span stands in the file.
func (n *namer) real(s source.Span) source.Span {
	if n.at == nil || s.Len() == 0 {
		return s
	}
	return source.Span{Start: n.begin(s), End: n.at[min(int(s.End), len(n.at))-1] + 1}
}

// begin is where a span begins in the file.
func (n *namer) begin(s source.Span) uint32 {
	if n.at == nil {
		return s.Start
	}
	return n.at[min(int(s.Start), len(n.at)-1)]
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

// inside is where the text of a literal stands; if it is not written as it is, with its quotes.
func (n *namer) inside(x syntax.Expr, value string) source.Span {
	s := x.Span()
	text := n.file.Source.Slice(s)
	i := strings.Index(text, value)
	if i < 0 || i > 1 || len(text) > len(value)+2 {
		return s
	}
	return source.Span{Start: s.Start + uint32(i), End: s.Start + uint32(i+len(value))}
}

// literals calls f for every name that an expression writes out; with a scope also for those of a variable that is set
// there, and for those that are put together. It reports whether these are all that the expression may come to.
func (n *namer) literals(e syntax.Expr, s *scope, f func(text string, at source.Span)) (all bool) {
	switch e := e.(type) {
	case *syntax.Name:
		f(e.Value, e.Span())
		return true
	case *syntax.Str:
		if e.Value != "" {
			f(e.Value, n.inside(e, e.Value))
		}
		return true
	case *syntax.Default, *syntax.Undef:
		return true
	case *syntax.Heredoc:
		return n.literals(e.X, s, f)
	case *syntax.Interpolated:
		if s == nil {
			return false
		}
		at := e.Span()
		if n.file.Source.Text[at.Start] == '"' {
			at = source.Span{Start: at.Start + 1, End: at.End - 1}
		}
		text := n.joined(e, s)
		f(text, at)
		return strings.Trim(text, string(Hole)+":/") != ""
	case *syntax.List:
		all = true
		for _, x := range e.Elems {
			all = n.literals(x, s, f) && all
		}
		return all
	case *syntax.Paren:
		return n.literals(e.X, s, f)
	case *syntax.Selector:
		all = true
		for _, x := range e.Entries {
			all = n.literals(x.Value, s, f) && all
		}
		return all
	case *syntax.If:
		all = n.last(e.Then, s, f)
		return n.last(e.Else, s, f) && all
	case *syntax.Case:
		all = true
		for _, o := range e.Options {
			all = n.last(o.Then, s, f) && all
		}
		return all
	case *syntax.Binary:
		if e.Op == syntax.OpAdd || e.Op == syntax.OpShl {
			all = n.literals(e.Left, s, f)
			return n.literals(e.Right, s, f) && all
		}
	case *syntax.Var:
		return n.follow(e, s, func(x syntax.Expr) bool { return n.literals(x, s, f) })
	case *syntax.Call:
		if name, is := e.Functor.(*syntax.Name); is && s != nil {
			return n.puts(name.Value, e.Args, e.Span(), s, f)
		}
	case *syntax.MethodCall:
		if s != nil {
			return n.puts(e.Functor.Name.Value, append([]syntax.Expr{e.Functor.Left}, e.Args...), e.Span(), s, f)
		}
	}
	return false
}

// follow reads what a variable is set to. It reports whether the variable has nothing else, and that is all there. One
// may be made of itself, or of one that has many of another: neither is followed far.
func (n *namer) follow(v *syntax.Var, s *scope, read func(x syntax.Expr) (all bool)) (all bool) {
	const deep, many = 4, 20000
	x, only := s.written(v.Name)
	if x == nil || n.following == deep || n.followed == many {
		return false
	}
	n.following++
	n.followed++
	defer func() { n.following-- }()
	return read(x) && only
}

// A Hole stands in a name for a part that is computed.
const Hole = '\x00'

// joined is the text of a string with interpolations, with a Hole for each that is computed.
func (n *namer) joined(e *syntax.Interpolated, s *scope) string {
	var b strings.Builder
	for _, p := range e.Parts {
		switch p := p.(type) {
		case *syntax.Str:
			b.WriteString(p.Value)
			continue
		case *syntax.Text:
			if v, is := p.X.(*syntax.Var); is {
				if x, only := s.written(v.Name); only {
					if x, is := x.(*syntax.Str); is {
						b.WriteString(x.Value)
						continue
					}
				}
				if v.Name == "module_name" && n.in != "" {
					module, _, _ := strings.Cut(n.in, "::")
					b.WriteString(module)
					continue
				}
			}
		}
		b.WriteByte(Hole)
	}
	return b.String()
}

// Matches reports whether a text with Holes may be a name.
func Matches(pattern, name string) bool {
	first, rest, more := strings.Cut(pattern, string(Hole))
	name, is := strings.CutPrefix(name, first)
	for is && more {
		if first, rest, more = strings.Cut(rest, string(Hole)); !more {
			return strings.HasSuffix(name, first)
		}
		_, name, is = strings.Cut(name, first)
	}
	return is && name == ""
}

// last calls f for what a block comes to.
func (n *namer) last(b syntax.Body, s *scope, f func(text string, at source.Span)) (all bool) {
	return len(b.Stmts) == 0 || n.literals(b.Stmts[len(b.Stmts)-1], s, f)
}

// open notes that code comes to names of a kind that it does not say.
func (n *namer) open(kind NameKind, name string, at syntax.Expr) {
	n.add(Name{Kind: kind, Name: name, Span: at.Span(), Open: true})
}

// flows notes the references that an expression may come to: who gets one may ask it for any attribute.
func (n *namer) flows(e syntax.Expr) {
	last := func(b syntax.Body) {
		if len(b.Stmts) > 0 {
			n.flows(b.Stmts[len(b.Stmts)-1])
		}
	}
	switch e := e.(type) {
	case *syntax.Access:
		if owner := n.ownerOf(e); owner != "" {
			n.open(VariableName, owner+"::", e)
		}
	case *syntax.Paren:
		n.flows(e.X)
	case *syntax.List:
		for _, x := range e.Elems {
			n.flows(x)
		}
	case *syntax.Hash:
		for _, x := range e.Entries {
			n.flows(x.Value)
		}
	case *syntax.Selector:
		for _, x := range e.Entries {
			n.flows(x.Value)
		}
	case *syntax.If:
		last(e.Then)
		last(e.Else)
	case *syntax.Case:
		for _, o := range e.Options {
			last(o.Then)
		}
	}
}

// passed notes the references that a function gets of which nobody has said what it does with them.
func (n *namer) passed(function string, args []syntax.Expr) {
	if takes[function] == nil {
		for _, a := range args {
			n.flows(a)
		}
	}
}

func (n *namer) classes(e syntax.Expr, s *scope, includes bool) {
	if a, is := e.(*syntax.Access); is {
		if typ, titles := named(a); typ == "class" { // its node adds them, too, and does not know what they are for
			for _, t := range titles {
				n.classes(t, s, includes)
			}
		}
	}
	if l, is := e.(*syntax.List); is {
		for _, x := range l.Elems {
			n.classes(x, s, includes)
		}
		return
	}
	n.literals(e, s, func(text string, at source.Span) {
		inText(aClass, text, at, func(x Name) {
			x.Includes = includes
			n.add(x)
		})
	})
}

// definition adds a definition's name and visits its body in a scope of its own.
func (n *namer) definition(kind NameKind, name string, at, whole source.Span, params []*syntax.Param, body syntax.Body,
	s *scope, returns ...syntax.Expr) {
	around := n.in
	n.in = Class(name)
	n.add(Name{Kind: kind, Name: Class(name), Defines: true, Span: n.plain(at), Whole: whole})
	for _, p := range params {
		s.set(p.Name, p.Default)
		s.loosen(p.Name)
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
	if kind == FunctionName && len(body.Stmts) > 0 {
		n.flows(body.Stmts[len(body.Stmts)-1])
	}
	n.in = around
}

func (n *namer) param(p *syntax.Param, s *scope) {
	s.set(p.Name, p.Default)
	s.loosen(p.Name)
	if p.Type != nil {
		n.node(p.Type, s)
	}
	n.variable(p.Name, p.NameAt, s, Name{Defines: true, Param: true, Whole: p.Span()})
	if p.Default != nil {
		n.flows(p.Default)
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
	n.bind(name, n.plain(source.Span{Start: at.Start + uint32(i), End: at.Start + uint32(i+len(name))}), s, x)
}

// bind adds a variable as a scope sees it.
func (n *namer) bind(name string, at source.Span, s *scope, x Name) {
	x.Span = at
	n.bound(name, s, x, n.add)
}

// bound calls add for a variable as a scope sees it.
func (n *namer) bound(name string, s *scope, x Name, add func(Name)) {
	x.Kind, x.Free = VariableName, false
	if strings.Contains(name, "::") || strings.IndexByte(name, Hole) >= 0 {
		x.Name = strings.TrimPrefix(name, "::")
		x.Top = x.Name != name && !strings.Contains(x.Name, "::")
		add(x)
		return
	}
	for ; s.outer != nil && !s.has(name); s = s.outer {
	}
	switch {
	case s.local && s.has(name):
		x.Kind, x.Name, x.Local = LocalName, name, s.at
	case s.local:
		x.Name, x.Free, x.Top = name, true, s.alone
	case s.owner != "" && s.has(name):
		x.Name = s.owner + "::" + name
	case s.parent != "":
		x.Name, x.Free = s.parent+"::"+name, true
	default:
		x.Name = name
		x.Free = !s.has(name)
		if s.owner == "" && !x.Free {
			x.Node = s.node
		}
		x.Top = s.owner == "" && x.Node == 0
	}
	add(x)
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
			&scope{local: true, alone: true, at: n.begin(x.Span())}, x.Returns)
		return
	case *syntax.Plan:
		n.definition(FunctionName, x.Name, x.NameAt, x.Span(), x.Params, x.Body,
			&scope{local: true, alone: true, at: n.begin(x.Span())})
		return
	case *syntax.TypeAlias:
		n.add(Name{Kind: TypeName, Name: Class(x.Name), Defines: true, Span: n.plain(x.NameAt), Whole: x.Span()})
		if x.X != nil {
			n.node(x.X, s)
		}
		return
	case *syntax.NodeDef:
		n.nodes++
		in := &scope{node: n.nodes}
		in.sets(x.Body.Stmts)
		n.all(x.Body.Stmts, in)
		return
	case *syntax.Lambda:
		n.lambda(x, nil, s)
		return
	case *syntax.Assign:
		n.node(x.Right, s)
		n.flows(x.Right)
		owner := n.ownerOf(x.Right)
		_, several := x.Left.(*syntax.List) // [$port, $host] = Class['web']: they are called as its parameters are
		several = several && owner != ""
		keyed := map[syntax.Node]bool{}
		byKey(x.Left, x.Right, keyed)
		syntax.Walk(x.Left, func(l syntax.Node) bool {
			if v, is := l.(*syntax.Var); is {
				n.variable(v.Name, v.Span(), s, Name{Defines: true, Whole: x.Span(), Text: several, Keyed: keyed[v]})
				if several {
					at := source.Span{Start: v.Span().Start + 1, End: v.Span().End}
					n.add(Name{Kind: VariableName, Name: owner + "::" + v.Name, Span: at, Param: true, Text: true})
				}
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
		n.attributes(n.owners(x.Target), x.Ops, s)
		return
	case *syntax.Defaults:
		n.node(x.Type, s)
		n.attributes([]string{anyOf(typeOf(x.Type))}, x.Ops, s)
		return
	case *syntax.Collect:
		n.node(x.Type, s)
		if x.Query != nil {
			n.query(typeOf(x.Type), x.Query, s)
		}
		n.attributes([]string{anyOf(typeOf(x.Type))}, x.Ops, s)
		return
	case *syntax.Call:
		switch f := x.Functor.(type) {
		case *syntax.Name:
			n.call(f, x.Args, s)
		case *syntax.Ref:
			n.node(f, s)
			n.arguments("new", append([]syntax.Expr{f}, x.Args...), s)
			n.passed("", x.Args)
		default:
			n.node(x.Functor, s)
		}
		n.all(x.Args, s)
		n.lambda(x.Lambda, x.Args, s)
		return
	case *syntax.MethodCall:
		n.node(x.Functor.Left, s)
		args := append([]syntax.Expr{x.Functor.Left}, x.Args...)
		n.call(x.Functor.Name, args, s)
		n.all(x.Args, s)
		n.lambda(x.Lambda, args, s)
		return
	}
	syntax.Children(x, func(c syntax.Node) { n.node(c, s) })
}

// lambda adds the names of a block. over are the arguments of the call that has it: of a list that is written out, a
// block with one parameter sees the elements.
func (n *namer) lambda(x *syntax.Lambda, over []syntax.Expr, s *scope) {
	if x == nil {
		return
	}
	in := &scope{local: true, at: n.begin(x.Span()), outer: s}
	in.sets(x.Body.Stmts)
	for _, p := range x.Params {
		n.param(p, in)
	}
	if x.Returns != nil {
		n.node(x.Returns, in)
	}
	if len(over) > 0 && len(x.Params) == 1 {
		if list, is := over[0].(*syntax.List); is {
			in.set(x.Params[0].Name, list)
			delete(in.loose, x.Params[0].Name)
		}
	}
	n.all(x.Body.Stmts, in)
	if len(x.Body.Stmts) > 0 {
		n.flows(x.Body.Stmts[len(x.Body.Stmts)-1])
	}
}

// call adds a function's name, and what its arguments name.
func (n *namer) call(f *syntax.Name, args []syntax.Expr, s *scope) {
	name := strings.TrimPrefix(f.Value, "::")
	n.add(Name{Kind: FunctionName, Name: name, Span: n.plain(f.Span())})
	n.arguments(name, args, s)
	n.passed(name, args)
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
		if a, is := x.Type.(*syntax.Access); is { // Resource['web::vhost'] { 't': }
			typ, _ = named(a)
		}
	}
	for _, b := range x.Bodies {
		owners := []string{anyOf(typ)}
		if typ == "class" {
			n.classes(b.Title, s, true)
			owners = nil
			for _, name := range syntax.StaticNames(b.Title) {
				if name = Class(name); name == "" {
					name = anyClass
				}
				owners = append(owners, name)
			}
		} else if typ != "" {
			n.literals(b.Title, nil, func(text string, at source.Span) {
				n.add(Name{Kind: ResourceName, Name: Capitalized(typ) + "[" + text + "]", Defines: true, Span: at,
					Whole: b.Span(), Text: true})
			})
		}
		if _, plain := b.Title.(*syntax.Str); !plain {
			n.node(b.Title, s)
		}
		n.attributes(owners, b.Ops, s)
	}
}

// The owners of attributes when the code does not say whose they are.
const (
	anyThing = "\x00"
	anyClass = "\x00class"
)

// anyOf is the owner of attributes that are set of a type.
func anyOf(typ string) string {
	switch typ {
	case "", "resource":
		return anyThing
	case "class":
		return anyClass
	}
	return typ
}

func (n *namer) attributes(owners []string, ops []*syntax.AttrOp, s *scope) {
	for _, op := range ops {
		for _, owner := range owners {
			switch {
			case op.Splat && op.Value != nil:
				n.settings(owner, op.Value, s)
			case !op.Splat:
				n.set(owner, op.Name, op.NameAt, len(owners) > 1)
			}
		}
		if op.Value == nil {
			continue
		}
		switch op.Name {
		case "require", "before", "notify", "subscribe": // also by a text: 'Class[web]'
			n.text(aReference, op.Value, s)
		case "source":
			n.text(aSource, op.Value, s)
		default:
			n.flows(op.Value)
		}
		n.node(op.Value, s)
	}
}

// set adds an attribute that is set of an owner; of one that the code does not name it is that of any that has it.
func (n *namer) set(owner, attribute string, at source.Span, text bool) {
	x := Name{Kind: VariableName, Name: owner + "::" + attribute, Span: at, Param: true, Text: text}
	if owner == anyThing || owner == anyClass {
		x.Name, x.Text = anyThing+"::"+attribute, true
		if owner == anyClass {
			x.Of = "class"
		}
	}
	n.add(x)
}

// query adds what the condition of a collector names: attributes, resources by their titles, and by their tags classes.
func (n *namer) query(typ string, q syntax.Expr, s *scope) {
	owner := anyOf(typ)
	switch q := q.(type) {
	case *syntax.Paren:
		n.query(typ, q.X, s)
		return
	case *syntax.Binary:
		if q.Op == syntax.OpAnd || q.Op == syntax.OpOr {
			n.query(typ, q.Left, s)
			n.query(typ, q.Right, s)
			return
		}
		n.literals(q.Left, nil, func(text string, at source.Span) {
			switch {
			case text == "tag":
				n.text(aTag, q.Right, s)
			case text == "title" && owner == anyClass:
				n.text(aClass, q.Right, s)
			case text == "title":
				if owner == typ { // one kind of resource is meant
					n.titled(typ, q.Right)
				}
			default:
				n.set(owner, text, at, false)
			}
		})
		n.node(q.Right, s)
		return
	}
	n.node(q, s)
}

// reference adds Type[title], which may be a data type with parameters as well, and Type[title][attribute].
func (n *namer) reference(x *syntax.Access, s *scope) {
	if ref, is := x.Left.(*syntax.Ref); !is {
		n.node(x.Left, s)
	} else if Class(ref.Value) != "class" {
		n.node(ref, s)
	}
	typ, titles := named(x)
	if typ == "" {
		if owner := n.ownerOf(x.Left); owner != "" {
			for _, k := range x.Keys {
				n.attribute(owner, k, s)
			}
		}
		n.all(x.Keys, s)
		return
	}
	if len(titles) < len(x.Keys) { // Resource['web::vhost', …]
		n.text(aType, x.Keys[0], s)
		n.node(x.Keys[0], s)
	}
	for _, k := range titles {
		if typ == "class" {
			n.classes(k, s, false)
		} else {
			n.titled(typ, k)
		}
		n.node(k, s)
	}
}

// titled adds the resources of a type whose titles an expression writes out.
func (n *namer) titled(typ string, titles syntax.Expr) {
	n.literals(titles, nil, func(text string, at source.Span) {
		n.add(Name{Kind: ResourceName, Name: Capitalized(typ) + "[" + text + "]", Span: at, Text: true})
	})
}

// typeOf is the type that a reference names, "" for none.
func typeOf(e syntax.Expr) string {
	if r, is := e.(*syntax.Ref); is {
		return Class(r.Value)
	}
	return ""
}

// named are the type and the titles of Type[title], Resource[type, title] and Resource[type][title]; "" for what is
// none of these, or computes its type.
func named(a *syntax.Access) (typ string, titles []syntax.Expr) {
	switch left := a.Left.(type) {
	case *syntax.Ref:
		if typ = Class(left.Value); typ != "resource" {
			return typ, a.Keys
		}
		if len(a.Keys) == 0 {
			return "", nil
		}
		switch k := a.Keys[0].(type) {
		case *syntax.Name:
			typ = Class(k.Value)
		case *syntax.Str:
			typ = Class(k.Value)
		case *syntax.Ref:
			typ = Class(k.Value)
		default:
			return "", nil
		}
		return typ, a.Keys[1:]
	case *syntax.Access:
		if _, is := left.Left.(*syntax.Ref); !is { // what is indexed tens of thousands of times is none of these
			return "", nil
		}
		if typ, titles = named(left); typ != "" && len(titles) == 0 {
			return typ, a.Keys
		}
	}
	return "", nil
}

// owners are what attributes belong to that are set of a reference's resources.
func (n *namer) owners(e syntax.Expr) (list []string) {
	a, is := e.(*syntax.Access)
	if !is {
		return []string{anyThing}
	}
	typ, titles := named(a)
	if typ != "class" {
		return []string{anyOf(typ)}
	}
	for _, t := range titles {
		for _, name := range syntax.StaticNames(t) {
			if name = Class(name); name == "" {
				name = anyClass
			}
			list = append(list, name)
		}
	}
	return list
}

// byKey finds the variables of an assignment to several that may be set by their names: a hash has a key for each of
// them. A list has not, nor has what a function gives that always gives one.
func byKey(left, right syntax.Expr, keyed map[syntax.Node]bool) {
	to, several := left.(*syntax.List)
	if !several {
		return
	}
	from, list := right.(*syntax.List)
	if p, is := right.(*syntax.Paren); is {
		byKey(left, p.X, keyed)
		return
	}
	for i, l := range to.Elems {
		switch _, nested := l.(*syntax.List); {
		case nested && list && i < len(from.Elems):
			byKey(l, from.Elems[i], keyed)
		case nested:
			byKey(l, nil, keyed)
		case !list && !givesList(right):
			keyed[l] = true
		}
	}
}

// givesList reports whether an expression is the call of a function that gives a list whatever it is given.
func givesList(e syntax.Expr) bool {
	name := ""
	switch e := e.(type) {
	case *syntax.Call:
		if f, is := e.Functor.(*syntax.Name); is {
			name = f.Value
		}
	case *syntax.MethodCall:
		name = e.Functor.Name.Value
	}
	switch name {
	case "split", "match", "map", "keys", "values", "flatten":
		return true
	}
	return false
}

// ownerOf is what the attributes of a reference's resource belong to; "" if that is not one thing.
func (n *namer) ownerOf(e syntax.Expr) (owner string) {
	switch e := e.(type) {
	case *syntax.Paren:
		return n.ownerOf(e.X)
	case *syntax.Access:
		typ, titles := named(e)
		switch {
		case len(titles) == 0:
			return ""
		case typ != "class":
			return typ
		case len(titles) > 1:
			return ""
		}
		if list := syntax.StaticNames(titles[0]); len(list) == 1 {
			return Class(list[0])
		}
	case *syntax.Str:
		if typ, title, is := strings.Cut(strings.TrimSuffix(e.Value, "]"), "["); is {
			if owner = Class(typ); owner == "class" {
				owner = Class(title)
			}
		}
	}
	return owner
}
