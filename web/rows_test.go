package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// TestAcceptRows: a fleet of 100,000 rows is scrolled through in a real browser without a long task of its main thread.
// The rows are those of the example, under other names: what is measured is the page and the server's answers to it.
func TestAcceptRows(t *testing.T) {
	live.Accept(t)
	node, chromium := live.Tool(t, "node"), live.Tool(t, "chromium")
	room, err := exec.Command("sh", "ui/build.sh", "--room").Output()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	opt := options(shop)
	opt.Poll = 1 << 40
	s, err := New(opt, l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := s.Look(ctx); err != nil {
		t.Fatal(err)
	}
	const rows = 100_000
	st := s.site.now()
	few := len(st.nodes)
	for i := few; i < rows; i++ {
		n := st.nodes[i%few]
		n.name = fmt.Sprintf("n%06d.example", i)
		st.byName[n.name] = len(st.nodes)
		for _, t := range n.things {
			st.table.things[t].nodes = append(st.table.things[t].nodes, int32(i))
		}
		st.nodes = append(st.nodes, n)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	// What else the machine does makes a task longer, even on its own processor's clock, and never shorter: the best of a
	// few runs is nearest to the page's own.
	best := scrolled{Longest: 1 << 20}
	for round := 0; round < 8 && best.Longest > 20; round++ {
		got := scroll(t, node, chromium, strings.TrimSpace(string(room)), "http://"+l.Addr().String(), s)
		t.Logf("%s rows: the longest of %.0f tasks while scrolling took %.1f ms of the processor (bar 20), by the clock %.1f; "+
			"the longest: %.1f; the first of them: %s", got.Rows, got.Count, got.Longest, got.Wall, got.Top, got.Did)
		if got.Rows != fmt.Sprint(rows+1) || got.Count == 0 {
			t.Fatal("it was not scrolled")
		}
		if got.Longest < best.Longest {
			best = got
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if best.Longest > 20 {
		t.Error("the bar is missed")
	}
}

// scrolled is what a browser says of its tasks.
type scrolled struct {
	Rows                 string
	Longest, Count, Wall float64
	Top                  []float64
	Did                  string
}

// scroll lets a browser in and scrolls through its fleet.
func scroll(t *testing.T, node, chromium, room, base string, s *Server) scrolled {
	t.Helper()
	s.guard.renew()
	job, err := json.Marshal(map[string]any{"room": room, "chromium": chromium, "do": []string{"scroll"}, "base": base,
		"url": s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "job.json")
	if err := os.WriteFile(file, job, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "../cmd/bunraku/testdata/web/browser.mjs", file)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v %s", err, out)
	}
	var got struct {
		Failures []string
		Figures  scrolled
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for _, f := range got.Failures {
		t.Error(f)
	}
	return got.Figures
}

// renew lets one more browser in.
func (g *guard) renew() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.token = random()
}
