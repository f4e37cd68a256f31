package model

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bunraku/budget"
	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/fs"
	"bunraku/verify/listing"
)

// What happens always happens on every machine that has the old catalog, and what happens on one of them may happen.
func TestEverywhere(t *testing.T) {
	for _, x := range []struct{ name, old, new, want string }{
		{"a file that is there", `File /srv/a content=a`, `File /srv/a content=b`, "always File[/srv/a]"},
		{"a file that may be there", `File /srv/a content=a`, "File /srv/a content=a\nFile /srv/b content=b",
			"here File[/srv/b]"},
		{"a package that may be there", `File /srv/a content=a`, "File /srv/a content=a\nPackage htop ensure=absent",
			"maybe Package[htop]"},
		{"a package that is there", `Package htop ensure=present`, `Package htop ensure=absent`, "always Package[htop]"},
		{"a file that goes", `File /srv/a content=a`, `File /srv/a ensure=absent`, "always File[/srv/a]"},
		{"a service that runs", "File /srv/a content=a notify=Service[cron]\nService cron ensure=running",
			"File /srv/a content=b notify=Service[cron]\nService cron ensure=running",
			"always File[/srv/a] always Service[cron]"},
		{"a service of which nothing was said", "File /srv/a content=a",
			"File /srv/a content=b notify=Service[cron]\nService cron ensure=running",
			"always File[/srv/a] here Service[cron]"},
		{"a command whose product may be there", "File /srv/a content=a",
			"File /srv/a content=a\nExec /bin/touch~/srv/x creates=/srv/x", "here Exec[/bin/touch /srv/x]"},
		{"a command that nothing guards", "File /srv/a content=a", "File /srv/a content=a\nExec /bin/true",
			"always Exec[/bin/true]"},
		{"a command that waits", "File /srv/a content=a notify=Exec[c]\nExec c command=/bin/cp~/srv/a~/srv/b " +
			"refreshonly=true",
			"File /srv/a content=b notify=Exec[c]\nExec c command=/bin/cp~/srv/a~/srv/b refreshonly=true",
			"always File[/srv/a] always Exec[c]"},
		{"a mode that was not said", "File /srv/a content=a", "File /srv/a content=a mode=0600", "here File[/srv/a]"},
		{"a parent and its child", "File /srv/a content=a",
			"File /srv/a content=a\nFile /srv/d ensure=directory\nFile /srv/d/x content=x",
			"here File[/srv/d] here File[/srv/d/x]"},
	} {
		a, err := settledPair(t, x.old, x.new)
		if err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		if got := a.words(); got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
}

// words tell what acts where.
func (a *after) words() string {
	var out []string
	for _, act := range a.u.Acts {
		out = append(out, map[bool]string{true: "always ", false: "here "}[act.Always]+act.Resource.Ref())
	}
	for _, r := range a.u.Maybe {
		out = append(out, "maybe "+r.Ref())
	}
	return strings.Join(out, " ")
}

// Random pairs of catalogs on random machines on which the old one has nothing to do.
func TestEverywhereAtRandom(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	machines, always := 0, 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(7, uint64(seed)))
		old := randomCatalog(r)
		lines := strings.Split(old, "\n")
		for range 1 + r.IntN(3) {
			if k := r.IntN(len(lines)); r.IntN(3) == 0 {
				lines = append(lines, randomResource(r))
			} else {
				lines[k] = randomResource(r)
			}
		}
		a, err := settledPair(t, old, distinct(lines))
		if err != nil || a.u.Runs == 0 || !atRest(a.o, a.start.Clone()) {
			continue // nothing is claimed
		}
		for range 40 {
			s := disturb(r, a)
			if !atRest(a.o, s.Clone()) {
				continue
			}
			machines++
			did, failed := map[*catalog.Resource]bool{}, false
			again := &after{o: a.o, n: a.n, u: &Upgrade{}, again: map[string]bool{}}
			if _, err := again.run(s.Clone()); err != nil {
				t.Fatal(err)
			}
			for _, act := range again.u.Acts {
				did[act.Resource] = true
			}
			failed = len(again.u.Failed) > 0
			for _, act := range a.u.Acts {
				if always++; act.Always && !did[act.Resource] && !failed {
					t.Errorf("seed %d: %s does not act\n%s\n--\n%s", seed, act.Resource.Ref(), old, distinct(lines))
				}
				delete(did, act.Resource)
			}
			for _, m := range a.u.Maybe {
				delete(did, m)
			}
			for x := range did {
				if o := a.o.Catalog.Catalog.Resource(x.Type, x.Title); !failed && (o == nil || !sameAttributes(o, x)) {
					t.Errorf("seed %d: %s acts\n%s\n--\n%s", seed, x.Ref(), old, distinct(lines))
				}
			}
		}
	}
	t.Logf("%d machines, %d acts", machines, always)
	if machines < rounds {
		t.Errorf("only %d machines at rest", machines)
	}
}

// atRest reports whether a run changes nothing.
func atRest(m *Model, s *fs.State) bool {
	rest := true
	err := apply(m, s, func(_ *catalog.Resource, _ int, was fs.Touched, why string) {
		rest = rest && why == "" && !was.Acted && !differs(m, was, s)
	}, func(*catalog.Resource) {})
	return err == nil && rest
}

// disturb changes what a machine has.
func disturb(r *rand.Rand, a *after) *fs.State {
	s := a.start.Clone()
	for _, p := range a.n.paths() {
		if r.IntN(4) > 0 || !strings.HasPrefix(string(p), "/srv/") {
			continue
		}
		for q := range s.Nodes {
			if q == p || q.Under(p) {
				delete(s.Nodes, q)
			}
		}
		if k := []fs.Kind{fs.None, fs.File, fs.Dir}[r.IntN(3)]; k != fs.None && s.At(p.Parent()).Kind == fs.Dir {
			s.Put(p, k)
		}
	}
	for _, x := range slices.Sorted(maps.Keys(a.n.Graph.Init.Closed)) {
		v := a.n.Graph.Init.Closed[x]
		if old := a.o.Graph.Init.Closed[x]; old != nil {
			v = old
		}
		if r.IntN(3) == 0 && len(v) > 0 {
			s.Vars[x] = v[r.IntN(len(v))]
		}
	}
	return s
}

func randomCatalog(r *rand.Rand) string {
	var lines []string
	for range 2 + r.IntN(5) {
		lines = append(lines, randomResource(r))
	}
	return distinct(lines)
}

// distinct keeps the first of each title.
func distinct(lines []string) string {
	seen := map[string]bool{}
	return strings.Join(slices.DeleteFunc(slices.Clone(lines), func(l string) bool {
		f := strings.Fields(l)
		k := f[0] + f[1]
		old := seen[k]
		seen[k] = true
		return old
	}), "\n")
}

func randomResource(r *rand.Rand) string {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	p := one("/srv/a", "/srv/b", "/srv/d", "/srv/d/x")
	switch r.IntN(8) {
	case 0, 1, 2:
		return "File " + p + " content=" + one("a", "b") + one("", " mode=0600", " mode=0644")
	case 3:
		return "File /srv/d ensure=" + one("directory", "directory", "absent")
	case 4:
		return "Package " + one("htop", "curl") + " ensure=" + one("present", "absent")
	case 5:
		return "Service " + one("cron", "rsyslog") + " ensure=" + one("running", "stopped")
	case 6:
		return "User " + one("ann", "bob") + " ensure=" + one("present", "absent")
	}
	return "Exec /bin/touch~" + p + " creates=" + p
}

// settledPair is what After finds out about two catalogs, one resource a line: Type title attribute=value…, with ~ for
// blanks.
func settledPair(t *testing.T, old, new string) (a *after, err error) {
	t.Helper()
	defer budget.Catch(&err)
	read := func(text string) *catalog.Graph {
		type resource struct {
			Type       string            `json:"type"`
			Title      string            `json:"title"`
			Kind       string            `json:"kind"`
			Parameters map[string]string `json:"parameters"`
		}
		var all []resource
		for line := range strings.SplitSeq(text, "\n") {
			f := strings.Fields(line)
			x := resource{f[0], strings.ReplaceAll(f[1], "~", " "), "compilable_type", map[string]string{}}
			for _, p := range f[2:] {
				k, v, _ := strings.Cut(p, "=")
				x.Parameters[k] = strings.ReplaceAll(v, "~", " ")
			}
			all = append(all, x)
		}
		doc, err := json.Marshal(map[string]any{"name": "node", "resources": all, "edges": []any{}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := catalog.Read(doc)
		if err != nil {
			t.Fatal(err)
		}
		return catalog.NewGraph(c, Types{})
	}
	g, h := read(old), read(new)
	for _, x := range []*catalog.Graph{g, h} {
		if len(x.Cycles()) > 0 || len(x.Missing) > 0 {
			return nil, fmt.Errorf("no agent applies it")
		}
	}
	lists, err := listing.Select(listing.Choice{Platform: "debian-12", Embedded: true})
	if err != nil {
		t.Fatal(err)
	}
	search := verify.DefaultOptions()
	return newAfter(context.Background(), Side{Graph: g}, Side{Graph: h}, Options{Platform: "debian-12", Listing: lists},
		&search)
}
