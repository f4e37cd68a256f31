package explain

import (
	"path"
	"strings"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// An answer shows the lines that it is about. There may be more on a line than the answer is about: what code makes
// Sensitive that this node passed over, and what data have for other keys, which may be secrets of other nodes.

// shownLine is the line at which a place begins, as far as it may be shown.
func (rec *Record) shownLine(p source.Place) string {
	n := p.Line()
	if rec.secrets().hidesLine(p) || rec.madeSensitive(p.File)[n] {
		return ""
	}
	line := p.File.Line(n)
	switch path.Ext(p.File.Name) {
	case ".pp", ".epp", ".erb":
		return oneLine(line, 200)
	}
	start := p.File.Offset(source.Position{Line: n, Column: 1})
	whole := source.Span{Start: start, End: start + uint32(len(line))}
	for _, entry := range rec.flowEntries(p.File) {
		if entry.Start <= p.Span.Start && p.Span.Start < entry.End && !entry.Contains(whole) {
			from, to := max(entry.Start, whole.Start), min(entry.End, whole.End)
			return oneLine(p.File.Slice(source.Span{Start: from, End: to}), 200)
		}
	}
	return oneLine(line, 200)
}

// hidesText reports whether any line of a place has something on it that is secret.
func (rec *Record) hidesText(p source.Place) bool {
	if rec.secrets().hidesText(p) {
		return true
	}
	if p.File == nil {
		return false
	}
	made := rec.madeSensitive(p.File)
	for n := p.Line(); n <= p.File.LineOf(p.Span.End) && len(made) > 0; n++ {
		if made[n] {
			return true
		}
	}
	return false
}

// madeSensitive are the lines on which literals stand that the code beside them makes Sensitive, whether anybody comes
// there or not.
func (rec *Record) madeSensitive(f *source.File) map[int]bool {
	if f == nil || !strings.Contains(f.Text, "Sensitive") {
		return nil
	}
	t := rec.Tree(f)
	if t == nil {
		return nil
	}
	return once(&rec.memo.mu, &rec.memo.made, f, func() map[int]bool {
		out := map[int]bool{}
		hide := func(args []syntax.Expr, block *syntax.Lambda) {
			for _, a := range args {
				syntax.Walk(a, func(n syntax.Node) bool { return hideLiteral(f, n, out) })
			}
			if block != nil {
				syntax.Walk(block, func(n syntax.Node) bool { return hideLiteral(f, n, out) })
			}
		}
		walkFile(t, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Call:
				switch {
				case isSensitive(n.Functor):
					hide(n.Args, n.Lambda)
				case f.Slice(n.Functor.Span()) == "new" && len(n.Args) > 1 && isSensitive(n.Args[0]):
					hide(n.Args[1:], n.Lambda)
				}
			case *syntax.MethodCall:
				switch name := n.Functor.Name.Value; {
				case name == "new" && isSensitive(n.Functor.Left):
					hide(n.Args, n.Lambda)
				case name == "convert_to" && len(n.Args) > 0 && isSensitive(n.Args[0]):
					hide([]syntax.Expr{n.Functor.Left}, nil)
				}
			case *syntax.Param:
				if n.Default != nil && n.Type != nil && hasSensitive(n.Type) {
					hide([]syntax.Expr{n.Default}, nil)
				}
			}
			return true
		})
		return out
	})
}

// hideLiteral notes the lines of a literal.
func hideLiteral(f *source.File, n syntax.Node, lines map[int]bool) bool {
	at := n.Span()
	switch n := n.(type) {
	case *syntax.Heredoc:
		at = n.Lines
	case *syntax.Str, *syntax.Interpolated, *syntax.Int, *syntax.Float:
	default:
		return true
	}
	for i := f.LineOf(at.Start); i <= f.LineOf(max(at.Start, at.End-1)); i++ {
		lines[i] = true
	}
	return true
}

// isSensitive reports whether an expression is the type Sensitive, with or without what is in it.
func isSensitive(e syntax.Expr) bool {
	if a, is := e.(*syntax.Access); is {
		e = a.Left
	}
	r, is := e.(*syntax.Ref)
	return is && strings.TrimPrefix(r.Value, "::") == "Sensitive"
}

// hasSensitive reports whether a type has Sensitive in it, by that name.
func hasSensitive(typ syntax.Expr) (is bool) {
	syntax.Walk(typ, func(n syntax.Node) bool {
		x, expr := n.(syntax.Expr)
		is = is || expr && isSensitive(x)
		return !is
	})
	return is
}

// flowEntries are the entries of a file of data that is one hash in braces: JSON, and YAML that looks like it.
func (rec *Record) flowEntries(f *source.File) []source.Span {
	return once(&rec.memo.mu, &rec.memo.flow, f, func() (out []source.Span) {
		text, at := f.Text, 0
		for at < len(text) { // what stands before the hash
			line, _, _ := strings.Cut(text[at:], "\n")
			if word := strings.TrimSpace(line); word != "" && word != "---" && word[0] != '#' {
				break
			}
			at += len(line) + 1
		}
		if at >= len(text) || !strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(text[at:], "---"), " \t\uFEFF"), "{") {
			return nil
		}
		depth, start := 0, 0
		for i := at; i < len(text); i++ {
			switch c := text[i]; c {
			case '"', '\'':
				if before := strings.TrimRight(text[:i], " \t\r\n"); before != "" &&
					strings.IndexByte("{[,:", before[len(before)-1]) < 0 {
					continue // within a word
				}
				for i++; i < len(text) && text[i] != c; i++ {
					if c == '"' && text[i] == '\\' {
						i++
					}
				}
			case '{', '[':
				if depth++; depth == 1 {
					start = i + 1
				}
			case ',', '}', ']':
				if depth == 1 {
					out = append(out, source.Span{Start: uint32(start), End: uint32(i)})
					start = i + 1
				}
				if c != ',' {
					depth--
				}
			}
			if depth == 0 && len(out) > 0 {
				break
			}
		}
		return out
	})
}
