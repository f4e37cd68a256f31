package compiler_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
	"bunraku/source"
)

// said is what a compile says: its error, its warnings, and the messages of its notifies.
type said struct {
	Error    string
	Warnings []string
	Notified []string
}

// puppetSays asks real Puppet about environments; a line is a directory and settings.
func puppetSays(t *testing.T, lines []string) (out []said) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(live.Ruby(t, filepath.Join("testdata", "said.rb"),
		strings.Join(lines, "\n"))), "\n") {
		var s said
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		out = append(out, s)
	}
	if len(out) != len(lines) {
		t.Fatalf("%d answers to %d questions", len(out), len(lines))
	}
	return out
}

// weSay is the same of a result of ours.
func weSay(r *eval.Result) (s said) {
	if r.Failure != nil {
		s.Error = r.Failure.Summary
		if p := r.Failure.Place; p.Known() {
			s.Error += fmt.Sprintf(" (file: %s, line: %d)", p.File.Name, p.Line())
		}
	}
	for _, w := range r.Warnings {
		if w.Severity == source.Warning {
			s.Warnings = append(s.Warnings, w.Summary)
		}
	}
	if r.Catalog != nil {
		for _, res := range r.Catalog.Resources {
			if res.Type == "Notify" {
				message := res.Title
				if v := res.Get("message"); v != nil {
					message = value.ToString(v)
				}
				s.Notified = append(s.Notified, message)
			}
		}
	}
	return s
}

var whereSaid = regexp.MustCompile(`\s*;?\s*\((file|line|location)[^)]*\)`)

// words are a message without the places and the node that Puppet adds.
func words(message string) string {
	message, _, _ = strings.Cut(message, " on node ")
	message = strings.TrimPrefix(message, "Could not parse for environment production: ")
	message = whereSaid.ReplaceAllString(message, "")
	return strings.TrimRight(strings.Join(strings.Fields(message), " "), ";")
}

// The setting strict means the same to the manifest and to Hiera, in all three settings.
func TestStrictness(t *testing.T) {
	const hiera = "version: 5\nhierarchy:\n  - {name: a, path: common.yaml}\n"
	const look = "notify { 'n': message => lookup('k', {'default_value' => 'none'}) }\n"
	sites := map[string]map[string]string{
		"undefined in data": {"hiera.yaml": hiera, "data/common.yaml": "k: \"v %{nosuch} w\"\n",
			"manifests/site.pp": look},
		"undefined in a path": {"hiera.yaml": "version: 5\nhierarchy:\n  - {name: a, path: \"%{nosuch}.yaml\"}\n",
			"data/.yaml": "k: 1\n", "manifests/site.pp": look},
		"data that is no hash": {"hiera.yaml": hiera, "data/common.yaml": "just a text\n", "manifests/site.pp": look},
		"a hiera.yaml of old":  {"hiera.yaml": ":backends: [yaml]\n", "manifests/site.pp": look},
		"undefined in code":    {"manifests/site.pp": "notify { \"a${nosuch}b\": }\n"},
		"a key twice":          {"manifests/site.pp": "$x = { 'a' => 1, 'a' => 2 }\nnotify { \"${x}\": }\n"},
		"a hiera function": {"hiera.yaml": hiera, "data/common.yaml": "k: 1\n",
			"manifests/site.pp": "notify { \"${hiera('k')}\": }\n"},
		"a setting in manifest": {"manifests/site.pp": "notify { \"${settings::strict}\": }\n"},
	}
	var lines, labels []string
	dirs := map[string]string{}
	for name, files := range sites {
		dirs[name] = filepath.Join(t.TempDir(), "production")
		write(t, dirs[name], files)
		for _, strict := range []string{"off", "warning", "error"} {
			lines = append(lines, dirs[name]+" strict="+strict)
			labels = append(labels, name+"/"+strict)
		}
	}
	for i, want := range puppetSays(t, lines) {
		t.Run(labels[i], func(t *testing.T) {
			name, strict, _ := strings.Cut(labels[i], "/")
			got := weSay(compileSite(t, dirs[name], compiler.Options{Strict: strict}))
			if (got.Error != "") != (want.Error != "") || !strings.Contains(words(got.Error), lastClause(want.Error)) {
				t.Errorf("error %q, Puppet says %q", got.Error, want.Error)
			}
			if fmt.Sprint(got.Notified) != fmt.Sprint(want.Notified) {
				t.Errorf("notified %q, Puppet %q", got.Notified, want.Notified)
			}
			if len(got.Warnings) != len(want.Warnings) {
				t.Fatalf("warnings %q, Puppet's %q", got.Warnings, want.Warnings)
			}
			for i := range got.Warnings {
				if words(got.Warnings[i]) != words(want.Warnings[i]) {
					t.Errorf("warning %q, Puppet's %q", got.Warnings[i], want.Warnings[i])
				}
			}
		})
	}
}

// lastClause is what is wrong, without how it came up.
func lastClause(message string) string {
	message = words(message)
	if i := strings.LastIndex(message, "Function Call, "); i >= 0 {
		message = message[i+len("Function Call, "):]
	}
	return message
}
