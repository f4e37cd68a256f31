package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUsage: whoever mistypes a command, a flag, a file or a number of arguments is told in one line what to write,
// without a word of Go.
func TestUsage(t *testing.T) {
	repo := writeRepo(t, map[string]string{"manifests/site.pp": "notify { 'x': }\n",
		"facts/web01.example.json": `{"fqdn": "web01.example"}`, "hiera.yaml": "version: 5\n"})
	in := func(name string) string { return filepath.Join(repo, name) }
	for _, x := range []struct{ args, want string }{
		{"chek", `there is no command "chek"; did you mean check?`},
		{"frobnicate", "there is no command \"frobnicate\"; `bunraku --help` lists them"},
		{"packages shwo", `there is no command "packages shwo"; did you mean show?`},
		{"help foo", "there is no command \"foo\"; `bunraku --help` lists them"},
		{"check --fromat json", "there is no flag --fromat; did you mean --format?"},
		{"check --qqqqqq", "there is no flag --qqqqqq; `bunraku check --help` lists those that there are"},
		{"check --language x", "--language cannot be \"x\"; `bunraku check --help` says what it is"},
		{"check --language 6 " + repo, "--language cannot be \"6\"; `bunraku check --help` says what it is"},
		{"explain --where --why-not x", "--where and --why-not exclude each other"},
		{"check a b", `"b" is too much: bunraku check [ENV] [flags]`},
		{"compile", "say what to compile: bunraku compile ENV [flags]"},
		{"explain", "say what to explain: bunraku explain ENV --node NAME REF [ATTRIBUTE] [flags]"},
		{"packages import", "say what to import: bunraku packages import SOURCE… [flags]"},
		{"check " + in("nowhere"), "there is no file or directory " + in("nowhere")},
		{"verify " + repo + " --facts " + in("facts/web1.example.json"), "did you mean " + in("facts/web01.example.json") +
			"?"},
		{"check --baseline " + in("none/x") + " " + repo, "the directory " + in("none") + " is not there"},
		{"verify --catalog " + in("hiera.yaml"), "hiera.yaml is no catalog in Puppet's JSON: "},
		{"explain " + repo + " --reaches " + in("hira.yaml") + ":1", "there is no file " + in("hira.yaml")},
		{"explain " + repo + " --reaches hira.yaml:1", "there is no file hira.yaml; did you mean " + in("hiera.yaml") + "?"},
		{"explain --from " + in("hiera.yaml") + " . x", "`bunraku compile --provenance FILE` writes such files"},
	} {
		code, out, errText := call(strings.Fields(x.args)...)
		if code != exitFailed || out != "" || !strings.HasPrefix(errText, "bunraku: ") ||
			!strings.Contains(errText, x.want) || strings.Count(errText, "\n") != 1 {
			t.Errorf("%s: exit %d\n%s%swant %s", x.args, code, out, errText, x.want)
		}
		for _, word := range []string{"strconv", "no such file", "arg(s)", "stat ", "invalid character"} {
			if strings.Contains(errText, word) {
				t.Errorf("%s: %q in %s", x.args, word, errText)
			}
		}
	}
	for _, args := range []string{"", "help", "help packages import", "packages", "check --help"} {
		if code, out, errText := call(strings.Fields(args)...); code != exitFine || !strings.Contains(out, "Usage:") ||
			errText != "" {
			t.Errorf("%s: exit %d\n%s%s", args, code, out, errText)
		}
	}
}

// TestCheckLink: a control repo or module may be reached through a link, as Debian's modules are.
func TestCheckLink(t *testing.T) {
	repo := writeRepo(t, map[string]string{"manifests/init.pp": "class m { }\n"})
	link := filepath.Join(t.TempDir(), "m")
	must(t, os.Symlink(repo, link))
	if code, out, errText := call("check", link); code != exitFine ||
		!strings.Contains(out, "1 manifest, 0 templates") {
		t.Errorf("exit %d\n%s%s", code, out, errText)
	}
}
