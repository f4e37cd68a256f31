package lsp

import (
	"sort"
	"strings"
	"unicode/utf8"

	"bunraku/lsp/protocol"
	"bunraku/source"
)

// An encoding is what the columns of positions count: the client chooses, and UTF-16 is what it gets if it does not.
type encoding = protocol.PositionEncodingKind

// A mapper translates between the protocol's positions and our byte offsets, for one text. It is the only place that
// does so.
//
// A line ends with \n, \r\n or \r (section "Position" of the protocol); our own line tables know \n alone, as Puppet
// does, so they are not used here. A position behind the end of its line means that end, one behind the last line the
// end of the text, and one in the middle of a character its beginning. An offset in the middle of a line's end is its
// beginning, too. Long lines have milestones, so that no question costs as much as the line is long.
type mapper struct {
	text       string
	lines      []int // where each line begins
	milestones []milestone
	enc        encoding
}

// A milestone is a character within a long line.
type milestone struct{ at, line, column int }

// mile is about how many bytes lie between two milestones.
const mile = 1024

func newMapper(text string, enc encoding) *mapper {
	m := &mapper{text: text, lines: make([]int, 1, 2+strings.Count(text, "\n")), enc: enc}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			m.lines = append(m.lines, i+1)
		case '\n':
			m.lines = append(m.lines, i+1)
		}
	}
	for n, start := range m.lines {
		if n+1 < len(m.lines) && m.lines[n+1]-start <= mile || len(text)-start <= mile {
			continue
		}
		at, text := m.line(n)
		last := milestone{at, n, 0}
		for column := 0; text != ""; {
			r, size := utf8.DecodeRuneInString(text)
			if at-last.at >= mile {
				last = milestone{at, n, column}
				m.milestones = append(m.milestones, last)
			}
			column += m.width(r, size)
			at, text = at+size, text[size:]
		}
	}
	return m
}

// byteOrderMark begins the texts of some files.
const byteOrderMark = "\ufeff"

// fileMapper is the mapper of a file that is not open. Editors leave a byte order mark out of the text that they show
// and count, and write it back with the file.
func fileMapper(text string, enc encoding) *mapper {
	rest, marked := strings.CutPrefix(text, byteOrderMark)
	if !marked {
		return newMapper(text, enc)
	}
	m := newMapper(rest, enc)
	m.text = text
	for i := range m.lines {
		m.lines[i] += len(byteOrderMark)
	}
	for i := range m.milestones {
		m.milestones[i].at += len(byteOrderMark)
	}
	return m
}

// behind is the rest of a line behind the last milestone that is not too far, with the column at which it begins.
func (m *mapper) behind(line int, far func(milestone) bool) (at, column int, text string) {
	at, text = m.line(line)
	i := sort.Search(len(m.milestones), func(i int) bool {
		x := m.milestones[i]
		return x.line > line || x.line == line && far(x)
	}) - 1
	if i < 0 || m.milestones[i].line != line {
		return at, 0, text
	}
	x := m.milestones[i]
	return x.at, x.column, text[x.at-at:]
}

// line is the text of a line, from 0, without its end.
func (m *mapper) line(n int) (start int, text string) {
	start = m.lines[n]
	end := len(m.text)
	if n+1 < len(m.lines) {
		end = m.lines[n+1]
	}
	return start, strings.TrimRight(m.text[start:end], "\r\n")
}

// width is how much a character counts.
func (m *mapper) width(r rune, size int) int {
	switch {
	case m.enc == protocol.PositionEncodingKindUTF8:
		return size
	case m.enc == protocol.PositionEncodingKindUTF32 || r < 0x10000:
		return 1
	}
	return 2
}

// offset is the byte that a position means.
func (m *mapper) offset(p protocol.Position) int {
	if p.Line < 0 {
		return m.lines[0]
	}
	if p.Line >= len(m.lines) {
		return len(m.text)
	}
	at, column, text := m.behind(p.Line, func(x milestone) bool { return x.column > p.Character })
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if column += m.width(r, size); column > p.Character {
			break
		}
		at, text = at+size, text[size:]
	}
	return at
}

// position is where a byte stands.
func (m *mapper) position(offset int) protocol.Position {
	offset = max(m.lines[0], min(offset, len(m.text)))
	n := sort.Search(len(m.lines), func(i int) bool { return m.lines[i] > offset }) - 1
	at, column, text := m.behind(n, func(x milestone) bool { return x.at > offset })
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if at+size > offset {
			break
		}
		column += m.width(r, size)
		at, text = at+size, text[size:]
	}
	return protocol.Position{Line: n, Character: column}
}

// span is the range of a span.
func (m *mapper) span(s source.Span) protocol.Range {
	return protocol.Range{Start: m.position(int(s.Start)), End: m.position(int(s.End))}
}

// replace is the text with a range replaced. A range that ends before it begins is empty.
func (m *mapper) replace(r protocol.Range, by string) string {
	from, to := m.offset(r.Start), m.offset(r.End)
	return m.text[:from] + by + m.text[max(from, to):]
}

// encodingOf is the encoding that both sides like best: UTF-8, which costs nothing, if the client offers it.
func encodingOf(offered []protocol.PositionEncodingKind) encoding {
	for _, want := range []encoding{protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF32} {
		for _, x := range offered {
			if x == want {
				return want
			}
		}
	}
	return protocol.PositionEncodingKindUTF16
}
