package ruby

import (
	"bunraku/provenance"
	"bunraku/puppet/ruby/syntax"
	"bunraku/puppet/value"
)

// output is _erbout << value, the only statement that most of a template consists of. Each one is a segment. It reports
// false when the variable holds something else, and an ordinary call is due.
func (in *Interp) output(n *syntax.Call, v *syntax.LVar, f *frame) (Object, bool) {
	g := f
	for d := v.Depth; d > 0; d-- {
		g = g.up
	}
	out, ok := g.slots[v.Index].(*String)
	if !ok || out != in.out || out.frozen {
		return nil, false
	}
	mark := in.prov.mark()
	text, static := frozenText(n.Args[0])
	at := n.Args[0].Span()
	var written provenance.Ref
	if static != nil {
		written = in.prov.literal(static)
	} else {
		o := in.eval(n.Args[0], f)
		s, ok := o.(*String)
		if !ok {
			in.prov.forget(mark)
			return in.call(out, n.Name, []Object{o}, nil, false), true
		}
		if text = s.String(); s.secret && len(text) < leastNumber {
			in.pieces = append(in.pieces, value.Piece{Start: out.len(), Len: len(text)})
		}
	}
	in.room(len(text))
	if out.len()+len(text) > in.limits.Size {
		in.room(out.len() + len(text))
	}
	if in.prov.trace != nil && text != "" {
		ref := in.prov.value(mark)
		if written != 0 { // a copy of the template's text
			ref = in.prov.trace.With(written, in.prov.ctl, in.prov.heap)
		}
		in.Out = append(in.Out, Segment{Start: out.len(), At: at, Ref: ref})
		in.prov.forget(mark)
	}
	if out.buf == nil && in.OutSize > len(out.s)+len(text) {
		out.buf = append(make([]byte, 0, in.OutSize), out.s...)
	}
	out.add(text)
	return out, true
}

// frozenText recognises "text".freeze, which is how ERB writes a template's text.
func frozenText(n syntax.Node) (string, *syntax.StrLit) {
	c, ok := n.(*syntax.Call)
	if !ok || c.Name != "freeze" || len(c.Args) > 0 {
		return "", nil
	}
	s, ok := c.Recv.(*syntax.StrLit)
	if !ok {
		return "", nil
	}
	return s.Value, s
}
