package smartfrog

// The codes of the diagnostics. Those of the paper's errors carry its number, and their summaries start with its name
// for the error; TestCodes demands a case in testdata/ for each.
const (
	codeParentBasic     = "S0001" // err1: the parent of a placement is not a component
	codeNoParent        = "S0002" // err2: the parent of a placement does not exist
	codePrototype       = "S0004" // err4: a prototype does not exist or is not a component
	codeLink            = "S0005" // err5: a link finds nothing
	codeNoConfig        = "S0007" // err7: there is no sfConfig component
	codeLinkCycle       = "S0020" // err20: links that lead in a circle
	codeImplicitCycle   = "S0021" // err21: a link to a component that contains the link
	codeForwardLink     = "S0022" // err22: a link finds nothing, under --extended
	codeLinkedPrototype = "S0041" // err41: a prototype, named through a link, contains the component that extends it
	codeProtoCycle      = "S0042" // err42: a prototype contains the component that extends it
	codeExtendedProto   = "S0043" // err43: a prototype does not exist or is not a component, under --extended

	codeSyntax    = "S0101" // parse: a token that does not belong here
	codeLiteral   = "S0102" // parse: a malformed number or string
	codeUnclosed  = "S0103" // parse: a string, comment, block or vector without its end
	codeCharacter = "S0104" // parse: a character that no token starts with
	codeSpelling  = "S0105" // parse: an HP spelling without --extended
	codeNesting   = "S0106" // parse: nesting beyond the limit

	codeIncludeFile    = "S0111" // include: a file that cannot be read
	codeIncludeCycle   = "S0112" // include: files that include each other
	codeIncludeOutside = "S0113" // include: a file outside the directory that may be read

	codeOrderLost     = "S0201" // warning: inherited order wins over the order written
	codeOrderCycle    = "S0202" // order: constraints that contradict each other
	codeOrderNobody   = "S0203" // warning: a constraint names an attribute that is not there
	codeOrderNesting  = "S0204" // order: a constraint between a component and its own part
	codeSelfPrototype = "S0205" // warning: a prototype names the very component that extends it

	codeWork = "S0301" // limit: evaluation takes too many steps
	codeSize = "S0302" // limit: the result is too large or too deep
	codeMany = "S0303" // note: more errors than are worth showing

	codeNoAttribute = "S0401" // explain: there is no such attribute
)
