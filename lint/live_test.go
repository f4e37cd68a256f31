package lint

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fetched is the directory with puppet-lint and its plugins; bench/fetched.txt says what belongs there. A test that
// needs them is skipped where they are not.
func fetched(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("BUNRAKU_FETCHED")
	if _, err := os.Stat(filepath.Join(dir, "puppet-lint", "lib")); dir == "" || err != nil {
		t.Skip("puppet-lint is not fetched: set BUNRAKU_FETCHED (bench/fetched.txt says what belongs there)")
	}
	if _, err := exec.LookPath("ruby"); err != nil {
		t.Skip("there is no ruby")
	}
	return dir
}

// A request and its answer, as testdata/oracle.rb has them.
type (
	request struct {
		Path string   `json:"path"`
		Code *string  `json:"code,omitempty"`
		Args []string `json:"args,omitempty"`
	}
	answer struct {
		Found [][]any `json:"found"`
		Crash string  `json:"crash,omitempty"`
		Fixed *string `json:"fixed,omitempty"`
	}
)

// lines are the findings as comparable lines, sorted.
func (a *answer) lines() []string {
	var out []string
	for _, f := range a.Found {
		reason := ""
		if s, ok := f[5].(string); ok {
			reason = " (" + s + ")"
		}
		out = append(out, fmt.Sprintf("%v:%v %s %s: %s%s", f[2], f[3], f[1], f[0], f[4], reason))
	}
	slices.Sort(out)
	return out
}

// linesOf are our findings in the same form.
func linesOf(res Result) []string {
	var out []string
	for i := range res.Findings {
		f := &res.Findings[i]
		level, reason := f.Level(), ""
		if f.Ignored {
			level, reason = "ignored", " ("+f.Reason+")"
		}
		out = append(out, fmt.Sprintf("%d:%d %s %s: %s%s", f.Line, f.Column, level, f.Check, f.Message, reason))
	}
	slices.Sort(out)
	return out
}

// An oracle is a running puppet-lint.
type oracle struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startOracle(t *testing.T) *oracle {
	dir := fetched(t)
	plugins, err := filepath.Glob(filepath.Join(dir, "lint-plugins", "*"))
	if err != nil || len(plugins) < 20 {
		t.Skipf("%d of 20 plugins of puppet-lint are in $BUNRAKU_FETCHED/lint-plugins", len(plugins))
	}
	// The order of RubyGems: the last name first.
	slices.Sort(plugins)
	slices.Reverse(plugins)
	args := append([]string{"--disable-gems", "-I", filepath.Join(dir, "puppet-lint", "lib"), "testdata/oracle.rb"},
		plugins...)
	o := &oracle{t: t, cmd: exec.Command("ruby", args...)}
	o.cmd.Stderr = os.Stderr
	if o.in, err = o.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	o.out = bufio.NewReaderSize(out, 1<<20)
	if err := o.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		o.in.Close()
		o.cmd.Wait()
	})
	return o
}

func (o *oracle) ask(r request) *answer {
	o.t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		o.t.Fatal(err)
	}
	if _, err := o.in.Write(append(text, '\n')); err != nil {
		o.t.Fatal(err)
	}
	line, err := o.out.ReadString('\n')
	if err != nil {
		o.t.Fatalf("%s: %v", r.Path, err)
	}
	a := &answer{}
	if err := json.Unmarshal([]byte(line), a); err != nil {
		o.t.Fatalf("%s: %v: %s", r.Path, err, strings.TrimSpace(line))
	}
	return a
}
