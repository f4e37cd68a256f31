package smartfrog

import "bunraku/source"

// A kind says what a token is.
type kind uint8

const (
	tokBad      kind = iota // something unreadable, already reported
	tokEOF                  //
	tokIdent                // a name
	tokNumber               // 10, -0x1F, 1.5e3
	tokString               // "text", or ##text# under --extended
	tokTrue                 // true
	tokFalse                // false
	tokNull                 // NULL
	tokData                 // DATA
	tokExtends              // extends
	tokLazy                 // LAZY, only under --extended
	tokTBD                  // TBD, only under --extended
	tokInclude              // #include
	tokSemi                 // ;
	tokComma                // ,
	tokColon                // :
	tokLess                 // <
	tokLBrace               // {
	tokRBrace               // }
	tokLBracket             // [
	tokRBracket             // ]
	tokLVector              // [|, only under --extended
	tokRVector              // |], only under --extended
	tokUnique               // --, only under --extended
)

// name is how messages speak of a token whose text would not do.
func (k kind) name() string {
	switch k {
	case tokEOF:
		return "the end of the file"
	case tokIdent:
		return "a name"
	case tokNumber:
		return "a number"
	case tokString:
		return "a string"
	case tokSemi:
		return "`;`"
	case tokColon:
		return "`:`"
	case tokLBrace:
		return "`{`"
	case tokRBrace:
		return "`}`"
	case tokRBracket:
		return "`]`"
	case tokRVector:
		return "`|]`"
	}
	return "something else"
}

// A token is a kind and its place.
type token struct {
	kind kind
	span source.Span
}

// keyword returns the kind of a reserved word, or tokIdent.
func keyword(word string, extended bool) kind {
	switch word {
	case "true":
		return tokTrue
	case "false":
		return tokFalse
	case "NULL":
		return tokNull
	case "DATA":
		return tokData
	case "extends":
		return tokExtends
	}
	if extended {
		switch word {
		case "LAZY":
			return tokLazy
		case "TBD":
			return tokTBD
		}
	}
	return tokIdent
}
