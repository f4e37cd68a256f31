package datafile

import (
	"strconv"
	"strings"

	"bunraku/source"
)

// hoconParser makes a tree of the tokens first and values of the tree afterwards, as the Ruby library does: what is
// wrong with the form of a text is said before what is wrong with its values.
type hoconParser struct {
	file   *source.File
	text   string
	shift  int // of the text behind a byte order mark
	lexer  hoconLexer
	back   []hoconToken // put back, the last one first
	line   int          // that an error names
	depth  int
	inList int // while values are made: how many lists they stand in
}

// A hoconTree is a value as it is written.
type hoconTree struct {
	kind   hoconKind // hoconScalar (a token), hoconSubst (one too), hoconList, hoconObject, hoconConcat
	token  hoconToken
	span   source.Span
	line   int
	elems  []*hoconTree
	fields []hoconField
}

type hoconField struct {
	path      []string
	span      source.Span // of the key
	line      int
	appending bool
	value     *hoconTree
}

func (p *hoconParser) at(span source.Span) source.Place {
	return source.Place{File: p.file, Span: source.Span{Start: span.Start + uint32(p.shift),
		End: span.End + uint32(p.shift)}}
}

// fail is an error in the text, for which a caller may have a default.
func (p *hoconParser) fail(t hoconToken, text string) error {
	return &source.Diagnostic{Code: "H0111", Summary: "String: " + strconv.Itoa(p.line) + ": " + text,
		Place: p.at(t.span())}
}

// failAt is fail for what is found after the text was parsed.
func (p *hoconParser) failAt(line int, span source.Span, text string) error {
	return &source.Diagnostic{Code: "H0111", Summary: "String: " + strconv.Itoa(line) + ": " + text,
		Place: source.Place{File: p.file, Span: span}}
}

// HOCONFault is the code of an error that the Ruby library does not count among those of the text.
const HOCONFault = "H0112"

// fault is such an error. It names no line if that is 0.
func (p *hoconParser) fault(line int, span source.Span, text string) error {
	if line > 0 {
		text = "String: " + strconv.Itoa(line) + ": " + text
	}
	return &source.Diagnostic{Code: HOCONFault, Summary: text, Place: source.Place{File: p.file, Span: span}}
}

func (t *hoconToken) span() source.Span {
	return source.Span{Start: uint32(t.start), End: uint32(t.end)}
}

// cover is the place in the file from one token to another.
func (p *hoconParser) cover(start, end int) source.Span {
	return source.Span{Start: uint32(start + p.shift), End: uint32(end + p.shift)}
}

func (p *hoconParser) next() hoconToken {
	if n := len(p.back); n > 0 {
		t := p.back[n-1]
		p.back = p.back[:n-1]
		return t
	}
	return p.lexer.next()
}

func (p *hoconParser) putBack(t hoconToken) { p.back = append(p.back, t) }

// nextSolid is the next token that is no white space, line end or comment.
func (p *hoconParser) nextSolid() (hoconToken, error) {
	for {
		t := p.next()
		switch {
		case t.kind == hoconNewline:
			p.line = t.line + 1
		case t.kind == hoconSpace || t.kind == hoconComment || t.blank():
		case t.broken != "":
			return t, p.fault(0, p.cover(t.start, t.end), t.broken)
		default:
			if t.line >= 0 {
				p.line = t.line
			}
			return t, nil
		}
	}
}

// separator moves over line ends and one comma, and reports whether there were any.
func (p *hoconParser) separator() bool {
	seen := false
	for {
		t := p.next()
		switch {
		case t.kind == hoconNewline:
			seen = true
			p.line++
		case t.is(","):
			return true
		case t.kind != hoconSpace && t.kind != hoconComment && !t.blank():
			p.putBack(t)
			return seen
		}
	}
}

const hoconQuoteIt = " to be part of a key or string value, try enclosing the key or value in double quotes"

// advised adds to an error what its token may have been meant for.
func advised(t hoconToken, text string) string {
	if t.kind == hoconEnd {
		return text
	}
	return text + " (if you intended " + t.shown + hoconQuoteIt
}

func (p *hoconParser) document() (*hoconTree, error) {
	t, err := p.nextSolid()
	if err != nil {
		return nil, err
	}
	var root *hoconTree
	if t.is("{") || t.is("[") {
		root, err = p.value(t)
	} else {
		p.putBack(t)
		root, err = p.object(t, false)
	}
	if err != nil {
		return nil, err
	}
	if t, err = p.nextSolid(); err != nil {
		return nil, err
	}
	if t.kind != hoconEnd {
		return nil, p.fail(t, "Document has trailing tokens after first object or array: "+t.shown)
	}
	return root, nil
}

func startsValue(t hoconToken) bool { return t.simple() || t.is("{") || t.is("[") }

// value reads the value that begins with a token.
func (p *hoconParser) value(t hoconToken) (*hoconTree, error) {
	if p.depth++; p.depth > maxHOCONDepth {
		return nil, p.fail(t, "nested too deeply")
	}
	defer func() { p.depth-- }()
	switch {
	case t.simple():
		tree := &hoconTree{token: t, span: p.cover(t.start, t.end), line: t.line}
		if t.kind == hoconRef {
			tree.kind = hoconSubst
		}
		return tree, nil
	case t.is("{"):
		return p.object(t, true)
	case t.is("["):
		return p.list(t)
	}
	return nil, p.fail(t, advised(t, "Expecting a value but got wrong token: "+t.shown))
}

// values reads the values on one line, which are joined; nil if there is none.
func (p *hoconParser) values() (*hoconTree, error) {
	t, err := p.nextSolid()
	if err != nil {
		return nil, err
	}
	var parts []*hoconTree
	var space []hoconToken // behind the last value
	for {
		if t.kind == hoconSpace {
			space = append(space, t)
		} else if startsValue(t) {
			v, err := p.value(t)
			if err != nil {
				return nil, err
			}
			parts, space = append(parts, v), nil
		} else {
			break
		}
		t = p.next()
	}
	p.putBack(t)
	for i := len(space) - 1; i >= 0; i-- {
		p.putBack(space[i])
	}
	switch n := len(parts); n {
	case 0:
		return nil, nil
	case 1:
		return parts[0], nil
	default:
		return &hoconTree{kind: hoconConcat, elems: parts, line: parts[0].line, span: source.Span{Start: parts[0].span.Start,
			End: parts[n-1].span.End}}, nil
	}
}

func (p *hoconParser) object(open hoconToken, braced bool) (*hoconTree, error) {
	tree := &hoconTree{kind: hoconObject, line: p.line}
	for {
		t, err := p.nextSolid()
		if err != nil {
			return nil, err
		}
		if ended, err := p.objectEnds(tree, open, t, braced); ended || err != nil {
			return tree, err
		}
		if t.kind == hoconWord && t.text == "include" {
			err = p.include()
		} else {
			err = p.field(tree, t)
		}
		if err != nil {
			return nil, err
		}
		if p.separator() {
			continue
		}
		if t, err = p.nextSolid(); err != nil {
			return nil, err
		}
		if ended, err := p.objectEnds(tree, open, t, braced); ended || err != nil {
			return tree, err
		}
		return nil, p.fail(t, advised(t, "Expecting close brace } or a comma, got "+t.shown))
	}
}

// objectEnds reports whether a token ends an object: its brace or, where it has none, the end of the text.
func (p *hoconParser) objectEnds(tree *hoconTree, open, t hoconToken, braced bool) (bool, error) {
	switch {
	case t.is("}") && !braced:
		return false, p.fail(t, advised(t, "unbalanced close brace '}' with no open brace"))
	case t.is("}"):
		tree.span = p.cover(open.start, t.end)
		return true, nil
	case t.kind == hoconEnd && !braced:
		p.putBack(t)
		return true, nil
	}
	return false, nil
}

func (p *hoconParser) field(o *hoconTree, t hoconToken) error {
	var key []hoconToken
	first := t
	for ; t.kind == hoconValued || t.kind == hoconWord; t = p.next() {
		key = append(key, t)
	}
	if len(key) == 0 {
		return p.fail(t, "expecting a close brace or a field name here, got "+t.shown)
	}
	p.putBack(t)
	end := key[len(key)-1].end
	f := hoconField{span: p.cover(first.start, end), line: p.line}
	var err error
	if f.path, err = p.path(key, 0, f.span); err != nil {
		return err
	}
	after, err := p.nextSolid()
	switch {
	case err != nil:
		return err
	case after.is("{"):
		f.value, err = p.value(after)
	case after.is(":") || after.is("=") || after.is("+="):
		f.appending = after.is("+=")
		if f.value, err = p.values(); err == nil && f.value == nil {
			var t hoconToken
			if t, err = p.nextSolid(); err == nil {
				f.value, err = p.value(t)
			}
		}
	default:
		return p.fail(after, advised(after, "Key '"+p.text[first.start:end]+"' may not be followed by token: "+after.shown))
	}
	o.fields = append(o.fields, f)
	return err
}

// path makes a path of tokens: it is split at the dots outside of quotes. line is 0 where errors name none.
func (p *hoconParser) path(tokens []hoconToken, line int, span source.Span) ([]string, error) {
	if len(tokens) == 0 {
		return nil, p.fault(line, span, "Expecting a field name or path here, but got nothing")
	}
	path := []string{""}
	mayBeEmpty := []bool{false}
	for _, t := range tokens {
		last := len(path) - 1
		switch {
		case t.kind == hoconSpace:
		case t.quoted:
			path[last] += t.text
			mayBeEmpty[last] = mayBeEmpty[last] || path[last] == ""
		case t.kind == hoconValued || t.kind == hoconWord:
			parts := strings.Split(t.text, ".")
			path[last] += parts[0]
			for _, s := range parts[1:] {
				path, mayBeEmpty = append(path, s), append(mayBeEmpty, false)
			}
		default:
			return nil, p.fault(line, span, "Token not allowed in path expression: "+t.shown+
				" (you can double-quote this token if you really want it here)")
		}
	}
	for i, s := range path {
		if s == "" && !mayBeEmpty[i] {
			return nil,
				p.fault(line, span,
					`path has a leading, trailing, or two adjacent period '.' (use quoted "" empty string if you want an empty element)`)
		}
	}
	return path, nil
}

// include reads what follows the word. Nothing is included: a file that is not there is none to the Ruby library
// either.
func (p *hoconParser) include() error {
	t, err := p.nextSolid()
	switch {
	case err != nil:
		return err
	case t.quoted:
		return nil
	case t.kind != hoconWord:
		return p.fail(t, "include keyword is not followed by a quoted string, but by: "+t.shown)
	case t.text != "url(" && t.text != "file(" && t.text != "classpath(":
		return p.fail(t,
			"expecting include parameter to be quoted filename, file(), classpath(), or url(). No spaces are allowed before "+
				"the open paren. Not expecting: "+t.shown)
	}
	if t, err = p.nextSolid(); err != nil {
		return err
	}
	if !t.quoted {
		return p.fail(t, "expecting a quoted string inside file(), classpath(), or url(), rather than: "+t.shown)
	}
	if t, err = p.nextSolid(); err != nil {
		return err
	}
	if t.kind != hoconWord || t.text != ")" {
		return p.fail(t, "expecting a close parentheses ')' here, not: "+t.shown)
	}
	return nil
}

func (p *hoconParser) list(open hoconToken) (*hoconTree, error) {
	tree := &hoconTree{kind: hoconList, line: p.line}
	for first := true; ; first = false {
		v, err := p.values()
		if err != nil {
			return nil, err
		}
		if v != nil {
			tree.elems = append(tree.elems, v)
		} else {
			t, err := p.nextSolid()
			switch {
			case err != nil:
				return nil, err
			case t.is("]") && first:
				tree.span = p.cover(open.start, t.end)
				return tree, nil
			case t.is("]"): // after a comma
				p.putBack(t)
			case first:
				return nil, p.fail(t, "List should have ] or a first element after the open [, instead had token: "+t.shown+
					" (if you want "+t.shown+" to be part of a string value, then double-quote it)")
			default:
				return nil, p.fail(t, "List should have had new element after a comma, instead had token: "+t.shown+
					" (if you want the comma or "+t.shown+" to be part of a string value, then double-quote it)")
			}
		}
		if p.separator() {
			continue
		}
		t, err := p.nextSolid()
		switch {
		case err != nil:
			return nil, err
		case t.is("]"):
			tree.span = p.cover(open.start, t.end)
			return tree, nil
		}
		return nil, p.fail(t, "List should have ended with ] or had a comma, instead had token: "+t.shown+" (if you want "+
			t.shown+" to be part of a string value, then double-quote it)")
	}
}
