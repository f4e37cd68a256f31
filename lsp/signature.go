package lsp

import (
	"context"
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
	name, arg := callAround(at.entry.file.Text[:at.offset])
	if name == "" {
		return nil, nil
	}
	out := &protocol.SignatureHelp{Signatures: at.signatures(name), ActiveParameter: &arg}
	if len(out.Signatures) == 0 {
		return nil, nil
	}
	for i, x := range out.Signatures {
		if len(x.Parameters) > arg {
			out.ActiveSignature = &i
			break
		}
	}
	return out, nil
}

// callAround is the function whose call a text breaks off in, and the number of the argument, from 0.
func callAround(text string) (name string, arg int) {
	text = outsideString(text)
	depth := 0
	const far = 4000
	for i := len(text) - 1; i >= 0 && i > len(text)-far; i-- {
		switch text[i] {
		case '\'', '"': // a string: to its other end, in the same line
			if k := strings.LastIndexByte(text[:i], text[i]); k >= 0 && !strings.Contains(text[k:i], "\n") {
				i = k
			}
		case ')', ']', '}':
			depth++
		case '[', '{':
			if depth--; depth < 0 {
				return "", 0
			}
		case ',':
			if depth == 0 {
				arg++
			}
		case '(':
			if depth > 0 {
				depth--
				continue
			}
			if name = wordBefore(text[:i]); name == "" || name[0] >= 'A' && name[0] <= 'Z' {
				return "", 0
			}
			return strings.TrimPrefix(name, "::"), arg
		}
	}
	return "", 0
}

// outsideString is a text without the string that it breaks off in, if it does so in its last line.
func outsideString(text string) string {
	start := strings.LastIndexByte(text, '\n') + 1
	quote, at := byte(0), 0
	for i := start; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quote != 0:
			i++
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, at = c, i
		}
	}
	if quote != 0 {
		return text[:at]
	}
	return text
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
func (at *spot) signatures(name string) (out []protocol.SignatureInformation) {
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
func (at *spot) ownSignature(e *entry, f *syntax.Function) protocol.SignatureInformation {
	var params []protocol.ParameterInformation
	var texts []string
	for _, p := range f.Params {
		text := strings.Join(strings.Fields(e.written(p.Span())), " ")
		texts = append(texts, text)
		params = append(params, protocol.ParameterInformation{Label: text})
	}
	out := protocol.SignatureInformation{Label: f.Name + "(" + strings.Join(texts, ", ") + ")", Parameters: params}
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
func signatures(f *eval.Function) (out []protocol.SignatureInformation) {
	for _, d := range f.Dispatches {
		inner := strings.TrimSuffix(strings.TrimPrefix(d.Signature, "Callable["), "]")
		var s protocol.SignatureInformation
		var texts []string
		for i, part := range splitTypes(inner) {
			if part[0] >= '0' && part[0] <= '9' || part == "default" { // how many arguments there may be
				continue
			}
			if i < len(d.Names) {
				part += " $" + d.Names[i]
			}
			texts = append(texts, part)
			s.Parameters = append(s.Parameters, protocol.ParameterInformation{Label: part})
		}
		s.Label = f.Name + "(" + strings.Join(texts, ", ") + ")"
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
