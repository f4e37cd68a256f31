package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"bunraku/internal/live"
)

// own is a text in which a terminal and the logs of CI servers would find orders; ownCode is a Puppet string that means
// it.
const own = "x\x1b]0;own\a\x1b[2J\u009b31m\u202eown\x7f\r\n::error::own\n \u00a0\t::set-env " +
	"name=own::1\n##[command]own ##vso[task.own]\n"

const ownString = `"x\u{1b}]0;own\u{7}\u{1b}[2J\u{9b}31m\u{202e}own\u{7f}\r\n::error::own\n \u{a0}\t::set-env name=own::1\n#\u{23}[command]own #\u{23}vso[task.own]\n"`

var (
	commanding = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
	logOrder   = regexp.MustCompile(`(?m)^[\s\x{a0}\x{2000}-\x{200a}\x{3000}]*::|##[a-zA-Z]*\[`)
	ourOrders  = regexp.MustCompile(`(?m)^::(error|warning|notice) [^\n]*title=[^\n]*::`)
)

// obeyed looks for what somebody would obey in what a command has printed.
func obeyed(t *testing.T, what, text string, github bool) {
	t.Helper()
	if github {
		text = ourOrders.ReplaceAllString(text, "")
	}
	for _, re := range []*regexp.Regexp{commanding, logOrder} {
		if at := re.FindStringIndex(text); at != nil {
			t.Errorf("%s: %q at …%q…", what, text[at[0]:at[1]], text[max(0, at[0]-60):min(len(text), at[1]+60)])
			return
		}
	}
	if !utf8.ValidString(text) {
		t.Errorf("%s: not UTF-8: %q", what, text)
	}
}

// hostileRepo has orders wherever a stranger can write them.
func hostileRepo(t *testing.T) string {
	t.Helper()
	odd := "od\x1b[2Jd\u202e\xff"
	repo := writeRepo(t, map[string]string{
		"manifests/site.pp": `node /^ok/ { include app }
node 'fail' { fail(` + ownString + `) }
node 'raise' { file { '/t': content => template('app/raise.erb') } }
node 'broken' { file { '/t': content => template('app/broken.erb') } }
node 'unknown' { include ` + ownString + ` }
`,
		"modules/app/manifests/init.pp": `class app {
  notify { ` + ownString + `: }
  warning(` + ownString + `)
  notice(` + ownString + `)
  package { 'nginx': ensure => installed }
  file { "/etc/nginx/conf.d/${` + ownString + `}": content => ` + ownString + ` }
  exec { ` + ownString + `: command => "/bin/mkdir /srv/${` + ownString + `}" }
  exec { 'make': command => '/bin/mkdir /srv/made' }
  exec { 'twin': command => "/bin/mkdir /srv/\u{1b}[2J" }
  file { '/etc/mode': mode => ` + ownString + ` }
  file { '/etc/source': source => "puppet:///modules/app/${` + ownString + `}" }
  app::thing { 'a': text => ` + ownString + ` }
  $variable = ` + ownString + `
  ::app::thing { 'b':
    text => $facts['own'],
  }
}
`,
		"modules/app/manifests/thing.pp": "define app::thing($text) { notify { \"${title} ${text}\": message => " +
			"$text } }\n",
		"modules/app/manifests/near.pp": "class app::near {\n# \x1b[2J\n  ::app::thing { 'c': text => 1 }\n  exec { " +
			"'near': command => '/bin/mkdir /srv/near' }\n  ::app::thing { 'd': text => 1 }\n}\n",
		"modules/app/manifests/" + odd + ".pp": "class app::odd { fail('x')  \x1b[2J\n",
		"modules/app/templates/raise.erb":      "<% raise " + `"x\e[2J\n::error::own"` + " %>",
		"modules/app/templates/broken.erb":     "<% if \x1b[2J\n::error::own\n %>",
		"data/common.yaml":                     "app::key: " + ownString + "\n",
		"facts/ok.json":                        strings.Replace(facts12, "NAME", "ok", 1),
		"facts/own.json":                       `{"name":` + quoteJSON(own) + `,"values":{"own":` + quoteJSON(own) + `}}`,
		"own.sf":                               "a " + quoteJSON(own) + ";\nb extends { c " + quoteJSON(own) + "; }\n",
		"bad.sf":                               "a \x1b[2J\u202e;\n",
		"own.pp":                               "$x = \"x\x1b[2J\u202e\n::error::own\"\nfile { $x: }\n::app { 'a': }\n",
		"bad.pp":                               "$x = \x1b[2J\u009b\n::error::own '\n",
		"bad.assert":                           "\x1b[2J ::error::own\n",
		"bad.json":                             "{\"\x1b[2J\n::error::own\n",
	})
	return repo
}

func quoteJSON(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// Nothing that a stranger has written is obeyed: neither by a terminal nor by the log of a CI server, from any command
// in any format; and what is data can still be read as that.
func TestNothingIsObeyed(t *testing.T) {
	repo := hostileRepo(t)
	t.Chdir(repo)
	reads := map[string]func(string) error{
		"json":  func(s string) error { return json.Unmarshal([]byte(s), new(any)) },
		"sarif": func(s string) error { return json.Unmarshal([]byte(s), new(any)) },
		"junit": func(s string) error { return xml.Unmarshal([]byte(s), new(struct{})) },
		"yaml":  func(s string) error { return yaml.Unmarshal([]byte(s), new(any)) },
	}
	ran := 0
	try := func(format string, args ...string) (out string) {
		t.Helper()
		if format != "" {
			args = append(args, "--format", format)
		}
		_, out, errText := call(args...)
		what := "bunraku " + strings.Join(args, " ")
		obeyed(t, what, out, format == "github")
		obeyed(t, what+" (standard error)", errText, false)
		if strings.Contains(errText, "This is a fault of bunraku") {
			t.Errorf("%s: %s", what, errText)
		}
		// not one document
		many := args[0] == "parse" || strings.HasPrefix(strings.Join(args, " "), "mupuppet own.pp --trace")
		if read := reads[format]; read != nil && out != "" && !many {
			if err := read(out); err != nil {
				t.Errorf("%s: %v\n%s", what, err, out)
			}
		}
		ran++
		return out
	}
	odd := "modules/app/manifests/od\x1b[2Jd\u202e\xff.pp"
	for _, format := range formats {
		try(format, "check", ".") // a file is broken
	}
	for _, f := range []string{"pn", "json", "text"} {
		try(f, "parse", odd, "own.pp", "bad.pp", "modules/app/manifests/near.pp")
	}
	must(t, os.Remove(odd))
	if code, _, errText := call("compile", ".", "--node", "ok"); code != exitFine {
		t.Fatal(errText)
	}
	for _, format := range formats {
		try(format, "check", ".")
		for _, node := range []string{"ok", "fail", own} {
			try(format, "verify", ".", "--node", node)
		}
	}
	for _, node := range []string{"ok", "fail", "raise", "broken", "unknown", own} {
		for _, format := range []string{"json", "yaml", "text", "dot"} {
			try(format, "compile", ".", "--node", node)
		}
	}
	var cat struct{ Resources []struct{ Title string } }
	if err := json.Unmarshal([]byte(try("json", "compile", ".", "--node", "ok")), &cat); err != nil {
		t.Error(err)
	}
	found := false
	for _, r := range cat.Resources {
		found = found || r.Title == own
	}
	if !found {
		t.Error("the catalog has not the title that the code has")
	}
	for _, ref := range [][]string{{"Notify[" + own + "]"}, {"Notify[" + own + "]", "message"}, {"$app::variable"},
		{"fact:own"}, {"hiera:app::key"}, {own}, {"File[" + own},
		{"--why-not", "Notify[" + own + "]"}, {"--why-not", own}, {"--reaches", "data/common.yaml:1"}, {"--reaches", own},
		{"App::Thing[b]", "text"}} {
		for _, view := range [][]string{nil, {"--where"}, {"--expression"}, {"--dependency"}, {"--all"}} {
			for _, format := range []string{"text", "json"} {
				try(format, append(append([]string{"explain", ".", "--node", "ok", "--facts", "facts/own.json"}, ref...),
					view...)...)
			}
		}
	}
	if git, err := exec.LookPath("git"); err == nil {
		for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=own\u202e\u009b2J", "-c",
			"user.email=o@x", "commit", "-q", "--cleanup=verbatim", "-m", "\x1b[2J\u202eown ##[error]own"}} {
			if text, err := exec.Command(git, args...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		for _, format := range []string{"text", "json"} {
			try(format, "explain", ".", "--node", "ok", "--blame", "$app::variable")
		}
	}
	try("", "compile", ".", "--node", "ok", "--provenance", "side.json")
	try("", "explain", ".", "--from", "side.json", "Notify["+own+"]")
	for _, f := range []string{"json", "yaml", "sf", own} {
		try(f, "smartfrog", "own.sf")
		try(f, "smartfrog", "bad.sf")
	}
	for _, f := range []string{"text", "json"} {
		try(f, "smartfrog", "own.sf", "--explain", "b:c")
		try(f, "smartfrog", "own.sf", "--explain", own)
		try(f, "mupuppet", "own.pp")
		try(f, "mupuppet", "own.pp", "--trace", "--provenance")
		try(f, "mupuppet", "own.pp", "--trace=json")
		try(f, "mupuppet", "bad.pp")
		try(f, "packages", "show", own)
		try(f, "packages", "show", "/"+own)
	}
	for _, args := range [][]string{{own}, {"check", own}, {"check", "--" + own}, {"check", "--format", own},
		{"check", "--baseline", "bad.json"}, {"check", "--assert", "bad.assert"},
		{"check", "--facts", "bad.json"}, {"check", "--node", own + "x"}, {"check", "--solver", own},
		{"check", "--strict", own}, {"check", "--mock", "bad.json"}, {"verify", "--catalog", "bad.json"},
		{"compile", ".", "--language", own}, {"explain", ".", "--from", "bad.json", own}, {"help", own},
		{"packages", "import", own}, {"packages", "import", "bad.json", "--store", "s"}} {
		try("", args...)
	}
	if ran < 150 {
		t.Errorf("only %d runs", ran)
	}
}

// A patch keeps the lines of a file as they are, so it keeps away from those that would be obeyed; what is left
// applies.
func TestPatchKeepsAway(t *testing.T) {
	git := live.Tool(t, "git")
	code := func(before, behind string) string {
		return "class app {\n  $a = 1\n  $b = 2\n" + before +
			"\n  exec { 'near':\n    command => '/bin/mkdir /srv/near',\n  }\n" + behind + "\n  $c = 3\n}\n"
	}
	for _, x := range []struct {
		before, behind string
		left           bool
	}{
		{"  $d = 4", "  $e = 5", false},
		{"  ::app::thing { 'c': }", "  $e = 5\n  ::app::thing { 'd': }", false},
		{"  # \x1b[2J", "  $e = 5\n# ##[x]", false},
		{"  $d = 4", "  ::app::thing { 'd': }", false}, // the closing brace is between
	} {
		repo := writeRepo(t, map[string]string{"manifests/site.pp": "include app\n",
			"modules/app/manifests/init.pp":  code(x.before, x.behind),
			"modules/app/manifests/thing.pp": "define app::thing() { }\n", "facts/a.json": strings.Replace(facts12, "NAME", "a",
				1)})
		t.Chdir(repo)
		_, patch, errText := call("check", "--fix")
		obeyed(t, "check --fix", patch, false)
		obeyed(t, "check --fix", errText, false)
		if got := strings.Contains(errText, "is not in the patch"); got != x.left ||
			got == strings.Contains(patch, "creates =>") {
			t.Errorf("%q %q: left out is %v\n%s%s", x.before, x.behind, got, patch, errText)
		}
		must(t, os.WriteFile("p", []byte(patch), 0o644))
		must(t, exec.Command(git, "init", "-q", ".").Run())
		if text, err := exec.Command(git, "apply", "p").CombinedOutput(); err != nil && !x.left {
			t.Errorf("git apply: %s\n%s", text, patch)
		}
	}
	name := "modules/app/manifests/n\x1b[2Jo\u202e.pp"
	repo := writeRepo(t,
		map[string]string{"manifests/site.pp": "exec { 'near':\n  command => '/bin/mkdir /srv/near',\n}\n",
			"facts/a.json": strings.Replace(facts12, "NAME", "a", 1)})
	t.Chdir(repo)
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.Rename("manifests/site.pp", "manifests/\x1b[2J\u202e.pp"))
	_, patch, errText := call("check", "--fix")
	obeyed(t, "a file's name", patch+errText, false)
	must(t, os.WriteFile("p", []byte(patch), 0o644))
	must(t, exec.Command(git, "init", "-q", ".").Run())
	if text, err := exec.Command(git, "apply", "p").CombinedOutput(); err != nil {
		t.Errorf("git apply: %s\n%s", text, patch)
	}
}

// A stream that cannot be written to is an error, whatever the answer is.
func TestWriteErrors(t *testing.T) {
	for _, args := range [][]string{{"check", "../../examples/shop"}, {"check", "../../examples/shop", "--format", "json"},
		{"version"}, {"check", "../../examples/shop", "--fix"}, {"compile", "../../examples/shop", "--node",
			"db1.shop.example"}} {
		var stderr bytes.Buffer
		code := run(args, strings.NewReader(""), failing{}, &stderr)
		if code != exitFailed || !strings.Contains(stderr.String(), "cannot write to standard output: no space") {
			t.Errorf("%v: exit %d, %s", args, code, &stderr)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: errNoSpace}
}

type noSpace struct{}

func (noSpace) Error() string { return "no space" }

var errNoSpace = noSpace{}

var _ io.Writer = failing{}

// A refusal names the flag that allows more, and the flag does.
func TestWork(t *testing.T) {
	repo := writeRepo(t, map[string]string{
		"manifests/site.pp": "Integer[1, 1500000].each |$x| { $y = $x + 1 } notify { 'done': }\n"})
	for _, x := range []struct {
		flags []string
		code  int
		says  string
	}{
		{nil, exitFailed, "help: --work 10 allows ten times as much"},
		{[]string{"--work", "10"}, exitFine, `"title": "done"`},
		{[]string{"--work", "0"}, exitFailed, "--work"},
	} {
		var out, err bytes.Buffer
		code := run(append([]string{"compile", repo, "--node", "n"}, x.flags...), nil, &out, &err)
		if code != x.code || !strings.Contains(out.String()+err.String(), x.says) {
			t.Errorf("%v: code %d, want %d with %s\n%s%.500s", x.flags, code, x.code, x.says, err.String(), out.String())
		}
	}
}
