package puppetdb_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/puppetdb"
)

// A fake PuppetDB answers what pull asks, in the form in which PuppetDB 7.12 answers (TestAcceptPull asks a real one).
type fake struct {
	mu    sync.Mutex
	nodes map[string]int // name → version of its facts
	// trouble is what happens to a request; nil for nothing
	trouble func(w http.ResponseWriter, r *http.Request) bool
	asked   int
}

func (f *fake) row(name string) string {
	return fmt.Sprintf(`{"certname":%q,"timestamp":"2026-11-16T11:30:46.452Z","environment":"production","facts":{"version":%d,"fill":%q},"trusted":{"certname":%q,"extensions":{}}}`,
		name, f.nodes[name], strings.Repeat(name, 200), name)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if f.trouble != nil && f.trouble(w, r) {
		return
	}
	query := r.URL.Query().Get("query")
	if r.Method == http.MethodPost {
		var body struct{ Query json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		query = string(body.Query)
	}
	var names []string
	for n := range f.nodes {
		names = append(names, n)
	}
	slices.Sort(names)
	var rows []string
	switch r.URL.Path {
	case "/pdb/query/v4/factsets":
		for _, n := range names {
			rows = append(rows, fmt.Sprintf(`{"certname":%q,"hash":"%040x"}`, n, f.nodes[n]))
		}
	case "/pdb/query/v4/inventory":
		var q []any
		if err := json.Unmarshal([]byte(query), &q); err != nil || len(q) != 3 {
			http.Error(w, "no query: "+query, http.StatusBadRequest)
			return
		}
		for _, n := range q[2].([]any)[1].([]any) {
			if _, is := f.nodes[n.(string)]; is {
				rows = append(rows, f.row(n.(string)))
			}
		}
	}
	io.WriteString(w, "["+strings.Join(rows, ",")+"]")
}

func newFake(t *testing.T, nodes int) (*fake, *puppetdb.Client) {
	f := &fake{nodes: map[string]int{}}
	for i := range nodes {
		f.nodes[fmt.Sprintf("n%03d.example.com", i)] = 1
	}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return f, client(t, puppetdb.Config{URL: s.URL, Timeout: time.Second, Pause: time.Millisecond})
}

// state is all that a directory shows to who reads facts: names and contents.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(text)
	}
	return out
}

// is compares a directory with what the PuppetDB has.
func (f *fake) is(t *testing.T, dir string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	got := state(t, dir)
	if len(got) != len(f.nodes) {
		t.Errorf("%d files for %d nodes", len(got), len(f.nodes))
	}
	for n := range f.nodes {
		if got[n+".json"] != f.row(n)+"\n" {
			t.Errorf("%s has the wrong facts", n)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".incoming")); err == nil {
		t.Error("something is left over")
	}
}

func TestPull(t *testing.T) {
	f, c := newFake(t, 250)
	dir := filepath.Join(t.TempDir(), "facts")
	pull := func() *puppetdb.Pulled {
		t.Helper()
		p, err := c.Pull(context.Background(), puppetdb.Pulling{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		f.is(t, dir)
		return p
	}
	if p := pull(); p.Changed != 250 || p.Gone != 0 || p.Snapshot.Pulled.IsZero() {
		t.Errorf("%+v", p)
	}
	first := c.Bytes()
	if p := pull(); p.Changed != 0 {
		t.Errorf("%+v", p)
	}
	second := c.Bytes() - first
	if second > first/20 {
		t.Errorf("%d bytes the second time, %d the first", second, first)
	}
	f.nodes["n001.example.com"] = 2
	f.nodes["new.example.com"] = 1
	delete(f.nodes, "n002.example.com")
	if err := os.Remove(filepath.Join(dir, "n003.example.com.json")); err != nil {
		t.Fatal(err)
	}
	if p := pull(); p.Changed != 3 || p.Gone != 1 {
		t.Errorf("%+v", p)
	}
	// Facts of somebody else's stay.
	if err := os.WriteFile(filepath.Join(dir, "mine.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Pull(context.Background(), puppetdb.Pulling{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if state(t, dir)["mine.json"] != "{}" {
		t.Error("a file that was not pulled is gone")
	}
}

// TestPullTrouble pulls from a PuppetDB that fails in some way at every request in turn. Either the directory is as it
// was or as it is to be, the error says what happened, and the next pull goes on.
func TestPullTrouble(t *testing.T) {
	for name, trouble := range map[string]func(w http.ResponseWriter){
		"500":  func(w http.ResponseWriter) { http.Error(w, "database is gone", http.StatusInternalServerError) },
		"half": func(w http.ResponseWriter) { io.WriteString(w, `[{"certname":"n000.example.com","ha`) },
		"cut": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "100000")
			io.WriteString(w, `[{"certname":"n000.example.com","hash":"1"}`)
		},
		"html":  func(w http.ResponseWriter) { io.WriteString(w, "<html>sign in</html>") },
		"empty": func(w http.ResponseWriter) {},
		"error": func(w http.ResponseWriter) { io.WriteString(w, `{"error":"the database is read-only"}`) },
		"list": func(w http.ResponseWriter) {
			io.WriteString(w, `[{"certname":"n000.example.com","hash":7,"facts":[]}]`)
		},
		"nameless": func(w http.ResponseWriter) { io.WriteString(w, `[{"hash":"1","facts":{}}]`) },
		"number":   func(w http.ResponseWriter) { io.WriteString(w, `[1, 2]`) },
		"null":     func(w http.ResponseWriter) { io.WriteString(w, `[null]`) },
		"text":     func(w http.ResponseWriter) { io.WriteString(w, `["`+strings.Repeat("a", 1000)+`"]`) },
		"garbage":  func(w http.ResponseWriter) { io.WriteString(w, `[] and more`) },
		"two":      func(w http.ResponseWriter) { io.WriteString(w, `[][]`) },
		"302": func(w http.ResponseWriter) {
			w.Header().Set("Location", "/login")
			w.WriteHeader(http.StatusFound)
		},
	} {
		for at := 1; at <= 4; at++ {
			f, c := newFake(t, 30)
			dir := filepath.Join(t.TempDir(), "facts")
			f.trouble = func(w http.ResponseWriter, _ *http.Request) bool {
				if f.asked < at {
					return false
				}
				trouble(w)
				return true
			}
			pulling := puppetdb.Pulling{Dir: dir, Batch: 10}
			_, err := c.Pull(context.Background(), pulling)
			if err == nil || !strings.Contains(err.Error(), "PuppetDB at http://127.0.0.1:") {
				t.Errorf("%s at %d: %v", name, at, err)
			}
			if got := state(t, dir); len(got) != 0 {
				t.Errorf("%s at %d: %d files of a pull that failed", name, at, len(got))
			}
			f.trouble = nil
			p, err := c.Pull(context.Background(), pulling)
			if err != nil {
				t.Fatal(name, at, err)
			}
			if want := max(0, at-2) * 10; p.Resumed != want {
				t.Errorf("%s at %d: %d nodes came by the pull before, not %d", name, at, p.Resumed, want)
			}
			f.is(t, dir)
		}
	}
}

// Facts whose hash PuppetDB has not reckoned come each time; a PuppetDB that has suddenly nothing costs no facts, and
// neither does one that names nodes and then knows nothing of them.
func TestPullNoHash(t *testing.T) {
	f, c := newFake(t, 20)
	dir := filepath.Join(t.TempDir(), "facts")
	null := ""
	f.trouble = func(w http.ResponseWriter, r *http.Request) bool {
		if null == "" || !strings.HasSuffix(r.URL.Path, null) {
			return false
		}
		if null == "inventory" {
			io.WriteString(w, "[]")
			return true
		}
		var rows []string
		for n := range f.nodes {
			rows = append(rows, fmt.Sprintf(`{"certname":%q,"hash":null}`, n))
		}
		io.WriteString(w, "["+strings.Join(rows, ",")+"]")
		return true
	}
	for range 2 {
		null = "factsets"
		p, err := c.Pull(context.Background(), puppetdb.Pulling{Dir: dir, Batch: 7})
		if err != nil || p.Changed != 20 || p.Gone != 0 || p.Resumed != 0 {
			t.Fatalf("%+v, %v", p, err)
		}
		f.is(t, dir)
	}
	before := state(t, dir)
	null = "inventory"
	_, err := c.Pull(context.Background(), puppetdb.Pulling{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "it has a factset of n000.example.com and no inventory") {
		t.Error(err)
	}
	null = ""
	nodes := f.nodes
	f.nodes = nil
	_, err = c.Pull(context.Background(), puppetdb.Pulling{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "it has facts of no node") {
		t.Error(err)
	}
	f.nodes = nodes
	if got := state(t, dir); !maps.Equal(got, before) {
		t.Errorf("%d files, not %d", len(got), len(before))
	}
}

// TestPullKilled ends pulls at random moments, also between two moves of files, while facts change: afterwards a pull
// makes all right, and at no time is a node's file half of one.
func TestPullKilled(t *testing.T) {
	f, c := newFake(t, 40)
	dir := filepath.Join(t.TempDir(), "facts")
	r := rand.New(rand.NewPCG(1, 2))
	whole := map[string]bool{}
	note := func() {
		for n := range f.nodes {
			whole[f.row(n)+"\n"] = true
		}
	}
	note()
	for range 200 {
		ctx, cancel := context.WithCancel(context.Background())
		stop := r.IntN(8)
		f.trouble = func(http.ResponseWriter, *http.Request) bool {
			if stop--; stop < 0 {
				cancel()
			}
			return false
		}
		_, err := c.Pull(ctx, puppetdb.Pulling{Dir: dir, Batch: 7})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
		for name, text := range state(t, dir) {
			if !whole[text] {
				t.Fatalf("%s is half of something", name)
			}
		}
		f.trouble = nil
		for range r.IntN(4) {
			f.nodes[fmt.Sprintf("n%03d.example.com", r.IntN(50))] = r.IntN(1000)
		}
		if r.IntN(5) == 0 {
			delete(f.nodes, fmt.Sprintf("n%03d.example.com", r.IntN(50)))
		}
		note()
	}
	if _, err := c.Pull(context.Background(), puppetdb.Pulling{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	f.is(t, dir)
	// One that was ended while it moved files.
	f.nodes["n000.example.com"], f.nodes["n001.example.com"] = 5000, 5000
	if err := os.MkdirAll(filepath.Join(dir, ".incoming"), 0o755); err != nil {
		t.Fatal(err)
	}
	snap, err := puppetdb.ReadSnapshot(dir)
	if err != nil {
		t.Fatal(err)
	}
	snap.Nodes["n000.example.com"], snap.Nodes["n001.example.com"] = fmt.Sprintf("%040x", 5000), fmt.Sprintf("%040x", 5000)
	complete, _ := json.Marshal(map[string]any{"snapshot": snap,
		"files": []string{"n000.example.com", "n001.example.com"}})
	for name, text := range map[string]string{"n000.example.com.json": "", ".incoming/n001.example.com.json": "",
		".incoming/complete": string(complete)} {
		if text == "" {
			text = f.row(strings.TrimSuffix(filepath.Base(name), ".json")) + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := c.Pull(context.Background(), puppetdb.Pulling{Dir: dir})
	if err != nil || p.Changed != 0 {
		t.Error(p, err)
	}
	f.is(t, dir)
}

// TestPullNames refuses names that would lead out of the directory.
func TestPullNames(t *testing.T) {
	for _, name := range []string{"../evil", ".hidden", "a/b", ""} {
		f, c := newFake(t, 0)
		f.nodes[name] = 1
		dir := filepath.Join(t.TempDir(), "facts")
		if _, err := c.Pull(context.Background(), puppetdb.Pulling{Dir: dir}); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
}

// TestPullProgramKilled ends the program itself with SIGKILL at random moments, while facts change. At no time is a
// node's file half of one, or the directory of two states; what came before the end is not asked for again, and the
// last pull makes all right.
func TestPullProgramKilled(t *testing.T) {
	live.NotShort(t, "builds the program and kills it")
	bin := filepath.Join(t.TempDir(), "bunraku")
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/bunraku").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, c := newFake(t, 600)
	dir := filepath.Join(t.TempDir(), "facts")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	whole := map[string]bool{}
	f.trouble = func(http.ResponseWriter, *http.Request) bool { time.Sleep(3 * time.Millisecond); return false }
	killed, done, half := 0, 0, 0
	for range 25 {
		f.mu.Lock()
		for range 1 + r.IntN(300) {
			f.nodes[fmt.Sprintf("n%03d.example.com", r.IntN(650))] = r.IntN(1000)
		}
		delete(f.nodes, fmt.Sprintf("n%03d.example.com", r.IntN(650)))
		for n := range f.nodes {
			whole[f.row(n)+"\n"] = true
		}
		f.asked = 0
		f.mu.Unlock()
		cmd := exec.Command(bin, "facts", "pull", dir, "--puppetdb", c.URL())
		ended := make(chan error, 1)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { ended <- cmd.Wait() }()
		// The moment is one of the pull, not of the program's start.
		after := r.IntN(9)
		deadline := time.Now().Add(10 * time.Second)
	wait:
		for time.Now().Before(deadline) {
			select {
			case err := <-ended:
				if err != nil {
					t.Fatal(err)
				}
				done++
				break wait
			case <-time.After(200 * time.Microsecond):
			}
			f.mu.Lock()
			asked := f.asked
			f.mu.Unlock()
			if asked > after {
				time.Sleep(time.Duration(r.IntN(4000)) * time.Microsecond)
				if cmd.Process.Kill() == nil {
					<-ended
					killed++
				}
				break wait
			}
		}
		if _, err := os.Stat(filepath.Join(dir, ".incoming")); err == nil {
			half++
		}
		for name, text := range state(t, dir) {
			if !whole[text] {
				t.Fatalf("%s is half of something", name)
			}
		}
	}
	if out, err := exec.Command(bin, "facts", "pull", dir, "--puppetdb", c.URL()).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f.is(t, dir)
	t.Logf("killed %d times, %d of them in the middle of a pull; %d pulls came to their end", killed, half, done)
	if half == 0 {
		t.Error("no pull was ended on its way: the test cannot fail")
	}
}
