package types

import (
	"strings"

	"bunraku/puppet/value"
)

// A Signature is one way to call a function: its type, and the names of its parameters for messages.
type Signature struct {
	Type      *Callable
	Names     []string
	BlockName string // "block" when empty
}

// Accepts reports whether a call with these arguments and block (nil for none) fits the callable.
func (c *Callable) Accepts(args []value.Value, block *Callable) bool {
	return (*Judge)(nil).Accepts(c, args, block)
}

// Accepts reports whether a call with these arguments and block (nil for none) fits the callable.
func (j *Judge) Accepts(c *Callable, args []value.Value, block *Callable) bool {
	if c.Params == nil {
		return true
	}
	p := c.Params
	if n := int64(len(args)); p.Size != nil {
		if !p.Size.contains(n) {
			return false
		}
	} else if len(p.Types) > 0 && int64(len(p.Types)) != n {
		return false
	}
	if len(p.Types) > 0 {
		for i, v := range args {
			if !j.IsInstance(p.at(i), v) {
				return false
			}
		}
	}
	if c.Block == nil {
		return block == nil
	}
	if block == nil {
		return j.IsInstance(c.Block, value.Undef{})
	}
	return j.Assignable(c.Block, block)
}

// isCallable reports whether t is a callable, a choice of callables, or (optional) one that may be missing.
func isCallable(t T, optional bool) bool {
	switch t := t.(type) {
	case *Callable:
		return true
	case *Variant:
		for _, o := range t.Types {
			if !isCallable(o, optional) {
				return false
			}
		}
		return true
	case *Optional:
		return optional && t.T != nil && isCallable(t.T, optional)
	case *Alias:
		return !t.recursive && isCallable(t.To, optional)
	}
	return false
}

// DescribeSignatures says why a call fits none of the signatures. name is the function's, or "lambda" for a block.
func DescribeSignatures(name string, sigs []Signature, args []value.Value, block *Callable) string {
	return (*Judge)(nil).DescribeSignatures(name, sigs, args, block)
}

// DescribeSignatures is the same within the judge's budget.
func (j *Judge) DescribeSignatures(name string, sigs []Signature, args []value.Value, block *Callable) string {
	ts := make([]T, len(args), len(args)+1)
	for i, a := range args {
		ts[i] = InferSet(a)
	}
	if block != nil {
		ts = append(ts, block)
	}
	var all [][]*mismatch
	failing := 0
	for i, s := range sigs {
		d := s.describeArguments(j, ts, path{{kind: atSignature, n: i}})
		if len(d) > 0 {
			failing++
		}
		all = append(all, d)
	}
	if failing < len(all) {
		var blocks [][]*mismatch
		bad := 0
		for i, s := range sigs {
			d := s.describeBlock(j, ts, path{{kind: atSignature, n: i}})
			if len(d) > 0 {
				bad++
			}
			blocks = append(blocks, d)
		}
		if bad == len(blocks) {
			all = blocks
		} else if bad > 0 {
			for i := range all {
				if len(all[i]) == 0 {
					all[i] = blocks[i]
				}
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	label := "'" + name + "'"
	if name == "lambda" {
		label = "block"
	}
	ms := mergeDescriptions(0, wrongCount, all)
	if len(ms) == 1 {
		return label + ms[0].String()
	}
	var out []string
	if len(sigs) == 1 {
		out = append(out, label+" expects ("+sigs[0].String()+")")
		for _, m := range all[0] {
			out = append(out, "  rejected:"+m.chop(0).String())
		}
	} else {
		out = append(out, "The function "+label+" was called with arguments it does not accept. It expects one of:")
		for i := range sigs {
			out = append(out, "  ("+sigs[i].String()+")")
			for _, m := range all[i] {
				out = append(out, "    rejected:"+m.chop(0).String())
			}
		}
	}
	return strings.Join(out, "\n")
}

func (s *Signature) describeArguments(j *Judge, args []T, at path) []*mismatch {
	p := s.Type.Params
	if p == nil {
		return nil
	}
	n := len(args)
	if n > 0 && isCallable(args[n-1], true) {
		n--
	}
	if size := Range(int64(n), int64(n)); !p.sizeRange().covers(size) {
		return []*mismatch{sizeMismatch(wrongCount, at, p.sizeRange(), size)}
	}
	if len(p.Types) == 0 {
		return nil
	}
	for i := 0; i < n; i++ {
		adx := min(i, len(p.Types)-1)
		if t := p.Types[adx]; !j.Assignable(t, args[i]) {
			name := ""
			if adx < len(s.Names) {
				name = s.Names[adx]
			}
			if d := (&describer{judge: j}).describe(t, args[i], at.plus(pathElem{kind: atParameter, key: name})); len(d) > 0 {
				return d
			}
		}
	}
	return nil
}

func (s *Signature) describeBlock(j *Judge, args []T, at path) []*mismatch {
	b := s.Type.Block
	if n := len(args); n > 0 && isCallable(args[n-1], true) {
		if b == nil {
			return []*mismatch{{kind: unexpectedBlock, path: at}}
		}
		return (&describer{judge: j}).describe(b, args[n-1], at.plus(pathElem{kind: atBlock, key: "block"}))
	}
	if b == nil || j.Assignable(b, UndefT) {
		return nil
	}
	return []*mismatch{{kind: missingBlock, path: at}}
}

// String is the signature as messages list it: "Integer a, String b?".
func (s *Signature) String() string {
	p := s.Type.Params
	if p == nil {
		return ""
	}
	size := p.sizeRange()
	if size.From == 0 && size.To == 0 {
		return ""
	}
	names := s.Names
	if len(names) == 0 {
		names = make([]string, len(p.Types))
	}
	var parts []string
	for i, name := range names {
		t := p.at(i)
		mark := ""
		if size.To == NoMax && i == len(names)-1 {
			mark = "*"
			if size.From == int64(len(names)) {
				mark = "+"
			}
		} else if int64(i+1) > size.From {
			mark = "?"
			if o, is := t.(*Optional); is {
				t = orAny(o.T)
			}
		}
		parts = append(parts, t.String()+" "+name+mark)
	}
	block := s.BlockName
	if block == "" {
		block = "block"
	}
	switch b := s.Type.Block.(type) {
	case *Optional:
		parts = append(parts, b.T.String()+" "+block+"?")
	case *Callable:
		parts = append(parts, b.String()+" "+block)
	}
	return strings.Join(parts, ", ")
}
