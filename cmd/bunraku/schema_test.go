package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// TestSchemas holds what people feed to other programs against the published schemas, by validators that others wrote:
// SARIF 2.1.0 as OASIS has it (with python's jsonschema), JUnit as Jenkins reads it (with xmllint). GitLab publishes no
// schema of its code quality reports but tells in words what an entry must have; that is looked at here.
func TestSchemas(t *testing.T) {
	sarif := filepath.Join(live.Fetched(t, "sarif-spec"), "sarif-2.1", "schema", "sarif-schema-2.1.0.json")
	junit := filepath.Join(live.Fetched(t, "xunit-plugin"), "src", "main", "resources", "org", "jenkinsci", "plugins",
		"xunit", "types", "model", "xsd", "junit-10.xsd")
	python, xmllint := live.Tool(t, "python3"), live.Tool(t, "xmllint")
	if err := exec.Command(python, "-c", "import jsonschema").Run(); err != nil {
		t.Skip("python3-jsonschema is not installed")
	}
	dir := t.TempDir()
	valid := map[string]func(file string) ([]byte, error){
		"sarif": func(file string) ([]byte, error) {
			return exec.Command(python, "-c", "import json, sys, jsonschema\n"+
				"jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))", sarif,
				file).CombinedOutput()
		},
		"junit": func(file string) ([]byte, error) {
			return exec.Command(xmllint, "--noout", "--schema", junit, file).CombinedOutput()
		},
	}
	// What has been tampered with is refused: the validators look.
	for format, text := range map[string]string{"sarif": `{"version": "2.1.0", "runs": [{"tool": {}}]}`,
		"junit": "<testsuites><testcase/></testsuites>"} {
		file := filepath.Join(dir, "wrong."+format)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := valid[format](file); err == nil {
			t.Errorf("a wrong %s is taken for right", format)
		}
	}
	looked := 0
	look := func(what, format string, args ...string) {
		t.Helper()
		code, out, stderr := call(append(args, "--format", format)...)
		if out == "" {
			t.Fatalf("%s: exit %d, %s", what, code, stderr)
		}
		looked++
		if format == "gitlab" {
			gitlabReport(t, what, out)
			return
		}
		file := filepath.Join(dir, "report."+format)
		if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
		if told, err := valid[format](file); err != nil {
			t.Errorf("%s as %s: %s", what, format, told)
		}
	}
	s := newRepository(t)
	odd := "notify { \"a \\u{1} <b> & ]]> ü \\u{1F600}\": }\nfile { '/nowhere/x': content => \"\\u{7}\" }\n"
	for _, format := range []string{"sarif", "junit", "gitlab"} {
		look("check of the shop", format, "check", s.dir)
		look("lint of the shop", format, "check", "--lint", s.dir)
		look("nothing changes", format, "diff", s.dir)
	}
	s.edit("manifests/site.pp", "", odd)
	s.edit("data/role/web.yaml", "conf_mode: '0640'", "conf_mode: '0600'")
	s.edit("data/nodes/web2.shop.example.yaml", "", "profile::base::packages: 7\n") // it newly fails
	for _, format := range []string{"sarif", "junit", "gitlab"} {
		look("a change", format, "diff", s.dir)
		look("a change that none should be", format, "diff", s.dir, "--assert", "none")
		look("check of what fails", format, "check", s.dir)
	}
	if looked != 18 {
		t.Errorf("%d reports were looked at", looked)
	}
}

// gitlabReport looks at what GitLab asks of a code quality report.
func gitlabReport(t *testing.T, what, text string) {
	t.Helper()
	var list []struct {
		Description, Fingerprint, Severity string
		Check                              string `json:"check_name"`
		Location                           struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%s: %v\n%s", what, err, text)
	}
	seen := map[string]bool{}
	for _, x := range list {
		if x.Description == "" || x.Check == "" || x.Fingerprint == "" || seen[x.Fingerprint] ||
			!slices.Contains([]string{"info", "minor", "major", "critical", "blocker"}, x.Severity) ||
			x.Location.Path == "" || strings.HasPrefix(x.Location.Path, "./") || x.Location.Lines.Begin < 1 {
			t.Errorf("%s: %+v", what, x)
		}
		seen[x.Fingerprint] = true
	}
}
