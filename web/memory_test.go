package web

import (
	"fmt"
	"net/url"
	"runtime"
	"runtime/debug"
	"testing"

	"bunraku/internal/live"
	"bunraku/internal/manynodes"
)

// TestAcceptWebMemory: what the server takes beside its snapshot, which is what the tree's own size makes: catalogs,
// parsed files, facts. The snapshot is measured as the live heap after the first look; the rest is everything else that
// the process holds while somebody goes through pages of many nodes: garbage, records with provenance, the program
// itself.
func TestAcceptWebMemory(t *testing.T) {
	live.Accept(t)
	dir := t.TempDir()
	const nodes = 300
	if err := manynodes.Write(dir, nodes, manynodes.None); err != nil {
		t.Fatal(err)
	}
	opt := options(dir)
	opt.Poll = 1 << 40
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // as the command has it once it serves
	b := open(t, opt)
	debug.FreeOSMemory()
	snapshot := heap()
	most := 0
	for i := range 150 {
		name := manynodes.Name(i * nodes / 150)
		for _, path := range []string{"/api/overview", "/api/fleet?facets=1&q=" + fmt.Sprint(i), "/api/node?name=" + name,
			"/api/facts?node=" + name,
			"/api/value?" + url.Values{"node": {name}, "ref": {"Class[Profile::Base]"}, "attribute": {"level"}}.Encode(),
			"/api/hiera?key=profile::base::level&node=" + name, "/api/search?q=" + name, "/api/order?node=" + name,
			"/api/code"} {
			if code, text := b.get(path); code != 200 {
				t.Fatalf("%s: %d %s", path, code, clip(text, 200))
			}
		}
		most = max(most, live.Resident(t))
	}
	debug.FreeOSMemory()
	after := live.Resident(t)
	t.Logf("%d nodes: the snapshot is %d MB; the process beside it at most %d MB while 150 nodes were looked at, %d MB "+
		"then (bar 300)",
		nodes, snapshot>>20, (most-snapshot)>>20, (after-snapshot)>>20)
	if most-snapshot > 300<<20 {
		t.Error("the bar is missed")
	}
	runtime.KeepAlive(b)
}

// heap is what is alive.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
