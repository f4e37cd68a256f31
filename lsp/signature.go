package lsp

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"bunraku/lsp/protocol"
	"bunraku/puppet/eval"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
)

// signatureHelp shows how the function is called whose arguments are being written.
func (s *Server) signatureHelp(_ context.Context, p *protocol.SignatureHelpParams) (*protocol.SignatureHelp, error) {
	at, err := s.spot(p.TextDocument.URI, p.Position)
	if at == nil || err != nil {
		return nil, err
	}
	text := at.entry.file.Text[:at.offset]
	if path.Ext(at.entry.path) == ".epp" {
		if text, _ = inTag(text); text == "" {
			return nil, nil
		}
	}
	name, arg := callAround(text)
	if name == "" {
		return nil, nil
	}
	list := at.signatures(name)
	if len(list) == 0 {
		return nil, nil
	}
	out := &protocol.SignatureHelp{ActiveParameter: &arg}
	for i, x := range list {
		if x.Documentation != nil {
			doc := inForm(s.signatureForms(), x.Documentation.Value)
			x.Documentation = &doc
		}
		out.Signatures = append(out.Signatures, x.SignatureInformation)
		if fits := len(x.Parameters) > arg; out.ActiveSignature == nil && (fits || x.more) {
			out.ActiveSignature = &i
			if !fits {
				arg = len(x.Parameters) - 1
			}
		}
	}
	return out, nil
}

// A signature is how a function can be called.
type signature struct {
	protocol.SignatureInformation
	more bool // its last parameter takes all further arguments
}

// A bracket is what is open at a place of a text: a bracket of code, $ for an interpolation, a double quote for a
// string, @ for a heredoc.
type bracket struct {
	open byte
	call string // the function whose arguments it holds
	arg  int    // the number of the argument, from 0
	tag  string // of a heredoc
	code bool   // the heredoc interpolates
}

// callAround is the function whose call a text breaks off in, and the number of the argument, from 0.
func callAround(text string) (name string, arg int) {
	const far = 1 << 16
	if i := len(text) - far; i > 0 {
		text = text[i+strings.IndexByte(text[i:], '\n')+1:]
	}
	for _, b := range slices.Backward(brackets(text)) {
		switch b.open {
		case '"', '@', '$': // the call that the string is an argument of
		case '(':
			if b.call == "" || b.call[0] >= 'A' && b.call[0] <= 'Z' {
				return "", 0
			}
			return strings.TrimPrefix(b.call, "::"), b.arg
		default:
			return "", 0
		}
	}
	return "", 0
}

// brackets are those that a text of code leaves open, the outermost first.
func brackets(text string) (open []bracket) {
	heredocs := []bracket(nil) // that begin with the next line
	drop := func() {
		if len(open) > 0 {
			open = open[:len(open)-1]
		}
	}
	for i := 0; i < len(text); i++ {
		var in *bracket
		if len(open) > 0 {
			in = &open[len(open)-1]
		}
		c, rest := text[i], text[i:]
		switch {
		case in != nil && (in.open == '"' || in.open == '@'):
			line, _, whole := strings.Cut(rest, "\n")
			switch {
			case in.open == '@' && text[i-1] == '\n' && whole && strings.TrimLeft(strings.TrimSpace(line), "|- \t") == in.tag:
				i += len(line) - 1
				drop()
			case strings.HasPrefix(rest, "${") && (in.open == '"' || in.code):
				i++
				open = append(open, bracket{open: '$'})
			case c == '\\':
				i++
			case c == '"' && in.open == '"':
				drop()
			}
		case c == '\n':
			open, heredocs = append(open, heredocs...), nil
		case c == '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == '\'' || c == '/' && !divides(text[:i]):
			end := i + 1
			for end < len(text) && text[end] != c && (c == '\'' || text[end] != '\n') {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			i = end
		case c == '@':
			if m := heredoc.FindStringSubmatch(rest[:min(len(rest), 200)]); m != nil && strings.HasPrefix(rest, m[0]) {
				heredocs = append([]bracket{{open: '@', tag: m[2], code: m[1] != ""}}, heredocs...)
				i += len(m[0]) - 1
			}
		case c == '"' || c == '[' || c == '{':
			open = append(open, bracket{open: c})
		case c == '(':
			b := bracket{open: c, call: wordBefore(text[:i])}
			if before := strings.TrimRight(text[:i-len(b.call)], " \t\r\n"); b.call != "" && strings.HasSuffix(before, ".") {
				b.arg = 1 // what the function is called on is its first argument
			}
			open = append(open, b)
		case c == ')' || c == ']' || c == '}':
			drop()
		case c == ',' && in != nil:
			in.arg++
		}
	}
	return open
}

// divides reports whether a slash behind a text is a division, and does not begin a regular expression.
func divides(text string) bool {
	text = strings.TrimRight(text, " \t")
	return text != "" && (isWord(text[len(text)-1]) || strings.HasSuffix(text, ")") || strings.HasSuffix(text, "]")) &&
		!strings.HasSuffix(text, "node")
}

// wordBefore is the name that a text ends with, qualified perhaps.
func wordBefore(text string) string {
	i := len(text)
	for i > 0 && isWord(text[i-1]) {
		i--
	}
	return text[i:]
}

func isWord(c byte) bool {
	return c == '_' || c == ':' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// signatures are those of a function, of the tree or built in.
func (at *spot) signatures(name string) (out []signature) {
	for _, e := range at.index.entries {
		for _, n := range e.names {
			if n.Kind != outline.FunctionName || !n.Defines || n.Name != name {
				continue
			}
			for _, d := range e.tree.Defs {
				if f, is := d.(*syntax.Function); is && d.Span() == n.Whole {
					out = append(out, at.ownSignature(e, f))
				}
			}
		}
	}
	if x := at.functions[name]; x != nil && len(out) == 0 {
		out = signatures(x)
	}
	return out
}

// ownSignature is that of a function of the tree.
func (at *spot) ownSignature(e *entry, f *syntax.Function) signature {
	var params []protocol.ParameterInformation
	var texts []string
	for _, p := range f.Params {
		text := strings.Join(strings.Fields(at.index.written(e, p.Span())), " ")
		texts = append(texts, text)
		params = append(params, protocol.ParameterInformation{Label: text})
	}
	out := signature{more: len(f.Params) > 0 && f.Params[len(f.Params)-1].Splat,
		SignatureInformation: protocol.SignatureInformation{Label: f.Name + "(" + strings.Join(texts, ", ") + ")",
			Parameters: params}}
	if f.Returns != nil {
		out.Label += " >> " + e.file.Slice(f.Returns.Span())
	}
	if doc := strings.TrimSpace(strings.Join(at.above(e, f.Span()), "\n")); doc != "" {
		out.Documentation = &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: doc}
	}
	return out
}

// signatures are those of a function that is built in: its types in Puppet's own syntax, each with the parameter's
// name.
func signatures(f *eval.Function) (out []signature) {
	for _, d := range f.Dispatches {
		types := splitTypes(strings.TrimSuffix(strings.TrimPrefix(d.Signature, "Callable["), "]"))
		returns := ""
		if len(types) == 2 && types[0][0] == '[' { // with the type of what it returns
			returns = " >> " + types[1]
			types = splitTypes(strings.TrimSuffix(strings.TrimPrefix(types[0], "["), "]"))
		}
		first := slices.IndexFunc(types, func(part string) bool {
			return part[0] >= '0' && part[0] <= '9' || part == "default"
		})
		var s signature
		if first >= 0 { // how many arguments there may be, at least and at most
			most := 0
			if len(types) > first+1 {
				most, _ = strconv.Atoi(types[first+1]) // default is any number
			}
			types = types[:first]
			s.more = len(types) > 0 && (most == 0 || most > len(types))
		}
		var texts []string
		for i, part := range types {
			if i < len(d.Names) {
				star := ""
				if s.more && i == len(types)-1 {
					star = "*"
				}
				part += " " + star + "$" + d.Names[i]
			}
			texts = append(texts, part)
			s.Parameters = append(s.Parameters, protocol.ParameterInformation{Label: part})
		}
		s.Label = f.Name + "(" + strings.Join(texts, ", ") + ")" + returns
		if f.Doc != "" {
			s.Documentation = &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: f.Doc}
		}
		out = append(out, s)
	}
	return out
}

// splitTypes cuts a list of types at its outer commas.
func splitTypes(text string) (out []string) {
	depth, from := 0, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || text[i] == ',' && depth == 0:
			if part := strings.TrimSpace(text[from:i]); part != "" {
				out = append(out, part)
			}
			from = i + 1
		case text[i] == '[' || text[i] == '{' || text[i] == '(':
			depth++
		case text[i] == ']' || text[i] == '}' || text[i] == ')':
			depth--
		}
	}
	return out
}
