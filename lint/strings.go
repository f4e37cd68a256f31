package lint

import (
	"regexp"
	"strings"
)

// Checks of strings and of the variables in them.

// doubleQuotedStrings finds strings in double quotes that could do with single ones. A run of blanks as long as the
// string is indented counts as the end of a line.
func doubleQuotedStrings(f *file) {
	for _, t := range f.tokens {
		if t.kind != str || strings.ContainsAny(t.value, "'\r\t\n") || f.continued(t) {
			continue
		}
		special := false
		for i := 0; i+1 < len(t.value) && !special; i++ {
			special = t.value[i] == '\\' && strings.IndexByte(`$"'tsn\`, t.value[i+1]) >= 0
		}
		if !special {
			f.warn(t, "double quoted string containing no variables").fix = becomes(t, sstring)
		}
	}
}

func (f *file) continued(t *token) bool {
	run := 0
	for i := 0; i < len(t.value); i++ {
		if run++; t.value[i] != ' ' {
			run = 0
		}
		if run >= t.col {
			return true
		}
	}
	return false
}

// onlyVariableString finds "${var}", also with plain keys behind the variable.
func onlyVariableString(f *file) {
	for _, t := range f.tokens {
		if t.kind != dqpre || t.value != "" || !t.next.is(variable, unencVariable) {
			continue
		}
		i := t.at + 2
		for i < len(f.tokens) && f.tokens[i].kind == lbrack {
			i += 3
		}
		if i >= len(f.tokens) {
			continue
		}
		end := f.tokens[i]
		if end.kind != dqpost || end.value != "" || end.nextCode.is(farrow) {
			continue
		}
		v := t.next
		f.warn(v, "string containing only a variable").fix = func() bool {
			f.remove(t)
			f.remove(end)
			v.kind = variable
			return true
		}
	}
}

var (
	puppetURL   = regexp.MustCompile(`puppet://.*?/(.+)`)
	puppetURLTo = regexp.MustCompile(`(puppet://.*?/)`)
)

func puppetURLWithoutModules(f *file) {
	for _, t := range f.tokens {
		if !t.is(sstring, str, dqpre) || !strings.HasPrefix(t.value, "puppet://") {
			continue
		}
		if m := puppetURL.FindStringSubmatch(t.value); m != nil && strings.HasPrefix(m[1], "modules/") {
			continue
		}
		f.warn(t, "puppet:// URL without modules/ found").fix = func() bool {
			t.value = puppetURLTo.ReplaceAllString(t.value, "${1}modules/")
			return true
		}
	}
}

func quotedBooleans(f *file) {
	for _, t := range f.tokens {
		if t.is(str, sstring) && (t.value == "true" || t.value == "false") {
			f.warn(t, "quoted boolean value found").fix = becomes(t, keywords[t.value])
		}
	}
}

func singleQuoteStringWithVariables(f *file) {
	for _, t := range f.tokens {
		if t.kind != sstring || !strings.Contains(t.value, "${") {
			continue
		}
		if t.prev != nil {
			if before := t.prev.prev.text(); strings.Contains(before, "inline_epp") || strings.Contains(before,
				"inline_template") {
				continue
			}
		}
		f.fail(t, "single quoted string containing a variable found")
	}
}

func variablesNotEnclosed(f *file) {
	for _, t := range f.tokens {
		if t.kind == unencVariable {
			f.warn(t, "variable not enclosed in {}").fix = func() bool { return f.enclose(t) }
		}
	}
}

// enclose puts braces around a variable in a string, and around the brackets behind it.
func (f *file) enclose(t *token) bool {
	t.kind = variable
	if next := t.next; next.is(dqmid, dqpost, heredocMid, heredocPost) && strings.HasPrefix(next.value, "[") {
		i := f.indexOf(next)
		depth, n := 0, 0
		for n < len(next.value) {
			switch next.value[n] {
			case '[':
				depth++
			case ']':
				depth--
			}
			n++
			if depth == 0 && !strings.HasPrefix(next.value[n:], "[") {
				break
			}
		}
		added, ok := f.retokenise(next.value[:n])
		if !ok {
			return false
		}
		for k, u := range added {
			f.insert(i+k, &token{kind: u.kind, value: u.value, raw: u.raw, hasRaw: u.hasRaw})
		}
		next.value = next.value[n:]
	}
	if name, rest, ok := strings.Cut(t.value, "-"); ok {
		t.value = name
		if t.next != nil {
			t.next.value = "-" + rest + t.next.value
		}
	}
	return true
}

// Checks of variables.

var access = regexp.MustCompile(`\[.+?\]`)

// plainName is a variable's name without what stands in brackets behind it.
func plainName(t *token) string {
	if !strings.Contains(t.value, "[") {
		return t.value
	}
	return access.ReplaceAllString(t.value, "")
}

func variableContainsDash(f *file) {
	for _, t := range f.tokens {
		if t.is(variable, unencVariable) && strings.Contains(plainName(t), "-") {
			f.warn(t, "variable contains a dash")
		}
	}
}

func variableIsLowercase(f *file) {
	for _, t := range f.tokens {
		if t.is(variable, unencVariable) && hasUpper(plainName(t)) {
			f.warn(t, "variable contains an uppercase letter")
		}
	}
}

// Vox Pupuli's plugins say the same once more, and more.

func variableContainsUpcase(f *file) {
	for _, t := range f.tokens {
		if t.is(variable, unencVariable) && hasUpper(plainName(t)) {
			f.warn(t, "variable contains a capital letter").fix = func() bool {
				t.value = strings.ToLower(t.value)
				return true
			}
		}
	}
}

var ofModule = regexp.MustCompile(`(?m)^::[a-z0-9_][a-zA-Z0-9_]+::`)

// topscopeVariable is about files that hold a class or a defined type.
func topscopeVariable(f *file) {
	if len(f.classesAndDefines()) == 0 {
		return
	}
	for _, t := range f.tokens {
		if t.kind == variable && strings.HasPrefix(t.value, "::") && ofModule.MatchString(t.value) {
			f.warn(t, "use $"+t.value[2:]+" instead of $"+t.value).fix = func() bool {
				t.value = strings.TrimPrefix(t.value, "::")
				return true
			}
		}
	}
}

func leadingZero(f *file) {
	for _, t := range f.tokens {
		if t.kind == number && len(t.value) > 1 && t.value[0] == '0' && t.value[1] >= '0' && t.value[1] <= '9' {
			f.warn(t, "unquoted number with leading zero").fix = becomes(t, sstring)
		}
	}
}

func versionComparison(f *file) {
	for _, t := range f.tokens {
		if t.kind != variable || !(strings.HasSuffix(t.value, "version") || strings.HasSuffix(t.value, "release")) {
			continue
		}
		op := t.nextCode
		if !op.is(greaterEqual, greaterThan, lessEqual, lessThan) && !(op.is(isEqual, notEqual) && op.nextCode.is(number)) {
			continue
		}
		f.warn(t, "version compared as number").fix = func() bool {
			v := op.nextCode
			i := f.indexOf(t)
			if v == nil || i < 0 {
				return false
			}
			compared := &token{kind: sstring, value: v.value}
			v.kind, v.value = number, "0"
			f.slip(i+1, &token{kind: rparen, value: ")"})
			f.slip(i+1, compared)
			f.slip(i+1, &token{kind: whitespace, value: " "})
			f.slip(i+1, &token{kind: comma, value: ","})
			f.slip(i, &token{kind: lparen, value: "("})
			f.slip(i, &token{kind: name, value: "versioncmp"})
			return true
		}
	}
}

// unquoted finds bare words before a separator: in front of the colons of a case, in front of the arrows of a
// selector. It looks at what stands outside of the inner braces, and from a separator back to the start of the line
// or a brace.
func (f *file) unquoted(opening, separator kind, message string) {
	visit := func(from, to int) {
		for _, t := range f.tokens[from : to+1] {
			f.spend(1)
			if t.kind != separator {
				continue
			}
			for u := t.prev; u != nil && !u.is(newline, lbrace); u = u.prev {
				f.spend(1)
				if u.kind == name || u.kind == classRef && !strings.Contains(u.value, "::") {
					f.warn(u, message).fix = becomes(u, sstring)
				}
			}
		}
	}
	for _, t := range f.tokens {
		if t.kind != opening {
			continue
		}
		depth, start := 0, t.at
	search:
		for _, u := range f.tokens[t.at+1:] {
			f.spend(1)
			switch u.kind {
			case lbrace:
				if depth++; depth == 2 {
					visit(start, u.at)
				}
			case rbrace:
				if depth == 2 {
					start = u.at
				}
				if depth--; depth == 0 {
					visit(start, u.at)
					break search
				}
			}
		}
	}
}

func unquotedStringInCase(f *file) { f.unquoted(wordCase, colon, "unquoted string in case") }

func unquotedStringInSelector(f *file) { f.unquoted(qmark, farrow, "unquoted string in selector") }
