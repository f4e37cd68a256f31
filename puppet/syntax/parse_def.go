package syntax

import (
	"strings"

	"bunraku/puppet/onigmo"
	"bunraku/source"
)

// className = name | bare-word | reference
func (p *parser) className() (string, source.Span) {
	t := p.tok
	switch t.kind {
	case tName, tWord, tRef:
		p.advance()
		return t.text, t.span()
	case tClass:
		p.fail(codeClassName, t.span(), "'class' keyword not allowed at this location", "")
	case tString:
		p.fail(codeClassName, t.span(), "A quoted string is not valid as a name here", "write the name without quotes")
	default:
		p.unexpected("a name belongs here")
	}
	return "", t.span()
}

// qualify puts the names of the classes around before a name.
func (p *parser) qualify(name string) string {
	if len(p.namespace) == 0 {
		return name // `class ::a` keeps its colons
	}
	return strings.TrimPrefix(strings.Join(p.namespace, "::")+"::"+name, "::")
}

// define = "define" name [ parameters ] body
func (p *parser) define() Expr {
	d := &Define{}
	start := p.tok.start
	p.advance()
	d.Name, d.NameAt = p.className()
	d.Params = p.paramList()
	d.Body = p.body()
	d.Name = p.qualify(d.Name)
	d.Where = p.from(start)
	return p.define1(d)
}

func (p *parser) define1(d Definition) Expr {
	if !p.failed {
		p.out.Defs = append(p.out.Defs, d)
	}
	return d
}

// class = "class" name [ parameters ] [ "inherits" ( name | "default" ) ] body
func (p *parser) class() Expr {
	c := &Class{}
	start := p.tok.start
	p.advance()
	c.Name, c.NameAt = p.className()
	if p.failed {
		return c
	}
	p.namespace = append(p.namespace, c.Name)
	c.Params = p.paramList()
	if p.accept(tInherits) {
		if p.at(tDefault) {
			c.Parent, c.ParentAt = "default", p.tok.span()
			p.advance()
		} else {
			c.Parent, c.ParentAt = p.className()
		}
	}
	c.Body = p.body()
	p.namespace = p.namespace[:len(p.namespace)-1]
	c.Name = p.qualify(c.Name)
	c.Where = p.from(start)
	return p.define1(c)
}

// plan = "plan" name [ parameters ] body
func (p *parser) plan() Expr {
	d := &Plan{}
	start := p.tok.start
	p.advance()
	d.Name, d.NameAt = p.className()
	if p.failed {
		return d
	}
	p.namespace = append(p.namespace, d.Name)
	d.Params = p.paramList()
	d.Body = p.body()
	p.namespace = p.namespace[:len(p.namespace)-1]
	d.Name = p.qualify(d.Name)
	d.Where = p.from(start)
	return p.define1(d)
}

// apply = "apply" "(" arguments [ "," ] ")" body
func (p *parser) apply() Expr {
	a := &Apply{}
	start := p.tok.start
	p.advance()
	p.expect(tParen)
	if p.at(tRParen) {
		p.unexpected("apply needs a target")
	}
	a.Args = p.arguments(true)
	p.expect(tRParen)
	a.Body = p.body()
	a.Where = p.from(start)
	return a
}

// nodeDef = "node" host { "," host } [ "," ] [ "inherits" host ] body
func (p *parser) nodeDef() Expr {
	n := &NodeDef{}
	start := p.tok.start
	p.advance()
	for {
		n.Hosts = append(n.Hosts, p.host())
		if p.failed || !p.accept(tComma) || p.at(tInherits) || p.at(tBrace) {
			break
		}
	}
	if p.accept(tInherits) {
		n.Parent = p.host()
	}
	n.Body = p.body()
	n.Where = p.from(start)
	return p.define1(n)
}

// host = ( name | number ) { "." ( name | number ) } | string | regexp | "default"
func (p *parser) host() Expr {
	t := p.tok
	switch t.kind {
	case tName, tNumber:
		text := t.text
		p.advance()
		for p.accept(tDot) {
			if !p.at(tName) && !p.at(tNumber) {
				p.unexpected("put the host's name in quotes")
				return nil
			}
			text += "." + p.tok.text
			p.advance()
		}
		s := &Str{Value: text, Quote: Host}
		p.number(&s.Lit)
		s.Where = p.from(t.start)
		return s
	case tString, tWord, tDQPre, tHeredoc, tDefault, tRegexp:
		return p.primary()
	}
	p.unexpected("a host's name, a regular expression or `default` belongs here")
	return nil
}

// function = "function" name [ parameters ] [ ">>" type ] body
func (p *parser) function() Expr {
	f := &Function{}
	start := p.tok.start
	p.advance()
	f.Name, f.NameAt = p.className()
	f.Params = p.paramList()
	f.Returns = p.returnType()
	f.Body = p.body()
	f.Where = p.from(start)
	return p.define1(f)
}

// returnType = [ ">>" type [ "[" keys "]" ] ]
func (p *parser) returnType() Expr {
	if !p.accept(tShr) {
		return nil
	}
	return p.paramType()
}

// paramType = type [ "[" keys "]" ]
func (p *parser) paramType() Expr {
	if !p.at(tRef) {
		p.unexpected("a type belongs here")
		return nil
	}
	t := p.ref()
	if !p.at(tBracket) {
		return t
	}
	start := t.Span().Start
	p.advance()
	a := p.accesses.new()
	a.Left = t
	a.Keys = p.accessArgs()
	p.expect(tRBracket)
	a.Where = p.from(start)
	return a
}

// paramList = [ "(" [ parameters [ "," ] ] ")" ]
func (p *parser) paramList() []*Param {
	if !p.at(tParen) && !p.at(tWSParen) {
		return nil
	}
	p.advance()
	if p.accept(tRParen) {
		return nil
	}
	params := p.params(tRParen)
	p.expect(tRParen)
	return params
}

// params = parameter { "," parameter } [ "," ]      parameter = [ type ] [ "*" ] variable [ "=" expression ]
func (p *parser) params(end kind) []*Param {
	mark := len(p.formals)
	for {
		v := p.param()
		if p.failed {
			break
		}
		p.formals = append(p.formals, v)
		if !p.accept(tComma) || p.at(end) {
			break
		}
	}
	list := p.paramLists.copyOf(p.formals[mark:])
	p.formals = p.formals[:mark]
	return list
}

func (p *parser) param() *Param {
	v := p.paramNodes.new()
	start := p.tok.start
	if p.at(tRef) {
		v.Type = p.paramType()
	}
	if p.accept(tTimes) {
		v.Splat = true
	}
	if !p.at(tVariable) {
		p.unexpected("a parameter is written $name")
		return v
	}
	v.Name, v.NameAt = p.tok.text, p.tok.span()
	p.advance()
	if p.accept(tSet) {
		v.Default = p.expression()
	} else if p.at(tArrow) {
		p.unexpected("a parameter gets its default with =")
	}
	v.Where = p.from(start)
	return v
}

// typeDef = "type" type-name "=" ( type hash | type [ "[" keys "]" ] | hash | list )
//
//	| "type" name [ "inherits" name ] "{" … "}" | "type" "(" … a call of the function of that name
func (p *parser) typeDef() Expr {
	word := p.tok
	p.advance()
	if p.at(tParen) {
		n := p.names.new()
		p.number(&n.Lit)
		n.Value, n.Where = "type", word.span()
		return p.call(n, word.start)
	}
	if !p.at(tRef) {
		p.unexpected("a type's name belongs here")
		return nil
	}
	if k := p.peek(); k == tBrace || k == tInherits {
		d := &TypeDef{Name: p.tok.text, NameAt: p.tok.span()}
		p.advance()
		if p.accept(tInherits) {
			d.Parent = p.tok.text
			p.expect(tRef)
		}
		d.Body = p.body()
		d.Where = p.from(word.start)
		return p.define1(d)
	}
	left := p.paramType()
	p.expect(tSet)
	_, mapping := left.(*Access)
	right := p.typeValue(mapping)
	if p.failed {
		return nil
	}
	if mapping {
		m := &TypeMapping{Type: left, X: right}
		m.Where = p.from(word.start)
		return p.define1(m)
	}
	ref := left.(*Ref)
	a := &TypeAlias{Name: ref.Value, NameAt: ref.Where, X: right}
	a.Where = p.from(word.start)
	return p.define1(a)
}

// typeValue reads the right side of a type alias. A hash alone is an object type; `Parent { … }` is one with that
// parent.
func (p *parser) typeValue(mapping bool) Expr {
	objectOf := func(h Expr, at source.Span) Expr {
		r := p.refs.new()
		r.Value, r.Where = "Object", source.Span{Start: at.Start, End: at.Start}
		a := p.accesses.new()
		a.Left, a.Keys, a.Where = r, []Expr{h}, at
		return a
	}
	switch p.tok.kind {
	case tBrace:
		h := p.hash()
		if mapping {
			return h
		}
		return objectOf(h, h.Span())
	case tList, tBracket:
		return p.list()
	case tRef:
		ref := p.ref().(*Ref)
		switch p.tok.kind {
		case tBracket:
			return p.access(ref)
		case tBrace:
			h := p.hash().(*Hash)
			if ref.Value == "Object" || ref.Value == "TypeSet" {
				a := p.accesses.new()
				a.Left, a.Keys, a.Where = ref, []Expr{h}, p.from(ref.Where.Start)
				return a
			}
			key := p.names.new()
			p.number(&key.Lit)
			key.Value, key.Where = "parent", ref.Where
			e := p.entries.new()
			e.Key, e.Value, e.Where = key, ref, ref.Where
			h.Entries = append(h.Entries[:len(h.Entries):len(h.Entries)], e)
			return objectOf(h, p.from(ref.Where.Start))
		}
		return ref
	}
	p.unexpected("a type belongs here")
	return nil
}

// checkRegexp reports what Ruby's Regexp.new would refuse.
func (p *parser) checkRegexp(r *Regexp) {
	if err := onigmo.Check(r.Source); err != nil {
		p.diags = append(p.diags, &source.Diagnostic{Code: codeRegexp, Summary: err.Error(),
			Place: source.Place{File: p.file, Span: r.Where}})
	}
}
