package resource_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bunraku/internal/live"
	"bunraku/puppet/resource"
)

// The facts that the table is made of are those of the Puppet that is installed.
func TestFactsAreLive(t *testing.T) {
	debian := []string{"augeas", "cron", "host", "mount", "selboolean", "selmodule", "ssh_authorized_key", "sshkey"}
	args := append([]string{"--modulepath", live.ModulesDir}, debian...)
	got := facts(t, []byte(live.Ruby(t, "generate/dump.rb", "", args...)))
	recorded, err := os.ReadFile("generate/facts.json")
	if err != nil {
		t.Fatal(err)
	}
	want := facts(t, recorded)
	for name, g := range got {
		if d := cmp.Diff(want[name], g); d != "" {
			t.Errorf("%s (-recorded +live):\n%s", name, d)
		}
	}
	if len(got) != 12+len(debian) {
		t.Errorf("live Puppet knows %d types", len(got))
	}
}

func facts(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var f struct{ Types []map[string]any }
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	for _, typ := range f.Types {
		out[typ["name"].(string)] = typ
	}
	return out
}

func TestKnown(t *testing.T) {
	for _, typ := range resource.Types() {
		if resource.Known(typ.Name) == nil {
			t.Errorf("%s is not found: the table is not sorted", typ.Name)
		}
		for _, v := range typ.Namevars {
			if typ.Attribute(v) == nil {
				t.Errorf("%s: namevar %s is no attribute", typ.Name, v)
			}
		}
	}
	file := resource.Known("File")
	for name, want := range map[string]bool{"mode": true, "name": true, "require": true, "path": true, "nosuch": false} {
		if file.Accepts(name) != want {
			t.Errorf("file accepts %s: %v", name, !want)
		}
	}
	if resource.Known("nosuch") != nil {
		t.Error("nosuch is known")
	}
}
