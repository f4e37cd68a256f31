package fleet_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/source"
)

// A site is a tree in memory, and what compiles it.
type site struct {
	t     *testing.T
	root  string
	files map[string]string
	nodes []fleet.Node
	ws    *compiler.Workspace
}

func newSite(t *testing.T, dir string) *site {
	t.Helper()
	s := &site{t: t, root: "/site", files: map[string]string{}}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		s.files["/site/"+filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.ws = compiler.NewWorkspace(s.root, compiler.Options{StandIn: true, Questions: true})
	real, err := fleet.Nodes(s.view(s.files), s.root, "")
	if err != nil || len(real) == 0 {
		t.Fatal("no nodes", err)
	}
	s.nodes = fleet.Real(real)
	return s
}

func (s *site) view(files map[string]string) source.Files {
	return source.NewMemory([]string{s.root}, files, nil)
}

// An edit replaces a line of a file.
type edit struct {
	file string
	line int // from 0
	text string
}

func (e edit) String() string { return fmt.Sprintf("%s:%d %q", e.file, e.line+1, e.text) }

func (s *site) with(edits ...edit) map[string]string {
	out := maps.Clone(s.files)
	for _, e := range edits {
		lines := strings.SplitAfter(out[e.file], "\n")
		lines[e.line] = e.text
		out[e.file] = strings.Join(lines, "")
	}
	return out
}

// naive is every catalog as JSON, or the error: the reference that comparing is held against.
func (s *site) naive(files map[string]string) (out []string, failed bool) {
	c, err := s.ws.Snapshot(context.Background(), s.view(files))
	if err != nil {
		return nil, true
	}
	defer c.Close()
	for _, n := range s.nodes {
		res, err := c.Compile(context.Background(), n.Node)
		if err != nil {
			s.t.Fatal(err)
		}
		if res.Failure != nil {
			return nil, true
		}
		for _, r := range res.Catalog.Resources {
			r.File, r.Line, r.Tags = "", 0, nil
		}
		// The order of resources and of edges is no difference, and tags are not compared.
		res.Catalog.Tags = nil
		slices.SortFunc(res.Catalog.Resources, func(a, b *catalog.Resource) int { return strings.Compare(a.Ref(), b.Ref()) })
		slices.SortFunc(res.Catalog.Edges, func(a, b catalog.Edge) int {
			return strings.Compare(a.Source.Ref()+" "+a.Target.Ref(), b.Source.Ref()+" "+b.Target.Ref())
		})
		slices.Sort(res.Catalog.Classes)
		text, err := catalog.JSON{}.Append(nil, res.Catalog)
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, string(text))
	}
	return out, false
}

var (
	quoted  = regexp.MustCompile(`'[^'$%]+'|"[^"$%]+"`)
	number  = regexp.MustCompile(`\b[1-9][0-9]*\b`)
	element = regexp.MustCompile(`^( *- )([\w.-]+)$`)
	scalar  = regexp.MustCompile(`^([\w: ]+: )([\w./-]+)$`)
)

// edits are changes of single lines, of every kind of file: texts, numbers, elements of lists, lines that go, comments.
func (s *site) edits() (out []edit) {
	for _, file := range slices.Sorted(maps.Keys(s.files)) {
		switch filepath.Ext(file) {
		case ".pp", ".epp", ".yaml", ".erb", ".rb":
		default:
			continue
		}
		if strings.Contains(file, "/facts/") {
			continue
		}
		for i, line := range strings.SplitAfter(s.files[file], "\n") {
			body := strings.TrimSuffix(line, "\n")
			if body == "" || body == line {
				continue
			}
			add := func(text string) {
				if text != body {
					out = append(out, edit{file, i, text + "\n"})
				}
			}
			add(quoted.ReplaceAllStringFunc(body, func(q string) string { return q[:len(q)-1] + "x" + q[len(q)-1:] }))
			add(number.ReplaceAllString(body, "${0}1"))
			add(element.ReplaceAllString(body, "${1}x$2"))
			add(scalar.ReplaceAllString(body, "${1}x$2"))
			if ext := filepath.Ext(file); ext != ".epp" && ext != ".erb" {
				add(body + " # changed")
				add("# " + body)
			} else {
				add(body + " more")
				add(body + "<%# changed -%>")
			}
		}
	}
	return out
}

// report compares two states as the command does.
func (s *site) report(files map[string]string) (*diff.Report, *diff.Patch) {
	s.t.Helper()
	ctx := context.Background()
	old, new := s.view(s.files), s.view(files)
	c := &fleet.Comparing{Questions: true, Watch: func(*eval.Result) {}, Step: func() {}}
	var err error
	if c.From, err = s.ws.Snapshot(ctx, old); err != nil {
		s.t.Fatal(err)
	}
	defer c.From.Close()
	if c.To, err = s.ws.Snapshot(ctx, new); err != nil {
		s.t.Fatal(err)
	}
	defer c.To.Close()
	c.Options.Contents = diff.NewContents(c.From.Environment(), c.To.Environment(), true)
	r, err := c.Compare(ctx, s.nodes)
	if err != nil {
		s.t.Fatal(err)
	}
	patch, err := diff.NewPatch(ctx, old, new, slices.Sorted(maps.Keys(files)), true, func(p string) string { return p })
	if err != nil {
		s.t.Fatal(err)
	}
	if err := c.Causes(ctx, r, s.nodes, patch, s.ws); err != nil {
		s.t.Fatal(err)
	}
	r.Gather()
	return r, patch
}

// TestScoreDiffCauses plants commits with one hunk that changes catalogs and four that do not, two of them in files
// that the nodes read. What changes catalogs is found by compiling and comparing whole catalogs, without any of the
// code under test. The one hunk must be named for every change, no other ever; and the four must be said to be without
// effect, the one never.
func TestScoreDiffCauses(t *testing.T) { causes(t, 60) }

// TestAcceptDiffCauses is the bar: 500 commits, the hunk named in 99 %, no decoy, 95 % of the hunks without effect.
func TestAcceptDiffCauses(t *testing.T) {
	live.Accept(t)
	causes(t, 500)
}

func causes(t *testing.T, commits int) {
	var sum causeCount
	for _, dir := range []string{filepath.Join("..", "examples", "shop"), filepath.Join("testdata", "harbour")} {
		newSite(t, dir).causes(commits/2, &sum)
	}
	t.Logf("true hunks by kind of file: %v", sum.kinds)
	t.Logf("score: diff causes named %d/%d", sum.named, sum.items)
	t.Logf("score: diff decoys not named %d/%d", sum.items-sum.decoys, sum.items)
	t.Logf("score: diff nodes skipped of those that do not change %d/%d", sum.skipped, sum.unchanged)
	t.Logf("score: diff hunks without effect %d/%d", sum.said, sum.of)
	if sum.items == 0 || sum.said*100 < sum.of*95 {
		t.Errorf("%d of %d hunks without effect were found", sum.said, sum.of)
	}
	for _, kind := range []string{"manifest", "data", "template", "function", "hiera.yaml"} {
		if sum.kinds[kind] == 0 {
			t.Errorf("no hunk of a %s was tried", kind)
		}
	}
}

type causeCount struct {
	named, items, decoys int // of changes
	said, of             int // of hunks without effect
	skipped, unchanged   int // of nodes
	kinds                map[string]int
}

// kindOf is what a file of a site is.
func kindOf(file string) string {
	switch {
	case filepath.Base(file) == "hiera.yaml":
		return "hiera.yaml"
	case strings.Contains(file, "/functions/"):
		return "function"
	case strings.Contains(file, "/templates/"):
		return "template"
	case filepath.Ext(file) == ".yaml":
		return "data"
	}
	return "manifest"
}

func (s *site) causes(commits int, sum *causeCount) {
	t := s.t
	base, failed := s.naive(s.files)
	if failed {
		t.Fatal("the site does not compile")
	}
	var idle []edit
	effective := map[string][]edit{} // by kind: there are many more lines of some than of others
	reads := map[string][]bool{}     // the nodes that a file is known to matter to
	changed := map[edit][]bool{}
	for _, e := range s.edits() {
		now, failed := s.naive(s.with(e))
		if failed {
			continue
		}
		if slices.Equal(now, base) {
			idle = append(idle, e)
			continue
		}
		effective[kindOf(e.file)] = append(effective[kindOf(e.file)], e)
		if reads[e.file] == nil {
			reads[e.file] = make([]bool, len(base))
		}
		changed[e] = make([]bool, len(base))
		for i := range base {
			if now[i] != base[i] {
				reads[e.file][i], changed[e][i] = true, true
			}
		}
	}
	kinds := slices.Sorted(maps.Keys(effective))
	near := func(file string, nodes []bool) bool {
		for i, matters := range reads[file] {
			if matters && nodes[i] {
				return true
			}
		}
		return false
	}
	random := rand.New(rand.NewPCG(19, 6))
	if sum.kinds == nil {
		sum.kinds = map[string]int{}
	}
	for range commits {
		of := effective[kinds[random.IntN(len(kinds))]]
		true_ := of[random.IntN(len(of))]
		all := []edit{true_}
		for tries := 0; len(all) < 5 && tries < 1000; tries++ {
			e := idle[random.IntN(len(idle))]
			if len(all) < 3 && !near(e.file, changed[true_]) {
				continue // two of them are in what the changed nodes read
			}
			if !slices.ContainsFunc(all, func(x edit) bool {
				return x.file == e.file && x.line-e.line <= 1 &&
					e.line-x.line <= 1
			}) {
				all = append(all, e)
			}
		}
		if len(all) < 5 {
			continue
		}
		files := s.with(all...)
		want, failed := s.naive(files)
		if alone, _ := s.naive(s.with(true_)); failed || !slices.Equal(alone, want) {
			continue // a decoy that is one only by itself
		}
		sum.kinds[kindOf(true_.file)]++
		r, patch := s.report(files)
		for i, n := range r.Nodes {
			if want[i] == base[i] {
				sum.unchanged++
			}
			switch {
			case n.State == diff.CannotChange && want[i] != base[i]:
				t.Errorf("%v\n%s was said not to be able to change", all, n.Name)
			case n.State == diff.CannotChange:
				sum.skipped++
			case (n.State == diff.Changed || n.State == diff.Unknown) != (want[i] != base[i]):
				t.Errorf("%v\n%s is %s", all, n.Name, n.State)
			}
		}
		isTrue := func(h *diff.Hunk) bool { return h.Path == true_.file && h.New.First == true_.line+1 }
		told := slices.Concat(r.Items, r.Unknown) // a function that does not parse any more makes a value unknown
		if len(told) == 0 {
			t.Errorf("%v: nothing changes", all)
		}
		for _, it := range told {
			sum.items++
			hit := false
			if it.Cause != nil {
				for _, h := range it.Cause.Hunks {
					if isTrue(h) {
						hit = true
					} else {
						sum.decoys++
						t.Errorf("%v\nis said to come from %v", all, h)
					}
				}
			}
			if hit {
				sum.named++
			} else {
				t.Errorf("%v\n%v: the hunk is not named: %v", all, it.Slot(), it.Cause)
			}
		}
		for _, h := range patch.Hunks {
			switch {
			case isTrue(h) && h.Effect != "":
				t.Errorf("%v\n%v is said to be without effect: %s", all, h, h.Effect)
			case !isTrue(h):
				if sum.of++; h.Effect != "" {
					sum.said++
				}
			}
		}
	}
	t.Logf("%s: %d lines that change catalogs, %d that do not", s.root, len(changed), len(idle))
}
