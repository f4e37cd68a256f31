package puppetdb_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
	began := time.Now()
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
		if len(state(t, dir)) != len(before) {
			t.Errorf("%s: files changed", what)
		}
	}
}
