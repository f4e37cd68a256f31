package manynodes

import (
	"encoding/json"
	"testing"
)

// TestFacts: what is written is what encoding/json writes of it, 300 facts.
func TestFacts(t *testing.T) {
	for _, i := range []int{0, 4, 124, 9_999, 123_456, 999_999} {
		text := Facts(i)
		all := map[string]json.RawMessage{}
		var value any
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		if len(all) != factCount {
			t.Errorf("node %d has %d facts", i, len(all))
		}
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		// Large numbers are written in another way when they are read as any.
		if again, err := json.Marshal(value); i < 10_000 && (err != nil || string(again) != string(text)) {
			t.Errorf("node %d: %s\nis %s (%v)", i, text, again, err)
		}
	}
}
