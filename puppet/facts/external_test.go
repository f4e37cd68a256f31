package facts

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// What files state is what facter takes from them: it is asked.
func TestExternalAgainstFacter(t *testing.T) {
	live.Puppet(t) // which brings facter
	dir := t.TempDir()
	files := map[string]string{
		"a.txt":   "x_role=web\nx_Site = b \n\nx_no\n=x\nx_eq=a=b\r\nx_role2=\n  x_blank=1\n",
		"b.yaml":  "x_int: 1\nX_Upper: yes\nx_deep:\n  a: [1, 2.5, null]\n  b: {c: true}\nx_null: ~\nx_text: '7'\n",
		"c.json":  `{"x_json": {"k": [1, "two", false]}, "x_float": 2.0}`,
		"d.yaml":  "- a\n- b\n",
		"e.json":  "{",
		"f.other": "x_other=1\n",
		"g.YAML":  "x_loud: 1\n",
	}
	ours := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o644); err != nil {
			t.Fatal(err)
		}
		h, ok := External("/etc/facter/facts.d/"+name, files[name])
		if !ok {
			continue
		}
		var part map[string]any
		if err := json.Unmarshal([]byte(New("n", h).JSON()), &part); err != nil {
			t.Fatal(err)
		}
		maps.Copy(ours, part["values"].(map[string]any))
	}
	out, err := live.Command("facter", "--json", "--external-dir", dir).Output()
	if len(out) == 0 {
		t.Fatal("facter cannot be run: ", err)
	}
	var all map[string]any
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	theirs := map[string]any{}
	for name, v := range all {
		if strings.Contains(name, "x_") {
			theirs[name] = v
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if v, has := theirs[name]; !has || !reflect.DeepEqual(plain(v), plain(ours[name])) {
			t.Errorf("%s is %v, facter has %v", name, ours[name], v)
		}
	}
	for name, v := range theirs {
		if _, has := ours[name]; !has {
			t.Errorf("facter has %s, which is %v", name, v)
		}
	}
	if len(theirs) < 8 {
		t.Errorf("facter has only %v", theirs)
	}
}

// plain is a value as Puppet gets it from facter: null is the empty text.
func plain(v any) any {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}
