package lint

// What checks ask of a manifest beyond its tokens: which of them declare a resource, which define a class.
// puppet-lint has no tree; it finds these by counting brackets from certain tokens on, and what it finds, right or
// wrong, decides what its checks say. The rules are those of its own index, each told where it is followed.

// A resource is what stands between the colon behind a title and the semicolon or brace that ends the body.
type resource struct {
	colon, end *token
	of         *token   // the word in front of the brace: the resource's type
	params     []*token // the names of attributes
}

// A definition is a class or a defined type.
type definition struct {
	keyword, name, end *token
	inherits           *token // what the class inherits from
	params             []*token
	hasParams          bool // there are parentheses, perhaps with nothing in them
}

// A syntaxError is what puppet-lint cannot make sense of while it looks for resources.
type syntaxError struct{ at *token }

// partners says for every bracket that opens where its partner is, by the rule of puppet-lint's searches: from an
// opening one, other brackets that open are skipped with their partners, and those that close and are not the one
// looked for are passed over. The searches backwards are the mirror image; no check needs them.
func (f *file) partners() []*token {
	if f.partner != nil {
		return f.partner
	}
	f.partner = make([]*token, len(f.tokens))
	for i := len(f.tokens) - 1; i >= 0; i-- {
		closer := none
		switch f.tokens[i].kind {
		case lbrace:
			closer = rbrace
		case lbrack:
			closer = rbrack
		case lparen:
			closer = rparen
		default:
			continue
		}
		for t := f.tokens[i].next; t != nil; t = t.next {
			f.spend(1)
			if t.kind == closer {
				f.partner[i] = t
				break
			}
			if t.is(lbrace, lbrack, lparen) {
				if t = f.partner[t.at]; t == nil {
					break
				}
			}
		}
	}
	return f.partner
}

// after is the next token of one of the kinds behind t, outside of brackets that open behind t.
func (f *file) after(t *token, kinds ...kind) *token {
	partner := f.partners()
	if t == nil {
		return nil
	}
	for t = t.next; t != nil; t = t.next {
		f.spend(1)
		if t.is(kinds...) {
			return t
		}
		if t.is(lbrace, lbrack, lparen) {
			if t = partner[t.at]; t == nil {
				return nil
			}
		}
	}
	return nil
}

// indexResources finds the bodies of resources. A colon begins one, unless a brace follows it (that is a case) or the
// nearest name or type before it is a type (a reference). The first colon that lies within the body before it ends
// the search: what comes behind that is not looked at.
func (f *file) indexResources() []resource {
	if f.resources != nil || len(f.tokens) == 0 {
		return f.resources
	}
	f.resources = []resource{}
	behindType := false // the nearest name or type before is a type
	var brace *token    // the nearest brace before that does not open a selector
	marker := 0
	for _, t := range f.tokens {
		switch t.kind {
		case classRef:
			behindType = true
		case name:
			behindType = false
		case lbrace:
			if !t.prevCode.is(qmark) {
				brace = t
			}
		case colon:
			if t.nextCode == nil || t.nextCode.kind == lbrace || behindType {
				continue
			}
			if t.at < marker {
				return f.resources
			}
			end := f.after(t, semic, rbrace)
			if end == nil || brace == nil {
				panic(&syntaxError{t})
			}
			marker = end.at
			r := resource{colon: t, end: end, of: brace.prevCode}
			for n := f.after(t, name); n != nil && n.at <= end.at; n = f.after(n, name) {
				if n.nextCode.is(farrow) {
					r.params = append(r.params, n)
				}
			}
			f.resources = append(f.resources, r)
		}
	}
	return f.resources
}

// within are the tokens of a resource. Comments are left out where puppet-lint leaves them out.
func (r *resource) within(f *file, visit func(t *token) bool) {
	for i := r.colon.at; i <= r.end.at; i++ {
		f.spend(1)
		if t := f.tokens[i]; !(f.bareResources && t.isComment()) && !visit(t) {
			return
		}
	}
}

func (r *resource) has(f *file, t *token) bool {
	return t != nil && t.at >= r.colon.at && t.at <= r.end.at && !(f.bareResources && t.isComment())
}

// definitions finds classes or defined types by their keyword: from there to the brace that brings the count of open
// braces back to nothing, outside of parentheses.
func (f *file) definitions(keyword kind) []definition {
	var out []definition
	for _, t := range f.tokens {
		if t.kind != keyword || t.nextCode.is(lbrace) {
			continue
		}
		braces, parens := 0, 0
		inParams := false
		var inherits *token
	search:
		for _, u := range f.tokens[t.at+1:] {
			f.spend(1)
			switch u.kind {
			case wordInherits:
				inherits = u.nextCode
			case lparen:
				if parens == 0 {
					inParams = true
				}
				parens++
			case rparen:
				if parens == 1 {
					inParams = false
				}
				parens--
			case lbrace:
				braces++
			case rbrace:
				if braces--; braces == 0 && !inParams {
					d := definition{keyword: t, name: t.nextCode, end: u, inherits: inherits}
					d.findParams(f)
					out = append(out, d)
					break search
				}
			}
		}
	}
	return out
}

// findParams takes what the first parentheses hold, if they come before the first brace.
func (d *definition) findParams(f *file) {
	depth, first := 0, 0
	for _, t := range f.tokens[d.keyword.at : d.end.at+1] {
		switch t.kind {
		case lparen:
			if depth++; depth == 1 {
				first = t.at
			}
		case rparen:
			if depth--; depth == 0 {
				d.params, d.hasParams = f.tokens[first+1:t.at], true
				return
			}
		case lbrace:
			if depth == 0 {
				return
			}
		}
	}
}

func (f *file) classes() []definition {
	if !f.indexed {
		f.indexed = true
		f.classList, f.defineList = f.definitions(wordClass), f.definitions(wordDefine)
		f.both = append(append([]definition{}, f.classList...), f.defineList...)
	}
	return f.classList
}

// classesAndDefines are all classes, then all defined types.
func (f *file) classesAndDefines() []definition {
	f.classes()
	return f.both
}

func (d *definition) word() string {
	if d.keyword.kind == wordClass {
		return "class"
	}
	return "defined type"
}

// titles are the tokens that are taken for titles of resources: what stands before a colon. Of a list of titles there
// are only those behind the last `[` of the whole file.
func (f *file) titles() []*token {
	var out []*token
	lastBracket := -1
	for _, t := range f.tokens {
		if t.kind == lbrack {
			lastBracket = t.at
		}
	}
	for _, t := range f.tokens {
		if t.kind != colon {
			continue
		}
		before := f.tokens[len(f.tokens)-1]
		if t.at > 0 {
			before = t.prev
		}
		if before.kind == rbrack {
			for i := lastBracket + 1; i >= 1 && i <= t.at-2; i++ {
				f.spend(1)
				if f.tokens[i].is(str, name) {
					out = append(out, f.tokens[i])
				}
			}
		} else if t.nextCode != nil && t.nextCode.kind != lbrace {
			out = append(out, before)
		}
	}
	return out
}
