package fleet_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"bunraku/fleet"
	"bunraku/internal/live"
	"bunraku/internal/mutate"
	"bunraku/internal/random"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// TestScoreExchangeTheorems changes one literal of a site whose nodes exchange resources, and lets them exchange anew.
// On every node all that changed must have named the literal, also where it stands in code that only another node runs
// (the dependency theorem, across nodes).
func TestScoreExchangeTheorems(t *testing.T) {
	most := 250
	if testing.Short() {
		most = 200
	}
	if os.Getenv("BUNRAKU_ACCEPT") != "" {
		most = 5000
	}
	if n, err := strconv.Atoi(os.Getenv("BUNRAKU_MUTATIONS")); err == nil {
		most = n
	}
	first, _ := strconv.Atoi(os.Getenv("BUNRAKU_SEED")) // of the sites; from the beginning if nobody says
	tried, moved, crossed, violations := 0, 0, 0, 0
	for seed := first; tried < most && seed < first+10*most; seed++ {
		files, names := random.Exchange(seed)
		s := newTheoremSite(t, files, names)
		if s == nil {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(seed), 53))
		places := mutate.InManifest(s.tree, s.path, mutate.Survey([]*syntax.File{s.tree}))
		r.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
		for _, p := range places[:min(len(places), 12)] {
			if p.Choices() == 0 {
				continue
			}
			m, c, bad := s.try(t, p, r.IntN(p.Choices()))
			if m < 0 {
				continue
			}
			tried++
			moved += m
			crossed += c
			for _, b := range bad {
				if violations++; violations <= 10 {
					t.Errorf("random %d: %s", seed, b)
				}
			}
		}
	}
	t.Logf("score: exchange theorems %d/%d mutations without a violation (%d changed a node's catalog, %d that of a "+
		"node which "+
		"does not run the code)", tried-violations, tried, moved, crossed)
	if crossed == 0 {
		t.Error("nothing crossed from node to node: the test cannot fail")
	}
}

// TestExchangeWithheld changes every literal of a site in every way, whose exporters give attributes in vain (undef,
// Sensitive), or might have given some: on the node that collects, a define's default takes their place.
func TestExchangeWithheld(t *testing.T) {
	s := newTheoremSite(t, map[string]string{"environment.conf": "manifest = site.pp\n", "site.pp": `
define d($a = 1, $b = 2, $c = "${a} ${b}") {
  notify { "d ${title} ${name}": message => [$a, $b, $c] }
}
node 'n1' {
  D <<| tag != 'late' and b != 7 |>>
  Host <<| comment != 'no' |>>
}
node 'n2' {
  @@d { 'r2': a => undef, name => undef }
  @@d { 'r3': a => Sensitive('x'), b => 5 }
  if 1 == 2 {
    D <| title == 'r3' |> { c => 'over' }
  }
  $set = true ? { false => { b => 6 }, default => {} }
  @@d { 'r4': * => $set }
  @@d { 'r5': b => undef, tag => 'early' }
  if 1 == 2 {
    Host <| tag == 'hosts' |> { comment => 'over' }
    Host { target => '/hosts' }
  }
  @@host { 'h1': ip => '192.0.2.1', tag => 'hosts', name => undef, comment => undef }
  @@host { 'h2': ip => '192.0.2.2', alias => Sensitive('y') }
}
`}, []string{"n1", "n2"})
	if s == nil {
		t.Fatal("the site does not compile, or never rests")
	}
	tried, crossed := 0, 0
	for _, p := range mutate.InManifest(s.tree, s.path, mutate.Survey([]*syntax.File{s.tree})) {
		for choice := range p.Choices() {
			m, c, bad := s.try(t, p, choice)
			if m < 0 {
				continue
			}
			tried, crossed = tried+1, crossed+c
			for _, b := range bad {
				t.Error(b)
			}
		}
	}
	t.Logf("%d mutations, %d of them seen on a node that does not run the code", tried, crossed)
	if crossed < 10 {
		t.Error("hardly anything crossed from node to node: the test cannot fail")
	}
}

// A theoremSite is a random site, compiled with provenance.
type theoremSite struct {
	path  string
	text  string
	tree  *syntax.File
	ws    *compiler.Workspace
	files source.Files
	nodes []fleet.Node
	views []*mutate.View
}

func newTheoremSite(t *testing.T, files map[string]string, names []string) *theoremSite {
	site := &exchangeSite{Files: files, Nodes: map[string]json.RawMessage{}}
	dir := site.write(t)
	s := &theoremSite{path: filepath.Join(dir, "site.pp"), text: files["site.pp"]}
	s.ws = compiler.NewWorkspace(dir, compiler.Options{Language: source.Puppet7, Roots: []string{live.ModulesDir},
		Trace: true, Reads: true})
	s.files = s.ws.Disk()
	c, err := s.ws.Snapshot(context.Background(), s.files)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if s.tree, _, err = c.Environment().Parse(s.path); err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		f, err := facts.Parse(source.NewFile(n+".json", `{"name":"`+n+`","values":{"os":{"family":"Debian"}}}`), n)
		if err != nil {
			t.Fatal(err)
		}
		s.nodes = append(s.nodes, fleet.Node{Node: compiler.Node{Facts: f}})
	}
	x, err := fleet.NewExchange(context.Background(), c, s.nodes, nil)
	if err != nil {
		t.Fatal(err)
	}
	if x == nil || len(x.Restless) > 0 {
		return nil
	}
	for _, r := range x.Results {
		if r.Failure != nil {
			return nil
		}
		v, err := mutate.Look(r)
		if err != nil {
			t.Fatal(err)
		}
		s.views = append(s.views, v)
	}
	return s
}

// try changes a place. It gives on how many nodes something changed, and on how many of them only what others export;
// -1 if the change is none that compiles.
func (s *theoremSite) try(t *testing.T, p *mutate.Place, choice int) (moved, crossed int, bad []string) {
	text := p.Apply(s.text, choice)
	if _, _, same := mutate.SameShape(s.tree, text, syntax.Options{Language: source.Puppet7}); !same {
		return -1, 0, nil
	}
	over, err := source.NewOverlay(s.files, map[string]string{s.path: text})
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.ws.Snapshot(context.Background(), over)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	x, err := fleet.NewExchange(context.Background(), c, s.nodes, nil)
	if err != nil {
		t.Fatal(err)
	}
	if x == nil || len(x.Restless) > 0 {
		return -1, 0, nil
	}
	for _, r := range x.Results {
		if r.Failure != nil { // nobody knows what it would have exported
			return -1, 0, nil
		}
	}
	for i, r := range x.Results {
		v, err := mutate.Look(r)
		if err != nil {
			t.Fatal(err)
		}
		d := mutate.Compare(s.views[i], v, p)
		if len(d.Changed) > 0 || d.New > 0 {
			moved++
			if !s.runs(i, p) {
				crossed++
			}
		}
		for _, b := range d.Violations {
			bad = append(bad, p.Describe(s.text, choice)+" on "+s.nodes[i].Facts.Name+": "+string(b)+"\n"+s.text)
		}
	}
	return moved, crossed, bad
}

// runs reports whether a node's own code reads a literal.
func (s *theoremSite) runs(i int, p *mutate.Place) bool {
	read := false
	s.views[i].Res.Trace.EachLiteral(func(f *source.File, ordinal int) {
		read = read || f.Name == p.Was.Key.File && ordinal == p.Was.Key.Ordinal
	})
	return read
}
