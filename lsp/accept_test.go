package lsp_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"bunraku/budget"
	"bunraku/internal/live"
	"bunraku/lsp"
)

// wikimedia is the tree that the bars are about.
func wikimedia(t *testing.T) (dir string, files []string) {
	t.Helper()
	live.Accept(t)
	dir = filepath.Join(os.Getenv("BUNRAKU_FETCHED"), "wikimedia_operations-puppet")
	if _, err := os.Stat(filepath.Join(dir, "modules")); err != nil {
		t.Skip("Wikimedia's tree is not in $BUNRAKU_FETCHED")
	}
	files, err := filepath.Glob(dir + "/modules/profile/manifests/*.pp")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	return dir, files
}

// looking starts a session whose client shows work, and waits until the whole workspace has been looked at.
func looking(t *testing.T, dir string, idle time.Duration) *nav {
	t.Helper()
	n := &nav{dial(t, func(o *lsp.Options) { o.Idle = idle }), dir}
	n.quick = true
	n.ask("initialize", map[string]any{"processId": nil, "rootUri": "file://" + dir, "capabilities": map[string]any{
		"general": map[string]any{"positionEncodings": []string{"utf-8"}},
		"window":  map[string]any{"workDoneProgress": true}}})
	n.notify("initialized", map[string]any{})
	n.patience = 10 * time.Minute
	n.wait("the workspace", func() bool {
		all := n.client.progress
		return len(all) > 0 && all[len(all)-1]["value"].(map[string]any)["kind"] == "end"
	})
	n.patience = 0
	return n
}

// TestAcceptEditor measures a session on Wikimedia's tree: what somebody waits for, each beside its bar. The machine
// may have other things to do, so the bars are for time on the processor, of all threads of the server together; what
// the clock says is printed beside it. What is done when nobody types does not run meanwhile.
func TestAcceptEditor(t *testing.T) {
	defer budget.TuneMemory()()
	if os.Getenv("BUNRAKU_HEAP") != "" {
		runtime.MemProfileRate = 512 << 10
	}
	dir, files := wikimedia(t)
	spent := processor(t) // what the first session reads is not read for nothing
	n := &nav{dial(t, nil), dir}
	began := time.Now()
	n.start([]string{"utf-8"}, dir)
	n.open(files[0], "class a {\n  notify { 'x' }\n}\n")
	n.wait("syntax", func() bool { return len(n.told(files[0])) > 0 })
	bar(t, "first diagnostics", time.Since(began), time.Second)
	n.bye()

	n = looking(t, dir, 3*time.Second)
	bar(t, "the whole workspace, time on the processor", processor(t)-spent, 5*time.Second)
	r := rand.New(rand.NewPCG(1, 1))
	took, clock := map[string][]time.Duration{}, map[string][]time.Duration{}
	measure := func(what string, do func()) {
		from, b := processor(t), time.Now()
		do()
		took[what], clock[what] = append(took[what], processor(t)-from), append(clock[what], time.Since(b))
	}
	version := 2
	for i := range 1000 {
		file := files[1+i%100]
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(body)
		if i < 100 {
			n.open(file, text)
		}
		words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \n,(){}'\"=>", c) })
		if len(words) == 0 {
			continue
		}
		word := words[r.IntN(len(words))]
		at := n.pos(strings.TrimPrefix(file, dir+"/"), word, 1)
		at["context"] = map[string]any{"includeDeclaration": true}
		if i%3 == 0 {
			for _, method := range []string{"hover", "completion", "references"} {
				measure(method, func() { n.answer(n.send("textDocument/"+method, at)) })
			}
		}
		n.mu.Lock()
		told := n.count["file://"+file]
		n.mu.Unlock()
		measure("diagnostics after a key", func() {
			n.edit(file, version, empty(at), " ")
			n.wait("after a key", func() bool { return n.count["file://"+file] > told })
		})
		n.edit(file, version+1, nil, text) // as it was: places stay where they are
		version += 2
		n.ask("textDocument/documentHighlight", at) // once it is answered, the edit has been taken in
	}
	for _, x := range []struct {
		what string
		bar  time.Duration
	}{{"hover", 50 * time.Millisecond}, {"completion", 30 * time.Millisecond}, {"references", 200 * time.Millisecond},
		{"diagnostics after a key", 100 * time.Millisecond}} {
		list, wall := took[x.what], clock[x.what]
		slices.Sort(list)
		slices.Sort(wall)
		bar(t, fmt.Sprintf("%s, p95 of %d on the processor (median %v; by the clock %v, median %v)", x.what, len(list),
			list[len(list)/2],
			wall[len(wall)*95/100], wall[len(wall)/2]), list[len(list)*95/100], x.bar)
	}
	if os.Getenv("BUNRAKU_HEAP") != "" {
		f, err := os.Create(os.Getenv("BUNRAKU_HEAP"))
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		_ = pprof.WriteHeapProfile(f)
		f.Close()
	}
	rss := live.Resident(t)
	t.Logf("resident after 1,000 edits: %d MB (bar 500 MB)", rss>>20)
	if rss > 500<<20 {
		t.Error("the bar is missed")
	}
	n.bye()
}

// processor is how much time this process has had on processors.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// empty is an empty range at a position.
func empty(p map[string]any) map[string]any {
	return map[string]any{"start": p["position"], "end": p["position"]}
}

func bar(t *testing.T, what string, got, most time.Duration) {
	t.Helper()
	t.Logf("%s: %v (bar %v)", what, got, most)
	if got > most {
		t.Errorf("%s: the bar is missed", what)
	}
}
