package lsp_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
)

// TestAcceptEditor measures a session on Wikimedia's tree: the times that somebody waits, each beside its bar.
func TestAcceptEditor(t *testing.T) {
	live.Accept(t)
	dir := filepath.Join(os.Getenv("BUNRAKU_FETCHED"), "wikimedia_operations-puppet")
	if _, err := os.Stat(filepath.Join(dir, "modules")); err != nil {
		t.Skip("Wikimedia's tree is not in $BUNRAKU_FETCHED")
	}
	files, err := filepath.Glob(dir + "/modules/profile/manifests/*.pp")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	n := &nav{dial(t, nil), dir}
	began := time.Now()
	n.start([]string{"utf-8"}, dir)
	n.open(files[0], "class a {\n  notify { 'x' }\n}\n")
	n.wait("syntax", func() bool { return len(n.told(files[0])) > 0 })
	bar(t, "first diagnostics", time.Since(began), time.Second)
	r := rand.New(rand.NewPCG(1, 1))
	took := map[string][]time.Duration{}
	for i := range 200 {
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
		for _, method := range []string{"hover", "completion", "references"} {
			at["context"] = map[string]any{"includeDeclaration": true}
			b := time.Now()
			n.ask("textDocument/"+method, at)
			took[method] = append(took[method], time.Since(b))
		}
		n.mu.Lock()
		told := n.count["file://"+file]
		n.mu.Unlock()
		b := time.Now()
		n.edit(file, i+2, empty(at), " ")
		n.wait("after a key", func() bool { return n.count["file://"+file] > told })
		took["diagnostics after a key"] = append(took["diagnostics after a key"], time.Since(b))
	}
	for _, x := range []struct {
		what string
		bar  time.Duration
	}{{"hover", 50 * time.Millisecond}, {"completion", 30 * time.Millisecond}, {"references", 200 * time.Millisecond},
		{"diagnostics after a key", 100 * time.Millisecond}} {
		list := took[x.what]
		slices.Sort(list)
		bar(t, fmt.Sprintf("%s, p95 of %d (median %v)", x.what, len(list), list[len(list)/2]), list[len(list)*95/100], x.bar)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("memory from the system: %d MB (bar 500 MB)", m.Sys>>20)
	if m.Sys > 500<<20 {
		t.Error("the bar is missed")
	}
	n.bye()
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
