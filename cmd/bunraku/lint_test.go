package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/lint"
)

// lintTree writes a module and goes there.
func lintTree(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// lintRun runs check --lint=only on that module.
func lintRun(args ...string) (out string, code int) {
	var b bytes.Buffer
	code = run(append([]string{"check", "a", "--lint=only"}, args...), strings.NewReader(""), &b, &b)
	return b.String(), code
}

var lintModule = map[string]string{
	"a/manifests/init.pp": "# A class.\nclass a {\n  $b = \"c\"  \n  notice($b)\n}\n",
}

// TestLintExit: errors make the exit code 2, warnings only when they are asked to.
func TestLintExit(t *testing.T) {
	lintTree(t, lintModule)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{nil, exitNo, "1 error, 1 warning in 1 file"},
		{[]string{"--no-trailing_whitespace-check"}, exitFine, "0 errors, 1 warning in 1 file"},
		{[]string{"--no-trailing_whitespace-check", "--fail-on-warnings"}, exitNo, "0 errors, 1 warning"},
		{[]string{"--no-trailing_whitespace-check", "--fail-on=warning"}, exitNo, "0 errors, 1 warning"},
		{[]string{"--only-checks=hard_tabs"}, exitFine, "nothing to say about 1 file"},
		{[]string{"--only-checks=no_such"}, exitFailed, "there is no check no_such"},
		{[]string{"--error-level=error"}, exitNo, "1 error, 0 warnings"},
		{[]string{"--error-level=warning"}, exitNo, "0 errors, 1 warning"},
		{[]string{"--error-level=error", "--no-trailing_whitespace-check"}, exitFine, "nothing to say"},
		{[]string{"--ignore-paths=manifests/*.pp"}, exitFine, "nothing to say about 0 files"},
		{[]string{"--lint=nothing"}, exitFailed, "--lint has no value, or it is only"},
		{[]string{"--no-no_such-check"}, exitFailed, "no-no_such-check"},
	} {
		out, code := lintRun(c.args...)
		if code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%v: exit %d, not %d, or nothing of %q:\n%s", c.args, code, c.code, c.says, out)
		}
	}
}

// TestLintConfig: options come from .puppet-lint.rc in the tree, or where the command runs, or from a named file.
func TestLintConfig(t *testing.T) {
	lintTree(t, map[string]string{"a/manifests/init.pp": lintModule["a/manifests/init.pp"],
		"a/.puppet-lint.rc": "# ours\n--no-trailing_whitespace-check\n--with-filename\n--no-trailing_comas-check\n",
		"other.rc":          "--only-checks=hard_tabs\n"})
	out, code := lintRun()
	for _, want := range []string{"0 errors, 1 warning", "L0002", "has no effect here", "a/.puppet-lint.rc:4:1",
		"did you mean the check trailing_comma?"} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing of %q:\n%s", want, out)
		}
	}
	if code != exitFine {
		t.Errorf("exit %d", code)
	}
	if out, code := lintRun("--lint-config=other.rc"); code != exitFine || !strings.Contains(out, "nothing to say") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	if out, code := lintRun("--lint-config=none.rc"); code != exitFailed || !strings.Contains(out, "none.rc") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

// TestLintFormats: the formats of check show findings with check, place and advice.
func TestLintFormats(t *testing.T) {
	lintTree(t, lintModule)
	for format, want := range map[string][]string{
		"text": {"error[trailing_whitespace]: trailing whitespace found", "a/manifests/init.pp:3:11",
			"help: remove the blanks"},
		"json":   {`"code": "trailing_whitespace"`, `"line": 3`, `"column": 11`},
		"sarif":  {`"ruleId": "double_quoted_strings"`, `"startColumn": 8`},
		"github": {"::error file=a/manifests/init.pp,line=3,endLine=3,col=11"},
		"junit":  {"trailing whitespace found", "<failure"},
	} {
		out, code := lintRun("--format=" + format)
		if code != exitNo {
			t.Errorf("%s: exit %d", format, code)
		}
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: nothing of %q:\n%s", format, w, out)
			}
		}
	}
}

// TestLintIgnored: control comments take findings away, and --show-ignored shows them with their reason.
func TestLintIgnored(t *testing.T) {
	lintTree(t, map[string]string{"a/manifests/init.pp": "# A class.\nclass a {\n  $b = \"c\" # " +
		"lint:ignore:double_quoted_strings it is fine\n" +
		"  notice($b)\n  # lint:ignore:hard_tabs\n}\n"})
	out, code := lintRun()
	if code != exitFine || strings.Contains(out, "double_quoted") || !strings.Contains(out, "never closed") ||
		!strings.Contains(out, "a/manifests/init.pp:5:3") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	if out, _ := lintRun("--show-ignored"); !strings.Contains(out, "it is fine") || !strings.Contains(out, "(1 ignored)") {
		t.Errorf("nothing of what is ignored:\n%s", out)
	}
	if out, _ := lintRun("--show-ignored", "--format=sarif"); !strings.Contains(out, `"justification": "it is fine"`) {
		t.Errorf("no suppression:\n%s", out)
	}
}

// TestLintBeside: with the other checks, lint's errors are findings, and no reason to call the tree broken.
func TestLintBeside(t *testing.T) {
	lintTree(t, lintModule)
	var b bytes.Buffer
	code := run([]string{"check", "a", "--lint", "--format=json"}, strings.NewReader(""), &b, &b)
	var answer struct{ Problems []struct{ Code string } }
	if err := json.Unmarshal(b.Bytes(), &answer); err != nil {
		t.Fatalf("%v: %s", err, b.String())
	}
	codes := ""
	for _, p := range answer.Problems {
		codes += p.Code + " "
	}
	if code != exitNo || !strings.Contains(codes, "trailing_whitespace") {
		t.Errorf("exit %d, codes %s", code, codes)
	}
	b.Reset()
	if code := run([]string{"check", "a"}, strings.NewReader(""), &b, &b); code != exitFine ||
		strings.Contains(b.String(), "lint") {
		t.Errorf("without --lint: exit %d:\n%s", code, b.String())
	}
}

// TestLintData: legacy facts in the interpolations of data are found.
func TestLintData(t *testing.T) {
	lintTree(t, map[string]string{"a/data/common.yaml": "---\na::b: \"%{facts.osfamily} it's\"\na::c: " +
		"'%{::fqdn}'\na::d: '%{facts.os.family}'\n",
		"a/vendor/x/y.pp": "\t\n"})
	out, code := lintRun()
	if code != exitFine || !strings.Contains(out, "0 errors, 2 warnings in 1 file") || !strings.Contains(out,
		"common.yaml:3:1") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

// TestLintPage keeps the table of checks in docs/lint.md true. Write it with: go test ./cmd/bunraku -run TestLintPage
// -write
func TestLintPage(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "lint.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := strings.Cut(string(text), "|---|---|---|\n")
	if !ok {
		t.Fatal("there is no table of checks")
	}
	want := head + "|---|---|---|\n"
	for _, c := range lint.Checks() {
		off := ""
		if c.Off {
			off = " *off*"
		}
		want += "| `" + c.Name + "`" + off + " | " + strings.TrimSuffix(c.Plugin, "-check") + " | " +
			strings.ReplaceAll(c.Help, "|", "\\|") + " |\n"
	}
	if *write {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Error("the table of checks in docs/lint.md is not what the program has")
	}
}

// TestLintFix: --fix prints a patch with which the findings that can be mended are gone.
func TestLintFix(t *testing.T) {
	lintTree(t, lintModule)
	var patch, notes bytes.Buffer
	code := run([]string{"check", "a", "--lint=only", "--fix"}, strings.NewReader(""), &patch, &notes)
	if code != exitFine || !strings.Contains(notes.String(), "mends 2 findings; 0 errors and 0 warnings are left") {
		t.Fatalf("exit %d: %s", code, notes.String())
	}
	applyPatch(t, ".", patch.String())
	if out, code := lintRun(); code != exitFine || !strings.Contains(out, "nothing to say about 1 file") {
		t.Errorf("exit %d:\n%s%s", code, out, patch.String())
	}
}

// TestLintMetadata: metadata.json is checked as metadata-json-lint does it, with places.
func TestLintMetadata(t *testing.T) {
	lintTree(t, map[string]string{"a/metadata.json": "{\n  \"name\": \"x-a\",\n  \"version\": \"1.0\",\n  \"author\": " +
		"\"x\",\n" +
		"  \"license\": \"Mine\",\n  \"source\": \"x\",\n  \"dependencies\": []\n}\n"})
	out, code := lintRun()
	for _, want := range []string{"a/metadata.json:3:14", "error[metadata_json_version]", "required property of 'summary'",
		"warning[metadata_json_license]: License identifier Mine is not in the SPDX list", "a/metadata.json:5:14"} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing of %q:\n%s", want, out)
		}
	}
	if code != exitNo {
		t.Errorf("exit %d", code)
	}
	if out, code := lintRun("--no-metadata_json-check"); code != exitFine || !strings.Contains(out, "0 files") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}
