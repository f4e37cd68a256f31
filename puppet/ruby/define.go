package ruby

import "bunraku/puppet/ruby/syntax"

// currentClass is where def defines methods.
func (in *Interp) currentClass(f *frame) *Class {
	if f.cref != nil {
		return f.cref.class
	}
	if c, ok := f.self.(*Class); ok {
		return c
	}
	if n, ok := f.self.(*Native); ok {
		return n.class
	}
	return in.rt.object
}

func (in *Interp) evalDef(n *syntax.Def, f *frame) Object {
	m := &method{name: n.Name, def: n, cref: f.cref}
	if n.Singleton != nil {
		in.addSingleton(in.eval(n.Singleton, f), m)
		return Symbol(n.Name)
	}
	if f.cref == nil {
		if t, ok := f.self.(*Native); ok {
			// a template's def lands in the class of its self
			m.owner = t.class
			in.addMethod(t.class, m)
			return Symbol(n.Name)
		}
	}
	c := in.currentClass(f)
	m.owner = c
	if f.cref != nil && in.visibility.at(f.cref) {
		m.private = true
	}
	if o := in.singletonBodyOf(f.cref); o != nil {
		in.addSingleton(o, m)
		return Symbol(n.Name)
	}
	if f.cref == nil {
		m.private = true
	}
	if in.moduleFunctions.at(f.cref) && f.cref != nil {
		k := *m
		k.private = false
		in.addSingleton(c, &k)
		m.private = true
	}
	in.addMethod(c, m)
	return Symbol(n.Name)
}

func (in *Interp) addMethod(c *Class, m *method) {
	in.defs.own(c)[m.name] = m
	in.redefined = in.redefined || in.quickly(c, m.name)
	in.operators = in.operators || in.operates(c, m.name)
	in.changedMethod(c, m.name)
	if undefined, _ := in.undefs.get(c, m.name); undefined {
		delete(in.undefs.own(c), m.name)
	}
}

// quickly reports whether a method is one of those that are answered without looking for them.
func (in *Interp) quickly(c *Class, name string) bool {
	rt := in.rt
	switch c {
	case rt.integer, rt.str, rt.symbol, rt.nilC, rt.trueC, rt.falseC, rt.array, rt.hash, rt.numeric:
		return true
	case rt.object, rt.kernel, rt.basic, rt.comparable, rt.enumerable:
		return name == "==" || name == "!" || name == "to_s" || name == "inspect"
	}
	return false
}

// operates reports whether a method may be one of the operators that quick answers: of those but == only numbers'.
func (in *Interp) operates(c *Class, name string) bool {
	switch name {
	case "==":
		return in.quickly(c, name)
	case "+", "-", "<", ">", "<=", ">=", "^", "&", "|":
		rt := in.rt
		switch c {
		case rt.integer, rt.numeric, rt.object, rt.kernel, rt.basic, rt.comparable:
			return true
		}
	}
	return false
}

func (in *Interp) addSingleton(o Object, m *method) {
	switch o.(type) {
	case Nil, Bool, Int, Float, Symbol, nil:
		in.raise("TypeError", "can't define singleton")
	}
	m.owner, m.single = in.classOf(o), o
	in.sdefs.own(o)[m.name] = m
	in.changedSingle(o, m.name)
}

func (in *Interp) alias(c *Class, name, old string) {
	m := in.findMethod(c, old)
	if m == nil {
		if in.rt.knows(c, nil, old) {
			in.unsupported("the method " + old + " of " + c.name)
		}
		in.raise("NameError", "undefined method `%s' for class `%s'", old, c.name)
	}
	k := *m
	k.name = name
	in.addMethod(c, &k)
}

// aliasSingleton gives a method of one object another name.
func (in *Interp) aliasSingleton(o Object, name, old string) {
	m := in.findFor(o, old)
	if m == nil {
		in.noMethod(in.classOf(o), old)
	}
	k := *m
	k.name = name
	in.addSingleton(o, &k)
}

func (in *Interp) undef(c *Class, name string) {
	if in.findMethod(c, name) == nil {
		in.raise("NameError", "undefined method `%s' for class `%s'", name, c.name)
	}
	in.undefs.own(c)[name] = true
	in.changedClasses(c)
	if in.defs.none() {
		in.defs.of = map[*Class]*names[*method]{}
	}
}

func (in *Interp) evalClass(n *syntax.ClassDef, f *frame) Object {
	in.at = n.Path.Where
	var found Object
	scope := ""
	lookup := func() {
		if l := f.scope(); n.Path.Scope == nil && l != nil {
			if v, ok := in.ownConst(l.class, n.Path.Name); ok {
				found = v
			}
			return
		}
		if n.Path.Scope != nil {
			owner, ok := in.eval(n.Path.Scope, f).(*Class)
			if ok {
				if owner != in.rt.object {
					scope = owner.name + "::"
				}
				if v, has := in.ownConst(owner, n.Path.Name); has {
					found = v
				}
			}
			return
		}
		// What is defined here need not be supplied.
		if v, ok := in.topOf(n.Path.Name); ok {
			found = v
		} else if v, ok := in.rt.consts[n.Path.Name]; ok {
			found = v
		}
	}
	lookup()
	c, _ := found.(*Class)
	var super *Class
	if n.Super != nil {
		s, ok := in.eval(n.Super, f).(*Class)
		if !ok {
			in.raise("TypeError", "superclass must be a Class (%s given)", "Object")
		}
		super = s
	}
	if c == nil {
		c = &Class{name: scope + n.Path.Name, module: n.IsModule, super: in.rt.object, user: true}
		if n.IsModule {
			c.super = nil
		}
		if super != nil {
			c.super = super
		}
		in.setConst(n.Path, c, f)
		if owner := f.scope(); owner != nil && n.Path.Scope == nil {
			c.name = owner.class.name + "::" + n.Path.Name
		}
		if super != nil {
			if m := in.findFor(super, "inherited"); m != nil && m.builtin == nil {
				in.invoke(m, super, []Object{c}, nil)
			}
		}
	}
	return in.classBody(c, n.Body, n.Slots, f, nil)
}

func (in *Interp) classBody(c *Class, body *syntax.Seq, slots int, f *frame, single Object) Object {
	g := in.newFrame(slots)
	g.meth, g.home, g.self = g, g, c
	g.cref = &lexical{class: c, up: f.cref}
	if single != nil {
		in.singletonBody.put(g.cref, single)
	}
	return in.eval(body, g)
}

func (in *Interp) evalSClass(n *syntax.SClass, f *frame) Object {
	o := in.eval(n.Value, f)
	c, ok := o.(*Class)
	if !ok {
		c = in.classOf(o)
	}
	return in.classBody(c, n.Body, n.Slots, f, o)
}
