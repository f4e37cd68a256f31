package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"bunraku/internal/live"
)

// script runs a step of CI as its system would: a command with variables, in a directory.
func script(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// An action is what GitHub's runner takes from action.yml.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []struct {
			Name, If, Shell, Run string
			Env                  map[string]string
		}
	}
}

var expression = regexp.MustCompile(`\$\{\{ *([\w.]+) *\}\}`)

// given puts the values of a context in place of the expressions of a text.
func given(t *testing.T, text string, context map[string]string) string {
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		name := expression.FindStringSubmatch(e)[1]
		v, known := context[name]
		if !known {
			t.Errorf("the action asks for %s, which it does not have", name)
		}
		return v
	})
}

// holds evaluates the condition of a step: always(), and comparisons, joined by &&.
func holds(t *testing.T, condition string, context map[string]string, failed bool) bool {
	if condition == "" {
		return !failed
	}
	always := false
	for _, term := range strings.Split(condition, "&&") {
		term = strings.TrimSpace(term)
		left, right, compares := strings.Cut(term, " == ")
		switch {
		case term == "always()":
			always = true
		case !compares:
			t.Errorf("what is %s?", term)
		default:
			value := func(side string) string {
				if text, is := strings.CutPrefix(side, "'"); is {
					return strings.TrimSuffix(text, "'")
				}
				return given(t, "${{ "+side+" }}", context)
			}
			if value(left) != value(right) {
				return false
			}
		}
	}
	return always || !failed
}

// TestAction runs the steps of action.yml as GitHub's runner does: the program is built from the action's checkout, the
// answer becomes annotations and a summary, and one comment is kept up to date, but never for a fork.
func TestAction(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	live.Tool(t, "bash")
	root, err := filepath.Abs(live.Root())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(text, &a); err != nil || a.Runs.Using != "composite" || len(a.Runs.Steps) != 3 {
		t.Fatalf("%v %+v", err, a)
	}
	repo := writeRepo(t, map[string]string{"environment.conf": "",
		"facts/a.json":      strings.Replace(facts12, "NAME", "a", 1),
		"manifests/site.pp": "exec { '/bin/mkdir /srv/a': }\n"})
	temp := t.TempDir()
	at := func(name string) string { return filepath.Join(temp, name) }
	// a gh that writes down what it is asked, and knows a comment if there was one
	gh := "#!/bin/sh\nfor a in \"$@\"; do case \"$a\" in body=*) printf 'body %s\\n' \"$(printf '%s' \"$a\" | head -n " +
		"1)\" >>\"$CALLS\";; esac; done\n" +
		"case \"$*\" in *--paginate*) [ -s \"$CALLS\" ] && echo 77;; *) echo \"$1 $2 $3\" >>\"$CALLS\";; esac\nexit 0\n"
	if err := os.WriteFile(at("gh"), []byte(gh), 0o755); err != nil {
		t.Fatal(err)
	}
	must(t, os.WriteFile(at("path"), nil, 0o644))
	must(t, os.WriteFile(at("calls"), nil, 0o644))
	read := func(name string) string {
		text, err := os.ReadFile(at(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	// run is one run of the action, and what its steps say; the exit code is that of the first that fails.
	run := func(from string, inputs map[string]string) (said string, exit int) {
		context := map[string]string{"github.token": "secret", "github.repository": "o/r",
			"github.event.pull_request.head.repo.full_name": from, "github.event.pull_request.number": "5"}
		for name, in := range a.Inputs {
			context["inputs."+name] = given(t, in.Default, context)
		}
		for name, v := range inputs {
			if _, known := a.Inputs[name]; !known {
				t.Errorf("there is no input %s", name)
			}
			context["inputs."+name] = v
		}
		must(t, os.WriteFile(at("summary"), nil, 0o644))
		for _, step := range a.Runs.Steps {
			if !holds(t, step.If, context, exit != 0) {
				continue
			}
			path := temp + ":" + os.Getenv("PATH")
			for added := range strings.Lines(read("path")) {
				path = strings.TrimSpace(added) + ":" + path
			}
			env := []string{"GITHUB_ACTION_PATH=" + root, "GITHUB_PATH=" + at("path"), "RUNNER_TEMP=" + temp,
				"GITHUB_STEP_SUMMARY=" + at("summary"), "GITHUB_REPOSITORY=o/r", "CALLS=" + at("calls"), "PATH=" + path}
			for name, v := range step.Env {
				env = append(env, name+"="+given(t, v, context))
			}
			if step.Shell != "bash" {
				t.Errorf("%s has the shell %s", step.Name, step.Shell)
			}
			must(t, os.WriteFile(at("step.sh"), []byte(given(t, step.Run, context)), 0o644))
			out, err := script(t, repo, env, "bash", "--noprofile", "--norc", "-eo", "pipefail", at("step.sh"))
			said += "== " + step.Name + "\n" + out
			if exit == 0 {
				exit = code(err)
			}
		}
		return said, exit
	}
	said, exit := run("o/r", map[string]string{"args": "--fail-on warning", "comment": "true"})
	if exit != exitNo || !strings.Contains(said, "::error") || !strings.Contains(said, "== Comment") {
		t.Errorf("ends with %d\n%s", exit, said)
	}
	if summary := read("summary"); !strings.Contains(summary, "    V201 not idempotent") {
		t.Errorf("the summary is %s", summary)
	}
	run("o/r", map[string]string{"comment": "true"})
	if got := read("calls"); strings.Count(got, "body body=<!-- bunraku check -->") != 2 ||
		!strings.Contains(got, "api repos/o/r/issues/5/comments") || !strings.Contains(got, "api -X PATCH") {
		t.Errorf("gh was asked\n%s", got)
	}
	before := read("calls")
	for from, comment := range map[string]string{"fork/r": "true", "o/r": "false"} {
		if said, _ := run(from, map[string]string{"comment": comment}); strings.Contains(said, "== Comment") ||
			read("calls") != before {
			t.Errorf("from %s, comment %s:\n%s", from, comment, said)
		}
	}
	must(t, os.WriteFile(filepath.Join(repo, "manifests", "site.pp"), []byte("notify { 'x': }\n"), 0o644))
	if said, exit := run("o/r", nil); exit != exitFine {
		t.Errorf("nothing is wrong, and it ends with %d\n%s", exit, said)
	}
}

func asExit(err error, exit **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*exit = e
	return ok
}

// TestGitLab runs the script of the GitLab template, as its runner does: line by line in one shell.
func TestGitLab(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	program := builtProgram(t)
	text, err := os.ReadFile(filepath.Join(live.Root(), "packaging", "ci", "gitlab.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if rest, is := strings.CutPrefix(line, "    - "); is && !strings.Contains(line, "remote:") {
			lines = append(lines, strings.TrimSpace(rest))
		}
	}
	if len(lines) != 4 {
		t.Fatalf("the template has %q", lines)
	}
	repo := writeRepo(t, map[string]string{"environment.conf": "",
		"facts/a.json":      strings.Replace(facts12, "NAME", "a", 1),
		"manifests/site.pp": "exec { '/bin/mkdir /srv/a': }\n"})
	out, err := script(t, repo, []string{"PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH"), "BUNRAKU_ARGS="}, "sh",
		"-ec",
		strings.Join(lines, "\n"))
	var exit *exec.ExitError
	if !asExit(err, &exit) || exit.ExitCode() != exitNo || !strings.Contains(out, "V201") {
		t.Errorf("%v\n%s", err, out)
	}
	if xml, err := os.ReadFile(filepath.Join(repo, "bunraku.xml")); err != nil ||
		!strings.Contains(string(xml), "<testsuite") {
		t.Errorf("%s %v", xml, err)
	}
	quality, err := os.ReadFile(filepath.Join(repo, "bunraku.json"))
	if err != nil || !strings.Contains(string(quality), `"check_name": "V201"`) {
		t.Errorf("%s %v", quality, err)
	}
	gitlabReport(t, "the template's", string(quality))
}

// builtProgram is the program, built once for a test.
func builtProgram(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bunraku")
	if out, err := script(t, live.Root(), []string{"CGO_ENABLED=0"}, "go", "build", "-o", file,
		"./cmd/bunraku"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// TestPreCommit runs the hook with the pre-commit that is installed.
func TestPreCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	live.Tool(t, "pre-commit")
	root, err := filepath.Abs(live.Root())
	if err != nil {
		t.Fatal(err)
	}
	repo := writeRepo(t, map[string]string{"environment.conf": "", "manifests/site.pp": "notify { 'x'\n"})
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	// pre-commit has a directory of its own for each call: with these it builds what was not built before, and no more
	env := []string{"PRE_COMMIT_HOME=" + t.TempDir(), "GOFLAGS=-mod=mod -trimpath",
		"GOMODCACHE=" + strings.TrimSpace(string(modules)), "CGO_ENABLED=0", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com"}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		if out, err := script(t, repo, env, "git", args...); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	out, err := script(t, repo, env, "pre-commit", "try-repo", root, "bunraku", "--all-files")
	if err == nil || !strings.Contains(out, "P0001") || !strings.Contains(out, "bunraku check") {
		t.Errorf("%v\n%s", err, out)
	}
	must(t, os.WriteFile(filepath.Join(repo, "manifests", "site.pp"), []byte("notify { 'x': }\n"), 0o644))
	if out, err := script(t, repo, env, "pre-commit", "try-repo", root, "bunraku", "--all-files"); err != nil ||
		!strings.Contains(out, "Passed") {
		t.Errorf("nothing is wrong: %v\n%s", err, out)
	}
}

// TestManual: every command has a page that man takes without complaint.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	if code, _, errs := call("man", dir); code != 0 {
		t.Fatal(errs)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages %v", len(pages), err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "bunraku-check.1"))
	if err != nil || !strings.Contains(string(text), `.B \-\-coverage`) {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := exec.LookPath("groff"); err != nil {
		t.Log("groff is not installed: the pages are not set")
		return
	}
	for _, p := range pages {
		if out, err := script(t, dir, nil, "groff", "-man", "-ww", "-z", p); err != nil || out != "" {
			t.Errorf("%s: %v\n%s", filepath.Base(p), err, out)
		}
	}
}
