package compiler

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"bunraku/internal/live"
	"bunraku/internal/mutate"
	"bunraku/internal/random"
	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// The three theorems about provenance (§4.1 of the analysis notes), by mutation, over everything that compiles: change
// the datum at one place, compile again, and look whether anything changed that does not name the place. How tight the
// answers are is measured by the same mutations.

// A subject is an environment that is compiled for one node.
type subject struct {
	kind, name string
	dir        string
	opt        Options
	node       string
	enc        string // what a node classifier says of it
	mutations  int    // how many to try at random, beside those that measure precision
	slots      int    // of which the precision is measured
	stand      bool   // with a module of classes and files that can stand in for others
}

// A tally is what the run counts.
type tally struct {
	subjects, literals                map[string]int
	mutations, failing, same, refused map[string]int
	skipped                           map[string]int
	left                              map[string]int // places that no mutation confirmed, by what they are and why
	copies, expressions, violating    int
	byRefusal                         int // pairs that a catalog confirmed which was refused
	violations                        []string
	looseness                         []loose
	shares                            []float64
	large                             int
}

func newTally() *tally {
	m := func() map[string]int { return map[string]int{} }
	return &tally{subjects: m(), literals: m(), mutations: m(), failing: m(), same: m(), refused: m(), left: m(),
		skipped: m()}
}

func (c *tally) add(o *tally) {
	for _, m := range [][2]map[string]int{{c.subjects, o.subjects}, {c.literals, o.literals}, {c.mutations, o.mutations},
		{c.failing, o.failing}, {c.same, o.same}, {c.refused, o.refused}, {c.skipped, o.skipped}, {c.left, o.left}} {
		for k, n := range m[1] {
			m[0][k] += n
		}
	}
	c.copies += o.copies
	c.byRefusal += o.byRefusal
	c.expressions += o.expressions
	c.violating += o.violating
	c.large += o.large
	c.violations = append(c.violations, o.violations...)
	c.looseness = append(c.looseness, o.looseness...)
	c.shares = append(c.shares, o.shares...)
}

func sum(m map[string]int) (n int) {
	for _, x := range m {
		n += x
	}
	return n
}

// try compiles one mutant and checks it. changed is nil when there is nothing to compare; of one whose catalog is
// refused it is what had changed until then.
func (c *tally) try(l *lab, p *mutate.Place, i int) (changed map[string]bool, err error) {
	kind := l.kind + ": " + string(p.Kind)
	known := len(c.violations)
	defer func() {
		if len(c.violations) > known {
			c.violating++
		}
	}()
	violate := func(list ...mutate.Violation) {
		text, _ := l.text(p.Path)
		for n, v := range list {
			if n == 3 {
				c.violations = append(c.violations, fmt.Sprintf("%s: … and %d more", l.name, len(list)-n))
				break
			}
			c.violations = append(c.violations, fmt.Sprintf("%s: %s: %s", l.name, strings.ReplaceAll(p.Describe(text, i), l.dir+
				"/", ""), v))
		}
	}
	res, at, reason, err := l.mutant(p, i)
	if err != nil {
		return nil, err
	}
	if reason != "" {
		c.skipped[reason]++
		return nil, nil
	}
	c.mutations[kind]++
	if res.Failure != nil {
		c.failing[kind]++
		if res.Trace == nil {
			c.skipped["the changed environment has no program to run"]++
			return nil, nil
		}
		if v, ok := mutate.Fails(res, p); !ok {
			violate(v)
		}
		refused := mutate.Refused(l.view, res, p)
		violate(refused.Violations...)
		if len(refused.Changed) == 0 {
			return nil, nil
		}
		c.refused[kind]++
		return refused.Changed, nil
	}
	view, err := mutate.Look(res)
	if err != nil {
		return nil, err
	}
	r := mutate.Compare(l.view, view, p)
	violate(r.Violations...)
	if len(r.Changed) == 0 && r.New == 0 {
		c.same[kind]++
	}
	n, bad := at.Where(res, func(k provenance.LabelKey) bool { return k == p.Is.Key }, c.skip)
	c.copies += n
	violate(bad...)
	return r.Changed, nil
}

func (c *tally) skip(reason string) { c.skipped[reason]++ }

// whereAndExpression checks the other two theorems on the subject as it is.
func (c *tally) whereAndExpression(l *lab) error {
	n, bad := l.places.Where(l.res, nil, c.skip)
	c.copies += n
	for _, v := range bad {
		c.violations = append(c.violations, l.name+": "+string(v))
	}
	pure := func(name string) bool {
		f := l.base.functions[name]
		return f != nil && f.Flow == 0
	}
	return c.evaluate(l, l.places.Expressions(l.res, pure, c.skip))
}

// evaluate compiles expressions: all at once, and by halves when some do not compile.
func (c *tally) evaluate(l *lab, list []mutate.Expression) error {
	if len(list) == 0 {
		return nil
	}
	if len(list) > 400 {
		for len(list) > 0 {
			n := min(400, len(list))
			if err := c.evaluate(l, list[:n]); err != nil {
				return err
			}
			list = list[n:]
		}
		return nil
	}
	res, err := l.evaluate(mutate.Program(list))
	if err != nil {
		return err
	}
	if res.Failure == nil {
		c.expressions += len(list)
		for _, v := range mutate.Check(list, res) {
			c.violations = append(c.violations, l.name+": "+string(v))
		}
		return nil
	}
	if len(list) == 1 {
		c.violations = append(c.violations, fmt.Sprintf("%s: %s: its expression %s does not compile: %s", l.name,
			list[0].Slot, list[0].Code, res.Failure.Summary))
		return nil
	}
	half := len(list) / 2
	if err := c.evaluate(l, list[:half]); err != nil {
		return err
	}
	return c.evaluate(l, list[half:])
}

// run does all that is wanted of a subject.
func (s *subject) run() (*tally, error) {
	c := newTally()
	f, err := factsOf(s.dir, s.node)
	if err != nil {
		return nil, err
	}
	node, err := classified(s.enc)
	if err != nil {
		return nil, err
	}
	node.Facts, node.Name = f, s.node
	open := openLab
	if s.stand {
		open = openWithStandIns
	}
	l, err := open(s.kind, s.name, s.dir, s.opt, node)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	if l == nil {
		c.skip("subjects that do not compile: " + s.kind)
		return c, nil
	}
	c.subjects[s.kind]++
	l.res.Trace.EachLiteral(func(fileName, int) { c.literals[s.kind]++ })
	if err := c.whereAndExpression(l); err != nil {
		return nil, err
	}
	used, idle, err := l.list()
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(uint64(len(s.name)), uint64(s.name[0])+uint64(s.name[len(s.name)-1])<<8))
	if s.slots > 0 {
		if err := c.precision(l, used, s.slots, r); err != nil {
			return nil, err
		}
	}
	// each place once before any twice
	for n := 0; n < s.mutations && len(used) > 0; {
		r.Shuffle(len(used), func(i, j int) { used[i], used[j] = used[j], used[i] })
		for _, p := range used {
			if n++; n > s.mutations {
				break
			}
			if _, err := c.try(l, p, r.IntN(p.Choices())); err != nil {
				return nil, err
			}
		}
	}
	if err := c.tryTogether(l, used, s.mutations/2, r); err != nil { // a third of the runs
		return nil, err
	}
	for range min(len(idle), s.mutations/12) { // what was not evaluated must not matter
		p := idle[r.IntN(len(idle))]
		if _, err := c.try(l, p, r.IntN(p.Choices())); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// ---- subjects

// classified is a node with what a classifier says of it.
func classified(enc string) (n Node, err error) {
	if enc == "" {
		return n, nil
	}
	v, err := catalog.ReadJSON([]byte(enc))
	if err != nil {
		return n, err
	}
	h := v.(*value.Hash)
	if e := h.EntryString("parameters"); e != nil {
		n.Parameters = e.Value.(*value.Hash)
	}
	if e := h.EntryString("classes"); e != nil {
		switch v := e.Value.(type) {
		case *value.Array:
			for _, x := range v.Elems {
				n.Classes = append(n.Classes, eval.Assigned{Name: value.ToString(x)})
			}
		case *value.Hash:
			for _, x := range v.Entries() {
				params, _ := x.Value.(*value.Hash)
				n.Classes = append(n.Classes, eval.Assigned{Name: value.ToString(x.Key), Params: params})
			}
		}
	}
	return n, nil
}

var nodeStatement = regexp.MustCompile(`(?m)^\s*node\b`)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const plainConf = "modulepath = modules\nmanifest = site.pp\n"

// corpus are the manifests of µPuppet and the probes that were made for this.
func corpus(t *testing.T, root string) (out []*subject) {
	shared := live.Shared(t, "corpus", "upuppet")
	strict := map[string]bool{}
	var index []struct {
		File   string `json:"file"`
		Strict bool   `json:"strict_variables"`
	}
	text, err := os.ReadFile(filepath.Join(shared, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	for _, x := range index {
		strict[filepath.Join(shared, x.File)] = x.Strict
	}
	files, err := filepath.Glob(filepath.Join(shared, "*", "*.pp"))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src, kind := string(text), "µPuppet corpus"
		if strings.Contains(name, "own-provenance") {
			kind = "provenance probes"
		} else if !nodeStatement.MatchString(src) {
			src += "\nnode default { include main }\n"
		}
		dir := filepath.Join(root, "upuppet", fmt.Sprint(i))
		write(t, dir, map[string]string{"site.pp": src, "environment.conf": plainConf})
		on := strict[name]
		out = append(out, &subject{kind: kind, name: filepath.Base(filepath.Dir(name)) + "/" + filepath.Base(name), dir: dir,
			opt: Options{StrictVariables: &on}, node: "default"})
	}
	return out
}

// recorded are the cases whose catalogs real Puppet recorded for the evaluator.
func recorded(t *testing.T, root string) (out []*subject) {
	archives, err := filepath.Glob(filepath.Join("..", "eval", "testdata", "*", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatal("no recorded cases", err)
	}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var s *subject
		var files map[string]string
		last := ""
		flush := func() {
			if s == nil || files["want.err"] != "" {
				return
			}
			s.enc = files["enc.json"]
			conf := plainConf
			if files["site.pp"] == "" {
				conf = "modulepath = modules\n"
			}
			files["environment.conf"] = conf
			for _, line := range strings.Split(files["settings"], "\n") {
				k, v, _ := strings.Cut(line, ":")
				switch v = strings.TrimSpace(v); k {
				case "node":
					s.node = v
				case "strict":
					s.opt.Strict = v
				case "strict_variables":
					on := v == "true"
					s.opt.StrictVariables = &on
				}
			}
			write(t, s.dir, files)
			out = append(out, s)
		}
		for _, f := range a.Files {
			name, rest, _ := strings.Cut(f.Name, "/")
			if name != last {
				flush()
				last, files = name, map[string]string{}
				s = &subject{kind: "recorded cases", name: strings.TrimSuffix(filepath.Base(path), ".txtar") + "/" + name,
					node: "default"}
				s.dir = filepath.Join(root, "recorded", filepath.Base(filepath.Dir(path)), filepath.Base(path), name, "production")
			}
			files[rest] = string(f.Data)
		}
		flush()
	}
	return out
}

// sitesOf are copies of the environments whose catalogs real Puppet made with Debian's modules.
func sitesOf(t *testing.T, root string) (out []*subject) {
	for _, from := range live.Sites(t) {
		name := filepath.Base(from)
		dir := filepath.Join(root, "sites", name)
		for _, part := range []string{"environment.conf", "site.pp", "facts.json", "hiera.yaml", "data", "manifests",
			"modules"} {
			if err := copyTree(filepath.Join(from, part), filepath.Join(dir, part)); err != nil {
				t.Fatal(err)
			}
		}
		server := value.NewHash(value.String("serverversion"), value.String("7.23.0"), value.String("servername"),
			value.String("puppet.example.com"),
			value.String("serverip"), value.String("192.0.2.1"), value.String("environment"), value.String(name))
		out = append(out, &subject{kind: "sites with real modules", name: name, dir: dir, opt: Options{ServerFacts: server}})
	}
	return out
}

func randomSites(t *testing.T, root string, first, n int) (out []*subject) {
	for i := range n {
		dir := filepath.Join(root, "random", fmt.Sprint("site", first+i))
		write(t, dir, random.Site(first+i))
		out = append(out, &subject{kind: "random sites", name: fmt.Sprint("random site ", first+i), dir: dir})
	}
	return out
}

var onlySubject = os.Getenv("BUNRAKU_SUBJECT") // a pattern, to look at some subjects alone

// TestScoreTheorems runs the mutations: a fixed sample, or with BUNRAKU_ACCEPT at least 20,000 of them.
func TestScoreTheorems(t *testing.T) {
	root := t.TempDir()
	long := os.Getenv("BUNRAKU_ACCEPT") != ""
	corpora := corpus(t, root)
	cases := recorded(t, root)
	sites := sitesOf(t, root)
	count := 8
	if long {
		count = 120
	}
	randoms := randomSites(t, root, 100, count)
	var subjects []*subject
	for i, s := range corpora {
		if s.mutations = 60; !long {
			s.mutations = 4
		}
		if s.slots = 3; !long && i%5 != 0 {
			s.slots = 0
		}
	}
	for i, s := range cases {
		if s.mutations = 10; !long {
			s.mutations = 1
		}
		if s.slots = 2; !long && i%40 != 0 {
			s.slots = 0
		}
	}
	for _, s := range randoms {
		if s.mutations, s.slots = 40, 3; !long {
			s.mutations, s.slots = 20, 0
		}
	}
	for i, s := range sites {
		if s.mutations, s.slots, s.stand = 80, 6, true; !long {
			s.mutations, s.slots = 12, 0
			if i%4 != 0 || s.name == "apache_many_vhosts" {
				s.mutations = 0
			}
		}
	}
	mutations := 100
	if long {
		mutations = 1000
	}
	for _, list := range [][]*subject{sites, corpora, cases, randoms, dataSites(t, root, mutations)} {
		for _, s := range list {
			s.opt.Language = 7
			if (onlySubject == "" || regexp.MustCompile(onlySubject).MatchString(s.kind+"/"+s.name)) &&
				(long || s.mutations > 0) {
				subjects = append(subjects, s)
			}
		}
	}
	began := cpu(syscall.RUSAGE_SELF)
	all := runAll(t, subjects)
	report(t, all)
	t.Logf("CPU time %v", cpu(syscall.RUSAGE_SELF)-began)
	if onlySubject == "" && long && sum(all.mutations) < 20_000 {
		t.Errorf("only %d mutations", sum(all.mutations))
	}
}

func runAll(t *testing.T, subjects []*subject) *tally {
	results := make([]*tally, len(subjects))
	errs := make([]error, len(subjects))
	took := make([]time.Duration, len(subjects))
	var next sync.Mutex
	at := 0
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			runtime.LockOSThread() // so that a subject's CPU time can be told from the others'
			defer runtime.UnlockOSThread()
			for {
				next.Lock()
				i := at
				at++
				next.Unlock()
				if i >= len(subjects) {
					return
				}
				began := cpu(thisThread)
				results[i], errs[i] = subjects[i].run()
				took[i] = cpu(thisThread) - began
			}
		}()
	}
	wg.Wait()
	all := newTally()
	for i, c := range results {
		if took[i] > 20*time.Second {
			t.Logf("%s/%s took %v of CPU time, without what collecting garbage takes", subjects[i].kind, subjects[i].name,
				took[i])
		}
		if errs[i] != nil {
			t.Error(errs[i])
			continue
		}
		all.add(c)
	}
	return all
}

func report(t *testing.T, c *tally) {
	for _, k := range sorted(c.subjects) {
		t.Logf("%-24s %5d subjects, %6d literals evaluated", k, c.subjects[k], c.literals[k])
	}
	for _, k := range sorted(c.mutations) {
		t.Logf("%-60s %6d mutations, %5d failing (%4d with another catalog, which is refused), %5d changed nothing", k,
			c.mutations[k], c.failing[k], c.refused[k], c.same[k])
	}
	for _, k := range sorted(c.skipped) {
		t.Logf("skipped %6d  %s", c.skipped[k], k)
	}
	t.Logf("%d copies equal the datum at their place; %d expressions give their value back", c.copies, c.expressions)
	c.reportPrecision(t)
	n := sum(c.mutations)
	t.Logf("score: theorems %d/%d (mutations that changed nothing unannounced; %d fail to compile, %d change nothing)",
		n-c.violating, n, sum(c.failing), sum(c.same))
	sort.Strings(c.violations)
	for i, v := range c.violations {
		if i == 60 && os.Getenv("BUNRAKU_ALL") == "" {
			t.Errorf("… %d more", len(c.violations)-i)
			break
		}
		t.Error(v)
	}
}
