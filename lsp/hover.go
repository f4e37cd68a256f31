package lsp

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"bunraku/explain"
	"bunraku/lsp/protocol"
	"bunraku/puppet/eval"
	"bunraku/puppet/outline"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/report/redact"
	"bunraku/source"
)

// A hover says what a word is: how it is declared, what its author wrote above it, and what it comes to on each of the
// chosen nodes, with where that comes from. The last part is explain's answer in explain's words, which never hold what
// is Sensitive.

// A result is the compile of one node.
type result struct {
	node string
	*eval.Result
	record *explain.Record
	facts  *value.Hash // nil if they are not known
	trusts *value.Hash // $trusted

	reads  sync.Once
	values reading // what read has gathered
}

// compiled are the chosen nodes, as they were last compiled, in the order of their names.
func (f *folder) compiled() []*result {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.results
}

func (s *Server) hover(_ context.Context, p *protocol.TextDocumentPositionParams) (*protocol.Hover, error) {
	at, err := s.spot(p.TextDocument.URI, p.Position)
	if at == nil || err != nil {
		return nil, err
	}
	text, span := at.said()
	if text == "" {
		return nil, nil
	}
	r := at.entry.mapper(s.enc).span(span)
	return &protocol.Hover{Range: &r, Contents: inForm(s.hoverForms(), at.unmeant(text))}, nil
}

// said is what there is to say of what stands at the spot, and where that stands; "" for nothing.
func (at *spot) said() (text string, span source.Span) {
	var parts []string
	span = at.name.Span
	if root, path, where := at.given(); root == "facts" {
		span = where
		parts = append(parts, at.values("fact:"+path, ""))
	} else if root == "trusted" {
		span = where
		parts = append(parts, at.trusted(strings.Split(path, ".")...))
	} else if at.named {
		parts = at.describe()
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(parts, "\n\n---\n\n"), span
}

// describe says what the name is, in parts.
func (at *spot) describe() (parts []string) {
	n, known := at.asRead(at.name)
	var first *occurrence
	for _, o := range at.same(at.entry, n, nil) {
		if !known || !o.Defines || o.Kind == outline.KeyName || o.tree == nil {
			continue
		}
		if first == nil {
			first = &o
			parts = append(parts, code(at.declaration(o)), at.comment(o))
		} else if o.Node != first.Node { // it is one of them on one node, and another on another
			parts = nil
			break
		}
	}
	switch n.Kind {
	case outline.VariableName:
		names := at.resolve(at.entry, n)
		if owner, attr := at.attribute(); owner != nil {
			parts = append(parts, at.nativeAttribute(owner, attr), at.attributeValues(owner, attr))
			break
		}
		for _, name := range names {
			switch name {
			case "facts":
				parts = append(parts, at.factNames())
			case "trusted":
				parts = append(parts, at.trusted())
			default:
				if known {
					parts = append(parts, at.told(func(r *result) string { return at.variable(r, n, name) }))
				}
			}
		}
	case outline.KeyName:
		if len(parts) == 0 {
			parts = append(parts, code("# a key of Hiera\n"+n.Name))
		}
		parts = append(parts, at.values("hiera:"+n.Name, ""))
	case outline.FunctionName:
		if len(parts) == 0 {
			parts = append(parts, at.builtIn(n.Name)...)
		}
	case outline.ClassName:
		parts = append(parts, at.values("Class["+outline.Capitalized(n.Name)+"]", ""))
	case outline.TypeName:
		if len(parts) == 0 {
			parts = append(parts, native(n.Name), at.dataType())
		}
	case outline.ResourceName:
		parts = append(parts, at.values(n.Name, ""))
	}
	return parts
}

// asRead is what a name means to who reads it at the spot. It is not known of a variable that its class may set later.
func (at *spot) asRead(n outline.Name) (as outline.Name, known bool) {
	if n.Kind == outline.VariableName && n.Free && at.entry.template != "" {
		return n, !slices.ContainsFunc(at.resolve(at.entry, n), at.renderedBefore)
	}
	return at.index.asRead(at.entry, n)
}

// renderedBefore reports whether a class renders the template before it sets a variable.
func (at *spot) renderedBefore(variable string) bool {
	for _, e := range at.index.entries {
		for _, d := range e.defs {
			if d.Kind != outline.VariableName || d.Param || d.Name != variable || d.In == "" {
				continue
			}
			if slices.ContainsFunc(e.names, func(n outline.Name) bool {
				return n.Kind == outline.TemplateName && n.In == d.In && n.From() < d.Whole.End &&
					(n.Name == at.entry.template || n.Pattern && outline.Matches(n.Name, at.entry.template))
			}) {
				return true
			}
		}
	}
	return false
}

// variable is what a variable with a full name comes to on a node.
func (at *spot) variable(r *result, n outline.Name, name string) string {
	if i := strings.LastIndex(name, "::"); i >= 0 {
		if at.isDefine(name[:i]) {
			return at.instances(r, name[:i], name[i+2:])
		}
		return at.answer(r, "$"+name, "")
	}
	if n.Node > 0 {
		if !at.setBy(r, n) {
			return ""
		}
		return at.answer(r, "$"+name, "")
	}
	for _, v := range r.record.Variables {
		switch {
		case v.Class != "" || v.Name != name:
		case n.Top && !v.Node:
			return at.answer(r, "$::"+name, "")
		case !n.Top:
			return at.answer(r, "$"+name, "")
		}
	}
	return at.answer(r, "fact:"+name, "")
}

// isDefine reports whether a file defines a define of a name.
func (x *index) isDefine(name string) bool {
	return slices.ContainsFunc(x.entries, func(e *entry) bool {
		return slices.ContainsFunc(e.defs, func(d outline.Name) bool {
			return d.Kind == outline.TypeName && d.Name == name && isDefine(occurrence{e, d})
		})
	})
}

// instances is what a parameter of a define comes to for the first of its resources.
func (at *spot) instances(r *result, define, parameter string) string {
	if r.Catalog == nil || !at.takes[define+"::"+parameter] {
		return ""
	}
	const most = 3
	var out strings.Builder
	of, all := outline.Capitalized(define), 0
	for _, x := range r.Catalog.Resources {
		if x.Type != of {
			continue
		}
		if all++; all <= most {
			fmt.Fprintf(&out, "  %s: %s\n", x.Ref(), strings.Join(at.indented(at.answer(r, x.Ref(), parameter)), "\n  "))
		}
	}
	if all > most {
		fmt.Fprintf(&out, "  and %d more\n", all-most)
	}
	if all == 0 {
		return ""
	}
	return many(all, "resource") + "\n" + out.String()
}

// setBy reports whether the variable of a node block is that of a node: the block may be another node's.
func (at *spot) setBy(r *result, n outline.Name) bool {
	there := false
	for _, v := range r.record.Variables {
		there = there || v.Node && v.Name == n.Name
	}
	if !there {
		return false
	}
	a, err := r.record.Explain("$"+n.Name, "")
	if err != nil || a.Set == nil {
		return false
	}
	p := a.Set.File
	if !path.IsAbs(p) {
		p = path.Join(at.dir, p)
	}
	return p == at.entry.path && slices.ContainsFunc(at.entry.defs, func(d outline.Name) bool {
		return d.Kind == n.Kind && d.Name == n.Name && d.Node == n.Node &&
			at.entry.file.LineOf(d.Whole.Start) <= a.Set.Line && a.Set.Line <= at.entry.file.LineOf(d.Whole.End)
	})
}

// values is what a question comes to on each node; nodes with the same answer are named together.
func (at *spot) values(ref, attribute string) string {
	return at.told(func(r *result) string { return at.answer(r, ref, attribute) })
}

// answer is explain's to a question about a node, "" if it has none; fully, with all places that decide it.
func (at *spot) answer(r *result, ref, attribute string) string {
	a, err := r.record.Explain(ref, attribute)
	if err != nil {
		return ""
	}
	if key, is := strings.CutPrefix(ref, "hiera:"); is && (at.declaredSensitive(key) || at.wrappedSensitive(r, key)) {
		a.Sensitive = true
		for i := range a.Levels {
			a.Levels[i].Sensitive = a.Levels[i].Found
		}
	}
	var text strings.Builder
	a.Text(&text, explain.Show{All: at.fully})
	if at.fully {
		text.WriteByte('\n')
		a.Text(&text, explain.Show{All: true, View: explain.DependencyView})
	}
	said := text.String()
	if name, is := strings.CutPrefix(ref, "$"); is {
		said = at.unset(strings.TrimPrefix(name, "::"), said)
	}
	return at.unseen(madeSensitive.ReplaceAllString(said, "$1"+redact.Blot))
}

// told is what is said of each node; nodes of which the same is said are named together.
func (at *spot) told(say func(*result) string) string {
	var order []string
	nodes := map[string][]string{}
	for _, r := range at.compiled() {
		if r.record == nil {
			continue
		}
		lines := at.indented(strings.ReplaceAll(say(r), at.dir+"/", ""))
		if len(lines) == 0 {
			continue
		}
		text := strings.Join(lines, "\n")
		if nodes[text] == nil {
			order = append(order, text)
		}
		nodes[text] = append(nodes[text], r.node)
	}
	var out []string
	for _, text := range order {
		out = append(out, "on "+strings.Join(nodes[text], ", ")+"\n\n"+fenced("text", text))
	}
	return strings.Join(out, "\n\n")
}

// indented are the lines of an answer without those that are about the command line, unless everything is asked for.
func (at *spot) indented(answer string) (lines []string) {
	for line := range strings.Lines(answer) {
		if at.fully || len(lines) == 0 || strings.HasPrefix(line, " ") {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	return lines
}

// code is Puppet code for people to read.
func code(text string) string {
	if text == "" {
		return ""
	}
	return fenced("puppet", text)
}

// fenced is a text that no reader of Markdown takes for anything else.
func fenced(language, text string) string {
	text = string(source.Escape(nil, strings.ReplaceAll(text, "```", "'''"), source.Plain, true))
	return "```" + language + "\n" + text + "\n```"
}

// declaration is the head of a definition, as it is written.
func (x *index) declaration(o occurrence) string {
	var head string
	for _, d := range o.tree.Defs {
		if d.Span() != o.Whole {
			continue
		}
		switch d := d.(type) {
		case *syntax.Class:
			head = x.upTo(o.entry, d.Span(), d.Body)
		case *syntax.Define:
			head = x.upTo(o.entry, d.Span(), d.Body)
		case *syntax.Function:
			head = x.upTo(o.entry, d.Span(), d.Body)
		case *syntax.Plan:
			head = x.upTo(o.entry, d.Span(), d.Body)
		}
	}
	if head == "" {
		head = x.written(o.entry, o.Whole)
	}
	const most = 1200
	if len(head) > most {
		head = strings.ToValidUTF8(head[:most], "") + "…" // right behind it: what is left of a secret is told by that
	}
	return strings.TrimSpace(head)
}

// upTo is the text of a definition before its body.
func (x *index) upTo(e *entry, whole source.Span, body syntax.Body) string {
	if body.Braces.Start > whole.Start {
		whole.End = body.Braces.Start
	}
	return x.written(e, whole)
}

// comment is what stands above a definition; of a parameter what puppet-strings has under @param.
func (at *spot) comment(o occurrence) string {
	lines := at.above(o.entry, documentedAt(o))
	if o.Param {
		return parameterText(lines, lastPart(o.Name.Name))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// documentedAt is what stands below the comment about a definition; of a parameter its owner. That of a block has none.
func documentedAt(o occurrence) source.Span {
	if o.Param {
		for _, d := range o.tree.Defs {
			if slices.ContainsFunc(allParams(d), func(p *syntax.Param) bool { return p.Span() == o.Whole }) {
				return d.Span()
			}
		}
	}
	return o.Whole
}

// allParams are the parameters of a definition of any sort.
func allParams(d syntax.Definition) []*syntax.Param {
	switch d := d.(type) {
	case *syntax.Function:
		return d.Params
	case *syntax.Plan:
		return d.Params
	}
	_, params := parametersOf(d)
	return params
}

// above are the lines of the comment that stands right above a span, without their marks.
func (at *spot) above(e *entry, whole source.Span) (lines []string) {
	for _, c := range commentsAbove(e, whole) {
		text := at.server.hide(strings.TrimPrefix(e.file.Slice(c), "#"))
		lines = append(lines, harmless(strings.TrimPrefix(text, " ")))
	}
	return lines
}

// commentsAbove are the comments that stand right above a span, line by line.
func commentsAbove(e *entry, whole source.Span) (lines []source.Span) {
	next := e.file.LineOf(whole.Start)
	for i := len(e.tree.Comments) - 1; i >= 0; i-- {
		c := e.tree.Comments[i].Where
		if c.Start >= whole.Start {
			continue
		}
		if e.file.LineOf(c.Start) != next-1 {
			break
		}
		next--
		lines = append(lines, c)
	}
	slices.Reverse(lines)
	return lines
}

// documented are the places in comments where puppet-strings has the name of a parameter.
func documented(o occurrence) (names []source.Span) {
	if !o.Param || !o.Defines || o.tree == nil {
		return nil
	}
	for _, c := range commentsAbove(o.entry, documentedAt(o)) {
		m := documents.FindStringSubmatchIndex(o.file.Slice(c))
		if m == nil {
			continue
		}
		at := source.Span{Start: c.Start + uint32(m[2]), End: c.Start + uint32(m[3])}
		if o.file.Slice(at) == lastPart(o.Name.Name) {
			names = append(names, at)
		}
	}
	return names
}

// documents is how a line of a comment begins to speak of a parameter.
var documents = regexp.MustCompile(`^#?\s*@param\s+(?:\[.+?\]\s+)?(\w+)`)

// harmless is a line of Markdown that somebody wrote, in which no picture is fetched and no markup is made: a
// stranger's comment must not call home when somebody looks at it.
func harmless(line string) string {
	return markup.ReplaceAllString(strings.ReplaceAll(line, "![", `!\[`), "&lt;$1")
}

var markup = regexp.MustCompile(`<([a-zA-Z/!?])`)

// parameterText is what a comment has about a parameter.
func parameterText(lines []string, name string) string {
	var out []string
	in := false
	for _, line := range lines {
		switch m := documents.FindStringSubmatchIndex(line); {
		case m != nil:
			if in = line[m[2]:m[3]] == name; in {
				out = append(out, strings.TrimSpace(line[m[3]:]))
			}
		case strings.HasPrefix(line, "@"):
			in = false
		case in:
			out = append(out, strings.TrimSpace(line))
		}
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// builtIn describes a function that is built in.
func (f *folder) builtIn(name string) []string {
	x := f.functions[name]
	if x == nil {
		return nil
	}
	var lines []string
	for _, s := range signatures(x) {
		lines = append(lines, s.Label)
	}
	if len(lines) == 0 {
		lines = []string{name + "(…)"}
	}
	return []string{code(strings.Join(lines, "\n")), x.Doc}
}

// native describes a resource type that is built in.
func native(name string) string {
	t := resource.Known(name)
	if t == nil {
		return ""
	}
	var names []string
	for _, a := range slices.Concat(t.Properties, t.Params) {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return code("# resource type\n"+name) + "\n\nattributes: " + strings.Join(names, ", ")
}

// An ownerRef is the resource body that an attribute is in.
type ownerRef struct {
	typ  string
	body *syntax.ResourceBody
}

// attribute is the resource body and the attribute at the spot, if it is one.
func (at *spot) attribute() (owner *ownerRef, name string) {
	if at.entry.tree == nil {
		return nil, ""
	}
	for _, x := range slices.Concat(at.entry.tree.Body.Stmts, eppBody(at.entry.tree)) {
		syntax.Walk(x, func(n syntax.Node) bool {
			if r, is := n.(*syntax.Resource); is {
				for _, b := range r.Bodies {
					for _, op := range b.Ops {
						if op.NameAt == at.name.Span {
							owner, name = &ownerRef{at.entry.file.Slice(r.Type.Span()), b}, op.Name
						}
					}
				}
			}
			s := n.Span()
			return s.Start <= at.offset && at.offset <= s.End
		})
	}
	return owner, name
}

// nativeAttribute describes an attribute of a type that is built in.
func (at *spot) nativeAttribute(owner *ownerRef, attr string) string {
	for _, a := range attributesOf(at.folder, owner.typ) {
		if a.Name == attr {
			text := owner.typ + " " + attr
			if len(a.Values) > 0 {
				text += "   # " + strings.Join(a.Values, ", ")
			}
			return code(text)
		}
	}
	return ""
}

// attributeValues are the values of an attribute on the nodes, for the resources that the body declares there.
func (at *spot) attributeValues(owner *ownerRef, attr string) string {
	return at.told(func(r *result) string {
		if r.Catalog == nil {
			return ""
		}
		var out []string
		const most = 3
		for _, x := range r.Catalog.Resources {
			if !x.Place.Known() || at.path(x.Place.File) != at.entry.path || !owner.body.Span().Contains(x.Place.Span) &&
				!x.Place.Span.Contains(owner.body.Span()) || len(out) == most {
				continue
			}
			if text := at.answer(r, x.Ref(), attr); text != "" {
				out = append(out, text)
			}
		}
		return strings.Join(out, "")
	})
}
