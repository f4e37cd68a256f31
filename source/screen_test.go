package source

import (
	"encoding/json"
	"encoding/xml"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEscape(t *testing.T) {
	for _, x := range [][2]string{
		{"plain text: a::b # c ## d\n\tx", "plain text: a::b # c ## d\n\tx"},
		{"é 日本 😀", "é 日本 😀"},
		{"\x1b[2J\a\r", `\u{1b}[2J\u{7}\u{d}`},
		{"\x7f\u009b2J\u202e\u2066\u200f\u2028", `\u{7f}\u{9b}2J\u{202e}\u{2066}\u{200f}\u{2028}`},
		{"a\xff\x9bb", `a\xff\x9bb`},
		{"::error::x\n  ::warning::\n\t \u00a0::x a ::y", `\u{3a}:error::x` + "\n  " + `\u{3a}:warning::` + "\n\t \u00a0" +
			`\u{3a}:x a ::y`},
		{"##[error]x ##vso[task] ###[x] ## [", `#\u{23}[error]x #\u{23}vso[task] ##\u{23}[x] ## [`},
	} {
		if got := string(Escape(nil, x[0], Plain, true)); got != x[1] {
			t.Errorf("%q: got %s, want %s", x[0], got, x[1])
		}
		if Harmless(x[0]) != (x[0] == x[1]) {
			t.Errorf("%q: harmless is %v", x[0], Harmless(x[0]))
		}
	}
	if got := string(Escape(nil, "::x", Plain, false)); got != "::x" {
		t.Errorf("in the middle of a line: %s", got)
	}
}

// Whatever is escaped is harmless, and JSON and XML stay what they were.
func TestEscapeKeepsFormats(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", " ", "\n", "::", "##[", "##x[", "#", ":", "\x1b", "\u009b", "\u202e", "\x7f",
		"é", "\\", "\"", "<", "&"})
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, p := range rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces") {
			text += p
		}
		if got := string(Escape(nil, text, Plain, true)); !Harmless(got) || !utf8.ValidString(got) {
			t.Fatalf("%q becomes %q", text, got)
		}
		doc, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		doc = Escape(nil, string(doc), Quoted, true)
		var back string
		if err := json.Unmarshal(doc, &back); err != nil || back != text || !Harmless(string(doc)) {
			t.Fatalf("%q becomes %s, which is %q: %v", text, doc, back, err)
		}
		type element struct {
			Text string `xml:",chardata"`
		}
		doc, err = xml.Marshal(element{text})
		if err != nil {
			t.Fatal(err)
		}
		doc = Escape(nil, string(doc), Markup, true)
		var want, e element
		plain, _ := xml.Marshal(element{text})
		if xml.Unmarshal(plain, &want) != nil || xml.Unmarshal(doc, &e) != nil || e.Text != want.Text ||
			!Harmless(string(doc)) {
			t.Fatalf("%q becomes %s, which is %q", text, doc, e.Text)
		}
	})
}
