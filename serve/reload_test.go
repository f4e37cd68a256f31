package serve_test

import (
	"encoding/json"
	"fmt"
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
	cert := r.sign("agent.example")
	title := regexp.MustCompile(`"title":"m\d+ revision (\d+)"`)
	var served, refused atomic.Int64
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 3 {
		all.Add(1)
		go func() {
			defer all.Done()
			c := r.client(cert)
			for {
				select {
				case <-stop:
					return
				default:
				}
				a := r.catalog(c, "agent.example", "production", nil)
				if a.status != 200 {
					refused.Add(1)
					if a.status != 500 || !strings.Contains(a.body, "chang") && !strings.Contains(a.body, "written") &&
						!strings.Contains(a.body, "no such file") && !strings.Contains(a.body, "No such file") {
						t.Errorf("%d %s", a.status, a.body)
					}
					continue
				}
				served.Add(1)
				found := title.FindAllStringSubmatch(a.body, -1)
				seen := map[string]bool{}
				for _, m := range found {
					seen[m[1]] = true
				}
				var head struct{ Code_id string }
				if err := json.Unmarshal([]byte(a.body), &head); err != nil {
					t.Error(err)
				}
				if len(found) != classes || link && (len(seen) != 1 || !seen[strings.TrimPrefix(head.Code_id, "r")]) {
					t.Errorf("a catalog of the revisions %v, code id %s", seen, head.Code_id)
				}
			}
		}()
	}
	for n := 1; n <= changes; n++ {
		turn(n)
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	close(stop)
	all.Wait()
	c := r.client(cert)
	if a := r.catalog(c, "agent.example", "production", nil); !strings.Contains(a.body,
		fmt.Sprintf("m%d revision %d\"", classes-1, changes)) {
		t.Errorf("the last revision is not served: %d %s", a.status, a.body)
	}
	what := "whole"
	if link {
		what = "of exactly one revision each, which its code id names"
	}
	t.Logf("%d changes: %d catalogs, %s; %d refused for a while (bar: no other)", changes, served.Load(), what,
		refused.Load())
	if served.Load() == 0 {
		t.Error("nothing was served")
	}
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
