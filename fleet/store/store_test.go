package store_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"bunraku/fleet/store"
	"bunraku/internal/manynodes"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/types"
	"bunraku/source"
)

// siteDir is where the generated repo is mounted.
const siteDir = "/srv/many"

// mounted is a repo in memory.
func mounted(texts map[string]string) source.Files {
	files := map[string]string{}
	for p, text := range texts {
		files[siteDir+"/"+p] = text
	}
	return source.NewMemory([]string{siteDir}, files, nil)
}

// A bench is a workspace whose snapshots record for a store.
type bench struct {
	testing.TB
	*compiler.Workspace
	store *store.Store
}

func newBench(t testing.TB, s *store.Store) *bench {
	return &bench{t, compiler.NewWorkspace(siteDir,
		compiler.Options{Questions: true, Key: s.Key(), Decrypted: s.Decrypted}), s}
}

// over starts a run over a state of the repo.
func (b *bench) over(texts map[string]string) *store.Run {
	b.Helper()
	snap, err := b.Snapshot(context.Background(), mounted(texts))
	if err != nil {
		b.Fatal(err)
	}
	return b.store.Over(snap)
}

// node is a node of the generated fleet, whose facts are read when they are needed.
func node(i int) store.Node {
	text := manynodes.Facts(i)
	name := manynodes.Name(i)
	return store.FromText(name, text, func() (*facts.Facts, error) {
		f, err := facts.Parse(source.NewFile(name+".json", string(text)), name)
		if err == nil {
			f.Name = name
		}
		return f, err
	})
}

func (b *bench) result(r *store.Run, n store.Node) *store.Result {
	b.Helper()
	res, err := r.Result(context.Background(), n)
	if err != nil {
		b.Fatal(err)
	}
	return res
}

// text is a catalog as JSON.
func (b *bench) text(c *catalog.Catalog) string {
	b.Helper()
	text, err := catalog.JSON{Types: types.ToData}.Append(nil, c)
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// count makes the results of some nodes on all processors, and counts how they were come by.
func (b *bench) count(r *store.Run, nodes int, each func(i int, res *store.Result)) map[string]int {
	b.Helper()
	var hows [3]atomic.Int64
	source.Each(context.Background(), nodes, func(i int) {
		res, err := r.Result(context.Background(), node(i))
		if err != nil {
			b.Error(err)
			return
		}
		hows[res.How].Add(1)
		if each != nil {
			each(i, res)
		}
	})
	out := map[string]int{}
	for h := range hows {
		if n := hows[h].Load(); n > 0 {
			out[store.How(h).String()] = int(n)
		}
	}
	return out
}

// A node is compiled once as long as nothing changes that it asked for, and what the store has is what compiling gives.
func TestReuse(t *testing.T) {
	dir := t.TempDir()
	const nodes = 60
	expect := func(name string, got map[string]int, want string) {
		t.Helper()
		if text := fmt.Sprint(got); text != want {
			t.Errorf("%s: %s, not %s", name, text, want)
		}
	}
	ids := map[int]uint32{}
	for round := range 2 { // the second with what the first has left on the disk
		s, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(t, s)
		first := b.over(manynodes.Site(nodes, manynodes.None))
		got := b.count(first, nodes, nil)
		if round == 0 {
			expect("the first time", got, "map[compiled:60]")
		} else {
			expect("again", got, "map[unchanged:60]")
		}
		expect("nowhere", b.count(b.over(manynodes.Site(nodes, manynodes.Nowhere)), nodes, nil), "map[unchanged:60]")
		if round == 0 {
			expect("some", b.count(b.over(manynodes.Site(nodes, manynodes.Some)), nodes, nil), "map[compiled:8 unchanged:52]")
			expect("one role", b.count(b.over(manynodes.Site(nodes, manynodes.Role)), nodes, nil),
				"map[compiled:2 unchanged:58]")
		}
		back := b.over(manynodes.Site(nodes, manynodes.None))
		expect("back again", b.count(back, nodes, nil), "map[unchanged:60]")
		// What is in the store is what a compile gives, whatever the state of the files is.
		for _, change := range []manynodes.Change{manynodes.None, manynodes.Some} {
			texts := manynodes.Site(nodes, change)
			texts["modules/profile/manifests/base.pp"] = "# a comment\n\n" + texts["modules/profile/manifests/base.pp"]
			kept := b.over(texts)
			other, err := store.Temporary()
			if err != nil {
				t.Fatal(err)
			}
			fresh := newBench(t, other)
			anew := fresh.over(texts)
			for i := range 12 {
				a, c := b.result(kept, node(i)), fresh.result(anew, node(i))
				if a.How != store.Held || c.How != store.Compiled {
					t.Errorf("node %d: %s, %s", i, a.How, c.How)
				}
				is, err := a.Catalog()
				want, err2 := c.Catalog()
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				if b.text(is) != b.text(want) {
					t.Errorf("node %d has another catalog in the store:\n%s\n%s", i, b.text(is), b.text(want))
				}
				if len(is.Resources) != len(a.Parts()) || !is.Resources[20].Place.Known() {
					t.Errorf("node %d: %d resources, %d parts", i, len(is.Resources), len(a.Parts()))
				}
				// and Puppet's form of it is that of the compile itself
				direct := c.Fresh.Catalog
				if got, want := b.text(is), b.text(direct); got != want {
					t.Errorf("node %d: %s\n%s", i, got, want)
				}
				if id, known := ids[i]; known && change == manynodes.None && id != a.ID() {
					t.Errorf("node %d has another number", i)
				}
				if change == manynodes.None {
					ids[i] = a.ID()
				}
			}
			other.Close()
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Nodes that ask the same and get the same answers are compiled once, whatever else differs.
func TestAlike(t *testing.T) {
	s, err := store.Temporary()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := newBench(t, s)
	run := b.over(map[string]string{
		"manifests/site.pp": "node /^web/ { include web }\nnode default { notify { " +
			"$facts['networking']['fqdn']: } }\n",
		"hiera.yaml": "version: 5\nhierarchy:\n  - { name: n, path: '%{trusted.certname}.yaml' }\n  - { " +
			"name: c, path: c.yaml }\n",
		"data/c.yaml":                   "web::port: 80\n",
		"data/web7.yaml":                "web::port: 81\n",
		"data/web8.yaml":                "nobody::asks: 1\n",
		"modules/web/manifests/init.pp": "class web($port) { notify { \"${port} ${facts['os']['family']}\": } }\n",
	})
	hows := map[string]int{}
	for _, n := range []struct{ name, os, want string }{
		{"web1", "Debian", "compiled 80 Debian"}, {"web2", "Debian", "like another node 80 Debian"},
		{"web3", "RedHat", "compiled 80 RedHat"}, {"web4", "RedHat", "like another node 80 RedHat"},
		{"web7", "Debian", "compiled 81 Debian"}, {"web8", "Debian", "compiled 80 Debian"},
		{"db1", "Debian", "compiled db1"}, {"db2", "Debian", "compiled db2"}, {"web2", "Debian", "unchanged 80 Debian"},
	} {
		f, err := facts.Parse(source.NewFile("f.json",
			fmt.Sprintf(`{"os":{"family":%q},"networking":{"fqdn":%q}}`, n.os, n.name)),
			n.name)
		if err != nil {
			t.Fatal(err)
		}
		f.Name = n.name
		res := b.result(run, store.Of(compiler.Node{Facts: f}))
		c, err := res.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		title := ""
		for _, x := range c.Resources {
			if x.Type == "Notify" {
				title = x.Title
			}
		}
		if got := res.How.String() + " " + title; got != n.want || c.Name != n.name {
			t.Errorf("%s: %s of %s, not %s", n.name, got, c.Name, n.want)
		}
		hows[res.How.String()]++
	}
}

// A fact that nothing but the paths of data hang on counts, also when it changes between two runs.
func TestChangedFacts(t *testing.T) {
	s, err := store.Temporary()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := newBench(t, s)
	texts := map[string]string{
		"manifests/site.pp": "notify { lookup('k'): }\n",
		"hiera.yaml": "version: 5\nhierarchy:\n  - { name: n, path: '%{facts.tier}.yaml' }\n  - { name: c, path: " +
			"c.yaml }\n",
		"data/c.yaml":    "k: common\n",
		"data/gold.yaml": "k: gold\n",
	}
	for i, c := range []struct {
		tier, uptime, how, want string
	}{
		{"silver", "1", "compiled", "common"}, {"gold", "1", "compiled", "gold"}, {"silver", "1", "unchanged", "common"},
		{"gold", "2", "unchanged", "gold"}, {"bronze", "3", "unchanged", "common"}, {"gold", "4", "unchanged", "gold"},
	} {
		f, err := facts.Parse(source.NewFile("f.json", fmt.Sprintf(`{"tier":%q,"uptime":%q}`, c.tier, c.uptime)), "n")
		if err != nil {
			t.Fatal(err)
		}
		f.Name = "n"
		res := b.result(b.over(texts), store.Of(compiler.Node{Facts: f}))
		is, err := res.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		if res.How.String() != c.how || is.Resource("Notify", c.want) == nil {
			t.Errorf("%d, %s: %s, %s", i, c.tier, res.How, b.text(is))
		}
		again := store.Of(compiler.Node{Facts: f}) // today's facts were seen: they need not be read
		again.Load = func() (compiler.Node, error) {
			t.Errorf("%d, %s: the facts are read again", i, c.tier)
			return compiler.Node{Facts: f}, nil
		}
		if res := b.result(b.over(texts), again); res.How.String() != "unchanged" {
			t.Errorf("%d, %s: %s the second time", i, c.tier, res.How)
		}
	}
}

// No secret is in the store, and a changed one is another catalog.
func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, s)
	site := func(secret string) map[string]string {
		return map[string]string{"manifests/site.pp": `
$s = Sensitive('` + secret + `')
file { '/a': content => $s }
file { '/b': content => "password=${s.unwrap}\n" }
notify { 'c': message => { 'deep' => [Sensitive('` + secret + `')] } }
exec { '/bin/x': environment => ["P=${s.unwrap}"] }
notify { 'made': message => "${s.unwrap.upcase} ${regsubst($s.unwrap, 's3', 'S_3_')} ${s.unwrap.split('')}" }
$two = split("${s.unwrap}-half", 's3')
notify { 'halves': message => "a ${two[1]} b" }
fail_later { 'x': }
define fail_later { notify { "d ${title}": } }
if $facts['asks'] { notify { 'asks': message => $facts["x_${s.unwrap}"] } }
if $facts['tags'] { notify { 'tags': tag => "t_${s.unwrap}" } }
`}
	}
	f, _ := facts.Parse(source.NewFile("f.json", `{}`), "n")
	f.Name = "n"
	n := store.Of(compiler.Node{Facts: f})
	first := b.result(b.over(site("tops3cret-one")), n)
	second := b.result(b.over(site("tops3cret-two")), n)
	if first.Failed || second.Failed {
		t.Fatal(first.Fresh.Failure, second.Fresh.Failure)
	}
	if first.ID() == second.ID() || second.How != store.Compiled {
		t.Error("another secret is the same catalog")
	}
	// What is asked and tags cannot be replaced: such a compile is not kept.
	for _, what := range []string{"asks", "tags"} {
		f, _ := facts.Parse(source.NewFile("f.json", `{"`+what+`": true}`), what)
		f.Name = what
		r := b.result(b.over(site("Tops3cret-four")), store.Of(compiler.Node{Facts: f}))
		if r.Failed || r.ID() != 0 {
			t.Error(what, " is kept: ", r.Failed, r.ID())
		}
	}
	failing := b.result(b.over(map[string]string{"manifests/site.pp": "fail('tops3cret-three')"}), n)
	if !failing.Failed || failing.ID() == 0 {
		t.Error("the failure is not kept")
	}
	c, err := first.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.text(c), "tops3cret") {
		t.Error("the catalog has the secret: ", b.text(c))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(dir + "/store.db")
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"tops3cret", "tops_3_cret", "cret-one-half"} {
		if bytes.Contains(bytes.ToLower(content), []byte(secret)) {
			t.Error("the file has a secret, or what was made of it: ", secret)
		}
	}
	info, err := os.Stat(dir + "/key")
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

// A store that is in use is refused, and so is a key that others can read; what is damaged, of another version or with
// another key is put aside.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(dir); err != store.ErrLocked {
		t.Error("a second one: ", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(dir + "/key")
	if err != nil {
		t.Fatal(err)
	}
	os.Chmod(dir+"/key", 0o644)
	if _, err := store.Open(dir); err == nil || !strings.Contains(err.Error(), "delete") {
		t.Error("a key that others can read: ", err)
	}
	old, err := os.ReadFile(dir + "/store.db")
	if err != nil {
		t.Fatal(err)
	}
	for what, x := range map[string]struct{ key, text []byte }{
		"another key":         {bytes.Repeat([]byte{1}, 32), old},
		"half a key":          {key[:16], old},
		"another version":     {key, bytes.ReplaceAll(old, []byte("bunraku store 3"), []byte("bunraku store 2"))},
		"of no version":       {key, bytes.ReplaceAll(old, []byte("bunraku store "), []byte("bunraku STORE "))},
		"no store at all":     {key, []byte("something else")},
		"one that is cut off": {key, old[:len(old)/2]},
		"one with holes":      {key, append(old[:3*4096:3*4096], make([]byte, len(old)-3*4096)...)},
	} {
		dir := t.TempDir()
		os.WriteFile(dir+"/key", x.key, 0o600)
		os.WriteFile(dir+"/store.db", x.text, 0o600)
		s, err := store.Open(dir)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		aside, why := "/store.db.broken", "damaged"
		if what == "another version" {
			aside, why = "/store.db.old", "of another version of the program"
		}
		if is, err := os.ReadFile(dir + aside); err != nil || !bytes.Equal(is, x.text) || !strings.Contains(s.Aside, why) {
			t.Errorf("%s: it is not put aside: %v, %q", what, err, s.Aside)
		}
		if s, err = store.Open(dir); err != nil || s.Aside != "" {
			t.Errorf("%s: not made anew: %v", what, err)
		}
		s.Close()
	}
	dir = t.TempDir()
	os.WriteFile(dir+"/store.db", []byte("something else"), 0o600)
	if _, err := store.Open(dir); err == nil || !strings.Contains(err.Error(), "another directory") {
		t.Error("a file of somebody else's: ", err)
	}
}

// However many kinds of nodes there are that ask different things of Hiera, each is compiled once.
func TestAlikeKinds(t *testing.T) {
	s, err := store.Temporary()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := newBench(t, s)
	run := b.over(manynodes.Alike(manynodes.None))
	compiled := map[string]bool{}
	for i := range 1500 { // each kind twice
		kind := fmt.Sprint(i%manynodes.Roles, i%6, manynodes.Reached(i))
		if b.result(run, node(i)).How != store.Compiled {
			continue
		}
		if compiled[kind] {
			t.Fatalf("node %d is compiled, and one of its kind was", i)
		}
		compiled[kind] = true
	}
}
