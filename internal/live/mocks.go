package live

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Mocks turns what functions answered Puppet that ask the world, as it was recorded at a real node, into a file of
// answers that ours replay. Booleans were recorded as text, so both are offered.
func Mocks(t testing.TB, recorded string) string {
	text, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	var calls, out []map[string]any
	if err := json.Unmarshal(text, &calls); err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		args, _ := c["args"].([]any)
		read := make([]any, len(args))
		for i, a := range args {
			switch a {
			case "true", "false":
				read[i] = a == "true"
			default:
				read[i] = a
			}
		}
		out = append(out, map[string]any{"function": c["function"], "arguments": read, "result": c["result"]},
			map[string]any{"function": c["function"], "arguments": args, "result": c["result"]})
	}
	if text, err = json.Marshal(out); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mocks.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
