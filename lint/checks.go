package lint

// A check is one question about a file.
type check struct {
	name   string
	plugin string // that it comes from; "" if puppet-lint itself
	off    bool   // unless it is asked for
	help   string // what to do about it
	run    func(*file)
}

// checks are all there are, in the order in which puppet-lint runs them: its own by directory, then those of the
// plugins, last name first. Mending depends on the order.
var checks = []check{
	{name: "arrow_on_right_operand_line", run: arrowOnRightOperandLine,
		help: "write the arrow in front of the right operand, on its line"},
	{name: "autoloader_layout", run: autoloaderLayout,
		help: "put a::b::c into a/manifests/b/c.pp, and a into a/manifests/init.pp; --relative when the module's directory " +
			"has another name"},
	{name: "class_inherits_from_params_class", off: true, run: classInheritsFromParamsClass,
		help: "keep defaults in the module's Hiera data instead"},
	{name: "code_on_top_scope", off: true, run: codeOnTopScope, help: "move it into a class or a defined type"},
	{name: "inherits_across_namespaces", run: inheritsAcrossNamespaces,
		help: "inherit within the module, and include what comes from others"},
	{name: "names_containing_dash", run: namesContainingDash, help: "use an underscore"},
	{name: "names_containing_uppercase", run: namesContainingUppercase, help: "write the name in lower case"},
	{name: "nested_classes_or_defines", run: nestedClassesOrDefines, help: "give it a file of its own"},
	{name: "parameter_order", run: parameterOrder, help: "list the parameters without a default first"},
	{name: "right_to_left_relationship", run: rightToLeftRelationship, help: "turn it round and write ->"},
	{name: "variable_scope", run: variableScope,
		help: "write $facts['…'] for a fact, or the module's name in front: $module::variable"},
	{name: "slash_comments", run: slashComments, help: "begin the comment with #"},
	{name: "star_comments", run: starComments, help: "begin each line of the comment with #"},
	{name: "case_without_default", run: caseWithoutDefault, help: "add a default, if only one that fails"},
	{name: "selector_inside_resource", run: selectorInsideResource,
		help: "choose the value above, and use the variable here"},
	{name: "documentation", run: documentation, help: "say in a comment right above it what it is for"},
	{name: "unquoted_node_name", run: unquotedNodeName, help: "put the name into single quotes"},
	{name: "duplicate_params", run: duplicateParams, help: "keep one of them: Puppet refuses the manifest"},
	{name: "ensure_first_param", run: ensureFirstParam, help: "move ensure to the top of the attributes"},
	{name: "ensure_not_symlink_target", run: ensureNotSymlinkTarget, help: "write ensure => link and target => '…'"},
	{name: "file_mode", run: fileModes, help: "write four digits, such as '0644'"},
	{name: "unquoted_file_mode", run: unquotedFileMode, help: "put the mode into single quotes"},
	{name: "unquoted_resource_title", run: unquotedResourceTitle, help: "put the title into single quotes"},
	{name: "double_quoted_strings", run: doubleQuotedStrings, help: "use single quotes"},
	{name: "only_variable_string", run: onlyVariableString, help: "write the variable without quotes"},
	{name: "puppet_url_without_modules", run: puppetURLWithoutModules, help: "write puppet:///modules/MODULE/FILE"},
	{name: "quoted_booleans", off: true, run: quotedBooleans, help: "write true or false without quotes"},
	{name: "single_quote_string_with_variables", run: singleQuoteStringWithVariables,
		help: "use double quotes, or nothing will be put in its place"},
	{name: "variables_not_enclosed", run: variablesNotEnclosed, help: "write ${…}"},
	{name: "variable_contains_dash", run: variableContainsDash, help: "use an underscore"},
	{name: "variable_is_lowercase", run: variableIsLowercase, help: "write the name in lower case"},
	{name: "140chars", run: longLines(140), help: "break the line"},
	{name: "2sp_soft_tabs", run: softTabs, help: "indent by two blanks"},
	{name: "80chars", off: true, run: longLines(80), help: "break the line"},
	{name: "arrow_alignment", run: arrowAlignment,
		help: "put the arrows below each other, one blank behind the longest name"},
	{name: "hard_tabs", run: hardTabs, help: "use blanks"},
	{name: "space_before_arrow", run: spaceBeforeArrow, help: "leave one blank before the arrow"},
	{name: "trailing_whitespace", run: trailingWhitespace, help: "remove the blanks at the end of the line"},
	{name: "legacy_facts", run: legacyFacts, help: "read the structured fact; Puppet 8 has no others"},
	{name: "top_scope_facts", run: topScopeFacts,
		help: "write $facts['…']; --top-scope-variables names variables that are no facts"},

	{name: "version_comparison", plugin: "version_comparison-check", run: versionComparison,
		help: "compare with versioncmp(…, '…')"},
	{name: "variable_contains_upcase", plugin: "variable_contains_upcase", run: variableContainsUpcase,
		help: "write the name in lower case"},
	{name: "unquoted_string_in_case", plugin: "unquoted_string-check", run: unquotedStringInCase,
		help: "put the word into single quotes"},
	{name: "unquoted_string_in_selector", plugin: "unquoted_string-check", run: unquotedStringInSelector,
		help: "put the word into single quotes"},
	{name: "trailing_comma", plugin: "trailing_comma-check", run: trailingComma,
		help: "end the last element with a comma, too"},
	{name: "topscope_variable", plugin: "topscope-variable-check", run: topscopeVariable, help: "leave out the first ::"},
	{name: "strict_indent", plugin: "strict_indent-check", run: strictIndent, help: "indent the line as its brackets ask"},
	{name: "resource_reference_chain_without_whitespace", plugin: "resource_reference_syntax",
		run: referenceChainWithoutWhitespace, help: "write the bracket directly behind the type"},
	{name: "resource_reference_with_unquoted_title", plugin: "resource_reference_syntax", run: referenceWithUnquotedTitle,
		help: "put the title into single quotes"},
	{name: "resource_reference_without_title_capital", plugin: "resource_reference_syntax",
		run: referenceWithoutTitleCapital, help: "put the title into single quotes"},
	{name: "resource_reference_without_whitespace", plugin: "resource_reference_syntax", run: referenceWithoutWhitespace,
		help: "write the bracket directly behind the type"},
	{name: "params_not_optional_with_undef", plugin: "params_not_optional_with_undef-check",
		run:  paramsNotOptionalWithUndef,
		help: "make the type Optional[…]"},
	{name: "params_empty_string_assignment", plugin: "params_empty_string-check", run: paramsEmptyStringAssignment,
		help: "make it Optional[String[1]], with undef"},
	{name: "parameter_types", plugin: "param-types", run: parameterTypes, help: "give the parameter a type"},
	{name: "parameter_documentation", plugin: "param-docs", run: parameterDocumentation,
		help: "write a line `# @param NAME …` above, and none for what is not there"},
	{name: "package_ensure", plugin: "package_ensure-check", run: packageEnsure, help: "write installed, or a version"},
	{name: "optional_default", plugin: "optional_default-check", run: optionalDefault,
		help: "give it undef, or take Optional away"},
	{name: "manifest_whitespace_arrows_single_space_after", plugin: "manifest_whitespace-check",
		run:  arrowsSingleSpaceAfter,
		help: "leave one blank behind the arrow"},
	{name: "manifest_whitespace_inherits_name_single_space_before", plugin: "manifest_whitespace-check",
		run: inheritsNameSingleSpaceBefore, help: "leave one blank"},
	{name: "manifest_whitespace_class_name_single_space_before", plugin: "manifest_whitespace-check",
		run: classNameSingleSpaceBefore, help: "leave one blank"},
	{name: "manifest_whitespace_class_name_single_space_after", plugin: "manifest_whitespace-check",
		run: classNameSingleSpaceAfter, help: "leave one blank"},
	{name: "manifest_whitespace_closing_brace_before", plugin: "manifest_whitespace-check", run: closingBraceBefore,
		help: "leave one blank, or begin a line"},
	{name: "manifest_whitespace_closing_brace_after", plugin: "manifest_whitespace-check", run: closingBraceAfter,
		help: "remove the blank, or add one"},
	{name: "manifest_whitespace_closing_bracket_before", plugin: "manifest_whitespace-check", run: closingBracketBefore,
		help: "remove the blank, or begin a line"},
	{name: "manifest_whitespace_closing_bracket_after", plugin: "manifest_whitespace-check", run: closingBracketAfter,
		help: "remove the blank, or add one"},
	{name: "manifest_whitespace_two_empty_lines", plugin: "manifest_whitespace-check", run: twoEmptyLines,
		help: "remove one of the empty lines"},
	{name: "manifest_whitespace_newline_beginning_of_file", plugin: "manifest_whitespace-check",
		run:  newlineBeginningOfFile,
		help: "remove the empty lines at the top"},
	{name: "manifest_whitespace_missing_newline_end_of_file", plugin: "manifest_whitespace-check",
		run: missingNewlineEndOfFile, help: "end the last line"},
	{name: "manifest_whitespace_double_newline_end_of_file", plugin: "manifest_whitespace-check",
		run: doubleNewlineEndOfFile, help: "remove the empty lines at the end"},
	{name: "manifest_whitespace_opening_brace_before", plugin: "manifest_whitespace-check", run: openingBraceBefore,
		help: "leave one blank"},
	{name: "manifest_whitespace_opening_brace_after", plugin: "manifest_whitespace-check", run: openingBraceAfter,
		help: "leave one blank, or begin a line"},
	{name: "manifest_whitespace_opening_bracket_before", plugin: "manifest_whitespace-check", run: openingBracketBefore,
		help: "leave one blank"},
	{name: "manifest_whitespace_opening_bracket_after", plugin: "manifest_whitespace-check", run: openingBracketAfter,
		help: "remove the blank"},
	{name: "lookup_in_parameter", plugin: "lookup_in_parameter-check", run: lookupInParameter,
		help: "let Hiera bind the parameter by its own key"},
	{name: "leading_zero", plugin: "leading_zero-check", run: leadingZero, help: "put the number into single quotes"},
	{name: "file_ensure", plugin: "file_ensure-check", run: fileEnsure, help: "write file, directory or link"},
	{name: "exec_idempotency", plugin: "exec_idempotency-check", run: execIdempotency,
		help: "say when it is to run: onlyif, unless, creates or refreshonly"},
	{name: "anchor_resource", plugin: "anchor-check", run: anchorResource, help: "use contain instead"},
	{name: "relative_classname_inclusion", plugin: "absolute_classname-check", run: relativeClassnameInclusion,
		help: "leave out the first ::"},
	{name: "relative_classname_reference", plugin: "absolute_classname-check", run: relativeClassnameReference,
		help: "leave out the first ::"},
}

// A Check is what there is to say about a check.
type Check struct {
	Name, Plugin, Help string
	Off                bool // unless it is asked for
}

// Checks lists all checks of manifests, in the order in which they run.
func Checks() []Check {
	out := make([]Check, len(checks))
	for i, c := range checks {
		out[i] = Check{Name: c.name, Plugin: c.plugin, Help: c.help, Off: c.off}
	}
	return out
}

// Help is what to do about a finding.
func Help(check string) string {
	for i := range checks {
		if checks[i].name == check {
			return checks[i].help
		}
	}
	if check == "syntax" {
		return "see what bunraku parse says about the file"
	}
	return metadataHelp[check]
}
