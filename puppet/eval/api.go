package eval

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/budget"
	"bunraku/provenance"
	"bunraku/puppet/outline"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What built-in functions may do to the catalog: the functions include, contain, require and their kin are thin layers
// over these.

// ClassNames turns the arguments of include and its kin into names of classes.
func (c *Call) ClassNames(args []value.Value) ([]string, error) {
	var names []string
	for _, v := range flatKeys(args) {
		switch v := v.(type) {
		case *value.Opaque:
			c.Eval.notDone(c.Name, v, c.Place)
			if v.Has != nil {
				certain, err := c.ClassNames([]value.Value{v.Has})
				if err != nil {
					return nil, err
				}
				names = append(names, certain...)
			}
		case value.Undef:
			return nil, fmt.Errorf("Cannot use undef as a class name")
		case value.String:
			if v == "" {
				return nil, fmt.Errorf("Cannot use empty string as a class name")
			}
			names = append(names, absolute(string(v)))
		case *types.Class:
			if v.Of == "" {
				return nil, fmt.Errorf("Cannot use an unspecific Class[] Type")
			}
			names = append(names, absolute(v.Of))
		case *types.Resource:
			switch {
			case v.Type == "":
				return nil, fmt.Errorf("Cannot use an unspecific Resource[] where a Resource['class', name] is expected")
			case !strings.EqualFold(v.Type, "class"):
				return nil, fmt.Errorf("Cannot use a Resource[%s] where a Resource['class', name] is expected", v.Type)
			case !v.HasTitle:
				return nil, fmt.Errorf("Cannot use an unspecific Resource['class'] where a Resource['class', name] is expected")
			}
			names = append(names, absolute(v.Title))
		default:
			return nil, fmt.Errorf("undefined method `downcase' for nil:NilClass")
		}
	}
	return names, nil
}

func absolute(name string) string {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "::") {
		return name
	}
	return "::" + name
}

// MustSay makes sure that the function's record says one of some effects, and is a bug otherwise. What code that is
// passed over might do is read from the records (package outline): one that forgot an effect would make provenance
// wrong without a word.
func (c *Call) MustSay(effects ...outline.Effect) {
	for _, e := range effects {
		if c.does.Has(e) {
			return
		}
	}
	panic("the record of the function " + c.Name + "() does not say what it does to the catalog")
}

// Include declares and evaluates classes by name and returns their resources.
func (c *Call) Include(names []string) ([]*Resource, error) {
	c.MustSay(outline.Includes, outline.DeclaresAny)
	ev := c.Eval
	args := ev.trace.Join(c.deepRefs()...)
	ev.ghosts.name(ev.trace, args)
	ev.lead(names...)
	before := ev.decide(args)
	defer func() {
		ev.ctl = before
		c.Scope.ensure(names, before, args)
	}()
	rs, err := ev.includeClasses(names, c.Scope, c.Place)
	if bad, ok := err.(*badValue); ok {
		for _, n := range names {
			if ev.trace != nil && ev.findClass(n) == nil {
				bad.value, bad.ref = c.namedBy(n)
				break
			}
		}
	}
	return rs, err
}

func (c *Call) deepRefs() []provenance.Ref {
	if c.Refs == nil {
		return nil
	}
	out := make([]provenance.Ref, len(c.Refs))
	for i, r := range c.Refs {
		out[i] = c.Eval.deep(c.Args[i], r)
	}
	return out
}

// Contain hangs resources below the one of this scope.
func (c *Call) Contain(rs []*Resource) {
	c.MustSay(outline.Contains)
	args := c.Eval.trace.Join(c.deepRefs()...)
	c.Eval.ghosts.contained = c.Eval.trace.Join(c.Eval.ghosts.contained, args)
	before := c.Eval.decide(args)
	defer func() { c.Eval.ctl = before }()
	for _, r := range rs {
		if c.Eval.trace != nil && !slices.Contains(r.in, c.Scope.resource) {
			c.Eval.note(r, container, c.Eval.trace.Join(r.noted(container), c.Eval.ctl))
		}
		c.Eval.edge(c.Scope.resource, r)
	}
}

// Require makes the resource of this scope require classes.
func (c *Call) Require(rs []*Resource) {
	c.MustSay(outline.Requires)
	ev, me := c.Eval, c.Scope.resource
	for _, r := range rs {
		b := value.NewArrayBuilder(2)
		var before provenance.Ref
		if p := me.param("require"); p != nil {
			before = p.ref
			for _, v := range flatKeys([]value.Value{p.value}) {
				if !value.IsUndef(v) {
					b.AddRef(v, p.ref)
				}
			}
		}
		why := ev.trace.Join(append(c.deepRefs(), ev.ctl)...)
		b.AddRef(&types.Class{Of: canonical(r.Title)}, why)
		ev.setParam(me, &param{name: "require", value: b.Array(), ref: ev.trace.Join(before, why), place: c.Place,
			source: me.source})
	}
}

// ClassRefs are the references that stand for classes.
func ClassRefs(names []string) *value.Array {
	out := make([]value.Value, len(names))
	for i, n := range names {
		out[i] = &types.Class{Of: canonical(n)}
	}
	return value.NewArray(out...)
}

// CatalogTagged reports whether the catalog as a whole has a tag: the names of classes and nodes.
func (ev *Evaluator) CatalogTagged(tag string) bool {
	tag = value.Downcase(tag)
	if ev.table.tags.has(tag) {
		return true
	}
	var tags tagSet
	for _, n := range ev.table.classes {
		tags.addName(value.Downcase(n))
	}
	return tags.has(tag)
}

// KnownClass reports whether a class of that name can be found, KnownType whether a resource type or define can.
func (ev *Evaluator) KnownClass(name string) bool {
	d := ev.findClass(name)
	return d != nil && d.absent == ""
}

// KnownType reports whether a resource type or define of that name can be found.
func (ev *Evaluator) KnownType(name string) bool { return ev.knownResourceType(canonical(name)) }

// Lookup asks Hiera on behalf of a function.
func (c *Call) Lookup(key string, how LookupOptions) (Answer, error) {
	before := c.Eval.asker
	c.Eval.asker = c
	a, err := c.Eval.world.Lookup(c.Scope, key, how)
	c.Eval.asker = before
	a.Value = c.Eval.answered(a.Value)
	if c.Eval.trace != nil && a.Found {
		a.Ref = c.Eval.trace.Note(a.Ref, provenance.LookedUp, key, 0, c.Place, nil)
	}
	return a, err
}

// Attribute is what an attribute of a resource depends on as it is now, also when the resource lacks it.
func (r *Resource) Attribute(name string) provenance.Ref {
	ev := r.scope.ev
	if ev.trace == nil {
		return 0
	}
	refs := []provenance.Ref{ev.mayTouch(r, name), r.splat, ev.firstOfScope(r.scope), ev.moment()}
	if p := r.param(name); p != nil {
		refs = append(refs, ev.deep(p.value, p.ref), ev.overriding(r, p))
	}
	return ev.union(refs)
}

// IsVirtual reports whether the resource is still virtual.
func (r *Resource) IsVirtual() bool { return r.virtual }

// Virtual resources and real ones that the catalog has so far, in order.
func (ev *Evaluator) Resources() []*Resource { return ev.table.added }

// Trace is the trace of the compile that the scope belongs to, nil when tracing is off.
func (sc *Scope) Trace() *provenance.Trace { return sc.ev.trace }

// Budget is what bounds the work of the compile that the scope belongs to.
func (sc *Scope) Budget() *budget.Budget { return sc.ev.budget }

// Evaluator is the compile that the scope belongs to.
func (sc *Scope) Evaluator() *Evaluator { return sc.ev }

// Warn adds a warning to the compile's.
func (sc *Scope) Warn(d *source.Diagnostic) { sc.ev.warnings = append(sc.ev.warnings, d) }

// CallingClass is the name of the nearest class around, "" at top level.
func (sc *Scope) CallingClass() string {
	for s := sc; s != nil; s = s.parent {
		if s.resource != nil && s.resource.isClass() && !s.resource.main {
			return canonical(s.resource.Title)
		}
	}
	return ""
}

// HasUserFunction reports whether a function of that name is written in the Puppet language.
func (ev *Evaluator) HasUserFunction(name string) bool { return ev.userFunction(name) != nil }

// MightReplace notes what decided that a variable of this scope, and the parameter of that name, were left as they are.
// Others that hold the same array or hash depend on that, too.
func (sc *Scope) MightReplace(name string, why provenance.Ref) {
	tr := sc.ev.trace
	for f := sc.frame; f != nil; f = f.outer {
		for i := range f.vars {
			if f.vars[i].name == name && f.vars[i].value != nil {
				f.vars[i].ref = tr.With(f.vars[i].ref, why)
				sc.ev.mightChange(f.vars[i].value, why)
			}
		}
	}
	if sc.resource == nil {
		return
	}
	if p := sc.resource.param(name); p != nil {
		q := *p
		q.ref = tr.With(p.ref, why)
		sc.ev.setParam(sc.resource, &q)
	}
}
