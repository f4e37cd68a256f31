package source

import (
	"math/rand/v2"
	"testing"
)

// What is told of two names by one look at them is what their distance tells.
func TestNearly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, r.IntN(7))
		for i := range b {
			b[i] = "ab:"[r.IntN(3)]
		}
		return string(b)
	}
	near := 0
	for range 100_000 {
		a, b := word(), word()
		want := distance(a, b, 1) <= 1
		if nearly(a, b) != want {
			t.Fatalf("%q and %q: %v", a, b, !want)
		}
		if want {
			near++
		}
	}
	if near < 1000 {
		t.Errorf("only %d pairs are near", near)
	}
}
