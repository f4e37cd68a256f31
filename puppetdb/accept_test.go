package puppetdb_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/puppetdb"
)

// accepted gives a real PuppetDB, in bench/accept.sh only.
func accepted(t *testing.T) *live.PuppetDB {
	t.Helper()
	live.Accept(t)
	return live.StartPuppetDB(t)
}

// factsOf are facts of a node, as large as those of a small machine.
func factsOf(name string, version int) json.RawMessage {
	values := map[string]any{"version": version, "trusted": map[string]any{"authenticated": "remote", "certname": name,
		"extensions": map[string]any{"pp_role": "web"}, "hostname": name, "domain": nil, "external": map[string]any{}}}
	for i := range 60 {
		values[fmt.Sprintf("fact_%d", i)] = map[string]any{"name": name, "text": strings.Repeat("x", 80), "number": i}
	}
	text, err := json.Marshal(map[string]any{"certname": name, "environment": "production", "producer": "test",
		"producer_timestamp": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "values": values})
	if err != nil {
		panic(err)
	}
	return text
}

// TestAcceptPull pulls the facts of 2,000 nodes from a real PuppetDB, twice; it is ended on the way and goes on; wrong
// certificates are refused in words.
func TestAcceptPull(t *testing.T) {
	db := accepted(t)
	const nodes = 2000
	send := client(t, puppetdb.Config{URL: db.URL})
	command := func(name string, version int) {
		_, err := send.Command(context.Background(), puppetdb.Command{Name: "replace_facts", Version: puppetdb.FactsVersion,
			Certname: name, Produced: time.Now(), Payload: factsOf(name, version)})
		if err != nil {
			t.Error(err)
		}
	}
	var wait sync.WaitGroup
	for part := range 4 {
		wait.Go(func() {
			for i := part; i < nodes; i += 4 {
				command(fmt.Sprintf("n%04d.example.com", i), 1)
			}
		})
	}
	wait.Wait()
	stored := func(want int) {
		t.Helper()
		for range 1200 { // commands are queued
			rows, err := rowsOf(send, puppetdb.Query{Text: `factsets[count()]{node_state = "active"}`})
			if err == nil && len(rows) == 1 && strings.Contains(rows[0], fmt.Sprintf(":%d}", want)) {
				return
			}
			time.Sleep(500 * time.Millisecond)
		}
		t.Fatalf("PuppetDB has not %d nodes\n%s", want, db.Log())
	}
	stored(nodes)
	cert, key := db.Certificate(t, "puller")
	read := func(path string) []byte {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	conf := puppetdb.Config{URL: db.TLS, Certificate: read(cert), Key: read(key),
		CA: read(filepath.Join(db.Dir, "ca.pem"))}
	dir := filepath.Join(t.TempDir(), "facts")

	// ended on the way, a few times
	resumed := 0
	for _, after := range []int{3, 8} {
		c := client(t, conf)
		ctx, cancel := context.WithCancel(context.Background())
		steps := 0
		_, err := c.Pull(ctx, puppetdb.Pulling{Dir: dir, Step: func(int, int) {
			if steps++; steps == after {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Error("not ended:", err)
		}
		if got := len(state(t, dir)); got != 0 {
			t.Errorf("%d files of a pull that was ended", got)
		}
	}
	first := client(t, conf)
	p, err := first.Pull(context.Background(), puppetdb.Pulling{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	resumed = p.Resumed
	if len(state(t, dir)) != nodes || p.Changed != nodes || resumed != 1100 {
		t.Errorf("%d files, %d changed, %d came before", len(state(t, dir)), p.Changed, resumed)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	whole := client(t, conf)
	began := time.Now()
	if _, err := whole.Pull(context.Background(), puppetdb.Pulling{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	second := client(t, conf)
	if p, err = second.Pull(context.Background(), puppetdb.Pulling{Dir: dir}); err != nil || p.Changed != 0 {
		t.Error(p, err)
	}
	share := 100 * float64(second.Bytes()) / float64(whole.Bytes())
	t.Logf("pull: %d nodes, %.1f MB in %v; the second pull %.2f %% of the first's bytes (bar: 5 %%); %d nodes were resumed", nodes,
		float64(whole.Bytes())/1e6, took.Round(time.Millisecond), share, resumed)
	if share > 5 {
		t.Errorf("the second pull has %.2f %% of the first's bytes", share)
	}

	// what changes comes, and nothing else
	command("n0007.example.com", 2)
	if _, err := send.Command(context.Background(), puppetdb.Command{Name: "deactivate_node",
		Version:  puppetdb.DeactivateVersion,
		Certname: "n0008.example.com", Payload: json.RawMessage(`{"certname":"n0008.example.com","producer_timestamp":"` +
			time.Now().UTC().Format("2006-01-02T15:04:05.000Z") + `"}`)}); err != nil {
		t.Fatal(err)
	}
	stored(nodes - 1)
	time.Sleep(2 * time.Second)
	if p, err = client(t, conf).Pull(context.Background(), puppetdb.Pulling{Dir: dir}); err != nil || p.Changed != 1 ||
		p.Gone != 1 {
		t.Errorf("%+v %v", p, err)
	}
	if text := state(t, dir)["n0007.example.com.json"]; !strings.Contains(text, `"version": 2`) {
		t.Errorf("%.300s", text)
	}

	// who may not ask is told so
	other := newAuthority(t, "other")
	wrong := conf
	wrong.Certificate, wrong.Key = other.pair(t, "puller")
	none := conf
	none.Certificate, none.Key = nil, nil
	stranger := conf
	stranger.CA = other.pem
	for what, x := range map[string]struct {
		conf puppetdb.Config
		says string
	}{
		"of another authority": {wrong, "client"}, "none": {none, "it wants a client certificate"},
		"another server's": {stranger, "its certificate is not trusted"},
	} {
		before := state(t, dir)
		_, err := client(t, x.conf).Pull(context.Background(), puppetdb.Pulling{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s: %v", what, err)
		}
		if !maps.Equal(state(t, dir), before) {
			t.Errorf("%s: files changed", what)
		}
	}
	acceptTrouble(t, db, nodes-1)
	acceptKilled(t, db, cert, key, nodes-1)
}

// A breaker stands before a real PuppetDB and spoils its answers from some request on.
type breaker struct {
	to    string
	spoil func(w http.ResponseWriter, answer []byte) // nil hands answers on
	at    int32
	asked atomic.Int32
}

func (b *breaker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number := b.asked.Add(1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	to, err := http.NewRequestWithContext(r.Context(), r.Method, b.to+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	to.Header = r.Header.Clone()
	to.Header.Del("Accept-Encoding")
	answer, err := http.DefaultClient.Do(to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return
	}
	if b.spoil != nil && number >= b.at {
		b.spoil(w, text)
		return
	}
	w.WriteHeader(answer.StatusCode)
	w.Write(text)
}

// acceptTrouble pulls while the real PuppetDB's answers fail in some way, at the first question and on the way: the
// error says what happened, nothing of the pull is there, and the next one goes on.
func acceptTrouble(t *testing.T, db *live.PuppetDB, nodes int) {
	half := func(w http.ResponseWriter, answer []byte) {
		w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
		w.Write(answer[:len(answer)/2])
		w.(http.Flusher).Flush()
	}
	held := 0
	for what, x := range map[string]struct {
		spoil func(w http.ResponseWriter, answer []byte)
		says  string
	}{
		"500": {func(w http.ResponseWriter, _ []byte) { http.Error(w, "database is gone", 500) },
			"it answers 500 Internal Server Error: database is gone"},
		"half an answer": {half, "the answer broke off"},
		"silence": {func(w http.ResponseWriter, answer []byte) { half(w, answer); time.Sleep(3 * time.Second) },
			"nothing came for 1.5s"},
	} {
		for _, at := range []int32{1, 5} {
			b := &breaker{to: db.URL, spoil: x.spoil, at: at}
			s := httptest.NewServer(b)
			c := client(t, puppetdb.Config{URL: s.URL, Timeout: 1500 * time.Millisecond, Pause: time.Millisecond})
			dir := filepath.Join(t.TempDir(), "facts")
			_, err := c.Pull(context.Background(), puppetdb.Pulling{Dir: dir})
			if err == nil || !strings.Contains(err.Error(), x.says) {
				t.Errorf("%s at question %d: %v", what, at, err)
			}
			if got := len(state(t, dir)); got != 0 {
				t.Errorf("%s at question %d: %d files of a pull that failed", what, at, got)
			}
			b.spoil = nil
			p, err := client(t, puppetdb.Config{URL: s.URL}).Pull(context.Background(), puppetdb.Pulling{Dir: dir})
			if err != nil || p.Changed != nodes || p.Resumed != 100*max(0, int(at)-2) || len(state(t, dir)) != nodes {
				t.Errorf("%s at question %d, the pull after it: %+v, %v", what, at, p, err)
			} else {
				held++
			}
			s.Close()
		}
	}
	t.Logf("trouble: %d of 6 pulls that PuppetDB failed on left nothing behind, and the next one went on (bar: all)", held)
}

// acceptKilled ends the program with SIGKILL while it pulls from the real PuppetDB.
func acceptKilled(t *testing.T, db *live.PuppetDB, cert, key string, nodes int) {
	bin := filepath.Join(t.TempDir(), "bunraku")
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/bunraku").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := filepath.Join(t.TempDir(), "facts")
	pull := func() *exec.Cmd {
		return exec.Command(bin, "facts", "pull", dir, "--puppetdb", db.TLS, "--cert", cert, "--key", key, "--cacert",
			filepath.Join(db.Dir, "ca.pem"))
	}
	came := func() int {
		text, _ := os.ReadFile(filepath.Join(dir, ".incoming", "done")) // not there yet: nothing came
		return strings.Count(string(text), "\n")
	}
	killed := 0
	for range 3 {
		cmd := pull()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		before := came()
		for deadline := time.Now().Add(time.Minute); came() < before+200 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		if cmd.Process.Kill() == nil {
			killed++
		}
		cmd.Wait()
		if got := len(state(t, dir)); got != 0 {
			t.Errorf("%d files of a pull that was killed", got)
		}
	}
	before := came()
	out, err := pull().CombinedOutput()
	t.Logf("killed %d times with SIGKILL, with %d of %d nodes fetched by then; the last pull says: %s", killed, before,
		nodes, strings.TrimSpace(string(out)))
	if err != nil || len(state(t, dir)) != nodes || before == 0 || !strings.Contains(string(out), fmt.Sprint(before)) {
		t.Errorf("%v: %d files\n%s", err, len(state(t, dir)), out)
	}
}
