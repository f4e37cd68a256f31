package syntax

import "strings"

// eppMode is what part of a template is being read.
type eppMode uint8

const (
	eppNone eppMode = iota // no template
	eppText
	eppCode // <% … %>
	eppExpr // <%= … %>
)

// eppEnd ends a tag: %> or -%>. The text behind it is queued as tokens.
func (s *scanner) eppEnd(n int, k kind, trim bool) token {
	from := s.pos
	s.pos += n
	if s.epp == eppExpr {
		s.queue = append(s.queue, s.emit(k, from))
	}
	s.epp = eppText
	s.eppTextRun(trim)
	return token{kind: tNothing}
}

// eppTextRun reads template text up to the next tag and queues it. It follows Puppet's template scanner to the letter,
// including that text before a comment (or before <%%) at the very end of a template is lost.
func (s *scanner) eppTextRun(trim bool) {
	from := s.pos
	s.eppOpen = false
	if s.pos >= len(s.src) {
		return
	}
	var text strings.Builder
	for s.pos < len(s.src) {
		rest := s.src[s.pos:]
		part := rest
		tag := strings.Index(rest, "<%")
		if tag >= 0 {
			part = rest[:tag]
			s.pos += tag + 2
		} else {
			s.pos = len(s.src)
		}
		if trim {
			part = trimLeading(part)
			trim = false
		}
		text.WriteString(strings.ReplaceAll(part, "%%>", "%>"))
		if tag < 0 {
			s.queueText(text.String(), from)
			return
		}
		if s.pos >= len(s.src) {
			s.errorAt(s.pos-2, s.pos, codeEppTag, "Unbalanced embedded expression - opening <% and reaching end of input",
				"end the tag with %>")
			s.queue = append(s.queue, s.broken(s.pos))
			return
		}
		switch s.src[s.pos] {
		case '-':
			s.pos++
			s.code(strings.TrimRight(text.String(), " \t"), from, eppCode)
			return
		case '%':
			s.pos++
			text.WriteString("<%")
		case '=':
			s.pos++
			s.code(text.String(), from, eppExpr)
			return
		case '#':
			end := commentEnd(s.src, s.pos)
			if end < 0 {
				s.errorAt(s.pos-2, s.pos+1, codeEppComment, "Reaching end after opening <%# without finding %>",
					"end the comment with %>")
				s.pos = len(s.src)
				s.queue = append(s.queue, s.broken(s.pos))
				return
			}
			comment := s.src[s.pos:end]
			s.comments = append(s.comments, Comment{s.place(s.pos-2, end).Span})
			s.pos = end
			if len(comment) > 1 && comment[1] == '-' {
				kept := strings.TrimRight(text.String(), " \t")
				text.Reset()
				text.WriteString(kept)
			}
			trim = strings.HasSuffix(comment, "-%>")
		default:
			s.code(text.String(), from, eppCode)
			return
		}
	}
}

// commentEnd finds the %> that ends a comment: the first one not preceded by another %.
func commentEnd(src string, from int) int {
	for i := from; ; {
		j := strings.Index(src[i:], "%>")
		if j < 0 {
			return -1
		}
		i += j
		if i > from && src[i-1] != '%' {
			return i + 2
		}
		i++
	}
}

// trimLeading drops blanks and at most one line end.
func trimLeading(s string) string {
	s = strings.TrimLeft(s, " \t")
	if strings.HasPrefix(s, "\r\n") {
		return s[2:]
	}
	s = strings.TrimPrefix(s, "\r")
	return strings.TrimPrefix(s, "\n")
}

func (s *scanner) code(text string, from int, mode eppMode) {
	if text != "" {
		s.queueText(text, from)
	}
	s.epp = mode
	s.eppOpen = true
	if mode == eppExpr {
		at := s.pos
		if strings.HasSuffix(s.src[:at], "<%=") {
			at -= 3
		}
		s.queue = append(s.queue, s.emit(tRender, at))
	}
}

func (s *scanner) queueText(text string, from int) {
	t := s.emit(tRenderString, from)
	t.text = text
	s.queue = append(s.queue, t)
}
