package lookup

import (
	"slices"

	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// A strategy says how the answers of several sources become one.
type strategy struct {
	name    string      // first, default, hash, unique, deep, unconstrained_deep, reverse_deep
	options *value.Hash // nil for none
}

var (
	defaultStrategy = &strategy{name: "default"}
	hashStrategy    = &strategy{name: "hash"}
)

// The options that each strategy takes, as Puppet's struct types have them. Patterns are not anchored, as in Puppet.
var strategyOptions = map[string]string{
	"first":              "Struct[{strategy=>Optional[Pattern[/first/]]}]",
	"default":            "Struct[{strategy=>Optional[Pattern[/default/]]}]",
	"hash":               "Struct[{strategy=>Optional[Pattern[/hash/]]}]",
	"unique":             "Struct[{strategy=>Optional[Pattern[/unique/]]}]",
	"deep":               "Struct[{strategy=>Optional[Pattern[/deep/]],knockout_prefix=>Optional[String],merge_debug=>Optional[Boolean],merge_hash_arrays=>Optional[Boolean],sort_merged_arrays=>Optional[Boolean]}]",
	"unconstrained_deep": "Hash[String[1],Any]", "reverse_deep": "Hash[String[1],Any]",
}

// newStrategy reads what a caller, or lookup_options, gave as `merge`.
func newStrategy(merge value.Value) (*strategy, error) {
	if merge == nil || value.IsUndef(merge) {
		return defaultStrategy, nil
	}
	s := &strategy{}
	switch m := merge.(type) {
	case *value.Hash:
		name := m.At("strategy")
		if value.IsUndef(name) {
			return nil,
				fail("H0403", "The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'")
		}
		s.name = rubyText(name)
		if m.Len() > 1 {
			s.options = m
		}
	default:
		s.name = rubyText(merge)
	}
	want, known := strategyOptions[s.name]
	if !known {
		return nil, fail("H0404", "Unknown merge strategy: '"+s.name+"'")
	}
	if s.options != nil {
		if err := types.AssertInstance("The merge options", types.MustParse(want), s.options); err != nil {
			return nil, fail("H0405", err.Error())
		}
	}
	return s, nil
}

func (s *strategy) isFirst() bool { return s.name == "first" || s.name == "default" }
func (s *strategy) isHash() bool  { return s.name == "hash" }
func (s *strategy) isDeep() bool {
	return s.name == "deep" || s.name == "unconstrained_deep" || s.name == "reverse_deep"
}

// lookup asks n sources and merges what they answer.
func (s *strategy) lookup(inv *invocation, n int, ask func(i int) (item, bool, error)) (item, bool, error) {
	if s.isFirst() {
		for i := range n {
			it, found, err := ask(i)
			if err != nil || found {
				return it, found, err
			}
		}
		return item{}, false, nil
	}
	switch n {
	case 0:
		return item{}, false, nil
	case 1:
		it, found, err := ask(0)
		if err != nil || !found {
			return item{}, false, err
		}
		return s.single(inv, it), true, nil
	}
	defer inv.explain.push(&Event{Kind: Merging, Name: s.name, Options: s.optionsWithoutName()})()
	var memo item
	have := false
	for i := range n {
		it, found, err := ask(i)
		switch {
		case err != nil:
			return item{}, false, err
		case !found:
		case !have:
			memo, have = s.convert(it), true
		default:
			if memo, err = s.merge(inv, memo, it); err != nil {
				return item{}, false, err
			}
		}
	}
	if have {
		inv.explain.outcome(Merged, "", memo.v)
	}
	return memo, have, nil
}

func (s *strategy) optionsWithoutName() *value.Hash {
	if s.options == nil {
		return nil
	}
	b := s.options.From(0)
	b.Delete(value.String("strategy"))
	return b.Hash()
}

// single is what becomes of the one answer of the one source.
func (s *strategy) single(inv *invocation, it item) item {
	if a, is := it.v.(*value.Array); is && s.name == "unique" {
		b := value.NewArrayBuilder(a.Len())
		addUnique(b, a)
		return item{b.Array(), inv.s.trace.Op("unique", inv.s.deep(it))}
	}
	return it
}

// convert is what becomes of the first answer of several sources.
func (s *strategy) convert(it item) item {
	if s.name != "unique" {
		return it
	}
	if _, is := it.v.(*value.Opaque); is {
		return it
	}
	if a, is := it.v.(*value.Array); is {
		return item{value.Flatten(a), it.ref}
	}
	b := value.NewArrayBuilder(1)
	b.AddRef(it.v, it.ref)
	return item{b.Array(), it.ref}
}

// merge joins the answer of a higher source with that of a lower one.
func (s *strategy) merge(inv *invocation, high, low item) (item, error) {
	for _, it := range [...]item{high, low} { // nothing can be said of a merge with the unknown
		if o, is := it.v.(*value.Opaque); is {
			return item{s.certain(o, high.v, low.v), inv.s.trace.Op("merge "+s.name, high.ref, low.ref)}, nil
		}
	}
	switch {
	case s.isHash():
		return hashMerge(inv, high, low)
	case s.name == "unique":
		return uniqueMerge(inv, s, high, low)
	case s.name == "reverse_deep":
		return deepMerge(inv, s.options, low, high)
	}
	return deepMerge(inv, s.options, high, low)
}

// certain is a merge of which a side is not known, o, with what it has whatever that is: all elements of the other side
// or, of a hash, the entries of a higher one. That is asked of what other machines have.
func (s *strategy) certain(o *value.Opaque, high, low value.Value) value.Value {
	if !o.Elsewhere {
		return o
	}
	out := *o
	has := func(v value.Value) value.Value {
		if o := opaqueSide(v); o != nil {
			return o.Has
		}
		return v
	}
	switch {
	case s.name == "unique":
		all := value.NewArrayBuilder(0)
		for _, v := range [...]value.Value{has(high), has(low)} {
			if v != nil {
				addUnique(all, s.convert(item{v, 0}).v.(*value.Array))
			}
		}
		out.Has = all.Array()
	case s.isHash():
		out.Has = has(high)
	case s.name == "deep" && s.options == nil: // others may take something away again
		if out.Has = has(high); opaqueSide(high) == nil {
			out.Has = among(&out, high)
		}
	}
	return &out
}

func opaqueSide(v value.Value) *value.Opaque {
	o, _ := v.(*value.Opaque)
	return o
}

// among is a hash of which what lies deeper may have more; other values are as they are.
func among(o *value.Opaque, v value.Value) value.Value {
	h, is := v.(*value.Hash)
	if !is {
		return v
	}
	b := value.NewHashBuilder(h.Len())
	for _, e := range h.Entries() {
		switch e.Value.(type) {
		case *value.Hash, *value.Array:
			more := *o
			more.Has = among(o, e.Value)
			e.Value = &more
		}
		b.SetEntry(e)
	}
	return b.Hash()
}

func assertMergeable(want string, high, low item) error {
	t := types.MustParse(want)
	if err := types.AssertInstance("The first element of the merge", t, high.v); err != nil {
		return fail("H0220", err.Error())
	}
	if err := types.AssertInstance("The second element of the merge", t, low.v); err != nil {
		return fail("H0220", err.Error())
	}
	return nil
}

// hashMerge has the lower source's keys first; the higher one's values win.
func hashMerge(inv *invocation, high, low item) (item, error) {
	if err := assertMergeable("Hash[String,Data]", high, low); err != nil {
		return item{}, err
	}
	b := low.v.(*value.Hash).From(high.v.(*value.Hash).Len())
	for _, e := range high.v.(*value.Hash).Entries() {
		if other := low.v.(*value.Hash).Entry(e.Key); other != nil { // it has the key, and its position, as well
			e.KeyRef = inv.s.trace.With(e.KeyRef, other.KeyRef)
		}
		b.SetEntry(e)
	}
	return item{b.Hash(), inv.s.trace.Op("merge hash", high.ref, low.ref)}, nil
}

func uniqueMerge(inv *invocation, s *strategy, high, low item) (item, error) {
	if err := assertMergeable("Variant[Scalar,Array[Data]]", high, low); err != nil {
		return item{}, err
	}
	high, low = s.convert(high), s.convert(low)
	a, c := high.v.(*value.Array), low.v.(*value.Array)
	b := value.NewArrayBuilder(a.Len() + c.Len())
	addUnique(b, a)
	addUnique(b, c)
	// Which elements stay depends on all of them.
	return item{b.Array(), inv.s.trace.Op("merge unique", inv.s.deep(high), inv.s.deep(low))}, nil
}

// addUnique appends the elements of a that b has not got, by Ruby's eql?.
func addUnique(b *value.ArrayBuilder, a *value.Array) {
	for i, e := range a.Elems {
		if !slices.ContainsFunc(b.Array().Elems, func(x value.Value) bool { return value.Same(x, e) }) {
			b.AddRef(e, a.Ref(i))
		}
	}
}

// assertType checks a result against the type that the caller asked for.
func (s *Session) assertType(subject string, t value.Type, v value.Value) error {
	if t == nil {
		return nil
	}
	if _, opaque := v.(*value.Opaque); opaque {
		return nil
	}
	if err := types.NewJudge(s.budget).AssertInstance(subject, t, value.OrUndef(v)); err != nil {
		return fail("H0407", err.Error())
	}
	return nil
}
