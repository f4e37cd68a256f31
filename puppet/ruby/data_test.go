package ruby

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// Random plain data is written as JSON and YAML just as Ruby writes it.
func TestData(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	words := []string{"", "a", "foo bar", "yes", "No", "true", "null", "~", "1", "0123", "08", "1.5", "1e3", "0x1f",
		"1_000", "12:30", "12:30:45", "2024-01-02", "2024-13-45", "2024-01-02 03:04:05", ":sym", "- x", "-", "--- x", "...",
		"# c", "a # b", "a: b", "a:b", "key:",
		"'q'", `"dq"`, `it's "x"`, "multi\nline", "multi\nline\n", "end\n", "end\n\n", "\nlead", "  lead", "trail ",
		"tab\there", "back\\slash", "é", "日本", "😀", "\u0007", "[x]", "{x}", "a, b", "*a", "&a", "!x", "|", ">", "%x", "@x",
		"`x`", "=", "<<", "?", "? x", "y", "n", "on", "OFF", ".inf", ".", "+", "+1", "1,000", "0b11", "0o17", "0.", ".5",
		"a\n  b\nc", " \n", "x\n \ny", "a\u00a0b", "NULL", "nan", ".NaN", "127.0.0.1", "/path/to", "C:\\x", "$var", "${x}",
		"%{x}", "a'b", "\r", "a\r\nb", "0", "00", "-1", "-0.0", "1.", "é: x", "ünï\nx",
		strings.Repeat("word ", 30) + "end", strings.Repeat("x", 200), "'" + strings.Repeat("quote ", 25),
		strings.Repeat("long line ", 20) + "\n" + strings.Repeat("and more ", 20), "it's " +
			strings.Repeat("very  long  ", 15), "\t" + strings.Repeat("tab and words ", 12), "#" +
			strings.Repeat("hash mark words ", 12)}
	var value func(depth int) string
	value = func(depth int) string {
		switch n := r.Intn(12); {
		case n < 5 || depth == 0 && n < 9:
			return inspectText(words[r.Intn(len(words))])
		case n == 5:
			return []string{"nil", "true", "false"}[r.Intn(3)]
		case n == 6:
			return []string{"0", "1", "-5", "12345678901234567890", "8080"}[r.Intn(5)]
		case n == 7:
			return []string{"1.0", "-0.5", "1e20", "1.0e-10", "3.14"}[r.Intn(5)]
		case n == 8:
			return []string{":sym", ":\"a b\"", ":yes", ":\"1\""}[r.Intn(4)]
		case n < 11 || depth == 0:
			var parts []string
			for range r.Intn(4) {
				parts = append(parts, value(max(depth-1, 0)))
			}
			return "[" + strings.Join(parts, ", ") + "]"
		}
		var parts []string
		for range r.Intn(4) {
			parts = append(parts, inspectText(words[r.Intn(len(words))])+" => "+value(depth-1))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	var codes []string
	for _, w := range words {
		q := inspectText(w)
		for _, f := range []string{"%s.to_yaml", "[%s].to_yaml", "{'k' => %s}.to_yaml", "{%s => 1}.to_yaml",
			"{'a' => {'b' => [%s]}}.to_yaml", "%s.to_json", "[[%s]].to_yaml", "[{'x' => %s}].to_yaml"} {
			codes = append(codes, fmt.Sprintf(f, q))
		}
	}
	for range 1500 {
		v := value(3)
		codes = append(codes, v+".to_yaml", v+".to_json", "JSON.pretty_generate("+v+")", v+".inspect", "JSON.parse("+v+
			".to_json) rescue 0")
	}
	codes = append(codes, "a = [1]; [a, a].to_yaml", "h = {'x' => 1}; {'a' => h, 'b' => h}.to_yaml", "YAML.dump('a' => 1)",
		"JSON.generate([1, {'a' => nil}])", "JSON.generate({'a' => 1}, space: ' ')", "{a: 1, 'b' => :c}.to_yaml",
		"{nil => 1, 1 => 2, 1.5 => 3, true => 4}.to_yaml", "{nil => 1, 1 => 2}.to_json", "nil.to_yaml",
		"{'a' => nil}.to_yaml", "[nil].to_yaml", "[[], {}, [[]], [{}]].to_yaml", "{[1, 2] => 3}.to_yaml",
		"{{'a' => 1} => 2}.to_yaml", "JSON.parse('{\"a\": [1, 2.5, null, true, \"x\\\\u00e9\"]}')",
		"JSON.parse('[1,]') rescue $!.class", "JSON.parse('') rescue $!.class",
		"JSON.parse('{\"a\":1}', symbolize_names: true)", "'x'.to_yaml(line_width: -1)",
		"{'a' => 'b c ' * 40}.to_yaml(line_width: -1)", "(1.0/0).to_json rescue $!.class")
	differ(t, codes)
}

// Formats, with their flags, widths and errors.
func TestFormat(t *testing.T) {
	var codes []string
	args := []string{"42", "-42", "3.14159", "'str'", "nil", "true", ":sym", "[1, 'a']", "{'a' => 1}", "'12'", "'1.5'",
		"2**70", "1e20"}
	for _, f := range []string{"%d", "%5d", "%-5d|", "%05d", "%+d", "% d", "%x", "%#x", "%X", "%o", "%b", "%08b", "%e",
		"%f", "%.2f", "%10.3f", "%g", "%s", "%10s", "%-10s|", "%.2s", "%p", "%c", "%%", "%i", "%u", "%a"} {
		for _, a := range args {
			if f == "%a" && a != "3.14159" {
				continue
			}
			codes = append(codes, fmt.Sprintf("format('%s', %s)", f, a))
		}
	}
	codes = append(codes, "format('%s')", "format('%s %s', 1)", "'%s and %s' % ['a', 'b']", "'%-10s|%5.1f' % ['x', 2.25]",
		"format('%2$s %1$s', 'a', 'b')", "format('%*d', 5, 42)", "format('%<a>d %{b}', a: 1, b: 'x')", "'%{a}' % {a: 1}",
		"'%{a}' % {'a' => 1}", "'%<n>.2f' % {n: 1}", "format('%y', 1)", "format('%', 1)", "format('abc', 1)",
		"format('%s', nil)", "'%d%%' % 50", "'%s' % nil", "'%s' % [[1, 2]]", "'%p %p' % [nil, 'a']", "format('%05s', 'ab')",
		"format('%x', -255)", "format('%.10g', 1234567.891)", "format('%s', 'ä')", "format('%3s|', 'ä')")
	differ(t, codes)
}
