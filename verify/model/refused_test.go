package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// TestRefusedLikePuppet gives every attribute that is checked here many values, and asks Puppet about each: nothing is
// refused that Puppet accepts, and what both refuse they refuse in the same words.
func TestRefusedLikePuppet(t *testing.T) {
	live.Puppet(t)
	pool := []any{"true", "false", true, false, "yes", "no", "Running", "running", "stopped", "present", "absent", "", 0,
		1, 644, "0644", "644", "999", "u=rw,g=r", "rw-r--r--", "a+X",
		"rel", "/abs", "/abs/", "http://x/y", "puppet:///modules/x/y", "file:///x", "a,b", "a:b", "grep x /y", "/bin/true",
		"'/bin/a b' c", "\"rel\" c", []any{"rel", "/y"}, []any{"/x", "/y"},
		"remote", "manage", "follow", "mounted", "defined", "unmounted", "role", "inclusive", "minimum", "12", "0o644",
		"07777", "12345", "mask", "manual", "on_failure", "inf", "u+", "=", "g=u"}
	var cases [][3]any
	for _, typ := range []string{"Service", "Exec", "File", "User", "Group", "Notify", "Mount"} {
		for _, rule := range recordOf(typ).Refuses {
			for _, v := range pool {
				title := map[string]string{"Exec": "/bin/true", "File": "/x", "Mount": "/x"}[typ]
				if title == "" {
					title = "x"
				}
				cases = append(cases, [3]any{typ, title, map[string]any{rule.attr: v}})
			}
		}
	}
	cases = append(cases, [3]any{"File", "rel", map[string]any{}},
		[3]any{"File", "/x", map[string]any{"content": "a", "source": "/b"}},
		[3]any{"File", "/x", map[string]any{"target": "/b", "source": "/b"}},
		[3]any{"File", "/x", map[string]any{"source": "/b", "checksum": "none"}},
		[3]any{"File", "/x", map[string]any{"source": "/b", "checksum": "mtime"}},
		[3]any{"Exec", "foo bar", map[string]any{}}, [3]any{"Exec", "foo bar", map[string]any{"path": "/bin"}},
		[3]any{"Exec", "foo bar", map[string]any{"provider": "shell"}},
		[3]any{"Exec", "x", map[string]any{"command": "/bin/x", "unless": "grep x"}},
		[3]any{"Exec", "x", map[string]any{"command": []any{"foo", "/bar"}}})
	stdin, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSpace(live.Ruby(t, "testdata/refused.rb", string(stdin))), "\n")
	if len(answers) != len(cases) {
		t.Fatalf("%d answers to %d questions", len(answers), len(cases))
	}
	both, theirs := 0, 0
	for i, c := range cases {
		var said string
		if err := json.Unmarshal([]byte(answers[i]), &said); err != nil {
			t.Fatal(answers[i])
		}
		r := &catalog.Resource{Type: c[0].(string), Title: c[1].(string), Kind: catalog.CompilableType}
		for k, v := range c[2].(map[string]any) {
			r.Params = append(r.Params, catalog.Param{Name: k, Value: plainValue(v)})
		}
		refused := Refused(r)
		switch {
		case len(refused) > 0 && said == "":
			t.Errorf("%v: Puppet accepts it; here: %s", c, refused[0].Text)
		case len(refused) == 0 && said != "":
			theirs++
		case len(refused) > 0:
			both++
			if refused[0].Text != said {
				t.Errorf("%v: got %s, want %s", c, refused[0].Text, said)
			}
		}
	}
	t.Logf("%d questions: both refuse %d, only Puppet %d", len(cases), both, theirs)
	if both < 100 {
		t.Errorf("only %d refused", both)
	}
}

func plainValue(v any) value.Value {
	switch v := v.(type) {
	case string:
		return value.String(v)
	case bool:
		return value.Bool(v)
	case int:
		return value.Int(v)
	case []any:
		b := value.NewArrayBuilder(len(v))
		for _, e := range v {
			b.Add(plainValue(e))
		}
		return b.Array()
	}
	panic(fmt.Sprint(v))
}
