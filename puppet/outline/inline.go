package outline

import (
	"slices"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Templates that stand in a string. They are read as files are, of their text as it comes out of the string; each byte
// of that is known by where it stands.

// inlineERB adds the names of an ERB template that is a string.
func (n *namer) inlineERB(e syntax.Expr, s *scope) {
	n.computed(e, s, ".erb")
	text, at := n.written(e, s)
	if !strings.Contains(text, "<%") {
		return
	}
	for _, x := range NamesERB(text) {
		end := int(x.Span.End)
		if end < len(text) && text[end] == Hole || text[x.Span.Start] == Hole {
			continue // there is more to it
		}
		x.Span = source.Span{Start: at[x.Span.Start], End: at[end-1] + 1}
		if x.Free {
			n.bind(x.Name, x.Span, s, x)
		} else {
			n.add(x)
		}
	}
}

// inlineEPP adds the names of an EPP template that is a string, and those of the parameters that are given to it.
func (n *namer) inlineEPP(e syntax.Expr, args []syntax.Expr, s *scope) {
	n.computed(e, s, "")
	text, at := n.written(e, s)
	if !strings.Contains(text, "<%") {
		return
	}
	for i := range at {
		at[i] = n.begin(source.Span{Start: at[i]})
	}
	file := source.NewFile(n.file.Source.Name, strings.ReplaceAll(text, "\x00", "0"))
	tree, _ := syntax.ParseEPP(file, syntax.Options{})
	if tree.Epp == nil {
		return
	}
	in := &namer{file: tree, effects: n.effects, in: n.in, at: at, by: n.by}
	own := &scope{local: true, at: at[0], outer: s}
	all := true
	if len(args) > 0 {
		all = n.keys(args[0], s, func(key string, where source.Span, _ syntax.Expr) {
			n.add(Name{Kind: LocalName, Name: key, Local: at[0], Span: where, Param: true, Text: true})
			if len(tree.Epp.Params) == 0 { // what is given is what it has
				own.set(key, nil)
			}
		})
	}
	in.template(own)
	for i, x := range in.names {
		in.names[i].Keyed = x.Keyed || !all && len(tree.Epp.Params) == 0 && x.Kind == VariableName && !x.Param && !x.Top &&
			!x.Text && !strings.Contains(n.file.Source.Slice(x.Span), "::")
	}
	n.names = append(n.names, in.names...)
}

// computed notes a template whose text is not, or not only, what stands there: it may ask for any variable. One that is
// a file of a module, whose name ends as an ERB template's does, is known by that.
func (n *namer) computed(e syntax.Expr, s *scope, ext string) {
	switch e := e.(type) {
	case *syntax.Paren:
		n.computed(e.X, s, ext)
		return
	case *syntax.Str:
		return
	case *syntax.Heredoc:
		n.computed(e.X, s, ext)
		return
	case *syntax.Interpolated:
		if slices.ContainsFunc(e.Parts, func(p syntax.Expr) bool {
			text, is := p.(*syntax.Str)
			return is && strings.Contains(text.Value, "<%")
		}) {
			return // what is put into a template is hardly one
		}
	case *syntax.Var:
		if x, only := s.written(e.Name); x != nil && only {
			n.computed(x, nil, ext)
			return
		}
	case *syntax.Call:
		if f, is := e.Functor.(*syntax.Name); is && f.Value == "file" && n.inFiles(e.Args, s, ext) {
			return
		}
	case *syntax.MethodCall:
		if e.Functor.Name.Value == "file" && n.inFiles([]syntax.Expr{e.Functor.Left}, s, ext) {
			return
		}
	}
	n.open(VariableName, "", e)
	n.add(Name{Kind: TemplateName, Span: e.Span(), Open: true, Text: true})
}

// inFiles adds the files of modules that are templates. It reports whether these are all that there are.
func (n *namer) inFiles(args []syntax.Expr, s *scope, ext string) (all bool) {
	all = ext != ""
	for _, a := range args {
		all = n.literals(a, s, func(text string, at source.Span) {
			n.add(Name{Kind: TemplateName, Name: InFiles + text, Span: at, Text: true})
			all = all && strings.HasSuffix(text, ext)
		}) && all
	}
	return all
}

// written is the text of a string that stands in the code, and where each byte of it stands.
func (n *namer) written(e syntax.Expr, s *scope) (text string, at []uint32) {
	w := &writing{source: n.file.Source.Text}
	switch e := e.(type) {
	case *syntax.Paren:
		return n.written(e.X, s)
	case *syntax.Var:
		if x, _ := s.written(e.Name); x != nil {
			return n.written(x, nil)
		}
	case *syntax.Heredoc:
		w.heredoc, w.escapes = true, e.HasEsc
		if e.Margin {
			end := strings.TrimRight(n.file.Source.Slice(e.Lines), "\r\n")
			end = end[strings.LastIndexByte(end, '\n')+1:]
			w.margin = end[:max(0, strings.IndexByte(end, '|'))]
		}
		w.add(e.X)
	default:
		w.escapes = true
		w.add(e)
	}
	return w.text.String(), w.at
}

// A writing is a text that is being read as it stands in a file.
type writing struct {
	source  string
	escapes bool
	heredoc bool
	margin  string // of a heredoc
	text    strings.Builder
	at      []uint32
}

func (w *writing) add(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Interpolated:
		for _, p := range e.Parts {
			if text, is := p.(*syntax.Str); is {
				from := int(text.Span().Start)
				if from == int(e.Span().Start) && !w.heredoc {
					from++ // the quote
				}
				w.piece(from, text.Value)
				continue
			}
			w.text.WriteByte(Hole)
			w.at = append(w.at, p.Span().Start)
		}
	case *syntax.Str:
		from := int(e.Span().Start)
		if e.Quote == syntax.Single || e.Quote == syntax.Double {
			from++
		}
		w.piece(from, e.Value)
	}
}

// piece goes through a text and through what is written for it side by side.
func (w *writing) piece(from int, value string) {
	for i, line := from, false; value != ""; {
		if line && w.margin != "" && strings.HasPrefix(w.source[i:], w.margin) {
			i += len(w.margin)
		}
		line = false
		if i >= len(w.source) {
			return
		}
		here, size, width := i, 1, 1 // of what is written, and of what it comes to
		if c := w.source[i]; c != value[0] || c == '\\' {
			if c != '\\' {
				return // it is not written as it is
			}
			size, width = w.escape(w.source[i:], value)
		}
		line = w.source[i] == '\n' || size > 1 && width == 0
		i += size
		w.text.WriteString(value[:width])
		for range width {
			w.at = append(w.at, uint32(here))
		}
		value = value[width:]
	}
}

// escape is how long an escape is, and how long what it stands for.
func (w *writing) escape(written, value string) (size, width int) {
	next := byte(0)
	if len(written) > 1 {
		next = written[1]
	}
	switch {
	case value[0] == '\\' && !(w.escapes && next == '\\'):
		return 1, 1 // it stands for itself
	case next == '\n':
		return 2, 0
	case next == '\r':
		return 3, 0
	case next == 'u' && value[0] != 'u':
		_, width = utf8.DecodeRuneInString(value)
		if end := strings.IndexByte(written, '}'); strings.HasPrefix(written, `\u{`) && end > 0 {
			return end + 1, width
		}
		return min(6, len(written)), width
	}
	return 2, 1
}
