package source

import (
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"
)

// Columns of long lines are counted from marks, and are those that counting from the beginning gives.
func TestLongLines(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	pieces := []string{"a", "é", "語", "😀", "\xff", "\t", "bcd efg"}
	var b strings.Builder
	for range 5 {
		for range r.Intn(30000) {
			b.WriteString(pieces[r.Intn(len(pieces))])
		}
		b.WriteString("\n")
	}
	text := b.String()
	f := NewFile("f", text)
	for range 3000 {
		at := r.Intn(len(text) + 1)
		start := strings.LastIndexByte(text[:at], '\n') + 1
		want := Position{1 + strings.Count(text[:at], "\n"), 1 + utf8.RuneCountInString(text[start:at])}
		if got := f.Position(uint32(at)); got != want {
			t.Fatalf("offset %d: %v, want %v", at, got, want)
		}
	}
}
