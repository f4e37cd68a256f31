package functions_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"bunraku/puppet/functions"
	"bunraku/source"
)

// A golden is one recorded question: files N (an expression, or a manifest with "# manifest" as its first line) and
// N.want, what Puppet 7.23 answers. Where 8.11 answers otherwise there is N.want8, too.
type golden struct {
	path, name string
	question   question
	want       string
	want8      string
}

// wanted is what a language answers.
func (g *golden) wanted(l source.Language) string {
	if l.Eight() {
		return g.want8
	}
	return g.want
}

func loadGoldens(t *testing.T) []*golden {
	t.Helper()
	paths, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recorded answers: %v", err)
	}
	var out []*golden
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		wants := map[string]string{}
		for _, f := range archive.Files {
			wants[f.Name] = strings.TrimSuffix(string(f.Data), "\n")
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".want") || strings.HasSuffix(f.Name, ".want8") {
				continue
			}
			want := wants[f.Name+".want"]
			want8, differs := wants[f.Name+".want8"]
			if !differs {
				want8 = want
			}
			out = append(out, &golden{path, f.Name, question(strings.TrimSuffix(string(f.Data), "\n")), want, want8})
		}
	}
	return out
}

// TestGolden compares our answers with the recorded ones. It needs Puppet only to record.
func TestGolden(t *testing.T) {
	if *record {
		recordGoldens(t)
	}
	covered := map[string]int{}
	for _, g := range loadGoldens(t) {
		name := strings.TrimSuffix(filepath.Base(g.path), ".txtar")
		covered[name]++
		t.Run(name+"/"+g.name, func(t *testing.T) {
			for _, l := range both {
				if got := askUs(l, g.question); got != g.wanted(l) {
					t.Errorf("%s\n\t%s: %s\n\tours: %s", g.question, l.Title(), g.wanted(l), got)
				}
			}
		})
	}
	for name := range functions.Table(source.Puppet7) {
		if covered[name] < 3 {
			t.Errorf("%s has %d recorded calls, wants 3", name, covered[name])
		}
	}
}

// ours are the functions that Debian's Puppet cannot be asked about (scanf is in a gem it lacks, generate would run
// programs, ERB comes later): their answers are written by hand.
func ours(g *golden) bool {
	switch strings.TrimSuffix(filepath.Base(g.path), ".txtar") {
	case "scanf", "generate", "template", "inline_template", "eyaml_lookup_key":
		return true
	}
	return false
}

// recordGoldens asks Puppet again. A function without an archive gets one, of generated calls.
func recordGoldens(t *testing.T) {
	archives := map[string][]question{}
	paths, _ := filepath.Glob("testdata/golden/*.txtar")
	for _, g := range func() []*golden {
		if len(paths) == 0 {
			return nil
		}
		return loadGoldens(t)
	}() {
		if !ours(g) {
			archives[g.path] = append(archives[g.path], g.question)
		}
	}
	for name, s := range shapes {
		path := filepath.Join("testdata", "golden", name+".txtar")
		if archives[path] == nil {
			archives[path] = chosen(t, generator.Calls(s, name, 60))
		}
	}
	names := make([]string, 0, len(archives))
	var all []question
	for path := range archives {
		names = append(names, path)
	}
	slices.Sort(names)
	for _, path := range names {
		all = append(all, archives[path]...)
	}
	wants, wants8 := askPuppet(t, source.Puppet7, all), askPuppet(t, source.Puppet8, all)
	for _, path := range names {
		var a txtar.Archive
		for i, q := range archives[path] {
			n := strconv.Itoa(i + 1)
			a.Files = append(a.Files, txtar.File{Name: n, Data: []byte(q + "\n")},
				txtar.File{Name: n + ".want", Data: []byte(wants[0] + "\n")})
			if wants8[0] != wants[0] {
				a.Files = append(a.Files, txtar.File{Name: n + ".want8", Data: []byte(wants8[0] + "\n")})
			}
			wants, wants8 = wants[1:], wants8[1:]
		}
		if err := os.WriteFile(path, txtar.Format(&a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// chosen are a few calls that succeed and a few that fail, for a new archive.
func chosen(t *testing.T, qs []question) []question {
	var out []question
	good, bad := 0, 0
	for i, want := range askPuppet(t, source.Puppet7, qs) {
		if strings.Contains(want, ":0x0000") || slip.MatchString(want) || askUs(source.Puppet7, qs[i]) != want {
			continue
		}
		if strings.HasPrefix(want, "! ") {
			if bad++; bad > 3 {
				continue
			}
		} else if good++; good > 6 {
			continue
		}
		out = append(out, qs[i])
	}
	return out
}
