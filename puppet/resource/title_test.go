package resource_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"bunraku/internal/live"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

type titleCase struct {
	typ, title string
	params     map[string]string
}

// ours answers as testdata/titles.rb does.
func ours(c titleCase) any {
	typ := resource.Known(c.typ)
	attrs, err := resource.ParseTitle(typ, c.title)
	if err != nil {
		return err.Error()
	}
	parsed := []any{}
	for _, a := range attrs {
		parsed = append(parsed, []any{a.Name, string(a.Value.(value.String))})
	}
	key, _ := resource.Key(typ, c.title, func(attr string) value.Value {
		if s, ok := c.params[attr]; ok {
			return value.String(s)
		}
		return nil
	})
	values := []any{}
	for _, v := range key {
		if value.IsUndef(v) {
			values = append(values, nil)
		} else {
			values = append(values, string(v.(value.String)))
		}
	}
	var munged any
	if c.typ == "mount" || c.typ == "file" && strings.HasPrefix(c.title, "/") {
		munged = typ.Munge(typ.Namevar(), c.title)
	}
	return []any{parsed, values, munged}
}

func TestTitlesAsPuppet(t *testing.T) {
	live.Puppet(t)
	cases := []titleCase{
		{"file", "/a", nil}, {"file", "/a/", nil}, {"file", "/", nil}, {"file", "///", nil}, {"file", "C:/", nil},
		{"file", "C://", nil},
		{"file", "", nil}, {"file", "x:/\n", nil}, {"file", "/a/\n", nil}, {"file", "/\n", nil}, {"file", "//a", nil},
		{"file", "//a/b", nil},
		{"file", "/a/../b/./c//", nil}, {"file", "x", map[string]string{"path": "/a/"}}, {"file", ":/", nil},
		{"file", "//..", nil},
		{"package", "p", nil}, {"package", "p", map[string]string{"provider": "gem"}},
		{"package", "t", map[string]string{"name": "p", "command": "/x"}},
		{"exec", "/bin/true\nfoo", nil}, {"exec", "x", map[string]string{"command": "/bin/y"}}, {"user", "", nil},
		{"sshkey", "h@ssh-rsa", nil}, {"sshkey", "h", nil}, {"sshkey", "h@a@b", nil}, {"sshkey", "h\nx@y\nz", nil},
		{"sshkey", "", nil}, {"sshkey", "@", nil},
		{"sshkey", "h", map[string]string{"type": "ssh-rsa"}}, {"mount", "/mnt/", nil}, {"mount", "/", nil},
		{"mount", "//", nil}, {"mount", "/a//", nil},
		{"service", "s", map[string]string{"name": "other"}}, {"tidy", "/tmp", nil}, {"nosuch", "x", nil},
	}
	word := rapid.StringOfN(rapid.RuneFrom([]rune("/ab.:@\n~")), 0, 9, -1)
	gen := rapid.Custom(func(t *rapid.T) titleCase {
		c := titleCase{typ: rapid.SampledFrom([]string{"file", "sshkey", "mount", "package", "cron"}).Draw(t, "type"),
			title: word.Draw(t, "title")}
		if attr := rapid.SampledFrom([]string{"", "path", "name", "type", "provider"}).Draw(t, "attr"); attr != "" &&
			resource.Known(c.typ).Accepts(attr) && attr != "name" {
			c.params = map[string]string{attr: word.Draw(t, "value")}
		}
		return c
	})
	for i := range 500 {
		cases = append(cases, gen.Example(i))
	}
	var in strings.Builder
	for _, c := range cases {
		params := c.params
		if params == nil {
			params = map[string]string{}
		}
		line, _ := json.Marshal([]any{c.typ, c.title, params})
		in.Write(line)
		in.WriteByte('\n')
	}
	answers := strings.Split(strings.TrimSpace(live.Ruby(t, "testdata/titles.rb", in.String())), "\n")
	if len(answers) != len(cases) {
		t.Fatalf("asked %d, got %d answers", len(cases), len(answers))
	}
	wrong := 0
	for i, c := range cases {
		var want any
		if err := json.Unmarshal([]byte(answers[i]), &want); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, ours(c)); d != "" {
			if wrong++; wrong < 10 {
				t.Errorf("%s %q %v (-puppet +ours):\n%s", c.typ, c.title, c.params, d)
			}
		}
	}
	t.Logf("score: titles as Puppet %d/%d", len(cases)-wrong, len(cases))
}
