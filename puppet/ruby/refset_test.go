package ruby

import (
	"math/rand"
	"testing"

	"bunraku/provenance"
)

// A refSet answers as a map does.
func TestRefSet(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var s refSet
	seen := map[provenance.Ref]bool{}
	for range 20_000 {
		ref := provenance.Ref(1 + r.Intn(5_000)*r.Intn(7_000))
		if s.add(ref) == seen[ref] {
			t.Fatalf("%d: new is %v", ref, seen[ref])
		}
		seen[ref] = true
	}
}
