package compiler_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// An example is code that a module's own authors wrote to show or to try it.
type example struct{ name, code string }

var (
	fenced  = regexp.MustCompile("(?ms)^[ \\t]*```+ *(?:puppet|pp|ruby)? *\\n(.*?)^[ \\t]*```")
	heredoc = regexp.MustCompile(`(?m)<<[-~]?["']?([A-Z_]+)["']?.*\n`)
)

// examplesOf are the manifests in a module's documentation, below examples/, and in its acceptance tests.
func examplesOf(t *testing.T, module, dir string) (out []example) {
	t.Helper()
	seen := map[string]bool{}
	add := func(path, code string) {
		f, errs := syntax.Parse(source.NewFile(path, code), syntax.Options{})
		if errs.HasErrors() || len(f.Defs) > 0 || seen[code] {
			return
		}
		seen[code] = true
		code = "node 'this.node' {\n" + code + "\n}\n"
		f, errs = syntax.Parse(source.NewFile(path, code), syntax.Options{})
		if errs.HasErrors() || syntax.Validate(f, syntax.Options{Language: source.Puppet8}).HasErrors() {
			return
		}
		out = append(out, example{fmt.Sprintf("%s--%03d", module, len(out)), code})
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		top, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		switch ext := filepath.Ext(path); {
		case ext != ".md" && ext != ".pp" && ext != ".rb", ext == ".pp" && top != "examples" && top != "tests",
			ext == ".rb" && !strings.HasPrefix(filepath.ToSlash(rel), "spec/acceptance"):
			return nil
		}
		bytes, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(bytes)
		switch filepath.Ext(path) {
		case ".pp":
			add(path, text)
		case ".md":
			for _, m := range fenced.FindAllStringSubmatch(text, -1) {
				add(path, m[1])
			}
		case ".rb":
			for _, at := range heredoc.FindAllStringSubmatchIndex(text, -1) {
				end := regexp.MustCompile(`(?m)^\s*` + text[at[2]:at[3]] + `$`).FindStringIndex(text[at[1]:])
				if end != nil && !strings.Contains(text[at[1]:at[1]+end[0]], "#{") {
					add(path, text[at[1]:at[1]+end[0]])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAcceptModernExamples compiles what the authors of today's modules wrote to show and to try them, each example on
// one of four machines, and compares the catalog, or the refusal, with Puppet 8's. BUNRAKU_EVERY=n takes every nth
// example.
func TestAcceptModernExamples(t *testing.T) {
	live.Accept(t)
	every, _ := strconv.Atoi(os.Getenv("BUNRAKU_EVERY"))
	every = max(every, 1)
	m := newModernTree(t, map[string]string{"environment.conf": "modulepath = modules\nmanifest = manifests\n"})
	var nodes []debianNode
	own := map[string]string{}
	files := map[string]string{}
	count := 0
	for _, module := range m.names {
		for _, e := range examplesOf(t, module, m.paths[module]) {
			machine := modernFacts[count%len(modernFacts)]
			if count++; count%every != 0 {
				continue
			}
			n := debianNode{e.name + "." + machine, m.machine(t, machine)}
			code := strings.ReplaceAll(e.code, "this.node", n.name)
			files["manifests/"+e.name+".pp"] = code
			nodes = append(nodes, n)
			own[n.name] = code
		}
	}
	write(t, m.dir, files)
	m.ask(t, nodes, own).check(t, fmt.Sprintf("examples of %d modules of today", len(m.names)))
}

// moduleFacts are facts that come with modules, which facterdb has not got: of all machines, and of those that differ.
var moduleFacts = map[string]string{
	"all": `{"root_home": "/root", "puppet_vardir": "/opt/puppetlabs/puppet/cache", "service_provider": "systemd",
		"systemd": true, "systemd_version": "252"}`,
	"debian-12-x86_64":    `{"package_provider": "apt"}`,
	"ubuntu-24.04-x86_64": `{"package_provider": "apt"}`,
	"redhat-9-x86_64":     `{"package_provider": "dnf"}`,
	"freebsd-14-x86_64":   `{"package_provider": "pkgng", "service_provider": "freebsd", "systemd": false}`,
}

// machineWithModules is the file of the facts of a machine that has run the facts of modules too.
func (m *modernTree) machineWithModules(t *testing.T, name string) string {
	t.Helper()
	known := map[string]any{}
	text, err := os.ReadFile(m.machine(t, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{string(text), moduleFacts["all"], moduleFacts[name]} {
		if err := json.Unmarshal([]byte(part), &known); err != nil {
			t.Fatal(err)
		}
	}
	if text, err = json.Marshal(known); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Dir(m.dir), map[string]string{name + ".json": string(text)})
	return filepath.Join(filepath.Dir(m.dir), name+".json")
}

// TestAcceptModernSites compiles sites of our own over today's modules: testdata/modern has a manifest for each, whose
// first line names its machines, and data for some. The catalogs, and refusals, are compared with Puppet 8's.
func TestAcceptModernSites(t *testing.T) {
	live.Accept(t)
	testdata := filepath.Join("testdata", "modern")
	read := func(path ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{testdata}, path...)...))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(text)
	}
	m := newModernTree(t, map[string]string{"environment.conf": "modulepath = modules\nmanifest = manifests\n",
		"hiera.yaml": read("hiera.yaml")})
	list, err := filepath.Glob(filepath.Join(testdata, "manifests", "*.pp"))
	if err != nil {
		t.Fatal(err)
	}
	var nodes []debianNode
	own, files := map[string]string{}, map[string]string{}
	for _, path := range list {
		site := strings.TrimSuffix(filepath.Base(path), ".pp")
		code, data := read("manifests", site+".pp"), read("data", site+".yaml")
		files["manifests/"+site+".pp"] = code
		if data != "" {
			files["data/"+site+".yaml"] = data
		}
		first, _, _ := strings.Cut(code, "\n")
		machines, is := strings.CutPrefix(first, "# machines: ")
		if !is {
			t.Errorf("%s names no machines", path)
		}
		for _, machine := range strings.Fields(machines) {
			n := debianNode{site + "." + machine, m.machineWithModules(t, machine)}
			nodes = append(nodes, n)
			own[n.name] = code + data + moduleFacts["all"] + moduleFacts[machine]
		}
	}
	write(t, m.dir, files)
	m.ask(t, nodes, own).check(t, fmt.Sprintf("%d sites over %d modules of today", len(list), len(m.names)))
	if len(list) < 60 {
		t.Error("too few")
	}
}
