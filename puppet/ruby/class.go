package ruby

import (
	"slices"
	"strings"
	"sync"

	"bunraku/puppet/ruby/syntax"
)

// A Class is a class or a module. Those of the Runtime are shared and never change; what a program adds to them is kept
// in its Interp.
type Class struct {
	name     string
	super    *Class
	module   bool
	user     bool // made by a program
	number   int  // of Ruby's own, and of a seed's, from 1; else 0
	made     bool // by the file of a function, for all interpreters of a seed (Made)
	stub     bool // stands for a class or module that only the host's Ruby has
	includes []*Class
	table    map[string]*method // its own built-in methods
	single   map[string]*method // of the class itself
	consts   map[string]Object
	flat     map[string]*method // table with those of all ancestors
	chain    []*Class
	members  []string // of a class that Struct.new made
	keywords Object   // what it was told of keyword_init
}

// A Runtime is Ruby's own classes. It is made once and shared.
type Runtime struct {
	object, basic, kernel, kernelPrivate, comparable, enumerable, module, class_         *Class
	nilC, trueC, falseC, integer, float, str, symbol, array, hash, rng, regexp, matchC   *Class
	proc, methodC, unbound, exception, enumerator, lazy, set, foreign, numeric, hashCode *Class
	sensitive, structC                                                                   *Class

	consts map[string]Object
	names  func() (methods map[string]map[string]bool, consts map[string]bool) // what Ruby has, by class
	rooms  sync.Pool                                                           // of *trackerRoom
	count  int                                                                 // of its classes
	// effects has what code of libraries does (syntax.Node → *effects); that of templates is kept with them.
	effects sync.Map
}

// NewRuntime makes Ruby's classes.
func NewRuntime() *Runtime {
	rt := &Runtime{consts: map[string]Object{}}
	def := func(name string, super *Class, tables ...[]builtin) *Class {
		c := &Class{name: name, super: super, number: rt.numbered(), table: map[string]*method{},
			single: map[string]*method{}, consts: map[string]Object{}}
		for _, t := range tables {
			for i := range t {
				c.table[t[i].name] = &method{name: t[i].name, owner: c, builtin: &t[i]}
			}
		}
		rt.name(c)
		return c
	}
	mod := func(name string, tables ...[]builtin) *Class {
		c := def(name, nil, tables...)
		c.module = true
		return c
	}
	rt.basic = def("BasicObject", nil)
	rt.kernel = mod("Kernel", kernelTable())
	rt.kernelPrivate = mod("Kernel ", kernelPrivateTable())
	delete(rt.consts, "Kernel ")
	rt.object = def("Object", rt.basic)
	rt.object.includes = []*Class{rt.kernel, rt.kernelPrivate}
	rt.comparable = mod("Comparable", comparableTable())
	rt.enumerable = mod("Enumerable", enumerableTable())
	rt.module = def("Module", rt.object, moduleTable())
	rt.class_ = def("Class", rt.module, classTable())
	rt.nilC = def("NilClass", rt.object, nilTable())
	rt.trueC = def("TrueClass", rt.object, boolTable())
	rt.falseC = def("FalseClass", rt.object, boolTable())
	rt.numeric = def("Numeric", rt.object, numericTable())
	rt.numeric.includes = []*Class{rt.comparable}
	rt.integer = def("Integer", rt.numeric, integerTable())
	rt.float = def("Float", rt.numeric, floatTable())
	rt.str = def("String", rt.object, stringTable(), stringSearchTable(), stringChangeTable(), stringJSONTable())
	rt.str.includes = []*Class{rt.comparable}
	rt.symbol = def("Symbol", rt.object, symbolTable())
	rt.symbol.includes = []*Class{rt.comparable}
	rt.array = def("Array", rt.object, arrayTable(), arrayChangeTable())
	rt.array.includes = []*Class{rt.enumerable}
	rt.hash = def("Hash", rt.object, hashTable(), hashChangeTable())
	rt.hash.includes = []*Class{rt.enumerable}
	rt.rng = def("Range", rt.object, rangeTable())
	rt.rng.includes = []*Class{rt.enumerable}
	rt.regexp = def("Regexp", rt.object, regexpTable())
	rt.matchC = def("MatchData", rt.object, matchTable())
	rt.proc = def("Proc", rt.object, procTable())
	rt.methodC = def("Method", rt.object, methodTable())
	rt.unbound = def("UnboundMethod", rt.object, unboundTable())
	rt.enumerator = def("Enumerator", rt.object, enumeratorTable())
	rt.enumerator.includes = []*Class{rt.enumerable}
	rt.lazy = def("Enumerator::Lazy", rt.enumerator)
	rt.set = def("Set", rt.object, setTable())
	rt.set.includes = []*Class{rt.enumerable}
	rt.foreign = def("Puppet::Pops::Types::PAnyType", rt.object, foreignTable())
	rt.sensitive = def("Puppet::Pops::Types::PSensitiveType::Sensitive", rt.object, foreignTable(), sensitiveTable())
	rt.structC = def("Struct", rt.object, structTable())
	rt.structC.includes = []*Class{rt.enumerable}
	mod("Errno")
	rt.exceptions(def)
	rt.libraries(mod, def)
	for _, c := range rt.all() {
		c.chain = linearize(c, &mixing{})
	}
	rt.hashCode = def("Integer ", rt.object, hashCodeTable(rt.integer))
	delete(rt.consts, "Integer ")
	rt.hashCode.chain = linearize(rt.hashCode, &mixing{})
	// The classes of most receivers have all their methods in one map.
	for _, c := range []*Class{rt.object, rt.module, rt.class_, rt.nilC, rt.trueC, rt.falseC, rt.integer, rt.float, rt.str,
		rt.symbol, rt.array, rt.hash, rt.rng, rt.regexp, rt.matchC, rt.proc, rt.enumerator} {
		c.finish()
	}
	rt.singles()
	rt.names = sync.OnceValues(knownNames)
	return rt
}

func (rt *Runtime) numbered() int {
	rt.count++
	return rt.count
}

// settled reports whether a class is Ruby's own, or a seed's.
func (c *Class) settled() bool { return c.number > 0 }

// name enters a class under its (qualified) name.
func (rt *Runtime) name(c *Class) {
	i := strings.LastIndex(c.name, "::")
	if i < 0 {
		rt.consts[c.name] = c
		return
	}
	if owner := rt.class(c.name[:i]); owner != nil {
		owner.consts[c.name[i+2:]] = c
	}
	rt.consts[" "+c.name] = c // found by class, not by programs
}

// class finds a class of the runtime by its full name.
func (rt *Runtime) class(name string) *Class {
	if c, ok := rt.consts[name].(*Class); ok {
		return c
	}
	c, _ := rt.consts[" "+name].(*Class)
	return c
}

func (rt *Runtime) all() []*Class {
	out := []*Class{rt.kernelPrivate}
	for _, o := range rt.consts {
		if c, ok := o.(*Class); ok {
			out = append(out, c)
		}
	}
	return out
}

func (c *Class) finish() {
	c.flat = map[string]*method{}
	for i := len(c.chain) - 1; i >= 0; i-- {
		for n, m := range c.chain[i].table {
			c.flat[n] = m
		}
	}
}

// linearize is the order in which methods are looked for.
func linearize(c *Class, mixed *mixing) []*Class {
	var out []*Class
	for ; c != nil; c = c.super {
		out = withModules(out, c, mixed)
	}
	return out
}

// A mixing is what a program has mixed into classes and modules: behind their own methods, and before them.
type mixing struct{ included, prepended shelf[*Class, []*Class] }

func (m *mixing) none() bool { return m.included.none() && m.prepended.none() }

func mix(list *shelf[*Class, []*Class], into, module *Class) {
	list.put(into, append(slices.Clip(list.at(into)), module))
}

// withModules adds a class or module and the modules that are mixed into it, the last one first, each once.
func withModules(out []*Class, c *Class, mixed *mixing) []*Class {
	for _, m := range slices.Backward(mixed.prepended.at(c)) {
		if !slices.Contains(out, m) {
			out = withModules(out, m, mixed)
		}
	}
	out = append(out, c)
	for _, list := range [][]*Class{mixed.included.at(c), c.includes} {
		for i := len(list) - 1; i >= 0; i-- {
			if !slices.Contains(out, list[i]) {
				out = withModules(out, list[i], mixed)
			}
		}
	}
	return out
}

func (in *Interp) ancestors(c *Class) []*Class {
	if c.chain != nil && in.mixed.none() {
		return c.chain
	}
	if c.settled() && in.seed != nil && !in.strays.classes {
		if chain := in.seed.classes[c.number].chain; chain != nil {
			return chain
		}
	}
	chain, ok := in.chains[c]
	if !ok {
		if in.chains == nil {
			in.chains = map[*Class][]*Class{}
		}
		chain = linearize(c, &in.mixed)
		in.chains[c] = chain
	}
	return chain
}

// changedClasses forgets which methods classes have: a program has removed something of one or included something.
func (in *Interp) changedClasses(c *Class) {
	in.chains, in.found = nil, nil
	in.strays.classes = in.strays.classes || c.settled()
}

// changedMethod forgets which classes have a method of a name: a program has defined one. What stands in a class body
// mostly defines one after the other, and asks for others in between.
func (in *Interp) changedMethod(c *Class, name string) {
	delete(in.found, name)
	if c.settled() {
		in.strays.note(&in.strays.methods, name)
	}
}

// changedSingle notes that an object has a method of its own.
func (in *Interp) changedSingle(o Object, name string) {
	c, is := o.(*Class)
	switch {
	case !is:
		in.alone = true
	case c.settled():
		in.strays.note(&in.strays.singles, name)
	}
}

// changedExtension notes that an object has methods of a module.
func (in *Interp) changedExtension(o Object) {
	c, is := o.(*Class)
	in.alone = in.alone || !is
	in.strays.classes = in.strays.classes || is && c.settled()
}

// classOf is an object's class.
func (in *Interp) classOf(o Object) *Class {
	rt := in.rt
	switch o := o.(type) {
	case Nil, nil:
		return rt.nilC
	case Bool:
		if o {
			return rt.trueC
		}
		return rt.falseC
	case Int, *Big:
		return rt.integer
	case Float:
		return rt.float
	case *String:
		if o.class != nil {
			return o.class
		}
		return rt.str
	case Symbol:
		return rt.symbol
	case *Array:
		return rt.array
	case *Hash:
		return rt.hash
	case *Range:
		return rt.rng
	case *Regexp:
		return rt.regexp
	case *Match:
		return rt.matchC
	case *Proc:
		return rt.proc
	case *MethodObject:
		if o.recv == nil {
			return rt.unbound
		}
		return rt.methodC
	case *Enumerator:
		if o.lazy {
			return rt.lazy
		}
		return rt.enumerator
	case *Set:
		return rt.set
	case *Instance:
		return o.class
	case *Exception:
		return o.class
	case *Native:
		return o.class
	case *Foreign:
		return in.foreignClass(o)
	case *Class:
		if o.module {
			return rt.module
		}
		return rt.class_
	case *IPAddr:
		return rt.class("IPAddr")
	case *HashCode:
		return rt.hashCode
	}
	return rt.object
}

func (in *Interp) isA(o Object, c *Class) bool {
	if !in.extended.none() && c.module {
		if _, plain := plainObject(o); !plain && slices.Contains(in.extended.at(o), c) {
			return true
		}
	}
	for _, a := range in.ancestors(in.classOf(o)) {
		if a == c {
			return true
		}
	}
	return false
}

// plainObject tells objects that have no identity, and so cannot be extended.
func plainObject(o Object) (Object, bool) {
	switch o.(type) {
	case Nil, Bool, Int, Float, Symbol, nil:
		return o, true
	}
	return o, false
}

// findFor finds the method that an object answers a name with, nil for none.
func (in *Interp) findFor(o Object, name string) *method {
	if c, ok := o.(*Class); ok {
		if !in.sdefs.none() || !in.extended.none() {
			if m := in.singletonOfClass(c, name); m != nil {
				return m
			}
		}
		return in.findSingle(c, name)
	}
	if in.alone {
		if _, plain := plainObject(o); !plain {
			if m := in.singletonOf(o, name); m != nil {
				return m
			}
		}
	}
	return in.findMethod(in.classOf(o), name)
}

// singletonOfClass looks at methods defined on a class and those above it.
func (in *Interp) singletonOfClass(c *Class, name string) *method {
	for ; c != nil; c = c.super {
		if m, known := in.seedSingle(c, name); known {
			return m
		}
		if m := in.singletonOf(c, name); m != nil {
			return m
		}
		if m := c.single[name]; m != nil {
			return m
		}
	}
	return nil
}

// singletonOf looks at the methods of one object, then at those of the modules that extend it.
func (in *Interp) singletonOf(o Object, name string) *method {
	if m, _ := in.sdefs.get(o, name); m != nil {
		return m
	}
	list := in.extended.at(o)
	for i := len(list) - 1; i >= 0; i-- {
		for _, k := range withModules(nil, list[i], &in.mixed) {
			if m, _ := in.defs.get(k, name); m != nil {
				return m
			}
			if m := k.table[name]; m != nil {
				return m
			}
		}
	}
	return nil
}

func (in *Interp) findSingle(c *Class, name string) *method {
	for k := c; k != nil; k = k.super {
		if m := k.single[name]; m != nil {
			return m
		}
	}
	base := in.rt.class_
	if c.module {
		base = in.rt.module
	}
	return in.findMethod(base, name)
}

func (in *Interp) findMethod(c *Class, name string) *method {
	if in.defs.none() && in.mixed.none() && c.flat != nil {
		return c.flat[name]
	}
	if m, known := in.seedMethod(c, name); known {
		return m
	}
	of := in.found[name]
	if m, ok := of[c]; ok {
		return m
	}
	m := in.searchMethod(c, name)
	if of == nil {
		if in.found == nil {
			in.found = map[string]map[*Class]*method{}
		}
		of = map[*Class]*method{}
		in.found[name] = of
	}
	of[c] = m
	return m
}

func (in *Interp) searchMethod(c *Class, name string) *method {
	for _, a := range in.ancestors(c) {
		if !a.module {
			if m, known := in.seedMethod(a, name); known {
				return m
			}
		}
		if undefined, _ := in.undefs.get(a, name); undefined {
			return nil
		}
		if m, _ := in.defs.get(a, name); m != nil {
			return m
		}
		if m := a.table[name]; m != nil {
			return m
		}
	}
	return nil
}

// findAfter finds the next method of a name behind its owner, for super.
func (in *Interp) findAfter(c, owner *Class, name string) *method {
	seen := false
	for _, a := range in.ancestors(c) {
		if a == owner {
			seen = true
			continue
		}
		if !seen {
			continue
		}
		if m, _ := in.defs.get(a, name); m != nil {
			return m
		}
		if m := a.table[name]; m != nil {
			return m
		}
	}
	return nil
}

// responds reports whether an object has a public method.
func (in *Interp) responds(o Object, name string) bool {
	m := in.findFor(o, name)
	if m == nil {
		if n, ok := o.(*Native); ok && n.Call != nil {
			_, yes := n.Call(in, "respond_to? "+name, nil, nil)
			return yes
		}
		if m := in.findFor(o, "respond_to_missing?"); m != nil && m.builtin == nil {
			if truthy(in.invoke(m, o, []Object{Symbol(name), Bool(false)}, nil)) {
				return true
			}
		}
		return in.rt.knows(in.classOf(o), o, name) && !in.isPrivateName(name)
	}
	return !m.private && m.owner != in.rt.kernelPrivate
}

func (in *Interp) isPrivateName(name string) bool { return in.rt.kernelPrivate.table[name] != nil }

func (in *Interp) respondsPrivate(o Object, name string) bool {
	return in.findFor(o, name) != nil || in.responds(o, name)
}

// knows reports a method that Ruby has, whether we have it or not.
func (rt *Runtime) knows(c *Class, o Object, name string) bool {
	known, _ := rt.names()
	if k, ok := o.(*Class); ok {
		if known["#"+k.name][name] {
			return true
		}
	}
	for ; c != nil; c = c.super {
		if known[c.name][name] {
			return true
		}
	}
	return false
}

// unlisted reports whether an object has methods of a class of Ruby's whose methods are not all known by name, so that
// nobody can tell that it lacks one. Exceptions have few of their own, and count as known; what the host makes knows
// its methods.
func (in *Interp) unlisted(o Object) bool {
	known, _ := in.rt.names()
	c, of := in.classOf(o), ""
	switch k := o.(type) {
	case *Native:
		return false
	case *Class:
		c, of = k, "#"
	}
	for ; c != nil && c != in.rt.object && c != in.rt.exception && known[of+c.name] == nil; c = c.super {
		if !c.user && c.name != "" {
			return true
		}
	}
	return false
}

// listed are the modules of Ruby's whose constants are all known by name.
const listed = "NilClass TrueClass FalseClass Integer Float String Symbol Array Hash Range Regexp MatchData Proc " +
	"Method Exception Enumerator Set IPAddr Module Class Puppet Digest Math File Comparable Enumerable Kernel Object"

// mayHaveConst reports whether Ruby's own module has a constant that is not here, as far as is known.
func (rt *Runtime) mayHaveConst(c *Class, name string) bool {
	return rt.knownConst(c.name+"::"+name) || !c.user && !syntax.HasWord(listed, c.name)
}

func (rt *Runtime) knownConst(name string) bool {
	_, consts := rt.names()
	return consts[name] || syntax.HasWord(libraryConstants, name)
}
