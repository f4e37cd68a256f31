package syntax

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"bunraku/source"
)

var record = flag.Bool("record", false, "ask the installed Puppet for the expected answers of testdata/pn and write them down")

// modules is where Debian puts packaged Puppet modules.
const modules = "/usr/share/puppet/modules"

// shared is the directory with the corpora and the oracle's scripts; it is not part of the repository.
func shared() string {
	if dir := os.Getenv("BUNRAKU_SHARED"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "shared")
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
	script := filepath.Join(shared(), "oracle", "pn_dump.rb")
	if _, err := os.Stat(script); err != nil {
		t.Skipf("no oracle: %v", err)
	}
	if err := exec.Command("ruby", "-e", "require 'puppet'").Run(); err != nil {
		t.Skipf("no Puppet to ask: %v", err)
	}
	cmd := exec.Command("ruby", script)
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("oracle: %v", err)
	}
	answers := map[string]string{}
	for _, line := range bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n")) {
		path, answer, ok := strings.Cut(string(line), "\t")
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
