package eval

import (
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Where the value came from that ended a compile: the variables and parameters it went through, the Hiera datum,
// default or fact that it is. An error points at the cause, not only at the place where it was noticed. This needs the
// trace; a compile without one that fails is run again with it (package compiler).

// A Levels is a World that can say which level of Hiera has a key's value in a file.
type Levels interface {
	Level(sc *Scope, key, file string) string
}

const maxOrigin = 6 // places that are told of one value

// failValue ends the compile because of a value.
func (ev *Evaluator) failValue(d *source.Diagnostic, v value.Value, ref provenance.Ref) {
	ev.addOrigin(d, v, ref)
	ev.failRef(d, ref)
}

// addOrigin adds where a value came from.
func (ev *Evaluator) addOrigin(d *source.Diagnostic, v value.Value, ref provenance.Ref) {
	ev.addOriginOf(d, "value", v, ref)
}

// addOriginOf is addOrigin for a value that is called by another name: a title.
func (ev *Evaluator) addOriginOf(d *source.Diagnostic, what string, v value.Value, ref provenance.Ref) {
	if ev.trace == nil {
		return
	}
	if value.HasSensitive(v) {
		ev.secret = append(ev.secret, ref)
	}
	for _, r := range ev.origin(what, v, ref) {
		if !showsLine(d, r.Place) && len(d.Related) < maxOrigin {
			d.Related = append(d.Related, r)
		}
	}
}

// showsLine reports whether a diagnostic shows the line of a place already.
func showsLine(d *source.Diagnostic, p source.Place) bool {
	same := func(q source.Place) bool { return p.Known() && q.File == p.File && q.Line() == p.Line() }
	for _, r := range d.Related {
		if same(r.Place) {
			return true
		}
	}
	return same(d.Place)
}

// addDecision adds the condition that led to where evaluation is, and what it looked at.
func (ev *Evaluator) addDecision(d *source.Diagnostic) {
	var nearest provenance.Ref
	ev.trace.Near(func(r provenance.Ref) bool {
		if note, ok := ev.trace.NoteAt(r); ok && note.Kind.IsDecision() && note.Place.Known() && nearest == 0 {
			nearest = r
		}
		return nearest == 0
	}, ev.ctl)
	note, ok := ev.trace.NoteAt(nearest)
	if !ok {
		return
	}
	label := "because this is "
	switch note.Kind {
	case provenance.IfTrue:
		label += "true"
	case provenance.IfFalse:
		label += "false"
	default:
		label = "because this takes the option " + note.Name
		if note.Name == "" {
			label = "because no option matches this"
		}
	}
	d.Related = append(d.Related, source.Related{Place: note.Place, Label: label})
	leaves := ev.trace.Flows(nearest)
	if len(leaves) == 0 { // of case and selector, which compare: what is nearest
		ev.trace.Near(func(r provenance.Ref) bool {
			if l, ok := ev.trace.Label(r); ok && l.Kind != provenance.Literal && len(leaves) == 0 {
				leaves = append(leaves, r)
			}
			return len(leaves) == 0
		}, nearest)
	}
	for _, leaf := range leaves {
		if l, _ := ev.trace.Label(leaf); l.Kind != provenance.Literal && !showsLine(d, l.Place) && len(d.Related) < 4 {
			d.Related = append(d.Related, ev.originLeaf(l, "it looks at this", "", false, nil))
		}
	}
}

// A suspect is an operand of the operation being done: when that fails it is the reason.
type suspect struct {
	value value.Value
	ref   provenance.Ref
}

// A badValue is an error that is due to one value.
type badValue struct {
	text, help string
	about      []source.Subject
	value      value.Value
	ref        provenance.Ref
}

func (b *badValue) Error() string { return b.text }

// badArgument says which argument makes a call impossible: one that no signature takes at its position.
func (ev *Evaluator) badArgument(err error, sigs []*types.Callable, args []value.Value, refs []provenance.Ref) error {
	if ev.trace == nil {
		return err
	}
	for i, a := range args {
		refused := i < len(refs)
		for _, s := range sigs {
			if s.Params == nil || len(s.Params.Types) == 0 || ev.judge.IsInstance(s.Params.Types[min(i, len(s.Params.Types)-1)],
				a) {
				refused = false
			}
		}
		if refused {
			return &badValue{text: err.Error(), value: a, ref: refs[i]}
		}
	}
	return err
}

// namedBy finds the argument, or the element of one, that has a name.
func (c *Call) namedBy(name string) (value.Value, provenance.Ref) {
	same := func(v value.Value) bool {
		s, ok := v.(value.String)
		return ok && canonical(string(s)) == canonical(name)
	}
	for i, a := range c.Args {
		if same(a) {
			return a, c.ArgRef(i)
		}
		if list, ok := a.(*value.Array); ok {
			list = value.Flatten(list)
			for j, e := range list.Elems {
				if same(e) {
					if r := list.Ref(j); r != 0 {
						return e, c.Eval.trace.With(r, c.ArgRef(i))
					}
					return e, c.ArgRef(i)
				}
			}
		}
	}
	return nil, 0
}

// origin are the steps of a value, nearest first, and the places that it is made of.
func (ev *Evaluator) origin(what string, v value.Value, ref provenance.Ref) (out []source.Related) {
	add := func(p source.Place, label string) {
		if p.Known() {
			out = append(out, source.Related{Place: p, Label: label})
		}
	}
	looked, automatic := "", false
	way := ev.trace.Path(ref)
	for _, n := range way {
		note, ok := ev.trace.NoteAt(n)
		if !ok {
			continue
		}
		switch note.Kind {
		case provenance.Variable:
			add(note.Place, "$"+note.Name+" is set here")
		case provenance.Parameter:
			if note.In == "" {
				add(note.Place, "it is $"+note.Name+" of this lambda")
			} else {
				add(note.Place, "it is $"+note.Name+" of "+note.In)
			}
		case provenance.Defaulted:
			add(note.Place, "it is the default of $"+note.Name+" of "+note.In)
		case provenance.LookedUp:
			looked, automatic = note.Name, !note.Place.Known()
			add(note.Place, "Hiera is asked for "+note.Name+" here")
		case provenance.Called:
			add(note.Place, note.Name+"() returns it")
		}
	}
	if len(way) == 0 {
		return out
	}
	last := way[len(way)-1]
	if l, ok := ev.trace.Label(last); ok {
		return append(out, ev.originLeaf(l, "this "+what, looked, automatic, v))
	}
	for _, leaf := range ev.trace.Flows(ref) {
		if l, _ := ev.trace.Label(leaf); l.Kind != provenance.Literal && len(out) < maxOrigin {
			out = append(out, ev.originLeaf(l, "made of this", looked, automatic, nil))
		}
	}
	return out
}

// originLeaf is the place that a value, or a part of it, was copied from.
func (ev *Evaluator) originLeaf(l provenance.Label, what, looked string, automatic bool, v value.Value) source.Related {
	r := source.Related{Place: l.Place, Label: what}
	switch l.Kind {
	case provenance.Literal:
		r.Label = what + " is written here"
	case provenance.Datum:
		key := looked
		if key == "" {
			key, _, _ = strings.Cut(l.Path, ".")
		}
		if r.Label += ", Hiera key " + key; automatic {
			r.Label = what + ", by automatic parameter lookup"
		}
		if w, ok := ev.world.(Levels); ok && l.Place.File != nil {
			if level := w.Level(ev.lookupScope(key), key, l.Place.File.Name); level != "" {
				r.Label += " (level \"" + level + "\")"
			}
		}
	case provenance.Fact:
		if r.Label = what + ": the fact " + l.Path; v != nil && !value.HasSensitive(v) {
			if text := value.Literal(v); len(text) <= 60 {
				r.Label += ", " + text
			}
		}
	case provenance.NodeName:
		r.Label = what + ": the node's name"
	default:
		r.Label = what + ": " + l.Path
	}
	return r
}

// lookupScope is the scope in which an automatic parameter's key is looked up, or else the top scope.
func (ev *Evaluator) lookupScope(key string) *Scope {
	if i := strings.LastIndex(key, "::"); i > 0 {
		if sc := ev.table.scopes[key[:i]]; sc != nil {
			return sc
		}
	}
	if ev.nodes != nil {
		return ev.nodes
	}
	return ev.top
}

// wantsSensitive reports whether a type says that its values are secret: one that was given in the clear is no less so.
func wantsSensitive(t value.Type) bool {
	return t != nil && strings.Contains(types.Generalize(t).String(), "Sensitive")
}

// leastSecret is the length of the shortest text that can be told from ordinary words.
const leastSecret = 4

// hideSecrets keeps what is Sensitive out of a diagnostic: lines that hold data which flow into a Sensitive variable or
// attribute are not shown, and such a value in the text is blotted out.
func (ev *Evaluator) hideSecrets(d *source.Diagnostic) {
	if ev.trace == nil {
		return
	}
	roots := ev.secret
	var texts []string
	look := func(v value.Value, r provenance.Ref) {
		if value.HasSensitive(v) {
			roots = append(roots, ev.deep(v, r))
			value.EachSecret(v, false, func(text string) {
				if len(text) >= leastSecret { // also as the name of a class or a type
					texts = append(texts, text, value.Downcase(text),
						value.CapitalizeSegments(value.Downcase(text)))
				}
			})
		}
	}
	for _, s := range ev.bared {
		look(s.value, s.ref)
	}
	for _, r := range ev.table.added {
		for _, p := range r.params {
			look(p.value, p.ref)
		}
	}
	for _, class := range append([]string{""}, ev.table.classes...) {
		if sc := ev.table.scopes[class]; sc != nil {
			for _, v := range sc.own.vars {
				look(v.value, v.ref)
			}
		}
	}
	if len(roots) == 0 {
		return
	}
	type line struct {
		file *source.File
		n    int
	}
	secret := map[line]bool{}
	for _, leaf := range ev.trace.Flows(roots...) {
		l, _ := ev.trace.Label(leaf)
		if f := l.Place.File; f != nil {
			for n := f.LineOf(l.Place.Span.Start); n <= f.LineOf(max(l.Place.Span.Start, l.Place.Span.End-1)); n++ {
				secret[line{f, n}] = true
			}
		}
	}
	blot := func(s string) string {
		for _, t := range texts {
			s = strings.ReplaceAll(s, t, "[value redacted]")
		}
		return s
	}
	d.Summary, d.Detail, d.Help, d.Label = blot(d.Summary), blot(d.Detail), blot(d.Help), blot(d.Label)
	for i := range d.Stack {
		d.Stack[i] = blot(d.Stack[i])
	}
	hides := func(p source.Place) bool {
		if !p.Known() {
			return false
		}
		text := p.File.Line(p.Line())
		return secret[line{p.File, p.Line()}] || blot(text) != text
	}
	d.Hidden = hides(d.Place)
	for i := range d.Related {
		r := &d.Related[i]
		r.Label, r.Hidden = blot(r.Label), hides(r.Place)
	}
}

// Unwrapped notes that the program has laid a secret bare: it stays out of what is said about a failure.
func (c *Call) Unwrapped(s *value.Sensitive) {
	c.Eval.Bare(s)
	if c.Eval.trace != nil {
		c.Eval.bared = append(c.Eval.bared, suspect{s, c.ArgRef(0)})
	}
}

// Bare notes what is Sensitive in a value that code gets to see in the clear: from then on it may turn up in any text.
func (ev *Evaluator) Bare(v value.Value) {
	if value.HasSensitive(v) && !slices.Contains(ev.seen, v) {
		ev.seen = append(ev.seen, v)
	}
}

// Decrypted notes a text that Hiera has decrypted. Nothing need unwrap it: code sees it in the clear.
func (ev *Evaluator) Decrypted(text string) {
	if v := value.Value(value.String(strings.TrimSpace(text))); !slices.Contains(ev.seen, v) {
		ev.seen = append(ev.seen, v)
	}
}

// remade notes the texts that a function has made of a secret which the program laid bare: upcase of a password is a
// secret as well, and nobody would find it by looking for the password. What still has the secret in it, and what was
// there before the call, is found anyhow. A template or a function that is given a hash makes something of all that is
// in it; whatever it calls to change the secret is looked at by itself, and so is what a lambda calls;
// but one that puts pieces together, as with reduce, need not call anything.
func (ev *Evaluator) remade(args []value.Value, v value.Value, lambda bool) {
	made := texts(v)
	walk, walks := v.(*value.Iterator)
	a, many := v.(*value.Array)
	if len(made) == 0 && !walks && !many {
		return
	}
	var given []string
	for _, a := range args {
		given = append(given, texts(a)...)
	}
	cut := slices.ContainsFunc(args, ev.ofPieces)
	if !cut && !slices.ContainsFunc(given, ev.Secret) {
		return
	}
	switch {
	case walks:
		ev.madeOfPieces(walk)
	case many:
		ev.madeOfPieces(a)
	}
	for _, text := range made {
		if (!lambda || cut && !many) && !slices.Contains(given, text) {
			ev.Made(text)
		}
	}
}

// Remade notes what code that cannot be watched has made of its arguments and of what it asked for.
func (ev *Evaluator) Remade(args []value.Value, v value.Value) {
	var bare []value.Value
	for _, a := range args {
		if s, is := a.(*value.Sensitive); is {
			a = s.Value
		}
		bare = append(bare, a)
	}
	if len(ev.seen) > 0 {
		ev.remade(bare, v, false)
	}
}

// madeOfPieces notes such an array, or what walks over one.
func (ev *Evaluator) madeOfPieces(v value.Value) {
	if ev.pieces == nil {
		ev.pieces = map[value.Value]bool{}
	}
	ev.pieces[v] = true
}

// ofPieces reports whether a value is an array, or walks over one, of what a secret was cut into: each piece may be too
// short to be told.
func (ev *Evaluator) ofPieces(v value.Value) bool {
	if len(ev.pieces) == 0 {
		return false
	}
	switch v := v.(type) {
	case *value.Iterator:
		return ev.pieces[v]
	case *value.Array:
		return ev.pieces[v] || slices.ContainsFunc(v.Elems, ev.ofPieces)
	}
	return false
}

// Secret reports whether a text holds a secret that the program has seen in the clear, or something made of one.
func (ev *Evaluator) Secret(text string) bool {
	return len(ev.seen) > 0 && len(text) >= leastSecret &&
		slices.ContainsFunc(ev.clearTexts(), func(s string) bool { return strings.Contains(text, s) })
}

// Made notes a text that was made of a secret, line by line: all of them, or those that have something in them which
// was made before. A line with the secret itself in it is found anyhow.
func (ev *Evaluator) Made(text string) {
	if len(text) < leastSecret && text != "" {
		if ev.short == nil {
			ev.short = map[string]bool{}
		}
		ev.short[text] = true
	}
	made := ev.Secret(text)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) < leastSecret || len(line) > mostMade || made && !ev.Secret(line) || slices.Contains(ev.clear, line) ||
			slices.ContainsFunc(ev.bare, func(s string) bool { return strings.Contains(line, s) }) {
			continue
		}
		ev.madeOf, ev.clear = append(ev.madeOf, line), append(ev.clear, line)
	}
}

// pieced notes the lines of a text that were put together of pieces of secrets.
func (ev *Evaluator) pieced(text string, pieces []value.Piece) {
	for _, line := range value.Pieced(text, pieces) {
		ev.Made(line)
	}
}

// mostMade is how long a line may be that somebody recognizes as a whole.
const mostMade = 400

// clearTexts are the secrets that the program has seen in the clear, and what it has made of them.
func (ev *Evaluator) clearTexts() []string {
	for ; ev.cleared < len(ev.seen); ev.cleared++ {
		_, decrypted := ev.seen[ev.cleared].(value.String)
		value.EachSecret(ev.seen[ev.cleared], decrypted, func(text string) {
			if len(text) >= leastSecret && !slices.Contains(ev.clear, text) {
				ev.clear, ev.bare = append(ev.clear, text), append(ev.bare, text)
			}
		})
	}
	return ev.clear
}

// texts are a text, a number or bytes, with how these are shown, or the texts and numbers in an array.
func texts(v value.Value) (out []string) {
	switch v := v.(type) {
	case value.String, value.Int, value.Float:
		return []string{value.ToString(v)}
	case value.Binary:
		return []string{string(v), value.DigestText(string(v))}
	case *value.Array:
		for _, e := range v.Elems {
			switch e.(type) {
			case value.String, value.Int, value.Float:
				out = append(out, value.ToString(e))
			}
		}
	}
	return out
}

// computed notes a number that was made of others: of a secret one it is a secret as well.
func (ev *Evaluator) computed(v value.Value, of ...value.Value) value.Value {
	if len(ev.seen) > 0 {
		ev.remade(of, v, false)
	}
	return v
}
