package stdlib_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/functions/stdlib"
)

var (
	called  = regexp.MustCompile(`((?:[a-z]\w*::)*[a-z_]\w*)\s*\(|scope\.function_(\w+)|call_function\(['"]([\w:]+)['"]|\.((?:[a-z]\w*::)*[a-z_]\w*)\b`)
	comment = regexp.MustCompile(`(?m)^\s*#.*$`)
)

// TestUses counts the calls of every function written in Ruby in the manifests and templates of Debian's modules: what
// decided which functions of other modules are written in Go. It logs the table, and names those that are not.
func TestUses(t *testing.T) {
	module := map[string]string{}
	for _, f := range live.Files(t, ".rb") {
		rest, _ := filepath.Rel(live.ModulesDir, f)
		m, path, _ := strings.Cut(filepath.ToSlash(rest), "/")
		for _, dir := range []string{"lib/puppet/functions/", "lib/puppet/parser/functions/"} {
			if name, is := strings.CutPrefix(path, dir); is {
				module[strings.ReplaceAll(strings.TrimSuffix(name, ".rb"), "/", "::")] = m
			}
		}
	}
	uses := map[string]int{}
	for _, f := range live.Files(t, ".pp", ".epp", ".erb") {
		text, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		for _, m := range called.FindAllSubmatch(comment.ReplaceAll(text, nil), -1) {
			for _, name := range m[1:] {
				if module[string(name)] != "" {
					uses[string(name)]++
				}
			}
		}
	}
	names := make([]string, 0, len(module))
	for n := range module {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		if uses[a] != uses[b] {
			return uses[b] - uses[a]
		}
		return strings.Compare(a, b)
	})
	table := stdlib.Table()
	ours, all := 0, 0
	var b strings.Builder
	for _, n := range names {
		mark := " "
		if all += uses[n]; table[n] != nil {
			ours += uses[n]
			mark = "+"
		} else if module[n] == "stdlib" {
			mark = "c" // one of Puppet's own is found first
			ours += uses[n]
		}
		fmt.Fprintf(&b, "%6d %s %s (%s)\n", uses[n], mark, n, module[n])
	}
	t.Logf("calls, in Go (+) or found first in Puppet (c), function (module):\n%s%d of %d calls", b.String(), ours, all)
}

// TestEveryFunction makes sure that each function is judged by generated calls, or says why not.
func TestEveryFunction(t *testing.T) {
	for _, version := range []string{"8.5.0", "9.7.0"} {
		for name, f := range stdlib.Module(version) {
			if f.Doc == "" {
				t.Errorf("%s has no documentation", name)
			}
			if _, a := shapes[name]; a {
				continue
			}
			if _, a := shapes9[name]; a {
				continue
			}
			if untested[name] == "" {
				t.Errorf("%s of stdlib %s is not tested", name, version)
			}
		}
	}
}

// TestRandom makes sure that what is random in Puppet is the same every time here.
func TestRandom(t *testing.T) {
	for q, want := range map[question]string{
		"shuffle([1,2,3,4]).sort":    "[1, 2, 3, 4]",
		"shuffle('abc').size":        "3",
		"shuffle([])":                "[]",
		"str2saltedsha512('x').size": "136",
		"str2saltedsha512(1)": "! Evaluation Error: Error while evaluating a Function Call, " +
			"str2saltedsha512(): Requires a String argument, you passed: Integer",
		"shuffle('ab', 1) == shuffle('ab')": "true",
		"time() > 1600000000":               "true",
	} {
		if got := askUs(q, ""); got != want {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
}

// TestOpaque makes sure that what is not known stays so.
func TestOpaque(t *testing.T) {
	for q, want := range map[question]string{
		"to_json([glob('/x')])":     "Opaque(glob(): files are not listed here)",
		"pick(undef, glob('/x'))":   "Opaque(glob(): files are not listed here)",
		"concat([1], glob('/x'))":   "Opaque(glob(): files are not listed here)",
		"concat([1], [glob('/x')])": "[1, Opaque(glob(): files are not listed here)]",
		"loadyaml('/etc/passwd')": "Opaque(loadyaml(): reading /etc/passwd is not " +
			"allowed)",
		"loadyaml('/production/modules/m/files/data.yaml')": `{"a" => 1, "b" => ["x", true]}`,
		"loadjson('/production/modules/m/files/data.json')": `{"a" => 1, "b" => [undef, 2.5]}`,
		"loadjson('/production/modules/m/../../../etc/passwd')": "Opaque(loadjson(): reading " +
			"/production/modules/m/../../../etc/passwd is not allowed)",
		"loadyaml('https://example.com/x.yaml', 1)": "Opaque(loadyaml(): https://example.com/x.yaml is " +
			"not fetched)",
		"loadyaml('/production/modules/m/files/nope.yaml', 'instead')": `"instead"`,
	} {
		if got := askUs(q, ""); got != want {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
}
