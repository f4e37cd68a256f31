package ruby

import (
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/ruby/syntax"
)

// bindBlock gives a block's parameters their values. A lone array is spread over several parameters unless it is a
// lambda.
func (in *Interp) bindBlock(b *syntax.Block, lambda bool, args []Object, f *frame, block *Proc) {
	ps := b.Params
	if ps == nil {
		if b.Numbers > 0 {
			if b.Numbers > 1 && len(args) == 1 {
				if a, ok := args[0].(*Array); ok {
					args = a.els()
				}
			}
			for i := 0; i < b.Numbers; i++ {
				v := Object(Nil{})
				if i < len(args) {
					v = args[i]
				}
				in.bindSlot(f, i, v)
			}
			return
		}
		if lambda && len(args) > 0 {
			in.wrongArgs(len(args), 0, 0)
		}
		return
	}
	if lambda {
		in.bind(ps, args, f, true, block)
		return
	}
	if len(ps.Pre) == 1 && ps.Pre[0].Sub == nil && len(ps.Opt) == 0 && ps.Rest == nil && ps.Post == nil && ps.Key == nil &&
		ps.KeyRest == nil && !ps.Excess {
		v := Object(Nil{})
		if len(args) > 0 {
			v = args[0]
		}
		in.bindSlot(f, ps.Pre[0].Slot, v)
		if ps.Block != nil && ps.Block.Slot >= 0 {
			in.bindSlot(f, ps.Block.Slot, procOrNil(block))
		}
		return
	}
	if len(args) == 1 && (len(ps.Pre)+len(ps.Post)+len(ps.Opt) > 1 || ps.Rest != nil &&
		len(ps.Pre)+len(ps.Post)+len(ps.Opt) > 0 || ps.Excess || len(ps.Pre) == 1 && (ps.Key != nil || ps.KeyRest != nil)) {
		if a, ok := args[0].(*Array); ok {
			args = a.els()
		} else if i, ok := args[0].(*Instance); ok && in.responds(i, "to_ary") {
			args = in.listOf(i)
		}
	}
	in.bind(ps, args, f, false, block)
}

func procOrNil(p *Proc) Object {
	if p == nil {
		return Nil{}
	}
	return p
}

func (in *Interp) bindSlot(f *frame, slot int, v Object) {
	f.slots[slot] = v
	if f.refs != nil {
		f.refs[slot] = in.prov.argument()
	}
}

// bind gives parameters their values; strict ones raise when the number is wrong.
func (in *Interp) bind(ps *syntax.Params, args []Object, f *frame, strict bool, block *Proc) {
	if in.given != nil {
		given := in.given
		in.given = nil
		in.bindGiven(ps, args, f, block, given)
		return
	}
	if ps == nil {
		if strict && len(args) > 0 {
			in.wrongArgs(len(args), 0, 0)
		}
		return
	}
	var kw *Hash
	takesKeys := len(ps.Key) > 0 || ps.KeyRest != nil
	if n := len(args); n > 0 {
		if h, ok := args[n-1].(*Hash); ok && h.kw {
			if takesKeys {
				kw = h
				args = args[:n-1]
			} else {
				c := h.copy()
				args = append(append([]Object(nil), args[:n-1]...), c)
			}
		}
	}
	need := len(ps.Pre) + len(ps.Post)
	most := need + len(ps.Opt)
	if strict && (len(args) < need || ps.Rest == nil && len(args) > most) {
		if ps.Rest != nil {
			most = -1
		}
		in.wrongArgs(len(args), need, most)
	}
	set := func(p *syntax.Param, v Object) {
		if p.Sub != nil {
			list := []Object{v}
			if a, ok := v.(*Array); ok {
				list = a.els()
			}
			in.bind(p.Sub, list, f, false, nil)
			return
		}
		if p.Slot >= 0 {
			in.bindSlot(f, p.Slot, v)
		}
	}
	at := func(i int) Object {
		if i < len(args) {
			return args[i]
		}
		return Nil{}
	}
	i := 0
	for _, p := range ps.Pre {
		set(p, at(i))
		i++
	}
	spare := max(len(args)-need, 0)
	for _, p := range ps.Opt {
		if spare > 0 {
			set(p, at(i))
			i++
			spare--
		} else {
			set(p, in.eval(p.Default, f))
		}
	}
	if ps.Rest != nil {
		n := min(spare, max(len(args)-i, 0))
		if ps.Rest.Slot >= 0 {
			set(ps.Rest, in.array(append([]Object(nil), args[i:i+n]...)))
		}
		i += n
	}
	for _, p := range ps.Post {
		set(p, at(i))
		i++
	}
	if takesKeys {
		in.bindKeys(ps, kw, f, strict)
	}
	if ps.Block != nil && ps.Block.Slot >= 0 {
		in.bindSlot(f, ps.Block.Slot, procOrNil(block))
	}
}

// bindGiven is bind for a call of the host's, which knows what each argument depends on. Parameters that stand for one
// argument each get its ref; those that collect several, all of them.
func (in *Interp) bindGiven(ps *syntax.Params, args []Object, f *frame, block *Proc, given []provenance.Ref) {
	mark := in.prov.mark()
	in.bind(ps, args, f, true, block)
	in.prov.forget(mark)
	if ps == nil || f.refs == nil {
		return
	}
	all := in.prov.trace.Join(given...)
	set := func(p *syntax.Param, r provenance.Ref) {
		if p != nil && p.Slot >= 0 && p.Slot < len(f.refs) {
			f.refs[p.Slot] = in.prov.trace.Join(f.refs[p.Slot], r)
		}
	}
	each := func(list []*syntax.Param, from int) {
		for i, p := range list {
			switch {
			case p.Sub != nil:
				for s := range f.refs {
					f.refs[s] = in.prov.trace.Join(f.refs[s], all)
				}
			case from+i < len(given):
				set(p, given[from+i])
			}
		}
	}
	each(ps.Pre, 0)
	each(ps.Opt, len(ps.Pre))
	set(ps.Rest, all)
	set(ps.KeyRest, all)
	for _, p := range slices.Concat(ps.Post, ps.Key) {
		set(p, all)
	}
}

func requiredKeys(ps *syntax.Params) []string {
	var out []string
	for _, p := range ps.Key {
		if p.Default == nil {
			out = append(out, ":"+p.Name)
		}
	}
	return out
}

func (in *Interp) bindKeys(ps *syntax.Params, kw *Hash, f *frame, strict bool) {
	rest := in.newHash()
	if kw != nil {
		rest = kw.copy()
	}
	var missing []string
	for _, p := range ps.Key {
		if v, ok := rest.remove(Symbol(p.Name)); ok {
			in.bindSlot(f, p.Slot, v)
		} else if p.Default != nil {
			in.bindSlot(f, p.Slot, in.eval(p.Default, f))
		} else {
			missing = append(missing, ":"+p.Name)
		}
	}
	if strict && len(missing) > 0 {
		s := ""
		if len(missing) > 1 {
			s = "s"
		}
		in.raise("ArgumentError", "missing keyword%s: %s", s, strings.Join(missing, ", "))
	}
	if ps.KeyRest != nil {
		if ps.KeyRest.Slot >= 0 {
			in.bindSlot(f, ps.KeyRest.Slot, rest)
		}
	} else if strict && rest.len() > 0 {
		var names []string
		for _, k := range rest.keys() {
			names = append(names, in.inspectOf(k))
		}
		s := ""
		if len(names) > 1 {
			s = "s"
		}
		in.raise("ArgumentError", "unknown keyword%s: %s", s, strings.Join(names, ", "))
	}
}
