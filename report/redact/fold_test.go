package redact

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bunraku/source"
)

func TestFold(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
	}{
		{"short", "one two\n", "one two\n"},
		{"of the very width", strings.Repeat("x", 19) + " " + strings.Repeat("y", 20) + "\n",
			strings.Repeat("x", 19) + " " + strings.Repeat("y", 20) + "\n"},
		{"prose", "nothing takes the key web::vhots: class web has no parameter\n",
			"nothing takes the key web::vhots: class\n  web has no parameter\n"},
		{"what stands inside", "   help: put those of real nodes into facts/ to check\n",
			"   help: put those of real nodes into\n     facts/ to check\n"},
		{"a word that does not fit", strings.Repeat("x", 50) + " and\n", strings.Repeat("x", 50) + "\n  and\n"},
		{"a path stays whole", "see " + strings.Repeat("/dir", 12) + "\n", "see\n  " + strings.Repeat("/dir", 12) + "\n"},
		{"source", "   12 | $a = 'a text that is longer than that'\n      |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n",
			"   12 | $a = 'a text that is longer than that'\n      |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"},
		{"columns", "  web1.example.com     4 resources     fine and so on\n",
			"  web1.example.com     4 resources\n    fine and so on\n"},
		{"letters of several bytes", strings.Repeat("ä", 40) + "\n", strings.Repeat("ä", 40) + "\n"},
		{"letters of two columns", strings.Repeat("値", 15) + " " + strings.Repeat("値", 10) + "\n",
			strings.Repeat("値", 15) + "\n  " + strings.Repeat("値", 10) + "\n"},
		{"marks above letters", strings.Repeat("e\u0301", 20) + " " + strings.Repeat("e\u0301", 19) + "\n",
			strings.Repeat("e\u0301", 20) + " " + strings.Repeat("e\u0301", 19) + "\n"},
		{"without an end", "nothing takes the key web::vhots: class web", "nothing takes the key web::vhots: class\n  web"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			s := NewScreen(&out, &Secrets{}, false)
			s.Fold(func() int { return 40 })
			fmt.Fprint(s, c.text)
			s.Flush()
			if out.String() != c.want {
				t.Errorf("got\n%swant\n%s", &out, c.want)
			}
		})
	}
}

// Folding takes no word away and adds none, no line is longer than it must be, and what programs read stays as it is.
func TestFoldRandom(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 50))
		width := least + r.IntN(60)
		var text strings.Builder
		for range r.IntN(40) {
			word := strings.Repeat(string("aä|_"[r.IntN(2)]), 1+r.IntN(20))
			text.WriteString(word + []string{" ", " ", " ", "  ", "\n", "\n   "}[r.IntN(6)])
		}
		for _, colour := range []bool{false, true} {
			var out, as bytes.Buffer
			s, whole := NewScreen(&out, &Secrets{}, colour), NewScreen(&as, &Secrets{}, colour)
			s.Fold(func() int { return width })
			whole.Fold(func() int { return width })
			said := text.String()
			if words := strings.Fields(said); colour && len(words) > 0 {
				said = strings.Replace(said, words[0], s.Style().Error(words[0]), 1)
			}
			fmt.Fprint(s, said)
			s.Flush()
			got := colourCodes.ReplaceAllString(out.String(), "")
			if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(text.String()), " ") {
				t.Fatalf("other words: %q of %q", got, text.String())
			}
			for line := range strings.Lines(got) {
				if shown(strings.TrimRight(line, "\n ")) > width && len(strings.Fields(line)) > 1 {
					t.Fatalf("%d columns: %q", width, line)
				}
			}
			fmt.Fprint(whole.As(source.Quoted), text.String())
			whole.Flush()
			if as.String() != text.String() {
				t.Fatalf("%q became %q", text.String(), as.String())
			}
		}
	}
}
