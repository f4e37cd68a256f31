package live

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The sites and refusals of testdata are environments in the manner of real ones: manifests, facts and data of our own
// over Debian's modules; the file called facts names the system whose facts the node has. What Puppet makes of them
// holds text of those modules and so is not part of the repository: the installed Puppet is asked when a test wants it,
// once for every state of the inputs, of Puppet and of the modules, and its answers are kept in the user's cache.

// Sites are the directories of environments that Puppet compiles, each with Puppet's catalog in expected.json.
func Sites(t testing.TB) []string {
	t.Helper()
	return answered(t, "sites", "expected.json")
}

// Catalogs are the files with the catalogs of all sites.
func Catalogs(t testing.TB) []string {
	t.Helper()
	files := Sites(t)
	for i := range files {
		files[i] = filepath.Join(files[i], "expected.json")
	}
	return files
}

// Catalog is the file with the catalog of one site.
func Catalog(t testing.TB, site string) string {
	t.Helper()
	for _, file := range Catalogs(t) {
		if filepath.Base(filepath.Dir(file)) == site {
			return file
		}
	}
	t.Fatalf("no site %s", site)
	return ""
}

// Refusals are the directories of environments that Puppet refuses, each with its message in error.txt.
func Refusals(t testing.TB) []string {
	t.Helper()
	return answered(t, "refusals", "error.txt")
}

// Compile asks the installed Puppet for catalogs, all in one process. A question is an environment's directory, or
// that, a node's name and a file of facts; an answer is a line of JSON: the catalog as an agent gets it, or {"error":
// message}.
func Compile(t testing.TB, questions []string) []string {
	t.Helper()
	return Installed(t).Compile(t, questions)
}

// Compile is the same of any Puppet.
func (o *Oracle) Compile(t testing.TB, questions []string) []string {
	t.Helper()
	script := filepath.Join(Root(), "internal", "live", "sites.rb")
	answers := strings.Split(strings.TrimSpace(o.Ruby(t, script, strings.Join(questions, "\n"))), "\n")
	if len(answers) != len(questions) {
		t.Fatalf("%d questions, %d answers", len(questions), len(answers))
	}
	return answers
}

var asking sync.Mutex

func answered(t testing.TB, kind, wanted string) []string {
	t.Helper()
	Puppet(t)
	Files(t, ".pp")
	asking.Lock()
	defer asking.Unlock()
	testdata := filepath.Join(Root(), "internal", "live", "testdata")
	inputs := filepath.Join(testdata, kind)
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	kept := filepath.Join(cache, "bunraku-answers")
	at := filepath.Join(kept, kind+"-"+stateOf(t, testdata))
	if _, err := os.Stat(at); err != nil {
		ask(t, inputs, kept, at)
	}
	dirs, err := filepath.Glob(filepath.Join(at, "*", wanted))
	if err != nil {
		t.Fatal(err)
	}
	sites, err := os.ReadDir(inputs)
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) != len(sites) {
		t.Errorf("of %d %s Puppet answers %d with %s; the answers are in %s", len(sites), kind, len(dirs), wanted, at)
	}
	for i := range dirs {
		dirs[i] = filepath.Dir(dirs[i])
	}
	return dirs
}

// stateOf is a digest of everything that Puppet's answers depend on.
func stateOf(t testing.TB, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		json.NewEncoder(h).Encode([]string{filepath.ToSlash(rel), string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(Root(), "internal", "live", "sites.rb"))
	if err != nil {
		t.Fatal(err)
	}
	h.Write(script)
	if packages, err := exec.Command("dpkg-query", "-W", "puppet*", "ruby*", "hiera", "facter").Output(); err == nil {
		h.Write(packages)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// ask makes the folder of answers whole or not at all: another test process may want it at the same time.
func ask(t testing.TB, inputs, kept, at string) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(kept, 0o755))
	near, err := os.MkdirTemp(kept, "asking-*")
	must(err)
	defer os.RemoveAll(near)
	must(os.Chmod(near, 0o755))
	must(os.CopyFS(near, os.DirFS(inputs)))
	sites, err := os.ReadDir(near)
	must(err)
	var dirs []string
	for _, s := range sites {
		dir := filepath.Join(near, s.Name())
		system, err := os.ReadFile(filepath.Join(dir, "facts"))
		must(err)
		facts, err := os.ReadFile(filepath.Join(inputs, "..", "facts", strings.TrimSpace(string(system))+".json"))
		must(err)
		must(os.WriteFile(filepath.Join(dir, "facts.json"), facts, 0o644))
		dirs = append(dirs, dir)
	}
	for i, answer := range Compile(t, dirs) {
		var failed struct{ Error *string }
		must(json.Unmarshal([]byte(answer), &failed))
		var pretty bytes.Buffer
		must(json.Indent(&pretty, []byte(answer), "", "  "))
		name, text := "expected.json", pretty.String()
		if failed.Error != nil {
			name, text = "error.txt", *failed.Error+"\n"
		}
		// Answers name files where they were asked; they are read where they are kept.
		must(os.WriteFile(filepath.Join(dirs[i], name), []byte(strings.ReplaceAll(text, near+"/", at+"/")), 0o644))
	}
	if err := os.Rename(near, at); err != nil && !isThere(at) {
		t.Fatal(err)
	}
}

func isThere(path string) bool { _, err := os.Stat(path); return err == nil }
