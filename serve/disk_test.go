//go:build linux

package serve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bunraku/puppetdb"
	"bunraku/serve"
)

// TestFullDisk has a server whose state is on a disk that is really full: an answer of which something cannot be kept
// is refused, or with soft_write_failure given and the loss counted by its name. Nothing half is left behind, and when
// there is room again all goes on.
func TestFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("it mounts a small file system, which needs root")
	}
	for _, soft := range []bool{false, true} {
		t.Run(fmt.Sprintf("soft %v", soft), func(t *testing.T) {
			state := t.TempDir()
			if err := syscall.Mount("tmpfs", state, "tmpfs", 0, "size=2m"); err != nil {
				t.Skipf("no file system can be mounted: %v", err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(state, syscall.MNT_DETACH) })
			db := newFakeDB(t)
			db.set(503, "[]") // so that what was queued stays
			r := start(t, small, func(o *serve.Options) {
				o.State, o.PuppetDB, o.SoftWriteFailure = state, &puppetdb.Config{URL: db.URL}, soft
			})
			c := r.client(r.sign("agent.example"))
			if a, b := r.told(c, "agent.example", "before", 1); a.status != 200 || b.status != 200 {
				t.Fatalf("%d %s\n%d %s", a.status, a.body, b.status, b.body)
			}
			count := func() int {
				files, _ := filepath.Glob(filepath.Join(state, "puppetdb/*.command"))
				return len(files)
			}
			if count() != 3 {
				t.Fatalf("%d commands wait", count())
			}
			// Someone else fills the disk.
			ballast := filepath.Join(state, "ballast")
			f, err := os.Create(ballast)
			if err != nil {
				t.Fatal(err)
			}
			piece := make([]byte, 512)
			for err == nil {
				_, err = f.Write(piece)
			}
			f.Close()
			if !strings.Contains(err.Error(), "no space") {
				t.Fatal(err)
			}
			a, b := r.told(c, "agent.example", "full", 2)
			text := watched(t, r)
			if soft {
				if a.status != 200 || b.status != 200 {
					t.Errorf("%d %s\n%d %s", a.status, a.body, b.status, b.body)
				}
				for _, what := range []string{"replace_facts", "replace_catalog", "store_report", "facts", "report"} {
					if !strings.Contains(text, fmt.Sprintf("bunraku_lost_total{what=%q} 1", what)) {
						t.Errorf("%s is not counted:\n%s", what, text)
					}
				}
			} else {
				if a.status != 500 || b.status != 500 || !strings.Contains(a.body, "no space left on device") {
					t.Errorf("%d %s\n%d %s", a.status, a.body, b.status, b.body)
				}
				if strings.Contains(text, "bunraku_lost_total{") {
					t.Errorf("something is lost, and was acknowledged:\n%s", text)
				}
			}
			if code, body := watch(r, "/healthz"); code != 503 || !strings.Contains(body, "cannot be written") {
				t.Errorf("health with a full disk: %d %s", code, body)
			}
			if count() != 3 {
				t.Errorf("%d commands wait, some of them not whole", count())
			}
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			if a, b := r.told(c, "agent.example", "after", 3); a.status != 200 || b.status != 200 {
				t.Errorf("%d %s\n%d %s", a.status, a.body, b.status, b.body)
			}
			db.set(0, "[]")
			for _, got := range db.got(t, 6) {
				if got.payload["transaction_uuid"] == "full" {
					t.Error("what was refused or lost is told after all")
				}
			}
			left, _ := filepath.Glob(filepath.Join(state, "*/.new-*"))
			more, _ := filepath.Glob(filepath.Join(state, "*/*/.new-*"))
			if left = append(left, more...); len(left) > 0 {
				t.Errorf("%v are left behind", left)
			}
		})
	}
}
