package trial_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/explain"
	"bunraku/explain/trial"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/value"
)

// site writes an environment and compiles it for a node n.
func site(t *testing.T, files map[string]string) (*explain.Record, *trial.Bench) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	opt := compiler.Options{Trace: true}
	node := compiler.Node{Facts: &facts.Facts{Name: "n", Values: value.NewHash(value.String("role"), value.String("web"))}}
	c, err := compiler.NewWorkspace(dir, opt).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Compile(context.Background(), node)
	if err != nil {
		t.Fatal(err)
	}
	if res.Failure != nil {
		t.Fatal(res.Failure)
	}
	rec := explain.Of(res.Record())
	return rec, trial.New(rec, dir, opt, node)
}

// verdicts are the places of a slot by their datum's text, with how each decides it.
func verdicts(t *testing.T, rec *explain.Record, b *trial.Bench, most int, ref, attribute string) (out []string) {
	t.Helper()
	a, err := rec.Explain(ref, attribute)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Confirm(context.Background(), a, ref, attribute, most); err != nil {
		t.Fatal(err)
	}
	for _, l := range a.Depends {
		s := l.Text
		if s == "" {
			s = l.Kind
		}
		if l.Decides != "" {
			s += " " + l.Decides
		}
		for _, w := range l.With {
			s += " " + w.Text
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

func TestConfirm(t *testing.T) {
	for _, c := range []struct {
		name, manifest, ref, attribute, want string
	}{
		{"a copy", `notify { 'a': message => 'x' }`, "Notify[a]", "message", "'a' alone; 'x' alone"},
		{"a condition", `if $facts['role'] == 'web' { notify { 'a': message => 'x' } }`, "Notify[a]", "",
			"'a' alone; 'role' alone; 'web' alone; 'web' alone"},
		{"a branch that is not taken", "$y = 1\nclass a($x) { if $x == 1 { $y = 42 } notify { 'a': message => $y } " +
			"}\nclass { 'a': x => 2 }",
			"Notify[a]", "message", "'a' alone; 'a' alone; 1 alone; 1 alone; 2 alone"},
		{"two includes", "class a { notify { 'a': } }\ninclude a\ninclude ::a", "Notify[a]", "",
			"'a' alone; a with another ::a"},
		{"or", "$a = true\n$b = true\nif $a or $b { notify { 'a': } }", "Notify[a]", "", "'a' alone; true with another true"},
		{"nothing can alter it", "$a = 5\nif $a =~ Integer { notify { 'a': } }", "Notify[a]", "", "'a' alone; 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec, b := site(t, map[string]string{"manifests/site.pp": c.manifest})
			if got := strings.Join(verdicts(t, rec, b, 0, c.ref, c.attribute), "; "); got != c.want {
				t.Errorf("the places are %s, want %s", got, c.want)
			}
		})
	}
}

// What a change needs beside it is made: a level leads to a file of its own, a missing key gets a value of its type.
func TestConfirmData(t *testing.T) {
	rec, b := site(t, map[string]string{
		"manifests/site.pp":             "include app",
		"modules/app/manifests/init.pp": "class app(Integer $port = 1) { notify { 'a': message => $port } }",
		"hiera.yaml": "version: 5\nhierarchy:\n  - name: role\n    path: \"role/%{facts.role}.yaml\"\n  " +
			"- name: common\n    path: common.yaml\n",
		"data/common.yaml":   "app::port: 80\n",
		"data/role/web.yaml": "other: 1\n",
	})
	a, err := rec.Explain("Notify[a]", "message")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Confirm(context.Background(), a, "Notify[a]", "message", 0); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"hierarchy.0.path": true, "hierarchy.1.path": true, "hierarchy": true, "app::port": true,
		"role": true}
	for _, l := range a.Depends {
		name := strings.TrimSuffix(l.Path, " in file ")
		if strings.HasPrefix(name, "key app::port in file") {
			name = "app::port"
		}
		if want[name] && l.Decides != explain.Alone {
			t.Errorf("%s %s decides %q", l.Kind, l.Path, l.Decides)
		}
	}
	if a.Core.Confirmed < 8 {
		t.Errorf("%+v", a.Core)
	}
}

// A limit bounds the compiles, and what it leaves is counted as left, never as idle.
func TestConfirmLimit(t *testing.T) {
	rec, b := site(t, map[string]string{"manifests/site.pp": `if $facts['role'] == 'web' { notify { 'a': message => 'x' } }`})
	a, err := rec.Explain("Notify[a]", "message")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Confirm(context.Background(), a, "Notify[a]", "message", 1); err != nil {
		t.Fatal(err)
	}
	if c := a.Core; c.Confirmed != 2 || c.Left != len(a.Depends)-2 || c.Idle+c.Stops != 0 {
		t.Errorf("one compile and one copy confirm %+v of %d", c, len(a.Depends))
	}
}
