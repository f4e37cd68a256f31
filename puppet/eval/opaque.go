package eval

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Unknown values. Some values cannot be had here: a function asks DNS or the clock, a secret has no key, Ruby does what
// the interpreter does not. Such a value is opaque, with its cause, and the compile goes on, because the rest of the
// catalog is worth having. What may be claimed about that rest is what this file is about. The rule: whatever Puppet's
// catalog has is equal in ours or marked there, and nothing that ours has without a mark is missing in Puppet's.
//
//   - A value that is made of an opaque one is opaque; no text, number or key is ever made of it. A list or hash may
//     hold one; if it is not known how many elements or which keys it has, it is opaque as a whole. and, or and
//     comparisons are three-valued: where one side decides alone (eitherWay), or what is known of both (holds), the
//     answer is known.
//   - A decision on an opaque value is undecided (E0701). The code goes on as if it were false or nothing had matched,
//     and that is a guess: whatever runs because of it runs with ev.guess set to the value on which it hangs (blockOf).
//     What is declared there is possible (Resource.possible), not certain; an error there ends nothing, since Puppet
//     may never come to it (E0705).
//   - A variable that some branch of the decision assigns is opaque afterwards, whether the branch ran or not
//     (unsettle).
//   - An effect with an opaque argument (include of a name that is not known) is left out, and said (E0702). From then
//     on what looks absent may be there in Puppet: ev.guesses counts that, and absences that would be errors are
//     warnings (mayBeThere).
//   - The parameters of a define or class that an opaque hash (* => $h) may set are opaque (spread).
//
// What is not yet marked, and should be: edges, overrides and collectors that hang on an opaque value. The tests of
// soundness (unknown_test.go) know these.

// opaque is the first opaque value among some.
func opaque(vs ...value.Value) *value.Opaque {
	for _, v := range vs {
		if o, ok := v.(*value.Opaque); ok {
			return o
		}
	}
	return nil
}

// inDoubt is a value on which it hangs whether a condition holds; nil if that is known: every string is true.
func inDoubt(v value.Value) *value.Opaque {
	if o := opaque(v); o != nil && !o.Text {
		return o
	}
	return nil
}

// derived is what was made of values. Of a string that is not known other things may be made.
func derived(v value.Value, r provenance.Ref) (value.Value, provenance.Ref) {
	if o, is := v.(*value.Opaque); is && o.Text {
		plain := *o
		plain.Text = false
		return &plain, r
	}
	return v, r
}

func isEquality(op syntax.Op) bool { return op == syntax.OpEq || op == syntax.OpNe }

// otherThanText reports whether one value is a string that is not known, and the other none.
func otherThanText(a, b value.Value) bool {
	o := opaque(a)
	if o == nil || !o.Text {
		return false
	}
	switch b.(type) {
	case value.Undef, value.Bool:
		return true
	}
	return false
}

// gives reports whether a call gives what data says, as it is.
func gives(e *syntax.Call) bool {
	name, is := e.Functor.(*syntax.Name)
	return is && (name.Value == "lookup" || name.Value == "hiera")
}

// undecided reports a decision that hangs on an opaque value; the code goes on as if it were false, or nothing had
// matched.
func (ev *Evaluator) undecided(v value.Value, e syntax.Expr) bool {
	o := opaque(v)
	if o == nil {
		return false
	}
	ev.loose(o)
	if o.Absent {
		return true
	}
	ev.warn("E0701", e.Span(), "This decision hangs on a value that is not known: "+o.Why)
	return true
}

// Whoever wants to know what hangs on the guesses compiles again and has other branches taken (Input.Branch): of each
// decision that is not known the one of this number, or the last one, if there are not as many. supposesIf reports
// whether an if takes its first branch then, at being the number of those before it of which it is the elsif.
func (ev *Evaluator) supposesIf(e *syntax.If, at int) bool {
	last := at + 1
	for x := e; x.ElseIf; last++ {
		next, is := x.Else.Stmts[0].(*syntax.If)
		if !is {
			break
		}
		x = next
	}
	ev.branches = max(ev.branches, last)
	return min(ev.in.Branch, last) == at+1
}

// supposesOption is the option that a case takes; chosen is the one of which nothing is to be supposed.
func (ev *Evaluator) supposesOption(e *syntax.Case, chosen *syntax.Option) *syntax.Option {
	var others []*syntax.Option
	for _, o := range e.Options {
		if o != chosen {
			others = append(others, o)
		}
	}
	ev.branches = max(ev.branches, len(others))
	if n := min(ev.in.Branch, len(others)); n > 0 {
		return others[n-1]
	}
	return chosen
}

// takeOpen is the value that is not known on which a comparison of case or a selector hung, if one did.
func (ev *Evaluator) takeOpen() *value.Opaque {
	o := ev.open
	ev.open = nil
	return o
}

// within is the first opaque value in or among some.
func within(vs ...value.Value) *value.Opaque {
	for _, v := range vs {
		if found := OpaquesIn(v, nil); len(found) > 0 {
			return found[0]
		}
	}
	return nil
}

// holds reports whether something holds of two values in which parts are not known, and gives such a part if that hangs
// on them. That is tried: with each of some values in the place of what is not known, those that the other parts have
// among them. What holds of all of these, or of none, is taken to be known.
func holds(l, r value.Value, test func(l, r value.Value) bool) (is bool, open *value.Opaque) {
	open = within(l, r)
	tries := parts(r, parts(l, []value.Value{value.Undef{}, value.String(""), value.String("a"), value.Int(0),
		value.Float(0.5), value.Bool(true), value.EmptyArray, value.EmptyHash}))
	is = test(filled(l, tries[0]), filled(r, tries[0]))
	for _, v := range tries[1:] {
		if test(filled(l, v), filled(r, v)) != is {
			return false, open
		}
	}
	return is, nil
}

// holdsUnknown reports whether parts of values are not known.
func holdsUnknown(l, r value.Value) bool {
	return (holdsMore(l) || holdsMore(r)) && within(l, r) != nil
}

// holdsMore reports whether a value is made of others.
func holdsMore(v value.Value) bool {
	switch v.(type) {
	case *value.Array, *value.Hash, *value.Sensitive:
		return true
	}
	return false
}

// maxParts bounds how many values are tried in the place of one that is not known.
const maxParts = 32

// parts are the known values in a value, and the value itself, behind some others.
func parts(v value.Value, behind []value.Value) []value.Value {
	if len(behind) >= maxParts {
		return behind
	}
	switch v := v.(type) {
	case *value.Opaque:
		return behind
	case *value.Array:
		for _, e := range v.Elems {
			behind = parts(e, behind)
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			behind = parts(e.Value, parts(e.Key, behind))
		}
	case *value.Sensitive:
		return parts(v.Value, behind)
	}
	if within(v) != nil {
		return behind
	}
	return append(behind, v)
}

// filled is a value with another one in each place of what is not known.
func filled(v, by value.Value) value.Value {
	switch v := v.(type) {
	case *value.Opaque:
		return by
	case *value.Array:
		out := value.NewArrayBuilder(len(v.Elems))
		for _, e := range v.Elems {
			out.Add(filled(e, by))
		}
		return out.Array()
	case *value.Hash:
		b := value.NewHashBuilder(v.Len())
		for _, e := range v.Entries() {
			b.Set(filled(e.Key, by), filled(e.Value, by))
		}
		return b.Hash()
	case *value.Sensitive:
		return &value.Sensitive{Value: filled(v.Value, by)}
	}
	return v
}

// opaqueIf is a value that is not known, if something hangs on it.
func opaqueIf(open bool, v value.Value) *value.Opaque {
	if !open {
		return nil
	}
	return opaque(v)
}

// eitherWay is `and` and `or` of something that is not known on the left. If the right side decides alone, that is the
// answer; it is only looked at if nothing can happen there, since Puppet may not come to it.
func (ev *Evaluator) eitherWay(o *value.Opaque, lr provenance.Ref, e *syntax.Binary, sc *Scope) (value.Value,
	provenance.Ref) {
	if !calm(e.Right) {
		ev.loose(o) // what the other side asks is not asked
		return o, ev.op("truth", lr)
	}
	var rr provenance.Ref
	r, err := ev.Rescue(sc, func() (v value.Value, err error) {
		v, rr = ev.eval(e.Right, sc)
		return v, nil
	})
	if err == nil && opaque(r) == nil && value.Truthy(r) == (e.Op == syntax.OpOr) {
		return value.Bool(e.Op == syntax.OpOr), ev.op("truth", lr, ev.deep(r, rr))
	}
	return o, ev.op("truth", lr)
}

// calm reports whether evaluating an expression calls nothing and changes nothing.
func calm(e syntax.Expr) bool {
	is := true
	syntax.Walk(e, func(n syntax.Node) bool {
		is = is && calmNode(n)
		return is
	})
	return is
}

// calmNode reports whether a node itself calls nothing and changes nothing.
func calmNode(n syntax.Node) bool {
	switch n.(type) {
	case *syntax.Lit, *syntax.Str, *syntax.Name, *syntax.Int, *syntax.Float, *syntax.Bool, *syntax.Undef, *syntax.Default,
		*syntax.Var, *syntax.Paren,
		*syntax.Access, *syntax.Ref, *syntax.Binary, *syntax.Unary, *syntax.Interpolated, *syntax.Text, *syntax.List,
		*syntax.Hash, *syntax.Entry:
		return true
	}
	return false
}

// blockOf runs the statements that a decision leads to. If the decision hangs on a value that is not known, they are
// what was guessed: what they declare is only possible, an error in them ends nothing, and what they and the others
// assign is not known either.
func (ev *Evaluator) blockOf(o *value.Opaque, stmts []syntax.Expr, sc *Scope, others ...[]syntax.Expr) (value.Value,
	provenance.Ref) {
	if o == nil {
		return ev.block(stmts, sc)
	}
	ev.guessed(o)
	ev.mayLeave = ev.mayLeave || slices.ContainsFunc(append(others, stmts), leaves)
	if !slices.ContainsFunc(others, func(list []syntax.Expr) bool { return !ev.onlySets(list) }) {
		ev.lost--
		if o.Absent {
			ev.absent--
		}
	}
	if ev.rendering != nil {
		ev.rendering.unknown = o
	}
	before := ev.guess
	ev.guess = o
	defer func() { ev.guess = before }() // a jump may lead out
	_, err := ev.Rescue(sc, func() (value.Value, error) {
		v, _ := ev.block(stmts, sc)
		return v, nil
	})
	if err != nil && !o.Absent {
		ev.warn("E0705", stmts[0].Span(), "This is left out: it would fail, and it is not known whether Puppet comes here ("+
			err.Error()+")")
	}
	ev.guess = before
	for _, list := range append(others, stmts) {
		for _, name := range assignedIn(list) {
			sc.unsettle(name, o)
		}
	}
	return o, 0
}

// leaves reports whether code may end the code around it.
func leaves(stmts []syntax.Expr) bool {
	is := false
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.Call); ok {
				name, named := call.Functor.(*syntax.Name)
				is = is || named && slices.Contains([]string{"return", "next", "break"}, name.Value)
			}
			return !is
		})
	}
	return is
}

// AboutUnknown reports whether a failure is about a value that is not known.
func AboutUnknown(d *source.Diagnostic) bool {
	return IsUnknownText(d.Summary) ||
		slices.ContainsFunc(d.About, func(s source.Subject) bool { return IsUnknownText(s.Name) })
}

// onlySets reports whether code does nothing but set variables: if it is passed over, nothing is absent for that.
func (ev *Evaluator) onlySets(stmts []syntax.Expr) bool {
	only := true
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Call:
				name, is := n.Functor.(*syntax.Name)
				only = only && is && ev.onlyAnswers(name.Value)
			case *syntax.MethodCall:
				only = only && ev.onlyAnswers(n.Functor.Name.Value)
			case *syntax.Assign, *syntax.If, *syntax.Case, *syntax.Option, *syntax.Selector, *syntax.Nop,
				*syntax.Heredoc, *syntax.Regexp, *syntax.NamedAccess, *syntax.Lambda, *syntax.Param:
			case syntax.Expr:
				only = only && calmNode(n)
			}
			return only
		})
	}
	return only
}

// Calm reports whether a block calls no function and declares nothing: nobody else's code runs in it.
func (l *Lambda) Calm() bool {
	if l.def == nil {
		return false
	}
	calm := true
	syntax.Walk(l.def, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.If, *syntax.Case, *syntax.Option, *syntax.Selector, *syntax.Nop, *syntax.Heredoc, *syntax.Regexp,
			*syntax.Lambda, *syntax.Param:
		case syntax.Expr:
			calm = calm && calmNode(n)
		}
		return calm
	})
	return calm
}

// onlyAnswers reports whether a function is known to do nothing but give a value.
func (ev *Evaluator) onlyAnswers(name string) bool {
	f := ev.world.Function(strings.TrimPrefix(name, "::"))
	return f != nil && f.Does == 0 && f.Flow != Effect
}

// guessed counts a decision that was guessed, or an effect that was left out.
func (ev *Evaluator) guessed(o *value.Opaque) {
	ev.guesses++
	ev.lost++
	if o.Absent {
		ev.absent++
		ev.hangsOn(o)
	} else {
		ev.loose(o)
	}
}

// loose notes that what Puppet does may hang on more than the compile has asked for: on what a function looked at that
// gave no answer here, and on code, data and files that a decision or a name leads to which is not known. Nothing can
// be proved of such a compile by its questions. What is settled, such as a secret that nobody could open, is the same
// as long as its ciphertext is: to hand it on proves as much as any value. Of data and files that are not there it is
// kept which they are (Result.LooseOn); a module that is not there leaves nothing proved anyway.
func (ev *Evaluator) loose(o *value.Opaque) {
	if o.Absent {
		ev.looseOn = noted(ev.looseOn, o)
	} else if ev.loosened == "" {
		ev.loosened = o.Why
	}
}

// looseIn is loose of what is not known in an answer that came from outside of the program.
func (ev *Evaluator) looseIn(v value.Value) {
	if ev.log == nil || ev.loosened != "" {
		return
	}
	for _, o := range OpaquesIn(v, nil) {
		if ev.holes = true; !o.Settled {
			ev.loose(o)
		}
	}
}

// looksInto is loose of what is not known in values that decide something: whether a list holds a text, which keys a
// hash has, what a collector finds. What only goes on, as a part of a value or as an attribute, decides nothing.
func (ev *Evaluator) looksInto(vs ...value.Value) {
	if !ev.holes || ev.log == nil || ev.loosened != "" {
		return
	}
	if o := within(vs...); o != nil {
		ev.loose(o)
	}
}

// LooksInto is looksInto, for Hiera, which goes by what variables hold.
func (sc *Scope) LooksInto(v value.Value) { sc.ev.looksInto(v) }

// showsUnknown is loose of what is not known in a catalog and counts elsewhere: where the source of a file lies, which
// is compared, too, and what other nodes collect.
func (ev *Evaluator) showsUnknown(c *catalog.Catalog) {
	if !ev.holes || c == nil {
		return
	}
	for _, r := range c.Resources {
		for _, p := range r.Params {
			if r.Exported || p.Name == "source" {
				ev.looksInto(p.Value)
			}
		}
	}
}

// mayBe reports whether what looks absent may be there in Puppet, because something is not known.
func (ev *Evaluator) mayBe() bool { return ev.guesses > 0 && (ev.lost > 0 || ev.in.Part) }

// nothingToTell notes that something looks absent that may be there. There is no news in it if only modules may bring
// it that are not there, or whoever has what this node has.
func (ev *Evaluator) nothingToTell() bool {
	ev.unsure = true
	return ev.lost == ev.absent
}

// unsettle makes a variable unknown that code may have assigned, or not.
func (sc *Scope) unsettle(name string, o *value.Opaque) {
	for f := sc.frame; f != nil; f = f.outer {
		if v := f.find(name); v != nil {
			if v.value != nil {
				v.value = o
			}
			return
		}
	}
	sc.Set(name, o, 0)
}

// mayBeThere warns of resources that are not there, where Puppet's error would end the compile: code that was left out,
// because something is not known, may declare them.
func (ev *Evaluator) mayBeThere(at source.Place, names string) {
	if ev.nothingToTell() {
		return
	}
	ev.warnings = append(ev.warnings, &source.Diagnostic{Code: "E0706", Severity: source.Warning, Place: at,
		Summary: names + " is not there, but may be in Puppet: decisions hang on what is not known"})
}

// notDone reports an effect that could not be had because an argument is opaque.
func (ev *Evaluator) notDone(name string, o *value.Opaque, at source.Place) {
	ev.guessed(o)
	key := "E0702" + at.String() + name
	if ev.warned[key] || o.Absent {
		return
	}
	ev.warned[key] = true
	ev.warnings = append(ev.warnings, &source.Diagnostic{Code: "E0702", Severity: source.Warning, Place: at,
		Summary: fmt.Sprintf("%s was left out, because its argument is not known: %s", name, o.Why)})
}

// mayAct reports that a function gave no answer which does more than answer: what it declares, includes or sets in
// Puppet is not there, and may be.
func (ev *Evaluator) mayAct(f *Function, o *value.Opaque, at source.Place) {
	if f.Does != outline.Anything || f.Acts != nil && !f.Acts() {
		return
	}
	ev.guessed(o)
	key := "E0702" + at.String() + f.Name
	if ev.warned[key] || o.Absent {
		return
	}
	ev.warned[key] = true
	ev.warnings = append(ev.warnings, &source.Diagnostic{Code: "E0702", Severity: source.Warning, Place: at,
		Summary: fmt.Sprintf("%s was left out, with whatever it declares, includes or sets: %s", f.Name, o.Why)})
}

// certainly are the arguments of a call with what lists and hashes that are not known have certainly in their place, if
// the function does the same with each element, whatever others there are; nil if it does not.
func (ev *Evaluator) certainly(f *Function, args []value.Value, block *Lambda) []value.Value {
	switch f.Name {
	case "include", "contain", "require", "create_resources", "ensure_packages", "ensure_resources", "realize", "tag":
		if block != nil {
			return nil
		}
	case "each":
		if block == nil || leaves(block.def.Body.Stmts) {
			return nil
		}
	default:
		return nil
	}
	out := slices.Clone(args)
	for i, v := range out {
		o := opaque(v)
		if o == nil {
			continue
		}
		_, list := o.Has.(*value.Array)
		if o.Has == nil || block != nil && list != (len(block.def.Params) == 1) { // with numbers, or pairs
			return nil
		}
		out[i] = o.Has
	}
	return out
}

// An Unknown is a value that could not be computed.
type Unknown struct {
	Why        string
	Function   string       // whose result it is; "" for one that comes from data
	Place      source.Place // of the call
	Attributes int          // of the catalog, in which it is, or a part of it
	Resources  int          // that are there only if decisions on it were guessed right

	value *value.Opaque
}

// unknown notes the result of a function that could not be computed. One that was handed on is no news.
func (ev *Evaluator) unknown(o *value.Opaque, function string, at source.Place) {
	for _, u := range ev.unknowns {
		if u.value == o || u.Function == function && u.Place == at && u.Why == o.Why {
			return
		}
	}
	ev.unknowns = append(ev.unknowns, &Unknown{Why: o.Why, Function: function, Place: at, value: o})
}

// comesIn notes what is not known of a value that a function gives, or somebody from outside. A title or a decision
// that is made of it need not be in the catalog afterwards.
func (ev *Evaluator) comesIn(v value.Value, function string, at source.Place) {
	if !ev.set.Certain {
		return
	}
	for _, o := range OpaquesIn(v, nil) {
		ev.unknown(o, function, at)
	}
}

// Unknowns are the values that a compile could not compute: those that functions gave, in the order of the calls, and
// those of the catalog's that come from data. What is not known for want of modules is left out (Result.StandIns).
func (res *Result) Unknowns() []Unknown {
	var all []*Unknown
	for _, u := range res.unknowns {
		if u.value.Absent {
			continue
		}
		n := *u
		all = append(all, &n)
	}
	if res.Catalog != nil {
		for _, r := range res.Catalog.Resources {
			if r.Possible != "" && !IsAbsent(r.Possible) {
				at := slices.IndexFunc(all, func(u *Unknown) bool { return u.Why == r.Possible })
				if at < 0 {
					at = len(all)
					all = append(all, &Unknown{Why: r.Possible})
				}
				all[at].Resources++
			}
			for _, p := range r.Params {
				seen := map[int]bool{}
				for _, o := range OpaquesIn(p.Value, nil) {
					if o.Absent {
						continue
					}
					at := slices.IndexFunc(all, func(u *Unknown) bool { return u.value == o })
					if at < 0 { // another value for the same reason
						at = slices.IndexFunc(all, func(u *Unknown) bool { return u.Why == o.Why })
					}
					if at < 0 {
						at = len(all)
						all = append(all, &Unknown{Why: o.Why, value: o})
					}
					if !seen[at] {
						seen[at] = true
						all[at].Attributes++
					}
				}
			}
		}
	}
	out := make([]Unknown, len(all))
	for i, u := range all {
		out[i] = *u
	}
	return out
}

// UnknownAttributes is how many attributes of the catalog hold something that Unknowns has.
func (res *Result) UnknownAttributes() (n int) {
	if res.Catalog == nil {
		return 0
	}
	for _, r := range res.Catalog.Resources {
		for _, p := range r.Params {
			if slices.ContainsFunc(OpaquesIn(p.Value, nil), func(o *value.Opaque) bool { return !o.Absent }) {
				n++
			}
		}
	}
	return n
}

// OpaquesIn are the different opaque values in a value.
func OpaquesIn(v value.Value, found []*value.Opaque) []*value.Opaque {
	switch v := v.(type) {
	case *value.Opaque:
		if !slices.Contains(found, v) {
			found = append(found, v)
		}
	case *value.Array:
		for _, e := range v.Elems {
			found = OpaquesIn(e, found)
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			found = OpaquesIn(e.Value, OpaquesIn(e.Key, found))
		}
	case *value.Sensitive:
		return OpaquesIn(v.Value, found)
	}
	return found
}
