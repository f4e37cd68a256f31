package template

import (
	"regexp"
	"strings"
)

// compile turns a template into Ruby, statement for statement as erb.rb does with the trim mode '-' that Puppet uses,
// so that the oddities are the same too: the line of code below is the line of the template plus one, and a comment at
// the end of a tag takes with it what follows on its line. The Ruby's first line stands for erb.rb's magic comment.
func compile(text string) (string, []piece) {
	c := &compiler{}
	c.b.WriteString("#coding:UTF-8\n")
	c.push("_erbout = +''", nil)
	c.scan(text)
	c.flush()
	c.push("_erbout", nil)
	return c.b.String(), c.pieces
}

type compiler struct {
	b       strings.Builder
	pieces  []piece
	line    int // commands on the current line
	content strings.Builder
	from    int // where the content begins in the template
	to      int
	any     bool
}

// push adds a command; commands of a line are separated by semicolons.
func (c *compiler) push(code string, p *piece) {
	if c.line > 0 {
		c.b.WriteString("; ")
	}
	c.line++
	at := uint32(c.b.Len())
	c.b.WriteString(code)
	if p != nil {
		p.at += at
		p.end += at
		c.pieces = append(c.pieces, *p)
	}
}

func (c *compiler) cr() { c.b.WriteByte('\n'); c.line = 0 }

// add appends template text to the content.
func (c *compiler) add(s string, from, to int) {
	if !c.any {
		c.from, c.any = from, true
	}
	c.to = to
	c.content.WriteString(s)
}

func (c *compiler) reset() { c.content.Reset(); c.any = false }

// flush writes the content as text.
func (c *compiler) flush() {
	if c.content.Len() == 0 {
		return
	}
	s := c.content.String()
	dump := quote(s)
	head := "_erbout.<< "
	p := &piece{at: uint32(len(head)), end: uint32(len(head) + len(dump)), from: uint32(c.from), to: uint32(c.to),
		text: true}
	c.push(head+dump+".freeze"+strings.Repeat("\n", strings.Count(s, "\n")), p)
	c.reset()
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\', '#':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n':
			b.WriteString(`\n`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

var (
	openTag  = regexp.MustCompile(`<%[-%=#]?`)
	closeTag = regexp.MustCompile(`-%>|%%>|%>`)
	lineEnd  = regexp.MustCompile(`^(\r?\n|$)`)
)

// scan is ERB's ExplicitScanner with the compiler's reaction to each token.
func (c *compiler) scan(s string) {
	tag := ""
	for at := 0; at < len(s); {
		if tag == "" {
			at, tag = c.outside(s, at)
			continue
		}
		loc := closeTag.FindStringIndex(s[at:])
		if loc == nil {
			c.add(s[at:], at, len(s))
			return
		}
		if loc[0] > 0 {
			c.add(s[at:at+loc[0]], at, at+loc[0])
		}
		end := s[at+loc[0] : at+loc[1]]
		here := at
		at += loc[1]
		if end == "%%>" {
			c.add("%>", here+loc[0], at)
			continue
		}
		c.tag(tag)
		c.reset()
		tag = ""
		if end == "-%>" {
			if m := lineEnd.FindString(s[at:]); m != "" || at == len(s) {
				at += len(m)
				c.cr()
			}
		}
	}
}

// outside reads text up to the next tag.
func (c *compiler) outside(s string, at int) (int, string) {
	loc := openTag.FindStringIndex(s[at:])
	if loc == nil {
		c.text(s[at:], at, len(s))
		return len(s), ""
	}
	begin, end := at+loc[0], at+loc[1]
	tag := s[begin:end]
	if tag == "<%-" {
		// blanks in front go too, when nothing but them stands between here and the line's start, or the end of the last tag
		blank := begin
		for blank > at && (s[blank-1] == ' ' || s[blank-1] == '\t') {
			blank--
		}
		if blank == at || s[blank-1] == '\n' {
			begin = blank
		}
		tag = "<%"
	}
	if begin > at {
		c.text(s[at:begin], at, begin)
	}
	if tag == "<%%" {
		c.add("<%", begin, end)
		return end, ""
	}
	c.flush()
	c.reset()
	return end, tag
}

func (c *compiler) text(s string, from, to int) {
	c.add(s, from, to)
	if s == "\n" {
		c.flush()
	}
}

// tag writes the code of a tag, which is the content.
func (c *compiler) tag(kind string) {
	code := c.content.String()
	p := &piece{from: uint32(c.from), to: uint32(c.to)}
	switch kind {
	case "<%":
		newline := strings.HasSuffix(code, "\n")
		code = strings.TrimSuffix(code, "\n")
		p.end = uint32(len(code))
		c.push(code, p)
		if newline {
			c.cr()
		}
	case "<%=":
		head := "_erbout.<<(("
		p.at, p.end = uint32(len(head)), uint32(len(head)+len(code))
		c.push(head+code+").to_s)", p)
	}
}
