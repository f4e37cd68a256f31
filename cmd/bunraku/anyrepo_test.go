package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"bunraku/internal/live"
)

var sharedClasses = regexp.MustCompile(`(?m)^(\d+) of (\d+) public class(?:es)? compiled on at least one system`)

// ofClasses is how many classes the nodes came to.
var ofClasses = regexp.MustCompile(`(?m)^Reached by .*\b\d+ of \d+ classes|in no module of the modulepath`)

// hasClasses reports whether a tree has classes of its own.
func hasClasses(dir string) (has bool) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // what cannot be read has none
		if has || err != nil || d.IsDir() && (d.Name() == "spec" || d.Name() == "examples") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".pp") && strings.Contains(path, "/manifests/") {
			text, _ := os.ReadFile(path)
			has = classWord.Match(text)
		}
		return nil
	})
	return has
}

var classWord = regexp.MustCompile(`(?m)^class\s`)

var (
	fineNode  = regexp.MustCompile(`^ +\S.* +[1-9]\d* resources?  fine(?:,.*)?$`) // "fine, 1 not modelled"
	fineNodes = regexp.MustCompile(`^ +(\d+) nodes?   fine(?:,[^:]*)?: `)         // many are counted
	fineWord  = regexp.MustCompile(`  fine\b`)
	everyNode = regexp.MustCompile(`\bEvery node (that was compiled )?is `)
	notLooked = regexp.MustCompile(`no catalog|with stand-ins|(?m)^Not looked at`)
)

// falseComfort are the lines of an answer that call something fine which was not compiled, and how many nodes it calls
// fine.
func falseComfort(out string) (told int, wrong []string) {
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if !fineWord.MatchString(line) {
			continue
		}
		if m := fineNodes.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			told += n
		} else if fineNode.MatchString(line) {
			told++
		} else {
			wrong = append(wrong, line)
		}
	}
	m := everyNode.FindStringSubmatch(out)
	switch {
	case m != nil && told == 0 && !strings.Contains(out, " resources  "):
		wrong = append(wrong, "nothing was compiled, and every node is called proved")
	case m != nil && m[1] == "" && notLooked.MatchString(out):
		wrong = append(wrong, "every node is called proved, and not all were compiled")
	}
	return told, wrong
}

// fineInJSON is how many nodes the answer in JSON has that were compiled whole, hold something and have no problem.
func fineInJSON(t *testing.T, program, dir string) (n int) {
	out, _ := exec.Command(program, "check", "--format", "json", dir).Output() // it ends with 1 or 2 if it finds something
	var answer struct {
		Nodes []struct {
			Compiles  bool
			Resources int
			Problems  []struct{ Severity string }
			Findings  []string
			StandIns  []struct{} `json:"stand_ins"`
		}
	}
	if len(out) == 0 {
		return 0
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Errorf("%s: %v", dir, err)
	}
	for _, a := range answer.Nodes {
		wrong := len(a.Findings) + len(a.StandIns)
		for _, p := range a.Problems {
			if p.Severity != "note" { // what an invented node's own code says
				wrong++
			}
		}
		if a.Compiles && a.Resources > 0 && wrong == 0 {
			n++
		}
	}
	return n
}

// What is told is fine only where it was compiled.
func TestFalseComfort(t *testing.T) {
	for _, c := range []struct {
		out   string
		told  int
		wrong bool
	}{
		{"m   1 node\n  a on debian-12 (invented)      3 resources  fine\n\nEvery node that was compiled is deterministic.\n",
			1, false},
		{"m\n   106 nodes   fine: a on b (invented) and 105 more\n     6 nodes   fine, 1 not modelled: c\n", 112, false},
		{"m   1 node\n  a      no catalog  fine\n", 0, true},
		{"m   1 node\n  a      0 resources  fine\n", 0, true},
		{"m   1 node\n\nEvery node is deterministic.\n", 0, true},
		{"m   2 nodes\n  a      3 resources  fine\n  b      no catalog  E0401\n\nEvery node is deterministic.\n", 1, true},
	} {
		if told, wrong := falseComfort(c.out); told != c.told || len(wrong) > 0 != c.wrong {
			t.Errorf("%d %q:\n%s", told, wrong, c.out)
		}
	}
}

// TestAcceptAnyRepo: check of public trees as they were cloned, and nothing else: how much time and memory each takes,
// and how many of the modules' public classes are compiled. bench/fetched.txt names the clones.
func TestAcceptAnyRepo(t *testing.T) {
	live.Accept(t)
	fetched := os.Getenv("BUNRAKU_FETCHED")
	if fetched == "" {
		fetched = filepath.Join(live.Root(), "..", "fetched")
	}
	list, err := os.ReadFile(filepath.Join(live.Root(), "bench", "fetched.txt"))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "bunraku")
	if out, err := script(t, live.Root(), nil, "go", "build", "-o", program, "./cmd/bunraku"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const mostSeconds, mostMB = 20, 500
	modules, sites, done, all, told := 0, map[string]bool{}, 0, 0, 0
	for _, line := range strings.Split(string(list), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.HasPrefix(line, "#") {
			continue
		}
		module, site := strings.HasPrefix(fields[0], "lint-modules/"), strings.HasPrefix(fields[0], "site_") ||
			strings.HasPrefix(fields[1], "wikimedia/operations") || strings.HasPrefix(fields[1], "miraheze/") ||
			strings.HasPrefix(fields[1], "mozilla")
		dir := filepath.Join(fetched, fields[0])
		if _, err := os.Stat(dir); err != nil || !module && !site {
			continue
		}
		c := exec.Command(program, "check", dir)
		out, _ := c.Output() // it ends with 1 or 2 when it finds something
		usage := c.ProcessState.SysUsage().(*syscall.Rusage)
		seconds := (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
		mb := usage.Maxrss / 1024
		share := "-"
		if m := sharedClasses.FindStringSubmatch(string(out)); m != nil {
			share = m[1] + " of " + m[2]
			if module {
				n, _ := strconv.Atoi(m[1])
				of, _ := strconv.Atoi(m[2])
				done, all = done+n, all+of
			}
		}
		fmt.Printf("%-45s %-12s public classes  %5.1f s (bar %d)  %4d MB (bar %d)\n", fields[1], share, seconds, mostSeconds,
			mb, mostMB)
		if c.ProcessState.ExitCode() < 0 || seconds > mostSeconds || mb > mostMB {
			t.Errorf("%s: exit %d, %.1f s, %d MB", fields[1], c.ProcessState.ExitCode(), seconds, mb)
		}
		if module {
			modules++
		} else {
			sites[fields[1]] = true // one may have been cloned twice
		}
		n, wrong := falseComfort(string(out))
		told += n
		if in := fineInJSON(t, program, dir); n > in {
			t.Errorf("%s: %d nodes are called fine, and %d were compiled whole and without a problem", fields[1], n, in)
		}
		for _, line := range wrong {
			t.Errorf("%s: %s", fields[1], line)
		}
		if share == "-" && !ofClasses.Match(out) && hasClasses(dir) {
			t.Errorf("%s: how many classes were compiled is not told:\n%s", fields[1], out)
		}
	}
	t.Logf("%d modules (bar 30), %d control repos (bar 12): %d of %d public classes of modules compiled (bar: half); %d "+
		"nodes are called fine", modules, len(sites), done, all, told)
	if modules < 30 || len(sites) < 12 || 2*done < all || told == 0 {
		t.Errorf("too few")
	}
}
