package lint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"bunraku/budget"
)

// How puppet-lint splits a manifest into tokens, which is not how Puppet does it. Its findings carry the places that
// its own lexer worked out, and its checks look at its own kinds of token, so a lint that agrees with it has to cut
// where it cuts. What differs from Puppet, and matters:
//
//   - a variable takes what stands in square brackets behind it into its name, up to the first `]` on the line;
//   - a word directly in front of `(` is the name of a function, whatever the word, and `foo->bar` is `foo-` `>` `bar`;
//   - a regular expression is recognised by the token in front of it, and not behind `and`, `=>` or `(…) or`;
//   - what is between `${` and `}` is split on its own and put in between the pieces of the string's text;
//   - a heredoc ends at the first line that ends with its tag, whatever stands before it on the line;
//   - places are counted by writing each token out again, before its right neighbour is known: an empty interpolation
//     shifts the rest of its line, and an empty `//` comment the lines behind it.
//
// Everything is counted in characters. The text must be UTF-8.

// A lexError says that the text is no Puppet code for puppet-lint, at a place as it counts them.
type lexError struct {
	line, col int
	reason    string
}

type lexer struct {
	code      string
	line, col int
	tokens    []*token
	lastCode  *token
	slab      []token
	queue     *[]string // heredocs whose text begins with the next line
	budget    *budget.Budget
}

// maxNesting is how deep strings may stand within the interpolations of strings.
const maxNesting = 50

// tokenise splits a manifest. It panics with a *lexError when it cannot.
func tokenise(code string, b *budget.Budget) []*token {
	return newLexer(code, new([]string), b).run()
}

func newLexer(code string, queue *[]string, b *budget.Budget) *lexer {
	return &lexer{code: code, line: 1, col: 1, queue: queue, budget: b}
}

func (l *lexer) run() []*token {
	l.budget.Enter("strings within strings")
	defer l.budget.Leave()
	l.tokens = make([]*token, 0, len(l.code)/4+8)
	for i := 0; i < len(l.code); {
		i += l.step(i)
	}
	return l.tokens
}

func (l *lexer) fail(reason string) { panic(&lexError{l.line, l.col, reason}) }

// operators in the order in which they are tried: the longer ones first.
var operators = [256][]struct {
	text string
	kind kind
}{
	'[': {{"[", lbrack}}, ']': {{"]", rbrack}}, '{': {{"{", lbrace}}, '}': {{"}", rbrace}},
	'(': {{"(", lparen}}, ')': {{")", rparen}},
	'=': {{"==", isEqual}, {"=~", match}, {"=>", farrow}, {"=", equals}},
	'+': {{"+=", appends}, {"+>", parrow}, {"+", plus}},
	'>': {{">=", greaterEqual}, {">>", rshift}, {">", greaterThan}},
	'<': {{"<=", lessEqual}, {"<<|", llcollect}, {"<-", outEdge}, {"<~", outEdgeSub}, {"<|", lcollect}, {"<<", lshift},
		{"<", lessThan}},
	'!':  {{"!~", noMatch}, {"!=", notEqual}, {"!", not}},
	'|':  {{"|>>", rrcollect}, {"|>", rcollect}, {"|", pipe}},
	'-':  {{"->", inEdge}, {"-", minus}},
	'~':  {{"~>", inEdgeSub}},
	',':  {{",", comma}},
	'.':  {{".", dot}},
	':':  {{":", colon}},
	';':  {{";", semic}},
	'?':  {{"?", qmark}},
	'\\': {{"\\", backslash}},
	'*':  {{"*", times}},
	'%':  {{"%", modulo}},
}

// step makes the token, or the tokens, that begin at i and returns how many bytes they are.
func (l *lexer) step(i int) int {
	rest := l.code[i:]
	l.budget.Spend(1, "reading")
	if n := blanks(rest); n > 0 {
		l.add(whitespace, rest[:n])
		return n
	}
	c := rest[0]
	switch {
	case c >= 'A' && c <= 'Z', c == ':' && strings.HasPrefix(rest, "::") && len(rest) > 2 && rest[2] >= 'A' &&
		rest[2] <= 'Z':
		if n := wordLen(rest); typeNames[rest[:n]] && !wordAt(rest, n) {
			l.add(typeName, rest[:n])
			return n
		}
		n := classRefLen(rest)
		l.add(classRef, rest[:n])
		return n
	case c >= '0' && c <= '9':
		if n := numberLen(rest); n > 0 {
			l.add(number, rest[:n])
			return n
		}
	}
	if n := nameLen(rest); n > 0 {
		word := rest[:n]
		k := name
		if n < len(rest) && rest[n] == '(' {
			k = functionName
		} else if w, ok := keywords[word]; ok {
			k = w
		}
		l.add(k, word)
		return n
	}
	for _, op := range operators[c] {
		if strings.HasPrefix(rest, op.text) {
			l.add(op.kind, op.text)
			return len(op.text)
		}
	}
	switch c {
	case '$':
		n := variableLen(rest)
		if n == 0 {
			break
		}
		n += accessLen(rest[n:])
		t := l.make(variable, rest[1:n])
		t.raw, t.hasRaw = rest[:n], true
		l.put(t)
		return n
	case '\'':
		if !strings.Contains(rest[1:], "'") {
			break
		}
		n := quoted(rest[1:], '\'')
		if n < 0 {
			l.fail("unterminated string")
		}
		l.add(sstring, rest[1:n+1])
		return n + 2
	case '"':
		segments, n, ok := slurpString(rest[1:])
		if !ok {
			l.fail("unterminated string")
		}
		l.strings(segments, str, dqpre, dqmid, dqpost, "")
		return n + 1
	case '@':
		if n := heredocLen(rest); n > 0 {
			*l.queue = append(*l.queue, rest[2:n-1])
			l.add(heredocOpen, rest[2:n-1])
			return n
		}
		l.add(at, "@")
		return 1
	case '#':
		n := lineLen(rest)
		l.add(comment, rest[1:n])
		return n
	case '/':
		return l.slash(rest)
	case '\n', '\r':
		return l.lineEnd(rest)
	}
	l.fail("")
	return 0
}

// slash reads what begins with a slash: a comment, a regular expression, a division.
func (l *lexer) slash(rest string) int {
	switch {
	case strings.HasPrefix(rest, "//"):
		n := lineLen(rest)
		l.add(slashComment, rest[2:n])
		return n
	case strings.HasPrefix(rest, "/*"):
		if n := strings.Index(rest[2:], "*/"); n >= 0 {
			t := l.make(mlcomment, commentText(rest[:n+4]))
			t.raw, t.hasRaw = rest[:n+4], true
			l.put(t)
			return n + 4
		}
	}
	if strings.Contains(rest[1:], "/") && (l.lastCode == nil || l.lastCode.is(wordNode, lbrace, rbrace, match, noMatch,
		comma,
		lbrack, wordIf, wordElsif, lparen, equals)) {
		n := quoted(rest[1:], '/')
		if n < 0 {
			l.fail("unterminated regular expression")
		}
		l.add(regex, rest[1:n+1])
		return n + 2
	}
	l.add(div, "/")
	return 1
}

// lineEnd reads the end of a line, and the blanks or the heredoc behind it.
func (l *lexer) lineEnd(rest string) int {
	n := 1
	if strings.HasPrefix(rest, "\r\n") {
		n = 2
	}
	l.add(newline, rest[:n])
	if len(*l.queue) > 0 {
		tag := (*l.queue)[0]
		*l.queue = (*l.queue)[1:]
		segments, m, ok := slurpHeredoc(rest[n:], tag)
		if !ok {
			l.fail("unterminated heredoc")
		}
		if len(segments) > 0 {
			end := segments[len(segments)-1].text
			l.strings(segments[:len(segments)-1], heredoc, heredocPre, heredocMid, heredocPost, end)
		}
		return n + m
	}
	if m := blanks(rest[n:]); m > 0 {
		l.add(indent, rest[n:n+m])
		n += m
	}
	return n
}

// strings puts the pieces of a string or a heredoc among the tokens. end is what closes a heredoc.
func (l *lexer) strings(segments []segment, whole, pre, mid, post kind, end string) {
	isHeredoc := whole == heredoc
	if len(segments) == 0 {
		return
	}
	piece := func(k kind, text string, closing bool) {
		t := l.make(k, text)
		if isHeredoc && closing {
			t.raw, t.hasRaw = text+end, true
		}
		l.put(t)
	}
	if len(segments) == 1 {
		piece(whole, segments[0].text, true)
		return
	}
	last := len(segments) - 1
	piece(pre, segments[0].text, false)
	for _, s := range segments[1:last] {
		switch s.kind {
		case expression:
			for i, t := range newLexer(s.text, l.queue, l.budget).run() {
				k := t.kind
				if i == 0 && (k == name || k >= wordCase || k == typeName && t.value == "type") {
					k = variable
				}
				u := l.make(k, t.value)
				u.raw, u.hasRaw = t.raw, t.hasRaw
				l.put(u)
			}
		case bareVariable:
			l.add(unencVariable, strings.TrimPrefix(s.text, "$"))
		default:
			piece(mid, s.text, false)
		}
	}
	piece(post, segments[last].text, true)
}

func (l *lexer) add(k kind, value string) { l.put(l.make(k, value)) }

func (l *lexer) make(k kind, value string) *token {
	if len(l.slab) == 0 {
		l.slab = make([]token, 256)
	}
	t := &l.slab[0]
	l.slab = l.slab[1:]
	t.kind, t.value = k, value
	return t
}

// put appends a token and moves the place on by what the token is written as.
func (l *lexer) put(t *token) {
	if t.kind == unencVariable {
		l.col -= 2 // the text before it was counted with a `${` that is not there
	}
	t.line, t.col, t.at = l.line, l.col, len(l.tokens)
	if n := len(l.tokens); n > 0 {
		t.prev = l.tokens[n-1]
		t.prev.next = t
		if !t.kind.formatting() && l.lastCode != nil {
			l.lastCode.nextCode = t
			t.prevCode = l.lastCode
		}
	}
	if !t.kind.formatting() {
		l.lastCode = t
	}
	l.tokens = append(l.tokens, t)
	if t.kind == newline {
		l.line++
		l.col = 1
		return
	}
	before, text, after := t.parts()
	switch ends, last := measure(text); {
	case ends > 0:
		l.line += ends
		l.col = last + len(after) + 1
	case len(before)+len(text)+len(after) == 0:
		l.line-- // what is written as nothing has, for puppet-lint, one line less than one
	default:
		l.col += len(before) + last + len(after)
	}
}

// blanks is how many bytes of blanks a text begins with: those that do not end a line.
func blanks(s string) int {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == ' ', c == '\t', c == '\v', c == '\f':
			i++
		case c < utf8.RuneSelf:
			return i
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if !unicode.Is(unicode.Zs, r) {
				return i
			}
			i += n
		}
	}
	return len(s)
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// wordAt reports whether a character of a word stands at i, also one that is not ASCII: the ends of words are looked
// for among all characters.
func wordAt(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || unicode.Is(unicode.Pc, r)
}

func wordLen(s string) int {
	i := 0
	for i < len(s) && isWord(s[i]) {
		i++
	}
	return i
}

// dashedLen is the length of what [-\w]* matches.
func dashedLen(s string) int {
	i := 0
	for i < len(s) && (isWord(s[i]) || s[i] == '-') {
		i++
	}
	return i
}

func classRefLen(s string) int {
	i := 0
	for {
		j := i
		if strings.HasPrefix(s[j:], "::") {
			j += 2
		}
		if j >= len(s) || s[j] < 'A' || s[j] > 'Z' {
			return i
		}
		i = j + dashedLen(s[j:])
	}
}

func nameLen(s string) int {
	i := 0
	if strings.HasPrefix(s, "::") {
		i = 2
	}
	if i >= len(s) || !(s[i] == '_' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= '0' && s[i] <= '9') {
		return 0
	}
	i += dashedLen(s[i:])
	for strings.HasPrefix(s[i:], "::") && i+2 < len(s) && (s[i+2] >= 'a' && s[i+2] <= 'z' || s[i+2] >= '0' &&
		s[i+2] <= '9') {
		i += 2
		i += dashedLen(s[i:])
	}
	return i
}

// numberLen is the length of the number that a text begins with, if no word goes on behind it.
func numberLen(s string) int {
	digits := func(i int) int {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i
	}
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		i := 2
		for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i]|32 >= 'a' && s[i]|32 <= 'f') {
			i++
		}
		if i > 2 && !wordAt(s, i) {
			return i
		}
	}
	whole := digits(0)
	end := whole
	if end < len(s) && s[end] == '.' {
		if n := digits(end + 1); n > end+1 {
			end = n
		}
	}
	fraction := end
	if end < len(s) && s[end]|32 == 'e' {
		n := end + 1
		if n < len(s) && s[n] == '-' {
			n++
		}
		if m := digits(n); m > n {
			end = m
		}
	}
	for _, n := range []int{end, fraction, whole} {
		if !wordAt(s, n) {
			return n
		}
	}
	return 0
}

// variableLen is the length of `$name` at the beginning of a text, without what stands in brackets behind it; 0 if
// there is none.
func variableLen(s string) int {
	part := func(i int) int { // \w+(-\w+)*
		n := wordLen(s[i:])
		if n == 0 {
			return 0
		}
		for i+n+1 < len(s) && s[i+n] == '-' && isWord(s[i+n+1]) {
			n += 1 + wordLen(s[i+n+1:])
		}
		return n
	}
	if s == "" || s[0] != '$' {
		return 0
	}
	i := 1
	if strings.HasPrefix(s[i:], "::") {
		i += 2
	}
	n := part(i)
	if n == 0 {
		return 0
	}
	for i += n; strings.HasPrefix(s[i:], "::"); i += 2 + n {
		if n = part(i + 2); n == 0 {
			break
		}
	}
	return i
}

// accessLen is the length of the brackets that belong to a variable: each from a `[` to the first `]` on its line
// with at least one character between.
func accessLen(s string) int {
	i := 0
	for i+1 < len(s) && s[i] == '[' && s[i+1] != '\n' {
		_, n := utf8.DecodeRuneInString(s[i+1:])
		from := i + 1 + n
		j := strings.IndexAny(s[from:], "]\n")
		if j < 0 || s[from+j] == '\n' {
			break
		}
		i = from + j + 1
	}
	return i
}

// heredocLen is the length of `@(…)`; 0 if it is none.
func heredocLen(s string) int {
	if !strings.HasPrefix(s, "@(") || len(s) < 4 || s[2] == '\n' {
		return 0
	}
	i := strings.IndexAny(s[3:], ")\n")
	if i < 0 || s[3+i] == '\n' {
		return 0
	}
	return 3 + i + 1
}

// lineLen is the number of bytes before the end of the line.
func lineLen(s string) int {
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		return i
	}
	return len(s)
}

// quoted is the number of bytes before the first quote that is not escaped; -1 if there is none.
func quoted(s string, quote byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote:
			return i
		}
	}
	return -1
}

// commentText is what a comment of several lines says, without its frame of stars.
func commentText(raw string) string {
	s := strings.TrimPrefix(raw[2:], " ")
	if len(raw) == 4 {
		s = ""
	}
	s = strings.TrimSuffix(strings.TrimSuffix(s, "*/"), " ")
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "*"); ok {
			lines[i] = rest
		}
	}
	return strings.Join(lines, "\n")
}
