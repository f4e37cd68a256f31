package ruby

import "bunraku/puppet/ruby/syntax"

// Class variables belong to the class in whose text they stand, and to all classes below it.

// variableClass is the class whose variables code sees. Blocks given to class_eval see those of the text around them.
func (in *Interp) variableClass(f *frame) *Class {
	if l := f.scope(); l != nil {
		return l.class
	}
	if n, ok := f.self.(*Native); ok {
		return n.class
	}
	return in.rt.object
}

// variableOwner is the class above c, or c, that has a class variable, nil for none.
func (in *Interp) variableOwner(c *Class, name string) *Class {
	for _, a := range in.ancestors(c) {
		if _, ok := in.cvars.get(a, name); ok {
			return a
		}
	}
	return nil
}

func (in *Interp) classVariable(n *syntax.CVar, f *frame) Object {
	c := in.variableClass(f)
	owner := in.variableOwner(c, n.Name)
	if owner == nil {
		in.at = n.Where
		if c == in.rt.object {
			in.raise("RuntimeError", "class variable access from toplevel")
		}
		in.raise("NameError", "uninitialized class variable %s in %s", n.Name, c.name)
	}
	v, _ := in.cvars.get(owner, n.Name)
	return v
}

func (in *Interp) setClassVariable(c *Class, name string, v Object) {
	if owner := in.variableOwner(c, name); owner != nil {
		c = owner
	}
	if c == in.rt.object {
		in.raise("RuntimeError", "class variable access from toplevel")
	}
	in.cvars.own(c)[name] = v
}
