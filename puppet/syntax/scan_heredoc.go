package syntax

import (
	"regexp"
	"strings"

	"bunraku/source"
)

// A heredoc is the text that belongs to a @(…) tag, found and freed of its margin.
type heredoc struct {
	tag, syntax, flags string
	hasFlags, interp   bool
	margin, chomp      bool
	escapes            escapeSet
	text               string
	margins            []margin
	lines              source.Span
}

// heredocHead is Puppet's pattern for the tag.
var heredocHead = regexp.MustCompile(`^@\(([^:/\r\n)]+)(?::[\t\p{Zs}]*([a-z][a-zA-Z0-9_+]+)[\t\p{Zs}]*)?(?:/([\w$]*)[\t\p{Zs}]*)?\)`)

// heredocTag scans @(…) and, in the lines below, the text that belongs to it. The position stays behind the tag;
// the jump makes the next line begin behind the text.
func (s *scanner) heredocTag() token {
	from := s.pos
	bad := func(summary, help string) token {
		end := min(from+2, len(s.src))
		s.errorAt(from, end, codeHeredoc, summary, help)
		s.pos = end
		return s.broken(from)
	}
	closing := strings.IndexByte(s.src[from:], ')')
	if closing < 0 {
		return bad("Unclosed parenthesis after '@(' followed by '"+followedBy(s.src[from+2:])+"'", "close the tag with )")
	}
	head := s.src[from : from+closing+1]
	m := heredocHead.FindStringSubmatch(head)
	if m == nil {
		return bad(`Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])`, "")
	}
	d := &heredoc{tag: strings.TrimSpace(m[1]), syntax: m[2], flags: m[3], hasFlags: strings.Contains(head[1+len(m[1]):],
		"/")}
	if len(d.tag) >= 2 && d.tag[0] == '"' && d.tag[len(d.tag)-1] == '"' {
		d.interp = true
		d.tag = strings.TrimSpace(d.tag[1 : len(d.tag)-1])
	}
	if d.tag == "" {
		return bad("Empty endtag in heredoc", "")
	}
	if d.hasFlags {
		if why := d.readFlags(); why != "" {
			return bad(why, "the escapes are t, s, r, n, u, L and $")
		}
	}
	behind := from + closing + 1
	text := s.jump
	if text == 0 {
		nl := strings.IndexByte(s.src[behind:], '\n')
		if nl < 0 {
			return bad("Heredoc without any following lines of text", "")
		}
		text = behind + nl + 1
	}
	end := -1
	if s.ends == nil || s.lastEnd(d.tag) >= text {
		end = s.heredocText(d, text)
	}
	if end < 0 {
		if s.ends == nil {
			s.ends = map[int]map[string]int{}
		}
		return bad("Heredoc without end-tagged line", "end the text with a line that holds | "+d.tag)
	}
	s.jump = end
	s.pos = behind
	s.doc = d
	t := s.emit(tHeredoc, from)
	s.before = tString
	return t
}

func (d *heredoc) readFlags() string {
	flags := d.flags
	if flags == "" {
		flags = "trnsuL$"
	}
	d.escapes = escBackslash
	for i, f := range flags {
		if strings.ContainsRune(flags[:i], f) {
			return "An escape char for @() may only appear once. Got '" + strings.Join(strings.Split(flags, ""), ", ") + "'"
		}
		switch f {
		case 't':
			d.escapes |= escT
		case 'r':
			d.escapes |= escR
		case 'n':
			d.escapes |= escN
		case 's':
			d.escapes |= escS
		case 'u':
			d.escapes |= escU
		case '$':
			d.escapes |= escDollar
		case 'L':
			d.escapes |= escLine
		default:
			return "Invalid heredoc escape char. Only t, r, n, s, u, L, $ allowed. Got '" + string(f) + "'"
		}
	}
	return ""
}

// heredocText finds the text's lines from the given offset up to the line that ends with the tag. It returns the offset
// behind that line, or -1. Puppet takes any line that ends with the tag, whatever stands before it.
func (s *scanner) heredocText(d *heredoc, from int) int {
	if !d.endsBehind(s.src[from:]) {
		return -1
	}
	type line struct{ from, to int }
	var lines []line
	for pos := from; pos < len(s.src); {
		to := len(s.src)
		if nl := strings.IndexByte(s.src[pos:], '\n'); nl >= 0 {
			to = pos + nl + 1
		}
		leading, ok := d.endLine(s.src[pos:to])
		if !ok {
			lines = append(lines, line{pos, to})
			pos = to
			continue
		}
		d.lines = s.place(from, to).Span
		var b strings.Builder
		for _, l := range lines {
			text := s.src[l.from:l.to]
			skip := 0
			if d.margin && leading != "" && strings.HasPrefix(text, leading) {
				skip = len(leading)
			}
			at := int(s.offset(l.from + skip))
			d.margins = append(d.margins, margin{b.Len(), at - b.Len()})
			b.WriteString(text[skip:])
		}
		if len(d.margins) == 0 {
			d.margins = []margin{{0, int(s.offset(from))}}
		}
		d.text = b.String()
		if d.chomp {
			d.text = strings.TrimSuffix(d.text, "\n")
			if len(d.text) < b.Len() {
				d.text = strings.TrimSuffix(d.text, "\r")
			}
		}
		return to
	}
	return -1
}

// lastEnd is where the last line begins that ends with a tag, -1 for none. How lines end is gathered once for all tags
// of a length, so that thousands of heredocs without an end do not each read the rest of the file.
func (s *scanner) lastEnd(tag string) int {
	ends := s.ends[len(tag)]
	if ends == nil {
		ends = map[string]int{}
		at := 0
		for line := range strings.Lines(s.src) {
			text := strings.TrimRightFunc(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), isBlank)
			if len(text) >= len(tag) {
				ends[text[len(text)-len(tag):]] = at
			}
			at += len(line)
		}
		s.ends[len(tag)] = ends
	}
	if at, is := ends[tag]; is {
		return at
	}
	return -1
}

// endsBehind reports whether some line of a text ends with the tag.
func (d *heredoc) endsBehind(text string) bool {
	for {
		i := strings.Index(text, d.tag)
		if i < 0 {
			return false
		}
		rest, _, _ := strings.Cut(text[i+len(d.tag):], "\n")
		if strings.TrimFunc(strings.TrimSuffix(rest, "\r"), isBlank) == "" {
			return true
		}
		text = text[i+1:]
	}
}

// endLine reports whether a line ends the heredoc and reads its marks backwards from the tag: `leading | - TAG`.
func (d *heredoc) endLine(line string) (leading string, ok bool) {
	rest := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	rest = strings.TrimRightFunc(rest, isBlank)
	if !strings.HasSuffix(rest, d.tag) {
		return "", false
	}
	rest = rest[:len(rest)-len(d.tag)]
	trimmed := strings.TrimRightFunc(rest, isBlank)
	if strings.HasSuffix(trimmed, "-") {
		d.chomp = true
		rest = trimmed[:len(trimmed)-1]
		trimmed = strings.TrimRightFunc(rest, isBlank)
	}
	if strings.HasSuffix(trimmed, "|") {
		d.margin = true
		rest = trimmed[:len(trimmed)-1]
		trimmed = strings.TrimRightFunc(rest, isBlank)
	}
	return rest[len(trimmed):], true
}
