package serve_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bunraku/explain"
	"bunraku/serve"
)

// TestProvenance: side files are kept once for catalogs that have the same one, without secrets, for as long as was
// said.
func TestProvenance(t *testing.T) {
	state := t.TempDir()
	keep := func(now time.Time) func(*serve.Options) {
		return func(o *serve.Options) {
			o.State, o.Provenance, o.Now = state, time.Hour, func() time.Time { return now }
		}
	}
	began := time.Now()
	var ticks atomic.Int64
	clock := func() time.Time { return began.Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
	r := start(t, small, keep(began), func(o *serve.Options) {
		o.Now = clock
	})
	c := r.client(r.sign("agent.example"))
	for range 3 {
		if a := r.catalog(c, "agent.example", "production", map[string]any{"kernel": "Linux"}); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	count := func(pattern string) int {
		files, err := filepath.Glob(filepath.Join(state, "provenance", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				continue // swept meanwhile
			}
			if strings.HasPrefix(pattern, "texts") {
				whole, err := explain.Texts(text)
				if err != nil || !strings.Contains(whole, "agent.example") {
					t.Errorf("%s: %v", f, err)
				}
				text = []byte(whole)
			}
			if strings.Contains(string(text), "secret Linux") {
				t.Errorf("a secret is in %s", f)
			}
			if info, err := os.Stat(f); err == nil && info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v", f, info.Mode())
			}
		}
		return len(files)
	}
	if texts, nodes := count("texts/*"), count("nodes/agent.example/*"); texts != 1 || nodes != 3 {
		t.Errorf("%d side files of %d catalogs", texts, nodes)
	}
	path, _, err := serve.SideFile(state, "agent.example", began.Add(30*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if _, _, err := serve.SideFile(state, "agent.example", began.Add(-time.Hour)); err == nil {
		t.Error("there was no catalog yet")
	}
	if err := os.Chtimes(path, began.Add(-2*time.Hour), began.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	start(t, small, keep(began.Add(2*time.Hour)))
	for until := time.Now().Add(5 * time.Second); count("texts/*")+count("nodes/agent.example/*") > 0; {
		if time.Now().After(until) {
			t.Fatal("what is too old stays")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestProvenanceUsedAgain: a side file that is used again is as young as its use, so that no sweep takes it away before
// the catalog names it.
func TestProvenanceUsedAgain(t *testing.T) {
	r := start(t, small, func(o *serve.Options) { o.Provenance = time.Hour })
	c := r.client(r.sign("agent.example"))
	catalog := func() string {
		t.Helper()
		if a := r.catalog(c, "agent.example", "production", map[string]any{"kernel": "Linux"}); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		path, _, err := serve.SideFile(r.opt.State, "agent.example", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := catalog()
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if again := catalog(); again != path {
		t.Fatalf("%s and %s", path, again)
	}
	if info, err := os.Stat(path); err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Errorf("%v: it could be swept", err)
	}
}
