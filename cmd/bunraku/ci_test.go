package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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

// TestAction runs the steps of action.yml as GitHub's runner does: the program is built from the action's checkout, the
// answer becomes annotations and a summary, and one comment is kept up to date.
func TestAction(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	live.Tool(t, "bash")
	root, err := filepath.Abs(live.Root())
	if err != nil {
		t.Fatal(err)
	}
	repo := writeRepo(t, map[string]string{"environment.conf": "",
		"facts/a.json":      strings.Replace(facts12, "NAME", "a", 1),
		"manifests/site.pp": "exec { '/bin/mkdir /srv/a': }\n"})
	temp := t.TempDir()
	for _, name := range []string{"path", "summary", "calls"} {
		if err := os.WriteFile(filepath.Join(temp, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// a gh that writes down what it is asked, and knows a comment if there was one
	gh := "#!/bin/sh\nfor a in \"$@\"; do case \"$a\" in body=*) printf 'body %s\\n' \"$(printf '%s' \"$a\" | head -n " +
		"1)\" >>\"$CALLS\";; esac; done\n" +
		"case \"$*\" in *--paginate*) [ -s \"$CALLS\" ] && echo 77;; *) echo \"$1 $2 $3\" >>\"$CALLS\";; esac\nexit 0\n"
	if err := os.WriteFile(filepath.Join(temp, "gh"), []byte(gh), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"GITHUB_ACTION_PATH=" + root, "GITHUB_PATH=" + filepath.Join(temp, "path"), "RUNNER_TEMP=" + temp,
		"GITHUB_STEP_SUMMARY=" + filepath.Join(temp, "summary"), "GITHUB_REPOSITORY=o/r", "PULL_REQUEST=5",
		"CALLS=" + filepath.Join(temp, "calls"), "BUNRAKU_PATH=" + repo, "BUNRAKU_ARGS=--fail-on warning",
		"PATH=" + temp + ":/usr/local/go/bin:/usr/lib/go/bin:" + os.Getenv("PATH")}
	step := func(name string) (string, error) {
		added, err := os.ReadFile(filepath.Join(temp, "path"))
		if err != nil {
			t.Fatal(err)
		}
		with := env
		if dir := strings.TrimSpace(string(added)); dir != "" {
			with = append(env[:len(env):len(env)], "PATH="+dir+":"+strings.TrimPrefix(env[len(env)-1], "PATH="))
		}
		return script(t, repo, with, "bash", filepath.Join(root, "packaging", "ci", "action.sh"), name)
	}
	if out, err := step("install"); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	out, err := step("check")
	var exit *exec.ExitError
	if ok := asExit(err, &exit); !ok || exit.ExitCode() != exitNo || !strings.Contains(out, "::error") {
		t.Errorf("check: %v\n%s", err, out)
	}
	summary, err := os.ReadFile(filepath.Join(temp, "summary"))
	if err != nil || !strings.Contains(string(summary), "    V201 not idempotent") {
		t.Errorf("the summary is %s %v", summary, err)
	}
	for range 2 {
		if out, err := step("comment"); err != nil {
			t.Fatalf("comment: %v\n%s", err, out)
		}
	}
	calls, err := os.ReadFile(filepath.Join(temp, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(calls); strings.Count(got, "body body=<!-- bunraku check -->") != 2 ||
		!strings.Contains(got, "api repos/o/r/issues/5/comments") || !strings.Contains(got, "api -X PATCH") {
		t.Errorf("gh was asked\n%s", got)
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
	env := []string{"PRE_COMMIT_HOME=" + t.TempDir(), "GOFLAGS=-mod=mod", "GIT_CONFIG_GLOBAL=/dev/null",
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
