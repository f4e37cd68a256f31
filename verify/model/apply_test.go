package model_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/fs"
	"bunraku/verify/model"
)

// What the models do to a machine is what a real agent does: random small catalogs on random trees, applied twice by
// both. Catalogs that are not modelled exactly, and those that the agent refuses, are counted and passed over.
func TestModelsAgainstPuppet(t *testing.T) {
	live.Puppet(t)
	n := 60
	if os.Getenv("BUNRAKU_ACCEPT") != "" {
		n = 800
	}
	top := t.TempDir()
	var files []string
	var trials []*trial
	for seed := range n {
		x := newTrial(t, filepath.Join(top, fmt.Sprint(seed)), uint64(seed))
		trials = append(trials, x)
		files = append(files, x.file)
	}
	rows := strings.Split(strings.TrimSpace(live.Ruby(t, "testdata/apply.rb", strings.Join(files, "\n"),
		filepath.Join(top, "puppet"))), "\n")
	if len(rows) != n {
		t.Fatalf("asked %d, got %d answers", n, len(rows))
	}
	same, refused, inexact, wrong := 0, 0, 0, 0
	for i, x := range trials {
		var answer applied
		if err := json.Unmarshal([]byte(rows[i]), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.Error != "" {
			if refused++; refused < 4 {
				t.Logf("refused: %s", answer.Error)
			}
			continue
		}
		switch d, exact := x.compare(t, answer); {
		case !exact:
			inexact++
		case d != "":
			if wrong++; wrong < 6 {
				t.Errorf("seed %d: %s\n%s\nbefore:\n%s", i, d, x.text, x.before)
			}
		default:
			same++
		}
	}
	t.Logf("score: models as an agent %d/%d (%d more not modelled exactly, %d refused)", same, same+wrong, inexact,
		refused)
	if same < n/3 {
		t.Error("the catalogs test too little")
	}
}

type applied struct {
	Error         string
	First, Second struct {
		Failed  bool
		Changed []string
	}
}

type trial struct {
	dir, file, text, before string
	state                   *fs.State
}

var treePaths = []string{"a", "b", "a/x", "a/y", "a/s", "a/s/z", "b/x", "hosts"}

// newTrial makes a tree and a catalog.
func newTrial(t *testing.T, dir string, seed uint64) *trial {
	r := rand.New(rand.NewPCG(11, seed))
	tree := filepath.Join(dir, "tree")
	x := &trial{dir: dir, state: fs.NewState().Put(fs.Clean(tree), fs.Dir)}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(tree, 0o755))
	real := filepath.Join(dir, "real") // links that are there lead to a file: the model takes test -e to say yes to a link
	must(os.WriteFile(real, nil, 0o644))
	for _, p := range treePaths {
		full := filepath.Join(tree, p)
		if x.state.At(fs.Clean(full).Parent()).Kind != fs.Dir {
			continue
		}
		switch k := r.IntN(5); {
		case k < 2 && p != "hosts":
			must(os.Mkdir(full, 0o755))
			x.state.Put(fs.Clean(full), fs.Dir)
		case k < 4:
			text := "old " + p + "\n"
			if p == "hosts" {
				text = "127.0.0.1 localhost\n"
			}
			must(os.WriteFile(full, []byte(text), 0o644))
			x.put(full, fs.File, text)
		case k == 4 && p != "hosts" && p != "a" && p != "b":
			must(os.Symlink(real, full))
			x.put(full, fs.Link, real)
		}
	}
	x.before = x.state.String()
	resources := randomResources(r, tree)
	text, err := json.Marshal(map[string]any{"name": "n", "version": 1, "environment": "oracle", "catalog_format": 2,
		"resources": resources, "edges": []any{}, "classes": []any{}, "tags": []any{}})
	must(err)
	x.file, x.text = filepath.Join(dir, "catalog.json"), string(text)
	must(os.WriteFile(x.file, text, 0o644))
	return x
}

func (x *trial) put(full string, k fs.Kind, text string) {
	p := fs.Clean(full)
	x.state.Put(p, k)
	n := x.state.Nodes[p]
	n.Content = fs.Text(text)
	x.state.Nodes[p] = n
}

func randomResources(r *rand.Rand, tree string) []map[string]any {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	path := func() string { return tree + "/" + one("a", "b", "a/x", "a/y", "a/s", "a/s/z", "b/x") }
	var out []map[string]any
	seen := map[string]bool{}
	add := func(typ, title string, params map[string]any) {
		if !seen[typ+title] {
			seen[typ+title] = true
			out = append(out, map[string]any{"type": typ, "title": title, "parameters": params, "tags": []string{},
				"exported": false, "kind": "compilable_type"})
		}
	}
	maybe := func(params map[string]any, name string, v any) {
		if r.IntN(2) == 0 {
			params[name] = v
		}
	}
	// One that does nothing names every path, so that the model has them all.
	var all []string
	for _, p := range treePaths[:len(treePaths)-1] {
		all = append(all, "test -e "+tree+"/"+p)
	}
	add("Exec", "true", map[string]any{"path": "/bin:/usr/bin", "unless": all})
	for range 1 + r.IntN(4) {
		switch r.IntN(9) {
		case 0, 1, 2, 3:
			p := map[string]any{"backup": false}
			switch r.IntN(6) {
			case 0:
				p["ensure"] = one("file", "present")
				maybe(p, "content", "new\n")
			case 1, 2:
				p["ensure"] = "directory"
				maybe(p, "recurse", true)
				maybe(p, "purge", true)
				if r.IntN(3) == 0 {
					p["ignore"] = []string{one("x", "s", "?")}
				}
				if r.IntN(3) == 0 {
					p["recurselimit"] = 1 + r.IntN(2)
				}
				if r.IntN(4) == 0 {
					p["source"] = tree + "/" + one("a", "b", "a/s")
				}
			case 3:
				p["ensure"], p["target"] = "link", tree+"/nowhere"
			case 4:
				p["ensure"] = "absent"
			case 5:
				if r.IntN(3) == 0 {
					p["source"] = tree + "/" + one("a", "b", "a/s", "a/x")
					maybe(p, "recurse", true)
					break
				}
				p["content"] = one("new\n", "newer\n")
			}
			if r.IntN(5) == 0 {
				p["replace"] = false
			}
			maybe(p, "force", true)
			at := path()
			if src, ok := p["source"].(string); ok && strings.HasPrefix(at+"/", src+"/") {
				delete(p, "source") // nobody copies a directory into itself
			}
			add("File", at, p)
		case 4:
			p := map[string]any{"rmdirs": r.IntN(2) == 0, "backup": false}
			if r.IntN(2) == 0 {
				p["recurse"] = []any{true, 1, 2}[r.IntN(3)]
				maybe(p, "matches", []string{one("x", "*", "z")})
			}
			add("Tidy", path(), p)
		case 5, 6:
			p := map[string]any{"path": "/bin:/usr/bin"}
			maybe(p, one("creates"), path())
			maybe(p, one("onlyif", "unless"), "test -e "+path())
			add("Exec", one("touch", "mkdir", "rm", "rm -rf", "mkdir -p")+" "+path(), p)
		case 7:
			add("Host", one("h1", "h2"), map[string]any{"ip": one("10.0.0.1", "10.0.0.2"), "target": tree + "/hosts",
				"ensure": one("present", "absent")})
		case 8:
			p := map[string]any{"path": tree + "/" + one("a/x", "hosts"), "line": "a line"}
			if r.IntN(3) == 0 {
				p["ensure"] = "absent"
			}
			add("File_line", one("l1", "l2"), p)
		}
	}
	return out
}

// compare runs the model from the same tree, twice, and says where it ends differently.
func (x *trial) compare(t *testing.T, answer applied) (string, bool) {
	t.Helper()
	c, err := catalog.Read([]byte(x.text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Build(catalog.NewGraph(c, model.Types{}), model.Options{Platform: "debian-12"})
	if err != nil {
		t.Fatal(err)
	}
	if m.Approximate+m.Unmodelled > 0 {
		return "", false
	}
	a, err := verify.Prepare(m.Graph, verify.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	order, err := m.Graph.Order(nil)
	if err != nil {
		t.Fatal(err)
	}
	start := m.Graph.Fresh.Clone()
	// what the model takes for granted
	maps.DeleteFunc(start.Nodes, func(p fs.Path, _ fs.Node) bool { return p.Under(fs.Clean(x.dir)) })
	maps.Copy(start.Nodes, x.state.Nodes)
	first := a.Replay(order, start)
	if (first.Failed >= 0) != answer.First.Failed {
		return fmt.Sprintf("the first run fails: puppet %v, model %v", answer.First.Failed, first.Failed >= 0), true
	}
	if first.Failed >= 0 {
		return "", true
	}
	if d := x.same(first.State, filepath.Join(x.dir, "after")); d != "" {
		return "after the first run: " + d, true
	}
	second := a.Replay(order, first.State)
	if (second.Failed >= 0) != answer.Second.Failed {
		return fmt.Sprintf("the second run fails: puppet %v, model %v", answer.Second.Failed, second.Failed >= 0), true
	}
	if second.Failed >= 0 {
		return "", true
	}
	if d := x.same(second.State, filepath.Join(x.dir, "tree")); d != "" {
		return "after the second run: " + d, true
	}
	return "", true
}

// same compares a state of the model with a directory.
func (x *trial) same(s *fs.State, dir string) string {
	for _, p := range treePaths {
		var kind fs.Kind
		text := ""
		full := filepath.Join(dir, p)
		switch info, err := os.Lstat(full); {
		case err != nil:
		case info.IsDir():
			kind = fs.Dir
		case info.Mode()&os.ModeSymlink != 0:
			kind = fs.Link
			text, _ = os.Readlink(full)
		default:
			kind = fs.File
			b, _ := os.ReadFile(full)
			text = string(b)
		}
		n := s.At(fs.Clean(filepath.Join(x.dir, "tree", p)))
		if p == "hosts" && n.Kind == fs.None {
			continue // a file that only its lines speak of is no part of the model's tree
		}
		if got, known := n.Content.IsText(); n.Kind != kind || known && got != text && p != "hosts" &&
			!strings.Contains(text, "a line") {
			return fmt.Sprintf("%s is %v %q, in the model %v %q", p, kind, text, n.Kind, got)
		}
	}
	return ""
}
