package datafile

import (
	"strings"
	"unicode"

	"bunraku/puppet/value"
	"bunraku/source"
)

// build makes a value of what is written; at is the path of the field it stands in.
func (p *hoconParser) build(t *hoconTree, at []string) (*hoconValue, error) {
	switch t.kind {
	case hoconSubst:
		path, err := p.path(t.token.inner, t.line, t.span)
		return &hoconValue{kind: hoconSubst, path: path, maybe: t.token.maybe, span: t.span, line: t.line}, err
	case hoconList:
		p.inList++
		defer func() { p.inList-- }()
		l := &hoconValue{kind: hoconList, span: t.span, line: t.line}
		for _, e := range t.elems {
			v, err := p.build(e, at)
			if err != nil {
				return nil, err
			}
			l.elems = append(l.elems, v)
		}
		return l, nil
	case hoconConcat:
		var parts []*hoconValue
		for _, e := range t.elems {
			v, err := p.build(e, at)
			if err != nil {
				return nil, err
			}
			parts = append(parts, v)
		}
		parts, err := p.join(parts, t.span)
		if err != nil || len(parts) == 1 {
			return parts[0], err
		}
		return &hoconValue{kind: hoconConcat, elems: parts, span: t.span, line: t.line}, nil
	case hoconObject:
		o := newObject(t.span)
		o.line = t.line
		for _, f := range t.fields {
			if err := p.assign(o, f, at); err != nil {
				return nil, err
			}
		}
		return o, nil
	}
	v := &hoconValue{scalar: t.token.scalar, text: t.token.text, word: t.token.kind == hoconWord, span: t.span,
		line: t.line}
	if v.word {
		v.scalar = value.String(v.text)
	}
	return v, nil
}

// assign gives an object one of its fields.
func (p *hoconParser) assign(o *hoconValue, f hoconField, at []string) error {
	full := append(at[:len(at):len(at)], f.path...)
	before := o.get(f.path)
	if f.appending {
		if p.inList > 0 {
			return p.failAt(f.line, f.span,
				"Due to current limitations of the config parser, += does not work nested inside a list. "+
					"+= expands to a ${} substitution and the path in ${} cannot currently refer to list elements. "+
					"You might be able to move the += outside of the list and then refer to it from inside the list with ${}.")
		}
		p.inList++
	}
	v, err := p.build(f.value, full)
	if f.appending {
		p.inList--
	}
	if err != nil {
		return err
	}
	if f.appending {
		self := &hoconValue{kind: hoconSubst, path: full, maybe: true, before: before, self: full, span: v.span, line: v.line}
		v = &hoconValue{kind: hoconConcat, span: v.span, line: v.line,
			elems: []*hoconValue{self, {kind: hoconList, elems: []*hoconValue{v}, span: v.span, line: v.line}}}
	}
	v.setBefore(before, full)
	o.set(f.path, f.span, v)
	return nil
}

// join joins neighbours as far as that can be done before substitutions are known.
func (p *hoconParser) join(parts []*hoconValue, span source.Span) ([]*hoconValue, error) {
	open := func(v *hoconValue) bool { return v.kind == hoconSubst || v.kind == hoconConcat || v.kind == hoconMerge }
	var out []*hoconValue
	for _, right := range parts {
		if len(out) == 0 {
			out = append(out, right)
			continue
		}
		left := out[len(out)-1]
		collected := left.kind == hoconObject || left.kind == hoconList
		var joined *hoconValue
		switch {
		case left.kind == hoconObject && right.kind == hoconObject:
			joined = mergeHOCON(left, right)
			joined.span, joined.line = span, left.line
		case left.kind == hoconList && right.kind == hoconList:
			joined = &hoconValue{kind: hoconList, span: span, line: left.line,
				elems: append(left.elems[:len(left.elems):len(left.elems)], right.elems...)}
		case collected && right.word: // even a word, not only white space
			joined = left
		case open(left) || open(right):
			out = append(out, right)
			continue
		case left.kind != hoconScalar || right.kind != hoconScalar:
			return []*hoconValue{nil}, p.fault(left.line, span, "Cannot concatenate object or list with a non-object-or-list, "+
				left.shown()+" and "+right.shown()+" are not compatible")
		default:
			text := left.text + right.text
			joined = &hoconValue{scalar: value.String(text), text: text, span: span, line: left.line}
		}
		out[len(out)-1] = joined
	}
	return out, nil
}

// shown is a value as the Ruby library shows it in errors: its class there, and JSON.
func (v *hoconValue) shown() string {
	class := "Quoted"
	switch {
	case v.kind == hoconList:
		class = "SimpleConfigList"
	case v.kind == hoconObject:
		class = "SimpleConfigObject"
	case v.kind == hoconSubst:
		class = "ConfigReference"
	case v.kind != hoconScalar:
		class = "ConfigConcatenation"
	case v.word:
		class = "Unquoted"
	default:
		switch v.scalar.(type) {
		case value.Bool:
			class = "ConfigBoolean"
		case value.Undef:
			class = "ConfigNull"
		case value.Float:
			class = "ConfigDouble"
		case value.Int, *value.Opaque:
			class = "ConfigInt"
		}
	}
	return class + "(" + v.json() + ")"
}

func (v *hoconValue) json() string {
	var parts []string
	for _, e := range v.elems {
		parts = append(parts, e.json())
	}
	switch v.kind {
	case hoconList:
		return "[" + strings.Join(parts, ",") + "]"
	case hoconObject:
		for _, k := range v.keys {
			parts = append(parts, value.InspectString(k)+":"+v.fields[k].json())
		}
		return "{" + strings.Join(parts, ",") + "}"
	case hoconSubst:
		maybe := ""
		if v.maybe {
			maybe = "?"
		}
		for _, k := range v.path {
			if k == "" || strings.ContainsFunc(k, func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r) &&
					r != '-' && r != '_'
			}) {
				k = value.InspectString(k)
			}
			parts = append(parts, k)
		}
		return "${" + maybe + strings.Join(parts, ".") + "}"
	case hoconScalar:
		if s, is := v.scalar.(value.String); is {
			return value.InspectString(string(s))
		}
		if value.IsUndef(v.scalar) {
			return "null"
		}
		return value.ToString(v.scalar)
	}
	return strings.Join(parts, "")
}
