package lint

import (
	"strings"
	"unicode/utf8"
)

// A kind is what a token is, in puppet-lint's classes. Its checks speak of these, so they are the same here.
type kind uint8

const (
	none kind = iota
	whitespace
	typeName // Integer, String …; also the word `type`
	classRef
	number
	functionName
	name
	lbrack
	rbrack
	lbrace
	rbrace
	lparen
	rparen
	isEqual
	match
	farrow
	equals
	appends
	parrow
	plus
	greaterEqual
	rshift
	greaterThan
	lessEqual
	llcollect
	outEdge
	outEdgeSub
	lcollect
	lshift
	lessThan
	noMatch
	notEqual
	not
	rrcollect
	rcollect
	inEdge
	inEdgeSub
	minus
	comma
	dot
	colon
	semic
	qmark
	backslash
	times
	modulo
	pipe
	variable
	sstring
	str
	dqpre
	dqmid
	dqpost
	unencVariable
	heredocOpen
	heredoc
	heredocPre
	heredocMid
	heredocPost
	comment
	slashComment
	mlcomment
	regex
	newline
	indent
	div
	at
	// keywords, except `type`, which shares its kind with the names of types
	wordCase
	wordClass
	wordDefault
	wordDefine
	wordImport
	wordIf
	wordElsif
	wordElse
	wordInherits
	wordNode
	wordAnd
	wordOr
	wordUndef
	wordFalse
	wordTrue
	wordIn
	wordUnless
	wordFunction
	wordAttr
	wordPrivate
)

var keywords = map[string]kind{
	"case": wordCase, "class": wordClass, "default": wordDefault, "define": wordDefine, "import": wordImport,
	"if": wordIf, "elsif": wordElsif, "else": wordElse, "inherits": wordInherits, "node": wordNode, "and": wordAnd,
	"or": wordOr, "undef": wordUndef, "false": wordFalse, "true": wordTrue, "in": wordIn, "unless": wordUnless,
	"function": wordFunction, "type": typeName, "attr": wordAttr, "private": wordPrivate,
}

var typeNames = map[string]bool{
	"Any": true, "Array": true, "Binary": true, "Boolean": true, "Callable": true, "CatalogEntry": true, "Class": true,
	"Collection": true, "Data": true, "Default": true, "Enum": true, "Error": true, "Float": true, "Hash": true,
	"Integer": true, "NotUndef": true, "Numeric": true, "Optional": true, "Pattern": true, "Regexp": true,
	"Resource": true, "Runtime": true, "Scalar": true, "Sensitive": true, "String": true, "Struct": true, "Tuple": true,
	"Type": true, "Undef": true, "Variant": true,
}

// A token is a piece of a manifest. Together, in order, tokens make up the whole text.
type token struct {
	kind      kind
	value     string
	raw       string // as written, of kinds whose value is only a part of it
	hasRaw    bool
	line, col int // as puppet-lint counts them
	at        int // its number in the file

	prev, next         *token
	prevCode, nextCode *token // the neighbours that are neither blanks nor comments
}

// is reports whether the token has one of the kinds. No token (nil) has none of them.
func (t *token) is(kinds ...kind) bool {
	if t == nil {
		return false
	}
	for _, k := range kinds {
		if t.kind == k {
			return true
		}
	}
	return false
}

func (k kind) formatting() bool {
	switch k {
	case whitespace, newline, comment, mlcomment, slashComment, indent:
		return true
	}
	return false
}

func (t *token) isComment() bool { return t.is(comment, mlcomment, slashComment) }

func (t *token) isBlank() bool { return t.is(whitespace, indent, newline) }

// text is the token's value; "" of none.
func (t *token) text() string {
	if t == nil {
		return ""
	}
	return t.value
}

// parts are what the token is written as: in front of the text, the text, and behind it. Of a string with
// interpolation, `${` and `}` belong to the pieces of text around the expression; whether they are there is decided
// by the neighbours, so a token that has no right neighbour yet is taken for one that an expression follows.
func (t *token) parts() (before, text, after string) {
	switch t.kind {
	case str:
		return `"`, t.value, `"`
	case sstring:
		return `'`, t.value, `'`
	case dqpre:
		return `"`, t.value, t.opens()
	case dqmid:
		return t.closes(), t.value, t.opens()
	case dqpost:
		return t.closes(), t.value, `"`
	case variable:
		if t.prevCode.is(dqpre, dqmid, heredocPre, heredocMid) {
			if t.hasRaw {
				return "", t.raw, ""
			}
			return "", t.value, ""
		}
		return "$", t.value, ""
	case unencVariable:
		return "$", t.value, ""
	case newline:
		return "", "\n", ""
	case comment:
		return "#", t.value, ""
	case regex:
		return "/", t.value, "/"
	case mlcomment, heredoc:
		return "", t.raw, ""
	case heredocOpen:
		return "@(", t.value, ")"
	case heredocPre:
		return "", t.value, t.opens()
	case heredocMid:
		return t.closes(), t.value, t.opens()
	case heredocPost:
		return t.closes(), t.raw, ""
	}
	return "", t.value, ""
}

func (t *token) opens() string {
	if t.next.is(unencVariable, dqmid, dqpost, heredocMid, heredocPost) {
		return ""
	}
	return "${"
}

func (t *token) closes() string {
	if t.prev.is(unencVariable, dqpre, dqmid, heredocPre, heredocMid) {
		return ""
	}
	return "}"
}

// width is how many characters the token takes as written.
func (t *token) width() int {
	before, text, after := t.parts()
	return len(before) + utf8.RuneCountInString(text) + len(after)
}

// measure tells how many lines a text ends and how many characters its last line has. Lines end with \n, \r or both.
func measure(s string) (ends, last int) {
	start := 0
	for i := strings.IndexAny(s, "\r\n"); i >= 0; {
		if s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n' {
			i++
		}
		ends++
		start = i + 1
		j := strings.IndexAny(s[start:], "\r\n")
		if j < 0 {
			break
		}
		i = start + j
	}
	return ends, utf8.RuneCountInString(s[start:])
}
