package lsp

import (
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// A resource type in Ruby may say of its attributes that they are sensitive, as the Resource API lets it: then what
// they are given is meant to be a secret, though code may give it as a plain text.

// rubyType is the resource type that a file in Ruby defines, by where it lies; "" if it does not.
func rubyType(e *entry) string { return inRuby(e, "/lib/puppet/type/") }

// sensitiveAttributes are the attributes of which types in Ruby say so, TYPE::NAME.
func (x *index) sensitiveAttributes() map[string]bool {
	out := map[string]bool{}
	for _, e := range x.entries {
		typ := rubyType(e)
		if typ == "" || !strings.Contains(strings.ToLower(e.file.Text), "sensitive") {
			continue
		}
		code := rubyComment.ReplaceAllString(e.file.Text, "")
		for _, m := range attributeHash.FindAllStringSubmatchIndex(code, -1) {
			if saysSensitive.MatchString(outermost(code[m[1]:])) {
				out[typ+"::"+code[m[2]:m[3]]] = true
			}
		}
	}
	return out
}

var (
	attributeHash = regexp.MustCompile(`\b(\w+)['"]?\s*(?::|=>)\s*\{`)
	saysSensitive = regexp.MustCompile(`\bsensitive['"]?\s*(?::|=>)\s*true\b|` +
		`\btype['"]?\s*(?::|=>)\s*(?:'[^'\n]*\bSensitive\b|"[^"\n]*\bSensitive\b)`)
)

// outermost is what a hash of Ruby's has behind its brace, without the hashes in it.
func outermost(code string) string {
	var out strings.Builder
	depth := 1
	for _, c := range code {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return out.String()
			}
		}
		if depth == 1 {
			out.WriteRune(c)
		}
	}
	return out.String()
}

// handedOn adds the parameters and variables that code hands on to some as they are: what those are meant to be, they
// are.
func (x *index) handedOn(to map[string]bool) {
	for known := -1; len(to) > known; {
		known = len(to)
		for e := range x.andBefore() {
			given := e.givesTo(to)
			if len(given) == 0 {
				continue
			}
			for _, s := range slices.Concat(e.tree.Body.Stmts, eppBody(e.tree)) {
				syntax.Walk(s, func(n syntax.Node) bool {
					if a, is := n.(*syntax.AttrOp); is && given[a.NameAt] {
						if v, is := a.Value.(*syntax.Var); is {
							x.addNamed(to, e, v)
						}
					}
					return true
				})
			}
		}
	}
}

// addNamed adds what a variable is called by everybody.
func (x *index) addNamed(to map[string]bool, e *entry, v *syntax.Var) {
	for _, n := range e.names {
		if !v.Span().Contains(n.Span) || lastPart(n.Name) != lastPart(v.Name) {
			continue
		}
		for _, name := range x.resolve(e, n) {
			if x.sets[name] {
				to[name] = true
			}
		}
	}
}

// setTo are the literals that code sets some variables to.
func (e *entry) setTo(vars map[string]bool, literals func(e *entry, v syntax.Expr)) {
	set := map[source.Span]bool{}
	for _, d := range e.defs {
		if d.Kind == outline.VariableName && !d.Param && vars[d.Name] {
			set[d.Whole] = true
		}
	}
	if len(set) == 0 {
		return
	}
	for _, s := range slices.Concat(e.tree.Body.Stmts, eppBody(e.tree)) {
		syntax.Walk(s, func(n syntax.Node) bool {
			if a, is := n.(*syntax.Assign); is && set[a.Span()] {
				literals(e, a.Right)
			}
			return true
		})
	}
}
