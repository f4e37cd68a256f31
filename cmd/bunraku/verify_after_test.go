package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verify --after REV and --after FILE say what a run does to a machine that has the old catalog.
func TestVerifyAfter(t *testing.T) {
	s := newRepository(t)
	s.edit("data/role/web.yaml", "conf_mode: '0640'", "conf_mode: '0600'")
	s.edit("data/common.yaml", "  - rsync\n", "  - htop\n")
	verify := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := run(append([]string{"verify", s.dir, "--node", "web1.shop.example"}, args...), strings.NewReader(""), &out,
			&errs)
		if errs.Len() > 0 {
			t.Log(errs.String())
		}
		return code, out.String()
	}
	const want = `
on a machine that has main (` // and the commit
	_, text := verify("--after", "main")
	if !strings.Contains(text, want) {
		t.Errorf("%s", text)
	}
	acts := `   Package[htop] installed
   File[/etc/nginx/nginx.conf] changed: mode, always
   File[/etc/nginx/conf.d/shop.example.conf] changed: mode, always
   Service[nginx] restarted because of File[/etc/nginx/nginx.conf], always
   Exec[basket store] fails, as in every run of the old catalog: /var/lib/baskets is there already
   left behind: Package[rsync]
`
	if !strings.Contains(text, acts) {
		t.Errorf("%s\nwant\n%s", text, acts)
	}
	var doc struct {
		After struct {
			Acts []struct {
				Resource struct{ Ref string }
				Verb     string
				Because  string `json:"because_of"`
			}
			Left []string `json:"left_behind"`
		}
	}
	_, text = verify("--after", "main", "--format", "json")
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if n := len(doc.After.Acts); n != 4 || doc.After.Acts[3].Because != "File[/etc/nginx/nginx.conf]" ||
		len(doc.After.Left) != 1 {
		t.Errorf("%s", text)
	}
	// The same catalog, from a file: nothing changes.
	var out, errs bytes.Buffer
	if code := run([]string{"compile", s.dir, "--node", "web1.shop.example"}, strings.NewReader(""), &out,
		&errs); code != 0 {
		t.Fatal(errs.String())
	}
	file := filepath.Join(t.TempDir(), "old.json")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	_, text = verify("--after", file)
	if !strings.Contains(text, "on a machine that has old.json\n   Exec[basket store] fails, as in every run") {
		t.Errorf("%s", text)
	}
	if code, _ := verify("--after", "no-such-branch"); code != exitFailed {
		t.Errorf("exits with %d", code)
	}
}
