package syntax

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/source"
)

// modules is where Debian puts packaged Puppet modules.
const modules = "/usr/share/puppet/modules"

// shared is the directory with the corpora and the oracle's scripts; it is not part of the repository.
func shared() string {
	if dir := os.Getenv("BUNRAKU_SHARED"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "shared")
}

// realFiles lists every manifest and template of the installed modules and of the corpus, or none.
func realFiles() []string {
	var files []string
	for _, root := range []string{modules, filepath.Join(shared(), "corpus", "upuppet")} {
		files = append(files, filesBelow(root)...)
	}
	sort.Strings(files)
	return files
}

// filesBelow follows links, which Debian's modules are made of.
func filesBelow(root string) []string {
	var files []string
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(root, e.Name())
		info, err := os.Stat(path)
		switch {
		case err != nil:
		case info.IsDir():
			files = append(files, filesBelow(path)...)
		case info.Mode()&fs.ModeType == 0 && (strings.HasSuffix(path, ".pp") || strings.HasSuffix(path, ".epp")):
			files = append(files, path)
		}
	}
	return files
}

func parseFile(t testing.TB, path string) (*File, source.Diagnostics) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parseText(path, string(text))
}

func parseText(path, text string) (*File, source.Diagnostics) {
	f := source.NewFile(path, text)
	if strings.HasSuffix(path, ".epp") {
		return ParseEPP(f, Options{})
	}
	return Parse(f, Options{})
}

// oracle asks Puppet itself, in one process, for the PN of files. An answer that begins with ! is an error.
func oracle(t testing.TB, files []string) map[string]string {
	t.Helper()
	out := live.Ruby(t, filepath.Join("testdata", "pn.rb"), strings.Join(files, "\n"))
	answers := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\n"), "\n") {
		path, answer, ok := strings.Cut(line, "\t")
		if ok {
			answers[path] = answer
		}
	}
	return answers
}

// TestScorePN compares with Puppet on every real file. What Puppet cannot parse or print is not in the total.
func TestScorePN(t *testing.T) {
	files := realFiles()
	if len(files) == 0 {
		t.Skipf("no Puppet modules in %s and no corpus in %s", modules, shared())
	}
	answers := oracle(t, files)
	same, total, shown := 0, 0, 0
	for _, path := range files {
		want, ok := answers[path]
		if !ok {
			t.Errorf("%s: the oracle said nothing", path)
			continue
		}
		if strings.HasPrefix(want, "!") {
			continue
		}
		total++
		f, diags := parseFile(t, path)
		var got string
		if diags.HasErrors() {
			got = "!" + diags[0].Error()
		} else {
			got = string(AppendPN(nil, f))
		}
		if got == want {
			same++
		} else if shown++; shown <= 10 {
			t.Errorf("%s\n%s", path, difference(got, want))
		}
	}
	t.Logf("score: PN %d/%d", same, total)
}

// difference shows the first place where two long lines part.
func difference(got, want string) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	cut := func(s string) string { return s[max(0, min(i, len(s))-60):min(len(s), i+100)] }
	return " got …" + cut(got) + "…\nwant …" + cut(want) + "…"
}

// A pnCase is one text of testdata/pn and what Puppet prints for it.
type pnCase struct {
	archive, name, text, pn string
}

const noNewline = " (no final newline)" // marks an input whose last line end belongs to the archive only

// pnCases reads the archives: `-- name.pp --` with an input, each followed by `-- name.pn --` with the answer.
func pnCases(t testing.TB) []*pnCase {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join("testdata", "pn", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var cases []*pnCase
	for _, path := range archives {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var current *string
		for _, line := range strings.SplitAfter(string(data), "\n") {
			name, ok := strings.CutPrefix(strings.TrimSuffix(line, " --\n"), "-- ")
			switch {
			case !ok || !strings.HasSuffix(line, " --\n"):
				if current != nil {
					*current += line
				}
			case strings.HasSuffix(name, ".pn"):
				current = &cases[len(cases)-1].pn
			default:
				c := &pnCase{archive: path, name: name}
				cases = append(cases, c)
				current = &c.text
			}
		}
	}
	return cases
}

// input is the text as Puppet would read it.
func (c *pnCase) input() (path, text string) {
	if name, ok := strings.CutSuffix(c.name, noNewline); ok {
		return name, strings.TrimSuffix(c.text, "\n")
	}
	return c.name, c.text
}

func TestPN(t *testing.T) {
	cases := pnCases(t)
	if *record {
		recordPN(t, cases)
	}
	for _, c := range cases {
		path, text := c.input()
		f, diags := parseText(path, text)
		if diags.HasErrors() {
			t.Errorf("%s %s: %s", c.archive, path, diags[0])
			continue
		}
		if got := string(AppendPN(nil, f)) + "\n"; got != c.pn {
			t.Errorf("%s %s:\n got %swant %s", c.archive, path, got, c.pn)
		}
	}
	t.Logf("%d cases", len(cases))
}

// recordPN writes Puppet's answers into the archives. Puppet's transformer dies of a parameter that takes the rest, so
// there the answer stays as it was written by hand.
func recordPN(t *testing.T, cases []*pnCase) {
	dir := t.TempDir()
	var paths []string
	for i, c := range cases {
		name, text := c.input()
		path := filepath.Join(dir, fmt.Sprintf("%d_%s", i, name))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	answers := oracle(t, paths)
	archives := map[string]*strings.Builder{}
	for i, c := range cases {
		answer := answers[paths[i]]
		switch {
		case strings.HasPrefix(answer, "!undefined method `Literal'"):
		case answer == "" || strings.HasPrefix(answer, "!"):
			t.Errorf("%s %s: Puppet says %s", c.archive, c.name, answer)
		default:
			c.pn = answer + "\n"
		}
		b := archives[c.archive]
		if b == nil {
			data, err := os.ReadFile(c.archive)
			if err != nil {
				t.Fatal(err)
			}
			intro, _, _ := strings.Cut(string(data), "-- ")
			b = &strings.Builder{}
			b.WriteString(intro)
			archives[c.archive] = b
		}
		name, _, _ := strings.Cut(c.name, ".")
		fmt.Fprintf(b, "-- %s --\n%s-- %s.pn --\n%s", c.name, c.text, name, c.pn)
	}
	for path, b := range archives {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
