package catalog_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
)

// An agent's answer, or ours in the same form.
type graphAnswer struct {
	Edges  [][3]any
	Order  []string
	Cycles string
	Error  string
}

// nodeName is a node as testdata/graph.rb names it. An agent takes the main class for one that is called main.
func nodeName(n catalog.Node) string {
	ref := strings.Replace(n.String(), "Class[main]", "Class[Main]", 1)
	switch n.End {
	case catalog.Admissible:
		return "admissible_" + ref
	case catalog.Completed:
		return "completed_" + ref
	}
	return ref
}

func ourGraph(c *catalog.Catalog) graphAnswer {
	g := catalog.NewGraph(c, resource.Core{})
	a := graphAnswer{Order: []string{}, Cycles: catalog.CycleMessage(g.Cycles())}
	for _, l := range g.Links() {
		a.Edges = append(a.Edges, [3]any{nodeName(l.From), nodeName(l.To), l.Refresh})
	}
	g.Walk(func(n catalog.Node) { a.Order = append(a.Order, nodeName(n)) })
	return a
}

func livesGraphs(t *testing.T, modules string, files []string) []graphAnswer {
	t.Helper()
	known := []string{modules}
	for _, typ := range resource.Types() {
		known = append(known, typ.Name)
	}
	lines := strings.Split(strings.TrimSpace(live.Ruby(t, "testdata/graph.rb", strings.Join(files, "\n"), known...)), "\n")
	if len(lines) != len(files) {
		t.Fatalf("asked %d, got %d answers", len(files), len(lines))
	}
	out := make([]graphAnswer, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal([]byte(line), &out[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// thorough is set when the acceptance bars run; otherwise the questions to Ruby are fewer.
func thorough() bool { return os.Getenv("BUNRAKU_ACCEPT") != "" }

// compareGraphs leaves out what an agent adds to every catalog: its schedules and its file bucket.
func compareGraphs(want, got graphAnswer) string {
	added := func(s string) bool {
		return slices.Contains([]string{"Schedule[puppet]", "Schedule[hourly]", "Schedule[daily]", "Schedule[weekly]",
			"Schedule[monthly]", "Schedule[never]", "Filebucket[puppet]"}, s)
	}
	want.Order = slices.DeleteFunc(want.Order, added)
	for _, a := range []*graphAnswer{&want, &got} {
		sort.Slice(a.Edges, func(i, j int) bool { return fmt.Sprint(a.Edges[i]) < fmt.Sprint(a.Edges[j]) })
		a.Edges = slices.Compact(a.Edges)
	}
	return cmp.Diff(want, got)
}

func TestRecordedCatalogsGraph(t *testing.T) {
	var files []string
	for i, file := range recorded(t) {
		if thorough() || i%5 == 0 {
			files = append(files, file)
		}
	}
	answers := livesGraphs(t, "*", files)
	same, refused := 0, 0
	for i, file := range files {
		name := filepath.Base(filepath.Dir(file))
		if answers[i].Error != "" {
			refused++
			t.Logf("%s: the agent refuses it: %s", name, answers[i].Error)
			continue
		}
		if d := compareGraphs(answers[i], ourGraph(read(t, file))); d != "" {
			t.Errorf("%s (-puppet +ours):\n%s", name, d)
			continue
		}
		same++
	}
	t.Logf("score: relationship graphs as an agent's %d/%d (%d more cannot run on this machine)", same, len(files)-refused,
		refused)
}
