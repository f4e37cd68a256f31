package lsp

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/outline"
)

// Ruby may ask a scope for its variables in ways that no reader follows: it keeps the scope, takes all variables of it
// in a hash and goes through that, evaluates a text. Then a text of the same file that is the variable's name may name
// it. What is asked for directly, scope['x'] and its like, names what it says.

// asksScope reports whether Ruby that runs in the scope of an owner asks for variables so.
func (at *spot) asksScope(e *entry, owner string) bool {
	switch {
	case path.Ext(e.path) == ".rb":
		return inScopeOfCaller(e) && at.calls(owner, rubyFunction(e))
	case e.tree != nil:
		return asksAnyhow(e) && slices.ContainsFunc(e.names, func(n outline.Name) bool { return n.In == owner })
	}
	return slices.Contains(at.callers[e.template], owner) && asksAnyhow(e)
}

// calls reports whether code of an owner, or a template that it renders, calls a function.
func (x *index) calls(owner, function string) bool {
	return slices.ContainsFunc(x.entries, func(e *entry) bool {
		return slices.ContainsFunc(e.names, func(n outline.Name) bool {
			return n.Kind == outline.FunctionName && n.Name == function && !n.Defines &&
				(n.In == owner || n.In == "" && slices.Contains(x.callers[e.template], owner))
		})
	})
}

// asksAnyhow reports whether a template, or one that stands in code, asks for variables in a way that is not followed.
func asksAnyhow(e *entry) bool {
	if e.tree == nil && (e.template == "" || path.Ext(e.path) == ".epp") || !strings.Contains(e.file.Text, "<%") {
		return false
	}
	for text := e.file.Text; ; {
		_, code, is := strings.Cut(text, "<%")
		if !is {
			return false
		}
		code, text, _ = strings.Cut(code, "%>")
		for _, m := range unfollowed.FindAllStringSubmatch(code, -1) {
			if m[1] == "" && m[2] == "" {
				return true
			}
		}
	}
}

// unfollowed is what asks for variables, with what tells which behind it.
var unfollowed = regexp.MustCompile(`(?:\bscope\s*\.\s*)?\bto_hash\b(\s*\[|\.(?:has_key\?|key\?|fetch|dig|include\?|member\?))?|` +
	`\bscope\b(\s*\[|::|\s*\.\s*(?:lookupvar|setvar|function_\w+|call_function|exist\?|include\?|bound\?|` +
	`has_variable\?|catalog|compiler|environment|known_resource_types|resource|class_\w+|source|tags|all_tags|classes)\b)?|` +
	`\b(?:eval|instance_eval|send|public_send|__send__|instance_variables)\b`)

// inScopeOfCaller reports whether a function in Ruby sees the variables of who calls it, and asks for some: one of the
// old kind, and one that takes the scope.
func inScopeOfCaller(e *entry) bool {
	switch {
	case inRuby(e, "/lib/puppet/parser/functions/") != "":
		return asksAsScope.MatchString(e.file.Text)
	case rubyFunction(e) != "":
		return strings.Contains(e.file.Text, "scope_param")
	}
	return false
}

// asksAsScope is how a function asks that is the scope itself.
var asksAsScope = regexp.MustCompile(`\b(?:lookupvar|to_hash|has_variable\?|scope|eval|send)\b|\bself\s*(?:\[|\.)|` +
	`(?:^|[^.\w])(?:exist|include|bound)\?`)
