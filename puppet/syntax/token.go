package syntax

import "bunraku/source"

// kind is the kind of a token. The order matters in two places: keywords stand together, and so do binary operators.
type kind uint8

const (
	tEOF   kind = iota
	tFail       // stands in for every further token once a statement has gone wrong
	tOther      // a character that starts no token

	tName    // lower-case name, maybe qualified
	tWord    // bare word that is no name
	tRef     // upper-case name
	tNumber  //
	tString  // complete string, without interpolation
	tDQPre   // "text up to the first interpolation
	tHeredoc // @(…); the text is in scanner.doc
	tRegexp
	tVariable

	tBracket // [ with no blank before it: access, or a list where none can be
	tList    // [ after a blank: always a list
	tRBracket
	tBrace    // {
	tSelBrace // { straight after ?
	tRBrace
	tParen   // (
	tWSParen // ( as the first thing on its line: never a call
	tRParen

	tComma
	tDot
	tColon
	tSemi
	tArrow  // =>
	tPArrow // +>
	tPipe
	tQuestion
	tAt
	tAtAt
	tTilde

	tLCollect  // <|
	tRCollect  // |>
	tLLCollect // <<|
	tRRCollect // |>>

	tSet    // =
	tAppend // +=
	tDelete // -=

	tBefore // ->
	tNotify // ~>
	tAfter  // <-
	tSubscr // <~

	tNot
	tEq
	tNe
	tLt
	tLe
	tGt
	tGe
	tMatch
	tNoMatch
	tPlus
	tMinus
	tTimes
	tDiv
	tMod
	tShl
	tShr

	// keywords
	tAnd
	tCase
	tClass
	tDefault
	tDefine
	tElse
	tElsif
	tIf
	tIn
	tInherits
	tNode
	tOr
	tUndef
	tUnless
	tType
	tAttr
	tFunction
	tPrivate
	tPlan
	tApply
	tTrue
	tFalse

	// templates
	tRenderString
	tRender
	tEppEnd
	tEppEndTrim

	tNothing // no token: look again
)

// keyword reports words of the language; Puppet lets them stand as attribute names.
func (k kind) keyword() bool { return k >= tAnd && k <= tFalse }

// attributeName reports what may stand before => in an attribute list; true and false may not.
func (k kind) attributeName() bool { return k == tName || k >= tAnd && k <= tApply }

// token is one token. Offsets are those of the file, also inside a heredoc.
type token struct {
	kind       kind
	start, end uint32
	text       string // the name, the number, or the value of a string after escapes
}

func (t *token) span() source.Span { return source.Span{Start: t.start, End: t.end} }

// words maps reserved words to their kind by length first; a map is slower here.
func wordKind(s string) kind {
	switch len(s) {
	case 2:
		switch s {
		case "if":
			return tIf
		case "in":
			return tIn
		case "or":
			return tOr
		}
	case 3:
		if s == "and" {
			return tAnd
		}
	case 4:
		switch s {
		case "case":
			return tCase
		case "else":
			return tElse
		case "node":
			return tNode
		case "true":
			return tTrue
		case "type":
			return tType
		case "attr":
			return tAttr
		}
	case 5:
		switch s {
		case "class":
			return tClass
		case "elsif":
			return tElsif
		case "undef":
			return tUndef
		case "false":
			return tFalse
		}
	case 6:
		switch s {
		case "define":
			return tDefine
		case "unless":
			return tUnless
		}
	case 7:
		switch s {
		case "default":
			return tDefault
		case "private":
			return tPrivate
		}
	case 8:
		switch s {
		case "inherits":
			return tInherits
		case "function":
			return tFunction
		}
	}
	return tName
}

// describe names a token for an error message, as Puppet does: its text in quotes.
func (t *token) describe(f *source.File) string {
	switch t.kind {
	case tEOF:
		return "end of input"
	case tString, tDQPre, tRenderString:
		return "'" + t.text + "'"
	case tVariable:
		return "'" + t.text + "'"
	}
	return "'" + f.Slice(t.span()) + "'"
}
