package puppetdb_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/internal/random"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/exported"
	"bunraku/puppet/facts"
	"bunraku/puppet/value"
	"bunraku/puppetdb"
	"bunraku/source"

	"golang.org/x/tools/txtar"
)

var record = flag.Bool("record", false, "ask the installed Puppet for the answers in testdata")

// A sent is what is sent of a node.
type sent struct {
	Payload json.RawMessage `json:"payload,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// wireSites are environments whose catalogs are sent: those of wire.txtar and random ones.
func wireSites(t testing.TB, count int) (names []string, sites []map[string]string, nodes [][]string) {
	t.Helper()
	a, err := txtar.ParseFile("testdata/wire.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		names = append(names, f.Name)
		sites = append(sites, map[string]string{"manifests/site.pp": string(f.Data)})
		nodes = append(nodes, []string{"node.example.com"})
	}
	for seed := range count {
		files, own := random.Exchange(seed)
		names, sites, nodes = append(names, fmt.Sprint("random ", seed)), append(sites, files), append(nodes, own)
	}
	return names, sites, nodes
}

// recordedRandom is how many random sites are recorded.
const recordedRandom = 25

// TestScoreWireCatalogs compares what is sent of catalogs with what Puppet's terminus sends.
func TestScoreWireCatalogs(t *testing.T) {
	names, sites, nodes := wireSites(t, recordedRandom)
	wireCatalogs(t, names, sites, nodes, "testdata/wire.json", *record)
}

// TestAcceptWireCatalogs is the same with more random sites, live.
func TestAcceptWireCatalogs(t *testing.T) {
	live.Accept(t)
	names, sites, nodes := wireSites(t, 300)
	wireCatalogs(t, names, sites, nodes, filepath.Join(t.TempDir(), "wire.json"), true)
}

func wireCatalogs(t *testing.T, names []string, sites []map[string]string, nodes [][]string, file string, ask bool) {
	dirs := make([]string, len(sites))
	for i, files := range sites {
		dirs[i] = filepath.Join(t.TempDir(), "production")
		for name, text := range files {
			path := filepath.Join(dirs[i], name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	values := json.RawMessage(`{"os":{"family":"Debian"}}`)
	if ask {
		type question struct {
			Dir   string                     `json:"dir"`
			Nodes map[string]json.RawMessage `json:"nodes"`
		}
		var all []question
		for i := range sites {
			q := question{dirs[i], map[string]json.RawMessage{}}
			for _, n := range nodes[i] {
				q.Nodes[n] = values
			}
			all = append(all, q)
		}
		in, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(live.Ruby(t, "testdata/wire.rb", string(in), "catalogs")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != len(sites) {
		t.Fatalf("%d answers to %d questions", len(lines), len(sites))
	}
	good, total := 0, 0
	for i, line := range lines {
		var want map[string]sent
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		ws := compiler.NewWorkspace(dirs[i], compiler.Options{Language: source.Puppet7})
		c, err := ws.Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range nodes[i] {
			total++
			if why := compareSent(t, c, dirs[i], n, want[n]); why != "" {
				t.Errorf("%s, %s: %s", names[i], n, why)
				continue
			}
			good++
		}
		c.Close()
	}
	t.Logf("score: wire-catalogs %d/%d", good, total)
}

// compareSent says in what our payload differs, "" for nothing.
func compareSent(t *testing.T, c *compiler.Snapshot, dir, node string, want sent) string {
	t.Helper()
	f, err := facts.Parse(source.NewFile("facts.json", `{"name":"`+node+`","values":{"os":{"family":"Debian"}}}`), node)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Compile(context.Background(), compiler.Node{Facts: f, Imports: exported.NewSet(nil)})
	if err != nil {
		t.Fatal(err)
	}
	failed := ""
	var command puppetdb.Command
	if res.Failure != nil {
		failed = res.Failure.Summary
	} else {
		res.Catalog.TrimPaths(dir)
		(&catalog.Catalog{Resources: res.Rest.Resources}).TrimPaths(dir)
		command, err = puppetdb.CatalogCommand(res.Catalog, res.Rest, c.Current(),
			puppetdb.Sending{Producer: "oracle.invalid",
				Time: time.Now(), Environment: "production", Transaction: "u"})
		if err != nil {
			failed = err.Error()
		}
	}
	switch {
	case want.Error != "" && failed == "":
		return "Puppet says " + want.Error
	case want.Error != "":
		if res.Failure == nil && failed != want.Error {
			return failed + "\nPuppet says " + want.Error
		}
		return ""
	case failed != "":
		return failed
	}
	return differs(t, command.Payload, want.Payload, "version", "catalog_uuid", "producer_timestamp", "producer")
}

// differs compares two payloads: lists of objects are sets, and what is named is left out.
func differs(t *testing.T, got, want json.RawMessage, except ...string) string {
	t.Helper()
	var a, b map[string]any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatal(err, string(got))
	}
	if err := json.Unmarshal(want, &b); err != nil {
		t.Fatal(err)
	}
	for _, key := range except {
		if _, has := a[key]; !has {
			return "there is no " + key
		}
		delete(a, key)
		delete(b, key)
	}
	var why []string
	for _, key := range sortedNames(a, b) {
		x, y := flat(a[key]), flat(b[key])
		for _, e := range x {
			if !slices.Contains(y, e) {
				why = append(why, key+" is "+e)
			}
		}
		for _, e := range y {
			if !slices.Contains(x, e) {
				why = append(why, key+" is not "+e)
			}
		}
		if _, has := a[key]; has != (b[key] != nil) && !has {
			why = append(why, "no "+key)
		}
		if len(x) != len(y) && len(why) == 0 {
			why = append(why, fmt.Sprintf("%d of %s, not %d", len(x), key, len(y)))
		}
	}
	return strings.Join(why[:min(len(why), 12)], "\n")
}

func sortedNames(maps ...map[string]any) (names []string) {
	for _, m := range maps {
		for k := range m {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// flat is a value as texts: the elements of a list of objects, or the one; tags are a set.
func flat(v any) (out []string) {
	list, is := v.([]any)
	if !is {
		list = []any{v}
	}
	for _, e := range list {
		if o, is := e.(map[string]any); is {
			if tags, is := o["tags"].([]any); is {
				slices.SortFunc(tags, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
		}
		text, _ := json.Marshal(e)
		out = append(out, string(text))
	}
	return out
}

// reportManifests are applied by a real agent, and the reports are then sent.
var reportManifests = []string{
	"# \nfile { 'DIR/one': content => 'x' }\nnotify { 'n': message => 'said' }\nexec { '/bin/false': }\nnotify { " +
		"'after': require => Exec['/bin/false'] }\n",
	"# --noop\nfile { 'DIR/one': ensure => directory, mode => '0700' }\nnotify { 'n': }\n",
	"# \nfile { 'DIR/d': ensure => directory }\nfile { 'DIR/d/f': content => Sensitive('secret') }\nfile { 'DIR/l': " +
		"ensure => link, target => 'DIR/d' }\n",
	"# \nnotify { 'a': noop => true }\nnotify { 'b': loglevel => debug, tag => ['x', 'y'] }\nexec { '/bin/true': " +
		"refreshonly => true, subscribe => Notify['a'] }\n",
}

// TestScoreWireReports compares what is sent of reports of real runs with what Puppet's terminus sends.
func TestScoreWireReports(t *testing.T) {
	const file, wantFile = "testdata/reports.json", "testdata/reports.want.json"
	if *record {
		in, err := json.Marshal(reportManifests)
		if err != nil {
			t.Fatal(err)
		}
		reports := live.Ruby(t, "testdata/wire.rb", string(in), "apply")
		text := "[" + strings.Join(strings.Split(strings.TrimSpace(reports), "\n"), ",\n") + "]\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(wantFile, []byte(live.Ruby(t, "testdata/wire.rb", text, "reports")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var reports []json.RawMessage
	if err := json.Unmarshal(text, &reports); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(wantFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(want), []byte("\n"))
	good := 0
	for i, r := range reports {
		c, err := puppetdb.ReportCommand(r, puppetdb.Sending{Producer: "oracle.invalid", Time: time.Unix(0, 0)})
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		if why := differs(t, plainTimes(c.Payload), plainTimes(lines[i]), "producer"); why != "" {
			t.Errorf("%d: %s", i, why)
			continue
		}
		good++
	}
	t.Logf("score: wire-reports %d/%d", good, len(reports))
}

// plainTimes writes times in UTC, whatever zone they are in.
func plainTimes(text []byte) []byte {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		panic(err)
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				v[k] = walk(e)
			}
		case []any:
			for i, e := range v {
				v[i] = walk(e)
			}
		case string:
			if t, err := time.Parse(time.RFC3339, v); err == nil {
				return t.UTC().Format("2006-01-02T15:04:05.000Z")
			}
		}
		return v
	}
	out, err := json.Marshal(walk(v))
	if err != nil {
		panic(err)
	}
	return out
}

// TestWireFacts: facts have what the certificate says, and packages apart.
func TestWireFacts(t *testing.T) {
	v, err := catalog.ReadJSON([]byte(`{"a":1,"_puppet_inventory_1":{"packages":[["x","1","apt"]]},"trusted":{"certname":"liar"},"b":{"c":null}}`))
	if err != nil {
		t.Fatal(err)
	}
	trusted := value.NewHash(value.String("certname"), value.String("n.example"))
	c, err := puppetdb.FactsCommand("n.example", v.(*value.Hash), trusted,
		puppetdb.Sending{Producer: "p", Environment: "e",
			Time: time.Date(2026, 11, 16, 10, 0, 0, 123456789, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	const should = `{"certname":"n.example","values":{"a":1,"trusted":{"certname":"n.example"},"b":{"c":null}},"environment":"e",
		"producer_timestamp":"2026-11-16T10:00:00.123Z","producer":"p","package_inventory":[["x","1","apt"]]}`
	if json.Unmarshal(c.Payload, &got) != nil || json.Unmarshal([]byte(should), &want) != nil ||
		!reflect.DeepEqual(got, want) {
		t.Errorf("%s", c.Payload)
	}
}

// TestWireSecrets: nothing that is Sensitive is sent, wherever it is. (Puppet writes the number of an object in the
// place of one inside of a hash; here the attribute is left out.)
func TestWireSecrets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "production")
	site := `notify { 'a': message => { 'a' => [Sensitive('hidden')], 'b' => 1 } }
		file { '/f': content => Sensitive('hidden') }
		class c($p) { notify { 'c': } }
		class { 'c': p => Sensitive({ 'x' => 'hidden' }) }
		@@notify { 'e': message => Sensitive('hidden') }`
	if err := os.MkdirAll(filepath.Join(dir, "manifests"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "manifests/site.pp"), []byte(site), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := compiler.NewWorkspace(dir, compiler.Options{}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Compile(context.Background(), compiler.Node{Name: "n", Facts: facts.New("n", value.EmptyHash)})
	if err != nil || res.Failure != nil {
		t.Fatal(err, res.Failure)
	}
	command, err := puppetdb.CatalogCommand(res.Catalog, res.Rest, c.Current(), puppetdb.Sending{})
	if err != nil || bytes.Contains(command.Payload, []byte("hidden")) || !bytes.Contains(command.Payload,
		[]byte(`"title":"e"`)) {
		t.Errorf("%v %s", err, command.Payload)
	}
}
