package lint

import (
	"regexp"
	"slices"
	"strings"
)

// Checks of the parameters of classes and defined types, all from Vox Pupuli's plugins.

// A param is a parameter with the tokens of its type and of its default, as far as the plugins make them out.
type param struct {
	t        *token
	of       *definition
	kind     *token // the first token of its type
	fallback *token // the first token of its default
	calls    bool   // the default calls a function
}

// parameters are the variables that begin a parameter: the first, and each that follows a comma outside of the given
// brackets.
func (f *file) parameters(d *definition, braces bool) []*token {
	var out []*token
	skipping, depth := false, 0
	for _, t := range d.params {
		f.spend(1)
		if !skipping {
			if t.kind == variable {
				out = append(out, t)
				skipping, depth = true, 0
			}
			continue
		}
		switch {
		case t.is(lparen, lbrack) || braces && t.kind == lbrace:
			depth++
		case t.is(rparen, rbrack) || braces && t.kind == rbrace:
			depth--
		case t.kind == comma && depth <= 0:
			skipping = false
		}
	}
	return out
}

// typed visits the parameters with their types and defaults.
func (f *file) typed(visit func(p *param)) {
	for _, d := range f.classesAndDefines() {
		for _, t := range f.parameters(&d, false) {
			p := &param{t: t, of: &d, kind: f.typeOf(t)}
			p.fallback, p.calls = f.defaultOf(t)
			visit(p)
		}
	}
}

// typeOf is the first token between the parenthesis or comma before a parameter and the parameter itself.
func (f *file) typeOf(p *token) *token {
	depth := 0
	for t := p.prevCode; t != nil; t = t.prevCode {
		f.spend(1)
		switch t.kind {
		case lbrack:
			depth++
		case lparen:
			if depth++; depth > 0 {
				return firstOf(t.nextCode, p.prevCode)
			}
		case rbrack, rparen:
			depth--
		case comma:
			if depth == 0 {
				return firstOf(t.nextCode, p.prevCode)
			}
		}
	}
	return nil
}

// firstOf is the first of the tokens from first to last; nil if there are none.
func firstOf(first, last *token) *token {
	if first == nil || last == nil || last.at < first.at {
		return nil
	}
	return first
}

// defaultOf is the first token behind the last equals sign before the parameter ends, and whether parentheses or dots
// come behind it.
func (f *file) defaultOf(p *token) (first *token, calls bool) {
	depth := 0
	var last *token
search:
	for t := p.nextCode; t != nil; t = t.next {
		f.spend(1)
		switch t.kind {
		case lparen, lbrack:
			depth++
		case rbrack:
			depth--
		case rparen:
			if depth--; depth < 0 {
				last = t.prevCode
				break search
			}
		case equals:
			first = t.nextCode
		case comma:
			if depth <= 0 {
				last = t.prevCode
				break search
			}
		}
	}
	if first = firstOf(first, last); first == nil {
		return nil, false
	}
	for _, t := range f.tokens[first.at : last.at+1] {
		calls = calls || t.is(dot, lparen)
	}
	return first, calls
}

func optionalDefault(f *file) {
	f.typed(func(p *param) {
		if !p.kind.is(typeName) || p.kind.value != "Optional" {
			return
		}
		if p.fallback != nil && !p.calls && !p.fallback.is(wordUndef, variable) {
			f.warn(p.t, "Optional parameter defaults to something other than undef")
		}
		if p.fallback == nil && p.of.keyword.kind == wordDefine {
			f.warn(p.t, "Optional defined type parameter doesn't have a default")
		}
	})
}

func paramsEmptyStringAssignment(f *file) {
	f.typed(func(p *param) {
		if p.kind.is(typeName) && (strings.HasPrefix(p.kind.value, "String") || strings.HasPrefix(p.kind.value, "Variant")) &&
			p.fallback.is(sstring) && p.fallback.value == "" {
			f.warn(p.t, "class parameter with String type defaults to empty string")
		}
	})
}

func paramsNotOptionalWithUndef(f *file) {
	f.typed(func(p *param) {
		if p.kind.is(typeName) && p.kind.value != "Optional" && p.fallback.is(wordUndef) && !p.calls {
			f.warn(p.t, "Not optional parameter defaults to undef")
		}
	})
}

var upperFirst = regexp.MustCompile(`(?m)^[A-Z]`)

// parameterTypes wants every parameter to begin with a type.
func parameterTypes(f *file) {
	const (
		begin = iota
		inType
		skip
	)
	for _, d := range f.classesAndDefines() {
		state, depth := begin, 0
		parens := 0
		for _, t := range d.params {
			if t.kind.formatting() {
				continue
			}
			switch state {
			case begin:
				parens, depth = 0, 0
				if t.kind == typeName || upperFirst.MatchString(t.value) {
					state = inType
				} else if t.kind == variable {
					f.warn(t, "missing datatype for parameter "+d.name.text()+"::"+t.value)
					state = skip
				}
			case inType:
				if t.kind == variable {
					state = skip
				}
			case skip:
				switch t.kind {
				case lparen:
					parens++
				case rparen:
					parens = max(parens-1, 0)
				case lbrace, lbrack:
					depth++
				case rbrace, rbrack:
					depth = max(depth-1, 0)
				case comma:
					if depth == 0 && parens == 0 {
						state = begin
					}
				}
			}
		}
	}
}

// lookupInParameter looks for lookup between the parentheses of parameters.
func lookupInParameter(f *file) {
	depth := -1
	for _, t := range f.tokens {
		switch {
		case t.is(wordClass, wordDefine):
			if t.nextCode.is(name) && t.nextCode.nextCode.is(lparen) {
				depth = 0
			}
		case t.kind == lparen && depth >= 0:
			depth++
		case t.kind == rparen && depth >= 0:
			if depth--; depth == 0 {
				depth = -1
			}
		case t.kind == functionName && depth >= 0 && t.value == "lookup":
			f.warn(t, "lookup used to set the default value of a parameter")
		}
	}
}

// The ways to document a parameter: RDoc's, Kafo's, and that of Puppet Strings.
var (
	docStyles = []*regexp.Regexp{
		regexp.MustCompile(`\A\s*\[\*([a-zA-Z0-9_]+)\*\]\s*(.*)\z`),
		regexp.MustCompile(`\A\s*\$([a-zA-Z0-9_]+):: +(.*)\z`),
		regexp.MustCompile(`\A\s*@param (?:\[.+\] )?([a-zA-Z0-9_]+)(?: +|$)(.*)\z`),
	}
	apiPrivate = regexp.MustCompile(`\A\s*@api +private\s*$`)
	docLead    = regexp.MustCompile(`\A\s*(@param\s*)?`)
)

// A docComment is a comment that documents a parameter, or says that what follows is private.
type docComment struct {
	t       *token
	about   string
	private bool
}

// docComments finds them in the whole file.
func (f *file) docComments() (out []docComment) {
	for _, t := range f.tokens {
		if t.kind != comment || !strings.ContainsAny(t.value, "@[$") {
			continue
		}
		f.spend(20)
		if apiPrivate.MatchString(t.value) {
			out = append(out, docComment{t: t, private: true})
			continue
		}
		for _, style := range docStyles {
			if m := style.FindStringSubmatch(t.value); m != nil {
				out = append(out, docComment{t: t, about: m[1]})
				break
			}
		}
	}
	return out
}

// A docParam is what comments say about one parameter: the last comment about it, and those before.
type docParam struct {
	name    string
	comment []*token
}

// documented gathers the comments of the file before a definition, from there backwards.
func (f *file) documented(all []docComment, d *definition) (docs []docParam, private bool) {
	at := map[string]int{}
	for _, c := range slices.Backward(all) {
		f.spend(5)
		if c.t.at > d.keyword.at {
			continue
		}
		if c.private {
			private = true
			continue
		}
		about := c.about
		if d.keyword.kind == wordDefine && (about == "name" || about == "title") {
			about = "name/title"
		}
		i, ok := at[about]
		if !ok {
			i = len(docs)
			at[about] = i
			docs = append(docs, docParam{name: about})
		}
		docs[i].comment = append(docs[i].comment, c.t)
	}
	return docs, private
}

func parameterDocumentation(f *file) {
	all := f.docComments()
	for _, d := range f.classesAndDefines() {
		define := d.keyword.kind == wordDefine
		docs, private := f.documented(all, &d)
		params := f.parameters(&d, true)
		owner := " parameter documentation for " + d.name.text() + "::"
		say := func(t *token, message string) {
			f.say(false, t.line, t.col+len([]rune(docLead.FindString(t.value)))+1, message)
		}
		for _, doc := range docs {
			if len(doc.comment) > 1 {
				for _, t := range doc.comment {
					say(t, "Duplicate "+d.word()+owner+doc.name)
				}
			}
			if doc.name == "name/title" && define || slices.ContainsFunc(params,
				func(p *token) bool { return p.value == doc.name }) {
				continue
			}
			f.spend(len(params))
			say(doc.comment[0], "No matching "+d.word()+" parameter for documentation of "+d.name.text()+"::"+doc.name)
		}
		if private {
			continue
		}
		has := map[string]bool{}
		for _, doc := range docs {
			has[doc.name] = true
		}
		for _, p := range params {
			if !has[p.value] {
				f.warn(p, "missing documentation for "+d.word()+" parameter "+d.name.text()+"::"+p.value)
			}
		}
	}
}
