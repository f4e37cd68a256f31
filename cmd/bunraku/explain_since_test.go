package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
)

// Histories are made at random from a model that knows what every slot is at every commit without compiling anything:
// a class has a number from the nearest level of Hiera or from its code, and a text from its code or its template. What
// --since has to say is read off the model by the definition: the newest commit on the chain of first parents that does
// not have its parent's value; where that is a merge, and the merged branch has the value, the same of the branch.
// Commits that do not compile are passed over.

// sinceClasses is how many classes there are. The first is touched by half of all commits, each further one by half as
// many, so that the answer is found right away or after hundreds of commits.
const sinceClasses = 8

// sinceLevels are the levels of Hiera, by the name of their file; the last one is called otherwise at times.
var sinceLevels = []string{"nodes/n.yaml", "role/web.yaml", "common.yaml"}

// A sinceTree is the state of a tree.
type sinceTree struct {
	data     [3][sinceClasses]int // 0: the level does not have the key
	initial  [sinceClasses]int    // the default of the parameter
	text     [sinceClasses]int
	template [sinceClasses]int // what the template's file is called
	gone     [sinceClasses]bool
	common   int // what the file of the last level is called
	manifest int // what the main manifest is called
	noise    int
	broken   int // 0: it compiles
}

// slot is the message of a class's resource, "" if it is not there.
func (s *sinceTree) slot(i int) string {
	if s.gone[i] {
		return ""
	}
	n := s.initial[i]
	for level := range slices.Backward(s.data[:]) {
		if s.data[level][i] != 0 {
			n = s.data[level][i]
		}
	}
	return fmt.Sprintf("text %d of %d", s.text[i], n)
}

// files are the tree as files.
func (s *sinceTree) files() map[string]string {
	common := fmt.Sprintf("common%d.yaml", s.common)
	out := map[string]string{
		"hiera.yaml": "version: 5\nhierarchy:\n" +
			"  - {name: node, path: \"nodes/%{trusted.certname}.yaml\"}\n" +
			"  - {name: role, path: \"role/%{facts.role}.yaml\"}\n" +
			"  - {name: common, path: " + common + "}\n",
		"facts/n.json": `{"role": "web"}`,
		"README":       fmt.Sprintf("%d\n", s.noise),
		"modules/other/manifests/init.pp": fmt.Sprintf("# %d\nclass other { notify { 'other %d': } }\n", s.noise/2,
			s.noise/3),
	}
	site := "node default {\n"
	for i := range sinceClasses {
		if !s.gone[i] {
			site += fmt.Sprintf("  include c%d\n", i)
		}
		dir := fmt.Sprintf("modules/c%d/", i)
		class := fmt.Sprintf("class c%d(Integer $p = %d) {\n", i, s.initial[i])
		written := fmt.Sprintf("\"text %d of ${p}\"", s.text[i])
		switch i % 3 {
		case 0:
			class += fmt.Sprintf("  notify { 'n%d': message => %s }\n", i, written)
		case 1:
			name := fmt.Sprintf("t%d.epp", s.template[i])
			class += fmt.Sprintf("  notify { 'n%d': message => epp('c%d/%s', { 'p' => $p }) }\n", i, i, name)
			out[dir+"templates/"+name] = fmt.Sprintf("<%%- | $p | -%%>\ntext %d of <%%= $p -%%>\n", s.text[i])
		case 2:
			class += fmt.Sprintf("  c%d::d { 'n%d': p => $p }\n", i, i)
			out[dir+"manifests/d.pp"] = fmt.Sprintf("define c%d::d($p) {\n  notify { $title: message => %s }\n}\n", i, written)
		}
		out[dir+"manifests/init.pp"] = class + "}\n"
	}
	site += "}\n"
	switch s.broken {
	case 1:
		site += "}\n"
	case 2:
		out["manifests/more.pp"] = "class {\n"
	case 3:
		site = strings.Replace(site, "node default {\n", "node default {\n  fail('not now')\n", 1)
	}
	out[fmt.Sprintf("manifests/site%d.pp", s.manifest)] = site
	for level, name := range sinceLevels {
		text := "---\n"
		for i, n := range s.data[level] {
			if n != 0 {
				text += fmt.Sprintf("c%d::p: %d\n", i, n)
			}
		}
		if s.broken == 4 && level == 2 {
			text += "a: [\n"
		}
		if name == "common.yaml" {
			name = common
		}
		out["data/"+name] = text
	}
	return out
}

// A sinceCommit is one commit of a history.
type sinceCommit struct {
	parents []int
	tree    sinceTree
}

// sinceHistory makes commits at random; the last one compiles.
func sinceHistory(r *rand.Rand, size int) (out []sinceCommit) {
	head := 0
	add := func(tree sinceTree, parents ...int) {
		out = append(out, sinceCommit{parents, tree})
		head = len(out) - 1
	}
	var first sinceTree
	for i := range sinceClasses {
		first.initial[i], first.data[2][i] = 1+r.IntN(4), r.IntN(3)
	}
	add(first)
	for len(out) < size-1 {
		tree := out[head].tree
		switch n := r.IntN(100); {
		case n < 5 && head > 10: // a branch, and its merge
			main, side := head, head
			base := tree
			for range 1 + r.IntN(6) {
				add(out[side].tree.edited(r), side)
				side = head
			}
			for range r.IntN(4) {
				add(out[main].tree.edited(r), main)
				main = head
			}
			add(base.merged(out[main].tree, out[side].tree), main, side)
		case n < 10 && len(out[head].parents) == 1: // a revert
			add(out[out[head].parents[0]].tree, head)
		default:
			add(tree.edited(r), head)
		}
	}
	tree := out[head].tree
	tree.broken = 0
	add(tree, head)
	return out
}

// edited is the tree after one commit.
func (s sinceTree) edited(r *rand.Rand) sinceTree {
	i := 0
	for i < sinceClasses-1 && r.IntN(2) == 0 {
		i++
	}
	if s.broken != 0 && r.IntN(2) == 0 {
		s.broken = 0
	}
	switch n := r.IntN(100); {
	case n < 15:
		s.data[r.IntN(3)][i] = r.IntN(5)
	case n < 20:
		s.initial[i] = 1 + r.IntN(4)
	case n < 27:
		s.text[i] = r.IntN(5)
	case n < 32:
		s.gone[i] = !s.gone[i]
	case n < 40:
		s.template[i]++
	case n < 45:
		s.common++
	case n < 50:
		s.manifest++
	case n < 55:
		s.broken = 1 + r.IntN(4)
	}
	s.noise++
	return s
}

// merged is the merge of two trees that were one: what only one of them has changed is as it is there, what both have
// changed as on the main line.
func (s sinceTree) merged(main, side sinceTree) sinceTree {
	out := main
	for i := range sinceClasses {
		for level := range s.data {
			merge(&out.data[level][i], s.data[level][i], side.data[level][i])
		}
		merge(&out.initial[i], s.initial[i], side.initial[i])
		merge(&out.text[i], s.text[i], side.text[i])
		merge(&out.template[i], s.template[i], side.template[i])
		merge(&out.gone[i], s.gone[i], side.gone[i])
	}
	merge(&out.common, s.common, side.common)
	merge(&out.manifest, s.manifest, side.manifest)
	merge(&out.broken, s.broken, side.broken)
	out.noise += side.noise
	return out
}

func merge[T comparable](ours *T, base, theirs T) {
	if *ours == base {
		*ours = theirs
	}
}

// sinceAnswer is the commit that changed a slot by the definition, -1 if none did back to a commit, and whether commits
// between it and the state before it do not compile.
func sinceAnswer(history []sinceCommit, slot, from, stop int) (at int, gap bool) {
	newer, now := from, history[from].tree.slot(slot)
	for older := from; older != stop; {
		older = history[older].parents[0]
		switch tree := &history[older].tree; {
		case tree.broken != 0:
			gap = true
			continue
		case tree.slot(slot) == now:
			newer, gap = older, false
			continue
		}
		if c := history[newer]; len(c.parents) == 2 && !gap {
			side := c.parents[1]
			if tree := &history[side].tree; tree.broken == 0 && tree.slot(slot) == now {
				if at, gap := sinceAnswer(history, slot, side, sinceBase(history, c.parents[0], side)); at >= 0 {
					return at, gap
				}
			}
		}
		return newer, gap
	}
	return -1, false
}

// sinceBase is where two commits parted: branches leave the main line, and none is merged twice.
func sinceBase(history []sinceCommit, main, side int) int {
	of := map[int]bool{0: true}
	for at := main; at != 0; at = history[at].parents[0] {
		of[at] = true
	}
	for !of[side] {
		side = history[side].parents[0]
	}
	return side
}

// sinceRepository makes a repository of a history.
func sinceRepository(t *testing.T, dir string, history []sinceCommit) {
	tool := live.Tool(t, "git")
	git := func(stdin []byte, args ...string) {
		t.Helper()
		cmd := exec.Command(tool, append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		cmd.Stdin = bytes.NewReader(stdin)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	var stream bytes.Buffer
	data := func(text string) { fmt.Fprintf(&stream, "data %d\n%s\n", len(text), text) }
	for n, c := range history {
		fmt.Fprintf(&stream, "commit refs/heads/main\nmark :%d\ncommitter Ada <a@b> %d +0000\n", n+1, 1700000000+60*n)
		data(fmt.Sprintf("commit %d", n))
		was := map[string]string{}
		for i, p := range c.parents {
			fmt.Fprintf(&stream, "%s :%d\n", []string{"from", "merge"}[i], p+1)
		}
		if len(c.parents) > 0 {
			was = history[c.parents[0]].tree.files()
		}
		is := c.tree.files()
		for _, name := range slices.Sorted(maps.Keys(was)) {
			if _, still := is[name]; !still {
				fmt.Fprintf(&stream, "D %s\n", name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(is)) {
			if was[name] != is[name] {
				fmt.Fprintf(&stream, "M 100644 inline %s\n", name)
				data(is[name])
			}
		}
	}
	stream.WriteString("done\n")
	git(nil, "init", "-q", "-b", "main")
	git(stream.Bytes(), "fast-import", "--quiet", "--done", "--force")
	git(nil, "reset", "-q", "--hard", "main")
	git(nil, "tag", "start", "main~"+fmt.Sprint(sinceLine(history)))
}

// sinceLine is how many first parents the last commit has behind it.
func sinceLine(history []sinceCommit) (n int) {
	for at := len(history) - 1; at != 0; at = history[at].parents[0] {
		n++
	}
	return n
}

var sinceNamed = regexp.MustCompile(`(?m): commit (\d+)$`)

// testSince asks one question of each history.
func testSince(t *testing.T, histories, size int) (times []time.Duration) {
	right, gaps, merged, none := 0, 0, 0, 0
	for seed := range histories {
		r := rand.New(rand.NewPCG(uint64(seed), 97))
		history := sinceHistory(r, size)
		slot := r.IntN(min(sinceClasses, bits.Len(uint(size))-2)) // one that has been touched
		dir := filepath.Join(t.TempDir(), "env")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		sinceRepository(t, dir, history)
		want, gap := sinceAnswer(history, slot, len(history)-1, 0)
		start := time.Now()
		_, out, errs := call("explain", dir, "--node", "n", "--since", "start", fmt.Sprintf("Notify[n%d]", slot), "message")
		times = append(times, time.Since(start))
		got := -1
		if m := sinceNamed.FindStringSubmatch(out); m != nil {
			fmt.Sscan(m[1], &got)
		}
		said := strings.Contains(out, "do not compile")
		if want < 0 && !strings.Contains(errs, "no commit since") || got != want || said != gap {
			t.Errorf("seed %d, Notify[n%d]: commit %d (commits between do not compile: %v), want %d (%v):\n%s%s", seed, slot,
				got, said, want, gap, out, errs)
			continue
		}
		right++
		line := sinceBase(history, len(history)-1, max(want, 0)) == want
		switch {
		case want < 0:
			none++
		case gap:
			gaps++
		case !line:
			merged++
		}
	}
	slices.Sort(times)
	fmt.Printf("--since: %d of %d histories of %d commits right (%d in merged branches, %d beside commits that do not compile, "+
		"%d without an answer); median %.2f s, longest %.2f s\n", right, histories, size, merged, gaps, none,
		times[len(times)/2].Seconds(), times[len(times)-1].Seconds())
	return times
}

// TestExplainSinceRandom asks small histories.
func TestExplainSinceRandom(t *testing.T) {
	testSince(t, 8, 60)
}

// TestAcceptSince: which commit changed it, of 1,000, with merges, reverts, renamed files and commits that do not
// compile.
func TestAcceptSince(t *testing.T) {
	live.Accept(t)
	if times := testSince(t, 100, 1000); times[len(times)/2] > 2*time.Second {
		t.Errorf("the median is %v; the bar is 2 s", times[len(times)/2])
	}
}
