package ruby

import (
	"fmt"
	"testing"
)

// YAML is read as Ruby's library reads it, by each of the functions and with each of the options that code uses.
func TestReadYAML(t *testing.T) {
	texts := []string{
		"", "---\n", "# nothing\n", "a: 1\nb: [x, 2.5, null, yes, ~]\n", "- a\n- - b\n  - c\n- {d: e}\n", "plain text", "12",
		":sym",
		"a: :sym\n:b: c\n", ":\"quoted one\": 1", "? [a, b]\n: c\n", "1: one\n2.5: x\ntrue: y\n~: z\n",
		"a: 010\nb: 0x1f\nc: 1_000\nd: 1:30\n",
		"x: &A {k: v}\ny: *A\n", "x: &A [1, 2]\ny: {<<: {z: 1}, q: *A}\n", "base: &B {a: 1, b: 2}\nd:\n  <<: *B\n  b: 3\n",
		"base: &B {a: 1}\nc: &C {a: 2, c: 3}\nd:\n  a: 0\n  <<: [*B, *C]\n", "d:\n  <<: text\n", "d:\n  <<: [1, 2]\n",
		"a: *nope\n",
		"r: !ruby/regexp /^elastic20(55|73)\\.x$/\n", "r: !ruby/regexp /a.b/mix\n", "r: !ruby/regexp '/a\\/b/i'\n",
		"s: !ruby/symbol abc\n",
		"s: !ruby/sym abc\n", "a: 2024-01-02\n", "a: 2024-01-02 03:04:05\n", "r: !ruby/range 1..3\n",
		"o: !ruby/object:Foo {a: 1}\n",
		"o: !ruby/object {a: 1}\n", "h: !ruby/hash:Foo {a: 1}\n", "a: !custom {x: 1}\n", "a: !custom text\n", "a: !!str 12\n",
		"a: ! 12\n",
		"a: \"x\\ty\"\nb: 'it''s'\n", "a: |\n  lines\n  more\nb: >\n  folded\n  text\n", "a: [1, 2\n", "a: b: c\n",
		"\tx: 1\n", "'a': {\n",
		"a: 1\n---\nb: 2\n", "%YAML 1.1\n---\na: 1\n", "a: 12345678901234567890\n", "a: .inf\nb: -.inf\n",
		"a: 1e3\nb: 1.5e+3\nc: .5\n",
		"- &x a\n- *x\n- &x b\n- *x\n", "a: &e {}\nb: *e\n", "set: !!set {a, b}\n", "\ufeffa: 1\n", "a: \"\\u00e9\"\nb: é\n",
		"{a: 1, a: 2}\n",
		"<<: {a: 1}\n", "!!str <<: {a: 1}\n", "'<<': {a: 1}\n", "a: :\"x y\"\n", "a: ':x'\n", "a: :1\n",
		"a: 08\nb: 0o17\nc: 0b11\n",
	}
	calls := []string{"YAML.load(%s)", "YAML.safe_load(%s)", "YAML.safe_load(%s, aliases: true)", "YAML.unsafe_load(%s)",
		"YAML.safe_load(%s, permitted_classes: [Regexp, Symbol], aliases: true, filename: '/x/y.yaml')",
		"YAML.load(%s, symbolize_names: true)", "YAML.safe_load(%s, permitted_symbols: %%w[sym b])",
		"YAML.safe_load(%s, permitted_classes: [Symbol], permitted_symbols: %%i[sym b])",
		"YAML.load(%s, fallback: 7)", "YAML.safe_load(%s, aliases: true, freeze: true).frozen?"}
	var codes []string
	for _, text := range texts {
		for _, c := range calls {
			call := fmt.Sprintf(c, inspectText(text))
			codes = append(codes, call, "begin; "+call+"; rescue Psych::Exception => e; [e.class.name, e.message]; end")
		}
	}
	codes = append(codes, "x = YAML.unsafe_load(\"a: &x [1]\\nb: *x\\n\"); x['a'] << 2; x",
		"YAML.load(StringIO.new('a: 1'))",
		"YAML.load('a: b').map { |k, v| [k.frozen?, v.frozen?] }", "YAML.load('a', 'b') rescue $!.class",
		"x = YAML.unsafe_load(\"&x [1, *x]\"); x.inspect")
	differ(t, codes)
}
