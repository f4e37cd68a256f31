package psych_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/psych"
)

// snakeTexts writes random texts as documents, values, keys and elements.
const snakeTexts = `require 'yaml'; require 'json'
srand(7)
pool = ["a", "b", " ", "\n", ":", "#", "'", "\"", "\\", "é", "✓", "😀", "\u00a0", "\ufeff", "\u007f", "\u0080", "\u001f", "\u0001", "\t",
  "-", "?", "!", "&", "*", "{", "}", "[", "]", ",", "|", ">", "%", "@", "\u0060", "0", "1", ".", "_", "y", "~", "=", "<", "word ",
  "long words here "]
texts = [""] + Array.new(600) { Array.new(1 + rand(9)) { pool[rand(pool.size)] }.join }
texts += Array.new(100) { Array.new(20 + rand(30)) { pool[rand(pool.size)] }.join }
[126, 127, 128, 129].each { |n| texts << "k" * n << "é" * n << "é" * (n / 2) }
puts JSON.generate(texts.uniq.map { |t| [t, t.to_yaml, {'k' => t}.to_yaml, {t => 1}.to_yaml, [[t]].to_yaml] })
`

// TestAcceptOlder: texts are written as the Ruby of puppetserver 7 writes them, which is JRuby with SnakeYAML, and as
// the Ruby of agents does.
func TestAcceptOlder(t *testing.T) {
	live.Accept(t)
	script := filepath.Join(t.TempDir(), "texts.rb")
	if err := os.WriteFile(script, []byte(snakeTexts), 0o600); err != nil {
		t.Fatal(err)
	}
	for ruby, older := range map[string]bool{"jruby": true, "ruby": false} {
		live.PathOf(t, "/usr/bin/"+ruby, ruby)
		out, err := exec.Command(ruby, script).Output()
		if err != nil {
			t.Fatal(ruby, err)
		}
		var all [][]string
		if err := json.Unmarshal(out, &all); err != nil || len(all) < 600 {
			t.Fatal(ruby, len(all), err)
		}
		equal := 0
		for _, x := range all {
			for i, want := range x[1:] {
				if got := written(x[0], i, older); got != want {
					t.Errorf("%q\nours %q\n%s %q", x[0], got, ruby, want)
				} else {
					equal++
				}
			}
		}
		t.Logf("%s: %d of %d documents are equal", ruby, equal, 4*len(all))
	}
}

// written is a text as a document, a value, a key or an element.
func written(s string, as int, older bool) string {
	text := psych.Text(s, 0)
	if older {
		text = psych.Older(s, 0)
	}
	root := text
	switch as {
	case 1:
		root = &psych.Node{Kind: psych.Mapping, Items: []*psych.Node{psych.Text("k", 0), text}}
	case 2:
		root = &psych.Node{Kind: psych.Mapping, Items: []*psych.Node{text, {Text: "1"}}}
	case 3:
		inner := &psych.Node{Kind: psych.Sequence, Items: []*psych.Node{text}}
		root = &psych.Node{Kind: psych.Sequence, Items: []*psych.Node{inner}}
	}
	return psych.Emit(root, psych.Options{Older: older})
}

// TestOlderFloat: what JRuby has said.
func TestOlderFloat(t *testing.T) {
	for f, want := range map[float64]string{1e14: "100000000000000.0", 1e15: "1000000000000000.0",
		-1e16: "-10000000000000000.0", 123456789012345680: "123456789012345680.0", 9.3e18: "9300000000000000000.0",
		1e19: "1.0e+19", 3333333333333333.5: "3333333333333333.5", 1e-5: "1.0e-05", 0.0001: "0.0001"} {
		if got := psych.OlderFloat(f); got != want {
			t.Errorf("%v: %s, not %s", f, got, want)
		}
	}
}

// TestOlder: what JRuby has said.
func TestOlder(t *testing.T) {
	for _, x := range []struct {
		text string
		as   int
		want string
	}{
		{"😀", 0, "--- \"😀\"\n"}, {"\u00a0", 0, "--- \"\\_\"\n"}, {"\ufeff", 0, "--- \"\ufeff\"\n"},
		{"", 2, "---\n? ''\n: 1\n"},
		{"a\x1f", 0, "--- \"a\\x1f\"\n"}, {strings.Repeat("k", 128), 2, "---\n? " + strings.Repeat("k", 128) + "\n: 1\n"},
	} {
		if got := written(x.text, x.as, true); got != x.want {
			t.Errorf("%q: %q, not %q", x.text, got, x.want)
		}
	}
}
