package eval

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// rendering is the text that a template has produced so far.
type rendering struct {
	text      strings.Builder
	refs      []provenance.Ref
	sensitive bool
	code      encoding
	passed    provenance.Ref // of branches that were not taken: they would have added to it
	unknown   *value.Opaque  // on which it hangs what was rendered
	outer     *rendering
	pieces    []value.Piece // of secrets
}

func (ev *Evaluator) render(sc *Scope, s value.String, r provenance.Ref) {
	out := ev.rendering
	if out == nil {
		ev.fail("E0560", source.Span{}, "Template text outside of a template")
	}
	if len(ev.bytes) > 0 {
		if out.text.Len() == 0 {
			out.code = encoding{}
		} else if !out.code.begun { // nobody had bytes when that was rendered
			out.code.add(out.text.String(), false)
		}
		if !out.code.add(string(s), ev.isBytes(s)) {
			ev.fail("E0401", source.Span{}, "Evaluation Error: Error while evaluating an Epp Template, "+out.code.misfit())
		}
	}
	out.text.WriteString(string(s))
	if ev.trace != nil {
		out.refs = append(out.refs, ev.under(r))
	}
}

func (ev *Evaluator) renderValue(sc *Scope, v value.Value, r provenance.Ref) {
	if s, ok := v.(*value.Sensitive); ok {
		ev.rendering.sensitive = true
		v = s.Value
	}
	text := ev.text(v)
	if out := ev.rendering; out != nil && ev.short[text] {
		out.pieces = append(out.pieces, value.Piece{Start: out.text.Len(), Len: len(text)})
	}
	ev.render(sc, value.String(text), ev.op("text", ev.deep(v, r)))
}

// Epp renders a template. Only global variables and the arguments are visible to a template file; an inline one sees
// the caller's scope.
func (c *Call) Epp(f *syntax.File, args *value.Hash, given, inline bool) (value.Value, provenance.Ref, error) {
	ev := c.Eval
	if f.Epp == nil {
		return nil, 0, fmt.Errorf("%s(): the file is no template", c.Name)
	}
	if len(f.Defs) > 0 {
		return nil, 0, fmt.Errorf("%s(): The EPP template contains illegal expressions (definitions)", c.Name)
	}
	sc := c.Scope
	s := ev.save(sc)
	var frames *frame
	if !inline {
		sc = sc.global()
		frames = sc.frame
		sc.frame = sc.own
	}
	ev.push(step{kind: "template ", text: f.Source.Name, place: c.Place})
	ev.enterFile(f)
	out := &rendering{outer: ev.rendering}
	ev.rendering = out
	err := ev.runTemplate(f, sc, args, given)
	ev.rendering = out.outer
	if frames != nil {
		sc.frame = frames
	}
	ev.restoreTo(s)
	if err != nil {
		return nil, 0, err
	}
	ev.pieced(out.text.String(), out.pieces)
	var v value.Value = value.String(out.text.String())
	if out.code.bytes {
		v = ev.Bytes(out.text.String())
	}
	if out.sensitive {
		v = &value.Sensitive{Value: v}
	}
	if out.unknown != nil {
		v = out.unknown
	}
	// which parameters are given decides what the template sees of the scopes around
	r := ev.trace.With(ev.op("concat", out.refs...), out.passed, ev.keysOf(args, 0))
	if ev.trace != nil {
		r = ev.trace.Note(r, provenance.Rendered, f.Source.Name, 0, c.Place, nil)
	}
	return v, r, nil
}

// global is the node or top scope around.
func (sc *Scope) global() *Scope {
	for s := sc; ; {
		if s.isTop() || s.isNode() {
			return s
		}
		n := s.next()
		if n == nil {
			return s
		}
		s = n
	}
}

func (ev *Evaluator) runTemplate(f *syntax.File, sc *Scope, args *value.Hash, given bool) error {
	mark := sc.mark()
	defer sc.restore(mark)
	enforce := f.Epp.HasParams || !given
	local := sc.pushFrame(paramFrame)
	local.callee = "lambda"
	if enforce {
		for _, p := range f.Epp.Params {
			local.vars = append(local.vars, variable{name: p.Name})
		}
	}
	entries := args.Entries()
	for i := range entries {
		x := &entries[i]
		name, ref := value.ToString(x.Key), ev.Found(args, x)
		if strings.Contains(name, "::") {
			continue
		}
		if v := local.find(name); v != nil {
			if !value.IsUndef(x.Value) {
				v.value, v.ref = x.Value, ref
			}
		} else if !enforce || !value.IsUndef(x.Value) { // undef for a parameter that there is not is no argument
			local.add(name, x.Value, ref)
		}
	}
	if enforce {
		if err := ev.templateParams(f, sc, local, args); err != nil {
			return err
		}
	}
	sc.restore(mark)
	body := sc.pushFrame(localFrame)
	owner := ev.trace.Owner(called{"template ", f.Source.Name})
	for _, v := range local.vars {
		if reserved(v.name) {
			return errors.New(assignsReserved(v.name))
		}
		if v.value != nil {
			if ev.trace != nil {
				v.ref = ev.trace.Note(v.ref, provenance.Parameter, v.name, owner, source.Place{}, v.value)
			}
			body.add(v.name, v.value, v.ref)
		}
	}
	ev.catching(f.Epp.Body.Stmts, sc, func(k jumpKind) bool { return k == jumpNext })
	return nil
}

// templateParams fills in defaults and checks types.
func (ev *Evaluator) templateParams(f *syntax.File, sc *Scope, local *frame, args *value.Hash) error {
	given := value.NewHashBuilder(len(local.vars))
	s := &types.Struct{}
	for _, p := range f.Epp.Params {
		v := local.find(p.Name)
		if v.value == nil {
			entry := args.EntryString(p.Name)
			switch {
			case p.Default != nil:
				val, r, err := ev.defaultOf(p, sc)
				if err != nil {
					return err
				}
				v = local.find(p.Name)
				if entry != nil { // it is undef
					r = ev.trace.With(r, ev.Found(args, entry))
				}
				v.value, v.ref = val, r
			case entry != nil:
				v.value, v.ref = value.Undef{}, entry.Ref
			}
		}
		key := types.T(types.Literal(p.Name))
		if p.Default != nil {
			key = types.NewOptional(key)
		}
		s.Elems = append(s.Elems, types.Element{Key: key, Val: ev.typeOf(p.Type, f)})
	}
	for _, v := range local.vars {
		if v.value != nil {
			given.SetString(v.name, v.value)
		}
	}
	return ev.judge.ValidateParameters("lambda", s, given.Hash(), false, nil)
}
