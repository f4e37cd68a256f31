// Package source holds what every other room needs to speak about text: files, half-open byte spans, line tables,
// and the one Diagnostic type with its rendering. It computes nothing about Puppet or SmartFrog.
//
// It imports nothing of this module. Start reading at File, then Diagnostic.
package source

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// A File is one text that the user gave us. Text is never changed after creation.
type File struct {
	Name string // as shown to people: the path they gave, with forward slashes
	Text string
	// Within is where the text stands in another file, of one that was made of such a text; no place of others.
	Within Place

	once  Once
	lines []uint32 // offset of each line's first byte; computed on the first question

	mu    sync.Mutex
	marks map[uint32][]uint32 // of long lines, by their start: the offset of every markEvery-th character
}

// Lines may have megabytes, and as many places in them may be asked for as they have values: counting characters from
// the beginning each time would take quadratic time.
const (
	longLine  = 8 << 10 // bytes
	markEvery = 1 << 10 // characters
)

// characters counts those between the start of a line and an offset in it.
func (f *File) characters(start, offset uint32) int {
	if offset-start < longLine {
		return utf8.RuneCountInString(f.Text[start:offset])
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	marks, ok := f.marks[start]
	if !ok {
		end := len(f.Text)
		if i := strings.IndexByte(f.Text[start:], '\n'); i >= 0 {
			end = int(start) + i
		}
		count := 0
		for i := range f.Text[start:end] {
			if count%markEvery == 0 {
				marks = append(marks, start+uint32(i))
			}
			count++
		}
		if f.marks == nil {
			f.marks = map[uint32][]uint32{}
		}
		f.marks[start] = marks
	}
	i, found := slices.BinarySearch(marks, offset)
	if !found {
		i--
	}
	return i*markEvery + utf8.RuneCountInString(f.Text[marks[i]:offset])
}

// NewFile returns a file with the given display name and contents.
func NewFile(name, text string) *File { return &File{Name: name, Text: text} }

// Outer is a place in a file that was made of a text in another, as a place there: exact where the text stands there as
// it is, else all of that text. Other places are themselves.
func (p Place) Outer() Place {
	for p.File != nil && p.File.Within.File != nil {
		in := p.File.Within
		if i := strings.Index(in.Text(), p.File.Text); i >= 0 && p.File.Text != "" {
			at := in.Span.Start + uint32(i)
			in.Span = Span{Start: at + p.Span.Start, End: at + p.Span.End}
		}
		p = in
	}
	return p
}

// A Span is a half-open range of byte offsets in some file.
type Span struct{ Start, End uint32 }

// Len is the number of bytes covered.
func (s Span) Len() int { return int(s.End) - int(s.Start) }

// Join returns the smallest span that covers both.
func (s Span) Join(t Span) Span {
	if t.Start < s.Start {
		s.Start = t.Start
	}
	if t.End > s.End {
		s.End = t.End
	}
	return s
}

// Contains reports whether t lies within s.
func (s Span) Contains(t Span) bool { return s.Start <= t.Start && t.End <= s.End }

// A Place is a span of a known file. The zero Place is "nowhere".
type Place struct {
	File *File
	Span Span
}

// Known reports whether the place points into a file.
func (p Place) Known() bool { return p.File != nil }

// String gives file:line:col, the form that editors and terminals make a link.
func (p Place) String() string {
	if p.File == nil {
		return ""
	}
	return p.File.Name + ":" + p.File.Position(p.Span.Start).String()
}

// Line is the 1-based line of the place's start, or 0 when it is nowhere.
func (p Place) Line() int {
	if p.File == nil {
		return 0
	}
	return p.File.Position(p.Span.Start).Line
}

// Text is the source text covered by the place.
func (p Place) Text() string {
	if p.File == nil {
		return ""
	}
	return p.File.Slice(p.Span)
}

// A Position is a place for people: 1-based line and column, the column counted in characters (code points).
type Position struct{ Line, Column int }

func (p Position) String() string { return itoa(p.Line) + ":" + itoa(p.Column) }

func itoa(n int) string {
	var buf [20]byte
	i := len(buf)
	neg := n < 0
	if neg {
		n = -n
	}
	for {
		i--
		buf[i] = byte('0' + n%10)
		n /= 10
		if n == 0 {
			break
		}
	}
	if neg {
		i--
		buf[i] = '-'
	}
	return string(buf[i:])
}

func (f *File) table() []uint32 {
	f.once.Do(func() {
		f.lines = make([]uint32, 1, 1+strings.Count(f.Text, "\n"))
		for i := 0; ; {
			j := strings.IndexByte(f.Text[i:], '\n')
			if j < 0 {
				break
			}
			i += j + 1
			f.lines = append(f.lines, uint32(i))
		}
	})
	return f.lines
}

// Slice is the text of a span, clipped to the file.
func (f *File) Slice(s Span) string {
	n := uint32(len(f.Text))
	if s.End > n {
		s.End = n
	}
	if s.Start > s.End {
		return ""
	}
	return f.Text[s.Start:s.End]
}

// LineOf gives the 1-based line that holds a byte offset.
func (f *File) LineOf(offset uint32) int {
	t := f.table()
	return sort.Search(len(t), func(i int) bool { return t[i] > offset })
}

// Position maps a byte offset to line and column. An offset past the end maps to the end.
func (f *File) Position(offset uint32) Position {
	if int(offset) > len(f.Text) {
		offset = uint32(len(f.Text))
	}
	line := f.LineOf(offset)
	start := f.table()[line-1]
	return Position{line, 1 + f.characters(start, offset)}
}

// UTF16Column is the 0-based column in UTF-16 units, as editors' protocols count.
func (f *File) UTF16Column(offset uint32) int {
	if int(offset) > len(f.Text) {
		offset = uint32(len(f.Text))
	}
	n := 0
	for _, r := range f.Text[f.table()[f.LineOf(offset)-1]:offset] {
		n += utf16.RuneLen(r)
	}
	return n
}

// Line returns the text of a 1-based line without its line end.
func (f *File) Line(n int) string {
	t := f.table()
	if n < 1 || n > len(t) {
		return ""
	}
	end := len(f.Text)
	if n < len(t) {
		end = int(t[n]) - 1
	}
	return strings.TrimSuffix(f.Text[t[n-1]:end], "\r")
}

// LineCount is the number of lines; text that ends in a newline has an empty last line.
func (f *File) LineCount() int { return len(f.table()) }

// Offset maps a 1-based line and column back to a byte offset, clipped to the line.
func (f *File) Offset(p Position) uint32 {
	t := f.table()
	if p.Line < 1 {
		return 0
	}
	if p.Line > len(t) {
		return uint32(len(f.Text))
	}
	start := t[p.Line-1]
	text := f.Line(p.Line)
	for i := range text {
		if p.Column <= 1 {
			return start + uint32(i)
		}
		p.Column--
	}
	return start + uint32(len(text))
}
