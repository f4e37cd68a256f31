package lsp

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

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
		return slices.ContainsFunc(e.callersOf(function), func(in string) bool {
			return in == owner || in == "" && slices.Contains(x.callers[e.template], owner)
		})
	})
}

// callersOf are the owners of the code in a file that calls a function.
func (e *entry) callersOf(function string) []string {
	e.called.Do(func() {
		for i := range e.names {
			if n := &e.names[i]; n.Kind == outline.FunctionName && !n.Defines {
				if e.called.from == nil {
					e.called.from = map[string][]string{}
				}
				if !slices.Contains(e.called.from[n.Name], n.In) {
					e.called.from[n.Name] = append(e.called.from[n.Name], n.In)
				}
			}
		}
	})
	return e.called.from[function]
}

// A onceIs is something that is found out once about a file.
type onceIs struct {
	once sync.Once
	is   bool
}

func (o *onceIs) of(find func() bool) bool {
	o.once.Do(func() { o.is = find() })
	return o.is
}

// asksAnyhow reports whether a template, or one that stands in code, asks for variables in a way that is not followed.
func asksAnyhow(e *entry) bool { return e.anyhow.of(func() bool { return e.asksAnyhow() }) }

func (e *entry) asksAnyhow() bool {
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

// throughAll refuses to rename a variable if Ruby that sees it goes through all variables by their names.
func (r *renaming) throughAll() error {
	if r.kind != outline.VariableName && r.kind != outline.LocalName {
		return nil
	}
	for _, e := range r.index.entries {
		start, is := goesThrough(e)
		if !is {
			continue
		}
		sees := e.tree != nil && slices.ContainsFunc(e.names, func(n outline.Name) bool { return r.sees(n.In, r.owner) }) ||
			slices.ContainsFunc(r.callers[e.template], func(c string) bool { return r.sees(c, r.owner) }) ||
			slices.ContainsFunc(r.opensTemplates(r.owner), func(n outline.Name) bool { return r.mayRender(n, e) })
		switch {
		case r.kind == outline.LocalName:
			calls, open := r.renderedWithin(r.entry, r.name)
			sees = e == r.entry && r.name.Local > 0 ||
				slices.ContainsFunc(calls, func(n outline.Name) bool { return r.comesTo(n, e.template) }) ||
				slices.ContainsFunc(open, func(n outline.Name) bool { return r.mayRender(n, e) })
		case r.owner == "":
			sees = true
		case path.Ext(e.path) == ".rb":
			sees = slices.ContainsFunc(slices.Sorted(maps.Keys(r.sets)), func(name string) bool {
				class := strings.TrimSuffix(name, "::"+lastPart(name))
				return r.sees(class, r.owner) && r.calls(class, rubyFunction(e))
			})
		}
		if sees {
			return refused("%s:%d goes through all variables, by their names", r.short(e.path), e.file.LineOf(start))
		}
	}
	return nil
}

// goesThrough is where a template, one that stands in code, or a function in Ruby goes through all variables.
func goesThrough(e *entry) (start uint32, is bool) {
	in := func(code string, base int) bool {
		for _, m := range allVariables.FindAllStringSubmatchIndex(code, -1) {
			if m[4] >= 0 { // one of them
				continue
			}
			if m[2] >= 0 && m[6] < 0 { // kept in a variable: what is asked of that?
				kept := regexp.MustCompile(`\b` + code[m[2]:m[3]] + `\b` + askedOfAll)
				if !slices.ContainsFunc(kept.FindAllStringSubmatchIndex(e.file.Text[base+m[1]:], -1), func(k []int) bool {
					return k[2] < 0
				}) {
					continue
				}
			}
			start = uint32(base + m[0])
			return true
		}
		return false
	}
	text := e.file.Text
	if !strings.Contains(text, "to_hash") && !strings.Contains(text, "instance_variables") {
		return 0, false
	}
	if path.Ext(e.path) == ".rb" {
		return start, inScopeOfCaller(e) && in(text, 0)
	}
	if path.Ext(e.path) == ".epp" && !strings.HasPrefix(e.template, outline.InFiles) {
		return 0, false
	}
	for at := 0; ; {
		i := strings.Index(text[at:], "<%")
		if i < 0 {
			return 0, false
		}
		at += i + 2
		end := strings.Index(text[at:], "%>")
		if end < 0 {
			end = len(text) - at
		}
		if in(text[at:at+end], at) {
			return start, true
		}
		at += end
	}
}

// allVariables is how Ruby gets all variables in a hash or a list, with the variable that it keeps them in, what asks
// for one of them, and what follows otherwise.
var allVariables = regexp.MustCompile(`(?:\b(\w+)\s*=\s*)?(?:^|[^.\w]|\b(?:scope|self|closure_scope)\s*\.\s*)` +
	`(?:to_hash\b(?:\s*\([^)]*\))?` + askedOfAll + `|instance_variables\b)(\s*\.)?`)

// askedOfAll is what asks for one of all variables by its name.
const askedOfAll = `(\s*\[|\s*\.\s*(?:keys\s*\.\s*)?(?:has_key\?|key\?|fetch|dig|include\?|member\?))?`

// inScopeOfCaller reports whether a function in Ruby sees the variables of who calls it, and asks for some: one of the
// old kind, and one that takes the scope.
func inScopeOfCaller(e *entry) bool { return e.caller.of(func() bool { return e.inScopeOfCaller() }) }

func (e *entry) inScopeOfCaller() bool {
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
