package fleet

import (
	"testing"

	"bunraku/puppet/trace"
)

// What is asked of a whole file of data has no key that could be named.
func TestInWords(t *testing.T) {
	for part, want := range map[string]string{"\x00": "what Hiera has in c.yaml",
		"\x00k": "Hiera's value of k in c.yaml"} {
		if got := inWords(trace.Question{Kind: trace.Datum, Of: "/env/data/c.yaml", Part: part}); got != want {
			t.Errorf("%q: %s", part, got)
		}
	}
}
