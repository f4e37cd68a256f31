package fleet_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"bunraku/explain"
	"bunraku/fleet"
	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/resource"
	"bunraku/source"
)

// A trap is a view of files in which reading some of them is a bug of ours.
type trap struct {
	source.Files
	in    func(path string) bool
	times atomic.Int64 // how often it snaps
}

func (v *trap) Read(path string) (source.Content, error) {
	if v.in(path) && v.times.Add(-1) >= 0 {
		panic("a trap in " + filepath.Base(path))
	}
	return v.Files.Read(path)
}

func newTrap(files source.Files, times int64, in string) *trap {
	v := &trap{Files: files, in: func(path string) bool { return strings.Contains(path, in) }}
	v.times.Store(times)
	return v
}

func isBug(t *testing.T, what string, err error) {
	t.Helper()
	var d *source.Diagnostic
	if !errors.As(err, &d) || d.Code != source.CodeBug || !strings.Contains(d.Summary, "a trap") ||
		!strings.Contains(d.Detail, "(bug_test.go:") {
		t.Errorf("%s: %v", what, err)
	}
}

const often = 1 << 40

// A bug while files are read, wherever that is, costs the nodes that read the file; the others are compiled as ever,
// and so are these once it is gone: nothing half made is left in what they share.
func TestBugCostsOneNode(t *testing.T) {
	ctx := context.Background()
	env := filepath.Join(live.Root(), "examples", "shop")
	want := map[string]string{}
	for _, j := range shop(t) {
		c, err := j.ws.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		res, err := compile(ctx, c, j.node)
		if err != nil {
			t.Fatal(err)
		}
		want[j.name] = catalogText(res)
	}
	all := []string{"db1.shop.example", "web1.shop.example", "web2.shop.example"}
	for _, c := range []struct {
		in    string
		times int64
		hurt  []string
	}{
		{"data/nodes/web2", often, all[2:]},
		{"manifests/site.pp", often, all},
		{"manifests/site.pp", 1, nil}, // one of them
		{"profile/manifests/nginx.pp", often, all[1:]},
		{"templates/", often, nil},
		{"hiera.yaml", often, all},
		{"data/common.yaml", 2, nil},
	} {
		ws := compiler.NewWorkspace(env, compiler.Options{})
		view := ws.Disk()
		known, err := fleet.Nodes(view, env, "")
		if err != nil {
			t.Fatal(err)
		}
		var nodes []fleet.Node
		for _, f := range known {
			nodes = append(nodes, fleet.Node{Node: compiler.Node{Facts: f}})
		}
		snap, err := ws.Snapshot(ctx, newTrap(view, c.times, c.in))
		if err != nil {
			t.Fatal(err)
		}
		results, _, err := fleet.Compile(ctx, snap, newJudge(), nodes, func(*eval.Result) {})
		if err != nil {
			t.Fatal(c.in, err)
		}
		bugs := 0
		for _, r := range results {
			if r.Catalog != nil {
				continue
			}
			bugs++
			for _, p := range r.Problems {
				if p.Code == source.CodeBug {
					isBug(t, c.in, p)
				}
			}
			if c.hurt != nil && !strings.Contains(strings.Join(c.hurt, " "), r.Name) {
				t.Errorf("%s: %s has no catalog: %v", c.in, r.Name, r.Problems)
			}
		}
		if bugs == 0 || c.hurt != nil && bugs != len(c.hurt) {
			t.Errorf("%s: %d nodes have no catalog", c.in, bugs)
		}
		if c.times == often {
			continue
		}
		for _, n := range nodes { // the trap has snapped
			res, err := compile(ctx, snap, n.Facts)
			if err != nil || catalogText(res) != want[n.Facts.Name] {
				t.Errorf("%s: afterwards, %s: %v", c.in, n.Facts.Name, err)
			}
		}
	}
	ws := compiler.NewWorkspace(env, compiler.Options{})
	_, err := ws.Snapshot(ctx, newTrap(ws.Disk(), often, "environment.conf"))
	isBug(t, "a snapshot", err)
}

// A bug in an explanation, also in a goroutine that it starts, is an error of that question.
func TestBugInExplanation(t *testing.T) {
	ctx := context.Background()
	j := shop(t)[0]
	view := newTrap(j.ws.Disk(), 0, "/")
	snap, err := j.ws.Snapshot(ctx, view)
	if err != nil {
		t.Fatal(err)
	}
	res, err := compile(ctx, snap, j.node)
	if err != nil {
		t.Fatal(err)
	}
	rec := explain.Of(res.Record())
	view.times.Store(often)
	_, err = rec.WhyNot("Service[nothing]")
	isBug(t, "why not", err)
	view.times.Store(0)
	if _, err = rec.WhyNot("Service[nothing]"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// brokenTypes knows no type without a bug.
type brokenTypes struct{ resource.Lookup }

func (brokenTypes) Type(string) *resource.Type { panic("a trap in a type") }

// A bug in a verification is what blocks the catalog, and the next one is verified as ever.
func TestBugInVerification(t *testing.T) {
	ctx := context.Background()
	job := shop(t)[0]
	snap, err := job.ws.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	res, err := compile(ctx, snap, job.node)
	if err != nil {
		t.Fatal(err)
	}
	j := newJudge()
	defer j.Close()
	before, err := verified(ctx, j, snap, res, job.node)
	if err != nil {
		t.Fatal(err)
	}
	s := fleet.NewSuspect(snap, res, job.node)
	s.Types = brokenTypes{}
	v, err := j.Judge(ctx, s)
	if err != nil || len(v.Blocked) != 1 || !v.Undecided {
		t.Fatal(v, err)
	}
	isBug(t, "a verification", v.Blocked[0])
	if after, err := verified(ctx, j, snap, res, job.node); err != nil || after != before {
		t.Errorf("afterwards: %v\n%s", err, after)
	}
}
