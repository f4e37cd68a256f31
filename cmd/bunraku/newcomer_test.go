package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// firstHour is what a maintainer of a control repo met in the first hour with the program, and the tests that hold the
// answers.
var firstHour = []struct {
	met string
	by  []string
}{
	{"1: a module with facts, of which no class is compiled, is fine", []string{"TestFirstHour/module_with_facts"}},
	{"1: a role is missing, and the site's own warning is dropped", []string{"TestCheckSaysWhatItLookedAt"}},
	{"1: no facts in a directory, and no word of it in other formats", []string{"TestCheckSaysWhatItLookedAt"}},
	{"1: deterministic, although values are not known", []string{"TestCheckSaysWhatItLookedAt"}},
	{"2: no useful answer without facts, a module on every system", []string{"TestCheckWithoutFacts", "TestSystems",
		"TestFactsShow", "TestAskPuppetDB", "TestAcceptAnyRepo"}},
	{"3: Puppetfile and .fixtures.yml are not read", []string{"TestCheckWithStandIns", "TestDependencies"}},
	{"4: one broken file stops all compiling", []string{"TestCheckSaysWhatItLookedAt", "TestOneFileUnread"}},
	{"5: ERB is not checked unless it is rendered, @prot is silent", []string{"TestPlanted", "TestAcceptPlanted"}},
	{"5: a broken template that is used has no source line", []string{"TestFirstHour/broken_template"}},
	{"6: faults in Hiera that stay silent", []string{"TestPlanted", "TestAcceptPlanted", "TestCheckUnreadableData"}},
	{"7: code that no node uses is only parsed", []string{"TestPlanted", "TestUnused", "TestCoverage"}},
	{"8: no classifier, no --classes, trusted facts", []string{"TestScoreEnc", "TestTrustedAndClasses"}},
	{"8: exported resources and collectors are dropped", []string{"TestFirstHour/exported", "TestScoreExchange"}},
	{"9: did you mean a class of another module", []string{"TestAdviceOnEnvironments"}},
	{"9: puppetdb_query, and no word of --mock", []string{"TestFirstHour/puppetdb_query"}},
	{"9: a directory of links holds no .pp file", []string{"TestFirstHour/links", "TestCheckLink"}},
	{"9: 0 of 0 slots depend on it", []string{"TestLinesThatAlterNothing"}},
	{"9: facts that are put into t/a.pp/facts", []string{"TestFirstHour/facts_of_a_file"}},
	{"9: Ctrl-C throws away finished nodes", []string{"TestInterruptedCheck"}},
	{"9: no wrapping at 50 columns", []string{"TestFirstHour/narrow", "TestFold"}},
	{"9: no --version, completion is hidden", []string{"TestFirstHour/version"}},
	{"9: absolute paths in E0510 and of broken templates", []string{"TestFirstHour/declared_twice",
		"TestFirstHour/broken_template"}},
	{"10: nothing to install", []string{"TestAcceptDist", "TestAction", "TestGitLab", "TestPreCommit", "TestManual"}},
	{"10: no page about facts", []string{"TestDocs"}},
	{"12: the first command of the README ends with 2", []string{"TestFirstHour/README"}},
}

// Every answer is held by a test that there is. (That `make test` runs on a fresh machine, line 11, is tried by
// bench/newcomer.sh in a fresh clone, and by bench/bare.sh in a bare system.)
func TestFirstHourIsAnswered(t *testing.T) {
	var there []string
	err := filepath.WalkDir(live.Root(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(|^\t+\{"(\w+)", func\(t \*testing\.T\)`).
			FindAllStringSubmatch(string(text), -1) {
			there = append(there, m[1]+m[2])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range firstHour {
		for _, name := range l.by {
			test, part, _ := strings.Cut(name, "/")
			if !slices.Contains(there, test) || part != "" && !slices.Contains(there, part) {
				t.Errorf("%s: there is no test %s", l.met, name)
			}
		}
	}
}

// TestFirstHour does what was done then.
func TestFirstHour(t *testing.T) {
	fact := strings.Replace(facts12, "NAME", "a", 1)
	// said is all that a command says, with its exit code checked.
	said := func(t *testing.T, want int, args ...string) string {
		t.Helper()
		code, out, errText := call(args...)
		if code != want {
			t.Errorf("%s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, out, errText)
		}
		return out + errText
	}
	has := func(t *testing.T, text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%q is not in\n%s", w, text)
			}
		}
	}
	for _, c := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"module_with_facts", func(t *testing.T) {
			repo := writeRepo(t, map[string]string{"metadata.json": `{"name": "x-m", "version": "1.0.0", "author": "x",
  "license": "MIT", "summary": "s", "source": "s", "dependencies": []}`,
				"manifests/init.pp": "class m(String $x) { notify { $x: } }\n", "a.json": fact})
			text := said(t, exitFine, "check", repo, "--facts", filepath.Join(repo, "a.json"))
			has(t, text, "V904", "0 of 1 classes")
			if strings.Contains(text, "fine") || strings.Contains(text, "deterministic") {
				t.Errorf("nothing was compiled, and it says\n%s", text)
			}
		}},
		{"broken_template", func(t *testing.T) {
			repo := writeRepo(t, map[string]string{"manifests/site.pp": "include a\n",
				"modules/a/manifests/init.pp":  "class a {\n  file { '/x': content => template('a/x.erb') }\n}\n",
				"modules/a/templates/x.erb":    "one\nport <%= foo.bar %>\n",
				"modules/a/templates/gone.erb": "<% if %>\n"})
			t.Chdir(repo)
			text := said(t, exitFailed, "check")
			has(t, text, "Filepath: modules/a/templates/x.erb\n", "modules/a/templates/x.erb:2:10\n", "2 | port <%= foo.bar %>",
				"U0201", "modules/a/templates/gone.erb:1:")
			if strings.Contains(text, repo) {
				t.Errorf("an absolute path:\n%s", text)
			}
		}},
		{"declared_twice", func(t *testing.T) {
			files := map[string]string{"manifests/site.pp": "file { '/a': }\nfile { '/a': }\n", "facts/a.json": fact}
			var baselines []string
			for range 2 { // on another machine it lies elsewhere
				repo := writeRepo(t, files)
				t.Chdir(repo)
				text := said(t, exitFailed, "check")
				has(t, text, "is already declared at (file: manifests/site.pp, line: 1)")
				if strings.Contains(text, repo) {
					t.Errorf("an absolute path:\n%s", text)
				}
				call("check", "--write-baseline", "known")
				known, err := os.ReadFile("known")
				if err != nil {
					t.Fatal(err)
				}
				baselines = append(baselines, string(known))
			}
			if baselines[0] != baselines[1] {
				t.Errorf("what is known is not the same elsewhere:\n%s\n%s", baselines[0], baselines[1])
			}
		}},
		{"exported", func(t *testing.T) {
			repo := writeRepo(t, map[string]string{"facts/a.json": fact,
				"facts/b.json": strings.Replace(facts12, "NAME", "b", 1),
				"manifests/site.pp": "node a { @@file { '/tmp/x': content => 'x' } }\n" +
					"node b { File <<| |>> }\nnode default { }\n"})
			text := said(t, exitFine, "check", repo)
			has(t, text, "1 resource of 2 nodes", "Nothing found")
			if strings.Contains(text, "V904") {
				t.Errorf("both have something:\n%s", text)
			}
		}},
		{"puppetdb_query", func(t *testing.T) {
			repo := writeRepo(t, map[string]string{"facts/a.json": fact, "manifests/site.pp": "include a\n",
				"modules/a/manifests/init.pp": "class a { $all = puppetdb_query('nodes[certname]{}')\n" +
					"  file { '/a': content => \"${all}\" } }\n",
				"modules/a/manifests/b.pp": "class a::b { $all = puppetdb_query('nodes[certname]{}') }\n",
				"mocks.yaml":               "- function: puppetdb_query\n  result: [{certname: a}]\n"})
			has(t, said(t, exitFailed, "compile", repo, "--node", "a"), "E0252", "--puppetdb URL", "--mock FILE")
			text := said(t, exitUnknown, "check", repo)
			has(t, text, "V906", "--puppetdb URL", "--mock FILE")
			text += said(t, exitFine, "check", repo, "--mock", filepath.Join(repo, "mocks.yaml"))
			if strings.Contains(text, "U0104") || strings.Contains(text, "E0252") {
				t.Errorf("a server has it:\n%s", text)
			}
		}},
		{"links", func(t *testing.T) {
			repo, dir := writeRepo(t, map[string]string{"manifests/init.pp": "class m { }\n"}), t.TempDir()
			must(t, os.Symlink(repo, filepath.Join(dir, "m")))
			has(t, said(t, exitFailed, "check", dir), "links are not followed", filepath.Join(dir, "m"), "--modulepath")
		}},
		{"facts_of_a_file", func(t *testing.T) {
			repo := writeRepo(t, map[string]string{"a.pp": "notify { 'x': }\n"})
			for _, args := range [][]string{{"verify", filepath.Join(repo, "a.pp")}, {"compile", filepath.Join(repo, "a.pp")}} {
				if text := said(t, exitFailed, args...); strings.Contains(text, "a.pp/facts") {
					t.Errorf("a file has no directory of facts:\n%s", text)
				}
			}
		}},
		{"narrow", func(t *testing.T) {
			if _, err := exec.LookPath("script"); err != nil {
				t.Skip("script of util-linux is not here, which gives a terminal")
			}
			repo := writeRepo(t, map[string]string{"manifests/site.pp": "include web\n", "facts/a.json": fact,
				"modules/web/manifests/init.pp": "class web($port) { file { '/x': content => 'a text that is longer than " +
					"a line of fifty columns', nosuch => $port } }\n"})
			program := builtProgram(t)
			sized := func(width int) string {
				c := exec.Command("script", "-qec", fmt.Sprintf("stty cols %d; '%s' check '%s'", width, program, repo),
					os.DevNull)
				c.Env = append(os.Environ(), "NO_COLOR=1", "TERM=xterm")
				out, _ := c.CombinedOutput() // it ends with what check ends with
				return regexp.MustCompile(`\d+\.\d+\s+s\b|\r`).ReplaceAllString(string(out), "")
			}
			narrow, wide := sized(50), sized(5000)
			has(t, narrow, "E0412", "include web")
			if strings.Join(strings.Fields(narrow), " ") != strings.Join(strings.Fields(wide), " ") {
				t.Errorf("other words:\n%s\n%s", narrow, wide)
			}
			for line := range strings.Lines(narrow) {
				if len(line) > 51 && !strings.Contains(line, "|") && len(strings.Fields(line)) > 1 {
					t.Errorf("%d columns: %s", len(line)-1, line)
				}
			}
			if strings.Count(narrow, "\n") <= strings.Count(wide, "\n") {
				t.Errorf("nothing is broken:\n%s", narrow)
			}
		}},
		{"version", func(t *testing.T) {
			has(t, said(t, exitFine, "--version"), "speaks Puppet 8")
			has(t, said(t, exitFine, "--help"), "completion", "version", "check")
		}},
		{"README", func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(live.Root(), "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			m := regexp.MustCompile(`(?m)^    go run \./cmd/bunraku (.+)$`).FindStringSubmatch(string(text))
			if m == nil {
				t.Fatal("the README has no first command")
			}
			t.Chdir(live.Root())
			said(t, exitFine, strings.Fields(strings.ReplaceAll(m[1], "'", ""))...)
			has(t, string(text), "2 when it found a problem")
		}},
	} {
		t.Run(c.name, c.run)
	}
}
