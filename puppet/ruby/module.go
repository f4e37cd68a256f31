package ruby

import (
	"slices"
	"strings"

	"bunraku/puppet/ruby/syntax"
)

// moduleTable is what classes and modules answer.
func moduleTable() []builtin {
	self := func(c *call) *Class { return c.self.(*Class) }
	name := func(c *call) Object {
		if self(c).name == "" {
			return Nil{}
		}
		return c.ret(self(c).name)
	}
	attr := func(read, write bool) func(c *call) Object {
		return func(c *call) Object {
			var names []Object
			for i := range c.args {
				n := c.nameArg(i)
				if read {
					c.define(&method{name: n, owner: self(c), ivar: "@" + n})
					names = append(names, Symbol(n))
				}
				if write {
					c.define(&method{name: n + "=", owner: self(c), ivar: "@" + n})
					names = append(names, Symbol(n+"="))
				}
			}
			return c.in.array(names)
		}
	}
	visibility := func(private bool) func(c *call) Object {
		return func(c *call) Object {
			if len(c.args) == 0 {
				if c.frame != nil && c.frame.cref != nil {
					c.in.visibility.put(c.frame.cref, private)
				}
				return Nil{}
			}
			names := c.args
			if list, ok := c.arg(0).(*Array); ok && len(names) == 1 {
				names = list.els()
			}
			for _, a := range names {
				if s, ok := stringOrSymbol(a); ok {
					if m := c.in.findMethod(self(c), s); m != nil {
						k := *m
						k.private = private
						c.in.addMethod(self(c), &k)
					}
				}
			}
			return c.arg(0)
		}
	}
	quiet := func(c *call) Object { return Nil{} }
	return []builtin{
		{"name", 0, 0, name},
		{"to_s", 0, 0, moduleToS}, {"inspect", 0, 0, moduleToS},
		{"===", 1, 1, func(c *call) Object { return Bool(c.in.isA(c.arg(0), self(c))) }},
		{"==", 1, 1, func(c *call) Object { return Bool(c.self == c.arg(0)) }},
		{"<", 1, 1, func(c *call) Object {
			o, ok := c.arg(0).(*Class)
			if !ok {
				c.raise("TypeError", "compared with non class/module")
			}
			if o == self(c) {
				return Bool(false)
			}
			if c.in.subclass(self(c), o) {
				return Bool(true)
			}
			if c.in.subclass(o, self(c)) {
				return Bool(false)
			}
			return Nil{}
		}},
		{"<=", 1, 1, func(c *call) Object {
			o, ok := c.arg(0).(*Class)
			if !ok {
				c.raise("TypeError", "compared with non class/module")
			}
			if c.in.subclass(self(c), o) {
				return Bool(true)
			}
			if c.in.subclass(o, self(c)) {
				return Bool(false)
			}
			return Nil{}
		}},
		{"ancestors", 0, 0, func(c *call) Object {
			var out []Object
			for _, a := range c.in.ancestors(self(c)) {
				if a != c.in.rt.kernelPrivate {
					out = append(out, a)
				}
			}
			return c.in.array(out)
		}},
		{"instance_methods", 0, 1, func(c *call) Object { c.in.unsupported("instance_methods"); return nil }},
		{"method_defined?", 1, 2, func(c *call) Object { return Bool(c.in.findMethod(self(c), c.nameArg(0)) != nil) }},
		{"instance_method", 1, 1, func(c *call) Object {
			m := c.in.findMethod(self(c), c.nameArg(0))
			if m == nil {
				c.in.noMethod(self(c), c.nameArg(0))
			}
			return &MethodObject{nil, m.name, m}
		}},
		{"public_instance_method", 1, 1, func(c *call) Object { c.in.unsupported("public_instance_method"); return nil }},
		{"class_variable_get", 1, 1, func(c *call) Object {
			owner := c.in.variableOwner(self(c), c.nameArg(0))
			if owner == nil {
				c.raise("NameError", "uninitialized class variable %s in %s", c.nameArg(0), self(c).name)
			}
			v, _ := c.in.cvars.get(owner, c.nameArg(0))
			return v
		}},
		{"class_variable_set", 2, 2, func(c *call) Object {
			c.in.setClassVariable(self(c), c.nameArg(0),
				c.arg(1))
			return c.arg(1)
		}},
		{"class_variable_defined?", 1, 1, func(c *call) Object {
			return Bool(c.in.variableOwner(self(c),
				c.nameArg(0)) != nil)
		}},
		{"autoload", 2, 2, quiet},
		{"const_get", 1, 2, func(c *call) Object {
			var v Object = self(c)
			if own := c.arg(1); c.has(1) && !truthy(own) {
				if o, found := c.in.ownConst(self(c), c.nameArg(0)); found {
					return o
				}
				return c.in.constMissing(self(c), c.nameArg(0))
			}
			for _, part := range strings.Split(c.nameArg(0), "::") {
				k, ok := v.(*Class)
				if !ok {
					c.raise("TypeError", "%s does not refer to class/module", c.in.inspectOf(v))
				}
				if o, found := c.in.ownConst(k, part); found {
					v = o
				} else if o, found := c.in.inheritedConst(k, part); found {
					v = o
				} else if k == self(c) && c.in.hasTopConst(part) {
					v = c.in.topConst(part)
				} else {
					v = c.in.constIn(k, part)
				}
			}
			return v
		}},
		{"const_defined?", 1, 2, func(c *call) Object {
			return Bool(c.in.constDefined(self(c), c.nameArg(0), !c.has(1) || truthy(c.arg(1))))
		}},
		{"const_missing", 1, 1, func(c *call) Object { return c.in.noConst(self(c), c.nameArg(0)) }},
		{"constants", 0, 1, func(c *call) Object {
			if !self(c).user {
				c.in.unsupported("the constants of " + self(c).name)
			}
			return c.in.array(slices.Clone(c.in.constNames.at(self(c))))
		}},
		{"const_set", 2, 2, func(c *call) Object {
			f := &frame{cref: &lexical{class: self(c)}}
			if self(c) == c.in.rt.object {
				f.cref = nil
			}
			c.in.setConst(&syntax.Const{Name: c.nameArg(0)}, c.arg(1), f)
			return c.arg(1)
		}},
		{"include", 1, -1, func(c *call) Object {
			for _, a := range slices.Backward(c.args) {
				m, ok := a.(*Class)
				if !ok || !m.module {
					c.raise("TypeError", "wrong argument type %s (expected module)", c.in.classOf(a).name)
				}
				if !c.in.subclass(self(c), m) {
					mix(&c.in.mixed.included, self(c), m)
					c.in.changedClasses(self(c))
				}
				if inc := c.in.findFor(m, "included"); inc != nil && inc.builtin == nil {
					c.in.invoke(inc, m, []Object{self(c)}, nil)
				}
			}
			return c.self
		}},
		{"include?", 1, 1, func(c *call) Object {
			m, _ := c.arg(0).(*Class)
			return Bool(m != self(c) && c.in.subclass(self(c), m))
		}},
		{"prepend", 1, -1, func(c *call) Object {
			if !self(c).user { // what is built in does not look for methods before its own everywhere
				c.in.unsupported("prepend to " + self(c).name)
			}
			for _, a := range slices.Backward(c.args) {
				m, ok := a.(*Class)
				if !ok || !m.module {
					c.raise("TypeError", "wrong argument type %s (expected Module)", c.in.classOf(a).name)
				}
				if !slices.Contains(c.in.mixed.prepended.at(self(c)), m) {
					mix(&c.in.mixed.prepended, self(c), m)
					c.in.changedClasses(self(c))
				}
				if inc := c.in.findFor(m, "prepended"); inc != nil && inc.builtin == nil {
					c.in.invoke(inc, m, []Object{self(c)}, nil)
				}
			}
			return c.self
		}},
		{"attr_reader", 0, -1, attr(true, false)}, {"attr_writer", 0, -1, attr(false, true)},
		{"attr_accessor", 0, -1, attr(true, true)}, {"attr", 0, -1, attr(true, false)},
		{"define_method", 1, 2, func(c *call) Object {
			m := &method{name: c.nameArg(0), owner: self(c), proc: c.block}
			if p, ok := c.arg(1).(*Proc); ok {
				m.proc = p
			}
			if o, ok := c.arg(1).(*MethodObject); ok {
				k := *o.m
				k.name, k.owner, k.single = m.name, self(c), nil
				m = &k
			} else if m.proc == nil {
				c.raise("ArgumentError", "tried to create Proc object without a block")
			}
			if c.frame != nil && c.frame.cref != nil && c.frame.cref.class == self(c) {
				m.private = c.in.visibility.at(c.frame.cref)
			}
			c.define(m)
			return Symbol(m.name)
		}},
		{"alias_method", 2, 2, func(c *call) Object {
			if c.frame != nil && c.frame.cref != nil {
				if o := c.in.singletonBodyOf(c.frame.cref); o != nil && o == c.self {
					if m := c.in.findFor(o, c.nameArg(1)); m != nil {
						k := *m
						k.name = c.nameArg(0)
						c.in.addSingleton(o, &k)
						return Symbol(k.name)
					}
				}
			}
			c.in.alias(self(c), c.nameArg(0), c.nameArg(1))
			return Symbol(c.nameArg(0))
		}},
		{"remove_method", 0, -1, func(c *call) Object {
			for i := range c.args {
				delete(c.in.defs.own(self(c)), c.nameArg(i))
				c.in.changedClasses(self(c))
			}
			return c.self
		}},
		{"undef_method", 0, -1, func(c *call) Object {
			for i := range c.args {
				c.in.undef(self(c), c.nameArg(i))
			}
			return c.self
		}},
		{"private", 0, -1, visibility(true)}, {"protected", 0, -1, visibility(false)}, {"public", 0, -1, visibility(false)},
		{"private_class_method", 0, -1, quiet}, {"public_class_method", 0, -1, quiet}, {"private_constant", 0, -1, quiet},
		{"ruby2_keywords", 0, -1, quiet}, {"public_constant", 0, -1, quiet}, {"deprecate_constant", 0, -1, quiet},
		{"module_function", 0, -1, func(c *call) Object {
			for i := range c.args {
				if m := c.in.findMethod(self(c), c.nameArg(i)); m != nil {
					k := *m
					k.private = false
					c.in.addSingleton(c.self, &k)
				}
			}
			if len(c.args) == 0 && c.frame != nil && c.frame.cref != nil {
				c.in.moduleFunctions.put(c.frame.cref, true)
			}
			return Nil{}
		}},
		{"class_eval", 0, 3, moduleEval}, {"module_eval", 0, 3, moduleEval}, {"class_exec", 0, -1, moduleEval},
		{"hash", 0, 0, hashMethod},
		{"freeze", 0, 0, func(c *call) Object { return c.self }},
		{"to_json", 0, -1, func(c *call) Object { return c.in.str(c.in.toJSON(c.self, c.args)) }},
	}
}

func moduleToS(c *call) Object {
	if k := c.self.(*Class); k.name != "" {
		return c.ret(k.name)
	}
	return c.ret(c.in.anyToS(c.self))
}

// define adds a method to the class that is being written, or to the object whose singleton class is.
func (c *call) define(m *method) {
	if c.frame != nil && c.frame.cref != nil {
		if o := c.in.singletonBodyOf(c.frame.cref); o != nil && o == c.self {
			c.in.addSingleton(o, m)
			return
		}
	}
	c.in.addMethod(c.self.(*Class), m)
}

func moduleEval(c *call) Object {
	if c.block == nil {
		c.in.unsupported("eval")
	}
	p := *c.block
	p.self = c.self
	if p.frame != nil {
		f := *p.frame
		f.cref = &lexical{class: c.self.(*Class), up: p.frame.cref, eval: true}
		p.frame = &f
	}
	return c.in.callProc(&p, append([]Object{c.self}, c.args...), nil)
}

// classTable is what classes answer and modules do not.
func classTable() []builtin {
	return []builtin{
		{"new", 0, -1, classNew},
		{"allocate", 0, 0, func(c *call) Object { return c.in.allocate(c.self.(*Class)) }},
		{"superclass", 0, 0, func(c *call) Object {
			if k := c.self.(*Class); k.super != nil {
				return k.super
			}
			return Nil{}
		}},
		{"class", 0, 0, func(c *call) Object { return c.in.rt.class_ }},
	}
}

// allocate makes an empty object of a class written in Ruby, or of one of Ruby's that can be one.
func (in *Interp) allocate(k *Class) Object {
	if in.subclass(k, in.rt.exception) {
		return &Exception{class: k, msg: Nil{}}
	}
	for s := k; s != nil; s = s.super {
		switch s {
		case in.rt.str:
			return &String{class: k}
		case in.rt.array, in.rt.hash, in.rt.set:
			in.unsupported("a subclass of " + s.name)
		}
	}
	if !k.user && k != in.rt.object && (in.defs.at(k) == nil || len(in.defs.at(k).of) == 0) {
		if m := in.findSingle(k, "new"); m == nil || m.owner == in.rt.class_ {
			if !madeByNobody[k.name] {
				in.unsupported("the method new of " + k.name)
			}
			in.raise("NoMethodError", "undefined method `new' for %s:Class", k.name)
		}
	}
	return &Instance{class: k}
}

func classNew(c *call) Object {
	k := c.self.(*Class)
	if k == c.in.rt.class_ || k == c.in.rt.module {
		n := &Class{super: c.in.rt.object, user: true}
		if k == c.in.rt.module {
			n.super, n.module = nil, true
		} else if s, ok := c.arg(0).(*Class); ok {
			n.super = s
		}
		if c.block != nil {
			c.self = n
			moduleEval(&call{in: c.in, self: n, block: c.block})
		}
		return n
	}
	o := c.in.allocate(k)
	if e, ok := o.(*Exception); ok {
		if m := c.in.findMethod(k, "initialize"); m != nil {
			c.in.invoke(m, e, c.args, c.block)
		}
		return e
	}
	if m := c.in.findMethod(k, "initialize"); m != nil {
		c.in.invoke(m, o, c.args, c.block)
	} else if len(c.args) > 0 {
		c.in.wrongArgs(len(c.args), 0, 0)
	}
	return o
}

// madeByNobody are Ruby's classes without new.
var madeByNobody = map[string]bool{"Integer": true, "Float": true, "Symbol": true, "NilClass": true, "TrueClass": true,
	"FalseClass": true, "Rational": true, "Complex": true, "Method": true, "UnboundMethod": true, "MatchData": true,
	"Encoding": true, "Binding": true}
