package lint

import (
	"regexp"
	"slices"
	"strings"
)

// Checks of classes, defined types and relations between them.

func arrowOnRightOperandLine(f *file) {
	for _, t := range f.tokens {
		if !t.is(inEdge, inEdgeSub) || t.nextCode == nil || t.nextCode.line == t.line {
			continue
		}
		f.warn(t, "arrow should be on the right operand's line").fix = func() bool {
			left, right := t.prevCode, t.nextCode
			f.remove(t)
			i := f.indexOf(right)
			f.insert(i, t)
			f.insert(i+1, &token{kind: whitespace, value: " ", line: right.line, col: 3})
			if left == nil || !left.next.is(whitespace) {
				return true
			}
			if blank := left.next; blank.next.is(newline, whitespace) {
				f.remove(blank)
			}
			return true
		}
	}
}

// autoloaderLayout compares the name of a class with the end of the file's path.
func autoloaderLayout(f *file) {
	for _, d := range f.classesAndDefines() {
		title := d.name.text()
		parts := split(title, "::")
		want := "/" + title + "/manifests/init.pp"
		if len(parts) > 1 {
			want = "/" + parts[0] + "/manifests/" + strings.Join(parts[1:], "/") + ".pp"
		}
		if f.opt.Relative {
			rest := split(strings.TrimPrefix(want, "/"), "/")
			want = strings.Join(rest[min(1, len(rest)):], "/")
		}
		if d.name != nil && !strings.HasSuffix(f.path, want) {
			f.fail(d.name, title+" not in autoload module layout")
		}
	}
}

// split cuts a text like Ruby: empty pieces at the end are dropped.
func split(s, sep string) []string {
	parts := strings.Split(s, sep)
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}

func classInheritsFromParamsClass(f *file) {
	for _, d := range f.classes() {
		if d.inherits != nil && strings.HasSuffix(d.inherits.value, "::params") {
			f.warn(d.inherits, "class inheriting from params class")
		}
	}
}

func codeOnTopScope(f *file) {
	inside := make([]bool, len(f.tokens))
	for _, d := range f.classesAndDefines() {
		for i := d.keyword.at; i <= d.end.at; i++ {
			f.spend(1)
			inside[i] = true
		}
	}
	for i, t := range f.tokens {
		if !inside[i] && !t.kind.formatting() {
			f.warn(t, "code outside of class or define block - "+t.value)
		}
	}
}

func inheritsAcrossNamespaces(f *file) {
	module := func(t *token) string {
		for _, part := range strings.Split(t.text(), "::") {
			if part != "" {
				return part
			}
		}
		return ""
	}
	for _, d := range f.classes() {
		if d.inherits != nil && module(d.inherits) != module(d.name) {
			f.warn(d.inherits, "class inherits across module namespaces")
		}
	}
}

func namesContainingDash(f *file) {
	for _, d := range f.classesAndDefines() {
		if strings.Contains(d.name.text(), "-") {
			f.fail(d.name, d.word()+" name containing a dash")
		}
	}
}

func hasUpper(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 'A' && r <= 'Z' })
}

func namesContainingUppercase(f *file) {
	for _, d := range f.classesAndDefines() {
		if hasUpper(d.name.text()) {
			f.fail(d.name, d.word()+" '"+d.name.value+"' contains illegal uppercase").fix = func() bool {
				d.name.value = strings.ToLower(d.name.value)
				return true
			}
		}
	}
}

func nestedClassesOrDefines(f *file) {
	for _, d := range f.classes() {
		for _, t := range f.tokens[d.keyword.at+1 : d.end.at+1] {
			f.spend(1)
			if !t.is(wordClass, wordDefine) || t.nextCode.is(lbrace) {
				continue
			}
			what := "class"
			if t.kind == wordDefine {
				what = "defined type"
			}
			f.warn(t, what+" defined inside a class")
		}
	}
}

// parameterOrder looks for a parameter without a default behind an equals sign, of whatever parameter.
func parameterOrder(f *file) {
	for _, d := range f.classesAndDefines() {
		parens, data := 0, 0
		optional := false
		for _, t := range d.params {
			switch t.kind {
			case lparen:
				parens++
			case rparen:
				parens = max(parens-1, 0)
			case lbrace, lbrack:
				data++
			case rbrace, rbrack:
				data = max(data-1, 0)
			case equals:
				optional = true
			}
			if parens > 0 || data > 0 || !optional || t.kind != variable ||
				!t.prevCode.is(lparen, comma, typeName, rbrack, classRef) {
				continue
			}
			if t.nextCode == nil || t.nextCode.is(comma, rparen) {
				f.warn(t, "optional parameter listed before required parameter")
			}
		}
	}
}

func rightToLeftRelationship(f *file) {
	for _, t := range f.tokens {
		if t.kind == outEdge {
			f.warn(t, "right-to-left (<-) relationship")
		}
	}
}

// scopeVariables are those that every class has.
var scopeVariables = []string{"name", "title", "module_name", "environment", "clientcert", "clientversion",
	"servername",
	"serverip", "serverversion", "caller_module_name", "alias", "audit", "before", "loglevel", "noop", "notify", "require",
	"schedule", "stage", "subscribe", "tag", "facts", "trusted", "server_facts"}

var (
	accessAtEnd = regexp.MustCompile(`\[.+\]\n?\z`)
	ownFacts    = regexp.MustCompile(`(?m)^(facts|trusted)\[.+\]`)
	onlyDigits  = regexp.MustCompile(`\A[0-9]+\n?\z`)
)

// variableScope looks for variables that nothing in the file has set before: no parameter, no assignment in a class
// (of all those that were looked at so far), no parameter of a lambda. The latter are known in all lines of the
// lambda.
func variableScope(f *file) {
	known := map[string]bool{}
	for _, v := range scopeVariables {
		known[v] = true
	}
	for _, d := range f.classesAndDefines() {
		for _, t := range d.params {
			if t.kind == variable && t.nextCode.is(comma, equals, rparen) {
				known[t.value] = true
			}
		}
		var used []*token
		lambdas := map[int][][]string{}
		var params []string
		inPipe := false
		for _, t := range f.tokens[d.keyword.at : d.end.at+1] {
			f.spend(1)
			switch t.kind {
			case equals:
				f.assigned(t, known)
			case variable:
				if inPipe {
					params = append(params, t.value)
				} else {
					used = append(used, t)
				}
			case pipe:
				if inPipe = !inPipe; inPipe {
					params = nil
				} else if end := f.lambdaEnd(t); end != nil {
					for line := t.line; line <= end.line; line++ {
						f.spend(1)
						lambdas[line] = append(lambdas[line], params)
					}
				}
			}
		}
		for _, t := range used {
			plain := t.value
			if strings.Contains(plain, "[") {
				plain = accessAtEnd.ReplaceAllString(plain, "")
			}
			if known[plain] || strings.Contains(t.value, "::") || onlyDigits.MatchString(t.value) ||
				ownFacts.MatchString(t.value) {
				continue
			}
			f.spend(len(lambdas[t.line]))
			if slices.ContainsFunc(lambdas[t.line], func(p []string) bool { return slices.Contains(p, plain) }) {
				continue
			}
			f.warn(t, "top-scope variable being used without an explicit namespace")
		}
	}
}

// assigned notes the variable, or the list of variables, before an equals sign.
func (f *file) assigned(t *token, known map[string]bool) {
	switch {
	case t.prevCode.is(variable):
		known[t.prevCode.value] = true
	case t.prevCode.is(rbrack):
		depth := 0
		for u := t.prevCode; u != nil; u = u.prevCode {
			f.spend(1)
			switch u.kind {
			case variable:
				known[u.value] = true
			case rbrack:
				depth++
			case lbrack:
				if depth--; depth == 0 {
					return
				}
			case comma:
			default:
				return
			}
		}
	}
}

// lambdaEnd is the brace that brings the count of braces behind a pipe back to nothing.
func (f *file) lambdaEnd(t *token) *token {
	depth := 0
	for _, u := range f.tokens[t.at:] {
		f.spend(1)
		switch u.kind {
		case lbrace:
			depth++
		case rbrace:
			if depth--; depth == 0 {
				return u
			}
		}
	}
	return nil
}

// documentation wants a comment above every class and defined type, with at most one line's end between.
func documentation(f *file) {
	for _, d := range f.classesAndDefines() {
		lines := 0
		t := d.keyword.prev
		for ; t.isBlank(); t = t.prev {
			f.spend(1)
			if t.kind == newline {
				lines++
			}
			if lines > 1 {
				break
			}
		}
		if !t.isComment() {
			f.warn(d.keyword, d.word()+" not documented")
		}
	}
}

func unquotedNodeName(f *file) {
	for _, t := range f.tokens {
		if t.kind != wordNode {
			continue
		}
		end := t
		for end != nil && end.kind != lbrace {
			f.spend(1)
			end = end.next
		}
		if end == nil {
			x := f.fail(t, "Syntax error (try running `puppet parser validate <file>`)")
			x.Check = "syntax"
			continue
		}
		for u := t; u != end; u = u.next {
			if u.kind == name && u.value != "default" {
				f.warn(u, "unquoted node name found").fix = becomes(u, sstring)
			}
		}
	}
}

// becomes mends a problem by writing a token as another kind.
func becomes(t *token, k kind) func() bool {
	return func() bool {
		t.kind = k
		return true
	}
}

func slashComments(f *file) {
	for _, t := range f.tokens {
		if t.kind == slashComment {
			f.warn(t, "// comment found").fix = becomes(t, comment)
		}
	}
}

func starComments(f *file) {
	for _, t := range f.tokens {
		if t.kind != mlcomment {
			continue
		}
		f.warn(t, "/* */ comment found").fix = func() bool {
			var lines []string
			for _, line := range split(strings.TrimFunc(t.value, rubySpace), "\n") {
				lines = append(lines, strings.TrimFunc(line, rubySpace))
			}
			t.kind, t.value = comment, " "
			if len(lines) == 0 {
				return true
			}
			t.value += lines[0]
			i := 1
			if t.next != nil {
				i = f.indexOf(t.next)
			}
			for _, line := range slices.Backward(lines[1:]) {
				f.insert(i, &token{kind: comment, value: " " + line})
				if t.prev != nil {
					f.insert(i, &token{kind: indent, value: t.prev.value})
				}
				f.insert(i, &token{kind: newline, value: "\n"})
			}
			return true
		}
	}
}

// rubySpace is what Ruby's strip takes off.
func rubySpace(r rune) bool { return r == 0 || r == ' ' || r >= '\t' && r <= '\r' }

// caseWithoutDefault looks for `default` between the outermost braces of a case; cases within it are left out.
func caseWithoutDefault(f *file) {
	type span struct{ start, end int }
	var cases []span
	ends := map[int]int{}
	for _, t := range f.tokens {
		if t.kind != wordCase {
			continue
		}
		depth := 0
		for _, u := range f.tokens[t.at+1:] {
			f.spend(1)
			if u.kind == lbrace {
				depth++
			} else if u.kind == rbrace {
				if depth--; depth == 0 {
					cases = append(cases, span{t.at, u.at})
					ends[t.at] = u.at
					break
				}
			}
		}
	}
	for _, c := range cases {
		depth, found := 0, false
		for i := c.start; i <= c.end && !found; i++ {
			f.spend(1)
			if end, ok := ends[i]; ok && i > c.start {
				i = end
				continue
			}
			switch f.tokens[i].kind {
			case lbrace:
				depth++
			case rbrace:
				depth--
			case wordDefault:
				found = depth == 1
			}
		}
		if !found {
			f.warn(f.tokens[c.start], "case statement without a default case")
		}
	}
}
