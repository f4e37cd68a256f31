package eval

import (
	"strings"

	"bunraku/provenance"
	"bunraku/syntax"
)

// What a branch that was not taken might have done, answered only when somebody asks (rules 5 to 7): may it declare this class, a
// resource of this type, or touch this attribute? Names in Puppet code are mostly static, so reachability in the code decides; where
// a name is computed the answer is "anything".

// mayDeclare joins the decisions of every branch passed over so far that may declare a class.
func (ev *Evaluator) mayDeclare(class string) (r provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	for i := range ev.ghosts.passed {
		p := &ev.ghosts.passed[i]
		if ev.reaches(p.stmts, class, map[string]bool{}) {
			r = ev.trace.Join(r, p.why)
		}
	}
	return r
}

// reaches reports whether code may declare a class, directly or through the classes and defines it declares.
func (ev *Evaluator) reaches(stmts []syntax.Expr, class string, seen map[string]bool) bool {
	found := false
	follow := func(name string, kind Kind) {
		name = canonical(name)
		if kind == ClassKind && name == class {
			found = true
			return
		}
		key := name
		if kind == DefineKind {
			key = "define " + name
		}
		if seen[key] {
			return
		}
		seen[key] = true
		var d *Definition
		if kind == ClassKind {
			d = ev.findClass(name)
		} else {
			d = ev.findDefine(name)
		}
		if d != nil && ev.reaches(d.Body, class, seen) {
			found = true
		}
	}
	names := func(args []syntax.Expr) {
		for _, a := range args {
			name, static := staticName(a)
			if !static {
				found = true // a computed name may be any
				return
			}
			follow(name, ClassKind)
		}
	}
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if found {
				return false
			}
			switch n := n.(type) {
			case *syntax.Call:
				if f, ok := n.Functor.(*syntax.Name); ok {
					switch f.Value {
					case "include", "contain", "require", "hiera_include":
						names(n.Args)
					case "create_resources", "ensure_resource", "ensure_resources":
						found = true
					}
				}
			case *syntax.MethodCall:
				switch n.Functor.Name.Value {
				case "include", "contain", "require":
					names([]syntax.Expr{n.Functor.Left})
				}
			case *syntax.Resource:
				name, ok := n.Type.(*syntax.Name)
				switch {
				case !ok:
					found = true
				case name.Value == "class":
					for _, b := range n.Bodies {
						names([]syntax.Expr{b.Title})
					}
				case ev.world.ResourceType(name.Value) == nil:
					follow(name.Value, DefineKind)
				}
			case syntax.Definition:
				return false
			}
			return true
		})
	}
	return found
}

func staticName(e syntax.Expr) (string, bool) {
	switch e := e.(type) {
	case *syntax.Name:
		return e.Value, true
	case *syntax.Str:
		return e.Value, true
	case *syntax.Access: // Class['a']
		if r, ok := e.Left.(*syntax.Ref); ok && strings.EqualFold(r.Value, "class") && len(e.Keys) == 1 {
			return staticName(e.Keys[0])
		}
	}
	return "", false
}

// mayTouch joins what could still have changed an attribute that is read now: overrides in branches passed over, and collectors.
func (ev *Evaluator) mayTouch(r *Resource, attr string) (ref provenance.Ref) {
	if ev.trace == nil {
		return 0
	}
	for i := range ev.ghosts.passed {
		p := &ev.ghosts.passed[i]
		if overrides(p.stmts, r.Type, attr) {
			ref = ev.trace.Join(ref, p.why)
		}
	}
	return ref
}

// overrides reports whether code overrides or collects an attribute of resources of a type.
func overrides(stmts []syntax.Expr, typ, attr string) bool {
	found := false
	sets := func(ops []*syntax.AttrOp) {
		for _, op := range ops {
			if op.Splat || op.Name == attr {
				found = true
			}
		}
	}
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Override:
				if a, ok := n.Target.(*syntax.Access); ok {
					if r, ok := a.Left.(*syntax.Ref); ok && capitalized(canonical(r.Value)) == typ {
						sets(n.Ops)
					}
				}
			case *syntax.Collect:
				if r, ok := n.Type.(*syntax.Ref); ok && capitalized(canonical(r.Value)) == typ {
					sets(n.Ops)
				}
			}
			return !found
		})
	}
	return found
}
