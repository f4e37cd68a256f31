package syntax

// Codes of what the scanner and the parser report, with Puppet's name for the same trouble.
// The validator's codes, P1001 and up, are in validate_codes.go.
const (
	codeSyntax        = "P0001" // SYNTAX_ERROR
	codeTooDeep       = "P0002" // no counterpart: Puppet runs out of stack
	codeArguments     = "P0003" // a comma-separated list after something that is no statement call
	codeVirtual       = "P0004" // @ or @@ before something that is no resource
	codeShape         = "P0005" // braces after something that is no resource
	codeClassName     = "P0006" // `class` or a quoted string where a name belongs
	codeNoInput       = "P0100" // not readable as text
	codeBOM           = "P0101" // ILLEGAL_BOM
	codeQuote         = "P0102" // UNCLOSED_QUOTE
	codeComment       = "P0103" // UNCLOSED_MLCOMMENT
	codeNumber        = "P0104" // ILLEGAL_NUMBER, INVALID_HEX_NUMBER, INVALID_OCTAL_NUMBER, INVALID_DECIMAL_NUMBER
	codeName          = "P0105" // ILLEGAL_NAME_OR_BARE_WORD, ILLEGAL_FULLY_QUALIFIED_NAME
	codeRef           = "P0106" // ILLEGAL_CLASS_REFERENCE, ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE
	codeRegexp        = "P0107" // RegexpError of Ruby
	codeEscape        = "P0108" // UNRECOGNIZED_ESCAPE (a warning)
	codeUnicode       = "P0109" // ILLEGAL_UNICODE_ESCAPE (a warning, or an error when no such character exists)
	codeHeredoc       = "P0110" // the HEREDOC_… family
	codeEppTag        = "P0111" // EPP_UNBALANCED_TAG, EPP_UNBALANCED_EXPRESSION
	codeEppComment    = "P0112" // EPP_UNBALANCED_COMMENT
	maxSyntaxErrors   = 20      // a file this broken gets no clearer by more
	maxNesting        = 5_000   // brackets within brackets
	maxOperatorChain  = 50_000  // a + b + c + …
	maxFileSize       = 1 << 30 // offsets are 32 bits
	maxHeredocsInLine = 1_000
)
