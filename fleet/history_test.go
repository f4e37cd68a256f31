package fleet_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/fleet/store"
	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Real history. The last N commits that touch code or data of a public control repo, merges left out and none dropped,
// are each compared with their parent, on nodes that its manifests name. Real Puppet compiles both states; the
// resources and attributes in which its catalogs differ, and its errors, must be those that we name.
//
// What is needed is made outside of this repository and stays there, below $BUNRAKU_FETCHED: clones with their history,
// and the facts of nodes (sites/heldout). Puppet's answers are kept beside them as digests, by the tree that they are
// of, so that a run goes on where the one before was ended. What they come to, for each pair and node, is recorded here
// (history_puppet_test.go), so that it can be repeated where Puppet was never asked.

// A history is a control repo and how it is compiled.
type history struct {
	t    *testing.T
	name string
	work string // the work tree, in which Puppet compiles
	over string // what is laid under every state: configuration and data that the repo keeps elsewhere
	// modules is the modulepath, for a repo whose own names directories of a server
	modules []string
	paths   []string // of code and data
	kept    string   // where answers are
	nodes   []fleet.Node
	facts   map[string]string // node → file
	// secrets is a directory of what a function called secret reads; "" for none
	secrets string
	inputs  string // digest of everything but the tree that decides what Puppet answers
	known   recordedHistory
}

func newHistory(t *testing.T, name, clone, prefix string) *history {
	t.Helper()
	base := filepath.Join(filepath.Dir(live.Fetched(t, clone)), "history")
	h := &history{t: t, name: name, work: filepath.Join(base, "trees", name), over: filepath.Join(base, "over", name),
		kept: filepath.Join(base, "answers", name), facts: map[string]string{}}
	if _, err := os.Stat(h.work); err != nil {
		h.git("", "clone", "-q", "--shared", "--no-checkout", live.Fetched(t, clone), h.work)
	}
	for _, dir := range []string{h.kept, h.over, filepath.Join(base, "facts", name)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	held, err := filepath.Glob(filepath.Join(live.Fetched(t, "sites"), "heldout", prefix+"_*"))
	if err != nil || len(held) == 0 {
		t.Skip("no nodes of real sites are here")
	}
	for _, dir := range held {
		node := strings.TrimSpace(h.read(filepath.Join(dir, "node.txt")))
		if h.facts[node] != "" {
			continue
		}
		text := h.read(filepath.Join(dir, "facts.json"))
		if name == "miraheze" { // its code wants what its machines are
			text = strings.NewReplacer(`"bookworm"`, `"trixie"`, `"12"`, `"13"`, `"12.`, `"13.`).Replace(text)
			text = `{"numa": {"device_to_htset": {"ens18": [[0, 2], [1, 3]], "lo": [[0, 2], [1, 3]]}},` + text[1:]
		}
		file := filepath.Join(base, "facts", name, node+".json")
		h.write(file, text)
		f, err := facts.Parse(source.NewFile(node+".json", text), node)
		if err != nil {
			t.Fatal(err)
		}
		h.facts[node] = file
		h.nodes = append(h.nodes, fleet.Node{Node: compiler.Node{Name: node, Facts: f}})
	}
	return h
}

// seal computes what decides Puppet's answers besides the tree.
func (h *history) seal() {
	sum := sha256.New()
	script, err := os.ReadFile("testdata/history.rb")
	if err != nil {
		h.t.Fatal(err)
	}
	sum.Write(script)
	for _, dir := range []string{h.over, filepath.Dir(h.facts[h.nodes[0].Name])} {
		filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				h.t.Fatal(err)
			}
			if d.Type().IsRegular() {
				text, err := os.ReadFile(p)
				if err != nil {
					h.t.Fatal(err)
				}
				fmt.Fprintln(sum, strings.TrimPrefix(p, dir), len(text))
				sum.Write(text)
			}
			return nil
		})
	}
	h.inputs = hex.EncodeToString(sum.Sum(nil))[:16]
	h.replay()
}

func (h *history) read(file string) string {
	h.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

func (h *history) write(file, text string) {
	h.t.Helper()
	if was, err := os.ReadFile(file); err == nil && string(was) == text {
		return
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// git runs git in the work tree.
func (h *history) git(dir string, args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// checkout makes the work tree that of a commit. The largest files of a mirror may be missing; no catalog needs to read
// them.
func (h *history) checkout(commit string) {
	h.t.Helper()
	h.git(h.work, "read-tree", "--reset", commit)
	h.git(h.work, "clean", "-q", "-f", "-d", "-x")
	cmd := exec.Command("git", "-c", "core.autocrlf=false", "checkout-index", "-q", "-f", "-a")
	cmd.Dir = h.work
	out, err := cmd.CombinedOutput()
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if line != "" && !strings.Contains(line, "unable to read sha1 file of") {
			h.t.Fatal(line, err)
		}
	}
}

// commits are the last n that touch code or data.
func (h *history) commits(n int) []string {
	args := []string{"log", "--no-merges", "--format=%H", "-n", strconv.Itoa(n), "HEAD", "--"}
	return strings.Fields(h.git(h.work, append(args, h.paths...)...))
}

// workspace opens the environment with what the world answers.
func (h *history) workspace(key trace.Key, world []json.RawMessage) *compiler.Workspace {
	text, err := json.Marshal(world)
	if err != nil {
		h.t.Fatal(err)
	}
	file := filepath.Join(h.t.TempDir(), "mocks.json")
	h.write(file, string(text))
	mocks, err := compiler.ReadMocks(file)
	if err != nil {
		h.t.Fatal(err)
	}
	text7 := func(s string) value.Value { return value.String(s) }
	return compiler.NewWorkspace(h.work, compiler.Options{Language: source.Puppet7, Questions: true, Key: key,
		Mocks: mocks, ModulePath: h.modules,
		Inputs: []string{h.over}, Roots: h.borrowed(filepath.Join(h.work, ".git", "objects")),
		ServerFacts: value.NewHash(text7("serverversion"), text7(source.Puppet7.Version()),
			text7("servername"), text7("puppet.example.com"), text7("serverip"), text7("192.0.2.1"),
			text7("environment"), text7(filepath.Base(h.work)))})
}

// borrowed are the directories of objects that a clone shares.
func (h *history) borrowed(objects string) (out []string) {
	text, err := os.ReadFile(filepath.Join(objects, "info", "alternates"))
	if err != nil {
		return nil
	}
	for _, dir := range strings.Fields(string(text)) {
		out = append(append(out, dir), h.borrowed(dir)...)
	}
	return out
}

// sides opens two commits.
func (h *history) sides(ws *compiler.Workspace, old, new string) (from, to *compiler.Snapshot, done func()) {
	h.t.Helper()
	revs, err := fleet.NewRevisions(h.work, ws.Disk(), environment.Options{}, fleet.Given{With: []string{h.over}})
	if err != nil {
		h.t.Fatal(err)
	}
	open := func(name string) *compiler.Snapshot {
		rev, err := revs.Open(name)
		if err != nil {
			h.t.Fatal(err)
		}
		snap, err := ws.Snapshot(context.Background(), rev.Files)
		if err != nil {
			h.t.Fatal(err)
		}
		return snap
	}
	from, to = open(old), open(new)
	return from, to, func() {
		from.Close()
		to.Close()
		revs.Close()
	}
}

// compare compares a commit with its parent, and says which nodes can change.
func (h *history) compare(ws *compiler.Workspace, commit string, nodes []fleet.Node) (*diff.Report, []fleet.Reached) {
	h.t.Helper()
	c := &fleet.Comparing{Questions: true, Watch: func(*eval.Result) {}, Step: func() {}}
	var done func()
	c.From, c.To, done = h.sides(ws, commit+"^", commit)
	defer done()
	r, err := c.Compare(context.Background(), nodes)
	if err != nil {
		h.t.Fatal(err)
	}
	reached, err := c.Impact(context.Background(), nodes)
	if err != nil {
		h.t.Fatal(err)
	}
	return r, reached
}

// reason is an error without its place and what wraps it.
func reason(text string) string {
	return strings.TrimSpace(exchangeWrappers.ReplaceAllString(exchangeLocations.ReplaceAllString(text, ""), ""))
}

// A tally counts what pairs came to.
type tally struct {
	pairs, moving, nodes, right, changed, unchanged, skipped, failing, outside int
	// of nodes, and of what stands together in a report
	changes, groups int
}

// judge holds a pair against Puppet.
func (h *history) judge(c *tally, commit string, r *diff.Report, reached []fleet.Reached, puppet map[string]*outcome) {
	c.pairs++
	r.Gather()
	c.groups += len(r.Groups)
	for _, item := range r.Items {
		c.changes += len(item.Nodes)
	}
	moved := false
	for i, n := range r.Nodes {
		c.nodes++
		want := puppet[n.Name]
		wrong := ""
		side := func(what, puppet string, ours *source.Diagnostic) {
			summary := ""
			if ours != nil {
				summary = h.nowhere(ours.Summary)
			}
			switch {
			case puppet == "" && ours != nil:
				wrong += what + " fails here: " + summary + "; "
			case puppet != "" && ours == nil:
				wrong += what + " fails in Puppet: " + puppet + "; "
			case puppet != "" && !strings.Contains(reason(summary), reason(puppet)):
				wrong += what + " says " + reason(summary) + ", Puppet says " + reason(puppet) + "; "
			}
		}
		side("the old side", want.Old, n.Old)
		side("the new side", want.New, n.New)
		differs := want.Old != want.New
		if want.Old == "" && want.New == "" {
			differs = len(want.Changes) > 0
			if got := ourDiff(n); wrong == "" && !slices.Equal(got, want.Changes) {
				wrong = fmt.Sprintf("we say %v, Puppet %v (%s)", less(got, want.Changes), less(want.Changes, got), n.State)
			}
		} else {
			c.failing++
		}
		moved = moved || differs
		switch {
		case differs:
			if c.changed++; reached[i].Why == "" {
				c.outside++
				h.t.Errorf("%s %s %s changes, and impact does not name it", h.name, commit[:9], n.Name)
			}
		default:
			if c.unchanged++; n.State == diff.CannotChange || n.State == diff.FailsBoth && reached[i].Why == "" {
				c.skipped++
			}
		}
		if wrong == "" {
			c.right++
		} else {
			h.t.Errorf("%s %s %s: %s", h.name, commit[:9], n.Name, wrong)
		}
	}
	if moved {
		c.moving++
	}
}

// less is what is in one list and not in another, the first few.
func less(list, other []string) (out []string) {
	for _, x := range list {
		if !slices.Contains(other, x) && len(out) < 8 {
			out = append(out, x)
		}
	}
	return out
}

func (c *tally) log(t *testing.T, name string) {
	t.Logf("history, %s: %d of %d (pair, node) as Puppet (bar: all), over %d pairs of which %d change something; %d "+
		"fail on a side",
		name, c.right, c.nodes, c.pairs, c.moving, c.failing)
	t.Logf("history, %s: %d changed, impact misses %d (bar: 0); of %d unchanged %d skipped by proof, %.1f %% (bar: 90 %%)",
		name,
		c.changed, c.outside, c.unchanged, c.skipped, 100*float64(c.skipped)/float64(max(c.unchanged, 1)))
	t.Logf("history, %s: %d changes on nodes in %d groups, %.1f in each", name, c.changes, c.groups,
		float64(c.changes)/float64(max(c.groups, 1)))
}

// pairsWanted is how many commits are compared; BUNRAKU_PAIRS says another number.
func pairsWanted(all int) int {
	if n, err := strconv.Atoi(os.Getenv("BUNRAKU_PAIRS")); err == nil {
		return n
	}
	return all
}

// TestAcceptHistoryMiraheze compares commits of Miraheze's on all nodes that its manifests name.
func TestAcceptHistoryMiraheze(t *testing.T) {
	live.Accept(t)
	h := newHistory(t, "miraheze", "miraheze_history", "mh")
	h.paths = []string{"manifests", "modules", "hieradata"}
	h.write(filepath.Join(h.over, "environment.conf"), "modulepath = modules:modules_core\nmanifest = manifests\n")
	h.write(filepath.Join(h.over, "hiera.yaml"), mirahezeHiera)
	private := ""
	for _, line := range strings.Split(h.read(
		filepath.Join(live.Fetched(t, "sites"), "stubs", "mh_private", "common.yaml")), "\n") {
		if key, _, _ := strings.Cut(line, ": "); !strings.Contains(mirahezePrivate, "\n"+key+":") {
			private += line + "\n"
		}
	}
	h.write(filepath.Join(h.over, "private", "common.yaml"), strings.TrimSpace(private)+mirahezePrivate)
	core := filepath.Join(h.over, "modules_core")
	if _, err := os.Stat(core); err != nil {
		if err := os.CopyFS(core, os.DirFS(filepath.Join(live.Fetched(t, "sites"), "modules_core"))); err != nil {
			t.Fatal(err)
		}
	}
	h.seal()
	var names []string
	for _, n := range h.nodes {
		names = append(names, n.Name)
	}
	var c tally
	for _, commit := range h.commits(pairsWanted(50)) {
		puppet, world := h.puppet(commit, names)
		r, reached := h.compare(h.workspace(nil, world), commit, h.nodes)
		h.judge(&c, commit, r, reached, puppet)
	}
	c.log(t, h.name)
}

// The repo's own hiera.yaml names directories of a server; this one has the same levels.
const mirahezeHiera = `---
version: 5
defaults:
  datadir: hieradata
  data_hash: yaml_data
hierarchy:
  - {name: "private node", datadir: private, path: "hosts/%{networking.hostname}.yaml"}
  - {name: "node", path: "hosts/%{networking.hostname}.yaml"}
  - {name: "role", path: "role/common/%{::_role}.yaml"}
  - {name: "private role", datadir: private, path: "role/common/%{::_role}.yaml"}
  - {name: "common", path: "common.yaml"}
  - {name: "private common", datadir: private, path: "common.yaml"}
`

const mirahezePrivate = `
cloudflare::zone_id: dummy
jfrog_token: dummy
mediawiki::discord_experimental_webhook: dummy
mediawiki::global_discord_webhook_url: dummy
mediawiki::openai_assistantid: dummy
mediawiki::swift_temp_url_key: dummy
mediawiki::turnstile_secretkey: dummy
mediawiki::turnstile_sitekey: dummy
passwords::cloudflare::api_token: dummy
passwords::cloudflare::listdomains_roapikey: dummy
passwords::db::bucketuser_beta: dummy
passwords::db::mediawiki_beta: dummy
passwords::db::wikiadmin_beta: dummy
passwords::geoipupdatekey: dummy
passwords::hcaptcha::secretkey: dummy
passwords::irc::relaybot::bot_token: dummy
passwords::irc::relaybot::irc_password: dummy
passwords::mediawiki::bucketuser: dummy
passwords::mediawiki::bucketuser_beta: dummy
passwords::mediawiki::cloudflare_requestcustomdomain_apikey: dummy
passwords::mediawiki::google_translate_apikey_meta: dummy
passwords::mediawiki::ldap_password: dummy
passwords::mediawiki::matomotoken: dummy
passwords::mediawiki::mediamoderation_apikey: dummy
passwords::mediawiki::mediawiki: dummy
passwords::mediawiki::mediawiki_beta: dummy
passwords::mediawiki::secretkey: dummy
passwords::mediawiki::upgradekey: dummy
passwords::mediawiki::wikiadmin: dummy
passwords::mediawiki::wikiadmin_beta: dummy
passwords::postgresql::mattermost: dummy
passwords::shellbox::secretkey: dummy
passwords::ticket_salt: dummy
puppetdb::db_password: dummy
puppetdb::password::rw: dummy
passwords::graylog::root_password_sha2: "0000000000000000000000000000000000000000000000000000000000000000"
role::memcached::extended_options: [modern]
role::memcached::growth_factor: 1.05
role::memcached::max_seq_reqs: 200
role::memcached::min_slab_size: 48
role::memcached::port: 11211
role::memcached::size: 512
role::memcached::threads: 4
swift::accounts_keys: {mw: dummy}
`

// anybody answers whatever is asked of the world, by functions that history.rb answers otherwise for each question.
const anybody = `[
  {"function": "ipresolve", "result": "10.64.0.1"},
  {"function": "dnsquery::lookup", "result": ["10.64.0.1", "2001:db8:64:1::1"]},
  {"function": "dnsquery::a", "result": ["10.64.0.1"]},
  {"function": "dns_a", "result": ["10.64.0.1"]},
  {"function": "dnsquery::aaaa", "result": ["2001:db8:64:1::1"]},
  {"function": "dnsquery::ptr", "result": ["h.example.org"]},
  {"function": "dnsquery::cname", "result": "c.example.org"},
  {"function": "dnsquery::srv", "result": [{"priority": 0, "weight": 1, "port": 2379, "target": "etcd1.example.org"}]},
  {"function": "puppetdb_query", "result": []},
  {"function": "query_nodes", "result": []},
  {"function": "query_resources", "result": []},
  {"function": "query_facts", "result": {}},
  {"function": "wmflib::puppetdb_query", "result": []},
  {"function": "wmflib::have_puppetdb", "result": false},
  {"function": "secret", "result": "secret\\n"},
  {"function": "wmflib::secret", "result": "secret\\n"},
  {"function": "generate", "result": "generated\\n"}
]`

// recorded are the nodes of which it is known what a commit does; nil if that was never asked.
func (h *history) recorded(commit string) (out []fleet.Node) {
	for _, n := range h.nodes {
		if h.known.Pairs[commit][n.Name] != nil {
			out = append(out, n)
		}
	}
	return out
}

// choose takes two nodes that a commit changes, if there are such, and others at random: four. What the world answers
// Puppet is not known before it is asked; whatever it answers is enough to choose by.
func (h *history) choose(kept *store.Store, commit string, random *rand.Rand) (out []fleet.Node) {
	h.t.Helper()
	var chosen []int
	for _, i := range h.changing(kept, commit) {
		if len(chosen) < 2 {
			chosen = append(chosen, i)
		}
	}
	for len(chosen) < 4 {
		if i := random.IntN(len(h.nodes)); !slices.Contains(chosen, i) {
			chosen = append(chosen, i)
		}
	}
	for _, i := range chosen {
		out = append(out, h.nodes[i])
	}
	return out
}

// changing are nodes whose catalogs a commit makes others, by their numbers in the store. Nodes that fail are compiled
// once: only who wants to read why compiles them again.
func (h *history) changing(kept *store.Store, commit string) (out []int) {
	h.t.Helper()
	ctx := context.Background()
	from, to, done := h.sides(h.workspace(kept.Key(), h.calls(anybody)), commit+"^", commit)
	defer done()
	old, new := kept.Over(from), kept.Over(to)
	differ := make([]bool, len(h.nodes))
	failed := make([]error, len(h.nodes))
	source.Each(ctx, len(h.nodes), func(i int) {
		n := store.Of(h.nodes[i].Node)
		a, err := old.Result(ctx, n)
		if err != nil {
			failed[i] = err
			return
		}
		b, err := new.Result(ctx, n)
		if err != nil {
			failed[i] = err
			return
		}
		differ[i] = !a.Failed && !b.Failed && a.ID() != 0 && b.ID() != 0 && a.ID() != b.ID()
	})
	if err := errors.Join(failed...); err != nil {
		h.t.Fatal(err)
	}
	for i, d := range differ {
		if d {
			out = append(out, i)
		}
	}
	return out
}

// TestAcceptHistoryWikimedia compares commits of Wikimedia's on four nodes each: two that change, if there are such,
// and others at random.
func TestAcceptHistoryWikimedia(t *testing.T) {
	live.Accept(t)
	h := newHistory(t, "wikimedia", "wikimedia_history", "wm")
	h.paths = []string{"manifests", "modules", "hieradata", "vendor_modules", "core_modules"}
	for _, dir := range []string{"modules", "vendor_modules", "core_modules", "private/modules"} {
		h.modules = append(h.modules, filepath.Join(h.work, dir))
	}
	h.write(filepath.Join(h.over, "environment.conf"),
		"modulepath = modules:vendor_modules:core_modules:private/modules\nmanifest = manifests\n")
	private := filepath.Join(h.over, "private")
	if _, err := os.Stat(private); err != nil {
		for _, part := range []string{"hieradata", "modules"} {
			if err := os.CopyFS(filepath.Join(private, part), os.DirFS(
				filepath.Join(live.Fetched(t, "wikimedia_labs-private"), part))); err != nil {
				t.Fatal(err)
			}
		}
	}
	h.secrets = filepath.Join(private, "modules", "secret", "secrets")
	h.write(filepath.Join(h.over, "netbox", "common.yaml"), h.read(
		filepath.Join(live.Fetched(t, "sites"), "stubs", "netbox", "common.yaml")))
	commits := h.commits(pairsWanted(40))
	hiera := h.git(h.work, "show", commits[0]+":modules/puppetmaster/files/hiera/production.yaml")
	h.write(filepath.Join(h.over, "hiera.yaml"),
		strings.NewReplacer("/etc/puppet/private", filepath.Join(h.work, "private"),
			"/etc/puppet/hieradata", filepath.Join(h.work, "hieradata"), "/etc/puppet/netbox",
			filepath.Join(h.work, "netbox")).Replace(hiera)+"\n")
	h.seal()
	kept, err := store.Open(filepath.Join(filepath.Dir(h.kept), "store-"+h.name))
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	var c tally
	for k, commit := range commits {
		nodes := h.recorded(commit)
		if nodes == nil {
			nodes = h.choose(kept, commit, rand.New(rand.NewPCG(19, uint64(k))))
		}
		var names []string
		for _, n := range nodes {
			names = append(names, n.Name)
		}
		puppet, world := h.puppet(commit, names)
		r, reached := h.compare(h.workspace(nil, world), commit, nodes)
		h.judge(&c, commit, r, reached, puppet)
	}
	c.log(t, h.name)
}
