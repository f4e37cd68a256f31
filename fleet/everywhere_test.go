package fleet_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"bunraku/fleet"
	"bunraku/puppet/compiler"
)

// TestCauseOfEachNode: two lines are enough each for a change, on the node that is looked at; on others one of them is
// overridden. What is said of a node is so on that node.
func TestCauseOfEachNode(t *testing.T) {
	for _, body := range []string{"notify { 'x': }", "fail('no')"} {
		files := map[string]string{
			"/site/manifests/site.pp": "if lookup('a') == 2 or lookup('b') == 2 { " + body + " }\n",
			"/site/hiera.yaml": "version: 5\nhierarchy:\n  - name: all\n    paths: ['nodes/%{trusted.certname}.yaml', " +
				"'common.yaml']\n",
			"/site/data/common.yaml":   "a: 1\n# -\n# -\nb: 1\n",
			"/site/data/nodes/n2.yaml": "b: 0\n", "/site/data/nodes/n3.yaml": "a: 0\n",
		}
		for _, name := range []string{"n1", "n2", "n3", "n4"} {
			files["/site/facts/"+name+".json"] = "{}"
		}
		s := &site{t: t, root: "/site", files: files}
		s.ws = compiler.NewWorkspace(s.root, compiler.Options{StandIn: true, Questions: true})
		real, err := fleet.Nodes(s.view(s.files), s.root, "")
		if err != nil {
			t.Fatal(err)
		}
		s.nodes = fleet.Real(real)
		now := maps.Clone(files)
		now["/site/data/common.yaml"] = "a: 2\n# -\n# -\nb: 2\n"
		r, _ := s.report(now)
		var got []string
		for _, g := range r.Groups {
			got = append(got, fmt.Sprint(r.Names(g.Nodes), g.Cause.Hunks, g.Cause.Either))
		}
		for _, f := range r.Failures {
			got = append(got, fmt.Sprint(r.Names(f.Nodes), f.Cause.Hunks, f.Cause.Either))
		}
		slices.Sort(got)
		const data = "/site/data/common.yaml"
		want := []string{"[n1 n4] [" + data + ":1 " + data + ":4] true", "[n2] [" + data + ":1] false",
			"[n3] [" + data + ":4] false"}
		if !slices.Equal(got, want) {
			t.Errorf("%s\n%s\nwant\n%s", body, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
