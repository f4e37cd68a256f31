package syntax

import "bunraku/source"

// A rule is one thing that the validator holds against a program. The numbers are for people to cite and never change
// meaning; a retired rule leaves a gap.
type rule uint8

const (
	notTopLevel rule = iota
	notAbsoluteTopLevel
	crossScopeAssignment
	illegalAssignment
	illegalNumericAssignment
	illegalIndexedAssignment
	illegalAssignmentContext
	appendsDeletes
	illegalNumericParameter
	illegalParamName
	illegalVarName
	illegalNumericVarName
	notRvalue
	illegalAttributeAppend
	illegalTypeMapping
	illegalHostnameChars
	illegalHostnameInterpolation
	illegalExpression
	illegalQueryExpression
	notVirtualizeable
	classNotVirtualizable
	unsupportedExpression
	illegalDefinitionName
	illegalDefinitionLocation
	illegalTopConstructLocation
	capturesRestNotLast
	capturesRestNotSupported
	illegalEppParameters
	idemExpressionNotLast
	idemNotAllowedLast
	resourceWithoutTitle
	reservedWord
	futureReservedWord
	reservedTypeName
	reservedParameter
	duplicateParameter
	duplicateKey
	duplicateDefault
	multipleAttributesUnfold
	illegalNodeInheritance
	numericOverflow
	notWhenScripting
	notWhenCompiling
	illegalJSON
	illegalBase64
	illegalPP
	illegalEPP
	variableTrueFalse
	heredocSyntaxPrefix
	nonliteralParameterType
	ruleCount
)

// rules is the one table of the validator: our code, Puppet's issue code, Puppet's severity with its default settings
// (strict=warning), and the rule in a line. Those of variables named true and of prefixes have no issue code: Puppet 7
// stops there with an exception of its own making ("undefined method …"), which refuses the program just the same.
//
// Four issues of Puppet's checker have no rule here because no text can raise them: MISSING_INDEX, ILLEGAL_CLASSREF,
// UNSUPPORTED_OPERATOR and UNSUPPORTED_OPERATOR_IN_CONTEXT guard against trees that programs build. So do the parts of
// ILLEGAL_EXPRESSION about variables, method names and return types.
var rules = [ruleCount]struct {
	code     string
	issue    string
	severity source.Severity
	doc      string
}{
	notTopLevel: {"P1001", "NOT_TOP_LEVEL", source.Error,
		"classes, defines and nodes stand at the top of a file or in a class"},
	notAbsoluteTopLevel: {"P1002", "NOT_ABSOLUTE_TOP_LEVEL", source.Error,
		"functions, plans and type aliases stand at the top of a file only"},
	crossScopeAssignment: {"P1003", "CROSS_SCOPE_ASSIGNMENT", source.Error,
		"a variable of another namespace can not be assigned"},
	illegalAssignment: {"P1004", "ILLEGAL_ASSIGNMENT", source.Error,
		"only a variable, or a list of them, can be assigned"},
	illegalNumericAssignment: {"P1005", "ILLEGAL_NUMERIC_ASSIGNMENT", source.Error,
		"$0, $1, … belong to regular expression matches"},
	illegalIndexedAssignment: {"P1006", "ILLEGAL_INDEXED_ASSIGNMENT", source.Error,
		"an element of an array or hash can not be assigned"},
	illegalAssignmentContext: {"P1007", "ILLEGAL_ASSIGNMENT_CONTEXT", source.Error,
		"a parameter's default can not assign, except within a lambda"},
	appendsDeletes: {"P1008", "APPENDS_DELETES_NO_LONGER_SUPPORTED", source.Error,
		"+= and -= left the language with Puppet 4"},
	illegalNumericParameter: {"P1009", "ILLEGAL_NUMERIC_PARAMETER", source.Error,
		"a parameter's name can not be a number"},
	illegalParamName: {"P1010", "ILLEGAL_PARAM_NAME", source.Error,
		"a parameter's name is one lower-case word"},
	illegalVarName: {"P1011", "ILLEGAL_VAR_NAME", source.Error,
		"a variable's name is made of lower-case words"},
	illegalNumericVarName: {"P1012", "ILLEGAL_NUMERIC_VAR_NAME", source.Error,
		"a variable that starts with a digit is a decimal number"},
	notRvalue: {"P1013", "NOT_RVALUE", source.Error, "collectors and definitions have no value"},
	illegalAttributeAppend: {"P1014", "ILLEGAL_ATTRIBUTE_APPEND", source.Error,
		"+> is for overrides and collectors"},
	illegalTypeMapping: {"P1015", "ILLEGAL_TYPE_MAPPING", source.Error,
		"a Runtime mapping has a type, or a pattern and replacement, on both sides"},
	illegalHostnameChars: {"P1016", "ILLEGAL_HOSTNAME_CHARS", source.Error,
		"a node's name has letters, digits, '_', '-' and '.'"},
	illegalHostnameInterpolation: {"P1017", "ILLEGAL_HOSTNAME_INTERPOLATION", source.Error, "a node's name is fixed text"},
	illegalExpression: {"P1018", "ILLEGAL_EXPRESSION", source.Error,
		"this kind of expression can not stand here"},
	illegalQueryExpression: {"P1019", "ILLEGAL_QUERY_EXPRESSION", source.Error,
		"a collector's query knows ==, !=, and, or"},
	notVirtualizeable: {"P1020", "NOT_VIRTUALIZEABLE", source.Error,
		"defaults and overrides can not be virtual or exported"},
	classNotVirtualizable: {"P1021", "CLASS_NOT_VIRTUALIZABLE", source.Error,
		"a class can not be virtual or exported"},
	unsupportedExpression: {"P1022", "UNSUPPORTED_EXPRESSION", source.Error,
		"the grammar knows this form, the language does not yet"},
	illegalDefinitionName: {"P1023", "ILLEGAL_DEFINITION_NAME", source.Error,
		"the name of a definition has the wrong form"},
	illegalDefinitionLocation: {"P1024", "ILLEGAL_DEFINITION_LOCATION", source.Error,
		"the name of a definition does not fit its file in the module"},
	illegalTopConstructLocation: {"P1025", "ILLEGAL_TOP_CONSTRUCT_LOCATION", source.Error,
		"a module's file holds definitions and nothing else"},
	capturesRestNotLast: {"P1026", "CAPTURES_REST_NOT_LAST", source.Error,
		"only the last parameter of a lambda takes the rest"},
	capturesRestNotSupported: {"P1027", "CAPTURES_REST_NOT_SUPPORTED", source.Error,
		"classes, defines and templates have no *$rest"},
	illegalEppParameters: {"P1028", "ILLEGAL_EPP_PARAMETERS", source.Error,
		"text stands before a template's parameters"},
	idemExpressionNotLast: {"P1029", "IDEM_EXPRESSION_NOT_LAST", source.Error,
		"a value in the middle of a block is lost"},
	idemNotAllowedLast: {"P1030", "IDEM_NOT_ALLOWED_LAST", source.Error,
		"a class, define or node does not end in a value"},
	resourceWithoutTitle: {"P1031", "RESOURCE_WITHOUT_TITLE", source.Error, "a resource has a title"},
	reservedWord:         {"P1032", "RESERVED_WORD", source.Error, "a word that Puppet keeps for itself"},
	futureReservedWord: {"P1033", "FUTURE_RESERVED_WORD", source.Warning,
		"a word that Puppet will keep for itself"},
	reservedTypeName: {"P1034", "RESERVED_TYPE_NAME", source.Error,
		"a definition can not have the name of a data type"},
	reservedParameter: {"P1035", "RESERVED_PARAMETER", source.Error,
		"every class and define has $name and $title already"},
	duplicateParameter: {"P1036", "DUPLICATE_PARAMETER", source.Error, "two parameters of one name"},
	duplicateKey:       {"P1037", "DUPLICATE_KEY", source.Warning, "a hash with the same key twice"},
	duplicateDefault:   {"P1038", "DUPLICATE_DEFAULT", source.Error, "a case or selector with two defaults"},
	multipleAttributesUnfold: {"P1039", "MULTIPLE_ATTRIBUTES_UNFOLD", source.Error,
		"* => can stand once in a resource"},
	illegalNodeInheritance: {"P1040", "ILLEGAL_NODE_INHERITANCE", source.Error,
		"nodes stopped inheriting with Puppet 4"},
	numericOverflow: {"P1041", "NUMERIC_OVERFLOW", source.Error,
		"a whole number that does not fit in 64 bits"},
	notWhenScripting: {"P1042", "EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING", source.Error,
		"catalogs are built in apply blocks only, when running plans"},
	notWhenCompiling: {"P1043", "EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING", source.Error,
		"an apply block can not do this"},
	illegalJSON:         {"P1044", "ILLEGAL_JSON", source.Error, "a heredoc marked json is JSON"},
	illegalBase64:       {"P1045", "ILLEGAL_BASE64", source.Error, "a heredoc marked base64 is Base64"},
	illegalPP:           {"P1046", "ILLEGAL_PP", source.Error, "a heredoc marked pp is Puppet code"},
	illegalEPP:          {"P1047", "ILLEGAL_EPP", source.Error, "a heredoc marked epp is a template"},
	variableTrueFalse:   {"P1048", "", source.Error, "there is no variable of the name true or false"},
	heredocSyntaxPrefix: {"P1049", "", source.Error, "the heredoc syntaxes pp and epp take no prefix"},
	nonliteralParameterType: {"P1050", "ILLEGAL_NONLITERAL_PARAMETER_TYPE", source.Warning,
		"the type of a class's parameter has to be computed (Puppet 8)"},
}
