package smartfrog

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"bunraku/source"

	"github.com/rogpeppe/go-internal/txtar"
)

// A testCase is one specification of testdata/TOPIC/*.txtar with what must come of it. Its files are named CASE/FILE:
//
//	main.sf         the specification; other .sf files can be included
//	flags           --extended
//	json, yaml, sf  the output in each format; json may be on one line
//	problems        the diagnostics, one on a line: code, place, and the start of the summary
//	explain REF     the text of an explanation
type testCase struct {
	name  string
	files fstest.MapFS
	wants map[string]string
}

func readCases(t testing.TB, archive string) []*testCase {
	t.Helper()
	ar, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	var cases []*testCase
	for _, f := range ar.Files {
		name, file, ok := strings.Cut(f.Name, "/")
		if !ok {
			t.Fatalf("%s: %q is not CASE/FILE", archive, f.Name)
		}
		if len(cases) == 0 || cases[len(cases)-1].name != name {
			cases = append(cases, &testCase{name, fstest.MapFS{}, map[string]string{}})
		}
		c := cases[len(cases)-1]
		if strings.HasSuffix(file, ".sf") {
			c.files[file] = &fstest.MapFile{Data: f.Data}
		} else {
			c.wants[file] = string(f.Data)
		}
	}
	return cases
}

func allCases(t testing.TB) map[string][]*testCase {
	t.Helper()
	archives, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no cases", err)
	}
	all := map[string][]*testCase{}
	for _, a := range archives {
		all[filepath.ToSlash(a)] = readCases(t, a)
	}
	return all
}

func TestCases(t *testing.T) {
	for archive, cases := range allCases(t) {
		for _, c := range cases {
			name := strings.TrimSuffix(strings.TrimPrefix(archive, "testdata/"), ".txtar") + "/" + c.name
			t.Run(name, func(t *testing.T) { c.run(t) })
		}
	}
}

func (c *testCase) run(t *testing.T) {
	opt := Options{Extended: strings.Contains(c.wants["flags"], "--extended")}
	main, ok := c.files["main.sf"]
	if !ok {
		t.Fatal("no main.sf")
	}
	r, diags := Compile(source.NewFile("main.sf", string(main.Data)), c.files, opt)
	c.checkProblems(t, diags)
	for what, want := range c.wants {
		if what == "flags" || what == "problems" {
			continue
		}
		if r == nil {
			t.Errorf("%s is wanted, but there are errors", what)
			continue
		}
		var b strings.Builder
		var err error
		ref, explain := strings.CutPrefix(what, "explain ")
		switch {
		case what == "json":
			got := compact(t, jsonOf(t, r))
			if got != compact(t, want) {
				t.Errorf("json\n got %s\nwant %s", got, compact(t, want))
			}
			continue
		case what == "yaml":
			err = r.WriteYAML(&b)
		case what == "sf":
			err = r.WriteSF(&b)
		case explain:
			path, ok := ParseReference(ref)
			if !ok {
				t.Fatalf("%q is no reference", ref)
			}
			x, problem := r.Explain(path)
			if problem != nil {
				b.WriteString(problem.String())
				break
			}
			err = x.WriteText(&b)
		default:
			t.Fatalf("%q is nothing to want", what)
		}
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("%s\n got %s\nwant %s", what, b.String(), want)
		}
	}
}

// checkProblems compares the diagnostics with the lines that are wanted.
func (c *testCase) checkProblems(t *testing.T, diags source.Diagnostics) {
	t.Helper()
	want := strings.Split(strings.TrimSuffix(c.wants["problems"], "\n"), "\n")
	if c.wants["problems"] == "" {
		want = nil
	}
	for i, d := range diags {
		line := fmt.Sprintf("%s %s %s", d.Code, d.Place, d.Summary)
		if i >= len(want) || !strings.HasPrefix(line, want[i]) {
			t.Errorf("problem %d\n got %s\nwant %s", i+1, line, strings.Join(want[min(i, len(want)):], "\n     "))
			return
		}
	}
	if len(want) > len(diags) {
		t.Errorf("missing: %s", strings.Join(want[len(diags):], "\n"))
	}
}

// TestCodes demands a case for every code, and a line about it in the documentation.
func TestCodes(t *testing.T) {
	text, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../docs/smartfrog.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, cases := range allCases(t) {
		for _, c := range cases {
			for what, want := range c.wants {
				if what == "problems" || strings.HasPrefix(what, "explain ") {
					shown = append(shown, want)
				}
			}
		}
	}
	all := strings.Join(shown, "\n")
	codes := regexp.MustCompile(`"(S\d{4})"`).FindAllStringSubmatch(string(text), -1)
	if len(codes) == 0 {
		t.Fatal("no codes")
	}
	// These need an input too large for a case; limits_test.go has them.
	large := []string{codeNesting, codeWork, codeSize, codeMany}
	for _, m := range codes {
		if !strings.Contains(all, m[1]) && !slices.Contains(large, m[1]) {
			t.Errorf("no case shows %s", m[1])
		}
		if !strings.Contains(string(docs), m[1]) {
			t.Errorf("docs/smartfrog.md does not mention %s", m[1])
		}
	}
}
