package bridge

import (
	"bunraku/puppet/eval"
	"bunraku/puppet/ruby"
)

// Most calls need nothing of what Tasks.call in runtime/tasks.rb does but to find the signature's method and to put the
// arguments in their places. That is done here, for calls where it comes to the same: no program has changed Puppet's
// side, the function is of the usual kind, and nobody follows where values come from.

// directSteps are about the steps that the runtime takes for it.
const directSteps = 40

// direct calls the method of a signature; done is false when the runtime is to do it.
func (o *ownRun) direct(c *eval.Call, fn *function, chosen int, args []ruby.Object) (out ruby.Object, done bool) {
	in := o.in
	if fn.kind != Modern || chosen < 0 || c.Block != nil || c.Trace() != nil || in.Strays() || !in.Usual() {
		return nil, false
	}
	base := o.class("Puppet::Pops::Functions::Function")
	f, is := functionsOf(in, o.tasks).At(ruby.NewString(fn.path)).(*ruby.Instance)
	if !is || !in.AsBelow(base, f, "class") || !in.AsAbove(f.ClassOf(), base, "dispatches") {
		return nil, false
	}
	list, is := in.Ivar(f.ClassOf(), "@dispatches").(*ruby.Array)
	if !is {
		return nil, false
	}
	all := in.Elems(list)
	if chosen >= len(all) {
		return nil, false
	}
	d, is := all[chosen].(*ruby.Instance)
	if !is || d.ClassOf() != o.class("Puppet::Functions::Dispatch") {
		return nil, false
	}
	name, known := ruby.Text(d.Member("method_name"))
	weaving, is := d.Member("weaving").(*ruby.Array)
	if !known || !is {
		return nil, false
	}
	var woven []ruby.Object
	for _, knit := range in.Elems(weaving) {
		switch k := knit.(type) {
		case ruby.Int:
			n := int(k)
			switch {
			case n < 0:
				woven = append(woven, args[min(-n-1, len(args)):]...)
			case n < len(args):
				woven = append(woven, args[n])
			}
		case ruby.Symbol:
			if k != "scope" {
				return nil, false
			}
			woven = append(woven, o.scope())
		default:
			return nil, false
		}
	}
	in.Charge(directSteps)
	return in.Catch("next", func() ruby.Object { return in.Call(f, name, woven, nil) }), true
}
