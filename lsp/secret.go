package lsp

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/report/redact"
	"bunraku/source"
)

// What is shown of code is shown without what the code makes Sensitive. What compiles have found to be Sensitive is
// hidden in every message (redact); code that no compile came by has secrets, too.

// written is a part of a file's text without what the code itself makes Sensitive, which no compile may have come by.
func (e *entry) written(span source.Span) string {
	var out strings.Builder
	from := span.Start
	for _, s := range e.sensitive() {
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
// has it by default, or goes through it in a block. What names something there, such as a key that is looked up, does
// not.
func (e *entry) sensitive() []source.Span {
	e.looked.Do(func() {
		if e.tree == nil || !strings.Contains(e.file.Text, "Sensitive") {
			return
		}
		h := &hiding{entry: e, named: map[source.Span]bool{}, vars: map[string]bool{}}
		for _, n := range e.names {
			h.named[n.Span] = true
		}
		for known := -1; len(h.vars) > known; {
			known = len(h.vars)
			e.hidden = nil
			for _, x := range slices.Concat(e.tree.Body.Stmts, eppBody(e.tree)) {
				syntax.Walk(x, h.node)
			}
		}
		slices.SortFunc(e.hidden, func(a, b source.Span) int { return int(a.Start) - int(b.Start) })
		e.hidden = slices.Compact(e.hidden)
	})
	return e.hidden
}

// A hiding finds what sensitive tells.
type hiding struct {
	*entry
	named map[source.Span]bool // where names stand
	vars  map[string]bool      // variables that something Sensitive is made of
}

// node looks at a node of the file.
func (h *hiding) node(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Call:
		h.made(n.Functor, n.Args, n.Lambda)
		if f, is := n.Functor.(*syntax.Name); is && f.Value == "new" && len(n.Args) > 0 { // new(Sensitive, '…')
			h.made(n.Args[0], n.Args[1:], n.Lambda)
		}
		h.block(n.Lambda, n.Args)
	case *syntax.MethodCall:
		h.made(n.Functor.Left, n.Args, n.Lambda)
		if f := n.Functor.Name.Value; f == "convert_to" || f == "new" { // '…'.convert_to(Sensitive)
			for _, a := range n.Args {
				h.made(a, []syntax.Expr{n.Functor.Left}, nil)
			}
		}
		h.block(n.Lambda, append([]syntax.Expr{n.Functor.Left}, n.Args...))
	case *syntax.Assign:
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
		if n.Default != nil && (h.vars[n.Name] || n.Type != nil && saysSensitive.MatchString(h.file.Slice(n.Type.Span()))) {
			syntax.Walk(n.Default, h.literal)
		}
	}
	return true
}

// saysSensitive matches a type that has Sensitive in it.
var saysSensitive = regexp.MustCompile(`\bSensitive\b`)

// block hides what a block goes through that makes something Sensitive of it.
func (h *hiding) block(block *syntax.Lambda, over []syntax.Expr) {
	if block != nil && slices.ContainsFunc(block.Params, func(p *syntax.Param) bool { return h.vars[p.Name] }) {
		for _, x := range over {
			syntax.Walk(x, h.literal)
		}
	}
}

// made hides what is given to a type that is Sensitive.
func (h *hiding) made(typ syntax.Expr, args []syntax.Expr, block *syntax.Lambda) {
	if of, is := typ.(*syntax.Access); is { // Sensitive[String].new('…')
		typ = of.Left
	}
	if r, is := typ.(*syntax.Ref); !is || h.file.Slice(r.Span()) != "Sensitive" {
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
		if len(e.sensitive()) == 0 || !strings.Contains(answer, path.Base(e.path)) {
			continue
		}
		last := 0
		for _, s := range e.sensitive() {
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

// madeSensitive is a literal that a line of code makes Sensitive. An answer shows such lines of files that no entry is
// of, and breaks off long ones.
var madeSensitive = regexp.MustCompile(
	`(\bSensitive(?:\[[^\]\n]*\]+)?(?:\.new)?\(\s*)(?:'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?|[\[{@].*|-?\d[\w.]*)`)
