package syntax

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/source"
)

// An issue is one line of an answer, ours or Puppet's.
type issue struct {
	Severity string // error, warning; Puppet also has deprecation, parse and raise: see testdata/oracle.rb
	Code     string // Puppet's
	Line     int
	Pos      int
	Message  string
}

func (i issue) String() string {
	return fmt.Sprintf("%s %s %d:%d %s", i.Severity, i.Code, i.Line, i.Pos, i.Message)
}

// key is what must be equal between Puppet and us: not the column, since we point at the name where Puppet points at
// the keyword before it, nor the words where Puppet quotes Ruby or shows a key as Ruby would.
func (i issue) key() string {
	severity := i.Severity
	if severity == "deprecation" {
		severity = "warning"
	}
	if severity == "raise" {
		severity = "error"
	}
	message := i.Message
	switch i.Code {
	case "ILLEGAL_JSON", "ILLEGAL_PP", "ILLEGAL_EPP", "DUPLICATE_KEY":
		message = ""
	}
	return fmt.Sprintf("%s %s line %d %s", severity, i.Code, i.Line, message)
}

// askPuppet runs the oracle once for many programs, given as DIR:FILE; it answers for each by that name.
func askPuppet(t testing.TB, programs []string, switches ...string) map[string][]issue {
	t.Helper()
	out := live.Ruby(t, filepath.Join("testdata", "oracle.rb"), strings.Join(programs, "\n"), switches...)
	answers := map[string][]issue{}
	for line := range strings.Lines(out) {
		var answer struct {
			File   string
			Issues []issue
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("oracle: %v in %.200s", err, line)
		}
		answers[answer.File] = answer.Issues
	}
	return answers
}

// writeProgram puts a program into a file below dir and gives the name to ask for it by.
func writeProgram(t testing.TB, dir, name, text string) string {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir + ":" + name
}

// judge is our own answer. parsed is false when the parser refused, and then the issues are the parser's.
func judge(name, text string, opt Options, site *Site) (found []issue, parsed bool) {
	f := source.NewFile(name, text)
	parse := Parse
	if strings.HasSuffix(name, ".epp") {
		parse = ParseEPP
	}
	tree, diags := parse(f, opt)
	if diags.HasErrors() {
		return issuesOf(diags), false
	}
	diags = Validate(tree, opt)
	if site != nil {
		diags = append(diags, ValidatePlacement(tree, name, *site)...)
	}
	return issuesOf(diags), true
}

func issuesOf(diags source.Diagnostics) []issue {
	var list []issue
	for _, d := range diags {
		at := d.Place.File.Position(d.Place.Span.Start)
		list = append(list, issue{d.Severity.String(), puppetIssue(d.Code), at.Line, at.Column, d.Summary})
	}
	return list
}

func puppetIssue(code string) string {
	for _, r := range rules {
		if r.code == code {
			return r.issue
		}
	}
	return code
}

// differences compares Puppet's answer with ours; nil when they agree. Where Puppet stopped in the middle ("raise"), we
// may have found more. A stop without an issue code is an accident of Puppet's; there we must only refuse.
func differences(puppet, ours []issue) []string {
	var diffs []string
	stopped := false
	want := map[string]bool{}
	for _, i := range puppet {
		if i.Severity == "raise" {
			stopped = true
			if strings.HasSuffix(i.Code, "Error") {
				if !slices.ContainsFunc(ours, func(o issue) bool { return o.Severity == "error" }) {
					diffs = append(diffs, "we accept, Puppet stops: "+i.String())
				}
				continue
			}
		}
		want[i.key()] = true
	}
	got := map[string]bool{}
	for _, i := range ours {
		got[i.key()] = true
		if !want[i.key()] && !stopped {
			diffs = append(diffs, "only ours:   "+i.String())
		}
	}
	for _, i := range puppet {
		if want[i.key()] && !got[i.key()] {
			diffs = append(diffs, "only Puppet: "+i.String())
			delete(want, i.key())
		}
	}
	return diffs
}
