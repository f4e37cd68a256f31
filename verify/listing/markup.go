package listing

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// markup reads the XML of repository metadata, tag by tag. It keeps one tag or text in memory, which has a limit, and
// knows no entities but the five that XML has, so that no document can make it grow.
type markup struct {
	in   *bufio.Reader
	name string // of the file
	line int
	buf  []byte

	// The present token: a tag's name and attributes, or a text.
	tag        string // "" for a text
	closing    bool
	empty      bool // <tag/>
	attributes []attribute
	text       string
}

type attribute struct{ name, value string }

const maxToken = 1 << 16

func newMarkup(name string, in io.Reader) *markup {
	return &markup{in: bufio.NewReaderSize(in, 1<<16), name: name, line: 1}
}

func (m *markup) trouble(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", m.name, m.line, fmt.Sprintf(format, args...))
}

// attribute finds an attribute of the present tag.
func (m *markup) attribute(name string) string {
	for _, a := range m.attributes {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

// next moves to the next tag or text; io.EOF ends.
func (m *markup) next() error {
	for {
		c, err := m.in.ReadByte()
		if err != nil {
			return err
		}
		if c != '<' {
			if err := m.in.UnreadByte(); err != nil {
				return err
			}
			return m.readText()
		}
		kind, err := m.in.Peek(1)
		if err != nil {
			return m.cut(err)
		}
		switch kind[0] {
		case '?':
			err = m.upTo("?>")
		case '!':
			head, _ := m.in.Peek(8)
			switch {
			case strings.HasPrefix(string(head), "!--"):
				err = m.upTo("-->")
			case string(head) == "![CDATA[":
				if err := m.upTo("]]>"); err != nil {
					return err
				}
				m.tag, m.text = "", string(m.buf[len("![CDATA["):])
				return nil
			default:
				return m.trouble("a document type: repository metadata has none")
			}
		default:
			if err := m.upTo(">"); err != nil {
				return err
			}
			return m.readTag()
		}
		if err != nil {
			return err
		}
	}
}

// upTo reads to an ending, which is left out. In a tag, quoted text is passed over.
func (m *markup) upTo(ending string) error {
	m.buf = m.buf[:0]
	quoted := byte(0)
	for {
		c, err := m.in.ReadByte()
		if err != nil {
			return m.cut(err)
		}
		if c == '\n' {
			m.line++
		}
		m.buf = append(m.buf, c)
		if len(m.buf) > maxToken {
			return m.trouble("a tag of more than %d bytes", maxToken)
		}
		if ending == ">" {
			switch {
			case quoted != 0:
				if c == quoted {
					quoted = 0
				}
				continue
			case c == '"' || c == '\'':
				quoted = c
				continue
			}
		}
		if c == '>' && strings.HasSuffix(string(m.buf[max(0, len(m.buf)-3):]), ending) {
			m.buf = m.buf[:len(m.buf)-len(ending)]
			return nil
		}
	}
}

func (m *markup) readText() error {
	m.buf = m.buf[:0]
	for {
		c, err := m.in.ReadByte()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if c == '<' {
			if err := m.in.UnreadByte(); err != nil {
				return err
			}
			break
		}
		if c == '\n' {
			m.line++
		}
		if len(m.buf) < maxToken { // a description may be long, and nobody reads it
			m.buf = append(m.buf, c)
		}
	}
	m.tag, m.attributes = "", m.attributes[:0]
	var err error
	m.text, err = m.plain(m.buf)
	return err
}

// readTag takes the tag in buf apart.
func (m *markup) readTag() error {
	s := string(m.buf)
	m.text, m.attributes = "", m.attributes[:0]
	s, m.closing = strings.CutPrefix(s, "/")
	s, m.empty = strings.CutSuffix(s, "/")
	const blank = " \t\r\n"
	end := strings.IndexAny(s, blank)
	if end < 0 {
		end = len(s)
	}
	m.tag = s[:end]
	if m.tag == "" {
		return m.trouble("a tag without a name")
	}
	// Prefixes of name spaces are the same in all repositories that there are.
	if i := strings.LastIndexByte(m.tag, ':'); i >= 0 && m.tag[:i] != "rpm" {
		m.tag = m.tag[i+1:]
	}
	rest := strings.TrimLeft(s[end:], blank)
	for rest != "" {
		name, after, ok := strings.Cut(rest, "=")
		after = strings.TrimLeft(after, blank)
		if !ok || after == "" || after[0] != '"' && after[0] != '\'' {
			return m.trouble("<%s>: an attribute without a value", quote(m.tag))
		}
		value, after, ok := strings.Cut(after[1:], after[:1])
		if !ok {
			return m.trouble("<%s>: an attribute that does not end", quote(m.tag))
		}
		plain, err := m.plain([]byte(value))
		if err != nil {
			return err
		}
		m.attributes = append(m.attributes, attribute{strings.TrimSpace(name), plain})
		rest = strings.TrimLeft(after, blank)
	}
	return nil
}

// plain replaces the entities of XML.
func (m *markup) plain(b []byte) (string, error) {
	s := string(b)
	if !strings.Contains(s, "&") {
		return s, nil
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, "&")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, ok := strings.Cut(rest, ";")
		if !ok || len(name) > 10 {
			if len(b) >= maxToken {
				return out.String(), nil // cut off in the middle of one
			}
			return "", m.trouble("an & that begins no entity")
		}
		s = after
		switch name {
		case "amp":
			out.WriteByte('&')
		case "lt":
			out.WriteByte('<')
		case "gt":
			out.WriteByte('>')
		case "quot":
			out.WriteByte('"')
		case "apos":
			out.WriteByte('\'')
		default:
			digits, base := strings.TrimPrefix(name, "#"), 10
			if hex, ok := strings.CutPrefix(digits, "x"); ok {
				digits, base = hex, 16
			}
			n, err := strconv.ParseUint(digits, base, 32)
			if err != nil || name[0] != '#' || !utf8.ValidRune(rune(n)) {
				return "", m.trouble("&%s; is no entity of XML", quote(name))
			}
			out.WriteRune(rune(n))
		}
	}
}

// cut says that the document ends too early.
func (m *markup) cut(err error) error {
	if errors.Is(err, io.EOF) {
		return m.trouble("the document ends in the middle of a tag")
	}
	return err
}

// element reads the text of the present element, up to its end.
func (m *markup) element() (string, error) {
	if m.empty {
		return "", nil
	}
	tag, out := m.tag, ""
	for {
		if err := m.next(); err != nil {
			return "", m.cut(err)
		}
		switch {
		case m.tag == "":
			if out += m.text; len(out) > maxToken {
				return "", m.trouble("<%s> has more than %d bytes", quote(tag), maxToken)
			}
		case m.closing && m.tag == tag:
			return out, nil
		default:
			return "", m.trouble("<%s> in <%s>", quote(m.tag), quote(tag))
		}
	}
}
