package trace

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Code is divided into pieces: what runs together. The body of a definition is one, and so is each block in it that may
// be passed over: a branch of an if or case, what a selector would yield, the body of a lambda, the right side of and
// and or, the default of a parameter. In the piece around it a block is only a hole, so that what is written in a
// branch matters to those that take it. That a block is empty is part of the piece around: an empty block runs nothing
// that could be noted.
//
// A literal that is only compared (an option of case, a match of a selector, one side of == or !=) is no part of the
// piece either: what counts is how each comparison came out (Tested). And a variable that is given a literal asks for
// it when it is read, if it is: what is written there is a piece of its own.
//
// A piece is named by the definition and the way to it: the third hole of the second hole of class a is "class a/2/3".
// A name means the same block in another text as long as the pieces around it are equal, and whoever ran a piece ran
// those around it.

// A Piece is a stretch of code.
type Piece struct {
	Name   string
	text   source.Once
	digest Text          // its syntax
	spans  []source.Span // of its nodes, in the order of the syntax
	tests  []syntax.Expr // literals that are only compared, likewise
	whole  func(*writer) // writes it
}

// Digest is the text of a piece: its syntax without places.
func (p *Piece) Digest() Text {
	p.write()
	return p.digest
}

// Spans are where the nodes of a piece stand. Pieces with equal digests have as many, in the same order.
func (p *Piece) Spans() []source.Span {
	p.write()
	return p.spans
}

// Tests are the literals that are only compared. Pieces with equal digests have as many, in the same order.
func (p *Piece) Tests() []syntax.Expr {
	p.write()
	return p.tests
}

func (p *Piece) write() {
	p.text.Do(func() {
		w := &writer{}
		p.whole(w)
		p.digest, p.spans, p.tests = w.Text, w.spans, w.tests
	})
}

// Pieces are those of one file.
type Pieces struct {
	at    map[*syntax.Expr]*Piece
	named map[string]*Piece
	order []*Piece

	once   source.Once
	starts map[uint32]start

	testsOnce sync.Once
	tests     map[syntax.Expr]start
}

// At is the piece that begins at a place of the tree; nil for a block that is part of a piece.
func (p *Pieces) At(at *syntax.Expr) *Piece { return p.at[at] }

// Named is the piece of a name, nil when there is none.
func (p *Pieces) Named(name string) *Piece { return p.named[name] }

// Starting is the piece that has a node which starts at an offset, and the number of that node in it; nil when there is
// none.
func (p *Pieces) Starting(at uint32) (*Piece, int) {
	p.once.Do(func() {
		p.starts = map[uint32]start{}
		for _, piece := range p.order {
			for i, s := range piece.Spans() {
				if _, known := p.starts[s.Start]; !known {
					p.starts[s.Start] = start{piece, i}
				}
			}
		}
	})
	s := p.starts[at]
	return s.piece, s.node
}

// Test is the piece in which a literal is only compared, and its number there; nil if it is part of the piece.
func (p *Pieces) Test(x syntax.Expr) (*Piece, int) {
	p.testsOnce.Do(func() {
		p.tests = map[syntax.Expr]start{}
		for _, piece := range p.order {
			for i, x := range piece.Tests() {
				p.tests[x] = start{piece, i}
			}
		}
	})
	s := p.tests[x]
	return s.piece, s.node
}

// A start is where a node begins.
type start struct {
	piece *Piece
	node  int
}

// PiecesOf divides a file.
func PiecesOf(f *syntax.File) *Pieces {
	d := &divider{Pieces: &Pieces{at: map[*syntax.Expr]*Piece{}, named: map[string]*Piece{}}, seen: map[string]int{}}
	d.body("main", &f.Body, true)
	if f.Epp != nil {
		d.params("template", f.Epp.Params)
		d.body("template", &f.Epp.Body, false)
	}
	for _, n := range f.Defs {
		name := d.unique(NameOf(n))
		switch n := n.(type) {
		case *syntax.Class:
			d.params(name, n.Params)
			d.body(name, &n.Body, true)
		case *syntax.Define:
			d.params(name, n.Params)
			d.body(name, &n.Body, true)
		case *syntax.Function:
			d.params(name, n.Params)
			d.body(name, &n.Body, false)
		case *syntax.NodeDef:
			d.body(name, &n.Body, true)
		}
	}
	return d.Pieces
}

// NameOf is what a definition is called among those of its file.
func NameOf(n syntax.Definition) string {
	switch n := n.(type) {
	case *syntax.Class:
		return "class " + strings.ToLower(n.Name)
	case *syntax.Define:
		return "define " + strings.ToLower(n.Name)
	case *syntax.Function:
		return "function " + n.Name
	case *syntax.TypeAlias:
		return "type " + strings.ToLower(strings.TrimPrefix(n.Name, "::"))
	case *syntax.NodeDef:
		w := &writer{}
		for _, h := range n.Hosts {
			w.node(reflect.ValueOf(h))
		}
		return "node " + string(w.Text)
	}
	return "other"
}

// A divider finds the pieces of a file.
type divider struct {
	*Pieces
	seen map[string]int
}

// unique tells definitions of one name apart.
func (d *divider) unique(name string) string {
	d.seen[name]++
	if n := d.seen[name]; n > 1 {
		name += " " + strconv.Itoa(n)
	}
	return name
}

// add adds a piece. dropped says that nobody looks at the values of its statements.
func (d *divider) add(name string, at *syntax.Expr, nodes []syntax.Expr, dropped bool) {
	p := &Piece{Name: name, whole: func(w *writer) { w.list(nodes, dropped) }}
	d.at[at], d.named[name], d.order = p, p, append(d.order, p)
	holes := 0
	hole := func(at *syntax.Expr, nodes []syntax.Expr, dropped bool) {
		holes++
		if len(nodes) > 0 {
			d.add(name+"/"+strconv.Itoa(holes), at, nodes, dropped)
		}
	}
	for _, n := range nodes {
		if a := setsLiteral(n); a != nil && dropped {
			hole(&a.Right, []syntax.Expr{a.Right}, false)
		} else {
			eachHole(n, dropped, hole)
		}
	}
}

func (d *divider) body(name string, b *syntax.Body, dropped bool) {
	if len(b.Stmts) > 0 {
		d.add(name, &b.Stmts[0], b.Stmts, dropped)
	}
}

func (d *divider) params(name string, params []*syntax.Param) {
	for _, p := range params {
		if p.Default != nil {
			d.add(name+" $"+p.Name, &p.Default, []syntax.Expr{p.Default}, false)
		}
	}
}

// Literal reports whether an expression is a literal, whose value can be told from its syntax and which nothing can be
// wrong with.
func Literal(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.Str, *syntax.Name, *syntax.Bool, *syntax.Undef, *syntax.Float:
		return true
	case *syntax.Int:
		return !x.Big
	}
	return false
}

// constant reports whether an expression is a literal, or an array or hash of nothing else.
func constant(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.List:
		return !slices.ContainsFunc(x.Elems, func(e syntax.Expr) bool { return !constant(e) })
	case *syntax.Hash:
		return !slices.ContainsFunc(x.Entries, func(e *syntax.Entry) bool { return !Literal(e.Key) || !constant(e.Value) })
	}
	return Literal(x)
}

// MayWait reports whether what a variable is given may be asked for when it is read (Log.Later). If it is not constant,
// it counts with the statement.
func MayWait(x syntax.Expr) bool {
	switch x.(type) {
	case *syntax.List, *syntax.Hash:
		return true
	}
	return Literal(x)
}

// DefaultOf is the constant that a call of lookup falls back on, nil if there is none: it is a piece of its own.
func DefaultOf(n *syntax.Call) *syntax.Expr {
	name, is := n.Functor.(*syntax.Name)
	if !is || name.Value != "lookup" || n.Lambda != nil {
		return nil
	}
	switch len(n.Args) {
	case 4:
		if constant(n.Args[3]) {
			return &n.Args[3]
		}
	case 1, 2:
		h, is := n.Args[len(n.Args)-1].(*syntax.Hash)
		if !is {
			return nil
		}
		var found *syntax.Expr
		for _, e := range h.Entries {
			if !Literal(e.Key) {
				return nil
			}
			if LiteralValue(e.Key) == value.Value(value.String("default_value")) {
				if found != nil || !constant(e.Value) {
					return nil
				}
				found = &e.Value
			}
		}
		return found
	}
	return nil
}

// eachArgument goes through the arguments of a call that has a default, which is told apart from the rest.
func eachArgument(n *syntax.Call, fallback *syntax.Expr, hole func(at *syntax.Expr), each func(syntax.Expr)) {
	for i := range n.Args {
		h, is := n.Args[i].(*syntax.Hash)
		switch {
		case &n.Args[i] == fallback:
			hole(fallback)
		case is && slices.ContainsFunc(h.Entries, func(e *syntax.Entry) bool { return &e.Value == fallback }):
			for _, e := range h.Entries {
				if each(e.Key); &e.Value == fallback {
					hole(fallback)
				} else {
					each(e.Value)
				}
			}
		default:
			each(n.Args[i])
		}
	}
}

// LiteralValue is the value of a literal.
func LiteralValue(x syntax.Expr) value.Value {
	switch x := x.(type) {
	case *syntax.Str:
		return value.String(x.Value)
	case *syntax.Name:
		return value.String(x.Value)
	case *syntax.Bool:
		return value.Bool(x.Value)
	case *syntax.Int:
		return value.Int(x.Value)
	case *syntax.Float:
		return value.Float(x.Value)
	}
	return value.Undef{}
}

// Compares reports whether an operation compares something with a literal, which is then all that the literal is for.
func Compares(n *syntax.Binary) bool {
	return (n.Op == syntax.OpEq || n.Op == syntax.OpNe) && Literal(n.Left) != Literal(n.Right)
}

// setsLiteral is a statement that gives a variable a literal, nil for any other.
func setsLiteral(n syntax.Expr) *syntax.Assign {
	a, is := n.(*syntax.Assign)
	if !is || a.Op != syntax.OpSet || !constant(a.Right) {
		return nil
	}
	if _, is := a.Left.(*syntax.Var); !is {
		return nil
	}
	return a
}

// eachHole finds the blocks of an expression that are pieces of their own, those of inner ones left out, in the order
// of the syntax. dropped says that nobody looks at its value.
func eachHole(top syntax.Expr, dropped bool, hole func(at *syntax.Expr, nodes []syntax.Expr, dropped bool)) {
	body := func(b *syntax.Body, dropped bool) {
		if len(b.Stmts) == 0 {
			hole(nil, nil, false)
		} else {
			hole(&b.Stmts[0], b.Stmts, dropped)
		}
	}
	each := func(n syntax.Expr) { eachHole(n, false, hole) }
	option := func(n *syntax.Option, dropped bool) {
		for _, v := range n.Values {
			each(v)
		}
		body(&n.Then, dropped)
	}
	if c, is := top.(*syntax.Case); is && dropped {
		each(c.Test)
		for _, o := range c.Options {
			option(o, true)
		}
		return
	}
	syntax.Walk(top, func(n syntax.Node) bool {
		switch n := n.(type) {
		case syntax.Definition:
			return false
		case *syntax.If:
			each(n.Test)
			body(&n.Then, dropped && n == top)
			body(&n.Else, dropped && n == top)
			return false
		case *syntax.Option:
			option(n, false)
			return false
		case *syntax.Selector:
			each(n.Left)
			for _, e := range n.Entries {
				each(e.Key)
				hole(&e.Value, []syntax.Expr{e.Value}, false)
			}
			return false
		case *syntax.Call:
			if at := DefaultOf(n); at != nil {
				eachArgument(n, at, func(at *syntax.Expr) { hole(at, []syntax.Expr{*at}, false) }, each)
				return false
			}
		case *syntax.Lambda:
			for _, p := range n.Params {
				if p.Type != nil {
					each(p.Type)
				}
				if p.Default != nil {
					hole(&p.Default, []syntax.Expr{p.Default}, false)
				}
			}
			if n.Returns != nil {
				each(n.Returns)
			}
			body(&n.Body, false)
			return false
		case *syntax.Collect: // its query is no code: and and or look at both sides
			for _, o := range n.Ops {
				each(o.Value)
			}
			return false
		case *syntax.Binary:
			if n.Op == syntax.OpAnd || n.Op == syntax.OpOr {
				each(n.Left)
				hole(&n.Right, []syntax.Expr{n.Right}, false)
				return false
			}
		}
		return true
	})
}

// Outline is what loading a file shows of it: the definitions with their parameters' names and types, not what they do.
// The order of classes, defines, functions and types does not matter. Node statements are left out if nodes is false.
func Outline(files []*syntax.File, nodes bool) Text {
	var all []string
	var w writer
	for _, f := range files {
		if f.Epp != nil {
			d := &writer{}
			d.Flag(f.Epp.HasParams)
			d.params(f.Epp.Params)
			d.Flag(len(f.Epp.Body.Stmts) > 0)
			all = append(all, "template "+string(d.Text))
		}
		for _, n := range f.Defs {
			if _, is := n.(*syntax.NodeDef); is && !nodes {
				continue
			}
			d := &writer{}
			d.String(NameOf(n))
			switch n := n.(type) {
			case *syntax.Class:
				d.String(n.Parent)
				d.params(n.Params)
				d.Flag(len(n.Body.Stmts) > 0)
			case *syntax.Define:
				d.params(n.Params)
				d.Flag(len(n.Body.Stmts) > 0)
			case *syntax.Function:
				d.params(n.Params)
				d.inner = true
				d.node(reflect.ValueOf(&n.Returns).Elem())
				d.inner = false
				d.Flag(len(n.Body.Stmts) > 0)
			case *syntax.NodeDef:
				d.Flag(len(n.Body.Stmts) > 0)
			default:
				d.definition(n)
			}
			all = append(all, string(d.Text))
		}
	}
	slices.Sort(all)
	w.Number(len(all))
	for _, s := range all {
		w.String(s)
	}
	return w.Text
}

// A writer writes syntax without places.
type writer struct {
	Text
	spans []source.Span
	tests []syntax.Expr
	inner bool // the definition itself has been entered
}

// list writes statements. Definitions among them do nothing when they are passed: they are asked for by themselves.
func (w *writer) list(nodes []syntax.Expr, dropped bool) {
	for i := range nodes {
		if a := setsLiteral(nodes[i]); a != nil && dropped {
			w.String("set")
			w.spans = append(w.spans, a.Span())
			w.node(reflect.ValueOf(a.Left))
			w.hole(true)
		} else if _, is := nodes[i].(syntax.Definition); !is {
			w.node(reflect.ValueOf(&nodes[i]).Elem())
		}
	}
}

// test writes an expression that something is compared with: a literal is only told to be there.
func (w *writer) test(x syntax.Expr) {
	if !Literal(x) {
		w.node(reflect.ValueOf(x))
		return
	}
	w.String("test")
	w.spans, w.tests = append(w.spans, x.Span()), append(w.tests, x)
}

// params writes what a parameter shows before its default is wanted.
func (w *writer) params(params []*syntax.Param) {
	w.Number(len(params))
	for _, p := range params {
		w.String(p.Name)
		w.Flag(p.Splat)
		w.Flag(p.Default != nil)
		was := w.inner
		w.inner = true // all of a type counts, whatever expression stands in it
		w.node(reflect.ValueOf(&p.Type).Elem())
		w.inner = was
	}
}

// definition writes all of a definition.
func (w *writer) definition(n syntax.Definition) {
	w.inner = true
	w.node(reflect.ValueOf(n))
}

// A hole stands for a block that is a piece of its own.
func (w *writer) hole(full bool) {
	w.String("hole")
	w.Flag(full)
}

var (
	spanType  = reflect.TypeFor[source.Span]()
	bodyType  = reflect.TypeFor[syntax.Body]()
	paramType = reflect.TypeFor[*syntax.Param]()
	plans     sync.Map // type of a node → *plan
)

// A plan says which fields of a node's type count.
type plan struct {
	name   string
	fields []int
	node   bool
}

// skipped are fields that say where something stands, or how it is numbered in its file.
var skipped = map[string]bool{"OpAt": true, "Ord": true}

func planOf(t reflect.Type) *plan {
	if p, known := plans.Load(t); known {
		return p.(*plan)
	}
	p := &plan{name: t.Name(), node: reflect.PointerTo(t).Implements(reflect.TypeFor[syntax.Node]())}
	switch p.name {
	case "At", "E", "Lit", "D": // parts that all nodes have
		p.node = false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type != spanType && !skipped[f.Name] {
			p.fields = append(p.fields, i)
		}
	}
	plans.Store(t, p)
	return p
}

// node writes any part of the tree. The tree is plain structs, so that one rule covers all of it, also node types that
// are still to come.
func (w *writer) node(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			w.String("")
			return
		}
		if v.Kind() == reflect.Interface {
			w.node(v.Elem())
			return
		}
		if v.Type() == paramType && !w.inner {
			w.params([]*syntax.Param{v.Interface().(*syntax.Param)})
			return
		}
		w.node(v.Elem())
	case reflect.Struct:
		w.structure(v)
	case reflect.Slice:
		w.Number(v.Len())
		for i := range v.Len() {
			w.node(v.Index(i))
		}
	case reflect.String:
		w.String(v.String())
	case reflect.Bool:
		w.Flag(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.String(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.String(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float64:
		w.String(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	default:
		panic("trace: a syntax tree holds a " + v.Type().String())
	}
}

func (w *writer) structure(v reflect.Value) {
	if v.Type() == bodyType && !w.inner {
		w.hole(v.Field(0).Len() > 0)
		return
	}
	p := planOf(v.Type())
	if p.node {
		w.String(p.name)
		n := v.Addr().Interface().(syntax.Node)
		w.spans = append(w.spans, n.Span())
		if !w.inner {
			switch n := n.(type) {
			case syntax.Definition: // it is asked for by itself
				return
			case *syntax.Selector:
				w.node(reflect.ValueOf(n.Left))
				w.Number(len(n.Entries))
				for _, e := range n.Entries {
					w.test(e.Key)
					w.hole(true)
				}
				return
			case *syntax.Call:
				if at := DefaultOf(n); at != nil {
					w.node(reflect.ValueOf(n.Functor))
					w.Number(len(n.Args))
					if h, is := n.Args[len(n.Args)-1].(*syntax.Hash); is {
						w.Number(len(h.Entries))
					}
					eachArgument(n, at, func(*syntax.Expr) { w.hole(true) },
						func(x syntax.Expr) { w.node(reflect.ValueOf(x)) })
					return
				}
			case *syntax.Render: // what is rendered runs with the text around it
				w.Number(len(n.X.Stmts))
				w.list(n.X.Stmts, false)
				return
			case *syntax.Option:
				w.Number(len(n.Values))
				for _, v := range n.Values {
					w.test(v)
				}
				w.hole(len(n.Then.Stmts) > 0)
				return
			case *syntax.Collect:
				w.node(reflect.ValueOf(n.Type))
				w.Flag(n.Exported)
				w.inner = true
				w.node(reflect.ValueOf(&n.Query).Elem())
				w.inner = false
				w.node(reflect.ValueOf(n.Ops))
				return
			case *syntax.Binary:
				if n.Op == syntax.OpAnd || n.Op == syntax.OpOr {
					w.Number(int(n.Op))
					w.node(reflect.ValueOf(n.Left))
					w.hole(true)
					return
				}
				if Compares(n) {
					w.Number(int(n.Op))
					w.test(n.Left)
					w.test(n.Right)
					return
				}
			}
		}
	}
	for _, i := range p.fields {
		w.node(v.Field(i))
	}
}
