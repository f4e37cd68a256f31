package lint

// Checks of the plugin manifest_whitespace: what may stand before and behind brackets, arrows and names.

func (t *token) singleSpace() bool { return t.is(whitespace) && t.value == " " }

// solidBefore is the nearest token before another that is no blank; a comment is none. solidAfter is the nearest
// behind.
func (f *file) solidBefore(t *token) *token {
	for t = t.prev; t.isBlank(); t = t.prev {
		f.spend(1)
	}
	return t
}

func (f *file) solidAfter(t *token) *token {
	for t = t.next; t.isBlank(); t = t.next {
		f.spend(1)
	}
	return t
}

func space() *token { return &token{kind: whitespace, value: " "} }

func arrowsSingleSpaceAfter(f *file) {
	for _, t := range f.tokens {
		next := t.next
		if t.kind != farrow || next == nil || next.singleSpace() {
			continue
		}
		f.fail(next, "there should be a single space after an arrow").fix = func() bool {
			if next.kind == whitespace {
				next.value = " "
			} else {
				f.insert(f.indexOf(next), space())
			}
			return true
		}
	}
}

// oneSpace mends a problem that is a blank of another width.
func oneSpace(t *token) func() bool {
	return func() bool {
		if t.kind != whitespace {
			return false
		}
		t.value = " "
		return true
	}
}

func inheritsNameSingleSpaceBefore(f *file) {
	for _, t := range f.tokens {
		if t.kind != wordInherits {
			continue
		}
		n := f.after(t, name, functionName)
		if n == nil || n.at == t.at+2 && t.next.singleSpace() {
			continue
		}
		f.fail(t.next, "there should be a single space between the inherits statement and the name").fix = oneSpace(t.next)
	}
}

func classNameSingleSpaceBefore(f *file) {
	for _, d := range f.classesAndDefines() {
		t := d.keyword
		n := f.after(t, name, functionName)
		if n == nil || n.at == t.at+2 && t.next.singleSpace() {
			continue
		}
		f.fail(t.next, "there should be a single space between the class or defined resource statement and the name").fix =
			oneSpace(t.next)
	}
}

func classNameSingleSpaceAfter(f *file) {
	for _, d := range f.classesAndDefines() {
		n := f.after(d.keyword, name, functionName)
		if n == nil {
			continue
		}
		item := f.solidAfter(n)
		if item == nil || n.at == item.at-2 && n.next.singleSpace() {
			continue
		}
		f.fail(n, "there should be a single space between the class or resource name and the next item").fix = func() bool {
			item := f.solidAfter(n)
			for t := n.next; t != item; t = t.next {
				f.remove(t)
			}
			f.insert(f.indexOf(item), space())
			return true
		}
	}
}

func openingBraceBefore(f *file) {
	for _, t := range f.tokens {
		if t.kind != lbrace {
			continue
		}
		before, solid := t.prev, f.solidBefore(t)
		if before == nil || solid == nil || solid.is(comment, colon) || solid.kind == comma && before.is(indent, newline) {
			continue
		}
		if solid.is(lparen, lbrack) && (solid.at == t.at-1 || f.lineBetween(solid, t)) {
			continue
		}
		if solid.kind == lbrace && f.lineBetween(solid, t) {
			continue
		}
		if !solid.is(lparen, lbrack) && solid.at == t.at-2 && before.singleSpace() {
			continue
		}
		f.fail(t, "there should be a single space before an opening brace").fix = func() bool {
			return f.spaceBefore(t, lparen, lbrack)
		}
	}
}

func (f *file) lineBetween(from, to *token) bool {
	for ; from != to; from = from.next {
		if from.kind == newline {
			return true
		}
	}
	return false
}

// spaceBefore leaves one blank before a bracket, or none behind certain tokens.
func (f *file) spaceBefore(t *token, none ...kind) bool {
	solid := f.solidBefore(t)
	for u := t.prev; u != solid; u = u.prev {
		if !u.isBlank() {
			return false
		}
		f.remove(u)
	}
	if !solid.is(none...) {
		f.insert(f.indexOf(t), space())
	}
	return true
}

func openingBraceAfter(f *file) {
	for _, t := range f.tokens {
		next := t.next
		if t.kind != lbrace || next == nil || next.singleSpace() || next.is(rbrace, lbrack, lbrace) {
			continue
		}
		if next.kind == newline {
			if next = next.next; !next.is(newline) {
				continue
			}
		}
		f.fail(next, "there should be a single space or single newline after an opening brace").fix = func() bool {
			switch next.kind {
			case whitespace:
				next.value = " "
			case newline:
				for u := next; u.is(newline); u = u.next {
					f.remove(u)
				}
			default:
				f.insert(f.indexOf(next), space())
			}
			return true
		}
	}
}

func closingBraceBefore(f *file) {
	for _, t := range f.tokens {
		if t.kind != rbrace {
			continue
		}
		before, solid := t.prev, f.solidBefore(t)
		if before == nil || solid == nil || before.kind == lbrace {
			continue
		}
		if solid.kind != lbrace && before.singleSpace() && solid.at == t.at-2 ||
			before.kind == indent && solid.at == t.at-3 || before.kind == newline && solid.at == t.at-2 {
			continue
		}
		first := solid.next
		f.fail(first, "there should be a single space or newline before a closing brace").fix = func() bool {
			u := first
			for u != nil && u.kind != rbrace {
				if u.kind == newline && (u.next.is(rbrace) || u.next.is(indent) && u.next.next.is(rbrace)) {
					break
				}
				f.remove(u)
				u = u.next
			}
			if u.is(rbrace) && !u.prev.is(lbrace, newline, indent) {
				f.insert(f.indexOf(u), space())
			}
			return true
		}
	}
}

// mayFollow are the kinds that stand directly behind a closing bracket.
var mayFollow = []kind{rbrack, rparen, semic, comma, colon, dot, newline, dqmid, dqpost, lbrack, heredocMid,
	heredocPost}

func (f *file) behindClosing(k kind, what string) {
	for _, t := range f.tokens {
		next := t.next
		if t.kind != k || next == nil || next.is(mayFollow...) {
			continue
		}
		if next.kind == whitespace && !f.solidAfter(t).is(mayFollow...) {
			continue
		}
		f.fail(next, "there should be either a bracket, punctuation mark, closing quote or a newline after a closing "+what+
			", or whitespace and none of the aforementioned").fix = func() bool {
			for u := next; u != nil && !u.is(rbrace, rbrack, rparen, comma, newline); u = u.next {
				if u.kind != whitespace {
					return false
				}
				f.remove(u)
			}
			return true
		}
	}
}

func closingBraceAfter(f *file)   { f.behindClosing(rbrace, "brace") }
func closingBracketAfter(f *file) { f.behindClosing(rbrack, "bracket") }

func closingBracketBefore(f *file) {
	for _, t := range f.tokens {
		if t.kind != rbrack || !t.prev.isBlank() {
			continue
		}
		before, solid := t.prev, f.solidBefore(t)
		if solid == nil || before.kind == indent && solid.at == t.at-3 || before.kind == newline && solid.at == t.at-2 {
			continue
		}
		first := solid.next
		f.fail(first, "there should be no whitespace or a single newline before a closing bracket").fix = func() bool {
			if first.kind == whitespace {
				f.remove(first)
				return true
			}
			for u := first.next; u != nil && u.kind != rbrack && !(u.kind == indent && u.next.is(rbrack)); u = u.next {
				f.remove(u)
			}
			return true
		}
	}
}

func openingBracketBefore(f *file) {
	for _, t := range f.tokens {
		if t.kind != lbrack || t.prev == nil || t.prev.is(classRef, variable, name) {
			continue
		}
		before, solid := t.prev, f.solidBefore(t)
		newLine := before.is(indent, newline)
		if solid == nil || solid.kind == comment || newLine && solid.is(semic, comma, colon, name, rbrack, rbrace) {
			continue
		}
		switch {
		case solid.is(rbrack, rbrace, rparen, lparen, lbrack, lbrace, typeName):
			if solid == before || newLine {
				continue
			}
		case solid.is(classRef, variable):
		case solid.at == t.at-2 && before.singleSpace():
			continue
		}
		if solid.kind == lbrace {
			outer := f.solidBefore(solid)
			if outer == nil || outer.is(name, pipe) && solid.at == t.at-2 && before.singleSpace() {
				continue
			}
		}
		f.fail(t, "there should be a single space before an opening bracket").fix = func() bool {
			return f.spaceBefore(t, lparen, lbrack, lbrace)
		}
	}
}

func openingBracketAfter(f *file) {
	for _, t := range f.tokens {
		next := t.next
		if t.kind != lbrack || !next.isBlank() {
			continue
		}
		if next.kind == newline {
			if next = next.next; !next.is(newline) {
				continue
			}
		}
		f.fail(next, "there should be no whitespace or a single newline after an opening bracket").fix = func() bool {
			if next.kind == whitespace {
				f.remove(next)
				return true
			}
			for u := next; u.next.is(newline) || u.next.is(indent) && u.next.next != nil &&
				u.next.next.kind != newline; u = u.next {
				f.remove(u)
			}
			return true
		}
	}
}

// twoEmptyLines looks for the third of three ends of lines with nothing but blanks between.
func twoEmptyLines(f *file) {
	back := func(t *token) *token {
		for t = t.prev; t.is(whitespace, indent); t = t.prev {
			f.spend(1)
		}
		return t
	}
	for _, t := range f.tokens {
		if t.kind != newline {
			continue
		}
		if first := back(t); first.is(newline) && back(first).is(newline) {
			f.fail(t, "there should be no two consecutive empty lines").fix = func() bool {
				f.remove(t)
				return true
			}
		}
	}
}

func newlineBeginningOfFile(f *file) {
	for _, t := range f.tokens {
		if t.kind != newline {
			return
		}
		f.fail(t, "there should not be a newline at the beginning of a manifest").fix = func() bool {
			f.remove(t)
			return true
		}
	}
}

const oneNewline = "there should be a single newline at the end of a manifest"

func missingNewlineEndOfFile(f *file) {
	if len(f.tokens) == 0 {
		return
	}
	if t := f.tokens[len(f.tokens)-1]; t.kind != newline {
		f.fail(t, oneNewline).fix = func() bool {
			i := f.indexOf(t)
			if i < 0 {
				i = -1
			}
			f.slip(i+1, &token{kind: newline, value: "\n"})
			return true
		}
	}
}

func doubleNewlineEndOfFile(f *file) {
	if len(f.tokens) == 0 {
		return
	}
	for t := f.tokens[len(f.tokens)-1]; t.is(newline) && t.prev.is(newline); t = t.prev {
		f.fail(t, oneNewline).fix = func() bool {
			f.drop(t)
			return true
		}
	}
}
