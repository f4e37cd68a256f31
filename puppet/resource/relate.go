package resource

import (
	"fmt"
	"slices"

	"bunraku/puppet/ruby"
	"bunraku/puppet/ruby/syntax"
	"bunraku/puppet/value"
)

// The automatic relations of a module's type are blocks that give titles. They are run in the Library for each
// resource, which they see as Puppet::Type shows it: attributes munged, defaults in place, the catalog at hand.
// Providers and the machine are out of reach.

// objects are the resources of one catalog as Ruby sees them.
type objects struct {
	all     Instances
	catalog ruby.Object
	made    map[[2]string]ruby.Object
	list    []ruby.Object // all of them, once they were asked for
}

// autos reads which relations a type has; their blocks are run when a graph is built.
func (l *Library) autos(t *Type, class *ruby.Class) error {
	list, err := l.in.Send(class, "related")
	if err != nil {
		return err
	}
	relations, _ := ruby.Elements(list)
	for _, rel := range relations {
		parts, _ := ruby.Elements(rel)
		kind, _ := ruby.Text(parts[0])
		target, _ := ruby.Text(parts[1])
		block, ok := parts[2].(*ruby.Proc)
		if !ok {
			continue
		}
		rel := &relation{block: block, plain: readsPlainly(block), idle: givesNothing(block)}
		t.Autos = append(t.Autos, Auto{Relation: relationNamed(kind), Target: target,
			Ask: func(r Instance, all Instances) ([]Named, error) {
				return l.related(rel, r, all)
			}})
	}
	return nil
}

func relationNamed(name string) Relation {
	for _, r := range []Relation{Require, Subscribe, Before} {
		if r.String() == name {
			return r
		}
	}
	return Notify
}

// A relation is the block of an automatic relation. One that looks at its resource through attributes only is run once
// for all resources that have the same: some go through the whole catalog.
type relation struct {
	block *ruby.Proc
	plain bool
	idle  bool // it relates nobody
	all   Instances
	past  []pastAnswer
}

// A pastAnswer is what a block gave to a resource, and the attributes that it looked at.
type pastAnswer struct {
	reads  []string
	values []value.Value
	names  []Named
	err    error
}

const mostAnswers = 200

// readsPlainly reports whether a block sees its resource only by self[:attribute], value(:attribute) and its like.
func readsPlainly(block *ruby.Proc) bool {
	plain, asked := true, map[*syntax.SelfLit]bool{}
	block.Walk(func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.IVar, *syntax.CVar, *syntax.GVar, *syntax.Super, *syntax.Yield, *syntax.Def:
			plain = false
		case *syntax.SelfLit:
			plain = plain && asked[n]
		case *syntax.Call:
			if self, ok := n.Recv.(*syntax.SelfLit); ok {
				asked[self] = n.Name == "[]" || n.Name == "value"
			}
			if n.Recv == nil {
				switch n.Name {
				case "catalog", "value", "should", "title", "warning", "notice", "info", "debug", "err", "raise", "fail", "proc",
					"lambda":
				default:
					plain = false
				}
			}
		}
		return plain
	})
	return plain
}

// givesNothing reports whether a block, whatever its resource, ends with a message or with nothing: it looks around to
// warn people, and relates nobody. Concat's fragments go through the whole catalog for that, each.
func givesNothing(block *ruby.Proc) bool {
	var body *syntax.Seq
	jumps := false
	block.Walk(func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Seq:
			if body == nil {
				body = n
			}
		case *syntax.Jump:
			jumps = jumps || n.Value != nil
		}
		return true
	})
	return body != nil && !jumps && isMessage(body)
}

// isMessage reports whether a node's value is that of a message, or nil.
func isMessage(n syntax.Node) bool {
	switch n := n.(type) {
	case nil, *syntax.NilLit:
		return true
	case *syntax.Seq:
		return n == nil || len(n.Stmts) == 0 || isMessage(n.Stmts[len(n.Stmts)-1])
	case *syntax.If:
		return isMessage(n.Then) && isMessage(n.Else)
	case *syntax.Call:
		return n.Recv == nil && slices.Contains([]string{"debug", "info", "notice", "warning", "err"}, n.Name)
	}
	return false
}

// related answers an automatic relation for one resource.
func (l *Library) related(rel *relation, r Instance, all Instances) ([]Named, error) {
	if rel.idle {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if rel.all != all {
		rel.all, rel.past = all, nil
	}
	look := func(name string) value.Value {
		if name == "title" {
			return value.String(r.Title())
		}
		if v := r.Get(name); v != nil {
			return v
		}
		return value.NewArray(value.String(r.Title())) // the title may give it
	}
past:
	for _, p := range rel.past {
		for i, name := range p.reads {
			if !value.Same(p.values[i], look(name)) {
				continue past
			}
		}
		return p.names, p.err
	}
	l.reads = nil
	names, err := l.run(rel.block, r, all)
	if rel.plain && len(rel.past) < mostAnswers {
		p := pastAnswer{names: names, err: err}
		for _, name := range l.reads {
			if !l.steady(r, name) {
				return names, err
			}
			if !slices.Contains(p.reads, name) {
				p.reads = append(p.reads, name)
				p.values = append(p.values, look(name))
			}
		}
		rel.past = append(rel.past, p)
	}
	return names, err
}

// steady reports whether an attribute's value follows from what the catalog says of it: a block that munges it, or
// makes its default, may look at others.
func (l *Library) steady(r Instance, name string) bool {
	class := l.class(r.Type())
	if class == nil || name == "title" {
		return name == "title"
	}
	o, err := l.in.Send(class, "steady?", ruby.Symbol(name), ruby.Bool(r.Get(name) != nil))
	return err == nil && o == ruby.Object(ruby.Bool(true))
}

// run runs the block of an automatic relation.
func (l *Library) run(block *ruby.Proc, r Instance, all Instances) ([]Named, error) {
	l.in.Refill()
	if l.all == nil || l.all.all != all {
		l.all = &objects{all: all, made: map[[2]string]ruby.Object{}}
	}
	self, err := l.object(r)
	if err != nil {
		return nil, err
	}
	l.self = self
	list, err := l.in.InstanceEval(self, block)
	if err != nil {
		return nil, err
	}
	attr := ""
	for i, name := range l.reads {
		if attr = name; i > 0 && l.reads[0] != name {
			attr = ""
			break
		}
	}
	items, isList := ruby.Elements(list)
	if !isList {
		items = []ruby.Object{list}
	}
	var out []Named
	for _, o := range items {
		if s, ok := ruby.Text(o); ok {
			out = append(out, Named{s, attr})
			continue
		}
		switch o.(type) {
		case nil, ruby.Nil, ruby.Bool:
			continue
		}
		// a resource, or something that is named by its text
		title, err := l.in.Send(o, "title")
		if err != nil {
			if title, err = l.in.Send(o, "to_s"); err != nil {
				return nil, err
			}
		}
		if s, ok := ruby.Text(title); ok {
			out = append(out, Named{s, attr})
		}
	}
	return out, nil
}

// object is a resource as an instance of its type's class.
func (l *Library) object(r Instance) (ruby.Object, error) {
	key := [2]string{r.Type(), r.Title()}
	if o := l.all.made[key]; o != nil {
		return o, nil
	}
	class := l.class(r.Type())
	if class == nil {
		class, _ = l.in.Constant("Puppet::Type::Component")
	}
	if l.all.catalog == nil {
		c, _ := l.in.Constant("Puppet::Resource::Catalog")
		o, err := l.in.Send(c, "new", ruby.Nil{})
		if err != nil {
			return nil, err
		}
		l.all.catalog = o
	}
	l.in.Grant(20_000)
	attrs := ruby.NewHash()
	t := Known(r.Type())
	if t == nil {
		t = l.types[r.Type()]
	}
	parsed, _ := ParseTitle(t, r.Title())
	for _, a := range parsed {
		if !value.IsUndef(a.Value) {
			attrs.Put(ruby.Symbol(a.Name), l.in.FromValue(a.Value, 0))
		}
	}
	for _, name := range r.Attributes() {
		v := r.Get(name)
		if s, ok := v.(*value.Sensitive); ok {
			v = s.Value
		}
		attrs.Put(ruby.Symbol(name), l.in.FromValue(v, 0))
	}
	resource, _ := l.in.Constant("Puppet::Resource")
	given, err := l.in.Send(resource, "new", ruby.NewString(r.Type()), ruby.NewString(r.Title()), attrs, l.all.catalog)
	if err != nil {
		return nil, err
	}
	o, err := l.in.Send(class, "new", given)
	if err != nil {
		return nil, fmt.Errorf("%s[%s] cannot be made: %w", r.Type(), r.Title(), err)
	}
	l.all.made[key] = o
	return o, nil
}

// ask answers for the catalog.
func (l *Library) ask(in *ruby.Interp, name string, args []ruby.Object) ruby.Object {
	make := func(r Instance) ruby.Object {
		o, err := l.object(r)
		if err != nil {
			in.Unsupported(err.Error())
		}
		return o
	}
	if name == "find" {
		typ, title := in.ToS(args[1]), ""
		if s, ok := ruby.Text(args[2]); ok {
			title = s
		} else if t, inner, ok := cutReference(typ); ok {
			typ, title = t, inner
		}
		r := l.all.all.Find(value.Downcase(typ), title)
		if r == nil {
			return ruby.Nil{}
		}
		return make(r)
	}
	if name == "resources" && l.all.list != nil {
		return ruby.NewArray(slices.Clone(l.all.list)...)
	}
	var list []ruby.Object
	l.all.all.Each("", func(r Instance) {
		if name == "refs" {
			list = append(list, ruby.NewString(value.CapitalizeSegments(r.Type())+"["+r.Title()+"]"))
			return
		}
		list = append(list, make(r))
	})
	if name == "resources" {
		l.all.list = slices.Clone(list)
	}
	return ruby.NewArray(list...)
}

// cutReference reads Type[title].
func cutReference(s string) (typ, title string, ok bool) {
	for i := range len(s) {
		if s[i] == '[' && s[len(s)-1] == ']' {
			return s[:i], s[i+1 : len(s)-1], true
		}
	}
	return "", "", false
}
