package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// A fault is one mistake, as somebody makes it who works on a tree.
type fault struct {
	tree  *faultTree
	what  string            // for people
	texts map[string]string // files with another text, and new ones, by path in the tree
	gone  []string          // files that are there no more
	// at are the places where a statement about it belongs: "file:line", or "file" when the parser of the file decides.
	at   []string
	word string // what the statement has to name; "" for anything
	lost string // what nothing names any more, since it was misspelt
}

// follows says whether another statement is a consequence: it names what is misspelt, or the file that cannot be read
// any more; or something lacks what was misspelt, or is not named any more; or it tells of nodes that were not compiled
// for it, or of what verify finds in catalogs that are other ones now.
func (f *fault) follows(s faultStatement) bool {
	names := func(word string) bool {
		return word != "" && regexp.MustCompile(`(?i)(\b|_)`+regexp.QuoteMeta(word)+`(\b|_)`).MatchString(s.Summary)
	}
	broken := func(at string) bool { return !strings.Contains(at, ":") && strings.Contains(s.Summary, at) }
	switch {
	case names(f.word), slices.ContainsFunc(f.at, broken):
		return true
	case slices.Contains([]string{"U0110", "E0412", "U0301", "U0302", "U0305", "U0306"}, s.Code):
		return names(f.lost)
	}
	return s.Code[0] == 'V'
}

// A faultKind is one kind of mistake.
type faultKind struct {
	name  string
	codes string // of statements that fit
	// plant makes one fault in a tree at random, nil if it has no place for it, or none was hit.
	plant func(*testing.T, *faultTree, *rand.Rand) *fault
}

// faultsEach is how many faults of each kind are planted.
const faultsEach = 9

// A faultStatement is something that check says.
type faultStatement struct {
	Code, Summary, Help string
	Place               struct {
		File string
		Line int
	}
}

func (s faultStatement) String() string {
	return fmt.Sprintf("%s:%d: %s %s", s.Place.File, s.Place.Line, s.Code, s.Summary)
}

// faultNumbers are the parts of a statement that a line more or less changes.
var faultNumbers = regexp.MustCompile(`\bline:? \d+|:\d+(?::\d+)?\b`)

func (s faultStatement) key() string {
	return s.Code + " " + s.Place.File + " " + faultNumbers.ReplaceAllString(s.Summary, "")
}

// faultCheck runs check of a tree's copy.
func faultCheck(t *testing.T, program string, tree *faultTree) []faultStatement {
	c := exec.Command(program, "check", "--format", "json", ".")
	c.Dir = tree.copy
	out, _ := c.Output() // it ends with 1 or 2 when it finds something
	var answer struct {
		Problems []faultStatement
		Findings []struct{ Code, Title, About string }
		Nodes    []struct{ Problems []faultStatement }
		Missing  []string `json:"missing_modules"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("%s: %v: %.300s", tree.name, err, out)
	}
	all := answer.Problems
	for _, f := range answer.Findings {
		all = append(all, faultStatement{Code: f.Code, Summary: f.Title + " " + f.About})
	}
	for _, name := range answer.Missing {
		all = append(all, faultStatement{Code: "missing_module", Summary: name})
	}
	for _, n := range answer.Nodes {
		for _, p := range n.Problems {
			if !slices.ContainsFunc(all, func(s faultStatement) bool {
				return s.key() == p.key() && s.Place == p.Place
			}) {
				all = append(all, p)
			}
		}
	}
	return all
}

// says is what check says of the tree with the fault, and did not say before.
func (f *fault) says(t *testing.T, program string) []faultStatement {
	tree := f.tree
	if tree.copy == "" {
		tree.faultCopy(t, filepath.Join(filepath.Dir(program), strings.ReplaceAll(tree.name, "/", "_"),
			filepath.Base(tree.name)))
		tree.before = map[string]int{}
		for _, s := range faultCheck(t, program, tree) {
			tree.before[s.key()]++
		}
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(tree.copy, filepath.FromSlash(name)) }
	for name, text := range f.texts {
		must(os.MkdirAll(filepath.Dir(at(name)), 0o755))
		must(os.WriteFile(at(name), []byte(text), 0o644))
	}
	for _, name := range f.gone {
		must(os.Rename(at(name), filepath.Join(filepath.Dir(program), "gone")))
	}
	said := faultCheck(t, program, tree)
	for _, name := range f.gone {
		must(os.Rename(filepath.Join(filepath.Dir(program), "gone"), at(name)))
	}
	for name := range f.texts {
		if old, is := tree.texts[name]; is {
			must(os.WriteFile(at(name), []byte(old), 0o644))
		} else {
			must(os.Remove(at(name)))
		}
	}
	left := map[string]int{}
	for k, n := range tree.before {
		left[k] = n
	}
	var out []faultStatement
	for _, s := range said {
		if left[s.key()]--; left[s.key()] < 0 {
			out = append(out, s)
		}
	}
	return out
}

// isAbout says whether a statement stands where the fault is. Modules that are missing are listed without a place.
func (f *fault) isAbout(s faultStatement) bool {
	if s.Code == "missing_module" {
		return s.Summary == f.word
	}
	return slices.Contains(f.at, s.Place.File) || slices.Contains(f.at, fmt.Sprintf("%s:%d", s.Place.File, s.Place.Line))
}

// TestAcceptPlanted: somebody makes a mistake in a public tree, one at a time, and check says so where it is, and says
// nothing else. Where, and what, is drawn at random, the same in every run. A misspelt word is one that occurs in none
// of the trees and nowhere in Puppet; what is said not to parse was given to Ruby or Puppet.
func TestAcceptPlanted(t *testing.T) {
	live.Accept(t)
	live.Puppet(t)
	trees := faultTrees(t)
	program := filepath.Join(t.TempDir(), "bunraku")
	if out, err := script(t, live.Root(), nil, "go", "build", "-o", program, "./cmd/bunraku"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	planted, found, wrong, used := 0, 0, 0, map[string]bool{}
	for _, kind := range slices.Concat(faultsOfData, faultsOfCode, faultsOfTemplates, faultsOfModules, faultsUnused) {
		t.Run(strings.ReplaceAll(kind.name, " ", "_"), func(t *testing.T) {
			r := faultRandom(kind.name)
			n, hit, extra := 0, 0, 0
			seen := map[string]bool{}
			for range 4000 {
				tree := trees[r.IntN(len(trees))]
				f := kind.plant(t, tree, r)
				if f == nil || seen[tree.name+f.what] {
					continue
				}
				f.tree = tree
				seen[tree.name+f.what], used[tree.name] = true, true
				n++
				is := false
				said := f.says(t, program)
				var other []faultStatement
				for _, s := range said {
					fits := f.isAbout(s)
					if fits && slices.Contains(strings.Fields(kind.codes), s.Code) && strings.Contains(
						strings.ToLower(s.Summary+" "+s.Help), strings.ToLower(f.word)) {
						is = true
					}
					if !fits && !f.follows(s) {
						other = append(other, s)
					}
				}
				if is {
					hit++
				} else {
					fmt.Printf("missed  %s: %s: %s, at %s\n", kind.name, tree.name, f.what, strings.Join(f.at, " "))
					for _, s := range said {
						fmt.Printf("          said %s\n", s)
					}
				}
				for _, s := range other {
					extra++
					fmt.Printf("besides %s: %s: %s, at %s\n          said %s\n", kind.name, tree.name, f.what,
						strings.Join(f.at, " "), s)
				}
				if n == faultsEach {
					break
				}
			}
			fmt.Printf("%-45s found %d of %d, %d other statements\n", kind.name, hit, n, extra)
			if n < faultsEach {
				t.Errorf("only %d faults", n)
			}
			planted, found, wrong = planted+n, found+hit, wrong+extra
		})
	}
	fmt.Printf("planted faults: %d of %d found (%.1f %%; bar 95 %% of 300), %d false ones added (bar 0), in %d trees\n", found,
		planted, 100*float64(found)/float64(max(1, planted)), wrong, len(used))
	if 100*found < 95*planted || wrong > 0 {
		t.Errorf("%d of %d planted faults found, %d false ones", found, planted, wrong)
	}
}
