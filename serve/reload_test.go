package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/serve"
)

// revised is a catalog of code whose revisions say which they are: notify { 'm3 revision 7': } in each of its classes.
type revised struct {
	Code_id  string
	Metadata map[string]struct{ Checksum struct{ Value string } }
	seen     map[string]bool // the revisions that it is of
}

var revisionTitle = regexp.MustCompile(`"title":"m\d+ revision (\d+)"`)

// A load is agents that ask for catalogs until it is stopped.
type load struct {
	t               testing.TB
	served, refused atomic.Int64
	ended           chan struct{}
	agents          sync.WaitGroup
}

// load has three agents ask all the time. Each catalog has all of its classes, and is given to check; an error must be
// one that is excused.
func (r *running) load(classes int, excused func(answer) bool, check func(*http.Client, revised)) *load {
	l := &load{t: r.t, ended: make(chan struct{})}
	cert := r.sign("agent.example")
	one := func(c *http.Client) {
		a := r.catalog(c, "agent.example", "production", nil)
		if a.status != http.StatusOK {
			if l.refused.Add(1); a.status != http.StatusInternalServerError || !excused(a) {
				r.t.Errorf("%d %s", a.status, a.body)
			}
			return
		}
		l.served.Add(1)
		got := revised{seen: map[string]bool{}}
		found := revisionTitle.FindAllStringSubmatch(a.body, -1)
		for _, m := range found {
			got.seen[m[1]] = true
		}
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || len(found) != classes {
			r.t.Errorf("%d of %d classes, %v", len(found), classes, err)
		}
		check(c, got)
	}
	for range 3 {
		l.agents.Go(func() {
			c := r.client(cert)
			for {
				select {
				case <-l.ended:
					return
				default:
					one(c)
				}
			}
		})
	}
	return l
}

// stop ends it; something must have been served.
func (l *load) stop() {
	l.t.Helper()
	time.Sleep(20 * time.Millisecond)
	close(l.ended)
	l.agents.Wait()
	if l.served.Load() == 0 {
		l.t.Error("nothing was served")
	}
}

// revisions deploys revision after revision while agents ask for catalogs. By switching a link over, as atomic deploys
// do, every catalog is of one revision, and its code id says which; where file by file is written, every catalog is
// whole.
func revisions(t *testing.T, changes int, link bool) {
	t.Helper()
	const classes = 12
	deploy := func(dir string, n int) {
		t.Helper()
		put := func(name, text string) {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
				t.Error(err)
			}
			if err := os.Rename(path+".new", path); err != nil {
				t.Error(err)
			}
		}
		var site strings.Builder
		for i := range classes {
			fmt.Fprintf(&site, "include m%d\n", i)
			put(fmt.Sprintf("modules/m%d/manifests/init.pp", i), fmt.Sprintf("class m%d { notify { 'm%d revision %d': } }\n", i,
				i,
				n))
		}
		put("environment.conf", "modulepath = modules\n")
		put("manifests/site.pp", site.String())
		put("revision", fmt.Sprintf("r%d\n", n))
	}
	code := t.TempDir()
	production := filepath.Join(code, "production")
	turn := func(n int) {
		t.Helper()
		if !link {
			deploy(production, n)
			return
		}
		dir := filepath.Join(code, fmt.Sprintf(".deploy-%d", n))
		deploy(dir, n)
		if err := os.Symlink(dir, production+".new"); err != nil {
			t.Error(err)
		}
		if err := os.Rename(production+".new", production); err != nil {
			t.Error(err)
		}
		if n > 3 { // old ones go at some time
			os.RemoveAll(filepath.Join(code, fmt.Sprintf(".deploy-%d", n-3)))
		}
	}
	turn(0)
	r := start(t, "", func(o *serve.Options) {
		o.Environments, o.Log = []string{code}, textLog(&lockedBuffer{})
		if link {
			o.CodeID = script(t, "cat "+code+"/$1/revision\n")
			o.CodeContent = script(t, "exit 1\n")
		}
	})
	load := r.load(classes, func(a answer) bool {
		return strings.Contains(a.body, "chang") || strings.Contains(a.body, "written") ||
			strings.Contains(a.body, "no such file") || strings.Contains(a.body, "No such file")
	}, func(_ *http.Client, c revised) {
		if link && (len(c.seen) != 1 || !c.seen[strings.TrimPrefix(c.Code_id, "r")]) {
			t.Errorf("a catalog of the revisions %v, code id %s", c.seen, c.Code_id)
		}
	})
	for n := 1; n <= changes; n++ {
		turn(n)
		time.Sleep(5 * time.Millisecond)
	}
	load.stop()
	c := r.client(r.sign("agent.example"))
	if a := r.catalog(c, "agent.example", "production", nil); !strings.Contains(a.body,
		fmt.Sprintf("m%d revision %d\"", classes-1, changes)) {
		t.Errorf("the last revision is not served: %d %s", a.status, a.body)
	}
	what := "whole"
	if link {
		what = "of exactly one revision each, which its code id names"
	}
	t.Logf("%d changes: %d catalogs, %s; %d refused for a while (bar: no other)", changes,
		load.served.Load(), what, load.refused.Load())
}

// TestRevisions: catalogs of one revision each, while others are deployed.
func TestRevisions(t *testing.T) {
	t.Run("link", func(t *testing.T) { revisions(t, 30, true) })
	t.Run("in place", func(t *testing.T) { revisions(t, 30, false) })
}

// TestAcceptServeReload is the same with 500 changes.
func TestAcceptServeReload(t *testing.T) {
	live.Accept(t)
	revisions(t, 500, true)
}
