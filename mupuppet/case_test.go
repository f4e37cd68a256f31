package mupuppet

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/source"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// testdata holds small manifests with Puppet 7.23's answer: puppet.json, its catalog, or puppet.err, its message. A
// case where µPuppet is stuck says with which code. Answers come from Puppet only: `go test -run TestCases -record`.

var record = flag.Bool("record", false, "ask the installed Puppet for the answers in testdata")

func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	if *record {
		recordCases(t, files)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			section := readCase(t, name)
			r, ds := Compile(source.NewFile("manifest.pp", section["manifest.pp"]), Options{})
			want, ok := section["puppet.json"]
			switch stuck := strings.TrimSpace(section["stuck"]); {
			case !ok && section["puppet.err"] == "":
				t.Fatal("Puppet has not been asked: go test -run TestCases -record")
			case !ok && r != nil:
				t.Fatalf("Puppet fails: %s\nwe do not", section["puppet.err"])
			case !ok:
				if ds[0].Code != stuck {
					t.Errorf("want %s, got\n%s", stuck, ds[0])
				}
				return
			case r == nil:
				t.Fatalf("Puppet compiles it:\n%s", ds[0])
			}
			var resources []puppetResource
			if err := json.Unmarshal([]byte(want), &resources); err != nil {
				t.Fatal(err)
			}
			w, g := native(resources, r.Definitions), r.Fingerprint()
			slices.Sort(w)
			slices.Sort(g)
			if diff := cmp.Diff(w, g); diff != "" {
				t.Errorf("Puppet (-) and µPuppet (+) differ:\n%s", diff)
			}
		})
	}
}

func readCase(t *testing.T, name string) map[string]string {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range a.Files {
		out[f.Name] = string(f.Data)
	}
	return out
}

func recordCases(t *testing.T, files []string) {
	var sources []string
	for _, name := range files {
		sources = append(sources, readCase(t, name)["manifest.pp"])
	}
	for i, answer := range askPuppet(t, sources) {
		a, err := txtar.ParseFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "puppet.") })
		f := txtar.File{Name: "puppet.err", Data: []byte(puppetMessage(answer.Error) + "\n")}
		if answer.OK {
			text, err := json.MarshalIndent(answer.Resources, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			f = txtar.File{Name: "puppet.json", Data: append(text, '\n')}
		}
		a.Files = append(a.Files, f)
		if err := os.WriteFile(files[i], txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
