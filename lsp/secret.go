package lsp

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/report/redact"
	"bunraku/source"
)

// What is shown of code is shown without what the code makes Sensitive. What compiles have found to be Sensitive is
// hidden in every message (redact); code that no compile came by has secrets, too.

// written is a part of a file's text without what the code itself makes Sensitive, which no compile may have come by.
func (x *index) written(e *entry, span source.Span) string {
	var out strings.Builder
	from := span.Start
	for _, s := range x.sensitive(e) {
		if s.Start < from || s.Start >= span.End {
			continue
		}
		out.WriteString(e.file.Slice(source.Span{Start: from, End: s.Start}))
		out.WriteString(redact.Blot)
		from = min(s.End, span.End)
	}
	out.WriteString(e.file.Slice(source.Span{Start: from, End: span.End}))
	return out.String()
}

// sensitive is where literals stand that the code makes Sensitive, or something of: Sensitive('…'), and
// Sensitive.new($x ? { 1 => '…' }) at any depth; also by way of a variable of the file, which is set to the literal,
// has it by default, or goes through it in a block; or of what a function, a define or a template of the folder makes
// Sensitive that it is given to. What names something there, such as a key that is looked up, does not.
func (x *index) sensitive(e *entry) []source.Span {
	return e.hiddenBy(x.secretly().wraps)
}

// hiddenBy is the same with what is known of the others.
func (e *entry) hiddenBy(by *wraps) []source.Span {
	e.looking.Lock()
	defer e.looking.Unlock()
	if !e.looked || e.lookedBy != by {
		e.looked, e.lookedBy = true, by
		e.hidden = e.hiding(by).hidden
	}
	return e.hidden
}

// A hiding finds what sensitive tells.
type hiding struct {
	*entry
	wraps  *wraps
	named  map[source.Span]bool    // where names stand
	given  map[source.Span]bool    // and those of what is given to something that makes it Sensitive
	vars   map[string]bool         // variables that something Sensitive is made of
	typed  map[string]bool         // variables that have a type which is
	calls  map[string]bool         // functions of whose results something is
	keys   map[string]bool         // of Hiera's, of whose data something is
	inline map[source.Span]*hiding // of templates that stand in a text, by where
	hidden []source.Span
}

func (e *entry) hiding(by *wraps) *hiding {
	h := &hiding{entry: e, wraps: by, named: map[source.Span]bool{}, given: map[source.Span]bool{},
		vars: map[string]bool{}, typed: map[string]bool{}, calls: map[string]bool{}, keys: map[string]bool{},
		inline: map[source.Span]*hiding{}}
	if !by.concern(e) {
		return h
	}
	for i := range e.names {
		n := &e.names[i]
		h.named[n.Span] = true
		if by.given(n) {
			h.given[n.Span] = true
		}
	}
	for _, d := range e.defs {
		if d.Kind == outline.VariableName && by.vars[d.Name] {
			h.vars[lastPart(d.Name)] = true
		}
	}
	for _, n := range e.open {
		if by.takesSecrets(n) {
			h.splat(n.Span)
		}
	}
	for known := -1; len(h.vars)+len(h.typed)+len(h.given) > known; {
		known = len(h.vars) + len(h.typed) + len(h.given)
		h.hidden = nil
		if e.tree.Epp != nil {
			for _, p := range e.tree.Epp.Params {
				syntax.Walk(p, h.node)
			}
		}
		for _, x := range slices.Concat(e.tree.Body.Stmts, eppBody(e.tree)) {
			syntax.Walk(x, h.node)
		}
	}
	slices.SortFunc(h.hidden, func(a, b source.Span) int { return int(a.Start) - int(b.Start) })
	h.hidden = slices.Compact(h.hidden)
	return h
}

// splat notes the variables of a hash of attributes.
func (h *hiding) splat(at source.Span) {
	for _, x := range slices.Concat(h.tree.Body.Stmts, eppBody(h.tree)) {
		syntax.Walk(x, func(n syntax.Node) bool {
			if v, is := n.(*syntax.Var); is && at.Contains(v.Span()) {
				h.vars[v.Name] = true
			}
			return true
		})
	}
}

// node looks at a node of the file.
func (h *hiding) node(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Function:
		if h.wraps.results[outline.Class(n.Name)] {
			h.result(n.Body)
		}
	case *syntax.Call:
		h.made(n.Functor, n.Args, n.Lambda)
		h.called(n.Functor, n.Args, n.Lambda)
		h.block(n.Lambda, n.Args)
	case *syntax.MethodCall:
		if n.Functor.Name.Value == "new" {
			h.called(n.Functor.Left, n.Args, nil)
		}
		h.made(n.Functor.Left, n.Args, n.Lambda)
		h.called(n.Functor.Name, append([]syntax.Expr{n.Functor.Left}, n.Args...), n.Lambda)
		h.block(n.Lambda, append([]syntax.Expr{n.Functor.Left}, n.Args...))
	case *syntax.Assign:
		h.typedBy(n.Left, n.Right)
		hot := false
		syntax.Walk(n.Left, func(l syntax.Node) bool {
			v, is := l.(*syntax.Var)
			hot = hot || is && h.vars[v.Name]
			return true
		})
		if hot {
			syntax.Walk(n.Right, h.literal)
		}
	case *syntax.Param:
		if n.Default != nil && (h.vars[n.Name] || h.says(n.Type)) {
			syntax.Walk(n.Default, h.literal)
		}
		if n.Default != nil {
			h.typedBy(&syntax.Var{Name: n.Name}, n.Default)
		}
	case *syntax.AttrOp:
		if h.given[n.NameAt] {
			syntax.Walk(n.Value, h.literal)
		}
	case *syntax.Hash:
		for _, kid := range n.Entries {
			key := kid.Key.Span()
			if h.given[key] || key.Len() > 2 && h.given[source.Span{Start: key.Start + 1, End: key.End - 1}] {
				syntax.Walk(kid.Value, h.literal)
			}
		}
	}
	return true
}

// says reports whether a type has Sensitive in it.
func (h *hiding) says(typ syntax.Expr) bool { return typ != nil && h.wraps.types.in(h.entry, typ) }

// result hides what a function gives.
func (h *hiding) result(b syntax.Body) {
	if len(b.Stmts) == 0 {
		return
	}
	syntax.Walk(b.Stmts[len(b.Stmts)-1], h.literal)
	for _, x := range b.Stmts {
		syntax.Walk(x, func(n syntax.Node) bool {
			if function, args, _ := call(n); function == "return" && len(args) > 0 {
				syntax.Walk(args[0], h.literal)
			}
			return true
		})
	}
}

// called hides what is given to a function that makes something Sensitive of it, whichever way that is called:
// f('…'), call('f', '…'), Deferred('f', ['…']).
func (h *hiding) called(function syntax.Expr, args []syntax.Expr, block *syntax.Lambda) {
	switch name := h.file.Slice(function.Span()); {
	case name == "call" && len(args) > 0:
		h.called(args[0], args[1:], block)
		return
	case name == "Deferred" && len(args) > 1:
		if list, is := args[1].(*syntax.List); is {
			h.called(args[0], list.Elems, nil)
		}
		return
	}
	for _, name := range syntax.StaticNames(function) {
		switch {
		case len(args) == 0:
		case name == "new": // new(Sensitive, '…')
			h.made(args[0], args[1:], block)
			fallthrough
		case name == "convert_to": // '…'.convert_to(Sensitive)
			for _, a := range args[1:] {
				h.made(a, args[:1], nil)
			}
		case name == "inline_epp", name == "stdlib::deferrable_epp":
			h.rendered(args[0])
		}
		if w := h.wraps.functions[outline.Class(name)]; w != nil {
			for i, a := range args {
				if w.of(i) {
					syntax.Walk(a, h.literal)
				}
			}
		}
	}
}

// rendered looks into a template that is given as a text, for what that makes Sensitive of what it is given.
func (h *hiding) rendered(template syntax.Expr) {
	if v, is := template.(*syntax.Var); is { // set in this file
		for _, x := range slices.Concat(h.tree.Body.Stmts, eppBody(h.tree)) {
			syntax.Walk(x, func(n syntax.Node) bool {
				if a, is := n.(*syntax.Assign); is {
					if to, is := a.Left.(*syntax.Var); is && to.Name == v.Name && a.Right != template {
						if _, again := a.Right.(*syntax.Var); !again {
							h.rendered(a.Right)
						}
					}
				}
				return true
			})
		}
		return
	}
	at := template.Span()
	if doc, is := template.(*syntax.Heredoc); is {
		template, at = doc.X, doc.Lines
	}
	text, is := template.(*syntax.Str)
	if !is || !strings.Contains(text.Value, "<%") {
		return
	}
	in := h.inline[at]
	if in == nil {
		e := &entry{path: h.path, secretive: strings.Contains(text.Value, "Sensitive")}
		e.tree, _ = syntax.ParseEPP(source.NewFile(h.file.Name, text.Value), syntax.Options{})
		if e.tree == nil {
			return
		}
		e.file, e.names = e.tree.Source, outline.Names(e.tree, func(string) outline.Effect { return 0 })
		in = e.hiding(h.wraps)
		h.inline[at] = in
	}
	if len(in.hidden) > 0 {
		h.hidden = append(h.hidden, at)
	}
	params := in.templateParams()
	for i := range h.names {
		n := &h.names[i]
		local := n.Kind == outline.LocalName && n.Param && at.Start <= n.Local && n.Local < at.End
		if local && params[n.Name] && !at.Contains(n.Span) {
			h.given[n.Span] = true
		}
	}
}

// typedBy notes the variables that are set to something which has a type in it that is Sensitive.
func (h *hiding) typedBy(to syntax.Node, from ...syntax.Expr) {
	has := false
	for _, x := range from {
		syntax.Walk(x, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Call, *syntax.MethodCall: // what these give is mostly no type
				return false
			case *syntax.Var:
				has = has || h.typed[n.Name]
			case *syntax.Ref:
				has = has || h.wraps.types[outline.Class(h.file.Slice(n.Span()))]
			}
			return !has
		})
	}
	if !has {
		return
	}
	syntax.Walk(to, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Var:
			h.typed[n.Name] = true
		case *syntax.Param:
			h.typed[n.Name] = true
		}
		return true
	})
}

// block hides what a block goes through that makes something Sensitive of it.
func (h *hiding) block(block *syntax.Lambda, over []syntax.Expr) {
	if block != nil {
		for _, p := range block.Params {
			h.typedBy(p, over...)
		}
	}
	if block != nil && slices.ContainsFunc(block.Params, func(p *syntax.Param) bool { return h.vars[p.Name] }) {
		for _, x := range over {
			syntax.Walk(x, h.literal)
		}
	}
}

// made hides what is given to a type that has Sensitive in it: Sensitive('…'), Optional[Sensitive[String]].new('…');
// also by way of a variable of the file.
func (h *hiding) made(typ syntax.Expr, args []syntax.Expr, block *syntax.Lambda) {
	switch typ := typ.(type) {
	case *syntax.Ref, *syntax.Access:
		if !h.says(typ) {
			return
		}
	case *syntax.Var:
		if !h.typed[typ.Name] {
			return
		}
	default:
		return
	}
	for _, a := range args {
		syntax.Walk(a, h.literal)
	}
	if block != nil {
		syntax.Walk(block, h.literal)
	}
}

// literal hides a literal, and notes the variables that stand beside it.
func (h *hiding) literal(n syntax.Node) bool {
	at := n.Span()
	switch n := n.(type) {
	case *syntax.Heredoc:
		at = n.Lines
	case *syntax.Str, *syntax.Name:
		if h.named[at] || at.Len() > 2 && h.named[source.Span{Start: at.Start + 1, End: at.End - 1}] {
			return true
		}
	case *syntax.Interpolated, *syntax.Int, *syntax.Float, *syntax.Regexp:
	case *syntax.Var:
		h.vars[n.Name] = true
		return true
	case *syntax.Call, *syntax.MethodCall:
		if function, _, _ := call(n); function != "" {
			h.calls[outline.Class(function)] = true
			for _, name := range h.names {
				if name.Kind == outline.KeyName && !name.Pattern && at.Contains(name.Span) {
					h.keys[rooted(name).Name] = true
				}
			}
		}
		return true
	default:
		return true
	}
	h.hidden = append(h.hidden, at)
	return true
}

// unseen is an answer without what the lines of code that it shows make Sensitive. Such a line has its blanks made one
// and may be cut; what is hidden of it is all from the first literal on.
func (at *spot) unseen(answer string) string {
	for _, e := range at.index.entries {
		if len(at.index.sensitive(e)) == 0 || !strings.Contains(answer, path.Base(e.path)) {
			continue
		}
		last := 0
		for _, s := range at.index.sensitive(e) {
			for n := max(last+1, e.file.LineOf(s.Start)); n <= e.file.LineOf(max(s.Start, s.End-1)); n++ {
				last = n
				answer = e.blotted(answer, n, s)
			}
		}
	}
	return answer
}

// blotted is an answer without what a line has from a span on.
func (e *entry) blotted(answer string, n int, s source.Span) string {
	line := e.file.Line(n)
	before := ""
	if start := e.file.Offset(source.Position{Line: n, Column: 1}); s.Start > start {
		before = line[:min(len(line), int(s.Start-start))]
	}
	whole, kept := strings.Join(strings.Fields(line), " "), len(strings.Join(strings.Fields(before+"x"), " "))-1
	const enough = 3 // letters of a secret by which its line is known
	key := whole[:min(len(whole), kept+enough)]
	if len(key) == kept {
		return answer
	}
	var out strings.Builder
	for shown := range strings.Lines(answer) {
		if i := strings.Index(shown, key); i >= 0 {
			shown = shown[:i+kept] + redact.Blot + "\n"
		}
		out.WriteString(shown)
	}
	return out.String()
}

// declaredSensitive reports whether a key of Hiera's, or what it begins with, is that of a parameter which takes what
// is Sensitive. What the data have for it is meant to be that, also where no compile comes by or it is not made so, and
// so is what another key has of the same data.
func (x *index) declaredSensitive(key string) bool {
	key = rooted(outline.Name{Kind: outline.KeyName, Name: key, Span: source.Span{End: uint32(len(key))}}).Name
	return x.params[key] && x.secretly().declared[key] || x.secretly().shared[key]
}

// wrappedSensitive reports whether a key of Hiera's is that of a parameter of a class that the node has not, of which
// code there makes something Sensitive; or one that is looked up for that. Of classes that it has the compile tells.
func (at *spot) wrappedSensitive(r *result, key string) bool {
	key = rooted(outline.Name{Kind: outline.KeyName, Name: key, Span: source.Span{End: uint32(len(key))}}).Name
	by := at.index.secretly().wraps
	if by.keys[key] {
		return true
	}
	class := strings.TrimSuffix(key, "::"+lastPart(key))
	return at.params[key] && by.vars[key] && (r.record.Catalog == nil ||
		r.record.Catalog.Find("Class["+outline.Capitalized(class)+"]") == nil)
}

// unset is an answer about a variable without literals that it is set to, if some code makes something Sensitive of it:
// a node may have it and not that code.
func (x *index) unset(variable, answer string) string {
	if !x.secretly().wraps.vars[variable] {
		return answer
	}
	for _, e := range x.entries {
		for _, d := range e.defs {
			if d.Kind != outline.VariableName || d.Name != variable {
				continue
			}
			for _, s := range x.sensitive(e) {
				text := e.file.Slice(s)
				if !d.Whole.Contains(s) {
					continue
				}
				if inner := strings.Trim(text, `'"`); len(inner) > 1 {
					answer = strings.ReplaceAll(answer, value.Literal(value.String(inner)), redact.Blot)
					if inner == text { // a number, or a word
						answer = regexp.MustCompile(`\b`+regexp.QuoteMeta(inner)+`\b`).ReplaceAllString(answer, redact.Blot)
					}
				}
			}
		}
	}
	return answer
}

// madeSensitive is a literal that a line of code makes Sensitive. An answer shows such lines of files that no entry is
// of, and breaks off long ones.
var madeSensitive = regexp.MustCompile(
	`(\bSensitive(?:\[[^\]\n]*\]+)?(?:\.new)?\(\s*)(?:'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?|[\[{@].*|-?\d[\w.]*)`)
