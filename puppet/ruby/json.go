package ruby

import (
	"fmt"
	"math"
	"strings"

	"bunraku/puppet/ruby/syntax"
	"bunraku/puppet/value"
)

// jsonOptions changes a style by the options of generate.
func (in *Interp) jsonOptions(st value.JSONStyle, args []Object) value.JSONStyle {
	for _, a := range args {
		h, ok := a.(*Hash)
		if !ok {
			continue
		}
		for _, e := range h.pairs() {
			text := func() string { return in.toStr(e.val) }
			switch in.toS(e.key) {
			case "indent":
				st.Indent = text()
			case "space":
				st.Space = text()
			case "space_before":
				st.SpaceBefore = text()
			case "object_nl":
				st.ObjectNL = text()
			case "array_nl":
				st.ArrayNL = text()
			case "allow_nan":
				st.NaN = truthy(e.val)
			case "ascii_only", "script_safe", "escape_slash":
				if truthy(e.val) {
					in.unsupported("JSON with the option " + in.toS(e.key))
				}
			}
		}
	}
	return st
}

// toJSON is o.to_json.
func (in *Interp) toJSON(o Object, args []Object) string {
	w := jsonWriter{in: in, style: in.jsonOptions(value.CompactJSON(), args)}
	w.write(o, 0)
	return w.b.String()
}

type jsonWriter struct {
	in    *Interp
	b     strings.Builder
	style value.JSONStyle
}

func (w *jsonWriter) write(o Object, depth int) {
	in := w.in
	in.step()
	if w.b.Len() > in.limits.Size {
		in.room(w.b.Len())
	}
	st := w.style
	switch o := o.(type) {
	case Nil, nil:
		w.b.WriteString("null")
	case Bool, Int, *Big:
		w.b.WriteString(in.toS(o))
	case Float:
		if f := float64(o); (math.IsNaN(f) || math.IsInf(f, 0)) && !st.NaN {
			in.raise("JSON::GeneratorError", "%s not allowed in JSON", in.toS(o))
		}
		w.b.WriteString(in.toS(o))
	case *String:
		w.text(o.String())
	case Symbol:
		w.text(string(o))
	case *Array:
		w.deep(depth)
		es := o.els()
		st.Array(&w.b, len(es), depth, func(i int) { w.write(es[i], depth+1) })
	case *Hash:
		w.deep(depth)
		es := o.pairs()
		st.Object(&w.b, len(es), depth, func(i int) { w.text(in.toS(es[i].key)) },
			func(i int) { w.write(es[i].val, depth+1) })
	default:
		if m := in.findFor(o, "to_json"); m != nil && m.builtin == nil {
			w.b.WriteString(in.toS(in.invoke(m, o, nil, nil)))
			return
		}
		w.text(in.toS(o))
	}
}

func (w *jsonWriter) deep(depth int) {
	if why := w.style.TooDeep(depth); why != "" {
		w.in.raise("JSON::NestingError", "%s", why)
	}
}

func (w *jsonWriter) text(s string) {
	if !value.JSONText(&w.b, s) {
		w.in.raise("JSON::GeneratorError", value.NotUTF8)
	}
}

// parseJSON is JSON.parse.
func (in *Interp) parseJSON(s string, symbols bool) Object {
	p := jsonParser{in: in, s: s, symbols: symbols}
	if in.Hooks.JSON != nil {
		if err := in.Hooks.JSON(s); err != nil {
			in.raise("JSON::ParserError", "%s", err.Error())
		}
	}
	p.blanks()
	if p.i >= len(s) {
		in.raise("JSON::ParserError", "unexpected token at ''")
	}
	v := p.value(0)
	p.blanks()
	if p.i < len(s) {
		p.fail()
	}
	return v
}

// loadJSON is JSON.load, which takes what JSON.parse does, and more: nothing, numbers that are none, any depth.
func (in *Interp) loadJSON(o Object) Object {
	s, text := o.(*String)
	switch _, none := o.(Nil); {
	case none || text && s.String() == "":
		return Nil{}
	case !text:
		in.unsupported("JSON.load of what is no text")
	case strings.Contains(s.String(), "NaN") || strings.Contains(s.String(), "Infinity"):
		in.unsupported("JSON.load of NaN or Infinity")
	case strings.Count(s.String(), "[")+strings.Count(s.String(), "{") > 100:
		in.unsupported("JSON.load of deep data")
	}
	return in.parseJSON(s.String(), false)
}

type jsonParser struct {
	in      *Interp
	s       string
	i       int
	symbols bool
}

func (p *jsonParser) fail() {
	p.in.raise("JSON::ParserError", "unexpected token at '%s'", p.s[min(p.i, len(p.s)):])
}

func (p *jsonParser) blanks() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

func (p *jsonParser) value(depth int) Object {
	p.in.step()
	if depth > 100 {
		p.in.raise("JSON::NestingError", "nesting of %d is too deep", depth)
	}
	if p.i >= len(p.s) {
		p.fail()
	}
	word := func(w string, v Object) Object {
		if !strings.HasPrefix(p.s[p.i:], w) {
			p.fail()
		}
		p.i += len(w)
		return v
	}
	switch c := p.s[p.i]; {
	case c == 'n':
		return word("null", Nil{})
	case c == 't':
		return word("true", Bool(true))
	case c == 'f':
		return word("false", Bool(false))
	case c == '"':
		return p.in.str(p.text())
	case c == '[':
		at := p.i
		p.i++
		out := []Object{}
		for p.blanks(); p.i < len(p.s) && p.s[p.i] != ']'; p.blanks() {
			out = append(out, p.value(depth+1))
			p.blanks()
			if p.i < len(p.s) && p.s[p.i] == ',' {
				p.i++
				p.blanks()
				if p.i < len(p.s) && p.s[p.i] == ']' {
					p.i = at
					p.fail()
				}
			} else if p.i >= len(p.s) || p.s[p.i] != ']' {
				p.fail()
			}
		}
		if p.i >= len(p.s) {
			p.fail()
		}
		p.i++
		return p.in.array(out)
	case c == '{':
		at := p.i
		p.i++
		h := p.in.newHash()
		for p.blanks(); p.i < len(p.s) && p.s[p.i] != '}'; p.blanks() {
			if p.s[p.i] != '"' {
				p.fail()
			}
			var k Object = p.in.str(p.text())
			if p.symbols {
				k = Symbol(p.in.toS(k))
			}
			p.blanks()
			if p.i >= len(p.s) || p.s[p.i] != ':' {
				p.i = at
				p.fail()
			}
			p.i++
			p.blanks()
			h.put(k, p.value(depth+1))
			p.blanks()
			if p.i < len(p.s) && p.s[p.i] == ',' {
				p.i++
			} else if p.i >= len(p.s) || p.s[p.i] != '}' {
				p.fail()
			}
		}
		if p.i >= len(p.s) {
			p.fail()
		}
		p.i++
		return h
	case c == '-' || syntax.IsDigit(c):
		from := p.i
		p.i++
		for p.i < len(p.s) && strings.IndexByte("0123456789.eE+-", p.s[p.i]) >= 0 {
			p.i++
		}
		t := p.s[from:p.i]
		if t == "-" {
			p.i = from
			p.fail()
		}
		if strings.ContainsAny(t, ".eE") {
			return Float(looseFloat(t))
		}
		return p.in.looseInt(t, 10)
	}
	p.fail()
	return nil
}

func (p *jsonParser) text() string {
	from := p.i
	p.i++
	var b strings.Builder
	for p.i < len(p.s) && p.s[p.i] != '"' {
		c := p.s[p.i]
		if c != '\\' {
			if c < ' ' {
				p.i = from
				p.fail()
			}
			b.WriteByte(c)
			p.i++
			continue
		}
		p.i++
		if p.i >= len(p.s) {
			break
		}
		switch e := p.s[p.i]; e {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			if p.i+4 < len(p.s) {
				var n rune
				fmt.Sscanf(p.s[p.i+1:p.i+5], "%04x", &n)
				p.i += 4
				if n >= 0xd800 && n < 0xdc00 && strings.HasPrefix(p.s[p.i+1:], `\u`) && p.i+6 < len(p.s) {
					var lo rune
					fmt.Sscanf(p.s[p.i+3:p.i+7], "%04x", &lo)
					n = 0x10000 + (n-0xd800)<<10 + (lo - 0xdc00)
					p.i += 6
				}
				b.WriteRune(n)
			}
		default:
			b.WriteByte(e)
		}
		p.i++
	}
	if p.i >= len(p.s) {
		p.i = from
		p.fail()
	}
	p.i++
	return b.String()
}
