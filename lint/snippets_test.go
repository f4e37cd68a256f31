package lint

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var record = flag.Bool("record", false, "write what puppet-lint says to testdata instead of comparing with it")

const recorded = "testdata/snippets.json"

// A snippet is a manifest that puppet-lint was asked about.
type snippet struct {
	request
	what string
}

// snippets are those of testdata/snippets.txt, each as it is and with other surroundings: within a class, with other
// ends of lines, without the last one. All checks are on.
func snippets(t *testing.T) []snippet {
	text, err := os.ReadFile("testdata/snippets.txt")
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, c := range Checks() {
		if c.Off {
			args = append(args, "--"+c.Name+"-check")
		}
	}
	var out []snippet
	add := func(what, code string, args ...string) {
		out = append(out, snippet{request{Path: "/modules/a/manifests/init.pp", Code: &code, Args: args}, what})
	}
	for i, part := range strings.Split(strings.TrimPrefix("\n"+string(text), "\n----"), "\n----") {
		_, code, _ := strings.Cut(part, "\n")
		code += "\n"
		add("as it is", code, args...)
		switch i % 4 {
		case 0:
			add("in a class", "# A class.\nclass a {\n  "+strings.ReplaceAll(strings.TrimSuffix(code, "\n"), "\n",
				"\n  ")+"\n}\n", args...)
		case 1:
			add("with CRLF", strings.ReplaceAll(code, "\n", "\r\n"), args...)
		case 2:
			add("without its last newline", strings.TrimSuffix(code, "\n"), args...)
		case 3:
			add("behind another", "notify { 'x': message => \"${y}\" }\n"+code+"$z = \"${w}\"\n", args...)
		}
	}
	for _, option := range [][]string{{"--relative"}, {"--only-checks", "hard_tabs,trailing_whitespace"},
		{"--no-140chars-check"},
		{"--top-scope-variables", "role,site"}, {"--80chars-check"}, {"--only-checks=autoloader_layout", "--relative"}} {
		for _, code := range []string{"class b::c { }\n", "class a\t{ }  \n",
			"$a = $::role\n$b = $::site_name\n$c = $::other\n",
			"$a = '" + strings.Repeat("x", 90) + "'\n$b = '" + strings.Repeat("x", 150) + "'\n"} {
			add(strings.Join(option, " "), code, option...)
		}
	}
	for _, code := range []string{
		"---\na: '%{facts.osfamily}'\nb: \"%{::fqdn} %{facts.os.family}\"\n", "a::b: '%{hostname}'\n'%{ipaddress_eth0}': x\n",
		"a:\n  - '%{processor0}'\n  - b: '%{facts.memoryfree_mb}'\n", "a: |\n  %{facts.domain}\n  x\n",
		"a: '%{lookup(\"x\")}'\n",
		"a: '%{:hostname}' # lint:ignore:legacy_facts it stays\nb: '%{hostname}x'\n", "a: &x '%{uuid}'\nb: *x\n", "[]\n",
		"- '%{id}'\n",
		"a: it's\nb: '%{id}'\n", "# lint:ignore:legacy_facts\na: '%{id}'\n# lint:endignore\n"} {
		out = append(out, snippet{request{Path: "/modules/a/data/common.yaml", Code: &code}, "data"})
	}
	return out
}

// TestScoreLint compares what we say about our own snippets with what puppet-lint said. Where it gives up with an
// error of its own, we need only not do so.
func TestScoreLint(t *testing.T) {
	all := snippets(t)
	if len(all) < 400 {
		t.Errorf("there are only %d snippets", len(all))
	}
	if *record {
		o := startOracle(t)
		answers := map[string]*kept{}
		for _, s := range all {
			a := o.ask(s.request)
			k := &kept{Found: a.lines(), Crash: a.Crash}
			s.Args = append(slices.Clone(s.Args), "--fix")
			if b := o.ask(s.request); b.Crash != "" || strings.Contains(strings.Join(k.Found, "\n"), "error syntax:") {
				k.Unfixed = true // puppet-lint leaves such a file alone
			} else if *b.Fixed != *s.Code {
				k.Fixed = b.Fixed
			}
			s.Args = s.Args[:len(s.Args)-1]
			answers[s.key()] = k
		}
		text, err := json.MarshalIndent(answers, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(recorded, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]*kept{}
	if err := json.Unmarshal(text, &answers); err != nil {
		t.Fatal(err)
	}
	findings, gaveUp, mended, spared, same := 0, 0, 0, 0, 0
	said := map[string]bool{}
	for _, s := range all {
		a := answers[s.key()]
		if a == nil {
			t.Fatalf("nothing is recorded for this snippet (%s); record it: go test ./lint -run TestScoreLint -record\n%s",
				s.what, *s.Code)
		}
		var opt Options
		if _, refused := opt.Arguments(s.Args); len(refused) > 0 {
			t.Fatalf("unknown options: %v", refused)
		}
		res, err := New(opt).File(context.Background(), s.Path, *s.Code)
		if err != nil {
			t.Fatal(err)
		}
		if s.what == "data" {
			a.Unfixed = true // nobody mends data
		}
		fixed, _, _, err := New(opt).Fix(context.Background(), s.Path, *s.Code)
		if err != nil {
			t.Fatal(err)
		}
		if want := a.Fixed; !a.Unfixed {
			if want == nil {
				want = s.Code
			} else {
				mended++
			}
			// Ends of lines stay as they are here, and a text that puppet-lint's tokens do not add up to is left
			// alone: puppet-lint spoils it.
			whole := (&file{tokens: tokenise(*s.Code, nil)}).written() == *s.Code
			if !whole {
				spared++
				want = s.Code
			}
			if strings.ReplaceAll(fixed, "\r\n", "\n") != strings.ReplaceAll(*want, "\r\n", "\n") {
				t.Errorf("%s, %v:\n%s--- we make of it\n%s--- puppet-lint makes of it\n%s", s.what, s.Args, *s.Code, fixed, *want)
			}
		}
		if a.Crash != "" {
			gaveUp++
			continue
		}
		want, got := a.Found, linesOf(res)
		if s.what == "data" { // what puppet-lint says about YAML that is no Puppet code
			want = slices.DeleteFunc(want, func(s string) bool { return strings.Contains(s, " syntax: ") })
		}
		for _, line := range want {
			check, _, _ := strings.Cut(strings.Fields(line)[2], ":")
			said[check] = true
		}
		findings += len(want)
		if slices.Equal(want, got) {
			same++
		} else {
			t.Errorf("%s, %v:\n%s--- we say\n%s\n--- puppet-lint says\n%s", s.what, s.Args, *s.Code, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
	}
	for _, c := range Checks() {
		if !said[c.Name] {
			t.Errorf("no snippet makes %s say anything", c.Name)
		}
	}
	t.Logf("%d snippets, %d findings, %d mended (%d that puppet-lint spoils are left alone); puppet-lint gives up on %d",
		len(all), findings, mended, spared, gaveUp)
	t.Logf("score: lint %d/%d", same, len(all)-gaveUp)
	if spared > 20 || gaveUp > 10 {
		t.Error("too many snippets are left out")
	}
}

// kept is an answer as it is recorded.
type kept struct {
	Found []string `json:"found"`
	Crash string   `json:"crash,omitempty"`
	// what --fix makes of it, if that is something else, and whether there is no such thing
	Fixed   *string `json:"fixed,omitempty"`
	Unfixed bool    `json:"unfixed,omitempty"`
}

func (s *snippet) key() string {
	sum := sha256.Sum256([]byte(strings.Join(s.Args, " ") + "\n" + *s.Code))
	return hex.EncodeToString(sum[:6])
}
