package fleet_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bunraku/fleet"
	"bunraku/internal/live"
	"bunraku/internal/random"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/exported"
	"bunraku/puppet/facts"
	"bunraku/puppet/types"
	"bunraku/puppetdb"
	"bunraku/source"

	"golang.org/x/tools/txtar"
)

var record = flag.Bool("record", false, "ask the installed Puppet, with a PuppetDB, for the answers in testdata")

// An exchangeSite is an environment, the facts of its nodes, and what real Puppet makes of them.
type exchangeSite struct {
	Name  string                     `json:"name"`
	Files map[string]string          `json:"files,omitempty"`
	Nodes map[string]json.RawMessage `json:"nodes"`
	// Together tells that all nodes of a round are told the same; otherwise they run one after the other.
	Together bool
	Want     *exchangeAnswer `json:"want,omitempty"`
}

type exchangeAnswer struct {
	Rounds int `json:"rounds"`
	Nodes  map[string]struct {
		Catalog json.RawMessage `json:"catalog,omitempty"`
		Error   string          `json:"error,omitempty"`
	} `json:"nodes"`
}

// randomExchanges are random sites; their files are made anew from the seed.
func randomExchanges(from, to int) (sites []*exchangeSite) {
	for seed := from; seed < to; seed++ {
		files, nodes := random.Exchange(seed)
		s := &exchangeSite{Name: fmt.Sprint("random ", seed), Files: files, Nodes: map[string]json.RawMessage{}}
		for _, n := range nodes {
			s.Nodes[n] = json.RawMessage(`{"os":{"family":"Debian"}}`)
		}
		sites = append(sites, s)
	}
	return sites
}

// shopExchange is the site of twenty machines.
func shopExchange(t testing.TB) *exchangeSite {
	t.Helper()
	a, err := txtar.ParseFile("testdata/exchange.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s := &exchangeSite{Name: "twenty machines", Files: map[string]string{}, Nodes: map[string]json.RawMessage{}}
	for _, f := range a.Files {
		s.Files[f.Name] = string(f.Data)
	}
	number := 0
	for _, kind := range []struct {
		role  string
		count int
	}{{"web", 12}, {"db", 4}, {"lb", 2}, {"mon", 1}, {"bastion", 1}} {
		for i := range kind.count {
			number++
			s.Nodes[fmt.Sprintf("%s%d.example.com", kind.role, i+1)] = json.RawMessage(fmt.Sprintf(
				`{"role":%q,"number":%d,"ip":"192.0.2.%d","zone":%q,"sshkey":"AAAA%d","clientversion":"7.23.0","puppetversion":"7.23.0",`+
					`"os":{"name":"Debian","family":"Debian"}}`,
				kind.role, number, number, []string{"a", "b"}[i%2], number))
		}
	}
	return s
}

// recordedFile holds what real Puppet and PuppetDB answered, without the sites' files.
const recordedFile = "testdata/exchange.json"

// recordedRandom is how many random sites are recorded.
const recordedRandom = 40

// TestScoreExchange compares the site of twenty machines and random ones with what real Puppet and PuppetDB made of
// them.
func TestScoreExchange(t *testing.T) {
	sites := append([]*exchangeSite{shopExchange(t)}, randomExchanges(0, recordedRandom)...)
	if *record {
		live.Puppet(t)
		askExchange(t, live.StartPuppetDB(t).URL, sites)
		var want []*exchangeAnswer
		for _, s := range sites {
			want = append(want, s.Want)
		}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(recordedFile, []byte(strings.ReplaceAll(string(text), `{"rounds"`, "\n"+`{"rounds"`)+"\n"),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(recordedFile)
	if err != nil {
		t.Fatal(err)
	}
	var want []*exchangeAnswer
	if err := json.Unmarshal(text, &want); err != nil || len(want) != len(sites) {
		t.Fatal(len(want), err)
	}
	good := 0
	for i, s := range sites {
		if _, err := os.Stat(live.ModulesDir); err != nil && i == 0 {
			t.Log("the site of twenty machines needs Debian's module concat")
			continue
		}
		s.Want = want[i]
		if why := s.compare(t); why != "" {
			t.Errorf("%s: %s\n%s", s.Name, why, s.Files["site.pp"])
			continue
		}
		good++
	}
	t.Logf("score: exchange %d/%d", good, len(sites))
}

// write puts the site on disk.
func (s *exchangeSite) write(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "production")
	for name, text := range s.Files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// ask lets real Puppet compile sites with a PuppetDB.
func askExchange(t testing.TB, url string, sites []*exchangeSite, more ...string) {
	t.Helper()
	type question struct {
		Dir      string                     `json:"dir"`
		Nodes    map[string]json.RawMessage `json:"nodes"`
		Together bool                       `json:"together"`
	}
	var all []question
	for _, s := range sites {
		all = append(all, question{s.write(t), s.Nodes, s.Together})
	}
	in, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(
		live.Ruby(t, "testdata/exchange.rb", string(in), append([]string{url}, more...)...)), "\n")
	if len(lines) != len(sites) {
		t.Fatalf("%d answers to %d questions", len(lines), len(sites))
	}
	for i, line := range lines {
		sites[i].Want = &exchangeAnswer{}
		if err := json.Unmarshal([]byte(line), sites[i].Want); err != nil {
			t.Fatal(err)
		}
	}
}

var exchangeLocations = regexp.MustCompile(` \((?:file|line): [^()]*\)| on node \S+$`)
var exchangeWrappers = regexp.MustCompile(
	`^(Evaluation Error: Error while evaluating an? [A-Z][A-Za-z ]+, )*(Puppet::Parser::Compiler failed with error \w+: )?`)

// compare compiles the site and says what differs, "" for nothing.
func (s *exchangeSite) compare(t testing.TB) string { return s.compareWith(t, nil) }

// compareWith is compare with somebody who knows what nodes export; nil lets the nodes exchange it.
func (s *exchangeSite) compareWith(t testing.TB, from exported.Importer) string {
	t.Helper()
	dir := s.write(t)
	ws := compiler.NewWorkspace(dir, compiler.Options{Language: source.Puppet7, Roots: []string{live.ModulesDir}})
	c, err := ws.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var nodes []fleet.Node
	for _, name := range sortedKeys(s.Nodes) {
		f, err := facts.Parse(source.NewFile(name+".json", `{"name":"`+name+`","values":`+string(s.Nodes[name])+`}`), name)
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, fleet.Node{Node: compiler.Node{Facts: f}})
	}
	var x *fleet.Exchange
	if from == nil {
		if x, err = fleet.NewExchange(context.Background(), c, nodes, nil); err != nil {
			t.Fatal(err)
		}
		from = exported.NewSet(nil)
	}
	for i, n := range nodes {
		want := s.Want.Nodes[n.Facts.Name]
		res := resultOf(t, x, c, nodes[i].Importing(from), i)
		if want.Error != "" {
			text := exchangeWrappers.ReplaceAllString(exchangeLocations.ReplaceAllString(want.Error, ""), "")
			if res.Failure == nil {
				return n.Facts.Name + " compiles; Puppet says " + text
			}
			if !strings.Contains(exchangeLocations.ReplaceAllString(res.Failure.Summary, ""), text) {
				return n.Facts.Name + " says " + res.Failure.Summary + "\nPuppet says " + text
			}
			continue
		}
		if res.Failure != nil {
			return n.Facts.Name + " fails: " + res.Failure.String()
		}
		text, err := catalog.JSON{Types: types.ToData}.Append(nil, res.Catalog)
		if err != nil {
			t.Fatal(err)
		}
		is, err := catalog.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		should, err := catalog.Read(want.Catalog)
		if err != nil {
			t.Fatal(err)
		}
		is.TrimPaths(dir)
		inOneOrder(is)
		inOneOrder(should)
		if d := catalog.Diff(is, should); len(d) > 0 {
			return n.Facts.Name + ": " + strings.Join(d[:min(len(d), 10)], "\n")
		}
	}
	return ""
}

// resultOf is what a node came to; without an exchange it is compiled by itself.
func resultOf(t testing.TB, x *fleet.Exchange, c *compiler.Snapshot, n fleet.Node, i int) *eval.Result {
	t.Helper()
	if x != nil {
		return x.Results[i]
	}
	res, err := c.Compile(context.Background(), n.Node)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// inOneOrder sorts resources and edges: PuppetDB hands out what it finds in any order.
func inOneOrder(c *catalog.Catalog) {
	slices.SortStableFunc(c.Resources, func(a, b *catalog.Resource) int { return strings.Compare(a.Ref(), b.Ref()) })
	slices.SortStableFunc(c.Edges, func(a, b catalog.Edge) int {
		return strings.Compare(a.Source.Ref()+" "+a.Target.Ref(), b.Source.Ref()+" "+b.Target.Ref())
	})
}

// TestAcceptExchangeStored lets the nodes of the site of twenty machines collect what a real PuppetDB has.
func TestAcceptExchangeStored(t *testing.T) {
	live.Accept(t)
	live.Puppet(t)
	url := live.StartPuppetDB(t).URL
	s := shopExchange(t)
	askExchange(t, url, []*exchangeSite{s}, "keep")
	c, err := puppetdb.New(puppetdb.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if why := s.compareWith(t, c.NewImporter(context.Background())); why != "" {
		t.Error(why)
	}
	t.Logf("exchange: %d nodes, from PuppetDB (bar: all equal)", len(s.Nodes))
}

// TestAcceptExchangeRandom compares random sites with real Puppet and PuppetDB, live. All nodes of a round run
// together there as well, so that it does not depend on who comes first which of two nodes with the same title fails.
// Puppet's answers are kept in $BUNRAKU_FETCHED/exchange, so that it goes on where it was ended.
func TestAcceptExchangeRandom(t *testing.T) {
	live.Accept(t)
	live.Puppet(t)
	count := 300
	if n, err := strconv.Atoi(os.Getenv("BUNRAKU_SITES")); err == nil {
		count = n
	}
	sites := randomExchanges(0, count)
	asked := answerTogether(t, sites)
	good, failing, compiling, restless := 0, 0, 0, 0
	for _, s := range sites {
		if why := s.compare(t); why != "" {
			t.Errorf("%s: %s\n%s", s.Name, why, s.Files["site.pp"])
			continue
		}
		good++
		if s.Want.Rounds == 5 {
			restless++
		}
		for _, n := range s.Want.Nodes {
			if n.Error == "" {
				compiling++
			} else {
				failing++
			}
		}
	}
	t.Logf("exchange: %d of %d random sites equal (bar: all); %d nodes compile, %d fail for the same reason; %d sites "+
		"change until the fifth round; %d sites were asked of Puppet now, the others before", good, len(sites), compiling,
		failing, restless, asked)
}

// answerTogether lets real Puppet answer for sites, a few at a time, and gives how many were not known yet.
func answerTogether(t *testing.T, sites []*exchangeSite) (asked int) {
	t.Helper()
	dir := os.Getenv("BUNRAKU_FETCHED")
	if dir != "" {
		dir = filepath.Join(dir, "exchange")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	oracle, err := os.ReadFile("testdata/exchange.rb")
	if err != nil {
		t.Fatal(err)
	}
	kept := func(s *exchangeSite) string {
		sum := sha256.New()
		sum.Write(oracle)
		for _, list := range []map[string]string{s.Files, {"nodes": fmt.Sprint(sortedKeys(s.Nodes))}} {
			for _, name := range sortedKeys(list) {
				fmt.Fprintf(sum, "%d %s %d %s", len(name), name, len(list[name]), list[name])
			}
		}
		return filepath.Join(dir, fmt.Sprintf("%x.json", sum.Sum(nil)[:16]))
	}
	var rest []*exchangeSite
	for _, s := range sites {
		s.Together = true
		if text, err := os.ReadFile(kept(s)); dir != "" && err == nil {
			if err := json.Unmarshal(text, &s.Want); err != nil {
				t.Fatal(kept(s), err)
			}
			continue
		}
		rest = append(rest, s)
	}
	if len(rest) == 0 {
		return 0
	}
	url := live.StartPuppetDB(t).URL
	for some := range slices.Chunk(rest, 10) {
		askExchange(t, url, some)
		for _, s := range some {
			text, err := json.Marshal(s.Want)
			if err != nil {
				t.Fatal(err)
			}
			if dir == "" {
				continue
			}
			if err := os.WriteFile(kept(s), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return len(rest)
}
