package trace

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Code is divided into pieces: what runs together. The body of a definition is one, and so is each block in it that may
// be passed over: a branch of an if or case, what a selector would yield, the body of a lambda, the right side of and
// and or, the default of a parameter. In the piece around it a block is only a hole, so that what is written in a
// branch matters to those that take it. That a block is empty is part of the piece around: an empty block runs nothing
// that could be noted.
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

func (p *Piece) write() {
	p.text.Do(func() {
		w := &writer{}
		p.whole(w)
		p.digest, p.spans = w.Text, w.spans
	})
}

// Pieces are those of one file.
type Pieces struct {
	at    map[*syntax.Expr]*Piece
	named map[string]*Piece
	order []*Piece

	once   source.Once
	starts map[uint32]start
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

// A start is where a node begins.
type start struct {
	piece *Piece
	node  int
}

// PiecesOf divides a file.
func PiecesOf(f *syntax.File) *Pieces {
	d := &divider{Pieces: &Pieces{at: map[*syntax.Expr]*Piece{}, named: map[string]*Piece{}}, seen: map[string]int{}}
	d.body("main", &f.Body)
	if f.Epp != nil {
		d.params("template", f.Epp.Params)
		d.body("template", &f.Epp.Body)
	}
	for _, n := range f.Defs {
		name := d.unique(NameOf(n))
		switch n := n.(type) {
		case *syntax.Class:
			d.params(name, n.Params)
			d.body(name, &n.Body)
		case *syntax.Define:
			d.params(name, n.Params)
			d.body(name, &n.Body)
		case *syntax.Function:
			d.params(name, n.Params)
			d.body(name, &n.Body)
		case *syntax.NodeDef:
			d.body(name, &n.Body)
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

func (d *divider) add(name string, at *syntax.Expr, nodes []syntax.Expr) {
	p := &Piece{Name: name, whole: func(w *writer) { w.list(nodes) }}
	d.at[at], d.named[name], d.order = p, p, append(d.order, p)
	holes := 0
	hole := func(at *syntax.Expr, nodes []syntax.Expr) {
		holes++
		if len(nodes) > 0 {
			d.add(name+"/"+strconv.Itoa(holes), at, nodes)
		}
	}
	for _, n := range nodes {
		eachHole(n, hole)
	}
}

func (d *divider) body(name string, b *syntax.Body) {
	if len(b.Stmts) > 0 {
		d.add(name, &b.Stmts[0], b.Stmts)
	}
}

func (d *divider) params(name string, params []*syntax.Param) {
	for _, p := range params {
		if p.Default != nil {
			d.add(name+" $"+p.Name, &p.Default, []syntax.Expr{p.Default})
		}
	}
}

// eachHole finds the blocks of an expression that are pieces of their own, those of inner ones left out, in the order
// of the syntax.
func eachHole(n syntax.Node, hole func(at *syntax.Expr, nodes []syntax.Expr)) {
	body := func(b *syntax.Body) {
		if len(b.Stmts) == 0 {
			hole(nil, nil)
		} else {
			hole(&b.Stmts[0], b.Stmts)
		}
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		each := func(n syntax.Expr) { eachHole(n, hole) }
		switch n := n.(type) {
		case syntax.Definition:
			return false
		case *syntax.If:
			each(n.Test)
			body(&n.Then)
			body(&n.Else)
			return false
		case *syntax.Option:
			for _, v := range n.Values {
				each(v)
			}
			body(&n.Then)
			return false
		case *syntax.Selector:
			each(n.Left)
			for _, e := range n.Entries {
				each(e.Key)
				hole(&e.Value, []syntax.Expr{e.Value})
			}
			return false
		case *syntax.Lambda:
			for _, p := range n.Params {
				if p.Type != nil {
					each(p.Type)
				}
				if p.Default != nil {
					hole(&p.Default, []syntax.Expr{p.Default})
				}
			}
			if n.Returns != nil {
				each(n.Returns)
			}
			body(&n.Body)
			return false
		case *syntax.Collect: // its query is no code: and and or look at both sides
			for _, o := range n.Ops {
				each(o.Value)
			}
			return false
		case *syntax.Binary:
			if n.Op == syntax.OpAnd || n.Op == syntax.OpOr {
				each(n.Left)
				hole(&n.Right, []syntax.Expr{n.Right})
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
				d.node(reflect.ValueOf(&n.Returns).Elem())
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
	inner bool // the definition itself has been entered
}

// list writes statements. Definitions among them do nothing when they are passed: they are asked for by themselves.
func (w *writer) list(nodes []syntax.Expr) {
	for i := range nodes {
		if _, is := nodes[i].(syntax.Definition); !is {
			w.node(reflect.ValueOf(&nodes[i]).Elem())
		}
	}
}

// params writes what a parameter shows before its default is wanted.
func (w *writer) params(params []*syntax.Param) {
	w.Number(len(params))
	for _, p := range params {
		w.String(p.Name)
		w.Flag(p.Splat)
		w.Flag(p.Default != nil)
		w.node(reflect.ValueOf(&p.Type).Elem())
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
					w.node(reflect.ValueOf(e.Key))
					w.hole(true)
				}
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
			}
		}
	}
	for _, i := range p.fields {
		w.node(v.Field(i))
	}
}
