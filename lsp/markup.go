package lsp

import (
	"slices"
	"strings"

	"bunraku/lsp/protocol"
)

// What is said to people is Markdown. A client that says which forms it shows, and not that one, gets the same words
// without marks.

// inForm is a text in Markdown as a client likes it that names some forms; one that names none gets Markdown.
func inForm(forms []protocol.MarkupKind, text string) protocol.MarkupContent {
	if len(forms) == 0 || slices.Contains(forms, protocol.MarkupKindMarkdown) {
		return protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text}
	}
	var out strings.Builder
	code := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "```"):
			code = !code
			continue
		case code:
		case line == "---\n":
			continue
		default:
			line = plainly.Replace(line)
		}
		if line != "\n" || !strings.HasSuffix(out.String(), "\n\n") {
			out.WriteString(line)
		}
	}
	return protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: strings.TrimSpace(out.String())}
}

// plainly undoes what harmless has done.
var plainly = strings.NewReplacer(`!\[`, "![", "&lt;", "<")

// hoverForms are the forms in which the client shows hovers, signatureForms those of what is said of a function.
func (s *Server) hoverForms() []protocol.MarkupKind {
	if t := s.client.TextDocument; t != nil && t.Hover != nil {
		return t.Hover.ContentFormat
	}
	return nil
}

func (s *Server) signatureForms() []protocol.MarkupKind {
	t := s.client.TextDocument
	if t == nil || t.SignatureHelp == nil || t.SignatureHelp.SignatureInformation == nil {
		return nil
	}
	return t.SignatureHelp.SignatureInformation.DocumentationFormat
}
