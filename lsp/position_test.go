package lsp

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"bunraku/lsp/protocol"
)

var encodings = []encoding{protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16,
	protocol.PositionEncodingKindUTF32}

// units is a text in units of an encoding. It, and what is called naive, share nothing with mapper.
func units(s string, enc encoding) (out []uint32) {
	switch enc {
	case protocol.PositionEncodingKindUTF8:
		for _, b := range []byte(s) {
			out = append(out, uint32(b))
		}
	case protocol.PositionEncodingKindUTF16:
		for _, u := range utf16.Encode([]rune(s)) {
			out = append(out, uint32(u))
		}
	default:
		for _, r := range s {
			out = append(out, uint32(r))
		}
	}
	return out
}

// lines splits a text; every line keeps its end.
func lines(s string) []string {
	s = strings.ReplaceAll(s, "\r\n", "\x00")
	s = strings.ReplaceAll(s, "\r", "\x01")
	s = strings.ReplaceAll(s, "\n", "\x02")
	s = strings.NewReplacer("\x00", "\x00\x03", "\x01", "\x01\x03", "\x02", "\x02\x03").Replace(s)
	out := strings.Split(s, "\x03")
	for i := range out {
		out[i] = strings.NewReplacer("\x00", "\r\n", "\x01", "\r", "\x02", "\n").Replace(out[i])
	}
	return out
}

// naiveOffset finds the byte of a position unit by unit, from the beginning of the text.
func naiveOffset(s string, p protocol.Position, enc encoding) int {
	at := 0
	all := lines(s)
	for i, line := range all {
		if i < p.Line {
			at += len(line)
			continue
		}
		text := strings.TrimRight(line, "\r\n")
		best := 0
		for j := range text + "x" { // every beginning of a character, and the end
			if len(units(text[:j], enc)) <= p.Character {
				best = j
			}
		}
		return at + best
	}
	return at
}

func clean(s string) string {
	return strings.NewReplacer("\x00", "", "\x01", "", "\x02", "", "\x03", "").Replace(strings.ToValidUTF8(s, "?"))
}

func FuzzMapper(f *testing.F) {
	for _, s := range []string{"", "a", "a\nb", "ä\r\n𝄞x\ry\n\n", "\r\r\n\n\r", "é́\u2028x", "𝄞𝄞𝄞"} {
		f.Add(s, 1, 1, 3)
	}
	f.Fuzz(func(t *testing.T, s string, line, character, offset int) {
		s = clean(s)
		if line < 0 || character < 0 || offset < 0 || len(s) > 1000 {
			return
		}
		for _, enc := range encodings {
			m := newMapper(s, enc)
			p := protocol.Position{Line: line % (len(m.lines) + 2), Character: character % (len(s) + 3)}
			got, want := m.offset(p), naiveOffset(s, p, enc)
			if got != want {
				t.Fatalf("%q %s: %v is %d, want %d", s, enc, p, got, want)
			}
			if back := m.offset(m.position(got)); back != got {
				t.Fatalf("%q %s: %d comes back as %d", s, enc, got, back)
			}
			q := m.position(offset % (len(s) + 2))
			if n := len(m.lines); q.Line >= n || m.position(m.offset(q)) != q {
				t.Fatalf("%q %s: %d is %v", s, enc, offset, q)
			}
		}
	})
}

// TestEdits: random edits, some of them nonsense, leave the text that a client has.
func TestEdits(t *testing.T) {
	rounds := 20_000
	if testing.Short() {
		rounds = 2_000
	}
	pieces := []string{"", "a", "\n", "\r\n", "\r", "ä", "𝄞", "x\ny", "class a { }", "\n\n\n", "é\u0301"}
	r := rand.New(rand.NewPCG(1, 2))
	for _, enc := range encodings {
		d := &document{mapper: newMapper("class a {\n}\n", enc)}
		text := d.text
		for i := range rounds {
			pos := func() protocol.Position {
				n := len(d.lines)
				return protocol.Position{Line: r.IntN(n + 1), Character: r.IntN(12)}
			}
			a, b := pos(), pos()
			by := pieces[r.IntN(len(pieces))]
			from, to := naiveOffset(text, a, enc), naiveOffset(text, b, enc)
			text = text[:from] + by + text[max(from, to):]
			d = d.edited(i, []protocol.TextDocumentContentChangePartial{{Range: &protocol.Range{Start: a, End: b}, Text: by}})
			if d.text != text {
				t.Fatalf("%s, round %d: %q, want %q", enc, i, d.text, text)
			}
			if len(text) > 300 {
				d = d.edited(i, []protocol.TextDocumentContentChangePartial{{Text: "new\n"}})
				text = "new\n"
			}
		}
	}
}

// TestMoved: a range goes with the text around it: what it covers stays the same.
func TestMoved(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5_000 {
		enc := encodings[r.IntN(3)]
		m := newMapper("aä𝄞b\ncd𝄞e\n\nfgh\n", enc)
		at := func() protocol.Position { return m.position(r.IntN(len(m.text) + 1)) }
		x := protocol.Range{Start: at(), End: at()}
		c := protocol.TextDocumentContentChangePartial{Range: &protocol.Range{Start: at(), End: at()},
			Text: []string{"", "zz", "\n", "𝄞\n𝄞"}[r.IntN(4)]}
		if before(x.End, x.Start) || before(c.Range.End, c.Range.Start) {
			continue
		}
		to, ok := moved(x, c, enc)
		if !ok {
			continue
		}
		after := newMapper(m.replace(*c.Range, c.Text), enc)
		was, is := m.text[m.offset(x.Start):m.offset(x.End)], after.text[after.offset(to.Start):after.offset(to.End)]
		if was != is {
			t.Fatalf("%v %q became %v %q by %v %q", x, was, to, is, *c.Range, c.Text)
		}
	}
}

// TestLongLines: positions of lines that are long are found as those of short ones are, and without reading the line
// for each of them.
func TestLongLines(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, enc := range encodings {
		var b strings.Builder
		for b.Len() < 8_000 {
			b.WriteString([]string{"a", "ä", "𝄞", "word ", "€"}[r.IntN(5)])
			if r.IntN(2000) == 0 {
				b.WriteString("\r\n")
			}
		}
		s := b.String()
		m := newMapper(s, enc)
		for range 10 {
			p := protocol.Position{Line: r.IntN(len(m.lines)), Character: r.IntN(8_000)}
			got := m.offset(p)
			if want := naiveOffset(s, p, enc); got != want {
				t.Fatalf("%s: %v is %d, want %d", enc, p, got, want)
			}
			start := m.lines[p.Line]
			if q := m.position(got); q.Line != p.Line || q.Character != len(units(s[start:got], enc)) {
				t.Fatalf("%s: %d is %v", enc, got, q)
			}
		}
		m = newMapper(strings.Repeat("ä€ x", 250_000), enc)
		for at := 0; at < len(m.text); at += 7 * 10 {
			if back := m.offset(m.position(at)); back != at {
				t.Fatalf("%s: %d comes back as %d", enc, at, back)
			}
		}
	}
}
