package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// call runs the program as a function.
func call(args ...string) (code int, out, err string) {
	var stdout, stderr bytes.Buffer
	code = run(args, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good/manifests/site.pp", "notice('hello')\n")
	bad := write("bad/manifests/site.pp", "notice('hello'\n")
	write("empty/README", "nothing to see\n")
	write("plans/plans/x.pp", "plan plans::x() { return 1 }\n")
	for _, c := range []struct {
		args []string
		code int
		want string // in what is printed
	}{
		{[]string{"version"}, exitFine, "bunraku"},
		{[]string{"--version"}, exitFine, "bunraku"},
		{[]string{"--help"}, exitFine, "completion"},
		{[]string{"parse", good}, exitFine, `(invoke {:functor (qn "notice") :args ["hello"]})`},
		{[]string{"parse", good, good}, exitFine, "--- " + good},
		{[]string{"parse", "--format", "json", good}, exitFine, `"kind"`},
		{[]string{"parse", "--format", "text", good}, exitFine, "notice('hello')\n"},
		{[]string{"parse", "--format", "xml", good}, exitFailed, "pn, json or text"},
		{[]string{"parse", bad}, exitFailed, "is never closed"},
		{[]string{"parse", filepath.Join(dir, "none.pp")}, exitFailed, "there is no file or directory "},
		{[]string{"parse"}, exitFailed, "say what to "},
		{[]string{"check", filepath.Join(dir, "good")}, exitFine,
			"good   1 manifest, 0 templates: no mistake in what was read"},
		{[]string{"check", filepath.Join(dir, "bad")}, exitFailed, "bad   1 manifest, 0 templates: 1 error, 0 warnings"},
		{[]string{"check", filepath.Join(dir, "empty")}, exitFailed, "is it a control repo?"},
		{[]string{"check", filepath.Join(dir, "plans")}, exitFine, "no mistake"},
		{[]string{"check", filepath.Join(dir, "nowhere")}, exitFailed, "there is no file or directory "},
		{[]string{"check", "--format", "json", filepath.Join(dir, "bad")}, exitFailed, `"code": "P0001"`},
		{[]string{"check", "--format", "json", "../../examples/shop"}, exitNo, `"name": "web2.shop.example"`},
		{[]string{"check", "--node", "db1.shop.example", "../../examples/shop"}, exitFine, "1 node on 1 platform"},
		{[]string{"check", "--node", "none", "../../examples/shop"}, exitFailed, "no facts of a node named none"},
		{[]string{"compile", "../../examples/shop"}, exitFailed, "say which node"},
		{[]string{"compile", "../../examples/shop", "--facts", "facts/db1.shop.example.json"}, exitFine,
			`"name": "db1.shop.example"`},
		{[]string{"compile", "../../examples/shop", "--facts", "facts/db1.shop.example.json", "--format", "dot"}, exitFine,
			"digraph"},
		{[]string{"compile", "../../examples/shop", "--facts", "facts/db1.shop.example.json", "--format", "yaml"}, exitFine,
			"environment: shop"},
		{[]string{"compile", "../../examples/shop", "--facts", "facts/db1.shop.example.json", "--format", "xml"}, exitFailed,
			"json, yaml, text or dot"},
		{[]string{"compile", good, "--node", "x", "--strict", "maybe"}, exitFailed, "off, warning or error"},
		{[]string{"nonsense"}, exitFailed, `there is no command "nonsense"`},
	} {
		code, out, err := call(c.args...)
		if code != c.code || !strings.Contains(out+err, c.want) {
			t.Errorf("bunraku %s: exit %d, want %d with %q\n%s%s", strings.Join(c.args, " "), code, c.code, c.want, out, err)
		}
		if strings.Contains(out+err, "\x1b[") {
			t.Errorf("bunraku %s: colour without a terminal", strings.Join(c.args, " "))
		}
	}
}
