package ruby

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
)

// What the classes of a seed answer is found out once for all interpreters that begin from it: for each class that is
// asked for a method, all methods that it has of itself and of those above it. An interpreter goes by that until its
// program changes something that may count for the answer (strays).

// A settled is what is known of a class of a seed.
type settled struct {
	chain []*Class // its ancestors
	// of has the methods of its objects, itself those that it has as an object; nil until somebody asks.
	of, itself atomic.Pointer[answers]
}

// answers are methods by name; nil for one that was undefined.
type answers map[string]*method

// strays are how an interpreter's classes differ from those of its seed.
type strays struct {
	classes          bool            // something was mixed into one of the seed's, extends one, or was taken from one
	methods, singles map[string]bool // names of methods that the seed's classes, or their objects, were given
	many             bool            // since it was booted, more than functions of the 3.x API, or a constant
}

func (s *strays) note(list *map[string]bool, name string) {
	if !strings.HasPrefix(name, "function_") && !strings.HasPrefix(name, "real_function_") {
		s.many = true
	}
	if *list == nil {
		*list = map[string]bool{}
	}
	(*list)[name] = true
}

// changedConst notes that a constant is set.
func (in *Interp) changedConst(owner *Class, name string) {
	if owner == nil {
		_, mine := in.gconst.base[name]
		_, rubys := in.rt.consts[name]
		in.strays.many = in.strays.many || mine || rubys
		return
	}
	in.strays.many = in.strays.many || owner.settled()
}

// seedMethod is the method by which objects of a class answer a name, if the seed knows.
func (in *Interp) seedMethod(c *Class, name string) (m *method, known bool) {
	if in.seed == nil || !c.settled() || in.strays.classes || in.strays.methods[name] {
		return nil, false
	}
	all := in.seed.answersOf(c)
	return all[name], all != nil
}

// seedSingle is the method by which a class itself answers a name, if the seed knows.
func (in *Interp) seedSingle(c *Class, name string) (m *method, known bool) {
	if in.seed == nil || !c.settled() || in.strays.classes || in.strays.methods[name] || in.strays.singles[name] {
		return nil, false
	}
	all := in.seed.answersOfItself(c)
	return all[name], all != nil
}

// answersOf are all methods of objects of a class, nil when the seed does not know it.
func (s *Seed) answersOf(c *Class) answers {
	of := &s.classes[c.number]
	if all := of.of.Load(); all != nil {
		return *all
	}
	if of.chain == nil {
		return nil
	}
	all := answers{}
	for _, a := range slices.Backward(of.chain) {
		s.add(all, a)
		if n := s.in.undefs.of[a]; n != nil {
			for name, undefined := range n.of {
				if undefined {
					all[name] = nil
				}
			}
		}
	}
	of.of.Store(&all)
	return all
}

// add adds a class's own methods.
func (s *Seed) add(all answers, c *Class) {
	maps.Copy(all, c.table)
	if n := s.in.defs.of[c]; n != nil {
		maps.Copy(all, n.of)
	}
}

// answersOfItself are all methods of a class as an object: its own, those of the modules that extend it, those of the
// classes above it, and those that all classes or modules have.
func (s *Seed) answersOfItself(c *Class) answers {
	of := &s.classes[c.number]
	if all := of.itself.Load(); all != nil {
		return *all
	}
	base := s.in.rt.class_
	if c.module {
		base = s.in.rt.module
	}
	every := s.answersOf(base)
	if of.chain == nil || every == nil {
		return nil
	}
	all := maps.Clone(every)
	var above []*Class
	for k := c; k != nil; k = k.super {
		above = append(above, k)
	}
	for _, k := range slices.Backward(above) {
		maps.Copy(all, k.single)
		for _, m := range s.in.extended.of[k] {
			for _, a := range slices.Backward(withModules(nil, m, &s.in.mixed)) {
				s.add(all, a)
			}
		}
		if n := s.in.sdefs.of[k]; n != nil {
			maps.Copy(all, n.of)
		}
	}
	of.itself.Store(&all)
	return all
}
